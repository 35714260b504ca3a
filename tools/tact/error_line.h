/* One line on stderr. */
#ifndef TACT_TOOL_ERROR_LINE_H
#define TACT_TOOL_ERROR_LINE_H

#include <stdbool.h>

#include "json_read.h"

/* Prints a line and its end. Control characters become question marks: file names and input may hold any byte, and a
 * terminal obeys them. Always returns false. */
bool tact_error_line(const char *format, ...) TACT_PRINTF_FORMAT(1, 2);

#endif
