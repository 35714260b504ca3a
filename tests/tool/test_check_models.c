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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_overlap_come_first_then_the_closest),
        cmocka_unit_test(wrong_use_is_reported_in_a_line),
        cmocka_unit_test(links_at_a_joint_are_tested_on_request),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
