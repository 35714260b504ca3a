/* Writes the report as one HTML file with all tables and SVG plots, without scripts or external resources. */
#ifndef TACT_BENCH_PAGE_H
#define TACT_BENCH_PAGE_H

#include <jansson.h>
#include <stdbool.h>

/* Returns false if the file cannot be written. */
bool tact_page_write(const char *file, const json_t *report);

#endif
