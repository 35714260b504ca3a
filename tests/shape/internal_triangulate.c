/*
 * Triangulation of polygons. The checks prove that a triangulation is right: the triangles use every edge of the loops
 * once and every other edge once in each direction, and all have the same orientation in projection (by GMP). Then they
 * cover the polygon without overlap. Polygons are boundaries of random sets of squares (holes, collinear vertices,
 * touching loops), stars, and random vertices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "shape/triangulate.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"
#include "support/random.h"

enum { SIDE = 12, MOST = 4 * SIDE * SIDE + 1000 };

typedef struct polygon {
    uint32_t vertex_count, corner_count, loop_count;
    tact_vec3 vertices[MOST];
    uint32_t corners[MOST], loop_sizes[MOST];
    bool touching; /* loops may touch: triangles without area are allowed */
} polygon;

/* ---- the oracle ---- */

/* The sign of a component of the cross product, in rational numbers. */
static int turn(int axis, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    double p[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    mpq_t q[3][2], left, right;
    mpq_inits(left, right, NULL);
    for (int i = 0; i < 3; ++i) {
        mpq_inits(q[i][0], q[i][1], NULL);
        mpq_set_d(q[i][0], p[i][x]);
        mpq_set_d(q[i][1], p[i][y]);
    }
    for (int i = 1; i < 3; ++i) {
        mpq_sub(q[i][0], q[i][0], q[0][0]);
        mpq_sub(q[i][1], q[i][1], q[0][1]);
    }
    mpq_mul(left, q[1][0], q[2][1]);
    mpq_mul(right, q[1][1], q[2][0]);
    int sign = mpq_cmp(left, right);
    for (int i = 0; i < 3; ++i)
        mpq_clears(q[i][0], q[i][1], NULL);
    mpq_clears(left, right, NULL);
    return (sign > 0) - (sign < 0);
}

typedef struct edge {
    uint32_t from, to;
} edge;

static int compare_edges(const void *p, const void *q)
{
    const edge *a = p, *b = q;
    uint32_t al = a->from < a->to ? a->from : a->to, ah = a->from < a->to ? a->to : a->from;
    uint32_t bl = b->from < b->to ? b->from : b->to, bh = b->from < b->to ? b->to : b->from;
    return al != bl ? (al < bl ? -1 : 1) : ah != bh ? (ah < bh ? -1 : 1) : 0;
}

/* Every edge cancels: triangle edges forwards, loop edges (in either direction for holes) backwards. */
static bool edges_cancel(const uint32_t *corners, const uint32_t *loop_sizes, uint32_t loop_count,
                         const vertex_index_array *triangles)
{
    size_t count = 0;
    uint32_t first = 0;
    for (uint32_t l = 0; l < loop_count; ++l)
        first += loop_sizes[l];
    edge *edges = malloc((triangles->count + first + 1) * sizeof *edges);
    assert_non_null(edges);
    for (size_t i = 0; i < triangles->count; i += 3)
        for (size_t k = 0; k < 3; ++k)
            edges[count++] = (edge){triangles->items[i + k], triangles->items[i + (k + 1) % 3]};
    first = 0;
    for (uint32_t l = 0; l < loop_count; first += loop_sizes[l++])
        for (uint32_t k = 0; k < loop_sizes[l]; ++k)
            edges[count++] = (edge){corners[first + k], corners[first + (k + 1) % loop_sizes[l]]};
    qsort(edges, count, sizeof edges[0], compare_edges);
    bool even = true;
    for (size_t i = 0; i < count;) {
        size_t k = i;
        while (k < count && compare_edges(&edges[i], &edges[k]) == 0)
            ++k;
        /* An inner edge occurs twice, a loop edge once in its triangle and once in its loop: an even number. An edge
         * that loops use twice may also be used by two triangles. */
        even = even && ((k - i) % 2 == 0 || edges[i].from == edges[i].to);
        i = k;
    }
    free(edges);
    return even;
}

/* ---- polygons ---- */

static uint32_t add_vertex(polygon *p, double x, double y)
{
    for (uint32_t i = 0; i < p->vertex_count; ++i)
        if (p->vertices[i].x == x && p->vertices[i].y == y)
            return i;
    p->vertices[p->vertex_count] = (tact_vec3){x, y, 0.0};
    return p->vertex_count++;
}

/* The boundary of a random connected set of squares, every unit step an edge: the set is on the left. */
static void make_squares(polygon *p, random_source *s)
{
    static bool in[SIDE + 2][SIDE + 2], mark[SIDE + 2][SIDE + 2], used[SIDE + 2][SIDE + 2][4];
    double density = random_range(s, 0.5, 0.95);
    int side = random_between(s, 2, SIDE);
    memset(in, 0, sizeof in), memset(mark, 0, sizeof mark), memset(used, 0, sizeof used);
    for (int i = 1; i <= side; ++i)
        for (int j = 1; j <= side; ++j)
            in[i][j] = random_chance(s, density);
    int a = random_between(s, 1, side), b = random_between(s, 1, side);
    in[a][b] = mark[a][b] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 1; i <= side; ++i)
            for (int j = 1; j <= side; ++j)
                if (in[i][j] && !mark[i][j] && (mark[i - 1][j] || mark[i + 1][j] || mark[i][j - 1] || mark[i][j + 1]))
                    grown = mark[i][j] = true;
    }
    /* square (i j) has the vertices (i j) to (i+1 j+1); an edge leaves vertex (x y) in direction d: right, up, left,
     * down */
    static const int dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
    static const int left_x[4] = {0, -1, -1, 0}, left_y[4] = {0, 0, -1, -1}; /* the square on its left */
    static const int right_x[4] = {0, 0, -1, -1}, right_y[4] = {-1, 0, 0, -1};
#define IS_EDGE(x, y, d) (mark[(x) + left_x[d]][(y) + left_y[d]] && !mark[(x) + right_x[d]][(y) + right_y[d]])
    p->vertex_count = p->corner_count = p->loop_count = 0;
    p->touching = true;
    int outer = -1;
    uint32_t outer_first = 0;
    for (int x0 = 1; x0 <= side + 1; ++x0)
        for (int y0 = 1; y0 <= side + 1; ++y0)
            for (int d0 = 0; d0 < 4; ++d0) {
                if (used[x0][y0][d0] || !IS_EDGE(x0, y0, d0))
                    continue;
                uint32_t first = p->corner_count;
                int x = x0, y = y0, d = d0;
                long area = 0;
                do {
                    used[x][y][d] = true;
                    p->corners[p->corner_count++] = add_vertex(p, x, y);
                    area += x * dy[d] - y * dx[d];
                    x += dx[d], y += dy[d];
                    /* left first: stays with the same square where two touch at a vertex */
                    int turn_to = (d + 1) % 4;
                    while (!IS_EDGE(x, y, turn_to) || used[x][y][turn_to]) {
                        turn_to = (turn_to + 3) % 4;
                        if (x == x0 && y == y0 && turn_to == (d + 2) % 4)
                            break;
                    }
                    d = turn_to;
                } while (!(x == x0 && y == y0 && (d == d0 || used[x][y][d] || !IS_EDGE(x, y, d))));
                if (area > 0) {
                    assert_true(outer < 0);
                    outer = (int)p->loop_count;
                    outer_first = first;
                }
                p->loop_sizes[p->loop_count++] = p->corner_count - first;
            }
    /* the outer boundary first */
    assert_true(outer >= 0);
    uint32_t size = p->loop_sizes[outer];
    static uint32_t keep[MOST];
    memcpy(keep, p->corners + outer_first, size * sizeof keep[0]);
    memmove(p->corners + size, p->corners, outer_first * sizeof keep[0]);
    memcpy(p->corners, keep, size * sizeof keep[0]);
    memmove(p->loop_sizes + 1, p->loop_sizes, (size_t)outer * sizeof keep[0]);
    p->loop_sizes[0] = size;
}

/* Drops collinear vertices of all loops with a probability. */
static void thin_out(polygon *p, random_source *s, double probability)
{
    uint32_t first = 0, to = 0;
    for (uint32_t l = 0; l < p->loop_count; ++l) {
        uint32_t size = p->loop_sizes[l], kept = 0;
        static uint32_t loop[MOST];
        memcpy(loop, p->corners + first, size * sizeof loop[0]);
        first += size;
        for (uint32_t k = 0; k < size; ++k) {
            tact_vec3 a = p->vertices[loop[(k + size - 1) % size]], b = p->vertices[loop[k]],
                      c = p->vertices[loop[(k + 1) % size]];
            double flat = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
            if (flat != 0.0 || !random_chance(s, probability))
                p->corners[to + kept++] = loop[k];
        }
        to += kept;
        p->loop_sizes[l] = kept;
    }
    p->corner_count = to;
}

/* Around a centre by angle, at random distances: simple. Some vertices are (nearly) at the centre of edges. */
static void make_star(polygon *p, random_source *s, uint32_t size)
{
    p->vertex_count = p->corner_count = size;
    p->loop_count = 1;
    p->loop_sizes[0] = size;
    p->touching = false;
    for (uint32_t i = 0; i < size; ++i) {
        double angle = 6.283185307179586 * (i + 0.5 * random_unit(s)) / size, r = random_range(s, 0.05, 1.0);
        p->vertices[i] = (tact_vec3){r * cos(angle), r * sin(angle), 0.0};
        p->corners[i] = i;
    }
}

/* A square of four vertices with holes that are halves of unit squares: they touch it and each other at vertices, along
 * edges, and at vertices inside edges. */
static void make_halves(polygon *p, random_source *s)
{
    int side = random_between(s, 1, 6);
    double density = random_range(s, 0.0, 0.3);
    p->vertex_count = p->corner_count = p->loop_count = 0;
    p->touching = true;
    const double outline[4][2] = {{0, 0}, {side, 0}, {side, side}, {0, side}};
    for (int i = 0; i < 4; ++i)
        p->corners[p->corner_count++] = add_vertex(p, outline[i][0], outline[i][1]);
    p->loop_sizes[p->loop_count++] = 4;
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j) {
            if (!random_chance(s, density))
                continue;
            /* three of the four vertices of the square */
            int left_out = random_between(s, 0, 3);
            const int x[4] = {i, i + 1, i + 1, i}, y[4] = {j, j, j + 1, j + 1};
            for (int k = 0; k < 4; ++k)
                if (k != left_out)
                    p->corners[p->corner_count++] = add_vertex(p, x[k], y[k]);
            p->loop_sizes[p->loop_count++] = 3;
        }
}

/* Holes that touch the outer boundary from inside. */
static void make_touching(polygon *p, int which)
{
    static const double cases[][8][2] = {
        {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {10, 10}, {1, 4}, {4, 1}},  /* at a vertex, all the way through its ear */
        {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {5, 0}, {8, 5}, {2, 5}},    /* inside an edge */
        {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {10, 3}, {10, 6}, {4, 5}},  /* along an edge */
        {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {0, 0}, {9, 6}, {6, 9}},    /* at the lowest vertex */
        {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {0, 0}, {10, 0}, {5, 5}},   /* a whole edge */
        {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {10, 10}, {0, 10}, {5, 0}}, /* an edge, and a vertex inside another */
    };
    p->vertex_count = p->corner_count = 0;
    for (int i = 0; i < 7; ++i)
        p->corners[p->corner_count++] = add_vertex(p, cases[which][i][0], cases[which][i][1]);
    p->loop_count = 2;
    p->loop_sizes[0] = 4;
    p->loop_sizes[1] = 3;
    p->touching = true;
}

enum { TOUCHING = 6 };

/* Random vertices. */
static void make_rubbish(polygon *p, random_source *s)
{
    p->vertex_count = (uint32_t)random_between(s, 1, 20);
    p->touching = true;
    for (uint32_t i = 0; i < p->vertex_count; ++i)
        p->vertices[i] = (tact_vec3){random_between(s, -2, 2), random_between(s, -2, 2),
                                     random_chance(s, 0.3) ? random_unit(s) : 0.0};
    p->loop_count = (uint32_t)random_between(s, 1, 4);
    p->corner_count = 0;
    for (uint32_t l = 0; l < p->loop_count; ++l) {
        p->loop_sizes[l] = (uint32_t)random_between(s, l == 0 ? 1 : 0, 12);
        for (uint32_t k = 0; k < p->loop_sizes[l]; ++k)
            p->corners[p->corner_count++] = (uint32_t)random_below(s, p->vertex_count);
    }
}

/* Into space: on an inclined plane in integers, or on a coordinate plane; some holes reversed. */
static int place(polygon *p, random_source *s)
{
    int axis = random_between(s, 0, 2), size = random_chance(s, 0.2) ? random_between(s, -1000, 900) : 0;
    double slope_x = random_chance(s, 0.5) ? 0.0 : 0.5, slope_y = random_chance(s, 0.5) ? 0.0 : -0.25;
    for (uint32_t i = 0; i < p->vertex_count; ++i) {
        tact_vec3 v = p->vertices[i];
        double up = v.z + slope_x * v.x + slope_y * v.y;
        v.x = ldexp(v.x, size), v.y = ldexp(v.y, size), up = ldexp(up, size);
        p->vertices[i] = axis == 0   ? (tact_vec3){up, v.x, v.y}
                         : axis == 1 ? (tact_vec3){v.y, up, v.x}
                                     : (tact_vec3){v.x, v.y, up};
    }
    uint32_t first = p->loop_sizes[0];
    for (uint32_t l = 1; l < p->loop_count; first += p->loop_sizes[l++])
        if (random_chance(s, 0.5))
            for (uint32_t i = 0, k = p->loop_sizes[l]; i + 1 < k; ++i, --k) {
                uint32_t swap = p->corners[first + i];
                p->corners[first + i] = p->corners[first + k - 1];
                p->corners[first + k - 1] = swap;
            }
    return axis;
}

static polygon shape;

enum { SQUARES, LONG_SQUARES, STARS, RUBBISH, HALVES, TOUCHES, KINDS };

static void check(int kind, int number, int axis, bool indexed, long *flat, long *all, long *turned)
{
    static const tact_allocator allocator = {0};
    vertex_index_array triangles = {0};
    assert_int_equal(tact_polygon_triangulate_indexed(shape.vertices, shape.corners, shape.loop_sizes, shape.loop_count,
                                                      indexed ? 0 : SIZE_MAX, &allocator, &triangles),
                     TACT_OK);
    uint32_t holes = 0;
    for (uint32_t l = 1; l < shape.loop_count; ++l)
        holes += shape.loop_sizes[l] > 0;
    size_t expected = shape.corner_count < 3 ? 0 : shape.corner_count + 2 * holes - 2;
    if (kind == STARS && triangles.count != 3 * expected)
        fail_msg("kind %d number %d: %zu triangles, should be %zu", kind, number, triangles.count / 3, expected);
    if (expected > 0 && !edges_cancel(shape.corners, shape.loop_sizes, shape.loop_count, &triangles))
        fail_msg("kind %d number %d: edges do not match", kind, number);
    bool left = false, right = false;
    for (size_t i = 0; i < triangles.count; i += 3) {
        const uint32_t *t = triangles.items + i;
        int got = turn(axis, shape.vertices[t[0]], shape.vertices[t[1]], shape.vertices[t[2]]);
        if (kind != RUBBISH && (got < 0 || (got == 0 && !shape.touching)))
            fail_msg("kind %d number %d: triangle %zu of %zu turns %d", kind, number, i / 3, expected, got);
        *flat += got == 0;
        ++*all;
        left = left || got > 0;
        right = right || got < 0;
    }
    *turned += left && right;
    vertex_index_array_release(&triangles, &allocator);
}

static void triangles_cover_the_polygon_once(void **state)
{
    (void)state;
    const int rounds = (int)random_case_count(60, 20000);
    long flat[KINDS] = {0}, all[KINDS] = {0}, turned[KINDS] = {0}, holes = 0;
    for (int kind = 0; kind < KINDS; ++kind)
        for (int round = 0; round < (kind >= RUBBISH ? 10 * rounds : rounds); ++round) {
            random_source s = random_seed((uint64_t)(kind * 1000000 + round));
            if (kind < 2) {
                make_squares(&shape, &s);
                if (kind == 1)
                    thin_out(&shape, &s, random_unit(&s));
                holes += shape.loop_count - 1;
            } else if (kind == 2) {
                make_star(&shape, &s, (uint32_t)random_between(&s, 3, 200));
            } else if (kind == HALVES) {
                make_halves(&shape, &s);
            } else if (kind == TOUCHES) {
                make_touching(&shape, round % TOUCHING);
            } else {
                make_rubbish(&shape, &s);
            }
            int axis = place(&shape, &s);
            check(kind, round, axis, false, &flat[kind], &all[kind], &turned[kind]);
            check(kind, round, axis, true, &flat[kind], &all[kind], &turned[kind]);
        }
    print_message("%ld holes; triangles without area: %ld of %ld, %ld of %ld, %ld of %ld\n", holes, flat[0], all[0],
                  flat[1], all[1], flat[2], all[2]);
    print_message(
        "rubbish: %ld of %d with triangles turned over; without area in halves: %ld of %ld, touching: %ld of %ld\n",
        turned[RUBBISH], 20 * rounds, flat[HALVES], all[HALVES], flat[TOUCHES], all[TOUCHES]);
    assert_true(turned[RUBBISH] > 2 * rounds);
    assert_true(holes > rounds && all[2] > 100 * rounds && flat[0] + flat[1] < (all[0] + all[1]) / 50);
}

/* So small that the squares of distances vanish and all vertices are equally far: the index finds the same bridges to
 * holes as a search over all vertices. */
static void tiny_polygons_have_the_same_bridges(void **state)
{
    (void)state;
    static const tact_allocator allocator = {0};
    int holes = 0;
    for (int number = 0; number < 200; ++number) {
        random_source s = random_seed((uint64_t)number);
        make_squares(&shape, &s);
        holes += shape.loop_count > 1;
        for (uint32_t i = 0; i < shape.vertex_count; ++i)
            shape.vertices[i] = tact_vec(ldexp(shape.vertices[i].x, -560), ldexp(shape.vertices[i].y, -560), 0.0);
        vertex_index_array found[2] = {{0}, {0}};
        for (int i = 0; i < 2; ++i)
            assert_int_equal(tact_polygon_triangulate_indexed(shape.vertices, shape.corners, shape.loop_sizes,
                                                              shape.loop_count, i == 0 ? 0 : SIZE_MAX, &allocator,
                                                              &found[i]),
                             TACT_OK);
        assert_int_equal(found[0].count, found[1].count);
        assert_memory_equal(found[0].items, found[1].items, found[0].count * sizeof *found[0].items);
        vertex_index_array_release(&found[0], &allocator);
        vertex_index_array_release(&found[1], &allocator);
    }
    assert_true(holes > 20);
}

/* ---- many vertices ---- */

/* Large enough for quadratic algorithms to take minutes: a star, a comb with its points on two lines, and a square with
 * square holes, far from the origin. */
static void many_vertices_take_log_linear_time(void **state)
{
    (void)state;
    enum { CORNERS = 40000 }; /* at most */
    static const tact_allocator allocator = {0};
    static tact_vec3 vertices[CORNERS];
    static uint32_t corners[CORNERS], sizes[CORNERS / 4];
    const uint32_t count = long_form() ? CORNERS : quick_form() ? CORNERS / 4 : CORNERS / 2;
    for (int kind = 0; kind < 3; ++kind) {
        random_source s = random_seed((uint64_t)kind);
        size_t loops = 1;
        sizes[0] = count;
        for (uint32_t i = 0; i < count; ++i) {
            double angle = i * (2.0 * 3.14159265358979 / count), far = random_range(&s, 0.2, 1.0);
            corners[i] = i;
            if (kind == 0)
                vertices[i] = (tact_vec3){1e6 + far * cos(angle), far * sin(angle), 7.0};
            else if (kind == 1)
                vertices[i] = i < count - 2    ? (tact_vec3){1e6 - i, i % 2 ? 0.0 : (double)count, 7.0}
                              : i == count - 2 ? (tact_vec3){1e6 - (double)count, -1.0, 7.0}
                                               : (tact_vec3){1e6 + 1.0, -1.0, 7.0};
            else if (i < 4)
                vertices[i] = (tact_vec3){1e6 + (i == 1 || i == 2 ? 301.0 : -1.0), i >= 2 ? 301.0 : -1.0, 7.0};
            else {
                uint32_t hole = i / 4 - 1, k = i % 4;
                double shift = 0.9 * (double)(hash_mix(hole) >> 11) * 0x1p-53;
                vertices[i] = (tact_vec3){1e6 + 3.0 * (hole % 100) + shift + (k >= 2),
                                          3.0 * (double)(hole / 100) + shift + (k == 1 || k == 2), 7.0};
            }
        }
        for (size_t l = 0; kind == 2 && l < count / 4; ++l)
            sizes[l] = 4;
        loops = kind == 2 ? count / 4 : 1;
        vertex_index_array triangles = {0};
        assert_int_equal(tact_polygon_triangulate(vertices, corners, sizes, loops, &allocator, &triangles), TACT_OK);
        assert_int_equal(triangles.count, 3 * (count + 2 * (loops - 1) - 2));
        double area = 0.0;
        for (size_t i = 0; i < triangles.count; i += 3) {
            const uint32_t *t = triangles.items + i;
            tact_vec3 a = vertices[t[0]], b = vertices[t[1]], c = vertices[t[2]];
            double twice = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
            assert_true(twice > 0.0 || turn(2, a, b, c) > 0);
            area += 0.5 * twice;
        }
        double expected = 0.0;
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t next = kind < 2 ? (i + 1) % count : i % 4 < 3 ? i + 1 : i - 3;
            expected += 0.5 * ((vertices[i].x - 1e6) * vertices[next].y - (vertices[next].x - 1e6) * vertices[i].y);
        }
        assert_true(fabs(area - expected) <= 1e-9 * expected);
        vertex_index_array_release(&triangles, &allocator);
    }
}

/* Vertices in any order, anywhere in a square or on a grid, whose edges cross each other and pass through vertices: a
 * scan over all others for each takes long. The triangles are the same with and without an index. */
static void random_vertices_take_bounded_time(void **state)
{
    (void)state;
    enum { CORNERS = 10000, CORNERS_ON_GRID = 5000, CORNERS_TWICE = 1500 }; /* at most */
    static const tact_allocator allocator = {0};
    static tact_vec3 vertices[CORNERS];
    static uint32_t corners[CORNERS];
    for (int kind = 0; kind < 4; ++kind) {
        random_source s = random_seed((uint64_t)kind);
        const uint32_t most = kind == 0 ? CORNERS : kind == 1 ? CORNERS_ON_GRID : CORNERS_TWICE;
        const uint32_t size = long_form() || kind > 1 ? most : most / 5 * (quick_form() ? 2 : 3);
        const int side = kind == 1 ? 100 : 40;
        for (uint32_t i = 0; i < size; ++i) {
            corners[i] = i;
            vertices[i] = kind == 0 ? (tact_vec3){random_unit(&s), random_unit(&s), 7.0}
                                    : (tact_vec3){random_between(&s, 1, side), random_between(&s, 1, side), 7.0};
            /* the same vertex again, or another one at its position */
            if (kind == 3 && i > 0 && random_chance(&s, 0.5))
                corners[i] = (uint32_t)random_below(&s, i);
        }
        vertex_index_array triangles = {0}, again = {0};
        assert_int_equal(tact_polygon_triangulate(vertices, corners, &size, 1, &allocator, &triangles), TACT_OK);
        assert_true(edges_cancel(corners, &size, 1, &triangles));
        print_message("%u corners: %zu triangles\n", (unsigned)size, triangles.count / 3);
        assert_true(kind == 0 ? triangles.count == 3 * ((size_t)size - 2) : triangles.count > 4 * (size_t)size);
        if (kind >= 2) {
            assert_int_equal(
                tact_polygon_triangulate_indexed(vertices, corners, &size, 1, SIZE_MAX, &allocator, &again), TACT_OK);
            assert_int_equal(again.count, triangles.count);
            assert_memory_equal(again.items, triangles.items, again.count * sizeof *again.items);
        }
        vertex_index_array_release(&triangles, &allocator);
        vertex_index_array_release(&again, &allocator);
    }
}

/* ---- memory and bad input ---- */

/* Vertices on a line, and vertices at three positions only, in any order: nearly every vertex is inside nearly every
 * edge, or coincides with a third of the others. */
static void coincident_vertices_take_bounded_memory(void **state)
{
    (void)state;
    enum { HEAP = MOST };
    static polygon heap;
    for (int kind = 0; kind < 4; ++kind) {
        random_source s = random_seed((uint64_t)kind);
        memset(&heap, 0, sizeof heap);
        heap.vertex_count = kind % 2 ? 3 : HEAP;
        heap.loop_count = 1;
        heap.corner_count = heap.loop_sizes[0] = HEAP;
        for (uint32_t i = 0; i < HEAP; ++i) {
            heap.vertices[i] = kind % 2 ? (tact_vec3){(double)i, (double)i * (double)i, 0.0}
                                        : (tact_vec3){random_between(&s, 0, 1000), 0.0, 0.0};
            heap.corners[i] = kind % 2 ? (uint32_t)random_between(&s, 0, 2) : i;
        }
        failing_allocator f = {0};
        tact_allocator allocator = failing_allocator_make(&f);
        vertex_index_array triangles = {0};
        assert_int_equal(tact_polygon_triangulate_indexed(heap.vertices, heap.corners, heap.loop_sizes, 1,
                                                          kind < 2 ? 0 : SIZE_MAX, &allocator, &triangles),
                         TACT_OK);
        assert_true(edges_cancel(heap.corners, heap.loop_sizes, 1, &triangles));
        print_message("%zu bytes a corner\n", f.most / HEAP);
        assert_true(f.most < 2000 * HEAP);
        vertex_index_array_release(&triangles, &allocator);
        assert_int_equal(f.held, 0);
    }
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    random_source s = random_seed(3);
    make_squares(&shape, &s);
    int failed = 0;
    for (int until = 0; until < 80; ++until) {
        failing_allocator f = {.fail_from = until + 1};
        tact_allocator allocator = failing_allocator_make(&f);
        vertex_index_array triangles = {0};
        tact_status status = tact_polygon_triangulate_indexed(shape.vertices, shape.corners, shape.loop_sizes,
                                                              shape.loop_count, 0, &allocator, &triangles);
        failed += status == TACT_OUT_OF_MEMORY;
        assert_true(status == TACT_OK || (status == TACT_OUT_OF_MEMORY && triangles.count == 0));
        vertex_index_array_release(&triangles, &allocator);
        assert_int_equal(f.held, 0);
    }
    print_message("out of memory %d times\n", failed);
    assert_true(failed > 10 && failed < 80);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    static const tact_allocator allocator = {0};
    tact_vec3 v[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    const uint32_t corners[4] = {0, 1, 2, 3}, sizes[1] = {4}, huge[2] = {UINT32_MAX, UINT32_MAX};
    vertex_index_array triangles = {0};
    v[2].y = NAN;
    assert_int_equal(tact_polygon_triangulate(v, corners, sizes, 1, &allocator, &triangles), TACT_BAD_ARGUMENT);
    v[2].y = INFINITY;
    assert_int_equal(tact_polygon_triangulate(v, corners, sizes, 1, &allocator, &triangles), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_polygon_triangulate(v, corners, huge, 2, &allocator, &triangles), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_polygon_triangulate(v, corners, sizes, 0, &allocator, &triangles), TACT_OK);
    assert_int_equal(triangles.count, 0);
    v[2].y = 1e308, v[2].x = 1e308, v[0].x = v[0].y = -1e308;
    assert_int_equal(tact_polygon_triangulate(v, corners, sizes, 1, &allocator, &triangles), TACT_OK);
    assert_int_equal(triangles.count, 6);
    vertex_index_array_release(&triangles, &allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_cover_the_polygon_once),
        cmocka_unit_test(tiny_polygons_have_the_same_bridges),
        cmocka_unit_test(many_vertices_take_log_linear_time),
        cmocka_unit_test(random_vertices_take_bounded_time),
        cmocka_unit_test(coincident_vertices_take_bounded_memory),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("triangulate", tests, NULL, NULL);
}
