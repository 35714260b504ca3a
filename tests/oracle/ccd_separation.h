/*
 * Oracle of continuous vertex-face and edge-edge with a separation: exact rationals (GMP), no rounding anywhere.
 *
 * The distance equals T only where one of the feature pairs is at distance T: plane and vertex, line and vertex or line
 * and line, vertex and vertex. Each of these is a polynomial in time, whose real roots are isolated by Sturm sequences;
 * between two neighbouring roots one evaluation of the distance, as the least of all feature pairs that face each
 * other, tells it for the whole stretch. It shares neither directions nor Bernstein coefficients nor rounding to a grid
 * with what it judges.
 */
#ifndef TACT_ORACLE_CCD_SEPARATION_H
#define TACT_ORACLE_CCD_SEPARATION_H

#include <gmp.h>
#include <stdbool.h>
#include <tact/ccd.h>

/* The square of the distance at time t. */
void oracle_apart_distance2(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], bool velocities,
                            const mpq_t t, mpq_t distance2);

/* When is the distance first at most T within [def->enter, def->exit]? False: never, but perhaps at single instants.
 * True: above T up to `before` (unless that is the beginning), and at most T at `at`, less than 2^-90 of the window
 * later. */
bool oracle_apart_first(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def,
                        const mpq_t T, mpq_t before, mpq_t at);

#endif
