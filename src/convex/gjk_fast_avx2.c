/* convex/gjk_fast.c for processors with AVX2. */
#include "convex/gjk_fast.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_gjk_fast tact_gjk_fast_avx2
#define tact_gjk_fast_hulls tact_gjk_fast_hulls_avx2
#include "convex/gjk_fast.c"
#endif
