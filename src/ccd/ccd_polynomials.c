/*
 * The integers of a vertex-face or edge-edge pair; see the header for what they are and how long they get.
 *
 * Cost: 24 conversions and 18 or 30 subtractions, then 42 products for the volume and 8 for a component of an area.
 * Brief coordinates go through 128-bit integers: 0.2 us for the volume, half of what wide integers take.
 */
#include "ccd/ccd_polynomials.h"

#include "math/vec.h"

const int tact_ccd_spanned[2][CCD_CORNERS][2] = {
    {{1, 2}, {2, 0}, {0, 1}, {0, 0}}, /* x0 with (x2, x3), (x3, x1), (x1, x2) */
    {{1, 2}, {3, 4}, {1, 3}, {2, 4}}, /* x0 and x1 with (x2, x3), x2 and x3 with (x0, x1) */
};

static const wide nothing = {NULL, 0, 0};

#if defined(__SIZEOF_INT128__) && !defined(TACT_NO_INT128)
#define BRIEF_WAY 1
__extension__ typedef __int128 long_word;
__extension__ typedef unsigned __int128 long_size;
#else
#define BRIEF_WAY 0
typedef int64_t long_word; /* the brief way is compiled and never taken */
typedef uint64_t long_size;
#endif

/* Which differences are asked for: of these points. A face needs no more than the first three. */
static const int ends[5][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

static int steps_of(const ccd_flight *flight) { return flight->kind == TACT_VERTEX_FACE ? 3 : 5; }

static wide wide_of_long(wide_workspace *workspace, long_word value)
{
    if (value == 0)
        return nothing;
    long_size size = value < 0 ? 0 - (long_size)value : (long_size)value;
    uint64_t high = BRIEF_WAY ? (uint64_t)(size >> 32 >> 32) : 0;
    uint64_t *words = wide_allocate(workspace, high > 0 ? 2 : 1);
    words[0] = (uint64_t)size;
    if (high > 0)
        words[1] = high;
    return (wide){words, high > 0 ? 2 : 1, value < 0 ? -1 : 1};
}

/* The differences along an axis of coordinates (four, then four more or speeds) in the unit of the axis. */
static void begin_brief(ccd_flight *flight, int axis, const double values[8], bool velocities)
{
    int64_t at[4], by[4];
    for (int i = 0; i < 4; ++i) {
        at[i] = wide_to_int64(values[i], flight->exponent[axis]);
        by[i] = wide_to_int64(values[4 + i], flight->exponent[axis]) - (velocities ? 0 : at[i]);
    }
    for (int i = 0; i < steps_of(flight); ++i) {
        int64_t a = at[ends[i][1]] - at[ends[i][0]], b = by[ends[i][1]] - by[ends[i][0]];
        flight->whole[i][axis][0] = a;
        flight->whole[i][axis][1] = b;
        flight->step[i][axis][0] = wide_of_long(flight->workspace, a);
        flight->step[i][axis][1] = wide_of_long(flight->workspace, b);
    }
}

static void begin_long(ccd_flight *flight, int axis, const double values[8], bool velocities)
{
    wide_workspace *workspace = flight->workspace;
    wide at[4], by[4];
    for (int i = 0; i < 4; ++i) {
        at[i] = tact_wide_from_double(workspace, values[i], flight->exponent[axis]);
        by[i] = tact_wide_from_double(workspace, values[4 + i], flight->exponent[axis]);
        if (!velocities)
            by[i] = wide_sub(workspace, by[i], at[i]);
    }
    for (int i = 0; i < steps_of(flight); ++i) {
        flight->step[i][axis][0] = wide_sub(workspace, at[ends[i][1]], at[ends[i][0]]);
        flight->step[i][axis][1] = wide_sub(workspace, by[ends[i][1]], by[ends[i][0]]);
    }
}

void tact_ccd_flight_begin(ccd_flight *flight, wide_workspace *workspace, tact_ccd_kind kind, const tact_vec3 start[4],
                           const tact_vec3 end[4], bool velocities)
{
    flight->kind = kind;
    flight->workspace = workspace;
    flight->corners = kind == TACT_VERTEX_FACE ? 3 : 4;
    flight->finest = INT32_MAX;
    flight->brief = BRIEF_WAY;
    for (int i = 0; i < CCD_CORNERS; ++i) {
        flight->has_area[i][0] = flight->has_area[i][1] = flight->has_area[i][2] = false;
        flight->has_span[i] = false;
    }
    double values[3][8];
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 4; ++i) {
            values[axis][i] = vec_component(start[i], axis);
            values[axis][4 + i] = vec_component(end[i], axis);
        }
        wide_grid grid;
        (void)wide_find_grid(values[axis], 8, &grid); /* they are finite */
        flight->exponent[axis] = grid.exponent;
        flight->brief = flight->brief && grid.bits <= CCD_BRIEF;
        if (grid.bits > 0 && grid.exponent < flight->finest)
            flight->finest = grid.exponent;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (flight->brief)
            begin_brief(flight, axis, values[axis], velocities);
        else
            begin_long(flight, axis, values[axis], velocities);
    }
}

/* As below, of brief numbers. */
static poly brief_area(const ccd_flight *flight, const int which[2], int next, int last)
{
    const int64_t *u1 = flight->whole[which[0]][next], *u2 = flight->whole[which[0]][last];
    const int64_t *v1 = flight->whole[which[1]][next], *v2 = flight->whole[which[1]][last];
    wide c[4];
    c[0] = wide_of_long(flight->workspace, (long_word)u1[0] * v2[0] - (long_word)u2[0] * v1[0]);
    c[1] = wide_of_long(flight->workspace, (long_word)u1[0] * v2[1] + (long_word)u1[1] * v2[0] -
                                               ((long_word)u2[0] * v1[1] + (long_word)u2[1] * v1[0]));
    c[2] = wide_of_long(flight->workspace, (long_word)u1[1] * v2[1] - (long_word)u2[1] * v1[1]);
    c[3] = nothing;
    return poly_make(c);
}

/* Component `axis` of u x v: u1 v2 - u2 v1, where u = u[0] + u[1] t, and so on. */
const poly *tact_ccd_flight_area(ccd_flight *flight, int corner, int axis)
{
    poly *area = &flight->areas[corner][axis];
    if (flight->has_area[corner][axis])
        return area;
    wide_workspace *workspace = flight->workspace;
    const int *which = tact_ccd_spanned[flight->kind == TACT_EDGE_EDGE][corner];
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    flight->has_area[corner][axis] = true;
    if (flight->brief) {
        *area = brief_area(flight, which, next, last);
        return area;
    }
    const wide *u1 = flight->step[which[0]][next], *u2 = flight->step[which[0]][last];
    const wide *v1 = flight->step[which[1]][next], *v2 = flight->step[which[1]][last];
    wide m0 = wide_negate(u2[0]), m1 = wide_negate(u2[1]);
    wide c[4];
    c[0] = tact_wide_dot(workspace, 2, (wide[]){u1[0], m0}, (wide[]){v2[0], v1[0]});
    c[1] = tact_wide_dot(workspace, 4, (wide[]){u1[0], u1[1], m0, m1}, (wide[]){v2[1], v2[0], v1[1], v1[0]});
    c[2] = tact_wide_dot(workspace, 2, (wide[]){u1[1], m1}, (wide[]){v2[1], v1[1]});
    c[3] = nothing;
    *area = poly_make(c);
    return area;
}

const poly *tact_ccd_flight_span(ccd_flight *flight, int corner)
{
    poly *span = &flight->spans[corner];
    if (flight->has_span[corner])
        return span;
    wide_workspace *workspace = flight->workspace;
    const int *which = tact_ccd_spanned[flight->kind == TACT_EDGE_EDGE][corner];
    int mark = workspace->used;
    wide u[2][3], v[2][3], w[3]; /* A and B, the axes' units made one */
    for (int axis = 0; axis < 3; ++axis) {
        int up = flight->exponent[axis] - flight->finest;
        for (int i = 0; i < 2; ++i) {
            u[i][axis] = flight->step[which[0]][axis][i];
            v[i][axis] = flight->step[which[1]][axis][i];
            if (up > 0) {
                u[i][axis] = tact_wide_shift_left(workspace, u[i][axis], up);
                v[i][axis] = tact_wide_shift_left(workspace, v[i][axis], up);
            }
        }
    }
    w[0] = tact_wide_dot(workspace, 3, u[0], v[0]);
    w[1] = tact_wide_dot(workspace, 6, (wide[]){u[0][0], u[0][1], u[0][2], u[1][0], u[1][1], u[1][2]},
                         (wide[]){v[1][0], v[1][1], v[1][2], v[0][0], v[0][1], v[0][2]});
    w[2] = tact_wide_dot(workspace, 3, u[1], v[1]);
    w[0] = wide_keep(workspace, mark, w[0]);
    w[1] = wide_keep(workspace, workspace->used, w[1]); /* in the order in which they lie */
    w[2] = wide_keep(workspace, workspace->used, w[2]);
    *span = poly_make((wide[]){w[0], w[1], w[2], nothing});
    flight->has_span[corner] = true;
    return span;
}

const poly *tact_ccd_flight_volume(ccd_flight *flight)
{
    wide_workspace *workspace = flight->workspace;
    const poly *area[3];
    for (int axis = 0; axis < 3; ++axis)
        area[axis] = tact_ccd_flight_area(flight, 0, axis); /* (x2 - x0) x (x3 - x0) */
    wide c[4];
    for (int i = 0; i < 4; ++i) {
        wide p[6], q[6];
        int count = 0;
        for (int axis = 0; axis < 3; ++axis)
            for (int j = 0; j < 2; ++j) {
                if (i - j < 0 || i - j > area[axis]->degree)
                    continue;
                p[count] = flight->step[0][axis][j];
                q[count++] = area[axis]->c[i - j];
            }
        c[i] = tact_wide_dot(workspace, count, p, q);
    }
    flight->volume = poly_make(c);
    return &flight->volume;
}

int tact_ccd_flight_slope(ccd_flight *flight, double time)
{
    const wide *c = tact_ccd_flight_volume(flight)->c;
    wide_workspace *workspace = flight->workspace;
    static const uint64_t word_3[1] = {3};
    const wide three = {word_3, 1, 1};
    int mark = workspace->used;
    poly slope = poly_make(
        (wide[]){c[1], tact_wide_shift_left(workspace, c[2], 1), tact_wide_mul(workspace, c[3], three), nothing});
    int sign = poly_sign(workspace, &slope, time);
    workspace->used = mark;
    return sign;
}
