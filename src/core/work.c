/* The meter of each thread: see work.h. */
#include "core/work.h"

#include "core/core_constants.h"
#include "core/parallel.h"

static _Thread_local work_meter *current;

work_meter *tact_work_current(void) { return current; }

work_meter *tact_work_enter(work_meter *meter)
{
    work_meter *before = current;
    current = meter;
    return before;
}

work_meter tact_work_meter(const tact_progress *progress, uint64_t done)
{
    return (work_meter){
        .granted = done, .limit = progress->work_limit, .callback = progress->callback, .context = progress->context};
}

bool tact_work_continue(work_meter *meter, uint64_t units)
{
    const uint64_t done = work_done(meter), most = UINT64_MAX - done < units ? UINT64_MAX : done + units;
    if (meter->cancelled)
        return false;
    meter->cancelled = (meter->limit != 0 && done > 0 && most > meter->limit) ||
                       (meter->stop != NULL && atomic_load_explicit(meter->stop, memory_order_relaxed)) ||
                       (meter->callback != NULL && done > 0 && !meter->callback(meter->context, done));
    if (meter->cancelled) {
        meter->granted = done;
        meter->left = 0;
        return false;
    }
    uint64_t more = WORK_REPORT_INTERVAL;
    if (meter->limit != 0 && meter->limit > most && meter->limit - most < more)
        more = meter->limit - most;
    else if (meter->limit != 0 && meter->limit <= most)
        more = 0;
    meter->granted = UINT64_MAX - most < more ? UINT64_MAX : most + more;
    meter->left = meter->granted - most;
    return true;
}

/* ---- parallel loops ---------------------------------------------------------------------------------------------- */

typedef struct work_loop {
    tact_task *task;
    void *task_data;
    work_meter *outer;
    uint64_t done; /* of the outer meter */
    uint64_t next; /* work at which the next report is due; only the thread of the outer meter uses it */
    atomic_uint_fast64_t units;
    atomic_bool stop, cancelled; /* stop: the callback says so */
} work_loop;

/* The report of an item that has counted up to `done`: of the work of all, when one is due. */
static bool report_all(void *context, uint64_t done)
{
    work_loop *loop = context;
    const uint64_t units = atomic_load_explicit(&loop->units, memory_order_relaxed),
                   all = UINT64_MAX - done < units ? UINT64_MAX : done + units;
    if (all < loop->next)
        return true;
    loop->next = UINT64_MAX - all < WORK_REPORT_INTERVAL ? UINT64_MAX : all + WORK_REPORT_INTERVAL;
    if (loop->outer->callback(loop->outer->context, all))
        return true;
    atomic_store_explicit(&loop->stop, true, memory_order_relaxed);
    return false;
}

/* Only the thread of the outer meter calls the callback. */
static void run_items(void *data, size_t begin, size_t end)
{
    work_loop *loop = data;
    work_meter *const before = tact_work_current();
    const bool reports = before == loop->outer && loop->outer->callback != NULL && !loop->outer->cancelled;
    const tact_progress progress = {reports ? report_all : NULL, loop, loop->outer->limit};
    for (size_t i = begin; i < end; ++i) {
        work_meter meter = tact_work_meter(&progress, loop->done);
        meter.stop = &loop->stop;
        (void)tact_work_enter(&meter);
        if (loop->outer->cancelled || !work_add(&meter, 1))
            meter.cancelled = true;
        loop->task(loop->task_data, i, i + 1);
        (void)tact_work_enter(before);
        atomic_fetch_add_explicit(&loop->units, work_done(&meter) - loop->done, memory_order_relaxed);
        if (meter.cancelled)
            atomic_store_explicit(&loop->cancelled, true, memory_order_relaxed);
        if (reports && !atomic_load_explicit(&loop->stop, memory_order_relaxed))
            (void)report_all(loop, loop->done);
    }
}

void tact_work_parallel_for(const tact_parallel *parallel, size_t count, size_t grain, tact_task *task, void *task_data)
{
    work_meter *const outer = tact_work_current();
    if (outer == NULL || count == 0) {
        tact_parallel_for(parallel, count, grain, task, task_data);
        return;
    }
    work_loop loop = {.task = task, .task_data = task_data, .outer = outer, .done = work_done(outer)};
    loop.next = loop.done > 0 ? outer->granted : WORK_REPORT_INTERVAL;
    tact_parallel_for(parallel, count, grain, run_items, &loop);
    const uint64_t units = atomic_load(&loop.units),
                   done = UINT64_MAX - loop.done < units ? UINT64_MAX : loop.done + units;
    outer->cancelled = outer->cancelled || atomic_load(&loop.cancelled) || atomic_load(&loop.stop) ||
                       (outer->limit != 0 && done > outer->limit);
    const uint64_t granted = outer->limit != 0 && loop.next > outer->limit ? outer->limit : loop.next;
    outer->granted = outer->cancelled || granted < done ? done : granted;
    outer->left = outer->granted - done;
}

/* ---- scopes of stateless queries --------------------------------------------------------------------------------- */

static _Thread_local work_meter scope;

tact_status tact_work_begin(tact_progress progress)
{
    if (current != NULL)
        return TACT_BAD_ARGUMENT;
    scope = tact_work_meter(&progress, 0);
    current = &scope;
    return TACT_OK;
}

tact_work tact_work_end(void)
{
    if (current != &scope)
        return (tact_work){.units = 0};
    const tact_work work = {work_done(&scope), scope.cancelled};
    current = NULL;
    return work;
}
