/* Predictions and bounds as blocks: docs/record.md has the layout. */
#include "record/prediction_blocks.h"

#include "record/fields.h"
#include "world/world_state.h"

_Static_assert(sizeof(advance_effort) == 32 && sizeof(engine_choice) == 8 && sizeof(fat_bound) == 40 &&
                   sizeof(broad_filter) == 16 && sizeof(tact_part) == 8 && sizeof(pair_state) == 4,
               "structs of equal numbers");

/* BLOCK_PREDICTIONS. */
typedef struct prediction_head {
    prediction_state state;
    uint32_t dirty_count, order_count;
} prediction_head;

static const record_field head_fields[] = {FIELD_U64(prediction_head, state.last_version),
                                           FIELD_U64(prediction_head, state.effort),
                                           FIELD_U64(prediction_head, state.choice.before),
                                           FIELD_F64(prediction_head, state.choice.since),
                                           FIELD_U64(prediction_head, state.choice.swaps),
                                           FIELD_U32(prediction_head, state.choice.wanted),
                                           FIELD_U32(prediction_head, state.choice.rule),
                                           FIELD_U64(prediction_head, state.spheres_set),
                                           FIELD_U64(prediction_head, state.neighbours_found),
                                           FIELD_F64(prediction_head, state.grid_low),
                                           FIELD_U32(prediction_head, state.grid_size),
                                           FIELD_U32(prediction_head, state.grid_max_radius),
                                           FIELD_F64(prediction_head, state.sweep_time),
                                           FIELD_U32(prediction_head, dirty_count),
                                           FIELD_U32(prediction_head, order_count),
                                           {0}};
static const record_field index_fields[] = {FIELD_U32S(1), {0}};

/* BLOCK_PREDICTED_BODY. */
static const record_field body_fields[] = {
    FIELD_U32(predicted_body, index),           FIELD_BITS(predicted_body, flags, PREDICTED_FLAGS),
    FIELD_U32(predicted_body, event_other),     FIELD_U32(predicted_body, unsuccessful_refits),
    FIELD_U64(predicted_body, version),         FIELD_U64(predicted_body, event_version),
    FIELD_U64(predicted_body, event_key),       FIELD_F64(predicted_body, event_time),
    FIELD_F64(predicted_body, expiry),          FIELD_F64(predicted_body, start_time),
    FIELD_F64(predicted_body, rotation_expiry), FIELD_F64(predicted_body, margin),
    FIELD_F64(predicted_body, motion_set_at),   FIELD_F64(predicted_body, motion_lifetime),
    FIELD_F64(predicted_body, extent_min),      FIELD_F64(predicted_body, extent_max),
    FIELD_U32(predicted_body, neighbour_count), {0}};
static const record_field bound_fields[] = {FIELD_F64(predicted_body, origin_radius),
                                            FIELD_F64(predicted_body, origin_min),
                                            FIELD_F64(predicted_body, origin_max),
                                            FIELD_U32(predicted_body, bound_centre),
                                            FIELD_U32(predicted_body, bound),
                                            FIELD_U64(predicted_body, filter),
                                            {0}};
static const record_field sweep_fields[] = {FIELD_F64(predicted_body, sweep_box),
                                            FIELD_F64(predicted_body, swap_times),
                                            FIELD_U64(predicted_body, filter),
                                            {0}};
static const record_field dirty_fields[] = {
    FIELD_F64(predicted_body, transform), FIELD_MOTION(predicted_body, motion), {0}};
static const record_field neighbour_fields[] = {FIELD_U32S(2), {0}};

/* BLOCK_PREDICTED_PAIRS. */
static const record_field pair_fields[] = {FIELD_U32(predicted_pair, a),
                                           FIELD_U32(predicted_pair, b),
                                           FIELD_F64(predicted_pair, prediction.time),
                                           FIELD_F64(predicted_pair, prediction.valid_until),
                                           FIELD_F64(predicted_pair, prediction.superseded_at),
                                           FIELD_F64(predicted_pair, prediction.point),
                                           FIELD_F64(predicted_pair, prediction.normal),
                                           FIELD_U32(predicted_pair, prediction.parts),
                                           FIELD_U64(predicted_pair, prediction.version),
                                           FIELD_U64(predicted_pair, prediction.reported_version),
                                           FIELD_F64(predicted_pair, prediction.next_poll),
                                           FIELD_F64(predicted_pair, prediction.reported_at),
                                           FIELD_U32(predicted_pair, prediction.reported_count),
                                           FIELD_U32(predicted_pair, prediction.uncertain_count),
                                           FIELD_U32(predicted_pair, prediction.state),
                                           FIELD_F64(predicted_pair, prediction.depth),
                                           {0}};

/* ---- writing ---- */

static void put_body(record_writer *w, const predicted_body *b)
{
    tact_writer_open(w, BLOCK_PREDICTED_BODY);
    tact_writer_put(w, b, body_fields);
    if (b->flags & PREDICTED_BOUND)
        tact_writer_put(w, b, bound_fields);
    if (b->flags & PREDICTED_SWEEP)
        tact_writer_put(w, b, sweep_fields);
    if (b->flags & PREDICTED_DIRTY)
        tact_writer_put(w, b, dirty_fields);
    for (uint32_t i = 0; i < b->neighbour_count; ++i) {
        const predicted_neighbour n = {b->neighbours[i].index, b->neighbours[i].mirror};
        tact_writer_put(w, &n, neighbour_fields);
    }
    tact_writer_close(w);
}

void tact_writer_put_predictions(record_writer *w, const tact_world *world)
{
    prediction_head head = {.state = tact_world_describe_predictions(world)};
    if (!head.state.exists)
        return;
    predicted_body body;
    const uint32_t dirty_count = (uint32_t)head.state.dirty_count, count = tact_world_index_count(world);
    head.dirty_count = dirty_count;
    for (uint32_t i = head.state.first_new; i < count; ++i)
        head.dirty_count += tact_world_predicted_body_at(world, i, &body);
    head.order_count = (uint32_t)head.state.order_count;
    tact_writer_open(w, BLOCK_PREDICTIONS);
    tact_writer_put(w, &head, head_fields);
    for (uint32_t i = 0; i < dirty_count; ++i)
        tact_writer_put(w, &head.state.dirty[i], index_fields);
    for (uint32_t i = head.state.first_new; i < count; ++i)
        if (tact_world_predicted_body_at(world, i, &body))
            tact_writer_put(w, &i, index_fields);
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t i = 0; i < head.order_count; ++i)
            tact_writer_put(w, &head.state.order[axis][i], index_fields);
    tact_writer_close(w);
    for (uint32_t i = 0; i < count && writer_ok(w); ++i)
        if (tact_world_predicted_body_at(world, i, &body))
            put_body(w, &body);
    size_t pairs = 0;
    uint64_t cursor = 0;
    for (predicted_pair p; writer_ok(w) && tact_world_next_predicted_pair(world, &cursor, &p); ++pairs) {
        if (pairs > 0 && pairs % BLOCK_MAX_PREDICTIONS == 0)
            tact_writer_close(w);
        if (pairs % BLOCK_MAX_PREDICTIONS == 0)
            tact_writer_open(w, BLOCK_PREDICTED_PAIRS);
        tact_writer_put(w, &p, pair_fields);
    }
    if (pairs > 0)
        tact_writer_close(w);
}

/* ---- reading ---- */

static bool fail_memory(record_reader *r)
{
    return tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for the predictions of a world");
}

static bool fail_order(record_reader *r)
{
    return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %lu, but none of type %d", (unsigned long)r->type,
                            BLOCK_PREDICTIONS);
}

static bool get_indices(record_reader *r, predicted_index_array *indices, uint32_t count)
{
    if (!tact_reader_has(r, count, sizeof(uint32_t)))
        return false;
    if (!predicted_index_array_reserve(indices, &r->allocator, count))
        return fail_memory(r);
    for (; indices->count < count; ++indices->count)
        (void)tact_reader_get(r, &indices->items[indices->count], index_fields);
    return reader_ok(r);
}

bool tact_reader_get_predictions(record_reader *r, prediction_draft *d)
{
    prediction_head head = {.state = {.exists = true}};
    if (d->state.exists)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a second block of type %d", BLOCK_PREDICTIONS);
    if (!tact_reader_get(r, &head, head_fields))
        return false;
    d->state = head.state;
    return get_indices(r, &d->dirty, head.dirty_count) && get_indices(r, &d->order[0], head.order_count) &&
           get_indices(r, &d->order[1], head.order_count) && get_indices(r, &d->order[2], head.order_count);
}

bool tact_reader_get_predicted_body(record_reader *r, prediction_draft *d)
{
    predicted_body b = {0};
    if (!d->state.exists)
        return fail_order(r);
    if (!tact_reader_get(r, &b, body_fields))
        return false;
    if (b.flags & PREDICTED_BOUND)
        (void)tact_reader_get(r, &b, bound_fields);
    if (b.flags & PREDICTED_SWEEP)
        (void)tact_reader_get(r, &b, sweep_fields);
    if (b.flags & PREDICTED_DIRTY)
        (void)tact_reader_get(r, &b, dirty_fields);
    if (!reader_ok(r) || !tact_reader_has(r, b.neighbour_count, sizeof(predicted_neighbour)))
        return false;
    if (!predicted_body_array_push(&d->bodies, &r->allocator, b) ||
        !predicted_neighbour_array_reserve(&d->neighbours, &r->allocator, d->neighbours.count + b.neighbour_count))
        return fail_memory(r);
    for (uint32_t i = 0; i < b.neighbour_count; ++i)
        (void)tact_reader_get(r, &d->neighbours.items[d->neighbours.count++], neighbour_fields);
    return reader_ok(r);
}

bool tact_reader_get_predicted_pairs(record_reader *r, prediction_draft *d)
{
    if (!d->state.exists)
        return fail_order(r);
    while (r->position < r->end) {
        predicted_pair p = {.prediction = {.deforming = NULL}};
        if (!tact_reader_get(r, &p, pair_fields))
            return false;
        if (!predicted_pair_array_push(&d->pairs, &r->allocator, p))
            return fail_memory(r);
    }
    return true;
}

prediction_state tact_prediction_draft_state(const prediction_draft *d)
{
    prediction_state s = d->state;
    s.dirty = d->dirty.items;
    s.dirty_count = d->dirty.count;
    for (int i = 0; i < 3; ++i)
        s.order[i] = d->order[i].items;
    s.order_count = d->order[0].count;
    s.bodies = d->bodies.items;
    s.body_count = d->bodies.count;
    s.neighbours = d->neighbours.items;
    s.neighbour_count = d->neighbours.count;
    s.pairs = d->pairs.items;
    s.pair_count = d->pairs.count;
    return s;
}

void tact_prediction_draft_release(prediction_draft *d, const tact_allocator *allocator)
{
    predicted_index_array_release(&d->dirty, allocator);
    for (int i = 0; i < 3; ++i)
        predicted_index_array_release(&d->order[i], allocator);
    predicted_body_array_release(&d->bodies, allocator);
    predicted_neighbour_array_release(&d->neighbours, allocator);
    predicted_pair_array_release(&d->pairs, allocator);
}
