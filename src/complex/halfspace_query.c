/*
 * Queries about a half-space and any other shape.
 *
 * Guarantee: closed forms. The separation is the least height of the other shape above the plane: one support point
 * against the normal (a vertex of a mesh, found by its tree), accurate to 32 units of roundoff of the largest
 * coordinate. It is the distance of disjoint shapes, and minus the exact penetration depth of overlapping ones: no
 * translation separates sooner than that along the normal. A NURBS shape counts with its tessellation, enlarged by
 * the tessellation's error.
 *
 * Two half-spaces are disjoint only if their normals are opposite (up to HALFSPACE_OPPOSITE) and there is a gap. Apart
 * from that case their intersection is unbounded unless it is a slab.
 *
 * Cost: an inverse of a 3 x 3 matrix and a support point: some 60 ns for a box, O(log n) for a mesh as a rule. Contacts
 * and manifold of a mesh or compound visit the elements within reach of the plane.
 *
 * Everything is relative to the origin of the half-space's transform, which comes first in all arithmetic: swapping A
 * and B mirrors the answer bit for bit.
 */
#include "complex/halfspace_query.h"

#include <float.h>
#include <string.h>

#include "complex/primitive_feature.h"
#include "convex/convex_query.h"
#include "convex/pair_order.h"
#include "core/number.h"
#include "core/work.h"
#include "math/elementary.h"
#include "math/fp_environment.h"
#include "shape/complex_support.h"

/* A pair with the half-space first. */
typedef struct halfspace_pair {
    const tact_shape *first, *other;
    const tact_transform *transform_first, *transform_other;
    bool swapped; /* the half-space is B */
} halfspace_pair;

/* An order of two half-spaces that does not depend on which is A. */
static bool is_after(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                     const tact_transform *transform_b)
{
    int order = tact_compare_transforms(transform_a, transform_b);
    if (order == 0)
        order = tact_compare_vectors(a->normal, b->normal);
    if (order == 0)
        order = (a->offset > b->offset) - (a->offset < b->offset);
    if (order == 0)
        order = (a->margin > b->margin) - (a->margin < b->margin);
    return order > 0;
}

bool tact_halfspace_is_second(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                              const tact_transform *transform_b)
{
    return !shape_is_halfspace(a) || (shape_is_halfspace(b) && is_after(a, transform_a, b, transform_b));
}

static halfspace_pair pair_of(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                              const tact_transform *transform_b)
{
    return tact_halfspace_is_second(a, transform_a, b, transform_b)
               ? (halfspace_pair){b, a, transform_b, transform_a, true}
               : (halfspace_pair){a, b, transform_a, transform_b, false};
}

/* ---- separation -------------------------------------------------------------------------------------------------- */

static double largest_component_of_sum(tact_vec3 a, tact_vec3 b) { return vec_max_abs(vec_add(a, b)); }

/* Two half-spaces. The point is one of the second half-space; if they overlap, of both. */
static tact_status separate_halfspaces(const tact_shape *other, const tact_transform *transform_other,
                                       halfspace_separation *s)
{
    halfspace_plane q;
    const halfspace_plane *p = &s->plane;
    if (tact_halfspace_plane(other, transform_other, &q) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const tact_vec3 between = vec_sub(q.origin, p->origin);
    if (largest_component_of_sum(p->normal, q.normal) <= HALFSPACE_OPPOSITE) {
        s->distance = vec_dot(p->normal, between) - (p->offset + q.offset);
        s->point = vec_mul_add(p->origin, p->offset + s->distance, p->normal);
        return TACT_OK;
    }
    /* u descends below both planes: u . p = u . q = -1/2 */
    const tact_vec3 sum = vec_add(p->normal, q.normal), u = vec_scale(sum, -1.0 / vec_length_squared(sum));
    const double t = number_max(-2.0 * p->offset, 2.0 * (-vec_dot(q.normal, between) - q.offset));
    s->distance = -INFINITY;
    s->point = vec_mul_add(p->origin, t, u);
    return TACT_OK;
}

tact_status tact_halfspace_separation_of(const tact_shape *first, const tact_transform *transform_first,
                                         const tact_shape *other, const tact_transform *transform_other,
                                         halfspace_separation *s)
{
    if (tact_halfspace_plane(first, transform_first, &s->plane) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    s->part = (tact_part){0, 0};
    if (shape_is_halfspace(other))
        return separate_halfspaces(other, transform_other, s);
    tact_transform relative = *transform_other;
    relative.origin = vec_sub(transform_other->origin, s->plane.origin);
    const tact_vec3 down = vec_negate(s->plane.normal);
    tact_vec3 lowest;
    if (shape_is_convex(other) || tact_transform_check(&relative, NULL) != TACT_OK) {
        if (tact_shape_support(other, relative, down, &lowest) != TACT_OK)
            return TACT_BAD_ARGUMENT;
    } else if (!(transformed_radius(&relative, other->bounding_radius) + other->margin <= SHAPE_MAX_COORDINATE) ||
               tact_complex_support_point(other, &relative, down, &lowest, &s->part) != TACT_OK) {
        return TACT_BAD_ARGUMENT;
    }
    s->distance = vec_dot(s->plane.normal, lowest) - s->plane.offset;
    s->point = vec_add(lowest, s->plane.origin);
    return TACT_OK;
}

/* A shape without points is disjoint from everything. */
static bool is_usable(const halfspace_pair *p)
{
    halfspace_plane plane;
    return tact_halfspace_plane(p->first, p->transform_first, &plane) == TACT_OK &&
           tact_transform_check(p->transform_other, NULL) == TACT_OK;
}

static tact_status separate(const halfspace_pair *p, halfspace_separation *s)
{
    const fp_environment found = fp_environment_enter();
    const tact_status status =
        tact_halfspace_separation_of(p->first, p->transform_first, p->other, p->transform_other, s);
    fp_environment_leave(found);
    return status;
}

/* From A to B. */
static tact_vec3 normal_of(const halfspace_pair *p, const halfspace_separation *s)
{
    return p->swapped ? vec_negate(s->plane.normal) : s->plane.normal;
}

/* The point of the plane below the lowest point of the other shape, or above it. */
static tact_vec3 foot_of(const halfspace_separation *s) { return vec_mul_add(s->point, -s->distance, s->plane.normal); }

/* ---- distance, overlap, depth ------------------------------------------------------------------------------------ */

tact_distance tact_halfspace_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, const tact_distance_def *def)
{
    const halfspace_pair p = pair_of(a, transform_a, b, transform_b);
    halfspace_separation s;
    if (shape_is_empty(p.other) || separate(&p, &s) != TACT_OK)
        return (tact_distance){.status = TACT_BAD_ARGUMENT};
    tact_distance d = {.status = TACT_OK, .on_a = s.point, .on_b = s.point};
    if (p.swapped)
        d.part_a = s.part;
    else
        d.part_b = s.part;
    if (!(s.distance > 0.0))
        return d;
    d.distance = s.distance;
    d.normal = normal_of(&p, &s);
    *(p.swapped ? &d.on_b : &d.on_a) = foot_of(&s);
    if (def->cache != NULL)
        def->cache->axis = d.normal;
    return d;
}

tact_overlap tact_halfspace_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, double distance, tact_cache *cache)
{
    const halfspace_pair p = pair_of(a, transform_a, b, transform_b);
    halfspace_separation s;
    if (shape_is_empty(p.other))
        return is_usable(&p) ? (tact_overlap){TACT_OK, TACT_MISS} : (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    if (separate(&p, &s) != TACT_OK)
        return (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    if (cache != NULL && s.distance > 0.0)
        cache->axis = normal_of(&p, &s);
    return (tact_overlap){TACT_OK, s.distance <= distance ? TACT_HIT : TACT_MISS};
}

tact_common_point tact_halfspace_common_point(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b, tact_cache *cache)
{
    const tact_distance_def def = {.cache = cache};
    const tact_overlap overlap = tact_halfspace_within(a, transform_a, b, transform_b, 0.0, cache);
    tact_common_point out = {.status = overlap.status, .state = overlap.state};
    if (overlap.state != TACT_HIT)
        return out;
    const tact_distance d = tact_halfspace_distance(a, transform_a, b, transform_b, &def);
    out.point = d.on_a;
    out.part_a = d.part_a;
    out.part_b = d.part_b;
    return out;
}

/* From a separation that is finite. */
static tact_penetration penetration_of(const halfspace_pair *p, const halfspace_separation *s)
{
    tact_penetration d = {.status = TACT_OK, .depth = -s->distance, .normal = normal_of(p, s)};
    *(p->swapped ? &d.on_a : &d.on_b) = s->point;
    *(p->swapped ? &d.on_b : &d.on_a) = foot_of(s);
    *(p->swapped ? &d.part_a : &d.part_b) = s->part;
    return d;
}

tact_penetration tact_halfspace_penetration(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                            const tact_transform *transform_b)
{
    const halfspace_pair p = pair_of(a, transform_a, b, transform_b);
    halfspace_separation s;
    if (shape_is_empty(p.other) || separate(&p, &s) != TACT_OK || !(s.distance > -INFINITY))
        return (tact_penetration){.status = TACT_BAD_ARGUMENT};
    return penetration_of(&p, &s);
}

/* ---- contact points ---------------------------------------------------------------------------------------------- */

/* A part of the plane as a triangle that contains all points within `radius` of `centre`, projected onto the plane. */
static convex plane_triangle(const halfspace_separation *s, const tact_shape *halfspace, tact_vec3 centre,
                             double radius)
{
    convex c = {.kind = CONVEX_POINTS, .point_count = 3, .shape = halfspace, .transform = tact_identity()};
    tact_vec3 e, f;
    vec_tangent_basis(s->plane.normal, &e, &f);
    c.transform.origin = vec_mul_add(centre, -halfspace_height(&s->plane, centre), s->plane.normal);
    c.bounding_radius = 4.0 * radius;
    c.points[0] = vec_scale(e, c.bounding_radius);
    c.points[1] = vec_mul_add(vec_scale(e, -0.5 * c.bounding_radius), sqrt(0.75) * c.bounding_radius, f);
    c.points[2] = vec_mul_add(vec_scale(e, -0.5 * c.bounding_radius), -sqrt(0.75) * c.bounding_radius, f);
    return c;
}

#define HALFSPACE_FEATURE feature_make(FEATURE_FACE, 0)

/* The manifold of the half-space (A) and a convex shape or element (B): the support face of B, as far as it is within
 * reach. */
static tact_manifold convex_manifold(const halfspace_separation *s, const tact_shape *halfspace, const convex *c,
                                     double max_separation)
{
    const tact_vec3 n = s->plane.normal, down = vec_negate(n);
    const tact_vec3 lowest =
        vec_add(vec_mul_add(tact_convex_support(c, down, NULL), c->margin, down), c->transform.origin);
    tact_manifold m = {.status = TACT_OK};
    tact_penetration d = {.status = TACT_OK, .normal = n, .on_b = lowest};
    d.depth = -halfspace_height(&s->plane, lowest);
    d.on_a = vec_mul_add(lowest, d.depth, n);
    if (!vec_finite(lowest)) /* a custom support function returned NaN or infinity */
        return (tact_manifold){.status = TACT_BAD_ARGUMENT};
    const double radius = c->bounding_radius + c->margin;
    const convex plane = plane_triangle(s, halfspace, c->transform.origin, number_max(radius, DBL_MIN));
    tact_convex_manifold_along(&plane, c, &d, max_separation, &m);
    for (int i = 0; i < m.count; i++)
        m.points[i].feature_a = HALFSPACE_FEATURE; /* not a part of the triangle */
    return m;
}

/* Points are for the half-space as A until the end. */
typedef void contact_sink(void *context, const tact_contact_point *point);

typedef struct contact_walk {
    const halfspace_separation *s;
    const tact_shape *halfspace;
    double max_separation;
    contact_sink *sink;
    void *context;
    tact_status status;
} contact_walk;

static void add_lowest(const contact_walk *w, tact_vec3 vertex, double margin, tact_part part, uint32_t feature)
{
    const tact_vec3 n = w->s->plane.normal, p = vec_mul_add(vertex, -margin, n);
    const double depth = -halfspace_height(&w->s->plane, p);
    if (depth >= -w->max_separation)
        w->sink(w->context,
                &(tact_contact_point){vec_mul_add(p, depth, n), p, n, depth, {0, 0}, part, HALFSPACE_FEATURE, feature});
}

/* Of a triangle of a mesh the vertices, of other elements the manifold. */
static double visit_element(void *context, const primitive *slab, const primitive *on, double limit)
{
    contact_walk *w = context;
    const tact_part part = primitive_part(on);
    (void)slab;
    if (on->of->shape->type == TACT_MESH) {
        tact_vec3 vertices[3];
        mesh_triangle(on->of->shape->mesh, &on->of->at, on->element, vertices);
        for (int k = 0; k < 3; k++)
            add_lowest(w, vertices[k], on->of->margin, part,
                       primitive_feature(on, feature_make(FEATURE_VERTEX, (uint32_t)k)));
        return limit;
    }
    convex c;
    tact_manifold m = {.status = TACT_BAD_ARGUMENT};
    if (tact_primitive_convex(on, &c) == TACT_OK)
        m = convex_manifold(w->s, w->halfspace, &c, w->max_separation);
    if (m.status != TACT_OK) {
        w->status = m.status;
        return -1.0;
    }
    for (int i = 0; i < m.count; i++)
        w->sink(w->context, &(tact_contact_point){m.points[i].on_a,
                                                  m.points[i].on_b,
                                                  m.normal,
                                                  m.points[i].depth,
                                                  {0, 0},
                                                  part,
                                                  HALFSPACE_FEATURE,
                                                  primitive_feature(on, m.points[i].feature_b)});
    return limit;
}

/* Visits the elements within reach of the plane: those within reach of a box below it that is wider and deeper than the
 * other shape. */
static tact_status walk_contacts(const halfspace_pair *p, contact_walk *w)
{
    const halfspace_separation *s = w->s;
    instance slab, other;
    tact_shape below;
    if (tact_instance_make(&other, p->other, p->transform_other) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const double radius = p->other->bounding_radius * transform_norm_bound(p->transform_other) + other.margin;
    const double half = number_max(2.0 * (radius + fabs(s->distance)), DBL_MIN);
    tact_transform at;
    tact_halfspace_box(&s->plane, p->transform_other->origin, half, &p->other->allocator, &below, &at);
    if (tact_instance_make(&slab, &below, &at) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    traversal t = {w, visit_element, NULL, false, TACT_OK};
    const double slack = HALFSPACE_REACH_SLACK * (half + vec_max_abs(at.origin));
    (void)tact_traverse_pairs(&t, &slab, &other, w->max_separation + slack);
    return t.status != TACT_OK ? t.status : w->status;
}

/* ---- a manifold of many elements --- */

/* The deepest point, and the outermost ones in directions that divide the circle. */
typedef struct outermost_points {
    tact_vec3 e, f;
    int count; /* 0: none yet; else all are set */
    tact_contact_point points[TACT_MANIFOLD_POINTS];
    double reach[TACT_MANIFOLD_POINTS]; /* along the direction of each; the depth of the first */
} outermost_points;

static void keep_outermost(void *context, const tact_contact_point *point)
{
    static const double full_turn = 6.283185307179586;
    outermost_points *o = context;
    for (int i = 0; i < TACT_MANIFOLD_POINTS; i++) {
        const double angle = full_turn * i / (TACT_MANIFOLD_POINTS - 1);
        const double reach =
            i == 0
                ? point->depth
                : vec_dot(vec_add(vec_scale(o->e, tact_cosine(angle)), vec_scale(o->f, tact_sine(angle))), point->on_b);
        if (o->count == 0 || reach > o->reach[i]) {
            o->points[i] = *point;
            o->reach[i] = reach;
        }
    }
    o->count = TACT_MANIFOLD_POINTS;
}

/* Adds a point unless it is there, in descending order after the first. */
static void add_manifold_point(tact_manifold *m, const tact_contact_point *p)
{
    for (int i = 0; i < m->count; i++)
        if (vec_equal(m->points[i].on_b, p->on_b))
            return;
    int at = m->count++;
    for (; at > 1 && m->points[at - 1].depth < p->depth; at--)
        m->points[at] = m->points[at - 1];
    m->points[at] = (tact_manifold_point){p->on_a, p->on_b, p->depth, p->part_a, p->part_b, p->feature_a, p->feature_b};
}

static void swap_manifold(tact_manifold *m)
{
    m->normal = vec_negate(m->normal);
    for (int i = 0; i < m->count; i++) {
        const tact_manifold_point p = m->points[i];
        m->points[i] = (tact_manifold_point){p.on_b, p.on_a, p.depth, p.part_b, p.part_a, p.feature_b, p.feature_a};
    }
}

static TACT_NOINLINE tact_manifold compute_manifold(const halfspace_pair *p, double max_separation)
{
    halfspace_separation s;
    if (shape_is_empty(p->other) || separate(p, &s) != TACT_OK || !(s.distance > -INFINITY))
        return (tact_manifold){.status = TACT_BAD_ARGUMENT};
    const halfspace_pair straight = {.swapped = false};
    const tact_penetration d = penetration_of(&straight, &s);
    tact_manifold m = {.status = TACT_OK, .state = TACT_MISS, .normal = d.normal, .depth = d.depth};
    convex c;
    if (d.depth < -max_separation) {
        /* no points */
    } else if (shape_is_convex(p->other)) {
        if (tact_convex_make(&c, p->other, p->transform_other) != TACT_OK)
            return (tact_manifold){.status = TACT_BAD_ARGUMENT};
        m = convex_manifold(&s, p->first, &c, max_separation);
    } else {
        const tact_contact_point deepest = {d.on_a,   d.on_b,   d.normal,          d.depth,
                                            d.part_a, d.part_b, HALFSPACE_FEATURE, 0};
        outermost_points o = {.count = 0};
        vec_tangent_basis(d.normal, &o.e, &o.f);
        contact_walk w = {&s, p->first, max_separation, keep_outermost, &o, TACT_OK};
        m.status = shape_is_halfspace(p->other) ? TACT_OK : walk_contacts(p, &w);
        m.state = TACT_HIT;
        /* The deepest contact has the depth of the pair up to rounding: then it is that one, with its feature. */
        const double slack = HALFSPACE_REACH_SLACK * (vec_max_abs(d.on_b) + vec_max_abs(p->transform_other->origin) +
                                                      vec_max_abs(s.plane.origin) + fabs(s.plane.offset));
        add_manifold_point(&m, o.count > 0 && o.points[0].depth >= d.depth - slack ? &o.points[0] : &deepest);
        for (int i = 1; i < o.count; i++)
            add_manifold_point(&m, &o.points[i]);
        if (m.status != TACT_OK)
            return (tact_manifold){.status = m.status};
    }
    if (p->swapped)
        swap_manifold(&m);
    return m;
}

tact_manifold tact_halfspace_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                      tact_vec3 point)
{
    const halfspace_pair p = pair_of(a, transform_a, b, transform_b);
    (void)normal;
    (void)point;
    const fp_environment found = fp_environment_enter();
    const tact_manifold m = compute_manifold(&p, max_separation);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_manifold){.status = TACT_CANCELLED} : m;
}

/* ---- all contacts --- */

typedef struct deepest_points {
    tact_contact_point *points; /* in descending order of depth */
    size_t capacity, stored, found;
} deepest_points;

/* Vertices that triangles share come more than once, with equal numbers. */
static void keep_deepest(void *context, const tact_contact_point *point)
{
    deepest_points *k = context;
    size_t low = 0, high = k->stored;
    while (low < high) { /* the first that is not deeper */
        const size_t middle = low + (high - low) / 2;
        if (k->points[middle].depth > point->depth)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < k->stored && k->points[i].depth == point->depth; i++)
        if (vec_equal(k->points[i].on_b, point->on_b))
            return;
    k->found++;
    if (low == k->capacity)
        return;
    const size_t moved = (k->stored < k->capacity ? k->stored : k->capacity - 1) - low;
    memmove(k->points + low + 1, k->points + low, moved * sizeof *k->points);
    k->points[low] = *point;
    k->stored += k->stored < k->capacity;
}

static TACT_NOINLINE tact_contacts compute_contacts(const halfspace_pair *p, double max_separation,
                                                    tact_contact_point *points, size_t capacity)
{
    deepest_points k = {points, capacity, 0, 0};
    if (shape_is_empty(p->other))
        return is_usable(p) ? (tact_contacts){.status = TACT_OK, .state = TACT_MISS}
                            : (tact_contacts){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    if (shape_is_convex(p->other) || shape_is_halfspace(p->other)) {
        const tact_manifold m = compute_manifold(p, max_separation);
        if (m.status != TACT_OK)
            return (tact_contacts){.status = m.status, .state = TACT_UNKNOWN};
        for (size_t i = 0; i < (size_t)m.count && i < capacity; i++)
            points[i] = (tact_contact_point){m.points[i].on_a,      m.points[i].on_b,     m.normal,
                                             m.points[i].depth,     m.points[i].part_a,   m.points[i].part_b,
                                             m.points[i].feature_a, m.points[i].feature_b};
        return (tact_contacts){TACT_OK, m.state, (size_t)m.count};
    }
    halfspace_separation s;
    tact_status status = separate(p, &s);
    contact_walk w = {&s, p->first, max_separation, keep_deepest, &k, TACT_OK};
    if (status == TACT_OK && s.distance <= max_separation) {
        status = walk_contacts(p, &w);
        const tact_vec3 n = s.plane.normal;
        if (k.found == 0) /* the lowest vertex is within reach, but by rounding alone */
            keep_deepest(
                &k, &(tact_contact_point){foot_of(&s), s.point, n, -s.distance, {0, 0}, s.part, HALFSPACE_FEATURE, 0});
    }
    if (status != TACT_OK)
        return (tact_contacts){.status = status, .state = TACT_UNKNOWN};
    for (size_t i = 0; p->swapped && i < k.stored; i++) {
        const tact_contact_point c = points[i];
        points[i] = (tact_contact_point){c.on_b,   c.on_a,   vec_negate(c.normal), c.depth,
                                         c.part_b, c.part_a, c.feature_b,          c.feature_a};
    }
    return (tact_contacts){TACT_OK, k.found > 0 ? TACT_HIT : TACT_MISS, k.found};
}

tact_contacts tact_halfspace_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, double max_separation,
                                      tact_contact_point *points, size_t capacity)
{
    const halfspace_pair p = pair_of(a, transform_a, b, transform_b);
    const fp_environment found = fp_environment_enter();
    tact_contacts c = compute_contacts(&p, max_separation, points, capacity);
    fp_environment_leave(found);
    c.status = work_status(c.status);
    c.state = c.status == TACT_CANCELLED && c.state == TACT_MISS ? TACT_UNKNOWN : c.state;
    return c;
}

tact_intersections tact_halfspace_intersections(const tact_shape *a, const tact_transform *transform_a,
                                                const tact_shape *b, const tact_transform *transform_b,
                                                tact_intersection *segments, size_t capacity)
{
    const tact_overlap overlap = tact_halfspace_within(a, transform_a, b, transform_b, 0.0, NULL);
    (void)segments;
    (void)capacity;
    if (overlap.state == TACT_MISS)
        return (tact_intersections){.status = TACT_OK, .state = TACT_MISS};
    return (tact_intersections){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
}

/* ---- a ray or a point -------------------------------------------------------------------------------------------- */

tact_ray_hit tact_halfspace_ray(const tact_shape *shape, const tact_transform *transform, tact_vec3 from,
                                tact_vec3 direction, double max)
{
    halfspace_plane p;
    if (tact_halfspace_plane(shape, transform, &p) != TACT_OK)
        return (tact_ray_hit){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    const double height = halfspace_height(&p, from);
    if (!(height > 0.0))
        return (tact_ray_hit){.status = TACT_OK, .state = TACT_HIT, .point = from};
    /* the components along the unit direction: no product overflows, and none that matters underflows */
    const tact_vec3 unit = vec_normalize(direction);
    const double fall = -vec_dot(p.normal, unit), along = height / fall, t = along / vec_dot(unit, direction);
    if (!(fall > 0.0) || !(t <= max) || !(along < INFINITY))
        return (tact_ray_hit){.status = TACT_OK, .state = TACT_MISS};
    return (tact_ray_hit){
        .status = TACT_OK, .state = TACT_HIT, .t = t, .point = vec_mul_add(from, along, unit), .normal = p.normal};
}

tact_closest tact_halfspace_closest(const tact_shape *shape, const tact_transform *transform, tact_vec3 from)
{
    halfspace_plane p;
    if (tact_halfspace_plane(shape, transform, &p) != TACT_OK)
        return (tact_closest){.status = TACT_BAD_ARGUMENT};
    const double height = halfspace_height(&p, from);
    return (tact_closest){
        .status = TACT_OK, .distance = height, .point = vec_mul_add(from, -height, p.normal), .normal = p.normal};
}

tact_overlap tact_halfspace_contains(const tact_shape *shape, const tact_transform *transform, tact_vec3 point)
{
    halfspace_plane p;
    if (tact_halfspace_plane(shape, transform, &p) != TACT_OK)
        return (tact_overlap){TACT_BAD_ARGUMENT, TACT_UNKNOWN};
    return (tact_overlap){TACT_OK, halfspace_height(&p, point) <= 0.0 ? TACT_HIT : TACT_MISS};
}
