/*
 * The solids of the convex benchmarks: plain data, created from a seed, that is converted for each library before the
 * clock starts. No query of the library is used to create them, so the input does not depend on the library.
 */
#ifndef TACT_BENCH_SOLID_H
#define TACT_BENCH_SOLID_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/transform.h>
#include <tact/vec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct random_source random_source; /* support/random.h */

typedef enum solid_kind { SOLID_BOX, SOLID_SPHERE, SOLID_CAPSULE, SOLID_HULL } solid_kind;

typedef struct solid {
    solid_kind kind;
    tact_vec3 half;         /* box: half extents */
    double radius;          /* sphere, capsule */
    double height;          /* capsule: of the segment, along y */
    double size;            /* the "radius" of this solid: unit of distances and depths */
    double bounding_radius; /* about the origin */
    int vertex_count;       /* box: 8; hull: all extreme */
    tact_vec3 *vertices;
    int face_count; /* hull: triangles, counter-clockwise seen from outside */
    int (*faces)[3];
} solid;

/* These return false if memory runs out. */
bool tact_solid_box(solid *s, tact_vec3 half);
bool tact_solid_sphere(solid *s, double radius);
bool tact_solid_capsule(solid *s, double radius, double height);
/* The hull of `count` >= 4 random points on the unit sphere; all of them are vertices. */
bool tact_solid_hull(solid *s, int count, random_source *random);
void tact_solid_release(solid *s);

double tact_solid_volume(const solid *s); /* of a hull */

#ifdef __cplusplus
}
#endif

#endif
