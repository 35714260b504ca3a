/* The command: reads the files, looks at each, then at every two, and prints. POSIX, for stat. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file_shape.h"
#include "help.h"
#include "mesh_file.h"
#include "nesting.h"
#include "progress.h"
#include "shape/mesh.h"
#include "shape/topology.h"

#define LIMIT_TEXT 10 /* pairs of faces listed for people, who have --all */

typedef struct check_options {
    bool json, solid, limited;
    size_t limit;
    int threads; /* 0: as many as there are */
    const char **paths;
    size_t path_count;
} check_options;

/* Work is counted in bytes of the files: a file is read, built, and tested at about these costs a byte; two files that
 * overlap in part are tested against each other at 1. For the bar alone. */
enum { COST_READ = 1, COST_BUILD = 3, COST_TEST = 12 };

/* Pairs of overlapping boxes a triangle has in an ordinary mesh, for the bar alone. */
#define PAIRS_A_TRIANGLE 10.0

typedef struct check_work {
    const check_options *options;
    check_result *result;
    progress bar;
    double done;               /* work of the stages behind us */
    double stage, stage_pairs; /* work of the present stage, and how many pairs it may come to */
} check_work;

/* ---- the bar ----------------------------------------------------------------------------------------------------- */

static void stage_begin(check_work *w, const char *verb, const char *thing, double work, double pairs)
{
    w->stage = work;
    w->stage_pairs = pairs;
    tact_progress_say(&w->bar, verb, thing);
}

static void stage_move(void *context, double looked_at)
{
    check_work *w = context;
    double part = looked_at < w->stage_pairs ? looked_at / w->stage_pairs : 1.0;
    tact_progress_to(&w->bar, w->done + part * w->stage);
}

static void stage_end(check_work *w)
{
    w->done += w->stage;
    tact_progress_to(&w->bar, w->done);
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

/* Says on stderr what is wrong. Always returns false. */
static bool complain(check_work *w, const char *path, const char *reason)
{
    tact_progress_end(&w->bar);
    (void)fprintf(stderr, "%s: %s\n", path ? path : "tact check", reason);
    return false;
}

static bool file_read(check_work *w, check_file *file)
{
    mesh_file content;
    char error[MESH_FILE_ERROR];
    tact_report report;
    double start = tact_clock_seconds();
    stage_begin(w, "reading", file->path, COST_READ * file->bytes, 1.0);
    if (!tact_mesh_file_read(file->path, &content, error, sizeof error)) {
        tact_progress_end(&w->bar);
        (void)fprintf(stderr, "%s\n", error);
        return false;
    }
    file->read_seconds = tact_clock_seconds() - start;
    stage_end(w);
    start += file->read_seconds;
    stage_begin(w, "building", file->path, COST_BUILD * file->bytes, 1.0);
    file->format = content.format;
    file->skipped = content.skipped_count;
    file->shape = tact_file_shape(&content, true, &report);
    tact_mesh_file_release(&content);
    if (!file->shape)
        return complain(w, file->path, report.text);
    file->size = tact_mesh_get_size(file->shape);
    file->build_seconds = tact_clock_seconds() - start;
    stage_end(w);
    return true;
}

static face_pairs_def pairs_def(check_work *w)
{
    return (face_pairs_def){{NULL, NULL, w->options->threads}, stage_move, w};
}

/* What tact_mesh_check finds, with the list of what intersects and on all threads. */
static bool file_test(check_work *w, check_file *file)
{
    const mesh *m = file->shape->mesh;
    const tact_allocator usual = {NULL, NULL};
    const face_pairs_def def = pairs_def(w);
    double start = tact_clock_seconds();
    stage_begin(w, "testing", file->path, COST_TEST * file->bytes, PAIRS_A_TRIANGLE * (double)m->element_count);
    file->findings.status =
        tact_topology_check(m->vertices, m->vertex_count, m->indices, m->element_count, &usual, &file->findings);
    if (file->findings.status == TACT_OK)
        file->findings.status =
            tact_face_pairs_inside(file->shape, &def, &file->crossings, &file->findings.self_intersections);
    if (file->findings.status == TACT_OK && (file->findings.closed || w->options->solid))
        file->findings.status = tact_nesting_count_own(file->shape, &file->crossings, &file->nested);
    if (file->findings.status != TACT_OK)
        return complain(w, file->path, tact_status_text(file->findings.status));
    file->test_seconds = tact_clock_seconds() - start;
    stage_end(w);
    return true;
}

static bool pair_test(check_work *w, check_pair *pair)
{
    const check_file *a = &w->result->files[pair->a], *b = &w->result->files[pair->b];
    const face_pairs_def def = pairs_def(w);
    double start = tact_clock_seconds();
    stage_begin(w, "testing against others", a->path, a->bytes + b->bytes,
                PAIRS_A_TRIANGLE * (double)(a->size.triangles + b->size.triangles));
    tact_status status = tact_face_pairs_between(a->shape, b->shape, &def, &pair->crossings);
    if (status == TACT_OK && (a->findings.closed || w->options->solid))
        status = tact_nesting_count(b->shape, a->shape, &pair->crossings, true, &pair->b_inside_a);
    if (status == TACT_OK && (b->findings.closed || w->options->solid))
        status = tact_nesting_count(a->shape, b->shape, &pair->crossings, false, &pair->a_inside_b);
    if (status != TACT_OK)
        return complain(w, a->path, tact_status_text(status));
    pair->seconds = tact_clock_seconds() - start;
    stage_end(w);
    return true;
}

static bool work_run(check_work *w)
{
    check_result *r = w->result;
    for (size_t i = 0; i < r->file_count; i++)
        if (!file_read(w, &r->files[i]))
            return false;
    for (size_t i = 0; i < r->file_count; i++)
        if (!file_test(w, &r->files[i]))
            return false;
    for (size_t i = 0; i < r->pair_count; i++)
        if (!pair_test(w, &r->pairs[i]))
            return false;
    return true;
}

/* ---- from the command line to the answer ------------------------------------------------------------------------- */

static void result_release(check_result *r)
{
    for (size_t i = 0; r->files && i < r->file_count; i++) {
        tact_shape_release(r->files[i].shape);
        tact_face_pairs_release(&r->files[i].crossings);
    }
    for (size_t i = 0; r->pairs && i < r->pair_count; i++)
        tact_face_pairs_release(&r->pairs[i].crossings);
    free(r->files);
    free(r->pairs);
}

/* Lays out the work to be done; false without memory. `work` is how much it is, for the bar. */
static bool result_begin(check_result *r, const check_options *options, double *work)
{
    *r = (check_result){.file_count = options->path_count, .pair_count = 0};
    r->files = calloc(r->file_count, sizeof *r->files);
    size_t pairs = r->file_count * (r->file_count - 1) / 2;
    r->pairs = calloc(pairs ? pairs : 1, sizeof *r->pairs);
    if (!r->files || !r->pairs)
        return false;
    *work = 0.0;
    for (size_t i = 0; i < r->file_count; i++) {
        struct stat about;
        r->files[i].path = options->paths[i];
        r->files[i].bytes = stat(options->paths[i], &about) == 0 ? (double)about.st_size : 0.0;
        /* read, built and tested, then tested against each of the others */
        *work += (double)(COST_READ + COST_BUILD + COST_TEST + (r->file_count - 1)) * r->files[i].bytes;
    }
    for (size_t a = 0; a < r->file_count; a++)
        for (size_t b = a + 1; b < r->file_count; b++)
            r->pairs[r->pair_count++] = (check_pair){.a = a, .b = b};
    return true;
}

static int check_run(const check_options *options)
{
    check_result result;
    check_work w = {.options = options, .result = &result};
    double work = 0.0, start = tact_clock_seconds();
    bool good = result_begin(&result, options, &work);
    w.bar = tact_progress_begin(work);
    good = good ? work_run(&w) : complain(&w, NULL, "out of memory");
    tact_progress_end(&w.bar);
    if (good) {
        result.seconds = tact_clock_seconds() - start;
        if (options->json)
            tact_check_print_json(&result, options->limited ? options->limit : CHECK_ALL);
        else
            tact_check_print(&result, options->limited ? options->limit : LIMIT_TEXT);
    }
    result_release(&result);
    return good ? 0 : 1;
}

/* A whole number without a sign, at most `most`. */
static bool number_read(const char *text, unsigned long long most, unsigned long long *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *number <= most;
}

int tact_check_command(int argc, char **argv)
{
    check_options options = {0};
    bool only_files = false;
    unsigned long long number;
    options.paths = calloc((size_t)argc, sizeof *options.paths);
    if (!options.paths) {
        (void)fprintf(stderr, "tact check: out of memory\n");
        return 1;
    }
    int status = 0;
    for (int i = 1; i < argc && status == 0; i++) {
        const char *word = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (only_files || word[0] != '-' || word[1] == '\0') {
            options.paths[options.path_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_files = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            free(options.paths);
            return tact_help_command("check");
        } else if (strcmp(word, "--json") == 0) {
            options.json = true;
        } else if (strcmp(word, "--solid") == 0) {
            options.solid = true;
        } else if (strcmp(word, "--all") == 0) {
            options.limited = true;
            options.limit = CHECK_ALL;
        } else if (strcmp(word, "--limit") == 0) {
            if (!number_read(value, CHECK_ALL - 1, &number))
                status = tact_help_usage("check", "--limit needs a number of pairs, not \"%.40s\"", value);
            options.limited = true;
            options.limit = (size_t)number;
            i++;
        } else if (strcmp(word, "--threads") == 0) {
            if (!number_read(value, 1024, &number) || number == 0)
                status = tact_help_usage("check", "--threads needs a number from 1 to 1024, not \"%.40s\"", value);
            options.threads = (int)number;
            i++;
        } else {
            status = tact_help_usage("check", "tact check has no option %s", word);
        }
    }
    if (status == 0 && options.path_count == 0)
        status = tact_help_usage("check", "which files? tact check FILE...");
    if (status == 0)
        status = check_run(&options);
    free(options.paths);
    return status;
}
