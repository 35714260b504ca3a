/*
 * The points of a pair on linear paths as fractions of integers: see path_pair.h for their sizes.
 *
 * Times are multiples of 2^et, et <= 0, and the coordinates of an axis (velocities included) of 2^ex. With the origin T
 * and s = t - T a position, divided by 2^ex, is
 *     interpolated:   ((t1 - T) x0 + (T - t0) x1 + (x1 - x0) s) / (t1 - t0)
 *     with velocity:  x0 + (T - t0) x1 + x1 s
 * Multiplied by 2^-et, all differences of times are integers; so is 1, the denominator with a velocity.
 */
#include "ccd/path_pair.h"

/* The times of a path relative to the origin, in the unit of time. */
typedef struct path_times {
    wide weight0, weight1; /* of x0 and x1 at the origin */
    wide denominator;
    int shift; /* the unit of time is 2^-shift */
} path_times;

static const uint64_t word_1[1] = {1};
static const wide one = {word_1, 1, 1};

static bool same_times(const linear_path *a, const linear_path *b)
{
    return a->t0 == b->t0 && a->has_velocity == b->has_velocity && (a->has_velocity || a->t1 == b->t1);
}

static path_times convert_times(wide_workspace *workspace, const linear_path *p, double origin, int exponent)
{
    wide_grid grid = {exponent, 0};
    path_times times = {.shift = -exponent};
    times.weight1 = wide_difference(workspace, origin, p->t0, grid);
    if (p->has_velocity) {
        times.denominator = tact_wide_shift_left(workspace, one, times.shift);
        times.weight0 = times.denominator;
    } else {
        times.denominator = wide_difference(workspace, p->t1, p->t0, grid);
        times.weight0 = wide_difference(workspace, p->t1, origin, grid);
    }
    return times;
}

/* A coordinate times the denominator: the value at the origin. */
static wide value_at_origin(wide_workspace *workspace, const path_times *times, wide x0, wide x1)
{
    return tact_wide_dot(workspace, 2, (wide[]){times->weight0, times->weight1}, (wide[]){x0, x1});
}

/* The rate of a coordinate times the denominator. */
static wide rate(wide_workspace *workspace, const path_times *times, bool has_velocity, wide x0, wide x1)
{
    wide change = has_velocity ? x1 : wide_sub(workspace, x1, x0);
    return times->shift > 0 ? tact_wide_shift_left(workspace, change, times->shift) : change;
}

static int count_times(const linear_path *path, double *times)
{
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        times[count++] = path[i].t0;
        if (!path[i].has_velocity)
            times[count++] = path[i].t1;
    }
    return count;
}

/* The exponent of the unit of time. */
static int time_exponent(const path_pair *pair, double origin)
{
    double times[17];
    int count = count_times(pair->path, times);
    if (pair->to != NULL)
        count += count_times(pair->to, times + count);
    times[count++] = origin;
    wide_grid grid;
    (void)wide_find_grid(times, count, &grid);
    return grid.exponent < 0 ? grid.exponent : 0;
}

/* The exponent of the unit of an axis. */
static int axis_exponent(const path_pair *pair, int axis)
{
    double values[16];
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        values[count++] = vec_component(pair->path[i].x0, axis);
        values[count++] = vec_component(pair->path[i].x1, axis);
        if (pair->to != NULL) {
            values[count++] = vec_component(pair->to[i].x0, axis);
            values[count++] = vec_component(pair->to[i].x1, axis);
        }
    }
    wide_grid grid;
    (void)wide_find_grid(values, count, &grid);
    return grid.exponent;
}

/* The position at the time of a jump: three values and their denominator. */
static wide jump_position(wide_workspace *workspace, const linear_path *p, double time, int unit, const int exponent[3],
                          wide value[3])
{
    bool at_start = time == p->t0, at_end = !p->has_velocity && time == p->t1;
    path_times times = {.denominator = one};
    if (!at_start && !at_end)
        times = convert_times(workspace, p, time, unit);
    for (int axis = 0; axis < 3; ++axis) {
        int mark = workspace->used;
        wide x0 = tact_wide_from_double(workspace, vec_component(p->x0, axis), exponent[axis]);
        wide x1 = tact_wide_from_double(workspace, vec_component(p->x1, axis), exponent[axis]);
        wide x = at_start ? x0 : at_end ? x1 : value_at_origin(workspace, &times, x0, x1);
        value[axis] = wide_keep(workspace, mark, x);
    }
    return times.denominator;
}

static void convert_jump(wide_workspace *workspace, const path_pair *pair, int unit, ccd_fractions *points)
{
    for (int i = 0; i < 4; ++i) {
        wide x[3], y[3];
        wide d = jump_position(workspace, &pair->path[i], pair->time, unit, points->exponent, x);
        wide e = jump_position(workspace, &pair->to[i], pair->time, unit, points->exponent, y);
        bool equal = tact_wide_compare(d, e) == 0;
        points->denominator[i] = equal ? d : tact_wide_mul(workspace, d, e);
        for (int axis = 0; axis < 3; ++axis) {
            if (equal) {
                points->value[i][axis] = x[axis];
                points->rate[i][axis] = wide_sub(workspace, y[axis], x[axis]);
            } else {
                points->value[i][axis] = tact_wide_mul(workspace, x[axis], e);
                points->rate[i][axis] =
                    tact_wide_dot(workspace, 2, (wide[]){y[axis], wide_negate(x[axis])}, (wide[]){d, e});
            }
        }
    }
}

void tact_path_fractions(wide_workspace *workspace, const path_pair *pair, double origin, ccd_fractions *points)
{
    int unit = time_exponent(pair, pair->to != NULL ? pair->time : origin);
    for (int axis = 0; axis < 3; ++axis)
        points->exponent[axis] = axis_exponent(pair, axis);
    if (pair->to != NULL) {
        assert(origin == 0.0);
        convert_jump(workspace, pair, unit, points);
        return;
    }
    path_times times[4];
    for (int i = 0; i < 4; ++i) {
        const linear_path *p = &pair->path[i];
        if (i > 0 && same_times(p, &pair->path[i - 1]))
            times[i] = times[i - 1];
        else
            times[i] = convert_times(workspace, p, origin, unit);
        points->denominator[i] = times[i].denominator;
        for (int axis = 0; axis < 3; ++axis) {
            wide x0 = tact_wide_from_double(workspace, vec_component(p->x0, axis), points->exponent[axis]);
            wide x1 = tact_wide_from_double(workspace, vec_component(p->x1, axis), points->exponent[axis]);
            points->value[i][axis] = value_at_origin(workspace, &times[i], x0, x1);
            points->rate[i][axis] = rate(workspace, &times[i], p->has_velocity, x0, x1);
        }
    }
}
