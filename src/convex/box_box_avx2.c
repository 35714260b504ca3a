/* convex/box_box.c for processors with AVX2. */
#include "convex/box_box.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_boxes_distance tact_boxes_distance_avx2
#define tact_boxes_within tact_boxes_within_avx2
#include "convex/box_box.c"
#endif
