/* `tact run`: scenes with known events, errors in scenes, and the scenes in examples/. */
#define _POSIX_C_SOURCE 200809L

#include "tool/answer.h"
#include "tool/scene.h"

/* The first events must be these, one a line; each ends with a line end. */
static void expect_first_events(outcome *o, const char *what, const char *const *expected, size_t count, double slack)
{
    if (o->status != 0 || o->err.size != 0 || count_lines(o->out.data) < count)
        fail_msg("%s: status %d, stderr %s, said\n%s", what, o->status, o->err.data, o->out.data);
    char *line = o->out.data;
    for (size_t i = 0; i < count; i++) {
        char *end = strchr(line, '\n');
        *end = '\0';
        if (!is_answer(line) || !same_answer(line, expected[i], slack))
            fail_msg("%s: event %zu is\n%s\ninstead of\n%s", what, i, line, expected[i]);
        line = end + 1;
    }
    outcome_free(o);
}

/* The events must be these. */
static void expect_events_of(outcome *o, const char *what, const char *const *expected, size_t count, double slack)
{
    if (count_lines(o->out.data) != count)
        fail_msg("%s: status %d, stderr %s, said\n%s", what, o->status, o->err.data, o->out.data);
    expect_first_events(o, what, expected, count, slack);
}

static void expect_events(const char *scene, const char *const *expected, size_t count)
{
    outcome o = scene_run(scene, "--json", NULL);
    expect_events_of(&o, scene, expected, count, 1e-9);
}

static void expect_scene_error(const char *scene, const char *expected)
{
    outcome o = scene_run(scene, "--json", NULL);
    if (o.status != 1 || count_lines(o.err.data) != 1 || strncmp(o.err.data, "scene.json:", 11) != 0 ||
        strncmp(o.err.data + 11, expected, strlen(expected)) != 0 || o.out.size != 0)
        fail_msg("status %d, said %sinstead of %s\nabout %s", o.status, o.err.data, expected, scene);
    outcome_free(&o);
}

/* ---- events ---- */

static void touches_are_reported(void **state)
{
    (void)state;
    static const char *const meet[] = {
        "{\"t\":2,\"kind\":\"touch\",\"a\":\"0\",\"b\":\"1\",\"point\":[3,0,0],\"normal\":[1,0,0]}"};
    expect_events(SCENE("5", "none", "{" BALL "," SPEED(1) "},{" BALL "," AT(4) "}"), meet, 1);
    static const char *const named[] = {TOUCH("2", "b", "a")}; /* the order of the file, not of names */
    expect_events(SCENE("5", "none", "{\"name\":\"b\"," BALL "," SPEED(1) "},{\"name\":\"a\"," BALL "," AT(4) "}"),
                  named, 1);
    expect_events(SCENE("2", "none", "{" BALL "," SPEED(1) "},{" BALL "," AT(4) "}"), meet, 1); /* at the very end */
    expect_events(SCENE("1.9999", "none", "{" BALL "," SPEED(1) "},{" BALL "," AT(4) "}"), NULL, 0);
    expect_events(SCENE("0", "none", ""), NULL, 0);
    expect_events("{\"bodies\":[],\"end\":\"0x1p3\"}", NULL, 0);
    expect_events(SCENE("5", "none", "{" BALL "}"), NULL, 0);
    expect_events(SCENE("5", "elastic", "{" BALL "},{" BALL "," AT(1) "}"), NULL, 0); /* nothing moves */
    /* the place inside the shape is applied first; the body rotates about the outer one: a ball on an arm */
    static const char *const arm[] = {TOUCH("1.5707963267948966", "hand", "ball")};
    expect_events(
        SCENE("2", "none",
              "{\"name\":\"hand\",\"shape\":{\"type\":\"point\",\"points\":[[0,0,0]],\"place\":{\"translate\":[4,"
              "0,0]}},\"motion\":{\"spin\":[0,0,1]}},{\"name\":\"ball\",\"shape\":{\"type\":\"box\",\"size\":[8,2,2]},"
              "\"place\":{\"translate\":[-4,4,0]}}"),
        arm, 1);
    static const char *const scaled[] = {TOUCH("1", "0", "1")}; /* the outer place scales the inner one */
    expect_events(
        SCENE("2", "none",
              "{\"shape\":{\"type\":\"sphere\",\"radius\":1,\"place\":{\"translate\":[1,0,0]}},\"place\":{\"scale\":["
              "2,2,2]}," SPEED(1) "},{" BALL "," AT(6) "}"),
        scaled, 1);
    static const char *const mesh[] = {TOUCH("3", "0", "1")};
    expect_events(
        SCENE("4", "none",
              "{\"shape\":{\"type\":\"mesh\",\"vertices\":[[0,-1,-1],[0,1,-1],[0,0,1]],\"triangles\":[[0,1,2]],"
              "\"place\":{\"translate\":[1,0,0]}}," AT(3) "},{" BALL "," SPEED(1) "}"),
        mesh, 1);
}

/* Motion plans and polled bodies. */
static void motion_plans_are_followed(void **state)
{
    (void)state;
    /* to the right for 1, back for 2, and to the right again at twice the speed: there are 2 to the other ball */
    static const char *const later[] = {TOUCH("4.5", "0", "1")};
    expect_events(SCENE("9", "none",
                        "{" BALL "," SPEED(1) ",\"then\":[{\"at\":1,\"motion\":{\"velocity\":[-1,0,0]}},"
                                              "{\"at\":3,\"motion\":{\"velocity\":[2,0,0]}}]},{" BALL "," AT(4) "}"),
                  later, 1);
    static const char *const never[] = {TOUCH("1", "0", "1")};
    expect_events(
        SCENE("9", "none", "{" BALL "," SPEED(2) ",\"motion_plan\":[{\"at\":1,\"motion\":{}}]},{" BALL "," AT(4) "}"),
        never, 1); /* at the very time */
    expect_events(
        SCENE("9", "none", "{" BALL "," SPEED(1) ",\"then\":[{\"at\":1,\"motion\":{}}]},{" BALL "," AT(4) "}"), NULL,
        0);
    static const char *const polled[] = {TOUCH("2.25", "0", "1")}; /* the contact is at 2.05 */
    expect_events(SCENE("9", "none", "{" BALL "," SPEED(1) "},{" BALL "," AT(4.05) ",\"poll\":0.75}"), polled, 1);
}

/* Response none: one touch for each start of an overlap. The start of the scene is as in toi. */
static void overlaps_are_reported_once(void **state)
{
    (void)state;
    static const char *const deep[] = {TOUCH("0", "0", "1")};
    expect_events(SCENE("50", "none", "{" BALL "," SPEED(1) "},{" BALL "," AT(1) "}"), deep, 1);
    expect_events(SCENE("50", "none", "{" BALL "," SPEED(-1) "},{" BALL "," AT(1) "}"), deep, 1);
    expect_events(SCENE("50", "none", "{" BALL "," SPEED(1) "},{" BALL "," AT(2) "}"), deep,
                  1); /* touching, approaching */
    expect_events(SCENE("50", "none", "{" BALL "," SPEED(-1) "},{" BALL "," AT(2) "}"), NULL, 0);
    expect_events(SCENE("50", "none", "{" CUBE ",\"motion\":{\"velocity\":[0,1,0]}},{" CUBE "," AT(2) "}"), NULL, 0);
    /* thrown up through a sheet, it comes down again: x = 4 t - t^2 / 2 meets 3.5 - 1 and 3.5 + 1 */
    static const char *const twice[] = {TOUCH("0.683375209644600", "0", "1"), TOUCH("6.645751311064590", "0", "1")};
    expect_events(SCENE("20", "none",
                        "{" BALL
                        ",\"motion\":{\"velocity\":[4,0,0],\"acceleration\":[-1,0,0]}},{\"shape\":{\"type\":\"box\","
                        "\"size\":[0,9,9]}," AT(3.5) "}"),
                  twice, 2);
}

static void simultaneous_events_are_in_file_order(void **state)
{
    (void)state;
    static const char *const four[] = {TOUCH("1", "a", "c"), TOUCH("1", "a", "d"), TOUCH("1", "b", "e"),
                                       TOUCH("1", "b", "f")};
    expect_events(SCENE("1.5", "none",
                        "{\"name\":\"a\"," CUBE "},{\"name\":\"b\"," CUBE
                        "," AT(20) "},"
                                   "{\"name\":\"c\"," CUBE "," AT(3) "," SPEED(-1) "},{\"name\":\"d\"," CUBE "," AT(
                                       -3) "," SPEED(1) "},"
                                                        "{\"name\":\"e\"," CUBE "," AT(17) "," SPEED(
                                                            1) "},{\"name\":\"f\"," CUBE "," AT(23) "," SPEED(-1) "}"),
                  four, 4);
    /* three touching balls, hit by a fourth: pair by pair until none approaches */
    static const char *const row[] = {TOUCH("1", "0", "1"), TOUCH("1", "1", "2"), TOUCH("1", "2", "3"),
                                      TOUCH("3", "3", "4")};
    expect_events(SCENE("4", "elastic",
                        "{" BALL "," AT(-3) "," SPEED(1) ",\"mass\":2},{" BALL "," AT(0) ",\"mass\":2},{" BALL "," AT(
                            2) ",\"mass\":2},{" BALL "," AT(4) ",\"mass\":2},{" CUBE "," AT(8) "}"),
                  row, 4);
}

static void impacts_use_the_response_of_the_scene(void **state)
{
    (void)state;
    /* 1 hits 3: with a restitution e it goes on at (1 - 3 e) / 4, and the other one at (1 + e) / 4, to a wall */
    static const char *const elastic[] = {TOUCH("2", "0", "1"), TOUCH("10", "1", "2"), TOUCH("26", "0", "1")};
#define PAIR_AND_WALL(a, b)                                                                                            \
    "{" BALL "," SPEED(1) ",\"mass\":1" a "},{" BALL "," AT(4) ",\"mass\":3" b "},{" CUBE                              \
                                                               "," AT(10) ",\"restitution\":1}"
    /* after 10 both go left, at 0.5 and 0.5: no more */
    expect_events(SCENE("100", "elastic", PAIR_AND_WALL("", "")), elastic, 2);
    static const char *const half[] = {TOUCH("2", "0", "1"), TOUCH("12.666666666666667", "1", "2")};
    expect_events(SCENE("12.7", "inelastic", PAIR_AND_WALL(",\"restitution\":0.5", ",\"restitution\":0.7")), half, 2);
    expect_events(SCENE("12.7", "inelastic", PAIR_AND_WALL(",\"restitution\":0.7", ",\"restitution\":0.5")), half, 2);
    /* without restitution the two stay in contact; the contact solver keeps a gap of 1e-4 between them */
    static const char *const dead[] = {TOUCH("2", "0", "1"), BEGIN("2", "0", "1"), TOUCH("18", "1", "2")};
    outcome o = scene_run(SCENE("18.00001", "inelastic", PAIR_AND_WALL("", ",\"restitution\":1")), "--json", NULL);
    expect_first_events(&o, "inelastic", dead, 3, 1e-5);
    /* a body without mass is not deflected */
    static const char *const plan[] = {TOUCH("1", "0", "1")};
    expect_events(SCENE("50", "elastic", "{" CUBE "," SPEED(1) "},{" CUBE "," AT(3) ",\"mass\":0}"), plan, 1);
    /* gravity acts only on bodies with a mass */
    static const char *const falls[] = {TOUCH("2", "0", "1")};
    expect_events("{\"end\":3,\"gravity\":[0,-2,0],\"bodies\":[{" CUBE ",\"place\":{\"translate\":[0,-6,0]}},{" CUBE
                  ",\"mass\":1}]}",
                  falls, 1);
}

/* Balls fall on a plane, a heightfield and a platform that they have passed through from below. */
static void balls_fall_on_ground(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "{\"t\":1,\"kind\":\"touch\",\"a\":\"plane\",\"b\":\"one\",\"point\":[-20,-1,0],\"normal\":[0,1,0]}",
        "{\"t\":1.5,\"kind\":\"touch\",\"a\":\"field\",\"b\":\"two\",\"point\":[1,0.5,1],\"normal\":[0,1,0]}",
        "{\"t\":2,\"kind\":\"touch\",\"a\":\"sheet\",\"b\":\"three\",\"point\":[12,1,2],\"normal\":[0,1,0]}"};
    expect_events(
        "{\"end\":2.1,\"response\":\"none\",\"bodies\":["
        "{\"name\":\"plane\",\"shape\":{\"type\":\"halfspace\",\"normal\":[0,3,0],\"offset\":0,"
        "\"place\":{\"translate\":[0,-1,0]}}},"
        "{\"name\":\"field\",\"shape\":{\"type\":\"heightfield\",\"counts\":[2,2],\"spacing\":[4,4],"
        "\"heights\":[0.5,0.5,0.5,0.5]},\"place\":{\"translate\":[-1,0,-1]}},"
        "{\"name\":\"sheet\",\"shape\":{\"type\":\"mesh\",\"vertices\":[[10,1,0],[10,1,9],[19,1,0]],"
        "\"triangles\":[[0,1,2]],\"one_sided\":true}},"
        "{\"name\":\"one\"," BALL ",\"place\":{\"translate\":[-20,3,0]},\"motion\":{\"velocity\":[0,-3,0]}},"
        "{\"name\":\"two\"," BALL ",\"place\":{\"translate\":[1,3,1]},\"motion\":{\"velocity\":[0,-1,0]}},"
        "{\"name\":\"three\"," BALL
        ",\"place\":{\"translate\":[12,0,2]},\"motion\":{\"velocity\":[0,11,0],\"acceleration\":[0,-10,0]}}]}",
        expected, 3);
}

/* Bodies that come to rest have few events; the same run gives the same bytes. */
static void runs_end_and_repeat(void **state)
{
    (void)state;
    static const char scene[] =
        "{\"end\":4,\"response\":\"inelastic\",\"gravity\":[0,-9.81,0],\"bodies\":["
        "{\"shape\":{\"type\":\"box\",\"size\":[9,2,9]},\"place\":{\"translate\":[0,-1,0]},\"restitution\":1,"
        "\"friction\":1},"
        "{" BALL ",\"place\":{\"translate\":[0,2,0]},\"mass\":1,\"restitution\":0.5},"
        "{" CUBE ",\"place\":{\"translate\":[0.1,5,0]},\"mass\":1,\"restitution\":0.2,\"friction\":0.5}]}";
    outcome o = scene_run(scene, "--json", NULL), again = scene_run(scene, "--json", NULL);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out.data, again.out.data);
    const size_t lines = count_lines(o.out.data);
    assert_true(lines > 10 && lines < 400);
    double last = 0.0;
    for (char *line = o.out.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        assert_true(is_answer(line));
        const double t = number_after(line, "\"t\":");
        assert_true(t >= last && t <= 4.0);
        last = t;
    }
    outcome_free(&o);
    outcome_free(&again);
}

/* ---- output ---- */

static void events_are_printed_as_a_table(void **state)
{
    (void)state;
    static const char scene[] = SCENE("20", "elastic",
                                      "{\"name\":\"left\"," CUBE
                                      "," AT(-4) "},{\"name\":\"b\\u00e4ll\\n\"," BALL
                                                 "," SPEED(1) ",\"mass\":1},{\"name\":\"right\"," CUBE "," AT(4) "}");
    outcome o = scene_run(scene, NULL, NULL);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.err.data, "");
    assert_non_null(strstr(o.out.data, "2.000000000  touch    b\xc3\xa4ll?  right"));
    assert_non_null(strstr(o.out.data, "scene.json: 3 bodies, response elastic, end at t = 20\n"));
    assert_non_null(strstr(o.out.data, "5 touches, first at t = 2, last at t = 18\n"));
    assert_non_null(
        strstr(o.out.data, "2 pairs, most frequent: b\xc3\xa4ll? and right (3); left and b\xc3\xa4ll? (2)\n"));
    outcome_free(&o);
    o = scene_run(scene, "--limit", "1");
    assert_non_null(strstr(o.out.data, "(4 more; raise --limit to list them)"));
    outcome_free(&o);
    o = scene_run(scene, "--end", "3");
    assert_non_null(strstr(o.out.data, "1 touch, at t = 2\n"));
    outcome_free(&o);
    o = scene_run(scene, "--end", "1");
    assert_non_null(strstr(o.out.data, "no touches\n"));
    outcome_free(&o);
    /* names in JSON */
    o = scene_run(scene, "--json", NULL);
    assert_non_null(strstr(o.out.data, "\"a\":\"b\xc3\xa4ll\\n\",\"b\":\"right\""));
    outcome_free(&o);
}

static void events_go_to_the_chosen_output(void **state)
{
    (void)state;
    static const char scene[] = SCENE("5", "none", "{" BALL "," SPEED(1) "},{" BALL "," AT(4) "}");
    static const char *const meet[] = {TOUCH("2", "0", "1")};
    outcome o = scene_run(scene, "--out", "events.jsonl");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "1 touch, at t = 2\n"));
    outcome_free(&o);
    const int file = open("events.jsonl", O_RDONLY);
    assert_true(file >= 0);
    outcome written = {.out = file_read_all(file), .err = {NULL, 0, 0}};
    bytes_say(&written.err, "");
    (void)close(file);
    assert_int_equal(unlink("events.jsonl"), 0);
    expect_events_of(&written, "--out", meet, 1, 1e-9);
    o = scene_run(scene, "--out", "nowhere/events.jsonl");
    assert_int_equal(o.status, 1);
    assert_memory_equal(o.err.data, "nowhere/events.jsonl: cannot be opened", 38);
    outcome_free(&o);
    static const char *const words[] = {"run", "-", "--json", NULL};
    o = tool_run(words, scene, strlen(scene));
    expect_events_of(&o, "standard input", meet, 1, 1e-9);
    o = tool_run(words, "{\n\"end\":-1}", 11);
    assert_int_equal(o.status, 1);
    assert_memory_equal(o.err.data, "stdin:2: end must not be negative", 33);
    outcome_free(&o);
    static const char *const gone[] = {"run", "gone.json", NULL};
    o = tool_run(gone, "", 0);
    assert_int_equal(o.status, 1);
    assert_memory_equal(o.err.data, "gone.json: cannot be opened", 27);
    outcome_free(&o);
}

static void wrong_usage_is_reported(void **state)
{
    (void)state;
    static const char *const wrong[][6] = {{"run", NULL},
                                           {"run", "a.json", "b.json", NULL},
                                           {"run", "a.json", "--fast", NULL},
                                           {"run", "a.json", "--out", NULL},
                                           {"run", "a.json", "--limit", NULL},
                                           {"run", "--limit", "x", NULL},
                                           {"run", "--limit", "-1", NULL},
                                           {"run", "--work", "x", NULL},
                                           {"run", "a.json", "--json", "--limit", "1", NULL},
                                           {"run", "a.json", "--end", NULL},
                                           {"run", "--end", "-1", NULL},
                                           {"run", "--end", "nan", NULL},
                                           {"run", "--end", "1x", NULL},
                                           {"run", "--every", "0", NULL},
                                           {"run", "--every", "-1", NULL},
                                           {"run", "--every", "nan", NULL},
                                           {"run", "--every", "1s", NULL},
                                           {"run", "a.json", "--every", NULL},
                                           {"run", "a.json", "--states", NULL},
                                           {"run", "a.json", "--states", "", NULL},
                                           {"run", "a.json", "--states", "s", NULL}, /* without --every */
                                           {"run", "a.json", "--every", "1", NULL},
                                           {"run", "-", "--states", "s", "--every", NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        outcome o = tool_run(wrong[i], "", 0);
        assert_int_equal(o.status, 2);
        assert_int_equal(count_lines(o.err.data), 1);
        assert_non_null(strstr(o.err.data, "Try: tact help run\n"));
        assert_string_equal(o.out.data, "");
        outcome_free(&o);
    }
    outcome o = scene_run(SCENE("1", "none", ""), "--out", "scene.json");
    assert_int_equal(o.status, 2);
    outcome_free(&o);
    static const char *const help[] = {"run", "--help", NULL};
    o = tool_run(help, "", 0);
    assert_int_equal(o.status, 0);
    assert_memory_equal(o.out.data, "tact run SCENE.json", 19);
    outcome_free(&o);
}

/* Two boxes that turn like wheels, the corners of one past the sides of the other: each turn is searched. */
static void work_without_an_event_has_a_limit(void **state)
{
    (void)state;
    static const char scene[] =
        SCENE("1", "none",
              "{\"shape\":{\"type\":\"box\",\"size\":[2,2,2]},\"motion\":{\"spin\":[0,0,1e8]}},"
              "{\"shape\":{\"type\":\"box\",\"size\":[2,2,2]},\"motion\":{\"spin\":[0,0,-1e8]},"
              "\"place\":{\"translate\":[2.65,0,0],\"rotate\":[0,0,0.3826834323650898,0.9238795325112867]}}");
    outcome o = scene_run(scene, "--work", "1000");
    assert_int_equal(o.status, 1);
    assert_memory_equal(o.err.data, "scene.json: at t = ", 19);
    assert_non_null(strstr(o.err.data, ": 1000 units of work without an event: "));
    assert_int_equal(count_lines(o.err.data), 1);
    outcome_free(&o);
    static const char wild[] =
        SCENE("1", "none",
              "{\"name\":\"top\",\"shape\":{\"type\":\"ellipsoid\",\"radii\":[1,2,3]},\"motion\":{\"spin\":[4e74,8e74,"
              "2e74]}},"
              "{" BALL ",\"place\":{\"translate\":[3.9,0,0]},\"motion\":{\"velocity\":[-0.1,0,0]}}");
    o = scene_run(wild, NULL, NULL);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err.data, "exceed 1e150; body \"top\" moves or spins most"));
    outcome_free(&o);
    static const char moderate[] =
        SCENE("1", "none",
              "{\"shape\":{\"type\":\"box\",\"size\":[1,2,3]},\"motion\":{\"spin\":[1e3,2,0]}},"
              "{" BALL ",\"place\":{\"translate\":[2.6,0.3,0]},\"motion\":{\"velocity\":[0,0.1,0]}}");
    o = scene_run(moderate, "--work", "0");
    assert_int_equal(o.status, 0);
    outcome_free(&o);
}

/* ---- errors ---- */

static void errors_in_scenes_are_explained(void **state)
{
    (void)state;
#define BODY(members) "{\"end\":1,\n\"bodies\":[\n{" BALL "},\n{" members "}]}"
    static const char *const bad[][2] = {
        {"", " is empty: a scene is a JSON object with end and bodies"},
        {" \n\n", " is empty: a scene is a JSON object"},
        {"7", "1: not valid JSON at column 1"},
        {"{\"end\":1,\"bodies\":[],}", "1: not valid JSON at column 22"},
        {"{\n\n\"end\":}", "3: not valid JSON at column "},
        {"{\"end\":1,\"bodies\":[]} x", "1: not valid JSON"},
        {"[]", "1: the file must be an object, not an array"},
        {"{\"end\":1,\"end\":2,\"bodies\":[]}", "1: not valid JSON at column "},
        {"\n{}", "2: end is missing"},
        {"{\"bodies\":[]}", "1: end is missing"},
        {"{\"end\":1}", "1: bodies is missing"},
        {"{\"end\":\"soon\",\"bodies\":[]}", "1: end must be a number"},
        {"{\"end\":-1,\"bodies\":[]}", "1: end must not be negative, but is -1"},
        {"{\"end\":1e999,\"bodies\":[]}", "1: not valid JSON"},
        {"{\"end\":NaN,\"bodies\":[]}", "1: not valid JSON"},
        {"{\"end\":null,\"bodies\":[]}", "1: end must be a number, not null"},
        {"{\"end\":1,\"bodies\":{}}", "1: bodies must be an array of bodies, not an object"},
        {"{\"end\":1,\"bodies\":7}", "1: bodies must be an array of bodies, not a number"},
        {"{\"end\":1,\"Bodies\":[]}", "1: the file has an unknown key \"Bodies\"; a scene takes end, response, bodies"},
        {"{\"end\":\"nan\",\"bodies\":[]}",
         "1: end must be a number (or a string such as \"0x1.8p+1\"), not the string "},
        {"{\"end\":1,\"response\":[],\"bodies\":[]}", "1: response must be a string, not an array"},
        {"{\"end\":1,\"gravity\":[0,1e200,0],\"bodies\":[{" BALL ",\"mass\":1}]}",
         "1: gravity must have components up to 1e+150, not 1e+200"},
        {"{\"end\":1,\n\"bodies\":[\n\n7]}", "4: bodies[0] must be an object, not a number"},
        {"{\"end\":1,\"wind\":3,\"bodies\":[]}",
         "1: the file has an unknown key \"wind\"; a scene takes end, response, bodies, gravity, contact_step, "
         "sleep, kinetic"},
        {"{\"end\":1,\n\"response\":\"sticky\",\"bodies\":[]}",
         "2: response must be none, elastic or inelastic, not \"sticky\""},
        {"{\"end\":1,\"response\":1,\"bodies\":[]}", "1: response must be a string, not a number"},
        {"{\"end\":1,\"kinetic\":\"tree\",\"bodies\":[]}",
         "1: kinetic must be auto, sweep-and-prune or fat-bounds, not \"tree\""},
        {"{\"end\":1,\"kinetic\":2,\"bodies\":[]}", "1: kinetic must be a string, not a number"},
        {"{\"end\":1,\"response\":\"None\",\"bodies\":[]}", "1: response must be none, elastic or inelastic"},
        {BODY(BALL ",\"motion_plan\":{}"),
         "4: bodies[1].motion_plan must be an array of motions, each with its start time, not an object"},
        {BODY(BALL ",\"motion_plan\":null"),
         "4: bodies[1].motion_plan must be an array of motions, each with its start time, not null"},
        {BODY(BALL ",\"motion_plan\":[]"),
         "4: bodies[1].motion_plan is empty: add a motion with a start time, or remove the key"},
        {BODY(BALL ",\"motion_plan\":[7]"), "4: bodies[1].motion_plan[0] must be an object, not a number"},
        {BODY(BALL ",\"motion_plan\":[{\"at\":1,\"motion\":{},\"wait\":1}]"),
         "4: bodies[1].motion_plan[0] has an unknown key \"wait\"; an entry of motion_plan takes at, motion"},
        {BODY(BALL ",\"motion_plan\":[{\"at\":-1,\"motion\":{}}]"),
         "4: bodies[1].motion_plan[0].at must not be negative, but is -1"},
        {BODY(BALL ",\"motion_plan\":[{\"at\":1,\"motion\":{}},{\"at\":1,\"motion\":{}}]"),
         "4: bodies[1].motion_plan[1].at must be later than 1, but is 1"},
        {BODY(BALL ",\"motion_plan\":[{\"at\":1,\"motion\":{\"velocity\":[0,1e200,0]}}]"),
         "4: bodies[1].motion_plan[0].motion.velocity must have components up to 1e+150, not 1e+200"},
        {BODY(BALL ",\"motion_plan\":[{\"motion\":{}}]"), "4: bodies[1].motion_plan[0].at is missing"},
        {BODY(BALL ",\"motion_plan\":[{\"at\":1}]"), "4: bodies[1].motion_plan[0].motion is missing"},
        {BODY(BALL ",\"motion_plan\":[{\"at\":0,\"motion\":{}}]"),
         "4: bodies[1].motion_plan[0].at must be later than 0, but is 0"},
        {BODY(BALL ",\"motion_plan\":[{\"at\":2,\"motion\":{}},{\"at\":1,\"motion\":{}}]"),
         "4: bodies[1].motion_plan[1].at must be later than 2, but is 1"},
        {BODY(BALL ",\"poll\":-1"), "4: bodies[1].poll_interval must not be negative, but is -1"},
        {"{\"end\":1,\"gravity\":9.81,\"bodies\":[]}", "1: gravity must be an array of 3 numbers, not a number"},
        {"{\"end\":1,\"gravity\":[0,1],\"bodies\":[]}", "1: gravity must be an array of 3 numbers, not of 2"},
        {"{\"end\":1,\"gravity\":[0,1,\"g\"],\"bodies\":[]}", "1: gravity[2] must be a number"},
        {"{\"end\":1,\n\"rest_time\":0.001,\"bodies\":[]}", "2: rest_time is no longer used: bodies at rest do not "
                                                            "bounce any more, they stay in contact. Remove it, or set "
                                                            "contact_step (default 1/60)"},
        {"{\"end\":1,\"rest\":0.001,\"bodies\":[]}", "1: rest is no longer used"},
        {"{\"end\":1,\"contact_step\":0,\"bodies\":[]}", "1: contact_step must be positive, but is 0"},
        {"{\"end\":1,\"contact_step\":-0.1,\"bodies\":[]}", "1: contact_step must be positive, but is -0.1"},
        {"{\"end\":1,\"contact_step\":\"short\",\"bodies\":[]}", "1: contact_step must be a number"},
        {"{\"end\":1,\"sleep\":0,\"bodies\":[]}", "1: sleep must be true or false, not a number"},
        {BODY(""), "4: bodies[1].shape is missing"},
        {BODY(BALL ",\n\"colour\":\"red\""), "4: bodies[1] has an unknown key \"colour\"; a body takes name, shape, "
                                             "place, motion, motion_plan, mass, density, restitution, friction, "
                                             "rolling_friction, poll_interval"},
        {BODY("\"name\":7," BALL), "4: bodies[1].name must be a string, not a number"},
        {BODY("\"name\":\"\"," BALL), "4: bodies[1].name must not be empty"},
        {BODY("\n\"name\":\"0\"," BALL), "5: bodies[1].name \"0\" is already the name of bodies[0]"},
        {BODY("\"name\":null," BALL), "4: bodies[1].name must be a string, not null"},
        {BODY("\"shape\":\"sphere\""), "4: bodies[1].shape must be an object, not a string"},
        {BODY("\"shape\":{\"type\":\"sphere\",\n\"radius\":-1}"),
         "5: bodies[1].shape.radius must not be negative, but is -1"},
        {BODY("\"shape\":{\"type\":\"ball\"}"), "4: bodies[1].shape.type must be one of sphere, box"},
        {BODY("\"shape\":{\"type\":\"sphere\",\"radius\":1,\"motion\":{}}"),
         "4: bodies[1].shape has a motion; in a scene the motion is a key of the body"},
        {BODY("\"shape\":{\"type\":\"mesh\",\"file\":\"gone.obj\"}"), "4: bodies[1].shape.file "},
        {BODY("\"shape\":{\"type\":\"mesh\",\"vertices\":[],\"triangles\":[]},\"mass\":1"), "4: bodies[1]"},
        {BODY(BALL ",\"place\":7"), "4: bodies[1].place must be an object, not a number"},
        {BODY(BALL ",\"place\":{\"rotate\":[0,0,0,0]}"), "4: bodies[1].place.rotate must not be zero"},
        {BODY(BALL ",\"place\":{\"scale\":[1,0,1]}"), "4: bodies[1].place.scale must not be zero"},
        {BODY("\"shape\":{\"type\":\"halfspace\",\"normal\":[0,1,0],\"offset\":0,"
              "\"place\":{\"scale\":[1e-310,1e-310,1e-310]}}"), /* not singular, but without an inverse in doubles */
         "4: bodies[1].shape.place cannot be used for a half-space: its inverse is out of range"},
        {BODY(BALL ",\"place\":{\"translate\":[1e200,0,0]}"),
         "4: bodies[1] has no points, or coordinates beyond 1e+150"},
        {BODY(BALL ",\"place\":{\"translation\":[1,0,0]}"),
         "4: bodies[1].place has an unknown key \"translation\"; a place takes translate, rotate, scale, matrix"},
        {BODY(BALL ",\"place\":{\"matrix\":[1,0,0]}"),
         "4: bodies[1].place.matrix must be an array of 16 numbers, not of 3"},
        {BODY("\"shape\":{\"type\":\"compound\",\"parts\":[]}"),
         "4: bodies[1] has no points, or coordinates beyond 1e+150"},
        {BODY("\"shape\":{\"type\":\"sphere\"}"), "4: bodies[1].shape.radius is missing"},
        {BODY("\"shape\":{\"type\":\"sphere\",\"radius\":1,\"size\":2}"),
         "4: bodies[1].shape has an unknown key \"size\"; a sphere takes type, radius, margin, place"},
        {BODY("\"shape\":{\"type\":\"sphere\",\"radius\":1e200}"),
         "4: bodies[1].shape cannot be created: radius must be a length from 0 to 1e+150, but is 1e+200"},
        {BODY("\"shape\":{\"type\":\"box\",\"size\":[1,-2,3]}"),
         "4: bodies[1].shape.size[1] must not be negative, but is -2"},
        {BODY(BALL ",\"motion\":{\"velocity\":[1e200,0,0]}"),
         "4: bodies[1].motion.velocity must have components up to 1e+150, not 1e+200"},
        {BODY(BALL ",\"motion\":{\"spin\":[0,0,-1e200]}"),
         "4: bodies[1].motion.spin must have components up to 1e+150, not 1e+200"},
        {BODY(BALL ",\"motion\":{\"velocity\":[\"nan\",0,0]}"), "4: bodies[1].motion.velocity[0] must be a number"},
        {BODY(BALL ",\"mass\":1e-320"), "4: bodies[1].mass is not possible for this shape: "},
        {BODY(BALL ",\"mass\":true"), "4: bodies[1].mass must be a number, not true"},
        {BODY(BALL ",\"motion\":[]"), "4: bodies[1].motion must be an object, not an array"},
        {BODY(BALL ",\"motion\":{\"speed\":1}"), "4: bodies[1].motion has an unknown key \"speed\""},
        {BODY(BALL ",\"motion\":{\n\"spin\":[1,2]}"),
         "5: bodies[1].motion.spin must be an array of 3 numbers, not of 2"},
        {BODY(BALL ",\"mass\":-1"), "4: bodies[1].mass must not be negative, but is -1"},
        {BODY(BALL ",\"mass\":\"heavy\""), "4: bodies[1].mass must be a number"},
        {BODY(BALL ",\"mass\":{}"), "4: bodies[1].mass must be a number, not an object"},
        {BODY(BALL ",\"restitution\":1.5"), "4: bodies[1].restitution must not be greater than 1, but is 1.5"},
        {BODY(BALL ",\"restitution\":-0.5"), "4: bodies[1].restitution must not be negative"},
        {BODY(BALL ",\"restitution\":true"), "4: bodies[1].restitution must be a number, not true"},
        {BODY(BALL ",\"mass\":1,\"density\":1"), "4: bodies[1].density and mass are both given: use one or the other"},
        {BODY(BALL ",\"density\":-1"), "4: bodies[1].density must not be negative, but is -1"},
        {BODY(BALL ",\"density\":[1]"), "4: bodies[1].density must be a number, not an array"},
        {BODY(BALL ",\"density\":1e-320"), "4: bodies[1].density is not possible for this shape: "},
        {BODY(BALL ",\"density\":1e308"), "4: bodies[1].density is not possible for this shape: "},
        {BODY(BALL ",\"rolling_friction\":-1"), "4: bodies[1].rolling_friction must not be negative, but is -1"},
        {BODY(BALL ",\"rolling_friction\":true"), "4: bodies[1].rolling_friction must be a number, not true"},
        {BODY(BALL ",\"friction\":-1"), "4: bodies[1].friction must not be negative"},
        {BODY(BALL ",\"friction\":[1]"), "4: bodies[1].friction must be a number, not an array"},
        {BODY(BALL ",\"friction\":\"\""), "4: bodies[1].friction must be a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_scene_error(bad[i][0], bad[i][1]);
}

/* ---- the scenes that come with the tool ---- */

static outcome example_run(const char *name, const char *one, const char *other)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/examples/scenes/%s", TACT_REPOSITORY, name);
    const char *words[] = {"run", path, "--json", one, other, NULL};
    return tool_run(words, "", 0);
}

static void billiards_matches_the_exact_solution(void **state)
{
    (void)state;
    /* the cue hits red at 8, 0.6 beside it: red leaves along (0.8 0.6) at 6.4, the cue across that at 4.8 */
#define HIT(t, a, b, point, normal)                                                                                    \
    "{\"t\":" t ",\"kind\":\"touch\",\"a\":\"" a "\",\"b\":\"" b "\",\"point\":" point ",\"normal\":" normal "}"
    static const char *const right[] = {HIT("0.65", "cue", "red", "[-0.4,0.3,0]", "[0.8,0.6,0]"),
                                        HIT("1.665625", "top", "red", "[5.2,5,0]", "[0,-1,0]"),
                                        HIT("1.821875", "bottom", "cue", "[2.575,-5,0]", "[0,1,0]"),
                                        HIT("2.50546875", "right", "red", "[10,1.275,0]", "[-1,0,0]")};
    outcome o = example_run("billiards.json", NULL, NULL);
    expect_events_of(&o, "billiards", right, 4, 1e-9);
}

static void the_cradle_matches_the_exact_solution(void **state)
{
    (void)state;
#define THERE(t)                                                                                                       \
    TOUCH(t, "first", "second"), TOUCH(t, "second", "third"), TOUCH(t, "third", "fourth"), TOUCH(t, "fourth", "last")
#define BACK(t)                                                                                                        \
    TOUCH(t, "fourth", "last"), TOUCH(t, "third", "fourth"), TOUCH(t, "second", "third"), TOUCH(t, "first", "second")
    static const char *const right[] = {THERE("1"), TOUCH("2.8333333333333333", "last", "right wall"),
                                        BACK("4.666666666666667"), TOUCH("6.5", "left wall", "first"),
                                        THERE("8.333333333333333")};
    outcome o = example_run("cradle.json", NULL, NULL);
    expect_events_of(&o, "cradle", right, 14, 1e-9);
}

static void all_examples_run(void **state)
{
    (void)state;
    static const struct {
        const char *name, *end;
        size_t least;
    } examples[] = {{"spheres.json", "1", 200}, {"rings.json", "0.05", 20}, {"models.json", "0.05", 5},
                    {"mixed.json", "1.5", 10},  {"stack.json", "2", 20},    {"ground.json", "2", 8}};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        outcome o = example_run(examples[i].name, "--end", examples[i].end);
        if (o.status != 0 || o.err.size != 0 || count_lines(o.out.data) < examples[i].least)
            fail_msg("%s: status %d, %zu events, %s", examples[i].name, o.status, count_lines(o.out.data), o.err.data);
        double last = 0.0;
        for (char *line = o.out.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            const double t = number_after(line, "\"t\":");
            if (!is_answer(line) || t < last)
                fail_msg("%s: %s after %.17g", examples[i].name, line, last);
            last = t;
        }
        outcome_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_without_an_event_has_a_limit),
        cmocka_unit_test(touches_are_reported),
        cmocka_unit_test(overlaps_are_reported_once),
        cmocka_unit_test(simultaneous_events_are_in_file_order),
        cmocka_unit_test(impacts_use_the_response_of_the_scene),
        cmocka_unit_test(balls_fall_on_ground),
        cmocka_unit_test(runs_end_and_repeat),
        cmocka_unit_test(events_are_printed_as_a_table),
        cmocka_unit_test(events_go_to_the_chosen_output),
        cmocka_unit_test(wrong_usage_is_reported),
        cmocka_unit_test(motion_plans_are_followed),
        cmocka_unit_test(errors_in_scenes_are_explained),
        cmocka_unit_test(billiards_matches_the_exact_solution),
        cmocka_unit_test(the_cradle_matches_the_exact_solution),
        cmocka_unit_test(all_examples_run),
    };
    return cmocka_run_group_tests_name("run tool", tests, folder_make, folder_remove);
}
