/* Telling a shape to the library. A custom shape gets a support function of this file, in plain doubles. */
#include <string.h>

#include "recipe.h"

static tact_vec3 custom_support(void *context, tact_vec3 n)
{
    const recipe_item *r = context;
    double largest = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
    n = (tact_vec3){n.x / largest, n.y / largest, n.z / largest}; /* of any length: squares must not vanish */
    tact_vec3 best = {0, 0, 0};
    double x = r->size.x, y = r->size.y, z = r->size.z, flat = 0.0, most = -HUGE_VAL;
    switch (r->stands_for) {
    case TACT_BOX:
        return (tact_vec3){copysign(0.5 * x, n.x), copysign(0.5 * y, n.y), copysign(0.5 * z, n.z)};
    case TACT_SPHERE:
        x = y = z = r->radius;
        /* fall through */
    case TACT_ELLIPSOID: {
        double u = x * n.x, v = y * n.y, w = z * n.z, length = sqrt(u * u + v * v + w * w);
        if (length > 0.0)
            best = (tact_vec3){x * (u / length), y * (v / length), z * (w / length)};
        return best;
    }
    case TACT_CYLINDER:
        best.y = copysign(0.5 * r->height, n.y);
        flat = sqrt(n.x * n.x + n.z * n.z);
        if (flat > 0.0) {
            best.x = r->radius * (n.x / flat);
            best.z = r->radius * (n.z / flat);
        }
        return best;
    default:
        for (int i = 0; i < r->point_count; i++) {
            double along = n.x * r->points[i].x + n.y * r->points[i].y + n.z * r->points[i].z;
            if (along > most) {
                most = along;
                best = r->points[i];
            }
        }
        return best;
    }
}

static double custom_radius(const recipe_item *r)
{
    double most = 0.0;
    switch (r->stands_for) {
    case TACT_BOX:
        return 0.5 * sqrt(r->size.x * r->size.x + r->size.y * r->size.y + r->size.z * r->size.z) * (1.0 + 1e-15);
    case TACT_SPHERE:
        return r->radius;
    case TACT_ELLIPSOID:
        return fmax(r->size.x, fmax(r->size.y, r->size.z));
    case TACT_CYLINDER:
        return sqrt(r->radius * r->radius + 0.25 * r->height * r->height) * (1.0 + 1e-15);
    default:
        for (int i = 0; i < r->point_count; i++) {
            const tact_vec3 *p = &r->points[i];
            most = fmax(most, sqrt(p->x * p->x + p->y * p->y + p->z * p->z));
        }
        return most * (1.0 + 1e-15);
    }
}

static tact_shape *make_item(recipe *whole, int item)
{
    recipe_item *r = &whole->items[item];
    tact_shape_def def = tact_shape_def_default();
    tact_shape *parts[2] = {NULL, NULL};
    def.type = r->type;
    def.radius = r->radius;
    def.height = r->height;
    def.size = r->size;
    def.points = r->points;
    def.point_count = (size_t)r->point_count;
    def.transform = r->place;
    def.margin = r->margin;
    if (r->type == TACT_CUSTOM) {
        def.support = custom_support;
        def.support_context = r;
        def.support_radius = custom_radius(r);
    }
    int count = r->type == TACT_MINKOWSKI_SUM || r->type == TACT_CONVEX_HULL_OF ? 2
                : r->type == TACT_TRANSFORMED                                   ? 1
                                                                                : 0;
    for (int k = 0; k < count; k++)
        def.parts[k] = parts[k] = make_item(whole, r->parts[k]);
    tact_shape *shape = tact_shape_create(&def, NULL);
    for (int k = 0; k < count; k++)
        tact_shape_release(parts[k]);
    return shape;
}

tact_shape *recipe_shape(recipe *r) { return make_item(r, 0); }
