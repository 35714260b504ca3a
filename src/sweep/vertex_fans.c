/*
 * Neighbours that cannot meet: the triangles around a vertex, where they lie like a fan all the way.
 *
 * Things that share a vertex always have bounds that overlap, and in a smooth mesh they are most of what a search looks
 * at. They are listed once, each under a vertex that they share. If the triangles around that one close to a ring, it
 * is a *star*, and one test a step stands for all of its pairs.
 *
 * Guarantee: nothing is left out that touches. Seen along an axis, let the ring be r[0], r[1], ... as seen from the
 * middle, in order. If the area of r[i] and r[i + 1] is positive all the time, each triangle is in a sector of less
 * than half a turn, all go the same way round, and their angles sum up to full turns: as many now as at the beginning,
 * since the sum changes continuously. If that is one, different sectors have nothing in common but the middle and the
 * rays between neighbours, so features of two triangles that share no vertex are apart as seen, and so they are. (A
 * corner is on a ray, and is not the middle; the side across a sector touches the rays in its ends alone.)
 *  - r is linear in time, an area a quadratic polynomial: it is positive if its three Bernstein coefficients are.
 * Differences of the coordinates have an error of 2^-53 of themselves, so with X and Y the largest along the two axes
 * each coefficient is off by at most 21 x 2^-53 X Y (the middle one, doubled, is a sum of four products with five
 * roundings each): STAR_ERROR is three times that.
 *  - A turn is counted where the ring goes from below the middle to above it: signs of differences, which are exact.
 * The idea is Volino's and Provot's (Collision and self-collision handling in cloth model, 1997): a patch with normals
 * in a cone; of the contour they have to look at there is nothing here. Cost: some 50 ns a star instead of 300.
 */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "sweep/sweep_internal.h"

#define STAR_MOST 24          /* triangles: others are tested pair by pair; most have six */
#define STAR_ERROR 0x1p-47    /* of the product of the extents: 64 x 2^-53 */
#define STAR_LEAST 0x1p-900   /* product of the extents: what underflows is then far below the error */
#define STAR_LARGEST 0x1p1000 /* likewise: nothing overflows */

/* ---- making them ---- */

/* The two other corners of a triangle at a place. */
typedef struct link {
    uint32_t one, other;
} link;

/* Puts the links around a place in order, each beginning where the one before ends: false if that does not make a ring.
 * A ring through one corner twice, or through the middle, is none that stays open. */
static bool close_ring(link *links, uint32_t count)
{
    if (count > STAR_MOST)
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
        links[i] = (link){end, far};
    }
    return count > 0 && links[count - 1].other == links[0].one;
}

static void find_links(const mesh_sweep *s, uint32_t *starts, link *links)
{
    memset(starts, 0, ((size_t)s->slot_count + 1) * sizeof *starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < s->item_count; ++i)
            for (unsigned k = 0; k < 3; ++k) {
                const uint32_t *c = s->items[i];
                if (pass == 0)
                    ++starts[c[k]];
                else
                    links[--starts[c[k]]] = (link){c[(k + 1) % 3], c[(k + 2) % 3]};
            }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= s->slot_count; ++i)
            starts[i] = sum += starts[i]; /* the ends, from which the second pass counts down */
    }
}

/* The rings, from the links, which are at `ring_starts`. */
static void find_rings(mesh_sweep *s, link *links)
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

/* The place under which two items that share some are listed: one with a ring, if there is. */
static uint32_t middle_of(const mesh_sweep *s, uint32_t a, uint32_t b)
{
    uint32_t middle = s->slot_count;
    for (unsigned i = 0; i < 3; ++i)
        for (unsigned j = 0; j < 3; ++j) {
            const uint32_t p = s->items[a][i];
            if (p == s->items[b][j] && (middle == s->slot_count || s->ring_start[p] < s->ring_start[p + 1]))
                middle = p;
        }
    return middle;
}

/* Lists what is near in the skeleton, and takes it from there: first counts, then fills. */
static void list_near(mesh_sweep *s)
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
                const uint32_t middle = middle_of(s, a, b);
                if (pass == 0)
                    ++s->neighbour_pair_start[middle];
                else
                    memcpy(s->neighbour_pairs[--s->neighbour_pair_start[middle]], (const uint32_t[2]){a, b},
                           sizeof *s->neighbour_pairs);
            }
        }
        for (uint32_t i = 0, sum = 0; pass == 0 && i <= s->slot_count; ++i)
            s->neighbour_pair_start[i] = sum += s->neighbour_pair_start[i];
    }
    uint32_t kept = 0, kept_top = 0;
    for (uint32_t r = 0; r < tree->skeleton_used; ++r) {
        skeleton_pair root = tree->skeleton[r];
        root.adjacent = 0;
        if (root.disjoint != 0)
            tree->skeleton[kept++] = root;
        kept_top = r < tree->skeleton_top ? kept : kept_top;
    }
    tree->skeleton_used = kept;
    tree->skeleton_top = kept_top;
}

bool tact_vertex_fans_build(mesh_sweep *s)
{
    const size_t room = (size_t)s->slot_count + 1, corner_room = 3 * (size_t)s->item_count + 1;
    for (uint32_t r = 0; r < s->tree.skeleton_used; ++r)
        for (unsigned near = s->tree.skeleton[r].adjacent; near != 0; near &= near - 1)
            ++s->neighbour_pair_count;
    s->ring_vertices = tact_memory_allocate(&s->allocator, corner_room, sizeof *s->ring_vertices);
    s->ring_start = tact_memory_allocate(&s->allocator, room, sizeof *s->ring_start);
    s->neighbour_pair_start = tact_memory_allocate(&s->allocator, room, sizeof *s->neighbour_pair_start);
    s->neighbour_pairs =
        tact_memory_allocate(&s->allocator, (size_t)s->neighbour_pair_count + 1, sizeof *s->neighbour_pairs);
    link *links = tact_memory_allocate(&s->allocator, corner_room, sizeof *links);
    const bool fine = s->ring_vertices != NULL && s->ring_start != NULL && s->neighbour_pair_start != NULL &&
                      s->neighbour_pairs != NULL && links != NULL;
    if (fine) {
        find_links(s, s->ring_start, links);
        find_rings(s, links);
        list_near(s);
    }
    tact_memory_free(&s->allocator, links, corner_room, sizeof *links);
    return fine;
}

void tact_vertex_fans_release(mesh_sweep *s)
{
    const size_t room = (size_t)s->slot_count + 1, corner_room = 3 * (size_t)s->item_count + 1;
    tact_memory_free(&s->allocator, s->ring_vertices, corner_room, sizeof *s->ring_vertices);
    tact_memory_free(&s->allocator, s->ring_start, room, sizeof *s->ring_start);
    tact_memory_free(&s->allocator, s->neighbour_pair_start, room, sizeof *s->neighbour_pair_start);
    tact_memory_free(&s->allocator, s->neighbour_pairs, (size_t)s->neighbour_pair_count + 1,
                     sizeof *s->neighbour_pairs);
}

/* ---- testing them ---- */

/* The ring as seen from the middle, by axis, at both ends of the step; the first one once more at the end. */
typedef struct spokes {
    double at[2][3][STAR_MOST + 1];
} spokes;

static void see_ring(spokes *from, const tact_vec3 *points, int end, uint32_t middle, const uint32_t *ring,
                     uint32_t count)
{
    const tact_vec3 m = points[middle];
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec3 p = points[ring[i]];
        from->at[end][0][i] = p.x - m.x;
        from->at[end][1][i] = p.y - m.y;
        from->at[end][2][i] = p.z - m.z;
    }
    for (int k = 0; k < 3; ++k)
        from->at[end][k][count] = from->at[end][k][0];
}

/* The area around the middle, twice, along an axis at the beginning: not more than a hint. */
static double area_along(const spokes *from, int u, int v, uint32_t count)
{
    const double *x = from->at[0][u], *y = from->at[0][v];
    double area = 0.0;
    for (uint32_t i = 0; i < count; ++i)
        area += x[i] * y[i + 1] - y[i] * x[i + 1];
    return area;
}

static inline double max_double(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

/* Do the areas along an axis stay positive, and is it one turn? */
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
        const bool above = y0[i] > 0.0 || (y0[i] == 0.0 && x0[i] > 0.0);
        const bool next_above = y0[i + 1] > 0.0 || (y0[i + 1] == 0.0 && x0[i + 1] > 0.0);
        turns += (unsigned)(!above && next_above);
    }
    const double extents = width * height;
    return extents > STAR_LEAST && extents < STAR_LARGEST && least > STAR_ERROR * extents && turns == 1;
}

/* Are the triangles around a vertex a fan all the time? */
static bool stays_open(const sweep_step *step, uint32_t middle, const uint32_t *ring, uint32_t count)
{
    spokes from;
    see_ring(&from, step->start, 0, middle, ring, count);
    see_ring(&from, step->end, 1, middle, ring, count);
    int axis = 0;
    double area = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double along = area_along(&from, (k + 1) % 3, (k + 2) % 3, count);
        if (fabs(along) > fabs(area)) {
            area = along;
            axis = k;
        }
    }
    /* from the other side, if it is that way round */
    const int u = (axis + (area > 0.0 ? 1 : 2)) % 3, v = (axis + (area > 0.0 ? 2 : 1)) % 3;
    return turns_once(from.at[0][u], from.at[0][v], from.at[1][u], from.at[1][v], count);
}

static bool some_changed(const uint8_t *changed, uint32_t middle, const uint32_t *ring, uint32_t count)
{
    unsigned some = changed[middle];
    for (uint32_t i = 0; i < count; ++i)
        some |= changed[ring[i]];
    return some != 0;
}

void tact_vertex_fans_test(sweep_worker *w, uint32_t first, uint32_t last)
{
    const mesh_sweep *s = w->search->sweep;
    const sweep_step *step = w->search->step;
    const bool leave_out = step->separation == 0.0 && step->bounds == SWEEP_MOVING;
    for (uint32_t p = first; p < last; ++p) {
        const uint32_t *ring = s->ring_vertices + s->ring_start[p], count = s->ring_start[p + 1] - s->ring_start[p];
        if (s->neighbour_pair_start[p] == s->neighbour_pair_start[p + 1])
            continue;
        if (count > 0 && ((step->changed != NULL && !some_changed(step->changed, s->slot_vertex[p], ring, count)) ||
                          (leave_out && stays_open(step, s->slot_vertex[p], ring, count))))
            continue;
        for (uint32_t i = s->neighbour_pair_start[p]; i < s->neighbour_pair_start[p + 1]; ++i)
            w->pairs.visit(w, s->neighbour_pairs[i][0], s->neighbour_pairs[i][1], 0.0f, 1.0f);
    }
}
