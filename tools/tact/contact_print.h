/* Contacts as text and as JSON: the lines of --pairs and the first contact of a result (tact ccd, tact play). */
#ifndef TACT_TOOL_CONTACT_PRINT_H
#define TACT_TOOL_CONTACT_PRINT_H

#include <stdio.h>

#include "sweep/sweep.h"

/* The features of a contact: "vf VERTEX FACE" or "ee A0 A1 B0 B1". */
void tact_contact_print_features(FILE *out, const sweep_contact *c);

/* The line of a contact in a list of --pairs: features, the two times with 17 digits, newline. */
void tact_contact_print_line(FILE *out, const sweep_contact *c);

/* Members of a JSON object, without a comma before them: "t":[lo,hi], then "vertex" and "face", or "edges". */
void tact_contact_print_json(FILE *out, const sweep_contact *c);

#endif
