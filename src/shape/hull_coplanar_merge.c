/*
 * Merging coplanar triangles of a hull into polygonal faces.
 *
 * The exact hull of a rotated box is not a box: rounding moves the points of a face out of a common plane, its faces
 * become fans of triangles and its edges rows of slivers. Here triangles whose vertices lie within HULL_PLANE_TOLERANCE
 * units of roundoff of the plane of a large one are merged with it. Vertices that end up inside a face or on a straight
 * edge, within HULL_LINE_TOLERANCE, are dropped. The support function changes by no more than that.
 *
 * Guarantees: vertices are input points, every edge belongs to two faces in opposite directions, and Euler's formula
 * V - E + F = 2 holds. Where merging would leave something that is not a disc, the triangles stay. Cost: O(n) if
 * nothing is coplanar, otherwise O(n log n) (largest triangle first).
 */
#include <tact/predicates.h>

#include "core/heap.h"
#include "core/memory.h"
#include "math/dd_vec.h"
#include "shape/hull_internal.h"

typedef struct coplanar_merger {
    const hull_input *input;
    const hull_triangles *triangles;
    uint32_t *face;  /* of each triangle: its face */
    uint32_t *stack; /* triangles */
    uint32_t *after; /* of each point: the next point along the current loop */
    uint32_t *order; /* triangles, largest first; later the next triangle of the same face */
} coplanar_merger;

void tact_hull_facets_free(hull_facets *facets, const tact_allocator *allocator)
{
    tact_memory_free(allocator, facets->first_vertex, (size_t)facets->face_capacity + 1, sizeof *facets->first_vertex);
    tact_memory_free(allocator, facets->vertices, facets->vertex_capacity, sizeof *facets->vertices);
    facets->first_vertex = facets->vertices = NULL;
}

bool tact_hull_facets_allocate(hull_facets *facets, uint32_t faces, uint32_t vertices, const tact_allocator *allocator)
{
    *facets = (hull_facets){.face_capacity = faces, .vertex_capacity = vertices};
    facets->first_vertex = tact_memory_allocate(allocator, (size_t)faces + 1, sizeof *facets->first_vertex);
    facets->vertices = tact_memory_allocate(allocator, vertices, sizeof *facets->vertices);
    if (facets->first_vertex != NULL && facets->vertices != NULL)
        return true;
    tact_hull_facets_free(facets, allocator);
    return false;
}

static dd_vec normal_dd(const coplanar_merger *m, const hull_triangle *t)
{
    const tact_vec3 *at = m->input->points;
    return dd_vec_cross(dd_vec_difference(at[t->vertex[0]], at[t->vertex[1]]),
                        dd_vec_difference(at[t->vertex[0]], at[t->vertex[2]]));
}

/* Does the point lie in the triangle's plane, up to `tolerances` times the tolerance? No point of the hull is above it.
 */
static bool in_plane(const coplanar_merger *m, const hull_triangle *t, uint32_t p, double tolerances)
{
    const tact_vec3 *at = m->input->points;
    double tolerance = tolerances * hull_plane_tolerance(m->input, t->normal);
    double height = vec_dot(t->normal, vec_sub(at[p], at[t->vertex[0]]));
    if (height < -(tolerance + tolerance + t->error))
        return false;
    dd_vec normal = normal_dd(m, t);
    tolerance = tolerances * hull_plane_tolerance(m->input, dd_vec_to_vec3(normal));
    return dd_vec_dot(normal, dd_vec_difference(at[t->vertex[0]], at[p])).high >= -tolerance;
}

/* Do the two face the same side? Near the rim of a thin hull the far side is within the tolerance too. */
static bool faces_same_side(const coplanar_merger *m, const hull_triangle *t, const hull_triangle *s)
{
    return dd_vec_dot(normal_dd(m, t), normal_dd(m, s)).high > 0.0;
}

static double longest_edge(const coplanar_merger *m, const hull_triangle *t, int *which)
{
    double longest = -1.0;
    for (int k = 0; k < 3; k++) {
        double length = vec_length(vec_sub(m->input->points[t->vertex[(k + 1) % 3]], m->input->points[t->vertex[k]]));
        if (length > longest) {
            longest = length;
            *which = k;
        }
    }
    return longest;
}

/* Is the triangle so thin that its plane is determined by rounding? */
static bool is_sliver(const coplanar_merger *m, const hull_triangle *t)
{
    int which = 0;
    double length = longest_edge(m, t, &which);
    return tact_hull_line_distance(m->input->points[t->vertex[which]], m->input->points[t->vertex[(which + 1) % 3]],
                                   m->input->points[t->vertex[(which + 2) % 3]]) <= m->input->line_tolerance ||
           !(length > 0.0);
}

static uint32_t opposite(const hull_triangle *t, uint32_t from, uint32_t to)
{
    for (int k = 0; k < 2; k++) {
        if (t->vertex[k] != from && t->vertex[k] != to)
            return t->vertex[k];
    }
    return t->vertex[2];
}

/* Are there two coplanar neighbours? */
static bool any_coplanar(const coplanar_merger *m)
{
    for (uint32_t i = 0; i < m->triangles->count; i++) {
        const hull_triangle *t = &m->triangles->items[i];
        for (int k = 0; k < 3; k++) {
            uint32_t p = opposite(&m->triangles->items[t->neighbour[k]], t->vertex[k], t->vertex[(k + 1) % 3]);
            if (in_plane(m, t, p, 2.0))
                return true;
        }
    }
    return false;
}

static double twice_area(const coplanar_merger *m, uint32_t i)
{
    return vec_length_squared(m->triangles->items[i].normal);
}

/* Larger triangles first, equal ones by index. */
static inline bool larger_first(const coplanar_merger *m, const uint32_t *i, const uint32_t *j)
{
    double a = twice_area(m, *i), b = twice_area(m, *j);
    return a > b || (a == b && *i < *j);
}

HEAP_SORT_OF(sort_order, uint32_t, const coplanar_merger *, larger_first)

static void sort_by_area(const coplanar_merger *m)
{
    uint32_t count = m->triangles->count;
    for (uint32_t i = 0; i < count; i++)
        m->order[i] = i;
    sort_order(m, m->order, count);
}

/* Flood fill: all triangles connected with `seed` in its plane become one face. */
static void flood_fill(coplanar_merger *m, uint32_t seed, uint32_t face)
{
    const hull_triangle *s = &m->triangles->items[seed];
    uint32_t height = 0;
    m->face[seed] = face;
    m->stack[height++] = seed;
    while (height > 0) {
        const hull_triangle *t = &m->triangles->items[m->stack[--height]];
        for (int k = 0; k < 3; k++) {
            uint32_t j = t->neighbour[k];
            const hull_triangle *n = &m->triangles->items[j];
            uint32_t p = opposite(n, t->vertex[k], t->vertex[(k + 1) % 3]);
            if (m->face[j] != HULL_NONE || !in_plane(m, s, p, 2.0) || !faces_same_side(m, n, s))
                continue;
            m->face[j] = face;
            m->stack[height++] = j;
        }
    }
}

/* A sliver in no plane joins the face beyond one of its edges, the longest if possible, if it is nearly in its plane.
 */
static bool join_neighbour(coplanar_merger *m, uint32_t i)
{
    const hull_triangle *t = &m->triangles->items[i];
    int which = 0;
    (void)longest_edge(m, t, &which);
    for (int k = 0; k < 3; k++) {
        int edge = (which + k) % 3;
        uint32_t j = t->neighbour[edge];
        const hull_triangle *n = &m->triangles->items[j];
        if (m->face[j] != HULL_NONE && in_plane(m, n, t->vertex[(edge + 2) % 3], 2.0) && faces_same_side(m, t, n)) {
            m->face[i] = m->face[j];
            return true;
        }
    }
    return false;
}

/* Does the loop turn left everywhere, up to the tolerance? `normal` is that of the face. */
static bool is_convex(const coplanar_merger *m, const uint32_t *loop, uint32_t length, tact_vec3 normal)
{
    const tact_vec3 *at = m->input->points;
    for (uint32_t i = 0; i < length; i++) {
        tact_vec3 a = at[loop[i]], b = at[loop[(i + 1) % length]], c = at[loop[(i + 2) % length]];
        if (vec_dot(vec_cross(vec_sub(b, a), vec_sub(c, b)), normal) < 0.0 &&
            !(tact_hull_segment_distance(a, c, b) <= 2.0 * m->input->line_tolerance))
            return false;
    }
    return true;
}

/* Adds the boundary of the triangles of a face to `facets`; false if it is not one simple loop, or not convex. `order`
 * links the triangles of the face, from `head` on. */
static bool add_loop(coplanar_merger *m, hull_facets *facets, uint32_t head)
{
    uint32_t face = m->face[head], edges = 0, start = HULL_NONE, length = 0, widest = head;
    for (uint32_t i = head; i != HULL_NONE; i = m->order[i]) {
        for (int k = 0; k < 3; k++)
            m->after[m->triangles->items[i].vertex[k]] = HULL_NONE;
        widest = larger_first(m, &i, &widest) ? i : widest;
    }
    for (uint32_t i = head; i != HULL_NONE; i = m->order[i]) {
        const hull_triangle *t = &m->triangles->items[i];
        for (int k = 0; k < 3; k++) {
            if (m->face[t->neighbour[k]] == face)
                continue;
            start = t->vertex[k];
            if (m->after[start] != HULL_NONE)
                return false;
            m->after[start] = t->vertex[(k + 1) % 3];
            edges++;
        }
    }
    for (uint32_t p = start; p != HULL_NONE && length < edges; p = m->after[p] == start ? HULL_NONE : m->after[p])
        facets->vertices[facets->vertex_total + length++] = p;
    if (length < 3 || length != edges)
        return false;
    if (length > 3 &&
        !is_convex(m, facets->vertices + facets->vertex_total, length, m->triangles->items[widest].normal))
        return false;
    facets->vertex_total += length;
    facets->first_vertex[++facets->face_count] = facets->vertex_total;
    return true;
}

static void add_triangle(hull_facets *facets, const hull_triangle *t)
{
    for (int k = 0; k < 3; k++)
        facets->vertices[facets->vertex_total++] = t->vertex[k];
    facets->first_vertex[++facets->face_count] = facets->vertex_total;
}

static void copy_triangles(const coplanar_merger *m, hull_facets *facets)
{
    facets->face_count = facets->vertex_total = facets->first_vertex[0] = 0;
    for (uint32_t i = 0; i < m->triangles->count; i++)
        add_triangle(facets, &m->triangles->items[i]);
}

/* Groups the triangles into faces. */
static void merge(coplanar_merger *m, hull_facets *facets)
{
    uint32_t count = m->triangles->count, faces = 0;
    sort_by_area(m);
    for (uint32_t i = 0; i < count; i++)
        m->face[i] = HULL_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (m->face[m->order[i]] == HULL_NONE && !is_sliver(m, &m->triangles->items[m->order[i]]))
            flood_fill(m, m->order[i], faces++);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (m->face[m->order[i]] == HULL_NONE && !join_neighbour(m, m->order[i]))
            flood_fill(m, m->order[i], faces++);
    }
    uint32_t *head = m->stack, *next = m->order;
    for (uint32_t f = 0; f < faces; f++)
        head[f] = HULL_NONE;
    for (uint32_t i = count; i-- > 0;) {
        next[i] = head[m->face[i]];
        head[m->face[i]] = i;
    }
    facets->face_count = facets->vertex_total = facets->first_vertex[0] = 0;
    for (uint32_t f = 0; f < faces; f++) {
        if (add_loop(m, facets, head[f]))
            continue;
        for (uint32_t i = head[f]; i != HULL_NONE; i = next[i])
            add_triangle(facets, &m->triangles->items[i]);
    }
    if (facets->face_count < 4)
        copy_triangles(m, facets);
}

/* Removes dropped points from all facets. */
static void prune(hull_facets *facets, const bool *drop)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < facets->face_count; f++) {
        uint32_t i = facets->first_vertex[f], end = facets->first_vertex[f + 1];
        facets->first_vertex[f] = count;
        for (; i < end; i++) {
            if (!drop[facets->vertices[i]])
                facets->vertices[count++] = facets->vertices[i];
        }
    }
    facets->first_vertex[facets->face_count] = facets->vertex_total = count;
}

/* Vertices of only two faces lie on the edge between them. Those collinear with its ends are dropped, unless a face
 * would be left with fewer than three vertices. */
static tact_status drop_redundant(hull_facets *facets, const hull_input *input, const tact_allocator *allocator)
{
    uint32_t n = input->count;
    uint32_t *uses = tact_memory_allocate(allocator, n, sizeof *uses);
    uint32_t *edge_faces = tact_memory_allocate(allocator, n, 2 * sizeof *edge_faces);
    uint32_t *sizes = tact_memory_allocate(allocator, facets->face_count, sizeof *sizes);
    size_t capacity = (size_t)facets->vertex_total + 2;
    uint32_t *spans = tact_memory_allocate(allocator, capacity, 2 * sizeof *spans);
    bool *drop = tact_memory_allocate(allocator, n, sizeof *drop);
    bool complete = uses != NULL && edge_faces != NULL && sizes != NULL && spans != NULL && drop != NULL;
    if (complete) {
        for (uint32_t i = 0; i < n; i++) {
            uses[i] = 0;
            drop[i] = false;
        }
        for (uint32_t f = 0; f < facets->face_count; f++) {
            sizes[f] = facets->first_vertex[f + 1] - facets->first_vertex[f];
            for (uint32_t i = facets->first_vertex[f]; i < facets->first_vertex[f + 1]; i++) {
                uint32_t p = facets->vertices[i];
                if (uses[p] < 2)
                    edge_faces[2 * p + uses[p]] = f;
                uses[p]++;
            }
        }
        for (uint32_t f = 0; f < facets->face_count; f++) {
            const uint32_t *loop = facets->vertices + facets->first_vertex[f];
            uint32_t length = facets->first_vertex[f + 1] - facets->first_vertex[f], first = 0;
            while (first < length && uses[loop[first]] < 3)
                first++;
            for (uint32_t i = 0, steps; first < length && i < length; i += steps) {
                uint32_t from = first + i;
                for (steps = 1; uses[loop[(from + steps) % length]] < 3;)
                    steps++;
                /* Both faces contain the edge, in opposite directions: one of them decides. */
                if (steps == 1 || loop[from % length] >= loop[(from + steps) % length])
                    continue;
                uint32_t inner = loop[(from + 1) % length],
                         g = edge_faces[2 * inner] == f ? edge_faces[2 * inner + 1] : edge_faces[2 * inner];
                uint32_t dropped = tact_hull_drop_collinear(input, loop, length, from, steps, drop, spans);
                if (sizes[f] >= dropped + 3 && sizes[g] >= dropped + 3) {
                    sizes[f] -= dropped;
                    sizes[g] -= dropped;
                    continue;
                }
                for (uint32_t k = 1; k < steps; k++)
                    drop[loop[(from + k) % length]] = false;
            }
        }
        prune(facets, drop);
    }
    tact_memory_free(allocator, uses, n, sizeof *uses);
    tact_memory_free(allocator, edge_faces, n, 2 * sizeof *edge_faces);
    tact_memory_free(allocator, sizes, facets->face_count, sizeof *sizes);
    tact_memory_free(allocator, spans, capacity, 2 * sizeof *spans);
    tact_memory_free(allocator, drop, n, sizeof *drop);
    return complete ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_hull_merge_coplanar(hull_facets *facets, const hull_input *input, const hull_triangles *triangles,
                                     const tact_allocator *allocator)
{
    uint32_t count = triangles->count;
    coplanar_merger m = {.input = input, .triangles = triangles};
    if (!tact_hull_facets_allocate(facets, count, 3 * count, allocator))
        return TACT_OUT_OF_MEMORY;
    if (!any_coplanar(&m)) {
        copy_triangles(&m, facets);
        return TACT_OK;
    }
    m.face = tact_memory_allocate(allocator, count, sizeof *m.face);
    m.stack = tact_memory_allocate(allocator, count, sizeof *m.stack);
    m.order = tact_memory_allocate(allocator, count, sizeof *m.order);
    m.after = tact_memory_allocate(allocator, input->count, sizeof *m.after);
    bool complete = m.face != NULL && m.stack != NULL && m.order != NULL && m.after != NULL;
    if (complete)
        merge(&m, facets);
    tact_memory_free(allocator, m.face, count, sizeof *m.face);
    tact_memory_free(allocator, m.stack, count, sizeof *m.stack);
    tact_memory_free(allocator, m.order, count, sizeof *m.order);
    tact_memory_free(allocator, m.after, input->count, sizeof *m.after);
    if (complete && drop_redundant(facets, input, allocator) == TACT_OK)
        return TACT_OK;
    tact_hull_facets_free(facets, allocator);
    return TACT_OUT_OF_MEMORY;
}
