/*
 * Obstacles that are tested as shapes: see the header. They are collected anew in each step, in the order of parts and,
 * within a body, depth first. The tree over their boxes is rebuilt only if the number of elements has changed or the
 * tree has degraded; otherwise it is refitted. Linear in the number of elements.
 *
 * A body of one convex part that its own rotation maps onto itself (a sphere, whatever its spin; a cylinder about its
 * axis) moves without rotation, so that straight paths do not shrink it.
 */
#include "step/obstacle_leaves.h"

#include "step/step_scene.h"

void tact_obstacle_set_clear(obstacle_set *set)
{
    for (size_t i = 0; i < set->shapes.count; ++i)
        tact_shape_release(set->shapes.items[i]);
    set->shapes.count = set->body_leaves.count = set->elements.count = 0;
    set->max_coordinate = 0.0;
}

void tact_obstacle_set_release(obstacle_set *set, const tact_allocator *allocator)
{
    tact_obstacle_set_clear(set);
    step_shape_array_release(&set->shapes, allocator);
    obstacle_leaf_array_release(&set->body_leaves, allocator);
    obstacle_element_array_release(&set->elements, allocator);
    box_array_release(&set->boxes, allocator);
    tact_aabb_tree_release(&set->tree);
}

/* ---- paths ---- */

static bool is_symmetric(const tact_shape *shape, const obstacle_path *path)
{
    const axis_rotation *t = &path->rotation;
    return (t->sine != 0.0 || t->versine != 0.0) && tact_shape_is_symmetric_about(shape, path->from, t->axis);
}

/* The transform of the body's geometry at the end. */
static tact_transform end_transform(const obstacle_path *path, bool translates)
{
    tact_transform end = translates ? *path->from : *path->to;
    end.origin = path->to->origin;
    return end;
}

/* ---- leaves ---- */

typedef struct leaf_writer {
    obstacle_set *set;
    const tact_allocator *allocator;
    size_t next; /* the next leaf whose end is to be set */
    uint32_t part;
} leaf_writer;

static bool begin_leaf(void *context, const instance *leaf)
{
    leaf_writer *w = context;
    const obstacle_leaf first_leaf = {
        .path = {.ends = {*leaf, *leaf}}, .part = w->part, .shape = (uint32_t)w->set->shapes.count - 1};
    const uint32_t count = leaf->shape->mesh != NULL ? leaf->shape->mesh->element_count : 1;
    if (!obstacle_leaf_array_push(&w->set->body_leaves, w->allocator, first_leaf) ||
        !obstacle_element_array_reserve(&w->set->elements, w->allocator, w->set->elements.count + count))
        return false;
    for (uint32_t i = 0; i < count; ++i)
        w->set->elements.items[w->set->elements.count++] =
            (obstacle_element){(uint32_t)(w->set->body_leaves.count - 1), i};
    return true;
}

static bool end_leaf(void *context, const instance *leaf)
{
    leaf_writer *w = context;
    w->set->body_leaves.items[w->next++].path.ends[1].at = leaf->at;
    return true;
}

/* Sets the end of the leaves from `first` on, which are those of one body. */
static tact_status set_ends(obstacle_set *set, size_t first, const tact_shape *shape, const obstacle_path *path,
                            bool translates)
{
    leaf_writer w = {.set = set, .next = first};
    instance whole;
    const tact_transform end = end_transform(path, translates);
    if (tact_instance_make(&whole, shape, &end) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    (void)tact_traverse_leaves(&whole, end_leaf, &w);
    for (size_t i = first; i < w.next; ++i) {
        set->body_leaves.items[i].path.rotation =
            translates ? axis_rotation_make(vec_make(0.0, 0.0, 0.0), 0.0) : path->rotation;
        set->body_leaves.items[i].body_transform[0] = *path->from;
        set->body_leaves.items[i].body_transform[1] = *path->to;
        set->body_leaves.items[i].versine = path->rotation.versine;
    }
    return TACT_OK;
}

tact_status tact_obstacle_set_add(obstacle_set *set, uint32_t part, tact_shape *shape, const obstacle_path *path,
                                  bool *translates, uint32_t *first_leaf, const tact_allocator *allocator)
{
    leaf_writer w = {.set = set, .allocator = allocator, .part = part};
    instance whole;
    const size_t first = set->body_leaves.count;
    *translates = is_symmetric(shape, path);
    *first_leaf = (uint32_t)first;
    if (tact_instance_make(&whole, shape, path->from) != TACT_OK)
        return TACT_BAD_ARGUMENT;
    if (!step_shape_array_push(&set->shapes, allocator, shape))
        return TACT_OUT_OF_MEMORY;
    (void)tact_shape_retain(shape);
    if (!tact_traverse_leaves(&whole, begin_leaf, &w))
        return TACT_OUT_OF_MEMORY;
    return set_ends(set, first, shape, path, *translates);
}

tact_status tact_obstacle_set_change_path(obstacle_set *set, uint32_t first_leaf, const obstacle_path *path)
{
    if (first_leaf >= set->body_leaves.count)
        return TACT_OK;
    const tact_shape *shape = set->shapes.items[set->body_leaves.items[first_leaf].shape];
    return set_ends(set, first_leaf, shape, path, is_symmetric(shape, path));
}

tact_status tact_obstacle_set_finish(obstacle_set *set, const tact_allocator *allocator)
{
    const size_t count = set->elements.count;
    if (!box_array_resize(&set->boxes, allocator, count))
        return TACT_OUT_OF_MEMORY;
    set->max_coordinate = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double size;
        const obstacle_element *leaf = &set->elements.items[i];
        set->boxes.items[i] = tact_moving_obstacle_box(&set->body_leaves.items[leaf->leaf].path, leaf->element, &size);
        if (size < INFINITY) /* a support function that returns NaN is reported as a contact */
            set->max_coordinate = max_double(set->max_coordinate, size);
    }
    if (set->max_coordinate > STEP_MAX_COORDINATE)
        return TACT_BAD_ARGUMENT;
    if (count > 0 && set->tree.item_count == count && !aabb_tree_needs_rebuild(&set->tree)) {
        tact_aabb_tree_refit(&set->tree, set->boxes.items);
        return TACT_OK;
    }
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = *allocator;
    tact_aabb_tree_release(&set->tree);
    return count > 0 ? tact_aabb_tree_build(&set->tree, set->boxes.items, count, &def) : TACT_OK;
}
