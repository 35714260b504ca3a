/*
 * Triangles that come, go, and get other corners, in a sweep that was made for it: tearing and remeshing.
 *
 * Guarantee: the sweep then finds the same contacts as one made anew. The tree keeps its shape: a triangle keeps its
 * leaf, whatever its corners, and one that is not there has a bound that touches nothing. The skeleton stays, too:
 * which items count as neighbours is a matter of speed alone (moving_skeleton.c). Only who stands for which vertex and
 * edge is found anew (sweep_represent.c): where little changes, of the corners of what has changed, before and after,
 * alone. All items with such a corner are looked at, in their order, so the first of them is the first of all; an edge
 * whose ends are not both such corners has lost and got no item. That is a scan over all, some 3 ns a triangle; where
 * much changes some 25. A sweep that is made anew takes a microsecond.
 */
#include <string.h>

#include "core/memory.h"
#include "sweep/sweep_internal.h"

static bool changes_are_good(const mesh_sweep *s, const uint32_t *triangles, const uint32_t (*corners)[3], size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint32_t group;
        if (triangles[i] >= s->triangle_count)
            return false;
        if (corners[i][0] == SWEEP_ABSENT)
            continue;
        for (unsigned k = 0; k < 3; ++k)
            if (corners[i][k] >= s->vertex_count)
                return false;
        if (!tact_mesh_sweep_group(s->parts, s->part_count, corners[i], &group))
            return false;
    }
    return true;
}

/* Where a part of one in so many of all items is touched, who stands for what is found anew for all. */
#define TOUCHED_PART 16u

/* What a change needs besides the sweep. */
typedef struct change_scratch {
    uint32_t *homes; /* of the triangles: their items */
    uint8_t *marks;  /* of places: a corner of something that changes? */
    uint32_t *names; /* of places, while they are marked or beside such: a number of its own among these */
    uint32_t *list;  /* the items that have such corners */
    uint32_t (*items)[4];
    uint32_t touched; /* of these, at the most; 0: all are looked at */
    size_t triangle_room, place_room;
    feature_assignment_scratch represent;
} change_scratch;

static void give_scratch(change_scratch *c, const tact_allocator *allocator)
{
    tact_memory_free(allocator, c->homes, c->triangle_room, sizeof *c->homes);
    tact_memory_free(allocator, c->marks, c->place_room, 1);
    tact_memory_free(allocator, c->names, c->place_room, sizeof *c->names);
    tact_memory_free(allocator, c->list, (size_t)c->touched + 1, sizeof *c->list);
    tact_memory_free(allocator, c->items, (size_t)c->touched + 1, sizeof *c->items);
}

static bool is_touched(const uint32_t item[4], const uint8_t *marks)
{
    return item[0] != SWEEP_ABSENT && (marks[item[0]] | marks[item[1]] | marks[item[2]]) != 0;
}

static void mark_corners(const mesh_sweep *s, const change_scratch *c, uint32_t home)
{
    for (unsigned k = 0; k < 3 && s->items[home][0] != SWEEP_ABSENT; ++k)
        c->marks[s->items[home][k]] = 1;
}

/* Finds what is touched, as far as it is known, and takes memory for it. */
static bool take_scratch(const mesh_sweep *s, change_scratch *c, const uint32_t *triangles,
                         const uint32_t (*corners)[3], size_t count)
{
    const tact_allocator *allocator = &s->allocator;
    *c = (change_scratch){.triangle_room = (size_t)s->triangle_count + 1, .place_room = (size_t)s->vertex_count + 1};
    c->homes = tact_memory_allocate(allocator, c->triangle_room, sizeof *c->homes);
    c->marks = tact_memory_allocate(allocator, c->place_room, 1);
    bool fine = c->homes != NULL && c->marks != NULL;
    size_t touched = count;
    if (fine) {
        for (uint32_t i = 0; i < s->item_count; ++i)
            if (s->item_ids[i] < s->triangle_count)
                c->homes[s->item_ids[i]] = i;
        memset(c->marks, 0, c->place_room);
        for (size_t i = 0; i < count; ++i) {
            mark_corners(s, c, c->homes[triangles[i]]);
            for (unsigned k = 0; k < 3 && corners[i][0] != SWEEP_ABSENT; ++k)
                if (s->vertex_slot[corners[i][k]] != UINT32_MAX)
                    c->marks[s->vertex_slot[corners[i][k]]] = 1;
        }
        for (uint32_t i = 0; i < s->item_count; ++i)
            touched += is_touched(s->items[i], c->marks);
    }
    if (touched <= s->item_count / TOUCHED_PART) {
        c->touched = (uint32_t)touched;
        c->names = tact_memory_allocate(allocator, c->place_room, sizeof *c->names);
        c->list = tact_memory_allocate(allocator, touched + 1, sizeof *c->list);
        c->items = tact_memory_allocate(allocator, touched + 1, sizeof *c->items);
        fine = fine && c->names != NULL && c->list != NULL && c->items != NULL;
    }
    const bool all = c->touched == 0;
    fine = fine && tact_feature_assignment_scratch_allocate(&c->represent, all ? s->item_count : c->touched,
                                                            all ? s->vertex_count : 3 * c->touched, allocator);
    if (!fine)
        give_scratch(c, allocator);
    return fine;
}

/* Who stands for the corners that are marked, and the edges between them. */
static void represent_touched(mesh_sweep *s, const change_scratch *c)
{
    uint32_t count = 0, names = 0;
    memset(c->names, 0xff, c->place_room * sizeof *c->names);
    for (uint32_t i = 0; i < s->item_count; ++i) {
        if (!is_touched(s->items[i], c->marks))
            continue;
        for (unsigned k = 0; k < 3; ++k) {
            uint32_t *name = &c->names[s->items[i][k]];
            *name = *name == UINT32_MAX ? names++ : *name;
            c->items[count][k] = *name;
        }
        c->items[count][3] = s->items[i][3];
        c->list[count++] = i;
    }
    tact_assign_features(c->items, count, names, &c->represent);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t *item = s->items[c->list[i]], mask = 0;
        for (unsigned k = 0; k < 3; ++k) {
            const bool one = c->marks[item[k]], next = c->marks[item[(k + 1) % 3]];
            mask |= (one ? SWEEP_ITEM_VERTEX(k) : 0) | (one && next ? SWEEP_ITEM_EDGE(k) : 0);
        }
        item[3] = (item[3] & ~mask) | (c->items[i][3] & mask);
    }
}

tact_status tact_mesh_sweep_set_triangles(mesh_sweep *s, const uint32_t *triangles, const uint32_t (*corners)[3],
                                          size_t count)
{
    if (s == NULL || !s->remeshable || (count > 0 && (triangles == NULL || corners == NULL)) ||
        !changes_are_good(s, triangles, corners, count))
        return TACT_BAD_ARGUMENT;
    if (count == 0)
        return TACT_OK;
    change_scratch scratch;
    if (!take_scratch(s, &scratch, triangles, corners, count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t home = scratch.homes[triangles[i]];
        const bool there = corners[i][0] != SWEEP_ABSENT;
        for (unsigned k = 0; k < 3; ++k)
            s->items[home][k] = there ? tact_mesh_sweep_slot(s, corners[i][k]) : SWEEP_ABSENT;
        s->items[home][3] = there ? SWEEP_ITEM_FACE : 0;
        mark_corners(s, &scratch, home);
        if (s->groups != NULL)
            (void)tact_mesh_sweep_group(s->parts, s->part_count, corners[i], &s->groups[home]);
    }
    if (scratch.touched > 0)
        represent_touched(s, &scratch);
    else
        tact_assign_features(s->items, s->item_count, s->vertex_count, &scratch.represent);
    s->has_step = false; /* the next step fits all */
    tact_feature_assignment_scratch_free(&scratch.represent, &s->allocator);
    give_scratch(&scratch, &s->allocator);
    return TACT_OK;
}
