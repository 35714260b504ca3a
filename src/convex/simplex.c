/*
 * The closest point of a simplex to the origin in double-double, slivers included.
 *
 * Guarantee: it finds, among all subsets of the points whose closest point lies inside the subset, the one closest
 * to the origin. The weights and the point are accurate to a few ulps, as long as no subset that matters is flatter
 * than SIMPLEX_FLAT of its size; then a smaller subset gives the same point up to rounding.
 *
 * This is a backup procedure. Van den Bergen 1999, section 4.4.4, leaves it out because the answer of the plain
 * subalgorithm "is negligibly worse". Near touch, and for full double accuracy, it is not. Cost: 0.2 to 0.8 us if the
 * guess is right, 0.3 to 3.5 us if every subset is tried (2 to 4 points).
 */
#include "convex/simplex.h"

#include "convex/convex_constants.h"
#include "convex/simplex_dd.h"
#include "math/fp_environment.h"

/* The closest point of the affine hull of the chosen points: Gram-Schmidt on the edges from the last one. False if they
 * are flat or the point is outside. With `least` 0 the points are doubles. */
static bool closest_in_subset(const dd_vec *w, const int *chosen, int count, double least, dd_vec *v, dd *weight)
{
    int last = count - 1;
    dd_vec edge[3], orthogonal[3];
    dd square[3], project[3][3], along[3];
    *v = w[chosen[last]];
    for (int i = 0; i < last; i++) {
        edge[i] = least > 0.0 ? dd_vec_sub(w[chosen[i]], w[chosen[last]])
                              : dd_vec_difference(dd_vec_to_vec3(w[chosen[last]]), dd_vec_to_vec3(w[chosen[i]]));
        dd full = dd_vec_dot(edge[i], edge[i]);
        orthogonal[i] = edge[i];
        for (int j = 0; j < i; j++) {
            project[i][j] = dd_div(dd_vec_dot(edge[i], orthogonal[j]), square[j]);
            orthogonal[i] = dd_vec_mul_add(orthogonal[i], dd_negate(project[i][j]), orthogonal[j]);
        }
        square[i] = dd_vec_dot(orthogonal[i], orthogonal[i]);
        if (!(square[i].high > max_double(least * least, least > 0.0 ? 0.0 : SIMPLEX_FLAT * SIMPLEX_FLAT * full.high)))
            return false;
        along[i] = dd_div(dd_negate(dd_vec_dot(*v, orthogonal[i])), square[i]);
        *v = dd_vec_mul_add(*v, along[i], orthogonal[i]);
    }
    /* Weights by back substitution: v = w_last + sum weight_i edge_i. */
    weight[last] = dd_make(1.0);
    for (int i = last - 1; i >= 0; i--) {
        weight[i] = along[i];
        for (int j = i + 1; j < last; j++)
            weight[i] = dd_sub(weight[i], dd_mul(weight[j], project[j][i]));
        if (!(weight[i].high > 0.0))
            return false;
        weight[last] = dd_sub(weight[last], weight[i]);
    }
    return weight[last].high > 0.0;
}

static int choose(unsigned mask, int chosen[4])
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (mask >> i & 1u)
            chosen[count++] = i;
    return count;
}

static void fill_solution(simplex_dd_solution *solution, unsigned mask, const int *chosen, int count, dd_vec v, dd vv,
                          const dd *weight)
{
    solution->mask = mask;
    solution->v = v;
    solution->vv = vv;
    for (int i = 0; i < 4; i++)
        solution->weight[i] = dd_make(0.0);
    for (int i = 0; i < count; i++)
        solution->weight[chosen[i]] = weight[i];
}

/* How much lower than v the lowest point is along v: zero, or rounding, if v is the closest point of all. */
static double shortfall(const dd_vec *w, int count, const dd_vec *v, dd vv)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = max_double(most, dd_sub(vv, dd_vec_dot(*v, w[i])).high);
    return vv.high > 0.0 ? most / sqrt(vv.high) : 0.0;
}

/* Compares two subsets whose closest points seem equally far: whether the new one is closer, or equal as far as
 * double-doubles can tell and with a smaller shortfall. A point far to the side of a short v turns it visibly, but
 * shortens it by less than rounding. */
static bool is_better(const dd_vec *w, int count, const dd_vec *v, dd vv, const simplex_dd_solution *best)
{
    double equal = 0.0, gain = dd_sub(dd_sqrt(best->vv), dd_sqrt(vv)).high;
    for (int i = 0; i < count; i++)
        equal = max_double(equal, SIMPLEX_EQUAL * vec_max_abs(dd_vec_to_vec3(w[i])));
    return gain > equal || (gain >= -equal && shortfall(w, count, v, vv) < shortfall(w, count, &best->v, best->vv));
}

/* Whether no point that was left out is lower than v along v: then v is the closest point of all. */
static bool is_closest(const dd_vec *w, int count, unsigned mask, const dd_vec *v, dd vv)
{
    for (int i = 0; i < count; i++)
        if (!(mask >> i & 1u) && dd_sub(dd_vec_dot(*v, w[i]), vv).high < 0.0)
            return false;
    return true;
}

void tact_simplex_solve_dd(const dd_vec *w, int count, unsigned guess, double least, simplex_dd_solution *solution)
{
    const dd_vec zero = dd_vec_make(vec_make(0.0, 0.0, 0.0));
    int chosen[4];
    dd_vec v;
    dd weight[4];
    int chosen_count = choose(guess, chosen);
    if (chosen_count > 0 && closest_in_subset(w, chosen, chosen_count, least, &v, weight)) {
        v = chosen_count == 4 ? zero : v;
        dd vv = dd_vec_dot(v, v);
        if (chosen_count == 4 || is_closest(w, count, guess, &v, vv)) {
            fill_solution(solution, guess, chosen, chosen_count, v, vv, weight);
            return;
        }
    }
    *solution = (simplex_dd_solution){w[0], {INFINITY, 0.0}, {{1.0, 0.0}}, 1}; /* the answer if no number is finite */
    for (unsigned mask = 1; mask < 1u << count; mask++) {
        chosen_count = choose(mask, chosen);
        if (!closest_in_subset(w, chosen, chosen_count, least, &v, weight))
            continue;
        v = chosen_count == 4 ? zero : v;
        dd vv = dd_vec_dot(v, v);
        if (vv.high > solution->vv.high * (1.0 + SIMPLEX_CLEAR)) /* the usual case */
            continue;
        if (vv.high < solution->vv.high * (1.0 - SIMPLEX_CLEAR) || is_better(w, count, &v, vv, solution))
            fill_solution(solution, mask, chosen, chosen_count, v, vv, weight);
    }
}

static TACT_NOINLINE void solve(const tact_vec3 *w, int count, unsigned guess, simplex_solution *solution)
{
    dd_vec points[4];
    simplex_dd_solution pairs;
    for (int i = 0; i < count; i++)
        points[i] = dd_vec_make(w[i]);
    tact_simplex_solve_dd(points, count, guess, 0.0, &pairs);
    solution->certain = true;
    solution->mask = pairs.mask;
    solution->v = vec_make(dd_to_double(pairs.v.x), dd_to_double(pairs.v.y), dd_to_double(pairs.v.z));
    for (int i = 0; i < 4; i++)
        solution->weight[i] = dd_to_double(pairs.weight[i]);
}

void tact_simplex_solve(const tact_vec3 *w, int count, unsigned guess, simplex_solution *solution)
{
    fp_environment before = fp_environment_enter(); /* double-doubles need rounding to nearest */
    solve(w, count, guess, solution);
    fp_environment_leave(before);
}
