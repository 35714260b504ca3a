/*
 * Two polygons: exactly by triangles, and by the two methods of van den Bergen 1999, section 3.2, on loops and planes.
 *
 * Both methods count an edge as crossing a plane when one end is above or on it and the other below. This is half open,
 * so a loop crosses a plane, and a line in its plane, an even number of times, even with vertices on the plane. The
 * straightforward method tests each crossing point for containment. The scan sorts the crossings of each polygon along
 * the intersection line of the planes. Even and odd crossings then bound the intervals that the polygon has on the
 * line, holes included. One scan goes over both sorted lists.
 *
 * Measured on stars of 5 / 20 / 100 vertices, two thirds of which intersect: by edges 42 / 119 / 860 ns, by scan 38 /
 * 131 / 480 ns (the thesis: 10 % faster), exactly by triangles 57 / 220 / 1140 ns.
 */
#include "polygon.h"

#include <tact/predicates.h>

#include "exact/triangle.h"
#include "shape/triangulate.h"

static tact_vec3 vertex_at(const polygon *p, uint32_t i) { return p->vertices[p->indices[i]]; }

static double height(const polygon *plane, tact_vec3 p) { return vec_dot(plane->normal, p) + plane->offset; }

void tact_polygon_plane(polygon *p)
{
    uint32_t boundary = p->loop_count > 0 ? p->loop_sizes[0] : 0;
    p->normal = tact_polygon_normal(p->vertices, p->indices, boundary);
    p->offset = p->deviation = p->size = 0.0;
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p->index_count; ++i) {
        double d = -vec_dot(p->normal, vertex_at(p, i));
        low = d < low ? d : low;
        high = d > high ? d : high;
        p->size = max_double(p->size, vec_max_abs(vertex_at(p, i)));
    }
    if (p->index_count > 0) {
        p->offset = 0.5 * low + 0.5 * high;
        p->deviation = 0.5 * high - 0.5 * low;
    }
}

/* ---- exact, by triangles ---- */

typedef struct triangle_bounds {
    tact_vec3 low, high;
} triangle_bounds;

static double min3(double a, double b, double c)
{
    double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static double max3(double a, double b, double c)
{
    double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static triangle_bounds triangle_bounds_of(const tact_vec3 t[3])
{
    return (triangle_bounds){
        {min3(t[0].x, t[1].x, t[2].x), min3(t[0].y, t[1].y, t[2].y), min3(t[0].z, t[1].z, t[2].z)},
        {max3(t[0].x, t[1].x, t[2].x), max3(t[0].y, t[1].y, t[2].y), max3(t[0].z, t[1].z, t[2].z)}};
}

static bool overlap(const triangle_bounds *a, const triangle_bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static void triangle_of(const polygon *p, uint32_t i, tact_vec3 t[3])
{
    for (uint32_t k = 0; k < 3; ++k)
        t[k] = p->vertices[p->triangles[3 * i + k]];
}

/* Bound of the rounding error of a height above a plane, relative to the larger size. With e = 2^-52 (any rounding
 * mode) a height has error 9 e (products 1.8, sums 2 + 1.8, with the offset 3.5), offset and deviation 9 e more. */
#define HEIGHT_ROUNDING 0x1p-47

/* Heights do not overflow up to this size. */
#define MAX_HEIGHT_SIZE 1e300

/* Distance from the plane of p beyond which a point of the given size is certainly on one side of p. */
static double band_of(const polygon *p, double size)
{
    double largest = max_double(p->size, size);
    return largest < MAX_HEIGHT_SIZE ? p->deviation + HEIGHT_ROUNDING * largest : INFINITY;
}

/* Is the triangle on one side of the plane of p, outside the band? */
static bool is_on_one_side(const polygon *p, double band, const tact_vec3 t[3])
{
    double f = height(p, t[0]), g = height(p, t[1]), h = height(p, t[2]);
    return (f > band && g > band && h > band) || (f < -band && g < -band && h < -band);
}

/* Triangles of b are culled by the plane of a in blocks of this size, one bit each. */
#define BLOCK 64

bool tact_polygons_overlap(const polygon *a, const polygon *b)
{
    double band_a = band_of(a, b->size), band_b = band_of(b, a->size);
    for (uint32_t first = 0; first < b->triangle_count; first += BLOCK) {
        uint64_t candidates = 0;
        tact_vec3 t[3], s[3];
        for (uint32_t k = 0; k < BLOCK && first + k < b->triangle_count; ++k) {
            triangle_of(b, first + k, s);
            candidates |= (uint64_t)!is_on_one_side(a, band_a, s) << k;
        }
        for (uint32_t i = 0; i < a->triangle_count && candidates != 0; ++i) {
            triangle_of(a, i, t);
            if (is_on_one_side(b, band_b, t))
                continue;
            triangle_bounds of_t = triangle_bounds_of(t);
            for (uint32_t k = 0; k < BLOCK && candidates >> k != 0; ++k) {
                if (!(candidates >> k & 1))
                    continue;
                triangle_of(b, first + k, s);
                triangle_bounds of_s = triangle_bounds_of(s);
                if (overlap(&of_t, &of_s) && tact_triangles_intersect(t, s))
                    return true;
            }
        }
    }
    return false;
}

/* ---- point in the projected polygon ---- */

static double projected_x(tact_vec3 p, int axis) { return axis == 0 ? p.y : axis == 1 ? p.z : p.x; }
static double projected_y(tact_vec3 p, int axis) { return axis == 0 ? p.z : axis == 1 ? p.x : p.y; }

polygon_location tact_polygon_locate(const polygon *p, int axis, tact_vec3 at)
{
    double x = projected_x(at, axis), y = projected_y(at, axis);
    bool inside = false;
    uint32_t first = 0;
    for (uint32_t l = 0; l < p->loop_count; first += p->loop_sizes[l++]) {
        uint32_t size = p->loop_sizes[l];
        if (size == 0)
            continue;
        tact_vec3 c = vertex_at(p, first + size - 1);
        double from_x = projected_x(c, axis), from_y = projected_y(c, axis);
        for (uint32_t i = first; i < first + size; ++i) {
            tact_vec3 d = vertex_at(p, i);
            double to_x = projected_x(d, axis), to_y = projected_y(d, axis);
            bool outside = (from_x < x && to_x < x) || (from_x > x && to_x > x) || (from_y > y && to_y > y);
            if (!outside) {
                if (from_y < y &&
                    to_y < y) { /* entirely below the point: the ray downward crosses it or touches an end */
                    inside ^= (from_x <= x) != (to_x <= x);
                } else {
                    int turn = tact_orient2d((double[]){from_x, from_y}, (double[]){to_x, to_y}, (double[]){x, y});
                    if (turn == 0 && (from_y <= y || to_y <= y) && (from_y >= y || to_y >= y))
                        return POLYGON_BOUNDARY; /* on the edge */
                    if ((from_x <= x) != (to_x <= x))
                        inside ^= turn == (from_x <= x ? 1 : -1);
                }
            }
            from_x = to_x;
            from_y = to_y;
        }
    }
    return inside ? POLYGON_INSIDE : POLYGON_OUTSIDE;
}

/* ---- by edges ---- */

/* The point where an edge with ends at heights f and g of different signs crosses the plane. */
static tact_vec3 edge_plane_point(tact_vec3 p, tact_vec3 q, double f, double g)
{
    return vec_mul_add(p, f / (f - g), vec_sub(q, p));
}

/* Does an edge of p intersect q? */
static bool edge_through(const polygon *p, const polygon *q)
{
    int axis = polygon_closest_axis(q->normal);
    uint32_t first = 0;
    for (uint32_t l = 0; l < p->loop_count; first += p->loop_sizes[l++]) {
        uint32_t size = p->loop_sizes[l];
        if (size == 0)
            continue;
        tact_vec3 from = vertex_at(p, first + size - 1);
        double f = height(q, from);
        for (uint32_t i = first; i < first + size; ++i) {
            tact_vec3 to = vertex_at(p, i);
            double g = height(q, to);
            if ((f >= 0.0) != (g >= 0.0) &&
                tact_polygon_locate(q, axis, edge_plane_point(from, to, f, g)) != POLYGON_OUTSIDE)
                return true;
            from = to;
            f = g;
        }
    }
    return false;
}

bool tact_polygons_intersect_by_edges(const polygon *a, const polygon *b)
{
    return vec_max_abs(a->normal) > 0.0 && vec_max_abs(b->normal) > 0.0 && (edge_through(a, b) || edge_through(b, a));
}

/* ---- by scan ---- */

void tact_polygon_scratch_release(polygon_scratch *scratch, const tact_allocator *allocator)
{
    polygon_end_array_release(&scratch->ends[0], allocator);
    polygon_end_array_release(&scratch->ends[1], allocator);
}

/* The points where p crosses the plane of q, unsorted. */
static bool collect_ends(const polygon *p, const polygon *q, int axis, bool of_b, const tact_allocator *allocator,
                         polygon_end_array *ends)
{
    ends->count = 0;
    uint32_t first = 0;
    for (uint32_t l = 0; l < p->loop_count; first += p->loop_sizes[l++]) {
        uint32_t size = p->loop_sizes[l], before = first + size - 1;
        if (size == 0)
            continue;
        tact_vec3 from = vertex_at(p, before);
        double f = height(q, from);
        for (uint32_t i = first; i < first + size; before = i++) {
            tact_vec3 to = vertex_at(p, i);
            double g = height(q, to);
            if ((f >= 0.0) != (g >= 0.0)) {
                tact_vec3 at = edge_plane_point(from, to, f, g);
                if (!polygon_end_array_push(ends, allocator, (polygon_end){at, vec_component(at, axis), before, of_b}))
                    return false;
            }
            from = to;
            f = g;
        }
    }
    return true;
}

/* Up to this length insertion sort is faster than heap sort. Performance only. */
#define INSERTION_SORT_LIMIT 24

static void sift_down(polygon_end *ends, size_t root, size_t count)
{
    polygon_end moving = ends[root];
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count)
            break;
        if (child + 1 < count && ends[child + 1].along > ends[child].along)
            ++child;
        if (!(ends[child].along > moving.along))
            break;
        ends[root] = ends[child];
        root = child;
    }
    ends[root] = moving;
}

/* In place, O(n log n): heap sort. */
static void sort_ends(polygon_end *ends, size_t count)
{
    if (count <= INSERTION_SORT_LIMIT) {
        for (size_t i = 1; i < count; ++i) {
            polygon_end moving = ends[i];
            size_t k = i;
            for (; k > 0 && ends[k - 1].along > moving.along; --k)
                ends[k] = ends[k - 1];
            ends[k] = moving;
        }
        return;
    }
    for (size_t root = count / 2; root-- > 0;)
        sift_down(ends, root, count);
    for (size_t last = count - 1; last > 0; --last) {
        polygon_end swap = ends[0];
        ends[0] = ends[last];
        ends[last] = swap;
        sift_down(ends, 0, last);
    }
}

/* The sorted crossings of both polygons. `any`: both cross the other's plane. */
static tact_status collect_both(const polygon *a, const polygon *b, const tact_allocator *allocator,
                                polygon_scratch *scratch, bool *any)
{
    tact_vec3 line = vec_cross(a->normal, b->normal);
    *any = false;
    if (!(vec_max_abs(line) > 0.0))
        return TACT_OK; /* parallel */
    int axis = polygon_closest_axis(line);
    if (!collect_ends(a, b, axis, false, allocator, &scratch->ends[0]))
        return TACT_OUT_OF_MEMORY;
    if (scratch->ends[0].count == 0)
        return TACT_OK; /* a is on one side of b's plane */
    if (!collect_ends(b, a, axis, true, allocator, &scratch->ends[1]))
        return TACT_OUT_OF_MEMORY;
    if (scratch->ends[1].count == 0)
        return TACT_OK;
    for (int i = 0; i < 2; ++i)
        sort_ends(scratch->ends[i].items, scratch->ends[i].count);
    *any = true;
    return TACT_OK;
}

tact_status tact_polygons_intersect_by_scan(const polygon *a, const polygon *b, const tact_allocator *allocator,
                                            polygon_scratch *scratch, bool *intersect)
{
    bool any;
    tact_status status = collect_both(a, b, allocator, scratch, &any);
    if (status != TACT_OK)
        return status;
    *intersect = false;
    if (!any)
        return TACT_OK;
    const polygon_end *s = scratch->ends[0].items, *t = scratch->ends[1].items;
    size_t s_count = scratch->ends[0].count, t_count = scratch->ends[1].count;
    for (size_t i = 0, j = 0; i + 1 < s_count && j + 1 < t_count;) {
        if (s[i + 1].along < t[j].along) {
            i += 2;
        } else if (t[j + 1].along < s[i].along) {
            j += 2;
        } else {
            *intersect = true;
            break;
        }
    }
    return TACT_OK;
}

tact_status tact_polygons_segments(const polygon *a, const polygon *b, const tact_allocator *allocator,
                                   polygon_scratch *scratch, polygon_segment_array *segments)
{
    bool any;
    tact_status status = collect_both(a, b, allocator, scratch, &any);
    if (status != TACT_OK || !any)
        return status;
    const polygon_end *s = scratch->ends[0].items, *t = scratch->ends[1].items;
    size_t s_count = scratch->ends[0].count, t_count = scratch->ends[1].count, before = segments->count;
    for (size_t i = 0, j = 0; i + 1 < s_count && j + 1 < t_count;) {
        if (s[i + 1].along < t[j].along) {
            i += 2;
        } else if (t[j + 1].along < s[i].along) {
            j += 2;
        } else {
            polygon_segment both = {s[i].along > t[j].along ? s[i] : t[j],
                                    s[i + 1].along < t[j + 1].along ? s[i + 1] : t[j + 1]};
            if (!polygon_segment_array_push(segments, allocator, both)) {
                segments->count = before;
                return TACT_OUT_OF_MEMORY;
            }
            if (s[i + 1].along < t[j + 1].along)
                i += 2;
            else
                j += 2;
        }
    }
    return TACT_OK;
}
