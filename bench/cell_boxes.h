/* Updates of the boxes of NURBS bounds without their direction fields, which only self-collision needs. The library has
 * no query that needs boxes alone; Lau et al. 2002, Figure 10, measures them for two bodies. */
#ifndef TACT_BENCH_CELL_BOXES_H
#define TACT_BENCH_CELL_BOXES_H

#include "nurbs/nurbs_bounds.h"

/* As tact_nurbs_bounds_update. The fields of updated nodes keep their former bits. */
bool cell_boxes_update(nurbs_bounds *b, nurbs_move move);

#endif
