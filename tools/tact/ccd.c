/*
 * The command: reads two frames of a mesh, finds all contacts between them (sweep/sweep.h), prints their number and the
 * first one, and writes the list to a file on request. Vertices that no face uses take part as points. Two frames of a
 * NURBS shape are tessellated alike (surface_frames.h).
 */
#include "ccd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "contact_print.h"
#include "error_line.h"
#include "help.h"
#include "mesh_capture.h"
#include "mesh_file.h"
#include "nurbs_file.h"
#include "output_file.h"
#include "progress_bar.h"
#include "surface_frames.h"
#include "sweep/sweep.h"
#include "triangle_mesh.h"

typedef struct ccd_options {
    const char *paths[2];
    size_t path_count;
    const char *pairs; /* the file for the contacts; NULL: none */
    run_paths run;     /* the run, and the page that shows it */
    bool first, json;
    int threads; /* 0: all */
} ccd_options;

typedef struct ccd_run {
    const ccd_options *options;
    mesh_file frames[2];
    surface_frames surface; /* of a NURBS shape */
    mesh_sweep *sweep;
    double read_seconds, build_seconds, test_seconds;
} ccd_run;

/* Prints an error. Always returns false. */
static bool error_print(const char *path, const char *reason)
{
    (void)tact_error_line("%s: %s", path, reason);
    return false;
}

/* Prints the line of an error. Always returns false. */
static bool line_print(const char *line)
{
    (void)tact_error_line("%s", line);
    return false;
}

/* ---- reading and testing ---- */

/* Reads two frames of a NURBS shape, and makes their meshes. */
static bool surfaces_read(ccd_run *run, char *error, size_t size)
{
    const char *const *paths = run->options->paths;
    surface_frames *s = &run->surface;
    s->shape = tact_nurbs_file_read(paths[0], error, size);
    tact_shape *end = s->shape ? tact_nurbs_file_read(paths[1], error, size) : NULL;
    bool good = end && tact_surface_match(s->shape, paths[0], end, paths[1], error, size);
    if (good) {
        const size_t count = tact_surface_point_count(s->shape);
        s->frame_count = 2;
        s->frames = malloc(2 * count * sizeof *s->frames);
        if (s->frames) {
            tact_surface_points(s->shape, s->frames);
            tact_surface_points(end, s->frames + count);
            good = tact_surface_frames_make(s, paths[1], &run->frames[0], error, size) &&
                   tact_surface_frames_make_last(s, paths[1], &run->frames[1], error, size);
        } else {
            (void)snprintf(error, size, "tact ccd: there is not enough memory");
            good = false;
        }
    }
    tact_shape_release(end);
    return good;
}

static bool frames_read(ccd_run *run)
{
    const char *const *paths = run->options->paths;
    const double start = tact_clock_now();
    char error[3 * MESH_FILE_ERROR];
    if (tact_nurbs_file_is(paths[0]) && tact_nurbs_file_is(paths[1])) {
        const bool good = surfaces_read(run, error, sizeof error);
        run->read_seconds = tact_clock_now() - start;
        return good || line_print(error);
    }
    for (int i = 0; i < 2; i++) {
        if (!tact_mesh_file_read(paths[i], &run->frames[i], error, sizeof error) ||
            !tact_triangle_mesh_check(&run->frames[i], paths[i], "tact ccd", error, sizeof error))
            return line_print(error);
    }
    run->read_seconds = tact_clock_now() - start;
    return tact_triangle_mesh_match(&run->frames[0], paths[0], &run->frames[1], paths[1], error, sizeof error) ||
           line_print(error);
}

static bool contacts_find(ccd_run *run)
{
    const mesh_file *mesh = &run->frames[0];
    double start = tact_clock_now();
    sweep_def def = sweep_def_default();
    uint32_t *points;
    def.vertices = tact_triangle_mesh_vertices(mesh);
    def.vertex_count = mesh->vertex_count;
    def.triangles = tact_triangle_mesh_faces(mesh);
    def.triangle_count = mesh->face_count;
    tact_status status = TACT_OUT_OF_MEMORY;
    if (tact_triangle_mesh_points(mesh, &points, &def.point_count)) {
        def.points = points;
        status = tact_mesh_sweep_create(&run->sweep, &def);
    }
    free(points);
    run->build_seconds = tact_clock_now() - start;
    start = tact_clock_now();
    if (status == TACT_OK) {
        const tact_parallel parallel = {.threads = run->options->threads};
        sweep_step step = sweep_step_default();
        step.start = tact_triangle_mesh_vertices(mesh);
        step.end = tact_triangle_mesh_vertices(&run->frames[1]);
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

/* Writes all contacts to the file of --pairs, one a line. */
static bool pairs_write(const ccd_run *run)
{
    output_file pairs;
    if (!tact_output_file_open(&pairs, run->options->pairs))
        return false;
    for (size_t i = 0; i < tact_mesh_sweep_count(run->sweep) && !ferror(pairs.file); i++)
        tact_contact_print_line(pairs.file, tact_mesh_sweep_contact(run->sweep, i));
    return tact_output_file_close(&pairs, true);
}

/* Writes the run of --save and --view: two frames at 0 and 1, and all contacts. */
static bool run_write(const ccd_run *run)
{
    mesh_capture capture;
    const mesh_file *frames = run->frames;
    if (!run->options->run.save && !run->options->run.view)
        return true;
    if (!tact_mesh_capture_open(&capture, &run->options->run, "ccd", run->options->paths[0], 0.0, 1.0, &frames[0],
                                tact_triangle_mesh_vertices(&frames[0])))
        return false;
    tact_mesh_capture_frame(&capture, 1.0, tact_triangle_mesh_vertices(&frames[1]));
    for (size_t i = 0; i < tact_mesh_sweep_count(run->sweep); i++)
        tact_mesh_capture_contact(&capture, tact_mesh_sweep_contact(run->sweep, i));
    return tact_mesh_capture_close(&capture, true);
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
                 mesh->vertex_count, tact_vertices_word(mesh->vertex_count), mesh->face_count,
                 mesh->face_count == 1 ? "" : "s");
    if (run->surface.made)
        (void)printf("  the triangles are within %.3g of the surfaces, at all times\n",
                     run->surface.tessellation.error);
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
        tact_contact_print_features(stdout, first);
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
    if (run->surface.made)
        (void)printf(",\"error\":%.17g", run->surface.tessellation.error);
    if (!run->options->first)
        (void)printf(",\"contacts\":%zu,\"vf\":%zu,\"ee\":%zu", all, count[0], count[1]);
    if (all == 0) {
        (void)printf(",\"hit\":false");
    } else {
        (void)printf(",\"hit\":true,");
        tact_contact_print_json(stdout, tact_mesh_sweep_contact(run->sweep, 0));
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
    good = good && run_write(&run);
    if (good && options->json)
        result_print_json(&run);
    else if (good)
        result_print(&run);
    tact_mesh_sweep_release(run.sweep);
    tact_mesh_file_release(&run.frames[0]);
    tact_mesh_file_release(&run.frames[1]);
    tact_surface_frames_release(&run.surface);
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
        } else if (strcmp(word, "--save") == 0) {
            if (tact_option_output("ccd", "--save", value, &options.run.save) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--view") == 0) {
            if (tact_option_output("ccd", "--view", value, &options.run.view) != 0)
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
    const char *const outputs[][2] = {
        {"--pairs", options.pairs}, {"--save", options.run.save}, {"--view", options.run.view}};
    for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++)
        for (int i = 0; i < 2; i++)
            if (outputs[k][1] && tact_is_same_file(outputs[k][1], options.paths[i]))
                return tact_help_usage("ccd", "%s %s would overwrite a frame", outputs[k][0], outputs[k][1]);
    return ccd_run_files(&options);
}
