/*
 * The distance of points and segments in closed form. Sphere-sphere, sphere-capsule and capsule-capsule are these plus
 * margins.
 *
 * Guarantee: that of tact_gjk for full accuracy, by the same proof. The separation along the direction found is
 * computed for all end points and must agree with the distance up to rounding; if not, the caller goes on with GJK.
 * Cost: constant.
 *
 * sphere_swept.c computes the same, faster, from the shapes themselves, for two spheres or capsules under
 * similarities. This one serves cores that are already transformed: elements of meshes and compounds, and points.
 */
#include "convex/closed_form.h"

#include "convex/convex_constants.h"

static double clamp01(double t) { return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t; }

/* Parameter of the point of the segment q + t s closest to p. */
static double closest_parameter(tact_vec3 p, tact_vec3 q, tact_vec3 s)
{
    double square = vec_length_squared(s);
    return square > 0.0 ? clamp01(vec_dot(vec_sub(p, q), s) / square) : 0.0;
}

/* Parameters of the closest points of the segments p + x u and q + y v. */
static void closest_of_segments(tact_vec3 p, tact_vec3 u, tact_vec3 q, tact_vec3 v, double *x, double *y)
{
    tact_vec3 r = vec_sub(p, q);
    double uu = vec_length_squared(u), vv = vec_length_squared(v), uv = vec_dot(u, v), ur = vec_dot(u, r),
           vr = vec_dot(v, r);
    double determinant = uu * vv - uv * uv;
    *x = determinant > 0.0 ? clamp01((uv * vr - vv * ur) / determinant) : 0.0;
    *y = vv > 0.0 ? clamp01((uv * *x + vr) / vv) : 0.0;
    *x = uu > 0.0 ? clamp01((uv * *y - ur) / uu) : 0.0;
}

bool tact_closed_form_distance(const convex *a, const convex *b, gjk_result *result)
{
    if (a->kind != CONVEX_POINTS || b->kind != CONVEX_POINTS || a->point_count > 2 || b->point_count > 2)
        return false;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    tact_vec3 offset = vec_sub(b->transform.origin, a->transform.origin);
    tact_vec3 a0 = a->points[0], b0 = b->points[0];
    tact_vec3 u = a->point_count == 2 ? vec_sub(a->points[1], a0) : zero;
    tact_vec3 v = b->point_count == 2 ? vec_sub(b->points[1], b0) : zero;
    double x = 0.0, y = 0.0;
    if (a->point_count == 1 && b->point_count == 2)
        y = closest_parameter(vec_sub(a0, offset), b0, v);
    else if (a->point_count == 2 && b->point_count == 1)
        x = closest_parameter(vec_add(b0, offset), a0, u);
    else if (a->point_count == 2)
        closest_of_segments(vec_sub(a0, offset), u, b0, v, &x, &y);
    tact_vec3 pa = vec_mul_add(a0, x, u), pb = vec_mul_add(b0, y, v);
    tact_vec3 w = vec_add(vec_sub(pb, pa), offset);
    double distance = vec_length(w), size = a->bounding_radius + b->bounding_radius + vec_max_abs(offset);
    double rounding = CLOSED_FORM_ROUNDING * CONVEX_ROUNDOFF * size;
    tact_vec3 n = vec_normalize(w);
    /* The separation along n: the least over the end points. */
    double farthest_a = vec_dot(n, a0), nearest_b = vec_dot(n, b0);
    if (a->point_count == 2)
        farthest_a = max_double(farthest_a, vec_dot(n, a->points[1]));
    if (b->point_count == 2)
        nearest_b = -max_double(-nearest_b, -vec_dot(n, b->points[1]));
    double lower = (nearest_b - farthest_a) + vec_dot(n, offset);
    bool touch = distance <= rounding && (distance >= CLOSED_FORM_MIN_LENGTH || !(vec_max_abs(w) > rounding));
    if (!(size < CLOSED_FORM_MAX_LENGTH) || (!touch && !(distance >= CLOSED_FORM_MIN_LENGTH)) ||
        (!touch && !(distance - lower <= rounding)))
        return false;
    result->status = touch ? GJK_OVERLAP : GJK_SEPARATED;
    result->iterations = 0;
    result->lower = touch ? 0.0 : lower < distance ? lower : distance;
    result->upper = distance;
    result->normal = touch ? zero : n;
    result->on_a = vec_add(pa, a->transform.origin);
    result->on_b = vec_add(pb, b->transform.origin);
    result->count = 1;
    result->simplex[0] = (gjk_vertex){w, pa, pb};
    result->weight[0] = 1.0;
    return true;
}
