/*
 * Time of impact of meshes, soups and compounds that do not turn: the dynamic test of trees of boxes, with windows of
 * time and a shrinking bound (seed 003, section 4.4; Eckstein and Schoemer, 1999).
 *
 * Guarantee: that of tact_shapes_time_of_impact. The second body goes along one line or parabola as seen from the
 * first. The trees hand over every pair of elements whose boxes overlap in some window of time before the first contact
 * known so far, the earliest first (tree/aabb_translating_pairs.c), and nothing else can meet. Of two triangles without
 * margins the time is found directly: they have a point in common exactly when no axis separates them (the two normals,
 * the nine crosses of their edges, and in one plane the normals of edges there), along each axis the distance is a
 * polynomial in time of degree 1 or 2, and the contact is at the first time at which it is within bounds along all of
 * them. The bounds are widened by more than the rounding of all that enters (`noise`: 8 epsilons of the coordinates and
 * the way), so the time is never late and no contact is missed, whichever axes were looked at. Where these are too few
 * (triangles without area, slivers) it may be too early: so the distance at that time is measured, and if it is beyond
 * the tolerance the two are asked as convex shapes (impact.c). So are all other elements, from the time on at which
 * their boxes meet.
 *
 * Start. A pair that is in touch at the start and has an axis along which it never comes deeper than the tolerance is
 * no hit (it parts, or slides). If such pairs are found, the bodies must not be deeper in each other than the
 * tolerance: surely so if all those pairs part along one direction and neither body is inside the other; and a later
 * hit counts if they are seen apart in between. All else that begins in touch, or comes to it before it has gone by the
 * tolerance, is left to the general way (complex_impact.c), which says what is deep and what closes.
 *
 * Acceleration: the way is cut into pieces, in each of which the parabola is off its chord by at most BEND_PART of the
 * smaller body, and boxes are widened by that; triangles meet on the parabola itself.
 *
 * Cost: rings of 64 triangles that pass each other take 0.3 us (balls around them) to 2 us (boxes), those that meet
 * some 20 us. No allocation, but in what is left to impact.c.
 */
#include "toi/translating_toi.h"

#include <float.h>

#include "complex/complex_contact.h"
#include "convex/convex_query.h"
#include "toi/convex_toi.h"

/* Of coordinates and way: the rounding of a distance along an axis, twice as much as is needed. */
#define NOISE (8.0 * DBL_EPSILON)

/* Of the noise: the least tolerance. Along an axis it counts up to twice, and up to sqrt(3) of its length. */
#define TOLERANCE_LEAST 8.0

/* Squares of axes beyond these are brought to length 1 first. */
#define AXIS_LEAST 1e-100
#define AXIS_MOST 1e100

/* Of the products of the lengths of two normals: the square of a sine below which triangles count as parallel, and axes
 * in their plane are looked at. */
#define PARALLEL 1e-6

/* 2 normals, 9 crosses, 6 in the planes. */
#define AXES_MOST 17

/* Rounds over all axes; each of them can put the time off twice. */
#define ROUNDS_MOST (2 * AXES_MOST + 2)

/* Of the smaller body's size: how far a parabola may be off its chord in a piece of the way; and the most pieces. */
#define BEND_PART 0.125
#define PIECES_MOST 64

/* A cosine: within this, two pairs in touch are so on the same side. */
#define ALIKE 0.5

/* In tolerances: how far along that side bodies in touch are put apart, to see whether one is inside the other. */
#define ASIDE 8.0

/* Of reach and way: what the ball around both is widened by. */
#define BALL_ROUNDING 1e-12

typedef struct search {
    const slide *s;
    double begin, span; /* of the piece, in time */
    double until;       /* the end of the piece or the first contact so far */
    double noise;       /* a length: rounding of places, up to the end of the piece */
    double tolerance;   /* a length: that of the caller, or what rounding leaves of it */
    tact_toi best;
    bool touching;  /* a pair is in touch at the start, and no hit */
    tact_vec3 side; /* then: a unit vector along which it passes, from the first to the second; or zero */
    bool mixed;     /* and not all do so along about the same */
    bool undecided; /* not for us */
} search;

static tact_vec3 offset_at(const slide *s, double time)
{
    return vec_mul_add(vec_mul_add(s->offset, time, s->velocity), time, vec_scale(s->acceleration, 0.5 * time));
}

/* Coordinates and way, up to a time. */
static double size_until(const slide *s, double time)
{
    return s->reach + vec_max_abs(s->offset) +
           time * (vec_max_abs(s->velocity) + 0.5 * time * vec_max_abs(s->acceleration));
}

/* ---- two triangles --------------------------------------------------------------------------------------------------
 */

/* Along a vector: where the second is as seen from the first, c0 + c1 t + c2 t^2; they overlap while that is between
 * low and high. */
typedef struct axis {
    tact_vec3 n;
    double low, high, noise;
    double c0, c1, c2;
} axis;

typedef struct triangles {
    const slide *s;
    tact_vec3 a[3], b[3];
    double noise; /* a length */
    int count;
    axis axes[AXES_MOST];
    int last;  /* the axis that put the time off last; -1: none did */
    bool over; /* and from its high side */
} triangles;

/* The first time, not before t, at which they overlap along the axis; INFINITY: never. Within twice the noise they do:
 * so having gone to where it is once the noise, they do. */
static double axis_next(const axis *x, double t, bool *over)
{
    const double p = x->c0 + t * (x->c1 + t * x->c2);
    double gap = (x->low - x->noise) - p, v = x->c1 + 2.0 * t * x->c2, a = x->c2;
    *over = p > x->high + 2.0 * x->noise;
    if (*over) {
        gap = p - (x->high + x->noise);
        v = -v;
        a = -a;
    } else if (!(p < x->low - 2.0 * x->noise)) {
        return t;
    }
    /* the first root of v s + a s^2 = gap */
    if (a == 0.0)
        return v > 0.0 ? t + gap / v : INFINITY;
    const double r = 2.0 * sqrt(fabs(a)) * sqrt(gap);
    if (a < 0.0)
        return v >= r ? t + 2.0 * gap / (v + sqrt(v - r) * sqrt(v + r)) : INFINITY;
    const double root = hypot(v, r);
    return t + (v > 0.0 ? 2.0 * gap / (v + root) : (root - v) / (2.0 * a));
}

static void span_along(const tact_vec3 corner[3], tact_vec3 n, double *least, double *most)
{
    const double x = vec_dot(n, corner[0]), y = vec_dot(n, corner[1]), z = vec_dot(n, corner[2]);
    const double low = x < y ? x : y, high = x < y ? y : x;
    *least = low < z ? low : z;
    *most = high > z ? high : z;
}

/* Looks along one more axis: the time may be put off. */
static double look_along(triangles *q, tact_vec3 n, double time)
{
    const double square = vec_length_squared(n);
    if (!(square > AXIS_LEAST && square < AXIS_MOST)) {
        n = vec_normalize(n);
        if (!(vec_length_squared(n) > 0.5))
            return time; /* no axis */
    }
    axis *x = &q->axes[q->count];
    double a_least, a_most, b_least, b_most;
    span_along(q->a, n, &a_least, &a_most);
    span_along(q->b, n, &b_least, &b_most);
    x->n = n;
    x->low = a_least - b_most;
    x->high = a_most - b_least;
    x->noise = q->noise * (fabs(n.x) + fabs(n.y) + fabs(n.z));
    x->c0 = vec_dot(n, q->s->offset);
    x->c1 = vec_dot(n, q->s->velocity);
    x->c2 = 0.5 * vec_dot(n, q->s->acceleration);
    bool over;
    const double next = axis_next(x, time, &over);
    if (next > time) {
        q->last = q->count;
        q->over = over;
    }
    q->count++;
    return next;
}

/* A time in [from, until] before which they do not meet; beyond `until`: they do not. */
static double meet_from(triangles *q, double from, double until)
{
    const tact_vec3 ea[3] = {vec_sub(q->a[1], q->a[0]), vec_sub(q->a[2], q->a[1]), vec_sub(q->a[0], q->a[2])};
    const tact_vec3 eb[3] = {vec_sub(q->b[1], q->b[0]), vec_sub(q->b[2], q->b[1]), vec_sub(q->b[0], q->b[2])};
    const tact_vec3 na = vec_cross(ea[0], ea[1]), nb = vec_cross(eb[0], eb[1]);
    double t = look_along(q, na, from);
    t = t <= until ? look_along(q, nb, t) : t;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3 && t <= until; ++k)
            t = look_along(q, vec_cross(ea[i], eb[k]), t);
    if (t <= until &&
        !(vec_length_squared(vec_cross(na, nb)) > PARALLEL * (vec_length_squared(na) * vec_length_squared(nb))))
        for (int i = 0; i < 3 && t <= until; ++i) {
            t = look_along(q, vec_cross(na, ea[i]), t);
            t = t <= until ? look_along(q, vec_cross(nb, eb[i]), t) : t;
        }
    /* what has put the time off may have left the others' windows; until none is left */
    for (int round = 0; round < ROUNDS_MOST && t <= until; ++round) {
        const double before = t;
        for (int i = 0; i < q->count && t <= until; ++i) {
            bool over;
            const double next = axis_next(&q->axes[i], t, &over);
            if (next > t) {
                q->last = i;
                q->over = over;
                t = next;
            }
        }
        if (!(t > before))
            break;
    }
    return t;
}

/* ---- in touch at the start ------------------------------------------------------------------------------------------
 */

/* The least value of c0 + c1 t + c2 t^2 up to `end`. */
static double least_until(double c0, double c1, double c2, double end)
{
    double least = fmin(c0, c0 + end * (c1 + end * c2));
    const double turn = c2 > 0.0 ? -0.5 * c1 / c2 : -1.0;
    return turn > 0.0 && turn < end ? fmin(least, c0 + 0.5 * c1 * turn) : least;
}

/* On which side of the first the second may be. */
enum { NO_SIDE = 0, OVER = 1, UNDER = 2, EITHER_SIDE = OVER | UNDER };

/* Along an axis the second is c0 + c1 t + c2 t^2 from the first, and they overlap while that is between low and high:
 * if it is never deeper within than `depth`, to the end, on which side? Flat things in one plane may have come from
 * either side: of these it must hold for both. */
static int stays_shallow(double low, double high, double c0, double c1, double c2, double depth, double end)
{
    const int sides = (c0 - high >= -depth ? OVER : 0) | (low - c0 >= -depth ? UNDER : 0);
    const bool stays = (!(sides & OVER) || least_until(c0 - high, c1, c2, end) >= -depth) &&
                       (!(sides & UNDER) || least_until(low - c0, -c1, -c2, end) >= -depth);
    return stays ? sides : NO_SIDE;
}

/* Two in touch at the start pass along an axis of unit length, on these sides: does that go with the pairs before? */
static bool is_alike(const search *in, tact_vec3 n, int sides)
{
    const double along = vec_dot(n, in->side);
    return (sides == OVER && along >= ALIKE) || (sides == UNDER && along <= -ALIKE);
}

static void take_side(search *in, tact_vec3 n, int sides)
{
    if (!in->touching && sides != EITHER_SIDE)
        in->side = sides == OVER ? n : vec_negate(n);
    else
        in->mixed = in->mixed || sides == EITHER_SIDE || !is_alike(in, n, sides);
    in->touching = true;
}

/* Two triangles in touch at the start: is there an axis along which they pass? */
static bool triangles_pass(search *in, const triangles *q)
{
    int found = -1, found_sides = NO_SIDE;
    tact_vec3 unit = {0.0, 0.0, 0.0};
    for (int i = 0; i < q->count; ++i) {
        const axis *x = &q->axes[i];
        const int sides =
            stays_shallow(x->low, x->high, x->c0, x->c1, x->c2, in->tolerance * vec_length_safe(x->n), q->s->end);
        if (sides == NO_SIDE)
            continue;
        const tact_vec3 n = vec_normalize(x->n);
        const bool good = in->touching ? is_alike(in, n, sides) : sides != EITHER_SIDE;
        if (found < 0 || good) {
            found = i;
            found_sides = sides;
            unit = n;
        }
        if (good)
            break;
    }
    if (found >= 0)
        take_side(in, unit, found_sides);
    return found >= 0;
}

/* Two convex elements: along this one, a unit vector? */
static bool convex_pass(search *in, const convex *a, const convex *b, tact_vec3 n)
{
    const slide *s = in->s;
    if (!(vec_length_squared(n) > 0.5))
        return false;
    const tact_vec3 back = vec_negate(n), from = vec_sub(a->transform.origin, b->transform.origin);
    const double margin = a->margin + b->margin;
    const double high =
        vec_dot(n, vec_add(from, vec_sub(tact_convex_support(a, n, NULL), tact_convex_support(b, back, NULL))));
    const double low =
        vec_dot(n, vec_add(from, vec_sub(tact_convex_support(a, back, NULL), tact_convex_support(b, n, NULL))));
    const int sides = stays_shallow(low - margin, high + margin, vec_dot(n, s->offset), vec_dot(n, s->velocity),
                                    0.5 * vec_dot(n, s->acceleration), in->tolerance, s->end);
    if (sides != NO_SIDE)
        take_side(in, n, sides);
    return sides != NO_SIDE;
}

/* ---- pairs of elements ----------------------------------------------------------------------------------------------
 */

static bool take_hit(search *in, const primitive *a, const primitive *b, const tact_toi *met, double time)
{
    if (time > in->best.time || (time == in->best.time && in->best.state == TACT_HIT))
        return false;
    in->best = *met;
    in->best.status = TACT_OK;
    in->best.state = TACT_HIT;
    in->best.time = time;
    in->best.part_a = primitive_part(a);
    in->best.part_b = primitive_part(b);
    in->until = fmin(in->until, time);
    return true;
}

/* Two elements as convex shapes, from a time on. False: undecided. */
static bool meet_convex(search *in, const primitive *a, const primitive *b, double from)
{
    const slide *s = in->s;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK)
        return false;
    leg l = {.place = tact_identity(),
             .motion = {tact_motion_still(),
                        {.velocity = vec_mul_add(s->velocity, from, s->acceleration), .acceleration = s->acceleration}},
             .offset = offset_at(s, from),
             .noise = in->noise,
             .tolerance = in->tolerance,
             .end = fmax(in->until - from, 0.0),
             .allocator = s->allocator};
    const tact_toi met = tact_convex_meet(&l, &ca, &cb);
    if (met.state == TACT_MISS)
        return true;
    if (met.state != TACT_HIT)
        return false;
    if (from + met.time > 0.0) {
        (void)take_hit(in, a, b, &met, from + met.time);
        return true;
    }
    return convex_pass(in, &ca, &cb, met.normal);
}

/* Two triangles. False: undecided. */
static bool meet_triangles(search *in, const primitive *a, const primitive *b)
{
    const slide *s = in->s;
    triangles q;
    q.s = s;
    q.count = 0;
    q.last = -1;
    q.noise = in->noise;
    for (uint32_t k = 0; k < 3; ++k) {
        const mesh *ma = a->of->shape->mesh, *mb = b->of->shape->mesh;
        q.a[k] =
            vec_add(vec_transform(&a->of->at, ma->vertices[ma->indices[3 * (size_t)a->element + k]]), a->of->at.origin);
        q.b[k] =
            vec_add(vec_transform(&b->of->at, mb->vertices[mb->indices[3 * (size_t)b->element + k]]), b->of->at.origin);
    }
    const double time = meet_from(&q, in->begin, in->until);
    if (time > in->until)
        return true;
    if (!(time > 0.0) && triangles_pass(in, &q))
        return true;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK)
        return false;
    const tact_vec3 offset = offset_at(s, time);
    cb.transform.origin = vec_add(cb.transform.origin, offset);
    const tact_distance_def def = {1e-10, in->tolerance, NULL};
    const tact_distance d = tact_convex_distance(&ca, &cb, &def);
    if (d.status != TACT_OK || d.distance > in->tolerance)
        return meet_convex(in, a, b, time);
    if (!(time > 0.0)) /* they press on each other */
        return false;
    tact_toi met = {.point = vec_scale(vec_add(d.on_a, d.on_b), 0.5), .normal = d.normal};
    if (q.last >= 0) {
        met.normal = vec_normalize(q.axes[q.last].n);
        met.normal = q.over ? met.normal : vec_negate(met.normal);
    }
    (void)take_hit(in, a, b, &met, time);
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------------------------------
 */

/* What is left of the piece. */
static double part_of(const search *in) { return in->span > 0.0 ? fmin((in->until - in->begin) / in->span, 1.0) : 1.0; }

static double visit(void *context, const primitive *a, const primitive *b, double enter, double limit)
{
    search *in = context;
    const double from = in->begin + fmax(enter, 0.0) * in->span * (1.0 - DBL_EPSILON);
    const bool done = primitive_is_triangle(a) && primitive_is_triangle(b)
                          ? meet_triangles(in, a, b)
                          : meet_convex(in, a, b, fmin(from, in->until));
    in->undecided = !done;
    return done ? fmin(limit, part_of(in)) : -1.0;
}

/* ---- the way --------------------------------------------------------------------------------------------------------
 */

/* On a straight way from `begin` for `span`: may balls around the origins come within reach? Then only for the time in
 * which they do. */
static bool balls_meet(const slide *s, double *begin, double *span)
{
    const tact_vec3 from = offset_at(s, *begin), to = offset_at(s, *begin + *span), way = vec_sub(to, from);
    const double bend = 0.125 * *span * *span * vec_length_safe(s->acceleration);
    const double length = vec_length_safe(way), most = fmax(vec_max_abs(from), vec_max_abs(to));
    const double reach = (s->reach + bend) * (1.0 + BALL_ROUNDING) + BALL_ROUNDING * (most + length) + s->tolerance;
    const tact_vec3 along = vec_normalize(way);
    const double middle = -vec_dot(from, along);
    const tact_vec3 nearest = vec_mul_add(from, middle, along);
    const double beside = vec_length_safe(nearest);
    if (beside > reach || middle < -reach || middle - length > reach)
        return false;
    if (!(length > 0.0))
        return true;
    const double half = sqrt(reach - beside) * sqrt(reach + beside) + BALL_ROUNDING * (most + length);
    const double first = fmax((middle - half) / length, 0.0), last = fmin((middle + half) / length, 1.0);
    if (first > last)
        return false;
    *begin += first * *span;
    *span *= last - first;
    return true;
}

/* Are they at the hit where they were at the start, but for the tolerance? */
static bool begins_at(const slide *s, double time, double tolerance)
{
    return time * (vec_length_safe(s->velocity) + time * vec_length_safe(s->acceleration)) <= 2.0 * tolerance;
}

/* Is one inside the other, at the start, with the second moved by `more`? */
static bool is_inside(const slide *s, tact_vec3 more)
{
    instance second = *s->body[1];
    tact_common_point common;
    second.at.origin = vec_add(vec_add(second.at.origin, s->offset), more);
    return tact_complex_inside(s->body[0], &second, &common);
}

/* Pairs that touch and do not press may be those of bodies that are deep in each other: cubes with their sides in one
 * plane. If all of them part along one direction, the bodies are apart a little farther along it, or one is inside the
 * other. */
static bool is_shallow(const slide *s, const search *in)
{
    if (!in->mixed)
        return !is_inside(s, vec_scale(in->side, ASIDE * in->tolerance));
    tact_transform second = s->body[1]->at;
    second.origin = vec_add(second.origin, s->offset);
    const tact_penetration d = tact_complex_depth(s->body[0]->shape, &s->body[0]->at, s->body[1]->shape, &second);
    return d.status == TACT_OK && d.depth <= in->tolerance;
}

/* Have they been apart before the hit? */
static bool have_parted(const slide *s, double time)
{
    tact_transform second = s->body[1]->at;
    second.origin = vec_add(second.origin, offset_at(s, 0.5 * time));
    const tact_overlap near =
        tact_complex_within(s->body[0]->shape, &s->body[0]->at, s->body[1]->shape, &second, s->tolerance);
    return near.status == TACT_OK && near.state == TACT_MISS;
}

bool tact_translating_toi(const slide *s, tact_toi *out)
{
    search in = {.s = s, .best = {.status = TACT_OK, .state = TACT_MISS, .time = s->end}};
    const double thrust = vec_length_safe(s->acceleration);
    /* 1/8 a h^2 is BEND_PART of the size */
    const double longest =
        thrust > 0.0 ? fmax(sqrt(8.0 * BEND_PART) * sqrt(s->size / thrust), s->end / PIECES_MOST) : INFINITY;
    for (double begin = 0.0; begin <= in.best.time && !in.undecided;) {
        const double next = fmin(begin + longest, s->end);
        in.begin = begin;
        in.span = next - begin;
        if (balls_meet(s, &in.begin, &in.span)) {
            in.until = fmin(in.begin + in.span, in.best.time);
            in.noise = NOISE * size_until(s, in.until) + DBL_MIN;
            in.tolerance = fmax(s->tolerance, TOLERANCE_LEAST * in.noise);
            const tact_vec3 offset = offset_at(s, in.begin);
            passage p = {.offset = offset,
                         .way = vec_sub(offset_at(s, in.begin + in.span), offset),
                         .bend = vec_scale(s->acceleration, 0.125 * in.span * in.span),
                         .half = {tact_identity(), tact_identity()},
                         .pair = visit,
                         .context = &in};
            (void)tact_traverse_moving_pairs(&p, s->body[0], s->body[1], 1.0);
            in.undecided = in.undecided || p.status != TACT_OK;
        }
        if (in.best.state == TACT_HIT || !(next > begin) || next >= s->end)
            break;
        begin = next;
    }
    if (in.undecided || !(in.touching ? is_shallow(s, &in) : !is_inside(s, vec_make(0.0, 0.0, 0.0))))
        return false;
    if (in.best.state == TACT_HIT &&
        (begins_at(s, in.best.time, in.tolerance) || (in.touching && !have_parted(s, in.best.time))))
        return false;
    *out = in.best;
    return true;
}
