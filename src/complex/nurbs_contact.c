/*
 * Contact points on the true surfaces of NURBS shapes: the points of the surfaces closest to those on the triangles.
 *
 * Guarantee: each point is on its surface, up to rounding, and no point of the leaf is closer to the given one by more
 * than 1e-10 of the size of the leaf. Cost: that of a closest point for each side.
 */
#include "complex/nurbs_query.h"

typedef struct leaf_search {
    uint32_t number;
    bool found;
    instance leaf;
} leaf_search;

static bool visit_leaf(void *context, const instance *leaf)
{
    leaf_search *s = context;
    s->found = leaf->leaf == s->number;
    if (s->found)
        s->leaf = *leaf;
    return !s->found;
}

/* The foot of a point on the leaf of its part; `any` is false if the leaf has no surfaces. */
static surface_foot find_foot(const tact_shape *shape, const tact_transform *at, tact_vec3 point, uint32_t number,
                              double *margin)
{
    surface_foot foot = {.status = TACT_BAD_ARGUMENT};
    leaf_search s = {.number = number};
    instance p;
    *margin = 0.0;
    if (tact_instance_make(&p, shape, at) != TACT_OK || shape_is_empty(shape))
        return foot;
    (void)tact_traverse_leaves(&p, visit_leaf, &s);
    if (!s.found)
        return foot;
    foot.status = TACT_OK;
    if (s.leaf.shape->nurbs == NULL)
        return foot;
    *margin = tact_nurbs_leaf_margin(&s.leaf);
    return tact_nurbs_closest_on_leaf(&s.leaf, point, INFINITY);
}

tact_nurbs_contact tact_nurbs_move_contact(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                           const tact_transform *transform_b, const tact_contact_point *contact)
{
    tact_nurbs_contact r = {.status = TACT_BAD_ARGUMENT, .contact = *contact};
    double margin_a, margin_b;
    const surface_foot on_a = find_foot(a, transform_a, contact->on_a, contact->part_a.leaf, &margin_a),
                       on_b = find_foot(b, transform_b, contact->on_b, contact->part_b.leaf, &margin_b);
    if (on_a.status == TACT_BAD_ARGUMENT || on_b.status == TACT_BAD_ARGUMENT || (!on_a.any && !on_b.any)) {
        const bool memory = on_a.status == TACT_OUT_OF_MEMORY || on_b.status == TACT_OUT_OF_MEMORY;
        return (tact_nurbs_contact){.status = memory ? TACT_OUT_OF_MEMORY : TACT_BAD_ARGUMENT};
    }
    r.status = on_a.status != TACT_OK ? on_a.status : on_b.status;
    if (r.status == TACT_OUT_OF_MEMORY)
        return (tact_nurbs_contact){.status = r.status};
    tact_vec3 n = on_a.any ? on_a.normal : on_b.normal;
    if (vec_dot(n, contact->normal) < 0.0)
        n = vec_negate(n);
    r.contact.normal = vec_max_abs(n) > 0.0 ? n : contact->normal;
    if (on_a.any) {
        r.place_a = on_a.place;
        r.contact.on_a = vec_mul_add(on_a.point, margin_a, r.contact.normal);
    }
    if (on_b.any) {
        r.place_b = on_b.place;
        r.contact.on_b = vec_mul_add(on_b.point, -margin_b, r.contact.normal);
    }
    r.contact.depth = vec_dot(r.contact.normal, vec_sub(r.contact.on_a, r.contact.on_b));
    return r;
}
