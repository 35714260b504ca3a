#include "nurbs_read.h"

#include <math.h>
#include <stdlib.h>
#include <tact/nurbs.h>

#include "cad_file.h"
#include "mesh_file.h"
#include "mesh_read.h"

/* A surface with the arrays that its def points to. */
typedef struct surface_input {
    double *knots[2];
    tact_vec3 *points;
    double *weights;
    tact_nurbs_loop *loops; /* those of the trimming loops belong to the input too */
    size_t loop_count;
} surface_input;

static void loops_free(tact_nurbs_loop *loops, size_t count)
{
    for (size_t i = 0; loops != NULL && i < count; i++) {
        for (size_t j = 0; j < loops[i].curve_count; j++) {
            free((void *)loops[i].curves[j].knots);
            free((void *)loops[i].curves[j].points);
            free((void *)loops[i].curves[j].weights);
        }
        free((void *)loops[i].curves);
    }
    free(loops);
}

static void inputs_free(surface_input *inputs, size_t count)
{
    for (size_t i = 0; inputs != NULL && i < count; i++) {
        free(inputs[i].knots[0]);
        free(inputs[i].knots[1]);
        free(inputs[i].points);
        free(inputs[i].weights);
        loops_free(inputs[i].loops, inputs[i].loop_count);
    }
    free(inputs);
}

/* Reads the member `key`: two integers from `least` to `most`. */
static bool integers_read(const json_t *object, const tact_json_path *where, const char *key, double least, double most,
                          double numbers[2], tact_input_error *error)
{
    const json_t *value;
    const tact_json_path at = {where, key, 0};
    if (!tact_json_member(object, where, key, &value, error) || !tact_json_numbers(value, &at, numbers, 2, error))
        return false;
    for (size_t i = 0; i < 2; i++) {
        const tact_json_path item = {&at, NULL, i};
        if (numbers[i] != floor(numbers[i]) || numbers[i] < least || numbers[i] > most)
            return tact_input_error_set(error, &item, "must be an integer from %.0f to %.0f, not %.17g", least, most,
                                        numbers[i]);
    }
    return true;
}

/* Reads an array of exactly `count` numbers, which `what` explains; on success the caller frees *numbers. */
static bool array_read(const json_t *value, const tact_json_path *where, size_t count, const char *what,
                       double **numbers, tact_input_error *error)
{
    if (!tact_json_array(value, where, "numbers", error))
        return false;
    if (json_array_size(value) != count)
        return tact_input_error_set(error, where, "must have %zu numbers, %s, not %zu", count, what,
                                    json_array_size(value));
    double *list = calloc(count ? count : 1, sizeof *list);
    if (!list)
        return tact_input_error_set(error, NULL, "out of memory");
    if (!tact_json_numbers(value, where, list, count, error)) {
        free(list);
        return false;
    }
    *numbers = list;
    return true;
}

static bool knots_read(const json_t *object, const tact_json_path *where, const tact_nurbs_def *def,
                       surface_input *input, tact_input_error *error)
{
    const json_t *value;
    const tact_json_path at = {where, "knots", 0};
    if (!tact_json_member(object, where, "knots", &value, error))
        return false;
    if (!json_is_array(value) || json_array_size(value) != 2)
        return tact_input_error_set(error, &at, "must be an array of 2 arrays of numbers, along u and v");
    for (size_t d = 0; d < 2; d++) {
        const tact_json_path item = {&at, NULL, d};
        if (!array_read(json_array_get(value, d), &item, def->counts[d] + (size_t)def->degree[d] + 1,
                        "count + degree + 1", &input->knots[d], error))
            return false;
    }
    return true;
}

/* Reads an array of control points [u,v]; on success the caller frees *points. */
static bool plane_points_read(const json_t *value, const tact_json_path *where, double (**points)[2], size_t *count,
                              tact_input_error *error)
{
    if (!tact_json_array(value, where, "points [u,v]", error))
        return false;
    *count = json_array_size(value);
    double(*list)[2] = calloc(*count ? *count : 1, sizeof *list);
    if (!list)
        return tact_input_error_set(error, NULL, "out of memory");
    for (size_t i = 0; i < *count; i++) {
        const tact_json_path item = {where, NULL, i};
        if (!tact_json_numbers(json_array_get(value, i), &item, list[i], 2, error)) {
            free(list);
            return false;
        }
    }
    *points = list;
    return true;
}

/* Reads a trimming curve; the caller frees its arrays, also on failure. */
static bool curve_read(const json_t *object, const tact_json_path *where, tact_nurbs_curve *curve,
                       tact_input_error *error)
{
    static const char *const keys[] = {"degree", "knots", "points", "weights"};
    const json_t *value;
    const tact_json_path at_degree = {where, "degree", 0}, at_knots = {where, "knots", 0},
                         at_points = {where, "points", 0}, at_weights = {where, "weights", 0};
    double degree, *knots = NULL, *weights = NULL, (*points)[2] = NULL;
    if (!tact_json_object(object, where, "a trimming curve", keys, sizeof keys / sizeof *keys, error) ||
        !tact_json_member(object, where, "degree", &value, error) ||
        !tact_json_number(value, &at_degree, &degree, error))
        return false;
    if (degree != floor(degree) || degree < 1.0 || degree > TACT_NURBS_MAX_DEGREE)
        return tact_input_error_set(error, &at_degree, "must be an integer from 1 to %d, not %.17g",
                                    TACT_NURBS_MAX_DEGREE, degree);
    curve->degree = (int)degree;
    if (!tact_json_member(object, where, "points", &value, error) ||
        !plane_points_read(value, &at_points, &points, &curve->count, error))
        return false;
    curve->points = (const double(*)[2])points;
    if (curve->count < (size_t)curve->degree + 1)
        return tact_input_error_set(error, &at_points, "must have at least %d points, the degree plus 1, not %zu",
                                    curve->degree + 1, curve->count);
    if (!tact_json_member(object, where, "knots", &value, error) ||
        !array_read(value, &at_knots, curve->count + (size_t)curve->degree + 1, "points + degree + 1", &knots, error))
        return false;
    curve->knots = knots;
    value = json_object_get(object, "weights");
    if (value && !array_read(value, &at_weights, curve->count, "one of each point", &weights, error))
        return false;
    curve->weights = weights;
    return true;
}

/* Reads the trimming loops of a surface; none if the array is empty. */
static bool trims_read(const json_t *value, const tact_json_path *where, surface_input *input, tact_input_error *error)
{
    if (!tact_json_array(value, where, "trimming loops", error))
        return false;
    const size_t count = json_array_size(value);
    if (count == 0)
        return tact_input_error_set(error, where, "must not be empty");
    input->loops = calloc(count, sizeof *input->loops);
    if (!input->loops)
        return tact_input_error_set(error, NULL, "out of memory");
    for (; input->loop_count < count; input->loop_count++) {
        const json_t *list = json_array_get(value, input->loop_count);
        const tact_json_path at = {where, NULL, input->loop_count};
        if (!tact_json_array(list, &at, "trimming curves", error))
            return false;
        const size_t curve_count = json_array_size(list);
        if (curve_count == 0)
            return tact_input_error_set(error, &at, "must not be empty");
        tact_nurbs_curve *curves = calloc(curve_count, sizeof *curves);
        if (!curves)
            return tact_input_error_set(error, NULL, "out of memory");
        bool good = true;
        for (size_t i = 0; good && i < curve_count; i++) {
            const tact_json_path item = {&at, NULL, i};
            good = curve_read(json_array_get(list, i), &item, &curves[i], error);
        }
        input->loops[input->loop_count] = (tact_nurbs_loop){curves, curve_count};
        if (!good) {
            input->loop_count++; /* so that it is freed */
            return false;
        }
    }
    return true;
}

/* Reads one surface into a def whose tolerance is set; the caller frees the input, also on failure. */
static bool surface_read(const json_t *object, const tact_json_path *where, tact_nurbs_def *def, surface_input *input,
                         tact_input_error *error)
{
    double degree[2], counts[2];
    if (!integers_read(object, where, "degree", 1.0, TACT_NURBS_MAX_DEGREE, degree, error) ||
        !integers_read(object, where, "counts", 2.0, 1e9, counts, error))
        return false;
    const json_t *value;
    const tact_json_path at_counts = {where, "counts", 0}, at_points = {where, "points", 0},
                         at_weights = {where, "weights", 0}, at_trims = {where, "trims", 0};
    for (size_t d = 0; d < 2; d++) {
        const tact_json_path item = {&at_counts, NULL, d};
        if (counts[d] < degree[d] + 1.0)
            return tact_input_error_set(error, &item, "must be at least %.0f, the degree plus 1, not %.0f",
                                        degree[d] + 1.0, counts[d]);
        def->degree[d] = (int)degree[d];
        def->counts[d] = (size_t)counts[d];
    }
    size_t count;
    if (!tact_json_member(object, where, "points", &value, error) ||
        !tact_json_points(value, &at_points, &input->points, &count, error))
        return false;
    if (counts[0] * counts[1] != (double)count) /* then the product is exact */
        return tact_input_error_set(error, &at_points, "must have %.0f points, %.0f times %.0f, not %zu",
                                    counts[0] * counts[1], counts[0], counts[1], count);
    if (!knots_read(object, where, def, input, error))
        return false;
    value = json_object_get(object, "weights");
    if (value && !array_read(value, &at_weights, count, "one of each point", &input->weights, error))
        return false;
    def->points = input->points;
    def->weights = input->weights;
    def->knots[0] = input->knots[0];
    def->knots[1] = input->knots[1];
    value = json_object_get(object, "trims");
    if (value && !trims_read(value, &at_trims, input, error))
        return false;
    def->trims = input->loops;
    def->trim_count = input->loop_count;
    return tact_json_optional_length(object, where, "tolerance", &def->tolerance, error);
}

/* Reads `count` surfaces: the elements of `list`, or without a list the object itself. */
static bool surfaces_read(const json_t *object, const json_t *list, const tact_json_path *where, size_t count,
                          tact_nurbs_def *defs, surface_input *inputs, tact_input_error *error)
{
    static const char *const keys[] = {"degree", "counts", "knots", "points", "weights", "tolerance", "trims"};
    const tact_json_path at = {where, "surfaces", 0};
    if (!list)
        return surface_read(object, where, &defs[0], &inputs[0], error);
    for (size_t i = 0; i < count; i++) {
        const json_t *surface = json_array_get(list, i);
        const tact_json_path item = {&at, NULL, i};
        if (!tact_json_object(surface, &item, "a surface", keys, sizeof keys / sizeof *keys, error) ||
            !surface_read(surface, &item, &defs[i], &inputs[i], error))
            return false;
    }
    return true;
}

/* Reads the edges that surfaces share: pairs of [surface, loop, curve]. On success the caller frees *edges. */
static bool edges_read(const json_t *value, const tact_json_path *where, tact_nurbs_edge **edges, size_t *count,
                       tact_input_error *error)
{
    if (!tact_json_array(value, where, "edges [[surface,loop,curve],[surface,loop,curve]]", error))
        return false;
    *count = json_array_size(value);
    tact_nurbs_edge *list = calloc(*count ? *count : 1, sizeof *list);
    if (!list)
        return tact_input_error_set(error, NULL, "out of memory");
    bool good = true;
    for (size_t i = 0; good && i < *count; i++) {
        const tact_json_path at = {where, NULL, i};
        const json_t *pair = json_array_get(value, i);
        if (!json_is_array(pair) || json_array_size(pair) != 2)
            good = tact_input_error_set(error, &at, "must be an array of 2 arrays [surface,loop,curve]");
        for (size_t k = 0; good && k < 2; k++) {
            const tact_json_path item = {&at, NULL, k};
            double numbers[3];
            good = tact_json_numbers(json_array_get(pair, k), &item, numbers, 3, error);
            for (size_t n = 0; good && n < 3; n++)
                if (!(numbers[n] == floor(numbers[n]) && numbers[n] >= 0.0 && numbers[n] <= 1e9))
                    good =
                        tact_input_error_set(error, &item, "must be three integers from 0 on, not %.17g", numbers[n]);
            if (good) {
                list[i].surface[k] = (uint32_t)numbers[0];
                list[i].loop[k] = (uint32_t)numbers[1];
                list[i].curve[k] = (uint32_t)numbers[2];
            }
        }
    }
    if (good)
        *edges = list;
    else
        free(list);
    return good;
}

/* Reads the CAD file that the member "file" names. */
static tact_shape *file_read(const json_t *object, const json_t *value, const tact_json_path *where, double margin,
                             mesh_cache *cache, tact_input_error *error)
{
    static const char *const others[] = {"degree", "counts",   "knots",     "points", "weights",
                                         "trims",  "surfaces", "tolerance", "solid",  "edges"};
    const tact_json_path at = {where, "file", 0};
    const char *path;
    char reason[MESH_FILE_ERROR];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (json_object_get(object, others[i])) {
            (void)tact_input_error_set(error, where, "has a file and also %s: use one or the other", others[i]);
            return NULL;
        }
    if (!tact_json_text(value, &at, &path, error))
        return NULL;
    if (!tact_cad_file_is(path)) {
        (void)tact_input_error_set(error, &at, "must be a STEP or IGES file: .step, .stp, .iges or .igs");
        return NULL;
    }
    tact_shape *shape = tact_mesh_cache_get(cache, path, (mesh_sides){.solid = false}, reason, sizeof reason);
    if (!shape) {
        (void)tact_input_error_set(error, &at, "cannot be read: %s", reason);
        return NULL;
    }
    return tact_shape_add_margin(shape, margin, where, error);
}

tact_shape *tact_nurbs_read(const json_t *object, const tact_json_path *where, double margin, mesh_cache *cache,
                            tact_input_error *error)
{
    const json_t *file = json_object_get(object, "file");
    if (file)
        return file_read(object, file, where, margin, cache, error);
    static const char *const own[] = {"degree", "counts", "knots", "points", "weights", "trims"};
    const json_t *list = json_object_get(object, "surfaces"), *flag = json_object_get(object, "solid");
    const tact_json_path at = {where, "surfaces", 0}, at_solid = {where, "solid", 0}, at_edges = {where, "edges", 0};
    const json_t *edge_list = json_object_get(object, "edges");
    tact_nurbs_edge *edges = NULL;
    size_t edge_count = 0;
    tact_nurbs_def common = {.margin = margin};
    if ((flag && !tact_json_flag(flag, &at_solid, &common.solid, error)) ||
        !tact_json_optional_length(object, where, "tolerance", &common.tolerance, error) ||
        (list && !tact_json_array(list, &at, "surfaces", error)))
        return NULL;
    const size_t count = list ? json_array_size(list) : 1;
    if (count == 0) {
        (void)tact_input_error_set(error, &at, "must not be empty");
        return NULL;
    }
    for (size_t i = 0; list && i < sizeof own / sizeof *own; i++)
        if (json_object_get(object, own[i])) {
            (void)tact_input_error_set(error, where, "has surfaces and also %s: use one or the other", own[i]);
            return NULL;
        }
    tact_nurbs_def *defs = calloc(count, sizeof *defs);
    surface_input *inputs = calloc(count, sizeof *inputs);
    tact_shape *shape = NULL;
    if (!defs || !inputs) {
        (void)tact_input_error_set(error, NULL, "out of memory");
    } else {
        for (size_t i = 0; i < count; i++)
            defs[i] = common;
        if (surfaces_read(object, list, where, count, defs, inputs, error) &&
            (!edge_list || edges_read(edge_list, &at_edges, &edges, &edge_count, error))) {
            tact_report report;
            defs[0].edges = edges;
            defs[0].edge_count = edge_count;
            shape = tact_nurbs_create(defs, count, &report);
            if (!shape)
                (void)tact_shape_creation_failed(where, &report, error);
        }
    }
    inputs_free(inputs, count);
    free(defs);
    free(edges);
    return shape;
}
