/* Writes a mesh whose vertices move along straight lines from frame to frame, and its contacts, to a run (run_file.h).
 */
#ifndef TACT_TOOL_MESH_CAPTURE_H
#define TACT_TOOL_MESH_CAPTURE_H

#include "mesh_file.h"
#include "run_file.h"
#include "sweep/sweep.h"

typedef struct mesh_capture {
    run_file run;
    const mesh_file *mesh;
    tact_vec3 *ends[2]; /* the last two frames */
    double times[2];
    bool failed; /* out of memory */
} mesh_capture;

/* Opens the outputs and writes the mesh with its vertices at the first frame, `start`. On failure prints one line to
 * stderr, and there is nothing to close. */
bool tact_mesh_capture_open(mesh_capture *capture, const run_paths *paths, const char *command, const char *title,
                            double start, double end, const mesh_file *mesh, const tact_vec3 *positions);

/* Writes the next frame; times increase. */
void tact_mesh_capture_frame(mesh_capture *capture, double time, const tact_vec3 *positions);

/* Writes a contact between the last two frames, with times from 0 to 1. */
void tact_mesh_capture_contact(mesh_capture *capture, const sweep_contact *contact);

/* Closes the outputs; if `keep` is false they are discarded. False after an error, printed to stderr. */
bool tact_mesh_capture_close(mesh_capture *capture, bool keep);

#endif
