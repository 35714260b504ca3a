#include "mesh_read.h"

#include <math.h>
#include <stdlib.h>
#include <tact/mesh.h>

#include "mesh_file.h"

/* Says that a shape cannot be made, and why. Returns NULL. */
static tact_shape *refuse(const tact_json_path *where, const tact_report *report, tact_complaint *complaint)
{
    (void)tact_complaint_make(complaint, where, "cannot be made: %s",
                              report->text[0] ? report->text : tact_status_text(report->status));
    return NULL;
}

/* The number of a vertex, of which there are `count`. */
static bool corner_read(const json_t *value, const tact_json_path *where, size_t count, uint32_t *corner,
                        tact_complaint *complaint)
{
    double number;
    if (!tact_json_number(value, where, &number, complaint))
        return false;
    if (number != floor(number) || number < 0.0 || number >= (double)count)
        return tact_complaint_make(complaint, where, "must be the number of a vertex, less than %zu, not %.17g", count,
                                   number);
    *corner = (uint32_t)number;
    return true;
}

/* The member "triangles"; on success the caller frees *corners, three of each. */
static bool triangles_read(const json_t *object, const tact_json_path *where, size_t vertex_count, uint32_t **corners,
                           size_t *count, tact_complaint *complaint)
{
    const json_t *value;
    tact_json_path at = {where, "triangles", 0};
    if (!tact_json_member(object, where, "triangles", &value, complaint))
        return false;
    if (!json_is_array(value))
        return tact_complaint_make(complaint, &at, "must be an array of triangles, each an array of 3 vertex numbers");
    *count = json_array_size(value);
    uint32_t *list = calloc(3 * (*count ? *count : 1), sizeof *list);
    bool good = list || tact_complaint_make(complaint, NULL, "out of memory");
    for (size_t i = 0; i < *count && good; i++) {
        const json_t *triangle = json_array_get(value, i);
        tact_json_path item = {&at, NULL, i};
        good = (json_is_array(triangle) && json_array_size(triangle) == 3) ||
               tact_complaint_make(complaint, &item, "must be an array of 3 vertex numbers");
        for (size_t k = 0; k < 3 && good; k++) {
            tact_json_path place = {&item, NULL, k};
            good = corner_read(json_array_get(triangle, k), &place, vertex_count, &list[3 * i + k], complaint);
        }
    }
    if (!good) {
        free(list);
        return false;
    }
    *corners = list;
    return true;
}

static tact_shape *lists_read(const json_t *object, const tact_json_path *where, bool solid, double margin,
                              tact_complaint *complaint)
{
    const json_t *value;
    tact_mesh_def def = tact_mesh_def_default();
    tact_vec3 *vertices = NULL;
    uint32_t *corners = NULL;
    size_t vertex_count, triangle_count = 0;
    tact_json_path at = {where, "vertices", 0};
    if (!tact_json_member(object, where, "vertices", &value, complaint) ||
        !tact_json_points(value, &at, &vertices, &vertex_count, complaint))
        return NULL;
    tact_shape *shape = NULL;
    if (triangles_read(object, where, vertex_count, &corners, &triangle_count, complaint)) {
        tact_report report;
        def.vertices = (tact_vertices){vertices, vertex_count, sizeof *vertices, TACT_SCALAR_DOUBLE};
        def.indices = corners;
        def.index_count = 3 * triangle_count;
        def.solid = solid;
        def.margin = margin;
        shape = tact_mesh_create(&def, &report);
        if (!shape)
            (void)refuse(where, &report, complaint);
    }
    free(vertices);
    free(corners);
    return shape;
}

static tact_shape *file_read(const json_t *value, const tact_json_path *where, bool solid, double margin,
                             mesh_cache *cache, tact_complaint *complaint)
{
    const char *path;
    char error[MESH_FILE_ERROR];
    tact_json_path at = {where, "file", 0};
    if (!tact_json_text(value, &at, &path, complaint))
        return NULL;
    tact_shape *mesh = tact_mesh_cache_get(cache, path, solid, error, sizeof error);
    if (!mesh) {
        (void)tact_complaint_make(complaint, &at, "cannot be read: %s", error);
        return NULL;
    }
    if (margin == 0.0)
        return mesh;
    tact_shape *rounded = tact_rounded(mesh, margin);
    tact_shape_release(mesh);
    if (!rounded)
        (void)tact_complaint_make(complaint, where, "cannot be made with this margin");
    return rounded;
}

tact_shape *tact_mesh_read(const json_t *object, const tact_json_path *where, double margin, mesh_cache *cache,
                           tact_complaint *complaint)
{
    const json_t *file = json_object_get(object, "file"), *value = json_object_get(object, "solid");
    bool solid = false;
    tact_json_path at_solid = {where, "solid", 0};
    if (value && !tact_json_flag(value, &at_solid, &solid, complaint))
        return NULL;
    if (!file && !json_object_get(object, "vertices") && !json_object_get(object, "triangles")) {
        (void)tact_complaint_make(complaint, where, "is a mesh without a file, or vertices and triangles");
        return NULL;
    }
    if (!file)
        return lists_read(object, where, solid, margin, complaint);
    if (json_object_get(object, "vertices") || json_object_get(object, "triangles")) {
        (void)tact_complaint_make(complaint, where, "has a file, so it takes no vertices or triangles");
        return NULL;
    }
    return file_read(file, where, solid, margin, cache, complaint);
}
