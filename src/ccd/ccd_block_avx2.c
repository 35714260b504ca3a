/* ccd/ccd_block.c for processors with AVX2. */
#include "ccd/ccd_block.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_ccd_filter8 tact_ccd_filter8_avx2
#define tact_ccd_filter8_separation tact_ccd_filter8_separation_avx2
#include "ccd/ccd_block.c"
#endif
