/*
 * Brute force. Whether a vertex is in a face, or two edges have a point in common, is a matter of the signs of some
 * twenty polynomials in the coordinates, hence in t, of degree 4 at most:
 *
 *     vertex p, face abc, n = (b-a) x (c-a)
 *         n != 0:  n.(p-a) = 0,  n.((b-a)x(p-a)) >= 0 and likewise for bc and ca
 *         n == 0:  the face is the union of its edges; p is in the edge ab if (b-a)x(p-a) = 0 and (p-a).(p-b) <= 0
 *     edges ab and cd, n = (b-a) x (d-c)
 *         n != 0:  n.(c-a) = 0,  0 <= ((c-a)x(d-c)).n <= n.n  (the place on ab, times n.n), 0 <= ((c-a)x(b-a)).n <= n.n
 *         n == 0:  a or b is in cd, or c or d in ab
 *
 * The times of contact are a closed set, so the first one is the beginning of the window, or one of the polynomials
 * that are not identically zero has a root there. If n.(p-a) or n.(c-a) is not identically zero, its roots are the only
 * candidates: it is zero wherever there is contact. Each candidate is an algebraic number, and the signs there are
 * decided for certain.
 *
 * Each axis is scaled by a power of two that makes its coordinates whole: contact, parallel edges and flat faces remain
 * what they are under any affine map. A point that is collinear with a and b is between them if (p-a).(p-b) <= 0 in any
 * scale.
 */
#include "oracle/ccd.h"

#include <math.h>

enum { EDGES = 4, SIDES = 4 }; /* the most of both kinds */

/* Being in an edge: all of `cross` zero, `between` not positive. */
typedef struct in_edge {
    polynomial cross[3];
    polynomial between;
} in_edge;

typedef struct conditions {
    int side_count, edge_count; /* 0: nothing below has been asked for yet */
    polynomial normal[3], volume;
    polynomial side[SIDES]; /* none negative */
    in_edge edge[EDGES];
} conditions;

typedef polynomial vector[3];

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

static void subtract(polynomial *v, const polynomial *a, const polynomial *b)
{
    for (int c = 0; c < 3; c++)
        polynomial_subtract(&v[c], &a[c], &b[c]);
}

static void cross(polynomial *v, const polynomial *a, const polynomial *b)
{
    polynomial other;
    polynomial_init(&other);
    for (int c = 0; c < 3; c++) {
        int i = (c + 1) % 3, j = (c + 2) % 3;
        polynomial_multiply(&v[c], &a[i], &b[j]);
        polynomial_multiply(&other, &a[j], &b[i]);
        polynomial_subtract(&v[c], &v[c], &other);
    }
    polynomial_clear(&other);
}

static void dot(polynomial *p, const polynomial *a, const polynomial *b)
{
    polynomial product, sum;
    polynomial_init(&product);
    polynomial_init(&sum);
    for (int c = 0; c < 3; c++) {
        polynomial_multiply(&product, &a[c], &b[c]);
        polynomial_add(&sum, &sum, &product);
    }
    polynomial_copy(p, &sum);
    polynomial_clear(&sum);
    polynomial_clear(&product);
}

/* n . ((b-a) x (p-q)) */
static void triple(polynomial *v, const polynomial *n, const polynomial *b, const polynomial *a, const polynomial *p,
                   const polynomial *q)
{
    vector ab, qp, across;
    vector_init(ab);
    vector_init(qp);
    vector_init(across);
    subtract(ab, b, a);
    subtract(qp, p, q);
    cross(across, ab, qp);
    dot(v, n, across);
    vector_clear(across);
    vector_clear(qp);
    vector_clear(ab);
}

static void edge_conditions(in_edge *in, const polynomial *p, const polynomial *a, const polynomial *b)
{
    vector ab, ap, bp;
    vector_init(ab);
    vector_init(ap);
    vector_init(bp);
    subtract(ab, b, a);
    subtract(ap, p, a);
    subtract(bp, p, b);
    cross(in->cross, ab, ap);
    dot(&in->between, ap, bp);
    vector_clear(bp);
    vector_clear(ap);
    vector_clear(ab);
}

static void conditions_init(conditions *all)
{
    all->side_count = all->edge_count = 0;
    vector_init(all->normal);
    polynomial_init(&all->volume);
    for (int i = 0; i < SIDES; i++)
        polynomial_init(&all->side[i]);
    for (int i = 0; i < EDGES; i++) {
        vector_init(all->edge[i].cross);
        polynomial_init(&all->edge[i].between);
    }
}

static void conditions_clear(conditions *all)
{
    vector_clear(all->normal);
    polynomial_clear(&all->volume);
    for (int i = 0; i < SIDES; i++)
        polynomial_clear(&all->side[i]);
    for (int i = 0; i < EDGES; i++) {
        vector_clear(all->edge[i].cross);
        polynomial_clear(&all->edge[i].between);
    }
}

/* The normal and the volume alone. */
static void plane_conditions(conditions *all, tact_ccd_kind kind, const ccd_motion *m)
{
    vector u, v;
    vector_init(u);
    vector_init(v);
    if (kind == TACT_VERTEX_FACE) {
        subtract(u, m->at[2], m->at[1]);
        subtract(v, m->at[3], m->at[1]);
    } else {
        subtract(u, m->at[1], m->at[0]);
        subtract(v, m->at[3], m->at[2]);
    }
    cross(all->normal, u, v);
    /* from B to A: p - a of the face, a - c of the edges */
    subtract(u, m->at[0], m->at[kind == TACT_VERTEX_FACE ? 1 : 2]);
    dot(&all->volume, all->normal, u);
    vector_clear(v);
    vector_clear(u);
}

static void inside_conditions(conditions *all, tact_ccd_kind kind, const ccd_motion *m)
{
    const polynomial *n = all->normal;
    if (kind == TACT_VERTEX_FACE) {
        all->side_count = all->edge_count = 3;
        for (int i = 0; i < 3; i++) {
            const polynomial *p = m->at[0], *a = m->at[1 + i], *b = m->at[1 + (i + 1) % 3];
            triple(&all->side[i], n, b, a, p, a);
            edge_conditions(&all->edge[i], p, a, b);
        }
        return;
    }
    const polynomial *a = m->at[0], *b = m->at[1], *c = m->at[2], *d = m->at[3];
    polynomial square;
    polynomial_init(&square);
    dot(&square, n, n);
    triple(&all->side[0], n, c, a, d, c);
    triple(&all->side[1], n, c, a, b, a);
    polynomial_subtract(&all->side[2], &square, &all->side[0]);
    polynomial_subtract(&all->side[3], &square, &all->side[1]);
    polynomial_clear(&square);
    edge_conditions(&all->edge[0], a, c, d);
    edge_conditions(&all->edge[1], b, c, d);
    edge_conditions(&all->edge[2], c, a, b);
    edge_conditions(&all->edge[3], d, a, b);
    all->side_count = all->edge_count = 4;
}

static bool vanishes(algebraic *t, const polynomial *v)
{
    return algebraic_sign(t, &v[0]) == 0 && algebraic_sign(t, &v[1]) == 0 && algebraic_sign(t, &v[2]) == 0;
}

/* Do they touch at this time? */
static bool touch(const conditions *all, algebraic *t)
{
    if (algebraic_sign(t, &all->volume) != 0)
        return false;
    if (!vanishes(t, all->normal)) {
        for (int i = 0; i < all->side_count; i++)
            if (algebraic_sign(t, &all->side[i]) < 0)
                return false;
        return true;
    }
    for (int i = 0; i < all->edge_count; i++)
        if (vanishes(t, all->edge[i].cross) && algebraic_sign(t, &all->edge[i].between) <= 0)
            return true;
    return false;
}

static double coordinate(const tact_vec3 *p, int c) { return c == 0 ? p->x : c == 1 ? p->y : p->z; }

/* x = whole 2^power, power >= the given one */
static void whole_number(mpz_t whole, double x, long power)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    mpz_set_d(whole, ldexp(fraction, 53));
    if (x != 0.0) {
        long shift = (long)exponent - 53 - power;
        if (shift >= 0)
            mpz_mul_2exp(whole, whole, (mp_bitcnt_t)shift);
        else
            mpz_tdiv_q_2exp(whole, whole, (mp_bitcnt_t)-shift);
    }
}

/* The largest power of two that x is a multiple of. */
static long last_bit(double x)
{
    int exponent;
    mpz_t whole;
    mpz_init(whole);
    mpz_set_d(whole, ldexp(frexp(x, &exponent), 53));
    long power = (long)exponent - 53 + (long)mpz_scan1(whole, 0);
    mpz_clear(whole);
    return power;
}

static void motion_set(ccd_motion *m, const tact_vec3 start[4], const tact_vec3 end[4], bool velocities)
{
    mpz_t from, to;
    mpz_init(from);
    mpz_init(to);
    for (int c = 0; c < 3; c++) {
        long power = 0;
        bool any = false;
        for (int k = 0; k < 8; k++) {
            double x = coordinate(k < 4 ? &start[k] : &end[k - 4], c);
            if (x != 0.0 && (!any || last_bit(x) < power)) {
                power = last_bit(x);
                any = true;
            }
        }
        m->power[c] = power;
        for (int k = 0; k < 4; k++) {
            whole_number(from, coordinate(&start[k], c), power);
            whole_number(to, coordinate(&end[k], c), power);
            if (!velocities)
                mpz_sub(to, to, from);
            polynomial_line(&m->at[k][c], from, to);
        }
    }
    mpz_clear(to);
    mpz_clear(from);
}

void ccd_truth_init(ccd_truth *truth)
{
    algebraic_init(&truth->time);
    for (int k = 0; k < 4; k++)
        vector_init(truth->motion.at[k]);
    vector_init(truth->normal);
    polynomial_init(&truth->volume);
}

void ccd_truth_clear(ccd_truth *truth)
{
    polynomial_clear(&truth->volume);
    vector_clear(truth->normal);
    for (int k = 0; k < 4; k++)
        vector_clear(truth->motion.at[k]);
    algebraic_clear(&truth->time);
}

/* One more time at which they may touch for the first time. */
static void consider(ccd_truth *truth, tact_ccd_kind kind, conditions *all, algebraic *t)
{
    if (all->side_count == 0)
        inside_conditions(all, kind, &truth->motion);
    if ((!truth->hit || algebraic_compare(t, &truth->time) < 0) && touch(all, t)) {
        truth->hit = true;
        algebraic_copy(&truth->time, t);
    }
}

static void consider_roots(ccd_truth *truth, tact_ccd_kind kind, conditions *all, const polynomial *p,
                           const mpq_t enter, const mpq_t exit)
{
    if (p->degree <= 0)
        return;
    algebraic roots[POLYNOMIAL_TERMS];
    for (int i = 0; i < p->degree; i++)
        algebraic_init(&roots[i]);
    int count = polynomial_roots(p, enter, exit, roots);
    for (int i = 0; i < count; i++)
        consider(truth, kind, all, &roots[i]);
    for (int i = 0; i < p->degree; i++)
        algebraic_clear(&roots[i]);
}

void ccd_truth_find(ccd_truth *truth, tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                    bool velocities, double enter, double exit)
{
    conditions all;
    conditions_init(&all);
    mpq_t low, high;
    mpq_init(low);
    mpq_init(high);
    mpq_set_d(low, enter);
    mpq_set_d(high, exit);
    motion_set(&truth->motion, start, end, velocities);
    plane_conditions(&all, kind, &truth->motion);
    truth->hit = false;
    truth->always_coplanar = all.volume.degree < 0;
    if (!truth->always_coplanar)
        consider_roots(truth, kind, &all, &all.volume, low, high);
    else {
        algebraic first;
        algebraic_init(&first);
        algebraic_rational(&first, low);
        consider(truth, kind, &all, &first);
        algebraic_clear(&first);
        for (int i = 0; i < 3; i++)
            consider_roots(truth, kind, &all, &all.normal[i], low, high);
        for (int i = 0; i < all.side_count; i++)
            consider_roots(truth, kind, &all, &all.side[i], low, high);
        for (int i = 0; i < all.edge_count; i++) {
            consider_roots(truth, kind, &all, &all.edge[i].between, low, high);
            for (int c = 0; c < 3; c++)
                consider_roots(truth, kind, &all, &all.edge[i].cross[c], low, high);
        }
    }
    truth->degenerate = truth->hit && vanishes(&truth->time, all.normal);
    for (int i = 0; i < 3; i++)
        polynomial_copy(&truth->normal[i], &all.normal[i]);
    polynomial_copy(&truth->volume, &all.volume);
    mpq_clear(high);
    mpq_clear(low);
    conditions_clear(&all);
}

int ccd_truth_compare(ccd_truth *truth, double t)
{
    mpq_t value;
    mpq_init(value);
    mpq_set_d(value, t);
    int answer = algebraic_compare_rational(&truth->time, value);
    mpq_clear(value);
    return answer;
}

bool ccd_truth_touch(tact_ccd_kind kind, const ccd_motion *motion, const mpq_t t)
{
    conditions all;
    conditions_init(&all);
    plane_conditions(&all, kind, motion);
    inside_conditions(&all, kind, motion);
    algebraic at;
    algebraic_init(&at);
    algebraic_rational(&at, t);
    bool answer = touch(&all, &at);
    algebraic_clear(&at);
    conditions_clear(&all);
    return answer;
}

int ccd_truth_approach(ccd_truth *truth)
{
    polynomial slope;
    polynomial_init(&slope);
    polynomial_derive(&slope, &truth->volume);
    int sign = algebraic_sign(&truth->time, &slope);
    polynomial_clear(&slope);
    return sign;
}

int ccd_truth_approach_between(const ccd_truth *truth, double from, double to)
{
    algebraic roots[POLYNOMIAL_TERMS];
    polynomial slope;
    mpq_t low, high;
    mpq_init(low);
    mpq_init(high);
    mpq_set_d(low, from);
    mpq_set_d(high, to);
    polynomial_init(&slope);
    polynomial_derive(&slope, &truth->volume);
    for (int i = 0; i < POLYNOMIAL_TERMS; i++)
        algebraic_init(&roots[i]);
    bool turns = slope.degree < 0 || polynomial_roots(&slope, low, high, roots) > 0;
    int sign = turns ? 0 : polynomial_sign(&slope, low);
    for (int i = 0; i < POLYNOMIAL_TERMS; i++)
        algebraic_clear(&roots[i]);
    polynomial_clear(&slope);
    mpq_clear(high);
    mpq_clear(low);
    return sign;
}

/* The unit vector along the normal at a rational time; false if it is zero. */
static bool direction(const ccd_truth *truth, const mpq_t t, double unit[3])
{
    double value[3];
    long power[3], most = 0;
    bool any = false;
    mpq_t exact;
    mpq_init(exact);
    mpf_t rounded;
    mpf_init2(rounded, 64);
    for (int c = 0; c < 3; c++) {
        polynomial_value(exact, &truth->normal[c], t);
        mpf_set_q(rounded, exact);
        value[c] = mpf_get_d_2exp(&power[c], rounded);
        /* a product of the two other axes; what all three have in common does not matter */
        power[c] -= truth->motion.power[c];
        if (value[c] != 0.0 && (!any || power[c] > most)) {
            most = power[c];
            any = true;
        }
    }
    mpf_clear(rounded);
    mpq_clear(exact);
    double square = 0.0;
    for (int c = 0; c < 3; c++) {
        long shift = power[c] - most;
        unit[c] = value[c] == 0.0 || shift < -200 ? 0.0 : ldexp(value[c], (int)shift);
        square += unit[c] * unit[c];
    }
    for (int c = 0; any && c < 3; c++)
        unit[c] /= sqrt(square);
    return any;
}

bool ccd_truth_normal(ccd_truth *truth, double normal[3])
{
    /* the same to all digits at both ends of a narrow interval, which is halved some times more for good measure */
    enum { HALVINGS = 60, MOST = 100000 };
    for (int i = 0; i < MOST && !truth->degenerate; i++) {
        double high[3];
        bool both = direction(truth, truth->time.low, normal) && direction(truth, truth->time.high, high);
        if (both && fabs(normal[0] - high[0]) + fabs(normal[1] - high[1]) + fabs(normal[2] - high[2]) < 1e-15 &&
            (i >= HALVINGS || mpq_equal(truth->time.low, truth->time.high)))
            return true;
        algebraic_narrow(&truth->time);
    }
    return false;
}

bool ccd_truth_normal_at(const ccd_truth *truth, double t, double normal[3])
{
    mpq_t time;
    mpq_init(time);
    mpq_set_d(time, t);
    bool any = direction(truth, time, normal);
    mpq_clear(time);
    return any;
}
