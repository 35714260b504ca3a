/**
 * @file
 * Queries about a world: ray casts, shape casts, overlaps and closest bodies. Each finds the closest body, any body, or
 * all bodies.
 *
 * The queries do not change the world. They may run on many threads while no call changes it. No tact_world_test is
 * needed before. They use the transform that was last set for each body. In continuous time (advance.h) bodies move
 * without such calls: call tact_world_sync_transforms first.
 *
 * The functions of query.h compute the results. The world itself needs no memory for a query. A penetration depth may
 * need some: in an overlap query, in a cast, or for a point inside a body.
 *
 * If a function of query.h fails for a body, the query has the status of the first such failure. The result is then
 * that of the other bodies. Reasons are a lack of memory, or a custom support function that returns numbers that are
 * not finite.
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

/**
 * A body found by a query. The meaning of the fields depends on the query type. An overlap query computes the depth
 * only for tact_world_query without tact_query::any ("deepest"), not for `any` and tact_world_query_all ("any, all").
 *
 * | query type       | t                     | distance        | point                    | normal                   |
 * | ---------------- | --------------------- | --------------- | ------------------------ | ------------------------ |
 * | ray              | ray parameter         | 0               | from + t * direction     | outward from the body    |
 * | cast             | free fraction of path | 0               | contact point            | from shape to body       |
 * | overlap deepest  | 0                     | minus the depth | deepest point of body    | from shape to body       |
 * | overlap any, all | 0                     | 0               | 0                        | 0                        |
 * | closest to point | 0                     | negative inside | closest point of surface | outward from the body    |
 * | closest to shape | 0                     | not negative    | closest point of body    | from shape to body       |
 *
 * A normal is zero where query.h says so, for example if a ray starts inside the body. For a miss all fields after the
 * state are zero.
 */
typedef struct tact_hit {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_NOT_CONVERGED or #TACT_OUT_OF_MEMORY */
    /** #TACT_HIT or #TACT_MISS. #TACT_UNKNOWN if the query is invalid, or if no body was found and the status is not
     * #TACT_OK. */
    tact_state state;
    tact_body body;          /**< the body */
    void *user;              /**< its user pointer */
    double t;                /**< see the table above */
    double distance;         /**< see the table above */
    tact_vec3 point;         /**< see the table above */
    tact_vec3 normal;        /**< see the table above */
    tact_part part;          /**< part of the body at `point`; overlap any, all: a part that touches */
    tact_part part_of_shape; /**< the corresponding part of the query shape; zero without one */
} tact_hit;

/** Type of a query. */
typedef enum tact_query_type {
    TACT_QUERY_RAY = 1, /**< bodies hit by the ray `from` + t `direction`, 0 <= t <= `max`: tact_shape_ray */
    TACT_QUERY_CAST,    /**< bodies hit by `shape` at `transform`, translated by `direction`: tact_shapes_cast */
    /** Bodies that touch `shape` at `transform`: tact_shapes_overlap. The "closest" is the one with the largest depth:
     * tact_shapes_penetration. */
    TACT_QUERY_OVERLAP,
    /** Bodies at most `max` away from `shape` at `transform`: tact_shapes_distance. If `shape` is NULL, bodies at most
     * `max` away from the point `from`: tact_shape_closest. */
    TACT_QUERY_CLOSEST
} tact_query_type;

/** A query. Fields that its type does not use may be zero. */
typedef struct tact_query {
    tact_query_type type;     /**< type of the query */
    const tact_shape *shape;  /**< cast, overlap, closest */
    tact_transform transform; /**< transform of `shape`; all zero: the identity */
    tact_vec3 from;           /**< ray: start; closest: the point, if `shape` is NULL */
    tact_vec3 direction;      /**< ray: direction, not zero; cast: displacement */
    /** Ray: largest parameter. Closest: largest distance. Here 0 and INFINITY both mean no limit, so that a query that
     * does not set it has none. (In the short forms below 0 means 0.) */
    double max;
    /** Return the first body found instead of the closest one. Which body that is may depend on the broad phase. If it
     * is false and several bodies are equally close, the one created first is returned. */
    bool any;
    tact_filter filter; /**< bodies to consider */
} tact_query;

/** A status and a count. */
typedef struct tact_count {
    tact_status status; /**< status of the call */
    size_t count;       /**< number of results or calls */
} tact_count;

/** Finds one body: the closest, or any. */
TACT_API tact_hit tact_world_query(const tact_world *world, const tact_query *query);

/** Finds all bodies and returns their number. Writes the closest `capacity` of them to `hits`, sorted by `t` and
 * `distance`, then by order of creation. `hits` may be NULL if `capacity` is 0. Ignores tact_query::any. */
TACT_API tact_count tact_world_query_all(const tact_world *world, const tact_query *query, tact_hit *hits,
                                         size_t capacity);

/** tact_world_query for each query. Results are bit-identical for any number of threads. `parallel` NULL: the loop of
 * the world. Returns #TACT_BAD_ARGUMENT and writes nothing if another pointer is NULL and `count` is not 0. */
TACT_API tact_status tact_world_query_batch(const tact_world *world, const tact_query *queries, size_t count,
                                            tact_hit *hits, const tact_parallel *parallel);

/** tact_world_query_all for each query. The hits of query i start at hits[i * capacity]; their total number is in
 * counts[i]. */
TACT_API tact_status tact_world_query_all_batch(const tact_world *world, const tact_query *queries, size_t count,
                                                tact_hit *hits, size_t capacity, tact_count *counts,
                                                const tact_parallel *parallel);

/**
 * @name Short forms of tact_world_query
 * `filter` may be NULL. `max` is a limit: 0 means 0, and INFINITY means no limit. (In tact_query 0 means no limit.)
 * @{
 */

/** Finds the first body hit by a ray. */
TACT_API tact_hit tact_world_ray(const tact_world *world, tact_vec3 from, tact_vec3 direction, double max,
                                 const tact_filter *filter);

/** Finds the first body hit by a shape that is translated by `path`. */
TACT_API tact_hit tact_world_cast(const tact_world *world, const tact_shape *shape, tact_transform transform,
                                  tact_vec3 path, const tact_filter *filter);

/** Finds the body that a shape penetrates deepest. */
TACT_API tact_hit tact_world_overlap(const tact_world *world, const tact_shape *shape, tact_transform transform,
                                     const tact_filter *filter);

/** Finds the body closest to a point, at most `max` away. If the point is inside several bodies, it is the body in
 * which the point is deepest. */
TACT_API tact_hit tact_world_closest_point(const tact_world *world, tact_vec3 from, double max,
                                           const tact_filter *filter);

/** Finds the body closest to a shape, at most `max` away. */
TACT_API tact_hit tact_world_closest_shape(const tact_world *world, const tact_shape *shape, tact_transform transform,
                                           double max, const tact_filter *filter);

/** @} */

TACT_END

#endif
