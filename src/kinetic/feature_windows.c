/* Feature contacts through windows of time: see the header. */
#include "kinetic/feature_windows.h"

#include <math.h>
#include <string.h>

#include "ccd/path_ccd.h"
#include "core/memory.h"
#include "core/sort.h"
#include "kinetic/feature_windows_internal.h"
#include "kinetic/kinetic_constants.h"
#include "math/vec.h"
#include "motion/linear_path_range.h"

/* ---- memory ---- */

void tact_feature_windows_release(feature_windows *w)
{
    if (w == NULL)
        return;
    const tact_allocator allocator = w->allocator;
    const size_t vertices = (size_t)w->vertex_count + 1;
    tact_window_search_release(w->search);
    tact_memory_free(&allocator, w->triangles, w->triangle_count + 1, sizeof *w->triangles);
    tact_memory_free(&allocator, w->edges, w->edge_count + 1, sizeof *w->edges);
    tact_memory_free(&allocator, w->points, w->point_count + 1, sizeof *w->points);
    tact_memory_free(&allocator, w->parts, w->part_count + 1, sizeof *w->parts);
    tact_memory_free(&allocator, w->paths, vertices, sizeof *w->paths);
    tact_memory_free(&allocator, w->next_paths, vertices, sizeof *w->next_paths);
    tact_memory_free(&allocator, w->start, vertices, sizeof *w->start);
    tact_memory_free(&allocator, w->end, vertices, sizeof *w->end);
    tact_memory_free(&allocator, w->jumps, vertices, sizeof *w->jumps);
    tact_memory_free(&allocator, w->changed, vertices, sizeof *w->changed);
    touching_pair_array_release(&w->now.pairs, &allocator);
    touching_pair_array_release(&w->next.pairs, &allocator);
    feature_event_array_release(&w->now.events, &allocator);
    feature_event_array_release(&w->next.events, &allocator);
    touching_pair_array_release(&w->last_pairs, &allocator);
    touching_pair_array_release(&w->reported, &allocator);
    touching_pair_array_release(&w->next_reported, &allocator);
    touching_pair_array_release(&w->jump_pairs, &allocator);
    touching_pair_array_release(&w->pair_scratch, &allocator);
    feature_event_array_release(&w->event_scratch, &allocator);
    tact_memory_free(&allocator, w, 1, sizeof *w);
}

tact_status tact_feature_windows_create(feature_windows **made, const feature_windows_def *def)
{
    *made = NULL;
    feature_windows *w = tact_memory_allocate(&def->allocator, 1, sizeof *w);
    if (w == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(w, 0, sizeof *w);
    w->allocator = def->allocator;
    w->vertex_count = def->vertex_count;
    w->triangle_count = def->triangle_count;
    w->edge_count = def->edge_count;
    w->point_count = def->point_count;
    w->part_count = def->part_count;
    const size_t vertices = (size_t)w->vertex_count + 1;
    w->triangles = tact_memory_allocate(&w->allocator, w->triangle_count + 1, sizeof *w->triangles);
    w->edges = tact_memory_allocate(&w->allocator, w->edge_count + 1, sizeof *w->edges);
    w->points = tact_memory_allocate(&w->allocator, w->point_count + 1, sizeof *w->points);
    w->parts = tact_memory_allocate(&w->allocator, w->part_count + 1, sizeof *w->parts);
    w->paths = tact_memory_allocate(&w->allocator, vertices, sizeof *w->paths);
    w->next_paths = tact_memory_allocate(&w->allocator, vertices, sizeof *w->next_paths);
    w->start = tact_memory_allocate(&w->allocator, vertices, sizeof *w->start);
    w->end = tact_memory_allocate(&w->allocator, vertices, sizeof *w->end);
    w->jumps = tact_memory_allocate(&w->allocator, vertices, sizeof *w->jumps);
    w->changed = tact_memory_allocate(&w->allocator, vertices, sizeof *w->changed);
    if (w->triangles == NULL || w->edges == NULL || w->points == NULL || w->parts == NULL || w->paths == NULL ||
        w->next_paths == NULL || w->start == NULL || w->end == NULL || w->jumps == NULL || w->changed == NULL) {
        tact_feature_windows_release(w);
        return TACT_OUT_OF_MEMORY;
    }
    memset(w->paths, 0, vertices * sizeof *w->paths); /* a window that could not begin has paths, too */
    memset(w->next_paths, 0, vertices * sizeof *w->next_paths);
    if (w->triangle_count > 0)
        memcpy(w->triangles, def->triangles, w->triangle_count * sizeof *w->triangles);
    if (w->edge_count > 0)
        memcpy(w->edges, def->edges, w->edge_count * sizeof *w->edges);
    if (w->point_count > 0)
        memcpy(w->points, def->points, w->point_count * sizeof *w->points);
    if (w->part_count > 0)
        memcpy(w->parts, def->parts, w->part_count * sizeof *w->parts);
    sweep_def elements = sweep_def_default();
    elements.vertex_count = w->vertex_count;
    elements.triangles = (const uint32_t(*)[3])w->triangles;
    elements.triangle_count = w->triangle_count;
    elements.edges = (const uint32_t(*)[2])w->edges;
    elements.edge_count = w->edge_count;
    elements.points = w->points;
    elements.point_count = w->point_count;
    elements.parts = w->part_count > 0 ? w->parts : NULL;
    elements.part_count = w->part_count;
    elements.allocator = w->allocator;
    const tact_status status = tact_window_search_create(&w->search, &elements);
    if (status != TACT_OK) {
        tact_feature_windows_release(w);
        return status;
    }
    *made = w;
    return TACT_OK;
}

/* ---- pairs and events in order ---- */

int tact_feature_pair_compare(const feature_pair *a, const feature_pair *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i] ? -1 : 1;
    return 0;
}

static inline bool pair_before(const void *context, const touching_pair *a, const touching_pair *b)
{
    (void)context;
    return tact_feature_pair_compare(&a->pair, &b->pair) < 0;
}

MERGE_SORT_OF(sort_pairs, touching_pair, const void *, pair_before)

MERGE_SORT_OF(sort_events, feature_event, const void *, feature_event_before)

/* Sorts pairs. False: out of memory. */
static bool sort_pair_array(feature_windows *w, touching_pair_array *pairs)
{
    if (!touching_pair_array_reserve(&w->pair_scratch, &w->allocator, pairs->count))
        return false;
    if (sort_pairs(NULL, pairs->items, w->pair_scratch.items, pairs->count) != pairs->items)
        memcpy(pairs->items, w->pair_scratch.items, pairs->count * sizeof *pairs->items);
    return true;
}

static bool sort_event_array(feature_windows *w, feature_event_array *events)
{
    if (!feature_event_array_reserve(&w->event_scratch, &w->allocator, events->count))
        return false;
    if (sort_events(NULL, events->items, w->event_scratch.items, events->count) != events->items)
        memcpy(events->items, w->event_scratch.items, events->count * sizeof *events->items);
    return true;
}

/* Finds a pair in a sorted array; NULL: it is not there. */
static const touching_pair *find_pair(const touching_pair_array *pairs, const feature_pair *pair)
{
    size_t low = 0, high = pairs->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = tact_feature_pair_compare(pair, &pairs->items[middle].pair);
        if (order == 0)
            return &pairs->items[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- paths ---- */

static bool vec_same(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* Whether a path is that of a point at rest, whose position is not rounded. */
static bool is_constant(const linear_path *p)
{
    const tact_vec3 zero = {0.0, 0.0, 0.0};
    return p->has_velocity && vec_same(p->x1, zero);
}

/* Whether two paths certainly have the same position at a time. Paths that are equal, or meet at a key frame; other
 * paths may count as different, which only costs time. */
static bool same_position(const linear_path *a, const linear_path *b, double time)
{
    if (a->has_velocity == b->has_velocity && a->t0 == b->t0 && (a->has_velocity || a->t1 == b->t1) &&
        vec_same(a->x0, b->x0) && vec_same(a->x1, b->x1))
        return true;
    const linear_path *both[2] = {a, b};
    tact_vec3 at[2];
    for (int i = 0; i < 2; ++i) { /* positions without rounding */
        const linear_path *p = both[i];
        if (time == p->t0 || is_constant(p) || (!p->has_velocity && vec_same(p->x0, p->x1)))
            at[i] = p->x0;
        else if (!p->has_velocity && time == p->t1)
            at[i] = p->x1;
        else
            return false;
    }
    return vec_same(at[0], at[1]);
}

/* ---- sweeps ---- */

/* The paths that a sweep decides on. */
typedef struct path_window {
    const linear_path *from, *paths; /* at the start of a jump, or NULL; in the window, or at the end of the jump */
    double begin, end;
} path_window;

static tact_ccd decide_path(void *context, tact_ccd_kind kind, const uint32_t vertices[4])
{
    const path_window *window = context;
    linear_path from[4], paths[4];
    path_ccd found;
    feature_pair_paths(window->paths, vertices, paths);
    if (window->from != NULL) {
        feature_pair_paths(window->from, vertices, from);
        tact_path_ccd_jump(kind, from, paths, window->begin, &found);
    } else {
        tact_path_ccd(kind, paths, window->begin, window->end, &found);
    }
    return found.count > 0 ? found.contact[0] : (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
}

/* The slack of bounds for positions with an error, and for small changes later: WINDOW_SLACK of the largest
 * coordinate. */
static double slack_for(double largest, double error)
{
    return max_double(WINDOW_SLACK * largest, 4.0 * PATH_SEPARATION_FACTOR * error);
}

/* The step from `start` to `end`. `error`: how far the true positions may be from the straight lines between the two,
 * in each coordinate; 0: not at all, and the sweep decides itself. */
static sweep_step step_of(const feature_windows *w, const path_window *window, double error,
                          const tact_parallel *parallel)
{
    sweep_step step = sweep_step_default();
    step.start = w->start;
    step.end = w->end;
    step.parallel = parallel;
    step.bound_slack = w->slack;
    if (error > 0.0) {
        step.decide_separation = PATH_SEPARATION_FACTOR * error;
        step.decide = decide_path;
        step.decide_context = (void *)window; /* read only */
    }
    return step;
}

static tact_status run_sweep(feature_windows *w, const path_window *window, double error, const tact_parallel *parallel)
{
    const sweep_step step = step_of(w, window, error, parallel);
    return tact_window_search_sweep(w->search, &step);
}

/* The contacts of the last search. */
static inline mesh_sweep *found_by(const feature_windows *w) { return tact_window_search_found(w->search); }

void tact_feature_windows_set_engine(feature_windows *w, tact_deforming_engine engine)
{
    tact_window_search_set_engine(w->search, engine);
}

void tact_feature_windows_set_forecast(feature_windows *w, const motion_forecast *forecast)
{
    tact_window_search_set_forecast(w->search, forecast);
}

const window_search *tact_feature_windows_search(const feature_windows *w) { return w->search; }

static feature_pair pair_of(const sweep_contact *contact)
{
    feature_pair pair = {.kind = contact->kind};
    memcpy(pair.index, contact->index, sizeof pair.index);
    return pair;
}

/* Adds the events of a pair, except the first one if its contact began earlier or its event has been taken. `last`: of
 * last_pairs, or NULL. False: out of memory. */
static bool add_events(feature_windows *w, const feature_pair *pair, const path_ccd *found, const touching_pair *last,
                       double begin)
{
    const bool known = last != NULL && found->count > 0 &&
                       (last->lasts ? found->at_enter : !found->at_enter && found->contact[0].lower == begin);
    for (int i = known ? 1 : 0; i < found->count; ++i)
        if (!feature_event_array_push(&w->next.events, &w->allocator, (feature_event){*pair, found->contact[i]}))
            return false;
    return true;
}

/* ---- the start of a window ---- */

/* Lists the pairs whose contacts begin just after `begin`, and whose events have been taken: in earlier windows from
 * `begin` on, or in the last one. False: out of memory. */
static bool list_reported_pairs(feature_windows *w, double begin)
{
    w->next_reported.count = 0;
    for (size_t i = 0; w->reported_at == begin && i < w->reported.count; ++i)
        if (!touching_pair_array_push(&w->next_reported, &w->allocator, w->reported.items[i]))
            return false;
    for (size_t i = w->taken; w->has_window && i > 0 && w->now.events.items[i - 1].ccd.lower >= begin; --i)
        if (feature_event_begins_just_after(&w->now.events.items[i - 1], begin) &&
            !touching_pair_array_push(&w->next_reported, &w->allocator,
                                      (touching_pair){w->now.events.items[i - 1].pair, false}))
            return false;
    return sort_pair_array(w, &w->next_reported);
}

/* Lists the pairs that touch at `begin`, the end of the last window or a time within it. False: out of memory. */
static bool list_last_pairs(feature_windows *w, double begin)
{
    w->last_pairs.count = 0;
    for (size_t i = 0; w->has_window && i < w->now.pairs.count; ++i)
        if (feature_pair_touches_at(w, &w->now.pairs.items[i], begin) &&
            !touching_pair_array_push(&w->last_pairs, &w->allocator, (touching_pair){w->now.pairs.items[i].pair, true}))
            return false;
    if (!list_reported_pairs(w, begin))
        return false;
    for (size_t i = 0; i < w->next_reported.count; ++i)
        if (!touching_pair_array_push(&w->last_pairs, &w->allocator, w->next_reported.items[i]))
            return false;
    return w->next_reported.count == 0 || sort_pair_array(w, &w->last_pairs);
}

/* Keeps the events at `begin` that have not been taken. Those that begin after it, by less than an ulp, are found
 * again. */
static bool keep_events(feature_windows *w, double begin)
{
    w->next.events.count = 0;
    for (size_t i = w->taken; w->has_window && i < w->now.events.count; ++i)
        if (w->now.events.items[i].ccd.upper <= begin &&
            !feature_event_array_push(&w->next.events, &w->allocator, w->now.events.items[i]))
            return false;
    return true;
}

/* Marks the vertices that jump. Returns whether there are any. */
static bool mark_jumps(feature_windows *w, double begin)
{
    const linear_path *paths = w->next_paths;
    bool any = false;
    memset(w->jumps, 0, w->vertex_count);
    for (uint32_t v = 0; w->has_window && v < w->vertex_count; ++v) {
        const linear_path *old = &w->paths[v], *next = &paths[v];
        const bool reached = !old->has_velocity && old->t1 == begin && next->t0 == begin && vec_same(old->x1, next->x0);
        if (reached || same_position(old, next, begin)) /* the first: a target is reached */
            continue;
        w->jumps[v] = 1;
        any = true;
    }
    return any;
}

static bool pair_jumps(const feature_windows *w, const uint32_t vertices[4])
{
    return (w->jumps[vertices[0]] | w->jumps[vertices[1]] | w->jumps[vertices[2]] | w->jumps[vertices[3]]) != 0;
}

/* Finds the contacts of the jump at `begin`, and updates the pairs that touch then. */
static tact_status find_jump_contacts(feature_windows *w, double begin, const tact_parallel *parallel)
{
    const linear_path *paths = w->next_paths;
    double error = 0.0, most = 0.0;
    for (uint32_t v = 0; v < w->vertex_count; ++v) {
        w->start[v] = linear_path_at(&w->paths[v], begin);
        w->end[v] = w->jumps[v] != 0 ? linear_path_at(&paths[v], begin) : w->start[v];
        most = max_double(most, max_double(vec_max_abs(w->start[v]), vec_max_abs(w->end[v])));
        error = max_double(error, max_double(linear_path_error(&w->paths[v], begin, begin),
                                             linear_path_error(&paths[v], begin, begin)));
    }
    w->slack = slack_for(most, error);
    w->tree_current = false;
    const path_window window = {.from = w->paths, .paths = paths, .begin = begin, .end = begin};
    const tact_status status = run_sweep(w, &window, error, parallel);
    if (status != TACT_OK)
        return status;
    w->jump_pairs.count = 0;
    for (size_t i = 0; i < w->last_pairs.count; ++i) { /* pairs that do not jump stay in contact */
        uint32_t vertices[4];
        feature_pair_vertices(w, &w->last_pairs.items[i].pair, vertices);
        if (!pair_jumps(w, vertices) &&
            !touching_pair_array_push(&w->jump_pairs, &w->allocator, w->last_pairs.items[i]))
            return TACT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < tact_mesh_sweep_count(found_by(w)); ++i) {
        const feature_pair pair = pair_of(tact_mesh_sweep_contact(found_by(w), i));
        uint32_t vertices[4];
        linear_path from[4], to[4];
        path_ccd found;
        feature_pair_vertices(w, &pair, vertices);
        if (!pair_jumps(w, vertices))
            continue;
        feature_pair_paths(w->paths, vertices, from);
        feature_pair_paths(paths, vertices, to);
        tact_path_ccd_jump(pair.kind, from, to, begin, &found);
        if (!add_events(w, &pair, &found, find_pair(&w->last_pairs, &pair), begin))
            return TACT_OUT_OF_MEMORY;
        if (found.at_exit && !touching_pair_array_push(&w->jump_pairs, &w->allocator, (touching_pair){pair, true}))
            return TACT_OUT_OF_MEMORY;
    }
    if (!sort_pair_array(w, &w->jump_pairs))
        return TACT_OUT_OF_MEMORY;
    const touching_pair_array other = w->last_pairs;
    w->last_pairs = w->jump_pairs;
    w->jump_pairs = other;
    return TACT_OK;
}

/* Finds the contacts of the window. */
static tact_status find_window_contacts(feature_windows *w, double begin, double end, const tact_parallel *parallel)
{
    const linear_path *paths = w->next_paths;
    const double last = end < INFINITY ? end : begin; /* at rest, all instants are alike */
    bool exact = true;
    double error = 0.0;
    vec_halves most = vec_halves_zero();
    for (uint32_t v = 0; v < w->vertex_count; ++v) {
        const linear_path *p = &paths[v];
        vec_halves from = vec_halves_load(&p->x0), to = vec_halves_load(&p->x1);
        if (p->has_velocity || p->t0 != begin || p->t1 != last) {
            exact = exact && is_constant(p);
            from = linear_path_halves(p, begin);
            to = linear_path_halves(p, last);
            error = max_double(error, linear_path_error(p, begin, last));
        }
        vec_halves_store(&w->start[v], from);
        vec_halves_store(&w->end[v], to);
        most = vec_halves_max(vec_halves_max(vec_halves_abs(from), vec_halves_abs(to)), most);
    }
    w->error = exact ? 0.0 : error;
    w->slack = slack_for(vec_halves_largest(most), error);
    const path_window window = {.paths = paths, .begin = begin, .end = last};
    const sweep_step step = step_of(w, &window, w->error, parallel);
    const window_motion motion = {paths, begin, last, error};
    w->tree_current = false;
    const tact_status status = tact_window_search_run(w->search, &motion, &step, &w->tree_current);
    if (status != TACT_OK)
        return status;
    w->next.pairs.count = 0;
    for (size_t i = 0; i < tact_mesh_sweep_count(found_by(w)); ++i) {
        const feature_pair pair = pair_of(tact_mesh_sweep_contact(found_by(w), i));
        uint32_t vertices[4];
        linear_path four[4];
        path_ccd found;
        feature_pair_vertices(w, &pair, vertices);
        feature_pair_paths(paths, vertices, four);
        tact_path_ccd(pair.kind, four, begin, last, &found);
        if (!add_events(w, &pair, &found, find_pair(&w->last_pairs, &pair), begin) ||
            !touching_pair_array_push(&w->next.pairs, &w->allocator, (touching_pair){pair, found.at_exit}))
            return TACT_OUT_OF_MEMORY;
    }
    return sort_pair_array(w, &w->next.pairs) && sort_event_array(w, &w->next.events) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

/* What was found becomes the contents of the window. */
static void take_contacts(feature_windows *w)
{
    const window_contacts other = w->now;
    w->now = w->next;
    w->next = other;
    w->taken = 0;
}

static void take_reported(feature_windows *w, double now)
{
    const touching_pair_array other = w->reported;
    w->reported = w->next_reported;
    w->next_reported = other;
    w->reported_at = now;
}

linear_path *tact_feature_windows_next_paths(feature_windows *w) { return w->next_paths; }

static bool all_rest(const feature_windows *w)
{
    for (uint32_t v = 0; v < w->vertex_count; ++v)
        if (!is_constant(&w->next_paths[v]))
            return false;
    return true;
}

/* The contacts of a window in which all vertices rest where the last one ended: the pairs that touch then. */
static tact_status find_rest_contacts(feature_windows *w)
{
    w->next.pairs.count = 0;
    if (!touching_pair_array_reserve(&w->next.pairs, &w->allocator, w->last_pairs.count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < w->last_pairs.count; ++i)
        w->next.pairs.items[w->next.pairs.count++] = w->last_pairs.items[i];
    w->tree_current = false;
    return TACT_OK;
}

/* The path of a vertex after that of a window, at the end of which it comes to rest. */
static linear_path path_after(const linear_path *p) { return p->has_velocity ? *p : linear_path_at_rest(p->x1, p->t1); }

void tact_feature_windows_rest(feature_windows *w)
{
    w->reported.count = 0; /* contacts that begin after the end of the window, by less than an ulp: none */
    w->reported_at = w->begin_time = w->end_time;
    w->end_time = INFINITY;
    w->tree_current = false;
    w->rests = true;
}

/* Replaces the paths of a window that ended before `begin`, after which all vertices rest. (At its end itself the
 * positions are the same.) */
static void settle_paths(feature_windows *w, double begin)
{
    if (!w->rests || begin == w->begin_time)
        return;
    for (uint32_t v = 0; v < w->vertex_count; ++v)
        w->paths[v] = path_after(&w->paths[v]);
    w->rests = false;
}

tact_status tact_feature_windows_begin(feature_windows *w, double begin, double end, const tact_parallel *parallel)
{
    settle_paths(w, begin);
    if (!list_last_pairs(w, begin) || !keep_events(w, begin))
        return TACT_OUT_OF_MEMORY;
    tact_status status = TACT_OK;
    const bool jumps = mark_jumps(w, begin);
    if (jumps)
        status = find_jump_contacts(w, begin, parallel);
    if (status == TACT_OK)
        status = w->has_window && !w->is_restored && !jumps && all_rest(w)
                     ? find_rest_contacts(w)
                     : find_window_contacts(w, begin, end, parallel);
    if (status != TACT_OK)
        return status;
    feature_windows_swap_paths(w);
    take_contacts(w);
    take_reported(w, begin);
    w->begin_time = begin;
    w->end_time = end;
    w->has_window = true;
    w->is_restored = w->rests = false;
    return TACT_OK;
}

/* ---- changes within a window ---- */

/* Whether a vertex has changed. */
static bool pair_changed(const feature_windows *w, const uint32_t vertices[4])
{
    return (w->changed[vertices[0]] | w->changed[vertices[1]] | w->changed[vertices[2]] | w->changed[vertices[3]]) != 0;
}

/* Takes out the pairs and the events of changed vertices: what the rest of the window has of the others. Lists the
 * pairs of changed vertices that touch now. False: out of memory. */
static bool split_contacts(feature_windows *w, double now)
{
    w->last_pairs.count = w->next.pairs.count = 0;
    if (!keep_events(w, now))
        return false;
    for (size_t i = 0; i < w->now.pairs.count; ++i) {
        touching_pair touching = w->now.pairs.items[i];
        uint32_t vertices[4];
        feature_pair_vertices(w, &touching.pair, vertices);
        if (!pair_changed(w, vertices)) {
            if (!touching_pair_array_push(&w->next.pairs, &w->allocator, touching))
                return false;
            continue;
        }
        linear_path paths[4];
        path_ccd found;
        feature_pair_paths(w->paths, vertices, paths);
        tact_path_ccd(touching.pair.kind, paths, now, now, &found);
        touching.lasts = true;
        if (found.count > 0 && !touching_pair_array_push(&w->last_pairs, &w->allocator, touching))
            return false;
    }
    for (size_t i = w->taken; i < w->now.events.count; ++i) {
        const feature_event *event = &w->now.events.items[i];
        uint32_t vertices[4];
        feature_pair_vertices(w, &event->pair, vertices);
        if (event->ccd.upper > now && !pair_changed(w, vertices) &&
            !feature_event_array_push(&w->next.events, &w->allocator, *event))
            return false;
    }
    return true;
}

/* Vertices that get other paths from a time on. */
typedef struct path_change {
    const feature_windows *windows;
    const linear_path *paths; /* of the vertices `first` to `first + count` - 1 */
    uint32_t first, count;
    double now;
} path_change;

static void changed_paths(const path_change *change, const uint32_t vertices[4], linear_path four[4])
{
    for (int i = 0; i < 4; ++i)
        four[i] = vertices[i] - change->first < change->count ? change->paths[vertices[i] - change->first]
                                                              : change->windows->paths[vertices[i]];
}

/* The contacts of a pair in the jump now, and in the rest of the window. */
static void find_changed(const path_change *change, tact_ccd_kind kind, const uint32_t vertices[4], path_ccd *jump,
                         path_ccd *rest)
{
    linear_path from[4], to[4];
    feature_pair_paths(change->windows->paths, vertices, from);
    changed_paths(change, vertices, to);
    tact_path_ccd_jump(kind, from, to, change->now, jump);
    tact_path_ccd(kind, to, change->now, change->windows->end_time, rest);
}

/* Decides a pair of changed vertices. */
static tact_ccd decide_change(void *context, tact_ccd_kind kind, const uint32_t vertices[4])
{
    path_ccd jump, rest;
    find_changed(context, kind, vertices, &jump, &rest);
    return jump.count > 0   ? jump.contact[0]
           : rest.count > 0 ? rest.contact[0]
                            : (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
}

/* Adds the contacts of changed vertices that a sweep has found. False: out of memory. */
static bool add_changed_contacts(feature_windows *w, const path_change *change)
{
    for (size_t i = 0; i < tact_mesh_sweep_count(found_by(w)); ++i) {
        const feature_pair pair = pair_of(tact_mesh_sweep_contact(found_by(w), i));
        uint32_t vertices[4];
        path_ccd jump, rest;
        feature_pair_vertices(w, &pair, vertices);
        find_changed(change, pair.kind, vertices, &jump, &rest);
        const touching_pair lasting = {pair, true};
        if (!add_events(w, &pair, &jump, find_pair(&w->last_pairs, &pair), change->now) ||
            !add_events(w, &pair, &rest, jump.at_exit ? &lasting : find_pair(&w->next_reported, &pair), change->now))
            return false;
        if (rest.count > 0 &&
            !touching_pair_array_push(&w->next.pairs, &w->allocator, (touching_pair){pair, rest.at_exit}))
            return false;
    }
    return true;
}

/* Sets the rounded positions of a vertex at two times. */
static inline void set_ends_of(feature_windows *w, uint32_t vertex, vec_halves from, vec_halves to)
{
    vec_halves_store(&w->start[vertex], from);
    vec_halves_store(&w->end[vertex], to);
}

/* Sets the rounded positions of vertices at `begin` and at the end of the window. */
static void set_ends(feature_windows *w, const linear_path *paths, uint32_t first, uint32_t count, double begin)
{
    const double end = w->end_time;
    for (uint32_t i = 0; i < count; ++i)
        set_ends_of(w, first + i, linear_path_halves(&paths[i], begin), linear_path_halves(&paths[i], end));
}

/* A bound of the rounding errors of the summarized paths in the window. */
static double common_rounding(const feature_windows *w, const common_paths *common)
{
    const double longest = max_double(fabs(w->begin_time - common->begin), fabs(w->end_time - common->begin));
    const double way = point_extents_largest(&common->ends);
    return linear_path_largest_error(point_extents_largest(&common->starts),
                                     common->has_velocity ? longest * way : way);
}

/* In one pass over the vertices: if all of them change, and the tree is that of the window, also their positions now
 * and at its end. */
bool tact_feature_windows_can_change(feature_windows *w, const window_change *change)
{
    const vertex_plan_pieces *pieces = change->pieces;
    const double now = pieces->time, end = w->end_time;
    if (!w->has_window || !(end < INFINITY) || !(now >= w->begin_time) || !(now <= end))
        return false;
    const bool common = vertex_plan_has_common_paths(pieces->plan, now);
    const bool all = change->count == w->vertex_count && w->tree_current;
    linear_path_range range = linear_path_range_empty();
    vec_halves jump = vec_halves_zero();
    for (uint32_t i = 0; i < change->count; ++i) {
        linear_path storage;
        double path_end;
        const linear_path *path = vertex_plan_path_of(pieces, change->plan_first + i, &path_end, &storage);
        const vec_halves old = linear_path_halves(&w->paths[change->first + i], now);
        const vec_halves from = linear_path_halves(path, now);
        jump = vec_halves_max(vec_halves_abs(vec_halves_sub(from, old)), jump);
        if (!common)
            linear_path_range_add(&range, path, w->begin_time, end);
        if (all)
            set_ends_of(w, i, from, linear_path_halves(path, end));
        w->next_paths[i] = *path;
    }
    w->change_error = vec_halves_largest(jump) +
                      (common ? common_rounding(w, &pieces->plan->common) : linear_path_range_error(&range));
    const bool possible = w->change_error + w->error <= 0.0625 * w->slack; /* a quarter of what positions may deviate */
    w->ends_changed = all && possible;
    w->tree_current = w->tree_current && (!all || possible);
    return possible;
}

/* Brings the tree to the window, which the list has searched. */
static tact_status refit_tree(feature_windows *w, const tact_parallel *parallel)
{
    set_ends(w, w->paths, 0, w->vertex_count, w->begin_time);
    const path_window window = {.paths = w->paths, .begin = w->begin_time, .end = w->end_time};
    const tact_status status = run_sweep(w, &window, w->error, parallel);
    w->tree_current = status == TACT_OK;
    return status;
}

/* Searches the rest of the window for contacts of changed vertices. */
static tact_status search_changed(feature_windows *w, path_change *change, double error, const tact_parallel *parallel)
{
    sweep_step step = sweep_step_default();
    step.start = w->start;
    step.end = w->end;
    step.parallel = parallel;
    step.bound_slack = w->slack;
    step.decide = decide_change;
    step.decide_context = change;
    step.decide_separation = PATH_SEPARATION_FACTOR * error;
    step.changed = change->count < w->vertex_count ? w->changed : NULL;
    const tact_status status = tact_mesh_sweep_run(found_by(w), &step);
    if (status != TACT_OK)
        return status;
    return add_changed_contacts(w, change) && sort_pair_array(w, &w->next.pairs) && sort_event_array(w, &w->next.events)
               ? TACT_OK
               : TACT_OUT_OF_MEMORY;
}

tact_status tact_feature_windows_change(feature_windows *w, const window_change *change, const tact_parallel *parallel)
{
    const uint32_t first = change->first, count = change->count;
    const double now = change->pieces->time;
    tact_status status = w->tree_current ? TACT_OK : refit_tree(w, parallel);
    if (status != TACT_OK)
        return status;
    memset(w->changed, 0, w->vertex_count);
    memset(w->changed + first, 1, count);
    const double error = max_double(w->error, w->change_error);
    /* All bounds are of one window: from its start on, or from now on if all vertices change. */
    const double begin = count < w->vertex_count ? w->begin_time : now;
    if (split_contacts(w, now) && list_reported_pairs(w, now)) {
        if (!w->ends_changed)
            set_ends(w, w->next_paths, first, count, begin);
        path_change search = {w, w->next_paths, first, count, now};
        status = search_changed(w, &search, error, parallel);
    } else {
        status = TACT_OUT_OF_MEMORY;
    }
    w->ends_changed = false;
    if (status != TACT_OK) {
        w->tree_current = false; /* brought to the window again, with the paths as before */
        return status;
    }
    w->error = error;
    w->begin_time = begin;
    if (count == w->vertex_count)
        feature_windows_swap_paths(w);
    else
        memcpy(w->paths + first, w->next_paths, count * sizeof *w->paths);
    take_contacts(w);
    take_reported(w, now);
    return TACT_OK;
}

const feature_event *tact_feature_windows_next(const feature_windows *w)
{
    return w->taken < w->now.events.count ? &w->now.events.items[w->taken] : NULL;
}

void tact_feature_windows_pop(feature_windows *w) { ++w->taken; }

const feature_event *tact_feature_windows_later(const feature_windows *w, size_t ahead)
{
    return ahead < w->now.events.count - w->taken ? &w->now.events.items[w->taken + ahead] : NULL;
}

const feature_pair *tact_feature_windows_touching(const feature_windows *w, size_t i)
{
    return i < w->now.pairs.count ? &w->now.pairs.items[i].pair : NULL;
}

void tact_feature_windows_vertices(const feature_windows *w, const feature_pair *pair, uint32_t vertices[4])
{
    feature_pair_vertices(w, pair, vertices);
}

bool tact_feature_windows_touches(const feature_windows *w, const feature_pair *pair, double begin, double end)
{
    uint32_t vertices[4];
    linear_path paths[4];
    path_ccd found;
    feature_pair_vertices(w, pair, vertices);
    for (int i = 0; i < 4; ++i)
        paths[i] = tact_feature_windows_path(w, vertices[i]);
    tact_path_ccd(pair->kind, paths, begin, end, &found);
    return found.count == 1 && found.at_enter && found.at_exit;
}

uint32_t tact_feature_windows_vertex_count(const feature_windows *w) { return w->vertex_count; }

bool tact_feature_windows_has_begun(const feature_windows *w) { return w->has_window; }

linear_path tact_feature_windows_path(const feature_windows *w, uint32_t vertex)
{
    return w->rests ? path_after(&w->paths[vertex]) : w->paths[vertex];
}
