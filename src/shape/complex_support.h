/* Support function of meshes, soups and compounds: the point farthest along a direction. */
#ifndef TACT_SHAPE_COMPLEX_SUPPORT_H
#define TACT_SHAPE_COMPLEX_SUPPORT_H

#include <tact/query.h>

#include "math/vec.h"
#include "shape/compound.h"

/* The support point, margins included, and the part that it is on (`part` may be NULL). `direction` is of unit length,
 * the transform valid, the shape not empty. TACT_BAD_ARGUMENT if a part cannot be transformed or a custom support
 * function returns NaN. */
tact_status tact_complex_support_point(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                       tact_vec3 *point, tact_part *part);

/* An upper bound `value` of the support function of a mesh or soup, at most `spare` and rounding above it; margins left
 * out. The transform is valid, the shape not empty. With a positive `spare` a flat face costs no more than a single
 * vertex. */
tact_status tact_mesh_support_value(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                    double spare, double *value);

/* The support function of any shape that is not empty, margins included, at most rounding (SUPPORT_TIE) below it; and
 * the point. A flat face along an axis of the mesh costs no more than a single vertex. False if it takes more than
 * SUPPORT_CHEAP_ELEMENTS elements, as of a large face that slants. */
bool tact_support_value_if_cheap(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                 double *value);
bool tact_support_point_if_cheap(const tact_shape *shape, const tact_transform *transform, tact_vec3 direction,
                                 tact_vec3 *point);

#endif
