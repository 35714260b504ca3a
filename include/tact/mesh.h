/**
 * @file
 * Non-convex shapes: meshes, soups and compounds. They are shapes like any other: reference-counted, shared, and
 * accepted by every query.
 *
 * A *mesh* is a surface of triangles, or of polygons that may be non-convex and have holes. By default it is the
 * surface alone. A *solid* mesh also has an interior, so a shape that lies wholly inside it overlaps it. A *soup* is a
 * set of convex parts, each the convex hull of some of its vertices: a point, a segment, a triangle, a tetrahedron, any
 * convex polygon or polyhedron. A *compound* is a set of shapes with affine transforms. Compounds nest, and shapes may
 * be shared.
 *
 * Degenerate, duplicate and unreferenced elements are legal; tact_mesh_check reports them.
 *
 * A transformed mesh is defined exactly. Each coordinate of a vertex is the double ((m0 x + m1 y) + m2 z) + c, rounded
 * as written, and the triangles are the exact triangles between these vertices. A polygon is triangulated once, when
 * the mesh is created; if its vertices are not coplanar, the triangles are what counts.
 */
#ifndef TACT_MESH_H
#define TACT_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/shape.h>

TACT_BEGIN

/** Scalar type of a vertex array. */
typedef enum tact_scalar {
    TACT_SCALAR_DOUBLE = 0, /**< double */
    TACT_SCALAR_FLOAT = 1   /**< float */
} tact_scalar;

/** A vertex array in the caller's memory. The x, y and z of a vertex are adjacent. */
typedef struct tact_vertices {
    const void *data;   /**< x of the first vertex */
    size_t count;       /**< number of vertices; at most 2^29 */
    size_t stride;      /**< bytes from one vertex to the next; 0: tightly packed */
    tact_scalar scalar; /**< type of each coordinate */
} tact_vertices;

/** Everything a mesh or soup is created from. Start with tact_mesh_def_default(). */
typedef struct tact_mesh_def {
    tact_vertices vertices;     /**< finite; copied */
    const uint32_t *indices;    /**< vertex indices, face after face, in order around each face; copied */
    size_t index_count;         /**< number of `indices`; at most 2^29 */
    const uint32_t *loop_sizes; /**< number of indices of each face (of each loop, if there are holes); NULL: 3 each */
    size_t loop_count;          /**< number of `loop_sizes` */
    const uint32_t *loops_per_face; /**< number of loops of each face: its boundary, then its holes; NULL: 1 each */
    size_t face_count;              /**< number of faces; 0: as many as there are loops (or triangles) */
    bool solid; /**< mesh: it has an interior; meant for closed meshes (see tact_mesh_check) with outward front faces */
    double margin;            /**< rounding radius, as for tact_shape_create */
    tact_allocator allocator; /**< allocator for the shape's memory */
} tact_mesh_def;

/** Returns a def with all fields zero and the default allocator. */
TACT_API tact_mesh_def tact_mesh_def_default(void);

/** Creates a mesh (#TACT_MESH). On failure returns NULL and explains in `report`, which may be NULL. A mesh without
 * faces is legal and touches nothing. Cost: O(n log n) in the number of triangles. */
TACT_API tact_shape *tact_mesh_create(const tact_mesh_def *def, tact_report *report);

/** Creates a soup (#TACT_SOUP): each face is a convex part, the convex hull of its vertices. */
TACT_API tact_shape *tact_soup_create(const tact_mesh_def *def, tact_report *report);

/** Short form: a surface of triangles, three indices each, with the default allocator. NULL on bad input or when memory
 * runs out. */
TACT_API tact_shape *tact_mesh(const tact_vec3 *vertices, size_t vertex_count, const uint32_t *indices,
                               size_t triangle_count);

/** Creates a compound (#TACT_COMPOUND): `parts[i]` at `transforms[i]` (NULL: all at the identity). On failure returns
 * NULL and explains in `report`, which may be NULL. `allocator` NULL: the default allocator. */
TACT_API tact_shape *tact_compound_create(const tact_shape *const *parts, const tact_transform *transforms,
                                          size_t count, const tact_allocator *allocator, tact_report *report);

/** Short form, with the default allocator. */
TACT_API tact_shape *tact_compound(const tact_shape *const *parts, const tact_transform *transforms, size_t count);

/** Sizes of a mesh, soup or compound. */
typedef struct tact_mesh_size {
    size_t vertices;  /**< vertices of a mesh or soup */
    size_t faces;     /**< faces as given; parts of a compound */
    size_t triangles; /**< triangles of a mesh, after triangulation */
    size_t bytes;     /**< memory it holds, without shared parts and without the hulls of a soup's parts */
} tact_mesh_size;

/** Returns the sizes; all zero for other shapes. */
TACT_API tact_mesh_size tact_mesh_get_size(const tact_shape *shape);

/** Defects of a mesh, as numbers of elements. For a proper closed surface all are zero but `components`. */
typedef struct tact_mesh_findings {
    tact_status status;           /**< #TACT_OK, #TACT_BAD_ARGUMENT (not a mesh) or #TACT_OUT_OF_MEMORY */
    size_t open_edges;            /**< edges of only one triangle: the boundary of the surface */
    size_t non_manifold_edges;    /**< edges of more than two triangles */
    size_t inconsistent_edges;    /**< edges whose two triangles have opposite orientations */
    size_t non_manifold_vertices; /**< vertices with more than one fan of triangles */
    size_t degenerate_triangles;  /**< triangles of exactly zero area */
    size_t duplicate_triangles;   /**< triangles with the same vertices as an earlier one, in any order */
    size_t duplicate_vertices;    /**< vertices at the position of an earlier one */
    size_t unreferenced_vertices; /**< vertices that no face uses */
    size_t self_intersections;    /**< pairs of triangles that intersect beyond their shared vertices and edges */
    size_t components;            /**< connected components of the surface */
    double volume;                /**< signed volume in local coordinates: negative for an inverted closed surface */
    bool closed;                  /**< no open and no non-manifold edges */
    bool inverted;                /**< closed, with inward front faces */
} tact_mesh_findings;

/** Checks a mesh. All findings are legal. */
TACT_API tact_mesh_findings tact_mesh_check(const tact_shape *mesh);

TACT_END

#endif
