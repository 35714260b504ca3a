/*
 * The support mapping of a transformed convex shape in double-double arithmetic.
 *
 * Guarantee: the support point of the same shape that shape/convex.c sees (its transformed axes, vertices and radii are
 * taken as exact), to about 2^-100 of its bounding radius, with the same feature numbers. A custom support function
 * gets the offset_by direction, and its point is as good as the user makes it.
 *
 * Why: a direction n in doubles fixes the support point of a curved shape to 2^-53 of its radius of curvature, which on
 * flat and needle-like shapes is many times their size. Two neighbouring vertices are distinguished only beyond the
 * rounding of n.p. For two shapes that just touch, this error is all that remains of the distance.
 *
 * Cost: 0.3 to 1 us for a simple shape, some thirty times that of doubles; composite shapes part by part.
 */
#include "shape/convex_dd.h"

/* ---- vectors ---- */

static dd_vec zero_vec(void) { return dd_vec_make(vec_make(0.0, 0.0, 0.0)); }

static dd times(dd a, double s) { return dd_mul(a, dd_make(s)); }

/* a + s b */
static dd_vec along(dd_vec a, double s, tact_vec3 b) { return dd_vec_mul_add(a, dd_make(s), dd_vec_make(b)); }

static dd dot(tact_vec3 a, dd_vec n) { return dd_vec_dot(dd_vec_make(a), n); }

/* The transposed linear part applied to a world direction. */
static dd_vec transform_transposed(const tact_transform *m, dd_vec n)
{
    return (dd_vec){dot(m->x_axis, n), dot(m->y_axis, n), dot(m->z_axis, n)};
}

/* Zero counts as positive, as in shape/convex.c. */
static double end_sign(dd g) { return g.high < 0.0 ? -1.0 : 1.0; }

/* ---- polytopes ---- */

/* The index of the point support_of_points along n; the first of several that are equally far. */
static uint64_t support_of_points(const tact_vec3 *points, int count, dd_vec n)
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

/* Hill climbing from the vertex that doubles find; mostly no step at all. */
static uint32_t support_of_hull(const hull *h, dd_vec n)
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

/* ---- shapes ---- */

/* Is the apex of a cone farther than its rim along a direction with components g, in units of half height and radius? 2
 * gy >= |(gx gz)|. */
static bool apex_is_support(dd_vec g)
{
    dd_vec flat = {g.x, dd_make(0.0), g.z};
    return !dd_less(times(g.y, 2.0), dd_vec_dot(dd_vec_normalize(flat), flat));
}

static dd_vec disc_unit(dd_vec g) { return dd_vec_normalize((dd_vec){g.x, dd_make(0.0), g.z}); }

static dd_vec shape_support(const tact_shape *shape, dd_vec n, uint64_t *feature);

/* p plus a sphere of radius r */
static dd_vec offset_by(dd_vec p, double r, dd_vec n)
{
    return r > 0.0 ? dd_vec_mul_add(p, dd_make(r), dd_vec_normalize(n)) : p;
}

/* A part with its margin, in the coordinates of the whole shape. */
static dd_vec part_support(const tact_shape *part, dd_vec n, uint64_t *feature)
{
    return offset_by(shape_support(part, n, feature), part->margin, n);
}

static dd_vec scaled(dd_vec a, double x, double y, double z)
{
    return (dd_vec){times(a.x, x), times(a.y, y), times(a.z, z)};
}

/* The core of a shape in its own coordinates. Recursion is bounded by SHAPE_MAX_NESTING. */
static dd_vec shape_support(const tact_shape *shape, dd_vec n, uint64_t *feature)
{
    *feature = 0;
    switch (shape->type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        *feature = support_of_points(shape->points, shape->point_count, n);
        return dd_vec_make(shape->points[*feature]);
    case TACT_SPHERE:
        return offset_by(zero_vec(), shape->radius, n);
    case TACT_CAPSULE: {
        double sign = end_sign(n.y);
        *feature = sign > 0.0;
        return offset_by(dd_vec_make(vec_make(0.0, sign * shape->half_height, 0.0)), shape->radius, n);
    }
    case TACT_BOX:
        *feature = (uint64_t)(n.x.high < 0.0) | (uint64_t)(n.y.high < 0.0) << 1 | (uint64_t)(n.z.high < 0.0) << 2;
        return dd_vec_make(vec_make(end_sign(n.x) * shape->half_extents.x, end_sign(n.y) * shape->half_extents.y,
                                    end_sign(n.z) * shape->half_extents.z));
    case TACT_ELLIPSOID: {
        double x = shape->half_extents.x, y = shape->half_extents.y, z = shape->half_extents.z;
        return scaled(dd_vec_normalize(scaled(n, x, y, z)), x, y, z);
    }
    case TACT_CYLINDER: {
        dd_vec rim = dd_vec_scale(disc_unit(n), dd_make(shape->radius));
        rim.y = dd_make(end_sign(n.y) * shape->half_height);
        *feature = rim.y.high > 0.0;
        return rim;
    }
    case TACT_CONE: {
        if (apex_is_support(scaled(n, shape->radius, shape->half_height, shape->radius))) {
            *feature = 1;
            return dd_vec_make(vec_make(0.0, shape->half_height, 0.0));
        }
        dd_vec rim = dd_vec_scale(disc_unit(n), dd_make(shape->radius));
        rim.y = dd_make(-shape->half_height);
        return rim;
    }
    case TACT_POLYGON:
    case TACT_HULL:
        *feature = support_of_hull(shape->hull, n);
        return dd_vec_make(shape->hull->vertices[*feature]);
    case TACT_MINKOWSKI_SUM: {
        uint64_t b0, b1;
        dd_vec p = part_support(shape->parts[0], n, &b0), q = part_support(shape->parts[1], n, &b1);
        *feature = convex_feature_mix(b0, b1);
        return dd_vec_add(p, q);
    }
    case TACT_CONVEX_HULL_OF: {
        uint64_t b0, b1;
        dd_vec p = part_support(shape->parts[0], n, &b0), q = part_support(shape->parts[1], n, &b1);
        bool first = dd_vec_dot(dd_vec_sub(p, q), n).high >= 0.0;
        *feature = first ? convex_feature_mix(b0, 1) : convex_feature_mix(b1, 2);
        return first ? p : q;
    }
    case TACT_TRANSFORMED: {
        const tact_shape *part = shape->parts[0];
        dd_vec p = dd_vec_transform(&shape->transform,
                                    shape_support(part, transform_transposed(&shape->transform, n), feature));
        return offset_by(dd_vec_add(p, dd_vec_make(shape->transform.origin)), part->margin, n);
    }
    case TACT_CUSTOM: {
        tact_vec3 near = dd_vec_to_vec3(n);
        /* + 0.0: as in shape/convex.c */
        return dd_vec_make(shape->support(shape->support_context, vec_make(near.x + 0.0, near.y + 0.0, near.z + 0.0)));
    }
    case TACT_MESH: /* not convex: queried element by element */
    case TACT_SOUP:
    case TACT_COMPOUND:
    case TACT_NURBS:
    case TACT_HALFSPACE:
    case TACT_HEIGHTFIELD:
        break;
    }
    return zero_vec();
}

dd_vec tact_convex_support_dd(const convex *c, dd_vec n, uint64_t *feature)
{
    *feature = 0;
    switch (c->kind) {
    case CONVEX_POINTS:
        *feature = support_of_points(c->points, c->point_count, n);
        return dd_vec_make(c->points[*feature]);
    case CONVEX_BOX: {
        double x = end_sign(dot(c->transform.x_axis, n)), y = end_sign(dot(c->transform.y_axis, n)),
               z = end_sign(dot(c->transform.z_axis, n));
        *feature = (uint64_t)(x < 0.0) | (uint64_t)(y < 0.0) << 1 | (uint64_t)(z < 0.0) << 2;
        return dd_vec_transform(&c->transform, dd_vec_make(vec_make(x, y, z)));
    }
    case CONVEX_HULL:
        *feature = support_of_hull(c->shape->hull, transform_transposed(&c->transform, n));
        return dd_vec_transform(&c->transform, dd_vec_make(c->shape->hull->vertices[*feature]));
    case CONVEX_ELLIPSOID:
        return dd_vec_transform(&c->transform, dd_vec_normalize(transform_transposed(&c->transform, n)));
    case CONVEX_CAPSULE: {
        double sign = end_sign(dot(c->axis, n));
        *feature = sign > 0.0;
        return along(dd_vec_transform(&c->transform, dd_vec_normalize(transform_transposed(&c->transform, n))), sign,
                     c->axis);
    }
    case CONVEX_CYLINDER: {
        dd_vec g = transform_transposed(&c->transform, n);
        double sign = end_sign(g.y);
        *feature = sign > 0.0;
        return along(dd_vec_transform(&c->transform, disc_unit(g)), sign, c->transform.y_axis);
    }
    case CONVEX_CONE: {
        dd_vec g = transform_transposed(&c->transform, n);
        if (apex_is_support(g)) {
            *feature = 1;
            return dd_vec_make(c->transform.y_axis);
        }
        return along(dd_vec_transform(&c->transform, disc_unit(g)), -1.0, c->transform.y_axis);
    }
    case CONVEX_COMPOSITE:
        break;
    }
    return dd_vec_transform(&c->transform, shape_support(c->shape, transform_transposed(&c->transform, n), feature));
}
