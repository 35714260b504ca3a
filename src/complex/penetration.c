/*
 * The depth of meshes, soups and compounds: the shortest way out among a number of directions.
 *
 * Guarantee: moving B by depth * normal makes them just touch, and at no lesser depth along that normal are they free
 * of each other. The depth of two shapes that are not convex has no cheap exact minimum (their Minkowski difference has
 * as many pieces as there are pairs of elements), so it is the least among directions: the normals of the deepest pairs
 * of elements, the normals of the triangles that meet and their sums, the line between the middles and the coordinate
 * axes; and from the best of these on, the normals at the place where it lets go, as long as they do better.
 *
 * Along a direction each pair of elements overlaps in one interval. We go on to the end of an interval that holds the
 * place where B is, until none does; inside a solid without touching its surface, on to where the surface is
 * met. A direction is given up once it is known to be worse than the best so far, so all but the first cost little. No
 * way out is shorter than that of the deepest pair alone: if that one is seen to lead out of all, as it does in most
 * touches, no other is tried. Cost: for each stop on the way out a walk until a pair is found that holds B for long,
 * and at the last stop over all that overlap; for pairs that may hold B longer than those before a cast of two convex
 * elements. Two tori of 5,000 triangles: 10 to 14 ms.
 */
#include <float.h>

#include "complex/complex_contact.h"
#include "complex/traversal.h"
#include "convex/convex_constants.h"
#include "convex/convex_query.h"
#include "math/fp_environment.h"
#include "shape/complex_support.h"

/* Directions of each kind that are tried: pairs, and triangles. */
#define PAIR_DIRECTIONS 8
#define FACE_DIRECTIONS 8

/* Pairs of elements that are asked for their own depth, to find directions; the rest is not looked at. */
#define PAIRS_ASKED 256

/* A cosine: directions closer than this are one. */
#define SAME_DIRECTION 0.9999

/* Stops on the way out along one direction, where all pairs were looked at, before it is given up: from hole to hole of
 * a sponge. */
#define STOPS_MOST 96

/* Of the longest step so far: a pair that keeps B so much longer is gone on with at once, without a look at the others.
 * (With all looked at each time a depth takes six times as long.) So many times at most. */
#define STEP_PART 0.5
#define STEPS_MOST 4096

/* Directions that follow from the place where the best one lets go. */
#define BETTER_MOST 8

/* Of the size: what counts as touching on the way out. Well above the rounding of a cast (complex_impact.c), or a way
 * out along a surface would be one touch after the other. */
#define LOOSE (4096.0 * DBL_EPSILON)

/* Steps back from where the way out ends to where they touch: one is enough for flat faces. */
#define BACK_MOST 4

/* Of the tolerance: pairs this near to each other at the end of the way out may be what ends it. */
#define NEAR_END 32.0

/* A cosine: a direction this close to the normal of a face may have taken its place. In a touch any direction is as
 * good but for rounding. */
#define NEAR_FACE 0.7

/* Of the size: a step back that is shorter is rounding. */
#define BACK_LEAST (2.0 * DBL_EPSILON)

/* Of the size: depths are the same but for rounding. */
#define SAME_DEPTH (16.0 * DBL_EPSILON)

/* Sizes of boxes: outside these the floats that they are made of are too coarse, or infinite. */
#define BOX_SMALLEST 1e-30f
#define BOX_LARGEST 1e30f

tact_status tact_instance_pair(instance *both, const tact_shape *a, const tact_transform *transform_a,
                               const tact_shape *b, const tact_transform *transform_b, bool *swapped)
{
    if (tact_instance_make(&both[0], a, transform_a) != TACT_OK ||
        tact_instance_make(&both[1], b, transform_b) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    *swapped = tact_instance_compare(&both[0], &both[1]) > 0;
    if (*swapped) {
        instance first = both[0];
        both[0] = both[1];
        both[1] = first;
    }
    return TACT_OK;
}

/* Of a mesh or compound: the box of its tree, mapped. (tact_shape_bounds is tight, but looks at every vertex.) */
tact_status tact_instance_bounds(const instance *p, tact_bounds *bounds)
{
    const tact_transform *m = &p->at;
    if (shape_is_convex(p->shape))
        return tact_shape_bounds(p->shape, *m, bounds);
    const box *b = p->shape->mesh != NULL ? &p->shape->mesh->tree.root_box : &p->shape->compound->tree.root_box;
    float widest = 0.0f;
    for (int i = 0; i < 3; i++)
        widest = fmaxf(widest, b->max[i] - b->min[i]);
    if (!(widest > BOX_SMALLEST && widest < BOX_LARGEST)) /* floats know nothing of its size */
        return tact_shape_bounds(p->shape, *m, bounds);
    double half[3], middle[3];
    for (int i = 0; i < 3; i++) {
        half[i] = 0.5 * ((double)b->max[i] - (double)b->min[i]);
        middle[i] = 0.5 * ((double)b->max[i] + (double)b->min[i]);
    }
    tact_vec3 at = vec_add(vec_transform(m, vec_make(middle[0], middle[1], middle[2])), m->origin);
    const tact_vec3 x = m->x_axis, y = m->y_axis, z = m->z_axis;
    tact_vec3 reach = {fabs(x.x) * half[0] + fabs(y.x) * half[1] + fabs(z.x) * half[2],
                       fabs(x.y) * half[0] + fabs(y.y) * half[1] + fabs(z.y) * half[2],
                       fabs(x.z) * half[0] + fabs(y.z) * half[1] + fabs(z.z) * half[2]};
    double more = p->margin + LOOSE * (vec_max_abs(at) + vec_max_abs(reach));
    reach = vec_add(reach, vec_make(more, more, more));
    *bounds = (tact_bounds){vec_sub(at, reach), vec_add(at, reach)};
    return TACT_OK;
}

/* The search for the best direction, seen from A's origin. */
typedef struct search {
    instance a, b;
    tact_bounds around_a, around_b;
    double loose; /* a length */
    const tact_allocator *allocator;
    const complex_casts *casts;
    tact_status status;
    tact_vec3 common; /* a point that they have in common, and where it is */
    tact_part part_a, part_b;
    tact_penetration best; /* a depth of INFINITY: none yet */
    tact_vec3 lets_go;     /* the normal of the pair that let go last, along the best direction */
} search;

/* ---- along one direction ----------------------------------------------------------------------------------------- */

typedef struct way_out {
    search *s;
    tact_vec3 n;
    double gone;              /* how far B has gone */
    double far;               /* how far the pairs seen so far keep it */
    tact_vec3 point, lets_go; /* where, at that place, and the normal there */
    tact_part part_a, part_b;
    double step;      /* the longest so far */
    bool skipped;     /* some pairs were not looked at */
    bool hopeless;    /* farther than the best */
    tact_cache cache; /* from one pair of elements to the next */
} way_out;

static double height(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin)) + c->margin;
}

/* Up to where a pair of elements overlaps: B comes back from where it is surely free. */
static double leave_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    way_out *w = context;
    search *s = w->s;
    convex ca, cb;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        s->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    double most = height(&ca, w->n) + height(&cb, vec_negate(w->n)) + 8.0 * s->loose;
    if (!(w->gone + most > w->far))
        return limit; /* gone before the others are */
    if (tact_convex_within(&ca, &cb, s->loose, &w->cache).state == TACT_MISS)
        return limit; /* they may meet farther on, when B is free already */
    const tact_vec3 offset = vec_mul_add(vec_sub(cb.transform.origin, ca.transform.origin), most, w->n);
    tact_toi met = s->casts->convex(&ca, &cb, offset, vec_scale(w->n, -most), s->loose, s->allocator);
    if (met.state == TACT_UNKNOWN && met.status != TACT_NOT_CONVERGED)
        s->status = met.status;
    if (met.state == TACT_MISS)
        return limit;
    double leaves = w->gone + most * (1.0 - met.time);
    if (leaves > w->far) {
        w->far = leaves;
        w->point = met.point;
        w->lets_go = met.normal;
        w->part_a = primitive_part(a);
        w->part_b = primitive_part(b);
    }
    w->hopeless = w->far >= s->best.depth;
    const double step = w->far - w->gone;
    w->skipped = step > s->loose && step >= STEP_PART * w->step;
    w->step = max_double(step, w->step);
    return w->skipped || w->hopeless || s->status != TACT_OK ? -1.0 : limit;
}

static instance moved(const instance *p, double by, tact_vec3 n)
{
    instance out = *p;
    out.at.origin = vec_mul_add(p->at.origin, by, n);
    return out;
}

static double box_height(const tact_bounds *b, tact_vec3 n)
{
    return n.x * (n.x > 0.0 ? b->max.x : b->min.x) + n.y * (n.y > 0.0 ? b->max.y : b->min.y) +
           n.z * (n.z > 0.0 ? b->max.z : b->min.z);
}

/* How far B must go along n for the boxes around both to be apart. */
static double box_way(const search *s, tact_vec3 n)
{
    return box_height(&s->around_a, n) + box_height(&s->around_b, vec_negate(n)) + 16.0 * s->loose;
}

/* B has left all elements; is it inside a solid, or a part of A inside one of B? Then goes to where the surface is met.
 * Returns whether there is more way to go. */
static bool leave_inside(way_out *w)
{
    search *s = w->s;
    tact_common_point common;
    double from = w->gone + 4.0 * s->loose, most = box_way(s, w->n);
    instance b = moved(&s->b, from, w->n);
    if (!(from < most) || !tact_complex_inside(&s->a, &b, &common))
        return false;
    double way = fmin(most, s->best.depth) - from;
    w->hopeless = !(way > 0.0);
    if (w->hopeless)
        return false;
    tact_toi met = s->casts->surfaces(&s->a, &b, vec_scale(w->n, way), 0.5 * s->loose);
    if (met.status != TACT_OK && met.status != TACT_NOT_CONVERGED)
        s->status = met.status;
    w->hopeless = met.state != TACT_HIT;
    w->far = from + way * met.time;
    w->gone = w->far + s->loose; /* just in it */
    w->point = met.point;
    w->lets_go = met.normal;
    w->part_a = met.part_a;
    w->part_b = met.part_b;
    return !w->hopeless;
}

static void keep(search *s, const way_out *w)
{
    if (!(w->far < s->best.depth))
        return;
    s->best = (tact_penetration){
        .status = TACT_OK, .depth = w->far, .normal = w->n, .part_a = w->part_a, .part_b = w->part_b};
    s->best.on_a = w->point;
    s->best.on_b = vec_mul_add(w->point, -w->far, w->n);
    s->lets_go = w->lets_go;
}

static void try_direction(search *s, tact_vec3 n)
{
    if (!(vec_max_abs(n) > 0.0) || s->status != TACT_OK)
        return;
    way_out w = {.s = s, .n = n, .lets_go = n, .point = s->common, .part_a = s->part_a, .part_b = s->part_b};
    for (int stop = 0, step = 0; stop < STOPS_MOST && step < STEPS_MOST && !w.hopeless && s->status == TACT_OK;
         step++) {
        instance b = moved(&s->b, w.gone, n);
        traversal k = {&w, leave_pair, NULL, true, TACT_OK};
        w.skipped = false;
        (void)tact_traverse_pairs(&k, &s->a, &b, 0.0);
        if (k.status != TACT_OK)
            s->status = k.status;
        if (w.hopeless || s->status != TACT_OK)
            return;
        stop += !w.skipped;
        if (w.far > w.gone + s->loose) {
            w.gone = w.far;
            continue;
        }
        w.far = fmax(w.far, w.gone);
        if (leave_inside(&w))
            continue;
        if (!w.hopeless && s->status == TACT_OK)
            keep(s, &w);
        return;
    }
}

/* From beyond all of A back to where the last elements meet: always an answer, if not a short one. */
static void try_from_beyond(search *s, tact_vec3 n)
{
    double most = box_way(s, n);
    instance b = moved(&s->b, most, n);
    tact_toi met = s->casts->surfaces(&s->a, &b, vec_scale(n, -most), s->loose);
    if (met.status != TACT_OK && met.status != TACT_NOT_CONVERGED)
        s->status = met.status;
    way_out w = {.s = s, .n = n, .far = most * (1.0 - met.time), .point = met.point, .lets_go = met.normal};
    w.part_a = met.part_a;
    w.part_b = met.part_b;
    if (met.state == TACT_HIT)
        keep(s, &w);
}

/* ---- directions -------------------------------------------------------------------------------------------------- */

typedef struct candidate {
    tact_vec3 n;
    double depth; /* of the pair of elements */
    tact_vec3 on_a;
    tact_part part_a, part_b;
} candidate;

typedef struct candidates {
    search *s;
    int asked;
    int pair_count, face_count;
    candidate pair[PAIR_DIRECTIONS], face[FACE_DIRECTIONS];
    tact_vec3 sum, faces_a, faces_b;
} candidates;

/* Keeps the deepest, one for each direction; the deepest first. */
static void offer(candidate *list, int *count, int most, const candidate *new)
{
    int at = *count;
    for (int i = 0; i < *count; i++)
        if (vec_dot(list[i].n, new->n) > SAME_DIRECTION) {
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

/* The normal of a triangle, as long as its area; zero for anything else. */
static tact_vec3 area_of(const primitive *at)
{
    tact_vec3 p[3];
    if (at->of->shape->type != TACT_MESH)
        return vec_make(0.0, 0.0, 0.0);
    mesh_triangle(at->of->shape->mesh, &at->of->at, at->element, p);
    return vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0]));
}

static double ask_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    candidates *c = context;
    convex ca, cb;
    tact_penetration d;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        c->s->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    tact_status status = tact_convex_penetration(&ca, &cb, c->s->allocator, &d);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED) {
        c->s->status = status;
        return -1.0;
    }
    if (d.depth < -c->s->loose)
        return limit;
    candidate new = {d.normal, d.depth, d.on_a, primitive_part(a), primitive_part(b)};
    offer(c->pair, &c->pair_count, PAIR_DIRECTIONS, &new);
    c->sum = vec_mul_add(c->sum, fmax(d.depth, c->s->loose), d.normal);
    const tact_vec3 areas[2] = {area_of(a), area_of(b)};
    c->faces_a = vec_add(c->faces_a, areas[0]);
    c->faces_b = vec_sub(c->faces_b, areas[1]);
    for (int i = 0; i < 2; i++) {
        tact_vec3 n = vec_normalize(areas[i]);
        double length = vec_length(n);
        if (!(length > 0.0))
            continue;
        n = vec_make(n.x / length, n.y / length, n.z / length);
        /* the side on which this pair is left sooner */
        double up = height(&ca, n) + height(&cb, vec_negate(n)), down = height(&ca, vec_negate(n)) + height(&cb, n);
        new.n = up <= down ? n : vec_negate(n);
        offer(c->face, &c->face_count, FACE_DIRECTIONS, &new);
    }
    return ++c->asked < PAIRS_ASKED ? limit : -1.0;
}

static void try_both_ways(search *s, tact_vec3 n)
{
    try_direction(s, n);
    try_direction(s, vec_negate(n));
}

static candidates find_directions(search *s)
{
    candidates c = {.s = s};
    traversal k = {&c, ask_pair, NULL, true, TACT_OK};
    (void)tact_traverse_pairs(&k, &s->a, &s->b, 0.0);
    if (k.status != TACT_OK)
        s->status = k.status;
    return c;
}

static void try_all(search *s, const candidates *c)
{
    for (int i = 0; i < c->pair_count; i++)
        try_direction(s, c->pair[i].n);
    for (int i = 0; i < c->face_count; i++)
        try_direction(s, c->face[i].n);
    try_direction(s, vec_normalize(c->sum));
    try_both_ways(s, vec_normalize(c->faces_a));
    try_both_ways(s, vec_normalize(c->faces_b));
    tact_vec3 middle_a = vec_scale(vec_add(s->around_a.min, s->around_a.max), 0.5);
    tact_vec3 middle_b = vec_scale(vec_add(s->around_b.min, s->around_b.max), 0.5);
    try_both_ways(s, vec_normalize(vec_sub(middle_b, middle_a)));
    static const tact_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; i++)
        try_both_ways(s, axes[i]);
    for (int i = 0; i < c->face_count; i++)
        try_direction(s, vec_negate(c->face[i].n));
    for (int i = 0; i < BETTER_MOST && s->best.depth < INFINITY; i++) {
        double before = s->best.depth;
        try_direction(s, s->lets_go);
        if (!(s->best.depth < before))
            break;
    }
    for (int i = 0; i < 6 && !(s->best.depth < INFINITY) && s->status == TACT_OK; i++)
        try_from_beyond(s, i < 3 ? axes[i] : vec_negate(axes[i - 3]));
}

/* ---- the last digits --------------------------------------------------------------------------------------------- */

/* The way back from where B is free, by a tolerance more than need be, to where the first pair touches. */
typedef struct way_back {
    search *s;
    bool any;
    double back; /* no pair touches before B has gone back so far; the least of all pairs, but for rounding: */
    double least;
    tact_vec3 on_a;
    tact_part part_a, part_b;
    tact_vec3 face; /* of the triangles there the normal that is nearest to the direction, and the cosine */
    double straight;
} way_back;

static void look_at_face(way_back *w, const primitive *at)
{
    tact_vec3 n = vec_normalize(area_of(at));
    double length = vec_length(n);
    if (!(length > 0.0))
        return;
    n = vec_make(n.x / length, n.y / length, n.z / length);
    double straight = vec_dot(n, w->s->best.normal);
    if (!(fabs(straight) > w->straight))
        return;
    w->straight = fabs(straight);
    w->face = straight > 0.0 ? n : vec_negate(n);
}

static double near_end(void *context, const primitive *a, const primitive *b, double limit)
{
    way_back *w = context;
    search *s = w->s;
    const tact_vec3 n = s->best.normal;
    convex ca, cb;
    tact_penetration d;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK)
        return -1.0;
    look_at_face(w, a);
    look_at_face(w, b);
    double back = -(height(&ca, n) + height(&cb, vec_negate(n)));
    if (back > NEAR_END * s->loose || (w->any && back >= w->back - w->least))
        return limit;
    tact_status status = tact_convex_penetration(&ca, &cb, s->allocator, &d);
    if (status != TACT_OK) {
        if (status != TACT_NOT_CONVERGED)
            s->status = status;
        w->any = false;
        return -1.0;
    }
    /* A gap closes no faster than the way is along its normal. */
    double along = vec_dot(d.normal, n);
    if (d.depth < 0.0) {
        if (!(along > 0.0))
            return limit;
        back = fmax(back, -d.depth / along);
    }
    back = fmax(back, 0.0);
    if (w->any && back >= w->back)
        return limit;
    w->any = true;
    w->back = back;
    w->on_a = d.on_a;
    w->part_a = primitive_part(a);
    w->part_b = primitive_part(b);
    return limit;
}

/* The way out ends within a tolerance of touching: goes back to the touch itself. Returns the normal of a triangle
 * there that the direction is near to; else the direction. */
static tact_vec3 touch_exactly(search *s)
{
    const double least = BACK_LEAST * (s->loose / LOOSE);
    tact_vec3 face = s->best.normal;
    for (int i = 0; i < BACK_MOST && s->status == TACT_OK; i++) {
        way_back w = {.s = s, .least = least};
        instance b = moved(&s->b, s->best.depth, s->best.normal);
        traversal k = {&w, near_end, NULL, false, TACT_OK};
        double stop = tact_traverse_pairs(&k, &s->a, &b, NEAR_END * s->loose);
        if (w.straight >= NEAR_FACE)
            face = w.face;
        if (stop < 0.0 || k.status != TACT_OK || !w.any || !(w.back <= NEAR_END * s->loose))
            break;
        s->best.depth = fmax(s->best.depth - w.back, 0.0);
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

/* Whether a pair's way out is seen to lead out of all, and no pair is deeper: then there is no shorter one. In a mere
 * touch most pairs are as deep, but few ways lead out of all. */
static bool try_pairs(search *s, const candidates *c)
{
    const double same = SAME_DEPTH * (s->loose / LOOSE);
    for (int i = 0; i < c->pair_count && c->pair[i].depth >= c->pair[0].depth - same; i++) {
        const candidate *p = &c->pair[i];
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

/* Directions that differ by less than the tolerance cannot tell which of them is the shortest way out: the best one
 * goes to its last digits, and so does that of the face it is nearest to, which is taken if it is no worse. */
static void finish(search *s)
{
    tact_vec3 face = touch_exactly(s);
    if (s->status != TACT_OK || vec_equal(face, s->best.normal))
        return;
    const tact_penetration before = s->best;
    s->best.depth = before.depth + 8.0 * s->loose;
    try_direction(s, face);
    if (vec_equal(s->best.normal, face))
        (void)touch_exactly(s);
    if (!vec_equal(s->best.normal, face) || !(s->best.depth <= before.depth + BACK_LEAST * (s->loose / LOOSE)))
        s->best = before;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static tact_penetration overlap_of(const instance both[2], tact_vec3 common, tact_part part_a, tact_part part_b,
                                   const complex_casts *casts)
{
    search s = {.a = both[0], .b = both[1], .status = TACT_OK, .best = {.depth = INFINITY}};
    const tact_vec3 origin = both[0].at.origin;
    s.a.at.origin = vec_make(0.0, 0.0, 0.0);
    s.b.at.origin = vec_sub(both[1].at.origin, origin);
    s.allocator = &both[0].shape->allocator;
    s.casts = casts;
    s.common = vec_sub(common, origin);
    s.part_a = part_a;
    s.part_b = part_b;
    if (tact_instance_bounds(&s.a, &s.around_a) != TACT_OK || tact_instance_bounds(&s.b, &s.around_b) != TACT_OK)
        return (tact_penetration){.status = TACT_BAD_ARGUMENT};
    double size = 0.0;
    const tact_vec3 corners[4] = {s.around_a.min, s.around_a.max, s.around_b.min, s.around_b.max};
    for (int i = 0; i < 4; i++)
        size = fmax(size, vec_max_abs(corners[i]));
    s.loose = fmax(LOOSE * size, DBL_MIN);
    const candidates c = find_directions(&s);
    if (!try_pairs(&s, &c)) {
        try_all(&s, &c);
        if (s.best.depth < INFINITY && s.status == TACT_OK)
            finish(&s);
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
    tact_penetration out = overlap_of(both, apart.on_a, swapped ? apart.part_b : apart.part_a,
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
    return answer;
}
