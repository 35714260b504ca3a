/*
 * The quick search on polytopes: GJK as long as all goes well.
 *
 * Guarantee: what it answers is proved as in the long search (convex/gjk.c): GJK_APART when the bounds have met and the
 * nearest point is what its weights say, GJK_TOUCH when the origin is inside a tetrahedron, or one point inside both
 * shapes, beyond rounding. Otherwise it returns false: slivers, flat contacts, repeated samples. With A and B exchanged
 * every vector is exactly reversed.
 *
 * Cost: 3 to 5 samples on average (a support point of each shape). Most of that is waiting, so the steps are kept
 * short, and free of branches where these would be as good as random:
 * - It begins with a point from the middle of each shape, which costs nothing and often spares the sample behind the
 * origin.
 * - The nearest point v of a triangle is kept as the triangle's normal n and height h: v = n h / n.n. Nothing is
 * divided before the end.
 * - Of the faces that a new point makes with a triangle only one is looked at: the one through which the line from the
 * nearest point to the origin leaves the tetrahedron (as in Snethen's XenoCollide). It holds a point nearer than v, so
 * the distance shrinks at each step; beyond it the origin is inside.
 * - The support points of two hulls are computed side by side, those of small ones from all corners in floats
 * (shape/hull.h).
 * - Two hulls that reach far towards each other are first looked at along the line between their middles
 * (shape/hull_polar.c), where most overlaps show.
 * - Until the middle has left the simplex, the directions lean towards that line (GJK_FAST_LEAN).
 * Measured on hulls of 20 / 200 points that are in the cache: 50 / 85 ns a sample and all that follows from it.
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

typedef struct sample {
    tact_vec3 w;
    point_pair from;
} sample;

/* The simplex: up to three of the samples. */
typedef struct simplex {
    sample sample[GJK_FAST_MAX_ITERATIONS + 1];
    /* v.n and v.side as they were before each sample. Where they are wanted again they are read from here: all that
     * lives as long as the loop, with its calls, would be put into memory at once, and what is computed next wait for
     * it. */
    tact_vec3 normal[GJK_FAST_MAX_ITERATIONS + 1];
    double side[GJK_FAST_MAX_ITERATIONS + 1];
    int at[4];      /* the samples in use, the newest last */
    double part[2]; /* weights of all but the newest, times `whole` */
    double whole;
} simplex;

/* The point of the simplex that is nearest to the origin: v = n h / n.n. Apart from the rest, so that it stays in
 * registers. */
typedef struct nearest {
    tact_vec3 n;
    double h;      /* negative where n, the normal of a triangle, points away from the origin */
    double side;   /* has the sign of h, and is known sooner */
    double nn, vv; /* n.n and v.v */
    int count;     /* of the samples in use */
} nearest;

/* ---- samples
 * --------------------------------------------------------------------------------------------------------------------
 */

TACT_FORCE_INLINE vec_pair pair_both(tact_vec3 a)
{
    return (vec_pair){simde_mm_set1_pd(a.x), simde_mm_set1_pd(a.y), simde_mm_set1_pd(a.z)};
}

TACT_FORCE_INLINE vec_pair pair_cross(vec_pair a, vec_pair b)
{
    return (vec_pair){simde_mm_sub_pd(simde_mm_mul_pd(a.y, b.z), simde_mm_mul_pd(a.z, b.y)),
                      simde_mm_sub_pd(simde_mm_mul_pd(a.z, b.x), simde_mm_mul_pd(a.x, b.z)),
                      simde_mm_sub_pd(simde_mm_mul_pd(a.x, b.y), simde_mm_mul_pd(a.y, b.x))};
}

/* a + f b */
TACT_FORCE_INLINE vec_pair pair_along(vec_pair a, double f, vec_pair b)
{
    simde__m128d both = simde_mm_set1_pd(f);
    return (vec_pair){simde_mm_add_pd(a.x, simde_mm_mul_pd(both, b.x)),
                      simde_mm_add_pd(a.y, simde_mm_mul_pd(both, b.y)),
                      simde_mm_add_pd(a.z, simde_mm_mul_pd(both, b.z))};
}

/* Places a local point of each shape. */
TACT_FORCE_INLINE tact_vec3 place_pair(const frame_pair *f, tact_vec3 offset, vec_pair p, point_pair *from)
{
    simde__m128d x = pair_dot((vec_pair){f->x.x, f->y.x, f->z.x}, p),
                 y = pair_dot((vec_pair){f->x.y, f->y.y, f->z.y}, p),
                 z = pair_dot((vec_pair){f->x.z, f->y.z, f->z.z}, p);
    simde_mm_storeu_pd(from->x, x);
    simde_mm_storeu_pd(from->y, y);
    simde_mm_storeu_pd(from->z, z);
    return vec_make(simde_mm_cvtsd_f64(simde_mm_sub_sd(simde_mm_unpackhi_pd(x, x), x)) + offset.x,
                    simde_mm_cvtsd_f64(simde_mm_sub_sd(simde_mm_unpackhi_pd(y, y), y)) + offset.y,
                    simde_mm_cvtsd_f64(simde_mm_sub_sd(simde_mm_unpackhi_pd(z, z), z)) + offset.z);
}

TACT_FORCE_INLINE tact_vec3 join_pair(tact_vec3 pa, tact_vec3 pb, tact_vec3 offset, point_pair *from)
{
    *from = (point_pair){{pa.x, pb.x}, {pa.y, pb.y}, {pa.z, pb.z}};
    return vec_add(vec_sub(pb, pa), offset);
}

/* a, or -a if h < 0. Neither a branch, as the sign of h is as good as random, nor a product, as all waits for this. */
TACT_FORCE_INLINE double turned(double a, double h)
{
    return simde_mm_cvtsd_f64(
        simde_mm_xor_pd(simde_mm_set_sd(a), simde_mm_and_pd(simde_mm_set_sd(h), simde_mm_set_sd(-0.0))));
}

/* The sample along n, or against it if h < 0, of any polytopes. */
TACT_FORCE_INLINE tact_vec3 take_any_sample(const quick_pair *p, tact_vec3 n, double h, point_pair *from)
{
    tact_vec3 along = vec_make(turned(n.x, h), turned(n.y, h), turned(n.z, h));
    return join_pair(polytope_support(p->a, along), polytope_support(p->b, vec_negate(along)), p->offset, from);
}

/* What the direction is to each of two hulls. */
TACT_FORCE_INLINE vec_pair turn_back(const frame_pair *f, tact_vec3 n, double h)
{
    vec_pair both = pair_both(n);
    simde__m128d turn =
        simde_mm_xor_pd(simde_mm_and_pd(simde_mm_set1_pd(h), simde_mm_set1_pd(-0.0)), simde_mm_set_pd(-0.0, 0.0));
    return (vec_pair){simde_mm_xor_pd(pair_dot(f->x, both), turn), simde_mm_xor_pd(pair_dot(f->y, both), turn),
                      simde_mm_xor_pd(pair_dot(f->z, both), turn)};
}

/* The same of two hulls. */
TACT_FORCE_INLINE tact_vec3 take_hulls_sample(const quick_pair *p, tact_vec3 n, double h, point_pair *from)
{
    vec_pair d = turn_back(&p->frames, n, h);
    const simde__m128d zero = simde_mm_setzero_pd(); /* for one sign of zeros, so that a hull does not care whether it
                                                        is asked as A or, reversed, as B */
    simde__m128d x = simde_mm_add_pd(d.x, zero), y = simde_mm_add_pd(d.y, zero), z = simde_mm_add_pd(d.z, zero);
    tact_vec3 best_a =
        hull_support(p->hull_a, vec_make(simde_mm_cvtsd_f64(x), simde_mm_cvtsd_f64(y), simde_mm_cvtsd_f64(z)));
    tact_vec3 best_b = hull_support(p->hull_b, vec_make(double2_high(x), double2_high(y), double2_high(z)));
    return place_pair(&p->frames, p->offset, pair_of(best_a, best_b), from);
}

TACT_FORCE_INLINE float first_of(simde__m128 a) { return simde_mm_cvtss_f32(a); }
TACT_FORCE_INLINE float second_of(simde__m128 a) { return simde_mm_cvtss_f32(simde_mm_shuffle_ps(a, a, 0x55)); }

/* Which of these corners are the farthest: A's in the lower half, B's in the upper. One call, after which d is not
 * wanted any more. */
static TACT_NOINLINE uint64_t tell_apart(const quick_pair *p, uint32_t near_a, uint32_t near_b, simde__m128d x,
                                         simde__m128d y, simde__m128d z)
{
    uint64_t a =
        tact_hull_best_of_mask(p->hull_a, near_a, simde_mm_cvtsd_f64(x), simde_mm_cvtsd_f64(y), simde_mm_cvtsd_f64(z));
    uint64_t b = tact_hull_best_of_mask(p->hull_b, near_b, double2_high(x), double2_high(y), double2_high(z));
    return a | b << 32;
}

/* The same of two hulls that have lanes, to which the direction is d. */
TACT_FORCE_INLINE tact_vec3 take_lanes_sample(const quick_pair *p, vec_pair d, point_pair *from)
{
    const hull *a = p->hull_a, *b = p->hull_b;
    /* A's in the first place, B's in the second */
    simde__m128 x = simde_mm_cvtpd_ps(d.x), y = simde_mm_cvtpd_ps(d.y), z = simde_mm_cvtpd_ps(d.z);
    hull_simd_dots along_a, along_b;
    simde__m128 most_a = hull_simd_dot(a->simd_vertices, first_of(x), first_of(y), first_of(z), &along_a),
                most_b = hull_simd_dot(b->simd_vertices, second_of(x), second_of(y), second_of(z), &along_b);
    simde__m128 most = float4_max_tagged(simde_mm_unpacklo_ps(most_a, most_b), simde_mm_unpackhi_ps(most_a, most_b));
    most = float4_max_tagged(most, simde_mm_movehl_ps(most, most));
    /* Which corners these are is known long before what else is near them, as a rule nothing. */
    uint64_t bits = (uint64_t)simde_mm_cvtsi128_si64(simde_mm_castps_si128(most));
    simde__m128 border = simde_mm_sub_ps(most, hull_simd_error(x, y, z));
    uint32_t near_a = hull_simd_at_least(&along_a, first_of(border)),
             near_b = hull_simd_at_least(&along_b, second_of(border));
    if (((near_a & (near_a - 1)) | (near_b & (near_b - 1))) != 0)
        bits = tell_apart(p, near_a, near_b, d.x, d.y, d.z);
    uint32_t best_a = (uint32_t)bits & FLOAT8_TAG_MASK, best_b = (uint32_t)(bits >> 32) & FLOAT8_TAG_MASK;
    return place_pair(&p->frames, p->offset, pair_of(a->vertices[best_a], b->vertices[best_b]), from);
}

/* Where the search finds its support points. */
typedef enum source { SOURCE_ANY, SOURCE_HULLS, SOURCE_LANES } source;

/* ---- the simplex
 * ---------------------------------------------------------------------------------------------------------------- */

TACT_FORCE_INLINE void keep_one(simplex *s, nearest *v, tact_vec3 w, int k)
{
    v->n = w;
    v->nn = v->h = v->vv = vec_length_squared(v->n);
    v->side = 1.0;
    s->at[0] = k;
    v->count = 1;
}

/* The point between samples p and k where the line of `step`, from k to p, comes nearest: `along` / `square` of the
 * way. */
TACT_FORCE_INLINE void keep_two(simplex *s, nearest *v, tact_vec3 w, int p, int k, tact_vec3 step, double along,
                                double square)
{
    v->n = vec_mul_add(vec_scale(w, square), along, step);
    v->nn = vec_length_squared(v->n);
    if (v->nn < SIMPLEX_SHORT * square * square * vec_length_squared(w)) { /* as in simplex_foot */
        v->n = vec_mul_add(v->n, -vec_dot(v->n, step) / square, step);
        v->nn = vec_length_squared(v->n);
    }
    v->h = v->nn / square;
    v->side = 1.0;
    v->vv = v->h / square;
    v->count = 2;
    s->at[0] = p;
    s->at[1] = k;
    s->part[0] = along;
    s->whole = square;
}

/* Adds sample k to a simplex of one. False here and below: the new point seems not to be needed, which only rounding
 * can bring about. */
TACT_FORCE_INLINE bool add_to_one(simplex *s, nearest *v, tact_vec3 w, int k)
{
    tact_vec3 step = vec_sub(s->sample[s->at[0]].w, w);
    double along = -vec_dot(step, w), square = vec_length_squared(step);
    if (!(along < square))
        return false;
    if (along <= 0.0)
        keep_one(s, v, w, k);
    else
        keep_two(s, v, w, s->at[0], k, step, along, square);
    return true;
}

/* The nearest point of the triangle of samples p, q and k, which is not on the edge from p to q: pk and qk lead from k
 * to the others, n = pk x qk, h = n.w; `side` has the sign of h. */
TACT_FORCE_INLINE bool add_face(simplex *s, nearest *v, tact_vec3 w, int p, int q, int k, tact_vec3 pk, tact_vec3 qk,
                                tact_vec3 n, double h, double side)
{
    tact_vec3 t = vec_cross(w, n);
    double outside_p = vec_dot(pk, t), outside_q = -vec_dot(qk, t); /* how far the origin is outside the edges */
    if (outside_p < 0.0 && outside_q < 0.0) {
        v->n = n;
        v->h = h;
        v->side = side;
        v->nn = vec_length_squared(n);
        v->vv = h * h / v->nn;
        s->at[0] = p;
        s->at[1] = q;
        s->at[2] = k;
        s->part[0] = -outside_q;
        s->part[1] = -outside_p;
        s->whole = v->nn;
        v->count = 3;
        return true;
    }
    /* As in simplex_triangle. Which edge it is is as good as random. */
    const tact_vec3 step[2] = {pk, qk};
    const double along[2] = {-vec_dot(pk, w), -vec_dot(qk, w)},
                 square[2] = {vec_length_squared(pk), vec_length_squared(qk)};
    bool on_p = outside_p >= 0.0 && along[0] > 0.0, on_q = outside_q >= 0.0 && along[1] > 0.0;
    if (on_p && on_q)
        on_p = along[0] * along[0] * square[1] >= along[1] * along[1] * square[0];
    if (!(on_p || on_q)) {
        keep_one(s, v, w, k);
        return true;
    }
    const int other[2] = {p, q}, on = on_p ? 0 : 1;
    if (!(along[on] < square[on]))
        return false;
    keep_two(s, v, w, other[on], k, step[on], along[on], square[on]);
    return true;
}

TACT_FORCE_INLINE bool add_to_two(simplex *s, nearest *v, tact_vec3 w, int k)
{
    tact_vec3 pk = vec_sub(s->sample[s->at[0]].w, w), qk = vec_sub(s->sample[s->at[1]].w, w), n = vec_cross(pk, qk);
    double h = vec_dot(n, w);
    return add_face(s, v, w, s->at[0], s->at[1], k, pk, qk, n, h, h);
}

/* a where the mask is set, else zero. */
TACT_FORCE_INLINE simde__m128d masked(double a, simde__m128d mask) { return simde_mm_and_pd(simde_mm_set_sd(a), mask); }

TACT_FORCE_INLINE double either(double a, simde__m128d for_a, double b, simde__m128d for_b, double c,
                                simde__m128d for_c)
{
    return simde_mm_cvtsd_f64(simde_mm_or_pd(simde_mm_or_pd(masked(a, for_a), masked(b, for_b)), masked(c, for_c)));
}

/* `inside`: the origin is in the tetrahedron; then the simplex stays as it is. */
TACT_FORCE_INLINE bool add_to_three(simplex *s, nearest *v, tact_vec3 w, int k, bool *inside)
{
    /* Seen along n the origin is in the triangle: the line to the new point has corners on its left and on its right.
     * The edge that leads from left to right has, with the new point, the origin in it. To save time all three faces'
     * normals are computed; only then it is known which one counts. */
    tact_vec3 across = vec_cross(v->n, w);
    tact_vec3 w0 = s->sample[s->at[0]].w, w1 = s->sample[s->at[1]].w, w2 = s->sample[s->at[2]].w;
    const simde__m128d zero = simde_mm_setzero_pd();
    simde__m128d left0 = simde_mm_cmpgt_sd(simde_mm_set_sd(vec_dot(across, w0)), zero),
                 left1 = simde_mm_cmpgt_sd(simde_mm_set_sd(vec_dot(across, w1)), zero),
                 left2 = simde_mm_cmpgt_sd(simde_mm_set_sd(vec_dot(across, w2)), zero);
    simde__m128d m0 = simde_mm_andnot_pd(left1, left0), m1 = simde_mm_andnot_pd(left2, left1),
                 m2 = simde_mm_andnot_pd(left0, left2);
    tact_vec3 k0 = vec_sub(w0, w), k1 = vec_sub(w1, w), k2 = vec_sub(w2, w);
    tact_vec3 n0 = vec_cross(k0, k1), n1 = vec_cross(k1, k2), n2 = vec_cross(k2, k0);
    tact_vec3 n = vec_make(either(n0.x, m0, n1.x, m1, n2.x, m2), either(n0.y, m0, n1.y, m1, n2.y, m2),
                           either(n0.z, m0, n1.z, m1, n2.z, m2));
    double h = vec_dot(n, w);
    *inside = turned(h, v->h) <= 0.0;
    if (*inside)
        return true;
    unsigned first = ((unsigned)simde_mm_movemask_pd(m1) & 1u) | ((unsigned)simde_mm_movemask_pd(m2) & 1u) << 1;
    unsigned second = first == 2 ? 0 : first + 1;
    int p = s->at[first], q = s->at[second];
    return add_face(s, v, w, p, q, k, vec_sub(s->sample[p].w, w), vec_sub(s->sample[q].w, w), n, h, v->side);
}

/* ---- the search
 * ------------------------------------------------------------------------------------------------------------------ */

/* The points of A and B that v stands for; whether v is what its weights say. */
TACT_FORCE_INLINE bool witness(const simplex *s, const double *weight, int count, tact_vec3 offset, tact_vec3 v,
                               double floor, gjk *result)
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
    return vec_max_abs(vec_sub(vec_add(vec_sub(pb, pa), offset), v)) <= GJK_CONSISTENCY * floor;
}

/* The same for the simplex as it is. */
TACT_FORCE_INLINE bool witness_now(const simplex *s, const nearest *v, tact_vec3 offset, double floor, gjk *result)
{
    double weight[3] = {1.0, 0.0, 0.0};
    if (v->count == 2) {
        weight[0] = s->part[0] / s->whole;
        weight[1] = 1.0 - weight[0];
    } else if (v->count == 3) {
        double inverse = 1.0 / s->whole;
        weight[0] = s->part[0] * inverse;
        weight[1] = s->part[1] * inverse;
        weight[2] = 1.0 - weight[0] - weight[1];
    }
    return witness(s, weight, v->count, offset, vec_scale(v->n, v->h / v->nn), floor, result);
}

/* The simplex, which is a tetrahedron, against the origin. */
TACT_FORCE_INLINE simplex_sides sides_now(const simplex *s)
{
    return simplex_sides_of(s->sample[s->at[0]].w, s->sample[s->at[1]].w, s->sample[s->at[2]].w, s->sample[s->at[3]].w);
}

/* Makes up for the rounding of the weights of a tetrahedron, by which its point, that should be the origin, is at r.
 * (The sides are computed once more: handed over they would be in memory, for which all the others, that do not come
 * here, would wait.) */
TACT_COLD bool mend_weights(const simplex *s, tact_vec3 r, double weight[4])
{
    const simplex_sides sides = sides_now(s);
    double inverse = -1.0 / vec_dot(sides.da, sides.n[0]);
    for (int i = 0; i < 3; i++) {
        double more = vec_dot(sides.n[i], r) * inverse;
        weight[i] += more;
        weight[3] -= more;
    }
    return weight[0] > 0.0 && weight[1] > 0.0 && weight[2] > 0.0 && weight[3] > 0.0;
}

/* The origin seems to be inside the tetrahedron with sample k. */
TACT_FORCE_INLINE bool finish_inside(simplex *s, int k, tact_vec3 offset, double floor, bool wanted, gjk *result)
{
    s->at[3] = k;
    const simplex_sides sides = sides_now(s);
    simplex_answer answer;
    if (!simplex_holds_origin(&sides, s->sample[k].w, &answer) || !answer.sure)
        return false;
    if (!witness(s, answer.weight, 4, offset, answer.v, floor, result)) {
        tact_vec3 r = vec_add(vec_sub(result->on_b, result->on_a), offset);
        if (!mend_weights(s, r, answer.weight) || !witness(s, answer.weight, 4, offset, answer.v, floor, result))
            return false;
    }
    for (int i = 0; i < 4 && wanted; i++) {
        const sample *vertex = &s->sample[s->at[i]];
        const point_pair *from = &vertex->from;
        result->simplex[i] = (gjk_vertex){vertex->w, vec_make(from->x[0], from->y[0], from->z[0]),
                                          vec_make(from->x[1], from->y[1], from->z[1])};
        result->weight[i] = answer.weight[i];
    }
    result->end = GJK_TOUCH;
    result->lower = result->upper = 0.0;
    result->normal = vec_make(0.0, 0.0, 0.0);
    return true;
}

/* Whether the hulls, by their tables, reach so far towards each other that a look between their middles is worth its
 * time: of those that overlap by a tenth of their radius or more seven of ten, of those that just touch one of forty.
 * `to`: to each the direction of the other; `square`: of the distance of the middles. */
TACT_FORCE_INLINE bool is_worth(const quick_pair *p, vec_pair to, double square)
{
    simde__m128 x = simde_mm_cvtpd_ps(to.x), y = simde_mm_cvtpd_ps(to.y), z = simde_mm_cvtpd_ps(to.z),
                xy = simde_mm_unpacklo_ps(x, y);
    uint32_t cell_a = hull_radial_cell(simde_mm_movelh_ps(xy, z)),
             cell_b = hull_radial_cell(simde_mm_shuffle_ps(xy, z, SIMDE_MM_SHUFFLE(1, 1, 3, 2)));
    double together = p->hull_a->radial_cells[cell_a] * double2_low(p->cell_unit) +
                      p->hull_b->radial_cells[cell_b] * double2_high(p->cell_unit);
    return together * together > GJK_FAST_CENTRE_REACH * GJK_FAST_CENTRE_REACH * square;
}

/* Whether the hulls meet on the line between their middles (c: from A's to B's), as far as their planes tell: then the
 * point there that is as deep in one as in the other. */
static bool meet_between(const quick_pair *p, tact_vec3 c, const point_pair *middle, gjk *result)
{
    const frame_pair *f = &p->frames;
    /* By Cramer's rule, from placements that are no worse than a little uneven and askew, so that rounding adds less
     * than HULL_POLAR_ERROR has to spare. */
    vec_pair yz = pair_cross(f->y, f->z), zx = pair_cross(f->z, f->x), xy = pair_cross(f->x, f->y), both = pair_both(c);
    simde__m128d xx = pair_dot(f->x, f->x), yy = pair_dot(f->y, f->y), zz = pair_dot(f->z, f->z);
    simde__m128d determinant = pair_dot(f->x, yz), longest = simde_mm_max_pd(xx, simde_mm_max_pd(yy, zz));
    simde__m128d clear =
        simde_mm_cmpgt_pd(simde_mm_mul_pd(determinant, determinant),
                          simde_mm_mul_pd(simde_mm_set1_pd(GJK_FAST_REGULAR),
                                          simde_mm_mul_pd(longest, simde_mm_mul_pd(longest, longest))));
    if (simde_mm_movemask_pd(clear) != 3)
        return false;
    simde__m128d inverse = simde_mm_div_pd(simde_mm_set_pd(-1.0, 1.0), determinant);
    double x[2], y[2], z[2];
    simde_mm_storeu_pd(x, simde_mm_mul_pd(pair_dot(yz, both), inverse));
    simde_mm_storeu_pd(y, simde_mm_mul_pd(pair_dot(zx, both), inverse));
    simde_mm_storeu_pd(z, simde_mm_mul_pd(pair_dot(xy, both), inverse));
    double across_a = hull_polar_support(p->hull_a, x[0], y[0], z[0]),
           across_b = hull_polar_support(p->hull_b, x[1], y[1], z[1]);
    /* A reaches 1/across_a of the way to B's middle, and likewise B: together at least all of it? */
    double sum = across_a + across_b;
    if (!(sum > across_a * across_b))
        return false;
    result->end = GJK_TOUCH;
    result->iterations = 1;
    result->lower = result->upper = 0.0;
    result->normal = vec_make(0.0, 0.0, 0.0);
    result->on_a = vec_mul_add(vec_make(middle->x[0], middle->y[0], middle->z[0]), across_b / sum, c);
    result->on_b = vec_mul_add(vec_make(middle->x[1], middle->y[1], middle->z[1]), -(across_a / sum), c);
    result->count = 1;
    return true;
}

/* The direction u separates by `lower`, which is more than is wanted. */
static TACT_NOINLINE void finish_beyond(const simplex *s, const nearest *v, const quick_pair *p, tact_vec3 u,
                                        double lower, int iterations, gjk *result)
{
    result->end = GJK_BEYOND;
    result->iterations = iterations;
    result->lower = lower;
    result->normal = vec_normalize(u);
    (void)witness_now(s, v, p->offset, p->floor, result);
    result->upper = vec_length(vec_add(vec_sub(result->on_b, result->on_a), p->offset));
}

/* The root of a, but for 4 %: half the exponent, by the bits. A true one would be waited for. */
TACT_FORCE_INLINE double nearly_sqrt(double a)
{
    simde__m128i bits = simde_mm_srli_epi64(simde_mm_castpd_si128(simde_mm_set_sd(a)), 1);
    bits = simde_mm_add_epi64(bits, simde_mm_set1_epi64x(INT64_C(0x1ff7a3bea91d9b1b)));
    return simde_mm_cvtsd_f64(simde_mm_castsi128_pd(bits));
}

/* `decide` and `from` are constants at each call. */
TACT_FORCE_INLINE bool run(const quick_pair *p, const goal *want, double enough, bool decide, source from, gjk *result)
{
    nearest v;
    simplex s; /* of 2 kB few count: not zeroed */
    const tact_vec3 offset = p->offset, axis = p->axis;
    const double floor = p->floor, margins = p->margins, floor_square = floor * floor, enough_square = enough * enough;
    vec_pair lean = {0};    /* what the line between the middles is to each of two hulls */
    double lean_unit = 1.0; /* 1 / the distance of the middles */
    s.at[0] = 0;
    s.part[0] = s.part[1] = 0.0;
    s.whole = 1.0;
    v.h = v.side = 1.0;
    if (!want->simplex) {
        s.sample[0].w =
            from == SOURCE_ANY
                ? join_pair(convex_interior_point(p->a), convex_interior_point(p->b), offset, &s.sample[0].from)
                : place_pair(&p->frames, offset, pair_of(p->hull_a->centre, p->hull_b->centre), &s.sample[0].from);
        keep_one(&s, &v, s.sample[0].w, 0);
        if (!(v.vv > floor_square))
            return false;
        lean_unit = 1.0 / sqrt(v.vv);
        if (from != SOURCE_ANY)
            lean = turn_back(&p->frames, v.n, 1.0);
        if (from != SOURCE_ANY && is_zero(axis) && is_worth(p, lean, v.vv) &&
            meet_between(p, v.n, &s.sample[0].from, result))
            return true;
    } else {
        v.vv = INFINITY;
        v.count = 0;
        v.n = offset;
    }
    if (!is_zero(axis)) {
        v.n = axis;
        v.h = v.side = 1.0;
    } else if (want->simplex && is_zero(p->offset)) {
        return false;
    }
    v.nn = vec_length_squared(v.n);
    s.normal[0] = v.n;
    s.side[0] = v.side;
    vec_pair d = lean; /* what v.n is to two hulls that have lanes */
    if (from == SOURCE_LANES && (want->simplex || !is_zero(axis)))
        d = turn_back(&p->frames, v.n, v.side);
    for (int k = 1; k <= GJK_FAST_MAX_ITERATIONS; k++) {
        tact_vec3 w;
        bool leaning = false;
        const tact_vec3 n = s.normal[k - 1];
        const double side = s.side[k - 1];
        if (from != SOURCE_ANY && !want->simplex && k > 1 && (s.at[0] == 0 || (v.count == 3 && s.at[1] == 0))) {
            double more = GJK_FAST_LEAN * lean_unit * nearly_sqrt(v.nn);
            tact_vec3 u = vec_mul_add(n, turned(more, side), s.sample[0].w);
            w = from == SOURCE_LANES ? take_lanes_sample(p, pair_along(d, more, lean), &s.sample[k].from)
                                     : take_hulls_sample(p, u, side, &s.sample[k].from);
            double uw = turned(vec_dot(u, w), side), uu = vec_length_squared(u);
            if (uw * fabs(uw) > enough_square * uu) {
                const nearest last = v;
                finish_beyond(&s, &last, p, vec_scale(u, copysign(1.0, side)), uw / sqrt(uu), k, result);
                return true;
            }
            leaning = turned(vec_dot(n, w), side) <= GJK_FAST_LEAN_GAIN * fabs(v.h);
            if (from == SOURCE_LANES && !leaning)
                d = turn_back(&p->frames, n, side); /* (kept until now it would be in memory) */
        }
        if (!leaning) {
            w = from == SOURCE_LANES   ? take_lanes_sample(p, d, &s.sample[k].from)
                : from == SOURCE_HULLS ? take_hulls_sample(p, n, side, &s.sample[k].from)
                                       : take_any_sample(p, n, side, &s.sample[k].from);
            double nw = turned(vec_dot(n, w), side), h = fabs(v.h);
            result->iterations = k;
            if (nw * fabs(nw) > enough_square * v.nn) {
                double lower = nw / sqrt(v.nn);
                tact_vec3 along = vec_scale(n, copysign(1.0, side));
                s.sample[k].w = w;
                v.n = n;
                if (k == 1)
                    keep_one(&s, &v, w, 1);
                const nearest last = v;
                finish_beyond(&s, &last, p, along, lower, k, result);
                return true;
            }
            if (!decide && k > 1) {
                /* h/|n| - n.w/|n| against accuracy | h/|n| - margins | and the floor: times |n| */
                double gap = h - nw, allowed = want->accuracy * (margins > 0.0 ? fabs(h - margins * sqrt(v.nn)) : h);
                standing bounds = gap * gap <= floor_square * v.nn ? BOUNDS_MET : stand(gap, allowed);
                if (bounds != BOUNDS_OPEN) {
                    double inverse = 1.0 / sqrt(v.nn);
                    v.n = n;
                    result->end = GJK_APART;
                    result->upper = h * inverse;
                    result->lower = nw * inverse;
                    result->normal = vec_scale(n, turned(inverse, v.h));
                    return bounds == BOUNDS_MET && nw > 0.0 && witness_now(&s, &v, offset, floor, result);
                }
            }
        }
        s.sample[k].w = w;
        double before = v.vv;
        bool well = true, inside = false;
        v.n = n;
        v.side = side;
        if (v.count == 3)
            well = add_to_three(&s, &v, w, k, &inside);
        else if (v.count == 2)
            well = add_to_two(&s, &v, w, k);
        else if (v.count == 1)
            well = add_to_one(&s, &v, w, k);
        else
            keep_one(&s, &v, w, k);
        if (inside)
            return finish_inside(&s, k, offset, floor, want->simplex, result);
        if (!(well && v.vv < before && v.vv > floor_square))
            return false;
        s.normal[k] = v.n;
        s.side[k] = v.side;
        if (decide && v.vv <= want->enough * want->enough) {
            result->end = GJK_WITHIN;
            result->upper = sqrt(v.vv);
            result->lower = 0.0;
            result->normal = vec_make(0.0, 0.0, 0.0);
            return witness_now(&s, &v, offset, floor, result);
        }
        if (from == SOURCE_LANES)
            d = turn_back(&p->frames, v.n, v.side);
    }
    return false;
}

/* One function each: in one alone the compiler would stop inlining. */
#define RUN(name, decide, from)                                                                                        \
    static TACT_NOINLINE bool name(const quick_pair *p, const goal *want, double enough, gjk *result)                  \
    {                                                                                                                  \
        return run(p, want, enough, decide, from, result);                                                             \
    }
RUN(run_any_distance, false, SOURCE_ANY)
RUN(run_any_decide, true, SOURCE_ANY)
RUN(run_hulls_distance, false, SOURCE_HULLS)
RUN(run_hulls_decide, true, SOURCE_HULLS)
RUN(run_lanes_distance, false, SOURCE_LANES)
RUN(run_lanes_decide, true, SOURCE_LANES)

bool tact_quick_hulls(const quick_pair *p, const goal *want, double enough, gjk *result)
{
    if (p->hull_a->support_method == HULL_SUPPORT_SIMD && p->hull_b->support_method == HULL_SUPPORT_SIMD)
        return want->decide ? run_lanes_decide(p, want, enough, result) : run_lanes_distance(p, want, enough, result);
    return want->decide ? run_hulls_decide(p, want, enough, result) : run_hulls_distance(p, want, enough, result);
}

bool tact_quick(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want, double enough,
                tact_vec3 axis, gjk *result)
{
    quick_pair p = {.a = a, .b = b, .offset = offset, .axis = axis, .floor = floor, .margins = a->margin + b->margin};
    if (a->kind == CONVEX_HULL && b->kind == CONVEX_HULL) {
        p.hull_a = a->shape->hull;
        p.hull_b = b->shape->hull;
        p.frames = frames_of(&a->transform, &b->transform);
        p.cell_unit = quick_cell_unit(p.hull_a, p.hull_b, simde_mm_set_pd(b->bounding_radius, a->bounding_radius));
        return tact_quick_hulls(&p, want, enough, result);
    }
    return want->decide ? run_any_decide(&p, want, enough, result) : run_any_distance(&p, want, enough, result);
}
