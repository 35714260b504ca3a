/**
 * @file
 * Contact callbacks: which function is called when two bodies touch, and what it receives.
 *
 * A response, which is a callback and the contact data it wants, can be set for a pair of bodies, for a body (all its
 * pairs), for two classes, for a class, or for all pairs (the default). The most specific response of a pair applies,
 * in this order. If both bodies (or both classes) have a response of their own, that of the body created first applies.
 *
 * A response whose callback is NULL is also set: no callback is called, whatever less specific responses say.
 * *Resetting* a response removes it, and the next less specific one applies. Initially only the default is set, with
 * callback NULL. Pairs whose callback is NULL cost nothing beyond the broad phase.
 */
#ifndef TACT_RESPONSE_H
#define TACT_RESPONSE_H

#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/query.h>
#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** Contact data that a callback wants. */
typedef enum tact_want {
    TACT_NOTHING = 0,  /**< only the bodies */
    TACT_WITNESS,      /**< a common point */
    TACT_PREVIOUS,     /**< closest points and normal in the previous frame, see tact_world_store_previous */
    TACT_CONTACTS,     /**< penetration depth, normal and contact manifold */
    TACT_INTERSECTIONS /**< intersection segments of the surfaces, see tact_shapes_intersections */
} tact_want;

/** A contact of two bodies. A is the body created first. Points are in world coordinates; the normal points from A to
 * B. Fields that `want` does not select are zero. */
typedef struct tact_contact {
    tact_status status; /**< of the query for the contact data; if it is not #TACT_OK, the data is the best found, or
                           zero. That the bodies touch is certain. */
    tact_world *world;  /**< the world */
    tact_body a;        /**< body A */
    tact_body b;        /**< body B */
    void *user_a;       /**< user pointer of A */
    void *user_b;       /**< user pointer of B */
    tact_want want;     /**< data requested by the response */
    tact_vec3 point;    /**< witness: a common point; previous, contacts: midpoint of `on_a` and `on_b` */
    tact_vec3 on_a;     /**< witness: the common point; previous: closest point of A; contacts: deepest point of A */
    tact_vec3 on_b;     /**< the same of B */
    tact_vec3 normal;   /**< previous: between these points, zero if the bodies touched then; contacts: the direction of
                           the   shortest translation of B that separates */
    double depth;       /**< previous: minus the distance; contacts: penetration depth */
    const tact_manifold *manifold;          /**< contacts: the manifold, valid during the call; else NULL */
    tact_part part_a;                       /**< witness, previous, contacts: part of A at `on_a` */
    tact_part part_b;                       /**< witness, previous, contacts: part of B at `on_b` */
    const tact_intersection *intersections; /**< intersections: all segments, valid during the call */
    size_t intersection_count;      /**< intersections: their number; 0 if one body is wholly inside the other */
    const struct tact_event *event; /**< from tact_world_advance: the event, valid during the call; else NULL */
} tact_contact;

/** A contact callback. It may change the world in any way, but must not call tact_world_test, tact_world_next_event or
 * tact_world_advance. */
typedef void tact_contact_callback(void *context, const tact_contact *contact);

/** A response: a callback and the contact data it wants. */
typedef struct tact_response {
    tact_want want;                  /**< contact data to compute */
    tact_contact_callback *callback; /**< NULL: no call */
    void *context;                   /**< passed to the callback */
    double max_separation;           /**< contacts: keeps manifold points with a gap of up to this; not negative */
} tact_response;

/* All setters return #TACT_BAD_ARGUMENT if a body does not exist, a pair consists of one body, a class is 0, or the
 * response is invalid; those that set a response may return #TACT_OUT_OF_MEMORY. A failed call changes nothing. */

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

/** Sets the response of one pair. */
TACT_API tact_status tact_pair_set_contact_callback(tact_world *world, tact_body one, tact_body other,
                                                    tact_response response);

/** Resets the response of a class. */
TACT_API tact_status tact_class_reset_contact_callback(tact_world *world, uint32_t class_id);
/** Resets the response of two classes. */
TACT_API tact_status tact_classes_reset_contact_callback(tact_world *world, uint32_t one, uint32_t other);
/** Resets the response of a body. */
TACT_API tact_status tact_body_reset_contact_callback(tact_world *world, tact_body body);
/** Resets the response of a pair. */
TACT_API tact_status tact_pair_reset_contact_callback(tact_world *world, tact_body one, tact_body other);

/** Returns the response that applies to a pair now; all zero if its callback is NULL or there is no such pair. */
TACT_API tact_response tact_pair_get_contact_callback(const tact_world *world, tact_body one, tact_body other);

TACT_END

#endif
