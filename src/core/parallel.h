/* The parallel-for through which the library distributes all its work. */
#ifndef TACT_CORE_PARALLEL_H
#define TACT_CORE_PARALLEL_H

#include <tact/parallel.h>

/*
 * Calls `task` for ranges that together cover 0 to count - 1, each item once, and returns when all are done. It uses
 * the loop of `parallel` if there is one, else OpenMP on at most parallel->threads threads if the library was built
 * with it, else this thread. `parallel` may be NULL (the default). A `grain` of 0 counts as 1; a `count` of 0 calls
 * nothing.
 *
 * The default loop gives each thread one contiguous range of at least `grain` items (fewer only if `count` is smaller);
 * sizes differ by at most 1. The ranges depend on the number of threads, so a task must write only to its own items.
 * A loop started inside a task runs on the task's own thread.
 */
void tact_parallel_for(const tact_parallel *parallel, size_t count, size_t grain, tact_task *task, void *task_data);

/* The largest number of threads that the default loop uses, at least 1: the number of partial results of a reduction.
 * 0 (unknown) if the caller provides the loop. */
int tact_parallel_threads(const tact_parallel *parallel);

#endif
