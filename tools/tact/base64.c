#include "base64.h"

/* Characters that are written at once: a multiple of 4. */
#define PIECE 4096

void tact_base64_write(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[PIECE];
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3) {
        const size_t rest = size - i;
        const unsigned b0 = bytes[i], b1 = rest > 1 ? bytes[i + 1] : 0, b2 = rest > 2 ? bytes[i + 2] : 0;
        text[length++] = digits[b0 >> 2];
        text[length++] = digits[(b0 & 3) << 4 | b1 >> 4];
        text[length++] = rest > 1 ? digits[(b1 & 15) << 2 | b2 >> 6] : '=';
        text[length++] = rest > 2 ? digits[b2 & 63] : '=';
        if (length == PIECE) {
            (void)fwrite(text, 1, length, out);
            length = 0;
        }
    }
    (void)fwrite(text, 1, length, out);
}
