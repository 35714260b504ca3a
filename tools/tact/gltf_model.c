/* glTF 2.0 specification, sections 3.5 (scenes, nodes, transforms) and 3.7.3 (skins). */
#include "gltf_model.h"

#include <math.h>
#include <string.h>

gltf_affine tact_gltf_affine(const double matrix[16])
{
    gltf_affine a;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++)
            a.m[i][j] = matrix[4 * j + i];
    return a;
}

/* ---- nodes ---- */

/* Reads an optional array of numbers. */
static bool numbers_read(gltf_file *file, const json_t *object, const tact_json_path *where, const char *key,
                         double *numbers, size_t count, bool *present)
{
    const json_t *value = json_object_get(object, key);
    const tact_json_path at = {where, key, 0};
    if (present)
        *present = value != NULL;
    return !value || tact_json_numbers(value, &at, numbers, count, &file->error);
}

static bool node_read(gltf_model *model, size_t index, const json_t *object, const tact_json_path *where)
{
    gltf_file *file = &model->file;
    gltf_node *node = &model->nodes[index];
    double matrix[16];
    const size_t meshes = json_array_size(json_object_get(file->root, "meshes"));
    *node = (gltf_node){.rotation = {0.0, 0.0, 0.0, 1.0}, .scale = {1.0, 1.0, 1.0}, .parent = GLTF_NONE};
    if (!tact_gltf_index(file, object, where, "mesh", meshes, &node->mesh) ||
        !tact_gltf_index(file, object, where, "skin", model->skin_count, &node->skin) ||
        !numbers_read(file, object, where, "matrix", matrix, 16, &node->has_matrix) ||
        !numbers_read(file, object, where, "translation", node->translation, 3, NULL) ||
        !numbers_read(file, object, where, "rotation", node->rotation, 4, NULL) ||
        !numbers_read(file, object, where, "scale", node->scale, 3, NULL))
        return false;
    if (node->has_matrix)
        node->matrix = tact_gltf_affine(matrix);
    const double *q = node->rotation;
    return q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0 ||
           tact_input_error_set(&file->error, where, "has the rotation zero");
}

/* Sets the parents. A node has at most one. */
static bool children_read(gltf_model *model, size_t index, const json_t *object, const tact_json_path *where)
{
    const json_t *children = json_object_get(object, "children"), *item;
    const tact_json_path at = {where, "children", 0};
    size_t i;
    json_array_foreach(children, i, item)
    {
        const tact_json_path at_item = {&at, NULL, i};
        const double child = json_number_value(item);
        if (!json_is_number(item) || !(child >= 0.0) || child >= (double)model->node_count || child != floor(child))
            return tact_input_error_set(&model->file.error, &at_item, "must be a node less than %zu",
                                        model->node_count);
        gltf_node *node = &model->nodes[(size_t)child];
        if (node->parent != GLTF_NONE)
            return tact_input_error_set(&model->file.error, &at_item, "is node %.0f, which has another parent", child);
        node->parent = index;
    }
    return true;
}

/* Adds a node and all below it to `order`, depth first, in the order of the file. Parents are unique, so no node comes
 * twice, and the stack never holds more nodes than there are. */
static size_t subtree_list(const gltf_model *model, size_t root, size_t *order, size_t count, size_t *stack)
{
    const json_t *nodes = json_object_get(model->file.root, "nodes");
    size_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        const size_t node = stack[--depth];
        const json_t *children = json_object_get(json_array_get(nodes, node), "children");
        order[count++] = node;
        for (size_t i = json_array_size(children); i-- > 0;)
            stack[depth++] = (size_t)json_number_value(json_array_get(children, i));
    }
    return count;
}

static bool nodes_read(gltf_model *model)
{
    gltf_file *file = &model->file;
    const tact_json_path root = {NULL, NULL, 0}, at = {&root, "nodes", 0};
    const json_t *list, *item;
    size_t i, count = 0;
    if (!tact_gltf_list(file, "nodes", &list, &model->node_count))
        return false;
    model->nodes = tact_gltf_allocate(file, model->node_count, sizeof *model->nodes);
    model->order = tact_gltf_allocate(file, model->node_count, sizeof *model->order);
    size_t *stack = tact_gltf_allocate(file, model->node_count, sizeof *stack);
    if (!model->nodes || !model->order || !stack)
        return false;
    json_array_foreach(list, i, item)
    {
        const tact_json_path where = {&at, NULL, i};
        if (!node_read(model, i, item, &where))
            return false;
    }
    json_array_foreach(list, i, item)
    {
        const tact_json_path where = {&at, NULL, i};
        if (!children_read(model, i, item, &where))
            return false;
    }
    for (i = 0; i < model->node_count; i++)
        if (model->nodes[i].parent == GLTF_NONE)
            count = subtree_list(model, i, model->order, count, stack);
    return count == model->node_count || tact_input_error_set(&file->error, &at, "form a cycle");
}

/* ---- skins ---- */

static bool skin_read(gltf_model *model, gltf_skin *skin, const json_t *object, const tact_json_path *where)
{
    gltf_file *file = &model->file;
    const json_t *joints = json_object_get(object, "joints"), *item;
    const size_t nodes = json_array_size(json_object_get(file->root, "nodes"));
    const tact_json_path at = {where, "joints", 0};
    size_t i, accessor;
    skin->joint_count = json_array_size(joints);
    if (skin->joint_count == 0)
        return tact_input_error_set(&file->error, &at, "must be an array of nodes");
    skin->joints = tact_gltf_allocate(file, skin->joint_count, sizeof *skin->joints);
    skin->inverse_bind = tact_gltf_allocate(file, skin->joint_count, sizeof *skin->inverse_bind);
    if (!skin->joints || !skin->inverse_bind)
        return false;
    json_array_foreach(joints, i, item)
    {
        const tact_json_path at_item = {&at, NULL, i};
        const double joint = json_number_value(item);
        if (!json_is_number(item) || !(joint >= 0.0) || joint >= (double)nodes || joint != floor(joint))
            return tact_input_error_set(&file->error, &at_item, "must be a node less than %zu", nodes);
        skin->joints[i] = (size_t)joint;
        for (int k = 0; k < 3; k++)
            skin->inverse_bind[i].m[k][k] = 1.0;
    }
    if (!tact_gltf_index(file, object, where, "inverseBindMatrices", UINT32_MAX, &accessor))
        return false;
    double *matrices;
    size_t count = skin->joint_count;
    if (accessor == GLTF_NONE)
        return true;
    if (!tact_gltf_accessor(file, accessor, 16, &matrices, &count))
        return false;
    for (i = 0; i < count; i++)
        skin->inverse_bind[i] = tact_gltf_affine(matrices + 16 * i);
    return true;
}

static bool skins_read(gltf_model *model)
{
    gltf_file *file = &model->file;
    const tact_json_path root = {NULL, NULL, 0}, at = {&root, "skins", 0};
    const json_t *list, *item;
    size_t i;
    if (!tact_gltf_list(file, "skins", &list, &model->skin_count))
        return false;
    model->skins = tact_gltf_allocate(file, model->skin_count, sizeof *model->skins);
    if (!model->skins)
        return false;
    json_array_foreach(list, i, item)
    {
        const tact_json_path where = {&at, NULL, i};
        if (!skin_read(model, &model->skins[i], item, &where))
            return false;
    }
    return true;
}

bool tact_gltf_model_open(gltf_model *model, const char *path, size_t animation, const tact_allocator *allocator)
{
    memset(model, 0, sizeof *model);
    return tact_gltf_open(&model->file, path, allocator) && skins_read(model) && nodes_read(model) &&
           tact_gltf_read_parts(model) && tact_gltf_read_animation(model, animation) && tact_gltf_pose_begin(model);
}

void tact_gltf_model_close(gltf_model *model)
{
    gltf_index_array_release(&model->indices, model->file.allocator);
    tact_gltf_close(&model->file);
}
