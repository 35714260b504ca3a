#include "base64.h"

#include <string.h>

/* Bytes that are written at once: a multiple of 3. */
#define PIECE 3072

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tact_base64_encode(char *text, const unsigned char *bytes, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3) {
        const size_t rest = size - i;
        const unsigned b0 = bytes[i], b1 = rest > 1 ? bytes[i + 1] : 0, b2 = rest > 2 ? bytes[i + 2] : 0;
        text[length++] = digits[b0 >> 2];
        text[length++] = digits[(b0 & 3) << 4 | b1 >> 4];
        text[length++] = rest > 1 ? digits[(b1 & 15) << 2 | b2 >> 6] : '=';
        text[length++] = rest > 2 ? digits[b2 & 63] : '=';
    }
    return length;
}

void tact_base64_write(FILE *out, const unsigned char *bytes, size_t size)
{
    char text[BASE64_LENGTH(PIECE)];
    for (size_t i = 0; i < size; i += PIECE) {
        const size_t length = tact_base64_encode(text, bytes + i, size - i < PIECE ? size - i : PIECE);
        (void)fwrite(text, 1, length, out);
    }
}

bool tact_base64_decode(unsigned char *bytes, size_t *size, const char *text, size_t length)
{
    *size = 0;
    if (length % 4 != 0)
        return false;
    for (size_t i = 0; i < length; i += 4) {
        const size_t padding = i + 4 < length ? 0 : (size_t)(text[i + 3] == '=') + (text[i + 2] == '=');
        unsigned long word = 0;
        for (size_t k = 0; k < 4; k++) {
            const char *const digit = k < 4 - padding && text[i + k] ? strchr(digits, text[i + k]) : NULL;
            if (k < 4 - padding && !digit)
                return false;
            word = word << 6 | (digit ? (unsigned long)(digit - digits) : 0);
        }
        for (size_t k = 0; k < 3 - padding; k++)
            bytes[(*size)++] = (unsigned char)(word >> (16 - 8 * k));
        if ((word & ((1ul << 8 * padding) - 1)) != 0) /* bits beyond the last byte: another text of the same bytes */
            return false;
    }
    return true;
}
