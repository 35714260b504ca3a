/* The order of contacts: by the beginning of their brackets, vertex-face before edge-edge, then by their numbers. Merging, from
 * runs of one: no branch of it depends on anything but the contacts, which all differ. */
#include <string.h>

#include "narrow/sweep_parts.h"

bool tact_sweep_before(const sweep_contact *a, const sweep_contact *b)
{
    if (a->ccd.from != b->ccd.from)
        return a->ccd.from < b->ccd.from;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    for (int i = 0; i < 4; ++i)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i];
    return false;
}

static inline const sweep_contact *contact_of(const sweep *s, const sweep_key *key)
{
    return &s->pages[key->at / SWEEP_PAGE]->contact[key->at % SWEEP_PAGE];
}

static inline bool key_before(const sweep *s, const sweep_key *a, const sweep_key *b)
{
    if (a->from != b->from)
        return a->from < b->from;
    return tact_sweep_before(contact_of(s, a), contact_of(s, b));
}

void tact_sweep_sort(const sweep *s, sweep_key *keys, sweep_key *scratch, size_t count)
{
    sweep_key *from = keys, *to = scratch;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            const size_t middle = begin + width < count ? begin + width : count;
            const size_t end = middle + width < count ? middle + width : count;
            size_t i = begin, j = middle;
            for (size_t k = begin; k < end; ++k)
                to[k] = j >= end || (i < middle && !key_before(s, &from[j], &from[i])) ? from[i++] : from[j++];
        }
        sweep_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}
