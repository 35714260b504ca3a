#include "json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a number as text: sign, 17 digits, point, exponent of 5 characters, terminating zero. */
#define NUMBER_LENGTH 32

/* Ensures capacity for `length` more characters and the terminating zero. */
static bool text_reserve(json_writer *writer, size_t length)
{
    if (length < writer->capacity - writer->length)
        return true;
    size_t capacity = 2 * writer->capacity + length;
    bool is_inline = writer->text == writer->inline_text;
    char *text = realloc(is_inline ? NULL : writer->text, capacity);
    if (!text)
        return false;
    if (is_inline)
        memcpy(text, writer->inline_text, writer->length + 1);
    writer->text = text;
    writer->capacity = capacity;
    return true;
}

static void text_add(json_writer *writer, const char *text)
{
    size_t length = strlen(text);
    if (!text_reserve(writer, length)) {
        writer->out_of_memory = true;
        return;
    }
    memcpy(writer->text + writer->length, text, length + 1);
    writer->length += length;
}

static void name_add(json_writer *writer, const char *name)
{
    text_add(writer, writer->length > 0 && writer->text[writer->length - 1] != '{' ? ",\"" : "\"");
    text_add(writer, name);
    text_add(writer, "\":");
}

static void number_add(json_writer *writer, double value)
{
    char text[NUMBER_LENGTH];
    if (!isfinite(value))
        writer->not_finite = true;
    /* -0 is printed as 0 */
    (void)snprintf(text, sizeof text, "%.17g", value == 0.0 ? 0.0 : value);
    text_add(writer, text);
}

void tact_json_writer_begin(json_writer *writer)
{
    if (!writer->text) {
        writer->text = writer->inline_text;
        writer->capacity = sizeof writer->inline_text;
    }
    writer->length = 0;
    writer->not_finite = writer->out_of_memory = false;
    text_add(writer, "{");
}

void tact_json_writer_flag(json_writer *writer, const char *name, bool value)
{
    name_add(writer, name);
    text_add(writer, value ? "true" : "false");
}

void tact_json_writer_number(json_writer *writer, const char *name, double value)
{
    name_add(writer, name);
    number_add(writer, value);
}

/* Appends an array of numbers. */
static void numbers_add(json_writer *writer, const char *name, const double *values, size_t count)
{
    name_add(writer, name);
    for (size_t i = 0; i < count; i++) {
        text_add(writer, i == 0 ? "[" : ",");
        number_add(writer, values[i]);
    }
    text_add(writer, "]");
}

void tact_json_writer_vec(json_writer *writer, const char *name, tact_vec3 value)
{
    numbers_add(writer, name, (const double[]){value.x, value.y, value.z}, 3);
}

void tact_json_writer_quat(json_writer *writer, const char *name, tact_quat value)
{
    numbers_add(writer, name, (const double[]){value.x, value.y, value.z, value.w}, 4);
}

void tact_json_writer_pair(json_writer *writer, const char *name, double first, double second)
{
    numbers_add(writer, name, (const double[]){first, second}, 2);
}

void tact_json_writer_part(json_writer *writer, const char *name, tact_part part)
{
    tact_json_writer_pair(writer, name, (double)part.leaf, (double)part.face);
}

void tact_json_writer_edge(json_writer *writer, const char *name, const uint32_t edge[2])
{
    tact_json_writer_pair(writer, name, (double)edge[0], (double)edge[1]);
}

void tact_json_writer_word(json_writer *writer, const char *name, const char *word)
{
    name_add(writer, name);
    text_add(writer, "\"");
    text_add(writer, word);
    text_add(writer, "\"");
}

void tact_json_writer_json(json_writer *writer, const char *name, const char *json)
{
    name_add(writer, name);
    text_add(writer, json);
}

void tact_json_writer_list(json_writer *writer, const char *name)
{
    name_add(writer, name);
    text_add(writer, "[");
}

void tact_json_writer_item(json_writer *writer)
{
    text_add(writer, writer->text[writer->length - 1] != '[' ? ",{" : "{");
}

void tact_json_writer_item_end(json_writer *writer) { text_add(writer, "}"); }

void tact_json_writer_list_end(json_writer *writer) { text_add(writer, "]"); }

void tact_json_writer_end(json_writer *writer) { text_add(writer, "}"); }

void tact_json_writer_release(json_writer *writer)
{
    if (writer->text != writer->inline_text)
        free(writer->text);
    writer->text = NULL;
}

void tact_json_writer_error(json_writer *writer, const tact_input_error *error)
{
    tact_json_writer_begin(writer);
    name_add(writer, "error");
    text_add(writer, "\"");
    /* an error text has no control characters, so only these two need an escape */
    for (const char *c = error->text; *c; c++) {
        char escaped[3] = {*c, '\0', '\0'};
        if (*c == '"' || *c == '\\') {
            escaped[0] = '\\';
            escaped[1] = *c;
        }
        text_add(writer, escaped);
    }
    text_add(writer, "\"");
    tact_json_writer_end(writer);
}
