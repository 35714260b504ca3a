/*
 * The first hit of a ray on the true surfaces of a NURBS leaf without margin.
 *
 * Branch and bound on the parts of patches (nurbs_search.h), those that begin first along the ray first. A part is left
 * out if its control points prove that the line misses it: all are on one side of a plane through the line, or the
 * intervals of the line between pairs of parallel planes around them have no common point. Newton's method finds the
 * hits.
 *
 * Guarantee: let e be 1e-10 of the size of the leaf. If the ray meets a surface, there is a hit, and its parameter is
 * not beyond that of the first intersection by more than e. If the ray is nowhere closer to a surface than e, there is
 * none. Otherwise either answer is possible: the ray passes a silhouette or an edge within e. The edge of a trimmed
 * surface is that of the polyline of its loops, within the tolerance of the true one.
 *
 * Cost: 60 ns for each patch and some 2 us for each division, 20 to 40 of them as a rule.
 */
#include <float.h>

#include "complex/nurbs_query.h"
#include "complex/nurbs_search.h"
#include "core/heap.h"
#include "core/number.h"
#include "core/work.h"

/* A node and where the line may enter it. */
typedef struct ray_entry {
    double enter;
    uint32_t node;
} ray_entry;

ARRAY_OF(ray_entry_array, ray_entry);

static inline bool enters_first(const void *unused, const ray_entry *a, const ray_entry *b)
{
    (void)unused;
    return a->enter != b->enter ? a->enter < b->enter : a->node < b->node;
}
HEAP_OF(ray_heap, ray_entry, const void *, enters_first)

/* The line is base + x along, in the coordinates of the search. */
typedef struct surface_ray {
    nurbs_search search; /* its side 0 is the leaf */
    ray_entry_array nodes;
    tact_vec3 base, along, across[2]; /* unit vectors at right angles; `base` is the point closest to the origin */
    double begin, end, best;          /* x; best: of the first hit so far */
    search_place hit;
    bool any;
} surface_ray;

typedef struct interval {
    double low, high;
} interval;

static void widen(interval *i, double x)
{
    i->low = x < i->low ? x : i->low;
    i->high = x > i->high ? x : i->high;
}

/* Intersects `x` with the part of the line between two planes with normal n around the control points. */
static void clip_by_slab(const surface_ray *r, tact_vec3 n, interval heights, interval *x)
{
    const double speed = vec_dot(n, r->along), start = vec_dot(n, r->base), slack = r->search.slack;
    if (!(fabs(speed) > NURBS_RAY_MIN_SINE))
        return;
    const double a = (heights.low - slack - start) / speed, b = (heights.high + slack - start) / speed;
    x->low = max_double(x->low, a < b ? a : b);
    x->high = -max_double(-x->high, a < b ? -b : -a);
}

/* Where the line may be in a node; false: nowhere. */
static bool clip_by_node(const surface_ray *r, const search_node *node, interval *x)
{
    const search_side *side = &r->search.side[0];
    const nurbs_surface *surface = search_surface(side, node);
    const int k = surface->degree[1] + 1, size = (surface->degree[0] + 1) * k;
    const nurbs_vec4 *net = side->points.items + node->data;
    const double slack = r->search.slack;
    tact_vec3 corner[4];
    for (int i = 0; i < 4; i++) {
        const nurbs_vec4 *c = &net[(i / 2) * (size - k) + (i % 2) * (k - 1)];
        corner[i] = vec_make(c->x / c->w, c->y / c->w, c->z / c->w);
    }
    tact_vec3 n = vec_cross(vec_sub(corner[3], corner[0]), vec_sub(corner[2], corner[1]));
    n = vec_max_abs(n) > DBL_MIN ? vec_normalize(n) : r->along;
    const tact_vec3 out = vec_sub(node->centre, r->base);
    const double p = vec_dot(out, r->across[0]), q = vec_dot(out, r->across[1]), length = sqrt(p * p + q * q);
    interval a = {INFINITY, -INFINITY}, b = a, t = a, h = a;
    double least = INFINITY; /* along the direction from the line to the centre */
    for (int i = 0; i < size; i++) {
        const tact_vec3 c = vec_make(net[i].x / net[i].w, net[i].y / net[i].w, net[i].z / net[i].w),
                        o = vec_sub(c, r->base);
        const double u = vec_dot(o, r->across[0]), v = vec_dot(o, r->across[1]);
        widen(&a, u);
        widen(&b, v);
        widen(&t, vec_dot(o, r->along));
        widen(&h, vec_dot(c, n));
        least = -max_double(-least, -(u * p + v * q));
    }
    if (a.low > slack || a.high < -slack || b.low > slack || b.high < -slack || least > slack * length)
        return false;
    *x = (interval){max_double(t.low - slack, r->begin - slack), -max_double(-(t.high + slack), -(r->end + slack))};
    clip_by_slab(r, n, h, x);
    return x->low <= x->high;
}

/* Adds a node unless the line misses it, or enters it after the best hit. False: out of memory. */
static bool add_node(surface_ray *r, uint32_t node)
{
    interval x;
    if (!clip_by_node(r, &r->search.side[0].nodes.items[node], &x) || !(x.low < r->best - r->search.accuracy))
        return true;
    if (!ray_entry_array_reserve(&r->nodes, &r->search.allocator, r->nodes.count + 1))
        return false;
    const ray_entry n = {x.low, node};
    ray_heap_push(NULL, r->nodes.items, r->nodes.count++, n);
    return true;
}

static bool is_outside_loops(const surface_ray *r, const search_place *at)
{
    const search_side *side = &r->search.side[0];
    const nurbs_model *m = side->leaves.items[0].of.shape->nurbs->model;
    const nurbs_trim *trim = m->trims[m->patches[side->nodes.items[at->node].patch].surface];
    tact_nurbs_location place;
    tact_part part;
    if (trim == NULL)
        return false;
    tact_nurbs_describe(&r->search, 0, at, &place, &part);
    return !tact_nurbs_trim_contains(trim, place.u, place.v);
}

static void take_hit(surface_ray *r, uint32_t root, double s, double t, tact_vec3 point)
{
    const double x = vec_dot(vec_sub(point, r->base), r->along), slack = r->search.slack;
    const search_place at = {root, s, t, point};
    if (x < r->begin - slack || x > r->end + slack || !(x < r->best) || is_outside_loops(r, &at))
        return;
    r->any = true;
    r->best = x;
    r->hit = at;
}

/* Newton's method for the intersection of the line with a patch, from the middle of a node. */
static void find_hit(surface_ray *r, uint32_t index)
{
    const search_node *node = &r->search.side[0].nodes.items[index];
    double s, t;
    search_node_middle(node, &s, &t);
    for (int i = 0; i < NURBS_RAY_STEPS; i++) {
        tact_vec3 d[6];
        tact_nurbs_search_evaluate(&r->search.side[0], node->root, s, t, d);
        const tact_vec3 o = vec_sub(d[0], r->base);
        const double p = vec_dot(o, r->across[0]), q = vec_dot(o, r->across[1]);
        const double a = vec_dot(d[1], r->across[0]), b = vec_dot(d[2], r->across[0]), c = vec_dot(d[1], r->across[1]),
                     e = vec_dot(d[2], r->across[1]), det = a * e - b * c;
        const bool met = p * p + q * q <= r->search.slack * r->search.slack;
        if (met)
            take_hit(r, node->root, s, t, d[0]);
        if (met || !(fabs(det) > DBL_MIN))
            return;
        s -= (e * p - b * q) / det;
        t -= (a * q - c * p) / det;
        if (!(s >= -NURBS_RAY_OUTSIDE && s <= 1.0 + NURBS_RAY_OUTSIDE && t >= -NURBS_RAY_OUTSIDE &&
              t <= 1.0 + NURBS_RAY_OUTSIDE))
            return;
        s = s > 0.0 ? number_min(s, 1.0) : 0.0;
        t = t > 0.0 ? number_min(t, 1.0) : 0.0;
    }
}

static void run_ray(surface_ray *r)
{
    nurbs_search *s = &r->search;
    bool fine = true;
    while (fine && r->nodes.count > 0) {
        const ray_entry top = r->nodes.items[0];
        if (!(top.enter < r->best - s->accuracy))
            break;
        if (s->work++ >= s->max_work || !work_add(tact_work_current(), NURBS_SEARCH_UNITS)) {
            s->status = TACT_NOT_CONVERGED;
            break;
        }
        ray_heap_pop(NULL, r->nodes.items, r->nodes.count--);
        const search_node node = s->side[0].nodes.items[top.node];
        find_hit(r, top.node);
        if (vec_max_abs(vec_sub(node.high, node.low)) <= 0.5 * s->accuracy ||
            (node.level[0] >= NURBS_SEARCH_LEVELS && node.level[1] >= NURBS_SEARCH_LEVELS)) {
            double u, v;
            search_node_middle(&node, &u, &v);
            take_hit(r, node.root, u, v, node.centre); /* the surface is within the accuracy of the line */
            continue;
        }
        const uint32_t first = tact_nurbs_search_divide(s, 0, top.node);
        fine = first != UINT32_MAX && add_node(r, first) && add_node(r, first + 1);
    }
    if (!fine)
        s->status = TACT_OUT_OF_MEMORY;
}

static void finish_ray(const surface_ray *r, double length, tact_vec3 from, tact_vec3 direction, double limit,
                       tact_ray_hit *hit)
{
    const nurbs_search *s = &r->search;
    tact_nurbs_location place;
    *hit = (tact_ray_hit){.status = s->status,
                          .state = s->status != TACT_OK ? TACT_UNKNOWN
                                   : r->any             ? TACT_HIT
                                                        : TACT_MISS};
    if (hit->state != TACT_HIT)
        return;
    hit->t = number_min(number_max((r->best - r->begin) / s->scale / length, 0.0), limit);
    hit->point = hit->t > 0.0 ? vec_mul_add(from, hit->t, direction) : from;
    tact_nurbs_describe(s, 0, &r->hit, &place, &hit->part);
    if (!(hit->t > 0.0))
        return;
    const tact_vec3 n = tact_nurbs_normal(s, 0, r->hit.node, r->hit.s, r->hit.t);
    hit->normal = vec_dot(n, r->along) > 0.0 ? vec_negate(n) : n;
    if (!(vec_max_abs(n) > 0.0))
        hit->normal = vec_negate(r->along);
}

tact_ray_hit tact_nurbs_ray_on_leaf(const instance *leaf, tact_vec3 from, tact_vec3 direction, double limit)
{
    const double length = vec_length_safe(direction);
    const tact_vec3 unit = vec_normalize(direction), start = vec_sub(from, leaf->at.origin);
    const double reach = leaf->shape->bounding_radius * transform_norm_bound(&leaf->at), before = vec_dot(start, unit);
    const tact_vec3 nearest = vec_mul_add(start, -before, unit);
    tact_ray_hit hit = {.status = TACT_OK, .state = TACT_MISS};
    double error;
    const int degrees = tact_nurbs_degrees(leaf, &error);
    if (vec_length_safe(nearest) >
        (reach + error) * (1.0 + COMPLEX_SPHERE_SLACK) + COMPLEX_SPHERE_SLACK * vec_max_abs(start))
        return hit;
    surface_ray r = {.best = INFINITY, .along = unit};
    nurbs_search *s = &r.search;
    tact_nurbs_search_begin(s, leaf->at.origin, 2.0 * (reach + error), degrees,
                            NURBS_SEARCH_ACCURACY * tact_nurbs_size_of(leaf), NURBS_SEARCH_WORK,
                            &leaf->shape->allocator);
    s->first_order = true;
    s->slack += 4.0 * DBL_EPSILON * vec_max_abs(start) * s->scale; /* rounding of the line itself */
    s->accuracy = number_max(s->accuracy, 4.0 * s->slack);
    r.base = vec_scale(nearest, s->scale);
    r.begin = before * s->scale;
    r.end = limit < INFINITY ? r.begin + limit * length * s->scale : INFINITY;
    vec_tangent_basis(unit, &r.across[0], &r.across[1]);
    bool fine = tact_nurbs_search_leaf(s, 0, leaf) != UINT32_MAX;
    for (uint32_t i = 0; fine && i < leaf->shape->nurbs->model->patch_count; i++) {
        const uint32_t root = tact_nurbs_search_patch(s, 0, 0, i);
        fine = root != UINT32_MAX && add_node(&r, root);
    }
    if (fine)
        run_ray(&r);
    else
        s->status = TACT_OUT_OF_MEMORY;
    finish_ray(&r, length, from, direction, limit, &hit);
    ray_entry_array_release(&r.nodes, &s->allocator);
    tact_nurbs_search_end(s);
    return hit;
}
