/* Manual pages in the form of man(7), from the help pages. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <tact/version.h>

#include "help_page.h"

/* Prints a part of a line as text of man(7). */
static void text_print(const char *text, size_t length)
{
    if (length > 0 && (text[0] == '.' || text[0] == '\''))
        (void)fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '\\':
            (void)fputs("\\e", stdout);
            break;
        case '-':
            (void)fputs("\\-", stdout);
            break;
        case '\'':
            (void)fputs("\\(aq", stdout);
            break;
        case '`':
            (void)fputs("\\(ga", stdout);
            break;
        case '^':
            (void)fputs("\\(ha", stdout);
            break;
        case '~':
            (void)fputs("\\(ti", stdout);
            break;
        default:
            (void)putchar(text[i]);
        }
}

/* The same, as a line of its own. */
static void line_print(const char *text, size_t length)
{
    text_print(text, length);
    (void)putchar('\n');
}

/* A heading: a line without indentation and without an end of a sentence, before an indented one. */
static bool is_heading(const char *line, size_t length)
{
    return length > 0 && line[0] != ' ' && !strchr(".:", line[length - 1]) && line[length] && line[length + 1] == ' ';
}

typedef struct manual_state {
    bool is_verbatim; /* between .nf and .fi */
    bool in_section, in_options, paragraph;
} manual_state;

static void verbatim_set(manual_state *s, bool on)
{
    if (on != s->is_verbatim)
        (void)puts(on ? ".nf" : ".fi");
    s->is_verbatim = on;
}

static void heading_print(manual_state *s, const char *line, size_t length)
{
    verbatim_set(s, false);
    (void)fputs(".SH \"", stdout);
    for (size_t i = 0; i < length; i++)
        (void)putchar(toupper((unsigned char)line[i]));
    (void)puts("\"");
    s->in_section = true;
    s->in_options = strncmp(line, "Options", length) == 0;
    s->paragraph = false;
}

/* A line of the section of options. */
static void option_print(const char *line, size_t length)
{
    const size_t indent = strspn(line, " ");
    if (line[indent] != '-' || indent > 2) {
        line_print(line + indent, length - indent);
        return;
    }
    const size_t head = tact_help_head_length(line + indent, length - indent);
    (void)fputs(".TP\n\\fB", stdout);
    text_print(line + indent, head);
    (void)puts("\\fR");
    const size_t text = indent + head + strspn(line + indent + head, " ");
    line_print(line + text, length - text);
}

static void body_print(const char *page)
{
    manual_state s = {.paragraph = false};
    if (!is_heading(page, tact_help_line_length(page)))
        (void)puts(".SH DESCRIPTION");
    for (const char *line = page; *line;) {
        const size_t length = tact_help_line_length(line);
        if (length == 0) {
            s.paragraph = true;
        } else if (is_heading(line, length)) {
            heading_print(&s, line, length);
        } else {
            if (s.in_section && line[0] != ' ') { /* the text after the sections */
                verbatim_set(&s, false);
                s.in_section = s.in_options = s.paragraph = false;
                (void)puts(".SH NOTES");
            }
            const bool verbatim = !s.in_options && line[0] == ' ';
            if (!verbatim)
                verbatim_set(&s, false);
            if (s.paragraph)
                (void)puts(s.is_verbatim ? "" : ".PP");
            s.paragraph = false;
            if (s.in_options) {
                option_print(line, length);
            } else {
                verbatim_set(&s, verbatim);
                line_print(line, length);
            }
        }
        line += length + (line[length] == '\n');
    }
    verbatim_set(&s, false);
}

static void head_print(const char *command)
{
    (void)fputs(".TH TACT", stdout);
    if (command)
        (void)putchar('-');
    for (const char *c = command ? command : ""; *c; c++)
        (void)putchar(toupper((unsigned char)*c));
    (void)printf(" 1 \"\" \"Tact %d.%d.%d\" \"Tact\"\n.ad l\n.SH NAME\ntact", TACT_VERSION_MAJOR, TACT_VERSION_MINOR,
                 TACT_VERSION_PATCH);
    if (command)
        (void)printf("\\-%s", command);
    (void)fputs(" \\- ", stdout);
}

/* The lines before the first empty one: what to type, and what it does. Returns the rest of the page. */
static const char *synopsis_print(const char *page, const char *command)
{
    const help_title title = tact_help_title(page, command);
    line_print(title.text, (size_t)title.text_length);
    (void)puts(".SH SYNOPSIS\n.nf");
    for (size_t length; (length = tact_help_line_length(page)) > 0; page += length + 1) {
        (void)fputs("\\fB", stdout);
        text_print(page, tact_help_head_length(page, length));
        (void)puts("\\fR");
    }
    (void)puts(".fi");
    return page + 1;
}

static void see_also_print(const char *command)
{
    const char *other;
    (void)puts(".SH SEE ALSO");
    if (command)
        (void)fputs("\\fBtact\\fR(1)", stdout);
    for (size_t i = 0, printed = command != NULL; tact_help_page(i, &other); i++)
        if (!command || strcmp(other, command) != 0)
            (void)printf("%s\\fBtact\\-%s\\fR(1)", printed++ > 0 ? ",\n" : "", other);
    (void)putchar('\n');
}

bool tact_help_manual_print(const char *command)
{
    const char *page = command ? NULL : tact_help_tool_page(), *other;
    for (size_t i = 0; command && !page; i++) {
        const char *const found = tact_help_page(i, &other);
        if (!found)
            return false;
        if (strcmp(other, command) == 0)
            page = found;
    }
    head_print(command);
    if (command) {
        page = synopsis_print(page, command);
    } else {
        const size_t name = strlen("Tact ");
        line_print(page + name, tact_help_line_length(page) - name);
        page += tact_help_line_length(page) + 2;
        (void)puts(".SH SYNOPSIS\n\\fBtact\\fR \\fICOMMAND\\fR ...");
    }
    body_print(page);
    see_also_print(command);
    return true;
}
