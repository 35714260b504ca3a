/*
 * The hull of points that lie in a plane, up to rounding: a polygon.
 *
 * The points are looked at along the coordinate axis that is nearest to the plane's normal, so that the two
 * coordinates left are those of the input, bit for bit, and the hull in the plane is exact (monotone chain, Andrew
 * 1979, over tact_orient2d). Corners on a straight side, within HULL_EDGE_SLACK rounding units, are then dropped; all
 * input points are within that, and the slack of the plane, of the polygon. Cost: O(n log n).
 */
#include <tact/predicates.h>

#include "core/memory.h"
#include "shape/hull_internal.h"

uint32_t tact_hull_straighten(const hull_points *points, const uint32_t *chain, uint32_t length, uint32_t from,
                              uint32_t steps, bool *drop, uint32_t *spans)
{
    double slack = points->edge_slack;
    uint32_t height = 0, dropped = 0;
    spans[0] = 0;
    spans[1] = steps;
    height = 1;
    while (height > 0) {
        uint32_t begin = spans[2 * height - 2], end = spans[2 * height - 1], farthest = begin;
        double most = -1.0;
        height--;
        tact_vec3 a = points->at[chain[(from + begin) % length]], b = points->at[chain[(from + end) % length]];
        for (uint32_t i = begin + 1; i < end; i++) {
            double d = tact_hull_segment_distance(a, b, points->at[chain[(from + i) % length]]);
            if (d > most) {
                most = d;
                farthest = i;
            }
        }
        if (most > slack) {
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

/* What the plane looks like along an axis. */
typedef struct view {
    const tact_vec3 *at;
    int axis;    /* looked along */
    bool turned; /* against the axis */
} view;

static void flatten(const view *v, uint32_t p, double flat[2])
{
    tact_vec3 a = v->at[p];
    double x = v->axis == 0 ? a.y : v->axis == 1 ? a.z : a.x;
    double y = v->axis == 0 ? a.z : v->axis == 1 ? a.x : a.y;
    flat[v->turned ? 1 : 0] = x;
    flat[v->turned ? 0 : 1] = y;
}

static int turn(const view *v, uint32_t p, uint32_t q, uint32_t r)
{
    double a[2], b[2], c[2];
    flatten(v, p, a);
    flatten(v, q, b);
    flatten(v, r, c);
    return tact_orient2d(a, b, c);
}

static bool goes_before(const view *v, uint32_t p, uint32_t q)
{
    double a[2], b[2];
    flatten(v, p, a);
    flatten(v, q, b);
    return a[0] < b[0] || (a[0] == b[0] && (a[1] < b[1] || (a[1] == b[1] && p < q)));
}

static void sift(const view *v, uint32_t *order, uint32_t root, uint32_t end)
{
    uint32_t moved = order[root];
    for (uint32_t child; (child = 2 * root + 1) < end; root = child) {
        if (child + 1 < end && goes_before(v, order[child], order[child + 1]))
            child++;
        if (!goes_before(v, moved, order[child]))
            break;
        order[root] = order[child];
    }
    order[root] = moved;
}

/* Heap sort: in place, no recursion, no allocation. */
static void sort(const view *v, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count / 2; i-- > 0;)
        sift(v, order, i, count);
    for (uint32_t end = count; end-- > 1;) {
        uint32_t last = order[end];
        order[end] = order[0];
        order[0] = last;
        sift(v, order, 0, end);
    }
}

/* The exact hull of the flattened points, counter-clockwise; returns the number of corners: 1 or 2 if they are
 * collinear. `chain` has room for count + 1. */
static uint32_t walk_around(const view *v, const uint32_t *order, uint32_t count, uint32_t *chain)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (length > 1 && turn(v, chain[length - 2], chain[length - 1], order[i]) <= 0)
            length--;
        chain[length++] = order[i];
    }
    uint32_t lower = length;
    for (uint32_t i = count - 1; i-- > 0;) {
        while (length > lower && turn(v, chain[length - 2], chain[length - 1], order[i]) <= 0)
            length--;
        chain[length++] = order[i];
    }
    return length > 1 ? length - 1 : length; /* the first came again as the last */
}

static uint32_t farthest_corner(const hull_points *points, const uint32_t *chain, uint32_t length, tact_vec3 from)
{
    uint32_t best = 0;
    double most = -1.0;
    for (uint32_t i = 0; i < length; i++) {
        double square = vec_length_squared(vec_sub(points->at[chain[i]], from));
        if (square > most) {
            most = square;
            best = i;
        }
    }
    return best;
}

/* Drops corners on straight sides. Begins at two that are surely sharp: the one farthest from the middle and the one
 * farthest from that. */
static uint32_t clean(const hull_points *points, uint32_t *chain, uint32_t length, bool *drop, uint32_t *spans)
{
    tact_vec3 middle = vec_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < length; i++) {
        drop[chain[i]] = false;
        middle = vec_mul_add(middle, 1.0 / length, points->at[chain[i]]);
    }
    uint32_t a = farthest_corner(points, chain, length, middle);
    uint32_t b = farthest_corner(points, chain, length, points->at[chain[a]]);
    (void)tact_hull_straighten(points, chain, length, a, (b + length - a) % length, drop, spans);
    (void)tact_hull_straighten(points, chain, length, b, (a + length - b) % length, drop, spans);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (!drop[chain[i]])
            chain[kept++] = chain[i];
    }
    return kept;
}

tact_status tact_hull_polygon_make(hull_loops *loops, const hull_points *points, tact_vec3 normal,
                                   const tact_allocator *allocator)
{
    uint32_t count = points->count;
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    view v = {.at = points->at, .axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2};
    v.turned = (v.axis == 0 ? normal.x : v.axis == 1 ? normal.y : normal.z) < 0.0;
    if (!tact_hull_loops_take(loops, 2, 2 * (count + 1), allocator))
        return TACT_OUT_OF_MEMORY;
    uint32_t *order = tact_memory_allocate(allocator, count, sizeof *order);
    uint32_t *spans = tact_memory_allocate(allocator, (size_t)count + 2, 2 * sizeof *spans);
    bool *drop = tact_memory_allocate(allocator, count, sizeof *drop);
    bool well = order != NULL && spans != NULL && drop != NULL;
    if (well) {
        sort(&v, order, count);
        uint32_t length = walk_around(&v, order, count, loops->points);
        if (length > 2)
            length = clean(points, loops->points, length, drop, spans);
        loops->face_count = length > 2 ? 2 : 1;
        loops->first[0] = 0;
        loops->first[1] = loops->total = length;
        if (length > 2) {
            for (uint32_t i = 0; i < length; i++)
                loops->points[length + i] = loops->points[length - 1 - i];
            loops->first[2] = loops->total = 2 * length;
        }
    }
    tact_memory_free(allocator, order, count, sizeof *order);
    tact_memory_free(allocator, spans, (size_t)count + 2, 2 * sizeof *spans);
    tact_memory_free(allocator, drop, count, sizeof *drop);
    if (!well)
        tact_hull_loops_free(loops, allocator);
    return well ? TACT_OK : TACT_OUT_OF_MEMORY;
}
