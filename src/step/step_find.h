/*
 * Contacts and proximities of a step's scene, between two sets of positions of its vertices.
 */
#ifndef TACT_STEP_STEP_FIND_H
#define TACT_STEP_STEP_FIND_H

#include <tact/parallel.h>

#include "step/shape_contacts.h"

/* State that is kept from search to search. Zero-initialised. */
typedef struct step_contact_finder {
    struct mesh_sweep *sweep; /* of the scene with this version; NULL: none yet */
    shape_contact_finder shapes;
    uint64_t version;
    double tree_extent;     /* extent of the sweep's tree in the last step; 0: not known yet */
    double min_tree_extent; /* the minimum of that since the tree was built; 0: not known yet */
    bool has_step;          /* does the sweep hold a step? Then marks can say what has changed since */
} step_contact_finder;

void tact_step_contact_finder_release(step_contact_finder *finder, const tact_allocator *allocator);

/* To be called when a step begins. Applies and empties `scene->changed_faces`. */
tact_status tact_step_contact_finder_begin(step_contact_finder *finder, step_scene *scene,
                                           const tact_allocator *allocator);

/* Finds all feature pairs that collide on the path from `scene->from` to `scene->to`. If `marked` is not NULL, only
 * those with a marked vertex; all others must be where they were in the last search. Appends them to `hits`, in the
 * order of time, and adds to `tests` the number of pairs tested exactly. With `first` only the first contact is needed.
 */
tact_status tact_step_find_hits(step_contact_finder *finder, const step_scene *scene, const uint8_t *marked, bool first,
                                step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                const tact_parallel *parallel);

/* Finds all feature pairs nearer than `distance` at `scene->from`: `ccd` holds the weights of the closest points and
 * the normal from A to B (zero and degenerate if they touch), the rest of it is zero. In a fixed order. */
tact_status tact_step_find_near_hits(step_contact_finder *finder, const step_scene *scene, double distance,
                                     step_hit_array *hits, const tact_allocator *allocator,
                                     const tact_parallel *parallel);

#endif
