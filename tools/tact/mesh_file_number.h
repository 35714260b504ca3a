/* Numbers written as text: read quickly, and rounded correctly. */
#ifndef TACT_TOOL_MESH_FILE_NUMBER_H
#define TACT_TOOL_MESH_FILE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number (sign, digits with at most one point, exponent) and returns what follows it, or NULL when
 * there is none at `text`. What is too large becomes infinite. "nan", "inf" and hexadecimal are no numbers here. The
 * text ends with a character that no number has, a 0 for instance. */
const char *tact_number_read(const char *text, double *value);

/* Reads a whole number with or without a sign and returns what follows it, or NULL when there is none at `text`. What
 * is beyond WHOLE_LIMIT is read as that. */
#define WHOLE_LIMIT INT64_C(1000000000000000000)
static inline const char *whole_read(const char *text, int64_t *value)
{
    bool minus = *text == '-';
    if (minus || *text == '+')
        text++;
    if (*text < '0' || *text > '9')
        return NULL;
    int64_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number < WHOLE_LIMIT / 10 ? 10 * number + (*text - '0') : WHOLE_LIMIT;
    *value = minus ? -number : number;
    return text;
}

#endif
