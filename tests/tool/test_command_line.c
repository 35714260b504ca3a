/* Files, pipes, usage, help, version and `tact show`. */
#define _POSIX_C_SOURCE 200809L

#include <poll.h>
#include <tact/version.h>

#include "tool/answer.h"
#include "tool/request.h"
#include "tool/run.h"

#define ASK PAIR("intersect", BALL, BALL_AT(9, 0, 0))
#define NO "{\"hit\":false}\n"
#define OPERATIONS "intersect, distance, depth, toi, ray, closest, contains, contacts, intersections, ccd_vf, ccd_ee"

static void all_line_ends_are_read(void **state)
{
    (void)state;
    outcome o = query_run("");
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out.data, "");
    outcome_free(&o);
    o = query_run("\n\r\n \t \n" ASK "\r\n\n" ASK "\n" ASK);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out.data, NO NO NO);
    assert_string_equal(o.err.data, "");
    outcome_free(&o);
    /* Only the first invalid line is reported on stderr. */
    o = query_run(ASK "\n\nrubbish\n" ASK "\n{}\n" ASK "\n");
    assert_int_equal(o.status, 1);
    assert_int_equal(count_lines(o.out.data), 5);
    assert_int_equal(count_lines(o.err.data), 1);
    assert_memory_equal(o.err.data, "stdin:3: not valid JSON", 23);
    outcome_free(&o);
}

static void bytes_that_are_not_text_are_rejected(void **state)
{
    (void)state;
    static const char *const words[] = {"query", "-", NULL};
    static const char zero[] = "{\"op\":\0\"depth\"}\n\0\n" ASK "\n",
                      broken[] = "{\"op\":\"\xff\xfe\"}\n{\"\xc3\":1}\n" ASK;
    outcome o = tool_run(words, zero, sizeof zero - 1);
    assert_int_equal(o.status, 1);
    assert_int_equal(count_lines(o.out.data), 3);
    assert_non_null(strstr(o.out.data, NO));
    assert_int_equal(o.out.size, strlen(o.out.data));
    outcome_free(&o);
    o = tool_run(words, broken, sizeof broken - 1);
    assert_int_equal(o.status, 1);
    assert_int_equal(count_lines(o.out.data), 3);
    assert_true(utf8_valid(o.out.data));
    assert_true(utf8_valid(o.err.data));
    outcome_free(&o);
}

static void a_line_may_be_long(void **state)
{
    (void)state;
    bytes line = {NULL, 0, 0};
    bytes_say(
        &line,
        "{\"op\":\"distance\",\"b\":{\"type\":\"point\",\"points\":[[3,0,0]]},\"a\":{\"type\":\"hull\",\"points\":[");
    for (int i = 0; i < 20000; i++) {
        char point[100];
        double x = cos(i * 0.37) * 0.9, y = sin(i * 0.71), z = cos(i * 1.13);
        (void)snprintf(point, sizeof point, "[%.17g,%.17g,%.17g],", x, y, z);
        bytes_say(&line, point);
    }
    bytes_say(&line, "[1,0,0]]}");
    for (int i = 0; i < 1000000; i++)
        bytes_say(&line, " ");
    bytes_say(&line, "}\n" ASK "\n");
    outcome o = query_run(line.data);
    assert_int_equal(o.status, 0);
    assert_int_equal(count_lines(o.out.data), 2);
    *strchr(o.out.data, '\n') = '\0';
    assert_true(same_answer(o.out.data, "{\"distance\":2,\"pa\":[1,0,0],\"pb\":[3,0,0]}", 1e-8));
    outcome_free(&o);
    bytes_free(&line);
}

/* A file name or an option may hold the bytes that a terminal obeys. */
static void errors_have_no_control_characters(void **state)
{
    (void)state;
    static const char bad[] = "gone\x1b[31m\x7f\n";
    static const char *const words[][6] = {
        {bad, NULL},
        {"query", bad, NULL},
        {"check", bad, NULL},
        {"ccd", bad, bad, NULL},
        {"play", bad, bad, NULL},
        {"run", bad, NULL},
        {"run", bad, bad, NULL},
        {"run", "--gone\x1b[31m", NULL},
        {"run", "-", "--out", "gone\x1b/a", NULL},
    };
    static const char scene[] = "{\"end\":1,\"bodies\":[]}";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        outcome o = tool_run(words[i], scene, sizeof scene - 1);
        assert_true(o.status == 1 || o.status == 2);
        assert_int_equal(count_lines(o.err.data), 1);
        for (const char *c = o.err.data; *c; c++)
            if ((*c < 0x20 && *c != '\n') || *c == 0x7F)
                fail_msg("case %zu: byte %d in %s", i, *c, o.err.data);
        outcome_free(&o);
    }
}

static void values_may_follow_an_equals_sign(void **state)
{
    (void)state;
    static const char scene[] = "{\"end\":1,\"bodies\":[]}";
    static const struct {
        const char *word, *error; /* NULL: none */
    } cases[] = {{"--end=3", NULL},
                 {"--end=x", "tact run: --end needs a time that is not negative, not \"x\". Try: tact help run\n"},
                 {"--end=", "tact run: --end needs a time that is not negative, not \"\". Try: tact help run\n"},
                 {"--gone=3", "tact run: there is no option --gone. Try: tact help run\n"},
                 {"--=3", "tact run: there is no option --=3. Try: tact help run\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o = tool_run((const char *const[]){"run", "-", "--json", cases[i].word, NULL}, scene, sizeof scene - 1);
        assert_int_equal(o.status, cases[i].error ? 2 : 0);
        assert_string_equal(o.err.data, cases[i].error ? cases[i].error : "");
        outcome_free(&o);
    }
    /* after -- there are only names */
    outcome o = tool_run((const char *const[]){"run", "--", "--end=3", NULL}, "", 0);
    assert_int_equal(o.status, 1);
    assert_string_equal(o.err.data, "--end=3: cannot be opened: No such file or directory\n");
    outcome_free(&o);
}

static void errors_give_file_and_line(void **state)
{
    (void)state;
    char name[] = "query_tool_XXXXXX";
    int file = mkstemp(name);
    assert_true(file >= 0);
    static const char text[] = ASK "\n{}\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    (void)close(file);
    const char *words[] = {"query", name, NULL};
    outcome o = tool_run(words, "", 0);
    (void)unlink(name);
    char expected[300];
    (void)snprintf(expected, sizeof expected, "%s:2: op is missing; it must be one of " OPERATIONS "\n", name);
    assert_int_equal(o.status, 1);
    assert_string_equal(o.err.data, expected);
    assert_string_equal(o.out.data, NO "{\"error\":\"op is missing; it must be one of " OPERATIONS "\"}\n");
    outcome_free(&o);

    o = tool_run(words, "", 0); /* the file was removed */
    assert_int_equal(o.status, 1);
    assert_int_equal(count_lines(o.err.data), 1);
    assert_memory_equal(o.err.data, name, strlen(name));
    assert_string_equal(o.out.data, "");
    outcome_free(&o);

    static const char *const folder[] = {"query", "/", NULL};
    o = tool_run(folder, "", 0);
    assert_int_equal(o.status, 1);
    assert_int_equal(count_lines(o.err.data), 1);
    assert_memory_equal(o.err.data, "/: ", 3);
    outcome_free(&o);
}

/* A program can query through pipes and gets each answer before it sends the next request. */
static void answers_are_flushed(void **state)
{
    (void)state;
    static const char *const words[] = {"query", NULL};
    int to, from, err = file_with("", 0);
    pid_t child = tool_start_piped(words, &to, &from, err);
    for (int i = 0; i < 3; i++) {
        char answer[100];
        struct pollfd ready = {from, POLLIN, 0};
        assert_int_equal(write(to, ASK "\n", sizeof ASK), sizeof ASK);
        assert_int_equal(poll(&ready, 1, 60000),
                         1); /* milliseconds; only a tool that keeps its answers reaches the end */
        assert_int_equal(read(from, answer, sizeof answer), sizeof NO - 1);
        assert_memory_equal(answer, NO, sizeof NO - 1);
    }
    (void)close(to);
    assert_int_equal(tool_wait(child), 0);
    (void)close(from);
    (void)close(err);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    int full = open("/dev/full", O_WRONLY);
    if (full < 0)
        skip();
    static const char *const lines[][3] = {{"query", NULL, NULL}, {"--help", NULL, NULL}, {"show", NULL, NULL}};
    for (size_t i = 0; i < 3; i++) {
        int in = file_with(ASK "\n", sizeof ASK), err = file_with("", 0);
        assert_int_equal(tool_wait(tool_start(lines[i], in, full, err)), 1);
        bytes message = file_read_all(err);
        assert_int_equal(count_lines(message.data), 1);
        assert_non_null(strstr(message.data, "cannot be written"));
        bytes_free(&message);
        (void)close(in);
        (void)close(err);
    }
    (void)close(full);
}

static void usage_is_status_2(void **state)
{
    (void)state;
    static const char *const bad[][4] = {
        {NULL},
        {"dance", NULL},
        {"--dance", NULL},
        {"help", "dance", NULL},
        {"query", "--ccd", NULL},
        {"query", "a.jsonl", "b.jsonl", NULL},
        {"show", "me", NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        outcome o = tool_run(bad[i], "", 0);
        assert_int_equal(o.status, 2);
        assert_string_equal(o.out.data, "");
        assert_int_equal(count_lines(o.err.data), 1);
        outcome_free(&o);
    }
}

static void version_and_help_are_printed(void **state)
{
    (void)state;
    char version[60];
    (void)snprintf(version, sizeof version, "tact %d.%d.%d\n", TACT_VERSION_MAJOR, TACT_VERSION_MINOR,
                   TACT_VERSION_PATCH);
    static const char *const ask_version[] = {"--version", NULL};
    outcome o = tool_run(ask_version, "", 0);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out.data, version);
    outcome_free(&o);
    static const char *const helps[][3] = {
        {"--help", NULL},          {"help", NULL},           {"help", "query", NULL}, {"help", "show", NULL},
        {"query", "--help", NULL}, {"show", "--help", NULL}, {"help", "check", NULL}, {"check", "--help", NULL}};
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; i++) {
        o = tool_run(helps[i], "", 0);
        assert_int_equal(o.status, 0);
        assert_true(count_lines(o.out.data) >= 3);
        assert_string_equal(o.err.data, "");
        outcome_free(&o);
    }
}

/* The requests that the help shows can be pasted, and their answers begin as shown. */
static void examples_in_the_help_are_correct(void **state)
{
    (void)state;
    static const char *const words[] = {"help", "query", NULL};
    outcome help = tool_run(words, "", 0);
    int pasted = 0;
    char *rest = NULL;
    for (char *line = strtok_r(help.out.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "  {\"op\"", 7) != 0)
            continue;
        char *shown = strtok_r(NULL, "\n", &rest);
        assert_non_null(shown);
        assert_memory_equal(shown, "  -> ", 5);
        shown += 5;
        outcome o = query_run(line + 2);
        o.out.data[o.out.size - 1] = '\0';
        const char *dots = strstr(shown, "...");
        bool same =
            dots ? strncmp(shown, o.out.data, (size_t)(dots - shown)) == 0 : same_answer(o.out.data, shown, 1e-9);
        if (o.status != 0 || !same)
            fail_msg("repeat: echo '%s' | tact query\nhelp says %s\nanswered %s", line + 2, shown, o.out.data);
        outcome_free(&o);
        pasted++;
    }
    assert_int_equal(pasted, 3);
    outcome_free(&help);
}

static void show_runs(void **state)
{
    (void)state;
    static const char *const words[] = {"show", NULL};
    outcome o = tool_run(words, "", 0);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.err.data, "");
    assert_true(count_lines(o.out.data) >= 10);
    assert_null(strstr(o.out.data, "nan"));
    assert_null(strstr(o.out.data, "failed"));
    assert_non_null(strstr(o.out.data, "at 1.000000000000, 2.600000000000, 3.880000000000, 4.904000000000 s;"));
    assert_non_null(strstr(o.out.data, "touch 3141 times"));
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_line_ends_are_read),
        cmocka_unit_test(bytes_that_are_not_text_are_rejected),
        cmocka_unit_test(a_line_may_be_long),
        cmocka_unit_test(errors_give_file_and_line),
        cmocka_unit_test(errors_have_no_control_characters),
        cmocka_unit_test(values_may_follow_an_equals_sign),
        cmocka_unit_test(answers_are_flushed),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(usage_is_status_2),
        cmocka_unit_test(version_and_help_are_printed),
        cmocka_unit_test(examples_in_the_help_are_correct),
        cmocka_unit_test(show_runs),
    };
    return cmocka_run_group_tests_name("tool", tests, NULL, NULL);
}
