#include "query_capture.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>

#include "error_line.h"
#include "run_file.h"
#include "view_page.h"

/* Bytes of the name of a tab: a number, an operation and the main number of the answer. */
#define NAME_BYTES 80

/* ---- the answer as events ---- */

static bool vec_get(const json_t *object, const char *key, tact_vec3 *to)
{
    const json_t *value = json_object_get(object, key);
    if (json_array_size(value) != 3)
        return false;
    *to = (tact_vec3){json_number_value(json_array_get(value, 0)), json_number_value(json_array_get(value, 1)),
                      json_number_value(json_array_get(value, 2))};
    return true;
}

static run_event event_of(const query_shown *shown, run_event_kind kind, double time)
{
    return (run_event){.kind = kind,
                       .time = time,
                       .a = 0,
                       .b = shown->b->shape || shown->has_from ? 1 : RUN_NONE,
                       .has_point = true,
                       .speed = NAN,
                       .features = {RUN_NONE, RUN_NONE, RUN_NONE, RUN_NONE}};
}

/* The segment from one point to another; where they coincide, its direction is `normal`. */
static void segment_write(run_file *run, const query_shown *shown, tact_vec3 from, tact_vec3 to, tact_vec3 normal)
{
    run_event event = event_of(shown, RUN_EVENT_SEGMENT, 0.0);
    const tact_vec3 along = tact_vec_sub(to, from);
    event.point = from;
    event.speed = tact_vec_length(along);
    event.normal = event.speed > 0.0 ? tact_vec_scale(along, 1.0 / event.speed) : normal;
    tact_run_file_event(run, &event);
}

/* The members of `object` that are two points: closest points, a contact point, a segment. */
static void pair_write(run_file *run, const query_shown *shown, const json_t *object)
{
    tact_vec3 from, to, normal = {0.0, 0.0, 0.0};
    (void)vec_get(object, "normal", &normal);
    if ((vec_get(object, "pa", &from) && vec_get(object, "pb", &to)) ||
        (vec_get(object, "from", &from) && vec_get(object, "to", &to)))
        segment_write(run, shown, from, to, normal);
}

static void answer_write(run_file *run, const query_shown *shown, const json_t *answer)
{
    static const char *const lists[] = {"contacts", "segments"};
    const json_t *t = json_object_get(answer, "t");
    const bool is_ccd = shown->start != NULL;
    run_event touch = event_of(shown, RUN_EVENT_TOUCH, 0.0);
    if (is_ccd && json_array_size(t) == 2) {
        const bool is_vertex = strcmp(shown->operation, "ccd_vf") == 0;
        touch = (run_event){.kind = is_vertex ? RUN_EVENT_VERTEX_FACE : RUN_EVENT_EDGE_EDGE,
                            .time = json_number_value(json_array_get(t, 0)),
                            .speed = NAN,
                            .features = {0, is_vertex ? 0 : 1, is_vertex ? RUN_NONE : 2, is_vertex ? RUN_NONE : 3}};
        tact_run_file_event(run, &touch);
    } else if (vec_get(answer, "point", &touch.point)) {
        tact_vec3 dir = {0.0, 0.0, 0.0};
        (void)vec_get(answer, "normal", &touch.normal);
        touch.time = shown->end > 0.0 ? json_number_value(t) : 0.0;
        if (shown->has_from && json_object_get(answer, "distance")) /* closest */
            segment_write(run, shown, touch.point, shown->from, dir);
        else
            tact_run_file_event(run, &touch);
    } else if (strcmp(shown->operation, "contains") == 0 && json_is_true(json_object_get(answer, "hit"))) {
        touch.point = shown->from;
        tact_run_file_event(run, &touch);
    }
    pair_write(run, shown, answer);
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        size_t i;
        const json_t *item;
        json_array_foreach(json_object_get(answer, lists[k]), i, item) pair_write(run, shown, item);
    }
}

/* ---- the bodies ---- */

static void body_write(run_file *run, uint32_t number, const char *name, const moving_shape *body, double end)
{
    const tact_motion *m = &body->motion;
    tact_run_file_body(
        run, &(run_body){.name = name, .shape = tact_run_file_shape(run, body->shape), .transform = body->transform});
    if (end <= 0.0)
        return;
    /* the pivot moves along a parabola (tact/motion.h) */
    const tact_vec3 arm = tact_vec_sub(tact_transform_point(body->transform, m->pivot), body->transform.origin);
    tact_run_file_motion(run, number,
                         &(observed_motion){.pivot = m->pivot,
                                            .origin = tact_vec_add(body->transform.origin, arm),
                                            .velocity = tact_vec_add(m->velocity, tact_vec_cross(m->spin, arm)),
                                            .acceleration = m->acceleration,
                                            .spin = m->spin,
                                            .transform = body->transform});
}

/* The point of `closest` and `contains`, or the ray up to where it hits: up to its first t, or through the shape. */
static void probe_write(run_file *run, const query_shown *shown, const json_t *answer)
{
    tact_vec3 hit;
    tact_shape *shape;
    if (shown->dir.x == 0.0 && shown->dir.y == 0.0 && shown->dir.z == 0.0) {
        shape = tact_point(shown->from);
    } else {
        tact_bounds bounds;
        double reach = INFINITY;
        if (tact_shape_bounds(shown->a->shape, shown->a->transform, &bounds) == TACT_OK)
            reach = tact_vec_length(tact_vec_sub(bounds.max, shown->from)) +
                    tact_vec_length(tact_vec_sub(bounds.max, bounds.min));
        if (!vec_get(answer, "point", &hit)) /* the bounds of a half-space end at 1e150 (shape.h) */
            hit = tact_vec_mul_add(shown->from, reach < 1e150 ? reach : 1.0, tact_vec_normalize(shown->dir));
        shape = tact_segment(shown->from, hit);
    }
    if (shape) {
        const moving_shape probe = {shape, tact_identity(), tact_motion_still()};
        body_write(run, 1, strcmp(shown->operation, "ray") == 0 ? "\"ray\"" : "\"point\"", &probe, 0.0);
        tact_shape_release(shape);
    } else {
        run->failed = true;
    }
}

/* Four points that move: a vertex and a triangle, or two edges, each a triangle without area. */
static void points_write(run_file *run, const query_shown *shown)
{
    static const uint32_t vertex_face[][3] = {{1, 2, 3}, {0, 0, 0}}, edges[][3] = {{0, 1, 1}, {2, 3, 3}};
    const bool is_vertex = strcmp(shown->operation, "ccd_vf") == 0;
    const uint32_t shape = tact_run_file_mesh(run, shown->start, 4, is_vertex ? vertex_face : edges, 2);
    tact_run_file_body(run, &(run_body){.name = "\"pair\"", .shape = shape, .transform = tact_identity()});
    tact_run_file_key(run, 0, 0.0, shown->start, 4);
    tact_run_file_key(run, 0, 1.0, shown->stop, 4);
}

/* ---- a request ---- */

/* "3 distance 1.5" */
static char *name_make(size_t number, const query_shown *shown, const json_t *answer)
{
    static const char *const keys[] = {"distance", "depth", "t"};
    char *name = malloc(NAME_BYTES);
    const json_t *value = NULL;
    for (size_t i = 0; i < 3 && !json_is_number(value); i++)
        value = json_object_get(answer, keys[i]);
    const json_t *hit = json_object_get(answer, "hit");
    if (!name)
        return NULL;
    if (json_is_number(value))
        (void)snprintf(name, NAME_BYTES, "%zu %s %.4g", number, shown->operation, json_number_value(value));
    else
        (void)snprintf(name, NAME_BYTES, "%zu %s%s", number, shown->operation,
                       json_is_true(hit)    ? " hit"
                       : json_is_false(hit) ? " none"
                                            : "");
    return name;
}

static bool fail(query_capture *capture, const char *reason)
{
    if (!capture->failed)
        (void)tact_error_line("%s: %s", capture->path, reason);
    capture->failed = true;
    return false;
}

static void run_write(query_capture *capture, FILE *file, const query_shown *shown, const json_t *answer,
                      const char *name)
{
    run_file run;
    const double end = shown->start ? 1.0 : shown->end;
    capture->failed =
        !tact_run_file_open(&run, &(run_paths){.view = capture->path, .file = file}, "query", name, 0.0, end);
    if (capture->failed)
        return;
    if (shown->start)
        points_write(&run, shown);
    if (shown->a->shape)
        body_write(&run, 0, "\"a\"", shown->a, end);
    if (shown->b->shape)
        body_write(&run, 1, "\"b\"", shown->b, end);
    if (shown->has_from)
        probe_write(&run, shown, answer);
    answer_write(&run, shown, answer);
    capture->failed = !tact_run_file_close(&run, true);
}

void tact_query_capture_add(query_capture *capture, const query_shown *shown)
{
    if (capture->failed)
        return;
    if (capture->count == CAPTURE_REQUESTS) {
        capture->left_out++;
        return;
    }
    json_t *answer = json_loadb(shown->answer, shown->answer_length, 0, NULL);
    char *name = answer ? name_make(capture->count + 1, shown, answer) : NULL;
    errno = 0;
    FILE *file = name ? tmpfile() : NULL;
    if (file) {
        capture->names[capture->count] = name;
        capture->runs[capture->count++] = file;
        run_write(capture, file, shown, answer, name);
    } else {
        (void)fail(capture, name && errno ? strerror(errno) : "out of memory");
        free(name);
    }
    json_decref(answer);
}

bool tact_query_capture_close(query_capture *capture)
{
    bool good = !capture->failed;
    if (good && capture->count == 0)
        good = fail(capture, "not written: no request was answered");
    if (good && capture->left_out > 0)
        (void)tact_error_line("%s: shows the first %d requests, not the %zu others", capture->path, CAPTURE_REQUESTS,
                              capture->left_out);
    good =
        good && tact_view_page_write(capture->path, capture->runs, (const char *const *)capture->names, capture->count);
    for (size_t i = 0; i < capture->count; i++) {
        (void)fclose(capture->runs[i]);
        free(capture->names[i]);
    }
    return good;
}
