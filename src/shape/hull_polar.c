/*
 * The polar hull: how far a hull extends from its centre along any direction.
 *
 * With the centre as origin a face n.x <= d is stored as g = n/d. The point t y is inside as long as t (g.y) <= 1 for
 * all faces, so the hull extends to y / max g.y. (The g are the vertices of the polar hull, and max g.y is its support
 * function.) In floats, eight at a time: 12 bytes a face, some 15 ns for 36 faces and 75 ns for 400. For most
 * overlapping pairs this proves the overlap (convex/gjk_fast.c) long before GJK does. hull_polar_support bounds the
 * rounding error. A table of radii along 48 directions, good to a few per cent and read in half a nanosecond, says for
 * which pairs it pays.
 *
 * Only hulls that are not thin and have not too many faces get polar vertices.
 */
#include "core/memory.h"
#include "core/number.h"
#include "shape/hull_internal.h"

/* The centre of a cell is along the sum of its three corner directions: (1 0 0), (1 1 0) and (1 1 1) as unit vectors,
 * permuted and mirrored. */
static void fill_radial_cells(hull *h)
{
    const double size = 1.0 / h->polar_scale, component[3] = {0.2151 * size, 0.4786 * size, 0.8513 * size};
    for (uint32_t cell = 0; cell < HULL_RADIAL_CELLS; cell++) {
        uint32_t xy = cell >> 3 & 1, yz = cell >> 4 & 1, zx = cell >> 5 & 1; /* |x| > |y| and so on */
        double x = component[xy + 1 - zx], y = component[yz + 1 - xy], z = component[zx + 1 - yz];
        double polar = hull_polar_support(h, cell & 1 ? -x : x, cell & 2 ? -y : y, cell & 4 ? -z : z);
        h->radial_cells[cell] = (uint8_t)number_min(1.0 / (polar * HULL_RADIAL_UNIT), 255.0);
    }
}

tact_status tact_hull_polar_make(hull *h, const tact_allocator *allocator)
{
    uint32_t count = h->face_count, blocks = (count + HULL_VEC8_COUNT - 1) / HULL_VEC8_COUNT;
    double size = 0.0, radius = 0.0, nearest = HUGE_VAL;
    if (h->dimension < 3 || count > HULL_POLAR_MAX_FACES)
        return TACT_OK;
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        size = number_max(size, vec_max_abs(vec_sub(h->vertices[i], h->centre)));
        radius = number_max(radius, vec_length(h->vertices[i]));
    }
    for (uint32_t i = 0; i < count; i++)
        nearest = number_min(nearest, h->faces[i].offset - vec_dot(h->faces[i].normal, h->centre));
    if (!(size < HULL_POLAR_MAX_SIZE && size > HULL_POLAR_MIN_SIZE && nearest > HULL_POLAR_MIN_THICKNESS * size &&
          nearest > HULL_POLAR_MIN_RELATIVE_THICKNESS * radius))
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
    h->radial_cell_unit = HULL_RADIAL_UNIT * size / radius;
    fill_radial_cells(h);
    return TACT_OK;
}

void tact_hull_polar_free(hull *h, const tact_allocator *allocator)
{
    tact_memory_free(allocator, h->polar_vertices, h->polar_blocks, sizeof *h->polar_vertices);
}
