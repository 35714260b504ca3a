/* `tact play`: equal to `tact ccd` for every interval, whatever the format, engine and options; errors, wrong usage. */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <math.h>

#include "support/long_form.h"
#include "support/random.h"
#include "support/shared_data.h"
#include "tool/animation.h"

static outcome run(const char *const *words) { return tool_run(words, "", 0); }

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static bytes file_get(const char *name)
{
    int file = open(name, O_RDONLY);
    assert_true(file >= 0);
    bytes all = file_read_all(file);
    (void)close(file);
    return all;
}

/* ---- a generated animation ---- */

/* Two sheets of GRID x GRID vertices that pass through each other, folding, and a vertex that no face uses. */
#define GRID 6
#define VERTICES (2 * GRID * GRID + 1)
#define TRIANGLES (2 * 2 * (GRID - 1) * (GRID - 1))
#define FRAMES 7

static uint32_t triangles[TRIANGLES][3];
static float positions[FRAMES][3 * VERTICES];
static bytes expected[FRAMES - 1]; /* the lines of each interval, as tact ccd prints them, after its number */

/* A number from -1 to 1. */
static float unit(random_source *r) { return (float)((double)random_below(r, 2000001) / 1e6 - 1.0); }

static void animation_make(void)
{
    size_t count = 0;
    for (uint32_t sheet = 0; sheet < 2; sheet++)
        for (uint32_t i = 0; i + 1 < GRID; i++)
            for (uint32_t j = 0; j + 1 < GRID; j++) {
                const uint32_t a = sheet * GRID * GRID + i * GRID + j, b = a + 1, c = a + GRID, d = c + 1;
                memcpy(triangles[count++], (uint32_t[3]){a, b, c}, sizeof triangles[0]);
                memcpy(triangles[count++], (uint32_t[3]){b, d, c}, sizeof triangles[0]);
            }
    assert_int_equal(count, TRIANGLES);
    random_source r = random_seed(7);
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t v = 0; v < VERTICES; v++) {
            const size_t sheet = v / (GRID * GRID), i = v % (GRID * GRID) / GRID, j = v % GRID;
            float *p = &positions[f][3 * v];
            p[0] = (float)i + 0.4f * unit(&r);
            p[1] = (float)j + 0.4f * unit(&r);
            p[2] = (sheet == 0 ? 0.0f : 1.5f - 0.5f * (float)f) + 0.7f * unit(&r);
            if (sheet == 2)
                p[2] = 2.5f - (float)f;
        }
}

/* Adds the lines of tact ccd for an interval, each after its number. */
static void ccd_lines(bytes *lines, size_t interval, const char *t0, const char *t1)
{
    outcome o = RUN("ccd", t0, t1, "--pairs", "list.txt");
    if (o.status != 0)
        fail_msg("%s", o.err.data);
    outcome_free(&o);
    bytes list = file_get("list.txt");
    for (const char *line = list.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char number[30];
        (void)snprintf(number, sizeof number, "%zu ", interval);
        bytes_say(lines, number);
        bytes_add(lines, line, (size_t)(end + 1 - line));
    }
    bytes_free(&list);
}

/* Writes the frames as files, and the lines that tact ccd prints for each interval. */
static int files_make(void **state)
{
    if (folder_make(state) != 0 || mkdir("frames", 0700) != 0)
        return -1;
    animation_make();
    char names[FRAMES][40];
    for (size_t f = 0; f < FRAMES; f++) {
        (void)snprintf(names[f], sizeof names[f], "frames/f_%zu.obj", f + 5);
        bytes obj = obj_make(positions[f], VERTICES, (const uint32_t(*)[3])triangles, TRIANGLES);
        bytes_put(names[f], &obj);
        bytes_free(&obj);
    }
    bytes pc2 = pc2_make(positions[0], FRAMES, VERTICES, 0.0f, 1.0f);
    bytes mdd = mdd_make(positions[0], FRAMES, VERTICES, 10.0f, 0.5f);
    bytes_put("a.pc2", &pc2);
    bytes_put("a.mdd", &mdd);
    bytes_free(&pc2);
    bytes_free(&mdd);
    for (size_t f = 0; f + 1 < FRAMES; f++) {
        bytes_say(&expected[f], "");
        ccd_lines(&expected[f], f, names[f], names[f + 1]);
    }
    return unlink("list.txt");
}

static int files_remove(void **state)
{
    char name[40];
    for (size_t f = 0; f < FRAMES; f++) {
        (void)snprintf(name, sizeof name, "frames/f_%zu.obj", f + 5);
        (void)unlink(name);
    }
    for (size_t f = 0; f + 1 < FRAMES; f++)
        bytes_free(&expected[f]);
    (void)unlink("a.pc2");
    (void)unlink("a.mdd");
    return rmdir("frames") == 0 ? folder_remove(state) : -1;
}

static bytes expected_lines(size_t from, size_t to)
{
    bytes all = {NULL, 0, 0};
    bytes_say(&all, "");
    for (size_t i = from; i < to; i++)
        bytes_add(&all, expected[i].data, expected[i].size);
    return all;
}

/* Runs tact play with these words (mesh, frames, options) and compares the list of --pairs. */
static void expect_lines(const char *const *words, size_t from, size_t to)
{
    const char *all[16] = {"play"};
    size_t count = 1;
    while (words[count - 1]) {
        all[count] = words[count - 1];
        count++;
    }
    all[count++] = "--pairs";
    all[count] = "list.txt";
    outcome o = run(all);
    if (o.status != 0 || o.err.size != 0)
        fail_msg("%s: status %d, said %s", words[1], o.status, o.err.data);
    bytes list = file_get("list.txt"), lines = expected_lines(from, to);
    if (strcmp(list.data, lines.data) != 0)
        fail_msg("%s %s %s: %zu lines instead of %zu", words[1], words[2] ? words[2] : "",
                 words[2] && words[3] ? words[3] : "", count_lines(list.data), count_lines(lines.data));
    bytes_free(&list);
    bytes_free(&lines);
    outcome_free(&o);
    assert_int_equal(unlink("list.txt"), 0);
}

#define MESH "frames/f_5.obj"
#define EXPECT_ALL(...) expect_lines((const char *const[]){MESH, __VA_ARGS__, NULL}, 0, FRAMES - 1)

static void the_animation_has_contacts(void **state)
{
    (void)state;
    size_t with_contacts = 0, kinds[2] = {0, 0};
    for (size_t f = 0; f + 1 < FRAMES; f++) {
        with_contacts += expected[f].size > 0;
        for (const char *line = expected[f].data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
            kinds[strncmp(strchr(line, ' '), " vf", 3) != 0]++;
    }
    if (with_contacts < 4 || kinds[0] < 50 || kinds[1] < 100)
        fail_msg("%zu intervals with contacts, %zu vertex-face, %zu edge-edge", with_contacts, kinds[0], kinds[1]);
}

static void all_formats_have_the_contacts_of_ccd(void **state)
{
    (void)state;
    EXPECT_ALL("a.pc2");
    EXPECT_ALL("a.mdd");
    EXPECT_ALL("frames");
    EXPECT_ALL("frames/f_*.obj"); /* f_11 after f_9 */
    EXPECT_ALL("frames/f_%d.obj");
}

static const char *const engine_names[] = {"windows", "list", "swept"};
#define ENGINES (sizeof engine_names / sizeof engine_names[0])

static void engines_change_no_line(void **state)
{
    (void)state;
    static const char *const between[] = {"0", "3", "7"}, *const threads[] = {"1", "2", "5"};
    for (size_t e = 0; e < ENGINES; e++)
        for (size_t i = 0; i < 3; i++)
            EXPECT_ALL("a.pc2", "--engine", engine_names[e], "--between", between[i], "--threads",
                       threads[(e + i) % 3]);
}

static void a_range_of_intervals_is_played(void **state)
{
    (void)state;
    for (size_t from = 0; from < FRAMES; from++)
        for (size_t to = from; to < FRAMES; to++) {
            char a[20], b[20];
            (void)snprintf(a, sizeof a, "%zu", from);
            (void)snprintf(b, sizeof b, "%zu", to);
            const char *path = (from + to) % 2 == 0 ? "a.pc2" : "frames";
            const char *engine = engine_names[(from + 2 * to) % ENGINES];
            expect_lines((const char *const[]){MESH, path, "--from", a, "--to", b, "--engine", engine, NULL}, from, to);
        }
    expect_lines((const char *const[]){MESH, "a.mdd", "--from", "2", NULL}, 2, FRAMES - 1);
    expect_lines((const char *const[]){MESH, "a.mdd", "--to", "4", NULL}, 0, 4);
    /* a damaged frame outside the range does not matter */
    bytes pc2 = file_get("a.pc2");
    memcpy(pc2.data + 32, "\0\0\xC0\x7F", 4); /* NaN in frame 0 */
    bytes_put("bad.pc2", &pc2);
    expect_lines((const char *const[]){MESH, "bad.pc2", "--from", "1", NULL}, 1, FRAMES - 1);
    memcpy(pc2.data + pc2.size - 4, "\0\0\xC0\x7F", 4);
    bytes_put("bad.pc2", &pc2);
    expect_lines((const char *const[]){MESH, "bad.pc2", "--from", "1", "--to", "5", NULL}, 1, 5);
    /* inside it is an error, and no file of --pairs remains */
    outcome o = RUN("play", MESH, "bad.pc2", "--from", "1", "--pairs", "list.txt", "--json");
    assert_int_equal(o.status, 1);
    assert_string_equal(o.err.data, "bad.pc2: frame 6: vertex 72 is not a number\n");
    assert_string_equal(o.out.data, "");
    outcome_free(&o);
    bytes_free(&pc2);
    assert_int_equal(access("list.txt", F_OK), -1);
    assert_int_equal(unlink("bad.pc2"), 0);
}

static void text_lists_the_events_in_order(void **state)
{
    (void)state;
    bytes lines = expected_lines(0, FRAMES - 1);
    const size_t all = count_lines(lines.data);
    assert_true(all > 10);
    static const char *const options[][2] = {{NULL, NULL}, {"--limit", "3"}, {"--limit", "0"}, {"--all", NULL}};
    for (size_t i = 0; i < 4; i++) {
        const size_t limit = (size_t[]){10, 3, 0, all}[i];
        outcome o = RUN("play", MESH, "a.mdd", options[i][0], options[i][1]);
        char head[200], text[200];
        assert_int_equal(o.status, 0);
        (void)snprintf(head, sizeof head, MESH " with a.mdd: %d vertices, %d triangles, %d frames (MDD)\n", VERTICES,
                       TRIANGLES, FRAMES);
        assert_int_equal(strncmp(o.out.data, head, strlen(head)), 0);
        /* the rows are the first lines of the list */
        char *at = o.out.data + strlen(head);
        if (limit > 0)
            at = strchr(at, '\n') + 1;
        const char *line = lines.data;
        for (size_t k = 0; k < limit; k++, line = strchr(line, '\n') + 1) {
            char *end = strchr(at, '\n'), feature[40], kind[3];
            unsigned long interval, listed;
            double t, time, from;
            assert_non_null(end);
            *end = '\0';
            assert_int_equal(sscanf(at, "%lu %lg %lg %39[^\n]", &interval, &t, &time, feature), 4);
            assert_int_equal(sscanf(line, "%lu %2s", &listed, kind), 2);
            (void)snprintf(text, sizeof text, "%lu %s ", listed, feature);
            if (interval != listed || strncmp(line, text, strlen(text)) != 0)
                fail_msg("row %zu: %s, but the list has %.60s", k, at, line);
            from = strtod(line + strlen(text), NULL);
            assert_true(t == from && fabs(time - (10.0 + 0.5 * ((double)interval + t))) < 1e-6);
            at = end + 1;
        }
        (void)snprintf(text, sizeof text, "  intervals 0 to %d: %zu contacts: ", FRAMES - 2, all);
        assert_non_null(strstr(at, text));
        (void)snprintf(text, sizeof text, "  ... and %zu more: ", all - limit);
        assert_true((strstr(at, text) != NULL) == (limit > 0 && limit < all));
        assert_non_null(strstr(at, "  first contact in interval "));
        assert_non_null(strstr(at, " read in "));
        outcome_free(&o);
    }
    bytes_free(&lines);
}

static void json_has_the_counts(void **state)
{
    (void)state;
    for (size_t e = 0; e < ENGINES; e++) {
        outcome o = RUN("play", "--json", "--engine", engine_names[e], MESH, "a.mdd", "--to", "5");
        assert_int_equal(o.status, 0);
        assert_int_equal(count_lines(o.out.data), 1);
        json_t *root = json_loads(o.out.data, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(root);
        bytes lines = expected_lines(0, 5);
        assert_int_equal(json_integer_value(json_object_get(root, "vertices")), VERTICES);
        assert_int_equal(json_integer_value(json_object_get(root, "triangles")), TRIANGLES);
        assert_int_equal(json_integer_value(json_object_get(root, "frames")), FRAMES);
        assert_int_equal(json_integer_value(json_object_get(root, "from")), 0);
        assert_int_equal(json_integer_value(json_object_get(root, "to")), 5);
        assert_string_equal(json_string_value(json_object_get(root, "engine")), engine_names[e]);
        assert_int_equal(json_integer_value(json_object_get(root, "contacts")), (json_int_t)count_lines(lines.data));
        assert_true(json_is_true(json_object_get(root, "hit")));
        const json_t *list = json_object_get(root, "intervals"), *item;
        size_t i, next = 0;
        json_int_t kinds[2] = {0, 0};
        json_array_foreach(list, i, item)
        {
            const size_t interval = (size_t)json_integer_value(json_object_get(item, "interval"));
            const json_int_t vf = json_integer_value(json_object_get(item, "vf"));
            const json_int_t ee = json_integer_value(json_object_get(item, "ee"));
            for (; next < interval; next++)
                assert_int_equal(expected[next].size, 0);
            assert_int_equal(vf + ee, (json_int_t)count_lines(expected[next++].data));
            kinds[0] += vf;
            kinds[1] += ee;
        }
        assert_true(kinds[0] > 0 && json_integer_value(json_object_get(root, "vf")) == kinds[0]);
        assert_true(kinds[1] > 0 && json_integer_value(json_object_get(root, "ee")) == kinds[1]);
        const double first = json_real_value(json_array_get(json_object_get(root, "t"), 0));
        const double interval = (double)json_integer_value(json_object_get(root, "interval"));
        assert_true(fabs(json_real_value(json_object_get(root, "time")) - (10.0 + 0.5 * (interval + first))) < 1e-12);
        assert_true(json_is_object(json_object_get(root, "seconds")));
        assert_null(json_object_get(root, "deviation"));
        json_decref(root);
        bytes_free(&lines);
        outcome_free(&o);
    }
    outcome o = RUN("play", "--json", MESH, "a.pc2", "--from", "3", "--to", "3");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"contacts\":0,\"vf\":0,\"ee\":0,\"hit\":false,\"intervals\":[]"));
    outcome_free(&o);
}

/* ---- glTF ---- */

/* A floor of one triangle, and one below it whose morph target lifts its tip through the floor. All numbers are exact
 * in binary, so the frames are those of the OBJ files. The tip is stored twice, as with two normals. */
static void gltf_put(void)
{
    static const float floor_xyz[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    static const float tip_xyz[12] = {1, 1, -1, 1, 1, -3, 2, 1, -3, 1, 1, -1};
    static const float tip_delta[12] = {0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4};
    static const unsigned char tip_indices[6] = {0, 1, 2, 2, 1, 3};
    static const float times[3] = {1, 2, 4}, weights[3] = {0, 0.5f, 0.25f};
    gltf_maker m = {.count = 0};
    (void)gltf_floats(&m, floor_xyz, 3, 3, "VEC3");
    (void)gltf_floats(&m, tip_xyz, 4, 3, "VEC3");
    (void)gltf_floats(&m, tip_delta, 4, 3, "VEC3");
    (void)gltf_bytes(&m, tip_indices, 6, 5121, "SCALAR", 6, "");
    (void)gltf_floats(&m, times, 3, 1, "SCALAR");
    (void)gltf_floats(&m, weights, 3, 1, "SCALAR");
    static const char rest[] =
        "\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0},{\"mesh\":1}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},{\"primitives\":[{\"attributes\":"
        "{\"POSITION\":1},\"indices\":3,\"targets\":[{\"POSITION\":2}]}]}],"
        "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"weights\"}}],"
        "\"samplers\":[{\"input\":4,\"output\":5}]}]";
    bytes glb = glb_make(&m, rest);
    bytes_put("a.glb", &glb);
    bytes_free(&glb);
    bytes json = gltf_json(&m, rest, "a%20b.bin");
    bytes_put("a.gltf", &json);
    bytes_put("a b.bin", &m.binary);
    bytes_free(&json);
    gltf_maker_free(&m);
}

static void gltf_animations_are_played(void **state)
{
    (void)state;
    gltf_put();
    /* with --fps 2 at t = 1, 1.5, 2, 2.5, 3, 3.5, 4: the tip is at 4 w - 1 */
    static const float tip[] = {-1, 0, 1, 0.75f, 0.5f, 0.25f, 0};
    bytes lines = {NULL, 0, 0};
    bytes_say(&lines, "");
    for (size_t f = 0; f < 7; f++) {
        char text[200];
        (void)snprintf(text, sizeof text,
                       "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 %g\nv 1 1 -3\nv 2 1 -3\nf 1 2 3\nf 4 5 6\nf 6 5 4\n",
                       (double)tip[f]);
        text_put(f % 2 ? "1.obj" : "0.obj", text);
        if (f > 0)
            ccd_lines(&lines, f - 1, f % 2 ? "0.obj" : "1.obj", f % 2 ? "1.obj" : "0.obj");
    }
    assert_int_equal(count_lines(lines.data), 3);
    static const char *const ways[][2] = {
        {"a.glb", NULL}, {"a.glb", "a.glb"}, {"a.gltf", NULL}, {"a.gltf", "./a.gltf"}, {"0.obj", "a.glb"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const char *words[12] = {"play", "--fps", "2", "--pairs", "list.txt", "--json", "--animation", "0", ways[i][0]};
        words[9] = ways[i][1];
        outcome o = run(words);
        if (o.status != 0)
            fail_msg("way %zu: %s", i, o.err.data);
        assert_non_null(strstr(o.out.data, "\"vertices\":6,\"triangles\":3,\"frames\":7,"));
        assert_non_null(strstr(o.out.data, ",\"deviation\":0,"));
        outcome_free(&o);
        bytes list = file_get("list.txt");
        assert_string_equal(list.data, lines.data);
        bytes_free(&list);
    }
    outcome o = RUN("play", "--fps", "1.5", "--", "a.glb");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "a.glb: 6 vertices, 3 triangles, 6 frames (glTF)\n"));
    assert_non_null(strstr(o.out.data, "  deviation "));
    outcome_free(&o);
    bytes_free(&lines);
    assert_int_equal(unlink("list.txt") | unlink("0.obj") | unlink("1.obj") | unlink("a.glb") | unlink("a.gltf") |
                         unlink("a b.bin"),
                     0);
}

/* ---- errors ---- */

static void inputs_are_not_overwritten(void **state)
{
    (void)state;
    bytes pc2 = file_get("a.pc2");
    static const char *const cases[][2] = {
        {"a.pc2", "a.pc2"}, {"a.pc2", "./" MESH}, {"frames", "frames/f_7.obj"}, {"frames/f_%d.obj", "frames/f_9.obj"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        outcome o = RUN("play", MESH, cases[i][0], "--pairs", cases[i][1]);
        if (o.status != 2 || strstr(o.err.data, "would overwrite the mesh or a frame") == NULL || o.out.size != 0)
            fail_msg("case %zu: status %d, said %s", i, o.status, o.err.data);
        outcome_free(&o);
    }
    bytes kept = file_get("a.pc2");
    assert_int_equal(kept.size, pc2.size);
    assert_memory_equal(kept.data, pc2.data, pc2.size);
    bytes_free(&kept);
    bytes_free(&pc2);
    EXPECT_ALL("frames");
}

static void invalid_input_is_rejected(void **state)
{
    (void)state;
    bytes pc2 = file_get("a.pc2");
    file_put("short.pc2", pc2.data, pc2.size - 1);
    memcpy(pc2.data + 16, "\x05\0\0\0", 4);
    bytes_put("count.pc2", &pc2);
    bytes_free(&pc2);
    text_put("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    text_put("bad.obj", "v 0 zero 0\n");
    text_put("still.gltf", "{\"asset\":{\"version\":\"2.0\"}}");
    assert_int_equal(mkdir("empty", 0700), 0);
    static const struct {
        const char *words[8];
        int status;
        const char *says;
    } cases[] = {
        {{MESH, "short.pc2"}, 1, "short.pc2: frame 6: is truncated: 875 of 876 bytes are there\n"},
        {{MESH, "count.pc2"}, 1, "count.pc2: has 5 vertices, but " MESH " has 73\n"},
        {{MESH, "empty"}, 1, "empty: has no mesh files\n"},
        {{MESH, "gone.pc2"}, 1, "gone.pc2: cannot be read"},
        {{MESH, "gone*.ply"}, 1, "gone*.ply: no file matches\n"},
        {{"quad.obj", "a.pc2"}, 1, "quad.obj: face 0 has 4 vertices: tact play accepts only triangles\n"},
        {{"bad.obj", "a.pc2"}, 1, "bad.obj:1: "},
        {{"gone.obj", "a.pc2"}, 1, "gone.obj: "},
        {{MESH, "still.gltf"}, 1, "still.gltf: has no triangles\n"},
        {{"still.gltf"}, 1, "still.gltf: has no triangles\n"},
        {{MESH, "a.pc2", "--to", "7"}, 1, "a.pc2: has 7 frames and so 6 intervals: --to 7 is too large\n"},
        {{MESH, "a.pc2", "--from", "7"}, 1, "a.pc2: has 7 frames and so 6 intervals: --from 7 is too large\n"},
        {{MESH, "a.pc2", "--pairs", "no/such/folder"}, 1, "no/such/folder: cannot be opened"},
        {{NULL}, 2, "a mesh and frames are needed"},
        {{MESH}, 2, "frames are needed beside " MESH},
        {{MESH, "a.pc2", "a.mdd"}, 2, "there is more than a mesh and frames: a.mdd (put a pattern in quotes)"},
        {{MESH, "a.pc2", "--from", "4", "--to", "3"}, 2, "--to 3 is less than --from 4"},
        {{MESH, "a.pc2", "--from", "-1"}, 2, "--from needs the number of an interval, not \"-1\""},
        {{MESH, "a.pc2", "--to"}, 2, "--to needs"},
        {{MESH, "a.pc2", "--between", "1000001"}, 2, "--between needs a number from 0 to 1000000"},
        {{MESH, "a.pc2", "--engine", "steam"}, 2, "--engine needs windows, list or swept, not \"steam\""},
        {{MESH, "a.pc2", "--fps", "0"}, 2, "--fps needs a positive number"},
        {{MESH, "a.pc2", "--fps", "24"}, 2, "--fps is for glTF files"},
        {{MESH, "a.pc2", "--animation", "0"}, 2, "--animation is for glTF files"},
        {{MESH, "a.pc2", "--limit", "x"}, 2, "--limit needs a number of events"},
        {{MESH, "a.pc2", "--pairs"}, 2, "--pairs needs"},
        {{MESH, "a.pc2", "--threads", "0"}, 2, "--threads needs a number from 1 to 1024"},
        {{MESH, "a.pc2", "--what"}, 2, "there is no option --what"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[10] = {"play"};
        for (int k = 0; k < 8; k++)
            words[k + 1] = cases[i].words[k];
        outcome o = run(words);
        if (o.status != cases[i].status || strstr(o.err.data, cases[i].says) == NULL || o.out.size != 0 ||
            count_lines(o.err.data) != 1)
            fail_msg("case %zu: status %d, said %s%s", i, o.status, o.err.data, o.out.data);
        outcome_free(&o);
    }
    outcome o = RUN("play", "--help");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "tact play MESH FRAMES"));
    outcome_free(&o);
    assert_int_equal(unlink("short.pc2") | unlink("count.pc2") | unlink("quad.obj") | unlink("bad.obj") |
                         unlink("still.gltf") | rmdir("empty"),
                     0);
}

static void a_still_animation_has_one_frame(void **state)
{
    (void)state;
    bytes pc2 = pc2_make(positions[0], 1, VERTICES, 0.0f, 1.0f);
    bytes_put("one.pc2", &pc2);
    bytes_free(&pc2);
    outcome o = RUN("play", MESH, "one.pc2");
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "1 frame (PC2)\n  no intervals: no contacts\n"));
    outcome_free(&o);
    assert_int_equal(unlink("one.pc2"), 0);
}

/* ---- real animations ---- */

/* Plays intervals with each engine, number of in-between frames and number of threads, and compares the contacts. */
static void expect_with_all_engines(const char *mesh, const char *frames, const char *from, const char *to,
                                    const bytes *lines)
{
    static const char *const between[] = {"0", "4", "1"}, *const threads[] = {"2", "1", "3"};
    for (size_t e = 0; e < ENGINES; e++) {
        outcome o = RUN("play", mesh, frames, "--from", from, "--to", to, "--pairs", "list.txt", "--engine",
                        engine_names[e], "--between", between[e], "--threads", threads[e]);
        if (o.status != 0)
            fail_msg("%s", o.err.data);
        outcome_free(&o);
        bytes list = file_get("list.txt");
        if (strcmp(list.data, lines->data) != 0)
            fail_msg("%s, %s: %zu lines instead of %zu", frames, engine_names[e], count_lines(list.data),
                     count_lines(lines->data));
        bytes_free(&list);
    }
    assert_int_equal(unlink("list.txt"), 0);
}

/* Intervals 7 to 9; all with TACT_TEST_LONG. */
static void a_kick_has_the_contacts_of_ccd(void **state)
{
    (void)state;
    char mesh[800], frames[800], begin[20], end[20];
    const char *data = shared_data();
    (void)snprintf(mesh, sizeof mesh, "%s/animations/kick/mesh.obj", data);
    (void)snprintf(frames, sizeof frames, "%s/animations/kick/frames.pc2", data);
    if (access(frames, R_OK) != 0)
        skip();
    bytes all = file_get(frames), obj = file_get(mesh), lines = {NULL, 0, 0};
    const size_t vertices = 12811, from = long_form() ? 0 : 7, to = long_form() ? 120 : 10;
    const char *faces = strstr(obj.data, "\nf ") + 1;
    bytes_say(&lines, "");
    for (size_t f = from; f <= to; f++) {
        const float *xyz = (const float *)(const void *)(all.data + 32 + 12 * vertices * f);
        bytes frame = obj_make(xyz, vertices, NULL, 0);
        bytes_say(&frame, faces);
        bytes_put(f % 2 ? "1.obj" : "0.obj", &frame);
        bytes_free(&frame);
        if (f == from)
            continue;
        ccd_lines(&lines, f - 1, f % 2 ? "0.obj" : "1.obj", f % 2 ? "1.obj" : "0.obj");
    }
    assert_int_equal(count_lines(lines.data), long_form() ? 252 : 4);
    (void)snprintf(begin, sizeof begin, "%zu", from);
    (void)snprintf(end, sizeof end, "%zu", to);
    expect_with_all_engines(mesh, frames, begin, end, &lines);
    bytes_free(&all);
    bytes_free(&obj);
    bytes_free(&lines);
    assert_int_equal(unlink("0.obj") | unlink("1.obj"), 0);
}

/* Scenes of two frames, played t0, t1, t0, t1. One of them; all with TACT_TEST_LONG. */
static void scenes_there_and_back_have_the_contacts_of_ccd(void **state)
{
    (void)state;
    static const char *const names[] = {"cloth-funnel", "armadillo-rollers", "cloth-ball"};
    const char *data = shared_data();
    for (size_t i = 0; i < (long_form() ? 3u : 1u); i++) {
        char files[2][800], frame[40];
        bytes lines = {NULL, 0, 0};
        assert_int_equal(mkdir("loop", 0700), 0);
        for (size_t f = 0; f < 4; f++) {
            (void)snprintf(files[f % 2], sizeof files[0], "%s/scenes/%s/t%zu.ply", data, names[i], f % 2);
            (void)snprintf(frame, sizeof frame, "loop/%zu.ply", f);
            assert_int_equal(symlink(files[f % 2], frame), 0);
        }
        bytes_say(&lines, "");
        for (size_t f = 0; f < 3; f++)
            ccd_lines(&lines, f, files[f % 2], files[1 - f % 2]);
        assert_true(count_lines(lines.data) > 300);
        expect_with_all_engines("loop/0.ply", "loop", "0", "3", &lines);
        bytes_free(&lines);
        for (size_t f = 0; f < 4; f++) {
            (void)snprintf(frame, sizeof frame, "loop/%zu.ply", f);
            assert_int_equal(unlink(frame), 0);
        }
        assert_int_equal(rmdir("loop"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_animation_has_contacts),
        cmocka_unit_test(all_formats_have_the_contacts_of_ccd),
        cmocka_unit_test(engines_change_no_line),
        cmocka_unit_test(a_range_of_intervals_is_played),
        cmocka_unit_test(text_lists_the_events_in_order),
        cmocka_unit_test(json_has_the_counts),
        cmocka_unit_test(gltf_animations_are_played),
        cmocka_unit_test(inputs_are_not_overwritten),
        cmocka_unit_test(invalid_input_is_rejected),
        cmocka_unit_test(a_still_animation_has_one_frame),
        cmocka_unit_test(a_kick_has_the_contacts_of_ccd),
        cmocka_unit_test(scenes_there_and_back_have_the_contacts_of_ccd),
    };
    return cmocka_run_group_tests(tests, files_make, files_remove);
}
