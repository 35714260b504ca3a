/**
 * @file
 * Responses: what is called when bodies touch, and with what it wants to know.
 *
 * A response is set for a pair of bodies, for a body (all pairs that it is in), for two classes, for a class, or for
 * all pairs: the default. Of those that are set for a pair the most specific one counts, in this order. Where both
 * bodies have a response of their own (or both classes), that of the body made earlier counts.
 *
 * A response that is *clear* (`call` NULL) is set, too: it says that nothing is called, whatever less specific ones
 * say. To *reset* means that it is not set any more, and the next less specific one counts. In the beginning the
 * default is clear and no other is set. Pairs whose response is clear cost nothing but their place in the broad phase.
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

/** What a response wants to know beside the fact. */
typedef enum tact_want {
    TACT_NOTHING = 0, /**< the fact is enough */
    TACT_WITNESS,     /**< a common point */
    TACT_PREVIOUS, /**< the closest points in the previous frame (see tact_world_store_previous), and the normal there
                    */
    TACT_CONTACTS, /**< how deep, which way out, and the contact manifold */
    TACT_INTERSECTIONS /**< the intersection itself: the segments where the surfaces cross, see
                          tact_shapes_intersections */
} tact_want;

/** Two bodies that touch. A is the one made earlier. Points are in world coordinates, the normal points from A to B. */
typedef struct tact_contact {
    tact_status status; /**< how finding out what was wanted went: unless #TACT_OK, all that follows `want` is the best
                           that was found, or zero; that they touch is certain */
    tact_world *world;  /**< where */
    tact_body a;        /**< one */
    tact_body b;        /**< the other */
    void *user_a;       /**< A's user pointer */
    void *user_b;       /**< B's user pointer */
    tact_want want;     /**< what was wanted: the rest is zero unless it is listed here */
    tact_vec3 point;    /**< witness: a common point; previous and depth: midway between `on_a` and `on_b` */
    tact_vec3 on_a;     /**< witness: the point; previous: A's point closest to B then; depth: A's deepest point */
    tact_vec3 on_b;     /**< likewise of B */
    tact_vec3
        normal;   /**< previous: between these points, zero if they touched then, too; depth: B's shortest way out */
    double depth; /**< previous: minus the distance then; depth: how deep */
    const tact_manifold *manifold; /**< depth: where they press on each other, during the call; else NULL */
    tact_part part_a;              /**< witness, previous, depth: the part of A that `on_a` is on */
    tact_part part_b;              /**< likewise of B */
    const tact_intersection
        *intersections;             /**< crossings: all, as tact_shapes_intersections gives them, during the call */
    size_t intersection_count;      /**< crossings: how many; 0 if one is wholly inside the other */
    const struct tact_event *event; /**< when told by tact_world_advance: what is told, during the call; else NULL */
} tact_contact;

/** Called for two bodies that touch. It may do to the world whatever it likes but test it or advance it: see
 * tact_world_test. */
typedef void tact_contact_callback(void *context, const tact_contact *contact);

/** A response. */
typedef struct tact_response {
    tact_want want;                  /**< what it wants to know */
    tact_contact_callback *callback; /**< NULL: nothing is called */
    void *context;                   /**< handed to it */
    double max_separation; /**< depth: points of the manifold with a gap of up to this are told as well; not negative */
} tact_response;

/* All of these return #TACT_BAD_ARGUMENT when a body is not there, a body or pair is named with itself, a class is 0,
 * or the response is not usable; those that set one may return #TACT_OUT_OF_MEMORY. Failed, they change nothing. */

/** Sets (or clears) the default response. */
TACT_API tact_status tact_world_set_contact_callback(tact_world *world, tact_response response);

/** Sets (or clears) the response of all pairs with a body of this class. */
TACT_API tact_status tact_class_set_contact_callback(tact_world *world, uint32_t class_id, tact_response response);

/** Sets (or clears) the response of all pairs of a body of one class with one of the other (or the same) class. */
TACT_API tact_status tact_classes_set_contact_callback(tact_world *world, uint32_t one, uint32_t other,
                                                       tact_response response);

/** Sets (or clears) the response of all pairs with this body. */
TACT_API tact_status tact_body_set_contact_callback(tact_world *world, tact_body body, tact_response response);

/** Sets (or clears) the response of this pair. */
TACT_API tact_status tact_pair_set_contact_callback(tact_world *world, tact_body one, tact_body other,
                                                    tact_response response);

TACT_API tact_status tact_class_reset_contact_callback(tact_world *world, uint32_t class_id); /**< none set any more */
/** None set any more. */
TACT_API tact_status tact_classes_reset_contact_callback(tact_world *world, uint32_t one, uint32_t other);
TACT_API tact_status tact_body_reset_contact_callback(tact_world *world, tact_body body); /**< none set any more */
/** None set any more. */
TACT_API tact_status tact_pair_reset_contact_callback(tact_world *world, tact_body one, tact_body other);

/** The response that counts for a pair now; all zero if it is clear, or there is no such pair. */
TACT_API tact_response tact_pair_get_contact_callback(const tact_world *world, tact_body one, tact_body other);

TACT_END

#endif
