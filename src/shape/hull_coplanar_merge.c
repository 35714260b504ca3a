/*
 * From triangles to faces.
 *
 * The exact hull of a box that was rotated is not a box: points of a face stand out of each other's plane by
 * rounding, and its faces are fans of triangles, its edges rows of slivers. Here triangles whose corners lie within
 * HULL_SLACK rounding units of the plane of a large one are merged with it, and corners that end up inside a face or
 * on a straight edge (within the same slack) are dropped: the support function changes by no more than that. Corners
 * of the result are input points, every edge belongs to two loops, in opposite directions, and Euler's V - E + F = 2
 * holds. Where merging would leave something that is not a disc, the triangles stay. Cost: O(n) when nothing is
 * coplanar, O(n log n) otherwise (largest triangle first).
 */
#include <tact/predicates.h>

#include "core/memory.h"
#include "math/dd_vec.h"
#include "shape/hull_internal.h"

typedef struct merger {
    const hull_points *points;
    const hull_triangles *triangles;
    uint32_t *face;  /* triangle: its face */
    uint32_t *stack; /* triangles */
    uint32_t *after; /* point: the next point along the loop under way */
    uint32_t *order; /* triangles, largest first */
} merger;

void tact_hull_loops_free(hull_loops *loops, const tact_allocator *allocator)
{
    tact_memory_free(allocator, loops->first, (size_t)loops->face_room + 1, sizeof *loops->first);
    tact_memory_free(allocator, loops->points, loops->room, sizeof *loops->points);
    loops->first = loops->points = NULL;
}

bool tact_hull_loops_take(hull_loops *loops, uint32_t faces, uint32_t points, const tact_allocator *allocator)
{
    *loops = (hull_loops){.face_room = faces, .room = points};
    loops->first = tact_memory_allocate(allocator, (size_t)faces + 1, sizeof *loops->first);
    loops->points = tact_memory_allocate(allocator, points, sizeof *loops->points);
    if (loops->first != NULL && loops->points != NULL)
        return true;
    tact_hull_loops_free(loops, allocator);
    return false;
}

static dd_vec fine_normal(const merger *m, const hull_triangle *t)
{
    const tact_vec3 *at = m->points->at;
    return dd_vec_cross(dd_vec_difference(at[t->corner[0]], at[t->corner[1]]),
                        dd_vec_difference(at[t->corner[0]], at[t->corner[2]]));
}

/* Does the point lie in the triangle's plane up to `slacks` times the slack? No hull point is above it. */
static bool in_plane(const merger *m, const hull_triangle *t, uint32_t p, double slacks)
{
    const tact_vec3 *at = m->points->at;
    double slack = slacks * hull_plane_slack(m->points, t->normal);
    double plain = vec_dot(t->normal, vec_sub(at[p], at[t->corner[0]]));
    if (plain < -(slack + slack + t->bound))
        return false;
    dd_vec normal = fine_normal(m, t);
    slack = slacks * hull_plane_slack(m->points, dd_vec_to_vec3(normal));
    return dd_vec_dot(normal, dd_vec_difference(at[t->corner[0]], at[p])).high >= -slack;
}

/* Do the two look to the same side? Near the rim of something thin, the far side is within the slack too. */
static bool look_alike(const merger *m, const hull_triangle *t, const hull_triangle *s)
{
    return dd_vec_dot(fine_normal(m, t), fine_normal(m, s)).high > 0.0;
}

static double longest_edge(const merger *m, const hull_triangle *t, int *which)
{
    double longest = -1.0;
    for (int k = 0; k < 3; k++) {
        double length = vec_length(vec_sub(m->points->at[t->corner[(k + 1) % 3]], m->points->at[t->corner[k]]));
        if (length > longest) {
            longest = length;
            *which = k;
        }
    }
    return longest;
}

/* A triangle so thin that its plane is a matter of rounding. */
static bool is_sliver(const merger *m, const hull_triangle *t)
{
    int which = 0;
    double length = longest_edge(m, t, &which);
    return tact_hull_line_distance(m->points->at[t->corner[which]], m->points->at[t->corner[(which + 1) % 3]],
                                   m->points->at[t->corner[(which + 2) % 3]]) <= m->points->edge_slack ||
           !(length > 0.0);
}

static uint32_t opposite(const hull_triangle *t, uint32_t from, uint32_t to)
{
    for (int k = 0; k < 2; k++) {
        if (t->corner[k] != from && t->corner[k] != to)
            return t->corner[k];
    }
    return t->corner[2];
}

/* Are there two neighbours in one plane? */
static bool anything_flat(const merger *m)
{
    for (uint32_t i = 0; i < m->triangles->count; i++) {
        const hull_triangle *t = &m->triangles->at[i];
        for (int k = 0; k < 3; k++) {
            uint32_t p = opposite(&m->triangles->at[t->across[k]], t->corner[k], t->corner[(k + 1) % 3]);
            if (in_plane(m, t, p, 2.0))
                return true;
        }
    }
    return false;
}

static double twice_area(const merger *m, uint32_t i) { return vec_length_squared(m->triangles->at[i].normal); }

/* Heap sort: in place, no recursion, no allocation. Larger first, equal ones by index. */
static bool goes_before(const merger *m, uint32_t i, uint32_t j)
{
    double a = twice_area(m, i), b = twice_area(m, j);
    return a > b || (a == b && i < j);
}

static void sift(const merger *m, uint32_t root, uint32_t end)
{
    uint32_t *order = m->order;
    uint32_t moved = order[root];
    for (uint32_t child; (child = 2 * root + 1) < end; root = child) {
        if (child + 1 < end && goes_before(m, order[child], order[child + 1]))
            child++;
        if (!goes_before(m, moved, order[child]))
            break;
        order[root] = order[child];
    }
    order[root] = moved;
}

static void sort_by_area(const merger *m)
{
    uint32_t count = m->triangles->count;
    for (uint32_t i = 0; i < count; i++)
        m->order[i] = i;
    for (uint32_t i = count / 2; i-- > 0;)
        sift(m, i, count);
    for (uint32_t end = count; end-- > 1;) {
        uint32_t last = m->order[end];
        m->order[end] = m->order[0];
        m->order[0] = last;
        sift(m, 0, end);
    }
}

/* All triangles that hang together with `seed` and lie in its plane become one face. */
static void spread(merger *m, uint32_t seed, uint32_t face)
{
    const hull_triangle *s = &m->triangles->at[seed];
    uint32_t height = 0;
    m->face[seed] = face;
    m->stack[height++] = seed;
    while (height > 0) {
        const hull_triangle *t = &m->triangles->at[m->stack[--height]];
        for (int k = 0; k < 3; k++) {
            uint32_t j = t->across[k];
            const hull_triangle *n = &m->triangles->at[j];
            uint32_t p = opposite(n, t->corner[k], t->corner[(k + 1) % 3]);
            if (m->face[j] != HULL_NONE || !in_plane(m, s, p, 2.0) || !look_alike(m, n, s))
                continue;
            m->face[j] = face;
            m->stack[height++] = j;
        }
    }
}

/* A sliver that fell into no plane joins the face beyond one of its edges, the longest if possible, if it is
 * nearly in it. */
static bool join_neighbour(merger *m, uint32_t i)
{
    const hull_triangle *t = &m->triangles->at[i];
    int which = 0;
    (void)longest_edge(m, t, &which);
    for (int k = 0; k < 3; k++) {
        int edge = (which + k) % 3;
        uint32_t j = t->across[edge];
        const hull_triangle *n = &m->triangles->at[j];
        if (m->face[j] != HULL_NONE && in_plane(m, n, t->corner[(edge + 2) % 3], 2.0) && look_alike(m, t, n)) {
            m->face[i] = m->face[j];
            return true;
        }
    }
    return false;
}

/* Does the loop turn left everywhere, but for the slack? `normal` is the face's. */
static bool is_convex(const merger *m, const uint32_t *loop, uint32_t length, tact_vec3 normal)
{
    const tact_vec3 *at = m->points->at;
    for (uint32_t i = 0; i < length; i++) {
        tact_vec3 a = at[loop[i]], b = at[loop[(i + 1) % length]], c = at[loop[(i + 2) % length]];
        if (vec_dot(vec_cross(vec_sub(b, a), vec_sub(c, b)), normal) < 0.0 &&
            !(tact_hull_segment_distance(a, c, b) <= 2.0 * m->points->edge_slack))
            return false;
    }
    return true;
}

/* Adds the loop around the triangles of a face to `loops`; false if it is not a single simple one, or not convex.
 * `order` links the triangles of the face, from `head` on. */
static bool add_loop(merger *m, hull_loops *loops, uint32_t head)
{
    uint32_t face = m->face[head], edges = 0, start = HULL_NONE, length = 0, widest = head;
    for (uint32_t i = head; i != HULL_NONE; i = m->order[i]) {
        for (int k = 0; k < 3; k++)
            m->after[m->triangles->at[i].corner[k]] = HULL_NONE;
        widest = goes_before(m, i, widest) ? i : widest;
    }
    for (uint32_t i = head; i != HULL_NONE; i = m->order[i]) {
        const hull_triangle *t = &m->triangles->at[i];
        for (int k = 0; k < 3; k++) {
            if (m->face[t->across[k]] == face)
                continue;
            start = t->corner[k];
            if (m->after[start] != HULL_NONE)
                return false;
            m->after[start] = t->corner[(k + 1) % 3];
            edges++;
        }
    }
    for (uint32_t p = start; p != HULL_NONE && length < edges; p = m->after[p] == start ? HULL_NONE : m->after[p])
        loops->points[loops->total + length++] = p;
    if (length < 3 || length != edges)
        return false;
    if (length > 3 && !is_convex(m, loops->points + loops->total, length, m->triangles->at[widest].normal))
        return false;
    loops->total += length;
    loops->first[++loops->face_count] = loops->total;
    return true;
}

static void add_triangle(hull_loops *loops, const hull_triangle *t)
{
    for (int k = 0; k < 3; k++)
        loops->points[loops->total++] = t->corner[k];
    loops->first[++loops->face_count] = loops->total;
}

static void keep_triangles(const merger *m, hull_loops *loops)
{
    loops->face_count = loops->total = loops->first[0] = 0;
    for (uint32_t i = 0; i < m->triangles->count; i++)
        add_triangle(loops, &m->triangles->at[i]);
}

/* Faces from triangles. */
static void merge(merger *m, hull_loops *loops)
{
    uint32_t count = m->triangles->count, faces = 0;
    sort_by_area(m);
    for (uint32_t i = 0; i < count; i++)
        m->face[i] = HULL_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (m->face[m->order[i]] == HULL_NONE && !is_sliver(m, &m->triangles->at[m->order[i]]))
            spread(m, m->order[i], faces++);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (m->face[m->order[i]] == HULL_NONE && !join_neighbour(m, m->order[i]))
            spread(m, m->order[i], faces++);
    }
    uint32_t *head = m->stack, *next = m->order;
    for (uint32_t f = 0; f < faces; f++)
        head[f] = HULL_NONE;
    for (uint32_t i = count; i-- > 0;) {
        next[i] = head[m->face[i]];
        head[m->face[i]] = i;
    }
    loops->face_count = loops->total = loops->first[0] = 0;
    for (uint32_t f = 0; f < faces; f++) {
        if (add_loop(m, loops, head[f]))
            continue;
        for (uint32_t i = head[f]; i != HULL_NONE; i = next[i])
            add_triangle(loops, &m->triangles->at[i]);
    }
    if (loops->face_count < 4)
        keep_triangles(m, loops);
}

/* Removes dropped points from all loops. */
static void prune(hull_loops *loops, const bool *drop)
{
    uint32_t kept = 0;
    for (uint32_t f = 0; f < loops->face_count; f++) {
        uint32_t i = loops->first[f], end = loops->first[f + 1];
        loops->first[f] = kept;
        for (; i < end; i++) {
            if (!drop[loops->points[i]])
                loops->points[kept++] = loops->points[i];
        }
    }
    loops->first[loops->face_count] = loops->total = kept;
}

/* Corners of only two faces lie on the edge between them: those that are in line with its ends are dropped, unless
 * a face would be left with fewer than three corners. */
static tact_status drop_idle(hull_loops *loops, const hull_points *points, const tact_allocator *allocator)
{
    uint32_t n = points->count;
    uint32_t *uses = tact_memory_allocate(allocator, n, sizeof *uses);
    uint32_t *sides = tact_memory_allocate(allocator, n, 2 * sizeof *sides);
    uint32_t *sizes = tact_memory_allocate(allocator, loops->face_count, sizeof *sizes);
    size_t room = (size_t)loops->total + 2;
    uint32_t *spans = tact_memory_allocate(allocator, room, 2 * sizeof *spans);
    bool *drop = tact_memory_allocate(allocator, n, sizeof *drop);
    bool well = uses != NULL && sides != NULL && sizes != NULL && spans != NULL && drop != NULL;
    if (well) {
        for (uint32_t i = 0; i < n; i++) {
            uses[i] = 0;
            drop[i] = false;
        }
        for (uint32_t f = 0; f < loops->face_count; f++) {
            sizes[f] = loops->first[f + 1] - loops->first[f];
            for (uint32_t i = loops->first[f]; i < loops->first[f + 1]; i++) {
                uint32_t p = loops->points[i];
                if (uses[p] < 2)
                    sides[2 * p + uses[p]] = f;
                uses[p]++;
            }
        }
        for (uint32_t f = 0; f < loops->face_count; f++) {
            const uint32_t *loop = loops->points + loops->first[f];
            uint32_t length = loops->first[f + 1] - loops->first[f], first = 0;
            while (first < length && uses[loop[first]] < 3)
                first++;
            for (uint32_t i = 0, steps; first < length && i < length; i += steps) {
                uint32_t from = first + i;
                for (steps = 1; uses[loop[(from + steps) % length]] < 3;)
                    steps++;
                /* Both faces see the edge, in opposite directions: one of them decides. */
                if (steps == 1 || loop[from % length] >= loop[(from + steps) % length])
                    continue;
                uint32_t inner = loop[(from + 1) % length],
                         g = sides[2 * inner] == f ? sides[2 * inner + 1] : sides[2 * inner];
                uint32_t dropped = tact_hull_straighten(points, loop, length, from, steps, drop, spans);
                if (sizes[f] >= dropped + 3 && sizes[g] >= dropped + 3) {
                    sizes[f] -= dropped;
                    sizes[g] -= dropped;
                    continue;
                }
                for (uint32_t k = 1; k < steps; k++)
                    drop[loop[(from + k) % length]] = false;
            }
        }
        prune(loops, drop);
    }
    tact_memory_free(allocator, uses, n, sizeof *uses);
    tact_memory_free(allocator, sides, n, 2 * sizeof *sides);
    tact_memory_free(allocator, sizes, loops->face_count, sizeof *sizes);
    tact_memory_free(allocator, spans, room, 2 * sizeof *spans);
    tact_memory_free(allocator, drop, n, sizeof *drop);
    return well ? TACT_OK : TACT_OUT_OF_MEMORY;
}

tact_status tact_hull_faces_merge(hull_loops *loops, const hull_points *points, const hull_triangles *triangles,
                                  const tact_allocator *allocator)
{
    uint32_t count = triangles->count;
    merger m = {.points = points, .triangles = triangles};
    if (!tact_hull_loops_take(loops, count, 3 * count, allocator))
        return TACT_OUT_OF_MEMORY;
    if (!anything_flat(&m)) {
        keep_triangles(&m, loops);
        return TACT_OK;
    }
    m.face = tact_memory_allocate(allocator, count, sizeof *m.face);
    m.stack = tact_memory_allocate(allocator, count, sizeof *m.stack);
    m.order = tact_memory_allocate(allocator, count, sizeof *m.order);
    m.after = tact_memory_allocate(allocator, points->count, sizeof *m.after);
    bool well = m.face != NULL && m.stack != NULL && m.order != NULL && m.after != NULL;
    if (well)
        merge(&m, loops);
    tact_memory_free(allocator, m.face, count, sizeof *m.face);
    tact_memory_free(allocator, m.stack, count, sizeof *m.stack);
    tact_memory_free(allocator, m.order, count, sizeof *m.order);
    tact_memory_free(allocator, m.after, points->count, sizeof *m.after);
    if (well && drop_idle(loops, points, allocator) == TACT_OK)
        return TACT_OK;
    tact_hull_loops_free(loops, allocator);
    return TACT_OUT_OF_MEMORY;
}
