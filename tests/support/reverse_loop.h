/* A parallel-for hook (tact_parallel.loop) that runs the items one by one, the last first. */
#ifndef TACT_TEST_REVERSE_LOOP_H
#define TACT_TEST_REVERSE_LOOP_H

#include <tact/parallel.h>

static inline void reverse_loop(void *context, size_t count, size_t grain, tact_task *task, void *data)
{
    (void)context;
    (void)grain;
    for (size_t i = count; i-- > 0;)
        task(data, i, i + 1);
}

#endif
