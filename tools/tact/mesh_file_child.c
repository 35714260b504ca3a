/*
 * A reader of two dozen formats cannot be trusted with damaged files: Assimp 5.2 crashes on an OFF file whose face
 * refers to a missing vertex. So it runs in a child process, made by fork, which sends the mesh through a pipe. The
 * parent checks what it receives like a file, since the child may have corrupted its memory before it wrote. Cost: a
 * millisecond and a copy of the mesh.
 *
 * The child prints nothing, writes no file, and has the limits below. It never returns, so nothing of the parent is
 * flushed or freed twice.
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define ON_POSIX 1
#else
#define ON_POSIX 0
#endif

#include "mesh_file_child.h"

#if !ON_POSIX

bool tact_mesh_read_in_child(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *))
{
    return read(source, build);
}

#else

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_process.h"

/* The header of the child's message; the coordinates, indices and face starts follow. */
typedef struct child_message {
    bool done;
    char error[MESH_FILE_ERROR]; /* if not done */
    size_t coordinate_count, index_count, start_count, skipped_count;
} child_message;

/* Bytes of one read or write call: some systems refuse more than INT_MAX. */
#define TRANSFER_LIMIT ((size_t)1 << 30)

typedef enum transfer_direction { SEND, RECEIVE } transfer_direction;

/* Writes or reads all bytes; false on an error or the end of the file. `data` is not changed by SEND. */
static bool bytes_transfer(transfer_direction direction, int file, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        const size_t step = size < TRANSFER_LIMIT ? size : TRANSFER_LIMIT;
        const ssize_t transferred = direction == SEND ? write(file, at, step) : read(file, at, step);
        if (transferred < 0 && errno == EINTR)
            continue;
        if (transferred <= 0)
            return false;
        at += transferred;
        size -= (size_t)transferred;
    }
    return true;
}

/* Transfers the arrays of a mesh, whose counts are known. */
static bool arrays_transfer(transfer_direction direction, int file, mesh_build *build)
{
    return bytes_transfer(direction, file, build->coordinates.items,
                          build->coordinates.count * sizeof *build->coordinates.items) &&
           bytes_transfer(direction, file, build->indices.items, build->indices.count * sizeof *build->indices.items) &&
           bytes_transfer(direction, file, build->face_starts.items,
                          build->face_starts.count * sizeof *build->face_starts.items);
}

/* Assimp 5.2 takes at most 14 bytes and 0.05 us for a byte of a file of 6 to 58 MB (OFF, glTF, COLLADA, X, 3DS);
 * compressed formats take more. */
static const child_limits reader_limits = {
    .memory = 0x1p29, .memory_per_byte = 256.0, .seconds = 10.0, .seconds_per_byte = 2e-5};

/* Sets the limits, and discards all output. */
static void child_prepare(pid_t parent)
{
    const struct rlimit no_bytes = {0, 0};
    tact_child_begin((long)parent, &reader_limits, 0.0, true);
    (void)setrlimit(RLIMIT_FSIZE, &no_bytes);
    int null_device = open("/dev/null", O_WRONLY);
    if (null_device >= 0) {
        (void)dup2(null_device, STDOUT_FILENO);
        (void)dup2(null_device, STDERR_FILENO);
    }
}

_Noreturn static void child_run(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *),
                                int to, pid_t parent)
{
    child_message sent;
    memset(&sent, 0, sizeof sent);
    child_prepare(parent);
    source->error = sent.error;
    source->error_size = sizeof sent.error;
    sent.done = read(source, build);
    if (sent.done) {
        sent.coordinate_count = build->coordinates.count;
        sent.index_count = build->indices.count;
        sent.start_count = build->face_starts.count;
        sent.skipped_count = build->skipped_count;
    }
    bool complete = bytes_transfer(SEND, to, &sent, sizeof sent) && (!sent.done || arrays_transfer(SEND, to, build));
    _exit(complete ? 0 : 1);
}

/* The result of receiving a message. */
typedef enum child_result { RECEIVED, TRUNCATED, INVALID, READ_FAILED } child_result;

static bool mesh_is_valid(const mesh_build *build)
{
    size_t vertices = mesh_build_vertex_count(build), faces = build->face_starts.count - 1;
    const uint32_t *first = build->face_starts.items;
    for (size_t i = 0; i < build->coordinates.count; i++)
        if (!isfinite(build->coordinates.items[i]))
            return false;
    for (size_t i = 0; i < build->indices.count; i++)
        if (build->indices.items[i] >= vertices)
            return false;
    for (size_t f = 0; f < faces; f++)
        if (first[f + 1] < first[f] || first[f + 1] - first[f] < 3)
            return false;
    return first[0] == 0 && first[faces] == build->indices.count;
}

static child_result message_receive(const mesh_source *source, mesh_build *build, int from)
{
    child_message sent;
    if (!bytes_transfer(RECEIVE, from, &sent, sizeof sent))
        return TRUNCATED;
    if (!sent.done) {
        sent.error[sizeof sent.error - 1] = '\0';
        if (source->error && source->error_size > 0)
            (void)snprintf(source->error, source->error_size, "%s", sent.error);
        return READ_FAILED;
    }
    if (sent.coordinate_count % 3 != 0 || sent.start_count == 0)
        return INVALID;
    if (!tact_mesh_build_expect_vertices(build, sent.coordinate_count / 3) ||
        !tact_mesh_build_expect_faces(build, sent.start_count - 1, sent.index_count))
        return READ_FAILED;
    build->coordinates.count = sent.coordinate_count;
    build->indices.count = sent.index_count;
    build->face_starts.count = sent.start_count;
    build->skipped_count = sent.skipped_count;
    if (!arrays_transfer(RECEIVE, from, build))
        return TRUNCATED;
    return mesh_is_valid(build) ? RECEIVED : INVALID;
}

bool tact_mesh_read_in_child(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *))
{
    int ends[2];
    if (pipe(ends) != 0)
        return tact_mesh_source_fail(source, NULL, "cannot create a pipe to the process that reads it: %s",
                                     strerror(errno));
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        child_run(source, build, read, ends[1], parent);
    }
    int reason = errno;
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return tact_mesh_source_fail(source, NULL, "cannot create a process to read it: %s", strerror(reason));
    }
    child_result result = message_receive(source, build, ends[0]);
    (void)close(ends[0]); /* ends a child that still writes */
    int status = 0;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (result == RECEIVED || result == READ_FAILED)
        return result == RECEIVED;
    if (result == TRUNCATED && ended == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return tact_mesh_source_fail(source, NULL, "takes its reader too long for its size: it is probably damaged");
    if (result == TRUNCATED && ended == child && WIFSIGNALED(status))
        return tact_mesh_source_fail(source, NULL, "crashed its reader (signal %d): the file is probably damaged",
                                     WTERMSIG(status));
    return tact_mesh_source_fail(source, NULL, "could not be read: its reader failed without a message");
}

#endif
