/*
 * First contact of a rigid body and a set of moving triangles (arc_mesh_toi.h).
 *
 * The boxes that the triangles sweep are in an AABB tree. The elements of a mesh or soup that may come near any of them
 * are found with the body's own tree, under its transform in the middle of the interval. The moving box of each such
 * element (tact_arc_body_boxes) and that of a triangle overlap in at most one window of time (bounds/moving_bound.h).
 * Pairs with a window are searched in the order of its begin, until the next one begins after the earliest contact.
 *
 * Cost: O((t + p) log t) for t triangles and p elements near them, and a search for each pair that may be the first.
 */
#include "toi/arc_mesh_toi.h"

#include "core/number.h"
#include "core/sort.h"

typedef struct arc_mesh_search {
    arc_mesh_finder *finder;
    const arc_shape *shape;
    const tact_allocator *allocator;
    double enter, exit;
    const instance *leaf; /* the current one */
    arc_candidate candidate;
    tact_status status;
} arc_mesh_search;

void tact_arc_mesh_finder_release(arc_mesh_finder *finder, const tact_allocator *allocator)
{
    arc_candidate_array_release(&finder->candidates, allocator);
    arc_candidate_pair_array_release(&finder->pairs, allocator);
    arc_candidate_pair_array_release(&finder->scratch, allocator);
    arc_triangle_box_array_release(&finder->ends, allocator);
    arc_box_array_release(&finder->boxes, allocator);
    tact_aabb_tree_release(&finder->tree);
}

/* ---- windows of time --------------------------------------------------------------------------------------------- */

/* The part of an interval in which a gap that goes linearly from g[0] to g[1] is not positive; false: it is positive
 * throughout. A gap that is not a number excludes nothing. */
static bool clip_window(const double g[2], double *first, double *last)
{
    if (g[0] > 0.0 && g[1] > 0.0)
        return false;
    if (g[0] > 0.0 && g[1] > -INFINITY && g[0] < INFINITY)
        *first = number_max(*first, g[0] / (g[0] - g[1]) * TOI_ROUND_DOWN);
    if (g[1] > 0.0 && g[0] > -INFINITY && g[1] < INFINITY)
        *last = number_min(*last, 1.0 - g[1] / (g[1] - g[0]) * TOI_ROUND_DOWN);
    return true;
}

/* When two moving boxes may overlap, as times rounded outward; false: never. */
static bool window_of(const box a[2], const box b[2], double enter, double exit, arc_candidate_pair *pair)
{
    double first = 0.0, last = 1.0;
    for (int k = 0; k < 3; k++) {
        const double above[2] = {(double)a[0].min[k] - (double)b[0].max[k], (double)a[1].min[k] - (double)b[1].max[k]},
                     below[2] = {(double)b[0].min[k] - (double)a[0].max[k], (double)b[1].min[k] - (double)a[1].max[k]};
        if (!clip_window(above, &first, &last) || !clip_window(below, &first, &last))
            return false;
    }
    if (first > last)
        return false;
    const double begin = nextafter(enter + first * (exit - enter), -INFINITY),
                 end = nextafter(enter + last * (exit - enter), INFINITY);
    pair->enter = first > 0.0 && begin > enter ? begin : enter;
    pair->exit = last < 1.0 && end < exit ? end : exit;
    return pair->enter <= pair->exit;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static bool add_pair(void *context, uint32_t triangle)
{
    arc_mesh_search *x = context;
    arc_mesh_finder *f = x->finder;
    arc_candidate_pair pair = {.candidate = (uint32_t)f->candidates.count, .triangle = triangle};
    if (!window_of(x->candidate.ends, f->ends.items[triangle].ends, x->enter, x->exit, &pair))
        return true;
    if (arc_candidate_pair_array_push(&f->pairs, x->allocator, pair))
        return true;
    x->status = TACT_OUT_OF_MEMORY;
    return false;
}

static bool add_element(void *context, uint32_t element)
{
    arc_mesh_search *x = context;
    arc_mesh_finder *f = x->finder;
    const arc_shape *shape = x->shape;
    const size_t before = f->pairs.count;
    const primitive of = {x->leaf, element};
    x->candidate.part = primitive_part(&of);
    x->status =
        tact_arc_body_make(&x->candidate.body, x->leaf, element, &shape->at, &shape->motion, shape->t0, x->allocator);
    if (x->status != TACT_OK)
        return false;
    x->candidate.body.core.margin += shape->extra_margin;
    x->candidate.body.radius += shape->extra_margin;
    x->candidate.body.shape_rounding += TOI_ARC_BODY_ROUNDING * shape->extra_margin;
    tact_arc_body_boxes(&x->candidate.body, x->enter, x->exit, x->candidate.ends);
    const box swept = box_union(&x->candidate.ends[0], &x->candidate.ends[1]);
    if (!tact_aabb_tree_overlap(&f->tree, &swept, add_pair, x))
        return false;
    if (f->pairs.count == before || arc_candidate_array_push(&f->candidates, x->allocator, x->candidate))
        return true;
    x->status = TACT_OUT_OF_MEMORY;
    return false;
}

/* The transform of a leaf when the body's motion has lasted for `since`. */
static tact_transform leaf_at(const arc_shape *s, const instance *leaf, double since)
{
    tact_transform body = s->at, at = leaf->at;
    const axis_rotation r = axis_rotation_of_spin(s->motion.spin, since);
    at.x_axis = axis_rotation_apply(&r, at.x_axis);
    at.y_axis = axis_rotation_apply(&r, at.y_axis);
    at.z_axis = axis_rotation_apply(&r, at.z_axis);
    body = tact_motion_at(s->motion, body, since);
    at.origin = vec_add(body.origin, axis_rotation_apply(&r, vec_sub(leaf->at.origin, s->at.origin)));
    return at;
}

/* No point of the leaf is farther than this from its position in the middle of the interval. */
static double leaf_path(const arc_shape *s, const instance *leaf, double enter, double exit)
{
    const double half = 0.5 * (exit - enter), last = number_max(fabs(enter - s->t0), fabs(exit - s->t0));
    const double radius = leaf->shape->bounding_radius * transform_norm_bound(&leaf->at) +
                          vec_length_safe(vec_sub(leaf->at.origin, s->at.origin));
    const double angle = number_min(vec_length_safe(s->motion.spin) * half, 2.0);
    return half * (vec_length_safe(s->motion.velocity) + last * vec_length_safe(s->motion.acceleration)) +
           angle * radius + leaf->margin + s->extra_margin;
}

static bool add_leaf(void *context, const instance *leaf)
{
    arc_mesh_search *x = context;
    const mesh *m = leaf->shape->mesh;
    x->leaf = leaf;
    if (m == NULL)
        return shape_is_empty(leaf->shape) || add_element(x, 0);
    const tact_transform middle = leaf_at(x->shape, leaf, 0.5 * (x->enter + x->exit) - x->shape->t0),
                         frame = tact_identity();
    const double path = leaf_path(x->shape, leaf, x->enter, x->exit);
    const box query =
        tact_box_expand(x->finder->tree.root_box,
                        path * (1.0 + TOI_BODY_ROUNDING) + TOI_ARC_BODY_ROUNDING * (vec_max_abs(middle.origin) + path));
    return m->element_count == 0 ||
           tact_aabb_tree_overlap_transformed(&m->tree, &middle, &query, &frame, SAT_FACE_AXES, add_element, x);
}

/* The moving boxes of the triangles, and the tree over what they sweep. */
static tact_status set_triangles(arc_mesh_search *x, const arc_triangle *triangles, size_t count, double tolerance)
{
    arc_mesh_finder *f = x->finder;
    const double times[2] = {x->enter, x->exit};
    if (!arc_triangle_box_array_resize(&f->ends, x->allocator, count) ||
        !arc_box_array_resize(&f->boxes, x->allocator, count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        for (int end = 0; end < 2; end++) {
            tact_vec3 vertices[3];
            double size = 0.0;
            for (int k = 0; k < 3; k++) {
                vertices[k] = linear_path_at(&triangles[i].path[k], times[end]);
                size = number_max(size, tact_arc_path_size(&triangles[i].path[k], times[end]));
            }
            const double spare = number_max(tolerance, TOI_ARC_TOLERANCE_ROUNDINGS * TOI_ARC_POSITION_ROUNDING * size) *
                                 (1.0 + TOI_ROUNDOFF);
            f->ends.items[i].ends[end] = tact_box_expand(tact_box_of_points(vertices, 3), spare);
        }
        f->boxes.items[i] = box_union(&f->ends.items[i].ends[0], &f->ends.items[i].ends[1]);
    }
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = *x->allocator;
    tact_aabb_tree_release(&f->tree);
    return tact_aabb_tree_build(&f->tree, f->boxes.items, count, &def);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static inline bool pair_before(const arc_mesh_finder *f, const arc_candidate_pair *a, const arc_candidate_pair *b)
{
    (void)f;
    if (a->enter != b->enter)
        return a->enter < b->enter;
    return a->candidate != b->candidate ? a->candidate < b->candidate : a->triangle < b->triangle;
}

MERGE_SORT_OF(sort_pairs, arc_candidate_pair, const arc_mesh_finder *, pair_before)

static void search_pairs(const arc_mesh_search *x, const arc_candidate_pair *pairs, const arc_triangle *triangles,
                         double tolerance, arc_mesh_contact *best)
{
    const arc_mesh_finder *f = x->finder;
    int steps = 0;
    for (size_t i = 0; i < f->pairs.count; i++) {
        const arc_candidate_pair *p = &pairs[i];
        const bool hit = best->contact.state == TACT_HIT;
        arc_contact c;
        if (hit && p->enter >= best->contact.time)
            break;
        tact_arc_toi(&f->candidates.items[p->candidate].body, triangles[p->triangle].path, p->enter,
                     hit ? number_min(p->exit, best->contact.time) : p->exit, tolerance, &c);
        best->pairs++;
        steps += c.steps;
        if (c.state == TACT_UNKNOWN) {
            best->contact = c;
            return;
        }
        if (c.state == TACT_HIT && (!hit || c.time < best->contact.time)) {
            best->contact = c;
            best->triangle = p->triangle;
            best->face = triangles[p->triangle].face;
            best->part = f->candidates.items[p->candidate].part;
        }
    }
    best->contact.steps = steps;
}

static bool input_ok(const arc_shape *body, const arc_triangle *triangles, size_t count, double enter, double exit,
                     double tolerance)
{
    if (!(enter - enter == 0.0 && exit - exit == 0.0 && enter <= exit && tolerance >= 0.0 && tolerance < INFINITY) ||
        !(body->extra_margin >= 0.0 && body->extra_margin < INFINITY) || count > TREE_MAX_ITEMS ||
        !motion_is_valid(&body->motion) || !(body->t0 - body->t0 == 0.0))
        return false;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (!tact_arc_path_ok(&triangles[i].path[k]))
                return false;
    return true;
}

/* The pairs that may meet in the interval, in the order of the begin of their windows. NULL: see the status. */
static const arc_candidate_pair *find_pairs(arc_mesh_search *x, const arc_triangle *triangles, size_t count,
                                            double tolerance)
{
    arc_mesh_finder *f = x->finder;
    instance whole;
    x->status = TACT_BAD_ARGUMENT;
    if (!input_ok(x->shape, triangles, count, x->enter, x->exit, tolerance) ||
        tact_instance_make(&whole, x->shape->shape, &x->shape->at) != TACT_OK)
        return NULL;
    f->candidates.count = f->pairs.count = 0;
    x->status = set_triangles(x, triangles, count, tolerance);
    if (x->status == TACT_OK && count > 0)
        (void)tact_traverse_leaves(&whole, add_leaf, x);
    if (x->status == TACT_OK && !arc_candidate_pair_array_resize(&f->scratch, x->allocator, f->pairs.count))
        x->status = TACT_OUT_OF_MEMORY;
    return x->status == TACT_OK ? sort_pairs(f, f->pairs.items, f->scratch.items, f->pairs.count) : NULL;
}

tact_status tact_arc_mesh_toi(arc_mesh_finder *finder, const arc_shape *body, const arc_triangle *triangles,
                              size_t count, double enter, double exit, double tolerance,
                              const tact_allocator *allocator, arc_mesh_contact *contact)
{
    arc_mesh_search x = {.finder = finder, .shape = body, .allocator = allocator, .enter = enter, .exit = exit};
    *contact = (arc_mesh_contact){.contact = {.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN, .time = enter}};
    const arc_candidate_pair *sorted = find_pairs(&x, triangles, count, tolerance);
    contact->contact.status = x.status;
    if (x.status != TACT_OK)
        return x.status;
    contact->contact = (arc_contact){.status = TACT_OK, .state = TACT_MISS, .time = exit, .tolerance = tolerance};
    search_pairs(&x, sorted, triangles, tolerance, contact);
    return contact->contact.status;
}

/* The latest time up to which one of the pairs is certain to overlap from `time` on. */
static double longest_overlap(const arc_mesh_finder *f, const arc_candidate_pair *pairs, const arc_triangle *triangles,
                              double time, double distance, double enough)
{
    double until = time;
    int overlapping = 0;
    for (size_t i = 0; i < f->pairs.count && pairs[i].enter <= time; i++) {
        const arc_candidate_pair *p = &pairs[i];
        if (!(p->exit > until))
            continue;
        const double found = tact_arc_overlap_until(&f->candidates.items[p->candidate].body,
                                                    triangles[p->triangle].path, time, p->exit, distance);
        if (!(found > time))
            continue;
        until = number_max(until, found);
        if (until - time >= enough || ++overlapping >= TOI_ARC_OVERLAP_PAIRS)
            break;
    }
    return until;
}

tact_status tact_arc_mesh_overlap_until(arc_mesh_finder *finder, const arc_shape *body, const arc_triangle *triangles,
                                        size_t count, double enter, double exit, double distance, double enough,
                                        const tact_allocator *allocator, double *until)
{
    arc_mesh_search x = {.finder = finder, .shape = body, .allocator = allocator, .enter = enter, .exit = exit};
    const arc_candidate_pair *sorted = find_pairs(&x, triangles, count, distance);
    *until = enter;
    for (int i = 0; x.status == TACT_OK && i < TOI_ARC_OVERLAP_TIMES; i++) {
        const double next = longest_overlap(finder, sorted, triangles, *until, distance, enough);
        if (!(next > *until))
            break;
        *until = next;
    }
    return x.status;
}
