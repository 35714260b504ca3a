/* Scenes of the CCD benchmarks, from files and from formulas. */
#include "ccd_scene.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec.h"
#include "mesh_file.h"
#include "support/random.h"
#include "tree/aabb_tree.h"

void tact_ccd_scene_release(ccd_scene *scene)
{
    free(scene->start);
    free(scene->end);
    free(scene->triangles);
    free(scene->edges);
    *scene = (ccd_scene){.vertex_count = 0};
}

static bool allocate(ccd_scene *scene, size_t vertices, size_t triangles)
{
    scene->vertex_count = vertices;
    scene->triangle_count = triangles;
    scene->start = malloc((vertices + 1) * sizeof *scene->start);
    scene->end = malloc((vertices + 1) * sizeof *scene->end);
    scene->triangles = malloc((triangles + 1) * sizeof *scene->triangles);
    scene->edges = malloc((3 * triangles + 1) * sizeof *scene->edges);
    return scene->start && scene->end && scene->triangles && scene->edges;
}

static int compare_edges(const void *a, const void *b)
{
    const uint32_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : p[1] != q[1] ? (p[1] < q[1] ? -1 : 1) : 0;
}

static void find_edges(ccd_scene *scene)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            uint32_t a = scene->triangles[i][k], b = scene->triangles[i][(k + 1) % 3];
            scene->edges[count][0] = a < b ? a : b;
            scene->edges[count++][1] = a < b ? b : a;
        }
    }
    qsort(scene->edges, count, sizeof *scene->edges, compare_edges);
    scene->edge_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_edges(scene->edges[i], scene->edges[i - 1]) != 0)
            memmove(scene->edges[scene->edge_count++], scene->edges[i], sizeof *scene->edges);
    }
}

/* Names the scene after the last component of the path. */
static void name_after(ccd_scene *scene, const char *folder)
{
    size_t end = strlen(folder);
    while (end > 0 && folder[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && folder[begin - 1] != '/')
        begin--;
    (void)snprintf(scene->name, sizeof scene->name, "%.*s", (int)(end - begin < 60 ? end - begin : 60), folder + begin);
}

static bool read_frame(const char *folder, const char *file, mesh_file *mesh, char *error, size_t capacity)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path) {
        (void)snprintf(error, capacity, "%s: path too long", file);
        return false;
    }
    return tact_mesh_file_read(path, mesh, error, capacity);
}

static bool fill_from(ccd_scene *scene, const mesh_file *a, const mesh_file *b, char *error, size_t capacity)
{
    bool same = a->vertex_count == b->vertex_count && a->index_count == b->index_count &&
                a->index_count == 3 * a->face_count && b->index_count == 3 * b->face_count &&
                (a->index_count == 0 || memcmp(a->indices, b->indices, a->index_count * sizeof *a->indices) == 0);
    if (!same) {
        (void)snprintf(error, capacity, "%s: the two frames have different triangles", scene->name);
        return false;
    }
    if (!allocate(scene, a->vertex_count, a->face_count)) {
        (void)snprintf(error, capacity, "%s: out of memory", scene->name);
        return false;
    }
    for (size_t i = 0; i < a->vertex_count; i++) {
        scene->start[i] = (tact_vec3){a->vertices[3 * i], a->vertices[3 * i + 1], a->vertices[3 * i + 2]};
        scene->end[i] = (tact_vec3){b->vertices[3 * i], b->vertices[3 * i + 1], b->vertices[3 * i + 2]};
    }
    if (a->index_count > 0)
        memcpy(scene->triangles, a->indices, a->index_count * sizeof *a->indices);
    find_edges(scene);
    return true;
}

bool tact_ccd_scene_read(ccd_scene *scene, const char *folder, char *error, size_t capacity)
{
    *scene = (ccd_scene){.vertex_count = 0};
    name_after(scene, folder);
    mesh_file a, b;
    if (!read_frame(folder, "t0.ply", &a, error, capacity))
        return false;
    bool done = read_frame(folder, "t1.ply", &b, error, capacity);
    if (done) {
        done = fill_from(scene, &a, &b, error, capacity);
        tact_mesh_file_release(&b);
    }
    tact_mesh_file_release(&a);
    if (!done)
        tact_ccd_scene_release(scene);
    return done;
}

bool tact_ccd_scene_sheets(ccd_scene *scene, int sheets, int side, uint64_t seed)
{
    *scene = (ccd_scene){.vertex_count = 0};
    (void)snprintf(scene->name, sizeof scene->name, "%d sheets", sheets);
    size_t n = (size_t)side, each = n * n, cells = (n - 1) * (n - 1);
    if (!allocate(scene, (size_t)sheets * each, 2 * (size_t)sheets * cells)) {
        tact_ccd_scene_release(scene);
        return false;
    }
    random_source random = random_seed(seed);
    const double step = 1.0 / (double)(side - 1), gap = 2.0 * step;
    size_t t = 0;
    for (size_t s = 0; s < (size_t)sheets; s++) {
        const double phase = random_range(&random, 0.0, 6.0), shift = random_range(&random, -0.5, 0.5) * step;
        for (size_t i = 0; i < each; i++) {
            const double x = (double)(i % n) * step, y = (double)(i / n) * step;
            const double wave = 0.3 * gap * (sin(9.0 * x + phase) + cos(7.0 * y + phase));
            const double rough = 0.1 * step;
            const double dx = random_range(&random, -rough, rough), dy = random_range(&random, -rough, rough);
            const double dz = random_range(&random, -rough, rough);
            scene->start[s * each + i] = (tact_vec3){x + shift + dx, y + shift + dy, gap * (double)s + wave + dz};
            /* higher sheets fall faster */
            const double fall = 0.8 * gap * (double)s + random_range(&random, 0.0, 0.2) * gap;
            scene->end[s * each + i] = vec_sub(scene->start[s * each + i], (tact_vec3){-0.2 * step, 0.1 * step, fall});
        }
        for (size_t y = 0; y + 1 < n; y++) {
            for (size_t x = 0; x + 1 < n; x++) {
                const uint32_t a = (uint32_t)(s * each + y * n + x), b = a + 1, c = a + (uint32_t)n, d = c + 1;
                memcpy(scene->triangles[t++], (uint32_t[3]){a, b, d}, sizeof *scene->triangles);
                memcpy(scene->triangles[t++], (uint32_t[3]){a, d, c}, sizeof *scene->triangles);
            }
        }
    }
    find_edges(scene);
    return true;
}

static tact_vec3 midpoint(tact_vec3 a, tact_vec3 b) { return vec_scale(vec_add(a, b), 0.5); }

/* The vertex at the midpoint of an edge. */
static uint32_t midpoint_of(const ccd_scene *scene, uint32_t a, uint32_t b)
{
    const uint32_t key[2] = {a < b ? a : b, a < b ? b : a};
    const uint32_t(*found)[2] = bsearch(key, scene->edges, scene->edge_count, sizeof *scene->edges, compare_edges);
    return (uint32_t)(scene->vertex_count + (size_t)(found - (const uint32_t(*)[2])scene->edges));
}

bool tact_ccd_scene_subdivide(const ccd_scene *scene, ccd_scene *finer)
{
    *finer = (ccd_scene){.vertex_count = 0};
    memcpy(finer->name, scene->name, sizeof finer->name);
    if (!allocate(finer, scene->vertex_count + scene->edge_count, 4 * scene->triangle_count)) {
        tact_ccd_scene_release(finer);
        return false;
    }
    memcpy(finer->start, scene->start, scene->vertex_count * sizeof *scene->start);
    memcpy(finer->end, scene->end, scene->vertex_count * sizeof *scene->end);
    for (size_t i = 0; i < scene->edge_count; i++) {
        const uint32_t *e = scene->edges[i];
        finer->start[scene->vertex_count + i] = midpoint(scene->start[e[0]], scene->start[e[1]]);
        finer->end[scene->vertex_count + i] = midpoint(scene->end[e[0]], scene->end[e[1]]);
    }
    for (size_t i = 0; i < scene->triangle_count; i++) {
        const uint32_t *t = scene->triangles[i];
        const uint32_t m[3] = {midpoint_of(scene, t[0], t[1]), midpoint_of(scene, t[1], t[2]),
                               midpoint_of(scene, t[2], t[0])};
        for (int k = 0; k < 3; k++)
            memcpy(finer->triangles[4 * i + (size_t)k], (uint32_t[3]){t[k], m[k], m[(k + 2) % 3]},
                   sizeof *finer->triangles);
        memcpy(finer->triangles[4 * i + 3], m, sizeof m);
    }
    find_edges(finer);
    return true;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int tact_ccd_scene_list(const char *folder, char *names[CCD_MAX_SCENES])
{
    int count = 0;
    DIR *list = opendir(folder);
    if (!list) {
        (void)fprintf(stderr, "tact-bench: %s: cannot open folder\n", folder);
        return -1;
    }
    for (const struct dirent *e; count < CCD_MAX_SCENES && (e = readdir(list));) {
        if (e->d_name[0] == '.')
            continue;
        const size_t capacity = strlen(folder) + strlen(e->d_name) + 2;
        names[count] = malloc(capacity);
        if (names[count])
            (void)snprintf(names[count++], capacity, "%s/%s", folder, e->d_name);
    }
    (void)closedir(list);
    qsort(names, (size_t)count, sizeof *names, compare_names);
    return count;
}

void tact_ccd_scene_unlist(char *names[], int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
}

/* ---- pairs ---- */

typedef struct collector {
    const ccd_scene *scene;
    ccd_pairs *pairs;
    uint32_t vertex; /* the current vertex (vertex-face) */
    void (*receive)(void *, const ccd_pairs *);
    void *context;
} collector;

static void flush(collector *c)
{
    if (c->pairs->count > 0)
        c->receive(c->context, c->pairs);
    c->pairs->count = 0;
}

static void add(collector *c, const uint32_t vertices[4])
{
    ccd_pairs *p = c->pairs;
    for (int k = 0; k < 4; k++) {
        const tact_vec3 a = c->scene->start[vertices[k]], b = c->scene->end[vertices[k]];
        p->start[k][0][p->count] = a.x;
        p->start[k][1][p->count] = a.y;
        p->start[k][2][p->count] = a.z;
        p->end[k][0][p->count] = b.x;
        p->end[k][1][p->count] = b.y;
        p->end[k][2][p->count] = b.z;
    }
    if (++p->count == CCD_BATCH)
        flush(c);
}

static bool add_face(void *opaque, uint32_t face)
{
    collector *c = opaque;
    const uint32_t *t = c->scene->triangles[face];
    if (t[0] != c->vertex && t[1] != c->vertex && t[2] != c->vertex)
        add(c, (uint32_t[4]){c->vertex, t[0], t[1], t[2]});
    return true;
}

static bool add_edges(void *opaque, uint32_t a, uint32_t b)
{
    collector *c = opaque;
    const uint32_t *p = c->scene->edges[a < b ? a : b], *q = c->scene->edges[a < b ? b : a];
    if (p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1])
        add(c, (uint32_t[4]){p[0], p[1], q[0], q[1]});
    return true;
}

static box swept_box(const ccd_scene *scene, const uint32_t *vertices, int count)
{
    tact_vec3 points[6];
    for (int k = 0; k < count; k++) {
        points[2 * k] = scene->start[vertices[k]];
        points[2 * k + 1] = scene->end[vertices[k]];
    }
    return tact_box_of_points(points, 2 * (size_t)count);
}

bool tact_ccd_scene_pairs(const ccd_scene *scene, tact_ccd_kind kind, void (*receive)(void *, const ccd_pairs *),
                          void *context)
{
    const bool faces = kind == TACT_VERTEX_FACE;
    const size_t count = faces ? scene->triangle_count : scene->edge_count;
    box *boxes = malloc((count + 1) * sizeof *boxes);
    collector c = {.scene = scene, .pairs = malloc(sizeof *c.pairs), .receive = receive, .context = context};
    aabb_tree tree = {.item_count = 0};
    bool done = boxes && c.pairs;
    if (done) {
        c.pairs->kind = kind;
        c.pairs->count = 0;
        for (size_t i = 0; i < count; i++)
            boxes[i] = faces ? swept_box(scene, scene->triangles[i], 3) : swept_box(scene, scene->edges[i], 2);
        aabb_tree_def def = aabb_tree_def_default();
        done = tact_aabb_tree_build(&tree, boxes, count, &def) == TACT_OK;
    }
    if (done && faces) {
        for (c.vertex = 0; c.vertex < scene->vertex_count; c.vertex++) {
            const box b = swept_box(scene, &c.vertex, 1);
            (void)tact_aabb_tree_overlap(&tree, &b, add_face, &c);
        }
        flush(&c);
    } else if (done) {
        (void)tact_aabb_tree_self_pairs(&tree, add_edges, &c);
        flush(&c);
    }
    tact_aabb_tree_release(&tree);
    free(c.pairs);
    free(boxes);
    return done;
}
