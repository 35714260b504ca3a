/*
 * The inside of meshes and soups: vertices in doubles, elements as vertex numbers, and a tree of boxes over the
 * elements.
 *
 * The elements of a mesh are triangles, those of a soup its pieces. Vertices and faces keep the numbers that the maker
 * gave them. A face of a mesh that is not a triangle is cut up once (shape/triangulate.h); its triangles follow each
 * other.
 */
#ifndef TACT_SHAPE_MESH_H
#define TACT_SHAPE_MESH_H

#include <tact/mesh.h>

#include "math/vec.h"
#include "shape/shape_data.h"
#include "tree/obb_overlay.h"

/* Most vertices, and most elements: what a tree can hold. Numbers of corners then fit 32 bits. */
#define MESH_MAX_COUNT TREE_MAX_ITEMS

/* Pieces of a soup with up to so many corners are dealt with as they are; larger ones have a hull. */
#define MESH_SIMPLEX_VERTICES 4u

/* In `cuts` of a mesh: a triangle of this one's face had no area when the mesh was made (the polygon touches itself).
 */
#define MESH_DEGENERATE_FACE 8u

/* In `cuts` of a mesh with `element_room`: the triangle is in `component`. */
#define MESH_COMPONENT_SEED 16u

struct mesh {
    uint32_t vertex_count, element_count, face_count, index_count;
    size_t index_capacity, face_capacity; /* of `corners` and `face_of` */
    bool solid;
    bool refittable; /* it is, or was, a twin: see twin.h */
    tact_vec3 *vertices;
    uint32_t *indices;     /* of a mesh: three an element */
    uint32_t *first_index; /* of a soup: element i has corners first[i] to first[i + 1] - 1; NULL: a mesh */
    uint32_t *face_of;     /* of each triangle, the face that it is part of; NULL when they are numbered alike */
    /* with `face_of`: of each triangle, bit k if the edge from its corner k to k + 1 is a cut inside its face, and
     * MESH_DEGENERATE_FACE; else NULL */
    uint8_t *edge_flags;
    /* of a soup: for each piece of more than MESH_SIMPLEX_VERTICES corners its hull; NULL for the others, or if there
     * is none such */
    tact_shape **hulls;
    /* of a mesh: a triangle of each connected part, so that "is it inside?" need be asked once for each */
    uint32_t *component_seeds;
    uint32_t component_count;
    double bounding_radius; /* no vertex is farther than this from the origin */
    aabb_tree tree;
    /* of a twin (shape/refittable_mesh.h): whose corners, `first`, `face_of` and `cuts` it shares; NULL: they are its
     * own */
    tact_shape *original;
    uint64_t refit_count; /* of a twin: elements since its tree was last looked over for wear */
    /* Faces have come, gone or got other corners (shape/mesh_edit.h): `face_of` has each face once at the most, and
     * `component` may have several triangles of a part: so many more than when it was last found. */
    bool edited;
    uint32_t component_excess;
    /* Not 0: rooms of `vertices`, and of `corners` (three each), `face_of`, `cuts` and `component`, which are its own
     */
    uint32_t vertex_capacity, element_capacity;
    /* of a mesh: closer boxes on top of the tree; empty in a soup and where vertices may move: `tree` is walked then */
    obb_overlay cover;
};

/* The cover, or NULL where there is none: also in a copy of the mesh with vertices of its own, which the cover was not
 * built around. */
static inline const obb_overlay *mesh_cover(const mesh *m)
{
    return m->cover.node_count > 0 && m->cover.points == m->vertices ? &m->cover : NULL;
}

/* Reads vertex i of the caller's array. */
tact_vec3 tact_vertices_get(const tact_vertices *vertices, size_t i);

/* Is the array usable, and does it hold numbers in places `first` to `first + count` - 1, none beyond `most`? Says what
 * is wrong otherwise. */
bool tact_vertices_check(const tact_vertices *vertices, size_t first, size_t count, double most, tact_report *report);

/* No vertex is farther than this from the origin: right to a few roundings. */
double tact_points_bounding_radius(const tact_vec3 *vertices, size_t count);

/* Makes one from a def. On failure returns NULL and says why in `report` (may be NULL). */
mesh *tact_mesh_make(const tact_mesh_def *def, bool soup, tact_report *report);

/* What was found out about a mesh or soup when it was made, so that it need not be found again. */
typedef struct mesh_restore_data {
    bool refittable;
    const uint32_t *face_of; /* as in a mesh; may be NULL */
    uint32_t face_count;
    /* of one that is torn: of each face its triangle, UINT32_MAX for none, instead of `face_of`; else NULL */
    const uint32_t *triangle_of;
    const uint32_t *component_seeds;
    uint32_t component_count, component_excess;
    double
        bounding_radius; /* no vertex of an element is farther from the origin; at most twice as far as the farthest */
    const unsigned char *tree; /* see tree/tree_bytes.h */
    size_t tree_size;
} mesh_restore_data;

/* Makes a mesh or soup of triangles or pieces (the def has neither loops nor, of a mesh, sizes) with what was found.
 * The tree must fit. On failure returns NULL and says why in `report` (not NULL). */
tact_shape *tact_mesh_restore(const tact_mesh_def *def, bool soup, const mesh_restore_data *found, tact_report *report);

void tact_mesh_free(mesh *m, const tact_allocator *allocator);

/* The box of a piece of a soup. Coordinates are compared as doubles, subnormal ones too: to be called in the default
 * floating-point environment (math/fp_environment.h), which the caller enters once for many. Some 20 ns for 4 corners.
 */
box tact_soup_part_box(const mesh *m, uint32_t piece);

/* The hull of a piece of a soup with its corners at `points`, more than four. NULL if there is no memory. */
tact_shape *tact_soup_part_hull(const tact_vec3 *points, size_t count, const tact_allocator *allocator);

/* The boxes of all elements. */
void tact_mesh_element_boxes(const mesh *m, box *boxes);

/* Which of the vertices of triangles of a mesh hang together, as sets of core/union_find.h: those of a triangle and, if
 * `places`, those at the same place. False if there is no memory. O(n log n) at the most, amortised; nearly O(n) in
 * practice. */
bool tact_mesh_unite_components(const mesh *m, bool places, uint32_t *parent, const tact_allocator *allocator);

/* Notes a triangle of each set of triangles that hang together so. False if there is no memory. */
bool tact_mesh_find_components(mesh *m, bool places, const tact_allocator *allocator);

/* Finds `cuts`, where there is `face_of`. False if there is no memory. */
bool tact_mesh_find_internal_edges(mesh *m, const tact_allocator *allocator);

/* Bytes that it holds, itself included. */
size_t tact_mesh_byte_count(const mesh *m);

/* The face, as the maker numbered them, that an element is part of. */
static inline uint32_t mesh_face(const mesh *m, uint32_t element)
{
    return m->face_of != NULL ? m->face_of[element] : element;
}

/* A triangle of a mesh under a placement: the doubles of which all exact predicates speak. */
static inline void mesh_triangle(const mesh *m, const tact_transform *at, uint32_t triangle, tact_vec3 corner[3])
{
    for (uint32_t k = 0; k < 3; k++)
        corner[k] = vec_add(vec_transform(at, m->vertices[m->indices[3 * triangle + k]]), at->origin);
}

#endif
