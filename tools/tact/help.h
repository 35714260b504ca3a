/* Help pages, and reports of wrong usage. */
#ifndef TACT_TOOL_HELP_H
#define TACT_TOOL_HELP_H

#include "json_read.h"

/* Prints the page of a command, or of the whole tool for NULL, on stdout. Returns the exit status: 0, or 2 if there is
 * no such command. */
int tact_help_command(const char *command);

/* The command `tact help`: a page, the completion for a shell, or a manual page (help_page.h). Returns the exit status.
 */
int tact_help_words(int argc, char **argv);

/* Reports a command that does not exist, or that there is none (NULL). Returns the exit status 2. */
int tact_help_no_command(const char *command);

/* Reports wrong usage on stderr as "tact COMMAND: reason. Try: tact help COMMAND". `command` is NULL for the tool as a
 * whole. Returns the exit status 2. */
int tact_help_usage(const char *command, const char *format, ...) TACT_PRINTF_FORMAT(2, 3);

#endif
