/*
 * The meshes of the nodes of a scene (glTF 2.0 specification, section 3.7): vertices merged by equality of all numbers
 * that decide how they move, and triangles.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/hash.h"
#include "gltf_model.h"

/* A hash table of the rows of a part, by open addressing, at most half full. Entries are vertices of the part plus 1.
 */
typedef struct row_table {
    uint32_t *slots;
    size_t slot_count;
    uint64_t seed; /* differs from run to run: no file collides in every run. The result does not depend on it */
} row_table;

typedef struct parts_reader {
    gltf_model *model;
    row_table table;
    uint32_t *vertex_map; /* from the vertices of the current primitive to those of the model */
    size_t map_capacity;
} parts_reader;

/* ---- merging ---- */

static size_t row_slot(const row_table *table, const gltf_part *part, const double *row)
{
    return (size_t)hash_bytes(row, part->width * sizeof *row, table->seed) & (table->slot_count - 1);
}

/* Makes room for more vertices of a part. */
static bool table_reserve(parts_reader *r, const gltf_part *part, size_t more)
{
    row_table *table = &r->table;
    size_t slots = table->slot_count > 0 ? table->slot_count : 64;
    while (slots / 2 < part->vertex_count + more)
        slots *= 2;
    if (slots == table->slot_count)
        return true;
    uint32_t *made = tact_gltf_allocate(&r->model->file, slots, sizeof *made);
    if (!made)
        return false;
    table->slots = made;
    table->slot_count = slots;
    for (size_t v = 0; v < part->vertex_count; v++) {
        size_t slot = row_slot(table, part, part->rows + v * part->width);
        while (made[slot] != 0)
            slot = (slot + 1) & (slots - 1);
        made[slot] = (uint32_t)v + 1;
    }
    return true;
}

/* The vertex of the part with this row. The last row of the part is the candidate: a new one is not copied. */
static uint32_t row_merge(row_table *table, gltf_part *part)
{
    const size_t bytes = part->width * sizeof *part->rows;
    const double *row = part->rows + part->vertex_count * part->width;
    size_t slot = row_slot(table, part, row);
    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        const size_t known = table->slots[slot] - 1;
        if (memcmp(part->rows + known * part->width, row, bytes) == 0)
            return (uint32_t)known;
    }
    table->slots[slot] = (uint32_t)++part->vertex_count;
    return (uint32_t)part->vertex_count - 1;
}

/* ---- primitives ---- */

/* Reads the accessor of an attribute; *values is NULL if it is absent. */
static bool attribute_read(parts_reader *r, const json_t *attributes, const tact_json_path *where, const char *name,
                           size_t components, double **values, size_t *count)
{
    size_t accessor;
    *values = NULL;
    return tact_gltf_index(&r->model->file, attributes, where, name, UINT32_MAX, &accessor) &&
           (accessor == GLTF_NONE || tact_gltf_accessor(&r->model->file, accessor, components, values, count));
}

/* The number of influences of a primitive: four for each of JOINTS_0, JOINTS_1 ... */
static size_t influences_of(const json_t *primitive)
{
    const json_t *attributes = json_object_get(primitive, "attributes");
    size_t sets = 0;
    for (char name[] = "JOINTS_0"; sets < 9 && json_object_get(attributes, name); name[7]++)
        sets++;
    return 4 * sets;
}

/* Writes a column of the rows that follow the last vertex of the part: components of `values` at `offset`. */
static void column_write(gltf_part *part, const double *values, size_t count, size_t components, size_t offset,
                         size_t step)
{
    if (!values)
        return;
    double *row = part->rows + part->vertex_count * part->width + offset;
    for (size_t i = 0; i < count; i++, row += part->width)
        for (size_t k = 0; k < components; k++)
            row[k * step] = values[i * components + k] + 0.0; /* -0 becomes 0 */
}

static bool influences_check(parts_reader *r, const gltf_part *part, size_t count, const tact_json_path *where)
{
    const gltf_node *node = &r->model->nodes[part->node];
    const size_t joint_count = r->model->skins[node->skin].joint_count;
    double *row = part->rows + part->vertex_count * part->width + 3 + 3 * part->target_count;
    for (size_t i = 0; i < count; i++, row += part->width) {
        double sum = 0.0;
        for (size_t k = 0; k < part->influence_count; k++) {
            if (row[2 * k + 1] == 0.0)
                row[2 * k] = 0.0; /* a joint without weight does not matter */
            if (!(row[2 * k] >= 0.0) || row[2 * k] >= (double)joint_count)
                return tact_input_error_set(&r->model->file.error, where, "vertex %zu refers to joint %.0f of %zu", i,
                                            row[2 * k], joint_count);
            sum += row[2 * k + 1];
        }
        if (!(sum > 0.0) || !isfinite(sum))
            return tact_input_error_set(&r->model->file.error, where, "vertex %zu has no positive sum of weights", i);
        for (size_t k = 0; k < part->influence_count; k++)
            row[2 * k + 1] /= sum;
    }
    return true;
}

/* Reads the rows of a primitive behind those of the part. */
static bool rows_read(parts_reader *r, gltf_part *part, const json_t *primitive, const tact_json_path *where,
                      size_t *count)
{
    gltf_file *file = &r->model->file;
    const json_t *attributes = json_object_get(primitive, "attributes"),
                 *targets = json_object_get(primitive, "targets");
    const tact_json_path at = {where, "attributes", 0}, at_targets = {where, "targets", 0};
    double *values;
    *count = GLTF_NONE;
    if (!attribute_read(r, attributes, &at, "POSITION", 3, &values, count))
        return false;
    if (!values)
        return tact_input_error_set(&file->error, &at, "has no POSITION");
    if (*count == 0)
        return true; /* the part may have no rows yet */
    const size_t wanted = part->vertex_count + *count;
    if (wanted > part->capacity) {
        const size_t capacity = wanted > 2 * part->capacity ? wanted : 2 * part->capacity;
        double *rows = tact_gltf_allocate(file, capacity, part->width * sizeof *rows);
        if (!rows)
            return false;
        if (part->vertex_count > 0)
            memcpy(rows, part->rows, part->vertex_count * part->width * sizeof *rows);
        part->rows = rows;
        part->capacity = capacity;
    } else {
        memset(part->rows + part->vertex_count * part->width, 0, *count * part->width * sizeof *part->rows);
    }
    column_write(part, values, *count, 3, 0, 1);
    for (size_t i = 0; i < part->target_count; i++) {
        const tact_json_path at_target = {&at_targets, NULL, i};
        if (!attribute_read(r, json_array_get(targets, i), &at_target, "POSITION", 3, &values, count))
            return false;
        column_write(part, values, *count, 3, 3 + 3 * i, 1);
    }
    const size_t first = 3 + 3 * part->target_count, present = part->influence_count > 0 ? influences_of(primitive) : 0;
    for (size_t set = 0; 4 * set < present; set++) {
        char joints[] = "JOINTS_0", weights[] = "WEIGHTS_0";
        joints[7] = weights[8] = (char)('0' + (int)set);
        if (!attribute_read(r, attributes, &at, joints, 4, &values, count))
            return false;
        column_write(part, values, *count, 4, first + 8 * set, 2);
        if (!attribute_read(r, attributes, &at, weights, 4, &values, count))
            return false;
        column_write(part, values, *count, 4, first + 8 * set + 1, 2);
    }
    return part->influence_count == 0 || influences_check(r, part, *count, where);
}

static bool triangle_add(parts_reader *r, uint32_t a, uint32_t b, uint32_t c)
{
    gltf_model *model = r->model;
    const tact_allocator *allocator = model->file.allocator;
    if (model->indices.count > UINT32_MAX - 3)
        return tact_input_error_set(&model->file.error, NULL, "has more than %lu face vertices",
                                    (unsigned long)UINT32_MAX);
    return (gltf_index_array_push(&model->indices, allocator, r->vertex_map[a]) &&
            gltf_index_array_push(&model->indices, allocator, r->vertex_map[b]) &&
            gltf_index_array_push(&model->indices, allocator, r->vertex_map[c])) ||
           tact_gltf_out_of_memory(&model->file);
}

enum { MODE_TRIANGLES = 4, MODE_STRIP, MODE_FAN };

/* Adds the triangles of a primitive with `count` vertices. */
static bool triangles_read(parts_reader *r, const json_t *primitive, const tact_json_path *where, size_t mode,
                           size_t count)
{
    gltf_file *file = &r->model->file;
    const tact_json_path at = {where, "indices", 0};
    size_t accessor, corners = GLTF_NONE;
    double *indices = NULL;
    if (!tact_gltf_index(file, primitive, where, "indices", UINT32_MAX, &accessor))
        return false;
    if (accessor == GLTF_NONE)
        corners = count;
    else if (!tact_gltf_accessor(file, accessor, 1, &indices, &corners))
        return false;
    for (size_t i = 0; indices && i < corners; i++)
        if (!(indices[i] >= 0.0) || indices[i] >= (double)count || indices[i] != floor(indices[i]))
            return tact_input_error_set(&file->error, &at, "refer to vertex %.0f of %zu", indices[i], count);
    const size_t step = mode == MODE_TRIANGLES ? 3 : 1;
    for (size_t i = 0; i + 3 <= corners; i += step) {
        /* every second triangle of a strip is turned around; a fan has its first vertex in common */
        const size_t odd = mode == MODE_STRIP ? i % 2 : 0;
        const size_t corner[3] = {mode == MODE_FAN ? 0 : i, i + 1 + odd, i + 2 - odd};
        uint32_t vertex[3];
        for (int k = 0; k < 3; k++)
            vertex[k] = (uint32_t)(indices ? indices[corner[k]] : (double)corner[k]);
        if (!triangle_add(r, vertex[0], vertex[1], vertex[2]))
            return false;
    }
    return true;
}

static bool primitive_read(parts_reader *r, gltf_part *part, const json_t *primitive, const tact_json_path *where)
{
    gltf_file *file = &r->model->file;
    size_t mode, count;
    if (!tact_gltf_index(file, primitive, where, "mode", 7, &mode))
        return false;
    mode = mode == GLTF_NONE ? MODE_TRIANGLES : mode;
    if (mode < MODE_TRIANGLES)
        return true;
    if (!rows_read(r, part, primitive, where, &count))
        return false;
    if (count == 0)
        return triangles_read(r, primitive, where, mode, count);
    if (r->model->vertex_count + part->vertex_count + count > UINT32_MAX)
        return tact_input_error_set(&file->error, NULL, "has more than %lu vertices", (unsigned long)UINT32_MAX);
    if (!table_reserve(r, part, count))
        return false;
    if (count > r->map_capacity) {
        r->vertex_map = tact_gltf_allocate(file, count, sizeof *r->vertex_map);
        if (!r->vertex_map)
            return false;
        r->map_capacity = count;
    }
    const double *rows = part->rows + part->vertex_count * part->width;
    for (size_t i = 0; i < count; i++) {
        /* the row moves down to the end of those that are merged */
        double *to = part->rows + part->vertex_count * part->width;
        if (to != rows + i * part->width)
            memmove(to, rows + i * part->width, part->width * sizeof *to);
        r->vertex_map[i] = (uint32_t)r->model->vertex_count + row_merge(&r->table, part);
    }
    return triangles_read(r, primitive, where, mode, count);
}

/* ---- parts ---- */

/* Sets the widths of the rows of a part. */
static bool part_measure(parts_reader *r, gltf_part *part, const json_t *primitives, const tact_json_path *where)
{
    tact_input_error *error = &r->model->file.error;
    const bool skinned = r->model->nodes[part->node].skin != GLTF_NONE;
    const json_t *item;
    size_t i;
    part->target_count = json_array_size(json_object_get(json_array_get(primitives, 0), "targets"));
    json_array_foreach(primitives, i, item)
    {
        const tact_json_path at = {where, NULL, i};
        const size_t influences = skinned ? influences_of(item) : 0;
        if (!json_is_object(item))
            return tact_input_error_set(error, &at, "must be an object");
        if (json_array_size(json_object_get(item, "targets")) != part->target_count)
            return tact_input_error_set(error, &at, "has another number of morph targets than [0]");
        if (skinned && influences == 0)
            return tact_input_error_set(error, &at, "has no JOINTS_0, but its node has a skin");
        part->influence_count = influences > part->influence_count ? influences : part->influence_count;
    }
    part->width = 3 + 3 * part->target_count + 2 * part->influence_count;
    return true;
}

static bool part_read(parts_reader *r, size_t node)
{
    gltf_model *model = r->model;
    gltf_file *file = &model->file;
    const tact_json_path root = {NULL, NULL, 0}, at_meshes = {&root, "meshes", 0};
    const tact_json_path at_mesh = {&at_meshes, NULL, model->nodes[node].mesh}, at = {&at_mesh, "primitives", 0};
    const json_t *mesh = json_array_get(json_object_get(file->root, "meshes"), model->nodes[node].mesh), *item;
    const json_t *primitives = json_object_get(mesh, "primitives");
    gltf_part *part = &model->parts[model->part_count];
    size_t i;
    part->node = node;
    if (!part_measure(r, part, primitives, &at))
        return false;
    if (r->table.slot_count > 0)
        memset(r->table.slots, 0, r->table.slot_count * sizeof *r->table.slots);
    json_array_foreach(primitives, i, item)
    {
        const tact_json_path where = {&at, NULL, i};
        if (!primitive_read(r, part, item, &where))
            return false;
    }
    model->part_count++;
    model->vertex_count += part->vertex_count;
    return true;
}

/* Reads the initial weights of the morph targets of a node: its own, or those of its mesh. */
static bool weights_read(gltf_model *model, gltf_node *node, size_t index, size_t target_count)
{
    gltf_file *file = &model->file;
    const json_t *own = json_object_get(json_array_get(json_object_get(file->root, "nodes"), index), "weights");
    const json_t *mesh = json_array_get(json_object_get(file->root, "meshes"), node->mesh);
    const json_t *weights = own ? own : json_object_get(mesh, "weights");
    const tact_json_path root = {NULL, NULL, 0}, list = {&root, own ? "nodes" : "meshes", 0};
    const tact_json_path object = {&list, NULL, own ? index : node->mesh}, at = {&object, "weights", 0};
    node->weight_count = target_count;
    node->weights = tact_gltf_allocate(file, target_count, sizeof *node->weights);
    return node->weights && (!weights || target_count == 0 ||
                             tact_json_numbers(weights, &at, node->weights, target_count, &file->error));
}

/* Marks the nodes of the scene: the default one, the first one, or all nodes if there is no scene. */
static bool scene_mark(gltf_model *model, bool *in_scene)
{
    gltf_file *file = &model->file;
    const tact_json_path root = {NULL, NULL, 0};
    const json_t *scenes, *item;
    size_t count, chosen, i;
    if (!tact_gltf_list(file, "scenes", &scenes, &count) ||
        !tact_gltf_index(file, file->root, &root, "scene", count, &chosen))
        return false;
    const json_t *roots = json_object_get(json_array_get(scenes, chosen == GLTF_NONE ? 0 : chosen), "nodes");
    json_array_foreach(roots, i, item)
    {
        const double node = json_number_value(item);
        if (!json_is_number(item) || !(node >= 0.0) || node >= (double)model->node_count)
            return tact_input_error_set(&file->error, NULL, "its scene refers to a node that is not there");
        in_scene[(size_t)node] = true;
    }
    for (i = 0; i < model->node_count; i++) {
        const size_t node = model->order[i], parent = model->nodes[node].parent;
        in_scene[node] = in_scene[node] || count == 0 || (parent != GLTF_NONE && in_scene[parent]);
    }
    return true;
}

bool tact_gltf_read_parts(gltf_model *model)
{
    gltf_file *file = &model->file;
    parts_reader r = {.model = model};
    const json_t *list;
    size_t meshes;
    bool *in_scene = tact_gltf_allocate(file, model->node_count, sizeof *in_scene);
    model->parts = tact_gltf_allocate(file, model->node_count, sizeof *model->parts);
    if (!in_scene || !model->parts || !tact_gltf_list(file, "meshes", &list, &meshes) || !scene_mark(model, in_scene))
        return false;
    r.table.seed = hash_add((uint64_t)time(NULL), (uint64_t)(uintptr_t)in_scene);
    for (size_t i = 0; i < model->node_count; i++) {
        const size_t index = model->order[i];
        gltf_node *node = &model->nodes[index];
        if (!in_scene[index] || node->mesh == GLTF_NONE)
            continue;
        const size_t part = model->part_count;
        if (!part_read(&r, index) || !weights_read(model, node, index, model->parts[part].target_count))
            return false;
    }
    return model->vertex_count > 0 || tact_input_error_set(&file->error, NULL, "has no triangles");
}
