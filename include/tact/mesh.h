/**
 * @file
 * Non-convex shapes: meshes, soups, compounds and heightfields. They are shapes like any other: reference-counted,
 * shared, and accepted by every query.
 *
 * - A *mesh* is a surface of triangles, or of polygons that may be non-convex and have holes. By default it is the
 *   surface alone. A *solid* mesh also has an interior, so a shape that lies wholly inside it overlaps it. A
 *   *one-sided* mesh is a surface that shapes touch from its front only (tact_mesh_def::one_sided).
 * - A *soup* is a set of convex parts over shared vertices (not a triangle soup). Each part is the convex hull of some
 *   vertices: a point, a segment, a triangle, a tetrahedron, any convex polygon or polyhedron.
 * - A *compound* is a set of shapes with affine transforms. Compounds nest, and shapes may be shared.
 * - A *heightfield* is the solid below a grid of heights.
 *
 * Degenerate, duplicate and unreferenced elements are legal; tact_mesh_check reports them.
 *
 * **Exact definition of a transformed mesh.** The world position of the local vertex (x y z) is
 *
 *     ((x * x_axis + y * y_axis) + z * z_axis) + origin
 *
 * with the fields of #tact_transform. Each operation is rounded to double, in this order. The triangles are the exact
 * triangles between the rounded positions.
 *
 * A polygon is triangulated once, when the mesh is created. If its vertices are not coplanar, its triangles define the
 * surface.
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

/**
 * Description of a mesh or soup to create. Start with tact_mesh_def_default().
 *
 * Triangles need only `indices`, three per face. Other faces have a *loop*, the vertex indices around the face, of the
 * length given in `loop_sizes`. A face with holes has several loops: first its boundary, then each hole. Example: a
 * quadrilateral, and a square with a triangular hole. The 11 indices are four for the quadrilateral, four for the
 * square, three for the hole.
 *
 *     def.index_count = 11;
 *     def.loop_sizes = (uint32_t[]){4, 4, 3};
 *     def.loop_count = 3;
 *     def.loops_per_face = (uint32_t[]){1, 2};
 *     def.face_count = 2;
 */
typedef struct tact_mesh_def {
    tact_vertices vertices;         /**< finite; copied */
    const uint32_t *indices;        /**< vertex indices, face after face, in order around each face; copied */
    size_t index_count;             /**< number of `indices`; at most 2^29 */
    const uint32_t *loop_sizes;     /**< number of indices of each loop; NULL: every face is a triangle */
    size_t loop_count;              /**< number of `loop_sizes` */
    const uint32_t *loops_per_face; /**< number of loops of each face; NULL: 1 each, no holes */
    size_t face_count;              /**< number of faces; may be 0 unless `loops_per_face` is given */
    /** Mesh: it has an interior. It should then be closed (see tact_mesh_check), with the vertices of each face
     * counter-clockwise seen from outside. */
    bool solid;
    /**
     * Mesh, not solid: its triangles have a front, from which their vertices are counter-clockwise in local
     * coordinates, and a back. A triangle *faces* a convex shape, convex part or triangle if the middle of the latter's
     * extent along the triangle's normal is not behind its plane. Only pairs that face each other count:
     * - tact_shapes_overlap, tact_shapes_within, tact_shapes_common_point: others do not touch.
     * - tact_shapes_penetration, tact_shapes_manifold, tact_shapes_contacts: others have no contact. Normals point to
     *   the front. If no pair faces each other the depth is minus the distance, so 0 for a shape that passes through.
     * - tact_shapes_time_of_impact, tact_shapes_cast, worlds: a shape that meets the back passes through. It is no hit
     *   while it does, nor if it overlaps the surface at the start and leaves through the front.
     * - tact_shape_ray: hits on the back are ignored.
     *
     * tact_shapes_distance, tact_shape_closest, tact_shape_contains, intersections, cloth steps, and touches and
     * feature events of bodies with moving vertices (animation.h) treat the mesh as two-sided.
     */
    bool one_sided;
    double margin;            /**< rounding radius, as for tact_shape_create */
    tact_allocator allocator; /**< allocator for the shape's memory */
} tact_mesh_def;

/** Returns a def with all fields zero and the default allocator. */
TACT_API tact_mesh_def tact_mesh_def_default(void);

/** Creates a mesh (#TACT_MESH). On failure returns NULL and explains in `report`, which may be NULL. A mesh without
 * faces is legal and touches nothing. Cost: O(n log n) in the number of triangles. */
TACT_API tact_shape *tact_mesh_create(const tact_mesh_def *def, tact_report *report);

/** Creates a soup (#TACT_SOUP). Each face of the def is one convex part: the convex hull of its vertices. Holes are not
 * allowed, and `solid` is ignored. */
TACT_API tact_shape *tact_soup_create(const tact_mesh_def *def, tact_report *report);

/** Short form of tact_mesh_create: a surface of triangles, three indices each, with the default allocator. Returns NULL
 * on bad input or when memory runs out. */
TACT_API tact_shape *tact_mesh(const tact_vec3 *vertices, size_t vertex_count, const uint32_t *indices,
                               size_t triangle_count);

/** Creates a compound (#TACT_COMPOUND): `parts[i]` at `transforms[i]` (NULL: all at the identity). On failure returns
 * NULL and explains in `report`, which may be NULL. `allocator` NULL: the default allocator. A compound without parts
 * is legal and touches nothing.
 *
 * If a part is a mesh, soup or compound with a margin, the compound's transform in a query must scale uniformly.
 * Otherwise the query returns #TACT_BAD_ARGUMENT. */
TACT_API tact_shape *tact_compound_create(const tact_shape *const *parts, const tact_transform *transforms,
                                          size_t count, const tact_allocator *allocator, tact_report *report);

/** Short form of tact_compound_create, with the default allocator. */
TACT_API tact_shape *tact_compound(const tact_shape *const *parts, const tact_transform *transforms, size_t count);

/**
 * Description of a heightfield to create. Start with tact_heightfield_def_default().
 *
 * The surface has the vertex (i, j) at x = i * spacing[0], y = its height, z = j * spacing[1]; y is up. Each cell
 * between (i, j) and (i + 1, j + 1) consists of two triangles that share the diagonal between these two vertices. The
 * shape is the solid of all points below the surface, with vertical walls below its border. It ends 1024 extents below
 * its lowest vertex; the extent is the largest of both sides and the difference of the heights. No penetration depth
 * pushes a body down through it.
 *
 * In results, #tact_part::face of cell (i, j) is 2 c for the triangle at (i, j + 1) and 2 c + 1 for that at (i + 1, j),
 * with c = i * (counts[1] - 1) + j. Faces from 2 (counts[0] - 1) (counts[1] - 1) on are walls and bottom.
 *
 * A heightfield has no mass and is not deformable.
 */
typedef struct tact_heightfield_def {
    size_t counts[2];         /**< number of vertices along x and along z; at least 2 each, at most 2^27 in all */
    double spacing[2];        /**< distance of neighbouring vertices along x and along z; positive */
    const void *heights;      /**< counts[0] * counts[1] heights: that of (i, j) at i * counts[1] + j; copied */
    tact_scalar scalar;       /**< type of each height */
    double margin;            /**< rounding radius, as for tact_shape_create */
    tact_allocator allocator; /**< allocator for the shape's memory */
} tact_heightfield_def;

/** Returns a def with all fields zero and the default allocator. */
TACT_API tact_heightfield_def tact_heightfield_def_default(void);

/** Creates a heightfield (#TACT_HEIGHTFIELD). On failure returns NULL and explains in `report`, which may be NULL.
 * Cost: O(n log n) in the number n of vertices, and some 140 bytes for each. */
TACT_API tact_shape *tact_heightfield_create(const tact_heightfield_def *def, tact_report *report);

/** Short form of tact_heightfield_create, with heights in doubles and the default allocator. */
TACT_API tact_shape *tact_heightfield(size_t count_x, size_t count_z, double spacing_x, double spacing_z,
                                      const double *heights);

/** Sizes of a mesh, soup or compound. */
typedef struct tact_mesh_size {
    size_t vertices;  /**< vertices of a mesh or soup */
    size_t faces;     /**< faces as given; parts of a compound */
    size_t triangles; /**< triangles of a mesh, after triangulation */
    size_t bytes;     /**< memory it owns; excludes the parts of a compound and the hulls of a soup's parts */
} tact_mesh_size;

/** Returns the sizes; all zero for convex shapes and NULL. */
TACT_API tact_mesh_size tact_mesh_get_size(const tact_shape *shape);

/** Defects and properties of a mesh. All counts are numbers of elements. For a closed orientable surface without
 * defects every defect is 0, `components` is at least 1, `closed` is true and `volume` is the enclosed volume. */
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
    double volume;                /**< signed volume in local coordinates; negative for an inverted surface */
    bool closed;                  /**< there are triangles, and no open or non-manifold edges */
    bool inverted;                /**< closed, with faces clockwise seen from outside */
} tact_mesh_findings;

/** Checks a mesh for defects. All of them are legal: every query accepts such a mesh. */
TACT_API tact_mesh_findings tact_mesh_check(const tact_shape *mesh);

TACT_END

#endif
