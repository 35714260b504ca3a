/* Making the frame of a time of impact, and answers in it: see toi_frame.h. */
#include "toi/toi_frame.h"

#include "convex/pair_order.h"
#include "core/number.h"

int tact_motion_compare(const tact_motion *a, const tact_motion *b)
{
    int order = tact_compare_vectors(a->velocity, b->velocity);
    if (order == 0)
        order = tact_compare_vectors(a->acceleration, b->acceleration);
    return order != 0 ? order : tact_compare_vectors(a->spin, b->spin);
}

bool tact_toi_arguments_ok(const tact_motion motion[2], double end, double tolerance)
{
    for (int i = 0; i < 2; i++)
        if (!vec_finite(motion[i].velocity) || !vec_finite(motion[i].acceleration) || !vec_finite(motion[i].spin))
            return false;
    return end >= 0.0 && end < INFINITY && tolerance >= 0.0 && tolerance < INFINITY;
}

static void set_lengths(toi_frame *f)
{
    f->offset_length = vec_length_safe(f->offset);
    f->speed = vec_length_safe(f->velocity);
    f->acceleration_length = vec_length_safe(f->acceleration);
}

void tact_toi_frame_begin(toi_frame *f, const tact_vec3 origin[2], const tact_motion motion[2], bool swapped)
{
    const int first = swapped ? 1 : 0, second = 1 - first;
    f->swapped = swapped;
    f->origin = origin[first];
    f->motion[0] = motion[first];
    f->motion[1] = motion[second];
    f->offset = vec_sub(origin[second], origin[first]);
    f->velocity = vec_sub(motion[second].velocity, motion[first].velocity);
    f->acceleration = vec_sub(motion[second].acceleration, motion[first].acceleration);
    set_lengths(f);
    f->contact_band = f->allowed_depth = 0.0;
    f->ignore_initial_contact = false;
}

void tact_toi_frame_begin_relative(toi_frame *f, tact_vec3 origin, tact_vec3 offset, const tact_motion *motion)
{
    f->swapped = false;
    f->origin = origin;
    f->motion[0] = tact_motion_still();
    f->motion[1] = *motion;
    f->offset = offset;
    f->velocity = motion->velocity;
    f->acceleration = motion->acceleration;
    set_lengths(f);
    f->contact_band = f->allowed_depth = 0.0;
    f->ignore_initial_contact = false;
}

tact_status tact_toi_frame_finish(toi_frame *f, double tolerance, double end)
{
    const double a = f->body[0].half_extent, b = f->body[1].half_extent, smaller = number_min(a, b);
    f->larger_extent = number_max(a, b);
    f->smaller_extent = smaller > 0.0 ? smaller : f->larger_extent;
    f->tolerance = tolerance > 0.0 ? tolerance : TOI_DEFAULT_TOLERANCE * f->smaller_extent;
    f->end = end;
    /* nothing computed on the path overflows */
    const double farthest =
        f->offset_length + (f->speed + toi_turning_speed(f)) * end + f->acceleration_length * end * end;
    return farthest + f->larger_extent < TOI_MAX_COORDINATE &&
                   f->body[0].centripetal + f->body[1].centripetal < TOI_MAX_COORDINATE
               ? TACT_OK
               : TACT_BAD_ARGUMENT;
}

/* The origin of the first body in the world; zero where it overflows. */
static tact_vec3 world_origin_at(const toi_frame *f, double time)
{
    tact_motion motion = f->motion[0];
    tact_transform at = tact_identity();
    motion.spin = vec_make(0.0, 0.0, 0.0);
    at.origin = f->origin;
    return tact_motion_at(motion, at, time).origin;
}

toi_frame tact_toi_frame_at(const toi_frame *f, double time)
{
    toi_frame g = *f;
    g.swapped = false;
    g.origin = world_origin_at(f, time);
    g.offset = toi_offset_at(f, time);
    for (int i = 0; i < 2; i++)
        g.motion[i].velocity = vec_mul_add(f->motion[i].velocity, time, f->motion[i].acceleration);
    g.velocity = vec_sub(g.motion[1].velocity, g.motion[0].velocity);
    set_lengths(&g);
    return g;
}

tact_toi tact_toi_hit(const toi_frame *f, double time, tact_vec3 point, tact_vec3 normal)
{
    return (tact_toi){.status = TACT_OK,
                      .state = TACT_HIT,
                      .time = time,
                      .point = vec_add(point, world_origin_at(f, time)),
                      .normal = normal};
}

void tact_toi_unswap(const toi_frame *f, tact_toi *toi)
{
    if (!f->swapped)
        return;
    const tact_part part = toi->part_a;
    toi->part_a = toi->part_b;
    toi->part_b = part;
    if (vec_max_abs(toi->normal) > 0.0)
        toi->normal = vec_negate(toi->normal);
}
