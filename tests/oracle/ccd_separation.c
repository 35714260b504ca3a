#include "oracle/ccd_separation.h"

#include <stdlib.h>

#define DEGREE 6
#define ROOT_BITS 92 /* roots are isolated to 2^-92 of the window */
#define MOMENTS 256  /* at most 9 polynomials with 26 roots, two moments each, and the ends */

typedef struct vector {
    mpq_t x[3];
} vector;

/* Polynomials in s in [0, 1], lowest power first. */
typedef struct curve {
    int degree; /* -1: zero */
    mpq_t c[DEGREE + 1];
} curve;

static void vector_init(vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpq_init(v->x[i]);
}

static void vector_clear(vector *v)
{
    for (int i = 0; i < 3; ++i)
        mpq_clear(v->x[i]);
}

static void curve_init(curve *p)
{
    p->degree = -1;
    for (int i = 0; i <= DEGREE; ++i)
        mpq_init(p->c[i]);
}

static void curve_clear(curve *p)
{
    for (int i = 0; i <= DEGREE; ++i)
        mpq_clear(p->c[i]);
}

static void curve_trim(curve *p)
{
    p->degree = DEGREE;
    while (p->degree >= 0 && mpq_sgn(p->c[p->degree]) == 0)
        --p->degree;
}

static void curve_copy(curve *to, const curve *from)
{
    to->degree = from->degree;
    for (int i = 0; i <= DEGREE; ++i)
        mpq_set(to->c[i], from->c[i]);
}

/* to += sign a b */
static void curve_add_product(curve *to, const curve *a, const curve *b, int sign)
{
    mpq_t t;
    mpq_init(t);
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j) {
            mpq_mul(t, a->c[i], b->c[j]);
            if (sign < 0)
                mpq_neg(t, t);
            mpq_add(to->c[i + j], to->c[i + j], t);
        }
    mpq_clear(t);
    curve_trim(to);
}

static void curve_scale(curve *p, const mpq_t by)
{
    for (int i = 0; i <= DEGREE; ++i)
        mpq_mul(p->c[i], p->c[i], by);
    curve_trim(p);
}

/* Numerators over a common denominator without common factor: the same signs, small numbers. */
static void curve_reduce(curve *p)
{
    if (p->degree < 0)
        return;
    mpz_t common, factor;
    mpz_init_set_ui(common, 1);
    mpz_init_set_ui(factor, 0);
    for (int i = 0; i <= p->degree; ++i)
        mpz_lcm(common, common, mpq_denref(p->c[i]));
    mpq_t q;
    mpq_init(q);
    mpq_set_z(q, common);
    curve_scale(p, q);
    for (int i = 0; i <= p->degree; ++i)
        mpz_gcd(factor, factor, mpq_numref(p->c[i]));
    mpq_set_z(q, factor);
    mpq_inv(q, q);
    curve_scale(p, q);
    mpq_clear(q);
    mpz_clear(common);
    mpz_clear(factor);
}

/* a = b q + r. */
static void curve_divide(const curve *a, const curve *b, curve *q, curve *r)
{
    mpq_t f, t;
    mpq_init(f);
    mpq_init(t);
    curve_copy(r, a);
    for (int i = 0; i <= DEGREE; ++i)
        mpq_set_ui(q->c[i], 0, 1);
    while (r->degree >= b->degree) {
        int shift = r->degree - b->degree;
        mpq_div(f, r->c[r->degree], b->c[b->degree]);
        mpq_set(q->c[shift], f);
        for (int i = 0; i <= b->degree; ++i) {
            mpq_mul(t, f, b->c[i]);
            mpq_sub(r->c[i + shift], r->c[i + shift], t);
        }
        curve_trim(r);
    }
    curve_trim(q);
    mpq_clear(f);
    mpq_clear(t);
}

/* The sign of p at j / 2^bits. */
static int curve_sign(const curve *p, const mpz_t j, unsigned long bits)
{
    if (p->degree < 0)
        return 0;
    mpz_t sum, t;
    mpz_init_set(sum, mpq_numref(p->c[p->degree]));
    mpz_init(t);
    for (int i = p->degree - 1; i >= 0; --i) { /* coefficients are whole: reduced before */
        mpz_mul(sum, sum, j);
        mpz_mul_2exp(t, mpq_numref(p->c[i]), bits * (unsigned long)(p->degree - i));
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
        mpq_t k;
        mpq_init(k);
        for (int i = 0; i <= DEGREE; ++i)
            mpq_set_ui(d->c[i], 0, 1);
        for (int i = 1; i <= c->p[0].degree; ++i) {
            mpq_set_si(k, i, 1);
            mpq_mul(d->c[i - 1], c->p[0].c[i], k);
        }
        mpq_clear(k);
        curve_trim(d);
        curve_reduce(d);
        c->count = 2;
        for (;;) {
            curve_divide(&c->p[c->count - 2], &c->p[c->count - 1], &q, &r);
            if (r.degree < 0)
                break;
            for (int i = 0; i <= DEGREE; ++i)
                mpq_neg(r.c[i], r.c[i]);
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

/* A coordinate at time t. */
static void coordinate(const tact_vec3 *start, const tact_vec3 *end, int axis, bool velocities, const mpq_t t, mpq_t x)
{
    mpq_t a, b;
    mpq_init(a);
    mpq_init(b);
    mpq_set_d(a, axis == 0 ? start->x : axis == 1 ? start->y : start->z);
    mpq_set_d(b, axis == 0 ? end->x : axis == 1 ? end->y : end->z);
    if (!velocities)
        mpq_sub(b, b, a);
    mpq_mul(b, b, t);
    mpq_add(x, a, b);
    mpq_clear(a);
    mpq_clear(b);
}

static void places(const tact_vec3 start[4], const tact_vec3 end[4], bool velocities, const mpq_t t, vector x[4])
{
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i)
            coordinate(&start[k], &end[k], i, velocities, t, x[k].x[i]);
}

static void sub(vector *r, const vector *a, const vector *b)
{
    for (int i = 0; i < 3; ++i)
        mpq_sub(r->x[i], a->x[i], b->x[i]);
}

static void dot(mpq_t r, const vector *a, const vector *b)
{
    mpq_t t, sum;
    mpq_init(t);
    mpq_init(sum);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(t, a->x[i], b->x[i]);
        mpq_add(sum, sum, t);
    }
    mpq_set(r, sum);
    mpq_clear(t);
    mpq_clear(sum);
}

static void least(mpq_t best, bool *any, const mpq_t value)
{
    if (!*any || mpq_cmp(value, best) < 0)
        mpq_set(best, value);
    *any = true;
}

/* Points of the plane spanned by e and f nearest to w, by Gram's equations: r = w - l e - m f. False: no such, or l or m outside.
 * `face`: also l + m <= 1. With f NULL: the line alone. */
static bool foot2(const vector *w, const vector *e, const vector *f, bool face, mpq_t distance2)
{
    mpq_t ee, ef, ff, we, wf, ww, det, l, m, t;
    mpq_inits(ee, ef, ff, we, wf, ww, det, l, m, t, NULL);
    bool good = true;
    dot(ww, w, w);
    dot(ee, e, e);
    dot(we, w, e);
    if (f == NULL) {
        good = mpq_sgn(ee) > 0 && mpq_sgn(we) >= 0 && mpq_cmp(we, ee) <= 0;
        if (good) {
            mpq_mul(t, we, we);
            mpq_div(t, t, ee);
            mpq_sub(distance2, ww, t);
        }
    } else {
        dot(ef, e, f);
        dot(ff, f, f);
        dot(wf, w, f);
        mpq_mul(det, ee, ff);
        mpq_mul(t, ef, ef);
        mpq_sub(det, det, t);
        good = mpq_sgn(det) > 0;
        if (good) {
            mpq_mul(l, we, ff);
            mpq_mul(t, wf, ef);
            mpq_sub(l, l, t);
            mpq_div(l, l, det);
            mpq_mul(m, wf, ee);
            mpq_mul(t, we, ef);
            mpq_sub(m, m, t);
            mpq_div(m, m, det);
            mpq_add(t, l, m);
            good = mpq_sgn(l) >= 0 && mpq_sgn(m) >= 0 &&
                   (face ? mpq_cmp_ui(t, 1, 1) <= 0 : mpq_cmp_ui(l, 1, 1) <= 0 && mpq_cmp_ui(m, 1, 1) <= 0);
            mpq_mul(t, l, we);
            mpq_sub(distance2, ww, t);
            mpq_mul(t, m, wf);
            mpq_sub(distance2, distance2, t);
        }
    }
    mpq_clears(ee, ef, ff, we, wf, ww, det, l, m, t, NULL);
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
    places(start, end, velocities, t, x);
    mpq_t q;
    mpq_init(q);
    bool any = false;
    int split = kind == TACT_VERTEX_FACE ? 1 : 2;
    for (int a = 0; a < split; ++a)
        for (int b = split; b < 4; ++b) { /* vertices */
            sub(&w, &x[b], &x[a]);
            dot(q, &w, &w);
            least(distance2, &any, q);
        }
    for (int i = 0; i < 4; ++i) /* a vertex and an edge of the other */
        for (int j = i < split ? split : 0; j < (i < split ? 4 : split); ++j)
            for (int k = j + 1; k < (i < split ? 4 : split); ++k) {
                sub(&w, &x[i], &x[j]);
                sub(&e, &x[k], &x[j]);
                if (foot2(&w, &e, NULL, false, q))
                    least(distance2, &any, q);
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
    if (foot2(&w, &e, &f, kind == TACT_VERTEX_FACE, q))
        least(distance2, &any, q);
    mpq_clear(q);
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
        mpq_sub(r->x[i].c[0], at[0][b].x[i], at[0][a].x[i]);
        mpq_sub(r->x[i].c[1], at[1][b].x[i], at[1][a].x[i]);
        mpq_sub(r->x[i].c[1], r->x[i].c[1], r->x[i].c[0]);
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

/* p - T^2 q, where q is in p's place afterwards. Its roots are added. */
static void add_event(curve *p, curve *q, const mpq_t T, moments *m)
{
    mpq_t t;
    mpq_init(t);
    mpq_mul(t, T, T);
    curve_scale(q, t);
    for (int i = 0; i <= DEGREE; ++i)
        mpq_sub(p->c[i], p->c[i], q->c[i]);
    curve_trim(p);
    add_roots(p, m);
    mpq_clear(t);
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
            mpq_set_ui(q.c[0], 1, 1);
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
    for (int k = 0; k < 4; ++k) {
        vector_init(&x[0][k]);
        vector_init(&x[1][k]);
    }
    places(start, end, def->velocities, enter, x[0]);
    places(start, end, def->velocities, span, x[1]);
    mpq_sub(span, span, enter);
    mpq_mul(limit, T, T);
    moments m = {0};
    mpz_t j;
    mpz_init_set_ui(j, 0);
    moments_add(&m, j);
    mpz_set_ui(j, 1);
    mpz_mul_2exp(j, j, ROOT_BITS);
    moments_add(&m, j);
    mpz_clear(j);
    add_pair_events(x, kind == TACT_VERTEX_FACE ? 1 : 2, T, &m);
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
