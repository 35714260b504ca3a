/**
 * @file
 * A step of a simulation through continuous time: deformable bodies (cloth, soft bodies) whose vertices go from where
 * they are to where they want to be, each along a straight line, and everything that meets on the way: between
 * vertices, edges and faces exactly (ccd.h).
 *
 *     tact_body_set_step_positions(world, cloth, x0, x1);              where the particles are, where they want to go
 *     double safe = tact_step_find_limit(world, NULL).time;  the step can be taken up to here; or
 *     tact_step_resolve(world, NULL);                        x1 is changed until all of it can
 *
 * What takes part: every deformable body with vertices for the step; and every other body as an *obstacle*, which goes
 * where its motion takes it in `duration`, each of its points along a straight line, and which nothing pushes. Two
 * obstacles do not meet, nor does an obstacle meet itself. Filters (category and mask) hold between bodies; features of
 * one body that share a vertex do not meet each other. A face with a corner that is repeated is an edge without a face,
 * or a free point; a vertex that no face has takes no part. The margin of a body with vertices for the step does not
 * count.
 *
 * Obstacles are met in one of two ways:
 * - A mesh or a polytope (box, triangle, tetrahedron, polygon, hull) without a margin, by its vertices, edges and
 *   faces, exactly. Its surface counts, not its inside.
 * - All others (round shapes, points and segments, sums, joins, custom support functions, anything with a margin, soups
 *   and compounds, whatever these are made of) as a *shape*: each of their convex pieces, the inside included, against
 *   the faces of deformable bodies. This is not exact, but conservative: the time told is never late, and at that time
 *   the two are at most a tolerance apart, 1.1e-13 of how far both reach from the origin of the piece. (In 1 of 4,000
 * of the hardest pairs that could be thought of, faces that turn by radians as near as that to something round, the
 * time comes earlier still: the status of `when` is then #TACT_NOT_CONVERGED.)
 *
 * Straight paths shrink what turns, as a chord is nearer to the axis than its arc: by an eighth of the square of the
 * angle of a step, half way, of obstacles of both kinds and of their margins. A body that is one ball does not shrink,
 * nor does a cylinder, cone or capsule that turns about its own axis. At both ends of the step every body is what it
 * is.
 *
 * None of these calls is recorded (record.h), but what tact_step_resolve does to bodies is: it deforms and places
 * them as tact_body_deform and tact_body_set_transform do. What was given for a step is not part of a saved world.
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

/** Where the vertices of a deformable body are, and where they want to go in this step: as many as it has, in
 * world coordinates (its placement must be the identity). Both arrays are read now; `to` is kept, and
 * tact_step_resolve writes to it. The pair lasts until the next call, with both NULL for none (it is an obstacle
 * then), or the body has another shape, more vertices, or is gone. #TACT_BAD_ARGUMENT, and nothing changes, if the body
 * is not a deformable mesh, or a number is not finite or beyond 1e140. The body's own vertices, which all but steps go
 * by, stay as they are until tact_step_resolve. */
TACT_API tact_status tact_body_set_step_positions(tact_world *world, tact_body body, const tact_vec3 *from,
                                                  tact_vec3 *to);

/** One over the mass of each vertex, for the default response; 0: it is held, and goes where it wants to. Each 0 or
 * between 1e-50 and 1e50. Read now, and kept until the next call. NULL, as at first: 1 for all. */
TACT_API tact_status tact_body_set_inverse_vertex_masses(tact_world *world, tact_body body,
                                                         const double *inverse_masses);

/** Two features that meet within the step, or are near each other at its beginning.
 *
 * With #TACT_NO_VERTEX in place of the first vertex: a point of an obstacle that is met as a shape. Such a meeting is
 * one of a vertex (the point) and a face: `a` is the obstacle, `part` the piece of it, `b` the deformable body with its
 * face, the weights are those of the nearest point of the face, the normal points out of the obstacle, and `when` is
 * one time (both ends of the bracket); if that is 0 and they touch or overlap there, it is `degenerate`. */
typedef struct tact_feature_contact {
    tact_ccd_kind kind; /**< a vertex and a face, or two edges */
    tact_body a;        /**< vertex-face: whose vertex, or point; edge-edge: of the first edge */
    tact_body b;        /**< whose face; of the second edge; may be the same */
    /** As in ccd.h: those of a, then those of b, as tact_shape_get_points numbers them (of a box as in
     * #tact_intersection); the first may be #TACT_NO_VERTEX. */
    uint32_t vertices[4];
    uint32_t
        face; /**< vertex-face: of b, as its maker numbered them; of a convex shape a side, as in #tact_intersection */
    tact_part part;  /**< if `vertices[0]` is #TACT_NO_VERTEX: of a, where the point is; else 0 */
    double distance; /**< tact_step_find_proximities: how far apart they are; else 0 */
    tact_ccd ccd;    /**< time, weights, normal */
} tact_feature_contact;

/** How a step is taken. Begin with tact_step_def_default(): one with neither duration nor rounds is refused. */
typedef struct tact_step_def {
    double duration; /**< of the step, in the units of motions: for obstacles; default 1 */
    /** A length, aimed at: the nearest points of what is nearer than this at the start are pushed apart, by a quarter
     * of it a step, and what meets is left so far apart. Not guaranteed: other points of the same faces may come nearer
     * meanwhile, and under load gaps of a few hundredths of it are usual. Guaranteed is that nothing touches. Should be
     * well below the length of edges. Default 0. */
    double thickness;
    double friction;    /**< Coulomb's, for the default response; default 0 */
    int max_iterations; /**< of the iteration before the fail-safe steps in; default 100 */
    /** Called for each meeting, in order of time, of each vertex once a round; changes where its four points want to
     * go. What it does to obstacles, and what is no place (NaN, beyond 1e140), does not count. With #TACT_NO_VERTEX the
     * first point is that of the obstacle, moved along the normal, at both ends, until all of the piece is behind the
     * plane across it there: so an impulse for a vertex and a face does for this, too. It must not give up the
     * world, and other steps are refused meanwhile. NULL: the default response, an inelastic impulse along the normal,
     * with friction, for the first few meetings of each vertex, and again for all that has met in earlier rounds. */
    void (*callback)(void *context, const tact_feature_contact *meeting, const tact_vec3 from[4], tact_vec3 to[4]);
    void *context; /**< handed to `respond` */
} tact_step_def;

/** Duration 1, no thickness, no friction, 100 rounds, the default response. */
TACT_API tact_step_def tact_step_def_default(void);

/** All that meets, in order of time (brackets that begin first come first). */
typedef struct tact_feature_contacts {
    /** #TACT_OK, #TACT_BAD_ARGUMENT (a number in `def`, a body that was placed elsewhere since its vertices were given,
     * a motion that leads beyond 1e140) or #TACT_OUT_OF_MEMORY. */
    tact_status status;
    size_t count; /**< how many */
    const tact_feature_contact
        *items; /**< the world's own, good until the next call that changes it or asks for meetings */
} tact_feature_contacts;

/** Everything that meets, if all go where they want to; touching counts, at the very beginning and end too. `def` may
 * be NULL. Cost: some 0.5 us a triangle, and what the exact tests take; memory is taken when there are more meetings
 * than ever before, or other bodies. */
TACT_API tact_feature_contacts tact_step_find_contacts(tact_world *world, const tact_step_def *def);

/** All pairs of features nearer to each other than `distance` now, at the beginning of the step, with their nearest
 * points (weights) and the normal from A to B; `when` is 0. In no order of distance, but the same for the same calls.
 * Distances are right to some roundings. */
TACT_API tact_feature_contacts tact_step_find_proximities(tact_world *world, double distance, const tact_step_def *def);

/** How far the step can be taken. */
typedef struct tact_step_limit {
    tact_status status;         /**< as in #tact_feature_contacts */
    double time;                /**< nothing touches before; 1: nothing touches at all, otherwise what `first` says */
    tact_feature_contact first; /**< the first one, when there is one */
} tact_step_limit;

/** The part of the step that is free of contact: all vertices may go to (1 - s) x0 + s x1 for any s < time. `def` may
 * be NULL. */
TACT_API tact_step_limit tact_step_find_limit(tact_world *world, const tact_step_def *def);

/** What became of a step. All zero but for the status if it failed. */
typedef struct tact_step_result {
    tact_status
        status;      /**< as in #tact_feature_contacts; also #TACT_BAD_ARGUMENT if something touches at the beginning */
    double time;     /**< 1; less where obstacles leave no way: how much of the step has been taken, by obstacles too */
    int iterations;  /**< how many it took */
    size_t contacts; /**< responded to; of a pair in several rounds each time */
    size_t fail_safe_vertices; /**< vertices that the fail-safe took: see tact_step_resolve */
    size_t tests;              /**< pairs of features that were looked at exactly */
} tact_step_result;

/**
 * Changes where the vertices want to go until nothing meets on the way (Hutter and Fuhrmann): in each round the
 * meetings are found and responded to, in order of time, and the next round looks only where something has changed.
 * When the rounds are used up, what still meets becomes zones whose vertices move as one: along with an obstacle that
 * they meet, or by the mean of their ways; or stay where they are, if they meet what stands still or is held. If they
 * cannot get out of the way of obstacles, the whole step is shortened.
 *
 * In the end nothing touches from x0 to x1, which is proved by a last look, for the very numbers. The new
 * places are in the `to` arrays, and become the bodies' vertices, as by tact_body_deform; obstacles that move are
 * where their motions have taken them (tact_body_set_transform), their velocities those that they have there. So the
 * next step can begin at x1: it is as free as this one was.
 *
 * Nothing must touch at x0. (What already goes through something else without touching it with a vertex or an edge
 * there is not told; tact_mesh_check and tact_shapes_intersections tell that.) On failure nothing changes.
 */
TACT_API tact_step_result tact_step_resolve(tact_world *world, const tact_step_def *def);

TACT_END

#endif
