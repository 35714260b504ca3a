/*
 * Faces against obstacles that are tested as shapes: see the header. The swept boxes of the elements are in a tree,
 * which is queried for each face (that has changed) with its swept box: a search after a change costs what has changed,
 * and nothing is refitted. Candidates are collected in blocks, which threads share. Each pair is solved independently
 * (toi/deforming_toi.h), so the hits, in the order of faces and of the tree, are the same on any number of threads.
 */
#include "step/shape_contacts.h"

#include "ccd/feature_distance.h"
#include "core/parallel.h"
#include "math/vec.h"
#include "step/step_constants.h"
#include "sweep/sweep.h"

typedef struct shape_contact_search {
    shape_contact_finder *finder;
    const step_scene *scene;
    double distance; /* of proximities; negative: a search for contacts */
    step_hit_array *hits;
    size_t *tests;
    const tact_allocator *allocator;
    const tact_parallel *parallel;
    uint32_t face; /* the face of the current query */
    tact_status status;
} shape_contact_search;

void tact_shape_contact_finder_release(shape_contact_finder *finder, const tact_allocator *allocator)
{
    face_element_pair_array_release(&finder->candidates, allocator);
    deforming_contact_array_release(&finder->contacts, allocator);
}

static const obstacle_leaf *leaf_of(const step_scene *s, uint32_t leaf)
{
    return &s->obstacles.body_leaves.items[s->obstacles.elements.items[leaf].leaf];
}

tact_part tact_obstacle_element_part(const step_scene *s, uint32_t leaf)
{
    const primitive where = {&leaf_of(s, leaf)->path.ends[0], s->obstacles.elements.items[leaf].element};
    return primitive_part(&where);
}

/* ---- one pair ---- */

static moving_triangle triangle_of(const step_scene *s, uint32_t face)
{
    moving_triangle t;
    for (int k = 0; k < 3; ++k) {
        const uint32_t v = s->faces.items[face].vertices[k];
        t.ends[0][k] = s->from.items[v];
        t.ends[1][k] = s->to.items[v];
    }
    return t;
}

static tact_vec3 between(tact_vec3 a, tact_vec3 b, double t)
{
    return vec_make((1.0 - t) * a.x + t * b.x, (1.0 - t) * a.y + t * b.y, (1.0 - t) * a.z + t * b.z);
}

/* The positions at the start and at the end of the body point that is at `point` at the given time. */
static void body_point_ends(const obstacle_leaf *g, tact_vec3 point, double time, tact_vec3 *start, tact_vec3 *end)
{
    const tact_transform *a = &g->body_transform[0], *b = &g->body_transform[1];
    const tact_vec3 path = vec_sub(b->origin, a->origin);
    const double shrink =
        1.0 - 2.0 * time * (1.0 - time) * g->versine; /* the squared relative size of the rotating body */
    const tact_transform now = {between(a->x_axis, b->x_axis, time), between(a->y_axis, b->y_axis, time),
                                between(a->z_axis, b->z_axis, time), between(a->origin, b->origin, time)};
    tact_transform inverse;
    *start = vec_mul_add(point, -time, path);
    *end = vec_mul_add(point, 1.0 - time, path);
    if (g->versine == 0.0 || shrink < SHAPE_CONTACT_MIN_SHRINK || tact_transform_invert(now, &inverse) != TACT_OK)
        return;
    const tact_vec3 local = tact_transform_point(inverse, point);
    *start = tact_transform_point(*a, local);
    *end = tact_transform_point(*b, local);
}

static tact_vec3 onto_plane(tact_vec3 point, tact_vec3 origin, double height, tact_vec3 n)
{
    return vec_mul_add(point, height - vec_dot(n, vec_sub(point, origin)), n);
}

static step_hit hit_of(const step_scene *s, const face_element_pair *c, const deforming_contact *contact)
{
    const obstacle_leaf *g = leaf_of(s, c->element);
    const uint32_t element = s->obstacles.elements.items[c->element].element;
    const double t = contact->time;
    step_hit hit = {
        .kind = TACT_VERTEX_FACE, .face = c->face, .element = c->element + 1, .touches_at_start = contact->touching};
    hit.distance = contact->distance;
    hit.vertices[0] = s->parts.items[g->part].first_vertex;
    hit.ccd = (tact_ccd){.status = contact->stalled ? TACT_NOT_CONVERGED : TACT_OK, .state = TACT_HIT};
    hit.ccd.lower = hit.ccd.upper = t;
    hit.ccd.normal = contact->normal;
    hit.ccd.degenerate = contact->touching;
    const tact_vec3 origin = tact_moving_obstacle_origin(&g->path, t);
    tact_vec3 points[4] = {contact->on_triangle};
    for (int k = 0; k < 3; ++k) {
        const uint32_t v = s->faces.items[c->face].vertices[k];
        hit.vertices[1 + k] = v;
        points[1 + k] = between(vec_sub(s->from.items[v], g->path.ends[0].at.origin),
                                vec_sub(s->to.items[v], g->path.ends[1].at.origin), t);
    }
    (void)tact_feature_closest_points(TACT_VERTEX_FACE, points, hit.ccd.weights);
    body_point_ends(g, vec_add(origin, contact->on_obstacle), t, &hit.start, &hit.end);
    if (!contact->touching) {
        const tact_vec3 n = contact->normal;
        hit.start =
            onto_plane(hit.start, g->path.ends[0].at.origin, tact_moving_obstacle_support(&g->path, element, 0, n), n);
        hit.end =
            onto_plane(hit.end, g->path.ends[1].at.origin, tact_moving_obstacle_support(&g->path, element, 1, n), n);
    }
    return hit;
}

/* ---- all pairs ---- */

static void solve_range(void *context, size_t begin, size_t end)
{
    const shape_contact_search *x = context;
    const step_scene *s = x->scene;
    for (size_t i = begin; i < end; ++i) {
        const face_element_pair *c = &x->finder->candidates.items[i];
        const moving_triangle triangle = triangle_of(s, c->face);
        const moving_obstacle *o = &leaf_of(s, c->element)->path;
        deforming_contact *contact = &x->finder->contacts.items[i];
        if (x->distance < 0.0)
            tact_deforming_toi(o, s->obstacles.elements.items[c->element].element, &triangle, contact);
        else
            tact_deforming_distance(o, s->obstacles.elements.items[c->element].element, &triangle, contact);
    }
}

/* Solves the candidates and removes them. */
static bool solve_candidates(shape_contact_search *x)
{
    shape_contact_finder *f = x->finder;
    const size_t count = f->candidates.count;
    f->candidates.count = 0;
    if (!deforming_contact_array_resize(&f->contacts, x->allocator, count) ||
        !step_hit_array_reserve(x->hits, x->allocator, x->hits->count + count)) {
        x->status = TACT_OUT_OF_MEMORY;
        return false;
    }
    tact_parallel_for(x->parallel, count, SHAPE_CONTACT_GRAIN, solve_range, x);
    for (size_t i = 0; i < count; ++i) {
        const deforming_contact *contact = &f->contacts.items[i];
        if (x->distance < 0.0 ? contact->hit : contact->distance < x->distance)
            x->hits->items[x->hits->count++] = hit_of(x->scene, &f->candidates.items[i], contact);
    }
    *x->tests += count;
    return true;
}

static bool add_candidate(void *context, uint32_t leaf)
{
    shape_contact_search *x = context;
    const step_scene *s = x->scene;
    const uint32_t part = s->part_of.items[s->faces.items[x->face].vertices[0]];
    if (!step_parts_collide(s, part, leaf_of(s, leaf)->part))
        return true;
    if (!face_element_pair_array_push(&x->finder->candidates, x->allocator, (face_element_pair){x->face, leaf})) {
        x->status = TACT_OUT_OF_MEMORY;
        return false;
    }
    return x->finder->candidates.count < SHAPE_CONTACT_BLOCK || solve_candidates(x);
}

/* The swept box of a face, or its box at the start, inflated by the distance. */
static box box_of_face(const shape_contact_search *x, const feature_triangle *face)
{
    const step_scene *s = x->scene;
    tact_vec3 points[6];
    for (int k = 0; k < 3; ++k) {
        points[k] = s->from.items[face->vertices[k]];
        points[3 + k] = s->to.items[face->vertices[k]];
    }
    const box bound = tact_box_of_points(points, x->distance < 0.0 ? 6 : 3);
    return x->distance < 0.0 ? bound : tact_box_expand(bound, x->distance);
}

static bool is_marked(const feature_triangle *face, const uint8_t *marked)
{
    return marked == NULL || marked[face->vertices[0]] | marked[face->vertices[1]] | marked[face->vertices[2]];
}

static tact_status find(shape_contact_search *x, const uint8_t *marked)
{
    const step_scene *s = x->scene;
    if (s->obstacles.elements.count == 0 || s->obstacle_count == s->parts.count)
        return TACT_OK;
    x->finder->candidates.count = 0;
    for (x->face = s->parts.items[s->obstacle_count].first_face; x->face < s->faces.count; ++x->face) {
        const feature_triangle *face = &s->faces.items[x->face];
        if (face->vertices[0] == SWEEP_ABSENT || !is_marked(face, marked))
            continue;
        const box query = box_of_face(x, face);
        if (!tact_aabb_tree_overlap(&s->obstacles.tree, &query, add_candidate, x))
            return x->status;
    }
    return solve_candidates(x) ? TACT_OK : x->status;
}

tact_status tact_shape_contacts_find(shape_contact_finder *finder, const step_scene *scene, const uint8_t *marked,
                                     step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                     const tact_parallel *parallel)
{
    shape_contact_search x = {.finder = finder,
                              .scene = scene,
                              .distance = -1.0,
                              .hits = hits,
                              .tests = tests,
                              .allocator = allocator,
                              .parallel = parallel,
                              .status = TACT_OK};
    return find(&x, marked);
}

tact_status tact_shape_proximities_find(shape_contact_finder *finder, const step_scene *scene, double distance,
                                        step_hit_array *hits, const tact_allocator *allocator,
                                        const tact_parallel *parallel)
{
    size_t tests = 0;
    shape_contact_search x = {.finder = finder,
                              .scene = scene,
                              .distance = distance,
                              .hits = hits,
                              .tests = &tests,
                              .allocator = allocator,
                              .parallel = parallel,
                              .status = TACT_OK};
    return find(&x, NULL);
}
