#include "nurbs/nurbs_adjacency.h"

#include <math.h>

#include "core/number.h"
#include "math/vec.h"

nurbs_place tact_nurbs_locate(const nurbs_bounds *b, uint32_t node)
{
    if ((node & NURBS_GROUP) != 0) {
        const nurbs_group *g = &b->groups[node & ~NURBS_GROUP];
        nurbs_place place = {.surface = g->surface, .patch = NURBS_NO_NODE};
        for (int d = 0; d < 2; d++) {
            place.low[d] = (uint64_t)g->low[d] << NURBS_PLACE_LEVEL;
            place.high[d] = (uint64_t)g->high[d] << NURBS_PLACE_LEVEL;
        }
        return place;
    }
    const nurbs_cell *c = &b->t->cells.items[node];
    const nurbs_patch *p = &b->t->model->patches[c->patch];
    const unsigned shift = NURBS_PLACE_LEVEL - c->level;
    nurbs_place place = {.surface = p->surface, .patch = c->patch};
    place.low[0] = ((uint64_t)p->span[0] << NURBS_PLACE_LEVEL) + ((uint64_t)c->x << shift);
    place.low[1] = ((uint64_t)p->span[1] << NURBS_PLACE_LEVEL) + ((uint64_t)c->y << shift);
    for (int d = 0; d < 2; d++)
        place.high[d] = place.low[d] + (UINT64_C(1) << shift);
    return place;
}

/* ---- one surface ---- */

static bool link_in_surface(const nurbs_place *a, const nurbs_place *b, nurbs_link *link)
{
    link->free = false;
    for (int d = 0; d < 2; d++) {
        if (a->high[d] < b->low[d] || b->high[d] < a->low[d])
            return false;
        link->a[d] = link->b[d] = (uint8_t)(2 * d + (b->high[d] == a->low[d] ? 1 : 0));
        link->free |= a->high[d] != b->low[d] && b->high[d] != a->low[d];
    }
    return true;
}

/* ---- classes ---- */

/* Bits of the sides of its patch that a place touches. */
static unsigned touched_sides(const nurbs_model *m, const nurbs_place *p)
{
    const uint32_t *span = m->patches[p->patch].span;
    unsigned sides = 0;
    for (unsigned d = 0; d < 2; d++) {
        const uint64_t low = (uint64_t)span[d] << NURBS_PLACE_LEVEL;
        sides |= p->low[d] == low ? d == 0 ? 8u : 1u : 0u;
        sides |= p->high[d] == low + (UINT64_C(1) << NURBS_PLACE_LEVEL) ? d == 0 ? 2u : 4u : 0u;
    }
    return sides;
}

/* The sense towards a side from inside. */
static const uint8_t outward[4] = {NURBS_MINUS_T, NURBS_PLUS_S, NURBS_PLUS_T, NURBS_MINUS_S};

static uint8_t opposite_sense(uint8_t sense) { return (uint8_t)(sense ^ 1); }

/* The interval of a place along a side, in the direction of the class. */
static void interval_along(const nurbs_model *m, const nurbs_place *p, unsigned side, uint64_t *low, uint64_t *high)
{
    const nurbs_patch *patch = &m->patches[p->patch];
    const unsigned d = side % 2;
    const uint64_t base = (uint64_t)patch->span[d] << NURBS_PLACE_LEVEL, one = UINT64_C(1) << NURBS_PLACE_LEVEL;
    *low = p->low[d] - base;
    *high = p->high[d] - base;
    if ((patch->reversed >> side & 1) != 0) {
        const uint64_t swapped = one - *high;
        *high = one - *low;
        *low = swapped;
    }
}

static bool link_of_sides(const nurbs_model *m, const nurbs_place *a, unsigned i, const nurbs_place *b, unsigned k,
                          nurbs_link *link)
{
    uint64_t low[2], high[2];
    interval_along(m, a, i, &low[0], &high[0]);
    interval_along(m, b, k, &low[1], &high[1]);
    if (high[0] < low[1] || high[1] < low[0])
        return false;
    const unsigned reversed_a = m->patches[a->patch].reversed >> i & 1u,
                   reversed_b = m->patches[b->patch].reversed >> k & 1u;
    const unsigned back = high[1] == low[0]; /* B is before A in the direction of the class */
    link->a[0] = outward[i];
    link->b[0] = opposite_sense(outward[k]);
    link->a[1] = (uint8_t)(2 * (i % 2) + (reversed_a ^ back));
    link->b[1] = (uint8_t)(2 * (k % 2) + (reversed_b ^ back));
    link->free = high[0] != low[1] && high[1] != low[0];
    return true;
}

/* A way from inside a place to a corner class. */
typedef struct corner_way {
    uint32_t corner;
    uint8_t sense[2];
} corner_way;

/* Poles first, as their ways have one sense. Returns the number, at most 8. */
static unsigned corner_ways(const nurbs_patch *p, unsigned sides, corner_way ways[8])
{
    static const uint8_t corner_sides[4][2] = {{3, 0}, {1, 0}, {1, 2}, {3, 2}};
    unsigned count = 0;
    for (unsigned k = 0; k < 4; k++)
        if ((sides >> k & 1) != 0 && p->side[k] == NURBS_POLE)
            ways[count++] = (corner_way){p->corner[k], {outward[k], NURBS_NO_SENSE}};
    for (unsigned k = 0; k < 4; k++) {
        const unsigned s = corner_sides[k][0], t = corner_sides[k][1];
        if ((sides >> s & 1) != 0 && (sides >> t & 1) != 0)
            ways[count++] = (corner_way){p->corner[k], {outward[s], outward[t]}};
    }
    return count;
}

static uint8_t sense_back(uint8_t sense) { return sense == NURBS_NO_SENSE ? sense : opposite_sense(sense); }

unsigned tact_nurbs_touched_poles(const nurbs_model *m, const nurbs_place *p)
{
    unsigned poles = touched_sides(m, p);
    for (unsigned k = 0; k < 4; k++)
        poles &= m->patches[p->patch].side[k] == NURBS_POLE ? 15u : ~(1u << k);
    return poles;
}

unsigned tact_nurbs_find_links(const nurbs_model *m, const nurbs_place *a, const nurbs_place *b, nurbs_link *links,
                               unsigned limit)
{
    unsigned count = 0;
    if (a->surface == NURBS_NO_NODE || b->surface == NURBS_NO_NODE)
        return 0;
    if (a->surface == b->surface && link_in_surface(a, b, &links[0]) && ++count == limit)
        return count;
    if (a->patch == NURBS_NO_NODE || b->patch == NURBS_NO_NODE)
        return count;
    const unsigned sides_a = touched_sides(m, a), sides_b = touched_sides(m, b);
    if (sides_a == 0 || sides_b == 0)
        return count;
    const nurbs_patch *p = &m->patches[a->patch], *q = &m->patches[b->patch];
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 4; k++)
            if ((sides_a >> i & 1) != 0 && (sides_b >> k & 1) != 0 && p->side[i] == q->side[k] &&
                p->side[i] != NURBS_POLE && !(p == q && i == k) && link_of_sides(m, a, i, b, k, &links[count]) &&
                ++count == limit)
                return count;
    corner_way ways[2][8];
    const unsigned n = corner_ways(p, sides_a, ways[0]), l = corner_ways(q, sides_b, ways[1]);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < l; k++) {
            if (ways[0][i].corner != ways[1][k].corner)
                continue;
            links[count] = (nurbs_link){{ways[0][i].sense[0], ways[0][i].sense[1]},
                                        {sense_back(ways[1][k].sense[0]), sense_back(ways[1][k].sense[1])},
                                        false};
            if (++count == limit)
                return count;
        }
    return count;
}

/* ---- paths ---- */

/* The length of the way from the farthest point of x to a corner of the leaf a. */
static double way_length(const nurbs_place *a, const nurbs_place *x, const double speed[2], const corner_way *way)
{
    double length = 0.0;
    for (int k = 0; k < 2; k++) {
        if (way->sense[k] == NURBS_NO_SENSE)
            continue;
        const int d = way->sense[k] / 2;
        length += speed[d] * (double)(way->sense[k] % 2 == 0 ? a->high[d] - x->low[d] : x->high[d] - a->low[d]);
    }
    return length;
}

double tact_nurbs_path_length(const nurbs_model *m, const nurbs_place *a, const nurbs_place *x, const double speed_a[2],
                              const nurbs_place *b, const nurbs_place *y, const double speed_b[2])
{
    double shortest = INFINITY;
    nurbs_link link;
    if (a->surface == b->surface && link_in_surface(a, b, &link)) {
        shortest = 0.0;
        for (int d = 0; d < 2; d++) {
            const uint64_t low = x->low[d] < y->low[d] ? x->low[d] : y->low[d],
                           high = x->high[d] > y->high[d] ? x->high[d] : y->high[d];
            shortest += (double)(high - low) * max_double(speed_a[d], speed_b[d]);
        }
    }
    corner_way ways[2][8];
    const unsigned n = corner_ways(&m->patches[a->patch], touched_sides(m, a), ways[0]),
                   l = corner_ways(&m->patches[b->patch], touched_sides(m, b), ways[1]);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < l; k++)
            if (ways[0][i].corner == ways[1][k].corner)
                shortest = number_min(shortest,
                                      way_length(a, x, speed_a, &ways[0][i]) + way_length(b, y, speed_b, &ways[1][k]));
    return shortest;
}
