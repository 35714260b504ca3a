/*
 * Conservative advancement: the first contact of two convex bodies that translate, accelerate and spin.
 *
 * Guarantee. The time of a hit is never after the first contact, and the distance at that time is at most the
 * tolerance. A miss means that the bodies do not meet up to the end. Both hold in floating point.
 *
 * Method. f_n(t) is the separation along a unit vector n and D(t), the signed distance, is its maximum over n
 * (conservative_advancement.h). At a time t GJK gives a separating n. A lower bound of f along n, valid for a whole
 * span of time, says how far t may advance; then GJK runs again, from the last n. The normal may stay fixed or turn
 * with a constant angular velocity w_n: that of either body, or the one observed between the last two normals.
 *
 * Proof. Along n(s), with s counted from t, the separation is q(s) - r(s) - margin.
 *   1. q(s) = n(s) . offset(t + s) is smooth. Its Taylor polynomial of degree 2 is exact up to a remainder of at most
 *      s^3/6 max |q'''|, and |q'''| is bounded by |w_n|, the offset, the speed and the acceleration.
 *   2. r(s) = h_1(d_1(s)) + h_2(-d_2(s)), where d_i is n(s) as body i sees it, turned back by the body's spin.
 *      Replace d_i by its Taylor polynomial of degree 2. A support function is convex, so along this quadratic curve
 *      it lies below the Bernstein polynomial of its values at the three control points. The remainder of d_i is at
 *      most s^3/6 (|w_i| + |w_n|)^3, times the extent of the body about its axis.
 *   3. For s <= h, s^3 <= h s^2 turns both remainders into quadratic terms. So f_n lies above a parabola
 *      (tact_safe_time_along).
 *
 * The search advances to where the parabola falls to half the tolerance, never beyond, and stops once D is at most
 * three quarters of the tolerance. Between the two lies the least progress of a step. Half the tolerance is at least
 * twice the bound on rounding errors (toi_frame.h); a tolerance below that, about 1e-14 of extents and path, is raised
 * to it.
 *
 * Cost. A step takes a few support points, and a GJK where the last normal no longer separates. Without spin the
 * parabola is exact and D is convex, so this is Newton's method: 4 to 6 steps at any speed. With spin the error is of
 * third order and 8 steps are usual. Bounding spheres alone are advanced while they are apart, so spin costs nothing on
 * a long approach. A body that its spin maps onto itself counts as not turning. Spinning close to contact takes a few
 * steps a radian. TOI_MAX_STEPS reached is TACT_NOT_CONVERGED, with the time up to which there is no contact.
 *
 * After Mirtich 1996 (conservative advancement: step by distance over a bound of the speed) and Catto's bilateral
 * advancement (Box2D, b2TimeOfImpact: along a fixed separating axis, root finding gives the time of the next step).
 * We depart from both in the bound: it holds between samples, and it is quadratic. And n may turn: a rotating face
 * crosses the plane of a fixed n, so steps become as short as the distance.
 */
#include "toi/conservative_advancement.h"

#include "convex/closed_form.h"
#include "convex/convex_query.h"
#include "convex/gjk.h"
#include "core/number.h"
#include "core/work.h"
#include "math/elementary.h"
#include "shape/support.h"
#include "toi/convex_toi.h"
#include "toi/safe_time.h"

/* ---- measuring the bodies ---------------------------------------------------------------------------------------- */

/* An affine sphere M is symmetric about k if M^t k, M^t e and M^t f are perpendicular for e, f across k, and the last
 * two equally long. */
bool tact_convex_is_symmetric_about(const convex *c, tact_vec3 k)
{
    if (c->kind != CONVEX_ELLIPSOID && c->kind != CONVEX_CAPSULE && c->kind != CONVEX_CYLINDER &&
        c->kind != CONVEX_CONE)
        return false;
    tact_vec3 e, f;
    vec_tangent_basis(k, &e, &f);
    tact_vec3 mk = vec_transform_transposed(&c->transform, k), me = vec_transform_transposed(&c->transform, e),
              mf = vec_transform_transposed(&c->transform, f);
    double slack = TOI_SYMMETRY_ROUNDING * c->bounding_radius;
    if (vec_length_safe(vec_cross(k, c->transform.origin)) > slack)
        return false;
    if (c->kind == CONVEX_CAPSULE && vec_length_safe(vec_cross(k, c->axis)) > slack)
        return false;
    if (c->kind == CONVEX_CYLINDER || c->kind == CONVEX_CONE) {
        /* y along k, the disc across it */
        if (fabs(me.y) > slack || fabs(mf.y) > slack || fabs(mk.x) > slack || fabs(mk.z) > slack)
            return false;
        mk = vec_make(0.0, 0.0, 0.0);
        me.y = mf.y = 0.0;
    }
    tact_vec3 unit_e = vec_normalize(me), unit_f = vec_normalize(mf), unit_k = vec_normalize(mk);
    return fabs(vec_dot(unit_e, me) - vec_dot(unit_f, mf)) <= slack && fabs(vec_dot(unit_e, mf)) <= slack &&
           fabs(vec_dot(unit_k, me)) <= slack && fabs(vec_dot(unit_k, mf)) <= slack;
}

double tact_convex_arm_about(const convex *c, tact_vec3 k)
{
    double arm = 0.0;
    if (c->kind == CONVEX_POINTS) {
        for (int i = 0; i < c->point_count; i++)
            arm = number_max(arm, vec_length_safe(vec_cross(k, vec_add(c->points[i], c->transform.origin))));
    } else {
        tact_vec3 e, f;
        vec_tangent_basis(k, &e, &f);
        double along_e = number_max(convex_support_along(c, e), convex_support_along(c, vec_negate(e)));
        double along_f = number_max(convex_support_along(c, f), convex_support_along(c, vec_negate(f)));
        arm = tact_hypot(along_e, along_f);
    }
    return number_min(arm, c->bounding_radius + vec_length_safe(c->transform.origin)) * (1.0 + TOI_BODY_ROUNDING);
}

/* The largest half extent along a coordinate axis, and a bounding radius about the body's origin. */
static void measure_extent(const convex *c, toi_body *b)
{
    static const tact_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double widest = 0.0, farthest[3];
    for (int i = 0; i < 3; i++) {
        double up = convex_support_along(c, axes[i]), down = convex_support_along(c, vec_negate(axes[i]));
        widest = number_max(widest, 0.5 * (up + down));
        farthest[i] = number_max(fabs(up), fabs(down));
    }
    const double corner = vec_length_safe(vec_make(farthest[0], farthest[1], farthest[2]));
    b->radius =
        number_min(corner, c->bounding_radius + vec_length_safe(c->transform.origin)) * (1.0 + TOI_BODY_ROUNDING) +
        c->margin;
    b->half_extent = widest + c->margin;
}

/* Returns what a symmetric body that counts as not turning adds to the rounding bound. */
static double measure_spin(const convex *c, tact_vec3 spin, toi_body *b)
{
    double rounding = 0.0;
    b->axis = vec_normalize(spin);
    b->rate = vec_dot(b->axis, spin);
    b->arm = b->rate > 0.0 ? tact_convex_arm_about(c, b->axis) : 0.0;
    if (b->rate > 0.0 && tact_convex_is_symmetric_about(c, b->axis)) {
        b->arm = 0.0;
        rounding = TOI_SYMMETRY_ROUNDING * (c->bounding_radius + vec_length_safe(c->transform.origin));
    }
    if (!(b->arm > 0.0)) {
        b->rate = 0.0;
        b->axis = vec_make(0.0, 0.0, 0.0);
    }
    b->centripetal = b->rate * b->rate * b->arm;
    return rounding;
}

tact_status tact_convex_query_finish(convex_toi_query *q, double position_rounding, double tolerance, double end)
{
    toi_frame *f = &q->frame;
    const convex *c = q->body;
    q->margin = c[0].margin + c[1].margin;
    q->plain_polytopes = tact_convex_is_polytope(&c[0]) && tact_convex_is_polytope(&c[1]) && !(q->margin > 0.0);
    measure_extent(&c[0], &f->body[0]);
    measure_extent(&c[1], &f->body[1]);
    double rounding = TOI_BODY_ROUNDING * (f->body[0].radius + f->body[1].radius);
    rounding += measure_spin(&c[0], f->motion[0].spin, &f->body[0]);
    rounding += measure_spin(&c[1], f->motion[1].spin, &f->body[1]);
    f->rounding = (toi_rounding){TOI_PATH_ROUNDING, 0.5 * f->acceleration_length, rounding + position_rounding};
    return tact_toi_frame_finish(f, tolerance, end);
}

double tact_support_sum(const convex_toi_query *q, const toi_pose *p, tact_vec3 n)
{
    const toi_body *b = q->frame.body;
    const tact_vec3 back = vec_negate(n);
    const tact_vec3 first = b[0].rate > 0.0 ? axis_rotation_apply_inverse(&p->rotation[0], n) : n;
    const tact_vec3 second = b[1].rate > 0.0 ? axis_rotation_apply_inverse(&p->rotation[1], back) : back;
    return convex_support_along(&q->body[0], first) + convex_support_along(&q->body[1], second);
}

/* ---- safe times -------------------------------------------------------------------------------------------------- */

/* Adds the Bernstein coefficients, over a span h, of what bounds one body's support function along n(s), as the body
 * sees it. That direction, d(s) = R(-s) S(s) n for the spin w of the body and w_n of the normal, has at s = 0
 *     d'  = (w_n - w) x n
 *     d'' = w x (w x n) - 2 w x (w_n x n) + w_n x (w_n x n). */
static void add_bernstein(const convex_toi_query *q, const toi_pose *from, int i, tact_vec3 n, tact_vec3 normal_spin,
                          double h, double bernstein[3])
{
    const toi_body *b = &q->frame.body[i];
    const tact_vec3 spin = vec_scale(b->axis, b->rate);
    if (i == 1)
        n = vec_negate(n);
    const tact_vec3 normal_turn = vec_cross(normal_spin, n), body_turn = vec_cross(spin, n);
    const tact_vec3 first = vec_sub(normal_turn, body_turn);
    const tact_vec3 second =
        vec_add(vec_sub(vec_cross(spin, vec_sub(body_turn, normal_turn)), vec_cross(spin, normal_turn)),
                vec_cross(normal_spin, normal_turn));
    tact_vec3 middle = vec_mul_add(n, 0.5 * h, first),
              last = vec_mul_add(vec_mul_add(n, h, first), 0.5 * h * h, second);
    if (b->rate > 0.0) {
        middle = axis_rotation_apply_inverse(&from->rotation[i], middle);
        last = axis_rotation_apply_inverse(&from->rotation[i], last);
    }
    bernstein[1] += convex_support_along(&q->body[i], middle);
    bernstein[2] += convex_support_along(&q->body[i], last);
}

/* |q'''| for a normal that turns at `rate`, while the offset has this length and speed. */
static double offset_third(const toi_frame *f, double rate, double length, double speed)
{
    return rate * (rate * (rate * length + 3.0 * speed) + 3.0 * f->acceleration_length);
}

double tact_safe_time_along(const convex_toi_query *q, const toi_pose *from, tact_vec3 n, tact_vec3 normal_spin,
                            double support_sum, double floor, double span)
{
    const toi_frame *f = &q->frame;
    const double clearance = separation_along(q, from, n, support_sum) - floor, rate = vec_length_safe(normal_spin);
    const tact_vec3 turning = vec_cross(normal_spin, n);
    /* q(s) = q(0) + q1 s + q2 s^2/2 + remainder */
    const double q1 = vec_dot(turning, from->offset) + vec_dot(n, from->velocity);
    const double q2 = vec_dot(vec_cross(normal_spin, turning), from->offset) + 2.0 * vec_dot(turning, from->velocity) +
                      vec_dot(n, f->acceleration);
    bool fixed[2]; /* n(s) does not change as the body sees it */
    double body_third = 0.0;
    for (int i = 0; i < 2; i++) {
        const toi_body *b = &f->body[i];
        const double both = b->rate + rate;
        fixed[i] = vec_equal(vec_scale(b->axis, b->rate), normal_spin);
        if (fixed[i])
            continue;
        const double arm = rate > 0.0 ? b->radius : b->arm * vec_length_safe(vec_cross(b->axis, n));
        body_third += both * both * both * arm;
    }
    if (!(clearance > 0.0) || (fixed[0] && fixed[1] && !(rate > 0.0)))
        return parabola_safe_time(clearance, q1, 0.5 * q2, span);
    /* so long that the remainders use up half the clearance */
    double length = vec_length_safe(from->offset), speed = vec_length_safe(from->velocity);
    double third = body_third + offset_third(f, rate, length, speed);
    const double h = number_min(span, tact_cbrt(3.0 * clearance / third));
    if (rate > 0.0) { /* the largest offset and speed within h */
        length += h * (speed + 0.5 * h * f->acceleration_length);
        speed += h * f->acceleration_length;
        third = body_third + offset_third(f, rate, length, speed);
    }
    double bernstein[3] = {support_sum, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        if (fixed[i]) {
            const tact_vec3 to = i == 0 ? n : vec_negate(n);
            const double same = convex_support_along(
                &q->body[i], f->body[i].rate > 0.0 ? axis_rotation_apply_inverse(&from->rotation[i], to) : to);
            bernstein[1] += same;
            bernstein[2] += same;
        } else {
            add_bernstein(q, from, i, n, normal_spin, h, bernstein);
        }
    }
    const double bend = (bernstein[0] - bernstein[1]) + (bernstein[2] - bernstein[1]);
    return parabola_safe_time(clearance, q1 - 2.0 * (bernstein[1] - support_sum) / h,
                              0.5 * q2 - bend / (h * h) - third * h / 6.0, h);
}

double tact_safe_time(const convex_toi_query *q, const toi_pose *from, tact_vec3 n, tact_vec3 recent_spin,
                      double support_sum, double floor, double span)
{
    double step = tact_safe_time_along(q, from, n, vec_make(0.0, 0.0, 0.0), support_sum, floor, span);
    for (int i = 0; i < 2 && step < span; i++) {
        const toi_body *b = &q->frame.body[i];
        if (b->rate > 0.0)
            step = number_max(step,
                              tact_safe_time_along(q, from, n, vec_scale(b->axis, b->rate), support_sum, floor, span));
    }
    if (step < span && vec_max_abs(recent_spin) > 0.0)
        step = number_max(step, tact_safe_time_along(q, from, n, recent_spin, support_sum, floor, span));
    return step;
}

double tact_safe_time_of_spheres(const toi_frame *f, const toi_pose *from, double floor, double span, bool *apart)
{
    const tact_vec3 n = vec_normalize(from->offset);
    const double clearance = vec_dot(n, from->offset) - (f->body[0].radius + f->body[1].radius) - floor;
    *apart = clearance > 0.0;
    return parabola_safe_time(clearance, vec_dot(n, from->velocity), 0.5 * vec_dot(n, f->acceleration), span);
}

/* f_n is a minimum of functions of time, one for each pair of points, whose second derivatives are at most the
 * curvature K. So it lies below its chord by at most K s^2 / 8. The bound helps where one vertex rests, or leaves as
 * slowly as a box tips, while others move fast: there a bound by the fastest point says little. */
double tact_chord_time(const convex_toi_query *q, const toi_pose *p, tact_vec3 n, double floor, double step,
                       double span)
{
    const toi_frame *f = &q->frame;
    const double apart = separation_along(q, p, n, tact_support_sum(q, p, n)), clearance = 0.5 * (apart - floor);
    if (!(clearance > 0.0) || apart > TOI_CHORD_DISTANCE * f->larger_extent)
        return 0.0;
    const double curvature = toi_curvature(f);
    const double longest = curvature > 0.0 ? sqrt(8.0 * clearance) / sqrt(curvature) : INFINITY;
    for (double s = number_min(span, longest); s > TOI_CHORD_GAIN * step; s *= 0.125) {
        const toi_pose then = toi_pose_at(f, p->time + s);
        if (separation_along(q, &then, n, tact_support_sum(q, &then, n)) >= floor + clearance)
            return s;
    }
    return 0.0;
}

double tact_span_of_rounding(const toi_frame *f, double time)
{
    double span = f->end - time, allowed = number_max(0.25 * f->tolerance, 1.15 * toi_rounding_at(f, time));
    while (toi_rounding_at(f, time + span) > allowed && time + 0.5 * span > time)
        span *= 0.5;
    return span;
}

/* ---- the separation at one time ---------------------------------------------------------------------------------- */

/* The turned body, about its own origin. */
static convex body_at(const convex_toi_query *q, const toi_pose *p, int i)
{
    convex c = q->body[i];
    if (!(q->frame.body[i].rate > 0.0))
        return c;
    const axis_rotation *r = &p->rotation[i];
    c.transform.x_axis = axis_rotation_apply(r, c.transform.x_axis);
    c.transform.y_axis = axis_rotation_apply(r, c.transform.y_axis);
    c.transform.z_axis = axis_rotation_apply(r, c.transform.z_axis);
    c.transform.origin = axis_rotation_apply(r, c.transform.origin);
    if (c.kind == CONVEX_CAPSULE)
        c.axis = axis_rotation_apply(r, c.axis);
    for (int k = 0; k < c.point_count; k++)
        c.points[k] = axis_rotation_apply(r, c.points[k]);
    return c;
}

/* The separation of cores that GJK found apart. GJK's normal is that of its points, which on curved shapes may be far
 * from the direction that proved the lower bound. The search needs a direction that separates by nearly that bound.
 * Where the normal does not, GJK decides whether the cores are that far apart: it ends with the direction itself. */
static convex_separation separation_apart(const convex_toi_query *q, const toi_pose *p, const convex *a,
                                          const convex *b, const gjk_result *g, bool exact)
{
    const double size = a->bounding_radius + b->bounding_radius + vec_max_abs(p->offset);
    const bool met = g->status != GJK_NOT_CONVERGED ||
                     g->upper - g->lower <= TOI_GJK_ACCURACY * (g->upper - q->margin) + TOI_GJK_STALL * size;
    convex_separation out = {
        met ? TACT_OK : TACT_NOT_CONVERGED, g->upper - q->margin, g->lower - q->margin, g->normal, g->on_a, g->on_b};
    /* Margins count on the line between the points of the cores: along the normal a small error of it would show. */
    const tact_vec3 line = q->margin > 0.0 ? vec_normalize(vec_sub(g->on_b, g->on_a)) : g->normal;
    out.on_a = vec_mul_add(g->on_a, a->margin, line);
    out.on_b = vec_mul_add(g->on_b, -b->margin, line);
    const double slack = exact ? TOI_UNPROVED_OF_NORMAL * fabs(out.lower_bound) + 0.25 * TOI_GJK_STALL * size
                               : TOI_UNPROVED * fabs(out.lower_bound);
    if (g->lower > slack &&
        separation_along(q, p, out.normal, tact_support_sum(q, p, out.normal)) < out.lower_bound - slack) {
        gjk_result again = {0};
        tact_gjk_within(a, b, q->margin + out.lower_bound - 0.5 * slack, g->normal, &again);
        if (again.status == GJK_BEYOND_LIMIT)
            out.normal = again.normal;
    }
    return out;
}

convex_separation tact_convex_separation_at(const convex_toi_query *q, const toi_pose *p, bool exact, tact_vec3 hint)
{
    convex_separation out = {TACT_OK, 0.0, 0.0, hint, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    convex a = body_at(q, p, 0), b = body_at(q, p, 1);
    b.transform.origin = vec_add(b.transform.origin, p->offset);
    gjk_result g = {0};
    if (!tact_closed_form_distance(&a, &b, &g))
        tact_gjk(&a, &b, exact ? 0.0 : TOI_GJK_ACCURACY, INFINITY, hint, &g);
    if (g.count == 0) { /* a custom support function gave no number */
        out.status = TACT_NOT_CONVERGED;
        return out;
    }
    const double touching =
        exact ? TOI_GJK_STALL * (a.bounding_radius + b.bounding_radius + vec_max_abs(p->offset)) : 0.0;
    if (g.status != GJK_OVERLAP && (g.lower > touching || g.status == GJK_NOT_CONVERGED))
        return separation_apart(q, p, &a, &b, &g, exact);
    if (!exact && !(q->margin > 0.0)) {
        out.on_a = g.on_a;
        out.on_b = g.on_b;
        return out;
    }
    tact_penetration d = {0};
    out.status = tact_convex_penetration(&a, &b, q->frame.allocator, &d);
    out.distance = out.lower_bound = -d.depth;
    out.normal = d.normal;
    out.on_a = d.on_a;
    out.on_b = d.on_b;
    return out;
}

tact_toi tact_convex_hit(const convex_toi_query *q, const convex_separation *s, double time)
{
    return tact_toi_hit(&q->frame, time, vec_scale(vec_add(s->on_a, s->on_b), 0.5), s->normal);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* The bodies were apart until now and are within the tolerance: a hit. The rough normal is good enough for flat faces
 * only. */
static tact_toi accept(const convex_toi_query *q, const toi_pose *p, const convex_separation *s, double tolerance)
{
    const double slack =
        TOI_UNPROVED_OF_NORMAL * tolerance + 0.25 * TOI_GJK_STALL * (q->frame.body[0].radius + q->frame.body[1].radius);
    const bool proved = q->plain_polytopes ||
                        separation_along(q, p, s->normal, tact_support_sum(q, p, s->normal)) >= s->distance - slack;
    const convex_separation exact = proved ? *s : tact_convex_separation_at(q, p, true, s->normal);
    return tact_convex_hit(q, exact.status == TACT_OK ? &exact : s, p->time);
}

tact_toi tact_advance_to_contact(const convex_toi_query *q, double time, tact_vec3 hint, int *steps)
{
    const toi_frame *f = &q->frame;
    const tact_vec3 none = vec_make(0.0, 0.0, 0.0);
    double hint_time = time;
    for (; *steps < TOI_MAX_STEPS; ++*steps) {
        if (!work_add(tact_work_current(), TOI_STEP_UNITS))
            return toi_failure(TACT_CANCELLED, time);
        const toi_pose p = toi_pose_at(f, time);
        const double left = f->end - time, span = tact_span_of_rounding(f, time);
        const double tolerance = toi_tolerance_at(f, time);
        const double floor = TOI_STEP_FRACTION * toi_tolerance_at(f, time + span);
        bool apart;
        double step = tact_safe_time_of_spheres(f, &p, floor, span, &apart);
        bool near = !apart || step < TOI_SPHERE_STEP * left;
        if (near && vec_max_abs(hint) > 0.0) { /* the last direction may still separate: no GJK */
            const double support_sum = tact_support_sum(q, &p, hint);
            if (separation_along(q, &p, hint, support_sum) > TOI_ACCEPT_FRACTION * tolerance) {
                double more = tact_safe_time(q, &p, hint, none, support_sum, floor, span);
                more = number_max(more, tact_chord_time(q, &p, hint, floor, more, span));
                near = !(more > step) || !(time + more > time);
                step = number_max(step, more);
            }
        }
        if (near) {
            const convex_separation s = tact_convex_separation_at(q, &p, false, hint);
            if (s.status != TACT_OK && s.status != TACT_NOT_CONVERGED)
                return toi_failure(s.status, time);
            if (s.distance <= TOI_ACCEPT_FRACTION * tolerance && s.status == TACT_OK)
                return accept(q, &p, &s, tolerance);
            tact_vec3 recent_spin = vec_scale(vec_cross(hint, s.normal), 1.0 / (time - hint_time));
            if (!(f->body[0].rate + f->body[1].rate > 0.0) || !(time > hint_time) || !(vec_dot(hint, s.normal) > 0.5))
                recent_spin = none;
            hint = s.normal;
            hint_time = time;
            const double support_sum = tact_support_sum(q, &p, s.normal);
            step = number_max(step, tact_safe_time(q, &p, s.normal, recent_spin, support_sum, floor, span));
            step = number_max(step, tact_chord_time(q, &p, s.normal, floor, step, span));
        }
        if (step >= left)
            return toi_miss(f); /* no closer than `floor` up to the end */
        const double next = time + step;
        if (!(next > time))
            break; /* no direction separates well enough */
        time = next;
    }
    return toi_failure(TACT_NOT_CONVERGED, time);
}
