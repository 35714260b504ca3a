/* The report as a page: one HTML file with all tables, and curves drawn as SVG; no scripts, nothing loaded. */
#ifndef TACT_BENCH_PAGE_H
#define TACT_BENCH_PAGE_H

#include <jansson.h>
#include <stdbool.h>

/* False when the file cannot be written. */
bool tact_page_write(const char *file, const json_t *report);

#endif
