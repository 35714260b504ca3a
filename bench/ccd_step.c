/* Measures a whole CCD step of Tact on one thread and on two. */
#include "ccd_step.h"

#include <math.h>

#include "byte_counter.h"
#include "stopwatch.h"

bool tact_ccd_step_cost(const ccd_scene *scene, int rounds, ccd_step_cost *cost)
{
    byte_counter memory = {0};
    sweep_def def = sweep_def_default();
    def.vertices = scene->start;
    def.vertex_count = scene->vertex_count;
    def.triangles = (const uint32_t(*)[3])scene->triangles;
    def.triangle_count = scene->triangle_count;
    def.allocator = byte_counter_allocator(&memory);
    mesh_sweep *s = NULL;
    double before = tact_stopwatch_now();
    bool done = tact_mesh_sweep_create(&s, &def) == TACT_OK;
    *cost = (ccd_step_cost){
        .build = tact_stopwatch_now() - before, .step = INFINITY, .two_threads = INFINITY, .first = NAN};
    for (int round = 0; done && round < 2 * rounds; round++) {
        const bool threaded = round % 2 == 1; /* odd rounds run on two threads */
        const tact_parallel threads = {.threads = threaded ? 2 : 1};
        sweep_step step = sweep_step_default();
        step.start = scene->start;
        step.end = scene->end;
        step.parallel = &threads;
        before = threaded ? tact_stopwatch_wall() : tact_stopwatch_now();
        done = tact_mesh_sweep_run(s, &step) == TACT_OK;
        if (threaded)
            cost->two_threads = fmin(cost->two_threads, tact_stopwatch_wall() - before);
        else
            cost->step = fmin(cost->step, tact_stopwatch_now() - before);
        if (round == 0)
            cost->bytes = memory.peak; /* the counter is not thread-safe */
    }
    if (done) {
        cost->counts = tact_mesh_sweep_counts(s);
        if (tact_mesh_sweep_count(s) > 0)
            cost->first = tact_mesh_sweep_contact(s, 0)->ccd.lower;
    }
    tact_mesh_sweep_release(s);
    return done;
}
