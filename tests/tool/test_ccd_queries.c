/*
 * Continuous collision in the tool: `tact query` with ccd_vf and ccd_ee, and `tact query --ccd`. Both must match the
 * library for every form of the numbers, and continue after invalid lines.
 */
#define _POSIX_C_SOURCE 200809L

#include <float.h>
#include <math.h>
#include <tact/ccd.h>

#include "oracle/ccd_cases.h"
#include "support/long_form.h"
#include "support/random.h"
#include "support/shared_data.h"
#include "tool/answer.h"
#include "tool/folder.h"

/* A vertex that falls from 1 to -3 through a face: at 1/4. Then two crossed edges: at 1/2. */
#define FALL_START "[[0,0,1],[-1,-1,0],[1,-1,0],[0,1,0]]"
#define FALL_END "[[0,0,-3],[-1,-1,0],[1,-1,0],[0,1,0]]"
#define FALL "0 0 1 -1 -1 0 1 -1 0 0 1 0 0 0 -3 -1 -1 0 1 -1 0 0 1 0"
#define CROSS_START "[[-1,0,1],[1,0,1],[0,-1,0],[0,1,0]]"
#define CROSS_END "[[-1,0,0],[1,0,0],[0,-1,1],[0,1,1]]"

static outcome ccd_run(const char *kind, const char *input, size_t size)
{
    const char *const words[] = {"query", "--ccd", kind, NULL};
    return tool_run(words, input, size);
}

static void expect_answer(const char *request, const char *expected, double slack)
{
    outcome o = query_run(request);
    if (o.out.size > 0)
        o.out.data[o.out.size - 1] = '\0';
    if (!is_answer(o.out.data) || !same_answer(o.out.data, expected, slack) || o.status != 0)
        fail_msg("repeat: echo '%s' | tact query\nanswered %s (status %d)\nexpected %s\nstderr %s", request, o.out.data,
                 o.status, expected, o.err.data);
    outcome_free(&o);
}

static void expect_error(const char *request, const char *fragment)
{
    outcome o = query_run(request);
    if (o.status != 1 || strncmp(o.out.data, "{\"error\":\"", 10) != 0 || !strstr(o.err.data, fragment))
        fail_msg("repeat: echo '%s' | tact query\nanswered %s (status %d)\nstderr %sexpected %s", request, o.out.data,
                 o.status, o.err.data, fragment);
    outcome_free(&o);
}

static void requests_are_answered(void **state)
{
    (void)state;
    expect_answer("{\"op\":\"ccd_vf\",\"t0\":" FALL_START ",\"t1\":" FALL_END "}", "{\"hit\":true,\"t\":[0.25,0.25]}",
                  1e-12);
    expect_answer("{\"op\":\"ccd_vf\",\"t0\":" FALL_START ",\"t1\":" FALL_START "}", "{\"hit\":false}", 0);
    expect_answer("{\"op\":\"ccd_ee\",\"t0\":" CROSS_START ",\"t1\":" CROSS_END "}", "{\"hit\":true,\"t\":[0.5,0.5]}",
                  1e-12);
    expect_answer("{\"op\":\"ccd_ee\",\"t1\":" CROSS_START ",\"t0\":" CROSS_START ",\"separation\":0}",
                  "{\"hit\":false}", 0);
    /* half a unit above it */
    expect_answer("{\"op\":\"ccd_vf\",\"t0\":" FALL_START ",\"t1\":" FALL_END ",\"separation\":0.5}",
                  "{\"hit\":true,\"t\":[0.125,0.125]}", 1e-5);
    expect_answer("{\"op\":\"ccd_ee\",\"t0\":" CROSS_START ",\"t1\":" CROSS_START ",\"separation\":0.99}",
                  "{\"hit\":false}", 0);
    expect_answer("{\"op\":\"ccd_ee\",\"t0\":" CROSS_START ",\"t1\":" CROSS_START ",\"separation\":\"0x1p+1\"}",
                  "{\"hit\":true,\"t\":[0,0]}", 0);
    static const struct {
        const char *line, *fragment;
    } bad[] = {
        {"{\"op\":\"ccd_vf\",\"t1\":" FALL_END "}", "t0 is missing"},
        {"{\"op\":\"ccd_vf\",\"t0\":" FALL_END "}", "t1 is missing"},
        {"{\"op\":\"ccd_vf\",\"t0\":" FALL_START ",\"t1\":[[0,0,0],[1,1,1],[2,2,2]]}", "t1 must have 4 points, not 3"},
        {"{\"op\":\"ccd_ee\",\"t0\":[],\"t1\":" FALL_END "}", "t0 must have 4 points, not 0"},
        {"{\"op\":\"ccd_ee\",\"t0\":[[0,0,0],[1,1],[2,2,2],[0,0,0]],\"t1\":" FALL_END "}", "t0[1]"},
        {"{\"op\":\"ccd_ee\",\"t0\":[[0,0,0],[1,1,1e999],[2,2,2],[0,0,0]],\"t1\":" FALL_END "}", "not valid JSON"},
        {"{\"op\":\"ccd_ee\",\"t0\":" FALL_START ",\"t1\":" FALL_END ",\"a\":1}", "unknown key \"a\""},
        {"{\"op\":\"ccd_ee\",\"t0\":" FALL_START ",\"t1\":" FALL_END ",\"separation\":-1}",
         "separation must not be negative"},
        {"{\"op\":\"ccd_ee\",\"t0\":" FALL_START ",\"t1\":" FALL_END ",\"separation\":null}",
         "separation must be a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_error(bad[i].line, bad[i].fragment);
}

/* ---- compared with the library ---- */

/* A number in one of its textual forms. */
static void number_say(random_source *dice, bytes *line, double x, bool json)
{
    char text[1200];
    int how = random_between(dice, 0, json ? 1 : 5);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int field = (int)(bits >> 52 & 0x7ff);
    if (how == 0)
        (void)snprintf(text, sizeof text, json ? "%.17g" : "%.25e", x);
    else if (how == 1)
        (void)snprintf(text, sizeof text, json ? "\"%a\"" : "%a", x);
    else if (how == 2)
        (void)snprintf(text, sizeof text, "%A", x);
    else if (how == 3) /* all digits before the point, with redundant zeros */
        (void)snprintf(text, sizeof text, "%s0x000%llx.000p%+d", signbit(x) ? "-" : "",
                       (unsigned long long)(fraction | (field == 0 ? 0 : UINT64_C(1) << 52)),
                       (field == 0 ? 1 : field) - 1075);
    else if (how == 4) /* none before it, too many after it */
        (void)snprintf(text, sizeof text, "%s0X.000%014llx00000000000000000000P%d", signbit(x) ? "-" : "+",
                       (unsigned long long)(fraction | (field == 0 ? 0 : UINT64_C(1) << 52)),
                       (field == 0 ? 1 : field) - 1075 + 68);
    else
        (void)snprintf(text, sizeof text, "%.17g", x);
    bytes_say(line, text);
}

static void answer_say(bytes *b, const tact_ccd *answer, bool json)
{
    char text[100];
    if (answer->state != TACT_HIT)
        (void)snprintf(text, sizeof text, json ? "{\"hit\":false}\n" : "0\n");
    else
        (void)snprintf(text, sizeof text, json ? "{\"hit\":true,\"t\":[%.17g,%.17g]}\n" : "1 %.17g %.17g\n",
                       answer->lower, answer->upper);
    bytes_say(b, text);
}

static void query_say(random_source *dice, bytes *line, const ccd_case *query, bool json)
{
    bytes_say(line, !json ? "7.5e" : query->kind == TACT_VERTEX_FACE ? "{\"op\":\"ccd_vf\"" : "{\"op\":\"ccd_ee\"");
    for (int s = 0; s < 2; s++) {
        if (json)
            bytes_say(line, s == 0 ? ",\"t0\":[" : ",\"t1\":[");
        for (int k = 0; k < 4; k++) {
            tact_vec3 p = s == 0 ? query->start[k] : query->end[k];
            const double x[3] = {p.x, p.y, p.z};
            for (int c = 0; c < 3; c++) {
                bytes_say(line, !json ? (random_chance(dice, 0.1) ? " \t " : " ") : c > 0 ? "," : k == 0 ? "[" : ",[");
                number_say(dice, line, x[c], json);
            }
            if (json)
                bytes_say(line, "]");
        }
        if (json)
            bytes_say(line, "]");
    }
    bytes_say(line, json ? "}\n" : random_chance(dice, 0.1) ? " \r\n" : random_chance(dice, 0.1) ? "\n\n \n" : "\n");
}

static void the_tool_matches_the_library(void **state)
{
    (void)state;
    uint64_t count = random_case_count(40, 2000);
    for (int kind = 0; kind < 2; kind++)
        for (int json = 0; json < 2; json++) {
            bytes input = {NULL, 0, 0}, expected = {NULL, 0, 0};
            random_source dice = random_seed((uint64_t)(2 * kind + json));
            int hits = 0, misses = 0;
            for (uint64_t number = 0; number < count; number++)
                for (int type = 0; type < CCD_CASE_TYPES; type++) {
                    ccd_case query = ccd_case_make((ccd_case_type)type, (tact_ccd_kind)kind, number);
                    tact_ccd answer = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(query.start, query.end, NULL)
                                                               : tact_ccd_edge_edge(query.start, query.end, NULL);
                    query_say(&dice, &input, &query, json == 1);
                    answer_say(&expected, &answer, json == 1);
                    hits += answer.state == TACT_HIT;
                    misses += answer.state == TACT_MISS;
                }
            outcome o = json == 1 ? query_run(input.data) : ccd_run(kind == 0 ? "vf" : "ee", input.data, input.size);
            assert_int_equal(o.status, 0);
            assert_string_equal(o.err.data, "");
            assert_string_equal(o.out.data, expected.data);
            assert_true(hits >= (int)count * 4 && misses >= (int)count * 4);
            outcome_free(&o);
            bytes_free(&input);
            bytes_free(&expected);
        }
}

/* ---- plain lines ---- */

static void expect_lines(const char *input, size_t size, const char *expected, int status, const char *error_text)
{
    outcome o = ccd_run("vf", input, size);
    if (o.status != status || strcmp(o.out.data, expected) != 0 ||
        (error_text ? !strstr(o.err.data, error_text) : o.err.size != 0))
        fail_msg("repeat: tact query --ccd vf, then\n%s\nanswered %s(status %d)\nstderr %s\nexpected %s%s", input,
                 o.out.data, o.status, o.err.data, expected, error_text ? error_text : "");
    outcome_free(&o);
}

static void invalid_lines_do_not_stop_the_rest(void **state)
{
    (void)state;
    const char good[] = "1 0.25 0.25\n";
    expect_lines("", 0, "", 0, NULL);
    expect_lines("\n \t\r\n\n", 6, "", 0, NULL);
    expect_lines("1 " FALL, strlen("1 " FALL), good, 0, NULL);
    expect_lines("what? " FALL "\r\n", strlen("what? " FALL "\r\n"), good, 0, NULL);
    static const struct {
        const char *line, *error_text;
    } bad[] = {
        {FALL, "stdin:2: there are 23 numbers after the first word, not 24"},
        {"1", "stdin:2: there are 0 numbers after"},
        {"1 " FALL " 7", "stdin:2: there are more than 24 numbers"},
        {"1 " FALL ",", "stdin:2: number 24 of 24 was expected"},
        {"1 x" FALL, "stdin:2: number 1 of 24 was expected"},
        {"1 nan " FALL, "stdin:2: number 1 of 24 was expected"},
        {"1 0 inf " FALL, "stdin:2: number 2 of 24 was expected"},
        {"1 1e999 " FALL, "stdin:2: number 1 is too large"},
        {"1 -0x1p1024 " FALL, "stdin:2: number 1 is too large"},
        {"1 0x " FALL, "stdin:2: number 1 of 24 was expected"},
        {"1 0x.p1 " FALL, "stdin:2: number 1 of 24 was expected"},
        {"1 0x1p " FALL, "stdin:2: number 1 of 24 was expected"},
        {"1 0x1.1.1 " FALL, "stdin:2: number 1 of 24 was expected"},
        {"1 - " FALL, "stdin:2: number 1 of 24 was expected"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bytes input = {NULL, 0, 0};
        bytes_say(&input, "0 " FALL "\n");
        bytes_say(&input, bad[i].line);
        bytes_say(&input, "\n1 " FALL "\n1\n");
        expect_lines(input.data, input.size, "1 0.25 0.25\n-1\n1 0.25 0.25\n-1\n", 1, bad[i].error_text);
        bytes_free(&input);
    }
    /* bytes of any kind */
    random_source dice = random_seed(5);
    for (int round = 0; round < 60; round++) {
        bytes input = {NULL, 0, 0};
        bytes_say(&input, "0 " FALL "\n");
        input.data[random_below(&dice, input.size - 1)] = (char)random_between(&dice, '\n' + 1, 255);
        bytes_say(&input, "1 " FALL "\n");
        outcome o = ccd_run("vf", input.data, input.size);
        assert_true(o.status == 0 || o.status == 1);
        assert_int_equal(count_lines(o.out.data), 2);
        assert_string_equal(o.out.data + o.out.size - strlen(good), good);
        outcome_free(&o);
        bytes_free(&input);
    }
}

static void usage_is_explained(void **state)
{
    (void)state;
    static const char *const without[] = {"query", "--ccd", NULL};
    static const char *const other[] = {"query", "--ccd", "ff", NULL};
    static const char *const two[] = {"query", "--ccd", "vf", "a", "b", NULL};
    static const char *const parts[] = {"query", "--parts", "--ccd", "vf", NULL};
    static const char *const absent[] = {"query", "--ccd", "ee", "absent.txt", NULL};
    static const char *const *const usages[] = {without, other, two, parts};
    static const char *const says[] = {"--ccd needs vf or ee", "--ccd needs vf or ee", "there must be one file",
                                       "--parts does not apply to --ccd"};
    for (int i = 0; i < 4; i++) {
        outcome o = tool_run(usages[i], "", 0);
        assert_int_equal(o.status, 2);
        assert_non_null(strstr(o.err.data, says[i]));
        outcome_free(&o);
    }
    outcome o = tool_run(absent, "", 0);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err.data, "absent.txt: cannot be opened"));
    outcome_free(&o);
}

static void files_and_standard_input_are_read(void **state)
{
    (void)state;
    const char text[] = "0 " FALL "\n1 " FALL "\n";
    file_put("pairs.txt", text, sizeof text - 1);
    static const char *const file[] = {"query", "--ccd", "vf", "pairs.txt", NULL};
    static const char *const before[] = {"query", "pairs.txt", "--ccd", "vf", NULL};
    static const char *const dash[] = {"query", "--ccd", "vf", "-", NULL};
    static const char *const *const ways[] = {file, before, dash};
    for (int i = 0; i < 3; i++) {
        outcome o = tool_run(ways[i], text, i == 2 ? sizeof text - 1 : 0);
        assert_int_equal(o.status, 0);
        assert_string_equal(o.out.data, "1 0.25 0.25\n1 0.25 0.25\n");
        outcome_free(&o);
    }
    assert_int_equal(unlink("pairs.txt"), 0);
}

static void known_answers_are_given(void **state)
{
    (void)state;
    static const char *const names[] = {"unit-tests.vf", "unit-tests.ee", "erleben-spikes.vf", "cloth-funnel.ee"};
    char path[4200];
    const char *data = shared_data();
    for (int i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s/ccd-queries/%s.txt", data, names[i]);
        int file = open(path, O_RDONLY);
        assert_true(file >= 0);
        bytes known = file_read_all(file);
        (void)close(file);
        const char *const words[] = {"query", "--ccd", strchr(names[i], '.') + 1, path, NULL};
        outcome o = tool_run(words, "", 0);
        assert_int_equal(o.status, 0);
        const char *a = known.data, *b = o.out.data;
        int line = 1;
        for (; *a && *b; line++) {
            if (*a != *b)
                fail_msg("%s:%d: answered %c, not %c", path, line, *b, *a);
            a = strchr(a, '\n') + 1;
            b = strchr(b, '\n') + 1;
        }
        assert_true(*a == '\0' && *b == '\0' && line > 50);
        outcome_free(&o);
        bytes_free(&known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(the_tool_matches_the_library),
        cmocka_unit_test(invalid_lines_do_not_stop_the_rest),
        cmocka_unit_test(usage_is_explained),
        cmocka_unit_test(files_and_standard_input_are_read),
        cmocka_unit_test(known_answers_are_given),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
