/**
 * @file
 * Cloth steps: one step of a simulation with deformable bodies (cloth, soft bodies). Each vertex moves along a straight
 * line from its current position `from` to its desired position `to`. Tact finds all contacts on the way. It computes
 * how far the step can be taken, or changes the desired positions until the whole step is free of contact. (The frame
 * loop of rigid bodies, tact_world_step, is in rigid.h.)
 *
 *     tact_body_set_step_positions(world, cloth, from, to);    // current and desired positions
 *     double safe = tact_step_find_limit(world, NULL).time;    // either: how far the step can be taken
 *     tact_step_resolve(world, NULL);                          // or: change `to` until the whole step can be taken
 *
 * **Participants.** A deformable body with step positions is tested against itself and all other bodies. A body
 * without step positions is an *obstacle*: it follows its motion for `duration`, and contacts do not change its path.
 * Each of its points moves along a straight line. Obstacles are not tested against each other or against themselves.
 * - The filters (category and mask) apply between bodies.
 * - Features of one body that share a vertex are not tested.
 * - A face with a repeated vertex index is treated as an edge, or as a point if all three are equal.
 * - A vertex that no face uses is ignored.
 * - The margin of a body with step positions is ignored.
 *
 * **Obstacles** are tested in one of two ways:
 * - *By features*, exactly (ccd.h): a mesh or polytope (box, triangle, tetrahedron, polygon, hull) without margin. Its
 *   vertices, edges and faces are tested, and not its interior.
 * - *As a shape*, conservatively: all other shapes. These are curved shapes, points, segments, Minkowski sums, convex
 *   hulls of shapes, custom shapes, shapes with a margin, soups, compounds and NURBS. Each convex part is tested, with
 *   its interior, against the faces of deformable bodies. A half-space is tested as a box whose upper face lies in its
 *   plane and which is 16 times as large as the scene.
 *
 * - *A NURBS body with step positions* (of its control points) is an obstacle that deforms. It is tested by the
 * features of its triangles, exactly. They are within its tolerance of the surfaces during the whole step, and move
 * linearly. Vertices and faces of a contact are those of this tessellation, which is not the mesh of the body. Contacts
 * do not change its path; tact_step_resolve may shorten the whole step.
 *
 * Conservative means that the reported time is never late, and that the distance at that time is at most a tolerance.
 * Let r be the largest distance of a point of the face or the part from the origin of the part's transform. Then the
 * tolerance is 1.1e-13 r (2^-43 r). In rare cases the time is earlier than that, and the status of
 * tact_feature_contact::ccd is #TACT_NOT_CONVERGED. This happened in 1 of 4,000 of the hardest cases tried: faces that
 * rotate by radians while they are that close to a curved part.
 *
 * **Rotating obstacles shrink** on straight paths, because a chord is nearer to the axis than its arc. If the
 * obstacle rotates by the angle a, it and its margin shrink by a relative a^2 / 8 in the middle of the step. A single
 * sphere does not shrink, nor does a cylinder, cone or capsule that rotates about its own axis. At both ends of the
 * step every body has its true shape.
 *
 * **Recording** (record.h). The functions of this header are not recorded. The deformations and transforms that
 * tact_step_resolve sets are recorded. A saved world does not contain step positions.
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

/**
 * Sets the current positions `from` and the desired positions `to` of all vertices of a deformable mesh for the next
 * step. They are in world coordinates, and the transform of the body must be the identity. Both arrays are read now.
 * Tact also keeps the pointer `to`, because tact_step_resolve writes the resulting positions there.
 *
 * The positions are valid until the next call for the body, or until the body is removed or gets another shape or more
 * vertices. If both arrays are NULL, the body has no step positions: it becomes an obstacle. The own vertices of the
 * body, which all other functions use, do not change until tact_step_resolve.
 *
 * For a deformable NURBS body (nurbs.h) the positions are those of its control points. The body is an obstacle that
 * deforms: it is not tested against other obstacles or against itself. Set them before each step, also if the body
 * rests. If `from` is what the last tact_step_resolve wrote (or the last `from`, if the step was not resolved), the
 * step begins with the triangles with which that one ended: cells are divided where that is needed, and vertices that
 * are new begin on these triangles. So the start is free of contact. Otherwise, and in cells that trimming curves cut
 * if cells are divided, the triangles may differ from those before within the tolerance.
 *
 * Returns #TACT_OUT_OF_MEMORY, or #TACT_BAD_ARGUMENT if the body is not a deformable mesh or NURBS body, its transform
 * is not the identity, a number is not finite or beyond 1e140, or the tolerance of a NURBS body needs too many
 * triangles. Then nothing changes.
 */
TACT_API tact_status tact_body_set_step_positions(tact_world *world, tact_body body, const tact_vec3 *from,
                                                  tact_vec3 *to);

/** Sets the inverse mass of each vertex of a deformable mesh, for the default response. Each is 0 or between 1e-50 and
 * 1e50. The array is copied. NULL, as initially: 1 for all vertices.
 *
 * A vertex of inverse mass 0 is *fixed*: the default response does not change its desired position. The fail-safe of
 * tact_step_resolve may still keep it from getting there: if it is in an impact zone that stays, or if the whole step
 * is shortened. */
TACT_API tact_status tact_body_set_inverse_vertex_masses(tact_world *world, tact_body body,
                                                         const double *inverse_masses);

/**
 * A contact of two features within the step, or a pair of features that are close at its start.
 *
 * If `vertices[0]` is #TACT_NO_VERTEX, `a` is an obstacle that is tested as a shape. The contact is then between a
 * point of `part` of the obstacle and a face of `b`. The fields of `ccd` have this meaning:
 * - The weights are those of the closest point of the face.
 * - The normal points out of the obstacle.
 * - `lower` and `upper` are equal.
 * - The contact is degenerate if the obstacle and the face touch or overlap at the start.
 */
typedef struct tact_feature_contact {
    tact_ccd_kind kind; /**< vertex-face or edge-edge */
    tact_body a;        /**< vertex-face: body of the vertex (or point); edge-edge: body of the first edge */
    tact_body b;        /**< body of the face, or of the second edge; may equal `a` */
    /** The four points in the order of ccd.h: those of A, then those of B. They are numbered as by
     * tact_shape_get_points, those of a box as in tact_shapes_intersections. The first may be #TACT_NO_VERTEX. */
    uint32_t vertices[4];
    uint32_t face;   /**< vertex-face: face of B as in its def; facet of a convex B as in tact_shapes_intersections */
    tact_part part;  /**< if `vertices[0]` is #TACT_NO_VERTEX: part of A; else 0 */
    double distance; /**< tact_step_find_proximities: distance at the start; else 0 */
    tact_ccd ccd;    /**< time bracket, weights, normal */
} tact_feature_contact;

/** Options of a step. Start with tact_step_def_default(). A def that is all zero is rejected: `duration` and
 * `max_iterations` must not both be 0. Either alone may be. */
typedef struct tact_step_def {
    double duration; /**< of the step, in the time unit of motions, for obstacles; default 1 */
    /** The distance that tact_step_resolve aims at; default 0. Features that are closer than this at the start are
     * pushed apart by a quarter of it, and contacts are resolved to this distance. The result guarantees only that
     * nothing touches, not this distance: under load, gaps of a few hundredths of it are usual. The thickness should be
     * well below the edge length. */
    double thickness;
    double friction;    /**< Coulomb coefficient for the default response; default 0 */
    int max_iterations; /**< iterations before the fail-safe; default 100 */
    /**
     * The response of the step (a response of response.h has no effect here). It is called for contacts in order of
     * time, and changes the desired positions `to` of the four points. In one iteration it is called only for the first
     * contact of each vertex. Changes to obstacles and invalid positions (NaN, beyond 1e140) are ignored.
     *
     * If `vertices[0]` is #TACT_NO_VERTEX, the first point is the contact point of the obstacle. Its positions
     * `from[0]` and `to[0]` are moved along the normal to the plane that just bounds the whole part. So a response to
     * vertex-face contacts handles this case, too.
     *
     * The callback must not destroy the world, and the functions of step.h fail in it.
     *
     * NULL: the default response, an inelastic impulse along the normal with friction. Each iteration applies it to the
     * first four contacts of each vertex. It also applies it again to earlier contacts whose gap has shrunk to less
     * than half of the gap that the response aimed at.
     */
    void (*callback)(void *context, const tact_feature_contact *contact, const tact_vec3 from[4], tact_vec3 to[4]);
    void *context; /**< passed to `callback` */
} tact_step_def;

/** Returns the defaults: duration 1, no thickness, no friction, 100 iterations, the default response. */
TACT_API tact_step_def tact_step_def_default(void);

/** Feature contacts, in order of time (by the start of their brackets). */
typedef struct tact_feature_contacts {
    /** #TACT_OK, #TACT_OUT_OF_MEMORY or #TACT_BAD_ARGUMENT. #TACT_BAD_ARGUMENT means: a number of `def` is invalid, a
     * transform has changed after step positions were set, or an obstacle moves beyond 1e140. */
    tact_status status;
    size_t count; /**< number of contacts */
    /** The contacts. The world owns the array. It is valid until the world changes or a function of step.h is called.
     */
    const tact_feature_contact *items;
} tact_feature_contacts;

/** Finds all contacts of the step if every vertex moves to its desired position. Touching is a contact, also at the
 * very start and end. `def` may be NULL.
 *
 * Cost on one thread of a 2.6 GHz core: 0.2 us per triangle of a sheet without contacts, 0.7 us with one contact for
 * every two triangles, 1.5 to 2.5 us with about one contact per triangle. The function reuses its memory: it allocates
 * only if there are other bodies than in the last call, or if the number of contacts exceeds its previous maximum. */
TACT_API tact_feature_contacts tact_step_find_contacts(tact_world *world, const tact_step_def *def);

/** Finds all pairs of features that are closer than `distance` at the start of the step. The weights are those of the
 * closest points, the normal points from A to B, and the time is 0. The order is unspecified, but the same for the same
 * calls. A distance is accurate to a few ulps of the largest coordinate difference between the four points. */
TACT_API tact_feature_contacts tact_step_find_proximities(tact_world *world, double distance, const tact_step_def *def);

/** How far a step can be taken. */
typedef struct tact_step_limit {
    tact_status status; /**< as in #tact_feature_contacts */
    double time;        /**< fraction of the step before which there is no contact; 1 if there is none before the end */
    /** The first contact. `first.ccd.state` is #TACT_HIT if there is one, also at the very end of the step. */
    tact_feature_contact first;
} tact_step_limit;

/** Finds the contact-free part of the step: for any s < `time`, all vertices may move to (1 - s) from + s to. `def` may
 * be NULL. */
TACT_API tact_step_limit tact_step_find_limit(tact_world *world, const tact_step_def *def);

/** Result of tact_step_resolve. If it failed, all fields except the status are zero. */
typedef struct tact_step_result {
    tact_status status; /**< as in #tact_feature_contacts; also #TACT_BAD_ARGUMENT if something touches at the start */
    double time; /**< fraction of the step that was taken, also by obstacles; below 1 only if the step was shortened */
    int iterations;            /**< number of iterations */
    size_t contacts;           /**< number of contacts responded to, over all iterations */
    size_t fail_safe_vertices; /**< number of vertices that the fail-safe moved */
    size_t tests;              /**< number of exact feature tests */
} tact_step_result;

/**
 * Changes the desired positions until the step is free of contact (Hutter and Fuhrmann 2007). Each iteration finds the
 * contacts and responds to them in order of time. The next iteration tests only the features that have changed.
 *
 * **Fail-safe.** After `max_iterations` the vertices that still collide form impact zones (Provot 1997). Each zone
 * moves as one, by the first of these rules that applies:
 * - If it contains a fixed vertex, or touches an obstacle at rest, one that deforms or several obstacles, it stays
 * where it is.
 * - If it touches a moving obstacle, it moves along with it.
 * - Otherwise it moves by the mean displacement of its vertices, weighted by mass.
 *
 * If an obstacle still runs into a zone, the whole step is shortened.
 *
 * **Result.** On success nothing touches on the way from `from` to `to`. A final test of the whole step proves this for
 * the resulting doubles. The new positions are in the `to` arrays and become the vertices of the bodies, as by
 * tact_body_deform. Control points of NURBS bodies are moved as by tact_body_move_control_points: to their positions
 * `to` or, if the step was shortened, to the same part of the way, which is written to `to`. Moving obstacles get the
 * transforms and velocities that they have at the end of the step. So the next step can start at `to`, and its start is
 * free of contact.
 *
 * **Time.** The time of the world (tact_world_get_time) does not change. Since obstacles have moved, do not also
 * advance the world for the same interval: tact_world_step would move them again.
 *
 * **Start.** If something touches at `from`, the status is #TACT_BAD_ARGUMENT. Surfaces that intersect at `from`
 * without a vertex touching a face or an edge touching an edge are not detected. tact_mesh_check and
 * tact_shapes_intersections find them. On failure nothing changes.
 */
TACT_API tact_step_result tact_step_resolve(tact_world *world, const tact_step_def *def);

TACT_END

#endif
