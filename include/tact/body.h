/**
 * @file
 * Bodies: instances of shapes in a world. A body has a shape, a placement, a motion, and what it is to the program
 * (`user`). It is named by a small value, a handle; a handle to a body that is gone is recognised, never followed (a
 * handle of one world means another body, or none, in another).
 */
#ifndef TACT_BODY_H
#define TACT_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/mesh.h>
#include <tact/motion.h>
#include <tact/shape.h>
#include <tact/status.h>
#include <tact/transform.h>

TACT_BEGIN

/** Bodies, the responses to their contacts, and what is remembered between tests. See world.h. */
typedef struct tact_world tact_world;

/** The name of a body in its world. Zero-initialised it is none. Two are the same body if both numbers are equal. */
typedef struct tact_body {
    uint32_t index;      /**< private */
    uint32_t generation; /**< private; 0: no body */
} tact_body;

/** What a body begins with. Everything but the shape may be left zero. */
typedef struct tact_body_def {
    const tact_shape *shape;        /**< the world holds a reference to it while the body lives */
    tact_transform transform;       /**< where it is; all zero: the identity */
    tact_motion motion;             /**< how it moves from now on; all zero: it stands still */
    void *user;                     /**< the caller's own */
    uint32_t class_id;              /**< for responses by class; 0: of no class */
    uint64_t category;              /**< bits: what it is; 0: all of them */
    uint64_t mask;                  /**< bits: the categories that it may meet; 0: all of them */
    bool rotation_invariant_bounds; /**< its bounds in the broad phase hold for every rotation and change with its
                                  stretch alone, instead of being fitted to the shape at each placement: looser, and
                                  cheaper to place for shapes of many points */
    bool deformable; /**< a mesh or soup with vertices of its own, which may change: see tact_body_deform */
} tact_body_def;

/** Makes a body. A zero body on failure: `def` or its shape is NULL, a number is not finite, the placement is singular
 * or beyond 1e150, so is a number of the motion, or there is no memory. */
TACT_API tact_body tact_body_create(tact_world *world, const tact_body_def *def);

/** Makes `count` bodies, all or none, and writes their names to `bodies`. `report` (may be NULL) says what is wrong. */
TACT_API tact_status tact_body_create_many(tact_world *world, const tact_body_def *defs, size_t count,
                                           tact_body *bodies, tact_report *report);

/** Takes a body out of its world; its own response and those of pairs that it is in are gone with it. Needs no
 * memory. #TACT_BAD_ARGUMENT if there is no such body. */
TACT_API tact_status tact_body_remove(tact_world *world, tact_body body);

/** All or none: one that is not there, or is named twice, is #TACT_BAD_ARGUMENT. */
TACT_API tact_status tact_body_remove_many(tact_world *world, const tact_body *bodies, size_t count);

/** Is there such a body? */
TACT_API bool tact_body_exists(const tact_world *world, tact_body body);

/** The body after `previous`, or the first one after a zero body; a zero body at the end. In no order that means
 * anything, the same for the same calls. Bodies may be removed on the way, the one just given too. */
TACT_API tact_body tact_world_next_body(const tact_world *world, tact_body previous);

/* The following return #TACT_BAD_ARGUMENT, and change nothing, if there is no such body or a value is not usable. None
 * of them needs memory. */

/** Places it, absolutely. (Relatively: place it at tact_transform_translate of where it is, and the like.) */
TACT_API tact_status tact_body_set_transform(tact_world *world, tact_body body, tact_transform place);

/** Gives it a motion, of numbers up to 1e150. (tact_world_test looks at placements alone.) */
TACT_API tact_status tact_body_set_motion(tact_world *world, tact_body body, tact_motion motion);

/** Gives it another shape. A deformable body is rigid from then on. */
TACT_API tact_status tact_body_set_shape(tact_world *world, tact_body body, const tact_shape *shape);

/** Gives it another category and mask; 0: all bits. Two bodies can meet if each one's category has a bit in the other's
 * mask. */
TACT_API tact_status tact_body_set_filter(tact_world *world, tact_body body, uint64_t category, uint64_t mask);

/** Puts it into another class; 0: none. */
TACT_API tact_status tact_body_set_class(tact_world *world, tact_body body, uint32_t class_id);

/** Gives it another user pointer. */
TACT_API tact_status tact_body_set_user(tact_world *world, tact_body body, void *user);

/* ---- deformable bodies ----
 *
 * A deformable body has the faces of its shape, which stays what it is and may be that of other bodies, and vertices of
 * its own, which are read from an array of the caller's. Whatever is then asked of the world is answered as for a
 * mesh made of these vertices (with polygons cut up as those of the shape are). What came before is kept for
 * #TACT_PREVIOUS until tact_world_store_previous, which copies nothing. From within a response they count as placing
 * does. */

/** Vertices for a deformable body, as many as it has (tact_body_get_vertices). They are read now; the array is
 * borrowed, and read again by tact_body_deform_range alone. #TACT_BAD_ARGUMENT, and nothing changes, if it is not
 * deformable, or a number is not finite or so large that a body could not be made with it, there where this one is
 * (placed, it would reach beyond 1e150). Cost: some 10 ns a triangle; once in a while, when boxes fitted again and
 * again have become bad ones, that of making the mesh. No memory is needed, but for pieces of a soup with more than 4
 * corners, whose hulls are made anew, and for bodies that may reach beyond 1e148, which are tried first, or whose faces
 * have changed: #TACT_OUT_OF_MEMORY, and nothing changes. Bad boxes are replaced by good ones if there is memory for
 * these; otherwise the call succeeds all the same, with the old ones, but since contacts may then come in another order
 * a record stops here and a replay fails (record.h). */
TACT_API tact_status tact_body_deform(tact_world *world, tact_body body, tact_vertices vertices);

/** Vertices `first` to `first + count - 1` of the array that was last lent have changed: as tact_body_deform, at a cost
 * in proportion to them. #TACT_BAD_ARGUMENT if there is no such array, or they are not all in it. */
TACT_API tact_status tact_body_deform_range(tact_world *world, tact_body body, size_t first, size_t count);

/** Makes a body deformable that was not made so; nothing happens if it is. #TACT_BAD_ARGUMENT if its shape is neither a
 * mesh nor a soup, #TACT_OUT_OF_MEMORY. */
TACT_API tact_status tact_body_make_deformable(tact_world *world, tact_body body);

TACT_API bool tact_body_is_deformable(const tact_world *world, tact_body body); /**< is it? */

/** Where the vertices of a mesh or soup are now, in its own coordinates: writes the first `room` of them and returns
 * how many there are; 0 for other shapes. */
TACT_API size_t tact_body_get_vertices(const tact_world *world, tact_body body, tact_vec3 *vertices, size_t room);

/* ---- tearing and remeshing ----
 *
 * The faces of a deformable body can change, too, if it is a shell of triangles (a mesh that is not solid and was made
 * without sizes). From then on they are its own; its shape stays what it is. To tear along an edge, add vertices beside
 * those that are on both sides (a hair's breadth away: in a step, step.h, they must not touch), and give the faces on
 * one side these instead:
 *
 *     tact_body_add_vertices(world, cloth, &beside_7, 1);             the cloth had 100: this is number 100
 *     tact_body_change_faces(world, cloth, (uint32_t[]){12, 13},      faces 12 and 13 had the corner 7
 *                            (uint32_t[][3]){{100, 8, 17}, {6, 100, 17}}, 2);
 *
 * Numbers last: neither vertices nor faces are ever numbered anew, and whatever tells of a face (contacts, crossings,
 * meetings of a step) uses these numbers. All that is asked of the world, of tact_body_get_current_shape and of a step
 * is answered as for a mesh with these faces. The cost is in proportion to the change, on average; nothing is built
 * anew but what has worn. From within a response they count as placing does; from within that of a step (step.h) they
 * are refused. */

/** In place of the number of a vertex: as the first corner of a face, that the face is gone; in a meeting see step.h.
 */
#define TACT_NO_VERTEX UINT32_MAX

/** Face `faces[i]` has from now on the corners `corners[i]`, or is gone, if the first of these is #TACT_NO_VERTEX (it
 * may come back). A number one past the last face makes a new one, and so on. Cost: some microseconds a face, on
 * average; the first call of a body, and the first one after each tact_world_store_previous, some 10 ns for every
 * triangle besides (the frame before is kept). All or none: #TACT_BAD_ARGUMENT, and nothing changes, if the body is not
 * deformable or no shell of triangles, a corner is no vertex or farther out than 1e148, a face is named twice, or none
 * would be left; #TACT_OUT_OF_MEMORY. */
TACT_API tact_status tact_body_change_faces(tact_world *world, tact_body body, const uint32_t *faces,
                                            const uint32_t (*corners)[3], size_t count);

/** Vertices in addition, numbered from the last one on. They take part when a face has them. From then on
 * tact_body_deform and tact_body_set_step_positions want arrays that are longer by as many; what was last given for a
 * step is gone, masses are kept, those of new vertices being 1. Fails as the above. */
TACT_API tact_status tact_body_add_vertices(tact_world *world, tact_body body, const tact_vec3 *places, size_t count);

/** The corners of the faces of a mesh of triangles, by number; of those that are gone #TACT_NO_VERTEX. Writes the first
 * `room` of them and returns how many numbers there are; 0 for other shapes. */
TACT_API size_t tact_body_get_faces(const tact_world *world, tact_body body, uint32_t (*corners)[3], size_t room);

/* What it has; zero, NULL or the identity if there is no such body. */

TACT_API tact_transform tact_body_get_transform(const tact_world *world, tact_body body); /**< where it is */
/** Where it was when tact_world_store_previous was last called, or else when it was made. */
TACT_API tact_transform tact_body_get_previous_transform(const tact_world *world, tact_body body);
TACT_API tact_motion tact_body_get_motion(const tact_world *world, tact_body body); /**< how it moves */
/** Borrowed. Of a deformable body, the shape that it was made with. */
TACT_API const tact_shape *tact_body_get_shape(const tact_world *world, tact_body body);
/** Its shape as it is now, for questions about it (query.h): of a deformable body a mesh of its vertices, good until it
 * is deformed, given another shape or removed, and neither to be retained nor given to a body; of others the same as
 * above. */
TACT_API const tact_shape *tact_body_get_current_shape(const tact_world *world, tact_body body);
TACT_API void *tact_body_get_user(const tact_world *world, tact_body body);        /**< the caller's own */
TACT_API uint32_t tact_body_get_class(const tact_world *world, tact_body body);    /**< 0: none */
TACT_API uint64_t tact_body_get_category(const tact_world *world, tact_body body); /**< its bits, never 0 */
TACT_API uint64_t tact_body_get_mask(const tact_world *world, tact_body body);     /**< its bits, never 0 */
/** The box that the broad phase goes by: around the placed shape, rounded outwards to floats. */
TACT_API tact_bounds tact_body_get_bounds(const tact_world *world, tact_body body);

TACT_END

#endif
