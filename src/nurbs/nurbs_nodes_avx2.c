/* nurbs/nurbs_nodes.c for processors with AVX2. */
#include "nurbs/nurbs_nodes.h"

#include "core/avx2.h"

#if TACT_HAVE_AVX2
#define tact_nurbs_set_patch_nodes tact_nurbs_set_patch_nodes_avx2
#define tact_nurbs_set_leaf_node tact_nurbs_set_leaf_node_avx2
#include "nurbs/nurbs_nodes.c"
#endif
