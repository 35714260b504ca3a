/* The scenes of the contact race: they start as stated, and the measurements have known results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <tact/mass.h>

#include "contact_scene.h"
#include "math/vec.h"

#define KINDS (CONTACT_TERRAIN + 1)

static contact_state *states_at_start(const contact_scene *s)
{
    contact_state *states = malloc((size_t)s->body_count * sizeof *states);
    assert_non_null(states);
    for (int i = 0; i < s->body_count; i++)
        states[i] = (contact_state){s->bodies[i].transform, s->bodies[i].velocity, s->bodies[i].spin};
    return states;
}

static void bodies_start_apart_in_their_principal_frames(void **state)
{
    (void)state;
    static const int sizes[KINDS] = {3, 3, 4, 7, 9, 20, 40, 2};
    int hulls = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        contact_scene s;
        assert_true(tact_contact_scene_create(&s, (contact_scene_kind)kind, sizes[kind], 1));
        contact_state *states = states_at_start(&s);
        const contact_overlap deepest = tact_contact_overlap(&s, states);
        assert_false(deepest.failed);
        if (deepest.relative > 1e-12)
            fail_msg("scene %d: %d and %d overlap by %g", kind, deepest.a, deepest.b, deepest.relative);
        for (int i = 0; i < s.body_count; i++) {
            const contact_body *b = &s.bodies[i];
            if (b->mass == 0.0)
                continue;
            const tact_mass m = tact_mass_from_total(b->shape.shape, tact_identity(), b->mass);
            const double trace = m.inertia.xx + m.inertia.yy + m.inertia.zz;
            assert_int_equal(m.status, TACT_OK);
            assert_true(vec_length(m.centre) <= 1e-12 * b->shape.extent);
            assert_true(fabs(m.inertia.xy) + fabs(m.inertia.xz) + fabs(m.inertia.yz) <= 1e-12 * trace);
            hulls += b->shape.kind == CONTACT_HULL;
        }
        free(states);
        tact_contact_scene_release(&s);
    }
    assert_true(hulls >= 12);
}

static void measurements_of_a_stack(void **state)
{
    (void)state;
    contact_scene s;
    assert_true(tact_contact_scene_create(&s, CONTACT_STACK, 2, 1));
    contact_state *states = states_at_start(&s);
    assert_int_equal(s.body_count, 3);
    assert_int_equal(tact_contact_misses(&s, states), 0);
    const double energy = tact_contact_energy(&s, states);
    assert_true(fabs(energy - 1000.0 * CONTACT_GRAVITY * (0.5 + 1.5001)) < 1e-6 * energy);
    states[2].velocity = vec_make(3.0, 0.0, 4.0); /* 12,500 J */
    states[2].spin = vec_make(0.0, 6.0, 0.0);     /* a moment of 1000 / 6: 3,000 J */
    assert_true(fabs(tact_contact_energy(&s, states) - energy - 15500.0) < 1e-6 * energy);
    states[2].transform.origin.y -= 0.1001; /* of an extent of 0.5 */
    const contact_overlap deepest = tact_contact_overlap(&s, states);
    assert_true(fabs(deepest.relative - 0.2) < 1e-9);
    assert_int_equal(deepest.a, 1);
    assert_int_equal(deepest.b, 2);
    states[2].transform.origin.x += 1.0;
    assert_int_equal(tact_contact_misses(&s, states), 1);
    free(states);
    tact_contact_scene_release(&s);
}

static void goals_of_dominoes_and_piles(void **state)
{
    (void)state;
    contact_scene s;
    assert_true(tact_contact_scene_create(&s, CONTACT_DOMINOES, 3, 1));
    contact_state *states = states_at_start(&s);
    assert_int_equal(tact_contact_misses(&s, states), 3); /* none has fallen yet */
    free(states);
    tact_contact_scene_release(&s);
    assert_true(tact_contact_scene_create(&s, CONTACT_POUR, 5, 1));
    states = states_at_start(&s);
    assert_int_equal(tact_contact_misses(&s, states), 0);
    states[s.body_count - 1].transform.origin.x = 1.1; /* in a wall */
    states[s.body_count - 2].transform.origin.y = -0.1;
    assert_int_equal(tact_contact_misses(&s, states), 2);
    free(states);
    tact_contact_scene_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_start_apart_in_their_principal_frames),
                                       cmocka_unit_test(measurements_of_a_stack),
                                       cmocka_unit_test(goals_of_dominoes_and_piles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
