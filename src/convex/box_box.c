/*
 * The distance of two rectangular boxes, or just whether they touch.
 *
 * B - A is the set of all c + sum t_k E_k with |t_k| <= 1, where E_k are the half axes of both boxes (a box is its own
 * mirror image, so those of A need not be reversed): the distance is a least-squares problem in six bounded numbers.
 * Alternating projections from the one box into the other (von Neumann's; a clamp a coordinate) soon tell which t_k are
 * at a bound. If one of each box is not, two edges cross, and their nearest points are solved for; all other nearest
 * features the projections hit exactly. If three or more could still bring the boxes closer, the shortest step that
 * makes n = 0 is tried: where the boxes overlap it mostly ends at a common point. So it goes in rounds, 1.4 to 1.7 on
 * average.
 *
 * Guarantee: that of gjk.c, and by the same proof: the points are in the boxes by construction, which is the upper
 * bound, and the separation n.c - sum |n.E_k| along the line between them is the lower one; they meet to within
 * `accuracy` or GJK_ROUNDING u size. Nothing is concluded from boxes being rectangular: leaning ones take longer or
 * come to no proof. What does not is left to GJK.
 *
 * Where A and B are exchanged, all is done in one order and exchanged back, in registers: addresses that depend on data
 * cost more. All vectors are then exactly reversed. Cost: 70 to 160 ns on a 3 GHz core; placements are read in the same
 * go, as copying them would cost a quarter of that.
 */
#include "convex/box_box.h"

#include "convex/convex_constants.h"
#include "convex/convex_pair.h"
#include "convex/margin_answer.h"
#include "core/inline.h"
#include "math/double2.h"
#include "math/fp_environment.h"
#include "shape/shape_data.h"

/* One number for each half axis: p has 0 and 1 of A, r has 0 and 1 of B, q has 2 of A and of B. */
typedef struct six {
    double2 p, q, r;
} six;

TACT_FORCE_INLINE six six_add(six a, six b)
{
    return (six){double2_add(a.p, b.p), double2_add(a.q, b.q), double2_add(a.r, b.r)};
}
TACT_FORCE_INLINE six six_mul(six a, six b)
{
    return (six){double2_mul(a.p, b.p), double2_mul(a.q, b.q), double2_mul(a.r, b.r)};
}
TACT_FORCE_INLINE six six_scale(six a, double2 s)
{
    return (six){double2_mul(a.p, s), double2_mul(a.q, s), double2_mul(a.r, s)};
}
TACT_FORCE_INLINE six six_clamp(six a)
{
    return (six){double2_clamp_unit(a.p), double2_clamp_unit(a.q), double2_clamp_unit(a.r)};
}
TACT_FORCE_INLINE six six_abs(six a) { return (six){double2_abs(a.p), double2_abs(a.q), double2_abs(a.r)}; }
TACT_FORCE_INLINE double2 six_fold(six a) { return double2_add(double2_add(a.p, a.r), a.q); }

TACT_FORCE_INLINE six six_and(six a, six b)
{
    return (six){simde_mm_and_pd(a.p, b.p), simde_mm_and_pd(a.q, b.q), simde_mm_and_pd(a.r, b.r)};
}

TACT_FORCE_INLINE void six_store(double *to, six a)
{
    simde_mm_storeu_pd(to, a.p);
    simde_mm_storeu_pd(to + 2, a.q);
    simde_mm_storeu_pd(to + 4, a.r);
}

TACT_FORCE_INLINE unsigned six_bits(six mask)
{
    unsigned p = (unsigned)simde_mm_movemask_pd(mask.p), q = (unsigned)simde_mm_movemask_pd(mask.q),
             r = (unsigned)simde_mm_movemask_pd(mask.r);
    return p | r << 2 | q << 4;
}

/* The problem: B - A is c + sum t_k E_k with all |t_k| <= 1. */
typedef struct boxes {
    six x, y, z; /* the coordinates of the E_k */
    tact_vec3 c; /* centre of B - centre of A */
} boxes;

/* E_k . (x y z) */
TACT_FORCE_INLINE six dots(const boxes *s, double2 x, double2 y, double2 z)
{
    return six_add(six_add(six_scale(s->x, x), six_scale(s->y, y)), six_scale(s->z, z));
}

/* Where parameters t lead: points of A, reversed, and of B, relative to their centres, as low and high of each
 * coordinate; and what is between them. */
typedef struct spot {
    double2 x, y, z;
    tact_vec3 n;
    double nn; /* |n|^2 */
} spot;

TACT_FORCE_INLINE double2 coordinate(six x, six t)
{
    double2 p = double2_mul(x.p, t.p), q = double2_mul(x.q, t.q), r = double2_mul(x.r, t.r);
    return double2_add(double2_add(double2_unpack_low(p, r), double2_unpack_high(p, r)), q);
}

TACT_FORCE_INLINE spot spot_of(const boxes *s, six t)
{
    spot here = {coordinate(s->x, t), coordinate(s->y, t), coordinate(s->z, t), {0.0, 0.0, 0.0}, 0.0};
    here.n = vec_make(double2_horizontal_add(here.x) + s->c.x, double2_horizontal_add(here.y) + s->c.y,
                      double2_horizontal_add(here.z) + s->c.z);
    here.nn = vec_length_squared(here.n);
    return here;
}

/* The separation of the boxes along n, times |n|: n.c - sum |n.E_k|. The n.E_k, which are the slopes of |n|^2/2 by the
 * t_k, go to `slopes`. */
TACT_FORCE_INLINE double separation(const boxes *s, tact_vec3 n, six *slopes)
{
    six g = dots(s, double2_broadcast(n.x), double2_broadcast(n.y), double2_broadcast(n.z));
    *slopes = g;
    return vec_dot(n, s->c) - double2_horizontal_add(six_fold(six_abs(g)));
}

/* ---- projections
 * ---------------------------------------------------------------------------------------------------------------- */

/* The projection of a point of the one box into the other: t_k = start_k + sum over the other's j of by_jk t_j, if the
 * axes are perpendicular. The four numbers are as in `three`: for A 0, 1, 2 and one unused, for B 0, 1, one unused
 * and 2. */
typedef struct projection {
    double start[4], by[3][4];
} projection;

/* The parameters of A: p, and the low half of q; or those of B: r, and the high half of q. */
typedef struct three {
    double2 first, second;
} three;

TACT_FORCE_INLINE three three_load(const double *from)
{
    return (three){simde_mm_loadu_pd(from), simde_mm_loadu_pd(from + 2)};
}

TACT_FORCE_INLINE void three_store(double *to, double2 first, double2 second)
{
    simde_mm_storeu_pd(to, first);
    simde_mm_storeu_pd(to + 2, second);
}

TACT_FORCE_INLINE three three_clamp(three a)
{
    return (three){double2_clamp_unit(a.first), double2_clamp_unit(a.second)};
}

TACT_FORCE_INLINE three project(const projection *m, double2 t0, double2 t1, double2 t2)
{
    three s = three_load(m->start), a = three_load(m->by[0]), b = three_load(m->by[1]), c = three_load(m->by[2]);
    return (three){double2_add(double2_add(s.first, double2_mul(a.first, t0)),
                               double2_add(double2_mul(b.first, t1), double2_mul(c.first, t2))),
                   double2_add(double2_add(s.second, double2_mul(a.second, t0)),
                               double2_add(double2_mul(b.second, t1), double2_mul(c.second, t2)))};
}

TACT_FORCE_INLINE three onto_a(const projection *m, three b)
{
    return project(m, double2_unpack_low(b.first, b.first), double2_unpack_high(b.first, b.first),
                   double2_unpack_high(b.second, b.second));
}

TACT_FORCE_INLINE three onto_b(const projection *m, three a)
{
    return project(m, double2_unpack_low(a.first, a.first), double2_unpack_high(a.first, a.first),
                   double2_unpack_low(a.second, a.second));
}

TACT_FORCE_INLINE void make_projections(const boxes *s, six start, six squares, projection *to_a, projection *to_b)
{
    const double2 minus = double2_broadcast(-1.0);
    six i = {simde_mm_div_pd(minus, squares.p), simde_mm_div_pd(minus, squares.q), simde_mm_div_pd(minus, squares.r)};
    three r[3];
    for (int k = 0; k < 3; k++) {
        double2 x = k < 2 ? s->x.p : s->x.q, y = k < 2 ? s->y.p : s->y.q, z = k < 2 ? s->z.p : s->z.q;
        x = k == 1 ? double2_unpack_high(x, x) : double2_unpack_low(x, x);
        y = k == 1 ? double2_unpack_high(y, y) : double2_unpack_low(y, y);
        z = k == 1 ? double2_unpack_high(z, z) : double2_unpack_low(z, z);
        r[k].first = double2_add(double2_add(double2_mul(s->x.r, x), double2_mul(s->y.r, y)), double2_mul(s->z.r, z));
        r[k].second = double2_add(double2_add(double2_mul(s->x.q, x), double2_mul(s->y.q, y)), double2_mul(s->z.q, z));
        three_store(to_b->by[k], double2_mul(r[k].first, i.r), double2_mul(r[k].second, i.q));
    }
    double2 q = double2_mul(start.q, i.q);
    three_store(to_a->start, double2_mul(start.p, i.p), q);
    three_store(to_b->start, double2_mul(start.r, i.r), q);
    three_store(to_a->by[0], double2_mul(double2_unpack_low(r[0].first, r[1].first), i.p),
                double2_mul(r[2].first, i.q));
    three_store(to_a->by[1], double2_mul(double2_unpack_high(r[0].first, r[1].first), i.p),
                double2_mul(double2_unpack_high(r[2].first, r[2].first), i.q));
    three_store(to_a->by[2], double2_mul(double2_unpack_high(r[0].second, r[1].second), i.p),
                double2_mul(double2_unpack_high(r[2].second, r[2].second), i.q));
}

/* ---- edges, and steps to a common point
 * ----------------------------------------------------------------------------------------- */

/* By six_bits, that is A 0, A 1, B 0, B 1, A 2, B 2: whether it is one of each box, */
static inline bool one_each(unsigned bits) { return (UINT64_C(0x1000601100660) >> bits & 1u) != 0; }

/* and whether it is three or more. */
static inline bool three_or_more(unsigned bits) { return (UINT64_C(0xfffefee8fee8e880) >> bits & 1u) != 0; }

static inline double clamp(double t) { return double2_low(double2_clamp_unit(simde_mm_set_sd(t))); }

/* The nearest points of the two edges along the axes i of A and j of B, which are those inside: t_i = a + ab t_j and
 * t_j = b + ba t_i. */
TACT_FORCE_INLINE six cross_edges(const projection *to_a, const projection *to_b, six inside, unsigned bits, six t)
{
    static const uint8_t next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    static const uint8_t in_b[3] = {0, 1, 3}; /* where the numbers for B are in a projection, */
    static const uint8_t transform_a[3] = {0, 1, 2},
                         transform_b[3] = {4, 5, 3}; /* and where the parameters are in p, q, r */
    double at[6];
    six_store(at, t);
    int i = bits & 0x10u ? 2 : (int)(bits >> 1 & 1u), j = bits & 0x20u ? 2 : (int)(bits >> 3 & 1u), k = in_b[j];
    double a = to_a->start[i] + to_a->by[next[j]][i] * at[transform_b[next[j]]] +
               to_a->by[last[j]][i] * at[transform_b[last[j]]];
    double b = to_b->start[k] + to_b->by[next[i]][k] * at[transform_a[next[i]]] +
               to_b->by[last[i]][k] * at[transform_a[last[i]]];
    double ab = to_a->by[j][i], ba = to_b->by[i][k];
    double sine_square = 1.0 - ab * ba, ta = sine_square > 0.0 ? (a + ab * b) / sine_square : 0.0;
    double tb = clamp(b + ba * clamp(ta));
    double2 found = double2_make(clamp(a + ab * tb), tb);
    return (six){double2_select(inside.p, double2_unpack_low(found, found), t.p), double2_select(inside.q, found, t.q),
                 double2_select(inside.r, double2_unpack_high(found, found), t.r)};
}

/* The shortest change of the parameters in `mask` that makes n zero: t_k -= E_k . (sum E_k E_k^t)^-1 n; zero if the
 * E_k do not span space. */
TACT_FORCE_INLINE six full_step(const boxes *s, six mask, tact_vec3 n)
{
    six x = six_and(s->x, mask), y = six_and(s->y, mask), z = six_and(s->z, mask);
    double xx = double2_horizontal_add(six_fold(six_mul(x, x))), yy = double2_horizontal_add(six_fold(six_mul(y, y)));
    double zz = double2_horizontal_add(six_fold(six_mul(z, z))), xy = double2_horizontal_add(six_fold(six_mul(x, y)));
    double xz = double2_horizontal_add(six_fold(six_mul(x, z))), yz = double2_horizontal_add(six_fold(six_mul(y, z)));
    tact_vec3 r0 = {xx, xy, xz}, r1 = {xy, yy, yz}, r2 = {xz, yz, zz};
    tact_vec3 c0 = vec_cross(r1, r2), c1 = vec_cross(r2, r0), c2 = vec_cross(r0, r1);
    double determinant = vec_dot(r0, c0), trace = xx + yy + zz;
    double scale = determinant > BOX_BOX_FLAT * (trace * trace * trace) ? -1.0 / determinant : 0.0;
    double2 u = double2_broadcast(vec_dot(c0, n) * scale), v = double2_broadcast(vec_dot(c1, n) * scale),
            w = double2_broadcast(vec_dot(c2, n) * scale);
    return six_add(six_add(six_scale(x, u), six_scale(y, v)), six_scale(z, w));
}

/* room / max(room, |step|), where a step from t has so much room; 1 if both are zero. */
TACT_FORCE_INLINE double2 part_of(double2 t, double2 step)
{
    const double2 tiny = double2_broadcast(1e-300);
    double2 room =
        double2_sub(double2_broadcast(1.0), simde_mm_xor_pd(t, simde_mm_and_pd(step, double2_broadcast(-0.0))));
    return simde_mm_div_pd(double2_add(room, tiny), double2_add(simde_mm_max_pd(room, double2_abs(step)), tiny));
}

/* As much of a step as does not leave the boxes, at most 1. */
TACT_FORCE_INLINE double2 part_of_step(six t, six step)
{
    double2 part = simde_mm_min_pd(simde_mm_min_pd(part_of(t.p, step.p), part_of(t.r, step.r)), part_of(t.q, step.q));
    return simde_mm_min_pd(part, double2_reverse(part));
}

/* Which parameters are inside, or at a bound that the slope leads away from. */
TACT_FORCE_INLINE double2 free_of(double2 t, double2 slope)
{
    return simde_mm_or_pd(simde_mm_cmplt_pd(double2_abs(t), double2_broadcast(1.0)),
                          simde_mm_cmpgt_pd(double2_mul(t, slope), simde_mm_setzero_pd()));
}

/* ---- the search
 * ----------------------------------------------------------------------------------------------------------------- */

/* For an n that is short beside the boxes: made perpendicular to the (at most two) edges that it ends on to the last
 * bit of its own length. False if they are more. */
static bool square_up(const boxes *s, six t, tact_vec3 *n)
{
    double at[6], x[6], y[6], z[6];
    six_store(at, t);
    six_store(x, s->x);
    six_store(y, s->y);
    six_store(z, s->z);
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

/* All bits if the first of the numbers that is not zero is negative. */
TACT_FORCE_INLINE double2 is_negative(tact_vec3 c)
{
    double first = c.x != 0.0 ? c.x : c.y != 0.0 ? c.y : c.z;
    return simde_mm_cmplt_pd(double2_broadcast(first), simde_mm_setzero_pd());
}

/* How a search ended. */
typedef enum boxes_end {
    BOXES_OPEN,   /* without a proof */
    BOXES_APART,  /* `lower` and `upper` have met */
    BOXES_BEYOND, /* `lower` is beyond the limit */
    BOXES_WITHIN  /* `upper` is within the limit, or rounding */
} boxes_end;

/* What is known then. */
typedef struct finding {
    spot here;
    double2 swapped;
    tact_vec3 n; /* the direction of `lower` */
    double nn;   /* |n|^2 */
    double nw;   /* lower |n| */
} finding;

/* The same six numbers by axis: A's is low, B's is high. */
typedef struct axes {
    double2 k[3];
} axes;

/* The one form from the other, with A and B exchanged where the mask says so. */
TACT_FORCE_INLINE six six_of(const axes *a, double2 swapped)
{
    double2 p = double2_unpack_low(a->k[0], a->k[1]), r = double2_unpack_high(a->k[0], a->k[1]);
    double2_swap_if(swapped, &p, &r);
    return (six){p, double2_reverse_if(swapped, a->k[2]), r};
}

TACT_FORCE_INLINE axes axes_dot(const axes *x, const axes *y, const axes *z, tact_vec3 n)
{
    double2 nx = double2_broadcast(n.x), ny = double2_broadcast(n.y), nz = double2_broadcast(n.z);
    axes g;
    for (int i = 0; i < 3; i++)
        g.k[i] = double2_add(double2_add(double2_mul(x->k[i], nx), double2_mul(y->k[i], ny)), double2_mul(z->k[i], nz));
    return g;
}

TACT_FORCE_INLINE double2 axes_sum(axes a) { return double2_add(double2_add(a.k[0], a.k[1]), a.k[2]); }

/* n.c - sum |n.E_k| from the n.E_k. */
TACT_FORCE_INLINE double axes_separation(const axes *g, double along)
{
    return along - double2_horizontal_add(
                       double2_add(double2_add(double2_abs(g->k[0]), double2_abs(g->k[1])), double2_abs(g->k[2])));
}

/* Whether the axes of both boxes are, up to BOX_BOX_RECTANGULAR, at right angles, so that none is zero, and the centres
 * within bounds. Never for numbers that are none. */
TACT_FORCE_INLINE bool rectangular(const axes *x, const axes *y, const axes *z, const axes *squares, double2 far)
{
    double2 u = double2_sub(double2_mul(y->k[0], z->k[1]), double2_mul(z->k[0], y->k[1])),
            v = double2_sub(double2_mul(z->k[0], x->k[1]), double2_mul(x->k[0], z->k[1])),
            w = double2_sub(double2_mul(x->k[0], y->k[1]), double2_mul(y->k[0], x->k[1]));
    double2 volume =
        double2_add(double2_add(double2_mul(u, x->k[2]), double2_mul(v, y->k[2])), double2_mul(w, z->k[2]));
    double2 most = double2_mul(double2_mul(squares->k[0], squares->k[1]), squares->k[2]);
    double2 clear =
        simde_mm_cmpgt_pd(double2_mul(volume, volume), double2_mul(double2_broadcast(BOX_BOX_RECTANGULAR), most));
    double2 near = simde_mm_cmplt_pd(far, double2_broadcast(GJK_MAX_LENGTH * GJK_MAX_LENGTH));
    return simde_mm_movemask_pd(simde_mm_and_pd(clear, near)) == 3;
}

/* Whether the direction n separates the boxes by more than `limit`. */
static inline bool beyond(const finding *f, double limit)
{
    return f->nw > 0.0 && f->nw * f->nw > limit * limit * f->nn;
}

/* The two boxes as they are given. */
typedef struct measures {
    axes x, y, z;             /* the coordinates of the E_k */
    axes squares;             /* |E_k|^2 */
    axes along;               /* E_k . c */
    double2 at_x, at_y, at_z; /* the centres, of A low, of B high */
    tact_vec3 c;              /* from the one to the other */
} measures;

/* False for what is left to others. */
TACT_FORCE_INLINE bool measure(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                               const tact_transform *transform_b, measures *m)
{
    const double2 half[3] = {double2_make(a->half_extents.x, b->half_extents.x),
                             double2_make(a->half_extents.y, b->half_extents.y),
                             double2_make(a->half_extents.z, b->half_extents.z)};
    m->x = (axes){{double2_mul(double2_make(transform_a->x_axis.x, transform_b->x_axis.x), half[0]),
                   double2_mul(double2_make(transform_a->y_axis.x, transform_b->y_axis.x), half[1]),
                   double2_mul(double2_make(transform_a->z_axis.x, transform_b->z_axis.x), half[2])}};
    m->y = (axes){{double2_mul(double2_make(transform_a->x_axis.y, transform_b->x_axis.y), half[0]),
                   double2_mul(double2_make(transform_a->y_axis.y, transform_b->y_axis.y), half[1]),
                   double2_mul(double2_make(transform_a->z_axis.y, transform_b->z_axis.y), half[2])}};
    m->z = (axes){{double2_mul(double2_make(transform_a->x_axis.z, transform_b->x_axis.z), half[0]),
                   double2_mul(double2_make(transform_a->y_axis.z, transform_b->y_axis.z), half[1]),
                   double2_mul(double2_make(transform_a->z_axis.z, transform_b->z_axis.z), half[2])}};
    m->at_x = double2_make(transform_a->origin.x, transform_b->origin.x);
    m->at_y = double2_make(transform_a->origin.y, transform_b->origin.y);
    m->at_z = double2_make(transform_a->origin.z, transform_b->origin.z);
    m->c = vec_make(double2_horizontal_sub(m->at_x), double2_horizontal_sub(m->at_y), double2_horizontal_sub(m->at_z));
    for (int i = 0; i < 3; i++)
        m->squares.k[i] = double2_add(double2_add(double2_mul(m->x.k[i], m->x.k[i]), double2_mul(m->y.k[i], m->y.k[i])),
                                      double2_mul(m->z.k[i], m->z.k[i]));
    m->along = axes_dot(&m->x, &m->y, &m->z, m->c);
    double2 far = double2_add(double2_add(double2_mul(m->at_x, m->at_x), double2_mul(m->at_y, m->at_y)),
                              double2_mul(m->at_z, m->at_z));
    return rectangular(&m->x, &m->y, &m->z, &m->squares, far);
}

/* Whether the line between the centres separates the boxes by more than `limit`, as it mostly does where they are
 * apart. */
TACT_FORCE_INLINE bool apart_along_centres(const measures *m, double limit)
{
    double cc = vec_length_squared(m->c), height = axes_separation(&m->along, cc);
    double sizes = double2_horizontal_add(axes_sum(m->squares)) + cc;
    return height > 0.0 && height * height > (limit * limit + BOX_BOX_CLEAR * sizes) * cc;
}

/* The search. `decide`, a constant at each call, says that only the side of `limit` matters; `axis`, unless NULL, is
 * tried first. */
TACT_FORCE_INLINE boxes_end search(const measures *m, double margins, double accuracy, double limit, bool decide,
                                   const tact_vec3 *axis, finding *f)
{
    const tact_vec3 c = m->c;
    double size = double2_horizontal_add(simde_mm_sqrt_pd(double2_mul(double2_broadcast(3.0), axes_sum(m->squares)))) +
                  vec_max_abs(c);
    if (!(size > GJK_MIN_LENGTH && size + margins < GJK_MAX_LENGTH))
        return BOXES_OPEN;
    const double rounding = GJK_ROUNDING * CONVEX_ROUNDOFF * size, rounding_squared = rounding * rounding;
    const double touch = BOX_BOX_TOUCH * rounding, within = decide && limit > touch ? limit : touch,
                 within_square = within * within, enough = limit > rounding ? limit : rounding;
    if (axis != NULL) {
        f->n = *axis;
        f->nn = vec_length_squared(f->n);
        const axes g = axes_dot(&m->x, &m->y, &m->z, f->n);
        f->nw = axes_separation(&g, vec_dot(f->n, c));
        if (beyond(f, enough) && f->nn > GJK_MIN_LENGTH && f->nn < GJK_MAX_LENGTH)
            return BOXES_BEYOND;
    }
    const double2 swapped = is_negative(c);
    f->swapped = swapped;
    const boxes s = {six_of(&m->x, swapped), six_of(&m->y, swapped), six_of(&m->z, swapped), c};
    projection to_a, to_b;
    make_projections(&s, six_of(&m->along, swapped), six_of(&m->squares, swapped), &to_a, &to_b);
    three ta = three_clamp(three_load(to_a.start)), tb = three_clamp(onto_b(&to_b, ta));
    for (int round = 1; round <= BOX_BOX_MAX_ITERATIONS; round++) {
        three ua = onto_a(&to_a, tb);
        ta = three_clamp(ua);
        three ub = onto_b(&to_b, ta);
        tb = three_clamp(ub);
        six t = {ta.first, simde_mm_move_sd(tb.second, ta.second), tb.first};
        six u = {ua.first, simde_mm_move_sd(ub.second, ua.second), ub.first};
        six inside = {simde_mm_cmpeq_pd(t.p, u.p), simde_mm_cmpeq_pd(t.q, u.q), simde_mm_cmpeq_pd(t.r, u.r)};
        unsigned bits = six_bits(inside);
        if (one_each(bits))
            t = cross_edges(&to_a, &to_b, inside, bits, t);
        f->here = spot_of(&s, t);
        f->n = f->here.n;
        f->nn = f->here.nn;
        if (f->nn <= within_square)
            return BOXES_WITHIN;
        six slopes;
        double nn = f->nn, nw = separation(&s, f->n, &slopes);
        f->nw = nw;
        if (beyond(f, enough))
            return BOXES_BEYOND;
        if (!decide) {
            double gap = nn - nw, allowed = accuracy * (margins > 0.0 ? fabs(nn - margins * sqrt(nn)) : nn);
            bool close = gap * gap <= rounding_squared * nn;
            if ((gap <= allowed) | close)
                return nw > 0.0 && ((gap >= -allowed) | close) ? BOXES_APART : BOXES_OPEN;
            if (gap <= BOX_BOX_NEARLY * nn && square_up(&s, t, &f->n) &&
                vec_max_abs(vec_sub(f->n, f->here.n)) <= touch) {
                six unused;
                double length = sqrt(nn);
                f->nw = separation(&s, f->n, &unused);
                f->nn = vec_length_squared(f->n);
                double lower = f->nw / sqrt(f->nn);
                if (fabs(length - lower) <= max_double(allowed / length, rounding))
                    return lower > 0.0 ? BOXES_APART : BOXES_OPEN;
            }
        }
        six mask = {free_of(t.p, slopes.p), free_of(t.q, slopes.q), free_of(t.r, slopes.r)};
        if (three_or_more(six_bits(mask))) {
            six step = full_step(&s, mask, f->here.n), next = six_clamp(six_add(t, step));
            spot there = spot_of(&s, next);
            if (there.nn <= within_square) {
                f->here = there;
                return BOXES_WITHIN;
            }
            t = there.nn < nn ? next : six_clamp(six_add(t, six_scale(step, part_of_step(t, step))));
        }
        ta = (three){t.p, t.q};
        tb = (three){t.r, t.q};
    }
    return BOXES_OPEN;
}

tact_distance tact_box_box_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, const tact_distance_def *def)
{
    measures m;
    finding f;
    double margins = a->margin + b->margin, apart = 0.0;
    boxes_end end = measure(a, transform_a, b, transform_b, &m)
                        ? search(&m, margins, def->accuracy, def->upper_bound + margins, false, NULL, &f)
                        : BOXES_OPEN;
    if (end == BOXES_OPEN)
        return tact_convex_pair_distance(a, transform_a, b, transform_b, def);
    tact_vec3 normal = {0.0, 0.0, 0.0};
    if (end != BOXES_WITHIN) {
        double inverse = 1.0 / sqrt(f.nn);
        normal = vec_scale(f.n, inverse);
        apart = end == BOXES_BEYOND ? answer_beyond(f.nw * inverse, margins, def->upper_bound) : sqrt(f.here.nn);
        if (def->cache != NULL)
            def->cache->axis = normal;
    }
    const double2 reversed = double2_make(-0.0, 0.0); /* that of A */
    double2 x = double2_add(m.at_x, simde_mm_xor_pd(double2_reverse_if(f.swapped, f.here.x), reversed)),
            y = double2_add(m.at_y, simde_mm_xor_pd(double2_reverse_if(f.swapped, f.here.y), reversed)),
            z = double2_add(m.at_z, simde_mm_xor_pd(double2_reverse_if(f.swapped, f.here.z), reversed));
    tact_vec3 on_a = {double2_low(x), double2_low(y), double2_low(z)},
              on_b = {double2_high(x), double2_high(y), double2_high(z)};
    return answer_distance(apart, normal, on_a, on_b, a->margin, b->margin);
}

/* Not inlined: what comes before it is done sooner without the stack that this takes. */
static TACT_NOINLINE tact_state search_within(const measures *m, double margins, double limit, tact_vec3 *axis)
{
    finding f;
    boxes_end end = search(m, margins, 0.0, limit, true, axis, &f);
    if (end == BOXES_BEYOND && axis != NULL)
        *axis = f.n;
    return end == BOXES_BEYOND ? TACT_MISS : end == BOXES_WITHIN ? TACT_HIT : TACT_UNKNOWN;
}

tact_state tact_box_box_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                               const tact_transform *transform_b, double distance, tact_vec3 *axis)
{
    measures m;
    double margins = a->margin + b->margin, limit = distance + margins;
    if (!measure(a, transform_a, b, transform_b, &m))
        return TACT_UNKNOWN;
    if (!apart_along_centres(&m, limit))
        return search_within(&m, margins, limit, axis);
    if (axis != NULL)
        *axis = m.c;
    return TACT_MISS;
}
