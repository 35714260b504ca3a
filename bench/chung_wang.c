/*
 * The algorithm of Chung and Wang as described in van den Bergen 1999, section 4.2.2: a baseline for polytopes.
 *
 * It searches for a weak separating axis: a unit vector v with v.w >= 0 for all w of A - B. An axis that fails, with
 * support point w and r = w/|w|, is reflected to v - 2 (r.v) r, which is nearer to every separating axis. A second
 * algorithm maintains the cone of all n with n.w_i >= 0 for the support points w_0 ... w_k so far. If the cone has no
 * interior, the origin lies in the hull of the w_i, and the shapes overlap. If a support point repeats, the search
 * continues with an axis n from the interior of the cone, which either ends it or gives a new support point.
 *
 * The cone is stored as the cycle of its edges and cut by one plane per new support point: O(k) per step. (Updating it
 * less often, as the thesis suggests, was measured on the I-COLLIDE simulation: never faster, 8 % slower at high
 * density.)
 */
#include "chung_wang.h"

#include <math.h>

/* Stored support points. The I-COLLIDE simulation needs at most 9; the bound of the thesis is the product of the
 * numbers of vertices. */
#define MAX_POINTS 100

typedef struct cone {
    int planes; /* support points that have cut it */
    int count;
    tact_vec3 rays[MAX_POINTS + 4]; /* unit vectors in cyclic order; adjacent ones are less than 180 degrees apart */
} cone;

static double dot(tact_vec3 a, tact_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* s a + t b, normalised; zero stays zero. */
static tact_vec3 blend(double s, tact_vec3 a, double t, tact_vec3 b)
{
    tact_vec3 c = {s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
    double square = dot(c, c);
    double factor = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    return (tact_vec3){c.x * factor, c.y * factor, c.z * factor};
}

/* Starts the cone as the wedge of two half-spaces: both directions of its edge and a ray in each face. Returns false if
 * their boundary planes are equal. */
static bool wedge(cone *c, tact_vec3 u, tact_vec3 v)
{
    tact_vec3 edge = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v);
    if (!(dot(edge, edge) > 0.0))
        return false;
    c->rays[0] = blend(1.0, edge, 0.0, edge);
    c->rays[1] = blend(uu, v, -uv, u);
    c->rays[2] = blend(-1.0, edge, 0.0, edge);
    c->rays[3] = blend(vv, u, -uv, v);
    c->count = 4;
    return true;
}

/* Cuts the cone by the half-space w.n >= 0. Returns false if no ray with w.n > 0 is left. */
static bool cut(cone *c, tact_vec3 w)
{
    double side[MAX_POINTS + 4];
    bool inside = false, outside = false;
    for (int i = 0; i < c->count; i++) {
        side[i] = dot(w, c->rays[i]);
        inside = inside || side[i] > 0.0;
        outside = outside || side[i] < 0.0;
    }
    if (!inside || !outside)
        return inside;
    tact_vec3 clipped[MAX_POINTS + 4];
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        int j = i + 1 < c->count ? i + 1 : 0;
        if (side[i] >= 0.0)
            clipped[count++] = c->rays[i];
        if ((side[i] > 0.0 && side[j] < 0.0) || (side[i] < 0.0 && side[j] > 0.0))
            clipped[count++] = blend(fabs(side[j]), c->rays[i], fabs(side[i]), c->rays[j]);
    }
    c->count = count;
    for (int i = 0; i < count; i++)
        c->rays[i] = clipped[i];
    return true;
}

/* Cuts the cone by all new support points. Returns false if no n has n.w > 0 for all of them. */
static bool update_cone(cone *c, const tact_vec3 *w, int count)
{
    if (c->planes < 2 && count >= 2) {
        if (!wedge(c, w[0], w[1]))
            return dot(w[0], w[1]) > 0.0; /* equal or opposite half-spaces */
        c->planes = 2;
    }
    while (c->planes < count) {
        if (!cut(c, w[c->planes++]))
            return false;
    }
    return true;
}

static tact_vec3 centre_of(const cone *c, tact_vec3 otherwise)
{
    if (c->planes < 2)
        return otherwise;
    tact_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < c->count; i++)
        sum = (tact_vec3){sum.x + c->rays[i].x, sum.y + c->rays[i].y, sum.z + c->rays[i].z};
    return blend(1.0, sum, 0.0, sum);
}

/* Support point along `sign` times the world direction d, and the index of its vertex. */
static tact_vec3 support(const solid *s, const tact_transform *m, double sign, tact_vec3 d, int *which)
{
    double x = sign * dot(m->x_axis, d), y = sign * dot(m->y_axis, d), z = sign * dot(m->z_axis, d);
    const tact_vec3 *p = s->vertices;
    int best = 0;
    double most = p[0].x * x + p[0].y * y + p[0].z * z;
    for (int i = 1; i < s->vertex_count; i++) {
        double projection = p[i].x * x + p[i].y * y + p[i].z * z;
        if (projection > most) {
            most = projection;
            best = i;
        }
    }
    *which = best;
    tact_vec3 q = p[best];
    return (tact_vec3){m->x_axis.x * q.x + m->y_axis.x * q.y + m->z_axis.x * q.z + m->origin.x,
                       m->x_axis.y * q.x + m->y_axis.y * q.y + m->z_axis.y * q.z + m->origin.y,
                       m->x_axis.z * q.x + m->y_axis.z * q.y + m->z_axis.z * q.z + m->origin.z};
}

chung_wang tact_chung_wang(const solid *a, const tact_transform *transform_a, const solid *b,
                           const tact_transform *transform_b, tact_vec3 *axis)
{
    tact_vec3 v = *axis;
    if (!(dot(v, v) > 0.0))
        v = blend(1.0, transform_a->origin, -1.0, transform_b->origin);
    if (!(dot(v, v) > 0.0))
        v = (tact_vec3){1.0, 0.0, 0.0};
    tact_vec3 w[MAX_POINTS];
    int from_a[MAX_POINTS], from_b[MAX_POINTS], count = 0;
    cone c;
    c.planes = 0;
    c.count = 0;
    bool from_cone = false;
    for (;;) {
        *axis = v;
        int i, j;
        tact_vec3 p = support(a, transform_a, -1.0, v, &i), q = support(b, transform_b, 1.0, v, &j);
        tact_vec3 support_point = {p.x - q.x, p.y - q.y, p.z - q.z};
        double projection = dot(v, support_point);
        if (projection >= 0.0)
            return CHUNG_WANG_APART; /* v is a weak separating axis */
        bool repeated = false;
        for (int k = 0; k < count; k++)
            repeated = repeated || (from_a[k] == i && from_b[k] == j);
        if (repeated && from_cone) /* n.w >= 0 up to rounding error: they touch */
            return CHUNG_WANG_APART;
        if (!repeated) {
            if (count == MAX_POINTS)
                return CHUNG_WANG_GAVE_UP;
            from_a[count] = i;
            from_b[count] = j;
            w[count++] = support_point;
        }
        from_cone = from_cone || repeated;
        if (count > 1 && !update_cone(&c, w, count))
            return CHUNG_WANG_TOUCH; /* the origin is in the hull of the support points */
        if (from_cone)
            v = centre_of(&c, support_point);
        else
            v = blend(1.0, v, -2.0 * projection / dot(support_point, support_point), support_point);
    }
}
