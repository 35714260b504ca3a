/*
 * A convex shape placed for one query: its support map in world axes, relative to its own origin, the curvature of that
 * map, and its flat faces.
 *
 * A placed shape is a *core* with a *margin* around it (a ball of that radius, in world units): the sphere is a point
 * with a margin, the capsule a segment with a margin, as long as the placement does not stretch them unevenly. All that
 * follows speaks of the core; what wants the rounded surface adds the margin.
 */
#ifndef TACT_SHAPE_CONVEX_H
#define TACT_SHAPE_CONVEX_H

#include <stdint.h>

#include "math/vec.h"
#include "shape/shape_data.h"

/* Relative; how far from equal lengths and right angles the axes of a rotation may be from rounding alone: the worst of
 * a million rotations made by tact_transform_make is off by 1.33e-15. Treating such a placement as a similarity changes
 * a radius by at most 2e-15 of itself. */
#define CONVEX_SIMILARITY_TOLERANCE 4e-15

typedef enum convex_kind {
    CONVEX_POINTS,    /* 1 to 4 points */
    CONVEX_BOX,       /* parallelepiped */
    CONVEX_HULL,      /* affine image of a hull */
    CONVEX_ELLIPSOID, /* affine image of a ball: x, y, z are its conjugate half axes */
    CONVEX_CAPSULE,   /* segment +-axis plus an affine ball */
    CONVEX_CYLINDER,  /* disc of half axes x, z, plus the segment +-y */
    CONVEX_CONE,      /* apex at +y, disc of half axes x, z at -y */
    CONVEX_COMPOSITE  /* sum, join, placed, custom: evaluated part by part */
} convex_kind;

typedef struct convex {
    convex_kind kind;
    int point_count; /* CONVEX_POINTS */
    const tact_shape *shape;
    tact_transform
        transform;  /* axes: premultiplied by the half extents or radii except for CONVEX_HULL and CONVEX_COMPOSITE */
    tact_vec3 axis; /* CONVEX_CAPSULE: the half segment */
    double margin;  /* radius of the ball around the core */
    double bounding_radius; /* no point of the core is farther than this from the origin */
    tact_vec3 points[4];    /* CONVEX_POINTS: relative to at.origin */
} convex;

/* Makes ready a shape under a placement. Returns TACT_BAD_ARGUMENT if the shape is NULL or the placement not usable. */
tact_status tact_convex_make(convex *c, const tact_shape *shape, const tact_transform *at);

/* The same for a placement that may be singular: one on the way of a straight motion between two that are not. Finite,
 * and not checked for it. */
tact_status tact_convex_make_singular(convex *c, const tact_shape *shape, const tact_transform *at);

/* A point alone, for a question about `shape`. */
static inline convex convex_point(const tact_shape *shape, tact_vec3 at)
{
    convex c = {0};
    c.kind = CONVEX_POINTS;
    c.point_count = 1;
    c.shape = shape; /* never looked into: a core of points carries its own */
    c.transform = tact_identity();
    c.transform.origin = at;
    return c;
}

/* The point of the core farthest along `direction`, relative to c->at.origin. `branch` (may be NULL) gets a number that
 * is equal for two directions only if the support map is one smooth function between them (a corner, a rim, a whole
 * ellipsoid). */
tact_vec3 tact_convex_support(const convex *c, tact_vec3 direction, uint64_t *branch);

/* Adds to the symmetric matrix h = {xx, yy, zz, xy, xz, yz} the derivative of the support point by the direction, at
 * the unit vector `direction`: zero for polytopes. */
void tact_convex_curvature(const convex *c, tact_vec3 direction, double h[6]);

/* Of such a matrix: e^t h f. */
static inline double convex_curvature_along(const double h[6], tact_vec3 e, tact_vec3 f)
{
    return vec_dot(e, vec_make(h[0] * f.x + h[3] * f.y + h[4] * f.z, h[3] * f.x + h[1] * f.y + h[5] * f.z,
                               h[4] * f.x + h[5] * f.y + h[2] * f.z));
}

/* Scales all lengths, the placement's origin included, by 2^exponent. */
void tact_convex_scale(convex *c, int exponent);

/* True when the core has finitely many corners. */
bool tact_convex_is_polytope(const convex *c);

/* The most corners of a face that tact_convex_support_face returns; larger faces are thinned to this many, round caps
 * get as many. */
#define CONVEX_FACE_VERTICES 32

/* The flat feature of the core (face, edge or corner) that is met first by a plane of normal `direction` coming from
 * outside: its corners relative to c->at.origin, in order around it (counter-clockwise seen against `direction`); the
 * return is how many. `normal` gets its outward unit normal when it is a face (3 corners or more). Round caps of
 * cylinder and cone are returned as regular polygons inscribed in the rim. A feature counts if it leans less than
 * `slack` (a sine) from being perpendicular to `direction`. */
int tact_convex_support_face(const convex *c, tact_vec3 direction, double slack,
                             tact_vec3 corners[CONVEX_FACE_VERTICES], tact_vec3 *normal);

#endif
