/**
 * @file
 * Bodies: instances of shapes in a world. A body has a shape, a transform, a motion and a user pointer.
 *
 * A body is named by a handle, a small value with a generation. A handle of a removed body is detected, never followed.
 * A handle belongs to one world; another world takes it for another body or for none.
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

/** A world: bodies, contact callbacks and cached pairs. See world.h. */
typedef struct tact_world tact_world;

/** Handle of a body in its world. Zero-initialised: no body. Two handles are equal if both numbers are. */
typedef struct tact_body {
    uint32_t index;      /**< private */
    uint32_t generation; /**< private; 0: no body */
} tact_body;

/** Initial state of a body. All fields but the shape may be zero. */
typedef struct tact_body_def {
    const tact_shape *shape;        /**< the world holds a reference while the body exists */
    tact_transform transform;       /**< initial transform; all zero: the identity */
    tact_motion motion;             /**< motion from now on; all zero: at rest */
    void *user;                     /**< user pointer */
    uint32_t class_id;              /**< for contact callbacks by class; 0: no class */
    uint64_t category;              /**< category bits; 0: all */
    uint64_t mask;                  /**< category bits of the bodies it can collide with; 0: all */
    bool rotation_invariant_bounds; /**< the broad phase uses a box that holds for every rotation, instead of one fitted
                                       to each transform: looser, but cheaper to update for shapes of many vertices */
    bool deformable;                /**< mesh or soup: the body has vertices of its own, see tact_body_deform */
} tact_body_def;

/** Creates a body. Returns a zero handle on failure: `def` or its shape is NULL, a number is not finite, the transform
 * is singular, a number of the transform or the motion exceeds 1e150, or memory runs out. */
TACT_API tact_body tact_body_create(tact_world *world, const tact_body_def *def);

/** Creates `count` bodies, all or none, and writes their handles to `bodies`. On failure explains in `report` (may be
 * NULL). */
TACT_API tact_status tact_body_create_many(tact_world *world, const tact_body_def *defs, size_t count,
                                           tact_body *bodies, tact_report *report);

/** Removes a body, with its contact callback and those of its pairs. Needs no memory. #TACT_BAD_ARGUMENT if the body
 * does not exist. */
TACT_API tact_status tact_body_remove(tact_world *world, tact_body body);

/** Removes `count` bodies, all or none. #TACT_BAD_ARGUMENT if one does not exist or is listed twice. */
TACT_API tact_status tact_body_remove_many(tact_world *world, const tact_body *bodies, size_t count);

/** Returns whether the body exists. */
TACT_API bool tact_body_exists(const tact_world *world, tact_body body);

/** Iterates over all bodies: returns the body after `previous`, the first one for a zero handle, a zero handle at the
 * end. The order is unspecified but the same for the same calls. Bodies may be removed during the iteration, `previous`
 * included. */
TACT_API tact_body tact_world_next_body(const tact_world *world, tact_body previous);

/* The setters return #TACT_BAD_ARGUMENT, and change nothing, if the body does not exist or the value is invalid. They
 * need no memory. */

/** Sets the transform. */
TACT_API tact_status tact_body_set_transform(tact_world *world, tact_body body, tact_transform transform);

/** Sets the motion from now on; its numbers must not exceed 1e150. tact_world_test ignores motions. */
TACT_API tact_status tact_body_set_motion(tact_world *world, tact_body body, tact_motion motion);

/** Replaces the shape. A deformable body becomes rigid. */
TACT_API tact_status tact_body_set_shape(tact_world *world, tact_body body, const tact_shape *shape);

/** Sets category and mask; 0: all bits. Two bodies can collide if each one's category shares a bit with the other's
 * mask. */
TACT_API tact_status tact_body_set_filter(tact_world *world, tact_body body, uint64_t category, uint64_t mask);

/** Sets the class; 0: none. */
TACT_API tact_status tact_body_set_class(tact_world *world, tact_body body, uint32_t class_id);

/** Sets the user pointer. */
TACT_API tact_status tact_body_set_user(tact_world *world, tact_body body, void *user);

/* ---- deformable bodies ----
 *
 * A deformable body has the faces of its shape and vertices of its own, which Tact reads from an array of the caller.
 * The shape itself does not change and may be shared. All queries about the body behave as for a mesh with these
 * vertices; polygons keep the triangulation of the shape. The previous vertices are retained for #TACT_PREVIOUS until
 * tact_world_store_previous, which copies nothing. In a contact callback a deformation acts like a new transform. */

/** Sets all vertices of a deformable body; `vertices` has as many as tact_body_get_vertices returns. The array is read
 * now and borrowed: only tact_body_deform_range reads it again.
 *
 * #TACT_BAD_ARGUMENT, and nothing changes, if the body is not deformable, a number is not finite, or the transformed
 * body would exceed 1e150.
 *
 * Cost: about 10 ns a triangle. When repeated refits have degraded the bounding volumes, the tree is rebuilt, at the
 * cost of creating the mesh. Needs memory only in three cases, with #TACT_OUT_OF_MEMORY and no change on failure:
 * convex parts of a soup with more than 4 vertices, whose hulls are rebuilt; bodies that may exceed 1e148, which are
 * tried first; bodies whose faces have changed. A rebuild without memory is skipped and the call succeeds with the old
 * tree. Contacts may then come in another order, so a recording stops there and a replay fails (record.h). */
TACT_API tact_status tact_body_deform(tact_world *world, tact_body body, tact_vertices vertices);

/** Reads the vertices `first` to `first + count - 1` again from the borrowed array: as tact_body_deform, at a cost
 * proportional to their number. #TACT_BAD_ARGUMENT if there is no such array or the range exceeds it. */
TACT_API tact_status tact_body_deform_range(tact_world *world, tact_body body, size_t first, size_t count);

/** Makes a body deformable; does nothing if it is. #TACT_BAD_ARGUMENT if its shape is neither a mesh nor a soup;
 * #TACT_OUT_OF_MEMORY. */
TACT_API tact_status tact_body_make_deformable(tact_world *world, tact_body body);

/** Returns whether the body is deformable. */
TACT_API bool tact_body_is_deformable(const tact_world *world, tact_body body);

/** Writes the first `capacity` current vertices of a mesh or soup, in local coordinates, and returns how many there
 * are; 0 for other shapes. */
TACT_API size_t tact_body_get_vertices(const tact_world *world, tact_body body, tact_vec3 *vertices, size_t capacity);

/* ---- tearing and remeshing ----
 *
 * The faces of a deformable body can change if its mesh consists of triangles, is not solid and was created without
 * loop_sizes. From the first change on the body has faces of its own; the shape does not change.
 *
 * To tear along an edge, add copies of the vertices that both sides share, and let the faces of one side use the
 * copies. For a step (step.h) the copies must not touch the originals: place them slightly apart.
 *
 *     tact_body_add_vertices(world, cloth, &beside_7, 1);             the cloth had 100 vertices: this is vertex 100
 *     tact_body_change_faces(world, cloth, (uint32_t[]){12, 13},      faces 12 and 13 used vertex 7
 *                            (uint32_t[][3]){{100, 8, 17}, {6, 100, 17}}, 2);
 *
 * Indices are stable: vertices and faces are never renumbered, and contacts, intersections and feature contacts use
 * these indices. All queries about the body behave as for a mesh with the current faces. The cost is proportional to
 * the change, amortised; only degraded subtrees are rebuilt. In a contact callback a change acts like a new transform;
 * in the callback of a step (step.h) it is rejected. */

/** Takes the place of a vertex index. As the first index of a face: the face does not exist. In a feature contact: see
 * step.h. */
#define TACT_NO_VERTEX UINT32_MAX

/** Gives face `faces[i]` the vertex indices `indices[i]`. If the first of them is #TACT_NO_VERTEX, the face is removed;
 * it may be added again. The index one past the last face adds a face, and so on.
 *
 * All or nothing. #TACT_BAD_ARGUMENT, and nothing changes, if the body is not deformable or not a surface of triangles,
 * a vertex does not exist or lies beyond 1e148, a face is listed twice, or no face would remain; #TACT_OUT_OF_MEMORY.
 *
 * Cost: some microseconds a face, amortised. The first call for a body, and the first one after each
 * tact_world_store_previous, cost about 10 ns for every triangle in addition, to retain the previous frame. */
TACT_API tact_status tact_body_change_faces(tact_world *world, tact_body body, const uint32_t *faces,
                                            const uint32_t (*indices)[3], size_t count);

/** Appends vertices. They take part once a face uses them. From then on tact_body_deform and
 * tact_body_set_step_positions expect arrays of the new length. Step positions given before are discarded; inverse
 * vertex masses are kept, those of new vertices are 1. Fails as tact_body_change_faces. */
TACT_API tact_status tact_body_add_vertices(tact_world *world, tact_body body, const tact_vec3 *positions,
                                            size_t count);

/** Writes the vertex indices of the first `capacity` faces of a triangle mesh, #TACT_NO_VERTEX for removed ones, and
 * returns how many faces there are; 0 for other shapes. */
TACT_API size_t tact_body_get_faces(const tact_world *world, tact_body body, uint32_t (*indices)[3], size_t capacity);

/* Getters. They return zero, NULL or the identity if the body does not exist. */

TACT_API tact_transform tact_body_get_transform(const tact_world *world, tact_body body); /**< current transform */
/** Returns the transform at the last tact_world_store_previous, or at creation if that is later. */
TACT_API tact_transform tact_body_get_previous_transform(const tact_world *world, tact_body body);
TACT_API tact_motion tact_body_get_motion(const tact_world *world, tact_body body); /**< current motion */
/** Returns the shape the body was created with, or was last given; borrowed. */
TACT_API const tact_shape *tact_body_get_shape(const tact_world *world, tact_body body);
/** Returns the shape as it is now, for queries (query.h). For a deformable body it is a mesh of the current vertices:
 * valid until the body is deformed, given another shape or removed; it must not be retained or given to a body. For
 * other bodies it is tact_body_get_shape. */
TACT_API const tact_shape *tact_body_get_current_shape(const tact_world *world, tact_body body);
TACT_API void *tact_body_get_user(const tact_world *world, tact_body body);        /**< user pointer */
TACT_API uint32_t tact_body_get_class(const tact_world *world, tact_body body);    /**< class; 0: none */
TACT_API uint64_t tact_body_get_category(const tact_world *world, tact_body body); /**< category bits, never 0 */
TACT_API uint64_t tact_body_get_mask(const tact_world *world, tact_body body);     /**< mask bits, never 0 */
/** Returns the box of the body in the broad phase: it contains the transformed shape and is rounded outward to floats.
 */
TACT_API tact_bounds tact_body_get_bounds(const tact_world *world, tact_body body);

TACT_END

#endif
