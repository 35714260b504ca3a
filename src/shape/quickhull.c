/*
 * The exact convex hull of points as a closed surface of triangles, by Quickhull (Barber, Dobkin and Huhdanpaa 1996).
 *
 * Each triangle has a conflict list: points above its plane. The farthest point of a list is connected to the horizon,
 * the boundary of the region that it sees. The conflicts of the removed triangles are assigned to the new ones.
 *
 * Departure: every decision "is the point above this plane?" is exact. A plane with a proved error bound decides nearly
 * always, tact_orient3d the rest. Hence no tolerance, no merging and no failure:
 * - The region visible from strictly outside a convex surface is a disc.
 * - A new triangle never degenerates. A point collinear with a horizon edge lies in the plane of the triangle inside
 *   the horizon, and so does not see it.
 * - A point above a removed triangle that is still outside is above a new one. The plane through a horizon edge and the
 *   apex is a combination, with weights >= 0, of the two old planes there.
 *
 * Coplanar points give coplanar triangles, which hull_coplanar_merge.c merges. Cost: O(n log n) expected; memory from
 * the allocator.
 *
 * Why not Qhull 2020.2: of 200 rotated needles and plates of aspect 1e-14 it refuses 72 and returns for 83 others a
 * hull that falls short, by up to the whole size (its option QJ succeeds, but moves the points). It allocates by
 * itself. And it is slower: 20, 200, 2000, 20000, 100000 points on a sphere take 0.006, 0.12, 1.2, 31, 200 ms here and
 * 0.049, 0.47, 3.9, 130, 860 ms there. test_hull compares the two.
 */
#include <tact/predicates.h>

#include "core/memory.h"
#include "shape/hull_internal.h"

typedef struct quickhull_state {
    const tact_vec3 *points;
    uint32_t count;
    double extent; /* the largest difference of two coordinates */
    hull_triangles *triangles;
    const tact_allocator *allocator;
    uint32_t *next;          /* of each point: the next in its conflict list */
    uint32_t *horizon_start; /* of each point: the new triangle whose horizon edge starts there */
    uint32_t pending;        /* head of the list of triangles that may have conflicts */
    uint32_t free_list;
    uint32_t insertion; /* the number of insertions so far */
} quickhull_state;

static double plane_value(const quickhull_state *b, const hull_triangle *t, uint32_t p)
{
    return vec_dot(t->normal, vec_sub(b->points[p], b->points[t->vertex[0]]));
}

/* Is the point strictly above the triangle's plane? `value` is plane_value. */
static bool is_above(const quickhull_state *b, const hull_triangle *t, uint32_t p, double value)
{
    if (value > t->error)
        return true;
    if (value < -t->error)
        return false;
    return tact_orient3d(b->points[t->vertex[0]], b->points[t->vertex[1]], b->points[t->vertex[2]], b->points[p]) > 0;
}

/*
 * normal = ab x ac. Each component y1 z2 - z1 y2, of differences with relative error u, is off by at most 8 u m n, with
 * m and n the largest components of ab and ac. normal . (p - a), with components of p - a at most r, is off by at most
 * 48 u m n r. HULL_PLANE_ERROR = 128 covers terms of second order and other rounding modes, HULL_PLANE_ERROR_MIN
 * products that underflow.
 */
static void set_plane(const quickhull_state *b, hull_triangle *t)
{
    tact_vec3 origin = b->points[t->vertex[0]];
    tact_vec3 ab = vec_sub(b->points[t->vertex[1]], origin), ac = vec_sub(b->points[t->vertex[2]], origin);
    t->normal = vec_cross(ab, ac);
    t->error =
        HULL_PLANE_ERROR * HULL_UNIT_ROUNDOFF * vec_max_abs(ab) * vec_max_abs(ac) * b->extent + HULL_PLANE_ERROR_MIN;
}

/* Adds a triangle without neighbours. Returns HULL_NONE if memory is out. May move the array of triangles. */
static uint32_t add_triangle(quickhull_state *b, uint32_t p, uint32_t q, uint32_t r)
{
    hull_triangles *all = b->triangles;
    uint32_t index = b->free_list;
    bool pending = false;
    if (index != HULL_NONE) {
        b->free_list = all->items[index].next;
        pending = all->items[index].pending; /* it is still in that list and stays there */
    } else {
        if (all->count == all->capacity) {
            uint32_t capacity = all->capacity + all->capacity / 2;
            hull_triangle *grown = tact_memory_resize(b->allocator, all->items, all->capacity, capacity, sizeof *grown);
            if (grown == NULL)
                return HULL_NONE;
            all->items = grown;
            all->capacity = capacity;
        }
        index = all->count++;
        all->items[index].next_pending = HULL_NONE;
    }
    hull_triangle *t = &all->items[index];
    t->vertex[0] = p;
    t->vertex[1] = q;
    t->vertex[2] = r;
    t->visit = 0;
    t->conflicts = t->farthest_conflict = t->next = HULL_NONE;
    t->pending = pending;
    t->in_hull = true;
    t->conflict_height = 0.0;
    set_plane(b, t);
    return index;
}

static void add_conflict(quickhull_state *b, hull_triangle *t, uint32_t p, double value)
{
    b->next[p] = t->conflicts;
    t->conflicts = p;
    if (t->farthest_conflict == HULL_NONE || value > t->conflict_height) {
        t->farthest_conflict = p;
        t->conflict_height = value;
    }
}

static void add_pending(quickhull_state *b, uint32_t index)
{
    hull_triangle *t = &b->triangles->items[index];
    if (t->conflicts == HULL_NONE || t->pending)
        return;
    t->pending = true;
    t->next_pending = b->pending;
    b->pending = index;
}

/* The four faces of the initial tetrahedron; every point goes to the conflict list of one that it is above. */
static void begin(quickhull_state *b, const uint32_t basis[4])
{
    static const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    /* faces[i] and faces[across[i][k]] share the edge k of the former */
    static const uint32_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    uint32_t c[4] = {basis[0], basis[1], basis[2], basis[3]};
    if (tact_orient3d(b->points[c[0]], b->points[c[1]], b->points[c[2]], b->points[c[3]]) > 0) {
        c[0] = basis[1];
        c[1] = basis[0];
    }
    for (int i = 0; i < 4; i++) {
        uint32_t index = add_triangle(b, c[faces[i][0]], c[faces[i][1]], c[faces[i][2]]);
        for (int k = 0; k < 3; k++)
            b->triangles->items[index].neighbour[k] = across[i][k];
    }
    for (uint32_t p = 0; p < b->count; p++) {
        for (uint32_t i = 0; i < 4; i++) {
            hull_triangle *t = &b->triangles->items[i];
            double value = plane_value(b, t, p);
            if (is_above(b, t, p, value)) {
                add_conflict(b, t, p, value);
                break;
            }
        }
    }
    for (uint32_t i = 0; i < 4; i++)
        add_pending(b, i);
}

/* Adds the farthest conflict of a triangle to the hull. False if memory is out. */
static bool insert(quickhull_state *b, uint32_t first)
{
    hull_triangles *all = b->triangles;
    uint32_t apex = all->items[first].farthest_conflict;
    uint32_t visited = 2 * ++b->insertion, visible = visited + 1;
    uint32_t tail = first, created = HULL_NONE;
    all->items[first].visit = visible;
    all->items[first].next = HULL_NONE;
    /* The visible region, as a list that grows while it is traversed. Where it ends there is a horizon edge and a new
     * triangle. */
    for (uint32_t i = first; i != HULL_NONE; i = all->items[i].next) {
        for (int k = 0; k < 3; k++) {
            uint32_t j = all->items[i].neighbour[k];
            hull_triangle *t = &all->items[j];
            if (t->visit < visited)
                t->visit = is_above(b, t, apex, plane_value(b, t, apex)) ? visible : visited;
            else if (t->visit == visible)
                continue;
            if (t->visit == visible) {
                t->next = HULL_NONE;
                all->items[tail].next = j;
                tail = j;
                continue;
            }
            uint32_t from = all->items[i].vertex[k], to = all->items[i].vertex[(k + 1) % 3];
            uint32_t index = add_triangle(b, from, to, apex);
            if (index == HULL_NONE)
                return false;
            t = &all->items[j];
            t->neighbour[t->vertex[0] == to ? 0 : t->vertex[1] == to ? 1 : 2] = index;
            all->items[index].neighbour[0] = j;
            all->items[index].visit = visited;
            all->items[index].next = created;
            created = index;
            b->horizon_start[from] = index;
        }
    }
    for (uint32_t i = created; i != HULL_NONE; i = all->items[i].next) {
        uint32_t follower = b->horizon_start[all->items[i].vertex[1]];
        all->items[i].neighbour[1] = follower;
        all->items[follower].neighbour[2] = i;
    }
    for (uint32_t i = first; i != HULL_NONE;) {
        hull_triangle *t = &all->items[i];
        for (uint32_t p = t->conflicts; p != HULL_NONE;) {
            uint32_t after = b->next[p];
            for (uint32_t j = created; j != HULL_NONE && p != apex; j = all->items[j].next) {
                hull_triangle *n = &all->items[j];
                double value = plane_value(b, n, p);
                if (is_above(b, n, p, value)) {
                    add_conflict(b, n, p, value);
                    break;
                }
            }
            p = after;
        }
        uint32_t after = t->next;
        t->in_hull = false;
        t->conflicts = HULL_NONE;
        t->next = b->free_list;
        b->free_list = i;
        i = after;
    }
    for (uint32_t i = created; i != HULL_NONE; i = all->items[i].next)
        add_pending(b, i);
    return true;
}

/* Removes the triangles that are not in the hull, and renumbers the others. */
static void compact(hull_triangles *all)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->items[i].in_hull)
            all->items[i].visit = count++;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        hull_triangle *t = &all->items[i];
        if (!t->in_hull)
            continue;
        for (int k = 0; k < 3; k++)
            t->neighbour[k] = all->items[t->neighbour[k]].visit;
    }
    count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->items[i].in_hull)
            all->items[count++] = all->items[i];
    }
    all->count = count;
}

tact_status tact_hull_quickhull(hull_triangles *triangles, const hull_input *input, const uint32_t basis[4],
                                const tact_allocator *allocator)
{
    quickhull_state b = {
        .points = input->points, .count = input->count, .extent = 2.0, .triangles = triangles, .allocator = allocator};
    b.pending = b.free_list = HULL_NONE;
    triangles->count = 0;
    triangles->capacity = 64;
    triangles->items = tact_memory_allocate(allocator, triangles->capacity, sizeof *triangles->items);
    b.next = tact_memory_allocate(allocator, b.count, sizeof *b.next);
    b.horizon_start = tact_memory_allocate(allocator, b.count, sizeof *b.horizon_start);
    bool complete = triangles->items != NULL && b.next != NULL && b.horizon_start != NULL;
    if (complete)
        begin(&b, basis);
    while (complete && b.pending != HULL_NONE) {
        uint32_t i = b.pending;
        b.pending = triangles->items[i].next_pending;
        triangles->items[i].pending = false;
        if (triangles->items[i].in_hull && triangles->items[i].conflicts != HULL_NONE)
            complete = insert(&b, i);
    }
    tact_memory_free(allocator, b.next, b.count, sizeof *b.next);
    tact_memory_free(allocator, b.horizon_start, b.count, sizeof *b.horizon_start);
    if (complete)
        compact(triangles);
    else
        tact_hull_triangles_free(triangles, allocator);
    return complete ? TACT_OK : TACT_OUT_OF_MEMORY;
}

void tact_hull_triangles_free(hull_triangles *triangles, const tact_allocator *allocator)
{
    tact_memory_free(allocator, triangles->items, triangles->capacity, sizeof *triangles->items);
    triangles->items = NULL;
}
