/* Writes checked meshes, and the faces that intersect, to a run (run_file.h). */
#ifndef TACT_TOOL_CHECK_CAPTURE_H
#define TACT_TOOL_CHECK_CAPTURE_H

#include "check.h"
#include "run_file.h"

/* Writes the run and the page of `paths`, if it names any. False after an error, printed to stderr. */
bool tact_check_capture(const check_result *result, const run_paths *paths);

#endif
