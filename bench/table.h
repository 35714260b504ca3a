/*
 * Tables of figures. A table is a JSON object, so that the text on the terminal, the report for programs and the page
 * for people all tell the same numbers:
 *     {"title": "...", "columns": ["...", ...], "rows": [[...], ...], "notes": ["...", ...], "plot": {...}}
 * Memory that runs out on the way shows at the end: tact_table_end is then false.
 */
#ifndef TACT_BENCH_TABLE_H
#define TACT_BENCH_TABLE_H

#include "suite.h"

/* A table without rows; the names of its columns stand in one string, with bars between them. */
json_t *tact_table_begin(const char *title, const char *columns);

/* Adds a row. A letter for each cell: s a text, d a long, f a double (not finite: an empty cell). */
void tact_table_row(json_t *table, const char *kinds, ...);

/* A sentence below the table, as by printf. */
void tact_table_note(json_t *table, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* To be drawn on the page as curves of some columns (a bit each) over another one; both axes logarithmic. Where
 * `by` is a column, rows that differ there make curves of their own; else -1. */
void tact_table_plot(json_t *table, const char *label, int over, unsigned columns, int by);

/* What it is drawn over is not on a logarithmic scale but an even one: frames, say. After tact_table_plot. */
void tact_table_plot_linear_x(json_t *table);

/* Prints the table unless the suite is silent, and hands it to the report under `key` if there is one. */
bool tact_table_end(const suite *s, const char *key, json_t *table);

/* Whether a ratio is as good as the goal: "yes", "NO", or nothing where one of them is not a number. */
const char *tact_table_met(double ratio, double goal);

/* A number for people: four digits or so. */
void tact_table_number(double value, char *text, size_t capacity);

#endif
