/*
 * The support feature of a convex core along a direction: the face, edge or vertex from which contact manifolds are
 * clipped.
 *
 * It is the face whose normal is closest to the direction, if the sine of their angle is below the limit. Otherwise it
 * is the edge at the support vertex that is closest to perpendicular to the direction, within the same limit; else the
 * support point. Caps of cylinders and cones are faces, their generators edges. Minkowski sums, convex hulls of shapes,
 * custom shapes and ellipsoids have only a support point.
 *
 * Vertices have numbers that do not depend on the transform. Points: their order. Box: the sum of 1, 2 and 4 for a
 * maximal x, y and z. Hull: its order. Capsule: 0 and 1. Cylinder and cone: the vertices of the lower cap, then of the
 * upper one, then the ends of the generator, wherever it is on the mantle.
 * Cost: linear in the number of faces.
 */
#include <string.h>

#include "math/elementary.h"
#include "shape/convex.h"
#include "shape/support.h"

typedef struct support_feature {
    tact_vec3 direction; /* unit */
    double max_sine;     /* sine of the largest tilt against the plane perpendicular to `direction` */
    double sine;         /* sine of the tilt of the best feature so far; INFINITY for none */
    convex_face *out;
} support_feature;

enum {
    LOWER_CAP = 0,                              /* number of the face, and of its first vertex */
    UPPER_CAP = 1,                              /* number of the face */
    UPPER_CAP_VERTICES = CONVEX_FACE_VERTICES,  /* number of its first vertex */
    GENERATOR_LOWER = 2 * CONVEX_FACE_VERTICES, /* number of its lower end */
    GENERATOR_UPPER                             /* number of its upper end */
};

static void set_vertex(support_feature *f, int i, tact_vec3 vertex, uint32_t number)
{
    f->out->vertices[i] = vertex;
    f->out->numbers[i] = number;
}

/* Whether the face with this outward normal (any length) is tilted less than the limit and the best face so far. */
static bool accept_face(support_feature *f, tact_vec3 normal, uint32_t number)
{
    tact_vec3 unit = vec_normalize(normal);
    double cosine = vec_dot(unit, f->direction), sine = vec_length(vec_cross(unit, f->direction));
    if (!(cosine > 0.0) || !(sine < f->max_sine) || !(sine < f->sine))
        return false;
    f->sine = sine;
    f->out->normal = unit;
    f->out->number = number;
    return true;
}

/* Stores the edge from p to q if it is tilted less than the limit and the best feature so far. */
static void accept_edge(support_feature *f, tact_vec3 p, uint32_t number_p, tact_vec3 q, uint32_t number_q)
{
    tact_vec3 unit = vec_normalize(vec_sub(q, p));
    double sine = fabs(vec_dot(unit, f->direction));
    if (!(vec_length_squared(unit) > 0.0) || !(sine < f->max_sine) || !(sine < f->sine))
        return;
    f->sine = sine;
    set_vertex(f, 0, p, number_p);
    set_vertex(f, 1, q, number_q);
    f->out->count = 2;
}

/* Orders the vertices counter-clockwise about the direction. */
static void orient_counterclockwise(support_feature *f)
{
    tact_vec3 area = {0.0, 0.0, 0.0}, *vertices = f->out->vertices;
    for (int i = 1; i + 1 < f->out->count; i++)
        area = vec_add(area, vec_cross(vec_sub(vertices[i], vertices[0]), vec_sub(vertices[i + 1], vertices[0])));
    if (vec_dot(area, f->direction) >= 0.0)
        return;
    for (int i = 0, j = f->out->count - 1; i < j; i++, j--) {
        const tact_vec3 vertex = vertices[i];
        const uint32_t number = f->out->numbers[i];
        set_vertex(f, i, vertices[j], f->out->numbers[j]);
        set_vertex(f, j, vertex, number);
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
        if (accept_face(f, normal, n == 4 ? (uint32_t)i : 0u)) {
            for (int k = 0; k < 3; k++)
                set_vertex(f, k, p[t[k]], (uint32_t)t[k]);
            f->out->count = 3;
        }
    }
    if (f->out->count > 0)
        return;
    int top = support_of_points(p, n, f->direction);
    f->sine = INFINITY;
    for (int i = 0; i < n; i++)
        if (i != top)
            accept_edge(f, p[top], (uint32_t)top, p[i], (uint32_t)i);
    f->out->numbers[0] = f->out->count > 0 ? f->out->numbers[0] : (uint32_t)top;
}

static void box_feature(const convex *c, support_feature *f)
{
    const tact_vec3 axis[3] = {c->transform.x_axis, c->transform.y_axis, c->transform.z_axis};
    for (int i = 0; i < 3; i++) {
        tact_vec3 u = axis[(i + 1) % 3], v = axis[(i + 2) % 3], normal = vec_cross(u, v);
        tact_vec3 centre = axis[i];
        uint32_t side = 1u << i; /* of the face, in the number of its vertices */
        const uint32_t plus_u = 1u << (i + 1) % 3, plus_v = 1u << (i + 2) % 3;
        if (vec_dot(normal, f->direction) < 0.0)
            normal = vec_negate(normal);
        if (vec_dot(normal, centre) < 0.0) {
            centre = vec_negate(centre);
            side = 0u;
        }
        if (!accept_face(f, normal, 2u * (uint32_t)i + (side != 0u)))
            continue;
        set_vertex(f, 0, vec_add(vec_add(centre, u), v), side | plus_u | plus_v);
        set_vertex(f, 1, vec_add(vec_sub(centre, u), v), side | plus_v);
        set_vertex(f, 2, vec_sub(vec_sub(centre, u), v), side);
        set_vertex(f, 3, vec_sub(vec_add(centre, u), v), side | plus_u);
        f->out->count = 4;
    }
    if (f->out->count > 0)
        return;
    uint64_t negative; /* bit i: the vertex has a minimal coordinate i */
    tact_vec3 top = support_of_box(c, f->direction, &negative);
    const uint32_t number = 7u & ~(uint32_t)negative;
    for (int i = 0; i < 3; i++) {
        double sign = number >> i & 1u ? 1.0 : -1.0;
        accept_edge(f, top, number, vec_mul_add(top, -2.0 * sign, axis[i]), number ^ 1u << i);
    }
    f->out->numbers[0] = f->out->count > 0 ? f->out->numbers[0] : number;
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
        if (accept_face(f, vec_scale(vec_transform(&cofactor, h->faces[i].normal), sign), i))
            face = &h->faces[i];
    if (face != NULL) {
        uint32_t count = face->vertex_count < CONVEX_FACE_VERTICES ? face->vertex_count : CONVEX_FACE_VERTICES;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t vertex =
                h->face_vertices[face->first_vertex + (uint32_t)((uint64_t)i * face->vertex_count / count)];
            set_vertex(f, (int)i, vec_transform(&c->transform, h->vertices[vertex]), vertex);
        }
        f->out->count = (int)count;
        return;
    }
    uint32_t top = tact_hull_support(h, vec_transform_transposed(&c->transform, f->direction));
    for (uint32_t i = h->first_neighbour[top]; i < h->first_neighbour[top + 1]; i++)
        accept_edge(f, vec_transform(&c->transform, h->vertices[top]), top,
                    vec_transform(&c->transform, h->vertices[h->neighbours[i]]), h->neighbours[i]);
    f->out->numbers[0] = f->out->count > 0 ? f->out->numbers[0] : top;
}

/* A regular polygon, under the affine map, inscribed in the rim with half axes x and z around `centre`. */
static void cap_polygon(const convex *c, tact_vec3 centre, uint32_t first_number, support_feature *f)
{
    static const double angle = 6.283185307179586 / CONVEX_FACE_VERTICES;
    for (int i = 0; i < CONVEX_FACE_VERTICES; i++)
        set_vertex(f, i,
                   vec_mul_add(vec_mul_add(centre, tact_cosine(angle * i), c->transform.x_axis), tact_sine(angle * i),
                               c->transform.z_axis),
                   first_number + (uint32_t)i);
    f->out->count = CONVEX_FACE_VERTICES;
}

static void cylinder_feature(const convex *c, support_feature *f)
{
    tact_vec3 normal = vec_cross(c->transform.z_axis, c->transform.x_axis);
    if (vec_dot(normal, c->transform.y_axis) < 0.0)
        normal = vec_negate(normal);
    bool cone = c->kind == CONVEX_CONE;
    tact_vec3 top = c->transform.y_axis, bottom = vec_negate(top);
    if (!cone && accept_face(f, normal, UPPER_CAP))
        cap_polygon(c, top, UPPER_CAP_VERTICES, f);
    if (accept_face(f, vec_negate(normal), LOWER_CAP))
        cap_polygon(c, bottom, LOWER_CAP, f);
    if (f->out->count > 0)
        return;
    /* The generator along the direction: from rim to rim, or from rim to apex. */
    tact_vec3 g = vec_transform_transposed(&c->transform, f->direction);
    g.y = 0.0;
    tact_vec3 rim = vec_transform(&c->transform, vec_normalize(g));
    accept_edge(f, vec_add(bottom, rim), GENERATOR_LOWER, cone ? top : vec_add(top, rim), GENERATOR_UPPER);
}

void tact_convex_support_face(const convex *c, tact_vec3 direction, double max_sine, convex_face *face)
{
    support_feature f = {vec_normalize(direction), max_sine, INFINITY, face};
    face->count = 0;
    face->numbers[0] = CONVEX_NO_NUMBER;
    face->number = 0;
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
        const uint32_t end = sign > 0.0;
        accept_edge(&f, support, end, vec_mul_add(support, -2.0 * sign, c->axis), 1u - end);
        face->numbers[0] = face->count > 0 ? face->numbers[0] : end;
        break;
    }
    case CONVEX_ELLIPSOID:
    case CONVEX_COMPOSITE:
        break;
    }
    if (face->count == 0) {
        face->vertices[0] = tact_convex_support(c, f.direction, NULL);
        face->count = 1;
    } else if (face->count > 2) {
        orient_counterclockwise(&f);
    }
}
