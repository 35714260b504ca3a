/* The header of a PLY file: its elements and their properties. */
#ifndef TACT_TOOL_MESH_FILE_PLY_H
#define TACT_TOOL_MESH_FILE_PLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/array.h"
#include "mesh_file_source.h"

typedef enum ply_type {
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT32,
    PLY_FLOAT64
} ply_type;

/* The use of a property. */
typedef enum ply_role { PLY_UNUSED, PLY_X, PLY_Y, PLY_Z, PLY_INDICES } ply_role;

typedef struct ply_property {
    ply_type type;       /* of the value, or of each entry of the list */
    ply_type count_type; /* of the list's length */
    bool list;
    ply_role role;
    const char *name; /* in the file */
    size_t name_length;
} ply_property;
ARRAY_OF(ply_property_array, ply_property);

/* The use of an element. */
typedef enum ply_kind { PLY_OTHER, PLY_VERTEX, PLY_FACE, PLY_STRIPS } ply_kind;

typedef struct ply_element {
    ply_kind kind;
    size_t count;
    size_t first, property_count; /* its properties in ply_header.properties */
    const char *name;             /* in the file */
    size_t name_length;
} ply_element;
ARRAY_OF(ply_element_array, ply_element);

typedef enum ply_coding { PLY_TEXT, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN } ply_coding;

typedef struct ply_header {
    ply_coding coding;
    ply_element_array elements;
    ply_property_array properties;
    size_t vertex_count;
    const char *body; /* the first byte after the header */
} ply_header;

/* The size in bytes. */
static inline size_t ply_type_size(ply_type type)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

/* Reads the header, which must be released also on failure. False after writing the error message. */
bool tact_ply_header_read(const mesh_source *source, ply_header *header);

void tact_ply_header_release(const mesh_source *source, ply_header *header);

#endif
