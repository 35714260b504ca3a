/*
 * Calls as blocks: docs/record.md has the layout. One table lists all calls; writing, reading, names and replay follow
 * it.
 *
 * To record a new call, add its type and its arguments to world/call_observer.h and a row to CALLS.
 *
 * Only calls that succeeded are recorded. A replay makes them through the public functions, which check all arguments:
 * whatever the bytes are, they cannot do more to a world than its caller can.
 */
#include "record/call_blocks.h"

#include <string.h>
#include <tact/nurbs.h>

#include "core/hash.h"
#include "core/little_endian.h"
#include "record/animation_blocks.h"
#include "shape/mesh.h"

_Static_assert(sizeof(tact_broad_phase) == 4 && sizeof(tact_kinetic) == 4 && sizeof(tact_deforming_engine) == 4 &&
                   sizeof(tact_status) == 4 && sizeof(tact_event_kind) == 4,
               "enums are u32");
_Static_assert(sizeof(tact_inertia) == 48 && sizeof(tact_bounce_def) == 24, "structs of equal numbers");
_Static_assert(offsetof(tact_body_def, deformable) == offsetof(tact_body_def, rotation_invariant_bounds) + 1 &&
                   offsetof(tact_body_def, self_collision) == offsetof(tact_body_def, deformable) + 1,
               "flags of one word");

/* ---- arguments ---- */

static const record_field transform_fields[] = {FIELD_F64S(12), {0}};
static const record_field motion_fields[] = {FIELD_F64S(9), {0}};
static const record_field event_fields[] = {
    FIELD_U32(tact_event, kind), FIELD_U32(tact_event, status), FIELD_F64(tact_event, time),   FIELD_U32(tact_event, a),
    FIELD_U32(tact_event, b),    FIELD_F64(tact_event, point),  FIELD_F64(tact_event, normal), {0},
};
static const record_field features_fields[] = {
    FIELD_U32(tact_event_features, kind),
    FIELD_U32(tact_event_features, a),
    FIELD_U32(tact_event_features, b),
    FIELD_U32(tact_event_features, vertices),
    FIELD_STRUCT(tact_event_features, ccd, tact_ccd_fields),
    FIELD_U32(tact_event_features, part_a),
    FIELD_U32(tact_event_features, part_b),
    {0},
};
static const record_field play_fields[] = {
    FIELD_F64(tact_play_def, offset), FIELD_F64(tact_play_def, speed), FIELD_BOOL(tact_play_def, loop), {0}};
static const record_field bounce_fields[] = {FIELD_F64(tact_bounce_def, restitution),
                                             FIELD_F64(tact_bounce_def, friction),
                                             FIELD_F64(tact_bounce_def, rolling_friction),
                                             {0}};
static const record_field material_fields[] = {FIELD_F64S(3), {0}};
static const record_field mass_fields[] = {
    FIELD_F64(tact_mass, mass), FIELD_F64(tact_mass, centre), FIELD_F64(tact_mass, inertia), {0}};
static const record_field moving_plan_fields[] = {
    FIELD_MOTION(tact_motion_plan, motion), {.encoding = ENCODING_STRUCT, .fields = tact_motion_plan_fields}, {0}};

static const record_field body_fields[] = {FIELD_U32S(2), {0}};
static const record_field face_fields[] = {FIELD_U32S(1), {0}};
static const record_field corner_fields[] = {FIELD_U32S(3), {0}};
static const record_field position_fields[] = {FIELD_F64S(3), {0}};
/* Before CONTACT_VERSION that was all. */
#define OLD_BODY_DEF_FIELDS                                                                                            \
    FIELD_SHAPE(tact_body_def, shape),                                                                                 \
        FIELD_FLAGS(tact_body_def, rotation_invariant_bounds, 3), /* and deformable, self_collision */                 \
        FIELD_U32(tact_body_def, class_id), FIELD_ZERO, FIELD_U64(tact_body_def, category),                            \
        FIELD_U64(tact_body_def, mask), FIELD_POINTER(tact_body_def, user, TACT_POINTER_USER),                         \
        FIELD_F64(tact_body_def, transform), FIELD_MOTION(tact_body_def, motion)
static const record_field old_body_def_fields[] = {OLD_BODY_DEF_FIELDS, {0}};
static const record_field body_def_fields[] = {
    OLD_BODY_DEF_FIELDS, FIELD_F64(tact_body_def, density), FIELD_F64(tact_body_def, material), {0}};

/* clang-format off */
#define POINTED(member, table) {FIELD_AT(world_call, member), .encoding = ENCODING_POINTED, \
                                .fields = (table), .storage = offsetof(replayed_call, member)}
#define OPTIONAL(member, table) {FIELD_AT(world_call, member), .encoding = ENCODING_OPTIONAL, \
                                 .fields = (table), .storage = offsetof(replayed_call, member)}
#define COLUMN(member, table) {offsetof(world_call, member), sizeof *((world_call *)0)->member, (table)}

#define BODY FIELD_U32(world_call, body)
#define OTHER FIELD_U32(world_call, other)
#define TRANSFORM POINTED(transform, transform_fields)
#define MOTION POINTED(motion, motion_fields)
#define SHAPE FIELD_SHAPE(world_call, shape)
#define CATEGORY FIELD_U64(world_call, category)
#define MASK FIELD_U64(world_call, mask)
#define CLASS_A FIELD_U32(world_call, class_a)
#define CLASS_B FIELD_U32(world_call, class_b)
#define USER FIELD_POINTER(world_call, user, TACT_POINTER_USER)
#define RESPONSE OPTIONAL(response, tact_response_fields)
#define SETTING FIELD_U32(world_call, setting)
#define SWITCH FIELD_BITS(world_call, setting, 1u)
#define STATUS FIELD_U32(world_call, status)
#define CONTACT_COUNT FIELD_U64(world_call, contact_count)
#define FIRST FIELD_U32(world_call, first)
#define TIME FIELD_F64(world_call, time)
#define EVENT POINTED(event, event_fields)
#define BOUNCE POINTED(bounce, bounce_fields)
#define MATERIAL POINTED(material, material_fields)
#define MASS OPTIONAL(mass, mass_fields)
#define PLAN POINTED(motion_plan, moving_plan_fields)
#define ANIMATION FIELD_ANIMATION(world_call, animation)
#define PLAY POINTED(play, play_fields)
#define BODIES COLUMN(bodies, body_fields)
#define DEFS COLUMN(defs, body_def_fields)
#define FACES COLUMN(faces, face_fields)
#define CORNERS COLUMN(indices, corner_fields)
#define POSITIONS COLUMN(positions, position_fields)
/* clang-format on */

/* ---- functions for the table ---- */

/* Creates bodies and compares their handles with the recorded ones. */
static tact_status create_bodies(record_reader *reader, tact_world *world, const world_call *c, tact_report *report)
{
    tact_body *bodies = tact_reader_allocate(reader, c->count, sizeof *bodies);
    if (bodies == NULL)
        return TACT_OUT_OF_MEMORY;
    const tact_status status = tact_body_create_many(world, c->defs, c->count, bodies, NULL);
    for (size_t i = 0; status == TACT_OK && i < c->count; ++i)
        if (bodies[i].index != c->bodies[i].index || bodies[i].generation != c->bodies[i].generation)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "the new body is (%lu %lu), not (%lu %lu) as recorded",
                                    (unsigned long)bodies[i].index, (unsigned long)bodies[i].generation,
                                    (unsigned long)c->bodies[i].index, (unsigned long)c->bodies[i].generation);
    return status;
}

/* A motion without pivot, and the pivot that follows it, if there is one. */
static bool add_pivot(const world_call *c, tact_motion *motion)
{
    if (c->count == 1)
        motion->pivot = c->positions[0];
    return c->count <= 1;
}

static tact_status set_motion(tact_world *world, const world_call *c)
{
    tact_motion motion = *c->motion;
    return add_pivot(c, &motion) ? tact_body_set_motion(world, c->body, motion) : TACT_BAD_ARGUMENT;
}

static tact_status set_motion_plan(tact_world *world, const world_call *c)
{
    tact_motion_plan plan = *c->motion_plan;
    return add_pivot(c, &plan.motion) ? tact_body_set_motion_plan(world, c->body, &plan) : TACT_BAD_ARGUMENT;
}

/* Deforms a range of vertices. The function reads only these from the array. */
static tact_status deform_body(record_reader *reader, tact_world *world, const world_call *c)
{
    const size_t count = tact_body_get_vertices(world, c->body, NULL, 0);
    if (c->first > count || c->count > count - c->first)
        return TACT_BAD_ARGUMENT;
    tact_vec3 *vertices = tact_reader_allocate(reader, c->first + c->count, sizeof *vertices);
    if (vertices == NULL)
        return TACT_OUT_OF_MEMORY;
    memcpy(vertices + c->first, c->positions, c->count * sizeof *vertices);
    const tact_vertices range = {vertices, c->first + c->count, 0, TACT_SCALAR_DOUBLE};
    return tact_body_deform_from(world, c->body, &range, c->first, c->count);
}

/* Sets the contact callback of a class, two classes, a body or a pair, or resets it. */
#define SET_OR_RESET(object, ...)                                                                                      \
    (c->response != NULL ? object##_set_contact_callback(__VA_ARGS__, *c->response)                                    \
                         : object##_reset_contact_callback(__VA_ARGS__))

/* ---- all calls ---- */

/*
 * A row each:
 *     ROW(type, function, arguments, fields)           a replay calls the function with these arguments
 *     ROW_AS(type, name, expression, fields, items)    a replay evaluates the expression
 *     ROW_PART(type, name, fields)                     a part of a test or of tact_world_next_event: see replay.c
 * The name is that of the public function. Fields and items are members of the world_call `c`. There are c->count
 * items, and they fill the rest of the block.
 */
/* clang-format off */
#define CALLS(ROW, ROW_AS, ROW_PART)                                                                                   \
    ROW_AS(CALL_CREATE, tact_body_create, create_bodies(reader, world, c, report), (NONE), (BODIES, DEFS))             \
    ROW_AS(CALL_REMOVE, tact_body_remove, tact_body_remove_many(world, c->bodies, c->count), (NONE), (BODIES))         \
    ROW(CALL_SET_TRANSFORM, tact_body_set_transform, (world, c->body, *c->transform), (BODY, TRANSFORM))               \
    ROW_AS(CALL_SET_MOTION, tact_body_set_motion, set_motion(world, c), (BODY, MOTION), (POSITIONS))                           \
    ROW(CALL_SET_SHAPE, tact_body_set_shape, (world, c->body, c->shape), (BODY, SHAPE))                                \
    ROW(CALL_SET_FILTER, tact_body_set_filter, (world, c->body, c->category, c->mask), (BODY, CATEGORY, MASK))         \
    ROW(CALL_SET_CLASS, tact_body_set_class, (world, c->body, c->class_a), (BODY, CLASS_A))                            \
    ROW(CALL_SET_USER, tact_body_set_user, (world, c->body, c->user), (BODY, USER))                                    \
    ROW_AS(CALL_SET_WORLD_CALLBACK, tact_world_set_contact_callback,                                                   \
           c->response != NULL ? tact_world_set_contact_callback(world, *c->response) : TACT_BAD_ARGUMENT,             \
           (RESPONSE), (NONE))                                                                                         \
    ROW_AS(CALL_SET_CLASS_CALLBACK, tact_class_set_contact_callback, SET_OR_RESET(tact_class, world, c->class_a),      \
           (CLASS_A, RESPONSE), (NONE))                                                                                \
    ROW_AS(CALL_SET_CLASSES_CALLBACK, tact_classes_set_contact_callback,                                               \
           SET_OR_RESET(tact_classes, world, c->class_a, c->class_b), (CLASS_A, CLASS_B, RESPONSE), (NONE))            \
    ROW_AS(CALL_SET_BODY_CALLBACK, tact_body_set_contact_callback, SET_OR_RESET(tact_body, world, c->body),            \
           (BODY, RESPONSE), (NONE))                                                                                   \
    ROW_AS(CALL_SET_PAIR_CALLBACK, tact_pair_set_contact_callback, SET_OR_RESET(tact_pair, world, c->body, c->other),  \
           (BODY, OTHER, RESPONSE), (NONE))                                                                            \
    ROW(CALL_SET_BROAD_PHASE, tact_world_set_broad_phase, (world, (tact_broad_phase)c->setting), (SETTING))            \
    ROW(CALL_SET_CACHING, tact_world_set_caching, (world, c->setting != 0), (SWITCH))                                  \
    ROW(CALL_STORE_PREVIOUS, tact_world_store_previous, (world), (NONE))                                               \
    ROW_AS(CALL_RELEASE, tact_world_release, (tact_world_release(world), TACT_OK), (NONE), (NONE))                     \
    ROW_PART(CALL_TEST, tact_world_test, (NONE), (NONE))                                                                       \
    ROW_PART(CALL_TEST_END, tact_world_test, (STATUS, CONTACT_COUNT), (NONE))                                                  \
    ROW_PART(CALL_TEST_FAILED, tact_world_test, (SWITCH), (NONE))                                                              \
    ROW_AS(CALL_DEFORM, tact_body_deform, deform_body(reader, world, c), (BODY, FIRST), (POSITIONS))                   \
    ROW(CALL_MAKE_DEFORMABLE, tact_body_make_deformable, (world, c->body), (BODY))                                     \
    ROW_AS(CALL_CHANGE_FACES, tact_body_change_faces,                                                                  \
           tact_body_change_faces(world, c->body, c->faces, c->indices, c->count), (BODY), (FACES, CORNERS))           \
    ROW_AS(CALL_ADD_VERTICES, tact_body_add_vertices, tact_body_add_vertices(world, c->body, c->positions, c->count),  \
           (BODY), (POSITIONS))                                                                                        \
    ROW_PART(CALL_NEXT_EVENT, tact_world_next_event, (TIME), (NONE))                                                           \
    ROW_PART(CALL_NEXT_EVENT_END, tact_world_next_event, (EVENT), (NONE))                                                      \
    ROW_PART(CALL_MOTION_CALLBACK, tact_world_next_event, (TRANSFORM, PLAN), (POSITIONS))                                           \
    ROW(CALL_SYNC_TRANSFORMS, tact_world_sync_transforms, (world), (NONE))                                             \
    ROW(CALL_BOUNCE, tact_world_bounce_with, (world, c->event, c->bounce), (EVENT, BOUNCE))                            \
    ROW(CALL_SET_CONTACT_STEP, tact_world_set_contact_step, (world, c->time), (TIME))                                        \
    ROW(CALL_SET_MASS, tact_body_set_mass_with, (world, c->body, c->mass), (BODY, MASS))                               \
    ROW_AS(CALL_SET_MOTION_PLAN, tact_body_set_motion_plan, set_motion_plan(world, c), (BODY, PLAN), (POSITIONS))               \
    ROW(CALL_SET_POLL_INTERVAL, tact_body_set_poll_interval, (world, c->body, c->time), (BODY, TIME))                  \
    ROW(CALL_SET_KINETIC, tact_world_set_kinetic, (world, (tact_kinetic)c->setting), (SETTING))                        \
    ROW(CALL_SET_SELF_COLLISION, tact_body_set_self_collision, (world, c->body, c->setting != 0), (BODY, SWITCH))      \
    ROW(CALL_PLAY, tact_body_play, (world, c->body, c->animation, c->play), (BODY, ANIMATION, PLAY))                   \
    ROW(CALL_SET_VERTEX_MOTION, tact_body_set_vertex_motion, (world, c->body, c->vertex_motion), (BODY))               \
    ROW(CALL_STOP_VERTICES, tact_body_stop_vertices, (world, c->body), (BODY))                                         \
    ROW(CALL_SET_FEATURE_EVENTS, tact_body_set_feature_events, (world, c->body, c->setting != 0), (BODY, SWITCH))      \
    ROW(CALL_SET_DEFORMING_ENGINE, tact_world_set_deforming_engine, (world, (tact_deforming_engine)c->setting),        \
        (SETTING))                                                                                                     \
    ROW_AS(CALL_MOVE_CONTROL_POINTS, tact_body_move_control_points,                                                    \
           tact_body_move_control_points(world, c->body, c->first, c->count, c->positions), (BODY, FIRST),             \
           (POSITIONS))                                                                                                \
    ROW_AS(CALL_SET_GRAVITY, tact_world_set_gravity,                                                                   \
           c->count == 1 ? tact_world_set_gravity(world, c->positions[0]) : TACT_BAD_ARGUMENT, (NONE), (POSITIONS))    \
    ROW(CALL_SET_SLEEPING, tact_world_set_sleeping, (world, c->setting != 0), (SWITCH))                                \
    ROW(CALL_WAKE, tact_body_wake, (world, c->body), (BODY))                                                           \
    ROW(CALL_SET_MATERIAL, tact_body_set_material, (world, c->body, *c->material), (BODY, MATERIAL))              \
    ROW(CALL_SET_CONTACT_EVENTS, tact_world_set_contact_events, (world, c->setting != 0), (SWITCH))                    \
    ROW(CALL_SET_REACH, tact_body_set_reach, (world, c->body, c->time), (BODY, TIME))

#define UNWRAP(...) __VA_ARGS__
#define NONE {0}

/* Defines make_<type>, which makes the call `c` in `world`. */
#define MAKE_AS(type, name, expression, fields, items)                                                                 \
    static tact_status make_##type(record_reader *reader, tact_world *world, const world_call *c, tact_report *report) \
    {                                                                                                                  \
        (void)reader, (void)report, (void)c;                                                                           \
        return expression;                                                                                             \
    }
#define MAKE(type, function, arguments, fields) MAKE_AS(type, function, function arguments, fields, (NONE))
#define MAKE_NOTHING(type, name, fields, items)
CALLS(MAKE, MAKE_AS, MAKE_NOTHING)

typedef struct call_row {
    const char *name;
    /* NULL for ROW_PART */
    tact_status (*make)(record_reader *reader, tact_world *world, const world_call *c, tact_report *report);
    record_field fields[4];
    record_column items[3];
} call_row;

#define ENTRY_AS(type, name, expression, fields, items)                                                                \
    [type] = {#name, make_##type, {UNWRAP fields, {0}}, {UNWRAP items, {0}}},
#define ENTRY(type, name, arguments, fields) ENTRY_AS(type, name, arguments, fields, (NONE))
#define ENTRY_PART(type, name, fields, items) [type] = {#name, NULL, {UNWRAP fields, {0}}, {UNWRAP items, {0}}},
static const call_row call_rows[CALL_LAST + 1] = {CALLS(ENTRY, ENTRY_AS, ENTRY_PART)};
/* clang-format on */

/* Before CONTACT_VERSION: creations end without density and material, impacts without rolling friction. */
static const record_column old_create_items[] = {BODIES, COLUMN(defs, old_body_def_fields), {0}};
static const record_field old_bounce_fields[] = {
    FIELD_F64(tact_bounce_def, restitution), FIELD_F64(tact_bounce_def, friction), {0}};
static const record_field old_bounce_call_fields[] = {EVENT, POINTED(bounce, old_bounce_fields), {0}};

/* The row of a block; NULL: it is no call. */
static const call_row *row_of(uint32_t block_type)
{
    const uint32_t type = block_type - BLOCK_CALL;
    return type <= CALL_LAST && call_rows[type].name != NULL ? &call_rows[type] : NULL;
}

const char *tact_call_name(uint32_t block_type)
{
    const call_row *row = row_of(block_type);
    return row != NULL ? row->name : NULL;
}

bool tact_call_is_simple(uint32_t block_type)
{
    const call_row *row = row_of(block_type);
    return row != NULL && row->make != NULL;
}

/* ---- writing ---- */

/* The vertices of CALL_DEFORM, which are in an array of the caller. */
static void put_vertices(record_writer *w, const world_call *c)
{
    unsigned char *to = tact_writer_reserve(w, c->count, sizeof(tact_vec3));
    for (size_t i = 0; to != NULL && i < c->count; ++i) {
        const tact_vec3 vertex = tact_vertices_get(c->vertices, c->first + i);
        to = tact_fields_store(to, &vertex, position_fields);
    }
}

/* Whether an event has features: their bytes are not all zero. */
static bool has_features(const tact_event *e)
{
    unsigned char bytes[EVENT_MAX_SIZE - EVENT_SIZE], any = 0;
    (void)tact_fields_store(bytes, &e->features, features_fields);
    for (size_t i = 0; i < sizeof bytes; ++i)
        any |= bytes[i];
    return any != 0;
}

void tact_writer_put_call(record_writer *w, const world_call *c)
{
    const call_row *row = &call_rows[c->type];
    if (!tact_writer_put_references(w, c, row->fields))
        return;
    for (size_t i = 0; c->defs != NULL && i < c->count; ++i)
        if (!tact_writer_put_references(w, &c->defs[i], body_def_fields))
            return;
    tact_writer_open(w, BLOCK_CALL + (uint32_t)c->type);
    tact_writer_put(w, c, row->fields);
    if (c->type == CALL_NEXT_EVENT_END && has_features(c->event))
        tact_writer_put(w, &c->event->features, features_fields);
    if (c->vertex_motion != NULL)
        tact_writer_put_vertex_motion(w, c->vertex_motion, (uint32_t)c->count);
    if (c->vertices != NULL)
        put_vertices(w, c);
    else if (row->items[0].fields != NULL)
        tact_writer_put_items(w, c, row->items, c->count);
    tact_writer_close(w);
}

/* ---- reading ---- */

bool tact_reader_get_call(record_reader *r, replayed_call *call)
{
    const call_row *row = row_of(r->type);
    const bool old = r->version < CONTACT_VERSION;
    const record_field *fields = old && row == &call_rows[CALL_BOUNCE] ? old_bounce_call_fields : row->fields;
    const record_column *items = old && row == &call_rows[CALL_CREATE] ? old_create_items : row->items;
    *call = (replayed_call){0};
    bool ok = tact_reader_get(r, call, fields);
    if (ok && items[0].fields != NULL) {
        call->call.count = (r->end - r->position) / tact_columns_size(items);
        ok = tact_reader_get_items(r, call, items, call->call.count);
    }
    if (ok && row == &call_rows[CALL_SET_VERTEX_MOTION]) {
        ok = tact_reader_get_vertex_motion(r, &call->vertex_motion);
        call->call.vertex_motion = &call->vertex_motion;
    }
    return ok && tact_reader_close(r);
}

call_result tact_reader_make_call(record_reader *r, tact_world *world, tact_report *report)
{
    const call_row *row = row_of(r->type);
    replayed_call call;
    if (row == NULL || row->make == NULL) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu instead of a call", (unsigned long)r->type);
        return CALL_FAILED;
    }
    (void)tact_report_clear(report);
    call_result result = CALL_FAILED;
    if (tact_reader_get_call(r, &call)) {
        /* a rest time, which old recordings set, has no meaning any more */
        const bool is_void = r->version < CONTACT_VERSION && row == &call_rows[CALL_SET_CONTACT_STEP];
        const tact_status status = is_void ? TACT_OK : row->make(r, world, &call.call, report);
        result = status == TACT_OK ? CALL_MADE : status == TACT_OUT_OF_MEMORY ? CALL_FAILED : CALL_DIVERGED;
        if (result == CALL_FAILED)
            (void)tact_reader_fail(r, status, "out of memory for a call");
        else if (result == CALL_DIVERGED && report->status == TACT_OK)
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the call failed (%s)", tact_status_text(status));
    }
    tact_reader_free_arrays(r);
    return result;
}

/* ---- contacts and events ---- */

static const record_field contact_fields[] = {
    FIELD_U32(tact_contact, want),   FIELD_U32(tact_contact, status), FIELD_U32(tact_contact, a),
    FIELD_U32(tact_contact, b),      FIELD_F64(tact_contact, point),  FIELD_F64(tact_contact, on_a),
    FIELD_F64(tact_contact, on_b),   FIELD_F64(tact_contact, normal), FIELD_F64(tact_contact, depth),
    FIELD_U32(tact_contact, part_a), FIELD_U32(tact_contact, part_b), {0},
};

static uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_add(hash, bits);
}

static uint64_t hash_vec(uint64_t hash, tact_vec3 v)
{
    return hash_double(hash_double(hash_double(hash, v.x), v.y), v.z);
}

static uint64_t hash_u32s(uint64_t hash, uint32_t a, uint32_t b) { return hash_add(hash, (uint64_t)a << 32 | b); }

/* Old recordings have no feature ids. */
static uint64_t hash_manifold(const tact_manifold *m, bool with_features)
{
    uint64_t hash = hash_u32s(hash_add(0, (uint64_t)m->count), (uint32_t)m->status, (uint32_t)m->state);
    hash = hash_double(hash_vec(hash, m->normal), m->depth);
    for (int i = 0; i < m->count; ++i) {
        const tact_manifold_point *p = &m->points[i];
        hash = hash_double(hash_vec(hash_vec(hash, p->on_a), p->on_b), p->depth);
        hash = hash_u32s(hash, p->part_a.leaf, p->part_a.face);
        hash = hash_u32s(hash, p->part_b.leaf, p->part_b.face);
        if (with_features)
            hash = hash_u32s(hash, p->feature_a, p->feature_b);
    }
    return hash;
}

static uint64_t hash_points(const tact_contact_point *points, size_t count)
{
    uint64_t hash = hash_add(0, count);
    for (size_t i = 0; i < count; ++i) {
        const tact_contact_point *p = &points[i];
        hash = hash_double(hash_vec(hash_vec(hash_vec(hash, p->on_a), p->on_b), p->normal), p->depth);
        hash = hash_u32s(hash, p->part_a.leaf, p->part_a.face);
        hash = hash_u32s(hash, p->part_b.leaf, p->part_b.face);
        hash = hash_u32s(hash, p->feature_a, p->feature_b);
    }
    return hash;
}

static uint64_t hash_intersections(const tact_intersection *intersections, size_t count)
{
    uint64_t hash = hash_add(0, count);
    for (size_t i = 0; i < count; ++i) {
        const tact_intersection *s = &intersections[i];
        hash = hash_vec(hash_vec(hash, s->from), s->to);
        hash = hash_u32s(hash, s->part_a.leaf, s->part_a.face);
        hash = hash_u32s(hash, s->part_b.leaf, s->part_b.face);
        hash = hash_u32s(hash, s->facet_a, s->facet_b);
        hash = hash_u32s(hash, s->edge[0], s->edge[1]);
        hash = hash_u32s(hash, (uint32_t)s->type, (uint32_t)s->edge_of_b);
    }
    return hash;
}

void tact_contact_encode(const tact_contact *c, bool with_phase, unsigned char bytes[CONTACT_SIZE])
{
    uint64_t hash = 0;
    if (c->phase == TACT_PHASE_END)
        hash = 0; /* no data */
    else if (c->manifold != NULL)
        hash = hash_manifold(c->manifold, with_phase);
    else if (c->want == TACT_INTERSECTIONS)
        hash = hash_intersections(c->intersections, c->intersection_count);
    else if (c->want == TACT_CONTACT_POINTS)
        hash = hash_points(c->points, c->point_count);
    (void)store_le64(tact_fields_store(bytes, c, contact_fields), hash);
    if (with_phase)
        bytes[CONTACT_PHASE] = (unsigned char)(1 + (int)c->phase);
}

/* What is missing is zero, or parts, which old recordings do not have. */
bool tact_event_is_recorded(const tact_event *e, const unsigned char *bytes, size_t size)
{
    unsigned char now[EVENT_MAX_SIZE], any = 0;
    (void)tact_fields_store(tact_fields_store(now, e, event_fields), &e->features, features_fields);
    for (size_t i = size; i < EVENT_FEATURES_SIZE; ++i)
        any |= now[i];
    return any == 0 && memcmp(now, bytes, size) == 0;
}
