/*
 * The segments of the trimming chains of each patch by their rows, so that the segments that cross a line of constant y
 * are found without looking at all of them.
 *
 * A patch is divided into equal rows, about as many as it has segments. They are the leaves of a segment tree
 * (de Berg et al. 2008, 10.3): each segment belongs to the O(log n) largest nodes whose rows it touches. So long
 * segments do not make it large: O(n log n). It depends on the chains alone, not on control points.
 */
#ifndef TACT_NURBS_NURBS_TRIM_ROWS_H
#define TACT_NURBS_NURBS_TRIM_ROWS_H

#include "nurbs/nurbs_trim.h"

/* Makes the rows of a trim with chains. False: out of memory. */
bool tact_nurbs_trim_rows_init(nurbs_trim_rows *rows, const nurbs_trim *trim, const tact_allocator *allocator);

void tact_nurbs_trim_rows_release(nurbs_trim_rows *rows, const tact_allocator *allocator);

/* Whether the ray from a corner of a cell of a patch along -x, to the side x = 0 and down to (0, 0), crosses chains and
 * their ends an odd number of times; on the side y = 0 the ray runs along it. Exact. Cost: O(log n) and the segments of
 * its row. */
bool tact_nurbs_trim_rows_parity(const nurbs_trim_rows *rows, uint32_t patch, trim_point corner);

#endif
