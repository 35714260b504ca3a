/* narrow/boxes.c for processors with AVX2. */
#include "core/avx2.h"
#include "narrow/boxes.h"

#if TACT_HAVE_AVX2
#define tact_boxes_distance tact_boxes_distance_avx2
#define tact_boxes_within tact_boxes_within_avx2
#include "narrow/boxes.c"
#endif
