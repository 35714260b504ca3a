/*
 * Intersecting faces: a traversal of the AABB trees finds the triangles with overlapping boxes, and the exact
 * triangle-triangle test of exact/triangle.h decides.
 *
 * The result is exact and does not depend on the number of threads. Cost: one traversal on the calling thread, about
 * 20 ns a pair of overlapping boxes; batches of pairs are tested on all threads, about 100 ns a pair. Memory: 8 bytes a
 * pair found, and twice that while sorting (a counting sort by the first face, then a sort of each face's pairs). A
 * self-intersecting polygon may have a quadratic number of intersecting triangle pairs. After the first one its
 * triangles are no longer tested against each other.
 */
#include "face_pairs.h"

#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>

#include "core/parallel.h"
#include "exact/triangle.h"
#include "shape/mesh.h"

#define PAIR_BATCH 65536 /* pairs tested at once: enough work for many threads, small enough for their caches */
#define PAIR_GRAIN 1024  /* pairs per task: less does not repay a thread */

typedef struct face_pair_search {
    const mesh *a, *b; /* equal for self-intersection */
    const face_pairs_def *def;
    face_pairs *found;
    face_pair *batch;                 /* indices of triangles */
    unsigned char *intersects;        /* by pair of the batch */
    unsigned char *self_intersecting; /* by face of one mesh; NULL if all faces are triangles */
    size_t batch_count, triangles;
    double tested_pairs;
    tact_status status;
} face_pair_search;

static void triangle_get(const mesh *m, uint32_t triangle, tact_vec3 vertex[3])
{
    const uint32_t *indices = m->indices + 3 * (size_t)triangle;
    for (size_t k = 0; k < 3; k++)
        vertex[k] = m->vertices[indices[k]];
}

static void batch_test(void *context, size_t begin, size_t end)
{
    face_pair_search *s = context;
    for (size_t i = begin; i < end; i++) {
        tact_vec3 a[3], b[3];
        triangle_get(s->a, s->batch[i].a, a);
        triangle_get(s->b, s->batch[i].b, b);
        if (s->a == s->b) {
            const triangle_shared shared = tact_triangle_shared_by_position(a, b);
            s->intersects[i] = tact_triangles_intersect_beyond_shared(a, b, &shared);
        } else {
            s->intersects[i] = tact_triangles_intersect(a, b);
        }
    }
}

static bool pairs_push(face_pairs *pairs, face_pair pair)
{
    if (pairs->count == pairs->capacity) {
        size_t capacity = pairs->capacity ? 2 * pairs->capacity : 64;
        face_pair *items =
            capacity <= SIZE_MAX / sizeof *items ? realloc(pairs->items, capacity * sizeof *items) : NULL;
        if (items == NULL)
            return false;
        pairs->items = items;
        pairs->capacity = capacity;
    }
    pairs->items[pairs->count++] = pair;
    return true;
}

/* Tests the batch and stores the intersecting pairs. */
static bool batch_finish(face_pair_search *s)
{
    tact_parallel_for(&s->def->parallel, s->batch_count, PAIR_GRAIN, batch_test, s);
    for (size_t i = 0; i < s->batch_count && s->status == TACT_OK; i++) {
        if (!s->intersects[i])
            continue;
        face_pair pair = {mesh_face(s->a, s->batch[i].a), mesh_face(s->b, s->batch[i].b)};
        if (s->a == s->b && pair.a > pair.b)
            pair = (face_pair){pair.b, pair.a};
        if (s->self_intersecting && pair.a == pair.b) {
            if (s->self_intersecting[pair.a])
                continue;
            s->self_intersecting[pair.a] = 1;
        }
        s->triangles++;
        if (!pairs_push(s->found, pair))
            s->status = TACT_OUT_OF_MEMORY;
    }
    s->tested_pairs += (double)s->batch_count;
    s->batch_count = 0;
    if (s->def->progress)
        s->def->progress(s->def->context, s->tested_pairs);
    return s->status == TACT_OK;
}

static bool pair_visit(void *context, uint32_t a, uint32_t b)
{
    face_pair_search *s = context;
    if (s->self_intersecting) {
        const uint32_t face = s->a->face_of[a];
        if (s->self_intersecting[face] && face == s->a->face_of[b])
            return s->a->face_count > 1; /* a single face: nothing more to find */
    }
    s->batch[s->batch_count++] = (face_pair){a, b};
    return s->batch_count < PAIR_BATCH || batch_finish(s);
}

static int by_second(const void *left, const void *right)
{
    uint32_t l = ((const face_pair *)left)->b, r = ((const face_pair *)right)->b;
    return (l > r) - (l < r);
}

/* Sorts the pairs and removes duplicates; `faces` is the number of faces of mesh a. */
static tact_status pairs_sort(face_pairs *pairs, uint32_t faces)
{
    size_t *first = calloc((size_t)faces + 1, sizeof *first);
    face_pair *sorted = malloc((pairs->count ? pairs->count : 1) * sizeof *sorted);
    if (first == NULL || sorted == NULL) {
        free(first);
        free(sorted);
        return TACT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < pairs->count; i++)
        first[pairs->items[i].a + 1]++;
    for (size_t f = 0; f < faces; f++)
        first[f + 1] += first[f];
    for (size_t i = 0; i < pairs->count; i++)
        sorted[first[pairs->items[i].a]++] = pairs->items[i];
    /* first[f] is now the end of the pairs of face f */
    size_t distinct = 0;
    for (size_t f = 0, begin = 0; f < faces; begin = first[f++]) {
        if (first[f] - begin > 1)
            qsort(sorted + begin, first[f] - begin, sizeof *sorted, by_second);
        for (size_t i = begin; i < first[f]; i++)
            if (i == begin || sorted[i].b != sorted[i - 1].b)
                pairs->items[distinct++] = sorted[i];
    }
    pairs->count = distinct;
    free(first);
    free(sorted);
    return TACT_OK;
}

static tact_status face_pairs_find(const tact_shape *a, const tact_shape *b, const face_pairs_def *def,
                                   face_pairs *found, size_t *triangles)
{
    memset(found, 0, sizeof *found);
    if (a->type != TACT_MESH || b->type != TACT_MESH) /* NURBS shapes are meshes, too */
        return TACT_BAD_ARGUMENT;
    face_pair_search s = {.a = a->mesh, .b = b->mesh, .def = def, .found = found, .status = TACT_OK};
    s.batch = malloc(PAIR_BATCH * sizeof *s.batch);
    s.intersects = malloc(PAIR_BATCH);
    const bool polygons = s.a == s.b && s.a->face_of != NULL;
    if (polygons)
        s.self_intersecting = calloc((size_t)s.a->face_count + 1, sizeof *s.self_intersecting);
    if (s.batch == NULL || s.intersects == NULL || (polygons && s.self_intersecting == NULL)) {
        s.status = TACT_OUT_OF_MEMORY;
    } else {
        if (s.a == s.b)
            (void)tact_aabb_tree_self_pairs(&s.a->tree, pair_visit, &s);
        else
            (void)tact_aabb_tree_pairs_same_frame(&s.a->tree, &s.b->tree, pair_visit, &s);
        if (s.status == TACT_OK && batch_finish(&s))
            s.status = pairs_sort(found, s.a->face_count);
    }
    free(s.batch);
    free(s.intersects);
    free(s.self_intersecting);
    if (s.status != TACT_OK)
        tact_face_pairs_release(found);
    if (triangles)
        *triangles = s.triangles;
    return s.status;
}

tact_status tact_face_pairs_between(const tact_shape *a, const tact_shape *b, const face_pairs_def *def,
                                    face_pairs *found)
{
    return face_pairs_find(a, b, def, found, NULL);
}

tact_status tact_face_pairs_inside(const tact_shape *shape, const face_pairs_def *def, face_pairs *found,
                                   size_t *triangles)
{
    return face_pairs_find(shape, shape, def, found, triangles);
}

void tact_face_pairs_release(face_pairs *pairs)
{
    free(pairs->items);
    memset(pairs, 0, sizeof *pairs);
}
