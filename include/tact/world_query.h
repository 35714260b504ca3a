/**
 * @file
 * Questions to a world: what does a ray meet, what does a shape meet on its way, what touches it, what is nearest? The
 * nearest answer, any answer, or all. They change nothing, need no memory, and may be asked from many threads at once
 * as long as nobody changes the world. Bodies are where they were last placed; no test is needed in between.
 *
 * The answers are made by the functions of query.h: one that fails on some body (a user's own support function that
 * gives no numbers) makes the status of the whole the one it gave, and the answer is that of the other bodies.
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

/** Does this body count? Called for bodies that come into question; a pure function, callable from any thread. */
typedef bool tact_body_filter(void *context, tact_body body, void *user);

/** Which bodies are looked at. All zero: every one. */
typedef struct tact_filter {
    uint64_t category;        /**< as of a body; 0: all bits */
    uint64_t mask;            /**< as of a body; 0: all bits */
    tact_body_filter *accept; /**< besides; NULL: all */
    void *context;            /**< handed to it */
} tact_filter;

/** A body that was found. */
typedef struct tact_hit {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT, #TACT_NOT_CONVERGED, #TACT_OUT_OF_MEMORY */
    tact_state state;   /**< #TACT_HIT or #TACT_MISS; #TACT_UNKNOWN if the question is not usable, or nothing was found
                             and the status is not #TACT_OK */
    tact_body body;     /**< which */
    void *user;         /**< its user pointer */
    double t;           /**< ray: the parameter of the point; cast: the fraction of the path that is free; else 0 */
    double distance;    /**< overlap: minus the depth (nearest), or 0 (any, all); closest: the distance (from a point:
                                negative inside); else 0 */
    tact_vec3 point;    /**< ray: from + t * direction; cast: where they meet; overlap: the body's deepest point
                               (nearest), or zero; near: the nearest point of the body's surface */
    tact_vec3 normal;   /**< ray and point: outward from the body; cast, overlap, near a shape: from the shape to the
                               body; zero where query.h says so */
    tact_part part;     /**< of the body: where the point is; overlap (any, all): a part that touches */
    tact_part part_of_shape; /**< cast, overlap, near a shape: the part of that shape that meets it, or is nearest */
} tact_hit;

/** What is asked. */
typedef enum tact_query_type {
    TACT_QUERY_RAY = 1, /**< what the ray `from` + t `direction`, 0 <= t <= `max`, meets: tact_shape_ray */
    TACT_QUERY_CAST,    /**< what `shape` at `place` meets on its way along `direction`: tact_shapes_cast */
    TACT_QUERY_OVERLAP, /**< what touches `shape` at `place`; the nearest is the deepest: tact_shapes_overlap, _depth */
    TACT_QUERY_CLOSEST  /**< what is at most `max` from `shape` at `place` (tact_shapes_distance), or, if `shape` is
                           NULL, from the point `from` (tact_shape_closest) */
} tact_query_type;

/** A question. What it does not need may be left zero. */
typedef struct tact_query {
    tact_query_type type;     /**< which one */
    const tact_shape *shape;  /**< cast, overlap, near */
    tact_transform transform; /**< where it is; all zero: the identity */
    tact_vec3 from;           /**< ray; near a point */
    tact_vec3 direction;      /**< ray: not zero; cast: the path */
    double max;               /**< ray, near: the limit; 0: none */
    bool any;           /**< any body will do, the first that is found, instead of the nearest (of equally near ones the
                                  one made earliest). Which one it is may depend on the broad phase at work. */
    tact_filter filter; /**< which bodies count */
} tact_query;

/** A status and a number. */
typedef struct tact_count {
    tact_status status; /**< how it went */
    size_t count;       /**< how many */
} tact_count;

/** Asks for one body: the nearest, or any. */
TACT_API tact_hit tact_world_query(const tact_world *world, const tact_query *search);

/** Asks for all: writes the nearest `room` of them to `found` (which may be NULL if `room` is 0), nearest first, of
 * equally near ones the one made earliest first, and returns how many there are in all. `any` plays no part. */
TACT_API tact_count tact_world_query_all(const tact_world *world, const tact_query *search, tact_hit *found,
                                         size_t room);

/** tact_world_query for each question, the same answers bit for bit on any number of threads. `parallel` NULL: as the
 * world was made. #TACT_BAD_ARGUMENT, writing nothing, when something is NULL and `count` is not 0. */
TACT_API tact_status tact_world_query_batch(const tact_world *world, const tact_query *searches, size_t count,
                                            tact_hit *found, const tact_parallel *parallel);

/** tact_world_query_all for each: the answers to question i are written from found[i * room] on, how many there are in
 * all to counts[i]. */
TACT_API tact_status tact_world_query_all_batch(const tact_world *world, const tact_query *searches, size_t count,
                                                tact_hit *found, size_t room, tact_count *counts,
                                                const tact_parallel *parallel);

/* The short forms of tact_world_query for the nearest: `filter` may be NULL; a `max` of 0 is 0, INFINITY is none. */

/** The first body that a ray meets. */
TACT_API tact_hit tact_world_ray(const tact_world *world, tact_vec3 from, tact_vec3 direction, double max,
                                 const tact_filter *filter);

/** The first body that a shape meets on its way along `path`. */
TACT_API tact_hit tact_world_cast(const tact_world *world, const tact_shape *shape, tact_transform place,
                                  tact_vec3 path, const tact_filter *filter);

/** The body that a shape is deepest in. */
TACT_API tact_hit tact_world_overlap(const tact_world *world, const tact_shape *shape, tact_transform place,
                                     const tact_filter *filter);

/** The body nearest to a point (the one that the point is deepest in), at most `max` away. */
TACT_API tact_hit tact_world_closest_point(const tact_world *world, tact_vec3 from, double max,
                                           const tact_filter *filter);

/** The body nearest to a shape, at most `max` away. */
TACT_API tact_hit tact_world_closest_shape(const tact_world *world, const tact_shape *shape, tact_transform place,
                                           double max, const tact_filter *filter);

TACT_END

#endif
