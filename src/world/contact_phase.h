/*
 * The phases of contacts from test to test: which pairs were reported by the last test, so that a test can tell whether
 * a pair begins, persists or has ended (tact_phase).
 *
 * A test reports its pairs in the order of their keys: first two different bodies, by the lower and the higher index,
 * then bodies with themselves, by index. The pairs of the last test have the same order. So comparing the two lists is
 * a merge: O(1) amortised for each pair, and no search.
 *
 * Legal order: tact_phases_begin; for pairs in ascending order tact_phases_report or tact_phases_keep; then
 * tact_phases_finish; tact_phases_ended for each that has ended; tact_phases_end. Until then the list of the last test
 * is unchanged: a world that is saved in a callback has the phases of the last test.
 */
#ifndef TACT_WORLD_CONTACT_PHASE_H
#define TACT_WORLD_CONTACT_PHASE_H

#include <tact/response.h>

#include "core/array.h"

/* A pair that was reported. A was created first; both are the same for a self-contact. */
typedef struct reported_pair {
    tact_body a, b;
} reported_pair;

ARRAY_OF(reported_pair_array, reported_pair);
ARRAY_OF(reported_index_array, uint32_t);

typedef struct contact_phases {
    reported_pair_array last;   /* reported by the last test, in ascending order */
    reported_pair_array now;    /* reported by the running test */
    reported_index_array ended; /* positions in `last` of the pairs that the running test did not report */
    size_t cursor;              /* in `last`: those before it are examined */
} contact_phases;

/* The order of reported pairs. */
uint64_t tact_reported_pair_key(const reported_pair *pair);

/* Begins a test that reports at most `most` pairs. False: out of memory, nothing has changed. */
bool tact_phases_begin(contact_phases *p, const tact_allocator *allocator, size_t most);

/* Reports a pair: TACT_PHASE_BEGIN or TACT_PHASE_PERSIST. */
tact_phase tact_phases_report(contact_phases *p, const reported_pair *pair);

/* A pair that could not be tested keeps its state. */
void tact_phases_keep(contact_phases *p, const reported_pair *pair);

/* All pairs are reported. Returns how many pairs have ended. */
size_t tact_phases_finish(contact_phases *p);

/* A pair that has ended. */
reported_pair tact_phases_ended(const contact_phases *p, size_t i);

/* The test ends: its pairs become those of the last test. */
void tact_phases_end(contact_phases *p);

void tact_phases_release(contact_phases *p, const tact_allocator *allocator);

#endif
