/*
 * Disjoint sets (union-find) over an array of parents, with path halving. parent[i] is another member of the set of i,
 * or i itself for the root. The root is always the smallest member, so the result does not depend on the order of the
 * unions.
 */
#ifndef TACT_CORE_UNION_FIND_H
#define TACT_CORE_UNION_FIND_H

#include <stddef.h>
#include <stdint.h>

/* Makes every element a set of its own. */
static inline void union_find_init(uint32_t *parent, size_t count)
{
    for (size_t i = 0; i < count; i++)
        parent[i] = (uint32_t)i;
}

static inline uint32_t union_find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void union_find_unite(uint32_t *parent, uint32_t i, uint32_t j)
{
    if (parent[i] == parent[j])
        return;
    i = union_find_root(parent, i);
    j = union_find_root(parent, j);
    parent[i > j ? i : j] = i > j ? j : i;
}

#endif
