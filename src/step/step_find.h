/*
 * Finding what meets in a scene of a step, and what is near: between two sets of places of its vertices.
 */
#ifndef TACT_STEP_STEP_FIND_H
#define TACT_STEP_STEP_FIND_H

#include <tact/parallel.h>

#include "step/shape_contacts.h"

/* What is kept from search to search. Zero to begin with. */
typedef struct step_contact_finder {
    struct mesh_sweep *sweep; /* of the scene with this version; NULL: none yet */
    shape_contact_finder shapes;
    uint64_t version;
    double tree_extent;     /* of the sweep's tree in the last step; 0: not known yet */
    double min_tree_extent; /* that it has been since it was made; 0: not known yet */
    bool has_step;          /* does it hold the ends of a step? then marks can tell what has changed since */
} step_contact_finder;

void tact_step_contact_finder_release(step_contact_finder *finder, const tact_allocator *allocator);

/* To be called when a step begins. Takes note of `scene->changed`. */
tact_status tact_step_contact_finder_begin(step_contact_finder *finder, step_scene *scene,
                                           const tact_allocator *allocator);

/* All pairs of features that meet on the way from `scene->from` to `scene->to`; if `marked` is not NULL those alone
 * with a vertex that is marked, and all others are where they were when last looked at. Adds them to `hits`, in the
 * order of time; adds to `tests` how many pairs were looked at exactly. With `first` only that which meets first is
 * wanted. */
tact_status tact_step_find_hits(step_contact_finder *finder, const step_scene *scene, const uint8_t *marked, bool first,
                                step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                const tact_parallel *parallel);

/* All pairs of features nearer to each other than `distance` at `scene->from`: `when` holds the weights of the nearest
 * points and the normal from A to B (zero and degenerate if they touch), the rest of it is zero. In a fixed order. */
tact_status tact_step_find_near_hits(step_contact_finder *finder, const step_scene *scene, double distance,
                                     step_hit_array *hits, const tact_allocator *allocator,
                                     const tact_parallel *parallel);

#endif
