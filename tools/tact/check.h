/* tact check: what is odd about meshes, and where they intersect each other and themselves. */
#ifndef TACT_TOOL_CHECK_H
#define TACT_TOOL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/mesh.h>

#include "face_pairs.h"

/* What was found about one file. */
typedef struct check_file {
    const char *path;
    const char *format; /* as mesh_file.format */
    double bytes;       /* of the file */
    tact_mesh_size size;
    size_t skipped; /* elements of the file that are no polygons */
    tact_mesh_findings findings;
    face_pairs crossings; /* inside the mesh */
    size_t nested;        /* connected parts that are wholly inside another part of the mesh */
    tact_shape *shape;
    double read_seconds, build_seconds, test_seconds;
} check_file;

/* What was found about two files; their order is that of the command line. */
typedef struct check_pair {
    size_t a, b; /* numbers of the files */
    face_pairs crossings;
    size_t a_inside_b, b_inside_a; /* connected parts of the one that are wholly inside the other */
    double seconds;
} check_pair;

typedef struct check_result {
    check_file *files;
    size_t file_count;
    check_pair *pairs; /* every two files */
    size_t pair_count;
    double seconds; /* in all */
} check_result;

#define CHECK_ALL ((size_t)-1)

/* Both print to stdout, listing at most `limit` pairs of faces of each file and each two files. */
void tact_check_print(const check_result *result, size_t limit);
void tact_check_print_json(const check_result *result, size_t limit);

/* The command: tact check FILE... Returns the exit status. */
int tact_check_command(int argc, char **argv);

#endif
