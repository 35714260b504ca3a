/*
 * The point of a simplex (1 to 4 points, the last one new) nearest to the origin: the sub-algorithm of GJK.
 *
 * simplex_reduce works in doubles by the regions of the new point alone (seed 004, theorem 4.8: the new point is in the
 * answer). It is fast and right unless the simplex is a sliver; it says so when it cannot vouch for "the origin is
 * inside". tact_simplex_solve works in pairs of doubles (106 bits), tries every subset, and is the arbiter of such
 * cases.
 */
#ifndef TACT_CONVEX_SIMPLEX_H
#define TACT_CONVEX_SIMPLEX_H

#include "convex/convex_constants.h"
#include "core/inline.h"
#include "math/vec.h"

typedef struct simplex_answer {
    tact_vec3 v;      /* the nearest point */
    double weight[4]; /* of the points in it: sum 1; 0 for those that are not needed */
    unsigned mask;    /* bit i: point i is needed */
    bool sure;        /* false: "the origin is inside" could be an effect of rounding */
} simplex_answer;

/* For any 1 to 4 points, sliver or not. `guess` is the subset to try first, 0 for none. */
void tact_simplex_solve(const tact_vec3 *w, int count, unsigned guess, simplex_answer *answer);

/* The point of the line from c along `step` (|step|^2 = square) at parameter t = -c.step/square. Where it is short
 * beside c it is made perpendicular to `step` to the last bit of its own length: two corners that should separate
 * equally then do. */
TACT_FORCE_INLINE tact_vec3 simplex_foot(tact_vec3 c, tact_vec3 step, double square, double t)
{
    tact_vec3 p = vec_mul_add(c, t, step);
    if (vec_length_squared(p) < SIMPLEX_SHORT * vec_length_squared(c))
        p = vec_mul_add(p, -vec_dot(p, step) / square, step);
    return p;
}

/* Point C against the segments to A and B and the triangle between, given n = (A - C) x (B - C). Fills in the weights
 * of A, B and C; returns which are needed (bit 0: A, bit 1: B, bit 2: C). */
TACT_FORCE_INLINE unsigned simplex_triangle(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 n, tact_vec3 *v,
                                            double weight[3])
{
    tact_vec3 ca = vec_sub(a, c), cb = vec_sub(b, c);
    double outside_a = vec_dot(vec_cross(n, ca), c); /* (ca x n).(-c): how far the origin is outside the edge CA */
    double outside_b = vec_dot(vec_cross(cb, n), c); /* (n x cb).(-c) */
    double nn = vec_length_squared(n);
    if (outside_a < 0.0 && outside_b < 0.0) {
        double inverse = 1.0 / nn;
        weight[0] = -outside_b * inverse;
        weight[1] = -outside_a * inverse;
        weight[2] = 1.0 - weight[0] - weight[1];
        if (weight[2] > 0.0) {
            *v = vec_scale(n, vec_dot(n, c) * inverse);
            return 7;
        }
    }
    /* The nearest point is on the edge that the origin is outside of, or it is C. Outside both, with both edges leading
     * towards the origin, the nearer one counts. */
    double along_a = -vec_dot(ca, c), along_b = -vec_dot(cb, c);
    bool on_a = outside_a >= 0.0 && along_a > 0.0, on_b = outside_b >= 0.0 && along_b > 0.0;
    if (on_a && on_b) {
        double reach_a = along_a * along_a * vec_length_squared(cb),
               reach_b = along_b * along_b * vec_length_squared(ca);
        on_a = reach_a >= reach_b; /* along^2 / square is how much the edge shortens |c|^2 */
    }
    if (on_a || on_b) {
        tact_vec3 edge = on_a ? ca : cb;
        double along = on_a ? along_a : along_b, square = vec_length_squared(edge);
        double t = along < square ? along / square : 1.0;
        *v = t < 1.0 ? simplex_foot(c, edge, square, t) : on_a ? a : b;
        weight[0] = on_a ? t : 0.0;
        weight[1] = on_a ? 0.0 : t;
        weight[2] = 1.0 - t;
        return (on_a ? 1u : 2u) | (t < 1.0 ? 4u : 0u);
    }
    *v = c;
    weight[0] = weight[1] = 0.0;
    weight[2] = 1.0;
    return 4;
}

TACT_FORCE_INLINE void simplex_two(tact_vec3 a, tact_vec3 b, simplex_answer *answer)
{
    tact_vec3 step = vec_sub(a, b);
    double along = -vec_dot(step, b), square = vec_length_squared(step);
    answer->sure = true;
    if (along <= 0.0) {
        answer->v = b;
        answer->weight[0] = 0.0;
        answer->weight[1] = 1.0;
        answer->mask = 2;
        return;
    }
    double t = along < square ? along / square : 1.0;
    answer->v = t < 1.0 ? simplex_foot(b, step, square, t) : a;
    answer->weight[0] = t;
    answer->weight[1] = 1.0 - t;
    answer->mask = t < 1.0 ? 3 : 1;
}

TACT_FORCE_INLINE void simplex_three(tact_vec3 a, tact_vec3 b, tact_vec3 c, simplex_answer *answer)
{
    tact_vec3 n = vec_cross(vec_sub(a, c), vec_sub(b, c));
    answer->sure = true;
    answer->mask = simplex_triangle(a, b, c, n, &answer->v, answer->weight);
}

/* The new point D of a tetrahedron against the others. */
typedef struct simplex_sides {
    tact_vec3 da, db, dc;
    tact_vec3 n[3]; /* normals of the faces at D, opposite A, B, C */
    double side[3]; /* volumes that the origin makes with these faces, positive inside; */
    double volume;  /* of the whole, not negative; all times six */
} simplex_sides;

TACT_FORCE_INLINE simplex_sides simplex_sides_of(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    simplex_sides s;
    s.da = vec_sub(a, d);
    s.db = vec_sub(b, d);
    s.dc = vec_sub(c, d);
    s.n[0] = vec_cross(s.db, s.dc);
    s.n[1] = vec_cross(s.dc, s.da);
    s.n[2] = vec_cross(s.da, s.db);
    s.volume = vec_dot(s.da, s.n[0]);
    double sign = s.volume < 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; i++)
        s.side[i] = sign * vec_dot(s.n[i], d);
    s.volume = fabs(s.volume);
    return s;
}

/* Whether the origin is inside; if so, the whole answer. */
TACT_FORCE_INLINE bool simplex_holds_origin(const simplex_sides *s, tact_vec3 d, simplex_answer *answer)
{
    double rest = s->volume - s->side[0] - s->side[1] - s->side[2];
    answer->sure = true;
    if (!(s->volume > 0.0 && s->side[0] >= 0.0 && s->side[1] >= 0.0 && s->side[2] >= 0.0 && rest >= 0.0))
        return false;
    /* Each side is a product of three lengths: surely positive only beyond their rounding. */
    double la = vec_max_abs(s->da), lb = vec_max_abs(s->db), lc = vec_max_abs(s->dc), ld = vec_max_abs(d);
    double bound = SIMPLEX_ROUNDING * (ld > la ? ld : la);
    double inverse = 1.0 / s->volume;
    answer->sure = s->side[0] > bound * lb * lc && s->side[1] > bound * lc * la && s->side[2] > bound * la * lb &&
                   rest > bound * (lb * lc + lc * la + la * lb);
    answer->v = vec_make(0.0, 0.0, 0.0);
    answer->weight[0] = s->side[0] * inverse;
    answer->weight[1] = s->side[1] * inverse;
    answer->weight[2] = s->side[2] * inverse;
    answer->weight[3] = rest * inverse;
    answer->mask = 15;
    return true;
}

TACT_FORCE_INLINE void simplex_four(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, simplex_answer *answer)
{
    const tact_vec3 w[4] = {a, b, c, d};
    const simplex_sides s = simplex_sides_of(a, b, c, d);
    if (simplex_holds_origin(&s, d, answer))
        return;
    /* Flat: any face may be the one; else those that the origin is outside of. */
    bool flat = !(s.volume > SIMPLEX_ROUNDING * vec_max_abs(s.da) * vec_max_abs(s.n[0]));
    double best = INFINITY;
    answer->mask = 0;
    for (int face = 0; face < 3; face++) {
        if (!flat && s.side[face] >= 0.0)
            continue;
        int i = (face + 1) % 3, j = (face + 2) % 3;
        double weight[3];
        tact_vec3 v;
        unsigned mask = simplex_triangle(w[i], w[j], d, s.n[face], &v, weight);
        double vv = vec_length_squared(v);
        if (vv < best) {
            best = vv;
            answer->v = v;
            answer->weight[face] = 0.0;
            answer->weight[i] = weight[0];
            answer->weight[j] = weight[1];
            answer->weight[3] = weight[2];
            answer->mask = (mask & 1u) << i | (mask >> 1 & 1u) << j | (mask >> 2) << 3;
        }
    }
    if (answer->mask == 0) /* only rounding leads here: inside the three faces but beyond the fourth */
        tact_simplex_solve(w, 4, 0, answer);
}

#endif
