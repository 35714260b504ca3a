#include "json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_line.h"

/* Room for a path in a complaint; of a longer one the end is shown. */
#define PATH_TEXT 160

/* How much of a word of the user's is repeated in a complaint, in bytes. */
#define QUOTE_BYTES 60

/* Copies `text` into `quote`, cut to QUOTE_BYTES at the start of a UTF-8 character. */
static void quote_cut(const char *text, char quote[QUOTE_BYTES + 4])
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

/* Writes the steps from the request to `where`: from the last to the first, at the end of the room, then moved to its
 * start. */
static void path_write(const tact_json_path *where, char text[PATH_TEXT])
{
    size_t start = PATH_TEXT - 1;
    text[start] = '\0';
    for (; where->parent; where = where->parent) {
        char step[QUOTE_BYTES + 8], quote[QUOTE_BYTES + 4];
        if (where->key) {
            quote_cut(where->key, quote);
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
    memmove(text, text + start, PATH_TEXT - start);
}

/* Makes a text fit for one line on any terminal and in any JSON answer: no control characters, valid UTF-8. */
static void text_clean(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = ' ';
    json_t *probe = json_string(text);
    if (probe) {
        json_decref(probe);
        return;
    }
    /* A cut left half a character (or there is no memory to tell): show ASCII alone. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
}

bool tact_complaint_make(tact_complaint *complaint, const tact_json_path *where, const char *format, ...)
{
    char *text = complaint->text;
    size_t room = sizeof complaint->text;
    complaint->line = 0;
    if (where) {
        char path[PATH_TEXT];
        const tact_json_path *root = where;
        while (root->parent)
            root = root->parent;
        complaint->line = root->key ? tact_json_line(root->key, where) : 0;
        path_write(where, path);
        int written = snprintf(text, room, "%s ", path[0] ? path : root->key ? "the file" : "the request");
        if (written > 0) {
            text += written;
            room -= (size_t)written;
        }
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, room, format, arguments);
    va_end(arguments);
    text_clean(complaint->text);
    return false;
}

static const char *kind_name(const json_t *value)
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
                      size_t count, tact_complaint *complaint)
{
    if (!json_is_object(value))
        return tact_complaint_make(complaint, where, "must be an object, not %s", kind_name(value));
    /* jansson walks an object through a pointer that is not const, but changes nothing. */
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
        quote_cut(key, quote);
        return tact_complaint_make(complaint, where, "has an unknown key \"%s\"; %s takes %s", quote, what, list);
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

bool tact_json_member(const json_t *object, const tact_json_path *where, const char *key, const json_t **member,
                      tact_complaint *complaint)
{
    *member = json_object_get(object, key);
    if (*member)
        return true;
    tact_json_path at = {where, key, 0};
    return tact_complaint_make(complaint, &at, "is missing");
}

bool tact_json_array(const json_t *value, const tact_json_path *where, const char *what, tact_complaint *complaint)
{
    return json_is_array(value) ||
           tact_complaint_make(complaint, where, "must be an array of %s, not %s", what, kind_name(value));
}

bool tact_json_text(const json_t *value, const tact_json_path *where, const char **text, tact_complaint *complaint)
{
    *text = json_string_value(value);
    return *text || tact_complaint_make(complaint, where, "must be a string, not %s", kind_name(value));
}

bool tact_json_flag(const json_t *value, const tact_json_path *where, bool *flag, tact_complaint *complaint)
{
    *flag = json_is_true(value);
    return json_is_boolean(value) ||
           tact_complaint_make(complaint, where, "must be true or false, not %s", kind_name(value));
}

/* True when `text` is all of a number as %a prints it: sign, 0x, hexadecimal digits with at most one point, and an
 * exponent, which may be left out. */
static bool is_hexadecimal(const char *text)
{
    if (*text == '-' || *text == '+')
        text++;
    if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
        return false;
    text += 2;
    const char *digits = "0123456789abcdefABCDEF";
    size_t before = strspn(text, digits), after = 0;
    text += before;
    if (*text == '.') {
        text++;
        after = strspn(text, digits);
        text += after;
    }
    if (before + after == 0)
        return false;
    if (*text == 'p' || *text == 'P') {
        text++;
        if (*text == '-' || *text == '+')
            text++;
        size_t exponent = strspn(text, "0123456789");
        if (exponent == 0)
            return false;
        text += exponent;
    }
    return *text == '\0';
}

bool tact_json_number(const json_t *value, const tact_json_path *where, double *number, tact_complaint *complaint)
{
    if (json_is_number(value)) {
        *number = json_number_value(value);
    } else if (json_is_string(value)) {
        const char *text = json_string_value(value);
        if (!is_hexadecimal(text)) {
            char quote[QUOTE_BYTES + 4];
            quote_cut(text, quote);
            return tact_complaint_make(
                complaint, where, "must be a number (or a string such as \"0x1.8p+1\"), not the string \"%s\"", quote);
        }
        /* strtod reads the point of the locale; the tool never sets one, so that is the point of C. */
        *number = strtod(text, NULL);
    } else {
        return tact_complaint_make(complaint, where, "must be a number, not %s", kind_name(value));
    }
    return isfinite(*number) || tact_complaint_make(complaint, where, "is too large for a double");
}

bool tact_json_length(const json_t *value, const tact_json_path *where, double *number, tact_complaint *complaint)
{
    if (!tact_json_number(value, where, number, complaint))
        return false;
    return *number >= 0.0 || tact_complaint_make(complaint, where, "must not be negative, but is %g", *number);
}

bool tact_json_numbers(const json_t *value, const tact_json_path *where, double *numbers, size_t count,
                       tact_complaint *complaint)
{
    if (!json_is_array(value))
        return tact_complaint_make(complaint, where, "must be an array of %zu numbers, not %s", count,
                                   kind_name(value));
    if (json_array_size(value) != count)
        return tact_complaint_make(complaint, where, "must be an array of %zu numbers, not of %zu", count,
                                   json_array_size(value));
    for (size_t i = 0; i < count; i++) {
        tact_json_path at = {where, NULL, i};
        if (!tact_json_number(json_array_get(value, i), &at, &numbers[i], complaint))
            return false;
    }
    return true;
}

bool tact_json_vec(const json_t *value, const tact_json_path *where, tact_vec3 *vec, tact_complaint *complaint)
{
    double numbers[3];
    if (!tact_json_numbers(value, where, numbers, 3, complaint))
        return false;
    *vec = (tact_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

bool tact_json_points(const json_t *value, const tact_json_path *where, tact_vec3 **points, size_t *count,
                      tact_complaint *complaint)
{
    if (!json_is_array(value))
        return tact_complaint_make(complaint, where, "must be an array of points, each an array of 3 numbers");
    *count = json_array_size(value);
    tact_vec3 *list = calloc(*count ? *count : 1, sizeof *list);
    if (!list)
        return tact_complaint_make(complaint, NULL, "out of memory");
    for (size_t i = 0; i < *count; i++) {
        tact_json_path item = {where, NULL, i};
        if (!tact_json_vec(json_array_get(value, i), &item, &list[i], complaint)) {
            free(list);
            return false;
        }
    }
    *points = list;
    return true;
}
