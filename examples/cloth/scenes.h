/* Three scenes after Hutter and Fuhrmann's, made from formulas, of any size. NULL if there is no memory. */
#ifndef CLOTH_SCENES_H
#define CLOTH_SCENES_H

#include "cloth.h"

/* Sheets of side x side particles, a metre wide, fall on the floor, one on top of the other, slightly shifted. */
simulation *scene_pile(int sheets, int side, const tact_world_def *def);

/* Sheets fall on a torus of 2 rings x sides triangles that tumbles above the floor. */
simulation *scene_shower(int sheets, int side, int rings, int sides, const tact_world_def *def);

/* A body that twists and sways in three layers of clothing, each of 2 columns x rows triangles, the outermost with a
 * belt. */
simulation *scene_garment(int columns, int rows, const tact_world_def *def);

/* By name, `pile`, `shower` or `garment`, at its full size (51,000, 42,000 and 41,000 triangles) over `scale` in each
 * direction. NULL if there is no such scene. */
simulation *scene_create(const char *name, int scale, const tact_world_def *def);

#endif
