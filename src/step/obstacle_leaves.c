/*
 * Obstacles that are met as shapes: see obstacle_set.h. They are taken apart anew in each step, in the order of parts
 * and, within a body, depth first; the tree over their boxes is built anew only if there are other leaves than before,
 * and fitted otherwise. Linear in the leaves.
 *
 * A body of one convex piece that its own turn maps onto itself (a ball, whatever its spin; a cylinder about its axis)
 * goes its way without turning, so that straight paths do not shrink it.
 */
#include "step/obstacle_leaves.h"

#include "step/step_scene.h"

void tact_obstacle_set_clear(obstacle_set *l)
{
    for (size_t i = 0; i < l->shapes.count; ++i)
        tact_shape_release(l->shapes.items[i]);
    l->shapes.count = l->body_leaves.count = l->elements.count = 0;
    l->max_coordinate = 0.0;
}

void tact_obstacle_set_release(obstacle_set *l, const tact_allocator *allocator)
{
    tact_obstacle_set_clear(l);
    step_shape_array_release(&l->shapes, allocator);
    obstacle_leaf_array_release(&l->body_leaves, allocator);
    obstacle_element_array_release(&l->elements, allocator);
    box_array_release(&l->boxes, allocator);
    tact_aabb_tree_release(&l->tree);
}

/* ---- ways ---- */

static bool goes_round(const tact_shape *shape, const obstacle_path *way)
{
    const axis_rotation *t = &way->rotation;
    return (t->sine != 0.0 || t->versine != 0.0) && tact_flex_is_round(shape, way->from, t->axis);
}

/* Where the geometry of the body ends up. */
static tact_transform end_of(const obstacle_path *way, bool slides)
{
    tact_transform end = slides ? *way->from : *way->to;
    end.origin = way->to->origin;
    return end;
}

/* ---- leaves ---- */

typedef struct leaf_writer {
    obstacle_set *l;
    const tact_allocator *allocator;
    size_t next; /* group that is to be told its end */
    uint32_t part;
} leaf_writer;

static bool begin_leaf(void *context, const instance *leaf)
{
    leaf_writer *w = context;
    const obstacle_leaf group = {
        .path = {.ends = {*leaf, *leaf}}, .part = w->part, .shape = (uint32_t)w->l->shapes.count - 1};
    const uint32_t count = leaf->shape->mesh != NULL ? leaf->shape->mesh->element_count : 1;
    if (!obstacle_leaf_array_push(&w->l->body_leaves, w->allocator, group) ||
        !obstacle_element_array_reserve(&w->l->elements, w->allocator, w->l->elements.count + count))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        w->l->elements.items[w->l->elements.count++] = (obstacle_element){(uint32_t)(w->l->body_leaves.count - 1), i};
    return true;
}

static bool end_leaf(void *context, const instance *leaf)
{
    leaf_writer *w = context;
    w->l->body_leaves.items[w->next++].path.ends[1].at = leaf->at;
    return true;
}

/* Tells the groups from `first` on, which are those of one body, where they end. */
static tact_status end_leaves(obstacle_set *l, size_t first, const tact_shape *shape, const obstacle_path *way,
                              bool slides)
{
    leaf_writer w = {.l = l, .next = first};
    instance whole;
    const tact_transform end = end_of(way, slides);
    if (tact_instance_make(&whole, shape, &end) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    (void)tact_traverse_leaves(&whole, end_leaf, &w);
    for (size_t i = first; i < w.next; ++i) {
        l->body_leaves.items[i].path.turned = slides ? axis_rotation_make(vec_make(0.0, 0.0, 0.0), 0.0) : way->rotation;
        l->body_leaves.items[i].body_transform[0] = *way->from;
        l->body_leaves.items[i].body_transform[1] = *way->to;
        l->body_leaves.items[i].versine = way->rotation.versine;
    }
    return TACT_OK;
}

tact_status tact_obstacle_set_add(obstacle_set *l, uint32_t part, tact_shape *shape, const obstacle_path *way,
                                  bool *slides, uint32_t *group, const tact_allocator *allocator)
{
    leaf_writer w = {.l = l, .allocator = allocator, .part = part};
    instance whole;
    const size_t first = l->body_leaves.count;
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

tact_status tact_obstacle_set_change_path(obstacle_set *l, uint32_t group, const obstacle_path *way)
{
    if (group >= l->body_leaves.count)
        return TACT_OK;
    const tact_shape *shape = l->shapes.items[l->body_leaves.items[group].shape];
    return end_leaves(l, group, shape, way, goes_round(shape, way));
}

tact_status tact_obstacle_set_finish(obstacle_set *l, const tact_allocator *allocator)
{
    const size_t count = l->elements.count;
    if (!box_array_resize(&l->boxes, allocator, count))
        return TACT_OUT_OF_MEMORY;
    l->max_coordinate = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double size;
        const obstacle_element *leaf = &l->elements.items[i];
        l->boxes.items[i] = tact_flex_box(&l->body_leaves.items[leaf->leaf].path, leaf->element, &size);
        if (size < INFINITY) /* a support function that gives no number is told as a meeting */
            l->max_coordinate = max_double(l->max_coordinate, size);
    }
    if (l->max_coordinate > STEP_MAX_COORDINATE)
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
