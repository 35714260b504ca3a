/*
 * The support feature of a convex core along a direction: the face, edge or vertex from which contact manifolds are
 * clipped.
 *
 * It is the face whose normal is closest to the direction, if the sine of their angle is below the limit. Otherwise it
 * is the edge at the support vertex that is closest to perpendicular to the direction, within the same limit; else the
 * support point. Caps of cylinders and cones are faces, their generators edges. Minkowski sums, convex hulls of shapes,
 * custom shapes and ellipsoids have only a support point.
 * Cost: linear in the number of faces.
 */
#include <string.h>

#include "shape/convex.h"
#include "shape/support.h"

typedef struct support_feature {
    tact_vec3 direction; /* unit */
    double max_sine;     /* sine of the largest tilt against the plane perpendicular to `direction` */
    double sine;         /* sine of the tilt of the best feature so far; INFINITY for none */
    tact_vec3 *vertices;
    tact_vec3 *normal;
    int count;
} support_feature;

/* Whether the face with this outward normal (any length) is tilted less than the limit and the best face so far. */
static bool accept_face(support_feature *f, tact_vec3 normal)
{
    tact_vec3 unit = vec_normalize(normal);
    double cosine = vec_dot(unit, f->direction), sine = vec_length(vec_cross(unit, f->direction));
    if (!(cosine > 0.0) || !(sine < f->max_sine) || !(sine < f->sine))
        return false;
    f->sine = sine;
    *f->normal = unit;
    return true;
}

/* Stores the edge from p to q if it is tilted less than the limit and the best feature so far. */
static void accept_edge(support_feature *f, tact_vec3 p, tact_vec3 q)
{
    tact_vec3 unit = vec_normalize(vec_sub(q, p));
    double sine = fabs(vec_dot(unit, f->direction));
    if (!(vec_length_squared(unit) > 0.0) || !(sine < f->max_sine) || !(sine < f->sine))
        return;
    f->sine = sine;
    f->vertices[0] = p;
    f->vertices[1] = q;
    f->count = 2;
}

/* Orders the vertices counter-clockwise about the direction. */
static void orient_counterclockwise(support_feature *f)
{
    tact_vec3 area = {0.0, 0.0, 0.0};
    for (int i = 1; i + 1 < f->count; i++)
        area = vec_add(area,
                       vec_cross(vec_sub(f->vertices[i], f->vertices[0]), vec_sub(f->vertices[i + 1], f->vertices[0])));
    if (vec_dot(area, f->direction) >= 0.0)
        return;
    for (int i = 0, j = f->count - 1; i < j; i++, j--) {
        tact_vec3 vertex = f->vertices[i];
        f->vertices[i] = f->vertices[j];
        f->vertices[j] = vertex;
    }
}

static void points_feature(const convex *c, support_feature *f)
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
        if (accept_face(f, normal)) {
            for (int k = 0; k < 3; k++)
                f->vertices[k] = p[t[k]];
            f->count = 3;
        }
    }
    if (f->count > 0)
        return;
    int top = support_of_points(p, n, f->direction);
    f->sine = INFINITY;
    for (int i = 0; i < n; i++)
        if (i != top)
            accept_edge(f, p[top], p[i]);
}

static void box_feature(const convex *c, support_feature *f)
{
    const tact_vec3 axis[3] = {c->transform.x_axis, c->transform.y_axis, c->transform.z_axis};
    for (int i = 0; i < 3; i++) {
        tact_vec3 u = axis[(i + 1) % 3], v = axis[(i + 2) % 3], normal = vec_cross(u, v);
        tact_vec3 centre = axis[i];
        if (vec_dot(normal, f->direction) < 0.0)
            normal = vec_negate(normal);
        if (vec_dot(normal, centre) < 0.0)
            centre = vec_negate(centre);
        if (!accept_face(f, normal))
            continue;
        f->vertices[0] = vec_add(vec_add(centre, u), v);
        f->vertices[1] = vec_add(vec_sub(centre, u), v);
        f->vertices[2] = vec_sub(vec_sub(centre, u), v);
        f->vertices[3] = vec_sub(vec_add(centre, u), v);
        f->count = 4;
    }
    if (f->count > 0)
        return;
    uint64_t ignored;
    tact_vec3 top = support_of_box(c, f->direction, &ignored);
    for (int i = 0; i < 3; i++) {
        double sign = vec_dot(axis[i], f->direction) < 0.0 ? -1.0 : 1.0;
        accept_edge(f, top, vec_mul_add(top, -2.0 * sign, axis[i]));
    }
}

static void hull_feature(const convex *c, support_feature *f)
{
    const hull *h = c->shape->hull;
    /* The inverse transpose maps normals. It is the cofactor matrix, up to a factor. */
    tact_transform cofactor = {vec_cross(c->transform.y_axis, c->transform.z_axis),
                               vec_cross(c->transform.z_axis, c->transform.x_axis),
                               vec_cross(c->transform.x_axis, c->transform.y_axis),
                               {0.0, 0.0, 0.0}};
    double sign = vec_dot(c->transform.x_axis, cofactor.x_axis) < 0.0 ? -1.0 : 1.0;
    const hull_face *face = NULL;
    for (uint32_t i = 0; i < h->face_count; i++)
        if (accept_face(f, vec_scale(vec_transform(&cofactor, h->faces[i].normal), sign)))
            face = &h->faces[i];
    if (face != NULL) {
        uint32_t count = face->vertex_count < CONVEX_FACE_VERTICES ? face->vertex_count : CONVEX_FACE_VERTICES;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t vertex =
                h->face_vertices[face->first_vertex + (uint32_t)((uint64_t)i * face->vertex_count / count)];
            f->vertices[i] = vec_transform(&c->transform, h->vertices[vertex]);
        }
        f->count = (int)count;
        return;
    }
    uint32_t top = tact_hull_support(h, vec_transform_transposed(&c->transform, f->direction));
    for (uint32_t i = h->first_neighbour[top]; i < h->first_neighbour[top + 1]; i++)
        accept_edge(f, vec_transform(&c->transform, h->vertices[top]),
                    vec_transform(&c->transform, h->vertices[h->neighbours[i]]));
}

/* A regular polygon, under the affine map, inscribed in the rim with half axes x and z around `centre`. */
static void cap_polygon(const convex *c, tact_vec3 centre, support_feature *f)
{
    static const double angle = 6.283185307179586 / CONVEX_FACE_VERTICES;
    for (int i = 0; i < CONVEX_FACE_VERTICES; i++)
        f->vertices[i] =
            vec_mul_add(vec_mul_add(centre, cos(angle * i), c->transform.x_axis), sin(angle * i), c->transform.z_axis);
    f->count = CONVEX_FACE_VERTICES;
}

static void cylinder_feature(const convex *c, support_feature *f)
{
    tact_vec3 normal = vec_cross(c->transform.z_axis, c->transform.x_axis);
    if (vec_dot(normal, c->transform.y_axis) < 0.0)
        normal = vec_negate(normal);
    bool cone = c->kind == CONVEX_CONE;
    tact_vec3 top = c->transform.y_axis, bottom = vec_negate(top);
    if (!cone && accept_face(f, normal))
        cap_polygon(c, top, f);
    if (accept_face(f, vec_negate(normal)))
        cap_polygon(c, bottom, f);
    if (f->count > 0)
        return;
    /* The generator along the direction: from rim to rim, or from rim to apex. */
    tact_vec3 g = vec_transform_transposed(&c->transform, f->direction);
    g.y = 0.0;
    tact_vec3 rim = vec_transform(&c->transform, vec_normalize(g));
    accept_edge(f, vec_add(bottom, rim), cone ? top : vec_add(top, rim));
}

int tact_convex_support_face(const convex *c, tact_vec3 direction, double max_sine,
                             tact_vec3 vertices[CONVEX_FACE_VERTICES], tact_vec3 *normal)
{
    support_feature f = {vec_normalize(direction), max_sine, INFINITY, vertices, normal, 0};
    switch (c->kind) {
    case CONVEX_POINTS:
        points_feature(c, &f);
        break;
    case CONVEX_BOX:
        box_feature(c, &f);
        break;
    case CONVEX_HULL:
        hull_feature(c, &f);
        break;
    case CONVEX_CYLINDER:
    case CONVEX_CONE:
        cylinder_feature(c, &f);
        break;
    case CONVEX_CAPSULE: {
        tact_vec3 support = tact_convex_support(c, f.direction, NULL);
        double sign = vec_dot(c->axis, f.direction) < 0.0 ? -1.0 : 1.0;
        accept_edge(&f, support, vec_mul_add(support, -2.0 * sign, c->axis));
        break;
    }
    case CONVEX_ELLIPSOID:
    case CONVEX_COMPOSITE:
        break;
    }
    if (f.count == 0) {
        vertices[0] = tact_convex_support(c, f.direction, NULL);
        return 1;
    }
    if (f.count > 2)
        orient_counterclockwise(&f);
    return f.count;
}
