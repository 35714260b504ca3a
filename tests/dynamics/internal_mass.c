/* Mass, centre and inertia of single shapes: against long double quadrature, under random affine transforms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "dynamics/moments.h"
#include "oracle/dice.h"
#include "oracle/mass.h"
#include "support/seeded_cases.h"

static const real_number QUARTER = 1.57079632679489661923132169163975144L; /* turn, in radians */

/* ---- placements ------------------------------------------------------------------------------------------------- */

static tact_vec3 some_vec(dice *d, double size)
{
    return tact_vec(dice_between(d, -size, size), dice_between(d, -size, size), dice_between(d, -size, size));
}

static tact_quat some_turn(dice *d)
{
    return (tact_quat){dice_normal(d), dice_normal(d), dice_normal(d), dice_normal(d)};
}

static double some_sign(dice *d) { return dice_pick(d, 2) == 0 ? 1.0 : -1.0; }

/* Rotated, mirrored or not, and moved. */
static tact_transform some_rigid(dice *d)
{
    return tact_transform_make(some_vec(d, 3.0), some_turn(d), tact_vec(1, 1, some_sign(d)));
}

/* Any affine map: turned, stretched by up to 30 either way, and turned again, which shears. */
static tact_transform some_affine(dice *d)
{
    tact_vec3 scale = tact_vec(dice_power(d, -0.75, 0.75), dice_power(d, -0.75, 0.75), dice_power(d, -0.75, 0.75));
    scale.x *= some_sign(d);
    tact_transform inner = tact_transform_make(tact_vec(0, 0, 0), some_turn(d), tact_vec(1, 1, 1));
    return tact_transform_compose(tact_transform_make(some_vec(d, 3.0), some_turn(d), scale), inner);
}

/* ---- closed forms ----------------------------------------------------------------------------------------------- */

enum { MIRRORED, PLAIN, COUNTERS };

static oracle_profile line(real_number y0, real_number r0, real_number y1, real_number r1)
{
    return (oracle_profile){.y0 = y0, .r0 = r0, .y1 = y1, .r1 = r1};
}

static oracle_profile arc(real_number y, real_number r, real_number radius, real_number from, real_number to)
{
    return (oracle_profile){.centre_y = y, .centre_r = r, .radius = radius, .from = from, .to = to};
}

/* The profile of a sphere, capsule, cylinder or cone, with a margin. */
static int profile_of(tact_shape_type type, double r, double height, double margin, oracle_profile p[5])
{
    real_number h = 0.5L * height, m = margin;
    switch (type) {
    case TACT_SPHERE:
        p[0] = arc(0, 0, r + m, -QUARTER, QUARTER);
        return 1;
    case TACT_CAPSULE:
        p[0] = arc(-h, 0, r + m, -QUARTER, 0);
        p[1] = line(-h, r + m, h, r + m);
        p[2] = arc(h, 0, r + m, 0, QUARTER);
        return 3;
    case TACT_CYLINDER:
        p[0] = line(-h - m, 0, -h - m, r);
        p[1] = arc(-h, r, m, -QUARTER, 0);
        p[2] = line(-h, r + m, h, r + m);
        p[3] = arc(h, r, m, 0, QUARTER);
        p[4] = line(h + m, r, h + m, 0);
        break;
    default: { /* cone: its side leans by the angle whose tangent is r / height */
        real_number lean = atan2l(r, height);
        p[0] = line(-h - m, 0, -h - m, r);
        p[1] = arc(-h, r, m, -QUARTER, lean);
        p[2] = line(-h + m * sinl(lean), r + m * cosl(lean), h + m * sinl(lean), m * cosl(lean));
        p[3] = arc(h, 0, m, lean, QUARTER);
        p[4] = line(0, 0, 0, 0);
    }
    }
    for (int i = 1; i < 4 && !(m > 0.0L); i += 2)
        p[i] = line(0, 0, 0, 0);
    return 5;
}

static tact_shape *make_turned(tact_shape_type type, double r, double height)
{
    return type == TACT_SPHERE     ? tact_sphere(r)
           : type == TACT_CAPSULE  ? tact_capsule(r, height)
           : type == TACT_CYLINDER ? tact_cylinder(r, height)
                                   : tact_cone(r, height);
}

static void closed_forms_match_quadrature(void **state)
{
    (void)state;
    static const tact_shape_type types[] = {TACT_SPHERE, TACT_CAPSULE,   TACT_CYLINDER,
                                            TACT_CONE,   TACT_ELLIPSOID, TACT_BOX};
    int seen[6][COUNTERS] = {{0}};
    double worst = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(240); seed++) {
        dice d = dice_for(seed, 1, 0);
        int kind = (int)(seed % 6);
        tact_transform at = some_affine(&d);
        double r = dice_power(&d, -1, 1), height = dice_power(&d, -1, 1), density = dice_power(&d, -3, 3);
        tact_vec3 size = tact_vec(r, height, dice_power(&d, -1, 1));
        oracle_mass truth = oracle_mass_near(at.origin);
        tact_shape *shape;
        if (kind < 4) {
            oracle_profile p[5];
            int count = profile_of(types[kind], r, height, 0.0, p);
            shape = make_turned(types[kind], r, height);
            oracle_mass_add_turned(&truth, p, count, &at);
        } else if (kind == 4) {
            const real_number radii[3] = {size.x, size.y, size.z};
            shape = tact_ellipsoid(size.x, size.y, size.z);
            oracle_mass_add_ellipsoid(&truth, radii, &at, 0.0L);
        } else { /* six tetrahedra */
            static const int turn[6][3] = {{1, 2, 4}, {2, 1, 4}, {4, 1, 2}, {1, 4, 2}, {2, 4, 1}, {4, 2, 1}};
            shape = tact_box(size.x, size.y, size.z);
            for (int i = 0; i < 6; i++) {
                tact_vec3 c[4];
                for (int k = 0, corner = 0; k < 4; corner |= k < 3 ? turn[i][k] : 0, k++)
                    c[k] =
                        tact_vec(corner & 1 ? 0.5 * size.x : -0.5 * size.x, corner & 2 ? 0.5 * size.y : -0.5 * size.y,
                                 corner & 4 ? 0.5 * size.z : -0.5 * size.z);
                oracle_mass_add_simplex(&truth, c, 4, &at);
            }
        }
        tact_mass m = tact_mass_from_density(shape, at, density), total = tact_mass_from_total(shape, at, m.mass);
        CHECK(m.status == TACT_OK && m.dimension == 3 && m.error == 0.0, "status %d", m.status);
        double off = oracle_mass_off(&truth, &m);
        CHECK(off < oracle_mass_rounding(&m, 1e-14, 3.0), "off by %g", off);
        worst = fmax(worst, off);
        CHECK(fabs(m.mass / m.measure / density - 1.0) < 1e-15, "mass %g", m.mass);
        CHECK(oracle_mass_axes_off(&m) < 4e-15, "axes off by %g", oracle_mass_axes_off(&m));
        CHECK(oracle_mass_same(&total, &m), "from the total it is another");
        seen[kind][tact_transform_determinant(at) < 0.0 ? MIRRORED : PLAIN]++;
        tact_shape_release(shape);
    }
    for (int i = 0; i < 6 && !few_cases(); i++)
        assert_true(seen[i][MIRRORED] >= 8 && seen[i][PLAIN] >= 8);
    print_message("closed forms: off by at most %.1e\n", worst);
}

/* ---- polytopes -------------------------------------------------------------------------------------------------- */

static void hulls_match_brute_force(void **state)
{
    (void)state;
    int with_inner = 0;
    double worst = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        dice d = dice_for(seed, 2, 0);
        tact_transform at = some_affine(&d);
        tact_vec3 points[16], far = some_vec(&d, seed % 3 == 0 ? 1e4 : 1.0);
        int count = seed % 4 == 0 ? 4 : 4 + dice_pick(&d, 13);
        for (int i = 0; i < count; i++) {
            tact_vec3 p = some_vec(&d, 1.0);
            points[i] = tact_vec(p.x + far.x, p.y + far.y, p.z + far.z);
        }
        oracle_mass truth = oracle_mass_near(tact_transform_point(at, far));
        oracle_mass_add_hull(&truth, points, count, &at);
        tact_shape *shape = count == 4 && seed % 8 == 0 ? tact_tetrahedron(points[0], points[1], points[2], points[3])
                                                        : tact_hull(points, (size_t)count);
        tact_mass m = tact_mass_from_density(shape, at, 1.0);
        CHECK(m.status == TACT_OK && m.dimension == 3 && m.error == 0.0, "status %d", m.status);
        double off = oracle_mass_off(&truth, &m);
        /* far out the centre is as exact as a coordinate there; and a hull may be a hundred times less thick than its
         * points are apart */
        double reach = seed % 3 == 0 ? 1e5 : 10.0;
        CHECK(off < oracle_mass_rounding(&m, 1e-12, reach), "%d points: off by %g", count, off);
        worst = seed % 3 == 0 ? worst : fmax(worst, off);
        CHECK(oracle_mass_axes_off(&m) < 4e-15, "axes off by %g", oracle_mass_axes_off(&m));
        with_inner += tact_shape_get_points(shape, NULL, 0) < (size_t)count;
        tact_shape_release(shape);
    }
    assert_true(few_cases() || with_inner >= 30);
    print_message("hulls: off by at most %.1e\n", worst);
}

/* Plates, rods and points, among them solids without a volume. */
static void thin_bodies_are_plates_rods_and_points(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(40); seed++) {
        dice d = dice_for(seed, 3, 0);
        tact_transform at = some_affine(&d);
        tact_vec3 p[4];
        for (int i = 0; i < 3; i++)
            p[i] = some_vec(&d, 1.0);
        p[3] = p[1];
        double a = dice_power(&d, -1, 1), b = dice_power(&d, -1, 1);
        const tact_vec3 plate[4] = {{-a, 0, -b}, {a, 0, -b}, {a, 0, b}, {-a, 0, b}}, rod[2] = {{0, -a, 0}, {0, a, 0}};
        enum { CASES = 15 };
        oracle_mass truth[CASES];
        for (int i = 0; i < CASES; i++)
            truth[i] = oracle_mass_near(at.origin);
        const struct {
            tact_shape *shape;
            int dimension;
        } cases[CASES] = {
            {tact_triangle(p[0], p[1], p[2]), 2},
            {tact_segment(p[0], p[1]), 1},
            {tact_box(2 * a, 0, 2 * b), 2},
            {tact_polygon(plate, 4), 2},
            {tact_hull(plate, 4), 2},
            {tact_cylinder(a, 0), 2},
            {tact_cone(a, 0), 2},
            {tact_ellipsoid(a, 0, a), 2},
            {tact_box(0, 2 * a, 0), 1},
            {tact_capsule(0, 2 * a), 1},
            {tact_cone(0, 2 * a), 1},
            {tact_cylinder(0, 2 * a), 1},
            {tact_ellipsoid(0, a, 0), 1},
            {tact_triangle(p[0], p[1], p[1]), 1},
            {tact_tetrahedron(p[0], p[1], p[2], p[3]), 2},
        };
        oracle_mass_add_simplex(&truth[0], p, 3, &at);
        oracle_mass_add_simplex(&truth[1], p, 2, &at);
        for (int i = 2; i <= 4; i++) {
            oracle_mass_add_simplex(&truth[i], plate, 3, &at);
            oracle_mass_add_simplex(&truth[i], (const tact_vec3[3]){plate[0], plate[2], plate[3]}, 3, &at);
        }
        /* a disc has the measure and moments of a regular polygon with very many corners, up to 1/n^2 */
        for (int k = 0; k < 20000; k++) {
            double t0 = (double)QUARTER * k / 5000.0, t1 = (double)QUARTER * (k + 1) / 5000.0;
            const tact_vec3 t[3] = {{0, 0, 0}, {a * cos(t0), 0, a * sin(t0)}, {a * cos(t1), 0, a * sin(t1)}};
            oracle_mass_add_simplex(&truth[5], t, 3, &at);
        }
        truth[6] = truth[7] = truth[5];
        for (int i = 8; i <= 12; i++)
            oracle_mass_add_simplex(&truth[i], rod, 2, &at);
        oracle_mass_add_simplex(&truth[13], p, 2, &at);
        oracle_mass_add_simplex(&truth[14], p, 3, &at);
        for (size_t i = 0; i < CASES; i++) {
            tact_mass m = tact_mass_from_total(cases[i].shape, at, 3.0);
            CHECK(m.status == TACT_OK && m.mass == 3.0 && m.error == 0.0, "case %zu: status %d", i, m.status);
            CHECK(m.dimension == cases[i].dimension, "case %zu: dimension %d", i, m.dimension);
            double off = oracle_mass_off(&truth[i], &m);
            CHECK(off < oracle_mass_rounding(&m, i >= 5 && i <= 7 ? 1e-7 : 1e-14, 10.0), "case %zu: off by %g", i, off);
            CHECK(oracle_mass_axes_off(&m) < 4e-15, "case %zu: axes off by %g", i, oracle_mass_axes_off(&m));
            tact_shape_release(cases[i].shape);
        }
        tact_shape *points[] = {tact_point(p[0]), tact_segment(p[0], p[0]), tact_hull(p, 1)};
        for (int i = 0; i < 3; i++) {
            tact_mass m = tact_mass_from_density(points[i], at, 2.0);
            tact_vec3 there = tact_transform_point(at, p[0]);
            CHECK(m.status == TACT_OK && m.dimension == 0 && m.mass == 2.0 && m.measure == 1.0, "%d", m.status);
            CHECK(m.principal_moments.x == 0.0 && m.principal_moments.y == 0.0 && m.principal_moments.z == 0.0,
                  "a point that is hard to turn");
            CHECK(fabs(m.centre.x - there.x) + fabs(m.centre.y - there.y) + fabs(m.centre.z - there.z) < 1e-14,
                  "centre");
            tact_shape_release(points[i]);
        }
    }
}

/* ---- margins ---------------------------------------------------------------------------------------------------- */

static tact_shape *round_off(tact_shape *shape, double margin)
{
    tact_shape *rounded = tact_rounded(shape, margin);
    tact_shape_release(shape);
    return rounded;
}

/* The moments of a rounded body under a rigid transform follow from those where it is. */
static void rounded_solids_are_exact(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(150); seed++) {
        dice d = dice_for(seed, 4, 0);
        tact_transform at = some_rigid(&d), still = tact_identity();
        double scale = dice_power(&d, -1, 1), margin = dice_power(&d, -1, 1), r = dice_power(&d, -1, 1),
               height = dice_power(&d, -1, 1);
        oracle_mass truth = oracle_mass_near(at.origin);
        oracle_profile p[5];
        tact_shape *shape;
        int kind = (int)(seed % 7);
        tact_transform stretched = tact_transform_scale(at, tact_vec(scale, scale, scale));
        if (kind < 2 || kind > 4) { /* a margin does not grow with the transform, a radius does */
            tact_shape_type type = kind == 0   ? TACT_SPHERE
                                   : kind == 1 ? TACT_CAPSULE
                                   : kind == 5 ? TACT_CYLINDER
                                               : TACT_CONE;
            r = kind > 4 && seed % 5 == 0 ? 0.0 : r; /* as thin, or as flat, as it can be */
            height = kind > 4 && seed % 5 == 1 ? 0.0 : height;
            shape = round_off(make_turned(type, r, height), margin);
            oracle_mass_add_turned(&truth, p, profile_of(type, scale * r, scale * height, margin, p), &at);
        } else if (kind == 2) {
            const tact_vec3 ends[2] = {{0, -0.5 * height, 0}, {0, 0.5 * height, 0}};
            shape = round_off(tact_segment(ends[0], ends[1]), margin);
            oracle_mass_add_turned(&truth, p, profile_of(TACT_CAPSULE, 0.0, scale * height, margin, p), &at);
        } else if (kind == 3) {
            shape = round_off(tact_point(tact_vec(0, 0, 0)), margin);
            oracle_mass_add_turned(&truth, p, profile_of(TACT_SPHERE, 0.0, 0.0, margin, p), &at);
        } else { /* where it is, and then turned by tact_mass_transform */
            const real_number half[3] = {0.5L * r, 0.5L * height, 0.25L};
            shape = round_off(tact_box(r, height, 0.5), margin);
            truth = oracle_mass_near(still.origin);
            oracle_mass_add_rounded_box(&truth, half, margin);
            tact_mass m = tact_mass_from_density(shape, still, 1.0), moved = tact_mass_transform(m, at);
            double off = oracle_mass_off(&truth, &m);
            CHECK(m.status == TACT_OK && m.error == 0.0 && off < 1e-14, "rounded box: off by %g", off);
            CHECK(m.principal_axes.w == 1.0 && m.principal_axes.x == 0.0 && m.principal_axes.y == 0.0 &&
                      m.principal_axes.z == 0.0,
                  "axes turned");
            tact_mass there = tact_mass_from_density(shape, at, 1.0);
            CHECK(there.status == TACT_OK && fabs(there.mass / moved.mass - 1.0) < 1e-13, "transformed: %g",
                  there.mass);
            double size = m.principal_moments.x + m.principal_moments.y + m.principal_moments.z;
            CHECK(fabs(there.inertia.xx - moved.inertia.xx) < 1e-13 * size, "transformed or moved: not the same");
            CHECK(fabs(there.inertia.xy - moved.inertia.xy) < 1e-13 * size, "transformed or moved: not the same");
            CHECK(oracle_mass_axes_off(&moved) < 1e-14, "moved: axes off by %g", oracle_mass_axes_off(&moved));
            tact_shape_release(shape);
            continue;
        }
        tact_mass m = tact_mass_from_density(shape, stretched, 1.0);
        CHECK(m.status == TACT_OK && m.dimension == 3 && m.error == 0.0, "status %d", m.status);
        double off = oracle_mass_off(&truth, &m);
        CHECK(off < oracle_mass_rounding(&m, 1e-14, 3.0), "kind %d: off by %g", kind, off);
        worst = fmax(worst, off);
        tact_shape_release(shape);
    }
    print_message("rounded: off by at most %.1e\n", worst);
}

/* The sum over faces, edges and corners against the sampled surface, which knows nothing of them. */
static void rounded_polytopes_match_their_surface(void **state)
{
    (void)state;
    int kinds[5] = {0}, seen = 0, unsettled = 0;
    double worst = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(5, 300); seed++) {
        dice d = dice_for(seed, 5, 0);
        tact_transform at = some_affine(&d);
        tact_vec3 p[12];
        for (int i = 0; i < 12; i++)
            p[i] = some_vec(&d, 1.0);
        const tact_vec3 flat[5] = {{0, 0, 0}, {2, 0, 1}, {3, 0, 2}, {1, 0, 3}, {-1, 0, 1}};
        int kind = (int)(seed % 5);
        kinds[kind]++;
        tact_shape *shape = round_off(kind == 0   ? tact_triangle(p[0], p[1], p[2])
                                      : kind == 1 ? tact_tetrahedron(p[0], p[1], p[2], p[3])
                                      : kind == 2 ? tact_box(1, 2, 3)
                                      : kind == 3 ? tact_polygon(flat, 5)
                                                  : tact_hull(p, 12),
                                      dice_power(&d, -1.5, 0.5));
        moments exact, sampled;
        CHECK(tact_moments_convex(shape, &at, &exact) == TACT_OK && exact.error == 0.0, "not exact");
        tact_status status = tact_moments_sampled(shape, &at, &sampled);
        CHECK(status == TACT_OK || status == TACT_NOT_CONVERGED, "status %d", status);
        CHECK((status == TACT_OK) == (sampled.error <= TACT_MASS_ACCURACY), "status %d", status);
        unsettled += status == TACT_NOT_CONVERGED;
        seen++;
        double ratio = ldexp(sampled.measure / exact.measure, sampled.exponent - exact.exponent);
        double size = exact.covariance.xx + exact.covariance.yy + exact.covariance.zz, off = fabs(ratio - 1.0);
        sym3 difference = exact.covariance;
        sym3_add(&difference, -1.0, &sampled.covariance);
        off = fmax(off, sym3_max_abs(&difference) / size);
        tact_vec3 c = vec_sub(exact.centre, sampled.centre);
        off = fmax(off, vec_length(c) / sqrt(size));
        worst = fmax(worst, off / sampled.error);
        CHECK(off <= sampled.error, "kind %d: off by %g, not %g", kind, off, sampled.error);
        tact_shape_release(shape);
    }
    for (int i = 0; i < 5 && !few_cases(); i++)
        assert_true(kinds[i] >= 1);
    assert_true(few_cases() || 10 * unsettled <= seen);
    print_message("rounded polytopes: %.2f of the estimated error; %d of %d not settled\n", worst, unsettled, seen);
}

/* ---- sampled surfaces ------------------------------------------------------------------------------------------- */

static tact_vec3 ask_other(void *context, tact_vec3 direction)
{
    tact_vec3 p = {0, 0, 0};
    (void)tact_shape_support(context, tact_identity(), direction, &p);
    return p;
}

static void sampled_shapes_are_within_their_error(void **state)
{
    (void)state;
    enum { KINDS = 10 };
    int kinds[KINDS] = {0}, seen = 0, unsettled = 0;
    double worst = 0.0, share = 0.0;
    for (uint64_t seed = first_seed(); seed <= last_seed(10); seed++) {
        dice d = dice_for(seed, 6, 0);
        int kind = (int)(seed % KINDS);
        tact_transform at = some_affine(&d), rigid = some_rigid(&d);
        double a = dice_power(&d, -0.7, 0.7), b = dice_power(&d, -0.7, 0.7), c = dice_power(&d, -0.7, 0.7),
               margin = dice_power(&d, -1.5, 0.5);
        const real_number radii[3] = {a, b, c};
        oracle_mass truth = oracle_mass_near(at.origin);
        oracle_profile p[5];
        tact_shape *shape = NULL, *part = NULL, *other = NULL;
        tact_transform place = kind < 2 || kind > 4 ? at : rigid;
        int dimension = 3;
        switch (kind) {
        case 0: /* a rounded ellipsoid */
            shape = round_off(tact_ellipsoid(a, b, c), margin);
            oracle_mass_add_ellipsoid(&truth, radii, &at, margin);
            break;
        case 1: { /* a sphere that is stretched, and then rounded */
            const real_number ball[3] = {a, a, a};
            shape = round_off(tact_sphere(a), margin);
            oracle_mass_add_ellipsoid(&truth, ball, &at, margin);
            break;
        }
        case 2: /* stretched along its axis, which the outline stands */
        case 3:
            place = tact_transform_scale(rigid, tact_vec(1, c, 1));
            shape = round_off(kind == 2 ? tact_cylinder(a, b) : tact_cone(a, b), margin);
            oracle_mass_add_turned(&truth, p, profile_of(kind == 2 ? TACT_CYLINDER : TACT_CONE, a, b * c, margin, p),
                                   &rigid);
            break;
        case 4: { /* the join of a sphere and a point above it: a cone on a cap */
            real_number r = a, h = a + b, lean = asinl(r / h);
            part = tact_sphere(a);
            other = tact_point(tact_vec(0, (double)h, 0));
            shape = tact_convex_hull_of(part, other);
            p[0] = arc(0, 0, r, -QUARTER, lean);
            p[1] = line(r * sinl(lean), r * cosl(lean), h, 0);
            oracle_mass_add_turned(&truth, p, 2, &rigid);
            break;
        }
        case 5: { /* the sum of an ellipsoid and a segment along its axis: a stretched capsule */
            tact_transform stretch =
                tact_transform_compose(at, tact_transform_scale(tact_identity(), tact_vec(a, b, c)));
            part = tact_ellipsoid(a, b, c);
            other = tact_segment(tact_vec(0, -b, 0), tact_vec(0, b, 0));
            shape = tact_minkowski_sum(part, other);
            oracle_mass_add_turned(&truth, p, profile_of(TACT_CAPSULE, 1.0, 2.0, 0.0, p), &stretch);
            break;
        }
        case 6: /* the sum of two cylinders */
            part = tact_cylinder(a, b);
            other = tact_cylinder(c, margin);
            shape = tact_minkowski_sum(part, other);
            oracle_mass_add_turned(&truth, p, profile_of(TACT_CYLINDER, a + c, b + margin, 0.0, p), &at);
            break;
        case 7: /* one's own */
            part = tact_ellipsoid(a, b, c);
            shape = tact_custom(ask_other, part, a + b + c);
            oracle_mass_add_ellipsoid(&truth, radii, &at, 0.0L);
            break;
        case 8:
            part = tact_cone(a, b);
            shape = tact_custom(ask_other, part, a + b);
            oracle_mass_add_turned(&truth, p, profile_of(TACT_CONE, a, b, 0.0, p), &at);
            break;
        default: { /* a flat one, which is sampled as a prism */
            part = tact_cylinder(a, 0);
            shape = tact_custom(ask_other, part, a);
            dimension = 2;
            for (int k = 0; k < 20000; k++) {
                double t0 = (double)QUARTER * k / 5000.0, t1 = (double)QUARTER * (k + 1) / 5000.0;
                const tact_vec3 t[3] = {{0, 0, 0}, {a * cos(t0), 0, a * sin(t0)}, {a * cos(t1), 0, a * sin(t1)}};
                oracle_mass_add_simplex(&truth, t, 3, &at);
            }
        }
        }
        tact_mass m = tact_mass_from_density(shape, place, 1.0);
        CHECK(m.dimension == dimension, "kind %d: status %d", kind, m.status);
        CHECK(m.status == (m.error <= TACT_MASS_ACCURACY ? TACT_OK : TACT_NOT_CONVERGED), "kind %d: %g", kind, m.error);
        CHECK(m.error > 0.0 && m.error <= 100.0 * TACT_MASS_ACCURACY, "kind %d: error %g", kind, m.error);
        unsettled += m.status == TACT_NOT_CONVERGED;
        seen++;
        double off = oracle_mass_off(&truth, &m);
        CHECK(off <= m.error + (kind == 9 ? 1e-7 : 0.0), "kind %d: off by %g, not %g", kind, off, m.error);
        CHECK(oracle_mass_axes_off(&m) < 1e-14, "kind %d: axes off by %g", kind, oracle_mass_axes_off(&m));
        worst = fmax(worst, off);
        share = kind == 9 ? share : fmax(share, off / m.error);
        kinds[kind]++;
        tact_shape_release(shape);
        tact_shape_release(part);
        tact_shape_release(other);
    }
    for (int i = 0; i < KINDS && !few_cases(); i++)
        assert_true(kinds[i] >= 1);
    assert_true(few_cases() || 10 * unsettled <= seen);
    print_message("sampled: off by at most %.1e, %.2f of the estimate; %d of %d not settled\n", worst, share, unsettled,
                  seen);
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* Placed shapes, and sums and joins that are polytopes with a ball around them. */
static void transformed_parts_match_quadrature(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(100); seed++) {
        dice d = dice_for(seed, 7, 0);
        tact_transform at = some_affine(&d), inner = some_affine(&d), rigid = some_rigid(&d);
        tact_transform both = tact_transform_compose(at, inner);
        double r = dice_power(&d, -1, 1), h = dice_power(&d, -1, 1), margin = dice_power(&d, -1, 0.5);
        oracle_mass truth[3] = {oracle_mass_near(both.origin), oracle_mass_near(at.origin),
                                oracle_mass_near(at.origin)};
        oracle_profile p[5];
        tact_vec3 points[8], sums[8];
        /* a transformed cone; a rounded sphere inside a transformed shape, where the margin is stretched too */
        tact_shape *cone = tact_cone(r, h), *placed = tact_transformed(cone, inner);
        tact_shape *ball = round_off(tact_sphere(r), margin), *within = tact_transformed(ball, rigid);
        oracle_mass_add_turned(&truth[0], p, profile_of(TACT_CONE, r, h, 0.0, p), &both);
        tact_transform ball_at = tact_transform_compose(at, rigid);
        oracle_mass_add_turned(&truth[1], p, profile_of(TACT_SPHERE, r, 0.0, margin, p), &ball_at);
        /* the sum of a tetrahedron and a segment, and the join of two tetrahedra, are polytopes */
        for (int i = 0; i < 8; i++)
            points[i] = some_vec(&d, 1.0);
        for (int i = 0; i < 8; i++)
            sums[i] = tact_vec(points[i % 4].x + points[4 + i / 4].x, points[i % 4].y + points[4 + i / 4].y,
                               points[i % 4].z + points[4 + i / 4].z);
        tact_shape *t0 = tact_tetrahedron(points[0], points[1], points[2], points[3]),
                   *t1 = tact_tetrahedron(points[4], points[5], points[6], points[7]),
                   *segment = tact_segment(points[4], points[5]), *sum = tact_minkowski_sum(t0, segment),
                   *join = tact_convex_hull_of(t0, t1);
        tact_shape *same = tact_hull(sums, 8), *round_sum = tact_minkowski_sum(t0, ball);
        oracle_mass_add_hull(&truth[2], points, 8, &at);
        const tact_shape *shapes[] = {placed, within, join};
        for (int i = 0; i < 3; i++) {
            tact_mass m = tact_mass_from_density(shapes[i], at, 1.0);
            double off = oracle_mass_off(&truth[i], &m);
            CHECK(m.status == TACT_OK && m.error == 0.0 && off < oracle_mass_rounding(&m, 1e-12, 30.0),
                  "case %d: status %d, off by %g", i, m.status, off);
        }
        tact_mass m = tact_mass_from_density(sum, at, 1.0), n = tact_mass_from_density(same, at, 1.0);
        CHECK(m.error == 0.0 && fabs(m.mass / n.mass - 1.0) < 1e-12 &&
                  fabs(m.principal_moments.x / n.principal_moments.x - 1.0) < 1e-12,
              "sum: %g, not %g", m.mass, n.mass);
        /* a sum with a ball is a margin, in whatever way it is said */
        tact_shape *rounded = tact_rounded(t0, margin + r);
        m = tact_mass_from_density(round_sum, rigid, 1.0);
        n = tact_mass_from_density(rounded, rigid, 1.0);
        CHECK(m.error == 0.0 && fabs(m.mass / n.mass - 1.0) < 1e-12 &&
                  fabs(m.principal_moments.x / n.principal_moments.x - 1.0) < 1e-12,
              "sum with a ball: %g, not %g", m.mass, n.mass);
        tact_shape *all[] = {cone, placed, ball, within, t0, t1, segment, sum, join, same, round_sum, rounded};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            tact_shape_release(all[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_match_quadrature),
        cmocka_unit_test(hulls_match_brute_force),
        cmocka_unit_test(thin_bodies_are_plates_rods_and_points),
        cmocka_unit_test(rounded_solids_are_exact),
        cmocka_unit_test(rounded_polytopes_match_their_surface),
        cmocka_unit_test(sampled_shapes_are_within_their_error),
        cmocka_unit_test(transformed_parts_match_quadrature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
