/* convex/box_box.c for processors with AVX2. */
#include "convex/box_box.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_box_box_distance tact_box_box_distance_avx2
#define tact_box_box_within tact_box_box_within_avx2
#include "convex/box_box.c"
#endif
