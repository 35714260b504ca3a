/*
 * The order of contacts: by the lower end of their brackets, vertex-face before edge-edge, then by index.
 *
 * Times are sorted first, by a radix sort: the bits of nonnegative doubles have their order. O(n), some 15 ns a
 * contact, where merging takes 80. Contacts at the same time (at 0 there may be many) are then merged by the rest.
 */
#include <string.h>

#include "core/sort.h"
#include "sweep/sweep_internal.h"

bool tact_sweep_contact_before(const sweep_contact *a, const sweep_contact *b)
{
    if (a->ccd.lower != b->ccd.lower)
        return a->ccd.lower < b->ccd.lower;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    for (int i = 0; i < 4; ++i)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i];
    return false;
}

static inline bool key_before(const mesh_sweep *s, const sweep_key *a, const sweep_key *b)
{
    return tact_sweep_contact_before(&s->pages[a->at / SWEEP_PAGE_CONTACTS]->contact[a->at % SWEEP_PAGE_CONTACTS],
                                     &s->pages[b->at / SWEEP_PAGE_CONTACTS]->contact[b->at % SWEEP_PAGE_CONTACTS]);
}

MERGE_SORT_OF(merge_sort, sweep_key, const mesh_sweep *, key_before)

static inline uint64_t time_bits(const sweep_key *key)
{
    uint64_t bits;
    memcpy(&bits, &key->lower, sizeof bits);
    return bits;
}

RADIX_SORT_OF(sort_times, sweep_key, time_bits)

/* Sorts in place. */
static void merge(const mesh_sweep *s, sweep_key *keys, sweep_key *scratch, size_t count)
{
    const sweep_key *sorted = merge_sort(s, keys, scratch, count);
    if (sorted != keys)
        memcpy(keys, sorted, count * sizeof *keys);
}

void tact_mesh_sweep_sort(const mesh_sweep *s, sweep_key *keys, sweep_key *scratch, size_t count)
{
    if (count < CONTACT_RADIX_MIN) {
        merge(s, keys, scratch, count);
        return;
    }
    const sweep_key *sorted = sort_times(keys, scratch, count);
    if (sorted != keys)
        memcpy(keys, sorted, count * sizeof *keys);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && keys[end].lower == keys[begin].lower; ++end)
            ;
        if (end - begin > 1)
            merge(s, keys + begin, scratch, end - begin);
    }
}
