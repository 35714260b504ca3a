/*
 * Construction of a mesh sweep: the topology of a scene of triangles, edges and points.
 *
 * The items get the order of the tree, and the vertices get slots in the order in which the items use them: what is
 * near in space is then near in memory, which saves a third of the time of a step. O(n log n) for the tree, the rest is
 * O(n).
 */
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "sweep/sweep_internal.h"

/* Removes edges of triangles and points of other items, to which no feature is assigned. */
static uint32_t drop_unassigned(uint32_t (*items)[4], uint32_t count, uint32_t triangle_count)
{
    uint32_t count_left = triangle_count;
    for (uint32_t i = triangle_count; i < count; ++i)
        if ((items[i][3] & (SWEEP_ITEM_VERTICES | SWEEP_ITEM_EDGES)) != 0)
            memmove(items[count_left++], items[i], sizeof *items);
    return count_left;
}

static bool finite_points(const tact_vec3 *points, size_t count)
{
    /* NaN if anything is not finite */
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += (points[i].x - points[i].x) + (points[i].y - points[i].y) + (points[i].z - points[i].z);
    return sum == 0.0;
}

/* Is the def valid? That no item has vertices of two parts is checked later. */
static bool def_valid(const sweep_def *def)
{
    if (def->vertex_count > MOVING_TREE_MAX_ITEMS || def->triangle_count > MOVING_TREE_MAX_ITEMS ||
        def->edge_count > MOVING_TREE_MAX_ITEMS || def->point_count > MOVING_TREE_MAX_ITEMS ||
        def->triangle_count + def->edge_count + def->point_count > MOVING_TREE_MAX_ITEMS)
        return false;
    if ((def->vertex_count > 0 && def->vertices == NULL) || (def->triangle_count > 0 && def->triangles == NULL) ||
        (def->edge_count > 0 && def->edges == NULL) || (def->point_count > 0 && def->points == NULL) ||
        (def->part_count > 0) != (def->parts != NULL))
        return false;
    for (size_t i = 0; i < def->triangle_count; ++i) {
        if (def->remeshable && def->triangles[i][0] == SWEEP_ABSENT)
            continue;
        for (unsigned k = 0; k < 3; ++k)
            if (def->triangles[i][k] >= def->vertex_count)
                return false;
    }
    for (size_t i = 0; i < def->edge_count; ++i)
        if (def->edges[i][0] >= def->vertex_count || def->edges[i][1] >= def->vertex_count)
            return false;
    for (size_t i = 0; i < def->point_count; ++i)
        if (def->points[i] >= def->vertex_count)
            return false;
    for (size_t i = 0; i < def->part_count; ++i)
        if (def->parts[i].vertex_end > def->vertex_count ||
            (i > 0 && def->parts[i].vertex_end < def->parts[i - 1].vertex_end))
            return false;
    if (def->part_count > 0 && def->parts[def->part_count - 1].vertex_end != def->vertex_count)
        return false;
    return finite_points(def->vertices, def->vertex_count);
}

static uint32_t part_of(const sweep_part *parts, size_t count, uint32_t vertex)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (vertex < parts[middle].vertex_end)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

bool tact_mesh_sweep_group(const sweep_part *parts, size_t count, const uint32_t indices[3], uint32_t *group)
{
    *group = 0;
    if (count == 0 || indices[0] == SWEEP_ABSENT)
        return true;
    const uint32_t part = part_of(parts, count, indices[0]);
    if (part_of(parts, count, indices[1]) != part || part_of(parts, count, indices[2]) != part)
        return false;
    *group = parts[part].no_self_collision ? part + 1 : 0;
    return true;
}

static void copy_items(uint32_t (*items)[4], const sweep_def *def)
{
    uint32_t n = 0;
    for (size_t i = 0; i < def->triangle_count; ++i, ++n) {
        const bool exists = def->triangles[i][0] != SWEEP_ABSENT;
        memcpy(items[n], def->triangles[i], 3 * sizeof(uint32_t));
        items[n][3] = exists ? SWEEP_ITEM_FACE : 0;
    }
    for (size_t i = 0; i < def->edge_count; ++i, ++n) {
        const uint32_t a = def->edges[i][0], b = def->edges[i][1];
        memcpy(items[n], (const uint32_t[4]){a, b, b, 0}, sizeof *items);
    }
    for (size_t i = 0; i < def->point_count; ++i, ++n) {
        const uint32_t v = def->points[i];
        memcpy(items[n], (const uint32_t[4]){v, v, v, 0}, sizeof *items);
    }
}

/* Arranges the items in the order of the tree, and assigns slots to the vertices. `given` has the items in their given
 * order. */
static void arrange(mesh_sweep *s, const uint32_t (*given)[4])
{
    memset(s->vertex_slot, 0xff, s->vertex_count * sizeof *s->vertex_slot);
    for (uint32_t i = 0; i < s->item_count; ++i) {
        const uint32_t *old = given[s->item_ids[i]];
        for (unsigned k = 0; k < 3; ++k)
            s->items[i][k] = old[0] != SWEEP_ABSENT ? tact_mesh_sweep_slot(s, old[k]) : SWEEP_ABSENT;
        s->items[i][3] = old[3];
    }
}

uint32_t tact_mesh_sweep_slot(mesh_sweep *s, uint32_t vertex)
{
    if (s->vertex_slot[vertex] == UINT32_MAX) {
        s->slot_vertex[s->slot_count] = vertex;
        s->vertex_slot[vertex] = s->slot_count++;
    }
    return s->vertex_slot[vertex];
}

/* Allocates the arrays of known size; on failure some may be allocated. */
static bool allocate(mesh_sweep *s, const sweep_def *def)
{
    const size_t item_capacity = (size_t)s->item_count + 1, vertex_capacity = (size_t)s->vertex_count + 1;
    s->items = tact_memory_allocate(&s->allocator, item_capacity, sizeof *s->items);
    s->item_ids = tact_memory_allocate(&s->allocator, item_capacity, sizeof *s->item_ids);
    s->slot_vertex = tact_memory_allocate(&s->allocator, vertex_capacity, sizeof *s->slot_vertex);
    s->vertex_slot = tact_memory_allocate(&s->allocator, vertex_capacity, sizeof *s->vertex_slot);
    s->points = tact_memory_allocate(&s->allocator, vertex_capacity, sizeof *s->points);
    s->changed = tact_memory_allocate(&s->allocator, vertex_capacity, 1);
    s->deferred_pairs = tact_memory_allocate(&s->allocator, SWEEP_MAX_DEFERRED_PAIRS, sizeof *s->deferred_pairs);
    bool complete = s->items != NULL && s->item_ids != NULL && s->slot_vertex != NULL && s->vertex_slot != NULL &&
                    s->points != NULL && s->changed != NULL && s->deferred_pairs != NULL;
    if (def->part_count > 0) {
        s->groups = tact_memory_allocate(&s->allocator, item_capacity, sizeof *s->groups);
        s->parts = tact_memory_allocate(&s->allocator, def->part_count, sizeof *s->parts);
        s->part_count = s->parts != NULL ? def->part_count : 0;
        complete = complete && s->groups != NULL && s->parts != NULL;
        if (s->parts != NULL)
            memcpy(s->parts, def->parts, def->part_count * sizeof *s->parts);
    }
    return complete;
}

/* Builds the tree over the items as given, then arranges all in its order. */
static tact_status build_tree(mesh_sweep *s, const sweep_def *def, const uint32_t (*given)[4])
{
    if (!allocate(s, def))
        return TACT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < s->item_count && s->groups != NULL; ++i)
        if (!tact_mesh_sweep_group(s->parts, s->part_count, given[i], &s->groups[i]))
            return TACT_BAD_ARGUMENT;
    /* if triangles change, a leaf of the tree does not belong to one group */
    const moving_tree_def tree_def = {.item_points = given,
                                      .item_count = s->item_count,
                                      .point_count = s->vertex_count,
                                      .points = def->vertices,
                                      .groups = def->remeshable ? NULL : s->groups,
                                      .order = s->item_ids,
                                      .allocator = s->allocator};
    const tact_status status = tact_moving_tree_create(&s->tree, &tree_def);
    if (status != TACT_OK)
        return status;
    s->marks = tact_memory_allocate(&s->allocator, (size_t)s->tree.node_count + 1, 1);
    if (s->marks == NULL)
        return TACT_OUT_OF_MEMORY;
    arrange(s, given);
    s->tree.item_points = (const uint32_t(*)[4])s->items;
    for (uint32_t i = 0; i < s->item_count && s->groups != NULL; ++i)
        (void)tact_mesh_sweep_group(s->parts, s->part_count, given[s->item_ids[i]], &s->groups[i]);
    s->remeshable = def->remeshable;
    if (s->remeshable)
        return TACT_OK;
    tact_mesh_sweep_prune_roots(s);
    return tact_vertex_fans_build(s) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

static tact_status build(mesh_sweep *s, const sweep_def *def)
{
    const size_t count = def->triangle_count + def->edge_count + def->point_count;
    s->vertex_count = (uint32_t)def->vertex_count;
    s->triangle_count = (uint32_t)def->triangle_count;
    uint32_t(*given)[4] = tact_memory_allocate(&s->allocator, count + 1, sizeof *given);
    if (given == NULL)
        return TACT_OUT_OF_MEMORY;
    copy_items(given, def);
    tact_status status = TACT_OUT_OF_MEMORY;
    feature_assignment_scratch scratch;
    if (tact_feature_assignment_scratch_allocate(&scratch, (uint32_t)count, s->vertex_count, &s->allocator)) {
        tact_assign_features(given, (uint32_t)count, s->vertex_count, &scratch);
        tact_feature_assignment_scratch_free(&scratch, &s->allocator);
        s->item_count = def->remeshable ? (uint32_t)count : drop_unassigned(given, (uint32_t)count, s->triangle_count);
        status = build_tree(s, def, (const uint32_t(*)[4])given);
    }
    tact_memory_free(&s->allocator, given, count + 1, sizeof *given);
    return status;
}

tact_status tact_mesh_sweep_create(mesh_sweep **made, const sweep_def *def)
{
    if (made == NULL)
        return TACT_BAD_ARGUMENT;
    *made = NULL;
    if (def == NULL || !def_valid(def))
        return TACT_BAD_ARGUMENT;
    mesh_sweep *s = tact_memory_allocate(&def->allocator, 1, sizeof *s);
    if (s == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(s, 0, sizeof *s);
    s->allocator = def->allocator;
    s->tree.allocator = def->allocator;
    const tact_status status = build(s, def);
    if (status != TACT_OK) {
        tact_mesh_sweep_release(s);
        return status;
    }
    *made = s;
    return TACT_OK;
}

void tact_mesh_sweep_release(mesh_sweep *s)
{
    if (s == NULL)
        return;
    const tact_allocator allocator = s->allocator;
    const size_t vertex_capacity = (size_t)s->vertex_count + 1, item_capacity = (size_t)s->item_count + 1;
    tact_memory_free(&allocator, s->marks, (size_t)s->tree.node_count + 1, 1);
    tact_mesh_sweep_free_slot_items(s);
    tact_moving_tree_release(&s->tree);
    tact_vertex_fans_release(s);
    tact_memory_free(&allocator, s->items, item_capacity, sizeof *s->items);
    tact_memory_free(&allocator, s->item_ids, item_capacity, sizeof *s->item_ids);
    tact_memory_free(&allocator, s->slot_vertex, vertex_capacity, sizeof *s->slot_vertex);
    tact_memory_free(&allocator, s->vertex_slot, vertex_capacity, sizeof *s->vertex_slot);
    tact_memory_free(&allocator, s->groups, item_capacity, sizeof *s->groups);
    tact_memory_free(&allocator, s->parts, s->part_count, sizeof *s->parts);
    tact_memory_free(&allocator, s->points, vertex_capacity, sizeof *s->points);
    tact_memory_free(&allocator, s->changed, vertex_capacity, 1);
    tact_memory_free(&allocator, s->deferred_pairs, SWEEP_MAX_DEFERRED_PAIRS, sizeof *s->deferred_pairs);
    for (uint32_t i = 0; i < s->page_count; ++i)
        tact_memory_free(&allocator, s->pages[i], 1, sizeof *s->pages[i]);
    tact_memory_free(&allocator, s->pages, s->page_capacity, sizeof *s->pages);
    tact_memory_free(&allocator, s->page_counts, s->page_capacity, sizeof *s->page_counts);
    tact_memory_free(&allocator, s->keys, s->key_capacity, sizeof *s->keys);
    tact_memory_free(&allocator, s->scratch, s->key_capacity, sizeof *s->scratch);
    tact_memory_free(&allocator, s->workers, s->worker_count, sizeof *s->workers);
    tact_memory_free(&allocator, s, 1, sizeof *s);
}

size_t tact_mesh_sweep_count(const mesh_sweep *s) { return s->key_count; }

const sweep_contact *tact_mesh_sweep_contact(const mesh_sweep *s, size_t i)
{
    const uint64_t at = s->keys[i].at;
    return s->single ? &s->first : &s->pages[at / SWEEP_PAGE_CONTACTS]->contact[at % SWEEP_PAGE_CONTACTS];
}

sweep_counts tact_mesh_sweep_counts(const mesh_sweep *s) { return s->counts; }
