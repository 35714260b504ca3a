/*
 * The tree engine: a dynamic tree of fat boxes, and the pairs of overlapping fat boxes (near pairs).
 *
 * A fat box contains the box of the proxy, its predicted displacement and a margin. The prediction repeats the last
 * move for a number of moves, the horizon, which is doubled when the proxy stays inside and halved when it escapes
 * early. While a proxy stays inside its fat box, its pairs are among the near pairs, and an update only tests the exact
 * boxes of these. A proxy that escapes gets a new fat box, is moved in the tree, and its near pairs are searched:
 * O(log n) plus the near pairs. If many escape at once, the tree is rebuilt, and one traversal of the tree against
 * itself finds all near pairs. The scale of all fat boxes is tuned to the measured work (tune_fat_boxes).
 *
 * Guarantee: the reported pairs are those of the exact boxes, with any fat boxes. Still proxies cost nothing. Bullet
 * and Box2D have fat boxes too, and report the pairs of fat boxes. Caching near pairs beside the exact ones is the
 * neighbour list of molecular dynamics (Verlet 1967), here with a margin for each proxy.
 *
 * Measured: unit cubes at 5 % density that all move by 5 % of their size, 10^3 / 10^4 / 10^5: 36 / 41 / 52 ns per body
 * (Bullet 3.24's btDbvt in the same run: 294 / 582 / 1469). With 1 % moving: 1.1 / 7.4 / 105 us per frame (4.2 / 79 /
 * 2711). There a move takes 600 instructions at 10^4 and at 10^5; only cache misses grow, so the memory that several
 * proxies need is prefetched together (next_escaped, next_paired). Bodies that start together escape together: about
 * every thirtieth update then takes ten times as long as the others.
 */
#include "broad/broad_internal.h"

bool tact_tree_engine_reserve(broad *b, size_t n) { return tact_dynamic_tree_reserve(&b->tree, &b->allocator, n); }

/* Makes the fat box of a proxy: its box, the displacement predicted for its horizon, and a margin. Doubles a horizon
 * that was reached, halves one that was missed. `spread` shortens the prediction by up to a half, this time only. */
static void fatten(broad_proxy *p, uint32_t spread, float scale)
{
    uint32_t horizon = p->flags >> PROXY_HORIZON_SHIFT & 255, moves = p->flags >> PROXY_MOVES_SHIFT;
    if (2 * moves > horizon)
        horizon = horizon < FAT_BOX_MAX_HORIZON ? 2 * horizon : FAT_BOX_MAX_HORIZON;
    else if (4 * moves < horizon && p->flags & PROXY_ESCAPED && p->flags & PROXY_IN_ENGINE)
        horizon = horizon > 1 ? horizon / 2 : 1;
    p->flags = (p->flags & ((1u << PROXY_HORIZON_SHIFT) - 1)) | horizon << PROXY_HORIZON_SHIFT;
    const box *n = &p->box;
    float longest = 0.0f, step = bfloat16_value(p->max_displacement);
    for (int i = 0; i < 3; ++i) {
        float side = n->max[i] - n->min[i];
        longest = side > longest ? side : longest;
    }
    p->fat_box = *n;
    if (!(step <= FAT_BOX_MAX_STEP * longest) || !(longest <= FLT_MAX))
        return; /* too fast for a prediction */
    float margin = (FAT_BOX_MARGIN_STEPS + FAT_BOX_MARGIN_TURNS / (float)horizon) * step,
          most = FAT_BOX_MAX_AHEAD * longest;
    margin = margin < FAT_BOX_MAX_MARGIN * scale * longest ? margin : FAT_BOX_MAX_MARGIN * scale * longest;
    float moves_ahead = (float)(horizon - spread % (horizon / 2 + 1)), most_ahead = (float)FAT_BOX_MAX_HORIZON * scale;
    moves_ahead = moves_ahead < most_ahead ? moves_ahead : most_ahead;
    for (int i = 0; i < 3; ++i) {
        float ahead = moves_ahead * bfloat16_value(p->displacement[i]);
        ahead = ahead < -most ? -most : ahead > most ? most : ahead;
        p->fat_box.min[i] -= ahead < 0.0f ? margin - ahead : margin; /* rounding is monotonic: never above n->min */
        p->fat_box.max[i] += ahead > 0.0f ? margin + ahead : margin;
    }
}

/* Prefetches a proxy that the loop over dirty proxies reaches TREE_ENGINE_PREFETCH iterations later. */
static inline void prefetch_ahead(const broad *b, size_t i)
{
    if (i + TREE_ENGINE_PREFETCH < b->dirty.count)
        cache_line_prefetch(&b->proxies.items[b->dirty.items[i + TREE_ENGINE_PREFETCH]]);
}

static bool is_linked(const broad *b, uint32_t at)
{
    return (b->proxies.items[at].flags & PROXY_IN_ENGINE) != 0 && b->tree.count > 1;
}

/* Prefetches the node that holds a proxy; then, once that is in the cache, the node above. */
static inline void prefetch_node(const broad *b, uint32_t at)
{
    if (is_linked(b, at))
        cache_line_prefetch(&b->tree.nodes.items[b->tree.item_slots.items[at] >> 1]);
}

static inline void prefetch_parent(const broad *b, uint32_t at)
{
    if (!is_linked(b, at))
        return;
    const uint32_t seat = b->tree.nodes.items[b->tree.item_slots.items[at] >> 1].parent_slot;
    if (seat != DYNAMIC_TREE_NONE)
        cache_line_prefetch(&b->tree.nodes.items[seat >> 1]);
}

static void build(broad *b)
{
    size_t count = 0;
    for (uint32_t i = 0; i < b->proxies.count; ++i)
        if (b->proxies.items[i].flags & PROXY_ALIVE)
            b->tree.building.items[count++].item = i;
    tact_dynamic_tree_build(&b->tree, broad_fat_boxes(b), count);
}

void tact_tree_engine_take_over(broad *b)
{
    for (size_t i = 0; i < b->proxies.count; ++i) {
        broad_proxy *p = &b->proxies.items[i];
        if (!(p->flags & PROXY_ALIVE))
            continue;
        p->fat_box = p->box;
        p->flags = (p->flags & ~(uint32_t)PROXY_ESCAPED) | PROXY_IN_ENGINE;
    }
    build(b);
}

void tact_tree_engine_remove(broad *b)
{
    for (; b->detached < b->removed.count; ++b->detached) {
        broad_proxy *p = &b->proxies.items[b->removed.items[b->detached]];
        if (p->flags & PROXY_IN_ENGINE)
            tact_dynamic_tree_remove(&b->tree, b->removed.items[b->detached]);
        p->flags &= ~(uint32_t)PROXY_IN_ENGINE;
    }
}

typedef struct near_pair_query {
    broad *b;
    uint32_t proxy;
} near_pair_query;

static bool add_near_pair(void *context, uint32_t other)
{
    near_pair_query *a = context;
    if (other == a->proxy || !broad_pair_allowed(a->b, a->proxy, other))
        return true;
    return broad_add_pair(a->b, a->proxy, other);
}

/* Updates the near pairs of one proxy: removes those that no longer overlap, adds those that the tree finds. */
static bool update_near_pairs(broad *b, uint32_t proxy)
{
    const box *fat = &b->proxies.items[proxy].fat_box;
    uint32_t link = b->proxies.items[proxy].first_pair;
    while (link != BROAD_NONE) {
        uint32_t next = b->pairs.links.items[link >> 1].next[link & 1], other = pair_cache_other(&b->pairs, link);
        if (!box_overlap(fat, &b->proxies.items[other].fat_box) || !broad_pair_allowed(b, proxy, other))
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), link >> 1);
        link = next;
    }
    near_pair_query a = {b, proxy};
    return tact_dynamic_tree_overlap(&b->tree, fat, add_near_pair, &a);
}

static bool visit_near_pair(void *context, uint32_t one, uint32_t other)
{
    broad *b = context;
    if (!broad_pair_allowed(b, one, other))
        return true;
    uint32_t slot = tact_pair_cache_find(&b->pairs, one, other);
    if (slot == BROAD_NONE) {
        bool overlap = box_overlap(&b->proxies.items[one].box, &b->proxies.items[other].box);
        slot = tact_pair_cache_add(&b->pairs, &b->allocator, broad_pair_heads(b), one, other, overlap);
        if (slot == BROAD_NONE)
            return false;
    }
    b->pairs.states.items[slot] |= PAIR_VISITED;
    return true;
}

/* Makes new fat boxes for all dirty proxies, rebuilds the tree and searches all near pairs. */
static tact_status rebuild_all(broad *b)
{
    for (size_t i = 0; i < b->dirty.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->dirty.items[i]];
        if (!(p->flags & PROXY_ALIVE))
            continue;
        if (p->flags & (PROXY_MOVED | PROXY_ESCAPED))
            fatten(p, 0, b->tuning.scale); /* no spread: escapes in one update are cheap */
        p->flags = (p->flags & ~(uint32_t)PROXY_ESCAPED) | PROXY_IN_ENGINE;
    }
    build(b);
    b->pairs_stale = true; /* until all pairs are found */
    bool all = tact_dynamic_tree_self_pairs(&b->tree, visit_near_pair, b);
    for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot) {
        uint8_t *state = &b->pairs.states.items[slot];
        if (all && (*state & (PAIR_CACHED | PAIR_VISITED)) == PAIR_CACHED)
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), slot);
        *state &= (uint8_t)~PAIR_VISITED;
    }
    if (!all)
        return TACT_OUT_OF_MEMORY;
    b->pairs_stale = false;
    for (size_t i = 0; i < b->dirty.count; ++i)
        b->proxies.items[b->dirty.items[i]].flags &= ~(uint32_t)PROXY_FIND_PAIRS;
    ++b->counters.rebuilds;
    return TACT_OK;
}

/* The next escaped proxies of the dirty list, from `from` on. Prefetches their nodes, so that their cache misses
 * overlap. */
static size_t next_escaped(const broad *b, size_t *from, uint32_t chunk[TREE_ENGINE_CHUNK])
{
    size_t count = 0;
    for (; *from < b->dirty.count && count < TREE_ENGINE_CHUNK; ++*from) {
        const uint32_t at = b->dirty.items[*from];
        prefetch_ahead(b, *from);
        if ((b->proxies.items[at].flags & (PROXY_ALIVE | PROXY_ESCAPED)) != (PROXY_ALIVE | PROXY_ESCAPED))
            continue;
        cache_line_prefetch(&b->tree.item_slots.items[at]);
        chunk[count++] = at;
    }
    for (size_t c = 0; c < count; ++c)
        prefetch_node(b, chunk[c]);
    for (size_t c = 0; c < count; ++c)
        prefetch_parent(b, chunk[c]);
    return count;
}

/* Reinserts the escaped proxies with new fat boxes; then updates the near pairs of all that need it. */
static tact_status reinsert_escaped(broad *b)
{
    uint32_t chunk[TREE_ENGINE_CHUNK];
    for (size_t i = 0, count; (count = next_escaped(b, &i, chunk)) > 0;)
        for (size_t c = 0; c < count; ++c) {
            const uint32_t at = chunk[c];
            broad_proxy *p = &b->proxies.items[at];
            fatten(p, (uint32_t)hash_pair(at, p->displacement[0]),
                   b->tuning.scale); /* spread: proxies that start together should not escape together */
            tact_dynamic_tree_set(&b->tree, broad_fat_boxes(b), at);
            p->flags = (p->flags & ~(uint32_t)PROXY_ESCAPED) | PROXY_IN_ENGINE | PROXY_FIND_PAIRS;
        }
    for (size_t i = 0; i < b->dirty.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->dirty.items[i]];
        if ((p->flags & (PROXY_ALIVE | PROXY_FIND_PAIRS)) != (PROXY_ALIVE | PROXY_FIND_PAIRS))
            continue;
        if (!update_near_pairs(b, b->dirty.items[i]))
            return TACT_OUT_OF_MEMORY;
        p->flags &= ~(uint32_t)PROXY_FIND_PAIRS;
    }
    return TACT_OK;
}

/* Tests the boxes of a near pair; returns 1 if they do not overlap. */
static inline size_t test_pair(broad *b, uint32_t slot)
{
    const broad_pair *pair = &b->pairs.pairs.items[slot];
    bool overlap = box_overlap(&b->proxies.items[pair->a].box, &b->proxies.items[pair->b].box);
    pair_cache_set_overlap(&b->pairs, slot, overlap);
    return !overlap;
}

/* The pair lists of the next moved proxies that have pairs, from `from` on. Prefetches the first pair of each and its
 * other proxy. */
static size_t next_paired(const broad *b, size_t *from, uint32_t chunk[TREE_ENGINE_CHUNK])
{
    size_t count = 0;
    for (; *from < b->dirty.count && count < TREE_ENGINE_CHUNK; ++*from) {
        const broad_proxy *p = &b->proxies.items[b->dirty.items[*from]];
        prefetch_ahead(b, *from);
        if (!(p->flags & PROXY_MOVED) || p->first_pair == BROAD_NONE)
            continue;
        cache_line_prefetch(&b->pairs.pairs.items[p->first_pair >> 1]);
        cache_line_prefetch(&b->pairs.links.items[p->first_pair >> 1]);
        cache_line_prefetch(&b->pairs.states.items[p->first_pair >> 1]);
        chunk[count++] = p->first_pair;
    }
    for (size_t c = 0; c < count; ++c)
        cache_line_prefetch(&b->proxies.items[pair_cache_other(&b->pairs, chunk[c])]);
    return count;
}

/* Tests all near pairs of moved proxies. */
static void test_moved(broad *b)
{
    size_t separate = 0;
    /* in the order of slots a pair costs less than along the lists, where it may also come twice */
    double listed =
        b->count > 0 ? 2.0 * (double)b->pairs.cached_count * (double)b->dirty.count / (double)b->count : 0.0;
    if (listed * TREE_ENGINE_LIST_COST > (double)b->pairs.pairs.count) {
        for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot)
            if (b->pairs.states.items[slot] & PAIR_CACHED)
                separate += test_pair(b, slot);
        b->tuning.tested += (double)separate;
        return;
    }
    uint32_t chunk[TREE_ENGINE_CHUNK];
    for (size_t i = 0, count; (count = next_paired(b, &i, chunk)) > 0;)
        for (size_t c = 0; c < count; ++c)
            for (uint32_t link = chunk[c]; link != BROAD_NONE; link = b->pairs.links.items[link >> 1].next[link & 1])
                separate += test_pair(b, link >> 1);
    b->tuning.tested += (double)separate;
}

/* Tunes the scale of fat boxes. Larger ones escape less often, but have more near pairs to test. With the scale s there
 * are about a s^3 tests of separate boxes and b / s escapes: the sum is least where escapes cost three times as much as
 * tests. The scale goes there step by step. It is reduced at once if near pairs take too much memory. */
static void tune_fat_boxes(broad *b)
{
    fat_box_tuning *w = &b->tuning;
    if ((double)b->pairs.cached_count > FAT_BOX_MAX_PAIRS * (double)(b->pairs.reported_count + b->count)) {
        w->scale =
            w->scale * FAT_BOX_TUNING_STEP > FAT_BOX_MIN_SCALE ? w->scale * FAT_BOX_TUNING_STEP : FAT_BOX_MIN_SCALE;
        w->updates = 0;
        return;
    }
    if (++w->updates < FAT_BOX_TUNING_PERIOD)
        return;
    double test_cost = 3.0 * TREE_ENGINE_TEST_COST * w->tested;
    if (test_cost > FAT_BOX_TUNING_TOLERANCE * w->escape_cost)
        w->scale =
            w->scale * FAT_BOX_TUNING_STEP > FAT_BOX_MIN_SCALE ? w->scale * FAT_BOX_TUNING_STEP : FAT_BOX_MIN_SCALE;
    else if (w->escape_cost > FAT_BOX_TUNING_TOLERANCE * test_cost)
        w->scale = w->scale / FAT_BOX_TUNING_STEP < 1.0f ? w->scale / FAT_BOX_TUNING_STEP : 1.0f;
    *w = (fat_box_tuning){.scale = w->scale};
}

tact_status tact_tree_engine_update(broad *b)
{
    size_t escaped = 0, inserted = 0;
    for (size_t i = 0; i < b->dirty.count; ++i) {
        prefetch_ahead(b, i);
        uint32_t flags = b->proxies.items[b->dirty.items[i]].flags;
        escaped += (flags & PROXY_ESCAPED) != 0;
        inserted += (flags & (PROXY_ESCAPED | PROXY_IN_ENGINE)) == PROXY_ESCAPED;
    }
    b->counters.escaped += escaped - inserted;
    bool many = escaped > TREE_ENGINE_REBUILD_MIN && escaped > b->count / TREE_ENGINE_REBUILD_PART;
    bool whole = b->pairs_stale || many;
    tact_status status = whole ? rebuild_all(b) : reinsert_escaped(b);
    if (status != TACT_OK)
        return status;
    test_moved(b);
    if (escaped > inserted) /* inserted proxies have the same cost with any scale */
        b->tuning.escape_cost += whole ? (double)b->count * TREE_ENGINE_REBUILD_COST
                                       : (double)(escaped - inserted) * TREE_ENGINE_ESCAPE_COST;
    tune_fat_boxes(b);
    return TACT_OK;
}
