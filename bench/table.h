/*
 * Tables of figures. A table is a JSON object, so the terminal, the JSON report and the HTML page show the same
 * numbers:
 *     {"title": "...", "columns": ["...", ...], "rows": [[...], ...], "notes": ["...", ...], "plot": {...}}
 * Out of memory is reported at the end: tact_table_end then returns false.
 */
#ifndef TACT_BENCH_TABLE_H
#define TACT_BENCH_TABLE_H

#include "suite.h"

/* A table without rows. `columns`: the column names, separated by "|". */
json_t *tact_table_begin(const char *title, const char *columns);

/* Adds a row. `kinds` has a letter per cell: s a string, d a long, f a double (empty cell if not finite). */
void tact_table_row(json_t *table, const char *kinds, ...);

/* Adds a note below the table; arguments as printf. */
void tact_table_note(json_t *table, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Plots columns (a bit each) against column `over` on the page, with logarithmic axes. If `by` is a column, each of its
 * values gives separate curves; else -1. */
void tact_table_plot(json_t *table, const char *label, int over, unsigned columns, int by);

/* Makes the x axis linear. Call it after tact_table_plot. */
void tact_table_plot_linear_x(json_t *table);

/* Prints the table unless the suite is silent, and adds it to the report, if any, as `key`. Returns false if memory ran
 * out. */
bool tact_table_end(const suite *s, const char *key, json_t *table);

/* "yes" if the ratio reaches the goal, "NO" if not, "" if one of them is not finite. */
const char *tact_table_met(double ratio, double goal);

/* Formats a number with about four digits. */
void tact_table_number(double value, char *text, size_t capacity);

#endif
