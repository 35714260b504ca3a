/*
 * Obstacles that are met as shapes: see step_leaves.h. They are taken apart anew in each step, in the order of parts
 * and, within a body, depth first; the tree over their boxes is built anew only if there are other leaves than before,
 * and fitted otherwise. Linear in the leaves.
 *
 * A body of one convex piece that its own turn maps onto itself (a ball, whatever its spin; a cylinder about its axis)
 * goes its way without turning, so that straight paths do not shrink it.
 */
#include "step/obstacle_leaves.h"

#include "step/step_scene.h"

void tact_step_leaves_clear(step_leaves *l)
{
    for (size_t i = 0; i < l->shapes.count; ++i)
        tact_shape_release(l->shapes.items[i]);
    l->shapes.count = l->groups.count = l->leaves.count = 0;
    l->size = 0.0;
}

void tact_step_leaves_release(step_leaves *l, const tact_allocator *allocator)
{
    tact_step_leaves_clear(l);
    step_shape_array_release(&l->shapes, allocator);
    step_group_array_release(&l->groups, allocator);
    step_leaf_array_release(&l->leaves, allocator);
    box_array_release(&l->boxes, allocator);
    tact_aabb_tree_release(&l->tree);
}

/* ---- ways ---- */

static bool goes_round(const tact_shape *shape, const step_way *way)
{
    const axis_rotation *t = &way->turned;
    return (t->sine != 0.0 || t->versine != 0.0) && tact_flex_is_round(shape, way->from, t->axis);
}

/* Where the geometry of the body ends up. */
static tact_transform end_of(const step_way *way, bool slides)
{
    tact_transform end = slides ? *way->from : *way->to;
    end.origin = way->to->origin;
    return end;
}

/* ---- leaves ---- */

typedef struct leaf_writer {
    step_leaves *l;
    const tact_allocator *allocator;
    size_t next; /* group that is to be told its end */
    uint32_t part;
} leaf_writer;

static bool begin_leaf(void *context, const instance *leaf)
{
    leaf_writer *w = context;
    const step_group group = {
        .way = {.ends = {*leaf, *leaf}}, .part = w->part, .shape = (uint32_t)w->l->shapes.count - 1};
    const uint32_t count = leaf->shape->mesh != NULL ? leaf->shape->mesh->element_count : 1;
    if (!step_group_array_push(&w->l->groups, w->allocator, group) ||
        !step_leaf_array_reserve(&w->l->leaves, w->allocator, w->l->leaves.count + count))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        w->l->leaves.items[w->l->leaves.count++] = (step_leaf){(uint32_t)(w->l->groups.count - 1), i};
    return true;
}

static bool end_leaf(void *context, const instance *leaf)
{
    leaf_writer *w = context;
    w->l->groups.items[w->next++].way.ends[1].at = leaf->at;
    return true;
}

/* Tells the groups from `first` on, which are those of one body, where they end. */
static tact_status end_leaves(step_leaves *l, size_t first, const tact_shape *shape, const step_way *way, bool slides)
{
    leaf_writer w = {.l = l, .next = first};
    instance whole;
    const tact_transform end = end_of(way, slides);
    if (tact_instance_make(&whole, shape, &end) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    (void)tact_traverse_leaves(&whole, end_leaf, &w);
    for (size_t i = first; i < w.next; ++i) {
        l->groups.items[i].way.turned = slides ? axis_rotation_make(vec_make(0.0, 0.0, 0.0), 0.0) : way->turned;
        l->groups.items[i].body[0] = *way->from;
        l->groups.items[i].body[1] = *way->to;
        l->groups.items[i].versine = way->turned.versine;
    }
    return TACT_OK;
}

tact_status tact_step_leaves_add(step_leaves *l, uint32_t part, tact_shape *shape, const step_way *way, bool *slides,
                                 uint32_t *group, const tact_allocator *allocator)
{
    leaf_writer w = {.l = l, .allocator = allocator, .part = part};
    instance whole;
    const size_t first = l->groups.count;
    *slides = goes_round(shape, way);
    *group = (uint32_t)first;
    if (tact_instance_make(&whole, shape, way->from) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (!step_shape_array_push(&l->shapes, allocator, shape))
        return TACT_OUT_OF_MEMORY;
    (void)tact_shape_retain(shape);
    if (!tact_traverse_leaves(&whole, begin_leaf, &w))
        return TACT_OUT_OF_MEMORY;
    return end_leaves(l, first, shape, way, *slides);
}

tact_status tact_step_leaves_turn(step_leaves *l, uint32_t group, const step_way *way)
{
    if (group >= l->groups.count)
        return TACT_OK;
    const tact_shape *shape = l->shapes.items[l->groups.items[group].shape];
    return end_leaves(l, group, shape, way, goes_round(shape, way));
}

tact_status tact_step_leaves_finish(step_leaves *l, const tact_allocator *allocator)
{
    const size_t count = l->leaves.count;
    if (!box_array_resize(&l->boxes, allocator, count))
        return TACT_OUT_OF_MEMORY;
    l->size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double size;
        const step_leaf *leaf = &l->leaves.items[i];
        l->boxes.items[i] = tact_flex_box(&l->groups.items[leaf->group].way, leaf->element, &size);
        if (size < INFINITY) /* a support function that gives no number is told as a meeting */
            l->size = max_double(l->size, size);
    }
    if (l->size > STEP_LARGEST)
        return TACT_BAD_ARGUMENT;
    if (count > 0 && l->tree.item_count == count && !aabb_tree_needs_rebuild(&l->tree)) {
        tact_aabb_tree_refit(&l->tree, l->boxes.items);
        return TACT_OK;
    }
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = *allocator;
    tact_aabb_tree_release(&l->tree);
    return count > 0 ? tact_aabb_tree_build(&l->tree, l->boxes.items, count, &def) : TACT_OK;
}
