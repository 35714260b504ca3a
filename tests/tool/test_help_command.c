/*
 * Help pages against the parsers of the commands, and what is made from the pages: completions, which bash executes
 * here, and manual pages.
 */
#define _POSIX_C_SOURCE 200809L

#include "tool/run.h"

#define MAX_COMMANDS 40

static char *text_of(const char *path)
{
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return NULL;
    bytes all = file_read_all(file);
    (void)close(file);
    return all.data;
}

static char *help_of(const char *word, const char *value)
{
    outcome o = tool_run((const char *const[]){"help", word, value, NULL}, "", 0);
    if (o.status != 0)
        fail_msg("tact help %s %s: %s", word ? word : "", value ? value : "", o.err.data);
    assert_string_equal(o.err.data, "");
    bytes_free(&o.err);
    return o.out.data;
}

/* The names of the commands, in the text that `*text` gets. */
static size_t commands_list(char **text, char *names[MAX_COMMANDS])
{
    size_t count = 0;
    *text = help_of("--commands", NULL);
    for (char *name = strtok(*text, "\n"); name; name = strtok(NULL, "\n")) {
        assert_true(count < MAX_COMMANDS);
        names[count++] = name;
    }
    assert_true(count >= 9);
    return count;
}

/* The options that the source of a command compares words with are those of its page. */
static void every_option_is_on_the_page(void **state)
{
    (void)state;
    char *text, *names[MAX_COMMANDS];
    const size_t count = commands_list(&text, names);
    size_t options = 0;
    for (size_t i = 0; i < count; i++) {
        char path[500], option[100];
        (void)snprintf(path, sizeof path, TACT_REPOSITORY "/tools/tact/%s.c", names[i]);
        char *source = text_of(path), *page = help_of(names[i], NULL);
        if (!source)
            fail_msg("%s is missing", path);
        for (const char *at = source; (at = strstr(at, ", \"-")) != NULL; at++) {
            const size_t length = strcspn(at + 3, "\"");
            if (memcmp(at + 3 + length, "\") == 0", 7) != 0 || length < 2 || length >= sizeof option - 2)
                continue;
            (void)snprintf(option, sizeof option, "%.*s", (int)length, at + 3);
            if (strcmp(option, "--") == 0 || strcmp(option, "-h") == 0 || strcmp(option, "--help") == 0)
                continue;
            if (!strstr(page, option))
                fail_msg("tact help %s does not have %s", names[i], option);
            options++;
        }
        /* and no other */
        const char *list = strstr(page, "\nOptions\n");
        for (const char *at = list; at && (at = strstr(at, "\n  -")) != NULL; at++) {
            const size_t length = strcspn(at + 3, " ,\n");
            (void)snprintf(option, sizeof option, "\"%.*s\"", (int)length, at + 3);
            if (!strstr(source, option))
                fail_msg("tact %s does not know %s of its page", names[i], option);
        }
        free(source);
        free(page);
    }
    assert_true(options >= 30);
    free(text);
}

/* What bash offers for the last word of a line. */
static void bash_completes(const char *line, const char *expected)
{
    char script[] = "completion_XXXXXX", command[1000], found[4000] = "";
    char *text = help_of("--completion", "bash");
    const int file = mkstemp(script);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    (void)close(file);
    (void)snprintf(command, sizeof command,
                   "bash -c 'compopt() { :; }; . ./%s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tact; "
                   "echo \"${COMPREPLY[*]}\"' 2>&1",
                   script, line);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    const size_t got = fread(found, 1, sizeof found - 1, out);
    found[got > 0 ? got - 1 : 0] = '\0';
    assert_int_equal(pclose(out), 0);
    (void)unlink(script);
    free(text);
    assert_string_equal(found, expected);
}

static void bash_offers_commands_options_and_values(void **state)
{
    (void)state;
    (void)tool_path();
    if (system("bash -c true >/dev/null 2>&1") != 0)
        skip();
    bash_completes("tact c", "check ccd");
    bash_completes("tact --v", "--version");
    bash_completes("tact run --s", "--states --save");
    bash_completes("tact run scene.json --e", "--every --end");
    bash_completes("tact query --ccd \"\"", "vf ee");
    bash_completes("tact play --engine s", "swept");
    bash_completes("tact help q", "query");
    bash_completes("tact help --man vi", "view");
    /* files are left to bash */
    bash_completes("tact run \"\"", "");
    bash_completes("tact run --save \"\"", "");
    bash_completes("tact ccd --gone", "");
}

/* Lines of man(7) begin with a request that exists, and .nf and .fi alternate. */
static void manual_check(const char *name, char *page)
{
    static const char *const requests[] = {".TH ", ".ad l", ".SH ", ".nf", ".fi", ".PP", ".TP"};
    const size_t request_count = sizeof requests / sizeof *requests;
    size_t seen[sizeof requests / sizeof *requests] = {0};
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
        size_t i = 0;
        while (i < request_count && strncmp(line, requests[i], strlen(requests[i])) != 0)
            i++;
        if ((line[0] == '.' && i == request_count) || line[0] == '\'')
            fail_msg("manual of %s: %s", name, line);
        if (i < request_count)
            seen[i]++;
        for (const char *c = line; (c = strchr(c, '\\')) != NULL; c += 2)
            if (!strchr("fe&(-", c[1]))
                fail_msg("manual of %s: %s", name, line);
    }
    assert_int_equal(seen[0], 1);
    assert_true(seen[2] >= 3);
    assert_int_equal(seen[3], seen[4]);
}

static void every_command_has_a_manual_page(void **state)
{
    (void)state;
    char *text, *names[MAX_COMMANDS];
    const size_t count = commands_list(&text, names);
    char *tool = help_of("--man", NULL);
    for (size_t i = 0; i < count; i++) {
        char begin[200], reference[200];
        char *page = help_of("--man", names[i]);
        (void)snprintf(begin, sizeof begin, ".SH NAME\ntact\\-%s \\- ", names[i]);
        (void)snprintf(reference, sizeof reference, "\\fBtact\\-%s\\fR(1)", names[i]);
        assert_non_null(strstr(page, begin));
        assert_non_null(strstr(tool, reference));
        manual_check(names[i], page);
        free(page);
    }
    assert_non_null(strstr(tool, ".SH NAME\ntact \\- finds "));
    manual_check("tact", tool);
    free(tool);
    free(text);
}

/* Every command and option is in the scripts of the other shells, too; `make check` has no zsh and fish to run them. */
static void other_shells_have_all_options(void **state)
{
    (void)state;
    char *zsh = help_of("--completion", "zsh"), *fish = help_of("--completion", "fish");
    assert_non_null(strstr(zsh, "        'query:answers JSON requests, one per line'\n"));
    assert_non_null(strstr(zsh, "'--ccd[requests are lines of plain numbers\\: see below]:value:(vf ee)'"));
    assert_non_null(strstr(zsh, "'--save[write the run, for tact view]:file:_files'"));
    assert_non_null(strstr(fish, "complete -c tact -n '__fish_seen_subcommand_from query' -l ccd -x -a 'vf ee' -d "));
    assert_non_null(strstr(fish, "complete -c tact -n '__fish_seen_subcommand_from view' -s o -r -F -d "));
    free(zsh);
    free(fish);
}

static void wrong_usage_is_reported(void **state)
{
    (void)state;
    static const struct {
        const char *words[5], *error;
    } cases[] = {
        {{"help", "--completion", NULL}, "tact help: --completion needs bash, zsh or fish. Try: tact help help\n"},
        {{"help", "--completion", "csh", NULL},
         "tact help: --completion needs bash, zsh or fish. Try: tact help help\n"},
        {{"help", "--gone", NULL}, "tact help: there is no option --gone. Try: tact help help\n"},
        {{"help", "run", "view", NULL},
         "tact help: there must be one command, not both run and view. Try: tact help help\n"},
        {{"help", "--man", "run", "view", NULL}, "tact help: there is a word too many: view. Try: tact help help\n"},
        {{"help", "--commands", "run", NULL}, "tact help: there is a word too many: run. Try: tact help help\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o = tool_run(cases[i].words, "", 0);
        assert_int_equal(o.status, 2);
        assert_string_equal(o.err.data, cases[i].error);
        assert_string_equal(o.out.data, "");
        outcome_free(&o);
    }
    outcome o = tool_run((const char *const[]){"help", "--man", "gone", NULL}, "", 0);
    assert_int_equal(o.status, 2);
    assert_non_null(strstr(o.err.data, "there is no command gone; the commands are check, "));
    assert_non_null(strstr(o.err.data, " and help. Try: tact help\n"));
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_on_the_page),     cmocka_unit_test(bash_offers_commands_options_and_values),
        cmocka_unit_test(every_command_has_a_manual_page), cmocka_unit_test(other_shells_have_all_options),
        cmocka_unit_test(wrong_usage_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
