/*
 * The flat feature of a placed core that a plane meets first: what contact manifolds are clipped from.
 *
 * Of all faces the one whose normal is nearest to the direction, if it leans less than the slack; else of the edges at
 * the support corner the one most nearly perpendicular to the direction; else the corner. Caps of cylinders and cones
 * count as faces, their generators as edges. Sums, joins and custom shapes offer only the support point, as does the
 * round part of anything. Cost: linear in the number of faces.
 */
#include <string.h>

#include "shape/convex.h"
#include "shape/support.h"

typedef struct feature {
    tact_vec3 direction; /* unit */
    double slack;        /* sine of the greatest lean */
    double leaning;      /* least lean of a face so far: 1 - cosine, roughly; INFINITY for none */
    tact_vec3 *corners;
    tact_vec3 *normal;
    int count;
} feature;

/* Whether the face with this outward normal (any length) is nearer to facing along the direction than the best so far,
 * within the slack. */
static bool takes_face(feature *f, tact_vec3 normal)
{
    tact_vec3 unit = vec_normalize(normal);
    double cosine = vec_dot(unit, f->direction), sine = vec_length(vec_cross(unit, f->direction));
    if (!(cosine > 0.0) || !(sine < f->slack) || !(sine < f->leaning))
        return false;
    f->leaning = sine;
    *f->normal = unit;
    return true;
}

/* Keeps the segment from p to q if it leans less than the slack and less than the best so far. */
static void offer_edge(feature *f, tact_vec3 p, tact_vec3 q)
{
    tact_vec3 unit = vec_normalize(vec_sub(q, p));
    double sine = fabs(vec_dot(unit, f->direction));
    if (!(vec_length_squared(unit) > 0.0) || !(sine < f->slack) || !(sine < f->leaning))
        return;
    f->leaning = sine;
    f->corners[0] = p;
    f->corners[1] = q;
    f->count = 2;
}

/* Puts the loop counter-clockwise seen against the direction. */
static void wind(feature *f)
{
    tact_vec3 area = {0.0, 0.0, 0.0};
    for (int i = 1; i + 1 < f->count; i++)
        area =
            vec_add(area, vec_cross(vec_sub(f->corners[i], f->corners[0]), vec_sub(f->corners[i + 1], f->corners[0])));
    if (vec_dot(area, f->direction) >= 0.0)
        return;
    for (int i = 0, j = f->count - 1; i < j; i++, j--) {
        tact_vec3 corner = f->corners[i];
        f->corners[i] = f->corners[j];
        f->corners[j] = corner;
    }
}

static void face_of_points(const convex *c, feature *f)
{
    static const int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int n = c->point_count;
    const tact_vec3 *p = c->points;
    for (int i = 0; i < (n == 4 ? 4 : n == 3 ? 2 : 0); i++) {
        const int triangle[2][3] = {{0, 1, 2}, {0, 2, 1}};
        const int *t = n == 4 ? opposite[i] : triangle[i];
        tact_vec3 normal = vec_cross(vec_sub(p[t[1]], p[t[0]]), vec_sub(p[t[2]], p[t[0]]));
        if (n == 4 && vec_dot(normal, vec_sub(p[i], p[t[0]])) > 0.0)
            normal = vec_negate(normal);
        if (takes_face(f, normal)) {
            for (int k = 0; k < 3; k++)
                f->corners[k] = p[t[k]];
            f->count = 3;
        }
    }
    if (f->count > 0)
        return;
    int top = support_of_points(p, n, f->direction);
    f->leaning = INFINITY;
    for (int i = 0; i < n; i++)
        if (i != top)
            offer_edge(f, p[top], p[i]);
}

static void face_of_box(const convex *c, feature *f)
{
    const tact_vec3 axis[3] = {c->transform.x_axis, c->transform.y_axis, c->transform.z_axis};
    for (int i = 0; i < 3; i++) {
        tact_vec3 u = axis[(i + 1) % 3], v = axis[(i + 2) % 3], normal = vec_cross(u, v);
        tact_vec3 centre = axis[i];
        if (vec_dot(normal, f->direction) < 0.0)
            normal = vec_negate(normal);
        if (vec_dot(normal, centre) < 0.0)
            centre = vec_negate(centre);
        if (!takes_face(f, normal))
            continue;
        f->corners[0] = vec_add(vec_add(centre, u), v);
        f->corners[1] = vec_add(vec_sub(centre, u), v);
        f->corners[2] = vec_sub(vec_sub(centre, u), v);
        f->corners[3] = vec_sub(vec_add(centre, u), v);
        f->count = 4;
    }
    if (f->count > 0)
        return;
    uint64_t ignored;
    tact_vec3 top = support_of_box(c, f->direction, &ignored);
    for (int i = 0; i < 3; i++) {
        double sign = vec_dot(axis[i], f->direction) < 0.0 ? -1.0 : 1.0;
        offer_edge(f, top, vec_mul_add(top, -2.0 * sign, axis[i]));
    }
}

static void face_of_hull(const convex *c, feature *f)
{
    const hull *h = c->shape->hull;
    /* Normals go with the inverse transpose, which is the matrix of cofactors up to a factor. */
    tact_transform cofactor = {vec_cross(c->transform.y_axis, c->transform.z_axis),
                               vec_cross(c->transform.z_axis, c->transform.x_axis),
                               vec_cross(c->transform.x_axis, c->transform.y_axis),
                               {0.0, 0.0, 0.0}};
    double sign = vec_dot(c->transform.x_axis, cofactor.x_axis) < 0.0 ? -1.0 : 1.0;
    const hull_face *face = NULL;
    for (uint32_t i = 0; i < h->face_count; i++)
        if (takes_face(f, vec_scale(vec_transform(&cofactor, h->faces[i].normal), sign)))
            face = &h->faces[i];
    if (face != NULL) {
        uint32_t room = face->vertex_count < CONVEX_FACE_VERTICES ? face->vertex_count : CONVEX_FACE_VERTICES;
        for (uint32_t i = 0; i < room; i++) {
            uint32_t corner =
                h->face_vertices[face->first_vertex + (uint32_t)((uint64_t)i * face->vertex_count / room)];
            f->corners[i] = vec_transform(&c->transform, h->vertices[corner]);
        }
        f->count = (int)room;
        return;
    }
    uint32_t top = tact_hull_support(h, vec_transform_transposed(&c->transform, f->direction));
    for (uint32_t i = h->first_neighbour[top]; i < h->first_neighbour[top + 1]; i++)
        offer_edge(f, vec_transform(&c->transform, h->vertices[top]),
                   vec_transform(&c->transform, h->vertices[h->neighbours[i]]));
}

/* The rim of half axes x, z around `centre` as a regular polygon (up to the affine map). */
static void fill_cap(const convex *c, tact_vec3 centre, feature *f)
{
    static const double turn = 6.283185307179586 / CONVEX_FACE_VERTICES;
    for (int i = 0; i < CONVEX_FACE_VERTICES; i++)
        f->corners[i] =
            vec_mul_add(vec_mul_add(centre, cos(turn * i), c->transform.x_axis), sin(turn * i), c->transform.z_axis);
    f->count = CONVEX_FACE_VERTICES;
}

static void face_of_cylinder(const convex *c, feature *f)
{
    tact_vec3 normal = vec_cross(c->transform.z_axis, c->transform.x_axis);
    if (vec_dot(normal, c->transform.y_axis) < 0.0)
        normal = vec_negate(normal);
    bool cone = c->kind == CONVEX_CONE;
    tact_vec3 top = c->transform.y_axis, bottom = vec_negate(top);
    if (!cone && takes_face(f, normal))
        fill_cap(c, top, f);
    if (takes_face(f, vec_negate(normal)))
        fill_cap(c, bottom, f);
    if (f->count > 0)
        return;
    /* The generator that faces the direction: from rim to rim, or from rim to apex. */
    tact_vec3 g = vec_transform_transposed(&c->transform, f->direction);
    g.y = 0.0;
    tact_vec3 rim = vec_transform(&c->transform, vec_normalize(g));
    offer_edge(f, vec_add(bottom, rim), cone ? top : vec_add(top, rim));
}

int tact_convex_support_face(const convex *c, tact_vec3 direction, double slack,
                             tact_vec3 corners[CONVEX_FACE_VERTICES], tact_vec3 *normal)
{
    feature f = {vec_normalize(direction), slack, INFINITY, corners, normal, 0};
    switch (c->kind) {
    case CONVEX_POINTS:
        face_of_points(c, &f);
        break;
    case CONVEX_BOX:
        face_of_box(c, &f);
        break;
    case CONVEX_HULL:
        face_of_hull(c, &f);
        break;
    case CONVEX_CYLINDER:
    case CONVEX_CONE:
        face_of_cylinder(c, &f);
        break;
    case CONVEX_CAPSULE: {
        tact_vec3 round = tact_convex_support(c, f.direction, NULL);
        double sign = vec_dot(c->axis, f.direction) < 0.0 ? -1.0 : 1.0;
        offer_edge(&f, round, vec_mul_add(round, -2.0 * sign, c->axis));
        break;
    }
    case CONVEX_ELLIPSOID:
    case CONVEX_COMPOSITE:
        break;
    }
    if (f.count == 0) {
        corners[0] = tact_convex_support(c, f.direction, NULL);
        return 1;
    }
    if (f.count > 2)
        wind(&f);
    return f.count;
}
