/* `tact ccd`: meshes with known contacts, a real scene with its list, errors in files, wrong usage. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "support/shared_data.h"
#include "tool/folder.h"

static void text_put(const char *name, const char *text) { file_put(name, text, strlen(text)); }

/* A triangle, and one below it that goes up through it: its vertex 3 touches face 0, its edges those of face 0. */
#define FLOOR "v 0 0 0\nv 4 0 0\nv 0 4 0\n"
#define FACES "f 1 2 3\nf 4 5 6\n"

static outcome run(const char *const *words) { return tool_run(words, "", 0); }

#define RUN(...) run((const char *const[]){"ccd", __VA_ARGS__, NULL})

static bytes file_get(const char *name)
{
    int file = open(name, O_RDONLY);
    assert_true(file >= 0);
    bytes all = file_read_all(file);
    (void)close(file);
    return all;
}

static void contacts_are_counted_and_listed(void **state)
{
    (void)state;
    /* the tip goes from z = -1 to 1 at (1 1): at the floor at one half; its base stays below */
    text_put("a.obj", FLOOR "v 1 1 -1\nv 1 1 -3\nv 2 1 -3\n" FACES);
    text_put("b.obj", FLOOR "v 1 1 1\nv 1 1 -3\nv 2 1 -3\n" FACES);
    outcome o = RUN("a.obj", "b.obj", "--pairs", "list.txt");
    assert_string_equal(o.err.data, "");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "6 vertices, 2 triangles"));
    assert_non_null(strstr(o.out.data, "1 contact: 1 vertex-face, 0 edge-edge"));
    assert_non_null(strstr(o.out.data, ": vf 3 0\n"));
    outcome_free(&o);
    bytes list = file_get("list.txt");
    double from, to;
    char *at = list.data;
    assert_int_equal(strncmp(at, "vf 3 0 ", 7), 0);
    from = strtod(at + 7, &at);
    to = strtod(at, &at);
    assert_string_equal(at, "\n");
    assert_true(from <= 0.5 && to >= 0.5 && to - from <= 0x1p-40);
    bytes_free(&list);
    o = RUN("a.obj", "b.obj", "--json", "--threads", "2");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"contacts\":1,\"vf\":1,\"ee\":0,\"hit\":true,\"t\":[0."));
    assert_non_null(strstr(o.out.data, "\"vertex\":3,\"face\":0"));
    outcome_free(&o);
    o = RUN("--json", "--first", "--", "a.obj", "b.obj");
    assert_int_equal(o.status, 0);
    assert_null(strstr(o.out.data, "contacts"));
    assert_non_null(strstr(o.out.data, "\"vertex\":3,\"face\":0"));
    outcome_free(&o);
    /* at rest: no contacts */
    o = RUN("a.obj", "a.obj", "--pairs", "list.txt");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "no contacts"));
    outcome_free(&o);
    list = file_get("list.txt");
    assert_int_equal(list.size, 0);
    bytes_free(&list);
    o = RUN("a.obj", "a.obj", "--json");
    assert_non_null(strstr(o.out.data, "\"contacts\":0,\"vf\":0,\"ee\":0,\"hit\":false"));
    outcome_free(&o);
    assert_int_equal(unlink("a.obj") | unlink("b.obj") | unlink("list.txt"), 0);
}

/* Edges of a flat triangle cross those of another that comes from the side, in order of their times. */
static void lists_are_sorted(void **state)
{
    (void)state;
    text_put("a.obj", FLOOR "v 1 -1 5\nv 1 -1 -5\nv 1.5 -2 0\n" FACES);
    text_put("b.obj", FLOOR "v 1 9 5\nv 1 9 -5\nv 1.5 8 0\n" FACES);
    outcome o = RUN("a.obj", "b.obj", "--pairs", "list.txt");
    assert_int_equal(o.status, 0);
    outcome_free(&o);
    bytes list = file_get("list.txt");
    int lines = 0, kinds[2] = {0, 0};
    double last = -1.0;
    for (char *line = list.data; *line; lines++) {
        unsigned v[4];
        double from, to;
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        const bool vf = strncmp(line, "vf ", 3) == 0;
        if (vf) {
            assert_int_equal(sscanf(line, "vf %u %u %lg %lg", &v[0], &v[1], &from, &to), 4);
        } else {
            assert_int_equal(sscanf(line, "ee %u %u %u %u %lg %lg", &v[0], &v[1], &v[2], &v[3], &from, &to), 6);
            assert_true(v[0] < v[1] && v[2] < v[3] && v[0] < v[2]);
        }
        kinds[!vf]++;
        assert_true(from >= last && to >= from && to <= 1.0);
        last = from;
        line = end + 1;
    }
    assert_true(lines >= 3 && kinds[1] >= 3);
    bytes_free(&list);
    assert_int_equal(unlink("a.obj") | unlink("b.obj") | unlink("list.txt"), 0);
}

/* An unreferenced vertex passes through a face, and through the edge of another; one stays where it is. */
static void unreferenced_vertices_take_part(void **state)
{
    (void)state;
    text_put("a.obj", FLOOR "v 1 1 -1\nv 9 9 9\nv 0 0 7\nf 1 2 3\n");
    text_put("b.obj", FLOOR "v 1 1 3\nv 9 9 9\nv 0 0 6\nf 1 2 3\n");
    outcome o = RUN("a.obj", "b.obj", "--pairs", "list.txt");
    assert_string_equal(o.err.data, "");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "6 vertices, 1 triangle\n"));
    assert_non_null(strstr(o.out.data, "1 contact: 1 vertex-face, 0 edge-edge"));
    outcome_free(&o);
    bytes list = file_get("list.txt");
    assert_int_equal(strncmp(list.data, "vf 3 0 0.2", 10), 0);
    assert_int_equal(count_lines(list.data), 1);
    bytes_free(&list);
    /* without faces there are no contacts */
    text_put("a.obj", "v 0 0 0\n");
    o = RUN("a.obj", "a.obj");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "1 vertex, 0 triangles\n  no contacts"));
    outcome_free(&o);
    assert_int_equal(unlink("a.obj") | unlink("b.obj") | unlink("list.txt"), 0);
}

/* A frame is not overwritten under any name, and not read either. */
static void frames_are_not_overwritten(void **state)
{
    (void)state;
    static const char text[] = FLOOR "f 1 2 3\n";
    text_put("a.obj", text);
    text_put("b.obj", text);
    assert_int_equal(symlink("b.obj", "soft.txt") | link("a.obj", "hard.txt"), 0);
    static const char *const cases[][3] = {
        {"a.obj", "b.obj", "a.obj"},    {"a.obj", "b.obj", "b.obj"},    {"a.obj", "b.obj", "./b.obj"},
        {"a.obj", "b.obj", "soft.txt"}, {"a.obj", "b.obj", "hard.txt"}, {"gone.obj", "b.obj", "gone.obj"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        outcome o = RUN(cases[i][0], cases[i][1], "--pairs", cases[i][2]);
        if (o.status != 2 || strstr(o.err.data, "would overwrite a frame") == NULL || o.out.size != 0)
            fail_msg("case %zu: status %d, said %s%s", i, o.status, o.err.data, o.out.data);
        outcome_free(&o);
    }
    for (int i = 0; i < 2; i++) {
        bytes kept = file_get(i == 0 ? "a.obj" : "b.obj");
        assert_string_equal(kept.data, text);
        bytes_free(&kept);
    }
    /* an existing file that is not a frame is overwritten */
    text_put("list.txt", "old");
    outcome o = RUN("a.obj", "b.obj", "--pairs", "list.txt");
    assert_int_equal(o.status, 0);
    outcome_free(&o);
    assert_int_equal(unlink("a.obj") | unlink("b.obj") | unlink("soft.txt") | unlink("hard.txt") | unlink("list.txt"),
                     0);
}

static void invalid_input_is_rejected(void **state)
{
    (void)state;
    text_put("a.obj", FLOOR "v 1 1 -1\nv 1 1 -3\nv 2 1 -3\n" FACES);
    text_put("fewer.obj", FLOOR "f 1 2 3\n");
    text_put("turned.obj", FLOOR "v 1 1 -1\nv 1 1 -3\nv 2 1 -3\nf 1 2 3\nf 4 6 5\n");
    text_put("quad.obj", FLOOR "v 4 4 0\nf 1 2 3\nf 1 2 4 3\n");
    text_put("bad.obj", "v 0 zero 0\n");
    static const struct {
        const char *words[6];
        int status;
        const char *says;
    } cases[] = {
        {{"a.obj", "fewer.obj"}, 1, "fewer.obj: 3 vertices and 1 face, but a.obj has 6 and 2"},
        {{"a.obj", "turned.obj"},
         1,
         "turned.obj: face 1 differs from that of a.obj: both frames must have the same faces in the same order"},
        {{"quad.obj", "quad.obj"}, 1, "quad.obj: face 1 has 4 vertices: tact ccd accepts only triangles"},
        {{"a.obj", "bad.obj"}, 1, "bad.obj:1: "},
        {{"a.obj", "gone.obj"}, 1, "gone.obj: "},
        {{"a.obj", "a.obj", "--pairs", "no/such/folder"}, 1, "no/such/folder: cannot be opened"},
        {{"a.obj"}, 2, "two frames are needed"},
        {{"a.obj", "a.obj", "a.obj"}, 2, "there are more than two frames: a.obj"},
        {{"a.obj", "a.obj", "--pairs"}, 2, "--pairs needs"},
        {{"a.obj", "a.obj", "--threads", "0"}, 2, "--threads needs"},
        {{"a.obj", "a.obj", "--threads"}, 2, "--threads needs a number from 1 to 1024"},
        {{"a.obj", "a.obj", "--what"}, 2, "no option --what"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[8] = {"ccd"};
        for (int k = 0; k < 6; k++)
            words[k + 1] = cases[i].words[k];
        outcome o = run(words);
        if (o.status != cases[i].status || strstr(o.err.data, cases[i].says) == NULL || o.out.size != 0 ||
            count_lines(o.err.data) != 1)
            fail_msg("case %zu: status %d, said %s%s", i, o.status, o.err.data, o.out.data);
        outcome_free(&o);
    }
    outcome o = RUN("--help");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "tact ccd T0 T1"));
    outcome_free(&o);
    assert_int_equal(
        unlink("a.obj") | unlink("fewer.obj") | unlink("turned.obj") | unlink("quad.obj") | unlink("bad.obj"), 0);
}

static void a_real_scene_has_its_contacts(void **state)
{
    (void)state;
    char paths[2][800];
    const char *data = shared_data();
    for (int i = 0; i < 2; i++)
        (void)snprintf(paths[i], sizeof paths[i], "%s/scenes/cloth-funnel/t%d.ply", data, i);
    outcome o = RUN(paths[0], paths[1], "--pairs", "list.txt", "--json");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"contacts\":134,\"vf\":27,\"ee\":107,\"hit\":true,\"t\":[0.0452322203"));
    outcome_free(&o);
    bytes list = file_get("list.txt");
    assert_int_equal(count_lines(list.data), 134);
    bytes_free(&list);
    assert_int_equal(unlink("list.txt"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_counted_and_listed), cmocka_unit_test(lists_are_sorted),
        cmocka_unit_test(unreferenced_vertices_take_part), cmocka_unit_test(frames_are_not_overwritten),
        cmocka_unit_test(invalid_input_is_rejected),       cmocka_unit_test(a_real_scene_has_its_contacts),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
