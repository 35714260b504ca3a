/*
 * Which faces of two meshes, or of one, intersect. Exact for the vertices as they are; faces are numbered as their
 * maker numbered them.
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

/* Pairs in rising order of a, then b, each once. Zero-initialised it is empty. */
typedef struct face_pairs {
    face_pair *items;
    size_t count, room;
} face_pairs;

/* Called now and then with the number of pairs of triangles looked at so far. */
typedef void face_pairs_progress(void *context, double looked_at);

typedef struct face_pairs_def {
    tact_parallel parallel;
    face_pairs_progress *progress; /* may be NULL */
    void *context;
} face_pairs_def;

/* Faces of `a` and of `b` with a point in common; touching is enough. */
tact_status tact_face_pairs_between(const tact_shape *a, const tact_shape *b, const face_pairs_def *def,
                                    face_pairs *found);

/* Faces of one mesh that meet elsewhere than in the corner or edge that they share, the smaller number first; equal
 * numbers for a face that crosses itself. What they share is told by the places of their corners. `triangles`
 * counts the triangles that they are cut into: pairs of triangles of two faces that meet, and 1 for each face that
 * crosses itself, in however many of its own. Without such faces it is tact_mesh_findings.self_intersections. */
tact_status tact_face_pairs_inside(const tact_shape *shape, const face_pairs_def *def, face_pairs *found,
                                   size_t *triangles);

void tact_face_pairs_release(face_pairs *pairs);

#endif
