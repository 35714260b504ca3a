/*
 * A run that has been read from a file (docs/run_format.md): shapes, bodies, motions, key frames and events, and where
 * bodies are at any time.
 *
 *     run_data run;
 *     if (!tact_run_data_open(&run, "a.run"))
 *         return 1;                                             the reason has been printed
 *     tact_transform at = tact_run_data_pose(&run, 0, 1.5);
 *     tact_run_data_close(&run);
 *
 * The file is not trusted: sizes, numbers of bodies and vertices and the order of times are checked, and all numbers
 * are finite, except those of events that are unknown (NAN).
 */
#ifndef TACT_TOOL_RUN_DATA_H
#define TACT_TOOL_RUN_DATA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/transform.h>
#include <tact/vec.h>

#include "core/array.h"
#include "run_file.h"

typedef struct run_data_shape {
    json_t *info;     /* "type" and its parameters */
    const char *type; /* of `info` */
    uint32_t vertex_count, triangle_count;
    const unsigned char *positions; /* three f32 a vertex */
    const unsigned char *triangles; /* three u32 each, less than vertex_count */
} run_data_shape;

/* A motion: from `time` on the local point x is at
 *     origin + velocity s + acceleration s^2 / 2 + exp([spin] s) R M (x - pivot),   s = t - time,
 * where R is `rotation` and M the linear part of the transform of the body. */
typedef struct run_piece {
    double time;
    uint32_t body;
    tact_vec3 origin, velocity, acceleration, spin, pivot;
    tact_quat rotation;
} run_piece;

/* Vertices at a time: three f32 each. */
typedef struct run_key {
    double time;
    uint32_t body;
    const unsigned char *positions;
} run_key;

typedef struct run_data_body {
    const char *name;
    uint32_t shape;
    double mass;
    tact_transform transform; /* at the start */
    /* its motions and key frames are pieces[first_piece] and keys[first_key] and those after them, by time */
    size_t first_piece, piece_count, first_key, key_count;
} run_data_body;

ARRAY_OF(run_piece_array, run_piece);
ARRAY_OF(run_key_array, run_key);
ARRAY_OF(run_event_array, run_event);
ARRAY_OF(run_data_shape_array, run_data_shape);
ARRAY_OF(run_data_body_array, run_data_body);
ARRAY_OF(run_json_array, json_t *);

typedef struct run_data {
    const char *path;
    unsigned char *bytes;
    size_t size;
    json_t *header;
    const char *title, *command;
    double start, end;
    run_data_shape_array shapes;
    run_data_body_array bodies;
    run_piece_array pieces;
    run_key_array keys;
    run_event_array events;
    run_json_array names; /* the JSON arrays that hold the names of bodies */
} run_data;

/* Reads a run. On failure prints one line to stderr, and there is nothing to close. */
bool tact_run_data_open(run_data *run, const char *path);
void tact_run_data_close(run_data *run);

/* Where a body is at a time, following a given motion; `piece` NULL: the transform at the start. */
tact_transform tact_run_data_follow(const run_data_body *body, const run_piece *piece, double time);

/* Where a body is at a time. */
tact_transform tact_run_data_pose(const run_data *run, size_t body, double time);

/* A vertex or a number of an array of the file. */
tact_vec3 tact_run_data_vertex(const unsigned char *positions, size_t index);
uint32_t tact_run_data_index(const unsigned char *numbers, size_t index);

/* The word for a kind of event: "touch". */
const char *tact_run_data_kind_name(run_event_kind kind);

#endif
