/* What the files of the sweep share. */
#ifndef TACT_SWEEP_SWEEP_INTERNAL_H
#define TACT_SWEEP_SWEEP_INTERNAL_H

#include <stdatomic.h>

#include "ccd/feature_ccd.h"
#include "sweep/sweep.h"
#include "tree/moving_tree.h"

/* Flags of an item, beside its corners: which vertices and edges it stands for (each has one item that does), and
 * whether it is a triangle. Edge k goes from corner k to the next. */
#define SWEEP_ITEM_VERTEX(k) (1u << (k))
#define SWEEP_ITEM_EDGE(k) (8u << (k))
#define SWEEP_ITEM_VERTICES 7u
#define SWEEP_ITEM_EDGES 56u
#define SWEEP_ITEM_FACE 64u

#define SWEEP_MAX_DEFERRED_PAIRS                                                                                       \
    8192 /* pairs of subtrees that are searched by whoever has time: some hundred subtrees have fewer                  \
          */

#define SWEEP_CACHE_PADDING 128 /* bytes: two cache lines, as they are fetched */

#define SWEEP_PAGE_CONTACTS 256 /* contacts that are taken at once: 28 KB */

typedef struct sweep_page {
    sweep_contact contact[SWEEP_PAGE_CONTACTS];
} sweep_page;

/* A contact to be sorted: where it is, page and place in one. */
typedef struct sweep_key {
    double from;
    uint64_t at;
} sweep_key;

struct mesh_sweep {
    uint32_t vertex_count, slot_count, item_count, triangle_count;
    uint32_t (*items)[4]; /* three corners, by place, and flags; in the order of the tree */
    uint32_t *item_ids;   /* of each item: what it was given as */
    uint32_t
        *slot_vertex; /* of each place: which vertex is there. Places are in the order in which the items use them */
    uint32_t *vertex_slot; /* of each vertex: its place; UINT32_MAX: none yet */
    uint32_t *groups;      /* of each item: not 0: is not tested against others of its group; NULL: all 0 */
    sweep_part *parts;     /* as given */
    size_t part_count;
    bool remeshable; /* may triangles change? */
    moving_tree tree;
    uint32_t (*neighbour_pairs)[2]; /* pairs of items that share a vertex, under the place of one that they do
                                       (sweep_stars.c); */
    uint32_t neighbour_pair_count;  /* none if triangles may change: then they are in the skeleton */
    uint32_t *neighbour_pair_start; /* of each place: where its pairs begin in `nears`, and after the last */
    uint32_t *ring_vertices;        /* the vertices around places where these are a ring, in order */
    uint32_t *ring_start;           /* of each place, and after the last */
    moving_point *points;           /* by place */
    moving_frame frame;
    uint8_t *marks;                   /* a byte a node */
    uint8_t *changed;                 /* a byte a place */
    bool has_step;                    /* do points and tree hold a step? */
    moving_slot_pair *deferred_pairs; /* SWEEP_MAX_DEFERRED_PAIRS of them, while searching */
    sweep_page **pages;
    uint32_t *page_counts; /* contacts in each */
    uint32_t page_count, page_capacity;
    sweep_key *keys;    /* of the contacts, in order */
    sweep_key *scratch; /* as many */
    size_t key_count, key_capacity;
    struct sweep_worker *workers; /* one a thread */
    size_t worker_count;
    sweep_contact first; /* SWEEP_EARLIEST */
    bool single;         /* is that the one contact? */
    sweep_counts counts;
    tact_allocator allocator;
};

/* Candidates of one kind on their way to the test. */
typedef struct sweep_block {
    ccd_block points;
    uint32_t index[CCD_BLOCK][4]; /* of the vertices */
    uint32_t face[CCD_BLOCK];
    unsigned count;
} sweep_block;

/* What threads share while they search. */
typedef struct sweep_query {
    mesh_sweep *sweep;
    const sweep_step *step;
    tact_ccd_def def;
    uint32_t deferred_count;
    char padding[SWEEP_CACHE_PADDING]; /* what is written is not in a cache line with what all read all the time */
    atomic_uint_fast32_t next_pair;    /* put aside, taken by whoever comes first */
    atomic_uint_fast32_t next_root;    /* likewise */
    atomic_uint_fast32_t next_fan;     /* likewise, places */
    atomic_uint time_limit;            /* bits of a float, SWEEP_EARLIEST: no earlier than the first contact so far */
    atomic_flag lock;                  /* for pages and their memory */
    atomic_int status;
    uint32_t used_pages;
} sweep_query;

/* One thread's. */
typedef struct sweep_worker {
    sweep_query *search;
    moving_pair_query pairs;
    sweep_block blocks[2]; /* by kind */
    sweep_page *page;
    uint32_t page_number, page_used; /* contacts in it */
    sweep_contact first;             /* SWEEP_EARLIEST */
    bool found;
    bool no_feature_bounds; /* features have no bounds */
    sweep_counts counts;
    char padding[SWEEP_CACHE_PADDING]; /* from the next one */
} sweep_worker;

/* For each pair of items: their pairs of features, by their bounds, to the blocks. A moving_visit_pair.
 * (sweep_features.c) */
void tact_mesh_sweep_test_features(void *worker, uint32_t a, uint32_t b, float enter, float exit);
void tact_mesh_sweep_test_features_avx2(void *worker, uint32_t a, uint32_t b, float enter, float exit);

/* A side of an item, listed under its lower vertex. */
typedef struct sweep_item_edge {
    uint32_t high; /* the other vertex */
    uint32_t item; /* 4 * item + which side */
} sweep_item_edge;

typedef struct feature_assignment_scratch {
    sweep_item_edge *edges;
    uint32_t *edge_start;
    uint8_t *seen;
    size_t edge_capacity, vertex_capacity;
} feature_assignment_scratch;

/* Sets the flags of vertices and edges of all items, whose corners are less than vertex_count. (sweep_represent.c) */
void tact_assign_features(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count,
                          const feature_assignment_scratch *scratch);

/* Memory for that; false, and none is held, when there is none. */
bool tact_feature_assignment_scratch_allocate(feature_assignment_scratch *scratch, uint32_t item_count,
                                              uint32_t vertex_count, const tact_allocator *allocator);
void tact_feature_assignment_scratch_free(feature_assignment_scratch *scratch, const tact_allocator *allocator);

/* The group of an item: that of its part, if its pairs are left out, else 0. False if it has vertices of two. (sweep.c)
 */
bool tact_mesh_sweep_group(const sweep_part *parts, size_t count, const uint32_t corners[3], uint32_t *group);

/* The place of a vertex, a new one if it has none. */
uint32_t tact_mesh_sweep_slot(mesh_sweep *s, uint32_t vertex);

/* Takes from the skeleton what no search needs. (sweep_features.c) */
void tact_mesh_sweep_prune_roots(mesh_sweep *s);

/* Lists the pairs of items that share a vertex by these, and takes them from the skeleton. False without memory.
 * (sweep_stars.c) */
bool tact_vertex_fans_build(mesh_sweep *s);
void tact_vertex_fans_release(mesh_sweep *s);

/* Visits the pairs under the places `first` to `last` - 1, but those that cannot meet. In the default environment. */
void tact_vertex_fans_test(sweep_worker *w, uint32_t first, uint32_t last);

/* Tests what is in a block, and empties it. (sweep_run.c) */
void tact_mesh_sweep_flush(sweep_worker *w, tact_ccd_kind kind);

/* Sorts the keys of the contacts; `scratch` has as many. (sweep_order.c) */
void tact_mesh_sweep_sort(const mesh_sweep *s, sweep_key *keys, sweep_key *scratch, size_t count);

/* Which is reported first. */
bool tact_sweep_contact_before(const sweep_contact *a, const sweep_contact *b);

#endif
