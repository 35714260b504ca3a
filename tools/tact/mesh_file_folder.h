/* Which other files a model may read: those of its own folder. */
#ifndef TACT_TOOL_MESH_FILE_FOLDER_H
#define TACT_TOOL_MESH_FILE_FOLDER_H

#include <stdbool.h>

/* True if a file exists and lies outside the folder of `model`. Links are resolved; if `model` is a link, the folder of
 * the file it refers to is allowed as well. */
bool tact_mesh_folder_is_left(const char *model, const char *path);

#endif
