/*
 * Extensions of a world: how other rooms are notified of changes of its bodies.
 *
 * The world includes neither advance/ nor step/. A room that has its own state for the bodies of a world (advance/:
 * motions and predictions; step/: step positions and vertex masses) registers a table of functions when it creates that
 * state, and the world calls them. A function that an extension does not need is NULL. A world without extensions pays
 * one comparison per slot and call.
 */
#ifndef TACT_WORLD_EXTENSION_H
#define TACT_WORLD_EXTENSION_H

#include <stdbool.h>
#include <tact/world.h>

typedef enum world_extension_slot {
    WORLD_EXTENSION_ADVANCE,
    WORLD_EXTENSION_STEP,
    WORLD_EXTENSION_COUNT
} world_extension_slot;

/* What has changed about a body. */
typedef enum body_change {
    BODY_CHANGE_MOTION,    /* its motion, and nothing else */
    BODY_CHANGE_TRANSFORM, /* the caller has set its transform */
    BODY_CHANGE_MASS,      /* its mass */
    BODY_CHANGE_OTHER      /* it is new, or has another shape or filter */
} body_change;

typedef struct world_extension {
    /* Frees the state; the world is about to be released. */
    void (*release)(tact_world *world);

    /* A body is about to change: writes its current transform and motion to the world. */
    void (*before_body_change)(tact_world *world, uint32_t index);

    /* A body has changed: invalidates what was derived from it. */
    void (*body_changed)(tact_world *world, uint32_t index, body_change what);

    /* A body is about to be removed. */
    void (*before_body_removal)(tact_world *world, uint32_t index);

    /* The current transform and motion of a body, if they are not those stored in the world. */
    tact_transform (*body_transform)(const tact_world *world, uint32_t index);
    tact_motion (*body_motion)(const tact_world *world, uint32_t index);

    /* The motion that the caller sees: it differs where a contact solver moves the body (tact/rigid.h). */
    tact_motion (*reported_motion)(const tact_world *world, uint32_t index);

    /* Updates the transforms stored in the world and its broad phase to the current time. After a failure the next call
     * does the rest. */
    tact_status (*sync_transforms)(tact_world *world);

    /* Whether faces and vertices may be added to deformable meshes now. */
    bool (*allows_remeshing)(const tact_world *world);

    /* A deformable mesh gets more vertices, `count` in all. False: out of memory, nothing has changed. */
    bool (*before_vertices_added)(tact_world *world, tact_body body, uint32_t count);
} world_extension;

/* Registers an extension; it stays until the world is released. */
void tact_world_extend(tact_world *world, world_extension_slot slot, const world_extension *extension);

/* ---- for src/world/: each calls all extensions ---- */

void tact_extensions_release(tact_world *world);
void tact_extensions_before_body_change(tact_world *world, uint32_t index);
void tact_extensions_body_changed(tact_world *world, uint32_t index, body_change what);
void tact_extensions_before_body_removal(tact_world *world, uint32_t index);
bool tact_extensions_allow_remeshing(const tact_world *world);
bool tact_extensions_before_vertices_added(tact_world *world, tact_body body, uint32_t count);

/* The current transform and motion of a body. */
tact_transform tact_body_transform_now(const tact_world *world, uint32_t index);
tact_motion tact_body_motion_now(const tact_world *world, uint32_t index);
tact_motion tact_body_reported_motion(const tact_world *world, uint32_t index);

#endif
