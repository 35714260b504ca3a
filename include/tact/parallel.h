/**
 * @file
 * The parallel-for hook. All parallel work of Tact runs through one loop. A program with its own job system can replace
 * this loop. Results are bit-identical for every loop and every number of threads.
 */
#ifndef TACT_PARALLEL_H
#define TACT_PARALLEL_H

#include <stddef.h>
#include <tact/export.h>

TACT_BEGIN

/** A task: processes the items `begin` to `end` - 1. */
typedef void tact_task(void *task_data, size_t begin, size_t end);

/** A parallel loop. All zero selects the default loop: OpenMP with all its threads. */
typedef struct tact_parallel {
    /**
     * Calls `task` on disjoint ranges that cover 0 to `count` - 1, in any order and on any threads, and returns when
     * all have finished. `grain` is the minimum range size: a smaller range costs more to schedule than it saves.
     * NULL: the default loop.
     */
    void (*loop)(void *context, size_t count, size_t grain, tact_task *task, void *task_data);
    void *context; /**< passed to every call of `loop` */
    int threads;   /**< default loop only: number of threads; 0: all, 1: the calling thread alone */
} tact_parallel;

TACT_END

#endif
