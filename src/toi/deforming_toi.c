/*
 * A moving triangle against a moving convex element: see flex_impact.h.
 *
 * Guarantee. Along a fixed unit vector n the gap is
 *     g_n(t) = min_i n.x_i(t) - max_b n.P(t) b - s(t) m,
 * with the corners x_i(t) and each n.P(t) b linear in t and s(t) = |(1 - t) e + t R e| convex: a least of linear
 * functions less a greatest and less a convex one, so g_n is concave. Where it is positive at both ends of a span it is
 * positive in all of it, and above its chord. The distance at t is the greatest g_n(t) over all n, and GJK finds an n
 * that comes near it. So: take n at the time t; if g_n(1) is above half the tolerance the rest is free; otherwise go to
 * where the chord falls to that, or farther where the chord of a part allows it, but not beyond; take a new n there;
 * and stop when g_n is at most 0.7 of the tolerance. Every g_n is computed to within E = FLEX_ROUNDING of the size, the
 * tolerance is 8 E, so all that is passed over has a true gap above 3 E, and a hit has at most the tolerance: (5.6 E +
 * E) / (0.95 0.9), as GJK's bound is right to a twentieth and n keeps nine tenths of it. The beginning is held to less,
 * E: two that rest, at what a step before has left between them (more than 3 E), do not become a hit by rounding.
 *
 * Where a near pair turns, a fixed n soon fails, and one that turns is tried: with A(t) = (1 - t) I + t R, P = A P0,
 * and v(t) = (1 - u) v0 + u v1 for the part u of a span, take n(t) = adj(A)^t v(t), of at most the length s. As adj(A)
 * A is det A = s^2, the gap along it, times its length, is at least f(t) = min_i v(t).adj(A(t)) x_i(t) - s(t)^2 ((1 -
 * u) H(v0) + u H(v1)), H being how far the element with its margin reaches at the beginning, which is convex. Each is a
 * polynomial of degree 4 (A is a complex number across the axis and 1 along it, adj(A) its conjugate and s^2), so f is
 * above the hull of the least of their Bernstein coefficients. v0 = v1 is a direction that turns with the body: then f
 * is s^2 times the gap for whatever sticks to it, and never fails. v1 from GJK at the end of the span follows a face
 * that tilts, to the second order.
 *
 * Cost: a pair that is clearly apart takes two support points, one that is decided by the first n of GJK 1 us, hits
 * 3 to 6 GJK as a rule, as each step is Newton's for the distance: the more the nearer they graze. FLEX_STEPS bounds
 * them, after which the time reached is told as a hit: early, never late.
 *
 * Conservative advancement (Mirtich 1996) along separating directions; that points go straight makes the bound exact
 * and simple where impact.c needs parabolas. Nothing is inverted: a half turn, where all of the body passes through its
 * axis, is like any other way.
 */
#include "toi/deforming_toi.h"

#include <float.h>

#include "convex/gjk.h"
#include "toi/convex_toi.h"

/* Distances asked for before we stop at the time reached: some times what grazing at the tolerance takes, which halves
 * the way to the lowest point again and again. */
#define FLEX_STEPS 1000

/* Parts of the tolerance: what is passed over, and what ends the search. */
#define PASS_PART 0.5
#define ACCEPT_PART 0.7

/* GJK need not be more accurate than this part of the distance. */
#define ROUGH 0.05

/* Of the distance that GJK has proved: what its direction need not separate. */
#define UNPROVED 0.1

/* How often a chord is drawn again for one direction: a support point, where a new direction costs a whole GJK. */
#define CHORDS 2

/* Of what is left of the way: a step along a fixed direction that is shorter has a turning one tried. */
#define SLOW 0.25

/* How often the span of a turning direction is shortened in a step, and what part of it is worth stopping at. */
#define SPANS 3
#define WORTH 0.25

/* Relative: more than the roundings of where a chord crosses. */
#define SHY (1.0 - 8.0 * DBL_EPSILON)

typedef struct pair {
    const flex_obstacle *o;
    uint32_t element;
    tact_vec3 ends[2][3]; /* the corners, relative to the obstacle's origin */
    double size;
    double noise; /* a length: E */
    double start; /* the same of what enters at the beginning alone, where nothing is blended */
} pair;

/* Both at one time, relative to the obstacle's origin. */
typedef struct view {
    convex obstacle;
    tact_vec3 corners[3];
} view;

static double blend(double a, double b, double t) { return (1.0 - t) * a + t * b; }

static tact_vec3 blend_vec(tact_vec3 a, tact_vec3 b, double t)
{
    return vec_make(blend(a.x, b.x, t), blend(a.y, b.y, t), blend(a.z, b.z, t));
}

/* ---- where things are ---- */

tact_vec3 tact_flex_origin(const flex_obstacle *o, double time)
{
    return blend_vec(o->ends[0].at.origin, o->ends[1].at.origin, time);
}

/* The element at a time, relative to the leaf's origin. */
static void place_element(const flex_obstacle *o, uint32_t element, double t, convex *c)
{
    instance p = o->ends[0];
    const tact_transform *a = &o->ends[0].at, *b = &o->ends[1].at;
    p.at = (tact_transform){blend_vec(a->x_axis, b->x_axis, t), blend_vec(a->y_axis, b->y_axis, t),
                            blend_vec(a->z_axis, b->z_axis, t), vec_make(0.0, 0.0, 0.0)};
    const mesh *m = p.shape->mesh;
    const tact_shape *whole = m == NULL ? p.shape : m->hulls != NULL ? m->hulls[element] : NULL;
    const double shrink = 2.0 * t * (1.0 - t) * o->turned.versine; /* 1 - s^2 */
    const double lost = shrink > 0.0 ? 1.0 - sqrt(max_double(1.0 - shrink, 0.0)) : 0.0;
    if (whole == NULL) { /* of points alone */
        const primitive s = {&p, element};
        (void)tact_primitive_convex(&s, c);
        c->margin -= lost * p.margin;
    } else {
        (void)tact_convex_make_singular(c, whole, &p.at);
        c->margin += p.margin;
        c->margin -= lost * (p.margin + whole->margin);
    }
}

static void look(const pair *p, double t, view *v)
{
    place_element(p->o, p->element, t, &v->obstacle);
    for (int i = 0; i < 3; i++)
        v->corners[i] = blend_vec(p->ends[0][i], p->ends[1][i], t);
}

static double height(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin)) + c->margin;
}

/* g_n: not a number where a support function gives none. */
static double gap_along(const view *v, tact_vec3 n)
{
    double low = vec_dot(n, v->corners[0]);
    for (int i = 1; i < 3; i++)
        low = fmin(low, vec_dot(n, v->corners[i]));
    return low - height(&v->obstacle, n);
}

static double reach_of(const convex *c)
{
    return c->bounding_radius + vec_length_safe(c->transform.origin) + c->margin;
}

/* Puts a pair together, seen at both of its ends. */
static void prepare(pair *p, const flex_obstacle *o, uint32_t element, const flex_triangle *triangle, view ends[2])
{
    double far = 0.0, reach = 0.0, start = 0.0;
    p->o = o;
    p->element = element;
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < 3; i++) {
            p->ends[end][i] = vec_sub(triangle->ends[end][i], o->ends[end].at.origin);
            far = fmax(far, vec_length_safe(p->ends[end][i]));
        }
    }
    for (int end = 0; end < 2; end++) {
        look(p, end, &ends[end]);
        reach = fmax(reach, reach_of(&ends[end].obstacle));
    }
    for (int i = 0; i < 3; i++)
        start = fmax(start, vec_length_safe(p->ends[0][i]));
    p->start = fmax(FLEX_ROUNDING * (start + reach_of(&ends[0].obstacle)), DBL_MIN);
    p->size = far + reach;
    p->noise = fmax(FLEX_ROUNDING * p->size, DBL_MIN);
}

/* ---- distances ---- */

static convex triangle_of(const pair *p, const view *v)
{
    convex triangle = convex_point(p->o->ends[0].shape, vec_make(0.0, 0.0, 0.0));
    triangle.point_count = 3;
    for (int i = 0; i < 3; i++) {
        triangle.points[i] = v->corners[i];
        triangle.bounding_radius = fmax(triangle.bounding_radius, vec_length_safe(v->corners[i]));
    }
    return triangle;
}

static void offer(const view *v, tact_vec3 candidate, tact_vec3 *n, double *gap)
{
    if (!(vec_max_abs(candidate) > 0.0))
        return;
    const double there = gap_along(v, candidate);
    if (there > *gap || !(*gap == *gap)) {
        *gap = there;
        *n = candidate;
    }
}

/* The distance, and the direction that separates most: no worse than `n` is, whose gap is `gap`. GJK's normal may be
 * that between its points; where that does not separate by what is proved it is asked to decide about nearly that
 * distance, and ends with the direction that does. */
static void measure(const pair *p, const view *v, double accuracy, double noise, tact_vec3 *n, double *gap,
                    gjk_result *g)
{
    const convex triangle = triangle_of(p, v);
    *g = (gjk_result){.count = 0};
    tact_gjk_distance(&v->obstacle, &triangle, accuracy, INFINITY, *n, g);
    offer(v, g->normal, n, gap);
    offer(v, g->best_axis, n, gap);
    const double proved = g->lower - v->obstacle.margin, slack = UNPROVED * proved + 0.25 * noise;
    if (proved > 0.0 && *gap < proved - slack) {
        gjk_result again = {.count = 0};
        tact_gjk_within(&v->obstacle, &triangle, g->lower - 0.5 * slack, *n, &again);
        offer(v, again.normal, n, gap);
        offer(v, again.best_axis, n, gap);
    }
}

static tact_vec3 toward(const tact_vec3 corners[3])
{
    const tact_vec3 n = vec_normalize(vec_add(
        vec_add(vec_scale(corners[0], 1.0 / 3.0), vec_scale(corners[1], 1.0 / 3.0)), vec_scale(corners[2], 1.0 / 3.0)));
    return vec_max_abs(n) > 0.0 ? n : vec_make(1.0, 0.0, 0.0);
}

/* ---- the search ---- */

/* How far it is safe to go along n from the time t, at which the gap is `gap`, above `floor`; at the end it is `last`,
 * below. Where the chord from the last safe time to one that is not crosses the floor, it is safe; the line through
 * two safe times crosses it too late, as the gap is concave. */
static double safe_until(const pair *p, tact_vec3 n, double t, double gap, double last, double floor)
{
    double left = t, right = 1.0, low = last;
    for (int i = 0; i < CHORDS; i++) {
        view v;
        const double next = left + (right - left) * (SHY * (gap - floor) / (gap - low));
        if (!(next > left && next < right))
            break;
        look(p, next, &v);
        const double there = gap_along(&v, n);
        if (!(there >= floor - p->noise)) /* a support function that is not one */
            break;
        const double late = next + (next - left) * ((there - floor) / (gap - there));
        left = next;
        if (!(there > floor) || i + 1 == CHORDS)
            break;
        gap = there;
        if (late > left && late < right) {
            look(p, late, &v);
            const double beyond = gap_along(&v, n);
            if (beyond > floor) { /* between roundings */
                left = late;
                gap = beyond;
                continue;
            }
            right = late;
            low = beyond;
        }
        if (!(low < gap))
            break;
    }
    return left;
}

/* ---- directions that turn ---- */

/* The map A(t) = (1 - t) I + t R of the turn: along the axis nothing, across it the complex number re + i im. */
typedef struct swirl {
    double re, im;
} swirl;

static swirl swirl_at(const axis_rotation *r, double t) { return (swirl){1.0 - t * r->versine, t * r->sine}; }

/* A(t)^t n: the direction, as the body sees it at the beginning, that is n at the time. */
static tact_vec3 into_body(const axis_rotation *r, double t, tact_vec3 n)
{
    const swirl a = swirl_at(r, t);
    const double along = vec_dot(r->axis, n);
    const tact_vec3 across = vec_mul_add(n, -along, r->axis);
    return vec_normalize(
        vec_mul_add(vec_mul_add(vec_scale(across, a.re), -a.im, vec_cross(r->axis, n)), along, r->axis));
}

/* One corner on a span, as the body sees it: the Bernstein coefficients of adj(A) y, of degree 3. */
static void into_body_span(const axis_rotation *r, const swirl a[2], const double square[3], const tact_vec3 y[2],
                           tact_vec3 z[4])
{
    double along[2];
    tact_vec3 across[2], turned[2], c[3];
    for (int k = 0; k < 2; k++) {
        along[k] = vec_dot(r->axis, y[k]);
        across[k] = vec_mul_add(y[k], -along[k], r->axis);
        turned[k] = vec_cross(r->axis, y[k]);
    }
    /* across the axis, the conjugate of a times y: of degree 2 */
    c[0] = vec_mul_add(vec_scale(across[0], a[0].re), -a[0].im, turned[0]);
    c[2] = vec_mul_add(vec_scale(across[1], a[1].re), -a[1].im, turned[1]);
    c[1] = vec_scale(vec_add(vec_mul_add(vec_scale(across[1], a[0].re), -a[0].im, turned[1]),
                             vec_mul_add(vec_scale(across[0], a[1].re), -a[1].im, turned[0])),
                     0.5);
    /* along it, |a|^2 times y */
    const double w[4] = {square[0] * along[0], (2.0 * square[1] * along[0] + square[0] * along[1]) / 3.0,
                         (square[2] * along[0] + 2.0 * square[1] * along[1]) / 3.0, square[2] * along[1]};
    z[0] = vec_mul_add(c[0], w[0], r->axis);
    z[1] = vec_mul_add(vec_scale(vec_mul_add(c[0], 2.0, c[1]), 1.0 / 3.0), w[1], r->axis);
    z[2] = vec_mul_add(vec_scale(vec_mul_add(c[2], 2.0, c[1]), 1.0 / 3.0), w[2], r->axis);
    z[3] = vec_mul_add(c[2], w[3], r->axis);
}

/* A direction in the body, and how far the body, margin included, reaches along it at the beginning. */
typedef struct sight {
    tact_vec3 direction;
    double height;
} sight;

/* What part of the span from `t` to `to` is safe along a direction that goes, in the body, from one to another: see the
 * head of this file. */
static double swing(const pair *p, double t, double to, const sight s[2], double floor)
{
    const axis_rotation *r = &p->o->turned;
    const swirl a[2] = {swirl_at(r, t), swirl_at(r, to)};
    const double square[3] = {a[0].re * a[0].re + a[0].im * a[0].im, a[0].re * a[1].re + a[0].im * a[1].im,
                              a[1].re * a[1].re + a[1].im * a[1].im};
    const double h0 = s[0].height, h1 = s[1].height;
    const double g[4] = {square[0] * h0, (2.0 * square[1] * h0 + square[0] * h1) / 3.0,
                         (square[2] * h0 + 2.0 * square[1] * h1) / 3.0, square[2] * h1};
    double low[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 3; i++) {
        tact_vec3 z[4];
        const tact_vec3 y[2] = {blend_vec(p->ends[0][i], p->ends[1][i], t),
                                blend_vec(p->ends[0][i], p->ends[1][i], to)};
        into_body_span(r, a, square, y, z);
        double d[2][4];
        for (int k = 0; k < 8; k++)
            d[k / 4][k % 4] = vec_dot(s[k / 4].direction, z[k % 4]);
        low[0] = fmin(low[0], d[0][0]);
        low[1] = fmin(low[1], 0.25 * (3.0 * d[0][1] + d[1][0]));
        low[2] = fmin(low[2], 0.5 * (d[0][2] + d[1][1]));
        low[3] = fmin(low[3], 0.25 * (d[0][3] + 3.0 * d[1][2]));
        low[4] = fmin(low[4], d[1][3]);
    }
    low[0] -= g[0];
    low[1] -= 0.25 * (g[0] + 3.0 * g[1]);
    low[2] -= 0.5 * (g[1] + g[2]);
    low[3] -= 0.25 * (3.0 * g[2] + g[3]);
    low[4] -= g[3];
    /* The curve is in the hull of the points (j/4, low[j]), whose lower side comes down to the floor between two of
     * them: not before the first such crossing of any two. */
    double part = low[0] > floor ? 1.0 : 0.0;
    for (int j = 1; j < 5; j++)
        for (int i = 0; i < j && !(low[j] > floor); i++)
            if (low[i] > floor)
                part = fmin(part, SHY * 0.25 * (i + (j - i) * ((low[i] - floor) / (low[i] - low[j]))));
    return part >= 0.0 ? part : 0.0;
}

static sight sight_of(const pair *p, const convex *begin, double t, tact_vec3 n)
{
    const tact_vec3 direction = into_body(&p->o->turned, t, n);
    return (sight){direction, height(begin, direction)};
}

/* How far it is safe to go from `t` along n as it turns: with the body, or to the direction that separates best a
 * little later, the span of which is shortened until it is worth its while. `span` remembers its length, `steady` the
 * direction that has turned with the body for longest: with a margin, and an axis that is neither along n nor across
 * it, our bound is short of the gap, so that the best direction may do less well than that one. */
static double safe_turning(const pair *p, const convex *begin, double t, tact_vec3 n, double floor, double *span,
                           sight *steady, int *steps)
{
    sight s[2];
    double best = t;
    s[0] = sight_of(p, begin, t, n);
    for (int i = 0; i < SPANS; i++) {
        const double length = fmin(*span, 1.0 - t), to = length < 1.0 - t ? t + length : 1.0;
        view v;
        gjk_result g;
        tact_vec3 there = n;
        look(p, to, &v);
        double gap = gap_along(&v, there);
        measure(p, &v, ROUGH, p->noise, &there, &gap, &g);
        ++*steps;
        s[1] = gap > floor ? sight_of(p, begin, to, there) : s[0];
        double part = swing(p, t, to, s, floor);
        if (part < 1.0) {
            const sight still[2] = {*steady, *steady}, here[2] = {s[0], s[0]};
            const double longer = swing(p, t, to, still, floor), with = swing(p, t, to, here, floor);
            if (with > longer)
                *steady = s[0];
            part = fmax(part, fmax(longer, with));
        }
        best = fmax(best, part < 1.0 ? t + part * (to - t) : to);
        *span = part < 1.0 ? fmax(2.0 * part, 0.125) * length : 4.0 * length;
        if (part > WORTH || !(*span > 0.0))
            break;
    }
    return best;
}

static void tell(flex_contact *contact, double time, const view *v, tact_vec3 normal, const gjk_result *g)
{
    contact->hit = true;
    contact->time = time;
    contact->normal = normal;
    contact->on_obstacle = vec_mul_add(g->on_a, v->obstacle.margin, normal);
    contact->on_triangle = g->on_b;
}

void tact_flex_impact(const flex_obstacle *o, uint32_t element, const flex_triangle *triangle, flex_contact *contact)
{
    pair p;
    view ends[2];
    prepare(&p, o, element, triangle, ends);
    const double tolerance = FLEX_TOLERANCE * p.noise, pass = PASS_PART * tolerance;
    *contact = (flex_contact){.tolerance = tolerance};
    tact_vec3 n = toward(p.ends[0]);
    view now = ends[0];
    double t = 0.0, gap = gap_along(&now, n), last, span = 1.0;
    sight steady = {{0.0, 0.0, 0.0}, 0.0};
    if (gap > pass && gap_along(&ends[1], n) > pass)
        return;
    for (;;) {
        gjk_result g;
        measure(&p, &now, ROUGH, t > 0.0 ? p.noise : p.start, &n, &gap, &g);
        ++contact->steps;
        last = gap_along(&ends[1], n);
        if (!(gap >
              p.noise)) { /* at the beginning: nothing may prove that they are apart. Later that is known already */
            contact->touching = t == 0.0 && !(gap > p.start);
            tell(contact, t, &now, contact->touching ? vec_make(0.0, 0.0, 0.0) : n, &g);
            return;
        }
        if (last > pass || (last > p.noise && last >= gap))
            return; /* the gap is positive here and at the end, and so in between */
        if (gap <= ACCEPT_PART * tolerance) {
            tell(contact, t, &now, n, &g);
            return;
        }
        double next = contact->steps < FLEX_STEPS ? safe_until(&p, n, t, gap, last, pass) : t;
        if (next > t && next < t + SLOW * (1.0 - t))
            next = fmax(next, safe_turning(&p, &ends[0].obstacle, t, n, pass, &span, &steady, &contact->steps));
        if (!(next > t)) {
            contact->stalled = true;
            tell(contact, t, &now, n, &g);
            return;
        }
        t = next;
        look(&p, t, &now);
        gap = gap_along(&now, n);
    }
}

void tact_flex_distance(const flex_obstacle *o, uint32_t element, const flex_triangle *triangle, flex_contact *contact)
{
    pair p;
    view ends[2];
    gjk_result g;
    prepare(&p, o, element, triangle, ends);
    *contact = (flex_contact){.tolerance = FLEX_TOLERANCE * p.noise};
    tact_vec3 n = toward(p.ends[0]);
    double gap = -INFINITY;
    measure(&p, &ends[0], 0.0, p.start, &n, &gap, &g);
    contact->steps = 1;
    const double margin = ends[0].obstacle.margin;
    if (g.status == GJK_OVERLAP || !(g.upper > margin) || !(gap > 0.0)) {
        contact->touching = true;
        tell(contact, 0.0, &ends[0], vec_make(0.0, 0.0, 0.0), &g);
        return;
    }
    tell(contact, 0.0, &ends[0], n, &g);
    contact->hit = false;
    contact->distance = g.upper - margin;
}

/* ---- the way of an obstacle ---- */

double tact_flex_height(const flex_obstacle *o, uint32_t element, int end, tact_vec3 n)
{
    convex c;
    place_element(o, element, end, &c);
    return height(&c, n);
}

box tact_flex_box(const flex_obstacle *o, uint32_t element, double *size)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    *size = 0.0;
    for (int end = 0; end < 2; end++) {
        convex c;
        place_element(o, element, end, &c);
        const tact_vec3 at = o->ends[end].at.origin;
        const double origin[3] = {at.x, at.y, at.z};
        const double spare = FLEX_ROUNDING * (reach_of(&c) + vec_max_abs(at)); /* and that of the sum */
        for (int i = 0; i < 3; i++) {
            const tact_vec3 n = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
            const double up = origin[i] + height(&c, n) + spare, down = origin[i] - height(&c, vec_negate(n)) - spare;
            high[i] = up > high[i] ? up : up == up ? high[i] : INFINITY;
            low[i] = down < low[i] ? down : down == down ? low[i] : -INFINITY;
            *size = max_double(*size, max_double(fabs(high[i]), fabs(low[i])));
        }
    }
    return box_from_bounds(vec_make(low[0], low[1], low[2]), vec_make(high[0], high[1], high[2]));
}

bool tact_flex_is_round(const tact_shape *shape, const tact_transform *at, tact_vec3 axis)
{
    convex c;
    tact_transform here = *at;
    here.origin = vec_make(0.0, 0.0, 0.0);
    if (!shape_is_convex(shape) || tact_convex_make(&c, shape, &here) != TACT_OK)
        return false;
    if (c.kind != CONVEX_POINTS)
        return tact_convex_is_symmetric_about(&c, axis);
    for (int i = 0; i < c.point_count; i++)
        if (vec_length_safe(vec_cross(axis, vec_add(c.points[i], c.transform.origin))) >
            0.5 * FLEX_ROUNDING * reach_of(&c))
            return false;
    return true;
}
