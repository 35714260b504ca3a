/*
 * Where contact is to be exact, points are made on a grid of whole numbers: corners at multiples of 4, so that a point
 * with weights in quarters is on the grid too, sheared by whole steps so that nothing is along the axes, and scaled by
 * a power of two. A relative shift of -k w at the start and (m-k) w at the end brings two such points together at t =
 * k/m.
 */
#include "oracle/ccd_cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "support/random.h"

const char *const ccd_case_names[CCD_CASE_TYPES] = {
    "ordinary", "small",    "ulps",  "mixed",   "at one",  "at zero", "planted",   "coplanar",
    "parallel", "repeated", "still", "tangent", "sliding", "huge",    "subnormal", "any"};

/* [start, end][point][coordinate] */
typedef int64_t grid[2][4][3];
typedef double places[2][4][3];

static void grid_random(random_source *dice, grid g, int64_t reach)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                g[s][k][c] = (int64_t)random_below(dice, (uint64_t)(2 * reach + 1)) - reach;
}

/* Adds a multiple of a coordinate to another, for all points alike; at most thrice, each by a factor of at most 3. */
static void grid_shear(random_source *dice, grid g)
{
    for (int step = random_between(dice, 0, 3); step > 0; step--) {
        int to = random_between(dice, 0, 2), from = (to + random_between(dice, 1, 2)) % 3;
        int times = random_between(dice, -2, 2);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 4; k++)
                g[s][k][to] += times * g[s][k][from];
    }
}

/* One and the same shift for all points, another one at the end. */
static void grid_drift(random_source *dice, grid g, int reach)
{
    for (int s = 0; s < 2; s++)
        for (int c = 0; c < 3; c++) {
            int by = random_between(dice, -reach, reach);
            for (int k = 0; k < 4; k++)
                g[s][k][c] += by;
        }
}

static void grid_nudge(random_source *dice, grid g)
{
    g[random_between(dice, 0, 1)][random_between(dice, 0, 3)][random_between(dice, 0, 2)] +=
        random_chance(dice, 0.5) ? 1 : -1;
}

static void grid_place(grid g, int exponent, places x)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                x[s][k][c] = ldexp((double)g[s][k][c], exponent);
}

static int64_t reach_random(random_source *dice)
{
    static const int64_t reaches[] = {1, 2, 10, 1000, INT64_C(1) << 40};
    return reaches[random_below(dice, sizeof reaches / sizeof reaches[0])];
}

/* Weights in quarters of three points: inside, on an edge, at a corner, or outside. */
static void weights_random(random_source *dice, int count, int weights[3])
{
    static const int of_face[][3] = {{2, 1, 1}, {2, 2, 0}, {3, 1, 0}, {4, 0, 0}, {6, -1, -1}, {5, -1, 0}};
    static const int of_edge[][2] = {{2, 2}, {3, 1}, {4, 0}, {4, 0}, {5, -1}};
    weights[2] = 0;
    if (count == 3)
        memcpy(weights, of_face[random_below(dice, 6)], sizeof of_face[0]);
    else
        memcpy(weights, of_edge[random_below(dice, 5)], sizeof of_edge[0]);
    for (int turn = random_between(dice, 0, count - 1); turn > 0; turn--) {
        int first = weights[0];
        for (int i = 0; i + 1 < count; i++)
            weights[i] = weights[i + 1];
        weights[count - 1] = first;
    }
}

/* Moves A so that points of both meet at t = k/m, coming along w. Coordinates must be multiples of 4. */
static void grid_plant(random_source *dice, tact_ccd_kind kind, grid g, int k, int m, int64_t speed)
{
    int of_a = kind == TACT_VERTEX_FACE ? 1 : 2, of_b = 4 - of_a;
    int a[3] = {4, 0, 0}, b[3];
    if (of_a == 2)
        weights_random(dice, 2, a);
    weights_random(dice, of_b, b);
    for (int c = 0; c < 3; c++) {
        int64_t w = (int64_t)random_below(dice, (uint64_t)(2 * speed + 1)) - speed;
        for (int s = 0; s < 2; s++) {
            int64_t apart = 0;
            for (int i = 0; i < of_b; i++)
                apart += g[s][of_a + i][c] / 4 * b[i];
            for (int i = 0; i < of_a; i++)
                apart -= g[s][i][c] / 4 * a[i];
            for (int i = 0; i < of_a; i++)
                g[s][i][c] += apart + (s == 0 ? -k : m - k) * w;
        }
    }
}

static void grid_times_four(grid g)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                g[s][k][c] *= 4;
}

static void make_planted(random_source *dice, tact_ccd_kind kind, grid g, int64_t reach, int k, int m)
{
    grid_random(dice, g, reach);
    grid_times_four(g);
    grid_plant(dice, kind, g, k, m, reach);
    grid_shear(dice, g);
    if (random_chance(dice, 0.3))
        grid_nudge(dice, g);
}

/* Contact at the very end or beginning; where they are at the other one has all digits. */
static void make_at_end(random_source *dice, tact_ccd_kind kind, places x, int s)
{
    grid g;
    grid_random(dice, g, INT64_C(1) << 40);
    grid_times_four(g);
    grid_plant(dice, kind, g, s, 1, 100);
    grid_shear(dice, g);
    if (random_chance(dice, 0.3))
        grid_nudge(dice, g);
    int scale = random_between(dice, -20, 20); /* 1e-6 to 1e6 */
    grid_place(g, scale - 43, x);
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++)
            x[1 - s][k][c] = ldexp(random_range(dice, -1.0, 1.0), scale);
}

static void make_coplanar(random_source *dice, places x)
{
    grid g;
    grid_random(dice, g, reach_random(dice));
    int64_t other[2] = {random_between(dice, -3, 3), random_between(dice, -3, 3)};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            g[s][k][2] = other[s];
    bool sheared = random_chance(dice, 0.6);
    if (sheared)
        grid_shear(dice, g);
    grid_place(g, random_between(dice, -30, 0), x);
    if (sheared)
        return;
    /* with all digits: in a plane along an axis, or where two coordinates are the same */
    int axis = random_between(dice, 0, 2), same = random_between(dice, 0, 1);
    for (int s = 0; s < 2; s++) {
        double at = random_range(dice, -1.0, 1.0);
        for (int k = 0; k < 4; k++) {
            for (int c = 0; c < 3; c++)
                x[s][k][c] = random_range(dice, -1.0, 1.0);
            x[s][k][axis] = same ? x[s][k][(axis + 1) % 3] : at;
        }
    }
}

/* Points along a line: the edges of a pair are parallel, or the corners of the face in a row. */
static void make_parallel(random_source *dice, tact_ccd_kind kind, grid g)
{
    int reach = random_chance(dice, 0.5) ? 2 : 100;
    grid_random(dice, g, reach);
    int64_t u[2][3], along[2][4];
    bool same_line = random_chance(dice, 0.4), same_along = random_chance(dice, 0.6), in_row = random_chance(dice, 0.5);
    for (int s = 0; s < 2; s++) {
        for (int c = 0; c < 3; c++)
            u[s][c] = s == 1 && same_line ? u[0][c] : random_between(dice, -2, 2);
        for (int k = 0; k < 4; k++)
            along[s][k] = s == 1 && same_along ? along[0][k] : random_between(dice, -4, 4);
        for (int c = 0; c < 3; c++) {
            if (kind == TACT_EDGE_EDGE) {
                g[s][1][c] = g[s][0][c] + along[s][1] * u[s][c];
                if (in_row)
                    g[s][2][c] = g[s][0][c] + along[s][2] * u[s][c];
                g[s][3][c] = g[s][2][c] + along[s][3] * u[s][c];
            } else {
                g[s][2][c] = g[s][1][c] + along[s][2] * u[s][c];
                g[s][3][c] = g[s][1][c] + along[s][3] * u[s][c];
                if (in_row)
                    g[s][0][c] = g[s][1][c] + along[s][0] * u[s][c];
            }
        }
    }
    /* past each other, and through each other at one moment */
    if (in_row && random_chance(dice, 0.5)) {
        int k = random_between(dice, 0, 3), of_a = kind == TACT_VERTEX_FACE ? 1 : 2;
        for (int c = 0; c < 3; c++) {
            int w = random_between(dice, -2, 2);
            for (int i = 0; i < of_a; i++) {
                g[0][i][c] -= k * w;
                g[1][i][c] += (3 - k) * w;
            }
        }
    }
}

static void make_repeated(random_source *dice, grid g)
{
    for (int times = random_between(dice, 1, 3); times > 0; times--) {
        int from = random_between(dice, 0, 3), to = random_between(dice, 0, 3), when = random_between(dice, 0, 3);
        for (int s = 0; s < 2; s++)
            if (when >= 2 || when == s)
                memcpy(g[s][to], g[s][from], sizeof g[s][to]);
    }
}

static void make_still(random_source *dice, tact_ccd_kind kind, grid g)
{
    if (random_chance(dice, 0.7)) {
        grid_times_four(g);
        grid_plant(dice, kind, g, 0, 1, 1);
    }
    int of_a = kind == TACT_VERTEX_FACE ? 1 : 2, which = random_between(dice, 0, 3);
    for (int k = 0; k < 4; k++)
        if (which >= 2 || (k < of_a) == (which == 0))
            memcpy(g[1][k], g[0][k], sizeof g[1][k]);
    if (which == 3)
        grid_drift(dice, g, 5);
}

/*
 * A has the coordinate x(t) and the height z(t) over B's corner or edge through 0 (or B over A's), whose other end
 * (S, 0, e(t)) goes up and down. With e = S k (x-m) and z = k ((2r-m) x - r^2), the volume is a multiple of
 *
 *     S z - e x  =  -S k (x-r)^2,
 *
 * zero only where x = r, which is inside for 0 <= r <= S.
 */
static void make_tangent(random_source *dice, tact_ccd_kind kind, grid g)
{
    int64_t size = INT64_C(1) << random_between(dice, 0, 10), k = random_between(dice, 1, 3);
    int64_t r = random_between(dice, 0, (int)size), m = random_between(dice, -3, 3);
    int64_t y = random_between(dice, 0, (int)(size - r));
    int num = random_between(dice, 0, 5), den = random_between(dice, 1, 5), step = random_between(dice, 1, 9);
    memset(g, 0, sizeof(grid));
    for (int s = 0; s < 2; s++) {
        int64_t x = r + (s == 0 ? -num : den - num) * step; /* at r when t = num/den */
        int64_t e = size * k * (x - m), z = k * ((2 * r - m) * x - r * r);
        /* on the line from 0 to (size, 0, e): the height there is e x / size */
        if (kind == TACT_VERTEX_FACE) {
            memcpy(g[s], (int64_t[4][3]){{x, y, z}, {0, 0, 0}, {size, 0, e}, {0, size, 0}}, sizeof g[s]);
        } else {
            memcpy(g[s], (int64_t[4][3]){{0, 0, 0}, {size, 0, e}, {x, -y, z}, {x, size, z}}, sizeof g[s]);
        }
    }
    if (random_chance(dice, 0.3))
        grid_nudge(dice, g);
    grid_drift(dice, g, 9);
    grid_shear(dice, g);
}

/* The vertex, or an end of an edge, along the line of an edge. */
static void make_sliding(random_source *dice, tact_ccd_kind kind, grid g)
{
    grid_times_four(g);
    int a = kind == TACT_VERTEX_FACE ? random_between(dice, 1, 2) : 0, b = a + 1;
    int slider = kind == TACT_VERTEX_FACE ? 0 : random_between(dice, 2, 3);
    int still = random_between(dice, 0, 2);
    for (int k = a; k <= b; k++)
        if (still > 0)
            memcpy(g[1][k], g[0][k], sizeof g[1][k]);
    for (int s = 0; s < 2; s++) {
        int quarters = random_between(dice, -4, 8);
        for (int c = 0; c < 3; c++)
            g[s][slider][c] = g[s][a][c] / 4 * (4 - quarters) + g[s][b][c] / 4 * quarters;
    }
    if (still == 2)
        grid_drift(dice, g, 9);
}

static double near_base(random_source *dice, double base)
{
    union {
        double value;
        uint64_t bits;
    } number = {base};
    number.bits += (uint64_t)random_between(dice, -3, 3);
    return number.value;
}

static void make_ulps(random_source *dice, places x)
{
    static const double bases[] = {0.1, 1.0, 1.0 / 3.0, 12345.678, 0.75, 3e-5};
    bool common = random_chance(dice, 0.5);
    for (int c = 0; c < 3; c++) {
        double base = bases[random_below(dice, 6)];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 4; k++)
                x[s][k][c] = near_base(dice, common || random_chance(dice, 0.8) ? base : bases[random_below(dice, 6)]);
    }
}

static void make_mixed(random_source *dice, tact_ccd_kind kind, places x)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                x[s][k][c] = random_size(dice, -500, 500);
    int how = random_between(dice, 0, 3);
    if (how == 0)
        return;
    if (how == 1) {
        /* a corner of each at one place, at an end */
        int s = random_between(dice, 0, 1);
        memcpy(x[s][0], x[s][kind == TACT_VERTEX_FACE ? 1 : 2], sizeof x[s][0]);
        return;
    }
    /* A passes B from one side to the other, with luck within it: signs as they are of a small thing through a large
     * one */
    int up = random_between(dice, 0, 2), i = (up + 1) % 3, j = (up + 2) % 3;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++) {
            bool of_a = k < (kind == TACT_VERTEX_FACE ? 1 : 2);
            double side = (s == 0) == of_a ? 1.0 : -1.0;
            x[s][k][up] = side * fabs(x[s][k][up]);
            if (kind == TACT_VERTEX_FACE) {
                x[s][k][i] = of_a ? 0x1p-450 * x[s][k][i] : k < 3 ? fabs(x[s][k][i]) : -fabs(x[s][k][i]);
                x[s][k][j] = of_a ? 0x1p-450 * x[s][k][j] : k == 1 ? fabs(x[s][k][j]) : -fabs(x[s][k][j]);
            } else {
                x[s][k][i] = of_a ? (k == 0 ? 1.0 : -1.0) * fabs(x[s][k][i]) : 0x1p-450 * x[s][k][i];
                x[s][k][j] = of_a ? 0x1p-450 * x[s][k][j] : (k == 2 ? 1.0 : -1.0) * fabs(x[s][k][j]);
            }
        }
}

static void make_huge(random_source *dice, places x)
{
    static const double bases[] = {DBL_MAX, DBL_MAX / 2, 0x1p1023, 0x1p1000, 1.0, 0.0, DBL_MIN};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++) {
                double base = bases[random_below(dice, random_chance(dice, 0.7) ? 4 : 7)];
                x[s][k][c] = random_chance(dice, 0.5) ? base : -base;
            }
}

/* Numbers of any size in one plane, at one place, or not moving. */
static void make_degenerate(random_source *dice, tact_ccd_kind kind, places x)
{
    int how = random_between(dice, 0, 5), axis = random_between(dice, 0, 2), s = random_between(dice, 0, 1);
    int a = random_between(dice, 0, 3), b = random_between(dice, 0, 3);
    if (how == 1 || how == 2) /* coplanar */
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 4; k++)
                x[i][k][axis] = how == 1 ? x[i][k][(axis + 1) % 3] : x[i][0][axis];
    else if (how == 3) /* corners of both at one place, at an end */
        memcpy(x[s][0], x[s][kind == TACT_VERTEX_FACE ? 1 : 2], sizeof x[s][0]);
    else if (how == 4) { /* all the time */
        memcpy(x[0][a], x[0][b], sizeof x[0][a]);
        memcpy(x[1][a], x[1][b], sizeof x[1][a]);
    } else if (how == 5)
        memcpy(x[1][a], x[0][a], sizeof x[1][a]);
}

static void make_places(random_source *dice, ccd_case_type type, tact_ccd_kind kind, places x)
{
    grid g;
    int power = random_between(dice, -40, 10);
    grid_random(dice, g, random_chance(dice, 0.6) ? 2 : 100);
    switch (type) {
    case CCD_SMALL:
        grid_random(dice, g, 2);
        power = 0;
        break;
    case CCD_PLANTED: {
        int m = random_between(dice, 1, 7), k = random_between(dice, 0, m);
        make_planted(dice, kind, g, reach_random(dice), k, m);
        break;
    }
    case CCD_PARALLEL:
        make_parallel(dice, kind, g);
        break;
    case CCD_REPEATED:
        make_repeated(dice, g);
        break;
    case CCD_STILL:
        make_still(dice, kind, g);
        break;
    case CCD_TANGENT:
        make_tangent(dice, kind, g);
        break;
    case CCD_SLIDING:
        make_sliding(dice, kind, g);
        break;
    case CCD_HUGE:
    case CCD_SUBNORMAL:
        make_planted(dice, kind, g, random_chance(dice, 0.5) ? 2 : 100, 1, 2);
        power = type == CCD_HUGE ? random_between(dice, 1000, 1009) : -1074;
        break;
    default:
        break;
    }
    grid_place(g, power, x);
    if (type == CCD_MIXED)
        make_mixed(dice, kind, x);
    else if (type == CCD_AT_ONE || type == CCD_AT_ZERO)
        make_at_end(dice, kind, x, type == CCD_AT_ONE);
    else if (type == CCD_COPLANAR)
        make_coplanar(dice, x);
    else if (type == CCD_ULPS)
        make_ulps(dice, x);
    else if (type == CCD_HUGE && random_chance(dice, 0.5))
        make_huge(dice, x);
    else if (type == CCD_ORDINARY || type == CCD_ANY)
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 4; k++)
                for (int c = 0; c < 3; c++)
                    x[s][k][c] = type == CCD_ANY ? random_finite(dice) : random_range(dice, -1.0, 1.0);
    if (type == CCD_ANY)
        make_degenerate(dice, kind, x);
}

ccd_case ccd_case_make(ccd_case_type type, tact_ccd_kind kind, uint64_t number)
{
    random_source dice = random_seed((number * CCD_CASE_TYPES + (uint64_t)type) * 2 + (uint64_t)kind);
    places x;
    make_places(&dice, type, kind, x);
    ccd_case query = {.kind = kind};
    for (int k = 0; k < 4; k++) {
        query.start[k] = (tact_vec3){x[0][k][0], x[0][k][1], x[0][k][2]};
        query.end[k] = (tact_vec3){x[1][k][0], x[1][k][1], x[1][k][2]};
    }
    return query;
}

void ccd_case_print(FILE *file, const ccd_case *query)
{
    (void)fputs("0", file);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++) {
            tact_vec3 p = s == 0 ? query->start[k] : query->end[k];
            (void)fprintf(file, " %a %a %a", p.x, p.y, p.z);
        }
    (void)fputs("\n", file);
}
