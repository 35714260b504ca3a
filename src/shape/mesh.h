/*
 * The internal representation of meshes and soups: vertices in doubles, elements as vertex indices, and an AABB tree
 * over the elements.
 *
 * The elements of a mesh are triangles, those of a soup are its convex parts. Vertices and faces keep the numbers that
 * the caller gave them. A face of a mesh that is not a triangle is triangulated once (shape/triangulate.h); its
 * triangles are consecutive.
 */
#ifndef TACT_SHAPE_MESH_H
#define TACT_SHAPE_MESH_H

#include <tact/mesh.h>

#include "math/vec.h"
#include "shape/flat_regions.h"
#include "shape/shape_constants.h"
#include "shape/shape_data.h"
#include "tree/obb_overlay.h"

/* Vertices, and elements: what a tree can hold. The number of indices then fits 32 bits. */
#define MESH_MAX_COUNT TREE_MAX_ITEMS

/* In `edge_flags`: some triangle of the same face had no area when the mesh was made (the polygon touches itself). */
#define MESH_DEGENERATE_FACE 8u

/* In `edge_flags` of a mesh with `element_capacity`: the triangle is in `component_seeds`. */
#define MESH_COMPONENT_SEED 16u

/* The grid of a heightfield (shape/heightfield.c). */
typedef struct heightfield_grid {
    uint32_t counts[2]; /* vertices along x and z; 0: not a heightfield */
    double spacing[2];
} heightfield_grid;

struct mesh {
    uint32_t vertex_count, element_count, face_count, index_count;
    size_t index_capacity, face_capacity; /* of `indices` and `face_of` */
    bool solid;
    bool one_sided; /* not solid: the triangles collide on the side from which they are counter-clockwise */
    heightfield_grid heightfield;
    bool refittable; /* it is, or was, a refittable copy (shape/refittable_mesh.h) */
    tact_vec3 *vertices;
    uint32_t *indices;     /* mesh: three for each triangle */
    uint32_t *first_index; /* soup: element i has the indices first_index[i] to first_index[i + 1] - 1; NULL: a mesh */
    /* of each triangle, the face that it belongs to; NULL if triangles and faces have the same numbers */
    uint32_t *face_of;
    /* With `face_of`: of each triangle, bit k is set if the edge from its vertex k to k + 1 is internal to its face;
     * and MESH_DEGENERATE_FACE. Otherwise NULL. */
    uint8_t *edge_flags;
    /* Soup: for each part with more than MESH_SIMPLEX_VERTICES vertices its hull; NULL for the others, or if there are
     * none. */
    tact_shape **hulls;
    /* Mesh: a triangle of each connected component, so that containment is decided once for each. */
    uint32_t *component_seeds;
    uint32_t component_count;
    double bounding_radius; /* no vertex is farther than this from the origin */
    aabb_tree tree;
    /* Refittable copy: the shape that owns `indices`, `first_index`, `face_of` and `edge_flags`; NULL: this mesh owns
     * them. */
    tact_shape *original;
    uint64_t refit_count; /* refittable copy: elements refitted since the quality of the tree was last tested */
    /* Faces were added, removed or changed (shape/mesh_edit.h): `face_of` lists each face at most once, and
     * `component_seeds` may list several triangles of a component, `component_excess` more than when it was last
     * computed. */
    bool edited;
    uint32_t component_excess;
    /* Not 0: capacities of `vertices`, and of `indices` (three each), `face_of`, `edge_flags` and `component_seeds`,
     * which this mesh owns. */
    uint32_t vertex_capacity, element_capacity;
    /* Mesh: oriented boxes on top of the tree. Empty in a soup and where vertices may move; then `tree` alone is
     * traversed. */
    obb_overlay overlay;
    flat_regions flat; /* rigid mesh; see mesh_flat_regions */
};

/* The OBB overlay, or NULL if there is none, as in a copy of the mesh with its own vertices. */
static inline const obb_overlay *mesh_overlay(const mesh *m)
{
    return m->overlay.node_count > 0 && m->overlay.points == m->vertices ? &m->overlay : NULL;
}

/* The flat regions of a mesh; NULL if no triangle is interior to one, or in a copy of the mesh with its own vertices.
 */
static inline const flat_regions *mesh_flat_regions(const mesh *m)
{
    return m->flat.of_triangle != NULL && m->flat.points == m->vertices ? &m->flat : NULL;
}

/* Vertex i of the caller's array. */
tact_vec3 tact_vertices_get(const tact_vertices *vertices, size_t i);

/* Is the array valid, with finite coordinates of at most `max_abs` in the vertices `first` to `first + count` - 1?
 * Otherwise fills `report`. */
bool tact_vertices_check(const tact_vertices *vertices, size_t first, size_t count, double max_abs,
                         tact_report *report);

/* A bounding radius about the origin, exact up to a few units of roundoff. */
double tact_points_bounding_radius(const tact_vec3 *vertices, size_t count);

/* Data of a mesh or soup computed earlier, so that it need not be computed again. */
typedef struct mesh_restore_data {
    bool refittable;
    const uint32_t *face_of; /* as in `mesh`; may be NULL */
    uint32_t face_count;
    /* edited mesh: of each face its triangle, UINT32_MAX for none, instead of `face_of`; otherwise NULL */
    const uint32_t *triangle_of;
    const uint32_t *component_seeds;
    uint32_t component_count, component_excess;
    /* no vertex of an element is farther from the origin; at most twice the smallest such radius */
    double bounding_radius;
    const unsigned char *tree; /* serialised, see tree/tree_bytes.h */
    size_t tree_size;
} mesh_restore_data;

/* Makes a mesh or soup with such data. The def has triangles or convex parts: no loops per face and, for a mesh, no
 * loop sizes. The tree must fit. On failure returns NULL and fills `report` (not NULL). */
tact_shape *tact_mesh_restore(const tact_mesh_def *def, bool soup, const mesh_restore_data *found, tact_report *report);

/* tact_mesh_create without oriented boxes. */
tact_shape *tact_mesh_create_without_overlay(const tact_mesh_def *def, tact_report *report);

void tact_mesh_free(mesh *m, const tact_allocator *allocator);

/* The bounding box of a convex part of a soup. Coordinates are compared as doubles, including subnormal ones: the
 * caller enters the default floating-point environment (math/fp_environment.h) once for many. Some 20 ns for 4
 * vertices. */
box tact_soup_part_box(const mesh *m, uint32_t part);

/* The hull of a convex part of a soup with more than four vertices, at `points`. NULL if memory is out. */
tact_shape *tact_soup_part_hull(const tact_vec3 *points, size_t count, const tact_allocator *allocator);

/* The bounding boxes of all elements. */
void tact_mesh_element_boxes(const mesh *m, box *boxes);

/* The connected components of the vertices of triangles of a mesh, as sets of core/union_find.h: the vertices of a
 * triangle are connected and, if `by_position`, so are vertices at the same position. False if memory is out. At most
 * O(n log n) amortised, in practice nearly O(n). */
bool tact_mesh_unite_components(const mesh *m, bool by_position, uint32_t *parent, const tact_allocator *allocator);

/* Counts the components in `parent`, from tact_mesh_unite_components, and writes the first triangle of each to `seeds`,
 * unless that is NULL. `seen` has an entry for each vertex. */
uint32_t tact_mesh_list_components(const mesh *m, uint32_t *parent, uint32_t *seen, uint32_t *seeds);

/* Fills in `component_seeds`: a triangle of each component. False if memory is out. */
bool tact_mesh_find_components(mesh *m, bool by_position, const tact_allocator *allocator);

/* Fills in `edge_flags`, if there is `face_of`. False if memory is out. */
bool tact_mesh_find_internal_edges(mesh *m, const tact_allocator *allocator);

/* Bytes of memory that it holds, itself included. */
size_t tact_mesh_byte_count(const mesh *m);

/* The face, as the caller numbered them, that an element belongs to. */
static inline uint32_t mesh_face(const mesh *m, uint32_t element)
{
    return m->face_of != NULL ? m->face_of[element] : element;
}

/* Do its triangles have a front: outside a solid, or the front of a one-sided mesh? */
static inline bool mesh_has_front(const mesh *m) { return m->solid || m->one_sided; }

/* A triangle of a mesh under a transform: the doubles that all exact predicates refer to. */
static inline void mesh_triangle(const mesh *m, const tact_transform *transform, uint32_t triangle,
                                 tact_vec3 vertices[3])
{
    for (uint32_t k = 0; k < 3; k++)
        vertices[k] = vec_add(vec_transform(transform, m->vertices[m->indices[3 * triangle + k]]), transform->origin);
}

#endif
