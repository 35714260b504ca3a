/* The translating casts that complex/ finds penetration depths with. */
#ifndef TACT_TOI_TRANSLATING_CAST_H
#define TACT_TOI_TRANSLATING_CAST_H

#include "complex/complex_contact.h"

extern const complex_casts tact_complex_casts;

#endif
