/*
 * Frames of animations: the first byte selects PC2, MDD or glTF, the rest is the file. A file that is refused has an
 * error message; one that is accepted has finite frames, and faces in range.
 */
#define _GNU_SOURCE

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Frames of one input that are read. */
#define MAX_FRAMES 50

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void use(frame_source *source, char *error)
{
    require(source->frame_count > 0 && source->vertex_count > 0 && source->mesh != NULL);
    for (size_t i = 0; i < source->mesh->index_count; i++)
        require(source->mesh->indices[i] < source->vertex_count);
    tact_vec3 *positions = malloc(source->vertex_count * sizeof *positions);
    require(positions != NULL);
    for (size_t i = 0; i < source->frame_count && i < MAX_FRAMES; i++) {
        error[0] = '\0';
        const bool good = tact_frames_read(source, i, positions, error, FRAMES_ERROR);
        require(good || error[0] != '\0');
        for (size_t v = 0; good && v < source->vertex_count; v++)
            require(isfinite(positions[v].x) && isfinite(positions[v].y) && isfinite(positions[v].z));
        if (tact_frames_is_sampled(source) && i + 1 < source->frame_count)
            (void)tact_frames_read_middle(source, i, positions, error, FRAMES_ERROR);
        (void)tact_frames_time(source, i);
    }
    free(positions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    /* the extension decides for MDD and glTF: a link to the file in memory has it */
    static char folder[64];
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "/tmp/tact-fuzz-XXXXXX");
        require(mkdtemp(folder) != NULL);
    }
    static const char *const extensions[] = {"pc2", "mdd", "gltf"};
    const unsigned kind = data[0] % 3;
    const int file = memfd_create("frames", 0);
    require(file >= 0 && write(file, data + 1, size - 1) == (ssize_t)(size - 1));
    char target[64], path[128], error[FRAMES_ERROR] = "";
    (void)snprintf(target, sizeof target, "/proc/self/fd/%d", file);
    (void)snprintf(path, sizeof path, "%s/a.%s", folder, extensions[kind]);
    require(symlink(target, path) == 0);
    /* three vertices, as the files of the corpus have, and no faces */
    static double vertices[9];
    static uint32_t starts[1];
    const mesh_file mesh = {.vertices = vertices, .vertex_count = 3, .face_start = starts};
    const frames_def def = {.path = path, .mesh = kind < 2 ? &mesh : NULL, .mesh_path = "mesh", .fps = data[0]};
    frame_source source;
    if (tact_frames_open(&source, &def, error, sizeof error)) {
        use(&source, error);
        tact_frames_close(&source);
    } else {
        require(error[0] != '\0');
    }
    (void)unlink(path);
    (void)close(file);
    return 0;
}
