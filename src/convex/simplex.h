/*
 * The closest point of a simplex to the origin: the subalgorithm of GJK, for 2 to 4 points of which the last is new.
 *
 * The inline functions work in doubles by the Voronoi regions of the new point (van den Bergen 1999, theorem 4.8: the
 * closest point needs it). They are fast, and right unless the simplex is a sliver; `certain` says when "the origin is
 * inside" may be an effect of rounding. tact_simplex_solve works in double-double (106 bits), tries every subset, and
 * decides such cases.
 */
#ifndef TACT_CONVEX_SIMPLEX_H
#define TACT_CONVEX_SIMPLEX_H

#include "convex/convex_constants.h"
#include "core/inline.h"
#include "math/vec.h"

typedef struct simplex_solution {
    tact_vec3 v;      /* the closest point */
    double weight[4]; /* barycentric coordinates: sum 1; 0 for points that are not needed */
    unsigned mask;    /* bit i: point i is needed */
    bool certain;     /* false: "the origin is inside" may be an effect of rounding */
} simplex_solution;

/* For any 1 to 4 points, slivers included. `guess` is the subset to try first, 0 for none. */
void tact_simplex_solve(const tact_vec3 *w, int count, unsigned guess, simplex_solution *solution);

/* The point of the line from c along `step` (|step|^2 = square) at parameter t = -c.step/square. If it is short beside
 * c it is made perpendicular to `step` to the last bit of its own length, so that two vertices that should separate
 * equally do. */
TACT_FORCE_INLINE tact_vec3 simplex_foot(tact_vec3 c, tact_vec3 step, double square, double t)
{
    tact_vec3 p = vec_mul_add(c, t, step);
    if (vec_length_squared(p) < SIMPLEX_SHORT * vec_length_squared(c))
        p = vec_mul_add(p, -vec_dot(p, step) / square, step);
    return p;
}

/* The regions of C: C, the edges to A and B, and the triangle, given n = (A - C) x (B - C). Fills in the weights of A,
 * B and C; returns which are needed (bit 0: A, bit 1: B, bit 2: C). */
TACT_FORCE_INLINE unsigned simplex_triangle_regions(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 n, tact_vec3 *v,
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
    /* The closest point is on the edge that the origin is outside of, or it is C. Outside both, with both edges leading
     * toward the origin, the closer edge counts. */
    double along_a = -vec_dot(ca, c), along_b = -vec_dot(cb, c);
    bool on_a = outside_a >= 0.0 && along_a > 0.0, on_b = outside_b >= 0.0 && along_b > 0.0;
    if (on_a && on_b) {
        double reach_a = along_a * along_a * vec_length_squared(cb),
               reach_b = along_b * along_b * vec_length_squared(ca);
        on_a = reach_a >= reach_b; /* along^2 / square is by how much the edge shortens |c|^2 */
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

TACT_FORCE_INLINE void simplex_on_segment(tact_vec3 a, tact_vec3 b, simplex_solution *solution)
{
    tact_vec3 step = vec_sub(a, b);
    double along = -vec_dot(step, b), square = vec_length_squared(step);
    solution->certain = true;
    if (along <= 0.0) {
        solution->v = b;
        solution->weight[0] = 0.0;
        solution->weight[1] = 1.0;
        solution->mask = 2;
        return;
    }
    double t = along < square ? along / square : 1.0;
    solution->v = t < 1.0 ? simplex_foot(b, step, square, t) : a;
    solution->weight[0] = t;
    solution->weight[1] = 1.0 - t;
    solution->mask = t < 1.0 ? 3 : 1;
}

TACT_FORCE_INLINE void simplex_on_triangle(tact_vec3 a, tact_vec3 b, tact_vec3 c, simplex_solution *solution)
{
    tact_vec3 n = vec_cross(vec_sub(a, c), vec_sub(b, c));
    solution->certain = true;
    solution->mask = simplex_triangle_regions(a, b, c, n, &solution->v, solution->weight);
}

/* The faces at the new vertex D of a tetrahedron. */
typedef struct simplex_faces {
    tact_vec3 da, db, dc;
    tact_vec3 n[3];          /* normals of the faces opposite A, B, C */
    double origin_volume[3]; /* volume of the origin with each face, positive inside */
    double volume;           /* of the tetrahedron, not negative; all times six */
} simplex_faces;

TACT_FORCE_INLINE simplex_faces simplex_faces_of(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    simplex_faces s;
    s.da = vec_sub(a, d);
    s.db = vec_sub(b, d);
    s.dc = vec_sub(c, d);
    s.n[0] = vec_cross(s.db, s.dc);
    s.n[1] = vec_cross(s.dc, s.da);
    s.n[2] = vec_cross(s.da, s.db);
    s.volume = vec_dot(s.da, s.n[0]);
    double sign = s.volume < 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; i++)
        s.origin_volume[i] = sign * vec_dot(s.n[i], d);
    s.volume = fabs(s.volume);
    return s;
}

/* Whether the origin is inside; if so, fills in the solution. */
TACT_FORCE_INLINE bool simplex_contains_origin(const simplex_faces *s, tact_vec3 d, simplex_solution *solution)
{
    double rest = s->volume - s->origin_volume[0] - s->origin_volume[1] - s->origin_volume[2];
    solution->certain = true;
    if (!(s->volume > 0.0 && s->origin_volume[0] >= 0.0 && s->origin_volume[1] >= 0.0 && s->origin_volume[2] >= 0.0 &&
          rest >= 0.0))
        return false;
    /* Each volume is a product of three lengths: positive for certain only beyond their rounding error. */
    double la = vec_max_abs(s->da), lb = vec_max_abs(s->db), lc = vec_max_abs(s->dc), ld = vec_max_abs(d);
    double bound = SIMPLEX_ROUNDING * (ld > la ? ld : la);
    double inverse = 1.0 / s->volume;
    solution->certain = s->origin_volume[0] > bound * lb * lc && s->origin_volume[1] > bound * lc * la &&
                        s->origin_volume[2] > bound * la * lb && rest > bound * (lb * lc + lc * la + la * lb);
    solution->v = vec_make(0.0, 0.0, 0.0);
    solution->weight[0] = s->origin_volume[0] * inverse;
    solution->weight[1] = s->origin_volume[1] * inverse;
    solution->weight[2] = s->origin_volume[2] * inverse;
    solution->weight[3] = rest * inverse;
    solution->mask = 15;
    return true;
}

TACT_FORCE_INLINE void simplex_on_tetrahedron(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d,
                                              simplex_solution *solution)
{
    const tact_vec3 w[4] = {a, b, c, d};
    const simplex_faces s = simplex_faces_of(a, b, c, d);
    if (simplex_contains_origin(&s, d, solution))
        return;
    /* A flat tetrahedron: any face may have the closest point; else those that the origin is outside of. */
    bool flat = !(s.volume > SIMPLEX_ROUNDING * vec_max_abs(s.da) * vec_max_abs(s.n[0]));
    double best = INFINITY;
    solution->mask = 0;
    for (int face = 0; face < 3; face++) {
        if (!flat && s.origin_volume[face] >= 0.0)
            continue;
        int i = (face + 1) % 3, j = (face + 2) % 3;
        double weight[3];
        tact_vec3 v;
        unsigned mask = simplex_triangle_regions(w[i], w[j], d, s.n[face], &v, weight);
        double vv = vec_length_squared(v);
        if (vv < best) {
            best = vv;
            solution->v = v;
            solution->weight[face] = 0.0;
            solution->weight[i] = weight[0];
            solution->weight[j] = weight[1];
            solution->weight[3] = weight[2];
            solution->mask = (mask & 1u) << i | (mask >> 1 & 1u) << j | (mask >> 2) << 3;
        }
    }
    if (solution->mask == 0) /* Only rounding leads here: inside these three faces but beyond the fourth. */
        tact_simplex_solve(w, 4, 0, solution);
}

#endif
