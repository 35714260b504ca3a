/*
 * Rays at meshes under nearly singular transforms: one axis is so short that the inverse overflows, and with it the
 * slack of the boxes. Compared with a test of every triangle. The stack is filled before each call, so that an
 * uninitialised slack would wrongly exclude boxes. A failure prints the seed of its case; TACT_TEST_SEED=n runs that
 * case alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "bounds/relative_frame.h"
#include "exact/ray_triangle.h"
#include "math/vec.h"
#include "shape/mesh.h"
#include "support/random.h"

#define TRIANGLES 40u
#define CASES 3000u
#define FILLED 1024 /* doubles on the stack: more than the calls below use before they test boxes */

/* Leaves values on the stack that, taken as slacks, would exclude too many boxes. */
static void fill_stack(void)
{
    volatile double numbers[FILLED];
    for (int i = 0; i < FILLED; ++i)
        numbers[i] = -1.0;
    (void)numbers[0];
}

static void (*volatile fill)(void) = fill_stack; /* volatile: the call is not optimized away */

static tact_vec3 random_point(random_source *r)
{
    return vec_make(random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0), random_range(r, -1.0, 1.0));
}

static tact_shape *make_mesh(random_source *r)
{
    tact_vec3 v[3 * TRIANGLES];
    uint32_t corners[3 * TRIANGLES];
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) {
        v[i] = i % 3 == 0 ? random_point(r) : vec_mul_add(v[i - i % 3], 0.3, random_point(r));
        corners[i] = i;
    }
    tact_shape *shape = tact_mesh(v, 3 * TRIANGLES, corners, TRIANGLES);
    assert_non_null(shape);
    return shape;
}

/* Rotated, half of the time. One axis is short; the others may be long, so that their rows of the inverse are finite.
 */
static tact_transform make_place(random_source *r, double *longest)
{
    tact_transform p = tact_identity();
    if (random_chance(r, 0.5))
        p = tact_transform_rotate(p, random_rotation(r));
    tact_vec3 *axes[3] = {&p.x_axis, &p.y_axis, &p.z_axis};
    const int which = (int)random_below(r, 3), exponent = random_chance(r, 0.3) ? 0 : random_between(r, 1, 200);
    for (int i = 0; i < 3; ++i)
        *axes[i] = vec_scale(*axes[i], ldexp(1.0, exponent));
    const double length = ldexp(random_range(r, 1.0, 2.0), random_between(r, -1065, -1000));
    *axes[which] = vec_scale(vec_normalize(*axes[which]), length);
    *longest = ldexp(1.0, exponent);
    if (random_chance(r, 0.3))
        p.origin = random_point(r);
    return p;
}

typedef struct tally {
    unsigned hits, misses, refused, unbounded;
} tally;

static void run_case(uint64_t seed, tally *seen)
{
    random_source r = random_seed(seed);
    tact_shape *shape = make_mesh(&r);
    const mesh *m = shape->mesh;
    double longest;
    const tact_transform at = make_place(&r, &longest);
    tact_vec3 corner[3], normal;
    mesh_triangle(m, &at, (uint32_t)random_below(&r, TRIANGLES), corner);
    const double a = random_unit(&r), b = random_range(&r, 0.0, 1.0 - a);
    const tact_vec3 aim =
        vec_mul_add(vec_mul_add(corner[0], a, vec_sub(corner[1], corner[0])), b, vec_sub(corner[2], corner[0]));
    const tact_vec3 from = vec_mul_add(aim, 3.0 * longest, random_direction(&r));
    const bool aimed = random_chance(&r, 0.7);
    const tact_vec3 direction = aimed ? vec_sub(aim, from) : vec_scale(random_direction(&r), longest);
    const exact_ray line = tact_exact_ray_make(from, direction);
    double best = INFINITY, t;
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        mesh_triangle(m, &at, i, corner);
        if (tact_ray_triangle(&line, corner, &t, &normal) && t < best)
            best = t;
    }
    fill();
    const tact_ray_hit hit = tact_shape_ray(shape, at, from, direction, 4.0);
    local_ray ray;
    fill();
    tact_local_ray_make(&at, &m->tree.root_box, from, direction, &ray);
    unsigned unbounded = 0;
    bool right = true;
    for (int i = 0; i < 3; ++i) {
        unbounded += ray.slack[i] < INFINITY ? 0 : 1;
        right = right && ray.slack[i] > 0.0; /* and not NaN */
    }
    if (hit.status != TACT_OK)
        right = right && hit.status == TACT_BAD_ARGUMENT && hit.state == TACT_UNKNOWN;
    else
        right = right && (hit.state == TACT_HIT ? hit.t == best : best > 4.0);
    if (!right) {
        print_error("TACT_TEST_SEED=%llu: status %d, t %.17g, should be %.17g; slack %g %g %g\n",
                    (unsigned long long)seed, (int)hit.status, hit.t, best, ray.slack[0], ray.slack[1], ray.slack[2]);
        fail();
    }
    seen->refused += hit.status != TACT_OK;
    seen->hits += hit.state == TACT_HIT;
    seen->misses += hit.state == TACT_MISS;
    seen->unbounded += unbounded > 0;
    tact_shape_release(shape);
}

static void rays_hit_meshes_under_nearly_singular_transforms(void **state)
{
    (void)state;
    const char *one = getenv("TACT_TEST_SEED");
    tally seen = {0, 0, 0, 0};
    if (one != NULL) {
        run_case(strtoull(one, NULL, 10), &seen);
        return;
    }
    for (uint64_t seed = 0; seed < CASES; ++seed)
        run_case(seed, &seen);
    print_message("hits %u, misses %u, rejected %u, unbounded %u\n", seen.hits, seen.misses, seen.refused,
                  seen.unbounded);
    assert_true(seen.hits > CASES / 4 && seen.misses > CASES / 100 && seen.unbounded > CASES / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_hit_meshes_under_nearly_singular_transforms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
