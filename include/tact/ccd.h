/**
 * @file
 * When a moving vertex meets a moving face, or a moving edge another: exactly. Plain functions without state: call them
 * from any thread.
 *
 * Four points move, each along a straight line: from x0 to x1, at (1 - t) x0 + t x1 for t in [0, 1], or with a
 * velocity, at x0 + v t. All of this is meant in real numbers: nothing is rounded. For every finite double, however
 * degenerate the points (sliding, coplanar all the way, parallel, repeated, without area, not moving, huge or tiny),
 * the answer is right: no contact is missed and none is invented. Vertex, edges and face are closed sets: touching is a
 * hit, also at the very beginning and end.
 *
 * Of a pair, A is the vertex and B the face, or A is the first edge and B the second. The points are given in the order
 *     vertex-face: the vertex; the three corners of the face
 *     edge-edge:   the two ends of the first edge; the two ends of the second
 */
#ifndef TACT_CCD_H
#define TACT_CCD_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/parallel.h>
#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** What may meet. */
typedef enum tact_ccd_kind {
    TACT_VERTEX_FACE = 0, /**< a vertex and a triangle */
    TACT_EDGE_EDGE = 1    /**< two edges */
} tact_ccd_kind;

/** How a first contact is wanted. Begin with tact_ccd_def_default(): all zero looks at time 0 alone. */
typedef struct tact_ccd_def {
    double enter;         /**< nothing is looked for before; default 0; not negative */
    double exit;          /**< nor after; default 1, and at most 1 unless velocities are given; at least `enter` */
    double bracket_width; /**< how wide a bracket may be: default 2^-40; where velocities are given, as a part of
                       `exit`; 0 for neighbouring doubles, which is also the narrowest that is ever given */
    double separation;    /**< not 0: when do they come as near as this? see tact_ccd_vertex_face; default 0 */
    bool velocities;      /**< are the second four points velocities, instead of places at t = 1? default false */
} tact_ccd_def;

/** From 0 to 1 between two places, to 2^-40, touching. */
TACT_API tact_ccd_def tact_ccd_def_default(void);

/** The first contact. Zero but for the status and state when there is none. */
typedef struct tact_ccd {
    tact_status status; /**< #TACT_OK, or #TACT_BAD_ARGUMENT (NULL, NaN, an infinity, a window that is none); with a
                             separation also #TACT_NOT_CONVERGED: see tact_ccd_vertex_face */
    tact_state state;   /**< #TACT_HIT, #TACT_MISS; #TACT_UNKNOWN with a bad argument */
    double lower;       /**< they do not touch before */
    double upper;       /**< and have touched by then; the first contact is in [from, to], within the window */
    tact_vec3 normal;  /**< of unit length, across face or edges, the way A moves against B (of either sign if they only
                             slide); zero if they are `degenerate` */
    double weights[4]; /**< of the points, in the middle of the bracket: those of A sum up to 1, and those of B; none is
                            negative */
    bool degenerate;   /**< the face has no area, or the edges are parallel, at the contact (with a separation: the
                             nearest points are one): there is no normal, and the weights are some of many */
} tact_ccd;

/**
 * When does the vertex first meet the face, if ever? `def` may be NULL for the default. Most pairs take less than
 * 100 ns, degenerate ones some microseconds, the worst that doubles can hold milliseconds.
 *
 * With a separation d > 0: when does their distance first fall to d? No such moment is missed (`from` is never late);
 * a hit is told only if the distance falls below d (1 + 1e-6), which it does from `from` to `to`. At d or nearer at
 * the beginning: a hit at `enter`, both ends of the bracket, also if they part from there. The weights are those of
 * the nearest points at `from`, and the normal points from A to B; where those points are one (as near as can be
 * told), it is `degenerate`, whatever face or edges look like.
 *
 * A separation takes 60 ns for what stays clearly apart and 1 to 2 us for a hit, but some 0.2 ms where things graze
 * while they turn, or are more than 1e9 times as large as d; up to 3 ms with sizes up to 1e12 d, 40 ms up to 1e60 d,
 * and seconds with all that doubles can hold. It ends in any case: should 50,000 steps not do (never seen), the status
 * is #TACT_NOT_CONVERGED, and the state #TACT_HIT, lest it be taken for a miss: the distance is above d before `from`,
 * and nothing more is known.
 *
 * Nothing is allocated. The stack takes up to 85 kB; with a separation 45 kB, and 220 kB where the numbers are long:
 * things larger than 1e50 d, or coordinates whose bits span more than 300 places from the highest to the lowest of
 * all.
 */
TACT_API tact_ccd tact_ccd_vertex_face(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/** When do the two edges first meet, if ever? As tact_ccd_vertex_face. */
TACT_API tact_ccd tact_ccd_edge_edge(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/** Many pairs, number by number: coordinate c of point k of pair i is start[k][c][i] (and end[k][c][i]). */
typedef struct tact_ccd_points {
    const double *start[4][3]; /**< where they are at t = 0 */
    const double *end[4][3];   /**< where they are at t = 1, or their velocities */
} tact_ccd_points;

/** The same for `count` pairs of one kind, side by side in vectors: answers[i] is what the single call gives, to the
 * bit, on any number of threads, its status too. `def` and `parallel` may be NULL for the defaults. Fails only for a
 * NULL array, or a bad `kind` or `def`. */
TACT_API tact_status tact_ccd_batch(tact_ccd_kind kind, const tact_ccd_points *points, size_t count,
                                    const tact_ccd_def *def, tact_ccd *answers, const tact_parallel *parallel);

/** The first of all contacts of `count` pairs: the one whose bracket begins first, and of those the one with the lowest
 * number, which is left in `which` (unless NULL; `count` if there is none). Once one is found, nothing after it is
 * looked for. A number that is not finite, in any of the pairs, is a bad argument. */
TACT_API tact_ccd tact_ccd_earliest(tact_ccd_kind kind, const tact_ccd_points *points, size_t count,
                                    const tact_ccd_def *def, size_t *which, const tact_parallel *parallel);

TACT_END

#endif
