/* sweep/fan_test.c for processors with AVX2. */
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_fans_stay_unfolded tact_fans_stay_unfolded_avx2
#include "sweep/fan_test.c"
#endif
