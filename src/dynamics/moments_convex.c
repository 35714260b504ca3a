/*
 * Moments of convex shapes: closed forms, and the choice of method.
 *
 * A quadric or box without a margin is the image of a fixed body under three half axes a, b, c, some of which may be
 * zero. So its volume is a constant times their determinant, and its covariance a sum of a a^T, b b^T, c c^T. A
 * polytope with a ball added (rounded polytopes, spheres, capsules, and Minkowski sums of all these) goes through its
 * hull (moments_hull.c); rounded cylinders and cones through their profile (moments_revolution.c). The rest is sampled
 * (moments_sample.c).
 */
#include <tact/predicates.h>

#include "core/array.h"
#include "core/number.h"
#include "dynamics/dynamics_constants.h"
#include "dynamics/moments.h"
#include "shape/convex.h"

/* ---- closed forms ----------------------------------------------------------------------------------------------- */

/* A body spanned by up to three half axes. Its measure is a multiple of their determinant, area or length, its
 * covariance a multiple of the sum of their squares; both by dimension. */
typedef struct axis_body {
    double measure[4];
    double covariance[4];
} axis_body;

static const axis_body box_body = {{1.0, 2.0, 4.0, 8.0}, {0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};
static const axis_body ball_body = {{1.0, 2.0, PI, 4.0 / 3.0 * PI}, {0.0, 1.0 / 3.0, 0.25, 0.2}};

/* The body under a transform, with local half axes of these lengths; zero ones are left out. */
static moments axis_body_moments(const axis_body *f, const tact_transform *at, tact_vec3 half)
{
    const double length[3] = {half.x, half.y, half.z};
    const tact_vec3 axes[3] = {at->x_axis, at->y_axis, at->z_axis};
    tact_vec3 axis[3];
    tact_transform scaled;
    int dimension = 0, exponent = tact_moments_normalise(at, vec_max_abs(half), 0.0, &scaled);
    const tact_vec3 scaled_axes[3] = {scaled.x_axis, scaled.y_axis, scaled.z_axis};
    moments m = {.exponent = 0, .centre = at->origin};
    for (int i = 0; i < 3; i++)
        if (length[i] > 0.0)
            axis[dimension++] = vec_scale(scaled_axes[i], length[i]);
    m.dimension = dimension;
    if (dimension == 3) { /* right to rounding, however oblique the axes: see tact_moments_transform */
        const double s = f->covariance[3];
        moments local = {.dimension = 3, .measure = f->measure[3], .covariance = {.xx = s, .yy = s, .zz = s}};
        tact_transform stretched = {vec_scale(axes[0], length[0]), vec_scale(axes[1], length[1]),
                                    vec_scale(axes[2], length[2]), at->origin};
        return tact_moments_transform(&local, &stretched);
    }
    m.measure = f->measure[dimension] * (dimension == 2   ? vec_length_safe(vec_cross(axis[0], axis[1]))
                                         : dimension == 1 ? vec_length_safe(axis[0])
                                                          : 1.0);
    for (int i = 0; i < dimension; i++)
        sym3_add_square(&m.covariance, f->covariance[dimension], axis[i]);
    m.covariance = sym3_ldexp(m.covariance, 2 * exponent);
    m.exponent = dimension * exponent;
    return m;
}

/* A solid of revolution about the local y axis: its volume, the y coordinate of its centroid, and its covariance along
 * and across the axis, all in units of `unit`. */
static moments revolution_moments(const tact_transform *at, double unit, double volume, double centre, double along,
                                  double across)
{
    moments local = {.dimension = 3, .measure = volume, .centre = {0.0, centre, 0.0}};
    local.covariance = (sym3){.xx = across, .yy = along, .zz = across};
    tact_transform stretched = {vec_scale(at->x_axis, unit), vec_scale(at->y_axis, unit), vec_scale(at->z_axis, unit),
                                at->origin};
    return tact_moments_transform(&local, &stretched);
}

static moments closed_form_moments(const tact_shape *shape, const tact_transform *at)
{
    double unit = shape->radius + shape->half_height, r = shape->radius / unit, h = shape->half_height / unit;
    bool flat = !(r * r > 0.0) || !(h > 0.0);
    switch (shape->type) {
    case TACT_BOX:
        return axis_body_moments(&box_body, at, shape->half_extents);
    case TACT_ELLIPSOID:
        return axis_body_moments(&ball_body, at, shape->half_extents);
    case TACT_SPHERE:
        return axis_body_moments(&ball_body, at, vec_make(shape->radius, shape->radius, shape->radius));
    case TACT_CYLINDER:
        if (flat) /* a disc or a segment */
            break;
        return revolution_moments(at, unit, 2.0 * PI * r * r * h, 0.0, h * h / 3.0, 0.25 * r * r);
    case TACT_CONE:
        if (flat)
            break;
        return revolution_moments(at, unit, 2.0 / 3.0 * PI * r * r * h, -0.5 * h, 0.15 * h * h, 0.15 * r * r);
    default: { /* a capsule: cylinder and two half balls, whose centroids are 3/8 r from their flat sides */
        if (!(shape->half_height > 0.0))
            return axis_body_moments(&ball_body, at, vec_make(shape->radius, shape->radius, shape->radius));
        if (flat)
            break;
        double cylinder = 2.0 * PI * r * r * h, ball = 4.0 / 3.0 * PI * r * r * r, both = cylinder + ball;
        double along = cylinder * h * h / 3.0 + ball * (0.2 * r * r + 0.75 * r * h + h * h);
        double across = cylinder * 0.25 * r * r + ball * 0.2 * r * r;
        return revolution_moments(at, unit, both, 0.0, along / both, across / both);
    }
    }
    return axis_body_moments(&ball_body, at, vec_make(shape->radius, shape->half_height, shape->radius));
}

/* ---- polytopes with a ball added -------------------------------------------------------------------------- */

ARRAY_OF(collected_vertex_array, tact_vec3);

typedef struct vertex_collector {
    collected_vertex_array points;
    const tact_allocator *allocator;
    bool out_of_memory;
} vertex_collector;

/* The factor by which a similarity changes lengths; 0 if the transform is not one. */
static double similarity(const tact_transform *at)
{
    tact_shape ball = {.type = TACT_SPHERE, .radius = 1.0, .bounding_radius = 1.0};
    convex c;
    return tact_convex_make(&c, &ball, at) == TACT_OK && c.kind == CONVEX_POINTS ? c.margin : 0.0;
}

static bool push(vertex_collector *to, tact_vec3 p)
{
    to->out_of_memory = to->out_of_memory || !collected_vertex_array_push(&to->points, to->allocator, p);
    return !to->out_of_memory;
}

static bool collect(vertex_collector *to, const tact_shape *shape, const tact_transform *at, double *margin);

/* A part of a Minkowski sum or hull, whose margin is transformed like the rest. */
static bool collect_part(vertex_collector *to, const tact_shape *part, const tact_transform *at, double *margin)
{
    double factor = part->margin > 0.0 ? similarity(at) : 1.0;
    if (!(factor > 0.0) || !collect(to, part, at, margin))
        return false;
    *margin += (factor - 1.0) * part->margin; /* collect() has added the margin unscaled */
    return true;
}

/* Both parts of a Minkowski sum or hull. */
static bool collect_parts(vertex_collector *to, const tact_shape *shape, const tact_transform *at, double *margin)
{
    tact_transform linear = *at;
    linear.origin = vec_make(0.0, 0.0, 0.0);
    double m0, m1;
    size_t start = to->points.count;
    if (!collect_part(to, shape->parts[0], at, &m0))
        return false;
    size_t middle = to->points.count;
    if (!collect_part(to, shape->parts[1], shape->type == TACT_MINKOWSKI_SUM ? &linear : at, &m1))
        return false;
    size_t end = to->points.count;
    if (shape->type == TACT_CONVEX_HULL_OF) {
        *margin = m0;
        return m0 == m1; /* else it is not a polytope with a ball added */
    }
    size_t count = middle - start, other = end - middle;
    if (count * other > MAX_POLYTOPE_VERTICES)
        return false;
    for (size_t i = start; i < middle; i++)
        for (size_t k = middle; k < end; k++)
            if (!push(to, vec_add(to->points.items[i], to->points.items[k])))
                return false;
    /* the sums replace their summands */
    for (size_t i = 0; i < count * other; i++)
        to->points.items[start + i] = to->points.items[end + i];
    to->points.count = start + count * other;
    *margin = m0 + m1;
    return true;
}

/* The vertices of a transformed polytope, and the radius of the ball added; false if it is no such shape, has too many
 * vertices, or there is no memory. */
static bool collect(vertex_collector *to, const tact_shape *shape, const tact_transform *at, double *margin)
{
    convex c;
    if (tact_convex_make(&c, shape, at) != TACT_OK)
        return false;
    *margin = c.margin;
    switch (c.kind) {
    case CONVEX_POINTS:
        for (int i = 0; i < c.point_count; i++)
            if (!push(to, vec_add(c.points[i], c.transform.origin)))
                return false;
        return true;
    case CONVEX_BOX:
        for (int i = 0; i < 8; i++) {
            tact_vec3 vertex = vec_make(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
            if (!push(to, vec_add(vec_transform(&c.transform, vertex), c.transform.origin)))
                return false;
        }
        return true;
    case CONVEX_HULL:
        for (uint32_t i = 0; i < c.shape->hull->vertex_count; i++)
            if (!push(to, vec_add(vec_transform(&c.transform, c.shape->hull->vertices[i]), c.transform.origin)))
                return false;
        return to->points.count <= MAX_POLYTOPE_VERTICES;
    case CONVEX_COMPOSITE:
        if (c.shape->type != TACT_MINKOWSKI_SUM && c.shape->type != TACT_CONVEX_HULL_OF)
            return false;
        double inside;
        if (!collect_parts(to, c.shape, &c.transform, &inside) || to->points.count > MAX_POLYTOPE_VERTICES)
            return false;
        *margin += inside;
        return true;
    default:
        return false;
    }
}

/* TACT_NOT_CONVERGED: the shape is not a polytope with a ball added. */
static tact_status polytope_moments(const tact_shape *shape, const tact_transform *at, moments *m)
{
    vertex_collector to = {.allocator = &shape->allocator};
    tact_transform near = *at, scaled;
    near.origin = vec_make(0.0, 0.0, 0.0);
    double margin;
    tact_status status = TACT_NOT_CONVERGED;
    if (collect(&to, shape, &near, &margin)) {
        const tact_transform same = tact_identity();
        double size = 0.0;
        for (size_t i = 0; i < to.points.count; i++)
            size = number_max(size, vec_max_abs(to.points.items[i]));
        int exponent = tact_moments_normalise(&same, size, margin, &scaled);
        for (size_t i = 0; i < to.points.count; i++)
            to.points.items[i] = vec_transform(&scaled, to.points.items[i]);
        tact_report report;
        hull *h = tact_hull_create(to.points.items, to.points.count, &shape->allocator, &report);
        margin = ldexp(margin, -exponent);
        if (h == NULL) {
            status = report.status;
        } else if (margin > 0.0) {
            status = tact_moments_rounded_hull(h, margin, at->origin, exponent, &shape->allocator, m);
        } else {
            double unit = ldexp(1.0, exponent);
            tact_transform back = {{unit, 0.0, 0.0}, {0.0, unit, 0.0}, {0.0, 0.0, unit}, at->origin};
            *m = tact_moments_hull(h, &back);
            status = TACT_OK;
        }
        tact_hull_release(h, &shape->allocator);
    } else if (to.out_of_memory) {
        status = TACT_OUT_OF_MEMORY;
    }
    collected_vertex_array_release(&to.points, &shape->allocator);
    return status;
}

/* ---- choice of method
 * -------------------------------------------------------------------------------------------------- */

/* A simplex under a transform; false if it is degenerate. */
static bool simplex_moments(const tact_vec3 *points, int count, const tact_transform *at, moments *m)
{
    int dimension = count - 1;
    if ((count == 4 && tact_orient3d(points[0], points[1], points[2], points[3]) == 0) ||
        (count == 3 && tact_collinear(points[0], points[1], points[2])) ||
        (count == 2 && vec_equal(points[0], points[1])))
        return false;
    /* relative to the first vertex; a tetrahedron in its own coordinates, where its volume is more accurate */
    tact_transform scaled;
    tact_vec3 p[4];
    double size = 0.0;
    for (int i = 0; i < count; i++) {
        p[i] = vec_sub(points[i], points[0]);
        size = number_max(size, vec_max_abs(p[i]));
    }
    const tact_transform same = tact_identity();
    int exponent = tact_moments_normalise(count == 4 ? &same : at, size, 0.0, &scaled);
    for (int i = 1; i < count; i++)
        p[i] = vec_transform(&scaled, p[i]);
    moment_sum sum = {0};
    tact_vec3 origin = vec_add(vec_transform(at, points[0]), at->origin);
    if (count == 4) {
        moment_sum_add_tetrahedron(&sum, p[1], p[2], p[3]);
        origin = points[0];
    } else {
        moment_sum_add_simplex(&sum,
                               count == 3   ? 0.5 * vec_length_safe(vec_cross(p[1], p[2]))
                               : count == 2 ? vec_length_safe(p[1])
                                            : 1.0,
                               p, count);
    }
    if (!(fabs(sum.measure) > 0.0)) /* below the resolution of doubles */
        return false;
    *m = tact_moment_sum_end(&sum, dimension, origin, exponent);
    if (count == 4)
        *m = tact_moments_transform(m, at);
    return true;
}

tact_status tact_moments_points(const tact_vec3 *points, int count, const tact_transform *at,
                                const tact_allocator *allocator, moments *m)
{
    if (simplex_moments(points, count, at, m))
        return TACT_OK;
    tact_report report;
    hull *h = tact_hull_create(points, (size_t)count, allocator, &report);
    if (h == NULL)
        return report.status;
    *m = tact_moments_hull(h, at);
    tact_hull_release(h, allocator);
    return TACT_OK;
}

tact_status tact_moments_convex(const tact_shape *shape, const tact_transform *at, moments *m)
{
    if (!(shape->margin > 0.0)) {
        switch (shape->type) {
        case TACT_BOX:
        case TACT_ELLIPSOID:
        case TACT_SPHERE:
        case TACT_CYLINDER:
        case TACT_CONE:
        case TACT_CAPSULE:
            *m = closed_form_moments(shape, at);
            return TACT_OK;
        case TACT_POINT:
        case TACT_SEGMENT:
        case TACT_TRIANGLE:
        case TACT_TETRAHEDRON:
            return tact_moments_points(shape->points, shape->point_count, at, &shape->allocator, m);
        case TACT_POLYGON:
        case TACT_HULL:
            *m = tact_moments_hull(shape->hull, at);
            return TACT_OK;
        case TACT_TRANSFORMED: {
            if (!(shape->parts[0]->margin > 0.0)) {
                tact_transform both = tact_transform_compose(*at, shape->transform);
                return tact_moments_convex(shape->parts[0], &both, m);
            }
            /* a rounded part has a volume: its moments are transformed as a whole */
            tact_status status = tact_moments_convex(shape->parts[0], &shape->transform, m);
            if (status == TACT_OK || status == TACT_NOT_CONVERGED)
                *m = tact_moments_transform(m, at);
            return status;
        }
        default:
            break;
        }
    }
    double factor = shape->type == TACT_CYLINDER || shape->type == TACT_CONE ? similarity(at) : 0.0;
    if (factor > 0.0) { /* it has a margin; without one it has a closed form */
        *m = tact_moments_revolution(shape, at, factor);
        return TACT_OK;
    }
    tact_status status = polytope_moments(shape, at, m);
    return status == TACT_NOT_CONVERGED ? tact_moments_sampled(shape, at, m) : status;
}
