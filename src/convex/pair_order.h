/* One order of two placed shapes, so that a query asked with A and B swapped does the very same arithmetic. */
#ifndef TACT_CONVEX_PAIR_ORDER_H
#define TACT_CONVEX_PAIR_ORDER_H

#include "shape/convex.h"

/* Negative, zero or positive: a before, equal to, or after b. It looks at the numbers alone (placement first, then what
 * the shape is made of), never at addresses, so it is the same in every run; custom shapes, of which nothing else is
 * known, are told apart by support function and context. Zero means that the two cannot be told apart. */
int tact_convex_compare(const convex *a, const convex *b);

#endif
