/* `tact bench seed004`: the experiments of van den Bergen's thesis on boxes, trees and polygons. */
#include "seed004.h"

bool tact_bench_seed004(const suite *s)
{
    return tact_seed004_volumes(s) && tact_seed004_trees(s) && tact_seed004_refit(s) && tact_seed004_polygons(s);
}
