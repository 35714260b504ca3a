/* Contacts in progress, by the current faces: see the header. */
#include "advance/deforming_contacts.h"

#include <string.h>

#include "advance/advance.h"
#include "advance/vertex_motion.h"
#include "core/heap.h"
#include "core/memory.h"
#include "shape/mesh_edit.h"

/* ---- features that still exist ---- */

/* From the numbers of the windows to those of windows made of the current faces. */
typedef struct feature_map {
    const deforming_pair *pair;
    const mesh_edit *edits[2]; /* of bodies whose faces may have changed; NULL: of others */
    const mesh *meshes[2];
    uint32_t old_second;                      /* the first vertex of the second body in the windows; 0: with itself */
    uint32_t second_vertex, second_triangle;  /* in the new ones */
    uint32_t old_counts[2], vertex_counts[2]; /* of vertices, of each body; the second is 0 for a body with itself */
} feature_map;

static uint32_t body_vertex_count(const tact_world *world, uint32_t index, uint32_t otherwise)
{
    const vertex_plan *plan = world->cold.items[index].vertex_plan;
    return plan != NULL ? plan->vertex_count : otherwise;
}

static feature_map make_map(const tact_world *world, const uint32_t bodies[2], const deforming_pair *pair)
{
    const bool self = bodies[0] == bodies[1];
    const uint32_t total = tact_feature_windows_vertex_count(pair->windows);
    feature_map map = {.pair = pair, .old_second = self ? 0 : pair->second_vertex};
    map.old_counts[0] = self ? total : pair->second_vertex;
    map.old_counts[1] = total - map.old_counts[0];
    map.second_triangle = pair->second_triangle;
    for (int i = 0; i < (self ? 1 : 2); ++i) {
        const deform *d = world->cold.items[bodies[i]].deform;
        map.vertex_counts[i] = body_vertex_count(world, bodies[i], map.old_counts[i]);
        if (d == NULL || d->adjacency.edit == NULL)
            continue;
        map.edits[i] = d->adjacency.edit;
        map.meshes[i] = world->bodies.items[bodies[i]].shape->mesh;
        if (i == 0)
            map.second_triangle = map.meshes[0]->element_count;
    }
    map.second_vertex = map.vertex_counts[0];
    return map;
}

/* A vertex of the windows: of which body, and its number there. */
static int local_vertex(const feature_map *map, uint32_t vertex, uint32_t *local)
{
    const int body = map->old_second > 0 && vertex >= map->old_second ? 1 : 0;
    *local = vertex - (body == 1 ? map->old_second : 0);
    return body;
}

static uint32_t new_vertex(const feature_map *map, int body, uint32_t local)
{
    return local + (body == 1 ? map->second_vertex : 0);
}

static bool element_has(const mesh *m, uint32_t element, uint32_t vertex)
{
    const uint32_t *v = m->indices + 3 * (size_t)element;
    return v[0] == vertex || v[1] == vertex || v[2] == vertex;
}

/* Finds an element with up to three vertices; MESH_EDIT_NONE: none. `face`: the one that is preferred. */
static uint32_t find_element(const feature_map *map, int body, const uint32_t *vertices, int count, uint32_t face)
{
    const mesh_edit *edit = map->edits[body];
    const mesh *m = map->meshes[body];
    uint32_t found = MESH_EDIT_NONE;
    for (uint32_t corner = edit->first_corner[vertices[0]]; corner != MESH_EDIT_NONE;
         corner = edit->next_corner[corner]) {
        const uint32_t element = corner / 3;
        bool all = true;
        for (int i = 1; i < count; ++i)
            all = all && element_has(m, element, vertices[i]);
        if (!all)
            continue;
        if (mesh_face(m, element) == face)
            return element;
        found = element < found ? element : found;
    }
    return found;
}

/* Maps some vertices of one body that are a feature. False: it does not exist any more. */
static bool map_vertices(const feature_map *map, const uint32_t *from, int count, uint32_t *to)
{
    uint32_t local[3];
    int body = 0;
    for (int i = 0; i < count; ++i) {
        body = local_vertex(map, from[i], &local[i]);
        to[i] = new_vertex(map, body, local[i]);
    }
    return map->edits[body] == NULL || find_element(map, body, local, count, MESH_EDIT_NONE) != MESH_EDIT_NONE;
}

static bool map_triangle(const feature_map *map, uint32_t triangle, uint32_t *to)
{
    const deforming_pair *pair = map->pair;
    uint32_t local[3];
    int body = 0;
    for (int i = 0; i < 3; ++i)
        body = local_vertex(map, pair->triangles.items[triangle].vertices[i], &local[i]);
    if (map->edits[body] == NULL) { /* the second body: its triangles are as before */
        *to = body == 1 ? triangle - pair->second_triangle + map->second_triangle : triangle;
        return true;
    }
    const uint32_t element = find_element(map, body, local, 3, pair->faces.items[triangle]);
    *to = element + (body == 1 ? map->second_triangle : 0);
    return element != MESH_EDIT_NONE;
}

/* Bodies keep their order, so pairs of edges are in canonical order as before. */
static bool map_pair(const feature_map *map, const feature_pair *from, feature_pair *to)
{
    *to = (feature_pair){.kind = from->kind};
    if (from->kind == TACT_VERTEX_FACE)
        return map_vertices(map, from->index, 1, to->index) && map_triangle(map, from->index[1], &to->index[1]);
    return map_vertices(map, from->index, 2, to->index) && map_vertices(map, from->index + 2, 2, to->index + 2);
}

/* ---- lists ---- */

static inline bool listed_pair_before(const void *context, const feature_pair *a, const feature_pair *b)
{
    (void)context;
    return tact_feature_pair_compare(a, b) < 0;
}

HEAP_SORT_OF(sort_listed_pairs, feature_pair, const void *, listed_pair_before)

static inline bool listed_event_before(const void *context, const feature_event *a, const feature_event *b)
{
    (void)context;
    return a->ccd.lower != b->ccd.lower ? a->ccd.lower < b->ccd.lower
                                        : tact_feature_pair_compare(&a->pair, &b->pair) < 0;
}

HEAP_SORT_OF(sort_listed_events, feature_event, const void *, listed_event_before)

/* Sorts pairs, each once: two faces with the same vertices may have become one. */
static void sort_pairs_once(listed_pair_array *pairs)
{
    size_t kept = 0;
    sort_listed_pairs(NULL, pairs->items, pairs->count);
    for (size_t i = 0; i < pairs->count; ++i)
        if (kept == 0 || tact_feature_pair_compare(&pairs->items[kept - 1], &pairs->items[i]) != 0)
            pairs->items[kept++] = pairs->items[i];
    pairs->count = kept;
}

/* The paths just before the time of the world: those of the window; added vertices rest. */
static bool list_paths(const tact_world *world, const feature_map *map, const uint32_t bodies[2], double time,
                       deforming_contacts *out, const tact_allocator *allocator)
{
    for (int i = 0; i < 2; ++i)
        for (uint32_t v = 0; v < map->vertex_counts[i]; ++v) {
            linear_path path;
            if (v < map->old_counts[i]) {
                path = tact_feature_windows_path(map->pair->windows, v + (i == 1 ? map->old_counts[0] : 0));
            } else {
                const vertex_plan_pieces pieces =
                    tact_vertex_plan_pieces_at(world->cold.items[bodies[i]].vertex_plan, time);
                path = tact_vertex_plan_path_before(&pieces, v);
            }
            if (!listed_path_array_push(&out->paths, allocator, path))
                return false;
        }
    return true;
}

bool tact_deforming_contacts_list(const tact_world *world, const advance *ad, const uint32_t bodies[2],
                                  const deforming_pair *pair, deforming_contacts *out, const tact_allocator *allocator)
{
    *out = (deforming_contacts){.contacts = {0}};
    const feature_map map = make_map(world, bodies, pair);
    feature_pair from, to;
    feature_event event;
    for (size_t i = 0; tact_feature_windows_next_contact(pair->windows, ad->time, &i, &from);)
        if (map_pair(&map, &from, &to) && !listed_pair_array_push(&out->contacts, allocator, to))
            return false;
    for (size_t i = 0; tact_feature_windows_next_reported(pair->windows, ad->time, &i, &from);)
        if (map_pair(&map, &from, &to) && !listed_pair_array_push(&out->reported, allocator, to))
            return false;
    for (size_t i = 0; tact_feature_windows_next_pending(pair->windows, ad->time, &i, &event);) {
        from = event.pair;
        if (map_pair(&map, &from, &event.pair) && !listed_event_array_push(&out->pending, allocator, event))
            return false;
    }
    sort_pairs_once(&out->contacts);
    sort_pairs_once(&out->reported);
    sort_listed_events(NULL, out->pending.items, out->pending.count);
    return list_paths(world, &map, bodies, ad->time, out, allocator);
}

size_t tact_deforming_contacts_path_count(const tact_world *world, const uint32_t bodies[2], const deforming_pair *pair)
{
    const feature_map map = make_map(world, bodies, pair);
    return (size_t)map.vertex_counts[0] + map.vertex_counts[1];
}

void tact_deforming_contacts_release(deforming_contacts *c, const tact_allocator *allocator)
{
    listed_pair_array_release(&c->contacts, allocator);
    listed_pair_array_release(&c->reported, allocator);
    listed_event_array_release(&c->pending, allocator);
    listed_path_array_release(&c->paths, allocator);
}

feature_windows_state tact_deforming_contacts_state(const deforming_contacts *c)
{
    return (feature_windows_state){c->contacts.items, c->reported.items, c->pending.items,
                                   c->contacts.count, c->reported.count, c->pending.count};
}
