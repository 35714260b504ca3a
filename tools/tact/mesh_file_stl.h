/* What tells an STL file from others. */
#ifndef TACT_TOOL_MESH_FILE_STL_H
#define TACT_TOOL_MESH_FILE_STL_H

#include <stdint.h>

#include "mesh_file_source.h"

#define STL_HEADER 80   /* bytes of a binary file before the number of triangles */
#define STL_TRIANGLE 50 /* bytes of each: a normal, three corners, two spare */

/* The number of triangles that a binary file names; it has at least STL_HEADER + 4 bytes. */
uint32_t tact_mesh_stl_count(const mesh_source *source);

#endif
