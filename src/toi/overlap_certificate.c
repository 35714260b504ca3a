/*
 * For how long two shapes that overlap surely go on doing so.
 *
 * Guarantee. Two convex shapes overlap with depth d if and only if their Minkowski difference holds a ball of radius d
 * around 0. If no point moves by more than e < d, that convex set changes by no more than e in the sense of Hausdorff,
 * and still holds one of radius d - e: so they overlap. Of shapes with many elements each pair that overlaps is such a
 * witness, and the deepest the best; that of two triangles is found along the axes of a test for overlap. If most of
 * how they move is the same for all points, and known, two triangles hold each other for longer: 0 has to leave their
 * difference, shrunk by the rest, through one of its faces. Where these say little, as of cubes with their sides in one
 * plane, a point that is inside both is another: balls around it, in one and in the other, have a point in common until
 * they have moved by both radii. What is wholly inside a solid does not leave it before it has gone as far as its
 * surface. The depth that tact_shapes_penetration gives for meshes is no such bound: it is the way out along some
 * directions, and another may be shorter.
 *
 * Cost: a penetration depth for each pair of elements that overlap, of at most PAIRS_LOOKED_AT.
 */
#include "toi/overlap_certificate.h"

#include <float.h>
#include <math.h>

#include "complex/complex_contact.h"
#include "complex/traversal.h"
#include "convex/convex_pair.h"
#include "convex/convex_query.h"
#include "math/fp_environment.h"

/* Pairs of elements that overlap, of which the deepest is taken: any of them would do, so this limits the work alone.
 */
#define PAIRS_LOOKED_AT 3

/* Of the least side of what the boxes of two have in common: a pair of elements less deep than that is a bad witness.
 */
#define SHALLOW (1.0 / 64.0)

/* Of a computed depth: what is sure. query.h promises 1e-3 at worst. */
#define SURE 0.99

/* Of the size of two triangles: what their depth may be off by where edges are nearly parallel, and the square of a
 * sine below which they are taken to be so. */
#define TRIANGLE_SLACK 2e-9
#define TRIANGLE_PARALLEL 1e-18

/* The time in which two triangles part along an axis of any length, if the second goes by the course; INFINITY if it is
 * no axis. Not positive: they are apart along it. */
static double part_along(const tact_vec3 a[3], const tact_vec3 b[3], tact_vec3 n, double least, double slack,
                         const hold_course *course)
{
    const double square = vec_length_squared(n);
    if (!(square > least))
        return INFINITY;
    const double a0 = vec_dot(n, a[0]), a1 = vec_dot(n, a[1]), a2 = vec_dot(n, a[2]);
    const double b0 = vec_dot(n, b[0]), b1 = vec_dot(n, b[1]), b2 = vec_dot(n, b[2]);
    const double low_a = a0 < a1 ? (a0 < a2 ? a0 : a2) : (a1 < a2 ? a1 : a2);
    const double low_b = b0 < b1 ? (b0 < b2 ? b0 : b2) : (b1 < b2 ? b1 : b2);
    const double high_a = max_double(a0, max_double(a1, a2)), high_b = max_double(b0, max_double(b1, b2));
    const double over = high_a - low_b, under = high_b - low_a;
    if (!(over > 0.0 && under > 0.0))
        return 0.0;
    const double length = sqrt(square), v = vec_dot(n, course->velocity), rest = course->rest * length;
    const double up = (over - slack * length) / (max_double(v, 0.0) + rest);
    const double down = (under - slack * length) / (max_double(-v, 0.0) + rest);
    return fmin(up < down ? up : down, DBL_MAX);
}

/* The time for which two triangles surely overlap; not positive: they are apart, or nothing is known. Their difference
 * is bounded by faces with these normals: their own, and those across an edge of each; and is left through one of them.
 * An axis of nearly parallel edges is the normal of no face but a sliver, without which the difference would be larger
 * by less than the slack. With a course that has no velocity it is the depth, over the speed. */
static double triangles_part(const tact_vec3 a[3], const tact_vec3 b[3], const hold_course *course)
{
    const tact_vec3 ea[3] = {vec_sub(a[1], a[0]), vec_sub(a[2], a[1]), vec_sub(a[0], a[2])};
    const tact_vec3 eb[3] = {vec_sub(b[1], b[0]), vec_sub(b[2], b[1]), vec_sub(b[0], b[2])};
    double size = 0.0, square_a[3], square_b[3];
    for (int i = 0; i < 3; ++i) {
        square_a[i] = vec_length_squared(ea[i]);
        square_b[i] = vec_length_squared(eb[i]);
        size = max_double(size, max_double(square_a[i], square_b[i]));
    }
    const double slack = TRIANGLE_SLACK * sqrt(size);
    const tact_vec3 na = vec_cross(ea[0], ea[1]), nb = vec_cross(eb[0], eb[1]);
    double time = part_along(a, b, na, TRIANGLE_PARALLEL * square_a[0] * square_a[1], slack, course);
    time = fmin(time, part_along(a, b, nb, TRIANGLE_PARALLEL * square_b[0] * square_b[1], slack, course));
    for (int i = 0; i < 3 && time > 0.0; ++i)
        for (int k = 0; k < 3; ++k)
            time = fmin(time, part_along(a, b, vec_cross(ea[i], eb[k]), TRIANGLE_PARALLEL * square_a[i] * square_b[k],
                                         slack, course));
    return time < INFINITY ? time : 0.0;
}

typedef struct search {
    const hold_course *course;
    double enough; /* a time */
    double lasts;  /* the longest of those looked at: a time */
    double depth;  /* a length: of that pair */
    uint32_t a, b; /* elements that are as deep as that; UINT32_MAX: none */
    int looked_at;
    const tact_allocator *allocator;
    tact_status status;
} search;

/* No way is known: what is sure is a depth. */
static const hold_course any_way = {{0.0, 0.0, 0.0}, 1.0};

static double take_pair(search *s, const primitive *a, const primitive *b, double lasts, double depth, double limit)
{
    if (!(lasts > 0.0))
        return limit;
    if (lasts > s->lasts) {
        s->lasts = lasts;
        s->depth = depth;
        s->a = a->element;
        s->b = b->element;
    }
    return s->lasts > s->enough || ++s->looked_at >= PAIRS_LOOKED_AT ? -1.0 : limit;
}

static double deeper_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    search *s = context;
    convex ca, cb;
    tact_penetration d;
    if (primitive_is_triangle(a) && primitive_is_triangle(b)) {
        tact_vec3 p[3], q[3];
        mesh_triangle(a->of->shape->mesh, &a->of->at, a->element, p);
        mesh_triangle(b->of->shape->mesh, &b->of->at, b->element, q);
        const double lasts = triangles_part(p, q, s->course);
        return take_pair(s, a, b, lasts, lasts > s->lasts ? triangles_part(p, q, &any_way) : 0.0, limit);
    }
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        s->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    const tact_overlap touch = tact_convex_within(&ca, &cb, 0.0, NULL);
    if (touch.status == TACT_OK && touch.state == TACT_MISS)
        return limit; /* only their boxes overlap, as is seen sooner than how far apart they are */
    const tact_status status = tact_convex_penetration(&ca, &cb, s->allocator, &d);
    if (status == TACT_NOT_CONVERGED)
        return limit; /* no witness */
    if (status != TACT_OK) {
        s->status = status;
        return -1.0;
    }
    return take_pair(s, a, b, d.depth / (vec_length_safe(s->course->velocity) + s->course->rest), d.depth, limit);
}

typedef struct nearest {
    double distance;
    tact_vec3 normal;
    tact_status status;
} nearest;

static double nearer_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    nearest *n = context;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        n->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    const tact_distance_def def = {1e-10, limit, NULL};
    const tact_distance d = tact_convex_distance(&ca, &cb, &def);
    if (!(d.distance < n->distance))
        return limit;
    n->distance = d.distance;
    n->normal = d.normal;
    return d.distance > 0.0 ? fmin(limit, d.distance) : -1.0;
}

/* By a point inside both, if there is one in the middle of what their boxes have in common; else 0. */
static double hold_inside(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                          const tact_transform *transform_b, const tact_bounds *common)
{
    const tact_vec3 middle = vec_scale(vec_add(common->min, common->max), 0.5);
    const tact_closest in_a = tact_shape_closest(a, *transform_a, middle);
    if (in_a.status != TACT_OK || !(in_a.distance < 0.0))
        return 0.0;
    const tact_closest in_b = tact_shape_closest(b, *transform_b, middle);
    return in_b.status == TACT_OK && in_b.distance < 0.0 ? -in_a.distance - in_b.distance : 0.0;
}

/* The least side of what two boxes have in common; negative: nothing. */
static double common_side(const instance both[2], tact_bounds *common)
{
    tact_bounds q;
    if (tact_instance_bounds(&both[0], common) != TACT_OK || tact_instance_bounds(&both[1], &q) != TACT_OK)
        return -1.0;
    common->min = vec_make(max_double(common->min.x, q.min.x), max_double(common->min.y, q.min.y),
                           max_double(common->min.z, q.min.z));
    common->max = vec_make(fmin(common->max.x, q.max.x), fmin(common->max.y, q.max.y), fmin(common->max.z, q.max.z));
    const tact_vec3 side = vec_sub(common->max, common->min);
    return fmin(side.x, fmin(side.y, side.z));
}

/* May a point be inside it? Not in a shell. */
static bool has_inside(const tact_shape *shape) { return shape->type != TACT_MESH || shape->mesh->solid; }

static tact_status hold_complex(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                const tact_transform *transform_b, const hold_course *course, double enough,
                                double *apart, hold_witness *witness)
{
    instance both[2];
    bool swapped;
    tact_common_point common;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const hold_course seen = {swapped ? vec_negate(course->velocity) : course->velocity, course->rest};
    search s = {.course = &seen,
                .enough = enough,
                .a = UINT32_MAX,
                .b = UINT32_MAX,
                .allocator = &both[0].shape->allocator,
                .status = TACT_OK};
    traversal w = {&s, deeper_pair, NULL, true, TACT_OK};
    (void)tact_traverse_pairs(&w, &both[0], &both[1], 0.0);
    if (w.status != TACT_OK || s.status != TACT_OK)
        return w.status != TACT_OK ? w.status : s.status;
    tact_bounds shared;
    const double found = s.depth;
    const double side = shape_is_empty(a) || shape_is_empty(b) ? -1.0 : common_side(both, &shared);
    if (s.lasts < s.enough && s.depth < SHALLOW * side && has_inside(a) && has_inside(b))
        s.depth = fmax(s.depth, hold_inside(a, transform_a, b, transform_b, &shared));
    *apart = -SURE * s.depth;
    if (s.depth > found || s.a == UINT32_MAX || a->type == TACT_COMPOUND || b->type == TACT_COMPOUND)
        witness->there = false; /* nobody, or none that can be named by a number */
    else
        *witness = (hold_witness){true, swapped ? s.b : s.a, swapped ? s.a : s.b};
    if (s.depth > 0.0)
        return TACT_OK;
    /* No elements overlap: it is as far to the next surface as that is, inside a solid or out. */
    nearest n = {.distance = INFINITY, .status = TACT_OK};
    traversal near = {&n, nearer_pair, NULL, false, TACT_OK};
    (void)tact_traverse_pairs_toward(&near, &both[0], &both[1], &n.normal, INFINITY);
    if (near.status != TACT_OK || n.status != TACT_OK)
        return near.status != TACT_OK ? near.status : n.status;
    *apart = n.distance > 0.0 && tact_complex_inside(&both[0], &both[1], &common) ? -SURE * n.distance : n.distance;
    return TACT_OK;
}

tact_status tact_shapes_hold_by(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                tact_transform transform_b, const hold_course *course, double enough, double *apart,
                                hold_witness *witness)
{
    witness->there = false;
    if (shape_is_convex(a) && shape_is_convex(b)) {
        const tact_penetration d = tact_convex_pair_penetration(a, &transform_a, b, &transform_b);
        *apart = d.status == TACT_NOT_CONVERGED && d.depth > 0.0 ? 0.0 : d.depth > 0.0 ? -SURE * d.depth : -d.depth;
        return d.status == TACT_NOT_CONVERGED ? TACT_OK : d.status;
    }
    const fp_environment found = fp_environment_enter();
    const tact_status status = hold_complex(a, &transform_a, b, &transform_b, course, enough, apart, witness);
    fp_environment_leave(found);
    return status;
}

tact_status tact_shapes_hold(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                             tact_transform transform_b, double enough, double *apart)
{
    hold_witness ignored;
    return tact_shapes_hold_by(a, transform_a, b, transform_b, &any_way, enough, apart, &ignored);
}

double tact_witness_time(const hold_witness *witness, const tact_shape *a, const tact_transform *transform_a,
                         const tact_shape *b, const tact_transform *transform_b, const hold_course *course)
{
    instance pa, pb;
    if (tact_instance_make(&pa, a, transform_a) != TACT_OK || tact_instance_make(&pb, b, transform_b) != TACT_OK)
        return 0.0;
    const primitive one = {&pa, witness->a}, other = {&pb, witness->b};
    if (primitive_is_triangle(&one) && primitive_is_triangle(&other)) {
        tact_vec3 p[3], q[3];
        mesh_triangle(a->mesh, transform_a, witness->a, p);
        mesh_triangle(b->mesh, transform_b, witness->b, q);
        return SURE * max_double(triangles_part(p, q, course), 0.0);
    }
    convex ca, cb;
    tact_penetration d;
    const double speed = vec_length_safe(course->velocity) + course->rest;
    if (tact_primitive_convex(&one, &ca) != TACT_OK || tact_primitive_convex(&other, &cb) != TACT_OK ||
        tact_convex_penetration(&ca, &cb, &a->allocator, &d) != TACT_OK || !(d.depth > 0.0) || !(speed > 0.0))
        return 0.0;
    return SURE * d.depth / speed;
}
