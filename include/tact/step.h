/**
 * @file
 * A step of a simulation through continuous time: deformable bodies (cloth, soft bodies) whose vertices go from where they are to where
 * they want to be, each along a straight line, and everything that meets on the way, exactly (ccd.h).
 *
 *     tact_body_vertices(world, cloth, x0, x1);              where the particles are, where they want to go
 *     double safe = tact_world_free_until(world).time;        the step can be taken up to here; or
 *     tact_world_resolve(world, NULL);                        x1 is changed until all of it can
 *
 * What takes part: every deformable body with vertices for the step, and every other body of a mesh or a polytope (box, triangle,
 * tetrahedron, polygon, hull) as an obstacle: its vertices go from where they are to where its motion takes them in `duration`, each along a
 * straight line, and nothing pushes it. Surfaces count, not insides. Filters (category and mask) hold between bodies; features of one body that share a vertex do not
 * meet each other. Bodies of other shapes take no part.
 */
#ifndef TACT_STEP_H
#define TACT_STEP_H

#include <stddef.h>
#include <stdint.h>
#include <tact/body.h>
#include <tact/ccd.h>
#include <tact/status.h>

TACT_BEGIN

/** Where the vertices of a deformable body are, and where they want to go in this step: as many as its shape has, in world coordinates
 * (its placement must be the identity). Both arrays are read now; `to` is kept, and tact_world_resolve writes to it. The pair
 * lasts until the next call, with NULL for none. #TACT_BAD_ARGUMENT, and nothing changes, if the body is not deformable or not a mesh, or a number is
 * not finite or beyond 1e150. */
TACT_API tact_status tact_body_vertices(tact_world *world, tact_body body, const tact_vec3 *from, tact_vec3 *to);

/** One over the mass of each vertex, for the default response; 0: it is held. Read now. NULL, as at first: 1 for all. */
TACT_API tact_status tact_body_masses(tact_world *world, tact_body body, const double *inverse_masses);

/** Two features that meet within the step. */
typedef struct tact_meeting {
    tact_ccd_kind kind;
    tact_body a;          /**< vertex-face: whose vertex; edge-edge: of the first edge */
    tact_body b;          /**< whose face; of the second edge; may be the same */
    uint32_t vertices[4]; /**< as in ccd.h: those of a, then those of b, as their shapes number them */
    uint32_t face;        /**< vertex-face: of b, as its maker numbered them; of a convex shape a side, as in tact_crossing */
    double distance;      /**< tact_world_proximities: how far apart they are; else 0 */
    tact_ccd when;        /**< time, weights, normal */
} tact_meeting;

/** How a step is taken. Begin with tact_step_def_default(). */
typedef struct tact_step_def {
    double duration;  /**< of the step, in the units of motions: for obstacles; default 1 */
    double thickness; /**< of cloth: what is nearer than this at the start is kept from coming nearer; default 0 */
    double friction;  /**< Coulomb's, for the default response; default 0 */
    int rounds;       /**< of the iteration before the fail-safe steps in; default 100 */
    /** Called for each meeting, in order of time, of each vertex the first one alone; changes where its four points want to go. NULL: the
     * default response: an inelastic impulse along the normal, with friction. */
    void (*respond)(void *context, const tact_meeting *meeting, const tact_vec3 from[4], tact_vec3 to[4]);
    void *context; /**< handed to `respond` */
} tact_step_def;

TACT_API tact_step_def tact_step_def_default(void); /**< see there */

/** All that meets, in order of time (brackets that begin first come first). */
typedef struct tact_meetings {
    tact_status status;
    size_t count;              /**< how many */
    const tact_meeting *items; /**< the world's own, good until the next call that changes it or asks for meetings */
} tact_meetings;

/** Everything that meets, if all go where they want to. `def` may be NULL. */
TACT_API tact_meetings tact_world_meetings(tact_world *world, const tact_step_def *def);

/** All pairs of features nearer to each other than `distance` now, at the beginning of the step, with their nearest points (weights) and the
 * normal between them; `when` is 0. In no order of distance, but the same for the same calls. */
TACT_API tact_meetings tact_world_proximities(tact_world *world, double distance, const tact_step_def *def);

/** How far the step can be taken. */
typedef struct tact_free {
    tact_status status;
    double time;        /**< nothing touches before; 1: nothing touches at all, otherwise what `first` says */
    tact_meeting first; /**< the first one, when there is one */
} tact_free;

/** The part of the step that is free of contact: all vertices may go to (1 - s) x0 + s x1 for any s < time. `def` may be NULL. */
TACT_API tact_free tact_world_free_until(tact_world *world, const tact_step_def *def);

/** What became of a step. */
typedef struct tact_resolution {
    tact_status status;
    double time;     /**< 1; less where obstacles leave no way: how much of the step has been taken, by obstacles too */
    int rounds;      /**< how many it took */
    size_t meetings; /**< responded to */
    size_t stopped;  /**< vertices that the fail-safe kept where they were */
    size_t tests;    /**< pairs of features that were looked at exactly */
} tact_resolution;

/**
 * Changes where the vertices want to go until nothing meets on the way (Hutter and Fuhrmann): in each round the meetings are found, of each
 * vertex the first one is responded to, in order of time, and the next round looks only where something has changed. When the rounds are used up, vertices
 * that still meet something stay where they are, with all that then meets them; if obstacles run into those, the whole step is
 * shortened. In the end nothing touches from x0 to x1, which is proved by a last look. (They must not touch at x0: #TACT_BAD_ARGUMENT, and nothing
 * changes.) The new places are in the `to` arrays, and become the bodies' vertices, as by tact_body_deform.
 */
TACT_API tact_resolution tact_world_resolve(tact_world *world, const tact_step_def *def);

TACT_END

#endif
