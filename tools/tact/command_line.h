/* Command-line options and file names: what the commands share. */
#ifndef TACT_TOOL_COMMAND_LINE_H
#define TACT_TOOL_COMMAND_LINE_H

#include <stdbool.h>

/* Splits each word --NAME=VALUE before a word -- into --NAME and VALUE. Returns the new words, to be freed by the
 * caller, and changes `argc`; the texts are those of `argv`, which are changed. NULL without memory. */
char **tact_option_split(int *argc, char **argv);

/* Reads a whole number without a sign, at most `max`; false if `text` is NULL or not such a number. */
bool tact_option_count(const char *text, unsigned long long max, unsigned long long *count);

/* Reports an option whose value is missing (`text` NULL) or wrong; `what` describes a correct value. Returns the exit
 * status 2. */
int tact_option_usage(const char *command, const char *option, const char *what, const char *text);

/* Reads the value of --threads. Returns 0, or the exit status 2 after reporting wrong usage of `command`. */
int tact_option_threads(const char *command, const char *text, int *threads);

/* Reads the value of an option that names an output file. Returns 0, or the exit status 2 as above. */
int tact_option_output(const char *command, const char *option, const char *text, const char **path);

/* True if both paths name the same file. */
bool tact_is_same_file(const char *a, const char *b);

/* The directory part of a path, to be freed by the caller. NULL if there is none, or without memory. */
char *tact_path_folder(const char *path);

#endif
