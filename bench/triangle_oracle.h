/*
 * Oracle for the overlap of two triangles, in long double, independent of the library's exact test: they overlap if an
 * edge of one intersects the other. Every sign is compared with a bound of its rounding error, so an answer is certain,
 * or TRIANGLES_UNDECIDED.
 */
#ifndef TACT_BENCH_TRIANGLE_ORACLE_H
#define TACT_BENCH_TRIANGLE_ORACLE_H

#include <tact/vec.h>

typedef enum triangle_overlap { TRIANGLES_APART, TRIANGLES_OVERLAP, TRIANGLES_UNDECIDED } triangle_overlap;

triangle_overlap tact_triangle_oracle(const tact_vec3 a[3], const tact_vec3 b[3]);

#endif
