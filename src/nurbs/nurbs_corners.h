/*
 * The triangles of a tessellation by their directed edges. Corner k of triangle i, with the number 3 i + k, stands for
 * the edge from its vertex k to the next one.
 */
#ifndef TACT_NURBS_NURBS_CORNERS_H
#define TACT_NURBS_NURBS_CORNERS_H

#include <string.h>

#include "core/hash.h"
#include "nurbs/nurbs_tessellation.h"

/* No corner, vertex or edge. */
#define NURBS_NONE UINT32_MAX

/* The corner of each directed edge. */
typedef struct corner_map {
    uint64_t *keys; /* 0: empty */
    uint32_t *corners;
    size_t capacity; /* a power of two */
} corner_map;

static inline bool corner_map_init(corner_map *map, size_t triangles, const tact_allocator *allocator)
{
    for (map->capacity = 16; map->capacity < 6 * triangles;)
        map->capacity *= 2;
    map->keys = tact_memory_allocate(allocator, map->capacity, sizeof *map->keys);
    map->corners = tact_memory_allocate(allocator, map->capacity, sizeof *map->corners);
    if (map->keys != NULL)
        memset(map->keys, 0, map->capacity * sizeof *map->keys);
    return map->keys != NULL && map->corners != NULL;
}

static inline void corner_map_release(corner_map *map, const tact_allocator *allocator)
{
    tact_memory_free(allocator, map->keys, map->capacity, sizeof *map->keys);
    tact_memory_free(allocator, map->corners, map->capacity, sizeof *map->corners);
    *map = (corner_map){0};
}

/* The entry of the edge from a to b, or the empty one where it belongs. The vertices differ, so no key is 0. */
static inline size_t corner_map_find(const corner_map *map, uint32_t a, uint32_t b)
{
    const uint64_t key = (uint64_t)a << 32 | b;
    size_t i = (size_t)hash_mix(key) & (map->capacity - 1);
    while (map->keys[i] != 0 && map->keys[i] != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

static inline uint32_t corner_from(const nurbs_tessellation *t, uint32_t corner)
{
    return t->triangles.items[corner / 3].vertex[corner % 3];
}

static inline uint32_t next_corner(uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

/* Adds the edges of triangles. Returns how many were there already. */
static inline size_t corner_map_fill(corner_map *map, const nurbs_tessellation *t, uint32_t first, uint32_t end)
{
    size_t repeated = 0;
    for (uint32_t corner = 3 * first; corner < 3 * end; corner++) {
        const uint32_t a = corner_from(t, corner), b = corner_from(t, next_corner(corner));
        const size_t entry = corner_map_find(map, a, b);
        repeated += map->keys[entry] != 0;
        map->keys[entry] = (uint64_t)a << 32 | b;
        map->corners[entry] = corner;
    }
    return repeated;
}

/* The corner with the opposite edge, or NURBS_NONE. */
static inline uint32_t opposite_corner(const corner_map *map, const nurbs_tessellation *t, uint32_t corner)
{
    const size_t entry = corner_map_find(map, corner_from(t, next_corner(corner)), corner_from(t, corner));
    return map->keys[entry] != 0 ? map->corners[entry] : NURBS_NONE;
}

/* The first triangle of a surface, or of the first one after it that has any. */
static inline uint32_t surface_triangle(const nurbs_tessellation *t, uint32_t surface)
{
    for (uint32_t c = t->first_cell[t->model->first_patch[surface]]; c < t->cells.count; c++)
        if (t->cells.items[c].first_child == 0) /* all leaves have a first triangle */
            return t->cells.items[c].first_triangle;
    return (uint32_t)t->triangles.count;
}

#endif
