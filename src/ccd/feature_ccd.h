/*
 * The two halves of tact/ccd.h, for each other and for those who ask in bulk.
 *
 * A query first meets a filter in doubles, with a proved bound on its rounding; what the filter cannot decide goes to
 * the exact half, in integers. Both give the same answer where both can: brackets, weights and normals are made in one
 * place.
 */
#ifndef TACT_CCD_FEATURE_CCD_H
#define TACT_CCD_FEATURE_CCD_H

#include <stdint.h>
#include <tact/ccd.h>

/* The exact half alone: integers, no allocation, any finite doubles, any valid `def` without separation. Arguments have
 * been checked. (ccd_exact.c) */
tact_ccd tact_ccd_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/* Fills in weights and normal of a hit whose bracket and `degenerate` are known. Both halves end here, and make
 * brackets by the rule in ccd_bracket.h, so that their answers agree to the bit: whatever finds the cell of a grid of
 * times that holds the contact gives the same bracket. In the default floating-point environment. (ccd_describe.c) */
void tact_ccd_describe(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def,
                       tact_ccd *answer);

/* With a separation > 0. Arguments have been checked. (ccd_separation.c) */
tact_ccd tact_ccd_apart(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/* Several pairs side by side, for vectors, each with a window of its own; places, not velocities. */
#define CCD_BLOCK 8

typedef struct ccd_block {
    double start[4][3][CCD_BLOCK];
    double end[4][3][CCD_BLOCK];
    double enter[CCD_BLOCK], exit[CCD_BLOCK]; /* 0 <= enter <= exit <= 1 */
} ccd_block;

/* Which of the pairs may touch within their windows, a bit each: all that do, and few others. Unused lanes may hold
 * anything that is finite. In any floating-point environment. (ccd_batch.c) */
unsigned tact_ccd_block_maybe(tact_ccd_kind kind, const ccd_block *block);

/* Likewise which may come nearer than 1 + 1e-6 times the separation. In the default environment. */
unsigned tact_ccd_block_near(tact_ccd_kind kind, const ccd_block *block, double separation);

#endif
