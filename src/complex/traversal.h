/*
 * Traversal of complex shapes: a query on a mesh, soup or compound becomes queries on the convex primitives that its
 * trees find.
 *
 * A traversal visits the pairs of primitives of two instances that may be within a limit of each other, closer ones
 * first as a rule. The visitor may lower the limit, or stop. Compounds are opened when the traversal reaches their
 * parts, each under its composed transform, so shared sub-graphs are never copied. No allocation; some 10 KB of stack
 * for each level of nesting. A convex shape takes part as one primitive.
 */
#ifndef TACT_COMPLEX_TRAVERSAL_H
#define TACT_COMPLEX_TRAVERSAL_H

#include <tact/query.h>

#include "complex/complex_constants.h"
#include "math/transform_norm.h"
#include "shape/compound.h"
#include "shape/convex.h"

/* A shape under a transform; a part of a compound under the composed one. */
typedef struct instance {
    const tact_shape *shape;
    tact_transform at;
    double margin; /* length: around each primitive, in addition to the margin inside a convex shape */
    uint32_t leaf; /* number of its first leaf */
} instance;

/* One convex element: a triangle of a mesh, a convex part of a soup, or a whole convex shape (element 0). */
typedef struct primitive {
    const instance *of;
    uint32_t element;
} primitive;

/* TACT_BAD_ARGUMENT: NULL, an unusable transform, or coordinates beyond SHAPE_MAX_COORDINATE. Empty shapes are fine. */
tact_status tact_instance_make(instance *p, const tact_shape *shape, const tact_transform *at);

/* The primitive for queries on convex shapes, margin included. */
tact_status tact_primitive_convex(const primitive *s, convex *c);

/* Both of a pair; false, and TACT_BAD_ARGUMENT in `status`, if one of them is not usable. */
static inline bool primitives_convex(const primitive *a, const primitive *b, convex *ca, convex *cb,
                                     tact_status *status)
{
    if (tact_primitive_convex(a, ca) == TACT_OK && tact_primitive_convex(b, cb) == TACT_OK)
        return true;
    *status = TACT_BAD_ARGUMENT;
    return false;
}

/* Whether it is a triangle of a mesh without margin, which exact predicates can decide. */
static inline bool primitive_is_triangle(const primitive *s)
{
    return s->of->shape->type == TACT_MESH && s->of->margin == 0.0;
}

/* The part of the caller's shape. */
static inline tact_part primitive_part(const primitive *s)
{
    const mesh *m = s->of->shape->mesh;
    return (tact_part){s->of->leaf, m != NULL ? mesh_face(m, s->element) : 0};
}

static inline bool primitive_is_one_sided(const primitive *s)
{
    return s->of->shape->mesh != NULL && s->of->shape->mesh->one_sided;
}

/* The front normal of a triangle of a mesh, of any length; zero if it has no area. */
tact_vec3 tact_primitive_front(const primitive *s);

/* Whether each triangle of a one-sided mesh among the two faces the other: the middle of the extent of the other along
 * the normal is not behind the triangle. One that cannot be used does not. */
bool tact_primitives_face(const primitive *a, const primitive *b);

/* Whether two primitives may collide: always, except for one-sided meshes. */
static inline bool primitives_collide(const primitive *a, const primitive *b)
{
    return (!primitive_is_one_sided(a) && !primitive_is_one_sided(b)) || tact_primitives_face(a, b);
}

/* The normal of horizontal planes of a heightfield, upward, of unit length: M^-t y, along z x x. Zero for other shapes.
 */
static inline tact_vec3 instance_up(const instance *p)
{
    if (p->shape->mesh == NULL || p->shape->mesh->heightfield.counts[0] == 0)
        return vec_make(0.0, 0.0, 0.0);
    const tact_vec3 up = vec_normalize(vec_cross(p->at.z_axis, p->at.x_axis));
    return vec_dot(up, p->at.y_axis) < 0.0 ? vec_negate(up) : up;
}

/* Called with the limit, a distance; returns the new limit, not greater; negative: stop. */
typedef double primitive_visit_pair(void *context, const primitive *a, const primitive *b, double limit);
typedef double primitive_visit(void *context, const primitive *s, double limit);

/* Called with a flat region of a mesh (shape/flat_regions.h) and a convex shape: like primitive_visit_pair, for all
 * interior triangles of the region at once, but maybe several times. `is_a`: the mesh is the first of the pair. */
typedef double primitive_visit_region(void *context, const instance *mesh, uint32_t region, const primitive *other,
                                      bool is_a, double limit);

typedef struct traversal {
    void *context;
    primitive_visit_pair *pair;
    primitive_visit *one;
    bool touching; /* only pairs that may touch, margins left out: the limit stays 0 */
    tact_status status;
} traversal;

/* Visits every pair of primitives that may be at most `limit` apart, margins included. Returns the last limit. */
double tact_traverse_pairs(traversal *w, const instance *a, const instance *b, double limit);

/* The same with a unit vector from A to B, or zero, which the visitor may change: the normal of the closest pair so
 * far. Most other pairs are farther apart along it, and are not visited. Of a mesh and a convex shape the pair that is
 * visited first is a close one; where only pairs that may touch are visited, a zero vector will do. */
double tact_traverse_pairs_toward(traversal *w, const instance *a, const instance *b, const tact_vec3 *normal,
                                  double limit);

/* Visits them with interior triangles of flat regions as a whole, where a mesh meets a convex shape. */
double tact_traverse_pairs_and_regions(traversal *w, const instance *a, const instance *b,
                                       primitive_visit_region *region, double limit);

/* A traversal of two bodies that move past each other in a window of time. Their instances are those of the begin of
 * the window, about the origins of the bodies. */
typedef struct moving_traversal {
    tact_vec3 offset;                /* of the second origin from the first at the begin */
    tact_vec3 path;                  /* of the offset in the window: its chord */
    tact_vec3 sagitta;               /* the largest deviation of the offset from its chord */
    tact_transform half_rotation[2]; /* of both bodies up to the middle of the window, about their origins */
    double inflation;                /* length: how far points turn to either side of the middle, plus tolerance */
    /* Called with the fraction of the path before which the pair does not meet, and the fraction at which the search
     * ends; returns the new end, not greater; negative: stop. */
    double (*pair)(void *context, const primitive *a, const primitive *b, double enter, double limit);
    void *context;
    tact_status status;
    /* Boxes of each body that need not be visited, as placed at the middle of the window; the visitor may change them.
     * Of bodies that are not compounds. */
    tree_below below[2];
} moving_traversal;

/* Visits every pair of primitives that may meet up to the fraction `limit` of the path, the earliest first as a rule.
 * Returns the last limit. */
double tact_traverse_moving_pairs(moving_traversal *p, const instance *a, const instance *b, double limit);

/* Visits every pair of triangles of two meshes that may touch, margins left out, the deepest first as a rule. Uses
 * oriented boxes where both meshes have them. Returns false when `visit` did. */
bool tact_traverse_triangles(const instance *a, const instance *b, sat_axes axes, tree_visit_pair *visit,
                             void *context);

/* Visits every primitive that may be within `limit` of a point. */
double tact_traverse_closest(traversal *w, const instance *p, tact_vec3 point, double limit);

/* Visits every primitive that the ray may meet up to the parameter `limit`. */
double tact_traverse_ray(traversal *w, const instance *p, tact_vec3 from, tact_vec3 direction, double limit);

/* Leaves: parts that are not compounds themselves. These traversals return false when `visit` did. */
typedef bool leaf_visit(void *context, const instance *leaf);
typedef bool leaf_visit_pair(void *context, const instance *a, const instance *b);

bool tact_traverse_leaves(const instance *p, leaf_visit *visit, void *context);

/* Leaves that may contain a point, margins left out. */
bool tact_traverse_leaves_at(const instance *p, tact_vec3 point, leaf_visit *visit, void *context);

/* Pairs of leaves that may have a common point, margins left out. */
bool tact_traverse_leaf_pairs(const instance *a, const instance *b, leaf_visit_pair *visit, void *context);

/* Orders two instances by their numbers alone, as tact_compare_convex: negative, zero or positive. */
int tact_instance_compare(const instance *a, const instance *b);

/* Makes the instances of two shapes and puts them into this order; `swapped`: the first is that of b. Queries that do
 * so give the same answer for both orders of a and b. Fails as tact_instance_make. */
tact_status tact_instance_pair(instance both[2], const tact_shape *a, const tact_transform *transform_a,
                               const tact_shape *b, const tact_transform *transform_b, bool *swapped);

#endif
