/* NURBS surfaces in exact rational arithmetic. */
#include "oracle/nurbs_exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

mpq_t *nurbs_exact_numbers(size_t count)
{
    mpq_t *numbers = malloc((count + 1) * sizeof *numbers);
    if (numbers == NULL) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    for (size_t i = 0; i < count; ++i)
        mpq_init(numbers[i]);
    return numbers;
}

void nurbs_exact_free(mpq_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        mpq_clear(numbers[i]);
    free(numbers);
}

double nurbs_exact_error(const mpq_t exact, double value)
{
    if (!isfinite(value))
        return INFINITY;
    mpq_t difference;
    mpq_init(difference);
    mpq_set_d(difference, value);
    mpq_sub(difference, difference, exact);
    double error = fabs(mpq_get_d(difference));
    mpq_clear(difference);
    return error;
}

size_t nurbs_exact_span(const double *knots, int degree, size_t count, double t)
{
    size_t found = 0;
    for (size_t k = count; k-- > (size_t)degree;)
        if (knots[k] < knots[k + 1]) {
            found = k;
            if (knots[k] <= t)
                break;
        }
    return found;
}

/* polynomial of n + 1 coefficients *= (constant + sign x) / width. */
static void multiply(mpq_t *polynomial, int n, const mpq_t constant, int sign, const mpq_t width)
{
    mpq_t term;
    mpq_init(term);
    for (int m = n; m >= 0; --m) {
        mpq_mul(term, polynomial[m], constant);
        if (m > 0 && sign > 0)
            mpq_add(term, term, polynomial[m - 1]);
        if (m > 0 && sign < 0)
            mpq_sub(term, term, polynomial[m - 1]);
        mpq_div(polynomial[m], term, width);
    }
    mpq_clear(term);
}

/* Taylor coefficients at t of the basis functions of the span that begins at knot k, up to x^n: coefficient m of
 * function k - degree + i in out[i * (n + 1) + m]. */
static void expand(mpq_t *out, const double *knots, int degree, size_t k, double t, int n)
{
    size_t size = (size_t)n + 1, functions = (size_t)degree + 2; /* k - degree to k + 1 */
    mpq_t *old = nurbs_exact_numbers(functions * size), *next = nurbs_exact_numbers(functions * size);
    mpq_t *work = nurbs_exact_numbers(4), *product = nurbs_exact_numbers(size);
    mpq_set_ui(old[(size_t)degree * size], 1, 1); /* N_k,0 = 1 */
    mpq_set_d(work[0], t);
    for (int p = 1; p <= degree; ++p) {
        for (size_t i = 0; i + 1 < functions; ++i) {
            size_t number = k - (size_t)degree + i;
            mpq_t *sum = next + i * size;
            for (size_t m = 0; m < size; ++m)
                mpq_set_ui(sum[m], 0, 1);
            for (size_t side = 0; side < 2; ++side) { /* N_i,p-1 and N_i+1,p-1 */
                /* their supports; 0 / 0 counts as 0 */
                size_t first = number + side, last = first + (size_t)p;
                int vanishes = 1;
                for (size_t m = 0; m < size; ++m) {
                    mpq_set(product[m], old[(i + side) * size + m]);
                    vanishes = vanishes && mpq_sgn(product[m]) == 0;
                }
                if (vanishes || knots[first] == knots[last])
                    continue;
                mpq_set_d(work[1], knots[first]);
                mpq_set_d(work[2], knots[last]);
                mpq_sub(work[3], work[2], work[1]);
                if (side == 0)
                    mpq_sub(work[1], work[0], work[1]); /* t - first + x */
                else
                    mpq_sub(work[1], work[2], work[0]); /* last - t - x */
                multiply(product, n, work[1], side == 0 ? 1 : -1, work[3]);
                for (size_t m = 0; m < size; ++m)
                    mpq_add(sum[m], sum[m], product[m]);
            }
        }
        mpq_t *swap = old;
        old = next;
        next = swap;
        for (size_t m = 0; m < size; ++m)
            mpq_set_ui(old[(functions - 1) * size + m], 0, 1); /* N_k+1 vanishes on the span */
    }
    for (size_t i = 0; i < (functions - 1) * size; ++i)
        mpq_set(out[i], old[i]);
    nurbs_exact_free(old, functions * size);
    nurbs_exact_free(next, functions * size);
    nurbs_exact_free(work, 4);
    nurbs_exact_free(product, size);
}

static void multiply_by_factorial(mpq_t number, int n)
{
    mpz_t factorial;
    mpz_init(factorial);
    mpz_fac_ui(factorial, (unsigned long)n);
    mpz_mul(mpq_numref(number), mpq_numref(number), factorial);
    mpq_canonicalize(number);
    mpz_clear(factorial);
}

void nurbs_exact_basis(mpq_t *out, const double *knots, int degree, size_t k, double t, int order)
{
    size_t size = (size_t)order + 1, functions = (size_t)degree + 1;
    mpq_t *taylor = nurbs_exact_numbers(functions * size);
    expand(taylor, knots, degree, k, t, order);
    for (size_t i = 0; i < functions; ++i)
        for (size_t m = 0; m < size; ++m) {
            mpq_set(out[m * functions + i], taylor[i * size + m]);
            multiply_by_factorial(out[m * functions + i], (int)m);
        }
    nurbs_exact_free(taylor, functions * size);
}

void nurbs_exact_extraction(mpq_t *out, const double *knots, int degree, size_t k)
{
    size_t size = (size_t)degree + 1;
    mpq_t *taylor = nurbs_exact_numbers(size * size), *work = nurbs_exact_numbers(4);
    expand(taylor, knots, degree, k, knots[k], degree);
    mpq_set_d(work[0], knots[k]);
    mpq_set_d(work[1], knots[k + 1]);
    mpq_sub(work[0], work[1], work[0]); /* the length h */
    for (size_t a = 0; a < size; ++a)
        for (size_t i = 0; i < size; ++i) {
            mpq_t *sum = &out[a * size + i];
            mpq_set_ui(*sum, 0, 1);
            mpq_set_ui(work[1], 1, 1);        /* h^m */
            for (size_t m = 0; m <= a; ++m) { /* C(a, m) / C(degree, m) c_m h^m */
                mpz_bin_uiui(mpq_numref(work[2]), (unsigned long)a, (unsigned long)m);
                mpz_bin_uiui(mpq_denref(work[2]), (unsigned long)degree, (unsigned long)m);
                mpq_canonicalize(work[2]);
                mpq_mul(work[2], work[2], work[1]);
                mpq_mul(work[2], work[2], taylor[i * size + m]);
                mpq_add(*sum, *sum, work[2]);
                mpq_mul(work[1], work[1], work[0]);
            }
        }
    nurbs_exact_free(taylor, size * size);
    nurbs_exact_free(work, 4);
}

static double clamped(const tact_nurbs_def *def, int d, double t)
{
    return fmin(fmax(t, def->knots[d][def->degree[d]]), def->knots[d][def->counts[d]]);
}

void nurbs_exact_evaluate(mpq_t *out, const tact_nurbs_def *def, double u, double v, int order)
{
    size_t p = (size_t)def->degree[0], q = (size_t)def->degree[1], size = (size_t)order + 1;
    size_t series = size * size; /* coefficient of x^k y^l at k * size + l */
    u = clamped(def, 0, u);
    v = clamped(def, 1, v);
    size_t k0 = nurbs_exact_span(def->knots[0], def->degree[0], def->counts[0], u);
    size_t k1 = nurbs_exact_span(def->knots[1], def->degree[1], def->counts[1], v);
    mpq_t *along_u = nurbs_exact_numbers((p + 1) * size), *along_v = nurbs_exact_numbers((q + 1) * size);
    mpq_t *sums = nurbs_exact_numbers(4 * series), *row = nurbs_exact_numbers(4 * size), *work = nurbs_exact_numbers(5);
    expand(along_u, def->knots[0], def->degree[0], k0, u, order);
    expand(along_v, def->knots[1], def->degree[1], k1, v, order);

    for (size_t i = 0; i <= p; ++i) {
        for (size_t n = 0; n < 4 * size; ++n)
            mpq_set_ui(row[n], 0, 1);
        for (size_t j = 0; j <= q; ++j) { /* (w x, w y, w z, w) */
            size_t index = (k0 - p + i) * def->counts[1] + k1 - q + j;
            mpq_set_d(work[3], def->weights != NULL ? def->weights[index] : 1.0);
            const double x[3] = {def->points[index].x, def->points[index].y, def->points[index].z};
            for (int c = 0; c < 3; ++c) {
                mpq_set_d(work[c], x[c]);
                mpq_mul(work[c], work[c], work[3]);
            }
            for (size_t l = 0; l < size; ++l)
                for (size_t c = 0; c < 4; ++c) {
                    mpq_mul(work[4], along_v[j * size + l], work[c]);
                    mpq_add(row[4 * l + c], row[4 * l + c], work[4]);
                }
        }
        for (size_t k = 0; k < size; ++k)
            for (size_t l = 0; k + l < size; ++l)
                for (size_t c = 0; c < 4; ++c) {
                    mpq_mul(work[4], along_u[i * size + k], row[4 * l + c]);
                    mpq_add(sums[4 * (k * size + l) + c], sums[4 * (k * size + l) + c], work[4]);
                }
    }
    /* The quotient of power series: sums = weight * quotient, coefficient by coefficient. */
    for (size_t k = 0; k < size; ++k)
        for (size_t l = 0; l < size; ++l)
            for (size_t c = 0; c < 3; ++c) {
                mpq_t *to = &out[(k * size + l) * 3 + c];
                mpq_set_ui(*to, 0, 1);
                if (k + l >= size)
                    continue;
                mpq_set(*to, sums[4 * (k * size + l) + c]);
                for (size_t i = 0; i <= k; ++i)
                    for (size_t j = 0; j <= l; ++j)
                        if (i + j > 0) { /* the quotient so far is not yet multiplied by factorials */
                            mpq_mul(work[4], sums[4 * (i * size + j) + 3], out[((k - i) * size + l - j) * 3 + c]);
                            mpq_sub(*to, *to, work[4]);
                        }
                mpq_div(*to, *to, sums[3]);
            }
    for (size_t k = 0; k < size; ++k)
        for (size_t l = 0; k + l < size; ++l)
            for (size_t c = 0; c < 3; ++c) {
                multiply_by_factorial(out[(k * size + l) * 3 + c], (int)k);
                multiply_by_factorial(out[(k * size + l) * 3 + c], (int)l);
            }
    nurbs_exact_free(along_u, (p + 1) * size);
    nurbs_exact_free(along_v, (q + 1) * size);
    nurbs_exact_free(sums, 4 * series);
    nurbs_exact_free(row, 4 * size);
    nurbs_exact_free(work, 5);
}

double nurbs_absolute_basis(const double *knots, int p, size_t number, size_t k, double t, int m)
{
    if (p == 0)
        return number == k && m == 0 ? 1.0 : 0.0;
    double first = knots[number + (size_t)p] - knots[number];
    double second = knots[number + (size_t)p + 1] - knots[number + 1];
    double sum = 0.0;
    if (number + (size_t)p >= k + 1 && number <= k && first > 0.0)
        sum += (m > 0 ? (double)p : fabs(t - knots[number])) / first *
               nurbs_absolute_basis(knots, p - 1, number, k, t, m > 0 ? m - 1 : 0);
    if (number + (size_t)p >= k && number < k && second > 0.0)
        sum += (m > 0 ? (double)p : fabs(knots[number + (size_t)p + 1] - t)) / second *
               nurbs_absolute_basis(knots, p - 1, number + 1, k, t, m > 0 ? m - 1 : 0);
    return sum;
}

static double extent(const tact_nurbs_def *def, size_t k0, size_t k1)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0.0;
    for (size_t i = k0 - (size_t)def->degree[0]; i <= k0; ++i)
        for (size_t j = k1 - (size_t)def->degree[1]; j <= k1; ++j) {
            tact_vec3 a = def->points[i * def->counts[1] + j];
            const double x[3] = {a.x, a.y, a.z};
            for (int c = 0; c < 3; ++c) {
                low[c] = fmin(low[c], x[c]);
                high[c] = fmax(high[c], x[c]);
            }
        }
    for (int c = 0; c < 3; ++c)
        most = fmax(most, high[c] - low[c]);
    return most;
}

void nurbs_natural_scale(double *scale, const tact_nurbs_def *def, double u, double v, int order)
{
    size_t p = (size_t)def->degree[0], q = (size_t)def->degree[1], size = (size_t)order + 1;
    u = clamped(def, 0, u);
    v = clamped(def, 1, v);
    size_t k0 = nurbs_exact_span(def->knots[0], def->degree[0], def->counts[0], u);
    size_t k1 = nurbs_exact_span(def->knots[1], def->degree[1], def->counts[1], v);
    double *weight = calloc(size * size, sizeof *weight), *basis = calloc((p + q + 2) * size, sizeof *basis);
    if (weight == NULL || basis == NULL)
        abort();
    for (size_t m = 0; m < size; ++m) {
        for (size_t i = 0; i <= p; ++i)
            basis[i * size + m] = nurbs_absolute_basis(def->knots[0], (int)p, k0 - p + i, k0, u, (int)m);
        for (size_t j = 0; j <= q; ++j)
            basis[(p + 1 + j) * size + m] = nurbs_absolute_basis(def->knots[1], (int)q, k1 - q + j, k1, v, (int)m);
    }
    for (size_t i = 0; i <= p; ++i)
        for (size_t j = 0; j <= q; ++j) {
            double w = def->weights != NULL ? def->weights[(k0 - p + i) * def->counts[1] + k1 - q + j] : 1.0;
            for (size_t k = 0; k < size; ++k)
                for (size_t l = 0; k + l < size; ++l)
                    weight[k * size + l] += basis[i * size + k] * basis[(p + 1 + j) * size + l] * w;
        }
    double d = extent(def, k0, k1);
    for (size_t k = 0; k < size; ++k)
        for (size_t l = 0; l < size; ++l) {
            double sum = k + l < size ? d * weight[k * size + l] : 0.0;
            for (size_t i = 0; def->weights != NULL && k + l < size && i <= k; ++i)
                for (size_t j = 0; j <= l; ++j)
                    if (i + j > 0)
                        sum += round(exp(lgamma((double)k + 1) - lgamma((double)i + 1) - lgamma((double)(k - i) + 1))) *
                               round(exp(lgamma((double)l + 1) - lgamma((double)j + 1) - lgamma((double)(l - j) + 1))) *
                               weight[i * size + j] * scale[(k - i) * size + l - j];
            scale[k * size + l] = sum / weight[0];
        }
    free(weight);
    free(basis);
}
