#include "states_file.h"

#include <float.h>
#include <math.h>
#include <tact/math.h>

static double without_sign_of_zero(double x) { return x == 0.0 ? 0.0 : x; } /* -0 is printed as 0 */

/*
 * The transform is R S with S diagonal, in general R U with U upper triangular (a matrix that shears), where R is a
 * rotation. Gram and Schmidt find R; its first two axes have the signs of the scale, and the third one follows.
 */
tact_quat tact_transform_rotation(const tact_transform *transform, tact_vec3 scale)
{
    const tact_vec3 x = tact_vec_scale(tact_vec_normalize(transform->x_axis), copysign(1.0, scale.x));
    const tact_vec3 unit = tact_vec_normalize(transform->y_axis);
    const tact_vec3 across = tact_vec_sub(unit, tact_vec_scale(x, tact_vec_dot(unit, x)));
    const tact_vec3 y = tact_vec_scale(tact_vec_normalize(across), copysign(1.0, scale.y));
    const tact_quat q = tact_quat_from_transform((tact_transform){x, y, tact_vec_cross(x, y), {0.0, 0.0, 0.0}});
    return q.w < 0.0 ? (tact_quat){-q.x, -q.y, -q.z, -q.w} : q;
}

void tact_states_write(FILE *out, const scene *s)
{
    (void)fprintf(out, "{\"t\":%.17g,\"bodies\":[", without_sign_of_zero(tact_world_get_time(s->world)));
    for (size_t i = 0; i < s->count; i++) {
        const scene_body *body = &s->bodies[i];
        const tact_transform at = tact_body_get_transform(s->world, body->body);
        const tact_quat q = tact_transform_rotation(&at, body->scale);
        (void)fprintf(out, "%s{\"name\":%s,\"translate\":[%.17g,%.17g,%.17g],\"rotate\":[%.17g,%.17g,%.17g,%.17g]}",
                      i > 0 ? "," : "", body->json_name, without_sign_of_zero(at.origin.x),
                      without_sign_of_zero(at.origin.y), without_sign_of_zero(at.origin.z), without_sign_of_zero(q.x),
                      without_sign_of_zero(q.y), without_sign_of_zero(q.z), without_sign_of_zero(q.w));
    }
    (void)fputs("]}\n", out);
}

double tact_sample_time(double index, double interval, double end)
{
    /* If the end is a multiple of the interval in decimals, the product of doubles differs from it by less than 2 ulps:
     * one of the conversions, one of the product. */
    const double time = index * interval;
    return time < end * (1.0 - 2.0 * DBL_EPSILON) ? time : end;
}
