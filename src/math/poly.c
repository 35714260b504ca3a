/*
 * Real roots of cubics, by sign rules alone.
 *
 * Guarantee: every comparison is exact. Where does a point x lie among the roots of f? By Descartes' rule of signs for
 * f(x + y), applied to the signs of f(x), f'(x), f''(x)/2, f'''(x)/6: the number of sign changes (zeros left out) is
 * the number of roots above x, each counted as often as it is one, provided that *all roots of f are real*; the number
 * of zeros at the beginning is how often x itself is a root. A cubic whose roots are not all real has just one, a
 * simple one, and the sign of f(x) alone tells its side. Which of the two it is the discriminant tells: for a x^3 + b
 * x^2 + c x + d, that of the Hessian p x^2 + q x y + r y^2, p = b^2 - 3 a c, q = b c - 9 a d, r = c^2 - 3 b d, is q^2 -
 * 4 p r = -3 disc(f). So neither square-free parts nor isolating intervals are needed.
 *
 * The point x may be a double, a rational -c/b, or a root of a x^2 + b x + c, a > 0. For the last f is first reduced to
 * v x + u (times a power of a, which is positive): 2 a (v x + u) = P +- Q sqrt(D) with P = 2 a u - b v, Q = v, D = b^2
 * - 4 a c, and if the two terms have opposite signs P^2 and Q^2 D decide. The sign of a quadratic g at a root r of f is
 * that of r against the roots of g, hence needs no approximation of r, and g(r) = 0 comes out as such.
 *
 * Cost: some ten products of numbers of up to six times the length of the coefficients of g. Basu, Pollack and Roy,
 * "Algorithms in Real Algebraic Geometry" (2006), ch. 2, prove the rule for real-rooted polynomials. The usual way
 * (square-free part, isolation by bisection, refinement until signs are certain) takes thousands of steps if roots all
 * but coincide, which is why we depart from it.
 */
#include "math/poly.h"

#include "math/poly_filter.h"

static const uint64_t word_3[1] = {3}, word_9[1] = {9};
static const wide three = {word_3, 1, 1}, nine = {word_9, 1, 1};

static inline wide product(wide_workspace *workspace, wide a, wide b) { return tact_wide_mul(workspace, a, b); }

/* a b - c d */
static wide minor(wide_workspace *workspace, wide a, wide b, wide c, wide d)
{
    return tact_wide_dot(workspace, 2, (wide[]){a, c}, (wide[]){b, wide_negate(d)});
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
    int down = e < 0 ? -e : 0; /* x = m / 2^down, and f(x) 2^(n down) is whole */
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

static inline bool all_real(const poly_roots *roots) { return roots->count == roots->f.degree; }

/* How many of the roots are above the point where f, f', f''/2, ... have these signs, and how many are there? */
static int roots_above(const int *signs, int degree, int *equal)
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

/* The sign of root number k less the point where f, f' and f''/2 (f alone if not all roots are real) have these signs.
 */
static int place(const poly_roots *roots, int k, const int signs[3])
{
    int n = roots->f.degree;
    assert(k >= 0 && k < roots->count);
    if (!all_real(roots))
        return -signs[0] * roots->f.c[n].sign;
    int all[POLY_DEGREE + 1] = {signs[0], signs[1], signs[2], 0}, equal;
    all[n] = roots->f.c[n].sign;
    int above = roots_above(all, n, &equal);
    int below = n - above - equal;
    return k < below ? -1 : k < below + equal ? 0 : 1;
}

/* The sign of f(x), or of a derivative, first in doubles. */
static int sign_at(wide_workspace *workspace, const poly_roots *roots, const poly *f, const poly_approximation *near,
                   double x)
{
    int sign = x >= roots->from && x <= roots->to ? poly_approximation_sign(near, x, x) : 0;
    return sign != 0 ? sign : poly_sign(workspace, f, x);
}

static void signs_at(wide_workspace *workspace, const poly_roots *roots, double x, int signs[POLY_DEGREE + 1])
{
    int n = roots->f.degree;
    poly_approximation slope = poly_approximation_derivative(&roots->approximation),
                       bend = poly_approximation_derivative(&slope);
    signs[0] = sign_at(workspace, roots, &roots->f, &roots->approximation, x);
    signs[1] = n > 1 ? sign_at(workspace, roots, &roots->derivative, &slope, x) : 0;
    signs[2] = n > 2 ? sign_at(workspace, roots, &roots->half_second_derivative, &bend, x) : 0;
    signs[3] = 0;
    signs[n] = roots->f.c[n].sign;
}

/* The sign of the discriminant of a cubic, but for a factor 3: 4 p r - q^2, in doubles; 0 if it is not certain. With e
 * = 2^-52 the coefficients are off by 2 e, in any rounding mode; p, q and r by less than 8 e of the sums of the sizes
 * of their terms; the result by less than 2 * 8 e + 3 e of the like sum, which the computed one is at least half of. */
static int sketch_discriminant(const double c[4])
{
    double bb = c[2] * c[2], ac = 3.0 * c[3] * c[1], bc = c[2] * c[1], ad = 9.0 * c[3] * c[0];
    double cc = c[1] * c[1], bd = 3.0 * c[2] * c[0];
    double p = bb - ac, q = bc - ad, r = cc - bd;
    double value = 4.0 * p * r - q * q, most = fabs(bc) + fabs(ad);
    double bound = 0x1p-46 * (4.0 * (bb + fabs(ac)) * (cc + fabs(bd)) + most * most) + 0x1p-900;
    return (value > bound) - (value < -bound);
}

/* How many real roots are there? */
static int count_roots(wide_workspace *workspace, const poly *f, const poly_approximation *near)
{
    int certain = f->degree == 3 ? sketch_discriminant(near->c) : 0;
    if (certain != 0)
        return certain > 0 ? 3 : 1;
    const wide *c = f->c;
    int mark = workspace->used, count = f->degree;
    if (f->degree == 2) {
        wide square = product(workspace, c[1], c[1]);
        wide other = tact_wide_shift_left(workspace, product(workspace, c[0], c[2]), 2);
        if (tact_wide_compare(square, other) < 0)
            count = 0;
    } else if (f->degree == 3) {
        wide p = minor(workspace, c[2], c[2], product(workspace, three, c[3]), c[1]);
        wide q = minor(workspace, c[2], c[1], product(workspace, nine, c[3]), c[0]);
        wide r = minor(workspace, c[1], c[1], product(workspace, three, c[2]), c[0]);
        wide square = product(workspace, q, q);
        wide other = tact_wide_shift_left(workspace, product(workspace, p, r), 2);
        if (tact_wide_compare(other, square) < 0)
            count = 1;
    }
    workspace->used = mark;
    return count;
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
    /* f' is monotone where f'' keeps its sign, hence keeps its own if it has it at both ends */
    bool bent = n == 3 && (at_from[2] == 0 || at_from[2] != at_to[2]);
    if (n == 1 || (at_from[1] == at_to[1] && !bent))
        roots.monotone = at_from[1];
    int equal_from, equal_to;
    int above_from = roots_above(at_from, n, &equal_from), above_to = roots_above(at_to, n, &equal_to);
    if (equal_from == 0 && above_from == above_to)
        return roots; /* Budan: no more roots in (from, to] than sign changes are lost, of any polynomial */
    roots.count = count_roots(workspace, f, &roots.approximation);
    while (roots.first < roots.count && place(&roots, roots.first, at_from) < 0)
        ++roots.first;
    roots.last = roots.first;
    while (roots.last < roots.count && place(&roots, roots.last, at_to) <= 0) {
        roots.count_at_from += place(&roots, roots.last, at_from) == 0;
        roots.count_at_to += place(&roots, roots.last, at_to) == 0;
        ++roots.last;
    }
    return roots;
}

int tact_poly_root_compare(wide_workspace *workspace, const poly_roots *roots, int k, double x)
{
    int signs[POLY_DEGREE + 1] = {0};
    if (all_real(roots)) {
        if (roots->monotone != 0 && k >= roots->first && k < roots->last && x >= roots->from && x <= roots->to)
            return -roots->monotone * sign_at(workspace, roots, &roots->f, &roots->approximation,
                                              x); /* it is the only root there, and so is x */
        signs_at(workspace, roots, x, signs);
    } else {
        signs[0] = sign_at(workspace, roots, &roots->f, &roots->approximation, x);
    }
    return place(roots, k, signs);
}

/* The sign of h at the root of b x + c, b > 0: that of the sum of h_i (-c)^i b^(n - i). */
static int sign_at_rational(wide_workspace *workspace, const poly *h, wide b, wide c)
{
    if (h->degree <= 0)
        return h->c[0].sign;
    int mark = workspace->used;
    wide minus = wide_negate(c), sum = h->c[h->degree], power = b;
    for (int i = h->degree - 1; i >= 0; --i) {
        sum = tact_wide_dot(workspace, 2, (wide[]){sum, h->c[i]}, (wide[]){minus, power});
        if (i > 0)
            power = product(workspace, power, b);
    }
    workspace->used = mark;
    return sum.sign;
}

/* A quadratic a x^2 + b x + c with a > 0 and real roots. */
typedef struct quadratic {
    wide a, b, c, discriminant;
} quadratic;

/* The signs of h at the two roots of g. */
static void signs_at_roots(wide_workspace *workspace, const poly *h, const quadratic *g, int signs[2])
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
    } else { /* with equal signs of P and +-Q sqrt(D) they are that of the sum, else the larger one decides */
        wide square = product(workspace, p, p);
        wide other = product(workspace, product(workspace, v, v), g->discriminant);
        int larger = p.sign * tact_wide_compare(square, other);
        signs[0] = p.sign != of_root ? p.sign : larger;
        signs[1] = p.sign == of_root ? p.sign : larger;
    }
    workspace->used = mark;
}

/* The signs of root number k less each of the two roots of g. */
static void compare_with_roots(wide_workspace *workspace, const poly_roots *roots, int k, const quadratic *g,
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
    order[0] = place(roots, k, lower);
    order[1] = place(roots, k, upper);
}

static int compare_with_rational(wide_workspace *workspace, const poly_roots *roots, int k, wide b, wide c)
{
    int signs[3] = {sign_at_rational(workspace, &roots->f, b, c), 0, 0};
    if (all_real(roots)) {
        signs[1] = sign_at_rational(workspace, &roots->derivative, b, c);
        signs[2] = sign_at_rational(workspace, &roots->half_second_derivative, b, c);
    }
    return place(roots, k, signs);
}

/* g, or -g if that makes its leading coefficient positive */
static quadratic upright(wide_workspace *workspace, const poly *g)
{
    bool turn = g->c[2].sign < 0;
    quadratic q = {turn ? wide_negate(g->c[2]) : g->c[2],
                   turn ? wide_negate(g->c[1]) : g->c[1],
                   turn ? wide_negate(g->c[0]) : g->c[0],
                   {NULL, 0, 0}};
    q.discriminant = minor(workspace, q.b, q.b, tact_wide_shift_left(workspace, q.a, 2), q.c);
    return q;
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
    quadratic q = upright(workspace, g);
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
        bool turn = g->c[1].sign < 0;
        return compare_with_rational(workspace, roots, k, turn ? wide_negate(g->c[1]) : g->c[1],
                                     turn ? wide_negate(g->c[0]) : g->c[0]);
    }
    int mark = workspace->used, order[2];
    quadratic q = upright(workspace, g);
    compare_with_roots(workspace, roots, k, &q, order);
    workspace->used = mark;
    return order[j];
}
