/*
 * Pairs with moving vertices as blocks: docs/record.md has the layout. A restored world knows from them which features
 * are in contact, so that it does not report them again.
 */
#include "record/deforming_blocks.h"

#include <string.h>

#include "advance/deforming_contacts.h"
#include "record/fields.h"

_Static_assert(sizeof(tact_ccd_kind) == 4 && sizeof(tact_status) == 4 && sizeof(tact_state) == 4, "enums are u32");

typedef struct deforming_block {
    deforming_state state;
    uint64_t contact_count, reported_count, pending_count, path_count;
    const feature_pair *contacts, *reported;
    const feature_event *pending;
    const linear_path *paths;
} deforming_block;

static const record_field deforming_fields[] = {
    FIELD_U32(deforming_block, state.a),
    FIELD_U32(deforming_block, state.b),
    FIELD_BITS(deforming_block, state.flags,
               DEFORMING_WINDOWS | DEFORMING_CURRENT | DEFORMING_EXAMINED | DEFORMING_WITNESS | DEFORMING_UNWANTED),
    FIELD_F64(deforming_block, state.end),
    FIELD_F64(deforming_block, state.interval),
    FIELD_F64(deforming_block, state.next_examination),
    FIELD_F64(deforming_block, state.touches_until),
    FIELD_U32(deforming_block, state.witness),
    FIELD_U64(deforming_block, contact_count),
    FIELD_U64(deforming_block, reported_count),
    FIELD_U64(deforming_block, pending_count),
    FIELD_U64(deforming_block, path_count),
    {0},
};
static const record_field feature_pair_fields[] = {
    FIELD_BITS(feature_pair, kind, 1u), FIELD_U32(feature_pair, index), {0}};
static const record_field feature_event_fields[] = {
    FIELD_STRUCT(feature_event, pair, feature_pair_fields), FIELD_STRUCT(feature_event, ccd, tact_ccd_fields), {0}};

static const record_column contact_column[] = {
    {offsetof(deforming_block, contacts), sizeof(feature_pair), feature_pair_fields}, {0}};
static const record_column reported_column[] = {
    {offsetof(deforming_block, reported), sizeof(feature_pair), feature_pair_fields}, {0}};
static const record_column pending_column[] = {
    {offsetof(deforming_block, pending), sizeof(feature_event), feature_event_fields}, {0}};
static const record_column path_column[] = {
    {offsetof(deforming_block, paths), sizeof(linear_path), tact_linear_path_fields}, {0}};

/* ---- writing ---- */

static void put_pair(record_writer *w, const tact_world *world, const deforming_state *s)
{
    deforming_contacts listed;
    if (!tact_world_list_contacts(world, s, &listed, &w->allocator))
        (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory for the contacts of a pair");
    const deforming_block block = {.state = *s,
                                   .contact_count = listed.contacts.count,
                                   .reported_count = listed.reported.count,
                                   .pending_count = listed.pending.count,
                                   .path_count = s->path_count};
    tact_writer_open(w, BLOCK_DEFORMING_PAIR);
    tact_writer_put(w, &block, deforming_fields);
    for (size_t i = 0; i < listed.contacts.count; ++i)
        tact_writer_put(w, &listed.contacts.items[i], feature_pair_fields);
    for (size_t i = 0; i < listed.reported.count; ++i)
        tact_writer_put(w, &listed.reported.items[i], feature_pair_fields);
    for (size_t i = 0; i < listed.pending.count; ++i)
        tact_writer_put(w, &listed.pending.items[i], feature_event_fields);
    for (size_t i = 0; i < s->path_count && i < listed.paths.count; ++i)
        tact_writer_put(w, &listed.paths.items[i], tact_linear_path_fields);
    tact_writer_close(w);
    tact_deforming_contacts_release(&listed, &w->allocator);
}

void tact_writer_put_deforming_pairs(record_writer *w, const tact_world *world)
{
    uint64_t cursor = 0;
    for (deforming_state s; writer_ok(w) && tact_world_next_deforming_pair(world, &cursor, &s);)
        put_pair(w, world, &s);
}

/* ---- reading ---- */

/* Appends the arrays of a block to those of the draft. False: out of memory. */
static bool keep_arrays(deforming_draft *d, const deforming_block *b, const tact_allocator *allocator)
{
    bool ok = true;
    for (size_t i = 0; ok && i < b->contact_count; ++i)
        ok = feature_pair_array_push(&d->contacts, allocator, b->contacts[i]);
    for (size_t i = 0; ok && i < b->reported_count; ++i)
        ok = feature_pair_array_push(&d->contacts, allocator, b->reported[i]);
    for (size_t i = 0; ok && i < b->pending_count; ++i)
        ok = pending_event_array_push(&d->pending, allocator, b->pending[i]);
    for (size_t i = 0; ok && i < b->path_count; ++i)
        ok = last_path_array_push(&d->paths, allocator, b->paths[i]);
    return ok;
}

bool tact_reader_get_deforming_pair(record_reader *r, deforming_draft *draft)
{
    deforming_block b = {0};
    bool ok = tact_reader_get(r, &b, deforming_fields) &&
              tact_reader_get_items(r, &b, contact_column, b.contact_count) &&
              tact_reader_get_items(r, &b, reported_column, b.reported_count) &&
              tact_reader_get_items(r, &b, pending_column, b.pending_count) &&
              tact_reader_get_items(r, &b, path_column, b.path_count);
    if (ok) {
        b.state.contacts = (feature_windows_state){.contact_count = (size_t)b.contact_count,
                                                   .reported_count = (size_t)b.reported_count,
                                                   .pending_count = (size_t)b.pending_count};
        b.state.path_count = (size_t)b.path_count;
        ok = (deforming_state_array_push(&draft->pairs, &r->allocator, b.state) &&
              keep_arrays(draft, &b, &r->allocator)) ||
             tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for the contacts of a pair");
    }
    tact_reader_free_arrays(r);
    return ok;
}

void tact_deforming_draft_link(deforming_draft *d)
{
    size_t contact = 0, pending = 0, path = 0;
    for (size_t i = 0; i < d->pairs.count; ++i) {
        deforming_state *s = &d->pairs.items[i];
        if (s->contacts.contact_count + s->contacts.reported_count > 0)
            s->contacts.contacts = d->contacts.items + contact;
        if (s->contacts.reported_count > 0)
            s->contacts.reported = s->contacts.contacts + s->contacts.contact_count;
        if (s->contacts.pending_count > 0)
            s->contacts.pending = d->pending.items + pending;
        if (s->path_count > 0)
            s->paths = d->paths.items + path;
        contact += s->contacts.contact_count + s->contacts.reported_count;
        pending += s->contacts.pending_count;
        path += s->path_count;
    }
}

void tact_deforming_draft_release(deforming_draft *d, const tact_allocator *allocator)
{
    deforming_state_array_release(&d->pairs, allocator);
    feature_pair_array_release(&d->contacts, allocator);
    pending_event_array_release(&d->pending, allocator);
    last_path_array_release(&d->paths, allocator);
}
