/*
 * Questions to a world: see tact/world_query.h. The broad phase gives the bodies whose boxes come into question, near
 * ones first; each is asked by the query for shapes, and what it answers limits what the broad phase gives from then
 * on.
 *
 * The answer does not depend on the order in which bodies come: the nearest is the least by (t or distance, order of
 * making), and the limit is a little wider than the best so far, so that no body is left out whose computed distance
 * would be as small although the box around it, computed otherwise, begins a rounding farther away.
 */
#include <math.h>

#include "core/heap.h"
#include "core/parallel.h"
#include "world/body_bounds.h"
#include "world/world_internal.h"

#define SEARCH_GRAIN 32 /* questions: some 50 us; waking a thread takes several */

/* Relative to the answer and the coordinates of the question: ten times the error of a distance, see query.h. */
#define LIMIT_SLACK 1e-9
/* Relative to a half extent: twice the distance at which a cast may stop, see tact_toi_def. */
#define CAST_EARLY 2e-9

typedef struct finder {
    const tact_world *world;
    const tact_query *search;
    tact_transform place; /* of the shape asked about */
    double size;          /* the largest coordinate of the question */
    double length;        /* of a unit of `at`, so that the rounding of coordinates can be told in it */
    double half;          /* the largest half extent of the shape asked about */
    double max;
    bool all;
    tact_status status; /* the first of a body that could not be decided */
    tact_hit best;
    tact_hit *found; /* all: the nearest `room` so far; from the time it is full, a heap with the farthest on top */
    size_t room;
    size_t count; /* all: bodies found */
} finder;

static bool before(const tact_world *world, const tact_hit *a, const tact_hit *b)
{
    if (a->t != b->t) /* of one query either this or the distance is 0 in all */
        return a->t < b->t;
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return world->bodies.items[a->body.index].serial < world->bodies.items[b->body.index].serial;
}

static inline bool farther(const tact_world *world, const tact_hit *a, const tact_hit *b)
{
    return before(world, b, a);
}

HEAP_OF(hit_heap, tact_hit, const tact_world *, farther)

static void collect(finder *f, const tact_hit *found)
{
    if (f->count < f->room) {
        f->found[f->count++] = *found;
        if (f->count == f->room)
            hit_heap_make(f->world, f->found, f->room);
        return;
    }
    ++f->count;
    if (f->room > 0 && before(f->world, found, &f->found[0]))
        hit_heap_replace_top(f->world, f->found, f->room, *found);
}

/* Brings what was collected into order, nearest first. */
static void sort_found(finder *f)
{
    const size_t count = f->count < f->room ? f->count : f->room;
    if (f->count < f->room)
        hit_heap_make(f->world, f->found, count);
    hit_heap_sort(f->world, f->found, count);
}

/* Whether answers about a shape tell parts of it. */
static bool has_parts(const tact_shape *shape)
{
    tact_shape_type type = tact_shape_get_type(shape);
    return type == TACT_MESH || type == TACT_SOUP || type == TACT_COMPOUND;
}

/* Asks one body. Beyond the limit, which is a distance here, it need not be exact. */
static void ask(const finder *f, const world_body *body, double limit, tact_hit *answer)
{
    const tact_query *s = f->search;
    switch (s->type) {
    case TACT_QUERY_RAY: {
        tact_ray_hit hit = tact_shape_ray(body->shape, body->transform, s->from, s->direction, f->max);
        *answer = (tact_hit){.status = hit.status, .state = hit.state, .t = hit.t};
        answer->point = hit.point;
        answer->normal = hit.normal;
        answer->part = hit.part;
        break;
    }
    case TACT_QUERY_CAST: {
        tact_toi hit = tact_shapes_cast(s->shape, f->place, s->direction, body->shape, body->transform);
        *answer = (tact_hit){.status = hit.status, .state = hit.state, .t = hit.time};
        answer->point = hit.point;
        answer->normal = hit.normal;
        answer->part = hit.part_b;
        answer->part_of_shape = hit.part_a;
        break;
    }
    case TACT_QUERY_OVERLAP: {
        tact_overlap touch = tact_shapes_overlap(s->shape, f->place, body->shape, body->transform, NULL);
        *answer = (tact_hit){.status = touch.status, .state = touch.state};
        if (touch.state == TACT_HIT && !s->any && !f->all) {
            tact_penetration in = tact_shapes_penetration(s->shape, f->place, body->shape, body->transform);
            answer->status = in.status;
            answer->distance = -in.depth;
            answer->point = in.on_b;
            answer->normal = in.normal;
            answer->part = in.part_b;
            answer->part_of_shape = in.part_a;
        } else if (touch.state == TACT_HIT && (has_parts(s->shape) || has_parts(body->shape))) {
            tact_common_point common = tact_shapes_common_point(s->shape, f->place, body->shape, body->transform, NULL);
            answer->part = common.part_b; /* zero where rounding finds them apart */
            answer->part_of_shape = common.part_a;
        }
        break;
    }
    case TACT_QUERY_CLOSEST:
        if (s->shape == NULL) {
            tact_closest c = tact_shape_closest(body->shape, body->transform, s->from);
            *answer = (tact_hit){.status = c.status, .distance = c.distance, .point = c.point, .normal = c.normal};
            answer->part = c.part;
        } else {
            /* nothing that is clearly beyond the limit is wanted; what is not comes out the same, bit for bit */
            tact_distance_def def = tact_distance_def_default();
            def.upper_bound = limit + (limit + f->size) * LIMIT_SLACK;
            tact_distance d = tact_shapes_distance_with(s->shape, f->place, body->shape, body->transform, &def);
            *answer = (tact_hit){.status = d.status, .distance = d.distance, .point = d.on_b, .normal = d.normal};
            answer->part = d.part_b;
            answer->part_of_shape = d.part_a;
        }
        answer->state = answer->distance <= f->max ? TACT_HIT : TACT_MISS;
        break;
    }
    if (answer->status != TACT_OK) /* what is not decided does not count */
        answer->state = TACT_UNKNOWN;
}

static double half_extent(const box *b)
{
    double most = 0.0;
    for (int i = 0; i < 3; ++i)
        most = max_double(most, 0.5 * ((double)b->max[i] - (double)b->min[i]));
    return most;
}

/* Looks at one body; the limit from then on, negative when the search is over. */
static double look(void *context, uint32_t index, double from, double limit)
{
    finder *f = context;
    const world_body *body = &f->world->bodies.items[index];
    const tact_filter *filter = &f->search->filter;
    tact_body name = body_handle(f->world, index);
    void *user = f->world->cold.items[index].user;
    (void)from;
    if (filter->accept != NULL && !filter->accept(filter->context, name, user))
        return limit;
    tact_hit found;
    ask(f, body, limit, &found);
    if (found.status != TACT_OK && f->status == TACT_OK)
        f->status = found.status;
    if (found.state != TACT_HIT)
        return limit;
    found.body = name;
    found.user = user;
    if (f->all) {
        collect(f, &found);
        return limit;
    }
    if (f->best.state != TACT_HIT || before(f->world, &found, &f->best))
        f->best = found;
    if (f->search->any)
        return -1.0;
    if (f->search->type == TACT_QUERY_OVERLAP)
        return limit;
    const bool moves = f->search->type == TACT_QUERY_RAY || f->search->type == TACT_QUERY_CAST;
    double at = max_double(moves ? f->best.t : f->best.distance, 0.0);
    double slack = (at * f->length + f->size) * LIMIT_SLACK;
    if (f->search->type == TACT_QUERY_CAST) {
        /* that of a point depends on the body: those as large as this one */
        box around = tact_broad_get_box(f->world->broad, index);
        slack += CAST_EARLY * (f->half > 0.0 ? f->half : half_extent(&around));
    }
    return at + slack / f->length;
}

static bool look_in_box(void *context, uint32_t index) { return look(context, index, 0.0, 0.0) >= 0.0; }

/* Is the question usable? Finds out what the search needs. */
static tact_status prepare(finder *f, box *area)
{
    const tact_query *s = f->search;
    tact_status status = TACT_OK;
    f->place = transform_is_zero(&s->transform) ? tact_identity() : s->transform;
    f->length = 1.0;
    bool point = s->type == TACT_QUERY_RAY || (s->type == TACT_QUERY_CLOSEST && s->shape == NULL);
    if (point) {
        if (!vec_finite(s->from) || vec_max_abs(s->from) > 1e150)
            return TACT_BAD_ARGUMENT;
        *area = box_of_point(s->from);
        f->size = vec_max_abs(s->from);
    } else {
        status = s->shape != NULL ? tact_body_box(s->shape, &f->place, NULL, area) : TACT_BAD_ARGUMENT;
        f->size = vec_max_abs(f->place.origin);
        f->half = status == TACT_OK && tact_shape_get_type(s->shape) != TACT_POINT ? half_extent(area) : 0.0;
    }
    bool moves = s->type == TACT_QUERY_RAY || s->type == TACT_QUERY_CAST;
    if (moves && (!vec_finite(s->direction) || vec_max_abs(s->direction) > 1e150))
        return TACT_BAD_ARGUMENT;
    if (s->type == TACT_QUERY_RAY && !(vec_max_abs(s->direction) > 0.0))
        return TACT_BAD_ARGUMENT;
    if (moves && vec_max_abs(s->direction) > 0.0)
        f->length = vec_max_abs(s->direction);
    return status;
}

static tact_status run(finder *f)
{
    const tact_query *s = f->search;
    const broad *b = f->world->broad;
    const uint64_t category = s->filter.category != 0 ? s->filter.category : UINT64_MAX;
    const broad_filter filter = {category, s->filter.mask != 0 ? s->filter.mask : UINT64_MAX};
    box area;
    tact_status status = prepare(f, &area);
    if (status != TACT_OK)
        return status;
    switch (s->type) {
    case TACT_QUERY_RAY:
        return tact_broad_query_ray(b, s->from, s->direction, f->max, filter, look, f);
    case TACT_QUERY_CAST:
        return tact_broad_query_cast(b, &area, s->direction, 1.0, filter, look, f);
    case TACT_QUERY_OVERLAP:
        return tact_broad_query_box(b, &area, filter, look_in_box, f);
    case TACT_QUERY_CLOSEST:
        return tact_broad_query_closest(b, &area, f->max, filter, look, f);
    }
    return TACT_BAD_ARGUMENT;
}

static bool type_is_known(tact_query_type type)
{
    return type == TACT_QUERY_RAY || type == TACT_QUERY_CAST || type == TACT_QUERY_OVERLAP ||
           type == TACT_QUERY_CLOSEST;
}

static bool usable(const tact_world *world, const tact_query *search, double max)
{
    return world != NULL && search != NULL && type_is_known(search->type) && max >= 0.0;
}

static tact_hit find(const tact_world *world, const tact_query *search, double max)
{
    finder f = {.world = world, .search = search, .max = max};
    tact_status status = usable(world, search, max) ? run(&f) : TACT_BAD_ARGUMENT;
    if (status != TACT_OK)
        return (tact_hit){.status = status};
    f.best.status = f.status;
    if (f.best.state != TACT_HIT)
        f.best.state = f.status == TACT_OK ? TACT_MISS : TACT_UNKNOWN;
    return f.best;
}

static double limit_of(const tact_query *search)
{
    return search == NULL || search->max == 0.0 ? INFINITY : search->max;
}

tact_hit tact_world_query(const tact_world *world, const tact_query *search)
{
    return find(world, search, limit_of(search));
}

tact_count tact_world_query_all(const tact_world *world, const tact_query *search, tact_hit *found, size_t room)
{
    finder f = {.world = world, .search = search, .max = limit_of(search), .all = true, .found = found, .room = room};
    tact_status status = usable(world, search, f.max) && (found != NULL || room == 0) ? run(&f) : TACT_BAD_ARGUMENT;
    if (status != TACT_OK)
        return (tact_count){status, 0};
    sort_found(&f);
    return (tact_count){f.status, f.count};
}

/* ---- batches ---- */

typedef struct batch {
    const tact_world *world;
    const tact_query *searches;
    tact_hit *found;
    tact_count *counts;
    size_t room;
} batch;

static void search_range(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; ++i)
        b->found[i] = tact_world_query(b->world, &b->searches[i]);
}

static void search_all_range(void *data, size_t begin, size_t end)
{
    const batch *b = data;
    for (size_t i = begin; i < end; ++i)
        b->counts[i] =
            tact_world_query_all(b->world, &b->searches[i], b->room > 0 ? b->found + i * b->room : NULL, b->room);
}

tact_status tact_world_query_batch(const tact_world *world, const tact_query *searches, size_t count, tact_hit *found,
                                   const tact_parallel *parallel)
{
    if (count == 0)
        return TACT_OK;
    if (world == NULL || searches == NULL || found == NULL)
        return TACT_BAD_ARGUMENT;
    batch b = {world, searches, found, NULL, 0};
    tact_parallel_for(parallel != NULL ? parallel : &world->parallel, count, SEARCH_GRAIN, search_range, &b);
    return TACT_OK;
}

tact_status tact_world_query_all_batch(const tact_world *world, const tact_query *searches, size_t count,
                                       tact_hit *found, size_t room, tact_count *counts, const tact_parallel *parallel)
{
    if (count == 0)
        return TACT_OK;
    if (world == NULL || searches == NULL || counts == NULL || (found == NULL && room > 0) ||
        (room > 0 && count > SIZE_MAX / room))
        return TACT_BAD_ARGUMENT;
    batch b = {world, searches, found, counts, room};
    tact_parallel_for(parallel != NULL ? parallel : &world->parallel, count, SEARCH_GRAIN, search_all_range, &b);
    return TACT_OK;
}

/* ---- the short forms ---- */

static tact_hit find_with(const tact_world *world, tact_query search, double max, const tact_filter *filter)
{
    if (filter != NULL)
        search.filter = *filter;
    return find(world, &search, max);
}

tact_hit tact_world_ray(const tact_world *world, tact_vec3 from, tact_vec3 direction, double max,
                        const tact_filter *filter)
{
    return find_with(world, (tact_query){.type = TACT_QUERY_RAY, .from = from, .direction = direction}, max, filter);
}

tact_hit tact_world_cast(const tact_world *world, const tact_shape *shape, tact_transform place, tact_vec3 path,
                         const tact_filter *filter)
{
    tact_query search = {.type = TACT_QUERY_CAST, .shape = shape, .transform = place, .direction = path};
    return find_with(world, search, INFINITY, filter);
}

tact_hit tact_world_overlap(const tact_world *world, const tact_shape *shape, tact_transform place,
                            const tact_filter *filter)
{
    tact_query search = {.type = TACT_QUERY_OVERLAP, .shape = shape, .transform = place};
    return find_with(world, search, INFINITY, filter);
}

tact_hit tact_world_closest_point(const tact_world *world, tact_vec3 from, double max, const tact_filter *filter)
{
    return find_with(world, (tact_query){.type = TACT_QUERY_CLOSEST, .from = from}, max, filter);
}

tact_hit tact_world_closest_shape(const tact_world *world, const tact_shape *shape, tact_transform place, double max,
                                  const tact_filter *filter)
{
    if (shape == NULL) /* to a search, no shape means a point */
        return (tact_hit){.status = TACT_BAD_ARGUMENT};
    tact_query search = {.type = TACT_QUERY_CLOSEST, .shape = shape, .transform = place};
    return find_with(world, search, max, filter);
}
