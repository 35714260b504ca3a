/*
 * The simultaneous touches of a body: all that are due now, in order.
 *
 * Each touch of a body asks for its next event, which is found among all its neighbours. Of n bodies that all overlap
 * at the start each has n touches at one time: n^2 / 2 events that visit n neighbours each. So where a visit finds many
 * touches at the same time, now, they are kept in the order of their keys, and the next event is the next of them. The
 * list holds as long as the time and the motion of the body stay as they are. What else changes meanwhile is in the
 * event of the other body.
 *
 * Cost: O(k log k) for k touches at once, O(1) for each of them. Without memory there is no list.
 */
#ifndef TACT_ADVANCE_EVENT_TIES_H
#define TACT_ADVANCE_EVENT_TIES_H

#include <stdint.h>
#include <tact/allocator.h>

#include "core/array.h"

/* A touch that is due. */
typedef struct tied_event {
    uint64_t key;        /* of the pair: the order of simultaneous events */
    uint64_t version;    /* of the prediction or, for two spheres without one, of the motion of the other body */
    uint32_t other;      /* the other body */
    uint32_t slot;       /* in the list of neighbours */
    uint32_t prediction; /* NEIGHBOUR_NONE: none */
} tied_event;

ARRAY_OF(tied_event_array, tied_event);

/* Of one body. */
typedef struct event_ties {
    tied_event_array events; /* in ascending order of keys */
    double time;             /* of them all */
    uint64_t version;        /* of the motion of the body */
    uint32_t next;           /* the event of the body is the one before; 0: none */
} event_ties;

ARRAY_OF(event_ties_array, event_ties);

void tact_event_ties_release(event_ties_array *ties, const tact_allocator *allocator);

/* Sorts the events of a body by their keys; the first one is its event. */
void tact_event_ties_sort(event_ties *t);

#endif
