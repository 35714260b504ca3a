/*
 * Pages that show runs: the viewer, one HTML file that `make viewer` builds, with the runs embedded in base64. It is
 * searched beside the program (viewer.html), then in ../share/tact, where `make install` puts it. The environment
 * variable TACT_VIEWER replaces both.
 */
#ifndef TACT_TOOL_VIEW_PAGE_H
#define TACT_TOOL_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Finds the viewer; `path` gets its name. False if there is none; then it gets the name that TACT_VIEWER asks for. */
bool tact_view_page_find(char *path, size_t size);

/* Whether there is a viewer. If not, prints one line to stderr that says how to get it. */
bool tact_view_page_check(void);

/* Writes a page that shows runs, each from its start. The names are shown as titles of runs that have none. On failure
 * prints one line to stderr, and a page of this name that existed before is unchanged. */
bool tact_view_page_write(const char *path, FILE *const *runs, const char *const *names, size_t count);

/* Writes the page of `tact serve` that connects to a websocket address with a token; both have no characters that JSON
 * or HTML escapes. Fails as tact_view_page_write. */
bool tact_view_page_write_live(const char *path, const char *address, const char *token);

#endif
