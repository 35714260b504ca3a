/*
 * `tact run`: persistent contacts, material and gravity, compared with closed forms of mechanics; and the sampled
 * states of --states.
 */
#define _POSIX_C_SOURCE 200809L

#include "tool/answer.h"
#include "tool/scene.h"

#define GRAVITY 9.81
#define HEAVY(end, more, bodies)                                                                                       \
    "{\"end\":" end ",\"response\":\"inelastic\",\"gravity\":[0,-9.81,0]" more ",\"bodies\":[" bodies "]}"
#define FLOOR(more)                                                                                                    \
    "{\"name\":\"floor\",\"shape\":{\"type\":\"box\",\"size\":[90,2,90]},\"place\":{\"translate\":[0,-1,0]},"          \
    "\"restitution\":1" more "}"
#define ON_FLOOR "\"place\":{\"translate\":[0,1,0]}"

/* The contact solver keeps 1e-4 sizes between bodies, and has steps of 1/60: positions may differ by this. */
#define SLACK 3e-3

/* The number of events of a kind. */
static size_t count_kind(const char *out, const char *kind)
{
    char key[32];
    size_t count = 0;
    (void)snprintf(key, sizeof key, "\"kind\":\"%s\"", kind);
    for (; (out = strstr(out, key)) != NULL; out++)
        count++;
    return count;
}

/* The time of the first event of a kind that names the body a. */
static double time_of(const char *out, const char *kind, const char *a)
{
    char key[64];
    (void)snprintf(key, sizeof key, "\"kind\":\"%s\",\"a\":\"%s\"", kind, a);
    const char *found = strstr(out, key);
    if (!found)
        fail_msg("no %s of %s in\n%s", kind, a, out);
    while (found > out && found[-1] != '\n')
        found--;
    return number_after(found, "{\"t\":");
}

static outcome scene_run_well(const char *scene)
{
    outcome o = scene_run(scene, "--json", NULL);
    if (o.status != 0 || o.err.size != 0)
        fail_msg("status %d, %s, for %s", o.status, o.err.data, scene);
    return o;
}

/* Runs a scene and reads its states. */
static bytes states_of(const char *scene, const char *every)
{
    outcome o = scene_run_with(scene, (const char *const[]){"--json", "--states", "states", "--every", every, NULL});
    if (o.status != 0 || o.err.size != 0)
        fail_msg("status %d, %s, for %s", o.status, o.err.data, scene);
    outcome_free(&o);
    const int file = open("states", O_RDONLY);
    assert_true(file >= 0);
    bytes all = file_read_all(file);
    (void)close(file);
    assert_int_equal(unlink("states"), 0);
    return all;
}

/* The x coordinate of the last body at the end of a scene. */
static double final_x(const char *scene)
{
    bytes all = states_of(scene, "100");
    const char *last = all.data;
    for (const char *next; (next = strstr(last + 1, "\"translate\":[")) != NULL;)
        last = next;
    const double x = number_after(last, "\"translate\":[");
    bytes_free(&all);
    return x;
}

/* ---- persistent contacts ---- */

static void resting_contacts_begin_and_sleep(void **state)
{
    (void)state;
    outcome o = scene_run_well(HEAVY("3", "", FLOOR("") ",{\"name\":\"cube\"," CUBE "," ON_FLOOR ",\"density\":500}"));
    static const char *const lines[] = {
        "{\"t\":0,\"kind\":\"touch\",\"a\":\"floor\",\"b\":\"cube\",\"point\":[*,0,*],\"normal\":[0,1,0]}",
        "{\"t\":0,\"kind\":\"begin\",\"a\":\"floor\",\"b\":\"cube\",\"point\":[*,0,*],\"normal\":[0,1,0]}",
        "{\"t\":*,\"kind\":\"sleep\",\"a\":\"cube\"}"};
    assert_int_equal(count_lines(o.out.data), 3);
    char *line = o.out.data;
    for (size_t i = 0; i < 3; i++) {
        char *end = strchr(line, '\n');
        *end = '\0';
        if (!is_answer(line) || !same_answer(line, lines[i], 1e-9))
            fail_msg("event %zu is %s", i, line);
        if (i == 2)
            assert_true(number_after(line, "\"t\":") >= 0.5 && number_after(line, "\"t\":") < 1.0);
        line = end + 1;
    }
    outcome_free(&o);
    /* the same without sleep */
    o = scene_run_well(HEAVY("3", ",\"sleep\":false", FLOOR("") ",{" CUBE "," ON_FLOOR ",\"mass\":1}"));
    assert_int_equal(count_lines(o.out.data), 2);
    outcome_free(&o);
    o = scene_run_well(HEAVY("3", ",\"sleep\":true", FLOOR("") ",{" CUBE "," ON_FLOOR ",\"mass\":1}"));
    assert_int_equal(count_lines(o.out.data), 3);
    outcome_free(&o);
    /* without a response nothing lasts */
    o = scene_run_well("{\"end\":3,\"gravity\":[0,-9.81,0],\"bodies\":[" FLOOR("") ",{" CUBE "," ON_FLOOR
                                                                                   ",\"mass\":1}]}");
    assert_int_equal(count_lines(o.out.data), 1);
    outcome_free(&o);
}

/* A ball falls on a sleeping cube after 2 s. In the second scene the floor moves away after 1 s. */
static void bodies_wake_and_contacts_end(void **state)
{
    (void)state;
    outcome o =
        scene_run_well(HEAVY("4", "",
                             FLOOR("") ",{\"name\":\"cube\"," CUBE "," ON_FLOOR ",\"mass\":1},{\"name\":\"ball\"," BALL
                                       ",\"place\":{\"translate\":[0,22.62,0]},\"mass\":0.1}")); /* it falls by 19.62 */
    assert_true(time_of(o.out.data, "sleep", "cube") < 1.0);
    assert_true(fabs(time_of(o.out.data, "touch", "cube") - 2.0) < 1e-4);
    assert_true(fabs(time_of(o.out.data, "wake", "cube") - 2.0) < 1e-4);
    assert_null(strstr(o.out.data, "\"kind\":\"wake\",\"a\":\"floor\"")); /* kinematic bodies do not sleep */
    outcome_free(&o);
    o = scene_run_well(
        HEAVY("2", "",
              FLOOR(",\"motion_plan\":[{\"at\":1,\"motion\":{\"velocity\":[0,-30,0]}}]") ",{" CUBE "," ON_FLOOR
                                                                                         ",\"mass\":1}"));
    const double end = time_of(o.out.data, "end", "floor");
    assert_true(end > 1.0 && end < 1.1);
    outcome_free(&o);
}

static void five_boxes_stand(void **state)
{
    (void)state;
#define BOX(name, y)                                                                                                   \
    ",{\"name\":\"" name "\"," CUBE ",\"place\":{\"translate\":[0," y ",0]},\"density\":500,\"friction\":0.5}"
    outcome o = scene_run_well(HEAVY(
        "10", "", FLOOR(",\"friction\":1") BOX("a", "1") BOX("b", "3") BOX("c", "5") BOX("d", "7") BOX("e", "9")));
    assert_int_equal(count_kind(o.out.data, "touch"), 5);
    assert_int_equal(count_kind(o.out.data, "begin"), 5);
    assert_int_equal(count_kind(o.out.data, "sleep"), 5);
    assert_int_equal(count_lines(o.out.data), 15);
    outcome_free(&o);
}

/* ---- material, mass and gravity ---- */

/* Elastic impact of equal masses: they exchange their velocities, so the second one reaches the wall at its own time.
 */
static void density_is_mass_per_volume(void **state)
{
    (void)state;
    outcome o = scene_run_well(SCENE("7", "elastic",
                                     "{" CUBE "," SPEED(1) ",\"mass\":4},{" CUBE "," AT(4) ",\"density\":0.5},{" CUBE
                                                                                           "," AT(9) "}"));
    assert_int_equal(count_lines(o.out.data), 2);
    assert_true(fabs(time_of(o.out.data, "touch", "0") - 2.0) < 1e-9);
    assert_true(fabs(time_of(o.out.data, "touch", "1") - 5.0) < 1e-9);
    outcome_free(&o);
    /* the scale of the place counts: volume 4 */
    o = scene_run_well(
        SCENE("9", "elastic",
              "{" CUBE "," SPEED(1) ",\"mass\":4},{" CUBE
                                    ",\"place\":{\"translate\":[4,0,0],\"scale\":[1,0.5,-1]},\"density\":1},{" CUBE
                                    "," AT(9) "}"));
    assert_true(fabs(time_of(o.out.data, "touch", "1") - 5.0) < 1e-9);
    outcome_free(&o);
    /* density 0, as mass 0: kinematic */
    o = scene_run_well(SCENE("9", "elastic", "{" CUBE "," SPEED(1) ",\"mass\":4},{" CUBE "," AT(4) ",\"density\":0}"));
    assert_int_equal(count_lines(o.out.data), 1);
    outcome_free(&o);
}

/* Gravity is added to the acceleration of a motion, also of a later one, and acts only on bodies with a mass. */
static void gravity_adds_to_motions(void **state)
{
    (void)state;
    outcome o = scene_run_well("{\"end\":9,\"gravity\":[-1,0,0],\"bodies\":[{" CUBE
                               "," AT(-6) "},{" CUBE ",\"mass\":1,\"motion\":{\"acceleration\":[-1,0,0]}}]}");
    assert_true(fabs(time_of(o.out.data, "touch", "0") - 2.0) < 1e-9); /* 4 = 2 t^2 / 2 */
    outcome_free(&o);
    o = scene_run_well("{\"end\":9,\"gravity\":[-1,0,0],\"bodies\":[{" CUBE "," AT(
        -6) "},{" CUBE
            ",\"mass\":1,\"motion\":{\"acceleration\":[1,0,0]},\"motion_plan\":[{\"at\":1,\"motion\":{}}]}]}");
    assert_true(fabs(time_of(o.out.data, "touch", "0") - (1.0 + sqrt(8.0))) < 1e-9);
    outcome_free(&o);
}

/* A sliding block stops after v^2 / (2 mu g); the smaller friction applies. */
static void friction_stops_a_block(void **state)
{
    (void)state;
#define SLIDE(floor_friction, friction)                                                                                \
    HEAVY("6", "",                                                                                                     \
          FLOOR(",\"friction\":" floor_friction) ",{\"shape\":{\"type\":\"box\",\"size\":[2,0.4,2]},"                  \
                                                 "\"place\":{\"translate\":[0,0.2,0]},\"motion\":{\"velocity\":[5,0,"  \
                                                 "0]},\"mass\":3,"                                                     \
                                                 "\"friction\":" friction "}")
    const double right = 25.0 / (2.0 * 0.5 * GRAVITY), step = 5.0 / 60.0;
    assert_true(fabs(final_x(SLIDE("1", "0.5")) - right) < step);
    assert_true(fabs(final_x(SLIDE("0.5", "1")) - right) < step);
    assert_true(fabs(final_x(SLIDE("0", "1")) - 30.0) < SLACK);
}

/* A ball that rolls without slipping is slowed down by 5/7 c g / r; without rolling friction it goes on. */
static void rolling_friction_stops_a_ball(void **state)
{
    (void)state;
#define ROLL(rolling)                                                                                                  \
    HEAVY("8", "",                                                                                                     \
          FLOOR(",\"friction\":1,\"rolling_friction\":1") ",{" BALL "," ON_FLOOR                                       \
                                                          ",\"motion\":{\"velocity\":[2,0,0],\"spin\":[0,0,-2]},"      \
                                                          "\"mass\":1,\"friction\":1" rolling "}")
    const double right = 4.0 / (2.0 * 5.0 / 7.0 * 0.05 * GRAVITY), step = 2.0 / 60.0;
    const double found = final_x(ROLL(",\"rolling_friction\":0.05"));
    if (!(fabs(found - right) < step))
        fail_msg("it rolled %g instead of %g", found, right);
    assert_true(fabs(final_x(ROLL("")) - 16.0) < 16.0 * SLACK);
}

/* The contact step changes the motion of bodies in contact, but not the events before. */
static void the_contact_step_is_used(void **state)
{
    (void)state;
#define DROP(more)                                                                                                     \
    HEAVY("4", more,                                                                                                   \
          FLOOR(",\"friction\":1") ",{" CUBE ",\"place\":{\"translate\":[0,3,0]},\"mass\":1,"                          \
                                   "\"friction\":0.5,\"motion\":{\"velocity\":[2,0,0]}}")
    const double usual = final_x(DROP("")), same = final_x(DROP(",\"contact_step\":\"0x1.1111111111111p-6\"")),
                 longer = final_x(DROP(",\"contact_step\":0.05"));
    assert_true(usual == same && usual != longer && fabs(usual - longer) < 2.0 * 0.05);
    outcome a = scene_run_well(DROP("")), b = scene_run_well(DROP(",\"contact_step\":0.05"));
    assert_true(time_of(a.out.data, "touch", "floor") == time_of(b.out.data, "touch", "floor"));
    outcome_free(&a);
    outcome_free(&b);
}

/* ---- states ---- */

static void expect_states(const char *scene, const char *every, const char *const *expected, size_t count)
{
    bytes all = states_of(scene, every);
    if (count_lines(all.data) != count)
        fail_msg("%zu states instead of %zu:\n%s", count_lines(all.data), count, all.data);
    char *line = all.data;
    for (size_t i = 0; i < count; i++) {
        char *end = strchr(line, '\n');
        *end = '\0';
        if (!is_answer(line) || !same_answer(line, expected[i], 1e-12))
            fail_msg("state %zu is\n%s\ninstead of\n%s", i, line, expected[i]);
        line = end + 1;
    }
    bytes_free(&all);
}

#define STATE(t, bodies) "{\"t\":" t ",\"bodies\":[" bodies "]}"
#define POSE(name, at, turn) "{\"name\":\"" name "\",\"translate\":" at ",\"rotate\":" turn "}"
#define UPRIGHT "[0,0,0,1]"

static void states_are_sampled(void **state)
{
    (void)state;
    static const char *const third[] = {
        STATE("0", POSE("b", "[0,0,0]", UPRIGHT) "," POSE("a", "[4,0,0]", UPRIGHT)),
        STATE("0.1", POSE("b", "[0.1,0,0]", UPRIGHT) "," POSE("a", "[4,0,0]", UPRIGHT)),
        STATE("0.2", POSE("b", "[0.2,0,0]", UPRIGHT) "," POSE("a", "[4,0,0]", UPRIGHT)),
        STATE("0.3", POSE("b", "[0.3,0,0]", UPRIGHT) "," POSE("a", "[4,0,0]", UPRIGHT)),
        STATE("0.35", POSE("b", "[0.35,0,0]", UPRIGHT) "," POSE("a", "[4,0,0]", UPRIGHT))};
#define TWO(end) SCENE(end, "none", "{\"name\":\"b\"," BALL "," SPEED(1) "},{\"name\":\"a\"," BALL "," AT(4) "}")
    expect_states(TWO("0.3"), "0.1", third, 4); /* 3 * 0.1 > 0.3 in doubles: the end is there once */
    expect_states(TWO("0.35"), "0.1", third, 5);
    expect_states(TWO("0"), "0.1", third, 1);
    static const char *const none[] = {STATE("0", ""), STATE("1", "")};
    expect_states(SCENE("1", "none", ""), "5", none, 2);
    bytes many = states_of(TWO("1.2"), "0.001");
    assert_int_equal(count_lines(many.data), 1201);
    bytes_free(&many);
    /* names are JSON strings */
    static const char *const quoted[] = {STATE("0", POSE("a\\\"\\n", "[0,0,0]", UPRIGHT))};
    expect_states(SCENE("0", "none", "{\"name\":\"a\\\"\\n\"," BALL "}"), "1", quoted, 1);
}

/* The rotation is that of the place without its scale: world = translate + R (scale x). */
static void states_have_rotations(void **state)
{
    (void)state;
    /* half a turn about z in pi, from a quarter turn about z; sampled after a quarter turn and at the end */
#define TURN(place) SCENE("\"0x1.921fb54442d18p+1\"", "none", "{" CUBE ",\"motion\":{\"spin\":[0,0,1]}" place "}")
#define ROOT "0.70710678118654757"
    static const char quarter[] = "0x1.921fb54442d18p+0";
    static const char *const plain[] = {STATE("0", POSE("0", "[0,0,0]", UPRIGHT)),
                                        STATE("1.5707963267948966", POSE("0", "[0,0,0]", "[0,0," ROOT "," ROOT "]")),
                                        STATE("3.1415926535897931", POSE("0", "[0,0,0]", "[0,0,1,0]"))};
    expect_states(TURN(""), quarter, plain, 2 + 1);
    static const char *const turned[] = {
        STATE("0", POSE("0", "[1,2,3]", "[0,0," ROOT "," ROOT "]")),
        STATE("1.5707963267948966", POSE("0", "[1,2,3]", "[0,0,1,0]")),
        STATE("3.1415926535897931", POSE("0", "[1,2,3]", "[0,0,-" ROOT "," ROOT "]"))}; /* w is not negative */
#define QUARTER ",\"place\":{\"translate\":[1,2,3],\"rotate\":[0,0,5,5]"
    expect_states(TURN(QUARTER "}"), quarter, turned, 3);
    expect_states(TURN(QUARTER ",\"scale\":[3,0.5,1e-3]}"), quarter, turned, 3);
    expect_states(TURN(QUARTER ",\"scale\":[-3,0.5,1]}"), quarter, turned, 3);
    expect_states(TURN(QUARTER ",\"scale\":[3,-0.5,1]}"), quarter, turned, 3);
    expect_states(TURN(QUARTER ",\"scale\":[3,0.5,-1]}"), quarter, turned, 3);
    expect_states(TURN(QUARTER ",\"scale\":[-1,-2,-3]}"), quarter, turned, 3);
    /* the same as matrices: with a scale, with a shear of y along x, and reflected in z */
    expect_states(TURN(",\"place\":{\"matrix\":[0,3,0,0, -0.5,0,0,0, 0,0,1,0, 1,2,3,1]}"), quarter, turned, 3);
    expect_states(TURN(",\"place\":{\"matrix\":[0,3,0,0, -0.5,7,0,0, 0,0,1,0, 1,2,3,1]}"), quarter, turned, 3);
    expect_states(TURN(",\"place\":{\"matrix\":[0,3,0,0, -0.5,0,0,0, 0,0,-1,0, 1,2,3,1]}"), quarter, turned, 3);
}

/* States at common times are the same bytes, and the events do not depend on the samples. */
static void samples_change_nothing(void **state)
{
    (void)state;
    static const char scene[] =
        HEAVY("3", "",
              FLOOR(",\"friction\":1") ",{" CUBE ",\"place\":{\"translate\":[0,1.5,0],\"rotate\":[0.1,0.2,0.3,1]},"
                                       "\"density\":1,\"friction\":0.4,\"restitution\":0.3},{" BALL
                                       ",\"place\":{\"translate\":[0.3,5,0.2]},\"mass\":2,\"friction\":0.4,"
                                       "\"restitution\":0.5}");
    bytes often = states_of(scene, "0.015625"), rarely = states_of(scene, "0.5");
    assert_int_equal(count_lines(rarely.data), 7);
    assert_int_equal(count_lines(often.data), 193);
    for (char *line = rarely.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        if (!strstr(often.data, line))
            fail_msg("with more samples there is no state\n%s", line);
    }
    outcome plain = scene_run_well(scene),
            sampled = scene_run_with(
                scene, (const char *const[]){"--json", "--states", "states", "--every", "0.015625", NULL});
    assert_string_equal(plain.out.data, sampled.out.data);
    assert_int_equal(unlink("states"), 0);
    outcome_free(&plain);
    outcome_free(&sampled);
    bytes_free(&often);
    bytes_free(&rarely);
}

static bool file_says(const char *name, const char *text)
{
    const int file = open(name, O_RDONLY);
    assert_true(file >= 0);
    bytes all = file_read_all(file);
    (void)close(file);
    const bool same = strcmp(all.data, text) == 0;
    bytes_free(&all);
    return same;
}

/* The file is replaced as a whole, and not at all if the run fails. The folder must be empty after the tests, so no
 * temporary file remains either. */
static void the_states_file_is_written_whole(void **state)
{
    (void)state;
    static const char scene[] = SCENE("1", "none", "{" BALL "," SPEED(1) "},{" BALL "}"); /* one event */
    static const struct {
        const char *words[7];
        int status;
        const char *message; /* how the one line on stderr begins; NULL: none */
    } runs[] = {
        {{"--states", "nowhere/states", "--every", "1", NULL}, 1, "nowhere/states: cannot be opened: "},
        {{"--states", ".", "--every", "1", NULL}, 1, ""},
        {{"--states", "states", "--every", "1e-300", NULL},
         1,
         "scene.json: --every 1e-300 gives more than 1e+09 states"},
        {{"--states", "states", "--every", "1", "--out", "/dev/full", NULL}, 1, "/dev/full: cannot be written: "},
        {{"--states", "states", "--every", "1", "--out", "nowhere/events", NULL},
         1,
         "nowhere/events: cannot be opened"},
        {{"--states", "/dev/full", "--every", "1", NULL}, 1, "/dev/full: cannot be written: "},
        {{"--states", "scene.json", "--every", "1", NULL},
         2,
         "tact run: --states scene.json would overwrite the scene"},
        {{"--states", "states", "--every", "1", "--out", "states", NULL},
         2,
         "tact run: --out and --states are the same"},
        {{"--states", "link", "--every", "5", NULL}, 0, NULL},
    };
    const bool has_full = access("/dev/full", W_OK) == 0;
    file_put("states", "before\n", 7);
    assert_int_equal(symlink("states", "link"), 0);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        bool full = false;
        for (int k = 0; k < 6 && runs[i].words[k]; k++)
            full = full || strcmp(runs[i].words[k], "/dev/full") == 0;
        if (full && !has_full)
            continue;
        outcome o = scene_run_with(scene, runs[i].words);
        const char *message = runs[i].message;
        if (o.status != runs[i].status || count_lines(o.err.data) != (message != NULL) ||
            (message && strncmp(o.err.data, message, strlen(message)) != 0))
            fail_msg("run %zu: status %d, %s", i, o.status, o.err.data);
        assert_true(file_says("states", "before\n") == (runs[i].status != 0));
        outcome_free(&o);
    }
    static const char whole[] = STATE("0", POSE("0", "[0,0,0]", UPRIGHT) "," POSE("1", "[0,0,0]", UPRIGHT)) "\n" STATE(
        "1", POSE("0", "[1,0,0]", UPRIGHT) "," POSE("1", "[0,0,0]", UPRIGHT)) "\n";
    assert_true(file_says("states", whole)); /* through the link, which remains */
    assert_int_equal(unlink("link"), 0);
    assert_int_equal(unlink("states"), 0);
}

/* A link of /proc to a pipe has no other name, so the pipe must be opened by this one. */
static void a_pipe_is_written_directly(void **state)
{
    (void)state;
    static const char pipe_name[] = "/proc/self/fd/1";
    if (access(pipe_name, W_OK) != 0)
        skip();
    static const char scene[] = SCENE("1", "none", "{" BALL "}");
    static const char *const words[] = {"run", "-", "--states", pipe_name, "--every", "1", "--out", "/dev/null", NULL};
    int to, from, err = file_with("", 0);
    const pid_t child = tool_start_piped(words, &to, &from, err);
    assert_int_equal(write(to, scene, sizeof scene - 1), sizeof scene - 1);
    (void)close(to);
    char text[4096]; /* more than the states and the summary */
    size_t size = 0;
    for (ssize_t got; (got = read(from, text + size, sizeof text - 1 - size)) > 0;)
        size += (size_t)got;
    text[size] = '\0';
    assert_int_equal(tool_wait(child), 0);
    assert_non_null(strstr(text, "{\"t\":0,\"bodies\":["));
    assert_non_null(strstr(text, "{\"t\":1,\"bodies\":["));
    (void)close(from);
    (void)close(err);
}

/* ---- the table and the summary ---- */

static void the_summary_counts_kinds(void **state)
{
    (void)state;
    static const char scene[] = HEAVY("3", "", FLOOR("") ",{\"name\":\"cube\"," CUBE "," ON_FLOOR ",\"mass\":1}");
    outcome o = scene_run_with(scene, (const char *const[]){"--states", "states", "--every", "1", NULL});
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "            time  kind     a      b      point "));
    assert_non_null(strstr(o.out.data, "0.000000000  begin    floor  cube  "));
    assert_non_null(strstr(o.out.data, "  sleep    cube\n"));
    assert_non_null(strstr(o.out.data, "  1 touch, at t = 0\n  1 begin, 1 sleep\n  4 states in states\n"));
    assert_int_equal(unlink("states"), 0);
    outcome_free(&o);
    o = scene_run(scene, "--limit", "1");
    assert_non_null(strstr(o.out.data, "(2 more; raise --limit to list them)"));
    outcome_free(&o);
    o = scene_run_with(scene, (const char *const[]){"--json", "--out", "events", NULL});
    assert_int_equal(unlink("events"), 0);
    assert_non_null(
        strstr(o.out.data, "\"touches\":1,\"begins\":1,\"ends\":0,\"sleeps\":1,\"wakes\":0,\"crushed\":0,\"seconds\""));
    assert_int_equal(count_lines(o.out.data), 1);
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resting_contacts_begin_and_sleep),
        cmocka_unit_test(bodies_wake_and_contacts_end),
        cmocka_unit_test(five_boxes_stand),
        cmocka_unit_test(density_is_mass_per_volume),
        cmocka_unit_test(gravity_adds_to_motions),
        cmocka_unit_test(friction_stops_a_block),
        cmocka_unit_test(rolling_friction_stops_a_ball),
        cmocka_unit_test(the_contact_step_is_used),
        cmocka_unit_test(states_are_sampled),
        cmocka_unit_test(states_have_rotations),
        cmocka_unit_test(samples_change_nothing),
        cmocka_unit_test(the_states_file_is_written_whole),
        cmocka_unit_test(a_pipe_is_written_directly),
        cmocka_unit_test(the_summary_counts_kinds),
    };
    return cmocka_run_group_tests_name("contacts of the run tool", tests, folder_make, folder_remove);
}
