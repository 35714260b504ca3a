/*
 * Remeshing: triangles of a mesh sweep are added, removed or get other vertices.
 *
 * Guarantee: the mesh sweep then finds the same contacts as a new one. The tree keeps its structure: a triangle keeps
 * its leaf, whatever its vertices, and one that does not exist has a bound that overlaps nothing. The skeleton stays,
 * too: which items count as neighbours matters for speed alone (moving_skeleton.c). Only the feature assignment is
 * updated (feature_assignment.c). If little changes, only that of the vertices of changed triangles, before and after:
 * all items with such a vertex are visited in their order, so the first of them is the first of all, and an edge whose
 * ends are not both such vertices has lost and gained no item. That is a scan over all items, some 3 ns a triangle; if
 * much changes, some 25 ns. A new mesh sweep takes a microsecond a triangle.
 */
#include <string.h>

#include "core/memory.h"
#include "sweep/sweep_internal.h"

static bool changes_valid(const mesh_sweep *s, const uint32_t *triangles, const uint32_t (*indices)[3], size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t group;
        if (triangles[i] >= s->triangle_count)
            return false;
        if (indices[i][0] == SWEEP_ABSENT)
            continue;
        for (unsigned k = 0; k < 3; ++k)
            if (indices[i][k] >= s->vertex_count)
                return false;
        if (!tact_mesh_sweep_group(s->parts, s->part_count, indices[i], &group))
            return false;
    }
    return true;
}

/* Temporary memory of a change. */
typedef struct change_scratch {
    uint32_t *item_of;       /* of each triangle: its item */
    uint8_t *marks;          /* of each slot: is it a vertex of a triangle that changes? */
    uint32_t *compact_index; /* of slots that are marked or beside one: a compact index */
    uint32_t *list;          /* the items with a marked vertex */
    uint32_t (*items)[4];
    uint32_t touched; /* an upper bound of their number; 0: all items are assigned anew */
    size_t triangle_capacity, slot_capacity;
    feature_assignment_scratch assignment;
} change_scratch;

static void free_scratch(change_scratch *c, const tact_allocator *allocator)
{
    tact_memory_free(allocator, c->item_of, c->triangle_capacity, sizeof *c->item_of);
    tact_memory_free(allocator, c->marks, c->slot_capacity, 1);
    tact_memory_free(allocator, c->compact_index, c->slot_capacity, sizeof *c->compact_index);
    tact_memory_free(allocator, c->list, (size_t)c->touched + 1, sizeof *c->list);
    tact_memory_free(allocator, c->items, (size_t)c->touched + 1, sizeof *c->items);
}

static bool is_touched(const uint32_t item[4], const uint8_t *marks)
{
    return item[0] != SWEEP_ABSENT && (marks[item[0]] | marks[item[1]] | marks[item[2]]) != 0;
}

static void mark_vertices(const mesh_sweep *s, const change_scratch *c, uint32_t item)
{
    for (unsigned k = 0; k < 3 && s->items[item][0] != SWEEP_ABSENT; ++k)
        c->marks[s->items[item][k]] = 1;
}

/* Marks the vertices that are known to be affected, and allocates memory for the items that have them. */
static bool allocate_scratch(const mesh_sweep *s, change_scratch *c, const uint32_t *triangles,
                             const uint32_t (*indices)[3], size_t count)
{
    const tact_allocator *allocator = &s->allocator;
    *c = (change_scratch){.triangle_capacity = (size_t)s->triangle_count + 1,
                          .slot_capacity = (size_t)s->vertex_count + 1};
    c->item_of = tact_memory_allocate(allocator, c->triangle_capacity, sizeof *c->item_of);
    c->marks = tact_memory_allocate(allocator, c->slot_capacity, 1);
    bool complete = c->item_of != NULL && c->marks != NULL;
    size_t touched = count;
    if (complete) {
        for (uint32_t i = 0; i < s->item_count; ++i)
            if (s->item_ids[i] < s->triangle_count)
                c->item_of[s->item_ids[i]] = i;
        memset(c->marks, 0, c->slot_capacity);
        for (size_t i = 0; i < count; ++i) {
            mark_vertices(s, c, c->item_of[triangles[i]]);
            for (unsigned k = 0; k < 3 && indices[i][0] != SWEEP_ABSENT; ++k)
                if (s->vertex_slot[indices[i][k]] != UINT32_MAX)
                    c->marks[s->vertex_slot[indices[i][k]]] = 1;
        }
        for (uint32_t i = 0; i < s->item_count; ++i)
            touched += is_touched(s->items[i], c->marks);
    }
    if (touched <= s->item_count / REMESH_LOCAL_RATIO) {
        c->touched = (uint32_t)touched;
        c->compact_index = tact_memory_allocate(allocator, c->slot_capacity, sizeof *c->compact_index);
        c->list = tact_memory_allocate(allocator, touched + 1, sizeof *c->list);
        c->items = tact_memory_allocate(allocator, touched + 1, sizeof *c->items);
        complete = complete && c->compact_index != NULL && c->list != NULL && c->items != NULL;
    }
    const bool all = c->touched == 0;
    complete = complete && tact_feature_assignment_scratch_allocate(&c->assignment, all ? s->item_count : c->touched,
                                                                    all ? s->vertex_count : 3 * c->touched, allocator);
    if (!complete)
        free_scratch(c, allocator);
    return complete;
}

/* Assigns the marked vertices and the edges between them. */
static void assign_touched(mesh_sweep *s, const change_scratch *c)
{
    uint32_t count = 0, compact_count = 0;
    memset(c->compact_index, 0xff, c->slot_capacity * sizeof *c->compact_index);
    for (uint32_t i = 0; i < s->item_count; ++i) {
        if (!is_touched(s->items[i], c->marks))
            continue;
        for (unsigned k = 0; k < 3; ++k) {
            uint32_t *index = &c->compact_index[s->items[i][k]];
            *index = *index == UINT32_MAX ? compact_count++ : *index;
            c->items[count][k] = *index;
        }
        c->items[count][3] = s->items[i][3];
        c->list[count++] = i;
    }
    tact_assign_features(c->items, count, compact_count, &c->assignment);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t *item = s->items[c->list[i]], mask = 0;
        for (unsigned k = 0; k < 3; ++k) {
            const bool one = c->marks[item[k]], next = c->marks[item[(k + 1) % 3]];
            mask |= (one ? SWEEP_ITEM_VERTEX(k) : 0) | (one && next ? SWEEP_ITEM_EDGE(k) : 0);
        }
        item[3] = (item[3] & ~mask) | (c->items[i][3] & mask);
    }
}

tact_status tact_mesh_sweep_set_triangles(mesh_sweep *s, const uint32_t *triangles, const uint32_t (*indices)[3],
                                          size_t count)
{
    if (s == NULL || !s->remeshable || (count > 0 && (triangles == NULL || indices == NULL)) ||
        !changes_valid(s, triangles, indices, count))
        return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    change_scratch scratch;
    if (!allocate_scratch(s, &scratch, triangles, indices, count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t item = scratch.item_of[triangles[i]];
        const bool exists = indices[i][0] != SWEEP_ABSENT;
        for (unsigned k = 0; k < 3; ++k)
            s->items[item][k] = exists ? tact_mesh_sweep_slot(s, indices[i][k]) : SWEEP_ABSENT;
        s->items[item][3] = exists ? SWEEP_ITEM_FACE : 0;
        mark_vertices(s, &scratch, item);
        if (s->groups != NULL)
            (void)tact_mesh_sweep_group(s->parts, s->part_count, indices[i], &s->groups[item]);
    }
    if (scratch.touched > 0)
        assign_touched(s, &scratch);
    else
        tact_assign_features(s->items, s->item_count, s->vertex_count, &scratch.assignment);
    s->has_step = false; /* the next step refits all */
    tact_feature_assignment_scratch_free(&scratch.assignment, &s->allocator);
    free_scratch(&scratch, &s->allocator);
    return TACT_OK;
}
