/*
 * All contacts of a vertex and a face, or of two edges, whose vertices follow linear paths (motion/linear_path.h), for
 * the tests of ccd/path_ccd.h. Rational and real algebraic numbers (GMP); any finite doubles, any degeneracy. Only the
 * type linear_path comes from the library.
 */
#ifndef TACT_ORACLE_PATH_CONTACTS_H
#define TACT_ORACLE_PATH_CONTACTS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <tact/ccd.h>

#include "motion/linear_path.h"

enum { PATH_CONTACTS_MAX = 40 }; /* one for each root of the conditions, and the two ends of the window */

/* A maximal interval of contact. Times are rounded down to doubles, and up to the next double. Both are equal if the
 * time is a double. */
typedef struct path_interval {
    double lower, upper;         /* of the beginning */
    double end_lower, end_upper; /* of the end */
    bool instant;                /* it begins and ends at the same time */
} path_interval;

typedef struct path_contacts {
    int count;
    path_interval interval[PATH_CONTACTS_MAX];
    bool at_enter, at_exit; /* there is contact at the start or end of the window */
    bool always_coplanar;   /* the four points are in one plane at all times */
} path_contacts;

/* The contacts in the closed window [enter, exit], enter <= exit. */
void path_contacts_find(path_contacts *found, tact_ccd_kind kind, const linear_path path[4], double enter, double exit);

/* The contacts while the points move from from[k] at `time` straight to to[k] at `time`. All times of `found` are
 * `time`. */
void path_contacts_jump(path_contacts *found, tact_ccd_kind kind, const linear_path from[4], const linear_path to[4],
                        double time);

/* The exact position of a point at a time. */
void path_position(mpq_t position[3], const linear_path *path, const mpq_t time);

/* Writes C initialisers of the paths, on one line. */
void path_print(FILE *file, const linear_path *path, int count);

#endif
