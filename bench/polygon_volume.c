/*
 * A polygon against a convex volume: sphere, box, any convex shape.
 *
 * After van den Bergen 1999, section 3.3. If the plane misses the volume, they are separated. If a vertex is in the
 * volume or an edge intersects it, they overlap. Otherwise a point of the plane in the volume is in the polygon, or
 * they are separated. This is decided in doubles: it is right except within a few units of roundoff of touching. Cost:
 * linear in the vertices. Any other convex shape goes to GJK, a triangle at a time. Departure: if the vertices are
 * farther from the plane than rounding alone would put them, the triangles are tested one by one, since the polygon is
 * their union.
 */
#include "polygon.h"

#include "shape/triangulate.h"

/* Vertices within this distance of the plane, relative to the largest coordinate, count as coplanar. The error of a
 * plane through vertices rounded to doubles after a transformation is some 2^-50. */
#define POLYGON_FLAT 0x1p-44

/* (A loop whose signed areas cancel has no normal, but may have triangles with area.) */
static bool is_flat(const polygon *p) { return vec_max_abs(p->normal) > 0.0 && p->deviation <= POLYGON_FLAT * p->size; }

/* Triangle i as a polygon. */
static polygon triangle_as_polygon(const polygon *p, uint32_t i, const uint32_t *three)
{
    polygon part = {p->vertices, p->triangles + 3 * i, three, p->triangles + 3 * i, 1, 3, 1, {0.0, 0.0, 0.0}, 0.0, 0.0,
                    0.0};
    tact_polygon_plane(&part);
    return part;
}

static const uint32_t triangle_size = 3;

/* ---- sphere ---- */

/* The squared distance of the origin from the segment p q. */
static double square_to_segment(tact_vec3 p, tact_vec3 q)
{
    tact_vec3 step = vec_sub(q, p);
    double along = -vec_dot(p, step), square = vec_length_squared(step);
    if (along <= 0.0 || !(square > 0.0))
        return vec_length_squared(p);
    if (along >= square)
        return vec_length_squared(q);
    return vec_length_squared(vec_mul_add(p, along / square, step));
}

static bool flat_overlaps_sphere(const polygon *p, tact_vec3 centre, double radius)
{
    double height = vec_dot(p->normal, centre) + p->offset;
    if (fabs(height) > radius + p->deviation)
        return false;
    double square = radius * radius;
    uint32_t first = 0;
    for (uint32_t l = 0; l < p->loop_count; first += p->loop_sizes[l++]) {
        uint32_t size = p->loop_sizes[l];
        if (size == 0)
            continue;
        tact_vec3 from = vec_sub(p->vertices[p->indices[first + size - 1]], centre);
        for (uint32_t i = first; i < first + size; ++i) {
            tact_vec3 to = vec_sub(p->vertices[p->indices[i]], centre);
            if (square_to_segment(from, to) <= square)
                return true;
            from = to;
        }
    }
    if (!(vec_max_abs(p->normal) > 0.0))
        return false; /* no area */
    return tact_polygon_locate(p, polygon_closest_axis(p->normal), vec_mul_add(centre, -height, p->normal)) !=
           POLYGON_OUTSIDE;
}

bool tact_polygon_overlaps_sphere(const polygon *p, tact_vec3 centre, double radius)
{
    if (is_flat(p))
        return flat_overlaps_sphere(p, centre, radius);
    for (uint32_t i = 0; i < p->triangle_count; ++i) {
        polygon part = triangle_as_polygon(p, i, &triangle_size);
        if (flat_overlaps_sphere(&part, centre, radius))
            return true;
    }
    return false;
}

/* ---- box ---- */

/* A bit for each face plane of the box that has the point outside: 1 2 4 below, 8 16 32 above. */
static unsigned outcode(tact_vec3 p, tact_vec3 low, tact_vec3 high)
{
    return (unsigned)(p.x < low.x) | (unsigned)(p.y < low.y) << 1 | (unsigned)(p.z < low.z) << 2 |
           (unsigned)(p.x > high.x) << 3 | (unsigned)(p.y > high.y) << 4 | (unsigned)(p.z > high.z) << 5;
}

/* Does the edge intersect the box, given that no face plane has both ends outside? The edge enters at planes with p
 * outside and leaves at planes with q outside: the last entry must not come after the first exit. */
static bool clip(tact_vec3 p, tact_vec3 q, unsigned out_p, unsigned out_q, tact_vec3 low, tact_vec3 high, double *at)
{
    const double from[3] = {p.x, p.y, p.z}, to[3] = {q.x, q.y, q.z};
    const double face[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    double enter = 0.0, leave = 1.0;
    for (int i = 0; i < 6; ++i) {
        if (!((out_p | out_q) >> i & 1))
            continue;
        double t = (face[i] - from[i % 3]) / (to[i % 3] - from[i % 3]);
        if (out_p >> i & 1)
            enter = max_double(enter, t);
        else if (t < leave)
            leave = t;
    }
    *at = enter;
    return enter <= leave;
}

static void store_point(tact_vec3 *witness, tact_vec3 at)
{
    if (witness != NULL)
        *witness = at;
}

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static bool flat_overlaps_box(const polygon *p, tact_vec3 low, tact_vec3 high, tact_vec3 *witness)
{
    tact_vec3 centre = vec_add(vec_scale(low, 0.5), vec_scale(high, 0.5)), half = vec_scale(vec_sub(high, low), 0.5);
    double height = vec_dot(p->normal, centre) + p->offset;
    double extent = fabs(p->normal.x * half.x) + fabs(p->normal.y * half.y) + fabs(p->normal.z * half.z);
    if (fabs(height) > extent + p->deviation)
        return false;
    /* vertices: all outside one face plane, or one inside the box? */
    unsigned all = 63;
    for (uint32_t i = 0; i < p->index_count; ++i) {
        tact_vec3 c = p->vertices[p->indices[i]];
        unsigned out = outcode(c, low, high);
        if (out == 0) {
            store_point(witness, c);
            return true;
        }
        all &= out;
    }
    if (all != 0)
        return false;
    uint32_t first = 0;
    for (uint32_t l = 0; l < p->loop_count; first += p->loop_sizes[l++]) {
        uint32_t size = p->loop_sizes[l];
        if (size == 0)
            continue;
        tact_vec3 from = p->vertices[p->indices[first + size - 1]];
        unsigned out_from = outcode(from, low, high);
        for (uint32_t i = first; i < first + size; ++i) {
            tact_vec3 to = p->vertices[p->indices[i]];
            unsigned out_to = outcode(to, low, high);
            double t;
            if ((out_from & out_to) == 0 && clip(from, to, out_from, out_to, low, high, &t)) {
                tact_vec3 at = vec_mul_add(from, t, vec_sub(to, from));
                store_point(witness, vec_make(clamp(at.x, low.x, high.x), clamp(at.y, low.y, high.y),
                                              clamp(at.z, low.z, high.z)));
                return true;
            }
            from = to;
            out_from = out_to;
        }
    }
    if (!(extent > 0.0))
        return false; /* no area */
    /* intersection of the plane with the diagonal nearest to the normal */
    tact_vec3 diagonal =
        vec_make(copysign(half.x, p->normal.x), copysign(half.y, p->normal.y), copysign(half.z, p->normal.z));
    tact_vec3 at = vec_mul_add(centre, clamp(-height / extent, -1.0, 1.0), diagonal);
    if (tact_polygon_locate(p, polygon_closest_axis(p->normal), at) == POLYGON_OUTSIDE)
        return false;
    store_point(witness, at);
    return true;
}

bool tact_polygon_overlaps_box(const polygon *p, tact_vec3 low, tact_vec3 high, tact_vec3 *witness)
{
    if (is_flat(p))
        return flat_overlaps_box(p, low, high, witness);
    for (uint32_t i = 0; i < p->triangle_count; ++i) {
        polygon part = triangle_as_polygon(p, i, &triangle_size);
        if (flat_overlaps_box(&part, low, high, witness))
            return true;
    }
    return false;
}

/* ---- any convex shape ---- */

convex tact_convex_of_triangle(const tact_vec3 t[3])
{
    convex c = {.kind = CONVEX_POINTS, .point_count = 3, .shape = NULL, .margin = 0.0, .bounding_radius = 0.0};
    c.transform = (tact_transform){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, t[0]};
    for (int i = 0; i < 3; ++i) {
        c.points[i] = vec_sub(t[i], t[0]);
        c.bounding_radius = max_double(c.bounding_radius, vec_length_safe(c.points[i]));
    }
    return c;
}

int64_t tact_polygon_find_triangle(const polygon *p, const convex *shape, double limit, gjk_result *result)
{
    for (uint32_t i = 0; i < p->triangle_count; ++i) {
        const tact_vec3 t[3] = {p->vertices[p->triangles[3 * i]], p->vertices[p->triangles[3 * i + 1]],
                                p->vertices[p->triangles[3 * i + 2]]};
        convex triangle = tact_convex_of_triangle(t);
        tact_gjk_within(&triangle, shape, limit + shape->margin, vec_make(0.0, 0.0, 0.0), result);
        if (result->status == GJK_OVERLAP || result->status == GJK_WITHIN_LIMIT)
            return (int64_t)i;
    }
    return -1;
}
