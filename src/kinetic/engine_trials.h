/*
 * Which of two engines finds the contacts of deforming bodies at less cost (TACT_DEFORMING_AUTO): by trials.
 *
 * The rule. Each engine counts its operations, and each operation has a unit cost (engine_trials.c). The engine at work
 * adds up its work. When this exceeds TRIAL_PATIENCE times what a trial costs, both engines search the same
 * TRIAL_WINDOWS windows, after one in which the list is built. Then the other engine takes over if its work was less
 * than TRIAL_GAIN of that of the engine at work. After a trial without a change the patience is doubled, after a change
 * it is the first one again. The price of a trial is what the other engine did in the last one, and building the list
 * where it has to.
 *
 * So trials cost at most an eighth of the work, and no clock is read: the choice is a function of the calls. The
 * contacts do not depend on it.
 */
#ifndef TACT_KINETIC_ENGINE_TRIALS_H
#define TACT_KINETIC_ENGINE_TRIALS_H

#include <tact/animation.h>

#include "kinetic/separation_list.h"
#include "sweep/sweep.h"

typedef struct engine_trials {
    tact_deforming_engine setting; /* as chosen by the caller */
    tact_deforming_engine engine;  /* at work: TACT_DEFORMING_WINDOWS or TACT_DEFORMING_LIST */
    uint32_t left;                 /* windows of the trial that follow; 0: no trial */
    double compared[2];            /* work in the trial: of windows, of the list */
    double build_price;            /* of a list */
    double price;                  /* of a trial */
    double total;                  /* work of the engine at work since the last trial */
    double patience;
} engine_trials;

/* `item_count`: triangles. */
void tact_engine_trials_start(engine_trials *t, tact_deforming_engine setting, uint32_t item_count);

/* Before a window: which engines are to search it. At least one. */
void tact_engine_trials_begin(engine_trials *t, bool *windows, bool *list);

/* After it: the work of each; negative: it did not search the window. */
void tact_engine_trials_end(engine_trials *t, double windows, double list);

/* Work in one unit, some nanoseconds: of a sweep; of a list and the exact tests of its pairs. */
double tact_engine_work_of_sweep(uint32_t item_count, const sweep_counts *counts);
double tact_engine_work_of_list(uint32_t item_count, const sweep_counts *counts, const separation_work *work);

#endif
