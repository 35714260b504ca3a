/**
 * @file
 * How work is spread over threads. All parallel work of Tact goes through one loop, which a host with its own job
 * system can replace. The answers are the same, bit for bit, whoever runs the loop on however many threads.
 */
#ifndef TACT_PARALLEL_H
#define TACT_PARALLEL_H

#include <stddef.h>
#include <tact/export.h>

TACT_BEGIN

/** A piece of work: handle the items `begin` to `end` - 1. */
typedef void tact_task(void *task_data, size_t begin, size_t end);

/** A parallel loop. Zero-initialised it stands for the default: OpenMP with all its threads. */
typedef struct tact_parallel {
    /**
     * Calls `task` for ranges that together cover 0 to `count` - 1, each item once, in any order and on any threads,
     * and returns when all are done. Ranges of fewer than `grain` items are not worth a thread. NULL: the default loop.
     */
    void (*loop)(void *context, size_t count, size_t grain, tact_task *task, void *task_data);
    void *context; /**< handed to every call of `loop` */
    int threads;   /**< for the default loop: how many threads; 0 for as many as there are, 1 to stay on this one */
} tact_parallel;

TACT_END

#endif
