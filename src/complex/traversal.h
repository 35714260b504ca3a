/*
 * Placed shapes that are not convex, taken apart: every query about a mesh, soup or compound becomes queries about the
 * convex elements that its trees find.
 *
 * A walk visits the pairs of elements of two placed shapes that may be within a limit of each other, nearer ones first
 * by and large; the visitor may bring the limit down, or stop. Compounds are opened as the walk comes to their parts,
 * each under its composed placement, so that shared sub-graphs are never copied. No allocation; some
 * 10 KB of stack for each level of nesting. Shapes of one convex element take part like all others.
 */
#ifndef TACT_COMPLEX_TRAVERSAL_H
#define TACT_COMPLEX_TRAVERSAL_H

#include <tact/query.h>

#include "math/transform_norm.h"
#include "shape/compound.h"
#include "shape/convex.h"

/* The axes that boxes are tested with. Two triangles cost hardly more than two boxes: the faces are enough (two tori
 * of 5,000 triangles, 61 % touching: 2.0 us a test, with all axes 2.1). Other elements are worth all of them. */
#define TRAVERSAL_AXES SAT_ALL_AXES
#define TRAVERSAL_AXES_TRIANGLES SAT_FACE_AXES

/* A shape under a placement; a part of a compound under the composed one. */
typedef struct instance {
    const tact_shape *shape;
    tact_transform at;
    double margin; /* around each element, in the world, besides what a convex shape has inside */
    uint32_t leaf; /* the number of its first leaf */
} instance;

/* One convex element: a triangle of a mesh, a piece of a soup, or the whole of a convex shape (element 0). */
typedef struct primitive {
    const instance *of;
    uint32_t element;
} primitive;

/* TACT_BAD_ARGUMENT for NULL, a placement that is not usable, or coordinates too far out. An empty shape is fine. */
tact_status tact_instance_make(instance *p, const tact_shape *shape, const tact_transform *at);

/* Part i of a placed compound. TACT_BAD_ARGUMENT: it has a margin that would be stretched unevenly. */
tact_status tact_instance_open_part(const instance *p, uint32_t i, instance *part);

/* A box around a placed shape, the margin of a shape that is not convex left out, and the frame that it is in. */
tact_status tact_instance_box(const instance *p, box *query, tact_transform *frame);

/* The element, ready for queries on convex shapes; its margin included. */
tact_status tact_primitive_convex(const primitive *s, convex *c);

/* Whether it is a triangle of a mesh without margin, of which exact predicates can speak. */
static inline bool primitive_is_triangle(const primitive *s)
{
    return s->of->shape->type == TACT_MESH && s->of->margin == 0.0;
}

/* Which part of the caller's shape it is. */
static inline tact_part primitive_part(const primitive *s)
{
    const mesh *m = s->of->shape->mesh;
    return (tact_part){s->of->leaf, m != NULL ? mesh_face(m, s->element) : 0};
}

/* Called with a pair and the limit; returns the new limit, not greater; negative: stop. */
typedef double primitive_visit_pair(void *context, const primitive *a, const primitive *b, double limit);
typedef double primitive_visit(void *context, const primitive *s, double limit);

typedef struct traversal {
    void *context;
    primitive_visit_pair *pair;
    primitive_visit *one;
    bool touching; /* only pairs of elements that may touch, without their margins: the limit is 0 and stays so */
    tact_status status;
} traversal;

/* Every pair of elements that may be at most `limit` apart, margins included. Returns the last limit. */
double tact_traverse_pairs(traversal *w, const instance *a, const instance *b, double limit);

/* The same with a unit vector from A to B, which the visitor may change, or zero: along that of the nearest pair so
 * far, most others are farther apart as well and need not be visited. */
double tact_traverse_pairs_toward(traversal *w, const instance *a, const instance *b, const tact_vec3 *normal,
                                  double limit);

/* How two bodies pass each other in a window of time: their places are those of its begin, about the origins of the
 * bodies. */
typedef struct passage {
    tact_vec3 offset;       /* of the second's origin from the first's at the begin */
    tact_vec3 way;          /* that it goes from there */
    tact_vec3 bend;         /* by how much it is off its chord on that way, at the most */
    tact_transform half[2]; /* how both turn up to the middle, about their origins */
    double room; /* a length: how far points are off where they are then, turned alone, and what counts as touching */
    /* Called with a part of the way before which the two do not meet, and the part beyond which nothing is looked for;
     * returns the new one, not greater; negative: stop. */
    double (*pair)(void *context, const primitive *a, const primitive *b, double enter, double limit);
    void *context;
    tact_status status;
} passage;

/* Every pair of elements that may meet up to the part `limit` of the way, the earliest first by and large. Returns the
 * last limit. */
double tact_traverse_moving_pairs(passage *p, const instance *a, const instance *b, double limit);

/* Every pair of triangles of two meshes that may touch, margins left out, the deepest first by and large: by their
 * oriented boxes where both have them. Returns false when `visit` did. */
bool tact_traverse_triangles(const instance *a, const instance *b, sat_axes axes, tree_visit_pair *visit,
                             void *context);

/* Every element that may be within `limit` of a point. */
double tact_traverse_closest(traversal *w, const instance *p, tact_vec3 point, double limit);

/* Every element that the ray may meet up to the parameter `limit`. */
double tact_traverse_ray(traversal *w, const instance *p, tact_vec3 from, tact_vec3 direction, double limit);

/* Leaves: parts that are not compounds themselves. The walks return false when `visit` did. */
typedef bool leaf_visit(void *context, const instance *leaf);
typedef bool leaf_visit_pair(void *context, const instance *a, const instance *b);

/* Every leaf of a shape. */
bool tact_traverse_leaves(const instance *p, leaf_visit *visit, void *context);

/* Every leaf that may hold a point, margins left out. */
bool tact_traverse_leaves_at(const instance *p, tact_vec3 point, leaf_visit *visit, void *context);

/* Every pair of leaves that may have a point in common, margins left out. */
bool tact_traverse_leaf_pairs(const instance *a, const instance *b, leaf_visit_pair *visit, void *context);

/* One order of two placed shapes by their numbers alone, as tact_compare_convex. */
int tact_instance_compare(const instance *a, const instance *b);

#endif
