#include "help_page.h"

#include <string.h>

size_t tact_help_line_length(const char *line) { return strcspn(line, "\n"); }

size_t tact_help_head_length(const char *line, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            return i;
    return length;
}

/* The next line; NULL after the last one. */
static const char *line_next(const char *line)
{
    line += tact_help_line_length(line);
    return line[0] && line[1] ? line + 1 : NULL;
}

/* Copies a word without brackets and a comma at its end. */
static void word_copy(char to[HELP_WORD], const char *word, size_t length)
{
    while (length > 0 && (word[length - 1] == ',' || word[length - 1] == ']'))
        length--;
    while (length > 0 && word[0] == '[') {
        word++;
        length--;
    }
    if (length >= HELP_WORD)
        length = HELP_WORD - 1;
    memcpy(to, word, length);
    to[length] = '\0';
}

/* Adds the options of a line: "--from A, --to B    description". */
static size_t line_options(const char *line, help_option *options, size_t count)
{
    const char *const head = line + 2;
    const size_t length = tact_help_line_length(head), end = tact_help_head_length(head, length);
    const size_t before = count;
    size_t text = end;
    while (text < length && head[text] == ' ')
        text++;
    for (size_t i = 0; i < end;) {
        const size_t word = strcspn(head + i, " \n");
        if (head[i] == '-' && count < HELP_OPTIONS) {
            help_option *option = &options[count++];
            word_copy(option->name, head + i, word);
            option->value[0] = '\0';
            option->text = head + text;
            option->length = (int)(length - text);
        } else if (count > 0) {
            word_copy(options[count - 1].value, head + i, word);
            if (count > before + 1 && options[count - 2].name[1] != '-') /* a letter for the same option */
                memcpy(options[count - 2].value, options[count - 1].value, HELP_WORD);
        }
        i += word + strspn(head + i + word, " ");
    }
    return count;
}

size_t tact_help_options(const char *page, help_option options[HELP_OPTIONS])
{
    size_t count = 0;
    const char *line = strstr(page, "\nOptions\n");
    for (line = line ? line_next(line + 1) : NULL; line && line[0] == ' '; line = line_next(line))
        if (line[2] == '-')
            count = line_options(line, options, count);
    return count;
}

help_title tact_help_title(const char *page, const char *command)
{
    const size_t length = tact_help_line_length(page), head = tact_help_head_length(page, length);
    const size_t name = strlen("tact ") + strlen(command);
    size_t text = head;
    while (text < length && page[text] == ' ')
        text++;
    const size_t arguments = name < head ? name + 1 : head;
    return (help_title){page + arguments, page + text, (int)(head - arguments), (int)(length - text)};
}
