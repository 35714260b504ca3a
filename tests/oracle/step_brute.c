/* Finding what meets: by sorting boxes along an axis. */
#include "world/step_find.h"

#include <stdlib.h>

#include "math/vec.h"
#include "narrow/ccd.h"
#include "world/step_near.h"

void tact_step_finder_release(step_finder *finder, const tact_allocator *allocator)
{
    step_item_array_release(&finder->items, allocator);
}

typedef struct search {
    const step_scene *scene;
    const tact_vec3 *to;
    const uint8_t *marked;
    step_hit_array *hits;
    size_t *tests;
    double distance;
    const tact_allocator *allocator;
    bool near;
} search;

static void widen(step_item *item, tact_vec3 p, double by)
{
    const double c[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
        item->low[k] = c[k] - by < item->low[k] ? c[k] - by : item->low[k];
        item->high[k] = c[k] + by > item->high[k] ? c[k] + by : item->high[k];
    }
}

static step_item item_of(const search *s, uint32_t kind, uint32_t name, const uint32_t *vertices, int count)
{
    step_item item = {.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    item.kind = kind;
    item.name = name;
    for (int k = 0; k < count; ++k) {
        widen(&item, s->scene->from.items[vertices[k]], s->distance);
        widen(&item, s->to[vertices[k]], s->distance);
    }
    return item;
}

static int compare(const void *a, const void *b)
{
    const step_item *i = a, *j = b;
    if (i->low[0] != j->low[0])
        return i->low[0] < j->low[0] ? -1 : 1;
    if (i->kind != j->kind)
        return i->kind < j->kind ? -1 : 1;
    return i->name < j->name ? -1 : i->name > j->name;
}

/* Is A on one side of B, along an axis, at both ends? */
static bool on_one_side(tact_ccd_kind kind, const tact_vec3 a[4], const tact_vec3 b[4])
{
    const int first = kind == TACT_VERTEX_FACE ? 1 : 2;
    for (int axis = 0; axis < 3; ++axis) {
        bool above = true, below = true;
        for (int i = 0; i < first; ++i)
            for (int j = first; j < 4; ++j) {
                const double *ai = &a[i].x, *aj = &a[j].x, *bi = &b[i].x, *bj = &b[j].x;
                above = above && ai[axis] > aj[axis] && bi[axis] > bj[axis];
                below = below && ai[axis] < aj[axis] && bi[axis] < bj[axis];
            }
        if (above || below)
            return true;
    }
    return false;
}

static tact_ccd look_near(const search *s, tact_ccd_kind kind, const tact_vec3 p[4], double *distance)
{
    tact_ccd when = {.status = TACT_OK, .state = TACT_MISS};
    const tact_vec3 apart = tact_step_nearest(kind, p, when.weights);
    *distance = vec_size(apart);
    if (!(*distance < s->distance))
        return when;
    when.state = TACT_HIT;
    when.normal = vec_negate(vec_unit(apart));
    when.degenerate = *distance == 0.0;
    return when;
}

static bool look(const search *s, tact_ccd_kind kind, const uint32_t v[4], uint32_t face)
{
    const step_scene *scene = s->scene;
    const uint32_t other = v[kind == TACT_VERTEX_FACE ? 1 : 2];
    if (s->marked != NULL && !(s->marked[v[0]] | s->marked[v[1]] | s->marked[v[2]] | s->marked[v[3]]))
        return true;
    for (int i = 0; i < (kind == TACT_VERTEX_FACE ? 1 : 2); ++i)
        for (int j = kind == TACT_VERTEX_FACE ? 1 : 2; j < 4; ++j)
            if (v[i] == v[j])
                return true;
    if (!step_parts_meet(scene, scene->part_of.items[v[0]], scene->part_of.items[other]))
        return true;
    tact_vec3 start[4], end[4];
    for (int k = 0; k < 4; ++k) {
        start[k] = scene->from.items[v[k]];
        end[k] = s->to[v[k]];
    }
    if (!s->near && on_one_side(kind, start, end))
        return true;
    const tact_ccd_def def = {0.0, 1.0, 0x1p-40, 0.0, false};
    ++*s->tests;
    double distance = 0.0;
    const tact_ccd when = s->near ? look_near(s, kind, start, &distance) : tact_ccd_exact(kind, start, end, &def);
    if (when.state != TACT_HIT)
        return true;
    const step_hit hit = {when, distance, {v[0], v[1], v[2], v[3]}, face, kind};
    return step_hit_array_push(s->hits, s->allocator, hit);
}

static bool meet(const search *s, const step_item *a, const step_item *b)
{
    for (int k = 1; k < 3; ++k)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k])
            return true;
    const step_scene *scene = s->scene;
    if (a->kind == 2 && b->kind == 2) {
        const step_edge *e = &scene->edges.items[a->name < b->name ? a->name : b->name],
                        *f = &scene->edges.items[a->name < b->name ? b->name : a->name];
        const uint32_t v[4] = {e->ends[0], e->ends[1], f->ends[0], f->ends[1]};
        return look(s, TACT_EDGE_EDGE, v, 0);
    }
    if (a->kind + b->kind != 1)
        return true;
    const uint32_t face = a->kind == 1 ? a->name : b->name;
    const uint32_t *c = scene->faces.items[face].corners;
    const uint32_t v[4] = {a->kind == 1 ? b->name : a->name, c[0], c[1], c[2]};
    return look(s, TACT_VERTEX_FACE, v, face);
}

static bool run(step_finder *finder, const search *s)
{
    const step_scene *scene = s->scene;
    step_item_array *items = &finder->items;
    items->count = 0;
    if (!step_item_array_reserve(items, s->allocator, scene->from.count + scene->faces.count + scene->edges.count))
        return false;
    for (int pass = 0; pass < 2; ++pass) {
        items->count = 0;
        for (uint32_t i = 0; pass == 0 && i < scene->from.count; ++i)
            if (scene->used.items[i])
                items->items[items->count++] = item_of(s, 0, i, &i, 1);
        for (uint32_t i = 0; pass == 0 && i < scene->faces.count; ++i)
            items->items[items->count++] = item_of(s, 1, i, scene->faces.items[i].corners, 3);
        for (uint32_t i = 0; pass == 1 && i < scene->edges.count; ++i)
            items->items[items->count++] = item_of(s, 2, i, scene->edges.items[i].ends, 2);
        if (items->count > 0)
            qsort(items->items, items->count, sizeof *items->items, compare);
        for (size_t i = 0; i < items->count; ++i)
            for (size_t k = i + 1; k < items->count && items->items[k].low[0] <= items->items[i].high[0]; ++k)
                if (!meet(s, &items->items[i], &items->items[k]))
                    return false;
    }
    return true;
}

tact_status tact_step_find(step_finder *finder, const step_scene *scene, const uint8_t *marked, step_hit_array *hits,
                           size_t *tests, const tact_allocator *allocator, const tact_parallel *parallel)
{
    (void)parallel;
    const search s = {scene, scene->to.items, marked, hits, tests, 0.0, allocator, false};
    return run(finder, &s) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_step_find_near(step_finder *finder, const step_scene *scene, double distance, step_hit_array *hits,
                                const tact_allocator *allocator, const tact_parallel *parallel)
{
    (void)parallel;
    size_t tests = 0;
    const search s = {scene, scene->from.items, NULL, hits, &tests, distance, allocator, true};
    return run(finder, &s) ? TACT_OK : TACT_OUT_OF_MEMORY;
}
