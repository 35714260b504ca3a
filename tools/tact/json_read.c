#include "json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex_number.h"
#include "json_line.h"

/* Bytes of a path in an error; of a longer path the end is shown. */
#define PATH_LENGTH 160

/* Bytes of a string of the input that an error quotes. */
#define QUOTE_BYTES 60

/* Copies `text` into `quote`, truncated to QUOTE_BYTES at a UTF-8 character boundary. */
static void quote_truncate(const char *text, char quote[QUOTE_BYTES + 4])
{
    size_t length = strlen(text);
    if (length <= QUOTE_BYTES) {
        memcpy(quote, text, length + 1);
        return;
    }
    length = QUOTE_BYTES;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    memcpy(quote, text, length);
    memcpy(quote + length, "...", 4);
}

/* Writes `where` as text: from its last step to its first, at the end of the buffer, then moved to the start. */
static void path_write(const tact_json_path *where, char text[PATH_LENGTH])
{
    size_t start = PATH_LENGTH - 1;
    text[start] = '\0';
    for (; where->parent; where = where->parent) {
        char step[QUOTE_BYTES + 8], quote[QUOTE_BYTES + 4];
        if (where->key) {
            quote_truncate(where->key, quote);
            (void)snprintf(step, sizeof step, "%s%s", where->parent->parent ? "." : "", quote);
        } else {
            (void)snprintf(step, sizeof step, "[%zu]", where->index);
        }
        size_t length = strlen(step);
        if (length + 3 > start) {
            start -= 3;
            memcpy(text + start, "...", 3);
            break;
        }
        start -= length;
        memcpy(text + start, step, length);
    }
    memmove(text, text + start, PATH_LENGTH - start);
}

/* Makes a text safe for one line on a terminal and for a JSON string: no control characters, valid UTF-8. */
static void text_sanitize(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = ' ';
    json_t *probe = json_string(text);
    if (probe) {
        json_decref(probe);
        return;
    }
    /* truncation split a character, or memory ran out: replace all that is not ASCII */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
}

bool tact_input_error_set(tact_input_error *error, const tact_json_path *where, const char *format, ...)
{
    char *text = error->text;
    size_t capacity = sizeof error->text;
    error->line = 0;
    if (where) {
        char path[PATH_LENGTH];
        const tact_json_path *root = where;
        while (root->parent)
            root = root->parent;
        error->line = root->key ? tact_json_line(root->key, where) : 0;
        path_write(where, path);
        int written = snprintf(text, capacity, "%s ", path[0] ? path : root->key ? "the file" : "the request");
        if (written > 0) {
            text += written;
            capacity -= (size_t)written;
        }
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, capacity, format, arguments);
    va_end(arguments);
    text_sanitize(error->text);
    return false;
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "null";
    }
}

bool tact_json_object(const json_t *value, const tact_json_path *where, const char *what, const char *const *keys,
                      size_t count, tact_input_error *error)
{
    if (!json_is_object(value))
        return tact_input_error_set(error, where, "must be an object, not %s", type_name(value));
    /* jansson's iterators take a non-const pointer but change nothing */
    json_t *object = (json_t *)value;
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        size_t k = 0;
        while (k < count && strcmp(keys[k], key) != 0)
            k++;
        if (k < count)
            continue;
        char list[200] = "", quote[QUOTE_BYTES + 4];
        size_t used = 0;
        for (k = 0; k < count && used < sizeof list; k++) {
            int written = snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", keys[k]);
            used += written > 0 ? (size_t)written : 0;
        }
        quote_truncate(key, quote);
        return tact_input_error_set(error, where, "has an unknown key \"%s\"; %s takes %s", quote, what, list);
    }
    return true;
}

void tact_json_rename_keys(const json_t *object, const char *const (*names)[2], size_t count)
{
    json_t *changed = (json_t *)object;
    for (size_t i = 0; i < count; i++) {
        json_t *value = json_object_get(object, names[i][0]);
        if (value && !json_object_get(object, names[i][1]) && json_object_set(changed, names[i][1], value) == 0)
            (void)json_object_del(changed, names[i][0]);
    }
}

bool tact_json_array(const json_t *value, const tact_json_path *where, const char *what, tact_input_error *error)
{
    return json_is_array(value) ||
           tact_input_error_set(error, where, "must be an array of %s, not %s", what, type_name(value));
}

bool tact_json_text(const json_t *value, const tact_json_path *where, const char **text, tact_input_error *error)
{
    *text = json_string_value(value);
    return *text || tact_input_error_set(error, where, "must be a string, not %s", type_name(value));
}

bool tact_json_flag(const json_t *value, const tact_json_path *where, bool *flag, tact_input_error *error)
{
    *flag = json_is_true(value);
    return json_is_boolean(value) ||
           tact_input_error_set(error, where, "must be true or false, not %s", type_name(value));
}

bool tact_json_number(const json_t *value, const tact_json_path *where, double *number, tact_input_error *error)
{
    if (json_is_number(value)) {
        *number = json_number_value(value);
    } else if (json_is_string(value)) {
        const char *text = json_string_value(value);
        const char *end = tact_hex_read(text, number);
        if (!end || *end != '\0') {
            char quote[QUOTE_BYTES + 4];
            quote_truncate(text, quote);
            return tact_input_error_set(
                error, where, "must be a number (or a string such as \"0x1.8p+1\"), not the string \"%s\"", quote);
        }
    } else {
        return tact_input_error_set(error, where, "must be a number, not %s", type_name(value));
    }
    return isfinite(*number) || tact_input_error_set(error, where, "is too large for a double");
}

bool tact_json_length(const json_t *value, const tact_json_path *where, double *number, tact_input_error *error)
{
    if (!tact_json_number(value, where, number, error))
        return false;
    return *number >= 0.0 || tact_input_error_set(error, where, "must not be negative, but is %g", *number);
}

bool tact_json_numbers(const json_t *value, const tact_json_path *where, double *numbers, size_t count,
                       tact_input_error *error)
{
    if (!json_is_array(value))
        return tact_input_error_set(error, where, "must be an array of %zu numbers, not %s", count, type_name(value));
    if (json_array_size(value) != count)
        return tact_input_error_set(error, where, "must be an array of %zu numbers, not of %zu", count,
                                    json_array_size(value));
    for (size_t i = 0; i < count; i++) {
        tact_json_path at = {where, NULL, i};
        if (!tact_json_number(json_array_get(value, i), &at, &numbers[i], error))
            return false;
    }
    return true;
}

bool tact_json_vec(const json_t *value, const tact_json_path *where, tact_vec3 *vec, tact_input_error *error)
{
    double numbers[3];
    if (!tact_json_numbers(value, where, numbers, 3, error))
        return false;
    *vec = (tact_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

bool tact_json_points(const json_t *value, const tact_json_path *where, tact_vec3 **points, size_t *count,
                      tact_input_error *error)
{
    if (!json_is_array(value))
        return tact_input_error_set(error, where, "must be an array of points, each an array of 3 numbers, not %s",
                                    type_name(value));
    *count = json_array_size(value);
    tact_vec3 *list = calloc(*count ? *count : 1, sizeof *list);
    if (!list)
        return tact_input_error_set(error, NULL, "out of memory");
    for (size_t i = 0; i < *count; i++) {
        tact_json_path item = {where, NULL, i};
        if (!tact_json_vec(json_array_get(value, i), &item, &list[i], error)) {
            free(list);
            return false;
        }
    }
    *points = list;
    return true;
}

bool tact_json_member(const json_t *object, const tact_json_path *where, const char *key, const json_t **member,
                      tact_input_error *error)
{
    *member = json_object_get(object, key);
    if (*member)
        return true;
    tact_json_path at = {where, key, 0};
    return tact_input_error_set(error, &at, "is missing");
}

bool tact_json_optional_length(const json_t *object, const tact_json_path *where, const char *key, double *length,
                               tact_input_error *error)
{
    const json_t *value = json_object_get(object, key);
    tact_json_path at = {where, key, 0};
    return !value || tact_json_length(value, &at, length, error);
}

bool tact_json_optional_vec(const json_t *object, const tact_json_path *where, const char *key, tact_vec3 *vec,
                            tact_input_error *error)
{
    const json_t *value = json_object_get(object, key);
    tact_json_path at = {where, key, 0};
    return !value || tact_json_vec(value, &at, vec, error);
}

bool tact_json_member_length(const json_t *object, const tact_json_path *where, const char *key, double *length,
                             tact_input_error *error)
{
    const json_t *value;
    return tact_json_member(object, where, key, &value, error) &&
           tact_json_optional_length(object, where, key, length, error);
}

bool tact_json_member_vec(const json_t *object, const tact_json_path *where, const char *key, tact_vec3 *vec,
                          tact_input_error *error)
{
    const json_t *value;
    return tact_json_member(object, where, key, &value, error) &&
           tact_json_optional_vec(object, where, key, vec, error);
}
