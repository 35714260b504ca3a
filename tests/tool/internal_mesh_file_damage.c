/* Damaged mesh files: their error messages, and that reading them is safe. */
#define _POSIX_C_SOURCE 200809L

#include "support/long_form.h"
#include "support/random.h"
#include "tool/mesh.h"

static void errors_in_text_files_give_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } ply[] =
        {
            {"plx\n", "a.ply:1: \"ply\" was expected in the header"},
            {"ply", "a.ply:1: the file ends before \"end_header\""},
            {"ply\nformat ascii 1.0\n", "a.ply:2: the file ends before \"end_header\""},
            {"ply\nformat ascii 2.0\n", "a.ply:2: PLY version \"2.0\" is not supported, only 1.0"},
            {"ply\nformat asci 1.0\n",
             "a.ply:2: \"format ascii|binary_little_endian|binary_big_endian 1.0\" was expected in the header"},
            {"ply\nformat ascii 1.0\nformat ascii 1.0\n", "a.ply:3: the format is declared twice"},
            {"ply\nhello\n",
             "a.ply:2: \"format, comment, obj_info, element, property or end_header\" was expected in the header"},
            {PLY_TOP "element vertex\n", "a.ply:3: \"element NAME COUNT\" was expected in the header"},
            {PLY_TOP "element vertex x\n", "a.ply:3: \"element NAME COUNT\" was expected in the header"},
            {PLY_TOP "element vertex -1\n", "a.ply:3: an element cannot have the count -1"},
            {PLY_TOP "element vertex 4294967296\n", "a.ply:3: more than 4294967295 vertices"},
            {PLY_TOP "element vertex 1\nelement vertex 1\n", "a.ply:4: element vertex is declared twice"},
            {PLY_TOP "property float x\n", "a.ply:3: a property before the first element"},
            {PLY_TOP "element vertex 1\nproperty float\n",
             "a.ply:4: \"property TYPE NAME\" was expected in the header"},
            {PLY_TOP "element vertex 1\nproperty list int x\n",
             "a.ply:4: \"property list COUNT-TYPE TYPE NAME\" was expected in the header"},
            {PLY_TOP "element vertex 1\nproperty real x\n", "a.ply:4: \"real\" is not a PLY type"},
            {PLY_TOP "element vertex 1\nproperty list float int x\n",
             "a.ply:4: the length of a list must have an integer type"},
            {PLY_TOP "element vertex 1\nproperty list int int x\n", "a.ply:4: property x must not be a list"},
            {PLY_TOP "element face 1\nproperty int vertex_index\n", "a.ply:4: property vertex_index must be a list"},
            {PLY_TOP "element face 1\nproperty list int float vertex_index\n",
             "a.ply:4: vertex indices must have an integer type"},
            {PLY_TOP "element vertex 1\nproperty int x\nproperty int x\n", "a.ply:5: property x is declared twice"},
            {PLY_TOP "element vertex 1\nproperty int x\nproperty int y\nend_header\n",
             "a.ply:3: element vertex has no property z"},
            {PLY_TOP PLY_XYZ "element face 1\nproperty int q\nend_header\n",
             "a.ply:7: element face has no property vertex_indices"},
            {PLY_TOP "element face 0\nend_header\n", "a.ply:4: the header declares no element vertex"},
            {"ply\n" PLY_XYZ "end_header\n", "a.ply:6: the header declares no format"},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0",
             "a.ply:3: 4 items of element vertex do not fit into the remaining 9 bytes"},
            {PLY_TOP "element vertex 4000000000\nproperty int x\nproperty int y\nproperty int z\nend_header\n0 0 0\n",
             "a.ply:3: 4000000000 items of element vertex do not fit into the remaining 6 bytes"},
            {PLY_TOP PLY_XYZ PLY_FACES(1000000000000000000) "end_header\n" PLY_BODY "3 0 1 2\n",
             "a.ply:7: 1000000000000000000 items of element face do not fit into the remaining 9 bytes"},
            {PLY_TOP PLY_XYZ "end_header\n0.00000 0.00000 0.00000\n0 0\n",
             "a.ply:9: the file ends inside element vertex, item 2 of 4"},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 x 0\n0 0 0\n0 0 0\n", "a.ply:9: a number was expected, not \"x\""},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 nan\n0 0 0\n0 0 0\n",
             "a.ply:9: a number was expected, not \"nan\""},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 0\n-inf 0 0\n0 0 0\n",
             "a.ply:10: a number was expected, not \"-inf\""},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 0\n1e400 0 0\n0 0 0\n",
             "a.ply:10: a number is too large for a double"},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 0\n0x10 0 0\n0 0 0\n",
             "a.ply:10: a number was expected, not \"0x10\""},
            {PLY_TOP PLY_XYZ "end_header\n" PLY_BODY "7\n",
             "a.ply:12: unexpected data after the last element: 2 bytes"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "2 0 1   \n",
             "a.ply:14: a face needs at least 3 vertices, not 2"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 0 1 4\n",
             "a.ply:14: vertex 4 does not exist: there are 4, from 0"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 0 1\n-1\n",
             "a.ply:15: vertex -1 does not exist: there are 4, from 0"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 0 1 1.5\n",
             "a.ply:14: an integer was expected, not \"1.5\""},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "x 0 1 1\n",
             "a.ply:14: an integer was expected, not \"x\""},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "-3 0 1 1\n",
             "a.ply:14: a list cannot have -3 entries"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "300 0 1 1\n",
             "a.ply:14: a list of 300 entries does not fit into the file"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 00000 1\n",
             "a.ply:14: the file ends inside element face, item 1 of 1"},
        },
      obj[] =
          {
              {"# nothing\n", "a.obj: has no vertices"},
              {"hello\n", "a.obj:1: \"hello\" is not a keyword of OBJ"},
              {"v 1 2 3\r\n\r\nw 1 2 3\r\n", "a.obj:3: \"w\" is not a keyword of OBJ"},
              {"v 1 2 3\rw\r", "a.obj:2: \"w\" is not a keyword of OBJ"},
              {"v 1 2 3\n\xFFzz\x01 1\n", "a.obj:2: \"?zz?\" is not a keyword of OBJ"},
              {"v", "a.obj:1: a number was expected, not the end of the file"},
              {"v 1 2\n", "a.obj:1: a number was expected, not the end of the line"},
              {"v 1 2 # 3\n", "a.obj:1: a number was expected, not \"#\""},
              {"v 0 0 0\nv 1 2 abc\n", "a.obj:2: a number was expected, not \"abc\""},
              {"v 0 0 0\nv 1 2 3abc\n", "a.obj:2: a number was expected, not \"3abc\""},
              {"v 0 0 0\nv 1 2 nan\n", "a.obj:2: a number was expected, not \"nan\""},
              {"v 0 0 0\nv 1 2 \\\n1e400\n", "a.obj:3: a number is too large for a double"},
              {"v 1 2 3 4 x\n", "a.obj:1: a number was expected, not \"x\""},
              {"v 0 0 1234567890123456789012345678901234567890x\n",
               "a.obj:1: a number was expected, not \"1234567890123456789012345678901234567890...\""},
              {OBJ_XYZ "f 1 2 5\nf 1 2 5\n", "a.obj:5: vertex 5 does not exist: there are 4"},
              {OBJ_XYZ "f 1 2 4294967297\n", "a.obj:5: vertex 4294967297 does not exist: there are 4"},
              {OBJ_XYZ "f 1 2 99999999999999999999999\n",
               "a.obj:5: vertex 1000000000000000000 does not exist: there are 4"},
              {OBJ_XYZ "f 1 2 0\n", "a.obj:5: vertex 0 does not exist: the first is 1"},
              {OBJ_XYZ "f 1 2 -5\n", "a.obj:5: vertex -5 does not exist: there are 4 so far"},
              {OBJ_XYZ "f 1 2\n", "a.obj:5: a face needs at least 3 vertices, not 2"},
              {OBJ_XYZ "f\n", "a.obj:5: a face needs at least 3 vertices, not 0"},
              {OBJ_XYZ "f 1 2 x\n", "a.obj:5: a face vertex such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"x\""},
              {OBJ_XYZ "f 1 2 3/x\n", "a.obj:5: a face vertex such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"3/x\""},
              {OBJ_XYZ "f 1 2 3/1/1/1\n",
               "a.obj:5: a face vertex such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"3/1/1/1\""},
              {OBJ_XYZ "f 1 2 3.0\n", "a.obj:5: a face vertex such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"3.0\""},
              {OBJ_XYZ "f 1 2 /3\n", "a.obj:5: a face vertex such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"/3\""},
              {"f 1 2 3\n", "a.obj:1: vertex 3 does not exist: there are 0"},
          },
      stl[] = {
          {"solid", "a.stl:1: \"facet\" or \"endsolid\" was expected, not the end of the file"},
          {"solid a\nfoo\n", "a.stl:2: \"facet\" or \"endsolid\" was expected, not \"foo\""},
          {"solid a\nfacet normal 0 0 1\ninner loop\n", "a.stl:3: \"outer\" was expected, not \"inner\""},
          {"solid a\nfacet normal 0 0 1\nouter\n", "a.stl:3: \"loop\" was expected, not the end of the file"},
          {"solid a\n" FACET("0 0 0", "0 0 0", "0 0"), "a.stl:7: a number was expected, not \"endloop\""},
          {"solid a\n" FACET("0 0 0", "0 inf 0", "0 0 0"), "a.stl:5: a number was expected, not \"inf\""},
          {"solid a\n" FACET("0 0 0", "0 0 0", "0 0 -1e999"), "a.stl:6: a number is too large for a double"},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n",
           "a.stl:2: a face needs at least 3 vertices, not 2"},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertices\n",
           "a.stl:5: \"vertex\" or \"endloop\" was expected, not \"vertices\""},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 1 0 0\nendloop\nfacet\n",
           "a.stl:8: \"endfacet\" was expected, not \"facet\""},
          {"solid a\n" FACET("0 0 0", "0 0 0", "0 0 1"),
           "a.stl:8: \"facet\" or \"endsolid\" was expected, not the end of the file"},
          {"solid a\nendsolid\nmore\n", "a.stl:3: \"solid\" was expected, not \"more\""},
          {"facet", "a.stl: byte 5: the file ends inside the header of a binary STL, which has 84 bytes"},
      };
    for (size_t i = 0; i < sizeof ply / sizeof ply[0]; i++)
        expect_error("a.ply", ply[i].text, ply[i].error);
    for (size_t i = 0; i < sizeof obj / sizeof obj[0]; i++)
        expect_error("a.obj", obj[i].text, obj[i].error);
    for (size_t i = 0; i < sizeof stl / sizeof stl[0]; i++)
        expect_error("a.stl", stl[i].text, stl[i].error);
}

/* Overwrites bytes of a file with a number and requires the error. */
static void expect_error_with(bytes file, size_t offset, size_t type, double value, const char *name, const char *error)
{
    bytes patch = {NULL, 0, 0};
    ply_put(&patch, 1, type, value);
    memcpy(file.data + offset, patch.data, patch.size);
    bytes_free(&patch);
    expect_error_of(name, file.data, file.size, error);
    bytes_free(&file);
}

static void errors_in_binary_files_give_the_byte(void **state)
{
    (void)state;
    char error[MESH_FILE_ERROR];
    size_t body = strlen(PLY_BINARY), faces = body + 48;
#define AT(offset, ...)                                                                                                \
    ((void)snprintf(error, sizeof error, "b.ply: byte %zu: ", offset),                                                 \
     (void)snprintf(error + strlen(error), sizeof error - strlen(error), __VA_ARGS__), error)
    expect_error_with(ply_binary(), body + 4, 12, (double)NAN, "b.ply", AT(body + 4, "a coordinate is not a number"));
    expect_error_with(ply_binary(), body + 8, 14, (double)INFINITY, "b.ply", AT(body + 8, "a coordinate is infinite"));
    expect_error_with(ply_binary(), faces, 1, 200, "b.ply",
                      AT(faces, "a list of 200 entries does not fit into the file"));
    expect_error_with(ply_binary(), faces, 1, 2, "b.ply", AT(faces, "a face needs at least 3 vertices, not 2"));
    expect_error_with(ply_binary(), faces + 5, 10, 3, "b.ply",
                      AT(faces + 5, "vertex 3 does not exist: there are 3, from 0"));
    expect_error_with(ply_binary(), faces + 5, 10, -1, "b.ply",
                      AT(faces + 5, "vertex -1 does not exist: there are 3, from 0"));
    bytes file = ply_binary();
    bytes_add(&file, "\n", 1);
    expect_error_of("b.ply", file.data, file.size,
                    AT(file.size - 1, "unexpected data after the last element: 1 bytes"));
    expect_error_of("b.ply", file.data, file.size - 2,
                    "b.ply:7: 2 items of element face do not fit into the remaining 25 bytes");
    bytes_free(&file);
    expect_error_with(stl_binary(), 84 + 12, 12, (double)NAN, "b.stl", "b.stl: byte 96: a coordinate is not a number");
    expect_error_with(stl_binary(), 84 + 50 + 44, 12, (double)-INFINITY, "b.stl",
                      "b.stl: byte 178: a coordinate is infinite");
    expect_error_with(stl_binary(), 80, 5, 3, "b.stl",
                      "b.stl: byte 80: 3 triangles take 234 bytes in total, but the file has 184");
    expect_error_with(stl_binary(), 80, 5, 4294967295.0, "b.stl",
                      "b.stl: byte 80: 4294967295 triangles take 214748364834 bytes in total, but the file has 184");
    file = stl_binary();
    expect_error_of("b.stl", file.data, file.size - 1,
                    "b.stl: byte 80: 2 triangles take 184 bytes in total, but the file has 183");
    bytes_add(&file, "\n", 1);
    expect_error_of("b.stl", file.data, file.size,
                    "b.stl: byte 80: 2 triangles take 184 bytes in total, but the file has 185");
    bytes_free(&file);
}

/* Small valid files of every format, to be damaged. */
static const char *const good_names[] = {"t.ply", "b.ply", "t.obj", "t.stl", "b.stl"};
#define GOOD_COUNT 5
static bytes good_file(int kind)
{
    bytes file = {NULL, 0, 0};
    if (kind == 1)
        return ply_binary();
    if (kind == 4)
        return stl_binary();
    bytes_say(&file, kind == 0 ? PLY_TOP PLY_XYZ "property list char short ring\n" PLY_FACES(
                                     2) "property float q\n"
                                        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                                        "0 0 0 0\n1 0 0 1 7\n0.1 1 0 0\n0 0 1e-3 2 1 2\n3 0 1 2 0.5\n4 3 2 1 0 nan\n"
                                        "7 0 1 2 -1 1 2 3\n"
                     : kind == 2 ? "# four\nmtllib a.mtl\no one\n" OBJ_XYZ
                                   "vt 0 0\nvn 0 0 1\nf 1/1/1 2//1 3/1\ng two\nf "
                                   "-1 \\\n -2 -3 -4\nl 1 2\n"
                                 : "solid one\n" FACET("0 0 0", "1 0 0", "0.1 1 0")
                                       FACET("1 0 0", "0 0 1e-3", "0.1 1 0") "endsolid one\n");
    return file;
}

static void truncated_files_are_survived(void **state)
{
    (void)state;
    for (int kind = 0; kind < GOOD_COUNT; kind++) {
        bytes file = good_file(kind);
        size_t read = 0;
        assert_true(survive(good_names[kind], file.data, file.size, "nothing", 0));
        for (size_t size = 0; size < file.size; size++) {
            /* copied, so that sanitizers detect reads past the end */
            char *cut = malloc(size + 1);
            assert_non_null(cut);
            memcpy(cut, file.data, size);
            read += survive(good_names[kind], cut, size, "a cut", size);
            free(cut);
        }
        /* all but a little of a text is needed; an OBJ, which says nothing of its length, may be cut behind any line */
        if (kind == 2 ? read < 10 || read > file.size / 2 : read > 8)
            fail_msg("%zu of %zu beginnings of %s are read", read, file.size, good_names[kind]);
        bytes_free(&file);
    }
}

static void files_with_one_changed_byte_are_survived(void **state)
{
    (void)state;
    static const unsigned char changes[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80};
    static const unsigned char values[] = {0, '\n', ' ', '-', '9', '\\', 0xFF};
    size_t read = 0, refused = 0;
    for (int kind = 0; kind < GOOD_COUNT; kind++) {
        bytes file = good_file(kind);
        for (size_t i = 0; i < file.size; i++) {
            char kept = file.data[i];
            for (size_t c = long_form() ? 0 : i % 3; c < sizeof changes + sizeof values; c += long_form() ? 1 : 3) {
                file.data[i] =
                    (char)(c < sizeof changes ? (unsigned char)kept ^ changes[c] : values[c - sizeof changes]);
                bool done = survive(good_names[kind], file.data, file.size, "a change", i);
                read += done;
                refused += !done;
            }
            file.data[i] = kept;
        }
        bytes_free(&file);
    }
    assert_true(read > 1000 && refused > 1000);
}

/* Several changes at once: bytes, truncation, removed or repeated ranges. */
static void randomly_damaged_files_are_survived(void **state)
{
    (void)state;
    const uint64_t rounds = random_case_count(6000, 3000000);
    size_t read = 0;
    for (uint64_t seed = 0; seed < rounds; seed++) {
        random_source random = random_seed(seed);
        int kind = (int)(seed % GOOD_COUNT);
        bytes file = good_file(kind);
        for (uint64_t i = 1 + random_below(&random, 4); i > 0; i--) {
            size_t from = random_below(&random, file.size), length = random_below(&random, 12);
            length = length < file.size - from ? length : file.size - from;
            if (random_chance(&random, 0.5)) {
                file.data[from] = (char)random_bits(&random);
            } else if (random_chance(&random, 0.5) && file.size > length) {
                memmove(file.data + from, file.data + from + length, file.size - from - length);
                file.size -= length;
            } else {
                char piece[12];
                memcpy(piece, file.data + from, length);
                bytes_add(&file, piece, length);
                size_t to = random_below(&random, file.size - length);
                memmove(file.data + to + length, file.data + to, file.size - to - length);
                memcpy(file.data + to, piece, length);
            }
        }
        read += survive(good_names[kind], file.data, file.size, "random changes from seed", seed);
        bytes_free(&file);
    }
    assert_true(read > rounds / 20 && read < rounds);
}

/* Valid files that need the most memory per byte that their format allows. */
static void memory_is_proportional_to_the_file(void **state)
{
    (void)state;
    enum { MANY = 70000 };
    bytes strips = {NULL, 0, 0}, obj = {NULL, 0, 0}, text = {NULL, 0, 0}, ply = {NULL, 0, 0};
    char line[200];
    (void)snprintf(
        line, sizeof line,
        "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char "
        "z\nelement tristrips 1\nproperty list int uchar vertex_indices\nend_header\n");
    bytes_say(&strips, line);
    bytes_add(&strips, "\0\0", 3);
    ply_put(&strips, 2, 4, MANY);
    (void)snprintf(line, sizeof line,
                   "ply\nformat binary_big_endian 1.0\nelement vertex %d\nproperty char x\nproperty char y\nproperty "
                   "char z\nend_header\n",
                   MANY);
    bytes_say(&ply, line);
    bytes_say(&text, "solid\n");
    for (int i = 0; i < MANY; i++) {
        bytes_add(&strips, "", 1);
        bytes_add(&ply, "\0\0", 3);
        bytes_say(&obj, i % 2 ? "f 1 1 1\n" : "v 0 0 0\n");
        (void)snprintf(line, sizeof line,
                       "facet outer loop vertex %d 0 0 vertex %d 1 0 vertex %d 2 0 endloop endfacet\n", i, i, i);
        bytes_say(&text, line);
    }
    bytes_say(&text, "endsolid");
    assert_true(survive("m.ply", strips.data, strips.size, "a strip of bytes", 0));
    assert_true(survive("m.ply", ply.data, ply.size, "vertices of bytes", 0));
    assert_true(survive("m.obj", obj.data, obj.size, "short lines", 0));
    assert_true(survive("m.stl", text.data, text.size, "many vertices", 0));
    bytes_free(&strips);
    bytes_free(&ply);
    bytes_free(&obj);
    bytes_free(&text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int kind = 0; kind < GOOD_COUNT; kind++) {
        bytes file = good_file(kind);
        const char *name = good_names[kind];
        char error[MESH_FILE_ERROR], expected[100];
        (void)snprintf(expected, sizeof expected, "%s: there is not enough memory to read it", name);
        file_put(name, file.data, file.size);
        long failures = 0;
        for (;; failures++) {
            mesh_file mesh;
            failing_allocator r = {.fail_at = failures + 1};
            if (file_try(name, &mesh, error, &r)) {
                tact_mesh_file_release(&mesh);
                assert_int_equal(r.held, 0);
                break;
            }
            assert_string_equal(error, expected);
        }
        assert_true(failures >= 6);
        assert_int_equal(unlink(name), 0);
        bytes_free(&file);
    }
}

static void directories_and_devices_are_rejected(void **state)
{
    (void)state;
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    failing_allocator r = {0};
    assert_false(file_try("missing.ply", &mesh, error, &r));
    assert_string_equal(error, "missing.ply: cannot be opened: No such file or directory");
    assert_false(file_try("", &mesh, error, &r));
    assert_string_equal(error, ": cannot be opened: No such file or directory");
    assert_int_equal(mkdir("folder.ply", 0700), 0);
    assert_false(file_try("folder.ply", &mesh, error, &r));
    assert_string_equal(error, "folder.ply: is a directory, not a file");
    assert_int_equal(rmdir("folder.ply"), 0);
    assert_int_equal(mkfifo("pipe.ply", 0600), 0);
    assert_false(file_try("pipe.ply", &mesh, error, &r));
    assert_string_equal(error, "pipe.ply: is not a regular file");
    assert_int_equal(unlink("pipe.ply"), 0);
    assert_false(file_try("/dev/zero", &mesh, error, &r));
    assert_string_equal(error, "/dev/zero: is not a regular file");
    expect_error_of("empty.obj", "", 0, "empty.obj: is empty");
}

static void errors_are_one_line_whatever_the_path(void **state)
{
    (void)state;
    mesh_file mesh;
    char error[80];
    assert_false(tact_mesh_file_read("two\nlines\x7F.ply", &mesh, error, sizeof error));
    assert_string_equal(error, "two?lines?.ply: cannot be opened: No such file or directory");
    assert_false(tact_mesh_file_read(NULL, &mesh, error, sizeof error));
    assert_string_equal(error, ": cannot be opened: No such file or directory");
    expect_error("e.ply", PLY_TOP PLY_XYZ "element \x1B[2J\xC3\xBC 9\nproperty int a\nend_header\n" PLY_BODY "1\n",
                 "e.ply:7: 9 items of element ?[2J?? do not fit into the remaining 3 bytes");
    char path[200];
    memset(path, 'd', sizeof path);
    memcpy(path + sizeof path - 10, "/name.ply", 10);
    assert_false(tact_mesh_file_read(path, &mesh, error, sizeof error));
    assert_string_equal(error, "...dddddddddddddddddddddddddddd/name.ply: cannot be opened: No such file or dir");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_in_text_files_give_the_line),
        cmocka_unit_test(errors_in_binary_files_give_the_byte),
        cmocka_unit_test(truncated_files_are_survived),
        cmocka_unit_test(files_with_one_changed_byte_are_survived),
        cmocka_unit_test(randomly_damaged_files_are_survived),
        cmocka_unit_test(memory_is_proportional_to_the_file),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(directories_and_devices_are_rejected),
        cmocka_unit_test(errors_are_one_line_whatever_the_path),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
