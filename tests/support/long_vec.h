/* Vectors in long double, for oracles in tests that see only the public API. */
#ifndef TACT_TEST_LONG_VEC_H
#define TACT_TEST_LONG_VEC_H

#include <math.h>
#include <tact/vec.h>

typedef long double real;

typedef struct vec {
    real x, y, z;
} vec;

static inline vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec mul(vec a, real s) { return (vec){a.x * s, a.y * s, a.z * s}; }
static inline real dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline real norm(vec a) { return sqrtl(dot(a, a)); }
static inline vec wide(tact_vec3 a) { return (vec){(real)a.x, (real)a.y, (real)a.z}; }

static inline vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
