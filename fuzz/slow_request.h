/* Requests of `tact query` and `tact serve` that only take long, which is no mistake. */
#ifndef TACT_FUZZ_SLOW_REQUEST_H
#define TACT_FUZZ_SLOW_REQUEST_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "moderate.h"

/* Whether all numbers of a value are small enough for motions; a string may hold a number too. */
static inline bool has_moderate_numbers(const json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_string(value))
        return strpbrk(json_string_value(value), "0123456789") == NULL;
    if (json_is_number(value))
        return fabs(json_number_value(value)) <= MODERATE_SPIN;
    json_object_foreach((json_t *)(uintptr_t)value, key, member) if (!has_moderate_numbers(member)) return false;
    json_array_foreach(value, i, member) if (!has_moderate_numbers(member)) return false;
    return true;
}

/* The smallest tolerance in a value, and its largest number. */
static inline void find_tolerance(const json_t *value, double *tolerance, double *largest)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_number(value))
        *largest = fmax(*largest, fabs(json_number_value(value)));
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        if (strcmp(key, "tolerance") == 0)
            *tolerance = json_is_number(member) ? fmin(*tolerance, json_number_value(member)) : 0.0;
        find_tolerance(member, tolerance, largest);
    }
    json_array_foreach(value, i, member) find_tolerance(member, tolerance, largest);
}

/* Millions of triangles take long, which is no mistake. */
static inline bool has_many_triangles(const json_t *root, const uint8_t *data, size_t size)
{
    double tolerance = INFINITY, largest = 0.0;
    bool nurbs = false;
    for (size_t i = 0; i + 5 <= size && !nurbs; ++i)
        nurbs = memcmp(data + i, "nurbs", 5) == 0;
    if (nurbs)
        find_tolerance(root, &tolerance, &largest);
    return nurbs && tolerance < 1e-3 * largest;
}

/* A time of impact takes long if something turns very often. `root` is the request, or NULL. */
static inline bool takes_long(const json_t *root, const uint8_t *data, size_t size)
{
    const char *op = json_string_value(json_object_get(root, "op"));
    return (op != NULL && strcmp(op, "toi") == 0 && !has_moderate_numbers(root)) ||
           (root != NULL && has_many_triangles(root, data, size));
}

#endif
