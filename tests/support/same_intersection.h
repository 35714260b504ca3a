/* Whether two answers name the same part, and describe the same intersection to the last bit. */
#ifndef TACT_TEST_SAME_INTERSECTION_H
#define TACT_TEST_SAME_INTERSECTION_H

#include <stdbool.h>
#include <tact/query.h>

static inline bool same_point(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static inline bool same_part(tact_part a, tact_part b) { return a.leaf == b.leaf && a.face == b.face; }

static inline bool same_intersection(const tact_intersection *s, const tact_intersection *t)
{
    return same_point(s->from, t->from) && same_point(s->to, t->to) && same_part(s->part_a, t->part_a) &&
           same_part(s->part_b, t->part_b) && s->facet_a == t->facet_a && s->facet_b == t->facet_b &&
           s->type == t->type && s->edge[0] == t->edge[0] && s->edge[1] == t->edge[1] && s->edge_of_b == t->edge_of_b;
}

#endif
