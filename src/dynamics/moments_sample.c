/*
 * Moments of any convex shape, from its support function alone.
 *
 * The sphere of directions is divided into triangles; the support points of their vertices span triangles that make a
 * closed surface inscribed in the body, whose moments are sums of tetrahedra (divergence theorem). A triangle is
 * divided into four where the surface is too far from one of its edges, as seen at the support point of the edge's
 * middle direction. A divided triangle also adds the triangles between its edges and their midpoints: they close the
 * crack towards a neighbour that is not divided, and cancel with those of a neighbour that is. So recursion is all that
 * is needed: no lists, no memory. The midpoints of the remaining edges give a second surface, twice as fine, at no
 * cost. The error of a smooth patch goes with the square of its width, so 4/3 of the fine result less 1/3 of the coarse
 * one has an error of fourth order. Where the support point jumps (faces, edges and rims of the body) this gains
 * nothing: there triangles are divided further, to the square of the tolerance of smooth ones. They lie along curves,
 * which takes only the square root of as many.
 *
 * All is computed in coordinates in which the body is about equally wide in every direction, so needles and plates come
 * out as well as balls. A flat body is made a prism, whose moments give those of its base.
 *
 * Guarantee: none in the strict sense, as a function can do anything between its samples. The error is estimated from
 * the change since the last pass, with edges twice as long. In 240 random cases with known moments the true error was
 * at most 0.4 of the estimate (tests/dynamics/internal_mass.c). Cost: 10^4 to 10^6 support points.
 */
#include <float.h>

#include "core/number.h"
#include "dynamics/dynamics_constants.h"
#include "dynamics/moments.h"
#include "shape/convex.h"

typedef struct surface_sampler {
    const convex *body;
    tact_vec3 centre;    /* relative to the body's origin */
    tact_vec3 to[3];     /* rows of the map into sample coordinates; zero along flat axes */
    tact_vec3 from[3];   /* columns of the inverse map */
    bool thickened[3];   /* the body is flat along this axis, and is given a width of 2 */
    bool failed;         /* a support point was not finite */
    double smooth, jump; /* tolerances of the distance between surface and edge */
    long triangles, most;
    moment_sum coarse, fine, both; /* `both`: terms of either surface */
} surface_sampler;

/* A direction in sample coordinates, its support point, and its smooth piece of the surface. */
typedef struct support_sample {
    tact_vec3 n, p;
    uint64_t branch;
} support_sample;

static tact_vec3 rows_apply(const tact_vec3 *rows, tact_vec3 a)
{
    return vec_make(vec_dot(rows[0], a), vec_dot(rows[1], a), vec_dot(rows[2], a));
}

static tact_vec3 columns_apply(const tact_vec3 *columns, tact_vec3 a)
{
    return vec_add(vec_add(vec_scale(columns[0], a.x), vec_scale(columns[1], a.y)), vec_scale(columns[2], a.z));
}

/* The support point of a direction. */
static support_sample take(surface_sampler *s, tact_vec3 n)
{
    support_sample r = {n, {0.0, 0.0, 0.0}, 0};
    tact_vec3 world = vec_normalize(columns_apply(s->to, n)); /* by the transposed map */
    if (vec_max_abs(world) > 0.0) {
        tact_vec3 p = vec_mul_add(tact_convex_support(s->body, world, &r.branch), s->body->margin, world);
        r.p = rows_apply(s->to, vec_sub(p, s->centre));
    }
    double *q[3] = {&r.p.x, &r.p.y, &r.p.z};
    const double m[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++) {
        if (s->thickened[i]) {
            *q[i] += m[i] < 0.0 ? -1.0 : 1.0;
            r.branch = r.branch * 8 + (m[i] < 0.0 ? 1 : 2);
        }
    }
    if (!vec_finite(r.p)) {
        s->failed = true;
        r.p = vec_make(0.0, 0.0, 0.0);
    }
    return r;
}

/* Samples the midpoint of an edge; returns whether the edge is too long. The same, bit for bit, with its ends swapped.
 *
 * Along the middle direction the surface is above the chord by the distance of its nearer end. If that is 0, one half
 * of the edge is a vertex or a straight line, and the other half is examined in the same way, until only a jump is left
 * that no curve can rise above. (Without this a cone comes out 3e-5 too light, however fine the triangles.) */
static bool examine_edge(surface_sampler *s, const support_sample *a, const support_sample *b, support_sample *middle)
{
    tact_vec3 n = vec_normalize(vec_add(a->n, b->n));
    if (vec_equal(a->p, b->p)) { /* so it is for all directions between */
        *middle = (support_sample){n, a->p, a->branch};
        return false;
    }
    *middle = take(s, n);
    if (vec_dot(a->n, b->n) < SAMPLE_LONGEST_EDGE)
        return true;
    if (vec_length_squared(vec_sub(a->n, b->n)) < SAMPLE_SHORTEST_EDGE)
        return false;
    support_sample low = *a, high = *b, m = *middle;
    for (bool whole = true;; whole = false) {
        double from_low = vec_dot(m.n, vec_sub(m.p, low.p)), from_high = vec_dot(m.n, vec_sub(m.p, high.p));
        double least = number_min(from_low, from_high), most = number_max(from_low, from_high);
        if (least > s->jump) {
            bool same = low.branch == high.branch && low.branch == m.branch;
            return !(whole && same && most <= SAMPLE_MAX_ASYMMETRY * least && least <= s->smooth);
        }
        if (!(most > s->jump) || !(vec_length_squared(vec_sub(low.n, high.n)) > s->jump))
            return false;
        *(from_low <= s->jump ? &low : &high) = m;
        m = take(s, vec_normalize(vec_add(low.n, high.n)));
    }
}

/* Divides a triangle into four, given the midpoints of the edges from vertex i to i + 1. */
static void divide(const support_sample t[3], const support_sample m[3], support_sample q[4][3])
{
    for (int i = 0; i < 3; i++) {
        q[i][0] = t[i];
        q[i][1] = m[i];
        q[i][2] = m[(i + 2) % 3];
        q[3][i] = m[i];
    }
}

/* The triangles between edges and their midpoints, oriented so that they close the crack towards the edge. */
static void add_closures(moment_sum *sum, const support_sample t[3], const support_sample m[3])
{
    for (int i = 0; i < 3; i++)
        moment_sum_add_tetrahedron(sum, t[i].p, t[(i + 1) % 3].p, m[i].p);
}

static void add_triangle(surface_sampler *s, const support_sample t[3])
{
    if (s->failed || ++s->triangles > s->most)
        return;
    if (vec_equal(t[0].p, t[1].p) && vec_equal(t[1].p, t[2].p))
        return; /* all directions of one vertex */
    support_sample m[3], q[4][3];
    bool too_long = false;
    for (int i = 0; i < 3; i++)
        too_long = examine_edge(s, &t[i], &t[(i + 1) % 3], &m[i]) || too_long;
    divide(t, m, q);
    if (too_long) {
        add_closures(&s->both, t, m);
        for (int i = 0; i < 4; i++)
            add_triangle(s, q[i]);
        return;
    }
    moment_sum_add_tetrahedron(&s->coarse, t[0].p, t[1].p, t[2].p);
    add_closures(&s->fine, t, m);
    for (int i = 0; i < 4; i++)
        moment_sum_add_tetrahedron(&s->fine, q[i][0].p, q[i][1].p, q[i][2].p);
}

/* One pass: from an octahedron of directions, rotated away from the symmetries of the body. */
static moment_sum run_pass(surface_sampler *s, double smooth)
{
    const tact_transform turned =
        tact_transform_make(vec_make(0.0, 0.0, 0.0), (tact_quat){0.31, -0.17, 0.23, 0.9}, vec_make(1.0, 1.0, 1.0));
    const tact_vec3 axis[3] = {turned.x_axis, turned.y_axis, turned.z_axis};
    const moment_sum zero = {0};
    s->smooth = smooth;
    s->jump = smooth * smooth;
    s->triangles = 0;
    s->coarse = s->fine = s->both = zero;
    for (int octant = 0; octant < 8; octant++) {
        support_sample t[3];
        for (int i = 0; i < 3; i++)
            t[i] = take(s, octant >> i & 1 ? vec_negate(axis[i]) : axis[i]);
        bool mirrored = (octant & 1) ^ (octant >> 1 & 1) ^ (octant >> 2 & 1);
        if (mirrored) {
            support_sample swap = t[0];
            t[0] = t[1];
            t[1] = swap;
        }
        add_triangle(s, t);
    }
    moment_sum r = s->both; /* + 4/3 fine - 1/3 coarse */
    r.measure += (4.0 * s->fine.measure - s->coarse.measure) / 3.0;
    r.first = vec_mul_add(vec_mul_add(r.first, 4.0 / 3.0, s->fine.first), -1.0 / 3.0, s->coarse.first);
    sym3_add(&r.second, 4.0 / 3.0, &s->fine.second);
    sym3_add(&r.second, -1.0 / 3.0, &s->coarse.second);
    return r;
}

/* Chooses coordinates in which the body is about equally wide along all axes: by the covariance of some support points,
 * and twice more by that of points found in the new coordinates, as the first may hardly resolve the thin directions.
 */
static void choose_coordinates(surface_sampler *s)
{
    for (int i = 0; i < 3; i++)
        s->to[i] = s->from[i] = vec_make(i == 0, i == 1, i == 2);
    for (int pass = 0; pass < 3; pass++) {
        /* the 26 directions with coordinates -1, 0, 1 */
        support_sample all[27];
        tact_vec3 mean = {0.0, 0.0, 0.0};
        int count = 0;
        double size = 0.0;
        for (int i = 0; i < 27; i++) {
            if (i == 13)
                continue;
            all[count] = take(s, vec_normalize(vec_make(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)));
            mean = vec_mul_add(mean, 1.0 / 26.0, all[count++].p);
        }
        for (int i = 0; i < count; i++)
            size = number_max(size, vec_max_abs(vec_sub(all[i].p, mean)));
        if (!(size > 0.0) || s->failed) /* the body is a point */
            size = 1.0;
        sym3 covariance = {0};
        for (int i = 0; i < count; i++)
            sym3_add_square(&covariance, 1.0, vec_scale(vec_sub(all[i].p, mean), 1.0 / size));
        double ignored[3], half[3], middle[3], widest = 0.0;
        tact_vec3 axes[3], to[3], from[3];
        tact_sym3_eigen(&covariance, ignored, axes);
        for (int i = 0; i < 3; i++) {
            double up = vec_dot(axes[i], take(s, axes[i]).p), down = vec_dot(axes[i], take(s, vec_negate(axes[i])).p);
            half[i] = 0.5 * (up - down);
            middle[i] = 0.5 * (up + down);
            widest = number_max(widest, half[i]);
        }
        bool narrow =
            !(half[0] > SAMPLE_FLAT * widest && half[1] > SAMPLE_FLAT * widest && half[2] > SAMPLE_FLAT * widest);
        if (pass > 0 && narrow)
            return; /* keep the coordinates so far: only those of the first pass have orthogonal axes */
        tact_vec3 shift = columns_apply(axes, vec_make(middle[0], middle[1], middle[2]));
        s->centre = vec_add(s->centre, columns_apply(s->from, shift));
        for (int i = 0; i < 3; i++) {
            s->thickened[i] = !(half[i] > SAMPLE_FLAT * widest);
            from[i] = columns_apply(s->from, axes[i]); /* the new axis, in the world */
            to[i] = columns_apply(s->to, axes[i]);     /* transposed */
            if (!s->thickened[i]) {
                from[i] = vec_scale(from[i], half[i]);
                to[i] = vec_scale(to[i], 1.0 / half[i]);
            } else {
                to[i] = vec_make(0.0, 0.0, 0.0);
            }
        }
        for (int i = 0; i < 3; i++) {
            s->to[i] = to[i];
            s->from[i] = from[i];
        }
        if (narrow)
            return;
    }
}

/* How far two results differ, relative to the measure and the size of the first. */
static double change(const moment_sum *a, const moment_sum *b)
{
    if (!(a->measure > 0.0) || !(b->measure > 0.0))
        return HUGE_VAL;
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    moments x = tact_moment_sum_end(a, 3, zero, 0), y = tact_moment_sum_end(b, 3, zero, 0);
    sym3 difference = x.covariance;
    sym3_add(&difference, -1.0, &y.covariance);
    double size = x.covariance.xx + x.covariance.yy + x.covariance.zz, covariance = sym3_max_abs(&difference);
    double centre = vec_length(vec_sub(x.centre, y.centre)) / sqrt(size);
    return number_max(fabs(1.0 - b->measure / a->measure), number_max(centre, covariance / size));
}

/* Row and column `axis` become 0. */
static void clear_axis(sym3 *s, int axis)
{
    *(axis == 0 ? &s->xx : axis == 1 ? &s->yy : &s->zz) = 0.0;
    *(axis == 2 ? &s->xz : &s->xy) = 0.0;
    *(axis == 0 ? &s->xz : &s->yz) = 0.0;
}

tact_status tact_moments_sampled(const tact_shape *shape, const tact_transform *at, moments *m)
{
    convex body;
    tact_status status = tact_convex_make(&body, shape, at);
    if (status != TACT_OK)
        return status;
    surface_sampler s = {.body = &body, .most = SAMPLE_FIRST_TRIANGLES};
    choose_coordinates(&s);
    moment_sum best = run_pass(&s, SAMPLE_FIRST_TOLERANCE);
    if (s.triangles > s.most) /* not the support function of a convex body */
        return TACT_BAD_ARGUMENT;
    double smooth = SAMPLE_FIRST_TOLERANCE, error = 1.0, before = 1.0;
    for (int pass = 1; pass < SAMPLE_MAX_PASSES && error > TACT_MASS_ACCURACY; pass++) {
        smooth *= 0.25;
        s.most = s.most < SAMPLE_MAX_TRIANGLES / 4 ? 4 * s.most : SAMPLE_MAX_TRIANGLES;
        moment_sum now = run_pass(&s, smooth);
        if (s.failed || s.triangles > s.most) /* the pass was abandoned */
            break;
        double changed = change(&now, &best);
        error = number_max(SAMPLE_ERROR_FACTOR * changed, SAMPLE_LAST_ERROR_FACTOR * before);
        before = changed;
        best = now;
    }
    if (s.failed || !(best.measure > 0.0))
        return TACT_BAD_ARGUMENT;
    int dimension = 3;
    for (int i = 0; i < 3; i++) /* remove the width of 2 again */
        dimension -= s.thickened[i];
    moments unit = tact_moment_sum_end(&best, 3, vec_make(0.0, 0.0, 0.0), 0);
    double *c[3] = {&unit.centre.x, &unit.centre.y, &unit.centre.z};
    for (int i = 0; i < 3; i++) {
        if (!s.thickened[i])
            continue;
        unit.measure *= 0.5;
        *c[i] = 0.0;
        clear_axis(&unit.covariance, i);
    }
    /* map back: flat axes have unit length, so that volumes become areas and lengths */
    tact_transform back = {s.from[0], s.from[1], s.from[2], vec_add(body.transform.origin, s.centre)};
    *m = tact_moments_transform(&unit, &back);
    m->dimension = dimension;
    if (dimension == 0)
        *m = (moments){.dimension = 0, .measure = 1.0, .centre = back.origin};
    m->error = number_min(number_max(error, DBL_EPSILON), 1.0);
    return error <= TACT_MASS_ACCURACY ? TACT_OK : TACT_NOT_CONVERGED;
}
