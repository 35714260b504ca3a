/* Meshes for the tests: made, not read. Corners are three a triangle. */
#ifndef TACT_ORACLE_ZOO_H
#define TACT_ORACLE_ZOO_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/mesh.h>
#include <tact/transform.h>

#include "dice.h"

enum { ZOO_MOST = 6000 };

typedef struct zoo_mesh {
    uint32_t vertex_count, triangle_count;
    tact_vec3 vertices[ZOO_MOST];
    uint32_t corners[3 * ZOO_MOST];
} zoo_mesh;

typedef enum zoo_kind {
    ZOO_TORUS,   /* closed */
    ZOO_CUBE,    /* closed */
    ZOO_BALL,    /* closed: an octahedron, refined */
    ZOO_SOUP,    /* triangles anywhere, of any size */
    ZOO_SLIVERS, /* thin ones, points and segments among them */
    ZOO_DOUBLES, /* every triangle several times, with vertices of its own */
    ZOO_STACK,   /* triangles in a few parallel planes */
    ZOO_SNAPPED, /* triangles with corners on a coarse grid */
    ZOO_TEAPOT,  /* a pot, a spout and a handle that pass through its wall, both open at the ends */
    ZOO_KINDS
} zoo_kind;

extern const char *const zoo_names[ZOO_KINDS];

/* Empties a mesh; adds to it. */
void zoo_clear(zoo_mesh *m);
uint32_t zoo_vertex(zoo_mesh *m, double x, double y, double z);
void zoo_triangle(zoo_mesh *m, uint32_t a, uint32_t b, uint32_t c);

/* Around the z axis, 2 around x along triangles; counter-clockwise seen from outside. */
void zoo_torus(zoo_mesh *m, int around, int along, double large, double small);
void zoo_cube(zoo_mesh *m, double half);
void zoo_ball(zoo_mesh *m, int rounds, double radius);
void zoo_teapot(zoo_mesh *m, int around);

/* One of a kind, of a size of about 1, with some `count` triangles. */
void zoo_make(zoo_mesh *m, zoo_kind kind, int count, dice *d);

/* The same with every vertex written once for each triangle. */
void zoo_split(const zoo_mesh *m, zoo_mesh *split);

/* A shape of it; NULL if there is no memory. */
tact_shape *zoo_shape(const zoo_mesh *m, bool solid, double margin);

/* A transform within `reach` of the origin: rigid, mirrored, stretched, sheared, or with turns by right angles and
 * steps on a coarse grid. */
tact_transform zoo_placement(dice *d, double reach);

/* A transformed triangle: the doubles that DESIGN.md defines. */
void zoo_placed(const zoo_mesh *m, const tact_transform *at, uint32_t triangle, tact_vec3 corner[3]);

/* Distances, computed in quadruple precision where there is such; `zoo_gap` of two triangles is exactly 0 if and
 * only if they meet. */
long double zoo_point_gap(const tact_vec3 t[3], tact_vec3 p);
long double zoo_segment_gap(const tact_vec3 t[3], tact_vec3 p, tact_vec3 q);
long double zoo_gap(const tact_vec3 a[3], const tact_vec3 b[3]);

#endif
