/*
 * A time of impact with a mesh, soup or compound: what the search over time (mesh_toi.c) and the search of one window
 * of time (mesh_toi_window.c) share.
 */
#ifndef TACT_TOI_MESH_TOI_QUERY_H
#define TACT_TOI_MESH_TOI_QUERY_H

#include "complex/traversal.h"
#include "toi/toi_frame.h"

typedef struct mesh_toi_query {
    toi_frame frame;
    instance body[2];        /* at time 0, their origins at 0 */
    double radius;           /* length: the sum of both bounding radii */
    double max_depth;        /* length: see toi_input */
    int max_contact_windows; /* windows while in contact, at the most */
    long work;               /* so far, in the unit of TOI_MAX_WORK */
} mesh_toi_query;

/* Both bodies at a time, in the frame. */
void tact_mesh_query_bodies_at(const mesh_toi_query *q, double time, instance both[2]);

/* What a window is searched for. */
typedef enum mesh_window_mode {
    WINDOW_FIRST_CONTACT,         /* the bodies are apart at its begin */
    WINDOW_FIRST_PENETRATION,     /* the bodies are in contact */
    WINDOW_FIRST_PENETRATION_AT_0 /* the same at the start of the query, where no side is known */
} mesh_window_mode;

/* Tests all pairs of primitives that may meet from `begin` on for `span`, and lowers `best` to the first hit or
 * failure. `work` gets the work done. Returns false if that exceeds `max_work`: then only some pairs were tested. */
bool tact_mesh_search_window(mesh_toi_query *q, double begin, double span, mesh_window_mode mode, long max_work,
                             tact_toi *best, long *work);

#endif
