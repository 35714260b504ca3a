/* Construction of meshes and soups: the def is checked here and copied. */
#include "shape/mesh.h"

#include <string.h>

#include "core/hash.h"
#include "core/memory.h"
#include "core/report.h"
#include "core/union_find.h"
#include "math/fp_environment.h"
#include "shape/mesh_edit.h"
#include "shape/shape_data.h"
#include "shape/triangulate.h"
#include "tree/tree_bytes.h"

static size_t scalar_size(tact_scalar number) { return number == TACT_SCALAR_FLOAT ? sizeof(float) : sizeof(double); }

tact_vec3 tact_vertices_get(const tact_vertices *vertices, size_t i)
{
    size_t size = scalar_size(vertices->scalar), stride = vertices->stride != 0 ? vertices->stride : 3 * size;
    const char *at = (const char *)vertices->data + i * stride;
    if (vertices->scalar == TACT_SCALAR_FLOAT) {
        float f[3];
        memcpy(f, at, sizeof f); /* with an odd stride it is not aligned */
        return vec_make((double)f[0], (double)f[1], (double)f[2]);
    }
    double d[3];
    memcpy(d, at, sizeof d);
    return vec_make(d[0], d[1], d[2]);
}

/* ---- validation ---- */

static bool reject(tact_report *report, const char *what, size_t number)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, what, number);
    return false;
}

/* The largest absolute coordinate, or NaN if one is not finite. Without branches: a valid array is passed over quickly.
 */
static double largest_coordinate(const tact_vertices *v, size_t first, size_t count)
{
    double max_abs = 0.0, nan_if_not_finite = 0.0;
    for (size_t i = first; i < first + count; i++) {
        const tact_vec3 p = tact_vertices_get(v, i);
        nan_if_not_finite += (p.x + p.y + p.z) * 0.0;
        max_abs = max_double(max_abs, vec_max_abs(p));
    }
    return max_abs + nan_if_not_finite;
}

bool tact_vertices_check(const tact_vertices *v, size_t first, size_t count, double max_abs, tact_report *report)
{
    if (v->scalar != TACT_SCALAR_DOUBLE && v->scalar != TACT_SCALAR_FLOAT)
        return reject(report, "unknown scalar type %zu", (size_t)v->scalar);
    if (v->data == NULL && v->count > 0)
        return reject(report, "%zu vertices are given, but their data is NULL", v->count);
    if (v->count > MESH_MAX_COUNT)
        return reject(report, "too many vertices: %zu", v->count);
    size_t least = 3 * scalar_size(v->scalar);
    if (v->stride != 0 && (v->stride < least || (v->count > 0 && v->stride > SIZE_MAX / 2 / v->count)))
        return reject(report, "a stride of %zu bytes does not fit the vertices", v->stride);
    if (first > v->count || count > v->count - first)
        return reject(report, "there are only %zu vertices", v->count);
    if (largest_coordinate(v, first, count) <= max_abs)
        return true;
    for (size_t i = first; i < first + count; i++) {
        tact_vec3 p = tact_vertices_get(v, i);
        if (!(vec_finite(p) && vec_max_abs(p) <= max_abs)) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "vertex %zu (%g %g %g) is not finite or too far out", i,
                                   p.x, p.y, p.z);
            return false;
        }
    }
    return true;
}

static bool sum_is(const uint32_t *numbers, size_t count, size_t wanted)
{
    size_t sum = 0;
    for (size_t i = 0; i < count && sum <= wanted; i++)
        sum += numbers[i];
    return sum == wanted;
}

static bool all_positive(const uint32_t *numbers, size_t count, size_t *which)
{
    for (*which = 0; *which < count; ++*which)
        if (numbers[*which] == 0)
            return false;
    return true;
}

/* Do the arrays of the def fit each other? */
static bool arrays_ok(const tact_mesh_def *def, bool soup, tact_report *report)
{
    size_t which;
    if (def->indices == NULL && def->index_count > 0)
        return reject(report, "%zu indices are given, but the array is NULL", def->index_count);
    if (def->index_count > MESH_MAX_COUNT)
        return reject(report, "too many indices: %zu", def->index_count);
    for (size_t i = 0; i < def->index_count; i++) {
        if (def->indices[i] >= def->vertices.count) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "index %zu refers to vertex %lu, but there are only %zu",
                                   i, (unsigned long)def->indices[i], def->vertices.count);
            return false;
        }
    }
    if (def->loop_sizes == NULL) {
        if (def->index_count % 3 != 0)
            return reject(report, "%zu indices do not make whole triangles", def->index_count);
        if (def->loops_per_face != NULL || def->loop_count != 0)
            return reject(report, "loops are given, but their sizes are NULL", 0);
        if (def->face_count != 0 && def->face_count != def->index_count / 3)
            return reject(report, "the indices do not make %zu triangles", def->face_count);
        return true;
    }
    if (!all_positive(def->loop_sizes, def->loop_count, &which))
        return reject(report, "loop %zu has size 0", which);
    if (!sum_is(def->loop_sizes, def->loop_count, def->index_count))
        return reject(report, "the loop sizes do not add up to %zu indices", def->index_count);
    if (def->loops_per_face == NULL) {
        if (def->face_count != 0 && def->face_count != def->loop_count)
            return reject(report, "the loop sizes do not make %zu faces", def->face_count);
        return true;
    }
    if (soup)
        return reject(report, "the convex parts of a soup have no loops", 0);
    if (!all_positive(def->loops_per_face, def->face_count, &which))
        return reject(report, "face %zu has no loops", which);
    if (!sum_is(def->loops_per_face, def->face_count, def->loop_count))
        return reject(report, "the loops of the faces do not add up to %zu", def->loop_count);
    return true;
}

/* ---- construction ---- */

static bool out_of_memory(tact_report *report)
{
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
    return false;
}

/* An array that may be empty. */
static void *allocate(const tact_allocator *allocator, size_t count, size_t size)
{
    return tact_memory_allocate(allocator, count > 0 ? count : 1, size);
}

static void release(const tact_allocator *allocator, void *block, size_t count, size_t size)
{
    tact_memory_free(allocator, block, count > 0 ? count : 1, size);
}

double tact_points_bounding_radius(const tact_vec3 *vertices, size_t count)
{
    double square = 0.0, radius = 0.0;
    for (size_t i = 0; i < count; i++)
        square = max_double(square, vec_length_squared(vertices[i]));
    if (square > MESH_SQUARE_MIN && square < MESH_SQUARE_MAX)
        return sqrt(square) * MESH_RADIUS_ROUNDING;
    for (size_t i = 0; i < count; i++)
        radius = max_double(radius, vec_length_safe(vertices[i]));
    return radius;
}

static bool copy_vertices(mesh *m, const tact_mesh_def *def, tact_report *report)
{
    m->vertex_count = (uint32_t)def->vertices.count;
    m->vertices = allocate(&def->allocator, m->vertex_count, sizeof *m->vertices);
    if (m->vertices == NULL)
        return out_of_memory(report);
    for (uint32_t i = 0; i < m->vertex_count; i++)
        m->vertices[i] = tact_vertices_get(&def->vertices, i);
    m->bounding_radius = tact_points_bounding_radius(m->vertices, m->vertex_count);
    return true;
}

static bool copy_indices(mesh *m, const uint32_t *indices, size_t count, const tact_allocator *allocator)
{
    m->index_count = (uint32_t)count;
    m->index_capacity = count > 0 ? count : 1;
    m->indices = tact_memory_allocate(allocator, m->index_capacity, sizeof *m->indices);
    if (m->indices != NULL && count > 0)
        memcpy(m->indices, indices, count * sizeof *indices);
    return m->indices != NULL;
}

static bool copy_triangles(mesh *m, const tact_mesh_def *def, tact_report *report)
{
    m->element_count = m->face_count = (uint32_t)(def->index_count / 3);
    return copy_indices(m, def->indices, def->index_count, &def->allocator) || out_of_memory(report);
}

/* At most 3 vertices in one loop: one triangle, without area if there are fewer than 3. */
static bool add_small_face(vertex_index_array *triangles, const uint32_t *indices, uint32_t count,
                           const tact_allocator *allocator)
{
    return vertex_index_array_push(triangles, allocator, indices[0]) &&
           vertex_index_array_push(triangles, allocator, indices[count > 1 ? 1 : 0]) &&
           vertex_index_array_push(triangles, allocator, indices[count - 1]);
}

static bool triangulate_faces(mesh *m, const tact_mesh_def *def, tact_report *report)
{
    const size_t faces = def->loops_per_face != NULL ? def->face_count : def->loop_count;
    const uint32_t *indices = def->indices, *sizes = def->loop_sizes;
    vertex_index_array triangles = {0}, face_of = {0};
    bool good = vertex_index_array_reserve(&triangles, &def->allocator, def->index_count);
    for (uint32_t face = 0; face < faces && good; face++) {
        uint32_t loops = def->loops_per_face != NULL ? def->loops_per_face[face] : 1, total = 0;
        for (uint32_t i = 0; i < loops; i++)
            total += sizes[i];
        good = total <= 3 && loops == 1 ? add_small_face(&triangles, indices, total, &def->allocator)
                                        : tact_polygon_triangulate(m->vertices, indices, sizes, loops, &def->allocator,
                                                                   &triangles) == TACT_OK;
        while (good && face_of.count < triangles.count / 3)
            good = vertex_index_array_push(&face_of, &def->allocator, face);
        indices += total;
        sizes += loops;
    }
    const size_t count = triangles.count;
    if (!good || count > MESH_MAX_COUNT) {
        vertex_index_array_release(&triangles, &def->allocator);
        vertex_index_array_release(&face_of, &def->allocator);
        return good ? reject(report, "too many triangles: %zu", count / 3) : out_of_memory(report);
    }
    m->indices = triangles.items;
    m->index_count = (uint32_t)triangles.count;
    m->index_capacity = triangles.capacity;
    m->face_of = face_of.items;
    m->face_capacity = face_of.capacity;
    m->element_count = (uint32_t)face_of.count;
    m->face_count = (uint32_t)faces;
    return true;
}

tact_shape *tact_soup_part_hull(const tact_vec3 *points, size_t count, const tact_allocator *allocator)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_HULL;
    def.points = points;
    def.point_count = count;
    def.allocator = *allocator;
    return tact_shape_create(&def, NULL); /* the points are valid, so a failure means that memory is out */
}

static bool copy_soup(mesh *m, const tact_mesh_def *def, tact_report *report)
{
    size_t count = def->loop_sizes != NULL ? def->loop_count : def->index_count / 3;
    m->element_count = m->face_count = (uint32_t)count;
    m->first_index = tact_memory_allocate(&def->allocator, count + 1, sizeof *m->first_index);
    if (m->first_index == NULL || !copy_indices(m, def->indices, def->index_count, &def->allocator))
        return out_of_memory(report);
    uint32_t at = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = def->loop_sizes != NULL ? def->loop_sizes[i] : 3;
        m->first_index[i] = at;
        at += size;
        largest = size > largest ? size : largest;
    }
    m->first_index[count] = at;
    if (largest <= MESH_SIMPLEX_VERTICES)
        return true;
    m->hulls = tact_memory_allocate(&def->allocator, count, sizeof *m->hulls);
    tact_vec3 *points = tact_memory_allocate(&def->allocator, largest, sizeof *points);
    bool good = m->hulls != NULL && points != NULL;
    if (m->hulls != NULL)
        memset(m->hulls, 0, count * sizeof *m->hulls);
    for (size_t i = 0; good && i < count; i++) {
        const size_t size = m->first_index[i + 1] - m->first_index[i];
        if (size <= MESH_SIMPLEX_VERTICES)
            continue;
        for (size_t k = 0; k < size; k++)
            points[k] = m->vertices[m->indices[m->first_index[i] + k]];
        m->hulls[i] = tact_soup_part_hull(points, size, &def->allocator);
        good = m->hulls[i] != NULL;
    }
    tact_memory_free(&def->allocator, points, largest, sizeof *points);
    return good || out_of_memory(report);
}

/* ---- connected components ---- */

/* Unites vertices at the same position: in many files triangles share no vertices at all. */
static bool unite_by_position(const mesh *m, uint32_t *parent, const tact_allocator *allocator)
{
    size_t capacity = 16;
    while (capacity < 2 * (size_t)m->vertex_count)
        capacity *= 2;
    uint32_t *table = tact_memory_allocate(allocator, capacity, sizeof *table);
    if (table == NULL)
        return false;
    memset(table, 0xff, capacity * sizeof *table);
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const tact_vec3 p = m->vertices[i];
        const double at[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; /* + 0.0: -0 equals 0 */
        size_t slot = (size_t)hash_bytes(at, sizeof at, 0) & (capacity - 1);
        while (table[slot] != UINT32_MAX && !vec_equal(m->vertices[table[slot]], p))
            slot = (slot + 1) & (capacity - 1);
        if (table[slot] == UINT32_MAX)
            table[slot] = i;
        else
            union_find_unite(parent, table[slot], i);
    }
    tact_memory_free(allocator, table, capacity, sizeof *table);
    return true;
}

uint32_t tact_mesh_list_components(const mesh *m, uint32_t *parent, uint32_t *seen, uint32_t *seeds)
{
    uint32_t count = 0;
    memset(seen, 0, m->vertex_count * sizeof *seen);
    for (uint32_t i = 0; i < m->element_count; i++) {
        uint32_t root = union_find_root(parent, m->indices[3 * (size_t)i]);
        if (seen[root] == 0) {
            seen[root] = 1;
            if (seeds != NULL)
                seeds[count] = i;
            count++;
        }
    }
    return count;
}

static bool is_connected(const mesh *m, uint32_t *parent)
{
    for (uint32_t i = 1; i < m->element_count; i++)
        if (union_find_root(parent, m->indices[3 * (size_t)i]) != union_find_root(parent, m->indices[0]))
            return false;
    return true;
}

bool tact_mesh_unite_components(const mesh *m, bool by_position, uint32_t *parent, const tact_allocator *allocator)
{
    union_find_init(parent, m->vertex_count);
    for (uint32_t i = 0; i < m->element_count; i++) {
        const uint32_t *vertices = m->indices + 3 * (size_t)i;
        union_find_unite(parent, vertices[0], vertices[1]);
        union_find_unite(parent, vertices[0], vertices[2]);
    }
    return !by_position || is_connected(m, parent) || unite_by_position(m, parent, allocator);
}

bool tact_mesh_find_components(mesh *m, bool by_position, const tact_allocator *allocator)
{
    const size_t capacity = 2 * (size_t)m->vertex_count;
    uint32_t *parent = allocate(allocator, capacity, sizeof *parent);
    if (parent == NULL)
        return false;
    uint32_t *seen = parent + m->vertex_count;
    bool good = tact_mesh_unite_components(m, by_position, parent, allocator);
    if (good) {
        const uint32_t count = tact_mesh_list_components(m, parent, seen, NULL);
        m->component_seeds = allocate(allocator, count, sizeof *m->component_seeds);
        good = m->component_seeds != NULL;
    }
    if (good)
        m->component_count = tact_mesh_list_components(m, parent, seen, m->component_seeds);
    release(allocator, parent, capacity, sizeof *parent);
    return good;
}

/* A stored bounding radius may be larger than necessary, and does not cover vertices that no element uses. */
static bool set_bounding_radius(mesh *m, double radius, tact_report *report)
{
    double square = 0.0;
    for (uint32_t i = 0; i < m->index_count; i++)
        square = max_double(square, vec_length_squared(m->vertices[m->indices[i]]));
    if (!(radius >= sqrt(square) * (1.0 - MESH_RADIUS_TOLERANCE) &&
          radius <= MESH_RADIUS_MAX_RATIO * m->bounding_radius + MESH_RADIUS_MIN))
        return reject(report, "the bounding radius does not fit the vertices", 0);
    m->bounding_radius = radius;
    return true;
}

/* Copies which triangle each face is, as the face of each triangle. */
static bool copy_edited_faces(mesh *m, const mesh_restore_data *stored, const tact_allocator *allocator,
                              tact_report *report)
{
    m->edited = true;
    m->face_count = stored->face_count;
    m->face_capacity = m->element_count > 0 ? m->element_count : 1;
    m->face_of = tact_memory_allocate(allocator, m->face_capacity, sizeof *m->face_of);
    if (m->face_of == NULL)
        return out_of_memory(report);
    memset(m->face_of, 0xff, m->face_capacity * sizeof *m->face_of);
    uint32_t count = 0;
    for (uint32_t i = 0; i < stored->face_count; i++) {
        const uint32_t triangle = stored->triangle_of[i];
        if (triangle == UINT32_MAX)
            continue;
        if (triangle >= m->element_count || m->face_of[triangle] != UINT32_MAX)
            return reject(report, "face %zu has no triangle of its own", i);
        m->face_of[triangle] = i;
        count++;
    }
    return (count == m->element_count && !m->solid) || reject(report, "some triangles belong to no face", 0);
}

/* Are the component seeds valid triangles, each listed once, with one in every component? */
static bool seeds_are_valid(const mesh *m, uint32_t *parent, uint32_t *seen, uint8_t *listed)
{
    memset(seen, 0, m->vertex_count * sizeof *seen);
    memset(listed, 0, m->element_count);
    for (uint32_t i = 0; i < m->component_count; i++) {
        const uint32_t triangle = m->component_seeds[i];
        if (triangle >= m->element_count || listed[triangle])
            return false;
        listed[triangle] = 1;
        seen[union_find_root(parent, m->indices[3 * (size_t)triangle])] = 1;
    }
    for (uint32_t i = 0; i < m->element_count; i++)
        if (seen[union_find_root(parent, m->indices[3 * (size_t)i])] == 0)
            return false;
    return true;
}

/* Copies the component seeds. */
static bool copy_edited_seeds(mesh *m, const mesh_restore_data *stored, const tact_allocator *allocator,
                              tact_report *report)
{
    const size_t capacity = 2 * (size_t)m->vertex_count;
    uint32_t *parent = allocate(allocator, capacity, sizeof *parent);
    uint8_t *listed = allocate(allocator, m->element_count, 1);
    m->component_seeds = allocate(allocator, stored->component_count, sizeof *m->component_seeds);
    bool good = parent != NULL && listed != NULL && m->component_seeds != NULL;
    if (!good)
        (void)out_of_memory(report);
    m->component_count = m->component_seeds != NULL ? stored->component_count : 0;
    m->component_excess = stored->component_excess;
    if (good) {
        for (uint32_t i = 0; i < stored->component_count; i++)
            m->component_seeds[i] = stored->component_seeds[i];
        (void)tact_mesh_unite_components(m, false, parent, allocator); /* allocates nothing */
        good = seeds_are_valid(m, parent, parent + m->vertex_count, listed) ||
               reject(report, "the component seeds do not match the components of the mesh", 0);
    }
    release(allocator, listed, m->element_count, 1);
    release(allocator, parent, capacity, sizeof *parent);
    return good;
}

/* Copies the faces that the triangles belong to. */
static bool copy_faces(mesh *m, const mesh_restore_data *stored, const tact_allocator *allocator, tact_report *report)
{
    for (uint32_t i = 0; stored->face_of != NULL && i < m->element_count; i++)
        if (stored->face_of[i] >= stored->face_count)
            return reject(report, "triangle %zu belongs to no face", i);
    if (stored->face_of == NULL && stored->face_count != m->element_count)
        return reject(report, "the number of faces does not match the triangles", 0);
    m->face_count = stored->face_count;
    if (stored->face_of == NULL)
        return true;
    m->face_capacity = m->element_count > 0 ? m->element_count : 1;
    m->face_of = tact_memory_allocate(allocator, m->face_capacity, sizeof *m->face_of);
    for (uint32_t i = 0; m->face_of != NULL && i < m->element_count; i++)
        m->face_of[i] = stored->face_of[i];
    return m->face_of != NULL || out_of_memory(report);
}

/* ---- tree ---- */

TACT_NOINLINE box tact_soup_part_box(const mesh *m, uint32_t part)
{
    const uint32_t first = m->first_index[part], end = m->first_index[part + 1];
    tact_vec3 min = m->vertices[m->indices[first]], max = min;
    for (uint32_t i = first + 1; i < end; i++) {
        const tact_vec3 p = m->vertices[m->indices[i]];
        min = vec_make(p.x < min.x ? p.x : min.x, p.y < min.y ? p.y : min.y, p.z < min.z ? p.z : min.z);
        max = vec_make(p.x > max.x ? p.x : max.x, p.y > max.y ? p.y : max.y, p.z > max.z ? p.z : max.z);
    }
    return box_from_bounds(min, max);
}

void tact_mesh_element_boxes(const mesh *m, box *boxes)
{
    if (m->first_index == NULL) {
        tact_boxes_of_triangles(m->vertices, (const uint32_t(*)[3])m->indices, m->element_count, boxes);
        return;
    }
    const fp_environment stored = fp_environment_enter();
    for (uint32_t i = 0; i < m->element_count; i++)
        boxes[i] = tact_soup_part_box(m, i);
    fp_environment_leave(stored);
}

/* Reads the stored tree, and checks that it bounds the elements. */
static tact_status read_tree(mesh *m, const box *boxes, const mesh_restore_data *stored, const aabb_tree_def *def,
                             tact_report *report)
{
    tact_status status = tact_aabb_tree_read(&m->tree, stored->tree, stored->tree_size, def, report);
    if (status == TACT_OK && m->tree.item_count != m->element_count)
        status =
            tact_report_fill(report, TACT_BAD_ARGUMENT, "the number of leaves of the tree does not match the elements");
    return status == TACT_OK ? tact_aabb_tree_check(&m->tree, boxes, report) : status;
}

/* Builds the tree, or reads it if it was stored. */
static bool build_tree(mesh *m, const tact_allocator *allocator, const mesh_restore_data *stored, bool overlay,
                       tact_report *report)
{
    box *boxes = allocate(allocator, m->element_count, sizeof *boxes);
    if (boxes == NULL)
        return out_of_memory(report);
    tact_mesh_element_boxes(m, boxes);
    aabb_tree_def def = aabb_tree_def_default();
    def.allocator = *allocator;
    tact_status status = stored != NULL ? read_tree(m, boxes, stored, &def, report)
                                        : tact_aabb_tree_build(&m->tree, boxes, m->element_count, &def);
    release(allocator, boxes, m->element_count, sizeof *boxes);
    if (status == TACT_OK && overlay && m->first_index == NULL &&
        !m->refittable) /* the vertices of a refittable copy will move */
        status =
            tact_obb_overlay_build(&m->overlay, &m->tree, m->vertices, (const uint32_t(*)[3])m->indices, allocator);
    if (status == TACT_OK && m->first_index == NULL && !m->refittable &&
        !tact_flat_regions_find(&m->flat, m, allocator))
        status = TACT_OUT_OF_MEMORY;
    return status == TACT_OK || (status != TACT_OUT_OF_MEMORY && stored != NULL ? false : out_of_memory(report));
}

void tact_mesh_free(mesh *m, const tact_allocator *allocator)
{
    if (m == NULL)
        return;
    for (uint32_t i = 0; m->hulls != NULL && i < m->element_count; i++)
        tact_shape_release(m->hulls[i]);
    if (mesh_overlay(m) != NULL)
        tact_obb_overlay_release(&m->overlay);
    if (mesh_flat_regions(m) != NULL)
        tact_flat_regions_release(&m->flat, allocator);
    if (m->element_capacity > 0)
        tact_mesh_edit_free_arrays(m, allocator);
    release(allocator, m->vertices, m->vertex_count, sizeof *m->vertices);
    if (m->original == NULL) {
        tact_memory_free(allocator, m->indices, m->index_capacity, sizeof *m->indices);
        tact_memory_free(allocator, m->first_index, (size_t)m->element_count + 1, sizeof *m->first_index);
        tact_memory_free(allocator, m->face_of, m->face_capacity, sizeof *m->face_of);
        tact_memory_free(allocator, m->edge_flags, m->element_count, sizeof *m->edge_flags);
    }
    tact_shape_release(m->original);
    tact_memory_free(allocator, m->hulls, m->element_count, sizeof *m->hulls);
    release(allocator, m->component_seeds, m->component_count, sizeof *m->component_seeds);
    tact_aabb_tree_release(&m->tree);
    tact_memory_free(allocator, m, 1, sizeof *m);
}

static mesh *make(const tact_mesh_def *def, bool soup, const mesh_restore_data *stored, bool overlay,
                  tact_report *report)
{
    if (!tact_vertices_check(&def->vertices, 0, def->vertices.count, SHAPE_MAX_COORDINATE, report) ||
        !arrays_ok(def, soup, report))
        return NULL;
    mesh *m = tact_memory_allocate(&def->allocator, 1, sizeof *m);
    if (m == NULL) {
        (void)out_of_memory(report);
        return NULL;
    }
    memset(m, 0, sizeof *m);
    m->solid = def->solid && !soup;
    m->one_sided = def->one_sided && !soup;
    m->refittable = stored != NULL && stored->refittable;
    bool elements = copy_vertices(m, def, report) && (soup                      ? copy_soup(m, def, report)
                                                      : def->loop_sizes == NULL ? copy_triangles(m, def, report)
                                                                                : triangulate_faces(m, def, report));
    if (elements && stored != NULL)
        elements = set_bounding_radius(m, stored->bounding_radius, report);
    const bool edited = stored != NULL && stored->triangle_of != NULL;
    bool parts = elements && (soup || stored == NULL ||
                              (edited ? copy_edited_faces : copy_faces)(m, stored, &def->allocator, report));
    parts = parts &&
            (edited ? copy_edited_seeds(m, stored, &def->allocator, report)
                    : soup || tact_mesh_find_components(m, !m->refittable, &def->allocator) || out_of_memory(report));
    parts = parts && (tact_mesh_find_internal_edges(m, &def->allocator) || out_of_memory(report));
    if (parts && build_tree(m, &def->allocator, stored, overlay, report))
        return m;
    tact_mesh_free(m, &def->allocator);
    return NULL;
}

size_t tact_mesh_byte_count(const mesh *m)
{
    size_t element_count = m->element_count;
    if (m->element_capacity > 0)
        return sizeof *m + m->vertex_capacity * sizeof *m->vertices + m->element_capacity * (5 * sizeof(uint32_t) + 1) +
               m->tree.node_capacity * sizeof *m->tree.nodes + m->tree.bounds_capacity * sizeof *m->tree.bounds;
    return sizeof *m + m->vertex_count * sizeof *m->vertices + m->index_capacity * sizeof *m->indices +
           (m->first_index != NULL ? (element_count + 1) * sizeof *m->first_index : 0) +
           (m->face_of != NULL ? m->face_capacity * sizeof *m->face_of : 0) +
           (m->edge_flags != NULL ? element_count : 0) + (m->hulls != NULL ? element_count * sizeof *m->hulls : 0) +
           m->component_count * sizeof *m->component_seeds + m->tree.node_capacity * sizeof *m->tree.nodes +
           m->tree.bounds_capacity * sizeof *m->tree.bounds +
           (mesh_overlay(m) != NULL ? m->overlay.node_count * sizeof *m->overlay.nodes : 0) +
           (mesh_flat_regions(m) != NULL ? (element_count + m->tree.node_count) * sizeof(uint32_t) : 0);
}

/* ---- entry points ---- */

tact_mesh_def tact_mesh_def_default(void)
{
    tact_mesh_def def;
    memset(&def, 0, sizeof def);
    return def;
}

static tact_shape *create(const tact_mesh_def *def, bool soup, const mesh_restore_data *stored, bool overlay,
                          tact_report *report)
{
    if (def == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the def is NULL");
        return NULL;
    }
    if (def->solid && def->one_sided && !soup) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "a mesh cannot be both solid and one-sided");
        return NULL;
    }
    tact_shape *shape = tact_shape_allocate(soup ? TACT_SOUP : TACT_MESH, def->margin, &def->allocator, report);
    if (shape == NULL)
        return NULL;
    shape->mesh = make(def, soup, stored, overlay, report);
    if (shape->mesh == NULL) {
        tact_shape_deallocate(shape);
        return NULL;
    }
    shape->bounding_radius = shape->mesh->bounding_radius;
    (void)tact_report_clear(report);
    return shape;
}

tact_shape *tact_mesh_create(const tact_mesh_def *def, tact_report *report)
{
    return create(def, false, NULL, true, report);
}

tact_shape *tact_soup_create(const tact_mesh_def *def, tact_report *report)
{
    return create(def, true, NULL, true, report);
}

tact_shape *tact_mesh_create_without_overlay(const tact_mesh_def *def, tact_report *report)
{
    return create(def, false, NULL, false, report);
}

tact_shape *tact_mesh_restore(const tact_mesh_def *def, bool soup, const mesh_restore_data *stored, tact_report *report)
{
    return create(def, soup, stored, true, report);
}

tact_shape *tact_mesh(const tact_vec3 *vertices, size_t vertex_count, const uint32_t *indices, size_t triangle_count)
{
    tact_mesh_def def = tact_mesh_def_default();
    if (triangle_count > MESH_MAX_COUNT / 3)
        return NULL;
    def.vertices = (tact_vertices){vertices, vertex_count, sizeof *vertices, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 3 * triangle_count;
    return tact_mesh_create(&def, NULL);
}
