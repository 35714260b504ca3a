/*
 * The exact first contact of a moving vertex and face, or of two moving edges, for the tests of tact/ccd.h: rational
 * numbers and real algebraic ones (GMP), any finite doubles, any degeneracy. Nothing is shared with the library.
 */
#ifndef TACT_ORACLE_CCD_H
#define TACT_ORACLE_CCD_H

#include <gmp.h>
#include <stdbool.h>
#include <tact/ccd.h>

#include "oracle/algebraic.h"

/* Where the four points are: each coordinate is a line over time, times a power of two of its axis. */
typedef struct ccd_motion {
    polynomial at[4][3];
    long power[3]; /* a coordinate is at[k][c] 2^power[c] */
} ccd_motion;

typedef struct ccd_truth {
    bool hit;
    bool degenerate;      /* at the first contact the face has no area, or the edges are parallel */
    bool always_coplanar; /* the four points are in one plane at all times */
    algebraic time;       /* of the first contact */
    ccd_motion motion;
    polynomial normal[3]; /* across face or edges, in the scaled axes */
    polynomial volume;    /* normal . (from B to A); zero where the points are in one plane */
} ccd_truth;

/* `end` holds velocities if `velocities`; 0 <= enter <= exit. Answers are stored in `truth`, which is initialised once
 * and may be used again and again until it is cleared. */
void ccd_truth_init(ccd_truth *truth);
void ccd_truth_clear(ccd_truth *truth);
void ccd_truth_find(ccd_truth *truth, tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                    bool velocities, double enter, double exit);

/* The sign of (time of first contact - t). */
int ccd_truth_compare(ccd_truth *truth, double t);

/* Do they touch at this very time? */
bool ccd_truth_touch(tact_ccd_kind kind, const ccd_motion *motion, const mpq_t t);

/* Which way A moves against B along `normal` at the contact: the sign of the slope of `volume`; 0: they only slide,
 * or worse. */
int ccd_truth_approach(ccd_truth *truth);

/* The same if it is one and the same from one time to another, else 0. */
int ccd_truth_approach_between(const ccd_truth *truth, double from, double to);

/* The unit vector along `normal`, correct to about 1e-16: at the contact (not where degenerate), or at any time;
 * false if there is none. */
bool ccd_truth_normal(ccd_truth *truth, double normal[3]);
bool ccd_truth_normal_at(const ccd_truth *truth, double t, double normal[3]);

#endif
