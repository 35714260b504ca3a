/*
 * Cloth that never goes through anything: runs a scene and checks, exactly, that no two triangles meet after any step.
 *
 *     example_cloth [pile|shower|garment] [STEPS] [SCALE]
 *
 * SCALE divides the number of particles in each direction. Without arguments: a few steps of each scene, small.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes.h"

static int run(const char *name, int steps, int scale, int every)
{
    const tact_world_def alone = {.parallel = {.threads = 1}}; /* so that the processor time is that of the work */
    simulation *sim = scene_create(name, scale, &alone);
    if (sim == NULL) {
        fprintf(stderr, "no scene %s\n", name);
        return 1;
    }
    printf("%s: %zu triangles\n", name, simulation_triangles(sim));
    tact_step_result all = {.time = 1.0};
    double seconds = 0.0;
    int wrong = 0, most = 0;
    for (int i = 1; i <= steps && wrong == 0; i++) {
        tact_step_result r = {.status = simulation_aim(sim)};
        const clock_t begin = clock();
        if (r.status == TACT_OK)
            r = simulation_resolve(sim);
        seconds += (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (r.status == TACT_OK)
            simulation_settle(sim, r);
        wrong = r.status != TACT_OK || simulation_intersections(sim) != 0;
        all.iterations += r.iterations;
        most = r.iterations > most ? r.iterations : most;
        all.contacts += r.contacts;
        all.fail_safe_vertices += r.fail_safe_vertices;
        all.tests += r.tests;
        all.time = r.time < all.time ? r.time : all.time;
        if (wrong || i % every == 0 || i == steps)
            printf("step %d: %s, %d rounds, %zu meetings, %zu stopped, %.3f of it taken, %zu tests; in all %.0f ms a "
                   "step\n",
                   i, wrong ? (r.status == TACT_OK ? "INTERSECTIONS" : tact_status_text(r.status)) : "free",
                   r.iterations, r.contacts, r.fail_safe_vertices, r.time, r.tests, 1e3 * seconds / i);
    }
    printf("%d rounds, at most %d a step, %zu meetings, %zu stopped, %zu tests; at least %.3f of each step taken: %s\n",
           all.iterations, most, all.contacts, all.fail_safe_vertices, all.tests, all.time,
           wrong ? "INTERSECTIONS" : "no intersections");
    simulation_release(sim);
    return wrong;
}

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (argc > 1)
        return run(argv[1], argc > 2 ? atoi(argv[2]) : 500, argc > 3 ? atoi(argv[3]) : 1, 10);
    return run("pile", 30, 5, 30) + run("shower", 30, 5, 30) + run("garment", 30, 5, 30) > 0;
}
