/*
 * The frames of an animation: positions of the vertices of one mesh, read one frame at a time.
 *
 *     frame_source source;
 *     char error[FRAMES_ERROR];
 *     frames_def def = {.path = "walk.pc2", .mesh = &mesh, .mesh_path = "walk.obj"};
 *     if (!tact_frames_open(&source, &def, error, sizeof error))
 *         return fail(error);                       one line: "walk.pc2: has 12 vertices, but walk.obj has 10"
 *     for (size_t i = 0; i < source.frame_count; i++)
 *         if (!tact_frames_read(&source, i, positions, error, sizeof error))
 *             return fail(error);                   one line: "walk.pc2: frame 7: vertex 3 is not a number"
 *     tact_frames_close(&source);
 *
 * A path is one of:
 *   a folder            all mesh files in it, in the natural order of their names (f2 before f10)
 *   frames/f_*.ply      all files that match the shell pattern, in this order
 *   frames/f_%04d.ply   all files with such numbers, in the order of the numbers, without gaps
 *   a file              PC2 or glTF by its content, MDD by its extension
 * A file that exists under this very name is not a pattern.
 *
 * Only one frame is in memory at a time. All frames have the faces of the mesh.
 */
#ifndef TACT_TOOL_FRAMES_H
#define TACT_TOOL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/allocator.h>
#include <tact/vec.h>

#include "mesh_file.h"

/* Bytes of an error message: it may name two files. */
#define FRAMES_ERROR (3 * MESH_FILE_ERROR)

typedef struct frames_def {
    const char *path;      /* kept, must stay valid */
    const mesh_file *mesh; /* its faces and vertex count are those of every frame; kept. NULL: those of the source */
    const char *mesh_path; /* for errors; kept */
    double fps;            /* glTF: at least this many frames a unit of time between key times; 0: key times only */
    size_t animation;      /* glTF: the index of the animation */
    const tact_allocator *allocator; /* NULL: the default */
} frames_def;

typedef struct frame_source frame_source;

/* What a format provides. */
typedef struct frame_reader {
    const char *format; /* for people, such as "PC2" */
    /* Reads frame `index` into `positions`; on failure writes the error of the source. */
    bool (*read)(frame_source *source, size_t index, tact_vec3 *positions);
    /* The true positions in the middle between frame `interval` and the next. NULL: the motion is linear there. */
    bool (*read_middle)(frame_source *source, size_t interval, tact_vec3 *positions);
    /* The time of a frame. NULL: frames have no times. */
    double (*time)(const frame_source *source, size_t index);
    /* True if `path` names one of the files that are read. NULL: there is only that of the source. */
    bool (*uses)(const frame_source *source, const char *path);
    void (*close)(frame_source *source);
} frame_reader;

struct frame_source {
    const frame_reader *reader;
    frames_def def;
    tact_allocator allocator;
    size_t frame_count, vertex_count;
    const mesh_file *mesh; /* that of def, or that of the source */
    void *data;            /* of the reader */
    char *error;           /* during a call: receives the error message */
    size_t error_size;
};

/* Opens the frames. On failure returns false, with one line in `error`, and the source need not be closed. */
bool tact_frames_open(frame_source *source, const frames_def *def, char *error, size_t error_size);

/* Reads frame `index` < frame_count into `positions` (vertex_count vectors, all finite). */
bool tact_frames_read(frame_source *source, size_t index, tact_vec3 *positions, char *error, size_t error_size);

/* True if frames are samples of a motion that is not linear between them. */
bool tact_frames_is_sampled(const frame_source *source);

/* For sampled frames: the true positions in the middle between frame `interval` and the next one. */
bool tact_frames_read_middle(frame_source *source, size_t interval, tact_vec3 *positions, char *error,
                             size_t error_size);

/* True if frames have times. */
bool tact_frames_has_time(const frame_source *source);

/* The time of a frame, or its index. */
double tact_frames_time(const frame_source *source, size_t index);

/* True if `path` names a file that the source reads. */
bool tact_frames_uses(const frame_source *source, const char *path);

/* Frees everything; the source may be zero-initialised. */
void tact_frames_close(frame_source *source);

/* True if the content or the extension of the file is that of a glTF. */
bool tact_frames_is_gltf(const char *path);

/* ---- for the readers ---- */

#if defined(__GNUC__)
#define FRAMES_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define FRAMES_FORMAT(text, first)
#endif

/* Writes the error "PATH: sentence" to the source. Always returns false. Control characters become question marks. */
bool tact_frames_fail(const frame_source *source, const char *format, ...) FRAMES_FORMAT(2, 3);
bool tact_frames_out_of_memory(const frame_source *source);

/* Checks the number of vertices of the frames against the mesh. */
bool tact_frames_check_count(const frame_source *source, size_t vertex_count);

/* Checks that all positions are finite. */
bool tact_frames_check_finite(const frame_source *source, size_t index, const tact_vec3 *positions);

/* Each sets reader, frame_count, vertex_count, mesh and data. On failure it has freed its memory. */
bool tact_frames_open_pc2(frame_source *source);
bool tact_frames_open_mdd(frame_source *source);
bool tact_frames_open_folder(frame_source *source); /* a folder, or a pattern */
bool tact_frames_open_gltf(frame_source *source);

#endif
