/* tact_shapes_time_of_impact, tact_shapes_cast: when two moving shapes first touch. */
#include <tact/query.h>

#include "core/number.h"
#include "motion/motion.h"
#include "query/dispatch.h"
#include "query/query.h"
#include "shape/centred_shape.h"
#include "shape/shape_constants.h"
#include "toi/revolved.h"
#include "toi/toi_frame.h"

/* Times 0 to 1, the default tolerance. */
static const tact_toi_def default_def = {1.0, 0.0};

tact_toi_def tact_toi_def_default(void) { return default_def; }

void tact_toi_find(const toi_input *input, toi_output *output)
{
    if (input->shape[0] != NULL && input->shape[1] != NULL)
        pair_functions_of(input->shape[0], input->shape[1])->time_of_impact(input, output);
    else
        *output = (toi_output){.toi = {.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN}};
}

/* The search for a pair that may turn often: none while its solids of revolution are apart. */
static tact_toi find_first(const toi_input *input)
{
    toi_output output = {.toi = {.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN}};
    const bool valid = tact_transform_check(&input->transform[0], NULL) == TACT_OK &&
                       tact_transform_check(&input->transform[1], NULL) == TACT_OK &&
                       tact_toi_arguments_ok(input->motion, input->end, input->tolerance);
    double free_time = 0.0;
    if (valid && tact_toi_turns_often(input->motion, input->end))
        free_time = tact_toi_free_time_revolved(input->shape, input->transform, input->motion, input->end);
    if (free_time > 0.0 && free_time >= input->end)
        return (tact_toi){.status = TACT_OK, .state = TACT_MISS, .time = input->end};
    tact_toi_find(input, &output);
    if (output.toi.state == TACT_UNKNOWN && output.toi.status != TACT_BAD_ARGUMENT)
        output.toi.time = number_max(output.toi.time, free_time);
    return output.toi;
}

/* Moves the origin of a shape to the pivot of its motion. `*made` is released by the caller. */
static tact_status move_to_pivot(toi_input *input, int i, tact_shape **made)
{
    tact_motion *motion = &input->motion[i];
    if (!vec_finite(motion->pivot) || !(vec_max_abs(motion->pivot) <= SHAPE_MAX_COORDINATE))
        return TACT_BAD_ARGUMENT;
    tact_status status = TACT_OK;
    if (motion_has_pivot(motion)) {
        if (tact_transform_check(&input->transform[i], NULL) != TACT_OK || !vec_finite(motion->spin))
            return TACT_BAD_ARGUMENT;
        *made = tact_shape_centred(input->shape[i], motion->pivot, &input->shape[i]->allocator, &status);
        input->shape[i] = *made;
    }
    *motion = motion_about_pivot(motion, &input->transform[i]);
    return status;
}

tact_toi tact_shapes_time_of_impact_with(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                         const tact_shape *b, tact_transform transform_b, tact_motion motion_b,
                                         const tact_toi_def *def)
{
    if (def == NULL)
        def = &default_def;
    toi_input input = {.shape = {a, b},
                       .transform = {transform_a, transform_b},
                       .motion = {motion_a, motion_b},
                       .end = def->end,
                       .tolerance = def->tolerance};
    tact_shape *made[2] = {NULL, NULL};
    tact_status status = a != NULL && b != NULL ? TACT_OK : TACT_BAD_ARGUMENT;
    for (int i = 0; i < 2 && status == TACT_OK; i++)
        status = move_to_pivot(&input, i, &made[i]);
    const tact_toi toi = status == TACT_OK ? find_first(&input) : (tact_toi){.status = status, .state = TACT_UNKNOWN};
    tact_shape_release(made[0]);
    tact_shape_release(made[1]);
    return toi;
}

tact_toi tact_shapes_time_of_impact(const tact_shape *a, tact_transform transform_a, tact_motion motion_a,
                                    const tact_shape *b, tact_transform transform_b, tact_motion motion_b, double end)
{
    const tact_toi_def def = {end, default_def.tolerance};
    return tact_shapes_time_of_impact_with(a, transform_a, motion_a, b, transform_b, motion_b, &def);
}

tact_toi tact_shapes_cast(const tact_shape *a, tact_transform transform_a, tact_vec3 path, const tact_shape *b,
                          tact_transform transform_b)
{
    return tact_shapes_time_of_impact_with(a, transform_a, tact_motion_linear(path.x, path.y, path.z), b, transform_b,
                                           tact_motion_still(), &default_def);
}
