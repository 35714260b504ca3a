/*
 * Moments of meshes, polytope soups and compounds.
 *
 * A solid mesh is the sum of the signed tetrahedra between its centre and its triangles (divergence theorem), computed
 * in its own coordinates and then transformed as a whole. For a closed mesh the sum does not depend on the point
 * chosen, and from the centre nothing large cancels. Inside out it has minus the volume, and the same centroid and
 * covariance. An open mesh is the sum of its transformed triangles, as scaling changes areas unevenly. Soups and
 * compounds are sums of their parts.
 *
 * Guarantee: right to rounding, relative to the size. Triangles are summed in batches of MESH_BATCH: a million of them
 * cost 4,000 units of roundoff at most. Cost: O(n), about 50 ns per triangle of a solid mesh, 80 of an open one; no
 * memory except for degenerate parts of a soup.
 */
#include "dynamics/dynamics_constants.h"
#include "dynamics/moments.h"
#include "shape/compound.h"

/* The centre of the bounding box of all triangles, and its largest half extent. */
static tact_vec3 find_centre(const mesh *m, double *radius)
{
    tact_vec3 min = m->vertices[m->indices[0]], max = min;
    for (uint32_t i = 1; i < m->index_count; i++) {
        tact_vec3 p = m->vertices[m->indices[i]];
        min = vec_make(p.x < min.x ? p.x : min.x, p.y < min.y ? p.y : min.y, p.z < min.z ? p.z : min.z);
        max = vec_make(p.x > max.x ? p.x : max.x, p.y > max.y ? p.y : max.y, p.z > max.z ? p.z : max.z);
    }
    tact_vec3 half = vec_scale(vec_sub(max, min), 0.5);
    *radius = vec_max_abs(half);
    return vec_add(min, half);
}

static void merge(moment_sum *total, moment_sum *batch)
{
    const moment_sum zero = {0};
    total->measure += batch->measure;
    total->first = vec_add(total->first, batch->first);
    sym3_add(&total->second, 1.0, &batch->second);
    *batch = zero;
}

/* Sums the tetrahedra between the centre and the triangles, or the triangles themselves, relative to the centre and
 * under the linear part of a transform. */
static moment_sum sum_triangles(const mesh *m, tact_vec3 centre, const tact_transform *scaled, bool tetrahedra,
                                double *absolute)
{
    moment_sum total = {0}, batch = {0};
    *absolute = 0.0;
    for (uint32_t i = 0; i < m->element_count; i++) {
        tact_vec3 p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = vec_transform(scaled, vec_sub(m->vertices[m->indices[3 * (size_t)i + k]], centre));
        if (tetrahedra) {
            double before = batch.measure;
            moment_sum_add_tetrahedron(&batch, p[0], p[1], p[2]);
            *absolute += fabs(batch.measure - before);
        } else {
            double area = 0.5 * vec_length_safe(vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])));
            moment_sum_add_simplex(&batch, area, p, 3);
        }
        if (i % MESH_BATCH == MESH_BATCH - 1)
            merge(&total, &batch);
    }
    merge(&total, &batch);
    return total;
}

/* A mesh whose triangles all are segments or points. */
static tact_status sum_degenerate(const tact_shape *shape, const tact_transform *at, moments *sum)
{
    const mesh *m = shape->mesh;
    for (uint32_t i = 0; i < m->element_count; i++) {
        tact_vec3 p[3];
        moments part;
        for (size_t k = 0; k < 3; k++)
            p[k] = m->vertices[m->indices[3 * (size_t)i + k]];
        tact_status status = tact_moments_points(p, 3, at, &shape->allocator, &part);
        if (status != TACT_OK)
            return status;
        *sum = tact_moments_add(sum, &part, 1.0);
    }
    return TACT_OK;
}

static tact_status mesh_moments(const tact_shape *shape, const tact_transform *at, moments *m)
{
    const tact_transform same = tact_identity();
    tact_transform scaled;
    double radius, absolute;
    tact_vec3 centre = find_centre(shape->mesh, &radius);
    if (shape->mesh->solid) {
        int exponent = tact_moments_normalise(&same, radius, 0.0, &scaled);
        moment_sum sum = sum_triangles(shape->mesh, centre, &scaled, true, &absolute);
        if (fabs(sum.measure) > MIN_MESH_VOLUME * absolute) {
            moments local = tact_moment_sum_end(&sum, 3, centre, exponent);
            *m = tact_moments_transform(&local, at);
            return TACT_OK;
        }
    }
    int exponent = tact_moments_normalise(at, radius, 0.0, &scaled);
    moment_sum sum = sum_triangles(shape->mesh, centre, &scaled, false, &absolute);
    if (!(sum.measure > 0.0)) {
        *m = moments_none();
        return sum_degenerate(shape, at, m);
    }
    *m = tact_moment_sum_end(&sum, 2, vec_add(vec_transform(at, centre), at->origin), exponent);
    return TACT_OK;
}

static tact_status soup_moments(const tact_shape *shape, const tact_transform *at, moments *m)
{
    const mesh *soup = shape->mesh;
    *m = moments_none();
    for (uint32_t i = 0; i < soup->element_count; i++) {
        const uint32_t *corner = soup->indices + soup->first_index[i],
                       count = soup->first_index[i + 1] - soup->first_index[i];
        moments part;
        tact_status status = TACT_OK;
        if (count > MESH_SIMPLEX_VERTICES) {
            part = tact_moments_hull(soup->hulls[i]->hull, at);
        } else {
            tact_vec3 p[MESH_SIMPLEX_VERTICES];
            for (uint32_t k = 0; k < count; k++)
                p[k] = soup->vertices[corner[k]];
            status = tact_moments_points(p, (int)count, at, &shape->allocator, &part);
        }
        if (status != TACT_OK)
            return status;
        *m = tact_moments_add(m, &part, 1.0);
    }
    return TACT_OK;
}

/* Consecutive parts with the same shape are computed once, if they have a volume: sampling a part is expensive. */
static tact_status compound_moments(const tact_shape *shape, const tact_transform *at, moments *m)
{
    const compound *c = shape->compound;
    const tact_transform same = tact_identity();
    tact_status all = TACT_OK;
    moments local = moments_none();
    *m = local;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const tact_shape *child = c->parts[i].shape;
        tact_transform transform = tact_transform_compose(*at, c->parts[i].transform);
        moments part;
        tact_status status = TACT_OK;
        bool again = i > 0 && c->parts[i - 1].shape == child;
        if (!again) {
            local = moments_none();
            if (i + 1 < c->part_count && c->parts[i + 1].shape == child)
                status = tact_moments_shape(child, &same, &local);
        }
        if (status != TACT_OK && status != TACT_NOT_CONVERGED)
            return status;
        all = status != TACT_OK ? status : all;
        if (local.dimension == 3)
            part = tact_moments_transform(&local, &transform);
        else
            status = tact_moments_shape(child, &transform, &part);
        if (status != TACT_OK && status != TACT_NOT_CONVERGED)
            return status;
        all = status != TACT_OK ? status : all;
        *m = tact_moments_add(m, &part, 1.0);
    }
    return all;
}

tact_status tact_moments_shape(const tact_shape *shape, const tact_transform *at, moments *m)
{
    if (shape_is_convex(shape))
        return tact_moments_convex(shape, at, m);
    if (!shape_can_have_mass(shape))
        return TACT_BAD_ARGUMENT;
    if (shape_is_empty(shape)) {
        *m = moments_none();
        return TACT_OK;
    }
    if (shape->mesh != NULL)
        return shape->type == TACT_SOUP ? soup_moments(shape, at, m) : mesh_moments(shape, at, m);
    return shape->compound->leaf_count <= MAX_COMPOUND_LEAVES ? compound_moments(shape, at, m) : TACT_BAD_ARGUMENT;
}
