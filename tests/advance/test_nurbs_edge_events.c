/*
 * Feature events of NURBS bodies with themselves, where surfaces share named edges: the triangles on both sides of an
 * edge are not joined, but meet there. Solids that deform linearly have no event; surfaces that fold onto each other
 * have those of the fold, at its time, and none at the edge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"

enum { MAX_FACES = 6, FACE_POINTS = 18, MAX_EDGES = 12 };

typedef struct body {
    tact_vec3 points[MAX_FACES][FACE_POINTS];
    double weights[FACE_POINTS];
    tact_nurbs_def defs[MAX_FACES];
    size_t face_count;
    tact_nurbs_edge edges[MAX_EDGES];
    size_t edge_count;
} body;

static const double clamped[4][8] = {{0}, {0, 0, 1, 1}, {0, 0, 0, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};

/* A plane of some degree: corner + u a + v b. */
static void add_plane(body *b, int degree, tact_vec3 corner, tact_vec3 u, tact_vec3 v)
{
    const size_t n = (size_t)degree + 1, face = b->face_count++;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double s = (double)i / degree, t = (double)k / degree;
            b->points[face][i * n + k] =
                (tact_vec3){corner.x + s * u.x + t * v.x, corner.y + s * u.y + t * v.y, corner.z + s * u.z + t * v.z};
        }
    b->defs[face] = (tact_nurbs_def){.degree = {degree, degree},
                                     .counts = {n, n},
                                     .knots = {clamped[degree], clamped[degree]},
                                     .points = b->points[face],
                                     .tolerance = 0.01};
}

static void add_edge(body *b, uint32_t f, uint32_t side_f, uint32_t g, uint32_t side_g)
{
    b->edges[b->edge_count++] = (tact_nurbs_edge){.surface = {f, g}, .curve = {side_f, side_g}};
}

/* A cube of extent 2 of planes of different degrees, so that only the edges join them. */
static void make_cube(body *b)
{
    memset(b, 0, sizeof *b);
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double c[3] = {-1.0, -1.0, -1.0}, u[3] = {0.0}, v[3] = {0.0};
            c[axis] = sign;
            u[(axis + (sign > 0 ? 1 : 2)) % 3] = v[(axis + (sign > 0 ? 2 : 1)) % 3] = 2.0;
            add_plane(b, axis + 1, (tact_vec3){c[0], c[1], c[2]}, (tact_vec3){u[0], u[1], u[2]},
                      (tact_vec3){v[0], v[1], v[2]});
        }
    static const int ends[4][2][2] = {{{0, 0}, {1, 0}}, {{1, 0}, {1, 1}}, {{0, 1}, {1, 1}}, {{0, 0}, {0, 1}}};
    for (uint32_t f = 0; f < 6; f++)
        for (uint32_t g = 0; g < f; g++)
            for (uint32_t i = 0; i < 4; i++)
                for (uint32_t k = 0; k < 4; k++) { /* sides with the same middle */
                    tact_vec3 m[2];
                    for (int s = 0; s < 2; s++) {
                        const tact_nurbs_def *d = &b->defs[s == 0 ? f : g];
                        const int(*e)[2] = ends[s == 0 ? i : k];
                        assert_int_equal(
                            tact_nurbs_evaluate(d, 0.5 * (e[0][0] + e[1][0]), 0.5 * (e[0][1] + e[1][1]), 0, &m[s]),
                            TACT_OK);
                    }
                    if (fabs(m[0].x - m[1].x) + fabs(m[0].y - m[1].y) + fabs(m[0].z - m[1].z) < 1e-9)
                        add_edge(b, f, i, g, k);
                }
    assert_int_equal(b->edge_count, 12);
    b->defs[0].solid = true;
}

/* Five planes around a corner: those that are not beside each other share only the corner. */
static void make_star(body *b)
{
    static const int degrees[5] = {1, 2, 1, 2, 3};
    memset(b, 0, sizeof *b);
    for (uint32_t k = 0; k < 5; k++) {
        const double s = 1.2566370614359172 * k, t = 1.2566370614359172 * ((k + 1) % 5);
        add_plane(b, degrees[k], (tact_vec3){0.0, 0.0, 0.0}, (tact_vec3){cos(s), sin(s), 0.6},
                  (tact_vec3){cos(t), sin(t), 0.6});
        add_edge(b, k, 3, (k + 1) % 5, 0);
    }
}

/* A cylinder with two trimmed discs. */
static const double quarters[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
static double circle[2][9][2], circle_weights[9];
static tact_nurbs_curve circles[2];
static tact_nurbs_loop loops[2];

static void make_can(body *b)
{
    static const double at[8][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    memset(b, 0, sizeof *b);
    for (int i = 0; i < 18; i++) {
        b->points[0][i] = (tact_vec3){at[i / 2 % 8][0], at[i / 2 % 8][1], i % 2 == 0 ? -1.0 : 1.0};
        b->weights[i] = i / 2 % 2 == 0 ? 1.0 : sqrt(0.5);
    }
    b->defs[0] = (tact_nurbs_def){.degree = {2, 1},
                                  .counts = {9, 2},
                                  .knots = {quarters, clamped[1]},
                                  .points = b->points[0],
                                  .weights = b->weights,
                                  .tolerance = 0.02};
    b->face_count = 1;
    add_plane(b, 1, (tact_vec3){-1.5, -1.5, 1.0}, (tact_vec3){3.0, 0.0, 0.0}, (tact_vec3){0.0, 3.0, 0.0});
    add_plane(b, 1, (tact_vec3){-1.5, -1.5, -1.0}, (tact_vec3){0.0, 3.0, 0.0}, (tact_vec3){3.0, 0.0, 0.0});
    for (int lid = 0; lid < 2; lid++) {
        for (int i = 0; i < 9; i++) {
            circle[lid][i][lid] = 0.5 + at[i % 8][0] / 3.0;
            circle[lid][i][1 - lid] = 0.5 + at[i % 8][1] / 3.0;
            circle_weights[i] = i % 2 == 0 ? 1.0 : sqrt(0.5);
        }
        circles[lid] = (tact_nurbs_curve){2, 9, quarters, (const double(*)[2])circle[lid], circle_weights};
        loops[lid] = (tact_nurbs_loop){&circles[lid], 1};
        b->defs[1 + lid].trims = &loops[lid];
        b->defs[1 + lid].trim_count = 1;
        add_edge(b, 0, lid == 0 ? 2 : 0, 1 + (uint32_t)lid, 0);
    }
    b->defs[0].solid = true;
}

static tact_world *world_of(body *b, tact_body *made)
{
    tact_report report = {.status = TACT_OK};
    b->defs[0].edges = b->edges;
    b->defs[0].edge_count = b->edge_count;
    tact_shape *shape = tact_nurbs_create(b->defs, b->face_count, &report);
    if (shape == NULL)
        fail_msg("%s", report.text);
    tact_world *world = tact_world_create(NULL);
    *made = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
    tact_shape_release(shape);
    assert_int_equal(tact_body_set_self_collision(world, *made, true), TACT_OK);
    assert_int_equal(tact_body_set_feature_events(world, *made, true), TACT_OK);
    return world;
}

/* All control points move by a linear map of their places. */
static void move_by_map(tact_world *world, tact_body made, const body *b, const double map[3][4])
{
    tact_vec3 velocities[MAX_FACES * FACE_POINTS];
    size_t count = 0;
    for (size_t f = 0; f < b->face_count; f++)
        for (size_t i = 0; i < b->defs[f].counts[0] * b->defs[f].counts[1]; i++) {
            const tact_vec3 p = b->points[f][i];
            double v[3];
            for (int r = 0; r < 3; r++)
                v[r] = map[r][0] * p.x + map[r][1] * p.y + map[r][2] * p.z + map[r][3];
            velocities[count++] = (tact_vec3){v[0], v[1], v[2]};
        }
    assert_int_equal(tact_body_set_vertex_motion(world, made, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
}

/* Solids that are stretched and sheared do not touch themselves; without knowing their edges there are thousands of
 * events. */
static void edges_are_no_contacts(void **state)
{
    (void)state;
    random_source random = random_seed(17);
    for (int scene = 0; scene < 6; scene++) {
        body b;
        if (scene % 3 == 0)
            make_cube(&b);
        else if (scene % 3 == 1)
            make_star(&b);
        else
            make_can(&b);
        tact_body made;
        tact_world *world = world_of(&b, &made);
        for (int piece = 0; piece < 2; piece++) {
            double map[3][4];
            for (int i = 0; i < 12; i++)
                map[i / 4][i % 4] = random_range(&random, -0.25, 0.25);
            move_by_map(world, made, &b, (const double(*)[4])map);
            tact_event e;
            assert_int_equal(tact_world_next_event(world, 1.0 + piece, &e), TACT_EVENT_NONE);
            assert_int_equal(e.status, TACT_OK);
        }
        tact_world_release(world);
    }
}

/* The lid of a can falls through the can to its bottom: the edge opens, and both lids touch when they are at the same
 * height. Before that the lid only meets the wall. */
static void opened_edges_are_contacts(void **state)
{
    (void)state;
    body b;
    make_can(&b);
    tact_body made;
    tact_world *world = world_of(&b, &made);
    tact_vec3 velocities[26] = {{0.0, 0.0, 0.0}};
    for (int i = 18; i < 22; i++)
        velocities[i].z = -1.0;
    assert_int_equal(tact_body_set_vertex_motion(world, made, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
    tact_event e;
    int lids = 0, walls = 0;
    while (tact_world_next_event(world, 2.5, &e) == TACT_EVENT_FEATURES) {
        const uint32_t s[2] = {e.features.location_a.surface, e.features.location_b.surface};
        if (s[0] + s[1] == 3 && s[0] != 0 && s[1] != 0) {
            assert_true(fabs(e.time - 2.0) < 1e-9);
            lids++;
        } else { /* the lid is at least some tolerances away from its edge */
            assert_true(e.time > 0.02);
            walls++;
        }
    }
    assert_int_equal(e.status, TACT_OK);
    assert_true(lids > 4 && walls > 10);
    tact_world_release(world);
}

/* Two planes with a common edge along y: one at z = 0 and x < 0, the other is upright and falls onto it, at t = 2/3. */
static void folds_are_contacts(void **state)
{
    (void)state;
    body b;
    memset(&b, 0, sizeof b);
    add_plane(&b, 2, (tact_vec3){-1.0, 0.0, 0.0}, (tact_vec3){1.0, 0.0, 0.0}, (tact_vec3){0.0, 1.0, 0.0});
    add_plane(&b, 1, (tact_vec3){0.0, 0.0, 0.0}, (tact_vec3){0.0, 0.1, 1.0}, (tact_vec3){0.0, 1.0, 0.0});
    b.points[1][3].y = 0.9;
    add_edge(&b, 0, 1, 1, 3);
    tact_body made;
    tact_world *world = world_of(&b, &made);
    tact_vec3 velocities[13] = {{0.0, 0.0, 0.0}};
    for (int i = 11; i < 13; i++)
        velocities[i] = (tact_vec3){-1.0, 0.0, -1.5};
    assert_int_equal(tact_body_set_vertex_motion(world, made, &(tact_vertex_motion){.velocities = velocities}),
                     TACT_OK);
    tact_event e;
    int far = 0;
    while (tact_world_next_event(world, 0.9, &e) == TACT_EVENT_FEATURES) {
        assert_true(fabs(e.time - 2.0 / 3.0) < 1e-9);
        const tact_nurbs_location *on =
            e.features.location_a.surface == 0 ? &e.features.location_a : &e.features.location_b;
        assert_int_equal(on->surface, 0);
        assert_true(on->u >= 1.0 / 3.0 - 1e-9 && on->u < 1.0);
        far += on->u < 0.5;
    }
    assert_int_equal(e.status, TACT_OK);
    assert_true(far > 0);
    tact_world_release(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges_are_no_contacts),
                                       cmocka_unit_test(opened_edges_are_contacts),
                                       cmocka_unit_test(folds_are_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
