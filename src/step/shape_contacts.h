/*
 * Contacts and proximities between the faces of deformable parts and the obstacles that are tested as shapes.
 */
#ifndef TACT_STEP_SHAPE_CONTACTS_H
#define TACT_STEP_SHAPE_CONTACTS_H

#include <tact/parallel.h>

#include "step/step_hit.h"

/* A face and an obstacle element whose boxes overlap. */
typedef struct face_element_pair {
    uint32_t face, element;
} face_element_pair;

ARRAY_OF(face_element_pair_array, face_element_pair);
ARRAY_OF(deforming_contact_array, deforming_contact);

/* Memory that is kept from search to search. Zero-initialised. */
typedef struct shape_contact_finder {
    face_element_pair_array candidates;
    deforming_contact_array contacts;
} shape_contact_finder;

void tact_shape_contact_finder_release(shape_contact_finder *finder, const tact_allocator *allocator);

/* Appends to `hits` all contacts on the path from `scene->from` to `scene->to`; if `marked` is not NULL, only of faces
 * with a marked vertex. Adds to `tests` the number of pairs solved. In the order of faces. */
tact_status tact_shape_contacts_find(shape_contact_finder *finder, const step_scene *scene, const uint8_t *marked,
                                     step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                     const tact_parallel *parallel);

/* Appends to `hits` all pairs nearer than `distance` at `scene->from`, as tact_step_find_near_hits. */
tact_status tact_shape_proximities_find(shape_contact_finder *finder, const step_scene *scene, double distance,
                                        step_hit_array *hits, const tact_allocator *allocator,
                                        const tact_parallel *parallel);

/* The part of its body that an element is. */
tact_part tact_obstacle_element_part(const step_scene *scene, uint32_t leaf);

#endif
