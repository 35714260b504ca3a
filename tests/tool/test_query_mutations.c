/* `tact query` with randomly changed valid lines: each line gets exactly one answer. */
#define _POSIX_C_SOURCE 200809L

#include "support/long_form.h"
#include "support/random.h"
#include "tool/answer.h"
#include "tool/request.h"
#include "tool/run.h"

#define SEED 20240607u

static random_source source;

static size_t pick(size_t n) { return (size_t)random_below(&source, n); }

static const char *const good_lines[] = {
    PAIR("distance", BALL, CUBE_AT(3, 0.5, 0)),
    PAIR("depth", "{\"type\":\"cone\",\"radius\":1,\"height\":2,\"margin\":0.1}", CUBE_AT(1, 0.5, 0)),
    PAIR("intersect", "{\"type\":\"hull\",\"points\":[[1,0,0],[0,1,0],[0,0,1],[-1,-1,-1],[0.1,0.1,0.1]]}",
         BALL_AT(2, 1, 1)),
    PAIR("depth", "{\"type\":\"cylinder\",\"radius\":1,\"height\":\"0x1.8p+1\"}",
         "{\"type\":\"ellipsoid\",\"radii\":[1,2,3],\"place\":{\"translate\":[2,1,0],\"rotate\":[1,2,3,4],\"scale\":[1,"
         "-2,1]}}"),
    "{\"op\":\"toi\",\"end\":2,\"tolerance\":1e-6,\"a\":{\"type\":\"box\",\"size\":[1,1,1],\"place\":{\"translate\":[0,"
    "3,0]},"
    "\"motion\":{\"velocity\":[1,0,0],\"acceleration\":[0,-9.81,0],\"spin\":[0,0,3]}},\"b\":" CUBE_AT(0, -1, 0) "}",
    "{\"op\":\"ray\",\"a\":{\"type\":\"capsule\",\"radius\":1,\"height\":2},\"from\":[-5,0,0],\"dir\":[1,0.1,0],"
    "\"max\":100}",
    PAIR("distance",
         "{\"type\":\"sum\",\"of\":[{\"type\":\"segment\",\"points\":[[0,0,0],[1,2,3]]},{\"type\":\"triangle\","
         "\"points\":[[1,0,0],[0,1,0],[0,0,1]]}]}",
         "{\"type\":\"join\",\"of\":[" BALL_AT(5, 0, 0) ",{\"type\":\"point\",\"points\":[[9,9,9]]}]}"),
    PAIR("intersect", "{\"type\":\"polygon\",\"points\":[[0,0,0],[1,0,0],[1,1,0],[0,1,0]]}",
         "{\"type\":\"tetrahedron\",\"points\":[[0,0,-1],[1,0,-1],[0,1,-1],[0.3,0.3,2]],\"place\":{\"matrix\":"
         "[1,0,0,0,0,1,0,0,0,0,1,0,0.1,0.2,0.3,1]}}"),
    PAIR(
        "intersect",
        "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],[0,1,3],[1,2,3],[2,0,"
        "3]],\"solid\":true,\"margin\":0.1}",
        BALL_AT(2, 1, 1)),
    PAIR(
        "distance",
        "{\"type\":\"compound\",\"margin\":0.1,\"parts\":[" BALL
        ",{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[1,1,1]],\"triangles\":[[0,1,2],[1,2,3]],\"place\":{"
        "\"scale\":[1,2,3]}}]}",
        "{\"type\":\"mesh\",\"vertices\":[[5,0,0],[6,0,0],[5,1,0]],\"triangles\":[[0,1,2]]}"),
    PAIR(
        "depth",
        "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],[0,1,3],[1,2,3],[2,0,"
        "3]],\"solid\":true}",
        CUBE_AT(1, 0.5, 0)),
    "{\"op\":\"toi\",\"end\":2,\"tolerance\":1e-6,\"a\":{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[1,1,"
    "1]],\"triangles\":[[0,1,2],[1,2,3]],\"motion\":{\"velocity\":[1,0,0],\"acceleration\":[0,-9.81,0]}},\"b\":{"
    "\"type\":"
    "\"compound\",\"parts\":[" CUBE_AT(0, -3, 0) "," BALL_AT(4, 0, 0) "]}}",
    "{\"op\":\"ray\",\"a\":{\"type\":\"compound\",\"parts\":[{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,"
    "0]],\"triangles\":[[0,1,2]]}],\"place\":{\"rotate\":[1,2,3,4]}},\"from\":[0.1,0.1,5],\"dir\":[0,0,-1]}",
    "{\"op\":\"closest\",\"a\":{\"type\":\"capsule\",\"radius\":1,\"height\":2},\"from\":[-5,0,0]}",
    "{\"op\":\"contains\",\"a\":{\"type\":\"cone\",\"radius\":1,\"height\":2},\"point\":[0.1,0,0]}",
    "{\"op\":\"contacts\",\"a\":" CUBE_AT(0, 0, 0) ",\"b\":" CUBE_AT(1, 0.5, 0) ",\"max_separation\":0.1}",
    PAIR(
        "intersections",
        "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],[0,1,3],[1,2,3],[2,0,"
        "3]],\"solid\":true}",
        CUBE_AT(1, 0.5, 0)),
    "{\"op\":\"ccd_vf\",\"t0\":[[0.1,0,1],[-1,-1,0],[1,-1,0],[0,1,0]],\"t1\":[[0,0,-3],[-1,-1,0],[1,-1,0],[0,1,0.5]]}",
    "{\"op\":\"ccd_ee\",\"t0\":[[-1,0,1],[1,0,1],[0,-1,0],[0,1,0]],\"t1\":[[-1,0,0],[1,0,0.25],[0,-1,1],[0,1,1]],"
    "\"separation\":0.1}",
};

#define GOOD_LINES (sizeof good_lines / sizeof good_lines[0])

/* clang-format off */

/* Replacements for a number. */
static const char *const odd_numbers[] = {
    "0", "-0.0", "1", "-1", "2", "-3", "0.5", "1e-3", "1e-6", "1e-9", "1e-12", "1e3", "1e6", "1e9", "-1e12", "1e-40",
    "1e40", "1e150", "1e-150", "1e154", "1e-162", "1e300", "-1e300", "1e308", "-1e308", "1e-308", "5e-324", "1e999",
    "NaN", "null", "0.99999999999999989", "1.0000000000000002", "0.33333333333333331",
    "123456789012345678901234567890", "\"0x1p-1074\"", "\"0x1.fffffffffffffp+1023\"", "\"-0x1p-30\"", "\"inf\"",
    "\"nan\"", "[]",
};

/* Texts inserted anywhere. */
static const char *const odd_texts[] = {
    "0", "-", "e9", "Infinity", "true", "[]", "{}", "\"\"", "\\u0000", "\\ud800", "\xff", "\xc3", "\xf0\x9f\x98\x80",
    "\"", "\\", "[[[[", "}}", ",", ":", "\"type\":\"mesh\",", "\"solid\":true,", "\"file\":\"x\",", "\"parts\":[],", "\"margin\":0.5,", "\"place\":{},", "\"motion\":{},",
    "\"x\":1,",
};

/* clang-format on */

#define ODD_NUMBERS (sizeof odd_numbers / sizeof odd_numbers[0])
#define ODD_TEXTS (sizeof odd_texts / sizeof odd_texts[0])

/* Replaces `gone` bytes at `at` by `text`. */
static void line_splice(bytes *line, size_t at, size_t gone, const char *text, size_t size)
{
    bytes changed = {NULL, 0, 0};
    bytes_add(&changed, line->data, at);
    bytes_add(&changed, text, size);
    bytes_add(&changed, line->data + at + gone, line->size - at - gone);
    bytes_free(line);
    *line = changed;
}

/* Replaces a random number by an unusual one; does nothing if it finds none. */
static void number_replace(bytes *line)
{
    size_t at = pick(line->size);
    while (at < line->size && !strchr("-.0123456789", line->data[at]))
        at++;
    if (at == line->size || line->data[at] == '\0')
        return;
    size_t length = strspn(line->data + at, "+-.0123456789e");
    const char *odd = odd_numbers[pick(ODD_NUMBERS)];
    line_splice(line, at, length, odd, strlen(odd));
}

static void line_mutate(bytes *line)
{
    if (line->size == 0)
        return;
    size_t at = pick(line->size), span = 1 + pick(8);
    span = span < line->size - at ? span : line->size - at;
    switch (pick(12)) {
    case 0: /* change a byte */
        line->data[at] = (char)pick(256);
        break;
    case 1: /* remove bytes */
        line_splice(line, at, span, "", 0);
        break;
    case 2: { /* insert an unusual text */
        const char *odd = odd_texts[pick(ODD_TEXTS)];
        line_splice(line, at, 0, odd, strlen(odd));
        break;
    }
    case 3: { /* repeat bytes */
        char copy[8];
        memcpy(copy, line->data + at, span);
        line_splice(line, at, 0, copy, span);
        break;
    }
    case 4: /* truncate */
        if (pick(4) == 0)
            line_splice(line, at, line->size - at, "", 0);
        break;
    case 5: { /* insert a part of another line */
        const char *other = good_lines[pick(GOOD_LINES)];
        size_t begin = pick(strlen(other)), length = pick(strlen(other) - begin);
        line_splice(line, at, span, other + begin, length);
        break;
    }
    default:
        number_replace(line);
    }
    for (size_t i = 0; i < line->size; i++)
        if (line->data[i] == '\n')
            line->data[i] = ' ';
}

static bool is_blank(const bytes *line)
{
    for (size_t i = 0; i < line->size; i++)
        if (!line->data[i] || !strchr(" \t\r\n", line->data[i]))
            return false;
    return true;
}

/* Prints a line so that printf '...' gives it back. */
static void line_print(const char *begin, const char *end)
{
    print_error("repeat: printf '");
    for (; begin < end; begin++)
        if (*begin < 0x20 || *begin > 0x7E || strchr("'\\%", *begin))
            print_error("\\%03o", (unsigned)(unsigned char)*begin);
        else
            print_error("%c", *begin);
    print_error("\\n' | tact query\n");
}

static void mutated_lines_get_one_answer_each(void **state)
{
    (void)state;
    static const char *const words[] = {"query", NULL};
    bytes input = {NULL, 0, 0};
    const size_t mutations = random_case_count(1200, 200000);
    size_t expected = 0, *starts = calloc(mutations + 1, sizeof *starts);
    assert_non_null(starts);
    source = random_seed(SEED);
    for (size_t i = 0; i < mutations; i++) {
        bytes line = {NULL, 0, 0};
        bytes_say(&line, good_lines[pick(GOOD_LINES)]);
        for (size_t n = 1 + pick(2); n > 0; n--)
            line_mutate(&line);
        if (!is_blank(&line))
            starts[expected++] = input.size;
        bytes_add(&input, line.data, line.size);
        bytes_say(&input, "\n");
        bytes_free(&line);
    }
    starts[expected] = input.size;
    outcome o = tool_run(words, input.data, input.size);
    size_t answers = 0, errors = 0;
    if (count_lines(o.out.data) != expected || o.status != 1) {
        size_t given = count_lines(o.out.data);
        if (given < expected)
            line_print(input.data + starts[given], input.data + starts[given + 1] - 1);
        fail_msg("%zu lines, %zu answers, status %d; stderr %.2000s", expected, given, o.status, o.err.data);
    }
    for (char *line = o.out.data, *end; answers < expected; line = end + 1, answers++) {
        end = strchr(line, '\n');
        *end = '\0';
        bool error = strncmp(line, "{\"error\":\"", 10) == 0;
        errors += error;
        if (!is_answer(line) || (!error && (strstr(line, "nan") || strstr(line, "inf")))) {
            line_print(input.data + starts[answers], input.data + starts[answers + 1] - 1);
            fail_msg("answered %s", line);
        }
    }
    /* Both valid and invalid lines must be frequent. */
    assert_true(errors > mutations / 5);
    assert_true(expected - errors > mutations / 10);
    outcome_free(&o);
    bytes_free(&input);
    free(starts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_lines_get_one_answer_each),
    };
    return cmocka_run_group_tests_name("query mutations", tests, NULL, NULL);
}
