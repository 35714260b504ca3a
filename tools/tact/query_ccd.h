/* tact query --ccd: pairs that move, a plain line of numbers each, without JSON. */
#ifndef TACT_TOOL_QUERY_CCD_H
#define TACT_TOOL_QUERY_CCD_H

#include <stdbool.h>
#include <stdio.h>
#include <tact/ccd.h>

/* Answers every line of `in` that is not blank on `out`: "1 from to" for a first contact between these times, "0" for none, "-1" for
 * a bad line, the first of which is told on `err` as "name:line: reason". A line is a word, which is not looked at (in files of known
 * answers, the answer), and 24 numbers, decimal or hexadecimal: the four points at t = 0, then at t = 1. `prompt`: each answer is written
 * out at once. Stops when `out` cannot be written, which ferror(out) then tells. Returns the exit status: 0, or 1 after bad input. */
int tact_query_ccd_stream(tact_ccd_kind kind, bool prompt, FILE *in, const char *name, FILE *out, FILE *err);

#endif
