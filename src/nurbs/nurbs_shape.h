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

#include "nurbs/nurbs_self.h"
#include "nurbs/nurbs_tessellation.h"
#include "shape/shape_data.h"

/* What the self-collision of a body needs. */
typedef struct nurbs_self_state {
    nurbs_bounds bounds;
    nurbs_self self;
} nurbs_self_state;

typedef struct nurbs_geometry {
    nurbs_model *model;
    nurbs_tessellation tessellation;
    nurbs_self_state *self; /* NULL: not tested against itself yet */
    bool owns_model;        /* otherwise a shape that lives longer does */
} nurbs_geometry;

/* A copy of a geometry, in which `count` control points from `first` on are `moved`. The model is shared and must
 * outlive it. NULL: see the report (not NULL). */
nurbs_geometry *tact_nurbs_geometry_copy(const nurbs_geometry *from, uint32_t first, uint32_t count,
                                         const tact_vec3 *moved, tact_report *report);

void tact_nurbs_geometry_free(nurbs_geometry *g); /* NULL is allowed */

/* Moves control points as tact_nurbs_tessellation_try_move, and updates what depends on them. */
nurbs_move tact_nurbs_geometry_try_move(nurbs_geometry *g, uint32_t first, uint32_t count, const tact_vec3 *points,
                                        tact_report *report);

/* Whether the surfaces may touch themselves (nurbs/nurbs_self.h), and then where: a point near both places in local
 * coordinates, and a triangle near each. TACT_OUT_OF_MEMORY: not decided. */
tact_status tact_nurbs_geometry_find_self_contact(nurbs_geometry *g, bool *touches, tact_vec3 *point,
                                                  uint32_t triangles[2]);

/* Bytes of memory that it owns, itself included. */
size_t tact_nurbs_geometry_byte_count(const nurbs_geometry *g);

/* A mesh of the triangles of a tessellation, without its error and `nurbs`. NULL: see the report (not NULL). */
tact_shape *tact_nurbs_triangles_create(const nurbs_tessellation *t, bool solid, double margin,
                                        const tact_allocator *allocator, tact_report *report);

/* A mesh of the tessellation of `geometry`, without `nurbs`. NULL: see the report (not NULL). */
tact_shape *tact_nurbs_mesh_create(const nurbs_geometry *geometry, bool solid, double margin,
                                   const tact_allocator *allocator, tact_report *report);

#endif
