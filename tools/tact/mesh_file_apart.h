/* Reading in a process of its own, for readers that are not ours and may crash. */
#ifndef TACT_TOOL_MESH_FILE_APART_H
#define TACT_TOOL_MESH_FILE_APART_H

#include <stdbool.h>

#include "mesh_file_build.h"
#include "mesh_file_source.h"

/* Calls `read` in a child process and brings its mesh, or its complaint, over; when the child dies that is a complaint
 * too. `build` has begun and is empty; its format and the source stay as they are. Where there is no fork, just calls
 * `read`. */
bool tact_mesh_read_apart(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *));

#endif
