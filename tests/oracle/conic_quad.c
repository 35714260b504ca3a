/* The conic solver in quadruple precision, for what long double leaves open. */
#include "conic.h"

#include <math.h>

/* GCC and clang on x86-64 and arm64 have it; where long double is already that wide the type is the same. */
__extension__ typedef __float128 quad;

/* One Newton step doubles the digits of the long double root. */
static quad quad_root(quad a)
{
    if (!(a > 0))
        return 0;
    long double first = sqrtl((long double)a);
    if (!(first > 0)) /* below the range of long double, which no scaled program comes near */
        return 0;
    quad root = first;
    return (root + a / root) / 2;
}

#define REAL quad
#define SQUARE_ROOT quad_root
#define EPSILON ((quad)1e-34L)
#define SOLVE conic_solve_quad
#include "conic_solver.h"
