/*
 * A library that reads two dozen formats cannot be relied on to survive damaged files: Assimp 5.2 crashes on an OFF
 * whose face names a vertex that is not there. So it runs in a child of this process, made by fork, which sends what it
 * read through a pipe; nothing it does to its memory reaches us. What arrives is checked like a file: the child may
 * have been going wrong before it wrote. Cost: a millisecond, and a copy of the mesh.
 *
 * The child prints nothing and leaves no core; it never returns, so nothing of the parent's is flushed or freed twice.
 * It has no limit of time: a large file in a rich format takes long, and whoever waits can interrupt both.
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define ON_POSIX 1
#else
#define ON_POSIX 0
#endif

#include "mesh_file_apart.h"

#if !ON_POSIX

bool tact_mesh_read_apart(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *))
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

/* What the child sends first; then the numbers, corners and firsts. */
typedef struct letter {
    bool done;
    char error[MESH_FILE_ERROR]; /* when not done */
    size_t number_count, corner_count, first_count, part_count, skipped_count;
} letter;

/* The most bytes that one write or read is asked to move: some systems refuse more than an int can say. */
#define MOVE_LIMIT ((size_t)1 << 30)

static bool all_write(int to, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t moved = write(to, at, size < MOVE_LIMIT ? size : MOVE_LIMIT);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        at += moved;
        size -= (size_t)moved;
    }
    return true;
}

static bool all_read(int from, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        ssize_t moved = read(from, at, size < MOVE_LIMIT ? size : MOVE_LIMIT);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        at += moved;
        size -= (size_t)moved;
    }
    return true;
}

/* Dies as a process should, whatever handlers this one has, and in silence. */
static void child_prepare(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPIPE};
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        (void)signal(deadly[i], SIG_DFL);
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
}

_Noreturn static void child_run(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *),
                                int to)
{
    letter sent;
    memset(&sent, 0, sizeof sent);
    child_prepare();
    source->error = sent.error;
    source->room = sizeof sent.error;
    sent.done = read(source, build);
    if (sent.done) {
        sent.number_count = build->numbers.count;
        sent.corner_count = build->corners.count;
        sent.first_count = build->firsts.count;
        sent.part_count = build->part_count;
        sent.skipped_count = build->skipped_count;
    }
    bool whole = all_write(to, &sent, sizeof sent) &&
                 all_write(to, build->numbers.items, sent.number_count * sizeof *build->numbers.items) &&
                 all_write(to, build->corners.items, sent.corner_count * sizeof *build->corners.items) &&
                 all_write(to, build->firsts.items, sent.first_count * sizeof *build->firsts.items);
    _exit(whole ? 0 : 1);
}

/* How it went with a letter. */
typedef enum outcome { ARRIVED, CUT_SHORT, GARBLED, COMPLAINED } outcome;

static bool fits_together(const mesh_build *build)
{
    size_t vertices = mesh_build_vertex_count(build), faces = build->firsts.count - 1;
    const uint32_t *first = build->firsts.items;
    for (size_t i = 0; i < build->numbers.count; i++)
        if (!isfinite(build->numbers.items[i]))
            return false;
    for (size_t i = 0; i < build->corners.count; i++)
        if (build->corners.items[i] >= vertices)
            return false;
    for (size_t f = 0; f < faces; f++)
        if (first[f + 1] < first[f] || first[f + 1] - first[f] < 3)
            return false;
    return first[0] == 0 && first[faces] == build->corners.count && build->part_count <= faces;
}

static outcome letter_read(const mesh_source *source, mesh_build *build, int from)
{
    letter sent;
    if (!all_read(from, &sent, sizeof sent))
        return CUT_SHORT;
    if (!sent.done) {
        sent.error[sizeof sent.error - 1] = '\0';
        if (source->error && source->room > 0)
            (void)snprintf(source->error, source->room, "%s", sent.error);
        return COMPLAINED;
    }
    if (sent.number_count % 3 != 0 || sent.first_count == 0)
        return GARBLED;
    if (!tact_mesh_build_expect_vertices(build, sent.number_count / 3) ||
        !tact_mesh_build_expect_faces(build, sent.first_count - 1, sent.corner_count))
        return COMPLAINED;
    build->numbers.count = sent.number_count;
    build->corners.count = sent.corner_count;
    build->firsts.count = sent.first_count;
    build->part_count = sent.part_count;
    build->skipped_count = sent.skipped_count;
    bool whole = all_read(from, build->numbers.items, sent.number_count * sizeof *build->numbers.items) &&
                 all_read(from, build->corners.items, sent.corner_count * sizeof *build->corners.items) &&
                 all_read(from, build->firsts.items, sent.first_count * sizeof *build->firsts.items);
    return !whole ? CUT_SHORT : fits_together(build) ? ARRIVED : GARBLED;
}

bool tact_mesh_read_apart(mesh_source *source, mesh_build *build, bool (*read)(mesh_source *, mesh_build *))
{
    int ends[2];
    if (pipe(ends) != 0)
        return tact_mesh_source_fail(source, NULL, "no pipe to read it through: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        child_run(source, build, read, ends[1]);
    }
    int reason = errno;
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return tact_mesh_source_fail(source, NULL, "no process to read it in: %s", strerror(reason));
    }
    outcome result = letter_read(source, build, ends[0]);
    (void)close(ends[0]); /* a child that still writes ends here */
    int status = 0;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (result == ARRIVED || result == COMPLAINED)
        return result == ARRIVED;
    if (result == CUT_SHORT && ended == child && WIFSIGNALED(status))
        return tact_mesh_source_fail(source, NULL, "made its reader crash (signal %d)", WTERMSIG(status));
    return tact_mesh_source_fail(source, NULL, "made its reader fail without a reason");
}

#endif
