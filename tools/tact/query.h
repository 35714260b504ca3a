/* tact query: one JSON request a line in, one JSON answer a line out. */
#ifndef TACT_TOOL_QUERY_H
#define TACT_TOOL_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "answer.h"
#include "json_read.h"
#include "mesh_cache.h"

/* What holds for all requests of a run. */
typedef struct tact_query_def {
    mesh_cache cache; /* of the meshes that requests name */
    bool parts;       /* answers tell the parts of meshes and compounds */
    bool prompt;      /* each answer is written out at once, for whoever waits for it */
} tact_query_def;

/* Answers one request, `length` bytes of any content; `answer` is zero, or that of the request before. Returns false
 * when the answer is {"error":...}; the complaint then says the same. */
bool tact_query_answer(tact_query_def *def, const char *line, size_t length, tact_answer *answer,
                       tact_complaint *complaint);

/* Answers every line of `in` that is not blank on `out`, and says on `err` what is wrong with the first bad line, as
 * "name:line: reason". Goes on after bad lines; stops when `out` cannot be written, which ferror(out) then tells.
 * Returns the exit status: 0, or 1 after bad input. */
int tact_query_stream(tact_query_def *def, FILE *in, const char *name, FILE *out, FILE *err);

/* The command: tact query [FILE.jsonl]. Returns the exit status. */
int tact_query_command(int argc, char **argv);

#endif
