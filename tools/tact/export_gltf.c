/*
 * A run as glTF 2.0 animation: a node for each body, whose mesh is that with which the viewer draws its shape.
 *
 * Samples of a motion. In a motion piece, p'' of the origin of a body is at most |a| + |w|^2 |r|, where r goes from the
 * pivot to the origin. Between two samples at the distance h a reader interpolates linearly, with an error of at most
 * h^2 |p''| / 8. The spin is constant in a piece: spherical interpolation of the rotation is exact up to half a turn.
 * So the number of samples follows from the tolerance, and no sample is tested.
 *
 * Key frames of vertices become morph targets: at the time of key frame k its weight is 1, and all others are 0.
 * Between key frames vertices move on straight lines in both. The weights of n key frames are n^2 numbers.
 *
 * Times are floats from the start of the run, strictly ascending: of two samples whose times are rounded to one float
 * the later one gets the next float.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>
#include <tact/version.h>

#include "base64.h"
#include "byte_buffer.h"
#include "core/little_endian.h"
#include "error_line.h"
#include "export.h"
#include "json_read.h"

/* The default tolerance, relative to the size of a body: it cannot be seen. */
#define TOLERANCE 1e-3

/* The largest angle between two samples, in radians: a quarter of a turn. Half a turn would be ambiguous. */
#define MAX_ANGLE 1.5707963267948966

/* Samples of all bodies at most: 28 bytes each. More is a mistake in the tolerance, or a spin without meaning. */
#define MAX_SAMPLES 2e7

/* Key frames of a body at most: their weights are 67 MB. */
#define MAX_KEYS 4096

/* The half-size of the square for a half-space, relative to the size of the scene. */
#define FLOOR_SIZE 1.5

#define PRECISION_DIGITS 9 /* of floats in JSON */

/* Numbers of glTF. */
enum { GL_FLOAT = 5126, GL_UNSIGNED_INT = 5125, GL_POINTS = 0, GL_LINES = 1, GL_TRIANGLES = 4 };
enum { VIEW_ANIMATION = 0, VIEW_VERTICES = 34962, VIEW_INDICES = 34963 };

static const tact_allocator standard = {NULL, NULL};

typedef struct gltf_writer {
    const run_data *run;
    double tolerance;
    byte_buffer bin;
    /* items of the arrays of the JSON document */
    byte_buffer accessors, views, meshes, nodes, samplers, channels;
    size_t accessor_count, view_count, mesh_count, sampler_count;
    /* accessors of each shape, without a transform; SIZE_MAX: not written yet */
    size_t *shape_positions, *shape_indices;
    double samples; /* written */
    tact_vec3 center;
    double size; /* of the scene at the start */
    bool failed; /* out of memory */
} gltf_writer;

/* ---- JSON ---- */

static void text_add(byte_buffer *to, const char *format, ...) TACT_PRINTF_FORMAT(2, 3);

static void text_add(byte_buffer *to, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tact_buffer_add(to, text, length > 0 ? (size_t)length : 0);
}

/* Begins an item of an array. */
static void item_begin(byte_buffer *array)
{
    tact_buffer_add(array, array->size > 0 ? ",\n{" : "\n{", array->size > 0 ? 3 : 2);
}

static void vec_add(byte_buffer *to, const char *name, const double *numbers, size_t count)
{
    text_add(to, "\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        text_add(to, "%s%.*g", i > 0 ? "," : "", PRECISION_DIGITS, numbers[i]);
    text_add(to, "]");
}

/* ---- accessors ---- */

/* Begins an accessor at the end of the binary data, with its view; its numbers follow. */
static size_t accessor_begin(gltf_writer *w, const char *type, int component, size_t count, size_t size, int view)
{
    item_begin(&w->views);
    text_add(&w->views, "\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", w->bin.size, size);
    if (view != VIEW_ANIMATION)
        text_add(&w->views, ",\"target\":%d", view);
    text_add(&w->views, "}");
    item_begin(&w->accessors);
    text_add(&w->accessors, "\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"", w->view_count++,
             component, count, type);
    return w->accessor_count++;
}

static void accessor_end(gltf_writer *w) { text_add(&w->accessors, "}"); }

/* Floats with their least and greatest values, in groups of `width`. `numbers` are rounded to floats. */
static size_t floats_add(gltf_writer *w, const char *type, const double *numbers, size_t count, size_t width,
                         bool has_range)
{
    const size_t number = accessor_begin(w, type, GL_FLOAT, count, 4 * count * width,
                                         has_range && width == 3 ? VIEW_VERTICES : VIEW_ANIMATION);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count * width; i++) {
        const double x = tact_buffer_as_f32(numbers[i]);
        tact_buffer_add_f32(&w->bin, x);
        if (has_range) {
            low[i % width] = fmin(low[i % width], x);
            high[i % width] = fmax(high[i % width], x);
        }
    }
    if (has_range && count > 0) {
        text_add(&w->accessors, ",");
        vec_add(&w->accessors, "min", low, width);
        text_add(&w->accessors, ",");
        vec_add(&w->accessors, "max", high, width);
    }
    accessor_end(w);
    return number;
}

ARRAY_OF(number_array, double);

static void number_push(gltf_writer *w, number_array *numbers, double value)
{
    w->failed = !number_array_push(numbers, &standard, value) || w->failed;
}

static void vec_push(gltf_writer *w, number_array *numbers, tact_vec3 v)
{
    number_push(w, numbers, v.x);
    number_push(w, numbers, v.y);
    number_push(w, numbers, v.z);
}

/* The vertices of a shape after a linear map. */
static size_t positions_add(gltf_writer *w, const run_data_shape *shape, const tact_transform *map)
{
    number_array numbers = {0};
    for (size_t i = 0; i < shape->vertex_count; i++) {
        const tact_vec3 x = tact_run_data_vertex(shape->positions, i);
        vec_push(w, &numbers, map ? tact_transform_vector(*map, x) : x);
    }
    const size_t number = floats_add(w, "VEC3", numbers.items, numbers.count / 3, 3, true);
    number_array_release(&numbers, &standard);
    return number;
}

static size_t indices_add(gltf_writer *w, const run_data_shape *shape)
{
    const size_t count = 3 * (size_t)shape->triangle_count;
    const size_t number = accessor_begin(w, "SCALAR", GL_UNSIGNED_INT, count, 4 * count, VIEW_INDICES);
    tact_buffer_add(&w->bin, shape->triangles, 4 * count);
    accessor_end(w);
    return number;
}

/* ---- meshes ---- */

/* Materials: bodies without mass are grey, the others have these colours in turn (linear red, green, blue). */
static const double colors[][3] = {{0.50, 0.50, 0.52}, {0.06, 0.28, 0.72}, {0.85, 0.24, 0.05}, {0.05, 0.42, 0.16},
                                   {0.75, 0.50, 0.02}, {0.38, 0.12, 0.62}, {0.02, 0.45, 0.50}, {0.70, 0.08, 0.22}};
#define COLOR_COUNT (sizeof colors / sizeof *colors)

/* The morph targets of a body: the displacements of its key frames. */
static void targets_add(gltf_writer *w, const run_data_body *body, const run_data_shape *shape,
                        const tact_transform *map)
{
    const run_key *const keys = body->key_count > 0 ? w->run->keys.items + body->first_key : NULL;
    byte_buffer targets = {NULL, 0, 0, false};
    number_array numbers = {0};
    for (size_t k = 0; k < body->key_count; k++) {
        numbers.count = 0;
        for (size_t i = 0; i < shape->vertex_count; i++) {
            const tact_vec3 d =
                tact_vec_sub(tact_run_data_vertex(keys[k].positions, i), tact_run_data_vertex(shape->positions, i));
            vec_push(w, &numbers, map ? tact_transform_vector(*map, d) : d);
        }
        text_add(&targets, "%s{\"POSITION\":%zu}", k > 0 ? "," : "",
                 floats_add(w, "VEC3", numbers.items, numbers.count / 3, 3, true));
    }
    text_add(&w->meshes, ",\"targets\":[");
    tact_buffer_add(&w->meshes, targets.data, targets.size);
    text_add(&w->meshes, "]");
    w->failed = w->failed || targets.failed;
    tact_buffer_release(&targets);
    number_array_release(&numbers, &standard);
}

/* The mesh of a body; SIZE_MAX: its shape has no vertices. `map` is applied to the vertices; NULL: none. */
static size_t mesh_add(gltf_writer *w, size_t number, const tact_transform *map)
{
    const run_data_body *const body = &w->run->bodies.items[number];
    const run_data_shape *const shape = &w->run->shapes.items[body->shape];
    if (shape->vertex_count == 0)
        return SIZE_MAX;
    size_t *const shared = &w->shape_positions[body->shape], *const indices = &w->shape_indices[body->shape];
    if (!map && *shared == SIZE_MAX)
        *shared = positions_add(w, shape, NULL);
    const size_t positions = map ? positions_add(w, shape, map) : *shared;
    if (shape->triangle_count > 0 && *indices == SIZE_MAX)
        *indices = indices_add(w, shape);
    const size_t material = body->mass > 0.0 ? 1 + number % (COLOR_COUNT - 1) : 0;
    item_begin(&w->meshes);
    text_add(&w->meshes, "\"primitives\":[{\"attributes\":{\"POSITION\":%zu},\"material\":%zu,\"mode\":%d", positions,
             material,
             shape->triangle_count > 0  ? GL_TRIANGLES
             : shape->vertex_count == 2 ? GL_LINES
                                        : GL_POINTS);
    if (shape->triangle_count > 0)
        text_add(&w->meshes, ",\"indices\":%zu", *indices);
    if (body->key_count > 0)
        targets_add(w, body, shape, map);
    text_add(&w->meshes, "}]");
    if (body->key_count > 0) {
        text_add(&w->meshes, ",\"weights\":[1");
        for (size_t k = 1; k < body->key_count; k++)
            text_add(&w->meshes, ",0");
        text_add(&w->meshes, "]");
    }
    text_add(&w->meshes, "}");
    return w->mesh_count++;
}

/* A square that stands for a half-space, around the point below the centre of the scene. */
static size_t square_add(gltf_writer *w, const run_data_body *body, const run_data_shape *shape,
                         const tact_transform *map)
{
    const json_t *const normal = json_object_get(shape->info, "normal");
    const tact_vec3 direction = {json_number_value(json_array_get(normal, 0)),
                                 json_number_value(json_array_get(normal, 1)),
                                 json_number_value(json_array_get(normal, 2))};
    const double offset = json_number_value(json_object_get(shape->info, "offset"));
    tact_transform inverse;
    if (!(tact_vec_length(direction) > 0.0) || tact_transform_invert(body->transform, &inverse) != TACT_OK)
        return SIZE_MAX;
    const tact_vec3 n = tact_vec_normalize(direction), center = tact_transform_point(inverse, w->center),
                    foot = tact_vec_mul_add(center, offset - tact_vec_dot(n, center), n),
                    other = fabs(n.y) > 0.5 ? tact_vec(0.0, 0.0, 1.0) : tact_vec(0.0, 1.0, 0.0),
                    u = tact_vec_normalize(tact_vec_cross(other, n)), v = tact_vec_cross(n, u);
    const double half = FLOOR_SIZE * w->size;
    static const int corners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    number_array numbers = {0};
    for (int i = 0; i < 6; i++) {
        const tact_vec3 x = tact_vec_mul_add(tact_vec_mul_add(foot, half * corners[i][0], u), half * corners[i][1], v);
        vec_push(w, &numbers, map ? tact_transform_vector(*map, x) : x);
    }
    const size_t positions = floats_add(w, "VEC3", numbers.items, numbers.count / 3, 3, true);
    number_array_release(&numbers, &standard);
    item_begin(&w->meshes);
    text_add(&w->meshes, "\"primitives\":[{\"attributes\":{\"POSITION\":%zu},\"material\":0,\"mode\":%d}]}", positions,
             GL_TRIANGLES);
    return w->mesh_count++;
}

/* ---- samples ---- */

typedef struct pose_track {
    number_array times, positions, rotations;
    export_pose last;
} pose_track;

static bool is_same_rotation(tact_quat a, tact_quat b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

static bool is_same(const export_pose *a, const export_pose *b)
{
    return tact_vec_distance(a->position, b->position) == 0.0 && is_same_rotation(a->rotation, b->rotation);
}

static void track_push(gltf_writer *w, pose_track *track, double time, export_pose pose)
{
    const tact_quat q = pose.rotation, p = track->last.rotation;
    const size_t count = track->times.count;
    float t = (float)(time - w->run->start);
    if (count > 0) {
        if (q.x * p.x + q.y * p.y + q.z * p.z + q.w * p.w < 0.0) /* the shorter way */
            pose.rotation = (tact_quat){-q.x, -q.y, -q.z, -q.w};
        if (!(t > (float)track->times.items[count - 1]))
            t = nextafterf((float)track->times.items[count - 1], INFINITY);
    }
    number_push(w, &track->times, (double)t);
    vec_push(w, &track->positions, pose.position);
    number_push(w, &track->rotations, pose.rotation.x);
    number_push(w, &track->rotations, pose.rotation.y);
    number_push(w, &track->rotations, pose.rotation.z);
    number_push(w, &track->rotations, pose.rotation.w);
    track->last = pose;
    w->samples += 1.0;
}

static double tolerance_of(const gltf_writer *w, double size)
{
    return w->tolerance > 0.0 ? w->tolerance : TOLERANCE * size;
}

/* Whether a motion begins elsewhere than the one before ends. */
static bool is_jump(const export_pose *a, const export_pose *b, double tolerance, double size)
{
    const tact_quat d = tact_quat_multiply(a->rotation, tact_quat_conjugate(b->rotation));
    const double angle = 2.0 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return tact_vec_distance(a->position, b->position) + angle * size > 0.5 * tolerance;
}

/* The number of equal parts into which a piece is divided. */
static double parts_of(const gltf_writer *w, const run_data_body *body, const run_piece *piece, double duration,
                       double size)
{
    const double spin = tact_vec_length(piece->spin), tolerance = tolerance_of(w, size);
    const double radius = tact_vec_length(tact_transform_vector(body->transform, piece->pivot));
    const double acceleration = tact_vec_length(piece->acceleration) + spin * spin * radius;
    const double curved = acceleration > 0.0 ? duration * sqrt(acceleration / (8.0 * tolerance)) : 0.0;
    return fmax(1.0, fmax(ceil(curved), ceil(spin * duration / MAX_ANGLE)));
}

/* The size of a body: the diagonal of the box around its vertices, as they are at the start. */
static double body_size(const gltf_writer *w, const run_data_body *body)
{
    const run_data_shape *const shape = &w->run->shapes.items[body->shape];
    tact_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < shape->vertex_count; i++) {
        const tact_vec3 x = tact_transform_vector(body->transform, tact_run_data_vertex(shape->positions, i));
        low = tact_vec(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = tact_vec(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    const double size = shape->vertex_count > 0 ? tact_vec_distance(low, high) : 0.0;
    return size > 0.0 ? size : 1.0;
}

/* Samples the motion of a body. False if there are too many samples. */
static bool track_fill(gltf_writer *w, const run_data_body *body, const export_frame *frame, double size,
                       pose_track *track)
{
    const run_piece *const pieces = body->piece_count > 0 ? w->run->pieces.items + body->first_piece : NULL;
    const double start = w->run->start, end = w->run->end, tolerance = tolerance_of(w, size);
    track_push(w, track, start, tact_export_pose(body, frame, NULL, start));
    track->last = tact_export_pose(body, frame, NULL, start);
    for (size_t k = 0; k < body->piece_count && !w->failed; k++) {
        const double from = fmax(pieces[k].time, start),
                     until = k + 1 < body->piece_count ? fmin(pieces[k + 1].time, end) : end;
        if (until < from)
            continue;
        const export_pose first = tact_export_pose(body, frame, &pieces[k], from);
        const double parts = parts_of(w, body, &pieces[k], until - from, size);
        if (!(w->samples + parts < MAX_SAMPLES))
            return false;
        /* the body rested until now, or it jumps */
        if ((float)(from - start) > (float)track->times.items[track->times.count - 1] ||
            is_jump(&first, &track->last, tolerance, size))
            track_push(w, track, from, first);
        for (double i = 1.0; i <= parts && until > from && !w->failed; i += 1.0) {
            const double at = i < parts ? from + (until - from) * (i / parts) : until;
            const export_pose pose = tact_export_pose(body, frame, &pieces[k], at);
            const size_t count = track->times.count;
            /* a body at rest needs two samples only */
            if (count >= 2 && is_same(&pose, &track->last) && i == parts &&
                memcmp(&track->positions.items[3 * count - 3], &track->positions.items[3 * count - 6],
                       3 * sizeof(double)) == 0 &&
                memcmp(&track->rotations.items[4 * count - 4], &track->rotations.items[4 * count - 8],
                       4 * sizeof(double)) == 0 &&
                (double)(float)(at - start) > track->times.items[count - 1])
                track->times.items[count - 1] = (double)(float)(at - start);
            else
                track_push(w, track, at, pose);
        }
    }
    return true;
}

/* A channel of the animation. */
static void channel_add(gltf_writer *w, size_t node, const char *path, size_t input, size_t output)
{
    item_begin(&w->samplers);
    text_add(&w->samplers, "\"input\":%zu,\"output\":%zu,\"interpolation\":\"LINEAR\"}", input, output);
    item_begin(&w->channels);
    text_add(&w->channels, "\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}", w->sampler_count++, node,
             path);
}

static bool is_constant(const number_array *numbers, size_t width)
{
    for (size_t i = width; i < numbers->count; i++)
        if ((float)numbers->items[i] != (float)numbers->items[i - width])
            return false;
    return true;
}

static void track_release(pose_track *track)
{
    number_array_release(&track->times, &standard);
    number_array_release(&track->positions, &standard);
    number_array_release(&track->rotations, &standard);
}

/* The channels of the motion of a body, whose node has this number. */
static bool motion_add(gltf_writer *w, size_t node, const run_data_body *body, const export_frame *frame)
{
    pose_track track = {.times = {0}};
    if (body->piece_count == 0)
        return true;
    const bool good = track_fill(w, body, frame, body_size(w, body), &track);
    if (good && !w->failed && track.times.count > 0) {
        const bool moves = !is_constant(&track.positions, 3), turns = !is_constant(&track.rotations, 4);
        const size_t count = track.times.count;
        const size_t times = moves || turns ? floats_add(w, "SCALAR", track.times.items, count, 1, true) : SIZE_MAX;
        if (moves)
            channel_add(w, node, "translation", times, floats_add(w, "VEC3", track.positions.items, count, 3, false));
        if (turns)
            channel_add(w, node, "rotation", times, floats_add(w, "VEC4", track.rotations.items, count, 4, false));
    }
    if (!good)
        (void)tact_error_line("%s: a glTF animation of it has more than %.0f samples: give a larger --tolerance",
                              w->run->path, MAX_SAMPLES);
    track_release(&track);
    return good;
}

/* The channel of the key frames of a body. */
static bool keys_add(gltf_writer *w, size_t node, const run_data_body *body)
{
    const run_key *const keys = body->key_count > 0 ? w->run->keys.items + body->first_key : NULL;
    const size_t count = body->key_count;
    number_array times = {0}, weights = {0};
    if (count > MAX_KEYS) {
        (void)tact_error_line("%s: %s has %zu key frames, but a glTF animation gets at most %d: write fewer, as with "
                              "--from and --to of tact play",
                              w->run->path, body->name, count, MAX_KEYS);
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        float t = (float)(keys[k].time - w->run->start);
        if (k > 0 && !(t > (float)times.items[k - 1]))
            t = nextafterf((float)times.items[k - 1], INFINITY);
        number_push(w, &times, (double)t);
        for (size_t i = 0; i < count; i++)
            number_push(w, &weights, i == k ? 1.0 : 0.0);
        if (w->failed)
            break;
    }
    if (count > 1 && !w->failed)
        channel_add(w, node, "weights", floats_add(w, "SCALAR", times.items, count, 1, true),
                    floats_add(w, "SCALAR", weights.items, weights.count, 1, false));
    number_array_release(&times, &standard);
    number_array_release(&weights, &standard);
    return true;
}

/* ---- nodes ---- */

static bool body_add(gltf_writer *w, size_t i)
{
    const run_data_body *const body = &w->run->bodies.items[i];
    const run_data_shape *const shape = &w->run->shapes.items[body->shape];
    const export_frame frame = tact_export_frame(&body->transform);
    const tact_transform *const map = frame.shears ? &frame.upper : NULL, *const u = &frame.upper;
    const size_t mesh = strcmp(shape->type, "halfspace") == 0 ? square_add(w, body, shape, map) : mesh_add(w, i, map);
    const run_piece *const first =
        body->piece_count > 0 && w->run->pieces.items[body->first_piece].time <= w->run->start
            ? &w->run->pieces.items[body->first_piece]
            : NULL;
    const export_pose pose = tact_export_pose(body, &frame, first, w->run->start);
    const double translation[3] = {pose.position.x, pose.position.y, pose.position.z},
                 rotation[4] = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w},
                 scale[3] = {u->x_axis.x, u->y_axis.y, u->z_axis.z};
    item_begin(&w->nodes);
    text_add(&w->nodes, "\"name\":");
    tact_buffer_add_json_string(&w->nodes, body->name);
    if (mesh != SIZE_MAX)
        text_add(&w->nodes, ",\"mesh\":%zu", mesh);
    text_add(&w->nodes, ",");
    vec_add(&w->nodes, "translation", translation, 3);
    text_add(&w->nodes, ",");
    vec_add(&w->nodes, "rotation", rotation, 4);
    if (!map && !(scale[0] == 1.0 && scale[1] == 1.0 && scale[2] == 1.0)) {
        text_add(&w->nodes, ",");
        vec_add(&w->nodes, "scale", scale, 3);
    }
    text_add(&w->nodes, "}");
    return motion_add(w, i, body, &frame) && (body->key_count == 0 || keys_add(w, i, body));
}

/* The size of the scene: that of the box around all bounded bodies at the start. */
static void scene_measure(gltf_writer *w)
{
    tact_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < w->run->bodies.count; i++) {
        const run_data_body *const body = &w->run->bodies.items[i];
        if (w->run->shapes.items[body->shape].vertex_count == 0)
            continue;
        const double r = 0.5 * body_size(w, body);
        const tact_vec3 p = body->transform.origin;
        low = tact_vec(fmin(low.x, p.x - r), fmin(low.y, p.y - r), fmin(low.z, p.z - r));
        high = tact_vec(fmax(high.x, p.x + r), fmax(high.y, p.y + r), fmax(high.z, p.z + r));
    }
    const bool found = low.x <= high.x;
    w->center = found ? tact_vec_scale(tact_vec_add(low, high), 0.5) : tact_vec(0.0, 0.0, 0.0);
    w->size = found ? 0.5 * tact_vec_distance(low, high) : 1.0;
}

/* ---- the document ---- */

static void array_add(byte_buffer *to, const char *name, const byte_buffer *items)
{
    text_add(to, ",\n\"%s\":[", name);
    tact_buffer_add(to, items->data, items->size);
    text_add(to, "]");
}

static void materials_add(byte_buffer *to)
{
    text_add(to, ",\n\"materials\":[");
    for (size_t i = 0; i < COLOR_COUNT; i++)
        text_add(to,
                 "%s\n{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%g,%g,%g,1],"
                 "\"metallicFactor\":0,\"roughnessFactor\":0.6}}",
                 i > 0 ? "," : "", colors[i][0], colors[i][1], colors[i][2]);
    text_add(to, "]");
}

/* The document up to the buffer. */
static void document_add(const gltf_writer *w, byte_buffer *json)
{
    text_add(json,
             "{\"asset\":{\"version\":\"2.0\",\"generator\":\"tact %d.%d.%d\"},\n\"scene\":0,\"scenes\":[{\"name\":",
             TACT_VERSION_MAJOR, TACT_VERSION_MINOR, TACT_VERSION_PATCH);
    tact_buffer_add_json_string(json, w->run->title);
    if (w->run->bodies.count > 0) {
        text_add(json, ",\"nodes\":[");
        for (size_t i = 0; i < w->run->bodies.count; i++)
            text_add(json, "%s%zu", i > 0 ? "," : "", i);
        text_add(json, "]");
    }
    text_add(json, "}]");
    if (w->run->bodies.count > 0)
        array_add(json, "nodes", &w->nodes);
    if (w->mesh_count > 0) {
        materials_add(json);
        array_add(json, "meshes", &w->meshes);
    }
    if (w->sampler_count > 0) {
        text_add(json, ",\n\"animations\":[{\"name\":\"run\"");
        array_add(json, "samplers", &w->samplers);
        array_add(json, "channels", &w->channels);
        text_add(json, "}]");
    }
    if (w->accessor_count > 0) {
        array_add(json, "accessors", &w->accessors);
        array_add(json, "bufferViews", &w->views);
        text_add(json, ",\n\"buffers\":[{\"byteLength\":%zu", w->bin.size);
    }
}

static void u32_write(FILE *out, size_t value)
{
    unsigned char bytes[4];
    (void)store_le32(bytes, (uint32_t)value);
    (void)fwrite(bytes, 1, sizeof bytes, out);
}

static bool binary_write(FILE *out, const gltf_writer *w, byte_buffer *json)
{
    text_add(json, w->accessor_count > 0 ? "}]}" : "}");
    while (json->size % 4 != 0 && !json->failed)
        tact_buffer_add(json, " ", 1);
    const size_t bin = w->bin.size > 0 ? 8 + w->bin.size : 0;
    if (json->failed || w->bin.size > UINT32_MAX - 28 - json->size)
        return false;
    (void)fwrite("glTF", 1, 4, out);
    u32_write(out, 2);
    u32_write(out, 12 + 8 + json->size + bin);
    u32_write(out, json->size);
    (void)fwrite("JSON", 1, 4, out);
    (void)fwrite(json->data, 1, json->size, out);
    if (bin > 0) {
        u32_write(out, w->bin.size);
        (void)fwrite("BIN", 1, 4, out);
        (void)fwrite(w->bin.data, 1, w->bin.size, out);
    }
    return true;
}

static bool text_write(FILE *out, const gltf_writer *w, byte_buffer *json)
{
    if (w->accessor_count > 0)
        text_add(json, ",\"uri\":\"data:application/octet-stream;base64,");
    if (json->failed)
        return false;
    (void)fwrite(json->data, 1, json->size, out);
    if (w->accessor_count > 0) {
        tact_base64_write(out, w->bin.data, w->bin.size);
        (void)fputs("\"}]", out);
    }
    (void)fputs("}\n", out);
    return true;
}

static void writer_release(gltf_writer *w)
{
    byte_buffer *const buffers[] = {&w->bin,   &w->accessors, &w->views,   &w->meshes,
                                    &w->nodes, &w->samplers,  &w->channels};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        tact_buffer_release(buffers[i]);
    free(w->shape_positions);
    free(w->shape_indices);
}

static bool writer_failed(const gltf_writer *w)
{
    return w->failed || w->bin.failed || w->accessors.failed || w->views.failed || w->meshes.failed ||
           w->nodes.failed || w->samplers.failed || w->channels.failed;
}

bool tact_export_gltf(FILE *out, const run_data *run, bool binary, double tolerance)
{
    gltf_writer w = {.run = run, .tolerance = tolerance};
    byte_buffer json = {NULL, 0, 0, false};
    const size_t shapes = run->shapes.count > 0 ? run->shapes.count : 1;
    w.shape_positions = malloc(shapes * sizeof *w.shape_positions);
    w.shape_indices = malloc(shapes * sizeof *w.shape_indices);
    w.failed = !w.shape_positions || !w.shape_indices;
    for (size_t i = 0; i < shapes && !w.failed; i++)
        w.shape_positions[i] = w.shape_indices[i] = SIZE_MAX;
    scene_measure(&w);
    bool good = true;
    for (size_t i = 0; i < run->bodies.count && good && !w.failed; i++)
        good = body_add(&w, i);
    if (good) {
        document_add(&w, &json);
        good =
            !writer_failed(&w) && !json.failed && (binary ? binary_write(out, &w, &json) : text_write(out, &w, &json));
        if (!good)
            (void)tact_error_line("%s: cannot be written as glTF: out of memory, or more than 4 GB", run->path);
    }
    tact_buffer_release(&json);
    writer_release(&w);
    return good;
}
