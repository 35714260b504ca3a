/* The parts of `tact bench seed004`. Each returns false when memory runs out. */
#ifndef TACT_BENCH_SEED004_H
#define TACT_BENCH_SEED004_H

#include "suite.h"

bool tact_seed004_volumes(const suite *s);  /* Tables 5.2 and 5.3: one or two bounding volumes before the test */
bool tact_seed004_trees(const suite *s);    /* Tables 5.4 to 5.6: both trees, both box tests, the costs */
bool tact_seed004_refit(const suite *s);    /* section 5.2.5: refit or rebuild, as the deformation grows */
bool tact_seed004_polygons(const suite *s); /* section 3.2: two polygons, the straightforward way and the scan */

#endif
