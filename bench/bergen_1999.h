/* The parts of `tact-bench bergen-1999`. Each returns false if memory runs out. */
#ifndef TACT_BENCH_BERGEN_1999_H
#define TACT_BENCH_BERGEN_1999_H

#include "suite.h"

bool tact_bergen_1999_volumes(const suite *s); /* tables 5.2 and 5.3: one or two bounding volumes before the test */
bool tact_bergen_1999_trees(
    const suite *s); /* tables 5.4 to 5.6: OBB and AABB trees, SAT and SAT lite, build and refit */
bool tact_bergen_1999_refit(const suite *s);    /* section 5.2.5: refit or rebuild, by amount of deformation */
bool tact_bergen_1999_polygons(const suite *s); /* section 3.2: polygon-polygon intersection by edges and by scan */

#endif
