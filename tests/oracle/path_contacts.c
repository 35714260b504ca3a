/*
 * A decomposition of the time axis by sample points. Each coordinate is a line over s = t - enter. Whether the closed
 * features touch depends on the signs of these polynomials in s:
 *
 *     volume          n.(p-a), or n.(a-c) of two edges; degree 3
 *     areas           (b-a) x (p-a) of every vertex p and edge ab that may touch, each of the three components
 *     spans           (p-a).(p-b) of the same
 *     normal n        (b-a) x (c-a), or (b-a) x (d-c) of two edges
 *
 *     n != 0:  the volume is 0. Let n have a component k that is not 0, and project along k. The vertex is in the face
 *              if no area has the sign opposite to n. Two edges cross if the ends of each are not strictly on one side
 *              of the line of the other.
 *     n == 0:  the face is the union of its edges, and two edges touch if an end of one is in the other: a vertex with
 *              area 0 and a span that is not positive.
 *
 * If the volume is not identically zero, only its roots can be contacts. Otherwise the roots of all other polynomials
 * cut the window into open intervals in which no sign changes. The test is evaluated at every root and at a rational
 * number in every open interval, and the maximal intervals are read off.
 *
 * Each axis is multiplied by a number that makes its lines whole: contact does not change under an affine map, nor does
 * the sign of the span of collinear points.
 */
#include "oracle/path_contacts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/algebraic.h"

typedef polynomial vector[3];

enum { VERTEX_EDGE_PAIRS = 4, ROOTS = PATH_CONTACTS_MAX };

typedef struct conditions {
    tact_ccd_kind kind;
    int pairs; /* vertices and edges: 3 or 4 */
    polynomial volume;
    vector normal;
    vector area[VERTEX_EDGE_PAIRS];
    polynomial span[VERTEX_EDGE_PAIRS];
} conditions;

static void vector_init(polynomial *v)
{
    for (int c = 0; c < 3; c++)
        polynomial_init(&v[c]);
}

static void vector_clear(polynomial *v)
{
    for (int c = 0; c < 3; c++)
        polynomial_clear(&v[c]);
}

static void conditions_init(conditions *all)
{
    polynomial_init(&all->volume);
    vector_init(all->normal);
    for (int i = 0; i < VERTEX_EDGE_PAIRS; i++) {
        vector_init(all->area[i]);
        polynomial_init(&all->span[i]);
    }
}

static void conditions_clear(conditions *all)
{
    polynomial_clear(&all->volume);
    vector_clear(all->normal);
    for (int i = 0; i < VERTEX_EDGE_PAIRS; i++) {
        vector_clear(all->area[i]);
        polynomial_clear(&all->span[i]);
    }
}

/* v = (b-a) x (d-c) */
static void cross(polynomial *v, const polynomial *a, const polynomial *b, const polynomial *c, const polynomial *d)
{
    vector u, w;
    polynomial product;
    vector_init(u);
    vector_init(w);
    polynomial_init(&product);
    for (int i = 0; i < 3; i++) {
        polynomial_subtract(&u[i], &b[i], &a[i]);
        polynomial_subtract(&w[i], &d[i], &c[i]);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        polynomial_multiply(&v[i], &u[j], &w[k]);
        polynomial_multiply(&product, &u[k], &w[j]);
        polynomial_subtract(&v[i], &v[i], &product);
    }
    polynomial_clear(&product);
    vector_clear(w);
    vector_clear(u);
}

/* sum = n . (b-a) */
static void dot(polynomial *sum, const polynomial *n, const polynomial *a, const polynomial *b)
{
    polynomial difference, product;
    polynomial_init(&difference);
    polynomial_init(&product);
    sum->degree = -1;
    for (int i = 0; i < 3; i++) {
        polynomial_subtract(&difference, &b[i], &a[i]);
        polynomial_multiply(&product, &n[i], &difference);
        polynomial_add(sum, sum, &product);
    }
    polynomial_clear(&product);
    polynomial_clear(&difference);
}

static void add_pair(conditions *all, const polynomial *p, const polynomial *a, const polynomial *b)
{
    const int i = all->pairs++;
    vector from_a;
    vector_init(from_a);
    for (int c = 0; c < 3; c++)
        polynomial_subtract(&from_a[c], &p[c], &a[c]);
    cross(all->area[i], a, b, a, p);
    dot(&all->span[i], from_a, b, p);
    vector_clear(from_a);
}

static void set_plane(conditions *all, tact_ccd_kind kind, vector at[4])
{
    all->kind = kind;
    all->pairs = 0;
    if (kind == TACT_VERTEX_FACE) {
        cross(all->normal, at[1], at[2], at[1], at[3]);
        dot(&all->volume, all->normal, at[1], at[0]);
    } else {
        cross(all->normal, at[0], at[1], at[2], at[3]);
        dot(&all->volume, all->normal, at[2], at[0]);
    }
}

static void set_areas(conditions *all, vector at[4])
{
    if (all->kind == TACT_VERTEX_FACE)
        for (int i = 0; i < 3; i++)
            add_pair(all, at[0], at[1 + i], at[1 + (i + 1) % 3]);
    else
        for (int i = 0; i < 4; i++)
            add_pair(all, at[(i + 2) % 4], at[i / 2 * 2], at[i / 2 * 2 + 1]);
}

static bool touch_projected(const conditions *all, algebraic *s, int axis, int normal_sign)
{
    int sign[VERTEX_EDGE_PAIRS];
    for (int i = 0; i < all->pairs; i++)
        sign[i] = algebraic_sign(s, &all->area[i][axis]);
    if (all->kind == TACT_VERTEX_FACE)
        return sign[0] != -normal_sign && sign[1] != -normal_sign && sign[2] != -normal_sign;
    return sign[0] * sign[1] <= 0 && sign[2] * sign[3] <= 0;
}

static bool touch(const conditions *all, algebraic *s)
{
    if (algebraic_sign(s, &all->volume) != 0)
        return false;
    for (int c = 0; c < 3; c++) {
        const int sign = algebraic_sign(s, &all->normal[c]);
        if (sign != 0)
            return touch_projected(all, s, c, sign);
    }
    for (int i = 0; i < all->pairs; i++)
        if (algebraic_sign(s, &all->area[i][0]) == 0 && algebraic_sign(s, &all->area[i][1]) == 0 &&
            algebraic_sign(s, &all->area[i][2]) == 0 && algebraic_sign(s, &all->span[i]) <= 0)
            return true;
    return false;
}

/* Distinct points of the window in increasing order. */
typedef struct point_list {
    int count;
    algebraic at[ROOTS];
} point_list;

static void point_insert(point_list *points, algebraic *s)
{
    int place = points->count;
    while (place > 0) {
        const int order = algebraic_compare(s, &points->at[place - 1]);
        if (order == 0)
            return;
        if (order > 0)
            break;
        place--;
    }
    if (points->count == ROOTS)
        abort();
    algebraic_init(&points->at[points->count]);
    const algebraic fresh = points->at[points->count];
    memmove(&points->at[place + 1], &points->at[place], (size_t)(points->count - place) * sizeof(algebraic));
    points->at[place] = fresh;
    algebraic_copy(&points->at[place], s);
    points->count++;
}

static void point_insert_rational(point_list *points, const mpq_t s)
{
    algebraic point;
    algebraic_init(&point);
    algebraic_rational(&point, s);
    point_insert(points, &point);
    algebraic_clear(&point);
}

static void point_insert_roots(point_list *points, const polynomial *p, const mpq_t length)
{
    if (p->degree <= 0)
        return;
    algebraic roots[POLYNOMIAL_TERMS];
    mpq_t zero;
    mpq_init(zero);
    for (int i = 0; i < p->degree; i++)
        algebraic_init(&roots[i]);
    const int count = polynomial_roots(p, zero, length, roots);
    for (int i = 0; i < count; i++)
        point_insert(points, &roots[i]);
    for (int i = 0; i < p->degree; i++)
        algebraic_clear(&roots[i]);
    mpq_clear(zero);
}

/* Is there contact between two neighbours of the list, where no sign changes? */
static bool touch_between(const conditions *all, algebraic *a, algebraic *b)
{
    algebraic middle;
    mpq_t s;
    algebraic_init(&middle);
    mpq_init(s);
    while (mpq_cmp(a->high, b->low) >= 0) {
        algebraic_narrow(a);
        algebraic_narrow(b);
    }
    mpq_add(s, a->high, b->low);
    mpq_div_2exp(s, s, 1);
    algebraic_rational(&middle, s);
    const bool answer = touch(all, &middle);
    mpq_clear(s);
    algebraic_clear(&middle);
    return answer;
}

/* The doubles in their order are numbered by integers. */
static int64_t number_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double double_of(int64_t number)
{
    const int64_t bits = number < 0 ? INT64_MIN - number : number;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The sign of (enter + s) - t. */
static int compare_time(algebraic *s, double enter, double t)
{
    mpq_t value, start;
    mpq_init(value);
    mpq_init(start);
    mpq_set_d(value, t);
    mpq_set_d(start, enter);
    mpq_sub(value, value, start);
    const int sign = algebraic_compare_rational(s, value);
    mpq_clear(start);
    mpq_clear(value);
    return sign;
}

/* The last double that is not after enter + s, and the first that is not before, by bisection of the doubles between
 * enter and exit. */
static void round_time(algebraic *s, double enter, double exit, double *lower, double *upper)
{
    int64_t low = number_of(enter), high = number_of(exit);
    if (compare_time(s, enter, exit) == 0)
        low = high;
    for (;;) {
        /* low <= time < high, or all three are equal; the middle, rounded down, without overflow */
        const int64_t middle = (low & high) + ((low ^ high) >> 1);
        if (middle == low)
            break;
        if (compare_time(s, enter, double_of(middle)) >= 0)
            low = middle;
        else
            high = middle;
    }
    *lower = double_of(low);
    *upper = compare_time(s, enter, *lower) == 0 ? *lower : double_of(high);
}

/* The contacts of four points whose coordinates are at[k][c] at s, 0 <= s <= length. Times are enter + s. */
static void find(path_contacts *found, tact_ccd_kind kind, vector at[4], const mpq_t length, double enter, double exit)
{
    conditions all;
    point_list points = {0};
    mpq_t zero;
    mpq_init(zero);
    conditions_init(&all);
    set_plane(&all, kind, at);
    memset(found, 0, sizeof *found);
    found->always_coplanar = all.volume.degree < 0;
    point_insert_rational(&points, zero);
    point_insert_rational(&points, length);
    if (!found->always_coplanar)
        point_insert_roots(&points, &all.volume, length);
    bool coplanar = false; /* at any point */
    for (int i = 0; i < points.count && !coplanar; i++)
        coplanar = algebraic_sign(&points.at[i], &all.volume) == 0;
    if (coplanar)
        set_areas(&all, at);
    if (found->always_coplanar)
        for (int c = 0; c < 3; c++) {
            point_insert_roots(&points, &all.normal[c], length);
            for (int i = 0; i < all.pairs; i++)
                point_insert_roots(&points, &all.area[i][c], length);
        }
    for (int i = 0; i < all.pairs && found->always_coplanar; i++)
        point_insert_roots(&points, &all.span[i], length);

    bool inside = false; /* is there contact just before the point? */
    int begin = 0;
    for (int i = 0; i < points.count; i++) {
        const bool here = touch(&all, &points.at[i]);
        const bool after =
            i + 1 < points.count && found->always_coplanar && touch_between(&all, &points.at[i], &points.at[i + 1]);
        if (!here && (inside || after))
            abort(); /* the set of contacts is closed */
        if (here && !inside)
            begin = i;
        if (here && i == 0)
            found->at_enter = true;
        if (here && i + 1 == points.count)
            found->at_exit = true;
        if (here && !after) {
            path_interval *interval = &found->interval[found->count++];
            interval->instant = begin == i;
            round_time(&points.at[begin], enter, exit, &interval->lower, &interval->upper);
            round_time(&points.at[i], enter, exit, &interval->end_lower, &interval->end_upper);
        }
        inside = after;
    }
    for (int i = 0; i < points.count; i++)
        algebraic_clear(&points.at[i]);
    conditions_clear(&all);
    mpq_clear(zero);
}

static double coordinate(tact_vec3 p, int c) { return c == 0 ? p.x : c == 1 ? p.y : p.z; }

/* The velocity of a path along an axis. */
static void path_slope(mpq_t slope, const linear_path *path, int c)
{
    mpq_set_d(slope, coordinate(path->x1, c));
    if (path->has_velocity)
        return;
    mpq_t from, to;
    mpq_init(from);
    mpq_init(to);
    mpq_set_d(from, coordinate(path->x0, c));
    mpq_sub(slope, slope, from);
    mpq_set_d(from, path->t0);
    mpq_set_d(to, path->t1);
    mpq_sub(to, to, from);
    mpq_div(slope, slope, to);
    mpq_clear(to);
    mpq_clear(from);
}

void path_position(mpq_t position[3], const linear_path *path, const mpq_t time)
{
    mpq_t elapsed, start;
    mpq_init(elapsed);
    mpq_init(start);
    mpq_set_d(start, path->t0);
    mpq_sub(elapsed, time, start);
    for (int c = 0; c < 3; c++) {
        path_slope(position[c], path, c);
        mpq_mul(position[c], position[c], elapsed);
        mpq_set_d(start, coordinate(path->x0, c));
        mpq_add(position[c], position[c], start);
    }
    mpq_clear(start);
    mpq_clear(elapsed);
}

/* Lines start + slope s with rational coefficients. */
typedef struct lines {
    mpq_t start[4][3], slope[4][3];
} lines;

static void lines_init(lines *l)
{
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            mpq_init(l->start[k][c]);
            mpq_init(l->slope[k][c]);
        }
}

static void lines_clear(lines *l)
{
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            mpq_clear(l->start[k][c]);
            mpq_clear(l->slope[k][c]);
        }
}

/* whole = value factor, which is whole */
static void times_factor(mpz_t whole, const mpq_t value, const mpz_t factor)
{
    mpz_divexact(whole, factor, mpq_denref(value));
    mpz_mul(whole, whole, mpq_numref(value));
}

/* Multiplies each axis by the least common denominator of its coefficients, and divides by their common factor. */
static void lines_to_polynomials(vector at[4], lines *l)
{
    mpz_t factor, divisor, start, slope;
    mpz_inits(factor, divisor, start, slope, NULL);
    for (int c = 0; c < 3; c++) {
        mpz_set_ui(factor, 1);
        mpz_set_ui(divisor, 0);
        for (int k = 0; k < 4; k++) {
            mpz_lcm(factor, factor, mpq_denref(l->start[k][c]));
            mpz_lcm(factor, factor, mpq_denref(l->slope[k][c]));
        }
        for (int k = 0; k < 4; k++) {
            times_factor(start, l->start[k][c], factor);
            times_factor(slope, l->slope[k][c], factor);
            mpz_gcd(divisor, divisor, start);
            mpz_gcd(divisor, divisor, slope);
        }
        for (int k = 0; k < 4 && mpz_sgn(divisor) != 0; k++) {
            times_factor(start, l->start[k][c], factor);
            times_factor(slope, l->slope[k][c], factor);
            mpz_divexact(start, start, divisor);
            mpz_divexact(slope, slope, divisor);
            polynomial_line(&at[k][c], start, slope);
        }
    }
    mpz_clears(factor, divisor, start, slope, NULL);
}

static void find_lines(path_contacts *found, tact_ccd_kind kind, lines *l, const mpq_t length, double enter,
                       double exit)
{
    vector at[4];
    for (int k = 0; k < 4; k++)
        vector_init(at[k]);
    lines_to_polynomials(at, l);
    find(found, kind, at, length, enter, exit);
    for (int k = 0; k < 4; k++)
        vector_clear(at[k]);
}

void path_contacts_find(path_contacts *found, tact_ccd_kind kind, const linear_path path[4], double enter, double exit)
{
    lines l;
    mpq_t start, length;
    lines_init(&l);
    mpq_init(start);
    mpq_init(length);
    mpq_set_d(start, enter);
    mpq_set_d(length, exit);
    mpq_sub(length, length, start);
    for (int k = 0; k < 4; k++) {
        path_position(l.start[k], &path[k], start);
        for (int c = 0; c < 3; c++)
            path_slope(l.slope[k][c], &path[k], c);
    }
    find_lines(found, kind, &l, length, enter, exit);
    mpq_clear(length);
    mpq_clear(start);
    lines_clear(&l);
}

void path_contacts_jump(path_contacts *found, tact_ccd_kind kind, const linear_path from[4], const linear_path to[4],
                        double time)
{
    lines l;
    mpq_t at, length;
    lines_init(&l);
    mpq_init(at);
    mpq_init(length);
    mpq_set_d(at, time);
    mpq_set_ui(length, 1, 1);
    for (int k = 0; k < 4; k++) {
        path_position(l.start[k], &from[k], at);
        path_position(l.slope[k], &to[k], at);
        for (int c = 0; c < 3; c++)
            mpq_sub(l.slope[k][c], l.slope[k][c], l.start[k][c]);
    }
    find_lines(found, kind, &l, length, 0.0, 1.0);
    for (int i = 0; i < found->count; i++) {
        path_interval *interval = &found->interval[i];
        interval->lower = interval->upper = interval->end_lower = interval->end_upper = time;
    }
    mpq_clear(length);
    mpq_clear(at);
    lines_clear(&l);
}

void path_print(FILE *file, const linear_path *path, int count)
{
    for (int k = 0; k < count; k++)
        (void)fprintf(file, "%s{%a, %a, {%a, %a, %a}, {%a, %a, %a}, %s}", k > 0 ? ", " : "", path[k].t0, path[k].t1,
                      path[k].x0.x, path[k].x0.y, path[k].x0.z, path[k].x1.x, path[k].x1.y, path[k].x1.z,
                      path[k].has_velocity ? "true" : "false");
}
