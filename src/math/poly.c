/*
 * Real roots of cubics by sign rules.
 *
 * Guarantee: every comparison is exact.
 *
 * Method: the position of a point x among the roots of f follows from Descartes' rule of signs for f(x + y), applied to
 * the signs of f(x), f'(x), f''(x)/2, f'''(x)/6. If *all roots of f are real*, the number of sign changes (zeros left
 * out) is the number of roots above x, with multiplicity, and the number of leading zeros is the multiplicity of x as a
 * root. A cubic whose roots are not all real has one simple real root, and the sign of f(x) tells the side. The
 * discriminant distinguishes the two cases: for a x^3 + b x^2 + c x + d, the Hessian p x^2 + q x y + r y^2 with
 * p = b^2 - 3 a c, q = b c - 9 a d, r = c^2 - 3 b d has q^2 - 4 p r = -3 disc(f). So neither square-free parts nor
 * isolating intervals are needed.
 *
 * The point x may be a double, a rational -c/b, or a root of a x^2 + b x + c, a > 0. For the last, f is reduced to
 * v x + u (times a power of a, which is positive): 2 a (v x + u) = P +- Q sqrt(D) with P = 2 a u - b v, Q = v,
 * D = b^2 - 4 a c. If the two terms have opposite signs, P^2 and Q^2 D decide. The sign of a quadratic g at a root r of
 * f follows from the position of r among the roots of g. So r is never approximated, and g(r) = 0 is detected.
 *
 * Cost: some ten products of numbers of up to six times the length of the coefficients of g. Basu, Pollack and Roy,
 * "Algorithms in Real Algebraic Geometry" (2006), ch. 2, prove the rule for real-rooted polynomials. The usual method
 * (square-free part, isolation by bisection, refinement until the signs are certain) takes thousands of steps when
 * roots nearly coincide, which is why we depart from it.
 */
#include "math/poly.h"

#include "math/math_constants.h"
#include "math/poly_filter.h"

static const uint64_t word_3[1] = {3}, word_9[1] = {9};
static const wide three = {word_3, 1, 1}, nine = {word_9, 1, 1};

static inline wide product(wide_workspace *workspace, wide a, wide b) { return tact_wide_mul(workspace, a, b); }

/* a b - c d */
static wide minor(wide_workspace *workspace, wide a, wide b, wide c, wide d)
{
    return tact_wide_dot(workspace, 2, (wide[]){a, c}, (wide[]){b, wide_negate(d)});
}

static inline bool all_real(const poly_roots *roots) { return roots->count == roots->f.degree; }

/* The number of roots above the point where f, f', f''/2, ... have these signs; `equal`: the number at the point. */
static int count_roots_above(const int *signs, int degree, int *equal)
{
    int above = 0, last = 0;
    *equal = 0;
    for (int i = 0; i <= degree; ++i) {
        if (signs[i] == 0) {
            *equal += last == 0;
            continue;
        }
        above += last != 0 && signs[i] != last;
        last = signs[i];
    }
    return above;
}

/* The sign of root number k minus the point where f, f' and f''/2 have these signs (f only, if not all roots are real).
 */
static int compare_by_signs(const poly_roots *roots, int k, const int signs[3])
{
    int n = roots->f.degree;
    assert(k >= 0 && k < roots->count);
    if (!all_real(roots))
        return -signs[0] * roots->f.c[n].sign;
    int all[POLY_DEGREE + 1] = {signs[0], signs[1], signs[2], 0}, equal;
    all[n] = roots->f.c[n].sign;
    int above = count_roots_above(all, n, &equal);
    int below = n - above - equal;
    return k < below ? -1 : k < below + equal ? 0 : 1;
}

/* The sign of f(x), or of a derivative: the filter first, then exactly. */
static int sign_at(wide_workspace *workspace, const poly_roots *roots, const poly *f,
                   const poly_approximation *approximation, double x)
{
    int sign = x >= roots->from && x <= roots->to ? poly_approximation_sign(approximation, x, x) : 0;
    return sign != 0 ? sign : poly_sign(workspace, f, x);
}

static void signs_at(wide_workspace *workspace, const poly_roots *roots, double x, int signs[POLY_DEGREE + 1])
{
    int n = roots->f.degree;
    poly_approximation first = poly_approximation_derivative(&roots->approximation),
                       second = poly_approximation_derivative(&first);
    signs[0] = sign_at(workspace, roots, &roots->f, &roots->approximation, x);
    signs[1] = n > 1 ? sign_at(workspace, roots, &roots->derivative, &first, x) : 0;
    signs[2] = n > 2 ? sign_at(workspace, roots, &roots->half_second_derivative, &second, x) : 0;
    signs[3] = 0;
    signs[n] = roots->f.c[n].sign;
}

/* Filter for the sign of the discriminant of a cubic, 4 p r - q^2 = 3 disc(f); 0 if unproved. With e = 2^-52, in any
 * rounding mode, the relative error of the coefficients is 2 e. The error of p, q and r is below 8 e times the sum of
 * the magnitudes of their terms. That of the result is below 2 * 8 e + 3 e times the corresponding sum, and the
 * computed sum is at least half of it. */
static int filter_discriminant(const double c[4])
{
    double bb = c[2] * c[2], ac = 3.0 * c[3] * c[1], bc = c[2] * c[1], ad = 9.0 * c[3] * c[0];
    double cc = c[1] * c[1], bd = 3.0 * c[2] * c[0];
    double p = bb - ac, q = bc - ad, r = cc - bd;
    double value = 4.0 * p * r - q * q, q_sum = fabs(bc) + fabs(ad);
    double bound = POLY_DISCRIMINANT_ERROR * (4.0 * (bb + fabs(ac)) * (cc + fabs(bd)) + q_sum * q_sum) + POLY_UNDERFLOW;
    return (value > bound) - (value < -bound);
}

/* The sign of the discriminant of a quadratic or cubic. */
static int discriminant_sign(wide_workspace *workspace, const poly *f, const poly_approximation *approximation)
{
    int sign = f->degree == 3 ? filter_discriminant(approximation->c) : 0;
    if (sign != 0)
        return sign;
    const wide *c = f->c;
    int mark = workspace->used;
    if (f->degree == 2) {
        wide square = product(workspace, c[1], c[1]);
        wide other = tact_wide_shift_left(workspace, product(workspace, c[0], c[2]), 2);
        sign = tact_wide_compare(square, other);
    } else {
        wide p = minor(workspace, c[2], c[2], product(workspace, three, c[3]), c[1]);
        wide q = minor(workspace, c[2], c[1], product(workspace, nine, c[3]), c[0]);
        wide r = minor(workspace, c[1], c[1], product(workspace, three, c[2]), c[0]);
        wide square = product(workspace, q, q);
        wide other = tact_wide_shift_left(workspace, product(workspace, p, r), 2);
        sign = tact_wide_compare(other, square);
    }
    workspace->used = mark;
    return sign;
}

/* The number of real roots, with multiplicity. */
static int count_real_roots(wide_workspace *workspace, const poly *f, const poly_approximation *approximation)
{
    bool all = f->degree < 2 || discriminant_sign(workspace, f, approximation) >= 0;
    return all ? f->degree : f->degree - 2;
}

/* The sign of h at the root of b x + c, b > 0: the sign of the sum of h_i (-c)^i b^(n - i). */
static int sign_at_rational(wide_workspace *workspace, const poly *h, wide b, wide c)
{
    if (h->degree <= 0)
        return h->c[0].sign;
    int mark = workspace->used;
    wide minus_c = wide_negate(c), sum = h->c[h->degree], power = b;
    for (int i = h->degree - 1; i >= 0; --i) {
        sum = tact_wide_dot(workspace, 2, (wide[]){sum, h->c[i]}, (wide[]){minus_c, power});
        if (i > 0)
            power = product(workspace, power, b);
    }
    workspace->used = mark;
    return sum.sign;
}

/* A quadratic a x^2 + b x + c with a > 0 and real roots. */
typedef struct wide_quadratic {
    wide a, b, c, discriminant;
} wide_quadratic;

/* The signs of h at the two roots of g. */
static void signs_at_roots(wide_workspace *workspace, const poly *h, const wide_quadratic *g, int signs[2])
{
    int mark = workspace->used;
    wide a = g->a, b = g->b, c = g->c, u = h->c[0], v = h->c[1];
    const wide *f = h->c;
    if (h->degree == 2) { /* x^2 = -(b x + c) / a */
        u = minor(workspace, f[0], a, f[2], c);
        v = minor(workspace, f[1], a, f[2], b);
    } else if (h->degree == 3) { /* and x^3 = ((b^2 - a c) x + b c) / a^2 */
        wide aa = product(workspace, a, a), ab = wide_negate(product(workspace, a, b)),
             ac = wide_negate(product(workspace, a, c));
        wide bc = product(workspace, b, c), bb = tact_wide_add(workspace, product(workspace, b, b), ac);
        u = tact_wide_dot(workspace, 3, (wide[]){f[0], f[2], f[3]}, (wide[]){aa, ac, bc});
        v = tact_wide_dot(workspace, 3, (wide[]){f[1], f[2], f[3]}, (wide[]){aa, ab, bb});
    }
    wide p = minor(workspace, u, tact_wide_shift_left(workspace, a, 1), v, b);
    int of_root = v.sign * g->discriminant.sign;
    if (p.sign == 0 || of_root == 0) {
        signs[0] = p.sign != 0 ? p.sign : -of_root;
        signs[1] = p.sign != 0 ? p.sign : of_root;
    } else { /* if P and +-Q sqrt(D) have equal signs, that is the sign of the sum; else the larger term decides */
        wide square = product(workspace, p, p);
        wide other = product(workspace, product(workspace, v, v), g->discriminant);
        int larger = p.sign * tact_wide_compare(square, other);
        signs[0] = p.sign != of_root ? p.sign : larger;
        signs[1] = p.sign == of_root ? p.sign : larger;
    }
    workspace->used = mark;
}

/* The signs of root number k minus each of the two roots of g. */
static void compare_with_roots(wide_workspace *workspace, const poly_roots *roots, int k, const wide_quadratic *g,
                               int order[2])
{
    int lower[3] = {0}, upper[3] = {0}, signs[2];
    const poly *h[3] = {&roots->f, &roots->derivative, &roots->half_second_derivative};
    int needed = all_real(roots) ? roots->f.degree : 1;
    for (int i = 0; i < needed; ++i) {
        signs_at_roots(workspace, h[i], g, signs);
        lower[i] = signs[0];
        upper[i] = signs[1];
    }
    order[0] = compare_by_signs(roots, k, lower);
    order[1] = compare_by_signs(roots, k, upper);
}

static int compare_with_rational(wide_workspace *workspace, const poly_roots *roots, int k, wide b, wide c)
{
    int signs[3] = {sign_at_rational(workspace, &roots->f, b, c), 0, 0};
    if (all_real(roots)) {
        signs[1] = sign_at_rational(workspace, &roots->derivative, b, c);
        signs[2] = sign_at_rational(workspace, &roots->half_second_derivative, b, c);
    }
    return compare_by_signs(roots, k, signs);
}

/* g or -g, whichever has a positive leading coefficient */
static wide_quadratic with_positive_lead(wide_workspace *workspace, const poly *g)
{
    bool negate = g->c[2].sign < 0;
    wide_quadratic q = {negate ? wide_negate(g->c[2]) : g->c[2],
                        negate ? wide_negate(g->c[1]) : g->c[1],
                        negate ? wide_negate(g->c[0]) : g->c[0],
                        {NULL, 0, 0}};
    q.discriminant = minor(workspace, q.b, q.b, tact_wide_shift_left(workspace, q.a, 2), q.c);
    return q;
}

wide tact_poly_value(wide_workspace *workspace, const poly *f, double x, int *exponent)
{
    int e, n = f->degree;
    uint64_t bits = wide_bits_of_double(x);
    uint64_t odd = wide_odd_significand(bits, &e);
    *exponent = 0;
    if (n <= 0 || odd == 0)
        return f->c[0];
    wide m = {&odd, 1, bits >> 63 ? -1 : 1};
    if (e > 0)
        m = tact_wide_shift_left(workspace, m, e);
    int down = e < 0 ? -e : 0; /* x = m / 2^down, and f(x) 2^(n down) is an integer */
    wide sum = f->c[n];
    for (int i = n - 1; i >= 0; --i) {
        int start = workspace->used;
        if (odd == 1 && e <= 0) /* a power of two */
            sum.sign *= m.sign;
        else
            sum = product(workspace, sum, m);
        wide term = down > 0 ? tact_wide_shift_left(workspace, f->c[i], down * (n - i)) : f->c[i];
        sum = wide_keep(workspace, start, tact_wide_add(workspace, sum, term));
    }
    *exponent = -n * down;
    return sum;
}

poly_roots tact_poly_roots_find(wide_workspace *workspace, const poly *f, double from, double to)
{
    const wide none = {NULL, 0, 0};
    const wide *c = f->c;
    int n = f->degree;
    poly_roots roots = {
        .f = *f, .derivative = {.degree = -1}, .half_second_derivative = {.degree = -1}, .from = from, .to = to};
    assert(n >= 0);
    wide threefold = n == 3 ? product(workspace, three, c[3]) : none;
    wide twice = n >= 2 ? tact_wide_shift_left(workspace, c[2], 1) : none;
    roots.derivative = poly_make((wide[]){c[1], twice, threefold, none});
    roots.half_second_derivative = poly_make((wide[]){c[2], threefold, none, none});
    roots.approximation = poly_approximate(f, fabs(from) > fabs(to) ? from : to);
    int at_from[POLY_DEGREE + 1], at_to[POLY_DEGREE + 1];
    signs_at(workspace, &roots, from, at_from);
    signs_at(workspace, &roots, to, at_to);
    /* f' is monotone where f'' has one sign; so if f' has the same sign at both ends it has it throughout */
    bool inflects = n == 3 && (at_from[2] == 0 || at_from[2] != at_to[2]);
    if (n == 1 || (at_from[1] == at_to[1] && !inflects))
        roots.monotone = at_from[1];
    int equal_from, equal_to;
    int above_from = count_roots_above(at_from, n, &equal_from), above_to = count_roots_above(at_to, n, &equal_to);
    if (equal_from == 0 && above_from == above_to)
        return roots; /* Budan's theorem: at most as many roots in (from, to] as sign changes are lost */
    roots.count = count_real_roots(workspace, f, &roots.approximation);
    while (roots.first < roots.count && compare_by_signs(&roots, roots.first, at_from) < 0)
        ++roots.first;
    roots.last = roots.first;
    while (roots.last < roots.count && compare_by_signs(&roots, roots.last, at_to) <= 0) {
        roots.count_at_from += compare_by_signs(&roots, roots.last, at_from) == 0;
        roots.count_at_to += compare_by_signs(&roots, roots.last, at_to) == 0;
        ++roots.last;
    }
    return roots;
}

bool tact_poly_roots_equal(wide_workspace *workspace, const poly_roots *roots, int k)
{
    assert(k >= 0 && k + 1 < roots->count && all_real(roots));
    if (discriminant_sign(workspace, &roots->f, &roots->approximation) != 0)
        return false;
    if (roots->f.degree == 2)
        return true;
    /* root number 1 of a cubic is a multiple root; the inflection is on the side of the other root, or there */
    int side = roots->f.c[3].sign * tact_poly_root_sign(workspace, roots, 1, &roots->half_second_derivative);
    return k == 0 ? side <= 0 : side >= 0;
}

int tact_poly_root_compare(wide_workspace *workspace, const poly_roots *roots, int k, double x)
{
    int signs[POLY_DEGREE + 1] = {0};
    if (all_real(roots)) {
        if (roots->monotone != 0 && k >= roots->first && k < roots->last && x >= roots->from && x <= roots->to)
            /* it is the only root in the interval, and x lies in the interval */
            return -roots->monotone * sign_at(workspace, roots, &roots->f, &roots->approximation, x);
        signs_at(workspace, roots, x, signs);
    } else {
        signs[0] = sign_at(workspace, roots, &roots->f, &roots->approximation, x);
    }
    return compare_by_signs(roots, k, signs);
}

int tact_poly_root_sign(wide_workspace *workspace, const poly_roots *roots, int k, const poly *g)
{
    assert(g->degree <= 2);
    if (g->degree <= 0)
        return g->c[0].sign;
    int lead = g->c[g->degree].sign;
    if (g->degree == 1) {
        wide b = g->c[1], c = g->c[0];
        return lead *
               compare_with_rational(workspace, roots, k, lead < 0 ? wide_negate(b) : b, lead < 0 ? wide_negate(c) : c);
    }
    int mark = workspace->used, order[2];
    wide_quadratic q = with_positive_lead(workspace, g);
    if (q.discriminant.sign < 0) {
        workspace->used = mark;
        return lead;
    }
    compare_with_roots(workspace, roots, k, &q, order);
    workspace->used = mark;
    return lead * order[0] * order[1];
}

int tact_poly_root_compare_root(wide_workspace *workspace, const poly_roots *roots, int k, const poly_roots *others,
                                int j)
{
    const poly *g = &others->f;
    assert(g->degree >= 1 && g->degree <= 2 && j < others->count);
    if (g->degree == 1) {
        bool negate = g->c[1].sign < 0;
        return compare_with_rational(workspace, roots, k, negate ? wide_negate(g->c[1]) : g->c[1],
                                     negate ? wide_negate(g->c[0]) : g->c[0]);
    }
    int mark = workspace->used, order[2];
    wide_quadratic q = with_positive_lead(workspace, g);
    compare_with_roots(workspace, roots, k, &q, order);
    workspace->used = mark;
    return order[j];
}
