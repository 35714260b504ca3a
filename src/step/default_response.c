/*
 * The default response: see step_response.h.
 *
 * With the weights w of the contact, points of A counted +w and those of B -w, the difference d(t) of the two points
 * that meet is linear in time, zero at the contact, and d(1) = -d(0) (1 - t) / t. Along a unit vector n with n . d(0)
 * > 0 the gap falls from g0 = n . d(0) to g1 = n . d(1) < 0; wanted is a gap of min(g0, thickness) at the end. An
 * impulse l n at the contact, shared by weights and inverse masses m, moves the ends by m w l n and the gap by l (sum
 * of m w^2): that gives l. Momentum is kept, and where g0 is less than the thickness the relative normal velocity
 * becomes 0: inelastic. Friction (Coulomb) takes away of the relative displacement across n no more than `friction`
 * times what the normal impulse gave along it.
 */
#include "step/default_response.h"

#include "math/vec.h"

/* How much of the thickness two features that are nearer come back in a step: all at once would throw thin cloth
 * apart, as it does with springs. */
#define RECOVERY 0.25

/* Of |d(0)|: a normal that lies across it by more than this tells nothing about the side on which the features began.
 * */
#define SLANT 1e-6

static void signed_weights(const step_hit *hit, double w[4])
{
    const int first = hit->kind == TACT_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k)
        w[k] = k < first ? hit->ccd.weights[k] : -hit->ccd.weights[k];
}

static tact_vec3 difference(const double w[4], const tact_vec3 p[4])
{
    /* from one of the points, so that large coordinates do not drown a small difference: the weights sum up to 0 */
    tact_vec3 d = {0.0, 0.0, 0.0};
    for (int k = 1; k < 4; ++k)
        d = vec_mul_add(d, w[k], vec_sub(p[k], p[0]));
    return d;
}

/* Changes the ends so that the gap along n at the end, `gap` now, becomes `wanted`. */
static bool apply(const step_response_params *push, const double w[4], tact_vec3 n, double gap, double wanted,
                  const tact_vec3 from[4], const double inverse[4], tact_vec3 to[4])
{
    double sum = 0.0;
    for (int k = 0; k < 4; ++k)
        sum += inverse[k] * w[k] * w[k];
    const double more = wanted - gap;
    if (!(sum > 0.0) || !(more > 0.0))
        return false;
    tact_vec3 change = vec_scale(n, more);
    if (push->friction > 0.0) {
        tact_vec3 slip = vec_sub(difference(w, to), difference(w, from));
        slip = vec_mul_add(slip, -vec_dot(n, slip), n);
        const double length = vec_length_safe(slip), most = push->friction * more;
        if (length > 0.0)
            change = vec_mul_add(change, -(length > most ? most / length : 1.0), slip);
    }
    for (int k = 0; k < 4; ++k)
        to[k] = vec_mul_add(to[k], inverse[k] * w[k] / sum, change);
    return true;
}

bool tact_step_respond_contact(const step_response_params *push, const step_hit *hit, const tact_vec3 from[4],
                               const double inverse[4], tact_vec3 to[4])
{
    double w[4];
    signed_weights(hit, w);
    const tact_vec3 d = difference(w, from);
    tact_vec3 n = hit->ccd.normal;
    double gap = vec_dot(n, d);
    if (gap < 0.0) {
        n = vec_negate(n);
        gap = -gap;
    }
    if (hit->element != 0) { /* all of an obstacle that is met as a shape is behind its normal, at both ends */
        n = vec_negate(hit->ccd.normal);
        gap = max_double(vec_dot(n, d), 0.0);
    } else if (hit->ccd.degenerate || !(gap > SLANT * vec_length_safe(d))) {
        n = vec_normalize(d); /* no normal, or they slide along each other: back where they came from */
        gap = vec_length_safe(d);
    }
    if (vec_max_abs(n) == 0.0)
        return false; /* they touch all the time, as far as can be told from rounded weights */
    double wanted = gap < push->thickness ? gap : push->thickness;
    wanted = max_double(wanted, hit->element != 0 ? push->shape_min_gap : push->min_gap);
    const double end = vec_dot(n, difference(w, to));
    return end < STEP_GAP_KEPT * wanted && apply(push, w, n, end, wanted, from, inverse, to);
}

/* Pushes what is near to `wanted` if its gap at the end is less than `enough`. */
static bool push_to(const step_response_params *push, const step_hit *hit, double wanted, double enough,
                    const tact_vec3 from[4], const double inverse[4], tact_vec3 to[4])
{
    if (hit->ccd.degenerate)
        return false;
    double w[4];
    signed_weights(hit, w);
    const tact_vec3 n = vec_negate(hit->ccd.normal); /* from B to A */
    const double end = vec_dot(n, difference(w, to));
    return end < enough && apply(push, w, n, end, wanted, from, inverse, to);
}

bool tact_step_respond_proximity(const step_response_params *push, const step_hit *hit, const tact_vec3 from[4],
                                 const double inverse[4], tact_vec3 to[4])
{
    double wanted = hit->distance + RECOVERY * push->thickness;
    wanted = wanted < push->thickness ? wanted : push->thickness;
    return push_to(push, hit, wanted, wanted, from, inverse, to);
}

bool tact_step_keep_distance(const step_response_params *push, const step_hit *hit, const tact_vec3 from[4],
                             const double inverse[4], tact_vec3 to[4])
{
    return push_to(push, hit, hit->distance, STEP_GAP_KEPT * hit->distance, from, inverse, to);
}
