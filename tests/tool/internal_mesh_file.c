/* PLY, OBJ and STL files in all variants of the formats. */
#define _POSIX_C_SOURCE 200809L

#include "support/random.h"
#include "support/shared_data.h"
#include "tool/mesh.h"

static void ply_text_in_all_forms(void **state)
{
    (void)state;
    expect_mesh("a.ply", PLY_TOP PLY_XYZ PLY_FACES(2) "end_header\n" PLY_BODY "3 0 1 2\n4 3 2 1 0\n", "PLY, text", 0,
                FOUR "f 0 1 2\nf 3 2 1 0\n");
    /* comments, obj_info, blank lines; the other name for indices; no newline at the end; lines that break anywhere */
    expect_mesh(
        "a.ply",
        "ply\ncomment made by hand\nformat   ascii\t1.0\nobj_info element face 7\n" PLY_XYZ "\ncomment\n"
        "element face 1\nproperty list uint8 uint32 vertex_index\nend_header\n0 0\n 0 1 0 0 0.1 1\n\n\n0 0 0 1e-3 "
        "\n3\n0 1\n2",
        "PLY, text", 0, FOUR "f 0 1 2\n");
    /* properties in any order, more of them, lists among them, unknown elements, faces before vertices */
    expect_mesh("a.ply",
                PLY_TOP "element camera 2\nproperty double view\nproperty list char float lens\n"
                        "element face 2\nproperty uchar red\nproperty list uchar float texcoord\n"
                        "property list ushort short vertex_indices\nproperty float quality\n"
                        "element edge 2\nproperty int vertex1\nproperty int vertex2\n"
                        "element vertex 4\nproperty list uchar int ring\nproperty float z\nproperty float nx\n"
                        "property int x\nproperty double y\nproperty uchar alpha\n"
                        "element nothing 1000000000000\nend_header\n"
                        "nan 2 inf -inf\n7 0\n255 6 0 0 1 1 nan 0 3 0 1 2 nan\n0 0 4 3 2 1 0 1e999\n0 1 1 2\n"
                        "0 0 nan 0 0 9\n2 5 6 0 1 1 0 9\n0 0 1 0.1 1 9\n0 1e-3 1 0 0 9\n",
                "PLY, text", 2, FOUR "f 0 1 2\nf 3 2 1 0\n");
    expect_mesh("a.ply", "ply\r\nformat ascii 1.0\r\n" PLY_XYZ PLY_FACES(1) "end_header\r\n" PLY_BODY "3 0 1 2\r\n",
                "PLY, text", 0, FOUR "f 0 1 2\n");
    expect_mesh("a.ply",
                "ply\rformat ascii 1.0\relement vertex 1\rproperty float x\rproperty float y\rproperty float "
                "z\rend_header\r1 2 3\r",
                "PLY, text", 0, "v 1 2 3\n");
    /* no white space after the last word */
    expect_mesh("a.ply",
                PLY_TOP "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3",
                "PLY, text", 0, "v 1 2 3\n");
    /* no faces, no vertices */
    expect_mesh("a.ply", PLY_TOP PLY_XYZ PLY_FACES(0) "end_header\n" PLY_BODY, "PLY, text", 0, FOUR);
    expect_mesh("a.ply", PLY_TOP "element vertex 0\nproperty float x\nend_header\n", "PLY, text", 0, "");
    /* repeated vertices are legal */
    expect_mesh("a.ply", PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 1 1 1\n", "PLY, text", 0,
                FOUR "f 1 1 1\n");
}

static void ply_strips_become_triangles(void **state)
{
    (void)state;
    expect_mesh("s.ply",
                PLY_TOP PLY_XYZ "element tristrips 2\nproperty list int int vertex_indices\nend_header\n" PLY_BODY
                                "12 0 1 2 3 0 -1 1 2 -1 3 2 1\n2 0 1\n",
                "PLY, text", 0, FOUR "f 0 1 2\nf 2 1 3\nf 2 3 0\nf 3 2 1\n");
    expect_error("s.ply",
                 PLY_TOP PLY_XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" PLY_BODY
                                 "3 0 1 4\n",
                 "s.ply:14: vertex 4 does not exist: there are 4, from 0");
    expect_error("s.ply",
                 PLY_TOP PLY_XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" PLY_BODY
                                 "3 0 -2 3\n",
                 "s.ply:14: vertex -2 does not exist: there are 4, from 0");
}

/* A random value that the type can hold. */
static double ply_value(random_source *random, size_t type)
{
    if (types[type].whole) {
        int bits = (int)(8 * types[type].size);
        double value = floor(random_unit(random) * ldexp(1.0, bits));
        return types[type].sign ? value - ldexp(1.0, bits - 1) : value;
    }
    return types[type].size == 4 ? (double)(float)random_size(random, -100, 100) : random_finite(random);
}

typedef struct random_property {
    size_t type, count_type;
    bool list;
    int role; /* 0 to 2: a coordinate; 3: indices; 4: nothing */
} random_property;

/* Properties in a random order, the first `fixed` with the roles from `role` on, and a few more. */
static size_t properties_make(random_source *random, random_property *properties, int role, size_t fixed)
{
    size_t count = fixed + random_below(random, 4);
    for (size_t i = 0; i < count; i++) {
        random_property p = {random_below(random, TYPE_COUNT), random_below(random, WHOLE_TYPES),
                             random_chance(random, 0.3), 4};
        if (i < fixed) {
            p.role = role + (int)i;
            p.list = p.role == 3;
            if (p.list) /* can hold a thousand vertices */
                p.type = 2 + random_below(random, 4);
        }
        size_t j = random_below(random, i + 1);
        properties[i] = properties[j];
        properties[j] = p;
    }
    return count;
}

static void properties_say(bytes *b, const random_property *properties, size_t count, const char *end)
{
    static const char *const names[] = {"x", "y", "z", "vertex_indices", "other"};
    for (size_t i = 0; i < count; i++) {
        char line[100];
        const random_property *p = &properties[i];
        (void)snprintf(line, sizeof line, "property %s%s%s%s %s%s", p->list ? "list " : "",
                       p->list ? types[p->count_type].name : "", p->list ? " " : "", types[p->type].name,
                       names[p->role], end);
        bytes_say(b, line);
    }
}

static void property_put_unused(bytes *b, random_source *random, int coding, const random_property *p)
{
    size_t count = p->list ? random_below(random, 4) : 1;
    if (p->list)
        ply_put(b, coding, p->count_type, (double)count);
    for (; count > 0; count--)
        ply_put(b, coding, p->type, ply_value(random, p->type));
}

static void ply_of_random_layout_is_read_back(void **state)
{
    (void)state;
    static const char *const codings[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    static const char *const formats[] = {"PLY, text", "PLY, binary, little endian", "PLY, binary, big endian"};
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    size_t polygons = 0, faces_first = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_source random = random_seed(seed);
        int coding = (int)(seed % 3);
        const char *end = ends[random_below(&random, 3)];
        bool face_start = random_chance(&random, 0.3);
        random_property of[2][8];
        size_t property_count[2] = {properties_make(&random, of[0], 0, 3), properties_make(&random, of[1], 3, 1)};
        size_t count[2] = {1 + random_below(&random, 60), random_below(&random, 60)};
        bytes file = {NULL, 0, 0}, vertices = {NULL, 0, 0}, faces = {NULL, 0, 0};
        char line[200];
        bytes_say(&vertices, "");
        bytes_say(&faces, "");
        (void)snprintf(line, sizeof line, "ply%sformat %s 1.0%s", end, codings[coding], end);
        bytes_say(&file, line);
        for (int i = 0; i < 2; i++) {
            int e = face_start ? 1 - i : i;
            (void)snprintf(line, sizeof line, "element %s %zu%s", e ? "face" : "vertex", count[e], end);
            bytes_say(&file, line);
            properties_say(&file, of[e], property_count[e], end);
        }
        (void)snprintf(line, sizeof line, "end_header%s", end);
        bytes_say(&file, line);
        for (int i = 0; i < 2; i++) {
            int e = face_start ? 1 - i : i;
            for (size_t item = 0; item < count[e]; item++) {
                double xyz[3] = {0, 0, 0};
                for (size_t k = 0; k < property_count[e]; k++) {
                    const random_property *p = &of[e][k];
                    if (p->role == 4) {
                        property_put_unused(&file, &random, coding, p);
                    } else if (p->role < 3) {
                        xyz[p->role] = ply_value(&random, p->type);
                        ply_put(&file, coding, p->type, xyz[p->role]);
                    } else {
                        size_t corners = 3 + random_below(&random, random_chance(&random, 0.1) ? 100 : 3);
                        polygons += corners > 3;
                        ply_put(&file, coding, p->count_type, (double)corners);
                        bytes_say(&faces, "f");
                        for (; corners > 0; corners--) {
                            uint64_t vertex = random_below(&random, count[0]);
                            ply_put(&file, coding, p->type, (double)vertex);
                            (void)snprintf(line, sizeof line, " %" PRIu64, vertex);
                            bytes_say(&faces, line);
                        }
                        bytes_say(&faces, "\n");
                    }
                }
                if (e == 0) {
                    (void)snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", xyz[0], xyz[1], xyz[2]);
                    bytes_say(&vertices, line);
                }
                if (coding == 0 && random_chance(&random, 0.9))
                    bytes_say(&file, end);
            }
        }
        faces_first += face_start;
        bytes_say(&vertices, faces.data);
        expect_mesh_of("r.ply", file.data, file.size, formats[coding], 0, vertices.data);
        bytes_free(&file);
        bytes_free(&vertices);
        bytes_free(&faces);
    }
    /* a body that starts with the byte \n, after a header whose lines end with \r */
    static const char ten[] = "ply\rformat binary_little_endian 1.0\relement vertex 1\rproperty char x\rproperty char "
                              "y\rproperty char z\rend_header\r\n\n\r";
    expect_mesh("r.ply", ten, formats[1], 0, "v 10 10 13\n");
    assert_true(polygons > 5000 && faces_first > 100);
}

static void obj_in_all_forms(void **state)
{
    (void)state;
    expect_mesh("a.obj", OBJ_XYZ "f 1 2 3\nf 4 3 2 1\n", "OBJ", 0, FOUR "f 0 1 2\nf 3 2 1 0\n");
    /* all forms of face vertices, also incomplete ones */
    expect_mesh("a.obj",
                OBJ_XYZ "vt 0 0\nvn 0 0 1\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\nf 1/ 2// 3/1/\n",
                "OBJ", 0, FOUR "f 0 1 2\nf 0 1 2\nf 0 1 2\nf 0 1 2\n");
    /* negative indices, relative to the position of the face; a forward reference */
    expect_mesh("a.obj", "v 0 0 0\nv 1 0 0\nv 0.1 1 0\nf -1/-1/-1 -2//-1 -3\nf 1 2 4\nv 0 0 1e-3\nf -1 -2 -3\n", "OBJ",
                0, FOUR "f 2 1 0\nf 0 1 3\nf 3 2 1\n");
    /* continued lines, white space, comments, \r\n and \r, a byte order mark, all forms of numbers, a weight, colours
     */
    expect_mesh(
        "a.obj",
        "\xEF\xBB\xBF# by hand \\\r\nv 0 -0.0e5 \\\r\n +0\r\n  v\t1 .0 0. 1.0\r\n\r\nv 1E-1 1e0 0 0.5 0.25 1 # c\r"
        "v 0 0 0.001#\nf \\\n 1 \\\n\\\n 2\\\n 3\n#f 1 2 9\nf 1 2 3#4",
        "OBJ", 0, "v 0 -0 0\nv 1 0 0\nv 0.10000000000000001 1 0\nv 0 0 0.001\nf 0 1 2\nf 0 1 2\n");
    /* groups and objects with faces */
    expect_mesh("a.obj",
                "mtllib a.mtl\no one\ng empty\n" OBJ_XYZ
                "f 1 2 3\nusemtl red\ns 1\ns off\nf 1 2 3\ng two more\nf 1 2 3\no "
                "three\ng four\ng five\nf 1 2 3\ng last\n",
                "OBJ", 0, FOUR "f 0 1 2\nf 0 1 2\nf 0 1 2\nf 0 1 2\n");
    /* elements that are not polygons are skipped and counted */
    expect_mesh("a.obj",
                OBJ_XYZ "p 1 2\nl 1 2 3 \\\n 4 5 6\nvp 0 1\ncstype bspline\ndeg 3\ncurv 0 1 1 2 3 4\nparm u 0 1\nend\n"
                        "surf 0 1 0 1 1 2 3 4\nlod 1\nbevel on\n",
                "OBJ", 4, FOUR);
}

static void vertices_of_text_stl_are_merged(void **state)
{
    (void)state;
    expect_mesh("a.stl",
                "solid two faces\n" FACET("0 0 0", "1 0 0", "0.1 1 0") FACET("1 0 0", "0 0 1e-3", "0.1 1 0")
                    FACET("1 -0.0 0", "1 1e-400 0", "1 1e-300 0") "endsolid two faces\n",
                "STL, text", 0, FOUR "v 1 1e-300 0\nf 0 1 2\nf 1 3 2\nf 1 1 4\n");
    /* capitals, \r\n, no name, NaN as a normal, or none, a polygon, several solids, one of them empty, no final newline
     */
    expect_mesh(
        "a.stl",
        "\r\n SOLID\r\nFacet Normal nan NaN 0\r\n OUTER loop vertex 0 0 0 vertex 1 0 0 VERTEX 0.1 1 0 vertex 0 "
        "0 1e-3 "
        "endloop endfacet endsolid SOLID\r\nsolid\nendsolid\nsolid facet\nfacet outer loop\nvertex 1 0 0\nvertex 0 "
        "0 0\nvertex 1 0 0\nendloop endfacet\nendsolid",
        "STL, text", 0, FOUR "f 0 1 2 3\nf 1 0 1\n");
    expect_mesh("a.stl", "solid\nendsolid\n", "STL, text", 0, "");
}

static void vertices_of_binary_stl_are_merged(void **state)
{
    (void)state;
    static const float triangles[3][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 0.1f, 1, 0},
                                           {NAN, INFINITY, 0, 1, -0.0f, 0, 0, 0, 1, 0.1f, 1, 0},
                                           {0, 0, 0, 0, 0, 1, 0, 0, 1e-45f, 0, 0, -1e-45f}};
    static const char *const headers[] = {"", "solid of the kind that is not text", "v 0 0 0"};
    for (size_t h = 0; h < 3; h++) {
        bytes file = stl_begin(headers[h], 3);
        for (size_t i = 0; i < 3; i++) {
            stl_put(&file, triangles[i], 12);
            bytes_add(&file, "\x12\x80", 2);
        }
        expect_mesh_of("a.stl", file.data, file.size, "STL, binary", 0,
                       "v 0 0 0\nv 1 0 0\nv 0.10000000149011612 1 0\nv 0 0 1\nv 0 0 1.4012984643248171e-45\n"
                       "v 0 0 -1.4012984643248171e-45\nf 0 1 2\nf 1 3 2\nf 3 4 5\n");
        bytes_free(&file);
    }
    bytes none = stl_begin("nothing", 0);
    expect_mesh_of("a.stl", none.data, none.size, "STL, binary", 0, "");
    bytes_free(&none);
}

/* Many positions, compared with a search through all of them. */
static void merged_vertices_match_brute_force(void **state)
{
    (void)state;
    enum { TRIANGLES = 3000, SIDE = 14 };
    random_source random = random_seed(7);
    bytes file = stl_begin("random", TRIANGLES);
    static float known[3 * TRIANGLES][3];
    static uint32_t expected[3 * TRIANGLES];
    uint32_t known_count = 0;
    for (size_t i = 0; i < TRIANGLES; i++) {
        float numbers[12] = {0};
        for (size_t corner = 0; corner < 3; corner++) {
            float *p = &numbers[3 + 3 * corner];
            for (int k = 0; k < 3; k++)
                p[k] = (float)((double)random_between(&random, 0, SIDE) / 3.0);
            uint32_t v = 0;
            while (v < known_count && memcmp(known[v], p, sizeof known[v]) != 0)
                v++;
            if (v == known_count)
                memcpy(known[known_count++], p, sizeof known[v]);
            expected[3 * i + corner] = v;
        }
        stl_put(&file, numbers, 12);
        bytes_add(&file, "\0", 2);
    }
    file_put("w.stl", file.data, file.size);
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    failing_allocator r = {0};
    assert_true(file_try("w.stl", &mesh, error, &r));
    assert_int_equal(mesh.vertex_count, known_count);
    assert_int_equal(mesh.index_count, 3 * TRIANGLES);
    assert_true(known_count > 2000 && known_count < 3 * TRIANGLES / 2);
    assert_memory_equal(mesh.indices, expected, sizeof expected);
    for (size_t i = 0; i < 3 * (size_t)known_count; i++)
        assert_true(mesh.vertices[i] == (double)known[i / 3][i % 3]);
    tact_mesh_file_release(&mesh);
    bytes_free(&file);
    assert_int_equal(unlink("w.stl"), 0);
}

static void the_content_decides_the_format(void **state)
{
    (void)state;
    static const char *const names[] = {"a.ply", "a.obj", "a.stl", "a.glb", "a", "a.txt", "ply", ".obj"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        expect_mesh(names[i], PLY_TOP PLY_XYZ "end_header\n" PLY_BODY, "PLY, text", 0, FOUR);
        expect_mesh(names[i], "# c\n\n" OBJ_XYZ "f 1 2 3\n", "OBJ", 0, FOUR "f 0 1 2\n");
        expect_mesh(names[i], "mtllib a.mtl\ng one\n" OBJ_XYZ "f 1 2 3\n", "OBJ", 0, FOUR "f 0 1 2\n");
        expect_mesh(names[i], "solid s\n" FACET("0 0 0", "1 0 0", "1 0 0") "endsolid", "STL, text", 0,
                    "v 0 0 0\nv 1 0 0\nf 0 1 1\n");
        bytes file = stl_binary();
        expect_mesh_of(names[i], file.data, file.size, "STL, binary", 0,
                       "v 0 0 0\nv 1 0 0\nv 0.10000000149011612 1 0\nv 0 0 1\nf 0 1 2\nf 1 3 2\n");
        bytes_free(&file);
    }
    /* otherwise the extension decides */
    expect_mesh("a.OBJ", "g one\nvn 0 0 1\n" OBJ_XYZ "f 1 2 3\n", "OBJ", 0, FOUR "f 0 1 2\n");
    expect_error("a.Ply", "play\n", "a.Ply:1: \"ply\" was expected in the header");
}

/* Real files with known counts, if they are available. */
static void real_files_have_the_known_counts(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
        size_t vertices, faces;
    } files[] = {{"scenes/armadillo-rollers/t0.ply", "PLY, binary, little endian", 12135, 24242},
                 {"scenes/cloth-ball/t1.ply", "PLY, binary, big endian", 46598, 92230},
                 {"scenes/cloth-funnel/t0.ply", "PLY, binary, little endian", 9450, 18484},
                 {"animations/kick/mesh.obj", "OBJ", 12811, 25472}};
    const char *data = shared_data();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1200], error[MESH_FILE_ERROR];
        mesh_file mesh;
        (void)snprintf(path, sizeof path, "%s/%s", data, files[i].file);
        if (!tact_mesh_file_read(path, &mesh, error, sizeof error))
            fail_msg("%s", error);
        assert_true(is_valid(&mesh));
        assert_string_equal(mesh.format, files[i].format);
        assert_int_equal(mesh.vertex_count, files[i].vertices);
        assert_int_equal(mesh.face_count, files[i].faces);
        assert_int_equal(mesh.index_count, 3 * files[i].faces);
        tact_mesh_file_release(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_text_in_all_forms),
        cmocka_unit_test(ply_strips_become_triangles),
        cmocka_unit_test(ply_of_random_layout_is_read_back),
        cmocka_unit_test(obj_in_all_forms),
        cmocka_unit_test(vertices_of_text_stl_are_merged),
        cmocka_unit_test(vertices_of_binary_stl_are_merged),
        cmocka_unit_test(merged_vertices_match_brute_force),
        cmocka_unit_test(the_content_decides_the_format),
        cmocka_unit_test(real_files_have_the_known_counts),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
