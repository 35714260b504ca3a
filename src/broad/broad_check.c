/* The validator: see tact_broad_check in broad.h. Compares all with all, so it shares no search with the engines. */
#include "broad/broad_internal.h"

static bool wrong(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool check_proxies(const broad *b, const char **why)
{
    size_t alive = 0, noted = 0, unused = 0;
    for (size_t i = 0; i < b->proxies.count; ++i) {
        uint32_t flags = b->proxies.items[i].flags;
        alive += (flags & PROXY_ALIVE) != 0;
        noted += (flags & PROXY_NOTED) != 0;
    }
    for (uint32_t at = b->unused; at != BROAD_NONE; at = b->proxies.items[at].pairs)
        if (++unused > b->proxies.count)
            return wrong(why, "the list of unused numbers has no end");
    if (alive != b->count || noted != b->noted.count || alive + unused + b->removed.count != b->proxies.count)
        return wrong(why, "the proxies do not add up");
    for (uint32_t i = 0; i < b->proxies.count; ++i) {
        size_t length = 0;
        for (uint32_t link = b->proxies.items[i].pairs; b->proxies.items[i].flags != 0 && link != BROAD_NONE;
             link = b->pairs.links.items[link >> 1].next[link & 1]) {
            const broad_pair *pair = &b->pairs.pairs.items[link >> 1];
            if ((link & 1 ? pair->b : pair->a) != i || !(b->pairs.states.items[link >> 1] & PAIR_USED))
                return wrong(why, "a proxy lists a pair that is not its own");
            if (++length > b->pairs.used)
                return wrong(why, "a list of pairs has no end");
        }
    }
    return true;
}

/* The pairs are those of all boxes compared with all: they can only be after an update. */
static bool check_pairs(const broad *b, const char **why)
{
    size_t touching = 0;
    for (uint32_t i = 0; i < b->proxies.count; ++i) {
        const proxy_line *p = &b->proxies.items[i];
        for (uint32_t k = i + 1; p->flags & PROXY_ALIVE && k < b->proxies.count; ++k) {
            const proxy_line *q = &b->proxies.items[k];
            if (!(q->flags & PROXY_ALIVE) || !broad_allows(b, i, k))
                continue;
            uint32_t slot = BROAD_NONE;
            if (box_overlap(&p->now, &q->now)) {
                slot = tact_broad_find(b, i, k);
                if (slot == BROAD_NONE)
                    return wrong(why, "a pair is missing");
                ++touching;
            }
            if (b->engine == BROAD_TREE && box_overlap(&p->held, &q->held) && slot == BROAD_NONE &&
                tact_pair_set_find(&b->pairs, i, k) == BROAD_NONE)
                return wrong(why, "a near pair is missing");
        }
    }
    return touching == b->pairs.told ? true : wrong(why, "there are pairs that do not touch");
}

static bool check(const broad *b, const char **why)
{
    if (!check_proxies(b, why) || !tact_pair_set_check(&b->pairs, why))
        return false;
    if (b->engine == BROAD_SWEEP ? !tact_sweep_check(b, why) : !tact_dynamic_tree_check(&b->tree, broad_held(b), why))
        return false;
    for (uint32_t i = 0; b->engine == BROAD_TREE && i < b->proxies.count; ++i) {
        const proxy_line *p = &b->proxies.items[i];
        bool inside = box_contains(&p->held, &p->now);
        if ((p->flags & PROXY_ALIVE) && !inside && !(p->flags & PROXY_ESCAPED))
            return wrong(why, "a proxy is not inside its widened box");
        if (!b->told && (p->flags & PROXY_ALIVE) && !(p->flags & PROXY_PLACED))
            return wrong(why, "a proxy is not in the tree");
    }
    return b->told || check_pairs(b, why);
}

bool tact_broad_check(const broad *b, const char **why)
{
    const char *text = "all is well";
    bool fine = check(b, &text);
    if (why != NULL)
        *why = text;
    return fine;
}
