/**
 * @file
 * Bodies: instances of shapes in a world. A body has a shape, a transform, a motion and a user pointer.
 *
 * A body is identified by a handle: an index and a generation. When a body is removed, its handle becomes invalid, even
 * if a new body reuses the index: every function detects this. A handle is meaningful only in the world that created
 * it. Another world cannot detect a foreign handle and may mistake it for one of its own bodies.
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

/** Material of a body or of a pair of bodies. All zero: no friction, and impacts without rebound. See rigid.h. */
typedef struct tact_material {
    double friction;         /**< Coulomb coefficient, not negative */
    double restitution;      /**< separation speed over approach speed, 0 to 1 */
    double rolling_friction; /**< length, not negative: the torque against relative spin, also
                                  about the normal, is at most this times the normal force */
} tact_material;

/** Handle of a body in its world. All zero: no body. Two handles are equal if both numbers are. */
typedef struct tact_body {
    uint32_t index;      /**< private */
    uint32_t generation; /**< private; 0: no body */
} tact_body;

/** Initial state of a body. All fields except the shape may be zero. */
typedef struct tact_body_def {
    const tact_shape *shape;  /**< the world holds a reference while the body exists */
    tact_transform transform; /**< initial transform; all zero: the identity */
    tact_motion motion;       /**< motion from now on; all zero: at rest */
    void *user;               /**< user pointer */
    uint32_t class_id;        /**< for contact callbacks by class; 0: no class */
    uint64_t category;        /**< category bits; 0: all */
    uint64_t mask;            /**< category bits of the bodies it can collide with; 0: all */
    /** Mass per volume, or per area or length of a shape without volume (mass.h). 0: the body is kinematic, until
     * tact_body_set_mass. Not negative. */
    double density;
    tact_material material; /**< see tact_body_set_material */
    double reach;           /**< see tact_body_set_reach; 0: the body is reported when it touches */
    /** The broad phase uses a cube that contains the shape in every rotation, instead of a box fitted to each
     * transform. The cube is larger, but setting the transform is cheaper for shapes with many vertices. */
    bool rotation_invariant_bounds;
    bool deformable;     /**< mesh, soup or NURBS: the body has vertices or control points of its own */
    bool self_collision; /**< deformable mesh or NURBS: the body is tested against itself, see
                              tact_body_set_self_collision */
} tact_body_def;

/**
 * Creates a body. Returns a zero handle on failure:
 * - `world`, `def` or the shape is NULL;
 * - a number of the transform or the motion is not finite or exceeds 1e150, or the transform is singular;
 * - the transformed shape has no points, extends beyond 1e150, or has a support function that returns numbers that are
 *   not finite;
 * - `deformable` is set, but the shape is neither a mesh, a soup nor NURBS;
 * - the motion has a pivot, and the body has a density or is deformable;
 * - `self_collision` is set, but `deformable` is not, or the shape is neither a mesh nor NURBS;
 * - the density, a number of the material or the reach is negative or not finite, or the restitution is above 1;
 * - the density is not 0, and `deformable` is set or mass.h rejects the shape (a half-space, for example);
 * - memory runs out.
 *
 * tact_body_create_many explains the reason.
 */
TACT_API tact_body tact_body_create(tact_world *world, const tact_body_def *def);

/** Creates `count` bodies, all or none, and writes their handles to `bodies`. Fails as tact_body_create, and explains
 * the reason in `report`, which may be NULL. */
TACT_API tact_status tact_body_create_many(tact_world *world, const tact_body_def *defs, size_t count,
                                           tact_body *bodies, tact_report *report);

/** Removes a body, its response and the responses of its pairs (response.h). Needs no memory. Returns
 * #TACT_BAD_ARGUMENT if the body does not exist. */
TACT_API tact_status tact_body_remove(tact_world *world, tact_body body);

/** Removes `count` bodies, all or none. Returns #TACT_BAD_ARGUMENT if one does not exist or is listed twice. */
TACT_API tact_status tact_body_remove_many(tact_world *world, const tact_body *bodies, size_t count);

/** Returns whether the body exists. */
TACT_API bool tact_body_exists(const tact_world *world, tact_body body);

/** Iterates over all bodies. Returns the body after `previous`, or the first body if `previous` is a zero handle. At
 * the end it returns a zero handle. The order is unspecified, but the same for the same calls. During the iteration
 * bodies may be removed, including `previous`. */
TACT_API tact_body tact_world_next_body(const tact_world *world, tact_body previous);

/**
 * @name Setters
 * If the body does not exist or the value is invalid, a setter returns #TACT_BAD_ARGUMENT and changes nothing. The
 * setters of this group never allocate.
 * @{
 */

/** Sets the transform. */
TACT_API tact_status tact_body_set_transform(tact_world *world, tact_body body, tact_transform transform);

/** Sets the motion from now on. Its numbers must not exceed 1e150, and the spin of a half-space must be zero. A body
 * that has a mass or is deformable has no pivot: a body with a mass rotates about its centre of mass. (The memory for a
 * pivot is taken when the world advances.) tact_world_test ignores motions. */
TACT_API tact_status tact_body_set_motion(tact_world *world, tact_body body, tact_motion motion);

/** Replaces the shape. A deformable body becomes rigid: its own vertices are freed, and it is no longer tested against
 * itself. A mass (rigid.h) is lost. */
TACT_API tact_status tact_body_set_shape(tact_world *world, tact_body body, const tact_shape *shape);

/** Sets category and mask; 0: all bits. Two bodies can collide if the category of each shares a bit with the mask of
 * the other. */
TACT_API tact_status tact_body_set_filter(tact_world *world, tact_body body, uint64_t category, uint64_t mask);

/**
 * Sets the reach: a distance, finite and not negative, at which tact_world_test reports pairs of this body before they
 * touch (a speculative margin; contact offset in PhysX, contact breaking threshold in Bullet). It is initially 0.
 *
 * A pair is reported if the distance of its bodies is at most the sum of their reaches, and its response wants
 * #TACT_CONTACTS or #TACT_CONTACT_POINTS. Each contact point then has a depth: negative, minus the gap, where the
 * bodies are apart. All points with a gap of at most that sum are included. Other responses are called only for pairs
 * that touch. The phases of response.h refer to what is reported.
 *
 * The reach enlarges the box of the body in the broad phase, so more pairs are tested: one tact_shapes_within each. In
 * continuous time and in cloth steps (step.h) the reach has no effect.
 */
TACT_API tact_status tact_body_set_reach(tact_world *world, tact_body body, double reach);

/** Sets the class; 0: none. */
TACT_API tact_status tact_body_set_class(tact_world *world, tact_body body, uint32_t class_id);

/** Sets the user pointer. */
TACT_API tact_status tact_body_set_user(tact_world *world, tact_body body, void *user);

/** @} */

/**
 * @name Deformable bodies
 * A deformable body has the faces of its shape and vertices of its own. Tact reads the vertices from an array of the
 * caller. The shape itself does not change and may be shared. All queries about the body behave as for a mesh or soup
 * with these vertices. Polygons keep the triangulation of the shape.
 *
 * The vertices of the previous frame are stored for #TACT_PREVIOUS. tact_world_store_previous replaces them by the
 * current ones, without copying.
 *
 * A contact callback may deform a body. tact_world_test then tests the remaining pairs of this body with the new
 * vertices, as after a new transform.
 * @{
 */

/**
 * Sets all vertices of a deformable body. `vertices` has as many vertices as tact_body_get_vertices returns. The array
 * is read now. It is also borrowed: tact_body_deform_range, and no other function, reads it again.
 *
 * Returns #TACT_BAD_ARGUMENT and changes nothing if the body is not deformable or the number of vertices is wrong.
 * The same holds if a number is not finite, or if the transformed body would extend beyond 1e150.
 *
 * Cost: about 14 ns per triangle. When repeated refits have degraded the bounding volumes, the tree is rebuilt, at the
 * cost of creating the mesh.
 *
 * **Memory** is needed in three cases only. Without it the call returns #TACT_OUT_OF_MEMORY and changes nothing:
 * - a soup has convex parts of more than 4 vertices, whose hulls are rebuilt;
 * - coordinates exceed about 1e148, so that the bounds are first computed on a copy;
 * - the faces of the body have changed, and this is its first deformation after tact_world_store_previous.
 *
 * A rebuild of the tree also needs memory. Without it the call returns #TACT_OK and keeps the degraded tree. The order
 * of contacts may then differ from that of a run with memory. So a recording stops here (tact_record_check returns
 * #TACT_OUT_OF_MEMORY), and a replay returns #TACT_REPLAY_FAILED.
 */
TACT_API tact_status tact_body_deform(tact_world *world, tact_body body, tact_vertices vertices);

/** Reads the vertices `first` to `first + count - 1` again from the array borrowed by tact_body_deform, at a cost
 * proportional to their number. Fails as tact_body_deform, and also returns #TACT_BAD_ARGUMENT if there is no such
 * array or the range exceeds it. */
TACT_API tact_status tact_body_deform_range(tact_world *world, tact_body body, size_t first, size_t count);

/** Makes a body deformable. Does nothing if it is deformable already. Returns #TACT_BAD_ARGUMENT if its shape is
 * neither a mesh, a soup nor NURBS, or if it has a mass or its motion has a pivot, or #TACT_OUT_OF_MEMORY. */
TACT_API tact_status tact_body_make_deformable(tact_world *world, tact_body body);

/** Returns whether the body is deformable. */
TACT_API bool tact_body_is_deformable(const tact_world *world, tact_body body);

/**
 * Sets whether a deformable mesh is tested against itself; initially it is not, unless tact_body_def::self_collision is
 * set. Returns #TACT_BAD_ARGUMENT and changes nothing if the body does not exist, or if `on` is true and the body is
 * not a deformable mesh or NURBS body. Never allocates.
 *
 * tact_world_test then also reports a *self-contact* of the body, with the response of the pair (body, body): see
 * response.h. The body touches itself if two of its triangles intersect beyond the vertices and edges they share, as
 * counted by tact_mesh_findings::self_intersections. Vertices are shared if their positions are equal. The decision is
 * exact, for the local coordinates of the vertices, so it does not depend on the transform. A margin is ignored. A
 * NURBS body (nurbs.h) is reported if its surfaces may touch, within the error of its triangles. Its test needs memory:
 * if there is none, tact_world_test returns #TACT_OUT_OF_MEMORY. Filters do not apply: they are between different
 * bodies.
 *
 * In continuous time self-collision enables the feature events of the body with itself (animation.h). The functions of
 * step.h always test a body with step positions against itself.
 */
TACT_API tact_status tact_body_set_self_collision(tact_world *world, tact_body body, bool on);

/** Returns whether the body is tested against itself; false if it does not exist. */
TACT_API bool tact_body_get_self_collision(const tact_world *world, tact_body body);

/** Writes at most `capacity` current vertices of a body to `vertices`, which may be NULL, in local coordinates, and
 * returns their total number. The shape of the body is any mesh or soup, deformable or not. Returns 0 for other shapes.
 */
TACT_API size_t tact_body_get_vertices(const tact_world *world, tact_body body, tact_vec3 *vertices, size_t capacity);

/** @} */

/**
 * @name Tearing and remeshing
 * The faces of a deformable body can change if its mesh consists of triangles, is not solid and was created without
 * loop_sizes. From the first change on the body has faces of its own. The shape does not change.
 *
 * To tear a mesh along an edge, add copies of the vertices that both sides share, and let the faces of one side use the
 * copies. For a step (step.h) the copies must not touch the originals: move them slightly apart.
 *
 *     // The cloth has the vertices 0 to 99, so the new vertex is vertex 100. It replaces vertex 7 in faces 12 and 13.
 *     tact_body_add_vertices(world, cloth, &beside_7, 1);
 *     tact_body_change_faces(world, cloth, (uint32_t[]){12, 13},
 *                            (uint32_t[][3]){{100, 8, 17}, {6, 100, 17}}, 2);
 *
 * Indices are stable: vertices and faces are never renumbered. Contacts, intersections and feature contacts use these
 * indices. All queries about the body behave as for a mesh with the current faces. The amortised cost is proportional
 * to the change: only degraded subtrees are rebuilt.
 *
 * After a change in a contact callback, tact_world_test tests the remaining pairs of the body with the new faces. In
 * the callback of a step (step.h) a change is rejected.
 * @{
 */

/** A special vertex index: no vertex. As the first index of a face it means that the face does not exist. In a
 * tact_feature_contact (step.h) it marks a point of an obstacle. */
#define TACT_NO_VERTEX UINT32_MAX

/**
 * Gives face `faces[i]` the vertex indices `indices[i]`. If the first of them is #TACT_NO_VERTEX, the face is removed.
 * A removed face may be added again later. To append faces, use the indices n, n + 1, ... in this order, where n is the
 * number of faces that tact_body_get_faces returns.
 *
 * Changes all faces or none. Returns #TACT_OUT_OF_MEMORY, or #TACT_BAD_ARGUMENT
 * - if the body is not deformable, or its shape is not a surface of triangles;
 * - if a vertex does not exist, or has a coordinate beyond about 1e148;
 * - if a face is listed twice, or would not be consecutive to the existing faces;
 * - if no face would remain.
 *
 * Cost: some microseconds per face, amortised. The first call for a body copies its faces, and so does the first call
 * after each tact_world_store_previous, to retain the previous frame. Such a copy costs about 10 ns per triangle of the
 * body.
 *
 * A degraded tree is rebuilt or, without memory, kept, as by tact_body_deform.
 */
TACT_API tact_status tact_body_change_faces(tact_world *world, tact_body body, const uint32_t *faces,
                                            const uint32_t (*indices)[3], size_t count);

/** Appends vertices. Queries ignore a vertex until a face uses it. From then on tact_body_deform and
 * tact_body_set_step_positions expect arrays of the new length. Step positions set before are discarded. Inverse vertex
 * masses are kept, and those of new vertices are 1. Returns #TACT_OUT_OF_MEMORY, or #TACT_BAD_ARGUMENT if the faces of
 * the body cannot change or a coordinate is not finite or beyond about 1e148. */
TACT_API tact_status tact_body_add_vertices(tact_world *world, tact_body body, const tact_vec3 *positions,
                                            size_t count);

/** Writes the vertex indices of at most `capacity` faces to `indices`, which may be NULL, and returns the total number
 * of faces. All three indices of a removed face are #TACT_NO_VERTEX. The shape of the body is a mesh that was created
 * without loop_sizes, deformable or not. Returns 0 for other shapes. */
TACT_API size_t tact_body_get_faces(const tact_world *world, tact_body body, uint32_t (*indices)[3], size_t capacity);

/** @} */

/**
 * @name Getters
 * If the body does not exist, they return zero, NULL or the identity.
 * @{
 */

TACT_API tact_transform tact_body_get_transform(const tact_world *world, tact_body body); /**< current transform */
/** Returns the transform in the previous frame: at the last tact_world_store_previous, or at creation if the body was
 * created after it. */
TACT_API tact_transform tact_body_get_previous_transform(const tact_world *world, tact_body body);
/** Returns the current motion. `velocity` is that of the origin, and `acceleration` that which was set, without the
 * gravity of the world. */
TACT_API tact_motion tact_body_get_motion(const tact_world *world, tact_body body);
/** Returns the shape given to tact_body_create or to the last tact_body_set_shape. The caller gets no reference. */
TACT_API const tact_shape *tact_body_get_shape(const tact_world *world, tact_body body);
/** Returns the current shape, for queries (query.h). For a deformable body it is a mesh or soup of the current vertices
 * and faces. It is valid until the body is deformed or removed, or gets other faces or another shape. Do not call
 * tact_shape_retain for it, and do not use it for another body. For other bodies it is tact_body_get_shape. Vertices
 * that move (animation.h) have the positions of the last tact_world_sync_transforms. */
TACT_API const tact_shape *tact_body_get_current_shape(const tact_world *world, tact_body body);
TACT_API void *tact_body_get_user(const tact_world *world, tact_body body);        /**< user pointer */
TACT_API uint32_t tact_body_get_class(const tact_world *world, tact_body body);    /**< class; 0: none */
TACT_API uint64_t tact_body_get_category(const tact_world *world, tact_body body); /**< category bits, never 0 */
TACT_API uint64_t tact_body_get_mask(const tact_world *world, tact_body body);     /**< mask bits, never 0 */
TACT_API double tact_body_get_reach(const tact_world *world, tact_body body);      /**< reach */
/** Returns the box of the body in the broad phase. It contains the transformed shape, enlarged by the reach of the
 * body, and is rounded outward to floats. */
TACT_API tact_bounds tact_body_get_bounds(const tact_world *world, tact_body body);

/** @} */

TACT_END

#endif
