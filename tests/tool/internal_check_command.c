/* `tact check` compared with brute force and with meshes of known properties; errors in files. */
#define _POSIX_C_SOURCE 200809L

#include "oracle/zoo.h"

#include <inttypes.h>

#include "exact/triangle.h"
#include "shape/triangulate.h"
#include "support/long_form.h"
#include "support/shared_data.h"
#include "tool/answer.h"
#include "tool/folder.h"

/* ---- writing meshes ---- */

typedef enum file_kind { FILE_PLY, FILE_OBJ, FILE_STL, FILE_STL_BINARY } file_kind;

static void say(bytes *b, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bytes_say(b, text);
}

static void float_add(bytes *b, double value)
{
    float f = (float)value;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    for (int i = 0; i < 4; i++)
        bytes_add(b, &(unsigned char){(unsigned char)(word >> (8 * i))}, 1);
}

static tact_vec3 vertex_of(const zoo_mesh *m, uint32_t triangle, uint32_t k)
{
    return m->vertices[m->corners[3 * triangle + k]];
}

static bytes mesh_bytes(const zoo_mesh *m, file_kind kind)
{
    bytes b = {NULL, 0, 0};
    if (kind == FILE_STL || kind == FILE_STL_BINARY) {
        char header[80] = "made for a test";
        if (kind == FILE_STL)
            say(&b, "solid test\n");
        else
            bytes_add(&b, header, sizeof header);
        for (int i = 0; kind == FILE_STL_BINARY && i < 4; i++)
            bytes_add(&b, &(unsigned char){(unsigned char)(m->triangle_count >> (8 * i))}, 1);
        for (uint32_t t = 0; t < m->triangle_count; t++) {
            if (kind == FILE_STL)
                say(&b, "facet normal 0 0 0\nouter loop\n");
            for (int i = 0; kind == FILE_STL_BINARY && i < 3; i++)
                float_add(&b, 0.0);
            for (uint32_t k = 0; k < 3; k++) {
                tact_vec3 p = vertex_of(m, t, k);
                if (kind == FILE_STL) {
                    say(&b, "vertex %.17g %.17g %.17g\n", p.x, p.y, p.z);
                    continue;
                }
                float_add(&b, p.x);
                float_add(&b, p.y);
                float_add(&b, p.z);
            }
            if (kind == FILE_STL)
                say(&b, "endloop\nendfacet\n");
            else
                bytes_add(&b, "\0", 2);
        }
        if (kind == FILE_STL)
            say(&b, "endsolid test\n");
        return b;
    }
    if (kind == FILE_PLY)
        say(&b,
            "ply\nformat ascii 1.0\nelement vertex %" PRIu32
            "\nproperty double x\nproperty double y\nproperty double z\n"
            "element face %" PRIu32 "\nproperty list uchar int vertex_indices\nend_header\n",
            m->vertex_count, m->triangle_count);
    for (uint32_t i = 0; i < m->vertex_count; i++)
        say(&b, "%s%.17g %.17g %.17g\n", kind == FILE_OBJ ? "v " : "", m->vertices[i].x, m->vertices[i].y,
            m->vertices[i].z);
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *c = &m->corners[3 * t], one = kind == FILE_OBJ;
        say(&b, "%s %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", one ? "f" : "3", c[0] + one, c[1] + one, c[2] + one);
    }
    return b;
}

static void mesh_put(const char *name, const zoo_mesh *m, file_kind kind)
{
    bytes b = mesh_bytes(m, kind);
    file_put(name, b.data, b.size);
    bytes_free(&b);
}

static void text_put(const char *name, const char *text) { file_put(name, text, strlen(text)); }

/* Adds a cube with the given half extent and centre. */
static void cube_add(zoo_mesh *m, double half, double x, double y, double z)
{
    static zoo_mesh cube;
    uint32_t first = m->vertex_count;
    zoo_clear(&cube);
    zoo_cube(&cube, half);
    for (uint32_t i = 0; i < cube.vertex_count; i++)
        (void)zoo_vertex(m, cube.vertices[i].x + x, cube.vertices[i].y + y, cube.vertices[i].z + z);
    for (uint32_t t = 0; t < cube.triangle_count; t++)
        zoo_triangle(m, first + cube.corners[3 * t], first + cube.corners[3 * t + 1], first + cube.corners[3 * t + 2]);
}

static void cube_put(const char *name, double half, double x, double y, double z, file_kind kind)
{
    static zoo_mesh m;
    zoo_clear(&m);
    cube_add(&m, half, x, y, z);
    mesh_put(name, &m, kind);
}

/* ---- reading results ---- */

/* Runs `tact check` with up to six words; fewer end with NULL. */
static outcome check_run(const char *const *words)
{
    const char *line[8] = {"check"};
    for (int i = 0; i < 6 && words[i]; i++)
        line[i + 1] = words[i];
    return tool_run(line, "", 0);
}

/* The same with --json: valid JSON, nothing on stderr. */
static outcome check_json(const char *a, const char *b, const char *more, const char *still)
{
    const char *words[6] = {"--json"};
    int count = 1;
    const char *given[4] = {a, b, more, still};
    for (int i = 0; i < 4; i++)
        if (given[i])
            words[count++] = given[i];
    outcome o = check_run(words);
    if (o.status != 0 || o.err.size > 0)
        fail_msg("tact check --json %s %s: status %d, stderr %s", a, b ? b : "", o.status, o.err.data);
    assert_int_equal(count_lines(o.out.data), 1);
    o.out.data[o.out.size - 1] = '\0';
    if (!is_answer(o.out.data))
        fail_msg("not valid JSON: %.2000s", o.out.data);
    return o;
}

/* The start of the member `name` after `from`. */
static const char *member(const char *from, const char *name)
{
    char key[100];
    (void)snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(from, key);
    if (!at)
        fail_msg("there is no %s in %.500s", name, from);
    return at + strlen(key);
}

static double number(const char *from, const char *name) { return strtod(member(from, name), NULL); }

static bool flag(const char *from, const char *name) { return *member(from, name) == 't'; }

/* Requires members of the object that begins at `from`, as "name=number". */
static void expect(const char *from, const char *const *facts)
{
    for (; *facts; facts++) {
        char name[60];
        const char *equals = strchr(*facts, '=');
        (void)snprintf(name, sizeof name, "%.*s", (int)(equals - *facts), *facts);
        const char *value = member(from, name);
        double truth = *value == 't' ? 1.0 : *value == 'f' ? 0.0 : strtod(value, NULL);
        if (fabs(truth - strtod(equals + 1, NULL)) > 1e-9)
            fail_msg("%s expected, but found %.20s in %.1500s", *facts, value, from);
    }
}

/* The n-th file, and the n-th pair of files. */
static const char *object_at(const char *json, const char *list, int n)
{
    const char *at = member(json, list) + 1;
    for (; n > 0; n--)
        at = json_skip(at, 0) + 1;
    return at;
}

typedef struct pair_list {
    uint32_t (*items)[2];
    size_t count;
} pair_list;

static pair_list pairs_read(const char *from)
{
    const char *at = member(from, "pairs"), *end = json_skip(at, 0);
    pair_list list = {calloc((size_t)(end - at), sizeof *list.items), 0};
    assert_non_null(list.items);
    for (at++; *at == '[';) {
        char *next;
        list.items[list.count][0] = (uint32_t)strtoul(at + 1, &next, 10);
        list.items[list.count++][1] = (uint32_t)strtoul(next + 1, &next, 10);
        at = next + 1;
        at += *at == ',';
    }
    return list;
}

#define FACTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- meshes with known properties ---- */

static void intersection_and_containment_of_two_cubes(void **state)
{
    (void)state;
    static const struct {
        double half, x, y, z;
        bool interfere, cross, inside;
    } cases[] = {
        {1.0, 1.5, 0.25, 0.5, true, true, false},            /* overlapping */
        {1.0, 2.0, 0.0, 0.0, true, true, false},             /* a face on a face */
        {1.0, 2.0, 2.0, 2.0, true, true, false},             /* a vertex on a vertex */
        {1.0, 2.0 + 0x1p-20, 0.0, 0.0, false, false, false}, /* a tiny gap */
        {0.25, 0.5, 0.5, 0.5, true, false, true},            /* inside */
        {0.5, 0.5, 0.0, 0.0, true, true, false},             /* inside, on a face */
        {0.25, 5.0, 0.0, 0.0, false, false, false},
    };
    static const char *const names[] = {"c.ply", "c.obj", "c.stl", "c2.stl"};
    for (int first = FILE_PLY; first <= FILE_STL_BINARY; first++) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            file_kind second = (file_kind)(((size_t)first + i) % 4);
            cube_put("a", 1.0, 0.0, 0.0, 0.0, (file_kind)first);
            cube_put(names[second], cases[i].half, cases[i].x, cases[i].y, cases[i].z, second);
            for (int turn = 0; turn < 2; turn++) {
                outcome o =
                    turn ? check_json(names[second], "a", NULL, NULL) : check_json("a", names[second], NULL, NULL);
                const char *pair = object_at(o.out.data, "between", 0);
                pair_list list = pairs_read(pair);
                if (flag(pair, "interfere") != cases[i].interfere || (list.count > 0) != cases[i].cross ||
                    (number(pair, turn ? "a_inside_b" : "b_inside_a") > 0.0) != cases[i].inside ||
                    number(pair, turn ? "b_inside_a" : "a_inside_b") > 0.0)
                    fail_msg("case %zu, turn %d: %s", i, turn, pair);
                expect(object_at(o.out.data, "files", turn),
                       FACTS("vertices=8", "faces=12", "triangles=12", "components=1", "closed=1", "inverted=0",
                             "volume=8", "open_edges=0", "self_intersections=0", "intersections=0",
                             "duplicate_vertices=0"));
                free(list.items);
                outcome_free(&o);
            }
            assert_int_equal(unlink("a"), 0);
            assert_int_equal(unlink(names[second]), 0);
        }
    }
}

/* Components of one file: one intersects, two are inside, one is outside. */
static void components_inside_are_counted(void **state)
{
    (void)state;
    static zoo_mesh m;
    static const char *const words[] = {"big.ply", "parts.obj", NULL};
    cube_put("big.ply", 4.0, 0.0, 0.0, 0.0, FILE_PLY);
    zoo_clear(&m);
    cube_add(&m, 0.5, 1.0, 1.0, 1.0);
    cube_add(&m, 0.5, 4.0, 0.0, 0.0);
    cube_add(&m, 0.5, -1.0, 1.0, 1.0);
    cube_add(&m, 0.5, 9.0, 1.0, 1.0);
    mesh_put("parts.obj", &m, FILE_OBJ);
    outcome o = check_json("big.ply", "parts.obj", NULL, NULL);
    const char *pair = object_at(o.out.data, "between", 0);
    expect(pair, FACTS("a=0", "b=1", "interfere=1", "a_inside_b=0", "b_inside_a=2"));
    pair_list list = pairs_read(pair);
    assert_true(list.count > 0);
    for (size_t i = 0; i < list.count; i++)
        assert_true(list.items[i][1] >= 12 && list.items[i][1] < 24); /* faces of the second cube */
    free(list.items);
    outcome_free(&o);
    o = check_run(words);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "2 of 4 components of parts.obj lie inside big.ply"));
    outcome_free(&o);
    /* An open mesh has no interior without --solid. */
    m.triangle_count = 0;
    m.vertex_count = 0;
    cube_add(&m, 4.0, 0.0, 0.0, 0.0);
    m.triangle_count--;
    mesh_put("big.ply", &m, FILE_PLY);
    cube_put("parts.obj", 0.5, 1.0, 1.0, 1.0, FILE_OBJ);
    o = check_json("big.ply", "parts.obj", NULL, NULL);
    expect(object_at(o.out.data, "between", 0), FACTS("interfere=0", "b_inside_a=0"));
    expect(object_at(o.out.data, "files", 0), FACTS("closed=0", "open_edges=3"));
    outcome_free(&o);
    o = check_json("big.ply", "parts.obj", "--solid", NULL);
    double inside = number(object_at(o.out.data, "between", 0), "b_inside_a");
    /* the ray leaves through a face, or through the hole */
    assert_true(inside == 0.0 || inside == 1.0);
    outcome_free(&o);
    assert_int_equal(unlink("big.ply"), 0);
    assert_int_equal(unlink("parts.obj"), 0);
}

/* Components of one file inside each other: three nested ones, one that touches, one alone. */
static void nested_components_are_counted(void **state)
{
    (void)state;
    static zoo_mesh m;
    static const char *const words[] = {"dolls.stl", NULL};
    zoo_clear(&m);
    cube_add(&m, 1.0, 0.0, 0.0, 0.0);
    cube_add(&m, 4.0, 0.0, 0.0, 0.0);
    cube_add(&m, 0.5, 0.25, 0.0, 0.0);
    cube_add(&m, 0.5, 3.5, 0.125, 0.25); /* on the face of the largest, from inside */
    cube_add(&m, 1.0, 9.0, 0.0, 0.0);
    cube_add(&m, 0.25, -2.5, 0.0, 0.0);
    mesh_put("dolls.stl", &m, FILE_STL);
    outcome o = check_json("dolls.stl", NULL, NULL, NULL);
    expect(object_at(o.out.data, "files", 0), FACTS("components=6", "closed=1", "nested=3"));
    outcome_free(&o);
    o = check_run(words);
    assert_non_null(strstr(o.out.data, "3 components lie inside another component\n"));
    outcome_free(&o);
    assert_int_equal(unlink("dolls.stl"), 0);
}

static void defects_are_found(void **state)
{
    (void)state;
    static zoo_mesh m;
    outcome o;
    /* inverted */
    zoo_clear(&m);
    cube_add(&m, 1.0, 0.0, 0.0, 0.0);
    for (uint32_t t = 0; t < m.triangle_count; t++) {
        uint32_t swap = m.corners[3 * t];
        m.corners[3 * t] = m.corners[3 * t + 1];
        m.corners[3 * t + 1] = swap;
    }
    mesh_put("defects.ply", &m, FILE_PLY);
    o = check_json("defects.ply", NULL, NULL, NULL);
    expect(object_at(o.out.data, "files", 0), FACTS("closed=1", "inverted=1", "volume=-8", "inconsistent_edges=0"));
    outcome_free(&o);
    /* one face with the opposite orientation */
    zoo_clear(&m);
    cube_add(&m, 1.0, 0.0, 0.0, 0.0);
    uint32_t swap = m.corners[0];
    m.corners[0] = m.corners[1];
    m.corners[1] = swap;
    mesh_put("defects.ply", &m, FILE_PLY);
    o = check_json("defects.ply", NULL, NULL, NULL);
    expect(object_at(o.out.data, "files", 0), FACTS("closed=1", "inconsistent_edges=3", "self_intersections=0"));
    outcome_free(&o);
    /* intersecting, coplanar, duplicate and degenerate triangles, a non-manifold edge, an unreferenced vertex */
    text_put("defects.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\n" /* 1-6 */
                            "v 10 0 0\nv 11 0 0\nv 10 1 0\nv 10.5 0.5 0\n"                        /* 7-10 */
                            "v 20 0 0\nv 21 0 0\nv 20 1 0\nv 20 0 1\nv 20 -1 -1\n"                /* 11-15 */
                            "v 30 0 0\nv 31 0 0\nv 32 0 0\nv 40 0 0\nv 30 0 0\n"                  /* 16-20 */
                            "f 1 2 3\nf 4 5 6\n"                                                  /* 0 1: cross */
                            "f 7 8 9\nf 9 7 8\n"                                                  /* 2 3: the same */
                            "f 7 8 10\n"                                                          /* 4: on both */
                            "f 11 12 13\nf 11 12 14\nf 11 12 15\n"                                /* 5-7: a fan */
                            "f 16 17 18\n");                                                      /* 8: no area */
    o = check_json("defects.obj", NULL, NULL, NULL);
    const char *file = object_at(o.out.data, "files", 0);
    expect(file, FACTS("vertices=20", "faces=9", "components=5", "closed=0", "degenerate_triangles=1",
                       "duplicate_triangles=1", "non_manifold_edges=2", "unreferenced_vertices=2",
                       "duplicate_vertices=1", "self_intersections=4", "intersections=4"));
    static const uint32_t truth[][2] = {{0, 1}, {2, 3}, {2, 4}, {3, 4}};
    pair_list list = pairs_read(file);
    assert_int_equal(list.count, 4);
    assert_memory_equal(list.items, truth, sizeof truth);
    free(list.items);
    outcome_free(&o);
    static const char *const words[] = {"defects.obj", NULL};
    o = check_run(words);
    assert_int_equal(o.status, 0);
    static const char *const expected_lines[] = {"4 pairs of faces intersect:\n    0 1\n    2 3\n    2 4\n    3 4\n",
                                                 "1 degenerate triangle",
                                                 "1 duplicate triangle",
                                                 "2 non-manifold edges (more than two triangles)",
                                                 "2 unreferenced vertices",
                                                 "1 duplicate vertex (same position as an earlier one)",
                                                 "9 triangles, 5 connected components"};
    for (size_t i = 0; i < sizeof expected_lines / sizeof expected_lines[0]; i++)
        if (!strstr(o.out.data, expected_lines[i]))
            fail_msg("\"%s\" is not in\n%s", expected_lines[i], o.out.data);
    outcome_free(&o);
    assert_int_equal(unlink("defects.ply"), 0);
    assert_int_equal(unlink("defects.obj"), 0);
}

/* A polygon is reported once, by its own index, whatever its triangulation. */
static void polygons_have_the_indices_of_the_file(void **state)
{
    (void)state;
    text_put("quads.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 1 -1\nv 3 1 -1\nv 3 3 1\nv 1 3 1\n"
                          "v 9 0 0\nv 10 0 0\nv 10 1 0\n"
                          "f 9 10 11\nf 1 2 3 4\nf 5 6 7 8\n");
    text_put("blade.obj", "v 2 -9 -9\nv 2 9 -9\nv 2 9 9\nv 2 -9 9\nf 1 2 3 4\n");
    outcome o = check_json("quads.obj", "blade.obj", NULL, NULL);
    const char *file = object_at(o.out.data, "files", 0), *pair = object_at(o.out.data, "between", 0);
    expect(file, FACTS("faces=3", "triangles=5", "intersections=1"));
    static const uint32_t inside[][2] = {{1, 2}}, between[][2] = {{1, 0}, {2, 0}};
    pair_list list = pairs_read(file);
    assert_int_equal(list.count, 1);
    assert_memory_equal(list.items, inside, sizeof inside);
    free(list.items);
    list = pairs_read(pair);
    assert_int_equal(list.count, 2);
    assert_memory_equal(list.items, between, sizeof between);
    free(list.items);
    outcome_free(&o);
    /* A bow tie, whose triangles may or may not overlap, must give a result. */
    text_put("quads.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n");
    o = check_json("quads.obj", NULL, NULL, NULL);
    expect(object_at(o.out.data, "files", 0), FACTS("faces=1"));
    outcome_free(&o);
    assert_int_equal(unlink("quads.obj"), 0);
    assert_int_equal(unlink("blade.obj"), 0);
}

/* ---- brute force ---- */

static bool segments_meet(tact_vec3 p, tact_vec3 q, const tact_vec3 t[3])
{
    const tact_vec3 flat[3] = {p, q, q};
    return zoo_gap(flat, t) == 0.0L;
}

static bool same_place(tact_vec3 p, tact_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

static bool has_area(const tact_vec3 t[3])
{
    return !segments_meet(t[0], t[1], (const tact_vec3[]){t[2], t[2], t[2]}) &&
           !segments_meet(t[1], t[2], (const tact_vec3[]){t[0], t[0], t[0]}) &&
           !segments_meet(t[2], t[0], (const tact_vec3[]){t[1], t[1], t[1]});
}

/* True if two triangles of a mesh intersect outside their shared vertices, decided by segment distances instead of the
 * predicate. `kind` is the number of shared vertices. */
static bool beyond(const tact_vec3 a[3], const tact_vec3 b[3], int *kind)
{
    tact_vec3 p[3], q[3], shared[3]; /* p, q: not shared */
    int np = 0, nq = 0, ns = 0;
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (int j = 0; j < 3; j++)
            found = found || same_place(a[i], b[j]);
        if (found)
            shared[ns++] = a[i];
        else
            p[np++] = a[i];
    }
    for (int j = 0; j < 3; j++) {
        bool found = false;
        for (int i = 0; i < 3; i++)
            found = found || same_place(a[i], b[j]);
        if (!found)
            q[nq++] = b[j];
    }
    *kind = ns;
    if (ns == 0)
        return zoo_gap(a, b) == 0.0L;
    if (!has_area(a) || !has_area(b)) {
        const triangle_shared share =
            tact_triangle_shared_by_position(a, b); /* the exact predicate has tests of its own */
        return tact_triangles_intersect_beyond_shared(a, b, &share);
    }
    if (ns == 3)
        return true;
    /* The line from a shared vertex through a common point reaches the opposite edge of one triangle inside the other.
     */
    if (ns == 1)
        return segments_meet(p[0], p[1], b) || segments_meet(q[0], q[1], a);
    /* With a shared edge: the apex of one is inside the other, or their edges cross. */
    return segments_meet(p[0], p[0], b) || segments_meet(q[0], q[0], a) ||
           segments_meet(p[0], shared[0], (const tact_vec3[]){q[0], shared[1], shared[1]}) ||
           segments_meet(p[0], shared[1], (const tact_vec3[]){q[0], shared[0], shared[0]});
}

static bool boxes_apart(const tact_vec3 a[3], const tact_vec3 b[3])
{
    for (int k = 0; k < 3; k++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 3; i++) {
            const double at[2] = {k == 0   ? a[i].x
                                  : k == 1 ? a[i].y
                                           : a[i].z,
                                  k == 0   ? b[i].x
                                  : k == 1 ? b[i].y
                                           : b[i].z};
            for (int s = 0; s < 2; s++) {
                low[s] = fmin(low[s], at[s]);
                high[s] = fmax(high[s], at[s]);
            }
        }
        if (low[0] > high[1] || low[1] > high[0])
            return true;
    }
    return false;
}

static void triangle_at(const zoo_mesh *m, uint32_t t, tact_vec3 corner[3])
{
    for (uint32_t k = 0; k < 3; k++)
        corner[k] = vertex_of(m, t, k);
}

/* Intersecting pairs by number of shared vertices: every kind must occur. */
static size_t tally[4], tally_apart[4];

/* All pairs of `a` and `b`, or of `a` and itself for NULL. */
static pair_list brute(const zoo_mesh *a, const zoo_mesh *b)
{
    pair_list list = {NULL, 0};
    size_t capacity = 0;
    const zoo_mesh *other = b ? b : a;
    for (uint32_t i = 0; i < a->triangle_count; i++)
        for (uint32_t j = b ? 0 : i + 1; j < other->triangle_count; j++) {
            tact_vec3 p[3], q[3];
            int kind = 0;
            triangle_at(a, i, p);
            triangle_at(other, j, q);
            bool meet = !boxes_apart(p, q) && (b ? zoo_gap(p, q) == 0.0L : beyond(p, q, &kind));
            (meet ? tally : tally_apart)[kind]++;
            if (!meet)
                continue;
            if (list.count == capacity) {
                capacity = capacity ? 2 * capacity : 64;
                list.items = realloc(list.items, capacity * sizeof *list.items);
                assert_non_null(list.items);
            }
            list.items[list.count][0] = i;
            list.items[list.count++][1] = j;
        }
    return list;
}

static void expect_pairs(const char *object, pair_list truth, uint64_t round, const char *what)
{
    pair_list found = pairs_read(object);
    bool same = found.count == truth.count && number(object, "intersections") == (double)truth.count;
    for (size_t i = 0; same && i < found.count; i++)
        same = memcmp(found.items[i], truth.items[i], sizeof *found.items) == 0;
    if (!same)
        fail_msg("round %" PRIu64 ", %s: %zu pairs, but brute force finds %zu", round, what, found.count, truth.count);
    free(found.items);
}

/* Triangles between a few points of a grid, which share vertices and edges and intersect. */
static void tangle_make(zoo_mesh *m, dice *d)
{
    zoo_clear(m);
    for (int i = 0; i < 18; i++)
        (void)zoo_vertex(m, dice_pick(d, 3), dice_pick(d, 3), dice_pick(d, 3));
    for (int i = 0; i < 40; i++)
        zoo_triangle(m, (uint32_t)dice_pick(d, 18), (uint32_t)dice_pick(d, 18), (uint32_t)dice_pick(d, 18));
}

#define SEED 20261115u

static void reported_pairs_are_those_of_brute_force(void **state)
{
    (void)state;
    static zoo_mesh a, b, split;
    static const char *const threads[] = {"1", "2", "3"};
    size_t hits = 0, misses = 0;
    memset(tally, 0, sizeof tally);
    memset(tally_apart, 0, sizeof tally_apart);
    const uint64_t rounds = random_case_count(9, 40); /* of two meshes of some 60 triangles */
    for (uint64_t i = 0; i < rounds; i++) {
        dice d = dice_for(SEED, 0, i);
        if (i % 5 == 4)
            tangle_make(&a, &d);
        else
            zoo_make(&a, (zoo_kind)(i % ZOO_KINDS), 60, &d);
        zoo_make(&b, (zoo_kind)((i / ZOO_KINDS + i) % ZOO_KINDS), 60, &d);
        for (uint32_t v = 0; v < b.vertex_count; v++)
            b.vertices[v].x += 0.5 * (double)(i % 4);
        mesh_put("a.ply", &a, i % 2 ? FILE_OBJ : FILE_PLY);
        mesh_put("b.stl", &b, FILE_STL);
        outcome o = check_json("a.ply", "b.stl", "--threads", threads[i % 3]);
        pair_list inside_a = brute(&a, NULL), inside_b = brute(&b, NULL), between = brute(&a, &b);
        expect_pairs(object_at(o.out.data, "files", 0), inside_a, i, "a inside");
        expect_pairs(object_at(o.out.data, "files", 1), inside_b, i, "b inside");
        hits += between.count > 0;
        misses += between.count == 0;
        expect_pairs(object_at(o.out.data, "between", 0), between, i, "between");
        outcome_free(&o);
        /* Vertices written once for each triangle change nothing. */
        zoo_split(&a, &split);
        mesh_put("a.ply", &split, FILE_PLY);
        o = check_json("a.ply", NULL, NULL, NULL);
        expect_pairs(object_at(o.out.data, "files", 0), inside_a, i, "a split");
        outcome_free(&o);
        free(inside_a.items);
        free(inside_b.items);
        free(between.items);
    }
    assert_true(few_cases() || (hits >= 3 && misses >= 1));
    for (int k = 0; k < 3 && !few_cases(); k++)
        if (tally[k] < 4 || tally_apart[k] < 10)
            fail_msg("of pairs that share %d vertices only %zu intersect and %zu do not", k, tally[k], tally_apart[k]);
    assert_true(few_cases() || tally[3] >= 5);
    assert_int_equal(unlink("a.ply"), 0);
    assert_int_equal(unlink("b.stl"), 0);
}

/* A polygon with random vertices in a square, and a quadrilateral through it. The polygon intersects itself in millions
 * of triangle pairs, which count as one; with the quadrilateral every pair counts. */
static void self_intersecting_faces_count_once(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static const tact_allocator plain = {0};
    static tact_vec3 at[MOST + 4];
    static uint32_t corners[MOST + 4];
    for (int round = 0; round < 12; round++) {
        const uint32_t size = round == 0 ? MOST : 40, sizes[2] = {size, 4};
        dice d = dice_for(SEED, 2, (uint64_t)round);
        bytes file = {NULL, 0, 0};
        const double x = dice_between(&d, 0.1, 0.9);
        for (uint32_t i = 0; i < size + 4; i++) {
            const uint32_t k = i - size;
            at[i] = i < size ? (tact_vec3){dice_between(&d, 0.0, 1.0), dice_between(&d, 0.0, 1.0), 0.0}
                             : (tact_vec3){x, k == 1 || k == 2 ? 0.6 : 0.4, k >= 2 ? 1.0 : -1.0};
            corners[i] = i;
            say(&file, "v %.17g %.17g %.17g\n", at[i].x, at[i].y, at[i].z);
        }
        for (uint32_t i = 0; i < size + 4; i++)
            say(&file, "%s %" PRIu32, i == 0 ? "f" : i == size ? "\nf" : "", i + 1);
        say(&file, "\n");
        file_put("cross.obj", file.data, file.size);
        bytes_free(&file);
        vertex_index_array triangles = {0};
        assert_int_equal(tact_polygon_triangulate(at, corners, sizes, 1, &plain, &triangles), TACT_OK);
        const size_t own = triangles.count;
        assert_int_equal(tact_polygon_triangulate(at, corners + size, sizes + 1, 1, &plain, &triangles), TACT_OK);
        size_t through = 0;
        bool crosses = false;
        for (size_t i = 0; i < own; i += 3)
            for (size_t j = i + 3; j < triangles.count; j += 3) {
                int kind;
                if (j < own && crosses)
                    j = own;
                tact_vec3 a[3], b[3];
                for (size_t k = 0; k < 3; k++)
                    a[k] = at[triangles.items[i + k]], b[k] = at[triangles.items[j + k]];
                const bool meet = !boxes_apart(a, b) && beyond(a, b, &kind);
                crosses = crosses || (j < own && meet);
                through += j >= own && meet;
            }
        vertex_index_array_release(&triangles, &plain);
        assert_true(crosses && through > 2);
        outcome o = check_json("cross.obj", "--threads", round % 2 ? "1" : "2", NULL);
        const char *found = object_at(o.out.data, "files", 0);
        static const uint32_t truth[][2] = {{0, 0}, {0, 1}};
        pair_list list = pairs_read(found);
        assert_int_equal(list.count, 2);
        assert_memory_equal(list.items, truth, sizeof truth);
        if (number(found, "self_intersections") != (double)(1 + through))
            fail_msg("round %d: self_intersections should be 1 + %zu: %.800s", round, through, found);
        free(list.items);
        outcome_free(&o);
    }
    /* The polygon alone. */
    text_put("cross.obj", "v 0 0 0\nv 4 1 0\nv 0 2 0\nv 3 0 0\nv 3 3 0\nf 1 2 3 4 5\n");
    outcome o = check_json("cross.obj", NULL, NULL, NULL);
    expect(object_at(o.out.data, "files", 0), FACTS("self_intersections=1", "intersections=1"));
    outcome_free(&o);
    assert_int_equal(unlink("cross.obj"), 0);
}

/* ---- options and input ---- */

static void limits_apply_to_lists(void **state)
{
    (void)state;
    cube_put("a.stl", 1.0, 0.0, 0.0, 0.0, FILE_STL);
    cube_put("b.stl", 1.0, 1.0, 1.0, 1.0, FILE_STL);
    outcome o = check_json("a.stl", "b.stl", NULL, NULL);
    const char *pair = object_at(o.out.data, "between", 0);
    pair_list whole = pairs_read(pair);
    size_t all = whole.count;
    assert_true(all > 12);
    outcome_free(&o);
    o = check_json("a.stl", "b.stl", "--limit", "5");
    pair = object_at(o.out.data, "between", 0);
    pair_list some = pairs_read(pair);
    assert_int_equal(some.count, 5);
    assert_true(number(pair, "intersections") == (double)all);
    assert_memory_equal(some.items, whole.items, 5 * sizeof *some.items);
    free(some.items);
    free(whole.items);
    outcome_free(&o);
    static const struct {
        const char *words[4];
        size_t lines;
    } texts[] = {
        {{"a.stl", "b.stl"}, 11}, {{"a.stl", "b.stl", "--limit", "3"}, 4}, {{"--limit", "0", "a.stl", "b.stl"}, 0}};
    for (size_t i = 0; i < 4; i++) {
        static const char *const with_all[] = {"--all", "a.stl", "--", "b.stl", NULL};
        const char *words[6] = {NULL};
        for (int k = 0; i < 3 && k < 4; k++)
            words[k] = texts[i].words[k];
        o = check_run(i < 3 ? words : with_all);
        assert_int_equal(o.status, 0);
        size_t lines = 0;
        for (const char *at = o.out.data; (at = strstr(at, "\n    ")) != NULL; at++)
            lines++;
        assert_int_equal(lines, i < 3 ? texts[i].lines : all);
        outcome_free(&o);
    }
    assert_int_equal(unlink("a.stl"), 0);
    assert_int_equal(unlink("b.stl"), 0);
}

static void many_files_give_every_pair(void **state)
{
    (void)state;
    static const char *const words[] = {"--json", "0.ply", "1.ply", "2.ply", "3.ply", NULL};
    for (int i = 0; i < 4; i++) {
        char name[20];
        (void)snprintf(name, sizeof name, "%d.ply", i);
        cube_put(name, 1.0, 1.5 * i, 0.25 * i, 0.125 * i, FILE_PLY); /* neighbours overlap, others do not */
    }
    outcome o = check_run(words);
    assert_int_equal(o.status, 0);
    int n = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++, n++) {
            const char *pair = object_at(o.out.data, "between", n);
            assert_true(number(pair, "a") == a && number(pair, "b") == b);
            assert_int_equal(flag(pair, "interfere"), b == a + 1);
        }
    outcome_free(&o);
    o = check_run(words + 1);
    assert_non_null(strstr(o.out.data, "3 of 6 pairs of files interfere"));
    assert_null(strstr(o.out.data, "0.ply and 2.ply"));
    assert_non_null(strstr(o.out.data, "2.ply and 3.ply"));
    outcome_free(&o);
    for (int i = 0; i < 4; i++)
        assert_int_equal(unlink(words[i + 1]), 0);
}

static void unusual_files_are_checked(void **state)
{
    (void)state;
    /* no faces; a volume beyond the range of doubles; the same file twice; special characters in the name */
    static const char odd_name[] = "a \"b\"\\\t.obj", broken_name[] = "caf\xe9.obj";
    text_put("none.obj", "v 0 0 0\n");
    text_put("huge.obj", "v 0 0 0\nv 1e149 0 0\nv 0 1e149 0\nv 0 0 1e149\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    cube_put(odd_name, 1.0, 0.0, 0.0, 0.0, FILE_OBJ);
    cube_put(broken_name, 1.0, 0.0, 0.0, 0.0, FILE_OBJ);
    outcome o = check_json("none.obj", "huge.obj", odd_name, broken_name);
    expect(object_at(o.out.data, "files", 0), FACTS("vertices=1", "faces=0", "components=0", "intersections=0"));
    expect(object_at(o.out.data, "files", 1), FACTS("faces=4", "closed=1", "inverted=0", "intersections=0"));
    assert_non_null(strstr(o.out.data, "\"a \\\"b\\\"\\\\\\t.obj\""));
    assert_non_null(strstr(o.out.data, "\"caf?.obj\""));
    outcome_free(&o);
    o = check_json("huge.obj", "huge.obj", NULL, NULL);
    expect(object_at(o.out.data, "between", 0), FACTS("intersections=16", "a_inside_b=0", "b_inside_a=0"));
    outcome_free(&o);
    static const char *const words[] = {"none.obj", "huge.obj", odd_name, NULL};
    o = check_run(words);
    assert_int_equal(o.status, 0);
    outcome_free(&o);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(unlink(words[i]), 0);
    assert_int_equal(unlink(broken_name), 0);
}

/* Bad input: status 1, nothing on stdout, one line on stderr that names file, line and reason. */
static void errors_name_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *name, *content, *expected;
    } bad[] = {
        {"bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 x\n", "bad.obj:3: "},
        {"bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "bad.obj:4: "},
        {"bad.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n", "bad.ply:"},
        {"bad.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2\n", "bad.stl:4"},
        {"far.obj", "v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n", "far.obj: vertex 1 "},
        {"empty.ply", "", "empty.ply: "},
        {"gone.obj", NULL, "gone.obj: cannot be opened: "},
    };
    cube_put("good.stl", 1.0, 0.0, 0.0, 0.0, FILE_STL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *words[6] = {"good.stl", bad[i].name, i % 2 ? "--json" : NULL};
        if (bad[i].content)
            text_put(bad[i].name, bad[i].content);
        outcome o = check_run(words);
        if (o.status != 1 || o.out.size != 0 || count_lines(o.err.data) != 1 ||
            strncmp(o.err.data, bad[i].expected, strlen(bad[i].expected)) != 0)
            fail_msg("case %zu: status %d, stdout %s, stderr %s", i, o.status, o.out.data, o.err.data);
        outcome_free(&o);
        if (bad[i].content)
            assert_int_equal(unlink(bad[i].name), 0);
    }
    assert_int_equal(unlink("good.stl"), 0);
}

static void usage_is_status_2(void **state)
{
    (void)state;
    static const char *const bad[][6] = {{NULL},
                                         {"--json", NULL},
                                         {"--dance", "a.stl", NULL},
                                         {"a.stl", "--limit", NULL},
                                         {"a.stl", "--limit", "-1", NULL},
                                         {"a.stl", "--limit", "3x", NULL},
                                         {"a.stl", "--limit", "99999999999999999999999", NULL},
                                         {"a.stl", "--threads", "0", NULL},
                                         {"a.stl", "--threads", "many", NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        outcome o = check_run(bad[i]);
        if (o.status != 2 || o.out.size != 0 || count_lines(o.err.data) != 1 || !strstr(o.err.data, "tact help check"))
            fail_msg("case %zu: status %d, stdout %s, stderr %s", i, o.status, o.out.data, o.err.data);
        outcome_free(&o);
    }
    static const char *const help[] = {"--help", NULL};
    outcome o = check_run(help);
    assert_int_equal(o.status, 0);
    assert_true(count_lines(o.out.data) > 10);
    outcome_free(&o);
}

/* ---- real meshes ---- */

/* Indices and vertices of a plain OBJ file, read independently of the tool. */
typedef struct plain_mesh {
    tact_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} plain_mesh;

static plain_mesh obj_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[500];
    plain_mesh m = {calloc(100000, sizeof *m.vertices), calloc(100000, sizeof *m.triangles), 0, 0};
    assert_true(file && m.vertices && m.triangles);
    while (fgets(line, sizeof line, file)) {
        tact_vec3 p;
        uint32_t c[3];
        if (sscanf(line, "v %lf %lf %lf", &p.x, &p.y, &p.z) == 3)
            m.vertices[m.vertex_count++] = p;
        else if (sscanf(line, "f %" SCNu32 " %" SCNu32 " %" SCNu32, &c[0], &c[1], &c[2]) == 3) {
            for (int k = 0; k < 3; k++)
                m.triangles[m.triangle_count][k] = c[k] - 1;
            m.triangle_count++;
        }
        assert_true(m.vertex_count < 100000 && m.triangle_count < 100000);
    }
    assert_int_equal(fclose(file), 0);
    return m;
}

typedef struct extent {
    double low, high;
    uint32_t triangle;
} extent;

static int by_low(const void *a, const void *b)
{
    double l = ((const extent *)a)->low, r = ((const extent *)b)->low;
    return (l > r) - (l < r);
}

/* A mesh of 25,000 triangles compared with a sweep along y, which uses no tree. */
static void a_scanned_mesh_matches_a_sweep(void **state)
{
    (void)state;
    char path[1200];
    (void)snprintf(path, sizeof path, "%s/animations/kick/mesh.obj", shared_data());
    plain_mesh m = obj_read(path);
    extent *extents = calloc(m.triangle_count, sizeof *extents);
    assert_non_null(extents);
    for (uint32_t t = 0; t < m.triangle_count; t++) {
        extents[t] = (extent){INFINITY, -INFINITY, t};
        for (int k = 0; k < 3; k++) {
            extents[t].low = fmin(extents[t].low, m.vertices[m.triangles[t][k]].y);
            extents[t].high = fmax(extents[t].high, m.vertices[m.triangles[t][k]].y);
        }
    }
    qsort(extents, m.triangle_count, sizeof *extents, by_low);
    size_t met = 0;
    uint64_t sum = 0; /* of the indices of all intersecting faces */
    for (size_t i = 0; i < m.triangle_count; i++)
        for (size_t j = i + 1; j < m.triangle_count && extents[j].low <= extents[i].high; j++) {
            tact_vec3 p[3], q[3];
            for (int k = 0; k < 3; k++) {
                p[k] = m.vertices[m.triangles[extents[i].triangle][k]];
                q[k] = m.vertices[m.triangles[extents[j].triangle][k]];
            }
            if (boxes_apart(p, q))
                continue;
            const triangle_shared share = tact_triangle_shared_by_position(p, q);
            if (!tact_triangles_intersect_beyond_shared(p, q, &share))
                continue;
            met++;
            sum += extents[i].triangle + extents[j].triangle;
        }
    outcome o = check_json(path, NULL, NULL, NULL);
    const char *file = object_at(o.out.data, "files", 0);
    assert_true(number(file, "vertices") == (double)m.vertex_count &&
                number(file, "faces") == (double)m.triangle_count);
    pair_list list = pairs_read(file);
    uint64_t found = 0;
    for (size_t i = 0; i < list.count; i++)
        found += list.items[i][0] + list.items[i][1];
    assert_true(met > 100);
    assert_int_equal(list.count, met);
    assert_true(found == sum);
    free(list.items);
    free(extents);
    free(m.vertices);
    free(m.triangles);
    outcome_free(&o);
}

static void real_scenes_are_answered(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *facts[4];
    } scenes[] = {{"armadillo-rollers/t0.ply", {"vertices=12135", "faces=24242", "closed=1", NULL}},
                  {"cloth-ball/t0.ply", {"vertices=46598", "faces=92230", "closed=0", NULL}},
                  {"cloth-funnel/t1.ply", {"vertices=9450", "faces=18484", "closed=0", NULL}}};
    char path[1200];
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/scenes/%s", shared_data(), scenes[i].name);
        outcome o = check_json(path, NULL, NULL, NULL);
        expect(object_at(o.out.data, "files", 0), scenes[i].facts);
        pair_list list = pairs_read(o.out.data);
        for (size_t k = 1; k < list.count; k++) {
            const uint32_t *p = list.items[k - 1], *q = list.items[k];
            assert_true(p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]));
            assert_true(q[0] < q[1]);
        }
        free(list.items);
        outcome_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intersection_and_containment_of_two_cubes),
        cmocka_unit_test(components_inside_are_counted),
        cmocka_unit_test(nested_components_are_counted),
        cmocka_unit_test(defects_are_found),
        cmocka_unit_test(polygons_have_the_indices_of_the_file),
        cmocka_unit_test(reported_pairs_are_those_of_brute_force),
        cmocka_unit_test(self_intersecting_faces_count_once),
        cmocka_unit_test(limits_apply_to_lists),
        cmocka_unit_test(many_files_give_every_pair),
        cmocka_unit_test(unusual_files_are_checked),
        cmocka_unit_test(errors_name_the_file),
        cmocka_unit_test(usage_is_status_2),
        cmocka_unit_test(a_scanned_mesh_matches_a_sweep),
        cmocka_unit_test(real_scenes_are_answered),
    };
    return cmocka_run_group_tests_name("check tool", tests, folder_make, folder_remove);
}
