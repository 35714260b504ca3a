/*
 * Real algebraic numbers for the oracles: roots of polynomials with whole coefficients, in GMP. Nothing is rounded; every
 * question ends, because equality is proved by a common divisor and inequality by narrowing.
 *
 * Only numbers that are not negative are spoken of (times): see algebraic_sign.
 */
#ifndef TACT_ORACLE_ALGEBRAIC_H
#define TACT_ORACLE_ALGEBRAIC_H

#include <gmp.h>

#define POLYNOMIAL_TERMS 9 /* degree 8 at most */

/* c[0] + c[1] t + ...; a polynomial owns all its terms whatever its degree. */
typedef struct polynomial {
    int degree; /* -1: identically zero; else c[degree] is not zero */
    mpz_t c[POLYNOMIAL_TERMS];
} polynomial;

void polynomial_init(polynomial *p); /* zero */
void polynomial_clear(polynomial *p);
void polynomial_copy(polynomial *p, const polynomial *q);

/* p = constant + slope t */
void polynomial_line(polynomial *p, const mpz_t constant, const mpz_t slope);

/* p = q + r, q - r, q r; p may be q or r in the first two, not in the third */
void polynomial_add(polynomial *p, const polynomial *q, const polynomial *r);
void polynomial_subtract(polynomial *p, const polynomial *q, const polynomial *r);
void polynomial_multiply(polynomial *p, const polynomial *q, const polynomial *r);
void polynomial_derive(polynomial *p, const polynomial *q);

/* The value, and only its sign. */
void polynomial_value(mpq_t value, const polynomial *p, const mpq_t t);
int polynomial_sign(const polynomial *p, const mpq_t t);

/* A root of `of`, which is square-free: the number `low` if low = high, else the only root between them. */
typedef struct algebraic {
    polynomial of;
    mpq_t low, high; /* different: `of` has opposite signs there, neither of them zero */
} algebraic;

void algebraic_init(algebraic *a); /* zero */
void algebraic_clear(algebraic *a);
void algebraic_copy(algebraic *a, const algebraic *b);
void algebraic_rational(algebraic *a, const mpq_t value);

/* Halve low to high, or better. */
void algebraic_narrow(algebraic *a);

/* The sign of the difference. They may narrow their arguments, which changes nothing that can be asked. */
int algebraic_compare(algebraic *a, algebraic *b);
int algebraic_compare_rational(algebraic *a, const mpq_t value);

/* The sign of p(a), where a >= 0. */
int algebraic_sign(algebraic *a, const polynomial *p);

/* The distinct roots of p (not zero) with 0 <= from <= root <= to, in increasing order, into `roots` (initialised, as many as the
 * degree); how many there are. */
int polynomial_roots(const polynomial *p, const mpq_t from, const mpq_t to, algebraic *roots);

#endif
