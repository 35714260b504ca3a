/*
 * Placements: affine maps made, composed, inverted and checked.
 *
 * A placed point is ((p X + q Y) + r Z) + origin, rounded as written, no fused multiply-add: every exact predicate of the
 * library speaks of these doubles.
 */
#include <stddef.h>
#include <tact/placement.h>
#include <tact/predicates.h>

#include "core/report.h"
#include "math/dd_vec.h"
#include "math/vec.h"

tact_vec3 tact_vec(double x, double y, double z) { return vec_make(x, y, z); }

tact_quat tact_quat_turn(tact_vec3 axis, double angle)
{
    tact_vec3 unit = vec_unit(axis);
    double s = sin(0.5 * angle);
    if (vec_square(unit) == 0.0) /* no axis, no rotation: the zero quaternion, which every query refuses */
        return (tact_quat){0.0, 0.0, 0.0, 0.0};
    return (tact_quat){unit.x * s, unit.y * s, unit.z * s, cos(0.5 * angle)};
}

tact_placement tact_identity(void) { return tact_at(0.0, 0.0, 0.0); }

tact_placement tact_at(double x, double y, double z)
{
    return (tact_placement){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {x, y, z}};
}

/* The rotation matrix of a quaternion of any length but zero, which gives a singular one. */
static tact_placement rotation(tact_quat q)
{
    double largest = fmax(fmax(fabs(q.x), fabs(q.y)), fmax(fabs(q.z), fabs(q.w)));
    tact_placement m = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (!(largest > 0.0) || isinf(largest))
        return m;
    int exponent;
    (void)frexp(largest, &exponent); /* so that squares neither overflow nor vanish */
    q = (tact_quat){ldexp(q.x, -exponent), ldexp(q.y, -exponent), ldexp(q.z, -exponent), ldexp(q.w, -exponent)};
    double s = 2.0 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    m.x_axis = vec_make(1.0 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z), s * (q.x * q.z - q.w * q.y));
    m.y_axis = vec_make(s * (q.x * q.y - q.w * q.z), 1.0 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.w * q.x));
    m.z_axis = vec_make(s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x), 1.0 - s * (q.x * q.x + q.y * q.y));
    return m;
}

tact_placement tact_place(tact_vec3 translate, tact_quat rotate, tact_vec3 scale)
{
    tact_placement m = rotation(rotate);
    m.origin = translate;
    return tact_placement_scale(m, scale);
}

tact_placement tact_placement_from_matrix(const double matrix[16])
{
    if (matrix == NULL || matrix[3] != 0.0 || matrix[7] != 0.0 || matrix[11] != 0.0 || matrix[15] != 1.0)
        return (tact_placement){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return (tact_placement){{matrix[0], matrix[1], matrix[2]},
                            {matrix[4], matrix[5], matrix[6]},
                            {matrix[8], matrix[9], matrix[10]},
                            {matrix[12], matrix[13], matrix[14]}};
}

tact_placement tact_placement_from_matrixf(const float matrix[16])
{
    double wide[16];
    if (matrix == NULL)
        return tact_placement_from_matrix(NULL);
    for (int i = 0; i < 16; i++)
        wide[i] = (double)matrix[i];
    return tact_placement_from_matrix(wide);
}

void tact_placement_to_matrix(tact_placement placement, double matrix[16])
{
    const tact_vec3 columns[4] = {placement.x_axis, placement.y_axis, placement.z_axis, placement.origin};
    for (int i = 0; i < 4 && matrix != NULL; i++) {
        matrix[4 * i + 0] = columns[i].x;
        matrix[4 * i + 1] = columns[i].y;
        matrix[4 * i + 2] = columns[i].z;
        matrix[4 * i + 3] = i == 3 ? 1.0 : 0.0;
    }
}

void tact_placement_to_matrixf(tact_placement placement, float matrix[16])
{
    double wide[16];
    tact_placement_to_matrix(placement, wide);
    for (int i = 0; i < 16 && matrix != NULL; i++)
        matrix[i] = (float)wide[i];
}

tact_placement tact_placement_compose(tact_placement outer, tact_placement inner)
{
    return (tact_placement){vec_map(&outer, inner.x_axis), vec_map(&outer, inner.y_axis), vec_map(&outer, inner.z_axis),
                            tact_placement_point(outer, inner.origin)};
}

/* Exactly: a needle is not singular, nor is a map that nearly flattens space. */
static bool singular(const tact_placement *m)
{
    return tact_orient3d(vec_make(0.0, 0.0, 0.0), m->x_axis, m->y_axis, m->z_axis) == 0;
}

tact_status tact_placement_check(const tact_placement *placement, tact_report *report)
{
    if (placement == NULL)
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "placement is NULL");
    if (!vec_finite(placement->x_axis) || !vec_finite(placement->y_axis) || !vec_finite(placement->z_axis) ||
        !vec_finite(placement->origin))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "placement holds a NaN or an infinity");
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    if (vec_equal(placement->x_axis, zero) && vec_equal(placement->y_axis, zero) && vec_equal(placement->z_axis, zero))
        return tact_report_fill(
            report, TACT_BAD_ARGUMENT,
            "placement is singular, its axes are all zero: not set, from a zero quaternion or scale, or from a matrix "
            "whose bottom row is not 0 0 0 1 (row after row?)");
    if (singular(placement))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "placement is singular: it flattens space");
    return tact_report_clear(report);
}

/* Brings an axis to about 1 by a power of two, exactly (but for what is 2^-1022 of it), and says which. */
static tact_vec3 normal_axis(tact_vec3 axis, int *exponent)
{
    (void)frexp(vec_largest(axis), exponent);
    return vec_make(ldexp(axis.x, -*exponent), ldexp(axis.y, -*exponent), ldexp(axis.z, -*exponent));
}

/* No unit. Axes at right angles, brought to 1/2 or more, have a determinant of at least 1/8; where it is smaller, cancellation has begun to eat digits. */
#define WELL_SHAPED 0.1

static tact_vec3 vec_divide(tact_vec3 a, double d) { return vec_make(a.x / d, a.y / d, a.z / d); }

static tact_vec3 pair_vec_divide(pair_vec a, pair d)
{
    return vec_make(pair_divide(a.x, d).high, pair_divide(a.y, d).high, pair_divide(a.z, d).high);
}

/* The rows of the inverse of [x y z]: y*z, z*x, x*y over the determinant; where that is small, in pairs of doubles. */
static void inverse_rows(tact_vec3 x, tact_vec3 y, tact_vec3 z, tact_vec3 rows[3])
{
    tact_vec3 yz = vec_cross(y, z);
    double d = vec_dot(x, yz);
    if (fabs(d) >= WELL_SHAPED) {
        rows[0] = vec_divide(yz, d);
        rows[1] = vec_divide(vec_cross(z, x), d);
        rows[2] = vec_divide(vec_cross(x, y), d);
        return;
    }
    pair_vec px = pair_vec_of(x), py = pair_vec_of(y), pz = pair_vec_of(z), cross = pair_vec_cross(py, pz);
    pair determinant = pair_vec_dot(px, cross);
    rows[0] = pair_vec_divide(cross, determinant);
    rows[1] = pair_vec_divide(pair_vec_cross(pz, px), determinant);
    rows[2] = pair_vec_divide(pair_vec_cross(px, py), determinant);
}

tact_status tact_placement_invert(tact_placement placement, tact_placement *inverse)
{
    if (inverse == NULL || tact_placement_check(&placement, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    /* Each axis by itself is brought to 1: needles and scales far from 1 neither overflow nor vanish. */
    int ex, ey, ez;
    tact_vec3 x = normal_axis(placement.x_axis, &ex), y = normal_axis(placement.y_axis, &ey),
              z = normal_axis(placement.z_axis, &ez), r[3];
    inverse_rows(x, y, z, r);
    tact_placement result;
    result.x_axis = vec_make(ldexp(r[0].x, -ex), ldexp(r[1].x, -ey), ldexp(r[2].x, -ez));
    result.y_axis = vec_make(ldexp(r[0].y, -ex), ldexp(r[1].y, -ey), ldexp(r[2].y, -ez));
    result.z_axis = vec_make(ldexp(r[0].z, -ex), ldexp(r[1].z, -ey), ldexp(r[2].z, -ez));
    result.origin = vec_negate(vec_map(&result, placement.origin));
    if (tact_placement_check(&result, NULL) != TACT_OK) /* the inverse is out of the range of doubles */
        return TACT_BAD_ARGUMENT;
    *inverse = result;
    return TACT_OK;
}

tact_status tact_placement_relative(tact_placement frame, tact_placement placement, tact_placement *relative)
{
    tact_placement inverse;
    if (relative == NULL || tact_placement_invert(frame, &inverse) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    /* The difference of the origins first: far from the world's origin nothing is lost. */
    inverse.origin = vec_make(0.0, 0.0, 0.0);
    placement.origin = vec_sub(placement.origin, frame.origin);
    *relative = tact_placement_compose(inverse, placement);
    return TACT_OK;
}

tact_placement tact_placement_translate(tact_placement placement, tact_vec3 step)
{
    placement.origin = vec_add(placement.origin, step);
    return placement;
}

tact_placement tact_placement_rotate(tact_placement placement, tact_quat rotate)
{
    tact_placement turn = rotation(rotate);
    placement.x_axis = vec_map(&turn, placement.x_axis);
    placement.y_axis = vec_map(&turn, placement.y_axis);
    placement.z_axis = vec_map(&turn, placement.z_axis);
    return placement;
}

tact_placement tact_placement_scale(tact_placement placement, tact_vec3 scale)
{
    placement.x_axis = vec_scale(placement.x_axis, scale.x);
    placement.y_axis = vec_scale(placement.y_axis, scale.y);
    placement.z_axis = vec_scale(placement.z_axis, scale.z);
    return placement;
}

tact_vec3 tact_placement_point(tact_placement placement, tact_vec3 local)
{
    return vec_add(vec_map(&placement, local), placement.origin);
}

tact_vec3 tact_placement_vector(tact_placement placement, tact_vec3 local) { return vec_map(&placement, local); }

double tact_placement_determinant(tact_placement placement)
{
    return vec_dot(placement.x_axis, vec_cross(placement.y_axis, placement.z_axis));
}
