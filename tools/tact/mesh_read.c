#include "mesh_read.h"

#include <math.h>
#include <stdlib.h>
#include <tact/mesh.h>

#include "cad_file.h"
#include "mesh_file.h"

tact_shape *tact_shape_creation_failed(const tact_json_path *where, const tact_report *report, tact_input_error *error)
{
    (void)tact_input_error_set(error, where, "cannot be created: %s",
                               report->text[0] ? report->text : tact_status_text(report->status));
    return NULL;
}

tact_shape *tact_shape_add_margin(tact_shape *shape, double margin, const tact_json_path *where,
                                  tact_input_error *error)
{
    if (margin == 0.0)
        return shape;
    tact_shape *rounded = tact_rounded(shape, margin);
    tact_shape_release(shape);
    if (!rounded)
        (void)tact_input_error_set(error, where, "cannot be created with this margin");
    return rounded;
}

/* Reads a vertex index less than `count`. */
static bool index_read(const json_t *value, const tact_json_path *where, size_t count, uint32_t *index,
                       tact_input_error *error)
{
    double number;
    if (!tact_json_number(value, where, &number, error))
        return false;
    if (number != floor(number) || number < 0.0 || number >= (double)count)
        return tact_input_error_set(error, where, "must be a vertex index less than %zu, not %.17g", count, number);
    *index = (uint32_t)number;
    return true;
}

/* Reads the member "triangles"; on success the caller frees *indices, three a triangle. */
static bool triangles_read(const json_t *object, const tact_json_path *where, size_t vertex_count, uint32_t **indices,
                           size_t *count, tact_input_error *error)
{
    const json_t *value;
    tact_json_path at = {where, "triangles", 0};
    if (!tact_json_member(object, where, "triangles", &value, error))
        return false;
    if (!json_is_array(value))
        return tact_input_error_set(error, &at, "must be an array of triangles, each an array of 3 vertex indices");
    *count = json_array_size(value);
    uint32_t *list = calloc(3 * (*count ? *count : 1), sizeof *list);
    bool good = list || tact_input_error_set(error, NULL, "out of memory");
    for (size_t i = 0; i < *count && good; i++) {
        const json_t *triangle = json_array_get(value, i);
        tact_json_path item = {&at, NULL, i};
        good = (json_is_array(triangle) && json_array_size(triangle) == 3) ||
               tact_input_error_set(error, &item, "must be an array of 3 vertex indices");
        for (size_t k = 0; k < 3 && good; k++) {
            tact_json_path at_index = {&item, NULL, k};
            good = index_read(json_array_get(triangle, k), &at_index, vertex_count, &list[3 * i + k], error);
        }
    }
    if (!good) {
        free(list);
        return false;
    }
    *indices = list;
    return true;
}

static tact_shape *arrays_read(const json_t *object, const tact_json_path *where, mesh_sides sides, double margin,
                               tact_input_error *error)
{
    const json_t *value;
    tact_mesh_def def = tact_mesh_def_default();
    tact_vec3 *vertices = NULL;
    uint32_t *indices = NULL;
    size_t vertex_count, triangle_count = 0;
    tact_json_path at = {where, "vertices", 0};
    if (!tact_json_member(object, where, "vertices", &value, error) ||
        !tact_json_points(value, &at, &vertices, &vertex_count, error))
        return NULL;
    tact_shape *shape = NULL;
    if (triangles_read(object, where, vertex_count, &indices, &triangle_count, error)) {
        tact_report report;
        def.vertices = (tact_vertices){vertices, vertex_count, sizeof *vertices, TACT_SCALAR_DOUBLE};
        def.indices = indices;
        def.index_count = 3 * triangle_count;
        def.solid = sides.solid;
        def.one_sided = sides.one_sided;
        def.margin = margin;
        shape = tact_mesh_create(&def, &report);
        if (!shape)
            (void)tact_shape_creation_failed(where, &report, error);
    }
    free(vertices);
    free(indices);
    return shape;
}

static tact_shape *file_read(const json_t *value, const tact_json_path *where, mesh_sides sides, double margin,
                             mesh_cache *cache, tact_input_error *error)
{
    const char *path;
    char reason[MESH_FILE_ERROR];
    tact_json_path at = {where, "file", 0};
    if (!tact_json_text(value, &at, &path, error))
        return NULL;
    if (tact_cad_file_is(path)) {
        (void)tact_input_error_set(error, &at, "is a STEP or IGES file: the type must be \"nurbs\"");
        return NULL;
    }
    tact_shape *mesh = tact_mesh_cache_get(cache, path, sides, reason, sizeof reason);
    if (!mesh) {
        (void)tact_input_error_set(error, &at, "cannot be read: %s", reason);
        return NULL;
    }
    return tact_shape_add_margin(mesh, margin, where, error);
}

tact_shape *tact_mesh_read(const json_t *object, const tact_json_path *where, double margin, mesh_cache *cache,
                           tact_input_error *error)
{
    const json_t *file = json_object_get(object, "file"), *solid = json_object_get(object, "solid"),
                 *one_sided = json_object_get(object, "one_sided");
    mesh_sides sides = {.solid = false};
    tact_json_path at_solid = {where, "solid", 0}, at_one_sided = {where, "one_sided", 0};
    if ((solid && !tact_json_flag(solid, &at_solid, &sides.solid, error)) ||
        (one_sided && !tact_json_flag(one_sided, &at_one_sided, &sides.one_sided, error)))
        return NULL;
    if (sides.solid && sides.one_sided) {
        (void)tact_input_error_set(error, &at_one_sided, "is true, but the mesh is solid");
        return NULL;
    }
    if (!file && !json_object_get(object, "vertices") && !json_object_get(object, "triangles")) {
        (void)tact_input_error_set(error, where, "is a mesh without data: give file, or vertices and triangles");
        return NULL;
    }
    if (!file)
        return arrays_read(object, where, sides, margin, error);
    if (json_object_get(object, "vertices") || json_object_get(object, "triangles")) {
        (void)tact_input_error_set(error, where, "has a file and also vertices or triangles: use one or the other");
        return NULL;
    }
    return file_read(file, where, sides, margin, cache, error);
}
