/*
 * Penetration depth of meshes, soups and compounds: the shortest escape path among a number of directions.
 *
 * Guarantee: moving B by depth * normal makes the shapes just touch, and no smaller displacement along that normal
 * separates them. The exact minimum over all directions is not cheap: the Minkowski difference has as many parts as
 * there are pairs of primitives. So the depth is the least over these directions: normals of the deepest pairs of
 * primitives, normals of the overlapping triangles and their sums, the line between the centres, the coordinate axes;
 * then, from the best of these, the normals where it exits, as long as they improve.
 *
 * Along one direction each pair of primitives overlaps in one interval of displacements. B starts at 0. While its
 * position is inside such an interval, it moves to the end of the interval. Where no pair overlaps but B is inside a
 * solid, it moves on to where the surfaces meet. Each of these positions is a *stop*; at the last one B is free. A
 * direction is rejected as soon as it is longer than the best, so all but the first are cheap. No escape path is
 * shorter than that of the deepest pair alone: if its direction separates the bodies, as in most contacts, no other
 * is tried.
 *
 * Cost: for each stop a traversal that ends at the first pair that overlaps for long, and at the last stop one over all
 * overlapping pairs; a cast of two convex primitives for each pair that may overlap longer than those before. Two tori
 * of 5,000 triangles: 10 to 14 ms.
 */
#include <float.h>

#include "complex/complex_contact.h"
#include "complex/traversal.h"
#include "convex/convex_constants.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "core/work.h"
#include "math/fp_environment.h"
#include "shape/complex_support.h"

/* For a mesh or compound: the transformed box of its tree. (tact_shape_bounds is tight, but visits every vertex.) */
tact_status tact_instance_bounds(const instance *p, tact_bounds *bounds)
{
    const tact_transform *m = &p->at;
    if (shape_is_convex(p->shape))
        return tact_shape_bounds(p->shape, *m, bounds);
    const box *b = p->shape->mesh != NULL ? &p->shape->mesh->tree.root_box : &p->shape->compound->tree.root_box;
    float widest = 0.0f;
    for (int i = 0; i < 3; i++)
        widest = number_maxf(widest, b->max[i] - b->min[i]);
    if (!(widest > COMPLEX_MIN_BOX && widest < COMPLEX_MAX_BOX)) /* floats do not resolve its size */
        return tact_shape_bounds(p->shape, *m, bounds);
    double half[3], centre[3];
    for (int i = 0; i < 3; i++) {
        half[i] = 0.5 * ((double)b->max[i] - (double)b->min[i]);
        centre[i] = 0.5 * ((double)b->max[i] + (double)b->min[i]);
    }
    tact_vec3 at = vec_add(vec_transform(m, vec_make(centre[0], centre[1], centre[2])), m->origin);
    const tact_vec3 x = m->x_axis, y = m->y_axis, z = m->z_axis;
    tact_vec3 reach = {fabs(x.x) * half[0] + fabs(y.x) * half[1] + fabs(z.x) * half[2],
                       fabs(x.y) * half[0] + fabs(y.y) * half[1] + fabs(z.y) * half[2],
                       fabs(x.z) * half[0] + fabs(y.z) * half[1] + fabs(z.z) * half[2]};
    double more = p->margin + COMPLEX_CAST_TOLERANCE * (vec_max_abs(at) + vec_max_abs(reach));
    reach = vec_add(reach, vec_make(more, more, more));
    *bounds = (tact_bounds){vec_sub(at, reach), vec_add(at, reach)};
    return TACT_OK;
}

/* The search for the best direction. Positions are relative to the origin of A. */
typedef struct penetration_search {
    instance a, b;
    tact_bounds bounds_a, bounds_b;
    double tolerance; /* length: pairs this close touch */
    const tact_allocator *allocator;
    const complex_casts *casts;
    tact_status status;
    tact_vec3 common; /* a common point, and its parts */
    tact_part part_a, part_b;
    tact_penetration best; /* depth INFINITY: none yet */
    /* Directions in which B must not move: below a heightfield, and behind one-sided surfaces that it touches. n . away
     * must be at least `least_away`. */
    tact_vec3 away[3];
    double least_away[3];
    int away_count;
    tact_vec3 exit_normal; /* of the pair that separates last along the best direction */
} penetration_search;

/* ---- along one direction ----------------------------------------------------------------------------------------- */

typedef struct escape_path {
    penetration_search *s;
    tact_vec3 n;
    double travelled;             /* length: displacement of B so far */
    double reached;               /* length: displacement at which all pairs visited so far are separate */
    tact_vec3 point, exit_normal; /* of the pair that separates last */
    tact_part part_a, part_b;
    double step;      /* length: the longest so far */
    bool skipped;     /* some pairs were not visited */
    bool rejected;    /* longer than the best */
    tact_cache cache; /* from one pair of primitives to the next */
} escape_path;

static double support_with_margin(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin)) + c->margin;
}

/* The displacement at which a pair of primitives separates: a cast of B back from where they are certainly apart. */
static double separate_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    escape_path *w = context;
    penetration_search *s = w->s;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        s->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    double most = support_with_margin(&ca, w->n) + support_with_margin(&cb, vec_negate(w->n)) + 8.0 * s->tolerance;
    if (!(w->travelled + most > w->reached) || !primitives_collide(a, b))
        return limit; /* it separates before the others do, or B is behind it */
    if (tact_convex_within(&ca, &cb, s->tolerance, &w->cache).state == TACT_MISS)
        return limit; /* they may meet farther on, where B is free already */
    const tact_vec3 offset = vec_mul_add(vec_sub(cb.transform.origin, ca.transform.origin), most, w->n);
    tact_toi met = s->casts->convex(&ca, &cb, offset, vec_scale(w->n, -most), s->tolerance, s->allocator);
    if (met.state == TACT_UNKNOWN && met.status != TACT_NOT_CONVERGED)
        s->status = met.status;
    if (met.state == TACT_MISS)
        return limit;
    double separates_at = w->travelled + most * (1.0 - met.time);
    if (separates_at > w->reached) {
        w->reached = separates_at;
        w->point = met.point;
        w->exit_normal = met.normal;
        w->part_a = primitive_part(a);
        w->part_b = primitive_part(b);
    }
    w->rejected = w->reached >= s->best.depth;
    const double step = w->reached - w->travelled;
    w->skipped = step > s->tolerance && step >= COMPLEX_LONG_STEP * w->step;
    w->step = max_double(step, w->step);
    return w->skipped || w->rejected || s->status != TACT_OK ? -1.0 : limit;
}

static instance moved(const instance *p, double by, tact_vec3 n)
{
    instance out = *p;
    out.at.origin = vec_mul_add(p->at.origin, by, n);
    return out;
}

static double box_support(const tact_bounds *b, tact_vec3 n)
{
    return n.x * (n.x > 0.0 ? b->max.x : b->min.x) + n.y * (n.y > 0.0 ? b->max.y : b->min.y) +
           n.z * (n.z > 0.0 ? b->max.z : b->min.z);
}

/* The displacement of B along n at which the bounding boxes are apart. */
static double box_escape_length(const penetration_search *s, tact_vec3 n)
{
    return box_support(&s->bounds_a, n) + box_support(&s->bounds_b, vec_negate(n)) + 16.0 * s->tolerance;
}

/* No primitives touch. If B is inside a solid of A, or a part of A inside one of B, continues to where the surfaces
 * meet. Returns whether the path goes on. */
static bool leave_solid(escape_path *w)
{
    penetration_search *s = w->s;
    tact_common_point common;
    double from = w->travelled + 4.0 * s->tolerance, most = box_escape_length(s, w->n);
    instance b = moved(&s->b, from, w->n);
    if (!(from < most) || !tact_complex_inside(&s->a, &b, &common))
        return false;
    double path = number_min(most, s->best.depth) - from;
    w->rejected = !(path > 0.0);
    if (w->rejected)
        return false;
    tact_toi met = s->casts->surfaces(&s->a, &b, vec_scale(w->n, path), 0.5 * s->tolerance);
    if (met.status != TACT_OK && met.status != TACT_NOT_CONVERGED)
        s->status = met.status;
    w->rejected = met.state != TACT_HIT;
    w->reached = from + path * met.time;
    w->travelled = w->reached + s->tolerance; /* just inside the surface */
    w->point = met.point;
    w->exit_normal = met.normal;
    w->part_a = met.part_a;
    w->part_b = met.part_b;
    return !w->rejected;
}

static void keep_if_better(penetration_search *s, const escape_path *w)
{
    if (!(w->reached < s->best.depth))
        return;
    s->best = (tact_penetration){
        .status = TACT_OK, .depth = w->reached, .normal = w->n, .part_a = w->part_a, .part_b = w->part_b};
    s->best.on_a = w->point;
    s->best.on_b = vec_mul_add(w->point, -w->reached, w->n);
    s->exit_normal = w->exit_normal;
}

static bool is_allowed(const penetration_search *s, tact_vec3 n)
{
    for (int i = 0; i < s->away_count; i++)
        if (!(vec_dot(n, s->away[i]) >= s->least_away[i]))
            return false;
    return true;
}

static void try_direction(penetration_search *s, tact_vec3 n)
{
    if (!(vec_max_abs(n) > 0.0) || s->status != TACT_OK || !is_allowed(s, n))
        return;
    escape_path w = {.s = s, .n = n, .exit_normal = n, .point = s->common, .part_a = s->part_a, .part_b = s->part_b};
    for (int stop = 0, step = 0;
         stop < COMPLEX_MAX_STOPS && step < COMPLEX_MAX_STEPS && !w.rejected && s->status == TACT_OK; step++) {
        instance b = moved(&s->b, w.travelled, n);
        traversal k = {&w, separate_pair, NULL, true, TACT_OK};
        w.skipped = false;
        (void)tact_traverse_pairs(&k, &s->a, &b, 0.0);
        if (k.status != TACT_OK)
            s->status = k.status;
        if (w.rejected || s->status != TACT_OK)
            return;
        stop += !w.skipped;
        if (w.reached > w.travelled + s->tolerance) {
            w.travelled = w.reached;
            continue;
        }
        w.reached = number_max(w.reached, w.travelled);
        if (leave_solid(&w))
            continue;
        if (!w.rejected && s->status == TACT_OK)
            keep_if_better(s, &w);
        return;
    }
}

/* A cast from beyond A back to the first contact: always an answer, but not a short one. */
static void try_from_beyond(penetration_search *s, tact_vec3 n)
{
    double most = box_escape_length(s, n);
    instance b = moved(&s->b, most, n);
    tact_toi met = s->casts->surfaces(&s->a, &b, vec_scale(n, -most), s->tolerance);
    if (met.status != TACT_OK && met.status != TACT_NOT_CONVERGED)
        s->status = met.status;
    escape_path w = {.s = s, .n = n, .reached = most * (1.0 - met.time), .point = met.point, .exit_normal = met.normal};
    w.part_a = met.part_a;
    w.part_b = met.part_b;
    if (met.state == TACT_HIT)
        keep_if_better(s, &w);
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

typedef struct direction_candidate {
    tact_vec3 n;
    double depth; /* of the pair of primitives */
    tact_vec3 on_a;
    tact_part part_a, part_b;
} direction_candidate;

typedef struct direction_candidates {
    penetration_search *s;
    int visited;
    int pair_count, face_count;
    direction_candidate pair[COMPLEX_PAIR_DIRECTIONS], face[COMPLEX_FACE_DIRECTIONS];
    tact_vec3 sum, faces_a, faces_b;
    tact_vec3 fronts; /* of one-sided triangles, from A to B */
} direction_candidates;

/* Keeps the deepest candidates in descending order, one for each direction. */
static void add_candidate(direction_candidate *list, int *count, int most, const direction_candidate *new)
{
    int at = *count;
    for (int i = 0; i < *count; i++)
        if (vec_dot(list[i].n, new->n) > COMPLEX_SAME_DIRECTION) {
            if (!(new->depth > list[i].depth))
                return;
            at = i;
            break;
        }
    if (at == most) {
        if (!(new->depth > list[most - 1].depth))
            return;
        at = most - 1;
    } else if (at == *count) {
        ++*count;
    }
    for (; at > 0 && list[at - 1].depth < new->depth; at--)
        list[at] = list[at - 1];
    list[at] = *new;
}

/* The normal of a triangle with twice its area as length; zero for other primitives. */
static tact_vec3 area_normal(const primitive *at)
{
    tact_vec3 p[3];
    if (at->of->shape->type != TACT_MESH)
        return vec_make(0.0, 0.0, 0.0);
    mesh_triangle(at->of->shape->mesh, &at->of->at, at->element, p);
    return vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0]));
}

/* Where the least depth of a pair would push B behind a one-sided triangle, it is that along the front normal. */
static void turn_to_front(direction_candidates *c, const primitive *a, const primitive *b, const convex *ca,
                          const convex *cb, tact_penetration *d)
{
    for (int i = 0; i < 2; i++) {
        const primitive *one = i == 0 ? a : b;
        if (!primitive_is_one_sided(one))
            continue;
        const tact_vec3 front = tact_primitive_front(one), n = i == 0 ? front : vec_negate(front);
        c->fronts = vec_add(c->fronts, n);
        if (!(vec_max_abs(n) > 0.0) || vec_dot(d->normal, n) >= COMPLEX_LEAST_FRONT)
            continue;
        d->normal = n;
        d->depth = support_with_margin(ca, n) + support_with_margin(cb, vec_negate(n));
        d->on_a = vec_mul_add(vec_add(tact_convex_support(ca, n, NULL), ca->transform.origin), ca->margin, n);
    }
}

static double visit_overlapping_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    direction_candidates *c = context;
    convex ca, cb;
    tact_penetration d;
    if (!primitives_collide(a, b))
        return limit;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        c->s->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    tact_status status = tact_convex_penetration(&ca, &cb, c->s->allocator, &d);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED) {
        c->s->status = status;
        return -1.0;
    }
    if (d.depth < -c->s->tolerance)
        return limit;
    turn_to_front(c, a, b, &ca, &cb, &d);
    direction_candidate new = {d.normal, d.depth, d.on_a, primitive_part(a), primitive_part(b)};
    add_candidate(c->pair, &c->pair_count, COMPLEX_PAIR_DIRECTIONS, &new);
    c->sum = vec_mul_add(c->sum, number_max(d.depth, c->s->tolerance), d.normal);
    const tact_vec3 areas[2] = {area_normal(a), area_normal(b)};
    c->faces_a = vec_add(c->faces_a, areas[0]);
    c->faces_b = vec_sub(c->faces_b, areas[1]);
    for (int i = 0; i < 2; i++) {
        tact_vec3 n = vec_normalize(areas[i]);
        double length = vec_length(n);
        if (!(length > 0.0))
            continue;
        n = vec_make(n.x / length, n.y / length, n.z / length);
        /* the direction along which this pair separates sooner */
        double up = support_with_margin(&ca, n) + support_with_margin(&cb, vec_negate(n)),
               down = support_with_margin(&ca, vec_negate(n)) + support_with_margin(&cb, n);
        new.n = up <= down ? n : vec_negate(n);
        const primitive *one = i == 0 ? a : b;
        if (primitive_is_one_sided(one))
            new.n = i == 0 ? tact_primitive_front(one) : vec_negate(tact_primitive_front(one));
        add_candidate(c->face, &c->face_count, COMPLEX_FACE_DIRECTIONS, &new);
    }
    return ++c->visited < COMPLEX_MAX_DIRECTION_PAIRS ? limit : -1.0;
}

static void try_both_directions(penetration_search *s, tact_vec3 n)
{
    try_direction(s, n);
    try_direction(s, vec_negate(n));
}

static direction_candidates find_directions(penetration_search *s)
{
    direction_candidates c = {.s = s};
    traversal k = {&c, visit_overlapping_pair, NULL, true, TACT_OK};
    (void)tact_traverse_pairs(&k, &s->a, &s->b, 0.0);
    if (k.status != TACT_OK)
        s->status = k.status;
    return c;
}

/* The directions in which a body leaves a heightfield that it is wholly inside of: up, and out through the walls. */
static void try_ways_out(penetration_search *s, const instance *field, double sign)
{
    const tact_vec3 up = instance_up(field), x = field->at.x_axis, y = field->at.y_axis, z = field->at.z_axis;
    if (!(vec_max_abs(up) > 0.0))
        return;
    try_direction(s, vec_scale(up, sign));
    try_both_directions(s, vec_normalize(vec_cross(y, z)));
    try_both_directions(s, vec_normalize(vec_cross(x, y)));
}

static void try_all(penetration_search *s, const direction_candidates *c)
{
    try_ways_out(s, &s->a, 1.0);
    try_ways_out(s, &s->b, -1.0);
    for (int i = 0; i < c->pair_count; i++)
        try_direction(s, c->pair[i].n);
    for (int i = 0; i < c->face_count; i++)
        try_direction(s, c->face[i].n);
    try_direction(s, vec_normalize(c->sum));
    try_both_directions(s, vec_normalize(c->faces_a));
    try_both_directions(s, vec_normalize(c->faces_b));
    tact_vec3 centre_a = vec_scale(vec_add(s->bounds_a.min, s->bounds_a.max), 0.5);
    tact_vec3 centre_b = vec_scale(vec_add(s->bounds_b.min, s->bounds_b.max), 0.5);
    try_both_directions(s, vec_normalize(vec_sub(centre_b, centre_a)));
    static const tact_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; i++)
        try_both_directions(s, axes[i]);
    for (int i = 0; i < c->face_count; i++)
        try_direction(s, vec_negate(c->face[i].n));
    for (int i = 0; i < COMPLEX_MAX_IMPROVEMENTS && s->best.depth < INFINITY; i++) {
        double before = s->best.depth;
        try_direction(s, s->exit_normal);
        if (!(s->best.depth < before))
            break;
    }
    for (int i = 0; i < 6 && !(s->best.depth < INFINITY) && s->status == TACT_OK; i++)
        try_from_beyond(s, i < 3 ? axes[i] : vec_negate(axes[i - 3]));
}

/* ---- refining the depth ------------------------------------------------------------------------------------------ */

/* The displacement of B back to the first contact, from a position that is free by a tolerance. */
typedef struct touch_refinement {
    penetration_search *s;
    bool any;
    double back;  /* length: no pair touches before B has moved back this far; the least over all pairs, to `least` */
    double least; /* length */
    tact_vec3 on_a;
    tact_part part_a, part_b;
    tact_vec3 face; /* the triangle normal closest to the direction */
    double cosine;  /* of the angle between them */
} touch_refinement;

static void consider_face(touch_refinement *w, const primitive *at)
{
    tact_vec3 n = vec_normalize(area_normal(at));
    double length = vec_length(n);
    if (!(length > 0.0))
        return;
    n = vec_make(n.x / length, n.y / length, n.z / length);
    double cosine = vec_dot(n, w->s->best.normal);
    if (!(fabs(cosine) > w->cosine))
        return;
    w->cosine = fabs(cosine);
    w->face = cosine > 0.0 ? n : vec_negate(n);
}

static double visit_pair_near_end(void *context, const primitive *a, const primitive *b, double limit)
{
    touch_refinement *w = context;
    penetration_search *s = w->s;
    const tact_vec3 n = s->best.normal;
    convex ca, cb;
    tact_penetration d;
    if (!primitives_collide(a, b))
        return limit;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK)
        return -1.0;
    consider_face(w, a);
    consider_face(w, b);
    double back = -(support_with_margin(&ca, n) + support_with_margin(&cb, vec_negate(n)));
    if (back > COMPLEX_NEAR_TOUCH * s->tolerance || (w->any && back >= w->back - w->least))
        return limit;
    tact_status status = tact_convex_penetration(&ca, &cb, s->allocator, &d);
    if (status != TACT_OK) {
        if (status != TACT_NOT_CONVERGED)
            s->status = status;
        w->any = false;
        return -1.0;
    }
    /* A gap closes no faster than the displacement along its normal. */
    double along = vec_dot(d.normal, n);
    if (d.depth < 0.0) {
        if (!(along > 0.0))
            return limit;
        back = number_max(back, -d.depth / along);
    }
    back = number_max(back, 0.0);
    if (w->any && back >= w->back)
        return limit;
    w->any = true;
    w->back = back;
    w->on_a = d.on_a;
    w->part_a = primitive_part(a);
    w->part_b = primitive_part(b);
    return limit;
}

/* The escape path ends within a tolerance of contact: moves B back to the contact itself. Returns the normal of a
 * triangle there that is close to the direction, or the direction. */
static tact_vec3 refine_touch(penetration_search *s)
{
    const double least = COMPLEX_MIN_REFINEMENT * (s->tolerance / COMPLEX_CAST_TOLERANCE);
    tact_vec3 face = s->best.normal;
    for (int i = 0; i < COMPLEX_MAX_REFINEMENTS && s->status == TACT_OK; i++) {
        touch_refinement w = {.s = s, .least = least};
        instance b = moved(&s->b, s->best.depth, s->best.normal);
        traversal k = {&w, visit_pair_near_end, NULL, false, TACT_OK};
        double stop = tact_traverse_pairs(&k, &s->a, &b, COMPLEX_NEAR_TOUCH * s->tolerance);
        if (w.cosine >= COMPLEX_NEAR_FACE)
            face = w.face;
        if (stop < 0.0 || k.status != TACT_OK || !w.any || !(w.back <= COMPLEX_NEAR_TOUCH * s->tolerance))
            break;
        s->best.depth = number_max(s->best.depth - w.back, 0.0);
        s->best.part_a = w.part_a;
        s->best.part_b = w.part_b;
        s->best.on_a = w.on_a;
        s->best.on_b = vec_mul_add(w.on_a, -s->best.depth, s->best.normal);
        if (!(w.back > least))
            break;
    }
    return face;
}

double tact_instance_separation_along(const instance *a, const instance *b, tact_vec3 n)
{
    double up, down;
    return tact_support_value_if_cheap(a->shape, &a->at, n, &up) &&
                   tact_support_value_if_cheap(b->shape, &b->at, vec_negate(n), &down)
               ? -up - down
               : -INFINITY;
}

/* Whether the direction of a deepest pair separates the whole bodies: then no shorter one exists. In a mere contact
 * most pairs are equally deep, but few directions separate the bodies. */
static bool try_deepest_pairs(penetration_search *s, const direction_candidates *c)
{
    const double same = COMPLEX_SAME_DEPTH * (s->tolerance / COMPLEX_CAST_TOLERANCE);
    for (int i = 0; i < c->pair_count && c->pair[i].depth >= c->pair[0].depth - same; i++) {
        const direction_candidate *p = &c->pair[i];
        if (!is_allowed(s, p->n))
            continue;
        if (tact_instance_separation_along(&s->a, &s->b, p->n) < -p->depth - same)
            continue;
        s->best = (tact_penetration){.depth = max_double(p->depth, 0.0), .normal = p->n, .on_a = p->on_a};
        s->best.on_b = vec_mul_add(p->on_a, -s->best.depth, p->n);
        s->best.part_a = p->part_a;
        s->best.part_b = p->part_b;
        return true;
    }
    return false;
}

/* The search cannot rank directions whose depths differ by less than the tolerance. So the best one is refined, and so
 * is the direction of the closest face normal, which wins if it is no worse. */
static void refine(penetration_search *s)
{
    tact_vec3 face = refine_touch(s);
    if (s->status != TACT_OK || vec_equal(face, s->best.normal))
        return;
    const tact_penetration before = s->best;
    s->best.depth = before.depth + 8.0 * s->tolerance;
    try_direction(s, face);
    if (vec_equal(s->best.normal, face))
        (void)refine_touch(s);
    if (!vec_equal(s->best.normal, face) ||
        !(s->best.depth <= before.depth + COMPLEX_MIN_REFINEMENT * (s->tolerance / COMPLEX_CAST_TOLERANCE)))
        s->best = before;
}

/* ---- both shapes ------------------------------------------------------------------------------------------------- */

/* B must not be pushed down through a heightfield. */
static void forbid_down(penetration_search *s, const instance *field, double sign)
{
    const tact_vec3 up = instance_up(field);
    if (!(vec_max_abs(up) > 0.0))
        return;
    s->away[s->away_count] = vec_scale(up, sign);
    s->least_away[s->away_count++] = -COMPLEX_LEAST_FRONT;
}

static tact_penetration penetration_of(const instance both[2], tact_vec3 common, tact_part part_a, tact_part part_b,
                                       const complex_casts *casts)
{
    penetration_search s = {.a = both[0], .b = both[1], .status = TACT_OK, .best = {.depth = INFINITY}};
    const tact_vec3 origin = both[0].at.origin;
    s.a.at.origin = vec_make(0.0, 0.0, 0.0);
    s.b.at.origin = vec_sub(both[1].at.origin, origin);
    s.allocator = &both[0].shape->allocator;
    s.casts = casts;
    s.common = vec_sub(common, origin);
    s.part_a = part_a;
    s.part_b = part_b;
    if (tact_instance_bounds(&s.a, &s.bounds_a) != TACT_OK || tact_instance_bounds(&s.b, &s.bounds_b) != TACT_OK)
        return (tact_penetration){.status = TACT_BAD_ARGUMENT};
    double size = 0.0;
    const tact_vec3 corners[4] = {s.bounds_a.min, s.bounds_a.max, s.bounds_b.min, s.bounds_b.max};
    for (int i = 0; i < 4; i++)
        size = number_max(size, vec_max_abs(corners[i]));
    s.tolerance = number_max(COMPLEX_CAST_TOLERANCE * size, DBL_MIN);
    forbid_down(&s, &both[0], 1.0);
    forbid_down(&s, &both[1], -1.0);
    const direction_candidates c = find_directions(&s);
    const bool one_sided = shape_has_one_sided(both[0].shape) || shape_has_one_sided(both[1].shape);
    if (one_sided && s.status == TACT_OK && c.visited == 0 && !tact_complex_inside(&s.a, &s.b, &(tact_common_point){0}))
        return (tact_penetration){
            .status = TACT_OK, .on_a = common, .on_b = common, .part_a = part_a, .part_b = part_b};
    if (vec_max_abs(c.fronts) > 0.0) {
        s.away[s.away_count] = vec_normalize(c.fronts);
        s.least_away[s.away_count++] = COMPLEX_LEAST_FRONT;
    }
    if (!try_deepest_pairs(&s, &c)) {
        try_all(&s, &c);
        if (s.best.depth < INFINITY && s.status == TACT_OK)
            refine(&s);
    }
    if (s.status != TACT_OK)
        return (tact_penetration){.status = s.status};
    if (!(s.best.depth < INFINITY))
        return (tact_penetration){.status = TACT_NOT_CONVERGED};
    s.best.on_a = vec_add(s.best.on_a, origin);
    s.best.on_b = vec_add(s.best.on_b, origin);
    return s.best;
}

static TACT_NOINLINE tact_penetration compute_depth(const tact_shape *a, const tact_transform *transform_a,
                                                    const tact_shape *b, const tact_transform *transform_b,
                                                    const complex_casts *casts)
{
    instance both[2];
    bool swapped;
    const tact_distance_def def = {CONVEX_DISTANCE_ACCURACY, INFINITY, NULL};
    tact_distance apart = tact_complex_distance(a, transform_a, b, transform_b, &def);
    if (apart.status != TACT_OK || apart.distance > 0.0)
        return (tact_penetration){apart.status, -apart.distance, apart.normal, apart.on_a,
                                  apart.on_b,   apart.part_a,    apart.part_b};
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return (tact_penetration){.status = TACT_BAD_ARGUMENT};
    tact_penetration out = penetration_of(both, apart.on_a, swapped ? apart.part_b : apart.part_a,
                                          swapped ? apart.part_a : apart.part_b, casts);
    if (swapped && out.status == TACT_OK) {
        const tact_penetration first = out;
        out.normal = vec_negate(first.normal);
        out.on_a = first.on_b;
        out.on_b = first.on_a;
        out.part_a = first.part_b;
        out.part_b = first.part_a;
    }
    return out;
}

tact_penetration tact_complex_penetration(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                          const tact_transform *transform_b, const complex_casts *casts)
{
    const fp_environment found = fp_environment_enter();
    const tact_penetration answer = compute_depth(a, transform_a, b, transform_b, casts);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_penetration){.status = TACT_CANCELLED} : answer;
}
