/*
 * The farthest point of a shape that is not convex, by its trees: the node that reaches farthest is opened first, and
 * what cannot reach beyond the best so far is left out.
 *
 * Guarantee: of a mesh the placed vertex with the greatest computed product, margins then added along the direction; of
 * a compound the best of its parts. No allocation. Cost: O(log n) as a rule, however often a part is shared.
 */
#include "shape/complex_support.h"

#include <float.h>
#include <limits.h>

#include "shape/convex.h"

/* In units of the largest product: the roundings of a bound and of a placed vertex, with room. */
#define FARTHEST_ROUNDING (32.0 * DBL_EPSILON)

/* Elements that are looked at where it is to be seen soon. */
#define SOON 64

#define FARTHEST_MOST_NODES ((TREE_WIDTH - 1) * TREE_MOST_LEVELS + 1)

typedef struct farthest {
    tact_vec3 unit;
    double value; /* of the best point */
    double spare; /* what reaches no more than this beyond it need not be looked at */
    tact_vec3 point;
    long left; /* so many elements may be looked at; TACT_NOT_CONVERGED without */
    tact_status status;
} farthest;

/* A shape under its placement, and what the margins around it add: a vector of the world. */
typedef struct held {
    const tact_shape *shape;
    tact_transform at;
    tact_vec3 margins;
} held;

static void add_shape(farthest *best, const held *h);

static void add_point(farthest *best, tact_vec3 p)
{
    double value = vec_dot(p, best->unit);
    if (value > best->value) {
        best->value = value;
        best->point = p;
    }
}

/* Of a ball of radius m in local coordinates, placed: the farthest point from its centre. */
static tact_vec3 ball_point(const tact_transform *at, double m, tact_vec3 unit)
{
    return vec_transform(at, vec_scale(vec_normalize(vec_transform_transposed(at, unit)), m));
}

static void add_item(farthest *best, const held *h, uint32_t item)
{
    const mesh *m = h->shape->mesh;
    if (m != NULL) {
        size_t first = m->first_index != NULL ? m->first_index[item] : 3 * (size_t)item;
        size_t end = m->first_index != NULL ? m->first_index[item + 1] : first + 3;
        for (; first < end; first++) {
            tact_vec3 p = vec_add(vec_transform(&h->at, m->vertices[m->indices[first]]), h->at.origin);
            add_point(best, vec_add(p, h->margins));
        }
        return;
    }
    const compound_part *part = &h->shape->compound->parts[item];
    held inner = {part->shape, tact_transform_compose(h->at, part->transform), h->margins};
    if (!shape_is_convex(part->shape) && part->shape->margin > 0.0)
        inner.margins = vec_add(h->margins, ball_point(&h->at, part->shape->margin, best->unit));
    add_shape(best, &inner);
}

/* How far a box of the tree may reach, rounded up. */
static double bound_of(const farthest *best, const held *h, const box *b)
{
    const tact_vec3 g = vec_transform_transposed(&h->at, best->unit);
    const double along[3] = {g.x, g.y, g.z};
    double sum = vec_dot(h->at.origin, best->unit) + vec_dot(h->margins, best->unit);
    double size = vec_max_abs(h->at.origin) + vec_max_abs(h->margins);
    for (int i = 0; i < 3; i++) {
        double low = (double)b->min[i] * along[i], high = (double)b->max[i] * along[i];
        sum += low > high ? low : high;
        /* of the axes' sizes and not of their products with `unit`, in which much may have cancelled */
        const tact_vec3 axis = i == 0 ? h->at.x_axis : i == 1 ? h->at.y_axis : h->at.z_axis;
        size += fmax(fabs((double)b->min[i]), fabs((double)b->max[i])) * vec_max_abs(axis);
    }
    return sum + 4.0 * FARTHEST_ROUNDING * size;
}

static void add_tree(farthest *best, const held *h, const aabb_tree *tree)
{
    struct {
        uint32_t child;
        double bound;
    } waiting[FARTHEST_MOST_NODES], swap;
    unsigned count = 0;
    if (tree->node_count > 0) {
        waiting[count].child = 0;
        waiting[count++].bound = INFINITY;
    }
    while (count > 0 && best->status == TACT_OK) {
        count--;
        const uint32_t node = waiting[count].child;
        if (!(waiting[count].bound >= best->value + best->spare))
            continue;
        if (tree_is_leaf(node)) {
            if (--best->left < 0)
                best->status = TACT_NOT_CONVERGED;
            add_item(best, h, tree_thing(node));
            continue;
        }
        const unsigned start = count;
        for (unsigned k = 0; k < TREE_WIDTH && tree->nodes[node].child[k] != TREE_NONE; k++) {
            const box b = box4_get(&tree->bounds[node], k);
            if (box_is_empty(&b))
                continue;
            waiting[count].child = tree->nodes[node].child[k];
            waiting[count].bound = bound_of(best, h, &b);
            if (!(waiting[count].bound == waiting[count].bound)) /* infinity times zero */
                waiting[count].bound = INFINITY;
            for (unsigned j = count++; j > start && waiting[j - 1].bound > waiting[j].bound; j--) {
                swap = waiting[j];
                waiting[j] = waiting[j - 1];
                waiting[j - 1] = swap;
            }
        }
    }
}

static void add_shape(farthest *best, const held *h)
{
    convex c;
    if (h->shape->mesh != NULL) {
        add_tree(best, h, &h->shape->mesh->tree);
    } else if (h->shape->compound != NULL) {
        add_tree(best, h, &h->shape->compound->tree);
    } else if (tact_convex_make(&c, h->shape, &h->at) != TACT_OK) {
        best->status = TACT_BAD_ARGUMENT;
    } else {
        tact_vec3 p = vec_mul_add(tact_convex_support(&c, best->unit, NULL), c.margin, best->unit);
        p = vec_add(vec_add(p, c.transform.origin), h->margins);
        if (!vec_finite(p)) /* a custom support function that misbehaves */
            best->status = TACT_BAD_ARGUMENT;
        else
            add_point(best, p);
    }
}

tact_status tact_complex_support_point(const tact_shape *shape, const tact_transform *at, tact_vec3 unit,
                                       tact_vec3 *point)
{
    farthest best = {.unit = unit, .value = -INFINITY, .left = LONG_MAX, .status = TACT_OK};
    held whole = {shape, *at, vec_scale(unit, shape->margin)};
    add_shape(&best, &whole);
    if (best.status == TACT_OK && !(best.value > -INFINITY))
        best.status = TACT_BAD_ARGUMENT;
    if (best.status == TACT_OK)
        *point = best.point;
    return best.status;
}

tact_status tact_mesh_support_value(const tact_shape *shape, const tact_transform *at, tact_vec3 unit, double spare,
                                    double *value)
{
    farthest best = {.unit = unit, .value = -INFINITY, .spare = spare, .left = LONG_MAX, .status = TACT_OK};
    held whole = {shape, *at, vec_make(0.0, 0.0, 0.0)};
    add_tree(&best, &whole, &shape->mesh->tree);
    *value = best.value + spare;
    return best.value > -INFINITY ? TACT_OK : TACT_BAD_ARGUMENT;
}

bool tact_support_value_if_cheap(const tact_shape *shape, const tact_transform *at, tact_vec3 unit, double *value)
{
    farthest best = {.unit = unit, .value = -INFINITY, .left = SOON, .status = TACT_OK};
    held whole = {shape, *at, vec_scale(unit, shape_is_convex(shape) ? 0.0 : shape->margin)};
    add_shape(&best, &whole);
    *value = best.value;
    return best.status == TACT_OK && best.value > -INFINITY;
}
