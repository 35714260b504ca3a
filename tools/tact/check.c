/*
 * The command: reads the files, checks each mesh, tests all pairs of meshes, and prints the result. A NURBS shape is
 * checked by its triangles; the faces of a CAD file are such a shape. In a pair it is a NURBS shape: the test and the
 * distance are those of its surfaces.
 */
/* POSIX, for stat. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tact/nurbs.h>

#include "check_capture.h"
#include "check_model.h"
#include "command_line.h"
#include "error_line.h"
#include "file_shape.h"
#include "help.h"
#include "mesh_file.h"
#include "mesh_file_number.h"
#include "nesting.h"
#include "nurbs_file.h"
#include "progress_bar.h"
#include "shape/mesh.h"
#include "shape/topology.h"
#include "surface_pairs.h"

/* Pairs of faces that the text output lists for each mesh; --limit and --all change it. */
#define DEFAULT_LIMIT 10

typedef struct check_options {
    bool json, solid, limited;
    size_t limit;
    double tolerance; /* of CAD files; 0: the default */
    int threads;      /* 0: all */
    const char **paths;
    size_t path_count;
    run_paths run; /* the run, and the page that shows it */
    bool faces;    /* models: as meshes, by their faces */
    bool adjacent; /* models: test bodies at a joint, too */
    joint_position *joints;
    size_t joint_count;
} check_options;

/* Estimated cost of each stage in units of one byte read; testing two files against each other costs 1. The estimates
 * affect only the progress bar. */
enum { COST_READ = 1, COST_BUILD = 3, COST_TEST = 12 };

/* Estimated pairs of overlapping boxes per triangle. It affects only the progress bar. */
#define PAIRS_PER_TRIANGLE 10.0

typedef struct check_work {
    const check_options *options;
    check_result *result;
    progress_bar bar;
    double done;        /* cost of the completed stages */
    double stage_cost;  /* of the current stage */
    double stage_pairs; /* estimated number of pairs that it tests */
} check_work;

/* ---- progress bar ---- */

static void stage_begin(check_work *w, const char *action, const char *object, double cost, double pairs)
{
    w->stage_cost = cost;
    w->stage_pairs = pairs;
    tact_progress_label(&w->bar, action, object);
}

static void stage_progress(void *context, double tested_pairs)
{
    check_work *w = context;
    double fraction = tested_pairs < w->stage_pairs ? tested_pairs / w->stage_pairs : 1.0;
    tact_progress_set(&w->bar, w->done + fraction * w->stage_cost);
}

static void stage_end(check_work *w)
{
    w->done += w->stage_cost;
    tact_progress_set(&w->bar, w->done);
}

/* ---- reading and testing ---- */

/* Prints an error. Always returns false. */
static bool error_print(check_work *w, const char *path, const char *reason)
{
    tact_progress_end(&w->bar);
    (void)tact_error_line("%s: %s", path ? path : "tact check", reason);
    return false;
}

static bool nurbs_read(check_work *w, check_file *file)
{
    char error[MESH_FILE_ERROR];
    const double start = tact_clock_now();
    stage_begin(w, "reading", file->path, (COST_READ + COST_BUILD) * file->bytes, 1.0);
    file->cad = tact_cad_file_is(file->path);
    file->shape = file->cad
                      ? tact_cad_file_read(file->path, w->options->tolerance, &file->conversion, error, sizeof error)
                      : tact_nurbs_file_read(file->path, error, sizeof error);
    if (!file->shape) {
        tact_progress_end(&w->bar);
        (void)tact_error_line("%s", error);
        return false;
    }
    file->nurbs = true;
    file->format = file->cad ? "CAD, read by Open CASCADE, in millimetres" : "NURBS";
    file->surfaces = tact_nurbs_get_surface_count(file->shape);
    for (size_t i = 0; i < file->surfaces; i++) {
        tact_nurbs_def def = {0};
        (void)tact_nurbs_get_surface(file->shape, i, &def);
        file->trimmed = file->trimmed || def.trim_count > 0;
    }
    file->error = tact_nurbs_get_error(file->shape);
    file->size = tact_mesh_get_size(file->shape);
    file->build_seconds = tact_clock_now() - start;
    stage_end(w);
    return true;
}

static bool file_read(check_work *w, check_file *file)
{
    if (tact_nurbs_file_is(file->path) || tact_cad_file_is(file->path))
        return nurbs_read(w, file);
    mesh_file content;
    char error[MESH_FILE_ERROR];
    tact_report report;
    double start = tact_clock_now();
    stage_begin(w, "reading", file->path, COST_READ * file->bytes, 1.0);
    if (!tact_mesh_file_read(file->path, &content, error, sizeof error)) {
        tact_progress_end(&w->bar);
        (void)tact_error_line("%s", error);
        return false;
    }
    file->read_seconds = tact_clock_now() - start;
    stage_end(w);
    start += file->read_seconds;
    stage_begin(w, "building", file->path, COST_BUILD * file->bytes, 1.0);
    file->format = content.format;
    file->skipped = content.skipped_count;
    file->shape = tact_file_shape(&content, true, false, &report);
    tact_mesh_file_release(&content);
    if (!file->shape)
        return error_print(w, file->path, report.text);
    file->size = tact_mesh_get_size(file->shape);
    file->build_seconds = tact_clock_now() - start;
    stage_end(w);
    return true;
}

static face_pairs_def pairs_def(check_work *w)
{
    return (face_pairs_def){{NULL, NULL, w->options->threads}, stage_progress, w};
}

/* As tact_mesh_check, but multithreaded and with the list of intersecting faces. */
static bool file_check(check_work *w, check_file *file)
{
    const mesh *m = file->shape->mesh;
    const tact_allocator standard = {NULL, NULL};
    const face_pairs_def def = pairs_def(w);
    double start = tact_clock_now();
    stage_begin(w, "testing", file->path, COST_TEST * file->bytes, PAIRS_PER_TRIANGLE * (double)m->element_count);
    file->findings.status =
        tact_topology_check(m->vertices, m->vertex_count, m->indices, m->element_count, &standard, &file->findings);
    file->findings.closed = file->findings.closed || (file->cad && m->solid); /* proved, though vertices may coincide */
    if (file->findings.status == TACT_OK && !file->trimmed) /* edges of trimmed surfaces are not joined */
        file->findings.status =
            tact_face_pairs_inside(file->shape, &def, &file->intersections, &file->findings.self_intersections);
    if (file->findings.status == TACT_OK && !file->trimmed && (file->findings.closed || w->options->solid))
        file->findings.status = tact_nesting_count_own(file->shape, &file->intersections, &file->nested);
    if (file->findings.status != TACT_OK)
        return error_print(w, file->path, tact_status_text(file->findings.status));
    file->shape->mesh->solid = file->findings.closed || w->options->solid || (file->nurbs && m->solid);
    file->test_seconds = tact_clock_now() - start;
    stage_end(w);
    return true;
}

/* A pair with NURBS. Closed surfaces are solid, so that one inside the other touches it. */
static tact_status surfaces_test(const check_file *a, const check_file *b, check_pair *pair)
{
    const tact_transform at = tact_identity();
    pair->nurbs = true;
    const tact_overlap overlap = tact_shapes_overlap(a->shape, at, b->shape, at, NULL);
    pair->touch = overlap.state == TACT_HIT;
    pair->distance = tact_shapes_distance(a->shape, at, b->shape, at);
    if (overlap.status != TACT_OK || pair->distance.status != TACT_OK)
        return overlap.status == TACT_OK ? pair->distance.status : overlap.status;
    return pair->touch && a->nurbs && b->nurbs ? tact_surface_pairs_between(a->shape, b->shape, &pair->intersections)
                                               : TACT_OK;
}

static bool pair_test(check_work *w, check_pair *pair)
{
    const check_file *a = &w->result->files[pair->a], *b = &w->result->files[pair->b];
    const face_pairs_def def = pairs_def(w);
    double start = tact_clock_now();
    stage_begin(w, "testing against others", a->path, a->bytes + b->bytes,
                PAIRS_PER_TRIANGLE * (double)(a->size.triangles + b->size.triangles));
    tact_status status = a->nurbs || b->nurbs ? surfaces_test(a, b, pair)
                                              : tact_face_pairs_between(a->shape, b->shape, &def, &pair->intersections);
    if (pair->nurbs && status == TACT_OK) {
        pair->seconds = tact_clock_now() - start;
        stage_end(w);
        return true;
    }
    if (status == TACT_OK && (a->findings.closed || w->options->solid))
        status = tact_nesting_count(b->shape, a->shape, &pair->intersections, true, &pair->b_inside_a);
    if (status == TACT_OK && (b->findings.closed || w->options->solid))
        status = tact_nesting_count(a->shape, b->shape, &pair->intersections, false, &pair->a_inside_b);
    if (status != TACT_OK)
        return error_print(w, a->path, tact_status_text(status));
    pair->seconds = tact_clock_now() - start;
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
        if (!file_check(w, &r->files[i]))
            return false;
    for (size_t i = 0; i < r->pair_count; i++)
        if (!pair_test(w, &r->pairs[i]))
            return false;
    return true;
}

/* ---- the command ---- */

static void result_release(check_result *r)
{
    for (size_t i = 0; r->files && i < r->file_count; i++) {
        tact_shape_release(r->files[i].shape);
        tact_face_pairs_release(&r->files[i].intersections);
    }
    for (size_t i = 0; r->pairs && i < r->pair_count; i++)
        tact_face_pairs_release(&r->pairs[i].intersections);
    free(r->files);
    free(r->pairs);
}

/* Creates the empty result; false if memory runs out. `work` is the total cost for the progress bar. */
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
        struct stat status;
        r->files[i].path = options->paths[i];
        r->files[i].bytes = stat(options->paths[i], &status) == 0 ? (double)status.st_size : 0.0;
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
    double work = 0.0, start = tact_clock_now();
    bool good = result_begin(&result, options, &work);
    w.bar = tact_progress_begin(work);
    good = good ? work_run(&w) : error_print(&w, NULL, "out of memory");
    tact_progress_end(&w.bar);
    if (good) {
        result.seconds = tact_clock_now() - start;
        if (options->json)
            tact_check_print_json(&result, options->limited ? options->limit : CHECK_ALL);
        else
            tact_check_print(&result, options->limited ? options->limit : DEFAULT_LIMIT);
        good = tact_check_capture(&result, &options->run);
    }
    result_release(&result);
    return good ? 0 : 1;
}

/* Reads the value of --tolerance. Returns 0, or the exit status 2 after reporting wrong usage. */
static int tolerance_read(const char *text, double *tolerance)
{
    const char *end = text ? tact_decimal_read(text, tolerance) : NULL;
    return end && *end == '\0' && *tolerance > 0.0 && isfinite(*tolerance)
               ? 0
               : tact_option_usage("check", "--tolerance", "a positive length in millimetres", text);
}

/* Reads the value of --joint: NAME=VALUE. The name is cut off from the value. */
static int joint_read(check_options *options, char *text)
{
    char *equals = text ? strrchr(text, '=') : NULL;
    double value;
    const char *end = equals ? tact_decimal_read(equals + 1, &value) : NULL;
    if (!end || *end != '\0' || !isfinite(value) || equals == text)
        return tact_option_usage("check", "--joint", "NAME=VALUE, in radians or a length", text);
    *equals = '\0';
    options->joints[options->joint_count++] = (joint_position){text, value, false};
    return 0;
}

/* Checks the files by their bodies. */
static int models_run(const check_options *options)
{
    return tact_check_models(&(check_model_options){
        .paths = options->paths,
        .path_count = options->path_count,
        .model = {options->joints, options->joint_count},
        .adjacent = options->adjacent,
        .json = options->json,
        .limit = options->limited ? options->limit : DEFAULT_LIMIT,
        .tolerance = options->tolerance,
        .run = options->run,
    });
}

int tact_check_command(int argc, char **argv)
{
    check_options options = {0};
    bool options_ended = false;
    unsigned long long number;
    options.paths = calloc((size_t)argc, sizeof *options.paths);
    options.joints = calloc((size_t)argc, sizeof *options.joints);
    if (!options.paths || !options.joints) {
        free(options.paths);
        free(options.joints);
        (void)tact_error_line("tact check: out of memory");
        return 1;
    }
    int status = 0;
    for (int i = 1; i < argc && status == 0; i++) {
        const char *word = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            options.paths[options.path_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            free(options.paths);
            free(options.joints);
            return tact_help_command("check");
        } else if (strcmp(word, "--json") == 0) {
            options.json = true;
        } else if (strcmp(word, "--solid") == 0) {
            options.solid = true;
        } else if (strcmp(word, "--all") == 0) {
            options.limited = true;
            options.limit = CHECK_ALL;
        } else if (strcmp(word, "--faces") == 0) {
            options.faces = true;
        } else if (strcmp(word, "--adjacent") == 0) {
            options.adjacent = true;
        } else if (strcmp(word, "--joint") == 0) {
            status = joint_read(&options, i + 1 < argc ? argv[i + 1] : NULL);
            i++;
        } else if (strcmp(word, "--limit") == 0) {
            if (!tact_option_count(value, CHECK_ALL - 1, &number))
                status = tact_option_usage("check", "--limit", "a number of pairs", value);
            else
                options.limit = (size_t)number;
            options.limited = true;
            i++;
        } else if (strcmp(word, "--tolerance") == 0) {
            status = tolerance_read(value, &options.tolerance);
            i++;
        } else if (strcmp(word, "--save") == 0) {
            status = tact_option_output("check", word, value, &options.run.save);
            i++;
        } else if (strcmp(word, "--view") == 0) {
            status = tact_option_output("check", word, value, &options.run.view);
            i++;
        } else if (strcmp(word, "--threads") == 0) {
            status = tact_option_threads("check", value, &options.threads);
            i++;
        } else {
            status = tact_help_usage("check", "there is no option %s", word);
        }
    }
    if (status == 0 && options.path_count == 0)
        status = tact_help_usage("check", "a mesh file is missing");
    for (size_t i = 0; i < options.path_count && status == 0; i++) {
        const char *const outputs[] = {options.run.save, options.run.view};
        for (int k = 0; k < 2 && status == 0; k++)
            if (outputs[k] && tact_is_same_file(outputs[k], options.paths[i]))
                status =
                    tact_help_usage("check", "%s %s would overwrite a mesh", k == 0 ? "--save" : "--view", outputs[k]);
    }
    const bool has_model = status == 0 && !options.faces && tact_check_has_model(options.paths, options.path_count);
    if (has_model && options.solid)
        status = tact_help_usage("check", "--solid is for meshes: those of models are solid if they are closed");
    if (status == 0 && !has_model && (options.joint_count > 0 || options.adjacent))
        status =
            tact_help_usage("check", "%s is for models with joints: URDF", options.adjacent ? "--adjacent" : "--joint");
    if (status == 0)
        status = has_model ? models_run(&options) : check_run(&options);
    free(options.paths);
    free(options.joints);
    return status;
}
