#include "answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a number: sign, 17 digits, point, exponent of 5 characters, zero. */
#define NUMBER_TEXT 32

/* Makes room for `length` more characters and the zero. */
static bool grow(tact_answer *answer, size_t length)
{
    if (length < answer->room - answer->length)
        return true;
    size_t room = 2 * answer->room + length;
    bool own = answer->text == answer->first;
    char *text = realloc(own ? NULL : answer->text, room);
    if (!text)
        return false;
    if (own)
        memcpy(text, answer->first, answer->length + 1);
    answer->text = text;
    answer->room = room;
    return true;
}

static void text_add(tact_answer *answer, const char *text)
{
    size_t length = strlen(text);
    if (!grow(answer, length)) {
        answer->starved = true;
        return;
    }
    memcpy(answer->text + answer->length, text, length + 1);
    answer->length += length;
}

static void name_add(tact_answer *answer, const char *name)
{
    text_add(answer, answer->length > 0 && answer->text[answer->length - 1] != '{' ? ",\"" : "\"");
    text_add(answer, name);
    text_add(answer, "\":");
}

static void number_add(tact_answer *answer, double value)
{
    char text[NUMBER_TEXT];
    if (!isfinite(value))
        answer->unfit = true;
    /* -0 is 0 to a reader. */
    (void)snprintf(text, sizeof text, "%.17g", value == 0.0 ? 0.0 : value);
    text_add(answer, text);
}

void tact_answer_begin(tact_answer *answer)
{
    if (!answer->text) {
        answer->text = answer->first;
        answer->room = sizeof answer->first;
    }
    answer->length = 0;
    answer->unfit = answer->starved = false;
    text_add(answer, "{");
}

void tact_answer_flag(tact_answer *answer, const char *name, bool value)
{
    name_add(answer, name);
    text_add(answer, value ? "true" : "false");
}

void tact_answer_number(tact_answer *answer, const char *name, double value)
{
    name_add(answer, name);
    number_add(answer, value);
}

void tact_answer_vec(tact_answer *answer, const char *name, tact_vec3 value)
{
    name_add(answer, name);
    text_add(answer, "[");
    number_add(answer, value.x);
    text_add(answer, ",");
    number_add(answer, value.y);
    text_add(answer, ",");
    number_add(answer, value.z);
    text_add(answer, "]");
}

void tact_answer_span(tact_answer *answer, const char *name, double from, double to)
{
    name_add(answer, name);
    text_add(answer, "[");
    number_add(answer, from);
    text_add(answer, ",");
    number_add(answer, to);
    text_add(answer, "]");
}

void tact_answer_part(tact_answer *answer, const char *name, tact_part part)
{
    tact_answer_span(answer, name, (double)part.leaf, (double)part.face);
}

void tact_answer_edge(tact_answer *answer, const char *name, const uint32_t edge[2])
{
    tact_answer_span(answer, name, (double)edge[0], (double)edge[1]);
}

void tact_answer_word(tact_answer *answer, const char *name, const char *word)
{
    name_add(answer, name);
    text_add(answer, "\"");
    text_add(answer, word);
    text_add(answer, "\"");
}

void tact_answer_list(tact_answer *answer, const char *name)
{
    name_add(answer, name);
    text_add(answer, "[");
}

void tact_answer_item(tact_answer *answer) { text_add(answer, answer->text[answer->length - 1] != '[' ? ",{" : "{"); }

void tact_answer_item_end(tact_answer *answer) { text_add(answer, "}"); }

void tact_answer_list_end(tact_answer *answer) { text_add(answer, "]"); }

void tact_answer_end(tact_answer *answer) { text_add(answer, "}"); }

void tact_answer_release(tact_answer *answer)
{
    if (answer->text != answer->first)
        free(answer->text);
    answer->text = NULL;
}

void tact_answer_fail(tact_answer *answer, const tact_complaint *complaint)
{
    tact_answer_begin(answer);
    name_add(answer, "error");
    text_add(answer, "\"");
    /* A complaint holds no control characters, so only these two need an escape. */
    for (const char *c = complaint->text; *c; c++) {
        char piece[3] = {*c, '\0', '\0'};
        if (*c == '"' || *c == '\\') {
            piece[0] = '\\';
            piece[1] = *c;
        }
        text_add(answer, piece);
    }
    text_add(answer, "\"");
    tact_answer_end(answer);
}
