/*
 * The judge of two triangles, in long double, sharing nothing with the library's exact test but what a triangle is:
 * they meet where an edge of one goes through the other. Every sign is compared with a bound of its rounding, so that a
 * verdict is certain or not given.
 */
#ifndef TACT_BENCH_TRIANGLE_JUDGE_H
#define TACT_BENCH_TRIANGLE_JUDGE_H

#include <tact/vec.h>

typedef enum triangle_verdict { TRIANGLES_APART, TRIANGLES_MEET, TRIANGLES_UNSURE } triangle_verdict;

triangle_verdict tact_triangles_judge(const tact_vec3 a[3], const tact_vec3 b[3]);

#endif
