/* The data shared by the files of the mesh sweep. */
#ifndef TACT_SWEEP_SWEEP_INTERNAL_H
#define TACT_SWEEP_SWEEP_INTERNAL_H

#include <stdatomic.h>

#include "ccd/feature_ccd.h"
#include "sweep/sweep.h"
#include "sweep/sweep_constants.h"
#include "tree/moving_tree.h"

/* Flags of an item, beside its vertices: which vertices and edges are assigned to it (each to exactly one item), and
 * whether it is a triangle. Edge k goes from vertex k to the next. */
#define SWEEP_ITEM_VERTEX(k) (1u << (k))
#define SWEEP_ITEM_EDGE(k) (8u << (k))
#define SWEEP_ITEM_VERTICES 7u
#define SWEEP_ITEM_EDGES 56u
#define SWEEP_ITEM_FACE 64u

typedef struct sweep_page {
    sweep_contact contact[SWEEP_PAGE_CONTACTS];
} sweep_page;

/* A contact to be sorted: its page and its index there, in one number. */
typedef struct sweep_key {
    double lower; /* of its bracket */
    uint64_t at;
} sweep_key;

struct mesh_sweep {
    uint32_t vertex_count, slot_count, item_count, triangle_count;
    uint32_t (*items)[4]; /* three vertex slots and flags; in the order of the tree */
    uint32_t *item_ids;   /* of each item: its index in the def */
    /* of each slot: its vertex. Slots are in the order in which the items use them */
    uint32_t *slot_vertex;
    uint32_t *vertex_slot; /* of each vertex: its slot; UINT32_MAX: none yet */
    uint32_t *groups;      /* of each item: not 0: not tested against others of its group; NULL: all 0 */
    sweep_part *parts;     /* as given */
    size_t part_count;
    bool remeshable; /* may triangles change? */
    moving_tree tree;
    /* Pairs of items that share a vertex, under the slot of one such vertex (vertex_fans.c). None if triangles may
     * change: they are in the skeleton then. */
    uint32_t (*neighbour_pairs)[2];
    uint32_t neighbour_pair_count;
    uint32_t *neighbour_pair_start; /* of each slot, and after the last: where its pairs begin in neighbour_pairs */
    uint32_t *ring_vertices;        /* the vertices around slots where they form a ring, in order */
    uint32_t *ring_start;           /* of each slot, and after the last */
    moving_point *points;           /* by slot */
    moving_frame frame;
    uint8_t *marks;     /* one for each node */
    uint8_t *changed;   /* one for each slot */
    bool changed_clear; /* are these all 0? */
    bool has_step;      /* do points and tree hold a step? */
    /* Steps in which few vertices change (changed_items.c): */
    uint32_t *slot_items, *slot_item_start; /* the items of each slot; NULL: not listed yet */
    uint8_t *item_changed;                  /* one for each item */
    uint32_t few_vertices[SWEEP_FEW_VERTICES], few_items[SWEEP_FEW_ITEMS];
    uint32_t few_vertex_count, few_item_count;
    moving_slot_pair *deferred_pairs; /* SWEEP_MAX_DEFERRED_PAIRS of them, during a search */
    sweep_page **pages;
    uint32_t *page_counts; /* contacts in each */
    uint32_t page_count, page_capacity;
    sweep_key *keys;    /* of the contacts, in order */
    sweep_key *scratch; /* as many */
    size_t key_count, key_capacity;
    struct sweep_worker *workers; /* one for each thread */
    size_t worker_count;
    sweep_contact first; /* SWEEP_EARLIEST */
    bool single;         /* is `first` the only contact? */
    sweep_counts counts;
    tact_allocator allocator;
};

/* Candidate pairs of one kind for the block filter. */
typedef struct sweep_block {
    ccd_block points;
    uint32_t index[CCD_BLOCK][4]; /* of the vertices */
    uint32_t face[CCD_BLOCK];
    unsigned count;
} sweep_block;

/* Adds a pair to a block that is not full, with its window. */
static inline void sweep_block_add(sweep_block *block, const tact_vec3 *start, const tact_vec3 *end,
                                   const uint32_t index[4], uint32_t face, float enter, float exit)
{
    const unsigned lane = block->count++;
    for (int k = 0; k < 4; ++k) {
        const tact_vec3 *x0 = &start[index[k]], *x1 = &end[index[k]];
        block->index[lane][k] = index[k];
        block->points.start[k][0][lane] = x0->x;
        block->points.start[k][1][lane] = x0->y;
        block->points.start[k][2][lane] = x0->z;
        block->points.end[k][0][lane] = x1->x;
        block->points.end[k][1][lane] = x1->y;
        block->points.end[k][2][lane] = x1->z;
    }
    block->face[lane] = face;
    block->points.enter[lane] = (double)enter;
    block->points.exit[lane] = (double)exit;
}

/* Feature pairs of one kind that two items have at most: nine pairs of edges. */
#define SWEEP_MAX_FEATURE_PAIRS 9

/* A pair of features of two items whose bounds overlap, to be tested by its own bounds. */
typedef struct sweep_feature_pair {
    uint32_t slots[4]; /* of the vertices: of a face and then of the vertex; or of two edges */
    uint32_t item;     /* of the face */
    float enter, exit; /* its window */
    uint32_t unused;   /* so that it is a power of two in size */
} sweep_feature_pair;

/* Feature pairs of one kind. They are tested together, so that the result of one test does not delay the next by a
 * wrong branch prediction. */
typedef struct sweep_feature_queue {
    sweep_feature_pair pairs[SWEEP_FEATURE_QUEUE + SWEEP_MAX_FEATURE_PAIRS];
    unsigned count;
} sweep_feature_queue;

/* The canonical form of a pair of edges, from p to q and from u to v: each with its lower vertex first, the lower edge
 * first. */
static inline void sweep_order_edges(uint32_t p, uint32_t q, uint32_t u, uint32_t v, uint32_t ordered[4])
{
    const uint32_t p0 = p < q ? p : q, p1 = p < q ? q : p, u0 = u < v ? u : v, u1 = u < v ? v : u;
    const bool first = p0 < u0 || (p0 == u0 && p1 < u1);
    ordered[0] = first ? p0 : u0;
    ordered[1] = first ? p1 : u1;
    ordered[2] = first ? u0 : p0;
    ordered[3] = first ? u1 : p1;
}

/* State shared by the threads of a search. */
typedef struct sweep_query {
    mesh_sweep *sweep;
    const sweep_step *step;
    tact_ccd_def def;
    uint32_t deferred_count;
    const uint32_t (*item_pairs)[2]; /* to be tested instead of those that the tree finds, unless NULL */
    size_t item_pair_count;
    char padding[SWEEP_CACHE_PADDING]; /* keeps what is written out of the cache line of what all threads read */
    atomic_uint_fast32_t next_pair;    /* next deferred pair to take */
    atomic_size_t next_item_pair;
    atomic_uint_fast32_t next_root; /* next root of the skeleton */
    atomic_uint_fast32_t next_fan;  /* next slot with neighbour pairs */
    atomic_uint time_limit;         /* bits of a float; SWEEP_EARLIEST: not before the first contact so far */
    atomic_flag lock;               /* for pages and their memory */
    atomic_int status;
    uint32_t used_pages;
} sweep_query;

/* State of one thread. */
typedef struct sweep_worker {
    sweep_query *search;
    moving_pair_query pairs;
    sweep_feature_queue queues[2]; /* by kind */
    sweep_block blocks[2];         /* by kind */
    sweep_page *page;
    uint32_t page_number, page_used; /* contacts in it */
    sweep_contact first;             /* SWEEP_EARLIEST */
    bool found;
    bool no_feature_bounds; /* do not test the bounds of features */
    sweep_counts counts;
    char padding[SWEEP_CACHE_PADDING]; /* keeps workers out of each other's cache lines */
} sweep_worker;

/* Adds the feature pairs of two items to the queues. A moving_visit_pair. (feature_pairs.c) */
void tact_mesh_sweep_add_features(void *worker, uint32_t a, uint32_t b, float enter, float exit);

/* Tests the feature pairs in a queue by their bounds, adds candidates to the blocks, and empties the queue. */
void tact_mesh_sweep_test_features(sweep_worker *w, tact_ccd_kind kind);
void tact_mesh_sweep_test_features_avx2(sweep_worker *w, tact_ccd_kind kind);

/* Adds the feature pairs of pairs of items whose bounds overlap, of those given. */
void tact_mesh_sweep_test_items(sweep_worker *w, const uint32_t (*pairs)[2], size_t count);
void tact_mesh_sweep_test_items_avx2(sweep_worker *w, const uint32_t (*pairs)[2], size_t count);

/* An edge of an item, listed under its lower vertex. */
typedef struct sweep_item_edge {
    uint32_t high; /* the other vertex */
    uint32_t item; /* 4 * item + edge number */
} sweep_item_edge;

typedef struct feature_assignment_scratch {
    sweep_item_edge *edges;
    uint32_t *edge_start;
    uint8_t *seen;
    size_t edge_capacity, vertex_capacity;
} feature_assignment_scratch;

/* Sets the flags of assigned vertices and edges of all items, whose vertices are less than vertex_count.
 * (feature_assignment.c) */
void tact_assign_features(uint32_t (*items)[4], uint32_t item_count, uint32_t vertex_count,
                          const feature_assignment_scratch *scratch);

/* Memory for that; false if memory is out, and then none is held. */
bool tact_feature_assignment_scratch_allocate(feature_assignment_scratch *scratch, uint32_t item_count,
                                              uint32_t vertex_count, const tact_allocator *allocator);
void tact_feature_assignment_scratch_free(feature_assignment_scratch *scratch, const tact_allocator *allocator);

/* The group of an item: that of its part if self-contacts of it are off, otherwise 0. False if it has vertices of two
 * parts. (sweep.c) */
bool tact_mesh_sweep_group(const sweep_part *parts, size_t count, const uint32_t indices[3], uint32_t *group);

/* The slot of a vertex; a new one if it has none. */
uint32_t tact_mesh_sweep_slot(mesh_sweep *s, uint32_t vertex);

/* Removes from the skeleton pairs without feature pairs. (feature_pairs.c) */
void tact_mesh_sweep_prune_roots(mesh_sweep *s);

/* Lists the pairs of items that share a vertex under such a vertex, and removes them from the skeleton. False if memory
 * is out. (vertex_fans.c) */
bool tact_vertex_fans_build(mesh_sweep *s);
void tact_vertex_fans_release(mesh_sweep *s);

/* Visits the pairs under the slots `first` to `last` - 1, except those in fans that cannot collide. In the default
 * floating-point environment. */
void tact_vertex_fans_test(sweep_worker *w, uint32_t first, uint32_t last);

/* If few vertices change: lists them and their items. False: the long way must be taken. (changed_items.c) */
bool tact_mesh_sweep_find_few(mesh_sweep *s, const uint8_t *changed);
/* Sets their points and refits the tree. */
void tact_mesh_sweep_refit_few(mesh_sweep *s, const sweep_step *step);
/* Visits the pairs of their items. */
void tact_mesh_sweep_search_few(sweep_worker *w);
void tact_mesh_sweep_forget_few(mesh_sweep *s);
void tact_mesh_sweep_free_slot_items(mesh_sweep *s);

/* Fans with as many triangles each. `ring` are the vertices around the centre, in order. */
typedef struct fan_block {
    uint32_t centre[FAN_LANES];
    const uint32_t *ring[FAN_LANES];
} fan_block;

/* Do the triangles around a vertex stay unfolded, if coordinates deviate by at most `deviation` from straight lines? A
 * bit for each fan; they have `count` triangles, at most FAN_MAX_TRIANGLES. (fan_test.c) */
unsigned tact_fans_stay_unfolded(const tact_vec3 *start, const tact_vec3 *end, const fan_block *fans, uint32_t count,
                                 double deviation);
unsigned tact_fans_stay_unfolded_avx2(const tact_vec3 *start, const tact_vec3 *end, const fan_block *fans,
                                      uint32_t count, double deviation);

/* Tests the candidates of a block, and empties it. (sweep_run.c) */
void tact_mesh_sweep_flush(sweep_worker *w, tact_ccd_kind kind);

/* Sorts the keys of the contacts; `scratch` has as many. (contact_order.c) */
void tact_mesh_sweep_sort(const mesh_sweep *s, sweep_key *keys, sweep_key *scratch, size_t count);

#endif
