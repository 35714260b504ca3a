/* Scenes of the CCD benchmarks: a mesh at two instants, and the pairs of its features whose swept boxes overlap. */
#ifndef TACT_BENCH_CCD_SCENE_H
#define TACT_BENCH_CCD_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/ccd.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ccd_scene {
    char name[64];
    size_t vertex_count, triangle_count, edge_count;
    tact_vec3 *start, *end;   /* position of each vertex */
    uint32_t (*triangles)[3]; /* vertex indices */
    uint32_t (*edges)[2];     /* each edge once, smaller vertex index first */
} ccd_scene;

/* Reads two frames of one mesh, `folder`/t0.ply and t1.ply. Returns false, with a message in `error`, on failure. */
bool tact_ccd_scene_read(ccd_scene *scene, const char *folder, char *error, size_t capacity);

enum { CCD_MAX_SCENES = 16 };

/* Lists the paths of the subfolders, sorted. Returns their number, or -1, with a message on stderr, if `folder` cannot
 * be opened. */
int tact_ccd_scene_list(const char *folder, char *names[CCD_MAX_SCENES]);
void tact_ccd_scene_unlist(char *names[], int count); /* frees the names */

/* `sheets` wavy sheets of `side` x `side` vertices, stacked, that fall through each other a little. Returns false if
 * memory runs out. */
bool tact_ccd_scene_sheets(ccd_scene *scene, int sheets, int side, uint64_t seed);

/* Divides every triangle into four. Returns false if memory runs out. */
bool tact_ccd_scene_subdivide(const ccd_scene *scene, ccd_scene *finer);

void tact_ccd_scene_release(ccd_scene *scene);

/* Pairs of one kind, in the layout of tact_ccd_batch. */
enum { CCD_BATCH = 4096 };

typedef struct ccd_pairs {
    tact_ccd_kind kind;
    int count;
    double start[4][3][CCD_BATCH], end[4][3][CCD_BATCH];
} ccd_pairs;

/* Calls `receive` with batches of all pairs of the kind whose swept boxes (floats, rounded outward) overlap, except
 * pairs that share a vertex. Returns false if memory runs out. */
bool tact_ccd_scene_pairs(const ccd_scene *scene, tact_ccd_kind kind, void (*receive)(void *, const ccd_pairs *),
                          void *context);

#ifdef __cplusplus
}
#endif

#endif
