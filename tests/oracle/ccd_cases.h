/*
 * Random queries of continuous collision, most of them degenerate, for the tests of tact/ccd.h. A kind, a question and a number
 * always give the same query.
 */
#ifndef TACT_ORACLE_CCD_CASES_H
#define TACT_ORACLE_CCD_CASES_H

#include <stdint.h>
#include <stdio.h>
#include <tact/ccd.h>

typedef enum ccd_case_type {
    CCD_ORDINARY,  /* nothing special */
    CCD_SMALL,     /* whole coordinates from -2 to 2 */
    CCD_ULPS,      /* coordinates that are a few doubles apart */
    CCD_MIXED,     /* coordinates of 1e-150 to 1e150 beside each other */
    CCD_AT_ONE,    /* contact exactly at t = 1, scales 1e-6 to 1e6; or missed by one unit in the last place */
    CCD_AT_ZERO,   /* the same at t = 0 */
    CCD_PLANTED,   /* contact at a fraction of small numbers, at a corner, on an edge or inside; or nearly */
    CCD_COPLANAR,  /* all four in one plane all the time */
    CCD_PARALLEL,  /* edges parallel, or faces without area, all the time or at the ends */
    CCD_REPEATED,  /* points at the same place */
    CCD_STILL,     /* some or all do not move */
    CCD_TANGENT,   /* they meet without crossing: a double root; or nearly */
    CCD_SLIDING,   /* along an edge */
    CCD_HUGE,      /* up to the largest double */
    CCD_SUBNORMAL, /* down to the smallest */
    CCD_ANY,       /* any finite doubles */
    CCD_CASE_TYPES
} ccd_case_type;

extern const char *const ccd_case_names[CCD_CASE_TYPES];

typedef struct ccd_case {
    tact_ccd_kind kind;
    tact_vec3 start[4], end[4]; /* of use as velocities too */
} ccd_case;

ccd_case ccd_case_make(ccd_case_type type, tact_ccd_kind kind, uint64_t number);

/* As in the files of known answers: a 0 in place of the answer, and the 24 numbers. */
void ccd_case_print(FILE *file, const ccd_case *query);

#endif
