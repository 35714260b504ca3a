/* ccd/ccd_block.c for processors with AVX2. */
#include "ccd/ccd_block.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_ccd_maybe tact_ccd_maybe_avx2
#define tact_ccd_near tact_ccd_near_avx2
#include "ccd/ccd_block.c"
#endif
