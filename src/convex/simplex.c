/*
 * The point of a simplex nearest to the origin, for slivers too.
 *
 * Guarantee: of all subsets of the points, the one whose affine hull's nearest point lies inside it and is nearest to
 * the origin, with weights and the point itself accurate to a few units in the last place as long as no subset that
 * matters is flatter than SIMPLEX_FLAT of its size (then a smaller subset gives the same point up to rounding).
 *
 * Seed 004, section 4.4.4, leaves out the backup procedure because the plain sub-algorithm's answer "is negligibly
 * worse"; for full double accuracy near touch it is not, so this is our backup procedure, in pairs of doubles. Cost:
 * 0.2 to 0.8 us when the guess is right, 0.3 to 3.5 us when every subset must be tried (2 to 4 points).
 */
#include "convex/simplex.h"

#include "convex/convex_constants.h"
#include "convex/simplex_dd.h"
#include "math/fp_environment.h"

/* The nearest point of the affine hull of the chosen points: Gram-Schmidt on the edges from the last one. False when
 * flat or outside. With `least` 0 the points are doubles. */
static bool nearest_in(const dd_vec *w, const int *chosen, int count, double least, dd_vec *v, dd *weight)
{
    int last = count - 1;
    dd_vec edge[3], square_root_free[3];
    dd square[3], project[3][3], along[3];
    *v = w[chosen[last]];
    for (int i = 0; i < last; i++) {
        edge[i] = least > 0.0 ? dd_vec_sub(w[chosen[i]], w[chosen[last]])
                              : dd_vec_difference(dd_vec_to_vec3(w[chosen[last]]), dd_vec_to_vec3(w[chosen[i]]));
        dd full = dd_vec_dot(edge[i], edge[i]);
        square_root_free[i] = edge[i];
        for (int j = 0; j < i; j++) {
            project[i][j] = dd_div(dd_vec_dot(edge[i], square_root_free[j]), square[j]);
            square_root_free[i] = dd_vec_mul_add(square_root_free[i], dd_negate(project[i][j]), square_root_free[j]);
        }
        square[i] = dd_vec_dot(square_root_free[i], square_root_free[i]);
        if (!(square[i].high > max_double(least * least, least > 0.0 ? 0.0 : SIMPLEX_FLAT * SIMPLEX_FLAT * full.high)))
            return false;
        along[i] = dd_div(dd_negate(dd_vec_dot(*v, square_root_free[i])), square[i]);
        *v = dd_vec_mul_add(*v, along[i], square_root_free[i]);
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

static void fill(simplex_dd_answer *answer, unsigned mask, const int *chosen, int count, dd_vec v, dd vv,
                 const dd *weight)
{
    answer->mask = mask;
    answer->v = v;
    answer->vv = vv;
    for (int i = 0; i < 4; i++)
        answer->weight[i] = dd_make(0.0);
    for (int i = 0; i < count; i++)
        answer->weight[chosen[i]] = weight[i];
}

/* How much lower than v the lowest of the points is along v: nothing, or rounding, if v is the nearest point of all. */
static double shortfall(const dd_vec *w, int count, const dd_vec *v, dd vv)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = max_double(most, dd_sub(vv, dd_vec_dot(*v, w[i])).high);
    return vv.high > 0.0 ? most / sqrt(vv.high) : 0.0;
}

/* Of two subsets whose nearest points seem equally far: whether the new one's is nearer, or equal as far as pairs of
 * doubles tell and proves more. For a point that is far beside a short v turns it visibly, but shortens it by less than
 * rounding. */
static bool proves_more(const dd_vec *w, int count, const dd_vec *v, dd vv, const simplex_dd_answer *best)
{
    double equal = 0.0, gain = dd_sub(dd_sqrt(best->vv), dd_sqrt(vv)).high;
    for (int i = 0; i < count; i++)
        equal = max_double(equal, SIMPLEX_EQUAL * vec_max_abs(dd_vec_to_vec3(w[i])));
    return gain > equal || (gain >= -equal && shortfall(w, count, v, vv) < shortfall(w, count, &best->v, best->vv));
}

/* Whether no point that was left out is nearer than v along v: then v is the nearest point of all. */
static bool proves(const dd_vec *w, int count, unsigned mask, const dd_vec *v, dd vv)
{
    for (int i = 0; i < count; i++)
        if (!(mask >> i & 1u) && dd_sub(dd_vec_dot(*v, w[i]), vv).high < 0.0)
            return false;
    return true;
}

void tact_simplex_solve_pairs(const dd_vec *w, int count, unsigned guess, double least, simplex_dd_answer *answer)
{
    const dd_vec zero = dd_vec_make(vec_make(0.0, 0.0, 0.0));
    int chosen[4];
    dd_vec v;
    dd weight[4];
    int chosen_count = choose(guess, chosen);
    if (chosen_count > 0 && nearest_in(w, chosen, chosen_count, least, &v, weight)) {
        v = chosen_count == 4 ? zero : v;
        dd vv = dd_vec_dot(v, v);
        if (chosen_count == 4 || proves(w, count, guess, &v, vv)) {
            fill(answer, guess, chosen, chosen_count, v, vv, weight);
            return;
        }
    }
    *answer = (simplex_dd_answer){w[0], {INFINITY, 0.0}, {{1.0, 0.0}}, 1}; /* what stays if no number is finite */
    for (unsigned mask = 1; mask < 1u << count; mask++) {
        chosen_count = choose(mask, chosen);
        if (!nearest_in(w, chosen, chosen_count, least, &v, weight))
            continue;
        v = chosen_count == 4 ? zero : v;
        dd vv = dd_vec_dot(v, v);
        if (vv.high > answer->vv.high * (1.0 + SIMPLEX_CLEAR)) /* mostly */
            continue;
        if (vv.high < answer->vv.high * (1.0 - SIMPLEX_CLEAR) || proves_more(w, count, &v, vv, answer))
            fill(answer, mask, chosen, chosen_count, v, vv, weight);
    }
}

static TACT_NOINLINE void solve(const tact_vec3 *w, int count, unsigned guess, simplex_answer *answer)
{
    dd_vec points[4];
    simplex_dd_answer pairs;
    for (int i = 0; i < count; i++)
        points[i] = dd_vec_make(w[i]);
    tact_simplex_solve_pairs(points, count, guess, 0.0, &pairs);
    answer->sure = true;
    answer->mask = pairs.mask;
    answer->v = vec_make(dd_to_double(pairs.v.x), dd_to_double(pairs.v.y), dd_to_double(pairs.v.z));
    for (int i = 0; i < 4; i++)
        answer->weight[i] = dd_to_double(pairs.weight[i]);
}

void tact_simplex_solve(const tact_vec3 *w, int count, unsigned guess, simplex_answer *answer)
{
    fp_environment before = fp_environment_enter(); /* pairs need rounding to nearest */
    solve(w, count, guess, answer);
    fp_environment_leave(before);
}
