/* Feature ids of the contact points of complex shapes: from the features of a primitive to those of the whole shape. */
#ifndef TACT_COMPLEX_PRIMITIVE_FEATURE_H
#define TACT_COMPLEX_PRIMITIVE_FEATURE_H

#include "complex/traversal.h"
#include "convex/contact_feature.h"

/* The feature of the whole shape that a feature of one primitive is: `local` numbers the vertices of the primitive.
 * Vertices and edges of a mesh are those of all triangles that share them; its faces are those of the caller. */
static inline uint32_t primitive_feature(const primitive *s, uint32_t local)
{
    const mesh *m = s->of->shape->mesh;
    if (m == NULL)
        return feature_in_part(local, s->of->leaf);
    const uint32_t face = mesh_face(m, s->element);
    if (m->first_index != NULL) /* a soup */
        return feature_in_part(feature_in_part(local, face), s->of->leaf);
    const uint32_t *indices = &m->indices[3 * (size_t)s->element];
    uint32_t id = feature_make(FEATURE_FACE, face), ends[2];
    if (feature_get_kind(local) == FEATURE_VERTEX) {
        id = feature_make(FEATURE_VERTEX, indices[local & FEATURE_NUMBER_MASK]);
    } else if (feature_get_kind(local) == FEATURE_EDGE) {
        feature_edge_vertices(local, ends);
        id = feature_of_edge(indices[ends[0]], indices[ends[1]]);
    }
    return feature_in_part(id, s->of->leaf);
}

#endif
