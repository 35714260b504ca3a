/* Formats read by Assimp, and readers that crash. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>

#include "child_process.h"
#include "mesh_file_child.h"
#include "tool/mesh.h"

static const char off_text[] = "OFF\n4 2 0\n0 0 0\n1 0 0\n0.5 1 0\n0 0 1\n3 0 1 2\n4 3 2 1 0\n";

/* One triangle in two transformed nodes. The buffer: three positions, then three 16-bit numbers. */
static const char gltf_text[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0,"
    "\"translation\":"
    "[1,2,3]},{\"mesh\":0,\"scale\":[2,2,2],\"children\":[2]},{\"mesh\":0,\"translation\":[1,0,0]}],\"meshes\":"
    "[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1},{\"attributes\":{\"POSITION\":0},\"indices\":1}]"
    "}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,"
    "1,0]},"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,"
    "\"byteOffset\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}],\"buffers\":[{"
    "\"byteLength\":42,"
    "\"uri\":\"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA\"}]}";

static void other_formats_go_through_assimp(void **state)
{
    (void)state;
#ifdef TACT_HAVE_ASSIMP
    expect_mesh("a.off", off_text, "read by Assimp", 0, "v 0 0 0\nv 1 0 0\nv 0.5 1 0\nv 0 0 1\nf 0 1 2\nf 3 2 1 0\n");
    /* equal positions are merged within a node, across its meshes, not between nodes; transforms multiply */
    expect_mesh("a.gltf", gltf_text, "read by Assimp", 0,
                "v 1 2 3\nv 2 2 3\nv 1 3 3\nv 0 0 0\nv 2 0 0\nv 0 2 0\nv 2 0 0\nv 4 0 0\nv 2 2 0\n"
                "f 0 1 2\nf 0 1 2\nf 3 4 5\nf 3 4 5\nf 6 7 8\nf 6 7 8\n");
    static const char *const bad[][2] = {
        {"a.off", "OFF\n"}, {"a.gltf", "{"}, {"a.unheard", "what is this"}, {"a", "?"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        mesh_file mesh;
        char error[MESH_FILE_ERROR];
        failing_allocator r = {0};
        file_put(bad[i][0], bad[i][1], strlen(bad[i][1]));
        assert_false(file_try(bad[i][0], &mesh, error, &r));
        assert_non_null(strstr(error, ": is not PLY, OBJ or STL, and Assimp cannot read it: "));
        assert_int_equal(unlink(bad[i][0]), 0);
    }
    /* Assimp 5.2 crashes on this file; the tool must not */
    static const char off_bad[] =
        "OFF\n4 2 0\n0 0 0\n1 0 0\n0.5 1 2 0\n0 0 0\n 0\n0 0 1\n3 0 1 2 0\n0 0 0\n1  2\n4 3 2 1 0\n";
    (void)survive("a.off", off_bad, sizeof off_bad - 1, "lines too many", 0);
    char changed[sizeof off_text];
    for (size_t i = 0; i + 1 < sizeof off_text; i++) {
        memcpy(changed, off_text, sizeof changed);
        changed[i] = (char)(i % 2 ? '9' : '-');
        (void)survive("a.off", changed, sizeof changed - 1, "a change", i);
        if (i % 4 == 0)
            (void)survive("a.off", off_text, i, "a cut", i);
    }
    /* memory of the tool may run out, too */
    file_put("a.gltf", gltf_text, strlen(gltf_text));
    long failures = 0;
    for (;; failures++) {
        mesh_file mesh;
        char error[MESH_FILE_ERROR];
        failing_allocator r = {.fail_at = failures + 1};
        if (file_try("a.gltf", &mesh, error, &r)) {
            tact_mesh_file_release(&mesh);
            assert_int_equal(r.held, 0);
            break;
        }
        assert_string_equal(error, "a.gltf: there is not enough memory to read it");
    }
    assert_true(failures >= 8);
    assert_int_equal(unlink("a.gltf"), 0);
#else
    expect_error("a.off", off_text,
                 "a.off: is not PLY, OBJ or STL, and this tact was built without Assimp, which reads other formats");
    expect_error("a.gltf", gltf_text,
                 "a.gltf: is not PLY, OBJ or STL, and this tact was built without Assimp, which reads other formats");
#endif
}

/* Readers that fail in different ways. */

static bool crash_read(mesh_source *source, mesh_build *build)
{
    (void)source;
    (void)build;
    (void)raise(SIGSEGV);
    return false;
}

static bool abort_read(mesh_source *source, mesh_build *build)
{
    (void)source;
    (void)build;
    (void)fprintf(stderr, "this must not be seen\n");
    (void)fflush(stderr);
    abort();
}

static bool leave_read(mesh_source *source, mesh_build *build)
{
    (void)source;
    (void)build;
    _exit(0);
}

static bool failing_read(mesh_source *source, mesh_build *build)
{
    (void)build;
    return tact_mesh_source_fail(source, NULL, "is rejected");
}

/* A mesh of one triangle, which the readers below corrupt. */
static bool triangle_read(mesh_source *source, mesh_build *build)
{
    static const double corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    (void)source;
    build->skipped_count = 5;
    for (uint32_t i = 0; i < 3; i++)
        if (!mesh_build_vertex(build, corners[i]) || !mesh_build_index(build, i))
            return false;
    return mesh_build_face(build, NULL);
}

static bool index_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->indices.items[1] = 3;
    return done;
}

static bool number_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->coordinates.items[1] = (double)NAN;
    return done;
}

static bool first_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->face_starts.items[1] = 2;
    return done;
}

static bool count_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->coordinates.count = 8;
    return done;
}

/* More memory than a file of no bytes explains. */
static bool greedy_read(mesh_source *source, mesh_build *build)
{
    void *block = malloc((size_t)1 << 30);
    (void)build;
    if (!block)
        return tact_mesh_source_fail(source, NULL, "has a limit");
    memset(block, 1, (size_t)1 << 30);
    free(block);
    return true;
}

/* No end, with one second of CPU time left. */
static bool endless_read(mesh_source *source, mesh_build *build)
{
    (void)source;
    (void)build;
    tact_child_allow(-9.0 / 2e-5);
    for (volatile bool goes_on = true; goes_on;)
        ;
    return false;
}

static bool writing_read(mesh_source *source, mesh_build *build)
{
    (void)build;
    (void)signal(SIGXFSZ, SIG_IGN);
    const int file = open("made", O_WRONLY | O_CREAT, 0600);
    const bool written = file >= 0 && write(file, "text", 4) > 0;
    return tact_mesh_source_fail(source, NULL, written ? "could write" : "cannot write");
}

static void a_child_reader_has_limits(void **state)
{
    (void)state;
    static const struct {
        bool (*read)(mesh_source *, mesh_build *);
        const char *error;
    } cases[] = {{greedy_read, "a: "}, /* "has a limit"; sanitizers end the process instead */
                 {endless_read, "a: takes its reader too long for its size: it is probably damaged"},
                 {writing_read, "a: cannot write"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tact_allocator standard = {NULL, NULL};
        char error[MESH_FILE_ERROR] = "";
        mesh_source source = {.path = "a", .allocator = &standard, .error = error, .error_size = sizeof error};
        mesh_build build;
        assert_true(tact_mesh_build_begin(&build, &source, "none"));
        assert_false(tact_mesh_read_in_child(&source, &build, cases[i].read));
        if (strncmp(error, cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("case %zu: %s", i, error);
        tact_mesh_build_release(&build);
    }
    assert_int_equal(unlink("made"), 0);
}

/* Assimp reads regular files of the folder of the model, and no others. */
static void other_files_are_read_in_the_folder_only(void **state)
{
    (void)state;
#ifdef TACT_HAVE_ASSIMP
    static const char data[] =
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA";
    static const char binary[42] = {[14] = (char)0x80, [15] = 0x3F, [28] = (char)0x80, [29] = 0x3F, [38] = 1, [40] = 2};
    static const struct {
        const char *uri, *error; /* how it begins after the path; NULL: none */
    } cases[] = {{"a.bin", NULL},
                 {"../sub/a.bin", NULL},
                 {"../b.bin", "refers to a file outside its folder, which is not read"},
                 {"link.bin", "refers to a file outside its folder, which is not read"},
                 {"pipe", "is not PLY, OBJ or STL, and Assimp cannot read it: "},
                 {"gone.bin", "is not PLY, OBJ or STL, and Assimp cannot read it: "}};
    const char *at = strstr(gltf_text, data);
    assert_non_null(at);
    assert_int_equal(mkdir("sub", 0700), 0);
    file_put("b.bin", binary, sizeof binary);
    file_put("sub/a.bin", binary, sizeof binary);
    assert_int_equal(symlink("../b.bin", "sub/link.bin"), 0);
    assert_int_equal(mkfifo("sub/pipe", 0600), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes text = {NULL, 0, 0};
        char error[MESH_FILE_ERROR] = "";
        failing_allocator r = {0};
        mesh_file mesh;
        bytes_add(&text, gltf_text, (size_t)(at - gltf_text));
        bytes_say(&text, cases[i].uri);
        bytes_say(&text, at + sizeof data - 1);
        file_put("sub/a.gltf", text.data, text.size);
        bytes_free(&text);
        const bool read = file_try("sub/a.gltf", &mesh, error, &r);
        if (read != !cases[i].error ||
            (!read && strncmp(error + strlen("sub/a.gltf: "), cases[i].error, strlen(cases[i].error)) != 0))
            fail_msg("%s: %s", cases[i].uri, error);
        if (read)
            tact_mesh_file_release(&mesh);
    }
    static const char *const made[] = {"sub/a.gltf", "sub/pipe", "sub/link.bin", "sub/a.bin", "b.bin"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        assert_int_equal(unlink(made[i]), 0);
    assert_int_equal(rmdir("sub"), 0);
#endif
}

#ifdef __linux__

static int alive[2]; /* a pipe whose writing end the reader holds */

static bool waiting_read(mesh_source *source, mesh_build *build)
{
    (void)source;
    (void)build;
    (void)write(alive[1], "r", 1);
    (void)pause();
    return false;
}

static void a_child_reader_ends_with_its_parent(void **state)
{
    (void)state;
    char byte;
    assert_int_equal(pipe(alive), 0);
    const pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        const tact_allocator standard = {NULL, NULL};
        mesh_source source = {.path = "a", .allocator = &standard};
        mesh_build build;
        if (tact_mesh_build_begin(&build, &source, "none"))
            (void)tact_mesh_read_in_child(&source, &build, waiting_read);
        _exit(0);
    }
    (void)close(alive[1]);
    assert_int_equal(read(alive[0], &byte, 1), 1);
    assert_int_equal(kill(parent, SIGKILL), 0);
    int status;
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(read(alive[0], &byte, 1), 0); /* waits for the reader to end */
    (void)close(alive[0]);
}

#endif

static void a_child_reader_may_crash(void **state)
{
    (void)state;
    static const struct {
        bool (*read)(mesh_source *, mesh_build *);
        const char *error;
    } cases[] = {{crash_read, "a: crashed its reader (signal 11): the file is probably damaged"},
                 {abort_read, "a: crashed its reader (signal 6): the file is probably damaged"},
                 {leave_read, "a: could not be read: its reader failed without a message"},
                 {failing_read, "a: is rejected"},
                 {index_spoil, "a: could not be read: its reader failed without a message"},
                 {number_spoil, "a: could not be read: its reader failed without a message"},
                 {first_spoil, "a: could not be read: its reader failed without a message"},
                 {count_spoil, "a: could not be read: its reader failed without a message"},
                 {triangle_read, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        failing_allocator r = {0};
        tact_allocator allocator = failing_allocator_make(&r);
        char error[MESH_FILE_ERROR] = "";
        mesh_source source = {.path = "a", .allocator = &allocator, .error = error, .error_size = sizeof error};
        mesh_build build;
        assert_true(tact_mesh_build_begin(&build, &source, "none"));
        bool done = tact_mesh_read_in_child(&source, &build, cases[i].read);
        assert_true(done == !cases[i].error);
        assert_string_equal(error, cases[i].error ? cases[i].error : "");
        if (done) {
            mesh_file mesh;
            assert_true(tact_mesh_build_finish(&build, &mesh));
            assert_true(is_valid(&mesh) && mesh.skipped_count == 5);
            bytes text = mesh_text(&mesh);
            assert_string_equal(text.data, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n");
            bytes_free(&text);
            tact_mesh_file_release(&mesh);
        }
        tact_mesh_build_release(&build);
        assert_int_equal(r.held, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_formats_go_through_assimp),
        cmocka_unit_test(a_child_reader_may_crash),
        cmocka_unit_test(a_child_reader_has_limits),
        cmocka_unit_test(other_files_are_read_in_the_folder_only),
#ifdef __linux__
        cmocka_unit_test(a_child_reader_ends_with_its_parent),
#endif
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
