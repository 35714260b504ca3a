/**
 * @file
 * Queries about one or two shapes at given transforms. Stateless functions, callable from any thread.
 *
 * **Conventions**, the same for every pair of shapes. Points are in world coordinates. Normals have unit length and
 * point from A to B. Depth is positive for overlapping shapes and minus the distance for disjoint ones. Swapping A and
 * B gives the same numbers bit for bit, with points swapped and the normal reversed, unless A and B are identical in
 * every number. Shapes are closed sets: touching is a hit. Lengths should lie between 1e-140 and 1e150; smaller ones
 * may lose digits.
 *
 * **Errors.** Every result has a `status`. Bad input (NULL, NaN, infinity, a singular transform, coordinates beyond
 * 1e150) gives #TACT_BAD_ARGUMENT and a result that is otherwise zero. No result ever contains a NaN.
 *
 * **Accuracy.** Let u = 2^-53 and let L be the largest coordinate of either transformed shape, of its transform's
 * origin, or of the shape itself if that lies far from its local origin.
 * - A distance is within 1e-10 of itself plus 32 u L of the true one.
 * - A yes-or-no answer is right unless the shapes are within 1e-12 L of just touching.
 * - The depth of polytopes is within 1e-6 of itself plus 32 u L of the exact minimum over all directions.
 * - The depth of curved shapes is proved to 1e-7 of itself; to 1e-3 where thousands of directions are nearly equal (a
 *   cylinder deep inside a cylinder). Depth and points are tested to 1e-6 of the depth plus 1e-11 L.
 * - A custom support function is assumed to be exact to the rounding of its doubles.
 */
#ifndef TACT_QUERY_H
#define TACT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/motion.h>
#include <tact/parallel.h>
#include <tact/shape.h>
#include <tact/status.h>
#include <tact/transform.h>

TACT_BEGIN

/** The part of a mesh, soup or compound that a result refers to; zero for convex shapes. (In a contact with
 * #TACT_PREVIOUS it refers to the shapes of the previous frame.) */
typedef struct tact_part {
    uint32_t leaf; /**< compound: index of the leaf (a part that is not a compound), numbered depth first; else 0 */
    uint32_t face; /**< mesh or soup: index of the face or convex part, as in its def */
} tact_part;

/** Result of a distance query. */
typedef struct tact_distance {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, or #TACT_NOT_CONVERGED with the best result found */
    double distance;    /**< 0 if the shapes touch or overlap */
    tact_vec3 on_a;     /**< closest point of A; a common point if the shapes overlap */
    tact_vec3 on_b;     /**< closest point of B; the same common point if the shapes overlap */
    tact_vec3 normal;   /**< from A to B; zero if the shapes touch or overlap */
    tact_part part_a;   /**< part of A at `on_a` */
    tact_part part_b;   /**< part of B at `on_b` */
} tact_distance;

/** Computes the distance between two shapes. */
TACT_API tact_distance tact_shapes_distance(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b);

/** A cached separating axis of a pair, which makes the next query faster (frame coherence). Start with a
 * zero-initialised one for each pair. It may be kept, copied or discarded at any time. It never changes a yes-or-no
 * answer outside the rounding band stated above. */
typedef struct tact_cache {
    tact_vec3 axis; /**< from A to B, of any length; zero: nothing is known */
} tact_cache;

/** Options of a distance query. Start with tact_distance_def_default(). */
typedef struct tact_distance_def {
    double accuracy;    /**< relative; default 1e-10; 0: as accurate as the rounding of the coordinates allows */
    double upper_bound; /**< stop once the distance is known to exceed this; default infinity */
    tact_cache *cache;  /**< in: initial axis, out: axis for the next query; default NULL */
} tact_distance_def;

/** Returns the defaults: full accuracy, no upper bound, no cache. */
TACT_API tact_distance_def tact_distance_def_default(void);

/** Computes the distance with options (`def` NULL: defaults). If `upper_bound` ends the search, `distance` is a lower
 * bound greater than `upper_bound`, and the points are those of the last iteration. */
TACT_API tact_distance tact_shapes_distance_with(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                                 tact_transform transform_b, const tact_distance_def *def);

/** Result of a yes-or-no query. */
typedef struct tact_overlap {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< #TACT_HIT or #TACT_MISS; #TACT_UNKNOWN if the status is not #TACT_OK */
} tact_overlap;

/** Tests whether two shapes overlap or touch. Stops at the first separating axis (ISA-GJK). `cache` may be NULL. */
TACT_API tact_overlap tact_shapes_overlap(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                          tact_transform transform_b, tact_cache *cache);

/** Tests whether two shapes are at most `distance` (not negative) apart. Stops as soon as that is decided. `cache` may
 * be NULL. */
TACT_API tact_overlap tact_shapes_within(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                         tact_transform transform_b, double distance, tact_cache *cache);

/** Result of a common-point query. */
typedef struct tact_common_point {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether the shapes overlap or touch */
    tact_vec3 point;    /**< a point of both shapes, up to rounding; zero for a miss */
    tact_part part_a;   /**< part of A at the point */
    tact_part part_b;   /**< part of B at the point */
} tact_common_point;

/** Finds a common point of two shapes, if there is one. `cache` may be NULL. */
TACT_API tact_common_point tact_shapes_common_point(const tact_shape *a, tact_transform transform_a,
                                                    const tact_shape *b, tact_transform transform_b, tact_cache *cache);

/** Result of a penetration query: one signed answer, continuous through zero. */
typedef struct tact_penetration {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    double depth; /**< overlapping: length of the shortest translation that separates; disjoint: minus the distance */
    tact_vec3 normal; /**< from A to B; translating B by depth * normal makes the shapes just touch */
    tact_vec3 on_a;   /**< point of A's surface; on_a - on_b = depth * normal */
    tact_vec3 on_b;   /**< point of B's surface */
    tact_part part_a; /**< part of A at `on_a` */
    tact_part part_b; /**< part of B at `on_b` */
} tact_penetration;

/** Computes the penetration depth, or minus the distance of disjoint shapes. With a mesh, soup or compound the depth is
 * the minimum over a set of candidate directions: the normals of the intersecting parts, the line between the centres,
 * the coordinate axes, and directions derived from these. Along the returned normal the depth is exact: no smaller
 * translation separates. */
TACT_API tact_penetration tact_shapes_penetration(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                                  tact_transform transform_b);

/** Maximum number of points of a manifold. */
#define TACT_MANIFOLD_POINTS 8

/** A point of a contact manifold. */
typedef struct tact_manifold_point {
    tact_vec3 on_a;   /**< on A's surface */
    tact_vec3 on_b;   /**< on B's surface; on_a - on_b = depth * normal */
    double depth;     /**< positive: penetration, negative: gap */
    tact_part part_a; /**< part of A at `on_a` */
    tact_part part_b; /**< part of B at `on_b` */
} tact_manifold_point;

/** A contact manifold: the contact points of a pair, with a common normal. */
typedef struct tact_manifold {
    tact_status status;                               /**< as for tact_penetration */
    tact_state state;                                 /**< #TACT_HIT if the depth is at least -`max_separation` */
    tact_vec3 normal;                                 /**< from A to B */
    double depth;                                     /**< depth of the pair, as of tact_shapes_penetration */
    int count;                                        /**< 1 to #TACT_MANIFOLD_POINTS for a hit, else 0 */
    tact_manifold_point points[TACT_MANIFOLD_POINTS]; /**< the deepest first */
} tact_manifold;

/** Computes the contact manifold. Face against face: the vertices of the common area, found by clipping one face
 * against the other and reduced to the #TACT_MANIFOLD_POINTS that span the largest area. Edge against face: two points.
 * Otherwise one point. For a mesh, soup or compound: the points of tact_shapes_contacts that share the normal of
 * tact_shapes_penetration. Points with a gap of more than `max_separation` (not negative) are left out, and pairs
 * farther apart than that are a miss. */
TACT_API tact_manifold tact_shapes_manifold(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b, double max_separation);

/** A contact point with a normal of its own. */
typedef struct tact_contact_point {
    tact_vec3 on_a;   /**< on A's surface */
    tact_vec3 on_b;   /**< on B's surface; on_a - on_b = depth * normal */
    tact_vec3 normal; /**< from A to B */
    double depth;     /**< positive: penetration, negative: gap */
    tact_part part_a; /**< part of A at `on_a` */
    tact_part part_b; /**< part of B at `on_b` */
} tact_contact_point;

/** Number of contact points. */
typedef struct tact_contacts {
    tact_status status; /**< as for tact_penetration */
    tact_state state;   /**< #TACT_HIT if there is a point */
    size_t count;       /**< number of points; if it exceeds `capacity`, the deepest `capacity` points were written, and
                             coincident points may be counted several times */
} tact_contacts;

/**
 * Computes all contact points, each with its own normal, deepest first, for use by a simulator. Writes at most
 * `capacity` of them to `points`.
 *
 * Each pair of triangles, convex parts or leaves at most `max_separation` (not negative) apart contributes the points
 * of its manifold; coincident points are merged. Two convex shapes give the points of tact_shapes_manifold.
 *
 * Mesh normals respect the edges: across a flat or concave edge the normal is that of the face, on a convex edge it
 * lies between those of the two faces. So nothing collides with the internal edges of a smooth surface. A solid pushes
 * outward; a surface pushes to the side on which most of the other part lies. For solids no point is deeper than
 * tact_shapes_penetration, up to rounding. For a surface whose contacts all push to one side, such as a terrain, the
 * depth of a point is that behind its own face.
 */
TACT_API tact_contacts tact_shapes_contacts(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b, double max_separation,
                                            tact_contact_point *points, size_t capacity);

/** Type of a #tact_intersection. */
typedef enum tact_intersection_type {
    TACT_INTERSECTION_SEGMENT = 1, /**< two faces cross, or an edge lies in a face: their common segment */
    TACT_INTERSECTION_OUTLINE,     /**< two coplanar faces: a segment of the boundary of their common area */
    TACT_INTERSECTION_POINT        /**< two faces share one point: both ends of the segment */
} tact_intersection_type;

/** A segment in which a face of A intersects a face of B. */
typedef struct tact_intersection {
    tact_vec3 from;              /**< start; for the direction see tact_shapes_intersections */
    tact_vec3 to;                /**< end */
    tact_part part_a;            /**< part of A: leaf, and face or convex part */
    tact_part part_b;            /**< part of B */
    uint32_t facet_a;            /**< facet of a convex shape, leaf or part of A; 0 for meshes */
    uint32_t facet_b;            /**< facet of a convex shape, leaf or part of B; 0 for meshes */
    tact_intersection_type type; /**< type of the segment */
    uint32_t edge[2];            /**< outline: vertex indices of the edge that contains it; else 0 */
    bool edge_of_b;              /**< outline: the edge belongs to B, otherwise to A */
} tact_intersection;

/** Number of intersection segments. */
typedef struct tact_intersections {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, or #TACT_OUT_OF_MEMORY: `capacity` is too small */
    tact_state state;   /**< whether there is a segment; #TACT_UNKNOWN if the query failed and none was found */
    size_t count;       /**< number of segments; with #TACT_OUT_OF_MEMORY: a sufficient capacity */
} tact_intersections;

/**
 * Computes the intersection of two surfaces: all segments in which they meet, ordered by the parts and facets of A,
 * then of B. Each pair of faces reports what it shares, so all faces at an edge report a segment along that edge. If
 * one shape lies wholly inside the other, there is none. A polygon counts as one face: collinear pieces in its
 * triangles are merged, up to rounding, and its internal edges are no outline.
 *
 * **Direction.** A #TACT_INTERSECTION_SEGMENT runs along n_a x n_b, where n is the outward normal (for a face of a
 * mesh: the side from which its vertices appear counter-clockwise, in local coordinates). So the segments of closed
 * surfaces link up to loops. A #TACT_INTERSECTION_OUTLINE ends at the larger x (or y, or z, if those are equal).
 *
 * **Numbering.** Facets of a box: 0 to 5 are -x, +x, -y, +y, -z, +z. Facet i of a tetrahedron is opposite to point i.
 * The facets of a hull have a fixed order. Vertices of an edge: for a mesh or soup its vertex indices; for a hull,
 * polygon or simplex the order of tact_shape_get_points; for a box 1 if x, plus 2 if y, plus 4 if z is at its maximum.
 *
 * **Exactness.** For meshes, soups, boxes, hulls, polygons and simplices (alone, under #TACT_TRANSFORMED and in
 * compounds) it is exact which faces intersect, and whether in a point, a segment or an area; this refers to the
 * vertices as mesh.h transforms them and the triangles between them. Ends are rounded, to two ulps of the largest
 * coordinate of their edge. Adjacent faces agree on common ends bit for bit, unless edges cross exactly.
 *
 * **Unsupported**: curved shapes, shapes with a margin, Minkowski sums and convex hulls of shapes. Where such a part
 * touches the other shape the status is #TACT_BAD_ARGUMENT, and the segments are those of the other parts.
 *
 * Uses no memory but `segments`. If `capacity` is too small (pass 0 and NULL to ask), the contents of `segments` are
 * undefined and `count` is a sufficient capacity, possibly more than needed. Cost: as tact_shapes_overlap, but for all
 * pairs of triangles, plus O(n log n) for n pieces. A hull tests all its facets.
 */
TACT_API tact_intersections tact_shapes_intersections(const tact_shape *a, tact_transform transform_a,
                                                      const tact_shape *b, tact_transform transform_b,
                                                      tact_intersection *segments, size_t capacity);

/** Result of a ray cast. */
typedef struct tact_ray_hit {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether the ray hits */
    double t;           /**< ray parameter of the hit */
    tact_vec3 point;    /**< from + t * direction */
    tact_vec3 normal;   /**< outward unit normal; against the ray for a mesh; zero if the ray starts inside (t = 0) */
    tact_part part;     /**< part at the point */
} tact_ray_hit;

/** Casts a ray: finds the first point from + t * direction, 0 <= t <= max, in the shape. `direction` is not zero and
 * not normalised; `max` is not negative and may be INFINITY. */
TACT_API tact_ray_hit tact_shape_ray(const tact_shape *shape, tact_transform transform, tact_vec3 from,
                                     tact_vec3 direction, double max);

/** Result of a closest-point query. */
typedef struct tact_closest {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    double distance;    /**< signed: negative inside */
    tact_vec3 point;    /**< closest point of the surface */
    tact_vec3 normal;   /**< outward normal there; for a mesh that is not solid: towards `from` */
    tact_part part;     /**< part at the point */
} tact_closest;

/** Finds the point of a shape's surface that is closest to `from`. */
TACT_API tact_closest tact_shape_closest(const tact_shape *shape, tact_transform transform, tact_vec3 from);

/** Tests whether a shape contains a point, inside or on its surface. */
TACT_API tact_overlap tact_shape_contains(const tact_shape *shape, tact_transform transform, tact_vec3 point);

/** Result of a time-of-impact query. */
typedef struct tact_toi {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether the shapes come into contact */
    double time; /**< hit: never after the true first contact, and the distance at this time is at most the tolerance;
                      miss: the end of the search; unknown: there is no contact before this time */
    tact_vec3 point;  /**< contact point at that time, midway between the surfaces */
    tact_vec3 normal; /**< from A to B */
    tact_part part_a; /**< part of A in contact */
    tact_part part_b; /**< part of B in contact */
} tact_toi;

/** Options of a time-of-impact query. Start with tact_toi_def_default(). */
typedef struct tact_toi_def {
    double end;       /**< searches the times 0 to `end`; finite, not negative; default 1 */
    double tolerance; /**< a length; 0 (default): 1e-9 of the smaller shape's largest half extent along x, y, z (the
                         larger shape's, if the smaller is a point; for a mesh, soup or compound of its transformed
                         local box) */
} tact_toi_def;

/** Returns the defaults: end 1, default tolerance. */
TACT_API tact_toi_def tact_toi_def_default(void);

/**
 * Finds the first time in [0, end] at which two moving shapes touch. Shapes that touch are always a hit; shapes that
 * stay farther apart than the tolerance never are.
 *
 * A start deeper than the tolerance is a hit at time 0. A start within the tolerance of touching is a hit at time 0
 * only if the shapes approach; otherwise the search continues after they have separated.
 */
TACT_API tact_toi tact_shapes_time_of_impact(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                             const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                             double end);

/** As tact_shapes_time_of_impact, with options (`def` NULL: defaults). */
TACT_API tact_toi tact_shapes_time_of_impact_with(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                                  const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                                  const tact_toi_def *def);

/** Shape cast: translates A by `path` in time 1; `time` is the fraction of the path that is free. */
TACT_API tact_toi tact_shapes_cast(const tact_shape *a, tact_transform transform_a, tact_vec3 path, const tact_shape *b,
                                   tact_transform transform_b);

/* ---------------------------------------------------------------------------------------------------------------
 * Batches: arrays in, arrays out. Each result equals that of the single call bit for bit, for any number of threads.
 * `parallel` NULL: the default loop. A batch returns #TACT_BAD_ARGUMENT and writes nothing if an array is NULL and
 * `count` is not 0; errors of single items are in their own status.
 * ------------------------------------------------------------------------------------------------------------- */

/** Two shapes with transforms. */
typedef struct tact_pair {
    const tact_shape *a;        /**< shape A */
    const tact_shape *b;        /**< shape B */
    tact_transform transform_a; /**< transform of A */
    tact_transform transform_b; /**< transform of B */
} tact_pair;

/** tact_shapes_distance for each pair. */
TACT_API tact_status tact_distance_batch(const tact_pair *pairs, size_t count, tact_distance *distances,
                                         const tact_parallel *parallel);

/** tact_shapes_overlap for each pair; `caches` is NULL or has one cache for each pair. */
TACT_API tact_status tact_overlap_batch(const tact_pair *pairs, size_t count, tact_cache *caches,
                                        tact_overlap *overlaps, const tact_parallel *parallel);

/** tact_shapes_within for each pair; `caches` is NULL or has one cache for each pair. */
TACT_API tact_status tact_within_batch(const tact_pair *pairs, size_t count, double distance, tact_cache *caches,
                                       tact_overlap *overlaps, const tact_parallel *parallel);

/** tact_shapes_common_point for each pair; `caches` is NULL or has one cache for each pair. */
TACT_API tact_status tact_common_point_batch(const tact_pair *pairs, size_t count, tact_cache *caches,
                                             tact_common_point *points, const tact_parallel *parallel);

/** tact_shapes_penetration for each pair. */
TACT_API tact_status tact_penetration_batch(const tact_pair *pairs, size_t count, tact_penetration *penetrations,
                                            const tact_parallel *parallel);

/** tact_shapes_manifold for each pair. */
TACT_API tact_status tact_manifold_batch(const tact_pair *pairs, size_t count, double max_separation,
                                         tact_manifold *manifolds, const tact_parallel *parallel);

/** tact_shapes_contacts for each pair: the points of pair i start at points[i * capacity]. */
TACT_API tact_status tact_contacts_batch(const tact_pair *pairs, size_t count, double max_separation,
                                         tact_contact_point *points, size_t capacity, tact_contacts *contacts,
                                         const tact_parallel *parallel);

/** tact_shapes_intersections for each pair: the segments of pair i start at segments[i * capacity]. */
TACT_API tact_status tact_intersections_batch(const tact_pair *pairs, size_t count, tact_intersection *segments,
                                              size_t capacity, tact_intersections *intersections,
                                              const tact_parallel *parallel);

/** A ray. */
typedef struct tact_ray {
    tact_vec3 from;      /**< start */
    tact_vec3 direction; /**< not zero, any length */
    double max;          /**< largest parameter; may be INFINITY */
} tact_ray;

/** tact_shape_ray of one shape for each ray. */
TACT_API tact_status tact_ray_batch(const tact_shape *shape, tact_transform transform, const tact_ray *rays,
                                    size_t count, tact_ray_hit *hits, const tact_parallel *parallel);

/** tact_shape_closest of one shape for each point. */
TACT_API tact_status tact_closest_batch(const tact_shape *shape, tact_transform transform, const tact_vec3 *points,
                                        size_t count, tact_closest *closest, const tact_parallel *parallel);

/** tact_shape_contains of one shape for each point. */
TACT_API tact_status tact_contains_batch(const tact_shape *shape, tact_transform transform, const tact_vec3 *points,
                                         size_t count, tact_overlap *overlaps, const tact_parallel *parallel);

/** Two moving shapes. */
typedef struct tact_moving_pair {
    tact_pair pair;       /**< the shapes, and their transforms at time 0 */
    tact_motion motion_a; /**< motion of A */
    tact_motion motion_b; /**< motion of B */
} tact_moving_pair;

/** tact_shapes_time_of_impact_with for each pair; `def` NULL: defaults. */
TACT_API tact_status tact_toi_batch(const tact_moving_pair *pairs, size_t count, const tact_toi_def *def,
                                    tact_toi *tois, const tact_parallel *parallel);

/** tact_shapes_cast for each pair: A of pair i moves along `paths[i]`. */
TACT_API tact_status tact_cast_batch(const tact_pair *pairs, const tact_vec3 *paths, size_t count, tact_toi *tois,
                                     const tact_parallel *parallel);

TACT_END

#endif
