#include "check_capture.h"

#include <math.h>
#include <string.h>
#include <tact/transform.h>

/* Pairs of faces that are written at most, of each file and each pair of files: more cannot be looked at. */
#define MAX_PAIRS 100000

/* The name of a file as a JSON string with a zero at its end. */
static void name_make(byte_buffer *name, const char *path)
{
    const char *slash = strrchr(path, '/');
    tact_buffer_clear(name);
    tact_buffer_add_json_string(name, slash ? slash + 1 : path);
    tact_buffer_add(name, "", 1);
}

/* Writes an event for each pair of faces. Without faces (of NURBS shapes, whose surfaces are listed) they are none. */
static void pairs_write(run_file *run, size_t a, size_t b, const face_pairs *pairs, bool has_faces)
{
    for (size_t i = 0; i < pairs->count && i < MAX_PAIRS; i++) {
        run_event event = {.kind = RUN_EVENT_INTERSECTION,
                           .a = (uint32_t)a,
                           .b = (uint32_t)b,
                           .speed = NAN,
                           .features = {RUN_NONE, RUN_NONE, RUN_NONE, RUN_NONE}};
        if (has_faces) {
            event.features[0] = event.features[2] = 0;
            event.features[1] = pairs->items[i].a;
            event.features[3] = pairs->items[i].b;
        }
        tact_run_file_event(run, &event);
    }
}

bool tact_check_capture(const check_result *result, const run_paths *paths)
{
    run_file run;
    byte_buffer name = {NULL, 0, 0, false};
    if (!paths->save && !paths->view)
        return true;
    if (!tact_run_file_open(&run, paths, "check", result->files[0].path, 0.0, 0.0))
        return false;
    for (size_t i = 0; i < result->file_count; i++) {
        const uint32_t shape = tact_run_file_shape(&run, result->files[i].shape);
        name_make(&name, result->files[i].path);
        run.failed = run.failed || name.failed;
        if (!run.failed)
            tact_run_file_body(
                &run, &(run_body){.name = (const char *)name.data, .shape = shape, .transform = tact_identity()});
    }
    for (size_t i = 0; i < result->file_count; i++)
        pairs_write(&run, i, i, &result->files[i].intersections, !result->files[i].nurbs);
    for (size_t i = 0; i < result->pair_count; i++) {
        const check_pair *pair = &result->pairs[i];
        pairs_write(&run, pair->a, pair->b, &pair->intersections, !pair->nurbs);
    }
    tact_buffer_release(&name);
    return tact_run_file_close(&run, true);
}
