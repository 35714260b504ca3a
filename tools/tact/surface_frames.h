/*
 * Key frames of the control points of a NURBS shape, as those of a triangle mesh (tact ccd, tact play): one
 * tessellation whose distance from the surfaces is bounded at all key frames and on the way between them.
 */
#ifndef TACT_TOOL_SURFACE_FRAMES_H
#define TACT_TOOL_SURFACE_FRAMES_H

#include <tact/shape.h>
#include <tact/vec.h>

#include "mesh_file.h"
#include "nurbs/nurbs_tessellation.h"

typedef struct surface_frames {
    tact_shape *shape;               /* NULL: none */
    nurbs_tessellation tessellation; /* once it is made */
    bool made;
    tact_vec3 *frames; /* control points, key frame after key frame; its own */
    size_t frame_count;
} surface_frames;

/* The number of control points of a NURBS shape. */
size_t tact_surface_point_count(const tact_shape *shape);

/* Copies the control points of a NURBS shape. */
void tact_surface_points(const tact_shape *shape, tact_vec3 *points);

/* Checks that two NURBS shapes differ in their control points alone. On failure writes one line to `error` that starts
 * with the path of `b`. */
bool tact_surface_match(const tact_shape *a, const char *path_a, const tact_shape *b, const char *path_b, char *error,
                        size_t size);

/* Makes the tessellation of s->frames, and its mesh at the first of them. On failure writes "PATH: reason". */
bool tact_surface_frames_make(surface_frames *s, const char *path, mesh_file *out, char *error, size_t size);

/* The mesh at the last key frame. */
bool tact_surface_frames_make_last(const surface_frames *s, const char *path, mesh_file *out, char *error, size_t size);

/* The vertices of the mesh at some control points. */
void tact_surface_frames_place(const surface_frames *s, const tact_vec3 *points, tact_vec3 *positions);

/* Frees everything; it may be zero-initialised. */
void tact_surface_frames_release(surface_frames *s);

#endif
