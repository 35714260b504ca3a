#include "oracle/ccd_separation.h"

#include <stdlib.h>

#define DEGREE 6
#define ROOT_BITS 92 /* roots are isolated to 2^-92 of the window */
#define MOMENTS 256  /* at most 9 polynomials with 26 roots, two moments each, and the ends */

/* All numbers are whole: the coordinates are multiples of some power of two, and so are times. */
typedef struct vector {
    mpz_t x[3];
} vector;

/* Polynomials in s in [0, 1], lowest power first. */
typedef struct curve {
    int degree; /* -1: zero */
    mpz_t c[DEGREE + 1];
} curve;

static void vector_init(vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpz_init(v->x[i]);
}

static void vector_clear(vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpz_clear(v->x[i]);
}

static void curve_init(curve *p)
{
    p->degree = -1;
    for (int i = 0; i <= DEGREE; ++i)
        mpz_init(p->c[i]);
}

static void curve_clear(curve *p)
{
    for (int i = 0; i <= DEGREE; ++i)
        mpz_clear(p->c[i]);
}

static void curve_trim(curve *p)
{
    p->degree = DEGREE;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0)
        --p->degree;
}

static void curve_zero(curve *p)
{
    p->degree = -1;
    for (int i = 0; i <= DEGREE; ++i)
        mpz_set_ui(p->c[i], 0);
}

static void curve_copy(curve *to, const curve *from)
{
    to->degree = from->degree;
    for (int i = 0; i <= DEGREE; ++i)
        mpz_set(to->c[i], from->c[i]);
}

/* to += sign a b */
static void curve_add_product(curve *to, const curve *a, const curve *b, int sign)
{
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j) {
            if (sign > 0)
                mpz_addmul(to->c[i + j], a->c[i], b->c[j]);
            else
                mpz_submul(to->c[i + j], a->c[i], b->c[j]);
        }
    curve_trim(to);
}

static void curve_scale(curve *p, const mpz_t by)
{
    for (int i = 0; i <= p->degree; ++i)
        mpz_mul(p->c[i], p->c[i], by);
}

/* Without common factor: the same signs, small numbers. */
static void curve_reduce(curve *p)
{
    if (p->degree < 0)
        return;
    mpz_t factor;
    mpz_init_set_ui(factor, 0);
    for (int i = 0; i <= p->degree; ++i)
        mpz_gcd(factor, factor, p->c[i]);
    for (int i = 0; i <= p->degree; ++i)
        mpz_divexact(p->c[i], p->c[i], factor);
    mpz_clear(factor);
}

/* a k = b q + r, with some k > 0. */
static void curve_divide(const curve *a, const curve *b, curve *q, curve *r)
{
    mpz_t size, f;
    mpz_init(size);
    mpz_init(f);
    mpz_abs(size, b->c[b->degree]);
    curve_copy(r, a);
    curve_zero(q);
    while (r->degree >= b->degree) {
        int shift = r->degree - b->degree;
        mpz_set(f, r->c[r->degree]);
        if (mpz_sgn(b->c[b->degree]) < 0)
            mpz_neg(f, f);
        for (int i = 0; i <= DEGREE; ++i) {
            mpz_mul(r->c[i], r->c[i], size);
            mpz_mul(q->c[i], q->c[i], size);
        }
        mpz_add(q->c[shift], q->c[shift], f);
        for (int i = 0; i <= b->degree; ++i)
            mpz_submul(r->c[i + shift], f, b->c[i]);
        curve_trim(r);
    }
    curve_trim(q);
    mpz_clear(size);
    mpz_clear(f);
}

/* The sign of p at j / 2^bits. */
static int curve_sign(const curve *p, const mpz_t j, unsigned long bits)
{
    if (p->degree < 0)
        return 0;
    mpz_t sum, t;
    mpz_init_set(sum, p->c[p->degree]);
    mpz_init(t);
    for (int i = p->degree - 1; i >= 0; --i) {
        mpz_mul(sum, sum, j);
        mpz_mul_2exp(t, p->c[i], bits * (unsigned long)(p->degree - i));
        mpz_add(sum, sum, t);
    }
    int sign = mpz_sgn(sum);
    mpz_clear(sum);
    mpz_clear(t);
    return sign;
}

typedef struct chain {
    int count;
    curve p[DEGREE + 2];
} chain;

static int chain_changes(const chain *c, const mpz_t j, unsigned long bits)
{
    int changes = 0, last = 0;
    for (int i = 0; i < c->count; ++i) {
        int sign = curve_sign(&c->p[i], j, bits);
        if (sign != 0) {
            changes += last != 0 && sign != last;
            last = sign;
        }
    }
    return changes;
}

/* Sturm's sequence of p without its multiple roots. */
static void chain_make(chain *c, const curve *p)
{
    curve q, r;
    curve_init(&q);
    curve_init(&r);
    for (int i = 0; i < DEGREE + 2; ++i)
        curve_init(&c->p[i]);
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 0) {
            curve_copy(&c->p[0], p);
        } else { /* divide by the last, the common divisor of p and its derivative */
            curve_divide(&c->p[0], &c->p[c->count - 1], &q, &r);
            curve_copy(&c->p[0], &q);
        }
        curve_reduce(&c->p[0]);
        c->count = 1;
        if (c->p[0].degree < 1)
            break;
        curve *d = &c->p[1];
        curve_zero(d);
        for (int i = 1; i <= c->p[0].degree; ++i)
            mpz_mul_ui(d->c[i - 1], c->p[0].c[i], (unsigned long)i);
        curve_trim(d);
        curve_reduce(d);
        c->count = 2;
        for (;;) {
            curve_divide(&c->p[c->count - 2], &c->p[c->count - 1], &q, &r);
            if (r.degree < 0)
                break;
            for (int i = 0; i <= DEGREE; ++i)
                mpz_neg(r.c[i], r.c[i]);
            curve_copy(&c->p[c->count], &r);
            curve_reduce(&c->p[c->count]);
            ++c->count;
        }
        if (c->p[c->count - 1].degree == 0)
            break;
    }
    curve_clear(&q);
    curve_clear(&r);
}

/* Moments in [0, 2^ROOT_BITS]. */
typedef struct moments {
    int count;
    mpz_t at[MOMENTS];
} moments;

static void moments_add(moments *m, const mpz_t j)
{
    if (m->count == MOMENTS)
        abort();
    mpz_init_set(m->at[m->count++], j);
}

/* Adds both ends of (low, high] / 2^bits, narrowed, for each root in it. */
static void isolate(const chain *c, moments *m, const mpz_t low, unsigned long bits, int at_low, int at_high)
{
    if (at_low == at_high)
        return;
    mpz_t j;
    mpz_init(j);
    if (bits == ROOT_BITS) {
        moments_add(m, low);
        mpz_add_ui(j, low, 1);
        moments_add(m, j);
    } else {
        mpz_mul_2exp(j, low, 1);
        mpz_add_ui(j, j, 1);
        int middle = chain_changes(c, j, bits + 1);
        mpz_t left;
        mpz_init(left);
        mpz_mul_2exp(left, low, 1);
        isolate(c, m, left, bits + 1, at_low, middle);
        isolate(c, m, j, bits + 1, middle, at_high);
        mpz_clear(left);
    }
    mpz_clear(j);
}

static void add_roots(const curve *p, moments *m)
{
    if (p->degree < 1)
        return;
    chain c;
    chain_make(&c, p);
    if (c.p[0].degree >= 1) {
        mpz_t j;
        mpz_init_set_ui(j, 0);
        int at_low = chain_changes(&c, j, 0);
        mpz_set_ui(j, 1);
        int at_high = chain_changes(&c, j, 0);
        mpz_set_ui(j, 0);
        isolate(&c, m, j, 0, at_low, at_high);
        mpz_clear(j);
    }
    for (int i = 0; i < DEGREE + 2; ++i)
        curve_clear(&c.p[i]);
}

static int compare_moments(const void *a, const void *b) { return mpz_cmp(*(const mpz_t *)a, *(const mpz_t *)b); }

static double get(const tact_vec3 *v, int axis) { return axis == 0 ? v->x : axis == 1 ? v->y : v->z; }

/* The power of two that makes all coordinates whole. */
static unsigned long find_unit(const tact_vec3 start[4], const tact_vec3 end[4])
{
    unsigned long most = 0;
    mpq_t q;
    mpq_init(q);
    for (int k = 0; k < 24; ++k) {
        mpq_set_d(q, get(k < 12 ? &start[k / 3] : &end[k / 3 - 4], k % 3));
        unsigned long power = mpz_sizeinbase(mpq_denref(q), 2) - 1;
        most = power > most ? power : most;
    }
    mpq_clear(q);
    return most;
}

/* value 2^unit, which is whole. */
static void whole(mpz_t r, double value, unsigned long unit)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, value);
    mpz_mul_2exp(r, mpq_numref(q), unit - (mpz_sizeinbase(mpq_denref(q), 2) - 1));
    mpq_clear(q);
}

/* The points at time t / 2^power, in units of 2^-(unit + power). */
static void places(const tact_vec3 start[4], const tact_vec3 end[4], bool velocities, const mpz_t t,
                   unsigned long power, unsigned long unit, vector x[4])
{
    mpz_t a, b;
    mpz_init(a);
    mpz_init(b);
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i) {
            whole(a, get(&start[k], i), unit);
            whole(b, get(&end[k], i), unit);
            if (!velocities)
                mpz_sub(b, b, a);
            mpz_mul_2exp(a, a, power);
            mpz_addmul(a, b, t);
            mpz_set(x[k].x[i], a);
        }
    mpz_clear(a);
    mpz_clear(b);
}

static void sub(vector *r, const vector *a, const vector *b)
{
    for (int i = 0; i < 3; ++i)
        mpz_sub(r->x[i], a->x[i], b->x[i]);
}

static void dot(mpz_t r, const vector *a, const vector *b)
{
    mpz_mul(r, a->x[0], b->x[0]);
    mpz_addmul(r, a->x[1], b->x[1]);
    mpz_addmul(r, a->x[2], b->x[2]);
}

/* The least of some fractions, not reduced. */
typedef struct fraction {
    mpz_t over, under; /* under is 0 for none */
} fraction;

static void least(fraction *best, const fraction *value)
{
    mpz_t a, b;
    mpz_init(a);
    mpz_init(b);
    mpz_mul(a, value->over, best->under);
    mpz_mul(b, best->over, value->under);
    if (mpz_sgn(best->under) == 0 || mpz_cmp(a, b) < 0) {
        mpz_set(best->over, value->over);
        mpz_set(best->under, value->under);
    }
    mpz_clear(a);
    mpz_clear(b);
}

/* The square of the distance of w from the plane spanned by e and f, by Gram's equations, r = w - l e - m f. False: no
 * such plane, or l or m outside. `face`: also l + m <= 1. With f NULL: the line alone. */
static bool foot2(const vector *w, const vector *e, const vector *f, bool face, fraction *distance2)
{
    mpz_t ee, ef, ff, we, wf, ww, l, m, t;
    mpz_inits(ee, ef, ff, we, wf, ww, l, m, t, NULL);
    bool good = true;
    dot(ww, w, w);
    dot(ee, e, e);
    dot(we, w, e);
    if (f == NULL) {
        good = mpz_sgn(ee) > 0 && mpz_sgn(we) >= 0 && mpz_cmp(we, ee) <= 0;
        mpz_mul(distance2->over, ww, ee);
        mpz_submul(distance2->over, we, we);
        mpz_set(distance2->under, ee);
    } else {
        dot(ef, e, f);
        dot(ff, f, f);
        dot(wf, w, f);
        mpz_t *det = &distance2->under;
        mpz_mul(*det, ee, ff);
        mpz_submul(*det, ef, ef);
        mpz_mul(l, we, ff);
        mpz_submul(l, wf, ef);
        mpz_mul(m, wf, ee);
        mpz_submul(m, we, ef);
        mpz_add(t, l, m);
        good = mpz_sgn(*det) > 0 && mpz_sgn(l) >= 0 && mpz_sgn(m) >= 0 &&
               (face ? mpz_cmp(t, *det) <= 0 : mpz_cmp(l, *det) <= 0 && mpz_cmp(m, *det) <= 0);
        mpz_mul(distance2->over, ww, *det);
        mpz_submul(distance2->over, l, we);
        mpz_submul(distance2->over, m, wf);
    }
    mpz_clears(ee, ef, ff, we, wf, ww, l, m, t, NULL);
    return good;
}

void oracle_apart_distance2(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], bool velocities,
                            const mpq_t t, mpq_t distance2)
{
    vector x[4], w, e, f;
    for (int i = 0; i < 4; ++i)
        vector_init(&x[i]);
    vector_init(&w);
    vector_init(&e);
    vector_init(&f);
    unsigned long unit = find_unit(start, end), power = mpz_sizeinbase(mpq_denref(t), 2) - 1;
    places(start, end, velocities, mpq_numref(t), power, unit, x);
    fraction best, next;
    mpz_inits(best.over, best.under, next.over, next.under, NULL);
    int split = kind == TACT_VERTEX_FACE ? 1 : 2;
    for (int a = 0; a < split; ++a)
        for (int b = split; b < 4; ++b) { /* vertices */
            sub(&w, &x[b], &x[a]);
            dot(next.over, &w, &w);
            mpz_set_ui(next.under, 1);
            least(&best, &next);
        }
    for (int i = 0; i < 4; ++i) /* a vertex and an edge of the other */
        for (int j = i < split ? split : 0; j < (i < split ? 4 : split); ++j)
            for (int k = j + 1; k < (i < split ? 4 : split); ++k) {
                sub(&w, &x[i], &x[j]);
                sub(&e, &x[k], &x[j]);
                if (foot2(&w, &e, NULL, false, &next))
                    least(&best, &next);
            }
    if (kind == TACT_VERTEX_FACE) {
        sub(&w, &x[0], &x[1]);
        sub(&e, &x[2], &x[1]);
        sub(&f, &x[3], &x[1]);
    } else { /* a0 + l u = b0 + m v: w = b0 - a0 = l u + m (-v) */
        sub(&w, &x[2], &x[0]);
        sub(&e, &x[1], &x[0]);
        sub(&f, &x[2], &x[3]);
    }
    if (foot2(&w, &e, &f, kind == TACT_VERTEX_FACE, &next))
        least(&best, &next);
    mpz_mul_2exp(best.under, best.under, 2 * (unit + power));
    mpz_set(mpq_numref(distance2), best.over);
    mpz_set(mpq_denref(distance2), best.under);
    mpq_canonicalize(distance2);
    mpz_clears(best.over, best.under, next.over, next.under, NULL);
    for (int i = 0; i < 4; ++i)
        vector_clear(&x[i]);
    vector_clear(&w);
    vector_clear(&e);
    vector_clear(&f);
}

typedef struct track {
    curve x[3];
} track;

static void track_init(track *a)
{
    for (int i = 0; i < 3; ++i)
        curve_init(&a->x[i]);
}

static void track_clear(track *a)
{
    for (int i = 0; i < 3; ++i)
        curve_clear(&a->x[i]);
}

/* From point a to b, given all points at s = 0 and 1. */
static void track_between(track *r, vector at[2][4], int a, int b)
{
    for (int i = 0; i < 3; ++i) {
        mpz_sub(r->x[i].c[0], at[0][b].x[i], at[0][a].x[i]);
        mpz_sub(r->x[i].c[1], at[1][b].x[i], at[1][a].x[i]);
        mpz_sub(r->x[i].c[1], r->x[i].c[1], r->x[i].c[0]);
        curve_trim(&r->x[i]);
    }
}

static void track_cross(track *r, const track *a, const track *b)
{
    track_clear(r);
    track_init(r);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        curve_add_product(&r->x[i], &a->x[j], &b->x[k], 1);
        curve_add_product(&r->x[i], &a->x[k], &b->x[j], -1);
    }
}

static void track_add_dot(curve *to, const track *a, const track *b, int sign)
{
    for (int i = 0; i < 3; ++i)
        curve_add_product(to, &a->x[i], &b->x[i], sign);
}

/* Adds the roots of p - T^2 q. */
static void add_event(curve *p, curve *q, const mpq_t T, moments *m)
{
    mpz_t t;
    mpz_init(t);
    mpz_mul(t, mpq_denref(T), mpq_denref(T));
    curve_scale(p, t);
    mpz_mul(t, mpq_numref(T), mpq_numref(T));
    curve_scale(q, t);
    for (int i = 0; i <= DEGREE; ++i)
        mpz_sub(p->c[i], p->c[i], q->c[i]);
    curve_trim(p);
    add_roots(p, m);
    mpz_clear(t);
}

static void add_pair_events(vector at[2][4], int split, const mpq_t T, moments *m)
{
    track w, e, f, n;
    track_init(&w);
    track_init(&e);
    track_init(&f);
    track_init(&n);
    for (int a = 0; a < split; ++a)
        for (int b = split; b < 4; ++b) {
            curve p, q;
            curve_init(&p);
            curve_init(&q);
            track_between(&w, at, a, b);
            track_add_dot(&p, &w, &w, 1);
            mpz_set_ui(q.c[0], 1);
            curve_trim(&q);
            add_event(&p, &q, T, m);
            curve_clear(&p);
            curve_clear(&q);
        }
    for (int i = 0; i < 4; ++i)
        for (int j = i < split ? split : 0; j < (i < split ? 4 : split); ++j)
            for (int k = j + 1; k < (i < split ? 4 : split); ++k) {
                curve p, q;
                curve_init(&p);
                curve_init(&q);
                track_between(&w, at, i, j);
                track_between(&e, at, j, k);
                track_cross(&n, &w, &e);
                track_add_dot(&p, &n, &n, 1);
                track_add_dot(&q, &e, &e, 1);
                add_event(&p, &q, T, m);
                curve_clear(&p);
                curve_clear(&q);
            }
    curve p, q, volume;
    curve_init(&p);
    curve_init(&q);
    curve_init(&volume);
    track_between(&w, at, 0, split);
    track_between(&e, at, split == 1 ? 1 : 0, split == 1 ? 2 : 1);
    track_between(&f, at, split == 1 ? 1 : 2, 3);
    track_cross(&n, &e, &f);
    track_add_dot(&volume, &n, &w, 1);
    curve_add_product(&p, &volume, &volume, 1);
    track_add_dot(&q, &n, &n, 1);
    add_event(&p, &q, T, m);
    curve_clear(&p);
    curve_clear(&q);
    curve_clear(&volume);
    track_clear(&w);
    track_clear(&e);
    track_clear(&f);
    track_clear(&n);
}

bool oracle_apart_first(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def,
                        const mpq_t T, mpq_t before, mpq_t at)
{
    vector x[2][4];
    mpq_t enter, span, t, d2, limit;
    mpq_inits(enter, span, t, d2, limit, NULL);
    mpq_set_d(enter, def->enter);
    mpq_set_d(span, def->exit);
    unsigned long unit = find_unit(start, end), a = mpz_sizeinbase(mpq_denref(enter), 2) - 1,
                  b = mpz_sizeinbase(mpq_denref(span), 2) - 1, power = a > b ? a : b;
    mpz_t first, last;
    mpz_inits(first, last, NULL);
    mpz_mul_2exp(first, mpq_numref(enter), power - a);
    mpz_mul_2exp(last, mpq_numref(span), power - b);
    for (int k = 0; k < 4; ++k) {
        vector_init(&x[0][k]);
        vector_init(&x[1][k]);
    }
    places(start, end, def->velocities, first, power, unit, x[0]);
    places(start, end, def->velocities, last, power, unit, x[1]);
    mpz_clears(first, last, NULL);
    mpq_sub(span, span, enter);
    mpq_mul(limit, T, T);
    mpq_t scaled; /* T in the unit of the places */
    mpq_init(scaled);
    mpq_mul_2exp(scaled, T, unit + power);
    moments m = {0};
    mpz_t j;
    mpz_init_set_ui(j, 0);
    moments_add(&m, j);
    mpz_set_ui(j, 1);
    mpz_mul_2exp(j, j, ROOT_BITS);
    moments_add(&m, j);
    mpz_clear(j);
    add_pair_events(x, kind == TACT_VERTEX_FACE ? 1 : 2, scaled, &m);
    mpq_clear(scaled);
    qsort(m.at, (size_t)m.count, sizeof m.at[0], compare_moments);
    bool found = false;
    mpq_set(before, enter);
    for (int i = 0; i < m.count && !found; ++i) {
        mpq_set_z(t, m.at[i]);
        mpq_div_2exp(t, t, ROOT_BITS);
        mpq_mul(t, t, span);
        mpq_add(t, t, enter);
        oracle_apart_distance2(kind, start, end, def->velocities, t, d2);
        found = mpq_cmp(d2, limit) <= 0;
        if (found)
            mpq_set(at, t);
        else
            mpq_set(before, t);
    }
    for (int i = 0; i < m.count; ++i)
        mpz_clear(m.at[i]);
    for (int k = 0; k < 4; ++k) {
        vector_clear(&x[0][k]);
        vector_clear(&x[1][k]);
    }
    mpq_clears(enter, span, t, d2, limit, NULL);
    return found;
}
