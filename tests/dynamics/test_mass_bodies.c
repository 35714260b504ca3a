/* Mass of meshes, soups and compounds; masses added, removed and transformed; sizes at the ends of the range of
 * doubles, and invalid input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "oracle/dice.h"
#include "oracle/mass.h"
#include "oracle/zoo.h"
#include "support/failing_allocator.h"
#include "support/host_fp_environment.h"
#include "support/seeded_cases.h"

static tact_vec3 some_vec(dice *d, double size)
{
    return tact_vec(dice_between(d, -size, size), dice_between(d, -size, size), dice_between(d, -size, size));
}

static tact_quat some_turn(dice *d)
{
    return (tact_quat){dice_normal(d), dice_normal(d), dice_normal(d), dice_normal(d)};
}

static tact_transform some_rigid(dice *d)
{
    return tact_transform_make(some_vec(d, 3.0), some_turn(d), tact_vec(1, 1, dice_pick(d, 2) == 0 ? 1.0 : -1.0));
}

static tact_transform some_affine(dice *d)
{
    tact_vec3 scale = tact_vec(dice_power(d, -0.7, 0.7), dice_power(d, -0.7, 0.7), dice_power(d, -0.7, 0.7));
    tact_transform inner = tact_transform_make(tact_vec(0, 0, 0), some_turn(d), tact_vec(1, 1, 1));
    scale.x *= dice_pick(d, 2) == 0 ? 1.0 : -1.0;
    return tact_transform_compose(tact_transform_make(some_vec(d, 3.0), some_turn(d), scale), inner);
}

/* How far two answers are apart, relative to the first: mass, centre, inertia and the sum of the moments. */
static double apart(const tact_mass *a, const tact_mass *b)
{
    double size = a->principal_moments.x + a->principal_moments.y + a->principal_moments.z,
           length = sqrt(size / a->mass);
    double worst = fmax(fabs(a->mass - b->mass) / a->mass, fabs(a->measure - b->measure) / a->measure);
    worst = fmax(worst, fabs(a->centre.x - b->centre.x) / length);
    worst = fmax(worst, fabs(a->centre.y - b->centre.y) / length);
    worst = fmax(worst, fabs(a->centre.z - b->centre.z) / length);
    const tact_inertia *s = &a->inertia, *t = &b->inertia;
    const double gap[6] = {s->xx - t->xx, s->yy - t->yy, s->zz - t->zz, s->xy - t->xy, s->xz - t->xz, s->yz - t->yz};
    for (int i = 0; i < 6; i++)
        worst = fmax(worst, fabs(gap[i]) / size);
    return worst;
}

/* ---- meshes ----------------------------------------------------------------------------------------------------- */

static zoo_mesh zoo;

/* A closed, lumpy surface; `kind` 0 to 2. */
static void make_closed(int kind, dice *d)
{
    zoo_clear(&zoo);
    if (kind == 0)
        zoo_torus(&zoo, 24, 16, 2.0, 0.7);
    else if (kind == 1)
        zoo_cube(&zoo, 1.0);
    else
        zoo_ball(&zoo, 3, 1.0);
    for (uint32_t i = 0; i < zoo.vertex_count; i++) {
        double f = dice_between(d, 0.8, 1.2);
        zoo.vertices[i] = tact_vec(f * zoo.vertices[i].x, f * zoo.vertices[i].y, f * zoo.vertices[i].z);
    }
}

static void corners_of(uint32_t triangle, tact_vec3 corner[3])
{
    for (uint32_t k = 0; k < 3; k++)
        corner[k] = zoo.vertices[zoo.corners[3 * triangle + k]];
}

static void solid_meshes_match_long_double(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(90); seed++) {
        dice d = dice_for(seed, 1, 0);
        int kind = (int)(seed % 3);
        tact_transform at = some_affine(&d), plain = tact_identity();
        make_closed(kind, &d);
        oracle_mass truth = oracle_mass_near(at.origin);
        for (uint32_t i = 0; i < zoo.triangle_count; i++) { /* from a point outside */
            tact_vec3 c[3];
            corners_of(i, c);
            oracle_mass_add_cone(&truth, tact_vec(3, 4, 5), c, &plain);
        }
        tact_shape *mesh = zoo_shape(&zoo, true, 0.0);
        tact_mass m = tact_mass_from_density(mesh, plain, 2.0);
        double off = oracle_mass_off(&truth, &m);
        CHECK(m.status == TACT_OK && m.dimension == 3 && m.error == 0.0 && off < 1e-13, "status %d, off by %g",
              m.status, off);
        CHECK(fabs(m.measure - tact_mesh_check(mesh).volume) < 1e-13 * m.measure, "volume %g", m.measure);
        CHECK(oracle_mass_axes_off(&m) < 4e-15, "axes off by %g", oracle_mass_axes_off(&m));
        /* placed: as the transformed vertices say */
        oracle_mass placed = oracle_mass_near(at.origin);
        for (uint32_t i = 0; i < zoo.triangle_count; i++) {
            tact_vec3 c[3];
            corners_of(i, c);
            oracle_mass_add_cone(&placed, tact_vec(0, 0, 0), c, &at);
        }
        if (placed.measure < 0.0L) { /* mirrored: every sign of the oracle is turned */
            placed.measure = -placed.measure;
            for (int i = 0; i < 3; i++)
                placed.first[i] = -placed.first[i];
            for (int i = 0; i < 6; i++)
                placed.second[i] = -placed.second[i];
        }
        tact_mass n = tact_mass_from_density(mesh, at, 2.0);
        off = oracle_mass_off(&placed, &n);
        CHECK(n.status == TACT_OK && off < oracle_mass_rounding(&n, 1e-13, 10.0), "transformed: status %d, off by %g",
              n.status, off);
        tact_shape_release(mesh);
        /* inside out: the same */
        for (uint32_t i = 0; i < zoo.triangle_count; i++) {
            uint32_t swap = zoo.corners[3 * i];
            zoo.corners[3 * i] = zoo.corners[3 * i + 1];
            zoo.corners[3 * i + 1] = swap;
        }
        mesh = zoo_shape(&zoo, true, 0.0);
        tact_mass inside_out = tact_mass_from_density(mesh, plain, 2.0);
        CHECK(inside_out.status == TACT_OK && apart(&m, &inside_out) < 1e-13, "inside out: %g", apart(&m, &inside_out));
        tact_shape_release(mesh);
        /* far out: as exact as the vertices are there */
        for (uint32_t i = 0; i < zoo.vertex_count; i++) {
            zoo.vertices[i].x += 1e6;
            zoo.vertices[i].z -= 3e6;
        }
        mesh = zoo_shape(&zoo, true, 0.0);
        tact_mass far = tact_mass_from_density(mesh, plain, 2.0);
        far.centre.x -= 1e6;
        far.centre.z += 3e6;
        CHECK(far.status == TACT_OK && apart(&m, &far) < 4e-9, "far out: %g", apart(&m, &far));
        tact_shape_release(mesh);
    }
}

static void open_meshes_match_long_double(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); seed++) {
        dice d = dice_for(seed, 2, 0);
        tact_transform at = some_affine(&d);
        make_closed((int)(seed % 3), &d);
        oracle_mass truth = oracle_mass_near(at.origin);
        for (uint32_t i = 0; i < zoo.triangle_count; i++) {
            tact_vec3 c[3];
            corners_of(i, c);
            oracle_mass_add_simplex(&truth, c, 3, &at);
        }
        tact_shape *mesh = zoo_shape(&zoo, false, 0.0);
        tact_mass m = tact_mass_from_total(mesh, at, 5.0);
        double off = oracle_mass_off(&truth, &m);
        CHECK(m.status == TACT_OK && m.dimension == 2 && m.mass == 5.0 && off < oracle_mass_rounding(&m, 1e-13, 10.0),
              "status %d, off by %g", m.status, off);
        tact_shape_release(mesh);
    }
    /* a shell of segments and points is a rod; a solid without a volume is a shell */
    const tact_vec3 v[] = {{0, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    const uint32_t rod[] = {0, 1, 0, 1, 1, 1}, flat[] = {0, 1, 2, 0, 2, 1};
    tact_shape *mesh = tact_mesh(v, 3, rod, 2);
    tact_mass m = tact_mass_from_density(mesh, tact_identity(), 1.0);
    assert_true(m.status == TACT_OK && m.dimension == 1 && m.measure == 2.0 && m.centre.x == 1.0);
    tact_shape_release(mesh);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){v, 3, 0, TACT_SCALAR_DOUBLE};
    def.indices = flat;
    def.index_count = 6;
    def.solid = true;
    mesh = tact_mesh_create(&def, NULL);
    m = tact_mass_from_density(mesh, tact_identity(), 1.0);
    assert_true(m.status == TACT_OK && m.dimension == 2 && fabs(m.measure - 2.0) < 1e-15); /* both sides */
    tact_shape_release(mesh);
}

/* Two cubes, one of them inside out beside the other: their volumes cancel in part, and nothing is like what is left.
 * */
static void contradictions_are_refused(void **state)
{
    (void)state;
    zoo_clear(&zoo);
    zoo_cube(&zoo, 1.0);
    uint32_t vertices = zoo.vertex_count, triangles = zoo.triangle_count;
    for (uint32_t i = 0; i < vertices; i++)
        (void)zoo_vertex(&zoo, 0.9 * zoo.vertices[i].x + 5.0, 0.9 * zoo.vertices[i].y, 0.9 * zoo.vertices[i].z);
    for (uint32_t i = 0; i < triangles; i++)
        zoo_triangle(&zoo, zoo.corners[3 * i] + vertices, zoo.corners[3 * i + 2] + vertices,
                     zoo.corners[3 * i + 1] + vertices);
    tact_shape *mesh = zoo_shape(&zoo, true, 0.0);
    tact_mass m = tact_mass_from_density(mesh, tact_identity(), 1.0);
    assert_int_equal(m.status, TACT_BAD_ARGUMENT);
    assert_true(m.mass == 0.0 && m.measure == 0.0);
    tact_shape_release(mesh);
    /* a hollow one is no contradiction: the inner wall faces inwards */
    zoo_clear(&zoo);
    zoo_cube(&zoo, 1.0);
    for (uint32_t i = 0; i < vertices; i++)
        (void)zoo_vertex(&zoo, 0.5 * zoo.vertices[i].x, 0.5 * zoo.vertices[i].y, 0.5 * zoo.vertices[i].z);
    for (uint32_t i = 0; i < triangles; i++)
        zoo_triangle(&zoo, zoo.corners[3 * i] + vertices, zoo.corners[3 * i + 2] + vertices,
                     zoo.corners[3 * i + 1] + vertices);
    mesh = zoo_shape(&zoo, true, 0.0);
    tact_shape *outer = tact_box(2, 2, 2), *inner = tact_box(1, 1, 1);
    m = tact_mass_from_density(mesh, tact_identity(), 1.0);
    tact_mass left = tact_mass_remove(tact_mass_from_density(outer, tact_identity(), 1.0),
                                      tact_mass_from_density(inner, tact_identity(), 1.0));
    assert_true(m.status == TACT_OK && left.status == TACT_OK && apart(&m, &left) < 1e-14);
    tact_shape_release(mesh);
    tact_shape_release(outer);
    tact_shape_release(inner);
}

/* ---- soups and compounds ---------------------------------------------------------------------------------------- */

static void soups_and_compounds_are_sums(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed(60); seed++) {
        dice d = dice_for(seed, 3, 0);
        tact_transform at = some_affine(&d);
        tact_vec3 p[20];
        uint32_t corners[20];
        for (uint32_t i = 0; i < 20; i++) {
            p[i] = some_vec(&d, 2.0);
            corners[i] = i;
        }
        /* a tetrahedron, a hull of eight points, a triangle and a segment, which weigh nothing beside them, four points
         * */
        const uint32_t sizes[] = {4, 8, 2, 3, 3}, thin[] = {2, 3, 3, 4};
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){p, 20, 0, TACT_SCALAR_DOUBLE};
        def.indices = corners;
        def.index_count = 20;
        def.loop_sizes = sizes;
        def.loop_count = 5;
        tact_shape *soup = tact_soup_create(&def, NULL);
        oracle_mass truth = oracle_mass_near(at.origin), plates = truth;
        oracle_mass_add_simplex(&truth, p, 4, &at);
        oracle_mass_add_hull(&truth, p + 4, 8, &at);
        tact_mass m = tact_mass_from_density(soup, at, 1.0);
        double off = oracle_mass_off(&truth, &m);
        CHECK(m.status == TACT_OK && m.dimension == 3 && off < oracle_mass_rounding(&m, 1e-12, 10.0),
              "soup: status %d, off by %g", m.status, off);
        tact_shape_release(soup);
        p[11] = p[8]; /* the four points: a triangle */
        def.loop_sizes = thin;
        def.loop_count = 4;
        def.index_count = 12;
        soup = tact_soup_create(&def, NULL);
        oracle_mass_add_simplex(&plates, p + 2, 3, &at);
        oracle_mass_add_simplex(&plates, p + 5, 3, &at);
        oracle_mass_add_simplex(&plates, p + 8, 3, &at);
        m = tact_mass_from_density(soup, at, 1.0);
        off = oracle_mass_off(&plates, &m);
        CHECK(m.status == TACT_OK && m.dimension == 2 && off < oracle_mass_rounding(&m, 1e-12, 10.0),
              "plates: status %d, off by %g", m.status, off);
        /* a compound, nested, with a part that is used twice in a row, a rounded one, and one that weighs nothing */
        tact_shape *box = tact_box(1, 2, 3), *cone = tact_cone(1, 2), *plain_ball = tact_sphere(0.5),
                   *ball = tact_rounded(plain_ball, 0.25);
        tact_transform places[5], inner_places[2];
        for (int i = 0; i < 5; i++)
            places[i] = some_affine(&d);
        places[4] = some_rigid(&d);
        inner_places[0] = some_affine(&d);
        inner_places[1] = some_affine(&d);
        const tact_shape *inner_parts[] = {cone, box};
        tact_shape *inner = tact_compound(inner_parts, inner_places, 2);
        const tact_shape *parts[] = {box, box, inner, soup, ball};
        tact_shape *whole = tact_compound(parts, places, 5);
        tact_mass sum = tact_mass_from_density(box, tact_transform_compose(at, places[0]), 3.0);
        sum = tact_mass_add(sum, tact_mass_from_density(box, tact_transform_compose(at, places[1]), 3.0));
        for (int i = 0; i < 2; i++)
            sum = tact_mass_add(sum, tact_mass_from_density(
                                         inner_parts[i],
                                         tact_transform_compose(tact_transform_compose(at, places[2]), inner_places[i]),
                                         3.0));
        tact_shape *within = tact_transformed(ball, places[4]);
        sum = tact_mass_add(sum, tact_mass_from_density(within, at, 3.0));
        m = tact_mass_from_density(whole, at, 3.0);
        CHECK(m.status == TACT_OK && m.dimension == 3 && apart(&sum, &m) < 1e-13, "compound: %g apart",
              apart(&sum, &m));
        CHECK(oracle_mass_axes_off(&sum) < 1e-14, "axes off by %g", oracle_mass_axes_off(&sum));
        tact_shape *all[] = {soup, box, cone, plain_ball, ball, inner, whole, within};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            tact_shape_release(all[i]);
    }
}

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

static void masses_are_transformed_added_and_removed(void **state)
{
    (void)state;
    int mirrored = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        dice d = dice_for(seed, 4, 0);
        tact_transform at = some_affine(&d), to = some_rigid(&d), elsewhere = some_affine(&d);
        tact_shape *cone = tact_cone(1, 2), *box = tact_box(1, 2, 3);
        tact_mass m = tact_mass_from_density(cone, at, 2.0), n = tact_mass_from_density(box, elsewhere, 3.0);
        /* moving the body and moving the shape are the same */
        tact_mass moved = tact_mass_transform(m, to);
        tact_mass there = tact_mass_from_density(cone, tact_transform_compose(to, at), 2.0);
        CHECK(moved.status == TACT_OK && apart(&there, &moved) < 1e-13, "moved: %g apart", apart(&there, &moved));
        CHECK(oracle_mass_axes_off(&moved) < 1e-14, "axes off by %g", oracle_mass_axes_off(&moved));
        mirrored += tact_transform_determinant(to) < 0.0;
        /* what is added can be taken away again */
        tact_mass both = tact_mass_add(m, n), back = tact_mass_remove(both, n);
        double ratio =
            fmax(both.mass / m.mass, (both.principal_moments.x + both.principal_moments.y + both.principal_moments.z) /
                                         (m.principal_moments.x + m.principal_moments.y + m.principal_moments.z));
        CHECK(back.status == TACT_OK && apart(&m, &back) < 1e-14 * ratio, "back: %g apart", apart(&m, &back));
        tact_mass other = tact_mass_add(n, m);
        CHECK(apart(&both, &other) < 1e-14, "the order matters: %g", apart(&both, &other));
        /* the parallel axis theorem: inertias about any point just add */
        tact_vec3 point = some_vec(&d, 4.0);
        tact_inertia a = tact_mass_inertia_about(m, point), b = tact_mass_inertia_about(n, point),
                     c = tact_mass_inertia_about(both, point);
        CHECK(fabs(a.xx + b.xx - c.xx) < 1e-13 * c.xx, "xx");
        CHECK(fabs(a.xy + b.xy - c.xy) < 1e-13 * (c.xx + c.yy), "xy");
        CHECK(fabs(a.yz + b.yz - c.yz) < 1e-13 * (c.zz + c.yy), "yz");
        tact_inertia own = tact_mass_inertia_about(m, m.centre);
        CHECK(memcmp(&own, &m.inertia, sizeof own) == 0, "about its own centre it is another");
        /* no part of it */
        tact_mass none = tact_mass_remove(m, both);
        CHECK(none.status == TACT_BAD_ARGUMENT && none.mass == 0.0, "less than nothing is left");
        none = tact_mass_remove(m, tact_mass_from_total(cone, tact_at(50, 0, 0), 0.9 * m.mass));
        CHECK(none.status == TACT_BAD_ARGUMENT && none.mass == 0.0, "something that was never there was taken out");
        tact_shape_release(cone);
        tact_shape_release(box);
    }
    assert_true(few_cases() || mirrored >= 50);
}

/* A turned needle: its moment about its own axis is 1e-12 of the others, and still right. */
static void needles_keep_their_least_moment(void **state)
{
    (void)state;
    tact_shape *needle = tact_ellipsoid(1e-6, 1, 1e-6);
    dice d = dice_for(1, 5, 0);
    tact_mass m = tact_mass_from_total(needle, tact_identity(), 1.0);
    assert_true(fabs(m.principal_moments.y / 4e-13 - 1.0) < 1e-14);
    m = tact_mass_transform(m, some_rigid(&d));
    assert_true(fabs(m.principal_moments.y / 4e-13 - 1.0) < 1e-14 && m.principal_moments.x > 0.19);
    tact_shape_release(needle);
}

/* ---- ends of the range ------------------------------------------------------------------------------------------ */

static bool in_range(const tact_mass *m)
{
    const double all[] = {m->mass,
                          m->measure,
                          m->centre.x,
                          m->centre.y,
                          m->centre.z,
                          m->inertia.xx,
                          m->inertia.yy,
                          m->inertia.zz,
                          m->inertia.xy,
                          m->inertia.xz,
                          m->inertia.yz,
                          m->principal_moments.x,
                          m->principal_moments.y,
                          m->principal_moments.z,
                          m->principal_axes.x,
                          m->principal_axes.y,
                          m->principal_axes.z,
                          m->principal_axes.w,
                          m->error};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(fabs(all[i]) <= DBL_MAX))
            return false;
    return true;
}

static tact_vec3 custom_ball(void *context, tact_vec3 n)
{
    double r = *(double *)context, most = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
    n = tact_vec(n.x / most, n.y / most, n.z / most); /* it may have any length */
    double l = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    return tact_vec(r * n.x / l, r * n.y / l, r * n.z / l);
}

static void sizes_at_the_ends_of_the_range(void **state)
{
    (void)state;
    static const double sizes[] = {1e-300, 1e-160, 1e-150, 1e-120, 1e-100, 1e-90, 1.0, 1e90, 1e100, 1e120, 1e149};
    int good = 0, refused = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double s = sizes[i];
        const tact_vec3 p[4] = {{0, 0, 0}, {s, 0, 0}, {0, s, 0}, {0, 0, s}};
        const uint32_t corners[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){p, 4, 0, TACT_SCALAR_DOUBLE};
        def.indices = corners;
        def.index_count = 12;
        def.solid = true;
        tact_shape *shapes[] = {
            tact_sphere(s),
            tact_box(s, s, s),
            tact_capsule(s, s),
            tact_cylinder(s, s),
            tact_cone(s, s),
            tact_ellipsoid(s, s, s),
            tact_tetrahedron(p[0], p[1], p[2], p[3]),
            tact_hull(p, 4),
            tact_triangle(p[0], p[1], p[2]),
            tact_segment(p[0], p[1]),
            tact_mesh_create(&def, NULL),
            tact_soup_create(&def, NULL),
            tact_mesh(p, 4, corners, 4),
            tact_custom(custom_ball, &s, s),
        };
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            tact_transform back = tact_transform_scale(tact_identity(), tact_vec(1.0 / s, 1.0 / s, 1.0 / s));
            bool sampled = k == sizeof shapes / sizeof *shapes - 1;
            if (shapes[k] == NULL)
                continue; /* too large to be made */
            tact_shape *rounded = sampled ? NULL : tact_rounded(shapes[k], 0.25 * s);
            for (int variant = 0; variant < 4; variant++) {
                const tact_shape *shape = variant == 3 ? rounded : shapes[k];
                if (shape == NULL || (variant == 3 && k >= 3 && k <= 5) ||
                    (sampled && (variant == 0 || (i % (quick_form() ? 6 : 5) != 0 && !long_form()))))
                    continue; /* sampled, which takes long */
                tact_mass m = variant == 0   ? tact_mass_from_density(shape, tact_identity(), 1.0)
                              : variant == 1 ? tact_mass_from_total(shape, tact_identity(), 1.0)
                              : variant == 2 ? tact_mass_from_total(shape, back, 1.0)
                                             : tact_mass_from_total(shape, tact_identity(), 1.0);
                assert_true(in_range(&m));
                assert_true(m.status == TACT_OK || (m.status == TACT_BAD_ARGUMENT && m.mass == 0.0));
                if (m.status != TACT_OK) {
                    refused++;
                    assert_true(s < 1e-90 || s > 1e90 || variant == 0);
                    continue;
                }
                good++;
                /* all of a size are alike: the sum of the moments by the square of the size */
                double sum = (m.principal_moments.x + m.principal_moments.y + m.principal_moments.z) / m.mass;
                double length = variant == 2 ? 1.0 : s;
                assert_true(sum / length / length > 0.01 && sum / length / length < 10.0);
            }
            tact_shape_release(rounded);
            tact_shape_release(shapes[k]);
        }
    }
    assert_true(good >= 200 && refused >= 100);
}

static tact_vec3 custom_nan(void *context, tact_vec3 n)
{
    (void)context;
    return tact_vec(n.x, NAN, n.z);
}

static tact_vec3 custom_noise(void *context, tact_vec3 n)
{
    (void)n;
    return some_vec(context, 1.0); /* not even the same twice */
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    const tact_transform at = tact_identity(), singular = tact_transform_scale(at, tact_vec(1, 0, 1));
    tact_transform broken = at;
    dice d = dice_for(1, 8, 0);
    broken.origin.y = NAN;
    tact_shape *box = tact_box(1, 1, 1), *none = tact_compound(NULL, NULL, 0), *no_mesh = tact_mesh(NULL, 0, NULL, 0),
               *nan = tact_custom(custom_nan, NULL, 2.0), *noise = tact_custom(custom_noise, &d, 2.0);
    const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(tact_mass_from_density(box, at, bad[i]).status, TACT_BAD_ARGUMENT);
        assert_int_equal(tact_mass_from_total(box, at, bad[i]).status, TACT_BAD_ARGUMENT);
    }
    assert_int_equal(tact_mass_from_density(NULL, at, 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_from_density(box, singular, 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_from_density(box, broken, 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_from_density(none, at, 1.0).status, TACT_BAD_ARGUMENT);
    if (no_mesh != NULL)
        assert_int_equal(tact_mass_from_density(no_mesh, at, 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_from_density(nan, at, 1.0).status, TACT_BAD_ARGUMENT);
    tact_mass m = tact_mass_from_density(noise, at, 1.0); /* no support function at all: any answer, but finite */
    assert_true(in_range(&m));
    m = tact_mass_from_density(box, at, 1.0);
    const tact_mass failed = tact_mass_from_density(NULL, at, 1.0), empty = {0};
    assert_int_equal(tact_mass_add(m, failed).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_add(empty, m).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_remove(m, m).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_transform(failed, at).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_transform(m, singular).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_transform(m, broken).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mass_transform(m, tact_transform_scale(at, tact_vec(1, 1, 1.001))).status, TACT_BAD_ARGUMENT);
    assert_true(tact_mass_inertia_about(failed, m.centre).xx == 0.0 &&
                tact_mass_inertia_about(m, tact_vec(0, NAN, 0)).xx == 0.0);
    assert_true(tact_mass_inertia_about(m, tact_vec(1e200, 0, 0)).yy == 0.0);
    tact_shape *all[] = {box, none, no_mesh, nan, noise};
    for (size_t i = 0; i < 5; i++)
        tact_shape_release(all[i]);
}

static void any_host_setting_gives_the_same_bits(void **state)
{
    (void)state;
    dice d = dice_for(1, 6, 0);
    tact_transform at = some_affine(&d);
    tact_shape *plain = tact_box(1, 2, 3), *rounded = tact_rounded(plain, 0.5), *cone = tact_cone(1, 2);
    const tact_shape *shapes[] = {plain, rounded, cone};
    for (int i = 0; i < 3; i++) {
        tact_mass m = tact_mass_from_density(shapes[i], at, 1.0);
        for (int setting = 0; setting < ENVIRONMENTS; setting++) {
            set_environment(setting);
            tact_mass n = tact_mass_from_density(shapes[i], at, 1.0);
            bool kept = environment_is(setting);
            set_environment(0);
            assert_true(kept && oracle_mass_same(&m, &n));
        }
    }
    tact_shape_release(plain);
    tact_shape_release(rounded);
    tact_shape_release(cone);
}

static void running_out_of_memory_is_a_status(void **state)
{
    (void)state;
    failing_allocator r = {0};
    tact_shape_def def = tact_shape_def_default();
    tact_vec3 p[30];
    dice d = dice_for(1, 7, 0);
    for (int i = 0; i < 30; i++)
        p[i] = some_vec(&d, 1.0);
    def.type = TACT_HULL;
    def.points = p;
    def.point_count = 30;
    def.margin = 0.1;
    def.allocator = failing_allocator_make(&r);
    tact_shape *shape = tact_shape_create(&def, NULL);
    assert_non_null(shape);
    tact_mass m = tact_mass_from_density(shape, tact_identity(), 1.0);
    size_t held = r.held;
    int failures = 0;
    for (long n = 1; n < 1000; n++) {
        r.calls = 0;
        r.fail_at = n;
        tact_mass again = tact_mass_from_density(shape, tact_identity(), 1.0);
        assert_true(r.held == held);
        if (again.status == TACT_OK) {
            assert_true(oracle_mass_same(&m, &again));
            break;
        }
        assert_int_equal(again.status, TACT_OUT_OF_MEMORY);
        assert_true(again.mass == 0.0);
        failures++;
    }
    r.fail_at = 0;
    assert_true(failures >= 4);
    tact_shape_release(shape);
    assert_true(r.held == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solid_meshes_match_long_double),
        cmocka_unit_test(open_meshes_match_long_double),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(soups_and_compounds_are_sums),
        cmocka_unit_test(masses_are_transformed_added_and_removed),
        cmocka_unit_test(needles_keep_their_least_moment),
        cmocka_unit_test(sizes_at_the_ends_of_the_range),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(any_host_setting_gives_the_same_bits),
        cmocka_unit_test(running_out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
