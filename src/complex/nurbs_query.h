/*
 * Queries on the true surfaces of NURBS shapes, alone or in compounds. The other shape may be any.
 *
 * Distances and closest points have proved lower bounds, and upper bounds that are distances of two points of the
 * surfaces: see nurbs_search.h. The size of a query is half the longest side of the bounding box of the larger shape.
 */
#ifndef TACT_COMPLEX_NURBS_QUERY_H
#define TACT_COMPLEX_NURBS_QUERY_H

#include <tact/nurbs.h>

#include "complex/traversal.h"

/* ---- two shapes (nurbs_distance.c) ---- */

/* As tact_nurbs_distance. */
tact_nurbs_separation tact_nurbs_pair_separation(const tact_shape *a, const tact_transform *transform_a,
                                                 const tact_shape *b, const tact_transform *transform_b,
                                                 const tact_nurbs_distance_def *def);

/* As tact_shapes_distance. */
tact_distance tact_nurbs_pair_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                       const tact_transform *transform_b, const tact_distance_def *def);

/* ---- curves (nurbs_intersect.c) ---- */

/* As tact_nurbs_intersect. */
tact_nurbs_intersect_result tact_nurbs_pair_intersect(const tact_shape *a, const tact_transform *transform_a,
                                                      const tact_shape *b, const tact_transform *transform_b,
                                                      const tact_nurbs_intersect_def *def,
                                                      tact_nurbs_intersection *curves, size_t curve_capacity,
                                                      tact_nurbs_node *nodes, size_t node_capacity);

/* ---- a point (nurbs_point.c) ---- */

/* The point of a surface closest to a point. */
typedef struct surface_foot {
    tact_status status;
    bool any;         /* whether there is one within the limit */
    double distance;  /* from the surface, without margin */
    double lower;     /* no point of the surface is closer */
    tact_vec3 point;  /* on the surface */
    tact_vec3 normal; /* of the surface there: S_u x S_v, outward for a solid */
    bool trimmed;     /* it may be trimmed away, see tact_nurbs_is_trimmed */
    double turn;      /* n . (from - point) / distance: 1 or -1 unless the point is on an edge */
    tact_part part;
    tact_nurbs_location place;
} surface_foot;

/* Of a NURBS leaf. Points farther than `limit` are not searched. Where several patches meet at the closest point, the
 * normal is that of the patch for which |turn| is largest, so its sign tells the side (Baerentzen and Aanaes 2005 on
 * meshes). */
surface_foot tact_nurbs_closest_on_leaf(const instance *leaf, tact_vec3 from, double limit);

/* Whether a point is inside or on the true surfaces of a solid NURBS leaf, or inside a solid mesh. */
bool tact_nurbs_solid_holds(const instance *leaf, tact_vec3 point, tact_status *status);

/* ---- a ray (nurbs_ray.c) ---- */

/* The first hit, up to the parameter `limit`, on the surfaces of a NURBS leaf without margin. Interiors of solids do
 * not count. */
tact_ray_hit tact_nurbs_ray_on_leaf(const instance *leaf, tact_vec3 from, tact_vec3 direction, double limit);

/* The margin of a NURBS leaf, without the error of its triangles. */
double tact_nurbs_leaf_margin(const instance *leaf);

/* ---- contacts (nurbs_point.c) ---- */

/* As tact_nurbs_refine_contact. */
tact_nurbs_contact tact_nurbs_move_contact(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                           const tact_transform *transform_b, const tact_contact_point *contact);

/* ---- common (nurbs_point.c) ---- */

struct nurbs_search;
struct search_place;

/* Place and part of a point of a side of a search. */
void tact_nurbs_describe(const struct nurbs_search *s, int side, const struct search_place *at,
                         tact_nurbs_location *place, tact_part *part);

/* Whether a point of a side may be trimmed away: it is outside the loops of its surface, or within their deviation of
 * one. False for primitives. */
bool tact_nurbs_is_trimmed(const struct nurbs_search *s, int side, const struct search_place *at);

/* The unit normal S_u x S_v of a root at (u, v) in world space, on the outer side also for mirrored shapes. Zero if
 * there is none near. */
tact_vec3 tact_nurbs_normal(const struct nurbs_search *s, int side, uint32_t root, double u, double v);

/* Half the longest side of the bounding box of a shape. */
double tact_nurbs_size_of(const instance *p);

#endif
