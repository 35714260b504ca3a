/*
 * The distance of two shapes of which at least one has NURBS surfaces.
 *
 * A traversal of the triangles collects all pairs of cells and primitives that may be closer than the best points found
 * so far. Branch and bound on these pairs (nurbs_search.h) closes the gap between the bounds. Solids that contain a
 * component of the other shape are found last: one point of each component decides, because the surfaces do not touch.
 *
 * Trimmed surfaces are searched as a whole. If the closest points are not trimmed away, they are the answer. Otherwise
 * the lower bound is the greater of that of the whole surfaces and that of the triangles, and the upper one is that of
 * the triangles.
 *
 * Guarantee: `lower` is never greater than the distance; `upper` is the distance of the two points, up to rounding.
 * Points closer than the rounding error of a distance count as touching. Memory that runs out, or a search that is too
 * long, leaves wider bounds, never wrong ones.
 *
 * Cost: some 50 to 500 us for an isolated minimum. Where the minimum is a curve or an area, up to the work limit, some
 * 3 us for each unit.
 */
#include <float.h>

#include "complex/complex_query.h"
#include "complex/nurbs_query.h"
#include "complex/nurbs_search.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "core/work.h"
#include "math/fp_environment.h"

/* ---- candidates -------------------------------------------------------------------------------------------------- */

typedef struct pair_collector {
    nurbs_search *search;
    tact_vec3 normal; /* world: from A to B, of the best points; zero: none */
    double best;      /* world: least distance of triangles */
    double cap;       /* world: the distance is at most this */
    int trials;       /* Newton's method from triangles that touch */
    int idle;         /* pairs since the last better one */
    bool complete;    /* false: too many candidates */
    tact_cache cache;
    tact_part part[2]; /* of the best points, if both are on primitives */
    bool convex_best;  /* they are */
    tact_vec3 on[2];
} pair_collector;

static uint32_t key_of(const primitive *s)
{
    return s->of->shape->nurbs == NULL
               ? s->element
               : s->of->shape->nurbs->tessellation.triangles.items[mesh_face(s->of->shape->mesh, s->element)].cell;
}

/* A primitive without the error of its triangles, which is returned in `error`, its leaf and its key. */
static bool collect_side(pair_collector *c, int side, const primitive *s, convex *shape, search_candidate *found,
                         double *error)
{
    const uint32_t leaf = found->leaf[side] = tact_nurbs_search_leaf(c->search, side, s->of);
    if (leaf == UINT32_MAX) {
        c->search->status = TACT_OUT_OF_MEMORY;
        return false;
    }
    if (tact_primitive_convex(s, shape) != TACT_OK) {
        c->search->status = TACT_BAD_ARGUMENT;
        return false;
    }
    found->key[side] = key_of(s);
    *error = 0.0;
    if (s->of->shape->nurbs != NULL) {
        *error = tact_nurbs_search_cell_error(c->search, side, leaf, found->key[side]) / c->search->scale;
        shape->margin = c->search->side[side].leaves.items[leaf].margin / c->search->scale;
    }
    return true;
}

/* A lower bound of the distance of two cores of points, margins included: along the best normal. */
static double gap_of_cores(const pair_collector *c, const convex *a, const convex *b)
{
    if (!(vec_max_abs(c->normal) > 0.0) || a->kind != CONVEX_POINTS || b->kind != CONVEX_POINTS)
        return 0.0;
    double highest = -INFINITY, lowest = INFINITY;
    for (int i = 0; i < a->point_count; i++)
        highest = max_double(highest, vec_dot(c->normal, a->points[i]));
    for (int i = 0; i < b->point_count; i++)
        lowest = -max_double(-lowest, -vec_dot(c->normal, b->points[i]));
    const tact_vec3 offset = vec_sub(b->transform.origin, a->transform.origin);
    const double gap = (lowest - highest) + vec_dot(c->normal, offset) - (a->margin + b->margin);
    return gap - 32.0 * DBL_EPSILON * (a->bounding_radius + b->bounding_radius + vec_max_abs(offset));
}

/* Two convex primitives: their distance is final. */
static double take_convex_pair(pair_collector *c, const primitive *a, const primitive *b, const convex *ca,
                               const convex *cb, double limit)
{
    nurbs_search *s = c->search;
    const tact_distance_def def = {.accuracy = NURBS_PRIMITIVE_ACCURACY, .upper_bound = INFINITY};
    const tact_distance d = tact_convex_distance(ca, cb, &def);
    const double scaled = d.distance * s->scale;
    s->floor = number_min(s->floor, number_max(scaled * (1.0 - 2.0 * NURBS_PRIMITIVE_ACCURACY) - s->slack, 0.0));
    if (d.status != TACT_OK)
        s->floor = 0.0;
    if (!(scaled < s->upper))
        return limit;
    s->upper = scaled > s->slack ? scaled : 0.0;
    c->convex_best = true;
    c->on[0] = d.on_a;
    c->on[1] = d.on_b;
    c->part[0] = primitive_part(a);
    c->part[1] = primitive_part(b);
    c->normal = d.normal;
    s->normal = d.normal;
    c->cap = number_min(c->cap, d.distance);
    return s->upper > 0.0 ? number_min(limit, d.distance) : -1.0;
}

/* Newton's method from the cells of two primitives. */
static void try_points(pair_collector *c, const search_candidate *found, const convex *shape[2])
{
    nurbs_search *s = c->search;
    const double before = s->upper;
    uint32_t node[2];
    for (int i = 0; i < 2; i++) {
        const search_leaf *leaf = &s->side[i].leaves.items[found->leaf[i]];
        node[i] = leaf->of.shape->nurbs != NULL
                      ? tact_nurbs_search_cell(s, i, found->leaf[i], found->key[i])
                      : tact_nurbs_search_primitive(s, i, found->leaf[i], shape[i], found->key[i]);
        if (node[i] == UINT32_MAX) {
            s->status = TACT_OUT_OF_MEMORY;
            return;
        }
    }
    tact_nurbs_search_improve(s, node);
    if (!(s->upper < before))
        return;
    c->convex_best = false;
    c->normal = s->normal;
    c->cap = number_min(c->cap, (s->upper + s->slack) / s->scale);
}

/* Adds a candidate. Returns the new limit. */
static double add_candidate(pair_collector *c, search_candidate *found, double lower, double limit)
{
    nurbs_search *s = c->search;
    found->lower = number_max(lower * s->scale, 0.0);
    if (s->candidates.count >= NURBS_SEARCH_CANDIDATES) {
        c->complete = false;
        return -1.0;
    }
    if (!search_candidate_array_push(&s->candidates, &s->allocator, *found)) {
        s->status = TACT_OUT_OF_MEMORY;
        return -1.0;
    }
    return limit;
}

static double collect_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    pair_collector *c = context;
    nurbs_search *s = c->search;
    convex ca, cb;
    search_candidate found;
    double error_a, error_b;
    if (!collect_side(c, 0, a, &ca, &found, &error_a) || !collect_side(c, 1, b, &cb, &found, &error_b))
        return -1.0;
    const double slack = s->slack / s->scale, errors = error_a + error_b + slack, gap = gap_of_cores(c, &ca, &cb);
    if (gap - errors >= limit)
        return limit;
    const bool surfaces = a->of->shape->nurbs != NULL || b->of->shape->nurbs != NULL;
    if (surfaces && gap > c->best) /* no better start */
        return add_candidate(c, &found, gap - errors, limit);
    c->cache.axis = c->normal;
    const tact_distance_def def = {.accuracy = NURBS_TRIANGLE_ACCURACY, .upper_bound = INFINITY, .cache = &c->cache};
    const tact_distance d = tact_convex_distance(&ca, &cb, &def);
    const double lower = d.status == TACT_OK ? d.distance * (1.0 - 2.0 * NURBS_TRIANGLE_ACCURACY) - errors : 0.0;
    if (lower >= limit)
        return limit;
    if (!surfaces)
        return take_convex_pair(c, a, b, &ca, &cb, limit);
    if (add_candidate(c, &found, lower, limit) < 0.0)
        return -1.0;
    c->cap = number_min(c->cap, d.distance * (1.0 + 2.0 * NURBS_TRIANGLE_ACCURACY) + errors);
    if (d.distance < c->best || (d.distance == 0.0 && c->trials < NURBS_TOUCHING_TRIALS)) {
        const convex *shape[2] = {&ca, &cb};
        c->best = d.distance;
        c->trials += d.distance == 0.0;
        try_points(c, &found, shape);
        if (s->status != TACT_OK || s->upper == 0.0)
            return -1.0;
    }
    return number_min(limit, c->cap);
}

/* The same without candidates: finds points that are close, no more. */
static double start_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    pair_collector *c = context;
    nurbs_search *s = c->search;
    convex ca, cb;
    search_candidate found;
    double error_a, error_b;
    if (c->idle++ > NURBS_START_PAIRS || !collect_side(c, 0, a, &ca, &found, &error_a) ||
        !collect_side(c, 1, b, &cb, &found, &error_b))
        return -1.0;
    const double inflation =
        (a->of->margin + b->of->margin) -
        (s->side[0].leaves.items[found.leaf[0]].margin + s->side[1].leaves.items[found.leaf[1]].margin) / s->scale;
    if (gap_of_cores(c, &ca, &cb) > c->best)
        return limit;
    c->cache.axis = c->normal;
    const tact_distance_def def = {.accuracy = NURBS_TRIANGLE_ACCURACY, .upper_bound = INFINITY, .cache = &c->cache};
    const tact_distance d = tact_convex_distance(&ca, &cb, &def);
    if (d.distance < c->best || (d.distance == 0.0 && c->trials < NURBS_TOUCHING_TRIALS)) {
        const convex *shape[2] = {&ca, &cb};
        c->idle = 0;
        c->best = d.distance;
        c->trials += d.distance == 0.0;
        try_points(c, &found, shape);
        if (s->status != TACT_OK || s->upper == 0.0)
            return -1.0;
    }
    return number_min(limit, number_max(c->best - inflation, 0.0));
}

/* Whether an instance is one NURBS leaf or one convex shape. */
static bool is_single(const instance *p) { return p->shape->nurbs != NULL || shape_is_convex(p->shape); }

/* Makes the pairs of patches of single shapes. */
static void start_single(pair_collector *c, const instance both[2])
{
    nurbs_search *s = c->search;
    for (int i = 0; i < 2; i++) {
        if (both[i].shape->nurbs != NULL)
            continue;
        const primitive whole = {&both[i], 0};
        convex shape;
        uint32_t node = UINT32_MAX;
        if (tact_primitive_convex(&whole, &shape) == TACT_OK)
            node = tact_nurbs_search_primitive(s, i, 0, &shape, 0);
        if (node == UINT32_MAX || !search_index_array_push(&s->side[i].roots, &s->allocator, node)) {
            s->status = TACT_OUT_OF_MEMORY;
            return;
        }
    }
    c->complete = tact_nurbs_search_all_patches(s);
}

/* ---- solids ------------------------------------------------------------------------------------------------------ */

typedef struct solid_search {
    const instance *other, *first; /* leaves of the second instance are compared with `first` */
    tact_common_point *common;
    tact_status status;
} solid_search;

/* Whether a component of `inner` is inside the solid `outer`. */
static bool holds_component(const instance *outer, const instance *inner, tact_vec3 *point, uint32_t *face,
                            tact_status *status)
{
    const mesh *m = inner->shape->mesh;
    *face = 0;
    if (m == NULL) {
        convex c;
        if (tact_convex_make(&c, inner->shape, &inner->at) != TACT_OK)
            return false;
        *point = vec_add(tact_convex_support(&c, vec_make(0.0, 0.0, 1.0), NULL), c.transform.origin);
        return vec_finite(*point) && tact_nurbs_solid_holds(outer, *point, status);
    }
    const uint32_t count = m->first_index != NULL ? m->element_count : m->component_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = m->first_index != NULL ? i : m->component_seeds[i];
        const size_t index = m->first_index != NULL ? m->first_index[element] : 3 * (size_t)element;
        *point = vec_add(vec_transform(&inner->at, m->vertices[m->indices[index]]), inner->at.origin);
        *face = mesh_face(m, element);
        if (tact_nurbs_solid_holds(outer, *point, status))
            return true;
    }
    return false;
}

static bool is_solid(const instance *p) { return p->shape->mesh != NULL && p->shape->mesh->solid; }

static bool visit_second(void *context, const instance *leaf)
{
    solid_search *s = context;
    for (int turn = 0; turn < 2; turn++) {
        const instance *outer = turn == 0 ? s->first : leaf, *inner = turn == 0 ? leaf : s->first;
        tact_part in_outer = {outer->leaf, 0}, in_inner = {inner->leaf, 0};
        if (!is_solid(outer) || !holds_component(outer, inner, &s->common->point, &in_inner.face, &s->status))
            continue;
        s->common->state = TACT_HIT;
        s->common->part_a = turn == 0 ? in_outer : in_inner;
        s->common->part_b = turn == 0 ? in_inner : in_outer;
        return false;
    }
    return true;
}

static bool visit_first(void *context, const instance *leaf)
{
    solid_search *s = context;
    s->first = leaf;
    return tact_traverse_leaves(s->other, visit_second, s);
}

/* Whether a solid of one contains a component of the other; the surfaces do not touch. */
static bool one_holds_the_other(const instance both[2], tact_common_point *common, tact_status *status)
{
    solid_search s = {.other = &both[1], .common = common, .status = TACT_OK};
    *common = (tact_common_point){.status = TACT_OK, .state = TACT_MISS};
    if (shape_has_solid(both[0].shape) || shape_has_solid(both[1].shape))
        (void)tact_traverse_leaves(&both[0], visit_first, &s);
    *status = s.status;
    return common->state == TACT_HIT;
}

/* ---- distance ---------------------------------------------------------------------------------------------------- */

/* Bounds from the triangles alone, if the search has none or worse. `r` has those of the search. */
static void bound_by_triangles(const instance both[2], double errors, tact_nurbs_separation *r)
{
    const tact_distance_def def = {.accuracy = NURBS_SEARCH_ACCURACY, .upper_bound = INFINITY};
    const tact_distance d = tact_complex_distance(both[0].shape, &both[0].at, both[1].shape, &both[1].at, &def);
    const double reach = vec_max_abs(d.on_a) + vec_max_abs(d.on_b),
                 lower = d.distance * (1.0 - 2.0 * NURBS_SEARCH_ACCURACY) - COMPLEX_SPHERE_SLACK * reach;
    if (d.status == TACT_OK && lower > r->lower)
        r->lower = lower;
    if (r->upper < INFINITY)
        return;
    r->upper = d.distance * (1.0 + 2.0 * NURBS_SEARCH_ACCURACY) + 2.0 * errors + COMPLEX_SPHERE_SLACK * reach;
    r->on_a = d.on_a;
    r->on_b = d.on_b;
    r->normal = d.normal;
    r->part_a = d.part_a;
    r->part_b = d.part_b;
}

static void set_common_point(tact_nurbs_separation *r, const tact_common_point *common)
{
    *r = (tact_nurbs_separation){.status = TACT_OK,
                                 .on_a = common->point,
                                 .on_b = common->point,
                                 .part_a = common->part_a,
                                 .part_b = common->part_b,
                                 .work = r->work};
}

/* The best points of the search, margins included. */
static void take_points(const pair_collector *c, tact_nurbs_separation *r)
{
    const nurbs_search *s = c->search;
    if (c->convex_best) {
        r->on_a = c->on[0];
        r->on_b = c->on[1];
        r->part_a = c->part[0];
        r->part_b = c->part[1];
        r->normal = s->upper > 0.0 ? c->normal : vec_make(0.0, 0.0, 0.0);
        return;
    }
    const search_node *n[2] = {&s->side[0].nodes.items[s->best[0].node], &s->side[1].nodes.items[s->best[1].node]};
    tact_nurbs_describe(s, 0, &s->best[0], &r->location_a, &r->part_a);
    tact_nurbs_describe(s, 1, &s->best[1], &r->location_b, &r->part_b);
    r->on_a = search_to_world(s, vec_mul_add(s->best[0].point, n[0]->margin, s->normal));
    r->on_b = search_to_world(s, vec_mul_add(s->best[1].point, -n[1]->margin, s->normal));
    r->normal = s->normal;
    if (s->upper > 0.0)
        return;
    r->normal = vec_make(0.0, 0.0, 0.0); /* a common point: on both cores, or in a margin */
    const double apart = vec_length(vec_sub(s->best[1].point, s->best[0].point));
    const double share = apart > 0.0 ? number_min(n[0]->margin, apart) : 0.0;
    r->on_a = r->on_b = search_to_world(s, vec_mul_add(s->best[0].point, share, s->normal));
}

static void search_pair_of_shapes(const instance both[2], const tact_nurbs_distance_def *def, tact_nurbs_separation *r)
{
    nurbs_search s;
    double error[2];
    const int degrees[2] = {tact_nurbs_degrees(&both[0], &error[0]), tact_nurbs_degrees(&both[1], &error[1])};
    double reach = 0.0;
    for (int i = 0; i < 2; i++) {
        const double radius = both[i].shape->bounding_radius * transform_norm_bound(&both[i].at);
        reach = number_max(reach, radius + vec_length_safe(vec_sub(both[i].at.origin, both[0].at.origin)));
    }
    const double size = number_max(tact_nurbs_size_of(&both[0]), tact_nurbs_size_of(&both[1]));
    const double accuracy = def->accuracy > 0.0 ? def->accuracy : NURBS_SEARCH_ACCURACY * size;
    const tact_allocator *allocator = &both[degrees[0] >= 0 ? 0 : 1].shape->allocator;
    tact_nurbs_search_begin(&s, both[0].at.origin, reach, degrees[0] > degrees[1] ? degrees[0] : degrees[1], accuracy,
                            def->max_work > 0 ? def->max_work : NURBS_SEARCH_WORK, allocator);
    pair_collector c = {.search = &s, .best = INFINITY, .cap = INFINITY, .complete = true};
    const bool single = is_single(&both[0]) && is_single(&both[1]);
    traversal w = {&c, single ? start_pair : collect_pair, NULL, false, TACT_OK};
    (void)tact_traverse_pairs_toward(&w, &both[0], &both[1], &c.normal, INFINITY);
    if (single && w.status == TACT_OK && s.status == TACT_OK && s.upper > 0.0 && !work_is_cancelled())
        start_single(&c, both); /* a traversal that is cancelled may have visited nothing */
    const tact_status failed = w.status != TACT_OK ? w.status : s.status;
    if (failed == TACT_OK && s.upper > 0.0) {
        const double before = s.upper;
        tact_nurbs_search_run(&s);
        c.convex_best = c.convex_best && !(s.upper < before);
    }
    r->work = s.work;
    r->status = failed != TACT_OK ? failed : s.status;
    if (r->status != TACT_BAD_ARGUMENT) {
        r->upper = s.upper > 0.0 ? (s.upper + s.slack) / s.scale : 0.0;
        r->lower = failed == TACT_OK && c.complete ? tact_nurbs_search_floor(&s) / s.scale : 0.0;
        bool trimmed = false;
        if (s.upper < INFINITY && !c.convex_best)
            trimmed = tact_nurbs_is_trimmed(&s, 0, &s.best[0]) || tact_nurbs_is_trimmed(&s, 1, &s.best[1]);
        if (trimmed) { /* the lower bound of the whole surfaces holds, the upper one does not */
            r->upper = INFINITY;
            r->status = r->status == TACT_OK ? TACT_NOT_CONVERGED : r->status;
            if (s.upper == 0.0)
                r->lower = 0.0;
            bound_by_triangles(both, error[0] + error[1], r);
        } else if (s.upper < INFINITY) {
            take_points(&c, r);
        }
        if (!trimmed && s.upper > 0.0 && (r->status == TACT_OUT_OF_MEMORY || !c.complete))
            bound_by_triangles(both, error[0] + error[1], r);
        r->lower = number_min(r->lower, r->upper);
        if (r->status == TACT_OK && r->upper - r->lower > (s.accuracy + 2.0 * s.slack) / s.scale)
            r->status = TACT_NOT_CONVERGED;
    }
    tact_nurbs_search_end(&s);
}

static TACT_NOINLINE tact_nurbs_separation compute_separation(const tact_shape *a, const tact_transform *transform_a,
                                                              const tact_shape *b, const tact_transform *transform_b,
                                                              const tact_nurbs_distance_def *def)
{
    instance both[2];
    bool swapped;
    tact_nurbs_separation r = {.status = TACT_BAD_ARGUMENT};
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK || shape_is_empty(a) ||
        shape_is_empty(b) || (!shape_has_nurbs(a) && !shape_has_nurbs(b)))
        return r;
    search_pair_of_shapes(both, def, &r);
    if (r.status == TACT_BAD_ARGUMENT)
        return (tact_nurbs_separation){.status = TACT_BAD_ARGUMENT};
    tact_common_point common;
    tact_status status;
    if (r.upper > 0.0) {
        const bool holds = one_holds_the_other(both, &common, &status);
        if (holds && !work_is_cancelled()) {
            set_common_point(&r, &common);
        } else if (status != TACT_OK) { /* a solid may contain the other shape */
            r.lower = 0.0;
            r.status = status;
        }
    }
    if (swapped) {
        const tact_nurbs_separation other = r;
        r.on_a = other.on_b;
        r.on_b = other.on_a;
        r.location_a = other.location_b;
        r.location_b = other.location_a;
        r.part_a = other.part_b;
        r.part_b = other.part_a;
        if (vec_max_abs(r.normal) > 0.0)
            r.normal = vec_negate(r.normal);
    }
    return r;
}

tact_nurbs_separation tact_nurbs_pair_separation(const tact_shape *a, const tact_transform *transform_a,
                                                 const tact_shape *b, const tact_transform *transform_b,
                                                 const tact_nurbs_distance_def *def)
{
    const fp_environment found = fp_environment_enter();
    tact_nurbs_separation answer = compute_separation(a, transform_a, b, transform_b, def);
    fp_environment_leave(found);
    if (work_is_cancelled() && answer.status != TACT_BAD_ARGUMENT) {
        answer.status = TACT_CANCELLED;
        answer.lower = 0.0;
    }
    return answer;
}

tact_distance tact_nurbs_pair_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                       const tact_transform *transform_b, const tact_distance_def *def)
{
    const tact_nurbs_distance_def own = {0};
    const tact_nurbs_separation r = tact_nurbs_pair_separation(a, transform_a, b, transform_b, &own);
    if (r.status == TACT_BAD_ARGUMENT)
        return (tact_distance){.status = r.status};
    if (def->cache != NULL && r.upper > 0.0)
        def->cache->axis = r.normal;
    /* where the bounds do not meet, their mean is still as accurate as the tessellations: tact_nurbs_distance tells */
    const double errors = (complex_margin(a, transform_a) - a->margin) + (complex_margin(b, transform_b) - b->margin);
    const bool accepted = r.status == TACT_NOT_CONVERGED && r.upper - r.lower <= NURBS_SEARCH_ACCEPTED_ERRORS * errors;
    const double distance = !accepted ? r.upper : r.lower > 0.0 ? 0.5 * (r.lower + r.upper) : 0.0;
    return (tact_distance){accepted ? TACT_OK : r.status, distance, r.on_a, r.on_b, r.normal, r.part_a, r.part_b};
}
