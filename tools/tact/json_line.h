/* The line of a JSON text on which a value starts; jansson reports lines of syntax errors only. */
#ifndef TACT_TOOL_JSON_LINE_H
#define TACT_TOOL_JSON_LINE_H

#include <stddef.h>

#include "json_read.h"

/* The line, from 1, on which the value at `where` starts; for a missing value the line of its innermost existing
 * parent. `text` is valid JSON and ends with a zero. Cost: O(length). */
size_t tact_json_line(const char *text, const tact_json_path *where);

#endif
