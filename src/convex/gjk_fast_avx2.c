/* convex/gjk_fast.c for processors with AVX2. */
#include "convex/gjk_fast.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_quick tact_quick_avx2
#define tact_quick_hulls tact_quick_hulls_avx2
#include "convex/gjk_fast.c"
#endif
