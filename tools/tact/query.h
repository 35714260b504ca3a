/* tact query: answers JSON requests, one a line. */
#ifndef TACT_TOOL_QUERY_H
#define TACT_TOOL_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <tact/progress.h>

#include "json_read.h"
#include "json_writer.h"
#include "mesh_cache.h"
#include "query_capture.h"

/* Options of a run, and the meshes that its requests share. */
typedef struct query_session {
    mesh_cache cache;
    bool report_parts;      /* answers include the parts of meshes and compounds */
    tact_progress progress; /* of the search of a request */
    bool flush_each;        /* flush every answer, for a program that waits for it */
    query_capture *capture; /* gets every answered request; NULL: none */
} query_session;

/* True if a request of `tact query` may have this "op". Otherwise `names` gets a list of all that it may have. */
#define QUERY_NAMES_LENGTH 200
bool tact_query_has_operation(const char *name, char names[QUERY_NAMES_LENGTH]);

/* Answers one request of `length` bytes. `answer` is zero-initialised or was used for an earlier request. Returns false
 * if the answer is {"error":...}; `error` then has the same text. */
bool tact_query_answer(query_session *session, const char *line, size_t length, json_writer *answer,
                       tact_input_error *error);

/* As tact_query_answer, of a request that is read already. On failure `answer` is unspecified. */
bool tact_query_answer_root(query_session *session, const json_t *root, json_writer *answer, tact_input_error *error);

/* True if a line has only spaces, tabs and line ends. */
bool tact_query_line_is_blank(const char *line, size_t length);

/* Answers every non-blank line of `in` on `out`, and reports the first invalid line on `err` as "name:line: reason".
 * Continues after invalid lines; stops when `out` cannot be written (ferror(out)). Returns the exit status: 0, or 1
 * after an error. */
int tact_query_stream(query_session *session, FILE *in, const char *name, FILE *out, FILE *err);

/* The command: tact query [FILE.jsonl]. Returns the exit status. */
int tact_query_command(int argc, char **argv);

#endif
