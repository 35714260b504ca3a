/*
 * glTF 2.0 specification, sections 3.6 (buffers, accessors) and 4.4 (GLB). Buffers are loaded when an accessor needs
 * them: from the binary chunk, from a data URI in base64, or from a file beside this one.
 */
#include "gltf_file.h"

#include <math.h>
#include <string.h>

#include "command_line.h"
#include "core/memory.h"
#include "mesh_file_folder.h"

#define GLB_HEADER 12
#define GLB_CHUNK_HEADER 8
#define GLB_JSON 0x4E4F534Au
#define GLB_BINARY 0x004E4942u

/* ---- memory ---- */

bool tact_gltf_out_of_memory(gltf_file *file)
{
    return tact_input_error_set(&file->error, NULL, "there is not enough memory to read it");
}

void *tact_gltf_allocate(gltf_file *file, size_t count, size_t size)
{
    count = count > 0 ? count : 1;
    void *memory = tact_memory_allocate(file->allocator, count, size);
    if (memory && gltf_block_array_push(&file->blocks, file->allocator, (gltf_block){memory, count * size})) {
        memset(memory, 0, count * size);
        return memory;
    }
    tact_memory_free(file->allocator, memory, count, size);
    (void)tact_gltf_out_of_memory(file);
    return NULL;
}

/* ---- the container ---- */

static uint32_t word_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Finds the chunks of a GLB. */
static bool chunks_find(gltf_file *file)
{
    const unsigned char *bytes = (const unsigned char *)file->source.begin;
    size_t size = (size_t)(file->source.end - file->source.begin);
    tact_input_error *error = &file->error;
    if (size < GLB_HEADER + GLB_CHUNK_HEADER)
        return tact_input_error_set(error, NULL, "is truncated: it has %zu bytes", size);
    const uint32_t version = word_at(bytes + 4), length = word_at(bytes + 8);
    if (version != 2)
        return tact_input_error_set(error, NULL, "has version %lu of GLB; only version 2 is known",
                                    (unsigned long)version);
    if (length > size)
        return tact_input_error_set(error, NULL, "is truncated: it has %zu of %lu bytes", size, (unsigned long)length);
    size = length;
    for (size_t at = GLB_HEADER; at + GLB_CHUNK_HEADER <= size;) {
        const uint32_t chunk = word_at(bytes + at), type = word_at(bytes + at + 4);
        at += GLB_CHUNK_HEADER;
        if (chunk > size - at)
            return tact_input_error_set(error, NULL, "a chunk of %lu bytes at byte %zu exceeds the file",
                                        (unsigned long)chunk, at);
        if (type == GLB_JSON && !file->json) {
            file->json = file->source.begin + at;
            file->json_size = chunk;
        } else if (type == GLB_BINARY && !file->chunk.bytes) {
            file->chunk = (gltf_buffer){bytes + at, chunk};
        }
        at += chunk;
    }
    return file->json || tact_input_error_set(error, NULL, "has no JSON chunk");
}

static bool extensions_check(gltf_file *file)
{
    /* extensions that do not change positions */
    static const char *const known[] = {"KHR_materials_", "KHR_texture_",          "KHR_lights_", "EXT_texture_",
                                        "MSFT_texture_",  "KHR_mesh_quantization", "KHR_xmp",     "EXT_lights_"};
    const json_t *required = json_object_get(file->root, "extensionsRequired"), *item;
    size_t i;
    json_array_foreach(required, i, item)
    {
        const char *name = json_string_value(item);
        bool good = false;
        for (size_t k = 0; name && k < sizeof known / sizeof known[0]; k++)
            good = good || strncmp(name, known[k], strlen(known[k])) == 0;
        if (!good)
            return tact_input_error_set(&file->error, NULL, "needs the extension %.60s, which tact does not know",
                                        name ? name : "?");
    }
    return true;
}

static bool json_parse(gltf_file *file)
{
    json_error_t reason;
    file->root = json_loadb(file->json, file->json_size, 0, &reason);
    if (!file->root)
        return tact_input_error_set(&file->error, NULL, "line %d of its JSON: %s", reason.line, reason.text);
    const json_t *list;
    if (!json_is_object(file->root) || !json_is_object(json_object_get(file->root, "asset")))
        return tact_input_error_set(&file->error, NULL, "is not a glTF file: it has no asset");
    const char *version = json_string_value(json_object_get(json_object_get(file->root, "asset"), "version"));
    if (!version || strncmp(version, "2.", 2) != 0)
        return tact_input_error_set(&file->error, NULL, "has version %.20s of glTF; only version 2 is known",
                                    version ? version : "?");
    if (!extensions_check(file) || !tact_gltf_list(file, "buffers", &list, &file->buffer_count))
        return false;
    file->buffers = tact_gltf_allocate(file, file->buffer_count, sizeof *file->buffers);
    return file->buffers != NULL;
}

/* Loads a file. On failure the source holds nothing. */
static bool source_load(gltf_file *file, mesh_source *source, const char *path)
{
    char error[TACT_INPUT_ERROR_LENGTH] = "";
    *source = (mesh_source){.path = path, .allocator = file->allocator, .error = error, .error_size = sizeof error};
    const bool loaded = tact_mesh_source_load(source);
    source->path = NULL;
    source->error = NULL;
    if (loaded)
        return true;
    /* the error starts with the path, which the caller prints, if it is that of the file */
    const size_t length = strlen(path);
    const bool same = path == file->path && strncmp(error, path, length) == 0 && strncmp(error + length, ": ", 2) == 0;
    return tact_input_error_set(&file->error, NULL, "%s", same ? error + length + 2 : error);
}

bool tact_gltf_open(gltf_file *file, const char *path, const tact_allocator *allocator)
{
    *file = (gltf_file){.path = path, .allocator = allocator};
    if (!source_load(file, &file->source, path))
        return false;
    const size_t size = (size_t)(file->source.end - file->source.begin);
    if (size >= 4 && memcmp(file->source.begin, "glTF", 4) == 0)
        return chunks_find(file) && json_parse(file);
    file->json = mesh_source_text(&file->source);
    file->json_size = (size_t)(file->source.end - file->json);
    return json_parse(file);
}

void tact_gltf_close(gltf_file *file)
{
    json_decref(file->root);
    for (size_t i = 0; i < file->blocks.count; i++)
        tact_memory_free(file->allocator, file->blocks.items[i].memory, file->blocks.items[i].size, 1);
    gltf_block_array_release(&file->blocks, file->allocator);
    if (file->source.begin)
        tact_mesh_source_release(&file->source);
    file->root = NULL;
}

/* ---- values ---- */

bool tact_gltf_list(gltf_file *file, const char *key, const json_t **list, size_t *count)
{
    const json_t *item;
    size_t i;
    *list = json_object_get(file->root, key);
    *count = 0;
    if (!*list)
        return true;
    const tact_json_path root = {NULL, NULL, 0}, at = {&root, key, 0};
    if (!json_is_array(*list))
        return tact_input_error_set(&file->error, &at, "must be an array");
    json_array_foreach(*list, i, item)
    {
        const tact_json_path at_item = {&at, NULL, i};
        if (!json_is_object(item))
            return tact_input_error_set(&file->error, &at_item, "must be an object");
    }
    *count = json_array_size(*list);
    return true;
}

bool tact_gltf_index(gltf_file *file, const json_t *object, const tact_json_path *where, const char *key, size_t limit,
                     size_t *index)
{
    const json_t *value = json_object_get(object, key);
    const tact_json_path at = {where, key, 0};
    *index = GLTF_NONE;
    if (!value)
        return true;
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0.0) || number != floor(number) || number >= (double)limit)
        return limit == 0 ? tact_input_error_set(&file->error, &at, "refers to something that is not there")
                          : tact_input_error_set(&file->error, &at, "must be a whole number less than %zu", limit);
    *index = (size_t)number;
    return true;
}

bool tact_gltf_index_required(gltf_file *file, const json_t *object, const tact_json_path *where, const char *key,
                              size_t limit, size_t *index)
{
    const tact_json_path at = {where, key, 0};
    return tact_gltf_index(file, object, where, key, limit, index) &&
           (*index != GLTF_NONE || tact_input_error_set(&file->error, &at, "is missing"));
}

/* ---- buffers ---- */

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static bool data_uri_load(gltf_file *file, const char *uri, const tact_json_path *where, gltf_buffer *buffer)
{
    const char *text = strstr(uri, ";base64,");
    if (!text)
        return tact_input_error_set(&file->error, where, "has a data URI that is not in base64");
    text += strlen(";base64,");
    const size_t length = strlen(text);
    unsigned char *bytes = tact_gltf_allocate(file, length / 4 * 3 + 3, 1);
    if (!bytes)
        return false;
    uint32_t bits = 0;
    int bit_count = 0;
    size_t size = 0;
    for (const char *c = text; *c && *c != '='; c++) {
        const int digit = base64_digit(*c);
        if (digit < 0)
            return tact_input_error_set(&file->error, where, "has a data URI that is not in base64");
        bits = (bits << 6 | (uint32_t)digit) & 0xFFFFFF;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            bytes[size++] = (unsigned char)(bits >> bit_count);
        }
    }
    *buffer = (gltf_buffer){bytes, size};
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %20 and the like in place. */
static void uri_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        const int high = *from == '%' ? hex_digit(from[1]) : -1, low = high >= 0 ? hex_digit(from[2]) : -1;
        const bool coded = low >= 0 && 16 * high + low != 0;
        *to = coded ? (char)(16 * high + low) : *from;
        from += coded ? 3 : 1;
    }
    *to = '\0';
}

/* Loads a buffer from a file in the folder of this one. */
static bool file_uri_load(gltf_file *file, const char *uri, const tact_json_path *where, gltf_buffer *buffer)
{
    const char *slash = strrchr(file->path, '/');
    const size_t folder = slash && uri[0] != '/' ? (size_t)(slash - file->path) + 1 : 0, length = strlen(uri);
    char *path = tact_gltf_allocate(file, folder + length + 1, 1);
    mesh_source source;
    if (!path)
        return false;
    if (folder > 0)
        memcpy(path, file->path, folder);
    memcpy(path + folder, uri, length + 1);
    uri_decode(path + folder);
    if (tact_mesh_folder_is_left(file->path, path))
        return tact_input_error_set(&file->error, where, "refers to a file outside the folder of this one");
    if (!source_load(file, &source, path))
        return false;
    const size_t size = (size_t)(source.end - source.begin);
    /* the block has one byte more, a zero */
    if (!gltf_block_array_push(&file->blocks, file->allocator,
                               (gltf_block){(void *)(uintptr_t)source.begin, size + 1})) {
        tact_mesh_source_release(&source);
        return tact_gltf_out_of_memory(file);
    }
    *buffer = (gltf_buffer){(const unsigned char *)source.begin, size};
    return true;
}

/* The bytes of a buffer, loaded at the first call. */
static bool buffer_get(gltf_file *file, size_t index, gltf_buffer *got)
{
    const tact_json_path root = {NULL, NULL, 0}, list = {&root, "buffers", 0}, where = {&list, NULL, index};
    gltf_buffer *buffer = &file->buffers[index];
    if (!buffer->bytes) {
        const json_t *object = json_array_get(json_object_get(file->root, "buffers"), index);
        const char *uri = json_string_value(json_object_get(object, "uri"));
        size_t length;
        if (!tact_gltf_index_required(file, object, &where, "byteLength", GLTF_NONE, &length))
            return false;
        if (!uri && index == 0 && file->chunk.bytes)
            *buffer = file->chunk;
        else if (!uri)
            return tact_input_error_set(&file->error, &where, "has no data");
        else if (strncmp(uri, "data:", 5) == 0 ? !data_uri_load(file, uri, &where, buffer)
                                               : !file_uri_load(file, uri, &where, buffer))
            return false;
        if (buffer->size < length)
            return tact_input_error_set(&file->error, &where, "is truncated: it has %zu of %zu bytes", buffer->size,
                                        length);
        buffer->size = length;
    }
    *got = *buffer;
    return true;
}

/* ---- accessors ---- */

/* The bytes of an array: `count` elements of `size` bytes, `stride` apart. */
typedef struct gltf_array {
    const unsigned char *bytes;
    size_t stride;
} gltf_array;

/* Finds the array at `offset` in a buffer view. `stride` 0: that of the view, or packed. */
static bool view_get(gltf_file *file, size_t view, size_t offset, size_t count, size_t size, gltf_array *array)
{
    const json_t *views = json_object_get(file->root, "bufferViews"), *object = json_array_get(views, view);
    const tact_json_path root = {NULL, NULL, 0}, list = {&root, "bufferViews", 0}, where = {&list, NULL, view};
    size_t index, start, length, stride;
    gltf_buffer buffer = {NULL, 0};
    if (!json_is_object(object))
        return tact_input_error_set(&file->error, &where, "is missing");
    if (!tact_gltf_index_required(file, object, &where, "buffer", file->buffer_count, &index) ||
        !tact_gltf_index_required(file, object, &where, "byteLength", GLTF_NONE, &length) ||
        !tact_gltf_index(file, object, &where, "byteOffset", GLTF_NONE, &start) ||
        !tact_gltf_index(file, object, &where, "byteStride", GLTF_NONE, &stride) || !buffer_get(file, index, &buffer))
        return false;
    start = start == GLTF_NONE ? 0 : start;
    stride = stride == GLTF_NONE || stride == 0 ? size : stride;
    if (start > buffer.size || length > buffer.size - start)
        return tact_input_error_set(&file->error, &where, "exceeds its buffer");
    if (offset > length || (count > 0 && (length - offset < size || (length - offset - size) / stride < count - 1)))
        return tact_input_error_set(&file->error, &where, "is too short for %zu elements of an accessor", count);
    *array = (gltf_array){buffer.bytes + start + offset, stride};
    return true;
}

typedef enum component_type { INT8 = 5120, UINT8, INT16, UINT16, UINT32 = 5125, FLOAT32 } component_type;

/* The bytes of a component; 0 if the type is not known. */
static size_t component_size(size_t type)
{
    switch (type) {
    case INT8:
    case UINT8:
        return 1;
    case INT16:
    case UINT16:
        return 2;
    case UINT32:
    case FLOAT32:
        return 4;
    default:
        return 0;
    }
}

static double component_read(const unsigned char *at, size_t type, bool normalized)
{
    double value, limit = 1.0;
    const uint32_t half = component_size(type) >= 2 ? (uint32_t)at[0] | (uint32_t)at[1] << 8 : 0;
    switch (type) {
    case INT8:
        value = at[0] < 128 ? (double)at[0] : (double)at[0] - 256.0;
        limit = 127.0;
        break;
    case UINT8:
        value = (double)at[0];
        limit = 255.0;
        break;
    case INT16:
        value = half < 32768 ? (double)half : (double)half - 65536.0;
        limit = 32767.0;
        break;
    case UINT16:
        value = (double)half;
        limit = 65535.0;
        break;
    case UINT32:
        value = (double)word_at(at);
        limit = 4294967295.0;
        break;
    default: {
        const uint32_t word = word_at(at);
        float number;
        memcpy(&number, &word, sizeof number);
        return (double)number;
    }
    }
    if (!normalized)
        return value;
    return value / limit < -1.0 ? -1.0 : value / limit;
}

/* An accessor without its numbers. */
typedef struct accessor_layout {
    size_t type, element_size, components, count, view, offset;
    bool normalized;
} accessor_layout;

static bool layout_read(gltf_file *file, const json_t *object, const tact_json_path *where, accessor_layout *layout)
{
    static const struct {
        const char *name;
        size_t components;
    } kinds[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    const char *name = json_string_value(json_object_get(object, "type"));
    layout->components = 0;
    for (size_t i = 0; name && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            layout->components = kinds[i].components;
    if (!tact_gltf_index_required(file, object, where, "componentType", UINT16_MAX, &layout->type) ||
        !tact_gltf_index_required(file, object, where, "count", UINT32_MAX, &layout->count) ||
        !tact_gltf_index(file, object, where, "bufferView", UINT32_MAX, &layout->view) ||
        !tact_gltf_index(file, object, where, "byteOffset", GLTF_NONE, &layout->offset))
        return false;
    layout->offset = layout->offset == GLTF_NONE ? 0 : layout->offset;
    layout->normalized = json_is_true(json_object_get(object, "normalized"));
    layout->element_size = component_size(layout->type) * layout->components;
    return layout->element_size > 0 || tact_input_error_set(&file->error, where, "has an unknown type");
}

static void elements_read(const accessor_layout *layout, const gltf_array *array, size_t i, double *to)
{
    const size_t size = component_size(layout->type);
    for (size_t k = 0; k < layout->components; k++)
        to[k] = component_read(array->bytes + i * array->stride + k * size, layout->type, layout->normalized);
}

/* Replaces the elements that a sparse accessor lists. */
static bool sparse_read(gltf_file *file, const json_t *sparse, const tact_json_path *where,
                        const accessor_layout *layout, double *values)
{
    const json_t *indices = json_object_get(sparse, "indices"), *items = json_object_get(sparse, "values");
    const tact_json_path at = {where, "sparse", 0}, at_indices = {&at, "indices", 0}, at_values = {&at, "values", 0};
    size_t count, type, index_view, index_offset, value_view, value_offset;
    gltf_array index_array, value_array;
    if (!tact_gltf_index_required(file, sparse, &at, "count", layout->count + 1, &count) ||
        !tact_gltf_index_required(file, indices, &at_indices, "bufferView", UINT32_MAX, &index_view) ||
        !tact_gltf_index_required(file, indices, &at_indices, "componentType", UINT16_MAX, &type) ||
        !tact_gltf_index(file, indices, &at_indices, "byteOffset", GLTF_NONE, &index_offset) ||
        !tact_gltf_index_required(file, items, &at_values, "bufferView", UINT32_MAX, &value_view) ||
        !tact_gltf_index(file, items, &at_values, "byteOffset", GLTF_NONE, &value_offset))
        return false;
    if (type != UINT8 && type != UINT16 && type != UINT32)
        return tact_input_error_set(&file->error, &at_indices, "has an unknown type");
    if (!view_get(file, index_view, index_offset == GLTF_NONE ? 0 : index_offset, count, component_size(type),
                  &index_array) ||
        !view_get(file, value_view, value_offset == GLTF_NONE ? 0 : value_offset, count, layout->element_size,
                  &value_array))
        return false;
    for (size_t i = 0; i < count; i++) {
        const double index = component_read(index_array.bytes + i * index_array.stride, type, false);
        if (index >= (double)layout->count)
            return tact_input_error_set(&file->error, &at_indices, "refer to element %.0f of %zu", index,
                                        layout->count);
        elements_read(layout, &value_array, i, values + (size_t)index * layout->components);
    }
    return true;
}

bool tact_gltf_accessor(gltf_file *file, size_t index, size_t components, double **values, size_t *count)
{
    const json_t *object = json_array_get(json_object_get(file->root, "accessors"), index);
    const tact_json_path root = {NULL, NULL, 0}, list = {&root, "accessors", 0}, where = {&list, NULL, index};
    accessor_layout layout;
    gltf_array array = {NULL, 0};
    if (!json_is_object(object))
        return tact_input_error_set(&file->error, &where, "is missing");
    if (!layout_read(file, object, &where, &layout))
        return false;
    const json_t *sparse = json_object_get(object, "sparse");
    if (layout.components != components)
        return tact_input_error_set(&file->error, &where, "has %zu components instead of %zu", layout.components,
                                    components);
    if (*count != GLTF_NONE && *count != layout.count)
        return tact_input_error_set(&file->error, &where, "has %zu elements instead of %zu", layout.count, *count);
    /* without a view all numbers are zero, and any count would be possible */
    if (layout.view == GLTF_NONE && *count == GLTF_NONE)
        return tact_input_error_set(&file->error, &where, "has no buffer view");
    if (layout.view != GLTF_NONE &&
        !view_get(file, layout.view, layout.offset, layout.count, layout.element_size, &array))
        return false;
    *values = tact_gltf_allocate(file, layout.count, components * sizeof **values);
    if (!*values)
        return false;
    *count = layout.count;
    for (size_t i = 0; array.bytes && i < layout.count; i++)
        elements_read(&layout, &array, i, *values + i * components);
    if (sparse && !sparse_read(file, sparse, &where, &layout, *values))
        return false;
    for (size_t i = 0; i < layout.count * components; i++)
        if (!isfinite((*values)[i]))
            return tact_input_error_set(&file->error, &where, "element %zu is %s", i / components,
                                        isnan((*values)[i]) ? "not a number" : "infinite");
    return true;
}
