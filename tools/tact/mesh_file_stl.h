/* The layout of binary STL. */
#ifndef TACT_TOOL_MESH_FILE_STL_H
#define TACT_TOOL_MESH_FILE_STL_H

#include <stdint.h>

#include "mesh_file_source.h"

#define STL_HEADER 80   /* bytes before the triangle count */
#define STL_TRIANGLE 50 /* bytes of a triangle: a normal, three vertices, two unused bytes */

/* The triangle count of a binary file of at least STL_HEADER + 4 bytes. */
uint32_t tact_mesh_stl_count(const mesh_source *source);

#endif
