/* What the tool says about itself. */
#ifndef TACT_TOOL_HELP_H
#define TACT_TOOL_HELP_H

#include "json_read.h"

/* Prints the page of a command, or that of the whole tool for NULL, on stdout. Returns the exit status: 0, or 2 when
 * there is no such command. */
int tact_help_command(const char *command);

/* Says on stderr what was wrong with the way the tool was called, and where to read more. `command` is NULL for the
 * tool as a whole. Returns the exit status 2. */
int tact_help_usage(const char *command, const char *format, ...) TACT_COMPLAINT_FORMAT(2, 3);

#endif
