/* The states of `tact run --states`: the transforms of all bodies at sample times, one JSON object a line. */
#ifndef TACT_TOOL_STATES_FILE_H
#define TACT_TOOL_STATES_FILE_H

#include <stdio.h>

#include "scene.h"

/* Writes the current state of all bodies. Errors remain in the state of the stream. */
void tact_states_write(FILE *out, const scene *s);

/* The sample with this index: index * interval, or the end of the scene if that is not before it. */
double tact_sample_time(double index, double interval, double end);

/* The rotation of a body of this scale (scene.h): that of the transform without its scale, w >= 0. */
tact_quat tact_transform_rotation(const tact_transform *transform, tact_vec3 scale);

#endif
