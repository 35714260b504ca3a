/*
 * Batch queries: the single queries over arrays, on several threads.
 *
 * Guarantee: each result is that of the single query and is written to its own element. So the results do not depend on
 * how the loop is divided or on the number of threads.
 */
#include <tact/query.h>

#include "core/work.h"

/* Items: the least number for one task. A query takes 100 ns to 1 us, waking a thread several us. Performance only. */
#define BATCH_MIN_ITEMS 256

typedef struct batch_query {
    const tact_pair *pairs;
    const tact_moving_pair *moving;
    const tact_shape *shape;
    tact_transform transform;
    const void *inputs;
    double number;
    void *output; /* `capacity` elements for each pair */
    size_t capacity;
    tact_cache *caches;
    const void *def;
    void *answers;
} batch_query;

/* Runs `task` over all items unless an array is missing. */
static tact_status run(const tact_parallel *parallel, size_t count, tact_task *task, batch_query *data,
                       const void *input)
{
    if (count == 0)
        return TACT_OK;
    if (input == NULL || data->answers == NULL)
        return TACT_BAD_ARGUMENT;
    tact_work_parallel_for(parallel, count, BATCH_MIN_ITEMS, task, data);
    return TACT_OK;
}

static void find_distances(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_distance *)b->answers)[i] = tact_shapes_distance(p->a, p->transform_a, p->b, p->transform_b);
    }
}

tact_status tact_distance_batch(const tact_pair *pairs, size_t count, tact_distance *answers,
                                const tact_parallel *parallel)
{
    batch_query b = {.pairs = pairs, .answers = answers};
    return run(parallel, count, find_distances, &b, pairs);
}

static void test_within(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_overlap *)b->answers)[i] = tact_shapes_within(p->a, p->transform_a, p->b, p->transform_b, b->number,
                                                             b->caches != NULL ? &b->caches[i] : NULL);
    }
}

tact_status tact_within_batch(const tact_pair *pairs, size_t count, double distance, tact_cache *caches,
                              tact_overlap *overlaps, const tact_parallel *parallel)
{
    batch_query b = {.pairs = pairs, .number = distance, .caches = caches, .answers = overlaps};
    return run(parallel, count, test_within, &b, pairs);
}

tact_status tact_overlap_batch(const tact_pair *pairs, size_t count, tact_cache *caches, tact_overlap *overlaps,
                               const tact_parallel *parallel)
{
    return tact_within_batch(pairs, count, 0.0, caches, overlaps, parallel);
}

static void find_common_points(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_common_point *)b->answers)[i] = tact_shapes_common_point(p->a, p->transform_a, p->b, p->transform_b,
                                                                        b->caches != NULL ? &b->caches[i] : NULL);
    }
}

tact_status tact_common_point_batch(const tact_pair *pairs, size_t count, tact_cache *caches, tact_common_point *points,
                                    const tact_parallel *parallel)
{
    batch_query b = {.pairs = pairs, .caches = caches, .answers = points};
    return run(parallel, count, find_common_points, &b, pairs);
}

static void find_penetrations(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_penetration *)b->answers)[i] = tact_shapes_penetration(p->a, p->transform_a, p->b, p->transform_b);
    }
}

tact_status tact_penetration_batch(const tact_pair *pairs, size_t count, tact_penetration *answers,
                                   const tact_parallel *parallel)
{
    batch_query b = {.pairs = pairs, .answers = answers};
    return run(parallel, count, find_penetrations, &b, pairs);
}

static void find_manifolds(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_manifold *)b->answers)[i] = tact_shapes_manifold(p->a, p->transform_a, p->b, p->transform_b, b->number);
    }
}

tact_status tact_manifold_batch(const tact_pair *pairs, size_t count, double max_separation, tact_manifold *manifolds,
                                const tact_parallel *parallel)
{
    batch_query b = {.pairs = pairs, .number = max_separation, .answers = manifolds};
    return run(parallel, count, find_manifolds, &b, pairs);
}

static void find_contacts(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        tact_contact_point *points = b->capacity > 0 ? (tact_contact_point *)b->output + i * b->capacity : NULL;
        ((tact_contacts *)b->answers)[i] =
            tact_shapes_contacts(p->a, p->transform_a, p->b, p->transform_b, b->number, points, b->capacity);
    }
}

/* Whether `output` has elements for all pairs; a capacity of 0 needs none. */
static bool output_fits(const void *output, size_t capacity, size_t count)
{
    return count == 0 || capacity == 0 || (output != NULL && count <= SIZE_MAX / capacity);
}

tact_status tact_contacts_batch(const tact_pair *pairs, size_t count, double max_separation, tact_contact_point *points,
                                size_t capacity, tact_contacts *contacts, const tact_parallel *parallel)
{
    batch_query b = {
        .pairs = pairs, .number = max_separation, .output = points, .capacity = capacity, .answers = contacts};
    return output_fits(points, capacity, count) ? run(parallel, count, find_contacts, &b, pairs) : TACT_BAD_ARGUMENT;
}

static void find_intersections(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        tact_intersection *segments = b->capacity > 0 ? (tact_intersection *)b->output + i * b->capacity : NULL;
        ((tact_intersections *)b->answers)[i] =
            tact_shapes_intersections(p->a, p->transform_a, p->b, p->transform_b, segments, b->capacity);
    }
}

tact_status tact_intersections_batch(const tact_pair *pairs, size_t count, tact_intersection *segments, size_t capacity,
                                     tact_intersections *intersections, const tact_parallel *parallel)
{
    batch_query b = {.pairs = pairs, .output = segments, .capacity = capacity, .answers = intersections};
    return output_fits(segments, capacity, count) ? run(parallel, count, find_intersections, &b, pairs)
                                                  : TACT_BAD_ARGUMENT;
}

static void cast_rays(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_ray *r = &((const tact_ray *)b->inputs)[i];
        ((tact_ray_hit *)b->answers)[i] = tact_shape_ray(b->shape, b->transform, r->from, r->direction, r->max);
    }
}

tact_status tact_ray_batch(const tact_shape *shape, tact_transform transform, const tact_ray *rays, size_t count,
                           tact_ray_hit *hits, const tact_parallel *parallel)
{
    batch_query b = {.shape = shape, .transform = transform, .inputs = rays, .answers = hits};
    return run(parallel, count, cast_rays, &b, rays);
}

static void find_closest(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++)
        ((tact_closest *)b->answers)[i] = tact_shape_closest(b->shape, b->transform, ((const tact_vec3 *)b->inputs)[i]);
}

tact_status tact_closest_batch(const tact_shape *shape, tact_transform transform, const tact_vec3 *points, size_t count,
                               tact_closest *closest, const tact_parallel *parallel)
{
    batch_query b = {.shape = shape, .transform = transform, .inputs = points, .answers = closest};
    return run(parallel, count, find_closest, &b, points);
}

static void test_contains(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++)
        ((tact_overlap *)b->answers)[i] =
            tact_shape_contains(b->shape, b->transform, ((const tact_vec3 *)b->inputs)[i]);
}

tact_status tact_contains_batch(const tact_shape *shape, tact_transform transform, const tact_vec3 *points,
                                size_t count, tact_overlap *overlaps, const tact_parallel *parallel)
{
    batch_query b = {.shape = shape, .transform = transform, .inputs = points, .answers = overlaps};
    return run(parallel, count, test_contains, &b, points);
}

static void find_tois(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_moving_pair *m = &b->moving[i];
        ((tact_toi *)b->answers)[i] = tact_shapes_time_of_impact_with(
            m->pair.a, m->pair.transform_a, m->motion_a, m->pair.b, m->pair.transform_b, m->motion_b, b->def);
    }
}

tact_status tact_toi_batch(const tact_moving_pair *pairs, size_t count, const tact_toi_def *def, tact_toi *tois,
                           const tact_parallel *parallel)
{
    tact_toi_def default_def = tact_toi_def_default();
    batch_query b = {.moving = pairs, .def = def != NULL ? def : &default_def, .answers = tois};
    return run(parallel, count, find_tois, &b, pairs);
}

static void cast_shapes(void *data, size_t begin, size_t end)
{
    const batch_query *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_toi *)b->answers)[i] =
            tact_shapes_cast(p->a, p->transform_a, ((const tact_vec3 *)b->inputs)[i], p->b, p->transform_b);
    }
}

tact_status tact_cast_batch(const tact_pair *pairs, const tact_vec3 *paths, size_t count, tact_toi *tois,
                            const tact_parallel *parallel)
{
    batch_query b = {.pairs = pairs, .inputs = paths, .answers = tois};
    return run(parallel, count, cast_shapes, &b, pairs == NULL ? NULL : (const void *)paths);
}
