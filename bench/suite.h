/* What the benchmarks share: how they were asked for, and where their figures go. */
#ifndef TACT_BENCH_SUITE_H
#define TACT_BENCH_SUITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct suite {
    bool quick;         /* a fast pass: the same tables from a tenth of the work or less */
    bool tiny;          /* quick, and hardly any work at all: to see that everything runs */
    bool large;         /* the largest sizes of what is asked for by name: minutes, and gigabytes */
    bool silent;        /* no tables on stdout */
    uint64_t seed;      /* of all that is random */
    const char *scenes; /* a folder of scenes for continuous collision, or NULL */
    json_t *report;     /* an object that collects the figures, or NULL */
    long *wrong;        /* counts the wrong answers of ours, where there is a judge, and of judges who are judged */
} suite;

/* As much as was asked for. */
static inline int suite_size(const suite *s, int full, int quick, int tiny)
{
    return s->tiny ? tiny : s->quick ? quick : full;
}

/* Each prints its tables, and adds its members to the report. They return false when memory runs out. */
bool tact_bench_icollide(const suite *s);    /* Figures 4.8 to 4.10 of the thesis */
bool tact_bench_race(const suite *s);        /* the race of convex pairs */
bool tact_bench_bergen_1999(const suite *s); /* chapters 3 and 5 of the thesis: boxes, trees, refit, polygons */
bool tact_bench_hutter_fuhrmann_2007(const suite *s); /* continuous collision of cloth: which bounds cull how much */
bool tact_bench_coming_staadt_2006(const suite *s);   /* rings that fly and bounce: all pairs, swept boxes, kinetic */
bool tact_bench_spheres(const suite *s);              /* hard spheres: collisions a second */
bool tact_bench_queues(const suite *s);               /* event queues on streams of our own */
bool tact_bench_frames(const suite *s);               /* small fast bodies against engines that test frame by frame */
bool tact_bench_broad(const suite *s);                /* the race of broad phases */
bool tact_bench_mesh(const suite *s);                 /* the race of meshes: tests, builds, refits */
bool tact_bench_world(const suite *s);                /* I-COLLIDE's simulation through a world */
bool tact_bench_ccd(const suite *s);                  /* the race of continuous collision */
bool tact_bench_growth_hulls(const suite *s);         /* how the cost of hulls grows with their size */
bool tact_bench_growth_bodies(const suite *s);        /* how that of the broad phase grows with the bodies */
bool tact_bench_growth_triangles(const suite *s);     /* how that of trees grows with the triangles */
bool tact_bench_growth_ccd(const suite *s);           /* how that of a step of continuous collision does */

#endif
