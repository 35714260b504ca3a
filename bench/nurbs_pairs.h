/* Pairs of NURBS surfaces for races with other libraries, which run in processes of their own and read the same bytes
 * from a file. */
#ifndef TACT_BENCH_NURBS_PAIRS_H
#define TACT_BENCH_NURBS_PAIRS_H

#include <stdio.h>
#include <tact/nurbs.h>

enum { NURBS_PAIR_POINTS = 1024, NURBS_PAIR_KNOTS = 64 };

/* A surface with its own arrays. */
typedef struct pair_surface {
    int degree[2];
    size_t counts[2];
    double knots[2][NURBS_PAIR_KNOTS];
    tact_vec3 points[NURBS_PAIR_POINTS];
    double weights[NURBS_PAIR_POINTS];
    bool rational;
} pair_surface;

typedef struct surface_pair {
    const char *name;
    pair_surface side[2];
} surface_pair;

/* A def that refers to a surface. */
tact_nurbs_def pair_surface_def(const pair_surface *s);

/* Moves all control points. */
void pair_surface_transform(pair_surface *s, const tact_transform *at);

/* Number of pairs that cross in curves. */
int crossing_pair_count(void);
void crossing_pair_make(int number, surface_pair *out);

/* Number of kinds of pairs that are apart. Placement `variant` of a kind is random. */
int separate_pair_count(void);
void separate_pair_make(int number, int variant, uint64_t seed, surface_pair *out);

/* Writes a pair as text: its name, then for each side a line of degrees, counts and 1 if it is rational, the knots of
 * both directions, and x y z w of each control point. Numbers are hexadecimal. */
void surface_pair_write(const surface_pair *p, FILE *to);

#endif
