/* Frames of PC2, MDD, folders and patterns: round trips, damage at every byte, memory that runs out. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "frames.h"
#include "natural_order.h"
#include "support/failing_allocator.h"
#include "tool/animation.h"

#define VERTICES 4
#define FRAMES 3

static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};

/* Numbers that differ in every byte, with signs, a denormal and the largest float. */
static const float values[FRAMES * VERTICES * 3] = {
    0.0f,  1.0f,     -2.5f,  1e-40f, 3.4e38f, -1e-7f, 7.25f, 8.125f, 9.0f,   10.1f, -11.2f, 12.3f,
    -0.0f, 1.5f,     2.75f,  3.0f,   4.0f,    5.5f,   6.0f,  -7.0f,  8.0f,   9.5f,  10.0f,  11.0f,
    1e30f, -3.4e38f, 1e-38f, 42.0f,  43.0f,   44.0f,  45.0f, 46.0f,  -47.0f, 48.0f, 49.0f,  50.0f};

static mesh_file mesh;

static int mesh_make(void **state)
{
    char error[MESH_FILE_ERROR];
    if (folder_make(state) != 0)
        return -1;
    bytes b = obj_make(values, VERTICES, triangles, 2);
    bytes_put("mesh.obj", &b);
    bytes_free(&b);
    const bool good = tact_mesh_file_read("mesh.obj", &mesh, error, sizeof error);
    return good && unlink("mesh.obj") == 0 ? 0 : -1;
}

static int mesh_remove(void **state)
{
    tact_mesh_file_release(&mesh);
    return folder_remove(state);
}

/* Opens frames; after a failure nothing is allocated, and the error is one line that starts with the path. */
static bool open_with(const char *path, frame_source *source, char error[FRAMES_ERROR], failing_allocator *memory)
{
    const tact_allocator allocator = failing_allocator_make(memory);
    const frames_def def = {.path = path, .mesh = &mesh, .mesh_path = "mesh.obj", .allocator = &allocator};
    memset(error, 'x', FRAMES_ERROR);
    if (tact_frames_open(source, &def, error, FRAMES_ERROR))
        return true;
    assert_int_equal(memory->held, 0);
    if (strncmp(error, path, strlen(path)) != 0 || error[strlen(path)] != ':' || strchr(error, '\n'))
        fail_msg("%s: said %s", path, error);
    return false;
}

/* The frames of the path must be `values`. */
static void expect_values(const char *path, const char *format, size_t frame_count)
{
    frame_source source;
    char error[FRAMES_ERROR];
    failing_allocator memory = {0};
    if (!open_with(path, &source, error, &memory))
        fail_msg("%s", error);
    assert_string_equal(source.reader->format, format);
    assert_int_equal(source.frame_count, frame_count);
    assert_int_equal(source.vertex_count, VERTICES);
    assert_ptr_equal(source.mesh, &mesh);
    assert_false(tact_frames_is_sampled(&source));
    /* in any order */
    for (size_t n = 0; n < 2 * frame_count; n++) {
        const size_t i = n < frame_count ? frame_count - 1 - n : n - frame_count;
        tact_vec3 positions[VERTICES];
        if (!tact_frames_read(&source, i, positions, error, sizeof error))
            fail_msg("%s", error);
        for (size_t v = 0; v < VERTICES; v++) {
            const float *expected = &values[3 * (i * VERTICES + v)];
            assert_true(positions[v].x == (double)expected[0] && positions[v].y == (double)expected[1] &&
                        positions[v].z == (double)expected[2]);
        }
    }
    tact_frames_close(&source);
    assert_int_equal(memory.held, 0);
}

/* The path must give exactly this error, at opening or at the first frame that cannot be read. */
static void expect_error(const char *path, const char *expected)
{
    frame_source source;
    char error[FRAMES_ERROR] = "";
    failing_allocator memory = {0};
    bool good = open_with(path, &source, error, &memory);
    if (good) {
        tact_vec3 positions[VERTICES];
        for (size_t i = 0; good && i < source.frame_count; i++)
            good = tact_frames_read(&source, i, positions, error, sizeof error);
        tact_frames_close(&source);
    }
    if (good || strcmp(error, expected) != 0)
        fail_msg("%s: said     %s\nexpected %s", path, good ? "nothing" : error, expected);
    assert_int_equal(memory.held, 0);
    /* a missing or small buffer is safe */
    const frames_def def = {.path = path, .mesh = &mesh, .mesh_path = "mesh.obj"};
    for (size_t size = 0; size < 30; size++) {
        char *little = malloc(size + 1);
        assert_non_null(little);
        little[size] = '#';
        if (tact_frames_open(&source, &def, size > 0 ? little : NULL, size))
            tact_frames_close(&source);
        else if (size > 0)
            assert_true(strlen(little) < size);
        assert_int_equal(little[size], '#');
        free(little);
    }
}

static void caches_round_trip(void **state)
{
    (void)state;
    for (size_t count = 1; count <= FRAMES; count++) {
        bytes pc2 = pc2_make(values, count, VERTICES, 2.0f, 0.5f), mdd = mdd_make(values, count, VERTICES, 7.0f, 0.25f);
        bytes_put("a.pc2", &pc2);
        bytes_put("a.MDD", &mdd);
        bytes_put("other name", &pc2);
        expect_values("a.pc2", "PC2", count);
        expect_values("a.MDD", "MDD", count);
        expect_values("other name", "PC2", count);
        for (int i = 0; i < 2; i++) {
            frame_source source;
            char error[FRAMES_ERROR];
            failing_allocator memory = {0};
            assert_true(open_with(i == 0 ? "a.pc2" : "a.MDD", &source, error, &memory));
            assert_true(tact_frames_has_time(&source));
            assert_true(tact_frames_time(&source, count - 1) ==
                        (i == 0 ? 2.0 + 0.5 * (double)(count - 1) : 7.0 + 0.25 * (double)(count - 1)));
            assert_true(tact_frames_uses(&source, i == 0 ? "./a.pc2" : "./a.MDD"));
            assert_false(tact_frames_uses(&source, "other name"));
            tact_frames_close(&source);
        }
        bytes_free(&pc2);
        bytes_free(&mdd);
    }
    /* times that mean nothing */
    const float steps[] = {0.0f, -1.0f, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        frame_source source;
        char error[FRAMES_ERROR];
        failing_allocator memory = {0};
        bytes pc2 = pc2_make(values, FRAMES, VERTICES, 0.0f, steps[i]);
        bytes_put("a.pc2", &pc2);
        assert_true(open_with("a.pc2", &source, error, &memory));
        assert_false(tact_frames_has_time(&source));
        assert_true(tact_frames_time(&source, 2) == 2.0);
        tact_frames_close(&source);
        bytes_free(&pc2);
    }
    assert_int_equal(unlink("a.pc2") | unlink("a.MDD") | unlink("other name"), 0);
}

/* Every length but the right one is an error. */
static void truncated_caches_are_rejected(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const char *name = kind == 0 ? "a.pc2" : "a.mdd";
        const size_t start = kind == 0 ? 32 : 8 + 4 * FRAMES, frame = 12 * VERTICES;
        bytes all =
            kind == 0 ? pc2_make(values, FRAMES, VERTICES, 0.0f, 1.0f) : mdd_make(values, FRAMES, VERTICES, 0.0f, 1.0f);
        assert_int_equal(all.size, start + FRAMES * frame);
        for (size_t size = 0; size < all.size; size++) {
            char expected[200];
            file_put(name, all.data, size);
            const size_t header = kind == 0 ? 32 : 8;
            if (size < header)
                (void)snprintf(expected, sizeof expected, "%s: is truncated: it has %zu bytes, and its header has %zu",
                               name, size, header);
            else if (size < start)
                (void)snprintf(expected, sizeof expected,
                               "%s: is truncated: it has %zu bytes, and the times of its 3 frames end at %zu", name,
                               size, start);
            else
                (void)snprintf(expected, sizeof expected, "%s: frame %zu: is truncated: %zu of %zu bytes are there",
                               name, (size - start) / frame, (size - start) % frame, frame);
            expect_error(name, expected);
            assert_int_equal(unlink(name), 0); /* to overwrite a file takes longer */
        }
        bytes_add(&all, "xyz", 3);
        bytes_put(name, &all);
        char expected[200];
        (void)snprintf(expected, sizeof expected,
                       "%s: has 3 bytes after its last frame: its counts of frames or vertices are wrong", name);
        expect_error(name, expected);
        bytes_free(&all);
        assert_int_equal(unlink(name), 0);
    }
}

/* Changes one 32-bit word of a file. */
static void expect_error_with(bool pc2, size_t offset, uint32_t word, const char *expected)
{
    const char *name = pc2 ? "a.pc2" : "a.mdd";
    bytes all = pc2 ? pc2_make(values, FRAMES, VERTICES, 0.0f, 1.0f) : mdd_make(values, FRAMES, VERTICES, 0.0f, 1.0f);
    bytes changed = {NULL, 0, 0};
    word_add(&changed, word, !pc2);
    memcpy(all.data + offset, changed.data, 4);
    bytes_put(name, &all);
    expect_error(name, expected);
    bytes_free(&changed);
    bytes_free(&all);
    assert_int_equal(unlink(name), 0);
}

static void damaged_caches_are_rejected(void **state)
{
    (void)state;
    static const uint32_t nan = 0x7FC00000, infinite = 0xFF800000;
    expect_error_with(true, 0, 0x12345678, "a.pc2: is not a PC2 file: it does not start with \"POINTCACHE2\"");
    expect_error_with(true, 12, 2, "a.pc2: has version 2 of PC2; only version 1 is known");
    expect_error_with(true, 16, 5, "a.pc2: has 5 vertices, but mesh.obj has 4");
    expect_error_with(true, 16, 1, "a.pc2: has 1 vertex, but mesh.obj has 4");
    expect_error_with(true, 16, 0x80000000, "a.pc2: its vertex count is negative");
    expect_error_with(true, 16, 0x7FFFFFFF, "a.pc2: has 2147483647 vertices, but mesh.obj has 4");
    expect_error_with(true, 28, 0,
                      "a.pc2: has 144 bytes after its last frame: its counts of frames or vertices are wrong");
    expect_error_with(true, 28, 2,
                      "a.pc2: has 48 bytes after its last frame: its counts of frames or vertices are wrong");
    expect_error_with(true, 28, 4, "a.pc2: frame 3: is truncated: 0 of 48 bytes are there");
    expect_error_with(true, 28, 0x7FFFFFFF, "a.pc2: frame 3: is truncated: 0 of 48 bytes are there");
    expect_error_with(true, 28, 0xFFFFFFFF, "a.pc2: its frame count is negative");
    expect_error_with(true, 32, nan, "a.pc2: frame 0: vertex 0 is not a number");
    expect_error_with(true, 32 + 48 + 12 + 4, infinite, "a.pc2: frame 1: vertex 1 is infinite");
    expect_error_with(true, 32 + 144 - 4, nan, "a.pc2: frame 2: vertex 3 is not a number");
    expect_error_with(false, 0, 0, "a.mdd: has no frames");
    expect_error_with(
        false, 0, 0x7FFFFFFF,
        "a.mdd: is truncated: it has 164 bytes, and the times of its 2147483647 frames end at 8589934596");
    expect_error_with(false, 0, 0x80000000, "a.mdd: its frame count is negative");
    expect_error_with(false, 0, 4, "a.mdd: frame 2: is truncated: 44 of 48 bytes are there");
    expect_error_with(false, 4, 3, "a.mdd: has 3 vertices, but mesh.obj has 4");
    expect_error_with(false, 12, nan, "a.mdd: frame 1: its time is not a number");
    expect_error_with(false, 20 + 48, infinite, "a.mdd: frame 1: vertex 0 is infinite");
    /* the count in the wrong byte order */
    expect_error_with(false, 0, 0x03000000,
                      "a.mdd: is truncated: it has 164 bytes, and the times of its 50331648 frames end at 201326600");
    /* no frames, and the size agrees */
    bytes empty = pc2_make(values, 0, VERTICES, 0.0f, 1.0f);
    bytes_put("a.pc2", &empty);
    expect_error("a.pc2", "a.pc2: has no frames");
    bytes_free(&empty);
    assert_int_equal(unlink("a.pc2"), 0);
    expect_error("gone.pc2", "gone.pc2: cannot be read: No such file or directory");
    expect_error("gone.xyz", "gone.xyz: cannot be opened: there is no such file");
    text_put("a.txt", "text");
    expect_error("a.txt", "a.txt: is not a PC2, MDD or glTF file, a folder of frames or a pattern");
    assert_int_equal(unlink("a.txt"), 0);
    assert_int_equal(mkfifo("a.pc2", 0600), 0);
    expect_error("a.pc2", "a.pc2: is not a regular file");
    assert_int_equal(unlink("a.pc2"), 0);
}

/* ---- folders and patterns ---- */

static void frame_put(const char *name, size_t frame)
{
    bytes b = obj_make(values + 3 * VERTICES * frame, VERTICES, triangles, 2);
    bytes_put(name, &b);
    bytes_free(&b);
}

static void folders_are_read_in_natural_order(void **state)
{
    (void)state;
    assert_int_equal(mkdir("frames", 0700), 0);
    expect_error("frames", "frames: has no mesh files");
    /* neither these nor hidden files are frames */
    text_put("frames/a.mtl", "x");
    text_put("frames/.b.obj", "x");
    text_put("frames/readme", "x");
    expect_error("frames/", "frames/: has no mesh files");
    frame_put("frames/f10.obj", 2);
    frame_put("frames/f2.OBJ", 1);
    frame_put("frames/f01.obj", 0);
    expect_values("frames", "mesh files", 3);
    expect_values("frames/", "mesh files", 3);
    expect_values("./frames/", "mesh files", 3);
    expect_values("frames/f*.[oO][bB][jJ]", "mesh files", 3);
    expect_values("f*s/f*.*", "mesh files", 3);
    expect_values("frames/f0?.obj", "mesh files", 1);
    expect_error("frames/g*.obj", "frames/g*.obj: no file matches");
    expect_error("frames/f%02d.ply", "frames/f%02d.ply: no file matches");
    expect_error("gone/f%02d.ply", "gone/f%02d.ply: cannot be read: No such file or directory");
    frame_source source;
    char error[FRAMES_ERROR];
    failing_allocator memory = {0};
    assert_true(open_with("frames", &source, error, &memory));
    assert_true(tact_frames_uses(&source, "./frames/f2.OBJ"));
    assert_false(tact_frames_uses(&source, "frames/a.mtl"));
    assert_false(tact_frames_has_time(&source));
    tact_frames_close(&source);
    assert_int_equal(unlink("frames/f10.obj") | unlink("frames/f2.OBJ") | unlink("frames/f01.obj"), 0);
    /* numbers, from any start, with more digits than the width */
    frame_put("frames/f_98.obj", 0);
    frame_put("frames/f_99.obj", 1);
    frame_put("frames/f_100.obj", 2);
    frame_put("frames/f_0100.obj", 2);
    frame_put("frames/f_x.obj", 2);
    frame_put("frames/f_.obj", 2);
    expect_values("frames/f_%02d.obj", "mesh files", 3);
    expect_values("frames/f_%d.obj", "mesh files", 3);
    expect_values("./frames/f_%d.obj", "mesh files", 3);
    assert_int_equal(unlink("frames/f_99.obj"), 0);
    expect_error("frames/f_%02d.obj", "frames/f_%02d.obj: frame 1: f_99.obj is missing, but there is frames/f_100.obj");
    assert_int_equal(chdir("frames"), 0);
    expect_values("f_98*", "mesh files", 1);
    expect_error("f_%02d.obj", "f_%02d.obj: frame 1: f_99.obj is missing, but there is f_100.obj");
    /* a file with this very name is not a pattern */
    bytes pc2 = pc2_make(values, FRAMES, VERTICES, 0.0f, 1.0f);
    bytes_put("f_*", &pc2);
    expect_values("f_*", "PC2", FRAMES);
    bytes_free(&pc2);
    assert_int_equal(unlink("f_*") | unlink("f_98.obj") | unlink("f_100.obj") | unlink("f_0100.obj") |
                         unlink("f_x.obj") | unlink("f_.obj") | unlink("a.mtl") | unlink(".b.obj") | unlink("readme"),
                     0);
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(rmdir("frames"), 0);
}

/* Errors name the file and the frame. */
static void frames_must_have_the_faces_of_the_mesh(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
         "f1.obj: 3 vertices and 1 face, but mesh.obj has 4 and 2: the frames are not of the same mesh (frame 1)"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 3\n",
         "f1.obj: face 1 differs from that of mesh.obj: both frames must have the same faces in the same order (frame "
         "1)"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\nf 1 2 3\n",
         "f1.obj: face 0 differs from that of mesh.obj: both frames must have the same faces in the same order (frame "
         "1)"},
        {"v 0 0 zero\n", "f1.obj:1: a number was expected, not \"zero\" (frame 1)"},
        {"", "f1.obj: is empty (frame 1)"},
    };
    frame_put("f0.obj", 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frame_source source;
        char error[FRAMES_ERROR];
        tact_vec3 positions[VERTICES];
        failing_allocator memory = {0};
        text_put("f1.obj", cases[i].text);
        assert_true(open_with("f?.obj", &source, error, &memory));
        assert_int_equal(source.frame_count, 2);
        assert_true(tact_frames_read(&source, 0, positions, error, sizeof error));
        assert_false(tact_frames_read(&source, 1, positions, error, sizeof error));
        assert_string_equal(error, cases[i].expected);
        tact_frames_close(&source);
        assert_int_equal(memory.held, 0);
    }
    assert_int_equal(unlink("f0.obj") | unlink("f1.obj"), 0);
}

static void names_have_a_natural_order(void **state)
{
    (void)state;
    /* numbers that differ in leading zeros alone are in the order of strcmp: a01 before a1 */
    static const char *const sorted[] = {"",
                                         "a",
                                         "a0",
                                         "a00",
                                         "a01",
                                         "a1",
                                         "a1a",
                                         "a1b",
                                         "a2",
                                         "a2.5",
                                         "a2.10",
                                         "a9",
                                         "a010",
                                         "a10",
                                         "a99999999999999999999",
                                         "a100000000000000000000",
                                         "aa",
                                         "b",
                                         "b1",
                                         "ba",
                                         "c"};
    for (size_t i = 0; i < sizeof sorted / sizeof sorted[0]; i++)
        for (size_t j = 0; j < sizeof sorted / sizeof sorted[0]; j++) {
            const int order = tact_natural_compare(sorted[i], sorted[j]);
            if ((order < 0) != (i < j) || (order > 0) != (i > j))
                fail_msg("%s and %s: %d", sorted[i], sorted[j], order);
        }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bytes pc2 = pc2_make(values, FRAMES, VERTICES, 0.0f, 1.0f), mdd = mdd_make(values, FRAMES, VERTICES, 0.0f, 1.0f);
    bytes_put("a.pc2", &pc2);
    bytes_put("a.mdd", &mdd);
    frame_put("f0.obj", 0);
    frame_put("f1.obj", 1);
    static const char *const paths[] = {"a.pc2", "a.mdd", "f?.obj", ".", "f%d.obj"};
    static const long least[] = {1, 2, 10, 10, 10};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        long failures = 0;
        for (bool good = false; !good; failures += !good) {
            frame_source source;
            char error[FRAMES_ERROR];
            tact_vec3 positions[VERTICES];
            failing_allocator memory = {.fail_at = failures + 1};
            good = open_with(paths[i], &source, error, &memory);
            if (good) {
                good = tact_frames_read(&source, 1, positions, error, sizeof error);
                /* the source stays usable */
                if (!good)
                    assert_true(tact_frames_read(&source, 1, positions, error, sizeof error));
                tact_frames_close(&source);
                assert_int_equal(memory.held, 0);
            } else {
                assert_non_null(strstr(error, ": there is not enough memory to read it"));
            }
        }
        if (failures < least[i])
            fail_msg("%s: %ld failures", paths[i], failures);
    }
    bytes_free(&pc2);
    bytes_free(&mdd);
    assert_int_equal(unlink("a.pc2") | unlink("a.mdd") | unlink("f0.obj") | unlink("f1.obj"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_round_trip),
        cmocka_unit_test(truncated_caches_are_rejected),
        cmocka_unit_test(damaged_caches_are_rejected),
        cmocka_unit_test(folders_are_read_in_natural_order),
        cmocka_unit_test(frames_must_have_the_faces_of_the_mesh),
        cmocka_unit_test(names_have_a_natural_order),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, mesh_make, mesh_remove);
}
