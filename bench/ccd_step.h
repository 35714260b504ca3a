/* Measures a whole CCD step of Tact. */
#ifndef TACT_BENCH_CCD_STEP_H
#define TACT_BENCH_CCD_STEP_H

#include "ccd_scene.h"
#include "sweep/sweep.h"

/* The fastest of several rounds. */
typedef struct ccd_step_cost {
    double build, step, two_threads; /* ns; two_threads in wall time */
    double first;                    /* earliest time of contact; NAN: none */
    size_t bytes;                    /* peak of allocated memory, without the scene */
    sweep_counts counts;
} ccd_step_cost;

/* Returns false if memory runs out. */
bool tact_ccd_step_cost(const ccd_scene *scene, int rounds, ccd_step_cost *cost);

#endif
