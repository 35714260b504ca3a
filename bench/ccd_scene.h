/*
 * Scenes of continuous collision: one mesh at two instants, and the pairs of its features whose swept boxes overlap.
 */
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
    tact_vec3 *start, *end;   /* of each vertex */
    uint32_t (*triangles)[3]; /* corners */
    uint32_t (*edges)[2];     /* of triangles, each once, the smaller vertex first */
} ccd_scene;

/* Two frames of one mesh, `folder`/t0.ply and t1.ply. False, with a line in `error`, if that does not work. */
bool tact_ccd_scene_read(ccd_scene *scene, const char *folder, char *error, size_t capacity);

enum { CCD_MAX_SCENES = 16 };

/* The folders in a folder, in order, as paths; -1, and a line on stderr, if there is no such folder. */
int tact_ccd_scene_list(const char *folder, char *names[CCD_MAX_SCENES]);
void tact_ccd_scene_unlist(char *names[], int count); /* frees them */

/* `sheets` sheets of `side` x `side` vertices, one above the other and crumpled, that fall through each other a little.
 * False when memory runs out. */
bool tact_ccd_scene_sheets(ccd_scene *scene, int sheets, int side, uint64_t seed);

/* The same with every triangle cut into four. False when memory runs out. */
bool tact_ccd_scene_subdivide(const ccd_scene *scene, ccd_scene *finer);

void tact_ccd_scene_release(ccd_scene *scene);

/* Some pairs of one kind, number by number as tact_ccd_batch takes them. */
enum { CCD_BATCH = 4096 };

typedef struct ccd_pairs {
    tact_ccd_kind kind;
    int count;
    double start[4][3][CCD_BATCH], end[4][3][CCD_BATCH];
} ccd_pairs;

/* Calls `take` for batches of all pairs of the kind whose swept boxes (in floats, rounded outward) overlap, those that
 * share a vertex left out. False when memory runs out. */
bool tact_ccd_scene_pairs(const ccd_scene *scene, tact_ccd_kind kind, void (*receive)(void *, const ccd_pairs *),
                          void *context);

#ifdef __cplusplus
}
#endif

#endif
