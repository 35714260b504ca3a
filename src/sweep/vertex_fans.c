/*
 * Vertex fans: neighbouring triangles around a vertex that cannot collide, because they stay unfolded during the step.
 *
 * Items that share a vertex always have overlapping bounds, and in a smooth mesh they are most of what a search visits.
 * They are listed once, each pair under a vertex that it shares. If the triangles around that vertex form a ring, one
 * test a step decides all of its pairs.
 *
 * Guarantee: no contact is missed (fan_test.c).
 */
#include <string.h>

#include "core/avx2.h"
#include "core/memory.h"
#include "sweep/sweep_internal.h"

/* ---- construction ---- */

/* The two other vertices of a triangle at a slot. */
typedef struct fan_link {
    uint32_t one, other;
} fan_link;

/* Sorts the links around a slot so that each begins where the one before ends; false if that does not make a ring. A
 * ring that passes a vertex twice, or through the centre, never stays unfolded. */
static bool close_ring(fan_link *links, uint32_t count)
{
    if (count > FAN_MAX_TRIANGLES)
        return false;
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t end = links[i - 1].other;
        uint32_t next = i;
        while (next < count && links[next].one != end && links[next].other != end)
            ++next;
        if (next == count)
            return false;
        const uint32_t far = links[next].one == end ? links[next].other : links[next].one;
        links[next] = links[i];
        links[i] = (fan_link){end, far};
    }
    return count > 0 && links[count - 1].other == links[0].one;
}

static void find_links(const mesh_sweep *s, uint32_t *starts, fan_link *links)
{
    memset(starts, 0, ((size_t)s->slot_count + 1) * sizeof *starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < s->item_count; ++i)
            for (unsigned k = 0; k < 3; ++k) {
                const uint32_t *c = s->items[i];
                if (pass == 0)
                    ++starts[c[k]];
                else
                    links[--starts[c[k]]] = (fan_link){c[(k + 1) % 3], c[(k + 2) % 3]};
            }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= s->slot_count; ++i)
            starts[i] = sum += starts[i]; /* the ends, from which the second pass counts down */
    }
}

/* The rings, from the links, which are at `ring_start`. */
static void find_rings(mesh_sweep *s, fan_link *links)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < s->slot_count; ++i) {
        const uint32_t begin = s->ring_start[i], count = s->ring_start[i + 1] - begin;
        s->ring_start[i] = filled;
        if (close_ring(links + begin, count))
            for (uint32_t k = 0; k < count; ++k)
                s->ring_vertices[filled++] = s->slot_vertex[links[begin + k].one];
    }
    s->ring_start[s->slot_count] = filled;
}

/* The slot under which two items that share some are listed: one with a ring, if there is one. */
static uint32_t common_slot(const mesh_sweep *s, uint32_t a, uint32_t b)
{
    uint32_t centre = s->slot_count;
    for (unsigned i = 0; i < 3; ++i)
        for (unsigned j = 0; j < 3; ++j) {
            const uint32_t p = s->items[a][i];
            if (p == s->items[b][j] && (centre == s->slot_count || s->ring_start[p] < s->ring_start[p + 1]))
                centre = p;
        }
    return centre;
}

/* Lists the neighbour pairs of the skeleton, and removes them from there: first counts, then fills. */
static void list_neighbour_pairs(mesh_sweep *s)
{
    moving_tree *tree = &s->tree;
    memset(s->neighbour_pair_start, 0, ((size_t)s->slot_count + 1) * sizeof *s->neighbour_pair_start);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t r = 0; r < tree->skeleton_used; ++r) {
            const skeleton_pair *root = &tree->skeleton[r];
            for (unsigned bit = 0; bit < 16; ++bit) {
                if ((root->adjacent >> bit & 1) == 0)
                    continue;
                const uint32_t a = tree_item(tree->nodes[root->a].child[bit / 4]);
                const uint32_t b = tree_item(tree->nodes[root->b].child[bit % 4]);
                const uint32_t centre = common_slot(s, a, b);
                if (pass == 0)
                    ++s->neighbour_pair_start[centre];
                else
                    memcpy(s->neighbour_pairs[--s->neighbour_pair_start[centre]], (const uint32_t[2]){a, b},
                           sizeof *s->neighbour_pairs);
            }
        }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= s->slot_count; ++i)
            s->neighbour_pair_start[i] = sum += s->neighbour_pair_start[i];
    }
    uint32_t root_count = 0, top_count = 0;
    for (uint32_t r = 0; r < tree->skeleton_used; ++r) {
        skeleton_pair root = tree->skeleton[r];
        root.adjacent = 0;
        if (root.disjoint != 0)
            tree->skeleton[root_count++] = root;
        top_count = r < tree->skeleton_top ? root_count : top_count;
    }
    tree->skeleton_used = root_count;
    tree->skeleton_top = top_count;
}

bool tact_vertex_fans_build(mesh_sweep *s)
{
    const size_t slot_capacity = (size_t)s->slot_count + 1, link_capacity = 3 * (size_t)s->item_count + 1;
    for (uint32_t r = 0; r < s->tree.skeleton_used; ++r)
        for (unsigned near = s->tree.skeleton[r].adjacent; near != 0; near &= near - 1)
            ++s->neighbour_pair_count;
    s->ring_vertices = tact_memory_allocate(&s->allocator, link_capacity, sizeof *s->ring_vertices);
    s->ring_start = tact_memory_allocate(&s->allocator, slot_capacity, sizeof *s->ring_start);
    s->neighbour_pair_start = tact_memory_allocate(&s->allocator, slot_capacity, sizeof *s->neighbour_pair_start);
    s->neighbour_pairs =
        tact_memory_allocate(&s->allocator, (size_t)s->neighbour_pair_count + 1, sizeof *s->neighbour_pairs);
    fan_link *links = tact_memory_allocate(&s->allocator, link_capacity, sizeof *links);
    const bool complete = s->ring_vertices != NULL && s->ring_start != NULL && s->neighbour_pair_start != NULL &&
                          s->neighbour_pairs != NULL && links != NULL;
    if (complete) {
        find_links(s, s->ring_start, links);
        find_rings(s, links);
        list_neighbour_pairs(s);
    }
    tact_memory_free(&s->allocator, links, link_capacity, sizeof *links);
    return complete;
}

void tact_vertex_fans_release(mesh_sweep *s)
{
    const size_t slot_capacity = (size_t)s->slot_count + 1, link_capacity = 3 * (size_t)s->item_count + 1;
    tact_memory_free(&s->allocator, s->ring_vertices, link_capacity, sizeof *s->ring_vertices);
    tact_memory_free(&s->allocator, s->ring_start, slot_capacity, sizeof *s->ring_start);
    tact_memory_free(&s->allocator, s->neighbour_pair_start, slot_capacity, sizeof *s->neighbour_pair_start);
    tact_memory_free(&s->allocator, s->neighbour_pairs, (size_t)s->neighbour_pair_count + 1,
                     sizeof *s->neighbour_pairs);
}

/* ---- test ---- */

static bool some_changed(const uint8_t *changed, uint32_t centre, const uint32_t *ring, uint32_t count)
{
    unsigned some = changed[centre];
    for (uint32_t i = 0; i < count; ++i)
        some |= changed[ring[i]];
    return some != 0;
}

/* Fans with as many triangles each, to be tested together. */
typedef struct fan_bin {
    fan_block fans;
    uint32_t slots[FAN_LANES];
    uint32_t used;
} fan_bin;

static void visit_pairs(sweep_worker *w, uint32_t slot)
{
    const mesh_sweep *s = w->search->sweep;
    for (uint32_t i = s->neighbour_pair_start[slot]; i < s->neighbour_pair_start[slot + 1]; ++i)
        w->pairs.visit(w, s->neighbour_pairs[i][0], s->neighbour_pairs[i][1], 0.0f, 1.0f);
}

/* Tests the fans of a bin, which have `count` triangles each, visits the pairs of those that may fold, and empties the
 * bin. */
static void test_bin(sweep_worker *w, fan_bin *bin, uint32_t count)
{
    const sweep_step *step = w->search->step;
    const double deviation = step->decide != NULL ? 0.25 * step->decide_separation : 0.0;
    for (uint32_t i = bin->used; i < FAN_LANES; ++i) { /* any fan */
        bin->fans.centre[i] = bin->fans.centre[0];
        bin->fans.ring[i] = bin->fans.ring[0];
    }
    const unsigned unfolded =
        TACT_DISPATCH_AVX2(tact_fans_stay_unfolded, step->start, step->end, &bin->fans, count, deviation);
    for (uint32_t i = 0; i < bin->used; ++i)
        if ((unfolded >> i & 1) == 0)
            visit_pairs(w, bin->slots[i]);
    bin->used = 0;
}

void tact_vertex_fans_test(sweep_worker *w, uint32_t first, uint32_t last)
{
    const mesh_sweep *s = w->search->sweep;
    const sweep_step *step = w->search->step;
    const bool skip_unfolded = step->separation == 0.0 && step->bounds == SWEEP_MOVING;
    fan_bin bins[FAN_MAX_TRIANGLES + 1];
    for (uint32_t count = 0; count <= FAN_MAX_TRIANGLES; ++count)
        bins[count].used = 0;
    for (uint32_t p = first; p < last; ++p) {
        const uint32_t *ring = s->ring_vertices + s->ring_start[p], count = s->ring_start[p + 1] - s->ring_start[p];
        if (s->neighbour_pair_start[p] == s->neighbour_pair_start[p + 1])
            continue;
        if (count > 0 && step->changed != NULL && !some_changed(step->changed, s->slot_vertex[p], ring, count))
            continue;
        if (count == 0 || !skip_unfolded) {
            visit_pairs(w, p);
            continue;
        }
        fan_bin *bin = &bins[count];
        bin->fans.centre[bin->used] = s->slot_vertex[p];
        bin->fans.ring[bin->used] = ring;
        bin->slots[bin->used++] = p;
        if (bin->used == FAN_LANES)
            test_bin(w, bin, count);
    }
    for (uint32_t count = 1; count <= FAN_MAX_TRIANGLES; ++count)
        if (bins[count].used > 0)
            test_bin(w, &bins[count], count);
}
