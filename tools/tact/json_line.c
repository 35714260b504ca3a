#include "json_line.h"

#include <string.h>

static const char *blanks_skip(const char *c) { return c + strspn(c, " \t\r\n"); }

/* From the opening quote of a string to the character after its closing quote. */
static const char *string_skip(const char *c)
{
    for (c++; *c && *c != '"'; c++)
        if (*c == '\\' && c[1])
            c++;
    return *c ? c + 1 : c;
}

/* To the character after a value. */
static const char *value_skip(const char *c)
{
    size_t depth = 0;
    do {
        if (*c == '"') {
            c = string_skip(c);
            continue;
        }
        if (*c == '{' || *c == '[')
            depth++;
        else if (*c == '}' || *c == ']')
            depth--;
        if (*c)
            c++;
        if (depth == 0) /* a number or word ends at a delimiter */
            return *c && !strchr("}]", c[-1]) ? c + strcspn(c, ",]} \t\r\n") : c;
    } while (*c && depth > 0);
    return c;
}

/* To the member or element `step` of the value at `c`; NULL if there is none. */
static const char *step_find(const char *c, const tact_json_path *step)
{
    const size_t length = step->key ? strlen(step->key) : 0;
    if (*c != (step->key ? '{' : '['))
        return NULL;
    for (size_t i = 0; *c && *c != '}' && *c != ']'; i++) {
        c = blanks_skip(c + 1);
        if (*c == '}' || *c == ']')
            break;
        const char *key = c;
        if (step->key) {
            c = string_skip(c);
            const size_t quoted = (size_t)(c - key);
            c = blanks_skip(blanks_skip(c) + 1); /* skips the colon */
            if (quoted == length + 2 && strncmp(key + 1, step->key, length) == 0)
                return c;
        } else if (i == step->index) {
            return c;
        }
        c = blanks_skip(value_skip(c));
    }
    return NULL;
}

/* The value at `where` (`*found`), or its innermost existing parent. */
static const char *value_find(const char *text, const tact_json_path *where, bool *found)
{
    if (!where->parent) {
        *found = true;
        return blanks_skip(text);
    }
    const char *outer = value_find(text, where->parent, found);
    const char *inner = *found ? step_find(outer, where) : NULL;
    *found = inner != NULL;
    return inner ? inner : outer;
}

size_t tact_json_line(const char *text, const tact_json_path *where)
{
    bool found;
    size_t line = 1;
    for (const char *end = value_find(text, where, &found), *c = text; c < end; c++)
        line += *c == '\n';
    return line;
}
