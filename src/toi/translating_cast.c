/*
 * The translating casts with which complex/ finds penetration depths: times of impact without rotation. They are
 * passed to complex/ as a table of functions (complex_casts), so that complex/ does not depend on toi/.
 */
#include "toi/translating_cast.h"

#include "toi/convex_toi.h"
#include "toi/mesh_toi.h"

static tact_toi cast_convex(const convex *a, const convex *b, tact_vec3 offset, tact_vec3 path, double tolerance,
                            const tact_allocator *allocator)
{
    const tact_motion motion = {.velocity = path};
    convex ca = *a, cb = *b;
    toi_frame f;
    tact_toi_frame_begin_relative(&f, a->transform.origin, offset, &motion);
    toi_frame_set_interval(&f, 0.0, tolerance, 1.0, allocator);
    ca.transform.origin = cb.transform.origin = vec_make(0.0, 0.0, 0.0);
    return tact_convex_first_contact(&f, &ca, &cb);
}

const complex_casts tact_complex_casts = {cast_convex, tact_mesh_cast_surfaces};
