/*
 * The nodes of the cells of a patch: the box and the fields of each leaf from its corners, and those of the cells above
 * (nurbs/nurbs_bounds.h has the bounds). Compiled twice (core/avx2.h): the derivatives in both directions are handled
 * together, in eight lanes.
 */
#ifndef TACT_NURBS_NURBS_NODES_H
#define TACT_NURBS_NURBS_NODES_H

#include "core/avx2.h"
#include "core/sse2.h"
#include "nurbs/nurbs_bounds.h"

/* What the leaves of a patch have in common. */
typedef struct nurbs_leaf_frame {
    double slack;   /* the error of corners */
    bool in_range;  /* float arithmetic neither overflows nor becomes subnormal */
    float roundoff; /* of conversion to floats and of the expansion */
} nurbs_leaf_frame;

/* `largest`: the largest coordinate. */
nurbs_leaf_frame tact_nurbs_leaf_frame(double slack, double largest);

/* Sets the nodes of all cells of a patch, children first. `rounding` is the error of control points, without seams. */
void tact_nurbs_set_patch_nodes(nurbs_bounds *b, uint32_t patch, const nurbs_leaf_frame *frame, double rounding);
void tact_nurbs_set_leaf_node(const tact_vec3 *const corners[4], double error, const nurbs_leaf_frame *frame,
                              nurbs_node *node);
#if TACT_HAVE_AVX2
void tact_nurbs_set_patch_nodes_avx2(nurbs_bounds *b, uint32_t patch, const nurbs_leaf_frame *frame, double rounding);
void tact_nurbs_set_leaf_node_avx2(const tact_vec3 *const corners[4], double error, const nurbs_leaf_frame *frame,
                                   nurbs_node *node);
#endif

/* A leaf whose corners are no vertices: see nurbs_bounds.corners. In nurbs_bounds.c. */
void tact_nurbs_set_evaluated_leaf(nurbs_bounds *b, uint32_t cell, const nurbs_leaf_frame *frame, double rounding);

/* The least and largest coordinates of boxes. A node has min x, y, z, max x, y, z and its fields: four floats from the
 * first one, and from the fourth one. The last lane of both is of no use. */
typedef struct nurbs_node_ends {
    __m128 low, high;
} nurbs_node_ends;

static inline nurbs_node_ends nurbs_ends_of(const nurbs_node *node)
{
    const float *p = (const float *)(const void *)node;
    return (nurbs_node_ends){_mm_loadu_ps(p), _mm_loadu_ps(p + 3)};
}

static inline nurbs_node_ends nurbs_ends_unite(nurbs_node_ends a, nurbs_node_ends b)
{
    return (nurbs_node_ends){_mm_min_ps(a.low, b.low), _mm_max_ps(a.high, b.high)};
}

/* The lanes of no use are overwritten. */
static inline void nurbs_node_set(nurbs_node *node, nurbs_node_ends ends, uint32_t tangents_s, uint32_t tangents_t)
{
    float *p = (float *)(void *)node;
    _mm_storeu_ps(p, ends.low);
    _mm_storeu_ps(p + 3, ends.high);
    node->tangents[0] = tangents_s;
    node->tangents[1] = tangents_t;
}

#endif
