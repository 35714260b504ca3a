/* The triangle of a mesh that is closest to a point: see closest_triangle.h. */
#include "complex/closest_triangle.h"

#include "core/number.h"

double tact_distance_from_triangle(const tact_vec3 p[3], tact_vec3 q)
{
    double nearest = INFINITY;
    bool inside = true;
    tact_vec3 n = vec_normalize(vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])));
    for (int i = 0; i < 3; i++) {
        tact_vec3 d = vec_sub(p[(i + 1) % 3], p[i]), to = vec_sub(q, p[i]);
        double square = vec_length_squared(d),
               t = square > 0.0 ? number_min(number_max(vec_dot(d, to) / square, 0.0), 1.0) : 0.0;
        nearest = number_min(nearest, vec_length_safe(vec_mul_add(to, -t, d)));
        inside = inside && vec_dot(vec_cross(n, d), to) >= 0.0;
    }
    return inside && vec_max_abs(n) > 0.0 ? fabs(vec_dot(n, vec_sub(q, p[0]))) : nearest;
}

typedef struct closest_triangle {
    const instance *of;
    tact_vec3 point;
    double distance;
    uint32_t found;
} closest_triangle;

static double visit(void *context, uint32_t triangle, double limit)
{
    closest_triangle *s = context;
    tact_vec3 p[3];
    mesh_triangle(s->of->shape->mesh, &s->of->at, triangle, p);
    const double distance = tact_distance_from_triangle(p, s->point);
    if (!(distance < s->distance))
        return limit;
    s->distance = distance;
    s->found = triangle;
    return distance;
}

uint32_t tact_closest_triangle(const instance *of, tact_vec3 point)
{
    const box query = box_of_point(vec_make(0.0, 0.0, 0.0));
    const tact_transform frame = tact_at(point.x, point.y, point.z);
    closest_triangle s = {of, point, INFINITY, NO_TRIANGLE};
    (void)tact_aabb_tree_nearest(&of->shape->mesh->tree, &of->at, &query, &frame, INFINITY, visit, &s);
    return s.found;
}

tact_vec3 tact_normal_of_triangle_near(const primitive *s, tact_vec3 n)
{
    tact_vec3 p[3];
    mesh_triangle(s->of->shape->mesh, &s->of->at, s->element, p);
    const tact_vec3 own = vec_normalize(vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])));
    const double cosine = vec_dot(own, n);
    if (!(fabs(cosine) > COMPLEX_NEAR_NORMAL))
        return n;
    return cosine < 0.0 ? vec_negate(own) : own;
}
