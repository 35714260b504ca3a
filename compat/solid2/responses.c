/* Responses and tests (B.4), caching (B.6). */
#include <stdlib.h>

#include "state.h"

/* The stored response with this function and data. Equal ones are shared, so that setting responses in every frame does
 * not consume memory. */
static stored_response *intern(DtResponse response, void *client_data)
{
    solid_state *s = tact_solid_state();
    uint64_t word = ((uint64_t)(uintptr_t)client_data ^ (uint64_t)(uintptr_t)response) * UINT64_C(0x9e3779b97f4a7c15);
    stored_response **first = &s->stored_responses[word >> 58];
    for (stored_response *r = *first; r != NULL; r = r->next)
        if (r->response == response && r->client_data == client_data)
            return r;
    stored_response *made = malloc(sizeof *made);
    if (made != NULL) {
        *made = (stored_response){response, client_data, *first};
        *first = made;
    }
    return made;
}

/* A global point in local coordinates. The origin is subtracted first, to avoid cancellation far from zero. */
static void to_local(tact_transform transform, tact_vec3 point, DtVector local)
{
    tact_transform back = tact_identity();
    tact_vec3 from = {point.x - transform.origin.x, point.y - transform.origin.y, point.z - transform.origin.z};
    transform.origin = tact_vec(0, 0, 0);
    (void)tact_transform_invert(transform, &back);
    tact_vec3 p = tact_transform_vector(back, from);
    local[0] = p.x;
    local[1] = p.y;
    local[2] = p.z;
}

static void call_response(void *context, const tact_contact *c)
{
    const stored_response *r = context;
    DtCollData data = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (c->want == TACT_PREVIOUS) {
        to_local(tact_body_get_previous_transform(c->world, c->a), c->on_a, data.point1);
        to_local(tact_body_get_previous_transform(c->world, c->b), c->on_b, data.point2);
        data.normal[0] = c->on_a.x - c->on_b.x;
        data.normal[1] = c->on_a.y - c->on_b.y;
        data.normal[2] = c->on_a.z - c->on_b.z;
    } else if (c->want == TACT_WITNESS) {
        to_local(tact_body_get_transform(c->world, c->a), c->on_a, data.point1);
        to_local(tact_body_get_transform(c->world, c->b), c->on_b, data.point2);
    }
    r->response(r->client_data, c->user_a, c->user_b, c->want == TACT_NOTHING ? NULL : &data);
}

/* Returns false if memory runs out or the type is unknown. */
static bool make_response(DtResponse response, DtResponseType type, void *client_data, tact_response *made)
{
    *made = (tact_response){0};
    if (response == NULL || type == DT_NO_RESPONSE)
        return true;
    if (type != DT_SIMPLE_RESPONSE && type != DT_SMART_RESPONSE && type != DT_WITNESSED_RESPONSE)
        return false;
    made->want = type == DT_SIMPLE_RESPONSE ? TACT_NOTHING : type == DT_SMART_RESPONSE ? TACT_PREVIOUS : TACT_WITNESS;
    made->callback = call_response;
    made->context = intern(response, client_data);
    return made->context != NULL;
}

void dtSetDefaultResponse(DtResponse response, DtResponseType type, void *client_data)
{
    tact_response made;
    if (make_response(response, type, client_data, &made))
        (void)tact_world_set_contact_callback(tact_solid_state()->world, made);
}

void dtClearDefaultResponse(void) { dtSetDefaultResponse(NULL, DT_NO_RESPONSE, NULL); }

void dtSetObjectResponse(DtObjectRef object, DtResponse response, DtResponseType type, void *client_data)
{
    const object_entry *entry = tact_solid_find(object);
    tact_response made;
    if (entry != NULL && make_response(response, type, client_data, &made))
        (void)tact_body_set_contact_callback(tact_solid_state()->world, entry->body, made);
}

void dtClearObjectResponse(DtObjectRef object) { dtSetObjectResponse(object, NULL, DT_NO_RESPONSE, NULL); }

void dtResetObjectResponse(DtObjectRef object)
{
    const object_entry *entry = tact_solid_find(object);
    if (entry != NULL)
        (void)tact_body_reset_contact_callback(tact_solid_state()->world, entry->body);
}

void dtSetPairResponse(DtObjectRef object1, DtObjectRef object2, DtResponse response, DtResponseType type,
                       void *client_data)
{
    const object_entry *one = tact_solid_find(object1), *other = tact_solid_find(object2);
    tact_response made;
    if (one != NULL && other != NULL && make_response(response, type, client_data, &made))
        (void)tact_pair_set_contact_callback(tact_solid_state()->world, one->body, other->body, made);
}

void dtClearPairResponse(DtObjectRef object1, DtObjectRef object2)
{
    dtSetPairResponse(object1, object2, NULL, DT_NO_RESPONSE, NULL);
}

void dtResetPairResponse(DtObjectRef object1, DtObjectRef object2)
{
    const object_entry *one = tact_solid_find(object1), *other = tact_solid_find(object2);
    if (one != NULL && other != NULL)
        (void)tact_pair_reset_contact_callback(tact_solid_state()->world, one->body, other->body);
}

int dtTest(void) { return (int)tact_world_test(tact_solid_state()->world).count; }

void dtProceed(void) { (void)tact_world_store_previous(tact_solid_state()->world); }

void dtEnableCaching(void) { (void)tact_world_set_caching(tact_solid_state()->world, true); }

void dtDisableCaching(void) { (void)tact_world_set_caching(tact_solid_state()->world, false); }
