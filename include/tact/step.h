/**
 * @file
 * One step of a simulation with deformable bodies (cloth, soft bodies) in continuous time. Each vertex moves along a
 * straight line from its current to its desired position. Tact finds all contacts on the way, exactly (ccd.h), tells
 * how far the step can be taken, or changes the desired positions until the whole step is free of contact.
 *
 *     tact_body_set_step_positions(world, cloth, x0, x1);       where the particles are, where they want to go
 *     double safe = tact_step_find_limit(world, NULL).time;     the step can be taken up to here; or
 *     tact_step_resolve(world, NULL);                           changes x1 until all of it can
 *
 * **Participants.** Every deformable body with step positions. Every other body is an *obstacle*: it moves by its
 * motion for `duration`, each of its points along a straight line, and nothing pushes it. Obstacles are not tested
 * against each other or themselves. The filters (category and mask) apply between bodies. Features of one body that
 * share a vertex are not tested. A face with a repeated vertex index is an edge or a point; a vertex that no face uses
 * takes no part. The margin of a body with step positions is ignored.
 *
 * **Obstacles** are tested in one of two ways:
 * - A mesh or polytope (box, triangle, tetrahedron, polygon, hull) without margin: by its vertices, edges and faces,
 * exactly. Its surface counts, not its interior.
 * - All other shapes (curved shapes, points, segments, Minkowski sums, convex hulls of shapes, custom shapes, shapes
 * with a margin, soups and compounds of anything) as a *shape*: each convex part, interior included, against the faces
 * of deformable bodies. This is conservative: the reported time is never late, and at that time the distance is at most
 * a tolerance, 1.1e-13 of the extent of both from the origin of the part. (In 1 of 4,000 of the hardest cases tried,
 * faces that rotate by radians at that distance from a curved part, the time is earlier still; then the status of
 *   tact_feature_contact::ccd is #TACT_NOT_CONVERGED.)
 *
 * Straight paths shrink a rotating obstacle and its margin, because a chord is nearer to the axis than its arc: half
 * way, by an eighth of the square of the step's rotation angle. A single sphere does not shrink, nor does a cylinder,
 * cone or capsule that rotates about its own axis. At both ends of the step every body has its true shape.
 *
 * These calls are not recorded (record.h), but the deformations and transforms that tact_step_resolve sets are. Step
 * positions are not part of a saved world.
 */
#ifndef TACT_STEP_H
#define TACT_STEP_H

#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/ccd.h>
#include <tact/query.h>
#include <tact/status.h>

TACT_BEGIN

/** Sets the current and the desired positions of all vertices of a deformable mesh for the next step, in world
 * coordinates (the body's transform must be the identity). Both arrays are read now. `to` is retained:
 * tact_step_resolve writes to it. The positions are valid until the next call (both NULL: none, the body is an
 * obstacle), or until the body gets another shape or more vertices, or is removed.
 *
 * #TACT_BAD_ARGUMENT, and nothing changes, if the body is not a deformable mesh, or a number is not finite or beyond
 * 1e140. The body's own vertices, which all other functions use, do not change until tact_step_resolve. */
TACT_API tact_status tact_body_set_step_positions(tact_world *world, tact_body body, const tact_vec3 *from,
                                                  tact_vec3 *to);

/** Sets the inverse mass of each vertex, for the default response. 0: fixed, it always reaches its desired position.
 * Each is 0 or between 1e-50 and 1e50. Read now and kept until the next call. NULL, as initially: 1 for all. */
TACT_API tact_status tact_body_set_inverse_vertex_masses(tact_world *world, tact_body body,
                                                         const double *inverse_masses);

/** A contact of two features within the step, or a pair of features that are close at its start.
 *
 * If `vertices[0]` is #TACT_NO_VERTEX, `a` is an obstacle tested as a shape: the contact is one of a point of `part` of
 * the obstacle and a face of `b`. The weights are those of the closest point of the face, the normal points out of the
 * obstacle, and the bracket is a single time. If that is 0 and they touch or overlap, the contact is degenerate. */
typedef struct tact_feature_contact {
    tact_ccd_kind kind;   /**< vertex-face or edge-edge */
    tact_body a;          /**< vertex-face: body of the vertex (or point); edge-edge: body of the first edge */
    tact_body b;          /**< body of the face, or of the second edge; may equal `a` */
    uint32_t vertices[4]; /**< as in ccd.h, those of A and then those of B, numbered as by tact_shape_get_points (a box
                             as in #tact_intersection); the first may be #TACT_NO_VERTEX */
    uint32_t face;  /**< vertex-face: face of B as in its def; for a convex shape the facet, as in #tact_intersection */
    tact_part part; /**< if `vertices[0]` is #TACT_NO_VERTEX: part of A; else 0 */
    double distance; /**< tact_step_find_proximities: distance at the start; else 0 */
    tact_ccd ccd;    /**< time bracket, weights, normal */
} tact_feature_contact;

/** Options of a step. Start with tact_step_def_default(): a def without duration or iterations is rejected. */
typedef struct tact_step_def {
    double duration; /**< of the step, in the time unit of motions, for obstacles; default 1 */
    /** A length to aim at; default 0. Closest points that are nearer than this at the start are pushed apart by a
     * quarter of it, and contacts are resolved to this distance. It is not guaranteed: other points of the same faces
     * may come nearer, and under load gaps of a few hundredths of it are usual. Guaranteed is that nothing touches. It
     * should be well below the length of the edges. */
    double thickness;
    double friction;    /**< Coulomb coefficient for the default response; default 0 */
    int max_iterations; /**< iterations before the fail-safe; default 100 */
    /** Called for each contact in order of time, once per vertex and iteration; changes the desired positions `to` of
     * its four points. Changes to obstacles, and invalid positions (NaN, beyond 1e140), are ignored. If `vertices[0]`
     * is #TACT_NO_VERTEX, the first point is that of the obstacle, moved along the normal, at both ends, until the
     * whole part is behind the plane through it; so a vertex-face impulse works for this case, too. The callback must
     * not destroy the world; nested steps are rejected. NULL: the default response, an inelastic impulse along the
     * normal with friction, for the first few contacts of each vertex, and again for all contacts of earlier
     * iterations. */
    void (*callback)(void *context, const tact_feature_contact *contact, const tact_vec3 from[4], tact_vec3 to[4]);
    void *context; /**< passed to `callback` */
} tact_step_def;

/** Returns the defaults: duration 1, no thickness, no friction, 100 iterations, the default response. */
TACT_API tact_step_def tact_step_def_default(void);

/** Feature contacts, in order of time (by the start of their brackets). */
typedef struct tact_feature_contacts {
    tact_status status; /**< #TACT_OK, #TACT_BAD_ARGUMENT (a number in `def`, a body whose transform changed after its
                           step positions were set, a motion beyond 1e140) or #TACT_OUT_OF_MEMORY */
    size_t count;       /**< number of contacts */
    const tact_feature_contact *items; /**< owned by the world; valid until the next change of the world or the next
                                          step function */
} tact_feature_contacts;

/** Finds all contacts of the step if every vertex goes to its desired position. Touching counts, also at the very start
 * and end. `def` may be NULL. Cost: about 0.5 us a triangle, plus the exact tests. Allocates when there are more
 * contacts than ever before, or other bodies. */
TACT_API tact_feature_contacts tact_step_find_contacts(tact_world *world, const tact_step_def *def);

/** Finds all pairs of features that are closer than `distance` at the start of the step, with their closest points
 * (weights) and the normal from A to B; the time is 0. The order is unspecified, but the same for the same calls.
 * Distances are accurate to a few ulps. */
TACT_API tact_feature_contacts tact_step_find_proximities(tact_world *world, double distance, const tact_step_def *def);

/** How far a step can be taken. */
typedef struct tact_step_limit {
    tact_status status;         /**< as in #tact_feature_contacts */
    double time;                /**< there is no contact before this time; 1 without contact: the whole step is free */
    tact_feature_contact first; /**< the first contact, if there is one */
} tact_step_limit;

/** Finds the contact-free part of the step: all vertices may go to (1 - s) x0 + s x1 for any s < time. `def` may be
 * NULL. */
TACT_API tact_step_limit tact_step_find_limit(tact_world *world, const tact_step_def *def);

/** Result of tact_step_resolve. All zero but the status if it failed. */
typedef struct tact_step_result {
    tact_status status; /**< as in #tact_feature_contacts; also #TACT_BAD_ARGUMENT if something touches at the start */
    double time; /**< fraction of the step that was taken, also by obstacles; less than 1 only where obstacles leave no
                      space */
    int iterations;            /**< number of iterations */
    size_t contacts;           /**< number of contacts responded to, over all iterations */
    size_t fail_safe_vertices; /**< number of vertices that the fail-safe moved */
    size_t tests;              /**< number of exact feature tests */
} tact_step_result;

/**
 * Changes the desired positions until the step is free of contact (Hutter and Fuhrmann 2007). Each iteration finds the
 * contacts and responds to them in order of time; the next one examines only what has changed. After `max_iterations`
 * the fail-safe takes over: vertices that still collide form impact zones (Provot 1997), and each zone moves as one:
 * along with an obstacle it touches, or by the mean displacement of its vertices; or it stays, if it touches something
 * that is at rest or fixed. If a zone cannot evade the obstacles, the whole step is shortened.
 *
 * On success nothing touches on the way from x0 to x1. A final exact test proves this for the resulting doubles. The
 * new positions are in the `to` arrays and become the vertices of the bodies, as by tact_body_deform. Moving obstacles
 * get the transforms and velocities that they have at the end of the step. So the next step can start at x1, and its
 * start is free of contact.
 *
 * Nothing may touch at x0. (Surfaces that already intersect there, without a vertex or an edge that touches, are not
 * detected; use tact_mesh_check and tact_shapes_intersections.) On failure nothing changes.
 */
TACT_API tact_step_result tact_step_resolve(tact_world *world, const tact_step_def *def);

TACT_END

#endif
