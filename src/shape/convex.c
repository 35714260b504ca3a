/*
 * A convex shape under a transform: its support mapping in world axes and the derivative of that mapping.
 *
 * After van den Bergen 1999, 4.4.2: s_T(A)(v) = T(s_A(B^t v)) for an affine T(x) = B x + c. Departures:
 * - Where the transform is a similarity, sphere and capsule become a point and a segment with a margin. Distances to
 *   them are then exact.
 * - A box or an ellipsoid is given by its transformed half axes, which needs no matrix product.
 * - A support point comes with the number of its support feature and its derivative. The distance algorithm then
 *   converges quadratically on curved shapes, where plain GJK converges linearly and stalls near contact.
 *
 * Cost of a support point: constant; for composite shapes the sum over the parts.
 */
#include "shape/convex.h"

#include "core/number.h"
#include "math/elementary.h"
#include "math/fp_environment.h"
#include "math/transform_norm.h"
#include "shape/convex_dd.h"
#include "shape/support.h"

/* ---- making ---- */

/* The factor s if the linear part of `m` is s times a rotation or reflection, else 0. */
static double similarity_factor(const tact_transform *m)
{
    double xx = vec_length_squared(m->x_axis), yy = vec_length_squared(m->y_axis), zz = vec_length_squared(m->z_axis);
    double mean = (xx + yy + zz) / 3.0, tolerance = CONVEX_SIMILARITY_TOLERANCE * mean;
    if (fabs(xx - yy) > tolerance || fabs(yy - zz) > tolerance || fabs(zz - xx) > tolerance ||
        fabs(vec_dot(m->x_axis, m->y_axis)) > tolerance || fabs(vec_dot(m->y_axis, m->z_axis)) > tolerance ||
        fabs(vec_dot(m->z_axis, m->x_axis)) > tolerance)
        return 0.0;
    return sqrt(mean);
}

/* The squared lengths of the axes of a transform. */
typedef struct axis_squares {
    double xx, yy, zz;
} axis_squares;

/* Finite and not singular. A determinant clearly above its own rounding error proves both, as NaN and infinity never
 * are. Otherwise tact_transform_check decides. */
static inline bool transform_usable(const tact_transform *m, axis_squares *squares)
{
    *squares =
        (axis_squares){vec_length_squared(m->x_axis), vec_length_squared(m->y_axis), vec_length_squared(m->z_axis)};
    double determinant = vec_dot(m->x_axis, vec_cross(m->y_axis, m->z_axis));
    double origin =
        m->origin.x + m->origin.y + m->origin.z; /* finite if all three are, far beyond SHAPE_MAX_COORDINATE */
    bool clear = determinant * determinant > CONVEX_DETERMINANT_MIN * squares->xx * squares->yy * squares->zz;
    return (clear || tact_transform_check(m, NULL) == TACT_OK) && origin - origin == 0.0;
}

/* The radius of a ball about the origin that also contains p; INFINITY if a product has overflowed, NaN included. */
static double radius_with(double radius, tact_vec3 p)
{
    const double length = vec_length_safe(p);
    return length <= radius ? radius : length > radius ? length : INFINITY;
}

static void make_points(convex *c, const tact_vec3 *points, int count)
{
    c->kind = CONVEX_POINTS;
    c->point_count = count;
    c->bounding_radius = 0.0;
    for (int i = 0; i < count; i++) {
        c->points[i] = vec_transform(&c->transform, points[i]);
        c->bounding_radius = radius_with(c->bounding_radius, c->points[i]);
    }
}

/* A point of the innermost shape in the coordinates of the outermost one, through all transforms between. */
static dd_vec map_through(const tact_shape *whole, const tact_shape *innermost, tact_vec3 point)
{
    if (whole == innermost)
        return dd_vec_make(point);
    dd_vec p = map_through(whole->parts[0], innermost, point);
    return dd_vec_add(dd_vec_transform(&whole->transform, p), dd_vec_make(whole->transform.origin));
}

static TACT_NOINLINE void map_points(convex *c, const tact_shape *whole, const tact_vec3 *points,
                                     const tact_transform *transform)
{
    for (int i = 0; i < c->point_count; i++)
        c->points[i] = dd_vec_to_vec3(dd_vec_transform(transform, map_through(whole, c->shape, points[i])));
}

/* Points of a shape inside transformed shapes, relative to the outermost origin, in double-double arithmetic.
 * Translations there and back may cancel: the points can be much nearer to each other and to that origin than the
 * numbers they are computed from. */
static void make_points_nested(convex *c, const tact_shape *whole, const tact_vec3 *points, int count,
                               const tact_transform *transform)
{
    c->kind = CONVEX_POINTS;
    c->point_count = count;
    c->bounding_radius = 0.0;
    c->transform.origin = transform->origin;
    fp_environment before = fp_environment_enter(); /* double-double arithmetic needs rounding to nearest */
    map_points(c, whole, points, transform);
    fp_environment_leave(before);
    for (int i = 0; i < count; i++)
        c->bounding_radius = radius_with(c->bounding_radius, c->points[i]);
}

static void scale_axes(convex *c, double x, double y, double z)
{
    c->transform.x_axis = vec_scale(c->transform.x_axis, x);
    c->transform.y_axis = vec_scale(c->transform.y_axis, y);
    c->transform.z_axis = vec_scale(c->transform.z_axis, z);
}

static inline void make_box(convex *c, const tact_shape *shape, const tact_transform *transform,
                            const axis_squares *squares)
{
    tact_vec3 half = shape->half_extents;
    tact_vec3 x = vec_scale(transform->x_axis, shape->half_extents.x),
              y = vec_scale(transform->y_axis, shape->half_extents.y),
              z = vec_scale(transform->z_axis, shape->half_extents.z);
    c->kind = CONVEX_BOX;
    c->shape = shape;
    /* the vertices are at |(p q r)| = sqrt 3 */
    double square =
        3.0 * (half.x * half.x * squares->xx + half.y * half.y * squares->yy + half.z * half.z * squares->zz);
    c->transform = (tact_transform){x, y, z, transform->origin};
    c->bounding_radius =
        square > TRANSFORM_MIN_SQUARE ? sqrt(square) : sqrt(3.0) * transform_frobenius_norm(&c->transform);
}

/* Descends through transformed shapes as long as their maps compose to one, so that a transformed box is a box. */
static const tact_shape *unwrap(convex *c, const tact_shape *shape)
{
    while (shape->type == TACT_TRANSFORMED) {
        const tact_shape *part = shape->parts[0];
        if (part->margin > 0.0) {
            double factor = similarity_factor(&c->transform);
            if (!(factor > 0.0))
                break;
            c->margin += factor * part->margin;
        }
        c->transform = tact_transform_compose(c->transform, shape->transform);
        shape = part;
    }
    return shape;
}

/* The bounding radius of a custom shape from its support points along the axes. A transform that scales it where it has
 * no extent makes its own radius times the norm a thousand times too large, and all error bounds are relative to it. */
static double radius_along_axes(const convex *c)
{
    const double e[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double farthest[3];
    for (int i = 0; i < 3; i++) {
        tact_vec3 n = vec_make(e[i][0], e[i][1], e[i][2]);
        double up = vec_dot(n, tact_convex_support(c, n, NULL)),
               down = vec_dot(n, tact_convex_support(c, vec_negate(n), NULL));
        farthest[i] = number_max(fabs(up), fabs(down));
    }
    double radius = vec_length_safe(vec_make(farthest[0], farthest[1], farthest[2]));
    return radius >= 0.0 ? radius : INFINITY; /* NaN is found out by the caller's support query */
}

TACT_FORCE_INLINE tact_status make(convex *c, const tact_shape *shape, const tact_transform *transform,
                                   axis_squares squares)
{
    c->margin = shape->margin;
    c->point_count = 0;
    if (shape->type == TACT_BOX) { /* the one shape for which the time of this call matters */
        make_box(c, shape, transform, &squares);
        return c->bounding_radius + c->margin + vec_max_abs(c->transform.origin) <= SHAPE_MAX_COORDINATE
                   ? TACT_OK
                   : TACT_BAD_ARGUMENT;
    }
    if (!shape_is_convex(shape)) /* these are queried element by element */
        return TACT_BAD_ARGUMENT;
    c->transform = *transform;
    const tact_shape *whole = shape;
    if (shape->type == TACT_TRANSFORMED)
        shape = unwrap(c, shape);
    c->shape = shape;
    switch (shape->type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        if (shape == whole)
            make_points(c, shape->points, shape->point_count);
        else
            make_points_nested(c, whole, shape->points, shape->point_count, transform);
        break;
    case TACT_SPHERE: {
        double factor = similarity_factor(&c->transform);
        if (factor > 0.0) {
            c->kind = CONVEX_POINTS;
            c->point_count = 1;
            c->points[0] = vec_make(0.0, 0.0, 0.0);
            c->bounding_radius = 0.0;
            c->margin += factor * shape->radius;
        } else {
            scale_axes(c, shape->radius, shape->radius, shape->radius);
            c->kind = CONVEX_ELLIPSOID;
            c->bounding_radius = transform_frobenius_norm(&c->transform);
        }
        break;
    }
    case TACT_CAPSULE: {
        double factor = similarity_factor(&c->transform);
        c->axis = vec_scale(c->transform.y_axis, shape->half_height);
        if (factor > 0.0) {
            c->kind = CONVEX_POINTS;
            c->point_count = 2;
            c->points[0] = c->axis;
            c->points[1] = vec_negate(c->axis);
            c->bounding_radius = vec_length_safe(c->axis);
            c->margin += factor * shape->radius;
        } else {
            scale_axes(c, shape->radius, shape->radius, shape->radius);
            c->kind = CONVEX_CAPSULE;
            c->bounding_radius = transform_frobenius_norm(&c->transform) + vec_length_safe(c->axis);
        }
        break;
    }
    case TACT_BOX: {
        tact_transform composed = c->transform;
        squares = (axis_squares){vec_length_squared(composed.x_axis), vec_length_squared(composed.y_axis),
                                 vec_length_squared(composed.z_axis)};
        make_box(c, shape, &composed, &squares);
        break;
    }
    case TACT_ELLIPSOID:
        scale_axes(c, shape->half_extents.x, shape->half_extents.y, shape->half_extents.z);
        c->kind = CONVEX_ELLIPSOID;
        c->bounding_radius = transform_frobenius_norm(&c->transform);
        break;
    case TACT_CYLINDER:
    case TACT_CONE:
        scale_axes(c, shape->radius, shape->half_height, shape->radius);
        c->kind = shape->type == TACT_CYLINDER ? CONVEX_CYLINDER : CONVEX_CONE;
        c->bounding_radius = sqrt(2.0) * transform_frobenius_norm(&c->transform); /* the rim is at |(p q r)| = sqrt 2 */
        break;
    case TACT_POLYGON:
    case TACT_HULL:
        if (shape->hull->vertex_count <= 4) {
            make_points(c, shape->hull->vertices, (int)shape->hull->vertex_count);
        } else {
            c->kind = CONVEX_HULL;
            c->bounding_radius = shape->bounding_radius * transform_frobenius_norm(&c->transform);
        }
        break;
    default:
        c->kind = CONVEX_COMPOSITE;
        c->bounding_radius = shape->bounding_radius * transform_frobenius_norm(&c->transform);
        if (shape->type == TACT_CUSTOM)
            c->bounding_radius = number_min(c->bounding_radius, radius_along_axes(c));
        break;
    }
    /* The origin counts too: differences of origins are formed. */
    if (!(c->bounding_radius + c->margin + vec_max_abs(c->transform.origin) <= SHAPE_MAX_COORDINATE))
        return TACT_BAD_ARGUMENT;
    return TACT_OK;
}

tact_status tact_convex_make(convex *c, const tact_shape *shape, const tact_transform *transform)
{
    axis_squares squares;
    if (shape == NULL || transform == NULL || !transform_usable(transform, &squares))
        return TACT_BAD_ARGUMENT;
    return make(c, shape, transform, squares);
}

tact_status tact_convex_make_singular(convex *c, const tact_shape *shape, const tact_transform *transform)
{
    return make(c, shape, transform,
                (axis_squares){vec_length_squared(transform->x_axis), vec_length_squared(transform->y_axis),
                               vec_length_squared(transform->z_axis)});
}

void tact_convex_scale(convex *c, int exponent)
{
    double s = ldexp(1.0, exponent);
    scale_axes(c, s, s, s);
    c->transform.origin = vec_scale(c->transform.origin, s);
    if (c->kind == CONVEX_CAPSULE)
        c->axis = vec_scale(c->axis, s);
    c->margin *= s;
    c->bounding_radius *= s;
    for (int i = 0; i < c->point_count; i++)
        c->points[i] = vec_scale(c->points[i], s);
}

bool tact_convex_is_polytope(const convex *c)
{
    return c->kind == CONVEX_POINTS || c->kind == CONVEX_BOX || c->kind == CONVEX_HULL;
}

/* ---- support points ---- */

/* The point of the image of the unit disc or sphere farthest along a direction whose components along the axes are g:
 * (x gx + y gy + z gz)/|g|. Normalization scales g first, so that tiny components do not underflow when squared. */
static tact_vec3 ellipsoid_point(const tact_transform *m, tact_vec3 g)
{
    tact_vec3 unit = vec_normalize(g);
    return vec_transform(m, unit);
}

/* The sign that selects an end point; 0 counts as positive, as everywhere. */
static double end_sign(double g) { return g < 0.0 ? -1.0 : 1.0; }

static tact_vec3 shape_support(const tact_shape *shape, tact_vec3 n, uint64_t *feature);

/* A part with its margin, in the coordinates of the whole shape. */
static tact_vec3 part_support(const tact_shape *part, tact_vec3 n, uint64_t *feature)
{
    tact_vec3 p = shape_support(part, n, feature);
    return part->margin > 0.0 ? vec_mul_add(p, part->margin, vec_normalize(n)) : p;
}

/* The core of a shape in its own coordinates. */
static tact_vec3 shape_support(const tact_shape *shape, tact_vec3 n, uint64_t *feature)
{
    *feature = 0;
    switch (shape->type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON: {
        int best = support_of_points(shape->points, shape->point_count, n);
        *feature = (uint64_t)best;
        return shape->points[best];
    }
    case TACT_SPHERE:
        return vec_scale(vec_normalize(n), shape->radius);
    case TACT_CAPSULE: {
        double sign = end_sign(n.y);
        *feature = sign > 0.0;
        return vec_mul_add(vec_make(0.0, sign * shape->half_height, 0.0), shape->radius, vec_normalize(n));
    }
    case TACT_BOX:
        *feature = (uint64_t)(n.x < 0.0) | (uint64_t)(n.y < 0.0) << 1 | (uint64_t)(n.z < 0.0) << 2;
        return vec_make(end_sign(n.x) * shape->half_extents.x, end_sign(n.y) * shape->half_extents.y,
                        end_sign(n.z) * shape->half_extents.z);
    case TACT_ELLIPSOID: {
        tact_vec3 unit = vec_normalize(
            vec_make(n.x * shape->half_extents.x, n.y * shape->half_extents.y, n.z * shape->half_extents.z));
        return vec_make(unit.x * shape->half_extents.x, unit.y * shape->half_extents.y, unit.z * shape->half_extents.z);
    }
    case TACT_CYLINDER: {
        tact_vec3 rim = vec_scale(vec_normalize(vec_make(n.x, 0.0, n.z)), shape->radius);
        rim.y = end_sign(n.y) * shape->half_height;
        *feature = rim.y > 0.0;
        return rim;
    }
    case TACT_CONE: {
        double rim = shape->radius * tact_hypot(n.x, n.z);
        if (2.0 * shape->half_height * n.y >= rim) {
            *feature = 1;
            return vec_make(0.0, shape->half_height, 0.0);
        }
        tact_vec3 p = vec_scale(vec_normalize(vec_make(n.x, 0.0, n.z)), shape->radius);
        p.y = -shape->half_height;
        return p;
    }
    case TACT_POLYGON:
    case TACT_HULL: {
        uint32_t best = tact_hull_support(shape->hull, n);
        *feature = best;
        return shape->hull->vertices[best];
    }
    case TACT_MINKOWSKI_SUM: {
        uint64_t b0, b1;
        tact_vec3 p = part_support(shape->parts[0], n, &b0), q = part_support(shape->parts[1], n, &b1);
        *feature = convex_feature_mix(b0, b1);
        return vec_add(p, q);
    }
    case TACT_CONVEX_HULL_OF: {
        uint64_t b0, b1;
        tact_vec3 p = part_support(shape->parts[0], n, &b0), q = part_support(shape->parts[1], n, &b1);
        bool first = vec_dot(vec_sub(p, q), n) >= 0.0;
        *feature = first ? convex_feature_mix(b0, 1) : convex_feature_mix(b1, 2);
        return first ? p : q;
    }
    case TACT_TRANSFORMED: {
        const tact_shape *part = shape->parts[0];
        tact_vec3 p = shape_support(part, vec_transform_transposed(&shape->transform, n), feature);
        p = vec_add(vec_transform(&shape->transform, p), shape->transform.origin);
        return part->margin > 0.0 ? vec_mul_add(p, part->margin, vec_normalize(n)) : p;
    }
    case TACT_CUSTOM:
        /* assumed to be one smooth feature; n is zero under a singular transform, where any direction will do */
        return shape->support(shape->support_context, vec_max_abs(n) > 0.0 ? n : vec_make(1.0, 0.0, 0.0));
    case TACT_MESH:
    case TACT_SOUP:
    case TACT_COMPOUND:
    case TACT_NURBS:
    case TACT_HALFSPACE:
    case TACT_HEIGHTFIELD:
        break; /* not convex: never a `convex` */
    }
    return vec_make(0.0, 0.0, 0.0);
}

tact_vec3 tact_convex_support(const convex *c, tact_vec3 n, uint64_t *feature)
{
    uint64_t ignored;
    if (feature == NULL)
        feature = &ignored;
    *feature = 0;
    switch (c->kind) {
    case CONVEX_POINTS: {
        int best = support_of_points(c->points, c->point_count, n);
        *feature = (uint64_t)best;
        return c->points[best];
    }
    case CONVEX_BOX:
        return support_of_box(c, n, feature);
    case CONVEX_HULL:
        return support_of_hull(c, n, feature);
    case CONVEX_ELLIPSOID:
        return ellipsoid_point(&c->transform, vec_transform_transposed(&c->transform, n));
    case CONVEX_CAPSULE: {
        double sign = end_sign(vec_dot(c->axis, n));
        *feature = sign > 0.0;
        return vec_mul_add(ellipsoid_point(&c->transform, vec_transform_transposed(&c->transform, n)), sign, c->axis);
    }
    case CONVEX_CYLINDER: {
        tact_vec3 g = vec_transform_transposed(&c->transform, n);
        double sign = end_sign(g.y);
        *feature = sign > 0.0;
        g.y = 0.0;
        return vec_mul_add(ellipsoid_point(&c->transform, g), sign, c->transform.y_axis);
    }
    case CONVEX_CONE: {
        tact_vec3 g = vec_transform_transposed(&c->transform, n);
        if (2.0 * g.y >= tact_hypot(g.x, g.z)) {
            *feature = 1;
            return c->transform.y_axis;
        }
        g.y = 0.0;
        return vec_sub(ellipsoid_point(&c->transform, g), c->transform.y_axis);
    }
    case CONVEX_COMPOSITE:
        break;
    }
    tact_vec3 local = vec_transform_transposed(&c->transform, n);
    /* + 0.0 makes -0 to 0: the answer must not depend on the order of the pair. */
    local = vec_make(local.x + 0.0, local.y + 0.0, local.z + 0.0);
    return vec_transform(&c->transform, shape_support(c->shape, local, feature));
}

/* ---- curvature ---- */

/* h += s p p^t */
static void add_outer(double h[6], double s, tact_vec3 p)
{
    h[0] += s * p.x * p.x;
    h[1] += s * p.y * p.y;
    h[2] += s * p.z * p.z;
    h[3] += s * p.x * p.y;
    h[4] += s * p.x * p.z;
    h[5] += s * p.y * p.z;
}

/* The support point of the image of the unit sphere (of a disc, where the y axis is left out) is s = M g/|g| with g =
 * M^t n. Its derivative with respect to n is (M M^t - s s^t)/|g|. */
static void ellipsoid_curvature(const tact_transform *m, tact_vec3 g, bool disc, double h[6])
{
    double length = vec_length(g);
    if (!(length > 0.0))
        return;
    add_outer(h, 1.0 / length, m->x_axis);
    if (!disc)
        add_outer(h, 1.0 / length, m->y_axis);
    add_outer(h, 1.0 / length, m->z_axis);
    add_outer(h, -1.0 / length, vec_transform(m, vec_scale(g, 1.0 / length)));
}

/* A sphere of radius r: r (I - n n^t/|n|^2)/|n|. */
static void sphere_curvature(double r, tact_vec3 n, double h[6])
{
    double square = vec_length_squared(n);
    if (!(square > 0.0) || !(r > 0.0))
        return;
    double s = r / sqrt(square);
    h[0] += s;
    h[1] += s;
    h[2] += s;
    add_outer(h, -s / square, n);
}

static tact_transform axes_of(double x, double y, double z)
{
    return (tact_transform){{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}, {0.0, 0.0, 0.0}};
}

/* h += M k M^t */
static void add_mapped(const tact_transform *m, const double k[6], double h[6])
{
    tact_vec3 x = vec_transform(m, vec_make(k[0], k[3], k[4])); /* M times the columns of k */
    tact_vec3 y = vec_transform(m, vec_make(k[3], k[1], k[5]));
    tact_vec3 z = vec_transform(m, vec_make(k[4], k[5], k[2]));
    const tact_vec3 mx = m->x_axis, my = m->y_axis, mz = m->z_axis;
    h[0] += x.x * mx.x + y.x * my.x + z.x * mz.x;
    h[1] += x.y * mx.y + y.y * my.y + z.y * mz.y;
    h[2] += x.z * mx.z + y.z * my.z + z.z * mz.z;
    h[3] += x.x * mx.y + y.x * my.y + z.x * mz.y;
    h[4] += x.x * mx.z + y.x * my.z + z.x * mz.z;
    h[5] += x.y * mx.z + y.y * my.z + z.y * mz.z;
}

/* The curvature of a custom support mapping, by central differences along two tangents of n, one-sided at a kink. */
static void custom_curvature(const tact_shape *shape, tact_vec3 n, double h[6])
{
    double length = vec_length(n);
    if (!(length > 0.0))
        return;
    tact_vec3 unit = vec_scale(n, 1.0 / length), e[2], here = shape->support(shape->support_context, unit);
    vec_tangent_basis(unit, &e[0], &e[1]);
    for (int i = 0; i < 2; i++) {
        tact_vec3 p = shape->support(shape->support_context, vec_mul_add(unit, CONVEX_CURVATURE_STEP, e[i]));
        tact_vec3 q = shape->support(shape->support_context, vec_mul_add(unit, -CONVEX_CURVATURE_STEP, e[i]));
        tact_vec3 ahead = vec_sub(p, here), behind = vec_sub(here, q);
        double one = vec_length_squared(ahead), two = vec_length_squared(behind);
        /* If one side moves more than twice as far there is a kink, and the other side is on our feature. */
        tact_vec3 d = one > CONVEX_KINK_RATIO * two   ? vec_scale(behind, 2.0)
                      : two > CONVEX_KINK_RATIO * one ? vec_scale(ahead, 2.0)
                                                      : vec_sub(p, q);
        d = vec_scale(d, 0.5 / (CONVEX_CURVATURE_STEP * length));
        if (!vec_finite(d))
            return;
        /* h += the symmetric part of d e^t */
        h[0] += d.x * e[i].x;
        h[1] += d.y * e[i].y;
        h[2] += d.z * e[i].z;
        h[3] += 0.5 * (d.x * e[i].y + d.y * e[i].x);
        h[4] += 0.5 * (d.x * e[i].z + d.z * e[i].x);
        h[5] += 0.5 * (d.y * e[i].z + d.z * e[i].y);
    }
}

static void shape_curvature(const tact_shape *shape, tact_vec3 n, double h[6])
{
    uint64_t ignored;
    switch (shape->type) {
    case TACT_SPHERE:
    case TACT_CAPSULE:
        sphere_curvature(shape->radius, n, h);
        break;
    case TACT_ELLIPSOID: {
        tact_transform axes = axes_of(shape->half_extents.x, shape->half_extents.y, shape->half_extents.z);
        ellipsoid_curvature(&axes, vec_transform_transposed(&axes, n), false, h);
        break;
    }
    case TACT_CONE:
    case TACT_CYLINDER: {
        tact_transform axes = axes_of(shape->radius, shape->half_height, shape->radius);
        tact_vec3 g = vec_transform_transposed(&axes, n);
        if (shape->type == TACT_CONE && 2.0 * g.y >= tact_hypot(g.x, g.z))
            break;
        g.y = 0.0;
        ellipsoid_curvature(&axes, g, true, h);
        break;
    }
    case TACT_MINKOWSKI_SUM:
        for (int i = 0; i < 2; i++) {
            shape_curvature(shape->parts[i], n, h);
            sphere_curvature(shape->parts[i]->margin, n, h);
        }
        break;
    case TACT_CONVEX_HULL_OF: {
        tact_vec3 p = part_support(shape->parts[0], n, &ignored), q = part_support(shape->parts[1], n, &ignored);
        const tact_shape *part = shape->parts[vec_dot(vec_sub(p, q), n) >= 0.0 ? 0 : 1];
        shape_curvature(part, n, h);
        sphere_curvature(part->margin, n, h);
        break;
    }
    case TACT_TRANSFORMED: {
        double k[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        shape_curvature(shape->parts[0], vec_transform_transposed(&shape->transform, n), k);
        add_mapped(&shape->transform, k, h);
        sphere_curvature(shape->parts[0]->margin, n, h);
        break;
    }
    case TACT_CUSTOM:
        custom_curvature(shape, n, h);
        break;
    default:
        break; /* polytopes are flat */
    }
}

void tact_convex_curvature(const convex *c, tact_vec3 n, double h[6])
{
    switch (c->kind) {
    case CONVEX_POINTS:
    case CONVEX_BOX:
    case CONVEX_HULL:
        return;
    case CONVEX_ELLIPSOID:
    case CONVEX_CAPSULE:
        ellipsoid_curvature(&c->transform, vec_transform_transposed(&c->transform, n), false, h);
        return;
    case CONVEX_CYLINDER:
    case CONVEX_CONE: {
        tact_vec3 g = vec_transform_transposed(&c->transform, n);
        if (c->kind == CONVEX_CONE && 2.0 * g.y >= tact_hypot(g.x, g.z))
            return;
        g.y = 0.0;
        ellipsoid_curvature(&c->transform, g, true, h);
        return;
    }
    case CONVEX_COMPOSITE: {
        double k[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        shape_curvature(c->shape, vec_transform_transposed(&c->transform, n), k);
        add_mapped(&c->transform, k, h);
        return;
    }
    }
}
