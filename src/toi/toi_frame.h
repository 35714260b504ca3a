/*
 * The frame of a time of impact: two rigid bodies in motion, seen from the origin of the first.
 *
 * Every search for rigid bodies (conservative_advancement.c, contact_following.c, mesh_toi.c, translating_toi.c) takes
 * from here the order of the two bodies, their relative motion, their poses, the bound on rounding errors, the
 * tolerance and the contact band. Positions are relative to the origin of the first body, so distance from the world's
 * origin costs no digits. The bodies are put in one order that does not depend on which is A: swapping A and B repeats
 * the same arithmetic and mirrors the answer bit for bit.
 *
 * Time 0 is the start of the query, or of the interval of it that a search examines (tact_toi_frame_at).
 */
#ifndef TACT_TOI_TOI_FRAME_H
#define TACT_TOI_TOI_FRAME_H

#include <float.h>
#include <tact/query.h>

#include "core/number.h"
#include "math/quadratic.h"
#include "motion/motion.h"
#include "toi/toi_constants.h"

/* How one body spins about its origin, and its extent. */
typedef struct toi_body {
    tact_vec3 axis;     /* of the spin, unit; zero: the body does not turn, or the spin maps it onto itself */
    double rate;        /* radians per unit of time */
    double arm;         /* length: no point is farther from the axis */
    double centripetal; /* acceleration: a bound on that of points about the axis */
    double radius;      /* length: no point is farther from the origin, margin included */
    double half_extent; /* length: the largest along a coordinate axis at time 0, margin included */
} toi_body;

/* A bound on the rounding errors of a separation. */
typedef struct toi_rounding {
    double relative;     /* to offset and path */
    double acceleration; /* t^2 times this is the acceleration's part of the path */
    double bodies;       /* length: the part that does not depend on the path */
} toi_rounding;

typedef struct toi_frame {
    bool swapped;          /* the first body is B */
    tact_vec3 origin;      /* of the first body at time 0, in the world */
    tact_motion motion[2]; /* with the velocities of time 0 */
    toi_body body[2];

    tact_vec3 offset; /* of the second body's origin from the first's, and its derivatives */
    tact_vec3 velocity;
    tact_vec3 acceleration;
    double offset_length, speed, acceleration_length;

    double larger_extent;  /* the larger half extent of the two bodies */
    double smaller_extent; /* the smaller one that is not 0 */
    toi_rounding rounding;
    double tolerance; /* length: that of the caller, or the default */
    double end;       /* time, not negative */

    double contact_band;  /* length: see toi_input; not more than the tolerance: the tolerance */
    double allowed_depth; /* length: see toi_input */
    bool ignore_initial_contact;

    const tact_allocator *allocator;
} toi_frame;

/* The poses of both bodies at one time. */
typedef struct toi_pose {
    double time;
    axis_rotation rotation[2]; /* since time 0 */
    tact_vec3 offset;
    tact_vec3 velocity; /* of the offset */
} toi_pose;

/* ---- making a frame ---------------------------------------------------------------------------------------------- */

/* Whether motions, end and tolerance are finite, and the latter two not negative. */
bool tact_toi_arguments_ok(const tact_motion motion[2], double end, double tolerance);

/* The order of two bodies by their motions, where they are equal in all else: negative, zero or positive. */
int tact_motion_compare(const tact_motion *a, const tact_motion *b);

/* Sets the relative motion of two bodies, A and B; `swapped` says that the first is B. Contact is decided by the
 * tolerance alone. The caller sets body[], rounding and allocator, then calls tact_toi_frame_finish. */
void tact_toi_frame_begin(toi_frame *f, const tact_vec3 origin[2], const tact_motion motion[2], bool swapped);

/* The same where the first body rests at `origin` and the second moves from `offset` on. */
void tact_toi_frame_begin_relative(toi_frame *f, tact_vec3 origin, tact_vec3 offset, const tact_motion *motion);

/* Sets the extents and the tolerance (0: the default). TACT_BAD_ARGUMENT: coordinates on the path are too large. */
tact_status tact_toi_frame_finish(toi_frame *f, double tolerance, double end);

/* The frame of the interval that begins at `time`: offset, velocities and world origin are those of that time. Its
 * first body is A. Its body[], rounding, tolerance and end are those of `f`. */
toi_frame tact_toi_frame_at(const toi_frame *f, double time);

/* What tact_convex_first_contact needs besides the motion: the rounding error of the primitives' positions, a tolerance
 * that is not 0, the end and the memory. */
static inline void toi_frame_set_interval(toi_frame *f, double position_rounding, double tolerance, double end,
                                          const tact_allocator *allocator)
{
    f->rounding.bodies = position_rounding;
    f->tolerance = tolerance;
    f->end = end;
    f->allocator = allocator;
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

static inline tact_vec3 toi_offset_at(const toi_frame *f, double time)
{
    return vec_mul_add(vec_mul_add(f->offset, time, f->velocity), time, vec_scale(f->acceleration, 0.5 * time));
}

static inline toi_pose toi_pose_at(const toi_frame *f, double time)
{
    toi_pose p;
    p.time = time;
    for (int i = 0; i < 2; i++) {
        const toi_body *b = &f->body[i];
        p.rotation[i] =
            b->rate > 0.0 ? axis_rotation_make(b->axis, b->rate * time) : (axis_rotation){b->axis, 0.0, 0.0};
    }
    p.offset = toi_offset_at(f, time);
    p.velocity = vec_mul_add(f->velocity, time, f->acceleration);
    return p;
}

/* A bound on the speed that the spins give to points of one body past those of the other. */
static inline double toi_turning_speed(const toi_frame *f)
{
    return f->body[0].rate * f->body[0].arm + f->body[1].rate * f->body[1].arm;
}

/* A bound on the second derivative of the distance of any two points along a fixed direction. */
static inline double toi_curvature(const toi_frame *f)
{
    return f->body[0].centripetal + f->body[1].centripetal + f->acceleration_length;
}

/* A time, from `time` on, in which no two points approach or separate by more than `distance`: the root of
 * speed t + acceleration t^2 / 2 = distance, to rounding. */
static inline double toi_time_to_move(const toi_frame *f, double time, double distance)
{
    const double speed = vec_length_safe(vec_mul_add(f->velocity, time, f->acceleration)) + toi_turning_speed(f);
    return quadratic_first_root_wide(distance, -speed, -f->acceleration_length);
}

/* ---- rounding, tolerance, band ----------------------------------------------------------------------------------- */

/* A bound on the rounding error of any separation that is computed at a time up to `time`: a length. */
static inline double toi_rounding_at(const toi_frame *f, double time)
{
    const toi_rounding *r = &f->rounding;
    const double path = f->offset_length + f->speed * time + r->acceleration * time * time;
    return r->relative * (path + toi_turning_speed(f) * time) + r->bodies; /* the angle itself is rounded */
}

/* A bound on the rounding error of any coordinate, relative to the first body's origin, up to `time`: a length. Along
 * an axis n it counts |n|_1 times. */
static inline double toi_coordinate_rounding_at(const toi_frame *f, double time)
{
    const double coordinates = (f->body[0].radius + f->body[1].radius) + vec_max_abs(f->offset) +
                               time * (vec_max_abs(f->velocity) + 0.5 * time * vec_max_abs(f->acceleration));
    return TOI_COORDINATE_ROUNDING * coordinates + DBL_MIN;
}

/* The tolerance of the query, or the least that rounding permits. */
static inline double toi_tolerance_at(const toi_frame *f, double time)
{
    return number_max(number_max(f->tolerance, TOI_TOLERANCE_ROUNDINGS * toi_rounding_at(f, time)), 4.0 * DBL_MIN);
}

static inline double toi_band_at(const toi_frame *f, double time)
{
    return number_max(f->contact_band, toi_tolerance_at(f, time));
}

/* The depth by which bodies in contact may get deeper: the less, the deeper they are. So repeated pushes take them in
 * by the square root of their number, not by the same depth each time. */
static inline double toi_band_of_depth(const toi_frame *f, double time)
{
    const double band = toi_band_at(f, time);
    return number_max(band * (band / (band + f->allowed_depth)), toi_tolerance_at(f, time));
}

/* How far bodies in contact may move in one step: a length. */
static inline double toi_follow_distance(const toi_frame *f)
{
    const double path = f->speed * f->end + 0.5 * f->acceleration_length * f->end * f->end;
    return number_max(TOI_FOLLOW_FRACTION * (f->larger_extent > 0.0 ? f->larger_extent : path), f->tolerance);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

/* A hit at a point of the frame. The normal is from the first body to the second. The parts are left to the caller. */
tact_toi tact_toi_hit(const toi_frame *f, double time, tact_vec3 point, tact_vec3 normal);

/* Puts an answer about the first and second body into the order of A and B. */
void tact_toi_unswap(const toi_frame *f, tact_toi *toi);

/* No contact up to the end. */
static inline tact_toi toi_miss(const toi_frame *f)
{
    return (tact_toi){.status = TACT_OK, .state = TACT_MISS, .time = f->end};
}

/* Undecided: there is no contact up to `time`. */
static inline tact_toi toi_failure(tact_status status, double time)
{
    return (tact_toi){.status = status, .state = TACT_UNKNOWN, .time = time};
}

#endif
