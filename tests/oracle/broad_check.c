#include "oracle/broad_check.h"

#include <math.h>
#include <string.h>

#include "broad/broad_internal.h"
#include "oracle/queue_check.h"

static bool wrong(const char **why, const char *text)
{
    *why = text;
    return false;
}

/* ---- the dynamic tree ---- */

static bool same_box(const box *a, const box *b) { return box_contains(a, b) && box_contains(b, a); }

static uint8_t height_of(const dynamic_tree *v, uint32_t child)
{
    if (child & DYNAMIC_TREE_LEAF)
        return 0;
    const uint8_t a = height_of(v, v->nodes.items[child].child[0]), b = height_of(v, v->nodes.items[child].child[1]);
    return (uint8_t)(1 + (a > b ? a : b));
}

static box node_box(const dynamic_tree_node *node)
{
    const box a = dynamic_tree_child_box(node, 0), b = dynamic_tree_child_box(node, 1);
    return box_union(&a, &b);
}

/* Checks what is below a child; counts the items in it. */
static bool check_child(const dynamic_tree *v, dynamic_tree_boxes boxes, uint32_t child, uint32_t slot,
                        const box *around, size_t *items, const char **why)
{
    if (child & DYNAMIC_TREE_LEAF) {
        uint32_t item = child & ~DYNAMIC_TREE_LEAF;
        ++*items;
        if (v->item_slots.items[item] != slot)
            return wrong(why, "a leaf does not know its slot");
        if (!same_box(dynamic_tree_box(boxes, item), around))
            return wrong(why, "the box of a leaf is not that of the item");
        return true;
    }
    const dynamic_tree_node *node = &v->nodes.items[child];
    if (node->parent_slot != slot)
        return wrong(why, "a node does not know its slot");
    box tight = node_box(node);
    if (around != NULL && !same_box(around, &tight))
        return wrong(why, "the box of a node is not the union of its children's");
    if (node->height[0] != height_of(v, node->child[0]) || node->height[1] != height_of(v, node->child[1]))
        return wrong(why, "the height of a node is wrong");
    for (uint32_t side = 0; side < 2; ++side) {
        box b = dynamic_tree_child_box(node, side);
        if (!check_child(v, boxes, node->child[side], child << 1 | side, &b, items, why))
            return false;
    }
    return true;
}

static bool check_tree(const dynamic_tree *v, dynamic_tree_boxes boxes, const char **why)
{
    size_t items = 0;
    if (v->root != DYNAMIC_TREE_NONE) {
        if (tact_dynamic_tree_height(v) > DYNAMIC_TREE_MAX_HEIGHT)
            return wrong(why, "the tree is too high");
        const box *around = v->root & DYNAMIC_TREE_LEAF ? &v->root_leaf : NULL;
        if (!check_child(v, boxes, v->root, DYNAMIC_TREE_NONE, around, &items, why))
            return false;
    }
    return items == v->count ? true : wrong(why, "the tree does not hold as many items as it should");
}

/* ---- the pairs ---- */

static bool check_pair_cache(const pair_cache *set, const char **why)
{
    size_t used = 0, reported = 0, queued = 0, entries = 0;
    for (uint32_t slot = 0; slot < set->pairs.count; ++slot) {
        uint8_t state = set->states.items[slot];
        const broad_pair *pair = &set->pairs.items[slot];
        reported += (state & PAIR_REPORTED) != 0;
        queued += (state & PAIR_QUEUED) != 0;
        if (!(state & PAIR_CACHED))
            continue;
        ++used;
        if (pair->a >= pair->b)
            return wrong(why, "a pair is out of order");
        if (tact_pair_cache_find(set, pair->b, pair->a) != slot)
            return wrong(why, "a pair is not found in the table");
        if (!(state & PAIR_QUEUED) && ((state & PAIR_OVERLAPS) != 0) != ((state & PAIR_REPORTED) != 0))
            return wrong(why, "a change is not in the queue");
        for (uint32_t end = 0; end < 2; ++end) {
            uint32_t next = set->links.items[slot].next[end];
            if (next != BROAD_NONE && set->links.items[next >> 1].previous[next & 1] != (slot << 1 | end))
                return wrong(why, "a list of pairs is torn");
        }
    }
    for (size_t i = 0; i < set->table_size; ++i)
        entries += set->table[i].slot != BROAD_NONE;
    if (entries != used || used != set->cached_count)
        return wrong(why, "the table does not hold as many pairs as there are");
    if (reported != set->reported_count && set->changed.count == 0)
        return wrong(why, "the number of pairs is wrong");
    if (queued != set->changed.count)
        return wrong(why, "the queue does not hold as many pairs as are marked");
    return true;
}

/* ---- sweep and prune ---- */

/* The proxy of an endpoint, whether it is an upper one, and whether its bound is `bound`. */
static uint32_t proxy_of(sweep_endpoint end) { return (uint32_t)(end & 0x7fffffff); }
static uint32_t side_of(sweep_endpoint end) { return (uint32_t)(end >> 31 & 1); }

static bool stands_for(sweep_endpoint end, float bound)
{
    const uint32_t word = (uint32_t)(end >> 32), bits = word & 0x80000000u ? word ^ 0x80000000u : ~word;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value == bound;
}

static bool check_sweep(const broad *b, const char **why)
{
    size_t placed = 0;
    for (size_t i = 0; i < b->proxies.count; ++i)
        placed += (b->proxies.items[i].flags & PROXY_IN_ENGINE) != 0;
    for (int axis = 0; axis < 3; ++axis) {
        const sweep_endpoint_array *ends = &b->sweep.endpoints[axis];
        if (ends->count != 2 * placed)
            return wrong(why, "an axis does not hold two ends a proxy");
        for (size_t i = 0; i < ends->count; ++i) {
            sweep_endpoint end = ends->items[i];
            const broad_proxy *p = &b->proxies.items[proxy_of(end)];
            if (i > 0 && ends->items[i - 1] >= end)
                return wrong(why, "the ends are not in order");
            if (!(p->flags & PROXY_IN_ENGINE))
                return wrong(why, "an end belongs to no proxy");
            if (b->sweep.slots.items[proxy_of(end)].slot[axis][side_of(end)] != i)
                return wrong(why, "a proxy does not know where its end is");
            if (!b->changed && !stands_for(end, side_of(end) ? p->box.max[axis] : p->box.min[axis]))
                return wrong(why, "an end is not where the box ends");
        }
    }
    return true;
}

/* ---- the broad phase ---- */

static bool check_proxies(const broad *b, const char **why)
{
    size_t alive = 0, dirty = 0, unused = 0;
    for (size_t i = 0; i < b->proxies.count; ++i) {
        uint32_t flags = b->proxies.items[i].flags;
        alive += (flags & PROXY_ALIVE) != 0;
        dirty += (flags & PROXY_DIRTY) != 0;
    }
    for (uint32_t at = b->free_proxy; at != BROAD_NONE; at = b->proxies.items[at].first_pair)
        if (++unused > b->proxies.count)
            return wrong(why, "the list of unused numbers has no end");
    if (alive != b->count || dirty != b->dirty.count || alive + unused + b->removed.count != b->proxies.count)
        return wrong(why, "the proxies do not add up");
    for (uint32_t i = 0; i < b->proxies.count; ++i) {
        size_t length = 0;
        for (uint32_t link = b->proxies.items[i].first_pair; b->proxies.items[i].flags != 0 && link != BROAD_NONE;
             link = b->pairs.links.items[link >> 1].next[link & 1]) {
            const broad_pair *pair = &b->pairs.pairs.items[link >> 1];
            if ((link & 1 ? pair->b : pair->a) != i || !(b->pairs.states.items[link >> 1] & PAIR_CACHED))
                return wrong(why, "a proxy lists a pair that is not its own");
            if (++length > b->pairs.cached_count)
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
        const broad_proxy *p = &b->proxies.items[i];
        for (uint32_t k = i + 1; p->flags & PROXY_ALIVE && k < b->proxies.count; ++k) {
            const broad_proxy *q = &b->proxies.items[k];
            if (!(q->flags & PROXY_ALIVE) || !broad_pair_allowed(b, i, k))
                continue;
            uint32_t slot = BROAD_NONE;
            if (box_overlap(&p->box, &q->box)) {
                slot = tact_broad_find_pair(b, i, k);
                if (slot == BROAD_NONE)
                    return wrong(why, "a pair is missing");
                ++touching;
            }
            if (b->engine == BROAD_TREE && box_overlap(&p->fat_box, &q->fat_box) && slot == BROAD_NONE &&
                tact_pair_cache_find(&b->pairs, i, k) == BROAD_NONE)
                return wrong(why, "a near pair is missing");
        }
    }
    return touching == b->pairs.reported_count ? true : wrong(why, "there are pairs that do not touch");
}

static bool check(const broad *b, const char **why)
{
    if (!check_proxies(b, why) || !check_pair_cache(&b->pairs, why))
        return false;
    if (b->engine == BROAD_SWEEP ? !check_sweep(b, why) : !check_tree(&b->tree, broad_fat_boxes(b), why))
        return false;
    for (uint32_t i = 0; b->engine == BROAD_TREE && i < b->proxies.count; ++i) {
        const broad_proxy *p = &b->proxies.items[i];
        bool inside = box_contains(&p->fat_box, &p->box);
        if ((p->flags & PROXY_ALIVE) && !inside && !(p->flags & PROXY_ESCAPED))
            return wrong(why, "a proxy is not inside its widened box");
        if (!b->changed && (p->flags & PROXY_ALIVE) && !(p->flags & PROXY_IN_ENGINE))
            return wrong(why, "a proxy is not in the tree");
    }
    return b->changed || check_pairs(b, why);
}

bool tact_broad_check(const broad *b, const char **why)
{
    const char *text = "all is well";
    bool fine = check(b, &text);
    if (why != NULL)
        *why = text;
    return fine;
}

/* ---- neighbours, sphere grid, fat bounds ---- */

bool tact_neighbours_check(const neighbours *n)
{
    for (uint32_t i = 0; i < n->lists.count; ++i) {
        const neighbour_span all = neighbours_of(n, i);
        for (uint32_t k = 0; k < all.count; ++k) {
            const neighbour one = all.items[k];
            const neighbour_span back = neighbours_of(n, one.index);
            if (one.index == i || one.mirror >= back.count || back.items[one.mirror].index != i ||
                back.items[one.mirror].mirror != k || back.items[one.mirror].data != one.data)
                return false;
        }
    }
    return true;
}

/* The cell of a point, which is in the region. */
static uint32_t cell_of(const sphere_grid *g, const float centre[3])
{
    uint32_t cell = 0;
    for (int i = 2; i >= 0; --i)
        cell = cell * (uint32_t)g->size[i] + (uint32_t)(((double)centre[i] - g->low[i]) * g->inverse_side);
    return cell;
}

static bool check_grid(const sphere_grid *g)
{
    size_t count = 0;
    for (uint32_t i = 0; i < g->cells.count; ++i) {
        const grid_cell *cell = &g->cells.items[i];
        if (cell->count > GRID_CELL_CAPACITY)
            return false;
        for (uint32_t k = 0; k < cell->count; ++k)
            if (cell_of(g, cell->entries[k].sphere.centre) != i || !(cell->entries[k].sphere.radius <= g->max_radius) ||
                g->slots.items[cell->entries[k].item & ~GRID_MARK] != (i << 3 | k))
                return false;
        count += cell->count;
    }
    return count == g->count;
}

static bool allows(const broad_filter *a, const broad_filter *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static bool forms_meet(const fat_bound *a, const fat_bound *b)
{
    return a->sphere.radius >= 0.0f && b->sphere.radius >= 0.0f ? grid_spheres_overlap(&a->sphere, &b->sphere)
                                                                : box_overlap(&a->box, &b->box);
}

bool tact_fat_bounds_check(const fat_bounds *s)
{
    size_t pairs = 0, seen = 0, balls = 0, there = 0;
    for (uint32_t i = 0; i < s->bounds.count; ++i) {
        there += fat_bounds_has(s, i);
        balls += s->bounds.items[i].sphere.radius >= 0.0f;
        for (uint32_t j = i + 1; fat_bounds_has(s, i) && j < s->bounds.count; ++j)
            pairs += fat_bounds_has(s, j) && forms_meet(&s->bounds.items[i], &s->bounds.items[j]) &&
                     allows(&s->filters.items[i], &s->filters.items[j]);
    }
    for (uint32_t i = 0; i < s->bounds.count; ++i) {
        const neighbour_span n = neighbours_of(s->neighbours, i);
        for (uint32_t k = 0; k < n.count; ++k) {
            const uint32_t j = n.items[k].index;
            if (!forms_meet(&s->bounds.items[i], &s->bounds.items[j]) ||
                !allows(&s->filters.items[i], &s->filters.items[j]))
                return false;
            ++seen;
        }
    }
    return seen == 2 * pairs && balls == s->sphere_count && there == s->grid.count + s->tree.count &&
           tact_neighbours_check(s->neighbours) && check_grid(&s->grid);
}

/* ---- kinetic sweep and prune ---- */

static double endpoint_at(const kinetic_sweep *s, int axis, uint32_t end)
{
    const kinetic_box *b = &s->boxes.items[end >> 1];
    const kinetic_endpoint *e = &b->endpoints[axis][end & 1];
    const double t = s->time - b->since;
    return e->x + t * (e->v + 0.5 * t * e->a);
}

bool tact_kinetic_sweep_check(const kinetic_sweep *s, double slack)
{
    for (int axis = 0; axis < 3; ++axis) {
        const kinetic_index_array *order = &s->order[axis];
        for (size_t i = 0; i < order->count; ++i) {
            if (s->ranks[axis].items[order->items[i]] != i)
                return false;
            if (i + 1 < order->count &&
                endpoint_at(s, axis, order->items[i]) > endpoint_at(s, axis, order->items[i + 1]) + slack)
                return false;
        }
    }
    return tact_event_queue_check(&s->queue);
}
