/* NURBS shapes in `tact query`, `tact run`, `tact check`, `tact ccd` and `tact play`: answers, and a message for each
 * kind of invalid input. */
#define _POSIX_C_SOURCE 200809L

#include "tool/animation.h"
#include "tool/answer.h"
#include "tool/request.h"

/* A roof over [0, 1] x [0, 1]: y = 2 x (1 - x), with its ridge at y = 1/2; and a bowl at some height. */
#define MEMBERS "\"degree\":[2,1],\"counts\":[3,2],\"knots\":[[0,0,0,1,1,1],[0,0,1,1]]"
#define ROOF_POINTS "\"points\":[[0,0,0],[0,0,1],[0.5,1,0],[0.5,1,1],[1,0,0],[1,0,1]]"
#define SURFACE MEMBERS "," ROOF_POINTS ",\"tolerance\":0.0001"
#define ROOF "{\"type\":\"nurbs\"," SURFACE "}"
#define BOWL_AT(high, low)                                                                                             \
    "{\"type\":\"nurbs\"," MEMBERS ",\"tolerance\":0.0001,\"points\":[[0," #high ",0],[0," #high ",1],[0.5," #low      \
    ",0],[0.5," #low ",1],[1," #high ",0],[1," #high ",1]]}"
#define SPHERE_ABOVE(y) "{\"type\":\"sphere\",\"radius\":0.25,\"place\":{\"translate\":[0.5," #y ",0.5]}}"

/* Rounding and twice the tolerances. */
#define SLACK 5e-4

static void expect_answer(const char *request, const char *expected)
{
    outcome o = query_run(request);
    if (o.out.size > 0 && o.out.data[o.out.size - 1] == '\n')
        o.out.data[o.out.size - 1] = '\0';
    if (!is_answer(o.out.data) || !same_answer(o.out.data, expected, SLACK) || o.status != 0)
        fail_msg("repeat: echo '%s' | tact query\nanswered %s (status %d)\nexpected %s\nstderr %s", request, o.out.data,
                 o.status, expected, o.err.data);
    outcome_free(&o);
}

static void expect_error(const char *request, const char *fragment)
{
    outcome o = query_run(request);
    if (o.status != 1 || strncmp(o.out.data, "{\"error\":\"", 10) != 0 || !strstr(o.err.data, fragment))
        fail_msg("repeat: echo '%s' | tact query\nanswered %s (status %d)\nexpected %s", request, o.out.data, o.status,
                 fragment);
    outcome_free(&o);
}

static void queries_are_answered(void **state)
{
    (void)state;
    expect_answer(PAIR("intersect", ROOF, SPHERE_ABOVE(1)), "{\"hit\":false}");
    expect_answer(PAIR("intersect", ROOF, SPHERE_ABOVE(0.7)), "{\"hit\":true,\"point\":[*,*,*]}");
    expect_answer(PAIR("distance", ROOF, SPHERE_ABOVE(1)),
                  "{\"distance\":0.25,\"pa\":[0.5,0.5,0.5],\"pb\":[0.5,0.75,0.5]}");
    expect_answer(PAIR("depth", ROOF, SPHERE_ABOVE(1)),
                  "{\"depth\":-0.25,\"normal\":[0,1,0],\"pa\":[0.5,0.5,0.5],\"pb\":[0.5,0.75,0.5]}");
    expect_answer(PAIR("distance", ROOF, BOWL_AT(3, 2)), "{\"distance\":2,\"pa\":[0.5,0.5,*],\"pb\":[0.5,2.5,*]}");
    expect_answer("{\"op\":\"toi\",\"a\":" ROOF ",\"b\":{\"type\":\"sphere\",\"radius\":0.25,\"place\":{\"translate\":"
                  "[0.5,1,0.5]},\"motion\":{\"velocity\":[0,-1,0]}}}",
                  "{\"hit\":true,\"t\":0.25,\"point\":[0.5,0.5,0.5],\"normal\":[0,1,0]}");
    expect_answer("{\"op\":\"ray\",\"a\":" ROOF ",\"from\":[0.5,3,0.5],\"dir\":[0,-1,0]}",
                  "{\"hit\":true,\"t\":2.5,\"point\":[0.5,0.5,0.5],\"normal\":[0,1,0]}");
    /* several surfaces, a common tolerance, weights, a place and a margin; as a part of a compound */
    expect_answer(PAIR("distance",
                       "{\"type\":\"nurbs\",\"tolerance\":0.0001,\"surfaces\":[{" MEMBERS "," ROOF_POINTS "},{" MEMBERS
                       ",\"weights\":[1,1,2,2,1,1],\"points\":[[0,3,0],[0,3,1],[0.5,4,0],[0.5,4,1],[1,3,0],[1,3,1]]}]}",
                       "{\"type\":\"point\",\"points\":[[0.5,3.75,0.5]]}"),
                  "{\"distance\":0.0833333,\"pa\":[0.5,3.6666667,0.5],\"pb\":[0.5,3.75,0.5]}");
    expect_answer(PAIR("distance", "{\"type\":\"nurbs\"," SURFACE ",\"margin\":0.25,\"place\":{\"translate\":[0,1,0]}}",
                       "{\"type\":\"point\",\"points\":[[0.5,2,0.5]]}"),
                  "{\"distance\":0.25,\"pa\":[0.5,1.75,0.5],\"pb\":[0.5,2,0.5]}");
    expect_answer(PAIR("distance",
                       "{\"type\":\"compound\",\"parts\":[{\"type\":\"nurbs\"," SURFACE
                       ",\"place\":{\"translate\":[0,1,0]"
                       "}}]}",
                       "{\"type\":\"point\",\"points\":[[0.5,2,0.5]]}"),
                  "{\"distance\":0.5,\"pa\":[0.5,1.5,0.5],\"pb\":[0.5,2,0.5]}");
}

/* The square [0, 1] x [0, 1] in the plane z = 0 without a diamond around its centre; and a second loop inside, of two
 * curves with weights, so that the centre belongs to the surface again. */
#define SQUARE                                                                                                         \
    "{\"type\":\"nurbs\",\"tolerance\":0.0001,\"degree\":[1,1],\"counts\":[2,2],\"knots\":[[0,0,1,1],[0,0,1,1]],"      \
    "\"points\":[[0,0,0],[0,1,0],[1,0,0],[1,1,0]],\"trims\":["
#define BORDER "[{\"degree\":1,\"knots\":[0,0,1,2,3,4,4],\"points\":[[0,0],[1,0],[1,1],[0,1],[0,0]]}],"
#define DIAMOND                                                                                                        \
    "[{\"degree\":1,\"knots\":[0,0,1,2,3,4,4],\"points\":[[0.1,0.5],[0.5,0.1],[0.9,0.5],[0.5,0.9],[0.1,0.5]]}]"
#define LENS                                                                                                           \
    "[{\"degree\":2,\"knots\":[0,0,0,1,1,1],\"points\":[[0.4,0.5],[0.5,0.4],[0.6,0.5]],\"weights\":[1,2,1]},"          \
    "{\"degree\":2,\"knots\":[0,0,0,1,1,1],\"points\":[[0.6,0.5],[0.5,0.6],[0.4,0.5]],\"weights\":[1,2,1]}]"

static void surfaces_are_trimmed(void **state)
{
    (void)state;
    expect_answer(PAIR("distance", SQUARE BORDER DIAMOND "]}", "{\"type\":\"point\",\"points\":[[0.5,0.5,0]]}"),
                  "{\"distance\":0.28284271,\"pa\":[*,*,0],\"pb\":[0.5,0.5,0]}");
    expect_answer("{\"op\":\"ray\",\"a\":" SQUARE BORDER DIAMOND "]},\"from\":[0.5,0.5,1],\"dir\":[0,0,-1]}",
                  "{\"hit\":false}");
    expect_answer("{\"op\":\"ray\",\"a\":" SQUARE BORDER DIAMOND "]},\"from\":[0.9,0.9,1],\"dir\":[0,0,-1]}",
                  "{\"hit\":true,\"t\":1,\"point\":[0.9,0.9,0],\"normal\":[0,0,1]}");
    expect_answer("{\"op\":\"ray\",\"a\":" SQUARE BORDER DIAMOND "," LENS "]},\"from\":[0.5,0.5,1],\"dir\":[0,0,-1]}",
                  "{\"hit\":true,\"t\":1,\"point\":[0.5,0.5,0],\"normal\":[0,0,1]}");
    /* the rational arc passes (0.5, 0.4333): (0.4 + 2 2 0.4 + ... ) / 6 */
    expect_answer(PAIR("distance", SQUARE LENS "]}", "{\"type\":\"point\",\"points\":[[0.5,0.3,0]]}"),
                  "{\"distance\":0.1333333,\"pa\":[0.5,0.4333333,0],\"pb\":[0.5,0.3,0]}");
}

/* A cylinder of radius 1 around z from -1 to 1: its wall without trims, and two squares that are trimmed by circles. */
#define ROUND_KNOTS "[0,0,0,1,1,2,2,3,3,4,4,4]"
#define HALF_ROOT "0.70710678118654757"
#define ROUND_WEIGHTS "1," HALF_ROOT ",1," HALF_ROOT ",1," HALF_ROOT ",1," HALF_ROOT ",1"
#define WALL                                                                                                           \
    "{\"degree\":[1,2],\"counts\":[2,9],\"knots\":[[0,0,1,1]," ROUND_KNOTS "],\"weights\":[" ROUND_WEIGHTS             \
    "," ROUND_WEIGHTS "],\"points\":[[1,0,1],[1,1,1],[0,1,1],[-1,1,1],[-1,0,1],[-1,-1,1],[0,-1,1],[1,-1,1],[1,0,1],"   \
    "[1,0,-1],[1,1,-1],[0,1,-1],[-1,1,-1],[-1,0,-1],[-1,-1,-1],[0,-1,-1],[1,-1,-1],[1,0,-1]]}"
#define CIRCLE                                                                                                         \
    "\"trims\":[[{\"degree\":2,\"knots\":" ROUND_KNOTS ",\"weights\":[" ROUND_WEIGHTS                                  \
    "],\"points\":[[0.75,0.5],[0.75,0.75],[0.5,0.75],[0.25,0.75],[0.25,0.5],[0.25,0.25],[0.5,0.25],[0.75,0.25],"       \
    "[0.75,0.5]]}]]"
#define TOP                                                                                                            \
    "{\"degree\":[1,1],\"counts\":[2,2],\"knots\":[[0,0,1,1],[0,0,1,1]],\"points\":[[-2,-2,1],[-2,2,1],[2,-2,1],"      \
    "[2,2,1]]," CIRCLE "}"
#define BOTTOM                                                                                                         \
    "{\"degree\":[1,1],\"counts\":[2,2],\"knots\":[[0,0,1,1],[0,0,1,1]],\"points\":[[-2,2,-1],[-2,-2,-1],[2,2,-1],"    \
    "[2,-2,-1]]," CIRCLE "}"
#define CYLINDER(members)                                                                                              \
    "{\"type\":\"nurbs\",\"tolerance\":0.0004,\"surfaces\":[" WALL "," TOP "," BOTTOM "]" members "}"
/* sides 3 and 1 of the wall: u is 0 and 1 there */
#define EDGES ",\"edges\":[[[0,0,3],[1,0,0]],[[2,0,0],[0,0,1]]]"

static void edges_make_solids(void **state)
{
    (void)state;
    expect_answer("{\"op\":\"closest\",\"a\":" CYLINDER(EDGES ",\"solid\":true") ",\"from\":[0.2,0.1,0.9]}",
                  "{\"distance\":-0.1,\"point\":[0.2,0.1,1],\"normal\":[0,0,1]}");
    expect_answer("{\"op\":\"closest\",\"a\":" CYLINDER(EDGES ",\"solid\":true") ",\"from\":[0.2,0.1,1.1]}",
                  "{\"distance\":0.1,\"point\":[0.2,0.1,1],\"normal\":[0,0,1]}");
    expect_answer(
        PAIR("intersect", CYLINDER(EDGES ",\"solid\":true"), "{\"type\":\"point\",\"points\":[[0.2,0.3,0.1]]}"),
        "{\"hit\":true,\"point\":[*,*,*]}");
    expect_answer(PAIR("intersect", CYLINDER(""), "{\"type\":\"point\",\"points\":[[0.2,0.3,0.1]]}"),
                  "{\"hit\":false}");
    static const char *const bad[][2] = {
        {CYLINDER(",\"edges\":7"), "a.edges must be an array of edges"},
        {CYLINDER(",\"edges\":[7]"), "a.edges[0] must be an array of 2 arrays"},
        {CYLINDER(",\"edges\":[[[0,0,1]]]"), "a.edges[0] must be an array of 2 arrays"},
        {CYLINDER(",\"edges\":[[[0,0,1],[1,0]]]"), "a.edges[0][1]"},
        {CYLINDER(",\"edges\":[[[0,0,1.5],[1,0,0]]]"), "a.edges[0][0] must be three integers from 0 on, not 1.5"},
        {CYLINDER(",\"edges\":[[[0,0,3],[3,0,0]]]"), "a cannot be created: edge 0: there is no surface 3"},
        {CYLINDER(",\"edges\":[[[0,0,1],[1,0,0]]]"), "a cannot be created: edge 0 (surface 0, loop 0, curve 1; surface "
                                                     "1, loop 0, curve 0): the first curve ends at ("},
        {CYLINDER(",\"solid\":true,\"edges\":[[[0,0,3],[1,0,0]]]"), "a cannot be created: the surfaces are not closed"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char request[6000];
        assert_true(snprintf(request, sizeof request, "{\"op\":\"distance\",\"a\":%s,\"b\":%s}", bad[i][0], BALL) <
                    (int)sizeof request);
        expect_error(request, bad[i][1]);
    }
}

static void errors_are_explained(void **state)
{
    (void)state;
#define WITH(members) PAIR("distance", "{\"type\":\"nurbs\"," members "}", BALL)
    static const char *const bad[][2] = {
        {WITH("\"degree\":[2,1]"), "a.counts is missing"},
        {WITH("\"degree\":2"), "a.degree must be"},
        {WITH("\"degree\":[0,1],\"counts\":[3,2]"), "a.degree[0] must be an integer from 1 to 15, not 0"},
        {WITH("\"degree\":[2,16],\"counts\":[3,2]"), "a.degree[1] must be an integer from 1 to 15, not 16"},
        {WITH("\"degree\":[2,1.5],\"counts\":[3,2]"), "a.degree[1] must be an integer"},
        {WITH("\"degree\":[2,1],\"counts\":[2,2]"), "a.counts[0] must be at least 3, the degree plus 1, not 2"},
        {WITH("\"degree\":[2,1],\"counts\":[3,-2]"), "a.counts[1] must be an integer from 2"},
        {WITH(MEMBERS), "a.points is missing"},
        {WITH(MEMBERS ",\"points\":[[0,0,0]]"), "a.points must have 6 points, 3 times 2, not 1"},
        {WITH(MEMBERS ",\"points\":7"), "a.points must be"},
        {WITH("\"degree\":[2,1],\"counts\":[3,2]," ROOF_POINTS), "a.knots is missing"},
        {WITH("\"degree\":[2,1],\"counts\":[3,2],\"knots\":[0,0,1,1]," ROOF_POINTS), "a.knots must be an array of 2"},
        {WITH("\"degree\":[2,1],\"counts\":[3,2],\"knots\":[[0,0,0,1,1],[0,0,1,1]]," ROOF_POINTS),
         "a.knots[0] must have 6 numbers, count + degree + 1, not 5"},
        {WITH("\"degree\":[2,1],\"counts\":[3,2],\"knots\":[[0,0,0,1,1,1],[0,0,1,\"x\"]]," ROOF_POINTS),
         "a.knots[1][3]"},
        {WITH("\"degree\":[2,1],\"counts\":[3,2],\"knots\":[[0,0,0,1,1,0.5],[0,0,1,1]]," ROOF_POINTS),
         "a cannot be created: "},
        {WITH(SURFACE ",\"weights\":[1,1,1]"), "a.weights must have 6 numbers, one of each point, not 3"},
        {WITH(SURFACE ",\"weights\":[1,1,1,0,1,1]"), "a cannot be created: "},
        {WITH(SURFACE ",\"trims\":[]"), "a.trims must not be empty"},
        {WITH(SURFACE ",\"trims\":7"), "a.trims must be an array of trimming loops"},
        {WITH(SURFACE ",\"trims\":[[]]"), "a.trims[0] must not be empty"},
        {WITH(SURFACE ",\"trims\":[{}]"), "a.trims[0] must be an array of trimming curves"},
        {WITH(SURFACE ",\"trims\":[[7]]"), "a.trims[0][0]"},
        {WITH(SURFACE ",\"trims\":[[{}]]"), "a.trims[0][0].degree is missing"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":0}]]"), "a.trims[0][0].degree must be an integer from 1 to 15, not 0"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1}]]"), "a.trims[0][0].points is missing"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1,\"points\":[[0,0]]}]]"),
         "a.trims[0][0].points must have at least 2 points, the degree plus 1, not 1"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1,\"points\":[[0,0],[1,1,1]]}]]"), "a.trims[0][0].points[1]"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1,\"points\":[[0,0],[1,1]]}]]"), "a.trims[0][0].knots is missing"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1,\"points\":[[0,0],[1,1]],\"knots\":[0,1]}]]"),
         "a.trims[0][0].knots must have 4 numbers, points + degree + 1, not 2"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1,\"points\":[[0,0],[1,1]],\"knots\":[0,0,1,1],\"weights\":[1]}]]"),
         "a.trims[0][0].weights must have 2 numbers, one of each point, not 1"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1,\"points\":[[0,0],[1,1]],\"knots\":[0,0,1,1],\"radius\":1}]]"),
         "radius"},
        {WITH(SURFACE ",\"trims\":[[{\"degree\":1,\"points\":[[0,0],[1,1]],\"knots\":[0,0,1,1]}]]"),
         "a cannot be created: trimming loop 0, curve 0: the loop is not closed"},
        {WITH(MEMBERS "," ROOF_POINTS ",\"tolerance\":-1"), "a.tolerance"},
        {WITH(MEMBERS "," ROOF_POINTS ",\"tolerance\":1e-30"), "a cannot be created: "},
        {WITH(SURFACE ",\"solid\":1"), "a.solid"},
        {WITH(SURFACE ",\"radius\":1"), "radius"},
        {WITH(SURFACE ",\"surfaces\":[{" SURFACE "}]"), "a has surfaces and also degree: use one or the other"},
        {WITH("\"surfaces\":[]"), "a.surfaces must not be empty"},
        {WITH("\"surfaces\":7"), "a.surfaces must be an array"},
        {WITH("\"surfaces\":[7]"), "a.surfaces[0]"},
        {WITH("\"surfaces\":[{" SURFACE "},{" SURFACE ",\"solid\":true}]"), "solid"},
        {WITH("\"surfaces\":[{" SURFACE "},{\"degree\":[2,1]}]"), "a.surfaces[1].counts is missing"},
        {PAIR("distance", "{\"type\":\"sum\",\"of\":[" ROOF "," BALL "]}", BALL),
         "is a NURBS shape, but sum and join take"},
    };
#undef WITH
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_error(bad[i][0], bad[i][1]);
}

/* A ball falls on the roof and bounces. */
static void scenes_run(void **state)
{
    (void)state;
    static const char scene[] =
        "{\"end\":2,\"response\":\"elastic\",\"bodies\":[{\"name\":\"roof\",\"shape\":" ROOF "},{\"name\":\"ball\","
        "\"shape\":{\"type\":\"sphere\",\"radius\":0.25},\"place\":{\"translate\":[0.5,1.75,0.5]},"
        "\"motion\":{\"velocity\":[0,-1,0]},\"mass\":1}]}";
    file_put("scene.json", scene, sizeof scene - 1);
    outcome o = tool_run((const char *const[]){"run", "--json", "scene.json", NULL}, "", 0);
    if (o.out.size > 0)
        o.out.data[o.out.size - 1] = '\0';
    assert_int_equal(o.status, 0);
    if (!same_answer(
            o.out.data,
            "{\"t\":1,\"kind\":\"touch\",\"a\":\"roof\",\"b\":\"ball\",\"point\":[0.5,0.5,0.5],\"normal\":[0,1,0]}",
            SLACK))
        fail_msg("%s", o.out.data);
    outcome_free(&o);
    assert_int_equal(unlink("scene.json"), 0);
}

/* The JSON of `tact check` for two files. */
static outcome check_two(const char *a, const char *b)
{
    file_put("a.json", a, strlen(a));
    file_put("b.json", b, strlen(b));
    outcome o = tool_run((const char *const[]){"check", "--json", "a.json", "b.json", NULL}, "", 0);
    assert_int_equal(unlink("a.json"), 0);
    assert_int_equal(unlink("b.json"), 0);
    return o;
}

static void files_are_checked(void **state)
{
    (void)state;
    outcome o = check_two(ROOF, BOWL_AT(3, 2));
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"format\":\"NURBS\",\"error\":"));
    assert_non_null(strstr(o.out.data, "\"closed\":false"));
    const char *between = strstr(o.out.data, "\"between\":[");
    assert_non_null(between);
    assert_non_null(strstr(between, "\"interfere\":false,\"distance\":"));
    assert_true(fabs(strtod(strstr(between, "\"distance\":") + 11, NULL) - 2.0) < SLACK);
    outcome_free(&o);
    o = check_two(ROOF, BOWL_AT(0.9, 0));
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"interfere\":true,\"distance\":0,"));
    outcome_free(&o);
    /* with a mesh, and for people */
    static const char triangle[] = "v 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\n";
    file_put("roof.JSON", ROOF, strlen(ROOF));
    file_put("flat.obj", triangle, sizeof triangle - 1);
    o = tool_run((const char *const[]){"check", "roof.JSON", "flat.obj", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "roof.JSON: NURBS\n"));
    assert_non_null(strstr(o.out.data, ", triangles within "));
    assert_non_null(strstr(o.out.data, "  do not touch\n  distance 0.5,"));
    outcome_free(&o);
    assert_int_equal(unlink("roof.JSON"), 0);
    assert_int_equal(unlink("flat.obj"), 0);
}

static void errors_in_files_are_explained(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{\"type\":\"nurbs\",\n\"degree\":[2,1,3]}", "bad.json:2: degree"},
        {"{\"type\":\n\"sphere\",\"radius\":1}", "bad.json:2: type must be \"nurbs\" in a file, not \"sphere\""},
        {"{\"type\":\"nurbs\"," SURFACE ",\n\"place\":{}}", "bad.json:2: place is not supported in a file"},
        {"{\"type\":\"nurbs\",\n", "bad.json:2: not valid JSON"},
        {"", "bad.json"},
        {"[]", "bad.json:1: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        file_put("bad.json", bad[i][0], strlen(bad[i][0]));
        outcome o = tool_run((const char *const[]){"check", "bad.json", NULL}, "", 0);
        if (o.status != 1 || count_lines(o.err.data) != 1 || strncmp(o.err.data, bad[i][1], strlen(bad[i][1])) != 0)
            fail_msg("%s: status %d, %s instead of %s", bad[i][0], o.status, o.err.data, bad[i][1]);
        outcome_free(&o);
    }
    assert_int_equal(unlink("bad.json"), 0);
    outcome o = tool_run((const char *const[]){"check", "none.json", NULL}, "", 0);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err.data, "none.json"));
    outcome_free(&o);
}

/* ---- motion: tact ccd and tact play ---- */

/* A flat square at z = 0, and a second one, of degree 2 and also flat, at some height. */
#define SQUARES_AT(z, knots)                                                                                           \
    "{\"type\":\"nurbs\",\"tolerance\":0.01,\"surfaces\":[{\"degree\":[1,1],\"counts\":[2,2],\"knots\":[[0,0,1,1],"    \
    "[0,0,1,1]],\"points\":[[-2,-2,0],[-2,2,0],[2,-2,0],[2,2,0]]},{\"degree\":[2,1],\"counts\":[3,2],"                 \
    "\"knots\":[" knots ",[0,0,1,1]],\"points\":[[-1,-1," #z "],[-1,1," #z "],[0,-1," #z "],[0,1," #z "],[1,-1," #z    \
    "],[1,1," #z "]]}]}"

static double number_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    if (!at)
        fail_msg("there is no %s in %s", name, text);
    return strtod(at + strlen(name), NULL);
}

static void motions_are_searched(void **state)
{
    (void)state;
    text_put("a.json", SQUARES_AT(1, "[0,0,0,1,1,1]"));
    text_put("b.json", SQUARES_AT(-3, "[0,0,0,1,1,1]"));
    text_put("c.json", SQUARES_AT(-3, "[0,0,0,2,2,2]"));
    text_put("d.json", ROOF);
    float frames[3][30];
    for (int f = 0; f < 3; f++) {
        const float z = f == 0 ? 1.0f : f == 1 ? 0.5f : -1.5f;
        const float points[30] = {-2, -2, 0, -2, 2,  0, 2, -2, 0, 2, 2,  0, -1, -1, z,
                                  -1, 1,  z, 0,  -1, z, 0, 1,  z, 1, -1, z, 1,  1,  z};
        memcpy(frames[f], points, sizeof points);
    }
    bytes cache = pc2_make(frames[0], 3, 10, 0.0f, 1.0f), wrong = pc2_make(frames[0], 3, 9, 0.0f, 1.0f);
    bytes_put("f.pc2", &cache);
    bytes_put("g.pc2", &wrong);
    bytes_free(&cache);
    bytes_free(&wrong);
    /* the squares meet when the second one is at 0: at a quarter of the way, and of the second interval */
    outcome o = tool_run((const char *const[]){"ccd", "--json", "a.json", "b.json", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_true(fabs(number_of(o.out.data, "\"t\":[") - 0.25) < 1e-9);
    assert_true(number_of(o.out.data, "\"error\":") <= 0.01 && number_of(o.out.data, "\"contacts\":") > 4);
    outcome_free(&o);
    o = tool_run((const char *const[]){"play", "--json", "a.json", "f.pc2", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_true(number_of(o.out.data, "\"interval\":") == 1.0);
    assert_true(fabs(number_of(o.out.data, "\"t\":[") - 0.25) < 1e-9);
    assert_true(fabs(number_of(o.out.data, "\"time\":") - 1.25) < 1e-9);
    outcome_free(&o);
    o = tool_run((const char *const[]){"play", "a.json", "f.pc2", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "of the surfaces, at all times"));
    outcome_free(&o);
    static const char *const bad[][4] = {
        {"ccd", "a.json", "c.json", "c.json: surface 1 has other knots than in a.json\n"},
        {"ccd", "a.json", "d.json", "d.json: has 1 surface, but a.json has 2\n"},
        {"ccd", "a.json", "none.json", "none.json: "},
        {"play", "a.json", "g.pc2", "g.pc2: has 9 vertices, but a.json has 10\n"},
        {"play", "d.json", "f.pc2", "f.pc2: has 10 vertices, but d.json has 6\n"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        o = tool_run((const char *const[]){bad[i][0], bad[i][1], bad[i][2], NULL}, "", 0);
        if (o.status != 1 || count_lines(o.err.data) != 1 || strncmp(o.err.data, bad[i][3], strlen(bad[i][3])) != 0)
            fail_msg("%s %s %s: status %d, %s", bad[i][0], bad[i][1], bad[i][2], o.status, o.err.data);
        outcome_free(&o);
    }
    static const char *const names[] = {"a.json", "b.json", "c.json", "d.json", "f.pc2", "g.pc2"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(unlink(names[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_answered),
        cmocka_unit_test(surfaces_are_trimmed),
        cmocka_unit_test(edges_make_solids),
        cmocka_unit_test(errors_are_explained),
        cmocka_unit_test(scenes_run),
        cmocka_unit_test(files_are_checked),
        cmocka_unit_test(errors_in_files_are_explained),
        cmocka_unit_test(motions_are_searched),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
