/* Self-collision beside edges: see the header. */
#include "nurbs/nurbs_self_edges.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/sort.h"
#include "math/vec.h"
#include "nurbs/nurbs_constants.h"
#include "nurbs/nurbs_self.h"

static inline uint64_t key_itself(const uint64_t *key) { return *key; }
RADIX_SORT_OF(sort_keys, uint64_t, key_itself)

void tact_nurbs_self_edges_release(nurbs_self_edges *e, const tact_allocator *allocator)
{
    nurbs_index_array_release(&e->first, allocator);
    nurbs_index_array_release(&e->triangles, allocator);
    nurbs_key_array_release(&e->near, allocator);
    nurbs_key_array_release(&e->scratch, allocator);
    nurbs_index_array_release(&e->visited, allocator);
    nurbs_index_array_release(&e->queue, allocator);
}

/* ---- triangles near sides ---- */

/* Lists the triangles of each vertex. */
static bool list_triangles(nurbs_self_edges *e, const nurbs_tessellation *t)
{
    const size_t vertices = t->vertices.count, corners = 3 * t->triangles.count;
    if (!nurbs_index_array_resize(&e->first, &t->allocator, vertices + 1) ||
        !nurbs_index_array_resize(&e->triangles, &t->allocator, corners))
        return false;
    uint32_t *first = e->first.items;
    memset(first, 0, (vertices + 1) * sizeof *first);
    for (size_t i = 0; i < corners; i++)
        first[t->triangles.items[i / 3].vertex[i % 3]]++;
    for (size_t i = 0, sum = 0; i <= vertices; i++) { /* the end of each list: it is filled from there */
        sum += first[i];
        first[i] = (uint32_t)sum;
    }
    for (size_t i = corners; i-- > 0;)
        e->triangles.items[--first[t->triangles.items[i / 3].vertex[i % 3]]] = (uint32_t)(i / 3);
    return true;
}

static uint32_t valence(const nurbs_self_edges *e, uint32_t vertex)
{
    return e->first.items[vertex + 1] - e->first.items[vertex];
}

static bool has_vertex(const nurbs_triangle *triangle, uint32_t v)
{
    return triangle->vertex[0] == v || triangle->vertex[1] == v || triangle->vertex[2] == v;
}

/* Visits the triangles that have both vertices, which may be equal. */
static bool visit(nurbs_self_edges *e, const nurbs_tessellation *t, uint32_t side, uint32_t v, uint32_t w)
{
    for (uint32_t i = e->first.items[v]; i < e->first.items[v + 1]; i++) {
        const uint32_t triangle = e->triangles.items[i];
        if (e->visited.items[triangle] == side + 1 || !has_vertex(&t->triangles.items[triangle], w))
            continue;
        e->visited.items[triangle] = side + 1;
        if (!nurbs_index_array_push(&e->queue, &t->allocator, triangle) ||
            !nurbs_key_array_push(&e->near, &t->allocator, (uint64_t)triangle << 32 | side))
            return false;
    }
    return true;
}

static double side_reach(const nurbs_tessellation *t, const joined_side *side)
{
    const tact_nurbs_edge *edge = &t->model->edges[side->edge];
    const double tolerance =
        max_double(t->model->tolerances[edge->surface[0]].surface, t->model->tolerances[edge->surface[1]].surface);
    return 0.5 * NURBS_SELF_NEIGHBOUR * max_double(tolerance, t->error);
}

static bool find_near(nurbs_self_edges *e, const nurbs_tessellation *t, uint32_t number)
{
    const joined_side *side = &t->edge_join->sides.items[number];
    const tact_vec3 begin = t->positions[side->vertex[0]],
                    along = vec_sub(t->positions[side->vertex[1]], t->positions[side->vertex[0]]);
    const double reach = side_reach(t, side), square = reach * reach;
    e->queue.count = 0;
    bool fine =
        visit(e, t, number, side->vertex[0], side->vertex[0]) && visit(e, t, number, side->vertex[1], side->vertex[1]);
    for (size_t i = 0; i < e->queue.count && fine; i++) {
        const uint32_t *vertex = t->triangles.items[e->queue.items[i]].vertex;
        for (int k = 0; k < 3 && fine; k++) {
            const uint32_t v = vertex[k], w = vertex[(k + 1) % 3];
            const tact_vec3 p = t->positions[v];
            const tact_vec3 none = {0.0, 0.0, 0.0};
            if (tact_nurbs_segments_square(p, none, begin, along) <= square)
                fine = visit(e, t, number, v, v);
            else if (tact_nurbs_segments_square(p, vec_sub(t->positions[w], p), begin, along) <= square)
                fine = valence(e, v) < valence(e, w) ? visit(e, t, number, v, w) : visit(e, t, number, w, v);
        }
    }
    return fine;
}

bool tact_nurbs_self_edges_update(nurbs_self_edges *e, const nurbs_bounds *b)
{
    const nurbs_tessellation *t = b->t;
    if (t->edge_join == NULL || e->version == b->version)
        return true;
    e->version = 0;
    if (e->cells_version != b->cells_version) {
        e->cells_version = 0;
        if (!list_triangles(e, t))
            return false;
        e->cells_version = b->cells_version;
    }
    e->near.count = 0;
    if (!nurbs_index_array_resize(&e->visited, &t->allocator, t->triangles.count))
        return false;
    memset(e->visited.items, 0, t->triangles.count * sizeof *e->visited.items);
    for (uint32_t i = 0; i < t->edge_join->sides.count; i++)
        if (!find_near(e, t, i))
            return false;
    if (!nurbs_key_array_resize(&e->scratch, &t->allocator, e->near.count))
        return false;
    const uint64_t *sorted = sort_keys(e->near.items, e->scratch.items, e->near.count);
    if (sorted != e->near.items)
        memcpy(e->near.items, sorted, e->near.count * sizeof *sorted);
    e->version = b->version;
    return true;
}

/* ---- contacts ---- */

/* Two triangles, and the sides that both are near to: those where the entries of both lists agree. */
typedef struct edge_contact {
    const nurbs_self_edges *e;
    const nurbs_tessellation *t;
    const tact_vec3 *other;
    double distance;
    size_t first[2]; /* of each triangle in `near` */
    long pieces;
} edge_contact;

static size_t first_near(const nurbs_self_edges *e, uint32_t triangle)
{
    size_t low = 0, high = e->near.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (e->near.items[middle] >> 32 < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next side that both triangles are near to, after those that `at` has passed. NULL: none. */
static const joined_side *next_side(const edge_contact *c, size_t at[2])
{
    const nurbs_key_array *near = &c->e->near;
    const uint64_t *a = near->items + c->first[0], *b = near->items + c->first[1];
    for (;;) {
        if (c->first[0] + at[0] >= near->count || c->first[1] + at[1] >= near->count || a[at[0]] >> 32 != a[0] >> 32 ||
            b[at[1]] >> 32 != b[0] >> 32)
            return NULL;
        const uint32_t x = (uint32_t)a[at[0]], y = (uint32_t)b[at[1]];
        at[0] += x <= y;
        at[1] += y <= x;
        if (x == y)
            return &c->t->edge_join->sides.items[x];
    }
}

/* How far the first point of neighbours may be from a side: then the second one is within its reach. */
static double limit_of(const edge_contact *c, const joined_side *side) { return side_reach(c->t, side) - c->distance; }

static double longest_side(const tact_vec3 p[3], int *longest)
{
    double length = -1.0;
    for (int k = 0; k < 3; k++) {
        const double next = vec_length_safe(vec_sub(p[(k + 1) % 3], p[k]));
        if (next > length) {
            length = next;
            *longest = k;
        }
    }
    return length;
}

/* Has a piece of the first triangle points in contact that are no neighbours? */
static bool piece_touches(edge_contact *c, const tact_vec3 piece[3])
{
    if (!tact_nurbs_triangles_touch(piece, c->other, c->distance))
        return false;
    size_t at[2] = {0, 0};
    double least = INFINITY;
    for (const joined_side *side; (side = next_side(c, at)) != NULL;) {
        const tact_vec3 begin = c->t->positions[side->vertex[0]], end = c->t->positions[side->vertex[1]];
        const double limit = limit_of(c, side);
        double farthest = 0.0, unused;
        for (int k = 0; k < 3; k++)
            farthest = max_double(farthest, tact_nurbs_distance_to_segment(piece[k], begin, end, &unused));
        if (farthest <= limit)
            return false;
        least = limit > 0.0 ? number_min(least, limit) : least;
    }
    int k = 0;
    if (!(longest_side(piece, &k) > 0.25 * least) || ++c->pieces > NURBS_SELF_BUDGET)
        return true;
    const tact_vec3 from = piece[k], to = piece[(k + 1) % 3], far = piece[(k + 2) % 3],
                    middle = vec_mul_add(from, 0.5, vec_sub(to, from));
    return piece_touches(c, (tact_vec3[3]){from, middle, far}) || piece_touches(c, (tact_vec3[3]){middle, to, far});
}

/* Keeps the part of a convex polygon where (p - origin) . along >= least. Returns its number of vertices. */
static int clip(const tact_vec3 *p, int count, tact_vec3 origin, tact_vec3 along, double least, tact_vec3 *out)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const tact_vec3 next = p[(k + 1) % count];
        const double here = vec_dot(vec_sub(p[k], origin), along) - least,
                     there = vec_dot(vec_sub(next, origin), along) - least;
        if (here >= 0.0)
            out[kept++] = p[k];
        if ((here > 0.0 && there < 0.0) || (here < 0.0 && there > 0.0))
            out[kept++] = vec_mul_add(p[k], here / (here - there), vec_sub(next, p[k]));
    }
    return kept;
}

static bool polygon_touches(edge_contact *c, const tact_vec3 *p, int count)
{
    for (int k = 2; k < count; k++)
        if (piece_touches(c, (tact_vec3[3]){p[0], p[k - 1], p[k]}))
            return true;
    return false;
}

/* A triangle that has a side as its edge k: what is beside the side counts as neighbour at once, however long it is. */
static bool triangle_touches_beyond(edge_contact *c, const tact_vec3 p[3], int k, double limit)
{
    const tact_vec3 begin = p[k], end = p[(k + 1) % 3], far = p[(k + 2) % 3];
    const double length = vec_length_safe(vec_sub(end, begin));
    const tact_vec3 along = vec_scale(vec_sub(end, begin), 1.0 / length), back = vec_scale(along, -1.0),
                    way = vec_sub(far, begin), up = vec_mul_add(way, -vec_dot(way, along), along);
    const double height = vec_length_safe(up);
    if (!(limit > 0.0) || !(length > 0.0) || !(height > limit))
        return piece_touches(c, p);
    const tact_vec3 across = vec_scale(up, 1.0 / height), down = vec_scale(across, -1.0);
    tact_vec3 above[8], below[8], part[8];
    const int high = clip(p, 3, begin, across, limit, above), low = clip(p, 3, begin, down, -limit, below);
    return polygon_touches(c, above, high) || polygon_touches(c, part, clip(below, low, begin, back, 0.0, part)) ||
           polygon_touches(c, part, clip(below, low, end, along, 0.0, part));
}

/* Whether vertices of a triangle are those of a side, and then which edge of it. */
static bool has_side(const nurbs_triangle *triangle, const joined_side *side, int *edge)
{
    for (int k = 0; k < 3; k++) {
        const uint32_t v = triangle->vertex[k], w = triangle->vertex[(k + 1) % 3];
        if ((v == side->vertex[0] && w == side->vertex[1]) || (v == side->vertex[1] && w == side->vertex[0])) {
            *edge = k;
            return true;
        }
    }
    return false;
}

static void corners_of(const nurbs_tessellation *t, uint32_t triangle, tact_vec3 out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = t->positions[t->triangles.items[triangle].vertex[k]];
}

static bool triangles_touch_beyond(const nurbs_self_edges *e, const nurbs_tessellation *t, uint32_t a, uint32_t b,
                                   double distance)
{
    tact_vec3 p[3], q[3];
    corners_of(t, a, p);
    corners_of(t, b, q);
    if (!tact_nurbs_triangles_touch(p, q, distance))
        return false;
    edge_contact c = {.e = e, .t = t, .other = q, .distance = distance, .first = {first_near(e, a), first_near(e, b)}};
    const uint64_t *near = e->near.items;
    if (c.first[0] == e->near.count || near[c.first[0]] >> 32 != a || c.first[1] == e->near.count ||
        near[c.first[1]] >> 32 != b)
        return true;
    size_t at[2] = {0, 0};
    int k;
    for (const joined_side *side; (side = next_side(&c, at)) != NULL;)
        if (has_side(&t->triangles.items[a], side, &k))
            return triangle_touches_beyond(&c, p, k, limit_of(&c, side));
    return piece_touches(&c, p);
}

bool tact_nurbs_leaves_touch_beyond_edges(const nurbs_self_edges *e, const nurbs_bounds *bounds, uint32_t a, uint32_t b)
{
    const nurbs_tessellation *t = bounds->t;
    const nurbs_cell *p = &t->cells.items[a], *q = &t->cells.items[b];
    double slack_p, slack_q, unused;
    tact_nurbs_patch_slack(bounds, p->patch, &slack_p, &unused);
    tact_nurbs_patch_slack(bounds, q->patch, &slack_q, &unused);
    const double distance =
        p->error + q->error + 2.0 * (slack_p + slack_q) + bounds->gap[p->patch] + bounds->gap[q->patch];
    for (uint32_t i = p->first_triangle; i < p->first_triangle + p->triangle_count; i++)
        for (uint32_t j = q->first_triangle; j < q->first_triangle + q->triangle_count; j++)
            if (triangles_touch_beyond(e, t, i, j, distance))
                return true;
    return p->triangle_count == 0 || q->triangle_count == 0;
}
