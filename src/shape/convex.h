/*
 * A convex shape under a transform, prepared for one query: its support mapping in world axes relative to its own
 * origin, the derivative of that mapping, and its flat faces.
 *
 * The shape is a *core* with a *margin* around it, a sphere of that radius in world units. A sphere is a point with a
 * margin, a capsule is a segment with a margin, unless the transform scales them nonuniformly. All functions below
 * refer to the core; the caller adds the margin.
 */
#ifndef TACT_SHAPE_CONVEX_H
#define TACT_SHAPE_CONVEX_H

#include <stdint.h>

#include "math/vec.h"
#include "shape/shape_constants.h"
#include "shape/shape_data.h"

typedef enum convex_kind {
    CONVEX_POINTS,    /* 1 to 4 points */
    CONVEX_BOX,       /* parallelepiped */
    CONVEX_HULL,      /* affine image of a hull */
    CONVEX_ELLIPSOID, /* affine image of a sphere: x, y, z are its conjugate half axes */
    CONVEX_CAPSULE,   /* Minkowski sum of the segment +-axis and an ellipsoid */
    CONVEX_CYLINDER,  /* Minkowski sum of a disc with half axes x, z and the segment +-y */
    CONVEX_CONE,      /* apex at +y, disc of half axes x, z at -y */
    CONVEX_COMPOSITE  /* sum, hull of two, transformed, custom: evaluated part by part */
} convex_kind;

typedef struct convex {
    convex_kind kind;
    int point_count; /* CONVEX_POINTS */
    const tact_shape *shape;
    /* its axes are multiplied by the half extents or radii, except for CONVEX_HULL and CONVEX_COMPOSITE */
    tact_transform transform;
    tact_vec3 axis;         /* CONVEX_CAPSULE: the half segment */
    double margin;          /* radius of the sphere around each point of the core */
    double bounding_radius; /* no point of the core is farther than this from transform.origin */
    tact_vec3 points[4];    /* CONVEX_POINTS: relative to transform.origin */
} convex;

/* Prepares a shape under a transform. Returns TACT_BAD_ARGUMENT if the shape is NULL or not convex, or if the transform
 * is singular, not finite or takes the shape beyond SHAPE_MAX_COORDINATE. */
tact_status tact_convex_make(convex *c, const tact_shape *shape, const tact_transform *transform);

/* The same for a transform that may be singular: one between two that are not, on a linear path of the axes. It must be
 * finite; this is not checked. */
tact_status tact_convex_make_singular(convex *c, const tact_shape *shape, const tact_transform *transform);

/* A single point. `shape` only has to be valid: a core of points carries its own coordinates. */
static inline convex convex_point(const tact_shape *shape, tact_vec3 transform)
{
    convex c = {0};
    c.kind = CONVEX_POINTS;
    c.point_count = 1;
    c.shape = shape;
    c.transform = tact_identity();
    c.transform.origin = transform;
    return c;
}

/* The support point of the core: the one farthest along `direction`, relative to c->transform.origin. `feature` (may be
 * NULL) gets the number of the support feature: a vertex, a rim, a whole ellipsoid. Two directions have the same number
 * only if the support mapping is smooth between them. */
tact_vec3 tact_convex_support(const convex *c, tact_vec3 direction, uint64_t *feature);

/* Adds to the symmetric matrix h = {xx, yy, zz, xy, xz, yz} the derivative of the support point with respect to the
 * direction, at the unit vector `direction`. It is zero for polytopes. */
void tact_convex_curvature(const convex *c, tact_vec3 direction, double h[6]);

/* e^t h f */
static inline double convex_curvature_along(const double h[6], tact_vec3 e, tact_vec3 f)
{
    return vec_dot(e, vec_make(h[0] * f.x + h[3] * f.y + h[4] * f.z, h[3] * f.x + h[1] * f.y + h[5] * f.z,
                               h[4] * f.x + h[5] * f.y + h[2] * f.z));
}

/* One number for the features of two parts. A collision of the hash costs one wasted iteration, no more. */
static inline uint64_t convex_feature_mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + b;
    h = (h ^ (h >> 29)) * 0x94d049bb133111ebu;
    return h ^ (h >> 32);
}

/* Scales all lengths, the origin of the transform included, by 2^exponent. */
void tact_convex_scale(convex *c, int exponent);

/* True if the core has finitely many vertices. */
bool tact_convex_is_polytope(const convex *c);

/* A face, edge or vertex of a core. */
typedef struct convex_face {
    int count;                                /* of vertices */
    tact_vec3 vertices[CONVEX_FACE_VERTICES]; /* relative to the origin of the core's transform */
    /* The number of each vertex on the core, the same for every transform; CONVEX_NO_NUMBER: a point of a smooth
     * surface. */
    uint32_t numbers[CONVEX_FACE_VERTICES];
    uint32_t number;  /* of a face, on the core */
    tact_vec3 normal; /* of a face: outward, unit */
} convex_face;

#define CONVEX_NO_NUMBER UINT32_MAX

/* The support face of the core along `direction`: the face, edge or vertex that a plane with this normal, coming from
 * outside, touches first. Its vertices go counter-clockwise seen against `direction`. A feature counts if it is
 * perpendicular to `direction` up to the sine `max_sine`. The round caps of cylinder and cone are regular polygons
 * inscribed in the rim. */
void tact_convex_support_face(const convex *c, tact_vec3 direction, double max_sine, convex_face *face);

#endif
