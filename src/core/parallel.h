/* The one parallel loop through which all work is spread over threads. */
#ifndef TACT_CORE_PARALLEL_H
#define TACT_CORE_PARALLEL_H

#include <tact/parallel.h>

/*
 * Calls `task` for ranges that together cover 0 to count - 1, each item once, and returns when all are done. With the
 * loop of `parallel` if it has one; otherwise with OpenMP, if the library was built with it, on at most
 * parallel->threads threads; otherwise on this thread. `parallel` may be NULL (the default); a `grain` of 0 counts as
 * 1; a `count` of 0 calls nothing.
 *
 * The default loop gives every thread one contiguous range of at least `grain` items (fewer only if `count` is), sizes
 * differing by at most 1: which item goes where depends on the number of threads, so a task must write only what
 * belongs to its own items. Inside a task the loop runs on the task's own thread.
 */
void tact_parallel_for(const tact_parallel *parallel, size_t count, size_t grain, tact_task *task, void *task_data);

/* How many threads the default loop may use: what the task of a reduction needs to know to lay out its partial results.
 * At least 1. With a loop of the host's own: 0, not known. */
int tact_parallel_threads(const tact_parallel *parallel);

#endif
