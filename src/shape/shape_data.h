/* The inside of a shape. */
#ifndef TACT_SHAPE_SHAPE_DATA_H
#define TACT_SHAPE_SHAPE_DATA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <tact/shape.h>

#include "shape/hull.h"

/* Coordinates and sizes beyond this are refused: twice their square would overflow in a sum of a few products. */
#define SHAPE_MAX_COORDINATE 1e150

/* Parts within parts: deeper nesting is refused, so that recursion stays within any thread's stack. */
#define SHAPE_MAX_NESTING 32

/* Parts in all, a shared one counted as often as it is used: each support point asks every one of them, so a few levels
 * of sums of a thing with itself would otherwise never come to an end. */
#define SHAPE_MAX_PARTS 65536

struct tact_shape {
    atomic_uint references; /* first: all that follows never changes */
    tact_shape_type type;
    tact_allocator allocator;
    double margin;           /* rounding radius, in the coordinates the shape is placed into */
    double bounding_radius;  /* no point of the shape, margin left out, is farther than this from the origin */
    double radius;           /* sphere, capsule, cylinder, cone */
    double half_height;      /* capsule, cylinder, cone */
    tact_vec3 half_extents;  /* box: half extents; ellipsoid: radii */
    tact_vec3 points[4];     /* point to tetrahedron */
    int point_count;         /* of those */
    int nesting_depth;       /* of nesting: 1 for a shape without parts */
    int part_count;          /* in all, this one included: 1 for a shape without parts */
    bool has_custom_support; /* it or a part of it is a user's own support function */
    hull *hull;              /* polygon, hull */
    struct mesh *mesh;       /* mesh, soup */
    struct compound *compound;
    tact_shape *parts[2];
    tact_transform transform;
    tact_support_callback *support;
    void *support_context;
    tact_shape
        *owner; /* the shape that owns hull, mesh, compound and parts, when this one is the same with another margin */
};

typedef struct mesh mesh;
typedef struct compound compound;

static inline bool shape_is_convex(const tact_shape *shape) { return shape->mesh == NULL && shape->compound == NULL; }

/* A shape of a type with nothing else filled in, and one reference. On failure returns NULL and says why. */
tact_shape *tact_shape_allocate(tact_shape_type type, double margin, const tact_allocator *allocator,
                                tact_report *report);

/* A polygon or hull from the parts of its hull: see hull.h. On failure returns NULL and says why. */
tact_shape *tact_shape_restore_hull(tact_shape_type type, double margin, const hull_topology *parts,
                                    const tact_allocator *allocator, tact_report *report);

/* Gives up one that was begun and not finished. */
void tact_shape_deallocate(tact_shape *shape);

#endif
