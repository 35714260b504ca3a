/*
 * The fast GJK on two polytopes.
 *
 * Guarantee: an answer is proved as in the robust search (gjk.c). GJK_SEPARATED: the bounds have met, and the closest
 * point is the combination of its vertices. GJK_OVERLAP: the origin is inside a tetrahedron, or one point inside both
 * shapes, by more than rounding. Otherwise it returns false: slivers, flat contacts, repeated support points. Swapping
 * A and B reverses every vector exactly.
 *
 * Cost: 3 to 5 iterations on average, each with a support point of either shape. With hulls of 20 / 200 points in the
 * cache an iteration takes 50 / 85 ns. Most of that is latency, so chains of operations are short, and unpredictable
 * choices are made without a branch:
 * - The search starts with a point in the interior of each shape. This costs nothing and often saves the support point
 *   behind the origin.
 * - The closest point v of a triangle is stored as the normal n and height h of the triangle: v = n h / n.n. Nothing is
 *   divided before the end.
 * - Of the three faces that a new vertex forms with a triangle, only one is examined: the face through which the line
 *   from v to the origin leaves the tetrahedron (as in Snethen's XenoCollide). It contains a point closer than v, so
 *   the distance shrinks in each iteration. If the origin is behind it, the origin is inside.
 * - The support points of two hulls are computed side by side; those of small hulls from all vertices in floats
 *   (shape/hull.h).
 * - Two hulls that extend far toward each other are first tested on the line of centres (shape/hull_polar.c), where
 *   most overlaps show.
 * - While the interior point is a vertex of the simplex, the closest point of hulls that nearly touch is far to the
 *   side of the line of centres. Support points are then taken along a direction biased toward that line
 *   (GJK_FAST_CENTRE_BIAS).
 */
#include "convex/gjk_fast.h"

#include <string.h>

#include "convex/convex_constants.h"
#include "convex/simplex.h"
#include "core/inline.h"
#include "math/double2.h"
#include "math/fp_environment.h"
#include "shape/support.h"

/* A point of each shape: [0] of A, [1] of B, each relative to its own origin. */
typedef struct point_pair {
    double x[2], y[2], z[2];
} point_pair;

typedef struct gjk_fast_sample {
    tact_vec3 w;
    point_pair from;
} gjk_fast_sample;

/* All support points, and which of them are the simplex. */
typedef struct gjk_fast_simplex {
    gjk_fast_sample sample[GJK_FAST_MAX_ITERATIONS + 1];
    /* The closest point's n and sign before each iteration. They are read back from here: in
     * variables that live across the calls of the loop, the compiler would spill them, which is slower. */
    tact_vec3 normal[GJK_FAST_MAX_ITERATIONS + 1];
    double sign[GJK_FAST_MAX_ITERATIONS + 1];
    int at[4];           /* the samples in the simplex, the newest last */
    double numerator[2]; /* weights of all but the newest, times `denominator` */
    double denominator;
} gjk_fast_simplex;

/* The closest point of the simplex to the origin, v = n h / n.n. Separate from the simplex, so that it stays in
 * registers. */
typedef struct gjk_fast_closest {
    tact_vec3 n;
    double h;      /* negative if n, the normal of a triangle, points away from the origin */
    double sign;   /* has the sign of h, and is known earlier */
    double nn, vv; /* n.n and v.v */
    int count;     /* vertices of the simplex */
} gjk_fast_closest;

/* ---- support points ---- */

TACT_FORCE_INLINE vec_pair vec_pair_broadcast(tact_vec3 a)
{
    return (vec_pair){_mm_set1_pd(a.x), _mm_set1_pd(a.y), _mm_set1_pd(a.z)};
}

TACT_FORCE_INLINE vec_pair vec_pair_cross(vec_pair a, vec_pair b)
{
    return (vec_pair){_mm_sub_pd(_mm_mul_pd(a.y, b.z), _mm_mul_pd(a.z, b.y)),
                      _mm_sub_pd(_mm_mul_pd(a.z, b.x), _mm_mul_pd(a.x, b.z)),
                      _mm_sub_pd(_mm_mul_pd(a.x, b.y), _mm_mul_pd(a.y, b.x))};
}

/* a + f b */
TACT_FORCE_INLINE vec_pair vec_pair_mul_add(vec_pair a, double f, vec_pair b)
{
    __m128d both = _mm_set1_pd(f);
    return (vec_pair){_mm_add_pd(a.x, _mm_mul_pd(both, b.x)), _mm_add_pd(a.y, _mm_mul_pd(both, b.y)),
                      _mm_add_pd(a.z, _mm_mul_pd(both, b.z))};
}

/* Transforms a local point of each shape; returns their point of B - A. */
TACT_FORCE_INLINE tact_vec3 transform_pair(const axes_pair *f, tact_vec3 offset, vec_pair p, point_pair *from)
{
    __m128d x = vec_pair_dot((vec_pair){f->x.x, f->y.x, f->z.x}, p),
            y = vec_pair_dot((vec_pair){f->x.y, f->y.y, f->z.y}, p),
            z = vec_pair_dot((vec_pair){f->x.z, f->y.z, f->z.z}, p);
    _mm_storeu_pd(from->x, x);
    _mm_storeu_pd(from->y, y);
    _mm_storeu_pd(from->z, z);
    return vec_make(_mm_cvtsd_f64(_mm_sub_sd(_mm_unpackhi_pd(x, x), x)) + offset.x,
                    _mm_cvtsd_f64(_mm_sub_sd(_mm_unpackhi_pd(y, y), y)) + offset.y,
                    _mm_cvtsd_f64(_mm_sub_sd(_mm_unpackhi_pd(z, z), z)) + offset.z);
}

TACT_FORCE_INLINE tact_vec3 minkowski_point(tact_vec3 pa, tact_vec3 pb, tact_vec3 offset, point_pair *from)
{
    *from = (point_pair){{pa.x, pb.x}, {pa.y, pb.y}, {pa.z, pb.z}};
    return vec_add(vec_sub(pb, pa), offset);
}

/* a, or -a if h < 0. Not a branch, since the sign of h is unpredictable, and not a product, since the next operation
 * waits for the result. */
TACT_FORCE_INLINE double flip_sign(double a, double h)
{
    return _mm_cvtsd_f64(_mm_xor_pd(_mm_set_sd(a), _mm_and_pd(_mm_set_sd(h), _mm_set_sd(-0.0))));
}

/* The support point of B - A along -n, or along n if h < 0, of any polytopes. */
TACT_FORCE_INLINE tact_vec3 sample_generic(const gjk_fast_pair *p, tact_vec3 n, double h, point_pair *from)
{
    tact_vec3 along = vec_make(flip_sign(n.x, h), flip_sign(n.y, h), flip_sign(n.z, h));
    return minkowski_point(polytope_support(p->a, along), polytope_support(p->b, vec_negate(along)), p->offset, from);
}

/* The direction in the local coordinates of each hull. */
TACT_FORCE_INLINE vec_pair local_directions(const axes_pair *f, tact_vec3 n, double h)
{
    vec_pair both = vec_pair_broadcast(n);
    __m128d turn = _mm_xor_pd(_mm_and_pd(_mm_set1_pd(h), _mm_set1_pd(-0.0)), _mm_set_pd(-0.0, 0.0));
    return (vec_pair){_mm_xor_pd(vec_pair_dot(f->x, both), turn), _mm_xor_pd(vec_pair_dot(f->y, both), turn),
                      _mm_xor_pd(vec_pair_dot(f->z, both), turn)};
}

/* The same of two hulls. */
TACT_FORCE_INLINE tact_vec3 sample_hulls(const gjk_fast_pair *p, tact_vec3 n, double h, point_pair *from)
{
    vec_pair d = local_directions(&p->axes, n, h);
    const __m128d zero = _mm_setzero_pd(); /* makes zeros positive, so that a hull returns the same vertex as
                                                        A and, with the direction reversed, as B */
    __m128d x = _mm_add_pd(d.x, zero), y = _mm_add_pd(d.y, zero), z = _mm_add_pd(d.z, zero);
    tact_vec3 best_a = hull_support(p->hull_a, vec_make(_mm_cvtsd_f64(x), _mm_cvtsd_f64(y), _mm_cvtsd_f64(z)));
    tact_vec3 best_b = hull_support(p->hull_b, vec_make(double2_high(x), double2_high(y), double2_high(z)));
    return transform_pair(&p->axes, p->offset, vec_pair_of(best_a, best_b), from);
}

TACT_FORCE_INLINE float lane_a(__m128 a) { return _mm_cvtss_f32(a); }
TACT_FORCE_INLINE float lane_b(__m128 a) { return _mm_cvtss_f32(_mm_shuffle_ps(a, a, 0x55)); }

/* The farthest of these vertices: A's in the low half, B's in the high half. One call, after which d is dead. */
static TACT_NOINLINE uint64_t break_ties(const gjk_fast_pair *p, uint32_t near_a, uint32_t near_b, __m128d x, __m128d y,
                                         __m128d z)
{
    uint64_t a = tact_hull_best_of_mask(p->hull_a, near_a, _mm_cvtsd_f64(x), _mm_cvtsd_f64(y), _mm_cvtsd_f64(z));
    uint64_t b = tact_hull_best_of_mask(p->hull_b, near_b, double2_high(x), double2_high(y), double2_high(z));
    return a | b << 32;
}

/* The same of two hulls with lanes; d is the direction in their local coordinates. */
TACT_FORCE_INLINE tact_vec3 sample_lanes(const gjk_fast_pair *p, vec_pair d, point_pair *from)
{
    const hull *a = p->hull_a, *b = p->hull_b;
    /* A's in lane 0, B's in lane 1 */
    __m128 x = _mm_cvtpd_ps(d.x), y = _mm_cvtpd_ps(d.y), z = _mm_cvtpd_ps(d.z);
    hull_simd_dots along_a, along_b;
    __m128 most_a = hull_simd_dot(a->simd_vertices, lane_a(x), lane_a(y), lane_a(z), &along_a),
           most_b = hull_simd_dot(b->simd_vertices, lane_b(x), lane_b(y), lane_b(z), &along_b);
    __m128 most = float4_max_tagged(_mm_unpacklo_ps(most_a, most_b), _mm_unpackhi_ps(most_a, most_b));
    most = float4_max_tagged(most, _mm_movehl_ps(most, most));
    /* The farthest vertices are known long before the others within the float error, usually none. */
    uint64_t bits; /* both tags; one move on 64-bit processors */
    _mm_storel_epi64((__m128i *)(void *)&bits, _mm_castps_si128(most));
    __m128 border = _mm_sub_ps(most, hull_simd_error(x, y, z));
    uint32_t near_a = hull_simd_at_least(&along_a, lane_a(border)),
             near_b = hull_simd_at_least(&along_b, lane_b(border));
    if (((near_a & (near_a - 1)) | (near_b & (near_b - 1))) != 0)
        bits = break_ties(p, near_a, near_b, d.x, d.y, d.z);
    uint32_t best_a = (uint32_t)bits & FLOAT8_TAG_MASK, best_b = (uint32_t)(bits >> 32) & FLOAT8_TAG_MASK;
    return transform_pair(&p->axes, p->offset, vec_pair_of(a->vertices[best_a], b->vertices[best_b]), from);
}

/* How the support points are computed. */
typedef enum gjk_fast_source { SUPPORT_GENERIC, SUPPORT_HULLS, SUPPORT_LANES } gjk_fast_source;

/* ---- the simplex ---- */

TACT_FORCE_INLINE void keep_vertex(gjk_fast_simplex *s, gjk_fast_closest *v, tact_vec3 w, int k)
{
    v->n = w;
    v->nn = v->h = v->vv = vec_length_squared(v->n);
    v->sign = 1.0;
    s->at[0] = k;
    v->count = 1;
}

/* The closest point is between samples p and k: `along` / `square` of `step`, which leads from k to p. */
TACT_FORCE_INLINE void keep_edge(gjk_fast_simplex *s, gjk_fast_closest *v, tact_vec3 w, int p, int k, tact_vec3 step,
                                 double along, double square)
{
    v->n = vec_mul_add(vec_scale(w, square), along, step);
    v->nn = vec_length_squared(v->n);
    if (v->nn < SIMPLEX_SHORT * square * square * vec_length_squared(w)) { /* as in simplex_foot */
        v->n = vec_mul_add(v->n, -vec_dot(v->n, step) / square, step);
        v->nn = vec_length_squared(v->n);
    }
    v->h = v->nn / square;
    v->sign = 1.0;
    v->vv = v->h / square;
    v->count = 2;
    s->at[0] = p;
    s->at[1] = k;
    s->numerator[0] = along;
    s->denominator = square;
}

/* Adds sample k to a simplex of one. False, here and below: the closest point does not need the new vertex, which only
 * rounding can cause. */
TACT_FORCE_INLINE bool add_to_vertex(gjk_fast_simplex *s, gjk_fast_closest *v, tact_vec3 w, int k)
{
    tact_vec3 step = vec_sub(s->sample[s->at[0]].w, w);
    double along = -vec_dot(step, w), square = vec_length_squared(step);
    if (!(along < square))
        return false;
    if (along <= 0.0)
        keep_vertex(s, v, w, k);
    else
        keep_edge(s, v, w, s->at[0], k, step, along, square);
    return true;
}

/* The closest point of the triangle of samples p, q and k, if it is not on the edge from p to q. pk and qk lead from k
 * to the others, n = pk x qk, h = n.w; `sign` has the sign of h. */
TACT_FORCE_INLINE bool add_face(gjk_fast_simplex *s, gjk_fast_closest *v, tact_vec3 w, int p, int q, int k,
                                tact_vec3 pk, tact_vec3 qk, tact_vec3 n, double h, double sign)
{
    tact_vec3 t = vec_cross(w, n);
    double outside_p = vec_dot(pk, t), outside_q = -vec_dot(qk, t); /* how far the origin is outside the edges */
    if (outside_p < 0.0 && outside_q < 0.0) {
        v->n = n;
        v->h = h;
        v->sign = sign;
        v->nn = vec_length_squared(n);
        v->vv = h * h / v->nn;
        s->at[0] = p;
        s->at[1] = q;
        s->at[2] = k;
        s->numerator[0] = -outside_q;
        s->numerator[1] = -outside_p;
        s->denominator = v->nn;
        v->count = 3;
        return true;
    }
    /* As in simplex_triangle_regions. Which edge it is, is unpredictable. */
    const tact_vec3 step[2] = {pk, qk};
    const double along[2] = {-vec_dot(pk, w), -vec_dot(qk, w)},
                 square[2] = {vec_length_squared(pk), vec_length_squared(qk)};
    bool on_p = outside_p >= 0.0 && along[0] > 0.0, on_q = outside_q >= 0.0 && along[1] > 0.0;
    if (on_p && on_q)
        on_p = along[0] * along[0] * square[1] >= along[1] * along[1] * square[0];
    if (!(on_p || on_q)) {
        keep_vertex(s, v, w, k);
        return true;
    }
    const int other[2] = {p, q}, on = on_p ? 0 : 1;
    if (!(along[on] < square[on]))
        return false;
    keep_edge(s, v, w, other[on], k, step[on], along[on], square[on]);
    return true;
}

TACT_FORCE_INLINE bool add_to_edge(gjk_fast_simplex *s, gjk_fast_closest *v, tact_vec3 w, int k)
{
    tact_vec3 pk = vec_sub(s->sample[s->at[0]].w, w), qk = vec_sub(s->sample[s->at[1]].w, w), n = vec_cross(pk, qk);
    double h = vec_dot(n, w);
    return add_face(s, v, w, s->at[0], s->at[1], k, pk, qk, n, h, h);
}

/* a where the mask is set, else zero. */
TACT_FORCE_INLINE __m128d masked(double a, __m128d mask) { return _mm_and_pd(_mm_set_sd(a), mask); }

TACT_FORCE_INLINE double select_one(double a, __m128d for_a, double b, __m128d for_b, double c, __m128d for_c)
{
    return _mm_cvtsd_f64(_mm_or_pd(_mm_or_pd(masked(a, for_a), masked(b, for_b)), masked(c, for_c)));
}

/* `inside`: the origin is in the tetrahedron; the simplex is unchanged. */
TACT_FORCE_INLINE bool add_to_triangle(gjk_fast_simplex *s, gjk_fast_closest *v, tact_vec3 w, int k, bool *inside)
{
    /* Projected along n the origin is in the triangle. The line to the new vertex has vertices of the triangle on its
     * left and on its right. The edge from left to right forms the face that the origin projects into. The normals of
     * all three faces are computed, before it is known which one counts, to save time. */
    tact_vec3 across = vec_cross(v->n, w);
    tact_vec3 w0 = s->sample[s->at[0]].w, w1 = s->sample[s->at[1]].w, w2 = s->sample[s->at[2]].w;
    const __m128d zero = _mm_setzero_pd();
    __m128d left0 = _mm_cmpgt_sd(_mm_set_sd(vec_dot(across, w0)), zero),
            left1 = _mm_cmpgt_sd(_mm_set_sd(vec_dot(across, w1)), zero),
            left2 = _mm_cmpgt_sd(_mm_set_sd(vec_dot(across, w2)), zero);
    __m128d m0 = _mm_andnot_pd(left1, left0), m1 = _mm_andnot_pd(left2, left1), m2 = _mm_andnot_pd(left0, left2);
    tact_vec3 k0 = vec_sub(w0, w), k1 = vec_sub(w1, w), k2 = vec_sub(w2, w);
    tact_vec3 n0 = vec_cross(k0, k1), n1 = vec_cross(k1, k2), n2 = vec_cross(k2, k0);
    tact_vec3 n = vec_make(select_one(n0.x, m0, n1.x, m1, n2.x, m2), select_one(n0.y, m0, n1.y, m1, n2.y, m2),
                           select_one(n0.z, m0, n1.z, m1, n2.z, m2));
    double h = vec_dot(n, w);
    *inside = flip_sign(h, v->h) <= 0.0;
    if (*inside)
        return true;
    unsigned first = ((unsigned)_mm_movemask_pd(m1) & 1u) | ((unsigned)_mm_movemask_pd(m2) & 1u) << 1;
    unsigned second = first == 2 ? 0 : first + 1;
    int p = s->at[first], q = s->at[second];
    return add_face(s, v, w, p, q, k, vec_sub(s->sample[p].w, w), vec_sub(s->sample[q].w, w), n, h, v->sign);
}

/* ---- the search ---- */

/* The points of A and B for the given weights. Returns whether their difference is v. */
TACT_FORCE_INLINE bool closest_points(const gjk_fast_simplex *s, const double *weight, int count, tact_vec3 offset,
                                      tact_vec3 v, double rounding, gjk_result *result)
{
    tact_vec3 pa = vec_make(0.0, 0.0, 0.0), pb = pa;
    for (int i = 0; i < count; i++) {
        const point_pair *from = &s->sample[s->at[i]].from;
        pa = vec_mul_add(pa, weight[i], vec_make(from->x[0], from->y[0], from->z[0]));
        pb = vec_mul_add(pb, weight[i], vec_make(from->x[1], from->y[1], from->z[1]));
    }
    result->on_a = pa;
    result->on_b = pb;
    result->count = count;
    return vec_max_abs(vec_sub(vec_add(vec_sub(pb, pa), offset), v)) <= GJK_CONSISTENCY * rounding;
}

/* The same for the simplex and its closest point. */
TACT_FORCE_INLINE bool current_closest_points(const gjk_fast_simplex *s, const gjk_fast_closest *v, tact_vec3 offset,
                                              double rounding, gjk_result *result)
{
    double weight[3] = {1.0, 0.0, 0.0};
    if (v->count == 2) {
        weight[0] = s->numerator[0] / s->denominator;
        weight[1] = 1.0 - weight[0];
    } else if (v->count == 3) {
        double inverse = 1.0 / s->denominator;
        weight[0] = s->numerator[0] * inverse;
        weight[1] = s->numerator[1] * inverse;
        weight[2] = 1.0 - weight[0] - weight[1];
    }
    return closest_points(s, weight, v->count, offset, vec_scale(v->n, v->h / v->nn), rounding, result);
}

/* The faces of the simplex, which is a tetrahedron. */
TACT_FORCE_INLINE simplex_faces current_faces(const gjk_fast_simplex *s)
{
    return simplex_faces_of(s->sample[s->at[0]].w, s->sample[s->at[1]].w, s->sample[s->at[2]].w, s->sample[s->at[3]].w);
}

/* Corrects the weights of a tetrahedron, whose combination is r and should be the origin. (The faces are computed
 * again: passed in, they would be spilled in every call that does not come here.) */
TACT_COLD bool correct_weights(const gjk_fast_simplex *s, tact_vec3 r, double weight[4])
{
    const simplex_faces sides = current_faces(s);
    double inverse = -1.0 / vec_dot(sides.da, sides.n[0]);
    for (int i = 0; i < 3; i++) {
        double more = vec_dot(sides.n[i], r) * inverse;
        weight[i] += more;
        weight[3] -= more;
    }
    return weight[0] > 0.0 && weight[1] > 0.0 && weight[2] > 0.0 && weight[3] > 0.0;
}

/* The origin seems to be inside the tetrahedron with sample k. */
TACT_FORCE_INLINE bool finish_inside(gjk_fast_simplex *s, int k, tact_vec3 offset, double rounding, bool wanted,
                                     gjk_result *result)
{
    s->at[3] = k;
    const simplex_faces sides = current_faces(s);
    simplex_solution answer;
    if (!simplex_contains_origin(&sides, s->sample[k].w, &answer) || !answer.certain)
        return false;
    if (!closest_points(s, answer.weight, 4, offset, answer.v, rounding, result)) {
        tact_vec3 r = vec_add(vec_sub(result->on_b, result->on_a), offset);
        if (!correct_weights(s, r, answer.weight) ||
            !closest_points(s, answer.weight, 4, offset, answer.v, rounding, result))
            return false;
    }
    for (int i = 0; i < 4 && wanted; i++) {
        const gjk_fast_sample *vertex = &s->sample[s->at[i]];
        const point_pair *from = &vertex->from;
        result->simplex[i] = (gjk_vertex){vertex->w, vec_make(from->x[0], from->y[0], from->z[0]),
                                          vec_make(from->x[1], from->y[1], from->z[1])};
        result->weight[i] = answer.weight[i];
    }
    result->status = GJK_OVERLAP;
    result->lower = result->upper = 0.0;
    result->normal = vec_make(0.0, 0.0, 0.0);
    return true;
}

/* Whether the direction tables of the hulls let the line-of-centres test pay: true for seven of ten pairs that overlap
 * by a tenth of their radius or more, for one of forty that just touch. `toward`: in each hull's local coordinates, the
 * direction of the other; `square`: squared distance of the centres. */
TACT_FORCE_INLINE bool centre_test_pays(const gjk_fast_pair *p, vec_pair toward, double square)
{
    __m128 x = _mm_cvtpd_ps(toward.x), y = _mm_cvtpd_ps(toward.y), z = _mm_cvtpd_ps(toward.z),
           xy = _mm_unpacklo_ps(x, y);
    uint32_t cell_a = hull_radial_cell(_mm_movelh_ps(xy, z)),
             cell_b = hull_radial_cell(_mm_shuffle_ps(xy, z, _MM_SHUFFLE(1, 1, 3, 2)));
    double together = p->hull_a->radial_cells[cell_a] * double2_low(p->cell_unit) +
                      p->hull_b->radial_cells[cell_b] * double2_high(p->cell_unit);
    return together * together > GJK_FAST_CENTRE_EXTENT * GJK_FAST_CENTRE_EXTENT * square;
}

/* Whether the hulls overlap on the line of centres (c: from A's to B's), by their polar vertices. The common point is
 * equally deep in both. */
static bool overlap_between_centres(const gjk_fast_pair *p, tact_vec3 c, const point_pair *centres, gjk_result *result)
{
    const axes_pair *f = &p->axes;
    /* Cramer's rule. The transforms are regular enough that rounding adds less than HULL_POLAR_ERROR leaves over. */
    vec_pair yz = vec_pair_cross(f->y, f->z), zx = vec_pair_cross(f->z, f->x), xy = vec_pair_cross(f->x, f->y),
             both = vec_pair_broadcast(c);
    __m128d xx = vec_pair_dot(f->x, f->x), yy = vec_pair_dot(f->y, f->y), zz = vec_pair_dot(f->z, f->z);
    __m128d determinant = vec_pair_dot(f->x, yz), longest = _mm_max_pd(xx, _mm_max_pd(yy, zz));
    __m128d clear =
        _mm_cmpgt_pd(_mm_mul_pd(determinant, determinant),
                     _mm_mul_pd(_mm_set1_pd(GJK_FAST_REGULAR), _mm_mul_pd(longest, _mm_mul_pd(longest, longest))));
    if (_mm_movemask_pd(clear) != 3)
        return false;
    __m128d inverse = _mm_div_pd(_mm_set_pd(-1.0, 1.0), determinant);
    double x[2], y[2], z[2];
    _mm_storeu_pd(x, _mm_mul_pd(vec_pair_dot(yz, both), inverse));
    _mm_storeu_pd(y, _mm_mul_pd(vec_pair_dot(zx, both), inverse));
    _mm_storeu_pd(z, _mm_mul_pd(vec_pair_dot(xy, both), inverse));
    double across_a = hull_polar_support(p->hull_a, x[0], y[0], z[0]),
           across_b = hull_polar_support(p->hull_b, x[1], y[1], z[1]);
    /* A extends over 1/across_a of the line to B's centre, B over 1/across_b. They overlap if these add up to 1 or
     * more. */
    double sum = across_a + across_b;
    if (!(sum > across_a * across_b))
        return false;
    result->status = GJK_OVERLAP;
    result->iterations = 1;
    result->lower = result->upper = 0.0;
    result->normal = vec_make(0.0, 0.0, 0.0);
    result->on_a = vec_mul_add(vec_make(centres->x[0], centres->y[0], centres->z[0]), across_b / sum, c);
    result->on_b = vec_mul_add(vec_make(centres->x[1], centres->y[1], centres->z[1]), -(across_a / sum), c);
    result->count = 1;
    return true;
}

/* The direction u separates by `lower`, which is beyond the limit. */
static TACT_NOINLINE void finish_beyond(const gjk_fast_simplex *s, const gjk_fast_closest *v, const gjk_fast_pair *p,
                                        tact_vec3 u, double lower, int iterations, gjk_result *result)
{
    result->status = GJK_BEYOND_LIMIT;
    result->iterations = iterations;
    result->lower = lower;
    result->normal = vec_normalize(u);
    (void)current_closest_points(s, v, p->offset, p->rounding, result);
    result->upper = vec_length(vec_add(vec_sub(result->on_b, result->on_a), p->offset));
}

/* The square root of a within 4 %: halves the exponent. The exact instruction has too much latency. */
TACT_FORCE_INLINE double approximate_sqrt(double a)
{
    __m128i bits = _mm_srli_epi64(_mm_castpd_si128(_mm_set_sd(a)), 1);
    bits = _mm_add_epi64(bits, _mm_set1_epi64x(INT64_C(0x1ff7a3bea91d9b1b)));
    return _mm_cvtsd_f64(_mm_castsi128_pd(bits));
}

/* `decide` and `support` are constants at each call. */
TACT_FORCE_INLINE bool run_fast(const gjk_fast_pair *p, const gjk_goal *goal, double stop_distance, bool decide,
                                gjk_fast_source support, gjk_result *result)
{
    gjk_fast_closest v;
    gjk_fast_simplex s; /* 2 kB, of which few are needed: not zeroed */
    const tact_vec3 offset = p->offset, axis = p->axis;
    const double rounding = p->rounding, margins = p->margins, rounding_squared = rounding * rounding,
                 stop_squared = stop_distance * stop_distance;
    vec_pair centre_line = {0};    /* the line of centres in the local coordinates of each hull */
    double inverse_distance = 1.0; /* 1 / distance of the centres */
    s.at[0] = 0;
    s.numerator[0] = s.numerator[1] = 0.0;
    s.denominator = 1.0;
    v.h = v.sign = 1.0;
    if (!goal->simplex) {
        s.sample[0].w =
            support == SUPPORT_GENERIC
                ? minkowski_point(convex_interior_point(p->a), convex_interior_point(p->b), offset, &s.sample[0].from)
                : transform_pair(&p->axes, offset, vec_pair_of(p->hull_a->centre, p->hull_b->centre),
                                 &s.sample[0].from);
        keep_vertex(&s, &v, s.sample[0].w, 0);
        if (!(v.vv > rounding_squared))
            return false;
        inverse_distance = 1.0 / sqrt(v.vv);
        if (support != SUPPORT_GENERIC)
            centre_line = local_directions(&p->axes, v.n, 1.0);
        if (support != SUPPORT_GENERIC && is_zero(axis) && centre_test_pays(p, centre_line, v.vv) &&
            overlap_between_centres(p, v.n, &s.sample[0].from, result))
            return true;
    } else {
        v.vv = INFINITY;
        v.count = 0;
        v.n = offset;
    }
    if (!is_zero(axis)) {
        v.n = axis;
        v.h = v.sign = 1.0;
    } else if (goal->simplex && is_zero(p->offset)) {
        return false;
    }
    v.nn = vec_length_squared(v.n);
    s.normal[0] = v.n;
    s.sign[0] = v.sign;
    vec_pair d = centre_line; /* v.n in the local coordinates of two hulls with lanes */
    if (support == SUPPORT_LANES && (goal->simplex || !is_zero(axis)))
        d = local_directions(&p->axes, v.n, v.sign);
    for (int k = 1; k <= GJK_FAST_MAX_ITERATIONS; k++) {
        tact_vec3 w;
        bool biased = false;
        const tact_vec3 n = s.normal[k - 1];
        const double sign = s.sign[k - 1];
        if (support != SUPPORT_GENERIC && !goal->simplex && k > 1 && (s.at[0] == 0 || (v.count == 3 && s.at[1] == 0))) {
            double more = GJK_FAST_CENTRE_BIAS * inverse_distance * approximate_sqrt(v.nn);
            tact_vec3 u = vec_mul_add(n, flip_sign(more, sign), s.sample[0].w);
            w = support == SUPPORT_LANES ? sample_lanes(p, vec_pair_mul_add(d, more, centre_line), &s.sample[k].from)
                                         : sample_hulls(p, u, sign, &s.sample[k].from);
            double uw = flip_sign(vec_dot(u, w), sign), uu = vec_length_squared(u);
            if (uw * fabs(uw) > stop_squared * uu) {
                const gjk_fast_closest last = v;
                finish_beyond(&s, &last, p, vec_scale(u, copysign(1.0, sign)), uw / sqrt(uu), k, result);
                return true;
            }
            biased = flip_sign(vec_dot(n, w), sign) <= GJK_FAST_BIAS_GAIN * fabs(v.h);
            if (support == SUPPORT_LANES && !biased)
                d = local_directions(&p->axes, n, sign); /* recomputed: faster than a spilled variable */
        }
        if (!biased) {
            w = support == SUPPORT_LANES   ? sample_lanes(p, d, &s.sample[k].from)
                : support == SUPPORT_HULLS ? sample_hulls(p, n, sign, &s.sample[k].from)
                                           : sample_generic(p, n, sign, &s.sample[k].from);
            double nw = flip_sign(vec_dot(n, w), sign), h = fabs(v.h);
            result->iterations = k;
            if (nw * fabs(nw) > stop_squared * v.nn) {
                double lower = nw / sqrt(v.nn);
                tact_vec3 along = vec_scale(n, copysign(1.0, sign));
                s.sample[k].w = w;
                v.n = n;
                if (k == 1)
                    keep_vertex(&s, &v, w, 1);
                const gjk_fast_closest last = v;
                finish_beyond(&s, &last, p, along, lower, k, result);
                return true;
            }
            if (!decide && k > 1) {
                /* h/|n| - n.w/|n| against accuracy | h/|n| - margins | and the rounding error, times |n| */
                double gap = h - nw, allowed = goal->accuracy * (margins > 0.0 ? fabs(h - margins * sqrt(v.nn)) : h);
                gjk_bounds bounds =
                    gap * gap <= rounding_squared * v.nn ? GJK_BOUNDS_MET : gjk_compare_bounds(gap, allowed);
                if (bounds != GJK_BOUNDS_OPEN) {
                    double inverse = 1.0 / sqrt(v.nn);
                    v.n = n;
                    result->status = GJK_SEPARATED;
                    result->upper = h * inverse;
                    result->lower = nw * inverse;
                    result->normal = vec_scale(n, flip_sign(inverse, v.h));
                    return bounds == GJK_BOUNDS_MET && nw > 0.0 &&
                           current_closest_points(&s, &v, offset, rounding, result);
                }
            }
        }
        s.sample[k].w = w;
        double before = v.vv;
        bool valid = true, inside = false;
        v.n = n;
        v.sign = sign;
        if (v.count == 3)
            valid = add_to_triangle(&s, &v, w, k, &inside);
        else if (v.count == 2)
            valid = add_to_edge(&s, &v, w, k);
        else if (v.count == 1)
            valid = add_to_vertex(&s, &v, w, k);
        else
            keep_vertex(&s, &v, w, k);
        if (inside)
            return finish_inside(&s, k, offset, rounding, goal->simplex, result);
        if (!(valid && v.vv < before && v.vv > rounding_squared))
            return false;
        s.normal[k] = v.n;
        s.sign[k] = v.sign;
        if (decide && v.vv <= goal->limit * goal->limit) {
            result->status = GJK_WITHIN_LIMIT;
            result->upper = sqrt(v.vv);
            result->lower = 0.0;
            result->normal = vec_make(0.0, 0.0, 0.0);
            return current_closest_points(&s, &v, offset, rounding, result);
        }
        if (support == SUPPORT_LANES)
            d = local_directions(&p->axes, v.n, v.sign);
    }
    return false;
}

/* One function each: with a single function the compiler stops inlining. */
#define RUN_FAST(name, decide, support)                                                                                \
    static TACT_NOINLINE bool name(const gjk_fast_pair *p, const gjk_goal *goal, double stop_distance,                 \
                                   gjk_result *result)                                                                 \
    {                                                                                                                  \
        return run_fast(p, goal, stop_distance, decide, support, result);                                              \
    }
RUN_FAST(run_generic_distance, false, SUPPORT_GENERIC)
RUN_FAST(run_generic_decide, true, SUPPORT_GENERIC)
RUN_FAST(run_hulls_distance, false, SUPPORT_HULLS)
RUN_FAST(run_hulls_decide, true, SUPPORT_HULLS)
RUN_FAST(run_lanes_distance, false, SUPPORT_LANES)
RUN_FAST(run_lanes_decide, true, SUPPORT_LANES)

bool tact_gjk_fast_hulls(const gjk_fast_pair *p, const gjk_goal *goal, double stop_distance, gjk_result *result)
{
    if (p->hull_a->support_method == HULL_SUPPORT_SIMD && p->hull_b->support_method == HULL_SUPPORT_SIMD)
        return goal->decide ? run_lanes_decide(p, goal, stop_distance, result)
                            : run_lanes_distance(p, goal, stop_distance, result);
    return goal->decide ? run_hulls_decide(p, goal, stop_distance, result)
                        : run_hulls_distance(p, goal, stop_distance, result);
}

bool tact_gjk_fast(const convex *a, const convex *b, tact_vec3 offset, double rounding, const gjk_goal *goal,
                   double stop_distance, tact_vec3 axis, gjk_result *result)
{
    gjk_fast_pair p = {
        .a = a, .b = b, .offset = offset, .axis = axis, .rounding = rounding, .margins = a->margin + b->margin};
    if (a->kind == CONVEX_HULL && b->kind == CONVEX_HULL) {
        p.hull_a = a->shape->hull;
        p.hull_b = b->shape->hull;
        p.axes = axes_pair_of(&a->transform, &b->transform);
        p.cell_unit = gjk_fast_cell_unit(p.hull_a, p.hull_b, _mm_set_pd(b->bounding_radius, a->bounding_radius));
        return tact_gjk_fast_hulls(&p, goal, stop_distance, result);
    }
    return goal->decide ? run_generic_decide(&p, goal, stop_distance, result)
                        : run_generic_distance(&p, goal, stop_distance, result);
}
