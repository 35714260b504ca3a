/*
 * Tests have two forms. The short form is that of daily work and of `make test`. With TACT_TEST_LONG in the environment
 * they run more cases and larger ones (`make test-long`).
 */
#ifndef TACT_TEST_LONG_FORM_H
#define TACT_TEST_LONG_FORM_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool long_form(void) { return getenv("TACT_TEST_LONG") != NULL; }

#endif
