/* Positions of the vertices of a tessellation, and the tables of basis functions that they are computed with. */
#ifndef TACT_NURBS_NURBS_POSITIONS_H
#define TACT_NURBS_NURBS_POSITIONS_H

#include "nurbs/nurbs_tessellation.h"

/* Numbers in the table of one span of a surface along d. */
static inline size_t nurbs_table_size(const nurbs_surface *s, int d, int level)
{
    return (((size_t)1 << level) + 1) * (size_t)(s->degree[d] + 1);
}

/* The index in its surface of the first control point that influences a patch. */
static inline size_t nurbs_patch_corner(const nurbs_surface *s, const nurbs_patch *p)
{
    return (size_t)(s->spans[0][p->span[0]] - (uint32_t)s->degree[0]) * s->counts[1] +
           (s->spans[1][p->span[1]] - (uint32_t)s->degree[1]);
}

/* Makes tables for the cells, with a level more for the centres of cells. Returns false if memory runs out. */
bool tact_nurbs_tables_extend(nurbs_tessellation *t);

/* Computes the positions of the vertices `first` to `end` - 1. */
void tact_nurbs_location_range(nurbs_tessellation *t, uint32_t first, uint32_t end);

#endif
