/*
 * tact-cad runs in a child process with limits of memory and time (child_process.h). Both of its
 * outputs go to unnamed temporary files, so that neither process waits for the other. What it wrote is read and checked
 * like any NURBS file. The program is searched beside the running one, then in PATH; the environment variable TACT_CAD
 * replaces both.
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define ON_POSIX 1
#else
#define ON_POSIX 0
#endif

#include "cad_file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child_process.h"
#include "json_read.h"
#include "mesh_file.h"
#include "mesh_file_source.h"
#include "shape/mesh.h"
#include "shape/shape_data.h"
#include "shape/topology.h"
#include "shape_read.h"

bool tact_cad_file_is(const char *path)
{
    static const char *const endings[] = {".step", ".stp", ".iges", ".igs"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);
        if (length >= size && tact_mesh_word_is_any_case(path + length - size, size, endings[i]))
            return true;
    }
    return false;
}

#if !ON_POSIX

tact_shape *tact_cad_file_read(const char *path, double tolerance, cad_conversion *conversion, char *error,
                               size_t error_size)
{
    (void)tolerance;
    *conversion = (cad_conversion){0};
    (void)snprintf(error, error_size, "%s: STEP and IGES files cannot be read on this system", path);
    return NULL;
}

bool tact_cad_program_find(char *path, size_t size)
{
    (void)snprintf(path, size, "tact-cad");
    return false;
}

#else

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status of a child that could not start tact-cad, as in shells. */
#define NOT_FOUND 127

/* Bytes of the path of a program. */
#define PROGRAM_PATH 4096

/* Open CASCADE 7.6 takes 1.1 s and 48 MB for a part of 1.8 MB with 37 faces. */
static const child_limits reader_limits = {
    .memory = 0x1p32, .memory_per_byte = 1024.0, .seconds = 60.0, .seconds_per_byte = 1e-4};

/* Bytes that it may write for each byte of the file and of another MiB. */
#define OUTPUT_BYTES 0x1p10

typedef struct cad_reader {
    const char *path;
    double bytes;      /* of the file */
    FILE *out, *notes; /* what tact-cad writes to its standard output and standard error */
    char *error;
    size_t error_size;
} cad_reader;

static bool fail(const cad_reader *r, const char *reason)
{
    (void)snprintf(r->error, r->error_size, "%s: %s", r->path, reason);
    return false;
}

/* The program beside the running one; empty if it is not there or the system does not say where that is. */
static void neighbour_find(char program[PROGRAM_PATH])
{
    static const char name[] = "tact-cad";
    const ssize_t length = readlink("/proc/self/exe", program, PROGRAM_PATH - sizeof name);
    program[length > 0 ? length : 0] = '\0';
    char *end = strrchr(program, '/');
    if (!end) {
        program[0] = '\0';
        return;
    }
    memcpy(end + 1, name, sizeof name);
    if (access(program, X_OK) != 0)
        program[0] = '\0';
}

/* Searches a program in the folders of PATH, as execvp does. */
static bool program_search(const char *name, char *path, size_t size)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        const size_t length = strcspn(at, ":");
        (void)snprintf(path, size, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
        if (access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    (void)snprintf(path, size, "%s", name);
    return false;
}

bool tact_cad_program_find(char *path, size_t size)
{
    char neighbour[PROGRAM_PATH];
    const char *given = getenv("TACT_CAD");
    neighbour_find(neighbour);
    if (!given && !neighbour[0])
        return program_search("tact-cad", path, size);
    if (given && !strchr(given, '/'))
        return program_search(given, path, size);
    (void)snprintf(path, size, "%s", given ? given : neighbour);
    return access(path, X_OK) == 0;
}

/* Replaces the child by tact-cad. */
_Noreturn static void child_run(const cad_reader *r, const char *program, pid_t parent)
{
    static const char name[] = "tact-cad";
    const rlim_t most = (rlim_t)(OUTPUT_BYTES * (0x1p20 + r->bytes));
    const struct rlimit output = {most, most};
    tact_child_begin((long)parent, &reader_limits, r->bytes, false);
    (void)setrlimit(RLIMIT_FSIZE, &output);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(fileno(r->out), STDOUT_FILENO) < 0 ||
        dup2(fileno(r->notes), STDERR_FILENO) < 0)
        _exit(1);
    /* a path that begins with - is not an option */
    char file[PROGRAM_PATH + 2], first[sizeof name];
    const int length = snprintf(file, sizeof file, "%s%s", r->path[0] == '-' ? "./" : "", r->path);
    memcpy(first, name, sizeof name);
    char *const words[] = {first, file, NULL};
    if (length > 0 && (size_t)length < sizeof file)
        (void)execvp(program, words);
    _exit(NOT_FOUND);
}

static bool child_wait(const cad_reader *r, pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(r, "could not be read: its reader was lost");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return fail(r, "is a STEP or IGES file, which the program tact-cad reads; it is not installed. To build it, "
                       "install Open CASCADE (Debian: libocct-data-exchange-dev) and build tact again");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return fail(r, "takes its reader too long for its size: it is probably damaged");
    if (WIFSIGNALED(status)) {
        char reason[MESH_FILE_ERROR / 4];
        (void)snprintf(reason, sizeof reason, "crashed its reader (signal %d): the file is probably damaged",
                       WTERMSIG(status));
        return fail(r, reason);
    }
    /* one line that begins with the path */
    rewind(r->notes);
    if (!fgets(r->error, (int)r->error_size, r->notes) || r->error[0] == '\n')
        return fail(r, "could not be read: its reader failed without a message");
    r->error[strcspn(r->error, "\n")] = '\0';
    return false;
}

/* Runs tact-cad to its end. */
static bool cad_run(cad_reader *r)
{
    struct stat info = {0};
    if (stat(r->path, &info) == 0 && !S_ISREG(info.st_mode))
        return fail(r, "is not a regular file");
    r->bytes = (double)info.st_size;
    char neighbour[PROGRAM_PATH];
    const char *given = getenv("TACT_CAD");
    neighbour_find(neighbour);
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        child_run(r, given ? given : neighbour[0] ? neighbour : "tact-cad", parent);
    if (child < 0)
        return fail(r, "cannot create a process to read it");
    return child_wait(r, child);
}

static bool notes_read(const cad_reader *r, cad_conversion *c)
{
    rewind(r->notes);
    return fscanf(r->notes, "%zu faces, %zu approximated, error %lf, gap %lf", &c->faces, &c->approximated, &c->error,
                  &c->gap) == 4 &&
           isfinite(c->error) && isfinite(c->gap) && c->error >= 0.0 && c->gap >= 0.0;
}

static bool has_trims(const json_t *root)
{
    const json_t *surfaces = json_object_get(root, "surfaces");
    for (size_t i = 0; i < json_array_size(surfaces); i++)
        if (json_object_get(json_array_get(surfaces, i), "trims"))
            return true;
    return false;
}

static bool is_closed(const tact_shape *shape)
{
    const mesh *m = shape->mesh;
    const tact_allocator standard = {NULL, NULL};
    tact_mesh_findings findings = {0};
    return tact_topology_check(m->vertices, m->vertex_count, m->indices, m->element_count, &standard, &findings) ==
               TACT_OK &&
           findings.closed;
}

/* Makes the shape with its edges, unless it is closed without them. If its faces do not fit at the edges, it becomes a
 * set of faces that bounds nothing. Changes the JSON. */
static tact_shape *joined_shape_make(json_t *root, cad_conversion *conversion, tact_input_error *reason)
{
    mesh_cache unused = {0}; /* NURBS shapes with surfaces name no files */
    const tact_json_path where = {NULL, NULL, 0};
    json_t *edges = json_incref(json_object_get(root, "edges"));
    tact_shape *shape = NULL;
    if (edges && has_trims(root)) {
        shape = tact_shape_read(root, &where, &unused, reason);
        (void)json_object_del(root, "edges");
    } else if (edges) {
        (void)json_object_del(root, "edges");
        shape = tact_shape_read(root, &where, &unused, reason);
        if (shape && !is_closed(shape)) {
            tact_shape_release(shape);
            (void)json_object_set(root, "edges", edges);
            shape = tact_shape_read(root, &where, &unused, reason);
            (void)json_object_del(root, "edges");
        }
    }
    json_decref(edges);
    if (!shape) {
        const char *cause = strstr(reason->text, "created: "); /* after what cannot be created */
        if (json_is_true(json_object_get(root, "solid")))
            (void)snprintf(conversion->not_solid, sizeof conversion->not_solid, "%s",
                           cause != NULL ? cause + strlen("created: ") : reason->text);
        *reason = (tact_input_error){{0}, 0};
        shape = tact_shape_read(root, &where, &unused, reason);
        if (shape && shape->mesh->solid)
            shape->mesh->solid = is_closed(shape);
        if (shape && shape->mesh->solid)
            conversion->not_solid[0] = '\0';
        else if (json_is_true(json_object_get(root, "solid")) && conversion->not_solid[0] == '\0')
            (void)snprintf(conversion->not_solid, sizeof conversion->not_solid, "its faces do not enclose a volume");
    }
    return shape;
}

static tact_shape *shape_make(const cad_reader *r, double tolerance, cad_conversion *conversion)
{
    json_error_t syntax;
    rewind(r->out);
    json_t *root = json_loadf(r->out, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &syntax);
    if (!root || !notes_read(r, conversion)) {
        json_decref(root);
        (void)fail(r, "could not be read: the output of its reader is damaged");
        return NULL;
    }
    if (tolerance > 0.0)
        (void)json_object_set_new(root, "tolerance", json_real(tolerance));
    tact_input_error reason = {{0}, 0};
    tact_shape *shape = joined_shape_make(root, conversion, &reason);
    json_decref(root);
    if (!shape)
        (void)fail(r, reason.text);
    else
        shape->surface_error += conversion->error + conversion->gap;
    return shape;
}

tact_shape *tact_cad_file_read(const char *path, double tolerance, cad_conversion *conversion, char *error,
                               size_t error_size)
{
    cad_reader r = {.path = path, .out = tmpfile(), .error = error, .error_size = error_size};
    r.notes = r.out ? tmpfile() : NULL;
    *conversion = (cad_conversion){0};
    tact_shape *shape = NULL;
    if (!r.notes)
        (void)fail(&r, "cannot create a temporary file to read it");
    else if (cad_run(&r))
        shape = shape_make(&r, tolerance, conversion);
    if (r.out)
        (void)fclose(r.out);
    if (r.notes)
        (void)fclose(r.notes);
    return shape;
}

#endif
