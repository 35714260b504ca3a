/*
 * A run is a JSON header and blocks (docs/run_format.md). Motions and events are collected in columns and written as a
 * block whenever there are enough of them. So memory does not grow with the run, except for the state of each body.
 *
 * A motion is written only as far as a reader cannot compute it: the position and the rotation are left out if the
 * motion before gives them, within CONTINUES of the size of the body. What the reader has computed then counts as the
 * position, so that errors do not add up.
 */
#include "run_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>
#include <tact/version.h>

#include "error_line.h"
#include "output_file.h"
#include "run_format.h"
#include "shape/shape_data.h"
#include "view_page.h"

/* Records of a block of motions or events. */
#define BLOCK_RECORDS 8192

/* Relative to the size of a body, and in radians: a motion continues the one before if it starts within this. Floats
 * resolve 6e-8. */
#define CONTINUES 1e-6

/* Fields of a motion that are written. */
enum { HAS_POSITION = 1, HAS_ROTATION = 2, HAS_VELOCITY = 4, HAS_ACCELERATION = 8, HAS_SPIN = 16, HAS_PIVOT = 32 };

/* ---- blocks ---- */

static void buffer_write(run_file *run, const byte_buffer *buffer)
{
    run->failed = run->failed || buffer->failed;
    if (buffer->size > 0)
        (void)fwrite(buffer->data, 1, buffer->size, run->file);
}

/* Writes a block whose content is that of the buffers, and clears them. */
static void block_write(run_file *run, const char *type, uint32_t count, byte_buffer *const *buffers,
                        size_t buffer_count)
{
    static const char zeros[8] = {0};
    uint64_t size = 0;
    for (size_t i = 0; i < buffer_count; i++)
        size += buffers[i]->size;
    const size_t padding = (size_t)(-size & 7u);
    byte_buffer head = {NULL, 0, 0, false};
    tact_buffer_add(&head, type, 4);
    tact_buffer_add_u32(&head, count);
    tact_buffer_add_u64(&head, size + padding);
    buffer_write(run, &head);
    tact_buffer_release(&head);
    for (size_t i = 0; i < buffer_count; i++) {
        buffer_write(run, buffers[i]);
        tact_buffer_clear(buffers[i]);
    }
    (void)fwrite(zeros, 1, padding, run->file);
}

/* ---- opening ---- */

static void header_write(run_file *run, const char *command, const char *title)
{
    byte_buffer json = {NULL, 0, 0, false}, head = {NULL, 0, 0, false};
    char text[200];
    (void)snprintf(text, sizeof text,
                   "{\"format\":\"tact-run\",\"version\":%d,\"program\":\"tact %d.%d.%d\",\"command\":", RUN_VERSION,
                   TACT_VERSION_MAJOR, TACT_VERSION_MINOR, TACT_VERSION_PATCH);
    tact_buffer_add(&json, text, strlen(text));
    tact_buffer_add_json_string(&json, command);
    tact_buffer_add(&json, ",\"title\":", 9);
    tact_buffer_add_json_string(&json, title);
    (void)snprintf(text, sizeof text, ",\"start\":%.17g,\"end\":%.17g}", run->start, run->end);
    tact_buffer_add(&json, text, strlen(text));
    tact_buffer_align(&json, ' ');
    tact_buffer_add(&head, RUN_MAGIC, RUN_MAGIC_SIZE);
    tact_buffer_add_u32(&head, RUN_VERSION);
    tact_buffer_add_u32(&head, (uint32_t)json.size);
    buffer_write(run, &head);
    buffer_write(run, &json);
    tact_buffer_release(&json);
    tact_buffer_release(&head);
}

bool tact_run_file_open(run_file *run, const run_paths *paths, const char *command, const char *title, double start,
                        double end)
{
    memset(run, 0, sizeof *run);
    run->paths = *paths;
    run->start = start;
    run->end = end;
    if (paths->view && !tact_view_page_check())
        return false;
    if (paths->save && !tact_output_file_open(&run->save, paths->save))
        return false;
    errno = 0;
    run->file = paths->file ? paths->file : paths->save ? run->save.file : tmpfile();
    if (!run->file) {
        (void)tact_error_line("%s: a temporary file cannot be created: %s", paths->view, strerror(errno));
        return false;
    }
    header_write(run, command, title);
    return true;
}

/* ---- shapes ---- */

/* Grows an array to at least `wanted` items. */
static bool array_grow(run_file *run, void **items, size_t *capacity, size_t wanted, size_t item_size)
{
    if (wanted <= *capacity)
        return true;
    const size_t next = *capacity < 16 ? 16 : *capacity <= SIZE_MAX / 2 / item_size ? 2 * *capacity : 0;
    void *grown = next >= wanted ? realloc(*items, next * item_size) : NULL;
    if (!grown) {
        run->failed = true;
        return false;
    }
    *items = grown;
    *capacity = next;
    return true;
}

static const char *shape_type_name(tact_shape_type type)
{
    static const char *const names[] = {
        [TACT_POINT] = "point",         [TACT_SEGMENT] = "segment",
        [TACT_TRIANGLE] = "triangle",   [TACT_TETRAHEDRON] = "tetrahedron",
        [TACT_SPHERE] = "sphere",       [TACT_BOX] = "box",
        [TACT_CAPSULE] = "capsule",     [TACT_CYLINDER] = "cylinder",
        [TACT_CONE] = "cone",           [TACT_ELLIPSOID] = "ellipsoid",
        [TACT_POLYGON] = "polygon",     [TACT_HULL] = "hull",
        [TACT_MINKOWSKI_SUM] = "sum",   [TACT_CONVEX_HULL_OF] = "join",
        [TACT_TRANSFORMED] = "convex",  [TACT_CUSTOM] = "custom",
        [TACT_MESH] = "mesh",           [TACT_SOUP] = "soup",
        [TACT_COMPOUND] = "compound",   [TACT_NURBS] = "nurbs",
        [TACT_HALFSPACE] = "halfspace", [TACT_HEIGHTFIELD] = "heightfield",
    };
    return (size_t)type < sizeof names / sizeof names[0] && names[type] ? names[type] : "shape";
}

/* Appends the type of a shape and its parameters: a JSON object. */
static void shape_add_json(byte_buffer *json, const tact_shape *s)
{
    char text[200];
    const tact_shape_type type = tact_shape_get_type(s);
    (void)snprintf(text, sizeof text, "{\"type\":\"%s\"", shape_type_name(type));
    tact_buffer_add(json, text, strlen(text));
    text[0] = '\0';
    if (type == TACT_SPHERE)
        (void)snprintf(text, sizeof text, ",\"radius\":%.17g", s->radius);
    else if (type == TACT_CAPSULE || type == TACT_CYLINDER || type == TACT_CONE)
        (void)snprintf(text, sizeof text, ",\"radius\":%.17g,\"height\":%.17g", s->radius, 2.0 * s->half_height);
    else if (type == TACT_BOX)
        (void)snprintf(text, sizeof text, ",\"size\":[%.17g,%.17g,%.17g]", 2.0 * s->half_extents.x,
                       2.0 * s->half_extents.y, 2.0 * s->half_extents.z);
    else if (type == TACT_ELLIPSOID)
        (void)snprintf(text, sizeof text, ",\"radii\":[%.17g,%.17g,%.17g]", s->half_extents.x, s->half_extents.y,
                       s->half_extents.z);
    else if (type == TACT_HALFSPACE)
        (void)snprintf(text, sizeof text, ",\"normal\":[%.17g,%.17g,%.17g],\"offset\":%.17g", s->normal.x, s->normal.y,
                       s->normal.z, s->offset);
    tact_buffer_add(json, text, strlen(text));
    if (s->margin > 0.0) {
        (void)snprintf(text, sizeof text, ",\"margin\":%.17g", s->margin);
        tact_buffer_add(json, text, strlen(text));
    }
    tact_buffer_add(json, "}", 1);
}

/* Writes a shape; returns its number. */
static uint32_t shape_write(run_file *run, byte_buffer *json, render_mesh *drawn, double size)
{
    byte_buffer head = {NULL, 0, 0, false};
    void *sizes = run->shape_sizes;
    if (!array_grow(run, &sizes, &run->size_capacity, (size_t)run->shape_total + 1, sizeof *run->shape_sizes))
        return 0;
    run->shape_sizes = sizes;
    run->shape_sizes[run->shape_total] = size;
    tact_buffer_align(json, ' ');
    tact_buffer_add_u32(&head, (uint32_t)json->size);
    tact_buffer_add_u32(&head, drawn->vertex_count);
    const uint32_t triangles = drawn->triangle_count;
    byte_buffer *const parts[] = {&head, json, &drawn->positions, &drawn->indices, &drawn->leaves, &drawn->faces};
    block_write(run, "SHAP", triangles, parts, sizeof parts / sizeof parts[0]);
    tact_buffer_release(&head);
    return run->shape_total++;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211); /* FNV-1a */
    return hash;
}

#define HASH_START UINT64_C(14695981039346656037)

/* Whether a shape is described by its JSON object alone. */
static bool is_primitive(tact_shape_type type)
{
    return (type >= TACT_SPHERE && type <= TACT_ELLIPSOID) || type == TACT_HALFSPACE;
}

/* Equal shapes that were created separately get one number: those with the same parameters and triangles. Two 64-bit
 * hashes that agree by chance would confuse two shapes in the picture, once in 10^10 runs of 10^4 shapes. */
uint32_t tact_run_file_shape(run_file *run, const tact_shape *shape)
{
    byte_buffer json = {NULL, 0, 0, false};
    render_mesh drawn = {.vertex_count = 0};
    shape_add_json(&json, shape);
    uint64_t hash = hash_bytes(HASH_START, json.data, json.size);
    const bool primitive = is_primitive(tact_shape_get_type(shape));
    uint32_t number = RUN_NONE;
    for (size_t i = 0; i < run->shape_count && number == RUN_NONE; i++)
        if (run->shapes[i].shape == shape || (primitive && run->shapes[i].hash == hash))
            number = run->shapes[i].number;
    if (number == RUN_NONE) {
        if (!tact_render_mesh_add(&drawn, shape))
            run->failed = true;
        if (!primitive) {
            hash = hash_bytes(hash, drawn.positions.data, drawn.positions.size);
            hash = hash_bytes(hash, drawn.indices.data, drawn.indices.size);
        }
        for (size_t i = 0; i < run->shape_count && number == RUN_NONE; i++)
            if (run->shapes[i].hash == hash)
                number = run->shapes[i].number;
    }
    if (number == RUN_NONE) {
        tact_bounds bounds;
        double size = 1.0;
        if (!shape_is_halfspace(shape) && tact_shape_bounds(shape, tact_identity(), &bounds) == TACT_OK)
            size = tact_vec_distance(bounds.min, bounds.max);
        number = shape_write(run, &json, &drawn, size);
        void *items = run->shapes;
        if (array_grow(run, &items, &run->shape_capacity, run->shape_count + 1, sizeof *run->shapes)) {
            run->shapes = items;
            run->shapes[run->shape_count++] = (run_shape_key){tact_shape_retain(shape), hash, number};
        }
    }
    tact_buffer_release(&json);
    tact_render_mesh_release(&drawn);
    return number;
}

uint32_t tact_run_file_mesh(run_file *run, const tact_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count)
{
    static const char type[] = "{\"type\":\"mesh\"}";
    byte_buffer json = {NULL, 0, 0, false};
    render_mesh drawn = {.vertex_count = 0};
    if (vertex_count > UINT32_MAX || triangle_count > UINT32_MAX) {
        run->failed = true;
        return 0;
    }
    for (size_t i = 0; i < vertex_count; i++)
        tact_render_mesh_add_vertex(&drawn, vertices[i]);
    for (size_t i = 0; i < triangle_count; i++)
        tact_render_mesh_add_triangle(&drawn, triangles[i], 0, (uint32_t)i);
    run->failed = run->failed || tact_render_mesh_failed(&drawn);
    tact_buffer_add(&json, type, sizeof type - 1);
    const uint32_t number = shape_write(run, &json, &drawn, 1.0);
    tact_buffer_release(&json);
    tact_render_mesh_release(&drawn);
    return number;
}

/* ---- bodies ---- */

static void bodies_flush(run_file *run)
{
    byte_buffer head = {NULL, 0, 0, false};
    const uint32_t count = (uint32_t)run->body_count - run->bodies_written;
    if (count == 0)
        return;
    tact_buffer_add(&run->body_names, "]", 1);
    tact_buffer_align(&run->body_names, ' ');
    tact_buffer_add_u64(&head, run->body_names.size);
    byte_buffer *const parts[] = {&head, &run->body_names, &run->body_transforms};
    block_write(run, "BODY", count, parts, sizeof parts / sizeof parts[0]);
    tact_buffer_release(&head);
    run->bodies_written = (uint32_t)run->body_count;
}

void tact_run_file_body(run_file *run, const run_body *body)
{
    char text[80];
    void *tracks = run->tracks, *pending = run->pending;
    size_t pending_capacity = run->body_capacity;
    if (run->failed || run->body_count >= RUN_NONE ||
        !array_grow(run, &pending, &pending_capacity, run->body_count + 1, sizeof *run->pending))
        return;
    run->pending = pending;
    if (!array_grow(run, &tracks, &run->body_capacity, run->body_count + 1, sizeof *run->tracks))
        return;
    run->tracks = tracks;
    tact_transform linear = body->transform;
    linear.origin = (tact_vec3){0.0, 0.0, 0.0};
    run_track *track = &run->tracks[run->body_count];
    *track = (run_track){.rotation = tact_quat_identity()};
    if (tact_transform_invert(linear, &track->inverse) != TACT_OK)
        track->inverse = tact_identity();
    const double scale =
        fmax(tact_vec_length(linear.x_axis), fmax(tact_vec_length(linear.y_axis), tact_vec_length(linear.z_axis)));
    track->size = scale * (body->shape < run->shape_total ? run->shape_sizes[body->shape] : 1.0);
    tact_buffer_add(&run->body_names, run->body_count == run->bodies_written ? "[" : ",", 1);
    tact_buffer_add(&run->body_names, "{\"name\":", 8);
    tact_buffer_add(&run->body_names, body->name, strlen(body->name));
    (void)snprintf(text, sizeof text, ",\"shape\":%lu,\"mass\":%.17g}", (unsigned long)body->shape, body->mass);
    tact_buffer_add(&run->body_names, text, strlen(text));
    tact_buffer_add_vec_f64(&run->body_transforms, body->transform.x_axis);
    tact_buffer_add_vec_f64(&run->body_transforms, body->transform.y_axis);
    tact_buffer_add_vec_f64(&run->body_transforms, body->transform.z_axis);
    tact_buffer_add_vec_f64(&run->body_transforms, body->transform.origin);
    run->body_count++;
}

/* ---- motions ---- */

static void motions_flush(run_file *run)
{
    byte_buffer head = {NULL, 0, 0, false};
    const uint32_t count = run->motion_count;
    if (count == 0)
        return;
    bodies_flush(run);
    tact_buffer_add_u32(&head, (uint32_t)(run->motion_wide.size / sizeof(double)));
    tact_buffer_add_u32(&head, (uint32_t)(run->motion_narrow.size / sizeof(float)));
    byte_buffer *const parts[] = {
        &head, &run->motion_times, &run->motion_wide, &run->motion_bodies, &run->motion_fields, &run->motion_narrow};
    run->motions += count;
    run->motion_count = 0;
    block_write(run, "MOTN", count, parts, sizeof parts / sizeof parts[0]);
    tact_buffer_release(&head);
}

static bool is_zero(tact_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

static bool is_equal(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The rotation by a rotation vector. */
static tact_quat rotation_by(tact_vec3 vector)
{
    const double angle = tact_vec_length(vector);
    if (!(angle > 0.0))
        return tact_quat_identity();
    const double s = sin(0.5 * angle) / angle;
    return (tact_quat){s * vector.x, s * vector.y, s * vector.z, cos(0.5 * angle)};
}

/* Takes what a reader knows to a later time. */
static void track_advance(run_track *track, double time)
{
    const double t = time - track->time;
    track->time = time;
    if (!(t > 0.0))
        return;
    track->origin = tact_vec_mul_add(track->origin, t, tact_vec_mul_add(track->velocity, 0.5 * t, track->acceleration));
    track->velocity = tact_vec_mul_add(track->velocity, t, track->acceleration);
    track->rotation =
        tact_quat_normalize(tact_quat_multiply(rotation_by(tact_vec_scale(track->spin, t)), track->rotation));
}

/* The angle between two rotations, small ones with full accuracy. */
static double rotation_distance(tact_quat a, tact_quat b)
{
    const tact_quat d = tact_quat_multiply(a, tact_quat_conjugate(b));
    return 2.0 * hypot(hypot(d.x, d.y), d.z);
}

static tact_quat quat_as_f32(tact_quat q)
{
    return (tact_quat){tact_buffer_as_f32(q.x), tact_buffer_as_f32(q.y), tact_buffer_as_f32(q.z),
                       tact_buffer_as_f32(q.w)};
}

/* Writes a vector of floats if it differs from `known`. */
static uint32_t vector_write(run_file *run, tact_vec3 value, tact_vec3 known, uint32_t field)
{
    if (is_equal(value, known))
        return 0;
    tact_buffer_add_vec_f32(&run->motion_narrow, value);
    return field;
}

static void motion_write(run_file *run, uint32_t body, const observed_motion *m)
{
    run_track *track = &run->tracks[body];
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    const tact_vec3 velocity = tact_buffer_vec_as_f32(m->velocity), spin = tact_buffer_vec_as_f32(m->spin),
                    acceleration = tact_buffer_vec_as_f32(m->acceleration);
    tact_transform linear = m->transform;
    linear.origin = zero;
    const tact_quat rotation = tact_quat_from_transform(tact_transform_compose(linear, track->inverse));
    track_advance(track, m->time);
    const bool moved = !track->begun || !is_equal(m->pivot, track->pivot) ||
                       !(tact_vec_distance(m->origin, track->origin) <= CONTINUES * track->size);
    const bool turned = track->begun ? !(rotation_distance(rotation, track->rotation) <= CONTINUES)
                                     : rotation_distance(rotation, tact_quat_identity()) > 0.0;
    if (track->begun && !moved && !turned && is_equal(velocity, track->velocity) && is_equal(spin, track->spin) &&
        is_equal(acceleration, track->acceleration) && is_zero(velocity) && is_zero(spin))
        return; /* still at rest */
    uint32_t fields = 0;
    if (moved) {
        tact_buffer_add_vec_f64(&run->motion_wide, m->origin);
        track->origin = m->origin;
        fields |= HAS_POSITION;
    }
    if (!track->begun ? !is_zero(m->pivot) : !is_equal(m->pivot, track->pivot)) {
        tact_buffer_add_vec_f64(&run->motion_wide, m->pivot);
        fields |= HAS_PIVOT;
    }
    if (turned) {
        track->rotation = quat_as_f32(rotation);
        tact_buffer_add_f32(&run->motion_narrow, rotation.x);
        tact_buffer_add_f32(&run->motion_narrow, rotation.y);
        tact_buffer_add_f32(&run->motion_narrow, rotation.z);
        tact_buffer_add_f32(&run->motion_narrow, rotation.w);
        track->rotation = tact_quat_normalize(track->rotation);
        fields |= HAS_ROTATION;
    }
    fields |= vector_write(run, velocity, zero, HAS_VELOCITY);
    fields |= vector_write(run, acceleration, track->begun ? track->acceleration : zero, HAS_ACCELERATION);
    fields |= vector_write(run, spin, zero, HAS_SPIN);
    track->pivot = m->pivot;
    track->velocity = velocity;
    track->acceleration = acceleration;
    track->spin = spin;
    track->begun = true;
    tact_buffer_add_f64(&run->motion_times, m->time);
    tact_buffer_add_u32(&run->motion_bodies, body);
    tact_buffer_add_u32(&run->motion_fields, fields);
    if (++run->motion_count >= BLOCK_RECORDS)
        motions_flush(run);
}

/* Writes the motions that wait for another one at the same time. */
static void pending_flush(run_file *run)
{
    for (size_t i = 0; i < run->pending_count; i++) {
        run_track *track = &run->tracks[run->pending[i]];
        track->pending = false;
        motion_write(run, run->pending[i], &track->next);
    }
    run->pending_count = 0;
}

void tact_run_file_motion(run_file *run, uint32_t body, const observed_motion *motion)
{
    if (run->failed || body >= run->body_count)
        return;
    if (run->pending_count > 0 && run->tracks[run->pending[0]].next.time < motion->time)
        pending_flush(run);
    run_track *track = &run->tracks[body];
    track->next = *motion;
    if (!track->pending)
        run->pending[run->pending_count++] = body;
    track->pending = true;
}

void tact_run_file_key(run_file *run, uint32_t body, double time, const tact_vec3 *vertices, size_t count)
{
    byte_buffer head = {NULL, 0, 0, false}, positions = {NULL, 0, 0, false};
    bodies_flush(run);
    tact_buffer_add_f64(&head, time);
    tact_buffer_add_u32(&head, body);
    tact_buffer_add_u32(&head, 0);
    for (size_t i = 0; i < count; i++)
        tact_buffer_add_vec_f32(&positions, vertices[i]);
    byte_buffer *const parts[] = {&head, &positions};
    block_write(run, "KEYS", (uint32_t)count, parts, sizeof parts / sizeof parts[0]);
    tact_buffer_release(&head);
    tact_buffer_release(&positions);
    run->keys++;
}

/* ---- events and contacts ---- */

static void events_flush(run_file *run)
{
    const uint32_t count = run->event_count;
    if (count == 0)
        return;
    bodies_flush(run);
    byte_buffer *const parts[] = {&run->event_times, &run->event_kinds, &run->event_bodies, &run->event_points,
                                  &run->event_features};
    run->events += count;
    run->event_count = 0;
    block_write(run, "EVNT", count, parts, sizeof parts / sizeof parts[0]);
}

void tact_run_file_event(run_file *run, const run_event *event)
{
    tact_buffer_add_f64(&run->event_times, event->time);
    tact_buffer_add_u32(&run->event_kinds, (uint32_t)event->kind | (event->has_point ? 0x100u : 0u));
    tact_buffer_add_u32(&run->event_bodies, event->a);
    tact_buffer_add_u32(&run->event_bodies, event->b);
    tact_buffer_add_vec_f32(&run->event_points, event->point);
    tact_buffer_add_vec_f32(&run->event_points, event->normal);
    tact_buffer_add_f32(&run->event_points, event->speed);
    for (int i = 0; i < 4; i++)
        tact_buffer_add_u32(&run->event_features, event->features[i]);
    if (++run->event_count >= BLOCK_RECORDS)
        events_flush(run);
}

void tact_run_file_contacts(run_file *run, double time, const run_contact *contacts, size_t count)
{
    byte_buffer head = {NULL, 0, 0, false}, bodies = {NULL, 0, 0, false}, points = {NULL, 0, 0, false};
    bodies_flush(run);
    tact_buffer_add_f64(&head, time);
    for (size_t i = 0; i < count; i++) {
        tact_buffer_add_u32(&bodies, contacts[i].a);
        tact_buffer_add_u32(&bodies, contacts[i].b);
        tact_buffer_add_vec_f32(&points, contacts[i].point);
        tact_buffer_add_vec_f32(&points, contacts[i].normal);
        tact_buffer_add_f32(&points, contacts[i].impulse);
    }
    byte_buffer *const parts[] = {&head, &bodies, &points};
    block_write(run, "CONT", (uint32_t)count, parts, sizeof parts / sizeof parts[0]);
    tact_buffer_release(&head);
    tact_buffer_release(&bodies);
    tact_buffer_release(&points);
    run->contacts++;
}

/* ---- closing ---- */

/* Writes the last block: its presence says that the run is complete. */
static void totals_write(run_file *run)
{
    char text[200];
    byte_buffer json = {NULL, 0, 0, false};
    (void)snprintf(text, sizeof text,
                   "{\"shapes\":%lu,\"bodies\":%zu,\"motions\":%llu,\"events\":%llu,\"keys\":%llu,\"contacts\":%llu}",
                   (unsigned long)run->shape_total, run->body_count, (unsigned long long)run->motions,
                   (unsigned long long)run->events, (unsigned long long)run->keys, (unsigned long long)run->contacts);
    tact_buffer_add(&json, text, strlen(text));
    tact_buffer_align(&json, ' ');
    byte_buffer *const parts[] = {&json};
    block_write(run, "DONE", 0, parts, 1);
    tact_buffer_release(&json);
}

static void memory_release(run_file *run)
{
    byte_buffer *const buffers[] = {&run->body_names,    &run->body_transforms, &run->motion_times,
                                    &run->motion_bodies, &run->motion_fields,   &run->motion_wide,
                                    &run->motion_narrow, &run->event_times,     &run->event_kinds,
                                    &run->event_bodies,  &run->event_points,    &run->event_features};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        tact_buffer_release(buffers[i]);
    for (size_t i = 0; i < run->shape_count; i++)
        tact_shape_release(run->shapes[i].shape);
    free(run->shapes);
    free(run->shape_sizes);
    free(run->tracks);
    free(run->pending);
}

bool tact_run_file_close(run_file *run, bool keep)
{
    const char *path = run->paths.save ? run->paths.save : run->paths.view;
    bool good = true;
    pending_flush(run);
    motions_flush(run);
    events_flush(run);
    bodies_flush(run);
    totals_write(run);
    if (keep && run->failed) {
        (void)tact_error_line("%s: cannot be written: out of memory", path);
        good = false;
    }
    if (keep && good && run->paths.view) {
        const char *reason = tact_output_file_flush(run->file);
        if (reason) {
            (void)tact_error_line("%s: cannot be written: %s", path, reason);
            good = false;
        } else if (!run->paths.file) {
            good = tact_view_page_write(run->paths.view, &run->file, &path, 1);
        }
    }
    if (run->save.file)
        good = tact_output_file_close(&run->save, keep && good) && good;
    else if (!run->paths.file)
        (void)fclose(run->file);
    memory_release(run);
    run->file = NULL;
    return good;
}
