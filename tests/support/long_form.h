/*
 * Tests have three forms, chosen in the environment. `make test` runs the short form. `make check`, for daily work,
 * sets TACT_TEST_QUICK: a quarter of the random cases, an eighth of the failed allocations, fewer scenes, and no
 * minimum counts of kinds of cases that need more. So does `make test` with sanitizers, where gcc and clang have run
 * all cases before. `make test-long` sets TACT_TEST_LONG: more cases and larger ones.
 */
#ifndef TACT_TEST_LONG_FORM_H
#define TACT_TEST_LONG_FORM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline bool long_form(void) { return getenv("TACT_TEST_LONG") != NULL; }

static inline bool quick_form(void) { return getenv("TACT_TEST_QUICK") != NULL; }

/* The number of random cases: so many in the short form, and so many in the long form. */
static inline uint64_t random_case_count(uint64_t few, uint64_t many)
{
    return long_form() ? many : quick_form() ? (few + 3) / 4 : few;
}

/* Whether there are too few random cases for minimum counts: the quick form, or one case alone. */
static inline bool few_cases(void) { return quick_form() || getenv("TACT_TEST_SEED") != NULL; }

#endif
