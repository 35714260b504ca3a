/*
 * The contacts of a deforming pair at the time of the world, by its current faces: for windows that begin anew after a
 * change of faces, and for saved worlds.
 *
 * Features are identified by their vertices. A contact in progress goes on if its vertex, its edges or its face still
 * exist, whatever the numbers of the faces are: it is not reported again. Where several faces have the same vertices,
 * the one with the same number has the contact, else the first.
 *
 * The faces of a NURBS body change when its cells are divided (surface_motion.h). Vertices that are new then were on
 * the triangles before: their paths are listed so.
 */
#ifndef TACT_ADVANCE_DEFORMING_CONTACTS_H
#define TACT_ADVANCE_DEFORMING_CONTACTS_H

#include "advance/deforming_pair.h"

ARRAY_OF(listed_pair_array, feature_pair);
ARRAY_OF(listed_event_array, feature_event);
ARRAY_OF(listed_path_array, linear_path);

/* In the numbers of windows made of the current faces. Contacts and events are sorted. */
typedef struct deforming_contacts {
    listed_pair_array contacts; /* that are in progress */
    listed_pair_array reported; /* that begin just after the time of the world, and whose events have been taken */
    listed_event_array pending; /* events at that time that have not been taken */
    listed_path_array paths;    /* of all vertices just before that time */
} deforming_contacts;

/* Lists the contacts of a pair, whose windows were made for its shapes. False: out of memory; what has been listed is
 * to be released. */
bool tact_deforming_contacts_list(const tact_world *world, const struct advance *ad, const uint32_t bodies[2],
                                  const deforming_pair *pair, deforming_contacts *out, const tact_allocator *allocator);

/* How many paths are listed. */
size_t tact_deforming_contacts_path_count(const tact_world *world, const struct advance *ad, const uint32_t bodies[2],
                                          const deforming_pair *pair);

void tact_deforming_contacts_release(deforming_contacts *c, const tact_allocator *allocator);

/* As a state to be restored; the arrays are borrowed. */
feature_windows_state tact_deforming_contacts_state(const deforming_contacts *c);

#endif
