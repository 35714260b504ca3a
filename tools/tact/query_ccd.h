/* tact query --ccd: continuous collision queries, one line of plain numbers each. */
#ifndef TACT_TOOL_QUERY_CCD_H
#define TACT_TOOL_QUERY_CCD_H

#include <stdbool.h>
#include <stdio.h>
#include <tact/ccd.h>

/* Answers every non-blank line of `in` on `out`: "1 lower upper" for a first contact between these times, "0" for none,
 * "-1" for an invalid line; the first invalid line is reported on `err` as "name:line: reason". A line is a word, which
 * is ignored (in files with known answers, the answer), and 24 numbers, decimal or hexadecimal: the four points at
 * t = 0, then at t = 1. `flush_each` flushes every answer. Stops when `out` cannot be written (ferror(out)). Returns
 * the exit status: 0, or 1 after an error. */
int tact_query_ccd_stream(tact_ccd_kind kind, bool flush_each, FILE *in, const char *name, FILE *out, FILE *err);

#endif
