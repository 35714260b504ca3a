/* Hexadecimal numbers as C's %a prints them: read quickly, and rounded correctly. */
#ifndef TACT_TOOL_HEX_NUMBER_H
#define TACT_TOOL_HEX_NUMBER_H

/* Reads a sign, 0x, hexadecimal digits with at most one point, and a binary exponent, which may be left out; returns what follows,
 * or NULL when there is no such number at `text`. What is too large becomes infinite. The text ends with a character
 * that no number has, a 0 for instance. */
const char *tact_hex_read(const char *text, double *value);

#endif
