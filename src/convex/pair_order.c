/*
 * The order of shapes under transforms. The queries promise that swapping A and B mirrors the answer bit for bit.
 * Instead of making every algorithm round symmetrically, they put the pair in this order, compute, and mirror the
 * answer back if they swapped.
 *
 * Cost: the first coordinate of the origins nearly always decides. Two copies of a shape under the same transform cost
 * a comparison of all their data.
 */
#include "convex/pair_order.h"

static int compare_number(double a, double b) { return (a > b) - (a < b); }

static int compare_count(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

int tact_compare_vectors(tact_vec3 a, tact_vec3 b)
{
    int order = compare_number(a.x, b.x);
    if (order == 0)
        order = compare_number(a.y, b.y);
    return order != 0 ? order : compare_number(a.z, b.z);
}

int tact_compare_vector_arrays(const tact_vec3 *a, const tact_vec3 *b, size_t count)
{
    int order = 0;
    for (size_t i = 0; i < count && order == 0; i++)
        order = tact_compare_vectors(a[i], b[i]);
    return order;
}

int tact_compare_transforms(const tact_transform *a, const tact_transform *b)
{
    int order = tact_compare_vectors(a->origin, b->origin);
    if (order == 0)
        order = tact_compare_vectors(a->x_axis, b->x_axis);
    if (order == 0)
        order = tact_compare_vectors(a->y_axis, b->y_axis);
    return order != 0 ? order : tact_compare_vectors(a->z_axis, b->z_axis);
}

/* Recursion is bounded by SHAPE_MAX_NESTING. */
static int compare_shape(const tact_shape *a, const tact_shape *b)
{
    if (a == b)
        return 0;
    int order = compare_count((uint64_t)a->type, (uint64_t)b->type);
    if (order == 0)
        order = compare_number(a->margin, b->margin);
    if (order == 0)
        order = compare_number(a->radius, b->radius);
    if (order == 0)
        order = compare_number(a->half_height, b->half_height);
    if (order == 0)
        order = tact_compare_vectors(a->half_extents, b->half_extents);
    if (order == 0)
        order = compare_count((uint64_t)a->point_count, (uint64_t)b->point_count);
    if (order == 0)
        order = tact_compare_vector_arrays(a->points, b->points, (size_t)a->point_count);
    if (order == 0 && a->hull != NULL && b->hull != NULL) {
        order = compare_count(a->hull->vertex_count, b->hull->vertex_count);
        if (order == 0)
            order = tact_compare_vector_arrays(a->hull->vertices, b->hull->vertices, a->hull->vertex_count);
    }
    if (order == 0 && a->type == TACT_TRANSFORMED)
        order = tact_compare_transforms(&a->transform, &b->transform);
    for (int i = 0; i < 2 && order == 0; i++)
        if (a->parts[i] != NULL && b->parts[i] != NULL)
            order = compare_shape(a->parts[i], b->parts[i]);
    if (order == 0 && a->type == TACT_CUSTOM) {
        order = compare_count((uint64_t)(uintptr_t)a->support_context, (uint64_t)(uintptr_t)b->support_context);
        if (order == 0)
            order = compare_count((uint64_t)(uintptr_t)a->support, (uint64_t)(uintptr_t)b->support);
    }
    return order;
}

int tact_compare_convex(const convex *a, const convex *b)
{
    int order = tact_compare_transforms(&a->transform, &b->transform);
    if (order == 0)
        order = compare_count((uint64_t)a->kind, (uint64_t)b->kind);
    if (order == 0)
        order = compare_number(a->margin, b->margin);
    return order != 0 ? order : compare_shape(a->shape, b->shape);
}
