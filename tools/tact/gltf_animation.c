/* The animation of a glTF file and the pose at a time (glTF 2.0 specification, sections 3.11, 3.7.2.2, 3.7.3, C). */
#include <math.h>
#include <string.h>

#include "gltf_model.h"

/* ---- reading ---- */

static bool times_check(gltf_file *file, const gltf_channel *channel, const tact_json_path *where)
{
    if (channel->time_count == 0)
        return tact_input_error_set(&file->error, where, "has no key times");
    for (size_t i = 1; i < channel->time_count; i++)
        if (!(channel->times[i - 1] < channel->times[i]))
            return tact_input_error_set(&file->error, where, "key time %zu is not after the one before", i);
    return true;
}

static bool sampler_read(gltf_model *model, gltf_channel *channel, const json_t *sampler, const tact_json_path *where)
{
    gltf_file *file = &model->file;
    const char *word = json_string_value(json_object_get(sampler, "interpolation"));
    double *times, *values;
    size_t input, output, count = GLTF_NONE;
    if (!word || strcmp(word, "LINEAR") == 0)
        channel->interpolation = GLTF_LINEAR;
    else if (strcmp(word, "STEP") == 0)
        channel->interpolation = GLTF_STEP;
    else if (strcmp(word, "CUBICSPLINE") == 0)
        channel->interpolation = GLTF_CUBIC;
    else
        return tact_input_error_set(&file->error, where, "has the unknown interpolation %.40s", word);
    if (!tact_gltf_index_required(file, sampler, where, "input", UINT32_MAX, &input) ||
        !tact_gltf_index_required(file, sampler, where, "output", UINT32_MAX, &output) ||
        !tact_gltf_accessor(file, input, 1, &times, &count))
        return false;
    channel->times = times;
    channel->time_count = count;
    /* an accessor of weights has one element for each number */
    const size_t components = channel->target == GLTF_WEIGHTS ? 1 : channel->width;
    const size_t each = channel->width / components * (channel->interpolation == GLTF_CUBIC ? 3 : 1);
    size_t value_count = count * each; /* both below 2^32 */
    if (!times_check(file, channel, where) || !tact_gltf_accessor(file, output, components, &values, &value_count))
        return false;
    channel->values = values;
    if (channel->target != GLTF_ROTATION)
        return true;
    /* quaternions are normalized; with tangents only after the interpolation */
    for (size_t i = 0; i < count; i++) {
        double *q = values + 4 * (channel->interpolation == GLTF_CUBIC ? 3 * i + 1 : i);
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(length > 0.0))
            return tact_input_error_set(&file->error, where, "rotation %zu is zero", i);
        for (int k = 0; k < 4 && channel->interpolation != GLTF_CUBIC; k++)
            q[k] /= length;
    }
    return true;
}

/* Reads a channel; *used is false if it changes nothing that is known. */
static bool channel_read(gltf_model *model, gltf_channel *channel, const json_t *object, const json_t *samplers,
                         const tact_json_path *animation, size_t index, bool *used)
{
    static const char *const targets[] = {"translation", "rotation", "scale", "weights"};
    gltf_file *file = &model->file;
    const tact_json_path list = {animation, "channels", 0}, where = {&list, NULL, index}, at = {&where, "target", 0};
    const json_t *target = json_object_get(object, "target");
    const char *path = json_string_value(json_object_get(target, "path"));
    size_t sampler, kind = 0;
    *used = false;
    if (!tact_gltf_index(file, target, &at, "node", model->node_count, &channel->node) ||
        !tact_gltf_index_required(file, object, &where, "sampler", json_array_size(samplers), &sampler))
        return false;
    while (kind < 4 && !(path && strcmp(path, targets[kind]) == 0))
        kind++;
    if (channel->node == GLTF_NONE || kind == 4)
        return true; /* of an extension */
    const gltf_node *node = &model->nodes[channel->node];
    channel->target = (gltf_target)kind;
    channel->width = kind == GLTF_WEIGHTS ? node->weight_count : kind == GLTF_ROTATION ? 4 : 3;
    if (channel->width == 0)
        return true; /* weights of a node outside the scene, or without morph targets */
    if (node->has_matrix && kind != GLTF_WEIGHTS)
        return tact_input_error_set(&file->error, &at, "is node %zu, which has a matrix and cannot be animated",
                                    channel->node);
    const tact_json_path at_samplers = {animation, "samplers", 0}, at_sampler = {&at_samplers, NULL, sampler};
    *used = true;
    return sampler_read(model, channel, json_array_get(samplers, sampler), &at_sampler);
}

bool tact_gltf_read_animation(gltf_model *model, size_t animation)
{
    gltf_file *file = &model->file;
    const tact_json_path root = {NULL, NULL, 0}, list = {&root, "animations", 0}, where = {&list, NULL, animation};
    const json_t *animations, *item;
    size_t i;
    if (!tact_gltf_list(file, "animations", &animations, &model->animation_count))
        return false;
    if (animation == GLTF_NONE)
        return true;
    if (model->animation_count == 0)
        return tact_input_error_set(&file->error, NULL, "has no animation");
    if (animation >= model->animation_count)
        return tact_input_error_set(&file->error, NULL, "has %zu animation%s: there is no animation %zu",
                                    model->animation_count, model->animation_count == 1 ? "" : "s", animation);
    const json_t *object = json_array_get(animations, animation);
    const json_t *channels = json_object_get(object, "channels"), *samplers = json_object_get(object, "samplers");
    model->channels = tact_gltf_allocate(file, json_array_size(channels), sizeof *model->channels);
    if (!model->channels)
        return false;
    json_array_foreach(channels, i, item)
    {
        bool used;
        if (!channel_read(model, &model->channels[model->channel_count], item, samplers, &where, i, &used))
            return false;
        model->channel_count += used;
    }
    return model->channel_count > 0 || tact_input_error_set(&file->error, &where, "moves nothing");
}

/* ---- the value of a channel ---- */

/* Quaternions of unit length; the shorter arc. The result is not normalized. */
static void slerp(const double a[4], const double b[4], double s, double to[4])
{
    const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = dot < 0.0 ? -1.0 : 1.0;
    /* Below an angle of 1e-4 the linear path, normalized, differs from the arc by less than 1e-13; and the arc cosine
     * would lose digits. */
    if (fabs(dot) > 1.0 - 5e-9) {
        for (int k = 0; k < 4; k++)
            to[k] = a[k] + s * (sign * b[k] - a[k]);
        return;
    }
    const double angle = acos(fabs(dot)), wa = sin((1.0 - s) * angle), wb = sign * sin(s * angle);
    for (int k = 0; k < 4; k++)
        to[k] = wa * a[k] + wb * b[k];
}

/* The value of a channel at a time; constant before the first and after the last key time. */
static void channel_value(const gltf_channel *channel, double time, double *to)
{
    const size_t width = channel->width, stride = channel->interpolation == GLTF_CUBIC ? 3 * width : width;
    const double *times = channel->times,
                 *values = channel->values + (channel->interpolation == GLTF_CUBIC ? width : 0);
    size_t low = 0, high = channel->time_count;
    while (high - low > 1) { /* times[low] <= time < times[high], if it is after the first */
        const size_t middle = low + (high - low) / 2;
        if (times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    const double *a = values + low * stride;
    if (time <= times[low] || high == channel->time_count || channel->interpolation == GLTF_STEP) {
        memcpy(to, a, width * sizeof *to);
        return;
    }
    const double *b = a + stride, length = times[high] - times[low], s = (time - times[low]) / length;
    if (channel->interpolation == GLTF_CUBIC) {
        const double s2 = s * s, s3 = s2 * s;
        for (size_t k = 0; k < width; k++)
            to[k] = (2.0 * s3 - 3.0 * s2 + 1.0) * a[k] + length * (s3 - 2.0 * s2 + s) * a[width + k] +
                    (3.0 * s2 - 2.0 * s3) * b[k] + length * (s3 - s2) * (b - width)[k];
    } else if (channel->target == GLTF_ROTATION) {
        slerp(a, b, s, to);
    } else {
        for (size_t k = 0; k < width; k++)
            to[k] = a[k] + s * (b[k] - a[k]); /* exact where nothing changes */
    }
}

/* ---- the pose ---- */

static gltf_affine affine_multiply(const gltf_affine *a, const gltf_affine *b)
{
    gltf_affine product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            product.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] +
                              (j == 3 ? a->m[i][3] : 0.0);
    return product;
}

static void affine_apply(const gltf_affine *a, const double p[3], double to[3])
{
    for (int i = 0; i < 3; i++)
        to[i] = a->m[i][0] * p[0] + a->m[i][1] * p[1] + a->m[i][2] * p[2] + a->m[i][3];
}

static gltf_affine local_transform(const gltf_node *node)
{
    if (node->has_matrix)
        return node->matrix;
    const double *q = node->rotation, *s = node->scale;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
    const double rotation[3][3] = {{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)},
                                   {2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)},
                                   {2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)}};
    gltf_affine local;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            local.m[i][j] = rotation[i][j] * s[j];
        local.m[i][3] = node->translation[i];
    }
    return local;
}

bool tact_gltf_pose_begin(gltf_model *model)
{
    size_t joints = 0;
    for (size_t i = 0; i < model->skin_count; i++)
        joints = model->skins[i].joint_count > joints ? model->skins[i].joint_count : joints;
    model->pose = tact_gltf_allocate(&model->file, model->node_count, sizeof *model->pose);
    model->globals = tact_gltf_allocate(&model->file, model->node_count, sizeof *model->globals);
    model->joints = tact_gltf_allocate(&model->file, joints, sizeof *model->joints);
    if (!model->pose || !model->globals || !model->joints)
        return false;
    memcpy(model->pose, model->nodes, model->node_count * sizeof *model->pose);
    for (size_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].weight_count > 0) {
            /* weights that an animation changes: a copy */
            double *weights = tact_gltf_allocate(&model->file, model->nodes[i].weight_count, sizeof *weights);
            if (!weights)
                return false;
            memcpy(weights, model->nodes[i].weights, model->nodes[i].weight_count * sizeof *weights);
            model->pose[i].weights = weights;
        }
    return true;
}

static void part_pose(gltf_model *model, const gltf_part *part, tact_vec3 *positions)
{
    const gltf_node *node = &model->pose[part->node];
    const gltf_skin *skin = part->influence_count > 0 ? &model->skins[node->skin] : NULL;
    for (size_t k = 0; skin && k < skin->joint_count; k++)
        model->joints[k] = affine_multiply(&model->globals[skin->joints[k]], &skin->inverse_bind[k]);
    const double *row = part->rows;
    for (size_t v = 0; v < part->vertex_count; v++, row += part->width) {
        double p[3] = {row[0], row[1], row[2]}, x[3] = {0.0, 0.0, 0.0};
        const double *delta = row + 3, *influence = delta + 3 * part->target_count;
        for (size_t t = 0; t < part->target_count; t++, delta += 3)
            for (int k = 0; k < 3; k++)
                p[k] += node->weights[t] * delta[k];
        for (size_t i = 0; i < part->influence_count; i++, influence += 2) {
            double moved[3];
            if (influence[1] == 0.0)
                continue;
            affine_apply(&model->joints[(size_t)influence[0]], p, moved);
            for (int k = 0; k < 3; k++)
                x[k] += influence[1] * moved[k];
        }
        if (!skin)
            affine_apply(&model->globals[part->node], p, x);
        positions[v] = (tact_vec3){x[0], x[1], x[2]};
    }
}

void tact_gltf_pose(gltf_model *model, double time, tact_vec3 *positions)
{
    for (size_t i = 0; i < model->channel_count; i++) {
        const gltf_channel *channel = &model->channels[i];
        gltf_node *node = &model->pose[channel->node];
        double *const to[] = {node->translation, node->rotation, node->scale, node->weights};
        channel_value(channel, time, to[channel->target]);
    }
    for (size_t i = 0; i < model->node_count; i++) {
        const size_t index = model->order[i], parent = model->nodes[index].parent;
        const gltf_affine local = local_transform(&model->pose[index]);
        model->globals[index] = parent == GLTF_NONE ? local : affine_multiply(&model->globals[parent], &local);
    }
    for (size_t i = 0; i < model->part_count; i++) {
        part_pose(model, &model->parts[i], positions);
        positions += model->parts[i].vertex_count;
    }
}
