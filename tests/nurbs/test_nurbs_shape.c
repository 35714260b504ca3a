/*
 * NURBS shapes through the public API: surfaces that touch are always reported, surfaces farther apart than twice the
 * sum of the tolerances never, for every kind of other shape and any transform; times of impact; deformable bodies in
 * worlds; bad input and memory that runs out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "oracle/nurbs_models.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

static tact_shape *make_model(nurbs_model_case *c, nurbs_model_kind kind, double tolerance, bool solid)
{
    nurbs_model_case_make(c, kind, NULL);
    for (size_t i = 0; i < c->count; ++i) {
        c->defs[i].tolerance = tolerance;
        c->defs[i].solid = solid;
    }
    tact_report report;
    tact_shape *shape = tact_nurbs_create(c->defs, c->count, &report);
    if (shape == NULL)
        fail_msg("%s", report.text);
    return shape;
}

/* ---- touching ---- */

/* A shape whose distance from a sphere about the origin has a closed form: other spheres, as shapes of all classes. */
typedef enum sphere_kind {
    AS_SPHERE,
    AS_CAPSULE,
    AS_NURBS,
    AS_COMPOUND,
    AS_SCALED_NURBS,
    AS_NURBS_IN_COMPOUND,
    SPHERE_KINDS
} sphere_kind;

typedef struct sphere_shapes {
    tact_shape *shape[SPHERE_KINDS];
    double tolerance[SPHERE_KINDS]; /* relative to the radius */
} sphere_shapes;

static sphere_shapes make_spheres(void)
{
    nurbs_model_case c;
    sphere_shapes s = {{0}, {0}};
    s.shape[AS_SPHERE] = tact_sphere(1.0);
    s.shape[AS_CAPSULE] = tact_capsule(1.0, 0.0);
    s.shape[AS_NURBS] = make_model(&c, NURBS_MODEL_SPHERE, 0.03, false);
    s.shape[AS_SCALED_NURBS] = tact_shape_retain(s.shape[AS_NURBS]);
    const tact_transform at = tact_identity();
    s.shape[AS_COMPOUND] = tact_compound((const tact_shape *const *)&s.shape[AS_SPHERE], &at, 1);
    s.shape[AS_NURBS_IN_COMPOUND] = tact_compound((const tact_shape *const *)&s.shape[AS_NURBS], &at, 1);
    s.tolerance[AS_NURBS] = s.tolerance[AS_SCALED_NURBS] = s.tolerance[AS_NURBS_IN_COMPOUND] = 0.03;
    return s;
}

static void release_spheres(sphere_shapes *s)
{
    for (int i = 0; i < SPHERE_KINDS; ++i)
        tact_shape_release(s->shape[i]);
}

/* A rotation, uniformly scaled; mirrored at random. */
static tact_transform random_similarity(random_source *r, double scale, tact_vec3 origin)
{
    const double mirror = random_below(r, 2) == 0 ? -1.0 : 1.0;
    return tact_transform_make(origin, random_rotation(r), (tact_vec3){scale * mirror, scale, scale});
}

static void spheres_that_touch_are_reported(void **state)
{
    (void)state;
    sphere_shapes s = make_spheres();
    int touching[SPHERE_KINDS] = {0}, apart[SPHERE_KINDS] = {0}, between = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(600, 45000); ++seed) {
        random_source r = random_seed(seed);
        const sphere_kind kind = (sphere_kind)random_below(&r, SPHERE_KINDS);
        const double ra = fabs(random_size(&r, -3, 3)),
                     rb = kind == AS_SPHERE || kind == AS_CAPSULE ? 1.0 : fabs(random_size(&r, -3, 3));
        const double errors = 0.03 * ra + s.tolerance[kind] * rb;
        /* surfaces: apart, touching or crossing, but none inside the other */
        const double gap =
            random_below(&r, 3) == 0 ? random_range(&r, -0.3, 0.0) * fmin(ra, rb) : random_range(&r, 0.0, 4.0) * errors;
        const tact_vec3 direction = random_direction(&r);
        const tact_vec3 centre = {random_range(&r, -9.0, 9.0), random_range(&r, -9.0, 9.0),
                                  random_range(&r, -9.0, 9.0)};
        const double d = ra + rb + gap;
        const tact_transform at_a = random_similarity(&r, ra, centre);
        const tact_transform at_b = random_similarity(
            &r, rb, (tact_vec3){centre.x + d * direction.x, centre.y + d * direction.y, centre.z + d * direction.z});
        const tact_overlap o = tact_shapes_overlap(s.shape[AS_NURBS], at_a, s.shape[kind], at_b, NULL);
        CHECK(o.status == TACT_OK, "status %d", (int)o.status);
        if (gap <= 0.0)
            CHECK(o.state == TACT_HIT, "kind %d, gap %g", (int)kind, gap);
        if (gap > 2.001 * errors)
            CHECK(o.state == TACT_MISS, "kind %d, gap %g, errors %g", (int)kind, gap, errors);
        touching[kind] += gap <= 0.0;
        apart[kind] += gap > 2.001 * errors;
        between += gap > 0.0 && o.state == TACT_HIT;
        const tact_distance near = tact_shapes_distance(s.shape[AS_NURBS], at_a, s.shape[kind], at_b);
        CHECK(near.status == TACT_OK || near.status == TACT_NOT_CONVERGED, "status %d", (int)near.status);
        CHECK(near.distance <= fmax(gap, 0.0) + 1e-9 && near.distance >= gap - 2.001 * errors, "distance %g, gap %g",
              near.distance, gap);
        tact_bounds box;
        assert_int_equal(tact_shape_bounds(s.shape[AS_NURBS], at_a, &box), TACT_OK);
        CHECK(box.max.x >= centre.x + ra && box.min.z <= centre.z - ra, "the box %g %g is too small", box.max.x,
              box.min.z);
    }
    for (int i = 0; i < SPHERE_KINDS && !few_cases(); ++i)
        assert_true(touching[i] > 20 && apart[i] > 20);
    assert_true(few_cases() || between > 20);
    release_spheres(&s);
}

static void a_solid_contains_what_is_inside(void **state)
{
    (void)state;
    nurbs_model_case c;
    tact_shape *ball = tact_sphere(0.1);
    for (int kind = 0; kind <= NURBS_MODEL_CUBE; ++kind) {
        tact_shape *solid = make_model(&c, (nurbs_model_kind)kind, 0.05, true);
        tact_shape *surface = make_model(&c, (nurbs_model_kind)kind, 0.05, false);
        const bool torus = kind == NURBS_MODEL_TORUS || kind == NURBS_MODEL_PERIODIC_TORUS;
        const tact_transform inside = torus ? tact_at(2.0, 0.0, 0.0) : tact_at(0.3, 0.1, -0.2);
        const tact_transform outside = torus ? tact_at(0.0, 0.0, 0.0) : tact_at(2.0, 0.0, 0.0);
        assert_int_equal(tact_shapes_overlap(solid, tact_identity(), ball, inside, NULL).state, TACT_HIT);
        assert_int_equal(tact_shapes_overlap(surface, tact_identity(), ball, inside, NULL).state, TACT_MISS);
        assert_int_equal(tact_shapes_overlap(solid, tact_identity(), ball, outside, NULL).state, TACT_MISS);
        assert_int_equal(tact_shape_get_type(solid), TACT_NURBS);
        const tact_mesh_findings found = tact_mesh_check(solid);
        assert_true(found.closed && !found.inverted && found.inconsistent_edges == 0);
        tact_shape_release(solid);
        tact_shape_release(surface);
    }
    tact_shape_release(ball);
}

static void times_of_impact_are_never_late(void **state)
{
    (void)state;
    sphere_shapes s = make_spheres();
    for (uint64_t seed = first_seed(); seed <= last_seed(150); ++seed) {
        random_source r = random_seed(seed);
        const sphere_kind kind = (sphere_kind)random_below(&r, SPHERE_KINDS);
        const tact_motion motion = {.velocity = {random_range(&r, 0.5, 2.0), 0.0, 0.0},
                                    .spin =
                                        random_below(&r, 2) == 0 ? (tact_vec3){0.0, 0.0, 0.0} : random_direction(&r)};
        const double y = random_range(&r, 0.0, 1.9), errors = 0.03 + s.tolerance[kind];
        const double first = (5.0 - sqrt(4.0 - y * y)) / motion.velocity.x, reach = 2.0 + 2.001 * errors,
                     earliest = (5.0 - sqrt(reach * reach - y * y)) / motion.velocity.x;
        const tact_toi hit =
            tact_shapes_time_of_impact(s.shape[AS_NURBS], tact_at(-5.0, 0.0, 0.0), motion, s.shape[kind],
                                       random_similarity(&r, 1.0, (tact_vec3){0.0, y, 0.0}), tact_motion_still(), 20.0);
        CHECK(hit.state == TACT_HIT, "no hit, kind %d, y %g, spin %g, status %d", (int)kind, y, motion.spin.x,
              (int)hit.status);
        CHECK(hit.time <= first + 1e-9 && hit.time >= earliest - 1e-6, "%g is not in [%g, %g]", hit.time, earliest,
              first);
    }
    release_spheres(&s);
}

/* Bodies that the program lets overlap: one touch when the surfaces meet, and the time goes on. */
static void bodies_pass_through_surfaces(void **state)
{
    (void)state;
    sphere_shapes s = make_spheres();
    for (uint64_t seed = first_seed(); seed <= last_seed(60); ++seed) {
        random_source r = random_seed(seed);
        const sphere_kind kind = (sphere_kind)random_below(&r, SPHERE_KINDS);
        const double y = random_range(&r, 0.0, 1.8), speed = random_range(&r, 0.5, 2.0);
        const bool other_moves = random_chance(&r, 0.5);
        tact_world *world = tact_world_create(NULL);
        const tact_motion motion = {.velocity = {other_moves ? -speed : speed, 0.0, 0.0},
                                    .spin = random_chance(&r, 0.5) ? (tact_vec3){0.0, 0.0, 0.0} : random_direction(&r)};
        tact_body_def one = {.shape = s.shape[AS_NURBS], .transform = tact_at(-5.0, 0.0, 0.0)};
        tact_body_def other = {.shape = s.shape[kind],
                               .transform = random_similarity(&r, 1.0, (tact_vec3){0.0, y, 0.0})};
        *(other_moves ? &other.motion : &one.motion) = motion;
        CHECK(tact_body_create(world, &one).generation != 0 && tact_body_create(world, &other).generation != 0, "body");
        const double reach = 2.0 + 2.001 * (0.03 + s.tolerance[kind]);
        tact_event e;
        CHECK(tact_world_next_event(world, 30.0, &e) == TACT_EVENT_TOUCH, "no touch, kind %d", (int)kind);
        CHECK(e.time <= (5.0 - sqrt(4.0 - y * y)) / speed + 1e-9 &&
                  e.time >= (5.0 - sqrt(reach * reach - y * y)) / speed - 1e-6,
              "time %g", e.time);
        int more = 0;
        while (more < 8 && tact_world_next_event(world, 30.0, &e) == TACT_EVENT_TOUCH)
            ++more;
        /* triangles of both may come apart and meet again while the spheres barely touch */
        CHECK(more <= 2 && e.status == TACT_OK && tact_world_get_time(world) == 30.0,
              "%d more, kind %d, y %g, status %d", more, (int)kind, y, (int)e.status);
        tact_world_release(world);
    }
    release_spheres(&s);
}

static void tolerances_are_kept(void **state)
{
    (void)state;
    nurbs_model_case c;
    for (int kind = 0; kind <= NURBS_MODEL_CUBE; ++kind)
        for (double tolerance = 0.2; tolerance > (quick_form() ? 4e-3 : 1e-3); tolerance *= 0.5) {
            tact_shape *shape = make_model(&c, (nurbs_model_kind)kind, tolerance, false);
            assert_true(tact_nurbs_get_error(shape) <= 8.0 / 9.0 * tolerance); /* docs/nurbs.md */
            tact_shape_release(shape);
        }
    tact_shape *shape = make_model(&c, NURBS_MODEL_SHEET, 0.0, false);
    tact_bounds box = {c.defs[0].points[0], c.defs[0].points[0]};
    for (size_t i = 1; i < c.defs[0].counts[0] * c.defs[0].counts[1]; ++i) {
        const tact_vec3 p = c.defs[0].points[i];
        box.min = tact_vec(fmin(box.min.x, p.x), fmin(box.min.y, p.y), fmin(box.min.z, p.z));
        box.max = tact_vec(fmax(box.max.x, p.x), fmax(box.max.y, p.y), fmax(box.max.z, p.z));
    }
    const double extent = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
    tact_nurbs_def def;
    assert_int_equal(tact_nurbs_get_surface(shape, 0, &def), TACT_OK);
    assert_true(fabs(def.tolerance - extent / 512.0) <= 1e-12 * extent);
    tact_shape_release(shape);
}

/* The size of a surface does not change its tessellation: the error has the same bits. */
static void tiny_and_huge_surfaces_are_alike(void **state)
{
    (void)state;
    nurbs_model_case c;
    for (int kind = 0; kind <= NURBS_MODEL_CUBE; ++kind) {
        tact_shape *one = make_model(&c, (nurbs_model_kind)kind, 0x1p-7, false);
        for (int i = 0; i < 4; i += quick_form() ? 3 : 1) {
            const int exponent = (const int[]){-560, -300, 300, 490}[i];
            nurbs_model_case_make(&c, (nurbs_model_kind)kind, NULL);
            for (size_t s = 0; s < c.count; ++s) {
                c.defs[s].tolerance = ldexp(0x1p-7, exponent);
                for (size_t k = 0; k < c.defs[s].counts[0] * c.defs[s].counts[1]; ++k) {
                    tact_vec3 *p = &c.points[(size_t)(c.defs[s].points - c.points) + k];
                    *p = tact_vec(ldexp(p->x, exponent), ldexp(p->y, exponent), ldexp(p->z, exponent));
                }
            }
            tact_report report;
            tact_shape *shape = tact_nurbs_create(c.defs, c.count, &report);
            if (shape == NULL)
                fail_msg("2^%d: %s", exponent, report.text);
            assert_true(tact_nurbs_get_error(shape) == ldexp(tact_nurbs_get_error(one), exponent));
            tact_shape_release(shape);
        }
        tact_shape_release(one);
    }
}

/* ---- bodies ---- */

static void count_contact(void *context, const tact_contact *contact)
{
    (void)contact;
    ++*(int *)context;
}

static void control_points_move_a_body(void **state)
{
    (void)state;
    nurbs_model_case c;
    tact_shape *sheet = make_model(&c, NURBS_MODEL_SHEET, 0.02, false), *ball = tact_sphere(0.5);
    tact_world *world = tact_world_create(NULL);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    const tact_body rigid =
        tact_body_create(world, &(tact_body_def){.shape = sheet, .transform = tact_at(0.0, 0.0, -9.0)});
    const tact_body other =
        tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(5.0, 3.0, 4.0)});
    int contacts = 0;
    (void)tact_world_set_contact_callback(world, (tact_response){.callback = count_contact, .context = &contacts});
    assert_int_equal(tact_body_get_control_points(world, body, NULL, 0), 96);
    assert_int_equal(tact_body_get_control_points(world, rigid, NULL, 0), 96);
    assert_int_equal(tact_body_get_control_points(world, other, NULL, 0), 0);
    size_t sizes = 0, last = 0;
    bool met = false;
    for (int frame = 0; frame < 60; ++frame) {
        for (int i = 40; i < 56; ++i)
            c.points[i].z += 0.1;
        assert_int_equal(tact_body_move_control_points(world, body, 40, 16, c.points + 40), TACT_OK);
        contacts = 0;
        assert_int_equal(tact_world_test(world).status, TACT_OK);
        /* the same as a rigid body made of the same control points */
        tact_shape *now = tact_nurbs(&c.defs[0]);
        const tact_transform at = tact_identity();
        assert_int_equal(contacts > 0,
                         tact_shapes_overlap(now, at, ball, tact_at(5.0, 3.0, 4.0), NULL).state == TACT_HIT);
        const tact_shape *current = tact_body_get_current_shape(world, body);
        assert_int_equal(tact_shape_get_type(current), TACT_NURBS);
        assert_int_equal(tact_mesh_get_size(current).triangles, tact_mesh_get_size(now).triangles);
        tact_vec3 a[4096], b[4096];
        const size_t count = tact_body_get_vertices(world, body, a, 4096);
        assert_true(count <= 4096 && tact_shape_get_points(now, b, 4096) == count);
        assert_memory_equal(a, b, count * sizeof *a);
        tact_shape_release(now);
        sizes += count != last;
        last = count;
        met = met || contacts > 0;
        if (frame % 5 == 0)
            assert_int_equal(tact_world_store_previous(world), TACT_OK);
    }
    assert_true(met && sizes > 2 && sizes < 60);
    tact_vec3 points[96];
    assert_int_equal(tact_body_get_control_points(world, body, points, 96), 96);
    assert_memory_equal(points, c.points, sizeof points);
    tact_world_release(world);
    tact_shape_release(sheet);
    tact_shape_release(ball);
}

/* A sheet that is rolled up more and more touches itself; a flat or bent one does not. */
static void bodies_touch_themselves(void **state)
{
    (void)state;
    nurbs_model_case c;
    tact_shape *sheet = make_model(&c, NURBS_MODEL_SHEET, 0.05, false);
    tact_world *world = tact_world_create(NULL);
    const tact_body body =
        tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true, .self_collision = true});
    assert_true(body.generation != 0);
    int contacts = 0, first = 0;
    (void)tact_world_set_contact_callback(
        world, (tact_response){.want = TACT_CONTACTS, .callback = count_contact, .context = &contacts});
    for (int frame = 0; frame < 40; ++frame) {
        /* an arc of growing angle: it closes at 2 pi, where both ends meet */
        const double angle = 0.2 + 0.2 * frame, radius = 11.0 / angle;
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 8; ++j)
                c.points[i * 8 + j] =
                    (tact_vec3){radius * sin(angle * i / 11.0), j, radius * (1.0 - cos(angle * i / 11.0))};
        assert_int_equal(tact_body_move_control_points(world, body, 0, 96, c.points), TACT_OK);
        contacts = 0;
        assert_int_equal(tact_world_test(world).status, TACT_OK);
        if (contacts > 0 && first == 0)
            first = frame;
        assert_true(contacts == 0 || angle > 6.0);
        assert_true(contacts == 1 || angle < 6.4); /* beyond 2 pi the ends overlap */
    }
    assert_true(first > 0);
    tact_world_release(world);
    tact_shape_release(sheet);
}

static void bad_moves_change_nothing(void **state)
{
    (void)state;
    nurbs_model_case c;
    tact_shape *sheet = make_model(&c, NURBS_MODEL_SHEET, 0.02, false);
    tact_world *world = tact_world_create(NULL);
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    const tact_body rigid = tact_body_create(world, &(tact_body_def){.shape = sheet});
    const tact_vec3 fine = {0.0, 0.0, 1.0}, nan = {NAN, 0.0, 0.0}, huge = {1e200, 0.0, 0.0}, far = {1e30, 0.0, 0.0};
    assert_int_equal(tact_body_move_control_points(NULL, body, 0, 1, &fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, (tact_body){0}, 0, 1, &fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, rigid, 0, 1, &fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, body, 96, 1, &fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, body, 0, SIZE_MAX, &fine), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, body, 0, 1, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, body, 0, 1, &nan), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, body, 0, 1, &huge), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_move_control_points(world, body, 0, 1, &far),
                     TACT_BAD_ARGUMENT); /* too many triangles */
    assert_int_equal(tact_body_move_control_points(world, body, 96, 0, NULL), TACT_OK);
    const tact_vertices vertices = {.data = c.points, .count = tact_body_get_vertices(world, body, NULL, 0)};
    assert_int_equal(tact_body_deform(world, body, vertices), TACT_BAD_ARGUMENT);
    tact_vec3 points[96];
    (void)tact_body_get_control_points(world, body, points, 96);
    assert_memory_equal(points, c.points, sizeof points);
    tact_world_release(world);
    tact_shape_release(sheet);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bool done = false;
    long failures = 0;
    for (long at = 1; !done; ++at) {
        failing_allocator memory = {.fail_at = at};
        const tact_allocator allocator = failing_allocator_make(&memory);
        nurbs_model_case c;
        nurbs_model_case_make(&c, NURBS_MODEL_SHEET, NULL);
        c.defs[0].tolerance = 0.2;
        c.defs[0].allocator = allocator;
        tact_report report;
        tact_shape *sheet = tact_nurbs_create(c.defs, 1, &report);
        if (sheet == NULL) {
            assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
            assert_int_equal(memory.held, 0);
            ++failures;
            continue;
        }
        tact_world *world = tact_world_create(&(tact_world_def){.allocator = allocator});
        const tact_body body = world != NULL
                                   ? tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true})
                                   : (tact_body){0};
        if (body.generation != 0) {
            done = true;
            for (int k = 0; k < 3; ++k) {
                const tact_vec3 before = c.points[44];
                c.points[44].z += k == 0 ? 0.001 : 1.0;
                const tact_status status = tact_body_move_control_points(world, body, 44, 1, &c.points[44]);
                if (status != TACT_OK) {
                    assert_int_equal(status, TACT_OUT_OF_MEMORY);
                    tact_vec3 points[96];
                    (void)tact_body_get_control_points(world, body, points, 96);
                    assert_memory_equal(&points[44], &before, sizeof before);
                    c.points[44] = before;
                    done = false;
                }
                (void)tact_world_store_previous(world);
            }
            done = done && memory.calls < at;
        }
        failures += !done;
        tact_world_release(world);
        tact_shape_release(sheet);
        assert_int_equal(memory.held, 0);
    }
    assert_true(failures > 60);
}

static void bad_shapes_are_explained(void **state)
{
    (void)state;
    nurbs_model_case c;
    tact_report report;
    assert_null(tact_nurbs_create(NULL, 1, &report));
    assert_non_null(strstr(report.text, "NULL"));
    nurbs_model_case_make(&c, NURBS_MODEL_SHEET, NULL);
    assert_null(tact_nurbs_create(c.defs, 0, &report));
    assert_non_null(strstr(report.text, "no surface"));
    c.defs[0].margin = -1.0;
    assert_null(tact_nurbs_create(c.defs, 1, &report));
    assert_non_null(strstr(report.text, "margin"));
    c.defs[0].margin = 0.0;
    const double knots[] = {0.0, 0.0, 1.0, 1.0};
    const tact_vec3 points[4] = {{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}};
    const tact_nurbs_def point = {.degree = {1, 1}, .counts = {2, 2}, .knots = {knots, knots}, .points = points};
    assert_null(tact_nurbs_create(&point, 1, &report));
    assert_non_null(strstr(report.text, "points"));
    assert_null(tact_nurbs(NULL));
    assert_null(tact_nurbs_create(&point, ((size_t)1 << 20) + 1, &report));
    assert_non_null(strstr(report.text, "too many surfaces"));
    enum { SIDE = 1026 }; /* 1,025 x 1,025 patches: more than 2^20 */
    static double many[SIDE + 2];
    for (int i = 0; i < SIDE + 2; ++i)
        many[i] = i;
    tact_vec3 *net = calloc((size_t)SIDE * SIDE, sizeof *net);
    assert_non_null(net);
    const tact_nurbs_def large = {.degree = {1, 1}, .counts = {SIDE, SIDE}, .knots = {many, many}, .points = net};
    assert_null(tact_nurbs_create(&large, 1, &report));
    assert_non_null(strstr(report.text, "patches"));
    free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_that_touch_are_reported),
        cmocka_unit_test(a_solid_contains_what_is_inside),
        cmocka_unit_test(times_of_impact_are_never_late),
        cmocka_unit_test(bodies_pass_through_surfaces),
        cmocka_unit_test(tolerances_are_kept),
        cmocka_unit_test(tiny_and_huge_surfaces_are_alike),
        cmocka_unit_test(control_points_move_a_body),
        cmocka_unit_test(bodies_touch_themselves),
        cmocka_unit_test(bad_moves_change_nothing),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(bad_shapes_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
