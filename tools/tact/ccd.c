/*
 * The command: reads two frames of a mesh, finds all contacts between them (sweep/sweep.h), prints their number and the
 * first one, and writes the list to a file on request. Vertices that no face uses take part as points.
 */
#include "ccd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "help.h"
#include "mesh_file.h"
#include "progress_bar.h"
#include "sweep/sweep.h"

typedef struct ccd_options {
    const char *paths[2];
    size_t path_count;
    const char *pairs; /* the file for the contacts; NULL: none */
    bool first, json;
    int threads; /* 0: all */
} ccd_options;

typedef struct ccd_run {
    const ccd_options *options;
    mesh_file frames[2];
    mesh_sweep *sweep;
    double read_seconds, build_seconds, test_seconds;
} ccd_run;

/* Prints an error. Always returns false. */
static bool error_print(const char *path, const char *reason)
{
    (void)fprintf(stderr, "%s: %s\n", path, reason);
    return false;
}

/* ---- reading and testing ---- */

static const char *vertices_word(size_t count) { return count == 1 ? "vertex" : "vertices"; }

/* Checks that all faces are triangles. */
static bool triangles_check(const mesh_file *mesh, const char *path)
{
    for (size_t f = 0; f < mesh->face_count; f++) {
        const uint32_t vertices = mesh->face_start[f + 1] - mesh->face_start[f];
        if (vertices != 3) {
            (void)fprintf(stderr, "%s: face %zu has %lu vertices: tact ccd accepts only triangles\n", path, f,
                          (unsigned long)vertices);
            return false;
        }
    }
    return true;
}

/* Checks that both frames have the same faces. */
static bool frames_match(const mesh_file *a, const mesh_file *b, const ccd_options *options)
{
    if (a->vertex_count != b->vertex_count || a->face_count != b->face_count) {
        (void)fprintf(stderr, "%s: %zu %s and %zu %s, but %s has %zu and %zu: the frames are not of the same mesh\n",
                      options->paths[1], b->vertex_count, vertices_word(b->vertex_count), b->face_count,
                      b->face_count == 1 ? "face" : "faces", options->paths[0], a->vertex_count, a->face_count);
        return false;
    }
    for (size_t i = 0; i < a->index_count; i++)
        if (a->indices[i] != b->indices[i]) {
            (void)fprintf(
                stderr,
                "%s: face %zu differs from that of %s: both frames must have the same faces in the same order\n",
                options->paths[1], i / 3, options->paths[0]);
            return false;
        }
    return true;
}

static const tact_vec3 *vertices_of(const mesh_file *mesh)
{
    _Static_assert(sizeof(tact_vec3) == 3 * sizeof(double), "tact_vec3 must be three contiguous doubles");
    return (const tact_vec3 *)(const void *)mesh->vertices;
}

static bool frames_read(ccd_run *run)
{
    const double start = tact_clock_now();
    for (int i = 0; i < 2; i++) {
        char error[MESH_FILE_ERROR];
        if (!tact_mesh_file_read(run->options->paths[i], &run->frames[i], error, sizeof error)) {
            (void)fprintf(stderr, "%s\n", error);
            return false;
        }
        if (!triangles_check(&run->frames[i], run->options->paths[i]))
            return false;
    }
    run->read_seconds = tact_clock_now() - start;
    return frames_match(&run->frames[0], &run->frames[1], run->options);
}

/* Collects the vertices that no face uses; the caller frees *points. False if memory runs out. */
static bool unreferenced_vertices(const mesh_file *mesh, uint32_t **points, size_t *count)
{
    *count = 0;
    *points = NULL;
    bool *used = calloc(mesh->vertex_count + 1, sizeof *used);
    if (!used)
        return false;
    for (size_t i = 0; i < mesh->index_count; i++)
        used[mesh->indices[i]] = true;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        *count += !used[v];
    *points = malloc((*count + 1) * sizeof **points);
    for (size_t v = 0, i = 0; *points && v < mesh->vertex_count; v++)
        if (!used[v])
            (*points)[i++] = (uint32_t)v;
    free(used);
    return *points != NULL;
}

static bool contacts_find(ccd_run *run)
{
    const mesh_file *mesh = &run->frames[0];
    double start = tact_clock_now();
    sweep_def def = sweep_def_default();
    uint32_t *points;
    def.vertices = vertices_of(mesh);
    def.vertex_count = mesh->vertex_count;
    def.triangles = (const uint32_t(*)[3])(const void *)mesh->indices;
    def.triangle_count = mesh->face_count;
    tact_status status = TACT_OUT_OF_MEMORY;
    if (unreferenced_vertices(mesh, &points, &def.point_count)) {
        def.points = points;
        status = tact_mesh_sweep_create(&run->sweep, &def);
    }
    free(points);
    run->build_seconds = tact_clock_now() - start;
    start = tact_clock_now();
    if (status == TACT_OK) {
        const tact_parallel parallel = {.threads = run->options->threads};
        sweep_step step = sweep_step_default();
        step.start = vertices_of(mesh);
        step.end = vertices_of(&run->frames[1]);
        step.mode = run->options->first ? SWEEP_EARLIEST : SWEEP_ALL;
        step.parallel = &parallel;
        status = tact_mesh_sweep_run(run->sweep, &step);
    }
    run->test_seconds = tact_clock_now() - start;
    if (status == TACT_BAD_ARGUMENT)
        return error_print(run->options->paths[0], "too many vertices or triangles");
    return status == TACT_OK || error_print("tact ccd", tact_status_text(status));
}

/* ---- output ---- */

/* Prints the features of a contact as in the list of --pairs. */
static void pair_print(FILE *out, const sweep_contact *c)
{
    if (c->kind == TACT_VERTEX_FACE)
        (void)fprintf(out, "vf %lu %lu", (unsigned long)c->index[0], (unsigned long)c->index[1]);
    else
        (void)fprintf(out, "ee %lu %lu %lu %lu", (unsigned long)c->index[0], (unsigned long)c->index[1],
                      (unsigned long)c->index[2], (unsigned long)c->index[3]);
}

/* Writes all contacts to the file of --pairs, one a line. */
static bool pairs_write(const ccd_run *run)
{
    const char *path = run->options->pairs;
    errno = 0;
    FILE *file = fopen(path, "w");
    bool good = file != NULL;
    for (size_t i = 0; good && i < tact_mesh_sweep_count(run->sweep); i++) {
        const sweep_contact *c = tact_mesh_sweep_contact(run->sweep, i);
        pair_print(file, c);
        good = fprintf(file, " %.17g %.17g\n", c->ccd.lower, c->ccd.upper) > 0;
    }
    const int error = errno;
    if (file != NULL && fclose(file) != 0)
        good = false;
    if (good)
        return true;
    (void)fprintf(stderr, "%s: cannot be written: %s\n", path, error ? strerror(error) : "unknown error");
    return false;
}

static void count_kinds(const mesh_sweep *s, size_t count[2])
{
    count[0] = count[1] = 0;
    for (size_t i = 0; i < tact_mesh_sweep_count(s); i++)
        count[tact_mesh_sweep_contact(s, i)->kind]++;
}

static void result_print(const ccd_run *run)
{
    const mesh_file *mesh = &run->frames[0];
    const size_t all = tact_mesh_sweep_count(run->sweep);
    (void)printf("%s to %s: %zu %s, %zu triangle%s\n", run->options->paths[0], run->options->paths[1],
                 mesh->vertex_count, vertices_word(mesh->vertex_count), mesh->face_count,
                 mesh->face_count == 1 ? "" : "s");
    if (all == 0) {
        (void)printf("  no contacts\n");
    } else {
        const sweep_contact *first = tact_mesh_sweep_contact(run->sweep, 0);
        size_t count[2];
        count_kinds(run->sweep, count);
        if (!run->options->first)
            (void)printf("  %zu contact%s: %zu vertex-face, %zu edge-edge\n", all, all == 1 ? "" : "s", count[0],
                         count[1]);
        (void)printf("  first contact between t = %.17g and %.17g: ", first->ccd.lower, first->ccd.upper);
        pair_print(stdout, first);
        (void)printf("\n");
    }
    (void)printf("  read in %.1f ms, built in %.1f ms, tested in %.1f ms\n", 1e3 * run->read_seconds,
                 1e3 * run->build_seconds, 1e3 * run->test_seconds);
}

static void result_print_json(const ccd_run *run)
{
    const mesh_file *mesh = &run->frames[0];
    const size_t all = tact_mesh_sweep_count(run->sweep);
    size_t count[2];
    count_kinds(run->sweep, count);
    (void)printf("{\"vertices\":%zu,\"triangles\":%zu", mesh->vertex_count, mesh->face_count);
    if (!run->options->first)
        (void)printf(",\"contacts\":%zu,\"vf\":%zu,\"ee\":%zu", all, count[0], count[1]);
    if (all == 0) {
        (void)printf(",\"hit\":false");
    } else {
        const sweep_contact *c = tact_mesh_sweep_contact(run->sweep, 0);
        (void)printf(",\"hit\":true,\"t\":[%.17g,%.17g]", c->ccd.lower, c->ccd.upper);
        if (c->kind == TACT_VERTEX_FACE)
            (void)printf(",\"vertex\":%lu,\"face\":%lu", (unsigned long)c->index[0], (unsigned long)c->index[1]);
        else
            (void)printf(",\"edges\":[[%lu,%lu],[%lu,%lu]]", (unsigned long)c->index[0], (unsigned long)c->index[1],
                         (unsigned long)c->index[2], (unsigned long)c->index[3]);
    }
    (void)printf(",\"seconds\":{\"read\":%.6g,\"build\":%.6g,\"test\":%.6g}}\n", run->read_seconds, run->build_seconds,
                 run->test_seconds);
}

static int ccd_run_files(const ccd_options *options)
{
    ccd_run run = {.options = options};
    progress_bar bar = tact_progress_begin(3.0);
    tact_progress_label(&bar, "reading", options->paths[0]);
    bool good = frames_read(&run);
    if (good) {
        tact_progress_label(&bar, "testing", options->paths[1]);
        tact_progress_set(&bar, 1.0);
        good = contacts_find(&run);
    }
    tact_progress_end(&bar);
    if (good && options->pairs)
        good = pairs_write(&run);
    if (good && options->json)
        result_print_json(&run);
    else if (good)
        result_print(&run);
    tact_mesh_sweep_release(run.sweep);
    tact_mesh_file_release(&run.frames[0]);
    tact_mesh_file_release(&run.frames[1]);
    return good ? 0 : 1;
}

int tact_ccd_command(int argc, char **argv)
{
    ccd_options options = {.pairs = NULL};
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            if (options.path_count == 2)
                return tact_help_usage("ccd", "there are more than two frames: %s", word);
            options.paths[options.path_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return tact_help_command("ccd");
        } else if (strcmp(word, "--first") == 0) {
            options.first = true;
        } else if (strcmp(word, "--json") == 0) {
            options.json = true;
        } else if (strcmp(word, "--pairs") == 0) {
            if (tact_option_output("ccd", "--pairs", value, &options.pairs) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--threads") == 0) {
            if (tact_option_threads("ccd", value, &options.threads) != 0)
                return 2;
            i++;
        } else {
            return tact_help_usage("ccd", "there is no option %s", word);
        }
    }
    if (options.path_count < 2)
        return tact_help_usage("ccd", "two frames are needed: tact ccd T0 T1");
    for (int i = 0; i < 2; i++)
        if (options.pairs && tact_is_same_file(options.pairs, options.paths[i]))
            return tact_help_usage("ccd", "--pairs %s would overwrite a frame", options.pairs);
    return ccd_run_files(&options);
}
