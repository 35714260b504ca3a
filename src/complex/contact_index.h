/*
 * An index of contact points: which stored point is the same as another, and which is the least deep.
 *
 * A list of contacts is short as a rule, and sorted by insertion. Of two meshes of n triangles that all cross it has
 * n^2 points and more, and comparing each with all others would take n^4. So a list that has become long is indexed.
 * Points that are the same are in one cell or in neighbouring ones of a hashed grid over on_a, on_b and the normal (9
 * dimensions; Teschner et al. 2003 hash positions likewise). Cells are many times as wide as what counts as the same:
 * three lookups on average. The least deep point is the top of a heap.
 *
 *     contact_index x = {.compared = 0};
 *     tact_contact_index_begin(&x, allocator, points, count, capacity, distance, extent)
 *     tact_contact_index_has(&x, p)         whether a stored point is the same as p
 *     tact_contact_index_add(&x, p)         stores p, or drops the least deep point
 *     tact_contact_index_finish(&x)         sorts the points, and frees the index
 *
 * Cost: begin O(count), has and add O(log n) on average where few points share a cell without being the same; finish
 * O(n log n). The answers are those of a list that is sorted by insertion, bit for bit.
 */
#ifndef TACT_COMPLEX_CONTACT_INDEX_H
#define TACT_COMPLEX_CONTACT_INDEX_H

#include <tact/query.h>

/* One for each stored point. */
typedef struct contact_index_entry {
    uint64_t hash;
    uint64_t number; /* when it was stored: of equally deep points the first comes first */
    uint32_t next;   /* in its bucket */
    uint32_t order;  /* the heap; the sorted order in the end */
} contact_index_entry;

typedef struct contact_index {
    const tact_allocator *allocator;
    tact_contact_point *points; /* of the caller, in any order */
    size_t capacity, stored;    /* of points */
    double distance;            /* length: points closer than this are the same */
    double reach, cell;         /* length: what is compared, and the width of a cell */
    contact_index_entry *entries;
    uint32_t *buckets;
    size_t entry_capacity, bucket_count;
    uint64_t numbers;  /* given so far */
    uint64_t compared; /* points, so far */
    bool heaped;       /* the list is full: entries[].order is a heap */
} contact_index;

static inline bool contact_index_is_used(const contact_index *x) { return x->entries != NULL; }

/* Whether two contacts are one. */
bool tact_contact_points_same(const tact_contact_point *p, const tact_contact_point *q, double distance);

/* Indexes `count` points in descending order of depth. `extent` bounds their coordinates, up to a factor. False: out of
 * memory, nothing has changed. */
bool tact_contact_index_begin(contact_index *x, const tact_allocator *allocator, tact_contact_point *points,
                              size_t count, size_t capacity, double distance, double extent);

bool tact_contact_index_has(contact_index *x, const tact_contact_point *p);

/* Stores a point; if the list is full, instead of the least deep one, or not at all if it is no deeper. False: out of
 * memory, and the point is not stored: the caller finishes, and goes on without an index. */
bool tact_contact_index_add(contact_index *x, const tact_contact_point *p);

/* Sorts the points by descending depth. Allocates nothing. */
void tact_contact_index_finish(contact_index *x);

/* Frees the index of points that are not needed any more. */
void tact_contact_index_release(contact_index *x);

#endif
