/*
 * Time of impact of meshes, soups and compounds that translate: the dynamic test of box trees, with windows of time and
 * a shrinking bound (Coming and Staadt 2006, section 4.4; Eckstein and Schömer 1999).
 *
 * Guarantee: that of tact_shapes_time_of_impact. In the frame the second body moves along a line or parabola. The trees
 * report every pair of primitives whose boxes overlap in some window of time before the first contact known so far, the
 * earliest first (tree/aabb_translating_pairs.c); nothing else can meet.
 *
 * Two triangles without margins are solved directly. They have a common point exactly when no axis separates them: the
 * two normals, the nine cross products of their edges and, in one plane, the normals of edges there. Along each axis
 * the distance is a polynomial in time of degree 1 or 2. The contact is at the first time at which it is within bounds
 * along all axes. The bounds are widened by more than the rounding errors of all that enters, so the time is never late
 * and no contact is missed, whichever axes were tested. Where the axes are too few (triangles without area, slivers)
 * the time may be too early. So the distance at that time is measured, and beyond the tolerance the pair goes to
 * tact_convex_first_contact. So do all other primitives, from the time on at which their boxes meet.
 *
 * Start. A pair that is in contact at the start, and has an axis along which it never gets deeper than the tolerance,
 * is no hit: it separates or slides. If there are such pairs, the result holds only if the bodies are not deeper in
 * each other than the tolerance. That is certain if all those pairs separate along one direction and neither body is
 * inside the other. A later hit then counts if the bodies are found apart in between. All else that starts in
 * contact, or comes into contact before it has moved by the tolerance, is left to mesh_toi.c.
 *
 * Acceleration: the path is cut into pieces in which the parabola is off its chord by at most TOI_PIECE_SAGITTA of the
 * smaller body. Boxes are inflated by that; triangles meet on the parabola itself.
 *
 * Cost: rings of 64 triangles that pass each other take 0.3 us (bounding spheres) to 2 us (boxes), those that meet some
 * 20 us. No allocation, except in what is left to the convex search.
 */
#include "toi/translating_toi.h"

#include "complex/closest_triangle.h"
#include "complex/complex_contact.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "math/quadratic.h"
#include "toi/convex_toi.h"
#include "toi/translating_cast.h"

typedef struct translating_search {
    const toi_frame *frame;
    const instance *body;
    double begin, span; /* of the piece of the path, in time */
    double until;       /* time: the end of the piece, or the first contact so far */
    double rounding;    /* length: rounding error of positions, up to the end of the piece */
    double tolerance;   /* length: that of the query, or the least that rounding permits */
    tact_toi best;
    bool contact_at_start; /* a pair starts in contact, and is no hit */
    tact_vec3 side;    /* then: a unit vector along which it separates, from the first body to the second; or zero */
    bool sides_differ; /* not all such pairs separate along about the same direction */
    bool undecided;    /* left to mesh_toi.c */
    moving_traversal *traversal;
} translating_search;

/* ---- two triangles ----------------------------------------------------------------------------------------------- */

/* Along n the second triangle is c0 + c1 t + c2 t^2 from the first; they overlap while that is between low and high. */
typedef struct axis_window {
    tact_vec3 n;
    double low, high, rounding;
    double c0, c1, c2;
} axis_window;

typedef struct triangle_pair {
    const toi_frame *frame;
    tact_vec3 a[3], b[3];
    double rounding; /* length */
    int count;
    axis_window axes[TOI_MAX_AXES];
    int last;       /* the axis that raised the time last; -1: none did */
    bool from_high; /* the triangles come together from its high side */
} triangle_pair;

/* The first time, not before t, at which the triangles overlap along the axis; INFINITY: never. They count as
 * overlapping within twice the rounding bound, and the time is that of once the bound: there they do. */
static double next_overlap(const axis_window *x, double t, bool *from_high)
{
    const double p = x->c0 + t * (x->c1 + t * x->c2);
    double gap = (x->low - x->rounding) - p, v = x->c1 + 2.0 * t * x->c2, a = x->c2;
    *from_high = p > x->high + 2.0 * x->rounding;
    if (*from_high) {
        gap = p - (x->high + x->rounding);
        v = -v;
        a = -a;
    } else if (!(p < x->low - 2.0 * x->rounding)) {
        return t;
    }
    return t + quadratic_first_root_wide(gap, -v, -2.0 * a);
}

static void project(const tact_vec3 vertex[3], tact_vec3 n, double *least, double *most)
{
    const double x = vec_dot(n, vertex[0]), y = vec_dot(n, vertex[1]), z = vec_dot(n, vertex[2]);
    const double low = x < y ? x : y, high = x < y ? y : x;
    *least = low < z ? low : z;
    *most = high > z ? high : z;
}

/* Tests one more axis: the time may rise. */
static double test_axis(triangle_pair *q, tact_vec3 n, double time)
{
    const double square = vec_length_squared(n);
    if (!(square > 0.0 && square < INFINITY)) { /* too small or too large for products of lengths */
        n = vec_normalize(n);
        if (!(vec_length_squared(n) > 0.5))
            return time; /* no axis */
    }
    axis_window *x = &q->axes[q->count];
    double a_least, a_most, b_least, b_most;
    project(q->a, n, &a_least, &a_most);
    project(q->b, n, &b_least, &b_most);
    x->n = n;
    x->low = a_least - b_most;
    x->high = a_most - b_least;
    x->rounding = q->rounding * (fabs(n.x) + fabs(n.y) + fabs(n.z));
    x->c0 = vec_dot(n, q->frame->offset);
    x->c1 = vec_dot(n, q->frame->velocity);
    x->c2 = 0.5 * vec_dot(n, q->frame->acceleration);
    bool from_high;
    const double next = next_overlap(x, time, &from_high);
    if (next > time) {
        q->last = q->count;
        q->from_high = from_high;
    }
    q->count++;
    return next;
}

/* A time in [from, until] before which the triangles do not meet; beyond `until`: they do not. */
static double first_overlap(triangle_pair *q, double from, double until)
{
    const tact_vec3 ea[3] = {vec_sub(q->a[1], q->a[0]), vec_sub(q->a[2], q->a[1]), vec_sub(q->a[0], q->a[2])};
    const tact_vec3 eb[3] = {vec_sub(q->b[1], q->b[0]), vec_sub(q->b[2], q->b[1]), vec_sub(q->b[0], q->b[2])};
    const tact_vec3 na = vec_cross(ea[0], ea[1]), nb = vec_cross(eb[0], eb[1]);
    double t = test_axis(q, na, from);
    t = t <= until ? test_axis(q, nb, t) : t;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3 && t <= until; ++k)
            t = test_axis(q, vec_cross(ea[i], eb[k]), t);
    if (t <= until && !(vec_length_squared(vec_cross(na, nb)) >
                        TOI_PARALLEL_TRIANGLES * (vec_length_squared(na) * vec_length_squared(nb))))
        for (int i = 0; i < 3 && t <= until; ++i) {
            t = test_axis(q, vec_cross(na, ea[i]), t);
            t = t <= until ? test_axis(q, vec_cross(nb, eb[i]), t) : t;
        }
    /* an axis that raised the time may have left the windows of others: until no axis raises it */
    for (int iteration = 0; iteration < TOI_MAX_AXIS_ITERATIONS && t <= until; ++iteration) {
        const double before = t;
        for (int i = 0; i < q->count && t <= until; ++i) {
            bool from_high;
            const double next = next_overlap(&q->axes[i], t, &from_high);
            if (next > t) {
                q->last = i;
                q->from_high = from_high;
                t = next;
            }
        }
        if (!(t > before))
            break;
    }
    return t;
}

/* ---- contact at the start ---------------------------------------------------------------------------------------- */

/* The least value of c0 + c1 t + c2 t^2 up to `end`. */
static double minimum_until(double c0, double c1, double c2, double end)
{
    const double least = number_min(c0, c0 + end * (c1 + end * c2));
    const double vertex = c2 > 0.0 ? -0.5 * c1 / c2 : -1.0;
    return vertex > 0.0 && vertex < end ? number_min(least, c0 + 0.5 * c1 * vertex) : least;
}

/* On which sides of the first body, along an axis, the second may be. */
enum { NO_SIDE = 0, HIGH_SIDE = 1, LOW_SIDE = 2, BOTH_SIDES = HIGH_SIDE | LOW_SIDE };

/* Along an axis the second body is c0 + c1 t + c2 t^2 from the first, and they overlap while that is between low and
 * high. Returns the sides on which they never overlap by more than `depth`, to the end. Flat bodies in one plane may
 * have come from either side: for them it must hold on both. */
static int shallow_sides(double low, double high, double c0, double c1, double c2, double depth, double end)
{
    const int sides = (c0 - high >= -depth ? HIGH_SIDE : 0) | (low - c0 >= -depth ? LOW_SIDE : 0);
    const bool stays = (!(sides & HIGH_SIDE) || minimum_until(c0 - high, c1, c2, end) >= -depth) &&
                       (!(sides & LOW_SIDE) || minimum_until(low - c0, -c1, -c2, end) >= -depth);
    return stays ? sides : NO_SIDE;
}

/* Whether a pair that separates along a unit axis, on these sides, goes with the pairs before. */
static bool agrees(const translating_search *in, tact_vec3 n, int sides)
{
    const double along = vec_dot(n, in->side);
    return (sides == HIGH_SIDE && along >= TOI_SAME_SIDE_COSINE) ||
           (sides == LOW_SIDE && along <= -TOI_SAME_SIDE_COSINE);
}

static void note_contact_at_start(translating_search *in, tact_vec3 n, int sides)
{
    if (!in->contact_at_start && sides != BOTH_SIDES)
        in->side = sides == HIGH_SIDE ? n : vec_negate(n);
    else
        in->sides_differ = in->sides_differ || sides == BOTH_SIDES || !agrees(in, n, sides);
    in->contact_at_start = true;
}

/* Whether two triangles in contact at the start separate or slide along one of their axes. */
static bool triangles_separate(translating_search *in, const triangle_pair *q)
{
    int found = -1, found_sides = NO_SIDE;
    tact_vec3 unit = {0.0, 0.0, 0.0};
    for (int i = 0; i < q->count; ++i) {
        const axis_window *x = &q->axes[i];
        const int sides =
            shallow_sides(x->low, x->high, x->c0, x->c1, x->c2, in->tolerance * vec_length_safe(x->n), q->frame->end);
        if (sides == NO_SIDE)
            continue;
        const tact_vec3 n = vec_normalize(x->n);
        const bool good = in->contact_at_start ? agrees(in, n, sides) : sides != BOTH_SIDES;
        if (found < 0 || good) {
            found = i;
            found_sides = sides;
            unit = n;
        }
        if (good)
            break;
    }
    if (found >= 0)
        note_contact_at_start(in, unit, found_sides);
    return found >= 0;
}

/* The same for two convex primitives, along a unit vector. */
static bool convex_parts(translating_search *in, const convex *a, const convex *b, tact_vec3 n)
{
    const toi_frame *f = in->frame;
    if (!(vec_length_squared(n) > 0.5))
        return false;
    const tact_vec3 back = vec_negate(n), from = vec_sub(a->transform.origin, b->transform.origin);
    const double margin = a->margin + b->margin;
    const double high =
        vec_dot(n, vec_add(from, vec_sub(tact_convex_support(a, n, NULL), tact_convex_support(b, back, NULL))));
    const double low =
        vec_dot(n, vec_add(from, vec_sub(tact_convex_support(a, back, NULL), tact_convex_support(b, n, NULL))));
    const int sides = shallow_sides(low - margin, high + margin, vec_dot(n, f->offset), vec_dot(n, f->velocity),
                                    0.5 * vec_dot(n, f->acceleration), in->tolerance, f->end);
    if (sides != NO_SIDE)
        note_contact_at_start(in, n, sides);
    return sides != NO_SIDE;
}

/* ---- pairs of primitives ----------------------------------------------------------------------------------------- */

/* Of a mesh and a convex shape: all triangles on the other side of a plane with this normal, from the first body to the
 * second, need not be visited. The convex shape does not reach them before the first hit. */
static void skip_below(translating_search *in, tact_vec3 n)
{
    const toi_frame *f = in->frame;
    const int other = in->body[0].shape->type == TACT_MESH ? 1 : 0;
    convex c;
    const primitive whole = {&in->body[other], 0};
    if (!(vec_max_abs(n) > 0.0) || in->body[1 - other].shape->type != TACT_MESH ||
        !shape_is_convex(in->body[other].shape) || tact_primitive_convex(&whole, &c) != TACT_OK)
        return;
    const tact_vec3 to = other == 1 ? vec_negate(n) : n;
    const double reach = vec_dot(to, vec_add(tact_convex_support(&c, to, NULL), c.transform.origin)) + c.margin;
    const double c1 = vec_dot(n, vec_mul_add(f->velocity, in->begin, f->acceleration)),
                 c2 = 0.5 * vec_dot(n, f->acceleration);
    const double start = vec_dot(n, toi_offset_at(f, in->begin));
    const double out = 4.0 * in->rounding + in->body[1 - other].margin;
    const double least = minimum_until(start, c1, c2, number_max(in->until - in->begin, 0.0));
    in->traversal->below[1 - other] =
        other == 1 ? (tree_below){n, least - reach - out} : (tree_below){vec_negate(n), (least - start) - reach - out};
}

static void keep_first_hit(translating_search *in, const primitive *a, const primitive *b, const tact_toi *met,
                           double time)
{
    if (time > in->best.time || (time == in->best.time && in->best.state == TACT_HIT))
        return;
    in->best = *met;
    in->best.status = TACT_OK;
    in->best.state = TACT_HIT;
    in->best.time = time;
    in->best.part_a = primitive_part(a);
    in->best.part_b = primitive_part(b);
    in->until = number_min(in->until, time);
    const primitive *triangle = a->of->shape->type == TACT_MESH ? a : b->of->shape->type == TACT_MESH ? b : NULL;
    skip_below(in, triangle != NULL ? tact_normal_of_triangle_near(triangle, met->normal) : met->normal);
}

/* Two primitives as convex shapes, from a time on. False: undecided. */
static bool test_convex(translating_search *in, const primitive *a, const primitive *b, double from)
{
    const toi_frame *f = in->frame;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK)
        return false;
    const tact_motion motion = {.velocity = vec_mul_add(f->velocity, from, f->acceleration),
                                .acceleration = f->acceleration};
    toi_frame interval;
    tact_toi_frame_begin_relative(&interval, vec_make(0.0, 0.0, 0.0), toi_offset_at(f, from), &motion);
    toi_frame_set_interval(&interval, in->rounding, in->tolerance, number_max(in->until - from, 0.0), f->allocator);
    const tact_toi met = tact_convex_first_contact(&interval, &ca, &cb);
    if (met.state == TACT_MISS)
        return true;
    if (met.state != TACT_HIT)
        return false;
    if (from + met.time > 0.0) {
        keep_first_hit(in, a, b, &met, from + met.time);
        return true;
    }
    return convex_parts(in, &ca, &cb, met.normal);
}

/* Two triangles. False: undecided. */
static bool test_triangles(translating_search *in, const primitive *a, const primitive *b)
{
    triangle_pair q;
    q.frame = in->frame;
    q.count = 0;
    q.last = -1;
    q.rounding = in->rounding;
    mesh_triangle(a->of->shape->mesh, &a->of->at, a->element, q.a);
    mesh_triangle(b->of->shape->mesh, &b->of->at, b->element, q.b);
    const double time = first_overlap(&q, in->begin, in->until);
    if (time > in->until)
        return true;
    if (!(time > 0.0) && triangles_separate(in, &q))
        return true;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK)
        return false;
    cb.transform.origin = vec_add(cb.transform.origin, toi_offset_at(in->frame, time));
    const tact_distance_def def = {TOI_MESH_DISTANCE_ACCURACY, in->tolerance, NULL};
    const tact_distance d = tact_convex_distance(&ca, &cb, &def);
    if (d.status != TACT_OK || d.distance > in->tolerance)
        return test_convex(in, a, b, time);
    if (!(time > 0.0)) /* they may be closing */
        return false;
    tact_toi met = {.point = vec_scale(vec_add(d.on_a, d.on_b), 0.5), .normal = d.normal};
    if (q.last >= 0) {
        met.normal = vec_normalize(q.axes[q.last].n);
        met.normal = q.from_high ? met.normal : vec_negate(met.normal);
    }
    keep_first_hit(in, a, b, &met, time);
    return true;
}

static double test_pair(void *context, const primitive *a, const primitive *b, double enter, double limit)
{
    translating_search *in = context;
    const double from = in->begin + number_max(enter, 0.0) * in->span * (1.0 - DBL_EPSILON);
    const bool decided = primitive_is_triangle(a) && primitive_is_triangle(b)
                             ? test_triangles(in, a, b)
                             : test_convex(in, a, b, number_min(from, in->until));
    in->undecided = !decided;
    const double left = in->span > 0.0 ? number_min((in->until - in->begin) / in->span, 1.0) : 1.0; /* of the piece */
    return decided ? number_min(limit, left) : -1.0;
}

/* Of a mesh and a convex shape: tests the triangle that is closest to the origin of the convex shape at the end; if
 * they meet, that at this time, and so on. The first contact is probably among them. Returns the limit. */
static double test_closest_triangles(translating_search *in)
{
    const int other = in->body[0].shape->type == TACT_MESH ? 1 : 0;
    double limit = 1.0, end = INFINITY;
    if (in->body[1 - other].shape->type != TACT_MESH || !shape_is_convex(in->body[other].shape))
        return limit;
    for (int i = 0; i < TOI_CLOSEST_TRIANGLES && in->until < end && limit >= 0.0; i++) {
        end = in->until;
        const tact_vec3 offset = toi_offset_at(in->frame, end);
        const uint32_t element = tact_closest_triangle(&in->body[1 - other], other == 1 ? offset : vec_negate(offset));
        if (element == NO_TRIANGLE)
            break;
        const primitive triangle = {&in->body[1 - other], element}, whole = {&in->body[other], 0};
        limit = test_pair(in, other == 1 ? &triangle : &whole, other == 1 ? &whole : &triangle, 0.0, limit);
    }
    return limit;
}

/* ---- the path ---------------------------------------------------------------------------------------------------- */

/* Whether the bounding spheres may meet on the chord of a piece of the path; then shortens the piece to that time. */
static bool spheres_meet(const toi_frame *f, double *begin, double *span)
{
    const tact_vec3 from = toi_offset_at(f, *begin), to = toi_offset_at(f, *begin + *span), path = vec_sub(to, from);
    const double sagitta = 0.125 * *span * *span * f->acceleration_length;
    const double length = vec_length_safe(path), most = number_max(vec_max_abs(from), vec_max_abs(to));
    const double radius = (f->body[0].radius + f->body[1].radius + sagitta) * (1.0 + TOI_SPHERE_ROUNDING) +
                          TOI_SPHERE_ROUNDING * (most + length) + f->tolerance;
    const tact_vec3 along = vec_normalize(path);
    const double nearest = -vec_dot(from, along), beside = vec_length_safe(vec_mul_add(from, nearest, along));
    if (beside > radius || nearest < -radius || nearest - length > radius)
        return false;
    if (!(length > 0.0))
        return true;
    const double half = sqrt(radius - beside) * sqrt(radius + beside) + TOI_SPHERE_ROUNDING * (most + length);
    const double first = number_max((nearest - half) / length, 0.0), last = number_min((nearest + half) / length, 1.0);
    if (first > last)
        return false;
    *begin += first * *span;
    *span *= last - first;
    return true;
}

/* Whether the bodies are at a time where they were at the start, up to twice the tolerance. */
static bool is_at_start(const toi_frame *f, double time, double tolerance)
{
    return time * (f->speed + time * f->acceleration_length) <= 2.0 * tolerance;
}

static instance second_at(const instance body[2], tact_vec3 offset)
{
    instance second = body[1];
    second.at.origin = vec_add(second.at.origin, offset);
    return second;
}

/* Whether one body is inside the other, with the second at this offset. */
static bool is_inside(const instance body[2], tact_vec3 offset)
{
    const instance second = second_at(body, offset);
    tact_common_point common;
    return tact_complex_inside(&body[0], &second, &common);
}

/* Pairs that touch and separate may belong to bodies that are deep in each other: cubes with faces in one plane. If
 * all of them separate along one direction, the bodies are apart a little farther along it, or one is inside the
 * other. */
static bool is_shallow(const translating_search *in)
{
    const toi_frame *f = in->frame;
    if (!in->sides_differ)
        return !is_inside(in->body, vec_add(f->offset, vec_scale(in->side, TOI_ASIDE_TOLERANCES * in->tolerance)));
    const instance second = second_at(in->body, f->offset);
    const tact_penetration d = tact_complex_penetration(in->body[0].shape, &in->body[0].at, in->body[1].shape,
                                                        &second.at, &tact_complex_casts);
    return d.status == TACT_OK && d.depth <= in->tolerance;
}

/* Whether the bodies have been apart before the hit. */
static bool have_separated(const translating_search *in, double time)
{
    const instance second = second_at(in->body, toi_offset_at(in->frame, 0.5 * time));
    const tact_overlap near =
        tact_complex_within(in->body[0].shape, &in->body[0].at, in->body[1].shape, &second.at, in->frame->tolerance);
    return near.status == TACT_OK && near.state == TACT_MISS;
}

static void search_piece(translating_search *in)
{
    const toi_frame *f = in->frame;
    in->until = number_min(in->begin + in->span, in->best.time);
    in->rounding = toi_coordinate_rounding_at(f, in->until);
    in->tolerance = number_max(f->tolerance, TOI_TOLERANCE_COORDINATE_ROUNDINGS * in->rounding);
    const tact_vec3 offset = toi_offset_at(f, in->begin);
    moving_traversal p = {.offset = offset,
                          .path = vec_sub(toi_offset_at(f, in->begin + in->span), offset),
                          .sagitta = vec_scale(f->acceleration, 0.125 * in->span * in->span),
                          .half_rotation = {tact_identity(), tact_identity()},
                          .pair = test_pair,
                          .context = in};
    in->traversal = &p;
    const double limit = test_closest_triangles(in);
    if (limit >= 0.0)
        (void)tact_traverse_moving_pairs(&p, &in->body[0], &in->body[1], limit);
    in->undecided = in->undecided || p.status != TACT_OK;
}

bool tact_translating_toi(const toi_frame *f, const instance body[2], tact_toi *out)
{
    translating_search in = {.frame = f, .body = body, .best = toi_miss(f)};
    /* sagitta: a h^2 / 8 = TOI_PIECE_SAGITTA of the extent */
    const double longest =
        f->acceleration_length > 0.0
            ? number_max(sqrt(8.0 * TOI_PIECE_SAGITTA) * sqrt(f->smaller_extent / f->acceleration_length),
                         f->end / TOI_MAX_PIECES)
            : INFINITY;
    for (double begin = 0.0; begin <= in.best.time && !in.undecided;) {
        const double next = number_min(begin + longest, f->end);
        in.begin = begin;
        in.span = next - begin;
        if (spheres_meet(f, &in.begin, &in.span))
            search_piece(&in);
        if (in.best.state == TACT_HIT || !(next > begin) || next >= f->end)
            break;
        begin = next;
    }
    if (in.undecided || !(in.contact_at_start ? is_shallow(&in) : !is_inside(body, f->offset)))
        return false;
    if (in.best.state == TACT_HIT &&
        (is_at_start(f, in.best.time, in.tolerance) || (in.contact_at_start && !have_separated(&in, in.best.time))))
        return false;
    *out = in.best;
    return true;
}
