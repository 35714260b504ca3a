/*
 * Rigid bodies come to rest on NURBS surfaces: on rigid ones and on deformable ones whose control points do not move;
 * and solids that NURBS surfaces bound come to rest on others. The resting height is that of the surface, plus at most
 * twice the error of its triangles and the rest gap.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "oracle/nurbs_models.h"

static const tact_material wood = {.friction = 0.5};

/* A sheet over [-5, 5]^2 in x and z, y = depth (x^2 + z^2) / 25 at its control points. */
static tact_shape *make_sheet(double depth)
{
    static const double knots[10] = {0, 0, 0, 0, 1, 2, 3, 3, 3, 3};
    tact_vec3 points[36];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            const double x = 2.0 * i - 5.0, z = 2.0 * k - 5.0;
            points[6 * i + k] = tact_vec(x, depth * (x * x + z * z) / 25.0, z);
        }
    return tact_nurbs(&(tact_nurbs_def){
        .degree = {3, 3}, .counts = {6, 6}, .knots = {knots, knots}, .points = points, .tolerance = 0.01});
}

/* Steps until the body sleeps; at most 8 seconds. */
static void step_until_rest(tact_world *world, tact_body body)
{
    for (int frame = 0; frame < 480 && !tact_body_is_asleep(world, body); frame++)
        assert_int_equal(tact_world_step(world, 1.0 / 60.0), TACT_OK);
}

static void bodies_rest_on_sheets(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const bool flat = i % 2 == 0, deformable = i / 2 % 2 != 0, box = i / 4 == 0;
        tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0, -9.81, 0}});
        tact_shape *sheet = make_sheet(flat ? 0.0 : 1.0), *shape = box ? tact_box(1, 0.8, 0.6) : tact_cylinder(0.4, 1);
        tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = deformable, .material = wood});
        const tact_body body = tact_body_create(
            world,
            &(tact_body_def){.shape = shape, .transform = tact_at(0.1, 1.5, 0.2), .density = 500, .material = wood});
        step_until_rest(world, body);
        assert_true(tact_body_is_asleep(world, body));
        const tact_transform at = tact_body_get_transform(world, body);
        const double error = tact_nurbs_get_error(sheet);
        const tact_nurbs_separation gap = tact_nurbs_distance(sheet, tact_identity(), shape, at, NULL);
        if (!(gap.upper > 0.0 && gap.lower < 2.0 * error + 0.001))
            fail_msg("case %d: %g to %g from the surface; its error is %g", i, gap.lower, gap.upper, error);
        assert_true(!flat || fabs(at.origin.y - (box ? 0.4 : 0.5) - error) < 0.001);
        tact_world_release(world);
        tact_shape_release(sheet);
        tact_shape_release(shape);
    }
}

/* A cube of six surfaces on a box, and a box on the cube. */
static void solids_rest_on_others(void **state)
{
    (void)state;
    nurbs_model_case model;
    nurbs_model_case_make(&model, NURBS_MODEL_CUBE, NULL);
    for (size_t i = 0; i < model.count; i++)
        model.defs[i].tolerance = 0.01;
    model.defs[0].solid = true;
    tact_report report;
    tact_shape *cube = tact_nurbs_create(model.defs, model.count, &report), *slab = tact_box(10, 1, 10),
               *crate = tact_box(1, 1, 1);
    if (cube == NULL)
        fail_msg("%s", report.text);
    tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0, -9.81, 0}});
    tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0, -0.5, 0), .material = wood});
    const tact_body below = tact_body_create(world, &(tact_body_def){.shape = cube,
                                                                     .transform = tact_at(0, 1.2, 0),
                                                                     .density = 500,
                                                                     .material = wood}),
                    above = tact_body_create(world, &(tact_body_def){.shape = crate,
                                                                     .transform = tact_at(0.1, 3, 0.1),
                                                                     .density = 500,
                                                                     .material = wood});
    step_until_rest(world, above);
    assert_true(tact_body_is_asleep(world, above) && tact_body_is_asleep(world, below));
    const double error = tact_nurbs_get_error(cube), y = tact_body_get_transform(world, below).origin.y,
                 top = tact_body_get_transform(world, above).origin.y;
    if (!(fabs(y - 1.0 - error) < 0.001 && fabs(top - 2.5 - 2.0 * error) < 0.002))
        fail_msg("centres at %g and %g; the error is %g", y, top, error);
    tact_world_release(world);
    tact_shape_release(cube);
    tact_shape_release(slab);
    tact_shape_release(crate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_rest_on_sheets),
        cmocka_unit_test(solids_rest_on_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
