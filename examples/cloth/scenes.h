/* Three scenes after Hutter and Fuhrmann 2007, made from formulas, of any size. All return NULL if memory runs out. */
#ifndef CLOTH_SCENES_H
#define CLOTH_SCENES_H

#include "cloth.h"

/* Sheets of side x side particles, a metre wide, fall on the floor and on each other, slightly shifted. */
simulation *scene_pile(int sheets, int edge_side, const tact_world_def *def);

/* Sheets fall on a rotating torus of 2 x rings x sides triangles above the floor. */
simulation *scene_shower(int sheets, int edge_side, int rings, int edge_sides, const tact_world_def *def);

/* A body twists and sways in three layers of clothing, each of 2 x columns x rows triangles, the outermost with a belt.
 */
simulation *scene_garment(int columns, int rows, const tact_world_def *def);

/* Creates `pile`, `shower` or `garment` at full size (51,000, 42,000 and 41,000 triangles) divided by `scale` in each
 * direction. NULL if the name is unknown. */
simulation *scene_create(const char *name, int scale, const tact_world_def *def);

#endif
