/*
 * The contact data of two bodies that touch or are within reach, as a response wants it. Nothing here depends on cached
 * data of the pair, so contacts are the same, bit for bit, with caching on or off. The pair test has decided that the
 * bodies touch. If a query finds them separate by a rounding error, the contact has its closest points.
 */
#include "world/world_constants.h"
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
        m->points[0] = (tact_manifold_point){
            .on_a = d.on_a, .on_b = d.on_b, .depth = d.depth, .part_a = d.part_a, .part_b = d.part_b};
    }
    contact->status = m->status;
    contact->manifold = m;
    if (m->count > 0) {
        fill_points(contact, m->points[0].on_a, m->points[0].on_b, m->normal, m->depth);
        fill_parts(contact, m->points[0].part_a, m->points[0].part_b);
    }
}

/* All contact points. The array is reused for the next contact, as that of fill_intersections. It grows step by step:
 * while there are too few, coincident points are counted several times. Without memory, as many of the deepest points
 * as there is room for. */
static void fill_contact_points(const world_body *a, const world_body *b, double max_separation, tact_contact *contact,
                                tact_world *world, contact_storage *storage)
{
    contact_point_array *all = &world->contact_points;
    const bool has_array = all->capacity > TACT_MANIFOLD_POINTS;
    tact_contact_point *points = has_array ? all->items : storage->points;
    size_t capacity = has_array ? all->capacity : TACT_MANIFOLD_POINTS;
    tact_contacts found =
        tact_shapes_contacts(a->shape, a->transform, b->shape, b->transform, max_separation, points, capacity);
    while (found.count > capacity) {
        const size_t next =
            found.count / CONTACT_POINTS_GROWTH < capacity ? found.count : CONTACT_POINTS_GROWTH * capacity;
        if (!contact_point_array_reserve(all, &world->allocator, next)) {
            found = (tact_contacts){TACT_OUT_OF_MEMORY, TACT_HIT, capacity};
            break;
        }
        points = all->items;
        capacity = all->capacity;
        found = tact_shapes_contacts(a->shape, a->transform, b->shape, b->transform, max_separation, points, capacity);
    }
    if (found.count == 0 && found.status == TACT_OK) {
        const tact_penetration d = tact_shapes_penetration(a->shape, a->transform, b->shape, b->transform);
        found = (tact_contacts){d.status, TACT_HIT, d.status == TACT_OK};
        points[0] = (tact_contact_point){.on_a = d.on_a,
                                         .on_b = d.on_b,
                                         .normal = d.normal,
                                         .depth = d.depth,
                                         .part_a = d.part_a,
                                         .part_b = d.part_b};
    }
    contact->status = found.status;
    if (found.count == 0)
        return;
    contact->points = points;
    contact->point_count = found.count;
    fill_points(contact, points[0].on_a, points[0].on_b, points[0].normal, points[0].depth);
    fill_parts(contact, points[0].part_a, points[0].part_b);
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
                             double reach, tact_contact *contact, contact_storage *storage)
{
    bool first_is_one = world->bodies.items[one].serial < world->bodies.items[other].serial;
    uint32_t first = first_is_one ? one : other, second = first_is_one ? other : one;
    const double max_separation = max_double(response->max_separation, reach);
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
        fill_manifold(a, b, max_separation, contact, &storage->manifold);
        break;
    case TACT_CONTACT_POINTS:
        fill_contact_points(a, b, max_separation, contact, world, storage);
        break;
    case TACT_INTERSECTIONS:
        fill_intersections(a, b, contact, world);
        break;
    }
}
