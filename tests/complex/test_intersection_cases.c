/*
 * The segments in which surfaces meet, where geometry says what they are: lines, hexagons, outlines in one plane,
 * polygons whose cuts must not show; and parts, room, refusals and batches.
 *
 * A failure prints the number of its case: TACT_TEST_SEED=n runs that case alone.
 */
#include "complex/intersection_checks.h"
#include "support/long_form.h"
#include "support/vec.h"

/* ---- what geometry says ------------------------------------------------------------------------------------------ */

/* Cubes along the axes, each with a corner in the other: a hexagon around the box that they share. */
static void corner_in_corner_is_a_hexagon(void **state)
{
    (void)state;
    tact_shape *kinds[4] = {tact_box(1.0, 1.0, 1.0), quad_cube(0.5), hull_cube(0.5), NULL};
    zoo_cube(&mesh_a, 0.5);
    kinds[3] = zoo_shape(&mesh_a, true, 0.0);
    const tact_transform at[3] = {tact_at(0.5, 0.25, 0.125), tact_at(1e7 + 0.5, 0.25, 0.125), tact_identity()};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            size_t count = cross(kinds[i], at[2], kinds[j], at[0]);
            double sum = total(found, count, TACT_INTERSECTION_SEGMENT);
            assert_true(fabs(sum - 2.0 * (0.5 + 0.75 + 0.875)) < 1e-14);
            assert_int_equal(number_of(found, count, TACT_INTERSECTION_SEGMENT), count);
            assert_true(loops_close(count));
            if (i != 3 && j != 3)
                assert_int_equal(count, 6);
            /* far away nothing is lost */
            count = cross(kinds[i], tact_at(1e7, 0, 0), kinds[j], at[1]);
            assert_true(fabs(total(found, count, TACT_INTERSECTION_SEGMENT) - sum) < 1e-14);
        }
    /* sides of a box have names: +x and +y of the first meet -z of the second */
    size_t count = cross(kinds[0], at[2], kinds[0], at[0]);
    bool is_there = false;
    for (size_t i = 0; i < count; i++)
        is_there = is_there || (found[i].facet_a == 1 && found[i].facet_b == 4);
    assert_true(is_there);
    for (int i = 0; i < 4; i++)
        tact_shape_release(kinds[i]);
}

/* A sheet of n x n squares, as one kind of mesh or another. */
static tact_shape *sheet(uint32_t n, bool quads)
{
    static tact_vec3 vertices[5000];
    static uint32_t corners[30000], sizes[10000];
    uint32_t row = n + 1, count = 0, faces = 0;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t j = 0; j <= n; j++)
            vertices[i * row + j] = vec_make((double)i / n, (double)j / n, 0.0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            uint32_t p = i * row + j, q = p + row;
            const uint32_t quad[4] = {p, q, q + 1, p + 1}, two[6] = {p, q, q + 1, p, q + 1, p + 1};
            memcpy(corners + count, quads ? quad : two, (quads ? 4 : 6) * sizeof *two);
            count += quads ? 4 : 6;
            sizes[faces++] = quads ? 4 : 3;
            if (!quads)
                sizes[faces++] = 3;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, row * row, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = count;
    def.loop_sizes = sizes;
    def.loop_count = faces;
    return tact_mesh_create(&def, NULL);
}

static void sheets_cross_in_a_line(void **state)
{
    (void)state;
    tact_shape *quads = sheet(16, true), *triangles = sheet(16, false);
    const tact_quat upright = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    dice d = dice_for(33, 1, 0);
    for (int i = 0; i < 20; i++) {
        /* one lies, the other stands on its edge, half through it, along x but for a small angle */
        tact_transform stand =
            tact_transform_make(vec_make(0.0, dice_between(&d, 0.2, 0.8), -0.5), upright, vec_make(1.0, 1.0, 1.0));
        tact_transform turn = rolled(&d, 2.0);
        bool squares = i % 2;
        size_t count = cross(squares ? quads : triangles, tact_transform_compose(turn, tact_identity()),
                             squares ? quads : triangles, tact_transform_compose(turn, stand));
        double scale = vec_length(turn.x_axis);
        assert_true(fabs(total(found, count, TACT_INTERSECTION_SEGMENT) - scale) < 1e-13);
        if (squares) /* each column of one meets one column of the other, or two where rounding lets it */
            assert_true(number_of(found, count, TACT_INTERSECTION_SEGMENT) <= 3 * 16);
    }
    tact_shape_release(quads);
    tact_shape_release(triangles);
}

/* ---- polygons ---------------------------------------------------------------------------------------------------- */

static tact_shape *flat_polygon(const double (*points)[2], const uint32_t *loops, size_t loop_count)
{
    tact_vec3 vertices[64];
    uint32_t corners[64], count = 0;
    for (size_t i = 0; i < loop_count; i++)
        count += loops[i];
    for (uint32_t i = 0; i < count; i++) {
        vertices[i] = vec_make(points[i][0], points[i][1], 0.0);
        corners[i] = i;
    }
    const uint32_t one = (uint32_t)loop_count;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, count, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = count;
    def.loop_sizes = loops;
    def.loop_count = loop_count;
    def.loops_per_face = &one;
    def.face_count = 1;
    tact_shape *shape = tact_mesh_create(&def, NULL);
    assert_non_null(shape);
    return shape;
}

/* Where a placed polygon has a line, by the edges that cross the plane of the other, in long double: parameters along
 * `dir` in order. */
static int cut_polygon(const tact_vec3 *at, int count, const long double normal[3], tact_vec3 on,
                       const long double dir[3], long double *ends)
{
    int found_ends = 0;
    for (int i = 0; i < count; i++) {
        tact_vec3 p = at[i], q = at[(i + 1) % count];
        long double d = normal[0] * ((long double)p.x - on.x) + normal[1] * ((long double)p.y - on.y) +
                        normal[2] * ((long double)p.z - on.z);
        long double e = normal[0] * ((long double)q.x - on.x) + normal[1] * ((long double)q.y - on.y) +
                        normal[2] * ((long double)q.z - on.z);
        if ((d < 0) == (e < 0))
            continue;
        long double t = d / (d - e);
        long double x = dir[0] * (p.x + t * ((long double)q.x - p.x)) + dir[1] * (p.y + t * ((long double)q.y - p.y)) +
                        dir[2] * (p.z + t * ((long double)q.z - p.z));
        int k = found_ends++;
        for (; k > 0 && ends[k - 1] > x; k--)
            ends[k] = ends[k - 1];
        ends[k] = x;
    }
    return found_ends;
}

static int stars_one, stars_many;

static void star_case(const char *what, int number)
{
    enum { MOST = 60 };
    dice d = dice_for(38, 1, (uint64_t)number);
    tact_shape *shapes[2];
    tact_transform at[2];
    tact_vec3 corners[2][MOST];
    uint32_t counts[2];
    for (int k = 0; k < 2; k++) {
        double points[MOST][2];
        counts[k] = 3 + (uint32_t)dice_pick(&d, MOST - 3);
        bool star = dice_pick(&d, 2) == 0;
        for (uint32_t i = 0; i < counts[k]; i++) {
            double angle = 6.283185307179586 * i / counts[k], r = star ? dice_between(&d, 0.3, 1.0) : 1.0;
            points[i][0] = r * cos(angle);
            points[i][1] = r * sin(angle);
        }
        shapes[k] = flat_polygon((const double(*)[2])points, &counts[k], 1);
        at[k] = rolled(&d, 0.3);
        for (uint32_t i = 0; i < counts[k]; i++)
            corners[k][i] = vec_add(vec_transform(&at[k], vec_make(points[i][0], points[i][1], 0.0)), at[k].origin);
    }
    long double n[2][3], dir[3], ends[2][MOST];
    for (int k = 0; k < 2; k++) {
        const tact_vec3 axes[3] = {{0, 0, 0}, at[k].x_axis, at[k].y_axis};
        normal_of(axes, n[k]);
    }
    for (int i = 0; i < 3; i++)
        dir[i] = n[0][(i + 1) % 3] * n[1][(i + 2) % 3] - n[0][(i + 2) % 3] * n[1][(i + 1) % 3];
    long double sine = sqrtl(dir[0] * dir[0] + dir[1] * dir[1] + dir[2] * dir[2]);
    for (int i = 0; i < 3; i++)
        dir[i] /= sine;
    size_t count = cross(shapes[0], at[0], shapes[1], at[1]);
    check_swap(what, number, count, shapes[0], at[0], shapes[1], at[1]);
    if (sine > 0.1L) {
        int of_a = cut_polygon(corners[0], (int)counts[0], n[1], at[1].origin, dir, ends[0]),
            of_b = cut_polygon(corners[1], (int)counts[1], n[0], at[0].origin, dir, ends[1]);
        size_t pieces = 0;
        long double length = 0;
        for (int i = 0; i + 1 < of_a; i += 2)
            for (int j = 0; j + 1 < of_b; j += 2) {
                long double from = fmaxl(ends[0][i], ends[1][j]), to = fminl(ends[0][i + 1], ends[1][j + 1]);
                pieces += to > from;
                length += to > from ? to - from : 0;
            }
        CHECK(count == pieces, "%zu segments, should be %zu", count, pieces);
        CHECK(fabsl(total(found, count, TACT_INTERSECTION_SEGMENT) - length) < 1e-13L, "length");
        ++*(pieces > 1 ? &stars_many : &stars_one);
    }
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

/* A polygon of many triangles is one face: what it shares with another is not split where its cuts are. */
static void cuts_split_no_segment(void **state)
{
    (void)state;
    run_cases("stars", 400, star_case);
    print_message("%d with one segment or none, %d with several\n", stars_one, stars_many);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(stars_one > 100 && stars_many > 50);
}

/* A face that is bent along its cut is one, too, but its segments are two where it bends, and meet there to the last
 * bit. */
static void bent_faces_keep_their_bends(void **state)
{
    (void)state;
    const tact_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0.3}, {1, 1, 0}, {0, 1, 0.3}};
    const uint32_t around[4] = {0, 1, 2, 3}, four = 4;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 4, 0, TACT_SCALAR_DOUBLE};
    def.indices = around;
    def.index_count = 4;
    def.loop_sizes = &four;
    def.loop_count = 1;
    tact_shape *saddle = tact_mesh_create(&def, NULL), *wall = tact_box(0.25, 4, 4);
    size_t count = cross(saddle, tact_identity(), wall, tact_at(0.7, 0, 0));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i += 2) {
        assert_int_equal(order_faces(&found[i], &found[i + 1]), 0);
        assert_true(vec_equal(found[i].to, found[i + 1].from) || vec_equal(found[i].from, found[i + 1].to));
    }
    tact_shape_release(saddle);
    tact_shape_release(wall);
}

/* ---- in one plane ------------------------------------------------------------------------------------------------ */

static void outlines_of_common_areas(void **state)
{
    (void)state;
    static const double square[4][2] = {{0, 0}, {8, 0}, {8, 8}, {0, 8}}, small[4][2] = {{2, 2}, {6, 2}, {6, 6}, {2, 6}};
    static const double ring[8][2] = {{0, 0}, {8, 0}, {8, 8}, {0, 8}, {3, 3}, {3, 5}, {5, 5}, {5, 3}};
    static const double ell[6][2] = {{0, 0}, {8, 0}, {8, 3}, {3, 3}, {3, 8}, {0, 8}};
    const uint32_t four[2] = {4, 4}, six[1] = {6};
    tact_shape *big = flat_polygon(square, four, 1), *little = flat_polygon(small, four, 1),
               *holed = flat_polygon(ring, four, 2), *bent = flat_polygon(ell, six, 1);
    const tact_transform here = tact_identity();
    /* all of the small one: its own four edges */
    size_t count = cross(big, here, little, here);
    assert_int_equal(count, 4);
    assert_true(total(found, count, TACT_INTERSECTION_OUTLINE) == 16.0);
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].edge_of_b && found[i].edge[0] < found[i].edge[1] && found[i].edge[1] < 4);
    /* moved aside: two edges of it, and one of the other between them, twice in part */
    count = cross(big, here, little, tact_at(4, 0, 0));
    assert_true(total(found, count, TACT_INTERSECTION_OUTLINE) == 2 + 2 + 4 + 4);
    assert_int_equal(count, 4);
    check_swap("outline", 0, count, big, here, little, tact_at(4, 0, 0));
    /* a hole is an outline, too */
    count = cross(holed, here, little, here);
    assert_int_equal(count, 8);
    assert_true(total(found, count, TACT_INTERSECTION_OUTLINE) == 16 + 8);
    count = cross(little, here, holed, tact_at(2, 0, 0)); /* 4 x 4 less 1 x 2 at its side */
    assert_true(fabs(total(found, count, TACT_INTERSECTION_OUTLINE) - 18) < 1e-14);
    /* an L and a square: the corner of the L is in the square */
    count = cross(bent, here, little, here);
    assert_true(total(found, count, TACT_INTERSECTION_OUTLINE) == 16.0);
    /* edge to edge, and corner to corner */
    count = cross(big, here, little, tact_at(6, 0, 0));
    assert_int_equal(count, 1);
    assert_true(found[0].type == TACT_INTERSECTION_OUTLINE && length_of(&found[0]) == 4.0);
    count = cross(big, here, little, tact_at(6, 6, 0));
    assert_int_equal(count, 1);
    assert_true(found[0].type == TACT_INTERSECTION_POINT && vec_equal(found[0].from, vec_make(8, 8, 0)));
    /* a square on itself */
    count = cross(big, here, big, here);
    assert_int_equal(count, 4);
    assert_true(total(found, count, TACT_INTERSECTION_OUTLINE) == 32.0);
    /* convex shapes the same */
    tact_shape *box = tact_box(8, 8, 8), *crate = tact_box(4, 4, 4);
    count = cross(box, here, crate, tact_at(0, 0, 6)); /* it stands on it: four faces of the crate stand on the box */
    assert_true(fabs(total(found, count, TACT_INTERSECTION_OUTLINE) - 16.0) < 1e-14);
    assert_true(fabs(total(found, count, TACT_INTERSECTION_SEGMENT) - 16.0) < 1e-14);
    assert_int_equal(count, 8);
    count = cross(box, here, crate, here); /* wholly inside */
    assert_int_equal(count, 0);
    tact_shape *const all[] = {big, little, holed, bent, box, crate};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        tact_shape_release(all[i]);
}

/* A star of many corners on a square, mirrored and not: its outline is its own edges, each whole and once. */
static void outlines_of_large_polygons(void **state)
{
    (void)state;
    enum { CORNERS = 1000 };
    static tact_vec3 vertices[CORNERS];
    static uint32_t corners[CORNERS];
    static bool reported[CORNERS];
    const uint32_t size = CORNERS;
    double around = 0.0;
    for (uint32_t i = 0; i < CORNERS; i++) {
        double angle = 6.283185307179586 * i / CORNERS, r = i % 2 == 0 ? 1.0 : 0.5;
        vertices[i] = vec_make(r * cos(angle), r * sin(angle), 0.0);
        corners[i] = i;
        around += i > 0 ? vec_length(vec_sub(vertices[i], vertices[i - 1])) : 0.0;
    }
    around += vec_length(vec_sub(vertices[0], vertices[CORNERS - 1]));
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, CORNERS, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = CORNERS;
    def.loop_sizes = &size;
    def.loop_count = 1;
    static const double square[4][2] = {{-4, -4}, {4, -4}, {4, 4}, {-4, 4}};
    const uint32_t four = 4;
    tact_shape *star = tact_mesh_create(&def, NULL), *big = flat_polygon(square, &four, 1);
    tact_transform at[3] = {tact_identity(), tact_identity(), tact_identity()};
    at[1].x_axis.x = -1.0; /* a mirror */
    at[2].z_axis.z = -1.0;
    for (int i = 0; i < 3; i++) {
        size_t count = cross(star, at[i], big, tact_identity());
        assert_int_equal(count, CORNERS);
        assert_true(fabs(total(found, count, TACT_INTERSECTION_OUTLINE) - around) < 1e-9);
        memset(reported, 0, sizeof reported);
        for (size_t k = 0; k < count; k++) {
            const uint32_t *edge = found[k].edge;
            assert_true(!found[k].edge_of_b && edge[1] < CORNERS && (edge[1] - edge[0] == 1 || edge[0] == 0));
            const uint32_t name = edge[1] - edge[0] == 1 ? edge[0] : CORNERS - 1;
            assert_false(reported[name]);
            reported[name] = true;
        }
    }
    tact_shape_release(star);
    tact_shape_release(big);
}

/* Polygons that touch themselves, go there and back or repeat a corner. */
typedef struct touching {
    const char *what;
    double points[12][2];
    uint32_t loops[3];
    size_t loop_count;
} touching;

static const touching touchings[] = {
    {"a hole with a corner on an edge", {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {2, 0}, {1, 2}, {3, 2}}, {4, 3}, 2},
    {"a corner on an edge", {{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}}, {5}, 1},
    {"two corners on an edge", {{0, 0}, {6, 0}, {6, 4}, {4, 0}, {3, 2}, {2, 0}, {0, 4}}, {7}, 1},
    {"a spike", {{0, 0}, {4, 0}, {4, 4}, {6, 4}, {4, 4}, {0, 4}}, {6}, 1},
    {"a spike aside", {{0, 0}, {4, 0}, {4, 4}, {6, 5}, {4, 4}, {0, 4}}, {6}, 1},
    {"a corner twice", {{0, 0}, {4, 0}, {4, 0}, {4, 4}, {0, 4}}, {5}, 1},
    {"holes that touch",
     {{0, 0}, {8, 0}, {8, 8}, {0, 8}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {3, 3}, {3, 5}, {5, 5}, {5, 3}},
     {4, 4, 4},
     3},
};

/* Each edge that is longer than a point is reported once, whole, as an edge of A's; and nothing else. */
static void check_own_edges(const touching *t, size_t count, bool mirrored)
{
    size_t edges = 0;
    uint32_t first = 0;
    for (size_t loop = 0; loop < t->loop_count; first += t->loops[loop++])
        for (uint32_t i = 0; i < t->loops[loop]; i++) {
            uint32_t p = first + i, q = first + (i + 1) % t->loops[loop], low = p < q ? p : q, high = p < q ? q : p;
            const double sign = mirrored ? -1.0 : 1.0;
            tact_vec3 from = vec_make(sign * t->points[p][0], t->points[p][1], 0.0),
                      to = vec_make(sign * t->points[q][0], t->points[q][1], 0.0);
            if (vec_equal(from, to))
                continue;
            size_t times = 0;
            edges++;
            for (size_t k = 0; k < count; k++) {
                const tact_intersection *s = &found[k];
                times += s->type == TACT_INTERSECTION_OUTLINE && !s->edge_of_b && s->edge[0] == low &&
                         s->edge[1] == high &&
                         ((vec_equal(s->from, from) && vec_equal(s->to, to)) ||
                          (vec_equal(s->from, to) && vec_equal(s->to, from)));
            }
            if (times != 1)
                fail_msg("%s: edge %u %u reported %zu times", t->what, low, high, times);
        }
    if (count != edges)
        fail_msg("%s: %zu pieces of %zu edges", t->what, count, edges);
}

static void outlines_of_polygons_that_touch_themselves(void **state)
{
    (void)state;
    static const double square[4][2] = {{-9, -9}, {9, -9}, {9, 9}, {-9, 9}};
    const uint32_t four = 4;
    tact_shape *big = flat_polygon(square, &four, 1);
    tact_transform mirror = tact_identity(), stand = tact_identity();
    const tact_transform here = tact_identity();
    mirror.x_axis.x = -1.0;
    stand.y_axis = vec_make(0.0, 0.0, 1.0); /* in the plane y = 0 */
    stand.z_axis = vec_make(0.0, -1.0, 0.0);
    for (size_t i = 0; i < sizeof touchings / sizeof touchings[0]; i++) {
        const touching *t = &touchings[i];
        tact_shape *polygon = flat_polygon(t->points, t->loops, t->loop_count);
        size_t count = cross(polygon, here, big, here);
        check_own_edges(t, count, false);
        check_swap(t->what, 0, count, polygon, here, big, here);
        count = cross(polygon, mirror, big, here);
        check_own_edges(t, count, true);
        /* on itself: where both have an edge it is A's */
        count = cross(polygon, here, polygon, here);
        check_own_edges(t, count, false);
        /* a wall through the edge from 0 to 1 is no plane in common: one segment, in the direction of its faces'
         * normals */
        count = cross(polygon, here, big, stand);
        size_t segments = 0;
        for (size_t k = 0; k < count; k++) {
            assert_true(found[k].type == TACT_INTERSECTION_SEGMENT && found[k].from.y == 0.0 && found[k].to.y == 0.0);
            assert_true(found[k].to.x > found[k].from.x);
            segments++;
        }
        assert_int_equal(segments, 1);
        assert_true(found[0].from.x == 0.0 && found[0].to.x == t->points[1][0]);
        tact_shape_release(polygon);
    }
    tact_shape_release(big);
}

static int outlines_seen, points_seen;

/* Random polygons on a grid in one plane: the outline is counted side by side. */
static void grid_case(const char *what, int number)
{
    enum { N = 6 };
    dice d = dice_for(34, 1, (uint64_t)number);
    bool in[2][N + 2][N + 2] = {{{false}}};
    tact_shape *shapes[2];
    for (int k = 0; k < 2; k++) { /* columns of random heights: one polygon */
        double points[4 * N + 4][2];
        int heights[N];
        uint32_t count = 0;
        points[count][0] = 0, points[count++][1] = 0;
        for (int i = 0; i < N; i++) {
            heights[i] = 1 + dice_pick(&d, N);
            for (int j = 0; j < heights[i]; j++)
                in[k][i + 1][j + 1] = true;
        }
        points[count][0] = N, points[count++][1] = 0;
        for (int i = N - 1; i >= 0; i--) {
            points[count][0] = i + 1, points[count++][1] = heights[i];
            points[count][0] = i, points[count++][1] = heights[i];
        }
        /* corners at one place one after the other are legal, but not wanted here */
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++)
            if (kept == 0 || points[i][0] != points[kept - 1][0] || points[i][1] != points[kept - 1][1]) {
                points[kept][0] = points[i][0];
                points[kept++][1] = points[i][1];
            }
        shapes[k] = flat_polygon((const double(*)[2])points, &kept, 1);
    }
    const double step_x = dice_pick(&d, 3), step_y = dice_pick(&d, 3);
    /* Each side of a square that is in both, closed, and not inside both. */
    double outline = 0.0;
    for (int i = 0; i <= 3 * N; i++)
        for (int j = 0; j <= 3 * N; j++)
            for (int k = 0; k < 2; k++) { /* the square, and the one to its left or below it */
                bool here[2], there[2];
                for (int m = 0; m < 2; m++) {
                    int x = i - m * (int)step_x, y = j - m * (int)step_y, u = x - (k == 0), v = y - (k == 1);
                    here[m] = x >= 0 && x <= N + 1 && y >= 0 && y <= N + 1 && in[m][x][y];
                    there[m] = u >= 0 && u <= N + 1 && v >= 0 && v <= N + 1 && in[m][u][v];
                }
                outline +=
                    (here[0] || there[0]) && (here[1] || there[1]) && !(here[0] && there[0] && here[1] && there[1]);
            }
    size_t count = cross(shapes[0], tact_identity(), shapes[1], tact_at(step_x, step_y, 0));
    check_swap(what, number, count, shapes[0], tact_identity(), shapes[1], tact_at(step_x, step_y, 0));
    double reported = 0.0;
    for (size_t i = 0; i < count; i++) {
        CHECK(found[i].type == TACT_INTERSECTION_OUTLINE || found[i].type == TACT_INTERSECTION_POINT, "type");
        CHECK(found[i].from.x == found[i].to.x || found[i].from.y == found[i].to.y, "on no edge");
        reported += length_of(&found[i]);
    }
    CHECK(reported == outline, "%g, should be %g", reported, outline);
    outlines_seen += outline > 4.0;
    points_seen += outline > 0.0 && number_of(found, count, TACT_INTERSECTION_POINT) > 0;
    /* no piece is reported twice */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const tact_intersection *s = &found[i], *t = &found[j];
            bool upright = s->from.x == s->to.x && t->from.x == t->to.x && s->from.x == t->from.x &&
                           fmin(s->to.y, t->to.y) > fmax(s->from.y, t->from.y);
            bool level = s->from.y == s->to.y && t->from.y == t->to.y && s->from.y == t->from.y &&
                         fmin(s->to.x, t->to.x) > fmax(s->from.x, t->from.x);
            CHECK(!upright && !level, "reported twice: %zu and %zu", i, j);
        }
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
}

static void outlines_of_stairs(void **state)
{
    (void)state;
    outlines_seen = points_seen = 0;
    run_cases("stairs", 400, grid_case);
    print_message("%d outlines, %d with points besides\n", outlines_seen, points_seen);
    if (getenv("TACT_TEST_SEED") == NULL)
        assert_true(outlines_seen > 350);
}

/* ---- parts, room, refusals --------------------------------------------------------------------------------------- */

static void parts_are_reported(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1, 1, 1), *ball = tact_sphere(0.5),
               *nested = tact_transformed(box, tact_at(0, 0, 0.125));
    const tact_shape *const two[2] = {ball, nested};
    const tact_transform places[2] = {tact_at(-4, 0, 0), tact_at(4, 0, 0)};
    tact_shape *pair = tact_compound(two, places, 2);
    const tact_shape *const three[2] = {pair, box};
    const tact_transform apart[2] = {tact_at(0, 8, 0), tact_identity()};
    tact_shape *all = tact_compound(three, apart, 2);
    zoo_cube(&mesh_a, 0.5);
    tact_shape *cube = zoo_shape(&mesh_a, true, 0.0);
    const tact_transform here = tact_identity();
    /* the box in the compound of the compound: leaf 1, with all that placed it */
    size_t count = cross(all, here, cube, tact_at(4.5, 8.25, 0.25));
    assert_true(count > 0);
    assert_true(fabs(total(found, count, TACT_INTERSECTION_SEGMENT) - 2 * (0.5 + 0.75 + 0.875)) < 1e-14);
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].part_a.leaf == 1 && found[i].part_b.leaf == 0 && found[i].facet_a < 6);
    /* leaf 2 alone */
    count = cross(all, here, cube, tact_at(0.5, 0.25, 0.125));
    for (size_t i = 0; i < count; i++)
        assert_true(found[i].part_a.leaf == 2);
    /* a ball has no segments, and says so where it touches */
    tact_intersections c = tact_shapes_intersections(all, here, cube, tact_at(-4, 8, 0.75), found, ROOM);
    assert_int_equal(c.status, TACT_BAD_ARGUMENT);
    assert_int_equal(c.state, TACT_UNKNOWN);
    assert_int_equal(c.count, 0);
    tact_shape *beam = tact_box(20, 0.25, 0.25); /* through the ball and the box: the box's are reported all the same */
    c = tact_shapes_intersections(beam, tact_at(0, 8, 0), all, here, found, ROOM);
    assert_int_equal(c.status, TACT_BAD_ARGUMENT);
    assert_true(c.state == TACT_HIT && c.count == 8);
    for (size_t i = 0; i < c.count; i++)
        assert_true(found[i].part_b.leaf == 1 && found[i].facet_b < 2);
    tact_shape_release(beam);
    assert_int_equal(cross(all, here, cube, tact_at(-4, 8.99, 0.99)), 0); /* boxes meet, they do not */
    assert_int_equal(cross(ball, here, cube, tact_at(3, 0, 0)), 0);
    /* pieces of a soup: a point, a segment, a triangle, a tetrahedron, a hull of eight corners */
    const tact_vec3 corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    const uint32_t soup_corners[18] = {0, 0, 7, 0, 3, 5, 0, 1, 2, 4, 0, 1, 2, 3, 4, 5, 6, 7},
                   sizes[5] = {1, 2, 3, 4, 8};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 8, 0, TACT_SCALAR_DOUBLE};
    def.indices = soup_corners;
    def.index_count = 18;
    def.loop_sizes = sizes;
    def.loop_count = 5;
    tact_shape *soup = tact_soup_create(&def, NULL);
    assert_non_null(soup);
    tact_shape *wall = tact_box(0.25, 8, 8);
    count = cross(soup, here, wall, here);
    bool seen[5] = {false};
    for (size_t i = 0; i < count; i++) {
        seen[found[i].part_a.face] = true;
        assert_int_equal(found[i].type,
                         found[i].part_a.face == 1 ? TACT_INTERSECTION_POINT : TACT_INTERSECTION_SEGMENT);
    }
    assert_true(!seen[0] && seen[1] && seen[2] && seen[3] && seen[4]);
    double hull_length = 0.0;
    for (size_t i = 0; i < count; i++)
        hull_length += found[i].part_a.face == 4 ? length_of(&found[i]) : 0.0;
    assert_true(fabs(hull_length - 16.0) < 1e-14); /* around the cube, at both faces of the wall */
    /* edges of an outline have the numbers of the soup's vertices: the cube and its top, in reverse */
    const uint32_t reverse[12] = {7, 6, 5, 4, 3, 2, 1, 0, 7, 5, 4, 6}, eight_and_four[2] = {8, 4};
    def.indices = reverse;
    def.index_count = 12;
    def.loop_sizes = eight_and_four;
    def.loop_count = 2;
    tact_shape *turned = tact_soup_create(&def, NULL), *lid = tact_box(8, 8, 0.5);
    count = cross(turned, here, lid, tact_at(0, 0, 1.25)); /* it lies on top */
    size_t outlines[2] = {0};
    for (size_t i = 0; i < count; i++)
        if (found[i].type == TACT_INTERSECTION_OUTLINE) {
            tact_vec3 p = corners[found[i].edge[0]], q = corners[found[i].edge[1]];
            assert_true(!found[i].edge_of_b && (vec_equal(p, found[i].from) || vec_equal(p, found[i].to)));
            assert_true(vec_equal(q, found[i].from) || vec_equal(q, found[i].to));
            outlines[found[i].part_a.face]++;
        }
    assert_int_equal(outlines[0], 4);
    assert_true(outlines[1] >= 4);
    tact_shape_release(turned);
    tact_shape_release(lid);
    tact_shape *const made[] = {box, ball, nested, pair, all, cube, soup, wall};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        tact_shape_release(made[i]);
}

static void simplices_and_hulls(void **state)
{
    (void)state;
    const tact_transform here = tact_identity();
    const tact_vec3 p = {-1, 0.1, 0.2}, q = {1, 0.1, 0.2}, r = {0, 3, 0.2}, s = {0, 0.5, 3};
    tact_shape *box = tact_box(1, 1, 1), *point = tact_point(vec_make(0.5, 0, 0)), *segment = tact_segment(p, q),
               *triangle = tact_triangle(p, q, r), *tetrahedron = tact_tetrahedron(p, q, r, s),
               *other = tact_tetrahedron(q, p, r, s);
    size_t count = cross(box, here, point, here);
    assert_true(count == 1 && found[0].type == TACT_INTERSECTION_POINT && found[0].facet_a == 1);
    count = cross(box, here, segment, here);
    assert_true(count == 2 && found[0].facet_a == 0 && found[1].facet_a == 1);
    assert_true(found[0].from.x == -0.5 && found[1].from.x == 0.5);
    count = cross(box, here, triangle, here); /* three sides of the box: width 1 at y 0.1 to 0.5, less the corners */
    assert_true(count == 3 && number_of(found, count, TACT_INTERSECTION_SEGMENT) == 3);
    /* the orientation of a tetrahedron's points does not matter: outside is outside */
    count = cross(box, here, tetrahedron, here);
    double length = total(found, count, TACT_INTERSECTION_SEGMENT);
    assert_true(loops_close(count) && count > 4);
    size_t again = cross(box, here, other, here);
    assert_true(again == count && fabs(length - total(found, count, TACT_INTERSECTION_SEGMENT)) < 1e-14 &&
                loops_close(count));
    tact_shape *const made[] = {box, point, segment, triangle, tetrahedron, other};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        tact_shape_release(made[i]);
}

static void room_that_is_too_small(void **state)
{
    (void)state;
    tact_shape *a = quad_torus(8, 16, 1.0, 0.4), *b = quad_cube(0.5);
    const tact_transform here = tact_identity(), there = tact_at(1.0, 0.25, 0.125);
    tact_intersections none = tact_shapes_intersections(a, here, b, there, NULL, 0);
    assert_true(none.status == TACT_OUT_OF_MEMORY && none.state == TACT_HIT && none.count > 6);
    size_t right = cross(a, here, b, there);
    assert_true(right > 6 && right <= none.count);
    memcpy(back, found, right * sizeof *found);
    for (size_t room = 0; room <= none.count + 1; room++) {
        tact_intersection guard = {.type = (tact_intersection_type)77};
        found[room] = guard;
        tact_intersections c = tact_shapes_intersections(a, here, b, there, found, room);
        assert_int_equal(c.status, room < none.count ? TACT_OUT_OF_MEMORY : TACT_OK);
        assert_int_equal(c.count, room < none.count ? none.count : right);
        assert_int_equal(found[room].type, 77); /* nothing beyond the room */
    }
    (void)cross(a, here, b, there);
    for (size_t i = 0; i < right; i++)
        assert_true(vec_equal(found[i].from, back[i].from) && vec_equal(found[i].to, back[i].to));
    tact_shape_release(a);
    tact_shape_release(b);
}

static void garbage_is_refused(void **state)
{
    (void)state;
    const tact_transform here = tact_identity();
    tact_transform bad[4] = {here, here, here, here};
    bad[0].origin.x = NAN;
    bad[1].x_axis = bad[1].y_axis;
    bad[2].z_axis.y = INFINITY;
    bad[3].origin.x = 1e160;
    zoo_cube(&mesh_a, 0.5);
    tact_shape *cube = zoo_shape(&mesh_a, false, 0.0), *round = zoo_shape(&mesh_a, false, 0.1),
               *box = tact_box(1, 1, 1), *rounded = tact_rounded(box, 0.1), *ball = tact_sphere(1),
               *flat = tact_box(1, 0, 1);
    tact_mesh_def def = tact_mesh_def_default();
    tact_shape *empty = tact_mesh_create(&def, NULL);
    tact_shape *sum = tact_minkowski_sum(box, box), *join = tact_convex_hull_of(box, ball),
               *hidden = tact_transformed(rounded, here);
    assert_non_null(empty);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tact_shapes_intersections(cube, bad[i], box, here, found, ROOM).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_intersections(box, here, cube, bad[i], found, ROOM).status, TACT_BAD_ARGUMENT);
    }
    assert_int_equal(tact_shapes_intersections(NULL, here, box, here, found, ROOM).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_intersections(box, here, NULL, here, found, ROOM).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_intersections(box, here, box, here, NULL, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(cross(empty, here, box, here), 0);
    assert_int_equal(cross(empty, here, empty, here), 0);
    /* what has no faces */
    const tact_shape *const curved[] = {round, rounded, ball, sum, join, hidden};
    for (size_t i = 0; i < sizeof curved / sizeof curved[0]; i++) {
        tact_intersections c = tact_shapes_intersections(curved[i], here, cube, tact_at(0.25, 0.25, 0.25), found, ROOM);
        assert_true(c.status == TACT_BAD_ARGUMENT && c.count == 0 && c.state == TACT_UNKNOWN);
        assert_int_equal(cross(cube, here, curved[i], tact_at(9, 0, 0)), 0);
    }
    assert_true(cross(flat, here, cube, tact_at(0.25, 0.25, 0.25)) > 0); /* without a height: faces on each other */
    tact_shape *const made[] = {cube, round, box, rounded, ball, flat, empty, sum, join, hidden};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        tact_shape_release(made[i]);
}

static void batches_are_the_single_calls(void **state)
{
    (void)state;
    enum { PAIRS = 600, LIST = 24 };
    static tact_pair pairs[PAIRS];
    static tact_intersection lists[PAIRS * LIST];
    static tact_contact_point points[PAIRS * LIST], point[LIST];
    static tact_intersections crossings[PAIRS];
    static tact_contacts contacts[PAIRS];
    const int count = long_form() ? PAIRS : quick_form() ? 80 : 200;
    dice d = dice_for(36, 1, 0);
    zoo_cube(&mesh_a, 0.5);
    tact_shape *shapes[3] = {zoo_shape(&mesh_a, true, 0.0), tact_box(1, 1, 1), quad_cube(0.5)};
    for (int i = 0; i < count; i++)
        pairs[i] = (tact_pair){shapes[i % 3], shapes[i / 3 % 3], rolled(&d, 0.6), rolled(&d, 0.6)};
    pairs[7].a = NULL;
    int small = 0;
    for (int k = 0; k < 3 * count; k++) { /* on one thread, two and many */
        const int i = k % count;
        const tact_pair *p = &pairs[i];
        const tact_parallel threads = {.threads = k / count == 2 ? 0 : k / count + 1};
        if (i == 0) {
            memset(lists, 0, sizeof lists);
            assert_int_equal(tact_intersections_batch(pairs, (size_t)count, lists, LIST, crossings, &threads), TACT_OK);
            assert_int_equal(tact_contacts_batch(pairs, (size_t)count, 0.01, points, LIST, contacts, &threads),
                             TACT_OK);
        }
        tact_intersections c = tact_shapes_intersections(p->a, p->transform_a, p->b, p->transform_b, found, LIST);
        assert_true(c.status == crossings[i].status && c.state == crossings[i].state && c.count == crossings[i].count);
        small += c.status == TACT_OUT_OF_MEMORY;
        for (size_t m = 0; c.status == TACT_OK && m < c.count; m++)
            assert_true(vec_equal(found[m].from, lists[i * LIST + (int)m].from));
        tact_contacts t = tact_shapes_contacts(p->a, p->transform_a, p->b, p->transform_b, 0.01, point, LIST);
        assert_true(t.status == contacts[i].status && t.state == contacts[i].state && t.count == contacts[i].count);
        for (size_t m = 0; m < t.count && m < LIST; m++)
            assert_true(vec_equal(point[m].on_a, points[i * LIST + (int)m].on_a) &&
                        point[m].depth == points[i * LIST + (int)m].depth);
    }
    assert_true(crossings[7].status == TACT_BAD_ARGUMENT && contacts[7].status == TACT_BAD_ARGUMENT);
    assert_true(small > 30 && small < 3 * count - 30);
    /* without lists: how many there are */
    assert_int_equal(tact_contacts_batch(pairs, (size_t)count, 0.01, NULL, 0, contacts, NULL), TACT_OK);
    assert_int_equal(tact_intersections_batch(pairs, (size_t)count, NULL, 0, crossings, NULL), TACT_OK);
    assert_int_equal(tact_intersections_batch(pairs, 0, NULL, 5, NULL, NULL), TACT_OK);
    assert_int_equal(tact_intersections_batch(pairs, (size_t)count, NULL, 1, crossings, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_intersections_batch(NULL, (size_t)count, lists, 1, crossings, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_intersections_batch(pairs, (size_t)count, lists, SIZE_MAX / 2, crossings, NULL),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_contacts_batch(pairs, (size_t)count, 0.01, NULL, 1, contacts, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_contacts_batch(pairs, (size_t)count, 0.01, points, LIST, NULL, NULL), TACT_BAD_ARGUMENT);
    for (int i = 0; i < 3; i++)
        tact_shape_release(shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corner_in_corner_is_a_hexagon),
        cmocka_unit_test(sheets_cross_in_a_line),
        cmocka_unit_test(cuts_split_no_segment),
        cmocka_unit_test(bent_faces_keep_their_bends),
        cmocka_unit_test(outlines_of_common_areas),
        cmocka_unit_test(outlines_of_large_polygons),
        cmocka_unit_test(outlines_of_polygons_that_touch_themselves),
        cmocka_unit_test(outlines_of_stairs),
        cmocka_unit_test(parts_are_reported),
        cmocka_unit_test(simplices_and_hulls),
        cmocka_unit_test(room_that_is_too_small),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(batches_are_the_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
