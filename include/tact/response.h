/**
 * @file
 * Responses: which callback is called when two bodies touch, and which contact data it receives.
 *
 * A *response* is a callback together with the contact data it wants. The functions `*_set_contact_callback` take a
 * response, because a callback alone does not say which data to compute:
 *
 *     tact_world_set_contact_callback(world, (tact_response){.want = TACT_CONTACTS, .callback = hit, .context = game});
 *
 * A solver wants all contact points, and to know when contacts begin and end:
 *
 *     static void on_contact(void *solver, const tact_contact *c)
 *     {
 *         if (c->phase == TACT_PHASE_END)
 *             solver_remove(solver, c->a, c->b);
 *         for (size_t i = 0; i < c->point_count; ++i)  // gap: -c->points[i].depth
 *             solver_add(solver, c->a, c->b, &c->points[i]);
 *     }
 *     tact_world_set_contact_callback(world, (tact_response){.want = TACT_CONTACT_POINTS, .callback = on_contact,
 *                                                            .context = solver, .report_end = true});
 *
 * A response can be set on five levels. For a pair of bodies the first level of this list that has a response applies:
 * 1. the pair;
 * 2. one of the bodies;
 * 3. the two classes of the bodies;
 * 4. one of these classes;
 * 5. the world: the default response.
 *
 * If both bodies have a response on level 2, that of the body created first applies. The pair is a sensor if one of the
 * two is. Of the classes on level 4, that of the body created first applies.
 *
 * A body that is tested against itself (tact_body_set_self_collision) forms a pair with itself. The same levels apply:
 * the pair (body, body), the body, the two classes (class, class), the class, the world.
 *
 * A response with callback NULL is a response, too: it suppresses the callback for its pairs. *Resetting* a response
 * removes it, so that the next level applies. Initially there is only a default response, with callback NULL. In
 * tact_world_test a pair whose callback is NULL costs nothing beyond the broad phase.
 *
 * A callback observes. In tact_world_step (rigid.h) the bodies of a touch bounce or rest on each other after the call,
 * according to their materials, with a callback or without. The callback may resolve the touch itself by
 * tact_world_bounce_with, for another restitution or friction. The bodies of a *sensor* (a trigger) pass through each
 * other:
 *
 *     tact_body_set_contact_callback(world, trigger, (tact_response){.callback = entered, .context = game,
 *                                                                    .sensor = true});
 */
#ifndef TACT_RESPONSE_H
#define TACT_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/query.h>
#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** Contact data that a response wants. */
typedef enum tact_want {
    TACT_NOTHING = 0,   /**< no contact data: the callback receives only the two bodies */
    TACT_WITNESS,       /**< one common point of both bodies, as of tact_shapes_common_point */
    TACT_PREVIOUS,      /**< closest points and normal in the previous frame, see tact_world_store_previous */
    TACT_CONTACTS,      /**< penetration depth, one normal and the manifold, as of tact_shapes_manifold */
    TACT_INTERSECTIONS, /**< intersection segments of the surfaces, see tact_shapes_intersections */
    /** All contact points, each with its own normal, as of tact_shapes_contacts: for a contact solver. For two convex
     * shapes it costs the same as #TACT_CONTACTS. For meshes it costs less, because no common depth is computed. */
    TACT_CONTACT_POINTS
} tact_want;

/** Phase of a contact from test to test. */
typedef enum tact_phase {
    TACT_PHASE_BEGIN = 0, /**< the callback was not called for this pair in the last test */
    TACT_PHASE_PERSIST,   /**< it was called in the last test, too */
    TACT_PHASE_END        /**< it was called in the last test, and the pair does not touch in this one */
} tact_phase;

/**
 * A contact of two bodies. A is the body created first. Points are in world coordinates. The normal points from A to
 * B. Fields that `want` does not select are zero.
 *
 * **Self-contact** of a body that is tested against itself: `a` and `b` are the same body.
 * - #TACT_WITNESS, #TACT_PREVIOUS, #TACT_CONTACTS: the three points are one common point of the first two triangles
 *   found to intersect. It is not on a vertex or edge that they share. `part_a` and `part_b` are their faces, the lower
 *   one first. No single translation separates a body from itself, so `normal` and `depth` are zero. A manifold
 *   contains just this point. The previous frame is not examined.
 * - #TACT_CONTACT_POINTS: likewise, `points` is this point, with a normal and a depth of zero.
 * - #TACT_INTERSECTIONS: the segments of all pairs of faces that intersect, the lower face of each pair as part A.
 *   Segments are as those of tact_shapes_intersections. The faces that intersect are exact for the local coordinates.
 *   Both parts are the same face if two triangles of one polygon intersect.
 *
 * **Phase.** `phase` says whether the pair begins to touch in this tact_world_test, or persists from the last one. (A
 * test that had no memory for its pairs does not count.) If tact_response::report_end is set, the callback is also
 * called once when the pair has ended. This is in the first test in which the bodies are apart, a filter excludes the
 * pair, or a body does not exist any more. This call has no contact data: all fields after `phase` are zero.
 * - If a body was removed, `a` or `b` is its old handle, and its user pointer is NULL. The response is that of the
 *   other body, of the class of that body, or of the world: the others are gone with the body.
 * - If the response of a pair now has no callback, or does not want the end, the pair ends without a call.
 * - If the query of a pair fails, the pair keeps its state.
 * - In tact_world_advance and tact_world_step the phase is always #TACT_PHASE_BEGIN: a touch event begins a contact.
 *   A loop over tact_world_next_event gets the end of persistent contacts (tact_world_set_contact_events, rigid.h).
 */
typedef struct tact_contact {
    /** Status of the query for the contact data. If it is not #TACT_OK, the data is the best found, or zero. The test
     * that found the contact has its own accuracy (query.h): bodies whose absolute signed distance is below 1e-12 of
     * their largest coordinate may be apart. The data then is that of their closest points. */
    tact_status status;
    tact_world *world; /**< the world */
    tact_body a;       /**< body A */
    tact_body b;       /**< body B */
    void *user_a;      /**< user pointer of A */
    void *user_b;      /**< user pointer of B */
    tact_want want;    /**< data requested by the response */
    tact_phase phase;  /**< begin, persist or end: see above */
    tact_vec3 point;   /**< witness: a common point; previous, contacts, points: midpoint of `on_a` and `on_b` */
    /** Witness: the common point; previous: closest point of A; contacts: deepest point of A; points: that of the first
     * point. */
    tact_vec3 on_a;
    tact_vec3 on_b; /**< likewise of B */
    /** Previous: from `on_a` to `on_b`; zero if the bodies touched in the previous frame. Contacts: direction of the
     * shortest translation of B that separates the bodies. Points: that of the first point. */
    tact_vec3 normal;
    double depth; /**< previous: minus the distance; contacts: penetration depth; points: of the first point */
    const tact_manifold *manifold;          /**< contacts: the manifold, valid during the call; else NULL */
    tact_part part_a;                       /**< witness, previous, contacts, points: part of A at `on_a` */
    tact_part part_b;                       /**< witness, previous, contacts, points: part of B at `on_b` */
    const tact_contact_point *points;       /**< points: all of them, deepest first, valid during the call; else NULL */
    size_t point_count;                     /**< points: their number, at least 1 if the status is #TACT_OK; else 0 */
    const tact_intersection *intersections; /**< intersections: all segments, valid during the call */
    size_t intersection_count;      /**< intersections: their number; 0 if one body is wholly inside the other */
    const struct tact_event *event; /**< in tact_world_advance and tact_world_step: the event, valid during the call */
} tact_contact;

/** A contact callback. It may change the world in any way, but must not call tact_world_test, tact_world_next_event,
 * tact_world_advance or tact_world_step, nor start or stop a recording (record.h): these calls fail. */
typedef void tact_contact_callback(void *context, const tact_contact *contact);

/** A response: a callback and the contact data it wants. */
typedef struct tact_response {
    tact_want want;                  /**< contact data to compute */
    tact_contact_callback *callback; /**< NULL: no callback is called */
    void *context;                   /**< passed to the callback */
    /** #TACT_CONTACTS, #TACT_CONTACT_POINTS: largest gap of a point; finite, not negative. If the sum of the reaches
     * of both bodies (tact_body_set_reach) is larger, that counts. It does not select pairs: pairs that are apart need
     * a reach. */
    double max_separation;
    bool report_end; /**< tact_world_test also calls the callback when a contact has ended: #TACT_PHASE_END */
    /** tact_world_step does not resolve touches: the bodies pass through each other. Also if the callback is NULL. No
     * event tells when they have separated: ask tact_world_overlap after tact_world_sync_transforms. */
    bool sensor;
} tact_response;

/**
 * @name Setting and resetting responses
 * These functions return #TACT_BAD_ARGUMENT if a body does not exist, a class is 0 or the response is invalid.
 * Functions that set a response may also return #TACT_OUT_OF_MEMORY. A call that fails changes nothing.
 * @{
 */

/** Sets the default response. */
TACT_API tact_status tact_world_set_contact_callback(tact_world *world, tact_response response);

/** Sets the response of all pairs with a body of this class. */
TACT_API tact_status tact_class_set_contact_callback(tact_world *world, uint32_t class_id, tact_response response);

/** Sets the response of all pairs of a body of class `one` and a body of class `other` (which may be the same class).
 */
TACT_API tact_status tact_classes_set_contact_callback(tact_world *world, uint32_t one, uint32_t other,
                                                       tact_response response);

/** Sets the response of all pairs of this body. */
TACT_API tact_status tact_body_set_contact_callback(tact_world *world, tact_body body, tact_response response);

/** Sets the response of one pair. `one` and `other` may be the same body: this is the response of its self-contacts. */
TACT_API tact_status tact_pair_set_contact_callback(tact_world *world, tact_body one, tact_body other,
                                                    tact_response response);

/** Resets the response of a class: removes it. */
TACT_API tact_status tact_class_reset_contact_callback(tact_world *world, uint32_t class_id);
/** Resets the response of two classes. */
TACT_API tact_status tact_classes_reset_contact_callback(tact_world *world, uint32_t one, uint32_t other);
/** Resets the response of a body. */
TACT_API tact_status tact_body_reset_contact_callback(tact_world *world, tact_body body);
/** Resets the response of a pair. */
TACT_API tact_status tact_pair_reset_contact_callback(tact_world *world, tact_body one, tact_body other);

/** @} */

/** Returns the response that applies to a pair now. It is zero but for `sensor` if its callback is NULL, and all zero
 * if there is no such pair. */
TACT_API tact_response tact_pair_get_contact_callback(const tact_world *world, tact_body one, tact_body other);

TACT_END

#endif
