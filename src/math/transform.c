/*
 * Affine transforms: construction, composition, inversion, validation.
 *
 * A transformed point is ((x X + y Y) + z Z) + origin, rounded as written, without fused multiply-add. All exact
 * predicates of the library are defined on these doubles.
 */
#include <stddef.h>
#include <tact/predicates.h>
#include <tact/transform.h>

#include "core/number.h"
#include "core/report.h"
#include "math/dd_vec.h"
#include "math/elementary.h"
#include "math/math_constants.h"
#include "math/vec.h"

/* The rotation matrix of a quaternion of any nonzero length; the zero matrix for a zero quaternion. */
static tact_transform rotation(tact_quat q)
{
    double largest = number_max(number_max(fabs(q.x), fabs(q.y)), number_max(fabs(q.z), fabs(q.w)));
    tact_transform m = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (!(largest > 0.0) || isinf(largest))
        return m;
    int exponent;
    (void)frexp(largest, &exponent); /* scaled so that squares neither overflow nor underflow */
    q = (tact_quat){ldexp(q.x, -exponent), ldexp(q.y, -exponent), ldexp(q.z, -exponent), ldexp(q.w, -exponent)};
    double s = 2.0 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    m.x_axis = vec_make(1.0 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z), s * (q.x * q.z - q.w * q.y));
    m.y_axis = vec_make(s * (q.x * q.y - q.w * q.z), 1.0 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.w * q.x));
    m.z_axis = vec_make(s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x), 1.0 - s * (q.x * q.x + q.y * q.y));
    return m;
}

/* Exact: a nearly singular transform is not singular. */
static bool is_singular(const tact_transform *m)
{
    return tact_orient3d(vec_make(0.0, 0.0, 0.0), m->x_axis, m->y_axis, m->z_axis) == 0;
}

/* Scales an axis by 2^-exponent to a largest component in [1/2, 1). Exact, except for components below 2^-1022 of it.
 */
static tact_vec3 scaled_axis(tact_vec3 axis, int *exponent)
{
    (void)frexp(vec_max_abs(axis), exponent);
    return vec_make(ldexp(axis.x, -*exponent), ldexp(axis.y, -*exponent), ldexp(axis.z, -*exponent));
}

static tact_vec3 vec_divide(tact_vec3 a, double d) { return vec_make(a.x / d, a.y / d, a.z / d); }

static tact_vec3 dd_vec_divide(dd_vec a, dd d)
{
    return vec_make(dd_div(a.x, d).high, dd_div(a.y, d).high, dd_div(a.z, d).high);
}

/* The rows of the inverse of [x y z]: y x z, z x x, x x y over the determinant. In double-doubles if that is small. */
static void inverse_rows(tact_vec3 x, tact_vec3 y, tact_vec3 z, tact_vec3 rows[3])
{
    tact_vec3 yz = vec_cross(y, z);
    double d = vec_dot(x, yz);
    if (fabs(d) >= TRANSFORM_WELL_CONDITIONED_DETERMINANT) {
        rows[0] = vec_divide(yz, d);
        rows[1] = vec_divide(vec_cross(z, x), d);
        rows[2] = vec_divide(vec_cross(x, y), d);
        return;
    }
    dd_vec px = dd_vec_make(x), py = dd_vec_make(y), pz = dd_vec_make(z), cross = dd_vec_cross(py, pz);
    dd determinant = dd_vec_dot(px, cross);
    rows[0] = dd_vec_divide(cross, determinant);
    rows[1] = dd_vec_divide(dd_vec_cross(pz, px), determinant);
    rows[2] = dd_vec_divide(dd_vec_cross(px, py), determinant);
}

tact_vec3 tact_vec(double x, double y, double z) { return vec_make(x, y, z); }

tact_quat tact_quat_from_axis_angle(tact_vec3 axis, double angle)
{
    tact_vec3 unit = vec_normalize(axis);
    const sine_cosine half = tact_sine_cosine(0.5 * angle);
    if (vec_length_squared(unit) == 0.0) /* no axis: the zero quaternion, which every query rejects */
        return (tact_quat){0.0, 0.0, 0.0, 0.0};
    return (tact_quat){unit.x * half.sine, unit.y * half.sine, unit.z * half.sine, half.cosine};
}

tact_transform tact_identity(void) { return tact_at(0.0, 0.0, 0.0); }

tact_transform tact_at(double x, double y, double z)
{
    return (tact_transform){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {x, y, z}};
}

tact_transform tact_transform_make(tact_vec3 translate, tact_quat rotate, tact_vec3 scale)
{
    tact_transform m = rotation(rotate);
    m.origin = translate;
    return tact_transform_scale(m, scale);
}

tact_transform tact_transform_from_matrix(const double matrix[16])
{
    if (matrix == NULL || matrix[3] != 0.0 || matrix[7] != 0.0 || matrix[11] != 0.0 || matrix[15] != 1.0)
        return (tact_transform){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return (tact_transform){{matrix[0], matrix[1], matrix[2]},
                            {matrix[4], matrix[5], matrix[6]},
                            {matrix[8], matrix[9], matrix[10]},
                            {matrix[12], matrix[13], matrix[14]}};
}

tact_transform tact_transform_from_matrixf(const float matrix[16])
{
    double wide[16];
    if (matrix == NULL)
        return tact_transform_from_matrix(NULL);
    for (int i = 0; i < 16; i++)
        wide[i] = (double)matrix[i];
    return tact_transform_from_matrix(wide);
}

void tact_transform_to_matrix(tact_transform transform, double matrix[16])
{
    const tact_vec3 columns[4] = {transform.x_axis, transform.y_axis, transform.z_axis, transform.origin};
    for (int i = 0; i < 4 && matrix != NULL; i++) {
        matrix[4 * i + 0] = columns[i].x;
        matrix[4 * i + 1] = columns[i].y;
        matrix[4 * i + 2] = columns[i].z;
        matrix[4 * i + 3] = i == 3 ? 1.0 : 0.0;
    }
}

void tact_transform_to_matrixf(tact_transform transform, float matrix[16])
{
    double wide[16];
    tact_transform_to_matrix(transform, wide);
    for (int i = 0; i < 16 && matrix != NULL; i++)
        matrix[i] = (float)wide[i];
}

tact_transform tact_transform_compose(tact_transform outer, tact_transform inner)
{
    return (tact_transform){vec_transform(&outer, inner.x_axis), vec_transform(&outer, inner.y_axis),
                            vec_transform(&outer, inner.z_axis), tact_transform_point(outer, inner.origin)};
}

tact_status tact_transform_check(const tact_transform *transform, tact_report *report)
{
    if (transform == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "transform is NULL");
    if (!vec_finite(transform->x_axis) || !vec_finite(transform->y_axis) || !vec_finite(transform->z_axis) ||
        !vec_finite(transform->origin))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "transform contains a NaN or an infinity");
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    if (vec_equal(transform->x_axis, zero) && vec_equal(transform->y_axis, zero) && vec_equal(transform->z_axis, zero))
        return tact_report_fill(
            report, TACT_BAD_ARGUMENT,
            "transform is singular, its axes are all zero: not set, made from a zero quaternion or scale, or from a "
            "matrix whose bottom row is not 0 0 0 1 (row-major?)");
    if (is_singular(transform))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "transform is singular: its axes are linearly dependent");
    return tact_report_clear(report);
}

tact_status tact_transform_invert(tact_transform transform, tact_transform *inverse)
{
    if (inverse == NULL || tact_transform_check(&transform, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    /* each axis is scaled by itself: extreme and very different scales neither overflow nor underflow */
    int ex, ey, ez;
    tact_vec3 x = scaled_axis(transform.x_axis, &ex), y = scaled_axis(transform.y_axis, &ey),
              z = scaled_axis(transform.z_axis, &ez), r[3];
    inverse_rows(x, y, z, r);
    tact_transform result;
    result.x_axis = vec_make(ldexp(r[0].x, -ex), ldexp(r[1].x, -ey), ldexp(r[2].x, -ez));
    result.y_axis = vec_make(ldexp(r[0].y, -ex), ldexp(r[1].y, -ey), ldexp(r[2].y, -ez));
    result.z_axis = vec_make(ldexp(r[0].z, -ex), ldexp(r[1].z, -ey), ldexp(r[2].z, -ez));
    result.origin = vec_negate(vec_transform(&result, transform.origin));
    if (tact_transform_check(&result, NULL) != TACT_OK) /* the inverse exceeds the range of doubles */
        return TACT_BAD_ARGUMENT;
    *inverse = result;
    return TACT_OK;
}

tact_status tact_transform_relative(tact_transform frame, tact_transform transform, tact_transform *relative)
{
    tact_transform inverse;
    if (relative == NULL || tact_transform_invert(frame, &inverse) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    /* the difference of the origins first: no cancellation far from the world's origin */
    inverse.origin = vec_make(0.0, 0.0, 0.0);
    transform.origin = vec_sub(transform.origin, frame.origin);
    *relative = tact_transform_compose(inverse, transform);
    return TACT_OK;
}

tact_transform tact_transform_translate(tact_transform transform, tact_vec3 step)
{
    transform.origin = vec_add(transform.origin, step);
    return transform;
}

tact_transform tact_transform_rotate(tact_transform transform, tact_quat rotate)
{
    tact_transform matrix = rotation(rotate);
    transform.x_axis = vec_transform(&matrix, transform.x_axis);
    transform.y_axis = vec_transform(&matrix, transform.y_axis);
    transform.z_axis = vec_transform(&matrix, transform.z_axis);
    return transform;
}

tact_transform tact_transform_scale(tact_transform transform, tact_vec3 scale)
{
    transform.x_axis = vec_scale(transform.x_axis, scale.x);
    transform.y_axis = vec_scale(transform.y_axis, scale.y);
    transform.z_axis = vec_scale(transform.z_axis, scale.z);
    return transform;
}

tact_vec3 tact_transform_point(tact_transform transform, tact_vec3 local)
{
    return vec_add(vec_transform(&transform, local), transform.origin);
}

tact_vec3 tact_transform_vector(tact_transform transform, tact_vec3 local) { return vec_transform(&transform, local); }

double tact_transform_determinant(tact_transform transform)
{
    return vec_dot(transform.x_axis, vec_cross(transform.y_axis, transform.z_axis));
}
