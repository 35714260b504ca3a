/**
 * @file
 * Shapes: geometry in its own coordinates, immutable once made, shared by any number of users on any threads.
 *
 * A shape is a counted pointer: the maker holds one reference, tact_shape_retain adds one, tact_shape_release gives one
 * up, and the last one frees it. A shape made of others holds references to them.
 *
 * The short makers below (tact_sphere ...) use the default allocator and return NULL on bad input or lack of memory;
 * tact_shape_create is the full form: any allocator, a margin, and a report that says why it failed.
 */
#ifndef TACT_SHAPE_H
#define TACT_SHAPE_H

#include <stddef.h>
#include <tact/allocator.h>
#include <tact/status.h>
#include <tact/transform.h>
#include <tact/vec.h>

TACT_BEGIN

/** Geometry; its inside is private. */
typedef struct tact_shape tact_shape;

/** What a shape is. All but the last three are solid (the inside belongs to them), closed and convex. */
typedef enum tact_shape_type {
    TACT_POINT = 1,      /**< `points[0]` */
    TACT_SEGMENT,        /**< between `points[0]` and `points[1]` */
    TACT_TRIANGLE,       /**< of `points[0]` to `points[2]`; may be flat */
    TACT_TETRAHEDRON,    /**< of `points[0]` to `points[3]`; may be flat */
    TACT_SPHERE,         /**< `radius`, centred at the origin */
    TACT_BOX,            /**< `size`: full extents along x, y, z, centred */
    TACT_CAPSULE,        /**< all points within `radius` of the segment of length `height` on the y axis, centred */
    TACT_CYLINDER,       /**< `radius`, `height`, axis y, centred */
    TACT_CONE,           /**< base of `radius` at y = -`height`/2, apex at y = +`height`/2 */
    TACT_ELLIPSOID,      /**< `size`: the three radii along x, y, z, centred */
    TACT_POLYGON,        /**< the convex hull of `points`, which must lie in one plane up to rounding */
    TACT_HULL,           /**< the convex hull of any `points`: interior, repeated, flat, collinear or single ones too */
    TACT_MINKOWSKI_SUM,  /**< the Minkowski sum of `parts`: all a + b */
    TACT_CONVEX_HULL_OF, /**< the convex hull of the union of `parts` */
    TACT_TRANSFORMED,    /**< `parts[0]` under the affine map `place`: a shape inside another's coordinates */
    TACT_CUSTOM,         /**< whatever `support` says */
    TACT_MESH,           /**< a surface, or a solid, of triangles and polygons: see mesh.h */
    TACT_SOUP,           /**< many convex pieces: see mesh.h */
    TACT_COMPOUND        /**< many shapes under placements: see mesh.h */
} tact_shape_type;

/** Of all points of a convex shape, one that is farthest along `direction` (never zero, of any length). It must be a
 * pure function, callable from any thread; a result that is not finite makes the query fail. */
typedef tact_vec3 tact_support_callback(void *context, tact_vec3 direction);

/** All that a shape can be made from; which fields count depends on the type. Begin with tact_shape_def_default(). */
typedef struct tact_shape_def {
    tact_shape_type type;           /**< what it is */
    double radius;                  /**< sphere, capsule, cylinder, cone: not negative, finite */
    double height;                  /**< capsule, cylinder, cone: not negative, finite */
    tact_vec3 size;                 /**< box (full extents), ellipsoid (radii): not negative, finite */
    const tact_vec3 *points;        /**< point to tetrahedron, polygon, hull; copied */
    size_t point_count;             /**< how many; 1, 2, 3, 4 for point to tetrahedron */
    const tact_shape *parts[2];     /**< sum and join: both; placed: the first */
    tact_transform transform;       /**< placed: the map */
    tact_support_callback *support; /**< custom: the support function */
    void *support_context;          /**< custom: handed to it */
    double support_radius;          /**< custom: no point of it is farther than this from the origin */
    double margin;                  /**< rounding radius, see tact_shape_create */
    tact_allocator allocator;       /**< where its memory comes from */
} tact_shape_def;

/** A def with everything zero, the identity as `place`, and the default allocator. */
TACT_API tact_shape_def tact_shape_def_default(void);

/**
 * Makes a shape. On failure returns NULL and says why in `report`, which may be NULL.
 *
 * The margin rounds: a shape with margin m placed by P is all points within m of P(shape), so it is a length in the
 * coordinates that the shape is placed *into* and no placement stretches it. Where a shape with a margin is a part of
 * another, its margin is geometry like the rest: all points within m of the part, in the coordinates of the whole.
 *
 * Parts nest at most 32 deep, and a shape has at most 65536 of them in all, each counted as often as it is used.
 *
 * Cost: constant, but for hulls and polygons O(n log n) expected.
 */
TACT_API tact_shape *tact_shape_create(const tact_shape_def *def, tact_report *report);

TACT_API tact_shape *tact_sphere(double radius);                           /**< see #TACT_SPHERE */
TACT_API tact_shape *tact_box(double x, double y, double z);               /**< see #TACT_BOX; full extents */
TACT_API tact_shape *tact_capsule(double radius, double height);           /**< see #TACT_CAPSULE */
TACT_API tact_shape *tact_cylinder(double radius, double height);          /**< see #TACT_CYLINDER */
TACT_API tact_shape *tact_cone(double radius, double height);              /**< see #TACT_CONE */
TACT_API tact_shape *tact_ellipsoid(double x, double y, double z);         /**< see #TACT_ELLIPSOID; radii */
TACT_API tact_shape *tact_point(tact_vec3 p);                              /**< see #TACT_POINT */
TACT_API tact_shape *tact_segment(tact_vec3 p, tact_vec3 q);               /**< see #TACT_SEGMENT */
TACT_API tact_shape *tact_triangle(tact_vec3 p, tact_vec3 q, tact_vec3 r); /**< see #TACT_TRIANGLE */
/** See #TACT_TETRAHEDRON. */
TACT_API tact_shape *tact_tetrahedron(tact_vec3 p, tact_vec3 q, tact_vec3 r, tact_vec3 s);
TACT_API tact_shape *tact_polygon(const tact_vec3 *points, size_t count);            /**< see #TACT_POLYGON */
TACT_API tact_shape *tact_hull(const tact_vec3 *points, size_t count);               /**< see #TACT_HULL */
TACT_API tact_shape *tact_minkowski_sum(const tact_shape *a, const tact_shape *b);   /**< see #TACT_MINKOWSKI_SUM */
TACT_API tact_shape *tact_convex_hull_of(const tact_shape *a, const tact_shape *b);  /**< see #TACT_CONVEX_HULL_OF */
TACT_API tact_shape *tact_transformed(const tact_shape *part, tact_transform place); /**< see #TACT_TRANSFORMED */
/** See #TACT_CUSTOM. */
TACT_API tact_shape *tact_custom(tact_support_callback *support, void *context, double support_radius);
/** The same geometry with another margin (which replaces the one it had). */
TACT_API tact_shape *tact_rounded(const tact_shape *shape, double margin);

/** Adds a reference and returns the shape. NULL stays NULL. */
TACT_API tact_shape *tact_shape_retain(const tact_shape *shape);

/** Gives a reference up; the last one frees the shape. NULL is allowed. */
TACT_API void tact_shape_release(tact_shape *shape);

TACT_API tact_shape_type tact_shape_get_type(const tact_shape *shape); /**< what it was made as; 0 for NULL */
TACT_API double tact_shape_get_margin(const tact_shape *shape);        /**< its rounding radius; 0 for NULL */

/** The corners of a shape made of points: of a hull or polygon the extreme ones, of a mesh or soup all its vertices.
 * Returns how many there are and, if `points` is not NULL, copies the first `room` of them. 0 for curved shapes. */
TACT_API size_t tact_shape_get_points(const tact_shape *shape, tact_vec3 *points, size_t room);

/** A box along the world axes. */
typedef struct tact_bounds {
    tact_vec3 min; /**< lowest corner */
    tact_vec3 max; /**< highest corner */
} tact_bounds;

/** The smallest box along the world axes around a placed shape, margin included, rounded outwards: nothing of the shape
 * is outside. (Of a compound with more than 4096 leaves a box around the boxes of its parts.) #TACT_BAD_ARGUMENT for a
 * shape without any points, such as a mesh without faces. */
TACT_API tact_status tact_shape_bounds(const tact_shape *shape, tact_transform at, tact_bounds *bounds);

/** Of all points of a placed shape, margin included, one that is farthest along `direction` (not zero). */
TACT_API tact_status tact_shape_support(const tact_shape *shape, tact_transform at, tact_vec3 direction,
                                        tact_vec3 *point);

TACT_END

#endif
