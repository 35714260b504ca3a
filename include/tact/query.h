/**
 * @file
 * Queries about one or two shapes at given transforms. Stateless functions, callable from any thread.
 *
 * **Conventions**, the same for every pair of shapes:
 * - Points are in world coordinates. Normals have unit length and point from A to B.
 * - Depth is positive for overlapping shapes and minus the distance for disjoint ones.
 * - Shapes are closed sets: touching is a hit.
 * - Swapping A and B gives bit-identical numbers, with the points swapped and the normal reversed. The one exception:
 *   if both shapes and both transforms are equal, the normal stays the same.
 * - A length is 0, or should lie between 1e-140 and 1e150. Results for smaller lengths may lose digits.
 *
 * **Errors.** Every result has a `status`. Bad input (NULL, NaN, infinity, a singular transform, coordinates beyond
 * 1e150) gives #TACT_BAD_ARGUMENT and a result that is otherwise zero. No result ever contains a NaN.
 *
 * **Shapes without points**, such as a mesh without faces, overlap nothing, contain nothing and are missed by every ray
 * and every moving shape. They have no distance, closest point, depth and manifold: these return #TACT_BAD_ARGUMENT.
 *
 * **Accuracy.** Let u = 2^-53. Let L be the largest absolute coordinate of both transformed shapes and of the origins
 * of both transforms. If a shape lies far from its local origin, its largest local coordinate counts, too.
 * - Distance: relative error 1e-10 plus absolute error 32 u L.
 * - Overlap, containment, hit or miss: correct unless the absolute signed distance is below 1e-12 L. Overlap of two
 *   meshes, containment in a mesh and ray hits on a mesh are decided exactly, if the mesh has no margin.
 * - Depth of polytopes without margin: relative error 1e-12 plus absolute error 32 u L, compared with the minimum over
 *   all directions.
 * - Depth of curved shapes: relative error 1e-7. It is 1e-3 at worst, if thousands of directions are nearly as good as
 *   the best one, as for a cylinder deep inside a cylinder. Each result is verified to this bound. The tests also
 *   compare depth and points with an oracle, to 1e-6 of the depth plus 1e-11 L.
 * - Normal of disjoint shapes: the direction between the points, so that it is off by about 512 u L / distance. If the
 *   shapes are closer than that error, it may have any direction.
 * - A custom support function is assumed to be accurate to a few ulps of its result.
 *
 * **Feature ids.** Contact points have ids by which a solver finds the same point in the next frame, to start from its
 * last impulses (warm start). The id of a point is the pair (`feature_a`, `feature_b`). Each of these numbers names a
 * feature of one shape, a vertex, an edge or a face, and the point is on that feature. 0 stands for the whole shape.
 * The numbers have no other meaning, and may change with the version of the library.
 *
 * What is stable: the number of a feature is the same for all transforms and for all other shapes, and different
 * features have different numbers. So as long as the same features of both shapes touch, a point has the same id. It
 * gets another id where its features change: when a vertex of A leaves a face of B across an edge, for example.
 * - *Polytopes* (box, hull, polygon, simplex), with or without margin: two points of one manifold have different ids.
 * - *Cylinder, cone*: a cap is a polygon with fixed vertices on the rim. It has more corners than a manifold has
 *   points: others may be chosen in the next frame. The generator in contact is one edge, wherever it is on the mantle.
 * - *Sphere, capsule*: a vertex, or an edge and its ends. Other curved shapes, custom shapes, Minkowski sums and convex
 *   hulls of shapes have one contact point, with the feature 0.
 * - *Meshes*: the vertices, edges and faces of the whole mesh. A vertex or edge that several faces share is one
 *   feature, so the id does not depend on which of the faces was found. It is stable while a body deforms or is torn.
 *   On one feature there may be several points with different normals. Ids of NURBS shapes are those of their
 *   triangles.
 * - *Soups, compounds*: the features of a part or leaf, together with its index. A half-space is one face.
 * - If a contact of meshes comes from tact_shapes_penetration (one shape encloses the other, or no pair of triangles
 *   has a point of its own), both numbers are 0.
 *
 * Numbers of edges with a vertex index from 2^15 on, and those in a soup or compound except in its part 0, are hashed
 * to 30 bits: two of them may coincide by chance. All others are exact. Swapping A and B swaps the two numbers.
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

/** The part of a mesh, soup or compound that a result refers to; zero for convex shapes. In a contact with
 * #TACT_PREVIOUS it refers to the shapes of the previous frame. */
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

/** A cached separating axis of a pair. It makes the next query faster if the shapes move little (frame coherence).
 * Start with one that is all zero for each pair. It may be kept, copied or discarded at any time. It can change a
 * yes-or-no answer only if the absolute signed distance is below 1e-12 L (see Accuracy above). */
typedef struct tact_cache {
    tact_vec3 axis; /**< from A to B, of any length; zero: nothing is known */
} tact_cache;

/** Options of a distance query. Start with tact_distance_def_default(). */
typedef struct tact_distance_def {
    double accuracy;    /**< largest relative error; default 1e-10; 0: as accurate as rounding allows */
    double upper_bound; /**< stop once the distance is known to exceed this; default infinity */
    tact_cache *cache;  /**< in: initial axis, out: axis for the next query; default NULL */
} tact_distance_def;

/** Returns the defaults: relative accuracy 1e-10, no upper bound, no cache. */
TACT_API tact_distance_def tact_distance_def_default(void);

/** Computes the distance with options (`def` NULL: defaults). The search stops early once the distance is known to
 * exceed `upper_bound`. Then `distance` is a lower bound of the distance, greater than `upper_bound`, and the points
 * are those of the last iteration. */
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

/** Tests whether the distance of two shapes is at most `distance`, which is not negative. Stops as soon as that is
 * decided. `cache` may be NULL. */
TACT_API tact_overlap tact_shapes_within(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                         tact_transform transform_b, double distance, tact_cache *cache);

/** Result of a common-point query. */
typedef struct tact_common_point {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether the shapes overlap or touch */
    tact_vec3 point;    /**< a point of both shapes, up to rounding; zero for a miss */
    tact_part part_a;   /**< part of A at the point; zero for a miss */
    tact_part part_b;   /**< part of B at the point; zero for a miss */
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

/**
 * Computes the penetration depth, or minus the distance of disjoint shapes. For two convex shapes the depth is the
 * minimum over all directions.
 *
 * With a mesh, soup or compound it is the minimum over a set of candidate directions. They are the normals of the
 * intersecting parts, the line between the centres, the coordinate axes, and directions derived from these. A shorter
 * separating translation may exist in another direction. Along the returned normal no shorter translation separates,
 * up to about 32 ulps of the size of the shapes.
 */
TACT_API tact_penetration tact_shapes_penetration(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                                  tact_transform transform_b);

/** Maximum number of points of a manifold. */
#define TACT_MANIFOLD_POINTS 8

/** A point of a contact manifold. */
typedef struct tact_manifold_point {
    tact_vec3 on_a;     /**< on A's surface */
    tact_vec3 on_b;     /**< on B's surface; on_a - on_b = depth * normal */
    double depth;       /**< positive: penetration, negative: gap */
    tact_part part_a;   /**< part of A at `on_a` */
    tact_part part_b;   /**< part of B at `on_b` */
    uint32_t feature_a; /**< feature of A at `on_a`, see Feature ids */
    uint32_t feature_b; /**< feature of B at `on_b`, see Feature ids */
} tact_manifold_point;

/** A contact manifold: the contact points of a pair, with a common normal. A miss has a normal and a depth, too. */
typedef struct tact_manifold {
    tact_status status;                               /**< as for tact_penetration */
    tact_state state;                                 /**< #TACT_HIT if the depth is at least -`max_separation` */
    tact_vec3 normal;                                 /**< from A to B */
    double depth;                                     /**< depth of the pair, as of tact_shapes_penetration */
    int count;                                        /**< 1 to #TACT_MANIFOLD_POINTS for a hit, else 0 */
    tact_manifold_point points[TACT_MANIFOLD_POINTS]; /**< the deepest first */
} tact_manifold;

/**
 * Computes the contact manifold.
 * - Face against face: the vertices of the common area, found by clipping one face against the other. If there are
 *   more than #TACT_MANIFOLD_POINTS, those that remove the least area are dropped, but never the deepest.
 * - Edge against face: two points.
 * - All other pairs of convex shapes: one point.
 * - A mesh, soup or compound: those points of tact_shapes_contacts whose normal is that of tact_shapes_penetration.
 * - A half-space: of a convex shape the face, edge or vertex that is lowest along its normal; of a mesh, soup or
 *   compound the deepest contact and the outermost others.
 *
 * Points with a gap of more than `max_separation` (not negative) are left out. A pair farther apart than that is a
 * miss.
 */
TACT_API tact_manifold tact_shapes_manifold(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b, double max_separation);

/** A contact point with a normal of its own. */
typedef struct tact_contact_point {
    tact_vec3 on_a;     /**< on A's surface */
    tact_vec3 on_b;     /**< on B's surface; on_a - on_b = depth * normal */
    tact_vec3 normal;   /**< from A to B */
    double depth;       /**< positive: penetration, negative: gap */
    tact_part part_a;   /**< part of A at `on_a` */
    tact_part part_b;   /**< part of B at `on_b` */
    uint32_t feature_a; /**< feature of A at `on_a`, see Feature ids */
    uint32_t feature_b; /**< feature of B at `on_b`, see Feature ids */
} tact_contact_point;

/** Number of contact points. */
typedef struct tact_contacts {
    tact_status status; /**< as for tact_penetration */
    tact_state state;   /**< #TACT_HIT if there is a point */
    /** Number of points. If it exceeds `capacity`, only the deepest `capacity` points were written. Then coincident
     * points may be counted several times. */
    size_t count;
} tact_contacts;

/**
 * Computes all contact points, each with its own normal, deepest first, for use by a simulator. Writes at most
 * `capacity` of them to `points`.
 *
 * Each pair of triangles, convex parts or leaves at most `max_separation` (not negative) apart contributes the points
 * of its manifold. Coincident points are merged. Two convex shapes give the points of tact_shapes_manifold.
 *
 * **Flat parts of meshes.** Triangles that are connected in one plane are one face to a convex shape, however many they
 * are: points are left out that lie between others. So a box on a flat part has four points, and the cost does not
 * depend on the number of triangles. Near the rim of the part there may be more points.
 *
 * **Normals on meshes** follow the surface, not the single triangle. At a flat or concave edge the normal is that of a
 * face. At a convex edge it lies between the normals of the two faces. So a body that slides over a smooth surface does
 * not collide with internal edges. The normal of a solid points outward. The normal of a surface points to the side on
 * which most of the other shape's part lies.
 *
 * **Depth on meshes.** For solids no point is deeper than tact_shapes_penetration, up to rounding. A surface may have
 * all its normals on one side, as a terrain does, and so may a heightfield. Then the depth of a point is measured from
 * the plane of its own face. A half-space has the vertices of a mesh that are within reach of its plane as contacts.
 */
TACT_API tact_contacts tact_shapes_contacts(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b, double max_separation,
                                            tact_contact_point *points, size_t capacity);

/** Type of a #tact_intersection. */
typedef enum tact_intersection_type {
    TACT_INTERSECTION_SEGMENT = 1, /**< two faces cross, or an edge lies in a face: their common segment */
    TACT_INTERSECTION_OUTLINE,     /**< two coplanar faces: a segment of the boundary of their common area */
    TACT_INTERSECTION_POINT        /**< two faces share one point: `from` and `to` are equal */
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
    /** #TACT_OK or #TACT_BAD_ARGUMENT. #TACT_OUT_OF_MEMORY means here that `capacity` is too small: the function
     * allocates nothing. */
    tact_status status;
    tact_state state; /**< whether there is a segment; #TACT_UNKNOWN if the query failed and none was found */
    size_t count;     /**< number of segments; with #TACT_OUT_OF_MEMORY: a sufficient capacity */
} tact_intersections;

/**
 * Computes the intersection curve of two surfaces as a list of segments. They are sorted by the parts and facets of A,
 * then by those of B. If one shape lies wholly inside the other, there is no segment.
 *
 * Each pair of faces is reported separately. So along an edge where several faces meet, each of them has a segment. A
 * polygon is one face: the collinear segments of its triangles are merged, up to rounding, and its internal edges are
 * not part of an outline.
 *
 * **Direction.** A #TACT_INTERSECTION_SEGMENT is directed along n_a x n_b, where n is the outward normal. The outward
 * side of a mesh face is the side from which its vertices are counter-clockwise, in local coordinates. So the segments
 * of closed surfaces form directed loops. A #TACT_INTERSECTION_OUTLINE is directed towards larger x. If its ends have
 * the same x, larger y decides, then larger z.
 *
 * **Numbering.**
 * - Facets of a box: 0 to 5 are -x, +x, -y, +y, -z, +z. Facet i of a tetrahedron is opposite to point i. The facets of
 *   a hull have a fixed order.
 * - The two vertices in `edge`: for a mesh or soup its vertex indices; for a hull, polygon or simplex the order of
 *   tact_shape_get_points. The index of a box vertex is the sum of 1, 2 and 4 for a maximal x, y and z.
 *
 * **Exactness.** The following is exact for the transformed vertices as mesh.h defines them: which faces intersect,
 * and whether in a point, a segment or an area. This holds for meshes, soups, boxes, hulls, polygons and simplices,
 * also under #TACT_TRANSFORMED and in compounds. Ends are rounded to within two ulps of the largest coordinate of
 * their edge. Two adjacent faces have bit-identical common ends, unless an edge of A intersects an edge of B in one
 * point.
 *
 * **Unsupported**: curved shapes, shapes with a margin, Minkowski sums and convex hulls of shapes. If such a part
 * touches the other shape, the status is #TACT_BAD_ARGUMENT, and the segments are those of all other parts.
 *
 * **Capacity.** The function writes to `segments` and uses no other memory. If `capacity` is too small, the status is
 * #TACT_OUT_OF_MEMORY, the contents of `segments` are undefined, and `count` is a sufficient capacity. That may be more
 * than needed, because segments are counted before they are merged. Pass 0 and NULL to find it.
 *
 * Cost: that of tact_shapes_overlap for all intersecting pairs of triangles instead of the first, plus O(n log n) to
 * merge n segments. All facets of a hull are tested.
 */
TACT_API tact_intersections tact_shapes_intersections(const tact_shape *a, tact_transform transform_a,
                                                      const tact_shape *b, tact_transform transform_b,
                                                      tact_intersection *segments, size_t capacity);

/** Result of a ray cast. For a miss all fields after the state are zero. */
typedef struct tact_ray_hit {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether the ray hits */
    double t;           /**< ray parameter of the hit */
    tact_vec3 point;    /**< from + t * direction */
    tact_vec3 normal;   /**< outward unit normal; against the ray for a mesh; zero if the ray starts inside (t = 0) */
    tact_part part;     /**< part at the point */
} tact_ray_hit;

/** Casts a ray: finds the first point from + t * direction, 0 <= t <= max, in the shape. `direction` must not be zero
 * and need not be normalised. `max` is not negative and may be INFINITY. */
TACT_API tact_ray_hit tact_shape_ray(const tact_shape *shape, tact_transform transform, tact_vec3 from,
                                     tact_vec3 direction, double max);

/** Result of a closest-point query. */
typedef struct tact_closest {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    double distance;    /**< signed: negative inside */
    tact_vec3 point;    /**< closest point of the surface */
    tact_vec3 normal;   /**< outward normal there; mesh that is not solid: towards `from`, or normal of the face */
    tact_part part;     /**< part at the point */
} tact_closest;

/** Finds the point of a shape's surface that is closest to `from`. If several points are equally close, it is one of
 * them, the same in every call. */
TACT_API tact_closest tact_shape_closest(const tact_shape *shape, tact_transform transform, tact_vec3 from);

/** Tests whether a shape contains a point, inside or on its surface. */
TACT_API tact_overlap tact_shape_contains(const tact_shape *shape, tact_transform transform, tact_vec3 point);

/** Result of a time-of-impact query. */
typedef struct tact_toi {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether the shapes come into contact */
    /** Hit: never after the true contact (see tact_shapes_time_of_impact); the distance then is at most the tolerance.
     * Miss: the end of the search. Unknown: there is no contact before this time. */
    double time;
    tact_vec3 point;  /**< contact point at that time, midway between the surfaces; zero for a miss */
    tact_vec3 normal; /**< from A to B; zero for a miss */
    tact_part part_a; /**< part of A in contact; zero for a miss */
    tact_part part_b; /**< part of B in contact; zero for a miss */
} tact_toi;

/** Options of a time-of-impact query. Start with tact_toi_def_default(). */
typedef struct tact_toi_def {
    double end; /**< searches the times 0 to `end`; finite, not negative; default 1 */
    /** A length. 0, the default, selects 1e-9 of the size of the smaller shape. The size is half the longest side of
     * the shape's axis-aligned bounding box. For a mesh, soup or compound the box is that around its transformed local
     * box. If the size of the smaller shape is 0 (a point), that of the larger shape is used. */
    double tolerance;
} tact_toi_def;

/** Returns the defaults: end 1, default tolerance. */
TACT_API tact_toi_def tact_toi_def_default(void);

/**
 * Finds the first time in [0, end] at which two moving shapes touch. If they come into contact, the result is a hit
 * (for a start in contact see below). If they stay farther apart than the tolerance, it is a miss. If they only come
 * closer than the tolerance without touching, either result is possible.
 *
 * If the shapes are deeper than the tolerance at the start, the hit is at time 0. If they are within the tolerance of
 * touching, the hit is at time 0 only if they approach. Otherwise the search continues: the hit is the next time at
 * which they touch again or penetrate.
 */
TACT_API tact_toi tact_shapes_time_of_impact(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                             const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                             double end);

/** As tact_shapes_time_of_impact, with options (`def` NULL: defaults). */
TACT_API tact_toi tact_shapes_time_of_impact_with(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                                  const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                                  const tact_toi_def *def);

/** Shape cast: translates A along `path`, without rotation. As tact_shapes_time_of_impact with end 1: `time` is the
 * fraction of the path that is free. */
TACT_API tact_toi tact_shapes_cast(const tact_shape *a, tact_transform transform_a, tact_vec3 path, const tact_shape *b,
                                   tact_transform transform_b);

/**
 * @name Batches
 * Arrays in, arrays out. Each result is bit-identical to that of the single call, for any number of threads. `parallel`
 * NULL: the default loop. If an array is NULL and `count` is not 0, a batch returns #TACT_BAD_ARGUMENT and writes
 * nothing. Each item has its own status.
 * @{
 */

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
    tact_vec3 direction; /**< not zero, of any other length */
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

/** @} */

TACT_END

#endif
