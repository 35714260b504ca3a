/* Construction of meshes, soups and compounds: validation and error texts, stored data, tact_mesh_check, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "math/vec.h"
#include "oracle/zoo.h"
#include "shape/compound.h"
#include "shape/mesh.h"
#include "shape/refittable_mesh.h"
#include "support/host_fp_environment.h"

static zoo_mesh mesh_a, mesh_b;

static tact_mesh_def def_of(const zoo_mesh *m)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){m->vertices, m->vertex_count, 0, TACT_SCALAR_DOUBLE};
    def.indices = m->corners;
    def.index_count = 3 * (size_t)m->triangle_count;
    return def;
}

/* ---- validation ---- */

static void refused(const tact_mesh_def *def, bool soup, const char *sentence)
{
    tact_report report = {TACT_OK, ""};
    tact_shape *shape = soup ? tact_soup_create(def, &report) : tact_mesh_create(def, &report);
    assert_null(shape);
    assert_null(soup ? tact_soup_create(def, NULL) : tact_mesh_create(def, NULL));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_string_equal(report.text, sentence);
}

static void bad_defs_are_refused_with_a_text(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    const tact_mesh_def good = def_of(&mesh_a);
    tact_mesh_def def = good;
    refused(NULL, false, "the def is NULL");
    refused(NULL, true, "the def is NULL");
    for (int soup = 0; soup < 2; soup++) {
        def = good;
        def.vertices.data = NULL;
        refused(&def, soup, "8 vertices are given, but their data is NULL");
        def = good;
        def.vertices.scalar = (tact_scalar)7;
        refused(&def, soup, "unknown scalar type 7");
        def = good;
        def.vertices.count = (size_t)1 << 30;
        refused(&def, soup, "too many vertices: 1073741824");
        def = good;
        def.vertices.stride = 23;
        refused(&def, soup, "a stride of 23 bytes does not fit the vertices");
        def.vertices.stride = SIZE_MAX / 2;
        assert_null(tact_mesh_create(&def, NULL));
        def = good;
        def.indices = NULL;
        refused(&def, soup, "36 indices are given, but the array is NULL");
        def = good;
        def.index_count = SIZE_MAX - 1;
        assert_null(tact_mesh_create(&def, NULL));
        def = good;
        def.index_count = 35;
        refused(&def, soup, "35 indices do not make whole triangles");
        def = good;
        def.vertices.count = 7;
        refused(&def, soup, "index 8 refers to vertex 7, but there are only 7");
        def = good;
        def.face_count = 11;
        refused(&def, soup, "the indices do not make 11 triangles");
        def = good;
        const uint32_t loops[2] = {1, 1}, sizes[9] = {4, 4, 4, 4, 4, 4, 4, 4, 4},
                       wrong[9] = {4, 4, 4, 4, 0, 8, 4, 4, 4};
        def.loops_per_face = loops;
        refused(&def, soup, "loops are given, but their sizes are NULL");
        def = good;
        def.loop_sizes = sizes;
        def.loop_count = 8;
        refused(&def, soup, "the loop sizes do not add up to 36 indices");
        def.loop_sizes = wrong;
        def.loop_count = 9;
        refused(&def, soup, "loop 4 has size 0");
        def.loop_sizes = sizes;
        def.face_count = 8;
        refused(&def, soup, "the loop sizes do not make 8 faces");
        def = good;
        def.margin = -1.0;
        tact_report report;
        assert_null(soup ? tact_soup_create(&def, &report) : tact_mesh_create(&def, &report));
        assert_true(report.status == TACT_BAD_ARGUMENT && report.text[0] != '\0');
        def.margin = NAN;
        assert_null(soup ? tact_soup_create(&def, &report) : tact_mesh_create(&def, &report));
        assert_true(report.status == TACT_BAD_ARGUMENT && report.text[0] != '\0');
    }
    const uint32_t sizes[9] = {4, 4, 4, 4, 4, 4, 4, 4, 4}, loops[3] = {3, 3, 3}, zero[4] = {3, 0, 3, 3};
    def = good;
    def.loop_sizes = sizes;
    def.loop_count = 9;
    def.loops_per_face = loops;
    def.face_count = 2;
    refused(&def, false, "the loops of the faces do not add up to 9");
    refused(&def, true, "the convex parts of a soup have no loops");
    def.loops_per_face = zero;
    def.face_count = 4;
    refused(&def, false, "face 1 has no loops");
}

static void bad_coordinates_are_refused(void **state)
{
    (void)state;
    static const double bad[4] = {NAN, INFINITY, -INFINITY, 1.1e150};
    for (int i = 0; i < 24; i++) {
        for (int k = 0; k < 4; k++) {
            zoo_cube(&mesh_a, 1.0);
            tact_vec3 *p = &mesh_a.vertices[i / 3];
            *(i % 3 == 0 ? &p->x : i % 3 == 1 ? &p->y : &p->z) = bad[k];
            const tact_mesh_def def = def_of(&mesh_a);
            tact_report report;
            assert_null(tact_mesh_create(&def, &report));
            char begin[40];
            (void)snprintf(begin, sizeof begin, "vertex %d (", i / 3);
            assert_true(report.status == TACT_BAD_ARGUMENT && strncmp(report.text, begin, strlen(begin)) == 0);
        }
    }
    const tact_vec3 p[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t corners[3] = {0, 1, 3};
    assert_null(tact_mesh(p, 3, corners, 1));
    assert_null(tact_mesh(NULL, 3, corners, 1));
    assert_null(tact_mesh(p, 3, NULL, 1));
    assert_null(tact_mesh(p, 3, corners, SIZE_MAX / 2));
}

static void bad_compounds_are_refused(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1.0);
    const tact_shape *parts[2] = {ball, NULL};
    tact_transform places[2] = {tact_identity(), tact_identity()};
    tact_report report;
    assert_null(tact_compound_create(parts, NULL, 2, NULL, &report));
    assert_string_equal(report.text, "part 1 is missing (NULL)");
    assert_null(tact_compound_create(NULL, NULL, 2, NULL, &report));
    assert_string_equal(report.text, "the parts are missing (NULL)");
    assert_null(tact_compound_create(parts, NULL, (size_t)1 << 40, NULL, &report));
    assert_string_equal(report.text, "too many parts");
    parts[1] = ball;
    places[1].x_axis = vec_make(0.0, 0.0, 0.0);
    assert_null(tact_compound_create(parts, places, 2, NULL, &report));
    assert_true(report.status == TACT_BAD_ARGUMENT && strncmp(report.text, "the transform of part 1: ", 25) == 0);
    places[1] = tact_at(0.0, 0.0, 1e150);
    places[1].x_axis.x = 1e150;
    assert_null(tact_compound_create(parts, places, 2, NULL, &report));
    assert_true(report.status == TACT_BAD_ARGUMENT && strncmp(report.text, "part 1", 6) == 0);
    /* nested too deep; too many leaves */
    tact_shape *deep = tact_shape_retain(ball);
    for (int i = 1; i < SHAPE_MAX_NESTING; i++) {
        const tact_shape *one[1] = {deep};
        tact_shape *next = tact_compound(one, NULL, 1);
        assert_non_null(next);
        tact_shape_release(deep);
        deep = next;
    }
    const tact_shape *one[1] = {deep};
    assert_null(tact_compound_create(one, NULL, 1, NULL, &report));
    assert_string_equal(report.text, "parts are nested deeper than 32");
    tact_shape_release(deep);
    tact_shape *many = tact_shape_retain(ball), *next = many;
    for (int i = 0; next != NULL && i < 31; i++) {
        const tact_shape *two[2] = {many, many};
        next = tact_compound_create(two, NULL, 2, NULL, &report);
        if (next != NULL) {
            tact_shape_release(many);
            many = next;
        }
    }
    assert_null(next);
    assert_true(strncmp(report.text, "the compound has more than 2147483647 leaves", 44) == 0 ||
                strncmp(report.text, "parts are nested", 16) == 0);
    tact_shape_release(many);
    /* neither can be a part of a convex shape, nor be created by tact_shape_create */
    tact_shape *whole = tact_compound(parts, NULL, 1);
    assert_null(tact_minkowski_sum(whole, ball));
    assert_null(tact_convex_hull_of(ball, whole));
    assert_null(tact_transformed(whole, tact_identity()));
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_MESH;
    assert_null(tact_shape_create(&def, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    tact_shape_release(whole);
    tact_shape_release(ball);
}

/* Penetration, manifold, time of impact and cast do not support them yet, and say so. */
static void unsupported_queries_are_refused(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    tact_shape *cube = zoo_shape(&mesh_a, true, 0.0), *ball = tact_sphere(1.0);
    const tact_shape *part[1] = {cube};
    tact_shape *whole = tact_compound(part, NULL, 1);
    const tact_transform at = tact_identity();
    const tact_motion still = {.velocity = {0, 0, 0}};
    const tact_shape *const shapes[3] = {cube, ball, whole};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            tact_penetration depth = tact_shapes_penetration(shapes[i], at, shapes[j], at);
            tact_manifold manifold = tact_shapes_manifold(shapes[i], at, shapes[j], at, 0.1);
            tact_toi impact = tact_shapes_time_of_impact(shapes[i], at, still, shapes[j], at, still, 1.0);
            tact_toi cast = tact_shapes_cast(shapes[i], at, vec_make(1, 0, 0), shapes[j], at);
            assert_true(depth.status == TACT_OK || depth.status == TACT_BAD_ARGUMENT);
            assert_true(manifold.status == TACT_OK || manifold.status == TACT_BAD_ARGUMENT);
            assert_true(impact.status == TACT_OK || impact.status == TACT_BAD_ARGUMENT);
            assert_true(cast.status == TACT_OK || cast.status == TACT_BAD_ARGUMENT);
        }
    }
    tact_shape_release(whole);
    tact_shape_release(cube);
    tact_shape_release(ball);
}

/* ---- stored data ---- */

static void vertices_of_any_kind_are_read(void **state)
{
    (void)state;
    enum { MOST_STRIDE = 80 };
    zoo_torus(&mesh_a, 5, 7, 1.0, 0.25);
    for (uint32_t i = 0; i < mesh_a.vertex_count; i++) { /* rounded to floats */
        tact_vec3 *p = &mesh_a.vertices[i];
        volatile float x = (float)p->x, y = (float)p->y,
                       z = (float)p->z; /* (gcc 12.2 -O2 loses the rounding otherwise) */
        *p = vec_make((double)x, (double)y, (double)z);
    }
    static unsigned char bytes[MOST_STRIDE * ZOO_MOST + 1];
    for (int floats = 0; floats < 2; floats++) {
        const size_t strides[6] = {0, floats ? 12 : 24, 29, 32, 40, MOST_STRIDE};
        for (int k = 0; k < 6; k++) {
            const size_t stride = strides[k] != 0 ? strides[k] : floats ? 12 : 24;
            memset(bytes, 0xff, sizeof bytes); /* NaN between them */
            for (uint32_t i = 0; i < mesh_a.vertex_count; i++) {
                const tact_vec3 p = mesh_a.vertices[i];
                const float f[3] = {(float)p.x, (float)p.y, (float)p.z};
                const double d[3] = {p.x, p.y, p.z};
                /* one byte off: unaligned */
                memcpy(bytes + 1 + i * stride, floats ? (const void *)f : (const void *)d,
                       floats ? sizeof f : sizeof d);
            }
            tact_mesh_def def = def_of(&mesh_a);
            def.vertices = (tact_vertices){bytes + 1, mesh_a.vertex_count, strides[k],
                                           floats ? TACT_SCALAR_FLOAT : TACT_SCALAR_DOUBLE};
            tact_shape *shape = tact_mesh_create(&def, NULL);
            assert_non_null(shape);
            static tact_vec3 points[ZOO_MOST];
            assert_int_equal(tact_shape_get_points(shape, points, ZOO_MOST), mesh_a.vertex_count);
            assert_memory_equal(points, mesh_a.vertices, mesh_a.vertex_count * sizeof *points);
            assert_int_equal(tact_shape_get_type(shape), TACT_MESH);
            tact_shape_release(shape);
        }
    }
}

/* A plate of 4 by 4 with a hole of 2 by 2, beside it a frame that is not convex, a triangle, an edge and a point. */
static void polygons_may_have_holes(void **state)
{
    (void)state;
    const tact_vec3 p[] = {{0, 0, 0}, {4, 0, 0},  {4, 4, 0},  {0, 4, 0},  {1, 1, 0},  {3, 1, 0}, {3, 3, 0},
                           {1, 3, 0}, {10, 0, 0}, {14, 0, 0}, {14, 4, 0}, {12, 1, 0}, {10, 4, 0}};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 8, 3, 8, 2};
    const uint32_t sizes[] = {4, 4, 5, 3, 2, 1}, loops[] = {2, 1, 1, 1, 1};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){p, sizeof p / sizeof p[0], 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = sizeof corners / sizeof corners[0];
    def.loop_sizes = sizes;
    def.loop_count = 6;
    def.loops_per_face = loops;
    def.face_count = 5;
    tact_report report;
    tact_shape *shape = tact_mesh_create(&def, &report);
    assert_non_null(shape);
    assert_true(report.status == TACT_OK && report.text[0] == '\0');
    tact_mesh_size size = tact_mesh_get_size(shape);
    assert_int_equal(size.vertices, 13);
    assert_int_equal(size.faces, 5);
    assert_int_equal(size.triangles, 8 + 3 + 1 + 1 + 1);
    static const struct {
        double x, y;
        bool hit;
        uint32_t face;
    } where[] = {{0.5, 0.5, true, 0},   {2.0, 0.5, true, 0},  {2.0, 2.0, false, 0},  {3.5, 3.9, true, 0},
                 {1.5, 2.5, false, 0},  {12.0, 0.5, true, 1}, {12.0, 3.0, false, 0}, {13.5, 3.0, true, 1},
                 {10.25, 3.0, true, 1}, {-1.0, 2.0, false, 0}};
    for (size_t i = 0; i < sizeof where / sizeof where[0]; i++) {
        tact_ray_hit hit =
            tact_shape_ray(shape, tact_identity(), vec_make(where[i].x, where[i].y, 3.0), vec_make(0, 0, -1), INFINITY);
        assert_int_equal(hit.state, where[i].hit ? TACT_HIT : TACT_MISS);
        if (where[i].hit)
            assert_true(hit.t == 3.0 && hit.normal.z == 1.0 && hit.part.face == where[i].face);
    }
    tact_mesh_findings f = tact_mesh_check(shape);
    assert_int_equal(f.status, TACT_OK);
    assert_int_equal(f.degenerate_triangles, 3); /* the three small ones are degenerate: 0 1 8, 3 8, 2 */
    tact_shape_release(shape);
    /* the same as a soup: hulls */
    const uint32_t pieces[] = {4, 4, 5, 3, 2, 1};
    def.loop_sizes = pieces;
    def.loops_per_face = NULL;
    def.face_count = 0;
    shape = tact_soup_create(&def, &report);
    assert_non_null(shape);
    assert_int_equal(tact_shape_get_type(shape), TACT_SOUP);
    assert_int_equal(tact_mesh_get_size(shape).faces, 6);
    assert_int_equal(tact_mesh_get_size(shape).triangles, 0);
    tact_ray_hit hit = tact_shape_ray(shape, tact_identity(), vec_make(12.0, 3.0, 3.0), vec_make(0, 0, -1), INFINITY);
    assert_true(hit.state == TACT_HIT && hit.part.face == 2);
    assert_int_equal(tact_mesh_check(shape).status, TACT_BAD_ARGUMENT);
    tact_shape_release(shape);
}

/* A host may flush subnormal numbers to 0: the box of a soup part with such vertices contains it all the same, when it
 * is made and when it is deformed, alone or with all others. */
static void flushed_vertices_are_in_the_box_of_their_part(void **state)
{
    (void)state;
    enum { PIECES = 12 };
    const tact_vec3 tiny[3] = {{0.0, 0.0, 0.0}, {1.0, -0x1p-1060, 0.0}, {0.0, 1.0, 0x1p-1060}};
    const box right = {{0.0f, -FLT_MIN, 0.0f}, {1.0f, 1.0f, FLT_MIN}};
    tact_vec3 corners[3 * PIECES];
    uint32_t numbers[3 * PIECES], sizes[PIECES];
    for (uint32_t i = 0; i < 3 * PIECES; ++i) {
        numbers[i] = i;
        sizes[i / 3] = 3;
        corners[i] = vec_add(tiny[i % 3], vec_make(2.0, 3.0, 4.0));
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 3 * PIECES, 0, TACT_SCALAR_DOUBLE};
    def.indices = numbers;
    def.index_count = 3 * PIECES;
    def.loop_sizes = sizes;
    def.loop_count = PIECES;
    tact_shape *soup = tact_soup_create(&def, NULL), *copy = tact_refittable_mesh_create(soup, &def.allocator);
    vertex_adjacency links;
    assert_true(copy != NULL && tact_vertex_adjacency_make(&links, copy->mesh, &def.allocator));
    for (uint32_t count = 1; count <= PIECES; count += PIECES - 1) { /* one by itself, then all in one pass */
        const vertex_range range = {0, 3 * count};
        box boxes[PIECES];
        tact_report report;
        for (uint32_t i = 0; i < 3 * count; ++i)
            copy->mesh->vertices[i] = tiny[i % 3];
        set_environment(ENVIRONMENTS - 4);
        bool done = tact_refittable_mesh_refit(copy, &links, &range, 1, boxes);
        bool kept = environment_is(ENVIRONMENTS - 4);
        tact_mesh_element_boxes(copy->mesh, boxes);
        kept = kept && environment_is(ENVIRONMENTS - 4);
        set_environment(0);
        assert_true(done && kept);
        for (uint32_t i = 0; i < count; ++i)
            assert_memory_equal(&boxes[i], &right, sizeof right);
        assert_int_equal(tact_aabb_tree_check(&copy->mesh->tree, boxes, &report), TACT_OK);
    }
    tact_vertex_adjacency_release(&links, &def.allocator);
    tact_shape_release(copy);
    tact_shape_release(soup);
}

static void byte_counts_are_reported(void **state)
{
    (void)state;
    zoo_torus(&mesh_a, 50, 50, 1.0, 0.4);
    tact_shape *torus = zoo_shape(&mesh_a, false, 0.0), *rounded = tact_rounded(torus, 0.1), *ball = tact_sphere(1.0);
    tact_mesh_size size = tact_mesh_get_size(torus);
    assert_true(size.vertices == 2500 && size.faces == 5000 && size.triangles == 5000);
    const aabb_tree *tree = &torus->mesh->tree;
    double tree_bytes =
        (double)(tree->node_capacity * sizeof *tree->nodes + tree->bounds_capacity * sizeof *tree->bounds);
    double overlay_bytes = (double)(torus->mesh->overlay.node_count * sizeof *torus->mesh->overlay.nodes);
    double bare = (double)(2500 * sizeof(tact_vec3) + 15000 * sizeof(uint32_t)) + overlay_bytes;
    print_message("%.1f bytes a triangle of the tree, %.1f of its overlay, %.1f in all\n", tree_bytes / 5000,
                  overlay_bytes / 5000, (double)size.bytes / 5000);
    assert_true(tree_bytes <= 64.0 * 5000 && overlay_bytes > 0.0 && overlay_bytes <= 40.0 * 5000);
    assert_true((double)size.bytes >= tree_bytes + bare && (double)size.bytes < tree_bytes + bare + 2000);
    assert_true(tact_mesh_get_size(rounded).triangles == 5000 && tact_mesh_get_size(rounded).bytes < 2000);
    assert_true(tact_shape_get_margin(rounded) == 0.1);
    const tact_shape *parts[3] = {torus, ball, torus};
    tact_shape *whole = tact_compound(parts, NULL, 3);
    size = tact_mesh_get_size(whole);
    assert_true(size.faces == 3 && size.vertices == 0 && size.triangles == 0 && size.bytes > 0 && size.bytes < 10000);
    size = tact_mesh_get_size(ball);
    assert_true(size.faces == 0 && size.bytes == 0 && tact_mesh_get_size(NULL).bytes == 0);
    /* a compound keeps its parts */
    tact_shape_release(torus);
    tact_shape_release(rounded);
    tact_shape_release(ball);
    assert_int_equal(tact_shapes_overlap(whole, tact_identity(), whole, tact_at(0.1, 0, 0), NULL).state, TACT_HIT);
    tact_shape_release(whole);
}

/* ---- findings ---- */

static tact_mesh_findings check(const zoo_mesh *m)
{
    tact_shape *shape = zoo_shape(m, false, 0.0);
    assert_non_null(shape);
    tact_mesh_findings f = tact_mesh_check(shape);
    assert_int_equal(f.status, TACT_OK);
    tact_shape_release(shape);
    return f;
}

/* All fields are zero unless given: compared field by field. */
static void expect(tact_mesh_findings f, tact_mesh_findings right)
{
    assert_int_equal(f.open_edges, right.open_edges);
    assert_int_equal(f.non_manifold_edges, right.non_manifold_edges);
    assert_int_equal(f.inconsistent_edges, right.inconsistent_edges);
    assert_int_equal(f.non_manifold_vertices, right.non_manifold_vertices);
    assert_int_equal(f.degenerate_triangles, right.degenerate_triangles);
    assert_int_equal(f.duplicate_triangles, right.duplicate_triangles);
    assert_int_equal(f.duplicate_vertices, right.duplicate_vertices);
    assert_int_equal(f.unreferenced_vertices, right.unreferenced_vertices);
    assert_int_equal(f.self_intersections, right.self_intersections);
    assert_int_equal(f.components, right.components);
    assert_int_equal(f.closed, right.closed);
    assert_int_equal(f.inverted, right.inverted);
    assert_true(fabs(f.volume - right.volume) <= 1e-12 * (1.0 + fabs(right.volume)));
}

/* A translated second copy of everything. */
static void add_copy(zoo_mesh *m, double x, double y, double z)
{
    uint32_t first = m->vertex_count, triangles = m->triangle_count;
    for (uint32_t i = 0; i < first; i++)
        (void)zoo_vertex(m, m->vertices[i].x + x, m->vertices[i].y + y, m->vertices[i].z + z);
    for (uint32_t i = 0; i < triangles; i++)
        zoo_triangle(m, m->corners[3 * i] + first, m->corners[3 * i + 1] + first, m->corners[3 * i + 2] + first);
}

static void proper_meshes_have_no_findings(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    expect(check(&mesh_a), (tact_mesh_findings){.components = 1, .closed = true, .volume = 8.0});
    zoo_split(&mesh_a, &mesh_b);
    expect(check(&mesh_b),
           (tact_mesh_findings){.components = 1, .closed = true, .volume = 8.0, .duplicate_vertices = 28});
    zoo_torus(&mesh_a, 16, 32, 1.0, 0.25);
    tact_mesh_findings f = check(&mesh_a);
    assert_true(f.volume > 0.9 * 2.0 * 9.8696 * 0.0625 && f.volume < 2.0 * 9.8696 * 0.0625);
    expect(f, (tact_mesh_findings){.components = 1, .closed = true, .volume = f.volume});
    zoo_ball(&mesh_a, 3, 1.0);
    f = check(&mesh_a);
    expect(f, (tact_mesh_findings){.components = 1, .closed = true, .volume = f.volume});
    assert_true(f.volume > 3.9 && f.volume < 4.19);
    add_copy(&mesh_a, 5.0, 0.0, 0.0);
    expect(check(&mesh_a), (tact_mesh_findings){.components = 2, .closed = true, .volume = 2.0 * f.volume});
    zoo_clear(&mesh_a);
    expect(check(&mesh_a), (tact_mesh_findings){.closed = false});
    (void)zoo_vertex(&mesh_a, 1.0, 2.0, 3.0);
    expect(check(&mesh_a), (tact_mesh_findings){.unreferenced_vertices = 1});
}

static void defects_are_found(void **state)
{
    (void)state;
    /* open: a face is missing */
    zoo_cube(&mesh_a, 1.0);
    mesh_a.triangle_count -= 2;
    tact_mesh_findings f = check(&mesh_a);
    expect(f, (tact_mesh_findings){.components = 1, .open_edges = 4, .volume = f.volume});
    /* inside out */
    zoo_cube(&mesh_a, 1.0);
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        uint32_t corner = mesh_a.corners[3 * i];
        mesh_a.corners[3 * i] = mesh_a.corners[3 * i + 1];
        mesh_a.corners[3 * i + 1] = corner;
    }
    expect(check(&mesh_a), (tact_mesh_findings){.components = 1, .closed = true, .inverted = true, .volume = -8.0});
    /* one triangle reversed */
    zoo_cube(&mesh_a, 1.0);
    uint32_t corner = mesh_a.corners[0];
    mesh_a.corners[0] = mesh_a.corners[1];
    mesh_a.corners[1] = corner;
    f = check(&mesh_a);
    expect(f, (tact_mesh_findings){.components = 1, .closed = true, .inconsistent_edges = 3, .volume = f.volume});
    /* two cubes that share a vertex; an edge; by index or by position */
    zoo_cube(&mesh_a, 1.0);
    add_copy(&mesh_a, 2.0, 2.0, 2.0);
    f = check(&mesh_a);
    expect(f,
           (tact_mesh_findings){
               .components = 1, .closed = true, .non_manifold_vertices = 1, .duplicate_vertices = 1, .volume = 16.0});
    zoo_cube(&mesh_a, 1.0);
    add_copy(&mesh_a, 2.0, 2.0, 0.0);
    f = check(&mesh_a);
    expect(f, (tact_mesh_findings){.components = 1,
                                   .non_manifold_edges = 1,
                                   .duplicate_vertices = 2,
                                   .volume = 16.0,
                                   .non_manifold_vertices = f.non_manifold_vertices});
    /* duplicate and degenerate triangles */
    zoo_cube(&mesh_a, 1.0);
    zoo_triangle(&mesh_a, mesh_a.corners[1], mesh_a.corners[2], mesh_a.corners[0]);
    zoo_triangle(&mesh_a, mesh_a.corners[1], mesh_a.corners[0], mesh_a.corners[2]);
    f = check(&mesh_a);
    assert_int_equal(f.duplicate_triangles, 2);
    assert_int_equal(f.non_manifold_edges, 3);
    assert_int_equal(f.self_intersections, 3); /* each of the three lies on both others */
    assert_false(f.closed);
    zoo_cube(&mesh_a, 1.0);
    zoo_triangle(&mesh_a, 0, 1, 1);
    zoo_triangle(&mesh_a, 5, 5, 5);
    f = check(&mesh_a);
    assert_int_equal(f.degenerate_triangles, 2);
    assert_int_equal(f.components, 1);
    assert_true(f.closed);
    mesh_a.triangle_count = 1;
    mesh_a.corners[1] = mesh_a.corners[2]; /* nothing but one without area */
    f = check(&mesh_a);
    assert_true(f.degenerate_triangles == 1 && !f.closed && f.components == 0 && f.open_edges == 0);
    zoo_cube(&mesh_a, 1.0);
    (void)zoo_vertex(&mesh_a, 9.0, 0.0, 0.0);
    (void)zoo_vertex(&mesh_a, 10.0, 0.0, 0.0);
    (void)zoo_vertex(&mesh_a, 12.0, 0.0, 0.0);
    zoo_triangle(&mesh_a, 8, 9, 10); /* three different collinear positions */
    f = check(&mesh_a);
    assert_int_equal(f.degenerate_triangles, 1);
}

static void a_moebius_strip_is_not_orientable(void **state)
{
    (void)state;
    enum { STEPS = 24 };
    zoo_clear(&mesh_a);
    for (int i = 0; i < STEPS; i++) {
        double u = 6.283185307179586 * i / STEPS;
        for (int side = -1; side <= 1; side += 2) {
            double out = 1.0 + 0.3 * side * cos(0.5 * u);
            (void)zoo_vertex(&mesh_a, out * cos(u), out * sin(u), 0.3 * side * sin(0.5 * u));
        }
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        bool last = i + 1 == STEPS; /* where the ends meet, the sides are exchanged */
        uint32_t a = 2 * i, b = 2 * i + 1, c = last ? 1 : 2 * i + 2, e = last ? 0 : 2 * i + 3;
        zoo_triangle(&mesh_a, a, b, c);
        zoo_triangle(&mesh_a, b, e, c);
    }
    tact_mesh_findings f = check(&mesh_a);
    expect(f,
           (tact_mesh_findings){.components = 1, .open_edges = 2 * STEPS, .inconsistent_edges = 1, .volume = f.volume});
}

static void a_figure_of_eight_intersects_itself(void **state)
{
    (void)state;
    /* a tube along a figure of eight that intersects itself; flat: all at one height */
    enum { STEPS = 32 };
    zoo_clear(&mesh_a);
    for (int i = 0; i < STEPS; i++) {
        double u = 6.283185307179586 * (i + 0.37) / STEPS;
        for (int k = 0; k < 2; k++)
            (void)zoo_vertex(&mesh_a, sin(u), sin(u) * cos(u), k == 0 ? -0.1 : 0.1);
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t a = 2 * i, b = 2 * i + 1, c = 2 * ((i + 1) % STEPS), e = c + 1;
        zoo_triangle(&mesh_a, a, c, b);
        zoo_triangle(&mesh_a, b, c, e);
    }
    tact_mesh_findings f = check(&mesh_a);
    /* the number from brute force: pairs without a common vertex that intersect */
    size_t right = 0;
    tact_shape *shape = zoo_shape(&mesh_a, false, 0.0);
    for (uint32_t i = 0; i < mesh_a.triangle_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            tact_vec3 p[3], q[3];
            const tact_transform at = tact_identity();
            bool shared = false;
            for (int k = 0; k < 9; k++)
                shared =
                    shared || mesh_a.corners[3 * i + (uint32_t)(k / 3)] == mesh_a.corners[3 * j + (uint32_t)(k % 3)];
            zoo_placed(&mesh_a, &at, i, p);
            zoo_placed(&mesh_a, &at, j, q);
            right += !shared && zoo_gap(p, q) == 0.0L;
        }
    }
    tact_shape_release(shape);
    assert_true(right >= 2 && f.self_intersections == right);
    expect(f, (tact_mesh_findings){
                  .components = 1, .open_edges = 2 * STEPS, .self_intersections = right, .volume = f.volume});
    /* two cubes through each other */
    zoo_cube(&mesh_a, 1.0);
    add_copy(&mesh_a, 0.9, 0.8, 0.7);
    f = check(&mesh_a);
    assert_true(f.self_intersections > 6 && f.closed && f.components == 2);
    assert_int_equal(tact_mesh_check(NULL).status, TACT_BAD_ARGUMENT);
    tact_shape *ball = tact_sphere(1.0);
    assert_int_equal(tact_mesh_check(ball).status, TACT_BAD_ARGUMENT);
    tact_shape_release(ball);
}

/* ---- memory ---- */

typedef struct meter {
    long fail_at; /* the allocation that fails, from 0; negative: none */
    long calls, live;
} meter;

static void *metered(void *context, void *block, size_t old_size, size_t new_size)
{
    meter *m = context;
    if (new_size == 0) {
        m->live -= (long)old_size;
        free(block);
        return NULL;
    }
    if (m->calls++ == m->fail_at)
        return NULL;
    void *moved = realloc(block, new_size);
    assert_non_null(moved);
    m->live += (long)new_size - (block != NULL ? (long)old_size : 0);
    return moved;
}

static tact_shape *make_kind(int kind, const tact_allocator *allocator, tact_report *report)
{
    static const uint32_t sizes[6] = {6, 6, 6, 6, 6, 6}, loops[3] = {1, 2, 3};
    tact_mesh_def def = def_of(&mesh_a);
    def.allocator = *allocator;
    switch (kind) {
    case 0:
        return tact_mesh_create(&def, report);
    case 1: /* polygons with holes */
        def.loop_sizes = sizes;
        def.loop_count = 6;
        def.loops_per_face = loops;
        def.face_count = 3;
        return tact_mesh_create(&def, report);
    case 2: /* soup parts with hulls */
        def.loop_sizes = sizes;
        def.loop_count = 6;
        return tact_soup_create(&def, report);
    case 3: /* several components */
        def = def_of(&mesh_b);
        def.allocator = *allocator;
        return tact_mesh_create(&def, report);
    default: {
        tact_shape *block = tact_box(1.0, 2.0, 3.0), *parts[2] = {tact_sphere(1.0), tact_rounded(block, 0.5)};
        tact_shape_release(block);
        const tact_shape *const both[4] = {parts[0], parts[1], parts[0], parts[1]};
        const tact_transform places[4] = {tact_identity(), tact_at(1, 2, 3), tact_at(5, 5, 5), tact_at(-1, 0, 0)};
        tact_shape *whole = tact_compound_create(both, places, 4, allocator, report);
        tact_shape_release(parts[0]);
        tact_shape_release(parts[1]);
        return whole;
    }
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    zoo_cube(&mesh_a, 1.0);
    zoo_ball(&mesh_b, 1, 1.0);
    add_copy(&mesh_b, 3.0, 0.0, 0.0);
    for (int kind = 0; kind < 5; kind++) {
        meter m = {-1, 0, 0};
        const tact_allocator allocator = {metered, &m};
        tact_report report;
        tact_shape *shape = make_kind(kind, &allocator, &report);
        assert_non_null(shape);
        assert_true(m.live > 0);
        if (kind != 4 && kind != 2)
            assert_true((long)tact_mesh_get_size(shape).bytes <= m.live + 64 &&
                        (long)tact_mesh_get_size(shape).bytes >= m.live - 64);
        long made = m.calls, live = m.live, spared = 0;
        if (kind < 2) { /* the validator allocates, and frees all of it */
            tact_mesh_findings right = tact_mesh_check(shape);
            assert_true(right.status == TACT_OK && m.calls > made);
            long used = m.calls - made;
            for (long n = 0; n < used; n++) {
                m.fail_at = m.calls + n;
                tact_mesh_findings f = tact_mesh_check(shape);
                assert_true(f.status == TACT_OUT_OF_MEMORY && f.open_edges == 0 && m.live == live);
            }
        }
        tact_shape_release(shape);
        assert_int_equal(m.live, 0);
        for (long n = 0; n < made; n++) {
            m = (meter){n, 0, 0};
            shape = make_kind(kind, &allocator, &report);
            if (shape != NULL && report.status == TACT_OK) { /* a block that could not be shrunk stays large */
                tact_shape_release(shape);
                assert_int_equal(m.live, 0);
                spared++;
                continue;
            }
            if (shape != NULL || m.live != 0 || report.status != TACT_OUT_OF_MEMORY || report.text[0] == '\0')
                fail_msg("allocation %ld of kind %d: %ld bytes left, status %d", n, kind, m.live, (int)report.status);
        }
        print_message("kind %d: %ld allocations\n", kind, made);
        assert_true(spared <= 2 && made > 4);
    }
}

/* Queries allocate nothing (except the penetration of a point in a convex part). */
static void queries_allocate_nothing(void **state)
{
    (void)state;
    zoo_torus(&mesh_a, 12, 24, 1.0, 0.4);
    meter m = {-1, 0, 0};
    tact_mesh_def def = def_of(&mesh_a);
    def.allocator = (tact_allocator){metered, &m};
    def.solid = true;
    tact_shape *torus = tact_mesh_create(&def, NULL);
    long made = m.calls;
    for (int i = 0; i < 20; i++) {
        const tact_transform at = tact_at(0.2 * i, 0.1, 0.05);
        (void)tact_shapes_overlap(torus, tact_identity(), torus, at, NULL);
        (void)tact_shapes_distance(torus, tact_identity(), torus, at);
        (void)tact_shapes_common_point(torus, tact_identity(), torus, at, NULL);
        (void)tact_shape_ray(torus, at, vec_make(3, 3, 3), vec_make(-1, -1, -1), INFINITY);
        (void)tact_shape_contains(torus, at, vec_make(1.0, 0.0, 0.0));
        (void)tact_shape_closest(torus, at, vec_make(1.0, 0.3, 0.1));
    }
    assert_int_equal(m.calls, made);
    tact_shape_release(torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_defs_are_refused_with_a_text),
        cmocka_unit_test(bad_coordinates_are_refused),
        cmocka_unit_test(bad_compounds_are_refused),
        cmocka_unit_test(unsupported_queries_are_refused),
        cmocka_unit_test(vertices_of_any_kind_are_read),
        cmocka_unit_test(polygons_may_have_holes),
        cmocka_unit_test(flushed_vertices_are_in_the_box_of_their_part),
        cmocka_unit_test(byte_counts_are_reported),
        cmocka_unit_test(proper_meshes_have_no_findings),
        cmocka_unit_test(defects_are_found),
        cmocka_unit_test(a_moebius_strip_is_not_orientable),
        cmocka_unit_test(a_figure_of_eight_intersects_itself),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(queries_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
