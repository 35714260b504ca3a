/*
 * Reads STEP and IGES files: every face becomes a surface of a NURBS shape, in the order of the file. Lengths are in
 * millimetres. The program tact-cad, which is built with Open CASCADE, reads the file in a process of its own.
 */
#ifndef TACT_TOOL_CAD_FILE_H
#define TACT_TOOL_CAD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/shape.h>

#include "mesh_file.h"

typedef struct cad_conversion {
    size_t faces;
    size_t approximated;             /* faces that are not NURBS surfaces exactly */
    double error;                    /* largest distance of samples of these from their NURBS surfaces */
    double gap;                      /* largest gap in samples between two faces along their common edge */
    char not_solid[MESH_FILE_ERROR]; /* why its faces bound nothing, though all belong to solids; empty: no reason */
} cad_conversion;

/* Whether the name ends in .step, .stp, .iges or .igs, in upper or lower case. */
bool tact_cad_file_is(const char *path);

/* Reads the shape. `tolerance` is that of its tessellation; 0: 1/512 of half the largest extent of the part. The error
 * and the gap are added to the error of the tessellation, so that all queries include them. The shape is solid if the
 * part consists of solids whose faces fit at all edges; otherwise its faces bound nothing. On failure returns NULL
 * with one line in `error`, which has MESH_FILE_ERROR bytes (mesh_file.h). */
tact_shape *tact_cad_file_read(const char *path, double tolerance, cad_conversion *conversion, char *error,
                               size_t error_size);

/* Finds the program tact-cad: the one that TACT_CAD names, or beside the running program, or in PATH. `path` gets its
 * name. False if there is none that can be run; then it gets the name that was searched. */
bool tact_cad_program_find(char *path, size_t size);

#endif
