/* Lines of `tact query --ccd`: every line that is not blank has exactly one answer. The first byte chooses the kind. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "query_ccd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of a line: does it hold anything but white space? */
static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr(" \t\v\f\r\n", line[i]) == NULL || line[i] == '\0')
            return false;
    return true;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t count = 0;
    for (const char *end = text + size; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t length = (size_t)((stop != NULL ? stop : end) - text);
        count += !is_blank(text, length);
        text += length + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    char *text = NULL, *reason = NULL;
    size_t text_size = 0, reason_size = 0;
    FILE *in = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    FILE *out = open_memstream(&text, &text_size), *err = open_memstream(&reason, &reason_size);
    if (in == NULL || out == NULL || err == NULL)
        abort();
    const tact_ccd_kind kind = data[0] % 2 == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
    const int status = tact_query_ccd_stream(kind, false, in, "fuzz", out, err);
    (void)fclose(in);
    (void)fclose(out);
    (void)fclose(err);
    if (count_lines(text, text_size) != count_lines((const char *)data + 1, size - 1))
        abort();
    if ((status == 0) != (reason_size == 0))
        abort();
    free(text);
    free(reason);
    return 0;
}
