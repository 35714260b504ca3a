/* Persistent contacts as blocks: docs/record.md has the layout. */
#include "record/contact_blocks.h"

#include "record/fields.h"

_Static_assert(sizeof(tact_material) == 24 && sizeof(contact_point) == 17 * sizeof(double), "structs of equal numbers");

/* BLOCK_CONTACT_GRAPH. */
typedef struct graph_head {
    contact_graph_state state;
    uint32_t pending_count, report_count;
} graph_head;

static const record_field head_fields[] = {FIELD_F64(graph_head, state.next),   FIELD_F64(graph_head, state.duration),
                                           FIELD_U32(graph_head, state.unused), FIELD_U32(graph_head, pending_count),
                                           FIELD_U32(graph_head, report_count), {0}};
static const record_field pending_fields[] = {FIELD_U32S(1), {0}};
static const record_field report_fields[] = {FIELD_U32(contact_report, kind),
                                             FIELD_U32(contact_report, a),
                                             FIELD_U32(contact_report, b),
                                             FIELD_U32(contact_report, generation_a),
                                             FIELD_U32(contact_report, generation_b),
                                             FIELD_F64(contact_report, point),
                                             FIELD_F64(contact_report, normal),
                                             {0}};

/* BLOCK_CONTACTS: each contact, and its points. */
static const record_field contact_fields[] = {FIELD_U32(persistent_contact, body),
                                              FIELD_U32(persistent_contact, next),
                                              FIELD_F64(persistent_contact, material),
                                              FIELD_F64(persistent_contact, time),
                                              FIELD_F64(persistent_contact, gap),
                                              FIELD_F64(persistent_contact, size),
                                              FIELD_F64(persistent_contact, allowed_depth),
                                              FIELD_F64(persistent_contact, impulse_duration),
                                              FIELD_U32(persistent_contact, steps_apart),
                                              FIELD_U32(persistent_contact, cuts),
                                              FIELD_BOOL(persistent_contact, pending),
                                              FIELD_U32(persistent_contact, point_count),
                                              {0}};
static const record_field point_fields[] = {FIELD_F64S(17), {0}};

/* ---- writing ---- */

void tact_writer_put_contacts(record_writer *w, const tact_world *world)
{
    graph_head head;
    if (!tact_world_describe_contacts(world, &head.state))
        return;
    head.pending_count = (uint32_t)head.state.pending_count;
    head.report_count = (uint32_t)head.state.report_count;
    tact_writer_open(w, BLOCK_CONTACT_GRAPH);
    tact_writer_put(w, &head, head_fields);
    for (uint32_t i = 0; i < head.pending_count; ++i)
        tact_writer_put(w, &head.state.pending[i], pending_fields);
    for (uint32_t i = 0; i < head.report_count; ++i)
        tact_writer_put(w, &head.state.reports[i], report_fields);
    tact_writer_close(w);
    const size_t count = head.state.contact_count;
    for (size_t i = 0; i < count && writer_ok(w); ++i) {
        const persistent_contact c = tact_contact_describe(&head.state.contacts[i]);
        if (i % BLOCK_MAX_CONTACTS == 0)
            tact_writer_open(w, BLOCK_CONTACTS);
        tact_writer_put(w, &c, contact_fields);
        for (uint32_t k = 0; k < c.point_count; ++k)
            tact_writer_put(w, &c.points[k], point_fields);
        if (i + 1 == count || (i + 1) % BLOCK_MAX_CONTACTS == 0)
            tact_writer_close(w);
    }
}

/* ---- reading ---- */

static bool fail_memory(record_reader *r)
{
    return tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for the contacts of a world");
}

bool tact_reader_get_contact_graph(record_reader *r, contact_draft *d)
{
    graph_head head = {.state = {0}};
    if (d->exists)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a second block of type %d", BLOCK_CONTACT_GRAPH);
    d->exists = true;
    if (!tact_reader_get(r, &head, head_fields) || !tact_reader_has(r, head.pending_count, sizeof(uint32_t)) ||
        !tact_reader_has(r, head.report_count, 5 * sizeof(uint32_t) + 6 * sizeof(double)))
        return false;
    d->state = head.state;
    if (!contact_index_array_reserve(&d->pending, &r->allocator, head.pending_count) ||
        !contact_report_array_reserve(&d->reports, &r->allocator, head.report_count))
        return fail_memory(r);
    for (; d->pending.count < head.pending_count; ++d->pending.count)
        (void)tact_reader_get(r, &d->pending.items[d->pending.count], pending_fields);
    for (; d->reports.count < head.report_count; ++d->reports.count)
        (void)tact_reader_get(r, &d->reports.items[d->reports.count], report_fields);
    return reader_ok(r);
}

bool tact_reader_get_contacts(record_reader *r, contact_draft *d)
{
    if (!d->exists)
        return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a block of type %d, but none of type %d", BLOCK_CONTACTS,
                                BLOCK_CONTACT_GRAPH);
    while (r->position < r->end) {
        persistent_contact c = {0};
        if (!tact_reader_get(r, &c, contact_fields))
            return false;
        if (c.point_count > CONTACT_MAX_POINTS)
            return tact_reader_fail(r, TACT_BAD_ARGUMENT, "a contact has %lu points", (unsigned long)c.point_count);
        for (uint32_t i = 0; i < c.point_count; ++i)
            if (!tact_reader_get(r, &c.points[i], point_fields))
                return false;
        if (!contact_array_push(&d->contacts, &r->allocator, c))
            return fail_memory(r);
    }
    return true;
}

contact_graph_state tact_contact_draft_state(const contact_draft *d)
{
    contact_graph_state s = d->state;
    s.unused = d->exists ? s.unused : CONTACT_NONE;
    s.contacts = d->contacts.items;
    s.contact_count = d->contacts.count;
    s.pending = d->pending.items;
    s.pending_count = d->pending.count;
    s.reports = d->reports.items;
    s.report_count = d->reports.count;
    return s;
}

void tact_contact_draft_release(contact_draft *d, const tact_allocator *allocator)
{
    contact_array_release(&d->contacts, allocator);
    contact_index_array_release(&d->pending, allocator);
    contact_report_array_release(&d->reports, allocator);
}
