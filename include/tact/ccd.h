/**
 * @file
 * Exact continuous collision detection (CCD) of a moving vertex and a moving triangle, and of two moving edges.
 * Stateless functions, callable from any thread.
 *
 * Four points move along straight lines. Either each point moves from x0 to x1 and is at (1 - t) x0 + t x1 for t in
 * [0, 1]. Or each point has a velocity v and is at x0 + v t. These positions are real numbers: nothing is rounded.
 *
 * The answer is right for all finite doubles: there is no false negative and no false positive. This includes all
 * degenerate cases: sliding, coplanar or parallel motion, repeated points, triangles without area, points at rest, huge
 * and tiny coordinates. Vertices, edges and triangles are closed sets: touching is a hit, also at the very start and
 * end.
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

/** Options of a query. Start with tact_ccd_def_default(). A def that is all zero is valid, but its time window contains
 * only the time 0. */
typedef struct tact_ccd_def {
    double enter; /**< start of the time window; default 0; not negative */
    double exit;  /**< end of the time window; default 1; at least `enter`, at most 1 unless velocities are given */
    /** Largest width of the time bracket; default 2^-40. With velocities it is a fraction of `exit`. 0: the narrowest
     * bracket possible, two adjacent doubles. */
    double bracket_width;
    double separation; /**< positive: minimum separation, see tact_ccd_vertex_face; default 0 */
    bool velocities;   /**< the second four points are velocities, not positions at t = 1; default false */
} tact_ccd_def;

/** Returns the defaults: the window [0, 1], two positions, bracket width 2^-40, no separation. */
TACT_API tact_ccd_def tact_ccd_def_default(void);

/** The first contact. If there is none, all fields except status and state are zero. */
typedef struct tact_ccd {
    /** #TACT_OK, or #TACT_BAD_ARGUMENT for NULL, NaN, infinity or an invalid window. With a separation also
     * #TACT_NOT_CONVERGED, see tact_ccd_vertex_face. */
    tact_status status;
    tact_state state; /**< #TACT_HIT or #TACT_MISS; #TACT_UNKNOWN for a bad argument */
    double lower;     /**< there is no contact before this time */
    double upper;     /**< the first contact lies in [lower, upper], which lies in the window */
    /** Unit normal of the triangle or of both edges, in the direction in which A moves relative to B. If they only
     * slide, it may have either sign. With a separation: from A to B. Zero if `degenerate`. */
    tact_vec3 normal;
    /** Barycentric weights of the contact point, not negative. Those of A sum to 1, and so do those of B. They refer to
     * the middle of the bracket; with a separation, to the closest points at `lower`. */
    double weights[4];
    /** At the contact the triangle has no area, or the edges are parallel. With a separation: the closest points
     * coincide. Then there is no normal, and the weights are not unique. */
    bool degenerate;
} tact_ccd;

/**
 * Finds the first contact of a vertex and a triangle. `def` may be NULL. Most pairs take less than 100 ns. Degenerate
 * pairs take a few microseconds. The worst pairs that doubles can express take milliseconds.
 *
 * **Minimum separation** d > 0: finds the first time at which the distance falls to d. This query is conservative.
 * - `lower` is never late: the distance is above d before `lower`.
 * - A hit is reported only if the distance falls below d (1 + 1e-6). It does so between `lower` and `upper`.
 * - If the distance is at most d at `enter`, the hit is at `enter`, even if the distance grows from there.
 * - The weights are those of the closest points at `lower`, and the normal points from A to B.
 * - The contact is degenerate only if these points coincide within rounding.
 * - The search always ends, after at most 50,000 steps (never observed). The status is then #TACT_NOT_CONVERGED and the
 *   state #TACT_HIT, so that it cannot be mistaken for a miss. Only `lower` is then reliable.
 *
 * Cost of a separation query:
 * - a clear miss: 60 ns; a hit: 1 to 2 us;
 * - features that graze while they rotate, or that are more than 1e9 times larger than d: 0.2 ms;
 * - features larger than that: up to 3 ms for sizes up to 1e12 d, up to 40 ms for 1e60 d, seconds for the full range of
 *   doubles.
 *
 * The function allocates nothing. It uses up to 85 kB of stack. With a separation it uses up to 45 kB, or up to 220 kB
 * if features are larger than 1e50 d or the bits of the coordinates span more than 300 binary places.
 */
TACT_API tact_ccd tact_ccd_vertex_face(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/** Finds the first contact of two edges. Options, cost and guarantees are those of tact_ccd_vertex_face. */
TACT_API tact_ccd tact_ccd_edge_edge(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def);

/** Points of many pairs, in structure-of-arrays layout: coordinate c of point k of pair i is start[k][c][i] and
 * end[k][c][i]. */
typedef struct tact_ccd_points {
    const double *start[4][3]; /**< positions at t = 0 */
    const double *end[4][3];   /**< positions at t = 1, or velocities */
} tact_ccd_points;

/** Decides `count` pairs of one kind with vector instructions. results[i] is bit-identical to the result of the single
 * call, status included, for any number of threads. `def` and `parallel` may be NULL. Returns #TACT_BAD_ARGUMENT only
 * for a NULL array or an invalid `kind` or `def`. */
TACT_API tact_status tact_ccd_batch(tact_ccd_kind kind, const tact_ccd_points *points, size_t count,
                                    const tact_ccd_def *def, tact_ccd *results, const tact_parallel *parallel);

/** Finds the earliest contact of `count` pairs: the one with the smallest `lower`, and among equals the one with the
 * lowest index. Writes that index to `which`, or `count` if there is no contact; `which` may be NULL. Each pair is
 * searched only up to the earliest contact found so far. If a number of any pair is not finite, the status is
 * #TACT_BAD_ARGUMENT. */
TACT_API tact_ccd tact_ccd_earliest(tact_ccd_kind kind, const tact_ccd_points *points, size_t count,
                                    const tact_ccd_def *def, size_t *which, const tact_parallel *parallel);

TACT_END

#endif
