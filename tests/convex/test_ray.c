/*
 * Ray casts against an independent oracle: every shape is a convex function, negative inside, in long double. Along a
 * ray it is convex too, so its minimum is found by section and its first root by bisection. The same shapes are then
 * wrapped so that they take the general method, which must agree with the closed forms. A failure
 * prints the seed of its case; TACT_TEST_SEED=n runs that case alone, and TACT_TEST_LONG=1 runs 100,000 of each
 * shape.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/long_form.h"
#include "support/long_vec.h"
#include "support/random.h"
#include "support/vec.h"

#define POINTS 8

/* A shape as the library and as the oracle know it. */
typedef struct subject {
    tact_shape_type type;
    tact_shape *shape;
    tact_transform at;
    double radius, height;
    tact_vec3 size;
    int point_count;
    tact_vec3 points[POINTS];
    int plane_count; /* of a hull, by brute force over triples of vertices */
    vec plane[64];
    real offset[64];
    double margin;
    real stretch;   /* the least scale factor of the transform */
    double largest; /* coordinate of the transformed shape */
} subject;

/* ---- the oracle ------------------------------------------------------------------------------------------------- */

static void find_planes(subject *s)
{
    s->plane_count = 0;
    for (int i = 0; i < s->point_count; i++)
        for (int j = i + 1; j < s->point_count; j++)
            for (int k = j + 1; k < s->point_count; k++) {
                vec a = wide(s->points[i]), n = cross(sub(wide(s->points[j]), a), sub(wide(s->points[k]), a));
                int above = 0, below = 0;
                for (int m = 0; m < s->point_count; m++) {
                    real h = m == i || m == j || m == k ? 0 : dot(n, sub(wide(s->points[m]), a));
                    above += h > 0;
                    below += h < 0;
                }
                if (above > 0 && below > 0)
                    continue;
                n = mul(n, (above > 0 ? -1 : 1) / norm(n));
                assert_true(s->plane_count < 64);
                s->plane[s->plane_count] = n;
                s->offset[s->plane_count++] = dot(n, a);
            }
}

/* Into the shape's own coordinates. */
static vec to_local(const subject *s, vec p)
{
    vec x = wide(s->at.x_axis), y = wide(s->at.y_axis), z = wide(s->at.z_axis), r = sub(p, wide(s->at.origin));
    real det = dot(x, cross(y, z));
    return (vec){dot(r, cross(y, z)) / det, dot(r, cross(z, x)) / det, dot(r, cross(x, y)) / det};
}

static real segment_distance(vec p, vec a, vec b)
{
    vec d = sub(b, a);
    real t = dot(d, d) > 0 ? dot(sub(p, a), d) / dot(d, d) : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return norm(sub(p, add(a, mul(d, t))));
}

/* Negative inside, positive outside, convex. In local units, but with a margin in world units. */
static real outside(const subject *s, vec world)
{
    if (s->margin > 0) {
        /* a rotated box with a margin: the distance from the box */
        vec p = to_local(s, world);
        real x = fmaxl(fabsl(p.x) - (real)s->size.x / 2, 0), y = fmaxl(fabsl(p.y) - (real)s->size.y / 2, 0);
        real z = fmaxl(fabsl(p.z) - (real)s->size.z / 2, 0);
        return norm((vec){x, y, z}) * s->stretch - (real)s->margin;
    }
    vec p = to_local(s, world);
    real r = (real)s->radius, h = (real)s->height / 2;
    switch (s->type) {
    case TACT_SPHERE:
        return norm(p) - r;
    case TACT_BOX:
        return fmaxl(fabsl(p.x) - (real)s->size.x / 2,
                     fmaxl(fabsl(p.y) - (real)s->size.y / 2, fabsl(p.z) - (real)s->size.z / 2));
    case TACT_CAPSULE:
        return segment_distance(p, (vec){0, -h, 0}, (vec){0, h, 0}) - r;
    case TACT_CYLINDER:
        return fmaxl(sqrtl(p.x * p.x + p.z * p.z) - r, fabsl(p.y) - h);
    case TACT_CONE:
        return fmaxl(sqrtl(p.x * p.x + p.z * p.z) - r * (h - p.y) / (2 * h), -h - p.y);
    case TACT_ELLIPSOID:
        return (norm((vec){p.x / (real)s->size.x, p.y / (real)s->size.y, p.z / (real)s->size.z}) - 1) *
               (real)fmin(s->size.x, fmin(s->size.y, s->size.z));
    default: {
        real most = -INFINITY;
        for (int i = 0; i < s->plane_count; i++)
            most = fmaxl(most, dot(s->plane[i], p) - s->offset[i]);
        return most;
    }
    }
}

typedef struct verdict {
    real lowest, when; /* of the function along the ray */
    real first;        /* the first root, if the lowest is negative and the start is outside */
} verdict;

static verdict look_along(const subject *s, vec from, vec along, real far_end)
{
    const real ratio = 0.6180339887498948482L;
    real lo = 0, hi = far_end, x = hi - ratio * (hi - lo), y = lo + ratio * (hi - lo);
    real fx = outside(s, add(from, mul(along, x))), fy = outside(s, add(from, mul(along, y)));
    for (int i = 0; i < 150; i++) {
        if (fx < fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - ratio * (hi - lo);
            fx = outside(s, add(from, mul(along, x)));
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + ratio * (hi - lo);
            fy = outside(s, add(from, mul(along, y)));
        }
    }
    verdict out = {fminl(fx, fy), (lo + hi) / 2, 0};
    if (out.lowest < 0) {
        lo = 0;
        hi = out.when;
        for (int i = 0; i < 120; i++) {
            real mid = (lo + hi) / 2;
            if (outside(s, add(from, mul(along, mid))) > 0)
                lo = mid;
            else
                hi = mid;
        }
        out.first = hi;
    }
    return out;
}

/* ---- random cases ----------------------------------------------------------------------------------------------- */

static const tact_shape_type TYPES[] = {TACT_SPHERE, TACT_BOX,       TACT_CAPSULE,     TACT_CYLINDER,
                                        TACT_CONE,   TACT_ELLIPSOID, TACT_TETRAHEDRON, TACT_HULL};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static void make_subject(random_source *r, tact_shape_type type, subject *s)
{
    *s = (subject){.type = type};
    s->radius = random_range(r, 0.05, 1.0);
    s->height = random_range(r, 0.05, 3.0);
    s->size = tact_vec(random_range(r, 0.05, 2.0), random_range(r, 0.05, 2.0), random_range(r, 0.05, 2.0));
    s->point_count = type == TACT_TETRAHEDRON ? 4 : type == TACT_HULL ? random_between(r, 5, POINTS) : 0;
    for (int i = 0; i < s->point_count; i++)
        s->points[i] = vec_scale(random_direction(r), random_range(r, 0.3, 1.0));
    find_planes(s);
    double size = ldexp(1.0, random_between(r, -20, 20));
    tact_vec3 scale = {size, size, size};
    bool uneven = random_chance(r, 0.5);
    s->margin = type == TACT_BOX && random_chance(r, 0.3) ? size * random_range(r, 0.01, 1.0) : 0.0;
    if (uneven && !(s->margin > 0.0))
        scale = tact_vec(size * random_range(r, 0.1, 1.0), size * random_range(r, 0.1, 1.0),
                         -size * random_range(r, 0.1, 1.0));
    s->at = tact_transform_make(vec_scale(random_direction(r), size * random_range(r, 0.0, 5.0)), random_rotation(r),
                                scale);
    s->stretch = (real)fmin(fabs(scale.x), fmin(fabs(scale.y), fabs(scale.z)));
    s->largest = 5.0 * size + 4.0 * size + s->margin;
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    def.radius = s->radius;
    def.height = s->height;
    def.size = s->size;
    def.points = s->points;
    def.point_count = (size_t)s->point_count;
    def.margin = s->margin;
    tact_report report;
    s->shape = tact_shape_create(&def, &report);
    if (s->shape == NULL)
        fail_msg("%s", report.text);
}

typedef struct tally {
    int hit, miss, inside, grazing, limited;
} tally;

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("TACT_TEST_SEED=%llu type %d: %s: ", (unsigned long long)seed, (int)s.type, #condition);       \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

static void run_case(uint64_t seed, tally *seen)
{
    random_source source = random_seed(seed), *r = &source;
    subject s;
    make_subject(r, TYPES[seed % TYPE_COUNT], &s);
    double away = s.largest * (random_chance(r, 0.1) ? 1000.0 : random_chance(r, 0.2) ? 0.03 : 1.0);
    tact_vec3 from = vec_mul_add(s.at.origin, away, random_direction(r));
    tact_vec3 target = vec_mul_add(s.at.origin, (double)s.stretch * random_range(r, 0.0, 2.0), random_direction(r));
    tact_vec3 direction =
        vec_scale(vec_sub(target, from), ldexp(random_range(r, 0.5, 1.0), random_between(r, -30, 30)));
    double max = random_chance(r, 0.8)
                     ? INFINITY
                     : 1.0 / random_range(r, 0.1, 3.0) * vec_length(vec_sub(target, from)) / vec_length(direction);
    vec start = wide(from), along = wide(direction);
    real length = norm(along), far_end = (2 * (real)away + 20 * (real)s.largest) / length;
    double coordinates = fmax(s.largest, vec_length(vec_sub(from, s.at.origin)));
    real band = 1e-12L * (real)coordinates / s.stretch * (s.margin > 0.0 ? s.stretch : 1);
    if (random_chance(r, 0.3)) {
        /* Grazing: move the ray's target so that the minimum is close to the surface. */
        verdict v = look_along(&s, start, along, far_end);
        vec centre = wide(s.at.origin), near = add(start, mul(along, v.when));
        real lo = 0, hi = 4;
        for (int i = 0; i < 60; i++) {
            real mid = (lo + hi) / 2;
            vec aim = sub(add(centre, mul(sub(near, centre), mid)), start);
            *(look_along(&s, start, aim, far_end * length / norm(aim)).lowest < 0 ? &lo : &hi) = mid;
            if (i == 12 && random_chance(r, 0.5))
                break;
        }
        vec aim = sub(add(centre, mul(sub(near, centre), (lo + hi) / 2)), start);
        direction = tact_vec((double)aim.x, (double)aim.y, (double)aim.z);
        if (!(vec_max_abs(direction) > 0.0))
            direction = tact_vec(1.0, 0.0, 0.0);
        along = wide(direction);
        length = norm(along);
        far_end = (2 * (real)away + 20 * (real)s.largest) / length;
        max = INFINITY;
    }
    verdict v = look_along(&s, start, along, far_end);
    real at_start = outside(&s, start);
    tact_ray_hit got = tact_shape_ray(s.shape, s.at, from, direction, max);
    CHECK(got.status == TACT_OK, "status %d", (int)got.status);
    CHECK(vec_finite(got.point) && vec_finite(got.normal) && got.t == got.t, "not finite");
    seen->grazing += fabsl(v.lowest) < 1e-4L;
    if (at_start < -band) {
        CHECK(got.state == TACT_HIT && got.t == 0.0 && vec_length(got.normal) == 0.0, "inside: state %d t %g",
              (int)got.state, got.t);
        seen->inside++;
    } else if (at_start > band && v.lowest < -band && v.first < (real)max * (1 - 1e-9L)) {
        CHECK(got.state == TACT_HIT, "missed: %Lg inside, at %Lg of max %g", -v.lowest, v.first, max);
        real there = outside(&s, add(start, mul(along, (real)got.t)));
        CHECK(fabsl(there) <= band, "off the surface by %Lg, band %Lg", there, band);
        CHECK((real)got.t <= v.when * (1 + 1e-12L), "left, not entered");
        vec error = sub(wide(got.point), add(start, mul(along, (real)got.t)));
        CHECK(norm(error) <= 1e-14L * (real)coordinates * 10, "point is not from + t direction by %Lg", norm(error));
        CHECK(fabsl(norm(wide(got.normal)) - 1) < 1e-14L, "normal of length %Lg", norm(wide(got.normal)));
        CHECK(dot(wide(got.normal), along) <= 1e-7L * length, "normal along the ray");
        tact_vec3 support;
        assert_int_equal(tact_shape_support(s.shape, s.at, got.normal, &support), TACT_OK);
        double over = vec_dot(got.normal, vec_sub(support, got.point));
        CHECK(over <= 1e-9 * coordinates, "the normal is not the surface's: %g of %g", over, s.largest);
        seen->hit++;
    } else if (at_start > band && (v.lowest > band || v.first > (real)max * (1 + 1e-9L))) {
        CHECK(got.state == TACT_MISS, "invented: %Lg outside", v.lowest);
        seen->miss++;
        seen->limited += v.lowest < 0;
    }
    /* The general method: a Minkowski sum with a point has no closed form. */
    tact_shape *nothing = tact_point(tact_vec(0.0, 0.0, 0.0)),
               *plain = s.margin > 0.0 ? tact_rounded(s.shape, 0.0) : tact_shape_retain(s.shape);
    tact_shape *sum = tact_minkowski_sum(plain, nothing), *wrapped = tact_rounded(sum, s.margin);
    tact_ray_hit general = tact_shape_ray(wrapped, s.at, from, direction, max);
    CHECK(general.status == TACT_OK, "general: status %d", (int)general.status);
    if (fabsl(v.lowest) > band && fabsl(at_start) > band && fabsl(v.first - (real)max) > 1e-9L * (real)max) {
        CHECK(general.state == got.state, "general: state %d, not %d; lowest %Lg", (int)general.state, (int)got.state,
              v.lowest);
        if (got.state == TACT_HIT && got.t > 0.0) {
            real there = outside(&s, add(start, mul(along, (real)general.t)));
            CHECK(fabsl(there) <= band, "general: off the surface by %Lg, band %Lg", there, band);
            tact_vec3 support;
            assert_int_equal(tact_shape_support(s.shape, s.at, general.normal, &support), TACT_OK);
            double over = vec_dot(general.normal, vec_sub(support, general.point));
            CHECK(over <= 1e-8 * coordinates, "general: the normal is not the surface's: %g of %g", over, s.largest);
        }
    }
    tact_shape_release(nothing);
    tact_shape_release(plain);
    tact_shape_release(sum);
    tact_shape_release(wrapped);
    tact_shape_release(s.shape);
}

static void random_rays_hit_where_the_oracle_says(void **state)
{
    (void)state;
    tally seen = {0};
    const char *one = getenv("TACT_TEST_SEED");
    if (one != NULL) {
        run_case(strtoull(one, NULL, 10), &seen);
        return;
    }
    int count = TYPE_COUNT * (int)random_case_count(100, 100000);
    for (int i = 0; i < count; i++)
        run_case((uint64_t)i, &seen);
    print_message("hit %d miss %d inside %d grazing %d beyond max %d\n", seen.hit, seen.miss, seen.inside, seen.grazing,
                  seen.limited);
    assert_true(seen.hit > count / 5);
    assert_true(seen.miss > count / 10);
    assert_true(seen.inside > count / 200);
    assert_true(seen.grazing > count / 20);
    assert_true(seen.limited > count / 100);
}

/* ---- by hand ---------------------------------------------------------------------------------------------------- */

static tact_ray_hit shoot(tact_shape *shape, tact_vec3 from, tact_vec3 direction)
{
    tact_ray_hit hit = tact_shape_ray(shape, tact_identity(), from, direction, INFINITY);
    tact_shape_release(shape);
    assert_int_equal(hit.status, TACT_OK);
    return hit;
}

static void assert_hit(tact_ray_hit hit, double t, tact_vec3 normal)
{
    assert_int_equal(hit.state, TACT_HIT);
    assert_true(fabs(hit.t - t) < 1e-13 * (1.0 + t));
    assert_true(vec_length(vec_sub(hit.normal, normal)) < 1e-9);
}

static void flat_shapes_are_hit_against_the_ray(void **state)
{
    (void)state;
    tact_vec3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 1, 0}, d = {1, 1, 0};
    tact_vec3 square[4] = {a, b, d, c}, up = {0, 0, 1}, down = {0, 0, -1};
    assert_hit(shoot(tact_triangle(a, b, c), tact_vec(0.2, 0.2, 3), down), 3.0, up);
    assert_hit(shoot(tact_triangle(a, b, c), tact_vec(0.2, 0.2, -3), up), 3.0, down);
    assert_int_equal(shoot(tact_triangle(a, b, c), tact_vec(0.9, 0.9, 3), down).state, TACT_MISS);
    assert_hit(shoot(tact_polygon(square, 4), tact_vec(0.9, 0.9, 3), vec_scale(down, 2.0)), 1.5, up);
    assert_hit(shoot(tact_triangle(a, b, c), tact_vec(-1, 0.25, 0), b), 1.0, tact_vec(-1, 0, 0)); /* in its plane */
    assert_hit(shoot(tact_box(2, 2, 0), tact_vec(0.5, 0.5, -2), up), 2.0, down);
    assert_hit(shoot(tact_segment(a, b), tact_vec(0.5, 0, 2), down), 2.0, up);
    assert_hit(shoot(tact_segment(a, b), tact_vec(-2, 0, 0), b), 2.0, tact_vec(-1, 0, 0));
    assert_hit(shoot(tact_point(a), tact_vec(0, 0, 2), down), 2.0, up);
    assert_hit(shoot(tact_sphere(0), tact_vec(0, 0, 2), down), 2.0, up);
    assert_int_equal(shoot(tact_point(a), tact_vec(0, 1e-9, 2), down).state, TACT_MISS);
    tact_ray_hit on = shoot(tact_triangle(a, b, c), tact_vec(0.25, 0.25, 0), down);
    assert_int_equal(on.state, TACT_HIT);
    assert_true(on.t == 0.0 && vec_length(on.normal) == 0.0);
    /* zero sizes of every kind answer */
    (void)shoot(tact_cylinder(0, 0), tact_vec(1, 1, 1), tact_vec(-1, -1, -1));
    (void)shoot(tact_cone(0, 1), tact_vec(1, 0, 0), tact_vec(-1, 0, 0));
    (void)shoot(tact_cone(1, 0), tact_vec(0, 1, 0), tact_vec(0, -1, 0));
    (void)shoot(tact_ellipsoid(1, 0, 1), tact_vec(0, 1, 0), tact_vec(0, -1, 0));
    (void)shoot(tact_capsule(0, 0), tact_vec(0, 1, 0), tact_vec(0, -1, 0));
}

static void caps_and_apex_are_hit(void **state)
{
    (void)state;
    tact_vec3 up = {0, 1, 0}, down = {0, -1, 0};
    assert_hit(shoot(tact_cylinder(1, 2), tact_vec(0.5, 3, 0), down), 2.0, up);
    assert_hit(shoot(tact_cylinder(1, 2), tact_vec(3, 0.5, 0), tact_vec(-1, 0, 0)), 2.0, tact_vec(1, 0, 0));
    assert_hit(shoot(tact_cone(1, 2), tact_vec(0.5, -3, 0), up), 2.0, down);
    assert_hit(shoot(tact_cone(1, 2), tact_vec(0, 5, 0), down), 4.0, up); /* the apex */
    tact_vec3 slant = vec_normalize(tact_vec(2, 1, 0));
    assert_hit(shoot(tact_cone(1, 2), tact_vec(3, 0, 0), tact_vec(-1, 0, 0)), 2.5, slant);
    assert_hit(shoot(tact_cone(1, 2), tact_vec(0.5, 3, 0), down), 3.0, slant);
    assert_hit(shoot(tact_capsule(1, 2), tact_vec(0, 5, 0), down), 3.0, up);
    assert_hit(shoot(tact_capsule(1, 2), tact_vec(5, 0.5, 0), tact_vec(-1, 0, 0)), 4.0, tact_vec(1, 0, 0));
    /* along a generator of the cone: it only grazes, but must not fail */
    (void)shoot(tact_cone(1, 2), tact_vec(-1, 3, 0), tact_vec(1, -2, 0));
}

/* Whether the shadow of a shape along a coordinate axis contains the point (u, v) of the other two coordinates. */
static bool in_shadow(tact_shape_type type, int axis, double x, double y, double z)
{
    const double r = type == TACT_ELLIPSOID ? 0.0 : hypot(axis == 0 ? 0.0 : x, axis == 2 ? 0.0 : z);
    switch (type) {
    case TACT_CYLINDER:
        return r <= 1.0 && (axis == 1 || fabs(y) <= 1.0);
    case TACT_CAPSULE:
        return axis == 1 ? r <= 1.0 : hypot(r, fmax(fabs(y) - 1.0, 0.0)) <= 1.0;
    case TACT_CONE:
        return axis == 1 ? r <= 1.0 : r <= 0.5 * (1.0 - y) && y >= -1.0;
    case TACT_BOX:
        return (axis == 0 || fabs(x) <= 1.0) && (axis == 1 || fabs(y) <= 1.0) && (axis == 2 || fabs(z) <= 1.0);
    default:
        return (axis == 0 ? 0.0 : x * x) + (axis == 1 ? 0.0 : y * y) + (axis == 2 ? 0.0 : z * z) <= 1.0;
    }
}

/* Rays parallel to an axis of the shape, from both sides, towards it and away from it. */
static void rays_along_the_axes_hit_the_shadow(void **state)
{
    (void)state;
    static const tact_shape_type types[] = {TACT_CYLINDER, TACT_CAPSULE, TACT_CONE, TACT_BOX, TACT_ELLIPSOID};
    static const tact_vec3 scales[] = {{1, 1, 1}, {2, 2, 2}, {1, 3, 1}, {0.5, 2, 4}};
    int hits = 0, misses = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t k = 0; k < 4; k++) {
            tact_shape_def def = tact_shape_def_default();
            def.type = types[i];
            def.radius = 1.0;
            def.height = 2.0;
            def.size = types[i] == TACT_BOX ? tact_vec(2, 2, 2) : tact_vec(1, 1, 1);
            tact_shape *shape = tact_shape_create(&def, NULL);
            const tact_vec3 scale = scales[k];
            const tact_transform at = tact_transform_make(tact_vec(0, 0, 0), (tact_quat){0, 0, 0, 1}, scale);
            for (int n = 0; n < 6 * 49; n++) {
                const int axis = n % 3;
                const double side = n % 6 < 3 ? 1.0 : -1.0, u = 0.61 * (n / 6 % 7 - 3) + 0.02,
                             v = 0.61 * (n / 42 - 3) - 0.03;
                const tact_vec3 p = {axis == 0 ? 9.0 * side : u,
                                     axis == 1   ? 9.0 * side
                                     : axis == 0 ? u
                                                 : v,
                                     axis == 2 ? 9.0 * side : v};
                const tact_vec3 from = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
                const tact_vec3 towards = {axis == 0 ? -side : 0.0, axis == 1 ? -side : 0.0, axis == 2 ? -side : 0.0};
                const tact_vec3 away = {-towards.x, -towards.y, -towards.z};
                const bool expected = in_shadow(types[i], axis, p.x, p.y, p.z);
                const tact_ray_hit hit = tact_shape_ray(shape, at, from, towards, INFINITY);
                if (hit.status != TACT_OK || (hit.state == TACT_HIT) != expected || (expected && !(hit.t > 1.0)))
                    fail_msg("type %d, scale %zu, ray %d: state %d, t %g", (int)types[i], k, n, (int)hit.state, hit.t);
                assert_int_equal(tact_shape_ray(shape, at, from, away, INFINITY).state, TACT_MISS);
                hits += expected;
                misses += !expected;
            }
            tact_shape_release(shape);
        }
    assert_true(hits > 1000 && misses > 1000);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    tact_shape *ball = tact_sphere(1);
    tact_transform flat = tact_identity();
    flat.x_axis = tact_vec(0, 0, 0);
    const tact_vec3 o = {0, 0, 3}, d = {0, 0, -1}, nan = {NAN, 0, 0}, inf = {INFINITY, 0, 0}, zero = {0, 0, 0};
    const struct {
        const tact_shape *shape;
        tact_transform at;
        tact_vec3 from, direction;
        double max;
    } bad[] = {{NULL, tact_identity(), o, d, 1},   {ball, flat, o, d, 1},
               {ball, tact_identity(), nan, d, 1}, {ball, tact_identity(), inf, d, 1},
               {ball, tact_identity(), o, nan, 1}, {ball, tact_identity(), o, zero, 1},
               {ball, tact_identity(), o, inf, 1}, {ball, tact_identity(), o, d, -1},
               {ball, tact_identity(), o, d, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tact_ray_hit hit = tact_shape_ray(bad[i].shape, bad[i].at, bad[i].from, bad[i].direction, bad[i].max);
        assert_int_equal(hit.status, TACT_BAD_ARGUMENT);
        assert_int_equal(hit.state, TACT_UNKNOWN);
    }
    assert_int_equal(tact_shape_ray(ball, tact_identity(), o, d, 0.0).state, TACT_MISS);
    assert_int_equal(tact_shape_ray(ball, tact_identity(), o, d, 2.0).state, TACT_HIT);
    assert_int_equal(tact_shape_ray(ball, tact_identity(), o, vec_scale(d, 1e-300), INFINITY).state, TACT_HIT);
    assert_int_equal(tact_shape_ray(ball, tact_identity(), o, vec_scale(d, 1e300), INFINITY).state, TACT_HIT);
    tact_shape_release(ball);
}

static tact_vec3 wild_vec(random_source *r, int most)
{
    int middle = random_between(r, -most, most);
    return tact_vec(random_size(r, middle - 3, middle + 3),
                    random_chance(r, 0.2) ? 0.0 : random_size(r, middle - 3, middle + 3),
                    random_size(r, middle - 3, middle + 3));
}

/* Sizes, transforms and rays of any magnitude: the answer has no NaN. */
static void extreme_numbers_get_an_answer(void **state)
{
    (void)state;
    int ok = 0, hits = 0;
    for (int i = 0; i < 8000; i++) {
        random_source source = random_seed((uint64_t)i), *r = &source;
        int most = i % 3 == 0 ? 20 : i % 3 == 1 ? 150 : 1000;
        double x = fabs(random_size(r, -most, most)), y = fabs(random_size(r, -most, most)),
               z = fabs(random_size(r, -most, most));
        tact_shape *shapes[8] = {
            tact_sphere(x),
            tact_box(x, y, z),
            tact_capsule(x, y),
            tact_cylinder(x, y),
            tact_cone(x, y),
            tact_ellipsoid(x, y, z),
            tact_triangle(wild_vec(r, most), wild_vec(r, most), wild_vec(r, most)),
            tact_tetrahedron(wild_vec(r, most), wild_vec(r, most), wild_vec(r, most), wild_vec(r, most))};
        tact_transform at = tact_transform_make(wild_vec(r, most), random_rotation(r),
                                                tact_vec(random_size(r, -5, 5), 1, random_size(r, -20, 20)));
        tact_vec3 from = wild_vec(r, most),
                  direction = random_chance(r, 0.5) ? vec_sub(at.origin, from) : wild_vec(r, most);
        tact_ray_hit hit = tact_shape_ray(shapes[i % 8], at, from, direction, random_chance(r, 0.5) ? INFINITY : 1.0);
        tact_closest near = tact_shape_closest(shapes[i % 8], at, from);
        tact_overlap in = tact_shape_contains(shapes[i % 8], at, from);
        if (!vec_finite(hit.point) || !vec_finite(hit.normal) || hit.t - hit.t != 0.0 || !vec_finite(near.point) ||
            !vec_finite(near.normal) || near.distance - near.distance != 0.0 ||
            (hit.state != TACT_UNKNOWN) != (hit.status == TACT_OK) ||
            (in.state != TACT_UNKNOWN) != (in.status == TACT_OK))
            fail_msg("case %d: status %d, %d, %d", i, (int)hit.status, (int)near.status, (int)in.status);
        ok += hit.status == TACT_OK;
        hits += hit.state == TACT_HIT;
        for (int k = 0; k < 8; k++)
            tact_shape_release(shapes[k]);
    }
    print_message("answered %d, hit %d\n", ok, hits);
    assert_true(ok > 4000 && hits > 800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rays_hit_where_the_oracle_says),
        cmocka_unit_test(flat_shapes_are_hit_against_the_ray),
        cmocka_unit_test(caps_and_apex_are_hit),
        cmocka_unit_test(rays_along_the_axes_hit_the_shadow),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(extreme_numbers_get_an_answer),
    };
    return cmocka_run_group_tests_name("ray", tests, NULL, NULL);
}
