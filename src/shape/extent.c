/* The extent of a transformed shape: its support points and its bounding box along the world axes, margin included,
 * rounded outwards. */
#include <float.h>
#include <tact/shape.h>

#include "core/number.h"
#include "shape/complex_support.h"
#include "shape/compound.h"
#include "shape/convex.h"
#include "shape/halfspace.h"

tact_status tact_shape_support(const tact_shape *shape, tact_transform transform, tact_vec3 direction, tact_vec3 *point)
{
    convex c;
    if (shape == NULL || point == NULL || !vec_finite(direction) || !(vec_max_abs(direction) > 0.0))
        return TACT_BAD_ARGUMENT;
    tact_vec3 unit = vec_normalize(direction);
    if (shape_is_halfspace(shape))
        return TACT_BAD_ARGUMENT;
    if (!shape_is_convex(shape)) {
        if (shape_is_empty(shape) || tact_transform_check(&transform, NULL) != TACT_OK ||
            !(transformed_radius(&transform, shape->bounding_radius) + shape->margin <= SHAPE_MAX_COORDINATE))
            return TACT_BAD_ARGUMENT;
        return tact_complex_support_point(shape, &transform, unit, point, NULL);
    }
    if (tact_convex_make(&c, shape, &transform) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    tact_vec3 p = vec_mul_add(tact_convex_support(&c, unit, NULL), c.margin, unit);
    p = vec_add(p, c.transform.origin);
    if (!vec_finite(p)) /* a custom support function returned NaN or infinity */
        return TACT_BAD_ARGUMENT;
    *point = p;
    return TACT_OK;
}

static tact_status convex_bounds(const tact_shape *shape, const tact_transform *transform, tact_bounds *bounds)
{
    convex c;
    if (tact_convex_make(&c, shape, transform) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    tact_vec3 max, min;
    max.x = tact_convex_support(&c, vec_make(1.0, 0.0, 0.0), NULL).x;
    max.y = tact_convex_support(&c, vec_make(0.0, 1.0, 0.0), NULL).y;
    max.z = tact_convex_support(&c, vec_make(0.0, 0.0, 1.0), NULL).z;
    min.x = tact_convex_support(&c, vec_make(-1.0, 0.0, 0.0), NULL).x;
    min.y = tact_convex_support(&c, vec_make(0.0, -1.0, 0.0), NULL).y;
    min.z = tact_convex_support(&c, vec_make(0.0, 0.0, -1.0), NULL).z;
    if (!vec_finite(max) || !vec_finite(min))
        return TACT_BAD_ARGUMENT;
    double error =
        BOUNDS_ROUNDOFF_UNITS * 0.5 * DBL_EPSILON * (c.bounding_radius + c.margin + vec_max_abs(c.transform.origin)) +
        DBL_TRUE_MIN;
    double out = c.margin + error;
    bounds->min = vec_sub(vec_add(min, c.transform.origin), vec_make(out, out, out));
    bounds->max = vec_add(vec_add(max, c.transform.origin), vec_make(out, out, out));
    return TACT_OK;
}

static void widen(tact_bounds *bounds, tact_vec3 p, double out)
{
    bounds->min = vec_make(number_min(bounds->min.x, p.x - out), number_min(bounds->min.y, p.y - out),
                           number_min(bounds->min.z, p.z - out));
    bounds->max = vec_make(number_max(bounds->max.x, p.x + out), number_max(bounds->max.y, p.y + out),
                           number_max(bounds->max.z, p.z + out));
}

/* The transformed vertices, exactly; `margin` is in world coordinates. */
static void mesh_bounds(const mesh *m, const tact_transform *transform, double margin, tact_bounds *bounds)
{
    const double out = margin > 0.0 ? margin + BOUNDS_ROUNDOFF_UNITS * 0.5 * DBL_EPSILON *
                                                   (transformed_radius(transform, m->bounding_radius) + margin)
                                    : 0.0;
    /* Rounding is monotone, so the margin may be added at the end. (Comparisons, because fmin and fmax are function
     * calls.) */
    tact_vec3 min = {INFINITY, INFINITY, INFINITY}, max = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < m->index_count; i++) {
        const tact_vec3 p = vec_add(vec_transform(transform, m->vertices[m->indices[i]]), transform->origin);
        min = vec_make(p.x < min.x ? p.x : min.x, p.y < min.y ? p.y : min.y, p.z < min.z ? p.z : min.z);
        max = vec_make(p.x > max.x ? p.x : max.x, p.y > max.y ? p.y : max.y, p.z > max.z ? p.z : max.z);
    }
    if (m->index_count > 0) {
        widen(bounds, min, out);
        widen(bounds, max, out);
    }
}

/* The transformed vertices of a local box. */
static void box_bounds(const box *b, const tact_transform *transform, double radius, double margin, tact_bounds *bounds)
{
    const double out = margin +
                       BOUNDS_ROUNDOFF_UNITS * 0.5 * DBL_EPSILON * (transformed_radius(transform, radius) + margin) +
                       DBL_TRUE_MIN;
    for (int vertex = 0; vertex < 8; vertex++) {
        tact_vec3 p = vec_make((double)(vertex & 1 ? b->max : b->min)[0], (double)(vertex & 2 ? b->max : b->min)[1],
                               (double)(vertex & 4 ? b->max : b->min)[2]);
        widen(bounds, vec_add(vec_transform(transform, p), transform->origin), out);
    }
}

/* A bound of how much the linear part of a transform lengthens a vector: the Frobenius norm. */
static double frobenius_norm(const tact_transform *transform)
{
    double x = vec_length_safe(transform->x_axis), y = vec_length_safe(transform->y_axis),
           z = vec_length_safe(transform->z_axis);
    return sqrt(x * x + y * y + z * z);
}

/* Adds the bounds of a shape with a margin around it, in world units. The margin includes that of a mesh or compound.
 */
static tact_status add_bounds(const tact_shape *shape, const tact_transform *transform, double margin,
                              tact_bounds *bounds)
{
    if (shape->mesh != NULL) {
        mesh_bounds(shape->mesh, transform, margin, bounds);
        return TACT_OK;
    }
    if (shape->compound == NULL) {
        tact_bounds own;
        if (convex_bounds(shape, transform, &own) != TACT_OK)
            return TACT_BAD_ARGUMENT;
        widen(bounds, own.min, margin);
        widen(bounds, own.max, margin);
        return TACT_OK;
    }
    const compound *c = shape->compound;
    if (c->leaf_count > BOUNDS_MAX_LEAVES) {
        if (!shape_is_empty(shape))
            box_bounds(&c->tree.root_box, transform, shape->bounding_radius, margin, bounds);
        return TACT_OK;
    }
    for (uint32_t i = 0; i < c->part_count; i++) {
        tact_transform composed = tact_transform_compose(*transform, c->parts[i].transform);
        const tact_shape *part = c->parts[i].shape;
        double own = shape_is_convex(part)
                         ? 0.0
                         : part->margin * frobenius_norm(transform) +
                               part->surface_error * (1.0 + SURFACE_ERROR_SLACK) * transform_stretch_bound(&composed);
        if (add_bounds(part, &composed, margin + own, bounds) != TACT_OK)
            return TACT_BAD_ARGUMENT;
    }
    return TACT_OK;
}

tact_status tact_shape_bounds(const tact_shape *shape, tact_transform transform, tact_bounds *bounds)
{
    if (shape == NULL || bounds == NULL)
        return TACT_BAD_ARGUMENT;
    if (shape_is_convex(shape))
        return convex_bounds(shape, &transform, bounds);
    if (shape_is_halfspace(shape))
        return tact_halfspace_bounds(shape, &transform, bounds);
    tact_bounds all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (shape_is_empty(shape) || tact_transform_check(&transform, NULL) != TACT_OK ||
        add_bounds(shape, &transform, complex_margin(shape, &transform), &all) != TACT_OK ||
        !(vec_max_abs(all.min) <= SHAPE_MAX_COORDINATE && vec_max_abs(all.max) <= SHAPE_MAX_COORDINATE))
        return TACT_BAD_ARGUMENT;
    *bounds = all;
    return TACT_OK;
}
