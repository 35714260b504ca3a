#include "mesh_capture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>

#include "triangle_mesh.h"

bool tact_mesh_capture_open(mesh_capture *capture, const run_paths *paths, const char *command, const char *title,
                            double start, double end, const mesh_file *mesh, const tact_vec3 *positions)
{
    *capture = (mesh_capture){.mesh = mesh, .times = {start, start}};
    if (!tact_run_file_open(&capture->run, paths, command, title, start, end))
        return false;
    const size_t count = mesh->vertex_count ? mesh->vertex_count : 1;
    for (int i = 0; i < 2; i++) {
        capture->ends[i] = calloc(count, sizeof *capture->ends[i]);
        capture->failed = capture->failed || !capture->ends[i];
    }
    const uint32_t shape = tact_run_file_mesh(&capture->run, positions, mesh->vertex_count,
                                              tact_triangle_mesh_faces(mesh), mesh->face_count);
    tact_run_file_body(&capture->run, &(run_body){.name = "\"mesh\"", .shape = shape, .transform = tact_identity()});
    tact_mesh_capture_frame(capture, start, positions);
    return true;
}

void tact_mesh_capture_frame(mesh_capture *capture, double time, const tact_vec3 *positions)
{
    if (capture->failed)
        return;
    tact_vec3 *spare = capture->ends[0];
    capture->ends[0] = capture->ends[1];
    capture->ends[1] = spare;
    capture->times[0] = capture->times[1];
    capture->times[1] = time;
    memcpy(spare, positions, capture->mesh->vertex_count * sizeof *spare);
    tact_run_file_key(&capture->run, 0, time, positions, capture->mesh->vertex_count);
}

void tact_mesh_capture_contact(mesh_capture *capture, const sweep_contact *contact)
{
    if (capture->failed)
        return;
    const bool is_vertex = contact->kind == TACT_VERTEX_FACE;
    const double t = contact->ccd.lower;
    run_event event = {.kind = is_vertex ? RUN_EVENT_VERTEX_FACE : RUN_EVENT_EDGE_EDGE,
                       .time = capture->times[0] + t * (capture->times[1] - capture->times[0]),
                       .has_point = true,
                       .normal = contact->ccd.normal,
                       .speed = NAN,
                       .features = {contact->index[0], contact->index[1], RUN_NONE, RUN_NONE}};
    if (!is_vertex) {
        event.features[2] = contact->index[2];
        event.features[3] = contact->index[3];
    }
    /* the point on A: the vertex, or a point of the first edge */
    for (int i = 0; i < (is_vertex ? 1 : 2); i++) {
        const tact_vec3 at = tact_vec_lerp(capture->ends[0][contact->index[i]], capture->ends[1][contact->index[i]], t);
        event.point = tact_vec_mul_add(event.point, is_vertex ? 1.0 : contact->ccd.weights[i], at);
    }
    tact_run_file_event(&capture->run, &event);
}

bool tact_mesh_capture_close(mesh_capture *capture, bool keep)
{
    capture->run.failed = capture->run.failed || capture->failed;
    free(capture->ends[0]);
    free(capture->ends[1]);
    return tact_run_file_close(&capture->run, keep);
}
