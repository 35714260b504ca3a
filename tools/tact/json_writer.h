/* Writes one JSON object on one line: numbers with 17 digits, never NaN or infinite. */
#ifndef TACT_TOOL_JSON_WRITER_H
#define TACT_TOOL_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/math.h>
#include <tact/query.h>
#include <tact/vec.h>

#include "json_read.h"

/* Bytes of the inline buffer. It holds any answer without a list (at most 16 numbers of 25 characters with their names)
 * and any error with every character escaped, so that reporting an error needs no memory. */
#define JSON_WRITER_INLINE (2 * TACT_INPUT_ERROR_LENGTH + 512)

/* Zero-initialised it is empty. It must not be copied or moved: `text` may point into it. */
typedef struct json_writer {
    char *text; /* valid after tact_json_writer_begin; one more byte is free for a newline */
    size_t length, capacity;
    bool not_finite;    /* a number was NaN or infinite: the text must not be used */
    bool out_of_memory; /* the text is incomplete and must not be used */
    char inline_text[JSON_WRITER_INLINE];
} json_writer;

/* Starts an object. The functions below append members to it. */
void tact_json_writer_begin(json_writer *writer);
void tact_json_writer_flag(json_writer *writer, const char *name, bool value);
void tact_json_writer_number(json_writer *writer, const char *name, double value);
void tact_json_writer_vec(json_writer *writer, const char *name, tact_vec3 value);
void tact_json_writer_quat(json_writer *writer, const char *name, tact_quat value);             /* [x, y, z, w] */
void tact_json_writer_pair(json_writer *writer, const char *name, double first, double second); /* [first, second] */
void tact_json_writer_part(json_writer *writer, const char *name, tact_part part);              /* [leaf, face] */
void tact_json_writer_edge(json_writer *writer, const char *name, const uint32_t edge[2]);      /* [vertex, vertex] */
void tact_json_writer_word(json_writer *writer, const char *name, const char *word); /* a string without escapes */
void tact_json_writer_json(json_writer *writer, const char *name, const char *json); /* a value that is JSON already */

/* A list of objects: list, then item, members, item_end for each object, then list_end. */
void tact_json_writer_list(json_writer *writer, const char *name);
void tact_json_writer_item(json_writer *writer);
void tact_json_writer_item_end(json_writer *writer);
void tact_json_writer_list_end(json_writer *writer);

void tact_json_writer_end(json_writer *writer);

/* Replaces the text by {"error":"..."}. */
void tact_json_writer_error(json_writer *writer, const tact_input_error *error);

/* Frees the memory of a long text. */
void tact_json_writer_release(json_writer *writer);

#endif
