/* ccd/ccd_block_solve.c for processors with AVX2. */
#include "ccd/ccd_block.h"
#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_ccd_solve8 tact_ccd_solve8_avx2
#include "ccd/ccd_block_solve.c"
#endif
