/*
 * The point of a NURBS surface closest to a point, and whether a point is inside a solid with true surfaces.
 *
 * The closest point is that of nurbs_search.h with a point as the other side, so its distance is proved to the
 * accuracy. A point farther from the triangles than their error is inside the surfaces exactly if it is inside the
 * triangles: between both, the surface never passes the point. For closer points the normal at the closest point
 * decides. If that point is trimmed away, the triangles decide.
 *
 * A contact point moves to the closest point of the surface of its leaf.
 *
 * Cost: some 50 us for a point outside; several times as much near the centre of curvature, where many points are
 * equally close.
 */
#include "complex/complex_query.h"
#include "complex/nurbs_query.h"
#include "complex/nurbs_search.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "exact/ray_triangle.h"

/* ---- common ------------------------------------------------------------------------------------------------------ */

double tact_nurbs_size_of(const instance *p)
{
    const tact_transform *m = &p->at;
    const tact_shape *shape = p->shape;
    tact_bounds bounds;
    if (shape->mesh != NULL || shape->compound != NULL) { /* of the transformed local box */
        const box local = shape->mesh != NULL ? shape->mesh->tree.root_box : shape->compound->tree.root_box;
        const double x = 0.5 * (local.max[0] - local.min[0]), y = 0.5 * (local.max[1] - local.min[1]),
                     z = 0.5 * (local.max[2] - local.min[2]);
        const double size =
            vec_max_abs(vec_make(fabs(m->x_axis.x) * x + fabs(m->y_axis.x) * y + fabs(m->z_axis.x) * z,
                                 fabs(m->x_axis.y) * x + fabs(m->y_axis.y) * y + fabs(m->z_axis.y) * z,
                                 fabs(m->x_axis.z) * x + fabs(m->y_axis.z) * y + fabs(m->z_axis.z) * z));
        if (size > COMPLEX_MIN_BOX && size < COMPLEX_MAX_BOX) /* boxes of floats are coarse or infinite otherwise */
            return size;
    }
    return tact_shape_bounds(shape, *m, &bounds) == TACT_OK ? 0.5 * vec_max_abs(vec_sub(bounds.max, bounds.min)) : 0.0;
}

double tact_nurbs_leaf_margin(const instance *leaf)
{
    const double error = leaf->shape->surface_error * (1.0 + SURFACE_ERROR_SLACK) * transform_stretch_bound(&leaf->at);
    return number_max(leaf->margin - error, 0.0);
}

/* The leaf of the quad tree of a patch that contains (s, t). */
static const nurbs_cell *cell_at(const nurbs_tessellation *t, uint32_t patch, double u, double v)
{
    const nurbs_cell *c = &t->cells.items[t->first_cell[patch]];
    while (c->first_child != 0) {
        const double x = ldexp(u, c->level + 1) - 2.0 * c->x, y = ldexp(v, c->level + 1) - 2.0 * c->y;
        c = &t->cells.items[c->first_child + (x >= 1.0) + 2u * (y >= 1.0)];
    }
    return c;
}

void tact_nurbs_describe(const nurbs_search *s, int side, const search_place *at, tact_nurbs_location *place,
                         tact_part *part)
{
    const search_side *from = &s->side[side];
    const search_node *n = &from->nodes.items[at->node];
    const instance *leaf = &from->leaves.items[n->leaf].of;
    *place = (tact_nurbs_location){0};
    *part = (tact_part){0};
    if (leaf->shape == NULL)
        return;
    part->leaf = leaf->leaf;
    if (n->patch == SEARCH_CONVEX) {
        part->face = leaf->shape->mesh != NULL ? mesh_face(leaf->shape->mesh, n->element) : 0;
        return;
    }
    const nurbs_model *m = leaf->shape->nurbs->model;
    const nurbs_patch *p = &m->patches[n->patch];
    double low, high;
    place->on_surface = true;
    place->surface = p->surface;
    nurbs_patch_range(m, p, 0, &low, &high);
    place->u = at->s < 1.0 ? low + at->s * (high - low) : high;
    nurbs_patch_range(m, p, 1, &low, &high);
    place->v = at->t < 1.0 ? low + at->t * (high - low) : high;
    const nurbs_cell *c = cell_at(&leaf->shape->nurbs->tessellation, n->patch, at->s, at->t);
    part->face = c->triangle_count > 0 ? c->first_triangle : 0; /* none: trimmed away */
}

bool tact_nurbs_is_trimmed(const nurbs_search *s, int side, const search_place *at)
{
    const search_node *n = &s->side[side].nodes.items[at->node];
    tact_nurbs_location place;
    tact_part part;
    if (n->patch == SEARCH_CONVEX)
        return false;
    tact_nurbs_describe(s, side, at, &place, &part);
    const nurbs_trim *trim = s->side[side].leaves.items[n->leaf].of.shape->nurbs->model->trims[place.surface];
    if (trim == NULL)
        return false;
    size_t first = 0;
    for (size_t k = 0; k < trim->loop_ends.count; first = trim->loop_ends.items[k++])
        for (size_t i = first; i < trim->loop_ends.items[k]; i++) { /* boxes of segments */
            const trim_vertex *a = &trim->vertices.items[i],
                              *b = &trim->vertices.items[i + 1 < trim->loop_ends.items[k] ? i + 1 : first];
            if (place.u >= number_min(a->u, b->u) - trim->deviation[0] &&
                place.u <= number_max(a->u, b->u) + trim->deviation[0] &&
                place.v >= number_min(a->v, b->v) - trim->deviation[1] &&
                place.v <= number_max(a->v, b->v) + trim->deviation[1])
                return true;
        }
    return !tact_nurbs_trim_contains(trim, place.u, place.v);
}

static bool is_mirrored(const tact_transform *at)
{
    return vec_dot(vec_cross(vec_normalize(at->x_axis), vec_normalize(at->y_axis)), vec_normalize(at->z_axis)) < 0.0;
}

tact_vec3 tact_nurbs_normal(const nurbs_search *s, int side, uint32_t root, double u, double v)
{
    const search_side *from = &s->side[side];
    const bool mirrored = is_mirrored(&from->leaves.items[from->nodes.items[root].leaf].of.at);
    tact_vec3 d[6], first = {0.0, 0.0, 0.0};
    /* at a pole, beside it */
    for (double aside = 0.0; aside < NURBS_POLE_MAX_STEP;
         aside = number_max(NURBS_POLE_STEP, NURBS_POLE_GROWTH * aside)) {
        tact_nurbs_search_evaluate(from, root, u + aside * (0.5 - u), v + aside * (0.5 - v), d);
        const double a = vec_length(d[1]), b = vec_length(d[2]);
        const tact_vec3 n = vec_cross(d[1], d[2]);
        if (!(vec_length(n) > NURBS_POLE_SINE * a * b))
            continue;
        const bool sound = number_min(a, b) > NURBS_POLE_RATIO * number_max(a, b);
        if (sound || !(vec_max_abs(first) > 0.0))
            first = vec_normalize(n);
        if (sound)
            break;
    }
    return mirrored ? vec_negate(first) : first;
}

/* ---- the closest point ------------------------------------------------------------------------------------------- */

typedef struct point_start {
    nurbs_search *search;
    tact_vec3 from;
    uint32_t node; /* of the point */
    double best;   /* least distance of a triangle */
    int idle;      /* triangles since then */
} point_start;

/* Newton's method from the triangles that are closest. */
static double start_triangle(void *context, const primitive *on, double limit)
{
    point_start *c = context;
    nurbs_search *s = c->search;
    convex shape;
    if (c->idle++ > NURBS_START_PAIRS)
        return -1.0;
    if (tact_primitive_convex(on, &shape) != TACT_OK) {
        s->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    shape.margin = 0.0;
    const convex point = convex_point(on->of->shape, c->from);
    const tact_distance_def def = {.accuracy = NURBS_TRIANGLE_ACCURACY, .upper_bound = INFINITY};
    const tact_distance d = tact_convex_distance(&shape, &point, &def);
    if (d.distance < c->best) {
        const uint32_t cell =
            on->of->shape->nurbs->tessellation.triangles.items[mesh_face(on->of->shape->mesh, on->element)].cell;
        const uint32_t node[2] = {tact_nurbs_search_cell(s, 0, 0, cell), c->node};
        if (node[0] == UINT32_MAX) {
            s->status = TACT_OUT_OF_MEMORY;
            return -1.0;
        }
        c->best = d.distance;
        c->idle = 0;
        tact_nurbs_search_improve(s, node);
    }
    return number_min(limit, number_max(c->best - on->of->margin, 0.0)); /* a distance from the enlarged triangles */
}

/* Coordinates on the boundary of a patch near a point: the closest of some. */
static void start_on_boundary(const nurbs_search *s, uint32_t root, tact_vec3 near, double x[2])
{
    double least = INFINITY;
    for (int i = 0; i < 4 * NURBS_EDGE_STARTS; i++) {
        const double along = (double)(i / 4) / (NURBS_EDGE_STARTS - 1),
                     at[2] = {i % 4 < 2 ? along : i % 2, i % 4 < 2 ? i % 2 : along};
        tact_vec3 d[6];
        tact_nurbs_search_evaluate(&s->side[0], root, at[0], at[1], d);
        const double square = vec_length_squared(vec_sub(d[0], near));
        if (square < least) {
            least = square;
            x[0] = at[0];
            x[1] = at[1];
        }
    }
}

static bool share_corner(const nurbs_patch *p, const nurbs_patch *q)
{
    bool shared = false;
    for (int i = 0; i < 16; i++)
        shared = shared || p->corner[i / 4] == q->corner[i % 4];
    return shared;
}

/* Where several patches meet at the closest point: takes the normal of the one that shows the side best. */
static void choose_normal(nurbs_search *s, tact_vec3 out, surface_foot *foot)
{
    const search_place best = s->best[0];
    const double upper = s->upper;
    const nurbs_model *m = s->side[0].leaves.items[0].of.shape->nurbs->model;
    const uint32_t own = s->side[0].nodes.items[best.node].patch;
    if (vec_length(vec_cross(foot->normal, out)) <= NURBS_SAME_FOOT)
        return; /* the point is on the normal, as always if its closest point is inside the patch */
    for (uint32_t i = 0; i < m->patch_count && foot->status != TACT_OUT_OF_MEMORY; i++) {
        if (i == own || !share_corner(&m->patches[own], &m->patches[i]))
            continue;
        const uint32_t root[2] = {tact_nurbs_search_patch(s, 0, 0, i), s->best[1].node};
        if (root[0] == UINT32_MAX) {
            foot->status = TACT_OUT_OF_MEMORY;
            continue;
        }
        const search_node *n = &s->side[0].nodes.items[root[0]];
        const tact_vec3 p = best.point, low = vec_sub(n->low, p), high = vec_sub(p, n->high);
        const double beside =
            number_max(number_max(number_max(low.x, low.y), low.z), number_max(number_max(high.x, high.y), high.z));
        if (beside > NURBS_SAME_FOOT)
            continue; /* the point is not in its box */
        double x[4] = {0};
        start_on_boundary(s, root[0], p, x);
        s->upper = INFINITY; /* the closest point of this patch alone */
        tact_nurbs_search_improve_from(s, root, x);
        const search_place at = s->best[0];
        if (s->upper > upper + s->accuracy || vec_length(vec_sub(at.point, p)) > NURBS_SAME_FOOT)
            continue;
        const tact_vec3 normal = tact_nurbs_normal(s, 0, at.node, at.s, at.t);
        const double turn = vec_dot(normal, out);
        if (fabs(turn) > fabs(foot->turn)) {
            foot->turn = turn;
            foot->normal = normal;
        }
    }
    s->upper = upper;
    s->best[0] = best;
}

static void finish_foot(nurbs_search *s, tact_vec3 from, surface_foot *foot)
{
    foot->any = s->upper < INFINITY;
    if (!foot->any)
        return;
    const search_place *at = &s->best[0];
    const tact_vec3 out = vec_sub(s->best[1].point, at->point);
    foot->distance = vec_length(out) / s->scale;
    foot->lower = tact_nurbs_search_floor(s) / s->scale;
    foot->point = search_to_world(s, at->point);
    foot->normal = tact_nurbs_normal(s, 0, at->node, at->s, at->t);
    const tact_vec3 direction = vec_max_abs(out) > 0.0 ? vec_normalize(out) : foot->normal;
    foot->turn = vec_dot(foot->normal, direction);
    tact_nurbs_describe(s, 0, at, &foot->place, &foot->part);
    foot->trimmed = tact_nurbs_is_trimmed(s, 0, at);
    choose_normal(s, direction, foot);
    if (!(foot->distance > s->slack / s->scale))
        foot->point = from;
}

surface_foot tact_nurbs_closest_on_leaf(const instance *leaf, tact_vec3 from, double limit)
{
    surface_foot foot = {.status = TACT_OUT_OF_MEMORY};
    nurbs_search s;
    double error;
    const int degrees = tact_nurbs_degrees(leaf, &error);
    const double reach = leaf->shape->bounding_radius * transform_norm_bound(&leaf->at) +
                         vec_length_safe(vec_sub(from, leaf->at.origin));
    tact_nurbs_search_begin(&s, leaf->at.origin, reach, degrees, NURBS_SEARCH_ACCURACY * tact_nurbs_size_of(leaf),
                            NURBS_SEARCH_WORK, &leaf->shape->allocator);
    const uint32_t own = tact_nurbs_search_leaf(&s, 0, leaf);
    if (own != UINT32_MAX && search_leaf_array_push(&s.side[1].leaves, &s.allocator, (search_leaf){0})) {
        const convex point = convex_point(leaf->shape, from);
        s.side[0].leaves.items[0].margin = 0.0; /* from the surface itself */
        point_start c = {.search = &s, .from = from, .best = INFINITY};
        c.node = tact_nurbs_search_primitive(&s, 1, 0, &point, 0);
        if (c.node != UINT32_MAX && search_index_array_push(&s.side[1].roots, &s.allocator, c.node)) {
            traversal w = {&c, NULL, start_triangle, false, TACT_OK};
            (void)tact_traverse_closest(&w, leaf, from, limit);
            if (s.upper < INFINITY && s.status == TACT_OK)
                (void)tact_nurbs_search_all_patches(&s);
            foot.status = s.status;
        }
    }
    if (foot.status == TACT_OK) {
        tact_nurbs_search_run(&s);
        foot.status = s.status;
        if (foot.status != TACT_OUT_OF_MEMORY)
            finish_foot(&s, from, &foot);
    }
    tact_nurbs_search_end(&s);
    return foot;
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

typedef struct near_search {
    tact_vec3 point;
    double error;
    bool near;
} near_search;

static double visit_near(void *context, const primitive *on, double limit)
{
    near_search *s = context;
    convex shape;
    if (tact_primitive_convex(on, &shape) != TACT_OK)
        return limit;
    shape.margin = s->error;
    s->near = tact_convex_contains(&shape, s->point).state != TACT_MISS;
    return s->near ? -1.0 : limit;
}

bool tact_nurbs_solid_holds(const instance *leaf, tact_vec3 point, tact_status *status)
{
    const tact_shape *shape = leaf->shape;
    if (shape->nurbs == NULL)
        return tact_solid_holds(leaf, point);
    const double error = shape->surface_error * (1.0 + SURFACE_ERROR_SLACK) * transform_stretch_bound(&leaf->at);
    near_search s = {.point = point, .error = error};
    traversal w = {&s, NULL, visit_near, false, TACT_OK};
    (void)tact_traverse_closest(&w, leaf, point, 0.0);
    if (!s.near)
        return tact_solid_holds(leaf, point);
    const surface_foot foot = tact_nurbs_closest_on_leaf(leaf, point, INFINITY);
    if (foot.status == TACT_OUT_OF_MEMORY || foot.status == TACT_BAD_ARGUMENT) {
        *status = foot.status;
        return false;
    }
    if (foot.trimmed)
        return tact_solid_holds(leaf, point); /* near an edge of the surface: by its triangles */
    return vec_equal(foot.point, point) || foot.turn < 0.0;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

typedef struct leaf_search {
    uint32_t number;
    bool found;
    instance leaf;
} leaf_search;

static bool visit_leaf(void *context, const instance *leaf)
{
    leaf_search *s = context;
    s->found = leaf->leaf == s->number;
    if (s->found)
        s->leaf = *leaf;
    return !s->found;
}

/* The foot of a point on the leaf of its part; `any` is false if the leaf has no surfaces. */
static surface_foot find_foot(const tact_shape *shape, const tact_transform *at, tact_vec3 point, uint32_t number,
                              double *margin)
{
    surface_foot foot = {.status = TACT_BAD_ARGUMENT};
    leaf_search s = {.number = number};
    instance p;
    *margin = 0.0;
    if (tact_instance_make(&p, shape, at) != TACT_OK || shape_is_empty(shape))
        return foot;
    (void)tact_traverse_leaves(&p, visit_leaf, &s);
    if (!s.found)
        return foot;
    foot.status = TACT_OK;
    if (s.leaf.shape->nurbs == NULL)
        return foot;
    *margin = tact_nurbs_leaf_margin(&s.leaf);
    return tact_nurbs_closest_on_leaf(&s.leaf, point, INFINITY);
}

tact_nurbs_contact tact_nurbs_move_contact(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                           const tact_transform *transform_b, const tact_contact_point *contact)
{
    tact_nurbs_contact r = {.status = TACT_BAD_ARGUMENT, .contact = *contact};
    double margin_a, margin_b;
    const surface_foot on_a = find_foot(a, transform_a, contact->on_a, contact->part_a.leaf, &margin_a),
                       on_b = find_foot(b, transform_b, contact->on_b, contact->part_b.leaf, &margin_b);
    if (on_a.status == TACT_BAD_ARGUMENT || on_b.status == TACT_BAD_ARGUMENT || (!on_a.any && !on_b.any)) {
        const bool memory = on_a.status == TACT_OUT_OF_MEMORY || on_b.status == TACT_OUT_OF_MEMORY;
        return (tact_nurbs_contact){.status = memory ? TACT_OUT_OF_MEMORY : TACT_BAD_ARGUMENT};
    }
    r.status = on_a.status != TACT_OK ? on_a.status : on_b.status;
    if (r.status == TACT_OUT_OF_MEMORY)
        return (tact_nurbs_contact){.status = r.status};
    tact_vec3 n = on_a.any ? on_a.normal : on_b.normal;
    if (vec_dot(n, contact->normal) < 0.0)
        n = vec_negate(n);
    r.contact.normal = vec_max_abs(n) > 0.0 ? n : contact->normal;
    if (on_a.any) {
        r.location_a = on_a.place;
        r.contact.on_a = vec_mul_add(on_a.point, margin_a, r.contact.normal);
    }
    if (on_b.any) {
        r.location_b = on_b.place;
        r.contact.on_b = vec_mul_add(on_b.point, -margin_b, r.contact.normal);
    }
    r.contact.depth = vec_dot(r.contact.normal, vec_sub(r.contact.on_a, r.contact.on_b));
    return r;
}
