/*
 * Remeshing of refittable meshes: see the header.
 *
 * Guarantee: the mesh answers every query as one made of its faces and vertices would. Boxes are tight, and the tree is
 * valid (tree/aabb_change.c).
 *
 * Connected components. `component_seeds` must hold a triangle of each; more do no harm, but cost time in containment
 * tests. When a face is removed or changed, one triangle at each of its old vertices is added to the seeds, and the
 * face itself if it still exists. Proof that this is enough: let P be a component without a changed triangle. It was
 * part of a component with a seed r. If r is not in P, a path from P to r left P through a vertex v of a triangle that
 * has been changed, and v is one of its old vertices. All triangles that have the vertex v now are in P, and one of
 * them was added. When there are too many seeds, components are found again: O(n), once in some hundred changes.
 */
#include "shape/mesh_edit.h"

#include <string.h>

#include "core/memory.h"
#include "math/fp_environment.h"
#include "shape/shape_data.h"

/* The capacity that is allocated for `wanted`: an eighth more, so that appending is O(1) amortised. */
static uint32_t capacity_for(uint32_t wanted)
{
    const uint32_t more = wanted / 8 + 16;
    return wanted > MESH_MAX_COUNT - more ? (wanted > 0 ? wanted : 1) : wanted + more;
}

/* ---- creation ---- */

static void link_corner(mesh_edit *edit, const mesh *m, uint32_t corner)
{
    const uint32_t vertex = m->indices[corner];
    edit->next_corner[corner] = edit->first_corner[vertex];
    edit->first_corner[vertex] = corner;
}

static void unlink_corner(mesh_edit *edit, const mesh *m, uint32_t corner)
{
    uint32_t *at = &edit->first_corner[m->indices[corner]];
    while (*at != corner)
        at = &edit->next_corner[*at];
    *at = edit->next_corner[corner];
}

void tact_mesh_edit_free(mesh_edit *edit, const tact_allocator *allocator)
{
    if (edit == NULL)
        return;
    tact_memory_free(allocator, edit->element_of, edit->face_capacity, sizeof *edit->element_of);
    tact_memory_free(allocator, edit->marks, edit->face_capacity, 1);
    tact_memory_free(allocator, edit->first_corner, edit->vertex_capacity, sizeof *edit->first_corner);
    tact_memory_free(allocator, edit->union_find_scratch, 2 * (size_t)edit->vertex_capacity,
                     sizeof *edit->union_find_scratch);
    tact_memory_free(allocator, edit->next_corner, 3 * (size_t)edit->element_capacity, sizeof *edit->next_corner);
    tact_memory_free(allocator, edit, 1, sizeof *edit);
}

mesh_edit *tact_mesh_edit_create(const mesh *current, const tact_allocator *allocator)
{
    mesh_edit *edit = tact_memory_allocate(allocator, 1, sizeof *edit);
    if (edit == NULL)
        return NULL;
    *edit = (mesh_edit){.face_capacity = capacity_for(current->face_count),
                        .vertex_capacity = capacity_for(current->vertex_count),
                        .element_capacity = capacity_for(current->element_count)};
    edit->element_of = tact_memory_allocate(allocator, edit->face_capacity, sizeof *edit->element_of);
    edit->marks = tact_memory_allocate(allocator, edit->face_capacity, 1);
    edit->first_corner = tact_memory_allocate(allocator, edit->vertex_capacity, sizeof *edit->first_corner);
    edit->union_find_scratch =
        tact_memory_allocate(allocator, 2 * (size_t)edit->vertex_capacity, sizeof *edit->union_find_scratch);
    edit->next_corner = tact_memory_allocate(allocator, 3 * (size_t)edit->element_capacity, sizeof *edit->next_corner);
    if (edit->element_of == NULL || edit->marks == NULL || edit->first_corner == NULL ||
        edit->union_find_scratch == NULL || edit->next_corner == NULL) {
        tact_mesh_edit_free(edit, allocator);
        return NULL;
    }
    memset(edit->element_of, 0xff, edit->face_capacity * sizeof *edit->element_of);
    memset(edit->marks, 0, edit->face_capacity);
    memset(edit->first_corner, 0xff, edit->vertex_capacity * sizeof *edit->first_corner);
    for (uint32_t i = 0; i < current->element_count; i++) {
        edit->element_of[mesh_face(current, i)] = i;
        for (uint32_t k = 0; k < 3; k++)
            link_corner(edit, current, 3 * i + k);
    }
    return edit;
}

/* ---- capacity ---- */

/* A larger array with a copy of the first `bytes` of the old one, which stays. */
static void *allocate_copy(const tact_allocator *allocator, const void *old, size_t bytes, size_t count, size_t size)
{
    void *block = tact_memory_allocate(allocator, count, size);
    if (block != NULL && old != NULL && bytes > 0)
        memcpy(block, old, bytes);
    return block;
}

static bool grow_faces(mesh_edit *edit, uint32_t wanted, const tact_allocator *allocator)
{
    if (wanted <= edit->face_capacity)
        return true;
    const uint32_t capacity = capacity_for(wanted), old = edit->face_capacity;
    uint32_t *elements = allocate_copy(allocator, edit->element_of, old * sizeof *elements, capacity, sizeof *elements);
    uint8_t *marks = allocate_copy(allocator, edit->marks, old, capacity, 1);
    if (elements == NULL || marks == NULL) {
        tact_memory_free(allocator, elements, capacity, sizeof *elements);
        tact_memory_free(allocator, marks, capacity, 1);
        return false;
    }
    memset(elements + old, 0xff, (capacity - old) * sizeof *elements);
    memset(marks + old, 0, capacity - old);
    tact_memory_free(allocator, edit->element_of, old, sizeof *elements);
    tact_memory_free(allocator, edit->marks, old, 1);
    edit->element_of = elements;
    edit->marks = marks;
    edit->face_capacity = capacity;
    return true;
}

static bool grow_vertices(mesh_edit *edit, uint32_t wanted, const tact_allocator *allocator)
{
    if (wanted <= edit->vertex_capacity)
        return true;
    const uint32_t capacity = capacity_for(wanted), old = edit->vertex_capacity;
    uint32_t *first_corners =
        allocate_copy(allocator, edit->first_corner, old * sizeof *first_corners, capacity, sizeof *first_corners);
    uint32_t *union_finds = tact_memory_allocate(allocator, 2 * (size_t)capacity, sizeof *union_finds);
    if (first_corners == NULL || union_finds == NULL) {
        tact_memory_free(allocator, first_corners, capacity, sizeof *first_corners);
        tact_memory_free(allocator, union_finds, 2 * (size_t)capacity, sizeof *union_finds);
        return false;
    }
    memset(first_corners + old, 0xff, (capacity - old) * sizeof *first_corners);
    tact_memory_free(allocator, edit->first_corner, old, sizeof *first_corners);
    tact_memory_free(allocator, edit->union_find_scratch, 2 * (size_t)old, sizeof *union_finds);
    edit->first_corner = first_corners;
    edit->union_find_scratch = union_finds;
    edit->vertex_capacity = capacity;
    return true;
}

static bool grow_corners(mesh_edit *edit, uint32_t wanted, const tact_allocator *allocator)
{
    if (wanted <= edit->element_capacity)
        return true;
    const uint32_t capacity = capacity_for(wanted);
    uint32_t *next_corners =
        allocate_copy(allocator, edit->next_corner, 3 * (size_t)edit->element_capacity * sizeof *next_corners,
                      3 * (size_t)capacity, sizeof *next_corners);
    if (next_corners == NULL)
        return false;
    tact_memory_free(allocator, edit->next_corner, 3 * (size_t)edit->element_capacity, sizeof *next_corners);
    edit->next_corner = next_corners;
    edit->element_capacity = capacity;
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

/* Marks the elements that are in `component_seeds`. */
static void mark_seeds(mesh *m)
{
    memset(m->edge_flags, 0, m->element_count);
    for (uint32_t i = 0; i < m->component_count; i++)
        m->edge_flags[m->component_seeds[i]] |= (uint8_t)MESH_COMPONENT_SEED;
}

/* Gives a mesh arrays of its own with this capacity. */
static bool grow_mesh(mesh *m, uint32_t vertices, uint32_t elements, const tact_allocator *allocator)
{
    vertices = vertices > 0 ? vertices : 1;
    elements = elements > 0 ? elements : 1;
    if (vertices <= m->vertex_capacity && elements <= m->element_capacity)
        return true;
    mesh more = *m;
    more.vertex_capacity = vertices <= m->vertex_capacity ? m->vertex_capacity : capacity_for(vertices);
    more.element_capacity = elements <= m->element_capacity ? m->element_capacity : capacity_for(elements);
    const size_t capacity = more.element_capacity, words = m->element_count * sizeof(uint32_t);
    more.vertices = allocate_copy(allocator, m->vertices, m->vertex_count * sizeof *m->vertices, more.vertex_capacity,
                                  sizeof *m->vertices);
    more.indices = allocate_copy(allocator, m->indices, 3 * words, 3 * capacity, sizeof(uint32_t));
    more.face_of = allocate_copy(allocator, m->face_of, words, capacity, sizeof(uint32_t));
    more.edge_flags = tact_memory_allocate(allocator, capacity, 1);
    more.component_seeds =
        allocate_copy(allocator, m->component_seeds, m->component_count * sizeof(uint32_t), capacity, sizeof(uint32_t));
    if (more.vertices == NULL || more.indices == NULL || more.face_of == NULL || more.edge_flags == NULL ||
        more.component_seeds == NULL) {
        tact_mesh_edit_free_arrays(&more, allocator);
        return false;
    }
    for (uint32_t i = 0; m->face_of == NULL && i < m->element_count; i++)
        more.face_of[i] = i;
    mark_seeds(&more);
    if (m->element_capacity > 0) {
        tact_mesh_edit_free_arrays(m, allocator);
    } else { /* a refittable copy: its original owns indices and faces */
        tact_memory_free(allocator, m->vertices, m->vertex_count > 0 ? m->vertex_count : 1, sizeof *m->vertices);
        tact_memory_free(allocator, m->component_seeds, m->component_count > 0 ? m->component_count : 1,
                         sizeof *m->component_seeds);
    }
    *m = more;
    return true;
}

bool tact_mesh_edit_reserve(tact_shape *copy, mesh_edit *edit, const mesh *current, uint32_t vertices, uint32_t faces,
                            uint32_t elements)
{
    mesh *m = copy->mesh;
    const tact_allocator *allocator = &copy->allocator;
    const uint32_t most = elements > m->element_count ? elements : m->element_count;
    const uint32_t added = elements > current->element_count ? elements - current->element_count : 0;
    return grow_faces(edit, faces, allocator) && grow_vertices(edit, vertices, allocator) &&
           grow_corners(edit, elements, allocator) &&
           grow_mesh(m, vertices > m->vertex_count ? vertices : m->vertex_count, most, allocator) &&
           tact_aabb_tree_reserve(&m->tree, current->tree.node_count + added, elements);
}

bool tact_mesh_edit_grow(tact_shape *copy, const mesh *from)
{
    mesh *m = copy->mesh;
    const uint32_t vertices = from->vertex_count > m->vertex_count ? from->vertex_count : m->vertex_count;
    const uint32_t elements = from->element_count > m->element_count ? from->element_count : m->element_count;
    return grow_mesh(m, vertices, elements, &copy->allocator) &&
           tact_aabb_tree_reserve(&m->tree, from->tree.node_count, from->element_count);
}

bool tact_mesh_edit_copy(tact_shape *copy, const mesh *from)
{
    mesh *m = copy->mesh;
    if (!tact_mesh_edit_grow(copy, from))
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
    mark_seeds(m);
    m->edited = true;
    m->refit_count = from->refit_count;
    copy->bounding_radius = m->bounding_radius = from->bounding_radius;
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

/* ---- connected components ---- */

static void add_seed(mesh *m, uint32_t element)
{
    if (m->edge_flags[element] & MESH_COMPONENT_SEED)
        return;
    m->edge_flags[element] |= (uint8_t)MESH_COMPONENT_SEED;
    m->component_seeds[m->component_count++] = element;
    m->component_excess++;
}

/* The entry of an element that is listed. */
static uint32_t *find_seed(mesh *m, uint32_t element)
{
    uint32_t i = 0;
    while (m->component_seeds[i] != element)
        i++;
    return &m->component_seeds[i];
}

/* Finds the components; the first triangle of each is its seed. */
static void find_components(mesh *m, mesh_edit *edit)
{
    uint32_t *parent = edit->union_find_scratch, *seen = edit->union_find_scratch + edit->vertex_capacity;
    (void)tact_mesh_unite_components(m, false, parent, NULL); /* by index: allocates nothing */
    m->component_count = tact_mesh_list_components(m, parent, seen, m->component_seeds);
    m->component_excess = 0;
    mark_seeds(m);
}

/* ---- changes ---- */

static box box_of_element(const mesh *m, uint32_t element)
{
    box fitted;
    tact_boxes_of_triangles(m->vertices, (const uint32_t(*)[3])(m->indices + 3 * (size_t)element), 1, &fitted);
    return fitted;
}

/* Removes the corners of an element from their vertices. */
static void detach(mesh *m, mesh_edit *edit, uint32_t element)
{
    for (uint32_t k = 0; k < 3; k++)
        unlink_corner(edit, m, 3 * element + k);
}

/* Adds one triangle at each of these vertices to the seeds: the first one, so that the result does not depend on the
 * order of the corner lists, which differs in a restored world. */
static void add_neighbour_seeds(mesh *m, const mesh_edit *edit, const uint32_t indices[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t first = MESH_EDIT_NONE;
        for (uint32_t corner = edit->first_corner[indices[k]]; corner != MESH_EDIT_NONE;
             corner = edit->next_corner[corner])
            first = corner / 3 < first ? corner / 3 : first;
        if (first != MESH_EDIT_NONE)
            add_seed(m, first);
    }
}

static void attach(mesh *m, mesh_edit *edit, uint32_t element, const uint32_t indices[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        m->indices[3 * (size_t)element + k] = indices[k];
        link_corner(edit, m, 3 * element + k);
    }
}

static void remove_element(mesh *m, mesh_edit *edit, uint32_t element)
{
    const uint32_t last = m->element_count - 1;
    uint32_t old[3];
    memcpy(old, m->indices + 3 * (size_t)element, sizeof old);
    detach(m, edit, element);
    edit->element_of[m->face_of[element]] = MESH_EDIT_NONE;
    if (m->edge_flags[element] & MESH_COMPONENT_SEED)
        *find_seed(m, element) = m->component_seeds[--m->component_count];
    tact_aabb_tree_remove(&m->tree, element);
    if (element != last) {
        uint32_t moved[3];
        memcpy(moved, m->indices + 3 * (size_t)last, sizeof moved);
        detach(m, edit, last);
        attach(m, edit, element, moved);
        m->face_of[element] = m->face_of[last];
        edit->element_of[m->face_of[element]] = element;
        m->edge_flags[element] = m->edge_flags[last];
        if (m->edge_flags[element] & MESH_COMPONENT_SEED)
            *find_seed(m, last) = element;
    }
    m->element_count = last;
    m->index_count = 3 * last;
    add_neighbour_seeds(m, edit, old);
}

static void add_element(mesh *m, mesh_edit *edit, uint32_t face, const uint32_t indices[3])
{
    const uint32_t element = m->element_count++;
    m->index_count += 3;
    m->face_of[element] = face;
    m->edge_flags[element] = 0;
    edit->element_of[face] = element;
    attach(m, edit, element, indices);
    const box fitted = box_of_element(m, element);
    tact_aabb_tree_insert(&m->tree, &fitted);
    add_seed(m, element);
}

static void change_element(mesh *m, mesh_edit *edit, uint32_t element, const uint32_t indices[3])
{
    uint32_t old[3];
    memcpy(old, m->indices + 3 * (size_t)element, sizeof old);
    if (memcmp(old, indices, sizeof old) == 0)
        return;
    const box before = box_of_element(m, element);
    detach(m, edit, element);
    attach(m, edit, element, indices);
    const box fitted = box_of_element(m, element);
    if (box_overlap(&before, &fitted))
        tact_aabb_tree_refit_one(&m->tree, element, &fitted);
    else /* at its old leaf it would enlarge all boxes above */
        tact_aabb_tree_move(&m->tree, element, &fitted);
    add_seed(m, element);
    add_neighbour_seeds(m, edit, old);
}

/* In the default floating-point environment: which leaf is best depends on floats. */
TACT_NOINLINE static void change_all(mesh *m, mesh_edit *edit, const uint32_t *faces, const uint32_t (*indices)[3],
                                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t face = faces[i], element = edit->element_of[face];
        m->face_count = face >= m->face_count ? face + 1 : m->face_count;
        if (indices[i][0] == MESH_EDIT_NONE) {
            if (element != MESH_EDIT_NONE)
                remove_element(m, edit, element);
            continue;
        }
        for (int k = 0; k < 3; k++)
            m->bounding_radius =
                max_double(m->bounding_radius, tact_points_bounding_radius(&m->vertices[indices[i][k]], 1));
        if (element == MESH_EDIT_NONE)
            add_element(m, edit, face, indices[i]);
        else
            change_element(m, edit, element, indices[i]);
    }
    if (m->component_excess > MESH_SEED_EXCESS_MIN + m->element_count / MESH_SEED_EXCESS_RATIO)
        find_components(m, edit);
}

void tact_mesh_edit_set_faces(tact_shape *copy, mesh_edit *edit, const uint32_t *faces, const uint32_t (*indices)[3],
                              size_t count)
{
    mesh *m = copy->mesh;
    m->edited = true;
    const fp_environment environment = fp_environment_enter();
    change_all(m, edit, faces, indices, count);
    fp_environment_leave(environment);
    copy->bounding_radius = m->bounding_radius;
    edit->version++;
}

void tact_mesh_edit_add_vertices(tact_shape *copy, mesh_edit *edit, const tact_vec3 *positions, uint32_t count)
{
    mesh *m = copy->mesh;
    m->edited = true;
    for (uint32_t i = 0; i < count; i++) {
        m->vertices[m->vertex_count + i] = positions[i];
        edit->first_corner[m->vertex_count + i] = MESH_EDIT_NONE;
    }
    m->vertex_count += count;
    copy->bounding_radius = m->bounding_radius =
        max_double(m->bounding_radius, tact_points_bounding_radius(positions, count));
    edit->version++;
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
