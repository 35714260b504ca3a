/**
 * @file
 * Exact continuous collision detection (CCD) of a moving vertex and a moving triangle, and of two moving edges.
 * Stateless functions, callable from any thread.
 *
 * Four points move along straight lines: from x0 to x1, at (1 - t) x0 + t x1 for t in [0, 1], or with a velocity, at
 * x0 + v t. These positions are real numbers: nothing is rounded. For all finite doubles the answer is right, with no
 * false negative and no false positive, however degenerate the points are: sliding, coplanar throughout, parallel,
 * repeated, without area, at rest, huge or tiny. Vertices, edges and triangles are closed sets: touching is a hit, also
 * at the very start and end.
 *
 * A is the vertex and B the triangle, or A is the first edge and B the second. The points are given in this order:
 *
 *     vertex-face: the vertex, then the three vertices of the triangle
 *     edge-edge:   the two ends of the first edge, then the two ends of the second
 */
#ifndef TACT_CCD_H
#define TACT_CCD_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/parallel.h>
#include <tact/status.h>
#include <tact/vec.h>

TACT_BEGIN

/** Kind of a feature pair. */
typedef enum tact_ccd_kind {
    TACT_VERTEX_FACE = 0, /**< a vertex and a triangle */
    TACT_EDGE_EDGE = 1    /**< two edges */
} tact_ccd_kind;

/** Options of a query. Start with tact_ccd_def_default(): a zero def examines time 0 alone. */
typedef struct tact_ccd_def {
    double enter; /**< start of the time window; default 0; not negative */
    double exit;  /**< end of the time window; default 1; at least `enter`, at most 1 unless velocities are given */
    double bracket_width; /**< largest width of the time bracket; default 2^-40; a fraction of `exit` if velocities are
                             given; 0: adjacent doubles, the narrowest possible */
    double separation;    /**< positive: minimum separation, see tact_ccd_vertex_face; default 0 */
    bool velocities;      /**< the second four points are velocities, not positions at t = 1; default false */
} tact_ccd_def;

/** Returns the defaults: the window [0, 1], two positions, bracket width 2^-40, no separation. */
TACT_API tact_ccd_def tact_ccd_def_default(void);

/** The first contact. Zero but for status and state if there is none. */
typedef struct tact_ccd {
    tact_status status; /**< #TACT_OK or #TACT_BAD_ARGUMENT (NULL, NaN, infinity, an invalid window); with a separation
                           also #TACT_NOT_CONVERGED, see tact_ccd_vertex_face */
    tact_state state;   /**< #TACT_HIT or #TACT_MISS; #TACT_UNKNOWN for a bad argument */
    double lower;       /**< there is no contact before this time */
    double upper;     /**< there is contact by this time: the first contact lies in [lower, upper], within the window */
    tact_vec3 normal; /**< unit normal of the triangle or of both edges, in the direction in which A moves relative to B
                         (of either sign if they only slide); zero if `degenerate` */
    double weights[4]; /**< barycentric weights of the contact point at the middle of the bracket: those of A sum up to
                          1, and those of B; none is negative */
    bool degenerate;   /**< at the contact the triangle has no area or the edges are parallel (with a separation: the
                          closest   points coincide): there is no normal, and the weights are not unique */
} tact_ccd;

/**
 * Finds the first contact of a vertex and a triangle. `def` may be NULL. Most pairs take less than 100 ns, degenerate
 * ones a few microseconds, the worst that doubles can express milliseconds.
 *
 * **Minimum separation** d > 0: finds the first time at which the distance falls to d. `lower` is never late. A hit is
 * reported only if the distance falls below d (1 + 1e-6), which it does between `lower` and `upper`. If the distance is
 * at most d at `enter`, the hit is at `enter`, even if it grows from there. The weights are those of the closest points
 * at `lower`, and the normal points from A to B; if these points coincide within rounding, the contact is degenerate,
 * whatever the triangle or the edges look like.
 *
 * A separation query takes 60 ns for a clear miss and 1 to 2 us for a hit; 0.2 ms where features graze while they
 * rotate, or are more than 1e9 times larger than d; up to 3 ms for sizes up to 1e12 d, 40 ms up to 1e60 d, seconds for
 * the full range of doubles. It always ends: after 50,000 steps (never observed) the status is #TACT_NOT_CONVERGED and
 * the state #TACT_HIT, so that it cannot be mistaken for a miss; the distance is above d before `lower`, and nothing
 * more is known.
 *
 * Allocates nothing. Uses up to 85 kB of stack; with a separation 45 kB, and 220 kB for features larger than 1e50 d or
 * coordinates whose bits span more than 300 binary places.
 */
TACT_API tact_ccd tact_ccd_vertex_face(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/** Finds the first contact of two edges. As tact_ccd_vertex_face. */
TACT_API tact_ccd tact_ccd_edge_edge(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/** Points of many pairs, in structure-of-arrays layout: coordinate c of point k of pair i is start[k][c][i] and
 * end[k][c][i]. */
typedef struct tact_ccd_points {
    const double *start[4][3]; /**< positions at t = 0 */
    const double *end[4][3];   /**< positions at t = 1, or velocities */
} tact_ccd_points;

/** Decides `count` pairs of one kind with vector instructions. results[i] equals the result of the single call bit for
 * bit, its status included, for any number of threads. `def` and `parallel` may be NULL. Fails only for a NULL array or
 * an invalid `kind` or `def`. */
TACT_API tact_status tact_ccd_batch(tact_ccd_kind kind, const tact_ccd_points *points, size_t count,
                                    const tact_ccd_def *def, tact_ccd *results, const tact_parallel *parallel);

/** Finds the earliest contact of `count` pairs: the one whose bracket starts first, and among equals the one with the
 * lowest index. Writes that index to `which` (may be NULL), or `count` if there is no contact. Pairs are not searched
 * beyond the earliest contact found so far. A number that is not finite, in any pair, is a bad argument. */
TACT_API tact_ccd tact_ccd_earliest(tact_ccd_kind kind, const tact_ccd_points *points, size_t count,
                                    const tact_ccd_def *def, size_t *which, const tact_parallel *parallel);

TACT_END

#endif
