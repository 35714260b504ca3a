/*
 * Cases identified by a seed, in a variable called `seed`:
 *
 *     for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++)
 *         CHECK(fabs(off) < 1e-9, "off by %g", off);
 *
 * A failure prints what repeats it: TACT_TEST_SEED=n runs that case alone. TACT_TEST_LONG=1 runs thirty times as many.
 */
#ifndef TACT_TEST_SEEDED_CASES_H
#define TACT_TEST_SEEDED_CASES_H

#include "support/long_form.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("TACT_TEST_SEED=%llu: %s: ", (unsigned long long)seed, #condition);                            \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static inline uint64_t first_seed(void)
{
    const char *one = getenv("TACT_TEST_SEED");
    return one != NULL ? strtoull(one, NULL, 10) : 1;
}

/* So many cases, and with TACT_TEST_LONG so many. */
static inline uint64_t last_seed_of(uint64_t few, uint64_t many)
{
    return getenv("TACT_TEST_SEED") != NULL ? first_seed() : random_case_count(few, many);
}

static inline uint64_t last_seed(uint64_t count) { return last_seed_of(count, 30 * count); }

#endif
