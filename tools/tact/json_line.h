/* On which line of a JSON text a value stands: the JSON library tells that of mistakes in the syntax alone. */
#ifndef TACT_TOOL_JSON_LINE_H
#define TACT_TOOL_JSON_LINE_H

#include <stddef.h>

#include "json_read.h"

/* The line, counting from 1, on which the value at `where` begins, in a text that has been read without a mistake and
 * ends with a zero. Of a value that is not there it is that of the innermost one around it that is. Cost: O(length). */
size_t tact_json_line(const char *text, const tact_json_path *where);

#endif
