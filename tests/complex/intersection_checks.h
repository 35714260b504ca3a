/* What the tests of crossings share: asking and mirroring, loops, and shapes with faces of four corners. */
#ifndef TACT_TEST_INTERSECTION_CHECKS_H
#define TACT_TEST_INTERSECTION_CHECKS_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/query.h>

#include "oracle/zoo.h"
#include "support/numbered_cases.h"
#include "support/same_intersection.h"

static zoo_mesh mesh_a;

enum { ROOM = 200000 };
static tact_intersection found[ROOM], back[ROOM];

static inline double length_of(const tact_intersection *s)
{
    return hypot(hypot(s->to.x - s->from.x, s->to.y - s->from.y), s->to.z - s->from.z);
}

static inline double total(const tact_intersection *s, size_t count, tact_intersection_type type)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += s[i].type == type ? length_of(&s[i]) : 0.0;
    return sum;
}

static inline size_t number_of(const tact_intersection *s, size_t count, tact_intersection_type type)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += s[i].type == type;
    return sum;
}

static inline size_t cross(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                           tact_transform transform_b)
{
    tact_intersections c = tact_shapes_intersections(a, transform_a, b, transform_b, found, ROOM);
    assert_int_equal(c.status, TACT_OK);
    assert_int_equal(c.state, c.count > 0 ? TACT_HIT : TACT_MISS);
    return c.count;
}

/* Whether t is s with A and B in each other's place. */
static inline bool is_mirror(const tact_intersection *s, const tact_intersection *t)
{
    bool ends = s->type == TACT_INTERSECTION_SEGMENT ? same_point(s->from, t->to) && same_point(s->to, t->from)
                                                     : same_point(s->from, t->from) && same_point(s->to, t->to);
    return ends && s->type == t->type && same_part(s->part_a, t->part_b) && same_part(s->part_b, t->part_a) &&
           s->facet_a == t->facet_b && s->facet_b == t->facet_a && s->edge[0] == t->edge[0] &&
           s->edge[1] == t->edge[1] && (s->type != TACT_INTERSECTION_OUTLINE || s->edge_of_b != t->edge_of_b);
}

static inline int order_faces(const void *one, const void *other)
{
    const tact_intersection *s = one, *t = other;
    const uint32_t p[6] = {s->part_a.leaf, s->part_a.face, s->facet_a, s->part_b.leaf, s->part_b.face, s->facet_b};
    const uint32_t q[6] = {t->part_a.leaf, t->part_a.face, t->facet_a, t->part_b.leaf, t->part_b.face, t->facet_b};
    for (int i = 0; i < 6; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* The answer with A and B swapped is the same, each of them mirrored. */
static inline void check_swap(const char *what, int number, size_t count, const tact_shape *a,
                              tact_transform transform_a, const tact_shape *b, tact_transform transform_b)
{
    tact_intersections c = tact_shapes_intersections(b, transform_b, a, transform_a, back, ROOM);
    CHECK(c.count == count && c.status == TACT_OK, "%zu swapped, should be %zu", c.count, count);
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        tact_intersection key = {.part_a = found[i].part_b, .part_b = found[i].part_a};
        key.facet_a = found[i].facet_b;
        key.facet_b = found[i].facet_a;
        const tact_intersection *t = count > 0 ? bsearch(&key, back, count, sizeof key, order_faces) : NULL;
        CHECK(t != NULL, "a pair of faces is not there");
        while (t > back && order_faces(t - 1, &key) == 0)
            t--;
        for (; t < back + count && order_faces(t, &key) == 0 && !is_there; t++)
            is_there = is_mirror(&found[i], t);
        CHECK(is_there, "segment %zu is not mirrored", i);
        CHECK(i == 0 || order_faces(&found[i - 1], &found[i]) <= 0, "order of %zu", i);
    }
}

static inline void normal_of(const tact_vec3 t[3], long double n[3])
{
    long double u[3] = {(long double)t[1].x - t[0].x, (long double)t[1].y - t[0].y, (long double)t[1].z - t[0].z};
    long double v[3] = {(long double)t[2].x - t[0].x, (long double)t[2].y - t[0].y, (long double)t[2].z - t[0].z};
    for (int i = 0; i < 3; i++)
        n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    long double length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        n[i] = length > 0 ? n[i] / length : 0;
}

static inline int order_from(const void *one, const void *other)
{
    const tact_intersection *s = one, *t = other;
    const double p[3] = {s->from.x, s->from.y, s->from.z}, q[3] = {t->from.x, t->from.y, t->from.z};
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* Each segment ends where exactly one other begins, to the last bit. */
static inline bool loops_close(size_t count)
{
    memcpy(back, found, count * sizeof *found);
    if (count > 0)
        qsort(back, count, sizeof *back, order_from);
    for (size_t i = 0; i < count; i++) {
        const tact_intersection key = {.from = found[i].to};
        if (found[i].type != TACT_INTERSECTION_SEGMENT || bsearch(&key, back, count, sizeof key, order_from) == NULL)
            return false;
        if (i > 0 && order_from(&back[i - 1], &back[i]) == 0)
            return false;
    }
    return true;
}

/* A torus of quadrangles: the zoo's, two triangles each, in a solid mesh of polygons. */
static inline tact_shape *quad_torus(int around, int along, double large, double small)
{
    static tact_vec3 vertices[10000];
    static uint32_t corners[40000], sizes[10000];
    size_t n = 0;
    for (int i = 0; i < along; i++)
        for (int j = 0; j < around; j++) {
            double u = 6.283185307179586 * i / along, v = 6.283185307179586 * j / around, r = large + small * cos(v);
            vertices[n] = tact_vec(r * cos(u), r * sin(u), small * sin(v));
            uint32_t next_i = (uint32_t)((i + 1) % along), next_j = (uint32_t)((j + 1) % around);
            uint32_t row = (uint32_t)around, here = (uint32_t)i, col = (uint32_t)j;
            const uint32_t quad[4] = {here * row + col, next_i * row + col, next_i * row + next_j, here * row + next_j};
            memcpy(corners + 4 * n, quad, sizeof quad);
            sizes[n++] = 4;
        }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, n, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = 4 * n;
    def.loop_sizes = sizes;
    def.loop_count = n;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

static inline tact_shape *quad_cube(double half)
{
    static const uint32_t quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    tact_vec3 vertices[8];
    for (int i = 0; i < 8; i++)
        vertices[i] = tact_vec(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){vertices, 8, 0, TACT_SCALAR_DOUBLE};
    def.indices = quads;
    def.index_count = 24;
    def.loop_sizes = sizes;
    def.loop_count = 6;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

static inline tact_shape *hull_cube(double half)
{
    tact_vec3 points[8];
    for (int i = 0; i < 8; i++)
        points[i] = tact_vec(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    return tact_hull(points, 8);
}

/* Three numbers one after the other: in which order a compiler makes arguments is its own affair. */
static inline tact_vec3 roll(dice *d)
{
    tact_vec3 v;
    v.x = dice_normal(d);
    v.y = dice_normal(d);
    v.z = dice_normal(d);
    return v;
}

static inline tact_transform rolled(dice *d, double reach)
{
    tact_quat q = {dice_normal(d), dice_normal(d), dice_normal(d), dice_normal(d)};
    tact_vec3 at = {dice_between(d, -reach, reach), dice_between(d, -reach, reach), dice_between(d, -reach, reach)};
    tact_transform p = tact_transform_make(at, q, tact_vec(1.0, 1.0, 1.0));
    if (dice_pick(d, 3) == 0)
        p = tact_transform_scale(p, tact_vec(-1.0, 1.0, 1.0));
    if (dice_pick(d, 3) == 0)
        p = tact_transform_scale(p, tact_vec(1.0, 0.75, 1.25));
    return p;
}

#endif
