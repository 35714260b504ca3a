/*
 * Vertex-face and edge-edge continuous collision detection with a minimum separation d, in integers: for all that
 * doubles leave undecided.
 *
 * Guarantee: with the window [enter, exit], a miss only if the distance stays above d in all of it; a hit only if it
 * falls below d (1 + 1e-6) in [lower, upper], and it is above d before `lower`. All finite doubles, no allocation. If
 * all the time intervals of a query are used up: TACT_NOT_CONVERGED, and a hit from where the separation is no longer
 * proved.
 *
 * Method. Positions at a time are rounded to multiples of g, 2^-50 of the power of two above d; finer if sizes exceed
 * 2^24 d. That moves the distance by less than SEPARATION_GRID_ERROR g (three coordinates, at most two vectors, rounded
 * at most twice: 4 sqrt 3 g). The rest is exact. A time interval [a, b] is clear if one *feature pair* proves it: a
 * direction n(t), polynomial in t, along which all of A is behind all of B by more than d |n|:
 *   interiors: n = the normal, or edge x edge: (n.w)^2 - d^2 n^2 > 0                            (degree 6)
 *   line:      n = (e x w) x e, from the point to the line: |e x w|^2 - d^2 e^2 > 0, and        (degree 4)
 *              the remaining points are behind: +-(e x w).(normal) >= 0                         (degree 4)
 *   points:    n = w from one to the other: w^2 - d^2 > 0, w.(edges there) of the right sign    (degree 2)
 * For a distance D a little above d the remaining points may also be up to (D - d) / 3 ahead, by +-(e x w).(normal) >=
 * -D e^2 (D - d) / 3 and likewise for points: where three points are collinear all the time, rounding to the grid
 * leaves the sign to chance. The finer grid is for that: what chance leaves must be less than what is allowed.
 *
 * A polynomial is positive if its Bernstein coefficients are. At every time at which the distance is above d, the
 * closest features prove it. All these are at most 21 polynomials with 62 roots together. If no complex root is in the
 * disc over [a, b], no coefficients differ in sign (the one-circle theorem of Obreshkoff), so the feature that is right
 * at b proves all of [a, b]. Hence intervals shrink towards those roots only, and there no further than to where points
 * move by a quarter of the tolerance of 1e-6 d, where the Lipschitz bound proves the interval. (For a fixed rounding
 * that is at most some hundred intervals a halving. But every interval rounds anew, so it is no proof of a bound; what
 * is proved is the end by the Lipschitz bound, and the cap.) Below the spacing of neighbouring doubles (a fast pass at
 * a tiny d) time is bisected in integers.
 *
 * Measured: some 45 intervals a hit, 4 us each for coordinates up to 2^40 d. In 20,000 queries with three points
 * collinear, all coplanar, or every coordinate of a size of its own, 1e6 to 1e18 d: at most 700 intervals, 0.5 ms on
 * average. With sizes spread over 2^+-100 at most 1,500 and 36 ms; over 2^+-300, 2,600 and 0.3 s; over all that doubles
 * can hold 11,900, and seconds. Stack: 42 kB, 216 kB if numbers do not fit the small workspace.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "ccd/ccd_separation.h"
#include "math/fp_environment.h"
#include "math/wide.h"

/* The words of the workspace of a query, with positions of p words and raw coordinates of r, by what each operation
 * takes. A difference of positions has q = p + 1. The normal: 66 q + 36. The largest feature, a line: edges 12 q, e x w
 * 54 q + 36, its product with the normal 100 q + 225, e^2 30 q + 75, |e x w|^2 100 q + 225, two comparisons 24 q + 36,
 * temporaries 16 q + 40. The four configurations 36 p, the thresholds 20 p + 60, the raw coordinates 51 r + 36. */
#define WORKSPACE_WORDS(p, r) (460 * (p) + 60 * (r) + 1300)

/* Words of a position and of a raw coordinate. Nearly every query fits the small workspace: sizes up to 2^176 d,
 * coordinates with up to 319 bits from the highest to the lowest of all. 36 kB, against 211 kB. */
#define SMALL_POSITION_WORDS 6
#define SMALL_RAW_WORDS 6
#define LARGE_POSITION_WORDS (SEPARATION_POSITION_BITS / 64)
#define LARGE_RAW_WORDS (WIDE_DOUBLE_WORDS + 1)

/* Words of a time between neighbouring doubles: no more bisections than there are bits in a position. */
#define FRACTION_WORDS (LARGE_POSITION_WORDS + 1)

/* clang-format off */
const separation_features tact_ccd_separation_features[2] = {
    {{1, 2, 1, 3}, 1, 3, 3,
     {{0, 1, 2, 1}, {0, 2, 3, 1}, {0, 3, 1, 1}, {0, 0, 0, 0}},
     {{0, 1, {{1, 2, 1}, {1, 3, 1}}}, {0, 2, {{2, 1, 1}, {2, 3, 1}}}, {0, 3, {{3, 1, 1}, {3, 2, 1}}},
      {0, 0, {{0, 0, 0}, {0, 0, 0}}}}},
    {{0, 1, 2, 3}, 2, 4, 4,
     {{0, 2, 3, 1}, {1, 2, 3, -1}, {2, 0, 1, -1}, {3, 0, 1, 1}},
     {{0, 2, {{0, 1, -1}, {2, 3, 1}}}, {0, 3, {{0, 1, -1}, {3, 2, 1}}}, {1, 2, {{1, 0, -1}, {2, 3, 1}}},
      {1, 3, {{1, 0, -1}, {3, 2, 1}}}}},
};
/* clang-format on */

/* sum c[i] (1-s)^(degree-i) s^i: Bernstein coefficients times binomials, which have the same signs; products are
 * convolutions. */
typedef struct bernstein_poly {
    int degree;
    wide c[7];
} bernstein_poly;

typedef struct bernstein_vec {
    bernstein_poly x[3];
} bernstein_vec;

/* The configuration at a time: points relative to the first, in g. */
typedef struct configuration {
    wide x[4][3];
    int feature;     /* that proves the distance above d, or -1 */
    uint64_t *words; /* of the coordinates, one after the other */
    int capacity;    /* words for each */
} configuration;

/* A time interval between two configurations (degree 1), or one configuration (degree 0: `a` alone). */
typedef struct time_interval {
    const configuration *a, *b;
    int degree;
    bool has_normal;
    bernstein_vec normal;
} time_interval;

typedef struct separation_solver {
    wide_workspace workspace;
    const separation_features *features;
    int unit, grid;                    /* binary exponents: of the unit of the raw coordinates, and of g */
    wide at[4][3], displacement[4][3]; /* raw: at t = 0, and the displacement to t = 1; of point 0: zero */
    wide near2,
        far2; /* squares, in g^2: the distance that must be proved exceeded, and the one that a hit must not exceed */
    wide midpoint2,
        allowance;      /* a distance between them, squared, and a third of its excess over the former, times itself */
    wide still;         /* in g: if no coordinate moves farther, the distance stays within the tolerance */
    int position_words; /* of a coordinate of a position */
    int intervals;      /* tested so far */
    int most;           /* of them */
} separation_solver;

static const wide zero = {NULL, 0, 0};

static bernstein_poly bernstein_multiply(wide_workspace *workspace, const bernstein_poly *a, const bernstein_poly *b)
{
    bernstein_poly r = {.degree = a->degree + b->degree};
    for (int k = 0; k <= r.degree; ++k) {
        int mark = workspace->used;
        wide sum = zero;
        for (int i = k > b->degree ? k - b->degree : 0; i <= a->degree && i <= k; ++i)
            sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, a->c[i], b->c[k - i]));
        r.c[k] = wide_keep(workspace, mark, sum);
    }
    return r;
}

static bernstein_poly bernstein_square(wide_workspace *workspace, const bernstein_poly *a)
{
    bernstein_poly r = {.degree = 2 * a->degree};
    for (int k = 0; k <= r.degree; ++k) {
        int mark = workspace->used, i = k > a->degree ? k - a->degree : 0;
        wide sum = zero;
        for (; 2 * i < k; ++i)
            sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, a->c[i], a->c[k - i]));
        sum = tact_wide_shift_left(workspace, sum, 1);
        if (2 * i == k)
            sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, a->c[i], a->c[i]));
        r.c[k] = wide_keep(workspace, mark, sum);
    }
    return r;
}

static bernstein_poly bernstein_add(wide_workspace *workspace, const bernstein_poly *a, const bernstein_poly *b,
                                    int sign)
{
    bernstein_poly r = {.degree = a->degree};
    for (int k = 0; k <= r.degree; ++k)
        r.c[k] = tact_wide_add(workspace, a->c[k], sign > 0 ? b->c[k] : wide_negate(b->c[k]));
    return r;
}

static bernstein_poly dot(wide_workspace *workspace, const bernstein_vec *a, const bernstein_vec *b)
{
    bernstein_poly x = bernstein_multiply(workspace, &a->x[0], &b->x[0]),
                   y = bernstein_multiply(workspace, &a->x[1], &b->x[1]);
    bernstein_poly z = bernstein_multiply(workspace, &a->x[2], &b->x[2]);
    x = bernstein_add(workspace, &x, &y, 1);
    return bernstein_add(workspace, &x, &z, 1);
}

static bernstein_poly square(wide_workspace *workspace, const bernstein_vec *a)
{
    bernstein_poly x = bernstein_square(workspace, &a->x[0]), y = bernstein_square(workspace, &a->x[1]),
                   z = bernstein_square(workspace, &a->x[2]);
    x = bernstein_add(workspace, &x, &y, 1);
    return bernstein_add(workspace, &x, &z, 1);
}

static bernstein_vec cross(wide_workspace *workspace, const bernstein_vec *a, const bernstein_vec *b)
{
    bernstein_vec r;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        bernstein_poly one = bernstein_multiply(workspace, &a->x[j], &b->x[k]),
                       other = bernstein_multiply(workspace, &a->x[k], &b->x[j]);
        r.x[i] = bernstein_add(workspace, &one, &other, -1);
    }
    return r;
}

/* The vector from one point to another. */
static bernstein_vec between(wide_workspace *workspace, const time_interval *s, int from, int to)
{
    bernstein_vec r;
    for (int i = 0; i < 3; ++i) {
        r.x[i].degree = s->degree;
        r.x[i].c[0] = wide_sub(workspace, s->a->x[to][i], s->a->x[from][i]);
        if (s->degree > 0)
            r.x[i].c[1] = wide_sub(workspace, s->b->x[to][i], s->b->x[from][i]);
    }
    return r;
}

/* Is p > q d^2 throughout? The degree of q is lower by twice that of a position: it is multiplied by ((1-s) + s)^2. */
static bool exceeds(wide_workspace *workspace, const bernstein_poly *p, const bernstein_poly *q, wide d2)
{
    bernstein_poly scaled = {.degree = q->degree};
    for (int k = 0; k <= q->degree; ++k)
        scaled.c[k] = tact_wide_mul(workspace, q->c[k], d2);
    for (int k = 0; k <= p->degree; ++k) {
        int mark = workspace->used;
        wide sum = p->degree == q->degree ? scaled.c[k] : zero;
        if (p->degree > q->degree) {
            if (k <= q->degree)
                sum = scaled.c[k];
            if (k >= 1 && k - 1 <= q->degree)
                sum = tact_wide_add(workspace, sum, tact_wide_shift_left(workspace, scaled.c[k - 1], 1));
            if (k >= 2)
                sum = tact_wide_add(workspace, sum, scaled.c[k - 2]);
        }
        int order = tact_wide_compare(p->c[k], sum);
        workspace->used = mark;
        if (order < 0 ||
            (order == 0 && (k == 0 || k == p->degree))) /* inner ones may vanish, as the terms of the ends do not */
            return false;
    }
    return true;
}

static bool has_sign(const bernstein_poly *p, int sign)
{
    for (int k = 0; k <= p->degree; ++k)
        if (sign * p->c[k].sign < 0)
            return false;
    return true;
}

/* Is sign p >= -allowance q throughout? q >= 0 is of lower degree, as above. */
static bool has_sign_up_to(wide_workspace *workspace, const bernstein_poly *p, int sign, const bernstein_poly *q,
                           wide allowance)
{
    if (has_sign(p, sign))
        return true;
    if (allowance.sign == 0)
        return false;
    bernstein_poly turned = {.degree = p->degree};
    for (int k = 0; k <= p->degree; ++k) {
        turned.c[k] = p->c[k];
        turned.c[k].sign *= sign;
    }
    return exceeds(workspace, &turned, q, wide_negate(allowance));
}

static void ensure_normal(separation_solver *x, time_interval *s)
{
    if (s->has_normal)
        return;
    const int *of = x->features->normal;
    bernstein_vec a = between(&x->workspace, s, of[0], of[1]), b = between(&x->workspace, s, of[2], of[3]);
    s->normal = cross(&x->workspace, &a, &b);
    s->has_normal = true;
}

static bool interiors_clear(separation_solver *x, time_interval *s, wide d2)
{
    bernstein_vec w = between(&x->workspace, s, 0, x->features->across);
    bernstein_poly f = dot(&x->workspace, &s->normal, &w), f2 = bernstein_square(&x->workspace, &f),
                   n2 = square(&x->workspace, &s->normal);
    return exceeds(&x->workspace, &f2, &n2, d2);
}

static bool line_clear(separation_solver *x, time_interval *s, const point_edge_feature *line, wide d2, wide allowance)
{
    bernstein_vec e = between(&x->workspace, s, line->from, line->to),
                  w = between(&x->workspace, s, line->point, line->from);
    bernstein_vec c = cross(&x->workspace, &e, &w);
    bernstein_poly side = dot(&x->workspace, &c, &s->normal), e2 = square(&x->workspace, &e);
    if (!has_sign_up_to(&x->workspace, &side, line->sign, &e2, allowance))
        return false;
    bernstein_poly c2 = square(&x->workspace, &c);
    return exceeds(&x->workspace, &c2, &e2, d2);
}

static bool point_point_clear(separation_solver *x, time_interval *s, const point_point_feature *feature_pair, wide d2,
                              wide allowance)
{
    static const uint64_t unit = 1;
    static const bernstein_poly one = {0, {{&unit, 1, 1}}};
    bernstein_vec w = between(&x->workspace, s, feature_pair->a, feature_pair->b);
    for (int i = 0; i < 2; ++i) {
        bernstein_vec e = between(&x->workspace, s, feature_pair->other[i].from, feature_pair->other[i].to);
        bernstein_poly side = dot(&x->workspace, &w, &e);
        if (!has_sign_up_to(&x->workspace, &side, feature_pair->other[i].sign, &one, allowance))
            return false;
    }
    bernstein_poly w2 = square(&x->workspace, &w);
    return exceeds(&x->workspace, &w2, &one, d2);
}

/* Does this feature prove that the distance exceeds the root of d2 throughout, up to what the remaining points are
 * allowed to be ahead? */
static bool feature_clear(separation_solver *x, time_interval *s, int feature, wide d2, wide allowance)
{
    if (feature < SEPARATION_POINT_POINT)
        ensure_normal(x, s);
    int mark = x->workspace.used;
    bool clear =
        feature < SEPARATION_POINT_EDGE ? interiors_clear(x, s, d2)
        : feature < SEPARATION_POINT_POINT
            ? line_clear(x, s, &x->features->point_edge[feature - SEPARATION_POINT_EDGE], d2, allowance)
            : point_point_clear(x, s, &x->features->point_point[feature - SEPARATION_POINT_POINT], d2, allowance);
    x->workspace.used = mark;
    return clear;
}

/* A feature that proves it, or -1. At one time this is the truth: if none does, the distance is at most that. */
static int find_proof(separation_solver *x, time_interval *s, int guess, wide d2)
{
    if (guess >= 0 && feature_clear(x, s, guess, d2, zero))
        return guess;
    for (int feature = SEPARATION_FEATURE_COUNT - 1; feature >= 0; --feature) {
        bool listed = feature < SEPARATION_POINT_EDGE ? true
                      : feature < SEPARATION_POINT_POINT
                          ? feature - SEPARATION_POINT_EDGE < x->features->point_edge_count
                          : feature - SEPARATION_POINT_POINT < x->features->point_point_count;
        if (listed && feature != guess && feature_clear(x, s, feature, d2, zero))
            return feature;
    }
    return -1;
}

static int find_proof_at(separation_solver *x, const configuration *p, int guess, wide d2)
{
    int mark = x->workspace.used;
    time_interval s = {.a = p, .b = p, .degree = 0};
    int feature = find_proof(x, &s, guess, d2);
    x->workspace.used = mark;
    return feature;
}

static void store(configuration *p, int point, int axis, wide value)
{
    uint64_t *words = p->words + p->capacity * (3 * (point - 1) + axis);
    assert(value.count <= p->capacity);
    if (value.count > 0)
        memcpy(words, value.words, (size_t)value.count * sizeof *words);
    p->x[point][axis] = (wide){words, value.count, value.sign};
}

/* Allocates a configuration in the workspace. */
static configuration configuration_allocate(separation_solver *x)
{
    return (configuration){
        .feature = -1, .words = wide_allocate(&x->workspace, 9 * x->position_words), .capacity = x->position_words};
}

static void configuration_copy(configuration *to, const configuration *from)
{
    to->feature = from->feature;
    for (int i = 0; i < 3; ++i)
        to->x[0][i] = zero;
    for (int point = 1; point < 4; ++point)
        for (int i = 0; i < 3; ++i)
            store(to, point, i, from->x[point][i]);
}

/* The configuration at time t, rounded towards zero to the grid. */
static void configuration_at(separation_solver *x, double t, configuration *p)
{
    int mark = x->workspace.used, power;
    uint64_t odd = wide_odd_significand(wide_bits_of_double(t), &power);
    wide time = {&odd, odd != 0, odd != 0};
    int up = x->unit + (power < 0 ? power : 0) - x->grid; /* from the unit of the sum to the grid */
    for (int i = 0; i < 3; ++i)
        p->x[0][i] = zero;
    for (int point = 1; point < 4; ++point)
        for (int i = 0; i < 3; ++i) {
            wide moved = tact_wide_mul(&x->workspace, x->displacement[point][i], time);
            if (power > 0)
                moved = tact_wide_shift_left(&x->workspace, moved, power);
            wide from = power < 0 ? tact_wide_shift_left(&x->workspace, x->at[point][i], -power) : x->at[point][i];
            wide sum = tact_wide_add(&x->workspace, from, moved);
            sum =
                up >= 0 ? tact_wide_shift_left(&x->workspace, sum, up) : tact_wide_shift_right(&x->workspace, sum, -up);
            store(p, point, i, sum);
            x->workspace.used = mark;
        }
}

/* Has no coordinate moved farther than `still`? */
static bool is_still(separation_solver *x, const configuration *a, const configuration *b)
{
    int mark = x->workspace.used;
    bool still = true;
    for (int point = 1; point < 4 && still; ++point)
        for (int i = 0; i < 3 && still; ++i)
            still = tact_wide_compare_magnitude(wide_sub(&x->workspace, a->x[point][i], b->x[point][i]), x->still) <= 0;
    x->workspace.used = mark;
    return still;
}

/* What is known of a time interval [a, b], given that the distance at a is above d. */
typedef enum interval_status {
    INTERVAL_CLEAR,  /* the distance stays above d */
    INTERVAL_INSIDE, /* at b it is at most d, up to rounding to the grid */
    INTERVAL_NEAR,   /* not proved clear, and at b it is below d (1 + 1e-6) */
    INTERVAL_SPLIT   /* not proved clear */
} interval_status;

static interval_status test_interval(separation_solver *x, const configuration *a, configuration *b)
{
    ++x->intervals;
    b->feature = find_proof_at(x, b, a->feature, x->near2);
    if (b->feature < 0)
        return INTERVAL_INSIDE;
    int mark = x->workspace.used;
    time_interval s = {.a = a, .b = b, .degree = 1};
    bool other = a->feature != b->feature;
    bool clear = feature_clear(x, &s, b->feature, x->near2, zero) ||
                 (other && feature_clear(x, &s, a->feature, x->near2, zero)) ||
                 feature_clear(x, &s, b->feature, x->midpoint2, x->allowance) ||
                 (other && feature_clear(x, &s, a->feature, x->midpoint2, x->allowance));
    x->workspace.used = mark;
    if (clear)
        return INTERVAL_CLEAR;
    if (find_proof_at(x, b, b->feature, x->far2) < 0)
        return INTERVAL_NEAR;
    return is_still(x, a, b) ? INTERVAL_CLEAR : INTERVAL_SPLIT;
}

/* A binary fraction: words / 2^bisections. */
typedef struct binary_fraction {
    uint64_t words[FRACTION_WORDS];
    int bisections;
} binary_fraction;

static wide fraction_wide(const binary_fraction *j)
{
    int count = FRACTION_WORDS;
    while (count > 0 && j->words[count - 1] == 0)
        --count;
    return (wide){j->words, count, count > 0};
}

static void fraction_increment(binary_fraction *j)
{
    for (int i = 0; i < FRACTION_WORDS && ++j->words[i] == 0; ++i)
        continue;
}

static void fraction_bisect(binary_fraction *j)
{
    for (int i = FRACTION_WORDS - 1; i >= 0; --i)
        j->words[i] = j->words[i] << 1 | (i > 0 ? j->words[i - 1] >> 63 : 0);
    ++j->bisections;
}

static void fraction_reduce(binary_fraction *j)
{
    for (int i = 0; i < FRACTION_WORDS; ++i)
        j->words[i] = j->words[i] >> 1 | (i + 1 < FRACTION_WORDS ? j->words[i + 1] << 63 : 0);
    --j->bisections;
}

/* The configuration between two others: a + (b - a) j / 2^bisections. */
static void configuration_between(separation_solver *x, const configuration *a, const configuration *b,
                                  const binary_fraction *j, configuration *p)
{
    int mark = x->workspace.used;
    wide part = fraction_wide(j);
    for (int i = 0; i < 3; ++i)
        p->x[0][i] = zero;
    for (int point = 1; point < 4; ++point)
        for (int i = 0; i < 3; ++i) {
            wide displacement = wide_sub(&x->workspace, b->x[point][i], a->x[point][i]);
            wide all = tact_wide_shift_left(&x->workspace, a->x[point][i], j->bisections);
            all = tact_wide_add(&x->workspace, all, tact_wide_mul(&x->workspace, displacement, part));
            store(p, point, i, tact_wide_shift_right(&x->workspace, all, j->bisections));
            x->workspace.used = mark;
        }
}

static bool is_exhausted(const separation_solver *x) { return x->intervals >= x->most; }

/* Does the distance stay above d between two neighbouring doubles? Time is bisected in integers. It ends: once there
 * are more bisections than bits of the displacement, nothing moves. False also if all intervals are used up. */
static bool clear_between(separation_solver *x, const configuration *a, const configuration *b)
{
    int mark = x->workspace.used;
    binary_fraction j = {{0}, 0};
    configuration left = configuration_allocate(x), right = configuration_allocate(x);
    bool clear = false;
    configuration_copy(&left, a);
    while (!is_exhausted(x)) {
        binary_fraction end = j;
        fraction_increment(&end);
        configuration_between(x, a, b, &end, &right);
        interval_status v = test_interval(x, &left, &right);
        if (v == INTERVAL_INSIDE || v == INTERVAL_NEAR)
            break;
        if (v == INTERVAL_SPLIT) {
            fraction_bisect(&j);
            continue;
        }
        j = end;
        wide done = fraction_wide(&j);
        clear = tact_wide_bit_length(done) == j.bisections + 1;
        if (clear)
            break;
        configuration_copy(&left, &right);
        if (j.bisections > 0 && (j.words[0] & 1) == 0)
            fraction_reduce(&j);
    }
    x->workspace.used = mark;
    return clear;
}

/* a 2^-shift, to some 60 bits. */
static double scaled(wide a, int shift)
{
    double sum = 0.0;
    for (int i = a.count - 1; i >= 0 && i >= a.count - 2; --i)
        sum += ldexp((double)a.words[i], 64 * i - shift);
    return a.sign < 0 ? -sum : sum;
}

/* a / b for 0 <= a <= b, b not 0. */
static double ratio(wide a, wide b)
{
    int shift = tact_wide_bit_length(b);
    double r = scaled(a, shift) / scaled(b, shift);
    return r < 0.0 ? 0.0 : r > 1.0 ? 1.0 : r;
}

/* Of unit length; zero for zero. */
static tact_vec3 unit_of(const bernstein_vec *a, int sign)
{
    int shift = 0;
    for (int i = 0; i < 3; ++i)
        shift = tact_wide_bit_length(a->x[i].c[0]) > shift ? tact_wide_bit_length(a->x[i].c[0]) : shift;
    double x = sign * scaled(a->x[0].c[0], shift), y = sign * scaled(a->x[1].c[0], shift);
    double z = sign * scaled(a->x[2].c[0], shift), length = sqrt(x * x + y * y + z * z);
    if (!(length > 0.0))
        return (tact_vec3){0.0, 0.0, 0.0};
    return (tact_vec3){x / length, y / length, z / length};
}

/* Are these two points the closest ones? If so, fills in normal and weights. */
static bool point_point_closest(separation_solver *x, const time_interval *s, const point_point_feature *feature_pair,
                                tact_ccd *answer)
{
    bernstein_vec w = between(&x->workspace, s, feature_pair->a, feature_pair->b);
    for (int i = 0; i < 2; ++i) {
        bernstein_vec e = between(&x->workspace, s, feature_pair->other[i].from, feature_pair->other[i].to);
        bernstein_poly side = dot(&x->workspace, &w, &e);
        if (!has_sign(&side, feature_pair->other[i].sign))
            return false;
    }
    answer->normal = unit_of(&w, 1);
    answer->weights[feature_pair->a] = answer->weights[feature_pair->b] = 1.0;
    return true;
}

static bool line_closest(separation_solver *x, const time_interval *s, const point_edge_feature *line, tact_ccd *answer)
{
    bernstein_vec e = between(&x->workspace, s, line->from, line->to),
                  w = between(&x->workspace, s, line->point, line->from);
    bernstein_vec c = cross(&x->workspace, &e, &w);
    bernstein_poly side = dot(&x->workspace, &c, &s->normal), length = square(&x->workspace, &e),
                   foot = dot(&x->workspace, &w, &e);
    wide part = wide_negate(foot.c[0]);
    if (!has_sign(&side, line->sign) || length.c[0].sign <= 0 || part.sign < 0 ||
        tact_wide_compare(part, length.c[0]) > 0)
        return false;
    bernstein_vec displacement = cross(&x->workspace, &c, &e);
    bool of_a = line->point == 0 || (x->features->across == 2 && line->point == 1);
    answer->normal = unit_of(&displacement, of_a ? 1 : -1);
    answer->weights[line->point] = 1.0;
    answer->weights[line->to] = ratio(part, length.c[0]);
    answer->weights[line->from] = 1.0 - answer->weights[line->to];
    return true;
}

static void interiors_closest(separation_solver *x, const time_interval *s, tact_ccd *answer)
{
    const separation_features *features = x->features;
    bernstein_vec w = between(&x->workspace, s, 0, features->across);
    bernstein_poly f = dot(&x->workspace, &s->normal, &w), area = square(&x->workspace, &s->normal);
    answer->normal = unit_of(&s->normal, f.c[0].sign);
    if (features->across == 1) { /* the weight of a vertex is the area over the opposite edge */
        answer->weights[0] = 1.0;
        for (int i = 0; i < 2; ++i) {
            const point_edge_feature *line = &features->point_edge[i + 1];
            bernstein_vec e = between(&x->workspace, s, line->from, line->to),
                          v = between(&x->workspace, s, 0, line->from);
            bernstein_vec c = cross(&x->workspace, &v, &e);
            bernstein_poly part = dot(&x->workspace, &c, &s->normal);
            answer->weights[i + 1] = ratio(part.c[0], area.c[0]);
        }
        double rest = 1.0 - answer->weights[1] - answer->weights[2];
        answer->weights[3] = rest > 0.0 ? rest : 0.0;
        return;
    }
    for (int i = 0; i < 2; ++i) { /* a0 + l u + h n = b0 + m v: l = (w x v).n / n^2, m = (w x u).n / n^2 */
        bernstein_vec e = between(&x->workspace, s, i == 0 ? 2 : 0, i == 0 ? 3 : 1), c = cross(&x->workspace, &w, &e);
        bernstein_poly part = dot(&x->workspace, &c, &s->normal);
        answer->weights[2 * i + 1] = ratio(part.c[0], area.c[0]);
        answer->weights[2 * i] = 1.0 - answer->weights[2 * i + 1];
    }
}

/* A hit in [from, to], with the closest points at `from`, whose configuration is p. */
static tact_ccd hit_at(separation_solver *x, const configuration *p, double from, double to)
{
    tact_ccd answer = {.status = TACT_OK, .state = TACT_HIT, .lower = from, .upper = to};
    int mark = x->workspace.used;
    time_interval s = {.a = p, .b = p, .degree = 0};
    ensure_normal(x, &s);
    int mark_normal = x->workspace.used;
    bool found = false;
    for (int i = 0; i < x->features->point_point_count && !found; ++i, x->workspace.used = mark_normal)
        found = point_point_closest(x, &s, &x->features->point_point[i], &answer);
    for (int i = 0; i < x->features->point_edge_count && !found; ++i, x->workspace.used = mark_normal)
        found = line_closest(x, &s, &x->features->point_edge[i], &answer);
    if (!found)
        interiors_closest(x, &s, &answer);
    wide touch2 = tact_wide_from_int64(&x->workspace, SEPARATION_GRID_ERROR * SEPARATION_GRID_ERROR); /* in g^2 */
    if (find_proof_at(x, p, -1, touch2) < 0) { /* they touch, up to rounding to the grid */
        answer.normal = (tact_vec3){0.0, 0.0, 0.0};
        answer.degenerate = true;
    }
    x->workspace.used = mark;
    return answer;
}

/* The scales of a query: raw coordinates, grid, and the lengths of numbers. */
typedef struct separation_scale {
    double raw[24];     /* the coordinates: twelve at the start, twelve at the end */
    int unit;           /* binary exponent of the unit of the raw coordinates */
    int64_t separation; /* d in 2^(power - SEPARATION_GRID_BITS), rounded down: at least 2^49, less than 2^50 */
    bool rounded;
    int power; /* d is below 2^power, not below half of it */
    int finer; /* g is 2^(power - SEPARATION_GRID_BITS - finer) */
    int position_words, raw_words;
} separation_scale;

/* An exponent such that all of some doubles are below 2^exponent. */
static int power_above(const double *values, int count)
{
    wide_grid grid;
    (void)wide_find_grid(values, count, &grid);
    return grid.bits > 0 ? grid.exponent + grid.bits : -1074;
}

static separation_scale find_scale(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    separation_scale p;
    for (int point = 0; point < 4; ++point) {
        memcpy(p.raw + 3 * point, (double[]){start[point].x, start[point].y, start[point].z}, 3 * sizeof(double));
        memcpy(p.raw + 12 + 3 * point, (double[]){end[point].x, end[point].y, end[point].z}, 3 * sizeof(double));
    }
    wide_grid grid;
    (void)wide_find_grid(p.raw, 24, &grid);
    p.unit = grid.exponent;
    p.raw_words = grid.bits / 64 + 2;
    int low; /* d = odd 2^low, of `bits` bits */
    uint64_t odd = wide_odd_significand(wide_bits_of_double(def->separation), &low);
    int bits = 64 - wide_leading_zeros(odd), up = SEPARATION_GRID_BITS - bits;
    p.power = low + bits;
    p.separation = (int64_t)(up >= 0 ? odd << up : odd >> -up);
    p.rounded = up < 0;
    int here = power_above(p.raw, 12), there = power_above(p.raw + 12, 12);
    if (def->velocities) /* positions: x0 plus a displacement; otherwise between x0 and x1 */
        there += power_above(&def->exit, 1);
    int size = (here > there ? here : there) + 1 + def->velocities - p.power; /* of differences of them, over d */
    size = size > 1 ? size : 1;
    int finer = size + 1 - SEPARATION_COARSE_BITS, most = SEPARATION_POSITION_BITS - SEPARATION_GRID_BITS - size;
    p.finer = finer < 0 ? 0 : finer < most ? finer : most;
    p.position_words = (size + SEPARATION_GRID_BITS + p.finer + 63) / 64;
    return p;
}

/* The coordinates relative to point 0, and the thresholds. */
static void set_up(separation_solver *x, const separation_scale *p, const tact_ccd_def *def)
{
    x->intervals = 0;
    x->unit = p->unit;
    x->grid = p->power - SEPARATION_GRID_BITS - p->finer;
    x->position_words = p->position_words;
    int64_t near = p->separation + p->rounded + SEPARATION_GRID_ERROR;
    int64_t far = p->separation + p->separation / CCD_SEPARATION_TOLERANCE_INVERSE - SEPARATION_GRID_ERROR;
    wide n = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, near), p->finer);
    wide f = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, far), p->finer);
    x->near2 = tact_wide_mul(&x->workspace, n, n);
    x->far2 = tact_wide_mul(&x->workspace, f, f);
    wide m =
        tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, near + (far - near) / 2), p->finer);
    wide third = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, (far - near) / 6), p->finer);
    x->midpoint2 = tact_wide_mul(&x->workspace, m, m);
    x->allowance = tact_wide_mul(&x->workspace, m, third);
    /* two vectors, each moved by at most sqrt 3 times as much */
    x->still = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, (far - near) / 4), p->finer);
    for (int point = 0; point < 4; ++point)
        for (int i = 0; i < 3; ++i) {
            wide here = tact_wide_from_double(&x->workspace, p->raw[3 * point + i], x->unit);
            wide there = tact_wide_from_double(&x->workspace, p->raw[12 + 3 * point + i], x->unit);
            if (point == 0) {
                x->at[0][i] = here;
                x->displacement[0][i] = there;
                continue;
            }
            x->at[point][i] = wide_sub(&x->workspace, here, x->at[0][i]);
            wide displacement = wide_sub(&x->workspace, there, x->displacement[0][i]);
            x->displacement[point][i] =
                def->velocities ? displacement : wide_sub(&x->workspace, displacement, x->at[point][i]);
        }
}

static double midpoint(double a, double b) { return a + (b - a) / 2.0; }

/* All intervals are used up: above d before `from`, and more is not known. A hit, so that nobody takes it for a miss.
 */
static tact_ccd not_converged(separation_solver *x, const configuration *p, double from, double to)
{
    tact_ccd answer = hit_at(x, p, from, to);
    answer.status = TACT_NOT_CONVERGED;
    return answer;
}

static tact_ccd search(separation_solver *x, const tact_ccd_def *def, double after, double interval_end)
{
    configuration at = configuration_allocate(x), next = configuration_allocate(x);
    double width = def->velocities ? def->bracket_width * def->exit : def->bracket_width, from = after;
    configuration_at(x, from, &at);
    at.feature = find_proof_at(x, &at, -1, x->near2);
    if (at.feature < 0)
        return hit_at(x, &at, from, from);
    double to = def->exit;
    bool inside = false; /* is the distance at `to` at most d? */
    while (from < def->exit) {
        configuration_at(x, interval_end, &next);
        interval_status v = test_interval(x, &at, &next);
        double half = midpoint(from, interval_end);
        bool adjacent = !(from < half && half < interval_end);
        if (v == INTERVAL_SPLIT && adjacent)
            v = clear_between(x, &at, &next) ? INTERVAL_CLEAR : INTERVAL_NEAR;
        if (is_exhausted(x))
            return not_converged(x, &at, from, to);
        if (v == INTERVAL_CLEAR) {
            double step = interval_end - from;
            from = interval_end;
            configuration_copy(&at, &next);
            interval_end = from + 2.0 * step; /* no farther: what shortened the last interval is likely still ahead */
            if (inside && !(interval_end < midpoint(from, to)))
                interval_end = midpoint(from, to);
            if (inside && !(from < interval_end && interval_end < to))
                return hit_at(x, &at, from, to);
            if (!inside && !(interval_end < to))
                interval_end = to;
            if (inside && to - from <= width)
                return hit_at(x, &at, from, to);
            continue;
        }
        if (v == INTERVAL_INSIDE) {
            inside = true;
            to = interval_end;
        }
        if ((v != INTERVAL_SPLIT && interval_end - from <= width) || adjacent)
            return hit_at(x, &at, from, interval_end);
        interval_end = half;
    }
    return (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
}

static TACT_NOINLINE tact_ccd search_small(separation_solver *x, const separation_scale *p, const tact_ccd_def *def,
                                           double after, double interval_end)
{
    uint64_t words[WORKSPACE_WORDS(SMALL_POSITION_WORDS, SMALL_RAW_WORDS)];
    x->workspace = WIDE_WORKSPACE(words);
    set_up(x, p, def);
    return search(x, def, after, interval_end);
}

static TACT_NOINLINE tact_ccd search_large(separation_solver *x, const separation_scale *p, const tact_ccd_def *def,
                                           double after, double interval_end)
{
    uint64_t words[WORKSPACE_WORDS(LARGE_POSITION_WORDS, LARGE_RAW_WORDS)];
    x->workspace = WIDE_WORKSPACE(words);
    set_up(x, p, def);
    return search(x, def, after, interval_end);
}

tact_ccd tact_ccd_separation_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                   const tact_ccd_def *def, double after, double interval_end, int *intervals)
{
    separation_scale p = find_scale(start, end, def);
    separation_solver x = {.features = &tact_ccd_separation_features[kind],
                           .most = intervals != NULL ? *intervals : CCD_SEPARATION_MAX_INTERVALS};
    bool small = p.position_words <= SMALL_POSITION_WORDS && p.raw_words <= SMALL_RAW_WORDS;
    tact_ccd answer = (small ? search_small : search_large)(&x, &p, def, after, interval_end);
    if (intervals != NULL)
        *intervals = x.intervals;
    return answer;
}
