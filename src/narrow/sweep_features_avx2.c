/* narrow/sweep_features.c for processors with AVX2. */
#include "core/avx2.h"
#include "narrow/sweep_parts.h"

#if TACT_HAVE_AVX2
#define tact_sweep_features tact_sweep_features_avx2
#include "narrow/sweep_features.c"
#endif
