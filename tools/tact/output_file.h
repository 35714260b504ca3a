/*
 * An output file that is written beside its final name and renamed at the end, so that a file of this name is always
 * complete. A device, a pipe and the file that standard output goes to are written directly. A signal that ends the
 * program (an interrupt, a hang-up) discards what is not complete.
 */
#ifndef TACT_TOOL_OUTPUT_FILE_H
#define TACT_TOOL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Zero-initialised it is closed. */
typedef struct output_file {
    FILE *file;      /* NULL: closed */
    char *final;     /* name of the complete file, links resolved */
    char *temporary; /* name while it is written; NULL: `final` is written directly */
} output_file;

/* Opens the file for writing and reading; one that is written directly for writing only. On failure prints one line to
 * stderr, and there is nothing to close. */
bool tact_output_file_open(output_file *output, const char *path);

/* Closes the file. If `keep` is false, it is discarded, and a file of this name that existed before is unchanged. False
 * after an error of writing, printed to stderr. */
bool tact_output_file_close(output_file *output, bool keep);

/* Writes out what is buffered in a stream. NULL: everything written so far has arrived. Else the reason why not; that
 * of an earlier failure is found by writing one more byte. */
const char *tact_output_file_flush(FILE *file);

#endif
