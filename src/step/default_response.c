/*
 * The default response: see the header.
 *
 * With the weights w of the contact, +w for points of A and -w for those of B, the difference d(t) of the two contact
 * points is linear in time and zero at the contact, so d(1) = -d(0) (1 - t) / t. Along a unit vector n with n . d(0) >
 * 0 the gap falls from g0 = n . d(0) to g1 = n . d(1) < 0. The target is a gap of min(g0, thickness) at the end. An
 * impulse l n at the contact, distributed by weights and inverse masses m, moves the end positions by m w l n and the
 * gap by l (sum of m w^2), which gives l. Momentum is conserved, and where g0 is less than the thickness the relative
 * normal velocity becomes 0: inelastic. Coulomb friction removes from the relative displacement across n at most
 * `friction` times what the normal impulse added along it.
 */
#include "step/default_response.h"

#include "math/vec.h"
#include "step/step_constants.h"

static void signed_weights(const step_hit *hit, double w[4])
{
    const int first = hit->kind == TACT_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k)
        w[k] = k < first ? hit->ccd.weights[k] : -hit->ccd.weights[k];
}

static tact_vec3 difference(const double w[4], const tact_vec3 p[4])
{
    /* relative to one of the points, so that large coordinates do not drown a small difference: the weights sum to 0 */
    tact_vec3 d = {0.0, 0.0, 0.0};
    for (int k = 1; k < 4; ++k)
        d = vec_mul_add(d, w[k], vec_sub(p[k], p[0]));
    return d;
}

/* Changes the end positions so that the gap along n at the end becomes `target`; it is `gap` before. */
static bool apply(const step_response_params *params, const double w[4], tact_vec3 n, double gap, double target,
                  const tact_vec3 from[4], const double inverse_mass[4], tact_vec3 to[4])
{
    double sum = 0.0;
    for (int k = 0; k < 4; ++k)
        sum += inverse_mass[k] * w[k] * w[k];
    const double missing = target - gap;
    if (!(sum > 0.0) || !(missing > 0.0))
        return false;
    tact_vec3 change = vec_scale(n, missing);
    if (params->friction > 0.0) {
        tact_vec3 slip = vec_sub(difference(w, to), difference(w, from));
        slip = vec_mul_add(slip, -vec_dot(n, slip), n);
        const double length = vec_length_safe(slip), most = params->friction * missing;
        if (length > 0.0)
            change = vec_mul_add(change, -(length > most ? most / length : 1.0), slip);
    }
    for (int k = 0; k < 4; ++k)
        to[k] = vec_mul_add(to[k], inverse_mass[k] * w[k] / sum, change);
    return true;
}

bool tact_step_respond_contact(const step_response_params *params, const step_hit *hit, const tact_vec3 from[4],
                               const double inverse_mass[4], tact_vec3 to[4])
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
    if (hit->element != 0) { /* all of an obstacle that is tested as a shape is behind its normal, at both ends */
        n = vec_negate(hit->ccd.normal);
        gap = max_double(vec_dot(n, d), 0.0);
    } else if (hit->ccd.degenerate || !(gap > STEP_MIN_NORMAL_COMPONENT * vec_length_safe(d))) {
        n = vec_normalize(d); /* no normal, or they slide along each other: back where they came from */
        gap = vec_length_safe(d);
    }
    if (vec_max_abs(n) == 0.0)
        return false; /* they touch all the time, within the rounding of the weights */
    double target = gap < params->thickness ? gap : params->thickness;
    target = max_double(target, hit->element != 0 ? params->shape_min_gap : params->min_gap);
    const double end = vec_dot(n, difference(w, to));
    return end < STEP_GAP_KEPT * target && apply(params, w, n, end, target, from, inverse_mass, to);
}

/* Pushes a proximity apart to `target` if its gap at the end is less than `sufficient`. */
static bool push_to(const step_response_params *params, const step_hit *hit, double target, double sufficient,
                    const tact_vec3 from[4], const double inverse_mass[4], tact_vec3 to[4])
{
    if (hit->ccd.degenerate)
        return false;
    double w[4];
    signed_weights(hit, w);
    const tact_vec3 n = vec_negate(hit->ccd.normal); /* from B to A */
    const double end = vec_dot(n, difference(w, to));
    return end < sufficient && apply(params, w, n, end, target, from, inverse_mass, to);
}

bool tact_step_respond_proximity(const step_response_params *params, const step_hit *hit, const tact_vec3 from[4],
                                 const double inverse_mass[4], tact_vec3 to[4])
{
    double target = hit->distance + STEP_RECOVERY * params->thickness;
    target = target < params->thickness ? target : params->thickness;
    return push_to(params, hit, target, target, from, inverse_mass, to);
}

bool tact_step_keep_distance(const step_response_params *params, const step_hit *hit, const tact_vec3 from[4],
                             const double inverse_mass[4], tact_vec3 to[4])
{
    return push_to(params, hit, hit->distance, STEP_GAP_KEPT * hit->distance, from, inverse_mass, to);
}
