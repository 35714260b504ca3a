/* Creating and freeing bodies with a mass: see rigid_body.h. */
#include "dynamics/rigid_body.h"

#include <math.h>

#include "core/memory.h"
#include "shape/centred_shape.h"

/* NULL: out of memory. */
static rigid_body *make(const mass_properties *properties, const tact_shape *shape, const tact_allocator *allocator)
{
    rigid_body *r = tact_memory_allocate(allocator, 1, sizeof *r);
    if (r == NULL)
        return NULL;
    tact_status status;
    *r = (rigid_body){.properties = *properties,
                      .centred = tact_shape_centred(shape, properties->centre, allocator, &status)};
    if (r->centred != NULL)
        return r;
    tact_memory_free(allocator, r, 1, sizeof *r);
    return NULL;
}

rigid_body *tact_rigid_body_create(const tact_shape *shape, const tact_transform *transform, const tact_mass *mass,
                                   const tact_allocator *allocator, tact_status *status)
{
    mass_properties properties;
    *status = TACT_BAD_ARGUMENT;
    if (!tact_mass_properties_from(mass, transform, &properties))
        return NULL;
    rigid_body *r = make(&properties, shape, allocator);
    *status = r != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    return r;
}

rigid_body *tact_rigid_body_restore(const rigid_body *values, const tact_shape *shape, const tact_allocator *allocator,
                                    tact_status *status)
{
    *status = TACT_BAD_ARGUMENT;
    if (!tact_mass_properties_are_valid(&values->properties))
        return NULL;
    rigid_body *r = make(&values->properties, shape, allocator);
    *status = r != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    return r;
}

void tact_rigid_body_free(rigid_body *r, const tact_allocator *allocator)
{
    if (r == NULL)
        return;
    tact_shape_release(r->centred);
    tact_memory_free(allocator, r, 1, sizeof *r);
}
