/* tact check: mesh defects, self-intersections and interference between meshes. */
#ifndef TACT_TOOL_CHECK_H
#define TACT_TOOL_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "cad_file.h"
#include "face_pairs.h"

/* The result for one file. */
typedef struct check_file {
    const char *path;
    const char *format; /* for people, as mesh_file.format */
    double bytes;       /* of the file */
    tact_mesh_size size;
    size_t skipped; /* elements of the file that are not polygons */
    tact_mesh_findings findings;
    face_pairs intersections;  /* of faces of this mesh */
    size_t nested;             /* connected components that lie inside another component of the mesh */
    tact_shape *shape;         /* a mesh or a NURBS shape */
    bool nurbs, cad;           /* cad: NURBS from a STEP or IGES file */
    size_t surfaces;           /* NURBS */
    bool trimmed;              /* NURBS: a surface has trimming loops; then self-intersections are not tested */
    double error;              /* NURBS: no triangle is farther from its surface */
    cad_conversion conversion; /* cad */
    double read_seconds, build_seconds, test_seconds;
} check_file;

/* The result for two files, in the order of the command line. */
typedef struct check_pair {
    size_t a, b; /* indices in check_result.files */
    face_pairs intersections;
    size_t a_inside_b, b_inside_a; /* connected components of one mesh that lie inside the other */
    /* One of them is NURBS: whether they touch, and their distance. No component is counted as inside. If both are
     * NURBS and touch, `intersections` are the pairs of surfaces that do. */
    bool nurbs, touch;
    tact_distance distance;
    double seconds;
} check_pair;

typedef struct check_result {
    check_file *files;
    size_t file_count;
    check_pair *pairs; /* all pairs of files */
    size_t pair_count;
    double seconds; /* total */
} check_result;

/* No limit on the number of listed pairs. */
#define CHECK_ALL ((size_t)-1)

/* Both print to stdout and list at most `limit` pairs of faces for each file and each pair of files. */
void tact_check_print(const check_result *result, size_t limit);
void tact_check_print_json(const check_result *result, size_t limit);

/* The command: tact check FILE... Returns the exit status. */
int tact_check_command(int argc, char **argv);

#endif
