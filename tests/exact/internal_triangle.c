/*
 * Two triangles against GMP. The oracle is a linear program: weights of the vertices, not negative, with sum one for
 * each triangle, that give the same point. Its basic solutions (the weights of every subset of vertices of both, where
 * these are unique and positive) are the vertices of the intersection in every configuration. It uses no planes, no
 * sides, no case distinctions, and shares no code with the library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact/triangle.h"
#include "support/host_fp_environment.h"
#include "support/long_form.h"
#include "support/random.h"

static double coordinate_of(tact_vec3 p, int k) { return k == 0 ? p.x : k == 1 ? p.y : p.z; }

/* ---- the oracle ---- */

enum { MOST = 49 }; /* subsets of vertices of both */

typedef struct solution {
    unsigned of_a, of_b; /* vertices with positive weight, as bits */
    mpq_t at[3];
} solution;

static solution solutions[MOST];
static int solution_count;
static mpz_t whole[6][3];    /* the coordinates, scaled to integers */
static int power;            /* that power */
static mpz_t matrix[5][7];   /* three coordinates, two sums; six weights, right side */
static mpz_t product, pivot; /* scratch */
static mpq_t fraction, other;

static void open_all(void)
{
    mpz_inits(product, pivot, NULL);
    mpq_inits(fraction, other, NULL);
    for (int i = 0; i < MOST; ++i)
        for (int k = 0; k < 3; ++k)
            mpq_init(solutions[i].at[k]);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k)
            mpz_init(whole[i][k]);
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 7; ++k)
            mpz_init(matrix[i][k]);
}

static void close_all(void)
{
    mpz_clears(product, pivot, NULL);
    mpq_clears(fraction, other, NULL);
    for (int i = 0; i < MOST; ++i)
        for (int k = 0; k < 3; ++k)
            mpq_clear(solutions[i].at[k]);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k)
            mpz_clear(whole[i][k]);
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 7; ++k)
            mpz_clear(matrix[i][k]);
}

static int open_oracle(void **state)
{
    (void)state;
    open_all();
    return 0;
}

static int close_oracle(void **state)
{
    (void)state;
    close_all();
    return 0;
}

static void load(const tact_vec3 t[6])
{
    int lowest = INT32_MAX, exponent[6][3];
    long mantissa[6][3];
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k) {
            mantissa[i][k] = (long)ldexp(frexp(coordinate_of(t[i], k), &exponent[i][k]), 53);
            exponent[i][k] -= 53;
            while (mantissa[i][k] != 0 && mantissa[i][k] % 2 == 0) {
                mantissa[i][k] /= 2;
                ++exponent[i][k];
            }
            if (mantissa[i][k] != 0 && exponent[i][k] < lowest)
                lowest = exponent[i][k];
        }
    power = lowest == INT32_MAX ? 0 : lowest;
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k) {
            mpz_set_si(whole[i][k], mantissa[i][k]);
            if (mantissa[i][k] != 0)
                mpz_mul_2exp(whole[i][k], whole[i][k], (mp_bitcnt_t)(exponent[i][k] - power));
        }
}

/* Gauss-Jordan elimination without fractions (Bareiss): true if the weights of the chosen vertices are unique and
 * positive. The
 * determinant is then in `pivot`, the weights times it in the last column, rows in the order of the columns. */
static int solve(unsigned chosen)
{
    int columns = 0, column_of[6];
    for (int i = 0; i < 6; ++i)
        if (chosen >> i & 1)
            column_of[columns++] = i;
    if (columns > 5)
        return 0; /* six weights, five equations: never unique */
    for (int c = 0; c < columns; ++c) {
        int i = column_of[c];
        for (int k = 0; k < 3; ++k)
            if (i < 3)
                mpz_set(matrix[k][c], whole[i][k]);
            else
                mpz_neg(matrix[k][c], whole[i][k]);
        mpz_set_si(matrix[3][c], i < 3);
        mpz_set_si(matrix[4][c], i >= 3);
    }
    for (int r = 0; r < 5; ++r)
        mpz_set_si(matrix[r][columns], r >= 3);
    mpz_set_si(pivot, 1);
    for (int c = 0; c < columns; ++c) {
        int best = -1;
        for (int r = c; r < 5 && best < 0; ++r)
            if (mpz_sgn(matrix[r][c]) != 0)
                best = r;
        if (best < 0)
            return 0;
        if (best != c)
            for (int k = 0; k <= columns; ++k)
                mpz_swap(matrix[best][k], matrix[c][k]);
        for (int r = 0; r < 5; ++r) {
            if (r == c)
                continue;
            for (int k = columns; k >= 0; --k) {
                if (k == c)
                    continue;
                mpz_mul(product, matrix[r][k], matrix[c][c]);
                mpz_submul(product, matrix[r][c], matrix[c][k]);
                mpz_divexact(matrix[r][k], product, pivot);
            }
            mpz_set_si(matrix[r][c], 0);
        }
        mpz_set(pivot, matrix[c][c]);
    }
    for (int r = columns; r < 5; ++r)
        if (mpz_sgn(matrix[r][columns]) != 0)
            return 0;
    for (int c = 0; c < columns; ++c)
        if (mpz_sgn(matrix[c][columns]) * mpz_sgn(pivot) <= 0)
            return 0;
    return 1;
}

/* Fills in `solutions` for the six points loaded; the same point may come more than once. */
static void find_solutions(void)
{
    solution_count = 0;
    for (unsigned of_a = 1; of_a < 8; ++of_a)
        for (unsigned of_b = 1; of_b < 8; ++of_b) {
            if (!solve(of_a | of_b << 3))
                continue;
            int columns = 0;
            for (unsigned rest = of_a | of_b << 3; rest != 0; rest >>= 1)
                columns += (int)(rest & 1);
            solution *s = &solutions[solution_count++];
            s->of_a = of_a;
            s->of_b = of_b;
            for (int k = 0; k < 3; ++k) {
                mpz_set_si(product, 0);
                for (int i = 0, c = 0; i < 3; ++i)
                    if (of_a >> i & 1)
                        mpz_addmul(product, matrix[c++][columns], whole[i][k]);
                mpz_set(mpq_numref(s->at[k]), product);
                mpz_set(mpq_denref(s->at[k]), pivot);
                mpq_canonicalize(s->at[k]);
            }
        }
}

/* The sign of the coordinate `axis` of (q - p) x (r - p). */
static int turn_of(mpq_t p[3], mpq_t q[3], mpq_t r[3], int axis)
{
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    mpq_t ux, uy, vx, vy;
    mpq_inits(ux, uy, vx, vy, NULL);
    mpq_sub(ux, q[x], p[x]), mpq_sub(uy, q[y], p[y]);
    mpq_sub(vx, r[x], p[x]), mpq_sub(vy, r[y], p[y]);
    mpq_mul(ux, ux, vy), mpq_mul(uy, uy, vx);
    int sign = mpq_cmp(ux, uy);
    mpq_clears(ux, uy, vx, vy, NULL);
    return (sign > 0) - (sign < 0);
}

static int same_point(mpq_t p[3], mpq_t q[3])
{
    return mpq_equal(p[0], q[0]) && mpq_equal(p[1], q[1]) && mpq_equal(p[2], q[2]);
}

static int order_of(mpq_t p[3], mpq_t q[3])
{
    for (int k = 0; k < 3; ++k) {
        int c = mpq_cmp(p[k], q[k]);
        if (c != 0)
            return c;
    }
    return 0;
}

static void corner_to_fraction(int i, mpq_t p[3])
{
    for (int k = 0; k < 3; ++k)
        mpq_set_z(p[k], whole[i][k]);
}

static int no_area(int first)
{
    mpq_t p[3][3];
    for (int i = 0; i < 3; ++i) {
        mpq_inits(p[i][0], p[i][1], p[i][2], NULL);
        corner_to_fraction(first + i, p[i]);
    }
    int thin = 1;
    for (int axis = 0; axis < 3; ++axis)
        thin = thin && turn_of(p[0], p[1], p[2], axis) == 0;
    for (int i = 0; i < 3; ++i)
        mpq_clears(p[i][0], p[i][1], p[i][2], NULL);
    return thin;
}

/* Whether there is a solution beyond the shared feature. */
static int oracle_beyond(const triangle_shared *share)
{
    if (share->count == 0)
        return solution_count > 0;
    if (share->count == 3)
        return !no_area(0);
    mpq_t v[3], w[3];
    mpq_inits(v[0], v[1], v[2], w[0], w[1], w[2], NULL);
    corner_to_fraction(share->a[0], v);
    corner_to_fraction(share->a[share->count - 1], w);
    int beyond = 0;
    for (int i = 0; i < solution_count && !beyond; ++i) {
        mpq_t *x = solutions[i].at;
        int on_line = turn_of(v, w, x, 0) == 0 && turn_of(v, w, x, 1) == 0 && turn_of(v, w, x, 2) == 0;
        int below = order_of(v, x), above = order_of(x, w);
        int between = (below <= 0 && above <= 0) || (below >= 0 && above >= 0);
        beyond = same_point(v, w) ? !same_point(x, v) : !(on_line && between);
    }
    mpq_clears(v[0], v[1], v[2], w[0], w[1], w[2], NULL);
    return beyond;
}

/* ---- the cases ---- */

typedef enum regime {
    GRID,            /* small integers: all coincidences */
    PLANE,           /* coplanar, small integer multiples of two vectors */
    THIN,            /* at least one without area */
    SHARE,           /* shared vertices */
    UNIT,            /* in the unit cube */
    NEAR,            /* a vertex or edge of one on the other up to rounding, moved by a few ulps */
    SLIVER,          /* needles that intersect */
    NEARLY_IN_PLANE, /* distant vertices within a few ulps of one plane */
    FAR,             /* small integers far from the origin: 1e7 and 1/8 */
    SUBNORMAL,
    HUGE_ONES,
    SCALED, /* in the unit cube, each axis times a power of two of its own */
    ANY,    /* every exponent */
    REGIMES
} regime;

static const char *const regime_names[REGIMES] = {"grid",   "plane",           "thin", "share",     "unit", "near",
                                                  "sliver", "nearly in plane", "far",  "subnormal", "huge", "scaled",
                                                  "any"};

static tact_vec3 whole_point(random_source *s, int most)
{
    double x = random_between(s, -most, most), y = random_between(s, -most, most), z = random_between(s, -most, most);
    return (tact_vec3){x, y, z};
}

static tact_vec3 unit_point(random_source *s)
{
    double x = random_unit(s), y = random_unit(s), z = random_unit(s);
    return (tact_vec3){x, y, z};
}

static tact_vec3 combine(tact_vec3 o, double s, tact_vec3 u, double t, tact_vec3 v)
{
    return (tact_vec3){o.x + s * u.x + t * v.x, o.y + s * u.y + t * v.y, o.z + s * u.z + t * v.z};
}

static double nudge(random_source *s, double x)
{
    int steps = random_between(s, -2, 2);
    for (; steps > 0; --steps)
        x = nextafter(x, INFINITY);
    for (; steps < 0; ++steps)
        x = nextafter(x, -INFINITY);
    return x;
}

static tact_vec3 nudge_point(random_source *s, tact_vec3 p)
{
    double x = nudge(s, p.x), y = nudge(s, p.y), z = nudge(s, p.z);
    return (tact_vec3){x, y, z};
}

static void make_case(random_source *s, regime r, tact_vec3 t[6])
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    switch (r) {
    case GRID:
        for (int i = 0; i < 6; ++i)
            t[i] = whole_point(s, 1 + (int)random_below(s, 3));
        break;
    case PLANE: {
        tact_vec3 u = whole_point(s, 3), v = whole_point(s, 3), o = whole_point(s, 2);
        int most = random_between(s, 1, 3);
        for (int i = 0; i < 6; ++i) {
            double x = random_between(s, -most, most), y = random_between(s, -most, most);
            t[i] = combine(o, x, u, y, v);
        }
        break;
    }
    case THIN: {
        for (int i = 0; i < 6; ++i)
            t[i] = whole_point(s, 2);
        int first = random_chance(s, 0.5) ? 0 : 3;
        for (int turn = random_chance(s, 0.5) ? 2 : 1; turn > 0; --turn, first = 3 - first) {
            tact_vec3 o = random_chance(s, 0.5) ? t[5 - first] : whole_point(s, 1), u = whole_point(s, 1);
            for (int i = 0; i < 3; ++i) {
                double x = random_between(s, -2, 2);
                t[first + i] = combine(o, x, u, 0.0, zero);
            }
        }
        break;
    }
    case SHARE:
        for (int i = 0; i < 6; ++i)
            t[i] = random_chance(s, 0.1) ? unit_point(s) : whole_point(s, 2);
        for (int i = 0, shared = random_between(s, 1, 3); i < shared; ++i) {
            int from = random_between(s, 0, 2), to = random_between(s, 3, 5);
            t[to] = t[from];
        }
        break;
    case NEAR: {
        for (int i = 0; i < 6; ++i)
            t[i] = unit_point(s);
        double x = random_range(s, -0.2, 1.0), y = random_range(s, -0.2, 1.0) * (1.0 - x);
        if (random_chance(s, 0.3))
            y = 0.0;
        tact_vec3 on_b = {t[3].x + x * (t[4].x - t[3].x) + y * (t[5].x - t[3].x),
                          t[3].y + x * (t[4].y - t[3].y) + y * (t[5].y - t[3].y),
                          t[3].z + x * (t[4].z - t[3].z) + y * (t[5].z - t[3].z)};
        if (random_chance(s, 0.5)) { /* the centre of an edge of a is there */
            t[1] = (tact_vec3){2.0 * on_b.x - t[0].x, 2.0 * on_b.y - t[0].y, 2.0 * on_b.z - t[0].z};
            t[1] = nudge_point(s, t[1]);
        } else {
            t[0] = nudge_point(s, on_b);
        }
        break;
    }
    case SLIVER: {
        tact_vec3 along = unit_point(s), across = unit_point(s), middle = unit_point(s);
        double wide = ldexp(1.0, random_between(s, -50, -10));
        for (int i = 0; i < 6; ++i) {
            double x = random_range(s, -1.0, 1.0), y = random_range(s, -wide, wide);
            t[i] = combine(middle, x, i < 3 ? along : across, y, i < 3 ? across : along);
        }
        break;
    }
    case NEARLY_IN_PLANE: {
        tact_vec3 u = unit_point(s), v = unit_point(s), o = unit_point(s);
        for (int i = 0; i < 6; ++i) {
            double x = random_range(s, -1.0, 1.0), y = random_range(s, -1.0, 1.0);
            t[i] = nudge_point(s, combine(o, x, u, y, v));
        }
        break;
    }
    case FAR:
        for (int i = 0; i < 6; ++i) {
            t[i] = whole_point(s, 3);
            t[i] = (tact_vec3){1e7 + t[i].x / 8, 1e7 - t[i].y / 8, 3e7 + t[i].z / 8};
        }
        break;
    case SUBNORMAL:
        for (int i = 0; i < 6; ++i) {
            t[i] = whole_point(s, 3);
            t[i] = (tact_vec3){t[i].x * 0x1p-1074, t[i].y * 0x1p-1074, t[i].z * 0x1p-1074};
        }
        break;
    case HUGE_ONES:
        for (int i = 0; i < 6; ++i) {
            t[i] = random_chance(s, 0.5) ? whole_point(s, 3) : unit_point(s);
            t[i] = (tact_vec3){t[i].x * 0x1p1022, t[i].y * 0x1p1022, t[i].z * 0x1p1022};
            t[i] = (tact_vec3){fmax(-DBL_MAX, fmin(t[i].x, DBL_MAX)), fmax(-DBL_MAX, fmin(t[i].y, DBL_MAX)),
                               fmax(-DBL_MAX, fmin(t[i].z, DBL_MAX))};
        }
        break;
    case SCALED: {
        int scale[3] = {random_between(s, -450, 420), random_between(s, -450, 420), random_between(s, -450, 420)};
        if (random_chance(s, 0.5))
            scale[0] = scale[1] = scale[2];
        for (int i = 0; i < 6; ++i) {
            t[i] = unit_point(s);
            t[i] = (tact_vec3){ldexp(t[i].x, scale[0]), ldexp(t[i].y, scale[1]), ldexp(t[i].z, scale[2])};
        }
        break;
    }
    case ANY:
        for (int i = 0; i < 6; ++i) {
            double x = random_finite(s), y = random_finite(s), z = random_finite(s);
            t[i] = (tact_vec3){x, y, z};
        }
        break;
    default:
        for (int i = 0; i < 6; ++i)
            t[i] = unit_point(s);
        break;
    }
}

/* ---- the checks ---- */

static const tact_vec3 *shown;

static void fail_case(regime r, int i, const char *what, long got, long truth)
{
    print_error("regime %s, case %d: %s is %ld, should be %ld; tact_vec3 t[6] = {", regime_names[r], i, what, got,
                truth);
    for (int k = 0; k < 6; ++k)
        print_error("{%a, %a, %a}, ", shown[k].x, shown[k].y, shown[k].z);
    print_error("};\n");
    fail_msg("wrong answer");
}

/* The feature of a nondegenerate triangle whose vertices have the weight. */
static int part_of(unsigned corners)
{
    static const int parts[8] = {-1, 0, 1, TRIANGLE_EDGE, 2, TRIANGLE_EDGE + 2, TRIANGLE_EDGE + 1, TRIANGLE_INTERIOR};
    return parts[corners];
}

static double largest_of_edge(const tact_vec3 t[3], triangle_feature edge)
{
    double largest = 0.0;
    for (int k = 0; k < 3; ++k)
        largest = fmax(largest, fmax(fabs(coordinate_of(t[edge % 3], k)), fabs(coordinate_of(t[(edge + 1) % 3], k))));
    return largest;
}

/* The error of a position, in ulps of the largest coordinate of its edge. */
static double error_of(const tact_vec3 t[6], const triangle_intersection_vertex *corner, mpq_t at[3])
{
    double largest = 0.0;
    if (corner->feature_a >= TRIANGLE_EDGE && corner->feature_b >= TRIANGLE_EDGE) {
        if (corner->feature_a < TRIANGLE_INTERIOR)
            largest = largest_of_edge(t, corner->feature_a);
        if (corner->feature_b < TRIANGLE_INTERIOR)
            largest = fmax(largest, largest_of_edge(t + 3, corner->feature_b));
    }
    double unit = largest > 0.0 ? largest - nextafter(largest, 0.0) : 0x1p-1074, worst = 0.0;
    for (int k = 0; k < 3; ++k) {
        /* |at 2^power - x| / unit */
        mpq_set_d(fraction, coordinate_of(corner->position, k));
        mpq_set(other, at[k]);
        if (power >= 0)
            mpq_mul_2exp(other, other, (mp_bitcnt_t)power);
        else
            mpq_div_2exp(other, other, (mp_bitcnt_t)-power);
        mpq_sub(fraction, fraction, other);
        mpq_set_d(other, unit);
        mpq_div(fraction, fraction, other);
        worst = fmax(worst, fabs(mpq_get_d(fraction)));
    }
    return largest > 0.0 ? worst : worst > 0.0 ? INFINITY : 0.0;
}

/* Whether the position is in the bounding box of its edge. */
static int in_box_of_edge(const tact_vec3 t[6], const triangle_intersection_vertex *corner)
{
    int inside = corner->feature_a < TRIANGLE_EDGE || corner->feature_b < TRIANGLE_EDGE;
    for (int which = 0; which < 2 && !inside; ++which) {
        triangle_feature part = which == 0 ? corner->feature_a : corner->feature_b;
        const tact_vec3 *p = t + 3 * which;
        if (part == TRIANGLE_INTERIOR)
            continue;
        inside = 1;
        for (int k = 0; k < 3; ++k) {
            double from = coordinate_of(p[part % 3], k), to = coordinate_of(p[(part + 1) % 3], k);
            double x = coordinate_of(corner->position, k);
            inside = inside && x >= fmin(from, to) && x <= fmax(from, to);
        }
    }
    return inside;
}

typedef struct tally {
    long miss, point, segment, polygon, six, beyond, not_beyond, thin, shares[4];
    double worst; /* error of a position, in ulps */
} tally;

/* Swapped, and with the vertices of both in another order: the same positions, bit for bit, with matching features. */
static void check_mirror(regime r, int number, const tact_vec3 t[6], const triangle_intersection *cut)
{
    static const int turned[3] = {2, 1, 0}, edge_turned[3] = {4, 3, 5}; /* vertex i was vertex 2 - i */
    const tact_vec3 u[6] = {t[5], t[4], t[3], t[2], t[1], t[0]};
    int thin = no_area(0) || no_area(3);
    triangle_intersection back;
    int count = tact_triangles_intersection(u, u + 3, &back), matched = 0;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < cut->count; ++k) {
            const triangle_intersection_vertex *c = &back.vertices[i], *d = &cut->vertices[k];
            int on_b = c->feature_a < 3   ? turned[c->feature_a]
                       : c->feature_a < 6 ? edge_turned[c->feature_a - 3]
                                          : c->feature_a;
            int on_a = c->feature_b < 3   ? turned[c->feature_b]
                       : c->feature_b < 6 ? edge_turned[c->feature_b - 3]
                                          : c->feature_b;
            matched += c->position.x == d->position.x && c->position.y == d->position.y &&
                       c->position.z == d->position.z && (thin || (on_a == d->feature_a && on_b == d->feature_b));
        }
    /* two vertices may be rounded to one position, where only the features differ */
    if (count != cut->count || (thin ? matched < count : matched != count))
        fail_case(r, number, "corners that match when all is turned around", matched, cut->count);
}

static void check_cut(regime r, int number, const tact_vec3 t[6], tally *sum)
{
    triangle_intersection cut;
    int count = tact_triangles_intersection(t, t + 3, &cut);
    int thin = no_area(0) || no_area(3);
    /* the solutions as distinct points; where a triangle has no area, the two outermost */
    int distinct[MOST], points = 0;
    for (int i = 0; i < solution_count; ++i) {
        int known = 0;
        for (int k = 0; k < points; ++k)
            known = known || same_point(solutions[i].at, solutions[distinct[k]].at);
        if (!known)
            distinct[points++] = i;
    }
    if (thin && points > 2) {
        int low = distinct[0], high = distinct[0];
        for (int k = 1; k < points; ++k) {
            if (order_of(solutions[distinct[k]].at, solutions[low].at) < 0)
                low = distinct[k];
            if (order_of(solutions[distinct[k]].at, solutions[high].at) > 0)
                high = distinct[k];
        }
        distinct[0] = low;
        distinct[1] = high;
        points = 2;
    }
    if (count != points || cut.count != count)
        fail_case(r, number, "the number of corners", count, points);
    int matched[TRIANGLE_INTERSECTION_VERTICES];
    for (int i = 0; i < count; ++i) {
        matched[i] = -1;
        if (cut.vertices[i].feature_a > TRIANGLE_INTERIOR || cut.vertices[i].feature_b > TRIANGLE_INTERIOR)
            fail_case(r, number, "a part", cut.vertices[i].feature_a, TRIANGLE_INTERIOR);
        double least = INFINITY;
        for (int k = 0; k < points; ++k) {
            const solution *s = &solutions[distinct[k]];
            if (!thin &&
                (part_of(s->of_a) != cut.vertices[i].feature_a || part_of(s->of_b) != cut.vertices[i].feature_b))
                continue;
            double error = error_of(t, &cut.vertices[i], solutions[distinct[k]].at);
            if (error < least) {
                least = error;
                matched[i] = distinct[k];
            }
        }
        if (matched[i] < 0)
            fail_case(r, number, "a corner with parts a*10+b",
                      cut.vertices[i].feature_a * 10 + cut.vertices[i].feature_b, -1);
        if (!(least <= 2.0))
            fail_case(r, number, "the error of a position, in tenths", (long)fmin(10.0 * least, 1e9), 20);
        sum->worst = fmax(sum->worst, least);
        if (!in_box_of_edge(t, &cut.vertices[i]))
            fail_case(r, number, "a position is outside its edge's box: corner", i, -1);
    }
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < i; ++k)
            if (matched[i] == matched[k])
                fail_case(r, number, "corners found twice", i, k);
    if (count > 2) {
        mpq_t p[3][3];
        for (int i = 0; i < 3; ++i) {
            mpq_inits(p[i][0], p[i][1], p[i][2], NULL);
            corner_to_fraction(i, p[i]);
        }
        for (int axis = 0; axis < 3; ++axis) {
            int turn = turn_of(p[0], p[1], p[2], axis);
            for (int i = 0; i < count; ++i) {
                int got = turn_of(solutions[matched[i]].at, solutions[matched[(i + 1) % count]].at,
                                  solutions[matched[(i + 2) % count]].at, axis);
                if (got != turn)
                    fail_case(r, number, "a turn of the polygon", got, turn);
            }
        }
        for (int i = 0; i < 3; ++i)
            mpq_clears(p[i][0], p[i][1], p[i][2], NULL);
    }
    check_mirror(r, number, t, &cut);
    sum->miss += count == 0;
    sum->point += count == 1;
    sum->segment += count == 2;
    sum->polygon += count > 2;
    sum->six += count == 6;
    sum->thin += thin;
}

static void check_case(regime r, int number, const tact_vec3 t[6], tally *sum)
{
    shown = t;
    load(t);
    find_solutions();
    int truth = solution_count > 0;
    if (tact_triangles_intersect(t, t + 3) != truth)
        fail_case(r, number, "meet", !truth, truth);
    if (tact_triangles_intersect(t + 3, t) != truth)
        fail_case(r, number, "intersect, swapped,", !truth, truth);
    check_cut(r, number, t, sum);
    triangle_shared share = tact_triangle_shared_by_position(t, t + 3);
    sum->shares[share.count]++;
    for (; share.count >= 0; --share.count) { /* also with some of them left out */
        int beyond = oracle_beyond(&share);
        if (tact_triangles_intersect_beyond_shared(t, t + 3, &share) != beyond)
            fail_case(r, number, "meet beyond", !beyond, beyond);
        triangle_shared turned = share;
        memcpy(turned.a, share.b, sizeof share.b);
        memcpy(turned.b, share.a, sizeof share.a);
        if (tact_triangles_intersect_beyond_shared(t + 3, t, &turned) != beyond)
            fail_case(r, number, "intersect beyond shared, swapped,", !beyond, beyond);
        if (share.count > 0) {
            sum->beyond += beyond;
            sum->not_beyond += !beyond;
        }
    }
}

static void every_answer_is_right(void **state)
{
    (void)state;
    const int cases = (int)random_case_count(250, 200000);
    tally all = {0};
    for (int r = 0; r < REGIMES; ++r) {
        random_source source = random_seed(100 + (uint64_t)r);
        tally sum = {0};
        int some = r == ANY ? cases / 10 : r == PLANE || r == THIN || r == SHARE ? 2 * cases : cases;
        for (int i = 0; i < some; ++i) {
            tact_vec3 t[6];
            make_case(&source, (regime)r, t);
            check_case((regime)r, i, t, &sum);
        }
        print_message(
            "%-15s: %5ld apart, %5ld point, %5ld segment, %5ld polygon (%ld of six), %5ld thin, beyond %5ld/%5ld, "
            "worst %.2f ulp\n",
            regime_names[r], sum.miss, sum.point, sum.segment, sum.polygon, sum.six, sum.thin, sum.beyond,
            sum.not_beyond, sum.worst);
        all.miss += sum.miss, all.point += sum.point, all.segment += sum.segment, all.polygon += sum.polygon;
        all.six += sum.six, all.thin += sum.thin, all.beyond += sum.beyond, all.not_beyond += sum.not_beyond;
        for (int i = 0; i < 4; ++i)
            all.shares[i] += sum.shares[i];
    }
    assert_true(all.miss > cases && all.point > cases && all.segment > cases && all.polygon > cases / 4);
    assert_true((few_cases() || all.six > 0) && all.thin > cases && all.beyond > cases / 2 && all.not_beyond > cases);
    assert_true(all.shares[1] > cases / 2 && all.shares[2] > cases / 4 && all.shares[3] > cases / 50);
}

/* All pairs of triangles with vertices among eight points of a small prism and its centre: 120 x 120. */
static void every_pair_on_a_few_points_is_right(void **state)
{
    (void)state;
    static const tact_vec3 points[] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 2}, {1, 1, 1}};
    enum { POINTS = sizeof points / sizeof points[0] };
    tally sum = {0};
    int number = 0;
    for (int a = 0; a < POINTS * POINTS * POINTS; a += 1)
        for (int b = 0; b < POINTS * POINTS * POINTS; b += 1) {
            int i = a / POINTS / POINTS, j = a / POINTS % POINTS, k = a % POINTS;
            int l = b / POINTS / POINTS, m = b / POINTS % POINTS, n = b % POINTS;
            if (i > j || j > k || l > m || m > n || a > b)
                continue; /* every triangle once, and every pair */
            const tact_vec3 t[6] = {points[i], points[j], points[k], points[l], points[m], points[n]};
            check_case(GRID, number++, t, &sum);
        }
    assert_true(number == 84 * 85 / 2 && sum.polygon > 50 && sum.thin > 1000);
}

static void shared_vertices_are_found(void **state)
{
    (void)state;
    /* a has a vertex twice: it is paired once with b, twice with itself */
    const tact_vec3 a[3] = {{5.0, 0.0, 1.0}, {5.0, 0.0, 1.0}, {7.0, 0.0, 1.0}};
    const tact_vec3 b[3] = {{7.0, 0.0, 1.0}, {5.0, 0.0, 1.0}, {9.0, 0.0, 1.0}};
    const tact_vec3 c[3] = {{5.0, 0.0, 2.0}, {5.0, 1.0, 1.0}, {6.0, 0.0, 1.0}};
    triangle_shared share = tact_triangle_shared_by_position(a, b);
    assert_true(share.count == 2 && share.a[0] == 0 && share.b[0] == 1 && share.a[1] == 2 && share.b[1] == 0);
    assert_int_equal(tact_triangle_shared_by_position(a, c).count, 0);
    assert_int_equal(tact_triangle_shared_by_position(a, a).count, 3);
    const tact_vec3 p[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    const tact_vec3 q[3] = {{2.0, 0.0, 0.0}, {-0.0, 0.0, -0.0}, {1.0, 0.0, 0.0}};
    share = tact_triangle_shared_by_position(p, q);
    assert_true(share.count == 2 && share.b[0] == 1 && share.b[1] == 2);
}

/* Bit for bit. */
static int same_cut(const triangle_intersection *p, const triangle_intersection *q)
{
    int same = p->count == q->count;
    for (int i = 0; i < p->count && same; ++i) {
        const triangle_intersection_vertex *c = &p->vertices[i], *d = &q->vertices[i];
        same = c->feature_a == d->feature_a && c->feature_b == d->feature_b &&
               memcmp(&c->position, &d->position, sizeof c->position) == 0;
    }
    return same;
}

static void the_environment_does_not_matter(void **state)
{
    (void)state;
    long meet = 0;
    for (int r = 0; r < REGIMES; ++r) {
        random_source source = random_seed(500 + (uint64_t)r);
        for (int i = 0; i < 200; ++i) {
            tact_vec3 t[6];
            make_case(&source, (regime)r, t);
            triangle_intersection cut[ENVIRONMENTS];
            int answer[ENVIRONMENTS];
            for (int m = 0; m < ENVIRONMENTS; ++m) {
                set_environment(m);
                triangle_shared share = tact_triangle_shared_by_position(t, t + 3);
                answer[m] =
                    tact_triangles_intersect(t, t + 3) + 2 * tact_triangles_intersect_beyond_shared(t, t + 3, &share);
                (void)tact_triangles_intersection(t, t + 3, &cut[m]);
                int left = environment_is(m);
                set_environment(0);
                assert_true(left);
            }
            for (int m = 1; m < ENVIRONMENTS; ++m)
                if (answer[m] != answer[0] || !same_cut(&cut[m], &cut[0])) {
                    shown = t;
                    fail_case((regime)r, i, "the answer in another environment", answer[m], answer[0]);
                }
            meet += answer[0] & 1;
        }
    }
    assert_true(meet > 500);
}

static void vertices_that_are_not_finite_do_not_intersect(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    random_source source = random_seed(9);
    for (int i = 0; i < 3000; ++i) {
        tact_vec3 t[6];
        make_case(&source, i % 2 == 0 ? GRID : UNIT, t);
        tact_vec3 *p = &t[random_below(&source, 6)];
        double value = bad[random_below(&source, 3)];
        *(i % 3 == 0 ? &p->x : i % 3 == 1 ? &p->y : &p->z) = value;
        triangle_shared share = tact_triangle_shared_by_position(t, t + 3);
        triangle_intersection cut;
        assert_false(tact_triangles_intersect(t, t + 3));
        assert_int_equal(tact_triangles_intersection(t, t + 3, &cut), 0);
        assert_false(tact_triangles_intersect_beyond_shared(t, t + 3, &share));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_is_right),
        cmocka_unit_test(every_pair_on_a_few_points_is_right),
        cmocka_unit_test(shared_vertices_are_found),
        cmocka_unit_test(the_environment_does_not_matter),
        cmocka_unit_test(vertices_that_are_not_finite_do_not_intersect),
    };
    return cmocka_run_group_tests_name("triangle", tests, open_oracle, close_oracle);
}
