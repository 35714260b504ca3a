/* The parallel-for: the caller's loop, OpenMP, or the calling thread. See parallel.h. */
#include "core/parallel.h"

#include "core/core_constants.h"

#ifdef _OPENMP
#include <omp.h>

#endif

int tact_parallel_threads(const tact_parallel *parallel)
{
    if (parallel != NULL && parallel->loop != NULL)
        return 0;
#ifdef _OPENMP
    if (omp_in_parallel())
        return 1;
    int threads = parallel != NULL && parallel->threads > 0 ? parallel->threads : omp_get_max_threads();
    return threads < 1 ? 1 : threads > PARALLEL_MAX_THREADS ? PARALLEL_MAX_THREADS : threads;
#else
    return 1;
#endif
}

#ifdef _OPENMP
/* Splits items 0 to count - 1 into `chunks` ranges; the first count % chunks of them are longer by one. OpenMP may
 * provide fewer threads than requested: then some threads run more than one chunk. */
static void run_chunks(size_t count, int chunks, tact_task *task, void *task_data)
{
    size_t length = count / (size_t)chunks, longer = count % (size_t)chunks;
#pragma omp parallel for schedule(static) num_threads(chunks)
    for (int i = 0; i < chunks; ++i) {
        size_t chunk = (size_t)i;
        size_t begin = chunk * length + (chunk < longer ? chunk : longer);
        size_t end = begin + length + (chunk < longer ? 1 : 0);
        task(task_data, begin, end);
    }
}
#endif

void tact_parallel_for(const tact_parallel *parallel, size_t count, size_t grain, tact_task *task, void *task_data)
{
    if (count == 0)
        return;
    if (grain == 0)
        grain = 1;
    if (parallel != NULL && parallel->loop != NULL) {
        parallel->loop(parallel->context, count, grain, task, task_data);
        return;
    }
#ifdef _OPENMP
    int threads = tact_parallel_threads(parallel);
    size_t max_chunks = count / grain; /* more chunks would be shorter than the grain */
    if (threads > 1 && max_chunks > 1) {
        run_chunks(count, max_chunks < (size_t)threads ? (int)max_chunks : threads, task, task_data);
        return;
    }
#endif
    task(task_data, 0, count);
}
