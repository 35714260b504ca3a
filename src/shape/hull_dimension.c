/*
 * The affine dimension of a set of points, up to rounding.
 *
 * Guarantees: the answer is smaller than the true dimension only if all points lie within HULL_PLANE_TOLERANCE units of
 * roundoff of a common point or plane, or within HULL_LINE_TOLERANCE of a line. A rotated square is flat; a needle or
 * plate a little thicker than its rounding is not. If the answer is 3, the four points found are exactly not coplanar.
 * Cost: O(n), three passes. Distances of a few units of roundoff are computed in double-double arithmetic, others in
 * doubles.
 */
#include <tact/predicates.h>

#include "math/dd_vec.h"
#include "shape/hull_internal.h"

double tact_hull_line_distance(tact_vec3 a, tact_vec3 b, tact_vec3 p)
{
    tact_vec3 ab = vec_sub(b, a), ap = vec_sub(p, a);
    double length = vec_length(ab);
    double distance = vec_length(vec_cross(ab, ap)) / length;
    if (distance > HULL_DOUBLE_TRUSTED * HULL_UNIT_ROUNDOFF)
        return distance;
    dd_vec cross = dd_vec_cross(dd_vec_difference(a, b), dd_vec_difference(a, p));
    return vec_length(dd_vec_to_vec3(cross)) / length;
}

double tact_hull_segment_distance(tact_vec3 a, tact_vec3 b, tact_vec3 p)
{
    tact_vec3 ab = vec_sub(b, a), ap = vec_sub(p, a), bp = vec_sub(p, b);
    if (vec_dot(ab, ap) <= 0.0)
        return vec_length(ap);
    if (vec_dot(ab, bp) >= 0.0)
        return vec_length(bp);
    return tact_hull_line_distance(a, b, p);
}

/* The points with the least and greatest coordinate on the axis of the largest extent. */
static double widest_pair(const hull_input *input, uint32_t ends[2])
{
    uint32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    const tact_vec3 *at = input->points;
    for (uint32_t i = 1; i < input->count; i++) {
        low[0] = at[i].x < at[low[0]].x ? i : low[0];
        high[0] = at[i].x > at[high[0]].x ? i : high[0];
        low[1] = at[i].y < at[low[1]].y ? i : low[1];
        high[1] = at[i].y > at[high[1]].y ? i : high[1];
        low[2] = at[i].z < at[low[2]].z ? i : low[2];
        high[2] = at[i].z > at[high[2]].z ? i : high[2];
    }
    double extent[3] = {at[high[0]].x - at[low[0]].x, at[high[1]].y - at[low[1]].y, at[high[2]].z - at[low[2]].z};
    int axis = extent[1] > extent[0] ? 1 : 0;
    axis = extent[2] > extent[axis] ? 2 : axis;
    ends[0] = low[axis];
    ends[1] = high[axis];
    return extent[axis];
}

/* The point farthest from the line; `distance` gets its distance. */
static uint32_t farthest_from_line(const hull_input *input, tact_vec3 a, tact_vec3 b, double *distance)
{
    tact_vec3 along = vec_normalize(vec_sub(b, a));
    double most = -1.0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < input->count; i++) {
        double square = vec_length_squared(vec_cross(along, vec_sub(input->points[i], a)));
        if (square > most) {
            most = square;
            best = i;
        }
    }
    *distance = sqrt(most);
    if (*distance > HULL_DOUBLE_TRUSTED * HULL_UNIT_ROUNDOFF)
        return best;
    *distance = -1.0;
    for (uint32_t i = 0; i < input->count; i++) {
        double d = tact_hull_line_distance(a, b, input->points[i]);
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

/* The lowest and highest of some points along a direction. */
typedef struct height_range {
    double low, high;
    uint32_t lowest, highest;
} height_range;

static inline void height_range_add(height_range *range, double height, uint32_t point)
{
    if (height < range->low) {
        range->low = height;
        range->lowest = point;
    }
    if (height > range->high) {
        range->high = height;
        range->highest = point;
    }
}

/* Are all points within the tolerance of the plane? If not, `off` gets a point outside it. */
static bool is_flat(const hull_input *input, tact_vec3 a, dd_vec cross, uint32_t *off)
{
    double length = vec_length(dd_vec_to_vec3(cross));
    tact_vec3 normal = vec_scale(dd_vec_to_vec3(cross), 1.0 / length);
    height_range range = {0.0, 0.0, 0, 0};
    for (uint32_t i = 0; i < input->count; i++)
        height_range_add(&range, vec_dot(normal, vec_sub(input->points[i], a)), i);
    if (range.high - range.low <= HULL_DOUBLE_TRUSTED * HULL_UNIT_ROUNDOFF) {
        range.low = range.high = 0.0;
        for (uint32_t i = 0; i < input->count; i++)
            height_range_add(&range, dd_vec_dot(cross, dd_vec_difference(a, input->points[i])).high / length, i);
    }
    *off = range.high > -range.low ? range.highest : range.lowest;
    return range.high - range.low <= 2.0 * hull_plane_tolerance(input, normal);
}

int tact_hull_dimension(const hull_input *input, uint32_t basis[4], tact_vec3 *normal)
{
    double distance;
    if (widest_pair(input, basis) <= input->plane_tolerance)
        return 0;
    tact_vec3 a = input->points[basis[0]], b = input->points[basis[1]];
    basis[2] = farthest_from_line(input, a, b, &distance);
    if (distance <= input->line_tolerance)
        return 1;
    tact_vec3 c = input->points[basis[2]];
    dd_vec cross = dd_vec_cross(dd_vec_difference(a, b), dd_vec_difference(a, c));
    *normal = dd_vec_to_vec3(cross);
    if (is_flat(input, a, cross, &basis[3]) || tact_orient3d(a, b, c, input->points[basis[3]]) == 0)
        return 2;
    return 3;
}
