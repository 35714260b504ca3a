/* Writing one answer: one JSON object on one line, numbers with 17 digits, never NaN or infinite. */
#ifndef TACT_TOOL_ANSWER_H
#define TACT_TOOL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/query.h>
#include <tact/vec.h>

#include "json_read.h"

/* Room for any answer: at most 16 numbers of 25 characters with their names, or a complaint with every character
 * escaped. */
#define TACT_ANSWER_TEXT (2 * TACT_COMPLAINT_TEXT + 512)

/* An answer that grows member by member; zero-initialised it is empty. */
typedef struct tact_answer {
    char text[TACT_ANSWER_TEXT]; /* without a newline */
    size_t length;
    bool unfit; /* a number was not finite: the answer must not be given */
} tact_answer;

void tact_answer_begin(tact_answer *answer);
void tact_answer_flag(tact_answer *answer, const char *name, bool value);
void tact_answer_number(tact_answer *answer, const char *name, double value);
void tact_answer_vec(tact_answer *answer, const char *name, tact_vec3 value);
void tact_answer_part(tact_answer *answer, const char *name, tact_part part); /* as [leaf, face] */
void tact_answer_end(tact_answer *answer);

/* Replaces whatever was written by {"error":"..."}. */
void tact_answer_fail(tact_answer *answer, const tact_complaint *complaint);

#endif
