/*
 * A total order of shapes under transforms, so that a query with A and B swapped does the same arithmetic.
 *
 * All comparisons return a negative number, zero or a positive number: a before, equal to, or after b. They compare
 * numbers (the transform first, then the shape's data), so the order is the same in every run. Only custom shapes with
 * equal numbers are compared by address.
 */
#ifndef TACT_CONVEX_PAIR_ORDER_H
#define TACT_CONVEX_PAIR_ORDER_H

#include <stddef.h>

#include "shape/convex.h"

int tact_compare_vectors(tact_vec3 a, tact_vec3 b);

int tact_compare_vector_arrays(const tact_vec3 *a, const tact_vec3 *b, size_t count);

int tact_compare_transforms(const tact_transform *a, const tact_transform *b);

/* Custom shapes are compared by support function and context, since nothing else of them is known. Zero: nothing tells
 * the two apart. */
int tact_compare_convex(const convex *a, const convex *b);

#endif
