/* The parallel loop: the host's, OpenMP, or none. See parallel.h. */
#include "core/parallel.h"

#ifdef _OPENMP
#include <omp.h>

/* OpenMP ends the program when the system refuses it a thread: a slip such as threads = 1000000 must not get that far.
 */
#define MOST_THREADS 1024
#endif

int tact_parallel_threads(const tact_parallel *parallel)
{
    if (parallel != NULL && parallel->loop != NULL)
        return 0;
#ifdef _OPENMP
    if (omp_in_parallel())
        return 1;
    int threads = parallel != NULL && parallel->threads > 0 ? parallel->threads : omp_get_max_threads();
    return threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
#else
    return 1;
#endif
}

#ifdef _OPENMP
/* Items 0 to count - 1 in `pieces` ranges, the first ones longer by one where they do not come out even. OpenMP may
 * give us fewer threads than we ask for: then some threads do more than one piece. */
static void run_pieces(size_t count, int pieces, tact_task *task, void *task_data)
{
    size_t length = count / (size_t)pieces, longer = count % (size_t)pieces;
#pragma omp parallel for schedule(static) num_threads(pieces)
    for (int i = 0; i < pieces; ++i) {
        size_t piece = (size_t)i;
        size_t begin = piece * length + (piece < longer ? piece : longer);
        size_t end = begin + length + (piece < longer ? 1 : 0);
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
    size_t worth = count / grain; /* more pieces than this would be shorter than the grain */
    if (threads > 1 && worth > 1) {
        run_pieces(count, worth < (size_t)threads ? (int)worth : threads, task, task_data);
        return;
    }
#endif
    task(task_data, 0, count);
}
