/*
 * The contact data of two bodies that touch, as a response wants it. Nothing here depends on cached data of the pair,
 * so contacts are the same, bit for bit, with caching on or off. The pair test has decided that the bodies touch. If a
 * query finds them separate by a rounding error, the contact has its closest points.
 */
#include "world/world_internal.h"

static tact_vec3 midpoint(tact_vec3 a, tact_vec3 b) { return vec_scale(vec_add(a, b), 0.5); }

static void fill_parts(tact_contact *contact, tact_part a, tact_part b)
{
    contact->part_a = a;
    contact->part_b = b;
}

static void fill_points(tact_contact *contact, tact_vec3 on_a, tact_vec3 on_b, tact_vec3 normal, double depth)
{
    contact->on_a = on_a;
    contact->on_b = on_b;
    contact->normal = normal;
    contact->depth = depth;
    contact->point = midpoint(on_a, on_b);
}

static void fill_common_point(const world_body *a, const world_body *b, tact_contact *contact)
{
    tact_common_point common = tact_shapes_common_point(a->shape, a->transform, b->shape, b->transform, NULL);
    contact->status = common.status;
    if (common.state != TACT_HIT) {
        tact_distance d = tact_shapes_distance(a->shape, a->transform, b->shape, b->transform);
        contact->status = d.status;
        common.point = midpoint(d.on_a, d.on_b);
        common.part_a = d.part_a;
        common.part_b = d.part_b;
    }
    fill_parts(contact, common.part_a, common.part_b);
    contact->point = contact->on_a = contact->on_b = common.point;
}

static void fill_manifold(const world_body *a, const world_body *b, double max_separation, tact_contact *contact,
                          tact_manifold *m)
{
    *m = tact_shapes_manifold(a->shape, a->transform, b->shape, b->transform, max_separation);
    if (m->count == 0 && m->status == TACT_OK) {
        tact_penetration d = tact_shapes_penetration(a->shape, a->transform, b->shape, b->transform);
        *m = (tact_manifold){.status = d.status, .state = TACT_HIT, .normal = d.normal, .depth = d.depth, .count = 1};
        m->points[0] = (tact_manifold_point){d.on_a, d.on_b, d.depth, d.part_a, d.part_b};
    }
    contact->status = m->status;
    contact->manifold = m;
    if (m->count > 0) {
        fill_points(contact, m->points[0].on_a, m->points[0].on_b, m->normal, m->depth);
        fill_parts(contact, m->points[0].part_a, m->points[0].part_b);
    }
}

/* The array is reused for the next contact: a world whose contacts do not grow allocates nothing. */
static void fill_intersections(const world_body *a, const world_body *b, tact_contact *contact, tact_world *world)
{
    intersection_array *s = &world->intersections;
    tact_intersections c =
        tact_shapes_intersections(a->shape, a->transform, b->shape, b->transform, s->items, s->capacity);
    if (c.status == TACT_OUT_OF_MEMORY && intersection_array_reserve(s, &world->allocator, c.count))
        c = tact_shapes_intersections(a->shape, a->transform, b->shape, b->transform, s->items, s->capacity);
    contact->status = c.status;
    if (c.status == TACT_OUT_OF_MEMORY || c.count == 0)
        return;
    contact->intersections = s->items;
    contact->intersection_count = c.count;
}

void tact_world_fill_contact(tact_world *world, uint32_t one, uint32_t other, const tact_response *response,
                             tact_contact *contact, tact_manifold *manifold)
{
    bool first_is_one = world->bodies.items[one].serial < world->bodies.items[other].serial;
    uint32_t first = first_is_one ? one : other, second = first_is_one ? other : one;
    const world_body *a = &world->bodies.items[first], *b = &world->bodies.items[second];
    const world_body_cold *cold_a = &world->cold.items[first], *cold_b = &world->cold.items[second];
    *contact = (tact_contact){.world = world,
                              .a = body_handle(world, first),
                              .b = body_handle(world, second),
                              .user_a = cold_a->user,
                              .user_b = cold_b->user,
                              .want = response->want};
    switch (response->want) {
    case TACT_NOTHING:
        break;
    case TACT_WITNESS:
        fill_common_point(a, b, contact);
        break;
    case TACT_PREVIOUS: {
        tact_distance d = tact_shapes_distance(cold_a->previous_shape, cold_a->previous_transform,
                                               cold_b->previous_shape, cold_b->previous_transform);
        contact->status = d.status;
        fill_points(contact, d.on_a, d.on_b, d.normal, -d.distance);
        fill_parts(contact, d.part_a, d.part_b);
        break;
    }
    case TACT_CONTACTS:
        fill_manifold(a, b, response->max_separation, contact, manifold);
        break;
    case TACT_INTERSECTIONS:
        fill_intersections(a, b, contact, world);
        break;
    }
}
