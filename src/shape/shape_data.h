/* The internal representation of a shape. */
#ifndef TACT_SHAPE_SHAPE_DATA_H
#define TACT_SHAPE_SHAPE_DATA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <tact/shape.h>

#include "math/transform_norm.h"
#include "shape/hull.h"
#include "shape/shape_constants.h"

/* What decides which functions answer a query about a shape: see query/dispatch.h. */
typedef enum shape_class {
    SHAPE_CLASS_SPHERE_SWEPT, /* sphere, capsule */
    SHAPE_CLASS_BOX,
    SHAPE_CLASS_HULL,    /* polygon, hull */
    SHAPE_CLASS_CONVEX,  /* every other convex shape */
    SHAPE_CLASS_COMPLEX, /* mesh, soup, compound, heightfield, NURBS (a mesh with surfaces: nurbs/nurbs_shape.h) */
    SHAPE_CLASS_HALFSPACE,
    SHAPE_CLASS_COUNT
} shape_class;

struct tact_shape {
    atomic_uint references; /* must be first: tact_rounded copies all that follows, which never changes */
    tact_shape_type type;
    shape_class shape_class; /* follows from the type */
    tact_allocator allocator;
    double margin;           /* radius of the sphere around each point, in the coordinates after the transform */
    double bounding_radius;  /* no point of the shape, without the margin, is farther than this from the origin */
    double radius;           /* sphere, capsule, cylinder, cone */
    double half_height;      /* capsule, cylinder, cone */
    tact_vec3 half_extents;  /* box: half extents; ellipsoid: radii */
    tact_vec3 normal;        /* half-space: outward, unit */
    double offset;           /* half-space: length along the normal */
    tact_vec3 points[4];     /* point to tetrahedron */
    int point_count;         /* of those */
    int nesting_depth;       /* 1 for a shape without parts */
    int part_count;          /* in all, with this one: 1 for a shape without parts */
    bool has_custom_support; /* it or one of its parts is a TACT_CUSTOM */
    hull *hull;              /* polygon, hull */
    struct mesh *mesh;       /* mesh, soup */
    struct compound *compound;
    struct nurbs_geometry *nurbs;                        /* NURBS: its surfaces, see nurbs/nurbs_shape.h */
    void (*free_nurbs)(struct nurbs_geometry *geometry); /* NULL: it is not owned, as in a deformable body */
    /* NURBS: no point of a surface is farther than this from the triangles, nor the reverse, in local coordinates */
    double surface_error;
    tact_shape *parts[2];
    tact_transform transform;
    tact_support_callback *support;
    void *support_context;
    /* the shape that owns hull, mesh, compound and parts, if this is a copy with another margin (tact_rounded) */
    tact_shape *owner;
};

typedef struct mesh mesh;
typedef struct compound compound;

static inline bool shape_is_convex(const tact_shape *shape) { return shape->shape_class < SHAPE_CLASS_COMPLEX; }

static inline bool shape_is_halfspace(const tact_shape *shape) { return shape->shape_class == SHAPE_CLASS_HALFSPACE; }

/* By how much the elements of a mesh, soup or compound must be enlarged, in world units, so that they contain the
 * shape: its margin and, for a NURBS shape, the error of its triangles. */
static inline double complex_margin(const tact_shape *shape, const tact_transform *transform)
{
    return shape->surface_error > 0.0
               ? shape->margin + shape->surface_error * (1.0 + SURFACE_ERROR_SLACK) * transform_stretch_bound(transform)
               : shape->margin;
}

/* Allocates a shape of a type with one reference and nothing else filled in. On failure returns NULL and fills
 * `report`. */
tact_shape *tact_shape_allocate(tact_shape_type type, double margin, const tact_allocator *allocator,
                                tact_report *report);

/* A polygon or hull from its vertices and faces, see hull.h. On failure returns NULL and fills `report`. */
tact_shape *tact_shape_restore_hull(tact_shape_type type, double margin, const hull_boundary *boundary,
                                    const tact_allocator *allocator, tact_report *report);

/* Frees a shape from tact_shape_allocate that was not completed. */
void tact_shape_deallocate(tact_shape *shape);

#endif
