/* tree/moving_pairs.c for processors with AVX2. */
#include "core/avx2.h"
#include "tree/moving_tree.h"

#if TACT_HAVE_AVX2
#define tact_moving_tree_pairs tact_moving_tree_pairs_avx2
#define tact_moving_tree_pairs_of_item tact_moving_tree_pairs_of_item_avx2
#define tact_moving_tree_pairs_below tact_moving_tree_pairs_below_avx2
#include "tree/moving_pairs.c"
#endif
