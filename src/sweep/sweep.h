/*
 * All contacts of deforming meshes in one linear step: every vertex-face and edge-edge pair that collides while every
 * vertex moves straight from one position to another.
 *
 * Any number of meshes form one scene with one array of vertices: triangles, edges without faces, free points. Contacts
 * inside a mesh and between meshes are found alike; self-contacts of a part can be switched off. Pairs that share a
 * vertex do not count. The contacts are exact (tact/ccd.h): every pair that collides, and no other, each once, in an
 * order that depends on the input alone.
 *
 *     sweep_def def = sweep_def_default();   def.triangles = ...
 *     status = tact_mesh_sweep_create(&s, &def);
 *     sweep_step step = sweep_step_default();   step.start = ..., step.end = ...
 *     status = tact_mesh_sweep_run(s, &step);
 *     for (size_t i = 0; i < tact_mesh_sweep_count(s); i++)
 *         const sweep_contact *c = tact_mesh_sweep_contact(s, i);
 *
 * A mesh sweep is used by one thread at a time; it parallelizes its own work. Candidate pairs are not stored: they go
 * from the tree to the exact test in blocks of eight.
 */
#ifndef TACT_SWEEP_SWEEP_H
#define TACT_SWEEP_SWEEP_H

#include <stdint.h>
#include <tact/allocator.h>
#include <tact/ccd.h>

typedef struct mesh_sweep mesh_sweep;

/* The vertices up to vertex_end - 1, from where the part before ended. */
typedef struct sweep_part {
    uint32_t vertex_end;
    bool no_self_collision; /* pairs inside this part are not tested */
} sweep_part;

/* As the first vertex of a triangle: the triangle does not exist. */
#define SWEEP_ABSENT UINT32_MAX

typedef struct sweep_def {
    const tact_vec3 *vertices; /* initial positions: the tree is good if steps begin near them; not kept */
    size_t vertex_count;
    /* vertex indices; repeated and degenerate triangles are allowed; copied, as all that follows */
    const uint32_t (*triangles)[3];
    size_t triangle_count;
    const uint32_t (*edges)[2]; /* edges without faces; others do no harm */
    size_t edge_count;
    const uint32_t *points; /* points in no triangle or edge; others do no harm */
    size_t point_count;
    /* the last one ends at vertex_count, and no element has vertices of two parts; NULL: one part */
    const sweep_part *parts;
    size_t part_count;
    /* May triangles change later (tact_mesh_sweep_set_triangles)? Then some may be SWEEP_ABSENT now. Steps take a
     * tenth longer. Those of smooth cloth, whose neighbours are then tested one by one (vertex_fans.c), take up to
     * twice as long, and parts without self-contacts as long as others. */
    bool remeshable;
    tact_allocator allocator;
} sweep_def;

static inline sweep_def sweep_def_default(void) { return (sweep_def){.vertices = NULL}; }

/* Creates a mesh sweep. On failure (TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: NULL, not finite, indices out of range, too
 * many) *made is NULL. O(n log n), about a microsecond a triangle. */
tact_status tact_mesh_sweep_create(mesh_sweep **made, const sweep_def *def);

/* NULL is allowed. */
void tact_mesh_sweep_release(mesh_sweep *s);

/* Gives triangle triangles[i] the vertices indices[i]: it is added, removed (SWEEP_ABSENT) or connected otherwise, even
 * to vertices that nothing has used so far. Needs def.remeshable. Nothing is rebuilt, so the tree does not get better:
 * after many changes a new mesh sweep is faster. On failure (TACT_OUT_OF_MEMORY, TACT_BAD_ARGUMENT) nothing has
 * changed. The contacts of the last step stay. */
tact_status tact_mesh_sweep_set_triangles(mesh_sweep *s, const uint32_t *triangles, const uint32_t (*indices)[3],
                                          size_t count);

typedef enum sweep_mode {
    SWEEP_ALL,     /* all contacts */
    SWEEP_EARLIEST /* the first contact: the one that SWEEP_ALL puts first */
} sweep_mode;

/* Which bounds cull pairs before they are tested. The contacts are the same with all of them. For benchmarks
 * (bench/hutter_fuhrmann_2007.c). */
typedef enum sweep_bounds {
    SWEEP_MOVING,     /* moving bounds of triangles and of features */
    SWEEP_SWEPT,      /* swept bounds of triangles and of features, as in the paper */
    SWEEP_SWEPT_ITEMS /* swept bounds of triangles alone */
} sweep_bounds;

/* A contact. Vertex-face: index[0] is the vertex, index[1] the triangle. Edge-edge: index[0] < index[1] are the ends of
 * the one, index[2] < index[3] those of the other, and (index[0] index[1]) is less than (index[2] index[3]). */
typedef struct sweep_contact {
    tact_ccd_kind kind;
    uint32_t index[4];
    tact_ccd ccd; /* points in this order; those of a face as in its triangle */
} sweep_contact;

/* Decides a candidate pair by other means than linear motion from `start` to `end`. `vertices` are the four points as
 * in ccd.h, those of a face in its order, those of edges in canonical order. Called on any thread. */
typedef tact_ccd sweep_decide(void *context, tact_ccd_kind kind, const uint32_t vertices[4]);

typedef struct sweep_step {
    const tact_vec3 *start, *end; /* positions of all vertices; may be the same array */
    sweep_mode mode;
    double separation; /* not 0: pairs that come as near as this, see tact/ccd.h */
    /* Length: bounds are larger by half of it, on each side. Points may then deviate by a quarter of it from the way
     * from `start` to `end`. No answer depends on it, unless `decide` is given. */
    double bound_slack;
    /* Not NULL: points deviate from that way. All pairs that come nearer than `decide_separation` on it are candidates,
     * and this function decides them. For SWEEP_ALL. */
    sweep_decide *decide;
    void *decide_context;
    double decide_separation; /* length: positive; at least four times what a coordinate deviates */
    /* Not NULL: only pairs with a vertex whose entry is not 0. All other vertices must have the positions of the
     * last step, at both ends, with the same separation and slack: only what changed is refitted. */
    const uint8_t *changed;
    const tact_parallel *parallel; /* NULL: the default */
    sweep_bounds bounds;           /* as in the last step, if `changed` is given */
} sweep_step;

static inline sweep_step sweep_step_default(void) { return (sweep_step){.start = NULL}; }

/* Finds the contacts of a step, which are available until the next one: in the order of ccd.lower, vertex-face first,
 * then by index. On failure (TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: NULL, not finite) there are none, and the mesh
 * sweep is as good as new. */
tact_status tact_mesh_sweep_run(mesh_sweep *s, const sweep_step *step);

/* The same, where the caller knows which pairs of items may touch: each pair once, in items as numbered by
 * tact_mesh_sweep_items. Pairs of items that share a vertex of at most SKELETON_MAX_VALENCE items are tested besides
 * and must not be given. The tree is not used. TACT_BAD_ARGUMENT also if step->changed is given or triangles may
 * change. */
tact_status tact_mesh_sweep_run_pairs(mesh_sweep *s, const sweep_step *step, const uint32_t (*item_pairs)[2],
                                      size_t count);

/* The items (triangles, edges, points) in the order of the tree: their vertices, repeated for edges and points, and
 * their groups: items of the same nonzero group are not tested. Returns their number; the arrays may be NULL, and have
 * as many entries. */
uint32_t tact_mesh_sweep_items(const mesh_sweep *s, uint32_t (*items)[4], uint32_t *groups);

size_t tact_mesh_sweep_count(const mesh_sweep *s);

/* Contact i of the last step, i < tact_mesh_sweep_count. */
const sweep_contact *tact_mesh_sweep_contact(const mesh_sweep *s, size_t i);

/* Is `a` reported before `b`? (contact_order.c) */
bool tact_sweep_contact_before(const sweep_contact *a, const sweep_contact *b);

/* Counters of the last step. */
typedef struct sweep_counts {
    uint64_t item_pairs;  /* pairs of triangles (edges, points) whose bounds overlap or that share a vertex */
    uint64_t bound_tests; /* feature pairs of these whose bounds were tested */
    uint64_t candidates;  /* those that overlap and went to the block filter */
    uint64_t contacts;
} sweep_counts;

sweep_counts tact_mesh_sweep_counts(const mesh_sweep *s);

/* The total extent of the bounds of the tree at the start of the last step, the sum of their sides: a length; 0 before
 * the first step. When it grows, a new mesh sweep is faster. (tree_quality.c) */
double tact_mesh_sweep_tree_extent(const mesh_sweep *s);

#endif
