/* Trials of engines: see the header. */
#include "kinetic/engine_trials.h"

#include "kinetic/kinetic_constants.h"

/* Nanoseconds on a busy 2.4 GHz core; only the ratios matter. Fitted to a tablecloth (2,930 and 16,680 triangles), a
 * swirling cloth (4,050 and 16,200) and the kicking figure (35,000), with 1, 5, 20 and 100 intervals per key interval.
 * The measured work of the list is 0.7 to 43 times that of windows. The costs are near a least-squares fit, and differ
 * by up to a factor of two from single measurements: a certificate takes 50 ns in a pass over all of them and 280 ns
 * alone, out of the cache. The piece has no cost of its own beside its certificate. */
static const double sweep_item = 165.0;  /* refit and traversal, per triangle */
static const double list_item = 70.0;    /* exact tests around vertices */
static const double list_build = 7000.0; /* building a list, per triangle: 4,000 to 9,000 */
static const double candidate = 300.0;   /* a pair of features, with all that is culled before it */
static const double certificate = 150.0;

static double tests_work(const sweep_counts *c) { return candidate * (double)c->candidates; }

double tact_engine_work_of_sweep(uint32_t item_count, const sweep_counts *c)
{
    return sweep_item * item_count + tests_work(c);
}

double tact_engine_work_of_list(uint32_t item_count, const sweep_counts *c, const separation_work *work)
{
    return list_item * item_count + tests_work(c) + certificate * (double)work->certificates;
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
