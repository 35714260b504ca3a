/*
 * The bodies that the benchmarks race with: plain data, made from a seed, that every convex_runner converts for itself
 * before the clock starts. No query of the library has a say in it, so that the input stays the same whatever the
 * library does.
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

typedef struct random_source random_source; /* core/random.h */

typedef enum solid_kind { SOLID_BOX, SOLID_SPHERE, SOLID_CAPSULE, SOLID_HULL } solid_kind;

typedef struct solid {
    solid_kind kind;
    tact_vec3 half;         /* box: half extents */
    double radius;          /* sphere, capsule */
    double height;          /* capsule: between the centres, along y */
    double size;            /* what "a radius" means for this solid: the unit of gaps and depths */
    double bounding_radius; /* no point is farther from the origin */
    int vertex_count;       /* box: 8; hull: all of them are extreme */
    tact_vec3 *vertices;
    int face_count; /* hull: triangles, counter-clockwise seen from outside */
    int (*faces)[3];
} solid;

/* They return false when memory runs out. */
bool tact_solid_box(solid *s, tact_vec3 half);
bool tact_solid_sphere(solid *s, double radius);
bool tact_solid_capsule(solid *s, double radius, double height);
/* The hull of `count` >= 4 random points on the unit sphere: all of them are corners. */
bool tact_solid_hull(solid *s, int count, random_source *random);
void tact_solid_release(solid *s);

double tact_solid_volume(const solid *s); /* of a hull */

#ifdef __cplusplus
}
#endif

#endif
