/* Base64 (RFC 4648, section 4). */
#ifndef TACT_TOOL_BASE64_H
#define TACT_TOOL_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* Writes bytes in base64. Of several calls for one text, only the last may have a size that is no multiple of 3. */
void tact_base64_write(FILE *out, const unsigned char *bytes, size_t size);

#endif
