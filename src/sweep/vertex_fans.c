/*
 * Vertex fans: neighbouring triangles around a vertex that cannot collide, because they stay unfolded during the step.
 *
 * Items that share a vertex always have overlapping bounds, and in a smooth mesh they are most of what a search visits.
 * They are listed once, each pair under a vertex that it shares. If the triangles around that vertex form a ring, one
 * test a step decides all of its pairs.
 *
 * Guarantee: no contact is missed. In projection along an axis, let r[0], r[1], ... be the ring vertices relative to
 * the centre, in order. If the area of r[i] and r[i + 1] is positive all the time, each triangle is in a sector of less
 * than half a turn, all go around the same way, and their angles sum to full turns: always as many as at the start,
 * since the sum changes continuously. If that is one turn, different sectors have nothing in common but the centre and
 * the rays between neighbours. So features of two triangles that share no vertex are separated in projection, and hence
 * in space. (A ring vertex is on a ray, and is not the centre; the edge opposite the centre touches the rays of its
 * sector in its end points alone.)
 * - r is linear in time and an area is a quadratic polynomial: it is positive if its three Bernstein coefficients are.
 *   Differences of coordinates have a relative error of 2^-53. So with X and Y the largest along the two axes each
 *   coefficient has an error of at most 21 2^-53 X Y (the inner one, doubled, is a sum of four products with five
 *   roundings each): FAN_ERROR is three times that.
 * - Turns are counted where the ring goes from below the centre to above it: signs of differences, which are exact.
 *
 * The idea is that of Volino and Magnenat Thalmann 1994 and Provot 1997 ("Collision and self-collision handling in
 * cloth model dedicated to design garments"): a patch whose normals are in a cone. Here there is no contour to test
 * besides. Cost: some 50 ns a fan instead of 300.
 */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "sweep/sweep_internal.h"

/* ---- construction ---- */

/* The two other vertices of a triangle at a slot. */
typedef struct fan_link {
    uint32_t one, other;
} fan_link;

/* Sorts the links around a slot so that each begins where the one before ends; false if that does not make a ring. A
 * ring that passes a vertex twice, or through the centre, never stays unfolded. */
static bool close_ring(fan_link *links, uint32_t count)
{
    if (count > FAN_MAX_TRIANGLES)
        return false;
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t end = links[i - 1].other;
        uint32_t next = i;
        while (next < count && links[next].one != end && links[next].other != end)
            ++next;
        if (next == count)
            return false;
        const uint32_t far = links[next].one == end ? links[next].other : links[next].one;
        links[next] = links[i];
        links[i] = (fan_link){end, far};
    }
    return count > 0 && links[count - 1].other == links[0].one;
}

static void find_links(const mesh_sweep *s, uint32_t *starts, fan_link *links)
{
    memset(starts, 0, ((size_t)s->slot_count + 1) * sizeof *starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < s->item_count; ++i)
            for (unsigned k = 0; k < 3; ++k) {
                const uint32_t *c = s->items[i];
                if (pass == 0)
                    ++starts[c[k]];
                else
                    links[--starts[c[k]]] = (fan_link){c[(k + 1) % 3], c[(k + 2) % 3]};
            }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= s->slot_count; ++i)
            starts[i] = sum += starts[i]; /* the ends, from which the second pass counts down */
    }
}

/* The rings, from the links, which are at `ring_start`. */
static void find_rings(mesh_sweep *s, fan_link *links)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < s->slot_count; ++i) {
        const uint32_t begin = s->ring_start[i], count = s->ring_start[i + 1] - begin;
        s->ring_start[i] = filled;
        if (close_ring(links + begin, count))
            for (uint32_t k = 0; k < count; ++k)
                s->ring_vertices[filled++] = s->slot_vertex[links[begin + k].one];
    }
    s->ring_start[s->slot_count] = filled;
}

/* The slot under which two items that share some are listed: one with a ring, if there is one. */
static uint32_t common_slot(const mesh_sweep *s, uint32_t a, uint32_t b)
{
    uint32_t centre = s->slot_count;
    for (unsigned i = 0; i < 3; ++i)
        for (unsigned j = 0; j < 3; ++j) {
            const uint32_t p = s->items[a][i];
            if (p == s->items[b][j] && (centre == s->slot_count || s->ring_start[p] < s->ring_start[p + 1]))
                centre = p;
        }
    return centre;
}

/* Lists the neighbour pairs of the skeleton, and removes them from there: first counts, then fills. */
static void list_neighbour_pairs(mesh_sweep *s)
{
    moving_tree *tree = &s->tree;
    memset(s->neighbour_pair_start, 0, ((size_t)s->slot_count + 1) * sizeof *s->neighbour_pair_start);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t r = 0; r < tree->skeleton_used; ++r) {
            const skeleton_pair *root = &tree->skeleton[r];
            for (unsigned bit = 0; bit < 16; ++bit) {
                if ((root->adjacent >> bit & 1) == 0)
                    continue;
                const uint32_t a = tree_item(tree->nodes[root->a].child[bit / 4]);
                const uint32_t b = tree_item(tree->nodes[root->b].child[bit % 4]);
                const uint32_t centre = common_slot(s, a, b);
                if (pass == 0)
                    ++s->neighbour_pair_start[centre];
                else
                    memcpy(s->neighbour_pairs[--s->neighbour_pair_start[centre]], (const uint32_t[2]){a, b},
                           sizeof *s->neighbour_pairs);
            }
        }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= s->slot_count; ++i)
            s->neighbour_pair_start[i] = sum += s->neighbour_pair_start[i];
    }
    uint32_t root_count = 0, top_count = 0;
    for (uint32_t r = 0; r < tree->skeleton_used; ++r) {
        skeleton_pair root = tree->skeleton[r];
        root.adjacent = 0;
        if (root.disjoint != 0)
            tree->skeleton[root_count++] = root;
        top_count = r < tree->skeleton_top ? root_count : top_count;
    }
    tree->skeleton_used = root_count;
    tree->skeleton_top = top_count;
}

bool tact_vertex_fans_build(mesh_sweep *s)
{
    const size_t slot_capacity = (size_t)s->slot_count + 1, link_capacity = 3 * (size_t)s->item_count + 1;
    for (uint32_t r = 0; r < s->tree.skeleton_used; ++r)
        for (unsigned near = s->tree.skeleton[r].adjacent; near != 0; near &= near - 1)
            ++s->neighbour_pair_count;
    s->ring_vertices = tact_memory_allocate(&s->allocator, link_capacity, sizeof *s->ring_vertices);
    s->ring_start = tact_memory_allocate(&s->allocator, slot_capacity, sizeof *s->ring_start);
    s->neighbour_pair_start = tact_memory_allocate(&s->allocator, slot_capacity, sizeof *s->neighbour_pair_start);
    s->neighbour_pairs =
        tact_memory_allocate(&s->allocator, (size_t)s->neighbour_pair_count + 1, sizeof *s->neighbour_pairs);
    fan_link *links = tact_memory_allocate(&s->allocator, link_capacity, sizeof *links);
    const bool complete = s->ring_vertices != NULL && s->ring_start != NULL && s->neighbour_pair_start != NULL &&
                          s->neighbour_pairs != NULL && links != NULL;
    if (complete) {
        find_links(s, s->ring_start, links);
        find_rings(s, links);
        list_neighbour_pairs(s);
    }
    tact_memory_free(&s->allocator, links, link_capacity, sizeof *links);
    return complete;
}

void tact_vertex_fans_release(mesh_sweep *s)
{
    const size_t slot_capacity = (size_t)s->slot_count + 1, link_capacity = 3 * (size_t)s->item_count + 1;
    tact_memory_free(&s->allocator, s->ring_vertices, link_capacity, sizeof *s->ring_vertices);
    tact_memory_free(&s->allocator, s->ring_start, slot_capacity, sizeof *s->ring_start);
    tact_memory_free(&s->allocator, s->neighbour_pair_start, slot_capacity, sizeof *s->neighbour_pair_start);
    tact_memory_free(&s->allocator, s->neighbour_pairs, (size_t)s->neighbour_pair_count + 1,
                     sizeof *s->neighbour_pairs);
}

/* ---- test ---- */

/* The ring relative to the centre, by axis, at both ends of the step; the first vertex is repeated at the end. */
typedef struct fan_spokes {
    double at[2][3][FAN_MAX_TRIANGLES + 1];
} fan_spokes;

static void set_spokes(fan_spokes *from, const tact_vec3 *points, int end, uint32_t centre, const uint32_t *ring,
                       uint32_t count)
{
    const tact_vec3 m = points[centre];
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec3 p = points[ring[i]];
        from->at[end][0][i] = p.x - m.x;
        from->at[end][1][i] = p.y - m.y;
        from->at[end][2][i] = p.z - m.z;
    }
    for (int k = 0; k < 3; ++k)
        from->at[end][k][count] = from->at[end][k][0];
}

/* Twice the area around the centre, in projection along an axis at the start: only a hint. */
static double area_along(const fan_spokes *from, int u, int v, uint32_t count)
{
    const double *x = from->at[0][u], *y = from->at[0][v];
    double area = 0.0;
    for (uint32_t i = 0; i < count; ++i)
        area += x[i] * y[i + 1] - y[i] * x[i + 1];
    return area;
}

static inline double max_double(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

/* Do the areas in projection stay positive, and is it one turn? */
static bool turns_once(const double *x0, const double *y0, const double *x1, const double *y1, uint32_t count)
{
    double width = 0.0, height = 0.0, least = INFINITY;
    unsigned turns = 0;
    for (uint32_t i = 0; i < count; ++i) {
        width = max_double(width, max_double(fabs(x0[i]), fabs(x1[i])));
        height = max_double(height, max_double(fabs(y0[i]), fabs(y1[i])));
        const double a = x0[i] * y0[i + 1] - y0[i] * x0[i + 1], c = x1[i] * y1[i + 1] - y1[i] * x1[i + 1];
        const double b = (x0[i] * y1[i + 1] - y0[i] * x1[i + 1]) + (x1[i] * y0[i + 1] - y1[i] * x0[i + 1]);
        least = smaller(least, smaller(b, smaller(a, c)));
        const bool start_above = y0[i] > 0.0 || (y0[i] == 0.0 && x0[i] > 0.0);
        const bool next_above = y0[i + 1] > 0.0 || (y0[i + 1] == 0.0 && x0[i + 1] > 0.0);
        turns += (unsigned)(!start_above && next_above);
    }
    const double extents = width * height;
    return extents > FAN_MIN_EXTENTS && extents < FAN_MAX_EXTENTS && least > FAN_ERROR * extents && turns == 1;
}

/* Do the triangles around a vertex stay unfolded during the step? */
static bool stays_unfolded(const sweep_step *step, uint32_t centre, const uint32_t *ring, uint32_t count)
{
    fan_spokes from;
    set_spokes(&from, step->start, 0, centre, ring, count);
    set_spokes(&from, step->end, 1, centre, ring, count);
    int axis = 0;
    double area = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double along = area_along(&from, (k + 1) % 3, (k + 2) % 3, count);
        if (fabs(along) > fabs(area)) {
            area = along;
            axis = k;
        }
    }
    /* mirrored, if it is clockwise */
    const int u = (axis + (area > 0.0 ? 1 : 2)) % 3, v = (axis + (area > 0.0 ? 2 : 1)) % 3;
    return turns_once(from.at[0][u], from.at[0][v], from.at[1][u], from.at[1][v], count);
}

static bool some_changed(const uint8_t *changed, uint32_t centre, const uint32_t *ring, uint32_t count)
{
    unsigned some = changed[centre];
    for (uint32_t i = 0; i < count; ++i)
        some |= changed[ring[i]];
    return some != 0;
}

void tact_vertex_fans_test(sweep_worker *w, uint32_t first, uint32_t last)
{
    const mesh_sweep *s = w->search->sweep;
    const sweep_step *step = w->search->step;
    const bool skip_unfolded = step->separation == 0.0 && step->decide == NULL && step->bounds == SWEEP_MOVING;
    for (uint32_t p = first; p < last; ++p) {
        const uint32_t *ring = s->ring_vertices + s->ring_start[p], count = s->ring_start[p + 1] - s->ring_start[p];
        if (s->neighbour_pair_start[p] == s->neighbour_pair_start[p + 1])
            continue;
        if (count > 0 && ((step->changed != NULL && !some_changed(step->changed, s->slot_vertex[p], ring, count)) ||
                          (skip_unfolded && stays_unfolded(step, s->slot_vertex[p], ring, count))))
            continue;
        for (uint32_t i = s->neighbour_pair_start[p]; i < s->neighbour_pair_start[p + 1]; ++i)
            w->pairs.visit(w, s->neighbour_pairs[i][0], s->neighbour_pairs[i][1], 0.0f, 1.0f);
    }
}
