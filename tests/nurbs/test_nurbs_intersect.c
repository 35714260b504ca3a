/*
 * Intersection curves of NURBS surfaces: closed forms, random sheets against the triangles of dense grids, borders,
 * seams, poles, trims, touching surfaces, and failures.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "test.h"
#include "support/alloc_fail.h"
#include "support/nurbs_bodies.h"

enum { MAX_CURVES = 64, MAX_NODES = 20000 };
static tact_nurbs_intersection curves[MAX_CURVES];
static tact_nurbs_node nodes[MAX_NODES];
