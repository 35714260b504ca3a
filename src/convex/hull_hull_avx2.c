/* convex/hull_hull.c for processors with AVX2. */
#include "convex/hull_hull.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_hull_hull_distance tact_hull_hull_distance_avx2
#define tact_hull_hull_within tact_hull_hull_within_avx2
#define tact_gjk_fast_hulls tact_gjk_fast_hulls_avx2
#include "convex/hull_hull.c"
#endif
