/*
 * Support function of a non-convex shape by its trees: the child with the greatest upper bound is visited first, and
 * nodes that cannot exceed the best value so far are skipped.
 *
 * Guarantee: of a mesh the transformed vertex with the greatest computed dot product, margins then added along the
 * direction; of a compound the best of its parts. No allocation. Cost: usually O(log n), however often a part is
 * shared.
 */
#include "shape/complex_support.h"

#include <limits.h>

#include "core/number.h"
#include "shape/convex.h"

/* Nodes of a depth-first traversal that can be pending at a time. */
#define SUPPORT_STACK_SIZE ((TREE_WIDTH - 1) * TREE_MAX_DEPTH + 1)

typedef struct support_search {
    tact_vec3 direction;
    double value; /* of the best point so far */
    double spare; /* nodes whose bound exceeds `value` by no more than this are skipped */
    bool rounded; /* bounds need not be rounded up */
    tact_vec3 point;
    tact_part part;    /* of that point */
    tact_part current; /* the leaf and face that is being evaluated */
    long budget;       /* elements that may still be evaluated; beyond: TACT_NOT_CONVERGED */
    tact_status status;
} support_search;

/* A shape under its transform, and the sum of the margins around it along the direction: a world vector. */
typedef struct support_instance {
    const tact_shape *shape;
    tact_transform transform;
    tact_vec3 margins;
    uint32_t leaf; /* number of its first leaf */
} support_instance;

static void add_shape(support_search *best, const support_instance *s);

static void add_point(support_search *best, tact_vec3 p)
{
    double value = vec_dot(p, best->direction);
    if (value > best->value) {
        best->value = value;
        best->point = p;
        best->part = best->current;
    }
}

/* The support point, from its centre, of a sphere of radius m in local coordinates under a transform. */
static tact_vec3 margin_point(const tact_transform *transform, double m, tact_vec3 direction)
{
    return vec_transform(transform, vec_scale(vec_normalize(vec_transform_transposed(transform, direction)), m));
}

static void add_item(support_search *best, const support_instance *s, uint32_t item)
{
    const mesh *m = s->shape->mesh;
    if (m != NULL) {
        size_t first = m->first_index != NULL ? m->first_index[item] : 3 * (size_t)item;
        size_t end = m->first_index != NULL ? m->first_index[item + 1] : first + 3;
        best->current = (tact_part){s->leaf, mesh_face(m, item)};
        for (; first < end; first++) {
            tact_vec3 p = vec_add(vec_transform(&s->transform, m->vertices[m->indices[first]]), s->transform.origin);
            add_point(best, vec_add(p, s->margins));
        }
        return;
    }
    const compound_part *part = &s->shape->compound->parts[item];
    support_instance inner = {part->shape, tact_transform_compose(s->transform, part->transform), s->margins,
                              s->leaf + part->first_leaf};
    if (!shape_is_convex(part->shape) && part->shape->margin > 0.0)
        inner.margins = vec_add(s->margins, margin_point(&s->transform, part->shape->margin, best->direction));
    if (part->shape->surface_error > 0.0)
        inner.margins = vec_mul_add(inner.margins,
                                    part->shape->surface_error * (1.0 + SURFACE_ERROR_SLACK) *
                                        transform_stretch_bound(&inner.transform),
                                    best->direction);
    add_shape(best, &inner);
}

/* An upper bound of the support function of a box of the tree, rounded up unless that is not needed. */
static double box_bound(const support_search *best, const support_instance *s, const box *b)
{
    const tact_vec3 g = vec_transform_transposed(&s->transform, best->direction);
    const double along[3] = {g.x, g.y, g.z};
    double sum = vec_dot(s->transform.origin, best->direction) + vec_dot(s->margins, best->direction);
    double size = vec_max_abs(s->transform.origin) + vec_max_abs(s->margins);
    for (int i = 0; i < 3; i++) {
        double low = (double)b->min[i] * along[i], high = (double)b->max[i] * along[i];
        sum += low > high ? low : high;
        /* relative to the axes and not to their dot products with the direction, in which much may have cancelled */
        const tact_vec3 axis = i == 0 ? s->transform.x_axis : i == 1 ? s->transform.y_axis : s->transform.z_axis;
        size += number_max(fabs((double)b->min[i]), fabs((double)b->max[i])) * vec_max_abs(axis);
    }
    return best->rounded ? sum : sum + 4.0 * SUPPORT_BOUND_ERROR * size;
}

static void add_tree(support_search *best, const support_instance *s, const aabb_tree *tree)
{
    struct {
        uint32_t child;
        double bound;
    } stack[SUPPORT_STACK_SIZE], swap;
    unsigned count = 0;
    if (tree->node_count > 0) {
        stack[count].child = 0;
        stack[count++].bound = INFINITY;
    }
    while (count > 0 && best->status == TACT_OK) {
        count--;
        const uint32_t node = stack[count].child;
        if (!(stack[count].bound >= best->value + best->spare))
            continue;
        if (tree_is_leaf(node)) {
            if (--best->budget < 0)
                best->status = TACT_NOT_CONVERGED;
            add_item(best, s, tree_item(node));
            continue;
        }
        const unsigned start = count;
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[node].child[k] != TREE_NONE; k++) {
            const box b = box4_get(&tree->bounds[node], k);
            if (box_is_empty(&b))
                continue;
            stack[count].child = tree->nodes[node].child[k];
            stack[count].bound = box_bound(best, s, &b);
            if (!(stack[count].bound == stack[count].bound)) /* NaN from infinity times zero */
                stack[count].bound = INFINITY;
            for (unsigned j = count++; j > start && stack[j - 1].bound > stack[j].bound; j--) {
                swap = stack[j];
                stack[j] = stack[j - 1];
                stack[j - 1] = swap;
            }
        }
    }
}

static void add_shape(support_search *best, const support_instance *s)
{
    convex c;
    if (s->shape->mesh != NULL) {
        add_tree(best, s, &s->shape->mesh->tree);
    } else if (s->shape->compound != NULL) {
        add_tree(best, s, &s->shape->compound->tree);
    } else if (tact_convex_make(&c, s->shape, &s->transform) != TACT_OK) {
        best->status = TACT_BAD_ARGUMENT;
    } else {
        best->current = (tact_part){s->leaf, 0};
        tact_vec3 p = vec_mul_add(tact_convex_support(&c, best->direction, NULL), c.margin, best->direction);
        p = vec_add(vec_add(p, c.transform.origin), s->margins);
        if (!vec_finite(p)) /* a custom support function returned NaN or infinity */
            best->status = TACT_BAD_ARGUMENT;
        else
            add_point(best, p);
    }
}

tact_status tact_complex_support_point(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                       tact_vec3 *point, tact_part *part)
{
    support_search best = {.direction = direction, .value = -INFINITY, .budget = LONG_MAX, .status = TACT_OK};
    support_instance whole = {shape, *transform, vec_scale(direction, complex_margin(shape, transform)), 0};
    add_shape(&best, &whole);
    if (best.status == TACT_OK && !(best.value > -INFINITY))
        best.status = TACT_BAD_ARGUMENT;
    if (best.status == TACT_OK)
        *point = best.point;
    if (best.status == TACT_OK && part != NULL)
        *part = best.part;
    return best.status;
}

tact_status tact_mesh_support_value(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                    double spare, double *value)
{
    support_search best = {
        .direction = direction, .value = -INFINITY, .spare = spare, .budget = LONG_MAX, .status = TACT_OK};
    support_instance whole = {shape, *transform, vec_make(0.0, 0.0, 0.0), 0};
    add_tree(&best, &whole, &shape->mesh->tree);
    *value = best.value + spare;
    return best.value > -INFINITY ? TACT_OK : TACT_BAD_ARGUMENT;
}

/* A search that gives up after SUPPORT_CHEAP_ELEMENTS, and takes the first of elements that are equal up to rounding.
 */
static support_search search_if_cheap(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction)
{
    const double size = shape->bounding_radius * transform_stretch_bound(transform) + vec_max_abs(transform->origin);
    support_search best = {.direction = direction,
                           .value = -INFINITY,
                           .spare = SUPPORT_TIE * size,
                           .rounded = true,
                           .budget = SUPPORT_CHEAP_ELEMENTS,
                           .status = TACT_OK};
    support_instance whole = {shape, *transform,
                              vec_scale(direction, shape_is_convex(shape) ? 0.0 : complex_margin(shape, transform)), 0};
    add_shape(&best, &whole);
    return best;
}

bool tact_support_value_if_cheap(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                 double *value)
{
    const support_search best = search_if_cheap(shape, transform, direction);
    *value = best.value;
    return best.status == TACT_OK && best.value > -INFINITY;
}

bool tact_support_point_if_cheap(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                 tact_vec3 *point)
{
    const support_search best = search_if_cheap(shape, transform, direction);
    *point = best.point;
    return best.status == TACT_OK && best.value > -INFINITY;
}
