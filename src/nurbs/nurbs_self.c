#include "nurbs/nurbs_self.h"

#include <string.h>

#include "core/sort.h"

static inline uint64_t self_pair_key(const nurbs_self_pair *p) { return (uint64_t)p->a << 32 | p->b; }
RADIX_SORT_OF(sort_self_pairs, nurbs_self_pair, self_pair_key)

/* ---- nodes ---- */

static bool is_group(uint32_t node) { return (node & NURBS_GROUP) != 0; }

static bool is_leaf(const nurbs_bounds *b, uint32_t node)
{
    return !is_group(node) && b->t->cells.items[node].first_child == 0;
}

/* Children of a node that is no leaf: 2 or 4. */
static unsigned children_of(const nurbs_bounds *b, uint32_t node, uint32_t child[4])
{
    if (is_group(node)) {
        child[0] = nurbs_group_child(b, node & ~NURBS_GROUP, 0);
        child[1] = nurbs_group_child(b, node & ~NURBS_GROUP, 1);
        return 2;
    }
    for (uint32_t k = 0; k < 4; k++)
        child[k] = b->t->cells.items[node].first_child + k;
    return 4;
}

static uint32_t parent_of(const nurbs_bounds *b, uint32_t node)
{
    uint32_t group;
    if (is_group(node)) {
        group = b->groups[node & ~NURBS_GROUP].parent;
    } else if (b->parents[node] != NURBS_NO_NODE) {
        return b->parents[node];
    } else if (b->t->model->patch_count == 1) {
        return NURBS_NO_NODE;
    } else {
        group = b->patch_parent[b->t->cells.items[node].patch];
    }
    return group == NURBS_NO_NODE ? NURBS_NO_NODE : group | NURBS_GROUP;
}

static unsigned bit_count(uint32_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* How flat a node is: the number of directions in its fields. */
static unsigned flatness(const nurbs_node *n) { return bit_count(n->tangents[0]) + bit_count(n->tangents[1]); }

/* Is `a` opened rather than `b`? A leaf is not; then the less flat one, then the coarser one. */
static bool opens_first(const nurbs_bounds *b, uint32_t a, uint32_t c)
{
    if (is_leaf(b, a) || is_leaf(b, c))
        return is_leaf(b, c);
    if (is_group(a) != is_group(c))
        return is_group(a);
    const unsigned flat_a = flatness(nurbs_node_at(b, a)), flat_c = flatness(nurbs_node_at(b, c));
    if (flat_a != flat_c || is_group(a))
        return flat_a <= flat_c;
    return b->t->cells.items[a].level <= b->t->cells.items[c].level;
}

/* ---- tests ---- */

/* Do the fields `x` of node a and `y` of node c separate them? */
static bool fields_separate(const nurbs_bounds *b, uint32_t a, const nurbs_node *x, uint32_t c, const nurbs_node *y)
{
    const nurbs_place p = tact_nurbs_locate(b, a), q = tact_nurbs_locate(b, c);
    nurbs_link links[NURBS_MAX_LINKS];
    const unsigned count = tact_nurbs_find_links(b->t->model, &p, &q, links, NURBS_MAX_LINKS);
    for (unsigned i = 0; i < count; i++)
        if (nurbs_link_separates(&links[i], x, y))
            return true;
    return false;
}

static bool pair_is_separated(const nurbs_bounds *b, uint32_t a, uint32_t c)
{
    return fields_separate(b, a, nurbs_node_at(b, a), c, nurbs_node_at(b, c));
}

static bool unit_is_free(nurbs_self *s, uint32_t a, uint32_t c, unsigned type)
{
    const nurbs_bounds *b = s->bounds;
    s->counts.tested[type - 1]++;
    switch (type) {
    case 1:
        return nurbs_node_is_injective(nurbs_node_at(b, a));
    case 2:
        return pair_is_separated(b, a, c);
    default:
        return !box_overlap(&nurbs_node_at(b, a)->box, &nurbs_node_at(b, c)->box);
    }
}

/* Could the fields of two leaves separate a pair of nodes above them? Fields shrink upwards. Between patches, other
 * senses correspond, so all signs are possible. */
static bool fields_may_separate(const nurbs_bounds *b, uint32_t a, uint32_t c)
{
    const nurbs_node *p = &b->cells[a], *q = &b->cells[c];
    uint32_t common = UINT32_MAX;
    for (int d = 0; d < 2; d++) {
        common &= p->tangents[d] | nurbs_opposite(p->tangents[d]);
        common &= q->tangents[d] | nurbs_opposite(q->tangents[d]);
    }
    return common != 0;
}

/* Do the fields prove that there is no contact, for nodes that contain these leaves? Poles have no sense along them, so
 * nothing is concluded from fields of leaves at patches with poles. */
static bool is_separated_above(const nurbs_bounds *b, uint32_t a, uint32_t c)
{
    const nurbs_model *m = b->t->model;
    bool pole = false;
    for (int k = 0; k < 4; k++)
        pole |= m->patches[b->t->cells.items[a].patch].side[k] == NURBS_POLE ||
                m->patches[b->t->cells.items[c].patch].side[k] == NURBS_POLE;
    if (!pole && !fields_may_separate(b, a, c))
        return false;
    for (uint32_t p = a; p != NURBS_NO_NODE; p = parent_of(b, p))
        for (uint32_t q = c; q != NURBS_NO_NODE; q = parent_of(b, q))
            if (p == q ? nurbs_node_is_injective(nurbs_node_at(b, p)) : pair_is_separated(b, p, q))
                return true;
    return false;
}

/* Do the control vectors of a leaf, or of two adjacent ones, separate them? */
static bool sharp_fields_separate(nurbs_self *s, uint32_t a, uint32_t c)
{
    const nurbs_node x = tact_nurbs_sharp_node(s, a);
    if (a == c)
        return nurbs_node_is_injective(&x);
    const nurbs_node y = tact_nurbs_sharp_node(s, c);
    return fields_separate(s->bounds, a, &x, c, &y);
}

/* The distance of two intervals; of a closed surface the shorter way around. */
static uint64_t interval_gap(const nurbs_place *a, const nurbs_place *c, int d, uint64_t period)
{
    const uint64_t low = a->low[d] < c->low[d] ? a->low[d] : c->low[d],
                   high = a->high[d] > c->high[d] ? a->high[d] : c->high[d];
    const uint64_t sizes = a->high[d] - a->low[d] + (c->high[d] - c->low[d]), around = low + period - high;
    const uint64_t gap = high - low > sizes ? high - low - sizes : 0;
    return gap < around ? gap : around;
}

/* Are two leaves within NURBS_SELF_NEAR cells of each other? If the surface is not closed, some others count too. */
static bool are_near(const nurbs_bounds *b, uint32_t a, uint32_t c)
{
    const nurbs_place p = tact_nurbs_locate(b, a), q = tact_nurbs_locate(b, c);
    if (p.surface != q.surface)
        return false;
    for (int d = 0; d < 2; d++) {
        const uint64_t size_p = p.high[d] - p.low[d], size_q = q.high[d] - q.low[d],
                       size = size_p > size_q ? size_p : size_q;
        const uint64_t period = (uint64_t)b->t->model->surfaces[p.surface].span_count[d] << NURBS_PLACE_LEVEL;
        if (interval_gap(&p, &q, d, period) > NURBS_SELF_NEAR * size)
            return false;
    }
    return true;
}

/* Is a leaf outside the trims of its surface? It then has no triangles. */
static bool is_trimmed_away(const nurbs_bounds *b, uint32_t leaf)
{
    const nurbs_cell *c = &b->t->cells.items[leaf];
    return c->triangle_count == 0 && b->t->model->trims[b->t->model->patches[c->patch].surface] != NULL;
}

/* Contacts of leaves beside edges count as none. Cells that the model joins at a corner may have a common edge, too. */
static bool touch_beyond_edges(const nurbs_self *s, uint32_t a, uint32_t c)
{
    return s->bounds->t->edge_join == NULL || a == c ||
           tact_nurbs_leaves_touch_beyond_edges(&s->edges, s->bounds, a, c);
}

static bool leaves_touch(nurbs_self *s, uint32_t a, uint32_t c, unsigned type)
{
    const nurbs_bounds *b = s->bounds;
    if (is_trimmed_away(b, a) || is_trimmed_away(b, c))
        return false;
    if (type == 3) {
        s->counts.leaves++;
        if (!tact_nurbs_leaves_touch(b, a, c) || is_separated_above(b, a, c))
            return false;
        if (!touch_beyond_edges(s, a, c))
            return false;
        if (!are_near(b, a, c))
            return true;
    } else if (sharp_fields_separate(s, a, c) || !touch_beyond_edges(s, a, c)) {
        return false;
    }
    s->counts.divided++;
    return tact_nurbs_divided_leaves_touch(s, a, c) && (type == 3 || !is_separated_above(b, a, c));
}

/* ---- units ---- */

static bool add_unit(nurbs_self *s, uint32_t a, uint32_t c, unsigned type);

/* The type of two different nodes. Parts of two cells that are not adjacent are not either. */
static unsigned pair_type(const nurbs_bounds *b, uint32_t a, uint32_t c)
{
    const nurbs_place p = tact_nurbs_locate(b, a), q = tact_nurbs_locate(b, c);
    return nurbs_adjacent(b->t->model, &p, &q) ? 2 : 3;
}

/* Appends the parts of a unit. */
static bool add_parts(nurbs_self *s, uint32_t a, uint32_t c, unsigned type)
{
    const nurbs_bounds *b = s->bounds;
    uint32_t child[4];
    if (type == 1) {
        const unsigned count = children_of(b, a, child);
        for (unsigned i = 0; i < count; i++)
            for (unsigned k = i; k < count; k++)
                if (!add_unit(s, child[i], child[k], i == k ? 1 : is_group(a) ? pair_type(b, child[i], child[k]) : 2))
                    return false;
        return true;
    }
    const bool first = opens_first(b, a, c);
    const uint32_t kept = first ? c : a;
    const unsigned count = children_of(b, first ? a : c, child);
    const bool apart = type == 3 && !is_group(a) && !is_group(c);
    for (unsigned i = 0; i < count; i++)
        if (!add_unit(s, child[i], kept, apart ? 3 : pair_type(b, child[i], kept)))
            return false;
    return true;
}

/* Tests a unit and appends it, with its parts if it is opened. */
static bool add_unit(nurbs_self *s, uint32_t a, uint32_t c, unsigned type)
{
    const size_t at = s->next.count;
    if (!nurbs_unit_array_push(&s->next, &s->bounds->t->allocator,
                               (nurbs_unit){a, c, 1, (uint8_t)type, NURBS_UNIT_FREE}))
        return false;
    if (unit_is_free(s, a, c, type))
        return true;
    if (is_leaf(s->bounds, a) && is_leaf(s->bounds, c)) {
        s->next.items[at].state = leaves_touch(s, a, c, type) ? NURBS_UNIT_TOUCHES : NURBS_UNIT_FREE;
        return true;
    }
    s->next.items[at].state = NURBS_UNIT_OPEN;
    if (!add_parts(s, a, c, type))
        return false;
    s->next.items[at].size = (uint32_t)(s->next.count - at);
    return true;
}

/* ---- the list ---- */

static uint32_t present_node(const nurbs_self *s, uint32_t node)
{
    return is_group(node) || s->renumbered.count == 0 ? node : s->renumbered.items[node];
}

static bool has_changed(const nurbs_self *s, uint32_t node) { return nurbs_node_version(s->bounds, node) > s->version; }

/* Do all nodes of the parts of an old unit still exist? */
static bool parts_exist(const nurbs_self *s, size_t from)
{
    for (size_t i = from + 1, end = from + s->units.items[from].size; i < end; i += s->units.items[i].size)
        if (present_node(s, s->units.items[i].a) == NURBS_NO_NODE ||
            present_node(s, s->units.items[i].b) == NURBS_NO_NODE)
            return false;
    return true;
}

/* Brings an old unit, whose nodes exist, up to date. */
static bool follow(nurbs_self *s, size_t from)
{
    const nurbs_unit old = s->units.items[from];
    const uint32_t a = present_node(s, old.a), c = present_node(s, old.b);
    const tact_allocator *allocator = &s->bounds->t->allocator;
    if (!has_changed(s, a) && !has_changed(s, c) && s->renumbered.count == 0) {
        if (!nurbs_unit_array_reserve(&s->next, allocator, s->next.count + old.size))
            return false;
        memcpy(s->next.items + s->next.count, s->units.items + from, old.size * sizeof old);
        s->next.count += old.size;
        return true;
    }
    if (old.state != NURBS_UNIT_OPEN || !parts_exist(s, from))
        return add_unit(s, a, c, old.type);
    const size_t at = s->next.count;
    if (!nurbs_unit_array_push(&s->next, allocator, (nurbs_unit){a, c, 1, old.type, NURBS_UNIT_OPEN}))
        return false;
    bool free = true;
    for (size_t i = from + 1, end = from + old.size; i < end; i += s->units.items[i].size) {
        const size_t part = s->next.count;
        if (!follow(s, i))
            return false;
        free = free && s->next.items[part].state == NURBS_UNIT_FREE;
    }
    if (free && (s->updates + from) % NURBS_SELF_PATIENCE == 0 && unit_is_free(s, a, c, old.type)) {
        s->next.items[at].state = NURBS_UNIT_FREE;
        s->next.count = at + 1;
    }
    s->next.items[at].size = (uint32_t)(s->next.count - at);
    return true;
}

/* ---- numbers of cells ---- */

static uint64_t cell_key(const nurbs_cell *c)
{
    return (uint64_t)c->patch << 36 | (uint64_t)c->level << 32 | (uint64_t)c->x << 16 | c->y;
}

static uint32_t find_cell(const nurbs_tessellation *t, uint64_t key)
{
    const unsigned level = (unsigned)(key >> 32) & 15, x = (unsigned)(key >> 16) & 0xffff, y = (unsigned)key & 0xffff;
    uint32_t cell = t->first_cell[key >> 36];
    for (unsigned l = level; l-- > 0;) {
        const uint32_t child = t->cells.items[cell].first_child;
        if (child == 0)
            return NURBS_NO_NODE;
        cell = child + (x >> l & 1) + 2 * (y >> l & 1);
    }
    return cell;
}

/* Finds the present numbers of the cells of the list. */
static bool renumber(nurbs_self *s)
{
    const nurbs_tessellation *t = s->bounds->t;
    if (!nurbs_index_array_resize(&s->renumbered, &t->allocator, s->keys.count))
        return false;
    for (size_t i = 0; i < s->keys.count; i++)
        s->renumbered.items[i] = find_cell(t, s->keys.items[i]);
    return true;
}

static bool remember_cells(nurbs_self *s)
{
    const nurbs_cell_array *cells = &s->bounds->t->cells;
    if (!nurbs_key_array_resize(&s->keys, &s->bounds->t->allocator, cells->count))
        return false;
    for (size_t i = 0; i < cells->count; i++)
        s->keys.items[i] = cell_key(&cells->items[i]);
    return true;
}

/* ---- results ---- */

static void count_units(nurbs_self *s, size_t *touching)
{
    *touching = 0;
    for (size_t i = 0; i < s->next.count; i++) {
        const nurbs_unit *u = &s->next.items[i];
        if (u->state == NURBS_UNIT_OPEN)
            s->counts.open++;
        else
            s->counts.listed[u->type - 1]++;
        *touching += u->state == NURBS_UNIT_TOUCHES;
    }
}

static void collect_pairs(nurbs_self *s)
{
    s->pairs.count = 0;
    for (size_t i = 0; i < s->units.count; i++) {
        const nurbs_unit *u = &s->units.items[i];
        if (u->state == NURBS_UNIT_TOUCHES)
            s->pairs.items[s->pairs.count++] =
                u->a <= u->b ? (nurbs_self_pair){u->a, u->b} : (nurbs_self_pair){u->b, u->a};
    }
    nurbs_self_pair *sorted = sort_self_pairs(s->pairs.items, s->scratch.items, s->pairs.count);
    if (sorted != s->pairs.items)
        memcpy(s->pairs.items, sorted, s->pairs.count * sizeof *sorted);
}

bool tact_nurbs_self_init(nurbs_self *s, const nurbs_bounds *bounds)
{
    const nurbs_model *m = bounds->t->model;
    size_t size = 0;
    for (uint32_t i = 0; i < m->surface_count; i++) {
        const size_t points = (size_t)(m->surfaces[i].degree[0] + 1) * (size_t)(m->surfaces[i].degree[1] + 1);
        size = points > size ? points : size;
    }
    *s = (nurbs_self){.bounds = bounds, .net_size = size, .net_count = 2 + 4 * (NURBS_SELF_DEPTH + 1)};
    s->nets = tact_memory_allocate(&bounds->t->allocator, s->net_count * size, sizeof *s->nets);
    return s->nets != NULL;
}

void tact_nurbs_self_release(nurbs_self *s)
{
    if (s->bounds == NULL)
        return;
    const tact_allocator *allocator = &s->bounds->t->allocator;
    nurbs_unit_array_release(&s->units, allocator);
    nurbs_unit_array_release(&s->next, allocator);
    nurbs_self_pair_array_release(&s->pairs, allocator);
    nurbs_self_pair_array_release(&s->scratch, allocator);
    nurbs_key_array_release(&s->keys, allocator);
    nurbs_index_array_release(&s->renumbered, allocator);
    nurbs_sharp_array_release(&s->sharp, allocator);
    tact_nurbs_self_edges_release(&s->edges, allocator);
    tact_memory_free(allocator, s->nets, s->net_count * s->net_size, sizeof *s->nets);
    *s = (nurbs_self){0};
}

static bool prepare_sharp_fields(nurbs_self *s)
{
    if (s->sharp_version == s->bounds->cells_version)
        return true;
    if (!nurbs_sharp_array_resize(&s->sharp, &s->bounds->t->allocator, s->bounds->cell_count))
        return false;
    memset(s->sharp.items, 0, s->sharp.count * sizeof *s->sharp.items);
    s->sharp_version = s->bounds->cells_version;
    return true;
}

bool tact_nurbs_self_update(nurbs_self *s, bool from_root)
{
    const nurbs_bounds *b = s->bounds;
    const tact_allocator *allocator = &b->t->allocator;
    const bool fresh = from_root || s->units.count == 0 || (b->t->edge_join != NULL && s->version != b->version);
    s->counts = (nurbs_self_counts){0};
    s->next.count = s->renumbered.count = 0;
    if (!prepare_sharp_fields(s) || !tact_nurbs_self_edges_update(&s->edges, b))
        return false;
    const bool other_cells = s->cells_version != b->cells_version;
    if (!fresh && other_cells && !renumber(s))
        return false;
    if (!(fresh ? add_unit(s, nurbs_root_node(b), nurbs_root_node(b), 1) : follow(s, 0)))
        return false;
    size_t touching;
    count_units(s, &touching);
    if (!nurbs_self_pair_array_reserve(&s->pairs, allocator, touching) ||
        !nurbs_self_pair_array_reserve(&s->scratch, allocator, touching) || (other_cells && !remember_cells(s)))
        return false;
    const nurbs_unit_array done = s->next;
    s->next = s->units;
    s->units = done;
    s->updates++;
    s->version = b->version;
    s->cells_version = b->cells_version;
    collect_pairs(s);
    return true;
}
