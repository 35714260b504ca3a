/*
 * Continuous vertex-face and edge-edge with a separation d, in integers: for all that doubles leave undecided.
 *
 * What it guarantees: with the window [enter, exit], `miss` only if the distance stays above d in all of it, `hit` only
 * if it falls below d (1 + 1e-6) in [from, to], and it is above d before `from`. All finite doubles, no allocation.
 *
 * Should all the stretches be spent that a query is given: TACT_NOT_CONVERGED, and a hit from where it is no longer
 * proved.
 *
 * How. Places at a time are rounded to multiples of g, 2^-50 of the power of two above d; for things larger than 2^24
 * d, finer. That moves the distance by less than GRID_LOSS g (three coordinates, at most two vectors, rounded at most
 * twice: 4 sqrt 3 g). The rest is exact. A stretch of time [a, b] is clear if one *feature* proves it: a direction
 * n(t), polynomial in t, along which all of A lies behind all of B by more than d |n|: insides: n = the normal, or edge
 * x edge: (n.w)^2 - d^2 n^2 > 0                             (degree 6) line:    n = (e x w) x e, the way from point to
 * line: |e x w|^2 - d^2 e^2 > 0 and          (degree 4) the other points lie behind: +-(e x w).(normal) >= 0 (degree 4)
 *     points:  n = w from one to the other: w^2 - d^2 > 0, w.(edges there) of the right sign      (degree 2)
 * For a distance D a little above d the other points may also lie up to (D - d) / 3 ahead, as +-(e x w).(normal) >= -D
 * e^2 (D - d) / 3 and likewise with points allow: where three points are on a line all the time, rounding to the grid
 * leaves the sign to chance. The finer grid is for that: what chance leaves must be less than what is allowed. A
 * polynomial is positive if its Bernstein coefficients are. At every instant at which the distance is above d, the
 * nearest features prove it. All these are at most 21 polynomials with 62 roots together; when no complex root lies in
 * the disc over [a, b], no coefficients differ in sign (the one-circle theorem of Obreshkoff), so the feature that is
 * right at b proves all of [a, b]. Hence steps shrink towards those roots only, and there no further than to where
 * points move by a quarter of the slack of 1e-6 d, when Lipschitz proves the stretch. (For one rounding that is some
 * hundred stretches a halving at most. But every stretch rounds anew, so it is no proof of a bound; what is proved is
 * the end by Lipschitz, and the cap.) Below the distance between neighbouring doubles (a fast pass at a tiny d) time is
 * halved in integers.
 *
 * Measured: some 45 stretches a hit, 4 us each for coordinates up to 2^40 d. In 20,000 queries with three points on a
 * line, all in a plane, or every coordinate of a size of its own, 1e6 to 1e18 d, at most 700 stretches, 0.5 ms in the
 * mean. With sizes spread over 2^+-100 at most 1,500 and 36 ms; over 2^+-300, 2,600 and 0.3 s; over all that doubles
 * can hold 11,900, and seconds. Stack: 42 kB, 216 kB where numbers do not fit the small workspace.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "ccd/ccd_separation.h"
#include "math/fp_environment.h"
#include "math/wide.h"

/* g is 2^-50 of the power of two above d, or finer, and in 2^-50 of that power: how far rounding to the grid may move
 * the distance. */
#define GRID_BITS 50
#define GRID_LOSS 8

/* Things larger than 2^24 d get so much finer a grid: (size g) is below 2^-26 d^2, a 67th of the slack of 1e-6 d times
 * d. That product is what rounding leaves of an area that should vanish, as of three points on a line. */
#define GRID_COARSE 24

/* The longest place, in g: the differences of products of the largest doubles, 2^2050, seen from d = 2^-1074, 3,173
 * bits in all. Where a place that long is too long for the finer grid, it is as fine as there is room. */
#define PLACE_BITS 3200

/* The words that a query takes, with places of p words and raw coordinates of r, by what each operation is said to
 * take. A difference of places has q = p + 1. The normal: 66 q + 36. The feature that takes most, a line: edges 12 q, e
 * x w 54 q + 36, its product with the normal 100 q + 225, e^2 30 q + 75, |e x w|^2 100 q + 225, two comparisons 24 q +
 * 36, what is cleared away at once 16 q + 40. The four places 36 p, the thresholds 20 p + 60, the raw coordinates 51 r
 * + 36. */
#define ROOM(p, r) (460 * (p) + 60 * (r) + 1300)

/* Nearly every query makes do with the small workspace: sizes up to 2^176 d, coordinates with up to 319 bits from the
 * highest to the lowest of all. 36 kB, against 211 kB. */
#define SMALL_PLACE 6
#define SMALL_RAW 6
#define LARGE_PLACE (PLACE_BITS / 64)
#define LARGE_RAW (WIDE_DOUBLE_WORDS + 1)

/* The halvings of time between neighbouring doubles: no more than there are bits in a place. */
#define COUNTER_WORDS (LARGE_PLACE + 1)

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

/* sum c[i] (1-s)^(degree-i) s^i: Bernstein coefficients times binomials, which have the same signs; products are plain.
 */
typedef struct polynomial {
    int degree;
    wide c[7];
} polynomial;

typedef struct track {
    polynomial x[3];
} track;

/* Where the points are at an instant, seen from the first. */
typedef struct place {
    wide x[4][3];
    int feature;     /* that proves the distance above d, or -1 */
    uint64_t *words; /* of the coordinates, one after the other */
    int room;        /* of words for each */
} place;

/* A stretch of time between two places (degree 1), or one place (degree 0: `a` alone). */
typedef struct stretch {
    const place *a, *b;
    int degree;
    bool has_normal;
    track normal;
} stretch;

typedef struct exact {
    wide_workspace workspace;
    const separation_features *features;
    int unit, grid;           /* powers of two: of the raw coordinates, and g */
    wide at[4][3], way[4][3]; /* raw: at t = 0, and the way to t = 1; of point 0: zero */
    wide near2, far2; /* squares, in g^2: the distance that must be proved exceeded, and that a hit must not exceed */
    wide middle2,
        give;        /* a distance between them, squared, and a third of how far it is above the former, times itself */
    wide still;      /* in g: if no coordinate moves further, the distance stays within the slack */
    int place_words; /* of a coordinate of a place */
    int stretches;   /* looked at so far */
    int most;        /* of them */
} exact;

static const wide none = {NULL, 0, 0};

static polynomial poly_multiply(wide_workspace *workspace, const polynomial *a, const polynomial *b)
{
    polynomial r = {.degree = a->degree + b->degree};
    for (int k = 0; k <= r.degree; ++k) {
        int mark = workspace->used;
        wide sum = none;
        for (int i = k > b->degree ? k - b->degree : 0; i <= a->degree && i <= k; ++i)
            sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, a->c[i], b->c[k - i]));
        r.c[k] = wide_keep(workspace, mark, sum);
    }
    return r;
}

static polynomial poly_square(wide_workspace *workspace, const polynomial *a)
{
    polynomial r = {.degree = 2 * a->degree};
    for (int k = 0; k <= r.degree; ++k) {
        int mark = workspace->used, i = k > a->degree ? k - a->degree : 0;
        wide sum = none;
        for (; 2 * i < k; ++i)
            sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, a->c[i], a->c[k - i]));
        sum = tact_wide_shift_left(workspace, sum, 1);
        if (2 * i == k)
            sum = tact_wide_add(workspace, sum, tact_wide_mul(workspace, a->c[i], a->c[i]));
        r.c[k] = wide_keep(workspace, mark, sum);
    }
    return r;
}

static polynomial poly_add(wide_workspace *workspace, const polynomial *a, const polynomial *b, int sign)
{
    polynomial r = {.degree = a->degree};
    for (int k = 0; k <= r.degree; ++k)
        r.c[k] = tact_wide_add(workspace, a->c[k], sign > 0 ? b->c[k] : wide_negate(b->c[k]));
    return r;
}

static polynomial dot(wide_workspace *workspace, const track *a, const track *b)
{
    polynomial x = poly_multiply(workspace, &a->x[0], &b->x[0]), y = poly_multiply(workspace, &a->x[1], &b->x[1]);
    polynomial z = poly_multiply(workspace, &a->x[2], &b->x[2]);
    x = poly_add(workspace, &x, &y, 1);
    return poly_add(workspace, &x, &z, 1);
}

static polynomial square(wide_workspace *workspace, const track *a)
{
    polynomial x = poly_square(workspace, &a->x[0]), y = poly_square(workspace, &a->x[1]),
               z = poly_square(workspace, &a->x[2]);
    x = poly_add(workspace, &x, &y, 1);
    return poly_add(workspace, &x, &z, 1);
}

static track cross(wide_workspace *workspace, const track *a, const track *b)
{
    track r;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        polynomial one = poly_multiply(workspace, &a->x[j], &b->x[k]),
                   other = poly_multiply(workspace, &a->x[k], &b->x[j]);
        r.x[i] = poly_add(workspace, &one, &other, -1);
    }
    return r;
}

/* From one point to another. */
static track between(wide_workspace *workspace, const stretch *s, int from, int to)
{
    track r;
    for (int i = 0; i < 3; ++i) {
        r.x[i].degree = s->degree;
        r.x[i].c[0] = wide_sub(workspace, s->a->x[to][i], s->a->x[from][i]);
        if (s->degree > 0)
            r.x[i].c[1] = wide_sub(workspace, s->b->x[to][i], s->b->x[from][i]);
    }
    return r;
}

/* Is p > q d^2 all along? q is of lower degree, by twice that of a place: it is multiplied by ((1-s) + s)^2. */
static bool exceeds(wide_workspace *workspace, const polynomial *p, const polynomial *q, wide d2)
{
    polynomial scaled = {.degree = q->degree};
    for (int k = 0; k <= q->degree; ++k)
        scaled.c[k] = tact_wide_mul(workspace, q->c[k], d2);
    for (int k = 0; k <= p->degree; ++k) {
        int mark = workspace->used;
        wide sum = p->degree == q->degree ? scaled.c[k] : none;
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
        if (order < 0 || (order == 0 && (k == 0 || k == p->degree))) /* inner ones may vanish: the ends' terms do not */
            return false;
    }
    return true;
}

static bool has_sign(const polynomial *p, int sign)
{
    for (int k = 0; k <= p->degree; ++k)
        if (sign * p->c[k].sign < 0)
            return false;
    return true;
}

/* Is sign p >= -give q all along? q >= 0 is of lower degree, as above. */
static bool nearly_has_sign(wide_workspace *workspace, const polynomial *p, int sign, const polynomial *q, wide give)
{
    if (has_sign(p, sign))
        return true;
    if (give.sign == 0)
        return false;
    polynomial turned = {.degree = p->degree};
    for (int k = 0; k <= p->degree; ++k) {
        turned.c[k] = p->c[k];
        turned.c[k].sign *= sign;
    }
    return exceeds(workspace, &turned, q, wide_negate(give));
}

static void need_normal(exact *x, stretch *s)
{
    if (s->has_normal)
        return;
    const int *of = x->features->normal;
    track a = between(&x->workspace, s, of[0], of[1]), b = between(&x->workspace, s, of[2], of[3]);
    s->normal = cross(&x->workspace, &a, &b);
    s->has_normal = true;
}

static bool insides_clear(exact *x, stretch *s, wide d2)
{
    track w = between(&x->workspace, s, 0, x->features->across);
    polynomial f = dot(&x->workspace, &s->normal, &w), f2 = poly_square(&x->workspace, &f),
               n2 = square(&x->workspace, &s->normal);
    return exceeds(&x->workspace, &f2, &n2, d2);
}

static bool line_clear(exact *x, stretch *s, const point_edge_feature *line, wide d2, wide give)
{
    track e = between(&x->workspace, s, line->from, line->to), w = between(&x->workspace, s, line->point, line->from);
    track c = cross(&x->workspace, &e, &w);
    polynomial side = dot(&x->workspace, &c, &s->normal), e2 = square(&x->workspace, &e);
    if (!nearly_has_sign(&x->workspace, &side, line->sign, &e2, give))
        return false;
    polynomial c2 = square(&x->workspace, &c);
    return exceeds(&x->workspace, &c2, &e2, d2);
}

static bool corner_clear(exact *x, stretch *s, const point_point_feature *corner, wide d2, wide give)
{
    static const uint64_t unit = 1;
    static const polynomial one = {0, {{&unit, 1, 1}}};
    track w = between(&x->workspace, s, corner->a, corner->b);
    for (int i = 0; i < 2; ++i) {
        track e = between(&x->workspace, s, corner->other[i].from, corner->other[i].to);
        polynomial side = dot(&x->workspace, &w, &e);
        if (!nearly_has_sign(&x->workspace, &side, corner->other[i].sign, &one, give))
            return false;
    }
    polynomial w2 = square(&x->workspace, &w);
    return exceeds(&x->workspace, &w2, &one, d2);
}

/* Does this feature prove that the distance exceeds the root of d2 all along, or that less what its other points may
 * give? */
static bool feature_clear(exact *x, stretch *s, int feature, wide d2, wide give)
{
    if (feature < SEPARATION_POINT_POINT)
        need_normal(x, s);
    int mark = x->workspace.used;
    bool clear = feature < SEPARATION_POINT_EDGE ? insides_clear(x, s, d2)
                 : feature < SEPARATION_POINT_POINT
                     ? line_clear(x, s, &x->features->point_edge[feature - SEPARATION_POINT_EDGE], d2, give)
                     : corner_clear(x, s, &x->features->point_point[feature - SEPARATION_POINT_POINT], d2, give);
    x->workspace.used = mark;
    return clear;
}

/* A feature that proves it, or -1. At one instant this is the truth: if none does, the distance is at most that. */
static int find_clear(exact *x, stretch *s, int guess, wide d2)
{
    if (guess >= 0 && feature_clear(x, s, guess, d2, none))
        return guess;
    for (int feature = SEPARATION_FEATURE_COUNT - 1; feature >= 0; --feature) {
        bool listed = feature < SEPARATION_POINT_EDGE ? true
                      : feature < SEPARATION_POINT_POINT
                          ? feature - SEPARATION_POINT_EDGE < x->features->point_edge_count
                          : feature - SEPARATION_POINT_POINT < x->features->point_point_count;
        if (listed && feature != guess && feature_clear(x, s, feature, d2, none))
            return feature;
    }
    return -1;
}

static int find_clear_at(exact *x, const place *p, int guess, wide d2)
{
    int mark = x->workspace.used;
    stretch s = {.a = p, .b = p, .degree = 0};
    int feature = find_clear(x, &s, guess, d2);
    x->workspace.used = mark;
    return feature;
}

static void keep(place *p, int point, int axis, wide value)
{
    uint64_t *words = p->words + p->room * (3 * (point - 1) + axis);
    assert(value.count <= p->room);
    if (value.count > 0)
        memcpy(words, value.words, (size_t)value.count * sizeof *words);
    p->x[point][axis] = (wide){words, value.count, value.sign};
}

/* Room for a place, on the workspace. */
static place new_place(exact *x)
{
    return (place){.feature = -1, .words = wide_allocate(&x->workspace, 9 * x->place_words), .room = x->place_words};
}

static void copy_place(place *to, const place *from)
{
    to->feature = from->feature;
    for (int i = 0; i < 3; ++i)
        to->x[0][i] = none;
    for (int point = 1; point < 4; ++point)
        for (int i = 0; i < 3; ++i)
            keep(to, point, i, from->x[point][i]);
}

/* Where the points are at time t, rounded towards zero to the grid. */
static void place_at(exact *x, double t, place *p)
{
    int mark = x->workspace.used, power;
    uint64_t odd = wide_odd_significand(wide_bits_of_double(t), &power);
    wide time = {&odd, odd != 0, odd != 0};
    int up = x->unit + (power < 0 ? power : 0) - x->grid; /* from the unit of the sum to the grid */
    for (int i = 0; i < 3; ++i)
        p->x[0][i] = none;
    for (int point = 1; point < 4; ++point)
        for (int i = 0; i < 3; ++i) {
            wide moved = tact_wide_mul(&x->workspace, x->way[point][i], time);
            if (power > 0)
                moved = tact_wide_shift_left(&x->workspace, moved, power);
            wide from = power < 0 ? tact_wide_shift_left(&x->workspace, x->at[point][i], -power) : x->at[point][i];
            wide sum = tact_wide_add(&x->workspace, from, moved);
            sum =
                up >= 0 ? tact_wide_shift_left(&x->workspace, sum, up) : tact_wide_shift_right(&x->workspace, sum, -up);
            keep(p, point, i, sum);
            x->workspace.used = mark;
        }
}

/* Has no coordinate moved further than `still`? */
static bool is_still(exact *x, const place *a, const place *b)
{
    int mark = x->workspace.used;
    bool still = true;
    for (int point = 1; point < 4 && still; ++point)
        for (int i = 0; i < 3 && still; ++i)
            still = tact_wide_compare_magnitude(wide_sub(&x->workspace, a->x[point][i], b->x[point][i]), x->still) <= 0;
    x->workspace.used = mark;
    return still;
}

/* What is known of a stretch [a, b], given that the distance at a is above d. */
typedef enum verdict {
    CLEAR,  /* the distance stays above d */
    INSIDE, /* at b it is at most d, but for the rounding to the grid */
    NEARLY, /* not proved clear, and at b it is below d (1 + 1e-6) */
    SPLIT   /* not proved clear */
} verdict;

static verdict judge(exact *x, const place *a, place *b)
{
    ++x->stretches;
    b->feature = find_clear_at(x, b, a->feature, x->near2);
    if (b->feature < 0)
        return INSIDE;
    int mark = x->workspace.used;
    stretch s = {.a = a, .b = b, .degree = 1};
    bool other = a->feature != b->feature;
    bool clear = feature_clear(x, &s, b->feature, x->near2, none) ||
                 (other && feature_clear(x, &s, a->feature, x->near2, none)) ||
                 feature_clear(x, &s, b->feature, x->middle2, x->give) ||
                 (other && feature_clear(x, &s, a->feature, x->middle2, x->give));
    x->workspace.used = mark;
    if (clear)
        return CLEAR;
    if (find_clear_at(x, b, b->feature, x->far2) < 0)
        return NEARLY;
    return is_still(x, a, b) ? CLEAR : SPLIT;
}

/* A number of halves: j / 2^halvings. */
typedef struct counter {
    uint64_t words[COUNTER_WORDS];
    int halvings;
} counter;

static wide counter_wide(const counter *j)
{
    int count = COUNTER_WORDS;
    while (count > 0 && j->words[count - 1] == 0)
        --count;
    return (wide){j->words, count, count > 0};
}

static void counter_next(counter *j)
{
    for (int i = 0; i < COUNTER_WORDS && ++j->words[i] == 0; ++i)
        continue;
}

static void counter_halve(counter *j)
{
    for (int i = COUNTER_WORDS - 1; i >= 0; --i)
        j->words[i] = j->words[i] << 1 | (i > 0 ? j->words[i - 1] >> 63 : 0);
    ++j->halvings;
}

static void counter_join(counter *j)
{
    for (int i = 0; i < COUNTER_WORDS; ++i)
        j->words[i] = j->words[i] >> 1 | (i + 1 < COUNTER_WORDS ? j->words[i + 1] << 63 : 0);
    --j->halvings;
}

/* Between two places: a + (b - a) j / 2^halvings. */
static void place_between(exact *x, const place *a, const place *b, const counter *j, place *p)
{
    int mark = x->workspace.used;
    wide part = counter_wide(j);
    for (int i = 0; i < 3; ++i)
        p->x[0][i] = none;
    for (int point = 1; point < 4; ++point)
        for (int i = 0; i < 3; ++i) {
            wide way = wide_sub(&x->workspace, b->x[point][i], a->x[point][i]);
            wide all = tact_wide_shift_left(&x->workspace, a->x[point][i], j->halvings);
            all = tact_wide_add(&x->workspace, all, tact_wide_mul(&x->workspace, way, part));
            keep(p, point, i, tact_wide_shift_right(&x->workspace, all, j->halvings));
            x->workspace.used = mark;
        }
}

static bool is_spent(const exact *x) { return x->stretches >= x->most; }

/* Does the distance stay above d between two neighbouring doubles? Time is halved in integers. It ends: once the
 * halvings exceed the bits of the way, all is still. False also if all stretches are spent. */
static bool clear_between(exact *x, const place *a, const place *b)
{
    int mark = x->workspace.used;
    counter j = {{0}, 0};
    place left = new_place(x), right = new_place(x);
    bool clear = false;
    copy_place(&left, a);
    while (!is_spent(x)) {
        counter end = j;
        counter_next(&end);
        place_between(x, a, b, &end, &right);
        verdict v = judge(x, &left, &right);
        if (v == INSIDE || v == NEARLY)
            break;
        if (v == SPLIT) {
            counter_halve(&j);
            continue;
        }
        j = end;
        wide done = counter_wide(&j);
        clear = tact_wide_bit_length(done) == j.halvings + 1;
        if (clear)
            break;
        copy_place(&left, &right);
        if (j.halvings > 0 && (j.words[0] & 1) == 0)
            counter_join(&j);
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
static tact_vec3 unit_of(const track *a, int sign)
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

/* Are two points nearest? If so, with normal and weights. */
static bool corner_nearest(exact *x, const stretch *s, const point_point_feature *corner, tact_ccd *answer)
{
    track w = between(&x->workspace, s, corner->a, corner->b);
    for (int i = 0; i < 2; ++i) {
        track e = between(&x->workspace, s, corner->other[i].from, corner->other[i].to);
        polynomial side = dot(&x->workspace, &w, &e);
        if (!has_sign(&side, corner->other[i].sign))
            return false;
    }
    answer->normal = unit_of(&w, 1);
    answer->weights[corner->a] = answer->weights[corner->b] = 1.0;
    return true;
}

static bool line_nearest(exact *x, const stretch *s, const point_edge_feature *line, tact_ccd *answer)
{
    track e = between(&x->workspace, s, line->from, line->to), w = between(&x->workspace, s, line->point, line->from);
    track c = cross(&x->workspace, &e, &w);
    polynomial side = dot(&x->workspace, &c, &s->normal), length = square(&x->workspace, &e),
               foot = dot(&x->workspace, &w, &e);
    wide part = wide_negate(foot.c[0]);
    if (!has_sign(&side, line->sign) || length.c[0].sign <= 0 || part.sign < 0 ||
        tact_wide_compare(part, length.c[0]) > 0)
        return false;
    track way = cross(&x->workspace, &c, &e);
    bool of_a = line->point == 0 || (x->features->across == 2 && line->point == 1);
    answer->normal = unit_of(&way, of_a ? 1 : -1);
    answer->weights[line->point] = 1.0;
    answer->weights[line->to] = ratio(part, length.c[0]);
    answer->weights[line->from] = 1.0 - answer->weights[line->to];
    return true;
}

static void insides_nearest(exact *x, const stretch *s, tact_ccd *answer)
{
    const separation_features *features = x->features;
    track w = between(&x->workspace, s, 0, features->across);
    polynomial f = dot(&x->workspace, &s->normal, &w), area = square(&x->workspace, &s->normal);
    answer->normal = unit_of(&s->normal, f.c[0].sign);
    if (features->across == 1) { /* the weight of a corner is the area over the edge across from it */
        answer->weights[0] = 1.0;
        for (int i = 0; i < 2; ++i) {
            const point_edge_feature *line = &features->point_edge[i + 1];
            track e = between(&x->workspace, s, line->from, line->to), v = between(&x->workspace, s, 0, line->from);
            track c = cross(&x->workspace, &v, &e);
            polynomial part = dot(&x->workspace, &c, &s->normal);
            answer->weights[i + 1] = ratio(part.c[0], area.c[0]);
        }
        double rest = 1.0 - answer->weights[1] - answer->weights[2];
        answer->weights[3] = rest > 0.0 ? rest : 0.0;
        return;
    }
    for (int i = 0; i < 2; ++i) { /* a0 + l u + h n = b0 + m v: l = (w x v).n / n^2, m = (w x u).n / n^2 */
        track e = between(&x->workspace, s, i == 0 ? 2 : 0, i == 0 ? 3 : 1), c = cross(&x->workspace, &w, &e);
        polynomial part = dot(&x->workspace, &c, &s->normal);
        answer->weights[2 * i + 1] = ratio(part.c[0], area.c[0]);
        answer->weights[2 * i] = 1.0 - answer->weights[2 * i + 1];
    }
}

/* A hit in [from, to], with the nearest points at `from`, where p is. */
static tact_ccd hit_at(exact *x, const place *p, double from, double to)
{
    tact_ccd answer = {.status = TACT_OK, .state = TACT_HIT, .lower = from, .upper = to};
    int mark = x->workspace.used;
    stretch s = {.a = p, .b = p, .degree = 0};
    need_normal(x, &s);
    int kept = x->workspace.used;
    bool found = false;
    for (int i = 0; i < x->features->point_point_count && !found; ++i, x->workspace.used = kept)
        found = corner_nearest(x, &s, &x->features->point_point[i], &answer);
    for (int i = 0; i < x->features->point_edge_count && !found; ++i, x->workspace.used = kept)
        found = line_nearest(x, &s, &x->features->point_edge[i], &answer);
    if (!found)
        insides_nearest(x, &s, &answer);
    wide nothing = tact_wide_from_int64(&x->workspace, GRID_LOSS * GRID_LOSS); /* in g^2 */
    if (find_clear_at(x, p, -1, nothing) < 0) { /* as near as rounding to the grid lets us tell, they touch */
        answer.normal = (tact_vec3){0.0, 0.0, 0.0};
        answer.degenerate = true;
    }
    x->workspace.used = mark;
    return answer;
}

/* What is asked, as numbers in a row, and how long they and the places are. */
typedef struct plan {
    double raw[24];     /* the coordinates: twelve at the start, twelve at the end */
    int unit;           /* power of two of the raw coordinates */
    int64_t separation; /* d in 2^(power - GRID_BITS), rounded down: at least 2^49, less than 2^50 */
    bool rounded;
    int power; /* d is below 2^power, not below half of it */
    int finer; /* g is 2^(power - GRID_BITS - finer) */
    int place_words, raw_words;
} plan;

/* All of some doubles are below 2^this. */
static int power_above(const double *values, int count)
{
    wide_grid grid;
    (void)wide_find_grid(values, count, &grid);
    return grid.bits > 0 ? grid.exponent + grid.bits : -1074;
}

static plan make_plan(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    plan p;
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
    int bits = 64 - wide_leading_zeros(odd), up = GRID_BITS - bits;
    p.power = low + bits;
    p.separation = (int64_t)(up >= 0 ? odd << up : odd >> -up);
    p.rounded = up < 0;
    int here = power_above(p.raw, 12), there = power_above(p.raw + 12, 12);
    if (def->velocities) /* places: x0 and a way; otherwise between x0 and x1 */
        there += power_above(&def->exit, 1);
    int size = (here > there ? here : there) + 1 + def->velocities - p.power; /* of differences of them, over d */
    size = size > 1 ? size : 1;
    int finer = size + 1 - GRID_COARSE, most = PLACE_BITS - GRID_BITS - size;
    p.finer = finer < 0 ? 0 : finer < most ? finer : most;
    p.place_words = (size + GRID_BITS + p.finer + 63) / 64;
    return p;
}

/* The coordinates, seen from point 0, and the thresholds. */
static void set_up(exact *x, const plan *p, const tact_ccd_def *def)
{
    x->stretches = 0;
    x->unit = p->unit;
    x->grid = p->power - GRID_BITS - p->finer;
    x->place_words = p->place_words;
    int64_t near = p->separation + p->rounded + GRID_LOSS;
    int64_t far = p->separation + p->separation / CCD_SEPARATION_TOLERANCE_INVERSE - GRID_LOSS;
    wide n = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, near), p->finer);
    wide f = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, far), p->finer);
    x->near2 = tact_wide_mul(&x->workspace, n, n);
    x->far2 = tact_wide_mul(&x->workspace, f, f);
    wide m =
        tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, near + (far - near) / 2), p->finer);
    wide third = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, (far - near) / 6), p->finer);
    x->middle2 = tact_wide_mul(&x->workspace, m, m);
    x->give = tact_wide_mul(&x->workspace, m, third);
    /* two vectors, each moved by at most sqrt 3 times as much */
    x->still = tact_wide_shift_left(&x->workspace, tact_wide_from_int64(&x->workspace, (far - near) / 4), p->finer);
    for (int point = 0; point < 4; ++point)
        for (int i = 0; i < 3; ++i) {
            wide here = tact_wide_from_double(&x->workspace, p->raw[3 * point + i], x->unit);
            wide there = tact_wide_from_double(&x->workspace, p->raw[12 + 3 * point + i], x->unit);
            if (point == 0) {
                x->at[0][i] = here;
                x->way[0][i] = there;
                continue;
            }
            x->at[point][i] = wide_sub(&x->workspace, here, x->at[0][i]);
            wide way = wide_sub(&x->workspace, there, x->way[0][i]);
            x->way[point][i] = def->velocities ? way : wide_sub(&x->workspace, way, x->at[point][i]);
        }
}

static double middle(double a, double b) { return a + (b - a) / 2.0; }

/* All stretches are spent: above d before `from`, and more is not known. A hit, so that nobody takes it for a miss. */
static tact_ccd unsettled(exact *x, const place *p, double from, double to)
{
    tact_ccd answer = hit_at(x, p, from, to);
    answer.status = TACT_NOT_CONVERGED;
    return answer;
}

static tact_ccd search(exact *x, const tact_ccd_def *def, double after, double reach)
{
    place at = new_place(x), next = new_place(x);
    double width = def->velocities ? def->bracket_width * def->exit : def->bracket_width, from = after;
    place_at(x, from, &at);
    at.feature = find_clear_at(x, &at, -1, x->near2);
    if (at.feature < 0)
        return hit_at(x, &at, from, from);
    double to = def->exit;
    bool inside = false; /* is the distance at `to` at most d? */
    while (from < def->exit) {
        place_at(x, reach, &next);
        verdict v = judge(x, &at, &next);
        double half = middle(from, reach);
        bool neighbours = !(from < half && half < reach);
        if (v == SPLIT && neighbours)
            v = clear_between(x, &at, &next) ? CLEAR : NEARLY;
        if (is_spent(x))
            return unsettled(x, &at, from, to);
        if (v == CLEAR) {
            double step = reach - from;
            from = reach;
            copy_place(&at, &next);
            reach = from + 2.0 * step; /* no further: what shortened the last step is likely still ahead */
            if (inside && !(reach < middle(from, to)))
                reach = middle(from, to);
            if (inside && !(from < reach && reach < to))
                return hit_at(x, &at, from, to);
            if (!inside && !(reach < to))
                reach = to;
            if (inside && to - from <= width)
                return hit_at(x, &at, from, to);
            continue;
        }
        if (v == INSIDE) {
            inside = true;
            to = reach;
        }
        if ((v != SPLIT && reach - from <= width) || neighbours)
            return hit_at(x, &at, from, reach);
        reach = half;
    }
    return (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
}

static TACT_NOINLINE tact_ccd search_small(exact *x, const plan *p, const tact_ccd_def *def, double after, double reach)
{
    uint64_t words[ROOM(SMALL_PLACE, SMALL_RAW)];
    x->workspace = WIDE_WORKSPACE(words);
    set_up(x, p, def);
    return search(x, def, after, reach);
}

static TACT_NOINLINE tact_ccd search_large(exact *x, const plan *p, const tact_ccd_def *def, double after, double reach)
{
    uint64_t words[ROOM(LARGE_PLACE, LARGE_RAW)];
    x->workspace = WIDE_WORKSPACE(words);
    set_up(x, p, def);
    return search(x, def, after, reach);
}

tact_ccd tact_ccd_separation_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                   const tact_ccd_def *def, double after, double reach, int *stretches)
{
    plan p = make_plan(start, end, def);
    exact x = {.features = &tact_ccd_separation_features[kind],
               .most = stretches != NULL ? *stretches : CCD_SEPARATION_MAX_INTERVALS};
    bool small = p.place_words <= SMALL_PLACE && p.raw_words <= SMALL_RAW;
    tact_ccd answer = (small ? search_small : search_large)(&x, &p, def, after, reach);
    if (stretches != NULL)
        *stretches = x.stretches;
    return answer;
}
