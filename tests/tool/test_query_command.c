/* Answers and error messages of `tact query`. */
#define _POSIX_C_SOURCE 200809L

#include "tool/answer.h"
#include "tool/folder.h"
#include "tool/request.h"

/* Sends one request and requires the answer. */
static void expect_answer(const char *request, const char *expected, double slack)
{
    bytes line = {NULL, 0, 0};
    bytes_say(&line, request);
    bytes_say(&line, "\n");
    outcome o = query_run(line.data);
    bytes_free(&line);
    if (o.out.size > 0 && o.out.data[o.out.size - 1] == '\n')
        o.out.data[o.out.size - 1] = '\0';
    bool bad = strstr(expected, "\"error\"") != NULL;
    if (!is_answer(o.out.data) || !same_answer(o.out.data, expected, slack) || o.status != (bad ? 1 : 0))
        fail_msg("repeat: echo '%s' | tact query\nanswered %s (status %d)\nexpected %s\nstderr %s", request, o.out.data,
                 o.status, expected, o.err.data);
    outcome_free(&o);
}

/* Sends one invalid request: the error must contain `fragment`, in the answer and on stderr after "stdin:1: ". */
static void expect_error(const char *request, const char *fragment)
{
    outcome o = query_run(request);
    size_t lines = count_lines(o.out.data);
    if (o.out.size > 0)
        o.out.data[o.out.size - 1] = '\0';
    if (o.status != 1 || lines != 1 || !is_answer(o.out.data) || strncmp(o.out.data, "{\"error\":\"", 10) != 0 ||
        count_lines(o.err.data) != 1 || strncmp(o.err.data, "stdin:1: ", 9) != 0 || !strstr(o.err.data, fragment))
        fail_msg("repeat: echo '%s' | tact query\nanswered %s (status %d)\nstderr %sexpected %s", request, o.out.data,
                 o.status, o.err.data, fragment);
    outcome_free(&o);
}

static void every_operation_answers(void **state)
{
    (void)state;
    expect_answer(PAIR("distance", BALL, CUBE_AT(3, 0.5, 0)), "{\"distance\":1,\"pa\":[1,0,0],\"pb\":[2,0,0]}", 1e-8);
    expect_answer(PAIR("distance", BALL, BALL), "{\"distance\":0,\"pa\":[*,*,*],\"pb\":[*,*,*]}", 0);
    expect_answer(PAIR("intersect", BALL, BALL_AT(3, 0, 0)), "{\"hit\":false}", 0);
    expect_answer(PAIR("intersect", BALL, BALL_AT(1, 0, 0)), "{\"hit\":true,\"point\":[*,*,*]}", 0);
    expect_answer(PAIR("depth", BALL, BALL_AT(1.5, 0, 0)),
                  "{\"depth\":0.5,\"normal\":[1,0,0],\"pa\":[1,0,0],\"pb\":[0.5,0,0]}", 1e-8);
    expect_answer(PAIR("depth", BALL, BALL_AT(5, 0, 0)),
                  "{\"depth\":-3,\"normal\":[1,0,0],\"pa\":[1,0,0],\"pb\":[4,0,0]}", 1e-8);
    expect_answer("{\"op\":\"ray\",\"a\":" BALL ",\"from\":[-5,0,0],\"dir\":[2,0,0]}",
                  "{\"hit\":true,\"t\":2,\"point\":[-1,0,0],\"normal\":[-1,0,0]}", 1e-8);
    expect_answer("{\"op\":\"ray\",\"a\":" BALL ",\"from\":[-5,0,0],\"dir\":[2,0,0],\"max\":1.9}", "{\"hit\":false}",
                  0);
    expect_answer("{\"op\":\"ray\",\"a\":" BALL ",\"from\":[0.5,0,0],\"dir\":[2,0,0]}",
                  "{\"hit\":true,\"t\":0,\"point\":[0.5,0,0],\"normal\":[0,0,0]}", 1e-12);
}

#define SQUARE "{\"type\":\"polygon\",\"points\":[[0,0,0],[4,0,0],[4,4,0],[0,4,0]]}"

static void points_and_lists_are_answered(void **state)
{
    (void)state;
    expect_answer("{\"op\":\"closest\",\"a\":" BALL ",\"from\":[3,0,0]}",
                  "{\"distance\":2,\"point\":[1,0,0],\"normal\":[1,0,0]}", 1e-12);
    expect_answer("{\"op\":\"closest\",\"a\":" BALL ",\"from\":[0,-0.25,0]}",
                  "{\"distance\":-0.75,\"point\":[0,-1,0],\"normal\":[0,-1,0]}", 1e-12);
    expect_answer("{\"op\":\"contains\",\"a\":" BALL ",\"point\":[0,-0.25,0]}", "{\"hit\":true}", 0);
    expect_answer("{\"op\":\"contains\",\"a\":" BALL ",\"point\":[0,-1.25,0]}", "{\"hit\":false}", 0);
    expect_answer(PAIR("contacts", BALL, BALL_AT(3, 0, 0)), "{\"hit\":false}", 0);
    expect_answer(PAIR("contacts", BALL, BALL_AT(1.5, 0, 0)),
                  "{\"hit\":true,\"contacts\":[{\"depth\":0.5,\"normal\":[1,0,0],\"pa\":[1,0,0],\"pb\":[0.5,0,0]}]}",
                  1e-12);
    expect_answer("{\"op\":\"contacts\",\"a\":" BALL ",\"b\":" BALL_AT(3, 0, 0) ",\"max_separation\":1.5}",
                  "{\"hit\":true,\"contacts\":[{\"depth\":-1,\"normal\":[1,0,0],\"pa\":[1,0,0],\"pb\":[2,0,0]}]}",
                  1e-12);
    /* a square through a square, a vertex of one on the other, and one on the other */
    expect_answer(PAIR("intersections", SQUARE, "{\"type\":\"triangle\",\"points\":[[1,1,-1],[1,1,1],[1,9,0]]}"),
                  "{\"hit\":true,\"segments\":[{\"type\":\"segment\",\"from\":[1,*,0],\"to\":[1,*,0]}]}", 0);
    expect_answer(PAIR("intersections", SQUARE, "{\"type\":\"segment\",\"points\":[[1,1,0],[1,1,1]]}"),
                  "{\"hit\":true,\"segments\":[{\"type\":\"point\",\"from\":[1,1,0],\"to\":[1,1,0]}]}", 0);
    expect_answer(PAIR("intersections", SQUARE, "{\"type\":\"triangle\",\"points\":[[1,1,0],[2,1,0],[1,3,0]]}"),
                  "{\"hit\":true,\"segments\":[{\"type\":\"outline\",\"from\":[1,1,0],\"to\":[2,1,0]},"
                  "{\"type\":\"outline\",\"from\":[1,1,0],\"to\":[1,3,0]},"
                  "{\"type\":\"outline\",\"from\":[1,3,0],\"to\":[2,1,0]}]}",
                  0);
    expect_answer(PAIR("intersections", SQUARE, BALL_AT(20, 0, 0)), "{\"hit\":false}", 0);
    expect_error(PAIR("intersections", SQUARE, BALL), "a curved shape or a shape with a margin has no flat faces");
    expect_error("{\"op\":\"contains\",\"a\":" BALL "}", "point is missing");
    expect_error("{\"op\":\"closest\",\"a\":" BALL ",\"point\":[0,0,0]}", "point");
    expect_error("{\"op\":\"contacts\",\"a\":" BALL ",\"b\":" BALL ",\"max_separation\":-1}", "max_separation");
    /* names of earlier versions */
    expect_answer(PAIR("crossings", SQUARE, "{\"type\":\"segment\",\"points\":[[1,1,0],[1,1,1]]}"),
                  "{\"hit\":true,\"segments\":[{\"type\":\"point\",\"from\":[1,1,0],\"to\":[1,1,0]}]}", 0);
    expect_answer("{\"op\":\"contacts\",\"a\":" BALL ",\"b\":" BALL_AT(3, 0, 0) ",\"reach\":1.5}",
                  "{\"hit\":true,\"contacts\":[{\"depth\":-1,\"normal\":[1,0,0],\"pa\":[1,0,0],\"pb\":[2,0,0]}]}",
                  1e-12);
    expect_error("{\"op\":\"contacts\",\"a\":" BALL ",\"b\":" BALL ",\"reach\":1,\"max_separation\":1}", "reach");
    /* an answer longer than any other: a grid of 64 squares by a wall of as many, and the one after it */
    bytes line = {NULL, 0, 0};
    for (int turn = 0; turn < 2; turn++) {
        bytes_say(&line, turn == 0 ? "{\"op\":\"intersections\",\"a\":{\"type\":\"mesh\",\"vertices\":["
                                   : ",\"b\":{\"type\":\"mesh\",\"vertices\":[");
        for (int i = 0; i < 200; i++) {
            char vertex[80];
            (void)snprintf(vertex, sizeof vertex, turn == 0 ? "%s[%d,%d,0]" : "%s[%d,0.5,%d]", i > 0 ? "," : "", i / 2,
                           i % 2 == 0 ? -1 : 1);
            bytes_say(&line, vertex);
        }
        bytes_say(&line, "],\"triangles\":[");
        for (int i = 0; i < 198; i++) {
            char triangle[80];
            (void)snprintf(triangle, sizeof triangle, "%s[%d,%d,%d]", i > 0 ? "," : "", i, i + 1, i + 2);
            bytes_say(&line, triangle);
        }
        bytes_say(&line, "]}");
    }
    bytes_say(&line, "}\n" PAIR("intersect", BALL, BALL_AT(3, 0, 0)) "\n");
    outcome o = query_run(line.data);
    assert_int_equal(o.status, 0);
    assert_int_equal(count_lines(o.out.data), 2);
    char *second = strchr(o.out.data, '\n');
    assert_true(o.out.size > 20000);
    assert_string_equal(second + 1, "{\"hit\":false}\n");
    *second = '\0';
    assert_true(is_answer(o.out.data) && strncmp(o.out.data, "{\"hit\":true,\"segments\":[{", 25) == 0);
    outcome_free(&o);
    bytes_free(&line);
}

/* Margin, place and motion. */
static void motion_is_used_by_toi(void **state)
{
    (void)state;
    const char *a = "{\"type\":\"sphere\",\"radius\":1,\"motion\":{\"velocity\":[4,0,0]}}";
    const char *rest = "\"b\":{\"type\":\"sphere\",\"radius\":1,\"place\":{\"translate\":[4,0,0]}}}";
    char line[600];
    (void)snprintf(line, sizeof line, "{\"op\":\"toi\",\"a\":%s,%s", a, rest);
    expect_answer(line, "{\"hit\":true,\"t\":0.5,\"point\":[3,0,0],\"normal\":[1,0,0]}", 1e-6);
    (void)snprintf(line, sizeof line, "{\"op\":\"toi\",\"end\":0.4,\"a\":%s,%s", a, rest);
    expect_answer(line, "{\"hit\":false}", 0);
    (void)snprintf(line, sizeof line, "{\"op\":\"toi\",\"end\":10,\"tolerance\":0.01,\"a\":%s,%s", a, rest);
    expect_answer(line, "{\"hit\":true,\"t\":0.5,\"point\":[3,0,0],\"normal\":[1,0,0]}", 0.011);
    (void)snprintf(line, sizeof line, "{\"op\":\"distance\",\"a\":%s,%s", a, rest);
    expect_answer(line, "{\"distance\":2,\"pa\":[1,0,0],\"pb\":[3,0,0]}", 1e-8);
    /* s = g t^2 / 2 */
    expect_answer("{\"op\":\"toi\",\"end\":3,\"a\":{\"type\":\"sphere\",\"radius\":1,\"place\":{\"translate\":[0,9,0]},"
                  "\"motion\":{\"acceleration\":[0,-4,0]}},\"b\":{\"type\":\"box\",\"size\":[9,2,9],\"place\":"
                  "{\"translate\":[0,-1,0]}}}",
                  "{\"hit\":true,\"t\":2,\"point\":[0,0,0],\"normal\":[0,-1,0]}", 1e-6);
    /* A bar of half length 3 turns from the x axis: its end, under the plane y = 0 of the wall's face at y = 2.4, meets
     * that face when 3 sin t = 2.4 (the bar is a segment, so there is no thickness to allow for). */
    expect_answer("{\"op\":\"toi\",\"end\":3,\"a\":{\"type\":\"segment\",\"points\":[[-3,0,0],[3,0,0]],\"motion\":"
                  "{\"spin\":[0,0,1]}},\"b\":{\"type\":\"box\",\"size\":[20,2,2],\"place\":{\"translate\":[0,3.4,0]}}}",
                  "{\"hit\":true,\"t\":0.92729521800161219,\"point\":[1.8,2.4,*],\"normal\":[0,1,0]}", 1e-6);
}

static void every_shape_is_read(void **state)
{
    (void)state;
    /* Each reaches to x = 2 on the x axis, where a ball of radius 1 centred at x = 5 is 2 away. */
    static const char *const shapes[] = {
        "{\"type\":\"sphere\",\"radius\":2}",
        "{\"type\":\"box\",\"size\":[4,2,3]}",
        "{\"type\":\"capsule\",\"radius\":2,\"height\":3}",
        "{\"type\":\"cylinder\",\"radius\":2,\"height\":3}",
        "{\"type\":\"cone\",\"radius\":2,\"height\":3,\"place\":{\"translate\":[0,1.5,0]}}",
        "{\"type\":\"ellipsoid\",\"radii\":[2,3,0.5]}",
        "{\"type\":\"point\",\"points\":[[2,0,0]]}",
        "{\"type\":\"segment\",\"points\":[[2,0,0],[-1,5,5]]}",
        "{\"type\":\"triangle\",\"points\":[[2,0,0],[-1,5,5],[-1,-5,2]]}",
        "{\"type\":\"tetrahedron\",\"points\":[[2,0,0],[-1,5,5],[-1,-5,2],[-9,0,0]]}",
        "{\"type\":\"polygon\",\"points\":[[2,0,0],[0,5,0],[0,-5,0],[-3,0,0],[0,0,0]]}",
        "{\"type\":\"hull\",\"points\":[[2,0,0],[0,5,0],[0,-5,0],[-3,0,0],[0,0,4],[0,0,-4],[0.5,0.5,0]]}",
        "{\"type\":\"sum\",\"of\":[{\"type\":\"sphere\",\"radius\":1.5},{\"type\":\"box\",\"size\":[1,1,1]}]}",
        "{\"type\":\"join\",\"of\":[{\"type\":\"sphere\",\"radius\":1},{\"type\":\"point\",\"points\":[[2,0,0]]}]}",
        "{\"type\":\"sphere\",\"radius\":1.5,\"margin\":0.5}",
        "{\"type\":\"box\",\"size\":[1,1,1],\"margin\":0.5,\"place\":{\"scale\":[-3,1,1]}}",
        "{\"type\":\"segment\",\"points\":[[0,0,0],[0,1,0]],\"place\":{\"rotate\":[0,0,-3,3],\"scale\":[1,2,1]}}",
        "{\"type\":\"box\",\"size\":[2,2,2],\"place\":{\"matrix\":[0.5,0,0,0, 0,1,0,0, 0,0,1,0, 1.5,0,0,1]}}",
        /* Inside another shape a margin is geometry: 0.5 + 2 (0.5 + 0.25), the outer scale being 2 along x. */
        ("{\"type\":\"sum\",\"place\":{\"scale\":[2,1,1]},\"margin\":0.5,\"of\":[{\"type\":\"point\",\"points\":[[0,0,"
         "0]"
         "]},"
         "{\"type\":\"box\",\"size\":[1,1,1],\"margin\":0.25}]}"),
        /* ... and so is a place: 0.5 + 0.5 + 1. */
        ("{\"type\":\"sum\",\"of\":[{\"type\":\"sphere\",\"radius\":0.25,\"margin\":0.5,\"place\":{\"scale\":[2,2,2]}},"
         "{\"type\":\"point\",\"points\":[[0,0,0]],\"place\":{\"translate\":[1,0,0]}}]}"),
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char line[600];
        (void)snprintf(line, sizeof line, PAIR("distance", "%s", BALL_AT(5, 0, 0)), shapes[i]);
        expect_answer(line, "{\"distance\":2,\"pa\":[2,0,0],\"pb\":[4,0,0]}", 1e-6);
    }
}

#define GROUND "{\"type\":\"halfspace\",\"normal\":[0,2,0],\"offset\":4}"
#define FIELD "{\"type\":\"heightfield\",\"counts\":[3,2],\"spacing\":[1,2],\"heights\":[0,0,1,1,0,0]}"
#define SHEET(more) "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[0,0,4],[4,0,0]],\"triangles\":[[0,1,2]]" more "}"

static void ground_is_read(void **state)
{
    (void)state;
    expect_answer(PAIR("distance", GROUND, BALL_AT(3, 5, 1)), "{\"distance\":2,\"pa\":[3,2,1],\"pb\":[3,4,1]}", 1e-12);
    expect_answer(PAIR("depth", BALL_AT(3, 2.5, 1), GROUND),
                  "{\"depth\":0.5,\"normal\":[0,-1,0],\"pa\":[3,1.5,1],\"pb\":[3,2,1]}", 1e-12);
    expect_answer(PAIR("toi",
                       "{\"type\":\"box\",\"size\":[2,2,2],\"place\":{\"translate\":[0,5,0]},"
                       "\"motion\":{\"velocity\":[0,-4,0]}}",
                       GROUND),
                  "{\"hit\":true,\"t\":0.5,\"point\":[*,2,*],\"normal\":[0,-1,0]}", 1e-8);
    expect_answer("{\"op\":\"ray\",\"a\":" FIELD ",\"from\":[1,9,1],\"dir\":[0,-2,0]}",
                  "{\"hit\":true,\"t\":4,\"point\":[1,1,1],\"normal\":[*,*,0]}", 1e-12);
    expect_answer(PAIR("depth", FIELD, BALL_AT(1, 1.75, 1)),
                  "{\"depth\":0.25,\"normal\":[0,1,0],\"pa\":[1,1,1],\"pb\":[1,0.75,1]}", 1e-9);
    expect_answer("{\"op\":\"contains\",\"a\":" FIELD ",\"point\":[1,-50,1]}", "{\"hit\":true}", 0);
    expect_answer("{\"op\":\"contains\",\"a\":" FIELD ",\"point\":[1,-50,2.5]}", "{\"hit\":false}", 0);
    expect_answer("{\"op\":\"ray\",\"a\":" SHEET(",\"one_sided\":true") ",\"from\":[1,-2,1],\"dir\":[0,1,0]}",
                  "{\"hit\":false}", 0);
    expect_answer("{\"op\":\"ray\",\"a\":" SHEET(",\"one_sided\":true") ",\"from\":[1,2,1],\"dir\":[0,-1,0]}",
                  "{\"hit\":true,\"t\":2,\"point\":[1,0,1],\"normal\":[0,1,0]}", 1e-12);
    expect_answer(PAIR("intersect", SHEET(",\"one_sided\":true"), BALL_AT(1, -0.5, 1)), "{\"hit\":false}", 0);
    expect_answer(PAIR("intersect", SHEET(",\"one_sided\":false"), BALL_AT(1, -0.5, 1)),
                  "{\"hit\":true,\"point\":[*,*,*]}", 0);
    expect_error(PAIR("distance", "{\"type\":\"halfspace\",\"normal\":[0,0,0],\"offset\":4}", BALL),
                 "a.normal must not be zero");
    expect_error(PAIR("distance", "{\"type\":\"halfspace\",\"normal\":[0,0,1]}", BALL), "a.offset is missing");
    expect_error(PAIR("distance", "{\"type\":\"compound\",\"parts\":[" GROUND "]}", BALL), "half-space");
    expect_error(PAIR("distance", "{\"type\":\"sum\",\"of\":[" BALL "," GROUND "]}", BALL), "only convex shapes");
    expect_error(
        PAIR("distance", "{\"type\":\"heightfield\",\"counts\":[3,2],\"spacing\":[1,2],\"heights\":[0,0,1,1,0]}", BALL),
        "a.heights must be an array of 6 numbers, 3 times 2");
    expect_error(
        PAIR("distance", "{\"type\":\"heightfield\",\"counts\":[1,2],\"spacing\":[1,2],\"heights\":[0,0]}", BALL),
        "a.counts must be two whole numbers from 2 on");
    expect_error(
        PAIR("distance", "{\"type\":\"heightfield\",\"counts\":[2,2],\"spacing\":[1,0],\"heights\":[0,0,0,0]}", BALL),
        "a.spacing must be positive");
    expect_error(PAIR("distance", SHEET(",\"one_sided\":true,\"solid\":true"), BALL),
                 "a.one_sided is true, but the mesh is solid");
    expect_error(PAIR("depth", GROUND, GROUND), "two half-spaces");
}

static void numbers_are_read_and_written_exactly(void **state)
{
    (void)state;
#define POINTS(x)                                                                                                      \
    PAIR("distance", "{\"type\":\"point\",\"points\":[[0,0,0]]}", "{\"type\":\"point\",\"points\":[[" x ",0,0]]}")
    expect_answer(POINTS("0.1"), "{\"distance\":0.10000000000000001,\"pa\":[0,0,0],\"pb\":[0.10000000000000001,0,0]}",
                  0);
    expect_answer(POINTS("\"0x1.999999999999ap-4\""),
                  "{\"distance\":0.10000000000000001,\"pa\":[0,0,0],\"pb\":[0.10000000000000001,0,0]}", 0);
    expect_answer(POINTS("\"-0X1.8P+1\""), "{\"distance\":3,\"pa\":[0,0,0],\"pb\":[-3,0,0]}", 0);
    expect_answer(POINTS("\"0x1\""), "{\"distance\":1,\"pa\":[0,0,0],\"pb\":[1,0,0]}", 0);
    /* Integers that no 64-bit integer holds, and those that a double rounds. */
    expect_answer(POINTS("9007199254740993"),
                  "{\"distance\":9007199254740992,\"pa\":[0,0,0],\"pb\":[9007199254740992,0,0]}", 0);
    expect_answer(POINTS("100000000000000000000000000000"), "{\"distance\":1e+29,\"pa\":[0,0,0],\"pb\":[1e+29,0,0]}",
                  1e-15);
    outcome o = query_run(POINTS("0.1"));
    assert_non_null(strstr(o.out.data, "\"distance\":0.10000000000000001,"));
    outcome_free(&o);
    o = query_run("{\"op\":\"ray\",\"a\":" BALL ",\"from\":[-5,-0.0,0],\"dir\":[1,-0.0,-0.0]}");
    assert_null(strstr(o.out.data, "-0,"));
    assert_null(strstr(o.out.data, "-0]"));
    outcome_free(&o);
#undef POINTS
}

static void errors_in_requests_are_explained(void **state)
{
    (void)state;
#define WITH(a) PAIR("distance", a, BALL)
    static const char *const bad[][2] = {
        {"hello", "not valid JSON at column"},
        {"{\"op\":\"distance\"", "not valid JSON"},
        {"[1,2]", "the request must be an object, not an array"},
        {"null", "not valid JSON"},
        {"{} {}", "not valid JSON"},
        {"{}", "op is missing"},
        {"{\"op\":7}", "op must be a string, not a number"},
        {"{\"op\":\"touch\"}", "op must be one of intersect, distance, depth, toi, ray, closest, contains, contacts, "
                               "intersections, ccd_vf, ccd_ee, not \"touch\""},
        {"{\"op\":\"ccd_vf\"}", "t0 is missing"},
        {"{\"op\":\"distance\",\"op\":\"depth\"}", "duplicate"},
        {"{\"op\":\"distance\",\"a\":" BALL "}", "b is missing"},
        {"{\"op\":\"distance\",\"a\":1,\"b\":" BALL "}", "a must be an object, not a number"},
        {"{\"op\":\"distance\",\"a\":" BALL ",\"b\":" BALL ",\"end\":1}",
         "the request has an unknown key \"end\"; distance takes op, a, b"},
        {"{\"op\":\"ray\",\"a\":" BALL ",\"b\":" BALL ",\"from\":[0,0,0],\"dir\":[1,0,0]}", "unknown key \"b\""},
        {"{\"op\":\"ray\",\"a\":" BALL ",\"from\":[0,0,0]}", "dir is missing"},
        {"{\"op\":\"ray\",\"a\":" BALL ",\"from\":[0,0,0],\"dir\":[0,0,0]}", "dir must not be zero"},
        {"{\"op\":\"ray\",\"a\":" BALL ",\"from\":[0,0],\"dir\":[1,0,0]}",
         "from must be an array of 3 numbers, not of 2"},
        {"{\"op\":\"ray\",\"a\":" BALL ",\"from\":[0,0,0],\"dir\":[1,0,0],\"max\":-1}", "max must not be negative"},
        {"{\"op\":\"toi\",\"a\":" BALL ",\"b\":" BALL ",\"end\":-1}", "end must not be negative"},
        {"{\"op\":\"toi\",\"a\":" BALL ",\"b\":" BALL ",\"tolerance\":0}", "tolerance must be greater than 0"},
        {"{\"op\":\"toi\",\"a\":" BALL ",\"b\":" BALL ",\"tolerance\":\"inf\"}", "tolerance must be a number"},
        {WITH("{}"), "a.type is missing"},
        {WITH("{\"type\":\"ball\"}"), "a.type must be one of sphere, box,"},
        {WITH("{\"type\":\"sphere\"}"), "a.radius is missing"},
        {WITH("{\"type\":\"sphere\",\"radius\":\"1\"}"), "a.radius must be a number"},
        {WITH("{\"type\":\"sphere\",\"radius\":\"0x1p\"}"), "a.radius must be a number"},
        {WITH("{\"type\":\"sphere\",\"radius\":\" 0x1p0\"}"), "a.radius must be a number"},
        {WITH("{\"type\":\"sphere\",\"radius\":\"0x\"}"), "a.radius must be a number"},
        {WITH("{\"type\":\"sphere\",\"radius\":\"nan\"}"), "a.radius must be a number"},
        {WITH("{\"type\":\"sphere\",\"radius\":\"0x1p5000\"}"), "a.radius is too large for a double"},
        {WITH("{\"type\":\"sphere\",\"radius\":1e999}"), "not valid JSON"},
        {WITH("{\"type\":\"sphere\",\"radius\":NaN}"), "not valid JSON"},
        {WITH("{\"type\":\"sphere\",\"radius\":true}"), "a.radius must be a number, not true"},
        {WITH("{\"type\":\"sphere\",\"radius\":null}"), "a.radius must be a number, not null"},
        {WITH("{\"type\":\"sphere\",\"radius\":-1}"), "a.radius must not be negative, but is -1"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"height\":2}"),
         "a has an unknown key \"height\"; a sphere takes type, radius, margin, place, motion"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"gr\\u00f6\\u00dfe\\n\":2}"), "unknown key \"gr\xc3\xb6\xc3\x9f"
                                                                                "e \""},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"\\u0000\":2}"), "not valid JSON"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"margin\":-0.5}"), "a.margin must not be negative"},
        {WITH("{\"type\":\"box\",\"size\":2}"), "a.size must be an array of 3 numbers, not a number"},
        {WITH("{\"type\":\"box\",\"size\":[1,2,-3]}"), "a.size[2] must not be negative"},
        {WITH("{\"type\":\"box\",\"size\":[1,2,[3]]}"), "a.size[2] must be a number, not an array"},
        {WITH("{\"type\":\"segment\",\"points\":[[1,2,3]]}"), "a.points must have 2 points, not 1"},
        {WITH("{\"type\":\"point\",\"points\":[1,2,3]}"), "a.points must have 1 point, not 3"},
        {WITH("{\"type\":\"hull\",\"points\":[]}"), "a.points must not be empty"},
        {WITH("{\"type\":\"hull\",\"points\":{}}"), "a.points must be an array of points"},
        {WITH("{\"type\":\"hull\",\"points\":[[1,2,3],[1,2,\"x\"]]}"), "a.points[1][2] must be a number"},
        {WITH("{\"type\":\"sum\",\"of\":[" BALL "]}"), "a.of must be an array of 2 shapes"},
        {WITH("{\"type\":\"sum\",\"of\":[" BALL ",{\"type\":\"sphere\"}]}"), "a.of[1].radius is missing"},
        {WITH("{\"type\":\"join\",\"of\":[" BALL ",{\"type\":\"sphere\",\"radius\":1,\"motion\":{}}]}"),
         "a.of[1] has a motion, which only the outermost shape may have"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":[1,2,3]}"), "a.place must be an object"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":{\"scale\":[1,0,1]}}"), "a.place.scale must not be zero"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":{\"rotate\":[0,0,0,0]}}"),
         "a.place.rotate must not be zero"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":{\"rotate\":[0,0,1]}}"),
         "a.place.rotate must be an array of 4"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":{\"turn\":1}}"), "a.place has an unknown key \"turn\""},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],\"scale\":[1,"
              "1,1]}}"),
         "a.place has a matrix and also translate"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2]}}"),
         "a.place.matrix must be affine"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"place\":{\"matrix\":[1,0,0,0,0,1,0,0,1,1,0,0,0,0,0,1]}}"),
         "a.place cannot be used"},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"motion\":{\"speed\":1}}"), "a.motion has an unknown key \"speed\""},
        {WITH("{\"type\":\"sphere\",\"radius\":1,\"motion\":{\"spin\":1}}"),
         "a.motion.spin must be an array of 3 numbers"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_error(bad[i][0], bad[i][1]);
#undef WITH
}

/* A cube of side 2 around the origin, as members of a mesh. */
#define CUBE_LISTS                                                                                                     \
    "\"vertices\":[[-1,-1,-1],[1,-1,-1],[1,1,-1],[-1,1,-1],[-1,-1,1],[1,-1,1],[1,1,1],[-1,1,1]],\"triangles\":[[0,2,"  \
    "1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[1,2,6],[1,6,5],[2,3,7],[2,7,6],[3,0,4],[3,4,7]]"
#define CUBE_OBJ                                                                                                       \
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\nf 4 3 2 1\nf 5 6 7 8\n"       \
    "f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
#define MESH(more) "{\"type\":\"mesh\"," CUBE_LISTS more "}"
#define FILED(more) "{\"type\":\"mesh\",\"file\":\"cube.obj\"" more "}"
#define SOLID ",\"solid\":true"

static void meshes_are_read(void **state)
{
    (void)state;
    file_put("cube.obj", CUBE_OBJ, sizeof CUBE_OBJ - 1);
    static const char *const cubes[][2] = {{MESH(""), MESH(SOLID)}, {FILED(""), FILED(SOLID)}};
    for (size_t i = 0; i < 2; i++) {
        const char *shell = cubes[i][0], *solid = cubes[i][1];
        char line[1500];
#define ASK(expected, slack, ...)                                                                                      \
    do {                                                                                                               \
        (void)snprintf(line, sizeof line, __VA_ARGS__);                                                                \
        expect_answer(line, expected, slack);                                                                          \
    } while (0)
        ASK("{\"distance\":1,\"pa\":[1,0,0],\"pb\":[2,0,0]}", 1e-9, PAIR("distance", "%s", BALL_AT(3, 0, 0)), shell);
        ASK("{\"distance\":0.5,\"pa\":[*,*,*],\"pb\":[*,*,*]}", 1e-9,
            PAIR("distance", "%s", "{\"type\":\"sphere\",\"radius\":0.5}"), shell);
        ASK("{\"distance\":0,\"pa\":[*,*,*],\"pb\":[*,*,*]}", 1e-9,
            PAIR("distance", "%s", "{\"type\":\"sphere\",\"radius\":0.5}"), solid);
        ASK("{\"hit\":false}", 0, PAIR("intersect", "{\"type\":\"point\",\"points\":[[0.5,0,0.25]]}", "%s"), shell);
        ASK("{\"hit\":true,\"point\":[0.5,0,0.25]}", 1e-9,
            PAIR("intersect", "{\"type\":\"point\",\"points\":[[0.5,0,0.25]]}", "%s"), solid);
        ASK("{\"hit\":true,\"t\":4,\"point\":[-1,0.25,0.5],\"normal\":[-1,0,0]}", 1e-9,
            "{\"op\":\"ray\",\"a\":%s,\"from\":[-9,0.25,0.5],\"dir\":[2,0,0]}", shell);
        ASK("{\"hit\":true,\"t\":0,\"point\":[0,0,0],\"normal\":[0,0,0]}", 1e-9,
            "{\"op\":\"ray\",\"a\":%s,\"from\":[0,0,0],\"dir\":[2,0,0]}", solid);
        ASK("{\"hit\":true,\"t\":0.5,\"point\":[1,0.25,0],\"normal\":[-1,0,0]}", 1e-9,
            "{\"op\":\"ray\",\"a\":%s,\"from\":[0,0.25,0],\"dir\":[2,0,0]}", shell);
#undef ASK
    }
    /* Margin, place: 9 - 1 - (2 + 0.5). */
    expect_answer(PAIR("distance", FILED(",\"margin\":0.5,\"place\":{\"scale\":[-2,1,1]}"), BALL_AT(9, 0, 0)),
                  "{\"distance\":5.5,\"pa\":[2.5,0,0],\"pb\":[8,0,0]}", 1e-9);
    expect_answer(PAIR("distance", MESH(",\"margin\":0.5,\"place\":{\"scale\":[-2,1,1]}"), BALL_AT(9, 0, 0)),
                  "{\"distance\":5.5,\"pa\":[2.5,0,0],\"pb\":[8,0,0]}", 1e-9);
    /* A mesh without faces touches nothing. */
    expect_answer(PAIR("intersect", "{\"type\":\"mesh\",\"vertices\":[],\"triangles\":[]}", BALL), "{\"hit\":false}",
                  0);
    assert_int_equal(unlink("cube.obj"), 0);
}

static void compounds_are_read(void **state)
{
    (void)state;
    /* Each reaches to x = 2 on the x axis, where a ball of radius 1 centred at x = 5 is 2 away. */
    static const char *const compounds[] = {
        "{\"type\":\"compound\",\"parts\":[{\"type\":\"sphere\",\"radius\":2}]}",
        "{\"type\":\"compound\",\"parts\":[" BALL ",{\"type\":\"sphere\",\"radius\":1,\"place\":{\"translate\":[1,0,0]"
        "}}," BALL "]}",
        "{\"type\":\"compound\",\"parts\":[" BALL "," MESH(",\"place\":{\"translate\":[1,0,0]}") "]}",
        "{\"type\":\"compound\",\"parts\":[" BALL "," MESH(",\"margin\":0.5") "],\"place\":{\"translate\":[0.5,0,0]}}",
        "{\"type\":\"compound\",\"margin\":0.5,\"parts\":[" MESH(",\"place\":{\"scale\":[1.5,1,1]}") "]}",
        "{\"type\":\"compound\",\"parts\":[{\"type\":\"compound\",\"place\":{\"translate\":[1,0,0]},\"parts\":[" BALL
        "]},{\"type\":\"compound\",\"parts\":[]}]}",
    };
    for (size_t i = 0; i < sizeof compounds / sizeof compounds[0]; i++) {
        char line[2000];
        (void)snprintf(line, sizeof line, PAIR("distance", "%s", BALL_AT(5, 0, 0)), compounds[i]);
        expect_answer(line, "{\"distance\":2,\"pa\":[2,0,0],\"pb\":[4,0,0]}", 1e-6);
    }
    expect_answer(PAIR("intersect", "{\"type\":\"compound\",\"parts\":[]}", BALL), "{\"hit\":false}", 0);
}

/* Depth and time of impact of meshes: an answer, or an error. */
static void depth_and_toi_of_meshes_answer(void **state)
{
    (void)state;
    static const char *const lines[] = {PAIR("depth", MESH(SOLID), BALL_AT(1.5, 0, 0)),
                                        PAIR("toi", MESH(",\"motion\":{\"velocity\":[4,0,0]}"), BALL_AT(5, 0, 0))};
    for (size_t i = 0; i < 2; i++) {
        outcome o = query_run(lines[i]);
        assert_int_equal(count_lines(o.out.data), 1);
        if (o.status == 1)
            assert_non_null(strstr(o.out.data, "could not be answered: not for meshes and compounds in this version"));
        else
            assert_null(strstr(o.out.data, "error"));
        outcome_free(&o);
    }
}

static void parts_are_reported_on_request(void **state)
{
    (void)state;
    static const char *const words[] = {"query", "--parts", NULL};
    static const char input[] =
        PAIR("distance", MESH(""), BALL_AT(3, 0, 0)) "\n" PAIR("intersect", BALL, BALL) "\n" PAIR(
            "intersect", "{\"type\":\"compound\",\"parts\":[" BALL_AT(9, 0, 0) "," BALL_AT(1, 0, 0) "]}",
            BALL_AT(2.5, 0, 0)) "\n" PAIR("intersect", BALL, BALL_AT(3, 0, 0)) "\n"
                                                                               "{\"op\":\"ray\",\"a\":{\"type\":"
                                                                               "\"compound\",\"parts\":[" BALL
                                                                               "," MESH("") "]},\"from\":[0.5,9,0.25],"
                                                                                            "\"dir\":[0,-1,0]}\n";
    outcome o = tool_run(words, input, sizeof input - 1);
    assert_int_equal(o.status, 0);
    static const char *const expected[] = {
        "{\"distance\":1,\"pa\":[1,0,0],\"pb\":[2,0,0],\"part_a\":[0,*],\"part_b\":[0,0]}",
        "{\"hit\":true,\"point\":[*,*,*],\"part_a\":[0,0],\"part_b\":[0,0]}",
        "{\"hit\":true,\"point\":[*,*,*],\"part_a\":[1,0],\"part_b\":[0,0]}", "{\"hit\":false}",
        "{\"hit\":true,\"t\":8,\"point\":[0.5,1,0.25],\"normal\":[0,1,0],\"part\":[1,9]}"};
    char *rest = NULL, *line = strtok_r(o.out.data, "\n", &rest);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++, line = strtok_r(NULL, "\n", &rest))
        if (!line || !is_answer(line) || !same_answer(line, expected[i], 1e-9))
            fail_msg("%s expected, not %s", expected[i], line ? line : "nothing");
    outcome_free(&o);
}

static void a_limit_of_work_ends_a_request(void **state)
{
    (void)state;
    static const char *const words[] = {"query", "--work", "1", NULL}, *const wrong[] = {"query", "--work", "x", NULL};
    static const char input[] = PAIR("distance", MESH(""), MESH("")) "\n" PAIR("distance", BALL, BALL_AT(3, 0, 0)) "\n";
    outcome o = tool_run(words, input, sizeof input - 1);
    assert_int_equal(o.status, 1);
    assert_non_null(
        strstr(o.out.data, "{\"error\":\"distance was given up after 1 steps of the search\"}\n{\"distance\":1,"));
    outcome_free(&o);
    o = tool_run(wrong, input, sizeof input - 1);
    assert_int_equal(o.status, 2);
    outcome_free(&o);
}

/* The facets of convex shapes that intersect, and the edge of an outline segment. */
static void facets_and_edges_are_reported_on_request(void **state)
{
    (void)state;
    static const char *const words[] = {"query", "--parts", NULL};
    static const char input[] = PAIR(
        "intersections", "{\"type\":\"box\",\"size\":[2,2,2]}",
        "{\"type\":\"triangle\",\"points\":[[0.5,0,-2],[0.5,0.25,0],[0.5,-0.25,0]]}") "\n" PAIR("intersections", SQUARE,
                                                                                                "{\"type\":"
                                                                                                "\"triangle\","
                                                                                                "\"points\":[[1,1,"
                                                                                                "0],[5,1,0],[1,3,"
                                                                                                "0]]}") "\n";
    outcome o = tool_run(words, input, sizeof input - 1);
    assert_int_equal(o.status, 0);
#define NO_PARTS "\"part_a\":[0,0],\"part_b\":[0,0],\"facet_a\":0,\"facet_b\":0,"
    static const char *const expected[] = {
        "{\"hit\":true,\"segments\":[{\"type\":\"segment\",\"from\":[0.5,0.125,-1],\"to\":[0.5,-0.125,-1],"
        "\"part_a\":[0,0],\"part_b\":[0,0],\"facet_a\":4,\"facet_b\":0}]}",
        "{\"hit\":true,\"segments\":["
        "{\"type\":\"outline\",\"from\":[4,1,0],\"to\":[4,1.5,0]," NO_PARTS "\"edge_a\":[1,2]},"
        "{\"type\":\"outline\",\"from\":[1,1,0],\"to\":[4,1,0]," NO_PARTS "\"edge_b\":[0,1]},"
        "{\"type\":\"outline\",\"from\":[1,1,0],\"to\":[1,3,0]," NO_PARTS "\"edge_b\":[0,2]},"
        "{\"type\":\"outline\",\"from\":[1,3,0],\"to\":[4,1.5,0]," NO_PARTS "\"edge_b\":[1,2]}]}"};
    char *rest = NULL, *line = strtok_r(o.out.data, "\n", &rest);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++, line = strtok_r(NULL, "\n", &rest))
        if (!line || !is_answer(line) || !same_answer(line, expected[i], 1e-9))
            fail_msg("%s expected, not %s", expected[i], line ? line : "nothing");
    outcome_free(&o);
}

/* Beside the file of the requests first, then in the working directory; read again when it has changed. */
static void mesh_files_are_found(void **state)
{
    (void)state;
    static const char *const words[] = {"query", "sub/q.jsonl", NULL};
    static const char requests[] = PAIR("distance", FILED(""), BALL_AT(9, 0, 0)) "\n";
    static const char small[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
                      large[] = "v 0 0 0\nv 3 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_int_equal(mkdir("sub", 0700), 0);
    file_put("sub/q.jsonl", requests, sizeof requests - 1);
    file_put("cube.obj", small, sizeof small - 1);
    outcome o = tool_run(words, "", 0);
    o.out.data[o.out.size - 1] = '\0';
    assert_int_equal(o.status, 0);
    assert_true(same_answer(o.out.data, "{\"distance\":7,\"pa\":[1,0,0],\"pb\":[8,0,0]}", 1e-9));
    outcome_free(&o);
    file_put("sub/cube.obj", large, sizeof large - 1);
    o = tool_run(words, "", 0);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"distance\":5"));
    outcome_free(&o);
    assert_int_equal(unlink("sub/cube.obj"), 0);
    assert_int_equal(unlink("cube.obj"), 0);
    o = tool_run(words, "", 0);
    assert_int_equal(o.status, 1);
    assert_string_equal(
        o.err.data,
        "sub/q.jsonl:1: a.file cannot be read: sub/cube.obj: cannot be opened: No such file or directory\n");
    outcome_free(&o);
    assert_int_equal(unlink("sub/q.jsonl"), 0);
    assert_int_equal(rmdir("sub"), 0);
}

/* More files than the cache holds, in turn, and one that changes while the tool runs. */
static void the_mesh_cache_follows_changes(void **state)
{
    (void)state;
    static const char *const words[] = {"query", NULL};
    bytes input = {NULL, 0, 0}, expected = {NULL, 0, 0};
    char text[300], name[30];
    for (int i = 0; i < 20; i++) {
        (void)snprintf(name, sizeof name, "m%d.obj", i);
        (void)snprintf(text, sizeof text, "v 0 0 0\nv %d 0 0\nv 0 1 0\nf 1 2 3\n", i + 1);
        file_put(name, text, strlen(text));
    }
    for (int round = 0; round < 60; round++) {
        int i = round % 3 == 0 ? 7 : round % 20;
        (void)snprintf(text, sizeof text,
                       "{\"op\":\"distance\",\"a\":{\"type\":\"mesh\",\"file\":\"m%d.obj\",\"solid\":%s},\"b\":{"
                       "\"type\":\"point\",\"points\":[[100,0,0]]}}\n",
                       i, round % 2 ? "true" : "false");
        bytes_say(&input, text);
        (void)snprintf(text, sizeof text, "{\"distance\":%d,\"pa\":[%d,0,0],\"pb\":[100,0,0]}\n", 99 - i, i + 1);
        bytes_say(&expected, text);
    }
    outcome o = tool_run(words, input.data, input.size);
    assert_int_equal(o.status, 0);
    assert_true(same_answer(o.out.data, expected.data, 1e-9));
    outcome_free(&o);
    bytes_free(&input);
    bytes_free(&expected);

    int to, from, err = file_with("", 0);
    pid_t child = tool_start_piped(words, &to, &from, err);
    for (int i = 0; i < 3; i++) {
        static const char ask[] = "{\"op\":\"distance\",\"a\":{\"type\":\"mesh\",\"file\":\"m0.obj\"},\"b\":{\"type\":"
                                  "\"point\",\"points\":[[100,0,0]]}}\n";
        char answer[200];
        int reach = i == 0 ? 1 : 10 * i * i; /* of other sizes in bytes, too: two writes may have the same time stamp */
        (void)snprintf(text, sizeof text, "v 0 0 0\nv %d 0 0\nv 0 1 0\nf 1 2 3\n%s", reach, i == 2 ? "# end\n" : "");
        file_put("m0.obj", text, strlen(text));
        assert_int_equal(write(to, ask, sizeof ask - 1), sizeof ask - 1);
        ssize_t got = read(from, answer, sizeof answer - 1);
        assert_true(got > 0);
        answer[got] = '\0';
        (void)snprintf(text, sizeof text, "{\"distance\":%d,\"pa\":[%d,0,0],\"pb\":[100,0,0]}\n", 100 - reach, reach);
        if (!same_answer(answer, text, 1e-9))
            fail_msg("after change %d: %s, not %s", i, answer, text);
    }
    (void)close(to);
    assert_int_equal(tool_wait(child), 0);
    (void)close(from);
    (void)close(err);
    for (int i = 0; i < 20; i++) {
        (void)snprintf(name, sizeof name, "m%d.obj", i);
        assert_int_equal(unlink(name), 0);
    }
}

static void errors_in_meshes_are_explained(void **state)
{
    (void)state;
#define WITH(a) PAIR("distance", a, BALL)
    static const char *const bad[][2] = {
        {WITH("{\"type\":\"mesh\"}"), "a is a mesh without data: give file, or vertices and triangles"},
        {WITH("{\"type\":\"mesh\",\"file\":\"gone.stl\"}"),
         "a.file cannot be read: gone.stl: cannot be opened: No such file"},
        {WITH("{\"type\":\"mesh\",\"file\":\"bad.obj\"}"), "a.file cannot be read: bad.obj:2: "},
        {WITH("{\"type\":\"mesh\",\"file\":7}"), "a.file must be a string, not a number"},
        {WITH("{\"type\":\"mesh\",\"file\":\"\"}"), "a.file cannot be read: "},
        {WITH("{\"type\":\"mesh\",\"file\":\".\"}"), "a.file cannot be read: "},
        {WITH("{\"type\":\"mesh\",\"file\":\"far.obj\"}"), "a.file cannot be read: far.obj: vertex 1 "},
        {WITH("{\"type\":\"mesh\",\"file\":\"x.obj\",\"vertices\":[]}"), "a has a file and also vertices or triangles"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,0]]}"), "a.triangles is missing"},
        {WITH("{\"type\":\"mesh\",\"triangles\":[[0,0,0]]}"), "a.vertices is missing"},
        {WITH("{\"type\":\"mesh\",\"vertices\":7,\"triangles\":[]}"), "a.vertices must be an array of points"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0]],\"triangles\":[]}"),
         "a.vertices[0] must be an array of 3 numbers, not of 2"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,1e200]],\"triangles\":[]}"), "a cannot be created: vertex 0 "},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":7}"),
         "a.triangles must be an array of triangles"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0]]}"),
         "a.triangles[0] must be an array of 3 vertex indices"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0,0],[0,0,1]]}"),
         "a.triangles[1][2] must be a vertex index less than 1, not 1"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,-1,0]]}"),
         "a.triangles[0][1] must be a vertex index"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,1,1]],\"triangles\":[[0,0.5,0]]}"),
         "a.triangles[0][1] must be a vertex index"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,1e300,0]]}"),
         "a.triangles[0][1] must be a vertex index"},
        {WITH(MESH(",\"solid\":1")), "a.solid must be true or false, not a number"},
        {WITH(MESH(",\"margin\":-1")), "a.margin must not be negative"},
        {WITH(MESH(",\"points\":[]")), "a has an unknown key \"points\"; a mesh takes type, file, vertices, triangles, "
                                       "solid, one_sided, margin, place, motion"},
        {WITH("{\"type\":\"mesh\",\"vertices\":[],\"triangles\":[]}"),
         "distance could not be answered: a is empty or its coordinates are too large"},
        {WITH("{\"type\":\"compound\"}"), "a.parts is missing"},
        {WITH("{\"type\":\"compound\",\"parts\":{}}"), "a.parts must be an array of shapes"},
        {WITH("{\"type\":\"compound\",\"parts\":[" BALL ",7]}"), "a.parts[1] must be an object, not a number"},
        {WITH("{\"type\":\"compound\",\"parts\":[{\"type\":\"compound\",\"parts\":[{\"type\":\"mesh\"}]}]}"),
         "a.parts[0].parts[0] is a mesh without data"},
        {WITH("{\"type\":\"compound\",\"parts\":[{\"type\":\"sphere\",\"radius\":1,\"motion\":{}}]}"),
         "a.parts[0] has a motion, which only the outermost shape may have"},
        {WITH("{\"type\":\"compound\",\"solid\":true,\"parts\":[]}"),
         "a has an unknown key \"solid\"; a compound takes type, parts, file, margin, place, motion"},
        {WITH("{\"type\":\"compound\",\"parts\":[]}"),
         "distance could not be answered: a is empty or its coordinates are too large"},
        {WITH("{\"type\":\"sum\",\"of\":[" BALL "," MESH("") "]}"),
         "a.of[1] is a mesh, but sum and join take only convex shapes"},
        {WITH("{\"type\":\"join\",\"of\":[{\"type\":\"compound\",\"parts\":[]}," BALL "]}"),
         "a.of[0] is a compound, but sum and join take only convex shapes"},
    };
    static const char wrong[] = "v 0 0 0\nf 1 2 3\n", far[] = "v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n";
    file_put("bad.obj", wrong, sizeof wrong - 1);
    file_put("far.obj", far, sizeof far - 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_error(bad[i][0], bad[i][1]);
    assert_int_equal(unlink("bad.obj"), 0);
    assert_int_equal(unlink("far.obj"), 0);
#undef WITH
}

static void deep_nesting_is_rejected(void **state)
{
    (void)state;
    /* Shapes in shapes, and brackets in brackets: more than the library allows, more than the JSON reader allows. */
    static const char *const openings[] = {"{\"type\":\"sum\",\"of\":[" BALL ",",
                                           "{\"type\":\"compound\",\"parts\":[" BALL ","};
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t levels = 100; levels <= 100000; levels *= 1000) {
            bytes line = {NULL, 0, 0};
            bytes_say(&line, "{\"op\":\"distance\",\"b\":" BALL ",\"a\":");
            for (size_t i = 0; i < levels; i++)
                bytes_say(&line, openings[kind]);
            bytes_say(&line, BALL);
            for (size_t i = 0; i < levels; i++)
                bytes_say(&line, "]}");
            bytes_say(&line, "}");
            outcome o = query_run(line.data);
            assert_int_equal(o.status, 1);
            assert_int_equal(count_lines(o.out.data), 1);
            assert_memory_equal(o.out.data, "{\"error\":\"", 10);
            outcome_free(&o);
            bytes_free(&line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_answers),
        cmocka_unit_test(points_and_lists_are_answered),
        cmocka_unit_test(motion_is_used_by_toi),
        cmocka_unit_test(every_shape_is_read),
        cmocka_unit_test(ground_is_read),
        cmocka_unit_test(numbers_are_read_and_written_exactly),
        cmocka_unit_test(errors_in_requests_are_explained),
        cmocka_unit_test(deep_nesting_is_rejected),
        cmocka_unit_test(meshes_are_read),
        cmocka_unit_test(compounds_are_read),
        cmocka_unit_test(depth_and_toi_of_meshes_answer),
        cmocka_unit_test(parts_are_reported_on_request),
        cmocka_unit_test(a_limit_of_work_ends_a_request),
        cmocka_unit_test(facets_and_edges_are_reported_on_request),
        cmocka_unit_test(mesh_files_are_found),
        cmocka_unit_test(the_mesh_cache_follows_changes),
        cmocka_unit_test(errors_in_meshes_are_explained),
    };
    return cmocka_run_group_tests_name("query tool", tests, folder_make, folder_remove);
}
