/* The location of a point relative to a closed mesh, by counting crossings over all triangles without a tree. */
#ifndef TACT_TEST_MESH_PARITY_H
#define TACT_TEST_MESH_PARITY_H

#include <stddef.h>

#include "exact/parity.h"

typedef enum parity_location { PARITY_OUTSIDE, PARITY_ON, PARITY_INSIDE } parity_location;

/* By the even-odd rule. The vertices of triangle i are vertices[triangles[3 i]] and the next two. */
static inline parity_location mesh_parity(const tact_vec3 *vertices, const uint32_t *triangles, size_t triangle_count,
                                          tact_vec3 p)
{
    parity_count count = {0, 0};
    for (size_t i = 0; i < triangle_count; ++i) {
        const uint32_t *index = triangles + 3 * i;
        const tact_vec3 t[3] = {vertices[index[0]], vertices[index[1]], vertices[index[2]]};
        if (!tact_parity_add(&count, t, p, 0))
            return PARITY_ON;
    }
    return count.crossings % 2 != 0 ? PARITY_INSIDE : PARITY_OUTSIDE;
}

#endif
