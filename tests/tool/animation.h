/*
 * Animation files for the tests, by writers that know nothing of the readers. A file that includes this one defines
 * _POSIX_C_SOURCE first.
 */
#ifndef TACT_TESTS_TOOL_ANIMATION_H
#define TACT_TESTS_TOOL_ANIMATION_H

#include "tool/folder.h"

static inline void text_put(const char *name, const char *text) { file_put(name, text, strlen(text)); }

static inline void bytes_put(const char *name, const bytes *b) { file_put(name, b->data, b->size); }

/* Adds a 32-bit word in either byte order. */
static inline void word_add(bytes *b, uint32_t word, bool big_endian)
{
    unsigned char four[4];
    for (int i = 0; i < 4; i++)
        four[i] = (unsigned char)(word >> (big_endian ? 24 - 8 * i : 8 * i));
    bytes_add(b, four, 4);
}

static inline void float_add(bytes *b, float value, bool big_endian)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    word_add(b, word, big_endian);
}

/* A PC2 file: `frames` has x y z of each vertex, frame by frame. */
static inline bytes pc2_make(const float *frames, size_t frame_count, size_t vertex_count, float start, float step)
{
    bytes b = {NULL, 0, 0};
    bytes_add(&b, "POINTCACHE2", 12);
    word_add(&b, 1, false);
    word_add(&b, (uint32_t)vertex_count, false);
    float_add(&b, start, false);
    float_add(&b, step, false);
    word_add(&b, (uint32_t)frame_count, false);
    for (size_t i = 0; i < 3 * frame_count * vertex_count; i++)
        float_add(&b, frames[i], false);
    return b;
}

/* An MDD file; the time of frame i is start + i step. */
static inline bytes mdd_make(const float *frames, size_t frame_count, size_t vertex_count, float start, float step)
{
    bytes b = {NULL, 0, 0};
    word_add(&b, (uint32_t)frame_count, true);
    word_add(&b, (uint32_t)vertex_count, true);
    for (size_t i = 0; i < frame_count; i++)
        float_add(&b, start + (float)i * step, true);
    for (size_t i = 0; i < 3 * frame_count * vertex_count; i++)
        float_add(&b, frames[i], true);
    return b;
}

/* An OBJ file with the exact values of floats. */
static inline bytes obj_make(const float *positions, size_t vertex_count, const uint32_t (*triangles)[3],
                             size_t triangle_count)
{
    bytes b = {NULL, 0, 0};
    char line[200];
    bytes_say(&b, "");
    for (size_t v = 0; v < vertex_count; v++) {
        (void)snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", (double)positions[3 * v],
                       (double)positions[3 * v + 1], (double)positions[3 * v + 2]);
        bytes_say(&b, line);
    }
    for (size_t f = 0; f < triangle_count; f++) {
        (void)snprintf(line, sizeof line, "f %lu %lu %lu\n", (unsigned long)triangles[f][0] + 1,
                       (unsigned long)triangles[f][1] + 1, (unsigned long)triangles[f][2] + 1);
        bytes_say(&b, line);
    }
    return b;
}

/* ---- glTF ---- */

/* A glTF file under construction: numbers go to the binary buffer, one accessor and one view for each array. */
typedef struct gltf_maker {
    bytes binary, views, accessors;
    size_t count; /* accessors */
} gltf_maker;

/* Adds an accessor over bytes; returns its index. `type` such as "VEC3", `extra` such as ",\"normalised\":true". */
static inline size_t gltf_bytes(gltf_maker *m, const void *data, size_t size, int component, const char *type,
                                size_t count, const char *extra)
{
    char text[400];
    while (m->binary.size % 4 != 0)
        bytes_add(&m->binary, "", 1);
    (void)snprintf(text, sizeof text, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", m->count ? "," : "",
                   m->binary.size, size);
    bytes_say(&m->views, text);
    (void)snprintf(text, sizeof text, "%s{\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}",
                   m->count ? "," : "", m->count, component, count, type, extra);
    bytes_say(&m->accessors, text);
    bytes_add(&m->binary, data, size);
    return m->count++;
}

static inline size_t gltf_floats(gltf_maker *m, const float *values, size_t count, size_t components, const char *type)
{
    bytes b = {NULL, 0, 0};
    for (size_t i = 0; i < count * components; i++)
        float_add(&b, values[i], false);
    const size_t index = gltf_bytes(m, b.data, b.size, 5126, type, count, "");
    bytes_free(&b);
    return index;
}

/* The JSON: `rest` has the members from scenes to animations; `uri` is that of the buffer, NULL for a GLB. */
static inline bytes gltf_json(const gltf_maker *m, const char *rest, const char *uri)
{
    bytes b = {NULL, 0, 0};
    char text[100];
    bytes_say(&b, "{\"asset\":{\"version\":\"2.0\"},");
    bytes_say(&b, rest);
    bytes_say(&b, ",\"accessors\":[");
    bytes_say(&b, m->accessors.data);
    bytes_say(&b, "],\"bufferViews\":[");
    bytes_say(&b, m->views.data);
    (void)snprintf(text, sizeof text, "],\"buffers\":[{\"byteLength\":%zu", m->binary.size);
    bytes_say(&b, text);
    if (uri) {
        bytes_say(&b, ",\"uri\":\"");
        bytes_say(&b, uri);
        bytes_say(&b, "\"");
    }
    bytes_say(&b, "}]}");
    return b;
}

static inline bytes glb_make(const gltf_maker *m, const char *rest)
{
    bytes json = gltf_json(m, rest, NULL), b = {NULL, 0, 0};
    while (json.size % 4 != 0)
        bytes_say(&json, " ");
    const size_t binary = (m->binary.size + 3) / 4 * 4;
    bytes_say(&b, "glTF");
    word_add(&b, 2, false);
    word_add(&b, (uint32_t)(12 + 8 + json.size + 8 + binary), false);
    word_add(&b, (uint32_t)json.size, false);
    bytes_say(&b, "JSON");
    bytes_add(&b, json.data, json.size);
    word_add(&b, (uint32_t)binary, false);
    bytes_add(&b, "BIN", 4);
    bytes_add(&b, m->binary.data, m->binary.size);
    bytes_add(&b, "\0\0\0", binary - m->binary.size);
    bytes_free(&json);
    return b;
}

static inline void gltf_maker_free(gltf_maker *m)
{
    bytes_free(&m->binary);
    bytes_free(&m->views);
    bytes_free(&m->accessors);
    m->count = 0;
}

#endif
