/*
 * Disjoint sets of numbers (union-find): parent[i] is a number in the set of i, i itself for the root. The root is the
 * least number of its set, so that the outcome does not depend on the order in which sets are united; paths stay short
 * as each search halves its own.
 */
#ifndef TACT_CORE_UNION_FIND_H
#define TACT_CORE_UNION_FIND_H

#include <stddef.h>
#include <stdint.h>

/* Each number in a set of its own. */
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
