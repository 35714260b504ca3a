/*
 * Steps in which few vertices change: the items that have them are listed, refitted and searched from the root of the
 * tree (tree/moving_change.c), instead of passing over all nodes, fans and the skeleton.
 *
 * Guarantee: the contacts are those of the long way. All pairs of items whose bounds overlap, one of them with a
 * changed vertex, are visited once; also neighbours, as their bounds overlap.
 *
 * Memory, from the first such step on: 17 bytes per triangle and 4 per vertex, beside the links of the tree.
 */
#include <string.h>

#include "core/avx2.h"
#include "core/memory.h"
#include "sweep/sweep_internal.h"

void tact_mesh_sweep_free_slot_items(mesh_sweep *s)
{
    const size_t slots = (size_t)s->slot_count + 1, links = 3 * (size_t)s->item_count + 1;
    tact_memory_free(&s->allocator, s->slot_item_start, slots, sizeof *s->slot_item_start);
    tact_memory_free(&s->allocator, s->slot_items, links, sizeof *s->slot_items);
    tact_memory_free(&s->allocator, s->item_changed, (size_t)s->item_count + 1, 1);
    s->slot_item_start = s->slot_items = NULL;
    s->item_changed = NULL;
}

/* Lists the items of each slot, if that has not been done. False: out of memory. */
static bool list_slot_items(mesh_sweep *s)
{
    if (s->slot_items != NULL)
        return true;
    const size_t slots = (size_t)s->slot_count + 1, links = 3 * (size_t)s->item_count + 1;
    s->slot_item_start = tact_memory_allocate(&s->allocator, slots, sizeof *s->slot_item_start);
    s->slot_items = tact_memory_allocate(&s->allocator, links, sizeof *s->slot_items);
    s->item_changed = tact_memory_allocate(&s->allocator, (size_t)s->item_count + 1, 1);
    if (s->slot_item_start == NULL || s->slot_items == NULL || s->item_changed == NULL ||
        !tact_moving_tree_link(&s->tree)) {
        tact_mesh_sweep_free_slot_items(s);
        return false;
    }
    memset(s->item_changed, 0, (size_t)s->item_count + 1);
    memset(s->slot_item_start, 0, slots * sizeof *s->slot_item_start);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < s->item_count; ++i)
            for (unsigned k = 0; k < 3; ++k) {
                if (pass == 0)
                    ++s->slot_item_start[s->items[i][k]];
                else
                    s->slot_items[--s->slot_item_start[s->items[i][k]]] = i;
            }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= s->slot_count; ++i)
            s->slot_item_start[i] = sum += s->slot_item_start[i]; /* the ends, from which the second pass counts down */
    }
    return true;
}

/* Lists the vertices whose entry is not 0. False: too many. */
static bool list_vertices(mesh_sweep *s, const uint8_t *changed)
{
    s->few_vertex_count = 0;
    for (uint32_t i = 0; i < s->vertex_count;) {
        uint64_t eight;
        if (s->vertex_count - i >= sizeof eight) {
            memcpy(&eight, changed + i, sizeof eight);
            if (eight == 0) {
                i += (uint32_t)sizeof eight;
                continue;
            }
        }
        if (changed[i] != 0) {
            if (s->few_vertex_count == SWEEP_FEW_VERTICES)
                return false;
            s->few_vertices[s->few_vertex_count++] = i;
        }
        ++i;
    }
    return true;
}

void tact_mesh_sweep_forget_few(mesh_sweep *s)
{
    for (uint32_t i = 0; i < s->few_item_count; ++i)
        s->item_changed[s->few_items[i]] = 0;
    for (uint32_t i = 0; i < s->few_vertex_count; ++i)
        if (s->vertex_slot[s->few_vertices[i]] != UINT32_MAX)
            s->changed[s->vertex_slot[s->few_vertices[i]]] = 0;
    s->few_item_count = s->few_vertex_count = 0;
}

bool tact_mesh_sweep_find_few(mesh_sweep *s, const uint8_t *changed)
{
    const uint32_t most =
        s->item_count / SWEEP_FEW_RATIO < SWEEP_FEW_ITEMS ? s->item_count / SWEEP_FEW_RATIO : SWEEP_FEW_ITEMS;
    s->few_item_count = 0;
    if (s->remeshable || most == 0 || !list_vertices(s, changed) || !list_slot_items(s)) {
        s->few_vertex_count = 0;
        return false;
    }
    if (!s->changed_clear) {
        memset(s->changed, 0, s->slot_count);
        s->changed_clear = true;
    }
    for (uint32_t i = 0; i < s->few_vertex_count; ++i) {
        const uint32_t slot = s->vertex_slot[s->few_vertices[i]];
        if (slot == UINT32_MAX)
            continue;
        s->changed[slot] = 1;
        for (uint32_t k = s->slot_item_start[slot]; k < s->slot_item_start[slot + 1]; ++k) {
            const uint32_t item = s->slot_items[k];
            if (s->item_changed[item] != 0)
                continue;
            if (s->few_item_count == most) {
                tact_mesh_sweep_forget_few(s);
                return false;
            }
            s->item_changed[item] = 1;
            s->few_items[s->few_item_count++] = item;
        }
    }
    return true;
}

void tact_mesh_sweep_refit_few(mesh_sweep *s, const sweep_step *step)
{
    for (uint32_t i = 0; i < s->few_vertex_count; ++i) {
        const uint32_t v = s->few_vertices[i], slot = s->vertex_slot[v];
        if (slot == UINT32_MAX)
            continue;
        tact_moving_point_set(&s->points[slot], &s->frame, step->start[v], step->end[v]);
        if (step->bounds != SWEEP_MOVING)
            tact_moving_point_set_swept(&s->points[slot]);
    }
    tact_moving_tree_refit_items(&s->tree, s->points, s->few_items, s->few_item_count);
}

/* An item is not tested with itself, and two changed items only once. */
static void visit_few(void *worker, uint32_t a, uint32_t b, float enter, float exit)
{
    sweep_worker *w = worker;
    if (a != b && (w->search->sweep->item_changed[b] == 0 || a < b))
        w->pairs.visit(w, a, b, enter, exit);
}

void tact_mesh_sweep_search_few(sweep_worker *w)
{
    const mesh_sweep *s = w->search->sweep;
    moving_pair_query query = {visit_few, w, NULL, w->pairs.limit};
    for (uint32_t i = 0; i < s->few_item_count; ++i)
        TACT_DISPATCH_AVX2(tact_moving_tree_pairs_of_item, &s->tree, s->few_items[i], &query);
}
