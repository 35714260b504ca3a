/*
 * From pieces, one for each pair of triangles, to segments, one for each pair of faces.
 *
 * Two flat faces that cross have one line in common, so pieces of one pair of faces are intervals of a line, and what
 * they have in common is the union of these. (Pieces of an outline lie on many lines, one for each edge, which they
 * name: the union is taken edge by edge.) Pieces are sorted along the coordinate in which they extend the most; then
 * one sweep joins those that touch or overlap. Faces may be bent, where the corners of a polygon are not in one plane:
 * pieces are joined only where the joint is on the line between the ends, up to rounding. A point is left out if it is
 * on a segment of the same faces.
 *
 * Ends are never computed anew: those of a union are ends of pieces, bit for bit, and so agree with those of the
 * neighbouring faces. In place (heap sort), n log n; points of one pair of faces cost points times segments.
 */
#include "exact/intersection_segments.h"

#include <float.h>

#include "core/heap.h"
#include "exact/projection.h"
#include "math/vec.h"

/* Of the largest coordinate: how far off the line a joint may be, and how far apart two ends may be that are one. An
 * end is off by two units in the last place; planes of two triangles of a flat polygon, placed with some roundings,
 * differ by as much again. Where the faces cross at a small angle that is not enough, and a straight segment stays in
 * pieces. */
#define SEGMENT_SLACK (16.0 * DBL_EPSILON)

/* ---- order ---- */

static int order_numbers(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int order_faces(const tact_intersection *s, const tact_intersection *t)
{
    const uint32_t a[6] = {s->part_a.leaf, s->part_a.face, s->facet_a, s->part_b.leaf, s->part_b.face, s->facet_b};
    const uint32_t b[6] = {t->part_a.leaf, t->part_a.face, t->facet_a, t->part_b.leaf, t->part_b.face, t->facet_b};
    int order = 0;
    for (int i = 0; i < 6 && order == 0; ++i)
        order = order_numbers(a[i], b[i]);
    return order;
}

/* The pieces of the same line: all of a crossing, those on one edge of an outline. */
static int order_lines(const tact_intersection *s, const tact_intersection *t)
{
    int order = order_numbers(s->type, t->type);
    order = order != 0 ? order : (int)s->edge_of_b - (int)t->edge_of_b;
    order = order != 0 ? order : order_numbers(s->edge[0], t->edge[0]);
    return order != 0 ? order : order_numbers(s->edge[1], t->edge[1]);
}

static tact_vec3 low_end(const tact_intersection *s, int axis)
{
    return vec_component(s->from, axis) <= vec_component(s->to, axis) ? s->from : s->to;
}

static tact_vec3 high_end(const tact_intersection *s, int axis)
{
    return vec_component(s->from, axis) <= vec_component(s->to, axis) ? s->to : s->from;
}

/* By faces, line and place; along an axis: by the lower ends alone, of equal ones the longer first. */
static int order_pieces(const tact_intersection *s, const tact_intersection *t, int axis)
{
    if (axis >= 0) {
        double low = vec_component(low_end(s, axis), axis) - vec_component(low_end(t, axis), axis);
        double high = vec_component(high_end(t, axis), axis) - vec_component(high_end(s, axis), axis);
        if (low != 0.0 || high != 0.0)
            return (low != 0.0 ? low : high) < 0.0 ? -1 : 1;
    } else {
        int order = order_faces(s, t);
        order = order != 0 ? order : order_lines(s, t);
        if (order != 0)
            return order;
    }
    int order = lexicographic_order(s->from, t->from);
    return order != 0 ? order : lexicographic_order(s->to, t->to);
}

static inline bool piece_after(int axis, const tact_intersection *s, const tact_intersection *t)
{
    return order_pieces(t, s, axis) < 0;
}

/* A heap, as the caller's array is all the memory that there is. */
HEAP_OF(piece_heap, tact_intersection, int, piece_after)

static void sort(tact_intersection *items, size_t count, int axis)
{
    piece_heap_make(axis, items, count);
    piece_heap_sort(axis, items, count);
}

/* ---- joining ---- */

static double slack_at(tact_vec3 p, tact_vec3 q) { return SEGMENT_SLACK * max_double(vec_max_abs(p), vec_max_abs(q)); }

/* Whether p is on the segment from a to b, up to rounding. */
static bool is_on(tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    tact_vec3 way = vec_sub(b, a), direction = vec_normalize(way), offset = vec_sub(p, a);
    double slack = slack_at(a, b), length = vec_dot(direction, way), at = vec_dot(direction, offset);
    at = at < 0.0 ? 0.0 : at > length ? length : at;
    return vec_max_abs(vec_mul_add(offset, -at, direction)) <= slack;
}

/* Joins `next` to `one`, if they touch and lie on one line; `next` does not begin before `one`. */
static bool join(tact_intersection *one, const tact_intersection *next, int axis)
{
    tact_vec3 low = low_end(one, axis), high = high_end(one, axis), from = low_end(next, axis),
              to = high_end(next, axis);
    if (vec_component(from, axis) > vec_component(high, axis) + slack_at(high, from))
        return false;
    bool inside = vec_component(to, axis) <= vec_component(high, axis);
    tact_vec3 end = inside ? high : to;
    if (!is_on(from, low, end) || !is_on(inside ? to : high, low, end))
        return false;
    if (vec_component(one->from, axis) <= vec_component(one->to, axis))
        one->to = end;
    else
        one->from = end;
    return true;
}

static int longest_axis(const tact_intersection *items, size_t count)
{
    double extent[3];
    for (int i = 0; i < 3; ++i) {
        double low = vec_component(items[0].from, i), high = low;
        for (size_t k = 0; k < count; ++k) {
            low = fmin(low, vec_component(low_end(&items[k], i), i));
            high = fmax(high, vec_component(high_end(&items[k], i), i));
        }
        extent[i] = high - low;
    }
    return extent[0] >= extent[1] && extent[0] >= extent[2] ? 0 : extent[1] >= extent[2] ? 1 : 2;
}

/* The pieces of one line, joined where they touch, to the place `out` before them. Returns how many there are. */
static size_t join_line(tact_intersection *out, tact_intersection *items, size_t count)
{
    if (count == 1) {
        *out = items[0];
        return 1;
    }
    int axis = longest_axis(items, count);
    size_t made = 0;
    sort(items, count, axis);
    for (size_t i = 0; i < count; ++i)
        if (made == 0 || !join(&out[made - 1], &items[i], axis))
            out[made++] = items[i];
    return made;
}

/* The points of one pair of faces that are on none of its `made` segments, nor there already, after these. */
static size_t add_points(tact_intersection *out, size_t made, const tact_intersection *items, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        bool told = false;
        for (size_t k = 0; k < made && !told; ++k)
            told = is_on(items[i].from, out[k].from, out[k].to);
        if (!told)
            out[made++] = items[i];
    }
    return made;
}

size_t tact_intersection_segments_merge(tact_intersection *items, size_t count)
{
    size_t made = 0;
    sort(items, count, -1);
    for (size_t begin = 0, end; begin < count; begin = end) { /* the pieces of a pair of faces */
        size_t first = made, line_end;
        for (end = begin + 1; end < count && order_faces(&items[begin], &items[end]) == 0;)
            ++end;
        for (size_t line = begin; line < end; line = line_end) {
            for (line_end = line + 1; line_end < end && order_lines(&items[line], &items[line_end]) == 0;)
                ++line_end;
            made = items[line].type == TACT_INTERSECTION_POINT
                       ? first + add_points(items + first, made - first, items + line, line_end - line)
                       : made + join_line(items + made, items + line, line_end - line);
        }
    }
    return made;
}
