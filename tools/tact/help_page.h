/*
 * The parts of a help page, from which the shell completions and the manual pages are made. So a command and its
 * options are described in one place. A page has this form:
 *
 *     tact NAME ARGUMENTS        one line that says what it does; there may be several such lines
 *
 *     text, and sections: a line without indentation before indented ones
 *
 *     Options
 *       --name VALUE             description; VALUE is FILE (and an ending), the words one|two, or another word
 */
#ifndef TACT_TOOL_HELP_PAGE_H
#define TACT_TOOL_HELP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a word of a page, and options of a page at most. */
#define HELP_WORD 40
#define HELP_OPTIONS 40

typedef struct help_option {
    char name[HELP_WORD];  /* "--out", or "-o" */
    char value[HELP_WORD]; /* "FILE.html", "vf|ee", "N"; empty: it takes none */
    const char *text;      /* its description up to the end of the line */
    int length;
} help_option;

/* The page with this index: NULL if there is none. The commands are in the order in which they are listed. */
const char *tact_help_page(size_t index, const char **command);

/* The page of the tool as a whole. */
const char *tact_help_tool_page(void);

/* Reads the options of a page; returns their number. */
size_t tact_help_options(const char *page, help_option options[HELP_OPTIONS]);

/* What the first line of a page says: the words after the name of the command, and the description. */
typedef struct help_title {
    const char *arguments, *text;
    int arguments_length, text_length;
} help_title;
help_title tact_help_title(const char *page, const char *command);

/* Length of a line without its end, and of its part before two spaces. */
size_t tact_help_line_length(const char *line);
size_t tact_help_head_length(const char *line, size_t length);

/* Prints the completion for a shell (bash, zsh, fish) on stdout; false if there is none. */
bool tact_help_completion_print(const char *shell);

/* Prints the manual page of a command, or of the tool for NULL, in the form of man(7); false if there is none. */
bool tact_help_manual_print(const char *command);

#endif
