/*
 * Cases of several kinds, each numbered from 0: a function of what is tested and a number, run by run_cases.
 *
 *     static void touch_case(const char *what, int number) { ... CHECK(fabs(off) < 1e-9, "off by %g", off); ... }
 *     run_cases("touch", cases(400), touch_case);
 *
 * A failure prints what repeats it: TACT_TEST_SEED=n runs that case alone. TACT_TEST_LONG=1 runs 10,000.
 */
#ifndef TACT_TEST_NUMBERED_CASES_H
#define TACT_TEST_NUMBERED_CASES_H

#include "support/long_form.h"
#include <stdbool.h>
#include <stdlib.h>

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_message("%s: TACT_TEST_SEED=%d: %s:", what, number, #condition);                                     \
            print_message(" " __VA_ARGS__);                                                                            \
            print_message("\n");                                                                                       \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static inline void run_cases(const char *what, int count, void (*run)(const char *what, int number))
{
    const char *one = getenv("TACT_TEST_SEED");
    if (one != NULL) {
        run(what, atoi(one));
        return;
    }
    for (int i = 0; i < count; i++)
        run(what, i);
}

static inline int cases(int few) { return (int)random_case_count((uint64_t)few, 10000); }

#endif
