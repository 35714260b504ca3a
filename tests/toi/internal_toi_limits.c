/*
 * Times of impact at limits of toi_constants.h: triangles whose products of edges overflow or underflow, curved bodies
 * with known normals, bodies that are tiny beside their distance from the origin, meshes that slide along each other.
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
#include "toi/arc_toi.h"

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
    assert_true(few_cases() || (hits >= 40 && hits <= 190));
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

/* An edge of a triangle falls across a bar, with the least tolerance: the direction between the closest points has lost
 * most digits, the normal has not. */
static void normals_of_close_hits_are_normals(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 along = random_direction(&r), across = random_direction(&r);
        const tact_vec3 n = vec_normalize(vec_cross(along, across)), at = vec_scale(random_direction(&r), 0.1);
        const tact_transform here = tact_identity();
        tact_shape *bar = tact_segment(vec_sub(at, along), vec_mul_add(at, 0.7, along));
        const tact_vec3 corner[3] = {vec_mul_add(at, -0.6, across), vec_mul_add(at, 0.9, across),
                                     vec_mul_add(vec_mul_add(at, 0.4, along), 1.0, n)};
        linear_path path[3];
        for (int i = 0; i < 3; i++)
            path[i] = (linear_path){.has_velocity = true, .x0 = vec_mul_add(corner[i], 0.5, n), .x1 = vec_negate(n)};
        instance whole;
        arc_body body;
        arc_contact hit;
        const tact_motion still = moving(zero);
        assert_int_equal(tact_instance_make(&whole, bar, &here), TACT_OK);
        assert_int_equal(tact_arc_body_make(&body, &whole, 0, &here, &still, 0.0, NULL), TACT_OK);
        tact_arc_toi(&body, path, 0.0, 1.0, 0.0, &hit);
        const double off = vec_length(vec_sub(hit.normal, n));
        CHECK(hit.status == TACT_OK && hit.state == TACT_HIT && fabs(hit.time - 0.5) <= 1e-12, "time %g", hit.time);
        CHECK(off <= 1e-7, "off by %g", off);
        tact_shape_release(bar);
    }
}

/* A needle that is tiny beside the extent that its transform allows, in a compound: its own extent sets the default
 * tolerance, so that it is met to rounding. */
static void small_bodies_keep_their_tolerance(void **state)
{
    (void)state;
    tact_shape *part = tact_box(1.0, 1.0, 1.0);
    const tact_shape *const boxes[2] = {part, part};
    const tact_transform places[2] = {tact_at(-0.4, 0.0, 0.0), tact_at(0.5, 0.1, 0.0)};
    tact_shape *floor = tact_compound(boxes, places, 2);
    for (uint64_t seed = first_seed(); seed <= last_seed(40); seed++) {
        random_source r = random_seed(seed);
        const tact_vec3 tip = {random_range(&r, 0.5, 1.0), 0.0, 0.0}, thin = {1e-12, 1.0, 1.0};
        tact_shape *needle = tact_segment(tip, vec_make(tip.x, 1e-9, 0.0));
        const tact_shape *const needles[2] = {needle, needle};
        tact_shape *body = tact_compound(needles, NULL, 2);
        const tact_vec3 from = {random_range(&r, -0.2, 0.2), 0.05, 3.0};
        const tact_transform at = tact_transform_make(from, random_rotation(&r), thin);
        const tact_motion turning = {.spin = {0.0, 0.0, 1.0}},
                          falling = {.velocity = {0.0, 0.0, -2.0}, .spin = vec_scale(random_direction(&r), 3.0)};
        const tact_toi hit = tact_shapes_time_of_impact(floor, tact_identity(), turning, body, at, falling, 2.0);
        const tact_distance gap = tact_shapes_distance(floor, tact_motion_at(turning, tact_identity(), hit.time), body,
                                                       tact_motion_at(falling, at, hit.time));
        CHECK(hit.status == TACT_OK && hit.state == TACT_HIT && gap.distance < 1e-12, "met at a distance of %g",
              gap.distance);
        tact_shape_release(body);
        tact_shape_release(needle);
    }
    tact_shape_release(floor);
    tact_shape_release(part);
}

static tact_shape *box_mesh(double x, double y, double z)
{
    static const uint32_t indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tact_vec3 vertices[8];
    for (int i = 0; i < 8; i++)
        vertices[i] = vec_make(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = vertices, .count = 8};
    def.indices = indices;
    def.index_count = 36;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

/* A cube slides along a triangle whose edge is on one of its edges, and sinks into it by less than the tolerance. They
 * only touch, although the triangle has vertices on the surface of the cube, neither inside nor outside. */
static void bodies_that_slide_are_not_inside(void **state)
{
    (void)state;
    tact_shape *cube = box_mesh(1.0, 1.0, 1.0);
    assert_non_null(cube);
    for (uint64_t seed = first_seed(); seed <= last_seed(100); seed++) {
        random_source r = random_seed(seed);
        const double x = random_range(&r, -0.2, 0.2);
        const tact_vec3 velocity = {random_range(&r, -1.0, 1.0), 2e-10, random_range(&r, -1.0, -0.2)};
        const tact_vec3 corner[3] = {{x - 0.25, 1.0, -1.0}, {x + 0.25, 1.0, -1.0}, {x, 1.5, -1.0}};
        tact_shape *triangle = triangle_mesh(corner, 1.0);
        const tact_toi hit = tact_shapes_time_of_impact(triangle, tact_identity(), moving(zero), cube, tact_identity(),
                                                        moving(velocity), 0.2);
        CHECK(hit.status == TACT_OK && hit.state == TACT_MISS, "state %d at %g", (int)hit.state, hit.time);
        tact_shape_release(triangle);
    }
    tact_shape_release(cube);
}

/* Two meshes slide along a wall that they have in common, and a triangle of one falls flat through a triangle of the
 * other: at any time, also just where a window of the search ends. */
static void flat_triangles_do_not_pass_through(void **state)
{
    (void)state;
    static const uint32_t indices[6] = {0, 1, 2, 3, 4, 5};
    static const tact_vec3 fixed[6] = {{0.0, -2.0, -2.0}, {0.0, 2.0, -2.0}, {0.0, 0.0, 2.0},
                                       {0.1, -0.2, 0.0},  {0.5, 0.0, 0.0},  {0.1, 0.2, 0.0}};
    tact_shape *one = tact_mesh(fixed, 6, indices, 2);
    tact_toi_def def = tact_toi_def_default();
    def.end = 1.0;
    def.tolerance = 1e-3;
    const tact_motion falling = {.velocity = {0.0, 0.0, -1.0}, .spin = {1e-4, 0.0, 0.0}};
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        const double h = random_range(&r, 0.1, 0.9);
        const tact_vec3 moved[6] = {{0.0, -0.3, h},  {0.0, 0.3, h},   {0.0, 0.0, h + 0.5},
                                    {0.15, -0.1, h}, {0.45, 0.05, h}, {0.15, 0.2, h}};
        tact_shape *two = tact_mesh(moved, 6, indices, 2);
        const tact_toi hit =
            tact_shapes_time_of_impact_with(one, tact_identity(), moving(zero), two, tact_identity(), falling, &def);
        CHECK(hit.status == TACT_OK && hit.state == TACT_HIT && fabs(hit.time - h) <= 2e-3, "state %d at %g, not %g",
              (int)hit.state, hit.time, h);
        tact_shape_release(two);
    }
    tact_shape_release(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_of_any_size_meet),        cmocka_unit_test(normals_of_hits_are_normals),
        cmocka_unit_test(normals_of_close_hits_are_normals), cmocka_unit_test(small_bodies_keep_their_tolerance),
        cmocka_unit_test(bodies_that_slide_are_not_inside),  cmocka_unit_test(flat_triangles_do_not_pass_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
