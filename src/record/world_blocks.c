/*
 * A world as blocks: docs/record.md has the layout.
 *
 * Hash tables and the broad phase have orders of their own. Their contents are written sorted, so that equal worlds
 * give equal bytes: a world that is saved, restored and saved again gives the same bytes, if a pointer map is used or
 * all pointers are NULL.
 */
#include "record/world_blocks.h"

#include <string.h>

#include "advance/advance_state.h"
#include "core/heap.h"
#include "record/animation_blocks.h"
#include "record/contact_blocks.h"
#include "record/deforming_blocks.h"
#include "record/fields.h"
#include "record/prediction_blocks.h"
#include "record/record_constants.h"
#include "record/shape_blocks.h"
#include "record/surface_blocks.h"
#include "world/world_state.h"

ARRAY_OF(body_array, body_state);
ARRAY_OF(body_time_array, body_time_state);
ARRAY_OF(plan_array, vertex_plan *);
ARRAY_OF(point_array, tact_vec3);

_Static_assert(sizeof(sym3) == 48 && sizeof(vertex_range) == 8, "structs of equal numbers");
_Static_assert(sizeof(tact_broad_phase) == 4 && sizeof(tact_kinetic) == 4, "enums are u32");

/* ---- lists ---- */

typedef union list_item {
    index_state index;
    response_state response;
    axis_state axis;
    touch_state touch;
    reported_state reported;
} list_item;

static const record_field index_fields[] = {FIELD_U32(index_state, index),
                                            FIELD_U32(index_state, generation),
                                            FIELD_BITS(index_state, flags, STATE_MOVED),
                                            {0}};
static const record_field response_fields[] = {FIELD_U32(response_state, one),
                                               FIELD_U32(response_state, two),
                                               FIELD_STRUCT(response_state, response, tact_response_fields),
                                               {0}};
static const record_field axis_fields[] = {
    FIELD_U32(axis_state, one), FIELD_U32(axis_state, two), FIELD_U64(axis_state, data), {0}};
static const record_field touch_fields[] = {FIELD_U32(touch_state, a),
                                            FIELD_U32(touch_state, b),
                                            FIELD_U32(touch_state, flags),
                                            FIELD_U32(touch_state, reported_count),
                                            FIELD_U32(touch_state, uncertain_count),
                                            FIELD_F64(touch_state, reported_at),
                                            FIELD_F64(touch_state, next_poll),
                                            {0}};

static const record_field reported_fields[] = {FIELD_U32(reported_state, a), FIELD_U32(reported_state, b), {0}};

enum { LIST_COUNT = 7 };

/* What is known of a world while it is read. */
typedef struct world_draft {
    world_state state;
    time_state time;
    uint32_t index_count; /* body indices: in use, unused and removed */
    bool has_state;       /* BLOCK_WORLD was read */
    bool has_body_time;   /* BLOCK_BODY_TIME of the last body was read */
    body_array bodies;
    body_time_array body_times; /* as many */
    plan_array plans;           /* of the bodies that have one */
    deforming_draft deforming;
    surface_draft surfaces;
    contact_draft contacts;
    prediction_draft predictions;
    point_array control_points; /* of the deformable NURBS bodies, in order */
    byte_array lists[LIST_COUNT];
} world_draft;

#define NEXT(list, function, member)                                                                                   \
    static bool next_##list(const tact_world *world, uint64_t *cursor, list_item *item)                                \
    {                                                                                                                  \
        return function(world, cursor, &item->member);                                                                 \
    }
/* clang-format off */
NEXT(unused, tact_world_next_free_index, index)
NEXT(removed, tact_world_next_removed_index, index)
NEXT(class, tact_world_next_class_response, response)
NEXT(pair, tact_world_next_pair_response, response)
NEXT(axis, tact_world_next_axis, axis)
NEXT(touch, tact_world_next_touch, touch)
NEXT(reported, tact_world_next_reported, reported)
/* clang-format on */

typedef struct list_row {
    uint32_t block;
    uint32_t max_items; /* of a block */
    bool sort;          /* write by the first two fields, not in the order of `next` */
    /* Gets the item at or after the cursor, 0 at first, and sets the cursor to 1 after it. False at the end. */
    bool (*next)(const tact_world *world, uint64_t *cursor, list_item *item);
    const record_field *fields;
    size_t item_size;
    size_t items, count; /* offsets in a world_draft: of the pointer to the items, and of their number */
} list_row;

#define LIST(type, member, number)                                                                                     \
    type##_fields, sizeof(type##_state), offsetof(world_draft, member), offsetof(world_draft, number)

/* The lists of a world, in the order of their blocks. */
static const list_row list_rows[] = {
    {BLOCK_UNUSED, BLOCK_MAX_ITEMS, false, next_unused, LIST(index, state.free_indices, state.free_index_count)},
    {BLOCK_REMOVED, BLOCK_MAX_ITEMS, false, next_removed, LIST(index, state.removed, state.removed_count)},
    {BLOCK_CLASS, 1, true, next_class, LIST(response, state.classes, state.class_count)},
    {BLOCK_PAIR, 1, true, next_pair, LIST(response, state.pairs, state.pair_count)},
    {BLOCK_AXES, BLOCK_MAX_ITEMS, true, next_axis, LIST(axis, state.axes, state.axis_count)},
    {BLOCK_REPORTED, BLOCK_MAX_ITEMS, false, next_reported, LIST(reported, state.reported, state.reported_count)},
    {BLOCK_TOUCHES, BLOCK_MAX_ITEMS, false, next_touch, LIST(touch, time.touches, time.touch_count)},
};
_Static_assert(sizeof list_rows / sizeof *list_rows == LIST_COUNT, "a row for each list");

/* ---- the world and its bodies ---- */

static const record_field world_fields[] = {FIELD_U32(world_draft, state.broad),
                                            FIELD_U32(world_draft, state.active),
                                            FIELD_BOOL(world_draft, state.caching),
                                            FIELD_U32(world_draft, index_count),
                                            FIELD_U64(world_draft, state.serial),
                                            FIELD_STRUCT(world_draft, state.response, tact_response_fields),
                                            {0}};

/* at the end of the block, unless they are zero */
static const record_field world_contact_fields[] = {FIELD_F64(world_draft, state.gravity),
                                                    FIELD_BOOL(world_draft, state.never_sleeps),
                                                    FIELD_BOOL(world_draft, state.contact_events),
                                                    {0}};

static const record_field time_fields[] = {FIELD_F64(time_state, time),     FIELD_F64(time_state, contact_step),
                                           FIELD_U32(time_state, kinetic),  FIELD_U32(time_state, engine),
                                           FIELD_U32(time_state, reported), {0}};
/* at the end of the block, unless it is TACT_DEFORMING_AUTO */
static const record_field deforming_engine_fields[] = {FIELD_U32(time_state, deforming_engine), {0}};

static const record_field body_fields[] = {
    FIELD_U32(body_state, body),
    FIELD_U64(body_state, serial),
    FIELD_BITS(body_state, flags,
               STATE_MOVED | STATE_FIXED_BOUNDS | STATE_HAS_RESPONSE | STATE_DEFORMABLE | STATE_TOPOLOGY_DIFFERS |
                   STATE_SELF_COLLISION | STATE_FEATURE_EVENTS | STATE_HAS_REACH | STATE_HAS_PIVOT),
    FIELD_U32(body_state, class_id),
    FIELD_U64(body_state, category),
    FIELD_U64(body_state, mask),
    FIELD_POINTER(body_state, user, TACT_POINTER_USER),
    FIELD_SHAPE(body_state, shape),
    FIELD_SHAPE(body_state, previous_shape),
    FIELD_F64(body_state, transform),
    FIELD_F64(body_state, previous_transform),
    FIELD_MOTION(body_state, motion),
    {0},
};
static const record_field body_response_fields[] = {FIELD_STRUCT(body_state, response, tact_response_fields), {0}};
static const record_field body_pivot_fields[] = {FIELD_F64(body_state, motion.pivot), {0}};
static const record_field body_reach_fields[] = {FIELD_F64(body_state, reach), {0}};
static const record_field point_fields[] = {FIELD_F64S(3), {0}};
static const record_column point_column[] = {{0, sizeof(tact_vec3), point_fields}, {0}};
static const record_field body_deform_fields[] = {
    FIELD_U32(body_state, deform.current),          FIELD_U32(body_state, deform.previous),
    FIELD_REFITTABLE(body_state, deform.copies[0]), FIELD_U64(body_state, deform.refit_counts[0]),
    FIELD_REFITTABLE(body_state, deform.copies[1]), FIELD_U64(body_state, deform.refit_counts[1]),
    FIELD_U32(body_state, deform.stale_count),      {0}};

/* BLOCK_BODY_TIME: what a body has in continuous time. */
typedef struct body_time_block {
    uint32_t index;
    uint32_t flags; /* BODY_TIME_ and those below */
    body_state body;
    body_time_state time;
} body_time_block;

enum {
    BODY_HAS_MASS = 4,
    BODY_HAS_MOTION_PLAN = 8,
    BODY_IS_POLLED = 16,
    BODY_HAS_MATERIAL = 64,
    BODY_TIME_FLAGS = 1023
};

static const record_field body_time_head_fields[] = {
    FIELD_U32(body_time_block, index), FIELD_BITS(body_time_block, flags, BODY_TIME_FLAGS), {0}};

/* The rest of the block: for each flag that is set, these fields. */
static const struct {
    uint32_t flag;
    record_field fields[20]; /* the last one is zero */
} body_time_rows[] = {
    {BODY_TIME_MOVING,
     {FIELD_F64(body_time_block, time.motion.start_time), FIELD_F64(body_time_block, time.motion.transform),
      FIELD_MOTION(body_time_block, time.motion.motion), FIELD_F64(body_time_block, time.motion.momentum),
      FIELD_F64(body_time_block, time.motion.rotation_expiry)}},
    {BODY_HAS_MASS,
     {FIELD_F64(body_time_block, body.mass.properties.mass), FIELD_F64(body_time_block, body.mass.properties.centre),
      FIELD_F64(body_time_block, body.mass.properties.covariance),
      FIELD_BOOL(body_time_block, body.mass.properties.rotates)}},
    {BODY_HAS_MOTION_PLAN,
     {FIELD_STRUCT(body_time_block, body.motion_plan.plan, tact_motion_plan_fields),
      FIELD_F64(body_time_block, body.motion_plan.transform_time)}},
    {BODY_IS_POLLED, {FIELD_F64(body_time_block, body.poll_interval)}},
    {BODY_TIME_REPORTED, {FIELD_U32(body_time_block, time.reported_count)}},
    {BODY_HAS_MATERIAL, {FIELD_F64(body_time_block, body.material)}},
    {BODY_TIME_CONTACT,
     {FIELD_U32(body_time_block, time.contact.first), FIELD_U32(body_time_block, time.contact.state),
      FIELD_F64(body_time_block, time.contact.velocity), FIELD_F64(body_time_block, time.contact.momentum),
      FIELD_F64(body_time_block, time.contact.gain), FIELD_F64(body_time_block, time.contact.gain_momentum),
      FIELD_F64(body_time_block, time.contact.gain_time), FIELD_F64(body_time_block, time.contact.gain_end),
      FIELD_F64(body_time_block, time.contact.from), FIELD_F64(body_time_block, time.contact.credit),
      FIELD_F64(body_time_block, time.contact.turning), FIELD_F64(body_time_block, time.contact.still_since),
      FIELD_F64(body_time_block, time.contact.still_at), FIELD_U32(body_time_block, time.contact.lock),
      FIELD_U32(body_time_block, time.contact.newton_pause), FIELD_BOOL(body_time_block, time.contact.entering),
      FIELD_F64(body_time_block, time.contact.impacts_since), FIELD_U32(body_time_block, time.contact.impacts)}},
    {BODY_TIME_JUMPS,
     {FIELD_F64(body_time_block, time.jump.transform), FIELD_F64(body_time_block, time.jump.start_time),
      FIELD_F64(body_time_block, time.jump.velocity)}},
    {BODY_TIME_JUMPED, {FIELD_F64(body_time_block, time.jump_box)}},
};

/* Before CONTACT_VERSION, the mass of a body was followed by the time and the number of its bounces. */
enum { BOUNCE_COUNT_SIZE = 12 };

enum { BODY_TIME_ROWS = sizeof body_time_rows / sizeof *body_time_rows };

/* ---- sorting ---- */

typedef struct sort_entry {
    uint64_t key;
    uint64_t value;
} sort_entry;

ARRAY_OF(sort_array, sort_entry);

static inline bool sort_entry_before(const void *context, const sort_entry *a, const sort_entry *b)
{
    (void)context;
    return a->key < b->key;
}

HEAP_SORT_OF(sort_by_key, sort_entry, const void *, sort_entry_before)

/* ---- writing ---- */

static void put_body(record_writer *w, const body_state *b)
{
    const bool deforms = b->flags & STATE_DEFORMABLE;
    record_field stale[2] = {FIELD_U32(body_state, deform.stale), {0}};
    stale[0].count = 2 * (size_t)b->deform.stale_count;
    if (!tact_writer_put_shape(w, b->shape) || (deforms && !tact_writer_put_refittable(w, b->deform.copies)))
        return;
    /* the shape before may be one of the refittable meshes */
    if ((!deforms || b->deform.previous == DEFORM_OTHER) && !tact_writer_put_shape(w, b->previous_shape))
        return;
    tact_writer_open(w, BLOCK_BODY);
    tact_writer_put(w, b, body_fields);
    if (b->flags & STATE_HAS_RESPONSE)
        tact_writer_put(w, b, body_response_fields);
    if (b->flags & STATE_HAS_REACH)
        tact_writer_put(w, b, body_reach_fields);
    if (b->flags & STATE_HAS_PIVOT)
        tact_writer_put(w, b, body_pivot_fields);
    if (deforms) {
        tact_writer_put(w, b, body_deform_fields);
        tact_writer_put(w, b, stale);
        if (b->deform.control_points != NULL)
            tact_writer_put_items(w, &b->deform.control_points, point_column,
                                  nurbs_point_count(b->shape->nurbs->model));
    }
    tact_writer_close(w);
    w->refittable[0] = w->refittable[1] = NULL;
}

static bool has_material(const tact_material *m)
{
    return m->friction != 0.0 || m->restitution != 0.0 || m->rolling_friction != 0.0;
}

static void put_body_time(record_writer *w, const body_state *b, const body_time_state *t)
{
    const uint32_t flags = t->flags | (b->has_mass ? (uint32_t)BODY_HAS_MASS : 0u) |
                           (b->has_motion_plan ? (uint32_t)BODY_HAS_MOTION_PLAN : 0u) |
                           (b->poll_interval > 0.0 ? (uint32_t)BODY_IS_POLLED : 0u) |
                           (has_material(&b->material) ? (uint32_t)BODY_HAS_MATERIAL : 0u);
    const body_time_block block = {b->body.index, flags, *b, *t};
    if (flags == 0)
        return;
    tact_writer_open(w, BLOCK_BODY_TIME);
    tact_writer_put(w, &block, body_time_head_fields);
    for (int i = 0; i < BODY_TIME_ROWS; ++i)
        if (flags & body_time_rows[i].flag)
            tact_writer_put(w, &block, body_time_rows[i].fields);
    tact_writer_close(w);
}

/* The first two fields of an item, for sorting. */
static uint64_t key_of(const list_item *item, const record_field *fields)
{
    uint32_t a, b;
    memcpy(&a, (const unsigned char *)item + fields[0].offset, sizeof a);
    memcpy(&b, (const unsigned char *)item + fields[1].offset, sizeof b);
    return (uint64_t)a << 32 | b;
}

static void put_list(record_writer *w, const tact_world *world, const list_row *row)
{
    sort_array order = {0}; /* cursors to the items, if they are sorted */
    list_item item;
    size_t i = 0;
    for (uint64_t cursor = 0, at = 0; row->sort && writer_ok(w) && row->next(world, &cursor, &item); at = cursor)
        if (!sort_array_push(&order, &w->allocator, (sort_entry){key_of(&item, row->fields), at}))
            (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory to sort a list");
    sort_by_key(NULL, order.items, order.count);
    for (uint64_t cursor = 0; writer_ok(w) && (!row->sort || i < order.count); ++i) {
        if (row->sort)
            cursor = order.items[i].value;
        if (!row->next(world, &cursor, &item))
            break;
        if (i > 0 && i % row->max_items == 0)
            tact_writer_close(w);
        if (i % row->max_items == 0)
            tact_writer_open(w, row->block);
        tact_writer_put(w, &item, row->fields);
    }
    if (i > 0)
        tact_writer_close(w);
    sort_array_release(&order, &w->allocator);
}

void tact_writer_put_world(record_writer *w, const tact_world *world)
{
    const world_draft draft = {.state = tact_world_get_state(world), .index_count = tact_world_index_count(world)};
    const time_state time = tact_world_describe_time(world);
    const bool predicted = tact_world_describe_predictions(world).exists; /* they include the touches */
    body_state body;
    tact_writer_open(w, BLOCK_WORLD);
    tact_writer_put(w, &draft, world_fields);
    if (!vec_equal(draft.state.gravity, (tact_vec3){0.0, 0.0, 0.0}) || draft.state.never_sleeps ||
        draft.state.contact_events)
        tact_writer_put(w, &draft, world_contact_fields);
    tact_writer_close(w);
    for (uint32_t i = 0; i < draft.index_count && writer_ok(w); ++i)
        if (tact_world_body_at(world, i, &body)) {
            const body_time_state body_time = tact_world_body_time_at(world, i);
            put_body(w, &body);
            put_body_time(w, &body, &body_time);
            if (body.vertex_plan != NULL && writer_ok(w))
                tact_writer_put_vertex_plan(w, i, body.vertex_plan, time.time);
            if (body.vertex_plan != NULL && writer_ok(w))
                tact_writer_put_surface(w, world, i);
        }
    for (int i = 0; i < LIST_COUNT; ++i) {
        if (list_rows[i].block == BLOCK_TOUCHES && time.timed) {
            tact_writer_open(w, BLOCK_TIME);
            tact_writer_put(w, &time, time_fields);
            if (time.deforming_engine != TACT_DEFORMING_AUTO)
                tact_writer_put(w, &time, deforming_engine_fields);
            tact_writer_close(w);
        }
        if (list_rows[i].block != BLOCK_TOUCHES || !predicted)
            put_list(w, world, &list_rows[i]);
    }
    tact_writer_put_deforming_pairs(w, world);
    tact_writer_put_contacts(w, world);
    tact_writer_put_predictions(w, world);
    tact_writer_open(w, BLOCK_STATE);
    tact_writer_close(w);
}

/* ---- reading ---- */

static bool fail_memory(record_reader *r)
{
    return tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for the world");
}

static bool get_world(record_reader *r, world_draft *d)
{
    if (d->has_state)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a second block of type %d", BLOCK_WORLD);
    d->has_state = true;
    return tact_reader_get(r, d, world_fields) &&
           (r->position == r->end || tact_reader_get(r, d, world_contact_fields));
}

static bool get_time(record_reader *r, world_draft *d)
{
    if (d->time.timed)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a second block of type %d", BLOCK_TIME);
    d->time.timed = true;
    if (!tact_reader_get(r, &d->time, time_fields))
        return false;
    if (r->version < CONTACT_VERSION)
        d->time.contact_step = WORLD_DEFAULT_CONTACT_STEP; /* it was the rest time */
    return r->position == r->end || tact_reader_get(r, &d->time, deforming_engine_fields);
}

/* The control points of a deformable NURBS body. */
static bool get_control_points(record_reader *r, world_draft *d, size_t count)
{
    const tact_vec3 *points;
    const size_t first = d->control_points.count;
    bool ok = tact_reader_get_items(r, &points, point_column, count);
    if (ok && !point_array_resize(&d->control_points, &r->allocator, first + count))
        ok = fail_memory(r);
    if (ok)
        memcpy(d->control_points.items + first, points, count * sizeof *points);
    tact_reader_free_arrays(r);
    return ok;
}

static bool get_body(record_reader *r, world_draft *d)
{
    body_state b = {0};
    if (!tact_reader_get(r, &b, body_fields))
        return false;
    const bool deforms = b.flags & STATE_DEFORMABLE;
    if ((b.flags & STATE_TOPOLOGY_DIFFERS) && !deforms)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a body has flags of a deformable body, but is not deformable");
    if ((b.flags & STATE_HAS_RESPONSE) && !tact_reader_get(r, &b, body_response_fields))
        return false;
    if ((b.flags & STATE_HAS_REACH) && !tact_reader_get(r, &b, body_reach_fields))
        return false;
    if ((b.flags & STATE_HAS_PIVOT) && !tact_reader_get(r, &b, body_pivot_fields))
        return false;
    if (deforms) {
        record_field stale[2] = {FIELD_U32(body_state, deform.stale), {0}};
        b.deform.original = b.shape;
        b.deform.topology_differs = b.flags & STATE_TOPOLOGY_DIFFERS;
        if (!tact_reader_get(r, &b, body_deform_fields))
            return false;
        if (b.deform.stale_count >= DEFORM_MAX_RANGES)
            return tact_reader_fail(r, TACT_BAD_ARGUMENT, "too many ranges of vertices of a deformable body");
        stale[0].count = 2 * (size_t)b.deform.stale_count;
        (void)tact_reader_get(r, &b, stale);
        const nurbs_geometry *nurbs = b.shape->nurbs;
        if (nurbs != NULL && !get_control_points(r, d, nurbs_point_count(nurbs->model)))
            return false;
    }
    const body_time_state t = {.index = b.body.index};
    d->has_body_time = false;
    return (body_array_push(&d->bodies, &r->allocator, b) && body_time_array_push(&d->body_times, &r->allocator, t)) ||
           fail_memory(r);
}

static bool get_body_time(record_reader *r, world_draft *d)
{
    body_time_block block;
    if (!tact_reader_get(r, &block, body_time_head_fields))
        return false;
    const uint32_t flags = block.flags;
    body_state *b = d->bodies.count > 0 ? &d->bodies.items[d->bodies.count - 1] : NULL;
    if (b == NULL || b->body.index != block.index || d->has_body_time || flags == 0)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %d does not follow its body", BLOCK_BODY_TIME);
    body_time_state *t = &d->body_times.items[d->body_times.count - 1];
    block.body = *b;
    block.time = *t;
    for (int i = 0; i < BODY_TIME_ROWS; ++i)
        if (flags & body_time_rows[i].flag) {
            (void)tact_reader_get(r, &block, body_time_rows[i].fields);
            if (body_time_rows[i].flag == BODY_HAS_MASS && r->version < CONTACT_VERSION)
                (void)tact_reader_skip(r, BOUNCE_COUNT_SIZE);
        }
    *b = block.body;
    *t = block.time;
    t->flags = flags & (BODY_TIME_STILL | BODY_TIME_MOVING | BODY_TIME_REPORTED | BODY_TIME_CONTACT | BODY_TIME_JUMPS |
                        BODY_TIME_JUMPED);
    b->has_mass = flags & BODY_HAS_MASS;
    b->has_motion_plan = flags & BODY_HAS_MOTION_PLAN;
    d->has_body_time = true;
    if (flags & BODY_IS_POLLED && !(b->poll_interval > 0.0))
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "the poll interval of a body is not positive");
    return reader_ok(r);
}

static bool get_vertex_plan(record_reader *r, world_draft *d)
{
    vertex_plan *plan;
    uint32_t index = 0;
    if (!tact_reader_get_vertex_plan(r, &index, &plan))
        return false;
    body_state *b = d->bodies.count > 0 ? &d->bodies.items[d->bodies.count - 1] : NULL;
    if (b == NULL || b->body.index != index || b->vertex_plan != NULL) {
        tact_reader_free_vertex_plan(r, plan);
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %d does not follow its body", BLOCK_VERTEX_PLAN);
    }
    b->vertex_plan = plan;
    if (plan != NULL && !plan_array_push(&d->plans, &r->allocator, plan)) {
        b->vertex_plan = NULL;
        tact_reader_free_vertex_plan(r, plan);
        return fail_memory(r);
    }
    return true;
}

static bool get_surface(record_reader *r, world_draft *d)
{
    const body_state *b = d->bodies.count > 0 ? &d->bodies.items[d->bodies.count - 1] : NULL;
    if (b == NULL || b->vertex_plan == NULL || !(b->flags & STATE_DEFORMABLE) || b->shape->nurbs == NULL)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %d does not follow its body", BLOCK_SURFACE);
    return tact_reader_get_surface(r, b->body.index, nurbs_point_count(b->shape->nurbs->model), &d->surfaces);
}

static bool get_list(record_reader *r, const list_row *row, byte_array *list)
{
    list_item item;
    for (uint32_t i = 0; row->max_items == 1 ? i == 0 : r->position < r->end; ++i) {
        const size_t size = list->count;
        memset(&item, 0, sizeof item);
        if (!tact_reader_get(r, &item, row->fields))
            return false;
        if (!byte_array_resize(list, &r->allocator, size + row->item_size))
            return fail_memory(r);
        memcpy(list->items + size, &item, row->item_size);
    }
    return true;
}

static bool get_block(record_reader *r, world_draft *d)
{
    if (r->type == BLOCK_SHAPE)
        return tact_reader_get_shape(r);
    if (r->type == BLOCK_ANIMATION)
        return tact_reader_get_animation(r);
    if (r->type != BLOCK_WORLD && !d->has_state)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu precedes the block of the world",
                                (unsigned long)r->type);
    for (int i = 0; i < LIST_COUNT; ++i)
        if (r->type == list_rows[i].block)
            return get_list(r, &list_rows[i], &d->lists[i]) && tact_reader_close(r);
    switch (r->type) {
    case BLOCK_WORLD:
        return get_world(r, d) && tact_reader_close(r);
    case BLOCK_BODY:
        return get_body(r, d) && tact_reader_close(r);
    case BLOCK_TIME:
        return get_time(r, d) && tact_reader_close(r);
    case BLOCK_BODY_TIME:
        return get_body_time(r, d) && tact_reader_close(r);
    case BLOCK_VERTEX_PLAN:
        return get_vertex_plan(r, d) && tact_reader_close(r);
    case BLOCK_SURFACE:
        return get_surface(r, d) && tact_reader_close(r);
    case BLOCK_DEFORMING_PAIR:
        return tact_reader_get_deforming_pair(r, &d->deforming) && tact_reader_close(r);
    case BLOCK_CONTACT_GRAPH:
        return tact_reader_get_contact_graph(r, &d->contacts) && tact_reader_close(r);
    case BLOCK_CONTACTS:
        return tact_reader_get_contacts(r, &d->contacts) && tact_reader_close(r);
    case BLOCK_PREDICTIONS:
        return tact_reader_get_predictions(r, &d->predictions) && tact_reader_close(r);
    case BLOCK_PREDICTED_BODY:
        return tact_reader_get_predicted_body(r, &d->predictions) && tact_reader_close(r);
    case BLOCK_PREDICTED_PAIRS:
        return tact_reader_get_predicted_pairs(r, &d->predictions) && tact_reader_close(r);
    default:
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a world has no blocks of type %lu", (unsigned long)r->type);
    }
}

/* Fails if two bodies have the same serial number. */
static bool check_serials(record_reader *r, const body_array *bodies)
{
    sort_array order = {0};
    for (size_t i = 0; i < bodies->count && reader_ok(r); ++i)
        if (!sort_array_push(&order, &r->allocator, (sort_entry){bodies->items[i].serial, bodies->items[i].body.index}))
            (void)fail_memory(r);
    sort_by_key(NULL, order.items, order.count);
    for (size_t i = 1; i < order.count; ++i)
        if (order.items[i].key == order.items[i - 1].key)
            (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "bodies %lu and %lu have the same serial number",
                                   (unsigned long)order.items[i - 1].value, (unsigned long)order.items[i].value);
    sort_array_release(&order, &r->allocator);
    return reader_ok(r);
}

static tact_world *assemble(record_reader *r, world_draft *d)
{
    tact_report report = {TACT_OK, ""};
    world_state *s = &d->state;
    time_state *t = &d->time;
    s->bodies = d->bodies.items;
    s->body_count = d->bodies.count;
    t->bodies = d->body_times.items;
    t->body_count = d->body_times.count;
    for (size_t i = 0, first = 0; i < d->bodies.count; ++i) {
        body_state *b = &d->bodies.items[i];
        if ((b->flags & STATE_DEFORMABLE) && b->shape->nurbs != NULL) {
            b->deform.control_points = d->control_points.items + first;
            first += nurbs_point_count(b->shape->nurbs->model);
        }
    }
    tact_deforming_draft_link(&d->deforming);
    tact_surface_draft_link(&d->surfaces);
    t->surfaces = d->surfaces.surfaces.items;
    t->surface_count = d->surfaces.surfaces.count;
    t->pairs = d->deforming.pairs.items;
    t->pair_count = d->deforming.pairs.count;
    t->contacts = tact_contact_draft_state(&d->contacts);
    t->predictions = tact_prediction_draft_state(&d->predictions);
    for (int i = 0; i < LIST_COUNT; ++i) {
        const size_t count = d->lists[i].count / list_rows[i].item_size;
        memcpy((unsigned char *)d + list_rows[i].items, &d->lists[i].items, sizeof d->lists[i].items);
        memcpy((unsigned char *)d + list_rows[i].count, &count, sizeof count);
    }
    const size_t indices = s->body_count + s->free_index_count + s->removed_count;
    if ((t->touch_count > 0 || t->pair_count > 0 || d->contacts.exists || t->predictions.exists) && !t->timed)
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %d, but none of type %d",
                               t->touch_count > 0   ? BLOCK_TOUCHES
                               : t->pair_count > 0  ? BLOCK_DEFORMING_PAIR
                               : d->contacts.exists ? BLOCK_CONTACT_GRAPH
                                                    : BLOCK_PREDICTIONS,
                               BLOCK_TIME);
    else if (d->index_count != indices)
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "%zu body indices instead of %lu", indices,
                               (unsigned long)d->index_count);
    if (!reader_ok(r) || !check_serials(r, &d->bodies))
        return NULL;
    tact_world *world = tact_world_from_state(s, &report);
    if (world != NULL && !tact_world_restore_time(world, t, &report)) {
        tact_world_release(world);
        world = NULL;
    }
    if (world == NULL)
        (void)tact_reader_fail(r, report.status, "%s", report.text);
    return world;
}

tact_world *tact_reader_get_world(record_reader *r, const tact_parallel *parallel)
{
    world_draft d = {.state = {.allocator = r->allocator}, .time = {.reported = {STATE_NO_BODY, STATE_NO_BODY}}};
    tact_world *world = NULL;
    if (parallel != NULL)
        d.state.parallel = *parallel;
    bool ok = true;
    while ((ok = ok && tact_reader_peek(r)) && (r->type != BLOCK_STATE || !d.has_state))
        ok = get_block(r, &d);
    if (ok && tact_reader_close(r))
        world = assemble(r, &d);
    body_array_release(&d.bodies, &r->allocator);
    body_time_array_release(&d.body_times, &r->allocator);
    for (size_t i = 0; i < d.plans.count; ++i)
        tact_reader_free_vertex_plan(r, d.plans.items[i]);
    plan_array_release(&d.plans, &r->allocator);
    tact_deforming_draft_release(&d.deforming, &r->allocator);
    tact_surface_draft_release(&d.surfaces, &r->allocator);
    tact_contact_draft_release(&d.contacts, &r->allocator);
    tact_prediction_draft_release(&d.predictions, &r->allocator);
    point_array_release(&d.control_points, &r->allocator);
    for (int i = 0; i < LIST_COUNT; ++i)
        byte_array_release(&d.lists[i], &r->allocator);
    return world;
}
