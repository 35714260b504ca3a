/*
 * Random contacts of four vertices on linear paths, most of them degenerate, for the tests of ccd/path_ccd.h. A type, a
 * clock, a kind and a number always give the same case. The geometry is that of oracle/ccd_cases.h: lines from a start
 * at the time 0 to an end at the time 1. The clock says how these lines are written as paths.
 */
#ifndef TACT_ORACLE_PATH_CASES_H
#define TACT_ORACLE_PATH_CASES_H

#include <stdint.h>
#include <stdio.h>

#include "motion/linear_path.h"
#include "oracle/ccd_cases.h"

typedef enum path_clock {
    PATH_UNIT,      /* interpolated from 0 to 1; the window is [0, 1] or a part of it */
    PATH_VELOCITY,  /* velocities from the time 0; the window is up to [-4, 4] */
    PATH_LONG,      /* interpolated from -a to b, powers of two or 0, for each vertex others; the window as before */
    PATH_MIXED,     /* each vertex in one of these ways, and shifted in time by up to 1,000 */
    PATH_UNEVEN,    /* times that are not dyadic, other lengths for each vertex: the quotients have no exact double */
    PATH_FAR,       /* times far from 0: the gap between doubles is a good part of the window */
    PATH_END_AT_KEY /* the window begins or ends with a key of the vertices, and may be an instant */
} path_clock;

enum { PATH_CLOCKS = PATH_END_AT_KEY + 1 };

extern const char *const path_clock_names[PATH_CLOCKS];

typedef struct path_case {
    tact_ccd_kind kind;
    linear_path path[4];
    linear_path to[4]; /* for a jump at `enter`: some vertices are shifted or on other paths */
    double enter, exit;
} path_case;

path_case path_case_make(ccd_case_type type, path_clock clock, tact_ccd_kind kind, uint64_t number);

/* Four points in one plane at all times, with several intervals of contact: up to four or five. */
path_case path_case_several(tact_ccd_kind kind, uint64_t number);

/* C code that repeats the call: a line for the paths, one for the call. */
void path_case_print(FILE *file, const path_case *query, bool jump);

#endif
