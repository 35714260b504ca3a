/*
 * NURBS shapes. A NURBS shape is a mesh, the tessellation of its surfaces, which also has the surfaces. Its type inside
 * the library is TACT_MESH; `nurbs` is not NULL, and tact_shape_get_type returns TACT_NURBS. `surface_error` bounds the
 * distance between the triangles and the surfaces, so that every query on meshes is conservative for the surfaces: it
 * adds the error to the margin (shape_data.h, complex_margin).
 *
 * Triangle i of the mesh is triangle i of the tessellation, vertex i is vertex i.
 */
#ifndef TACT_NURBS_NURBS_SHAPE_H
#define TACT_NURBS_NURBS_SHAPE_H

#include "nurbs/nurbs_tessellation.h"
#include "shape/shape_data.h"

typedef struct nurbs_geometry {
    nurbs_model *model;
    nurbs_tessellation tessellation;
    bool owns_model; /* otherwise a shape that lives longer does */
} nurbs_geometry;

/* A copy of a geometry, in which `count` control points from `first` on are `moved`. The model is shared and must
 * outlive it. NULL: see the report (not NULL). */
nurbs_geometry *tact_nurbs_geometry_copy(const nurbs_geometry *from, uint32_t first, uint32_t count,
                                         const tact_vec3 *moved, tact_report *report);

void tact_nurbs_geometry_free(nurbs_geometry *g); /* NULL is allowed */

/* Bytes of memory that it owns, itself included. */
size_t tact_nurbs_geometry_byte_count(const nurbs_geometry *g);

/* A mesh of the tessellation of `geometry`, without `nurbs`. NULL: see the report (not NULL). */
tact_shape *tact_nurbs_mesh_create(const nurbs_geometry *geometry, bool solid, double margin,
                                   const tact_allocator *allocator, tact_report *report);

#endif
