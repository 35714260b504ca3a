/*
 * The queries over arrays. Each item is handled by the single query alone and written to its own place, so the answers
 * cannot depend on how the loop is cut into ranges or on the number of threads.
 */
#include <tact/query.h>

#include "core/parallel.h"

/* Fewer items than this are not worth a thread: a query takes about 100 ns to 1 us, waking a thread several. */
#define BATCH_GRAIN 256

typedef struct batch {
    const tact_pair *pairs;
    const tact_moving_pair *moving;
    const tact_shape *shape;
    tact_transform at;
    const void *inputs;
    double number;
    void *lists; /* of `room` items for each pair */
    size_t room;
    tact_cache *caches;
    const void *def;
    void *answers;
} batch;

/* Runs `task` over all items unless an array is missing. */
static tact_status run(const tact_parallel *parallel, size_t count, tact_task *task, batch *data, const void *input)
{
    if (count == 0)
        return TACT_OK;
    if (input == NULL || data->answers == NULL)
        return TACT_BAD_ARGUMENT;
    tact_parallel_for(parallel, count, BATCH_GRAIN, task, data);
    return TACT_OK;
}

static void distances(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_distance *)b->answers)[i] = tact_shapes_distance(p->a, p->transform_a, p->b, p->transform_b);
    }
}

tact_status tact_distance_batch(const tact_pair *pairs, size_t count, tact_distance *answers,
                                const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .answers = answers};
    return run(parallel, count, distances, &b, pairs);
}

static void withins(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_overlap *)b->answers)[i] = tact_shapes_within(p->a, p->transform_a, p->b, p->transform_b, b->number,
                                                             b->caches != NULL ? &b->caches[i] : NULL);
    }
}

tact_status tact_within_batch(const tact_pair *pairs, size_t count, double distance, tact_cache *caches,
                              tact_overlap *verdicts, const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .number = distance, .caches = caches, .answers = verdicts};
    return run(parallel, count, withins, &b, pairs);
}

tact_status tact_overlap_batch(const tact_pair *pairs, size_t count, tact_cache *caches, tact_overlap *verdicts,
                               const tact_parallel *parallel)
{
    return tact_within_batch(pairs, count, 0.0, caches, verdicts, parallel);
}

static void commons(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_common_point *)b->answers)[i] = tact_shapes_common_point(p->a, p->transform_a, p->b, p->transform_b,
                                                                        b->caches != NULL ? &b->caches[i] : NULL);
    }
}

tact_status tact_common_point_batch(const tact_pair *pairs, size_t count, tact_cache *caches, tact_common_point *points,
                                    const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .caches = caches, .answers = points};
    return run(parallel, count, commons, &b, pairs);
}

static void depths(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_penetration *)b->answers)[i] = tact_shapes_penetration(p->a, p->transform_a, p->b, p->transform_b);
    }
}

tact_status tact_penetration_batch(const tact_pair *pairs, size_t count, tact_penetration *answers,
                                   const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .answers = answers};
    return run(parallel, count, depths, &b, pairs);
}

static void manifolds_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_manifold *)b->answers)[i] = tact_shapes_manifold(p->a, p->transform_a, p->b, p->transform_b, b->number);
    }
}

tact_status tact_manifold_batch(const tact_pair *pairs, size_t count, double reach, tact_manifold *manifolds,
                                const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .number = reach, .answers = manifolds};
    return run(parallel, count, manifolds_of, &b, pairs);
}

static void contacts_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        tact_contact_point *points = b->room > 0 ? (tact_contact_point *)b->lists + i * b->room : NULL;
        ((tact_contacts *)b->answers)[i] =
            tact_shapes_contacts(p->a, p->transform_a, p->b, p->transform_b, b->number, points, b->room);
    }
}

/* Whether there are lists for all pairs; a room of 0 needs none. */
static bool kinetic_lists_fit(const void *lists, size_t room, size_t count)
{
    return count == 0 || room == 0 || (lists != NULL && count <= SIZE_MAX / room);
}

tact_status tact_contacts_batch(const tact_pair *pairs, size_t count, double reach, tact_contact_point *points,
                                size_t room, tact_contacts *contacts, const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .number = reach, .lists = points, .room = room, .answers = contacts};
    return kinetic_lists_fit(points, room, count) ? run(parallel, count, contacts_of, &b, pairs) : TACT_BAD_ARGUMENT;
}

static void crossings_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        tact_intersection *segments = b->room > 0 ? (tact_intersection *)b->lists + i * b->room : NULL;
        ((tact_intersections *)b->answers)[i] =
            tact_shapes_intersections(p->a, p->transform_a, p->b, p->transform_b, segments, b->room);
    }
}

tact_status tact_intersections_batch(const tact_pair *pairs, size_t count, tact_intersection *segments, size_t room,
                                     tact_intersections *crossings, const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .lists = segments, .room = room, .answers = crossings};
    return kinetic_lists_fit(segments, room, count) ? run(parallel, count, crossings_of, &b, pairs) : TACT_BAD_ARGUMENT;
}

static void rays_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_ray *r = &((const tact_ray *)b->inputs)[i];
        ((tact_ray_hit *)b->answers)[i] = tact_shape_ray(b->shape, b->at, r->from, r->direction, r->max);
    }
}

tact_status tact_ray_batch(const tact_shape *shape, tact_transform at, const tact_ray *rays, size_t count,
                           tact_ray_hit *hits, const tact_parallel *parallel)
{
    batch b = {.shape = shape, .at = at, .inputs = rays, .answers = hits};
    return run(parallel, count, rays_of, &b, rays);
}

static void closest_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++)
        ((tact_closest *)b->answers)[i] = tact_shape_closest(b->shape, b->at, ((const tact_vec3 *)b->inputs)[i]);
}

tact_status tact_closest_batch(const tact_shape *shape, tact_transform at, const tact_vec3 *points, size_t count,
                               tact_closest *closest, const tact_parallel *parallel)
{
    batch b = {.shape = shape, .at = at, .inputs = points, .answers = closest};
    return run(parallel, count, closest_of, &b, points);
}

static void contains_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++)
        ((tact_overlap *)b->answers)[i] = tact_shape_contains(b->shape, b->at, ((const tact_vec3 *)b->inputs)[i]);
}

tact_status tact_contains_batch(const tact_shape *shape, tact_transform at, const tact_vec3 *points, size_t count,
                                tact_overlap *verdicts, const tact_parallel *parallel)
{
    batch b = {.shape = shape, .at = at, .inputs = points, .answers = verdicts};
    return run(parallel, count, contains_of, &b, points);
}

static void impacts_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_moving_pair *m = &b->moving[i];
        ((tact_toi *)b->answers)[i] = tact_shapes_time_of_impact_with(
            m->pair.a, m->pair.transform_a, m->motion_a, m->pair.b, m->pair.transform_b, m->motion_b, b->def);
    }
}

tact_status tact_toi_batch(const tact_moving_pair *pairs, size_t count, const tact_toi_def *def, tact_toi *impacts,
                           const tact_parallel *parallel)
{
    tact_toi_def usual = tact_toi_def_default();
    batch b = {.moving = pairs, .def = def != NULL ? def : &usual, .answers = impacts};
    return run(parallel, count, impacts_of, &b, pairs);
}

static void casts_of(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; i++) {
        const tact_pair *p = &b->pairs[i];
        ((tact_toi *)b->answers)[i] =
            tact_shapes_cast(p->a, p->transform_a, ((const tact_vec3 *)b->inputs)[i], p->b, p->transform_b);
    }
}

tact_status tact_cast_batch(const tact_pair *pairs, const tact_vec3 *paths, size_t count, tact_toi *impacts,
                            const tact_parallel *parallel)
{
    batch b = {.pairs = pairs, .inputs = paths, .answers = impacts};
    return run(parallel, count, casts_of, &b, pairs == NULL ? NULL : (const void *)paths);
}
