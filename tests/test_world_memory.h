/* The allocator for the tests of worlds. */
#ifndef TACT_TEST_WORLD_MEMORY_H
#define TACT_TEST_WORLD_MEMORY_H

#include "failing_allocator.h"

#endif
