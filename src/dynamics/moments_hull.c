/*
 * Moments of convex polytopes, plain and rounded.
 *
 * Plain: the sum of the tetrahedra between the centre of the hull and its faces, in the hull's own coordinates. All
 * have the same sign, so nothing cancels.
 *
 * Rounded by a margin r, the body decomposes (Steiner) into: the polytope; a prism of height r on each face; on each
 * edge a sector of a cylinder of radius r, by the angle t between the normals of its two faces; at each vertex v the
 * part of a ball whose directions are the normals of the vertex. The solid angle of that part is 2 pi less the angles
 * of all faces at v (the angle defect). The integral of its directions u is half the sum, over the edges at v, of t
 * times the direction of the edge towards v (gradient theorem on the sphere). The integrals of u u^T need not be
 * separated, as all vertices together make the whole sphere. So all terms are sums over faces, their vertices, and
 * edges. The same holds for a polygon (two faces back to back), a segment and a point.
 *
 * Guarantee: right to rounding, relative to the size; an edge with nearly coplanar faces loses digits of its sector
 * only. Cost: O(n) for n vertices. Memory of a rounded hull: 16 bytes per edge, 24 per face.
 */
#include "core/memory.h"
#include "core/number.h"
#include "dynamics/dynamics_constants.h"
#include "dynamics/moments.h"
#include "math/elementary.h"
#include "math/fp_environment.h"

/* A vertex relative to the centre, scaled by `unit`. */
static tact_vec3 vertex_of(const hull *h, uint32_t vertex, double unit)
{
    return vec_scale(vec_sub(h->vertices[vertex], h->centre), unit);
}

static int hull_exponent(const hull *h)
{
    double size = 0.0;
    for (uint32_t i = 0; i < h->vertex_count; i++)
        size = number_max(size, vec_max_abs(vec_sub(h->vertices[i], h->centre)));
    int exponent = 0;
    (void)frexp(size, &exponent);
    return exponent;
}

/* The tetrahedra between the centre and all faces. */
static void add_polyhedron(moment_sum *sum, const hull *h, double unit)
{
    for (uint32_t f = 0; f < h->face_count; f++) {
        const uint32_t *loop = h->face_vertices + h->faces[f].first_vertex;
        tact_vec3 a = vertex_of(h, loop[0], unit), b = vertex_of(h, loop[1], unit);
        for (uint32_t k = 2; k < h->faces[f].vertex_count; k++) {
            tact_vec3 c = vertex_of(h, loop[k], unit);
            moment_sum_add_tetrahedron(sum, a, b, c);
            b = c;
        }
    }
}

/* The triangles of a face under the linear part of a transform, relative to the centre; returns twice the vector area.
 */
static tact_vec3 add_face(moment_sum *sum, const hull *h, const hull_face *face, const tact_transform *at)
{
    const uint32_t *loop = h->face_vertices + face->first_vertex;
    tact_vec3 area = vec_make(0.0, 0.0, 0.0), p[3];
    p[0] = vec_transform(at, vertex_of(h, loop[0], 1.0));
    p[1] = vec_transform(at, vertex_of(h, loop[1], 1.0));
    for (uint32_t k = 2; k < face->vertex_count; k++) {
        p[2] = vec_transform(at, vertex_of(h, loop[k], 1.0));
        tact_vec3 twice = vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0]));
        moment_sum_add_simplex(sum, 0.5 * vec_length_safe(twice), p, 3);
        area = vec_add(area, twice);
        p[1] = p[2];
    }
    return area;
}

moments tact_moments_hull(const hull *h, const tact_transform *at)
{
    moment_sum sum = {0};
    tact_transform scaled;
    int exponent = hull_exponent(h);
    if (h->dimension == 3) {
        add_polyhedron(&sum, h, ldexp(1.0, -exponent));
        if (sum.measure > 0.0) {
            moments local = tact_moment_sum_end(&sum, 3, h->centre, exponent);
            return tact_moments_transform(&local, at);
        }
        return moments_none();
    }
    exponent = tact_moments_normalise(at, ldexp(1.0, exponent), 0.0, &scaled);
    tact_vec3 origin = vec_add(vec_transform(at, h->centre), at->origin);
    if (h->dimension == 2) {
        (void)add_face(&sum, h, &h->faces[0], &scaled);
    } else {
        tact_vec3 p[2];
        int count = h->dimension + 1;
        for (int i = 0; i < count; i++)
            p[i] = vec_transform(&scaled, vertex_of(h, (uint32_t)i, 1.0));
        moment_sum_add_simplex(&sum, count == 2 ? vec_length_safe(vec_sub(p[1], p[0])) : 1.0, p, count);
    }
    return sum.measure > 0.0 ? tact_moment_sum_end(&sum, h->dimension, origin, exponent) : moments_none();
}

/* ---- rounded hulls
 * ---------------------------------------------------------------------------------------------------- */

/* A part of a ball of radius r about v: directions of solid angle `angle` whose integral is `direction`. Without the
 * integral of u u^T. */
static void add_ball_part(moment_sum *sum, double r, tact_vec3 v, double angle, tact_vec3 direction)
{
    double volume = angle * r * r * r / 3.0, f = r * r * r * r / 4.0;
    moment_sum_add(sum, volume, v, NULL);
    sum->first = vec_mul_add(sum->first, f, direction);
    sym3_add_product(&sum->second, f, v, direction);
}

/* The integral of u u^T over the sphere, times the integral of s^4 up to r. */
static void add_whole_ball(moment_sum *sum, double r)
{
    double f = 4.0 * PI / 15.0 * r * r * r * r * r;
    sum->second.xx += f;
    sum->second.yy += f;
    sum->second.zz += f;
}

/* The sector of a cylinder about the edge from p to q: from the normal n of its face by the angle t. `out` is the unit
 * vector in the plane of the face that points away from it. Adds also the terms of the edge for the balls at its ends.
 */
static void add_edge(moment_sum *sum, double r, tact_vec3 p, tact_vec3 q, tact_vec3 n, tact_vec3 out, double t)
{
    tact_vec3 edge = vec_sub(q, p), middle = vec_scale(vec_add(p, q), 0.5), direction = vec_normalize(edge);
    double area = 0.5 * r * r * t;
    if (area > 0.0) {
        /* mean and covariance of the points s (n cos a + out sin a), 0 <= s <= r, 0 <= a <= t */
        double s = tact_sine(t), c = tact_cosine(t), f = r / 1.5 / t, g = 0.5 * r * r / t;
        tact_vec3 mean = vec_add(vec_scale(n, f * s), vec_scale(out, f * (1.0 - c)));
        sym3 covariance = {0};
        sym3_add_square(&covariance, 0.5 * g * (t + s * c), n);
        sym3_add_square(&covariance, 0.5 * g * (t - s * c), out);
        sym3_add_product(&covariance, 0.5 * g * s * s, n, out);
        sym3_add_square(&covariance, -1.0, mean);
        sym3_add_square(&covariance, 1.0 / 12.0, edge);
        moment_sum_add(sum, area * vec_length(edge), vec_add(middle, mean), &covariance);
    }
    add_ball_part(sum, r, p, 0.0, vec_scale(direction, -0.5 * t));
    add_ball_part(sum, r, q, 0.0, vec_scale(direction, 0.5 * t));
}

/* The prism on a face, and the angles at its vertices; returns the unit normal. */
static tact_vec3 add_prism(moment_sum *sum, const hull *h, const hull_face *face, double r)
{
    const tact_transform identity = tact_identity();
    const uint32_t *loop = h->face_vertices + face->first_vertex;
    const uint32_t count = face->vertex_count;
    moment_sum flat = {0};
    tact_vec3 n = vec_normalize(add_face(&flat, h, face, &identity));
    if (flat.measure > 0.0) {
        moments m = tact_moment_sum_end(&flat, 2, vec_make(0.0, 0.0, 0.0), 0);
        sym3_add_square(&m.covariance, r * r / 12.0, n);
        moment_sum_add(sum, flat.measure * r, vec_mul_add(m.centre, 0.5 * r, n), &m.covariance);
    }
    for (uint32_t k = 0; k < count; k++) {
        tact_vec3 v = vertex_of(h, loop[k], 1.0), to = vec_sub(vertex_of(h, loop[(k + 1) % count], 1.0), v),
                  from = vec_sub(vertex_of(h, loop[(k + count - 1) % count], 1.0), v);
        double angle = tact_atan2(vec_length(vec_cross(to, from)), vec_dot(to, from));
        add_ball_part(sum, r, v, -angle, vec_make(0.0, 0.0, 0.0));
    }
    return n;
}

/* A number of the directed edge from a to b, below twice the number of neighbour entries. It is searched among the
 * neighbours of the vertex that has fewer: O(n) for all edges of a polyhedron, however many meet in one vertex. */
static uint32_t edge_index(const hull *h, uint32_t a, uint32_t b)
{
    const uint32_t *first = h->first_neighbour;
    bool forward = first[a + 1] - first[a] < first[b + 1] - first[b] ||
                   (first[a + 1] - first[a] == first[b + 1] - first[b] && a < b);
    uint32_t from = forward ? a : b, to = forward ? b : a, i = first[from];
    while (i + 1 < first[from + 1] && h->neighbours[i] != to)
        i++;
    return 2 * i + forward;
}

static void add_faces_and_edges(moment_sum *sum, const hull *h, double r, tact_vec3 *normals, uint32_t *face_at)
{
    for (uint32_t f = 0; f < h->face_count; f++) {
        const hull_face *face = &h->faces[f];
        const uint32_t *loop = h->face_vertices + face->first_vertex;
        normals[f] = add_prism(sum, h, face, r);
        for (uint32_t k = 0; k < face->vertex_count; k++)
            face_at[edge_index(h, loop[k], loop[(k + 1) % face->vertex_count])] = f;
    }
    for (uint32_t f = 0; f < h->face_count; f++) {
        const hull_face *face = &h->faces[f];
        const uint32_t *loop = h->face_vertices + face->first_vertex;
        for (uint32_t k = 0; k < face->vertex_count; k++) {
            uint32_t a = loop[k], b = loop[(k + 1) % face->vertex_count];
            if (a > b)
                continue; /* once per edge */
            tact_vec3 p = vertex_of(h, a, 1.0), q = vertex_of(h, b, 1.0), n = normals[f];
            tact_vec3 other = normals[face_at[edge_index(h, b, a)]];
            tact_vec3 out = vec_cross(vec_normalize(vec_sub(q, p)), n);
            double angle = fabs(tact_atan2(vec_dot(other, out), vec_dot(other, n)));
            add_edge(sum, r, p, q, n, out, angle);
        }
    }
}

tact_status tact_moments_rounded_hull(const hull *h, double r, tact_vec3 origin, int exponent,
                                      const tact_allocator *allocator, moments *m)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    moment_sum sum = {0};
    for (uint32_t i = 0; i < h->vertex_count;
         i++) /* of a point the whole sphere; faces and edges subtract their part */
        add_ball_part(&sum, r, vertex_of(h, i, 1.0), h->dimension == 0 ? 4.0 * PI : 2.0 * PI, zero);
    add_whole_ball(&sum, r);
    if (h->dimension == 1) {
        tact_vec3 p = vertex_of(h, 0, 1.0), q = vertex_of(h, 1, 1.0), n, out;
        vec_tangent_basis(vec_normalize(vec_sub(q, p)), &n, &out);
        add_edge(&sum, r, p, q, n, out, 2.0 * PI);
    } else if (h->dimension >= 2) {
        const size_t ends = 2 * (size_t)h->neighbour_total;
        tact_vec3 *normals = tact_memory_allocate(allocator, h->face_count, sizeof *normals);
        uint32_t *face_at = tact_memory_allocate(allocator, ends, sizeof *face_at);
        if (normals != NULL && face_at != NULL) {
            if (h->dimension == 3)
                add_polyhedron(&sum, h, 1.0);
            for (size_t i = 0; i < ends; i++)
                face_at[i] = 0;
            add_faces_and_edges(&sum, h, r, normals, face_at);
        }
        bool done = normals != NULL && face_at != NULL;
        tact_memory_free(allocator, normals, h->face_count, sizeof *normals);
        tact_memory_free(allocator, face_at, ends, sizeof *face_at);
        if (!done)
            return TACT_OUT_OF_MEMORY;
    }
    tact_vec3 centre =
        vec_make(ldexp(h->centre.x, exponent), ldexp(h->centre.y, exponent), ldexp(h->centre.z, exponent));
    *m = tact_moment_sum_end(&sum, 3, vec_add(origin, centre), exponent);
    return TACT_OK;
}
