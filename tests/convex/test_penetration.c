/*
 * Penetration depth: against brute force over the faces of the Minkowski difference for polytopes, against closed forms
 * for curved shapes, through zero, with A and B swapped, and with every allocation failing once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/vec.h"

#define UNIT_ROUNDOFF 0x1p-53

/* ---- the oracle ------------------------------------------------------------------------------------------------- */

typedef long double wide;

typedef struct wide3 {
    wide x, y, z;
} wide3;

static wide3 wide_make(wide x, wide y, wide z) { return (wide3){x, y, z}; }
static wide3 wide_of(tact_vec3 a) { return wide_make(a.x, a.y, a.z); }
static wide3 wide_sub(wide3 a, wide3 b) { return wide_make(a.x - b.x, a.y - b.y, a.z - b.z); }
static wide3 wide_along(wide3 a, wide s, wide3 b) { return wide_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static wide wide_dot(wide3 a, wide3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static wide3 wide_cross(wide3 a, wide3 b)
{
    return wide_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Perpendicular to both, stable for nearly parallel ones; false when parallel. */
static bool wide_normal(wide3 a, wide3 b, wide3 *n)
{
    wide la = sqrtl(wide_dot(a, a)), lb = sqrtl(wide_dot(b, b));
    if (!(la > 0) || !(lb > 0))
        return false;
    wide3 p = wide_make(a.x / la, a.y / la, a.z / la), q = wide_make(b.x / lb, b.y / lb, b.z / lb);
    for (int round = 0; round < 2; round++) {
        q = wide_along(q, -wide_dot(p, q), p);
        wide length = sqrtl(wide_dot(q, q));
        if (!(length > 1e-18L))
            return false;
        q = wide_make(q.x / length, q.y / length, q.z / length);
    }
    *n = wide_cross(p, q);
    return true;
}

#define MOST_CORNERS 12

/* A transformed polytope in long double. */
typedef struct body {
    tact_shape *shape;
    tact_transform at;
    int count;
    wide3 vertex[MOST_CORNERS];
    wide terms; /* the largest term of the sums that give the vertices */
    const char *name;
} body;

/* The largest coordinate, or term of the sum that gives it. */
static wide largest(const body *b)
{
    wide most = fmaxl(b->terms, vec_max_abs(b->at.origin));
    for (int i = 0; i < b->count; i++)
        most = fmaxl(most, fmaxl(fabsl(b->vertex[i].x), fmaxl(fabsl(b->vertex[i].y), fabsl(b->vertex[i].z))));
    return most;
}

static wide wide_size(const body *b)
{
    wide most = 0;
    for (int i = 0; i < b->count; i++) {
        wide3 d = wide_sub(b->vertex[i], b->vertex[0]);
        most = fmaxl(most, wide_dot(d, d));
    }
    return sqrtl(most);
}

/* The translation of B along the unit vector n that separates it from A. */
static wide overlap_along(const body *a, const body *b, wide3 n)
{
    wide most = -INFINITY, least = INFINITY;
    for (int i = 0; i < a->count; i++)
        most = fmaxl(most, wide_dot(n, a->vertex[i]));
    for (int i = 0; i < b->count; i++)
        least = fminl(least, wide_dot(n, b->vertex[i]));
    return most - least;
}

static void try_both(const body *a, const body *b, wide3 n, wide *best)
{
    *best = fminl(*best, overlap_along(a, b, n));
    *best = fminl(*best, overlap_along(a, b, wide_make(-n.x, -n.y, -n.z)));
}

static void try_faces(const body *of, const body *a, const body *b, wide *best)
{
    wide3 n;
    for (int i = 0; i < of->count; i++)
        for (int j = i + 1; j < of->count; j++)
            for (int k = j + 1; k < of->count; k++)
                if (wide_normal(wide_sub(of->vertex[j], of->vertex[i]), wide_sub(of->vertex[k], of->vertex[i]), &n))
                    try_both(a, b, n, best);
}

/* The least overlap over every plane through three vertices of one shape and every pair of lines through two vertices
 * of each: a superset of the faces of the Minkowski difference. Infinite if there is none (parallel segments). */
static wide brute_depth(const body *a, const body *b)
{
    wide best = INFINITY;
    wide3 n;
    try_faces(a, a, b, &best);
    try_faces(b, a, b, &best);
    for (int i = 0; i < a->count; i++)
        for (int j = i + 1; j < a->count; j++)
            for (int k = 0; k < b->count; k++)
                for (int l = k + 1; l < b->count; l++)
                    if (wide_normal(wide_sub(a->vertex[j], a->vertex[i]), wide_sub(b->vertex[l], b->vertex[k]), &n))
                        try_both(a, b, n, &best);
    return best;
}

/* ---- random polytopes ------------------------------------------------------------------------------------------- */

static wide3 transformed(const tact_transform *at, wide3 p)
{
    wide3 q = wide_of(at->origin);
    q = wide_along(q, p.x, wide_of(at->x_axis));
    q = wide_along(q, p.y, wide_of(at->y_axis));
    return wide_along(q, p.z, wide_of(at->z_axis));
}

/* Arguments are evaluated in any order; numbers drawn one a statement come the same with every compiler. */
static tact_vec3 random_point(random_source *r)
{
    double x = random_range(r, -1.0, 1.0), y = random_range(r, -1.0, 1.0), z = random_range(r, -1.0, 1.0);
    return tact_vec(x, y, z);
}

typedef enum kind {
    KIND_BOX,
    KIND_HULL,
    KIND_TETRAHEDRON,
    KIND_TRIANGLE,
    KIND_POLYGON,
    KIND_SEGMENT,
    KIND_POINT,
    KINDS
} kind;

/* `spread`: 0 sizes about 1, rigid transforms; 1 sizes from 1e-6 to 1e6; 2 in addition non-uniform scale (needles and
 * flakes). */
static body random_body(random_source *r, kind k, int spread)
{
    body b = {.count = 0};
    tact_vec3 points[MOST_CORNERS];
    size_t count = 0;
    static const char *names[KINDS] = {"box", "hull", "tetrahedron", "triangle", "polygon", "segment", "point"};
    b.name = names[k];
    double scale = spread > 0 ? pow(10.0, random_range(r, -6.0, 6.0)) : 1.0;
    tact_vec3 stretch = {scale, scale, scale};
    if (spread == 2)
        stretch.x *= pow(10.0, random_range(r, -3.0, 3.0));
    if (spread == 2)
        stretch.y *= pow(10.0, random_range(r, -3.0, 3.0));
    b.at = tact_transform_make(tact_vec(0.0, 0.0, 0.0), random_rotation(r), stretch);
    if (random_chance(r, 0.3)) /* a skewed one */
        b.at = tact_transform_compose(
            b.at, tact_transform_make(tact_vec(0.0, 0.0, 0.0), random_rotation(r), tact_vec(1.0, 0.5, 2.0)));
    if (random_chance(r, 0.2))
        b.at = tact_transform_scale(b.at, tact_vec(-1.0, 1.0, 1.0));
    switch (k) {
    case KIND_BOX: {
        tact_vec3 half = random_point(r);
        half = tact_vec(0.65 + 0.35 * half.x, 0.65 + 0.35 * half.y, 0.65 + 0.35 * half.z);
        b.shape = tact_box(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
        for (int i = 0; i < 8; i++)
            points[count++] = tact_vec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        break;
    }
    case KIND_HULL:
        count = (size_t)random_between(r, 5, 9);
        break;
    case KIND_TETRAHEDRON:
        count = 4;
        break;
    case KIND_TRIANGLE:
        count = 3;
        break;
    case KIND_POLYGON:
        count = (size_t)random_between(r, 5, 7);
        break;
    case KIND_SEGMENT:
        count = 2;
        break;
    default:
        count = 1;
        break;
    }
    if (k != KIND_BOX)
        for (size_t i = 0; i < count; i++) {
            points[i] = random_point(r);
            if (k == KIND_POLYGON)
                points[i].z = 0.0;
        }
    if (k == KIND_HULL)
        b.shape = tact_hull(points, count);
    else if (k == KIND_TETRAHEDRON)
        b.shape = tact_tetrahedron(points[0], points[1], points[2], points[3]);
    else if (k == KIND_TRIANGLE)
        b.shape = tact_triangle(points[0], points[1], points[2]);
    else if (k == KIND_POLYGON)
        b.shape = tact_polygon(points, count);
    else if (k == KIND_SEGMENT)
        b.shape = tact_segment(points[0], points[1]);
    else if (k == KIND_POINT)
        b.shape = tact_point(points[0]);
    assert_non_null(b.shape);
    b.count = (int)count;
    for (size_t i = 0; i < count; i++)
        b.vertex[i] = wide_of(points[i]); /* local until settle_body */
    return b;
}

static void settle_body(body *b)
{
    b->terms = 0;
    for (int i = 0; i < b->count; i++) {
        b->terms = fmaxl(b->terms, fabsl(b->vertex[i].x) * vec_max_abs(b->at.x_axis));
        b->terms = fmaxl(b->terms, fabsl(b->vertex[i].y) * vec_max_abs(b->at.y_axis));
        b->terms = fmaxl(b->terms, fabsl(b->vertex[i].z) * vec_max_abs(b->at.z_axis));
    }
    for (int i = 0; i < b->count; i++)
        b->vertex[i] = transformed(&b->at, b->vertex[i]);
}

static void drop_body(body *b) { tact_shape_release(b->shape); }

/* A point of the body, as a random convex combination of its vertices. */
static tact_vec3 random_inside(random_source *r, const body *b)
{
    wide3 p = {0, 0, 0};
    wide total = 0;
    for (int i = 0; i < b->count; i++) {
        wide w = random_unit(r) + 1e-3L;
        p = wide_along(p, w, b->vertex[i]);
        total += w;
    }
    return tact_vec((double)(p.x / total), (double)(p.y / total), (double)(p.z / total));
}

static void assert_mirrored(const tact_penetration *d, const tact_penetration *m)
{
    assert_int_equal(d->status, m->status);
    assert_true(d->depth == m->depth);
    assert_true(d->normal.x == -m->normal.x && d->normal.y == -m->normal.y && d->normal.z == -m->normal.z);
    assert_memory_equal(&d->on_a, &m->on_b, sizeof d->on_a);
    assert_memory_equal(&d->on_b, &m->on_a, sizeof d->on_b);
}

/* Checks one pair; returns the true depth. */
static wide check_pair(const body *a, const body *b, uint64_t seed, double *worst)
{
    tact_penetration d = tact_shapes_penetration(a->shape, a->at, b->shape, b->at);
    tact_penetration m = tact_shapes_penetration(b->shape, b->at, a->shape, a->at);
    assert_mirrored(&d, &m);
    wide3 n = wide_of(d.normal);
    wide along = overlap_along(a, b, n);
    wide big = fmaxl(largest(a), largest(b)), truth = brute_depth(a, b), rounding = 32 * UNIT_ROUNDOFF * big;
    if (along <
        0) /* separated beyond doubt, perhaps within a plane that both lie in, where brute force has no face to try */
        truth = fminl(truth, along);
    bool right = d.status == TACT_OK && isfinite(d.depth);
    if (right && truth >= 0 && truth < INFINITY) {
        wide error = fabsl((wide)d.depth - truth);
        right = error <= 1e-6L * truth + rounding;
        *worst = fmax(*worst, (double)(error / (1e-6L * truth + rounding)));
    }
    /* For either sign, the normal proves the depth, and the points are that far apart. */
    right = right && fabsl(wide_dot(n, n) - 1) < 1e-14L &&
            fabsl(along - d.depth) <= 1e-6L * fabsl(truth) + rounding + 1e-9L * fabs(d.depth);
    wide3 miss = wide_along(wide_sub(wide_of(d.on_a), wide_of(d.on_b)), -d.depth, n);
    right = right && sqrtl(wide_dot(miss, miss)) <= rounding;
    /* The points are on the supporting planes. */
    wide top = -INFINITY, bottom = INFINITY;
    for (int i = 0; i < a->count; i++)
        top = fmaxl(top, wide_dot(n, a->vertex[i]));
    for (int i = 0; i < b->count; i++)
        bottom = fminl(bottom, wide_dot(n, b->vertex[i]));
    right = right && fabsl(wide_dot(n, wide_of(d.on_a)) - top) <= rounding + 1e-9L * fabs(d.depth) &&
            fabsl(wide_dot(n, wide_of(d.on_b)) - bottom) <= rounding + 1e-9L * fabs(d.depth);
    if (!right)
        print_error("seed %llu: %s with %s, status %d, depth %.17g, truth %.17Lg, along normal %.17Lg, L %Lg, 32 u L "
                    "%Lg, miss %Lg, tops %Lg %Lg\n",
                    (unsigned long long)seed, a->name, b->name, (int)d.status, d.depth, truth, along, big, rounding,
                    sqrtl(wide_dot(miss, miss)), wide_dot(n, wide_of(d.on_a)) - top,
                    wide_dot(n, wide_of(d.on_b)) - bottom);
    assert_true(right);
    return truth;
}

/* Every ordered pair of kinds, all sizes, made to overlap more or less. */
static void polytopes_agree_with_brute_force(void **state)
{
    (void)state;
    int overlapping = 0, apart = 0, shallow = 0, needles = 0, ratio = 0;
    double worst = 0.0;
    const char *only = getenv("TACT_TEST_SEED");
    const char *more = getenv("TACT_TEST_ROUNDS");
    int rounds = more != NULL ? atoi(more) : 40;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < KINDS * KINDS; i++) {
            uint64_t seed = (uint64_t)(round * KINDS * KINDS + i);
            if (only != NULL && strtoull(only, NULL, 10) != seed)
                continue;
            random_source r = random_seed(seed);
            int spread = (int)random_below(&r, 3);
            body a = random_body(&r, (kind)(i / KINDS), spread), b = random_body(&r, (kind)(i % KINDS), spread);
            settle_body(&a);
            body at_origin = b;
            settle_body(&b);
            /* B is moved so that one of its points is a point of A; sometimes then out again to near touch, sometimes
             * both far from the origin. */
            tact_vec3 pa = random_inside(&r, &a), pb = random_inside(&r, &b);
            tact_vec3 step = vec_sub(pa, pb);
            int how = (int)random_below(&r, 5);
            if (how == 1 || how == 4) { /* an ulp or a bit more from touching; or apart */
                b.at.origin = vec_add(b.at.origin, step);
                tact_penetration d = tact_shapes_penetration(a.shape, a.at, b.shape, b.at);
                b.at.origin = vec_sub(b.at.origin, step);
                double keep = random_chance(&r, 0.5) ? 1.0 : 1.0 - pow(10.0, random_range(&r, -15.0, -3.0));
                if (how == 4)
                    keep = 1.0 + pow(10.0, random_range(&r, -12.0, 1.0));
                step = vec_mul_add(step, d.depth * keep, d.normal);
            }
            if (how == 2)
                a.at.origin = vec_scale(random_point(&r), 10.0 * (double)largest(&a));
            b.at.origin = how == 2 ? vec_add(a.at.origin, step) : step;
            memcpy(b.vertex, at_origin.vertex, sizeof b.vertex);
            settle_body(&b);
            if (how == 2)
                for (int k = 0; k < a.count; k++)
                    a.vertex[k] = wide_along(a.vertex[k], 1, wide_of(a.at.origin));
            wide truth = check_pair(&a, &b, seed, &worst);
            wide la = largest(&a), lb = largest(&b), big = fmaxl(la, lb);
            overlapping += truth > 1e-12L * big && truth < INFINITY;
            apart += truth < -1e-12L * big;
            shallow += fabsl(truth) <= 1e-9L * big;
            needles += spread == 2;
            ratio += wide_size(&a) > 1e3L * wide_size(&b) || wide_size(&b) > 1e3L * wide_size(&a);
            drop_body(&a);
            drop_body(&b);
        }
    if (only != NULL)
        return;
    print_message("overlapping %d, apart %d, within 1e-9 of touch %d, stretched %d, size ratio over 1000: %d; worst "
                  "error %.3g of the bound\n",
                  overlapping, apart, shallow, needles, ratio, worst);
    assert_true(overlapping > rounds * 12);
    assert_true(apart > rounds * 2);
    assert_true(shallow > rounds * 8);
    assert_true(needles > rounds * 10);
    assert_true(ratio > rounds * 10);
}

static tact_vec3 random_node(random_source *r, int least, int most)
{
    int x = random_between(r, least, most), y = random_between(r, least, most), z = random_between(r, least, most);
    return tact_vec(x, y, z);
}

/* Vertices on a small lattice, moved by whole steps: many are coplanar, parallel or equal. */
static void lattice_polytopes_agree_with_brute_force(void **state)
{
    (void)state;
    const char *more = getenv("TACT_TEST_ROUNDS");
    int rounds = more != NULL ? 50 * atoi(more) : 1500, overlapping = 0, touching = 0;
    double worst = 0.0;
    for (int round = 0; round < rounds; round++) {
        random_source r = random_seed(1000000 + (uint64_t)round);
        body pair[2];
        double scale = random_chance(&r, 0.5) ? 1.0 : 0.1;
        for (int side = 0; side < 2; side++) {
            body *b = &pair[side];
            tact_vec3 points[MOST_CORNERS];
            b->count = random_between(&r, 4, 8);
            b->name = "lattice hull";
            for (int i = 0; i < b->count; i++) {
                points[i] = random_node(&r, 0, 2);
                b->vertex[i] = wide_of(points[i]);
            }
            b->shape = tact_hull(points, (size_t)b->count);
            assert_non_null(b->shape);
            tact_vec3 node = random_node(&r, 0, 1);
            b->at = tact_transform_scale(tact_at(scale * node.x, scale * node.y, scale * (2.0 * node.z - 1.0)),
                                         tact_vec(scale, scale, random_chance(&r, 0.8) ? scale : -scale));
            settle_body(b);
        }
        /* When all is in one plane or line there is no face to compare with: only the general checks. */
        wide truth = check_pair(&pair[0], &pair[1], 1000000 + (uint64_t)round, &worst);
        overlapping += truth > 1e-9L && truth < INFINITY;
        touching += fabsl(truth) < 1e-12L;
        drop_body(&pair[0]);
        drop_body(&pair[1]);
    }
    print_message("overlapping %d, touching %d of %d; worst error %.3g of the bound\n", overlapping, touching, rounds,
                  worst);
    assert_true(overlapping > rounds / 8);
    assert_true(touching > rounds / 20);
}

/* ---- closed forms ----------------------------------------------------------------------------------------------- */

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        print_error("got %.17g, want %.17g, off by %.3g, allowed %.3g\n", got, want, got - want, tolerance);
    assert_true(fabs(got - want) <= tolerance);
}

static tact_penetration depth_of(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                 tact_transform transform_b)
{
    tact_penetration d = tact_shapes_penetration(a, transform_a, b, transform_b),
                     m = tact_shapes_penetration(b, transform_b, a, transform_a);
    assert_int_equal(d.status, TACT_OK);
    assert_mirrored(&d, &m);
    tact_vec3 miss = vec_mul_add(vec_sub(d.on_a, d.on_b), -d.depth, d.normal);
    assert_near(vec_length(miss), 0.0, 1e-13 * (1.0 + fabs(d.depth)));
    assert_near(vec_length(d.normal), 1.0, 1e-14);
    return d;
}

static void spheres_and_capsules_have_closed_forms(void **state)
{
    (void)state;
    tact_shape *one = tact_sphere(1.0), *half = tact_sphere(0.5), *capsule = tact_capsule(0.25, 2.0);
    tact_penetration d = depth_of(one, tact_at(0.0, 0.0, 0.0), half, tact_at(1.0, 0.0, 0.0));
    assert_near(d.depth, 0.5, 1e-15);
    assert_near(d.normal.x, 1.0, 1e-15);
    assert_near(d.on_a.x, 1.0, 1e-15);
    assert_near(d.on_b.x, 0.5, 1e-15);
    d = depth_of(one, tact_at(0.0, 0.0, 0.0), half, tact_at(0.0, 4.0, 0.0));
    assert_near(d.depth, -2.5, 1e-15);
    d = depth_of(one, tact_at(3.0, 3.0, 3.0), half, tact_at(3.0, 3.0, 3.0)); /* concentric: any normal */
    assert_near(d.depth, 1.5, 1e-15);
    d = depth_of(one, tact_at(0.0, 0.0, 0.0), capsule, tact_at(1.1, 0.3, 0.0));
    assert_near(d.depth, 0.15, 1e-15);
    /* Capsules whose axes intersect: the depth is the sum of the margins. */
    tact_transform turned = tact_transform_make(
        tact_vec(0.0, 0.0, 0.0), tact_quat_from_axis_angle(tact_vec(0.0, 0.0, 1.0), 1.0), tact_vec(1.0, 1.0, 1.0));
    d = depth_of(capsule, tact_at(0.0, 0.0, 0.0), capsule, turned);
    assert_near(d.depth, 0.5, 1e-15);
    assert_near(fabs(d.normal.z), 1.0, 1e-14);
    tact_shape_release(one);
    tact_shape_release(half);
    tact_shape_release(capsule);
}

static void a_sphere_in_a_box_leaves_by_the_nearest_face(void **state)
{
    (void)state;
    tact_shape *sphere = tact_sphere(0.1), *box = tact_box(2.0, 4.0, 6.0);
    tact_penetration d = depth_of(box, tact_at(0.0, 0.0, 0.0), sphere, tact_at(0.0, 1.8, 0.5));
    assert_near(d.depth, 0.3, 1e-15);
    assert_near(d.normal.y, 1.0, 1e-15);
    assert_near(d.on_a.y, 2.0, 1e-14);
    assert_near(d.on_b.y, 1.7, 1e-14);
    d = depth_of(sphere, tact_at(0.25, 0.0, 0.0), box, tact_at(0.0, 0.0, 0.0));
    assert_near(d.depth, 0.85, 1e-15);
    assert_near(d.normal.x, -1.0, 1e-15);
    tact_shape_release(sphere);
    tact_shape_release(box);
}

/* The depth of an ellipsoid and a point, a sphere or a large box, by one-dimensional calculus. */
static void ellipsoids_match_calculus(void **state)
{
    (void)state;
    tact_shape *e = tact_ellipsoid(1.0, 2.0, 3.0), *p = tact_point(tact_vec(0.0, 0.0, 0.0)),
               *slab = tact_box(20.0, 20.0, 1.0);
    /* The centre: the shortest half axis. */
    tact_penetration d = depth_of(e, tact_at(0.0, 0.0, 0.0), p, tact_at(0.0, 0.0, 0.0));
    assert_near(d.depth, 1.0, 1e-10);
    assert_near(fabs(d.normal.x), 1.0, 1e-7);
    /* A slab from above: extent along the slab's normal. */
    random_source r = random_seed(7);
    for (int i = 0; i < 50; i++) {
        tact_transform at = tact_transform_make(tact_vec(0.0, 0.0, 0.0), random_rotation(&r), tact_vec(1.0, 1.0, 1.0));
        tact_vec3 n = {0.0, 0.0, 1.0};
        double extent = sqrt(pow(vec_dot(at.x_axis, n), 2) + pow(2.0 * vec_dot(at.y_axis, n), 2) +
                             pow(3.0 * vec_dot(at.z_axis, n), 2));
        double lift = extent + 0.5 - 0.01 * random_unit(&r);
        d = depth_of(e, at, slab, tact_at(0.3, -0.2, lift));
        assert_near(d.depth, extent + 0.5 - lift, 1e-12);
        assert_near(d.normal.z, 1.0, 1e-9);
    }
    /* A point near the surface on the axis, whose closest point is not on the axis: (0, 0, z) is closest to (x, 0, w)
     * with w = 9 z / 8 if that is inside: 1 - x^2 - w^2/9 = 0. */
    double z = 2.0, w = 9.0 * z / 8.0, x = sqrt(1.0 - w * w / 9.0), distance = sqrt(x * x + (w - z) * (w - z));
    d = depth_of(e, tact_at(0.0, 0.0, 0.0), p, tact_at(0.0, 0.0, z));
    assert_near(d.depth, distance, 1e-10);
    tact_shape_release(e);
    tact_shape_release(p);
    tact_shape_release(slab);
}

static void cylinders_and_cones_match_geometry(void **state)
{
    (void)state;
    tact_shape *wide_one = tact_cylinder(1.0, 4.0), *thin = tact_cylinder(0.5, 3.0), *cone = tact_cone(1.0, 2.0),
               *p = tact_point(tact_vec(0.0, 0.0, 0.0));
    tact_transform here = tact_at(0.0, 0.0, 0.0);
    /* Concentric: out through the side; a ring of equally good directions. */
    tact_penetration d = depth_of(wide_one, here, thin, here);
    assert_near(d.depth, 1.5, 1e-6);
    assert_near(d.normal.y, 0.0, 1e-6);
    /* Parallel axes: a kink across, smooth around. */
    d = depth_of(wide_one, here, thin, tact_at(0.6, 0.1, 0.8));
    assert_near(d.depth, 0.5, 1e-9);
    assert_near(d.normal.x, 0.6, 1e-6);
    assert_near(d.normal.z, 0.8, 1e-6);
    /* Crossed axes: the sides are lines, the difference has a flat face. */
    tact_transform lying = tact_transform_make(
        tact_vec(0.1, 0.2, 1.3), tact_quat_from_axis_angle(tact_vec(0.0, 0.0, 1.0), 1.2), tact_vec(1.0, 1.0, 1.0));
    d = depth_of(wide_one, here, thin, lying);
    assert_near(d.depth, 0.2, 1e-9);
    /* Stacked: the caps. */
    d = depth_of(wide_one, here, thin, tact_at(0.2, 3.4, 0.1));
    assert_near(d.depth, 0.1, 1e-12);
    assert_near(d.normal.y, 1.0, 1e-12);
    /* A point in a cone: the closer of base and side. */
    d = depth_of(cone, here, p, tact_at(0.1, -0.9, 0.0));
    assert_near(d.depth, 0.1, 1e-12);
    double slant = sqrt(5.0);
    d = depth_of(cone, here, p, tact_at(0.2, 0.3, 0.0));
    assert_near(d.depth, (1.0 - 0.3 - 2.0 * 0.2) / slant, 1e-9);
    assert_near(d.normal.x, 2.0 / slant, 1e-6);
    tact_shape_release(wide_one);
    tact_shape_release(thin);
    tact_shape_release(cone);
    tact_shape_release(p);
}

/* For curved pairs there is no finite oracle: a fine grid of directions bounds the depth from above, and moving B by
 * depth * normal must just separate them. */
static void curved_pairs_are_least_over_directions(void **state)
{
    (void)state;
    const char *more = getenv("TACT_TEST_ROUNDS");
    int rounds = more != NULL ? atoi(more) : 20, overlapping = 0, rough = 0;
    random_source r = random_seed(99);
    tact_shape *shapes[9] = {tact_ellipsoid(1.0, 0.6, 0.3),
                             tact_cylinder(0.7, 1.5),
                             tact_cone(0.8, 1.2),
                             tact_sphere(0.7),
                             tact_capsule(0.3, 1.0),
                             tact_box(1.0, 0.8, 1.4),
                             NULL,
                             NULL,
                             NULL};
    shapes[6] = tact_minkowski_sum(shapes[0], shapes[5]);
    shapes[7] = tact_convex_hull_of(shapes[3], shapes[2]);
    shapes[8] = tact_rounded(shapes[5], 0.1);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 9; i++)
            for (int j = 0; j <= i; j++) {
                bool rigid = random_chance(&r, 0.5);
                tact_vec3 s = random_point(&r), from = random_point(&r), to = random_point(&r);
                s = rigid ? tact_vec(1.0, 1.0, 1.0) : tact_vec(1.0 + 0.5 * s.x, 1.0, 0.65 + 0.35 * s.z);
                tact_quat turn_a = random_rotation(&r), turn_b = random_rotation(&r);
                tact_transform transform_a = tact_transform_make(from, turn_a, s);
                tact_transform transform_b = tact_transform_make(vec_mul_add(from, random_unit(&r), to), turn_b, s);
                tact_penetration d = tact_shapes_penetration(shapes[i], transform_a, shapes[j], transform_b);
                tact_penetration m = tact_shapes_penetration(shapes[j], transform_b, shapes[i], transform_a);
                assert_mirrored(&d, &m);
                bool right = d.status == TACT_OK;
                double least = INFINITY;
                for (int k = 0; k < 400 && d.depth > 0.0; k++) {
                    tact_vec3 n = k == 0 ? d.normal : random_direction(&r), pa, pb;
                    if (k % 2 == 1)
                        n = vec_normalize(vec_mul_add(d.normal, pow(10.0, random_range(&r, -6.0, 0.0)), n));
                    assert_int_equal(tact_shape_support(shapes[i], transform_a, n, &pa), TACT_OK);
                    assert_int_equal(tact_shape_support(shapes[j], transform_b, vec_negate(n), &pb), TACT_OK);
                    double value = vec_dot(n, vec_sub(pa, pb));
                    if (k == 0)
                        right = right && fabs(value - d.depth) < 1e-11;
                    least = fmin(least, value);
                }
                right = right && (d.depth <= 0.0 || d.depth <= least * (1.0 + 1e-6) + 1e-14);
                overlapping += d.depth > 0.0;
                /* touching after the translation */
                tact_transform moved = tact_transform_translate(transform_b, vec_scale(d.normal, d.depth));
                double left = tact_shapes_penetration(shapes[i], transform_a, shapes[j], moved).depth;
                right = right && fabs(left) < 1e-7 * fabs(d.depth) + 1e-13; /* the guarantee */
                rough += !(fabs(left) <
                           1e-9 * fabs(d.depth) + 1e-13); /* the accuracy that Newton's method nearly always achieves */
                /* the points are on the surfaces: inside, and not beyond the planes */
                tact_vec3 top, bottom;
                assert_int_equal(tact_shape_support(shapes[i], transform_a, d.normal, &top), TACT_OK);
                assert_int_equal(tact_shape_support(shapes[j], transform_b, vec_negate(d.normal), &bottom), TACT_OK);
                double off_a = vec_dot(d.normal, vec_sub(d.on_a, top)),
                       off_b = vec_dot(d.normal, vec_sub(d.on_b, bottom));
                tact_shape *point = tact_point(tact_vec(0.0, 0.0, 0.0));
                double in_a =
                    tact_shapes_penetration(shapes[i], transform_a, point, tact_at(d.on_a.x, d.on_a.y, d.on_a.z)).depth;
                double in_b =
                    tact_shapes_penetration(shapes[j], transform_b, point, tact_at(d.on_b.x, d.on_b.y, d.on_b.z)).depth;
                tact_shape_release(point);
                right = right && fabs(off_a) < 1e-6 * fabs(d.depth) + 1e-13 &&
                        fabs(off_b) < 1e-6 * fabs(d.depth) + 1e-13 && fabs(in_a) < 1e-6 && fabs(in_b) < 1e-6;
                if (!right)
                    print_error("round %d, shapes %d and %d: status %d, depth %.17g, least found %.17g (part %.3g), "
                                "after the move %.3g, points off planes %.3g %.3g, in %.3g %.3g\n",
                                round, i, j, (int)d.status, d.depth, least, least / d.depth - 1.0, left, off_a, off_b,
                                in_a, in_b);
                assert_true(right);
            }
    print_message("overlapping %d of %d, not refined to 1e-9: %d\n", overlapping, rounds * 45, rough);
    assert_true(overlapping > rounds * 20);
    assert_true(rough <= 1 + overlapping / 500);
    for (int i = 0; i < 9; i++)
        tact_shape_release(shapes[i]);
}

/* ---- degenerate shapes
 * ---------------------------------------------------------------------------------------------------- */

static void flat_shapes_that_touch_have_depth_zero(void **state)
{
    (void)state;
    tact_transform here = tact_at(0.0, 0.0, 0.0);
    tact_shape *t = tact_triangle(tact_vec(0.0, 0.0, 0.0), tact_vec(2.0, 0.0, 0.0), tact_vec(0.0, 2.0, 0.0));
    tact_shape *s = tact_segment(tact_vec(-1.0, 0.0, 0.0), tact_vec(1.0, 0.0, 0.0));
    tact_shape *p = tact_point(tact_vec(0.5, 0.0, 0.0));
    tact_penetration d = depth_of(t, here, t, tact_at(0.3, 0.4, 0.0)); /* coplanar */
    assert_near(d.depth, 0.0, 1e-15);
    assert_near(fabs(d.normal.z), 1.0, 1e-15);
    d = depth_of(s, here, s, tact_at(0.5, 0.0, 0.0)); /* collinear */
    assert_near(d.depth, 0.0, 1e-15);
    assert_near(d.normal.x, 0.0, 1e-15);
    d = depth_of(s, here, p, here);
    assert_near(d.depth, 0.0, 1e-15);
    assert_near(d.normal.x, 0.0, 1e-15);
    d = tact_shapes_penetration(p, here, p, here);
    assert_int_equal(d.status, TACT_OK);
    assert_near(d.depth, 0.0, 0.0);
    assert_near(vec_length(d.normal), 1.0, 1e-15);
    d = depth_of(t, here, s, tact_at(0.5, 0.5, 0.0)); /* a segment in a triangle's plane */
    assert_near(d.depth, 0.0, 1e-15);
    tact_transform up = tact_transform_make(tact_vec(0.5, 0.5, 0.25),
                                            tact_quat_from_axis_angle(tact_vec(0.0, 1.0, 0.0), 1.5707963267948966),
                                            tact_vec(1.0, 1.0, 1.0));
    d = depth_of(t, here, s, up);     /* a segment through a triangle */
    assert_near(d.depth, 0.5, 1e-15); /* out over the edge at x = 0 or y = 0, shorter than pulling it out lengthwise */
    tact_shape_release(t);
    tact_shape_release(s);
    tact_shape_release(p);
}

static void coincident_identical_shapes_separate(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    tact_vec3 points[30];
    for (int i = 0; i < 30; i++)
        points[i] = random_direction(&r);
    tact_shape *shapes[7] = {tact_box(1.0, 2.0, 3.0), tact_hull(points, 30), tact_sphere(1.0),
                             tact_cylinder(1.0, 1.0), tact_cone(1.0, 1.0),   tact_ellipsoid(1.0, 1.0, 2.0),
                             tact_capsule(1.0, 1.0)};
    const double want[7] = {1.0, 0.0, 2.0, 1.0, 0.0, 2.0, 2.0};
    for (int i = 0; i < 7; i++) {
        tact_penetration d =
            tact_shapes_penetration(shapes[i], tact_at(5.0, 6.0, 7.0), shapes[i], tact_at(5.0, 6.0, 7.0));
        assert_int_equal(d.status, TACT_OK);
        assert_true(d.depth > 0.1);
        if (want[i] > 0.0)
            assert_near(d.depth, want[i], 1e-6);
        tact_penetration after =
            tact_shapes_penetration(shapes[i], tact_at(5.0, 6.0, 7.0), shapes[i],
                                    tact_transform_translate(tact_at(5.0, 6.0, 7.0), vec_scale(d.normal, d.depth)));
        assert_near(after.depth, 0.0, 1e-9);
        tact_shape_release(shapes[i]);
    }
}

/* B moves through A along the contact normal: the depth falls with slope one, through touch and beyond, and does not
 * jump. */
static void depth_is_continuous_through_zero(void **state)
{
    (void)state;
    random_source r = random_seed(11);
    tact_vec3 points[12];
    for (int i = 0; i < 12; i++)
        points[i] = random_direction(&r);
    tact_shape *shapes[8] = {
        tact_box(1.0, 2.0, 1.5), tact_hull(points, 12),         tact_sphere(1.0),       tact_cylinder(1.0, 1.0),
        tact_cone(1.0, 1.0),     tact_ellipsoid(1.0, 0.7, 1.3), tact_capsule(0.5, 1.0), NULL};
    shapes[7] = tact_rounded(shapes[1], 0.05);
    const char *more = getenv("TACT_TEST_ROUNDS");
    int rounds = more != NULL ? atoi(more) / 10 : 3, rough = 0, all = 0;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                tact_vec3 from = random_point(&r), step = random_direction(&r);
                tact_quat turn_a = random_rotation(&r), turn_b = random_rotation(&r);
                tact_transform transform_a = tact_transform_make(from, turn_a, tact_vec(1.0, 1.0, 1.0));
                tact_transform transform_b = tact_transform_make(vec_add(from, step), turn_b, tact_vec(1.0, 1.0, 1.0));
                tact_penetration d = tact_shapes_penetration(shapes[i], transform_a, shapes[j], transform_b);
                if (!(d.depth > 0.0))
                    continue;
                for (int k = -8; k <= 8; k++) {
                    /* the remaining depth: +-0.01, +-1e-4 ... +-1e-16, 0 */
                    double left = k == 0 ? 0.0 : (k > 0 ? 1.0 : -1.0) * pow(10.0, -2.0 * abs(k));
                    tact_transform moved = tact_transform_translate(transform_b, vec_scale(d.normal, d.depth - left));
                    tact_penetration e = tact_shapes_penetration(shapes[i], transform_a, shapes[j], moved);
                    bool right = e.status == TACT_OK && fabs(e.depth - left) <= 1e-7 * d.depth;
                    all++;
                    rough += !(fabs(e.depth - left) <= 1e-9 * fabs(left) + 1e-10 * d.depth + 1e-13);
                    /* The contact normal stays, up to the error of a curved pair. Apart it is the direction between the
                     * points, whose rounding error turns it the more, the smaller the gap. */
                    double turn = vec_length(vec_sub(e.normal, d.normal)), rounding = 512.0 * UNIT_ROUNDOFF;
                    right = right && turn <= (e.depth < 0.0 ? fmax(4e-3, rounding / -e.depth) : 4e-3);
                    if (!right)
                        print_error(
                            "round %d, shapes %d and %d: left %.17g, depth %.17g, status %d, normals %.3g apart\n",
                            round, i, j, left, e.depth, (int)e.status, turn);
                    assert_true(right);
                }
            }
    print_message("rough: %d of %d\n", rough, all);
    assert_true(all > rounds * 500);
    assert_true(rough <= 17 + all / 500); /* an inaccurate start stays inaccurate throughout */
    for (int i = 0; i < 8; i++)
        tact_shape_release(shapes[i]);
}

static void sizes_far_from_one_scale(void **state)
{
    (void)state;
    random_source r = random_seed(5);
    tact_vec3 points[10];
    for (int i = 0; i < 10; i++)
        points[i] = random_direction(&r);
    tact_shape *h = tact_hull(points, 10), *c = tact_cylinder(1.0, 1.0);
    double depth = depth_of(h, tact_at(0.0, 0.0, 0.0), c, tact_at(0.9, 0.0, 0.0)).depth;
    assert_true(depth > 0.0);
    for (int e = -480; e <= 480; e += 120) {
        double s = ldexp(1.0, e);
        tact_transform a = tact_transform_scale(tact_at(0.0, 0.0, 0.0), tact_vec(s, s, s)),
                       b = tact_transform_scale(tact_at(0.9 * s, 0.0, 0.0), tact_vec(s, s, s));
        tact_penetration d = tact_shapes_penetration(h, a, c, b);
        assert_int_equal(d.status, TACT_OK);
        assert_near(d.depth / s, depth, 1e-7 * depth);
    }
    tact_shape_release(h);
    tact_shape_release(c);
}

static void bad_input_is_a_status(void **state)
{
    (void)state;
    tact_shape *box = tact_box(1.0, 1.0, 1.0);
    tact_transform here = tact_at(0.0, 0.0, 0.0), bad[4] = {here, here, here, here};
    bad[0].origin.x = NAN;
    bad[1].origin.y = INFINITY;
    bad[2].x_axis = tact_vec(0.0, 0.0, 0.0);
    bad[3].z_axis.z = NAN;
    const tact_penetration zero = {.status = TACT_BAD_ARGUMENT};
    for (int i = 0; i < 4; i++) {
        tact_penetration d = tact_shapes_penetration(box, here, box, bad[i]);
        assert_memory_equal(&d, &zero, sizeof d);
        d = tact_shapes_penetration(box, bad[i], box, here);
        assert_memory_equal(&d, &zero, sizeof d);
    }
    tact_penetration d = tact_shapes_penetration(NULL, here, box, here);
    assert_int_equal(d.status, TACT_BAD_ARGUMENT);
    d = tact_shapes_penetration(box, here, NULL, here);
    assert_int_equal(d.status, TACT_BAD_ARGUMENT);
    tact_shape_release(box);
}

static tact_vec3 ball_support(void *context, tact_vec3 n)
{
    double *radius = context;
    if (*radius < 0.0)
        return tact_vec(NAN, 0.0, 0.0);
    return vec_scale(vec_normalize(n), *radius);
}

/* Only the support points of a custom shape are known. Concentric spheres, where all directions are equally good, are
 * the hardest case. */
static void custom_shapes_converge(void **state)
{
    (void)state;
    double radius = 1.0, broken = -1.0;
    tact_shape *c = tact_custom(ball_support, &radius, 1.0), *bad = tact_custom(ball_support, &broken, 1.0),
               *e = tact_ellipsoid(0.5, 0.5, 0.5);
    tact_penetration d = depth_of(c, tact_at(0.0, 0.0, 0.0), e, tact_at(0.0, 0.0, 0.75));
    assert_near(d.depth, 0.75, 1e-6);
    d = depth_of(c, tact_at(0.0, 0.0, 0.0), e, tact_at(0.0, 0.0, 0.0));
    assert_near(d.depth, 1.5, 2e-4);
    d = tact_shapes_penetration(bad, tact_at(0.0, 0.0, 0.0), e, tact_at(0.0, 0.0, 0.0));
    assert_true(d.status != TACT_OK);
    assert_true(d.depth == 0.0);
    tact_shape_release(c);
    tact_shape_release(bad);
    tact_shape_release(e);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void running_out_of_memory_is_a_status(void **state)
{
    (void)state;
    failing_allocator b = {0};
    tact_shape_def def = tact_shape_def_default();
    def.allocator = failing_allocator_make(&b);
    def.type = TACT_CYLINDER;
    def.radius = 1.0;
    def.height = 3.0;
    tact_shape *one = tact_shape_create(&def, NULL);
    def.radius = 0.5;
    tact_shape *two = tact_shape_create(&def, NULL);
    assert_non_null(one);
    assert_non_null(two);
    size_t before = b.held;
    tact_transform here = tact_at(0.0, 0.0, 0.0);
    b.calls = 0;
    tact_penetration full = tact_shapes_penetration(one, here, two, here);
    assert_int_equal(full.status, TACT_OK);
    assert_int_equal(b.held, before);
    int needed = (int)b.calls;
    print_message("concentric cylinders take %d blocks\n", needed);
    assert_true(needed >= 2);
    for (int n = 0; n < needed; n++) {
        b.fail_from = b.calls + n + 1;
        tact_penetration d = tact_shapes_penetration(one, here, two, here);
        assert_int_equal(d.status, TACT_OUT_OF_MEMORY);
        assert_true(d.depth == 0.0 && d.normal.x == 0.0 && d.on_a.x == 0.0);
        assert_int_equal(b.held, before);
    }
    b.fail_from = b.calls + needed + 1;
    tact_penetration again = tact_shapes_penetration(one, here, two, here);
    assert_memory_equal(&again, &full, sizeof again);
    tact_shape_release(one);
    tact_shape_release(two);
    assert_int_equal(b.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polytopes_agree_with_brute_force),
        cmocka_unit_test(lattice_polytopes_agree_with_brute_force),
        cmocka_unit_test(spheres_and_capsules_have_closed_forms),
        cmocka_unit_test(a_sphere_in_a_box_leaves_by_the_nearest_face),
        cmocka_unit_test(ellipsoids_match_calculus),
        cmocka_unit_test(cylinders_and_cones_match_geometry),
        cmocka_unit_test(curved_pairs_are_least_over_directions),
        cmocka_unit_test(flat_shapes_that_touch_have_depth_zero),
        cmocka_unit_test(coincident_identical_shapes_separate),
        cmocka_unit_test(depth_is_continuous_through_zero),
        cmocka_unit_test(sizes_far_from_one_scale),
        cmocka_unit_test(bad_input_is_a_status),
        cmocka_unit_test(custom_shapes_converge),
        cmocka_unit_test(running_out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests_name("depth", tests, NULL, NULL);
}
