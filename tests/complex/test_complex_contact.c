/*
 * Time of impact, depth and contact points of meshes, soups and compounds, against brute force over all pairs of
 * elements in long double (corners, edges and faces; the parity of a ray for what is inside).
 *
 * Impact: up to the answer the bodies are followed in steps that the fastest point allows, and never come nearer than a
 * part of the tolerance; at the answer they are within it. Depth: moved a little more they are apart, a little less
 * they are not. A failure prints the seed of its case; TACT_TEST_SEED=n runs that case alone.
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

#include "support/long_form.h"
#include "support/long_vec.h"
#include "support/random.h"
#include "support/vec.h"

/* ---- bodies ---------------------------------------------------------------------------------------------------------
 */

#define MOST 64

/* A rounded point, segment or triangle. */
typedef struct element {
    int count;
    vec p[3];
    real margin;
    vec middle; /* a ball around it */
    real radius;
} element;

typedef struct body {
    tact_shape *shape;
    tact_transform at;
    tact_motion motion;
    int count, kind;
    bool solid; /* its elements are a closed surface */
    real reach;
    element local[MOST]; /* placed, relative to the origin */
} body;

enum { PATCH, CUBE, SOUP, COMPOUND, TORUS, SPHERE, CAPSULE, TRIANGLE, ROUNDED, BOX, KINDS };

static bool kind_is_complex(int kind) { return kind <= TORUS || kind == ROUNDED; }

static void add_element(body *b, int count, const tact_vec3 *p, const tact_transform *at, double margin)
{
    assert_true(b->count < MOST);
    element *e = &b->local[b->count++];
    e->count = count;
    e->margin = (real)margin;
    for (int i = 0; i < count; i++) {
        vec x = mul(wide(at->x_axis), (real)p[i].x), y = mul(wide(at->y_axis), (real)p[i].y);
        e->p[i] = add(add(add(x, y), mul(wide(at->z_axis), (real)p[i].z)), wide(at->origin));
        b->reach = fmaxl(b->reach, norm(e->p[i]) + e->margin);
    }
}

static tact_shape *make_mesh(body *b, const tact_vec3 *v, size_t v_count, const uint32_t *t, size_t t_count, bool solid,
                             double margin, const tact_transform *at)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){v, v_count, 0, TACT_SCALAR_DOUBLE};
    def.indices = t;
    def.index_count = 3 * t_count;
    def.solid = solid;
    def.margin = margin;
    for (size_t i = 0; i < t_count; i++) {
        const tact_vec3 p[3] = {v[t[3 * i]], v[t[3 * i + 1]], v[t[3 * i + 2]]};
        add_element(b, 3, p, at, margin);
    }
    b->solid = solid;
    tact_shape *s = tact_mesh_create(&def, NULL);
    assert_non_null(s);
    return s;
}

static tact_shape *make_patch(body *b, random_source *r, double margin, const tact_transform *at)
{
    tact_vec3 v[16];
    uint32_t t[54];
    size_t n = 0;
    for (int i = 0; i < 16; i++)
        v[i] = vec_make(0.6 * (i % 4) - 0.9, 0.6 * (i / 4) - 0.9, random_range(r, -0.3, 0.3));
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t c = 4 * i + j;
            const uint32_t six[6] = {c, c + 1, c + 5, c, c + 5, c + 4};
            memcpy(t + n, six, sizeof six);
            n += 6;
        }
    return make_mesh(b, v, 16, t, 18, false, margin, at);
}

static const uint32_t CUBE_TRIANGLES[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static void cube_corners(tact_vec3 v[8], double half)
{
    for (int i = 0; i < 8; i++)
        v[i] = vec_make(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
}

static tact_shape *make_torus(body *b, const tact_transform *at)
{
    tact_vec3 v[24];
    uint32_t t[144];
    size_t n = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++) {
            double u = i * (2.0 * 3.14159265358979 / 6.0), w = j * (2.0 * 3.14159265358979 / 4.0) + 0.3;
            double out = 0.8 + 0.35 * cos(w);
            v[4 * i + j] = vec_make(out * cos(u), out * sin(u), 0.35 * sin(w));
        }
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t j = 0; j < 4; j++) {
            uint32_t a = 4 * i + j, c = 4 * ((i + 1) % 6) + j, d = 4 * ((i + 1) % 6) + (j + 1) % 4,
                     e = 4 * i + (j + 1) % 4;
            const uint32_t six[6] = {a, c, d, a, d, e};
            memcpy(t + n, six, sizeof six);
            n += 6;
        }
    return make_mesh(b, v, 24, t, 48, true, 0.0, at);
}

static tact_shape *make_soup(body *b, random_source *r, const tact_transform *at)
{
    tact_vec3 v[14];
    uint32_t corners[14], sizes[6] = {3, 1, 2, 3, 2, 3};
    for (uint32_t i = 0; i < 14; i++) {
        v[i] = vec_scale(random_direction(r), random_range(r, 0.2, 1.0));
        corners[i] = i;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){v, 14, 0, TACT_SCALAR_DOUBLE};
    def.indices = corners;
    def.index_count = 14;
    def.loop_sizes = sizes;
    def.loop_count = 6;
    for (int i = 0, first = 0; i < 6; first += (int)sizes[i++])
        add_element(b, (int)sizes[i], v + first, at, 0.0);
    tact_shape *s = tact_soup_create(&def, NULL);
    assert_non_null(s);
    return s;
}

static tact_shape *make_compound(body *b, random_source *r, const tact_transform *at)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0}, ends[2] = {{0.0, -0.4, 0.0}, {0.0, 0.4, 0.0}};
    tact_transform places[3];
    body ignored = {0};
    for (int i = 0; i < 3; i++) {
        tact_vec3 to = vec_scale(random_direction(r), 0.7);
        places[i] = tact_transform_make(to, random_rotation(r), vec_make(1.0, 1.0, 1.0));
    }
    tact_vec3 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = vec_scale(random_direction(r), 0.6);
    const uint32_t t[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    tact_shape *parts[3] = {tact_sphere(0.3), tact_capsule(0.2, 0.8), NULL};
    tact_transform composed[3];
    for (int i = 0; i < 3; i++)
        composed[i] = tact_transform_compose(*at, places[i]);
    add_element(b, 1, &zero, &composed[0], 0.3);
    add_element(b, 2, ends, &composed[1], 0.2);
    parts[2] = make_mesh(&ignored, v, 4, t, 4, false, 0.0, &composed[2]);
    for (int i = 0; i < 4; i++) {
        const tact_vec3 p[3] = {v[t[3 * i]], v[t[3 * i + 1]], v[t[3 * i + 2]]};
        add_element(b, 3, p, &composed[2], 0.0);
    }
    tact_shape *s = tact_compound((const tact_shape *const *)parts, places, 3);
    assert_non_null(s);
    for (int i = 0; i < 3; i++)
        tact_shape_release(parts[i]);
    return s;
}

static body make_body(int kind, random_source *r)
{
    body b = {.kind = kind};
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    double size = kind == COMPOUND || kind == ROUNDED ? 1.0 : random_range(r, 0.5, 1.5);
    tact_vec3 scale = {size, size, size};
    if (kind < COMPOUND && random_chance(r, 0.3))
        scale = vec_make(random_range(r, 0.5, 1.5), -random_range(r, 0.5, 1.5), random_range(r, 0.5, 1.5));
    tact_transform at = tact_transform_make(zero, random_rotation(r), scale);
    tact_vec3 v[8];
    switch (kind) {
    case PATCH:
        b.shape = make_patch(&b, r, 0.0, &at);
        break;
    case ROUNDED:
        b.shape = make_patch(&b, r, 0.15, &at);
        break;
    case CUBE:
        cube_corners(v, 0.7);
        b.shape = make_mesh(&b, v, 8, CUBE_TRIANGLES, 12, true, 0.0, &at);
        break;
    case BOX:
        cube_corners(v, 0.7);
        tact_shape_release(make_mesh(&b, v, 8, CUBE_TRIANGLES, 12, true, 0.0, &at));
        b.shape = tact_box(1.4, 1.4, 1.4);
        break;
    case SOUP:
        b.shape = make_soup(&b, r, &at);
        break;
    case COMPOUND:
        b.shape = make_compound(&b, r, &at);
        break;
    case TORUS:
        b.shape = make_torus(&b, &at);
        break;
    case SPHERE:
        b.shape = tact_sphere(0.5);
        add_element(&b, 1, &zero, &at, 0.5 * size);
        break;
    case CAPSULE:
        b.shape = tact_capsule(0.3, 1.0);
        v[0] = vec_make(0.0, -0.5, 0.0);
        v[1] = vec_make(0.0, 0.5, 0.0);
        add_element(&b, 2, v, &at, 0.3 * size);
        break;
    default:
        for (int i = 0; i < 3; i++)
            v[i] = random_direction(r);
        b.shape = tact_triangle(v[0], v[1], v[2]);
        add_element(&b, 3, v, &at, 0.0);
    }
    assert_non_null(b.shape);
    b.at = at;
    return b;
}

static void elements_at(const body *b, real t, element *out)
{
    vec w = wide(b->motion.spin);
    real rate = norm(w);
    vec k = rate > 0 ? mul(w, 1 / rate) : w;
    real s = sinl(rate * t), h = sinl(rate * t / 2), c = 2 * h * h;
    vec centre =
        add(add(wide(b->at.origin), mul(wide(b->motion.velocity), t)), mul(wide(b->motion.acceleration), t * t / 2));
    for (int i = 0; i < b->count; i++) {
        element *e = &out[i];
        *e = b->local[i];
        e->middle = (vec){0, 0, 0};
        for (int n = 0; n < e->count; n++) {
            vec v = e->p[n], kv = cross(k, v);
            e->p[n] = add(centre, add(v, add(mul(kv, s), mul(cross(k, kv), c))));
            e->middle = add(e->middle, mul(e->p[n], 1 / (real)e->count));
        }
        e->radius = 0;
        for (int n = 0; n < e->count; n++)
            e->radius = fmaxl(e->radius, norm(sub(e->p[n], e->middle)));
        e->radius += e->margin;
    }
}

/* ---- brute force ----------------------------------------------------------------------------------------------------
 */

static real clamp(real x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static real segment_distance(vec a0, vec a1, vec b0, vec b1)
{
    vec d = sub(a1, a0), e = sub(b1, b0), r = sub(a0, b0);
    real a = dot(d, d), b = dot(d, e), c = dot(e, e), f = dot(d, r), g = dot(e, r), det = a * c - b * b,
         least = INFINITY;
    const real s[5] = {0, 1, a > 0 ? clamp(-f / a) : 0, a > 0 ? clamp((b - f) / a) : 0,
                       det > 0 ? clamp((b * g - c * f) / det) : 0};
    const real t[5] = {c > 0 ? clamp(g / c) : 0, c > 0 ? clamp((g + b) / c) : 0, 0, 1, 0};
    for (int i = 0; i < 5; i++) {
        real u = i < 4 ? t[i] : c > 0 ? clamp((g + b * s[4]) / c) : 0;
        least = fminl(least, norm(sub(add(a0, mul(d, s[i])), add(b0, mul(e, u)))));
    }
    return least;
}

/* Is the foot of p on the triangle's plane in the triangle? */
static bool above(vec p, const vec *t, vec n)
{
    for (int i = 0; i < 3; i++)
        if (dot(cross(sub(t[(i + 1) % 3], t[i]), sub(p, t[i])), n) < 0)
            return false;
    return true;
}

static real face_distance(const element *face, const element *other)
{
    vec n = cross(sub(face->p[1], face->p[0]), sub(face->p[2], face->p[0]));
    real least = INFINITY, length = norm(n);
    if (!(length > 0))
        return least;
    n = mul(n, 1 / length);
    for (int i = 0; i < other->count; i++)
        if (above(other->p[i], face->p, n))
            least = fminl(least, fabsl(dot(n, sub(other->p[i], face->p[0]))));
    for (int i = 0; i < other->count; i++) {
        vec p = other->p[i], q = other->p[(i + 1) % other->count];
        real hp = dot(n, sub(p, face->p[0])), hq = dot(n, sub(q, face->p[0]));
        if (hp * hq < 0 && above(add(p, mul(sub(q, p), hp / (hp - hq))), face->p, n))
            return 0;
    }
    return least;
}

static real element_distance(const element *a, const element *b)
{
    real least = INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            least =
                fminl(least, segment_distance(a->p[i], a->p[(i + 1) % a->count], b->p[j], b->p[(j + 1) % b->count]));
    if (a->count == 3)
        least = fminl(least, face_distance(a, b));
    if (b->count == 3)
        least = fminl(least, face_distance(b, a));
    return least - a->margin - b->margin;
}

/* The least distance of any two elements; 0 or less when some touch. */
static real surface_distance(const element *a, int a_count, const element *b, int b_count)
{
    real least = INFINITY;
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            if (norm(sub(a[i].middle, b[j].middle)) - a[i].radius - b[j].radius < least)
                least = fminl(least, element_distance(&a[i], &b[j]));
    return least;
}

/* By the parity of a ray in an odd direction. */
static bool point_inside(vec p, const element *solid, int count)
{
    const vec d = {0.43175L, 0.77131L, 0.46777L};
    int crossings = 0;
    for (int i = 0; i < count; i++) {
        const vec *t = solid[i].p;
        vec n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
        real along = dot(n, d), s = along != 0 ? dot(n, sub(t[0], p)) / along : -1;
        crossings += s > 0 && above(add(p, mul(d, s)), t, n);
    }
    return crossings % 2 != 0;
}

static real distance_at(const body *a, const body *b, real t)
{
    element p[MOST], q[MOST];
    elements_at(a, t, p);
    elements_at(b, t, q);
    return surface_distance(p, a->count, q, b->count);
}

/* Do they overlap now, insides included? */
static bool overlap(const body *a, const body *b)
{
    element p[MOST], q[MOST];
    elements_at(a, 0, p);
    elements_at(b, 0, q);
    if (surface_distance(p, a->count, q, b->count) <= 0)
        return true;
    for (int i = 0; a->solid && i < b->count; i++)
        if (point_inside(q[i].p[0], p, a->count))
            return true;
    for (int i = 0; b->solid && i < a->count; i++)
        if (point_inside(p[i].p[0], q, b->count))
            return true;
    return false;
}

/* ---- random cases ---------------------------------------------------------------------------------------------------
 */

static uint64_t first_seed, seed_count;

static void read_seed(uint64_t few, uint64_t many)
{
    const char *seed = getenv("TACT_TEST_SEED");
    first_seed = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    seed_count = seed != NULL ? 1 : random_case_count(few, many);
}

static void make_pair(random_source *r, body *a, body *b)
{
    int first, second;
    do {
        first = (int)random_below(r, KINDS);
        second = (int)random_below(r, KINDS);
    } while (!kind_is_complex(first) && !kind_is_complex(second));
    *a = make_body(first, r);
    *b = make_body(second, r);
}

static void release(body *a, body *b)
{
    tact_shape_release(a->shape);
    tact_shape_release(b->shape);
}

static void complain(const char *what, uint64_t seed, const body *a, const body *b)
{
    print_error("%s: kinds %d %d; repeat with TACT_TEST_SEED=%llu\n", what, a->kind, b->kind, (unsigned long long)seed);
    fail();
}

static void compare_swapped(const tact_toi *x, const tact_toi *y, uint64_t seed, const body *a, const body *b)
{
    if (x->status != y->status || x->state != y->state || x->time != y->time || !vec_equal(x->point, y->point) ||
        !vec_equal(x->normal, vec_negate(y->normal)) || x->part_a.face != y->part_b.face ||
        x->part_b.face != y->part_a.face || x->part_a.leaf != y->part_b.leaf)
        complain("swapping changed the impact", seed, a, b);
}

static void impacts_are_never_late(void **state)
{
    (void)state;
    int hits = 0, misses = 0, grazes = 0, spins = 0, starts = 0;
    read_seed(160, 32000);
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        random_source r = random_seed(seed);
        body a, b;
        make_pair(&r, &a, &b);
        tact_toi_def def = {1.0, ldexp(1e-3, -random_between(&r, 0, 6))};
        b.at.origin = vec_scale(random_direction(&r), random_range(&r, 0.5, 6.0));
        tact_vec3 aim = vec_scale(random_direction(&r), random_range(&r, 0.0, 2.2));
        a.motion.velocity = vec_scale(random_direction(&r), random_range(&r, 0.0, 2.0));
        b.motion.velocity =
            vec_add(vec_sub(aim, vec_scale(b.at.origin, random_range(&r, 0.5, 2.5))), a.motion.velocity);
        if (random_chance(&r, 0.3))
            b.motion.acceleration = vec_scale(random_direction(&r), random_range(&r, 0.0, 4.0));
        if (random_chance(&r, 0.5)) {
            spins++;
            a.motion.spin = vec_scale(random_direction(&r), random_range(&r, 0.0, 4.0));
            b.motion.spin = vec_scale(random_direction(&r), random_range(&r, 0.0, 4.0));
        }
        real tolerance = (real)def.tolerance;
        tact_toi hit = tact_shapes_time_of_impact_with(a.shape, a.at, a.motion, b.shape, b.at, b.motion, &def);
        tact_toi back = tact_shapes_time_of_impact_with(b.shape, b.at, b.motion, a.shape, a.at, a.motion, &def);
        compare_swapped(&hit, &back, seed, &a, &b);
        if (hit.status != TACT_OK)
            complain("no verdict", seed, &a, &b);
        if (overlap(&a, &b)) {
            starts++;
            tact_penetration d = tact_shapes_penetration(a.shape, a.at, b.shape, b.at);
            if (d.depth > 2.0 * def.tolerance && (hit.state != TACT_HIT || hit.time != 0.0))
                complain("starts overlapping, but not a hit at 0", seed, &a, &b);
            release(&a, &b);
            continue;
        }
        real d = distance_at(&a, &b, 0);
        if (d <= tolerance) { /* in touch: other tests */
            release(&a, &b);
            continue;
        }
        vec v = sub(wide(b.motion.velocity), wide(a.motion.velocity)), g = wide(b.motion.acceleration);
        real speed = norm(v) + norm(g) + norm(wide(a.motion.spin)) * a.reach + norm(wide(b.motion.spin)) * b.reach;
        /* where nothing turns, triangles are reported when they meet, not when they are near */
        bool turns = vec_length(a.motion.spin) + vec_length(b.motion.spin) > 0.0;
        real last = (real)hit.time, least = d, nearest = turns ? 0.45L * tolerance : 1e-14L;
        for (real t = 0; t < last;) {
            d = distance_at(&a, &b, t);
            least = fminl(least, d);
            if (d < nearest)
                complain("nearer than it may be before the answer", seed, &a, &b);
            t += fmaxl(d - 0.4L * tolerance, 0.1L * tolerance) / (speed + 1e-30L);
        }
        grazes += hit.state == TACT_MISS && least < 0.05L;
        hits += hit.state == TACT_HIT;
        misses += hit.state == TACT_MISS;
        if (hit.state == TACT_MISS && hit.time != 1.0)
            complain("a miss before the end", seed, &a, &b);
        if (hit.state == TACT_HIT) {
            if (distance_at(&a, &b, last) > tolerance * 1.000001L)
                complain("too far at the time of the hit", seed, &a, &b);
            if (fabs(vec_length(hit.normal) - 1.0) > 1e-9)
                complain("normal of odd length", seed, &a, &b);
        }
        release(&a, &b);
    }
    print_message("%d hits, %d misses (%d of them close), %d with spin, %d starting in overlap\n", hits, misses, grazes,
                  spins, starts);
    if (!few_cases()) {
        assert_true(hits > 40 && misses > 12 && spins > 30 && starts > 5);
        assert_true(grazes >= 1);
    }
}

/* ---- planes and walls -----------------------------------------------------------------------------------------------
 */

/* A plane of (n x n) x 2 triangles from -half to half, z = 0, corners moved about in the plane; `wall`: a shell at x
 * = 1. */
static tact_shape *plane(int n, double half, random_source *r, bool wall)
{
    tact_vec3 *v = malloc(sizeof *v * (size_t)((n + 1) * (n + 1) + 4));
    uint32_t *t = malloc(sizeof *t * (size_t)(6 * n * n + 6));
    size_t count = 0;
    double cell = 2.0 * half / n;
    assert_true(v != NULL && t != NULL);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            bool rim = i == 0 || j == 0 || i == n || j == n;
            double x = rim ? 0.0 : random_range(r, -0.3, 0.3) * cell, y = rim ? 0.0 : random_range(r, -0.3, 0.3) * cell;
            v[(n + 1) * i + j] = vec_make(j * cell - half + x, i * cell - half + y, 0.0);
        }
    for (uint32_t i = 0; i < (uint32_t)n; i++)
        for (uint32_t j = 0; j < (uint32_t)n; j++) {
            uint32_t c = ((uint32_t)n + 1) * i + j, up = (uint32_t)n + 1;
            bool other = random_chance(r, 0.5);
            const uint32_t six[6] = {c, c + 1, other ? c + up : c + up + 1, other ? c + 1 : c, c + up + 1, c + up};
            memcpy(t + count, six, sizeof six);
            count += 6;
        }
    uint32_t at = (uint32_t)((n + 1) * (n + 1));
    for (int i = 0; i < 4; i++)
        v[at + (uint32_t)i] = vec_make(1.0, i & 1 ? half : -half, i & 2 ? 2.0 : -1.0);
    const uint32_t six[6] = {at, at + 1, at + 3, at, at + 3, at + 2};
    if (wall) {
        memcpy(t + count, six, sizeof six);
        count += 6;
    }
    tact_shape *s = tact_mesh(v, at + 4, t, count / 3);
    assert_non_null(s);
    free(v);
    free(t);
    return s;
}

static tact_toi go(const tact_shape *moving, tact_transform at, tact_vec3 velocity, tact_vec3 acceleration,
                   const tact_shape *still)
{
    tact_motion m = {.velocity = velocity, .acceleration = acceleration};
    return tact_shapes_time_of_impact(moving, at, m, still, tact_identity(), tact_motion_still(), 1.0);
}

static void starts_in_touch_follow_the_rule(void **state)
{
    (void)state;
    random_source r = random_seed(7);
    const tact_vec3 none = {0.0, 0.0, 0.0};
    tact_shape *floor = plane(8, 4.0, &r, false), *walled = plane(8, 4.0, &r, true), *ball = tact_sphere(0.5);
    body ignored = {0};
    tact_vec3 v[8];
    cube_corners(v, 0.5);
    tact_transform here = tact_identity();
    tact_shape *cube = make_mesh(&ignored, v, 8, CUBE_TRIANGLES, 12, true, 0.0, &here);
    tact_shape *shapes[4] = {ball, cube, tact_box(1.0, 1.0, 1.0), tact_capsule(0.5, 1.0)};
    for (int i = 0; i < 4; i++) {
        tact_shape *s = shapes[i];
        for (int k = 0; k < 3; k++) {
            /* just so, a little above, a little below; less than the tolerance */
            double off = k == 0 ? 0.0 : k == 1 ? 2e-10 : -2e-10;
            tact_transform at = tact_at(-1.01, 0.02, 0.5 + off);
            tact_toi slide = go(s, at, vec_make(1.0, 0.3, 0.0), none, floor);
            assert_int_equal(slide.status, TACT_OK);
            assert_int_equal(slide.state, TACT_MISS);
            tact_toi up = go(s, at, vec_make(0.1, 0.3, 1.0), none, floor);
            assert_int_equal(up.status, TACT_OK);
            assert_int_equal(up.state, TACT_MISS);
            tact_toi down = go(s, at, vec_make(0.1, 0.0, -1.0), none, floor);
            assert_int_equal(down.state, TACT_HIT);
            assert_true(down.time == 0.0);
            tact_toi rest = go(s, at, none, vec_make(0.0, 0.0, -1.0), floor);
            assert_int_equal(rest.state, TACT_HIT);
            assert_true(rest.time == 0.0);
            tact_toi stay = go(s, at, none, none, floor);
            assert_int_equal(stay.status, TACT_OK);
            assert_int_equal(stay.state, TACT_MISS);
            /* up and back: z = t - 2 t^2, down at 1/2 */
            tact_toi hop = go(s, at, vec_make(0.5, 0.1, 1.0), vec_make(0.0, 0.0, -4.0), floor);
            assert_int_equal(hop.state, TACT_HIT);
            assert_true(fabs(hop.time - 0.5) < 1e-6);
            assert_true(hop.normal.z < -0.9999);
            /* along the floor into a wall at x = 1 */
            tact_toi wall = go(s, at, vec_make(4.0, 0.0, 0.0), none, walled);
            assert_int_equal(wall.state, TACT_HIT);
            assert_true(fabs(wall.time - (2.01 - 0.5) / 4.0) < 1e-6);
        }
        /* deep, and from afar onto it with no more than the tolerance in between */
        tact_toi deep = go(s, tact_at(0.0, 0.0, 0.3), vec_make(0.0, 0.0, 1.0), none, floor);
        assert_int_equal(deep.state, TACT_HIT);
        assert_true(deep.time == 0.0);
        tact_toi land = go(s, tact_at(0.3, 0.1, 3.5), vec_make(1.0, 0.0, -4.0), none, floor);
        assert_int_equal(land.state, TACT_HIT);
        assert_true(land.time <= 0.75 && land.time > 0.75 - 1e-8);
        assert_true(land.normal.z < -0.999999);
    }
    /* a point sliding along the floor does not go through the wall */
    tact_shape *point = tact_point(none);
    tact_toi through = go(point, tact_at(-0.5, 0.13, 0.0), vec_make(4.0, 0.0, 0.0), none, walled);
    assert_int_equal(through.state, TACT_HIT);
    assert_true(fabs(through.time - 1.5 / 4.0) < 1e-6);
    tact_toi free_slide = go(point, tact_at(-0.5, 0.13, 0.0), vec_make(1.0, 0.4, 0.0), none, floor);
    assert_int_equal(free_slide.state, TACT_MISS);
    /* wholly inside a solid */
    tact_shape *small = tact_sphere(0.1), *large = tact_box(9.0, 9.0, 9.0);
    tact_toi inside = go(small, tact_at(0.1, 0.0, 0.0), vec_make(0.3, 0.0, 0.0), none, cube);
    assert_int_equal(inside.state, TACT_HIT);
    assert_true(inside.time == 0.0 && fabs(vec_length(inside.normal) - 1.0) < 1e-9);
    inside = go(cube, tact_at(0.1, 0.0, 0.0), vec_make(0.3, 0.0, 0.0), none, large);
    assert_int_equal(inside.state, TACT_HIT);
    assert_true(inside.time == 0.0);
    tact_shape_release(small);
    tact_shape_release(large);
    tact_shape_release(point);
    for (int i = 0; i < 4; i++)
        tact_shape_release(shapes[i]);
    tact_shape_release(floor);
    tact_shape_release(walled);
}

static void long_paths_and_fast_bodies(void **state)
{
    (void)state;
    random_source r = random_seed(11);
    tact_shape *floor = plane(64, 100.0, &r, false), *ball = tact_sphere(0.05);
    for (int i = 0; i < 20; i++) {
        /* low over the whole plane, coming down far away */
        double way = random_range(&r, 40.0, 190.0), low = random_range(&r, 1e-3, 0.5);
        tact_toi hit = go(ball, tact_at(-97.0, random_range(&r, -9.0, 9.0), 0.05 + low), vec_make(way, 0.0, -2.0 * low),
                          vec_make(0.0, 0.0, 0.0), floor);
        assert_int_equal(hit.status, TACT_OK);
        assert_int_equal(hit.state, TACT_HIT);
        assert_true(hit.time <= 0.5 + 1e-12 && hit.time > 0.5 - 1e-6);
        /* straight through it, thousands of its sizes in one step */
        double high = random_range(&r, 1.0, 1e4);
        hit = go(ball, tact_at(0.3, 0.2, high), vec_make(0.0, 0.0, -3.0 * high), vec_make(0.0, 0.0, 0.0), floor);
        assert_int_equal(hit.state, TACT_HIT);
        assert_true(fabs(hit.time - (high - 0.05) / (3.0 * high)) < 1e-9);
    }
    tact_shape_release(floor);
    tact_shape_release(ball);
}

/* ---- depth ----------------------------------------------------------------------------------------------------------
 */

/* A corner so far out that its spin lets a window be no longer than 1e-10 and less: said soon, not after all windows
 * that there may be, which take a quarter of a minute. */
static void hopeless_paths_are_given_up(void **state)
{
    (void)state;
    const double far[3] = {1e10, 1e20, 1e40};
    const uint32_t corners[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    tact_shape *ball = tact_sphere(1.0);
    for (int i = 0; i < 3; i++) {
        const tact_vec3 v[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, far[i]}};
        tact_shape *spike = tact_mesh(v, 4, corners, 4);
        const tact_motion spin = {.spin = {0.3, 1.0, 0.2}};
        tact_toi hit =
            tact_shapes_time_of_impact(spike, tact_identity(), spin, ball, tact_at(5, 3, 2), tact_motion_still(), 1.0);
        assert_true(hit.status == TACT_NOT_CONVERGED && hit.state == TACT_UNKNOWN);
        assert_true(hit.time >= 0.0 && hit.time < 1e-3);
        tact_shape_release(spike);
    }
    tact_shape_release(ball);
}

static void the_depth_just_parts_them(void **state)
{
    (void)state;
    int deep = 0, apart = 0, inside = 0;
    read_seed(300, 30000);
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        random_source r = random_seed(seed);
        body a, b;
        make_pair(&r, &a, &b);
        b.at.origin = vec_scale(random_direction(&r), random_range(&r, 0.0, 1.6));
        tact_penetration d = tact_shapes_penetration(a.shape, a.at, b.shape, b.at);
        tact_penetration back = tact_shapes_penetration(b.shape, b.at, a.shape, a.at);
        if (d.status != TACT_OK)
            complain("no depth", seed, &a, &b);
        if (d.depth != back.depth || !vec_equal(d.normal, vec_negate(back.normal)) || !vec_equal(d.on_a, back.on_b) ||
            !vec_equal(d.on_b, back.on_a) || d.part_a.face != back.part_b.face || d.part_b.face != back.part_a.face)
            complain("swapping changed the depth", seed, &a, &b);
        tact_vec3 gap = vec_mul_add(vec_sub(d.on_a, d.on_b), -d.depth, d.normal);
        if (vec_max_abs(gap) > 1e-9 || fabs(vec_length(d.normal) - 1.0) > 1e-9)
            complain("points that do not fit the depth", seed, &a, &b);
        real distance = distance_at(&a, &b, 0);
        if (!overlap(&a, &b)) {
            apart++;
            if (!(fabsl((real)d.depth + distance) < 1e-9L))
                complain("apart, but not minus the distance", seed, &a, &b);
        } else {
            if (!(d.depth >= 0.0))
                complain("overlapping, but negative", seed, &a, &b);
            deep++;
            inside += distance > 0;
            body more = b, less = b;
            more.at.origin = vec_mul_add(b.at.origin, d.depth * (1.0 + 1e-9) + 1e-9, d.normal);
            less.at.origin = vec_mul_add(b.at.origin, d.depth * (1.0 - 1e-6) - 1e-9, d.normal);
            if (overlap(&a, &more))
                complain("moved by the depth they still overlap", seed, &a, &b);
            if (d.depth > 1e-6 && !overlap(&a, &less))
                complain("a smaller move would do", seed, &a, &b);
        }
        release(&a, &b);
    }
    print_message("%d overlapping (%d wholly inside), %d apart\n", deep, inside, apart);
    if (!few_cases())
        assert_true(deep > 80 && apart > 40 && inside > 0);
}

static void a_solid_cube_is_as_deep_as_a_box(void **state)
{
    (void)state;
    int equal = 0, all = 0;
    read_seed(60, 6000);
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        random_source r = random_seed(seed);
        body cube = {0};
        tact_vec3 v[8];
        cube_corners(v, 0.5);
        tact_transform here = tact_identity();
        tact_shape *mesh = make_mesh(&cube, v, 8, CUBE_TRIANGLES, 12, true, 0.0, &here), *box = tact_box(1.0, 1.0, 1.0);
        tact_shape *other = seed % 2 == 0 ? tact_sphere(0.4) : tact_box(0.7, 0.8, 0.9);
        tact_quat turn = random_rotation(&r);
        tact_transform at = tact_transform_make(vec_scale(random_direction(&r), random_range(&r, 0.0, 0.9)), turn,
                                                vec_make(1.0, 1.0, 1.0));
        tact_penetration exact = tact_shapes_penetration(box, here, other, at),
                         d = tact_shapes_penetration(mesh, here, other, at);
        assert_int_equal(d.status, TACT_OK);
        if (exact.depth > 1e-9) {
            if (!(d.depth >= exact.depth * (1.0 - 1e-6))) {
                print_error("less deep than a box; repeat with TACT_TEST_SEED=%llu\n", (unsigned long long)seed);
                fail();
            }
            all++;
            equal += d.depth <= exact.depth * 1.001;
        }
        tact_shape_release(mesh);
        tact_shape_release(box);
        tact_shape_release(other);
    }
    print_message("%d of %d the least of all directions\n", equal, all);
    if (!few_cases())
        assert_true(all > 30 && equal > all * 3 / 4);
}

/* ---- contact points -------------------------------------------------------------------------------------------------
 */

#define POINTS 512

static void nothing_bumps_on_a_plane(void **state)
{
    (void)state;
    random_source r = random_seed(3);
    static tact_contact_point points[POINTS];
    tact_shape *floor = plane(24, 4.0, &r, false);
    const tact_vec3 one = {1.0, 1.0, 1.0};
    tact_shape *shapes[4] = {tact_sphere(0.5), tact_box(1.0, 1.2, 0.8), tact_capsule(0.3, 1.0),
                             tact_cylinder(0.4, 0.8)};
    int found = 0;
    for (int i = 0; i < 400; i++) {
        tact_shape *s = shapes[i % 4];
        bool flat = random_chance(&r, 0.5); /* lying on it, or any way */
        tact_quat turn = flat ? (tact_quat){0.0, 0.0, 0.0, 1.0} : random_rotation(&r);
        tact_transform at = tact_transform_make(vec_make(0.0, 0.0, 0.0), turn, one);
        tact_vec3 lowest;
        assert_int_equal(tact_shape_support(s, at, vec_make(0.0, 0.0, -1.0), &lowest), TACT_OK);
        double depth = random_range(&r, -0.01, 0.05);
        at.origin = vec_make(random_range(&r, -2.5, 2.5), random_range(&r, -2.5, 2.5), -lowest.z - depth);
        tact_contacts c = tact_shapes_contacts(floor, tact_identity(), s, at, 0.02, points, POINTS);
        assert_int_equal(c.status, TACT_OK);
        assert_int_equal(c.state, TACT_HIT);
        assert_true(c.count > 0 && c.count <= POINTS);
        found += (int)c.count;
        for (size_t k = 0; k < c.count; k++) {
            const tact_contact_point *p = &points[k];
            if (p->normal.x != 0.0 || p->normal.y != 0.0 || p->normal.z != 1.0 || fabs(p->on_a.z) > 1e-9 ||
                !(p->depth <= depth + 1e-9) || p->depth < -0.02 ||
                vec_max_abs(vec_mul_add(vec_sub(p->on_a, p->on_b), -p->depth, p->normal)) > 1e-9) {
                print_error("case %d: a bump, normal %g %g %g depth %.17g of %.17g, on_a %g %g %g on_b %g %g %g\n", i,
                            p->normal.x, p->normal.y, p->normal.z, p->depth, depth, p->on_a.x, p->on_a.y, p->on_a.z,
                            p->on_b.x, p->on_b.y, p->on_b.z);
                fail();
            }
            assert_true(k == 0 || points[k - 1].depth >= p->depth);
        }
        assert_true(fabs(points[0].depth - depth) < 1e-7);
        tact_manifold m = tact_shapes_manifold(floor, tact_identity(), s, at, 0.02);
        assert_int_equal(m.status, TACT_OK);
        assert_int_equal(m.state, TACT_HIT);
        assert_true(fabs(m.depth - depth) < 1e-7 && m.normal.z > 1.0 - 1e-9);
        assert_true(m.count >= 1 && m.count <= TACT_MANIFOLD_POINTS);
        if (flat && s == shapes[1])
            assert_true(m.count >= 4);
        for (int k = 0; k < m.count; k++)
            assert_true(m.points[k].depth <= m.depth && m.points[k].depth >= -0.02);
        /* swapped */
        static tact_contact_point back[POINTS];
        tact_contacts other = tact_shapes_contacts(s, at, floor, tact_identity(), 0.02, back, POINTS);
        assert_int_equal(other.count, c.count);
        for (size_t k = 0; k < c.count; k++)
            assert_true(vec_equal(back[k].on_a, points[k].on_b) && vec_equal(back[k].on_b, points[k].on_a) &&
                        vec_equal(back[k].normal, vec_negate(points[k].normal)) && back[k].depth == points[k].depth &&
                        back[k].part_b.face == points[k].part_a.face);
        /* little room: the deepest */
        tact_contacts few = tact_shapes_contacts(floor, tact_identity(), s, at, 0.02, back, 2);
        assert_int_equal(few.count >= c.count || few.count >= 2, 1);
        assert_true(back[0].depth == points[0].depth);
    }
    print_message("%d points\n", found);
    assert_true(found > 2000);
    for (int i = 0; i < 4; i++)
        tact_shape_release(shapes[i]);
    tact_shape_release(floor);
}

/* Two planes that meet along the y axis, falling to both sides (a ridge) or rising (a gutter). */
static tact_shape *roof(double slope, int n)
{
    tact_vec3 v[3 * 33];
    uint32_t t[12 * 32];
    size_t count = 0;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < 3; j++)
            v[3 * i + j] = vec_make(2.0 * (j - 1), 4.0 * i / n - 2.0, slope * 2.0 * abs(j - 1));
    for (uint32_t i = 0; i < (uint32_t)n; i++)
        for (uint32_t j = 0; j < 2; j++) {
            uint32_t c = 3 * i + j;
            const uint32_t six[6] = {c, c + 1, c + 4, c, c + 4, c + 3};
            memcpy(t + count, six, sizeof six);
            count += 6;
        }
    tact_shape *s = tact_mesh(v, (size_t)(3 * (n + 1)), t, count / 3);
    assert_non_null(s);
    return s;
}

static void normals_on_a_ridge_and_in_a_gutter(void **state)
{
    (void)state;
    random_source r = random_seed(5);
    tact_contact_point points[64];
    tact_shape *ridge = roof(-0.5, 16), *gutter = roof(0.5, 16), *ball = tact_sphere(0.5);
    const double length = sqrt(1.25), side = 0.5 / length, up = 1.0 / length; /* of the faces' normals */
    int between = 0, on_faces = 0;
    for (int i = 0; i < 300; i++) {
        double x = random_range(&r, -0.4, 0.4), depth = random_range(&r, 1e-4, 0.02);
        /* over the ridge at distance 0.5 - depth */
        bool over_edge = fabs(x) < (0.5 - depth) * side;
        double z = over_edge ? sqrt((0.5 - depth) * (0.5 - depth) - x * x) : (0.5 - depth) / up - 0.5 * fabs(x);
        tact_transform at = tact_at(x, random_range(&r, -1.4, 1.4), z);
        tact_contacts c = tact_shapes_contacts(ridge, tact_identity(), ball, at, 0.0, points, 64);
        assert_int_equal(c.state, TACT_HIT);
        assert_true(fabs(points[0].depth - depth) < 1e-9);
        for (size_t k = 0; k < c.count; k++) {
            tact_vec3 n = points[k].normal;
            assert_true(fabs(n.y) < 1e-9 && n.z > up - 1e-9 && fabs(n.x) < side + 1e-9);
        }
        between += over_edge;
        on_faces += !over_edge;
        /* in the gutter both faces, and nothing else */
        x = random_range(&r, -0.01, 0.01);
        at = tact_at(x, random_range(&r, -1.4, 1.4), 0.5 / up - 0.02);
        c = tact_shapes_contacts(gutter, tact_identity(), ball, at, 0.0, points, 64);
        assert_int_equal(c.state, TACT_HIT);
        assert_true(c.count == 2);
        for (size_t k = 0; k < c.count; k++) {
            tact_vec3 n = points[k].normal;
            assert_true(fabs(n.y) < 1e-9 && fabs(n.z - up) < 1e-9 && fabs(fabs(n.x) - side) < 1e-9);
        }
        assert_true(points[0].normal.x * points[1].normal.x < 0.0);
    }
    assert_true(between > 50 && on_faces > 50);
    tact_shape_release(ridge);
    tact_shape_release(gutter);
    tact_shape_release(ball);
}

static void contacts_of_solids_push_out(void **state)
{
    (void)state;
    body ignored = {0};
    tact_vec3 v[8];
    cube_corners(v, 1.0);
    tact_transform here = tact_identity();
    tact_shape *cube = make_mesh(&ignored, v, 8, CUBE_TRIANGLES, 12, true, 0.0, &here), *ball = tact_sphere(0.25);
    tact_contact_point points[16];
    /* its centre is below the face, and then it is wholly inside */
    tact_contacts c = tact_shapes_contacts(cube, here, ball, tact_at(0.1, 0.2, 0.9), 0.0, points, 16);
    assert_int_equal(c.state, TACT_HIT);
    assert_true(points[0].normal.z == 1.0 && fabs(points[0].depth - 0.35) < 1e-9);
    c = tact_shapes_contacts(cube, here, ball, tact_at(0.1, 0.2, 0.5), 0.0, points, 16);
    assert_int_equal(c.state, TACT_HIT);
    assert_int_equal(c.count, 1);
    assert_true(points[0].normal.z == 1.0 && fabs(points[0].depth - 0.75) < 1e-9);
    c = tact_shapes_contacts(cube, here, ball, tact_at(0.1, 0.2, 1.5), 0.0, points, 16);
    assert_int_equal(c.state, TACT_MISS);
    assert_int_equal(c.count, 0);
    tact_shape_release(cube);
    tact_shape_release(ball);
}

/* ---- cubes on each other, against boxes -----------------------------------------------------------------------------
 */

static tact_shape *solid_cube(double half)
{
    body ignored = {0};
    tact_vec3 v[8];
    tact_transform here = tact_identity();
    cube_corners(v, half);
    return make_mesh(&ignored, v, 8, CUBE_TRIANGLES, 12, true, 0.0, &here);
}

/* Turned about the origin of the scene. */
static tact_transform turned(tact_quat turn, tact_vec3 at)
{
    tact_transform p = tact_transform_make(vec_make(0.0, 0.0, 0.0), turn, vec_make(1.0, 1.0, 1.0));
    p.origin = vec_transform(&p, at);
    return p;
}

/* A cube on a cube, before all is turned: their common rectangle, and how deep they are. */
typedef struct stack {
    tact_transform turn;
    double x[2], z[2], depth;
} stack;

/* The corners of the rectangle, and perhaps points on its rim, where diagonals of faces end; one normal, one depth. */
static void check_stack(const tact_contact_point *points, size_t count, const stack *s, int number)
{
    const double near = 1e-9;
    bool good = count >= 4 && count <= 16;
    int corners = 0;
    for (size_t i = 0; i < count; i++) {
        const tact_contact_point *p = &points[i];
        double x = vec_dot(p->on_a, s->turn.x_axis), z = vec_dot(p->on_a, s->turn.z_axis);
        good = good && x > s->x[0] - near && x < s->x[1] + near && z > s->z[0] - near && z < s->z[1] + near;
        good = good && fabs(vec_dot(p->on_a, s->turn.y_axis) - 1.0) < near;
        good = good && vec_max_abs(vec_sub(p->normal, s->turn.y_axis)) < near && fabs(p->depth - s->depth) < 1e-14;
        good = good && vec_max_abs(vec_mul_add(vec_sub(p->on_a, p->on_b), -p->depth, p->normal)) < near;
        good = good && p->depth <= points[0].depth;
        for (int k = 0; k < 4; k++)
            if (fabs(x - s->x[k & 1]) < near && fabs(z - s->z[k >> 1]) < near)
                corners |= 1 << k;
    }
    if (good && corners == 15)
        return;
    print_error("case %d: depth %g, x %g to %g, z %g to %g; but:\n", number, s->depth, s->x[0], s->x[1], s->z[0],
                s->z[1]);
    for (size_t i = 0; i < count; i++)
        print_error("    %.12g %.12g %.12g, normal %g %g %g, depth %.17g\n", vec_dot(points[i].on_a, s->turn.x_axis),
                    vec_dot(points[i].on_a, s->turn.y_axis), vec_dot(points[i].on_a, s->turn.z_axis),
                    vec_dot(points[i].normal, s->turn.x_axis), vec_dot(points[i].normal, s->turn.y_axis),
                    vec_dot(points[i].normal, s->turn.z_axis), points[i].depth);
    fail();
}

static void cubes_lie_on_each_other_like_boxes(void **state)
{
    (void)state;
    static const double depths[] = {0.05, 1e-3, 1e-6, 1e-9, 0.0, -1e-3};
    static const tact_vec3 beside[] = {{0.0, 0.0, 0.0}, {0.1, 0.0, 0.2}, {1.0, 0.0, 0.0}, {-0.5, 0.0, 0.7}};
    tact_shape *cube = solid_cube(1.0), *box = tact_box(2.0, 2.0, 2.0);
    tact_shape *small_cube = solid_cube(0.5), *small_box = tact_box(1.0, 1.0, 1.0);
    random_source r = random_seed(11);
    tact_contact_point points[64];
    for (int i = 0; i < 6 * 4 * 2 * 3; i++) {
        double depth = depths[i % 6];
        bool small = i / 24 % 2 != 0;
        tact_vec3 at = beside[i / 6 % 4];
        at.y = (small ? 1.5 : 2.0) - depth;
        /* as it is, and in some other attitude, where rounding takes its part: touching is then a matter of luck */
        bool turn_it = i >= 48;
        tact_quat turn = turn_it ? random_rotation(&r) : (tact_quat){0.0, 0.0, 0.0, 1.0};
        double reach = turn_it && depth == 0.0 ? 1e-12 : 0.0, half = small ? 0.5 : 1.0;
        if (depth < 0.0 || i % 5 == 0)
            reach = 0.01;
        tact_transform lo = turned(turn, vec_make(0.0, 0.0, 0.0)), hi = turned(turn, at);
        tact_shape *upper_box = small ? small_box : box;
        const stack expected = {lo,
                                {fmax(-1.0, at.x - half), fmin(1.0, at.x + half)},
                                {fmax(-1.0, at.z - half), fmin(1.0, at.z + half)},
                                depth};
        for (int k = 0; k < 3; k++) {
            tact_shape *a = k == 2 ? box : cube, *b = k == 1 ? upper_box : small ? small_cube : cube;
            tact_contacts c = tact_shapes_contacts(a, lo, b, hi, reach, points, 64);
            assert_int_equal(c.status, TACT_OK);
            assert_int_equal(c.state, TACT_HIT);
            check_stack(points, c.count, &expected, i);
            for (size_t j = 1; j < c.count; j++)
                assert_true(points[j].depth <= points[j - 1].depth);
            tact_manifold m = tact_shapes_manifold(a, lo, b, hi, reach);
            assert_int_equal(m.status, TACT_OK);
            if (depth == 0.0 && m.depth < 0.0)
                continue; /* turned: a gap of a few roundings has any direction */
            for (int j = 0; j < m.count; j++)
                points[j] = (tact_contact_point){m.points[j].on_a,      m.points[j].on_b,     m.normal,
                                                 m.points[j].depth,     m.points[j].part_a,   m.points[j].part_b,
                                                 m.points[j].feature_a, m.points[j].feature_b};
            check_stack(points, (size_t)m.count, &expected, i);
        }
    }
    tact_shape_release(cube);
    tact_shape_release(box);
    tact_shape_release(small_cube);
    tact_shape_release(small_box);
}

/* Tilted a little, or any way: no point is deeper than the bodies. */
static void no_contact_is_deeper_than_the_bodies(void **state)
{
    (void)state;
    tact_shape *cube = solid_cube(1.0), *box = tact_box(1.0, 1.4, 1.2);
    tact_contact_point points[128];
    int hits = 0;
    read_seed(300, 30000);
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        random_source r = random_seed(seed);
        double tilt = random_chance(&r, 0.5) ? 0.02 : 3.0;
        tact_vec3 axis = vec_scale(random_direction(&r), sin(0.5 * tilt));
        tact_transform at =
            tact_transform_make(vec_scale(random_direction(&r), random_range(&r, 1.0, 2.2)),
                                (tact_quat){axis.x, axis.y, axis.z, cos(0.5 * tilt)}, vec_make(1.0, 1.0, 1.0));
        tact_shape *other = random_chance(&r, 0.5) ? cube : box;
        tact_penetration d = tact_shapes_penetration(cube, tact_identity(), other, at);
        tact_contacts c = tact_shapes_contacts(cube, tact_identity(), other, at, 0.0, points, 128);
        assert_int_equal(d.status, TACT_OK);
        assert_int_equal(c.status, TACT_OK);
        if ((c.count > 0) != (d.depth >= 0.0) || (c.count > 0 && !(points[0].depth <= d.depth + 1e-8))) {
            print_error("%zu points, %.17g deep, of bodies %.17g; repeat with TACT_TEST_SEED=%llu\n", c.count,
                        c.count > 0 ? points[0].depth : 0.0, d.depth, (unsigned long long)seed);
            fail();
        }
        hits += c.count > 0;
    }
    print_message("%d touch\n", hits);
    if (!few_cases())
        assert_true(hits > 100 && hits < 295);
    tact_shape_release(cube);
    tact_shape_release(box);
}

/* Through zero to the last digits, where the faces are flat. */
static void the_depth_of_flat_faces_is_exact(void **state)
{
    (void)state;
    static const double depths[] = {0.5, 0.05, 1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 0.0, -1e-14, -1e-12, -1e-9, -1e-3};
    static const double sizes[] = {1.0, 1024.0, 1.0 / 1024.0};
    random_source r = random_seed(12);
    for (int s = 0; s < 3; s++) {
        const double L = sizes[s], within = 32.0 * 1.2e-16 * 4.0 * L; /* the whole scene is 4 L high */
        tact_shape *cube = solid_cube(L), *box = tact_box(2.0 * L, 2.0 * L, 2.0 * L);
        for (int i = 0; i < 12 * 8; i++) {
            tact_quat turn = i >= 24 ? random_rotation(&r) : (tact_quat){0.0, 0.0, 0.0, 1.0};
            tact_vec3 beside = i < 12 ? vec_make(0.0, 0.0, 0.0) : vec_make(0.3 * L, 0.0, -0.2 * L);
            tact_transform lo = turned(turn, vec_make(0.0, 0.0, 0.0));
            tact_transform hi = turned(turn, vec_make(beside.x, (2.0 - depths[i % 12]) * L, beside.z));
            tact_penetration exact = tact_shapes_penetration(box, lo, box, hi);
            for (int k = 0; k < 3; k++) {
                tact_penetration d = tact_shapes_penetration(k == 1 ? box : cube, lo, k == 2 ? box : cube, hi);
                assert_int_equal(d.status, TACT_OK);
                if (!(fabs(d.depth - exact.depth) <= within) || !(fabs(d.depth - depths[i % 12] * L) <= within)) {
                    print_error("size %g case %d kind %d: depth %.17g, of boxes %.17g, made %.17g\n", L, i, k, d.depth,
                                exact.depth, depths[i % 12] * L);
                    fail();
                }
                /* a gap of a few roundings has any direction */
                assert_true(vec_max_abs(vec_sub(d.normal, lo.y_axis)) < 1e-6 || (d.depth < 0.0 && d.depth > -within));
                /* on the upper face of A and the lower one of B */
                assert_true(fabs(vec_dot(d.on_a, lo.y_axis) - L) <= within);
                assert_true(fabs(vec_dot(vec_sub(d.on_b, hi.origin), lo.y_axis) + L) <= within);
            }
        }
        tact_shape_release(cube);
        tact_shape_release(box);
    }
}

/* The same scene in all sizes, and far from the origin. */
static void sizes_far_from_one_scale(void **state)
{
    (void)state;
    static const double sizes[] = {1e-120, 1e-30, 1e-9, 1.0, 1e9, 1e60, 1e140};
    for (int i = 0; i < 7; i++)
        for (int far = 0; far < 2; far++) {
            const double s = sizes[i], slack = far ? 1e-8 : 1e-9;
            if (far && s > 1e130)
                continue;
            body ignored = {0};
            tact_vec3 v[8], o = vec_scale(vec_make(1e7, -3e7, 2e7), far ? s : 0.0);
            cube_corners(v, 0.5 * s);
            tact_transform here = tact_at(o.x, o.y, o.z), at = tact_at(o.x + 0.1 * s, o.y + 0.05 * s, o.z + 0.6 * s);
            tact_transform high = tact_at(o.x + 0.1 * s, o.y + 0.05 * s, o.z + 4.0 * s);
            tact_shape *cube = make_mesh(&ignored, v, 8, CUBE_TRIANGLES, 12, true, 0.0, &here),
                       *ball = tact_sphere(0.25 * s);
            tact_contact_point points[8];
            tact_penetration d = tact_shapes_penetration(cube, here, ball, at);
            assert_int_equal(d.status, TACT_OK);
            assert_true(fabs(d.depth / s - 0.15) < slack && d.normal.z > 1.0 - 1e-9);
            tact_contacts c = tact_shapes_contacts(cube, here, ball, at, 0.0, points, 8);
            assert_int_equal(c.status, TACT_OK);
            assert_int_equal(c.count, 1);
            assert_true(fabs(points[0].depth / s - 0.15) < slack);
            tact_motion fall = {.velocity = vec_make(0.0, 0.0, -8.0 * s), .spin = {1.0, 2.0, 3.0}};
            tact_toi hit = tact_shapes_time_of_impact(ball, high, fall, cube, here, tact_motion_still(), 1.0);
            assert_int_equal(hit.state, TACT_HIT);
            assert_true(fabs(hit.time - 3.25 / 8.0) < slack);
            hit = tact_shapes_time_of_impact(cube, high, fall, cube, here, tact_motion_still(), 1.0);
            assert_int_equal(hit.state, TACT_HIT);
            assert_true(fabs(hit.time - 0.333572088588) < slack); /* as for size 1 */
            tact_shape_release(cube);
            tact_shape_release(ball);
        }
}

/* ---- bad input, memory ----------------------------------------------------------------------------------------------
 */

static void bad_input_is_a_status(void **state)
{
    (void)state;
    random_source r = random_seed(2);
    tact_shape *floor = plane(2, 1.0, &r, false), *ball = tact_sphere(1.0);
    tact_mesh_def nothing = tact_mesh_def_default();
    tact_shape *empty = tact_mesh_create(&nothing, NULL);
    assert_non_null(empty);
    tact_transform here = tact_identity(), flat = here, odd = here;
    tact_contact_point point;
    flat.z_axis = vec_make(0.0, 0.0, 0.0);
    odd.origin.x = NAN;
    const tact_transform bad[2] = {flat, odd};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tact_shapes_penetration(floor, bad[i], ball, here).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_penetration(ball, bad[i], floor, here).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_manifold(floor, bad[i], ball, here, 0.0).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_shapes_contacts(floor, bad[i], ball, here, 0.0, &point, 1).status, TACT_BAD_ARGUMENT);
        tact_toi hit =
            tact_shapes_time_of_impact(floor, here, tact_motion_still(), ball, bad[i], tact_motion_still(), 1.0);
        assert_int_equal(hit.status, TACT_BAD_ARGUMENT);
    }
    assert_int_equal(tact_shapes_penetration(floor, here, NULL, here).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_manifold(NULL, here, floor, here, 0.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_contacts(NULL, here, floor, here, 0.0, &point, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_contacts(floor, here, ball, here, -1.0, &point, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_contacts(floor, here, ball, here, NAN, &point, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_contacts(floor, here, ball, here, 0.0, NULL, 1).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_contacts(floor, here, ball, here, 0.0, NULL, 0).state, TACT_HIT);
    assert_int_equal(tact_shapes_contacts(empty, here, ball, here, 0.0, &point, 1).state, TACT_MISS);
    tact_motion odd_motion = {.velocity = {INFINITY, 0.0, 0.0}};
    assert_int_equal(tact_shapes_time_of_impact(floor, here, odd_motion, ball, here, tact_motion_still(), 1.0).status,
                     TACT_BAD_ARGUMENT);
    assert_int_equal(
        tact_shapes_time_of_impact(floor, here, tact_motion_still(), ball, here, tact_motion_still(), -1.0).status,
        TACT_BAD_ARGUMENT);
    assert_int_equal(
        tact_shapes_time_of_impact(floor, here, tact_motion_still(), NULL, here, tact_motion_still(), 1.0).status,
        TACT_BAD_ARGUMENT);
    tact_toi miss = tact_shapes_time_of_impact(empty, here, tact_motion_still(), ball, here, tact_motion_still(), 1.0);
    assert_int_equal(miss.state, TACT_MISS);
    assert_true(miss.time == 1.0);
    tact_shape_release(empty);
    tact_shape_release(floor);
    tact_shape_release(ball);
}

typedef struct budget {
    int allowed, asked;
    size_t held;
} budget;

static void *limited_resize(void *context, void *block, size_t old_size, size_t new_size)
{
    budget *b = context;
    if (new_size == 0) {
        free(block);
        b->held -= old_size;
        return NULL;
    }
    b->asked++;
    if (b->allowed-- <= 0)
        return NULL;
    b->held += new_size - old_size;
    return realloc(block, new_size);
}

static void running_out_of_memory_is_a_status(void **state)
{
    (void)state;
    budget b = {.allowed = 1000};
    tact_shape_def def = tact_shape_def_default();
    def.allocator = (tact_allocator){limited_resize, &b};
    def.type = TACT_CYLINDER;
    def.radius = 1.0;
    def.height = 3.0;
    tact_shape *one = tact_shape_create(&def, NULL);
    tact_shape *both = tact_compound_create((const tact_shape *const *)&one, NULL, 1, &def.allocator, NULL);
    assert_non_null(both);
    def.radius = 0.5;
    tact_shape *two = tact_shape_create(&def, NULL);
    assert_non_null(two);
    size_t before = b.held;
    tact_transform here = tact_identity();
    tact_contact_point points[8];
    int refused = 0;
    for (int query = 0, allowed = 0; query < 4; allowed++) {
        b.allowed = allowed;
        tact_status status;
        switch (query) {
        case 0:
            status = tact_shapes_penetration(both, here, two, here).status;
            break;
        case 1:
            status =
                tact_shapes_time_of_impact(both, here, tact_motion_still(), two, here, tact_motion_still(), 1.0).status;
            break;
        case 2:
            status = tact_shapes_manifold(both, here, two, here, 0.0).status;
            break;
        default:
            status = tact_shapes_contacts(both, here, two, here, 0.0, points, 8).status;
        }
        assert_int_equal(b.held, before);
        assert_true(status == TACT_OK || status == TACT_OUT_OF_MEMORY || status == TACT_NOT_CONVERGED);
        refused += status == TACT_OUT_OF_MEMORY;
        if (allowed == 0)
            assert_int_equal(status, TACT_OUT_OF_MEMORY);
        if (b.allowed >= 0) { /* nothing was refused */
            assert_int_equal(status, TACT_OK);
            query++;
            allowed = -1;
        }
        assert_true(allowed < 100);
    }
    print_message("refused %d times\n", refused);
    assert_true(refused > 20);
    tact_shape_release(both);
    tact_shape_release(one);
    tact_shape_release(two);
    assert_int_equal(b.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_never_late),
        cmocka_unit_test(starts_in_touch_follow_the_rule),
        cmocka_unit_test(long_paths_and_fast_bodies),
        cmocka_unit_test(hopeless_paths_are_given_up),
        cmocka_unit_test(the_depth_just_parts_them),
        cmocka_unit_test(a_solid_cube_is_as_deep_as_a_box),
        cmocka_unit_test(nothing_bumps_on_a_plane),
        cmocka_unit_test(normals_on_a_ridge_and_in_a_gutter),
        cmocka_unit_test(contacts_of_solids_push_out),
        cmocka_unit_test(cubes_lie_on_each_other_like_boxes),
        cmocka_unit_test(no_contact_is_deeper_than_the_bodies),
        cmocka_unit_test(the_depth_of_flat_faces_is_exact),
        cmocka_unit_test(sizes_far_from_one_scale),
        cmocka_unit_test(bad_input_is_a_status),
        cmocka_unit_test(running_out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests_name("complex contact", tests, NULL, NULL);
}
