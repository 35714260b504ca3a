/*
 * The state of a search for intersection curves of two NURBS shapes: nurbs_intersect.c finds the curves, nurbs_curves.c
 * cuts them at trimming loops and writes them.
 */
#ifndef TACT_COMPLEX_NURBS_INTERSECT_H
#define TACT_COMPLEX_NURBS_INTERSECT_H

#include "complex/nurbs_crossing.h"
#include "complex/nurbs_march.h"
#include "complex/nurbs_query.h"

typedef struct node_pair {
    uint32_t node[2];
} node_pair;

ARRAY_OF(node_pair_array, node_pair);
ARRAY_OF(curve_flag_array, bool);

/* A segment of a curve that is longer than a point, and the range of its coordinates. Those of one pair of patches
 * are a list. */
typedef struct curve_segment {
    uint32_t curve, index; /* the segment after point `index` of the march */
    uint32_t next;         /* 1 + the next in the list; 0: none */
    double low[4], high[4];
} curve_segment;

ARRAY_OF(curve_segment_array, curve_segment);

typedef struct intersector {
    nurbs_search search;
    nurbs_march march;
    node_pair_array pairs;      /* a queue */
    node_pair_array small;      /* smaller than the resolution */
    node_bound_array bounds[2]; /* per node of each side */
    curve_flag_array again;     /* per curve of the march: another one is the same, in other patches along a side */
    double resolution;          /* scaled */
    curve_segment_array segments;
    uint32_t lists[NURBS_INTERSECT_LISTS]; /* 1 + the first segment of each pair of patches with this hash; 0: none */
    size_t max_work, unresolved;
    tact_status status;
} intersector;

/* The curves that remain after trimming, as lists of points. */
typedef struct kept_curves {
    march_point_array points;
    march_curve_array curves;
    bool open; /* the last curve is not complete */
} kept_curves;

/* Copies the curves, without what is trimmed away. False: out of memory. */
bool tact_nurbs_keep_curves(intersector *s, kept_curves *k);

/* Writes curves and nodes, and their counts in `r`. */
void tact_nurbs_write_curves(const intersector *s, const kept_curves *k, tact_nurbs_intersect_result *r,
                             tact_nurbs_intersection *curves, size_t curve_capacity, tact_nurbs_node *nodes,
                             size_t node_capacity);

#endif
