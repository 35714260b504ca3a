/* The conic solver in long double: quick, and mostly sharp enough. */
#include "conic.h"

#include <float.h>
#include <math.h>

#define REAL long double
#define SQUARE_ROOT sqrtl
#define EPSILON LDBL_EPSILON
#define SOLVE conic_solve_long
#include "conic_solver.h"
