/* One session of `tact serve` between two files: reads requests, writes answers. */
#ifndef TACT_TOOL_SERVE_LOOP_H
#define TACT_TOOL_SERVE_LOOP_H

#include "serve_session.h"

/* Answers the lines of the file descriptor `in` on `out`, until the session or the input ends. A request that uses more
 * than twice the CPU time of `limits` ends the process, after an answer that says so. Returns the exit status: 0, or 1
 * after an error. */
int tact_serve_loop(int in, int out, const serve_limits *limits);

/* The answer to a message that is too long; `text` has SERVE_LINE bytes. Returns its length. */
#define SERVE_LINE 256
size_t tact_serve_too_long(char *text, const serve_limits *limits);

#endif
