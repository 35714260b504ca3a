/* tree/moving_refit.c for processors with AVX2. */
#include "core/avx2.h"
#include "tree/moving_tree.h"

#if TACT_HAVE_AVX2
#define tact_moving_tree_fit_range tact_moving_tree_fit_range_avx2
#include "tree/moving_refit.c"
#endif
