/*
 * Moments of meshes, soups and compounds.
 *
 * A solid mesh is the sum of the signed tetrahedra between its middle and its triangles (divergence theorem), in its
 * own coordinates and then placed as a whole; the total of a closed one does not depend on the point chosen, and from
 * the middle nothing large cancels wherever it is. Turned inside out it has minus the volume and the same mean and
 * covariance. A shell is the sum of its triangles as they are placed, since stretching changes areas unevenly. Soups
 * and compounds are sums of their pieces.
 *
 * Guarantee: right to rounding, relative to the size. Sums are made of sums of a few hundred, so that a million
 * triangles cost 4,000 roundings at the most, not a million. Cost: O(n), about 50 ns a triangle of a solid, 80 of a
 * shell; no memory but for degenerate pieces of a soup.
 */
#include "dynamics/moments.h"
#include "shape/compound.h"

/* Of the sum of the absolute volumes: a mesh with less is not told from one without any by rounding, and counts as a
 * shell. */
#define MESH_HOLLOW 1e-13

/* Triangles that are summed up before they join the total. */
#define MESH_BATCH 256u

/* Leaves of a compound, each counted as often as it is used: more would take minutes, or for ever. */
#define COMPOUND_MOST (1u << 24)

/* The middle of the corners of all triangles, and how far they are from it at most. */
static tact_vec3 find_middle(const mesh *m, double *reach)
{
    tact_vec3 min = m->vertices[m->indices[0]], max = min;
    for (uint32_t i = 1; i < m->index_count; i++) {
        tact_vec3 p = m->vertices[m->indices[i]];
        min = vec_make(p.x < min.x ? p.x : min.x, p.y < min.y ? p.y : min.y, p.z < min.z ? p.z : min.z);
        max = vec_make(p.x > max.x ? p.x : max.x, p.y > max.y ? p.y : max.y, p.z > max.z ? p.z : max.z);
    }
    tact_vec3 half = vec_scale(vec_sub(max, min), 0.5);
    *reach = vec_max_abs(half);
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

/* Cones over the triangles, or the triangles themselves, as seen from the middle and under the linear part of a
 * placement. */
static moment_sum sum_triangles(const mesh *m, tact_vec3 middle, const tact_transform *scaled, bool cones,
                                double *absolute)
{
    moment_sum total = {0}, batch = {0};
    *absolute = 0.0;
    for (uint32_t i = 0; i < m->element_count; i++) {
        tact_vec3 p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = vec_transform(scaled, vec_sub(m->vertices[m->indices[3 * (size_t)i + k]], middle));
        if (cones) {
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

/* Triangles that are all segments and points. */
static tact_status sum_degenerate(const tact_shape *shape, const tact_transform *at, moments *sum)
{
    const mesh *m = shape->mesh;
    for (uint32_t i = 0; i < m->element_count; i++) {
        tact_vec3 p[3];
        moments piece;
        for (size_t k = 0; k < 3; k++)
            p[k] = m->vertices[m->indices[3 * (size_t)i + k]];
        tact_status status = tact_moments_points(p, 3, at, &shape->allocator, &piece);
        if (status != TACT_OK)
            return status;
        *sum = tact_moments_add(sum, &piece, 1.0);
    }
    return TACT_OK;
}

static tact_status mesh_moments(const tact_shape *shape, const tact_transform *at, moments *m)
{
    const tact_transform same = tact_identity();
    tact_transform scaled;
    double reach, absolute;
    tact_vec3 middle = find_middle(shape->mesh, &reach);
    if (shape->mesh->solid) {
        int exponent = tact_moments_normalise(&same, reach, 0.0, &scaled);
        moment_sum sum = sum_triangles(shape->mesh, middle, &scaled, true, &absolute);
        if (fabs(sum.measure) > MESH_HOLLOW * absolute) {
            moments local = tact_moment_sum_end(&sum, 3, middle, exponent);
            *m = tact_moments_transform(&local, at);
            return TACT_OK;
        }
    }
    int exponent = tact_moments_normalise(at, reach, 0.0, &scaled);
    moment_sum sum = sum_triangles(shape->mesh, middle, &scaled, false, &absolute);
    if (!(sum.measure > 0.0)) {
        *m = moments_none();
        return sum_degenerate(shape, at, m);
    }
    *m = tact_moment_sum_end(&sum, 2, vec_add(vec_transform(at, middle), at->origin), exponent);
    return TACT_OK;
}

static tact_status soup_moments(const tact_shape *shape, const tact_transform *at, moments *m)
{
    const mesh *soup = shape->mesh;
    *m = moments_none();
    for (uint32_t i = 0; i < soup->element_count; i++) {
        const uint32_t *corner = soup->indices + soup->first_index[i],
                       count = soup->first_index[i + 1] - soup->first_index[i];
        moments piece;
        tact_status status = TACT_OK;
        if (count > MESH_SIMPLEX_VERTICES) {
            piece = tact_moments_hull(soup->hulls[i]->hull, at);
        } else {
            tact_vec3 p[MESH_SIMPLEX_VERTICES];
            for (uint32_t k = 0; k < count; k++)
                p[k] = soup->vertices[corner[k]];
            status = tact_moments_points(p, (int)count, at, &shape->allocator, &piece);
        }
        if (status != TACT_OK)
            return status;
        *m = tact_moments_add(m, &piece, 1.0);
    }
    return TACT_OK;
}

/* Parts that follow each other and are the same shape are looked at once, if they have a volume: a part may be sampled.
 * */
static tact_status compound_moments(const tact_shape *shape, const tact_transform *at, moments *m)
{
    const compound *c = shape->compound;
    const tact_transform same = tact_identity();
    tact_status all = TACT_OK;
    moments local = moments_none();
    *m = local;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const tact_shape *part = c->parts[i].shape;
        tact_transform place = tact_transform_compose(*at, c->parts[i].transform);
        moments piece;
        tact_status status = TACT_OK;
        bool again = i > 0 && c->parts[i - 1].shape == part;
        if (!again) {
            local = moments_none();
            if (i + 1 < c->part_count && c->parts[i + 1].shape == part)
                status = tact_moments_shape(part, &same, &local);
        }
        if (status != TACT_OK && status != TACT_NOT_CONVERGED)
            return status;
        all = status != TACT_OK ? status : all;
        if (local.dimension == 3)
            piece = tact_moments_transform(&local, &place);
        else
            status = tact_moments_shape(part, &place, &piece);
        if (status != TACT_OK && status != TACT_NOT_CONVERGED)
            return status;
        all = status != TACT_OK ? status : all;
        *m = tact_moments_add(m, &piece, 1.0);
    }
    return all;
}

tact_status tact_moments_shape(const tact_shape *shape, const tact_transform *at, moments *m)
{
    if (shape_is_convex(shape))
        return tact_moments_convex(shape, at, m);
    if (shape_is_empty(shape)) {
        *m = moments_none();
        return TACT_OK;
    }
    if (shape->mesh != NULL)
        return shape->type == TACT_SOUP ? soup_moments(shape, at, m) : mesh_moments(shape, at, m);
    return shape->compound->leaf_count <= COMPOUND_MOST ? compound_moments(shape, at, m) : TACT_BAD_ARGUMENT;
}
