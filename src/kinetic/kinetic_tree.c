/*
 * The kinetic AABB tree: see the header.
 *
 * Events at the same time are processed from the items upward, so that a change reaches a node after the changes below
 * it. At one time a winner changes at most KINETIC_MAX_SWAPS times; a further change is postponed to the next double,
 * for which the margin of the boxes accounts (kinetic_motion.h). So the events at one time end.
 */
#include "kinetic/kinetic_tree.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "kinetic/kinetic_constants.h"
#include "tree/aabb_tree.h"

/* ---- winners ---- */

/* The candidates for an extreme of a bound. Returns their number. */
static unsigned candidates_of(const kinetic_tree *tree, uint32_t bound, int side, uint32_t candidates[TREE_WIDTH])
{
    if (kinetic_tree_is_item(tree, bound)) {
        memcpy(candidates, tree->items[kinetic_tree_item(tree, bound)], 3 * sizeof *candidates);
        return 3;
    }
    unsigned count = 0;
    const tree_node *node = &tree->nodes[bound];
    for (; count < TREE_WIDTH && node->child[count] != TREE_NONE; ++count)
        candidates[count] = tree->bounds[node->child[count]].extreme[side];
    return count;
}

/* Until when a loser does not exceed a winner. */
static double hold_time(kinetic_tree *tree, uint32_t winner, uint32_t loser, int side, double limit)
{
    const bool maximum = (side & 1) != 0;
    return tact_kinetic_motion_hold_time(&tree->motion, maximum ? loser : winner, maximum ? winner : loser, side / 2,
                                         0.0, limit);
}

/* Examines the certificates of an extreme, and replaces it while one fails now. Returns whether it changed. */
static bool settle(kinetic_tree *tree, uint32_t bound, int side)
{
    kinetic_bound *b = &tree->bounds[bound];
    double *settled = &tree->failures[bound].side[side];
    uint32_t candidates[TREE_WIDTH];
    const unsigned count = candidates_of(tree, bound, side, candidates);
    const uint32_t before = b->extreme[side];
    for (unsigned swaps = 0;; ++swaps) {
        double earliest = INFINITY;
        uint32_t challenger = KINETIC_NONE;
        for (unsigned i = 0; i < count && earliest > tree->motion.time; ++i) {
            if (candidates[i] == b->extreme[side])
                continue;
            const double failure = hold_time(tree, b->extreme[side], candidates[i], side, earliest);
            if (failure < earliest) {
                earliest = failure;
                challenger = candidates[i];
            }
        }
        *settled = earliest;
        if (earliest > tree->motion.time)
            break;
        if (swaps == KINETIC_MAX_SWAPS) {
            *settled = nextafter(tree->motion.time, INFINITY);
            break;
        }
        b->extreme[side] = challenger;
    }
    return b->extreme[side] != before;
}

/* Chooses an extreme by the current positions, the present one if it is one of several, then by its certificates.
 * Returns whether it changed. */
static bool choose(kinetic_tree *tree, uint32_t bound, int side)
{
    kinetic_bound *b = &tree->bounds[bound];
    uint32_t candidates[TREE_WIDTH];
    const unsigned count = candidates_of(tree, bound, side, candidates);
    const uint32_t before = b->extreme[side];
    double best = -INFINITY;
    for (unsigned i = 0; i < count; ++i) {
        const double x = tact_kinetic_motion_coordinate(&tree->motion, candidates[i], side / 2);
        const double outward = (side & 1) != 0 ? x : -x;
        if (outward > best || (outward == best && candidates[i] == before)) {
            best = outward;
            b->extreme[side] = candidates[i];
        }
    }
    (void)settle(tree, bound, side);
    return b->extreme[side] != before;
}

/* Sets the event of a bound. */
static void schedule(kinetic_tree *tree, uint32_t bound)
{
    const double *failure = tree->failures[bound].side;
    double earliest = INFINITY;
    for (int side = 0; side < KINETIC_SIDES; ++side)
        earliest = failure[side] < earliest ? failure[side] : earliest;
    if (earliest < INFINITY)
        tact_event_queue_set(&tree->queue, bound, earliest,
                             (uint64_t)(UINT32_MAX - tree->bounds[bound].level) << 32 | bound);
    else
        tact_event_queue_cancel(&tree->queue, bound);
}

static void notify(kinetic_tree *tree, uint32_t bound, int side)
{
    if (tree->changed != NULL)
        tree->changed(tree->context, bound, side);
}

/* Propagates a changed extreme of a bound to those above it. */
static void propagate(kinetic_tree *tree, uint32_t bound, int side)
{
    for (;;) {
        ++tree->counts.extreme_changes;
        notify(tree, bound, side);
        const uint32_t challenger = tree->bounds[bound].extreme[side];
        bound = tree->bounds[bound].parent;
        if (bound == KINETIC_NONE)
            return;
        const uint32_t extreme = tree->bounds[bound].extreme[side];
        if (extreme == challenger)
            return;
        /* The certificate of the candidate before may stay: it holds as long as it did. */
        double *earliest = &tree->failures[bound].side[side];
        const double failure = hold_time(tree, extreme, challenger, side, *earliest);
        if (failure >= *earliest)
            return;
        *earliest = failure;
        const bool changed = failure <= tree->motion.time && settle(tree, bound, side);
        schedule(tree, bound);
        if (!changed)
            return;
    }
}

/* ---- events ---- */

void tact_kinetic_tree_step(kinetic_tree *tree)
{
    const event_entry event = tree->queue.entries[0];
    if (event.time > tree->motion.time)
        tact_kinetic_motion_set_time(&tree->motion, event.time);
    bool any = false;
    bool changed[KINETIC_SIDES] = {false};
    for (int side = 0; side < KINETIC_SIDES; ++side)
        if (tree->failures[event.id].side[side] <= tree->motion.time)
            any = (changed[side] = settle(tree, event.id, side)) || any;
    schedule(tree, event.id);
    for (int side = 0; side < KINETIC_SIDES; ++side)
        if (changed[side])
            propagate(tree, event.id, side);
    if (any)
        ++tree->counts.external_events;
    else
        ++tree->counts.internal_events;
}

void tact_kinetic_tree_vertex_changed(kinetic_tree *tree, uint32_t vertex)
{
    for (uint32_t i = tree->vertex_start[vertex]; i < tree->vertex_start[vertex + 1]; ++i)
        for (int side = 0; side < KINETIC_SIDES; ++side) {
            bool candidate = true; /* is or was the vertex a candidate for this extreme, or another replaces it? */
            for (uint32_t bound = tree->node_count + tree->vertex_items[i]; bound != KINETIC_NONE;
                 bound = tree->bounds[bound].parent) {
                const bool was_extreme = tree->bounds[bound].extreme[side] == vertex;
                if (!candidate && !was_extreme)
                    continue;
                const bool changed = choose(tree, bound, side);
                schedule(tree, bound);
                ++tree->counts.plan_changes;
                candidate = was_extreme || changed;
                if (candidate)
                    notify(tree, bound, side);
            }
        }
}

void tact_kinetic_tree_samples_changed(kinetic_tree *tree)
{
    const double known = tree->motion.known_until;
    tact_kinetic_motion_samples_changed(&tree->motion);
    for (uint32_t i = tree->node_count + tree->item_count; i-- > 0;) {
        bool examined = false;
        bool changed[KINETIC_SIDES] = {false};
        for (int side = 0; side < KINETIC_SIDES; ++side)
            if (tree->failures[i].side[side] >= known) {
                changed[side] = settle(tree, i, side);
                examined = true;
            }
        if (examined)
            schedule(tree, i);
        for (int side = 0; side < KINETIC_SIDES; ++side)
            if (changed[side])
                propagate(tree, i, side);
    }
}

/* ---- construction ---- */

void tact_kinetic_tree_release(kinetic_tree *tree)
{
    const tact_allocator allocator = tree->allocator;
    const size_t items = tree->item_count, bounds = items + tree->node_count;
    tact_memory_free(&allocator, tree->bounds, bounds, sizeof *tree->bounds);
    tact_memory_free(&allocator, tree->failures, bounds, sizeof *tree->failures);
    tact_memory_free(&allocator, tree->nodes, tree->node_count, sizeof *tree->nodes);
    tact_memory_free(&allocator, tree->items, items, sizeof *tree->items);
    tact_memory_free(&allocator, tree->vertex_start, (size_t)tree->vertex_count + 1, sizeof *tree->vertex_start);
    tact_memory_free(&allocator, tree->vertex_items, 3 * items, sizeof *tree->vertex_items);
    tact_event_queue_release(&tree->queue, &allocator);
    tact_kinetic_motion_release(&tree->motion, &allocator);
    memset(tree, 0, sizeof *tree);
    tree->allocator = allocator;
}

/* Counts or lists the items of each vertex. */
static void list_vertex_items(kinetic_tree *tree)
{
    memset(tree->vertex_start, 0, ((size_t)tree->vertex_count + 1) * sizeof *tree->vertex_start);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < tree->item_count; ++i)
            for (unsigned k = 0; k < 3; ++k) {
                const uint32_t *c = tree->items[i];
                if ((k > 0 && c[k] == c[0]) || (k > 1 && c[k] == c[1]))
                    continue;
                if (pass == 0)
                    ++tree->vertex_start[c[k]];
                else
                    tree->vertex_items[--tree->vertex_start[c[k]]] = i;
            }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= tree->vertex_count; ++i)
            tree->vertex_start[i] = sum += tree->vertex_start[i]; /* the end, from which the second pass counts down */
    }
}

/* Builds the topology of an AABB tree around the positions at the current time. */
static tact_status build_topology(aabb_tree *aabb, const kinetic_tree_def *def, kinetic_motion *motion)
{
    box *boxes = tact_memory_allocate(&def->allocator, def->item_count, sizeof *boxes);
    if (boxes == NULL)
        return TACT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < def->item_count; ++i) {
        tact_vec3 p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = (tact_vec3){tact_kinetic_motion_coordinate(motion, def->items[i][k], 0),
                               tact_kinetic_motion_coordinate(motion, def->items[i][k], 1),
                               tact_kinetic_motion_coordinate(motion, def->items[i][k], 2)};
        boxes[i] = tact_box_of_points(p, 3);
    }
    aabb_tree_def tree_def = aabb_tree_def_default();
    tree_def.allocator = def->allocator;
    const tact_status status = tact_aabb_tree_build(aabb, boxes, def->item_count, &tree_def);
    tact_memory_free(&def->allocator, boxes, def->item_count, sizeof *boxes);
    return status;
}

/* Sets parents, levels and children. Returns the deepest level. */
static unsigned link_bounds(kinetic_tree *tree, const tree_node *nodes)
{
    unsigned deepest = 0;
    tree->bounds[0].parent = KINETIC_NONE;
    tree->bounds[0].level = 0;
    memset(tree->bounds[0].extreme, 0xff, sizeof tree->bounds[0].extreme);
    for (uint32_t i = 0; i < tree->node_count; ++i) /* children come after parents */
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            uint32_t child = nodes[i].child[k];
            if (child != TREE_NONE) {
                child = tree_is_leaf(child) ? tree->node_count + tree_item(child) : child;
                memset(tree->bounds[child].extreme, 0xff, sizeof tree->bounds[child].extreme); /* none yet */
                tree->bounds[child].parent = i;
                tree->bounds[child].level = tree->bounds[i].level + 1;
                deepest = tree->bounds[child].level > deepest ? tree->bounds[child].level : deepest;
            }
            tree->nodes[i].child[k] = child;
        }
    return deepest;
}

static tact_status build(kinetic_tree *tree, const kinetic_tree_def *def)
{
    aabb_tree aabb;
    if (!tact_kinetic_motion_start(&tree->motion, &def->motion, def->vertex_count, def->time, &tree->allocator))
        return TACT_OUT_OF_MEMORY;
    tact_kinetic_motion_note_error(&tree->motion, def->error);
    const tact_status status = build_topology(&aabb, def, &tree->motion);
    if (status != TACT_OK)
        return status;
    tree->item_count = def->item_count;
    tree->vertex_count = def->vertex_count;
    tree->node_count = aabb.node_count;
    const uint32_t bound_count = tree->item_count + tree->node_count;
    tree->bounds = tact_memory_allocate(&tree->allocator, bound_count, sizeof *tree->bounds);
    tree->failures = tact_memory_allocate(&tree->allocator, bound_count, sizeof *tree->failures);
    tree->nodes = tact_memory_allocate(&tree->allocator, tree->node_count, sizeof *tree->nodes);
    tree->items = tact_memory_allocate(&tree->allocator, tree->item_count, sizeof *tree->items);
    tree->vertex_start =
        tact_memory_allocate(&tree->allocator, (size_t)tree->vertex_count + 1, sizeof *tree->vertex_start);
    tree->vertex_items =
        tact_memory_allocate(&tree->allocator, 3 * (size_t)tree->item_count, sizeof *tree->vertex_items);
    const bool complete = tree->bounds != NULL && tree->failures != NULL && tree->nodes != NULL &&
                          tree->items != NULL && tree->vertex_start != NULL && tree->vertex_items != NULL &&
                          tact_event_queue_reserve(&tree->queue, &tree->allocator, bound_count);
    if (complete) {
        for (uint32_t i = 0; i < tree->item_count; ++i)
            memcpy(tree->items[i], def->items[i], sizeof tree->items[i]);
        tact_kinetic_motion_set_levels(&tree->motion, link_bounds(tree, aabb.nodes));
        list_vertex_items(tree);
        for (uint32_t i = bound_count; i-- > 0;) { /* from the items upward */
            for (int side = 0; side < KINETIC_SIDES; ++side)
                (void)choose(tree, i, side);
            schedule(tree, i);
        }
    }
    tact_aabb_tree_release(&aabb);
    return complete ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_kinetic_tree_create(kinetic_tree *tree, const kinetic_tree_def *def)
{
    memset(tree, 0, sizeof *tree);
    tree->allocator = def->allocator;
    if (def->item_count > KINETIC_MAX_ITEMS || def->vertex_count > KINETIC_MAX_ITEMS)
        return TACT_BAD_ARGUMENT;
    for (uint32_t i = 0; i < def->item_count; ++i)
        for (int k = 0; k < 3; ++k)
            if (def->items[i][k] >= def->vertex_count)
                return TACT_BAD_ARGUMENT;
    if (def->item_count == 0)
        return tact_kinetic_motion_start(&tree->motion, &def->motion, 0, def->time, &tree->allocator)
                   ? TACT_OK
                   : TACT_OUT_OF_MEMORY;
    const tact_status status = build(tree, def);
    if (status != TACT_OK)
        tact_kinetic_tree_release(tree);
    return status;
}

uint64_t tact_kinetic_tree_certificates(const kinetic_tree *tree)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < tree->node_count; ++i)
        count += KINETIC_SIDES * (tree_child_count(&tree->nodes[i]) - 1);
    for (uint32_t i = 0; i < tree->item_count; ++i) {
        const uint32_t *c = tree->items[i];
        count += KINETIC_SIDES * ((uint64_t)(c[1] != c[0]) + (uint64_t)(c[2] != c[0] && c[2] != c[1]));
    }
    return count;
}

size_t tact_kinetic_tree_bytes(const kinetic_tree *tree)
{
    const size_t items = tree->item_count, nodes = tree->node_count;
    return (items + nodes) * (sizeof *tree->bounds + sizeof *tree->failures) + nodes * sizeof *tree->nodes +
           items * (sizeof *tree->items + 3 * sizeof *tree->vertex_items) +
           ((size_t)tree->vertex_count + 1) * sizeof *tree->vertex_start +
           tree->motion.current_count * sizeof *tree->motion.current +
           (size_t)tree->queue.capacity *
               (sizeof *tree->queue.entries + sizeof *tree->queue.heap_index + sizeof *tree->queue.keys);
}
