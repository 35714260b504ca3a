/*
 * `tact-bench steps`: cost of a CCD step against the number of triangles. The scene is subdivided repeatedly, every
 * triangle into four. The number of contacts grows with it, so times are given per triangle and per contact.
 */
#include <stdio.h>

#include "ccd_step.h"
#include "suite.h"
#include "table.h"

enum { MAX_TRIANGLES = 2000000 }; /* triangles */

static bool grow(const suite *s, json_t *table, ccd_scene scene)
{
    const long largest = suite_size(s, MAX_TRIANGLES, 100000, 1000);
    for (bool first = true;; first = false) {
        ccd_step_cost cost;
        bool done = tact_ccd_step_cost(&scene, suite_size(s, 2, 1, 1), &cost);
        const double n = (double)scene.triangle_count, contacts = (double)cost.counts.contacts;
        if (done)
            tact_table_row(table, "sdddffffff", scene.name, (long)scene.triangle_count, (long)cost.counts.candidates,
                           (long)cost.counts.contacts, cost.build / n, cost.step / n, cost.step / contacts,
                           cost.two_threads / n, (double)cost.bytes / n, cost.step / 1e6);
        ccd_scene finer = {.vertex_count = 0};
        const bool more = done && 4 * (long)scene.triangle_count <= largest && (s->large || first);
        done = done && (!more || tact_ccd_scene_subdivide(&scene, &finer));
        tact_ccd_scene_release(&scene);
        if (!more || !done)
            return done;
        scene = finer;
    }
}

bool tact_bench_growth_ccd(const suite *s)
{
    json_t *table = tact_table_begin("Growth: a CCD step, by number of triangles",
                                     "scene|triangles|candidates|contacts|build ns each|step ns each|step ns per "
                                     "contact|2 threads ns each|bytes each|step ms");
    ccd_scene scene;
    /* 4,900 to 1,250,000 triangles when selected by name, else 19,600 and 78,400 */
    bool done =
        table && tact_ccd_scene_sheets(&scene, 2, s->large && !s->quick ? 36 : suite_size(s, 71, 36, 8), s->seed);
    done = done && grow(s, table, scene);
    char *names[CCD_MAX_SCENES];
    const int count = done && s->scenes ? tact_ccd_scene_list(s->scenes, names) : 0;
    for (int i = 0; i < count; i++) {
        char error[512];
        if (done && tact_ccd_scene_read(&scene, names[i], error, sizeof error))
            done = grow(s, table, scene);
        else if (done)
            (void)fprintf(stderr, "tact-bench: %s\n", error);
    }
    tact_ccd_scene_unlist(names, count);
    if (!done) {
        json_decref(table);
        return false;
    }
    tact_table_plot(table, "ns per triangle; bytes per triangle", 1, 1u << 4 | 1u << 5 | 1u << 7 | 1u << 8, 0);
    return tact_table_end(s, "growth_ccd", table);
}
