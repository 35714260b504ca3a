/*
 * The larger and the smaller of two numbers, as fmax and fmin: of a number and a NaN it is the number. Those of the C
 * library are calls, and of zeros of both signs they return either, depending on the platform. These return the first.
 */
#ifndef TACT_CORE_NUMBER_H
#define TACT_CORE_NUMBER_H

static inline double number_max(double a, double b) { return a >= b || b != b ? a : b; }

static inline double number_min(double a, double b) { return a <= b || b != b ? a : b; }

static inline float number_maxf(float a, float b) { return a >= b || b != b ? a : b; }

#endif
