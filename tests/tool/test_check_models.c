/* `tact check` of models: the pairs that are tested, their distances and depths, as text and JSON; wrong use. */
#define _POSIX_C_SOURCE 200809L

#include "tool/folder.h"

/* Four boxes of size 1 along x, at 0, 0.75, 3 and 10. */
static const char row[] = "#VRML V2.0 utf8\n"
                          "DEF a Shape { geometry DEF B Box { size 1 1 1 } }\n"
                          "Transform { translation 0.75 0 0 children DEF b Shape { geometry USE B } }\n"
                          "Transform { translation 3 0 0 children DEF c Shape { geometry USE B } }\n"
                          "Transform { translation 10 0 0 children DEF d Shape { geometry USE B } }\n";

static void expect(const char *const *words, int status, const char *const *parts)
{
    outcome o = tool_run(words, "", 0);
    const char *at = status == 0 ? o.out.data : o.err.data;
    if (o.status != status)
        fail_msg("status %d: %s%s", o.status, o.out.data, o.err.data);
    if (status != 0)
        assert_int_equal(count_lines(o.err.data), 1);
    for (; *parts; parts++) {
        const char *found = strstr(at, *parts);
        if (!found)
            fail_msg("\"%s\" is missing (in this order) in \"%s%s\"", *parts, o.out.data, o.err.data);
        at = found;
    }
    outcome_free(&o);
}

#define WORDS(...) ((const char *const[]){"check", __VA_ARGS__, NULL})
#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void bodies_that_overlap_come_first_then_the_closest(void **state)
{
    (void)state;
    file_put("row.wrl", row, sizeof row - 1);
    expect(WORDS("row.wrl"), 0,
           PARTS("row.wrl: VRML97, 4 bodies\n  a and b overlap: depth 0.25, near ",
                 "  b and c: distance 1.25, from 1.25 ", "  a and c: distance 2, from 0.5 ", "  c and d: distance 6, ",
                 "  b and d: distance 8.25, ", "  a and d: distance 9, ",
                 "\n1 of 6 pairs of bodies touch or overlap\n"));
    /* only the closest are listed */
    outcome o = tool_run(WORDS("row.wrl", "--limit", "2"), "", 0);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "distance 2,"));
    assert_null(strstr(o.out.data, "distance 6,"));
    outcome_free(&o);
    expect(WORDS("row.wrl", "--json", "--limit=1"), 0,
           PARTS("{\"files\":[{\"file\":\"row.wrl\",\"format\":\"VRML97\",\"bodies\":4,\"skipped\":0}]",
                 "\"bodies\":[{\"name\":\"a\",\"file\":0,\"origin\":[0,0,0]},",
                 "\"overlaps\":[{\"a\":0,\"b\":1,\"depth\":0.25,", "\"closest\":[{\"a\":1,\"b\":2,\"distance\":1.25,",
                 "\"pairs\":6,\"touching\":1,\"untested\":0,"));
    expect(WORDS("row.wrl", "--limit", "0"), 0, PARTS("4 bodies\n1 of 6 pairs"));
    /* with a mesh beside it: two bodies more */
    static const char mesh[] = "v 0 0 0.4\nv 1 0 9\nv 0 1 9\nf 1 2 3\n";
    file_put("mesh.obj", mesh, sizeof mesh - 1);
    expect(WORDS("mesh.obj", "row.wrl"), 0,
           PARTS("mesh.obj: OBJ, 1 body\nrow.wrl: VRML97, 4 bodies\n", "mesh.obj and a of row.wrl overlap",
                 "of 10 pairs of bodies"));
    assert_int_equal(unlink("row.wrl") + unlink("mesh.obj"), 0);
}

static void wrong_use_is_reported_in_a_line(void **state)
{
    (void)state;
    file_put("bad.wrl", "#VRML V2.0 utf8\nBox {", 21);
    file_put("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32);
    expect(WORDS("bad.wrl"), 1, PARTS("bad.wrl:2: this Box has no }"));
    expect(WORDS("none.wrl"), 1, PARTS("none.wrl: cannot be opened"));
    expect(WORDS("mesh.obj", "--joint", "a=1"), 2, PARTS("--joint is for models with joints: URDF"));
    expect(WORDS("mesh.obj", "--adjacent"), 2, PARTS("--adjacent is for models with joints: URDF"));
    expect(WORDS("mesh.obj", "--joint", "a"), 2, PARTS("--joint needs NAME=VALUE, in radians or a length, not \"a\""));
    expect(WORDS("mesh.obj", "--joint=a=x"), 2, PARTS("not \"a=x\""));
    expect(WORDS("mesh.obj", "--joint", "=1"), 2, PARTS("not \"=1\""));
    expect(WORDS("mesh.obj", "--joint"), 2, PARTS("--joint needs NAME=VALUE"));
    file_put("row.wrl", row, sizeof row - 1);
    expect(WORDS("row.wrl", "--solid"), 2, PARTS("--solid is for meshes"));
    expect(WORDS("row.wrl", "--faces", "--adjacent"), 2, PARTS("--adjacent is for models"));
    expect(WORDS("row.wrl", "--joint", "a=1"), 1, PARTS("row.wrl: there is no joint \"a\""));
    expect(WORDS("row.wrl", "mesh.obj", "bad.wrl"), 1, PARTS("bad.wrl:2: "));
    assert_int_equal(unlink("row.wrl") + unlink("mesh.obj") + unlink("bad.wrl"), 0);
}

static void links_at_a_joint_are_tested_on_request(void **state)
{
    (void)state;
    static const char robot[] =
        "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link>"
        "<link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>"
        "<link name='c'><collision><geometry><sphere radius='1'/></geometry></collision></link>"
        "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/><origin xyz='1.5 0 0'/></joint>"
        "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><origin xyz='1 0 0'/></joint></robot>";
    outcome doctor = tool_run((const char *const[]){"doctor", NULL}, "", 0);
    const bool has_xml = strstr(doctor.out.data, "URDF and X3D through") != NULL;
    outcome_free(&doctor);
    if (!has_xml)
        skip();
    file_put("r.urdf", robot, sizeof robot - 1);
    expect(WORDS("r.urdf"), 0,
           PARTS("r.urdf: URDF, 3 bodies\n  a and c: distance 0.5, from 1 0 0 to 1.5 0 0\n0 of 1 pair of bodies",
                 "2 pairs of bodies at a joint not tested (--adjacent tests them)"));
    expect(WORDS("r.urdf", "--adjacent"), 0,
           PARTS("b and c overlap: depth 1, ", "a and b overlap: depth 0.5, ", "2 of 3 pairs"));
    expect(WORDS("r.urdf", "--joint=j=-1", "--joint", "k=3.14159265358979"), 0, PARTS("a and c overlap: depth 0.5"));
    assert_int_equal(unlink("r.urdf"), 0);
}

/* ---- models in queries and scenes ---- */

/* Runs the tool on input, and looks for a text in what it answers or complains. */
static void answer(const char *const *words, const char *input, int status, const char *part)
{
    outcome o = tool_run(words, input, strlen(input));
    if (o.status != status || !strstr(status == 0 ? o.out.data : o.err.data, part))
        fail_msg("status %d: %s%s; expected %s", o.status, o.out.data, o.err.data, part);
    outcome_free(&o);
}

static void models_are_compounds_in_queries(void **state)
{
    (void)state;
    static const char *const words[] = {"query", "--parts", NULL};
    file_put("row.wrl", row, sizeof row - 1);
#define QUERY(shape) "{\"op\":\"distance\",\"a\":" shape ",\"b\":{\"type\":\"point\",\"points\":[[5,0,0]]}}"
    answer(words, QUERY("{\"type\":\"compound\",\"file\":\"row.wrl\"}"), 0,
           "{\"distance\":1.5,\"pa\":[3.5,0,0],\"pb\":[5,0,0],\"part_a\":[2,0]");
    answer(words,
           QUERY("{\"type\":\"compound\",\"file\":\"row.wrl\",\"margin\":0.25,\"place\":{\"translate\":[0.25,0,0]}}"),
           0, "{\"distance\":1,");
    answer(words, QUERY("{\"type\":\"compound\",\"file\":\"row.stl\"}"), 1,
           "a.file is no model (URDF, X3D, VRML97, glTF)");
    answer(words, QUERY("{\"type\":\"compound\",\"file\":\"none.wrl\"}"), 1,
           "a.file cannot be read: none.wrl: cannot be opened");
    answer(words, QUERY("{\"type\":\"compound\",\"file\":\"row.wrl\",\"parts\":[]}"), 1, "a has a file and also parts");
    answer(words, QUERY("{\"type\":\"compound\",\"file\":7}"), 1, "a.file must be");
    assert_int_equal(unlink("row.wrl"), 0);
}

static void bodies_of_models_are_bodies_of_a_scene(void **state)
{
    (void)state;
    static const char *const json[] = {"run", "-", "--json", NULL}, *const states[] = {
                                                                        "run",         "-",         "--states",
                                                                        "/dev/stdout", "--every",   "1",
                                                                        "--out",       "/dev/null", NULL};
    file_put("row.wrl", row, sizeof row - 1);
#define SCENE(bodies) "{\"end\":1,\"response\":\"inelastic\",\"gravity\":[0,-8,0],\"bodies\":[" bodies "]}"
    /* c and d fall: after a second they are 4 lower; a floor without mass stays */
    answer(states,
           SCENE("{\"name\":\"r\",\"file\":\"row.wrl\",\"density\":2,\"place\":{\"translate\":[0,10,0]}},{\"file\":"
                 "\"row.wrl\"}"),
           0, "{\"name\":\"r/d\",\"translate\":[10,6,0],\"rotate\":[0,0,0,1]},{\"name\":\"a\",\"translate\":[0,0,0]");
    /* long names are not cut */
    char name[601], text[1000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)snprintf(text, sizeof text, SCENE("{\"name\":\"%s\",\"file\":\"row.wrl\"}"), name);
    answer(states, text, 0, "n/d\",\"translate\":[10,0,0]");
    answer(json,
           SCENE("{\"file\":\"row.wrl\"},{\"name\":\"x\",\"shape\":{\"type\":\"sphere\",\"radius\":0.5},\"mass\":1,"
                 "\"place\":{\"translate\":[10,2,0]}}"),
           0, "{\"t\":0.5,\"kind\":\"touch\",\"a\":\"d\",\"b\":\"x\",\"point\":[10,");
    answer(json, SCENE("{\"file\":\"row.wrl\",\"mass\":1}"), 1, "a body with a file takes name, file, place, density");
    answer(json, SCENE("{\"file\":\"row.obj\"}"), 1, "bodies[0].file is no model");
    answer(json, SCENE("{\"file\":\"none.wrl\"}"), 1, "bodies[0].file cannot be read: none.wrl: cannot be opened");
    answer(json, SCENE("{\"file\":\"row.wrl\"},{\"file\":\"row.wrl\"}"), 1,
           "bodies[1].name \"a\" is already the name of bodies[0]");
    answer(json, SCENE("{\"shape\":{\"type\":\"halfspace\",\"normal\":[0,1,0],\"offset\":0},\"mass\":1}"), 1,
           "bodies[0].mass is not possible: a half-space is infinite. Without mass it stays where it is");
    assert_int_equal(unlink("row.wrl"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_overlap_come_first_then_the_closest),
        cmocka_unit_test(wrong_use_is_reported_in_a_line),
        cmocka_unit_test(links_at_a_joint_are_tested_on_request),
        cmocka_unit_test(models_are_compounds_in_queries),
        cmocka_unit_test(bodies_of_models_are_bodies_of_a_scene),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
