/* The mass of a body: see tact/rigid.h. */
#include <tact/mass.h>

#include "dynamics/rigid_body.h"
#include "shape/compound.h"
#include "world/world_internal.h"

tact_status tact_body_set_mass_with(tact_world *world, tact_body body, const tact_mass *mass)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL)
        return TACT_BAD_ARGUMENT;
    world_body_cold *cold = &world->cold.items[body.index];
    rigid_body *created = NULL;
    if (mass != NULL) {
        if (cold->deform != NULL || !shape_can_have_mass(hot->shape) || vec_max_abs(cold->motion.pivot) > 0.0)
            return TACT_BAD_ARGUMENT;
        const tact_transform transform = tact_body_transform_now(world, body.index);
        tact_status status;
        created = tact_rigid_body_create(hot->shape, &transform, mass, &world->allocator, &status);
        if (created == NULL)
            return status;
    }
    tact_extensions_before_body_change(world, body.index);
    tact_rigid_body_free(cold->rigid, &world->allocator);
    cold->rigid = created;
    tact_extensions_body_changed(world, body.index, BODY_CHANGE_MASS);
    WORLD_NOTIFY(world, .type = CALL_SET_MASS, .body = body, .mass = mass);
    return TACT_OK;
}

tact_status tact_body_set_mass(tact_world *world, tact_body body, double mass)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL || !(mass >= 0.0))
        return TACT_BAD_ARGUMENT;
    if (mass == 0.0)
        return tact_body_set_mass_with(world, body, NULL);
    const tact_mass whole = tact_mass_from_total(hot->shape, tact_body_transform_now(world, body.index), mass);
    if (whole.status != TACT_OK && whole.status != TACT_NOT_CONVERGED)
        return whole.status;
    return tact_body_set_mass_with(world, body, &whole);
}

double tact_body_get_mass(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL && world->cold.items[body.index].rigid != NULL
               ? world->cold.items[body.index].rigid->properties.mass
               : 0.0;
}
