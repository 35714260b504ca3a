/*
 * Merges the intersection segments of pairs of triangles into segments of pairs of faces.
 *
 * Two flat faces in different planes intersect in one line. So the segments of their triangles are intervals of this
 * line, and the result is their union. Segments of an outline are on several lines, one for each edge, which they name;
 * they are merged edge by edge. Segments are sorted along the coordinate of their largest extent. One sweep then merges
 * those that touch or overlap. The triangles of a polygon need not be coplanar, so segments are merged only if the
 * joint is on the line between the ends, up to rounding. A point that is on a segment of the same faces is dropped.
 *
 * Guarantee: ends are never recomputed. The ends of a union are ends of the input, bit for bit, and so agree with those
 * of neighbouring faces.
 * Cost: n log n, in place (heap sort); the points of one pair of faces cost points times segments.
 */
#include "exact/intersection_segments.h"

#include "core/heap.h"
#include "core/number.h"
#include "exact/exact_constants.h"
#include "exact/projection.h"
#include "math/vec.h"

/* ---- order ---- */

static int compare_index(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int compare_faces(const tact_intersection *s, const tact_intersection *t)
{
    const uint32_t a[6] = {s->part_a.leaf, s->part_a.face, s->facet_a, s->part_b.leaf, s->part_b.face, s->facet_b};
    const uint32_t b[6] = {t->part_a.leaf, t->part_a.face, t->facet_a, t->part_b.leaf, t->part_b.face, t->facet_b};
    int order = 0;
    for (int i = 0; i < 6 && order == 0; ++i)
        order = compare_index(a[i], b[i]);
    return order;
}

/* Equal for segments on the same line: those of type SEGMENT of one pair of faces, those on one edge of an outline. */
static int compare_lines(const tact_intersection *s, const tact_intersection *t)
{
    int order = compare_index(s->type, t->type);
    order = order != 0 ? order : (int)s->edge_of_b - (int)t->edge_of_b;
    order = order != 0 ? order : compare_index(s->edge[0], t->edge[0]);
    return order != 0 ? order : compare_index(s->edge[1], t->edge[1]);
}

static tact_vec3 low_end(const tact_intersection *s, int axis)
{
    return vec_component(s->from, axis) <= vec_component(s->to, axis) ? s->from : s->to;
}

static tact_vec3 high_end(const tact_intersection *s, int axis)
{
    return vec_component(s->from, axis) <= vec_component(s->to, axis) ? s->to : s->from;
}

/* axis < 0: by faces, line and position. Otherwise by the lower end along the axis; of equal ones the longer first. */
static int compare_segments(const tact_intersection *s, const tact_intersection *t, int axis)
{
    if (axis >= 0) {
        double low = vec_component(low_end(s, axis), axis) - vec_component(low_end(t, axis), axis);
        double high = vec_component(high_end(t, axis), axis) - vec_component(high_end(s, axis), axis);
        if (low != 0.0 || high != 0.0)
            return (low != 0.0 ? low : high) < 0.0 ? -1 : 1;
    } else {
        int order = compare_faces(s, t);
        order = order != 0 ? order : compare_lines(s, t);
        if (order != 0)
            return order;
    }
    int order = lexicographic_order(s->from, t->from);
    return order != 0 ? order : lexicographic_order(s->to, t->to);
}

static inline bool segment_after(int axis, const tact_intersection *s, const tact_intersection *t)
{
    return compare_segments(t, s, axis) < 0;
}

/* Heap sort needs no memory beside the caller's array. */
HEAP_OF(segment_heap, tact_intersection, int, segment_after)

static void sort(tact_intersection *items, size_t count, int axis)
{
    segment_heap_make(axis, items, count);
    segment_heap_sort(axis, items, count);
}

/* ---- merging ---- */

static double slack_of(tact_vec3 p, tact_vec3 q)
{
    return INTERSECTION_SEGMENT_SLACK * max_double(vec_max_abs(p), vec_max_abs(q));
}

/* Whether p is on the segment from a to b, up to INTERSECTION_SEGMENT_SLACK. */
static bool is_on_segment(tact_vec3 p, tact_vec3 a, tact_vec3 b)
{
    tact_vec3 extent = vec_sub(b, a), direction = vec_normalize(extent), offset = vec_sub(p, a);
    double slack = slack_of(a, b), length = vec_dot(direction, extent), at = vec_dot(direction, offset);
    at = at < 0.0 ? 0.0 : at > length ? length : at;
    return vec_max_abs(vec_mul_add(offset, -at, direction)) <= slack;
}

/* Merges `next` into `first` if they touch and are collinear. `next` must not start before `first`. */
static bool merge_next(tact_intersection *first, const tact_intersection *next, int axis)
{
    tact_vec3 low = low_end(first, axis), high = high_end(first, axis), from = low_end(next, axis),
              to = high_end(next, axis);
    if (vec_component(from, axis) > vec_component(high, axis) + slack_of(high, from))
        return false;
    bool inside = vec_component(to, axis) <= vec_component(high, axis);
    tact_vec3 end = inside ? high : to;
    if (!is_on_segment(from, low, end) || !is_on_segment(inside ? to : high, low, end))
        return false;
    if (vec_component(first->from, axis) <= vec_component(first->to, axis))
        first->to = end;
    else
        first->from = end;
    return true;
}

static int longest_axis(const tact_intersection *items, size_t count)
{
    double extent[3];
    for (int i = 0; i < 3; ++i) {
        double low = vec_component(items[0].from, i), high = low;
        for (size_t k = 0; k < count; ++k) {
            low = number_min(low, vec_component(low_end(&items[k], i), i));
            high = number_max(high, vec_component(high_end(&items[k], i), i));
        }
        extent[i] = high - low;
    }
    return extent[0] >= extent[1] && extent[0] >= extent[2] ? 0 : extent[1] >= extent[2] ? 1 : 2;
}

/* Merges the segments of one line and writes them to `out`, which is not after `items`. Returns how many there are. */
static size_t merge_line(tact_intersection *out, tact_intersection *items, size_t count)
{
    if (count == 1) {
        *out = items[0];
        return 1;
    }
    int axis = longest_axis(items, count);
    size_t merged_count = 0;
    sort(items, count, axis);
    for (size_t i = 0; i < count; ++i)
        if (merged_count == 0 || !merge_next(&out[merged_count - 1], &items[i], axis))
            out[merged_count++] = items[i];
    return merged_count;
}

/* Appends the points of one pair of faces that are not on one of its `merged_count` segments or points. Returns the new
 * count. */
static size_t append_points(tact_intersection *out, size_t merged_count, const tact_intersection *items, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        bool covered = false;
        for (size_t k = 0; k < merged_count && !covered; ++k)
            covered = is_on_segment(items[i].from, out[k].from, out[k].to);
        if (!covered)
            out[merged_count++] = items[i];
    }
    return merged_count;
}

size_t tact_intersection_segments_merge(tact_intersection *items, size_t count)
{
    size_t merged_count = 0;
    sort(items, count, -1);
    for (size_t begin = 0, end; begin < count; begin = end) { /* one pair of faces */
        size_t first = merged_count, line_end;
        for (end = begin + 1; end < count && compare_faces(&items[begin], &items[end]) == 0;)
            ++end;
        for (size_t line = begin; line < end; line = line_end) {
            for (line_end = line + 1; line_end < end && compare_lines(&items[line], &items[line_end]) == 0;)
                ++line_end;
            merged_count =
                items[line].type == TACT_INTERSECTION_POINT
                    ? first + append_points(items + first, merged_count - first, items + line, line_end - line)
                    : merged_count + merge_line(items + merged_count, items + line, line_end - line);
        }
    }
    return merged_count;
}
