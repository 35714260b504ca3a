/* The translating casts with which complex/ finds penetration depths, passed to it as a table of functions. */
#ifndef TACT_TOI_TRANSLATING_CAST_H
#define TACT_TOI_TRANSLATING_CAST_H

#include "complex/complex_contact.h"

extern const complex_casts tact_complex_casts;

#endif
