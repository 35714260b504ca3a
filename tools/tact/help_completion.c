/* Completions for shells, from the help pages. */
#include <stdio.h>
#include <string.h>

#include "help_page.h"

/* What can be completed after an option. */
typedef enum value_kind { VALUE_NONE, VALUE_FILE, VALUE_WORDS, VALUE_OTHER } value_kind;

static value_kind kind_of(const help_option *option)
{
    return option->value[0] == '\0'                 ? VALUE_NONE
           : strncmp(option->value, "FILE", 4) == 0 ? VALUE_FILE
           : strcmp(option->value, "FOLDER") == 0   ? VALUE_FILE
           : strchr(option->value, '|') != NULL     ? VALUE_WORDS
                                                    : VALUE_OTHER;
}

/* Whether the first line of a page names an argument; if it is the name of a command, `is_command`. */
static bool has_arguments(const char *page, const char *command, bool *is_command)
{
    const help_title title = tact_help_title(page, command);
    *is_command = strncmp(title.arguments, "[COMMAND]", 9) == 0;
    return title.arguments_length > 0;
}

/* Prints a text with a backslash before each of `special`; a single quote as `quote`. */
static void escaped_print(const char *text, int length, const char *special, const char *quote)
{
    for (int i = 0; i < length; i++) {
        if (text[i] == '\'') {
            (void)fputs(quote, stdout);
            continue;
        }
        if (strchr(special, text[i]))
            (void)putchar('\\');
        (void)putchar(text[i]);
    }
}

static void words_print(const char *value)
{
    for (; *value; value++)
        (void)putchar(*value == '|' ? ' ' : *value);
}

static void commands_print(void)
{
    const char *command;
    for (size_t i = 0; tact_help_page(i, &command); i++)
        (void)printf("%s%s", i > 0 ? " " : "", command);
}

/* ---- bash ---- */

/* The cases of a command: values of its options, then the options. */
static void bash_command(const char *command, const char *page)
{
    help_option options[HELP_OPTIONS];
    const size_t count = tact_help_options(page, options);
    bool is_command;
    const bool arguments = has_arguments(page, command, &is_command);
    for (size_t i = 0; i < count; i++) {
        const value_kind kind = kind_of(&options[i]);
        if (kind == VALUE_NONE)
            continue;
        (void)printf("    \"%s %s\")", command, options[i].name);
        if (kind == VALUE_WORDS) {
            (void)fputs(" words=\"", stdout);
            words_print(options[i].value);
            (void)putchar('"');
        } else if (kind == VALUE_OTHER) {
            (void)fputs(strcmp(options[i].value, "COMMAND") == 0 ? " words=$commands" : " compopt +o default", stdout);
        }
        (void)puts(" ;;");
    }
    (void)printf("    \"%s \"*)\n        if [[ $current == -* ]]; then words=\"--help", command);
    for (size_t i = 0; i < count; i++)
        (void)printf(" %s", options[i].name);
    (void)puts("\"");
    if (is_command)
        (void)puts("        else words=$commands");
    else if (!arguments)
        (void)puts("        else compopt +o default");
    (void)puts("        fi ;;");
}

static void bash_print(void)
{
    const char *command, *page;
    (void)puts("# Completion of tact for bash, written by `tact help --completion bash`.\n"
               "_tact()\n"
               "{\n"
               "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=");
    (void)fputs("    local commands=\"", stdout);
    commands_print();
    (void)puts("\"\n"
               "    COMPREPLY=()\n"
               "    case \"${COMP_WORDS[1]} $previous\" in");
    for (size_t i = 0; (page = tact_help_page(i, &command)) != NULL; i++)
        bash_command(command, page);
    (void)puts("    esac\n"
               "    [ \"$COMP_CWORD\" -gt 1 ] || words=\"$commands --help --version\"\n"
               "    [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
               "}\n"
               "complete -o default -F _tact tact");
}

/* ---- zsh ---- */

static void zsh_option(const help_option *option)
{
    (void)printf(" \\\n            '%s[", option->name);
    escaped_print(option->text, option->length, "[]:\\", "'\\''");
    (void)putchar(']');
    switch (kind_of(option)) {
    case VALUE_FILE:
        (void)fputs(":file:_files", stdout);
        break;
    case VALUE_WORDS:
        (void)fputs(":value:(", stdout);
        words_print(option->value);
        (void)putchar(')');
        break;
    case VALUE_OTHER:
        (void)printf(":%s:", option->value);
        break;
    case VALUE_NONE:
        break;
    }
    (void)putchar('\'');
}

static void zsh_print(void)
{
    const char *command, *page;
    help_option options[HELP_OPTIONS];
    (void)puts("#compdef tact\n"
               "# Completion of tact for zsh, written by `tact help --completion zsh`.\n"
               "_tact() {\n"
               "    local -a commands\n"
               "    commands=(");
    for (size_t i = 0; (page = tact_help_page(i, &command)) != NULL; i++) {
        const help_title title = tact_help_title(page, command);
        (void)printf("        '%s:", command);
        escaped_print(title.text, title.text_length, ":\\", "'\\''");
        (void)puts("'");
    }
    (void)puts("    )\n"
               "    if (( CURRENT == 2 )); then\n"
               "        _describe command commands\n"
               "        return\n"
               "    fi\n"
               "    shift words\n"
               "    (( CURRENT-- ))\n"
               "    case $words[1] in");
    for (size_t i = 0; (page = tact_help_page(i, &command)) != NULL; i++) {
        bool is_command;
        const bool arguments = has_arguments(page, command, &is_command);
        const size_t count = tact_help_options(page, options);
        (void)printf("    %s)\n        _arguments '(-h --help)'{-h,--help}'[the help page]'", command);
        for (size_t k = 0; k < count; k++)
            zsh_option(&options[k]);
        if (is_command) {
            (void)fputs(" \\\n            ':command:(", stdout);
            commands_print();
            (void)fputs(")'", stdout);
        } else if (arguments) {
            (void)fputs(" \\\n            '*:file:_files'", stdout);
        }
        (void)puts(" ;;");
    }
    (void)puts("    esac\n"
               "}\n"
               "_tact \"$@\"");
}

/* ---- fish ---- */

static void fish_option(const char *command, const help_option *option)
{
    const value_kind kind = kind_of(option);
    const bool is_long = option->name[1] == '-';
    (void)printf("complete -c tact -n '__fish_seen_subcommand_from %s' -%c %s", command, is_long ? 'l' : 's',
                 option->name + (is_long ? 2 : 1));
    if (kind == VALUE_WORDS) {
        (void)fputs(" -x -a '", stdout);
        words_print(option->value);
        (void)putchar('\'');
    } else if (kind != VALUE_NONE) {
        (void)fputs(kind == VALUE_FILE ? " -r -F" : " -x", stdout);
    }
    (void)fputs(" -d '", stdout);
    escaped_print(option->text, option->length, "\\", "\\'");
    (void)puts("'");
}

static void fish_print(void)
{
    const char *command, *page;
    help_option options[HELP_OPTIONS];
    (void)puts("# Completion of tact for fish, written by `tact help --completion fish`.");
    for (size_t i = 0; (page = tact_help_page(i, &command)) != NULL; i++) {
        const help_title title = tact_help_title(page, command);
        bool is_command;
        const bool arguments = has_arguments(page, command, &is_command);
        (void)printf("complete -c tact -f -n __fish_use_subcommand -a %s -d '", command);
        escaped_print(title.text, title.text_length, "\\", "\\'");
        (void)puts("'");
        if (is_command) {
            (void)printf("complete -c tact -f -n '__fish_seen_subcommand_from %s' -a '", command);
            commands_print();
            (void)puts("'");
        } else if (!arguments) {
            (void)printf("complete -c tact -f -n '__fish_seen_subcommand_from %s'\n", command);
        }
        const size_t count = tact_help_options(page, options);
        for (size_t k = 0; k < count; k++)
            fish_option(command, &options[k]);
    }
}

bool tact_help_completion_print(const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", bash_print}, {"zsh", zsh_print}, {"fish", fish_print}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].shell, shell) == 0) {
            shells[i].print();
            return true;
        }
    return false;
}
