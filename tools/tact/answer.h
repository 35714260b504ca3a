/* Writing one answer: one JSON object on one line, numbers with 17 digits, never NaN or infinite. */
#ifndef TACT_TOOL_ANSWER_H
#define TACT_TOOL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/query.h>
#include <tact/vec.h>

#include "json_read.h"

/* Room for any answer without a list: at most 16 numbers of 25 characters with their names, or a complaint with every
 * character escaped. A complaint needs no memory. */
#define TACT_ANSWER_TEXT (2 * TACT_COMPLAINT_TEXT + 512)

/* An answer that grows member by member; zero-initialised it is empty. It stays where it is: `text` may point into it.
 */
typedef struct tact_answer {
    char *text; /* without a newline, for which there is room; from tact_answer_begin on */
    size_t length, room;
    bool unfit;   /* a number was not finite: the answer must not be given */
    bool starved; /* there was no memory for all of it: likewise */
    char first[TACT_ANSWER_TEXT];
} tact_answer;

void tact_answer_begin(tact_answer *answer);
void tact_answer_flag(tact_answer *answer, const char *name, bool value);
void tact_answer_number(tact_answer *answer, const char *name, double value);
void tact_answer_vec(tact_answer *answer, const char *name, tact_vec3 value);
void tact_answer_span(tact_answer *answer, const char *name, double from, double to); /* as [from, to] */
void tact_answer_part(tact_answer *answer, const char *name, tact_part part);         /* as [leaf, face] */
void tact_answer_edge(tact_answer *answer, const char *name, const uint32_t edge[2]); /* by its corners */
void tact_answer_word(tact_answer *answer, const char *name, const char *word);       /* that needs no escapes */
void tact_answer_list(tact_answer *answer, const char *name);                         /* begins a list of objects */
void tact_answer_item(tact_answer *answer); /* begins one of them: members follow */
void tact_answer_item_end(tact_answer *answer);
void tact_answer_list_end(tact_answer *answer);
void tact_answer_end(tact_answer *answer);

/* Gives back what a long answer took. */
void tact_answer_release(tact_answer *answer);

/* Replaces whatever was written by {"error":"..."}. */
void tact_answer_fail(tact_answer *answer, const tact_complaint *complaint);

#endif
