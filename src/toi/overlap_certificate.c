/*
 * Overlap certificates.
 *
 * Guarantee. Two convex shapes overlap with depth d if and only if their Minkowski difference contains the sphere of
 * radius d around 0. If no point moves by more than e < d, that convex set changes by at most e in the Hausdorff
 * distance and still contains a sphere of radius d - e: the shapes overlap. For complex shapes every overlapping pair
 * of primitives is a certificate, and the deepest one the best.
 *
 * Triangles. The depth is found along the axes of the separating-axis test. Under a known relative velocity, up to a
 * deviation, two triangles are certain to overlap for longer than the depth says. The overlap ends when 0 leaves
 * their Minkowski difference, which the deviation shrinks, through one of its faces. So the certified time is the
 * least over the axes.
 *
 * Where primitives certify little (cubes with faces in one plane), a point inside both shapes is another certificate:
 * spheres around it, in one shape and in the other, share a point until they have moved by both radii. A shape wholly
 * inside a solid does not leave it before it has moved as far as the surface.
 *
 * The depth of tact_shapes_penetration for meshes is no such bound: it is the least over some directions, and another
 * direction may be shorter.
 *
 * Cost: a penetration depth for each overlapping pair of primitives, at most TOI_CERTIFICATE_PAIRS of them.
 */
#include "toi/overlap_certificate.h"

#include <float.h>
#include <math.h>

#include "complex/complex_contact.h"
#include "complex/halfspace_query.h"
#include "complex/traversal.h"
#include "convex/convex_pair.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "math/fp_environment.h"
#include "toi/toi_constants.h"

/* The time after which two triangles may be apart along an axis of any length; INFINITY: it is no axis. Not positive:
 * they are apart along it now. */
static double time_along_axis(const tact_vec3 a[3], const tact_vec3 b[3], tact_vec3 n, double least, double slack,
                              const relative_motion *motion)
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
    const double length = sqrt(square), v = vec_dot(n, motion->velocity), rest = motion->deviation_speed * length;
    const double up = (over - slack * length) / (max_double(v, 0.0) + rest);
    const double down = (under - slack * length) / (max_double(-v, 0.0) + rest);
    return number_min(up < down ? up : down, DBL_MAX);
}

/* The time for which two triangles are certain to overlap; not positive: they are apart, or nothing is certain. The
 * faces of their difference have these normals: those of both triangles, and the cross products of two edges. The axis
 * of nearly parallel edges is the normal of a sliver face only; without it the difference grows by less than the slack.
 * Under any_motion the time is the depth. */
static double triangles_overlap_time(const tact_vec3 a[3], const tact_vec3 b[3], const relative_motion *motion)
{
    const tact_vec3 ea[3] = {vec_sub(a[1], a[0]), vec_sub(a[2], a[1]), vec_sub(a[0], a[2])};
    const tact_vec3 eb[3] = {vec_sub(b[1], b[0]), vec_sub(b[2], b[1]), vec_sub(b[0], b[2])};
    double size = 0.0, square_a[3], square_b[3];
    for (int i = 0; i < 3; ++i) {
        square_a[i] = vec_length_squared(ea[i]);
        square_b[i] = vec_length_squared(eb[i]);
        size = max_double(size, max_double(square_a[i], square_b[i]));
    }
    const double slack = TOI_TRIANGLE_DEPTH_SLACK * sqrt(size);
    const tact_vec3 na = vec_cross(ea[0], ea[1]), nb = vec_cross(eb[0], eb[1]);
    double time = time_along_axis(a, b, na, TOI_PARALLEL_EDGES * square_a[0] * square_a[1], slack, motion);
    time = number_min(time, time_along_axis(a, b, nb, TOI_PARALLEL_EDGES * square_b[0] * square_b[1], slack, motion));
    for (int i = 0; i < 3 && time > 0.0; ++i)
        for (int k = 0; k < 3; ++k)
            time = number_min(time, time_along_axis(a, b, vec_cross(ea[i], eb[k]),
                                                    TOI_PARALLEL_EDGES * square_a[i] * square_b[k], slack, motion));
    return time < INFINITY ? time : 0.0;
}

typedef struct certificate_search {
    const relative_motion *motion;
    double enough; /* time */
    double lasts;  /* time: the longest for which a pair overlaps */
    double depth;  /* length: of that pair */
    uint32_t a, b; /* that pair; UINT32_MAX: none */
    int pairs;
    const tact_allocator *allocator;
    tact_status status;
} certificate_search;

/* An unknown motion with speed 1: times are lengths. */
static const relative_motion any_motion = {{0.0, 0.0, 0.0}, 1.0};

static double take_pair(certificate_search *s, const primitive *a, const primitive *b, double lasts, double depth,
                        double limit)
{
    if (!(lasts > 0.0))
        return limit;
    if (lasts > s->lasts) {
        s->lasts = lasts;
        s->depth = depth;
        s->a = a->element;
        s->b = b->element;
    }
    return s->lasts > s->enough || ++s->pairs >= TOI_CERTIFICATE_PAIRS ? -1.0 : limit;
}

static double deeper_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    certificate_search *s = context;
    convex ca, cb;
    tact_penetration d;
    if (primitive_is_triangle(a) && primitive_is_triangle(b)) {
        tact_vec3 p[3], q[3];
        mesh_triangle(a->of->shape->mesh, &a->of->at, a->element, p);
        mesh_triangle(b->of->shape->mesh, &b->of->at, b->element, q);
        const double lasts = triangles_overlap_time(p, q, s->motion);
        return take_pair(s, a, b, lasts, lasts > s->lasts ? triangles_overlap_time(p, q, &any_motion) : 0.0, limit);
    }
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        s->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    const tact_overlap touch = tact_convex_within(&ca, &cb, 0.0, NULL);
    if (touch.status == TACT_OK && touch.state == TACT_MISS)
        return limit; /* only their boxes overlap; this test is cheaper than a depth */
    const tact_status status = tact_convex_penetration(&ca, &cb, s->allocator, &d);
    if (status == TACT_NOT_CONVERGED)
        return limit; /* no certificate */
    if (status != TACT_OK) {
        s->status = status;
        return -1.0;
    }
    return take_pair(s, a, b, d.depth / (vec_length_safe(s->motion->velocity) + s->motion->deviation_speed), d.depth,
                     limit);
}

typedef struct nearest_primitives {
    double distance;
    tact_vec3 normal;
    tact_status status;
} nearest_primitives;

static double nearer_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    nearest_primitives *n = context;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        n->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    const tact_distance_def def = {TOI_MESH_DISTANCE_ACCURACY, limit, NULL};
    const tact_distance d = tact_convex_distance(&ca, &cb, &def);
    if (!(d.distance < n->distance))
        return limit;
    n->distance = d.distance;
    n->normal = d.normal;
    return d.distance > 0.0 ? number_min(limit, d.distance) : -1.0;
}

/* The certified depth by the centre of the intersection of both bounding boxes, if it is inside both shapes; else 0. */
static double depth_of_common_point(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, const tact_bounds *common)
{
    const tact_vec3 centre = vec_scale(vec_add(common->min, common->max), 0.5);
    const tact_closest in_a = tact_shape_closest(a, *transform_a, centre);
    if (in_a.status != TACT_OK || !(in_a.distance < 0.0))
        return 0.0;
    const tact_closest in_b = tact_shape_closest(b, *transform_b, centre);
    return in_b.status == TACT_OK && in_b.distance < 0.0 ? -in_a.distance - in_b.distance : 0.0;
}

/* The smallest side of the intersection of both bounding boxes; negative: they are disjoint. */
static double smallest_common_side(const instance both[2], tact_bounds *common)
{
    tact_bounds q;
    if (tact_instance_bounds(&both[0], common) != TACT_OK || tact_instance_bounds(&both[1], &q) != TACT_OK)
        return -1.0;
    common->min = vec_make(max_double(common->min.x, q.min.x), max_double(common->min.y, q.min.y),
                           max_double(common->min.z, q.min.z));
    common->max = vec_make(number_min(common->max.x, q.max.x), number_min(common->max.y, q.max.y),
                           number_min(common->max.z, q.max.z));
    const tact_vec3 side = vec_sub(common->max, common->min);
    return number_min(side.x, number_min(side.y, side.z));
}

/* Whether a shape has an interior: a mesh that is not solid has none. */
static bool has_interior(const tact_shape *shape) { return shape->type != TACT_MESH || shape->mesh->solid; }

static tact_status certify_complex(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, const relative_motion *motion, double enough,
                                   double *separation, overlap_certificate *certificate)
{
    instance both[2];
    bool swapped;
    tact_common_point common;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const relative_motion ordered = {swapped ? vec_negate(motion->velocity) : motion->velocity,
                                     motion->deviation_speed};
    certificate_search s = {.motion = &ordered,
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
    const double side = shape_is_empty(a) || shape_is_empty(b) ? -1.0 : smallest_common_side(both, &shared);
    if (s.lasts < s.enough && s.depth < TOI_CERTIFICATE_SHALLOW * side && has_interior(a) && has_interior(b))
        s.depth = number_max(s.depth, depth_of_common_point(a, transform_a, b, transform_b, &shared));
    *separation = -TOI_CERTIFIED_FRACTION * s.depth;
    if (s.depth > found || s.a == UINT32_MAX || a->type == TACT_COMPOUND || b->type == TACT_COMPOUND)
        certificate->valid = false; /* no pair of primitives, or no number that names it */
    else
        *certificate = (overlap_certificate){true, swapped ? s.b : s.a, swapped ? s.a : s.b};
    if (s.depth > 0.0)
        return TACT_OK;
    /* No primitives overlap: the distance to the nearest surface counts, inside a solid or outside. */
    nearest_primitives n = {.distance = INFINITY, .status = TACT_OK};
    traversal near = {&n, nearer_pair, NULL, false, TACT_OK};
    (void)tact_traverse_pairs_toward(&near, &both[0], &both[1], &n.normal, INFINITY);
    if (near.status != TACT_OK || n.status != TACT_OK)
        return near.status != TACT_OK ? near.status : n.status;
    *separation = n.distance > 0.0 && tact_complex_inside(&both[0], &both[1], &common)
                      ? -TOI_CERTIFIED_FRACTION * n.distance
                      : n.distance;
    return TACT_OK;
}

/* The depth below the plane: shapes that move past each other by less still overlap. */
static tact_status certify_halfspace(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                     const tact_transform *transform_b, double *separation)
{
    const bool first = shape_is_halfspace(a);
    halfspace_separation s;
    if (shape_is_empty(first ? b : a) ||
        tact_halfspace_separation_of(first ? a : b, first ? transform_a : transform_b, first ? b : a,
                                     first ? transform_b : transform_a, &s) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    *separation =
        s.distance < 0.0 ? TOI_CERTIFIED_FRACTION * number_max(s.distance, -SHAPE_MAX_COORDINATE) : s.distance;
    return TACT_OK;
}

tact_status tact_certified_separation_of(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                         tact_transform transform_b, const relative_motion *motion, double enough,
                                         double *separation, overlap_certificate *certificate)
{
    certificate->valid = false;
    if (shape_is_convex(a) && shape_is_convex(b)) {
        const tact_penetration d = tact_convex_pair_penetration(a, &transform_a, b, &transform_b);
        *separation = d.status == TACT_NOT_CONVERGED && d.depth > 0.0 ? 0.0
                      : d.depth > 0.0                                 ? -TOI_CERTIFIED_FRACTION * d.depth
                                                                      : -d.depth;
        return d.status == TACT_NOT_CONVERGED ? TACT_OK : d.status;
    }
    if (shape_is_halfspace(a) || shape_is_halfspace(b))
        return certify_halfspace(a, &transform_a, b, &transform_b, separation);
    const fp_environment found = fp_environment_enter();
    const tact_status status =
        certify_complex(a, &transform_a, b, &transform_b, motion, enough, separation, certificate);
    fp_environment_leave(found);
    return status;
}

tact_status tact_certified_separation(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                      tact_transform transform_b, double enough, double *separation)
{
    overlap_certificate ignored;
    return tact_certified_separation_of(a, transform_a, b, transform_b, &any_motion, enough, separation, &ignored);
}

double tact_overlap_certificate_time(const overlap_certificate *certificate, const tact_shape *a,
                                     const tact_transform *transform_a, const tact_shape *b,
                                     const tact_transform *transform_b, const relative_motion *motion)
{
    instance pa, pb;
    if (tact_instance_make(&pa, a, transform_a) != TACT_OK || tact_instance_make(&pb, b, transform_b) != TACT_OK)
        return 0.0;
    const primitive one = {&pa, certificate->a}, other = {&pb, certificate->b};
    if (primitive_is_triangle(&one) && primitive_is_triangle(&other)) {
        tact_vec3 p[3], q[3];
        mesh_triangle(a->mesh, transform_a, certificate->a, p);
        mesh_triangle(b->mesh, transform_b, certificate->b, q);
        return TOI_CERTIFIED_FRACTION * max_double(triangles_overlap_time(p, q, motion), 0.0);
    }
    convex ca, cb;
    tact_penetration d;
    const double speed = vec_length_safe(motion->velocity) + motion->deviation_speed;
    if (tact_primitive_convex(&one, &ca) != TACT_OK || tact_primitive_convex(&other, &cb) != TACT_OK ||
        tact_convex_penetration(&ca, &cb, &a->allocator, &d) != TACT_OK || !(d.depth > 0.0) || !(speed > 0.0))
        return 0.0;
    return TOI_CERTIFIED_FRACTION * d.depth / speed;
}
