/* tact export: a run as glTF animation, or its trajectories and events as CSV or JSON. */
#ifndef TACT_TOOL_EXPORT_H
#define TACT_TOOL_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "run_data.h"

/* The place of a body as position and rotation. M, the linear part of the transform of a body at the start, is Q U with
 * a rotation Q and an upper triangular U, whose first two diagonal elements are positive. */
typedef struct export_frame {
    tact_quat rotation;   /* Q */
    tact_transform upper; /* U; its origin is 0 */
    bool shears;          /* U is not diagonal */
} export_frame;

export_frame tact_export_frame(const tact_transform *start);

/* A pose: the origin of the body, and the rotation R Q. */
typedef struct export_pose {
    tact_vec3 position;
    tact_quat rotation;
} export_pose;

export_pose tact_export_pose(const run_data_body *body, const export_frame *frame, const run_piece *piece, double time);

/* Writes trajectories, or events. `every` is the interval of the samples; 0: a sample at each time at which the motion
 * of the body changes. Errors of writing remain in the stream. */
void tact_export_csv(FILE *out, const run_data *run, double every, bool events);
void tact_export_json(FILE *out, const run_data *run, double every);

/* Writes a glTF 2.0 animation; `binary`: in one binary file (GLB), else as JSON. Positions of points of a body differ
 * from the motion by at most `tolerance`; 0: a thousandth of the size of the body. False after an error, printed to
 * stderr. Errors of writing remain in the stream. */
bool tact_export_gltf(FILE *out, const run_data *run, bool binary, double tolerance);

/* The command. Returns the exit status. */
int tact_export_command(int argc, char **argv);

#endif
