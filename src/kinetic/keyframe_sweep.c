/* Contacts of key frames by moving windows or by swept bounds: see keyframe_contacts.h. */
#include "kinetic/keyframe_engine.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/sort.h"
#include "kinetic/kinetic_constants.h"
#include "math/vec.h"

ARRAY_OF(keyframe_contact_array, sweep_contact);

typedef struct keyframe_sweep {
    keyframe_contacts_def def; /* the arrays of its elements are those below */
    mesh_sweep *sweep;
    double min_tree_extent;      /* of the tree since it was built; 0: not known yet */
    tact_vec3 *storage[2];       /* memory for two key frames */
    const tact_vec3 *ends[2];    /* the key frames of the interval */
    size_t loaded[2];            /* their indices; SIZE_MAX: none */
    tact_vec3 *between[2];       /* two in-between frames; KEYFRAME_SWEPT */
    keyframe_contact_array list; /* KEYFRAME_SWEPT: the contacts of the interval */
    keyframe_contact_array scratch;
    uint32_t (*triangles)[3]; /* copies, for building the tree anew */
    uint32_t (*edges)[2];
    uint32_t *points;
    sweep_part *parts;
    sweep_counts counts;
} keyframe_sweep;

/* ---- memory ---- */

static void release(void *engine)
{
    keyframe_sweep *k = engine;
    if (k == NULL)
        return;
    const tact_allocator allocator = k->def.allocator;
    const sweep_def *e = &k->def.elements;
    tact_mesh_sweep_release(k->sweep);
    for (int i = 0; i < 2; ++i) {
        tact_memory_free(&allocator, k->storage[i], e->vertex_count + 1, sizeof *k->storage[i]);
        tact_memory_free(&allocator, k->between[i], e->vertex_count + 1, sizeof *k->between[i]);
    }
    tact_memory_free(&allocator, k->triangles, e->triangle_count + 1, sizeof *k->triangles);
    tact_memory_free(&allocator, k->edges, e->edge_count + 1, sizeof *k->edges);
    tact_memory_free(&allocator, k->points, e->point_count + 1, sizeof *k->points);
    tact_memory_free(&allocator, k->parts, e->part_count + 1, sizeof *k->parts);
    keyframe_contact_array_release(&k->list, &allocator);
    keyframe_contact_array_release(&k->scratch, &allocator);
    tact_memory_free(&allocator, k, 1, sizeof *k);
}

/* A copy of `count` elements; one more, so that there is always something to allocate. NULL: out of memory. */
static void *copy_of(const tact_allocator *allocator, const void *from, size_t count, size_t size)
{
    void *copy = tact_memory_allocate(allocator, count + 1, size);
    if (copy != NULL && count > 0)
        memcpy(copy, from, count * size);
    return copy;
}

static bool allocate(keyframe_sweep *k)
{
    sweep_def *e = &k->def.elements;
    const tact_allocator *allocator = &k->def.allocator;
    k->triangles = copy_of(allocator, e->triangles, e->triangle_count, sizeof *k->triangles);
    k->edges = copy_of(allocator, e->edges, e->edge_count, sizeof *k->edges);
    k->points = copy_of(allocator, e->points, e->point_count, sizeof *k->points);
    k->parts = copy_of(allocator, e->parts, e->part_count, sizeof *k->parts);
    e->triangles = (const uint32_t(*)[3])k->triangles;
    e->edges = (const uint32_t(*)[2])k->edges;
    e->points = k->points;
    e->parts = e->part_count > 0 ? k->parts : NULL;
    e->allocator = *allocator;
    bool complete = k->triangles != NULL && k->edges != NULL && k->points != NULL && k->parts != NULL;
    for (int i = 0; i < 2; ++i) {
        k->storage[i] = tact_memory_allocate(allocator, e->vertex_count + 1, sizeof *k->storage[i]);
        complete = complete && k->storage[i] != NULL;
        if (k->def.engine == KEYFRAME_SWEPT && k->def.between > 0) {
            k->between[i] = tact_memory_allocate(allocator, e->vertex_count + 1, sizeof *k->between[i]);
            complete = complete && k->between[i] != NULL;
        }
    }
    return complete;
}

/* ---- key frames and the tree ---- */

/* Loads the frames of an interval. The end of the last interval is often the start of this one. */
static bool load_interval(keyframe_sweep *k, size_t interval)
{
    if (k->loaded[1] == interval && k->loaded[0] != interval) {
        tact_vec3 *storage = k->storage[0];
        k->storage[0] = k->storage[1];
        k->storage[1] = storage;
        k->ends[0] = k->ends[1];
        k->loaded[0] = interval;
        k->loaded[1] = SIZE_MAX;
    }
    for (size_t i = 0; i < 2; ++i) {
        if (k->loaded[i] == interval + i)
            continue;
        k->loaded[i] = SIZE_MAX;
        k->ends[i] = k->def.frame(k->def.context, interval + i, k->storage[i]);
        if (k->ends[i] == NULL)
            return false;
        k->loaded[i] = interval + i;
    }
    return true;
}

static tact_status build_tree(keyframe_sweep *k, const tact_vec3 *vertices)
{
    sweep_def def = k->def.elements;
    def.vertices = vertices;
    mesh_sweep *sweep;
    const tact_status status = tact_mesh_sweep_create(&sweep, &def);
    if (status != TACT_OK)
        return status;
    tact_mesh_sweep_release(k->sweep);
    k->sweep = sweep;
    k->min_tree_extent = 0.0;
    return TACT_OK;
}

/* Reads the first key frame and builds the tree. */
static tact_status build_sweep(keyframe_sweep *k)
{
    k->ends[0] = k->def.frame(k->def.context, 0, k->storage[0]);
    k->loaded[0] = k->ends[0] != NULL ? 0 : SIZE_MAX;
    return k->ends[0] != NULL ? build_tree(k, k->ends[0]) : TACT_BAD_ARGUMENT;
}

/* Builds the tree anew if it has degraded. Without memory the old one stays. */
static void renew_tree(keyframe_sweep *k)
{
    const double extent = tact_mesh_sweep_tree_extent(k->sweep); /* 0 before the first interval */
    if (k->min_tree_extent == 0.0 || extent < k->min_tree_extent)
        k->min_tree_extent = extent;
    if (extent > KEYFRAME_TREE_GROWTH * k->min_tree_extent)
        (void)build_tree(k, k->ends[0]);
}

/* ---- swept bounds ---- */

static void add_counts(sweep_counts *sum, sweep_counts more)
{
    sum->item_pairs += more.item_pairs;
    sum->bound_tests += more.bound_tests;
    sum->candidates += more.candidates;
    sum->contacts += more.contacts;
}

/* Decides a pair by its motion in the whole interval. */
static tact_ccd decide_interval(void *context, tact_ccd_kind kind, const uint32_t vertices[4])
{
    const keyframe_sweep *k = context;
    tact_vec3 start[4], end[4];
    for (int i = 0; i < 4; ++i) {
        start[i] = k->ends[0][vertices[i]];
        end[i] = k->ends[1][vertices[i]];
    }
    return kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, NULL) : tact_ccd_edge_edge(start, end, NULL);
}

static inline bool contact_before(const void *context, const sweep_contact *a, const sweep_contact *b)
{
    (void)context;
    return tact_sweep_contact_before(a, b);
}

MERGE_SORT_OF(sort_contacts, sweep_contact, const void *, contact_before)

/* Sorts the contacts, and removes those that were found in several in-between steps. */
static bool sort_list(keyframe_sweep *k)
{
    if (!keyframe_contact_array_reserve(&k->scratch, &k->def.allocator, k->list.count))
        return false;
    if (sort_contacts(NULL, k->list.items, k->scratch.items, k->list.count) != k->list.items) {
        const size_t count = k->list.count;
        const keyframe_contact_array other = k->list;
        k->list = k->scratch;
        k->scratch = other;
        k->list.count = count;
    }
    size_t kept = 0;
    for (size_t i = 0; i < k->list.count; ++i)
        if (kept == 0 || contact_before(NULL, &k->list.items[kept - 1], &k->list.items[i]))
            k->list.items[kept++] = k->list.items[i];
    k->list.count = kept;
    return true;
}

/* In-between frame number i of between + 2, the key frames included. Returns where it is. */
static const tact_vec3 *between_frame(keyframe_sweep *k, unsigned i)
{
    const unsigned steps = k->def.between + 1;
    if (i == 0 || i == steps)
        return k->ends[i > 0];
    tact_vec3 *frame = k->between[i % 2];
    const double s = (double)i / (double)steps;
    for (size_t v = 0; v < k->def.elements.vertex_count; ++v)
        frame[v] = vec_mul_add(vec_scale(k->ends[0][v], 1.0 - s), s, k->ends[1][v]);
    return frame;
}

static double largest_coordinate(const tact_vec3 *points, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; ++i)
        most = max_double(most, vec_max_abs(points[i]));
    return most;
}

static tact_status run_swept(keyframe_sweep *k)
{
    k->list.count = 0;
    sweep_step step = sweep_step_default();
    step.parallel = &k->def.parallel;
    step.bounds = SWEEP_SWEPT;
    if (k->def.between > 0) {
        const double most = max_double(largest_coordinate(k->ends[0], k->def.elements.vertex_count),
                                       largest_coordinate(k->ends[1], k->def.elements.vertex_count));
        step.decide_separation = most * KEYFRAME_BETWEEN_ERROR + KEYFRAME_UNDERFLOW;
        step.bound_slack = 4.0 * step.decide_separation;
        step.decide = decide_interval;
        step.decide_context = k;
    }
    step.start = k->ends[0];
    for (unsigned i = 0; i <= k->def.between; ++i) {
        step.end = between_frame(k, i + 1);
        const tact_status status = tact_mesh_sweep_run(k->sweep, &step);
        if (status != TACT_OK)
            return status;
        const size_t count = tact_mesh_sweep_count(k->sweep);
        if (!keyframe_contact_array_reserve(&k->list, &k->def.allocator, k->list.count + count))
            return TACT_OUT_OF_MEMORY;
        for (size_t c = 0; c < count; ++c)
            k->list.items[k->list.count++] = *tact_mesh_sweep_contact(k->sweep, c);
        add_counts(&k->counts, tact_mesh_sweep_counts(k->sweep));
        step.start = step.end;
    }
    return sort_list(k) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

/* ---- windows ---- */

static tact_status run_windows(keyframe_sweep *k)
{
    sweep_step step = sweep_step_default();
    step.start = k->ends[0];
    step.end = k->ends[1];
    step.parallel = &k->def.parallel;
    const tact_status status = tact_mesh_sweep_run(k->sweep, &step);
    k->counts = tact_mesh_sweep_counts(k->sweep);
    return status;
}

/* ---- entry points ---- */

static tact_status create(void **made, const keyframe_contacts_def *def)
{
    *made = NULL;
    keyframe_sweep *k = tact_memory_allocate(&def->allocator, 1, sizeof *k);
    if (k == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(k, 0, sizeof *k);
    k->def = *def;
    k->loaded[0] = k->loaded[1] = SIZE_MAX;
    const tact_status status = allocate(k) ? build_sweep(k) : TACT_OUT_OF_MEMORY;
    if (status != TACT_OK) {
        release(k);
        return status;
    }
    *made = k;
    return TACT_OK;
}

static tact_status run(void *engine, size_t interval)
{
    keyframe_sweep *k = engine;
    k->list.count = 0;
    k->counts = (sweep_counts){0};
    tact_status status = TACT_BAD_ARGUMENT;
    if (load_interval(k, interval)) {
        renew_tree(k);
        status = k->def.engine == KEYFRAME_SWEPT ? run_swept(k) : run_windows(k);
    }
    return status;
}

static size_t count_contacts(const void *engine)
{
    const keyframe_sweep *k = engine;
    return k->def.engine == KEYFRAME_SWEPT ? k->list.count : tact_mesh_sweep_count(k->sweep);
}

static const sweep_contact *get_contact(const void *engine, size_t i)
{
    const keyframe_sweep *k = engine;
    return k->def.engine == KEYFRAME_SWEPT ? &k->list.items[i] : tact_mesh_sweep_contact(k->sweep, i);
}

static sweep_counts get_counts(const void *engine) { return ((const keyframe_sweep *)engine)->counts; }

const keyframe_engine_type tact_keyframe_sweep_engine = {create,      release,    run, count_contacts,
                                                         get_contact, get_counts, NULL};
