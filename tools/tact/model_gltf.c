/* The bodies of a glTF file. What a skin or morph targets deform is a body of its own, as posed in the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>

#include "gltf_model.h"
#include "model_readers.h"

typedef struct gltf_bodies {
    gltf_model *gltf;
    model_file *model;
    mesh_source *source; /* gets the errors */
    tact_vec3 *posed;    /* all vertices, in the world */
    tact_shape **shapes; /* by mesh; NULL: not made yet */
    uint32_t *corners;   /* scratch: the triangles of a part, by its own vertices */
} gltf_bodies;

size_t tact_model_count_gltf(const char *path)
{
    static const tact_allocator standard = {NULL, NULL};
    gltf_file file;
    const json_t *nodes, *node;
    size_t count = 0, i, unused;
    memset(&file, 0, sizeof file);
    if (tact_gltf_open(&file, path, &standard) && tact_gltf_list(&file, "nodes", &nodes, &unused))
        json_array_foreach(nodes, i, node) count += json_object_get(node, "mesh") != NULL;
    tact_gltf_close(&file);
    return count;
}

/* The shape of a part: rows of numbers that begin with x y z, or posed vertices. */
static tact_shape *shape_make(const gltf_bodies *b, const void *vertices, size_t stride, size_t vertex_count,
                              size_t corner_count)
{
    tact_mesh_def def = tact_mesh_def_default();
    tact_report report = {0};
    def.vertices = (tact_vertices){vertices, vertex_count, stride, TACT_SCALAR_DOUBLE};
    def.indices = b->corners;
    def.index_count = corner_count;
    tact_shape *shape = tact_mesh_create(&def, &report);
    if (shape && tact_model_mesh_close(shape) == TACT_OK)
        return shape;
    (void)tact_mesh_source_fail(b->source, NULL, "%s", shape ? "out of memory" : report.text);
    tact_shape_release(shape);
    return NULL;
}

static tact_transform transform_of(const gltf_affine *a)
{
    return (tact_transform){.x_axis = {a->m[0][0], a->m[1][0], a->m[2][0]},
                            .y_axis = {a->m[0][1], a->m[1][1], a->m[2][1]},
                            .z_axis = {a->m[0][2], a->m[1][2], a->m[2][2]},
                            .origin = {a->m[0][3], a->m[1][3], a->m[2][3]}};
}

static const char *name_of(const gltf_bodies *b, const gltf_part *part, char text[32])
{
    const json_t *root = b->gltf->file.root, *nodes = json_object_get(root, "nodes");
    const json_t *meshes = json_object_get(root, "meshes");
    const json_t *of_mesh = json_array_get(meshes, b->gltf->nodes[part->node].mesh);
    const char *name = json_string_value(json_object_get(json_array_get(nodes, part->node), "name"));
    if (!name || !*name)
        name = json_string_value(json_object_get(of_mesh, "name"));
    if (name && *name)
        return name;
    (void)snprintf(text, 32, "node %zu", part->node);
    return text;
}

static bool part_add(gltf_bodies *b, const gltf_part *part, const tact_vec3 *posed, size_t corner_count)
{
    const bool deforms = part->target_count > 0 || part->influence_count > 0;
    tact_shape **shared = &b->shapes[b->gltf->nodes[part->node].mesh], *shape;
    char text[32];
    if (deforms) {
        shape = shape_make(b, posed, sizeof *posed, part->vertex_count, corner_count);
    } else {
        if (!*shared)
            *shared = shape_make(b, part->rows, part->width * sizeof *part->rows, part->vertex_count, corner_count);
        shape = *shared ? tact_shape_retain(*shared) : NULL;
    }
    return tact_model_add(b->model, b->source, NULL, name_of(b, part, text), shape,
                          deforms ? tact_identity() : transform_of(&b->gltf->globals[part->node]));
}

static bool bodies_add(gltf_bodies *b)
{
    const gltf_model *gltf = b->gltf;
    const gltf_index_array *indices = &gltf->indices;
    size_t vertex = 0, corner = 0;
    tact_gltf_pose(b->gltf, 0.0, b->posed);
    for (size_t i = 0; i < gltf->part_count; i++) {
        const gltf_part *part = &gltf->parts[i];
        const size_t end = vertex + part->vertex_count;
        size_t count = 0;
        for (; corner < indices->count && indices->items[corner] < end; corner++)
            b->corners[count++] = indices->items[corner] - (uint32_t)vertex;
        if (count > 0 && !part_add(b, part, b->posed + vertex, count))
            return false;
        vertex = end;
    }
    return true;
}

bool tact_model_read_gltf(const char *path, model_file *model, char *error, size_t error_size)
{
    static const tact_allocator standard = {NULL, NULL};
    mesh_source source = {.path = path, .allocator = &standard, .error = error, .error_size = error_size};
    gltf_model gltf;
    model->format = "glTF";
    bool good = tact_gltf_model_open(&gltf, path, GLTF_NONE, &standard);
    if (!good)
        (void)snprintf(error, error_size, "%s: %s", path, gltf.file.error.text);
    const size_t meshes = json_array_size(json_object_get(gltf.file.root, "meshes"));
    gltf_bodies b = {.gltf = &gltf, .model = model, .source = &source};
    if (good) {
        b.posed = calloc(gltf.vertex_count + 1, sizeof *b.posed);
        b.corners = calloc(gltf.indices.count + 1, sizeof *b.corners);
        b.shapes = calloc(meshes + 1, sizeof(tact_shape *));
        good = b.posed && b.corners && b.shapes ? bodies_add(&b) : tact_mesh_source_out_of_memory(&source);
        for (size_t i = 0; b.shapes && i < meshes; i++)
            tact_shape_release(b.shapes[i]);
    }
    free(b.posed);
    free(b.corners);
    free(b.shapes);
    tact_gltf_model_close(&gltf);
    return good;
}
