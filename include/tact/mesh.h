/**
 * @file
 * Shapes that are not convex: meshes, soups and compounds. They are shapes like any other: placed, shared, counted, and
 * asked the same questions (query.h).
 *
 * A *mesh* is a surface of triangles, or of polygons that may be non-convex and have holes. As a shell (the default) it
 * is that surface alone; as a solid, closed one it has an inside, and what is wholly inside collides. A *soup* is a mix
 * of convex pieces, each the hull of some of its vertices (a point, a segment, a triangle, a tetrahedron, any convex
 * polygon or polyhedron). A *compound* is a number of shapes under affine placements, to any depth; the same shape may
 * be used many times.
 *
 * Degenerate, duplicate and unreferenced elements are legal. tact_mesh_check says what is odd.
 *
 * What exactly a placed mesh is: its vertices are the doubles ((m0 x + m1 y) + m2 z) + c of each coordinate, rounded as
 * written, and its triangles are the exact triangles between these. A polygon is cut into triangles once, when the mesh
 * is made; where its corners are not in one plane these triangles are what counts.
 */
#ifndef TACT_MESH_H
#define TACT_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/shape.h>

TACT_BEGIN

/** What the numbers of a vertex array are. */
typedef enum tact_scalar {
    TACT_SCALAR_DOUBLE = 0, /**< double */
    TACT_SCALAR_FLOAT = 1   /**< float */
} tact_scalar;

/** An array of vertices in the caller's memory: x, y and z of each lie side by side. */
typedef struct tact_vertices {
    const void *data;   /**< the first number of the first vertex */
    size_t count;       /**< how many vertices; at most 2^29 */
    size_t stride;      /**< bytes from one vertex to the next; 0: no gap between them */
    tact_scalar scalar; /**< what each coordinate is */
} tact_vertices;

/** All that a mesh or soup can be made from. Begin with tact_mesh_def_default(). */
typedef struct tact_mesh_def {
    tact_vertices vertices;         /**< finite; copied */
    const uint32_t *indices;        /**< numbers of vertices, face after face, each around its face; copied */
    size_t index_count;             /**< how many in all; at most 2^29 */
    const uint32_t *loop_sizes;     /**< corners of each face (of each loop, where there are holes); NULL: 3 each */
    size_t loop_count;              /**< how many sizes */
    const uint32_t *loops_per_face; /**< loops of each face: its outline, then its holes; NULL: 1 each */
    size_t face_count;              /**< how many faces; 0: as many as there are sizes (or triangles) */
    bool solid;    /**< mesh: it has an inside; meant for closed ones (tact_mesh_check tells), front faces out */
    double margin; /**< rounding radius, as in tact_shape_create */
    tact_allocator allocator; /**< where its memory comes from */
} tact_mesh_def;

/** A def with everything zero and the default allocator. */
TACT_API tact_mesh_def tact_mesh_def_default(void);

/** Makes a mesh of type #TACT_MESH. On failure returns NULL and says why in `report`, which may be NULL. A mesh without
 * faces is legal and touches nothing. Cost: O(n log n) in the number of triangles. */
TACT_API tact_shape *tact_mesh_create(const tact_mesh_def *def, tact_report *report);

/** Makes a soup of type #TACT_SOUP: each face is a piece, the convex hull of its corners. */
TACT_API tact_shape *tact_soup_create(const tact_mesh_def *def, tact_report *report);

/** The short form: a shell of triangles, three corners each, with the default allocator. NULL on bad input or lack of
 * memory. */
TACT_API tact_shape *tact_mesh(const tact_vec3 *vertices, size_t vertex_count, const uint32_t *corners,
                               size_t triangle_count);

/** A shape of type #TACT_COMPOUND: `parts[i]` under `places[i]` (NULL: all where they are). On failure returns NULL and
 * says why in `report`, which may be NULL. `allocator` NULL is the default one. */
TACT_API tact_shape *tact_compound_create(const tact_shape *const *parts, const tact_transform *places, size_t count,
                                          const tact_allocator *allocator, tact_report *report);

/** The short form, with the default allocator. */
TACT_API tact_shape *tact_compound(const tact_shape *const *parts, const tact_transform *places, size_t count);

/** Sizes of a mesh, soup or compound. */
typedef struct tact_mesh_size {
    size_t vertices;  /**< of a mesh or soup */
    size_t faces;     /**< as they were given; parts of a compound */
    size_t triangles; /**< of a mesh, its faces cut up */
    size_t bytes;     /**< of memory that it holds; shared parts, and the hulls of a soup's pieces, left out */
} tact_mesh_size;

/** How large it is; all zero for other shapes. */
TACT_API tact_mesh_size tact_mesh_get_size(const tact_shape *shape);

/** What is odd about a mesh. Each is a number of elements; all zero but `components` for a proper closed surface. */
typedef struct tact_mesh_findings {
    tact_status status;           /**< #TACT_OK, #TACT_BAD_ARGUMENT (not a mesh) or #TACT_OUT_OF_MEMORY */
    size_t open_edges;            /**< edges with one triangle only: the surface has a border there */
    size_t non_manifold_edges;    /**< edges with more than two triangles */
    size_t inconsistent_edges;    /**< edges whose two triangles go around in opposite senses */
    size_t non_manifold_vertices; /**< vertices where more than one fan of triangles meets */
    size_t degenerate_triangles;  /**< triangles without area, exactly */
    size_t duplicate_triangles;   /**< triangles with the same corners as an earlier one, in any order */
    size_t duplicate_vertices;    /**< vertices at the place of an earlier one */
    size_t unreferenced_vertices; /**< vertices that no face uses */
    size_t self_intersections;    /**< pairs of triangles that meet elsewhere than in what they share */
    size_t components;            /**< connected parts of the surface */
    double volume;                /**< signed, in local coordinates: negative for a closed surface turned inside out */
    bool closed;                  /**< no open and no non-manifold edges */
    bool inverted;                /**< closed and turned inside out */
} tact_mesh_findings;

/** Looks a mesh over. It refuses nothing: every finding is legal. */
TACT_API tact_mesh_findings tact_mesh_check(const tact_shape *mesh);

TACT_END

#endif
