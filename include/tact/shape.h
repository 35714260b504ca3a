/**
 * @file
 * Shapes: geometry in local coordinates. A shape is immutable, so any number of bodies and threads may share it.
 *
 * Shapes are reference-counted. Creating a shape gives the caller one reference, tact_shape_retain adds one,
 * tact_shape_release drops one, and dropping the last one frees the shape. A shape built from other shapes holds
 * references to them.
 *
 * The short functions (tact_sphere ...) use the default allocator and return NULL on bad input or when memory runs out.
 * tact_shape_create is the full form: any allocator, a margin, and a report that says why it failed. Meshes, soups,
 * compounds and heightfields are created with mesh.h.
 */
#ifndef TACT_SHAPE_H
#define TACT_SHAPE_H

#include <stddef.h>
#include <tact/allocator.h>
#include <tact/status.h>
#include <tact/transform.h>
#include <tact/vec.h>

TACT_BEGIN

/** A shape; opaque. */
typedef struct tact_shape tact_shape;

/** The type of a shape. All types up to #TACT_CUSTOM are convex and bounded. Every shape is a closed set: its boundary
 * belongs to it. A convex shape with volume also contains its interior. */
typedef enum tact_shape_type {
    TACT_POINT = 1,     /**< `points[0]` */
    TACT_SEGMENT,       /**< from `points[0]` to `points[1]` */
    TACT_TRIANGLE,      /**< `points[0]` to `points[2]`; may be degenerate */
    TACT_TETRAHEDRON,   /**< `points[0]` to `points[3]`; may be degenerate */
    TACT_SPHERE,        /**< `radius`, centred at the origin */
    TACT_BOX,           /**< `size`: full extents along x, y, z, centred at the origin */
    TACT_CAPSULE,       /**< all points within `radius` of the centred segment of length `height` on the y axis */
    TACT_CYLINDER,      /**< `radius` and `height`, axis y, centred */
    TACT_CONE,          /**< base of `radius` at y = -`height`/2, apex at y = +`height`/2 */
    TACT_ELLIPSOID,     /**< `size`: the semi-axes along x, y, z, centred */
    TACT_POLYGON,       /**< the convex hull of `points`, which must be coplanar up to rounding */
    TACT_HULL,          /**< the convex hull of `points`; they may repeat, and may be interior, coplanar or collinear */
    TACT_MINKOWSKI_SUM, /**< the Minkowski sum of both `parts`: all points a + b, a in one part, b in the other */
    TACT_CONVEX_HULL_OF, /**< the convex hull of the union of both `parts` */
    TACT_TRANSFORMED,    /**< `parts[0]` mapped by `transform` */
    TACT_CUSTOM,         /**< the convex shape whose support function is `support` */
    TACT_MESH,           /**< a surface of triangles and polygons, or the solid inside it: mesh.h */
    TACT_SOUP,           /**< a set of convex parts over shared vertices (not a triangle soup): mesh.h */
    TACT_COMPOUND,       /**< a set of shapes with transforms: mesh.h */
    TACT_NURBS,          /**< a set of NURBS surfaces, or the solid inside them: nurbs.h */
    TACT_HALFSPACE,      /**< all x with `normal` . x <= `offset`: unbounded, see tact_halfspace */
    TACT_HEIGHTFIELD     /**< the solid below a grid of heights: mesh.h */
} tact_shape_type;

/** A support function: returns a point of a convex shape that is farthest along `direction`, which is never zero and
 * has any length. It must be pure and callable from any thread. A result that is not finite makes the query fail. */
typedef tact_vec3 tact_support_callback(void *context, tact_vec3 direction);

/** Description of a shape to create. Each type uses the fields named in #tact_shape_type and ignores the others. Start
 * with tact_shape_def_default(). */
typedef struct tact_shape_def {
    tact_shape_type type;           /**< type of the shape */
    double radius;                  /**< sphere, capsule, cylinder, cone: finite, not negative */
    double height;                  /**< capsule, cylinder, cone: finite, not negative */
    tact_vec3 size;                 /**< box (full extents), ellipsoid (semi-axes): finite, not negative */
    const tact_vec3 *points;        /**< point to tetrahedron, polygon, hull; copied */
    size_t point_count;             /**< number of `points`; 1 to 4 for point to tetrahedron */
    const tact_shape *parts[2];     /**< Minkowski sum, convex hull: both; transformed: the first; convex, not NULL */
    tact_transform transform;       /**< transformed: the map */
    tact_support_callback *support; /**< custom: the support function */
    void *support_context;          /**< custom: passed to `support` */
    double support_radius;          /**< custom: radius of a sphere about the origin that contains the shape */
    tact_vec3 normal;               /**< half-space: outward normal, not zero, of any other length */
    double offset;                  /**< half-space: `normal` . x <= `offset` for its points x */
    double margin;                  /**< rounding radius, see tact_shape_create */
    tact_allocator allocator;       /**< allocator for the shape's memory */
} tact_shape_def;

/** Returns a def with all fields zero, the identity transform and the default allocator. */
TACT_API tact_shape_def tact_shape_def_default(void);

/**
 * Creates a shape. On failure returns NULL and explains in `report`, which may be NULL.
 *
 * The margin rounds the shape: with margin m and transform T the shape is all points within m of T(shape). The margin
 * is a length in world coordinates, so T does not scale it.
 *
 * The parts of a Minkowski sum, of a convex hull of shapes and of a transformed shape are convex. Only a compound can
 * have meshes, soups, NURBS shapes and compounds as parts.
 *
 * A shape with a margin may be a part of another shape: a Minkowski sum, a convex hull of shapes, a transformed shape
 * or a compound. Then the margin is a length in the coordinates of that other shape. The transform of the part within
 * it does not scale the margin. A transform of the whole scales it like all other geometry.
 *
 * Parts nest at most 32 levels deep. A #TACT_MINKOWSKI_SUM, #TACT_CONVEX_HULL_OF or #TACT_TRANSFORMED has at most 65536
 * parts on all levels together; a shared part is counted once for each use. This limit does not apply to compounds.
 *
 * Cost: constant; expected O(n log n) for hulls and polygons.
 */
TACT_API tact_shape *tact_shape_create(const tact_shape_def *def, tact_report *report);

TACT_API tact_shape *tact_sphere(double radius);                           /**< see #TACT_SPHERE */
TACT_API tact_shape *tact_box(double x, double y, double z);               /**< see #TACT_BOX; full extents */
TACT_API tact_shape *tact_capsule(double radius, double height);           /**< see #TACT_CAPSULE */
TACT_API tact_shape *tact_cylinder(double radius, double height);          /**< see #TACT_CYLINDER */
TACT_API tact_shape *tact_cone(double radius, double height);              /**< see #TACT_CONE */
TACT_API tact_shape *tact_ellipsoid(double x, double y, double z);         /**< see #TACT_ELLIPSOID; semi-axes */
TACT_API tact_shape *tact_point(tact_vec3 p);                              /**< see #TACT_POINT */
TACT_API tact_shape *tact_segment(tact_vec3 p, tact_vec3 q);               /**< see #TACT_SEGMENT */
TACT_API tact_shape *tact_triangle(tact_vec3 p, tact_vec3 q, tact_vec3 r); /**< see #TACT_TRIANGLE */
/** See #TACT_TETRAHEDRON. */
TACT_API tact_shape *tact_tetrahedron(tact_vec3 p, tact_vec3 q, tact_vec3 r, tact_vec3 s);
TACT_API tact_shape *tact_polygon(const tact_vec3 *points, size_t count);           /**< see #TACT_POLYGON */
TACT_API tact_shape *tact_hull(const tact_vec3 *points, size_t count);              /**< see #TACT_HULL */
TACT_API tact_shape *tact_minkowski_sum(const tact_shape *a, const tact_shape *b);  /**< see #TACT_MINKOWSKI_SUM */
TACT_API tact_shape *tact_convex_hull_of(const tact_shape *a, const tact_shape *b); /**< see #TACT_CONVEX_HULL_OF */
/** See #TACT_TRANSFORMED. */
TACT_API tact_shape *tact_transformed(const tact_shape *part, tact_transform transform);
/** See #TACT_CUSTOM. */
TACT_API tact_shape *tact_custom(tact_support_callback *support, void *context, double support_radius);
/**
 * Creates the half-space of all x with normal . x <= offset. `normal` need not have unit length; it points out of the
 * half-space. Under a transform T it is T(half-space), also with nonuniform or negative scale.
 *
 * A half-space is unbounded:
 * - tact_shape_support returns #TACT_BAD_ARGUMENT.
 * - tact_shape_bounds limits the box to coordinates of 1e150. It is tight on the side of the normal if that is a
 *   coordinate axis.
 * - It cannot be a part of another shape, has no mass (#TACT_BAD_ARGUMENT), and its body cannot spin in a world.
 * - Two half-spaces overlap unless their normals are opposite. Where they overlap in an unbounded set, no translation
 *   separates them: tact_shapes_penetration, tact_shapes_manifold and tact_shapes_contacts return #TACT_BAD_ARGUMENT.
 * - tact_shapes_intersections returns #TACT_BAD_ARGUMENT if the other shape touches it.
 */
TACT_API tact_shape *tact_halfspace(tact_vec3 normal, double offset);
/** Returns a shape of any type with the geometry of `shape` and the margin `margin`, which replaces its own margin. The
 * two shapes share their memory. */
TACT_API tact_shape *tact_rounded(const tact_shape *shape, double margin);

/** Adds a reference and returns the shape; NULL for NULL. */
TACT_API tact_shape *tact_shape_retain(const tact_shape *shape);

/** Drops a reference; the last one frees the shape. NULL is allowed. */
TACT_API void tact_shape_release(tact_shape *shape);

TACT_API tact_shape_type tact_shape_get_type(const tact_shape *shape); /**< the type; 0 for NULL */
TACT_API double tact_shape_get_margin(const tact_shape *shape);        /**< the margin; 0 for NULL */

/** Copies at most `capacity` vertices of a shape to `points`, which may be NULL, and returns their total number. A
 * point to tetrahedron has the points of its def. A hull or polygon has its extreme points. A mesh, soup or heightfield
 * has all its vertices. All other types, boxes included, return 0. */
TACT_API size_t tact_shape_get_points(const tact_shape *shape, tact_vec3 *points, size_t capacity);

/** An axis-aligned bounding box in world coordinates. */
typedef struct tact_bounds {
    tact_vec3 min; /**< smallest coordinates */
    tact_vec3 max; /**< largest coordinates */
} tact_bounds;

/** Computes the axis-aligned bounding box of a shape at a transform, margin included. The box is rounded outward, so it
 * contains the whole shape. It is tight up to rounding, with two exceptions. For a compound of more than 4096 leaves it
 * encloses the compound's transformed local box. For a compound that has a mesh, soup or compound with a margin as a
 * part, that margin may be overestimated. Returns #TACT_BAD_ARGUMENT for a shape without points, such as a mesh without
 * faces. */
TACT_API tact_status tact_shape_bounds(const tact_shape *shape, tact_transform transform, tact_bounds *bounds);

/** Computes a support point: a point of the shape at a transform, margin included, that is farthest along `direction`.
 * The direction must not be zero. Returns #TACT_BAD_ARGUMENT for a half-space, which has no farthest point. */
TACT_API tact_status tact_shape_support(const tact_shape *shape, tact_transform transform, tact_vec3 direction,
                                        tact_vec3 *point);

TACT_END

#endif
