/*
 * Ray cast against a convex shape.
 *
 * Guarantee: the hit point is on the surface, and the ray before it is outside the shape, up to a few rounding errors
 * of the coordinates of the shape and the ray's origin. A ray that enters deeper than about 1e-12 of these coordinates
 * never misses. For a nearly tangent ray the parameter is as uncertain as its geometry.
 * Cost: constant for shapes with a closed form, the number of faces for small hulls, else about 4 to 10 runs of GJK.
 *
 * Closed forms: an affine map does not change a ray's parameter. So boxes, ellipsoids, cylinders, cones and capsules
 * under non-uniform scale are intersected as unit shapes in local coordinates. The base point is first moved along the
 * ray to where it passes the shape's origin, because a far base point loses digits. A solid is a set of inequalities,
 * which clip the ray to an interval. Spheres, capsules, triangles and tetrahedra are intersected in world coordinates.
 * General method: all other shapes, and shapes too flat or skewed for their closed form, use van den Bergen 2004, "Ray
 * Casting against General Convex Objects with Application to Continuous Collision Detection", as Newton's method. The
 * distance from a point that moves along the ray is a convex function of its parameter. The plane through the closest
 * point gives its slope, and the root of the plane is never beyond the surface. Departure: GJK restarts at each point
 * from the last normal instead of reusing its simplex. So its lower bound is proved at each point independently.
 */
#include "convex/convex_constants.h"
#include "convex/convex_query.h"

#include <float.h>

#include "convex/closed_form.h"
#include "convex/gjk.h"
#include "core/number.h"

/* A ray with a direction of unit length, relative to the shape's origin. */
typedef struct unit_ray {
    tact_vec3 from, along;
    double max;
    double noise; /* length: the rounding error of its coordinates and the shape's */
} unit_ray;

typedef enum ray_result { RAY_MISS, RAY_HIT, RAY_INSIDE, RAY_GENERAL, RAY_FAILED } ray_result;

/* The interval of a line inside a solid, and the outward normal (of any length) where it enters. */
typedef struct ray_clip {
    double enter, leave;
    tact_vec3 normal;
} ray_clip;

static ray_clip clip_all(void) { return (ray_clip){-INFINITY, INFINITY, {0.0, 0.0, 0.0}}; }

static ray_clip clip_nothing(void) { return (ray_clip){INFINITY, -INFINITY, {0.0, 0.0, 0.0}}; }

static void clip_enter(ray_clip *c, double t, tact_vec3 normal)
{
    if (t > c->enter) {
        c->enter = t;
        c->normal = normal;
    }
}

static void clip_leave(ray_clip *c, double t)
{
    if (t < c->leave)
        c->leave = t;
}

/* Clips to |from + t along| <= half in one coordinate; `normal` is outward at the positive end. */
static void clip_slab(ray_clip *c, double from, double along, double half, double slack, tact_vec3 normal)
{
    if (along == 0.0) {
        if (fabs(from) > half + slack)
            *c = clip_nothing();
        return;
    }
    double sign = copysign(1.0, along);
    clip_enter(c, (-sign * half - from) / along, vec_scale(normal, -sign));
    clip_leave(c, (sign * half - from) / along);
}

/* The interval |from + t along| <= radius: a sphere, or a cylinder if both vectors are perpendicular to its axis.
 * False, with nothing written, if the line misses it. */
static bool clip_sphere(tact_vec3 from, tact_vec3 along, double radius, double slack, double *enter, double *leave)
{
    double square = vec_length_squared(along);
    if (!(square > DBL_MIN)) { /* parallel to the cylinder's axis */
        if (vec_length(from) > radius + slack)
            return false;
        *enter = -INFINITY;
        *leave = INFINITY;
        return true;
    }
    double centre = -vec_dot(from, along) / square;
    double closest = vec_length(vec_mul_add(from, centre, along));
    if (closest > radius + slack)
        return false;
    double half = closest < radius ? sqrt((radius - closest) * (radius + closest) / square) : 0.0;
    *enter = centre - half;
    *leave = centre + half;
    return true;
}

/* ---- unit shapes ------------------------------------------------------------------------------------------------ */

static ray_clip clip_unit_box(tact_vec3 o, tact_vec3 d, double slack)
{
    ray_clip c = clip_all();
    clip_slab(&c, o.x, d.x, 1.0, slack, vec_make(1.0, 0.0, 0.0));
    clip_slab(&c, o.y, d.y, 1.0, slack, vec_make(0.0, 1.0, 0.0));
    clip_slab(&c, o.z, d.z, 1.0, slack, vec_make(0.0, 0.0, 1.0));
    return c;
}

static ray_clip clip_unit_sphere(tact_vec3 o, tact_vec3 d, double slack)
{
    ray_clip c = clip_nothing();
    if (clip_sphere(o, d, 1.0, slack, &c.enter, &c.leave))
        c.normal = vec_mul_add(o, c.enter, d);
    return c;
}

static ray_clip clip_unit_cylinder(tact_vec3 o, tact_vec3 d, double slack)
{
    ray_clip c = clip_nothing();
    if (!clip_sphere(vec_make(o.x, 0.0, o.z), vec_make(d.x, 0.0, d.z), 1.0, slack, &c.enter, &c.leave))
        return c;
    c.normal = vec_make(o.x + c.enter * d.x, 0.0, o.z + c.enter * d.z);
    clip_slab(&c, o.y, d.y, 1.0, slack, vec_make(0.0, 1.0, 0.0));
    return c;
}

/* x^2 + z^2 <= w^2 with w = (1 - y)/2 from 0 (the apex) to 1 (the base): A t^2 + 2 B t + C <= 0. */
static ray_clip clip_unit_cone(tact_vec3 o, tact_vec3 d, double slack)
{
    double ow = 0.5 * (1.0 - o.y), dw = -0.5 * d.y;
    double a = d.x * d.x + d.z * d.z - dw * dw;
    double b = o.x * d.x + o.z * d.z - ow * dw;
    double c0 = o.x * o.x + o.z * o.z - ow * ow;
    /* B^2 - A C, in a form without cancellation. */
    double p = o.x * dw - ow * d.x, q = o.z * dw - ow * d.z, r = o.x * d.z - o.z * d.x;
    double discriminant = p * p + q * q - r * r;
    ray_clip c = clip_all();
    if (discriminant < 0.0) {
        if (a >= 0.0)
            return clip_nothing();
        discriminant = 0.0; /* rounding near the apex: a steep line always intersects both nappes */
    }
    double root = sqrt(discriminant), sum = b < 0.0 ? b - root : b + root;
    if (sum == 0.0) { /* a = b = 0 (a line on the surface), or both roots at the base point */
        if (a > 0.0)
            c.enter = c.leave = 0.0;
        else if (a < 0.0)
            *(dw > 0.0 ? &c.enter : &c.leave) = 0.0;
        else if (c0 > slack)
            return clip_nothing();
    } else {
        double first = a != 0.0 ? -sum / a : (b < 0.0 ? INFINITY : -INFINITY), second = -c0 / sum;
        double low = number_min(first, second), high = number_max(first, second);
        if (a >= 0.0) {
            c.enter = low;
            c.leave = high;
        } else if (dw > 0.0) { /* outside the roots, where w grows */
            c.enter = high;
        } else {
            c.leave = low;
        }
    }
    if (c.enter > -INFINITY)
        c.normal = vec_make(o.x + c.enter * d.x, 0.5 * (ow + c.enter * dw), o.z + c.enter * d.z);
    clip_slab(&c, o.y, d.y, 1.0, slack, vec_make(0.0, 1.0, 0.0));
    return c;
}

/* The points within 1 of the segment from -half to +half on the y axis: the union of a cylinder and two spheres. */
static ray_clip clip_unit_capsule(tact_vec3 o, tact_vec3 d, double half, double slack)
{
    ray_clip c = clip_unit_cylinder(vec_make(o.x, o.y / half, o.z), vec_make(d.x, d.y / half, d.z), slack);
    if (c.enter > c.leave)
        c = clip_nothing();
    for (int i = 0; i < 2; i++) {
        tact_vec3 from = vec_make(o.x, o.y + (i == 0 ? half : -half), o.z);
        ray_clip sphere = clip_unit_sphere(from, d, slack);
        if (sphere.enter > sphere.leave)
            continue;
        c.leave = number_max(c.leave, sphere.leave);
        if (sphere.enter <= c.enter) { /* if equal, the cylinder's cap is not on the surface */
            c.enter = sphere.enter;
            c.normal = sphere.normal;
        }
    }
    return c;
}

/* Whether mapping to local coordinates amplifies rounding errors by less than RAY_MAX_SKEW. */
static bool is_well_conditioned(const tact_transform *m, const tact_transform *inverse)
{
    tact_vec3 row_x = vec_make(inverse->x_axis.x, inverse->y_axis.x, inverse->z_axis.x);
    tact_vec3 row_y = vec_make(inverse->x_axis.y, inverse->y_axis.y, inverse->z_axis.y);
    tact_vec3 row_z = vec_make(inverse->x_axis.z, inverse->y_axis.z, inverse->z_axis.z);
    return vec_length(row_x) * vec_length(m->x_axis) < RAY_MAX_SKEW &&
           vec_length(row_y) * vec_length(m->y_axis) < RAY_MAX_SKEW &&
           vec_length(row_z) * vec_length(m->z_axis) < RAY_MAX_SKEW;
}

/* ---- hulls and polygons ----------------------------------------------------------------------------------------- */

/* A convex polygon with vertices in order. RAY_GENERAL if the ray is almost parallel to its plane or hits an edge. */
static ray_result ray_polygon(const tact_vec3 *vertices, int count, tact_vec3 normal, const unit_ray *r, double *t,
                              tact_vec3 *out)
{
    double slope = vec_dot(normal, r->along);
    if (!(fabs(slope) > RAY_THIN))
        return RAY_GENERAL;
    double hit = vec_dot(normal, vec_sub(vertices[0], r->from)) / slope;
    tact_vec3 p = vec_mul_add(r->from, hit, r->along);
    for (int i = 0; i < count; i++) {
        tact_vec3 vertex = vertices[i], edge = vec_sub(vertices[i + 1 < count ? i + 1 : 0], vertex);
        double left = vec_dot(normal, vec_cross(edge, vec_sub(p, vertex)));
        if (left < -RAY_TOUCH / RAY_THIN * vec_length(edge) * r->noise / CONVEX_ROUNDOFF)
            return RAY_MISS;
        if (left < 0.0)
            return RAY_GENERAL; /* on an edge, up to rounding */
    }
    if (fabs(hit * slope) <= RAY_TOUCH / CONVEX_ROUNDOFF * r->noise)
        return RAY_INSIDE;
    if (hit < 0.0)
        return RAY_MISS;
    *t = hit;
    *out = vec_scale(normal, slope > 0.0 ? -1.0 : 1.0);
    return RAY_HIT;
}

static ray_result ray_triangle(const tact_vec3 *p, const unit_ray *r, double *t, tact_vec3 *normal)
{
    tact_vec3 e = vec_sub(p[1], p[0]), f = vec_sub(p[2], p[0]), n = vec_cross(e, f);
    if (!(vec_length(n) > RAY_THIN * vec_length(e) * vec_length(f)))
        return RAY_GENERAL;
    return ray_polygon(p, 3, vec_normalize(n), r, t, normal);
}

static void clip_face(ray_clip *c, tact_vec3 normal, double offset, tact_vec3 o, tact_vec3 d, double slack)
{
    double height = offset - vec_dot(normal, o), slope = vec_dot(normal, d);
    if (slope > 0.0)
        clip_leave(c, height / slope);
    else if (slope < 0.0)
        clip_enter(c, height / slope, normal);
    else if (height < -slack)
        *c = clip_nothing();
}

/* False if the tetrahedron is too thin. */
static bool clip_tetrahedron(const tact_vec3 *p, tact_vec3 o, tact_vec3 d, double slack, ray_clip *c)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    *c = clip_all();
    for (int i = 0; i < 4; i++) {
        tact_vec3 base = p[face[i][0]];
        tact_vec3 e = vec_sub(p[face[i][1]], base), f = vec_sub(p[face[i][2]], base), g = vec_sub(p[face[i][3]], base);
        tact_vec3 n = vec_cross(e, f);
        double height = vec_dot(n, g);
        if (!(fabs(height) > RAY_THIN * vec_length(e) * vec_length(f) * vec_length(g)))
            return false;
        n = vec_scale(vec_normalize(n), height > 0.0 ? -1.0 : 1.0);
        clip_face(c, n, vec_dot(n, base), o, d, slack);
    }
    return true;
}

/* ---- general method --------------------------------------------------------------------------------------------- */

/* The distance of the core from p. `accuracy` is relative to the distance less the margin. The supporting plane of the
 * normal is at least the part `proved` of that distance from p; its distance is stored in `clearance`. On curved shapes
 * the direction between GJK's points may not prove that much. Then the direction of a separation test replaces it. */
static void distance_from(const convex *c, tact_vec3 p, tact_vec3 axis, double accuracy, double proved, gjk_result *g,
                          double *clearance)
{
    convex point = convex_point(c->shape, p);
    *g = (gjk_result){0};
    if (!tact_closed_form_distance(c, &point, g))
        tact_gjk(c, &point, accuracy, INFINITY, axis, g);
    *clearance = vec_dot(g->normal, vec_sub(p, tact_convex_support(c, g->normal, NULL))) - c->margin;
    double lower = g->lower - c->margin;
    if (g->count == 0 || g->status == GJK_OVERLAP || !(lower > 0.0) || *clearance >= proved * lower)
        return;
    gjk_result again = {0};
    tact_gjk_within(c, &point, c->margin + 0.5 * (1.0 + proved) * lower, g->normal, &again);
    if (again.status == GJK_BEYOND_LIMIT) {
        g->normal = again.normal;
        *clearance = vec_dot(g->normal, vec_sub(p, tact_convex_support(c, g->normal, NULL))) - c->margin;
    }
}

/* The outward normal near p, computed slightly off the surface, where it is not rounding error. */
static tact_vec3 surface_normal(const convex *c, tact_vec3 p, tact_vec3 normal)
{
    double off = RAY_NORMAL_OFFSET * (c->bounding_radius + c->margin), clearance;
    if (c->margin > off || !(off > 0.0))
        return normal;
    for (int i = 0; i < 2; i++) {
        gjk_result g;
        distance_from(c, vec_mul_add(p, off, normal), normal, 0.0, RAY_NORMAL_PROOF, &g, &clearance);
        if (g.count == 0 || g.status == GJK_OVERLAP || !(g.lower > 0.5 * off))
            break;
        normal = g.normal;
    }
    return normal;
}

static ray_result ray_general(const convex *c, const unit_ray *r, double *t, tact_vec3 *normal)
{
    double touch_distance = r->noise * (RAY_TOUCH / CONVEX_ROUNDOFF), clearance;
    tact_vec3 n = vec_make(0.0, 0.0, 0.0);
    *t = 0.0;
    for (int i = 0; i < RAY_MAX_STEPS; i++) {
        tact_vec3 p = vec_mul_add(r->from, *t, r->along);
        gjk_result g;
        distance_from(c, p, n, RAY_STEP_ACCURACY, RAY_STEP_PROOF, &g, &clearance);
        bool touches = g.lower - c->margin <= touch_distance;
        if (g.count == 0 || (g.status == GJK_NOT_CONVERGED && touches && g.upper - c->margin > touch_distance))
            return RAY_FAILED;
        if (g.status == GJK_OVERLAP || touches) {
            if (i == 0)
                return RAY_INSIDE;
            *normal = surface_normal(c, p, g.status != GJK_OVERLAP && c->margin > touch_distance ? g.normal : n);
            return RAY_HIT;
        }
        n = g.normal;
        double slope = vec_dot(n, r->along), step = g.lower - c->margin; /* free of the shape in any direction */
        if (clearance > 0.0) {
            if (!(slope < 0.0))
                return RAY_MISS; /* the plane separates the rest of the ray */
            step = number_max(step, clearance / -slope);
        }
        double next = *t + step;
        if (next > r->max)
            return RAY_MISS;
        if (!(next > *t)) { /* the step is below the resolution of the parameter */
            *normal = surface_normal(c, p, n);
            return RAY_HIT;
        }
        *t = next;
    }
    return RAY_FAILED;
}

/* ---- spheres and capsules --------------------------------------------------------------------------------------- */

/* A shape whose core is a point or a segment. */
static ray_result ray_sphere_swept(const convex *c, const unit_ray *r, double *t, tact_vec3 *normal)
{
    tact_vec3 p = c->points[0], q = c->point_count == 2 ? c->points[1] : p;
    tact_vec3 centre = vec_scale(vec_add(p, q), 0.5), half = vec_scale(vec_sub(q, p), 0.5);
    double base = vec_dot(vec_sub(centre, r->from), r->along); /* where the ray passes the centre */
    tact_vec3 o = vec_sub(vec_mul_add(r->from, base, r->along), centre), k = vec_normalize(half);
    double length = vec_dot(k, half), slack = r->noise * (RAY_TOUCH / CONVEX_ROUNDOFF);
    ray_clip interval = clip_nothing();
    for (int i = 0; i < c->point_count; i++) {
        double enter, leave;
        tact_vec3 from = vec_mul_add(o, i == 0 ? 1.0 : -1.0, half);
        if (clip_sphere(from, r->along, c->margin, slack, &enter, &leave)) {
            interval.enter = number_min(interval.enter, enter);
            interval.leave = number_max(interval.leave, leave);
        }
    }
    if (c->point_count == 2 && length > 0.0) {
        ray_clip side = clip_nothing();
        tact_vec3 normal_o = vec_mul_add(o, -vec_dot(o, k), k),
                  normal_d = vec_mul_add(r->along, -vec_dot(r->along, k), k);
        if (vec_length_squared(normal_d) < DBL_EPSILON * DBL_EPSILON)
            normal_d = vec_make(0.0, 0.0, 0.0);
        if (clip_sphere(normal_o, normal_d, c->margin, slack, &side.enter, &side.leave)) {
            clip_slab(&side, vec_dot(o, k), vec_dot(r->along, k), length, slack, k);
            if (side.enter <= side.leave) {
                interval.enter = number_min(interval.enter, side.enter);
                interval.leave = number_max(interval.leave, side.leave);
            }
        }
    }
    if (interval.enter > interval.leave || interval.leave < -base)
        return RAY_MISS;
    if (interval.enter <= -base)
        return RAY_INSIDE;
    *t = base + interval.enter;
    tact_vec3 at = vec_mul_add(o, interval.enter, r->along);
    double along = number_min(number_max(vec_dot(at, k), -length), length);
    tact_vec3 out = vec_mul_add(at, -along, k);
    if (!(c->margin > slack)) /* a point or segment without margin: perpendicular to it, against the ray */
        out = vec_mul_add(vec_negate(r->along), vec_dot(r->along, k), k);
    *normal = vec_normalize(vec_length_squared(out) > 0.0 ? out : vec_negate(r->along));
    return RAY_HIT;
}

/* ---- dispatch --------------------------------------------------------------------------------------------------- */

/* The result from a clipped interval, whose parameters are relative to `base`. `inverse` maps from the world to the
 * coordinates of its normal. */
static ray_result ray_from_clip(const ray_clip *c, const tact_transform *inverse, double base, const unit_ray *r,
                                double *t, tact_vec3 *normal)
{
    if (!(c->enter <= c->leave) || c->leave < -base)
        return RAY_MISS;
    if (c->enter <= -base)
        return RAY_INSIDE;
    *t = base + c->enter;
    tact_vec3 n = vec_normalize(vec_transform_transposed(inverse, c->normal));
    *normal = vec_dot(n, n) > 0.0 ? n : vec_negate(r->along);
    return RAY_HIT;
}

/* Shapes in local coordinates: unit shapes and hulls. */
static ray_result ray_unit_shape(const convex *c, const unit_ray *r, double *t, tact_vec3 *normal)
{
    tact_transform inverse;
    if (tact_transform_invert(c->transform, &inverse) != TACT_OK || !is_well_conditioned(&c->transform, &inverse))
        return RAY_GENERAL;
    double base = -vec_dot(r->from, r->along);
    tact_vec3 o = vec_transform(&inverse, vec_mul_add(r->from, base, r->along)), d = vec_transform(&inverse, r->along);
    double slack = RAY_TOUCH * RAY_MAX_SKEW;
    ray_clip interval;
    switch (c->kind) {
    case CONVEX_BOX:
        interval = clip_unit_box(o, d, slack);
        break;
    case CONVEX_ELLIPSOID:
        interval = clip_unit_sphere(o, d, slack);
        break;
    case CONVEX_CYLINDER:
        interval = clip_unit_cylinder(o, d, slack);
        break;
    case CONVEX_CONE:
        interval = clip_unit_cone(o, d, slack);
        break;
    case CONVEX_CAPSULE: {
        double half = c->shape->half_height / c->shape->radius;
        if (!(half > RAY_THIN) || !(half < 1.0 / RAY_THIN))
            return RAY_GENERAL;
        interval = clip_unit_capsule(o, d, half, slack);
        break;
    }
    case CONVEX_HULL: {
        const hull *h = c->shape->hull;
        if (h->dimension != 3 || h->face_count > RAY_MAX_FACES)
            return RAY_GENERAL;
        interval = clip_all();
        for (uint32_t i = 0; i < h->face_count; i++)
            clip_face(&interval, h->faces[i].normal, h->faces[i].offset, o, d, RAY_TOUCH * c->shape->bounding_radius);
        /* The planes of narrow faces are uncertain. Close results, and a plane with a vertex outside, take the general
         * method. */
        double tolerance = RAY_NEARLY * c->bounding_radius;
        if (!(fabs(interval.leave - interval.enter) > tolerance) || fabs(interval.enter + base) < tolerance ||
            fabs(interval.leave + base) < tolerance)
            return RAY_GENERAL;
        if (interval.enter < interval.leave && interval.enter > -base) {
            tact_vec3 n = interval.normal;
            double excess =
                vec_dot(n, vec_sub(h->vertices[tact_hull_support(h, n)], vec_mul_add(o, interval.enter, d)));
            if (excess > RAY_PLANE_EXCESS * c->shape->bounding_radius)
                return RAY_GENERAL;
        }
        break;
    }
    default:
        return RAY_GENERAL;
    }
    return ray_from_clip(&interval, &inverse, base, r, t, normal);
}

static ray_result ray_convex(const convex *c, const unit_ray *r, double *t, tact_vec3 *normal)
{
    ray_result end = RAY_GENERAL;
    if (c->kind == CONVEX_POINTS && c->point_count <= 2)
        end = ray_sphere_swept(c, r, t, normal);
    else if (c->margin > 0.0)
        end = RAY_GENERAL;
    else if (c->kind == CONVEX_POINTS && c->point_count == 3)
        end = ray_triangle(c->points, r, t, normal);
    else if (c->kind == CONVEX_POINTS) {
        ray_clip interval;
        double base = -vec_dot(r->from, r->along);
        tact_transform identity = tact_identity();
        if (clip_tetrahedron(c->points, vec_mul_add(r->from, base, r->along), r->along,
                             r->noise * (RAY_TOUCH / CONVEX_ROUNDOFF), &interval))
            end = ray_from_clip(&interval, &identity, base, r, t, normal);
    } else
        end = ray_unit_shape(c, r, t, normal);
    return end == RAY_GENERAL ? ray_general(c, r, t, normal) : end;
}

tact_ray_hit tact_convex_ray(const convex *instance, tact_vec3 from, tact_vec3 direction, double max)
{
    tact_ray_hit answer = {.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    convex c = *instance;
    tact_vec3 unit = vec_normalize(direction);
    double length = vec_dot(unit, direction), t = 0.0;
    unit_ray r = {vec_sub(from, c.transform.origin), unit, max * length, 0.0};
    r.noise = CONVEX_ROUNDOFF * (c.bounding_radius + c.margin + vec_max_abs(r.from));
    c.transform.origin = vec_make(0.0, 0.0, 0.0);
    ray_result end = ray_convex(&c, &r, &t, &answer.normal);
    if (end == RAY_FAILED) {
        answer.status = TACT_NOT_CONVERGED;
        return answer;
    }
    answer.status = TACT_OK;
    answer.state = TACT_MISS;
    if (end == RAY_INSIDE || (end == RAY_HIT && t / length <= max)) {
        answer.state = TACT_HIT;
        answer.t = end == RAY_INSIDE ? 0.0 : number_min(t / length, DBL_MAX);
        answer.point = end == RAY_INSIDE ? from : vec_mul_add(from, t, unit);
    }
    if (answer.state != TACT_HIT || end == RAY_INSIDE)
        answer.normal = vec_make(0.0, 0.0, 0.0);
    return answer;
}
