/* Traversal of complex shapes (traversal.h): instances, pairs, moving pairs, points and rays, leaves, order. */
#include "complex/traversal.h"

#include <float.h>

#include "complex/closest_triangle.h"
#include "convex/convex_query.h"
#include "convex/pair_order.h"
#include "core/memory.h"
#include "core/number.h"

tact_status tact_instance_make(instance *p, const tact_shape *shape, const tact_transform *at)
{
    if (shape == NULL || tact_transform_check(at, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    *p = (instance){shape, *at, shape_is_convex(shape) ? 0.0 : complex_margin(shape, at), 0};
    return shape->bounding_radius * transform_norm_bound(at) + complex_margin(shape, at) + vec_max_abs(at->origin) <=
                   SHAPE_MAX_COORDINATE
               ? TACT_OK
               : TACT_BAD_ARGUMENT;
}

static void convex_of_points(convex *c, const instance *p, const mesh *m, size_t first, uint32_t count)
{
    double square = 0.0;
    c->kind = CONVEX_POINTS;
    c->point_count = (int)count;
    c->shape = p->shape;
    c->transform = p->at;
    c->margin = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        c->points[i] = vec_transform(&p->at, m->vertices[m->indices[first + i]]);
        square = max_double(square, vec_length_squared(c->points[i]));
    }
    if (square > TRANSFORM_MIN_SQUARE && square < TRANSFORM_MAX_SQUARE) {
        c->bounding_radius = sqrt(square) * (1.0 + 4.0 * DBL_EPSILON);
        return;
    }
    c->bounding_radius = 0.0;
    for (uint32_t i = 0; i < count; i++)
        c->bounding_radius = max_double(c->bounding_radius, vec_length_safe(c->points[i]));
}

tact_status tact_primitive_convex(const primitive *s, convex *c)
{
    const instance *p = s->of;
    const mesh *m = p->shape->mesh;
    tact_status status = TACT_OK;
    if (m == NULL)
        status = tact_convex_make(c, p->shape, &p->at);
    else if (m->hulls != NULL && m->hulls[s->element] != NULL)
        status = tact_convex_make(c, m->hulls[s->element], &p->at);
    else if (m->first_index != NULL)
        convex_of_points(c, p, m, m->first_index[s->element],
                         m->first_index[s->element + 1] - m->first_index[s->element]);
    else
        convex_of_points(c, p, m, 3 * (size_t)s->element, 3);
    c->margin += p->margin;
    return status;
}

/* ---- one-sided meshes -------------------------------------------------------------------------------------------- */

tact_vec3 tact_primitive_front(const primitive *s)
{
    tact_vec3 p[3];
    mesh_triangle(s->of->shape->mesh, &s->of->at, s->element, p);
    const tact_vec3 n = vec_normalize(vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])));
    const tact_transform *at = &s->of->at;
    return vec_dot(vec_cross(at->x_axis, at->y_axis), at->z_axis) < 0.0 ? vec_negate(n) : n;
}

static bool faces(const primitive *triangle, const primitive *other)
{
    convex c;
    tact_vec3 p[3];
    if (tact_primitive_convex(other, &c) != TACT_OK)
        return false;
    mesh_triangle(triangle->of->shape->mesh, &triangle->of->at, triangle->element, p);
    const tact_vec3 n = tact_primitive_front(triangle);
    /* relative to the plane: the coordinates cancel before the products are added */
    const tact_vec3 from = vec_sub(c.transform.origin, p[0]);
    const double high = vec_dot(n, vec_add(tact_convex_support(&c, n, NULL), from)),
                 low = vec_dot(n, vec_add(tact_convex_support(&c, vec_negate(n), NULL), from));
    return high + low >= 0.0;
}

bool tact_primitives_face(const primitive *a, const primitive *b)
{
    return (!primitive_is_one_sided(a) || faces(a, b)) && (!primitive_is_one_sided(b) || faces(b, a));
}

/* ---- opening compounds ------------------------------------------------------------------------------------------- */

static const aabb_tree *tree_of(const instance *p)
{
    return p->shape->mesh != NULL       ? &p->shape->mesh->tree
           : p->shape->compound != NULL ? &p->shape->compound->tree
                                        : NULL;
}

/* The factor by which a similarity scales all lengths; 0 for other transforms. */
static double uniform_scale(const tact_transform *m)
{
    const double slack = COMPLEX_SIMILARITY_TOLERANCE;
    double xx = vec_length_squared(m->x_axis), yy = vec_length_squared(m->y_axis), zz = vec_length_squared(m->z_axis),
           most = number_max(xx, number_max(yy, zz));
    double off =
        number_max(most - number_min(xx, number_min(yy, zz)),
                   number_max(fabs(vec_dot(m->x_axis, m->y_axis)),
                              number_max(fabs(vec_dot(m->y_axis, m->z_axis)), fabs(vec_dot(m->z_axis, m->x_axis)))));
    return off <= slack * most ? sqrt(most) : 0.0;
}

/* Part i of a compound. TACT_BAD_ARGUMENT: the part has a margin, and the transform is not a similarity. */
static tact_status open_part(const instance *p, uint32_t i, instance *part)
{
    const compound_part *c = &p->shape->compound->parts[i];
    *part = (instance){c->shape, tact_transform_compose(p->at, c->transform), p->margin, p->leaf + c->first_leaf};
    if (!shape_is_convex(c->shape) && c->shape->margin > 0.0) {
        double factor = uniform_scale(&p->at);
        if (!(factor > 0.0))
            return TACT_BAD_ARGUMENT; /* a stretched sphere is no margin */
        part->margin += factor * c->shape->margin;
    }
    if (c->shape->surface_error > 0.0)
        part->margin += c->shape->surface_error * (1.0 + SURFACE_ERROR_SLACK) * transform_stretch_bound(&part->at);
    return TACT_OK;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

typedef struct pair_step {
    traversal *w;
    const instance *a, *b;
    double margin; /* of both: boxes of the trees do not contain margins */
    bool swapped;  /* one tree alone is searched, that of B */
    const tact_vec3 *normal;
    primitive_visit_region *region; /* NULL: triangles of flat regions are visited one by one */
    tree_below below;
    const convex *other; /* of a search toward `normal`: the convex shape */
} pair_step;

static double traverse_pairs(traversal *w, const instance *a, const instance *b, const tact_vec3 *normal,
                             primitive_visit_region *region, double limit);

/* Continues with parts i of A and j of B where these are compounds, or visits primitives i and j. */
static double enter_pair(const pair_step *s, bool open_a, uint32_t i, bool open_b, uint32_t j, double limit)
{
    instance part_a, part_b;
    if (!open_a && !open_b) {
        const primitive primitive_a = {s->a, i}, primitive_b = {s->b, j};
        return s->w->pair(s->w->context, &primitive_a, &primitive_b, limit);
    }
    if ((open_a && open_part(s->a, i, &part_a) != TACT_OK) || (open_b && open_part(s->b, j, &part_b) != TACT_OK)) {
        s->w->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    return traverse_pairs(s->w, open_a ? &part_a : s->a, open_b ? &part_b : s->b, s->normal, s->region, limit);
}

/* The visitors of the trees: with both trees open, or one. */
static double visit_both(void *context, uint32_t i, uint32_t j, double limit)
{
    const pair_step *s = context;
    bool compounds = s->a->shape->compound != NULL;
    double left = enter_pair(s, compounds, i, compounds, j, number_max(limit - s->margin, 0.0));
    return left < 0.0 ? left : number_min(left + s->margin, limit);
}

static double visit_one(void *context, uint32_t i, double limit)
{
    const pair_step *s = context;
    const instance *opened = s->swapped ? s->b : s->a;
    bool compounds = opened->shape->compound != NULL;
    double left = number_max(limit - s->margin, 0.0);
    left = s->swapped ? enter_pair(s, false, 0, compounds, i, left) : enter_pair(s, compounds, i, false, 0, left);
    return left < 0.0 ? left : number_min(left + s->margin, limit);
}

/* The points of a mesh that are at least `distance` away from the convex shape on the other side of a plane with the
 * normal of a triangle, or that of its distance. `rounding`: in units of roundoff of all coordinates, less. */
static tree_below points_below(const pair_step *s, uint32_t triangle, tact_vec3 normal, double distance,
                               double rounding)
{
    const primitive p = {s->swapped ? s->b : s->a, triangle};
    const tact_vec3 n = tact_normal_of_triangle_near(&p, s->swapped ? vec_negate(normal) : normal);
    const convex *c = s->other;
    const double lowest = vec_dot(n, c->transform.origin) + vec_dot(n, tact_convex_support(c, vec_negate(n), NULL)) -
                          c->margin - p.of->margin;
    const double far = vec_max_abs(c->transform.origin) + vec_max_abs(p.of->at.origin) + c->bounding_radius +
                       c->margin + p.of->margin + distance;
    return (tree_below){n, lowest - distance - rounding * DBL_EPSILON * far};
}

/* Of a mesh and a convex shape. What cannot be closer than the limit by more than rounding need not be visited. */
static double visit_toward(void *context, uint32_t i, double limit)
{
    pair_step *s = context;
    const tact_vec3 before = *s->normal;
    limit = visit_one(context, i, limit);
    if (!(vec_max_abs(*s->normal) > 0.0) || !(limit > 0.0) || vec_equal(before, *s->normal))
        return limit; /* not the closest pair so far */
    s->below = points_below(s, i, *s->normal, number_max(limit - s->margin, 0.0), -COMPLEX_SAME_DISTANCE);
    return limit;
}

/* Of a mesh and a convex shape that do not touch near its origin: what is beyond the plane there does not touch it. */
static void skip_beyond_plane(pair_step *s)
{
    const instance *mesh_of = s->swapped ? s->b : s->a;
    const uint32_t first = tact_closest_triangle(mesh_of, s->other->transform.origin);
    const primitive near = {mesh_of, first};
    const tact_distance_def def = {COMPLEX_PLANE_ACCURACY, INFINITY, NULL};
    convex triangle;
    if (first == NO_TRIANGLE || tact_primitive_convex(&near, &triangle) != TACT_OK)
        return;
    const tact_distance d = tact_convex_distance(&triangle, s->other, &def);
    if (d.status == TACT_OK && d.distance > 0.0)
        s->below = points_below(s, first, s->swapped ? vec_negate(d.normal) : d.normal, 0.0, COMPLEX_SAME_DISTANCE);
}

/* Of a mesh with flat regions and a convex shape. */
static double visit_region(void *context, uint32_t region, double limit)
{
    const pair_step *s = context;
    const primitive other = {s->swapped ? s->a : s->b, 0};
    const double left = s->region(s->w->context, s->swapped ? s->b : s->a, region, &other, !s->swapped,
                                  number_max(limit - s->margin, 0.0));
    return left < 0.0 ? left : number_min(left + s->margin, limit);
}

static double visit_one_or_region(void *context, uint32_t i, double limit)
{
    const pair_step *s = context;
    const uint32_t region = mesh_flat_regions((s->swapped ? s->b : s->a)->shape->mesh)->of_triangle[i];
    return region != FLAT_NONE ? visit_region(context, region, limit) : visit_one(context, i, limit);
}

static bool touch_both(void *context, uint32_t i, uint32_t j) { return visit_both(context, i, j, 0.0) >= 0.0; }

static bool touch_one(void *context, uint32_t i) { return visit_one(context, i, 0.0) >= 0.0; }

/* A bounding box and its frame. The margin of a complex shape is left out. */
static tact_status instance_box(const instance *p, box *query, tact_transform *frame)
{
    const aabb_tree *tree = tree_of(p);
    tact_bounds bounds;
    if (tree != NULL) {
        *query = tree->root_box;
        *frame = p->at;
        return TACT_OK;
    }
    /* about its own origin: the floats of the box do not lose digits far from the world's origin */
    tact_transform at = p->at;
    at.origin = vec_make(0.0, 0.0, 0.0);
    tact_status status = tact_shape_bounds(p->shape, at, &bounds);
    if (status == TACT_OK)
        *query = box_from_bounds(bounds.min, bounds.max);
    *frame = tact_identity();
    frame->origin = p->at.origin;
    return status;
}

bool tact_traverse_triangles(const instance *a, const instance *b, sat_axes axes, tree_visit_pair *visit, void *context)
{
    const mesh *ma = a->shape->mesh, *mb = b->shape->mesh;
    const overlaid_tree ca = {&ma->tree, mesh_overlay(ma), &a->at}, cb = {&mb->tree, mesh_overlay(mb), &b->at};
    if (ca.overlay != NULL && cb.overlay != NULL)
        return tact_obb_overlay_pairs(&ca, &cb, axes, TREE_NEAREST_CENTRES_FIRST, visit, context);
    return tact_aabb_tree_pairs(&ma->tree, &a->at, &mb->tree, &b->at, axes, TREE_NEAREST_CENTRES_FIRST, visit, context);
}

/* Of two shapes that both have trees: uses oriented boxes where both have them, under similarities. */
static double nearest_by_trees(const instance *a, const instance *b, double limit, const tact_vec3 *normal,
                               tree_visit_pair_bounded *visit, void *context)
{
    if (a->shape->type == TACT_MESH && b->shape->type == TACT_MESH) {
        const mesh *ma = a->shape->mesh, *mb = b->shape->mesh;
        const overlaid_tree ca = {&ma->tree, mesh_overlay(ma), &a->at}, cb = {&mb->tree, mesh_overlay(mb), &b->at};
        const double fa = uniform_scale(&a->at), fb = uniform_scale(&b->at);
        if (ca.overlay != NULL && cb.overlay != NULL && fa >= OBB_OVERLAY_MIN_SCALE && fb >= OBB_OVERLAY_MIN_SCALE &&
            fa <= OBB_OVERLAY_MAX_SCALE && fb <= OBB_OVERLAY_MAX_SCALE)
            return tact_obb_overlay_nearest(&ca, fa, &cb, fb, limit, normal, visit, context);
    }
    return tact_aabb_tree_nearest_pairs(tree_of(a), &a->at, tree_of(b), &b->at, limit, visit, context);
}

/* ---- where boxes of floats do not tell items apart --------------------------------------------------------------- */

/* A search for the nearest pair of two meshes that counts its visits. */
typedef struct counted_search {
    pair_step *s;
    uint64_t visits, most;
    double limit; /* after the last visit */
    bool given_up;
} counted_search;

static double visit_counted(void *context, uint32_t i, uint32_t j, double limit)
{
    counted_search *c = context;
    if (c->visits++ >= c->most) {
        c->given_up = true;
        return -1.0;
    }
    c->limit = visit_both(c->s, i, j, limit);
    return c->limit;
}

static aabb_wide_box triangle_box(void *context, uint32_t item)
{
    const instance *p = context;
    tact_vec3 v[3];
    mesh_triangle(p->shape->mesh, &p->at, item, v);
    aabb_wide_box b;
    for (int i = 0; i < 3; ++i) {
        const double x = vec_component(v[0], i), y = vec_component(v[1], i), z = vec_component(v[2], i);
        b.min[i] = number_min(x, number_min(y, z));
        b.max[i] = number_max(x, number_max(y, z));
    }
    return b;
}

static double largest_coordinate(const aabb_wide_box four[TREE_WIDTH])
{
    double most = 0.0;
    for (unsigned k = 0; k < TREE_WIDTH; ++k)
        for (int i = 0; four[k].min[0] <= four[k].max[0] && i < 3; ++i)
            most = number_max(most, number_max(fabs(four[k].min[i]), fabs(four[k].max[i])));
    return most;
}

/* Of two meshes, with boxes of doubles. Without memory for them: as before. */
static double nearest_by_wide_boxes(const instance *a, const instance *b, double limit, pair_step *s)
{
    const instance *both[2] = {a, b};
    const tact_allocator *allocator = &a->shape->allocator;
    aabb_wide_box *slots[2] = {NULL, NULL};
    size_t counts[2];
    for (int i = 0; i < 2; ++i) {
        counts[i] = TREE_WIDTH * (size_t)tree_of(both[i])->node_count;
        slots[i] = tact_memory_allocate(allocator, counts[i], sizeof **slots);
    }
    double left;
    if (slots[0] != NULL && slots[1] != NULL) {
        for (int i = 0; i < 2; ++i) {
            instance copy = *both[i];
            tact_aabb_tree_wide_boxes(tree_of(both[i]), triangle_box, &copy, slots[i]);
        }
        const aabb_wide_tree wide_a = {tree_of(a), slots[0]}, wide_b = {tree_of(b), slots[1]};
        const double slack =
            COMPLEX_WIDE_SLACK * DBL_EPSILON * (largest_coordinate(slots[0]) + largest_coordinate(slots[1]));
        left = tact_aabb_tree_nearest_pairs_wide(&wide_a, &wide_b, slack, limit, visit_both, s);
    } else {
        left = nearest_by_trees(a, b, limit, s->normal, visit_both, s);
    }
    for (int i = 0; i < 2; ++i)
        tact_memory_free(allocator, slots[i], counts[i], sizeof **slots);
    return left;
}

/* Visits pairs within the limit, margins left out. A search for the nearest pair of two meshes (the normal is given)
 * that visits many more pairs than there are triangles goes on with boxes of doubles. Its visitors may see a pair
 * twice: no pair is closer than itself. */
static double nearest_pairs(const instance *a, const instance *b, double limit, pair_step *s)
{
    if (a->shape->type != TACT_MESH || b->shape->type != TACT_MESH || s->normal == NULL)
        return nearest_by_trees(a, b, limit, s->normal, visit_both, s);
    const uint64_t triangles = (uint64_t)tree_of(a)->item_count + tree_of(b)->item_count;
    counted_search c = {.s = s, .most = COMPLEX_MANY_VISITS * (triangles + COMPLEX_MANY_VISITS), .limit = limit};
    const double left = nearest_by_trees(a, b, limit, s->normal, visit_counted, &c);
    return c.given_up ? nearest_by_wide_boxes(a, b, c.limit, s) : left;
}

double tact_traverse_pairs(traversal *w, const instance *a, const instance *b, double limit)
{
    return traverse_pairs(w, a, b, NULL, NULL, limit);
}

double tact_traverse_pairs_toward(traversal *w, const instance *a, const instance *b, const tact_vec3 *normal,
                                  double limit)
{
    return traverse_pairs(w, a, b, normal, NULL, limit);
}

double tact_traverse_pairs_and_regions(traversal *w, const instance *a, const instance *b,
                                       primitive_visit_region *region, double limit)
{
    return traverse_pairs(w, a, b, NULL, region, limit);
}

static double traverse_pairs(traversal *w, const instance *a, const instance *b, const tact_vec3 *normal,
                             primitive_visit_region *region, double limit)
{
    const aabb_tree *tree_a = tree_of(a), *tree_b = tree_of(b);
    bool compound_a = a->shape->compound != NULL, compound_b = b->shape->compound != NULL;
    pair_step s = {w, a, b, a->margin + b->margin, false, normal, region, {{0.0, 0.0, 0.0}, 0.0}, NULL};
    bool exact = w->touching && s.margin == 0.0;
    if (tree_a == NULL && tree_b == NULL)
        return enter_pair(&s, false, 0, false, 0, limit);
    if (tree_a != NULL && tree_b != NULL && compound_a == compound_b) {
        bool triangles = a->shape->type == TACT_MESH && b->shape->type == TACT_MESH;
        if (exact && triangles)
            return tact_traverse_triangles(a, b, COMPLEX_TRIANGLE_TREE_AXES, touch_both, &s) ? limit : -1.0;
        if (exact)
            return tact_aabb_tree_pairs(tree_a, &a->at, tree_b, &b->at, COMPLEX_TREE_AXES, TREE_NEAREST_CENTRES_FIRST,
                                        touch_both, &s)
                       ? limit
                       : -1.0;
        double left = nearest_pairs(a, b, limit + s.margin, &s);
        return left < 0.0 ? left : number_min(number_max(left - s.margin, 0.0), limit);
    }
    /* Search one tree with a bounding box of the other shape: a compound before a mesh, whose own tree comes later. */
    s.swapped = tree_a == NULL || (compound_b && !compound_a);
    const aabb_tree *tree = s.swapped ? tree_b : tree_a;
    const instance *opened = s.swapped ? b : a;
    box query;
    tact_transform frame;
    if (instance_box(s.swapped ? a : b, &query, &frame) != TACT_OK) {
        w->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    convex other;
    const primitive whole = {s.swapped ? a : b, 0};
    const bool convex_and_mesh = opened->shape->type == TACT_MESH && shape_is_convex((s.swapped ? a : b)->shape) &&
                                 tact_primitive_convex(&whole, &other) == TACT_OK;
    if (convex_and_mesh)
        s.other = &other;
    if (exact && convex_and_mesh && normal != NULL) {
        skip_beyond_plane(&s);
        return tact_aabb_tree_nearest_above(tree, &opened->at, &query, &frame, 0.0, &s.below, visit_one, &s) < 0.0
                   ? -1.0
                   : limit;
    }
    if (exact)
        return tact_aabb_tree_overlap_transformed(tree, &opened->at, &query, &frame, COMPLEX_TREE_AXES, touch_one, &s)
                   ? limit
                   : -1.0;
    const flat_regions *flat =
        region != NULL && opened->shape->type == TACT_MESH && shape_is_convex((s.swapped ? a : b)->shape)
            ? mesh_flat_regions(opened->shape->mesh)
            : NULL;
    if (normal != NULL && convex_and_mesh) {
        const uint32_t first = tact_closest_triangle(opened, other.transform.origin);
        double most = limit + s.margin;
        most = first != NO_TRIANGLE ? visit_toward(&s, first, most) : most;
        if (most >= 0.0)
            most = tact_aabb_tree_nearest_above(tree, &opened->at, &query, &frame, most, &s.below, visit_toward, &s);
        return most < 0.0 ? most : number_min(number_max(most - s.margin, 0.0), limit);
    }
    const double left =
        flat != NULL ? tact_aabb_tree_nearest_groups(tree, &opened->at, &query, &frame, limit + s.margin,
                                                     visit_one_or_region, flat->of_node, visit_region, &s)
                     : tact_aabb_tree_nearest(tree, &opened->at, &query, &frame, limit + s.margin, visit_one, &s);
    return left < 0.0 ? left : number_min(number_max(left - s.margin, 0.0), limit);
}

/* ---- moving pairs ------------------------------------------------------------------------------------------------ */

typedef struct moving_step {
    moving_traversal *p;
    const instance *a, *b;
    bool open_a, open_b; /* the items of the tree are parts of a compound */
} moving_step;

static double visit_moving(void *context, uint32_t i, uint32_t k, double enter, double limit)
{
    const moving_step *s = context;
    if (!s->open_a && !s->open_b) {
        const primitive a = {s->a, i}, b = {s->b, k};
        return s->p->pair(s->p->context, &a, &b, enter, limit);
    }
    instance part_a, part_b;
    if ((s->open_a && open_part(s->a, i, &part_a) != TACT_OK) ||
        (s->open_b && open_part(s->b, k, &part_b) != TACT_OK)) {
        s->p->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    return tact_traverse_moving_pairs(s->p, s->open_a ? &part_a : s->a, s->open_b ? &part_b : s->b, limit);
}

/* Compounds are opened before anything else. */
double tact_traverse_moving_pairs(moving_traversal *p, const instance *a, const instance *b, double limit)
{
    moving_step s = {p, a, b, a->shape->compound != NULL, b->shape->compound != NULL};
    const instance *both[2] = {a, b};
    translating_tree sides[2];
    tact_transform frame[2];
    for (int i = 0; i < 2; ++i) {
        if (instance_box(both[i], &sides[i].root_box, &frame[i]) != TACT_OK) {
            p->status = TACT_BAD_ARGUMENT;
            return -1.0;
        }
        frame[i].x_axis = vec_transform(&p->half_rotation[i], frame[i].x_axis);
        frame[i].y_axis = vec_transform(&p->half_rotation[i], frame[i].y_axis);
        frame[i].z_axis = vec_transform(&p->half_rotation[i], frame[i].z_axis);
        frame[i].origin = vec_transform(&p->half_rotation[i], frame[i].origin);
        sides[i].transform = &frame[i];
        const bool later = i == 0 ? s.open_b && !s.open_a : s.open_a && !s.open_b;
        sides[i].tree = later ? NULL : tree_of(both[i]);
        sides[i].below = &p->below[i];
    }
    frame[1].origin = vec_add(frame[1].origin, p->offset);
    return tact_aabb_tree_translating_pairs(&sides[0], &sides[1], p->path, p->sagitta,
                                            a->margin + b->margin + p->inflation, limit, visit_moving, &s);
}

/* ---- one shape --------------------------------------------------------------------------------------------------- */

typedef struct single_step {
    traversal *w;
    const instance *p;
    bool ray;
    double limit; /* of the ray's parameter; the limit of the tree is a distance */
    tact_vec3 from, direction;
} single_step;

static double traverse_one(traversal *w, const instance *p, bool ray, tact_vec3 from, tact_vec3 direction,
                           double limit);

static double visit_single(void *context, uint32_t i, double limit)
{
    const single_step *s = context;
    instance part;
    const double margin = s->ray ? 0.0 : s->p->margin;
    double left = number_max(limit - margin, 0.0);
    if (s->p->shape->compound == NULL) {
        const primitive at = {s->p, i};
        left = s->w->one(s->w->context, &at, left);
    } else if (open_part(s->p, i, &part) != TACT_OK) {
        s->w->status = TACT_BAD_ARGUMENT;
        left = -1.0;
    } else {
        left = traverse_one(s->w, &part, s->ray, s->from, s->direction, left);
    }
    return left < 0.0 ? left : number_min(left + margin, limit);
}

static double visit_beside_ray(void *context, uint32_t i, double limit)
{
    single_step *s = context;
    double left = visit_single(s, i, s->limit);
    s->limit = left < 0.0 ? s->limit : left;
    return left < 0.0 ? left : limit;
}

/* The parameters between which a ray may be within the bounding sphere of an instance; false: it never is. */
static bool ray_interval(const instance *p, tact_vec3 from, tact_vec3 direction, double limit, double *first,
                         double *last, double *slack)
{
    const tact_transform *at = &p->at;
    tact_vec3 to_start = vec_sub(from, at->origin);
    double length = vec_length_safe(direction);
    double radius = (p->shape->bounding_radius * transform_norm_bound(at) + p->margin) * 1.001,
           apart = vec_length_safe(to_start);
    /* along the ray at most `radius` to both sides of the point closest to the origin */
    double centre = -vec_dot(to_start, vec_normalize(direction));
    *slack = COMPLEX_SPHERE_SLACK * (apart + radius + vec_max_abs(from));
    *first = number_max(centre - radius - *slack, 0.0) / length;
    *last = number_min((centre + radius + *slack) / length, limit);
    return *first <= *last;
}

/* A mesh with a margin: visits the primitives close to the ray, one interval of the ray after the other, until one
 * begins beyond the limit. */
static double traverse_beside_ray(single_step *s, const aabb_tree *tree)
{
    const tact_vec3 o = s->p->at.origin, start = vec_sub(s->from, o);
    const tact_transform frame = tact_at(o.x, o.y, o.z);
    double first, last, slack;
    if (!ray_interval(s->p, s->from, s->direction, s->limit, &first, &last, &slack))
        return s->limit;
    for (int i = 0; i < COMPLEX_RAY_INTERVALS; i++) {
        double begin = first + (last - first) * i / COMPLEX_RAY_INTERVALS,
               end = first + (last - first) * (i + 1) / COMPLEX_RAY_INTERVALS;
        if (begin > s->limit)
            break;
        const tact_vec3 ends[2] = {vec_mul_add(start, begin, s->direction), vec_mul_add(start, end, s->direction)};
        const box query = tact_box_expand(tact_box_of_points(ends, 2), slack);
        if (tact_aabb_tree_nearest(tree, &s->p->at, &query, &frame, s->p->margin, visit_beside_ray, s) < 0.0)
            return -1.0;
    }
    return s->limit;
}

static double traverse_one(traversal *w, const instance *p, bool ray, tact_vec3 from, tact_vec3 direction, double limit)
{
    const aabb_tree *tree = tree_of(p);
    single_step s = {w, p, ray, limit, from, direction};
    if (tree == NULL) {
        const primitive whole = {p, 0};
        return w->one(w->context, &whole, limit);
    }
    if (ray && p->margin == 0.0)
        return tact_aabb_tree_ray(tree, &p->at, from, direction, limit, visit_single, &s);
    if (ray)
        return traverse_beside_ray(&s, tree);
    /* the point is the origin of its frame: exact at any distance */
    const tact_transform frame = tact_at(from.x, from.y, from.z);
    const box query = box_of_point(vec_make(0.0, 0.0, 0.0));
    double left = tact_aabb_tree_nearest(tree, &p->at, &query, &frame, limit + p->margin, visit_single, &s);
    return left < 0.0 ? left : number_min(number_max(left - p->margin, 0.0), limit);
}

double tact_traverse_closest(traversal *w, const instance *p, tact_vec3 point, double limit)
{
    return traverse_one(w, p, false, point, point, limit);
}

double tact_traverse_ray(traversal *w, const instance *p, tact_vec3 from, tact_vec3 direction, double limit)
{
    return traverse_one(w, p, true, from, direction, limit);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

typedef struct leaf_step {
    const instance *p, *other; /* `other` NULL: one shape alone */
    bool swapped;              /* B is opened */
    tact_vec3 point;
    leaf_visit *one;
    leaf_visit_pair *pair;
    void *context;
} leaf_step;

bool tact_traverse_leaves(const instance *p, leaf_visit *visit, void *context)
{
    const compound *c = p->shape->compound;
    if (c == NULL)
        return visit(context, p);
    for (uint32_t i = 0; i < c->part_count; i++) {
        instance part;
        if (!shape_is_empty(c->parts[i].shape) && open_part(p, i, &part) == TACT_OK &&
            !tact_traverse_leaves(&part, visit, context))
            return false;
    }
    return true;
}

static bool leaf_at(void *context, uint32_t i)
{
    const leaf_step *s = context;
    instance part;
    return open_part(s->p, i, &part) != TACT_OK || tact_traverse_leaves_at(&part, s->point, s->one, s->context);
}

bool tact_traverse_leaves_at(const instance *p, tact_vec3 point, leaf_visit *visit, void *context)
{
    const compound *c = p->shape->compound;
    if (c == NULL)
        return visit(context, p);
    leaf_step s = {.p = p, .point = point, .one = visit, .context = context};
    const box query = box_of_point(vec_make(0.0, 0.0, 0.0));
    const tact_transform frame = tact_at(point.x, point.y, point.z);
    return tact_aabb_tree_overlap_transformed(&c->tree, &p->at, &query, &frame, SAT_FACE_AXES, leaf_at, &s);
}

static bool leaves_below(const leaf_step *s, const instance *a, const instance *b)
{
    return tact_traverse_leaf_pairs(a, b, s->pair, s->context);
}

static bool leaf_both(void *context, uint32_t i, uint32_t j)
{
    const leaf_step *s = context;
    instance a, b;
    return open_part(s->p, i, &a) != TACT_OK || open_part(s->other, j, &b) != TACT_OK || leaves_below(s, &a, &b);
}

static bool leaf_one(void *context, uint32_t i)
{
    const leaf_step *s = context;
    instance part;
    if (open_part(s->swapped ? s->other : s->p, i, &part) != TACT_OK)
        return true;
    return s->swapped ? leaves_below(s, s->p, &part) : leaves_below(s, &part, s->other);
}

bool tact_traverse_leaf_pairs(const instance *a, const instance *b, leaf_visit_pair *visit, void *context)
{
    const compound *ca = a->shape->compound, *cb = b->shape->compound;
    leaf_step s = {.p = a, .other = b, .swapped = ca == NULL, .pair = visit, .context = context};
    box query;
    tact_transform frame;
    if (ca == NULL && cb == NULL)
        return visit(context, a, b);
    if (ca != NULL && cb != NULL)
        return tact_aabb_tree_pairs(&ca->tree, &a->at, &cb->tree, &b->at, COMPLEX_TREE_AXES, TREE_ANY_ORDER, leaf_both,
                                    &s);
    const instance *opened = s.swapped ? b : a;
    return instance_box(s.swapped ? a : b, &query, &frame) != TACT_OK ||
           tact_aabb_tree_overlap_transformed(tree_of(opened), &opened->at, &query, &frame, COMPLEX_TREE_AXES, leaf_one,
                                              &s);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int compare_counts(uint32_t a, uint32_t b) { return a == b ? 0 : a < b ? -1 : 1; }

static int compare_lists(const uint32_t *a, const uint32_t *b, size_t count)
{
    int order = 0;
    for (size_t i = 0; i < count && order == 0; i++)
        order = compare_counts(a[i], b[i]);
    return order;
}

static int compare_meshes(const mesh *a, const mesh *b)
{
    if (a == b)
        return 0;
    int order = compare_counts(a->vertex_count, b->vertex_count);
    order = order != 0 ? order : compare_counts(a->index_count, b->index_count);
    order = order != 0 ? order : compare_counts(a->element_count, b->element_count);
    order = order != 0 ? order : compare_counts(a->solid, b->solid);
    order = order != 0 ? order : tact_compare_vector_arrays(a->vertices, b->vertices, a->vertex_count);
    order = order != 0 ? order : compare_lists(a->indices, b->indices, a->index_count);
    if (order == 0 && a->first_index != NULL)
        order = compare_lists(a->first_index, b->first_index, (size_t)a->element_count + 1);
    return order;
}

static int compare_shapes(const tact_shape *a, const tact_shape *b, int *left);

static int compare_compounds(const compound *a, const compound *b, int *left)
{
    int order = a == b ? 0 : compare_counts(a->part_count, b->part_count);
    for (uint32_t i = 0; a != b && i < a->part_count && order == 0 && *left > 0; i++) {
        const compound_part *p = &a->parts[i], *q = &b->parts[i];
        order = tact_compare_transforms(&p->transform, &q->transform);
        if (order == 0 && --*left >= 0)
            order = compare_shapes(p->shape, q->shape, left);
    }
    return order;
}

static int compare_shapes(const tact_shape *a, const tact_shape *b, int *left)
{
    if (a == b)
        return 0;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (!shape_is_convex(a) && a->margin != b->margin)
        return a->margin < b->margin ? -1 : 1;
    if (a->surface_error != b->surface_error)
        return a->surface_error < b->surface_error ? -1 : 1;
    if (a->mesh != NULL)
        return compare_meshes(a->mesh, b->mesh);
    if (a->compound != NULL)
        return compare_compounds(a->compound, b->compound, left);
    const tact_transform here = tact_identity();
    convex ca, cb;
    return tact_convex_make(&ca, a, &here) == TACT_OK && tact_convex_make(&cb, b, &here) == TACT_OK
               ? tact_compare_convex(&ca, &cb)
               : 0;
}

int tact_instance_compare(const instance *a, const instance *b)
{
    int order = tact_compare_transforms(&a->at, &b->at), left = COMPLEX_MAX_COMPARED_PARTS;
    return order != 0 ? order : compare_shapes(a->shape, b->shape, &left);
}

tact_status tact_instance_pair(instance both[2], const tact_shape *a, const tact_transform *transform_a,
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
