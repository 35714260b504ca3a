/*
 * The kinetic separation list: see the header. This file examines pairs and processes events.
 *
 * One function, `examine`, handles a pair at an event and whenever something has changed: it looks whether the state of
 * the pair still holds, changes it if not, and sets the time at which to look again. A pair whose examination must wait
 * until the tree is up to date is marked. At one time the order is: jumps, events of the tree, marked pairs, events of
 * pairs; the latter with pairs of larger boxes first.
 *
 * When memory is out, the pair that would have been opened stays as it is, due at the current time. The list does not
 * advance beyond it, so nothing is missed.
 */
#include "kinetic/separation_list.h"

#include <math.h>
#include <string.h>

#include "core/aligned_array.h"
#include "core/memory.h"
#include "kinetic/kinetic_constants.h"
#include "kinetic/separation_internal.h"
#include "math/fp_environment.h"
#include "tree/aabb_tree.h"

/* The function that overlaps are reported to. */
typedef struct overlap_visitor {
    separation_visit *visit; /* or NULL */
    void *context;
} overlap_visitor;

static inline double now(const separation_list *list) { return list->tree.motion.time; }

/* ---- certificates ---- */

/* The two vertices whose difference along an axis is the gap of two boxes: x_q - x_p. `axis` is a side of a. */
static inline void gap_vertices(const separation_list *list, const bound_pair *p, unsigned axis, uint32_t *low,
                                uint32_t *high)
{
    const uint32_t of_a = list->tree.bounds[p->a].extreme[axis], of_b = list->tree.bounds[p->b].extreme[axis ^ 1];
    *low = (axis & 1) != 0 ? of_a : of_b;
    *high = (axis & 1) != 0 ? of_b : of_a;
}

/* Until when an axis separates the boxes; not examined beyond `limit`. */
static double separated_until(separation_list *list, const bound_pair *p, unsigned axis, double limit)
{
    uint32_t low, high;
    gap_vertices(list, p, axis, &low, &high);
    kinetic_motion *m = &list->tree.motion;
    return tact_kinetic_motion_hold_time(m, low, high, (int)axis / 2, m->margin, limit);
}

/* Until when no axis separates the boxes; not examined beyond `limit`. */
static double overlap_until(separation_list *list, const bound_pair *p, double limit)
{
    kinetic_motion *m = &list->tree.motion;
    double until = limit;
    for (unsigned axis = 0; axis < KINETIC_SIDES && until > m->time; ++axis) {
        uint32_t low, high;
        gap_vertices(list, p, axis, &low, &high);
        const double time = tact_kinetic_motion_hold_time(m, high, low, (int)axis / 2, -m->margin, until);
        until = time < until ? time : until;
    }
    return until;
}

static kinetic_gaps gaps_of(const separation_list *list, const bound_pair *p)
{
    kinetic_gaps gaps;
    for (unsigned axis = 0; axis < KINETIC_SIDES; ++axis)
        gap_vertices(list, p, axis, &gaps.p[axis], &gaps.q[axis]);
    return gaps;
}

/* The axis that separates the boxes for the longest time, and until when; the current time: none does. */
static double find_axis(separation_list *list, const bound_pair *p, uint8_t *best)
{
    const kinetic_gaps gaps = gaps_of(list, p);
    const unsigned open = tact_kinetic_motion_open_gaps(&list->tree.motion, &gaps);
    double until = now(list);
    for (unsigned axis = 0; open >> axis != 0 && until < list->tree.motion.known_until; ++axis) {
        if ((open >> axis & 1) == 0)
            continue;
        const double time = separated_until(list, p, axis, INFINITY);
        if (time > until) {
            until = time;
            *best = (uint8_t)axis;
        }
    }
    return until;
}

/* Until when the boxes are apart. (SEPARATION_ALL_AXES) */
static double apart_until(separation_list *list, const bound_pair *p)
{
    const kinetic_gaps gaps = gaps_of(list, p);
    return tact_kinetic_motion_apart_time(&list->tree.motion, &gaps);
}

/* ---- transitions ---- */

static bool visit_overlap(separation_list *list, size_t overlap, const overlap_visitor *visitor)
{
    const item_overlap *o = &list->overlaps.items[overlap];
    const double begin = o->since > list->reported ? o->since : list->reported;
    return visitor->visit == NULL || visitor->visit(visitor->context, o->item[0], o->item[1], begin, now(list));
}

static bool same_group(const separation_list *list, uint32_t a, uint32_t b)
{
    return list->groups != NULL && list->groups[a] != 0 && list->groups[a] == list->groups[b];
}

/* Gives a pair its children, new and marked. False if memory is out. */
static bool open_pair(separation_list *list, uint32_t pair)
{
    const uint32_t first = tact_separation_allocate_block(list);
    if (first == KINETIC_NONE)
        return false;
    const kinetic_tree *tree = &list->tree;
    const uint32_t a = list->pairs[pair].a, b = list->pairs[pair].b;
    const bool opens_a = separation_opens_first(tree, a, b);
    const tree_node *node = &tree->nodes[opens_a ? a : b];
    uint32_t child = first;
    for (unsigned k = 0; k < TREE_WIDTH && node->child[k] != TREE_NONE; ++k) {
        const uint32_t child_a = opens_a ? node->child[k] : a, child_b = opens_a ? b : node->child[k];
        if (!same_group(list, child_a, child_b))
            tact_separation_add(list, child++, child_a, child_b, pair);
    }
    list->pairs[pair].link = first;
    return true;
}

/* The boxes of a pair that was apart overlap now. */
static bool begin_overlap(separation_list *list, uint32_t pair)
{
    bound_pair *p = &list->pairs[pair];
    const bool items = kinetic_tree_is_item(&list->tree, p->a) && kinetic_tree_is_item(&list->tree, p->b);
    if (items ? !item_overlaps_reserve(&list->overlaps, &list->allocator, list->overlaps.count + 1)
              : !open_pair(list, pair))
        return false;
    p = &list->pairs[pair];
    if (p->state != SEPARATION_NEW)
        tact_separation_unlink(list, pair);
    p->state = items ? SEPARATION_OVERLAPPING : SEPARATION_OPEN;
    if (items)
        tact_separation_begin_overlap(list, pair);
    tact_separation_link(list, pair);
    tact_separation_schedule(list, pair, overlap_until(list, p, INFINITY));
    ++list->counts.bounds_overlap;
    list->counts.leaves_overlap += items;
    return true;
}

/* Visits the overlapping items at or below a pair. */
static bool visit_below(separation_list *list, uint32_t pair, const overlap_visitor *visitor)
{
    if (list->pairs[pair].state == SEPARATION_OVERLAPPING)
        return visit_overlap(list, list->pairs[pair].link, visitor);
    if (list->pairs[pair].state != SEPARATION_OPEN)
        return true;
    const uint32_t first = list->pairs[pair].link;
    for (uint32_t i = first; i < first + SEPARATION_BLOCK; ++i)
        if (!visit_below(list, i, visitor))
            return false;
    return true;
}

/* The boxes of a pair that overlapped are apart now. The pair, or the highest one above it that is apart, replaces all
 * below it. */
static bool end_overlap(separation_list *list, uint32_t pair, const overlap_visitor *visitor)
{
    const bool leaves = list->pairs[pair].state == SEPARATION_OVERLAPPING;
    const double limit = nextafter(now(list), INFINITY); /* only whether it is apart now */
    for (uint32_t parent = list->pairs[pair].parent;
         parent != KINETIC_NONE && overlap_until(list, &list->pairs[parent], limit) <= now(list);
         parent = list->pairs[pair].parent)
        pair = parent;
    if (!visit_below(list, pair, visitor))
        return false;
    bound_pair *p = &list->pairs[pair];
    if (leaves)
        ++list->counts.leaves_apart;
    if (p->state == SEPARATION_OVERLAPPING) {
        tact_separation_end_overlap(list, pair);
    } else {
        tact_separation_remove_children(list, pair);
        ++list->counts.fathers_apart;
    }
    tact_separation_unlink(list, pair);
    p->state = SEPARATION_NEW;
    tact_separation_schedule(list, pair, INFINITY);
    tact_separation_mark(list, pair);
    return true;
}

/* Examines a pair that is new or was apart. */
static bool examine_apart(separation_list *list, uint32_t pair)
{
    bound_pair *p = &list->pairs[pair];
    const bool linked = p->state == SEPARATION_APART;
    uint8_t axis = p->axis;
    double until;
    if (list->certificate == SEPARATION_ALL_AXES) {
        until = apart_until(list, p);
    } else {
        /* Where an extreme has changed, the box only grew: it is examined again at the latest when it was due. */
        const double due = list->due[pair];
        until = linked ? separated_until(list, p, axis, due > now(list) ? due : INFINITY) : now(list);
        if (until > due && due > now(list))
            until = due;
        if (until <= now(list)) {
            until = find_axis(list, p, &axis);
            list->counts.new_axes += linked && until > now(list);
        }
    }
    if (until <= now(list))
        return begin_overlap(list, pair);
    if (!linked || axis != p->axis) {
        if (linked)
            tact_separation_unlink(list, pair);
        p->state = SEPARATION_APART;
        p->axis = axis;
        tact_separation_link(list, pair);
    }
    tact_separation_schedule(list, pair, until);
    return true;
}

/* Examines a pair. False if memory is out or a visit failed; the pair is then as before. */
static bool examine(separation_list *list, uint32_t pair, const overlap_visitor *visitor)
{
    bound_pair *p = &list->pairs[pair];
    switch ((separation_state)p->state) {
    case SEPARATION_NEW:
    case SEPARATION_APART:
        return examine_apart(list, pair);
    case SEPARATION_OPEN:
    case SEPARATION_OVERLAPPING: {
        const double until = overlap_until(list, p, INFINITY);
        if (until <= now(list))
            return end_overlap(list, pair, visitor);
        tact_separation_schedule(list, pair, until);
        return true;
    }
    case SEPARATION_UNUSED:
        break;
    }
    return true;
}

/* ---- changes ---- */

/* An extreme has changed, or the motion of its vertex. */
static void bound_changed(void *context, uint32_t bound, int side)
{
    separation_list *list = context;
    separation_links *links = &list->links[bound];
    const bool all = list->certificate == SEPARATION_ALL_AXES;
    links->stale = true;
    for (uint32_t at = links->first[all ? SEPARATION_ANY_SIDE : side]; at != KINETIC_NONE;
         at = list->pairs[at / 2].next[at % 2])
        if (list->pairs[at / 2].state == SEPARATION_APART) {
            ++list->counts.bound_changes;
            tact_separation_mark(list, at / 2);
        }
}

/* Marks overlapping pairs whose certificates may depend on a vertex. */
static void mark_overlapping(separation_list *list, uint32_t vertex)
{
    const kinetic_tree *tree = &list->tree;
    for (uint32_t i = tree->vertex_start[vertex]; i < tree->vertex_start[vertex + 1]; ++i)
        for (uint32_t bound = tree->node_count + tree->vertex_items[i]; bound != KINETIC_NONE;
             bound = tree->bounds[bound].parent) {
            separation_links *links = &list->links[bound];
            bool depends = links->stale;
            for (int side = 0; side < KINETIC_SIDES; ++side)
                depends = depends || tree->bounds[bound].extreme[side] == vertex;
            if (!depends)
                continue;
            links->stale = false;
            for (uint32_t at = links->first[SEPARATION_ANY_SIDE]; at != KINETIC_NONE;
                 at = list->pairs[at / 2].next[at % 2])
                if (list->pairs[at / 2].state != SEPARATION_APART) {
                    ++list->counts.bound_changes;
                    tact_separation_mark(list, at / 2);
                }
        }
}

static void schedule_jump(separation_list *list, uint32_t vertex)
{
    if (list->jumps.capacity == 0)
        return;
    bool jumps;
    const double time = tact_kinetic_motion_next_jump(&list->tree.motion, vertex, now(list), &jumps);
    if (time < INFINITY)
        tact_event_queue_set(&list->jumps, vertex, time, vertex);
    else
        tact_event_queue_cancel(&list->jumps, vertex);
}

static void vertex_changed(separation_list *list, uint32_t vertex)
{
    mark_overlapping(list, vertex);
    tact_kinetic_tree_vertex_changed(&list->tree, vertex);
    mark_overlapping(list, vertex);
    schedule_jump(list, vertex);
}

/* ---- jumps ---- */

typedef struct jump_visits {
    const separation_list *list;
    const uint8_t *jumped; /* by vertex */
    const overlap_visitor *visitor;
} jump_visits;

static bool item_jumped(const jump_visits *v, uint32_t item)
{
    const uint32_t *c = v->list->tree.items[item];
    return (v->jumped[c[0]] | v->jumped[c[1]] | v->jumped[c[2]]) != 0;
}

static bool visit_jump(void *context, uint32_t a, uint32_t b)
{
    const jump_visits *v = context;
    const kinetic_tree *tree = &v->list->tree;
    if ((!item_jumped(v, a) && !item_jumped(v, b)) || tact_separation_adjacent_items(tree, a, b) ||
        same_group(v->list, tree->node_count + a, tree->node_count + b))
        return true;
    return v->visitor->visit(v->visitor->context, a, b, now(v->list), now(v->list));
}

/* Visits the pairs whose boxes around old and new positions overlap. */
static bool visit_jumps(separation_list *list, const uint32_t *vertices, size_t count, const tact_vec3 *previous,
                        const overlap_visitor *visitor)
{
    const tact_allocator *allocator = &list->allocator;
    const uint32_t vertex_count = list->tree.vertex_count, item_count = list->tree.item_count;
    if (visitor->visit == NULL || item_count == 0)
        return true;
    tact_vec3(*ends)[2] = tact_memory_allocate(allocator, vertex_count, sizeof *ends);
    uint8_t *jumped = tact_memory_allocate(allocator, vertex_count, 1);
    box *boxes = tact_memory_allocate(allocator, item_count, sizeof *boxes);
    bool complete = ends != NULL && jumped != NULL && boxes != NULL;
    if (complete) {
        kinetic_motion *m = &list->tree.motion;
        memset(jumped, 0, vertex_count);
        for (uint32_t v = 0; v < vertex_count; ++v)
            ends[v][0] = ends[v][1] =
                (tact_vec3){tact_kinetic_motion_coordinate(m, v, 0), tact_kinetic_motion_coordinate(m, v, 1),
                            tact_kinetic_motion_coordinate(m, v, 2)};
        for (size_t i = 0; i < count; ++i) {
            ends[vertices[i]][0] = previous[i];
            jumped[vertices[i]] = 1;
        }
        for (uint32_t i = 0; i < item_count; ++i) {
            tact_vec3 points[6];
            for (int k = 0; k < 3; ++k)
                memcpy(&points[2 * k], ends[list->tree.items[i][k]], sizeof *ends);
            boxes[i] = tact_box_expand(tact_box_of_points(points, 6), m->margin);
        }
        aabb_tree tree;
        aabb_tree_def def = aabb_tree_def_default();
        def.allocator = *allocator;
        jump_visits visits = {list, jumped, visitor};
        complete = tact_aabb_tree_build(&tree, boxes, item_count, &def) == TACT_OK;
        if (complete) {
            complete = tact_aabb_tree_self_pairs(&tree, visit_jump, &visits);
            tact_aabb_tree_release(&tree);
        }
    }
    tact_memory_free(allocator, ends, vertex_count, sizeof *ends);
    tact_memory_free(allocator, jumped, vertex_count, 1);
    tact_memory_free(allocator, boxes, item_count, sizeof *boxes);
    return complete;
}

static bool vertex_jumps(kinetic_motion *m, uint32_t vertex, tact_vec3 previous)
{
    const double jump = KINETIC_JUMP * m->scale;
    return fabs(tact_kinetic_motion_coordinate(m, vertex, 0) - previous.x) > jump ||
           fabs(tact_kinetic_motion_coordinate(m, vertex, 1) - previous.y) > jump ||
           fabs(tact_kinetic_motion_coordinate(m, vertex, 2) - previous.z) > jump;
}

/* The vertices that jump now, and those whose pieces are to be examined further. */
static bool process_jumps(separation_list *list, const overlap_visitor *visitor)
{
    const tact_allocator *allocator = &list->allocator;
    uint32_t due = 0;
    for (uint32_t i = 0; i < list->jumps.count; ++i)
        due += list->jumps.entries[i].time <= now(list);
    uint32_t *vertices = tact_memory_allocate(allocator, due, sizeof *vertices);
    tact_vec3 *previous = tact_memory_allocate(allocator, due, sizeof *previous);
    bool complete = vertices != NULL && previous != NULL;
    if (complete) {
        kinetic_motion *m = &list->tree.motion;
        size_t jumped = 0, count = due; /* those that jump first, the others last */
        for (uint32_t i = 0; i < list->jumps.count; ++i) {
            const event_entry *event = &list->jumps.entries[i];
            if (event->time > now(list))
                continue;
            const tact_vec3 position = tact_kinetic_motion_position_before(m, event->id, event->time);
            const size_t at = vertex_jumps(m, event->id, position) ? jumped++ : --count;
            vertices[at] = event->id;
            previous[at] = position;
        }
        complete = jumped == 0 || visit_jumps(list, vertices, jumped, previous, visitor);
        for (size_t i = 0; i < jumped && complete; ++i)
            vertex_changed(list, vertices[i]);
        for (size_t i = jumped; i < due && complete; ++i)
            schedule_jump(list, vertices[i]);
    }
    tact_memory_free(allocator, vertices, due, sizeof *vertices);
    tact_memory_free(allocator, previous, due, sizeof *previous);
    return complete;
}

/* ---- time ---- */

static double next_of(const event_queue *queue) { return queue->count > 0 ? queue->entries[0].time : INFINITY; }

static void mark_all(separation_list *list)
{
    for (uint32_t i = 0; i < list->pair_count; ++i)
        if (list->pairs[i].state != SEPARATION_UNUSED)
            tact_separation_mark(list, i);
}

/* Examines the last marked pair. */
static bool examine_marked(separation_list *list, const overlap_visitor *visitor)
{
    const uint32_t pair = list->dirty[--list->dirty_count];
    /* prefetch those that are examined next */
    if (list->dirty_count >= SEPARATION_PREFETCH) {
        const uint32_t later = list->dirty[list->dirty_count - SEPARATION_PREFETCH];
        cache_line_prefetch(&list->pairs[later]);
        cache_line_prefetch(&list->due[later]);
    }
    if (list->dirty_count >= 1) {
        const bound_pair *next = &list->pairs[list->dirty[list->dirty_count - 1]];
        cache_line_prefetch(&list->tree.bounds[next->a]);
        cache_line_prefetch(&list->tree.bounds[next->b]);
    }
    list->pairs[pair].dirty = false;
    if (examine(list, pair, visitor))
        return true;
    tact_separation_mark(list, pair);
    return false;
}

/* Prefetches the pairs of the next events: they are among the first ones of the heap. */
static void prefetch_events(const separation_list *list)
{
    const event_queue *q = &list->queue;
    for (uint32_t i = 1; i <= EVENT_HEAP_ARITY && i < q->count; ++i) {
        cache_line_prefetch(&list->pairs[q->entries[i].id]);
        cache_line_prefetch(&list->due[q->entries[i].id]);
    }
}

/* Processes all that happens up to a time. */
static bool run_until(separation_list *list, double until, const overlap_visitor *visitor)
{
    kinetic_tree *tree = &list->tree;
    tact_separation_extend_horizon(list, until);
    for (;;) {
        if (tact_kinetic_motion_adapt(&tree->motion))
            mark_all(list);
        if (next_of(&list->jumps) <= now(list)) {
            if (!process_jumps(list, visitor))
                return false;
        } else if (tact_kinetic_tree_next(tree) <= now(list)) {
            tact_kinetic_tree_step(tree);
        } else if (list->dirty_count > 0) {
            if (!examine_marked(list, visitor))
                return false;
        } else if (next_of(&list->queue) <= now(list)) {
            prefetch_events(list);
            if (!examine(list, list->queue.entries[0].id, visitor))
                return false;
            ++list->counts.events;
        } else {
            const double pair_time = next_of(&list->queue), jump_time = next_of(&list->jumps);
            double next = tact_kinetic_tree_next(tree);
            next = pair_time < next ? pair_time : next;
            next = jump_time < next ? jump_time : next;
            tact_kinetic_motion_set_time(&tree->motion, next < until ? next : until);
            if (next > until)
                return true;
        }
    }
}

/* Is the motion known beyond this time? */
static bool time_valid(const separation_list *list, double time)
{
    const vertex_samples *s = list->tree.motion.motion.samples;
    return time >= now(list) && time < INFINITY && (s == NULL || s->rest || time < s->times[s->count - 1]);
}

tact_status tact_separation_list_advance(separation_list *list, double time, separation_visit *visit, void *context)
{
    if (list == NULL || !time_valid(list, time))
        return TACT_BAD_ARGUMENT;
    const overlap_visitor visitor = {visit, context};
    const fp_environment before = fp_environment_enter();
    bool complete = run_until(list, time, &visitor);
    for (size_t i = 0; i < list->overlaps.count && complete; ++i)
        complete = visit_overlap(list, i, &visitor);
    fp_environment_leave(before);
    if (!complete)
        return TACT_OUT_OF_MEMORY;
    list->reported = time;
    return TACT_OK;
}

double tact_separation_list_time(const separation_list *list) { return now(list); }

void tact_separation_list_note_error(separation_list *list, double error)
{
    tact_kinetic_motion_note_error(&list->tree.motion, error);
}

double tact_separation_list_allowed_error(const separation_list *list)
{
    return kinetic_motion_allowed_error(&list->tree.motion);
}

tact_status tact_separation_list_vertices_changed(separation_list *list, const uint32_t *vertices, size_t count,
                                                  const tact_vec3 *previous, separation_visit *visit, void *context)
{
    if (list == NULL || (count > 0 && vertices == NULL))
        return TACT_BAD_ARGUMENT;
    for (size_t i = 0; i < count; ++i)
        if (vertices[i] >= list->tree.vertex_count)
            return TACT_BAD_ARGUMENT;
    const overlap_visitor visitor = {visit, context};
    const fp_environment before = fp_environment_enter();
    for (size_t i = 0; i < count && list->tree.motion.motion.samples != NULL; ++i)
        tact_kinetic_motion_row_changed(&list->tree.motion, vertices[i]);
    const bool visited = previous == NULL || visit_jumps(list, vertices, count, previous, &visitor);
    for (size_t i = 0; i < count; ++i)
        vertex_changed(list, vertices[i]);
    fp_environment_leave(before);
    return visited ? TACT_OK : TACT_OUT_OF_MEMORY;
}

void tact_separation_list_samples_changed(separation_list *list)
{
    const double known = list->tree.motion.known_until;
    tact_kinetic_tree_samples_changed(&list->tree);
    for (uint32_t i = list->pair_count; i-- > 0;) /* the last one marked is examined first */
        if (list->due[i] >= known && list->pairs[i].state != SEPARATION_UNUSED) {
            tact_separation_schedule(list, i, INFINITY);
            tact_separation_mark(list, i);
        }
}

/* ---- construction ---- */

/* The groups of all bounds, if there are any. */
static bool find_groups(separation_list *list, const uint32_t *groups)
{
    const kinetic_tree *tree = &list->tree;
    if (groups == NULL)
        return true;
    list->groups =
        tact_memory_allocate(&list->allocator, (size_t)tree->node_count + tree->item_count + 1, sizeof *list->groups);
    if (list->groups == NULL)
        return false;
    if (tree->item_count > 0)
        memcpy(list->groups + tree->node_count, groups, tree->item_count * sizeof *groups);
    for (uint32_t i = tree->node_count; i-- > 0;) {
        list->groups[i] = list->groups[tree->nodes[i].child[0]];
        for (unsigned k = 1; k < tree_child_count(&tree->nodes[i]); ++k)
            if (list->groups[tree->nodes[i].child[k]] != list->groups[i])
                list->groups[i] = 0;
    }
    return true;
}

static tact_status build(separation_list *list, const separation_list_def *def)
{
    const kinetic_tree_def tree_def = {.items = def->items,
                                       .item_count = def->item_count,
                                       .vertex_count = def->vertex_count,
                                       .motion = def->motion,
                                       .time = def->time,
                                       .error = def->error,
                                       .allocator = def->allocator};
    const tact_status status = tact_kinetic_tree_create(&list->tree, &tree_def);
    if (status != TACT_OK)
        return status;
    const size_t bound_count = (size_t)list->tree.node_count + list->tree.item_count;
    list->tree.changed = bound_changed;
    list->tree.context = list;
    list->links = tact_memory_allocate(&list->allocator, bound_count + 1, sizeof *list->links);
    if (list->links == NULL || !find_groups(list, def->groups))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < bound_count; ++i) {
        list->links[i].stale = false;
        for (int k = 0; k < SEPARATION_LISTS; ++k)
            list->links[i].first[k] = KINETIC_NONE;
    }
    if (def->motion.samples == NULL && !def->motion.continuous) {
        if (!tact_event_queue_reserve(&list->jumps, &list->allocator, def->vertex_count + 1))
            return TACT_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < def->vertex_count && def->item_count > 0; ++i)
            schedule_jump(list, i);
    }
    const overlap_visitor no_visitor = {NULL, NULL};
    return tact_separation_find_roots(list) && run_until(list, def->time, &no_visitor) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_separation_list_create(separation_list **made, const separation_list_def *def)
{
    if (made == NULL)
        return TACT_BAD_ARGUMENT;
    *made = NULL;
    if (def == NULL || (def->item_count > 0 && def->items == NULL) || !isfinite(def->time) ||
        (def->motion.piece == NULL && def->motion.samples == NULL && def->vertex_count > 0))
        return TACT_BAD_ARGUMENT;
    separation_list *list = tact_memory_allocate(&def->allocator, 1, sizeof *list);
    if (list == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(list, 0, sizeof *list);
    list->allocator = def->allocator;
    list->tree.allocator = def->allocator;
    list->certificate = def->certificate;
    list->free_block = KINETIC_NONE;
    list->reported = def->time;
    list->horizon = def->time;
    const fp_environment before = fp_environment_enter();
    const tact_status status = build(list, def);
    fp_environment_leave(before);
    if (status != TACT_OK) {
        tact_separation_list_release(list);
        return status;
    }
    *made = list;
    return TACT_OK;
}

void tact_separation_list_release(separation_list *list)
{
    if (list == NULL)
        return;
    const tact_allocator allocator = list->allocator;
    const size_t bound_count = (size_t)list->tree.node_count + list->tree.item_count;
    tact_memory_free(&allocator, list->links, bound_count + 1, sizeof *list->links);
    tact_memory_free(&allocator, list->groups, bound_count + 1, sizeof *list->groups);
    tact_memory_free(&allocator, list->pairs, list->pair_capacity, sizeof *list->pairs);
    tact_memory_free(&allocator, list->due, list->pair_capacity, sizeof *list->due);
    tact_memory_free(&allocator, list->dirty, list->pair_capacity, sizeof *list->dirty);
    item_overlaps_release(&list->overlaps, &allocator);
    tact_event_queue_release(&list->queue, &allocator);
    tact_event_queue_release(&list->jumps, &allocator);
    tact_kinetic_tree_release(&list->tree);
    tact_memory_free(&allocator, list, 1, sizeof *list);
}

/* ---- counters ---- */

static size_t queue_bytes(const event_queue *q)
{
    return (size_t)q->capacity * (sizeof *q->entries + sizeof *q->heap_index + sizeof *q->keys);
}

separation_counts tact_separation_list_counts(const separation_list *list)
{
    separation_counts c = list->counts;
    const size_t bound_count = (size_t)list->tree.node_count + list->tree.item_count;
    c.tree = list->tree.counts;
    c.tree_certificates = tact_kinetic_tree_certificates(&list->tree);
    c.certificates_examined = list->tree.motion.certificates;
    c.pieces_examined = list->tree.motion.pieces;
    c.pairs_overlapping = list->overlaps.count;
    for (uint32_t i = 0; i < list->pair_count; ++i) {
        c.pairs_apart += list->pairs[i].state == SEPARATION_APART;
        c.pairs_open += list->pairs[i].state == SEPARATION_OPEN;
    }
    c.bytes = sizeof *list + tact_kinetic_tree_bytes(&list->tree) + bound_count * sizeof *list->links +
              (list->groups != NULL ? bound_count * sizeof *list->groups : 0) +
              list->pair_capacity * (sizeof *list->pairs + sizeof *list->due + sizeof *list->dirty) +
              list->overlaps.capacity * sizeof *list->overlaps.items + queue_bytes(&list->queue) +
              queue_bytes(&list->jumps);
    return c;
}

separation_work tact_separation_list_work(const separation_list *list)
{
    return (separation_work){list->tree.motion.certificates, list->tree.motion.pieces};
}
