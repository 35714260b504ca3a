/*
 * Reading the tool's answers: a strict reader of JSON of our own, so that the library that the tool stands on is not
 * its own judge.
 */
#ifndef TACT_TESTS_TOOL_ANSWER_H
#define TACT_TESTS_TOOL_ANSWER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static inline const char *json_skip(const char *c, int depth);

static inline const char *json_skip_string(const char *c)
{
    if (*c++ != '"')
        return NULL;
    for (; *c != '"'; c++) {
        if ((unsigned char)*c < 0x20)
            return NULL;
        if (*c == '\\' && !strchr("\"\\/bfnrt", *++c))
            return NULL;
    }
    return c + 1;
}

static inline const char *json_skip_number(const char *c)
{
    const char *digits = "0123456789";
    if (*c == '-')
        c++;
    size_t whole = strspn(c, digits);
    if (whole == 0 || (whole > 1 && *c == '0'))
        return NULL;
    c += whole;
    if (*c == '.') {
        size_t part = strspn(++c, digits);
        if (part == 0)
            return NULL;
        c += part;
    }
    if (*c == 'e' || *c == 'E') {
        c++;
        if (*c == '+' || *c == '-')
            c++;
        size_t exponent = strspn(c, digits);
        if (exponent == 0)
            return NULL;
        c += exponent;
    }
    return c;
}

static inline const char *json_skip_list(const char *c, char end, int depth)
{
    c++;
    if (*c == end)
        return c + 1;
    for (;;) {
        if (end == '}') {
            c = json_skip_string(c);
            if (!c || *c++ != ':')
                return NULL;
        }
        c = json_skip(c, depth + 1);
        if (!c || (*c != ',' && *c != end))
            return NULL;
        if (*c++ == end)
            return c;
    }
}

/* Past the value that begins at c, or NULL if there is none. Answers are written without spaces. */
static inline const char *json_skip(const char *c, int depth)
{
    if (depth > 10)
        return NULL;
    if (*c == '{')
        return json_skip_list(c, '}', depth);
    if (*c == '[')
        return json_skip_list(c, ']', depth);
    if (*c == '"')
        return json_skip_string(c);
    if (strncmp(c, "true", 4) == 0)
        return c + 4;
    if (strncmp(c, "false", 5) == 0)
        return c + 5;
    return json_skip_number(c);
}

static inline bool utf8_valid(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int more = *c < 0x80                 ? 0
                   : *c >= 0xC2 && *c < 0xE0 ? 1
                   : *c >= 0xE0 && *c < 0xF0 ? 2
                   : *c >= 0xF0 && *c < 0xF5 ? 3
                                             : -1;
        if (more < 0)
            return false;
        for (c++; more > 0; more--, c++)
            if ((*c & 0xC0) != 0x80)
                return false;
    }
    return true;
}

static inline bool is_answer(const char *line)
{
    if (*line != '{' || !utf8_valid(line))
        return false;
    const char *end = json_skip(line, 0);
    return end && *end == '\0';
}

/* True when both texts are the same but for numbers, which may differ by `slack` of the larger of 1 and themselves. A *
 * in `expected` stands for any number. */
static inline bool same_answer(const char *found, const char *expected, double slack)
{
    while (*expected) {
        if (*expected == '*' || strchr("-0123456789", *expected)) {
            char *found_end, *expected_end;
            if (!strchr("-0123456789", *found) || !*found)
                return false;
            double f = strtod(found, &found_end);
            if (*expected == '*') {
                expected++;
            } else {
                double e = strtod(expected, &expected_end);
                if (!(fabs(f - e) <= slack * fmax(1.0, fabs(e))))
                    return false;
                expected = expected_end;
            }
            found = found_end;
        } else if (*found++ != *expected++) {
            return false;
        }
    }
    return *found == '\0';
}

#endif
