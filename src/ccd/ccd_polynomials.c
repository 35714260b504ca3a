/*
 * The polynomials of a vertex-face or edge-edge pair in integers: see the header for their definition and sizes.
 *
 * Cost: 24 conversions and 18 or 30 subtractions, then 42 products for the volume and 8 for a component of an area.
 * Short coordinates use 128-bit integers: 0.2 us for the volume, half of what wide integers take.
 */
#include "ccd/ccd_polynomials.h"

#include "math/vec.h"

const int tact_ccd_point_edge_steps[2][CCD_MAX_POINT_EDGES][2] = {
    {{1, 2}, {2, 0}, {0, 1}, {0, 0}}, /* x0 with (x2, x3), (x3, x1), (x1, x2) */
    {{1, 2}, {3, 4}, {1, 3}, {2, 4}}, /* x0 and x1 with (x2, x3), x2 and x3 with (x0, x1) */
};

static const wide zero = {NULL, 0, 0};

#if defined(__SIZEOF_INT128__) && !defined(TACT_NO_INT128)
#define HAS_INT128 1
__extension__ typedef __int128 ccd_int128;
__extension__ typedef unsigned __int128 ccd_uint128;
#else
#define HAS_INT128 0
typedef int64_t ccd_int128; /* the short path is compiled and never taken */
typedef uint64_t ccd_uint128;
#endif

/* The end points of each difference. A vertex-face pair needs only the first three. */
static const int ends[5][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

static int step_count(const ccd_polynomials *p) { return p->kind == TACT_VERTEX_FACE ? 3 : 5; }

static wide wide_of_int128(wide_workspace *workspace, ccd_int128 value)
{
    if (value == 0)
        return zero;
    ccd_uint128 size = value < 0 ? 0 - (ccd_uint128)value : (ccd_uint128)value;
    uint64_t high = HAS_INT128 ? (uint64_t)(size >> 32 >> 32) : 0;
    uint64_t *words = wide_allocate(workspace, high > 0 ? 2 : 1);
    words[0] = (uint64_t)size;
    if (high > 0)
        words[1] = high;
    return (wide){words, high > 0 ? 2 : 1, value < 0 ? -1 : 1};
}

/* The differences along an axis of coordinates (four at the start, four at the end or velocities) in the unit of the
 * axis. */
static void init_short(ccd_polynomials *p, int axis, const double values[8], bool velocities)
{
    int64_t value[4], rate[4];
    for (int i = 0; i < 4; ++i) {
        value[i] = wide_to_int64(values[i], p->exponent[axis]);
        rate[i] = wide_to_int64(values[4 + i], p->exponent[axis]) - (velocities ? 0 : value[i]);
    }
    for (int i = 0; i < step_count(p); ++i) {
        int64_t a = value[ends[i][1]] - value[ends[i][0]], b = rate[ends[i][1]] - rate[ends[i][0]];
        p->short_step[i][axis][0] = a;
        p->short_step[i][axis][1] = b;
        p->step[i][axis][0] = wide_of_int128(p->workspace, a);
        p->step[i][axis][1] = wide_of_int128(p->workspace, b);
    }
}

static void init_wide(ccd_polynomials *p, int axis, const double values[8], bool velocities)
{
    wide_workspace *workspace = p->workspace;
    wide value[4], rate[4];
    for (int i = 0; i < 4; ++i) {
        value[i] = tact_wide_from_double(workspace, values[i], p->exponent[axis]);
        rate[i] = tact_wide_from_double(workspace, values[4 + i], p->exponent[axis]);
        if (!velocities)
            rate[i] = wide_sub(workspace, rate[i], value[i]);
    }
    for (int i = 0; i < step_count(p); ++i) {
        p->step[i][axis][0] = wide_sub(workspace, value[ends[i][1]], value[ends[i][0]]);
        p->step[i][axis][1] = wide_sub(workspace, rate[ends[i][1]], rate[ends[i][0]]);
    }
}

static void init_empty(ccd_polynomials *p, wide_workspace *workspace, tact_ccd_kind kind)
{
    p->kind = kind;
    p->workspace = workspace;
    p->point_edge_count = kind == TACT_VERTEX_FACE ? 3 : 4;
    p->finest = INT32_MAX;
    p->is_short = HAS_INT128;
    for (int i = 0; i < CCD_MAX_POINT_EDGES; ++i) {
        p->has_area[i][0] = p->has_area[i][1] = p->has_area[i][2] = false;
        p->has_span[i] = false;
    }
}

void tact_ccd_polynomials_init(ccd_polynomials *p, wide_workspace *workspace, tact_ccd_kind kind,
                               const tact_vec3 start[4], const tact_vec3 end[4], bool velocities)
{
    init_empty(p, workspace, kind);
    double values[3][8];
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 4; ++i) {
            values[axis][i] = vec_component(start[i], axis);
            values[axis][4 + i] = vec_component(end[i], axis);
        }
        wide_grid grid;
        (void)wide_find_grid(values[axis], 8, &grid); /* they are finite */
        p->exponent[axis] = grid.exponent;
        p->is_short = p->is_short && grid.bits <= CCD_SHORT_BITS;
        if (grid.bits > 0 && grid.exponent < p->finest)
            p->finest = grid.exponent;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (p->is_short)
            init_short(p, axis, values[axis], velocities);
        else
            init_wide(p, axis, values[axis], velocities);
    }
}

static const uint64_t word_1[1] = {1};
static const wide one = {word_1, 1, 1};

/* The product of the other denominators, each of several equal ones counted once. */
static wide common_factor(wide_workspace *workspace, const wide denominator[4], int point)
{
    wide factor = one;
    for (int i = 0; i < 4; ++i) {
        bool counts = tact_wide_compare(denominator[i], denominator[point]) != 0;
        for (int j = 0; j < i && counts; ++j)
            counts = tact_wide_compare(denominator[i], denominator[j]) != 0;
        if (counts)
            factor = factor.words == word_1 ? denominator[i] : tact_wide_mul(workspace, factor, denominator[i]);
    }
    return factor;
}

/* Is this difference short, as CCD_SHORT_BITS defines it? Then writes it. */
static bool shorten_step(const wide step[2], int64_t short_step[2])
{
    static const int max_bits[2] = {CCD_SHORT_BITS + 1, CCD_SHORT_BITS + 2};
    for (int j = 0; j < 2; ++j) {
        if (tact_wide_bit_length(step[j]) > max_bits[j])
            return false;
        int64_t size = step[j].count > 0 ? (int64_t)step[j].words[0] : 0;
        short_step[j] = step[j].sign < 0 ? -size : size;
    }
    return true;
}

void tact_ccd_polynomials_init_fractions(ccd_polynomials *p, wide_workspace *workspace, tact_ccd_kind kind,
                                         const ccd_fractions *points, bool common)
{
    init_empty(p, workspace, kind);
    wide factor[4];
    for (int i = 0; i < 4 && common; ++i)
        factor[i] = common_factor(workspace, points->denominator, i);
    for (int axis = 0; axis < 3; ++axis)
        p->exponent[axis] = points->exponent[axis];
    for (int i = 0; i < step_count(p); ++i) {
        int a = ends[i][0], b = ends[i][1];
        wide factor_a = common ? factor[a] : points->denominator[b],
             factor_b = common ? factor[b] : points->denominator[a];
        bool equal = tact_wide_compare(factor_a, factor_b) == 0 && (!common || factor_a.words == word_1);
        for (int axis = 0; axis < 3; ++axis) {
            wide *step = p->step[i][axis];
            for (int j = 0; j < 2; ++j) {
                wide x_a = j == 0 ? points->value[a][axis] : points->rate[a][axis],
                     x_b = j == 0 ? points->value[b][axis] : points->rate[b][axis];
                step[j] =
                    equal ? wide_sub(workspace, x_b, x_a)
                          : tact_wide_dot(workspace, 2, (wide[]){x_b, wide_negate(x_a)}, (wide[]){factor_b, factor_a});
                if (step[j].sign != 0 && p->exponent[axis] < p->finest)
                    p->finest = p->exponent[axis];
            }
            p->is_short = p->is_short && shorten_step(step, p->short_step[i][axis]);
        }
    }
    if (p->finest == INT32_MAX)
        p->finest = 0; /* all differences are zero */
}

/* tact_ccd_area for short numbers. */
static poly short_area(const ccd_polynomials *p, const int which[2], int next, int last)
{
    const int64_t *u1 = p->short_step[which[0]][next], *u2 = p->short_step[which[0]][last];
    const int64_t *v1 = p->short_step[which[1]][next], *v2 = p->short_step[which[1]][last];
    wide c[4];
    c[0] = wide_of_int128(p->workspace, (ccd_int128)u1[0] * v2[0] - (ccd_int128)u2[0] * v1[0]);
    c[1] = wide_of_int128(p->workspace, (ccd_int128)u1[0] * v2[1] + (ccd_int128)u1[1] * v2[0] -
                                            ((ccd_int128)u2[0] * v1[1] + (ccd_int128)u2[1] * v1[0]));
    c[2] = wide_of_int128(p->workspace, (ccd_int128)u1[1] * v2[1] - (ccd_int128)u2[1] * v1[1]);
    c[3] = zero;
    return poly_make(c);
}

/* Component `axis` of u x v: u1 v2 - u2 v1, with u = u[0] + u[1] t and so on. */
const poly *tact_ccd_area(ccd_polynomials *p, int point_edge, int axis)
{
    poly *area = &p->areas[point_edge][axis];
    if (p->has_area[point_edge][axis])
        return area;
    wide_workspace *workspace = p->workspace;
    const int *which = tact_ccd_point_edge_steps[p->kind == TACT_EDGE_EDGE][point_edge];
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    p->has_area[point_edge][axis] = true;
    if (p->is_short) {
        *area = short_area(p, which, next, last);
        return area;
    }
    const wide *u1 = p->step[which[0]][next], *u2 = p->step[which[0]][last];
    const wide *v1 = p->step[which[1]][next], *v2 = p->step[which[1]][last];
    wide m0 = wide_negate(u2[0]), m1 = wide_negate(u2[1]);
    wide c[4];
    c[0] = tact_wide_dot(workspace, 2, (wide[]){u1[0], m0}, (wide[]){v2[0], v1[0]});
    c[1] = tact_wide_dot(workspace, 4, (wide[]){u1[0], u1[1], m0, m1}, (wide[]){v2[1], v2[0], v1[1], v1[0]});
    c[2] = tact_wide_dot(workspace, 2, (wide[]){u1[1], m1}, (wide[]){v2[1], v1[1]});
    c[3] = zero;
    *area = poly_make(c);
    return area;
}

const poly *tact_ccd_span(ccd_polynomials *p, int point_edge)
{
    poly *span = &p->spans[point_edge];
    if (p->has_span[point_edge])
        return span;
    wide_workspace *workspace = p->workspace;
    const int *which = tact_ccd_point_edge_steps[p->kind == TACT_EDGE_EDGE][point_edge];
    int mark = workspace->used;
    wide u[2][3], v[2][3], w[3]; /* A and B, in the common unit of all axes */
    for (int axis = 0; axis < 3; ++axis) {
        int up = p->exponent[axis] - p->finest;
        for (int i = 0; i < 2; ++i) {
            u[i][axis] = p->step[which[0]][axis][i];
            v[i][axis] = p->step[which[1]][axis][i];
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
    w[1] = wide_keep(workspace, workspace->used, w[1]); /* in the order in which they are stored */
    w[2] = wide_keep(workspace, workspace->used, w[2]);
    *span = poly_make((wide[]){w[0], w[1], w[2], zero});
    p->has_span[point_edge] = true;
    return span;
}

const poly *tact_ccd_volume(ccd_polynomials *p)
{
    wide_workspace *workspace = p->workspace;
    const poly *area[3];
    for (int axis = 0; axis < 3; ++axis)
        area[axis] = tact_ccd_area(p, 0, axis); /* (x2 - x0) x (x3 - x0) */
    wide c[4];
    for (int i = 0; i < 4; ++i) {
        wide u[6], v[6];
        int count = 0;
        for (int axis = 0; axis < 3; ++axis)
            for (int j = 0; j < 2; ++j) {
                if (i - j < 0 || i - j > area[axis]->degree)
                    continue;
                u[count] = p->step[0][axis][j];
                v[count++] = area[axis]->c[i - j];
            }
        c[i] = tact_wide_dot(workspace, count, u, v);
    }
    p->volume = poly_make(c);
    return &p->volume;
}

int tact_ccd_volume_slope_sign(ccd_polynomials *p, double time)
{
    const wide *c = tact_ccd_volume(p)->c;
    wide_workspace *workspace = p->workspace;
    static const uint64_t word_3[1] = {3};
    const wide three = {word_3, 1, 1};
    int mark = workspace->used;
    poly slope = poly_make(
        (wide[]){c[1], tact_wide_shift_left(workspace, c[2], 1), tact_wide_mul(workspace, c[3], three), zero});
    int sign = poly_sign(workspace, &slope, time);
    workspace->used = mark;
    return sign;
}
