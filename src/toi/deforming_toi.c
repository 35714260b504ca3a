/*
 * Time of impact of a deforming triangle and a moving convex primitive (deforming_toi.h).
 *
 * Guarantee. Along a fixed unit vector n the separation is
 *     g_n(t) = min_i n.x_i(t) - max_b n.P(t) b - s(t) m,
 * with vertices x_i, points b of the core, and margin m. The n.x_i(t) and n.P(t) b are linear in t, and s(t) is convex.
 * So g_n is concave: positive at both ends of an interval means positive in all of it, and above the chord. The
 * distance at t is the maximum of g_n(t) over all n, and GJK finds an n close to it.
 *
 * Method. Take n at the time t. If g_n(1) is above half the tolerance, there is no contact. Otherwise advance to
 * where the chord from t to 1 falls to half the tolerance, and on by a second chord from there
 * (TOI_DEFORMING_CHORDS). Take a new n there. Stop where g_n is at most 0.7 of the tolerance.
 *
 * Rounding. Every g_n is computed to within E = TOI_DEFORMING_ROUNDING of the size, and the tolerance is 8 E. So all
 * times passed over have a true separation above 3 E. A hit has at most the tolerance: (5.6 E + E) / (0.95 x 0.9),
 * since GJK's bound has a relative error of 1/20 and n separates by nine tenths of it. At the start E alone decides: a
 * pair at rest that an earlier step left more than 3 E apart does not become a hit by rounding.
 *
 * Turning directions. Where a close pair turns, a fixed n soon fails. Let A(t) = (1 - t) I + t R, P = A P0, and
 * v(t) = (1 - u) v0 + u v1 for the fraction u of an interval. Take n(t) = adj(A)^t v(t), whose length is at most s.
 * Since adj(A) A = det A = s^2, the separation along n(t) times its length is at least
 *     f(t) = min_i v(t).adj(A(t)) x_i(t) - s(t)^2 ((1 - u) H(v0) + u H(v1)),
 * where H is the support function of the primitive with its margin at time 0, which is convex. Each term is a
 * polynomial of degree 4: across the axis A is a complex number, adj(A) its conjugate; along the axis A is 1, adj(A)
 * s^2. So f lies above the lower hull of the coefficient-wise minimum of the Bernstein coefficients. v0 = v1 is a
 * direction that turns with the body: f is then s^2 times the separation, and exact for vertices that move with the
 * body. v1 from GJK at the end of the interval follows a tilting face to second order.
 *
 * Cost: two support points where a pair is clearly apart, 1 us where the first n of GJK decides. Hits take 3 to 6 GJK
 * as a rule, since each step is a Newton step for the distance, and more the closer the pair grazes. After
 * TOI_DEFORMING_MAX_STEPS the time reached is a hit: early, never late.
 *
 * After Mirtich 1996 (conservative advancement). Points move straight, so the bound is exact and needs no parabolas as
 * in conservative_advancement.c. Nothing is inverted: a half turn, where the body passes through its axis, is no
 * special case.
 */
#include "toi/deforming_toi.h"

#include <float.h>

#include "convex/gjk.h"
#include "core/number.h"
#include "toi/convex_toi.h"
#include "toi/safe_time.h"

typedef struct triangle_search {
    const moving_obstacle *o;
    uint32_t element;
    tact_vec3 ends[2][3]; /* the vertices, relative to the obstacle's origin */
    double size;
    double rounding;       /* length: E */
    double start_rounding; /* length: the same at time 0, where nothing is interpolated */
} triangle_search;

/* Both at one time, relative to the obstacle's origin. */
typedef struct pair_pose {
    convex obstacle;
    tact_vec3 vertices[3];
} pair_pose;

static double blend(double a, double b, double t) { return (1.0 - t) * a + t * b; }

static tact_vec3 blend_vec(tact_vec3 a, tact_vec3 b, double t)
{
    return vec_make(blend(a.x, b.x, t), blend(a.y, b.y, t), blend(a.z, b.z, t));
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

tact_vec3 tact_moving_obstacle_origin(const moving_obstacle *o, double time)
{
    return blend_vec(o->ends[0].at.origin, o->ends[1].at.origin, time);
}

/* The primitive at a time, relative to the leaf's origin. */
static void primitive_at(const moving_obstacle *o, uint32_t element, double t, convex *c)
{
    instance p = o->ends[0];
    const tact_transform *a = &o->ends[0].at, *b = &o->ends[1].at;
    p.at = (tact_transform){blend_vec(a->x_axis, b->x_axis, t), blend_vec(a->y_axis, b->y_axis, t),
                            blend_vec(a->z_axis, b->z_axis, t), vec_make(0.0, 0.0, 0.0)};
    const mesh *m = p.shape->mesh;
    const tact_shape *whole = m == NULL ? p.shape : m->hulls != NULL ? m->hulls[element] : NULL;
    const double shrink = 2.0 * t * (1.0 - t) * o->rotation.versine; /* 1 - s^2 */
    const double lost = shrink > 0.0 ? 1.0 - sqrt(max_double(1.0 - shrink, 0.0)) : 0.0;
    if (whole == NULL) { /* a core of points */
        const primitive s = {&p, element};
        (void)tact_primitive_convex(&s, c);
        c->margin -= lost * p.margin;
    } else {
        (void)tact_convex_make_singular(c, whole, &p.at);
        c->margin += p.margin;
        c->margin -= lost * (p.margin + whole->margin);
    }
}

static void pose_at(const triangle_search *p, double t, pair_pose *v)
{
    primitive_at(p->o, p->element, t, &v->obstacle);
    for (int i = 0; i < 3; i++)
        v->vertices[i] = blend_vec(p->ends[0][i], p->ends[1][i], t);
}

static double support_with_margin(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin)) + c->margin;
}

/* g_n; NaN where a custom support function gives no number. */
static double gap_along(const pair_pose *v, tact_vec3 n)
{
    double low = vec_dot(n, v->vertices[0]);
    for (int i = 1; i < 3; i++)
        low = number_min(low, vec_dot(n, v->vertices[i]));
    return low - support_with_margin(&v->obstacle, n);
}

static double radius_of(const convex *c)
{
    return c->bounding_radius + vec_length_safe(c->transform.origin) + c->margin;
}

/* Also gives the poses at both ends. */
static void make_pair(triangle_search *p, const moving_obstacle *o, uint32_t element, const moving_triangle *triangle,
                      pair_pose ends[2])
{
    double far = 0.0, reach = 0.0, start = 0.0;
    p->o = o;
    p->element = element;
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < 3; i++) {
            p->ends[end][i] = vec_sub(triangle->ends[end][i], o->ends[end].at.origin);
            far = number_max(far, vec_length_safe(p->ends[end][i]));
        }
    }
    for (int end = 0; end < 2; end++) {
        pose_at(p, end, &ends[end]);
        reach = number_max(reach, radius_of(&ends[end].obstacle));
    }
    for (int i = 0; i < 3; i++)
        start = number_max(start, vec_length_safe(p->ends[0][i]));
    p->start_rounding = number_max(TOI_DEFORMING_ROUNDING * (start + radius_of(&ends[0].obstacle)), DBL_MIN);
    p->size = far + reach;
    p->rounding = number_max(TOI_DEFORMING_ROUNDING * p->size, DBL_MIN);
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

static convex triangle_of(const triangle_search *p, const pair_pose *v)
{
    convex triangle = convex_point(p->o->ends[0].shape, vec_make(0.0, 0.0, 0.0));
    triangle.point_count = 3;
    for (int i = 0; i < 3; i++) {
        triangle.points[i] = v->vertices[i];
        triangle.bounding_radius = number_max(triangle.bounding_radius, vec_length_safe(v->vertices[i]));
    }
    return triangle;
}

static void try_direction(const pair_pose *v, tact_vec3 candidate, tact_vec3 *n, double *gap)
{
    if (!(vec_max_abs(candidate) > 0.0))
        return;
    const double there = gap_along(v, candidate);
    if (there > *gap || !(*gap == *gap)) {
        *gap = there;
        *n = candidate;
    }
}

/* The distance, and a direction that separates at least as well as `n`, whose separation is `gap`. GJK's normal may be
 * that of its points. Where it does not separate by the proved bound, GJK decides about nearly that distance, and ends
 * with a direction that does. */
static void find_separation(const triangle_search *p, const pair_pose *v, double accuracy, double rounding,
                            tact_vec3 *n, double *gap, gjk_result *g)
{
    const convex triangle = triangle_of(p, v);
    *g = (gjk_result){.count = 0};
    tact_gjk_distance(&v->obstacle, &triangle, accuracy, INFINITY, *n, g);
    try_direction(v, g->normal, n, gap);
    try_direction(v, g->best_axis, n, gap);
    const double proved = g->lower - v->obstacle.margin, slack = TOI_DEFORMING_UNPROVED * proved + 0.25 * rounding;
    if (proved > 0.0 && *gap < proved - slack) {
        gjk_result again = {.count = 0};
        tact_gjk_within(&v->obstacle, &triangle, g->lower - 0.5 * slack, *n, &again);
        try_direction(v, again.normal, n, gap);
        try_direction(v, again.best_axis, n, gap);
    }
}

static tact_vec3 initial_direction(const tact_vec3 vertices[3])
{
    const tact_vec3 n =
        vec_normalize(vec_add(vec_add(vec_scale(vertices[0], 1.0 / 3.0), vec_scale(vertices[1], 1.0 / 3.0)),
                              vec_scale(vertices[2], 1.0 / 3.0)));
    return vec_max_abs(n) > 0.0 ? n : vec_make(1.0, 0.0, 0.0);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* The time up to which n separates from t on, where the separation is `gap`, above `floor`; at the end it is `last`,
 * below. The separation is concave: where the chord from a safe time to an unsafe one crosses the floor is safe; where
 * the line through two safe times crosses it is too late. */
static double safe_time_fixed(const triangle_search *p, tact_vec3 n, double t, double gap, double last, double floor)
{
    double left = t, right = 1.0, low = last;
    for (int i = 0; i < TOI_DEFORMING_CHORDS; i++) {
        pair_pose v;
        const double next = left + (right - left) * (TOI_ROUND_DOWN * (gap - floor) / (gap - low));
        if (!(next > left && next < right))
            break;
        pose_at(p, next, &v);
        const double there = gap_along(&v, n);
        if (!(there >= floor - p->rounding)) /* a custom support function that is not convex */
            break;
        const double late = next + (next - left) * ((there - floor) / (gap - there));
        left = next;
        if (!(there > floor) || i + 1 == TOI_DEFORMING_CHORDS)
            break;
        gap = there;
        if (late > left && late < right) {
            pose_at(p, late, &v);
            const double beyond = gap_along(&v, n);
            if (beyond > floor) { /* by rounding */
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

/* ---- turning directions ------------------------------------------------------------------------------------------ */

/* A(t) = (1 - t) I + t R: the identity along the axis, the complex number re + i im across it. */
typedef struct rotation_blend {
    double re, im;
} rotation_blend;

static rotation_blend rotation_blend_at(const axis_rotation *r, double t)
{
    return (rotation_blend){1.0 - t * r->versine, t * r->sine};
}

/* A(t)^t n: the direction in the body at time 0 that becomes n at time t. */
static tact_vec3 to_body(const axis_rotation *r, double t, tact_vec3 n)
{
    const rotation_blend a = rotation_blend_at(r, t);
    const double along = vec_dot(r->axis, n);
    const tact_vec3 across = vec_mul_add(n, -along, r->axis);
    return vec_normalize(
        vec_mul_add(vec_mul_add(vec_scale(across, a.re), -a.im, vec_cross(r->axis, n)), along, r->axis));
}

/* One vertex over an interval, in the body: the Bernstein coefficients of adj(A) y, of degree 3. */
static void to_body_bernstein(const axis_rotation *r, const rotation_blend a[2], const double square[3],
                              const tact_vec3 y[2], tact_vec3 z[4])
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

/* A direction in the body at time 0, and its support value, margin included. */
typedef struct body_direction {
    tact_vec3 direction;
    double support;
} body_direction;

/* The fraction of the interval from `t` to `to` over which a direction separates that goes, in the body, from s[0] to
 * s[1]: see the head of this file. */
static double safe_fraction(const triangle_search *p, double t, double to, const body_direction s[2], double floor)
{
    const axis_rotation *r = &p->o->rotation;
    const rotation_blend a[2] = {rotation_blend_at(r, t), rotation_blend_at(r, to)};
    const double square[3] = {a[0].re * a[0].re + a[0].im * a[0].im, a[0].re * a[1].re + a[0].im * a[1].im,
                              a[1].re * a[1].re + a[1].im * a[1].im};
    const double h0 = s[0].support, h1 = s[1].support;
    const double g[4] = {square[0] * h0, (2.0 * square[1] * h0 + square[0] * h1) / 3.0,
                         (square[2] * h0 + 2.0 * square[1] * h1) / 3.0, square[2] * h1};
    double low[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 3; i++) {
        tact_vec3 z[4];
        const tact_vec3 y[2] = {blend_vec(p->ends[0][i], p->ends[1][i], t),
                                blend_vec(p->ends[0][i], p->ends[1][i], to)};
        to_body_bernstein(r, a, square, y, z);
        double d[2][4];
        for (int k = 0; k < 8; k++)
            d[k / 4][k % 4] = vec_dot(s[k / 4].direction, z[k % 4]);
        low[0] = number_min(low[0], d[0][0]);
        low[1] = number_min(low[1], 0.25 * (3.0 * d[0][1] + d[1][0]));
        low[2] = number_min(low[2], 0.5 * (d[0][2] + d[1][1]));
        low[3] = number_min(low[3], 0.25 * (d[0][3] + 3.0 * d[1][2]));
        low[4] = number_min(low[4], d[1][3]);
    }
    low[0] -= g[0];
    low[1] -= 0.25 * (g[0] + 3.0 * g[1]);
    low[2] -= 0.5 * (g[1] + g[2]);
    low[3] -= 0.25 * (3.0 * g[2] + g[3]);
    low[4] -= g[3];
    return bernstein_safe_fraction(low, floor);
}

static body_direction body_direction_of(const triangle_search *p, const convex *begin, double t, tact_vec3 n)
{
    const tact_vec3 direction = to_body(&p->o->rotation, t, n);
    return (body_direction){direction, support_with_margin(begin, direction)};
}

/* The time up to which n separates from `t` on while it turns: with the body, or to the direction that separates best a
 * little later. That interval is shortened until enough of it is safe. `span` stores its length, `body_fixed` the
 * direction that has separated longest while turning with the body. With a margin, and an axis neither along n nor
 * across it, the bound is below the separation, so the best direction may do worse than that one. */
static double safe_time_turning(const triangle_search *p, const convex *begin, double t, tact_vec3 n, double floor,
                                double *span, body_direction *body_fixed, int *steps)
{
    body_direction s[2];
    double best = t;
    s[0] = body_direction_of(p, begin, t, n);
    for (int i = 0; i < TOI_DEFORMING_SPANS; i++) {
        const double length = number_min(*span, 1.0 - t), to = length < 1.0 - t ? t + length : 1.0;
        pair_pose v;
        gjk_result g;
        tact_vec3 there = n;
        pose_at(p, to, &v);
        double gap = gap_along(&v, there);
        find_separation(p, &v, TOI_DEFORMING_GJK_ACCURACY, p->rounding, &there, &gap, &g);
        ++*steps;
        s[1] = gap > floor ? body_direction_of(p, begin, to, there) : s[0];
        double part = safe_fraction(p, t, to, s, floor);
        if (part < 1.0) {
            const body_direction still[2] = {*body_fixed, *body_fixed}, here[2] = {s[0], s[0]};
            const double longer = safe_fraction(p, t, to, still, floor), with = safe_fraction(p, t, to, here, floor);
            if (with > longer)
                *body_fixed = s[0];
            part = number_max(part, number_max(longer, with));
        }
        best = number_max(best, part < 1.0 ? t + part * (to - t) : to);
        *span = part < 1.0 ? number_max(2.0 * part, 0.125) * length : 4.0 * length;
        if (part > TOI_DEFORMING_SPAN_GAIN || !(*span > 0.0))
            break;
    }
    return best;
}

static void set_hit(deforming_contact *contact, double time, const pair_pose *v, tact_vec3 normal, const gjk_result *g)
{
    contact->hit = true;
    contact->time = time;
    contact->normal = normal;
    contact->on_obstacle = vec_mul_add(g->on_a, v->obstacle.margin, normal);
    contact->on_triangle = g->on_b;
}

void tact_deforming_toi(const moving_obstacle *o, uint32_t element, const moving_triangle *triangle,
                        deforming_contact *contact)
{
    triangle_search p;
    pair_pose ends[2];
    make_pair(&p, o, element, triangle, ends);
    const double tolerance = TOI_DEFORMING_TOLERANCE * p.rounding, pass = TOI_DEFORMING_STEP_FRACTION * tolerance;
    *contact = (deforming_contact){.tolerance = tolerance};
    tact_vec3 n = initial_direction(p.ends[0]);
    pair_pose now = ends[0];
    double t = 0.0, gap = gap_along(&now, n), last, span = 1.0;
    body_direction body_fixed = {{0.0, 0.0, 0.0}, 0.0};
    if (gap > pass && gap_along(&ends[1], n) > pass)
        return;
    for (;;) {
        gjk_result g;
        find_separation(&p, &now, TOI_DEFORMING_GJK_ACCURACY, t > 0.0 ? p.rounding : p.start_rounding, &n, &gap, &g);
        ++contact->steps;
        last = gap_along(&ends[1], n);
        if (!(gap > p.rounding)) { /* after time 0 the last step has proved that they are apart */
            contact->touching = t == 0.0 && !(gap > p.start_rounding);
            set_hit(contact, t, &now, contact->touching ? vec_make(0.0, 0.0, 0.0) : n, &g);
            return;
        }
        if (last > pass || (last > p.rounding && last >= gap))
            return; /* positive here and at the end, so in between as well */
        if (gap <= TOI_DEFORMING_ACCEPT_FRACTION * tolerance) {
            set_hit(contact, t, &now, n, &g);
            return;
        }
        double next = contact->steps < TOI_DEFORMING_MAX_STEPS ? safe_time_fixed(&p, n, t, gap, last, pass) : t;
        if (next > t && next < t + TOI_DEFORMING_SHORT_STEP * (1.0 - t))
            next = number_max(
                next, safe_time_turning(&p, &ends[0].obstacle, t, n, pass, &span, &body_fixed, &contact->steps));
        if (!(next > t)) {
            contact->stalled = true;
            set_hit(contact, t, &now, n, &g);
            return;
        }
        t = next;
        pose_at(&p, t, &now);
        gap = gap_along(&now, n);
    }
}

void tact_deforming_distance(const moving_obstacle *o, uint32_t element, const moving_triangle *triangle,
                             deforming_contact *contact)
{
    triangle_search p;
    pair_pose ends[2];
    gjk_result g;
    make_pair(&p, o, element, triangle, ends);
    *contact = (deforming_contact){.tolerance = TOI_DEFORMING_TOLERANCE * p.rounding};
    tact_vec3 n = initial_direction(p.ends[0]);
    double gap = -INFINITY;
    find_separation(&p, &ends[0], 0.0, p.start_rounding, &n, &gap, &g);
    contact->steps = 1;
    const double margin = ends[0].obstacle.margin;
    if (g.status == GJK_OVERLAP || !(g.upper > margin) || !(gap > 0.0)) {
        contact->touching = true;
        set_hit(contact, 0.0, &ends[0], vec_make(0.0, 0.0, 0.0), &g);
        return;
    }
    set_hit(contact, 0.0, &ends[0], n, &g);
    contact->hit = false;
    contact->distance = g.upper - margin;
}

/* ---- obstacles --------------------------------------------------------------------------------------------------- */

double tact_moving_obstacle_support(const moving_obstacle *o, uint32_t element, int end, tact_vec3 n)
{
    convex c;
    primitive_at(o, element, end, &c);
    return support_with_margin(&c, n);
}

box tact_moving_obstacle_box(const moving_obstacle *o, uint32_t element, double *size)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    *size = 0.0;
    for (int end = 0; end < 2; end++) {
        convex c;
        primitive_at(o, element, end, &c);
        const tact_vec3 at = o->ends[end].at.origin;
        const double origin[3] = {at.x, at.y, at.z};
        const double spare =
            TOI_DEFORMING_ROUNDING * (radius_of(&c) + vec_max_abs(at)); /* and the rounding of the sum */
        for (int i = 0; i < 3; i++) {
            const tact_vec3 n = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
            const double up = origin[i] + support_with_margin(&c, n) + spare,
                         down = origin[i] - support_with_margin(&c, vec_negate(n)) - spare;
            high[i] = up > high[i] ? up : up == up ? high[i] : INFINITY;
            low[i] = down < low[i] ? down : down == down ? low[i] : -INFINITY;
            *size = max_double(*size, max_double(fabs(high[i]), fabs(low[i])));
        }
    }
    return box_from_bounds(vec_make(low[0], low[1], low[2]), vec_make(high[0], high[1], high[2]));
}

bool tact_shape_is_symmetric_about(const tact_shape *shape, const tact_transform *at, tact_vec3 axis)
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
            0.5 * TOI_DEFORMING_ROUNDING * radius_of(&c))
            return false;
    return true;
}
