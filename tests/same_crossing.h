/* Whether two answers name the same part, and tell of the same crossing to the last bit. */
#ifndef TACT_TEST_SAME_CROSSING_H
#define TACT_TEST_SAME_CROSSING_H

#include <tact/query.h>

#include "math/vec.h"

static inline bool same_part(tact_part a, tact_part b) { return a.leaf == b.leaf && a.face == b.face; }

static inline bool same_crossing(const tact_intersection *s, const tact_intersection *t)
{
    return vec_equal(s->from, t->from) && vec_equal(s->to, t->to) && same_part(s->part_a, t->part_a) &&
           same_part(s->part_b, t->part_b) && s->facet_a == t->facet_a && s->facet_b == t->facet_b &&
           s->type == t->type && s->edge[0] == t->edge[0] && s->edge[1] == t->edge[1] && s->edge_of_b == t->edge_of_b;
}

#endif
