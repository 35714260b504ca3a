/*
 * The content of a glTF 2.0 file, text or binary (GLB): its JSON, its buffers and the numbers in them.
 *
 * Assimp is not used here: version 5.2 drops the interpolation of animations (STEP, CUBICSPLINE) and stores morph
 * targets as sums of floats. Every index, offset and size of the file is checked.
 */
#ifndef TACT_TOOL_GLTF_FILE_H
#define TACT_TOOL_GLTF_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/array.h"
#include "json_read.h"
#include "mesh_file_source.h"

/* A block of memory that is freed with the file. */
typedef struct gltf_block {
    void *memory;
    size_t size;
} gltf_block;
ARRAY_OF(gltf_block_array, gltf_block);

typedef struct gltf_buffer {
    const unsigned char *bytes; /* NULL: not loaded yet */
    size_t size;
} gltf_buffer;

typedef struct gltf_file {
    const char *path;
    const tact_allocator *allocator; /* must stay valid */
    mesh_source source;              /* the bytes of the file */
    const char *json;                /* the JSON text in them */
    size_t json_size;
    gltf_buffer chunk; /* the binary chunk of a GLB; bytes NULL: none */
    json_t *root;
    gltf_buffer *buffers; /* one for each of the JSON */
    size_t buffer_count;
    gltf_block_array blocks;
    tact_input_error error; /* the reason of a failure */
} gltf_file;

/* An index or count that is absent. */
#define GLTF_NONE SIZE_MAX

/* All functions return false, or NULL, with the reason in file->error. */

/* Reads the file and parses its JSON. To be closed in any case. */
bool tact_gltf_open(gltf_file *file, const char *path, const tact_allocator *allocator);
void tact_gltf_close(gltf_file *file);

/* Allocates zeroed items, which are freed with the file. Not NULL for a count of 0. */
void *tact_gltf_allocate(gltf_file *file, size_t count, size_t size);
bool tact_gltf_out_of_memory(gltf_file *file);

/* The array of objects `key` at the root, NULL if absent, and its count. */
bool tact_gltf_list(gltf_file *file, const char *key, const json_t **list, size_t *count);

/* The member `key` of an object, a whole number less than `limit`; GLTF_NONE if absent. `where` is the object. */
bool tact_gltf_index(gltf_file *file, const json_t *object, const tact_json_path *where, const char *key, size_t limit,
                     size_t *index);

/* The same, and absence is an error. */
bool tact_gltf_index_required(gltf_file *file, const json_t *object, const tact_json_path *where, const char *key,
                              size_t limit, size_t *index);

/* Reads the accessor `index` with this number of components (1, 3, 4 or 16) as doubles, all finite; normalized integers
 * become fractions. *count is the count that is required, or GLTF_NONE for any; then it receives the count. */
bool tact_gltf_accessor(gltf_file *file, size_t index, size_t components, double **values, size_t *count);

#endif
