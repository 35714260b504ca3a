/*
 * Model files as text: URDF, X3D, VRML97. A model that is refused has an error message of one line; one that is read
 * has bodies with names, bounded shapes and regular transforms. Meshes of other files cannot be opened.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tact/query.h>

#include "model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tact_allocator standard = {NULL, NULL};
    char *text = malloc(size + 1), error[512] = "";
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const mesh_source source = {.path = "/no folder/model",
                                .begin = text,
                                .end = text + size,
                                .allocator = &standard,
                                .error = error,
                                .error_size = sizeof error};
    joint_position joint = {"j", 0.5, false};
    model_file model;
    if (tact_model_text_read(&source, &(model_options){&joint, 1}, &model)) {
        for (size_t i = 0; i < model.bodies.count; i++) {
            const model_body *body = &model.bodies.items[i];
            tact_bounds bounds;
            require(body->name != NULL);
            require(tact_transform_check(&body->transform, NULL) == TACT_OK);
            require(tact_shape_bounds(body->shape, body->transform, &bounds) == TACT_OK);
        }
        for (size_t i = 0; i < model.joints.count; i++)
            require(model.joints.items[i].a < model.bodies.count && model.joints.items[i].b < model.bodies.count);
        tact_model_file_release(&model);
    } else {
        require(error[0] != '\0' && strchr(error, '\n') == NULL);
    }
    free(text);
    return 0;
}
