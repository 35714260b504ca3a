/* narrow/quick.c for processors with AVX2. */
#include "core/avx2.h"
#include "narrow/quick.h"

#if TACT_HAVE_AVX2
#define tact_quick tact_quick_avx2
#define tact_quick_hulls tact_quick_hulls_avx2
#include "narrow/quick.c"
#endif
