#include "nurbs_read.h"

#include <math.h>
#include <stdlib.h>
#include <tact/nurbs.h>

#include "mesh_read.h"

/* A surface with the arrays that its def points to. */
typedef struct surface_input {
    double *knots[2];
    tact_vec3 *points;
    double *weights;
} surface_input;

static void inputs_free(surface_input *inputs, size_t count)
{
    for (size_t i = 0; inputs != NULL && i < count; i++) {
        free(inputs[i].knots[0]);
        free(inputs[i].knots[1]);
        free(inputs[i].points);
        free(inputs[i].weights);
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

/* Reads one surface into a def whose tolerance is set; the caller frees the input, also on failure. */
static bool surface_read(const json_t *object, const tact_json_path *where, tact_nurbs_def *def, surface_input *input,
                         tact_input_error *error)
{
    double degree[2], counts[2];
    if (json_object_get(object, "trims"))
        return tact_input_error_set(error, where, "has trims, which are not supported yet");
    if (!integers_read(object, where, "degree", 1.0, TACT_NURBS_MAX_DEGREE, degree, error) ||
        !integers_read(object, where, "counts", 2.0, 1e9, counts, error))
        return false;
    const json_t *value;
    const tact_json_path at_counts = {where, "counts", 0}, at_points = {where, "points", 0},
                         at_weights = {where, "weights", 0};
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

tact_shape *tact_nurbs_read(const json_t *object, const tact_json_path *where, double margin, tact_input_error *error)
{
    static const char *const own[] = {"degree", "counts", "knots", "points", "weights", "trims"};
    const json_t *list = json_object_get(object, "surfaces"), *flag = json_object_get(object, "solid");
    const tact_json_path at = {where, "surfaces", 0}, at_solid = {where, "solid", 0};
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
        if (surfaces_read(object, list, where, count, defs, inputs, error)) {
            tact_report report;
            shape = tact_nurbs_create(defs, count, &report);
            if (!shape)
                (void)tact_shape_creation_failed(where, &report, error);
        }
    }
    inputs_free(inputs, count);
    free(defs);
    return shape;
}
