/*
 * The faces of a hull as seen from its middle: how far the hull reaches from there along any direction.
 *
 * With the middle as origin a face n.x <= d is kept as g = n/d: the point t y is inside as long as t (g.y) <= 1 for all
 * faces, so the hull reaches 1 / max g.y times y. (The g are the corners of the polar hull.) In floats, eight at a
 * time: 12 bytes a face, some 15 ns for 36 faces and 75 ns for 400. It says for most overlapping pairs that they
 * overlap (convex/gjk_fast.c) long before a search does. hull_polar_support bounds the rounding. For which pairs it
 * pays to look is told by a table of 48 directions, to a few per cent: half a nanosecond a hull.
 *
 * Only of hulls that are not thin and have not too many faces; others just go without.
 */
#include "core/memory.h"
#include "shape/hull_internal.h"

/* The most faces: looking at all of them is to take less time than a search. */
#define MOST_PLANES 1024u

/* Of the size: a face nearer to the middle than this makes the hull too thin, the rounding of floats would tell too
 * little. */
#define THINNEST 1e-3

/* Of how far away from its origin a hull is: faces nearer to the middle than this are not known much better than floats
 * are. */
#define FARTHEST_OFF 1e-8

/* Sizes for which none of this over- or underflows. */
#define LARGEST_SIZE 1e100
#define SMALLEST_SIZE 1e-100

/* Of the size: the unit of the reach in a cell, so that the largest, which is below sqrt 3, is a byte. */
#define CELL_UNIT (1.0 / 128.0)

/* The middle of a cell is along the sum of its three corners: (1 0 0), (1 1 0) and (1 1 1) as unit vectors, turned and
 * mirrored. */
static void fill_cells(hull *h)
{
    const double size = 1.0 / h->polar_scale, part[3] = {0.2151 * size, 0.4786 * size, 0.8513 * size};
    for (uint32_t cell = 0; cell < HULL_RADIAL_CELLS; cell++) {
        uint32_t xy = cell >> 3 & 1, yz = cell >> 4 & 1, zx = cell >> 5 & 1; /* |x| > |y| and so on */
        double x = part[xy + 1 - zx], y = part[yz + 1 - xy], z = part[zx + 1 - yz];
        double across = hull_polar_support(h, cell & 1 ? -x : x, cell & 2 ? -y : y, cell & 4 ? -z : z);
        h->radial_cells[cell] = (uint8_t)fmin(1.0 / (across * CELL_UNIT), 255.0);
    }
}

tact_status tact_hull_polar_make(hull *h, const tact_allocator *allocator)
{
    uint32_t count = h->face_count, blocks = (count + HULL_VEC8_COUNT - 1) / HULL_VEC8_COUNT;
    double size = 0.0, reach = 0.0, nearest = HUGE_VAL;
    if (h->dimension < 3 || count > MOST_PLANES)
        return TACT_OK;
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        size = fmax(size, vec_max_abs(vec_sub(h->vertices[i], h->centre)));
        reach = fmax(reach, vec_length(h->vertices[i]));
    }
    for (uint32_t i = 0; i < count; i++)
        nearest = fmin(nearest, h->faces[i].offset - vec_dot(h->faces[i].normal, h->centre));
    if (!(size < LARGEST_SIZE && size > SMALLEST_SIZE && nearest > THINNEST * size && nearest > FARTHEST_OFF * reach))
        return TACT_OK;
    h->polar_vertices = tact_memory_allocate(allocator, blocks, sizeof *h->polar_vertices);
    if (h->polar_vertices == NULL)
        return TACT_OUT_OF_MEMORY;
    h->polar_blocks = blocks;
    for (uint32_t i = 0; i < blocks * HULL_VEC8_COUNT; i++) {
        const hull_face *face = &h->faces[i < count ? i : 0];
        double factor = size / (face->offset - vec_dot(face->normal, h->centre));
        hull_vec8 *block = &h->polar_vertices[i / HULL_VEC8_COUNT];
        block->x[i % HULL_VEC8_COUNT] = (float)(face->normal.x * factor);
        block->y[i % HULL_VEC8_COUNT] = (float)(face->normal.y * factor);
        block->z[i % HULL_VEC8_COUNT] = (float)(face->normal.z * factor);
    }
    h->polar_scale = 1.0 / size;
    h->polar_max_component = size / nearest;
    h->radial_cell_unit = CELL_UNIT * size / reach;
    fill_cells(h);
    return TACT_OK;
}

void tact_hull_polar_free(hull *h, const tact_allocator *allocator)
{
    tact_memory_free(allocator, h->polar_vertices, h->polar_blocks, sizeof *h->polar_vertices);
}
