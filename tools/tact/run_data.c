#include "run_data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>

#include "core/little_endian.h"
#include "error_line.h"
#include "run_format.h"

/* Fields of a motion (docs/run_format.md). */
enum { HAS_POSITION = 1, HAS_ROTATION = 2, HAS_VELOCITY = 4, HAS_ACCELERATION = 8, HAS_SPIN = 16, HAS_PIVOT = 32 };
#define ALL_FIELDS 63u

/* Magnitude that a coordinate has at most: floats end there, and squares of doubles are finite. */
#define MAX_COORDINATE 1e100

static const tact_allocator standard = {NULL, NULL};

/* Content of a block, read from its start on. */
typedef struct block_cursor {
    const unsigned char *at;
    size_t left;
    uint32_t count;
} block_cursor;

static bool run_fail(const run_data *run, const char *reason)
{
    (void)tact_error_line("%s: %s", run->path, reason);
    return false;
}

static bool damaged(const run_data *run, const char *reason)
{
    (void)tact_error_line("%s: is damaged: %s", run->path, reason);
    return false;
}

static bool memory_fail(const run_data *run) { return run_fail(run, "cannot be read: out of memory"); }

/* ---- numbers ---- */

static double f32_at(const unsigned char *at)
{
    const uint32_t bits = load_le32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double f64_at(const unsigned char *at)
{
    const uint64_t bits = load_le64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static tact_vec3 vec_f32(const unsigned char *at) { return (tact_vec3){f32_at(at), f32_at(at + 4), f32_at(at + 8)}; }

static tact_vec3 vec_f64(const unsigned char *at) { return (tact_vec3){f64_at(at), f64_at(at + 8), f64_at(at + 16)}; }

static bool is_coordinate(double x) { return fabs(x) <= MAX_COORDINATE; } /* false for NaN */

static bool is_point(tact_vec3 p) { return is_coordinate(p.x) && is_coordinate(p.y) && is_coordinate(p.z); }

tact_vec3 tact_run_data_vertex(const unsigned char *positions, size_t index) { return vec_f32(positions + 12 * index); }

uint32_t tact_run_data_index(const unsigned char *numbers, size_t index) { return load_le32(numbers + 4 * index); }

/* Takes `count` items of `size` bytes from a block; NULL: there are fewer. */
static const unsigned char *block_take(block_cursor *block, uint64_t count, size_t size)
{
    if (count > block->left / size)
        return NULL;
    const unsigned char *const at = block->at;
    block->at += count * size;
    block->left -= (size_t)count * size;
    return at;
}

/* Takes JSON text. */
static json_t *block_json(block_cursor *block, uint64_t size)
{
    const unsigned char *const text = block_take(block, size, 1);
    json_error_t error;
    return text ? json_loadb((const char *)text, (size_t)size, JSON_REJECT_DUPLICATES, &error) : NULL;
}

static bool number_get(const json_t *object, const char *key, double *value)
{
    const json_t *member = json_object_get(object, key);
    if (!json_is_number(member))
        return false;
    *value = json_number_value(member);
    return is_coordinate(*value);
}

/* ---- blocks ---- */

static bool positions_check(const unsigned char *positions, uint32_t count)
{
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        if (!is_coordinate(f32_at(positions + 4 * i)))
            return false;
    return true;
}

static bool shape_read(run_data *run, block_cursor *block)
{
    const unsigned char *const head = block_take(block, 2, 4);
    if (!head)
        return damaged(run, "a block of a shape is too short");
    run_data_shape shape = {.vertex_count = load_le32(head + 4), .triangle_count = block->count};
    shape.info = block_json(block, load_le32(head));
    shape.type = json_string_value(json_object_get(shape.info, "type"));
    shape.positions = block_take(block, shape.vertex_count, 12);
    shape.triangles = block_take(block, shape.triangle_count, 12);
    bool good =
        shape.type && shape.positions && shape.triangles && positions_check(shape.positions, shape.vertex_count);
    for (size_t i = 0; good && i < 3 * (size_t)shape.triangle_count; i++)
        good = tact_run_data_index(shape.triangles, i) < shape.vertex_count;
    if (good && run_data_shape_array_push(&run->shapes, &standard, shape))
        return true;
    json_decref(shape.info);
    return good ? memory_fail(run) : damaged(run, "a shape has wrong vertices or triangles");
}

static bool bodies_read(run_data *run, block_cursor *block)
{
    const unsigned char *const head = block_take(block, 1, 8);
    json_t *list = head ? block_json(block, load_le64(head)) : NULL;
    const unsigned char *const transforms = list ? block_take(block, block->count, 96) : NULL;
    if (list && !run_json_array_push(&run->names, &standard, list)) {
        json_decref(list);
        return memory_fail(run);
    }
    if (!transforms || !json_is_array(list) || json_array_size(list) != block->count)
        return damaged(run, "a block of bodies has a wrong size");
    for (size_t i = 0; i < block->count; i++) {
        const json_t *const item = json_array_get(list, i);
        const unsigned char *const at = transforms + 96 * i;
        run_data_body body = {.name = json_string_value(json_object_get(item, "name")),
                              .transform = {vec_f64(at), vec_f64(at + 24), vec_f64(at + 48), vec_f64(at + 72)}};
        double shape;
        if (!body.name || !number_get(item, "shape", &shape) || !number_get(item, "mass", &body.mass) ||
            !(shape >= 0.0 && shape < (double)run->shapes.count) ||
            tact_transform_check(&body.transform, NULL) != TACT_OK)
            return damaged(run, "a body has no name, no shape or no transform");
        body.shape = (uint32_t)shape;
        if (!run_data_body_array_push(&run->bodies, &standard, body))
            return memory_fail(run);
    }
    return true;
}

/* Columns of a block of motions that are being read. */
typedef struct motion_columns {
    const unsigned char *wide, *narrow;
    size_t wide_left, narrow_left; /* numbers */
} motion_columns;

static bool vec_take(motion_columns *columns, bool is_wide, tact_vec3 *value)
{
    size_t *const left = is_wide ? &columns->wide_left : &columns->narrow_left;
    if (*left < 3)
        return false;
    *left -= 3;
    *value = is_wide ? vec_f64(columns->wide) : vec_f32(columns->narrow);
    *(is_wide ? &columns->wide : &columns->narrow) += is_wide ? 24 : 12;
    return is_point(*value);
}

static bool rotation_take(motion_columns *columns, tact_quat *q)
{
    if (columns->narrow_left < 4)
        return false;
    columns->narrow_left -= 4;
    const unsigned char *const at = columns->narrow;
    *q = (tact_quat){f32_at(at), f32_at(at + 4), f32_at(at + 8), f32_at(at + 12)};
    columns->narrow += 16;
    const double square = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w;
    *q = tact_quat_normalize(*q);
    return square > 0.5 && square < 2.0;
}

/* The rotation by a rotation vector. */
static tact_quat rotation_by(tact_vec3 vector)
{
    const double angle = tact_vec_length(vector);
    if (!(angle > 0.0))
        return tact_quat_identity();
    const double s = sin(0.5 * angle) / angle;
    return (tact_quat){s * vector.x, s * vector.y, s * vector.z, cos(0.5 * angle)};
}

/* Where the pivot and the rotation are at a time. */
static void piece_advance(const run_piece *piece, double time, tact_vec3 *origin, tact_quat *rotation)
{
    const double s = time - piece->time;
    *origin = tact_vec_mul_add(piece->origin, s, tact_vec_mul_add(piece->velocity, 0.5 * s, piece->acceleration));
    *rotation = tact_quat_normalize(tact_quat_multiply(rotation_by(tact_vec_scale(piece->spin, s)), piece->rotation));
}

/* Fills in what the writer has left out: the motion continues the one before, `last` (its index plus 1, 0: none). */
static bool piece_read(run_data *run, motion_columns *columns, uint32_t fields, run_piece *piece, size_t last)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    piece->rotation = tact_quat_identity();
    if (last > 0) {
        const run_piece *const before = &run->pieces.items[last - 1];
        piece_advance(before, piece->time, &piece->origin, &piece->rotation);
        piece->acceleration = before->acceleration;
        piece->pivot = before->pivot;
    }
    piece->velocity = piece->spin = zero;
    return (fields & ~ALL_FIELDS) == 0 && (last > 0 || (fields & HAS_POSITION) != 0) &&
           (!(fields & HAS_POSITION) || vec_take(columns, true, &piece->origin)) &&
           (!(fields & HAS_PIVOT) || vec_take(columns, true, &piece->pivot)) &&
           (!(fields & HAS_ROTATION) || rotation_take(columns, &piece->rotation)) &&
           (!(fields & HAS_VELOCITY) || vec_take(columns, false, &piece->velocity)) &&
           (!(fields & HAS_ACCELERATION) || vec_take(columns, false, &piece->acceleration)) &&
           (!(fields & HAS_SPIN) || vec_take(columns, false, &piece->spin)) && is_point(piece->origin);
}

/* Reads motions in the order of the file. Until they are sorted, `first_piece` of a body is the number of its last
 * motion plus 1. */
static bool motions_read(run_data *run, block_cursor *block)
{
    const unsigned char *const head = block_take(block, 2, 4);
    motion_columns columns = {.wide_left = head ? load_le32(head) : 0, .narrow_left = head ? load_le32(head + 4) : 0};
    const unsigned char *const times = head ? block_take(block, block->count, 8) : NULL;
    columns.wide = times ? block_take(block, columns.wide_left, 8) : NULL;
    const unsigned char *const bodies = columns.wide ? block_take(block, block->count, 4) : NULL;
    const unsigned char *const fields = bodies ? block_take(block, block->count, 4) : NULL;
    columns.narrow = fields ? block_take(block, columns.narrow_left, 4) : NULL;
    if (!columns.narrow)
        return damaged(run, "a block of motions has a wrong size");
    for (size_t i = 0; i < block->count; i++) {
        run_piece piece = {.time = f64_at(times + 8 * i), .body = load_le32(bodies + 4 * i)};
        const double before = run->pieces.count > 0 ? run->pieces.items[run->pieces.count - 1].time : -INFINITY;
        if (piece.body >= run->bodies.count || !is_coordinate(piece.time) || piece.time < before)
            return damaged(run, "a motion has a wrong body or time");
        run_data_body *const body = &run->bodies.items[piece.body];
        if (!piece_read(run, &columns, load_le32(fields + 4 * i), &piece, body->first_piece))
            return damaged(run, "a motion has wrong numbers");
        if (!run_piece_array_push(&run->pieces, &standard, piece))
            return memory_fail(run);
        body->first_piece = run->pieces.count;
        body->piece_count++;
    }
    return true;
}

/* Until key frames are sorted, `first_key` of a body is the number of its last one plus 1. */
static bool key_read(run_data *run, block_cursor *block)
{
    const unsigned char *const head = block_take(block, 2, 8);
    run_key key = {.body = head ? load_le32(head + 8) : RUN_NONE, .time = head ? f64_at(head) : NAN};
    key.positions = head ? block_take(block, block->count, 12) : NULL;
    if (!key.positions || key.body >= run->bodies.count || !is_coordinate(key.time))
        return damaged(run, "a key frame has a wrong body, time or size");
    run_data_body *const body = &run->bodies.items[key.body];
    if (block->count != run->shapes.items[body->shape].vertex_count ||
        (body->first_key > 0 && run->keys.items[body->first_key - 1].time >= key.time) ||
        !positions_check(key.positions, block->count))
        return damaged(run, "a key frame has wrong vertices, or is not later than the one before");
    if (!run_key_array_push(&run->keys, &standard, key))
        return memory_fail(run);
    body->first_key = run->keys.count;
    body->key_count++;
    return true;
}

static bool events_read(run_data *run, block_cursor *block)
{
    const unsigned char *const times = block_take(block, block->count, 8);
    const unsigned char *const kinds = times ? block_take(block, block->count, 4) : NULL;
    const unsigned char *const bodies = kinds ? block_take(block, block->count, 8) : NULL;
    const unsigned char *const points = bodies ? block_take(block, block->count, 28) : NULL;
    const unsigned char *const features = points ? block_take(block, block->count, 16) : NULL;
    if (!features)
        return damaged(run, "a block of events has a wrong size");
    for (size_t i = 0; i < block->count; i++) {
        const uint32_t kind = load_le32(kinds + 4 * i);
        run_event event = {.kind = (run_event_kind)(kind & 0xFFu),
                           .time = f64_at(times + 8 * i),
                           .a = load_le32(bodies + 8 * i),
                           .b = load_le32(bodies + 8 * i + 4),
                           .has_point = (kind & 0x100u) != 0,
                           .point = vec_f32(points + 28 * i),
                           .normal = vec_f32(points + 28 * i + 12),
                           .speed = f32_at(points + 28 * i + 24)};
        for (size_t k = 0; k < 4; k++)
            event.features[k] = load_le32(features + 16 * i + 4 * k);
        const double before = run->events.count > 0 ? run->events.items[run->events.count - 1].time : -INFINITY;
        if (!is_coordinate(event.time) || event.time < before ||
            (event.a >= run->bodies.count && event.a != RUN_NONE) ||
            (event.b >= run->bodies.count && event.b != RUN_NONE) || !tact_run_data_kind_name(event.kind) ||
            (event.has_point && !(is_point(event.point) && is_point(event.normal))))
            return damaged(run, "an event has a wrong kind, body, time or point");
        if (!run_event_array_push(&run->events, &standard, event))
            return memory_fail(run);
    }
    return true;
}

/* ---- the file ---- */

static bool file_load(run_data *run)
{
    errno = 0;
    FILE *file = fopen(run->path, "rb");
    if (!file) {
        (void)tact_error_line("%s: cannot be opened: %s", run->path, strerror(errno));
        return false;
    }
    size_t capacity = 1 << 16;
    run->bytes = malloc(capacity);
    while (run->bytes) {
        run->size += fread(run->bytes + run->size, 1, capacity - run->size, file);
        if (run->size < capacity)
            break;
        unsigned char *const more = capacity <= SIZE_MAX / 2 ? realloc(run->bytes, 2 * capacity) : NULL;
        if (!more)
            free(run->bytes);
        run->bytes = more;
        capacity *= 2;
    }
    const bool bad = ferror(file) != 0;
    const int code = errno;
    (void)fclose(file);
    if (run->bytes && !bad)
        return true;
    (void)tact_error_line("%s: cannot be read: %s", run->path, run->bytes ? strerror(code) : "out of memory");
    return false;
}

static bool header_read(run_data *run, block_cursor *file)
{
    const unsigned char *const head = block_take(file, RUN_HEAD_SIZE, 1);
    if (!head || memcmp(head, RUN_MAGIC, RUN_MAGIC_SIZE) != 0)
        return run_fail(run, "is not a run: tact run, play, ccd and check write one with --save");
    if (load_le32(head + RUN_MAGIC_SIZE) != RUN_VERSION)
        return run_fail(run, "has another version of the format: write it again with this version of tact");
    if (load_le32(head + RUN_MAGIC_SIZE + 4) > file->left)
        return run_fail(run, "is truncated");
    run->header = block_json(file, load_le32(head + RUN_MAGIC_SIZE + 4));
    run->title = json_string_value(json_object_get(run->header, "title"));
    run->command = json_string_value(json_object_get(run->header, "command"));
    if (!run->title || !run->command || !number_get(run->header, "start", &run->start) ||
        !number_get(run->header, "end", &run->end) || run->end < run->start)
        return damaged(run, "its header is wrong");
    return true;
}

static bool blocks_read(run_data *run, block_cursor *file)
{
    static const struct {
        char type[5];
        bool (*read)(run_data *run, block_cursor *block);
    } types[] = {
        {"SHAP", shape_read}, {"BODY", bodies_read}, {"MOTN", motions_read}, {"KEYS", key_read}, {"EVNT", events_read}};
    for (;;) {
        const unsigned char *const head = block_take(file, RUN_BLOCK_HEAD_SIZE, 1);
        if (!head || load_le64(head + 8) > file->left)
            return run_fail(run, "is truncated");
        block_cursor block = {NULL, (size_t)load_le64(head + 8), load_le32(head + 4)};
        block.at = block_take(file, block.left, 1);
        if (memcmp(head, "DONE", 4) == 0)
            return file->left == 0 || damaged(run, "something follows its end");
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (memcmp(head, types[i].type, 4) == 0 && !types[i].read(run, &block))
                return false;
    }
}

/* Sorts motions and key frames by body; those of a body keep their order. */
static bool pieces_sort(run_data *run)
{
    run_piece_array pieces = {0};
    run_key_array keys = {0};
    if (!run_piece_array_resize(&pieces, &standard, run->pieces.count) ||
        !run_key_array_resize(&keys, &standard, run->keys.count)) {
        run_piece_array_release(&pieces, &standard);
        return memory_fail(run);
    }
    size_t piece = 0, key = 0;
    for (size_t i = 0; i < run->bodies.count; i++) {
        run_data_body *const body = &run->bodies.items[i];
        body->first_piece = piece;
        body->first_key = key;
        piece += body->piece_count;
        key += body->key_count;
        body->piece_count = body->key_count = 0;
    }
    for (size_t i = 0; i < run->pieces.count; i++) {
        run_data_body *const body = &run->bodies.items[run->pieces.items[i].body];
        pieces.items[body->first_piece + body->piece_count++] = run->pieces.items[i];
    }
    for (size_t i = 0; i < run->keys.count; i++) {
        run_data_body *const body = &run->bodies.items[run->keys.items[i].body];
        keys.items[body->first_key + body->key_count++] = run->keys.items[i];
    }
    run_piece_array_release(&run->pieces, &standard);
    run_key_array_release(&run->keys, &standard);
    run->pieces = pieces;
    run->keys = keys;
    return true;
}

bool tact_run_data_open(run_data *run, const char *path)
{
    *run = (run_data){.path = path};
    bool good = file_load(run);
    block_cursor file = {run->bytes, run->size, 0};
    good = good && header_read(run, &file) && blocks_read(run, &file) && pieces_sort(run);
    if (!good)
        tact_run_data_close(run);
    return good;
}

void tact_run_data_close(run_data *run)
{
    for (size_t i = 0; i < run->shapes.count; i++)
        json_decref(run->shapes.items[i].info);
    for (size_t i = 0; i < run->names.count; i++)
        json_decref(run->names.items[i]);
    json_decref(run->header);
    run_data_shape_array_release(&run->shapes, &standard);
    run_data_body_array_release(&run->bodies, &standard);
    run_piece_array_release(&run->pieces, &standard);
    run_key_array_release(&run->keys, &standard);
    run_event_array_release(&run->events, &standard);
    run_json_array_release(&run->names, &standard);
    free(run->bytes);
    run->bytes = NULL;
}

/* ---- poses ---- */

tact_transform tact_run_data_follow(const run_data_body *body, const run_piece *piece, double time)
{
    if (!piece)
        return body->transform;
    tact_vec3 origin;
    tact_quat rotation;
    piece_advance(piece, time, &origin, &rotation);
    tact_transform at = {tact_quat_rotate(rotation, body->transform.x_axis),
                         tact_quat_rotate(rotation, body->transform.y_axis),
                         tact_quat_rotate(rotation, body->transform.z_axis),
                         {0.0, 0.0, 0.0}};
    at.origin = tact_vec_sub(origin, tact_transform_vector(at, piece->pivot));
    return at;
}

tact_transform tact_run_data_pose(const run_data *run, size_t body, double time)
{
    const run_data_body *const b = &run->bodies.items[body];
    const run_piece *const pieces = b->piece_count > 0 ? run->pieces.items + b->first_piece : NULL;
    size_t low = 0, high = b->piece_count; /* the motions before `low` have begun, those from `high` on have not */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pieces[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return tact_run_data_follow(b, low > 0 ? &pieces[low - 1] : NULL, time);
}

const char *tact_run_data_kind_name(run_event_kind kind)
{
    static const char *const names[] = {
        [RUN_EVENT_TOUCH] = "touch",
        [RUN_EVENT_BEGIN] = "begin",
        [RUN_EVENT_END] = "end",
        [RUN_EVENT_SLEEP] = "sleep",
        [RUN_EVENT_WAKE] = "wake",
        [RUN_EVENT_CRUSHED] = "crushed",
        [RUN_EVENT_VERTEX_FACE] = "vertex-face",
        [RUN_EVENT_EDGE_EDGE] = "edge-edge",
        [RUN_EVENT_INTERSECTION] = "intersection",
        [RUN_EVENT_SEGMENT] = "segment",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}
