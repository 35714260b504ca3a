/*
 * The support map of a placed convex shape in pairs of doubles.
 *
 * Guarantee: the point farthest along the direction of the very shape that shape/convex.c sees (its placed axes,
 * corners and radii are taken as exact), to about 2^-100 of its reach; numbers of branches as there. Of a user's own
 * support function only the direction's double is known, and the point is as good as the user makes it.
 *
 * Why: a double direction n fixes the support point of a curved shape to 2^-53 of its radius of curvature, which on
 * flat and needle-like shapes is many times its size, and a corner is told from its neighbour only beyond the rounding
 * of n.p. Where two shapes just touch, this is all that there is left of the distance.
 *
 * Cost: 0.3 to 1 us a simple shape, some thirty times that of doubles; parts of trees one by one.
 */
#include "shape/convex_dd.h"

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static dd_vec zero_vec(void) { return dd_vec_make(vec_make(0.0, 0.0, 0.0)); }

static dd times(dd a, double s) { return dd_mul(a, dd_make(s)); }

/* a + s b */
static dd_vec along(dd_vec a, double s, tact_vec3 b) { return dd_vec_mul_add(a, dd_make(s), dd_vec_make(b)); }

static dd dot(tact_vec3 a, dd_vec n) { return dd_vec_dot(dd_vec_make(a), n); }

/* The linear part of a placement applied to a local vector. */
static dd_vec map(const tact_transform *m, dd_vec a)
{
    dd_vec p = dd_vec_scale(dd_vec_make(m->x_axis), a.x);
    p = dd_vec_mul_add(p, a.y, dd_vec_make(m->y_axis));
    return dd_vec_mul_add(p, a.z, dd_vec_make(m->z_axis));
}

/* The transposed linear part applied to a world direction. */
static dd_vec map_back(const tact_transform *m, dd_vec n)
{
    return (dd_vec){dot(m->x_axis, n), dot(m->y_axis, n), dot(m->z_axis, n)};
}

/* Zero counts as positive, as in shape/convex.c. */
static double end_sign(dd g) { return g.high < 0.0 ? -1.0 : 1.0; }

/* One number for two branches: as in shape/convex.c. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + b;
    h = (h ^ (h >> 29)) * 0x94d049bb133111ebu;
    return h ^ (h >> 32);
}

/* ---- polytopes -------------------------------------------------------------------------------------------------- */

/* The index of the point farthest along n; the first of equals. */
static uint64_t farthest(const tact_vec3 *points, int count, dd_vec n)
{
    int best = 0;
    dd most = dot(points[0], n);
    for (int i = 1; i < count; i++) {
        dd d = dot(points[i], n);
        if (dd_less(most, d)) {
            most = d;
            best = i;
        }
    }
    return (uint64_t)best;
}

/* The corner that doubles find, and from there uphill: mostly no step at all. */
static uint32_t hull_farthest(const hull *h, dd_vec n)
{
    tact_vec3 near = dd_vec_to_vec3(dd_vec_normalize(n));
    /* + 0.0: as in shape/convex.c */
    uint32_t best = tact_hull_support(h, vec_make(near.x + 0.0, near.y + 0.0, near.z + 0.0)), from;
    dd most = dot(h->vertices[best], n);
    do {
        from = best;
        for (uint32_t i = h->first_neighbour[from]; i < h->first_neighbour[from + 1]; i++) {
            dd d = dot(h->vertices[h->neighbours[i]], n);
            if (dd_less(most, d)) {
                most = d;
                best = h->neighbours[i];
            }
        }
    } while (best != from);
    return best;
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

/* Whether the apex of a cone is farther than its rim along a direction of components g, measured in half heights and
 * radii: 2 gy >= |(gx gz)|. */
static bool apex_leads(dd_vec g)
{
    dd_vec flat = {g.x, dd_make(0.0), g.z};
    return !dd_less(times(g.y, 2.0), dd_vec_dot(dd_vec_normalize(flat), flat));
}

static dd_vec disc_unit(dd_vec g) { return dd_vec_normalize((dd_vec){g.x, dd_make(0.0), g.z}); }

static dd_vec shape_support(const tact_shape *shape, dd_vec n, uint64_t *branch);

/* p and a ball of radius r around it */
static dd_vec rounded(dd_vec p, double r, dd_vec n)
{
    return r > 0.0 ? dd_vec_mul_add(p, dd_make(r), dd_vec_normalize(n)) : p;
}

/* A part with its margin, in the coordinates of the whole. */
static dd_vec part_support(const tact_shape *part, dd_vec n, uint64_t *branch)
{
    return rounded(shape_support(part, n, branch), part->margin, n);
}

static dd_vec stretched(dd_vec a, double x, double y, double z)
{
    return (dd_vec){times(a.x, x), times(a.y, y), times(a.z, z)};
}

/* The core of a shape in its own coordinates. Recursion is bounded by SHAPE_MAX_NESTING. */
static dd_vec shape_support(const tact_shape *shape, dd_vec n, uint64_t *branch)
{
    *branch = 0;
    switch (shape->type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        *branch = farthest(shape->points, shape->point_count, n);
        return dd_vec_make(shape->points[*branch]);
    case TACT_SPHERE:
        return rounded(zero_vec(), shape->radius, n);
    case TACT_CAPSULE: {
        double sign = end_sign(n.y);
        *branch = sign > 0.0;
        return rounded(dd_vec_make(vec_make(0.0, sign * shape->half_height, 0.0)), shape->radius, n);
    }
    case TACT_BOX:
        *branch = (uint64_t)(n.x.high < 0.0) | (uint64_t)(n.y.high < 0.0) << 1 | (uint64_t)(n.z.high < 0.0) << 2;
        return dd_vec_make(vec_make(end_sign(n.x) * shape->half_extents.x, end_sign(n.y) * shape->half_extents.y,
                                    end_sign(n.z) * shape->half_extents.z));
    case TACT_ELLIPSOID: {
        double x = shape->half_extents.x, y = shape->half_extents.y, z = shape->half_extents.z;
        return stretched(dd_vec_normalize(stretched(n, x, y, z)), x, y, z);
    }
    case TACT_CYLINDER: {
        dd_vec rim = dd_vec_scale(disc_unit(n), dd_make(shape->radius));
        rim.y = dd_make(end_sign(n.y) * shape->half_height);
        *branch = rim.y.high > 0.0;
        return rim;
    }
    case TACT_CONE: {
        if (apex_leads(stretched(n, shape->radius, shape->half_height, shape->radius))) {
            *branch = 1;
            return dd_vec_make(vec_make(0.0, shape->half_height, 0.0));
        }
        dd_vec rim = dd_vec_scale(disc_unit(n), dd_make(shape->radius));
        rim.y = dd_make(-shape->half_height);
        return rim;
    }
    case TACT_POLYGON:
    case TACT_HULL:
        *branch = hull_farthest(shape->hull, n);
        return dd_vec_make(shape->hull->vertices[*branch]);
    case TACT_MINKOWSKI_SUM: {
        uint64_t b0, b1;
        dd_vec p = part_support(shape->parts[0], n, &b0), q = part_support(shape->parts[1], n, &b1);
        *branch = mix(b0, b1);
        return dd_vec_add(p, q);
    }
    case TACT_CONVEX_HULL_OF: {
        uint64_t b0, b1;
        dd_vec p = part_support(shape->parts[0], n, &b0), q = part_support(shape->parts[1], n, &b1);
        bool first = dd_vec_dot(dd_vec_sub(p, q), n).high >= 0.0;
        *branch = first ? mix(b0, 1) : mix(b1, 2);
        return first ? p : q;
    }
    case TACT_TRANSFORMED: {
        const tact_shape *part = shape->parts[0];
        dd_vec p = map(&shape->transform, shape_support(part, map_back(&shape->transform, n), branch));
        return rounded(dd_vec_add(p, dd_vec_make(shape->transform.origin)), part->margin, n);
    }
    case TACT_CUSTOM: {
        tact_vec3 near = dd_vec_to_vec3(n);
        /* + 0.0: as in shape/convex.c */
        return dd_vec_make(shape->support(shape->support_context, vec_make(near.x + 0.0, near.y + 0.0, near.z + 0.0)));
    }
    case TACT_MESH: /* not convex: asked element by element */
    case TACT_SOUP:
    case TACT_COMPOUND:
        break;
    }
    return zero_vec();
}

dd_vec tact_convex_support_dd(const convex *c, dd_vec n, uint64_t *branch)
{
    *branch = 0;
    switch (c->kind) {
    case CONVEX_POINTS:
        *branch = farthest(c->points, c->point_count, n);
        return dd_vec_make(c->points[*branch]);
    case CONVEX_BOX: {
        double x = end_sign(dot(c->transform.x_axis, n)), y = end_sign(dot(c->transform.y_axis, n)),
               z = end_sign(dot(c->transform.z_axis, n));
        *branch = (uint64_t)(x < 0.0) | (uint64_t)(y < 0.0) << 1 | (uint64_t)(z < 0.0) << 2;
        return map(&c->transform, dd_vec_make(vec_make(x, y, z)));
    }
    case CONVEX_HULL:
        *branch = hull_farthest(c->shape->hull, map_back(&c->transform, n));
        return map(&c->transform, dd_vec_make(c->shape->hull->vertices[*branch]));
    case CONVEX_ELLIPSOID:
        return map(&c->transform, dd_vec_normalize(map_back(&c->transform, n)));
    case CONVEX_CAPSULE: {
        double sign = end_sign(dot(c->axis, n));
        *branch = sign > 0.0;
        return along(map(&c->transform, dd_vec_normalize(map_back(&c->transform, n))), sign, c->axis);
    }
    case CONVEX_CYLINDER: {
        dd_vec g = map_back(&c->transform, n);
        double sign = end_sign(g.y);
        *branch = sign > 0.0;
        return along(map(&c->transform, disc_unit(g)), sign, c->transform.y_axis);
    }
    case CONVEX_CONE: {
        dd_vec g = map_back(&c->transform, n);
        if (apex_leads(g)) {
            *branch = 1;
            return dd_vec_make(c->transform.y_axis);
        }
        return along(map(&c->transform, disc_unit(g)), -1.0, c->transform.y_axis);
    }
    case CONVEX_COMPOSITE:
        break;
    }
    return map(&c->transform, shape_support(c->shape, map_back(&c->transform, n), branch));
}
