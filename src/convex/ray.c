/*
 * Where a ray meets a convex shape.
 *
 * Guarantee: the point lies on the surface, and no part of the ray before it in the shape, within a few roundings of
 * the coordinates (of shape and start); a ray that goes in deeper than about 1e-12 of them is never a miss. Where the
 * ray is nearly tangent the parameter itself is as uncertain as geometry makes it. Cost: constant for the shapes with
 * a closed form, the number of faces for small hulls; else some 4 to 10 runs of GJK.
 *
 * An affine map does not change a ray's parameter, so boxes, ellipsoids, cylinders, cones and uneven capsules are met
 * in coordinates in which they are the unit ones, from a base point moved along the ray to where it passes the
 * shape's origin (a far start would cancel away the digits). A solid is a set of inequalities, and the ray a clipped
 * interval. Spheres and capsules with their margins, triangles and polygons are met in the world. All else, and all
 * that is too flat or skewed for its closed form, goes the general way of G. van den Bergen, Ray Casting against
 * General Convex Objects with Application to Continuous Collision Detection (2004), told as Newton's method: the
 * distance from a point that moves along the ray is a convex function, its slope is that of the plane through the
 * nearest point, and the root of the plane is never beyond the surface. We restart GJK at each point from the last
 * normal instead of keeping its simplex, because the bound that it proves then holds by itself.
 */
#include "convex/convex_constants.h"
#include "convex/convex_query.h"

#include <float.h>

#include "convex/closed_form.h"
#include "convex/gjk.h"

/* A ray with a direction of unit length, relative to the shape's origin. */
typedef struct ray {
    tact_vec3 from, along;
    double max;
    double noise; /* a length: rounding of its coordinates and the shape's */
} ray;

typedef enum ray_end { RAY_MISS, RAY_HIT, RAY_INSIDE, RAY_GENERAL, RAY_FAILED } ray_end;

/* What is left of a line after clipping, and the outward normal (of any length) of what it enters through. */
typedef struct clip {
    double enter, leave;
    tact_vec3 normal;
} clip;

static clip clip_all(void) { return (clip){-INFINITY, INFINITY, {0.0, 0.0, 0.0}}; }

static clip clip_nothing(void) { return (clip){INFINITY, -INFINITY, {0.0, 0.0, 0.0}}; }

static void clip_enter(clip *c, double t, tact_vec3 normal)
{
    if (t > c->enter) {
        c->enter = t;
        c->normal = normal;
    }
}

static void clip_leave(clip *c, double t)
{
    if (t < c->leave)
        c->leave = t;
}

/* |from + t along| <= half, for one coordinate; `normal` is outward at the positive end. */
static void clip_slab(clip *c, double from, double along, double half, double slack, tact_vec3 normal)
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

/* |from + t along| <= radius, for vectors of two or three dimensions. False: the line passes by. */
static bool clip_round(tact_vec3 from, tact_vec3 along, double radius, double slack, double *enter, double *leave)
{
    double square = vec_length_squared(along);
    if (!(square > DBL_MIN)) { /* along the axis of what is round */
        *enter = -INFINITY;
        *leave = INFINITY;
        return vec_length(from) <= radius + slack;
    }
    double middle = -vec_dot(from, along) / square;
    double pass = vec_length(vec_mul_add(from, middle, along));
    if (pass > radius + slack)
        return false;
    double half = pass < radius ? sqrt((radius - pass) * (radius + pass) / square) : 0.0;
    *enter = middle - half;
    *leave = middle + half;
    return true;
}

/* ---- unit shapes ------------------------------------------------------------------------------------------------ */

static clip meet_unit_box(tact_vec3 o, tact_vec3 d, double slack)
{
    clip c = clip_all();
    clip_slab(&c, o.x, d.x, 1.0, slack, vec_make(1.0, 0.0, 0.0));
    clip_slab(&c, o.y, d.y, 1.0, slack, vec_make(0.0, 1.0, 0.0));
    clip_slab(&c, o.z, d.z, 1.0, slack, vec_make(0.0, 0.0, 1.0));
    return c;
}

static clip meet_unit_ball(tact_vec3 o, tact_vec3 d, double slack)
{
    clip c = clip_nothing();
    if (clip_round(o, d, 1.0, slack, &c.enter, &c.leave))
        c.normal = vec_mul_add(o, c.enter, d);
    return c;
}

static clip meet_unit_cylinder(tact_vec3 o, tact_vec3 d, double slack)
{
    clip c = clip_nothing();
    if (!clip_round(vec_make(o.x, 0.0, o.z), vec_make(d.x, 0.0, d.z), 1.0, slack, &c.enter, &c.leave))
        return c;
    c.normal = vec_make(o.x + c.enter * d.x, 0.0, o.z + c.enter * d.z);
    clip_slab(&c, o.y, d.y, 1.0, slack, vec_make(0.0, 1.0, 0.0));
    return c;
}

/* x^2 + z^2 <= w^2 with w = (1 - y)/2 from 0 (the apex) to 1 (the base): A t^2 + 2 B t + C <= 0. */
static clip meet_unit_cone(tact_vec3 o, tact_vec3 d, double slack)
{
    double ow = 0.5 * (1.0 - o.y), dw = -0.5 * d.y;
    double a = d.x * d.x + d.z * d.z - dw * dw;
    double b = o.x * d.x + o.z * d.z - ow * dw;
    double c0 = o.x * o.x + o.z * o.z - ow * ow;
    /* B^2 - A C, in a form without its cancellation */
    double p = o.x * dw - ow * d.x, q = o.z * dw - ow * d.z, r = o.x * d.z - o.z * d.x;
    double under = p * p + q * q - r * r;
    clip c = clip_all();
    if (under < 0.0) {
        if (a >= 0.0)
            return clip_nothing();
        under = 0.0; /* a steep line always crosses both nappes: rounding near the apex */
    }
    double root = sqrt(under), sum = b < 0.0 ? b - root : b + root;
    if (sum == 0.0) { /* a = b = 0 (along the surface), or both roots at the base point */
        if (a > 0.0)
            c.enter = c.leave = 0.0;
        else if (a < 0.0)
            *(dw > 0.0 ? &c.enter : &c.leave) = 0.0;
        else if (c0 > slack)
            return clip_nothing();
    } else {
        double one = a != 0.0 ? -sum / a : (b < 0.0 ? INFINITY : -INFINITY), two = -c0 / sum;
        double low = fmin(one, two), high = fmax(one, two);
        if (a >= 0.0) {
            c.enter = low;
            c.leave = high;
        } else if (dw > 0.0) { /* outside the roots, on the side on which w grows */
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

/* All points within 1 of the segment from -half to +half on the y axis: the union of a cylinder and two balls. */
static clip meet_unit_capsule(tact_vec3 o, tact_vec3 d, double half, double slack)
{
    clip c = meet_unit_cylinder(vec_make(o.x, o.y / half, o.z), vec_make(d.x, d.y / half, d.z), slack);
    if (c.enter > c.leave)
        c = clip_nothing();
    for (int i = 0; i < 2; i++) {
        tact_vec3 from = vec_make(o.x, o.y + (i == 0 ? half : -half), o.z);
        clip ball = meet_unit_ball(from, d, slack);
        if (ball.enter > ball.leave)
            continue;
        c.leave = fmax(c.leave, ball.leave);
        if (ball.enter <= c.enter) { /* equal: an end of the cylinder that is not a surface */
            c.enter = ball.enter;
            c.normal = ball.normal;
        }
    }
    return c;
}

/* Can rounding be trusted in the coordinates of these axes? */
static bool well_shaped(const tact_transform *m, const tact_transform *inverse)
{
    tact_vec3 row_x = vec_make(inverse->x_axis.x, inverse->y_axis.x, inverse->z_axis.x);
    tact_vec3 row_y = vec_make(inverse->x_axis.y, inverse->y_axis.y, inverse->z_axis.y);
    tact_vec3 row_z = vec_make(inverse->x_axis.z, inverse->y_axis.z, inverse->z_axis.z);
    return vec_length(row_x) * vec_length(m->x_axis) < RAY_MAX_SKEW &&
           vec_length(row_y) * vec_length(m->y_axis) < RAY_MAX_SKEW &&
           vec_length(row_z) * vec_length(m->z_axis) < RAY_MAX_SKEW;
}

/* ---- hulls and polygons ----------------------------------------------------------------------------------------- */

/* A convex polygon in order around; general if the ray runs in its plane or it is too thin. */
static ray_end meet_polygon(const tact_vec3 *corners, int count, tact_vec3 normal, const ray *r, double *t,
                            tact_vec3 *out)
{
    double slope = vec_dot(normal, r->along);
    if (!(fabs(slope) > RAY_THIN))
        return RAY_GENERAL;
    double where = vec_dot(normal, vec_sub(corners[0], r->from)) / slope;
    tact_vec3 p = vec_mul_add(r->from, where, r->along);
    for (int i = 0; i < count; i++) {
        tact_vec3 corner = corners[i], edge = vec_sub(corners[i + 1 < count ? i + 1 : 0], corner);
        double left = vec_dot(normal, vec_cross(edge, vec_sub(p, corner)));
        if (left < -RAY_TOUCH / RAY_THIN * vec_length(edge) * r->noise / CONVEX_ROUNDOFF)
            return RAY_MISS;
        if (left < 0.0)
            return RAY_GENERAL; /* on an edge up to rounding */
    }
    if (fabs(where * slope) <= RAY_TOUCH / CONVEX_ROUNDOFF * r->noise)
        return RAY_INSIDE;
    if (where < 0.0)
        return RAY_MISS;
    *t = where;
    *out = vec_scale(normal, slope > 0.0 ? -1.0 : 1.0);
    return RAY_HIT;
}

static ray_end meet_triangle(const tact_vec3 *p, const ray *r, double *t, tact_vec3 *normal)
{
    tact_vec3 e = vec_sub(p[1], p[0]), f = vec_sub(p[2], p[0]), n = vec_cross(e, f);
    if (!(vec_length(n) > RAY_THIN * vec_length(e) * vec_length(f)))
        return RAY_GENERAL;
    return meet_polygon(p, 3, vec_normalize(n), r, t, normal);
}

static void clip_face(clip *c, tact_vec3 normal, double offset, tact_vec3 o, tact_vec3 d, double slack)
{
    double room = offset - vec_dot(normal, o), speed = vec_dot(normal, d);
    if (speed > 0.0)
        clip_leave(c, room / speed);
    else if (speed < 0.0)
        clip_enter(c, room / speed, normal);
    else if (room < -slack)
        *c = clip_nothing();
}

/* False when it is too thin. */
static bool meet_tetrahedron(const tact_vec3 *p, tact_vec3 o, tact_vec3 d, double slack, clip *c)
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

/* ---- the general way -------------------------------------------------------------------------------------------- */

/* The core's distance from p to `accuracy`, relative to what the margin leaves of it, with a normal whose plane keeps
 * the shape at least the part `proved` of that away from p: the normal of GJK's points may lean on curved shapes,
 * where the one that proved the bound is better. `clear` gets how far the plane is from p. */
static void distance_from(const convex *c, tact_vec3 p, tact_vec3 hint, double accuracy, double proved, gjk_result *g,
                          double *clear)
{
    convex point = convex_point(c->shape, p);
    *g = (gjk_result){0};
    if (!tact_closed_form_distance(c, &point, g))
        tact_gjk(c, &point, accuracy, INFINITY, hint, g);
    *clear = vec_dot(g->normal, vec_sub(p, tact_convex_support(c, g->normal, NULL))) - c->margin;
    double lower = g->lower - c->margin;
    if (g->count == 0 || g->status == GJK_OVERLAP || !(lower > 0.0) || *clear >= proved * lower)
        return;
    gjk_result again = {0};
    tact_gjk_within(c, &point, c->margin + 0.5 * (1.0 + proved) * lower, g->normal, &again);
    if (again.status == GJK_BEYOND_LIMIT) {
        g->normal = again.normal;
        *clear = vec_dot(g->normal, vec_sub(p, tact_convex_support(c, g->normal, NULL))) - c->margin;
    }
}

/* The outward normal near p: taken a little off the surface, where it is more than rounding. */
static tact_vec3 surface_normal(const convex *c, tact_vec3 p, tact_vec3 normal)
{
    double off = RAY_NORMAL_OFFSET * (c->bounding_radius + c->margin), clear;
    if (c->margin > off || !(off > 0.0))
        return normal;
    for (int i = 0; i < 2; i++) {
        gjk_result g;
        distance_from(c, vec_mul_add(p, off, normal), normal, 0.0, RAY_NORMAL_PROOF, &g, &clear);
        if (g.count == 0 || g.status == GJK_OVERLAP || !(g.lower > 0.5 * off))
            break;
        normal = g.normal;
    }
    return normal;
}

static ray_end meet_general(const convex *c, const ray *r, double *t, tact_vec3 *normal)
{
    double touching = r->noise * (RAY_TOUCH / CONVEX_ROUNDOFF), clear;
    tact_vec3 n = vec_make(0.0, 0.0, 0.0);
    *t = 0.0;
    for (int i = 0; i < RAY_MAX_STEPS; i++) {
        tact_vec3 p = vec_mul_add(r->from, *t, r->along);
        gjk_result g;
        distance_from(c, p, n, RAY_STEP_ACCURACY, RAY_STEP_PROOF, &g, &clear);
        bool unsure = g.status == GJK_NOT_CONVERGED && g.upper - c->margin > RAY_STALL * touching;
        if (g.count == 0 || (unsure && g.lower - c->margin <= touching))
            return RAY_FAILED;
        if (g.status == GJK_OVERLAP || g.lower - c->margin <= touching) {
            if (i == 0)
                return RAY_INSIDE;
            *normal = surface_normal(c, p, g.status != GJK_OVERLAP && c->margin > touching ? g.normal : n);
            return RAY_HIT;
        }
        n = g.normal;
        double slope = vec_dot(n, r->along), step = g.lower - c->margin; /* that far it is clear in any direction */
        if (clear > 0.0) {
            if (!(slope < 0.0))
                return RAY_MISS; /* the plane keeps the rest of the ray out */
            step = fmax(step, clear / -slope);
        }
        double next = *t + step;
        if (next > r->max)
            return RAY_MISS;
        if (!(next > *t)) { /* nearer than the parameter can tell */
            *normal = surface_normal(c, p, n);
            return RAY_HIT;
        }
        *t = next;
    }
    return RAY_FAILED;
}

/* ---- spheres and capsules with their margins -------------------------------------------------------------------- */

/* The core is one or two points, all within the margin of it is the shape. */
static ray_end meet_rounded(const convex *c, const ray *r, double *t, tact_vec3 *normal)
{
    tact_vec3 p = c->points[0], q = c->point_count == 2 ? c->points[1] : p;
    tact_vec3 middle = vec_scale(vec_add(p, q), 0.5), half = vec_scale(vec_sub(q, p), 0.5);
    double base = vec_dot(vec_sub(middle, r->from), r->along); /* where the ray passes the middle */
    tact_vec3 o = vec_sub(vec_mul_add(r->from, base, r->along), middle), k = vec_normalize(half);
    double length = vec_dot(k, half), slack = r->noise * (RAY_TOUCH / CONVEX_ROUNDOFF);
    clip whole = clip_nothing();
    for (int i = 0; i < c->point_count; i++) {
        double enter, leave;
        tact_vec3 from = vec_mul_add(o, i == 0 ? 1.0 : -1.0, half);
        if (clip_round(from, r->along, c->margin, slack, &enter, &leave)) {
            whole.enter = fmin(whole.enter, enter);
            whole.leave = fmax(whole.leave, leave);
        }
    }
    if (c->point_count == 2 && length > 0.0) {
        clip side = clip_nothing();
        tact_vec3 across_o = vec_mul_add(o, -vec_dot(o, k), k),
                  across_d = vec_mul_add(r->along, -vec_dot(r->along, k), k);
        if (vec_length_squared(across_d) < DBL_EPSILON * DBL_EPSILON)
            across_d = vec_make(0.0, 0.0, 0.0);
        if (clip_round(across_o, across_d, c->margin, slack, &side.enter, &side.leave)) {
            clip_slab(&side, vec_dot(o, k), vec_dot(r->along, k), length, slack, k);
            if (side.enter <= side.leave) {
                whole.enter = fmin(whole.enter, side.enter);
                whole.leave = fmax(whole.leave, side.leave);
            }
        }
    }
    if (whole.enter > whole.leave || whole.leave < -base)
        return RAY_MISS;
    if (whole.enter <= -base)
        return RAY_INSIDE;
    *t = base + whole.enter;
    tact_vec3 at = vec_mul_add(o, whole.enter, r->along);
    double along = fmin(fmax(vec_dot(at, k), -length), length);
    tact_vec3 out = vec_mul_add(at, -along, k);
    if (!(c->margin > slack)) /* a bare point or segment: across it, against the ray */
        out = vec_mul_add(vec_negate(r->along), vec_dot(r->along, k), k);
    *normal = vec_normalize(vec_length_squared(out) > 0.0 ? out : vec_negate(r->along));
    return RAY_HIT;
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

/* Reads the answer off a clipped line; `inverse` maps its normals to the world. */
static ray_end conclude(const clip *c, const tact_transform *inverse, double base, const ray *r, double *t,
                        tact_vec3 *normal)
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

/* In coordinates in which the shape is plain. */
static ray_end meet_local(const convex *c, const ray *r, double *t, tact_vec3 *normal)
{
    tact_transform inverse;
    if (tact_transform_invert(c->transform, &inverse) != TACT_OK || !well_shaped(&c->transform, &inverse))
        return RAY_GENERAL;
    double base = -vec_dot(r->from, r->along);
    tact_vec3 o = vec_transform(&inverse, vec_mul_add(r->from, base, r->along)), d = vec_transform(&inverse, r->along);
    double slack = RAY_TOUCH * RAY_MAX_SKEW;
    clip found;
    switch (c->kind) {
    case CONVEX_BOX:
        found = meet_unit_box(o, d, slack);
        break;
    case CONVEX_ELLIPSOID:
        found = meet_unit_ball(o, d, slack);
        break;
    case CONVEX_CYLINDER:
        found = meet_unit_cylinder(o, d, slack);
        break;
    case CONVEX_CONE:
        found = meet_unit_cone(o, d, slack);
        break;
    case CONVEX_CAPSULE: {
        double half = c->shape->half_height / c->shape->radius;
        if (!(half > RAY_THIN) || !(half < 1.0 / RAY_THIN))
            return RAY_GENERAL;
        found = meet_unit_capsule(o, d, half, slack);
        break;
    }
    case CONVEX_HULL: {
        const hull *h = c->shape->hull;
        if (h->dimension != 3 || h->face_count > RAY_MAX_FACES)
            return RAY_GENERAL;
        found = clip_all();
        for (uint32_t i = 0; i < h->face_count; i++)
            clip_face(&found, h->faces[i].normal, h->faces[i].offset, o, d, RAY_TOUCH * c->shape->bounding_radius);
        /* Narrow faces have uncertain planes: a close call, or a plane that does not hold the hull, is for the
         * general way. */
        double close = RAY_NEARLY * c->bounding_radius;
        if (!(fabs(found.leave - found.enter) > close) || fabs(found.enter + base) < close ||
            fabs(found.leave + base) < close)
            return RAY_GENERAL;
        if (found.enter < found.leave && found.enter > -base) {
            tact_vec3 n = found.normal;
            double over = vec_dot(n, vec_sub(h->vertices[tact_hull_support(h, n)], vec_mul_add(o, found.enter, d)));
            if (over > RAY_TOUCH * 4.0 * c->shape->bounding_radius)
                return RAY_GENERAL;
        }
        break;
    }
    default:
        return RAY_GENERAL;
    }
    return conclude(&found, &inverse, base, r, t, normal);
}

static ray_end meet(const convex *c, const ray *r, double *t, tact_vec3 *normal)
{
    ray_end end = RAY_GENERAL;
    if (c->kind == CONVEX_POINTS && c->point_count <= 2)
        end = meet_rounded(c, r, t, normal);
    else if (c->margin > 0.0)
        end = RAY_GENERAL;
    else if (c->kind == CONVEX_POINTS && c->point_count == 3)
        end = meet_triangle(c->points, r, t, normal);
    else if (c->kind == CONVEX_POINTS) {
        clip found;
        double base = -vec_dot(r->from, r->along);
        tact_transform same = tact_identity();
        if (meet_tetrahedron(c->points, vec_mul_add(r->from, base, r->along), r->along,
                             r->noise * (RAY_TOUCH / CONVEX_ROUNDOFF), &found))
            end = conclude(&found, &same, base, r, t, normal);
    } else
        end = meet_local(c, r, t, normal);
    return end == RAY_GENERAL ? meet_general(c, r, t, normal) : end;
}

tact_ray_hit tact_convex_ray(const convex *placed, tact_vec3 from, tact_vec3 direction, double max)
{
    tact_ray_hit answer = {.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    convex c = *placed;
    tact_vec3 unit = vec_normalize(direction);
    double length = vec_dot(unit, direction), t = 0.0;
    ray r = {vec_sub(from, c.transform.origin), unit, max * length, 0.0};
    r.noise = CONVEX_ROUNDOFF * (c.bounding_radius + c.margin + vec_max_abs(r.from));
    c.transform.origin = vec_make(0.0, 0.0, 0.0);
    ray_end end = meet(&c, &r, &t, &answer.normal);
    if (end == RAY_FAILED) {
        answer.status = TACT_NOT_CONVERGED;
        return answer;
    }
    answer.status = TACT_OK;
    answer.state = TACT_MISS;
    if (end == RAY_INSIDE || (end == RAY_HIT && t / length <= max)) {
        answer.state = TACT_HIT;
        answer.t = end == RAY_INSIDE ? 0.0 : fmin(t / length, DBL_MAX);
        answer.point = end == RAY_INSIDE ? from : vec_mul_add(from, t, unit);
    }
    if (answer.state != TACT_HIT || end == RAY_INSIDE)
        answer.normal = vec_make(0.0, 0.0, 0.0);
    return answer;
}
