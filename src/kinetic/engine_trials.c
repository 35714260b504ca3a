/* Trials of engines: see the header. */
#include "kinetic/engine_trials.h"

#include "kinetic/kinetic_constants.h"

/* Nanoseconds on a busy 2 to 3 GHz core of 2020; only the ratios matter. Fitted to the kicking figure of 25,472
 * triangles with 1, 4, 16 and 64 intervals per key interval. Milliseconds per interval: windows 9.4, 8.4, 9.1 and 8.2,
 * the list 222, 134, 19.6 and 8.3, of which some 1 ms is reading. */
static const double sweep_item = 290.0;   /* refit and traversal, per triangle */
static const double list_item = 155.0;    /* exact tests around vertices */
static const double list_build = 10000.0; /* building a list, per triangle */
static const double candidate = 200.0;    /* a pair of features in the solver of blocks */
static const double certificate = 250.0;
static const double piece = 10.0;

static double tests_work(const sweep_counts *c) { return candidate * (double)c->candidates; }

double tact_engine_work_of_sweep(uint32_t item_count, const sweep_counts *c)
{
    return sweep_item * item_count + tests_work(c);
}

double tact_engine_work_of_list(uint32_t item_count, const sweep_counts *c, const separation_work *work)
{
    return list_item * item_count + tests_work(c) + certificate * (double)work->certificates +
           piece * (double)work->pieces;
}

void tact_engine_trials_start(engine_trials *t, tact_deforming_engine setting, uint32_t item_count)
{
    *t = (engine_trials){.setting = setting,
                         .engine = setting == TACT_DEFORMING_LIST ? TACT_DEFORMING_LIST : TACT_DEFORMING_WINDOWS,
                         .build_price = list_build * item_count,
                         .price = list_build * item_count,
                         .patience = TRIAL_PATIENCE};
}

void tact_engine_trials_begin(engine_trials *t, bool *windows, bool *list)
{
    if (t->setting == TACT_DEFORMING_AUTO && t->left == 0 && t->total >= t->patience * t->price) {
        t->left = TRIAL_WINDOWS + 1;
        t->compared[0] = t->compared[1] = 0.0;
    }
    *windows = t->left > 0 || t->engine == TACT_DEFORMING_WINDOWS;
    *list = t->left > 0 || t->engine == TACT_DEFORMING_LIST;
}

/* The end of a trial. */
static void decide(engine_trials *t)
{
    const int working = t->engine == TACT_DEFORMING_LIST ? 1 : 0;
    if (t->compared[1 - working] < TRIAL_GAIN * t->compared[working]) {
        t->engine = working == 1 ? TACT_DEFORMING_WINDOWS : TACT_DEFORMING_LIST;
        t->patience = TRIAL_PATIENCE;
    } else if (t->patience < TRIAL_MAX_PATIENCE) {
        t->patience *= 2.0;
    }
    t->price = t->engine == TACT_DEFORMING_WINDOWS ? t->build_price + t->compared[1] : t->compared[0];
    t->total = 0.0;
}

void tact_engine_trials_end(engine_trials *t, double windows, double list)
{
    const double work[2] = {windows, list};
    const int working = t->engine == TACT_DEFORMING_LIST ? 1 : 0;
    if (t->left == 0) {
        t->total += work[working] > 0.0 ? work[working] : work[1 - working];
        return;
    }
    if (windows < 0.0 || list < 0.0) { /* one cannot: no trial for a long time */
        t->left = 0;
        t->total = 0.0;
        t->patience = TRIAL_MAX_PATIENCE;
        return;
    }
    if (t->left <= TRIAL_WINDOWS) { /* a list may have been built before the first one */
        t->compared[0] += windows;
        t->compared[1] += list;
    }
    if (--t->left == 0)
        decide(t);
}
