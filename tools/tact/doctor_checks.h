/* Checks of this build on this machine: short computations with known answers. */
#ifndef TACT_TOOL_DOCTOR_CHECKS_H
#define TACT_TOOL_DOCTOR_CHECKS_H

#include <stdbool.h>

/* Bytes of the reason of a failed check. */
#define DOCTOR_REASON 160

typedef struct doctor_check {
    const char *name, *what; /* a word, and what is computed */
    /* False with the reason. The check runs in the floating-point environment of the caller. */
    bool (*run)(char reason[DOCTOR_REASON]);
} doctor_check;

/* All checks, and their number. */
extern const doctor_check tact_doctor_checks[];
extern const int tact_doctor_check_count;

#endif
