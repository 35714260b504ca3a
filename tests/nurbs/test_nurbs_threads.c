/*
 * Worlds with NURBS bodies give the same results, bit for bit, on any number of threads: tests of deforming bodies
 * with each other and with themselves, and touches in continuous time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/nurbs_bodies.h"
#include "support/random.h"
#include "support/reverse_loop.h"

enum { BODIES = 6, MAX_POINTS = 300 };

typedef struct result {
    uint64_t hash;
    size_t contacts, own, touches;
} result;

static void add(result *r, uint64_t word)
{
    r->hash = (r->hash ^ word) * UINT64_C(0x9e3779b97f4a7c15) + (r->hash >> 29);
}

static void add_point(result *r, tact_vec3 p)
{
    uint64_t bits[3];
    memcpy(bits, &p, sizeof bits);
    for (int k = 0; k < 3; k++)
        add(r, bits[k]);
}

static void on_contact(void *context, const tact_contact *contact)
{
    result *r = context;
    r->contacts++;
    r->own += contact->a.index == contact->b.index;
    add(r, (uint64_t)contact->a.index << 32 | contact->b.index);
    add_point(r, contact->on_a);
    add_point(r, contact->on_b);
}

/* Sheets, tubes and cubes in a row that overlap their neighbours; half of the sheets are folded over. */
static nurbs_body make_body(int i, random_source *r)
{
    nurbs_body body = i % 3 == 0   ? nurbs_body_sheet(3, 8, 6, 0.05)
                      : i % 3 == 1 ? nurbs_body_tube(2, 7, 5, 0.3, 0.5, 0.1)
                                   : nurbs_body_cube(2, 4, 0.3, 0.1);
    for (size_t k = 0; k < body.point_count; k++) {
        tact_vec3 *p = &body.points[k];
        if (i % 6 == 0)
            *p = (tact_vec3){0.3 * sin(7.0 * p->x), p->y, 0.3 * cos(7.0 * p->x)};
        p->x += 0.7 * i;
        p->z += i % 3 == 0 ? random_range(r, -0.02, 0.02) : 0.0;
    }
    return body;
}

static result run(const tact_parallel *parallel)
{
    result out = {0};
    random_source r = random_seed(42);
    tact_world *world = tact_world_create(&(tact_world_def){.parallel = *parallel});
    const tact_response response = {.want = TACT_CONTACT_POINTS, .callback = on_contact, .context = &out};
    assert_true(tact_world_set_contact_callback(world, response) == TACT_OK);
    tact_body bodies[BODIES];
    nurbs_body shapes[BODIES];
    for (int i = 0; i < BODIES; i++) {
        shapes[i] = make_body(i, &r);
        tact_shape *shape = tact_nurbs_create(shapes[i].defs, (size_t)shapes[i].count, NULL);
        assert_non_null(shape);
        bodies[i] =
            tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true, .self_collision = true});
        tact_shape_release(shape);
    }
    for (int frame = 0; frame < 3; frame++) {
        assert_int_equal(tact_world_test(world).status, TACT_OK);
        for (int i = frame % 2; i < BODIES; i += 2) {
            const size_t k = random_below(&r, shapes[i].point_count);
            shapes[i].points[k].z += 0.2;
            assert_int_equal(tact_body_move_control_points(world, bodies[i], k, 1, &shapes[i].points[k]), TACT_OK);
        }
    }
    for (int i = 0; i < BODIES; i += 2) {
        tact_vec3 velocities[MAX_POINTS];
        assert_true(shapes[i].point_count <= MAX_POINTS);
        for (size_t k = 0; k < shapes[i].point_count; k++)
            velocities[k] = (tact_vec3){0.5, 0.0, 0.1};
        assert_int_equal(tact_body_set_vertex_motion(world, bodies[i], &(tact_vertex_motion){.velocities = velocities}),
                         TACT_OK);
    }
    for (tact_event e; tact_world_next_event(world, 0.05, &e) == TACT_EVENT_TOUCH; out.touches++) {
        add_point(&out, e.point);
        add_point(&out, (tact_vec3){e.time, e.a.index, e.b.index});
    }
    for (int i = 0; i < BODIES; i++)
        nurbs_body_free(&shapes[i]);
    tact_world_release(world);
    return out;
}

static void results_are_the_same_on_any_threads(void **state)
{
    (void)state;
    const tact_parallel ways[] = {{.threads = 1}, {.threads = 3}, {.loop = reverse_loop}};
    const result first = run(&ways[0]);
    print_message("%zu contacts, %zu of bodies with themselves, %zu touches\n", first.contacts, first.own,
                  first.touches);
    assert_true(first.contacts > 8 && first.own > 2 && first.touches > 1);
    for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
        const result other = run(&ways[i]);
        assert_int_equal(other.hash, first.hash);
        assert_int_equal(other.contacts, first.contacts);
        assert_int_equal(other.touches, first.touches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_the_same_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
