/*
 * When two moving bodies begin to overlap, by brute force. A body is a union of convex parts (an open mesh its
 * triangles, a solid mesh convex parts that fill it), so that neither the code for meshes, soups and compounds nor the
 * time of impact of the library enters.
 *
 * The signed distance of two unions, minus the depth of the deepest pair of parts where they overlap, changes no faster
 * than their points move past each other. So each value gives a duration without a change of sign. Where that duration
 * is shorter than the band's, the band's is taken; what comes closer than the band to a change of sign, without one or
 * between two, is marked as near and not decided. A change of sign is then found by bisection.
 */
#ifndef TACT_ORACLE_ADVANCE_H
#define TACT_ORACLE_ADVANCE_H

#include <stdbool.h>
#include <tact/mesh.h>
#include <tact/motion.h>
#include <tact/shape.h>

#include "dice.h"

enum { FIGURE_PARTS = 64, FIGURE_KINDS = 19, FIGURE_TOUCHES = 64 };

extern const char *const figure_names[FIGURE_KINDS];

typedef struct figure {
    tact_shape *shape; /* the library's */
    int kind;
    int count; /* of parts */
    tact_shape *parts[FIGURE_PARTS];
    tact_transform places[FIGURE_PARTS];
} figure;

/* One of a kind, of a size of about 1. `margin`: of it and of all parts. */
void figure_make(figure *t, int kind, double margin, dice *d);
void figure_free(figure *t);

/* A figure in motion: its transform at time 0 and its motion from then on. */
typedef struct moving_figure {
    const figure *figure;
    tact_transform place;
    tact_motion motion;
} moving_figure;

typedef struct touches {
    int count;
    double times[FIGURE_TOUCHES];
    double slack[FIGURE_TOUCHES]; /* of each: a time, by how much it may be off for the tolerance of a touch and
                                     rounding */
    bool in;                      /* at the end they are in each other */
    bool near;                    /* the rest means nothing */
} touches;

/* Half the largest extent of the smaller one that has one. */
double moving_figures_size(const moving_figure *a, const moving_figure *b);

/* The signed distance at a time; how deep is a lower bound. */
double moving_figures_distance(const moving_figure *a, const moving_figure *b, double time);

/* When they begin to overlap in [0, end]. `in`: they do at 0, and that has been counted. */
void moving_figures_touch(const moving_figure *a, const moving_figure *b, double end, bool in, touches *out);

#endif
