/*
 * `tact-bench broad`: broad phases on unit cubes that fill 5 % of space. All of them or 1 % move by 5 % of their size
 * per frame. Peers: Bullet's dynamic tree (btDbvtBroadphase) and, with 1 % moving and up to 10,000 bodies, its sweep
 * and prune (bt32BitAxisSweep3); elsewhere that takes too long. Each runs alone over the same frames. The final pairs
 * are compared with those of a simple sweep over all boxes.
 */
#include <math.h>
#include <stdio.h>

#include "broad_scene.h"
#include "suite.h"
#include "table.h"

static const broad_runner *const runners[] = {&tact_broad_tact,
#ifdef TACT_HAVE_BULLET
                                              &tact_broad_bullet_dbvt, &tact_broad_bullet_sap
#endif
};

enum { TACT, DBVT, SAP, RUNNERS = sizeof runners / sizeof runners[0], MAX_RUNNERS = 3 };

typedef struct broad_race_result {
    double ns[MAX_RUNNERS]; /* per frame; NAN: not measured */
    long wrong, pairs;
} broad_race_result;

static bool measure(const suite *s, int count, int moving, int frames, broad_race_result *r)
{
    *r = (broad_race_result){.ns = {NAN, NAN, NAN}};
    for (int i = 0; i < RUNNERS; i++) {
        if (count > runners[i]->max_bodies || (i == SAP && moving == count))
            continue;
        long wrong = 0;
        r->ns[i] = tact_broad_run(runners[i], count, moving, frames, s->seed, &wrong, &r->pairs);
        if (r->ns[i] < 0.0)
            return false;
        r->wrong += wrong;
        *s->wrong += i == TACT ? wrong : 0;
    }
    return true;
}

bool tact_bench_broad(const suite *s)
{
    static const int counts[] = {1000, 10000, 100000};
    static const double goals[] = {3.0, 4.0, 4.0};
    enum { SIZES = sizeof counts / sizeof counts[0] };
    int sizes = suite_size(s, SIZES, 2, 1);
    json_t *all = tact_table_begin("Broad phase, all bodies moving (ns per body and frame)",
                                   "bodies|Tact|Bullet Dbvt|ratio|goal|met|Box3D, other run|pairs|wrong pairs");
    json_t *few = tact_table_begin("Broad phase, 1 % of the bodies moving (us per frame)",
                                   "bodies|Tact|Bullet Dbvt|ratio|Bullet SAP|ratio|goal|met|Box3D, other run|pairs|"
                                   "wrong pairs");
    static const double box3d_all[] = {177.0, 261.0, 919.0}, box3d_few[] = {3.8, 51.0, 2036.0};
    bool done = true;
    for (int k = 0; done && k < sizes; k++) {
        int n = counts[k];
        broad_race_result r;
        done = measure(s, n, n, suite_size(s, 2000000, 40000, 0) / n + 40, &r);
        double ratio = r.ns[DBVT] / r.ns[TACT];
        if (done)
            tact_table_row(all, "dffffsfdd", (long)n, r.ns[TACT] / n, r.ns[DBVT] / n, ratio, goals[k],
                           tact_table_met(ratio, goals[k]), box3d_all[k], r.pairs, r.wrong);
        done = done && measure(s, n, n / 100, suite_size(s, 5000000, 200000, 0) / n + 100, &r);
        double least = fmin(r.ns[DBVT], r.ns[SAP]) / r.ns[TACT]; /* fmin ignores NAN */
        if (done)
            tact_table_row(few, "dffffffsfdd", (long)n, r.ns[TACT] / 1e3, r.ns[DBVT] / 1e3, r.ns[DBVT] / r.ns[TACT],
                           r.ns[SAP] / 1e3, r.ns[SAP] / r.ns[TACT], 1.0, tact_table_met(least, 1.0), box3d_few[k],
                           r.pairs, r.wrong);
    }
    tact_table_note(all, "Unit cubes, 5 %% of space, moving 5 %% of their size per frame; mean over all frames. Wrong "
                         "pairs: missing or extra at the end, of all libraries together. Bullet stores pairs of fat "
                         "AABBs; pairs whose tight AABBs are separated are not counted as wrong. Bullet's sweep and "
                         "prune is omitted with all bodies moving: it takes too long.");
    tact_table_note(few, "Box3D: measured on a 2.8 GHz Xeon, not in this run. Bullet SAP: bt32BitAxisSweep3; omitted "
                         "with 100,000 bodies, where inserting them takes too long.");
    if (RUNNERS < 2)
        tact_table_note(few, "Bullet was not found when tact-bench was built.");
    tact_table_plot(all, "ns per body and frame", 0, 1u << 1 | 1u << 2 | 1u << 6, -1);
    tact_table_plot(few, "us per frame", 0, 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8, -1);
    bool ended = tact_table_end(s, "broad_all", all);
    return tact_table_end(s, "broad_few", few) && ended && done;
}
