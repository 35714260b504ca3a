/* Validators of the broad phases: compare their structures with brute force. */
#ifndef ORACLE_BROAD_CHECK_H
#define ORACLE_BROAD_CHECK_H

#include "broad/broad.h"
#include "broad/fat_bounds.h"
#include "broad/kinetic_sweep.h"
#include "broad/neighbours.h"

/* Whether all structures are consistent; and, if there was no call since the last update, whether the pairs are those
 * that comparing all boxes gives. `why` (may be NULL) gets a sentence. Quadratic time. */
bool tact_broad_check(const broad *b, const char **why);

/* Whether the pairs are those that comparing all fat bounds gives, and each is in the tree or in its cell. */
bool tact_fat_bounds_check(const fat_bounds *s);

/* Whether each is in the list of the other, with the same data. */
bool tact_neighbours_check(const neighbours *n);

/* Whether the endpoints are sorted up to `slack`, and their positions and the queue are right. */
bool tact_kinetic_sweep_check(const kinetic_sweep *s, double slack);

#endif
