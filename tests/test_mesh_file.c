/* Meshes from files: every form that the formats allow, and what is said about files that are not what they seem. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>

#include "core/random.h"
#include "mesh_file.h"
#include "mesh_file_apart.h"
#include "mesh_file_number.h"
#include "tool/run.h"

/* All files are written into a folder of their own, which is the working directory: errors begin with the bare name. */
static char folder[256];

static int folder_make(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/tact-mesh-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void file_put(const char *name, const void *data, size_t size)
{
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, data, size), (ssize_t)size);
    assert_int_equal(close(file), 0);
}

/* An allocator that counts, fails when told to, and checks that sizes are told as they were. */
typedef struct ration {
    long calls;
    long fail_at; /* -1: never */
    size_t held, peak;
} ration;

#define LABEL 16 /* bytes before a block, for its size */

static void *ration_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    ration *r = context;
    unsigned char *old = block ? (unsigned char *)block - LABEL : NULL;
    size_t known = 0;
    if (old)
        memcpy(&known, old, sizeof known);
    if (known != old_size)
        abort();
    if (new_size > 0 && r->calls++ == r->fail_at)
        return NULL;
    unsigned char *moved = new_size > 0 ? malloc(new_size + LABEL) : NULL;
    if (moved) {
        memcpy(moved, &new_size, sizeof new_size);
        if (old)
            memcpy(moved + LABEL, block, old_size < new_size ? old_size : new_size);
    } else if (new_size > 0) {
        return NULL;
    }
    free(old);
    r->held += new_size - old_size;
    r->peak = r->held > r->peak ? r->held : r->peak;
    return moved ? moved + LABEL : NULL;
}

/* What must hold for any mesh that is handed over. */
static bool is_valid(const mesh_file *mesh)
{
    if (!mesh->face_first || mesh->face_first[0] != 0 || !mesh->format)
        return false;
    if (mesh->face_first[mesh->face_count] != mesh->corner_count || mesh->part_count > mesh->face_count)
        return false;
    for (size_t f = 0; f < mesh->face_count; f++)
        if (mesh->face_first[f + 1] < mesh->face_first[f] + 3)
            return false;
    for (size_t c = 0; c < mesh->corner_count; c++)
        if (mesh->corners[c] >= mesh->vertex_count)
            return false;
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(mesh->vertices[i]))
            return false;
    return true;
}

/* A mesh as text: a vertex a line, then a face a line. */
static bytes mesh_text(const mesh_file *mesh)
{
    bytes text = {NULL, 0, 0};
    char line[100];
    bytes_say(&text, "");
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const double *p = &mesh->vertices[3 * i];
        (void)snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
        bytes_say(&text, line);
    }
    for (size_t f = 0; f < mesh->face_count; f++) {
        bytes_say(&text, "f");
        for (uint32_t c = mesh->face_first[f]; c < mesh->face_first[f + 1]; c++) {
            (void)snprintf(line, sizeof line, " %" PRIu32, mesh->corners[c]);
            bytes_say(&text, line);
        }
        bytes_say(&text, "\n");
    }
    return text;
}

/* Reads a file, which is then removed; nothing may be left allocated after a failure. */
static bool file_try(const char *name, mesh_file *mesh, char error[MESH_FILE_ERROR], ration *r)
{
    tact_allocator allocator = {ration_resize, r};
    memset(error, 'x', MESH_FILE_ERROR);
    error[0] = '\0';
    bool done = tact_mesh_file_read_with(name, &allocator, mesh, error, MESH_FILE_ERROR);
    if (!done) {
        assert_int_equal(r->held, 0);
        assert_null(mesh->vertices);
        assert_null(mesh->face_first);
        assert_true(strncmp(error, name, strlen(name)) == 0 && error[strlen(name)] == ':' && !strchr(error, '\n'));
    }
    return done;
}

/* The bytes under this name must be read as `expected` (see mesh_text). */
static void expect_mesh_of(const char *name, const void *data, size_t size, const char *format, size_t parts,
                           size_t skipped, const char *expected)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    ration r = {0, -1, 0, 0};
    file_put(name, data, size);
    if (!file_try(name, &mesh, error, &r))
        fail_msg("%s\nis read from\n%.*s", error, size < 2000 ? (int)size : 2000, (const char *)data);
    assert_true(is_valid(&mesh));
    bytes text = mesh_text(&mesh);
    if (strcmp(text.data, expected) != 0)
        fail_msg("read\n%s\nexpected\n%s\nfrom\n%.*s", text.data, expected, size < 2000 ? (int)size : 2000,
                 (const char *)data);
    bytes_free(&text);
    assert_string_equal(mesh.format, format);
    assert_int_equal(mesh.part_count, parts);
    assert_int_equal(mesh.skipped_count, skipped);
    tact_mesh_file_release(&mesh);
    tact_mesh_file_release(&mesh);
    assert_int_equal(r.held, 0);
    assert_int_equal(unlink(name), 0);
}

static void expect_mesh(const char *name, const char *text, const char *format, size_t parts, size_t skipped,
                        const char *expected)
{
    expect_mesh_of(name, text, strlen(text), format, parts, skipped, expected);
}

/* The bytes under this name must be refused with exactly this line. */
static void expect_error_of(const char *name, const void *data, size_t size, const char *expected)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    ration r = {0, -1, 0, 0};
    file_put(name, data, size);
    bool done = file_try(name, &mesh, error, &r);
    if (done || strcmp(error, expected) != 0)
        fail_msg("said     %s\nexpected %s\nabout\n%.*s", done ? "nothing" : error, expected,
                 size < 2000 ? (int)size : 2000, (const char *)data);
    assert_int_equal(unlink(name), 0);
    /* no room, or little, does no harm */
    file_put(name, data, size);
    assert_false(tact_mesh_file_read(name, &mesh, NULL, 0));
    for (size_t room = 1; room < 40; room++) {
        char *little = malloc(room);
        assert_non_null(little);
        assert_false(tact_mesh_file_read(name, &mesh, little, room));
        assert_true(strlen(little) < room);
        free(little);
    }
    assert_int_equal(unlink(name), 0);
}

static void expect_error(const char *name, const char *text, const char *expected)
{
    expect_error_of(name, text, strlen(text), expected);
}

/* PLY */

#define PLY_TOP "ply\nformat ascii 1.0\n"
#define PLY_XYZ "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES(n) "element face " #n "\nproperty list uchar int vertex_indices\n"
#define PLY_BODY "0 0 0\n1 0 0\n0.1 1 0\n0 0 1e-3\n"
#define FOUR "v 0 0 0\nv 1 0 0\nv 0.10000000000000001 1 0\nv 0 0 0.001\n"

static void ply_text_in_all_forms(void **state)
{
    (void)state;
    expect_mesh("a.ply", PLY_TOP PLY_XYZ PLY_FACES(2) "end_header\n" PLY_BODY "3 0 1 2\n4 3 2 1 0\n", "PLY, text", 1, 0,
                FOUR "f 0 1 2\nf 3 2 1 0\n");
    /* comments, obj_info, blank lines; the other name for indices; no newline at the end; lines that break anywhere */
    expect_mesh(
        "a.ply",
        "ply\ncomment made by hand\nformat   ascii\t1.0\nobj_info element face 7\n" PLY_XYZ "\ncomment\n"
        "element face 1\nproperty list uint8 uint32 vertex_index\nend_header\n0 0\n 0 1 0 0 0.1 1\n\n\n0 0 0 1e-3 "
        "\n3\n0 1\n2",
        "PLY, text", 1, 0, FOUR "f 0 1 2\n");
    /* properties in any order, more of them, lists among them, elements that nobody knows, faces before vertices */
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
                "PLY, text", 1, 2, FOUR "f 0 1 2\nf 3 2 1 0\n");
    expect_mesh("a.ply", "ply\r\nformat ascii 1.0\r\n" PLY_XYZ PLY_FACES(1) "end_header\r\n" PLY_BODY "3 0 1 2\r\n",
                "PLY, text", 1, 0, FOUR "f 0 1 2\n");
    expect_mesh("a.ply",
                "ply\rformat ascii 1.0\relement vertex 1\rproperty float x\rproperty float y\rproperty float "
                "z\rend_header\r1 2 3\r",
                "PLY, text", 0, 0, "v 1 2 3\n");
    /* as short as can be: not even a space behind the last word */
    expect_mesh("a.ply",
                PLY_TOP "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3",
                "PLY, text", 0, 0, "v 1 2 3\n");
    /* no faces, no vertices */
    expect_mesh("a.ply", PLY_TOP PLY_XYZ PLY_FACES(0) "end_header\n" PLY_BODY, "PLY, text", 0, 0, FOUR);
    expect_mesh("a.ply", PLY_TOP "element vertex 0\nproperty float x\nend_header\n", "PLY, text", 0, 0, "");
    /* repeated corners are content */
    expect_mesh("a.ply", PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 1 1 1\n", "PLY, text", 1, 0,
                FOUR "f 1 1 1\n");
}

static void ply_strips_become_triangles(void **state)
{
    (void)state;
    expect_mesh("s.ply",
                PLY_TOP PLY_XYZ "element tristrips 2\nproperty list int int vertex_indices\nend_header\n" PLY_BODY
                                "12 0 1 2 3 0 -1 1 2 -1 3 2 1\n2 0 1\n",
                "PLY, text", 1, 0, FOUR "f 0 1 2\nf 2 1 3\nf 2 3 0\nf 3 2 1\n");
    expect_error("s.ply",
                 PLY_TOP PLY_XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" PLY_BODY
                                 "3 0 1 4\n",
                 "s.ply:14: vertex 4 does not exist: there are 4, from 0");
    expect_error("s.ply",
                 PLY_TOP PLY_XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" PLY_BODY
                                 "3 0 -2 3\n",
                 "s.ply:14: vertex -2 does not exist: there are 4, from 0");
}

/* The types of PLY, for a writer that knows nothing of the reader. */
static const struct {
    const char *name;
    size_t size;
    bool whole, sign;
} types[] = {
    {"char", 1, true, true},   {"uchar", 1, true, false},   {"short", 2, true, true},   {"ushort", 2, true, false},
    {"int", 4, true, true},    {"uint", 4, true, false},    {"int8", 1, true, true},    {"uint8", 1, true, false},
    {"int16", 2, true, true},  {"uint16", 2, true, false},  {"int32", 4, true, true},   {"uint32", 4, true, false},
    {"float", 4, false, true}, {"float32", 4, false, true}, {"double", 8, false, true}, {"float64", 8, false, true}};
#define TYPE_COUNT (sizeof types / sizeof types[0])
#define WHOLE_TYPES 12

/* Adds a number in one of the three codings: text, little endian, big endian. */
static void ply_put(bytes *b, int coding, size_t type, double value)
{
    if (coding == 0) {
        char text[40];
        (void)snprintf(text, sizeof text, "%.17g ", value);
        bytes_say(b, text);
        return;
    }
    union {
        float f;
        double d;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        uint32_t u32;
        unsigned char b[8];
    } u = {.d = 0};
    if (!types[type].whole && types[type].size == 4)
        u.f = (float)value;
    else if (!types[type].whole)
        u.d = value;
    else if (types[type].size == 1)
        u.i8 = (int8_t)(int)value;
    else if (types[type].size == 2)
        u.i16 = (int16_t)(int)value;
    else if (types[type].sign)
        u.i32 = (int32_t)value;
    else
        u.u32 = (uint32_t)value;
    const uint16_t one = 1;
    bool machine_little = *(const unsigned char *)&one == 1;
    for (size_t i = 0; i < types[type].size; i++)
        bytes_add(b, &u.b[(coding == 1) == machine_little ? i : types[type].size - 1 - i], 1);
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
            if (p.list) /* room for a thousand vertices */
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
        bool face_first = random_chance(&random, 0.3);
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
            int e = face_first ? 1 - i : i;
            (void)snprintf(line, sizeof line, "element %s %zu%s", e ? "face" : "vertex", count[e], end);
            bytes_say(&file, line);
            properties_say(&file, of[e], property_count[e], end);
        }
        (void)snprintf(line, sizeof line, "end_header%s", end);
        bytes_say(&file, line);
        for (int i = 0; i < 2; i++) {
            int e = face_first ? 1 - i : i;
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
        faces_first += face_first;
        bytes_say(&vertices, faces.data);
        expect_mesh_of("r.ply", file.data, file.size, formats[coding], count[1] > 0, 0, vertices.data);
        bytes_free(&file);
        bytes_free(&vertices);
        bytes_free(&faces);
    }
    /* a body that begins with the byte \n, behind a header whose lines end with \r */
    static const char ten[] = "ply\rformat binary_little_endian 1.0\relement vertex 1\rproperty char x\rproperty char "
                              "y\rproperty char z\rend_header\r\n\n\r";
    expect_mesh("r.ply", ten, formats[1], 0, 0, "v 10 10 13\n");
    assert_true(polygons > 5000 && faces_first > 100);
}

/* OBJ */

#define OBJ_XYZ "v 0 0 0\nv 1 0 0\nv 0.1 1 0\nv 0 0 1e-3\n"

static void obj_in_all_forms(void **state)
{
    (void)state;
    expect_mesh("a.obj", OBJ_XYZ "f 1 2 3\nf 4 3 2 1\n", "OBJ", 1, 0, FOUR "f 0 1 2\nf 3 2 1 0\n");
    /* all kinds of corners, also those that say less than they may */
    expect_mesh("a.obj",
                OBJ_XYZ "vt 0 0\nvn 0 0 1\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\nf 1/ 2// 3/1/\n",
                "OBJ", 1, 0, FOUR "f 0 1 2\nf 0 1 2\nf 0 1 2\nf 0 1 2\n");
    /* numbers that count back, from where the face stands; and one that looks ahead */
    expect_mesh("a.obj", "v 0 0 0\nv 1 0 0\nv 0.1 1 0\nf -1/-1/-1 -2//-1 -3\nf 1 2 4\nv 0 0 1e-3\nf -1 -2 -3\n", "OBJ",
                1, 0, FOUR "f 2 1 0\nf 0 1 3\nf 3 2 1\n");
    /* continued lines, blanks, comments, \r\n and \r, a mark of UTF-8, numbers in all dresses, a weight, colours */
    expect_mesh(
        "a.obj",
        "\xEF\xBB\xBF# by hand \\\r\nv 0 -0.0e5 \\\r\n +0\r\n  v\t1 .0 0. 1.0\r\n\r\nv 1E-1 1e0 0 0.5 0.25 1 # c\r"
        "v 0 0 0.001#\nf \\\n 1 \\\n\\\n 2\\\n 3\n#f 1 2 9\nf 1 2 3#4",
        "OBJ", 1, 0, "v 0 -0 0\nv 1 0 0\nv 0.10000000000000001 1 0\nv 0 0 0.001\nf 0 1 2\nf 0 1 2\n");
    /* parts: groups and objects that hold faces */
    expect_mesh("a.obj",
                "mtllib a.mtl\no one\ng empty\n" OBJ_XYZ
                "f 1 2 3\nusemtl red\ns 1\ns off\nf 1 2 3\ng two more\nf 1 2 3\no "
                "three\ng four\ng five\nf 1 2 3\ng last\n",
                "OBJ", 3, 0, FOUR "f 0 1 2\nf 0 1 2\nf 0 1 2\nf 0 1 2\n");
    /* what is no polygon is left out and counted */
    expect_mesh("a.obj",
                OBJ_XYZ "p 1 2\nl 1 2 3 \\\n 4 5 6\nvp 0 1\ncstype bspline\ndeg 3\ncurv 0 1 1 2 3 4\nparm u 0 1\nend\n"
                        "surf 0 1 0 1 1 2 3 4\nlod 1\nbevel on\n",
                "OBJ", 0, 4, FOUR);
}

/* STL */

#define FACET(a, b, c) "facet normal 0 0 1\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"

static void stl_text_is_welded(void **state)
{
    (void)state;
    expect_mesh("a.stl",
                "solid two faces\n" FACET("0 0 0", "1 0 0", "0.1 1 0") FACET("1 0 0", "0 0 1e-3", "0.1 1 0")
                    FACET("1 -0.0 0", "1 1e-400 0", "1 1e-300 0") "endsolid two faces\n",
                "STL, text", 1, 0, FOUR "v 1 1e-300 0\nf 0 1 2\nf 1 3 2\nf 1 1 4\n");
    /* capitals, \r\n, no name, NaN as a normal, or none, a polygon, several solids, one of them empty, no final newline */
    expect_mesh(
        "a.stl",
        "\r\n SOLID\r\nFacet Normal nan NaN 0\r\n OUTER loop vertex 0 0 0 vertex 1 0 0 VERTEX 0.1 1 0 vertex 0 "
        "0 1e-3 "
        "endloop endfacet endsolid SOLID\r\nsolid\nendsolid\nsolid facet\nfacet outer loop\nvertex 1 0 0\nvertex 0 "
        "0 0\nvertex 1 0 0\nendloop endfacet\nendsolid",
        "STL, text", 2, 0, FOUR "f 0 1 2 3\nf 1 0 1\n");
    expect_mesh("a.stl", "solid\nendsolid\n", "STL, text", 0, 0, "");
}

static void stl_put(bytes *file, const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ply_put(file, 1, 12, (double)numbers[i]);
}

/* The beginning of a binary file, with any header of 80 bytes at most. */
static bytes stl_begin(const char *header, uint32_t count)
{
    bytes file = {NULL, 0, 0};
    char block[80] = {0};
    memcpy(block, header, strlen(header));
    bytes_add(&file, block, sizeof block);
    ply_put(&file, 1, 5, (double)count);
    return file;
}

static void stl_binary_is_welded(void **state)
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
        expect_mesh_of("a.stl", file.data, file.size, "STL, binary", 1, 0,
                       "v 0 0 0\nv 1 0 0\nv 0.10000000149011612 1 0\nv 0 0 1\nv 0 0 1.4012984643248171e-45\n"
                       "v 0 0 -1.4012984643248171e-45\nf 0 1 2\nf 1 3 2\nf 3 4 5\n");
        bytes_free(&file);
    }
    bytes none = stl_begin("nothing", 0);
    expect_mesh_of("a.stl", none.data, none.size, "STL, binary", 0, 0, "");
    bytes_free(&none);
}

/* Many positions, against a search through all of them. */
static void stl_welds_as_a_plain_search_does(void **state)
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
    ration r = {0, -1, 0, 0};
    assert_true(file_try("w.stl", &mesh, error, &r));
    assert_int_equal(mesh.vertex_count, known_count);
    assert_int_equal(mesh.corner_count, 3 * TRIANGLES);
    assert_true(known_count > 2000 && known_count < 3 * TRIANGLES / 2);
    assert_memory_equal(mesh.corners, expected, sizeof expected);
    for (size_t i = 0; i < 3 * (size_t)known_count; i++)
        assert_true(mesh.vertices[i] == (double)known[i / 3][i % 3]);
    tact_mesh_file_release(&mesh);
    bytes_free(&file);
    assert_int_equal(unlink("w.stl"), 0);
}

/* Numbers */

static void expect_number(const char *text, size_t *differ)
{
    double value, expected = strtod(text, NULL);
    const char *behind = tact_number_read(text, &value);
    if (!behind || *behind || memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s is read as %a, not %a", text, behind ? value : (double)NAN, expected);
    *differ += fabs(expected) > 0x1p53 || expected != floor(expected);
}

static void numbers_are_rounded_as_by_strtod(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0e999999999999",
        "1",
        "-1.5",
        "1.",
        ".5",
        "-.5e1",
        "+5e-1",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "9007199254740992",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000001",
        "9007199254740995",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "1e44",
        "1e45",
        "1e-44",
        "1e-45",
        "9999999999999999999e44",
        "9999999999999999999e-44",
        "4.9e-324",
        "2.4e-324",
        "2.5e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "123456789012345678901234567890",
        "0.000000000000000000000000000000000000000000000000000000000000001234567890123456789e63",
        "1000000000000000000000000",
        "0.10000000000000000555111512312578270211815834045410156250",
        "0.10000000000000000555111512312578270211815834045410156251",
        "5e-324",
        "00000000000000000000000000000000000000001.25"};
    size_t differ = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_number(texts[i], &differ);
    random_source random = random_seed(11);
    char text[400];
    for (int i = 0; i < 400000; i++) {
        double value = i % 4 == 0 ? random_finite(&random) : random_size(&random, -140, 140);
        switch (random_below(&random, 6)) {
        case 0:
            (void)snprintf(text, sizeof text, "%.17g", value);
            break;
        case 1:
            (void)snprintf(text, sizeof text, "%.*e", random_between(&random, 0, 20), value);
            break;
        case 2:
            (void)snprintf(text, sizeof text, "%.*f", random_between(&random, 0, 20), fmod(value, 1e6));
            break;
        case 3: /* up to 19 digits and any small exponent */
            (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", random_bits(&random) >> random_below(&random, 64),
                           random_between(&random, -50, 50));
            break;
        case 4: { /* just between two doubles: whole numbers beyond 2^53, exactly half way or one off, and scaled by ten */
            uint64_t half = (random_bits(&random) >> 11 << 1 | 1) << random_below(&random, 10);
            int zeros = random_between(&random, 0, 20);
            (void)snprintf(text, sizeof text, "%" PRIu64 "%.*s%s", half + random_below(&random, 3) - 1, zeros,
                           ".00000000000000000000", random_chance(&random, 0.3) ? "e0" : "");
            break;
        }
        default: /* half way between two doubles with a short fraction */
            (void)snprintf(text, sizeof text, "%.60g",
                           ldexp((double)(random_bits(&random) >> 11), -random_between(&random, 1, 30)));
        }
        expect_number(text, &differ);
    }
    assert_true(differ > 200000);
}

/* Numbers of at most 19 digits that are nearer to half way between two doubles than a pair of doubles can tell. With
 * odd M of 54 bits, M 2^j is half way. Division: w / 5^k = M / 2^s + r / (2^s 5^k), where M is chosen to make w whole.
 * Multiplication: w 5^k = M 2^s + r, where w is chosen to leave the remainder r. */
static void numbers_next_to_half_way_are_rounded_right(void **state)
{
    (void)state;
    size_t differ = 0, divided = 0, multiplied = 0;
    mpz_t five, t;
    mpz_inits(five, t, NULL);
    uint64_t inverse = 1; /* of 5^k, modulo 2^64 */
    for (unsigned k = 1; k <= 44; k++) {
        inverse *= UINT64_C(0xCCCCCCCCCCCCCCCD);
        mpz_ui_pow_ui(five, 5, k);
        for (int r = -3000; r <= 3000; r++)
            for (unsigned s = 40; s <= 63; s++) {
                char text[60];
                uint64_t low = ((uint64_t) - (int64_t)r * inverse) & ((UINT64_C(1) << s) - 1);
                if (low >> 53 == 1 && low % 2 == 1) {
                    mpz_mul_ui(t, five, low);
                    if (r < 0)
                        mpz_sub_ui(t, t, (unsigned)-r);
                    else
                        mpz_add_ui(t, t, (unsigned)r);
                    assert_true(mpz_divisible_2exp_p(t, s));
                    mpz_tdiv_q_2exp(t, t, s);
                    if (mpz_cmp_ui(t, UINT64_C(9999999999999999999)) <= 0) {
                        (void)gmp_snprintf(text, sizeof text, "%Zde-%u", t, k);
                        expect_number(text, &differ);
                        divided++;
                    }
                }
                uint64_t w = ((uint64_t)(int64_t)r * inverse) & ((UINT64_C(1) << s) - 1);
                mpz_mul_ui(t, five, w);
                if (mpz_sizeinbase(t, 2) == s + 54) {
                    (void)snprintf(text, sizeof text, "%" PRIu64 "e%u", w, k);
                    expect_number(text, &differ);
                    multiplied++;
                }
            }
    }
    mpz_clears(five, t, NULL);
    assert_true(divided > 5000 && multiplied > 5000);
}

static void what_is_no_number_is_not_read(void **state)
{
    (void)state;
    static const char *const none[] = {"",     "-",   "+",   ".",   "-.", "e5", "nan", "inf",
                                       "-inf", "NaN", "--1", "+-1", "x",  ",5", " 1"};
    double value;
    int64_t whole;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_null(tact_number_read(none[i], &value));
    static const struct {
        const char *text;
        size_t length;
        double value;
    } part[] = {{"1,5", 1, 1},  {"0x10", 1, 0},    {"1e", 1, 1}, {"1e+", 1, 1},
                {"2e-x", 1, 2}, {"1.5.5", 3, 1.5}, {"7d2", 1, 7}};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        assert_true(tact_number_read(part[i].text, &value) == part[i].text + part[i].length);
        assert_true(value == part[i].value);
    }
    assert_null(whole_read("", &whole));
    assert_null(whole_read("-", &whole));
    assert_null(whole_read("x", &whole));
    assert_true(*whole_read("-123/", &whole) == '/' && whole == -123);
    assert_true(whole_read("99999999999999999999999999999999", &whole) && whole == WHOLE_LIMIT);
    assert_true(whole_read("-99999999999999999999999999999999", &whole) && whole == -WHOLE_LIMIT);
    assert_true(whole_read("999999999999999999", &whole) && whole == INT64_C(999999999999999999));
}

/* What is wrong */

static void damaged_files_are_refused_with_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } ply[] =
        {
            {"plx\n", "a.ply:1: \"ply\" was expected in the header"},
            {"ply", "a.ply:1: the file ends before \"end_header\""},
            {"ply\nformat ascii 1.0\n", "a.ply:2: the file ends before \"end_header\""},
            {"ply\nformat ascii 2.0\n", "a.ply:2: version \"2.0\" of PLY is not known, only 1.0 is"},
            {"ply\nformat asci 1.0\n",
             "a.ply:2: \"format ascii|binary_little_endian|binary_big_endian 1.0\" was expected in the header"},
            {"ply\nformat ascii 1.0\nformat ascii 1.0\n", "a.ply:3: the format is named twice"},
            {"ply\nhello\n",
             "a.ply:2: \"format, comment, obj_info, element, property or end_header\" was expected in the header"},
            {PLY_TOP "element vertex\n", "a.ply:3: \"element NAME COUNT\" was expected in the header"},
            {PLY_TOP "element vertex x\n", "a.ply:3: \"element NAME COUNT\" was expected in the header"},
            {PLY_TOP "element vertex -1\n", "a.ply:3: an element cannot be there -1 times"},
            {PLY_TOP "element vertex 4294967296\n", "a.ply:3: more than 4294967295 vertices"},
            {PLY_TOP "element vertex 1\nelement vertex 1\n", "a.ply:4: element vertex is named twice"},
            {PLY_TOP "property float x\n", "a.ply:3: a property before the first element"},
            {PLY_TOP "element vertex 1\nproperty float\n",
             "a.ply:4: \"property TYPE NAME\" was expected in the header"},
            {PLY_TOP "element vertex 1\nproperty list int x\n",
             "a.ply:4: \"property list COUNT-TYPE TYPE NAME\" was expected in the header"},
            {PLY_TOP "element vertex 1\nproperty real x\n", "a.ply:4: \"real\" is not a type of PLY"},
            {PLY_TOP "element vertex 1\nproperty list float int x\n",
             "a.ply:4: the length of a list must be of a whole type"},
            {PLY_TOP "element vertex 1\nproperty list int int x\n", "a.ply:4: property x must not be a list"},
            {PLY_TOP "element face 1\nproperty int vertex_index\n", "a.ply:4: property vertex_index must be a list"},
            {PLY_TOP "element face 1\nproperty list int float vertex_index\n",
             "a.ply:4: the numbers of vertices must be of a whole type"},
            {PLY_TOP "element vertex 1\nproperty int x\nproperty int x\n", "a.ply:5: property x is named twice"},
            {PLY_TOP "element vertex 1\nproperty int x\nproperty int y\nend_header\n",
             "a.ply:3: element vertex has no property z"},
            {PLY_TOP PLY_XYZ "element face 1\nproperty int q\nend_header\n",
             "a.ply:7: element face has no property vertex_indices"},
            {PLY_TOP "element face 0\nend_header\n", "a.ply:4: the header names no element vertex"},
            {"ply\n" PLY_XYZ "end_header\n", "a.ply:6: the header names no format"},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0",
             "a.ply:3: 4 times element vertex does not fit into the 9 bytes that are left"},
            {PLY_TOP "element vertex 4000000000\nproperty int x\nproperty int y\nproperty int z\nend_header\n0 0 0\n",
             "a.ply:3: 4000000000 times element vertex does not fit into the 6 bytes that are left"},
            {PLY_TOP PLY_XYZ PLY_FACES(1000000000000000000) "end_header\n" PLY_BODY "3 0 1 2\n",
             "a.ply:7: 1000000000000000000 times element face does not fit into the 9 bytes that are left"},
            {PLY_TOP PLY_XYZ "end_header\n0.00000 0.00000 0.00000\n0 0\n",
             "a.ply:9: the file ends in element vertex, 2 of 4"},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 x 0\n0 0 0\n0 0 0\n", "a.ply:9: a number was expected, not \"x\""},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 nan\n0 0 0\n0 0 0\n",
             "a.ply:9: a number was expected, not \"nan\""},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 0\n-inf 0 0\n0 0 0\n",
             "a.ply:10: a number was expected, not \"-inf\""},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 0\n1e400 0 0\n0 0 0\n",
             "a.ply:10: a number is too large for a double"},
            {PLY_TOP PLY_XYZ "end_header\n0 0 0\n0 0 0\n0x10 0 0\n0 0 0\n",
             "a.ply:10: a number was expected, not \"0x10\""},
            {PLY_TOP PLY_XYZ "end_header\n" PLY_BODY "7\n", "a.ply:12: there is more behind the last element: 2 bytes"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "2 0 1   \n",
             "a.ply:14: a face needs at least 3 corners, not 2"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 0 1 4\n",
             "a.ply:14: vertex 4 does not exist: there are 4, from 0"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 0 1\n-1\n",
             "a.ply:15: vertex -1 does not exist: there are 4, from 0"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 0 1 1.5\n",
             "a.ply:14: a whole number was expected, not \"1.5\""},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "x 0 1 1\n",
             "a.ply:14: a whole number was expected, not \"x\""},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "-3 0 1 1\n",
             "a.ply:14: a list cannot have -3 entries"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "300 0 1 1\n",
             "a.ply:14: a list of 300 entries does not fit into the file"},
            {PLY_TOP PLY_XYZ PLY_FACES(1) "end_header\n" PLY_BODY "3 00000 1\n",
             "a.ply:14: the file ends in element face, 1 of 1"},
        },
      obj[] =
          {
              {"# nothing\n", "a.obj: has no vertices"},
              {"hello\n", "a.obj:1: no line of an OBJ file begins with \"hello\""},
              {"v 1 2 3\r\n\r\nw 1 2 3\r\n", "a.obj:3: no line of an OBJ file begins with \"w\""},
              {"v 1 2 3\rw\r", "a.obj:2: no line of an OBJ file begins with \"w\""},
              {"v 1 2 3\n\xFFzz\x01 1\n", "a.obj:2: no line of an OBJ file begins with \"?zz?\""},
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
              {OBJ_XYZ "f 1 2\n", "a.obj:5: a face needs at least 3 corners, not 2"},
              {OBJ_XYZ "f\n", "a.obj:5: a face needs at least 3 corners, not 0"},
              {OBJ_XYZ "f 1 2 x\n", "a.obj:5: a corner such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"x\""},
              {OBJ_XYZ "f 1 2 3/x\n", "a.obj:5: a corner such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"3/x\""},
              {OBJ_XYZ "f 1 2 3/1/1/1\n",
               "a.obj:5: a corner such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"3/1/1/1\""},
              {OBJ_XYZ "f 1 2 3.0\n", "a.obj:5: a corner such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"3.0\""},
              {OBJ_XYZ "f 1 2 /3\n", "a.obj:5: a corner such as 1, 1/2, 1//3 or 1/2/3 was expected, not \"/3\""},
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
           "a.stl:2: a face needs at least 3 corners, not 2"},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertices\n",
           "a.stl:5: \"vertex\" or \"endloop\" was expected, not \"vertices\""},
          {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 1 0 0\nendloop\nfacet\n",
           "a.stl:8: \"endfacet\" was expected, not \"facet\""},
          {"solid a\n" FACET("0 0 0", "0 0 0", "0 0 1"),
           "a.stl:8: \"facet\" or \"endsolid\" was expected, not the end of the file"},
          {"solid a\nendsolid\nmore\n", "a.stl:3: \"solid\" was expected, not \"more\""},
          {"facet", "a.stl: byte 5: the file ends in the header of a binary STL, which has 84 bytes"},
      };
    for (size_t i = 0; i < sizeof ply / sizeof ply[0]; i++)
        expect_error("a.ply", ply[i].text, ply[i].error);
    for (size_t i = 0; i < sizeof obj / sizeof obj[0]; i++)
        expect_error("a.obj", obj[i].text, obj[i].error);
    for (size_t i = 0; i < sizeof stl / sizeof stl[0]; i++)
        expect_error("a.stl", stl[i].text, stl[i].error);
}

#define PLY_BINARY                                                                                                     \
    "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty double z\n"  \
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n"

/* A small binary PLY: three vertices, two faces. */
static bytes ply_binary(void)
{
    bytes file = {NULL, 0, 0};
    bytes_say(&file, PLY_BINARY);
    for (int i = 0; i < 3; i++) {
        ply_put(&file, 1, 12, i);
        ply_put(&file, 1, 12, i * i);
        ply_put(&file, 1, 14, 0.1);
    }
    for (int f = 0; f < 2; f++) {
        ply_put(&file, 1, 1, 3);
        for (int c = 0; c < 3; c++)
            ply_put(&file, 1, 10, (c + f) % 3);
    }
    return file;
}

static bytes stl_binary(void)
{
    bytes file = stl_begin("solid\n", 2);
    static const float triangles[2][12] = {{0, 0, 1, 0, 0, 0, 1, 0, 0, 0.1f, 1, 0},
                                           {0, 0, 1, 1, 0, 0, 0, 0, 1, 0.1f, 1, 0}};
    for (int i = 0; i < 2; i++) {
        stl_put(&file, triangles[i], 12);
        bytes_add(&file, "\0", 2);
    }
    return file;
}

/* Puts a number over bytes of a file and requires the complaint. */
static void expect_error_with(bytes file, size_t offset, size_t type, double value, const char *name, const char *error)
{
    bytes patch = {NULL, 0, 0};
    ply_put(&patch, 1, type, value);
    memcpy(file.data + offset, patch.data, patch.size);
    bytes_free(&patch);
    expect_error_of(name, file.data, file.size, error);
    bytes_free(&file);
}

static void damaged_binary_files_are_refused_with_the_byte(void **state)
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
    expect_error_with(ply_binary(), faces, 1, 2, "b.ply", AT(faces, "a face needs at least 3 corners, not 2"));
    expect_error_with(ply_binary(), faces + 5, 10, 3, "b.ply",
                      AT(faces + 5, "vertex 3 does not exist: there are 3, from 0"));
    expect_error_with(ply_binary(), faces + 5, 10, -1, "b.ply",
                      AT(faces + 5, "vertex -1 does not exist: there are 3, from 0"));
    bytes file = ply_binary();
    bytes_add(&file, "\n", 1);
    expect_error_of("b.ply", file.data, file.size, AT(file.size - 1, "there is more behind the last element: 1 bytes"));
    expect_error_of("b.ply", file.data, file.size - 2,
                    "b.ply:7: 2 times element face does not fit into the 25 bytes that are left");
    bytes_free(&file);
    expect_error_with(stl_binary(), 84 + 12, 12, (double)NAN, "b.stl", "b.stl: byte 96: a coordinate is not a number");
    expect_error_with(stl_binary(), 84 + 50 + 44, 12, (double)-INFINITY, "b.stl",
                      "b.stl: byte 178: a coordinate is infinite");
    expect_error_with(stl_binary(), 80, 5, 3, "b.stl",
                      "b.stl: byte 80: 3 triangles take 234 bytes in all, but the file has 184");
    expect_error_with(stl_binary(), 80, 5, 4294967295.0, "b.stl",
                      "b.stl: byte 80: 4294967295 triangles take 214748364834 bytes in all, but the file has 184");
    file = stl_binary();
    expect_error_of("b.stl", file.data, file.size - 1,
                    "b.stl: byte 80: 2 triangles take 184 bytes in all, but the file has 183");
    bytes_add(&file, "\n", 1);
    expect_error_of("b.stl", file.data, file.size,
                    "b.stl: byte 80: 2 triangles take 184 bytes in all, but the file has 185");
    bytes_free(&file);
}

/* Good files of every kind, small, for the tests that damage them. */
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

/* Reads bytes that may be anything: a valid mesh or an error, nothing kept, no more memory than the bytes justify. */
static bool survive(const char *name, const void *data, size_t size, const char *what, size_t where)
{
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    ration r = {0, -1, 0, 0};
    file_put(name, data, size);
    bool done = file_try(name, &mesh, error, &r);
    if (done && !is_valid(&mesh))
        fail_msg("%s at %zu of %s gives a mesh that is not valid", what, where, name);
    if (r.peak > 40 * size + 20000)
        fail_msg("%s at %zu of %s takes %zu bytes of memory", what, where, name, r.peak);
    if (done)
        tact_mesh_file_release(&mesh);
    assert_int_equal(r.held, 0);
    assert_int_equal(unlink(name), 0);
    return done;
}

static void files_cut_anywhere_are_survived(void **state)
{
    (void)state;
    for (int kind = 0; kind < GOOD_COUNT; kind++) {
        bytes file = good_file(kind);
        size_t read = 0;
        assert_true(survive(good_names[kind], file.data, file.size, "nothing", 0));
        for (size_t size = 0; size < file.size; size++) {
            /* copied, so that reading past the end would be seen */
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

static void files_with_any_byte_changed_are_survived(void **state)
{
    (void)state;
    static const unsigned char changes[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80};
    static const unsigned char values[] = {0, '\n', ' ', '-', '9', '\\', 0xFF};
    size_t read = 0, refused = 0;
    for (int kind = 0; kind < GOOD_COUNT; kind++) {
        bytes file = good_file(kind);
        for (size_t i = 0; i < file.size; i++) {
            char kept = file.data[i];
            for (size_t c = 0; c < sizeof changes + sizeof values; c++) {
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
    assert_true(read > 2000 && refused > 2000);
}

/* Several changes at once: bytes, cuts, pieces taken out or put twice. */
static void files_mangled_at_random_are_survived(void **state)
{
    (void)state;
    const char *many = getenv("TACT_TEST_LONG");
    uint64_t rounds = many && *many ? 3000000 : 6000;
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

/* Files that ask for the most memory a byte that their format can, all of it rightly. */
static void memory_is_in_proportion_to_the_file(void **state)
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
            ration r = {0, failures, 0, 0};
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

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    mesh_file mesh;
    char error[MESH_FILE_ERROR];
    ration r = {0, -1, 0, 0};
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
                 "e.ply:7: 9 times element ?[2J?? does not fit into the 3 bytes that are left");
    char path[200];
    memset(path, 'd', sizeof path);
    memcpy(path + sizeof path - 10, "/name.ply", 10);
    assert_false(tact_mesh_file_read(path, &mesh, error, sizeof error));
    assert_string_equal(error, "...dddddddddddddddddddddddddddd/name.ply: cannot be opened: No such file or dir");
}

static void the_format_is_told_by_content_first(void **state)
{
    (void)state;
    static const char *const names[] = {"a.ply", "a.obj", "a.stl", "a.glb", "a", "a.txt", "ply", ".obj"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        expect_mesh(names[i], PLY_TOP PLY_XYZ "end_header\n" PLY_BODY, "PLY, text", 0, 0, FOUR);
        expect_mesh(names[i], "# c\n\n" OBJ_XYZ "f 1 2 3\n", "OBJ", 1, 0, FOUR "f 0 1 2\n");
        expect_mesh(names[i], "mtllib a.mtl\ng one\n" OBJ_XYZ "f 1 2 3\n", "OBJ", 1, 0, FOUR "f 0 1 2\n");
        expect_mesh(names[i], "solid s\n" FACET("0 0 0", "1 0 0", "1 0 0") "endsolid", "STL, text", 1, 0,
                    "v 0 0 0\nv 1 0 0\nf 0 1 1\n");
        bytes file = stl_binary();
        expect_mesh_of(names[i], file.data, file.size, "STL, binary", 1, 0,
                       "v 0 0 0\nv 1 0 0\nv 0.10000000149011612 1 0\nv 0 0 1\nf 0 1 2\nf 1 3 2\n");
        bytes_free(&file);
    }
    /* and by the name where the content does not tell */
    expect_mesh("a.OBJ", "g one\nvn 0 0 1\n" OBJ_XYZ "f 1 2 3\n", "OBJ", 1, 0, FOUR "f 0 1 2\n");
    expect_error("a.Ply", "play\n", "a.Ply:1: \"ply\" was expected in the header");
}

static const char off_text[] = "OFF\n4 2 0\n0 0 0\n1 0 0\n0.5 1 0\n0 0 1\n3 0 1 2\n4 3 2 1 0\n";

/* One triangle, in a node that is moved and scaled, twice. The buffer: three positions, then three 16-bit numbers. */
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
    expect_mesh("a.off", off_text, "read by Assimp", 1, 0,
                "v 0 0 0\nv 1 0 0\nv 0.5 1 0\nv 0 0 1\nf 0 1 2\nf 3 2 1 0\n");
    /* equal positions are joined inside a node, over its meshes, and not between nodes; places multiply */
    expect_mesh("a.gltf", gltf_text, "read by Assimp", 6, 0,
                "v 1 2 3\nv 2 2 3\nv 1 3 3\nv 0 0 0\nv 2 0 0\nv 0 2 0\nv 2 0 0\nv 4 0 0\nv 2 2 0\n"
                "f 0 1 2\nf 0 1 2\nf 3 4 5\nf 3 4 5\nf 6 7 8\nf 6 7 8\n");
    static const char *const bad[][2] = {
        {"a.off", "OFF\n"}, {"a.gltf", "{"}, {"a.unheard", "what is this"}, {"a", "?"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        mesh_file mesh;
        char error[MESH_FILE_ERROR];
        ration r = {0, -1, 0, 0};
        file_put(bad[i][0], bad[i][1], strlen(bad[i][1]));
        assert_false(file_try(bad[i][0], &mesh, error, &r));
        assert_non_null(strstr(error, ": cannot be read as a mesh: "));
        assert_int_equal(unlink(bad[i][0]), 0);
    }
    /* Assimp 5.2 crashes on this one, and may on others; we do not */
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
    /* our own memory may run out around Assimp too */
    file_put("a.gltf", gltf_text, strlen(gltf_text));
    long failures = 0;
    for (;; failures++) {
        mesh_file mesh;
        char error[MESH_FILE_ERROR];
        ration r = {0, failures, 0, 0};
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

/* Readers that misbehave, each in its way. */

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

static bool complain_read(mesh_source *source, mesh_build *build)
{
    (void)build;
    return tact_mesh_source_fail(source, NULL, "is not to my taste");
}

/* A mesh of one triangle, which the readers below spoil. */
static bool triangle_read(mesh_source *source, mesh_build *build)
{
    static const double corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    (void)source;
    build->part_count = 1;
    build->skipped_count = 5;
    for (uint32_t i = 0; i < 3; i++)
        if (!mesh_build_vertex(build, corners[i]) || !mesh_build_corner(build, i))
            return false;
    return mesh_build_face(build, NULL);
}

static bool corner_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->corners.items[1] = 3;
    return done;
}

static bool number_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->numbers.items[1] = (double)NAN;
    return done;
}

static bool first_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->firsts.items[1] = 2;
    return done;
}

static bool count_spoil(mesh_source *source, mesh_build *build)
{
    bool done = triangle_read(source, build);
    build->numbers.count = 8;
    return done;
}

static void a_reader_apart_may_do_anything(void **state)
{
    (void)state;
    static const struct {
        bool (*read)(mesh_source *, mesh_build *);
        const char *error;
    } cases[] = {{crash_read, "a: made its reader crash (signal 11)"},
                 {abort_read, "a: made its reader crash (signal 6)"},
                 {leave_read, "a: made its reader fail without a reason"},
                 {complain_read, "a: is not to my taste"},
                 {corner_spoil, "a: made its reader fail without a reason"},
                 {number_spoil, "a: made its reader fail without a reason"},
                 {first_spoil, "a: made its reader fail without a reason"},
                 {count_spoil, "a: made its reader fail without a reason"},
                 {triangle_read, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ration r = {0, -1, 0, 0};
        tact_allocator allocator = {ration_resize, &r};
        char error[MESH_FILE_ERROR] = "";
        mesh_source source = {.path = "a", .allocator = &allocator, .error = error, .room = sizeof error};
        mesh_build build;
        assert_true(tact_mesh_build_begin(&build, &source, "none"));
        bool done = tact_mesh_read_apart(&source, &build, cases[i].read);
        assert_true(done == !cases[i].error);
        assert_string_equal(error, cases[i].error ? cases[i].error : "");
        if (done) {
            mesh_file mesh;
            assert_true(tact_mesh_build_finish(&build, &mesh));
            assert_true(is_valid(&mesh) && mesh.part_count == 1 && mesh.skipped_count == 5);
            bytes text = mesh_text(&mesh);
            assert_string_equal(text.data, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n");
            bytes_free(&text);
            tact_mesh_file_release(&mesh);
        }
        tact_mesh_build_release(&build);
        assert_int_equal(r.held, 0);
    }
}

/* Real files with counts that are known, where they are at hand. */
static void real_files_have_the_counts_they_should(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
        size_t vertices, faces;
    } files[] = {{"scenes/armadillo-rollers/t0.ply", "PLY, binary, little endian", 12135, 24242},
                 {"scenes/cloth-ball/t1.ply", "PLY, binary, big endian", 46598, 92230},
                 {"scenes/cloth-funnel/t0.ply", "PLY, binary, little endian", 9450, 18484},
                 {"animations/kick/mesh.obj", "OBJ", 12811, 25472}};
    const char *data = getenv("TACT_SHARED_DATA");
    char beside[1000];
    if (!data) {
        /* next to the repository, of which this file is in tests/ */
        const char *slash = strrchr(__FILE__, '/');
        int length = slash ? (int)(slash - __FILE__) : 0;
        (void)snprintf(beside, sizeof beside, "%.*s/../../shared/data", length, __FILE__);
        data = beside;
    }
    struct stat about;
    if (stat(data, &about) != 0) {
        print_message("skipped: there is no %s\n", data);
        skip();
    }
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
        assert_int_equal(mesh.corner_count, 3 * files[i].faces);
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
        cmocka_unit_test(stl_text_is_welded),
        cmocka_unit_test(stl_binary_is_welded),
        cmocka_unit_test(stl_welds_as_a_plain_search_does),
        cmocka_unit_test(numbers_are_rounded_as_by_strtod),
        cmocka_unit_test(numbers_next_to_half_way_are_rounded_right),
        cmocka_unit_test(what_is_no_number_is_not_read),
        cmocka_unit_test(damaged_files_are_refused_with_the_line),
        cmocka_unit_test(damaged_binary_files_are_refused_with_the_byte),
        cmocka_unit_test(files_cut_anywhere_are_survived),
        cmocka_unit_test(files_with_any_byte_changed_are_survived),
        cmocka_unit_test(files_mangled_at_random_are_survived),
        cmocka_unit_test(memory_is_in_proportion_to_the_file),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(errors_are_one_line_whatever_the_path),
        cmocka_unit_test(the_format_is_told_by_content_first),
        cmocka_unit_test(other_formats_go_through_assimp),
        cmocka_unit_test(a_reader_apart_may_do_anything),
        cmocka_unit_test(real_files_have_the_counts_they_should),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
