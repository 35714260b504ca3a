/*
 * The judge of two triangles, in long double, sharing nothing with the library's exact test but what a triangle is:
 * they meet where an edge of one goes through the other. Every sign is compared with a bound of its rounding, so that a
 * verdict is certain or not given.
 */
#ifndef TACT_BENCH_TRIANGLE_ORACLE_H
#define TACT_BENCH_TRIANGLE_ORACLE_H

#include <tact/vec.h>

typedef enum triangle_overlap { TRIANGLES_APART, TRIANGLES_OVERLAP, TRIANGLES_UNDECIDED } triangle_overlap;

triangle_overlap tact_triangle_oracle(const tact_vec3 a[3], const tact_vec3 b[3]);

#endif
