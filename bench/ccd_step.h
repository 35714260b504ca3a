/* What a whole step of continuous collision costs us. */
#ifndef TACT_BENCH_CCD_STEP_H
#define TACT_BENCH_CCD_STEP_H

#include "ccd_scene.h"
#include "sweep/sweep.h"

/* The best of some rounds. */
typedef struct ccd_step_cost {
    double build, step, two_threads; /* ns; the last on two threads, by the clock on the wall */
    double first;                    /* contact; NAN: none */
    size_t bytes;                    /* that are out at most: all but the scene */
    sweep_counts counts;
} ccd_step_cost;

/* False when memory runs out. */
bool tact_ccd_step_cost(const ccd_scene *scene, int rounds, ccd_step_cost *cost);

#endif
