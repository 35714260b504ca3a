/*
 * The boxes of bodies: fitted, or of fixed size.
 *
 * Fitted: tact_shape_bounds, rounded outward to floats: six support points. That of a large mesh is found by its tree,
 * which takes a few microseconds instead of looking at every corner, and is up to FIT_SPARE larger.
 *
 * Fixed (SOLID 1): a cube around the origin of the placed shape, large enough for every rotation, so that only the
 * stretch of a placement counts. Its half size is s r + m, with r the reach of the shape about its origin, m its
 * margin, and s a bound of the largest singular value of the placement's linear part M: the square root of the largest
 * row sum of |M^T M| (Gershgorin), which is s itself for rotations and uniform scales. r is exact for points and balls,
 * else that of the box around the shape, at most sqrt 3 times too large.
 */
#include "world/body_bounds.h"

#include <math.h>

#include "math/vec.h"
#include "shape/complex_support.h"
#include "shape/compound.h"
#include "shape/mesh.h"

#define LARGEST 1e150       /* coordinate: as query.h says */
#define SLACK (1.0 + 1e-14) /* factor: more than the roundings of the few operations below */
#define FIT_CORNERS 512u    /* corners of a mesh from which on its tree is faster than looking at each */
#define FIT_SPARE 1e-6      /* of the longest side: some steps of the floats that boxes are */
#define CORNER_ROOM 64      /* points that are looked at one by one, on the stack */

tact_status tact_body_bounding_radius(const tact_shape *shape, double *reach)
{
    tact_bounds around;
    if (shape->mesh != NULL && !shape_is_empty(shape)) {
        *reach = shape->bounding_radius * SLACK;
        return TACT_OK;
    }
    if (tact_shape_bounds(shape, tact_identity(), &around) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    double margin = tact_shape_get_margin(shape), r = 0.0;
    tact_vec3 corners[CORNER_ROOM];
    size_t count = tact_shape_get_points(shape, corners, CORNER_ROOM);
    tact_vec3 most = vec_make(max_double(-around.min.x, around.max.x), max_double(-around.min.y, around.max.y),
                              max_double(-around.min.z, around.max.z));
    tact_shape_type type = tact_shape_get_type(shape);
    if (count > 0 && count <= CORNER_ROOM)
        for (size_t i = 0; i < count; ++i)
            r = max_double(r, vec_length_safe(corners[i]));
    else if (type == TACT_SPHERE || type == TACT_ELLIPSOID || type == TACT_CAPSULE)
        r = vec_max_abs(most) - margin;
    else
        r = vec_length_safe(vec_make(max_double(most.x - margin, 0.0), max_double(most.y - margin, 0.0),
                                     max_double(most.z - margin, 0.0)));
    /* the margin was part of the box: what its subtraction rounds off is a part of the box, not of the difference */
    *reach = max_double(r, 0.0) * SLACK + vec_max_abs(most) * (SLACK - 1.0);
    return TACT_OK;
}

/* A bound of the largest factor by which a placement stretches. Scaled so that squares neither overflow nor vanish. */
static double stretch(const tact_transform *m)
{
    double largest = max_double(vec_max_abs(m->x_axis), max_double(vec_max_abs(m->y_axis), vec_max_abs(m->z_axis)));
    int exponent;
    (void)frexp(largest, &exponent);
    double down = ldexp(1.0, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    tact_vec3 x = vec_scale(m->x_axis, down), y = vec_scale(m->y_axis, down), z = vec_scale(m->z_axis, down);
    double xy = fabs(vec_dot(x, y)), yz = fabs(vec_dot(y, z)), zx = fabs(vec_dot(z, x));
    double most = max_double(vec_length_squared(x) + (xy + zx),
                             max_double(vec_length_squared(y) + (xy + yz), vec_length_squared(z) + (yz + zx)));
    return sqrt(most) / down * SLACK;
}

static tact_status mesh_bounds(const tact_shape *shape, const tact_transform *place, tact_bounds *around)
{
    if (tact_transform_check(place, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    const box *whole = &shape->mesh->tree.root_box;
    double ends[6], side = 0.0;
    for (int i = 0; i < 3; ++i)
        side = max_double(side, (double)whole->max[i] - (double)whole->min[i]);
    const double most = stretch(place), spare = side < INFINITY ? FIT_SPARE * most * side : 0.0;
    const double margin =
        shape->margin * SLACK + (most * shape->bounding_radius + vec_max_abs(place->origin)) * (SLACK - 1.0);
    for (int i = 0; i < 6; ++i) {
        const double sign = i < 3 ? -1.0 : 1.0;
        const tact_vec3 unit = {i % 3 == 0 ? sign : 0.0, i % 3 == 1 ? sign : 0.0, i % 3 == 2 ? sign : 0.0};
        if (tact_mesh_support_value(shape, place, unit, spare, &ends[i]) != TACT_OK)
            return TACT_BAD_ARGUMENT;
        ends[i] = sign * (ends[i] + margin);
    }
    *around = (tact_bounds){{ends[0], ends[1], ends[2]}, {ends[3], ends[4], ends[5]}};
    return vec_max_abs(around->min) <= LARGEST && vec_max_abs(around->max) <= LARGEST ? TACT_OK : TACT_BAD_ARGUMENT;
}

tact_status tact_body_extents(const tact_shape *shape, const tact_transform *place, const double *reach,
                              tact_bounds *around)
{
    if (reach == NULL && shape->mesh != NULL && shape->mesh->index_count > FIT_CORNERS)
        return mesh_bounds(shape, place, around);
    if (reach == NULL)
        return tact_shape_bounds(shape, *place, around);
    if (tact_transform_check(place, NULL) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    double half = (stretch(place) * *reach + tact_shape_get_margin(shape)) * SLACK;
    double far = vec_max_abs(place->origin);
    if (!(half + far <= LARGEST))
        return TACT_BAD_ARGUMENT;
    half += far * (SLACK - 1.0); /* the origin's digits are lost in the sum with a rounding at most */
    const tact_vec3 out = {half, half, half};
    *around = (tact_bounds){vec_sub(place->origin, out), vec_add(place->origin, out)};
    return TACT_OK;
}

tact_status tact_body_box(const tact_shape *shape, const tact_transform *place, const double *reach, box *fitted)
{
    tact_bounds around;
    if (tact_body_extents(shape, place, reach, &around) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    *fitted = box_from_bounds(around.min, around.max);
    return TACT_OK;
}
