/*
 * Roots are isolated by Sturm's theorem: for a square-free p, the chain p, p', -(p mod p'), ... changes its sign V(t)
 * times at t, and there are V(a) - V(b) distinct roots with a < root <= b, whether or not a and b are roots themselves.
 *
 * Remainders are made with whole numbers by multiplying with the size of the divisor's leading coefficient (signs
 * stay), and freed from common factors. With doubles of any exponents, coefficients have up to some 10,000 bits, and a
 * root may be as near to zero: it is looked for by halving exponents first.
 */
#include "oracle/algebraic.h"

#include <stdbool.h>

void polynomial_init(polynomial *p)
{
    p->degree = -1;
    for (int i = 0; i < POLYNOMIAL_TERMS; i++)
        mpz_init(p->c[i]);
}

void polynomial_clear(polynomial *p)
{
    for (int i = 0; i < POLYNOMIAL_TERMS; i++)
        mpz_clear(p->c[i]);
}

/* Terms above the degree hold anything; the degree is lowered to the highest term that is not zero. */
static void trim(polynomial *p)
{
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0)
        p->degree--;
}

void polynomial_copy(polynomial *p, const polynomial *q)
{
    p->degree = q->degree;
    for (int i = 0; i <= q->degree; i++)
        mpz_set(p->c[i], q->c[i]);
}

void polynomial_line(polynomial *p, const mpz_t constant, const mpz_t slope)
{
    mpz_set(p->c[0], constant);
    mpz_set(p->c[1], slope);
    p->degree = 1;
    trim(p);
}

static void combine(polynomial *p, const polynomial *q, const polynomial *r, bool minus)
{
    int degree_q = q->degree, degree_r = r->degree;
    p->degree = degree_q > degree_r ? degree_q : degree_r;
    for (int i = 0; i <= p->degree; i++) {
        if (i > degree_r)
            mpz_set(p->c[i], q->c[i]);
        else if (i > degree_q && minus)
            mpz_neg(p->c[i], r->c[i]);
        else if (i > degree_q)
            mpz_set(p->c[i], r->c[i]);
        else if (minus)
            mpz_sub(p->c[i], q->c[i], r->c[i]);
        else
            mpz_add(p->c[i], q->c[i], r->c[i]);
    }
    trim(p);
}

void polynomial_add(polynomial *p, const polynomial *q, const polynomial *r) { combine(p, q, r, false); }

void polynomial_subtract(polynomial *p, const polynomial *q, const polynomial *r) { combine(p, q, r, true); }

void polynomial_multiply(polynomial *p, const polynomial *q, const polynomial *r)
{
    p->degree = q->degree < 0 || r->degree < 0 ? -1 : q->degree + r->degree;
    for (int i = 0; i <= p->degree; i++)
        mpz_set_ui(p->c[i], 0);
    for (int i = 0; i <= q->degree && p->degree >= 0; i++)
        for (int j = 0; j <= r->degree; j++)
            mpz_addmul(p->c[i + j], q->c[i], r->c[j]);
}

void polynomial_derive(polynomial *p, const polynomial *q)
{
    p->degree = q->degree > 0 ? q->degree - 1 : -1;
    for (int i = 0; i <= p->degree; i++)
        mpz_mul_ui(p->c[i], q->c[i + 1], (unsigned long)(i + 1));
}

/* x d^power, d > 0; most denominators are powers of two, huge ones where roots are near zero. */
static void times_power(mpz_t product, const mpz_t x, const mpz_t d, unsigned long power)
{
    mp_bitcnt_t zeros = mpz_scan1(d, 0);
    if (zeros + 1 == mpz_sizeinbase(d, 2)) {
        mpz_mul_2exp(product, x, zeros * power);
        return;
    }
    mpz_t factor;
    mpz_init(factor);
    mpz_pow_ui(factor, d, power);
    mpz_mul(product, x, factor);
    mpz_clear(factor);
}

/* sum c[i] n^i d^(degree-i), for t = n/d: the value times d^degree, d > 0. With `keep` only the terms of that sign, the
 * others as zero (0: all of them). */
static void value_homogeneous(mpz_t value, const polynomial *p, const mpq_t t, int keep)
{
    mpz_t term;
    mpz_init(term);
    mpz_set_ui(value, 0);
    for (int i = p->degree; i >= 0; i--) {
        mpz_mul(value, value, mpq_numref(t));
        if (keep == 0 || mpz_sgn(p->c[i]) == keep) {
            times_power(term, p->c[i], mpq_denref(t), (unsigned long)(p->degree - i));
            mpz_add(value, value, term);
        }
    }
    mpz_clear(term);
}

int polynomial_sign(const polynomial *p, const mpq_t t)
{
    mpz_t value;
    mpz_init(value);
    value_homogeneous(value, p, t, 0);
    int sign = mpz_sgn(value);
    mpz_clear(value);
    return sign;
}

void polynomial_value(mpq_t value, const polynomial *p, const mpq_t t)
{
    mpq_t answer;
    mpq_init(answer);
    value_homogeneous(mpq_numref(answer), p, t, 0);
    mpz_pow_ui(mpq_denref(answer), mpq_denref(t), p->degree > 0 ? (unsigned long)p->degree : 0);
    mpq_canonicalize(answer);
    mpq_swap(value, answer);
    mpq_clear(answer);
}

/* Divide by the greatest common factor of the coefficients: signs stay. */
static void shorten(polynomial *p)
{
    mpz_t factor;
    mpz_init(factor);
    for (int i = 0; i <= p->degree; i++)
        mpz_gcd(factor, factor, p->c[i]);
    for (int i = 0; i <= p->degree; i++)
        mpz_divexact(p->c[i], p->c[i], factor);
    mpz_clear(factor);
}

/* p becomes a positive multiple of p mod q; q is not zero. */
static void reduce(polynomial *p, const polynomial *q)
{
    mpz_t lead, size;
    mpz_init(lead);
    mpz_init(size);
    mpz_abs(size, q->c[q->degree]);
    while (p->degree >= q->degree) {
        /* p = |lead q| p - (+-lead p) t^k q, whose leading term vanishes */
        int k = p->degree - q->degree;
        mpz_set(lead, p->c[p->degree]);
        if (mpz_sgn(q->c[q->degree]) < 0)
            mpz_neg(lead, lead);
        for (int i = 0; i <= p->degree; i++)
            mpz_mul(p->c[i], p->c[i], size);
        for (int i = 0; i <= q->degree; i++)
            mpz_submul(p->c[i + k], lead, q->c[i]);
        trim(p);
        if (p->degree >= 0)
            shorten(p);
    }
    mpz_clear(size);
    mpz_clear(lead);
}

/* Euclid; of any sign. */
static void common_divisor(polynomial *divisor, const polynomial *p, const polynomial *q)
{
    polynomial a, b;
    polynomial_init(&a);
    polynomial_init(&b);
    polynomial_copy(&a, p);
    polynomial_copy(&b, q);
    while (b.degree >= 0) {
        reduce(&a, &b);
        polynomial swap = a;
        a = b;
        b = swap;
    }
    shorten(&a);
    polynomial_copy(divisor, &a);
    polynomial_clear(&b);
    polynomial_clear(&a);
}

/* A multiple of p / q, which leaves no remainder. */
static void divide(polynomial *quotient, const polynomial *p, const polynomial *q)
{
    polynomial rest;
    polynomial_init(&rest);
    polynomial_copy(&rest, p);
    mpz_t lead;
    mpz_init(lead);
    quotient->degree = p->degree - q->degree;
    for (int i = 0; i <= quotient->degree; i++)
        mpz_set_ui(quotient->c[i], 0);
    while (rest.degree >= q->degree) {
        int k = rest.degree - q->degree;
        mpz_set(lead, rest.c[rest.degree]);
        for (int i = 0; i <= quotient->degree; i++)
            mpz_mul(quotient->c[i], quotient->c[i], q->c[q->degree]);
        mpz_add(quotient->c[k], quotient->c[k], lead);
        for (int i = 0; i <= rest.degree; i++)
            mpz_mul(rest.c[i], rest.c[i], q->c[q->degree]);
        for (int i = 0; i <= q->degree; i++)
            mpz_submul(rest.c[i + k], lead, q->c[i]);
        trim(&rest);
    }
    shorten(quotient);
    mpz_clear(lead);
    polynomial_clear(&rest);
}

/* The same roots, each of them once. */
static void make_square_free(polynomial *p)
{
    shorten(p);
    if (p->degree < 2)
        return;
    polynomial slope, repeated;
    polynomial_init(&slope);
    polynomial_init(&repeated);
    polynomial_derive(&slope, p);
    common_divisor(&repeated, p, &slope);
    if (repeated.degree > 0) {
        polynomial once;
        polynomial_init(&once);
        divide(&once, p, &repeated);
        polynomial_copy(p, &once);
        polynomial_clear(&once);
    }
    polynomial_clear(&repeated);
    polynomial_clear(&slope);
}

void algebraic_init(algebraic *a)
{
    polynomial_init(&a->of);
    mpz_set_ui(a->of.c[1], 1);
    a->of.degree = 1;
    mpq_init(a->low);
    mpq_init(a->high);
}

void algebraic_clear(algebraic *a)
{
    mpq_clear(a->high);
    mpq_clear(a->low);
    polynomial_clear(&a->of);
}

void algebraic_copy(algebraic *a, const algebraic *b)
{
    polynomial_copy(&a->of, &b->of);
    mpq_set(a->low, b->low);
    mpq_set(a->high, b->high);
}

void algebraic_rational(algebraic *a, const mpq_t value)
{
    mpz_set(a->of.c[1], mpq_denref(value));
    mpz_neg(a->of.c[0], mpq_numref(value));
    a->of.degree = 1;
    mpq_set(a->low, value);
    mpq_set(a->high, value);
}

static bool known(const algebraic *a) { return mpq_equal(a->low, a->high) != 0; }

/* About the binary logarithm of a positive number. */
static long magnitude(const mpq_t x)
{
    return (long)mpz_sizeinbase(mpq_numref(x), 2) - (long)mpz_sizeinbase(mpq_denref(x), 2);
}

/* Strictly between 0 <= low < high: the middle, or where they differ by powers of two the power in the middle, or
 * much nearer to zero than `high` if low is zero. */
static void between(mpq_t middle, const mpq_t low, const mpq_t high)
{
    long top = magnitude(high);
    long bottom = mpq_sgn(low) == 0 ? (top < 0 ? 2 * top : 0) - 8 : magnitude(low);
    if (top - bottom > 6) {
        long power = bottom + (top - bottom) / 2;
        mpq_set_ui(middle, 1, 1);
        if (power < 0)
            mpq_div_2exp(middle, middle, (mp_bitcnt_t)-power);
        else
            mpq_mul_2exp(middle, middle, (mp_bitcnt_t)power);
    } else {
        mpq_add(middle, low, high);
        mpq_div_2exp(middle, middle, 1);
    }
}

/* `at` is strictly between low and high. */
static void split(algebraic *a, const mpq_t at)
{
    int here = polynomial_sign(&a->of, at);
    if (here == 0) {
        mpq_set(a->low, at);
        mpq_set(a->high, at);
    } else if (here == polynomial_sign(&a->of, a->low))
        mpq_set(a->low, at);
    else
        mpq_set(a->high, at);
}

void algebraic_narrow(algebraic *a)
{
    if (known(a))
        return;
    mpq_t middle;
    mpq_init(middle);
    between(middle, a->low, a->high);
    split(a, middle);
    mpq_clear(middle);
}

int algebraic_compare_rational(algebraic *a, const mpq_t value)
{
    if (!known(a) && mpq_cmp(a->low, value) < 0 && mpq_cmp(value, a->high) < 0)
        split(a, value);
    int low = mpq_cmp(a->low, value), high = mpq_cmp(a->high, value);
    /* the ends are not the number unless they are one */
    return known(a) ? (low > 0) - (low < 0) : low >= 0 ? 1 : high <= 0 ? -1 : 0;
}

int algebraic_compare(algebraic *a, algebraic *b)
{
    if (known(a))
        return -algebraic_compare_rational(b, a->low);
    if (known(b))
        return algebraic_compare_rational(a, b->low);
    polynomial divisor;
    polynomial_init(&divisor);
    common_divisor(&divisor, &a->of, &b->of);
    int answer;
    for (;;) {
        if (known(a) || known(b)) {
            answer = known(a) ? -algebraic_compare_rational(b, a->low) : algebraic_compare_rational(a, b->low);
            break;
        }
        if (mpq_cmp(a->high, b->low) <= 0) {
            answer = -1;
            break;
        }
        if (mpq_cmp(b->high, a->low) <= 0) {
            answer = 1;
            break;
        }
        /* where both are, a common root is either: a simple one, and none of the ends is a root of it */
        mpq_t *low = mpq_cmp(a->low, b->low) > 0 ? &a->low : &b->low;
        mpq_t *high = mpq_cmp(a->high, b->high) < 0 ? &a->high : &b->high;
        if (divisor.degree > 0 && polynomial_sign(&divisor, *low) != polynomial_sign(&divisor, *high)) {
            answer = 0;
            break;
        }
        algebraic_narrow(a);
        algebraic_narrow(b);
    }
    polynomial_clear(&divisor);
    return answer;
}

/* The sign of p+(a) + p-(b), the terms of one sign at one place and those of the other at another. */
static int sign_of_parts(const polynomial *p, const mpq_t a, const mpq_t b)
{
    mpz_t plus, minus;
    mpz_inits(plus, minus, NULL);
    /* each is a value times its denominator to the degree: brought to the same one */
    value_homogeneous(plus, p, a, 1);
    value_homogeneous(minus, p, b, -1);
    times_power(plus, plus, mpq_denref(b), (unsigned long)p->degree);
    times_power(minus, minus, mpq_denref(a), (unsigned long)p->degree);
    int order = mpz_cmpabs(plus, minus);
    mpz_clears(plus, minus, NULL);
    return order;
}

/* The sign of p everywhere from low to high, 0 if undecided; p is not constant. Where t >= 0, the positive
 * terms grow with t and the negative ones fall, so their values at the ends bound all others. */
static int sign_between(const polynomial *p, const mpq_t low, const mpq_t high)
{
    return sign_of_parts(p, low, high) > 0 ? 1 : sign_of_parts(p, high, low) < 0 ? -1 : 0;
}

int algebraic_sign(algebraic *a, const polynomial *p)
{
    enum { CHEAP = 3 }; /* so many evaluations before the test for zero */
    if (p->degree <= 0)
        return p->degree < 0 ? 0 : mpz_sgn(p->c[0]);
    for (int round = 0;; round++) {
        if (known(a))
            return polynomial_sign(p, a->low);
        int sign = sign_between(p, a->low, a->high);
        if (sign != 0)
            return sign;
        if (round == CHEAP) {
            polynomial divisor;
            polynomial_init(&divisor);
            common_divisor(&divisor, &a->of, p);
            bool zero = divisor.degree > 0 && polynomial_sign(&divisor, a->low) != polynomial_sign(&divisor, a->high);
            polynomial_clear(&divisor);
            if (zero)
                return 0;
        }
        for (int i = 0; i < 6; i++)
            algebraic_narrow(a);
    }
}

typedef struct chain {
    int length;
    polynomial p[POLYNOMIAL_TERMS];
} chain;

static void chain_make(chain *c, const polynomial *p)
{
    c->length = 1;
    polynomial_init(&c->p[0]);
    polynomial_copy(&c->p[0], p);
    polynomial next;
    polynomial_init(&next);
    polynomial_derive(&next, p);
    while (next.degree >= 0) {
        int last = c->length++;
        polynomial_init(&c->p[last]);
        polynomial_copy(&c->p[last], &next);
        polynomial_copy(&next, &c->p[last - 1]);
        reduce(&next, &c->p[last]);
        for (int i = 0; i <= next.degree; i++)
            mpz_neg(next.c[i], next.c[i]);
    }
    polynomial_clear(&next);
}

static void chain_clear(chain *c)
{
    for (int i = 0; i < c->length; i++)
        polynomial_clear(&c->p[i]);
}

static int chain_changes(const chain *c, const mpq_t t)
{
    int changes = 0, before = 0;
    for (int i = 0; i < c->length; i++) {
        int sign = polynomial_sign(&c->p[i], t);
        if (sign * before < 0)
            changes++;
        if (sign != 0)
            before = sign;
    }
    return changes;
}

/* The roots in (low, high], where the chain changes its sign `count` times. */
static int isolate(const chain *c, const mpq_t low, int changes_low, const mpq_t high, int changes_high,
                   algebraic *roots)
{
    int count = changes_low - changes_high;
    if (count == 0)
        return 0;
    if (count == 1) {
        polynomial_copy(&roots->of, &c->p[0]);
        if (polynomial_sign(&c->p[0], high) == 0) {
            mpq_set(roots->low, high);
            mpq_set(roots->high, high);
            return 1;
        }
        if (polynomial_sign(&c->p[0], low) != 0) {
            mpq_set(roots->low, low);
            mpq_set(roots->high, high);
            return 1;
        }
    }
    mpq_t middle;
    mpq_init(middle);
    between(middle, low, high);
    int changes = chain_changes(c, middle);
    int first = isolate(c, low, changes_low, middle, changes, roots);
    int second = isolate(c, middle, changes, high, changes_high, roots + first);
    mpq_clear(middle);
    return first + second;
}

int polynomial_roots(const polynomial *p, const mpq_t from, const mpq_t to, algebraic *roots)
{
    if (p->degree == 0)
        return 0;
    polynomial once;
    polynomial_init(&once);
    polynomial_copy(&once, p);
    make_square_free(&once);
    int count = 0;
    if (once.degree == 1) {
        mpq_t root;
        mpq_init(root);
        mpz_neg(mpq_numref(root), once.c[0]);
        mpz_set(mpq_denref(root), once.c[1]);
        mpq_canonicalize(root);
        if (mpq_cmp(root, from) >= 0 && mpq_cmp(root, to) <= 0)
            algebraic_rational(&roots[count++], root);
        mpq_clear(root);
    } else {
        if (polynomial_sign(&once, from) == 0)
            algebraic_rational(&roots[count++], from);
        chain c;
        chain_make(&c, &once);
        count += isolate(&c, from, chain_changes(&c, from), to, chain_changes(&c, to), roots + count);
        chain_clear(&c);
    }
    polynomial_clear(&once);
    return count;
}
