/*
 * The work of queries: counted, reported, limited (tact/progress.h).
 *
 * Loops that may run long add units to the meter of their thread: one for each node pair of a tree that is opened, each
 * step of a search, each pair of primitives. Once the meter says stop, it says so for all that follows, so loops end as
 * if their visitor had stopped them, and the entry points of the query answer TACT_CANCELLED.
 *
 *     work_meter *work = tact_work_current();      NULL: nothing is counted
 *     while (...)
 *         if (!work_add(work, 1))
 *             return ...;                          stop: the answer does not matter any more
 *
 * The meter belongs to the thread: tasks of a parallel loop have meters of their own (tact_work_enter), whose limits do
 * not depend on the number of threads.
 */
#ifndef TACT_CORE_WORK_H
#define TACT_CORE_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <tact/parallel.h>
#include <tact/progress.h>
#include <tact/status.h>

typedef struct work_meter {
    uint64_t left;    /* units that may be added before tact_work_stop is asked */
    uint64_t granted; /* granted - left units are done */
    uint64_t limit;   /* 0: none */
    tact_progress_callback *callback;
    void *context;
    const atomic_bool *stop; /* set by another thread; may be NULL */
    double time;             /* a time of impact: no contact before it has been proved so far */
    bool cancelled;          /* for good */
} work_meter;

/* A meter that counts from `done` units on. */
work_meter tact_work_meter(const tact_progress *progress, uint64_t done);

/* The meter of this thread; NULL: none. */
work_meter *tact_work_current(void);

/* Sets it, and returns the one before. */
work_meter *tact_work_enter(work_meter *meter);

/* tact_parallel_for with a meter for each item: the items have the same limit as the meter of this thread has left, and
 * their units are added to it in the end, so the work does not depend on the number of threads. */
void tact_work_parallel_for(const tact_parallel *parallel, size_t count, size_t grain, tact_task *task,
                            void *task_data);

/* Adds units where none are left: reports. Returns false to stop. */
bool tact_work_continue(work_meter *meter, uint64_t units);

static inline bool work_add(work_meter *meter, uint64_t units)
{
    if (meter == NULL)
        return true;
    if (units > meter->left)
        return tact_work_continue(meter, units);
    meter->left -= units;
    return true;
}

static inline uint64_t work_done(const work_meter *meter) { return meter->granted - meter->left; }

/* Whether the work of this thread has been cancelled: what has been computed since may be wrong. */
static inline bool work_is_cancelled(void)
{
    const work_meter *meter = tact_work_current();
    return meter != NULL && meter->cancelled;
}

/* The status of an answer. */
static inline tact_status work_status(tact_status status) { return work_is_cancelled() ? TACT_CANCELLED : status; }

#endif
