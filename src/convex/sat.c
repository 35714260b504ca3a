/*
 * Separating axis tests for two parallelepipeds (Gottschalk, Lin and Manocha 1996, OBBTree; van den Bergen 1999,
 * section 4.2).
 *
 * Guarantee: SAT_SEPARATED and SAT_OVERLAP are proved for the half axes as given, rounding included. What rounding
 * leaves open is SAT_UNDECIDED. The depth is within a few ulps of the largest coordinate. Cost: constant; the overlap
 * test takes 10 to 60 ns, the depth about 150 ns on a 2.8 GHz core.
 *
 * Departures: the boxes may be skewed, as any affine transform makes them. So the axes are cross products of half axes,
 * and all 15 projections come from two 3 x 3 matrices of triple products, (a_i x a_k) . b_j and (b_j x b_l) . a_i. No
 * epsilon is added for parallel edges, which would turn a near miss into a hit. A nearly parallel pair of edges is
 * skipped only if all other axes overlap by more than making it exactly parallel can change. The depth evaluates every
 * axis that could win with a normal that is perpendicular to its edges to the last bit (tact_sat_normal).
 */
#include "convex/sat.h"

#include "convex/convex_constants.h"

#include <stddef.h>

static const int NEXT[3] = {1, 2, 0};
static const int LAST[3] = {2, 0, 1};

static inline double one_norm(tact_vec3 a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }

/* What the axes share: sizes, and triple products of the six face normals with the edges of the other box. */
typedef struct sat_faces {
    double size_a[3], size_b[3]; /* one-norms of the half axes */
    double total;                /* sum of all sizes and the offset */
    double m[3][3];              /* |normal i of A . half_b[j]| */
    double n[3][3];              /* |normal j of B . half_a[i]| at [j][i] */
} sat_faces;

/* Returns false if the numbers are out of range. */
static inline bool measure_sizes(tact_vec3 offset, const tact_vec3 a[3], const tact_vec3 b[3], sat_faces *f)
{
    double smallest = INFINITY;
    f->total = one_norm(offset);
    for (int i = 0; i < 3; i++) {
        f->size_a[i] = one_norm(a[i]);
        f->size_b[i] = one_norm(b[i]);
        f->total += f->size_a[i] + f->size_b[i];
        double less = f->size_a[i] < f->size_b[i] ? f->size_a[i] : f->size_b[i];
        smallest = less < smallest ? less : smallest;
    }
    return f->total < SAT_MAX_SIZE && smallest * smallest * f->total > SAT_MIN_PRODUCT;
}

/* The six face axes; SAT_OVERLAP if all six overlap. */
static sat_result test_faces(tact_vec3 offset, const tact_vec3 a[3], const tact_vec3 b[3], sat_faces *f,
                             tact_vec3 *axis)
{
    sat_result end = SAT_OVERLAP;
    for (int i = 0; i < 3; i++) {
        tact_vec3 n = vec_cross(a[NEXT[i]], a[LAST[i]]);
        double scale = f->size_a[NEXT[i]] * f->size_a[LAST[i]] * f->total;
        double along = vec_dot(n, offset);
        f->m[i][0] = fabs(vec_dot(n, b[0]));
        f->m[i][1] = fabs(vec_dot(n, b[1]));
        f->m[i][2] = fabs(vec_dot(n, b[2]));
        double gap = fabs(along) - (fabs(vec_dot(n, a[i])) + f->m[i][0] + f->m[i][1] + f->m[i][2]);
        if (gap > SAT_SEPARATION_ERROR * scale) {
            if (axis != NULL)
                *axis = along < 0.0 ? vec_negate(n) : n;
            return SAT_SEPARATED;
        }
        if (!(gap < -SAT_OVERLAP_ERROR * scale))
            end = SAT_UNDECIDED;
    }
    for (int j = 0; j < 3; j++) {
        tact_vec3 n = vec_cross(b[NEXT[j]], b[LAST[j]]);
        double scale = f->size_b[NEXT[j]] * f->size_b[LAST[j]] * f->total;
        double along = vec_dot(n, offset);
        f->n[j][0] = fabs(vec_dot(n, a[0]));
        f->n[j][1] = fabs(vec_dot(n, a[1]));
        f->n[j][2] = fabs(vec_dot(n, a[2]));
        double gap = fabs(along) - (fabs(vec_dot(n, b[j])) + f->n[j][0] + f->n[j][1] + f->n[j][2]);
        if (gap > SAT_SEPARATION_ERROR * scale) {
            if (axis != NULL)
                *axis = along < 0.0 ? vec_negate(n) : n;
            return SAT_SEPARATED;
        }
        if (!(gap < -SAT_OVERLAP_ERROR * scale))
            end = SAT_UNDECIDED;
    }
    return end;
}

sat_result tact_sat_box_box(tact_vec3 offset, const tact_vec3 half_a[3], const tact_vec3 half_b[3], tact_vec3 *axis)
{
    sat_faces f;
    if (!measure_sizes(offset, half_a, half_b, &f))
        return SAT_UNDECIDED;
    sat_result end = test_faces(offset, half_a, half_b, &f, axis);
    if (end == SAT_SEPARATED)
        return SAT_SEPARATED;
    int parallels[3] = {0, 0, 0}; /* of each edge of B: number of edges of A that it counts as parallel to */
    for (int i = 0; i < 3; i++) {
        tact_vec3 across = vec_cross(offset, half_a[i]);
        for (int j = 0; j < 3; j++) {
            /* With n = a_i x b_j: offset . n = (offset x a_i) . b_j, |a_k . n| = |(a_i x a_k) . b_j|, |b_l . n| = |(b_j
             * x b_l) . a_i|. */
            double along = vec_dot(across, half_b[j]);
            double sum = (f.m[NEXT[i]][j] + f.m[LAST[i]][j]) + (f.n[NEXT[j]][i] + f.n[LAST[j]][i]);
            double gap = fabs(along) - sum;
            double scale = f.size_a[i] * f.size_b[j] * f.total;
            if (gap > SAT_SEPARATION_ERROR * scale) {
                if (axis != NULL) {
                    tact_vec3 n = vec_cross(half_a[i], half_b[j]);
                    *axis = along < 0.0 ? vec_negate(n) : n;
                }
                return SAT_SEPARATED;
            }
            if (gap < -SAT_OVERLAP_ERROR * scale)
                continue;
            /* Undecided along this axis. If the edges are parallel, and the edge of B to no other, then turning it onto
             * that of A removes the axis and changes the others by less than SAT_OVERLAP_ERROR. */
            if (one_norm(vec_cross(half_a[i], half_b[j])) <= SAT_PARALLEL * f.size_a[i] * f.size_b[j] &&
                parallels[j] == 0)
                parallels[j] = 1;
            else
                end = SAT_UNDECIDED;
        }
    }
    return end;
}

tact_vec3 tact_sat_normal(tact_vec3 a, tact_vec3 b)
{
    /* Gram-Schmidt, twice. The part q of b perpendicular to a is known to within u |b|, so its error out of
     * the plane of a and b is u |b| / |q|. The normal p x q is then perpendicular to b to within |q| times that: u |b|.
     */
    tact_vec3 p = vec_normalize(a);
    b = vec_normalize(b);
    tact_vec3 q = vec_mul_add(b, -vec_dot(p, b), p);
    if (!(vec_max_abs(q) > SAT_NORMAL_PARALLEL))
        return vec_make(0.0, 0.0, 0.0);
    q = vec_normalize(q);
    q = vec_mul_add(q, -vec_dot(p, q), p);
    return vec_normalize(vec_cross(p, q));
}

/* The overlap along the unit vector n, measured with all half axes (none is taken to be perpendicular). Turns n from A
 * to B. */
static double overlap_along(tact_vec3 offset, const tact_vec3 a[3], const tact_vec3 b[3], tact_vec3 *n)
{
    double along = vec_dot(*n, offset);
    if (along < 0.0) {
        *n = vec_negate(*n);
        along = -along;
    }
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += fabs(vec_dot(*n, a[i])) + fabs(vec_dot(*n, b[i]));
    return sum - along;
}

bool tact_sat_depth(tact_vec3 offset, const tact_vec3 half_a[3], const tact_vec3 half_b[3], sat_depth *result)
{
    double total = one_norm(offset);
    double size_a[3], size_b[3], m[3][3], n[3][3];
    for (int i = 0; i < 3; i++) {
        size_a[i] = one_norm(half_a[i]);
        size_b[i] = one_norm(half_b[i]);
        total += size_a[i] + size_b[i];
    }
    if (!(total < SAT_MAX_SIZE))
        return false;

    /* The faces: at most six, all evaluated exactly. */
    bool known = false;
    for (int side = 0; side < 2; side++) {
        const tact_vec3 *own = side == 0 ? half_a : half_b, *other = side == 0 ? half_b : half_a;
        const double *size = side == 0 ? size_a : size_b;
        for (int i = 0; i < 3; i++) {
            double product = size[NEXT[i]] * size[LAST[i]];
            tact_vec3 normal = vec_cross(own[NEXT[i]], own[LAST[i]]);
            for (int j = 0; j < 3; j++)
                (side == 0 ? m : n)[i][j] = fabs(vec_dot(normal, other[j]));
            if (side == 0 && !(product * total > SAT_MIN_PRODUCT &&
                               fabs(vec_dot(normal, own[i])) > SAT_OVERLAP_ERROR * product * size[i]))
                return false; /* A is flat, or too small to compute with */
            if (!(product * total > SAT_MIN_PRODUCT))
                continue;
            double square = vec_length_squared(normal);
            if (square > SAT_WIDE_ANGLE * product * product)
                normal = vec_scale(normal, 1.0 / sqrt(square));
            else
                normal = tact_sat_normal(own[NEXT[i]], own[LAST[i]]);
            if (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0)
                continue;
            double depth = overlap_along(offset, half_a, half_b, &normal);
            if (!known || depth < result->depth) {
                known = true;
                *result = (sat_depth){depth, normal, side == 0 ? SAT_FACE_A : SAT_FACE_B, side == 0 ? i : -1,
                                      side == 0 ? -1 : i};
            }
        }
    }
    if (!known)
        return false;
    if (result->depth < -SAT_OVERLAP_ERROR * total)
        return true; /* separated: no edge axis is needed to know it */

    /* The edges: only those that could win, given the rounding of the triple products, are evaluated exactly. */
    double best = result->depth - SAT_TIE * fabs(result->depth) - SAT_TIE_ROUNDING * total;
    for (int i = 0; i < 3; i++) {
        tact_vec3 across = vec_cross(offset, half_a[i]);
        for (int j = 0; j < 3; j++) {
            double product = size_a[i] * size_b[j];
            if (!(product * total > SAT_MIN_PRODUCT))
                continue;
            tact_vec3 normal = vec_cross(half_a[i], half_b[j]);
            double sum = (m[NEXT[i]][j] + m[LAST[i]][j]) + (n[NEXT[j]][i] + n[LAST[j]][i]);
            double least = sum - fabs(vec_dot(across, half_b[j])) - SAT_SEPARATION_ERROR * product * total;
            double square = vec_length_squared(normal);
            /* least / |normal| >= best, without the root */
            if (least > 0.0 && (best <= 0.0 || least * least >= best * best * square))
                continue;
            normal = tact_sat_normal(half_a[i], half_b[j]);
            if (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0)
                continue;
            double depth = overlap_along(offset, half_a, half_b, &normal);
            if (depth < best) {
                best = depth;
                *result = (sat_depth){depth, normal, SAT_EDGES, i, j};
            }
        }
    }
    return true;
}
