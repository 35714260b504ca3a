/*
 * Faces that come, go, and get other corners: see tear.h.
 *
 * Guarantee: the mesh answers every question as one made of its faces and vertices would. Boxes are the smallest ones;
 * the tree is well formed (tree/aabb_change.c).
 *
 * Connected parts. `component` must hold a triangle of each; more do no harm but take time where "is it inside that
 * solid?" is asked. When a face goes or gets other corners, one triangle at each of its old corners is added, and it
 * itself if it is still there. Why that is enough: a part P without changed triangle was within a part that had one, r.
 * If r is not in P, a way from P to r has left P by a corner of a triangle that has been changed, an old corner v; all
 * that now has the corner v is in P, and one of these was added. When there are too many, all are found anew: O(n), for
 * one change in some hundreds.
 */
#include "shape/mesh_edit.h"

#include <string.h>

#include "core/memory.h"
#include "core/union_find.h"
#include "math/fp_environment.h"
#include "shape/shape_data.h"

/* So many triangles too many stand for parts until these are found anew: some, and one in so many. */
#define SPARE_FEW 64u
#define SPARE_PART 64u

/* How much room is made where `wanted` is needed: an eighth more, so that on average O(1) is moved. */
static uint32_t room_for(uint32_t wanted)
{
    const uint32_t more = wanted / 8 + 16;
    return wanted > MESH_MAX_COUNT - more ? (wanted > 0 ? wanted : 1) : wanted + more;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void link_corner(mesh_edit *t, const mesh *m, uint32_t corner)
{
    const uint32_t vertex = m->indices[corner];
    t->next_corner[corner] = t->first_corner[vertex];
    t->first_corner[vertex] = corner;
}

static void unlink_corner(mesh_edit *t, const mesh *m, uint32_t corner)
{
    uint32_t *at = &t->first_corner[m->indices[corner]];
    while (*at != corner)
        at = &t->next_corner[*at];
    *at = t->next_corner[corner];
}

void tact_mesh_edit_free(mesh_edit *t, const tact_allocator *allocator)
{
    if (t == NULL)
        return;
    tact_memory_free(allocator, t->element_of, t->face_capacity, sizeof *t->element_of);
    tact_memory_free(allocator, t->marks, t->face_capacity, 1);
    tact_memory_free(allocator, t->first_corner, t->vertex_capacity, sizeof *t->first_corner);
    tact_memory_free(allocator, t->union_find_scratch, 2 * (size_t)t->vertex_capacity, sizeof *t->union_find_scratch);
    tact_memory_free(allocator, t->next_corner, 3 * (size_t)t->element_capacity, sizeof *t->next_corner);
    tact_memory_free(allocator, t, 1, sizeof *t);
}

mesh_edit *tact_mesh_edit_create(const mesh *now, const tact_allocator *allocator)
{
    mesh_edit *t = tact_memory_allocate(allocator, 1, sizeof *t);
    if (t == NULL)
        return NULL;
    *t = (mesh_edit){.face_capacity = room_for(now->face_count),
                     .vertex_capacity = room_for(now->vertex_count),
                     .element_capacity = room_for(now->element_count)};
    t->element_of = tact_memory_allocate(allocator, t->face_capacity, sizeof *t->element_of);
    t->marks = tact_memory_allocate(allocator, t->face_capacity, 1);
    t->first_corner = tact_memory_allocate(allocator, t->vertex_capacity, sizeof *t->first_corner);
    t->union_find_scratch =
        tact_memory_allocate(allocator, 2 * (size_t)t->vertex_capacity, sizeof *t->union_find_scratch);
    t->next_corner = tact_memory_allocate(allocator, 3 * (size_t)t->element_capacity, sizeof *t->next_corner);
    if (t->element_of == NULL || t->marks == NULL || t->first_corner == NULL || t->union_find_scratch == NULL ||
        t->next_corner == NULL) {
        tact_mesh_edit_free(t, allocator);
        return NULL;
    }
    memset(t->element_of, 0xff, t->face_capacity * sizeof *t->element_of);
    memset(t->marks, 0, t->face_capacity);
    memset(t->first_corner, 0xff, t->vertex_capacity * sizeof *t->first_corner);
    for (uint32_t i = 0; i < now->element_count; i++) {
        t->element_of[mesh_face(now, i)] = i;
        for (uint32_t k = 0; k < 3; k++)
            link_corner(t, now, 3 * i + k);
    }
    return t;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* A larger array with what was in the first bytes of the old one; the old one stays. */
static void *take_copy(const tact_allocator *allocator, const void *old, size_t bytes, size_t count, size_t size)
{
    void *fresh = tact_memory_allocate(allocator, count, size);
    if (fresh != NULL && old != NULL && bytes > 0)
        memcpy(fresh, old, bytes);
    return fresh;
}

static bool grow_faces(mesh_edit *t, uint32_t wanted, const tact_allocator *allocator)
{
    if (wanted <= t->face_capacity)
        return true;
    const uint32_t room = room_for(wanted), old = t->face_capacity;
    uint32_t *elements = take_copy(allocator, t->element_of, old * sizeof *elements, room, sizeof *elements);
    uint8_t *marks = take_copy(allocator, t->marks, old, room, 1);
    if (elements == NULL || marks == NULL) {
        tact_memory_free(allocator, elements, room, sizeof *elements);
        tact_memory_free(allocator, marks, room, 1);
        return false;
    }
    memset(elements + old, 0xff, (room - old) * sizeof *elements);
    memset(marks + old, 0, room - old);
    tact_memory_free(allocator, t->element_of, old, sizeof *elements);
    tact_memory_free(allocator, t->marks, old, 1);
    t->element_of = elements;
    t->marks = marks;
    t->face_capacity = room;
    return true;
}

static bool grow_vertices(mesh_edit *t, uint32_t wanted, const tact_allocator *allocator)
{
    if (wanted <= t->vertex_capacity)
        return true;
    const uint32_t room = room_for(wanted), old = t->vertex_capacity;
    uint32_t *heads = take_copy(allocator, t->first_corner, old * sizeof *heads, room, sizeof *heads);
    uint32_t *sets = tact_memory_allocate(allocator, 2 * (size_t)room, sizeof *sets);
    if (heads == NULL || sets == NULL) {
        tact_memory_free(allocator, heads, room, sizeof *heads);
        tact_memory_free(allocator, sets, 2 * (size_t)room, sizeof *sets);
        return false;
    }
    memset(heads + old, 0xff, (room - old) * sizeof *heads);
    tact_memory_free(allocator, t->first_corner, old, sizeof *heads);
    tact_memory_free(allocator, t->union_find_scratch, 2 * (size_t)old, sizeof *sets);
    t->first_corner = heads;
    t->union_find_scratch = sets;
    t->vertex_capacity = room;
    return true;
}

static bool grow_corners(mesh_edit *t, uint32_t wanted, const tact_allocator *allocator)
{
    if (wanted <= t->element_capacity)
        return true;
    const uint32_t room = room_for(wanted);
    uint32_t *nexts = take_copy(allocator, t->next_corner, 3 * (size_t)t->element_capacity * sizeof *nexts,
                                3 * (size_t)room, sizeof *nexts);
    if (nexts == NULL)
        return false;
    tact_memory_free(allocator, t->next_corner, 3 * (size_t)t->element_capacity, sizeof *nexts);
    t->next_corner = nexts;
    t->element_capacity = room;
    return true;
}

void tact_mesh_edit_free_arrays(mesh *m, const tact_allocator *allocator)
{
    tact_memory_free(allocator, m->vertices, m->vertex_capacity, sizeof *m->vertices);
    tact_memory_free(allocator, m->indices, 3 * (size_t)m->element_capacity, sizeof *m->indices);
    tact_memory_free(allocator, m->face_of, m->element_capacity, sizeof *m->face_of);
    tact_memory_free(allocator, m->edge_flags, m->element_capacity, sizeof *m->edge_flags);
    tact_memory_free(allocator, m->component_seeds, m->element_capacity, sizeof *m->component_seeds);
    m->vertices = NULL;
    m->indices = m->face_of = m->component_seeds = NULL;
    m->edge_flags = NULL;
    m->vertex_capacity = m->element_capacity = 0;
}

/* Which elements are in `component` is marked. */
static void mark_speakers(mesh *m)
{
    memset(m->edge_flags, 0, m->element_count);
    for (uint32_t i = 0; i < m->component_count; i++)
        m->edge_flags[m->component_seeds[i]] |= (uint8_t)MESH_COMPONENT_SEED;
}

/* Arrays of its own with room for so many. */
static bool grow_mesh(mesh *m, uint32_t vertices, uint32_t elements, const tact_allocator *allocator)
{
    vertices = vertices > 0 ? vertices : 1;
    elements = elements > 0 ? elements : 1;
    if (vertices <= m->vertex_capacity && elements <= m->element_capacity)
        return true;
    mesh more = *m;
    more.vertex_capacity = vertices <= m->vertex_capacity ? m->vertex_capacity : room_for(vertices);
    more.element_capacity = elements <= m->element_capacity ? m->element_capacity : room_for(elements);
    const size_t room = more.element_capacity, words = m->element_count * sizeof(uint32_t);
    more.vertices = take_copy(allocator, m->vertices, m->vertex_count * sizeof *m->vertices, more.vertex_capacity,
                              sizeof *m->vertices);
    more.indices = take_copy(allocator, m->indices, 3 * words, 3 * room, sizeof(uint32_t));
    more.face_of = take_copy(allocator, m->face_of, words, room, sizeof(uint32_t));
    more.edge_flags = tact_memory_allocate(allocator, room, 1);
    more.component_seeds =
        take_copy(allocator, m->component_seeds, m->component_count * sizeof(uint32_t), room, sizeof(uint32_t));
    if (more.vertices == NULL || more.indices == NULL || more.face_of == NULL || more.edge_flags == NULL ||
        more.component_seeds == NULL) {
        tact_mesh_edit_free_arrays(&more, allocator);
        return false;
    }
    for (uint32_t i = 0; m->face_of == NULL && i < m->element_count; i++)
        more.face_of[i] = i;
    mark_speakers(&more);
    if (m->element_capacity > 0) {
        tact_mesh_edit_free_arrays(m, allocator);
    } else { /* a twin: corners and faces were its original's */
        tact_memory_free(allocator, m->vertices, m->vertex_count > 0 ? m->vertex_count : 1, sizeof *m->vertices);
        tact_memory_free(allocator, m->component_seeds, m->component_count > 0 ? m->component_count : 1,
                         sizeof *m->component_seeds);
    }
    *m = more;
    return true;
}

bool tact_mesh_edit_reserve(tact_shape *twin, mesh_edit *t, const mesh *now, uint32_t vertices, uint32_t faces,
                            uint32_t elements)
{
    mesh *m = twin->mesh;
    const tact_allocator *allocator = &twin->allocator;
    const uint32_t most = elements > m->element_count ? elements : m->element_count;
    const uint32_t come = elements > now->element_count ? elements - now->element_count : 0;
    return grow_faces(t, faces, allocator) && grow_vertices(t, vertices, allocator) &&
           grow_corners(t, elements, allocator) &&
           grow_mesh(m, vertices > m->vertex_count ? vertices : m->vertex_count, most, allocator) &&
           tact_aabb_tree_reserve(&m->tree, now->tree.node_count + come, elements);
}

bool tact_mesh_edit_grow(tact_shape *twin, const mesh *from)
{
    mesh *m = twin->mesh;
    const uint32_t vertices = from->vertex_count > m->vertex_count ? from->vertex_count : m->vertex_count;
    const uint32_t elements = from->element_count > m->element_count ? from->element_count : m->element_count;
    return grow_mesh(m, vertices, elements, &twin->allocator) &&
           tact_aabb_tree_reserve(&m->tree, from->tree.node_count, from->element_count);
}

bool tact_mesh_edit_copy(tact_shape *twin, const mesh *from)
{
    mesh *m = twin->mesh;
    if (!tact_mesh_edit_grow(twin, from))
        return false;
    m->vertex_count = from->vertex_count;
    m->element_count = from->element_count;
    m->face_count = from->face_count;
    m->index_count = from->index_count;
    memcpy(m->vertices, from->vertices, from->vertex_count * sizeof *m->vertices);
    memcpy(m->indices, from->indices, from->index_count * sizeof *m->indices);
    for (uint32_t i = 0; i < from->element_count; i++)
        m->face_of[i] = mesh_face(from, i);
    m->component_count = from->component_count;
    memcpy(m->component_seeds, from->component_seeds, from->component_count * sizeof *m->component_seeds);
    m->component_excess = from->component_excess;
    mark_speakers(m);
    m->edited = true;
    m->refit_count = from->refit_count;
    twin->bounding_radius = m->bounding_radius = from->bounding_radius;
    aabb_tree *tree = &m->tree;
    tree->item_count = from->tree.item_count;
    tree->node_count = from->tree.node_count;
    tree->root_box = from->tree.root_box;
    tree->built_cost = from->tree.built_cost;
    if (tree->node_count > 0) {
        memcpy(tree->nodes, from->tree.nodes, tree->node_count * sizeof *tree->nodes);
        memcpy(tree->bounds, from->tree.bounds, tree->node_count * sizeof *tree->bounds);
        tact_aabb_tree_set_parent_links(tree);
    }
    return true;
}

/* ---- connected parts --------------------------------------------------------------------------------------------- */

static void add_speaker(mesh *m, uint32_t element)
{
    if (m->edge_flags[element] & MESH_COMPONENT_SEED)
        return;
    m->edge_flags[element] |= (uint8_t)MESH_COMPONENT_SEED;
    m->component_seeds[m->component_count++] = element;
    m->component_excess++;
}

/* Where an element that is there is in the list. */
static uint32_t *find_speaker(mesh *m, uint32_t element)
{
    uint32_t i = 0;
    while (m->component_seeds[i] != element)
        i++;
    return &m->component_seeds[i];
}

/* One triangle of each part, the first. */
static void find_parts(mesh *m, mesh_edit *t)
{
    uint32_t *parent = t->union_find_scratch, *seen = t->union_find_scratch + t->vertex_capacity;
    union_find_init(parent, m->vertex_count);
    memset(seen, 0, m->vertex_count * sizeof *seen);
    for (uint32_t i = 0; i < m->element_count; i++) {
        const uint32_t *corner = m->indices + 3 * (size_t)i;
        union_find_unite(parent, corner[0], corner[1]);
        union_find_unite(parent, corner[0], corner[2]);
    }
    m->component_count = 0;
    for (uint32_t i = 0; i < m->element_count; i++) {
        uint32_t *told = &seen[union_find_root(parent, m->indices[3 * (size_t)i])];
        if (*told == 0)
            m->component_seeds[m->component_count++] = i;
        *told = 1;
    }
    m->component_excess = 0;
    mark_speakers(m);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

static box box_of_element(const mesh *m, uint32_t element)
{
    box fitted;
    tact_boxes_of_triangles(m->vertices, (const uint32_t(*)[3])(m->indices + 3 * (size_t)element), 1, &fitted);
    return fitted;
}

/* Takes the corners of an element away from their vertices. */
static void detach(mesh *m, mesh_edit *t, uint32_t element)
{
    for (uint32_t k = 0; k < 3; k++)
        unlink_corner(t, m, 3 * element + k);
}

/* Of what has these corners, one each stands for its part: the first, whatever the order of the lists, which is
 * another one in a world that was restored. */
static void tell_neighbours(mesh *m, const mesh_edit *t, const uint32_t corners[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t first = MESH_EDIT_NONE;
        for (uint32_t corner = t->first_corner[corners[k]]; corner != MESH_EDIT_NONE; corner = t->next_corner[corner])
            first = corner / 3 < first ? corner / 3 : first;
        if (first != MESH_EDIT_NONE)
            add_speaker(m, first);
    }
}

static void attach(mesh *m, mesh_edit *t, uint32_t element, const uint32_t corners[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        m->indices[3 * (size_t)element + k] = corners[k];
        link_corner(t, m, 3 * element + k);
    }
}

static void remove_element(mesh *m, mesh_edit *t, uint32_t element)
{
    const uint32_t last = m->element_count - 1;
    uint32_t old[3];
    memcpy(old, m->indices + 3 * (size_t)element, sizeof old);
    detach(m, t, element);
    t->element_of[m->face_of[element]] = MESH_EDIT_NONE;
    if (m->edge_flags[element] & MESH_COMPONENT_SEED)
        *find_speaker(m, element) = m->component_seeds[--m->component_count];
    tact_aabb_tree_remove(&m->tree, element);
    if (element != last) {
        uint32_t moved[3];
        memcpy(moved, m->indices + 3 * (size_t)last, sizeof moved);
        detach(m, t, last);
        attach(m, t, element, moved);
        m->face_of[element] = m->face_of[last];
        t->element_of[m->face_of[element]] = element;
        m->edge_flags[element] = m->edge_flags[last];
        if (m->edge_flags[element] & MESH_COMPONENT_SEED)
            *find_speaker(m, last) = element;
    }
    m->element_count = last;
    m->index_count = 3 * last;
    tell_neighbours(m, t, old);
}

static void add_element(mesh *m, mesh_edit *t, uint32_t face, const uint32_t corners[3])
{
    const uint32_t element = m->element_count++;
    m->index_count += 3;
    m->face_of[element] = face;
    m->edge_flags[element] = 0;
    t->element_of[face] = element;
    attach(m, t, element, corners);
    const box fitted = box_of_element(m, element);
    tact_aabb_tree_insert(&m->tree, &fitted);
    add_speaker(m, element);
}

static void change_element(mesh *m, mesh_edit *t, uint32_t element, const uint32_t corners[3])
{
    uint32_t old[3];
    memcpy(old, m->indices + 3 * (size_t)element, sizeof old);
    if (memcmp(old, corners, sizeof old) == 0)
        return;
    const box before = box_of_element(m, element);
    detach(m, t, element);
    attach(m, t, element, corners);
    const box fitted = box_of_element(m, element);
    if (box_overlap(&before, &fitted))
        tact_aabb_tree_refit_one(&m->tree, element, &fitted);
    else /* where it was it would make all boxes above large */
        tact_aabb_tree_move(&m->tree, element, &fitted);
    add_speaker(m, element);
    tell_neighbours(m, t, old);
}

/* In the default environment: which place in the tree is best is a matter of floats. */
TACT_NOINLINE static void change_all(mesh *m, mesh_edit *t, const uint32_t *faces, const uint32_t (*corners)[3],
                                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t face = faces[i], element = t->element_of[face];
        m->face_count = face >= m->face_count ? face + 1 : m->face_count;
        if (corners[i][0] == MESH_EDIT_NONE) {
            if (element != MESH_EDIT_NONE)
                remove_element(m, t, element);
            continue;
        }
        for (int k = 0; k < 3; k++)
            m->bounding_radius =
                max_double(m->bounding_radius, tact_points_bounding_radius(&m->vertices[corners[i][k]], 1));
        if (element == MESH_EDIT_NONE)
            add_element(m, t, face, corners[i]);
        else
            change_element(m, t, element, corners[i]);
    }
    if (m->component_excess > SPARE_FEW + m->element_count / SPARE_PART)
        find_parts(m, t);
}

void tact_mesh_edit_set_faces(tact_shape *twin, mesh_edit *t, const uint32_t *faces, const uint32_t (*corners)[3],
                              size_t count)
{
    mesh *m = twin->mesh;
    m->edited = true;
    const fp_environment found = fp_environment_enter();
    change_all(m, t, faces, corners, count);
    fp_environment_leave(found);
    twin->bounding_radius = m->bounding_radius;
    t->version++;
}

void tact_mesh_edit_add_vertices(tact_shape *twin, mesh_edit *t, const tact_vec3 *places, uint32_t count)
{
    mesh *m = twin->mesh;
    m->edited = true;
    for (uint32_t i = 0; i < count; i++) {
        m->vertices[m->vertex_count + i] = places[i];
        t->first_corner[m->vertex_count + i] = MESH_EDIT_NONE;
    }
    m->vertex_count += count;
    twin->bounding_radius = m->bounding_radius =
        max_double(m->bounding_radius, tact_points_bounding_radius(places, count));
    t->version++;
}

bool tact_mesh_edit_same_faces(const mesh *a, const mesh *b)
{
    if (a->vertex_count != b->vertex_count || a->element_count != b->element_count || a->face_count != b->face_count ||
        memcmp(a->indices, b->indices, a->index_count * sizeof *a->indices) != 0)
        return false;
    for (uint32_t i = 0; i < a->element_count; i++)
        if (mesh_face(a, i) != mesh_face(b, i))
            return false;
    return true;
}
