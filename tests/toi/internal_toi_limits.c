/*
 * Times of impact at limits of toi_constants.h: triangles whose products of edges overflow or underflow, curved bodies
 * with known normals.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <tact/mesh.h>
#include <tact/query.h>
#include <tact/shape.h>

#include "math/vec.h"
#include "support/random.h"
#include "support/seeded_cases.h"

static tact_transform placed(tact_vec3 origin)
{
    tact_transform t = tact_identity();
    t.origin = origin;
    return t;
}

static const tact_vec3 zero = {0.0, 0.0, 0.0};

static tact_motion moving(tact_vec3 velocity) { return (tact_motion){.velocity = velocity}; }

static tact_shape *triangle_mesh(const tact_vec3 corner[3], double scale)
{
    static const uint32_t indices[3] = {0, 1, 2};
    const tact_vec3 vertices[3] = {vec_scale(corner[0], scale), vec_scale(corner[1], scale),
                                   vec_scale(corner[2], scale)};
    return tact_mesh(vertices, 3, indices, 1);
}

/* Triangles of any size meet when those of size 1 do: powers of two scale exactly. */
static void triangles_of_any_size_meet(void **state)
{
    (void)state;
    static const int exponents[] = {-380, -260, -220, -190, 190, 220, 250, 380};
    int hits = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        tact_vec3 a[3], b[3];
        for (int i = 0; i < 3; ++i) {
            a[i] = random_direction(&r);
            b[i] = random_direction(&r);
        }
        const tact_vec3 from = vec_scale(random_direction(&r), 3.0),
                        velocity = vec_add(vec_scale(from, -2.0), random_direction(&r)),
                        acceleration = random_direction(&r);
        tact_toi near = {.time = 0.0};
        for (size_t i = 0; i <= sizeof exponents / sizeof exponents[0]; ++i) {
            const double s = i == 0 ? 1.0 : ldexp(1.0, exponents[i - 1]);
            tact_shape *one = triangle_mesh(a, s), *two = triangle_mesh(b, s);
            const tact_motion path = {.velocity = vec_scale(velocity, s), .acceleration = vec_scale(acceleration, s)};
            const tact_toi found = tact_shapes_time_of_impact(one, tact_identity(), moving(zero), two,
                                                              placed(vec_scale(from, s)), path, 1.0);
            tact_shape_release(one);
            tact_shape_release(two);
            near = i == 0 ? found : near;
            CHECK(found.status == TACT_OK && found.state == near.state && fabs(found.time - near.time) <= 1e-8,
                  "size %g: state %d at %g, not %d at %g", s, (int)found.state, found.time, (int)near.state, near.time);
        }
        hits += near.state == TACT_HIT;
    }
    assert_true(one_seed() || (hits >= 40 && hits <= 190));
}

static const tact_vec3 semi_axes = {1.0, 2.0, 3.0};

static tact_vec3 ellipsoid_support(void *context, tact_vec3 d)
{
    (void)context;
    const tact_vec3 scaled = {semi_axes.x * d.x, semi_axes.y * d.y, semi_axes.z * d.z};
    const double length = vec_length(scaled);
    return vec_make(semi_axes.x * scaled.x / length, semi_axes.y * scaled.y / length, semi_axes.z * scaled.z / length);
}

/* A body moves onto a curved body along the normal of the point that it meets. */
static void normals_of_hits_are_normals(void **state)
{
    (void)state;
    tact_shape *curved = tact_custom(ellipsoid_support, NULL, 3.0),
               *other_body = tact_custom(ellipsoid_support, NULL, 3.0);
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 n = random_direction(&r), foot = ellipsoid_support(NULL, n);
        const tact_vec3 other = ellipsoid_support(NULL, vec_negate(n));
        const tact_vec3 at = vec_sub(vec_mul_add(foot, 1.0, n), other);
        tact_toi_def def = tact_toi_def_default();
        def.end = 2.0;
        def.tolerance = 1e-6;
        const tact_toi hit = tact_shapes_time_of_impact_with(curved, tact_identity(), moving(zero), other_body,
                                                             placed(at), moving(vec_negate(n)), &def);
        const double off = vec_length(vec_sub(hit.normal, n));
        CHECK(hit.status == TACT_OK && hit.state == TACT_HIT && fabs(hit.time - 1.0) <= 1e-6, "time %g", hit.time);
        CHECK(off <= 1e-4, "off by %g", off);
    }
    tact_shape_release(curved);
    tact_shape_release(other_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_of_any_size_meet),
        cmocka_unit_test(normals_of_hits_are_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
