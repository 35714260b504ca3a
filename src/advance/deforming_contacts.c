/* Contacts in progress, by the current faces: see the header. */
#include "advance/deforming_contacts.h"

#include <string.h>

#include "advance/advance.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/heap.h"
#include "core/memory.h"
#include "shape/mesh_edit.h"

/* ---- surfaces whose cells have changed ---- */

/* From one tessellation of a surface to the next. All arrays are owned. */
typedef struct surface_change {
    const nurbs_tessellation *from, *to;
    nurbs_origin *origins;  /* per vertex of `to`: where it was */
    uint32_t *new_vertices; /* per vertex of `from`; UINT32_MAX: it is gone */
    uint32_t *first;        /* per vertex of `to`, and at the end: its triangles in `around` */
    uint32_t *around;
} surface_change;

static void release_change(surface_change *c, const tact_allocator *allocator)
{
    if (c->to == NULL)
        return;
    tact_memory_free(allocator, c->origins, c->to->vertices.count, sizeof *c->origins);
    tact_memory_free(allocator, c->new_vertices, c->from->vertices.count, sizeof *c->new_vertices);
    tact_memory_free(allocator, c->first, c->to->vertices.count + 1, sizeof *c->first);
    tact_memory_free(allocator, c->around, 3 * c->to->triangles.count, sizeof *c->around);
}

/* Lists the triangles around each vertex. */
static void list_around(const surface_change *c)
{
    const nurbs_tessellation *t = c->to;
    memset(c->first, 0, (t->vertices.count + 1) * sizeof *c->first);
    for (size_t i = 0; i < 3 * t->triangles.count; ++i)
        ++c->first[t->triangles.items[i / 3].vertex[i % 3]];
    for (size_t i = 1; i <= t->vertices.count; ++i)
        c->first[i] += c->first[i - 1]; /* ends, which become beginnings */
    for (size_t i = 3 * t->triangles.count; i > 0; --i)
        c->around[--c->first[t->triangles.items[(i - 1) / 3].vertex[(i - 1) % 3]]] = (uint32_t)((i - 1) / 3);
}

/* False: out of memory; what has been made is to be released. */
static bool make_change(surface_change *c, const nurbs_tessellation *from, const nurbs_tessellation *to,
                        const tact_allocator *allocator)
{
    const size_t old_count = from->vertices.count, count = to->vertices.count;
    *c = (surface_change){.from = from, .to = to};
    c->origins = tact_memory_allocate(allocator, count, sizeof *c->origins);
    c->new_vertices = tact_memory_allocate(allocator, old_count, sizeof *c->new_vertices);
    c->first = tact_memory_allocate(allocator, count + 1, sizeof *c->first);
    c->around = tact_memory_allocate(allocator, 3 * to->triangles.count, sizeof *c->around);
    if (c->origins == NULL || c->new_vertices == NULL || c->first == NULL || c->around == NULL ||
        !tact_nurbs_find_origins(to, from, c->origins))
        return false;
    memset(c->new_vertices, 0xff, old_count * sizeof *c->new_vertices);
    for (uint32_t i = 0; i < count; ++i)
        if (c->origins[i].count == 1)
            c->new_vertices[c->origins[i].vertex[0]] = i;
    list_around(c);
    return true;
}

/* Finds a triangle with up to three vertices; MESH_EDIT_NONE: none. */
static uint32_t find_triangle(const surface_change *c, const uint32_t *vertices, int count)
{
    for (uint32_t i = c->first[vertices[0]]; i < c->first[vertices[0] + 1]; ++i) {
        const uint32_t *v = c->to->triangles.items[c->around[i]].vertex;
        bool all = true;
        for (int k = 1; k < count; ++k)
            all = all && (v[0] == vertices[k] || v[1] == vertices[k] || v[2] == vertices[k]);
        if (all)
            return c->around[i];
    }
    return MESH_EDIT_NONE;
}

/* ---- features that still exist ---- */

/* From the numbers of the windows to those of windows made of the current faces. */
typedef struct feature_map {
    const deforming_pair *pair;
    const mesh_edit *edits[2]; /* of bodies whose faces may have changed; NULL: of others */
    const mesh *meshes[2];
    surface_change changes[2];                /* of surfaces whose cells have changed; `to` is NULL: of others */
    uint32_t old_second;                      /* the first vertex of the second body in the windows; 0: with itself */
    uint32_t second_vertex, second_triangle;  /* in the new ones */
    uint32_t old_counts[2], vertex_counts[2]; /* of vertices, of each body; the second is 0 for a body with itself */
} feature_map;

/* The window of a surface whose triangles are the current ones; NULL: of other bodies. */
static const surface_window *current_surface(const advance *ad, uint32_t index)
{
    return index < ad->cold.count ? ad->cold.items[index].surface : NULL;
}

static uint32_t body_vertex_count(const tact_world *world, const advance *ad, uint32_t index, uint32_t otherwise)
{
    const vertex_plan *plan = world->cold.items[index].vertex_plan;
    const surface_window *surface = current_surface(ad, index);
    if (surface != NULL)
        return (uint32_t)surface->tessellation.vertices.count;
    return plan != NULL ? plan->vertex_count : otherwise;
}

/* Without changes of surfaces. */
static feature_map make_map(const tact_world *world, const advance *ad, const uint32_t bodies[2],
                            const deforming_pair *pair)
{
    const bool self = bodies[0] == bodies[1];
    const uint32_t total = tact_feature_windows_vertex_count(pair->windows);
    feature_map map = {.pair = pair, .old_second = self ? 0 : pair->second_vertex};
    map.old_counts[0] = self ? total : pair->second_vertex;
    map.old_counts[1] = total - map.old_counts[0];
    map.second_triangle = pair->second_triangle;
    for (int i = 0; i < (self ? 1 : 2); ++i) {
        const deform *d = world->cold.items[bodies[i]].deform;
        const surface_window *surface = current_surface(ad, bodies[i]);
        map.vertex_counts[i] = body_vertex_count(world, ad, bodies[i], map.old_counts[i]);
        if (surface != NULL && i == 0)
            map.second_triangle = (uint32_t)surface->tessellation.triangles.count;
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

/* Adds the changes of surfaces. False: out of memory; to be released in any case. */
static bool add_changes(feature_map *map, const advance *ad, const uint32_t bodies[2], const tact_allocator *allocator)
{
    for (int i = 0; i < (bodies[0] == bodies[1] ? 1 : 2); ++i) {
        const surface_window *to = current_surface(ad, bodies[i]), *from = map->pair->surfaces[i];
        if (to != NULL && from != NULL && to->edition != map->pair->editions[i] &&
            !make_change(&map->changes[i], &from->tessellation, &to->tessellation, allocator))
            return false;
    }
    return true;
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
        if (map->changes[body].to != NULL)
            local[i] = map->changes[body].new_vertices[local[i]];
        if (local[i] == UINT32_MAX)
            return false;
        to[i] = new_vertex(map, body, local[i]);
    }
    if (map->changes[body].to != NULL)
        return find_triangle(&map->changes[body], local, count) != MESH_EDIT_NONE;
    return map->edits[body] == NULL || find_element(map, body, local, count, MESH_EDIT_NONE) != MESH_EDIT_NONE;
}

static bool map_triangle(const feature_map *map, uint32_t triangle, uint32_t *to)
{
    const deforming_pair *pair = map->pair;
    uint32_t local[3];
    int body = 0;
    for (int i = 0; i < 3; ++i)
        body = local_vertex(map, pair->triangles.items[triangle].vertices[i], &local[i]);
    if (map->changes[body].to != NULL) {
        uint32_t same[3];
        for (int i = 0; i < 3; ++i) {
            same[i] = map->changes[body].new_vertices[local[i]];
            if (same[i] == UINT32_MAX)
                return false;
        }
        const uint32_t found = find_triangle(&map->changes[body], same, 3);
        *to = found + (body == 1 ? map->second_triangle : 0);
        return found != MESH_EDIT_NONE;
    }
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

/* The path just before a time of a vertex of a surface whose cells have changed: where its origin is then. One without
 * origin was where it is. */
static linear_path path_of_origin(const feature_map *map, const surface_window *surface, int body, uint32_t vertex,
                                  double time)
{
    const nurbs_origin *o = &map->changes[body].origins[vertex];
    const uint32_t first = body == 1 ? map->old_counts[0] : 0;
    if (o->count == 0)
        return surface_window_path_before(surface, vertex, time);
    if (o->count == 1)
        return tact_feature_windows_path(map->pair->windows, first + o->vertex[0]);
    tact_vec3 at = {0.0, 0.0, 0.0};
    for (uint32_t k = 0; k < o->count; ++k) {
        const linear_path path = tact_feature_windows_path(map->pair->windows, first + o->vertex[k]);
        at = vec_mul_add(at, o->weight[k], linear_path_at(&path, time));
    }
    return linear_path_at_rest(at, time);
}

/* The paths just before the time of the world: those of the window; added vertices rest. */
static bool list_paths(const tact_world *world, const advance *ad, const feature_map *map, const uint32_t bodies[2],
                       deforming_contacts *out, const tact_allocator *allocator)
{
    const double time = ad->time;
    for (int i = 0; i < 2; ++i)
        for (uint32_t v = 0; v < map->vertex_counts[i]; ++v) {
            linear_path path;
            if (map->changes[i].to != NULL) {
                path = path_of_origin(map, current_surface(ad, bodies[i]), i, v, time);
            } else if (v < map->old_counts[i]) {
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

/* Lists the contacts by a map. False: out of memory. */
static bool list_contacts(const feature_map *map, const advance *ad, deforming_contacts *out,
                          const tact_allocator *allocator)
{
    const deforming_pair *pair = map->pair;
    feature_pair from, to;
    feature_event event;
    for (size_t i = 0; tact_feature_windows_next_contact(pair->windows, ad->time, &i, &from);)
        if (map_pair(map, &from, &to) && !listed_pair_array_push(&out->contacts, allocator, to))
            return false;
    for (size_t i = 0; tact_feature_windows_next_reported(pair->windows, ad->time, &i, &from);)
        if (map_pair(map, &from, &to) && !listed_pair_array_push(&out->reported, allocator, to))
            return false;
    for (size_t i = 0; tact_feature_windows_next_pending(pair->windows, ad->time, &i, &event);) {
        from = event.pair;
        if (map_pair(map, &from, &event.pair) && !listed_event_array_push(&out->pending, allocator, event))
            return false;
    }
    sort_pairs_once(&out->contacts);
    sort_pairs_once(&out->reported);
    sort_listed_events(NULL, out->pending.items, out->pending.count);
    return true;
}

bool tact_deforming_contacts_list(const tact_world *world, const advance *ad, const uint32_t bodies[2],
                                  const deforming_pair *pair, deforming_contacts *out, const tact_allocator *allocator)
{
    *out = (deforming_contacts){.contacts = {0}};
    feature_map map = make_map(world, ad, bodies, pair);
    const bool complete = add_changes(&map, ad, bodies, allocator) && list_contacts(&map, ad, out, allocator) &&
                          list_paths(world, ad, &map, bodies, out, allocator);
    release_change(&map.changes[0], allocator);
    release_change(&map.changes[1], allocator);
    return complete;
}

size_t tact_deforming_contacts_path_count(const tact_world *world, const advance *ad, const uint32_t bodies[2],
                                          const deforming_pair *pair)
{
    const feature_map map = make_map(world, ad, bodies, pair);
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
