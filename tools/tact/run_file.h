/*
 * Writes a run: what `tact view` shows. The format is described in docs/run_format.md.
 *
 *     run_file run;
 *     if (!tact_run_file_open(&run, &(run_paths){.save = "a.run"}, "run", "scene.json", 0.0, 5.0))
 *         return 1;                                             the reason has been printed
 *     uint32_t shape = tact_run_file_shape(&run, ball);
 *     tact_run_file_body(&run, &(run_body){.name = "\"ball\"", .shape = shape, .transform = tact_identity()});
 *     tact_run_file_motion(&run, 0, &motion);                   times never decrease
 *     tact_run_file_event(&run, &event);
 *     return tact_run_file_close(&run, true) ? 0 : 1;
 *
 * Everything is written in one pass. What fails on the way (memory, the disk) is reported by tact_run_file_close.
 */
#ifndef TACT_TOOL_RUN_FILE_H
#define TACT_TOOL_RUN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/shape.h>

#include "byte_buffer.h"
#include "output_file.h"
#include "render_mesh.h"
#include "world/motion_observer.h"

/* No body, shape or feature. */
#define RUN_NONE UINT32_MAX

/* Where a run is written to. `save` and `view` may both be given. */
typedef struct run_paths {
    const char *save; /* a run file; NULL: none */
    const char *view; /* an HTML page that shows the run; NULL: none */
    FILE *file;       /* open: the run is written to it alone, and `view` is the name for messages; NULL: not used */
} run_paths;

/* Kinds of events; the numbers are part of the format. */
typedef enum run_event_kind {
    RUN_EVENT_TOUCH = 1,
    RUN_EVENT_BEGIN = 2,
    RUN_EVENT_END = 3,
    RUN_EVENT_SLEEP = 4,
    RUN_EVENT_WAKE = 5,
    RUN_EVENT_CRUSHED = 6,
    RUN_EVENT_VERTEX_FACE = 7,  /* features: the vertex, the face */
    RUN_EVENT_EDGE_EDGE = 8,    /* features: the ends of the edges */
    RUN_EVENT_INTERSECTION = 9, /* features: leaf and face of a, leaf and face of b */
    RUN_EVENT_SEGMENT = 10      /* from the point along the normal; `speed` is the length */
} run_event_kind;

typedef struct run_event {
    run_event_kind kind;
    double time;
    uint32_t a, b; /* bodies; b: RUN_NONE if there is none */
    bool has_point;
    tact_vec3 point, normal; /* if has_point */
    double speed;            /* at which the bodies approach; NAN: unknown; of a segment: its length */
    uint32_t features[4];    /* of a touch: leaf and face of a, leaf and face of b; RUN_NONE: none */
} run_event;

typedef struct run_body {
    const char *name; /* a JSON string with quotes */
    uint32_t shape;
    double mass; /* 0: kinematic */
    tact_transform transform;
} run_body;

/* A point of a persistent contact. */
typedef struct run_contact {
    uint32_t a, b;
    tact_vec3 point, normal;
    double impulse;
} run_contact;

/* What a reader of the file knows of the motion of a body. */
typedef struct run_track {
    double time, size;
    tact_vec3 pivot, origin, velocity, acceleration, spin;
    tact_quat rotation;
    tact_transform inverse; /* of the linear part of the transform at the start */
    observed_motion next;   /* if `pending` */
    bool begun, pending;
} run_track;

typedef struct run_shape_key {
    tact_shape *shape; /* a reference */
    uint64_t hash;
    uint32_t number;
} run_shape_key;

typedef struct run_file {
    output_file save; /* closed if the run is not saved */
    FILE *file;       /* where the run goes */
    run_paths paths;
    bool failed; /* out of memory */
    double start, end;

    run_shape_key *shapes;
    size_t shape_count, shape_capacity;
    double *shape_sizes; /* by number */
    uint32_t shape_total;
    size_t size_capacity;

    run_track *tracks;
    size_t body_count, body_capacity;
    uint32_t *pending;
    size_t pending_count;

    uint32_t bodies_written; /* in blocks */
    byte_buffer body_names, body_transforms;

    /* columns of the blocks that are being collected */
    uint32_t motion_count, event_count;
    byte_buffer motion_times, motion_bodies, motion_fields, motion_wide, motion_narrow;
    byte_buffer event_times, event_kinds, event_bodies, event_points, event_features;
    uint64_t motions, events, keys, contacts; /* written */
} run_file;

/* Opens the outputs. On failure prints one line to stderr, and there is nothing to close. */
bool tact_run_file_open(run_file *run, const run_paths *paths, const char *command, const char *title, double start,
                        double end);

/* The number of a shape, which is written if it is new. */
uint32_t tact_run_file_shape(run_file *run, const tact_shape *shape);

/* The number of a new shape with these triangles. */
uint32_t tact_run_file_mesh(run_file *run, const tact_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count);

/* Adds a body; they are numbered from 0. */
void tact_run_file_body(run_file *run, const run_body *body);

/* A body begins a motion. Of several at one time the last one holds. */
void tact_run_file_motion(run_file *run, uint32_t body, const observed_motion *motion);

/* Vertices of a body at a time. Between two times of a body they move along straight lines. */
void tact_run_file_key(run_file *run, uint32_t body, double time, const tact_vec3 *vertices, size_t count);

void tact_run_file_event(run_file *run, const run_event *event);

/* All points of persistent contacts at a time; they are shown until the next call. */
void tact_run_file_contacts(run_file *run, double time, const run_contact *contacts, size_t count);

/* Closes the outputs; if `keep` is false they are discarded. False after an error, printed to stderr. */
bool tact_run_file_close(run_file *run, bool keep);

#endif
