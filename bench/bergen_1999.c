/* `tact-bench bergen-1999`: the experiments of van den Bergen 1999 on bounding volumes, trees and polygons. */
#include "bergen_1999.h"

bool tact_bench_bergen_1999(const suite *s)
{
    return tact_bergen_1999_volumes(s) && tact_bergen_1999_trees(s) && tact_bergen_1999_refit(s) &&
           tact_bergen_1999_polygons(s);
}
