/*
 * Which functions answer the queries about a shape, and about a pair of shapes, by shape class (shape/shape_data.h).
 *
 * A query checks its own arguments (NULL shapes first), then calls through one of the two tables. To add a shape class,
 * add a row and a column to the tables in dispatch.c. To give a pair of classes a faster path, write its functions and
 * set its entry.
 */
#ifndef TACT_QUERY_DISPATCH_H
#define TACT_QUERY_DISPATCH_H

#include <tact/query.h>

#include "shape/shape_data.h"
#include "toi/toi.h"

/* The queries about two shapes. The caller has checked shapes (not NULL), scalars and pointers, but not transforms. */
typedef struct pair_functions {
    tact_distance (*distance)(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                              const tact_transform *transform_b, const tact_distance_def *def);
    tact_overlap (*within)(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                           const tact_transform *transform_b, double distance, tact_cache *cache);
    tact_common_point (*common_point)(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, tact_cache *cache);
    tact_penetration (*penetration)(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b);
    tact_manifold (*manifold)(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                              const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                              tact_vec3 point);
    tact_contacts (*contacts)(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                              const tact_transform *transform_b, double max_separation, tact_contact_point *points,
                              size_t capacity);
    tact_intersections (*intersections)(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                        const tact_transform *transform_b, tact_intersection *segments,
                                        size_t capacity);
    void (*time_of_impact)(const toi_input *input, toi_output *output);
} pair_functions;

/* The queries about one shape. The caller has checked the same. */
typedef struct shape_functions {
    tact_ray_hit (*ray)(const tact_shape *shape, const tact_transform *transform, tact_vec3 from, tact_vec3 direction,
                        double max);
    tact_closest (*closest)(const tact_shape *shape, const tact_transform *transform, tact_vec3 from);
    tact_overlap (*contains)(const tact_shape *shape, const tact_transform *transform, tact_vec3 point);
} shape_functions;

extern const pair_functions *const tact_pair_table[SHAPE_CLASS_COUNT][SHAPE_CLASS_COUNT];
extern const shape_functions *const tact_shape_table[SHAPE_CLASS_COUNT];

static inline const pair_functions *pair_functions_of(const tact_shape *a, const tact_shape *b)
{
    return tact_pair_table[a->shape_class][b->shape_class];
}

static inline const shape_functions *shape_functions_of(const tact_shape *shape)
{
    return tact_shape_table[shape->shape_class];
}

#endif
