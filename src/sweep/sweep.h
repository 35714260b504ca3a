/*
 * One step of deforming meshes: all pairs of a vertex and a face, and of two edges, that meet while every vertex goes
 * straight from one place to another.
 *
 * Any number of meshes form one scene, in one array of vertices: triangles, edges without faces, free points. Pairs
 * inside a mesh and between meshes are found alike; of a mesh that cannot meet itself they can be left out. Pairs that
 * share a vertex are none. What is reported is exact (tact/ccd.h): every pair that meets, and no other, each once; in
 * an order that depends on nothing but the input.
 *
 *     sweep_def def = sweep_def_default();   def.triangles = ...
 *     status = tact_mesh_sweep_create(&s, &def);
 *     sweep_step step = sweep_step_default();   step.start = ..., step.end = ...
 *     status = tact_mesh_sweep_run(s, &step);
 *     for (size_t i = 0; i < tact_mesh_sweep_count(s); i++)
 *         const sweep_contact *c = tact_mesh_sweep_contact(s, i);
 *
 * A sweep is used by one thread at a time; it spreads its own work. Candidates are never stored: each goes from the
 * tree to the exact test in blocks of eight.
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
    bool no_self_collision; /* pairs inside this part are left out */
} sweep_part;

/* The first corner of a triangle that is not there. */
#define SWEEP_ABSENT UINT32_MAX

typedef struct sweep_def {
    const tact_vec3 *vertices; /* where they are: good for the tree if it is near where steps begin; not kept */
    size_t vertex_count;
    const uint32_t (*triangles)[3]; /* numbers of vertices; any repeated, any degenerate; copied, as all that follows */
    size_t triangle_count;
    const uint32_t (*edges)[2]; /* those without faces; others do no harm */
    size_t edge_count;
    const uint32_t *points; /* those in no triangle or edge; others do no harm */
    size_t point_count;
    const sweep_part
        *parts; /* the last ends at vertex_count, and none of the above has vertices of two; NULL: one part */
    size_t part_count;
    bool remeshable; /* may triangles change later (tact_mesh_sweep_set_triangles)? Then some may be SWEEP_ABSENT now.
                     Steps take a tenth longer, those of smooth cloth, whose neighbours are then looked at one by one
                     (sweep_stars.c), up to twice as long, and parts that are left out as long as others */
    tact_allocator allocator;
} sweep_def;

static inline sweep_def sweep_def_default(void) { return (sweep_def){.vertices = NULL}; }

/* Makes a sweep, or says why not: TACT_OUT_OF_MEMORY, or TACT_BAD_ARGUMENT (NULL, not finite, numbers out of range, too
 * many), *made is then NULL. O(n log n), about a microsecond a triangle. */
tact_status tact_mesh_sweep_create(mesh_sweep **made, const sweep_def *def);

/* NULL is allowed. */
void tact_mesh_sweep_release(mesh_sweep *s);

/* Triangle triangles[i] has now corners[i]: it comes, goes (SWEEP_ABSENT), or hangs together otherwise, be it with
 * vertices that nothing has used so far. Needs def.changes. Nothing is built anew, but the tree does not get better
 * either: where much has changed, it is time for another sweep. On failure (TACT_OUT_OF_MEMORY, TACT_BAD_ARGUMENT)
 * nothing has changed. The contacts of the last step stay. */
tact_status tact_mesh_sweep_set_triangles(mesh_sweep *s, const uint32_t *triangles, const uint32_t (*corners)[3],
                                          size_t count);

typedef enum sweep_mode {
    SWEEP_ALL,     /* all pairs that meet */
    SWEEP_EARLIEST /* that which meets first: the one that SWEEP_ALL puts first */
} sweep_mode;

/* Which bounds cull pairs before they are tested. The contacts are the same with all of them: for comparisons
 * (bench/hutter_fuhrmann_2007.c). */
typedef enum sweep_bounds {
    SWEEP_MOVING,     /* moving bounds of triangles and of features */
    SWEEP_SWEPT,      /* bounds around where they are at both ends, as in the paper: of triangles and of features */
    SWEEP_SWEPT_ITEMS /* the same of triangles alone */
} sweep_bounds;

/* A pair that meets. vertex-face: index[0] is the vertex, index[1] the triangle. edge-edge: index[0] < index[1] are the
 * ends of the one, index[2] < index[3] those of the other, and (index[0] index[1]) is less than (index[2] index[3]). */
typedef struct sweep_contact {
    tact_ccd_kind kind;
    uint32_t index[4];
    tact_ccd ccd; /* points in this order; a face's as its triangle has them */
} sweep_contact;

typedef struct sweep_step {
    const tact_vec3 *start, *end; /* of all vertices; may be the same array */
    sweep_mode mode;
    double separation; /* not 0: pairs that come as near as this, see tact/ccd.h */
    const uint8_t
        *changed; /* not NULL: only pairs with a vertex for which this is not 0. All others must be where they were in
                     the last step, at both ends, with the same separation: only what changed is refitted */
    const tact_parallel *parallel; /* NULL: the default */
    sweep_bounds bounds;           /* as in the last step, where `changed` is given */
} sweep_step;

static inline sweep_step sweep_step_default(void) { return (sweep_step){.start = NULL}; }

/* Finds the contacts of a step, which are then there until the next one: in the order of ccd.from, vertex-face first,
 * then by index. On failure (TACT_OUT_OF_MEMORY, TACT_BAD_ARGUMENT: NULL, not finite) there are none, and the sweep is
 * as good as new. */
tact_status tact_mesh_sweep_run(mesh_sweep *s, const sweep_step *step);

size_t tact_mesh_sweep_count(const mesh_sweep *s);

/* Contact i of the last step, i < tact_mesh_sweep_count. */
const sweep_contact *tact_mesh_sweep_contact(const mesh_sweep *s, size_t i);

/* What the last step took. */
typedef struct sweep_counts {
    uint64_t item_pairs;  /* pairs of triangles (edges, points) whose bounds overlap or that share a vertex */
    uint64_t bound_tests; /* pairs of a vertex and a face, or of two edges, of these whose bounds were compared */
    uint64_t candidates;  /* those that overlap and went to the test in blocks */
    uint64_t exact_tests; /* what that left over */
    uint64_t contacts;
} sweep_counts;

sweep_counts tact_mesh_sweep_counts(const mesh_sweep *s);

/* How large the bounds in its tree are, where the last step began: the sum of their sides, a length; 0 before the
 * first. When it grows, it is time for another sweep. (sweep_bulk.c) */
double tact_mesh_sweep_tree_extent(const mesh_sweep *s);

#endif
