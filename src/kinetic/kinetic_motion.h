/*
 * The order of moving vertices along an axis, and until when it holds: certificates of kinetic structures.
 *
 * A certificate is a linear inequality of two vertices p and q along an axis, x_q - x_p - offset >= 0, from the current
 * time on. It fails at the earliest time at which it does not hold. The pieces of both vertices are examined one after
 * the other, until it fails or the motion is not known any further (Weller and Zachmann 2006, algorithm 2).
 *
 * The rule for rounding. Let d be the left side, computed at the current time and at the end of the current pieces.
 * - Whether the certificate fails on these pieces is decided by the end: it does if d < 0 there. So two vertices that
 *   swap at an event do not swap back: the end decides both.
 * - When it fails is computed for the order of events only. If d is not above the *tie* now, it fails now. The tie
 *   exceeds the error of d and of d at the computed time of failure. So the event at that time finds it failed.
 * - If d >= 0 at the end, it holds now unless d is below the negative tie.
 * - A failure that is not now is at least the next double later. So time advances.
 * The certificate and its negation (p and q swapped, offset negated) never both fail at the current time, so that a
 * state always has a certificate. In exact arithmetic, d >= -2 tie as long as a certificate holds.
 *
 * The *scale* is the largest |x0| + |x1| + speed |t| of the pieces seen so far, a length: the error of a position, and
 * the way of a vertex during the rounding of a time, are some 2^-53 of it. The tie and the margin of boxes are
 * proportional to it. When it grows (tact_kinetic_motion_adapt), what relies on the margin must be examined again.
 */
#ifndef TACT_KINETIC_KINETIC_MOTION_H
#define TACT_KINETIC_KINETIC_MOTION_H

#include <tact/allocator.h>

#include "kinetic/kinetic_constants.h"
#include "kinetic/vertex_motion.h"

typedef struct kinetic_motion {
    vertex_motion motion;
    double time;         /* the current time */
    double tie;          /* a length, see above */
    double margin;       /* a length: boxes whose gap is at most this count as overlapping */
    double margin_ratio; /* margin in ties */
    double scale;        /* a length, see above */
    double scale_limit;  /* up to which tie and margin are large enough */
    double known_until;  /* the motion is known up to this time; INFINITY: for ever */
    size_t sample;       /* of the table: the piece at the current time begins with this sample */
    double fraction;     /* of that piece */
    /* of the table: the current piece, by 3 vertex + axis: coordinates at its begin and end. Compact, since most
     * certificates are decided by it. */
    double (*current)[2];
    size_t current_count;
    uint64_t certificates; /* examined so far */
    uint64_t pieces;       /* examined for them */
} kinetic_motion;

/* Sets up the motion of `vertex_count` vertices at a time. The scale is that of the current pieces, or of the table.
 * False if memory is out. */
bool tact_kinetic_motion_start(kinetic_motion *m, const vertex_motion *motion, uint32_t vertex_count, double time,
                               const tact_allocator *allocator);

/* Frees the memory. */
void tact_kinetic_motion_release(kinetic_motion *m, const tact_allocator *allocator);

/* Sets the margin for boxes that are nested up to `levels` deep. */
void tact_kinetic_motion_set_levels(kinetic_motion *m, unsigned levels);

/* Sets the current time, not before the present one. */
void tact_kinetic_motion_set_time(kinetic_motion *m, double time);

/* The table has new contents: the same motion, known further. */
void tact_kinetic_motion_samples_changed(kinetic_motion *m);

/* The row of a vertex in the table has changed. */
void tact_kinetic_motion_row_changed(kinetic_motion *m, uint32_t vertex);

/* Vertices may be this far from where the pieces say, in each coordinate: the scale grows accordingly. */
void tact_kinetic_motion_note_error(kinetic_motion *m, double error);

/* The error that the scale allows. */
static inline double kinetic_motion_allowed_error(const kinetic_motion *m) { return KINETIC_JUMP * m->scale; }

/* Enlarges tie and margin if the scale has grown. Returns whether it did. */
bool tact_kinetic_motion_adapt(kinetic_motion *m);

/* A coordinate of a vertex at the current time. */
double tact_kinetic_motion_coordinate(kinetic_motion *m, uint32_t vertex, int axis);

/* The time until which x_q - x_p - offset >= 0 holds. The current time: it does not hold. INFINITY: for ever. A time
 * that is not before `limit` may be any such time. After KINETIC_MAX_PIECES pieces, or at the end of a table
 * (known_until), it is not examined further: it holds at least until the time returned. */
double tact_kinetic_motion_hold_time(kinetic_motion *m, uint32_t p, uint32_t q, int axis, double offset, double limit);

/* Six pairs of vertices of two boxes, two for each axis. The boxes are apart while one of x_q - x_p > margin. */
typedef struct kinetic_gaps {
    uint32_t p[6], q[6];
} kinetic_gaps;

/* The gaps that are open now, or may be: a bit each. The others do not hold (tact_kinetic_motion_hold_time with the
 * margin). */
unsigned tact_kinetic_motion_open_gaps(kinetic_motion *m, const kinetic_gaps *gaps);

/* The time at which the boxes begin to overlap: per axis the times at which they overlap are an interval on each piece,
 * and the intervals of all axes are intersected. Otherwise as tact_kinetic_motion_hold_time. (Weller and Zachmann 2006,
 * 6.2, take the latest of the times at which overlap begins along an axis, and do not regard that it may have ended
 * along another axis by then.) */
double tact_kinetic_motion_apart_time(kinetic_motion *m, const kinetic_gaps *gaps);

/* The first time after `time` at which a vertex jumps, at most KINETIC_MAX_PIECES pieces ahead; INFINITY: it never
 * does. `*jumps` is false if the pieces are only to be examined again then. */
double tact_kinetic_motion_next_jump(const kinetic_motion *m, uint32_t vertex, double time, bool *jumps);

/* The position at `time` on the piece that ends there. */
tact_vec3 tact_kinetic_motion_position_before(const kinetic_motion *m, uint32_t vertex, double time);

#endif
