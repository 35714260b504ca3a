/*
 * Finds the intersecting faces of two meshes, or of one. Exact for the vertices as they are. Faces have the indices of
 * tact_mesh_def.
 */
#ifndef TACT_TOOL_FACE_PAIRS_H
#define TACT_TOOL_FACE_PAIRS_H

#include <stddef.h>
#include <stdint.h>
#include <tact/parallel.h>
#include <tact/shape.h>

typedef struct face_pair {
    uint32_t a, b;
} face_pair;

/* Distinct pairs, sorted by a, then b. Zero-initialised it is empty. */
typedef struct face_pairs {
    face_pair *items;
    size_t count, capacity;
} face_pairs;

/* Called after each batch with the number of triangle pairs tested so far. */
typedef void face_pairs_progress(void *context, double tested_pairs);

typedef struct face_pairs_def {
    tact_parallel parallel;
    face_pairs_progress *progress; /* may be NULL */
    void *context;
} face_pairs_def;

/* The pairs of faces of `a` and `b` with a common point; touching counts. TACT_OUT_OF_MEMORY is possible. */
tact_status tact_face_pairs_between(const tact_shape *a, const tact_shape *b, const face_pairs_def *def,
                                    face_pairs *found);

/* The pairs of faces of one mesh with a common point outside their shared vertex or edge, the smaller index first; a
 * self-intersecting polygon is paired with itself. Vertices at equal positions are shared. `triangles` counts pairs of
 * triangles of two faces, and 1 for each self-intersecting polygon. Without such polygons it equals
 * tact_mesh_findings.self_intersections. */
tact_status tact_face_pairs_inside(const tact_shape *shape, const face_pairs_def *def, face_pairs *found,
                                   size_t *triangles);

void tact_face_pairs_release(face_pairs *pairs);

#endif
