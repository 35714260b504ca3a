/*
 * Distance, yes or no, within a distance, common point of meshes, soups and compounds.
 *
 * Guarantees: yes or no of two meshes is exact (narrow/triangle.h) on their placed vertices; with any other element, or a margin, it is that of convex
 * shapes. The distance is 0 exactly when they touch. A solid mesh holds what is inside it, by exact crossing parity: it is asked once
 * for each connected part of the other. Swapping A and B mirrors the answer: both orders do the same arithmetic.
 * Cost: the pairs of elements that the trees cannot tell apart, near ones first; and for solids a ray a connected part.
 */
#include "narrow/complex_query.h"

#include <float.h>

#include "narrow/complex.h"
#include "narrow/convex_query.h"
#include "narrow/parity.h"
#include "narrow/triangle.h"

/* Of the size: a distance of two triangles below this is decided exactly. Far more than the 32 roundings that it may be off by. */
#define DOUBTFUL (256.0 * DBL_EPSILON)

/* ---- triangles ---------------------------------------------------------------------------------------------------- */

static void spot_triangle(const spot *s, tact_vec3 corner[3])
{
    mesh_triangle(s->of->shape->mesh, &s->of->at, s->element, corner);
}

static bool triangles_meet(const spot *a, const spot *b)
{
    tact_vec3 p[3], q[3];
    spot_triangle(a, p);
    spot_triangle(b, q);
    return tact_triangles_meet(p, q);
}

/* The middle of what two triangles have in common. */
static bool triangles_common(const spot *a, const spot *b, tact_vec3 *point)
{
    tact_vec3 p[3], q[3];
    triangle_cut cut;
    spot_triangle(a, p);
    spot_triangle(b, q);
    int count = tact_triangles_cut(p, q, &cut);
    if (count == 0)
        return false;
    *point = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < count; i++)
        *point = vec_along(*point, 1.0 / count, cut.corners[i].at);
    return true;
}

/* ---- inside ------------------------------------------------------------------------------------------------------- */

typedef struct parity_search {
    const placed *solid;
    tact_vec3 point;
    parity_count count;
    bool on;
} parity_search;

static double count_crossing(void *context, uint32_t triangle, double limit)
{
    parity_search *s = context;
    tact_vec3 corner[3];
    mesh_triangle(s->solid->shape->mesh, &s->solid->at, triangle, corner);
    s->on = !tact_parity_add(&s->count, corner, s->point, 0);
    return s->on ? -1.0 : limit;
}

/* Inside a solid mesh, or on it; margins left out. */
static bool in_solid(const placed *p, tact_vec3 point)
{
    const tact_vec3 along_x = {1.0, 0.0, 0.0};
    parity_search s = {p, point, {0, 0}, false};
    (void)tact_aabb_tree_ray(&p->shape->mesh->tree, &p->at, point, along_x, INFINITY, count_crossing, &s);
    return s.on || s.count.crossings % 2 != 0;
}

typedef struct point_search {
    tact_vec3 point;
    bool solids_only; /* the elements have been compared already */
    bool found;
    tact_status status;
    tact_part part; /* in which it was found */
} point_search;

/* The core of a point. */
static convex point_core(const tact_shape *shape, tact_vec3 at)
{
    convex c = {0};
    c.kind = CONVEX_POINTS;
    c.point_count = 1;
    c.shape = shape; /* never looked into: a core of points carries its own */
    c.at = tact_identity();
    c.at.origin = at;
    return c;
}

/* Whether a point is in or on an element. */
static double look_at_element(void *context, const spot *s, double limit)
{
    point_search *search = context;
    if (spot_is_triangle(s)) {
        tact_vec3 corner[3];
        const tact_vec3 point[3] = {search->point, search->point, search->point};
        spot_triangle(s, corner);
        search->found = tact_triangles_meet(corner, point);
    } else {
        convex c;
        tact_verdict v = {TACT_BAD_ARGUMENT, TACT_UNKNOWN};
        if (tact_spot_convex(s, &c) == TACT_OK) {
            convex point = point_core(c.shape, search->point);
            v = tact_convex_within(&c, &point, 0.0, NULL);
        }
        if (v.status != TACT_OK)
            search->status = v.status;
        search->found = v.state == TACT_HIT;
    }
    search->part = spot_part(s);
    return search->found ? -1.0 : limit;
}

static bool look_in_leaf(void *context, const placed *leaf)
{
    point_search *search = context;
    const mesh *m = leaf->shape->mesh;
    if (m != NULL && m->solid && in_solid(leaf, search->point)) {
        search->found = true;
        search->part = (tact_part){leaf->leaf, 0};
    }
    return !search->found;
}

/* Whether a placed shape holds the point. */
static void look_for_point(const placed *p, point_search *search)
{
    if (!search->solids_only) {
        walk w = {search, NULL, look_at_element, true, TACT_OK};
        (void)tact_walk_near(&w, p, search->point, 0.0);
        if (w.status != TACT_OK)
            search->status = w.status;
    }
    if (!search->found)
        (void)tact_walk_leaves(p, look_in_leaf, search);
}

tact_status tact_complex_contains(const placed *p, tact_vec3 point, bool *inside)
{
    point_search search = {.point = point, .status = TACT_OK};
    look_for_point(p, &search);
    *inside = search.found;
    return search.found ? TACT_OK : search.status;
}

/* A point of each connected part of one shape, looked for in the solids of the other. */
typedef struct parts_search {
    const placed *other;
    point_search search;
    tact_part part; /* of the shape whose point was found */
} parts_search;

static bool try_point(parts_search *s, tact_vec3 point, tact_part part)
{
    s->search.point = point;
    s->part = part;
    look_for_point(s->other, &s->search);
    return !s->search.found;
}

static bool try_leaf(void *context, const placed *leaf)
{
    parts_search *s = context;
    const mesh *m = leaf->shape->mesh;
    convex c;
    if (m == NULL) {
        const tact_vec3 up = {0.0, 0.0, 1.0};
        return tact_convex_place(&c, leaf->shape, &leaf->at) != TACT_OK ||
               try_point(s, vec_add(tact_convex_support(&c, up, NULL), c.at.origin), (tact_part){leaf->leaf, 0});
    }
    bool soup = m->first != NULL;
    uint32_t count = soup ? m->element_count : m->component_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vertex = soup ? m->corners[m->first[i]] : m->component[i];
        tact_vec3 point = vec_add(vec_map(&leaf->at, m->vertices[vertex]), leaf->at.origin);
        if (!try_point(s, point, (tact_part){leaf->leaf, soup ? i : 0}))
            return false;
    }
    return true;
}

typedef struct solid_search {
    bool found;
} solid_search;

static bool find_solid(void *context, const placed *leaf)
{
    solid_search *s = context;
    s->found = leaf->shape->mesh != NULL && leaf->shape->mesh->solid;
    return !s->found;
}

static bool has_solid(const placed *p)
{
    solid_search s = {false};
    (void)tact_walk_leaves(p, find_solid, &s);
    return s.found;
}

bool tact_complex_inside(const placed *a, const placed *b, tact_common *common)
{
    for (int turn = 0; turn < 2; turn++) {
        const placed *outer = turn == 0 ? a : b, *inner = turn == 0 ? b : a;
        parts_search s = {.other = outer, .search = {.solids_only = true, .status = TACT_OK}};
        if (!has_solid(outer) || tact_walk_leaves(inner, try_leaf, &s))
            continue;
        common->state = TACT_HIT;
        common->point = s.search.point;
        common->part_a = turn == 0 ? s.search.part : s.part;
        common->part_b = turn == 0 ? s.part : s.search.part;
        return true;
    }
    return false;
}

/* ---- two shapes ---------------------------------------------------------------------------------------------------- */

/* Places both and puts them into one order. */
static tact_status place_both(placed both[2], const tact_shape *a, const tact_placement *at_a, const tact_shape *b,
                              const tact_placement *at_b, bool *swapped)
{
    if (tact_placed_make(&both[0], a, at_a) != TACT_OK || tact_placed_make(&both[1], b, at_b) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    *swapped = tact_placed_compare(&both[0], &both[1]) > 0;
    if (*swapped) {
        placed first = both[0];
        both[0] = both[1];
        both[1] = first;
    }
    return TACT_OK;
}

static bool both_convex(const spot *a, const spot *b, convex *ca, convex *cb, tact_status *status)
{
    if (tact_spot_convex(a, ca) == TACT_OK && tact_spot_convex(b, cb) == TACT_OK)
        return true;
    *status = TACT_BAD_ARGUMENT;
    return false;
}

/* --- yes or no --- */

typedef struct touch_search {
    double distance;
    tact_state state;
    tact_status status; /* of the worst pair */
    tact_cache cache;   /* from one pair of elements to the next: neighbours are separated alike */
} touch_search;

static double touch_pair(void *context, const spot *a, const spot *b, double limit)
{
    touch_search *s = context;
    if (s->distance == 0.0 && spot_is_triangle(a) && spot_is_triangle(b)) {
        s->state = triangles_meet(a, b) ? TACT_HIT : TACT_MISS;
    } else {
        convex ca, cb;
        if (!both_convex(a, b, &ca, &cb, &s->status))
            return -1.0;
        tact_verdict v = tact_convex_within(&ca, &cb, s->distance, &s->cache);
        if (v.status != TACT_OK)
            s->status = v.status;
        s->state = v.state;
    }
    return s->state == TACT_HIT ? -1.0 : limit;
}

tact_verdict tact_complex_within(const tact_shape *a, const tact_placement *at_a, const tact_shape *b,
                                 const tact_placement *at_b, double distance)
{
    placed both[2];
    bool swapped;
    if (place_both(both, a, at_a, b, at_b, &swapped) != TACT_OK)
        return (tact_verdict){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    touch_search s = {.distance = distance, .state = TACT_MISS, .status = TACT_OK};
    walk w = {&s, touch_pair, NULL, distance == 0.0, TACT_OK};
    (void)tact_walk_pairs(&w, &both[0], &both[1], distance);
    tact_common common;
    if (s.state == TACT_HIT || (w.status == TACT_OK && tact_complex_inside(&both[0], &both[1], &common)))
        return (tact_verdict){TACT_OK, TACT_HIT};
    tact_status status = w.status != TACT_OK ? w.status : s.status;
    return (tact_verdict){status, status == TACT_OK ? TACT_MISS : TACT_UNKNOWN};
}

/* --- common point --- */

typedef struct common_search {
    tact_common found;
    tact_status status;
    tact_cache cache;
} common_search;

static double common_pair(void *context, const spot *a, const spot *b, double limit)
{
    common_search *s = context;
    if (spot_is_triangle(a) && spot_is_triangle(b)) {
        s->found.state = triangles_common(a, b, &s->found.point) ? TACT_HIT : TACT_MISS;
    } else {
        convex ca, cb;
        if (!both_convex(a, b, &ca, &cb, &s->status))
            return -1.0;
        tact_common c = tact_convex_common_point(&ca, &cb, &s->cache);
        if (c.status != TACT_OK)
            s->status = c.status;
        s->found.state = c.state;
        s->found.point = c.point;
    }
    if (s->found.state != TACT_HIT)
        return limit;
    s->found.part_a = spot_part(a);
    s->found.part_b = spot_part(b);
    return -1.0;
}

static void swap_parts(tact_part *a, tact_part *b)
{
    tact_part part = *a;
    *a = *b;
    *b = part;
}

tact_common tact_complex_common_point(const tact_shape *a, const tact_placement *at_a, const tact_shape *b,
                                      const tact_placement *at_b)
{
    const tact_common nothing = {.status = TACT_OK, .state = TACT_MISS};
    placed both[2];
    bool swapped;
    if (place_both(both, a, at_a, b, at_b, &swapped) != TACT_OK)
        return (tact_common){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    common_search s = {.found = nothing, .status = TACT_OK};
    walk w = {&s, common_pair, NULL, true, TACT_OK};
    (void)tact_walk_pairs(&w, &both[0], &both[1], 0.0);
    if (s.found.state != TACT_HIT) {
        s.found = nothing;
        if (w.status != TACT_OK || !tact_complex_inside(&both[0], &both[1], &s.found)) {
            tact_status status = w.status != TACT_OK ? w.status : s.status;
            return (tact_common){.status = status, .state = status == TACT_OK ? TACT_MISS : TACT_UNKNOWN};
        }
    }
    if (swapped)
        swap_parts(&s.found.part_a, &s.found.part_b);
    return s.found;
}

/* --- distance --- */

typedef struct distance_search {
    tact_distance best;
    bool any; /* whether there has been a pair at all */
    tact_status status;
    tact_distance_def def;
} distance_search;

static double distance_pair(void *context, const spot *a, const spot *b, double limit)
{
    distance_search *s = context;
    convex ca, cb;
    if (!both_convex(a, b, &ca, &cb, &s->status))
        return -1.0;
    s->def.enough = s->any ? limit : INFINITY;
    tact_distance d = tact_convex_distance(&ca, &cb, &s->def);
    if (d.status != TACT_OK && d.distance < limit)
        s->status = d.status;
    double size = ca.reach + cb.reach + vec_largest(ca.at.origin) + vec_largest(cb.at.origin);
    if (d.distance <= DOUBTFUL * size && spot_is_triangle(a) && spot_is_triangle(b)) {
        tact_vec3 point;
        if (triangles_common(a, b, &point)) {
            d = (tact_distance){.status = TACT_OK, .on_a = point, .on_b = point};
        } else if (!(d.distance > 0.0)) { /* apart by less than the rounding of a distance, but apart */
            d.distance = 0.5 * DBL_EPSILON * size;
            d.normal = vec_unit(vec_sub(b->of->at.origin, a->of->at.origin));
        }
    }
    if (s->any && !(d.distance < s->best.distance))
        return limit;
    s->any = true;
    s->best = d;
    s->best.part_a = spot_part(a);
    s->best.part_b = spot_part(b);
    return d.distance > 0.0 ? d.distance : -1.0;
}

tact_distance tact_complex_distance(const tact_shape *a, const tact_placement *at_a, const tact_shape *b,
                                    const tact_placement *at_b, const tact_distance_def *def)
{
    placed both[2];
    bool swapped;
    if (place_both(both, a, at_a, b, at_b, &swapped) != TACT_OK || shape_is_empty(a) || shape_is_empty(b))
        return (tact_distance){.status = TACT_BAD_ARGUMENT};
    distance_search s = {.status = TACT_OK, .def = {.accuracy = def->accuracy, .enough = INFINITY, .cache = NULL}};
    walk w = {&s, distance_pair, NULL, false, TACT_OK};
    (void)tact_walk_pairs(&w, &both[0], &both[1], INFINITY);
    if (w.status != TACT_OK)
        return (tact_distance){.status = w.status};
    tact_common inside;
    if (s.best.distance > 0.0 && tact_complex_inside(&both[0], &both[1], &inside))
        s.best = (tact_distance){.on_a = inside.point, .on_b = inside.point, .part_a = inside.part_a, .part_b = inside.part_b};
    s.best.status = s.status;
    if (swapped) {
        tact_vec3 on_a = s.best.on_a;
        s.best.on_a = s.best.on_b;
        s.best.on_b = on_a;
        if (s.best.distance > 0.0)
            s.best.normal = vec_negate(s.best.normal);
        swap_parts(&s.best.part_a, &s.best.part_b);
    }
    if (def->cache != NULL && s.best.distance > 0.0)
        def->cache->axis = s.best.normal;
    return s.best;
}
