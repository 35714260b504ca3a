/* Base64 (RFC 4648, section 4). */
#ifndef TACT_TOOL_BASE64_H
#define TACT_TOOL_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Characters of the base64 of `size` bytes. */
#define BASE64_LENGTH(size) (((size) + 2) / 3 * 4)

/* Writes the base64 of bytes to `text`, without a terminating zero. Returns its length, BASE64_LENGTH(size). */
size_t tact_base64_encode(char *text, const unsigned char *bytes, size_t size);

/* Decodes base64; `bytes` has room for length / 4 * 3. False if `text` is not what tact_base64_encode writes. */
bool tact_base64_decode(unsigned char *bytes, size_t *size, const char *text, size_t length);

/* Writes bytes in base64. Of several calls for one text, only the last may have a size that is no multiple of 3. */
void tact_base64_write(FILE *out, const unsigned char *bytes, size_t size);

#endif
