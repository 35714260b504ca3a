/*
 * Queries of a world: see tact/world_query.h. The broad phase visits the bodies whose boxes are within the limit, near
 * ones first. A query of shapes examines each body, and its result reduces the limit.
 *
 * The result does not depend on the order of visits: the closest hit is the least by (t or distance, order of
 * creation). The limit exceeds the best hit by a margin, because the distance to a body and that to its box are
 * computed in different ways: the box may seem farther by a rounding error than a body at an equal distance.
 */
#include <math.h>

#include "core/heap.h"
#include "core/work.h"
#include "shape/shape_constants.h"
#include "world/body_bounds.h"
#include "world/work.h"
#include "world/world_constants.h"
#include "world/world_internal.h"

typedef struct world_query_state {
    const tact_world *world;
    const tact_query *query;
    tact_transform transform; /* of the query shape */
    double size;              /* the largest coordinate of the query */
    double length;            /* of one unit of t; converts the error of coordinates to an error of t */
    double half;              /* the largest half extent of the query shape */
    double max;
    bool all;
    tact_status status; /* the first failure of a query of shapes */
    tact_hit best;
    tact_hit *hits; /* all: the closest `capacity` hits so far; once full, a heap with the farthest on top */
    size_t capacity;
    size_t count; /* all: hits so far */
} world_query_state;

static bool is_closer(const tact_world *world, const tact_hit *a, const tact_hit *b)
{
    if (a->t != b->t) /* in one query either t or distance is 0 for all hits */
        return a->t < b->t;
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return world->bodies.items[a->body.index].serial < world->bodies.items[b->body.index].serial;
}

static inline bool is_farther(const tact_world *world, const tact_hit *a, const tact_hit *b)
{
    return is_closer(world, b, a);
}

HEAP_OF(query_hit_heap, tact_hit, const tact_world *, is_farther)

static void collect(world_query_state *f, const tact_hit *hits)
{
    if (f->count < f->capacity) {
        f->hits[f->count++] = *hits;
        if (f->count == f->capacity)
            query_hit_heap_make(f->world, f->hits, f->capacity);
        return;
    }
    ++f->count;
    if (f->capacity > 0 && is_closer(f->world, hits, &f->hits[0]))
        query_hit_heap_replace_top(f->world, f->hits, f->capacity, *hits);
}

/* Sorts the collected hits, closest first. */
static void sort_hits_found(world_query_state *f)
{
    const size_t count = f->count < f->capacity ? f->count : f->capacity;
    if (f->count < f->capacity)
        query_hit_heap_make(f->world, f->hits, count);
    query_hit_heap_sort(f->world, f->hits, count);
}

/* Whether hits on a shape name a part of it. */
static bool has_parts(const tact_shape *shape)
{
    tact_shape_type type = tact_shape_get_type(shape);
    return type == TACT_MESH || type == TACT_SOUP || type == TACT_COMPOUND || type == TACT_NURBS ||
           type == TACT_HEIGHTFIELD;
}

/* Examines one body. The result need not be exact beyond the limit, a distance here. */
static void query_body(const world_query_state *f, const world_body *body, double limit, tact_hit *result)
{
    const tact_query *s = f->query;
    switch (s->type) {
    case TACT_QUERY_RAY: {
        tact_ray_hit hit = tact_shape_ray(body->shape, body->transform, s->from, s->direction, f->max);
        *result = (tact_hit){.status = hit.status, .state = hit.state, .t = hit.t};
        result->point = hit.point;
        result->normal = hit.normal;
        result->part = hit.part;
        break;
    }
    case TACT_QUERY_CAST: {
        tact_toi hit = tact_shapes_cast(s->shape, f->transform, s->direction, body->shape, body->transform);
        *result = (tact_hit){.status = hit.status, .state = hit.state, .t = hit.time};
        result->point = hit.point;
        result->normal = hit.normal;
        result->part = hit.part_b;
        result->part_of_shape = hit.part_a;
        break;
    }
    case TACT_QUERY_OVERLAP: {
        tact_overlap touch = tact_shapes_overlap(s->shape, f->transform, body->shape, body->transform, NULL);
        *result = (tact_hit){.status = touch.status, .state = touch.state};
        if (touch.state == TACT_HIT && !s->any && !f->all) {
            tact_penetration in = tact_shapes_penetration(s->shape, f->transform, body->shape, body->transform);
            result->status = in.status;
            result->distance = -in.depth;
            result->point = in.on_b;
            result->normal = in.normal;
            result->part = in.part_b;
            result->part_of_shape = in.part_a;
        } else if (touch.state == TACT_HIT && (has_parts(s->shape) || has_parts(body->shape))) {
            tact_common_point common =
                tact_shapes_common_point(s->shape, f->transform, body->shape, body->transform, NULL);
            result->part = common.part_b; /* zero if rounding separates them */
            result->part_of_shape = common.part_a;
        }
        break;
    }
    case TACT_QUERY_CLOSEST:
        if (s->shape == NULL) {
            tact_closest c = tact_shape_closest(body->shape, body->transform, s->from);
            *result = (tact_hit){.status = c.status, .distance = c.distance, .point = c.point, .normal = c.normal};
            result->part = c.part;
        } else {
            /* a distance up to the bound is the same, bit for bit, as without a bound */
            tact_distance_def def = tact_distance_def_default();
            def.upper_bound = limit + (limit + f->size) * WORLD_QUERY_LIMIT_MARGIN;
            tact_distance d = tact_shapes_distance_with(s->shape, f->transform, body->shape, body->transform, &def);
            *result = (tact_hit){.status = d.status, .distance = d.distance, .point = d.on_b, .normal = d.normal};
            result->part = d.part_b;
            result->part_of_shape = d.part_a;
        }
        result->state = result->distance <= f->max ? TACT_HIT : TACT_MISS;
        break;
    }
    if (result->status != TACT_OK) /* a failed query is no hit */
        result->state = TACT_UNKNOWN;
}

static double half_extent(const box *b)
{
    double most = 0.0;
    for (int i = 0; i < 3; ++i)
        most = max_double(most, 0.5 * ((double)b->max[i] - (double)b->min[i]));
    return most;
}

/* Examines one body; returns the new limit, negative to end the query. */
static double visit_body(void *context, uint32_t index, double from, double limit)
{
    world_query_state *f = context;
    const world_body *body = &f->world->bodies.items[index];
    const tact_filter *filter = &f->query->filter;
    tact_body name = body_handle(f->world, index);
    void *user = f->world->cold.items[index].user;
    (void)from;
    if (!work_add(tact_work_current(), 1)) {
        f->status = TACT_CANCELLED;
        return -1.0;
    }
    if (filter->accept != NULL && !filter->accept(filter->context, name, user))
        return limit;
    tact_hit hits;
    query_body(f, body, limit, &hits);
    if (hits.status != TACT_OK && f->status == TACT_OK)
        f->status = hits.status;
    if (hits.state != TACT_HIT)
        return limit;
    hits.body = name;
    hits.user = user;
    if (f->all) {
        collect(f, &hits);
        return limit;
    }
    if (f->best.state != TACT_HIT || is_closer(f->world, &hits, &f->best))
        f->best = hits;
    if (f->query->any)
        return -1.0;
    if (f->query->type == TACT_QUERY_OVERLAP)
        return limit;
    const bool moves = f->query->type == TACT_QUERY_RAY || f->query->type == TACT_QUERY_CAST;
    double at = max_double(moves ? f->best.t : f->best.distance, 0.0);
    double margin = (at * f->length + f->size) * WORLD_QUERY_LIMIT_MARGIN;
    if (f->query->type == TACT_QUERY_CAST) {
        /* the margin of a point cast is relative to the body: take this one's extent */
        box around = tact_broad_get_box(f->world->broad, index);
        margin += WORLD_QUERY_CAST_MARGIN * (f->half > 0.0 ? f->half : half_extent(&around));
    }
    return at + margin / f->length;
}

static bool visit_body_in_box(void *context, uint32_t index) { return visit_body(context, index, 0.0, 0.0) >= 0.0; }

/* Checks the query, and computes what the traversal needs. */
static tact_status prepare(world_query_state *f, box *area)
{
    const tact_query *s = f->query;
    tact_status status = TACT_OK;
    f->transform = transform_is_zero(&s->transform) ? tact_identity() : s->transform;
    f->length = 1.0;
    bool point = s->type == TACT_QUERY_RAY || (s->type == TACT_QUERY_CLOSEST && s->shape == NULL);
    if (point) {
        if (!vec_finite(s->from) || vec_max_abs(s->from) > SHAPE_MAX_COORDINATE)
            return TACT_BAD_ARGUMENT;
        *area = box_of_point(s->from);
        f->size = vec_max_abs(s->from);
    } else {
        status = s->shape != NULL ? tact_body_box(s->shape, &f->transform, NULL, area) : TACT_BAD_ARGUMENT;
        f->size = vec_max_abs(f->transform.origin);
        f->half = status == TACT_OK && tact_shape_get_type(s->shape) != TACT_POINT ? half_extent(area) : 0.0;
    }
    bool moves = s->type == TACT_QUERY_RAY || s->type == TACT_QUERY_CAST;
    if (moves && (!vec_finite(s->direction) || vec_max_abs(s->direction) > SHAPE_MAX_COORDINATE))
        return TACT_BAD_ARGUMENT;
    if (s->type == TACT_QUERY_RAY && !(vec_max_abs(s->direction) > 0.0))
        return TACT_BAD_ARGUMENT;
    if (moves && vec_max_abs(s->direction) > 0.0)
        f->length = vec_max_abs(s->direction);
    return status;
}

static tact_status run_query(world_query_state *f)
{
    const tact_query *s = f->query;
    const broad *b = f->world->broad;
    const uint64_t category = s->filter.category != 0 ? s->filter.category : UINT64_MAX;
    const broad_filter filter = {category, s->filter.mask != 0 ? s->filter.mask : UINT64_MAX};
    box area;
    tact_status status = prepare(f, &area);
    if (status != TACT_OK)
        return status;
    switch (s->type) {
    case TACT_QUERY_RAY:
        return tact_broad_query_ray(b, s->from, s->direction, f->max, filter, visit_body, f);
    case TACT_QUERY_CAST:
        return tact_broad_query_cast(b, &area, s->direction, 1.0, filter, visit_body, f);
    case TACT_QUERY_OVERLAP:
        return tact_broad_query_box(b, &area, filter, visit_body_in_box, f);
    case TACT_QUERY_CLOSEST:
        return tact_broad_query_closest(b, &area, f->max, filter, visit_body, f);
    }
    return TACT_BAD_ARGUMENT;
}

static bool type_is_known(tact_query_type type)
{
    return type == TACT_QUERY_RAY || type == TACT_QUERY_CAST || type == TACT_QUERY_OVERLAP ||
           type == TACT_QUERY_CLOSEST;
}

static bool is_valid(const tact_world *world, const tact_query *query, double max)
{
    return world != NULL && query != NULL && type_is_known(query->type) && max >= 0.0;
}

static tact_hit closest_hit(const tact_world *world, const tact_query *query, double max)
{
    world_query_state f = {.world = world, .query = query, .max = max};
    tact_status status = is_valid(world, query, max) ? run_query(&f) : TACT_BAD_ARGUMENT;
    if (status != TACT_OK)
        return (tact_hit){.status = status};
    f.best.status = f.status;
    if (f.best.state != TACT_HIT)
        f.best.state = f.status == TACT_OK ? TACT_MISS : TACT_UNKNOWN;
    return f.best;
}

static double limit_of(const tact_query *query) { return query == NULL || query->max == 0.0 ? INFINITY : query->max; }

/* With the limit of work of the world. */
static tact_hit limited_hit(const tact_world *world, const tact_query *query, double max)
{
    if (world == NULL)
        return (tact_hit){.status = TACT_BAD_ARGUMENT};
    world_meter work;
    world_meter_begin(&work, world);
    const tact_hit hit = closest_hit(world, query, max);
    world_meter_end(&work);
    return hit;
}

tact_hit tact_world_query(const tact_world *world, const tact_query *query)
{
    return limited_hit(world, query, limit_of(query));
}

static tact_count all_hits(const tact_world *world, const tact_query *query, tact_hit *hits, size_t capacity)
{
    world_query_state f = {
        .world = world, .query = query, .max = limit_of(query), .all = true, .hits = hits, .capacity = capacity};
    tact_status status =
        is_valid(world, query, f.max) && (hits != NULL || capacity == 0) ? run_query(&f) : TACT_BAD_ARGUMENT;
    if (status != TACT_OK)
        return (tact_count){status, 0};
    sort_hits_found(&f);
    return (tact_count){f.status, f.count};
}

tact_count tact_world_query_all(const tact_world *world, const tact_query *query, tact_hit *hits, size_t capacity)
{
    if (world == NULL)
        return (tact_count){TACT_BAD_ARGUMENT, 0};
    world_meter work;
    world_meter_begin(&work, world);
    const tact_count count = all_hits(world, query, hits, capacity);
    world_meter_end(&work);
    return count;
}

/* ---- batches ---- */

typedef struct world_query_batch {
    const tact_world *world;
    const tact_query *queries;
    tact_hit *hits;
    tact_count *counts;
    size_t capacity;
} world_query_batch;

static void query_range(void *data, size_t begin, size_t end)
{
    const world_query_batch *b = data;
    for (size_t i = begin; i < end; ++i)
        b->hits[i] = closest_hit(b->world, &b->queries[i], limit_of(&b->queries[i]));
}

static void query_all_range(void *data, size_t begin, size_t end)
{
    const world_query_batch *b = data;
    for (size_t i = begin; i < end; ++i)
        b->counts[i] =
            all_hits(b->world, &b->queries[i], b->capacity > 0 ? b->hits + i * b->capacity : NULL, b->capacity);
}

static void run_batch(world_query_batch *b, const tact_parallel *parallel, size_t count, tact_task *task)
{
    world_meter work;
    world_meter_begin(&work, b->world);
    tact_work_parallel_for(parallel != NULL ? parallel : &b->world->parallel, count, WORLD_QUERY_GRAIN, task, b);
    world_meter_end(&work);
}

tact_status tact_world_query_batch(const tact_world *world, const tact_query *queries, size_t count, tact_hit *hits,
                                   const tact_parallel *parallel)
{
    if (count == 0)
        return TACT_OK;
    if (world == NULL || queries == NULL || hits == NULL)
        return TACT_BAD_ARGUMENT;
    world_query_batch b = {world, queries, hits, NULL, 0};
    run_batch(&b, parallel, count, query_range);
    return TACT_OK;
}

tact_status tact_world_query_all_batch(const tact_world *world, const tact_query *queries, size_t count, tact_hit *hits,
                                       size_t capacity, tact_count *counts, const tact_parallel *parallel)
{
    if (count == 0)
        return TACT_OK;
    if (world == NULL || queries == NULL || counts == NULL || (hits == NULL && capacity > 0) ||
        (capacity > 0 && count > SIZE_MAX / capacity))
        return TACT_BAD_ARGUMENT;
    world_query_batch b = {world, queries, hits, counts, capacity};
    run_batch(&b, parallel, count, query_all_range);
    return TACT_OK;
}

/* ---- the short forms ---- */

static tact_hit closest_hit_with(const tact_world *world, tact_query query, double max, const tact_filter *filter)
{
    if (filter != NULL)
        query.filter = *filter;
    return limited_hit(world, &query, max);
}

tact_hit tact_world_ray(const tact_world *world, tact_vec3 from, tact_vec3 direction, double max,
                        const tact_filter *filter)
{
    return closest_hit_with(world, (tact_query){.type = TACT_QUERY_RAY, .from = from, .direction = direction}, max,
                            filter);
}

tact_hit tact_world_cast(const tact_world *world, const tact_shape *shape, tact_transform transform, tact_vec3 path,
                         const tact_filter *filter)
{
    tact_query query = {.type = TACT_QUERY_CAST, .shape = shape, .transform = transform, .direction = path};
    return closest_hit_with(world, query, INFINITY, filter);
}

tact_hit tact_world_overlap(const tact_world *world, const tact_shape *shape, tact_transform transform,
                            const tact_filter *filter)
{
    tact_query query = {.type = TACT_QUERY_OVERLAP, .shape = shape, .transform = transform};
    return closest_hit_with(world, query, INFINITY, filter);
}

tact_hit tact_world_closest_point(const tact_world *world, tact_vec3 from, double max, const tact_filter *filter)
{
    return closest_hit_with(world, (tact_query){.type = TACT_QUERY_CLOSEST, .from = from}, max, filter);
}

tact_hit tact_world_closest_shape(const tact_world *world, const tact_shape *shape, tact_transform transform,
                                  double max, const tact_filter *filter)
{
    if (shape == NULL) /* a query without a shape is that of a point */
        return (tact_hit){.status = TACT_BAD_ARGUMENT};
    tact_query query = {.type = TACT_QUERY_CLOSEST, .shape = shape, .transform = transform};
    return closest_hit_with(world, query, max, filter);
}
