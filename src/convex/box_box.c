/*
 * The distance of two rectangular boxes, or whether they overlap.
 *
 * The Minkowski difference B - A is the set of all n = c + sum t_k E_k with |t_k| <= 1, where c is the vector
 * between the centres and E_k are the half axes of both boxes. (A box is its own mirror image, so those of A need
 * not be reversed.) The distance is the least |n|: a least-squares problem in six bounded numbers. Alternating
 * projections of each box onto the other (von Neumann; one clamp per coordinate) soon find which t_k are at a bound.
 * If one t_k of each box is not, two edges are closest, and their closest points are solved for. The projections
 * reach all other closest features exactly. If three or more t_k can still bring the boxes closer, the shortest step
 * that makes n = 0 is tried: where the boxes overlap it mostly ends at a common point. This takes 1.4 to 1.7
 * iterations on average.
 *
 * Guarantee: that of gjk.c, by the same proof. The points are in the boxes by construction, which gives the upper
 * bound. The separation n.c - sum |n.E_k| along the line between them is the lower bound. They meet to within
 * `accuracy` or GJK_ROUNDING u size. The proof does not use that the boxes are rectangular: skewed ones take longer or
 * are not proved. What is not proved is left to GJK.
 *
 * All is computed in one order of A and B and swapped back in registers, since data-dependent addresses cost more. So
 * swapping A and B reverses all vectors exactly. Cost: 70 to 160 ns on a 3 GHz core. The transforms are read in the
 * same pass; copying them would cost a quarter of that.
 */
#include "convex/box_box.h"

#include "convex/convex_constants.h"
#include "convex/convex_pair.h"
#include "convex/margin.h"
#include "core/inline.h"
#include "math/double2.h"
#include "math/fp_environment.h"
#include "shape/shape_data.h"

/* One number for each half axis: p has 0 and 1 of A, r has 0 and 1 of B, q has 2 of A and of B. */
typedef struct axis6 {
    double2 p, q, r;
} axis6;

TACT_FORCE_INLINE axis6 axis6_add(axis6 a, axis6 b)
{
    return (axis6){double2_add(a.p, b.p), double2_add(a.q, b.q), double2_add(a.r, b.r)};
}
TACT_FORCE_INLINE axis6 axis6_mul(axis6 a, axis6 b)
{
    return (axis6){double2_mul(a.p, b.p), double2_mul(a.q, b.q), double2_mul(a.r, b.r)};
}
TACT_FORCE_INLINE axis6 axis6_scale(axis6 a, double2 s)
{
    return (axis6){double2_mul(a.p, s), double2_mul(a.q, s), double2_mul(a.r, s)};
}
TACT_FORCE_INLINE axis6 axis6_clamp(axis6 a)
{
    return (axis6){double2_clamp_unit(a.p), double2_clamp_unit(a.q), double2_clamp_unit(a.r)};
}
TACT_FORCE_INLINE axis6 axis6_abs(axis6 a) { return (axis6){double2_abs(a.p), double2_abs(a.q), double2_abs(a.r)}; }
TACT_FORCE_INLINE double2 axis6_fold(axis6 a) { return double2_add(double2_add(a.p, a.r), a.q); }

TACT_FORCE_INLINE axis6 axis6_and(axis6 a, axis6 b)
{
    return (axis6){_mm_and_pd(a.p, b.p), _mm_and_pd(a.q, b.q), _mm_and_pd(a.r, b.r)};
}

TACT_FORCE_INLINE void axis6_store(double *to, axis6 a)
{
    _mm_storeu_pd(to, a.p);
    _mm_storeu_pd(to + 2, a.q);
    _mm_storeu_pd(to + 4, a.r);
}

TACT_FORCE_INLINE unsigned axis6_bits(axis6 mask)
{
    unsigned p = (unsigned)_mm_movemask_pd(mask.p), q = (unsigned)_mm_movemask_pd(mask.q),
             r = (unsigned)_mm_movemask_pd(mask.r);
    return p | r << 2 | q << 4;
}

/* The Minkowski difference: B - A is c + sum t_k E_k with all |t_k| <= 1. */
typedef struct box_difference {
    axis6 x, y, z; /* coordinates of the E_k */
    tact_vec3 c;   /* centre of B - centre of A */
} box_difference;

/* E_k . (x y z) */
TACT_FORCE_INLINE axis6 dots(const box_difference *s, double2 x, double2 y, double2 z)
{
    return axis6_add(axis6_add(axis6_scale(s->x, x), axis6_scale(s->y, y)), axis6_scale(s->z, z));
}

/* The points for parameters t: of A (negated) and of B, relative to their centres, in the low and high lanes; and the
 * vector between them. */
typedef struct box_pair_point {
    double2 x, y, z;
    tact_vec3 n;
    double nn; /* |n|^2 */
} box_pair_point;

TACT_FORCE_INLINE double2 coordinate(axis6 x, axis6 t)
{
    double2 p = double2_mul(x.p, t.p), q = double2_mul(x.q, t.q), r = double2_mul(x.r, t.r);
    return double2_add(double2_add(double2_unpack_low(p, r), double2_unpack_high(p, r)), q);
}

TACT_FORCE_INLINE box_pair_point point_at(const box_difference *s, axis6 t)
{
    box_pair_point here = {coordinate(s->x, t), coordinate(s->y, t), coordinate(s->z, t), {0.0, 0.0, 0.0}, 0.0};
    here.n = vec_make(double2_horizontal_add(here.x) + s->c.x, double2_horizontal_add(here.y) + s->c.y,
                      double2_horizontal_add(here.z) + s->c.z);
    here.nn = vec_length_squared(here.n);
    return here;
}

/* The separation of the boxes along n, times |n|: n.c - sum |n.E_k|. `slopes` receives the n.E_k, which are the
 * derivatives of |n|^2/2 by the t_k. */
TACT_FORCE_INLINE double separation(const box_difference *s, tact_vec3 n, axis6 *slopes)
{
    axis6 g = dots(s, double2_broadcast(n.x), double2_broadcast(n.y), double2_broadcast(n.z));
    *slopes = g;
    return vec_dot(n, s->c) - double2_horizontal_add(axis6_fold(axis6_abs(g)));
}

/* ---- projections ---- */

/* The projection of a point of one box onto the other, if the axes are perpendicular: t_k = start_k + sum over the
 * other's j of by_jk t_j. The four numbers are laid out as in axis3: for A 0, 1, 2 and one unused, for B 0, 1, one
 * unused and 2. */
typedef struct box_projection {
    double start[4], by[3][4];
} box_projection;

/* The parameters of A: p, and the low lane of q. Or those of B: r, and the high lane of q. */
typedef struct axis3 {
    double2 first, second;
} axis3;

TACT_FORCE_INLINE axis3 axis3_load(const double *from) { return (axis3){_mm_loadu_pd(from), _mm_loadu_pd(from + 2)}; }

TACT_FORCE_INLINE void axis3_store(double *to, double2 first, double2 second)
{
    _mm_storeu_pd(to, first);
    _mm_storeu_pd(to + 2, second);
}

TACT_FORCE_INLINE axis3 axis3_clamp(axis3 a)
{
    return (axis3){double2_clamp_unit(a.first), double2_clamp_unit(a.second)};
}

TACT_FORCE_INLINE axis3 project(const box_projection *m, double2 t0, double2 t1, double2 t2)
{
    axis3 s = axis3_load(m->start), a = axis3_load(m->by[0]), b = axis3_load(m->by[1]), c = axis3_load(m->by[2]);
    return (axis3){double2_add(double2_add(s.first, double2_mul(a.first, t0)),
                               double2_add(double2_mul(b.first, t1), double2_mul(c.first, t2))),
                   double2_add(double2_add(s.second, double2_mul(a.second, t0)),
                               double2_add(double2_mul(b.second, t1), double2_mul(c.second, t2)))};
}

TACT_FORCE_INLINE axis3 onto_a(const box_projection *m, axis3 b)
{
    return project(m, double2_unpack_low(b.first, b.first), double2_unpack_high(b.first, b.first),
                   double2_unpack_high(b.second, b.second));
}

TACT_FORCE_INLINE axis3 onto_b(const box_projection *m, axis3 a)
{
    return project(m, double2_unpack_low(a.first, a.first), double2_unpack_high(a.first, a.first),
                   double2_unpack_low(a.second, a.second));
}

TACT_FORCE_INLINE void make_projections(const box_difference *s, axis6 start, axis6 squares, box_projection *to_a,
                                        box_projection *to_b)
{
    const double2 minus = double2_broadcast(-1.0);
    axis6 i = {_mm_div_pd(minus, squares.p), _mm_div_pd(minus, squares.q), _mm_div_pd(minus, squares.r)};
    axis3 r[3];
    for (int k = 0; k < 3; k++) {
        double2 x = k < 2 ? s->x.p : s->x.q, y = k < 2 ? s->y.p : s->y.q, z = k < 2 ? s->z.p : s->z.q;
        x = k == 1 ? double2_unpack_high(x, x) : double2_unpack_low(x, x);
        y = k == 1 ? double2_unpack_high(y, y) : double2_unpack_low(y, y);
        z = k == 1 ? double2_unpack_high(z, z) : double2_unpack_low(z, z);
        r[k].first = double2_add(double2_add(double2_mul(s->x.r, x), double2_mul(s->y.r, y)), double2_mul(s->z.r, z));
        r[k].second = double2_add(double2_add(double2_mul(s->x.q, x), double2_mul(s->y.q, y)), double2_mul(s->z.q, z));
        axis3_store(to_b->by[k], double2_mul(r[k].first, i.r), double2_mul(r[k].second, i.q));
    }
    double2 q = double2_mul(start.q, i.q);
    axis3_store(to_a->start, double2_mul(start.p, i.p), q);
    axis3_store(to_b->start, double2_mul(start.r, i.r), q);
    axis3_store(to_a->by[0], double2_mul(double2_unpack_low(r[0].first, r[1].first), i.p),
                double2_mul(r[2].first, i.q));
    axis3_store(to_a->by[1], double2_mul(double2_unpack_high(r[0].first, r[1].first), i.p),
                double2_mul(double2_unpack_high(r[2].first, r[2].first), i.q));
    axis3_store(to_a->by[2], double2_mul(double2_unpack_high(r[0].second, r[1].second), i.p),
                double2_mul(double2_unpack_high(r[2].second, r[2].second), i.q));
}

/* ---- edges, and steps to a common point ---- */

/* By axis6_bits, in the order A 0, A 1, B 0, B 1, A 2, B 2: whether the mask has exactly one axis of each box. */
static inline bool is_edge_pair(unsigned bits) { return (UINT64_C(0x1000601100660) >> bits & 1u) != 0; }

/* Whether the mask has three axes or more. */
static inline bool has_three(unsigned bits) { return (UINT64_C(0xfffefee8fee8e880) >> bits & 1u) != 0; }

/* The closest points of two edges along axis i of A and j of B, the parameters inside their bounds: t_i = a + ab t_j
 * and t_j = b + ba t_i. */
TACT_FORCE_INLINE axis6 closest_on_edges(const box_projection *to_a, const box_projection *to_b, axis6 inside,
                                         unsigned bits, axis6 t)
{
    static const uint8_t next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    static const uint8_t in_b[3] = {0, 1, 3}; /* index of the numbers for B in a projection */
    static const uint8_t index_a[3] = {0, 1, 2}, index_b[3] = {4, 5, 3}; /* index of the parameters in p, q, r */
    double at[6];
    axis6_store(at, t);
    int i = bits & 0x10u ? 2 : (int)(bits >> 1 & 1u), j = bits & 0x20u ? 2 : (int)(bits >> 3 & 1u), k = in_b[j];
    double a =
        to_a->start[i] + to_a->by[next[j]][i] * at[index_b[next[j]]] + to_a->by[last[j]][i] * at[index_b[last[j]]];
    double b =
        to_b->start[k] + to_b->by[next[i]][k] * at[index_a[next[i]]] + to_b->by[last[i]][k] * at[index_a[last[i]]];
    double ab = to_a->by[j][i], ba = to_b->by[i][k];
    double sine_square = 1.0 - ab * ba, ta = sine_square > 0.0 ? (a + ab * b) / sine_square : 0.0;
    double tb = clamp_unit(b + ba * clamp_unit(ta));
    double2 found = double2_make(clamp_unit(a + ab * tb), tb);
    return (axis6){double2_select(inside.p, double2_unpack_low(found, found), t.p),
                   double2_select(inside.q, found, t.q),
                   double2_select(inside.r, double2_unpack_high(found, found), t.r)};
}

/* The shortest change of the parameters in `mask` that makes n zero: t_k -= E_k . (sum E_k E_k^t)^-1 n. Zero if the E_k
 * do not span space. */
TACT_FORCE_INLINE axis6 step_to_overlap(const box_difference *s, axis6 mask, tact_vec3 n)
{
    axis6 x = axis6_and(s->x, mask), y = axis6_and(s->y, mask), z = axis6_and(s->z, mask);
    double xx = double2_horizontal_add(axis6_fold(axis6_mul(x, x))),
           yy = double2_horizontal_add(axis6_fold(axis6_mul(y, y)));
    double zz = double2_horizontal_add(axis6_fold(axis6_mul(z, z))),
           xy = double2_horizontal_add(axis6_fold(axis6_mul(x, y)));
    double xz = double2_horizontal_add(axis6_fold(axis6_mul(x, z))),
           yz = double2_horizontal_add(axis6_fold(axis6_mul(y, z)));
    tact_vec3 r0 = {xx, xy, xz}, r1 = {xy, yy, yz}, r2 = {xz, yz, zz};
    tact_vec3 c0 = vec_cross(r1, r2), c1 = vec_cross(r2, r0), c2 = vec_cross(r0, r1);
    double determinant = vec_dot(r0, c0), trace = xx + yy + zz;
    double scale = determinant > BOX_BOX_FLAT * (trace * trace * trace) ? -1.0 / determinant : 0.0;
    double2 u = double2_broadcast(vec_dot(c0, n) * scale), v = double2_broadcast(vec_dot(c1, n) * scale),
            w = double2_broadcast(vec_dot(c2, n) * scale);
    return axis6_add(axis6_add(axis6_scale(x, u), axis6_scale(y, v)), axis6_scale(z, w));
}

/* slack / max(slack, |step|), where slack is the distance from t to its bound along the step; 1 if both are zero. */
TACT_FORCE_INLINE double2 step_fraction(double2 t, double2 step)
{
    const double2 tiny = double2_broadcast(BOX_BOX_TINY);
    double2 slack = double2_sub(double2_broadcast(1.0), _mm_xor_pd(t, _mm_and_pd(step, double2_broadcast(-0.0))));
    return _mm_div_pd(double2_add(slack, tiny), double2_add(_mm_max_pd(slack, double2_abs(step)), tiny));
}

/* The largest fraction of a step, at most 1, that stays in the boxes. */
TACT_FORCE_INLINE double2 feasible_fraction(axis6 t, axis6 step)
{
    double2 part =
        _mm_min_pd(_mm_min_pd(step_fraction(t.p, step.p), step_fraction(t.r, step.r)), step_fraction(t.q, step.q));
    return _mm_min_pd(part, double2_reverse(part));
}

/* Which parameters are inside their bounds, or at a bound that the descent direction leads away from. */
TACT_FORCE_INLINE double2 free_parameters(double2 t, double2 slope)
{
    return _mm_or_pd(_mm_cmplt_pd(double2_abs(t), double2_broadcast(1.0)),
                     _mm_cmpgt_pd(double2_mul(t, slope), _mm_setzero_pd()));
}

/* ---- the search ---- */

/* Makes an n that is short beside the boxes perpendicular to the (at most two) edges that it ends on, to the last bit
 * of its own length. False if there are more than two. */
static bool make_perpendicular(const box_difference *s, axis6 t, tact_vec3 *n)
{
    double at[6], x[6], y[6], z[6];
    axis6_store(at, t);
    axis6_store(x, s->x);
    axis6_store(y, s->y);
    axis6_store(z, s->z);
    tact_vec3 edge[2];
    int count = 0;
    for (int i = 0; i < 6; i++) {
        if (fabs(at[i]) < 1.0) {
            if (count == 2)
                return false;
            edge[count++] = vec_make(x[i], y[i], z[i]);
        }
    }
    if (count == 1) {
        *n = vec_mul_add(*n, -vec_dot(*n, edge[0]) / vec_length_squared(edge[0]), edge[0]);
    } else if (count == 2) {
        tact_vec3 across = vec_cross(edge[0], edge[1]);
        *n = vec_scale(across, vec_dot(*n, across) / vec_length_squared(across));
    }
    return true;
}

/* All bits set if the first nonzero coordinate is negative. */
TACT_FORCE_INLINE double2 is_negative(tact_vec3 c)
{
    double first = c.x != 0.0 ? c.x : c.y != 0.0 ? c.y : c.z;
    return _mm_cmplt_pd(double2_broadcast(first), _mm_setzero_pd());
}

/* How a search ended. */
typedef enum box_box_status {
    BOX_BOX_OPEN,         /* without a proof */
    BOX_BOX_SEPARATED,    /* the bounds have met */
    BOX_BOX_BEYOND_LIMIT, /* the lower bound is beyond the limit */
    BOX_BOX_WITHIN_LIMIT  /* the upper bound is within the limit, or the rounding error */
} box_box_status;

/* What is known at the end. */
typedef struct box_box_result {
    box_pair_point here;
    double2 swapped;
    tact_vec3 n; /* direction of the lower bound */
    double nn;   /* |n|^2 */
    double nw;   /* lower bound times |n| */
} box_box_result;

/* The numbers of the six half axes by axis: A low, B high. */
typedef struct axis_pairs {
    double2 k[3];
} axis_pairs;

/* Converts to axis6, with A and B swapped where the mask is set. */
TACT_FORCE_INLINE axis6 axis6_of(const axis_pairs *a, double2 swapped)
{
    double2 p = double2_unpack_low(a->k[0], a->k[1]), r = double2_unpack_high(a->k[0], a->k[1]);
    double2_swap_if(swapped, &p, &r);
    return (axis6){p, double2_reverse_if(swapped, a->k[2]), r};
}

TACT_FORCE_INLINE axis_pairs axis_pairs_dot(const axis_pairs *x, const axis_pairs *y, const axis_pairs *z, tact_vec3 n)
{
    double2 nx = double2_broadcast(n.x), ny = double2_broadcast(n.y), nz = double2_broadcast(n.z);
    axis_pairs g;
    for (int i = 0; i < 3; i++)
        g.k[i] = double2_add(double2_add(double2_mul(x->k[i], nx), double2_mul(y->k[i], ny)), double2_mul(z->k[i], nz));
    return g;
}

TACT_FORCE_INLINE double2 axis_pairs_sum(axis_pairs a) { return double2_add(double2_add(a.k[0], a.k[1]), a.k[2]); }

/* n.c - sum |n.E_k| from the n.E_k. */
TACT_FORCE_INLINE double axis_pairs_separation(const axis_pairs *g, double along)
{
    return along - double2_horizontal_add(
                       double2_add(double2_add(double2_abs(g->k[0]), double2_abs(g->k[1])), double2_abs(g->k[2])));
}

/* Whether the axes of both boxes are at right angles up to BOX_BOX_RECTANGULAR, so that none is zero, and the centres
 * are in range. False for NaN and infinity. */
TACT_FORCE_INLINE bool are_rectangular(const axis_pairs *x, const axis_pairs *y, const axis_pairs *z,
                                       const axis_pairs *squares, double2 far)
{
    double2 u = double2_sub(double2_mul(y->k[0], z->k[1]), double2_mul(z->k[0], y->k[1])),
            v = double2_sub(double2_mul(z->k[0], x->k[1]), double2_mul(x->k[0], z->k[1])),
            w = double2_sub(double2_mul(x->k[0], y->k[1]), double2_mul(y->k[0], x->k[1]));
    double2 volume =
        double2_add(double2_add(double2_mul(u, x->k[2]), double2_mul(v, y->k[2])), double2_mul(w, z->k[2]));
    double2 most = double2_mul(double2_mul(squares->k[0], squares->k[1]), squares->k[2]);
    double2 clear =
        _mm_cmpgt_pd(double2_mul(volume, volume), double2_mul(double2_broadcast(BOX_BOX_RECTANGULAR), most));
    double2 near = _mm_cmplt_pd(far, double2_broadcast(GJK_MAX_LENGTH * GJK_MAX_LENGTH));
    return _mm_movemask_pd(_mm_and_pd(clear, near)) == 3;
}

/* Whether the direction n separates the boxes by more than `limit`. */
static inline bool beyond(const box_box_result *f, double limit)
{
    return f->nw > 0.0 && f->nw * f->nw > limit * limit * f->nn;
}

/* The two boxes in the order given. */
typedef struct box_pair {
    axis_pairs x, y, z;       /* coordinates of the E_k */
    axis_pairs squares;       /* |E_k|^2 */
    axis_pairs along;         /* E_k . c */
    double2 at_x, at_y, at_z; /* centres: A low, B high */
    tact_vec3 c;              /* centre of B - centre of A */
} box_pair;

/* False: take the general path. */
TACT_FORCE_INLINE bool read_boxes(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                  const tact_transform *transform_b, box_pair *m)
{
    const double2 half[3] = {double2_make(a->half_extents.x, b->half_extents.x),
                             double2_make(a->half_extents.y, b->half_extents.y),
                             double2_make(a->half_extents.z, b->half_extents.z)};
    m->x = (axis_pairs){{double2_mul(double2_make(transform_a->x_axis.x, transform_b->x_axis.x), half[0]),
                         double2_mul(double2_make(transform_a->y_axis.x, transform_b->y_axis.x), half[1]),
                         double2_mul(double2_make(transform_a->z_axis.x, transform_b->z_axis.x), half[2])}};
    m->y = (axis_pairs){{double2_mul(double2_make(transform_a->x_axis.y, transform_b->x_axis.y), half[0]),
                         double2_mul(double2_make(transform_a->y_axis.y, transform_b->y_axis.y), half[1]),
                         double2_mul(double2_make(transform_a->z_axis.y, transform_b->z_axis.y), half[2])}};
    m->z = (axis_pairs){{double2_mul(double2_make(transform_a->x_axis.z, transform_b->x_axis.z), half[0]),
                         double2_mul(double2_make(transform_a->y_axis.z, transform_b->y_axis.z), half[1]),
                         double2_mul(double2_make(transform_a->z_axis.z, transform_b->z_axis.z), half[2])}};
    m->at_x = double2_make(transform_a->origin.x, transform_b->origin.x);
    m->at_y = double2_make(transform_a->origin.y, transform_b->origin.y);
    m->at_z = double2_make(transform_a->origin.z, transform_b->origin.z);
    m->c = vec_make(double2_horizontal_sub(m->at_x), double2_horizontal_sub(m->at_y), double2_horizontal_sub(m->at_z));
    for (int i = 0; i < 3; i++)
        m->squares.k[i] = double2_add(double2_add(double2_mul(m->x.k[i], m->x.k[i]), double2_mul(m->y.k[i], m->y.k[i])),
                                      double2_mul(m->z.k[i], m->z.k[i]));
    m->along = axis_pairs_dot(&m->x, &m->y, &m->z, m->c);
    double2 far = double2_add(double2_add(double2_mul(m->at_x, m->at_x), double2_mul(m->at_y, m->at_y)),
                              double2_mul(m->at_z, m->at_z));
    return are_rectangular(&m->x, &m->y, &m->z, &m->squares, far);
}

/* Whether the line of centres separates the boxes by more than `limit`, as it does for most separated pairs. */
TACT_FORCE_INLINE bool separated_along_centres(const box_pair *m, double limit)
{
    double cc = vec_length_squared(m->c), height = axis_pairs_separation(&m->along, cc);
    double sizes = double2_horizontal_add(axis_pairs_sum(m->squares)) + cc;
    return height > 0.0 && height * height > (limit * limit + BOX_BOX_CLEAR * sizes) * cc;
}

/* `decide`, a constant at each call: only decide whether the distance is beyond `limit`. `axis`, unless NULL, is tried
 * first. */
TACT_FORCE_INLINE box_box_status search_boxes(const box_pair *m, double margins, double accuracy, double limit,
                                              bool decide, const tact_vec3 *axis, box_box_result *f)
{
    const tact_vec3 c = m->c;
    double size = double2_horizontal_add(_mm_sqrt_pd(double2_mul(double2_broadcast(3.0), axis_pairs_sum(m->squares)))) +
                  vec_max_abs(c);
    if (!(size > GJK_MIN_LENGTH && size + margins < GJK_MAX_LENGTH))
        return BOX_BOX_OPEN;
    const double rounding = GJK_ROUNDING * CONVEX_ROUNDOFF * size, rounding_squared = rounding * rounding;
    const double touch = BOX_BOX_TOUCH * rounding, within = decide && limit > touch ? limit : touch,
                 within_square = within * within, enough = limit > rounding ? limit : rounding;
    if (axis != NULL) {
        f->n = *axis;
        f->nn = vec_length_squared(f->n);
        const axis_pairs g = axis_pairs_dot(&m->x, &m->y, &m->z, f->n);
        f->nw = axis_pairs_separation(&g, vec_dot(f->n, c));
        if (beyond(f, enough) && f->nn > GJK_MIN_LENGTH && f->nn < GJK_MAX_LENGTH)
            return BOX_BOX_BEYOND_LIMIT;
    }
    const double2 swapped = is_negative(c);
    f->swapped = swapped;
    const box_difference s = {axis6_of(&m->x, swapped), axis6_of(&m->y, swapped), axis6_of(&m->z, swapped), c};
    box_projection to_a, to_b;
    make_projections(&s, axis6_of(&m->along, swapped), axis6_of(&m->squares, swapped), &to_a, &to_b);
    axis3 ta = axis3_clamp(axis3_load(to_a.start)), tb = axis3_clamp(onto_b(&to_b, ta));
    for (int iteration = 1; iteration <= BOX_BOX_MAX_ITERATIONS; iteration++) {
        axis3 ua = onto_a(&to_a, tb);
        ta = axis3_clamp(ua);
        axis3 ub = onto_b(&to_b, ta);
        tb = axis3_clamp(ub);
        axis6 t = {ta.first, _mm_move_sd(tb.second, ta.second), tb.first};
        axis6 u = {ua.first, _mm_move_sd(ub.second, ua.second), ub.first};
        axis6 inside = {_mm_cmpeq_pd(t.p, u.p), _mm_cmpeq_pd(t.q, u.q), _mm_cmpeq_pd(t.r, u.r)};
        unsigned bits = axis6_bits(inside);
        if (is_edge_pair(bits))
            t = closest_on_edges(&to_a, &to_b, inside, bits, t);
        f->here = point_at(&s, t);
        f->n = f->here.n;
        f->nn = f->here.nn;
        if (f->nn <= within_square)
            return BOX_BOX_WITHIN_LIMIT;
        axis6 slopes;
        double nn = f->nn, nw = separation(&s, f->n, &slopes);
        f->nw = nw;
        if (beyond(f, enough))
            return BOX_BOX_BEYOND_LIMIT;
        if (!decide) {
            double gap = nn - nw, allowed = accuracy * (margins > 0.0 ? fabs(nn - margins * sqrt(nn)) : nn);
            bool close = gap * gap <= rounding_squared * nn;
            if ((gap <= allowed) | close)
                return nw > 0.0 && ((gap >= -allowed) | close) ? BOX_BOX_SEPARATED : BOX_BOX_OPEN;
            if (gap <= BOX_BOX_NEARLY * nn && make_perpendicular(&s, t, &f->n) &&
                vec_max_abs(vec_sub(f->n, f->here.n)) <= touch) {
                axis6 unused;
                double length = sqrt(nn);
                f->nw = separation(&s, f->n, &unused);
                f->nn = vec_length_squared(f->n);
                double lower = f->nw / sqrt(f->nn);
                if (fabs(length - lower) <= max_double(allowed / length, rounding))
                    return lower > 0.0 ? BOX_BOX_SEPARATED : BOX_BOX_OPEN;
            }
        }
        axis6 mask = {free_parameters(t.p, slopes.p), free_parameters(t.q, slopes.q), free_parameters(t.r, slopes.r)};
        if (has_three(axis6_bits(mask))) {
            axis6 step = step_to_overlap(&s, mask, f->here.n), next = axis6_clamp(axis6_add(t, step));
            box_pair_point there = point_at(&s, next);
            if (there.nn <= within_square) {
                f->here = there;
                return BOX_BOX_WITHIN_LIMIT;
            }
            t = there.nn < nn ? next : axis6_clamp(axis6_add(t, axis6_scale(step, feasible_fraction(t, step))));
        }
        ta = (axis3){t.p, t.q};
        tb = (axis3){t.r, t.q};
    }
    return BOX_BOX_OPEN;
}

tact_distance tact_box_box_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, const tact_distance_def *def)
{
    box_pair m;
    box_box_result f;
    double margins = a->margin + b->margin, apart = 0.0;
    box_box_status end = read_boxes(a, transform_a, b, transform_b, &m)
                             ? search_boxes(&m, margins, def->accuracy, def->upper_bound + margins, false, NULL, &f)
                             : BOX_BOX_OPEN;
    if (end == BOX_BOX_OPEN)
        return tact_convex_pair_distance(a, transform_a, b, transform_b, def);
    tact_vec3 normal = {0.0, 0.0, 0.0};
    if (end != BOX_BOX_WITHIN_LIMIT) {
        double inverse = 1.0 / sqrt(f.nn);
        normal = vec_scale(f.n, inverse);
        apart = end == BOX_BOX_BEYOND_LIMIT ? margin_lower_bound(f.nw * inverse, margins, def->upper_bound)
                                            : sqrt(f.here.nn);
        if (def->cache != NULL)
            def->cache->axis = normal;
    }
    const double2 reversed = double2_make(-0.0, 0.0); /* A's coordinates are negated */
    double2 x = double2_add(m.at_x, _mm_xor_pd(double2_reverse_if(f.swapped, f.here.x), reversed)),
            y = double2_add(m.at_y, _mm_xor_pd(double2_reverse_if(f.swapped, f.here.y), reversed)),
            z = double2_add(m.at_z, _mm_xor_pd(double2_reverse_if(f.swapped, f.here.z), reversed));
    tact_vec3 on_a = {double2_low(x), double2_low(y), double2_low(z)},
              on_b = {double2_high(x), double2_high(y), double2_high(z)};
    return margin_distance(apart, normal, on_a, on_b, a->margin, b->margin);
}

/* Not inlined, so that the line-of-centres test before it needs no large stack frame. */
static TACT_NOINLINE tact_state search_within(const box_pair *m, double margins, double limit, tact_vec3 *axis)
{
    box_box_result f;
    box_box_status end = search_boxes(m, margins, 0.0, limit, true, axis, &f);
    if (end == BOX_BOX_BEYOND_LIMIT && axis != NULL)
        *axis = f.n;
    return end == BOX_BOX_BEYOND_LIMIT ? TACT_MISS : end == BOX_BOX_WITHIN_LIMIT ? TACT_HIT : TACT_UNKNOWN;
}

tact_state tact_box_box_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                               const tact_transform *transform_b, double distance, tact_vec3 *axis)
{
    box_pair m;
    double margins = a->margin + b->margin, limit = distance + margins;
    if (!read_boxes(a, transform_a, b, transform_b, &m))
        return TACT_UNKNOWN;
    if (!separated_along_centres(&m, limit))
        return search_within(&m, margins, limit, axis);
    if (axis != NULL)
        *axis = m.c;
    return TACT_MISS;
}
