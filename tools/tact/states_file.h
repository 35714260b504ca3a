/*
 * The file of `tact run --states`: the transforms of all bodies at sample times, one JSON object a line. It is written
 * beside its final name and renamed at the end, so a file of this name is always complete.
 */
#ifndef TACT_TOOL_STATES_FILE_H
#define TACT_TOOL_STATES_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "scene.h"

typedef struct states_file {
    FILE *file;      /* NULL: closed */
    char *final;     /* name of the complete file, links resolved */
    char *temporary; /* name while it is written; NULL: `final` is not a regular file, and is written directly */
} states_file;

/* Opens the file; on failure prints one line to stderr, and there is nothing to close. */
bool tact_states_open(states_file *states, const char *path);

/* Writes the current state of all bodies. Errors are reported by tact_states_close. */
void tact_states_write(const states_file *states, const scene *s);

/* Closes the file. If `keep` is false, it is discarded, and a file of this name that existed before is unchanged. False
 * after an error of writing, printed to stderr. */
bool tact_states_close(states_file *states, bool keep);

/* The sample with this index: index * interval, or the end of the scene if that is not before it. */
double tact_sample_time(double index, double interval, double end);

/* The rotation of a body of this scale (scene.h): that of the transform without its scale, w >= 0. */
tact_quat tact_transform_rotation(const tact_transform *transform, tact_vec3 scale);

#endif
