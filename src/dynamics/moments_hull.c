/*
 * Moments of polytopes, plain and rounded.
 *
 * Plain: tetrahedra between the middle of the hull and its faces, in the hull's own coordinates; all of one sign, so
 * nothing cancels.
 *
 * Rounded by a margin r, the body falls into (Steiner): the polytope; a prism of height r on each face; on each edge a
 * sector of a cylinder of radius r, by the angle t between the normals of the two faces; at each corner v the part of a
 * ball whose directions are the corner's normals. The solid angle of that is 2 pi less the angles of all faces at v
 * (the angle defect), the integral of its directions u is half the sum over the edges at v of t times the edge's
 * direction towards v (the gradient theorem on the sphere), and the integrals of u u^t need not be told apart, since
 * all corners together make the whole sphere. So each is a sum over faces, their corners, and edges. It holds for a
 * polygon (two faces back to back), and in the same way for a segment and a point.
 *
 * Guarantee: right to rounding, relative to the size; an edge whose faces are nearly in a plane costs digits of its
 * sector only. Cost: O(n) for n corners. Memory for a rounded one: 16 bytes an edge, 24 a face.
 */
#include "core/memory.h"
#include "dynamics/moments.h"
#include "math/fp_environment.h"

#define PI 3.14159265358979323846

/* Corner `i` of a face as seen from the middle, brought to a size of 1. */
static tact_vec3 corner_of(const hull *h, uint32_t corner, double unit)
{
    return vec_scale(vec_sub(h->vertices[corner], h->centre), unit);
}

static int hull_exponent(const hull *h)
{
    double size = 0.0;
    for (uint32_t i = 0; i < h->vertex_count; i++)
        size = fmax(size, vec_max_abs(vec_sub(h->vertices[i], h->centre)));
    int exponent = 0;
    (void)frexp(size, &exponent);
    return exponent;
}

/* Tetrahedra over all faces. */
static void add_polyhedron(moment_sum *sum, const hull *h, double unit)
{
    for (uint32_t f = 0; f < h->face_count; f++) {
        const uint32_t *loop = h->face_vertices + h->faces[f].first_vertex;
        tact_vec3 a = corner_of(h, loop[0], unit), b = corner_of(h, loop[1], unit);
        for (uint32_t k = 2; k < h->faces[f].vertex_count; k++) {
            tact_vec3 c = corner_of(h, loop[k], unit);
            moment_sum_add_tetrahedron(sum, a, b, c);
            b = c;
        }
    }
}

/* The triangles of a face under a placement, whose origin is the middle; returns twice the vector area. */
static tact_vec3 add_face(moment_sum *sum, const hull *h, const hull_face *face, const tact_transform *at)
{
    const uint32_t *loop = h->face_vertices + face->first_vertex;
    tact_vec3 area = vec_make(0.0, 0.0, 0.0), p[3];
    p[0] = vec_transform(at, corner_of(h, loop[0], 1.0));
    p[1] = vec_transform(at, corner_of(h, loop[1], 1.0));
    for (uint32_t k = 2; k < face->vertex_count; k++) {
        p[2] = vec_transform(at, corner_of(h, loop[k], 1.0));
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
            p[i] = vec_transform(&scaled, corner_of(h, (uint32_t)i, 1.0));
        moment_sum_add_simplex(&sum, count == 2 ? vec_length_safe(vec_sub(p[1], p[0])) : 1.0, p, count);
    }
    return sum.measure > 0.0 ? tact_moment_sum_end(&sum, h->dimension, origin, exponent) : moments_none();
}

/* ---- rounded ---------------------------------------------------------------------------------------------------- */

/* Part of a ball of radius r about v: directions of the solid angle `angle`, whose integral is `direction`. Without the
 * integral of u u^t. */
static void add_ball_part(moment_sum *sum, double r, tact_vec3 v, double angle, tact_vec3 direction)
{
    double volume = angle * r * r * r / 3.0, f = r * r * r * r / 4.0;
    moment_sum_add(sum, volume, v, NULL);
    sum->first = vec_mul_add(sum->first, f, direction);
    sym3_add_product(&sum->second, f, v, direction);
}

/* The integral of u u^t over the sphere, times that of s^4 ds up to r. */
static void add_whole_ball(moment_sum *sum, double r)
{
    double f = 4.0 * PI / 15.0 * r * r * r * r * r;
    sum->second.xx += f;
    sum->second.yy += f;
    sum->second.zz += f;
}

/* The sector of a cylinder about the edge from p to q, from the normal n of its face, by the angle t away from it;
 * `out` is the unit vector in the plane of the face that points away from it; and what the edge has to say about the
 * balls at its ends. */
static void add_edge(moment_sum *sum, double r, tact_vec3 p, tact_vec3 q, tact_vec3 n, tact_vec3 out, double t)
{
    tact_vec3 edge = vec_sub(q, p), middle = vec_scale(vec_add(p, q), 0.5), direction = vec_normalize(edge);
    double area = 0.5 * r * r * t;
    if (area > 0.0) {
        /* the mean of points s (n cos a + out sin a), 0 <= s <= r, 0 <= a <= t, and of their squares */
        double s = sin(t), c = cos(t), f = r / 1.5 / t, g = 0.5 * r * r / t;
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

/* The prism on a face, and its angles; returns the unit normal. */
static tact_vec3 add_prism(moment_sum *sum, const hull *h, const hull_face *face, double r)
{
    const tact_transform as_it_is = tact_identity();
    const uint32_t *loop = h->face_vertices + face->first_vertex;
    const uint32_t count = face->vertex_count;
    moment_sum flat = {0};
    tact_vec3 n = vec_normalize(add_face(&flat, h, face, &as_it_is));
    if (flat.measure > 0.0) {
        moments m = tact_moment_sum_end(&flat, 2, vec_make(0.0, 0.0, 0.0), 0);
        sym3_add_square(&m.covariance, r * r / 12.0, n);
        moment_sum_add(sum, flat.measure * r, vec_mul_add(m.centre, 0.5 * r, n), &m.covariance);
    }
    for (uint32_t k = 0; k < count; k++) {
        tact_vec3 v = corner_of(h, loop[k], 1.0), to = vec_sub(corner_of(h, loop[(k + 1) % count], 1.0), v),
                  from = vec_sub(corner_of(h, loop[(k + count - 1) % count], 1.0), v);
        double angle = atan2(vec_length(vec_cross(to, from)), vec_dot(to, from));
        add_ball_part(sum, r, v, -angle, vec_make(0.0, 0.0, 0.0));
    }
    return n;
}

/* A number for the edge from a to b, and another one for that from b to a, below twice the number of neighbours. Looked
 * for among the neighbours of the end that has fewer: of all edges of a polyhedron that is O(n), however many meet in
 * one corner. */
static uint32_t edge_number(const hull *h, uint32_t a, uint32_t b)
{
    const uint32_t *first = h->first_neighbour;
    bool forwards = first[a + 1] - first[a] < first[b + 1] - first[b] ||
                    (first[a + 1] - first[a] == first[b + 1] - first[b] && a < b);
    uint32_t from = forwards ? a : b, to = forwards ? b : a, i = first[from];
    while (i + 1 < first[from + 1] && h->neighbours[i] != to)
        i++;
    return 2 * i + forwards;
}

static void add_faces_and_edges(moment_sum *sum, const hull *h, double r, tact_vec3 *normals, uint32_t *face_at)
{
    for (uint32_t f = 0; f < h->face_count; f++) {
        const hull_face *face = &h->faces[f];
        const uint32_t *loop = h->face_vertices + face->first_vertex;
        normals[f] = add_prism(sum, h, face, r);
        for (uint32_t k = 0; k < face->vertex_count; k++)
            face_at[edge_number(h, loop[k], loop[(k + 1) % face->vertex_count])] = f;
    }
    for (uint32_t f = 0; f < h->face_count; f++) {
        const hull_face *face = &h->faces[f];
        const uint32_t *loop = h->face_vertices + face->first_vertex;
        for (uint32_t k = 0; k < face->vertex_count; k++) {
            uint32_t a = loop[k], b = loop[(k + 1) % face->vertex_count];
            if (a > b)
                continue; /* the other face has it too */
            tact_vec3 p = corner_of(h, a, 1.0), q = corner_of(h, b, 1.0), n = normals[f];
            tact_vec3 other = normals[face_at[edge_number(h, b, a)]];
            tact_vec3 out = vec_cross(vec_normalize(vec_sub(q, p)), n);
            double turn = fabs(atan2(vec_dot(other, out), vec_dot(other, n)));
            add_edge(sum, r, p, q, n, out, turn);
        }
    }
}

tact_status tact_moments_rounded_hull(const hull *h, double r, tact_vec3 origin, int exponent,
                                      const tact_allocator *allocator, moments *m)
{
    const tact_vec3 nowhere = {0.0, 0.0, 0.0};
    moment_sum sum = {0};
    for (uint32_t i = 0; i < h->vertex_count;
         i++) /* of a point the whole sphere; the others lose what faces and edges take */
        add_ball_part(&sum, r, corner_of(h, i, 1.0), h->dimension == 0 ? 4.0 * PI : 2.0 * PI, nowhere);
    add_whole_ball(&sum, r);
    if (h->dimension == 1) {
        tact_vec3 p = corner_of(h, 0, 1.0), q = corner_of(h, 1, 1.0), n, out;
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
    tact_vec3 middle =
        vec_make(ldexp(h->centre.x, exponent), ldexp(h->centre.y, exponent), ldexp(h->centre.z, exponent));
    *m = tact_moment_sum_end(&sum, 3, vec_add(origin, middle), exponent);
    return TACT_OK;
}
