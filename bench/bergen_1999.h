/* The parts of `tact-bench bergen-1999`. Each returns false when memory runs out. */
#ifndef TACT_BENCH_BERGEN_1999_H
#define TACT_BENCH_BERGEN_1999_H

#include "suite.h"

bool tact_bergen_1999_volumes(const suite *s);  /* Tables 5.2 and 5.3: one or two bounding volumes before the test */
bool tact_bergen_1999_trees(const suite *s);    /* Tables 5.4 to 5.6: both trees, both box tests, the costs */
bool tact_bergen_1999_refit(const suite *s);    /* section 5.2.5: refit or rebuild, as the deformation grows */
bool tact_bergen_1999_polygons(const suite *s); /* section 3.2: two polygons, the straightforward way and the scan */

#endif
