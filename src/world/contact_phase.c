/* The phases of contacts: see contact_phase.h. */
#include "world/contact_phase.h"

#define SELF_CONTACT (UINT64_C(1) << 63) /* self-contacts come last; indices are below 2^31 */

uint64_t tact_reported_pair_key(const reported_pair *pair)
{
    const uint32_t a = pair->a.index, b = pair->b.index;
    return a == b ? SELF_CONTACT | a : a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

bool tact_phases_begin(contact_phases *p, const tact_allocator *allocator, size_t most)
{
    const size_t all = most > p->last.count ? most : p->last.count;
    /* for the next test, too: if it has as many pairs, it needs no memory */
    if (!reported_pair_array_reserve(&p->now, allocator, all) ||
        !reported_pair_array_reserve(&p->last, allocator, all) ||
        !reported_index_array_reserve(&p->ended, allocator, all))
        return false;
    p->now.count = p->ended.count = p->cursor = 0;
    return true;
}

static bool same_body(tact_body a, tact_body b) { return a.index == b.index && a.generation == b.generation; }

/* Whether the last test reported the pair. Those before it have ended. One with the same indices but of another body,
 * which was removed, has ended, too. */
static bool was_reported(contact_phases *p, const reported_pair *pair)
{
    const uint64_t key = tact_reported_pair_key(pair);
    for (; p->cursor < p->last.count; ++p->cursor) {
        const reported_pair *last = &p->last.items[p->cursor];
        if (tact_reported_pair_key(last) > key)
            return false;
        if (same_body(last->a, pair->a) && same_body(last->b, pair->b)) {
            ++p->cursor;
            return true;
        }
        p->ended.items[p->ended.count++] = (uint32_t)p->cursor;
    }
    return false;
}

tact_phase tact_phases_report(contact_phases *p, const reported_pair *pair)
{
    p->now.items[p->now.count++] = *pair;
    return was_reported(p, pair) ? TACT_PHASE_PERSIST : TACT_PHASE_BEGIN;
}

void tact_phases_keep(contact_phases *p, const reported_pair *pair)
{
    if (was_reported(p, pair))
        p->now.items[p->now.count++] = *pair;
}

size_t tact_phases_finish(contact_phases *p)
{
    for (; p->cursor < p->last.count; ++p->cursor)
        p->ended.items[p->ended.count++] = (uint32_t)p->cursor;
    return p->ended.count;
}

reported_pair tact_phases_ended(const contact_phases *p, size_t i) { return p->last.items[p->ended.items[i]]; }

void tact_phases_end(contact_phases *p)
{
    const reported_pair_array last = p->last;
    p->last = p->now;
    p->now = last;
    p->now.count = p->ended.count = p->cursor = 0;
}

void tact_phases_release(contact_phases *p, const tact_allocator *allocator)
{
    reported_pair_array_release(&p->last, allocator);
    reported_pair_array_release(&p->now, allocator);
    reported_index_array_release(&p->ended, allocator);
}
