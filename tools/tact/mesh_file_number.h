/* Reads numbers as text, correctly rounded. */
#ifndef TACT_TOOL_MESH_FILE_NUMBER_H
#define TACT_TOOL_MESH_FILE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number (sign, digits with at most one point, exponent). Returns its end, or NULL if `text` does not
 * start with one. A number beyond the range becomes infinite. "nan", "inf" and hexadecimal are not accepted. The text
 * must end with a character that is not part of a number, such as 0. */
const char *tact_decimal_read(const char *text, double *value);

/* Reads an integer with an optional sign. Returns its end, or NULL if `text` does not start with one. A value beyond
 * INTEGER_LIMIT is read as INTEGER_LIMIT. */
#define INTEGER_LIMIT INT64_C(1000000000000000000)
static inline const char *integer_read(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    if (negative || *text == '+')
        text++;
    if (*text < '0' || *text > '9')
        return NULL;
    int64_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number < INTEGER_LIMIT / 10 ? 10 * number + (*text - '0') : INTEGER_LIMIT;
    *value = negative ? -number : number;
    return text;
}

#endif
