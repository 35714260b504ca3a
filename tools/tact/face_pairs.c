/*
 * Intersecting faces: the trees say whose boxes overlap, the exact test of two triangles decides.
 *
 * Guarantees: exactly the pairs of faces that meet, the same whatever the number of threads. Cost: one walk through the
 * trees on the calling thread, some 20 ns a pair of overlapping boxes; the pairs are collected in batches that all
 * threads test, some 100 ns a pair. 8 bytes a pair found, and as many again while they are put in order: a counting
 * sort by the first face, then each face's own few. A polygon that crosses itself may do so in the square of its
 * triangles: once it is found to, its triangles are not tested against each other any more.
 */
#include "face_pairs.h"

#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>

#include "core/parallel.h"
#include "exact/triangle.h"
#include "shape/mesh.h"

#define BATCH 65536 /* pairs: enough work for many threads, small enough for their caches */
#define GRAIN 1024  /* pairs: less is not worth a thread */

typedef struct search {
    const mesh *a, *b; /* the same for a mesh and itself */
    const face_pairs_def *def;
    face_pairs *found;
    face_pair *batch; /* of triangles */
    unsigned char *meet;
    unsigned char *crosses; /* faces of one mesh: found to meet themselves; NULL where all are triangles */
    size_t waiting, triangles;
    double looked_at;
    tact_status status;
} search;

static void triangle_get(const mesh *m, uint32_t triangle, tact_vec3 corner[3])
{
    const uint32_t *corners = m->indices + 3 * (size_t)triangle;
    for (size_t k = 0; k < 3; k++)
        corner[k] = m->vertices[corners[k]];
}

static void batch_test(void *context, size_t begin, size_t end)
{
    search *s = context;
    for (size_t i = begin; i < end; i++) {
        tact_vec3 a[3], b[3];
        triangle_get(s->a, s->batch[i].a, a);
        triangle_get(s->b, s->batch[i].b, b);
        if (s->a == s->b) {
            const triangle_shared share = tact_triangle_shared_by_position(a, b);
            s->meet[i] = tact_triangles_intersect_beyond_shared(a, b, &share);
        } else {
            s->meet[i] = tact_triangles_intersect(a, b);
        }
    }
}

static bool pairs_push(face_pairs *pairs, face_pair pair)
{
    if (pairs->count == pairs->room) {
        size_t room = pairs->room ? 2 * pairs->room : 64;
        face_pair *items = room <= SIZE_MAX / sizeof *items ? realloc(pairs->items, room * sizeof *items) : NULL;
        if (items == NULL)
            return false;
        pairs->items = items;
        pairs->room = room;
    }
    pairs->items[pairs->count++] = pair;
    return true;
}

/* Tests what waits, and keeps what meets. */
static bool batch_finish(search *s)
{
    tact_parallel_for(&s->def->parallel, s->waiting, GRAIN, batch_test, s);
    for (size_t i = 0; i < s->waiting && s->status == TACT_OK; i++) {
        if (!s->meet[i])
            continue;
        face_pair pair = {mesh_face(s->a, s->batch[i].a), mesh_face(s->b, s->batch[i].b)};
        if (s->a == s->b && pair.a > pair.b)
            pair = (face_pair){pair.b, pair.a};
        if (s->crosses && pair.a == pair.b) {
            if (s->crosses[pair.a])
                continue;
            s->crosses[pair.a] = 1;
        }
        s->triangles++;
        if (!pairs_push(s->found, pair))
            s->status = TACT_OUT_OF_MEMORY;
    }
    s->looked_at += (double)s->waiting;
    s->waiting = 0;
    if (s->def->progress)
        s->def->progress(s->def->context, s->looked_at);
    return s->status == TACT_OK;
}

static bool take_pair(void *context, uint32_t a, uint32_t b)
{
    search *s = context;
    if (s->crosses) {
        const uint32_t face = s->a->face_of[a];
        if (s->crosses[face] && face == s->a->face_of[b])
            return s->a->face_count > 1; /* one face alone: there is no more to find */
    }
    s->batch[s->waiting++] = (face_pair){a, b};
    return s->waiting < BATCH || batch_finish(s);
}

static int by_second(const void *left, const void *right)
{
    uint32_t l = ((const face_pair *)left)->b, r = ((const face_pair *)right)->b;
    return (l > r) - (l < r);
}

/* Puts the pairs in order and each once; the faces of `a` are less than `faces`. */
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
    /* first[f] is now where the pairs of f end */
    size_t kept = 0;
    for (size_t f = 0, begin = 0; f < faces; begin = first[f++]) {
        if (first[f] - begin > 1)
            qsort(sorted + begin, first[f] - begin, sizeof *sorted, by_second);
        for (size_t i = begin; i < first[f]; i++)
            if (i == begin || sorted[i].b != sorted[i - 1].b)
                pairs->items[kept++] = sorted[i];
    }
    pairs->count = kept;
    free(first);
    free(sorted);
    return TACT_OK;
}

static tact_status find(const tact_shape *a, const tact_shape *b, const face_pairs_def *def, face_pairs *found,
                        size_t *triangles)
{
    memset(found, 0, sizeof *found);
    if (tact_shape_get_type(a) != TACT_MESH || tact_shape_get_type(b) != TACT_MESH)
        return TACT_BAD_ARGUMENT;
    search s = {.a = a->mesh, .b = b->mesh, .def = def, .found = found, .status = TACT_OK};
    s.batch = malloc(BATCH * sizeof *s.batch);
    s.meet = malloc(BATCH);
    const bool polygons = s.a == s.b && s.a->face_of != NULL;
    if (polygons)
        s.crosses = calloc((size_t)s.a->face_count + 1, sizeof *s.crosses);
    if (s.batch == NULL || s.meet == NULL || (polygons && s.crosses == NULL)) {
        s.status = TACT_OUT_OF_MEMORY;
    } else {
        if (s.a == s.b)
            (void)tact_aabb_tree_self_pairs(&s.a->tree, take_pair, &s);
        else
            (void)tact_aabb_tree_pairs_same_frame(&s.a->tree, &s.b->tree, take_pair, &s);
        if (s.status == TACT_OK && batch_finish(&s))
            s.status = pairs_sort(found, s.a->face_count);
    }
    free(s.batch);
    free(s.meet);
    free(s.crosses);
    if (s.status != TACT_OK)
        tact_face_pairs_release(found);
    if (triangles)
        *triangles = s.triangles;
    return s.status;
}

tact_status tact_face_pairs_between(const tact_shape *a, const tact_shape *b, const face_pairs_def *def,
                                    face_pairs *found)
{
    return find(a, b, def, found, NULL);
}

tact_status tact_face_pairs_inside(const tact_shape *shape, const face_pairs_def *def, face_pairs *found,
                                   size_t *triangles)
{
    return find(shape, shape, def, found, triangles);
}

void tact_face_pairs_release(face_pairs *pairs)
{
    free(pairs->items);
    memset(pairs, 0, sizeof *pairs);
}
