/*
 * One window of time of two bodies with meshes, soups or compounds: every pair of primitives that may meet in it.
 *
 * Guarantee: no pair that meets in the window is missed, and each is asked for its own first contact, which is never
 * late (convex_toi.h). The trees translate past each other along the chord of the offset's path, both turned to the
 * middle of the window. From there no point moves farther than half of what the spins turn it by, and the boxes are
 * inflated by that, by the path's deviation from its chord, and by tolerance and rounding
 * (tree/aabb_translating_pairs.c).
 *
 * Cost: most pairs that the trees report are then rejected by bounding spheres, by the normal of the last contact
 * found, or by a plane that separates their vertices at both ends of the window: points that move straight stay on
 * their side of it in between. The rest are convex searches.
 */
#include "complex/closest_triangle.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "toi/convex_toi.h"
#include "toi/mesh_toi_query.h"

typedef struct mesh_window {
    const mesh_toi_query *query;
    toi_frame interval; /* its time 0 is the begin of the window */
    mesh_window_mode mode;
    double begin, span;         /* of the window; what is left of it is interval.end */
    double slack;               /* length: tolerance and rounding */
    tact_vec3 last_normal;      /* of the contact found last, or zero */
    tact_vec3 plane_normal;     /* that, or the normal of its triangle */
    tact_transform rotation[2]; /* of both bodies over the whole window */
    tact_vec3 end_offset;       /* of the second's origin from the first's, at its end */
    double sagitta;             /* length: how far points may be off their chords */
    long work, max_work;
    tact_toi *best; /* the first hit or failure so far; a miss: none */
    tact_status status;
    const instance *both; /* at the begin; the second's origin at 0 */
    moving_traversal *traversal;
} mesh_window;

/* ---- rejecting pairs --------------------------------------------------------------------------------------------- */

/* A bounding sphere of a primitive; its centre is relative to the body's origin. */
static double bounding_sphere(const convex *c, tact_vec3 *centre)
{
    *centre = c->transform.origin;
    if (c->kind != CONVEX_POINTS)
        return c->bounding_radius + c->margin;
    tact_vec3 mean = {0.0, 0.0, 0.0};
    double square = 0.0;
    for (int i = 0; i < c->point_count; i++)
        mean = vec_mul_add(mean, 1.0 / c->point_count, c->points[i]);
    for (int i = 0; i < c->point_count; i++)
        square = number_max(square, vec_length_squared(vec_sub(c->points[i], mean)));
    *centre = vec_add(c->transform.origin, mean);
    return sqrt(square) + c->margin;
}

static double support_with_margin(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin)) + c->margin;
}

/* Whether two primitives stay apart: by their bounding spheres, on a path that is straight except for spin and
 * acceleration, or by their extents along the normal of the contact found last. */
static bool spheres_stay_apart(const mesh_window *w, const convex *a, const convex *b)
{
    const toi_frame *f = &w->query->frame;
    tact_vec3 centre_a, centre_b;
    const double span = w->interval.end, radius = bounding_sphere(a, &centre_a) + bounding_sphere(b, &centre_b);
    const tact_vec3 from = vec_add(w->interval.offset, vec_sub(centre_b, centre_a));
    const tact_vec3 path = vec_scale(w->interval.velocity, span);
    const double square = vec_length_squared(path),
                 t = square > 0.0 ? number_min(number_max(-vec_dot(from, path) / square, 0.0), 1.0) : 0.0;
    const double off = (toi_turning_speed(f) + 0.5 * f->acceleration_length * span) * span + w->slack,
                 limit = radius + off;
    if (vec_length_squared(vec_mul_add(from, t, path)) > limit * limit * (1.0 + TOI_RELATIVE_SLACK))
        return true;
    const tact_vec3 n = w->last_normal;
    if (!(vec_max_abs(n) > 0.0))
        return false;
    const double apart =
        vec_dot(n, w->interval.offset) - (support_with_margin(a, n) + support_with_margin(b, vec_negate(n)));
    return apart + number_min(vec_dot(n, path), 0.0) > off * (1.0 + TOI_RELATIVE_SLACK);
}

/* The vertices of a primitive at both ends of the window, in the frame. */
typedef struct vertex_chords {
    int count;
    tact_vec3 from[4], to[4];
    tact_vec3 sum_from, sum_to;
} vertex_chords;

static vertex_chords chords_of(const mesh_window *w, const convex *c, int body)
{
    vertex_chords x = {.count = c->point_count};
    for (int i = 0; i < c->point_count; i++) {
        const tact_vec3 p = vec_add(c->transform.origin, c->points[i]), turned = vec_transform(&w->rotation[body], p);
        x.from[i] = body == 0 ? p : vec_add(p, w->interval.offset);
        x.to[i] = body == 0 ? turned : vec_add(turned, w->end_offset);
        x.sum_from = vec_add(x.sum_from, x.from[i]);
        x.sum_to = vec_add(x.sum_to, x.to[i]);
    }
    return x;
}

static double max_along(const tact_vec3 *p, int count, tact_vec3 n)
{
    double most = vec_dot(n, p[0]);
    for (int i = 1; i < count; i++) {
        const double x = vec_dot(n, p[i]);
        most = x > most ? x : most;
    }
    return most;
}

/* Whether n, from A to B and of any length, separates the vertices by more than `margin` at both ends: then it does in
 * between, since the maximum of linear functions is convex. `margin` covers how far points are off their chords. */
static bool plane_separates(const vertex_chords *a, const vertex_chords *b, tact_vec3 n, double margin)
{
    const tact_vec3 back = vec_negate(n);
    const double least = margin * vec_length(n) * (1.0 + TOI_RELATIVE_SLACK);
    return -max_along(b->from, b->count, back) - max_along(a->from, a->count, n) > least &&
           -max_along(b->to, b->count, back) - max_along(a->to, a->count, n) > least;
}

static bool plane_separates_either_way(const vertex_chords *a, const vertex_chords *b, tact_vec3 n, double margin)
{
    return plane_separates(a, b, n, margin) || plane_separates(a, b, vec_negate(n), margin);
}

static tact_vec3 triangle_normal(const tact_vec3 *p) { return vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])); }

/* Whether two primitives with vertices stay apart along one of a few axes: between their centroids, and the normals of
 * triangles, at both ends. */
static bool vertices_stay_apart(const mesh_window *w, const convex *ca, const convex *cb)
{
    if (ca->kind != CONVEX_POINTS || cb->kind != CONVEX_POINTS)
        return false;
    const vertex_chords a = chords_of(w, ca, 0), b = chords_of(w, cb, 1);
    const double margin = w->sagitta + w->slack + ca->margin + cb->margin;
    const double part_a = 1.0 / a.count, part_b = 1.0 / b.count;
    const tact_vec3 first = vec_sub(vec_scale(b.sum_from, part_b), vec_scale(a.sum_from, part_a));
    const tact_vec3 last = vec_sub(vec_scale(b.sum_to, part_b), vec_scale(a.sum_to, part_a));
    if (plane_separates(&a, &b, vec_add(first, last), margin) || plane_separates(&a, &b, first, margin) ||
        plane_separates(&a, &b, last, margin))
        return true;
    if (a.count == 3 && (plane_separates_either_way(&a, &b, triangle_normal(a.from), margin) ||
                         plane_separates_either_way(&a, &b, triangle_normal(a.to), margin)))
        return true;
    return b.count == 3 && (plane_separates_either_way(&a, &b, triangle_normal(b.from), margin) ||
                            plane_separates_either_way(&a, &b, triangle_normal(b.to), margin));
}

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* The rotation of a body in some time. */
static tact_transform rotation_of(const toi_frame *f, int body, double time)
{
    return tact_motion_at((tact_motion){.spin = f->motion[body].spin}, tact_identity(), time);
}

/* Of a mesh and a convex shape: all triangles on the other side of a plane need not be visited, that with the normal of
 * the contact found last which the convex shape does not reach in the window. */
static void skip_below(mesh_window *w)
{
    const toi_frame *f = &w->query->frame;
    const tact_vec3 n = w->plane_normal;
    const int other = w->both[0].shape->type == TACT_MESH ? 1 : 0;
    convex c;
    const primitive whole = {&w->both[other], 0};
    if (!(vec_max_abs(n) > 0.0) || w->both[1 - other].shape->type != TACT_MESH ||
        !shape_is_convex(w->both[other].shape) || tact_primitive_convex(&whole, &c) != TACT_OK)
        return;
    const double span = w->interval.end;
    const double off = (toi_turning_speed(f) + 0.5 * f->acceleration_length * span) * span + w->slack +
                       w->traversal->inflation + w->both[1 - other].margin;
    const double closing = number_min(vec_dot(n, w->interval.velocity) * span, 0.0) - off * (1.0 + TOI_RELATIVE_SLACK);
    w->traversal->below[1 - other] =
        other == 1 ? (tree_below){n, vec_dot(n, w->interval.offset) - support_with_margin(&c, vec_negate(n)) + closing}
                   : (tree_below){vec_negate(n), closing - support_with_margin(&c, n)};
}

/* ---- one-sided meshes --- */

/* An instance of a body as it is `time` after the begin of the window. */
static instance turned_instance(const mesh_window *w, const primitive *s, int body, double time)
{
    instance p = *s->of;
    const tact_transform rotation = rotation_of(&w->query->frame, body, time);
    p.at = tact_transform_compose(rotation, p.at);
    return p;
}

/* Both of a pair at that time, in one frame. */
static void pair_at(const mesh_window *w, const primitive *a, const primitive *b, double time, instance both[2])
{
    both[0] = turned_instance(w, a, 0, time);
    both[1] = turned_instance(w, b, 1, time);
    both[1].at.origin = vec_add(both[1].at.origin, toi_offset_at(&w->interval, time));
}

/* The depth of a pair at that time; negative: apart. False: it failed, see w->status. */
static bool depth_at(mesh_window *w, const primitive *a, const primitive *b, double time, double *depth)
{
    instance both[2];
    convex ca, cb;
    tact_penetration d;
    pair_at(w, a, b, time, both);
    const primitive there[2] = {{&both[0], a->element}, {&both[1], b->element}};
    if (!primitives_convex(&there[0], &there[1], &ca, &cb, &w->status))
        return false;
    const tact_status status = tact_convex_penetration(&ca, &cb, w->interval.allocator, &d);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED) {
        w->status = status;
        return false;
    }
    *depth = d.depth;
    return true;
}

/* Whether a pair that touches at `time`, the begin of a search, arrives then: it is not deep, and gets deeper. Else it
 * is leaving, or met the back before. */
static bool arrives_at(mesh_window *w, const primitive *a, const primitive *b, double time)
{
    const double tolerance = w->interval.tolerance,
                 later = time + toi_time_to_move(&w->interval, time, 4.0 * tolerance);
    double depth, then;
    return later < INFINITY && depth_at(w, a, b, time, &depth) && depth <= 2.0 * tolerance &&
           depth_at(w, a, b, later, &then) && then > depth;
}

/* The time from which a pair that touches at `time` is separate: it does not separate before it has moved by its depth.
 * Not before the end of the window: the end. */
static double time_of_exit(mesh_window *w, const primitive *a, const primitive *b, double time)
{
    const double tolerance = w->interval.tolerance;
    for (int i = 0; i < TOI_MAX_STEPS && time < w->interval.end; i++) {
        double depth;
        if (!depth_at(w, a, b, time, &depth))
            return w->interval.end;
        if (depth < -2.0 * tolerance)
            return time;
        const double next = time + toi_time_to_move(&w->interval, time, number_max(depth, 0.0) + 4.0 * tolerance);
        if (!(next > time))
            break;
        time = next;
    }
    return number_min(time, w->interval.end);
}

/* The first contact of a pair with a one-sided triangle, in which it faces the other. A pair that does not face it
 * passes through until it is separate. So does one that overlaps at the begin of a window: it met the back in an
 * earlier one. */
static tact_toi first_front_contact(mesh_window *w, const primitive *a, const primitive *b)
{
    double time = 0.0;
    for (int i = 0; i < TOI_MAX_STEPS && time < w->interval.end; i++) {
        toi_frame in = tact_toi_frame_at(&w->interval, time);
        toi_frame_set_interval(&in, w->interval.rounding.bodies, w->interval.tolerance, w->interval.end - time,
                               w->interval.allocator);
        instance both[2] = {turned_instance(w, a, 0, time), turned_instance(w, b, 1, time)};
        const primitive begin[2] = {{&both[0], a->element}, {&both[1], b->element}};
        convex ca, cb;
        if (!primitives_convex(&begin[0], &begin[1], &ca, &cb, &w->status))
            break;
        tact_toi met = tact_convex_first_contact(&in, &ca, &cb);
        if (met.state == TACT_MISS)
            break;
        met.time += time;
        pair_at(w, a, b, met.time, both);
        if (met.state != TACT_HIT ||
            (tact_primitives_face(&begin[0], &begin[1]) && (met.time > time || arrives_at(w, a, b, time))))
            return met;
        time = time_of_exit(w, a, b, met.time);
    }
    return toi_miss(&w->interval);
}

/* The first contact or penetration of a pair. */
static tact_toi solve_pair(mesh_window *w, const primitive *a, const primitive *b, const convex *ca, const convex *cb)
{
    const bool one_sided = primitive_is_one_sided(a) || primitive_is_one_sided(b);
    if (w->mode == WINDOW_FIRST_CONTACT)
        return one_sided ? first_front_contact(w, a, b) : tact_convex_first_contact(&w->interval, ca, cb);
    const tact_toi met = tact_convex_first_penetration(&w->interval, ca, cb, w->mode == WINDOW_FIRST_PENETRATION_AT_0);
    instance both[2];
    if (!one_sided || met.state != TACT_HIT)
        return met;
    pair_at(w, a, b, met.time, both);
    const primitive then[2] = {{&both[0], a->element}, {&both[1], b->element}};
    return tact_primitives_face(&then[0], &then[1]) ? met : toi_miss(&w->interval);
}

static double test_pair(void *context, const primitive *a, const primitive *b, double enter, double limit)
{
    mesh_window *w = context;
    convex ca, cb;
    (void)enter;
    if (!primitives_convex(a, b, &ca, &cb, &w->status))
        return -1.0;
    const bool far = spheres_stay_apart(w, &ca, &cb), apart = far || vertices_stay_apart(w, &ca, &cb);
    w->work += far ? 1 : apart ? TOI_WORK_OF_PLANES : TOI_WORK_OF_SEARCH;
    if (w->work > w->max_work)
        return -1.0;
    if (apart)
        return limit;
    const tact_toi met = solve_pair(w, a, b, &ca, &cb);
    const double time = w->begin + met.time;
    if (met.state == TACT_MISS || time > w->best->time || (time == w->best->time && w->best->state == TACT_HIT))
        return limit;
    w->last_normal = met.normal;
    *w->best = met;
    w->best->time = time;
    w->best->part_a = primitive_part(a);
    w->best->part_b = primitive_part(b);
    w->interval.end = number_min(w->interval.end, met.time);
    if (!(met.time > 0.0) && met.state == TACT_HIT)
        return -1.0; /* no other is earlier */
    w->plane_normal = met.normal;
    if (a->of->shape->type == TACT_MESH)
        w->plane_normal = tact_normal_of_triangle_near(a, met.normal);
    else if (b->of->shape->type == TACT_MESH)
        w->plane_normal = tact_normal_of_triangle_near(b, met.normal);
    skip_below(w);
    return w->span > 0.0 ? number_min(limit, w->interval.end / w->span) : limit;
}

/* Of a mesh and a convex shape: tests the triangle that is closest to the origin of the convex shape at the end of the
 * window; if they meet, that at this time, and so on. The first contact is probably among them. Returns the limit. */
static double test_closest_triangles(mesh_window *w)
{
    const int other = w->both[0].shape->type == TACT_MESH ? 1 : 0;
    double limit = 1.0, end = INFINITY;
    if (w->mode != WINDOW_FIRST_CONTACT || w->both[1 - other].shape->type != TACT_MESH ||
        !shape_is_convex(w->both[other].shape))
        return limit;
    for (int i = 0; i < TOI_CLOSEST_TRIANGLES && w->interval.end < end && limit >= 0.0; i++) {
        end = w->interval.end;
        const tact_vec3 offset = toi_offset_at(&w->interval, end);
        const uint32_t element = tact_closest_triangle(&w->both[1 - other], other == 1 ? offset : vec_negate(offset));
        if (element == NO_TRIANGLE)
            break;
        const primitive triangle = {&w->both[1 - other], element}, whole = {&w->both[other], 0};
        limit = test_pair(w, other == 1 ? &triangle : &whole, other == 1 ? &whole : &triangle, 0.0, limit);
    }
    return limit;
}

bool tact_mesh_search_window(mesh_toi_query *q, double begin, double span, mesh_window_mode mode, long max_work,
                             tact_toi *best, long *work)
{
    const toi_frame *f = &q->frame;
    instance both[2];
    tact_mesh_query_bodies_at(q, begin, both);
    both[1].at.origin = vec_make(0.0, 0.0, 0.0);
    mesh_window w = {.query = q, .mode = mode, .begin = begin, .max_work = max_work, .best = best, .status = TACT_OK};
    toi_frame *in = &w.interval;
    *in = tact_toi_frame_at(f, begin);
    toi_frame_set_interval(in, toi_rounding_at(f, begin + span), toi_tolerance_at(f, begin + span),
                           number_max(number_min(span, best->time - begin), 0.0), f->allocator);
    in->contact_band = mode == WINDOW_FIRST_CONTACT ? 0.0 : toi_band_at(f, begin + span);
    w.span = in->end;
    for (int i = 0; i < 2; i++) {
        const double angle = f->body[i].rate * w.span;
        w.rotation[i] = rotation_of(f, i, w.span);
        w.sagitta += 0.125 * angle * angle * f->body[i].radius;
    }
    w.sagitta += 0.125 * f->acceleration_length * w.span * w.span;
    w.end_offset = toi_offset_at(f, begin + w.span);
    w.last_normal = w.plane_normal = best->normal; /* of a window that was given up */
    w.slack = 2.0 * number_max(in->tolerance, in->contact_band) + 4.0 * in->rounding.bodies;
    moving_traversal p = {.offset = in->offset,
                          .path = vec_sub(w.end_offset, in->offset),
                          .sagitta = vec_scale(f->acceleration, 0.125 * w.span * w.span),
                          .half_rotation = {rotation_of(f, 0, 0.5 * w.span), rotation_of(f, 1, 0.5 * w.span)},
                          .inflation = 0.5 * toi_turning_speed(f) * w.span * (1.0 + TOI_RELATIVE_SLACK) + w.slack,
                          .pair = test_pair,
                          .context = &w};
    w.both = both;
    w.traversal = &p;
    skip_below(&w);
    const double limit = test_closest_triangles(&w);
    if (limit >= 0.0)
        (void)tact_traverse_moving_pairs(&p, &both[0], &both[1], limit);
    const tact_status status = p.status != TACT_OK ? p.status : w.status;
    if (status != TACT_OK)
        *best = toi_failure(status, begin);
    *work = w.work;
    q->work += w.work;
    return w.work <= max_work;
}
