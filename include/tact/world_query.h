/**
 * @file
 * Queries about a world: ray casts, shape casts, overlaps and closest bodies; the closest result, any result, or all.
 * They change nothing, need no memory, and may run on many threads while nothing changes the world. Bodies are where
 * they were last placed; no tact_world_test is needed.
 *
 * The functions of query.h compute the results. If one of them fails on a body (a custom support function that returns
 * no finite numbers), the status of the query is the status of that failure, and the result is that of the other
 * bodies.
 */
#ifndef TACT_WORLD_QUERY_H
#define TACT_WORLD_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/parallel.h>
#include <tact/query.h>
#include <tact/status.h>

TACT_BEGIN

/** A filter callback: returns whether the query considers this body. Must be pure and callable from any thread. */
typedef bool tact_body_filter(void *context, tact_body body, void *user);

/** Which bodies a query considers. All zero: every body. */
typedef struct tact_filter {
    uint64_t category;        /**< as in tact_body_def; 0: all bits */
    uint64_t mask;            /**< as in tact_body_def; 0: all bits */
    tact_body_filter *accept; /**< additional condition; NULL: none */
    void *context;            /**< passed to `accept` */
} tact_filter;

/** A body found by a query. */
typedef struct tact_hit {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_NOT_CONVERGED, #TACT_OUT_OF_MEMORY */
    tact_state state;   /**< #TACT_HIT or #TACT_MISS; #TACT_UNKNOWN if the query is invalid, or if nothing was found and
                           the   status is not #TACT_OK */
    tact_body body;     /**< the body */
    void *user;         /**< its user pointer */
    double t;           /**< ray: parameter of the point; cast: fraction of the path that is free; else 0 */
    double distance;  /**< overlap: minus the depth (closest) or 0 (any, all); closest: distance, negative if `from` is
                           inside the body; else 0 */
    tact_vec3 point;  /**< ray: from + t * direction; cast: contact point; overlap: deepest point of the body (closest)
                         or  zero; closest: closest point of the body's surface */
    tact_vec3 normal; /**< ray, closest to a point: outward from the body; cast, overlap, closest to a shape: from the
                         shape to the body; zero where query.h says so */
    tact_part part;   /**< part of the body at the point; overlap (any, all): a part that touches */
    tact_part part_of_shape; /**< cast, overlap, closest to a shape: part of the query shape */
} tact_hit;

/** Type of a query. */
typedef enum tact_query_type {
    TACT_QUERY_RAY = 1, /**< bodies hit by the ray `from` + t `direction`, 0 <= t <= `max`: tact_shape_ray */
    TACT_QUERY_CAST,    /**< bodies hit by `shape` at `transform`, translated by `direction`: tact_shapes_cast */
    TACT_QUERY_OVERLAP, /**< bodies that touch `shape` at `transform`; the closest is the deepest: tact_shapes_overlap,
                             tact_shapes_penetration */
    TACT_QUERY_CLOSEST  /**< bodies at most `max` from `shape` at `transform` (tact_shapes_distance), or from the point
                             `from` if `shape` is NULL (tact_shape_closest) */
} tact_query_type;

/** A query. Fields that its type does not use may be zero. */
typedef struct tact_query {
    tact_query_type type;     /**< type of the query */
    const tact_shape *shape;  /**< cast, overlap, closest */
    tact_transform transform; /**< transform of `shape`; all zero: the identity */
    tact_vec3 from;           /**< ray: start; closest: the point, if `shape` is NULL */
    tact_vec3 direction;      /**< ray: direction, not zero; cast: displacement */
    double max;               /**< ray: largest parameter; closest: largest distance; 0: no limit */
    bool any;           /**< stop at the first body found instead of the closest one. Which one may depend on the broad
                             phase. Otherwise, among equally close bodies, the one created first is returned. */
    tact_filter filter; /**< bodies to consider */
} tact_query;

/** A status and a count. */
typedef struct tact_count {
    tact_status status; /**< status of the call */
    size_t count;       /**< number of results or calls */
} tact_count;

/** Finds one body: the closest, or any. */
TACT_API tact_hit tact_world_query(const tact_world *world, const tact_query *query);

/** Finds all bodies. Writes the closest `capacity` of them to `hits` (may be NULL if `capacity` is 0), sorted by
 * distance and then by order of creation, and returns the total number. Ignores `any`. */
TACT_API tact_count tact_world_query_all(const tact_world *world, const tact_query *query, tact_hit *hits,
                                         size_t capacity);

/** tact_world_query for each query; bit-identical for any number of threads. `parallel` NULL: that of the world.
 * #TACT_BAD_ARGUMENT, and nothing is written, if a pointer is NULL and `count` is not 0. */
TACT_API tact_status tact_world_query_batch(const tact_world *world, const tact_query *queries, size_t count,
                                            tact_hit *hits, const tact_parallel *parallel);

/** tact_world_query_all for each query: the hits of query i start at hits[i * capacity], their total number is in
 * counts[i]. */
TACT_API tact_status tact_world_query_all_batch(const tact_world *world, const tact_query *queries, size_t count,
                                                tact_hit *hits, size_t capacity, tact_count *counts,
                                                const tact_parallel *parallel);

/* Short forms of tact_world_query. `filter` may be NULL. Unlike in tact_query, a `max` of 0 means 0; INFINITY: no
 * limit. */

/** Finds the first body hit by a ray. */
TACT_API tact_hit tact_world_ray(const tact_world *world, tact_vec3 from, tact_vec3 direction, double max,
                                 const tact_filter *filter);

/** Finds the first body hit by a shape that is translated by `path`. */
TACT_API tact_hit tact_world_cast(const tact_world *world, const tact_shape *shape, tact_transform transform,
                                  tact_vec3 path, const tact_filter *filter);

/** Finds the body that a shape penetrates deepest. */
TACT_API tact_hit tact_world_overlap(const tact_world *world, const tact_shape *shape, tact_transform transform,
                                     const tact_filter *filter);

/** Finds the body closest to a point, at most `max` away. Inside several bodies: the one in which it is deepest. */
TACT_API tact_hit tact_world_closest_point(const tact_world *world, tact_vec3 from, double max,
                                           const tact_filter *filter);

/** Finds the body closest to a shape, at most `max` away. */
TACT_API tact_hit tact_world_closest_shape(const tact_world *world, const tact_shape *shape, tact_transform transform,
                                           double max, const tact_filter *filter);

TACT_END

#endif
