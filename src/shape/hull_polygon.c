/*
 * The hull of points that are coplanar up to rounding: a polygon.
 *
 * The points are projected along the coordinate axis nearest to the plane's normal. The two remaining coordinates are
 * those of the input, bit for bit, so the hull in the projection is exact: monotone chain (Andrew 1979) over
 * tact_orient2d. Vertices on a straight edge, within HULL_LINE_TOLERANCE units of roundoff, are then dropped. All input
 * points are within that and the plane tolerance of the polygon. Cost: O(n log n).
 */
#include <tact/predicates.h>

#include "core/heap.h"
#include "core/memory.h"
#include "shape/hull_internal.h"

uint32_t tact_hull_drop_collinear(const hull_input *input, const uint32_t *chain, uint32_t length, uint32_t from,
                                  uint32_t steps, bool *drop, uint32_t *spans)
{
    double tolerance = input->line_tolerance;
    uint32_t height = 0, dropped = 0;
    spans[0] = 0;
    spans[1] = steps;
    height = 1;
    while (height > 0) {
        uint32_t begin = spans[2 * height - 2], end = spans[2 * height - 1], farthest = begin;
        double most = -1.0;
        height--;
        tact_vec3 a = input->points[chain[(from + begin) % length]], b = input->points[chain[(from + end) % length]];
        for (uint32_t i = begin + 1; i < end; i++) {
            double d = tact_hull_segment_distance(a, b, input->points[chain[(from + i) % length]]);
            if (d > most) {
                most = d;
                farthest = i;
            }
        }
        if (most > tolerance) {
            spans[2 * height] = begin;
            spans[2 * height + 1] = farthest;
            spans[2 * height + 2] = farthest;
            spans[2 * height + 3] = end;
            height += 2;
            continue;
        }
        for (uint32_t i = begin + 1; i < end; i++) {
            drop[chain[(from + i) % length]] = true;
            dropped++;
        }
    }
    return dropped;
}

/* An axis-aligned projection. */
typedef struct axis_projection {
    const tact_vec3 *at;
    int axis;      /* the axis that is dropped */
    bool reversed; /* seen against the axis */
} axis_projection;

static void project(const axis_projection *v, uint32_t p, double flat[2])
{
    tact_vec3 a = v->at[p];
    double x = v->axis == 0 ? a.y : v->axis == 1 ? a.z : a.x;
    double y = v->axis == 0 ? a.z : v->axis == 1 ? a.x : a.y;
    flat[v->reversed ? 1 : 0] = x;
    flat[v->reversed ? 0 : 1] = y;
}

static int orientation(const axis_projection *v, uint32_t p, uint32_t q, uint32_t r)
{
    double a[2], b[2], c[2];
    project(v, p, a);
    project(v, q, b);
    project(v, r, c);
    return tact_orient2d(a, b, c);
}

static inline bool lexicographic_less(const axis_projection *v, const uint32_t *p, const uint32_t *q)
{
    double a[2], b[2];
    project(v, *p, a);
    project(v, *q, b);
    return a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && *p < *q)));
}

HEAP_SORT_OF(sort_order, uint32_t, const axis_projection *, lexicographic_less)

static void sort(const axis_projection *v, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort_order(v, order, count);
}

/* The exact hull of the projected points, counter-clockwise. Returns the number of vertices: 1 or 2 if they are
 * collinear. `chain` has capacity for count + 1. */
static uint32_t monotone_chain(const axis_projection *v, const uint32_t *order, uint32_t count, uint32_t *chain)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (length > 1 && orientation(v, chain[length - 2], chain[length - 1], order[i]) <= 0)
            length--;
        chain[length++] = order[i];
    }
    uint32_t lower = length;
    for (uint32_t i = count - 1; i-- > 0;) {
        while (length > lower && orientation(v, chain[length - 2], chain[length - 1], order[i]) <= 0)
            length--;
        chain[length++] = order[i];
    }
    return length > 1 ? length - 1 : length; /* the first came again as the last */
}

static uint32_t farthest_vertex(const hull_input *input, const uint32_t *chain, uint32_t length, tact_vec3 from)
{
    uint32_t best = 0;
    double most = -1.0;
    for (uint32_t i = 0; i < length; i++) {
        double square = vec_length_squared(vec_sub(input->points[chain[i]], from));
        if (square > most) {
            most = square;
            best = i;
        }
    }
    return best;
}

/* Drops vertices on straight edges. Starts from two that are certainly convex: the one farthest from the centroid and
 * the one farthest from that. */
static uint32_t drop_collinear(const hull_input *input, uint32_t *chain, uint32_t length, bool *drop, uint32_t *spans)
{
    tact_vec3 centroid = vec_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < length; i++) {
        drop[chain[i]] = false;
        centroid = vec_mul_add(centroid, 1.0 / length, input->points[chain[i]]);
    }
    uint32_t a = farthest_vertex(input, chain, length, centroid);
    uint32_t b = farthest_vertex(input, chain, length, input->points[chain[a]]);
    (void)tact_hull_drop_collinear(input, chain, length, a, (b + length - a) % length, drop, spans);
    (void)tact_hull_drop_collinear(input, chain, length, b, (a + length - b) % length, drop, spans);
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (!drop[chain[i]])
            chain[count++] = chain[i];
    }
    return count;
}

tact_status tact_hull_polygon_make(hull_facets *facets, const hull_input *input, tact_vec3 normal,
                                   const tact_allocator *allocator)
{
    uint32_t count = input->count;
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    axis_projection v = {.at = input->points, .axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2};
    v.reversed = (v.axis == 0 ? normal.x : v.axis == 1 ? normal.y : normal.z) < 0.0;
    if (!tact_hull_facets_allocate(facets, 2, 2 * (count + 1), allocator))
        return TACT_OUT_OF_MEMORY;
    uint32_t *order = tact_memory_allocate(allocator, count, sizeof *order);
    uint32_t *spans = tact_memory_allocate(allocator, (size_t)count + 2, 2 * sizeof *spans);
    bool *drop = tact_memory_allocate(allocator, count, sizeof *drop);
    bool complete = order != NULL && spans != NULL && drop != NULL;
    if (complete) {
        sort(&v, order, count);
        uint32_t length = monotone_chain(&v, order, count, facets->vertices);
        if (length > 2)
            length = drop_collinear(input, facets->vertices, length, drop, spans);
        facets->face_count = length > 2 ? 2 : 1;
        facets->first_vertex[0] = 0;
        facets->first_vertex[1] = facets->vertex_total = length;
        if (length > 2) {
            for (uint32_t i = 0; i < length; i++)
                facets->vertices[length + i] = facets->vertices[length - 1 - i];
            facets->first_vertex[2] = facets->vertex_total = 2 * length;
        }
    }
    tact_memory_free(allocator, order, count, sizeof *order);
    tact_memory_free(allocator, spans, (size_t)count + 2, 2 * sizeof *spans);
    tact_memory_free(allocator, drop, count, sizeof *drop);
    if (!complete)
        tact_hull_facets_free(facets, allocator);
    return complete ? TACT_OK : TACT_OUT_OF_MEMORY;
}
