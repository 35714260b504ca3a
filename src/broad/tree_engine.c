/*
 * The tree engine: a dynamic tree of widened boxes, and the pairs of those that meet ("near" pairs).
 *
 * A box in the tree is wider than the proxy's own: by the way ahead, if it goes on as in its last move, for as many
 * moves as it is planned for (a plan that holds is doubled, one that fails halved), and by a margin. While a proxy
 * stays inside, its pairs are among the near pairs, and an update only compares the exact boxes of these. When it
 * escapes, it is widened anew, moved in the tree, and its near pairs are searched: O(log n) and what is near. When many
 * escape at once, the tree is built anew and all near pairs come from one descent of the tree against itself. How wide
 * boxes are in all is fitted to what comparisons and escapes have cost (adjust).
 *
 * The pairs told are exact: those of the boxes themselves, whatever the widths. Still proxies cost nothing. Widened
 * boxes are those of Bullet's and Box2D's trees; there the pairs are those of the widened boxes. That near pairs are
 * kept beside exact ones is the neighbour list of molecular dynamics (Verlet 1967), here with a width for each.
 *
 * Unit cubes at 5 % density that all move 5 % of their size, 10^3 / 10^4 / 10^5: 36 / 41 / 52 ns a body (Bullet 3.24's
 * Dbvt in the same run: 294 / 582 / 1469); 1 % moving: 1.1 / 7.4 / 105 us a frame (4.2 / 79 / 2711). With 1 % moving
 * the work of a move does not grow with the still ones (600 instructions at 10^4 as at 10^5); what grows is the time
 * that memory takes, so what many proxies will need is asked for together (next_escaped, next_paired). When all set out
 * together they escape together: every thirtieth update or so then takes ten times as long as the others.
 */
#include "broad/broad_internal.h"

#define MARGIN_STEPS 2.0f  /* steps: of the margin, for ways that are not straight */
#define MARGIN_TURNS 16.0f /* steps: more of it, divided by the plan: what turns often has a short one */
#define MARGIN_MOST 0.3f   /* of the longest side: the margin is not wider */
#define PLAN_MOST 32u      /* moves: the longest plan */
#define AHEAD_MOST 1.5f    /* of the longest side: no plan goes farther */
#define STEP_MOST 0.5f     /* of the longest side: what moves faster is not widened, it would escape all the same */
#define COMPARE_COST 5.0   /* ns: of a near pair */
#define ESCAPE_COST 600.0  /* ns: of an escape by itself */
#define BATCH_COST 300.0   /* ns: of each proxy, when all is built anew */
#define ADJUST_AFTER 32    /* updates */
#define ADJUST_SLACK 1.5   /* times: nearer to the best the scale stays */
#define ADJUST_STEP 0.8f   /* times */
#define CROWD 6.0          /* near pairs for each proxy and each pair that touches: more would be too much memory */
#define SCALE_LEAST 0.03f  /* a plan of one move */
#define LISTED_COST 6.0    /* times: a pair met along a proxy's list, to one met in the order of slots */
#define FETCH_PROXIES 12   /* turns: how far ahead memory is asked for; measured at 10^6 proxies */
#define CHUNK 32           /* proxies that are got ready together: each step of the way for all of them */
#define BATCH_LEAST 64     /* escaped: fewer are put in one by one */
#define BATCH_PART 8       /* build anew when more than 1 / 8 of all have escaped (0.8 us each, or 0.3 for all) */

bool tact_tree_engine_reserve(broad *b, size_t n) { return tact_dynamic_tree_reserve(&b->tree, &b->allocator, n); }

/* Widens the box by the way that the proxy is going to make, if it goes on as it does, in as many moves as it is
 * planned for, and a margin. A plan that held is doubled, one that did not is halved. `spread` shortens it by up to a
 * half, for this time. */
static void widen(broad_proxy *p, uint32_t spread, float scale)
{
    uint32_t plan = p->flags >> PROXY_HORIZON_SHIFT & 255, moves = p->flags >> PROXY_MOVES_SHIFT;
    if (2 * moves > plan)
        plan = plan < PLAN_MOST ? 2 * plan : PLAN_MOST;
    else if (4 * moves < plan && p->flags & PROXY_ESCAPED && p->flags & PROXY_IN_ENGINE)
        plan = plan > 1 ? plan / 2 : 1;
    p->flags = (p->flags & ((1u << PROXY_HORIZON_SHIFT) - 1)) | plan << PROXY_HORIZON_SHIFT;
    const box *n = &p->box;
    float longest = 0.0f, step = bfloat16_value(p->max_displacement);
    for (int i = 0; i < 3; ++i) {
        float side = n->max[i] - n->min[i];
        longest = side > longest ? side : longest;
    }
    p->fat_box = *n;
    if (!(step <= STEP_MOST * longest) || !(longest <= FLT_MAX))
        return; /* too fast to plan for */
    float margin = (MARGIN_STEPS + MARGIN_TURNS / (float)plan) * step, most = AHEAD_MOST * longest;
    margin = margin < MARGIN_MOST * scale * longest ? margin : MARGIN_MOST * scale * longest;
    float planned = (float)(plan - spread % (plan / 2 + 1)), longest_plan = (float)PLAN_MOST * scale;
    planned = planned < longest_plan ? planned : longest_plan;
    for (int i = 0; i < 3; ++i) {
        float ahead = planned * bfloat16_value(p->displacement[i]);
        ahead = ahead < -most ? -most : ahead > most ? most : ahead;
        p->fat_box.min[i] -= ahead < 0.0f ? margin - ahead : margin; /* rounding is monotonous: never above n->min */
        p->fat_box.max[i] += ahead > 0.0f ? margin + ahead : margin;
    }
}

/* Asks for the lines of proxies that will come some turns later. */
static inline void fetch_ahead(const broad *b, size_t i)
{
    if (i + FETCH_PROXIES < b->dirty.count)
        cache_line_prefetch(&b->proxies.items[b->dirty.items[i + FETCH_PROXIES]]);
}

static bool has_seat(const broad *b, uint32_t at)
{
    return (b->proxies.items[at].flags & PROXY_IN_ENGINE) != 0 && b->tree.count > 1;
}

/* Asks for the node in which a proxy is; and for the one above, when that has come. */
static inline void fetch_seat(const broad *b, uint32_t at)
{
    if (has_seat(b, at))
        cache_line_prefetch(&b->tree.nodes.items[b->tree.item_slots.items[at] >> 1]);
}

static inline void fetch_parent(const broad *b, uint32_t at)
{
    if (!has_seat(b, at))
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
    for (; b->taken_out < b->removed.count; ++b->taken_out) {
        broad_proxy *p = &b->proxies.items[b->removed.items[b->taken_out]];
        if (p->flags & PROXY_IN_ENGINE)
            tact_dynamic_tree_remove(&b->tree, b->removed.items[b->taken_out]);
        p->flags &= ~(uint32_t)PROXY_IN_ENGINE;
    }
}

typedef struct asking {
    broad *b;
    uint32_t who;
} asking;

static bool found_near(void *context, uint32_t other)
{
    asking *a = context;
    if (other == a->who || !broad_pair_allowed(a->b, a->who, other))
        return true;
    return broad_add_pair(a->b, a->who, other);
}

/* Brings the near pairs of one proxy up to date. */
static bool ask(broad *b, uint32_t who)
{
    const box *held = &b->proxies.items[who].fat_box;
    uint32_t link = b->proxies.items[who].first_pair;
    while (link != BROAD_NONE) {
        uint32_t next = b->pairs.links.items[link >> 1].next[link & 1], other = pair_cache_other(&b->pairs, link);
        if (!box_overlap(held, &b->proxies.items[other].fat_box) || !broad_pair_allowed(b, who, other))
            tact_pair_cache_remove(&b->pairs, broad_pair_heads(b), link >> 1);
        link = next;
    }
    asking a = {b, who};
    return tact_dynamic_tree_overlap(&b->tree, held, found_near, &a);
}

static bool found_two(void *context, uint32_t one, uint32_t other)
{
    broad *b = context;
    if (!broad_pair_allowed(b, one, other))
        return true;
    uint32_t slot = tact_pair_cache_find(&b->pairs, one, other);
    if (slot == BROAD_NONE) {
        bool touching = box_overlap(&b->proxies.items[one].box, &b->proxies.items[other].box);
        slot = tact_pair_cache_add(&b->pairs, &b->allocator, broad_pair_heads(b), one, other, touching);
        if (slot == BROAD_NONE)
            return false;
    }
    b->pairs.states.items[slot] |= PAIR_VISITED;
    return true;
}

/* Widens all that was told something, builds the tree and searches all pairs anew. */
static tact_status batch(broad *b)
{
    for (size_t i = 0; i < b->dirty.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->dirty.items[i]];
        if (!(p->flags & PROXY_ALIVE))
            continue;
        if (p->flags & (PROXY_MOVED | PROXY_ESCAPED))
            widen(p, 0, b->tuning.scale); /* who escape together are cheap together */
        p->flags = (p->flags & ~(uint32_t)PROXY_ESCAPED) | PROXY_IN_ENGINE;
    }
    build(b);
    b->pairs_stale = true; /* until all pairs have been found */
    bool all = tact_dynamic_tree_self_pairs(&b->tree, found_two, b);
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

/* The next proxies of the list that have escaped, from `from` on, and the nodes that they are in asked for. What one
 * waits for, all wait for at the same time. */
static size_t next_escaped(const broad *b, size_t *from, uint32_t chunk[CHUNK])
{
    size_t count = 0;
    for (; *from < b->dirty.count && count < CHUNK; ++*from) {
        const uint32_t at = b->dirty.items[*from];
        fetch_ahead(b, *from);
        if ((b->proxies.items[at].flags & (PROXY_ALIVE | PROXY_ESCAPED)) != (PROXY_ALIVE | PROXY_ESCAPED))
            continue;
        cache_line_prefetch(&b->tree.item_slots.items[at]);
        chunk[count++] = at;
    }
    for (size_t c = 0; c < count; ++c)
        fetch_seat(b, chunk[c]);
    for (size_t c = 0; c < count; ++c)
        fetch_parent(b, chunk[c]);
    return count;
}

/* Takes the escaped ones out and puts them in again, widened anew; then searches the pairs of all that need it. */
static tact_status one_by_one(broad *b)
{
    uint32_t chunk[CHUNK];
    for (size_t i = 0, count; (count = next_escaped(b, &i, chunk)) > 0;)
        for (size_t c = 0; c < count; ++c) {
            const uint32_t at = chunk[c];
            broad_proxy *p = &b->proxies.items[at];
            widen(p, (uint32_t)hash_pair(at, p->displacement[0]),
                  b->tuning.scale); /* who set out together must not escape together */
            tact_dynamic_tree_set(&b->tree, broad_fat_boxes(b), at);
            p->flags = (p->flags & ~(uint32_t)PROXY_ESCAPED) | PROXY_IN_ENGINE | PROXY_FIND_PAIRS;
        }
    for (size_t i = 0; i < b->dirty.count; ++i) {
        broad_proxy *p = &b->proxies.items[b->dirty.items[i]];
        if ((p->flags & (PROXY_ALIVE | PROXY_FIND_PAIRS)) != (PROXY_ALIVE | PROXY_FIND_PAIRS))
            continue;
        if (!ask(b, b->dirty.items[i]))
            return TACT_OUT_OF_MEMORY;
        p->flags &= ~(uint32_t)PROXY_FIND_PAIRS;
    }
    return TACT_OK;
}

/* Compares the boxes of a near pair; 1 if for nothing. */
static inline size_t compare(broad *b, uint32_t slot)
{
    const broad_pair *pair = &b->pairs.pairs.items[slot];
    bool touching = box_overlap(&b->proxies.items[pair->a].box, &b->proxies.items[pair->b].box);
    pair_cache_set_overlap(&b->pairs, slot, touching);
    return !touching;
}

/* The lists of the next proxies that have moved and have pairs, from `from` on; the first pair of each and the other
 * proxy of it are asked for. */
static size_t next_paired(const broad *b, size_t *from, uint32_t chunk[CHUNK])
{
    size_t count = 0;
    for (; *from < b->dirty.count && count < CHUNK; ++*from) {
        const broad_proxy *p = &b->proxies.items[b->dirty.items[*from]];
        fetch_ahead(b, *from);
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

/* Compares the boxes of all near pairs of what has moved. */
static void compare_moved(broad *b)
{
    size_t in_vain = 0;
    /* one after the other they cost a part of what they cost when met along the lists, where each may come twice */
    double listed =
        b->count > 0 ? 2.0 * (double)b->pairs.cached_count * (double)b->dirty.count / (double)b->count : 0.0;
    if (listed * LISTED_COST > (double)b->pairs.pairs.count) {
        for (uint32_t slot = 0; slot < b->pairs.pairs.count; ++slot)
            if (b->pairs.states.items[slot] & PAIR_CACHED)
                in_vain += compare(b, slot);
        b->tuning.tested += (double)in_vain;
        return;
    }
    uint32_t chunk[CHUNK];
    for (size_t i = 0, count; (count = next_paired(b, &i, chunk)) > 0;)
        for (size_t c = 0; c < count; ++c)
            for (uint32_t link = chunk[c]; link != BROAD_NONE; link = b->pairs.links.items[link >> 1].next[link & 1])
                in_vain += compare(b, link >> 1);
    b->tuning.tested += (double)in_vain;
}

/* Wider boxes escape less often, but have more near pairs to compare. With widths s times as wide there are about
 * a s^3 pairs to compare in vain and b / s escapes: the sum is least where the escapes cost three times as much as the
 * comparisons. The scale goes there step by step,
 * and at once where near pairs would take too much memory. */
static void adjust(broad *b)
{
    fat_box_tuning *w = &b->tuning;
    if ((double)b->pairs.cached_count > CROWD * (double)(b->pairs.reported_count + b->count)) {
        w->scale = w->scale * ADJUST_STEP > SCALE_LEAST ? w->scale * ADJUST_STEP : SCALE_LEAST;
        w->updates = 0;
        return;
    }
    if (++w->updates < ADJUST_AFTER)
        return;
    double compared = 3.0 * COMPARE_COST * w->tested;
    if (compared > ADJUST_SLACK * w->escape_cost)
        w->scale = w->scale * ADJUST_STEP > SCALE_LEAST ? w->scale * ADJUST_STEP : SCALE_LEAST;
    else if (w->escape_cost > ADJUST_SLACK * compared)
        w->scale = w->scale / ADJUST_STEP < 1.0f ? w->scale / ADJUST_STEP : 1.0f;
    *w = (fat_box_tuning){.scale = w->scale};
}

tact_status tact_tree_engine_update(broad *b)
{
    size_t escaped = 0, fresh = 0;
    for (size_t i = 0; i < b->dirty.count; ++i) {
        fetch_ahead(b, i);
        uint32_t flags = b->proxies.items[b->dirty.items[i]].flags;
        escaped += (flags & PROXY_ESCAPED) != 0;
        fresh += (flags & (PROXY_ESCAPED | PROXY_IN_ENGINE)) == PROXY_ESCAPED;
    }
    b->counters.escaped += escaped - fresh;
    bool many = escaped > BATCH_LEAST && escaped > b->count / BATCH_PART;
    bool whole = b->pairs_stale || many;
    tact_status status = whole ? batch(b) : one_by_one(b);
    if (status != TACT_OK)
        return status;
    compare_moved(b);
    if (escaped > fresh) /* what is new would have cost that anyway */
        b->tuning.escape_cost += whole ? (double)b->count * BATCH_COST : (double)(escaped - fresh) * ESCAPE_COST;
    adjust(b);
    return TACT_OK;
}
