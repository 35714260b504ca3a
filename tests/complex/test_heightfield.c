/*
 * Heightfields: the solid below a grid of heights.
 *
 * The oracle evaluates the surface by plain interpolation in the cell and triangle of a point, and knows no mesh, tree
 * or wall: a point is inside if it is above the footprint's rectangle and not above the surface. Distances and depths
 * of shapes come from brute force over all triangles and samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

enum { MOST = 12 };

typedef struct field {
    int n, m;
    double dx, dz;
    double h[MOST * MOST];
    double low, high;
    tact_shape *shape;
} field;

static void make_field(random_source *r, field *f)
{
    f->n = random_between(r, 2, MOST);
    f->m = random_between(r, 2, MOST);
    f->dx = random_range(r, 0.2, 2.0);
    f->dz = random_range(r, 0.2, 2.0);
    f->low = INFINITY;
    f->high = -INFINITY;
    const int kind = random_between(r, 0, 3); /* flat, hills, spikes, a slope */
    for (int i = 0; i < f->n * f->m; i++) {
        const int x = i / f->m, z = i % f->m;
        f->h[i] = kind == 0   ? 0.25
                  : kind == 1 ? random_range(r, -1.0, 1.0)
                  : kind == 2 ? (random_chance(r, 0.1) ? 5.0 : 0.0)
                              : 0.3 * x - 0.2 * z;
        f->low = fmin(f->low, f->h[i]);
        f->high = fmax(f->high, f->h[i]);
    }
    f->shape = tact_heightfield((size_t)f->n, (size_t)f->m, f->dx, f->dz, f->h);
    assert_non_null(f->shape);
    assert_int_equal(tact_shape_get_type(f->shape), TACT_HEIGHTFIELD);
}

/* The height of the surface; NAN outside the footprint. */
static double surface(const field *f, double x, double z)
{
    const double u = x / f->dx, v = z / f->dz;
    if (!(u >= 0.0 && v >= 0.0 && u <= f->n - 1 && v <= f->m - 1))
        return (double)NAN;
    const int i = (int)fmin(floor(u), f->n - 2), j = (int)fmin(floor(v), f->m - 2);
    const double p = u - i, q = v - j;
    const double *h = &f->h[i * f->m + j];
    const double a = h[0], d = h[1], b = h[f->m], c = h[f->m + 1];
    /* the diagonal goes from (i, j) to (i + 1, j + 1) */
    return p >= q ? a + p * (b - a) + q * (c - b) : a + q * (d - a) + p * (c - d);
}

static tact_vec3 random_point(random_source *r, const field *f, double more)
{
    return vec_make(random_range(r, -more, (f->n - 1) * f->dx + more), random_range(r, f->low - more, f->high + more),
                    random_range(r, -more, (f->m - 1) * f->dz + more));
}

static tact_transform random_affine(random_source *r)
{
    const tact_vec3 scale = {random_size(r, -1, 1), random_size(r, -1, 1), random_size(r, -1, 1)};
    return tact_transform_make(vec_make(random_range(r, -9, 9), random_range(r, -9, 9), random_range(r, -9, 9)),
                               random_rotation(r), scale);
}

static void points_below_the_surface_are_inside(void **state)
{
    (void)state;
    int inside = 0, outside = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        field f;
        make_field(&r, &f);
        const tact_transform at = seed % 3 == 0 ? tact_identity() : random_affine(&r);
        for (int k = 0; k < 40; k++) {
            tact_vec3 p = random_point(&r, &f, 0.5);
            if (k % 8 == 0)
                p.y -= random_range(&r, 1.0, 500.0);
            const double gap = p.y - surface(&f, p.x, p.z);
            const bool in = gap <= 0.0; /* false outside */
            if (fabs(gap) < 1e-9)
                continue;
            const tact_vec3 world = tact_transform_point(at, p);
            const tact_overlap o = tact_shape_contains(f.shape, at, world);
            CHECK(o.status == TACT_OK && o.state == (in ? TACT_HIT : TACT_MISS), "point %d: gap %g", k, gap);
            const tact_closest c = tact_shape_closest(f.shape, at, world);
            CHECK(c.status == TACT_OK && (c.distance < 0.0) == in, "signed distance %g", c.distance);
            tact_shape *ball = tact_sphere(1e-3);
            const tact_overlap touch = tact_shapes_overlap(f.shape, at, ball, tact_at(world.x, world.y, world.z), NULL);
            CHECK(fabs(c.distance) < 2e-3 || touch.state == o.state, "a small ball");
            tact_shape_release(ball);
            inside += in;
            outside += !in;
        }
        tact_shape_release(f.shape);
    }
    assert_true(few_cases() || (inside > 2000 && outside > 2000));
}

static void points_far_below_are_contained(void **state)
{
    (void)state;
    const double h[4] = {0, 1, 2, 1};
    tact_shape *s = tact_heightfield(2, 2, 3, 4, h);
    for (double y = -1; y > -4000; y *= 2)
        assert_int_equal(tact_shape_contains(s, tact_identity(), vec_make(1, y, 1)).state, TACT_HIT);
    assert_int_equal(tact_shape_contains(s, tact_identity(), vec_make(3.1, -50, 1)).state, TACT_MISS);
    tact_shape_release(s);
}

static void small_fields_far_up_have_thickness(void **state)
{
    (void)state;
    const double far = 1e12, h[4] = {far, far, far, far};
    tact_shape *s = tact_heightfield(2, 2, 1e-9, 1e-9, h);
    assert_non_null(s);
    assert_int_equal(tact_shape_contains(s, tact_identity(), vec_make(5e-10, nextafter(far, 0), 5e-10)).state,
                     TACT_HIT);
    tact_shape_release(s);
}

/* Vertical rays meet the surface, from above only; slanted ones no earlier than any sample of the oracle. */
static void rays_meet_the_surface(void **state)
{
    (void)state;
    int hits = 0, misses = 0, slanted = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        field f;
        make_field(&r, &f);
        for (int k = 0; k < 20; k++) {
            tact_vec3 p = random_point(&r, &f, 0.3);
            p.y = f.high + random_range(&r, 0.1, 3.0);
            const double h = surface(&f, p.x, p.z);
            const tact_ray_hit hit = tact_shape_ray(f.shape, tact_identity(), p, vec_make(0, -2, 0), INFINITY);
            CHECK(hit.status == TACT_OK && (hit.state == TACT_HIT) == !isnan(h), "height %g", h);
            if (hit.state == TACT_HIT) {
                CHECK(fabs(hit.point.y - h) < 1e-12 && hit.normal.y > 0.0, "hit at %g instead of %g", hit.point.y, h);
                const uint32_t cell = hit.part.face / 2, i = (uint32_t)(p.x / f.dx), j = (uint32_t)(p.z / f.dz);
                CHECK(cell == i * (uint32_t)(f.m - 1) + j, "face %u", hit.part.face);
            }
            hits += hit.state == TACT_HIT;
            misses += hit.state == TACT_MISS;
            const tact_vec3 d = random_direction(&r);
            const tact_ray_hit slant = tact_shape_ray(f.shape, tact_identity(), p, d, 30.0);
            const double until = slant.state == TACT_HIT ? slant.t : 30.0;
            for (int i = 0; i < 500; i++) {
                const tact_vec3 q = vec_mul_add(p, until * i / 500, d);
                CHECK(!(q.y < surface(&f, q.x, q.z) - 1e-9) || q.y < f.low - 500.0, "passed through at %g",
                      until * i / 500);
            }
            slanted += slant.state == TACT_HIT;
        }
        tact_shape_release(f.shape);
    }
    if (!few_cases() && !(hits > 2000 && misses > 400 && slanted > 500))
        fail_msg("%d hits, %d misses, %d slanted", hits, misses, slanted);
}

/* ---- depth ---- */

static double rise_at(const field *f, tact_vec3 c, double radius, double x, double z)
{
    const double square = radius * radius - (x - c.x) * (x - c.x) - (z - c.z) * (z - c.z), h = surface(f, x, z);
    return square >= 0.0 && !isnan(h) ? h - (c.y - sqrt(square)) : -INFINITY;
}

/* The depth of a ball straight up: the least rise that leaves every sample of the surface outside. The samples are a
 * grid and points of all edges. */
static double rise_of_ball(const field *f, tact_vec3 c, double radius)
{
    double rise = -INFINITY;
    enum { STEPS = 120, ON_EDGE = 20 };
    for (int i = 0; i < f->n; i++)
        for (int j = 0; j < f->m; j++)
            for (int k = 0; k < ON_EDGE; k++) {
                rise = fmax(rise, rise_at(f, c, radius, (i + (double)k / ON_EDGE) * f->dx, j * f->dz));
                rise = fmax(rise, rise_at(f, c, radius, i * f->dx, (j + (double)k / ON_EDGE) * f->dz));
                rise = fmax(
                    rise, rise_at(f, c, radius, (i + (double)k / ON_EDGE) * f->dx, (j + (double)k / ON_EDGE) * f->dz));
            }
    for (int i = 0; i <= STEPS; i++)
        for (int j = 0; j <= STEPS; j++) {
            const double x = c.x + radius * (2.0 * i / STEPS - 1.0), z = c.z + radius * (2.0 * j / STEPS - 1.0);
            rise = fmax(rise, rise_at(f, c, radius, x, z));
        }
    return rise;
}

static void bodies_are_pushed_up_or_out_never_down(void **state)
{
    (void)state;
    int deep = 0, shallow = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(160); seed++) {
        random_source r = random_seed(seed);
        field f;
        make_field(&r, &f);
        for (int k = 0; k < 4; k++) {
            const double radius = random_range(&r, 0.1, 0.8);
            tact_vec3 c = random_point(&r, &f, 0.0);
            const double h = surface(&f, c.x, c.z);
            c.y = h + radius * (k < 2 ? random_range(&r, -0.5, 1.5) : random_range(&r, -9.0, 0.0));
            tact_shape *ball = tact_sphere(radius);
            const tact_transform there = tact_at(c.x, c.y, c.z);
            const tact_penetration p = tact_shapes_penetration(f.shape, tact_identity(), ball, there);
            CHECK(p.status == TACT_OK, "status %d", (int)p.status);
            const double rise = rise_of_ball(&f, c, radius);
            if (p.depth > 0.0) {
                CHECK(p.normal.y >= -1e-9, "pushed down: normal %g", p.normal.y);
                CHECK(p.depth <= rise + 0.02 * radius || rise <= 0.0, "depth %g, but %g up is enough", p.depth, rise);
                const tact_vec3 out = vec_mul_add(c, p.depth * (1.0 + 1e-9) + 1e-9, p.normal);
                CHECK(tact_shapes_overlap(f.shape, tact_identity(), ball, tact_at(out.x, out.y, out.z), NULL).state ==
                          TACT_MISS,
                      "depth %g does not separate", p.depth);
                const tact_vec3 in = vec_mul_add(c, p.depth * (1.0 - 1e-6) - 1e-9, p.normal);
                CHECK(p.depth < 1e-6 ||
                          tact_shapes_overlap(f.shape, tact_identity(), ball, tact_at(in.x, in.y, in.z), NULL).state ==
                              TACT_HIT,
                      "depth %g is too much", p.depth);
                const tact_penetration s = tact_shapes_penetration(ball, there, f.shape, tact_identity());
                CHECK(s.depth == p.depth && vec_equal(s.normal, vec_negate(p.normal)), "swapped");
                deep += p.depth > 2.0 * radius;
                shallow += p.depth <= 2.0 * radius;
                tact_contact_point points[32];
                const tact_contacts n = tact_shapes_contacts(f.shape, tact_identity(), ball, there, 0.0, points, 32);
                CHECK(n.status == TACT_OK && n.count > 0, "contacts");
                for (size_t i = 0; i < n.count && i < 32; i++)
                    CHECK(points[i].normal.y >= -1e-9, "contact %zu of %zu: normal %g", i, n.count, points[i].normal.y);
            } else {
                CHECK(rise <= 1e-9, "apart, but %g deep", rise);
            }
            tact_shape_release(ball);
        }
        tact_shape_release(f.shape);
    }
    assert_true(few_cases() || (deep > 40 && shallow > 100));
    /* a ball that reaches through all of the field, from below its bottom, is not pushed down either */
    const double h[4] = {0, 0, 0, 0};
    tact_shape *s = tact_heightfield(2, 2, 1, 1, h), *giant = tact_sphere(3000);
    const tact_penetration p = tact_shapes_penetration(s, tact_identity(), giant, tact_at(0.5, -3990, 0.5));
    assert_true(p.status == TACT_OK && p.depth > 0.0 && p.normal.y >= -1e-9);
    tact_shape_release(s);
    tact_shape_release(giant);
}

/* Deep down next to a wall the way out is horizontal, in any orientation. */
static void bodies_leave_through_walls(void **state)
{
    (void)state;
    const double h[9] = {0, 1, 0, 1, 2, 1, 0, 1, 0};
    tact_shape *s = tact_heightfield(3, 3, 5, 5, h), *ball = tact_sphere(0.5);
    for (uint64_t seed = first_seed(); seed <= last_seed(100); seed++) {
        random_source r = random_seed(seed);
        const tact_transform at = tact_transform_make(vec_make(1, 2, 3), random_rotation(&r), vec_make(1, 1, 1));
        const double inside = random_range(&r, -0.4, 1.0); /* of the centre, from the wall x = 0 */
        const tact_vec3 c =
            tact_transform_point(at, vec_make(inside, random_range(&r, -20, -5), random_range(&r, 3, 7)));
        const tact_penetration p = tact_shapes_penetration(s, at, ball, tact_at(c.x, c.y, c.z));
        CHECK(p.status == TACT_OK && fabs(p.depth - (inside + 0.5)) < 1e-9, "depth %.12g instead of %.12g", p.depth,
              inside + 0.5);
        CHECK(vec_max_abs(vec_add(p.normal, at.x_axis)) < 1e-6, "normal");
    }
    tact_shape_release(s);
    tact_shape_release(ball);
}

/* ---- time ---- */

static void falling_bodies_are_never_late(void **state)
{
    (void)state;
    int hits = 0, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        field f;
        make_field(&r, &f);
        const double radius = random_range(&r, 0.05, 0.5);
        tact_vec3 c = random_point(&r, &f, 0.2);
        c.y = f.high + radius + random_range(&r, 0.1, 2.0);
        tact_motion m = tact_motion_linear(random_range(&r, -2, 2), random_range(&r, -4, 1), random_range(&r, -2, 2));
        m.acceleration.y = random_chance(&r, 0.5) ? -3.0 : 0.0;
        m.spin = vec_scale(random_direction(&r), random_range(&r, 0, 5));
        tact_shape *ball = tact_sphere(radius);
        const double end = 2.0;
        const tact_toi t = tact_shapes_time_of_impact(ball, tact_at(c.x, c.y, c.z), m, f.shape, tact_identity(),
                                                      tact_motion_still(), end);
        CHECK(t.status == TACT_OK, "status");
        for (int i = 0; i <= 60; i++) {
            const double s = t.time * i / 60;
            const tact_vec3 at = vec_add(vec_mul_add(c, s, m.velocity), vec_scale(m.acceleration, 0.5 * s * s));
            CHECK(rise_of_ball(&f, at, radius) <= 1e-9, "inside by %g at %g, before %g", rise_of_ball(&f, at, radius),
                  s, t.time);
        }
        if (t.state == TACT_HIT) {
            const tact_transform then = tact_motion_at(m, tact_at(c.x, c.y, c.z), t.time);
            const tact_distance d = tact_shapes_distance(ball, then, f.shape, tact_identity());
            CHECK(d.distance <= 1e-9, "%g apart at the hit", d.distance);
        }
        hits += t.state == TACT_HIT;
        misses += t.state == TACT_MISS;
        tact_shape_release(ball);
        tact_shape_release(f.shape);
    }
    assert_true(few_cases() || (hits > 60 && misses > 10));
}

/* ---- limits ---- */

static void the_mesh_is_closed(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(40); seed++) {
        random_source r = random_seed(seed);
        field f;
        make_field(&r, &f);
        const tact_mesh_findings c = tact_mesh_check(f.shape);
        CHECK(c.status == TACT_OK && c.closed && !c.inverted && c.inconsistent_edges == 0 &&
                  c.self_intersections == 0 && c.components == 1 && c.degenerate_triangles == 0 &&
                  c.non_manifold_vertices == 0,
              "%d x %d", f.n, f.m);
        const tact_mesh_size size = tact_mesh_get_size(f.shape);
        CHECK(size.vertices >= (size_t)(f.n * f.m), "vertices");
        tact_vec3 points[MOST * MOST];
        (void)tact_shape_get_points(f.shape, points, (size_t)(f.n * f.m));
        for (int i = 0; i < f.n * f.m; i++)
            CHECK(points[i].y == f.h[i] && points[i].x == (i / f.m) * f.dx && points[i].z == (i % f.m) * f.dz,
                  "vertex %d", i);
        tact_shape_release(f.shape);
    }
}

static void memory_per_vertex_is_bounded(void **state)
{
    (void)state;
    enum { N = 129 };
    static float h[N * N];
    for (int i = 0; i < N * N; i++)
        h[i] = (float)(sin(0.1 * (i / N)) + cos(0.2 * (i % N)));
    tact_heightfield_def def = tact_heightfield_def_default();
    def.counts[0] = def.counts[1] = N;
    def.spacing[0] = def.spacing[1] = 0.5;
    def.heights = h;
    def.scalar = TACT_SCALAR_FLOAT;
    tact_shape *s = tact_heightfield_create(&def, NULL);
    assert_non_null(s);
    const double bytes = (double)tact_mesh_get_size(s).bytes / (N * N);
    if (!(bytes <= 150.0))
        fail_msg("%g bytes a vertex", bytes);
    tact_vec3 p;
    (void)tact_shape_get_points(s, &p, 1);
    assert_true(p.y == (double)h[0]);
    tact_shape_release(s);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    double h[6] = {0, 0, 0, 0, 0, 0};
    assert_null(tact_heightfield(1, 6, 1, 1, h));
    assert_null(tact_heightfield(6, 1, 1, 1, h));
    assert_null(tact_heightfield(0, 0, 1, 1, h));
    assert_null(tact_heightfield(2, 3, 1, 1, NULL));
    assert_null(tact_heightfield((size_t)1 << 20, (size_t)1 << 20, 1, 1, h));
    assert_null(tact_heightfield(SIZE_MAX, 2, 1, 1, h));
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 0.0, -1.0, 1e151};
    for (int i = 0; i < 6; i++) {
        assert_null(tact_heightfield(2, 3, bad[i], 1, h));
        assert_null(tact_heightfield(2, 3, 1, bad[i], h));
        h[4] = bad[i];
        tact_shape *made = tact_heightfield(2, 3, 1, 1, h); /* a height may be 0 or negative */
        assert_true((made == NULL) == (i < 3 || i == 5));
        tact_shape_release(made);
        h[4] = 0;
    }
    tact_report report;
    tact_heightfield_def def = tact_heightfield_def_default();
    assert_null(tact_heightfield_create(NULL, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    def.counts[0] = 2;
    def.counts[1] = 3;
    def.spacing[0] = def.spacing[1] = 1;
    def.heights = h;
    def.margin = -1;
    assert_null(tact_heightfield_create(&def, &report));
    def.margin = 0;
    def.scalar = (tact_scalar)7;
    assert_null(tact_heightfield_create(&def, &report));
    def.scalar = TACT_SCALAR_DOUBLE;
    /* every allocation fails once */
    bool done = false;
    for (long k = 1; !done; k++) {
        failing_allocator memory = {.fail_at = k};
        def.allocator = failing_allocator_make(&memory);
        tact_shape *s = tact_heightfield_create(&def, &report);
        done = s != NULL;
        assert_true(done || report.status == TACT_OUT_OF_MEMORY);
        tact_shape_release(s);
        assert_int_equal((int)memory.held, 0);
    }
    tact_shape *s = tact_heightfield(2, 3, 1, 1, h);
    assert_int_equal(tact_mass_from_density(s, tact_identity(), 1.0).status, TACT_BAD_ARGUMENT);
    tact_shape *huge = tact_heightfield(2, 3, 1e140, 1e140, h), *tiny = tact_heightfield(2, 3, 1e-130, 1e-130, h),
               *ball = tact_sphere(1e139);
    assert_true(huge != NULL && tiny != NULL);
    const tact_penetration p = tact_shapes_penetration(huge, tact_identity(), ball, tact_at(5e139, 0, 5e139));
    assert_true(p.status == TACT_OK && fabs(p.depth / 1e139 - 1.0) < 1e-6);
    assert_int_equal(tact_shape_contains(tiny, tact_identity(), vec_make(5e-131, -1e-131, 5e-131)).state, TACT_HIT);
    tact_shape_release(s);
    tact_shape_release(huge);
    tact_shape_release(tiny);
    tact_shape_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_below_the_surface_are_inside),    cmocka_unit_test(points_far_below_are_contained),
        cmocka_unit_test(small_fields_far_up_have_thickness),     cmocka_unit_test(rays_meet_the_surface),
        cmocka_unit_test(bodies_are_pushed_up_or_out_never_down), cmocka_unit_test(bodies_leave_through_walls),
        cmocka_unit_test(falling_bodies_are_never_late),          cmocka_unit_test(the_mesh_is_closed),
        cmocka_unit_test(memory_per_vertex_is_bounded),           cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
