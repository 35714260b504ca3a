/**
 * @file
 * A world in continuous time: all contacts until a given time, in order of time, however fast bodies move. There are no
 * frames: work is done at events and, for bodies in persistent contact (rigid.h), at contact steps.
 *
 *     tact_body_set_mass(world, ball, 1.0);  // the floor has no mass: it stays at rest
 *     tact_body_set_motion(world, ball, (tact_motion){ .velocity = {1, 5, 0}, .acceleration = {0, -9.81, 0} });
 *     for (tact_event e; tact_world_next_event(world, 10.0, &e) == TACT_EVENT_TOUCH; ) {
 *         printf("%.9f  %s touches %s\n", e.time, name(e.user_a), name(e.user_b));
 *         tact_world_bounce(world, &e, 0.8);
 *     }
 *
 * A world has a time, initially 0. A body follows its motion (body.h) from the time at which the motion was set.
 *
 * **Size.** Tolerances are relative to the *size* of a body: half the longest side of its axis-aligned bounding box. If
 * the body spins, it is the radius of the sphere about the centre of rotation that contains the body. The *size of a
 * pair* is that of the smaller body. A point has no size: then it is that of the other body.
 *
 * **Touch events.** Two bodies *touch* when their distance falls to 0, within a tolerance. It is 1e-12 of the size of
 * the pair or, if that is larger, 8 ulps of (coordinates + speed * time). The reported time is never later than the
 * true contact, up to rounding. No contact is missed. The exceptions are bodies with a bounded deviation, polled
 * bodies (motion_plan.h), and repeated touches of bodies with moving vertices (animation.h). Bodies that stay farther
 * apart than the tolerance are not reported.
 *
 * - *Once per contact.* A pair is reported when it touches, and again after it has separated by more than 1e-9 of its
 *   size (NURBS shapes: by more than half the sum of both errors, nurbs.h). It is also reported again if another event
 * makes its bodies approach, unless they are deeper than 1e-9 of the size. After a bounce, a pair at most 0.01 of the
 * size deep is also reported if it penetrates further (docs/advance.md). A pair in persistent contact is not reported
 * until that contact has ended.
 * - *Initial contact.* Bodies that overlap when they are created, or when a transform is set, touch at that time. One
 *   of them must move, and they must not have overlapped before. Bodies that just touch then are reported only if
 *   they approach: by their velocities or, without relative velocity, by their accelerations and gravity.
 * - *Pairs.* The filters must allow the pair, and at least one of its bodies must *move*: have a velocity, an
 *   acceleration, a spin, a mass in a world with gravity, moving vertices or a motion plan. A sleeping body does not
 *   move. So two bodies without motion have no event, even if they overlap or their transforms are set. A deformable
 *   body moves as a rigid body, unless its vertices have a motion (animation.h). tact_body_deform changes its shape
 *   at the current time of the world.
 * - *Order.* Simultaneous events come in order of creation: first by the body of the pair that was created earlier,
 *   then by the other body. Touches that an impact passes through (tact_world_bounce, rigid.h) come right after it, in
 *   the order in which the impact reaches them.
 * - *Determinism.* The same calls give bit-identical events. They do not depend on how the time is divided into
 *   calls. Ten calls until 0.1, 0.2, ..., 1 give the same events as one call until 1.
 *
 * **Response.** The program decides what happens at a touch event. It may bounce the bodies (tact_world_bounce,
 * rigid.h), set other motions, or create, move or remove bodies. If it does nothing, the bodies pass through each
 * other. A response that does not resolve a contact cannot block the world: a pair is reported at most 256 times at one
 * time. After that it is treated as overlapping.
 *
 * **Overlapping pairs** are followed until they separate. No separation is missed in which the distance grows to 1e-7
 * of the size of the pair. There is one exception: two surfaces without interior that slide along each other in one
 * plane. There a separation may be missed if the distance stays below 1/64 of the size.
 *
 * **Numbers.** Sizes, coordinates and motions may be as large as 1e150. Larger ones are rejected (body.h), and a body
 * that moves beyond 1e150 touches nothing. Sizes below 1e-140 are treated as 1e-140. So a smaller body touches larger
 * ones as a point does, and contacts between two such small bodies are unspecified. If a contact begins and ends
 * between two adjacent doubles of time, it is reported at one of them.
 *
 * For motions with an end time or with a bounded deviation, and for polled bodies, see motion_plan.h. For saving and
 * recording a world in time see record.h.
 */
#ifndef TACT_ADVANCE_H
#define TACT_ADVANCE_H

#include <stdint.h>
#include <tact/body.h>
#include <tact/ccd.h>
#include <tact/nurbs.h>
#include <tact/status.h>
#include <tact/world_query.h>

TACT_BEGIN

/** Kind of an event. */
typedef enum tact_event_kind {
    /** No event. If tact_event::status is #TACT_OK, there is none until the requested time, which is now the time of
     * the world. Otherwise the call failed for the reason that the status gives. */
    TACT_EVENT_NONE = 0,
    TACT_EVENT_TOUCH,          /**< two bodies touch */
    TACT_EVENT_MOTION_EXPIRED, /**< the motion plan of body A expired or needs an update (motion_plan.h) */
    TACT_EVENT_FEATURES,       /**< a contact of two features begins (animation.h) */
    /* the following are reported if tact_world_set_contact_events is on (rigid.h) */
    TACT_EVENT_CONTACT_BEGIN, /**< a persistent contact of A and B begins */
    TACT_EVENT_CONTACT_END,   /**< it ends */
    TACT_EVENT_SLEEP,         /**< body A falls asleep */
    TACT_EVENT_WAKE,          /**< body A wakes */
    TACT_EVENT_CRUSHED        /**< A and B overlap, as kinematic bodies leave no room. Once per contact step */
} tact_event_kind;

/** The features of an event: a vertex of A and a face of B, or an edge of each. Of a touch, the first may be of B, see
 * tact_event::features. */
typedef struct tact_event_features {
    tact_ccd_kind kind; /**< #TACT_VERTEX_FACE or #TACT_EDGE_EDGE */
    uint32_t a;         /**< the vertex, or the lower vertex index of the edge of A */
    uint32_t b;         /**< the face, or the lower vertex index of the edge of B */
    /** The four points in the order of ccd.h: those of A, then those of B. They are numbered as by
     * tact_shape_get_points, those of a box as in tact_shapes_intersections. */
    uint32_t vertices[4];
    /** The contact as in ccd.h, with times of the world. `lower` is the time of the event. `upper` is the next double,
     * or the same if the contact begins at exactly this double. The status is #TACT_OK and the state #TACT_HIT. If the
     * event has no features, everything up to here is zero. */
    tact_ccd ccd;
    /** The parts of A and B in contact, as in tact_toi: the leaf of a compound, the face of a mesh, the convex part of
     * a soup; else zero. Set for every touch; of #TACT_EVENT_FEATURES the leaf, and the face of #TACT_VERTEX_FACE. For
     * NURBS bodies with moving control points see animation.h. */
    tact_part part_a;
    tact_part part_b; /**< see part_a */
    /** Where the contact is on a NURBS surface of A, in the parameter plane of its triangles; zero for other bodies,
     * for touches of rigid NURBS bodies, and for bodies that overlap at the start. */
    tact_nurbs_location location_a;
    tact_nurbs_location location_b; /**< likewise of B */
} tact_event_features;

/** An event. */
typedef struct tact_event {
    tact_status status;   /**< #TACT_OK, or with #TACT_EVENT_NONE the reason for a failure */
    tact_event_kind kind; /**< kind of event */
    double time;          /**< time of the event: the current time of the world */
    /** Touch, contact begin, contact end, crushed: the body created first. Motion expired, sleep, wake: the body.
     * Features: the body of the vertex, or of the first edge. */
    tact_body a;
    /** Touch, contact begin, contact end, crushed: the other body. Features: the other body, or A again. Else a zero
     * handle. At the end of a contact a body may have been removed: then its old handle, and NULL as its user
     * pointer. */
    tact_body b;
    void *user_a; /**< user pointer of A */
    void *user_b; /**< user pointer of B */
    /** Touch, features, contact begin, crushed: contact point, in world coordinates. Else zero. */
    tact_vec3 point;
    /** From A to B, if there is a point. Zero if bodies overlap at the start so deep that no direction is known:
     * tact_world_bounce then finds its own. */
    tact_vec3 normal;
    /** #TACT_EVENT_FEATURES: the features. Touch: the parts in contact; for two bodies that are tested by features
     * (animation.h) also the features. The first of them may be of B; `features.ccd.normal` is then opposite to
     * `normal`. For two rigid meshes without margin, or such leaves of compounds, they are the closest features of the
     * two faces in contact, computed in doubles; `lower` and `upper` are both the time of the event. Meshes that
     * overlap at the start have none, and so do two polygons with more than 4,096 pairs of triangles. */
    tact_event_features features;
} tact_event;

/**
 * Advances the world to the next event at or before `until`, or to `until` if there is none. `event` may be NULL.
 *
 * On failure it returns #TACT_EVENT_NONE and a tact_event::status. If `until` is not finite or in the past, or if the
 * function is called in a callback, the status is #TACT_BAD_ARGUMENT, and nothing changes. In the following cases all
 * events before the current time of the world have been reported, none is lost, and the call may be repeated:
 * - #TACT_OUT_OF_MEMORY: there is no memory.
 * - #TACT_NOT_CONVERGED: the time of contact of a pair could not be decided.
 * - #TACT_BAD_ARGUMENT: a custom support function returned numbers that are not finite, a time of contact would have to
 *   be computed beyond 1e150, a motion callback returned an invalid result (motion_plan.h), or a NURBS body needs too
 *   many triangles (animation.h).
 */
TACT_API tact_event_kind tact_world_next_event(tact_world *world, double until, tact_event *event);

/**
 * Advances the world to `until`, calls the contact callback (response.h) of every touch event in order, and returns the
 * number of calls. The contact data is that of the time of contact. tact_contact::event is the event, which
 * tact_world_bounce needs. If a pair has no callback, or its callback does nothing, the bodies pass through each other.
 * For what a callback may do, see #tact_contact_callback. Its changes take effect at once. Feature events
 * (animation.h) and expired motion plans without a callback (motion_plan.h) are passed over.
 *
 * The status is as for tact_world_next_event. If it is not #TACT_OK, the world has not passed the next event, and the
 * call may be repeated.
 */
TACT_API tact_count tact_world_advance(tact_world *world, double until);

/** Returns the time of the world; 0 for NULL. */
TACT_API double tact_world_get_time(const tact_world *world);

/** Returns a lower bound of the time of the next event. It may be earlier than that event, because it is the time of
 * the next internal update, such as that of a fat bound. INFINITY: there will be no event, or `world` is NULL. After a
 * change to the world it is the current time, until the world advances. Although `world` is not const, the function
 * does not change it. */
TACT_API double tact_world_get_next_time(tact_world *world);

/**
 * Sets the transforms in the broad phase to the current time of the world. tact_world_test, the queries of
 * world_query.h and tact_body_get_bounds use these transforms. Events do not change.
 *
 * tact_world_test, tact_world_store_previous and the functions of step.h call this function themselves. The queries of
 * world_query.h take a const world and do not. tact_body_get_transform and tact_body_get_motion are always up to date.
 * Cost: that of setting the transform of every moving body.
 *
 * Returns #TACT_BAD_ARGUMENT if `world` is NULL or a body has moved beyond 1e150, or #TACT_OUT_OF_MEMORY. Then some
 * bodies are up to date and the others are not.
 */
TACT_API tact_status tact_world_sync_transforms(tact_world *world);

TACT_END

#endif
