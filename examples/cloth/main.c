/* * Cloth without interpenetration: runs a scene and checks exactly that no two triangles intersect after any step.
 *
 *     example_cloth [pile|shower|garment] [STEPS] [SCALE]
 *
 * SCALE divides the number of particles in each direction. Without arguments: a few steps of each scene at small size.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes.h"

static int run(const char *name, int steps, int scale, int every)
{
    const tact_world_def single_thread = {.parallel = {.threads = 1}}; /* so that clock() measures the work */
    simulation *sim = scene_create(name, scale, &single_thread);
    if (sim == NULL) {
        fprintf(stderr, "unknown scene %s\n", name);
        return 1;
    }
    printf("%s: %zu triangles\n", name, simulation_triangles(sim));
    tact_step_result all = {.time = 1.0};
    double seconds = 0.0;
    int failed = 0, max_iterations = 0;
    for (int i = 1; i <= steps && failed == 0; i++) {
        tact_step_result r = {.status = simulation_predict(sim)};
        const clock_t begin = clock();
        if (r.status == TACT_OK)
            r = simulation_resolve(sim);
        seconds += (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (r.status == TACT_OK)
            simulation_finish_step(sim, r);
        failed = r.status != TACT_OK || simulation_intersections(sim) != 0;
        all.iterations += r.iterations;
        max_iterations = r.iterations > max_iterations ? r.iterations : max_iterations;
        all.contacts += r.contacts;
        all.fail_safe_vertices += r.fail_safe_vertices;
        all.tests += r.tests;
        all.time = r.time < all.time ? r.time : all.time;
        if (failed || i % every == 0 || i == steps)
            printf("step %d: %s, %d iterations, %zu contacts, %zu fail-safe vertices, fraction %.3f, %zu tests; %.0f "
                   "ms per step\n",
                   i, failed ? (r.status == TACT_OK ? "INTERSECTIONS" : tact_status_text(r.status)) : "ok",
                   r.iterations, r.contacts, r.fail_safe_vertices, r.time, r.tests, 1e3 * seconds / i);
    }
    printf("%d iterations, at most %d per step, %zu contacts, %zu fail-safe vertices, %zu tests, smallest fraction "
           "%.3f: %s\n",
           all.iterations, max_iterations, all.contacts, all.fail_safe_vertices, all.tests, all.time,
           failed ? "INTERSECTIONS" : "no intersections");
    simulation_release(sim);
    return failed;
}

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (argc > 1)
        return run(argv[1], argc > 2 ? atoi(argv[2]) : 500, argc > 3 ? atoi(argv[3]) : 1, 10);
    return run("pile", 30, 5, 30) + run("shower", 30, 5, 30) + run("garment", 30, 5, 30) > 0;
}
