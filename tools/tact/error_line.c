#include "error_line.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of a line; longer ones are cut. Paths have up to 4096. */
#define LINE_BYTES 10000

bool tact_error_line(const char *format, ...)
{
    static char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = '?';
    (void)fprintf(stderr, "%s\n", line);
    return false;
}
