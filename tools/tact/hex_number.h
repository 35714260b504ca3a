/* Reads hexadecimal numbers as C's %a prints them, correctly rounded. */
#ifndef TACT_TOOL_HEX_NUMBER_H
#define TACT_TOOL_HEX_NUMBER_H

/* Reads a sign, 0x, hexadecimal digits with at most one point, and an optional binary exponent. Returns the end of the
 * number, or NULL if `text` does not start with one. A number beyond the range becomes infinite. The text must end with
 * a character that is not part of a number, such as 0. */
const char *tact_hex_read(const char *text, double *value);

#endif
