/*
 * Finding where the faces of the soft parts of a step meet the obstacles that are met as shapes, and where they are
 * near.
 */
#ifndef TACT_STEP_SHAPE_CONTACTS_H
#define TACT_STEP_SHAPE_CONTACTS_H

#include <tact/parallel.h>

#include "step/step_hit.h"

/* A face and a leaf whose boxes overlap. */
typedef struct face_element_pair {
    uint32_t face, element;
} face_element_pair;

ARRAY_OF(face_element_pair_array, face_element_pair);
ARRAY_OF(flex_contact_array, flex_contact);

/* Room that is kept from search to search. Zero to begin with. */
typedef struct shape_contact_finder {
    face_element_pair_array candidates;
    flex_contact_array contacts;
} shape_contact_finder;

void tact_shape_contact_finder_release(shape_contact_finder *finder, const tact_allocator *allocator);

/* Adds to `hits` all that meets from `scene->from` to `scene->to`; if `marked` is not NULL, of faces with a vertex that
 * is marked alone. Adds to `tests` how many pairs were looked at. In the order of faces. */
tact_status tact_shape_contacts_find(shape_contact_finder *finder, const step_scene *scene, const uint8_t *marked,
                                     step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                     const tact_parallel *parallel);

/* Adds to `hits` all that is nearer than `distance` at `scene->from`, as tact_step_find_near_hits. */
tact_status tact_shape_proximities_find(shape_contact_finder *finder, const step_scene *scene, double distance,
                                        step_hit_array *hits, const tact_allocator *allocator,
                                        const tact_parallel *parallel);

/* Which part of its body a leaf is. */
tact_part tact_obstacle_element_part(const step_scene *scene, uint32_t leaf);

#endif
