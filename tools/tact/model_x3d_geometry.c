/* The geometry nodes of X3D and VRML97 as shapes (ISO/IEC 19775-1, clauses 11 and 13). */
#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>

#include "model_readers.h"

static const tact_allocator standard = {NULL, NULL};

static bool length_read(const element_tree *tree, uint32_t e, const char *name, double *length)
{
    return tact_element_numbers(tree, e, name, length, 1) &&
           (*length > 0.0 || tact_element_fail(tree, e, "%s of %s must be positive, not %g", name,
                                               tree->elements.items[e].name, *length));
}

static tact_shape *shape_make(const element_tree *tree, uint32_t e, const tact_shape_def *def)
{
    tact_report report = {0};
    tact_shape *shape = tact_shape_create(def, &report);
    if (!shape)
        (void)tact_element_fail(tree, e, "%s is not possible: %s", tree->elements.items[e].name, report.text);
    return shape;
}

/* ---- meshes ---- */

ARRAY_OF(corner_array, uint32_t);

/* Faces under construction. */
typedef struct face_list {
    corner_array corners, sizes;
    size_t begin; /* of the current face */
} face_list;

/* Ends the current face; one of fewer than three corners is dropped, as viewers do. */
static bool face_end(face_list *f, bool reversed)
{
    const size_t size = f->corners.count - f->begin;
    uint32_t *corners = f->corners.items ? f->corners.items + f->begin : NULL;
    if (size < 3) {
        f->corners.count = f->begin;
        return true;
    }
    for (size_t i = 0; reversed && i < size / 2; i++) {
        const uint32_t corner = corners[i];
        corners[i] = corners[size - 1 - i];
        corners[size - 1 - i] = corner;
    }
    f->begin = f->corners.count;
    return corner_array_push(&f->sizes, &standard, (uint32_t)size);
}

/* Makes faces from indices: polygons that end with -1, or triangles. */
static bool faces_make(const element_tree *tree, uint32_t e, const element_number_array *indices, size_t vertex_count,
                       bool triangles, bool reversed, face_list *faces)
{
    for (size_t i = 0; i < indices->count; i++) {
        const double index = indices->items[i];
        const bool ends = !triangles && index == -1.0;
        if (!ends && !(index >= 0.0 && index < (double)vertex_count && index == (double)(uint32_t)index))
            return tact_element_fail(tree, e, "the index %g of %s is not one of its %zu points", index,
                                     tree->elements.items[e].name, vertex_count);
        if ((!ends && !corner_array_push(&faces->corners, &standard, (uint32_t)index)) ||
            ((ends || (triangles && i % 3 == 2)) && !face_end(faces, reversed)))
            return tact_mesh_source_out_of_memory(tree->source);
    }
    if (triangles)
        faces->corners.count = faces->begin; /* what is left of a triangle */
    return face_end(faces, reversed) || tact_mesh_source_out_of_memory(tree->source);
}

/* The points of the child Coordinate. */
static bool points_read(const element_tree *tree, const uint32_t *uses, uint32_t e, element_number_array *points)
{
    for (uint32_t c = tree->elements.items[e].first_child; c != ELEMENT_NONE; c = tree->elements.items[c].next) {
        const uint32_t coordinate = uses[c];
        const char *name = tree->elements.items[coordinate].name;
        if (strcmp(name, "Coordinate") != 0 && strcmp(name, "CoordinateDouble") != 0)
            continue;
        return tact_element_number_list(tree, coordinate, "point", points) &&
               (points->count % 3 == 0 ||
                tact_element_fail(tree, coordinate, "point of %s has %zu numbers, not three for each point", name,
                                  points->count));
    }
    return true;
}

static tact_shape *faces_read(const element_tree *tree, const uint32_t *uses, uint32_t e, bool triangles)
{
    element_number_array points = {0}, indices = {0};
    face_list faces = {0};
    bool ccw = true;
    tact_shape *shape = NULL;
    if (tact_element_flag(tree, e, "ccw", &ccw) && points_read(tree, uses, e, &points) &&
        tact_element_number_list(tree, e, triangles ? "index" : "coordIndex", &indices) &&
        faces_make(tree, e, &indices, points.count / 3, triangles, !ccw, &faces)) {
        tact_mesh_def def = tact_mesh_def_default();
        tact_report report = {0};
        def.vertices = (tact_vertices){points.items, points.count / 3, 0, TACT_SCALAR_DOUBLE};
        def.indices = faces.corners.items;
        def.index_count = faces.corners.count;
        def.loop_sizes = faces.sizes.items;
        def.loop_count = faces.sizes.count;
        if (faces.sizes.count == 0)
            (void)tact_element_fail(tree, e, "%s has no faces", tree->elements.items[e].name);
        else if (!(shape = tact_mesh_create(&def, &report)))
            (void)tact_element_fail(tree, e, "%s is not possible: %s", tree->elements.items[e].name, report.text);
        else if (tact_model_mesh_close(shape) != TACT_OK) {
            (void)tact_mesh_source_out_of_memory(tree->source);
            tact_shape_release(shape);
            shape = NULL;
        }
    }
    element_number_array_release(&points, &standard);
    element_number_array_release(&indices, &standard);
    corner_array_release(&faces.corners, &standard);
    corner_array_release(&faces.sizes, &standard);
    return shape;
}

/* ---- all ---- */

tact_shape *tact_model_x3d_geometry(const element_tree *tree, const uint32_t *uses, uint32_t e, bool *good)
{
    const char *name = tree->elements.items[e].name;
    tact_shape_def def = tact_shape_def_default();
    tact_shape *shape = NULL;
    if (strcmp(name, "Box") == 0) {
        double size[3] = {2.0, 2.0, 2.0};
        *good = tact_element_numbers(tree, e, "size", size, 3);
        def.type = TACT_BOX;
        def.size = (tact_vec3){size[0], size[1], size[2]};
    } else if (strcmp(name, "Sphere") == 0) {
        def.type = TACT_SPHERE;
        def.radius = 1.0;
        *good = length_read(tree, e, "radius", &def.radius);
    } else if (strcmp(name, "Cylinder") == 0 || strcmp(name, "Cone") == 0) {
        const bool is_cone = strcmp(name, "Cone") == 0;
        def.type = is_cone ? TACT_CONE : TACT_CYLINDER;
        def.radius = 1.0;
        def.height = 2.0;
        *good = length_read(tree, e, is_cone ? "bottomRadius" : "radius", &def.radius) &&
                length_read(tree, e, "height", &def.height);
    } else if (strcmp(name, "IndexedFaceSet") == 0 || strcmp(name, "IndexedTriangleSet") == 0) {
        shape = faces_read(tree, uses, e, strcmp(name, "IndexedTriangleSet") == 0);
        *good = shape != NULL;
        return shape;
    } else {
        return NULL;
    }
    if (*good)
        shape = shape_make(tree, e, &def);
    *good = shape != NULL;
    return shape;
}
