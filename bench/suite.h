/* The benchmarks, their options, and where their figures go. */
#ifndef TACT_BENCH_SUITE_H
#define TACT_BENCH_SUITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct suite {
    bool quick;         /* the same tables from a tenth of the work or less */
    bool tiny;          /* quick, with the smallest sizes: a smoke test */
    bool large;         /* the largest sizes of benchmarks selected by name: minutes, and gigabytes */
    bool silent;        /* no tables on stdout */
    uint64_t seed;      /* of all random input */
    const char *scenes; /* a folder of CCD scenes, or NULL */
    json_t *report;     /* JSON object that collects the figures, or NULL */
    long *wrong;        /* counts wrong answers of Tact and disputed answers of oracles */
} suite;

/* The size that the options select. */
static inline int suite_size(const suite *s, int full, int quick, int tiny)
{
    return s->tiny ? tiny : s->quick ? quick : full;
}

/* Each prints its tables and adds its members to the report. Returns false if memory runs out. */
bool tact_bench_icollide(const suite *s);             /* van den Bergen 1999, figures 4.8 to 4.10 */
bool tact_bench_race(const suite *s);                 /* convex pairs: distance and overlap */
bool tact_bench_bergen_1999(const suite *s);          /* van den Bergen 1999, chapters 3 and 5 */
bool tact_bench_hutter_fuhrmann_2007(const suite *s); /* CCD of cloth: culling of bounding volumes */
bool tact_bench_weller_zachmann_2006(const suite *s); /* key-framed meshes: windows, list, swept boxes */
bool tact_bench_lau_2002(const suite *s);             /* NURBS surfaces: updates, self-collision */
bool tact_bench_nurbs(const suite *s);                /* NURBS surfaces: intersection curves, distances */
bool tact_bench_coming_staadt_2006(const suite *s);   /* bouncing rings: all pairs, swept boxes, kinetic */
bool tact_bench_spheres(const suite *s);              /* hard spheres: collisions per second */
bool tact_bench_queues(const suite *s);               /* event queues on recorded operations */
bool tact_bench_frames(const suite *s);               /* small fast bodies: continuous and discrete detection */
bool tact_bench_contact(const suite *s);              /* stacks, structures and piles in persistent contact */
bool tact_bench_broad(const suite *s);                /* broad phases */
bool tact_bench_mesh(const suite *s);                 /* meshes: overlap, build, refit */
bool tact_bench_world(const suite *s);                /* the I-COLLIDE simulation in a world */
bool tact_bench_ccd(const suite *s);                  /* CCD: single queries and whole steps */
bool tact_bench_growth_hulls(const suite *s);         /* hull queries, by number of vertices */
bool tact_bench_growth_bodies(const suite *s);        /* broad phase, by number of bodies */
bool tact_bench_growth_triangles(const suite *s);     /* mesh trees, by number of triangles */
bool tact_bench_growth_ccd(const suite *s);           /* CCD steps, by number of triangles */
bool tact_bench_growth_keyframes(const suite *s);     /* key-framed cloth, by number of triangles */
bool tact_bench_plans(const suite *s);                /* vertex plans that are replaced all the time */

#endif
