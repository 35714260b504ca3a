/**
 * @file
 * Questions about one or two placed shapes. Plain functions without state: call them from any thread.
 *
 * Conventions, the same for every pair of shapes: points are in world coordinates; normals are of unit length and point
 * from A to B; depth is positive when the shapes overlap and minus the distance when they are apart; asking with A and
 * B swapped gives the same numbers, bit for bit, with the points swapped and the normal reversed (unless the two are
 * equal in every number, when nothing tells them apart). Shapes are closed sets: touching is a hit. Lengths are meant
 * to be between 1e-140 and 1e150; smaller ones may lose their digits.
 *
 * Every answer has a `status`. Bad input (NULL, NaN, infinities, a singular placement, coordinates beyond 1e150) gives
 * #TACT_BAD_ARGUMENT and an answer that is otherwise zero. No answer ever holds a NaN.
 *
 * Accuracy, with L the largest coordinate of either placed shape, of its placement's origin, or of the shape itself if
 * that lies far from its own origin, and u = 2^-53: a distance is within 1e-10 of itself plus 32 u L of the truth, and
 * yes-or-no is right unless the shapes come within 1e-12 L of just touching. The depth of polytopes is within 1e-6 of
 * itself plus 32 u L of the exact minimum over all directions. That of curved shapes is proved to 1e-7 of itself, to
 * 1e-3 at worst where thousands of directions are about as good (a cylinder deep inside a cylinder); depth and points
 * are tested to 1e-6 of the depth plus 1e-11 L. A user's own support function is taken to be as exact as its doubles
 * are.
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

/** Which part of a mesh, soup or compound an answer speaks of; zero for convex shapes. (In a contact with
 * #TACT_PREVIOUS: of the shapes of the previous frame.) */
typedef struct tact_part {
    uint32_t leaf; /**< of a compound: the part that is no compound itself, numbered depth first; else 0 */
    uint32_t face; /**< of a mesh or soup: the face or piece, as its maker numbered them */
} tact_part;

/** How far apart, and between which points. */
typedef struct tact_distance {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, or #TACT_NOT_CONVERGED with the best that was found */
    double distance;    /**< 0 when they touch or overlap */
    tact_vec3 on_a;     /**< the point of A nearest to B; a common point when they overlap */
    tact_vec3 on_b;     /**< the point of B nearest to A; the same common point when they overlap */
    tact_vec3 normal;   /**< from A to B; zero when they touch or overlap */
    tact_part part_a;   /**< of A: where on_a is */
    tact_part part_b;   /**< of B: where on_b is */
} tact_distance;

/** The distance of two placed shapes. */
TACT_API tact_distance tact_shapes_distance(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b);

/** What a pair remembers from one call to the next so that the next is faster (frame coherence): a direction that
 * separated them. Begin with a zero-initialised one for each pair; it may be kept, copied, or thrown away at any time,
 * and never changes a yes or no outside the band of rounding. */
typedef struct tact_cache {
    tact_vec3 axis; /**< from A to B, of any length; zero when nothing is known */
} tact_cache;

/** How a distance is wanted. Begin with tact_distance_def_default(). */
typedef struct tact_distance_def {
    double accuracy;    /**< relative; default 1e-10; 0 for all that the rounding of the coordinates allows */
    double upper_bound; /**< stop when the distance is known to be greater than this; default infinite */
    tact_cache *cache;  /**< where to begin, and where to leave the axis for next time; default NULL */
} tact_distance_def;

/** Full accuracy, no early end, no cache. */
TACT_API tact_distance_def tact_distance_def_default(void);

/** The distance, as asked for (`def` may be NULL for the default). When it ends early because of `enough`, `distance`
 * is a lower bound greater than `enough` and the points are those of the last step. */
TACT_API tact_distance tact_shapes_distance_with(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                                 tact_transform transform_b, const tact_distance_def *def);

/** Yes or no. */
typedef struct tact_overlap {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< #TACT_HIT or #TACT_MISS; #TACT_UNKNOWN when the status is not #TACT_OK */
} tact_overlap;

/** Do they touch? Ends at the first separating axis (ISA-GJK). `cache` may be NULL. */
TACT_API tact_overlap tact_shapes_overlap(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                          tact_transform transform_b, tact_cache *cache);

/** Are they at most `distance` (not negative) apart? Ends as soon as that is known. `cache` may be NULL. */
TACT_API tact_overlap tact_shapes_within(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                         tact_transform transform_b, double distance, tact_cache *cache);

/** A point that two shapes have in common. */
typedef struct tact_common_point {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether there is one */
    tact_vec3 point;    /**< it lies in both up to rounding; zero when they are apart */
    tact_part part_a;   /**< of A: where the point is */
    tact_part part_b;   /**< of B: where the point is */
} tact_common_point;

/** A common point, if they touch. `cache` may be NULL. */
TACT_API tact_common_point tact_shapes_common_point(const tact_shape *a, tact_transform transform_a,
                                                    const tact_shape *b, tact_transform transform_b, tact_cache *cache);

/** How deep two shapes are in each other: one signed answer through zero. */
typedef struct tact_penetration {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    double depth;       /**< overlapping: the length of the shortest move that parts them; apart: minus the distance */
    tact_vec3 normal;   /**< moving B by depth * normal makes them just touch */
    tact_vec3 on_a;     /**< the point of A's surface there; on_a - on_b = depth * normal */
    tact_vec3 on_b;     /**< the point of B's surface there */
    tact_part part_a;   /**< of A: where on_a is */
    tact_part part_b;   /**< of B: where on_b is */
} tact_penetration;

/** The penetration depth, or minus the distance. With a mesh, soup or compound the depth is the least only among a
 * number of directions: the normals of the parts that meet, the line between the middles, the coordinate axes, and what
 * these lead to. Along the normal that is answered it is exact all the same: at no lesser depth are they free of each
 * other. */
TACT_API tact_penetration tact_shapes_penetration(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                                  tact_transform transform_b);

/** The most points that a manifold holds. */
#define TACT_MANIFOLD_POINTS 8

/** One point of a contact manifold. */
typedef struct tact_manifold_point {
    tact_vec3 on_a;   /**< on A's surface */
    tact_vec3 on_b;   /**< on B's surface; on_a - on_b is depth * normal */
    double depth;     /**< positive: overlap there; negative: a gap there */
    tact_part part_a; /**< of A: where on_a is */
    tact_part part_b; /**< of B: where on_b is */
} tact_manifold_point;

/** Where two shapes press on each other. */
typedef struct tact_manifold {
    tact_status status; /**< as for tact_penetration */
    tact_state state;   /**< #TACT_HIT when the depth is at least minus the reach asked for */
    tact_vec3 normal;   /**< from A to B */
    double depth;       /**< the depth of the pair: that of tact_shapes_penetration */
    int count;          /**< 1 to #TACT_MANIFOLD_POINTS when hit, else 0 */
    tact_manifold_point points[TACT_MANIFOLD_POINTS]; /**< the deepest first */
} tact_manifold;

/** The contact manifold: where two faces meet, the corners of their common area (found by clipping one against the
 * other, reduced to the #TACT_MANIFOLD_POINTS that span the most); where an edge lies on a face, two points; else one.
 * Of a mesh, soup or compound: those of tact_shapes_contacts that share the normal of tact_shapes_penetration.
 * Points with a gap of more than `reach` (not negative) are left out; pairs farther apart than `reach` are a miss. */
TACT_API tact_manifold tact_shapes_manifold(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b, double reach);

/** One of all the places where two shapes touch. */
typedef struct tact_contact_point {
    tact_vec3 on_a;   /**< on A's surface */
    tact_vec3 on_b;   /**< on B's surface; on_a - on_b is depth * normal */
    tact_vec3 normal; /**< from A to B, of this point */
    double depth;     /**< positive: overlap there; negative: a gap there */
    tact_part part_a; /**< of A: where on_a is */
    tact_part part_b; /**< of B: where on_b is */
} tact_contact_point;

/** How many contact points there are. */
typedef struct tact_contacts {
    tact_status status; /**< as for tact_penetration */
    tact_state state;   /**< #TACT_HIT when there is a point */
    size_t count;       /**< of points; more than `room`: the deepest `room` were written, and points at one place may
                             count several times */
} tact_contacts;

/**
 * All contact points, each with a normal of its own, for simulators; written to `points`, which has room for `room`,
 * the deepest first. For each pair of triangles, pieces or parts that are at most `reach` (not negative) apart they are
 * the points of their manifold; points at one place are one. The normals of a mesh are aware of its edges: on the way
 * over a flat or hollow edge between two triangles the normal is that of the face, on a ridge it is between those of
 * the two faces; so nothing bumps into edges inside a surface. A solid pushes out; a shell to the side where the
 * other's part mostly is. Of solids no point is deeper than tact_shapes_penetration, but for rounding; of a shell whose
 * contacts all push to one side, as a landscape does, a point is as deep as the other is behind its own face. Two
 * convex shapes give the points of tact_shapes_manifold.
 */
TACT_API tact_contacts tact_shapes_contacts(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                            tact_transform transform_b, double reach, tact_contact_point *points,
                                            size_t room);

/** What a #tact_intersection is. */
typedef enum tact_intersection_type {
    TACT_INTERSECTION_SEGMENT = 1, /**< two faces go through each other, or an edge lies on a face: what they share */
    TACT_INTERSECTION_OUTLINE,     /**< two faces in one plane: a piece of the outline of what they share */
    TACT_INTERSECTION_POINT        /**< two faces share one point: both ends are there */
} tact_intersection_type;

/** A segment in which a face of A meets a face of B. */
typedef struct tact_intersection {
    tact_vec3 from;              /**< where it begins */
    tact_vec3 to;                /**< where it ends: see tact_shapes_intersections for the direction */
    tact_part part_a;            /**< of A: leaf, face or piece */
    tact_part part_b;            /**< of B */
    uint32_t facet_a;            /**< of a convex shape, part or piece of A: which of its faces; 0 for meshes */
    uint32_t facet_b;            /**< likewise of B */
    tact_intersection_type type; /**< which kind */
    uint32_t edge[2];            /**< outline: the edge that it lies on, by the numbers of its corners; else 0 */
    bool edge_of_b;              /**< outline: that edge is one of B's; else of A's */
} tact_intersection;

/** How many segments there are. */
typedef struct tact_intersections {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, or #TACT_OUT_OF_MEMORY: `room` is too small */
    tact_state state;   /**< whether there is one; #TACT_UNKNOWN if the status is not #TACT_OK and none was found */
    size_t count;       /**< of segments; #TACT_OUT_OF_MEMORY: a room that is enough */
} tact_intersections;

/**
 * The intersection itself: all segments in which the surfaces of two shapes meet, in the order of A's parts and sides,
 * then B's. Each pair of faces tells what it shares, so a segment along an edge is told by all faces at that edge. One
 * wholly inside the other: none. A polygon counts as one face: pieces in its triangles that follow each other straight,
 * up to rounding, are one segment, and its cuts are no outline.
 *
 * A #TACT_INTERSECTION_SEGMENT runs along n_a x n_b, n being the outward normal (of a face of a mesh: towards where its
 * corners go around counter-clockwise, in its own coordinates), so that those of closed surfaces follow each other
 * around. A #TACT_INTERSECTION_OUTLINE ends where x is greater (or y, or z, where these are equal).
 *
 * Sides of a box: 0 to 5 are -x, +x, -y, +y, -z, +z; of a tetrahedron: i is opposite to point i; of a hull: always
 * the same for the same hull. Corners of an edge: of a mesh or soup its vertices; of a hull, polygon or simplex as
 * tact_shape_get_points tells them; of a box 1 if x, plus 2 if y, plus 4 if z is at its maximum.
 *
 * Which faces meet, and in what (nothing, a point, a segment, an area) is exact for meshes, soups, boxes, hulls,
 * polygons and simplices, alone, under #TACT_TRANSFORMED and in compounds: for their corners, placed as mesh.h tells,
 * and the triangles between them. Ends are rounded: two units in the last place of the largest coordinate of the edge
 * they are on. Neighbouring faces agree on their common ends bit for bit, unless edges cross exactly.
 *
 * Curved and rounded shapes (a margin), sums and joins have no segments: where such a part or piece touches the other
 * shape the status is #TACT_BAD_ARGUMENT, and the segments are those of the rest.
 *
 * Uses no memory but `segments`. When `room` is too small (0 with NULL to ask) what was written there means nothing,
 * and `count` is a room that is enough, if more than there will be: pieces of one segment count each. Cost: as of
 * tact_shapes_overlap, but for all pairs of triangles, plus n log n for the n pieces; a hull looks at all its faces.
 */
TACT_API tact_intersections tact_shapes_intersections(const tact_shape *a, tact_transform transform_a,
                                                      const tact_shape *b, tact_transform transform_b,
                                                      tact_intersection *segments, size_t room);

/** Where a ray meets a shape. */
typedef struct tact_ray_hit {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether it does */
    double t;           /**< the ray's parameter there */
    tact_vec3 point;    /**< from + t * direction */
    tact_vec3
        normal;     /**< outward, of unit length; zero when the ray starts inside (t = 0); of a mesh: against the ray */
    tact_part part; /**< where the point is */
} tact_ray_hit;

/** The first point of the ray from + t * direction, 0 <= t <= max, that lies in the shape. `direction` is not zero and
 * taken as it is, of any length; `max` is not negative and may be INFINITY. */
TACT_API tact_ray_hit tact_shape_ray(const tact_shape *shape, tact_transform at, tact_vec3 from, tact_vec3 direction,
                                     double max);

/** How far a point is from a shape. */
typedef struct tact_closest {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    double distance;    /**< signed: negative inside */
    tact_vec3 point;    /**< the nearest point of the shape's surface */
    tact_vec3 normal;   /**< outward, there; of a shell: towards `from` */
    tact_part part;     /**< where the point is */
} tact_closest;

/** The point of a shape's surface nearest to `from`. */
TACT_API tact_closest tact_shape_closest(const tact_shape *shape, tact_transform at, tact_vec3 from);

/** Is the point in the shape (inside or on it)? */
TACT_API tact_overlap tact_shape_contains(const tact_shape *shape, tact_transform at, tact_vec3 point);

/** When two moving shapes meet. */
typedef struct tact_toi {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_OUT_OF_MEMORY or #TACT_NOT_CONVERGED */
    tact_state state;   /**< whether they meet */
    double time; /**< hit: never after the true first contact, and the distance then is at most the tolerance; miss: the
                             end of the search; no verdict: up to here there is no contact */
    tact_vec3 point;  /**< where, at that time, midway between the two surfaces */
    tact_vec3 normal; /**< from A to B */
    tact_part part_a; /**< of A: what touches */
    tact_part part_b; /**< of B: what touches */
} tact_toi;

/** How an impact is wanted. Begin with tact_toi_def_default(). */
typedef struct tact_toi_def {
    double end;       /**< search the times 0 to `end`; not negative, finite; default 1 */
    double tolerance; /**< a length; 0 (the default) for 1e-9 of the smaller shape's largest half extent along x, y, z
                         (of the larger one's, if the smaller is a point; of a mesh, soup or compound: of its own box,
                         placed) */
} tact_toi_def;

/** End 1, default tolerance. */
TACT_API tact_toi_def tact_toi_def_default(void);

/**
 * The first time in [0, end] at which two moving shapes touch. They are a hit if they meet, and not if they stay
 * farther apart than the tolerance. Deeper in each other than the tolerance at the start: a hit at time 0. Within the
 * tolerance of touching at the start: a hit at 0 only if they are closing; otherwise the search goes on once they have
 * parted.
 */
TACT_API tact_toi tact_shapes_time_of_impact(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                             const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                             double end);

/** The same, as asked for; `def` may be NULL for the default. */
TACT_API tact_toi tact_shapes_time_of_impact_with(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                                  const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                                  const tact_toi_def *def);

/** Shape cast: A moves along `path` (its motion in time 1) without turning; `time` says which part of the path is
 * free. */
TACT_API tact_toi tact_shapes_cast(const tact_shape *a, tact_transform transform_a, tact_vec3 path, const tact_shape *b,
                                   tact_transform transform_b);

/* ---------------------------------------------------------------------------------------------------------------
 * Many at once: arrays in, arrays out. Each answer is the one that the single call gives, bit for bit, whatever the
 * number of threads. `parallel` may be NULL for the default. They return #TACT_BAD_ARGUMENT, writing nothing, when an
 * array is NULL and `count` is not 0; what is wrong with a single item is told by that item's status.
 * ------------------------------------------------------------------------------------------------------------- */

/** Two placed shapes. */
typedef struct tact_pair {
    const tact_shape *a;        /**< one */
    const tact_shape *b;        /**< the other */
    tact_transform transform_a; /**< where A is */
    tact_transform transform_b; /**< where B is */
} tact_pair;

/** tact_shapes_distance for each pair. */
TACT_API tact_status tact_distance_batch(const tact_pair *pairs, size_t count, tact_distance *distances,
                                         const tact_parallel *parallel);

/** tact_shapes_overlap for each pair; `caches` may be NULL, or has one for each pair. */
TACT_API tact_status tact_overlap_batch(const tact_pair *pairs, size_t count, tact_cache *caches,
                                        tact_overlap *verdicts, const tact_parallel *parallel);

/** tact_shapes_within for each pair. */
TACT_API tact_status tact_within_batch(const tact_pair *pairs, size_t count, double distance, tact_cache *caches,
                                       tact_overlap *verdicts, const tact_parallel *parallel);

/** tact_shapes_common_point for each pair; `caches` may be NULL, or has one for each pair. */
TACT_API tact_status tact_common_point_batch(const tact_pair *pairs, size_t count, tact_cache *caches,
                                             tact_common_point *points, const tact_parallel *parallel);

/** tact_shapes_penetration for each pair. */
TACT_API tact_status tact_penetration_batch(const tact_pair *pairs, size_t count, tact_penetration *depths,
                                            const tact_parallel *parallel);

/** tact_shapes_manifold for each pair. */
TACT_API tact_status tact_manifold_batch(const tact_pair *pairs, size_t count, double reach, tact_manifold *manifolds,
                                         const tact_parallel *parallel);

/** tact_shapes_contacts for each pair: the points of pair i are written from points[i * room] on. */
TACT_API tact_status tact_contacts_batch(const tact_pair *pairs, size_t count, double reach, tact_contact_point *points,
                                         size_t room, tact_contacts *contacts, const tact_parallel *parallel);

/** tact_shapes_intersections for each pair: the segments of pair i are written from segments[i * room] on. */
TACT_API tact_status tact_intersections_batch(const tact_pair *pairs, size_t count, tact_intersection *segments,
                                              size_t room, tact_intersections *crossings,
                                              const tact_parallel *parallel);

/** A ray. */
typedef struct tact_ray {
    tact_vec3 from;      /**< where it begins */
    tact_vec3 direction; /**< not zero, of any length */
    double max;          /**< the greatest parameter; may be INFINITY */
} tact_ray;

/** tact_shape_ray of one shape for each ray. */
TACT_API tact_status tact_ray_batch(const tact_shape *shape, tact_transform at, const tact_ray *rays, size_t count,
                                    tact_ray_hit *hits, const tact_parallel *parallel);

/** tact_shape_closest of one shape for each point. */
TACT_API tact_status tact_closest_batch(const tact_shape *shape, tact_transform at, const tact_vec3 *points,
                                        size_t count, tact_closest *closest, const tact_parallel *parallel);

/** tact_shape_contains of one shape for each point. */
TACT_API tact_status tact_contains_batch(const tact_shape *shape, tact_transform at, const tact_vec3 *points,
                                         size_t count, tact_overlap *verdicts, const tact_parallel *parallel);

/** Two placed and moving shapes. */
typedef struct tact_moving_pair {
    tact_pair pair;       /**< which, and where at time 0 */
    tact_motion motion_a; /**< how A moves */
    tact_motion motion_b; /**< how B moves */
} tact_moving_pair;

/** tact_shapes_time_of_impact_with for each pair; `def` may be NULL for the default. */
TACT_API tact_status tact_toi_batch(const tact_moving_pair *pairs, size_t count, const tact_toi_def *def,
                                    tact_toi *impacts, const tact_parallel *parallel);

/** tact_shapes_cast for each pair: A of pair i moves along `paths[i]`. */
TACT_API tact_status tact_cast_batch(const tact_pair *pairs, const tact_vec3 *paths, size_t count, tact_toi *impacts,
                                     const tact_parallel *parallel);

TACT_END

#endif
