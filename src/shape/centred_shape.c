/* A shape with another origin: see centred_shape.h. */
#include "shape/centred_shape.h"

#include "math/vec.h"
#include "shape/compound.h"
#include "shape/shape_data.h"

tact_shape *tact_shape_centred(const tact_shape *shape, tact_vec3 centre, const tact_allocator *allocator,
                               tact_status *status)
{
    const tact_transform back = tact_at(-centre.x, -centre.y, -centre.z);
    tact_report report = {TACT_OK, ""};
    tact_shape *made;
    if (centre.x == 0.0 && centre.y == 0.0 && centre.z == 0.0) {
        made = tact_shape_retain(shape);
    } else if (shape_is_halfspace(shape)) {
        tact_shape_def def = tact_shape_def_default();
        def.type = TACT_HALFSPACE;
        def.normal = shape->normal;
        def.offset = shape->offset - vec_dot(shape->normal, centre);
        def.margin = shape->margin;
        def.allocator = *allocator;
        made = tact_shape_create(&def, &report);
    } else if (!shape_is_convex(shape)) {
        made = tact_compound_create(&shape, &back, 1, allocator, &report);
    } else {
        tact_shape_def def = tact_shape_def_default();
        def.type = TACT_TRANSFORMED;
        def.parts[0] = shape;
        def.transform = back;
        def.allocator = *allocator;
        made = tact_shape_create(&def, &report);
    }
    *status = made != NULL ? TACT_OK : report.status != TACT_OK ? report.status : TACT_OUT_OF_MEMORY;
    return made;
}
