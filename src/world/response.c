/*
 * The response that applies to a pair: see tact/response.h. Responses of pairs are in a hash table under the indices of
 * the bodies, with their generations as stamp: removing a body changes its generation, which makes its pair responses
 * stale. The response of a body is stored with the body, those of classes in a second table. Tables are searched only
 * for bodies that have had a pair response, and in worlds that have class responses.
 */
#include "world/world_internal.h"

static uint64_t pair_key(uint32_t one, uint32_t other)
{
    return one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;
}

/* The generations of two bodies, in the order of their indices. */
static uint64_t pair_stamp(const tact_world *world, uint32_t one, uint32_t other)
{
    uint32_t low = one < other ? one : other, high = one < other ? other : one;
    return (uint64_t)world->bodies.items[low].generation << 32 | world->bodies.items[high].generation;
}

static bool pair_is_stale(const void *context, const response_entry *entry)
{
    const tact_world *world = context;
    uint32_t low = (uint32_t)(entry->key >> 32), high = (uint32_t)entry->key;
    return pair_stamp(world, low, high) != entry->stamp;
}

#define CLASS_STAMP 1 /* responses of classes are never stale */

static const tact_response *class_response(const tact_world *world, uint32_t first, uint32_t second)
{
    uint32_t one = world->cold.items[first].class_id, other = world->cold.items[second].class_id;
    const tact_response *found = NULL;
    if (one != 0 && other != 0)
        found = tact_response_table_find(&world->classes, pair_key(one, other), CLASS_STAMP);
    if (found == NULL && one != 0)
        found = tact_response_table_find(&world->classes, pair_key(0, one), CLASS_STAMP);
    if (found == NULL && other != 0)
        found = tact_response_table_find(&world->classes, pair_key(0, other), CLASS_STAMP);
    return found;
}

tact_response tact_response_of(const tact_world *world, uint32_t one, uint32_t other)
{
    const world_body *a = &world->bodies.items[one], *b = &world->bodies.items[other];
    const tact_response *found = NULL;
    if (a->flags & b->flags & BODY_HAS_PAIR_RESPONSE)
        found = tact_response_table_find(&world->pairs, pair_key(one, other), pair_stamp(world, one, other));
    if (found != NULL)
        return *found;
    bool one_first = a->serial < b->serial;
    uint32_t first = one_first ? one : other, second = one_first ? other : one;
    const tact_response *own[2] = {
        world->bodies.items[first].flags & BODY_HAS_RESPONSE ? &world->cold.items[first].response : NULL,
        world->bodies.items[second].flags & BODY_HAS_RESPONSE ? &world->cold.items[second].response : NULL};
    if (own[0] != NULL || own[1] != NULL) {
        tact_response response = own[0] != NULL ? *own[0] : *own[1];
        response.sensor = response.sensor || (own[1] != NULL && own[1]->sensor);
        return response;
    }
    if (world->classes.count > 0)
        found = class_response(world, first, second);
    return found != NULL ? *found : world->response;
}

tact_response tact_response_of_ended(const tact_world *world, const reported_pair *pair)
{
    const bool a_exists = body_find(world, pair->a) != NULL, b_exists = body_find(world, pair->b) != NULL;
    if (a_exists && b_exists)
        return tact_response_of(world, pair->a.index, pair->b.index);
    if (!a_exists && !b_exists)
        return world->response;
    const uint32_t left = a_exists ? pair->a.index : pair->b.index, class_id = world->cold.items[left].class_id;
    if (world->bodies.items[left].flags & BODY_HAS_RESPONSE)
        return world->cold.items[left].response;
    const tact_response *found =
        class_id != 0 ? tact_response_table_find(&world->classes, pair_key(0, class_id), CLASS_STAMP) : NULL;
    return found != NULL ? *found : world->response;
}

/* Brings a response into the form in which it is stored; false if it is invalid. */
static bool normalize(tact_response *response)
{
    if (response->callback == NULL) {
        *response = (tact_response){.sensor = response->sensor};
        return true;
    }
    return (response->want == TACT_NOTHING || response->want == TACT_WITNESS || response->want == TACT_PREVIOUS ||
            response->want == TACT_CONTACTS || response->want == TACT_INTERSECTIONS ||
            response->want == TACT_CONTACT_POINTS) &&
           response->max_separation >= 0.0 && response->max_separation < INFINITY;
}

tact_status tact_world_set_contact_callback(tact_world *world, tact_response response)
{
    if (world == NULL || !normalize(&response))
        return TACT_BAD_ARGUMENT;
    world->response = response;
    WORLD_NOTIFY(world, .type = CALL_SET_WORLD_CALLBACK, .response = &response);
    return TACT_OK;
}

static tact_status set_class_response(tact_world *world, uint32_t one, uint32_t other, tact_response response)
{
    if (!normalize(&response))
        return TACT_BAD_ARGUMENT;
    if (!tact_response_table_set(&world->classes, &world->allocator, pair_key(one, other), CLASS_STAMP, response, NULL,
                                 NULL))
        return TACT_OUT_OF_MEMORY;
    WORLD_NOTIFY(world, .type = one != 0 ? CALL_SET_CLASSES_CALLBACK : CALL_SET_CLASS_CALLBACK,
                 .class_a = one != 0 ? one : other, .class_b = other, .response = &response);
    return TACT_OK;
}

tact_status tact_class_set_contact_callback(tact_world *world, uint32_t class_id, tact_response response)
{
    if (world == NULL || class_id == 0)
        return TACT_BAD_ARGUMENT;
    return set_class_response(world, 0, class_id, response);
}

tact_status tact_classes_set_contact_callback(tact_world *world, uint32_t one, uint32_t other, tact_response response)
{
    if (world == NULL || one == 0 || other == 0)
        return TACT_BAD_ARGUMENT;
    return set_class_response(world, one, other, response);
}

tact_status tact_body_set_contact_callback(tact_world *world, tact_body body, tact_response response)
{
    world_body *hot = body_find(world, body);
    if (hot == NULL || !normalize(&response))
        return TACT_BAD_ARGUMENT;
    world->cold.items[body.index].response = response;
    hot->flags |= BODY_HAS_RESPONSE;
    WORLD_NOTIFY(world, .type = CALL_SET_BODY_CALLBACK, .body = body, .response = &response);
    return TACT_OK;
}

tact_status tact_pair_set_contact_callback(tact_world *world, tact_body one, tact_body other, tact_response response)
{
    world_body *a = body_find(world, one), *b = body_find(world, other);
    if (a == NULL || b == NULL || !normalize(&response))
        return TACT_BAD_ARGUMENT;
    uint64_t key = pair_key(one.index, other.index), stamp = pair_stamp(world, one.index, other.index);
    if (!tact_response_table_set(&world->pairs, &world->allocator, key, stamp, response, pair_is_stale, world))
        return TACT_OUT_OF_MEMORY;
    a->flags |= BODY_HAS_PAIR_RESPONSE;
    b->flags |= BODY_HAS_PAIR_RESPONSE;
    WORLD_NOTIFY(world, .type = CALL_SET_PAIR_CALLBACK, .body = one, .other = other, .response = &response);
    return TACT_OK;
}

tact_status tact_class_reset_contact_callback(tact_world *world, uint32_t class_id)
{
    if (world == NULL || class_id == 0)
        return TACT_BAD_ARGUMENT;
    tact_response_table_remove(&world->classes, pair_key(0, class_id));
    WORLD_NOTIFY(world, .type = CALL_SET_CLASS_CALLBACK, .class_a = class_id);
    return TACT_OK;
}

tact_status tact_classes_reset_contact_callback(tact_world *world, uint32_t one, uint32_t other)
{
    if (world == NULL || one == 0 || other == 0)
        return TACT_BAD_ARGUMENT;
    tact_response_table_remove(&world->classes, pair_key(one, other));
    WORLD_NOTIFY(world, .type = CALL_SET_CLASSES_CALLBACK, .class_a = one, .class_b = other);
    return TACT_OK;
}

tact_status tact_body_reset_contact_callback(tact_world *world, tact_body body)
{
    world_body *hot = body_find(world, body);
    if (hot == NULL)
        return TACT_BAD_ARGUMENT;
    hot->flags &= ~(uint32_t)BODY_HAS_RESPONSE;
    WORLD_NOTIFY(world, .type = CALL_SET_BODY_CALLBACK, .body = body);
    return TACT_OK;
}

tact_status tact_pair_reset_contact_callback(tact_world *world, tact_body one, tact_body other)
{
    const world_body *a = body_find(world, one), *b = body_find(world, other);
    if (a == NULL || b == NULL)
        return TACT_BAD_ARGUMENT;
    tact_response_table_remove(&world->pairs, pair_key(one.index, other.index));
    WORLD_NOTIFY(world, .type = CALL_SET_PAIR_CALLBACK, .body = one, .other = other);
    return TACT_OK;
}

tact_response tact_pair_get_contact_callback(const tact_world *world, tact_body one, tact_body other)
{
    const world_body *a = body_find(world, one), *b = body_find(world, other);
    if (a == NULL || b == NULL)
        return (tact_response){0};
    return tact_response_of(world, one.index, other.index);
}
