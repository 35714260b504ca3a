/* Of all points of a mesh, soup or compound, the farthest along a direction. */
#ifndef TACT_SHAPE_COMPLEX_SUPPORT_H
#define TACT_SHAPE_COMPLEX_SUPPORT_H

#include "math/vec.h"
#include "shape/compound.h"

/* `unit` is of unit length, the placement usable, the shape not empty; margins included. TACT_BAD_ARGUMENT when a part
 * cannot be placed or a custom support function misbehaves. */
tact_status tact_complex_support_point(const tact_shape *shape, const tact_transform *at, tact_vec3 unit,
                                       tact_vec3 *point);

/* No vertex of a mesh or soup is farther along `unit` than `value`, nor is the farthest much more than `spare` nearer:
 * margins left out, the placement usable, the shape not empty. With something to spare a flat side costs no more than a
 * corner. */
tact_status tact_mesh_support_value(const tact_shape *shape, const tact_transform *at, tact_vec3 unit, double spare,
                                    double *value);

/* How far any shape that is not empty reaches along `unit`, margins included, if that is seen soon: of meshes with a
 * large flat side it is not. */
bool tact_support_value_if_cheap(const tact_shape *shape, const tact_transform *at, tact_vec3 unit, double *value);

#endif
