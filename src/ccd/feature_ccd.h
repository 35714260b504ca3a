/*
 * Vertex-face and edge-edge continuous collision detection (tact/ccd.h): the stages of a query, for each other and for
 * bulk queries.
 *
 * A filter in doubles, with a proved bound of its rounding error, decides nearly all queries. What it leaves undecided
 * goes to an exact solver in integers. Where both can decide they agree to the bit: brackets, weights and normals are
 * computed in one place.
 */
#ifndef TACT_CCD_FEATURE_CCD_H
#define TACT_CCD_FEATURE_CCD_H

#include <stdint.h>
#include <tact/ccd.h>

/* The exact solver alone: integers, no allocation, any finite doubles, any valid `def` without separation. Arguments
 * are checked by the caller. (ccd_exact.c) */
tact_ccd tact_ccd_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/* Fills in weights and normal of a hit whose bracket and `degenerate` are known. Filter and exact solver both end here,
 * and both take brackets from the grid of ccd_bracket.h, so that their answers agree to the bit. In the default
 * floating-point environment. (ccd_contact.c) */
void tact_ccd_fill_contact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                           const tact_ccd_def *def, tact_ccd *answer);

/* With a separation > 0. Arguments are checked by the caller. (ccd_separation.c) */
tact_ccd tact_ccd_separation(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                             const tact_ccd_def *def);

/* Pairs in structure-of-arrays layout for SIMD, each with a window of its own. Positions, not velocities. */
#define CCD_BLOCK 8

typedef struct ccd_block {
    double start[4][3][CCD_BLOCK];
    double end[4][3][CCD_BLOCK];
    double enter[CCD_BLOCK], exit[CCD_BLOCK]; /* 0 <= enter <= exit <= 1 */
} ccd_block;

/* Which of the pairs may collide within their windows, a bit each: all that do, and few others. Unused lanes may hold
 * any finite numbers. In any floating-point environment. (ccd_batch.c) */
unsigned tact_ccd_block_filter(tact_ccd_kind kind, const ccd_block *block);

/* Solves the first `count` pairs over [0, 1] with the default def: the answers of tact_ccd_vertex_face and
 * tact_ccd_edge_edge, to the bit. All their contacts must be within their windows. In the default floating-point
 * environment. (ccd_batch.c) */
void tact_ccd_block_solve(tact_ccd_kind kind, const ccd_block *block, unsigned count, tact_ccd answers[CCD_BLOCK]);

/* Which of the pairs may come nearer than 1 + 1e-6 times the separation. In the default floating-point environment. */
unsigned tact_ccd_block_filter_separation(tact_ccd_kind kind, const ccd_block *block, double separation);

#endif
