/* sweep/feature_pairs.c for processors with AVX2. */
#include "core/avx2.h"
#include "sweep/sweep_internal.h"

#if TACT_HAVE_AVX2
#define tact_mesh_sweep_test_features tact_mesh_sweep_test_features_avx2
#define tact_mesh_sweep_test_items tact_mesh_sweep_test_items_avx2
#include "sweep/feature_pairs.c"
#endif
