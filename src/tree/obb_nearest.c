/*
 * Nearest pairs of triangles of two covered trees: branch and bound by the distance of oriented boxes.
 *
 * Guarantees: no pair whose distance, between placed triangles in the world, is at most the limit is missed; no
 * allocation. Depth first, nearer children first. The distance of two boxes is at least the length of the vector of
 * their gaps along the three axes of one of them, or of the other: the larger of the two is taken. (That of two
 * rectangles with a radius, Larsen, Gottschalk, Lin and Manocha, 1999, is closer but has no form for four at once.)
 * Only for placements that stretch all lengths alike, where lengths in the world are those of a box's own frame times a
 * factor.
 *
 * Two tori of 5,000 triangles that are apart: 0.17 to 0.21 ms for their distance; by the boxes of their trees 0.6 to
 * 0.7.
 */
#include "math/vec.h"
#include "tree/obb_internal.h"

/* Relative: what axes that are perpendicular up to OBB_ROUNDING, the products, sums and squares of gaps, and the factor
 * may be off by. */
#define GAP_ROUNDING 1e-5f

/* Of boxes that overlap, those with nearer middles come first: this part of the square of that distance is added, for
 * the order alone. */
#define MIDDLE_PART 1e-3f

/* The square of a gap, 0 where there is none; also for NaN. */
TACT_FORCE_INLINE simde__m128 gap_square(simde__m128 along, simde__m128 reach)
{
    const simde__m128 gap = simde_mm_max_ps(simde_mm_sub_ps(size_of(along), reach), simde_mm_setzero_ps());
    return simde_mm_mul_ps(gap, gap);
}

typedef struct scales {
    float opened, fixed; /* squares of the factors of the frames */
} scales;

/* Lower bounds of squares of distances, from sums of squares of gaps in both frames. What overflows stays finite: it
 * must not be beyond a limit that is farther still. */
TACT_FORCE_INLINE void store_squares(simde__m128 own, simde__m128 other, scales s, float square[TREE_WIDTH])
{
    own = simde_mm_mul_ps(own, simde_mm_set1_ps(s.opened * (1.0f - GAP_ROUNDING)));
    other = simde_mm_mul_ps(other, simde_mm_set1_ps(s.fixed * (1.0f - GAP_ROUNDING)));
    simde_mm_storeu_ps(square, simde_mm_min_ps(simde_mm_max_ps(own, other), simde_mm_set1_ps(FLT_MAX)));
}

/* The four boxes of a group and the fixed box. */
TACT_FORCE_INLINE void group_squares(const obb_sight *sight, const fixed_obb *f, const obb4 *four, scales s,
                                     float square[TREE_WIDTH])
{
    const simde__m128 slack = simde_mm_set1_ps(sight->slack), spare = simde_mm_set1_ps(sight->spare);
    const simde__m128 c[3] = {simde_mm_loadu_ps(four->centre[0]), simde_mm_loadu_ps(four->centre[1]),
                              simde_mm_loadu_ps(four->centre[2])};
    const simde__m128 d[3] = {simde_mm_sub_ps(c[0], SPREAD(f->middle, 0)), simde_mm_sub_ps(c[1], SPREAD(f->middle, 1)),
                              simde_mm_sub_ps(c[2], SPREAD(f->middle, 2))};
    simde__m128 u[3][3], h[3], own = simde_mm_setzero_ps(), other = simde_mm_setzero_ps();
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        h[i] = simde_mm_loadu_ps(four->half[i]);
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k)
            u[i][k] = simde_mm_loadu_ps(four->axis[i][k]);
        simde__m128 reach = simde_mm_add_ps(h[i], slack);
        TACT_UNROLL_3
        for (int k = 0; k < 3; ++k) {
            const simde__m128 r = dot4(u[i], SPREAD(f->edge[k], 0), SPREAD(f->edge[k], 1), SPREAD(f->edge[k], 2));
            reach = simde_mm_add_ps(reach, simde_mm_mul_ps(size_of(r), simde_mm_set1_ps(f->half[k])));
        }
        own = simde_mm_add_ps(own, gap_square(dot4(u[i], d[0], d[1], d[2]), reach));
    }
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        const simde__m128 x = SPREAD(f->normal[k], 0), y = SPREAD(f->normal[k], 1), z = SPREAD(f->normal[k], 2);
        simde__m128 reach = simde_mm_add_ps(simde_mm_set1_ps(f->half[k]), spare);
        TACT_UNROLL_3
        for (int i = 0; i < 3; ++i)
            reach = simde_mm_add_ps(reach, simde_mm_mul_ps(size_of(dot4(u[i], x, y, z)), h[i]));
        other = simde_mm_add_ps(other,
                                gap_square(simde_mm_add_ps(dot4(c, x, y, z), simde_mm_set1_ps(f->offset[k])), reach));
    }
    store_squares(own, other, s, square);
}

/* The boxes of up to four items at the bottom and the fixed box. */
TACT_FORCE_INLINE void item_squares(const obb_sight *sight, const fixed_obb *f, const box4 *four, scales s,
                                    float square[TREE_WIDTH])
{
    const simde__m128 extent = cover_extent(sight, f), spare = simde_mm_set1_ps(sight->spare);
    simde__m128 c[3], h[3], own = simde_mm_setzero_ps(), other = simde_mm_setzero_ps();
    cover_halves(four, c, h);
#define OWN_GAP(i)                                                                                                     \
    own = simde_mm_add_ps(                                                                                             \
        own, gap_square(simde_mm_sub_ps(c[i], SPREAD(f->middle, i)), simde_mm_add_ps(h[i], SPREAD(extent, i))))
    OWN_GAP(0);
    OWN_GAP(1);
    OWN_GAP(2);
#undef OWN_GAP
    TACT_UNROLL_3
    for (int k = 0; k < 3; ++k) {
        const simde__m128 x = SPREAD(f->normal[k], 0), y = SPREAD(f->normal[k], 1), z = SPREAD(f->normal[k], 2);
        const simde__m128 distance = simde_mm_add_ps(dot4(c, x, y, z), simde_mm_set1_ps(f->offset[k]));
        const simde__m128 reach = simde_mm_add_ps(simde_mm_add_ps(simde_mm_set1_ps(f->half[k]), spare),
                                                  dot4(h, size_of(x), size_of(y), size_of(z)));
        other = simde_mm_add_ps(other, gap_square(distance, reach));
    }
    store_squares(own, other, s, square);
}

/* ---- along the visitor's normal ---------------------------------------------------------------------------------- */

/* What both frames and the numbers of a projection along it may be off by, in epsilons of all coordinates: as for
 * oriented boxes (obb4.h), of which this is a part. */
#define RAIL_ROUNDINGS 96.0

/* A direction of the world as rows for both frames: n . (A a + o_A) = a . row + n . o_A. */
typedef struct rail {
    const tact_vec3 *normal;
    tact_vec3 seen; /* what the rest was made for */
    bool used;
    float row_a[3], row_b[3];
    float offset; /* n . (o_B - o_A), less the slack */
} rail;

static double row_of(const tact_transform *at, const box *whole, tact_vec3 n, float row[3])
{
    const tact_vec3 r = vec_transform_transposed(at, n);
    const double v[3] = {r.x, r.y, r.z};
    double size = 0.0;
    for (int i = 0; i < 3; ++i) {
        row[i] = (float)v[i];
        size += fabs(v[i]) * max_double(fabs((double)whole->min[i]), fabs((double)whole->max[i])) + (double)FLT_MIN;
    }
    return size;
}

/* Made anew where the visitor has found a nearer pair. */
static void follow(rail *r, const covered *a, const covered *b)
{
    if (r->normal == NULL || vec_equal(*r->normal, r->seen))
        return;
    r->seen = *r->normal;
    const tact_vec3 apart = vec_sub(b->at->origin, a->at->origin);
    double size = row_of(a->at, &a->tree->whole, r->seen, r->row_a) + row_of(b->at, &b->tree->whole, r->seen, r->row_b);
    const double offset = vec_dot(r->seen, apart);
    size += vec_max_abs(apart) * 2.0 + vec_max_abs(a->at->origin) * 0x1p-27 + vec_max_abs(b->at->origin) * 0x1p-27;
    const double slack = RAIL_ROUNDINGS * (double)FLT_EPSILON * size + 64.0 * (double)FLT_MIN;
    /* a length of more than 1 would make gaps wider than they are */
    r->used = vec_length_squared(r->seen) > 0.5 && vec_length_squared(r->seen) < 1.0 + 1e-9 && slack < 0x1p60 &&
              size < 0x1p60;
    r->offset = (float)(offset - slack);
}

/* How far a box reaches along the row, up (side 1) or down (-1). */
TACT_FORCE_INLINE float rail_end(const float row[3], const obb_cover *cover, uint32_t place, float side)
{
    const obb4 *four = &cover->groups[place / TREE_WIDTH].boxes;
    const unsigned k = place % TREE_WIDTH;
    float reach = 0.0f;
    for (int i = 0; i < 3; ++i)
        reach += four->half[i][k] *
                 fabsf(row[0] * four->axis[i][0][k] + row[1] * four->axis[i][1][k] + row[2] * four->axis[i][2][k]);
    return row[0] * four->centre[0][k] + row[1] * four->centre[1][k] + row[2] * four->centre[2][k] + side * reach;
}

/* Brings squares up to those of the gaps along the rail: `middle` and `reach` of four boxes of A or of B along its row,
 * `end` of the other's box. */
TACT_FORCE_INLINE void raise_squares(const rail *r, bool open_a, simde__m128 middle, simde__m128 reach, float end,
                                     float square[TREE_WIDTH])
{
    const simde__m128 offset = simde_mm_set1_ps(r->offset), other = simde_mm_set1_ps(end);
    const simde__m128 gap = open_a ? simde_mm_sub_ps(simde_mm_add_ps(other, offset), simde_mm_add_ps(middle, reach))
                                   : simde_mm_sub_ps(simde_mm_add_ps(simde_mm_sub_ps(middle, reach), offset), other);
    const simde__m128 wide = simde_mm_max_ps(gap, simde_mm_setzero_ps());
    const simde__m128 raised = simde_mm_mul_ps(simde_mm_mul_ps(wide, wide), simde_mm_set1_ps(1.0f - GAP_ROUNDING));
    simde_mm_storeu_ps(square,
                       simde_mm_min_ps(simde_mm_max_ps(raised, simde_mm_loadu_ps(square)), simde_mm_set1_ps(FLT_MAX)));
}

TACT_FORCE_INLINE void raise_group(const rail *r, bool open_a, const obb4 *four, float end, float square[TREE_WIDTH])
{
    const float *row = open_a ? r->row_a : r->row_b;
    const simde__m128 x = simde_mm_set1_ps(row[0]), y = simde_mm_set1_ps(row[1]), z = simde_mm_set1_ps(row[2]);
    const simde__m128 c[3] = {simde_mm_loadu_ps(four->centre[0]), simde_mm_loadu_ps(four->centre[1]),
                              simde_mm_loadu_ps(four->centre[2])};
    simde__m128 reach = simde_mm_setzero_ps();
    TACT_UNROLL_3
    for (int i = 0; i < 3; ++i) {
        const simde__m128 u[3] = {simde_mm_loadu_ps(four->axis[i][0]), simde_mm_loadu_ps(four->axis[i][1]),
                                  simde_mm_loadu_ps(four->axis[i][2])};
        reach = simde_mm_add_ps(reach, simde_mm_mul_ps(simde_mm_loadu_ps(four->half[i]), size_of(dot4(u, x, y, z))));
    }
    raise_squares(r, open_a, dot4(c, x, y, z), reach, end, square);
}

TACT_FORCE_INLINE void raise_things(const rail *r, bool open_a, const box4 *four, float end, float square[TREE_WIDTH])
{
    const float *row = open_a ? r->row_a : r->row_b;
    const simde__m128 x = simde_mm_set1_ps(row[0]), y = simde_mm_set1_ps(row[1]), z = simde_mm_set1_ps(row[2]);
    simde__m128 c[3], h[3];
    cover_halves(four, c, h);
    raise_squares(r, open_a, dot4(c, x, y, z), dot4(h, size_of(x), size_of(y), size_of(z)), end, square);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Is a distance whose square is at least `square` beyond the limit? */
static inline bool beyond(float square, double limit) { return (double)square > limit * limit; }

typedef struct near_things {
    unsigned count;
    uint32_t item[TREE_WIDTH];
    float square[TREE_WIDTH];
} near_things;

/* The items of a node at the bottom that may be within the limit of the box at `place` of the other, nearest first; or
 * the one item. */
static near_things items_within(const obb_sight *sight, scales s, const rail *r, bool open_a, const aabb_tree *tree,
                                uint32_t code, const obb_cover *other, uint32_t place, double limit)
{
    near_things found = {1, {tree_thing(code)}, {0.0f}};
    if (tree_is_leaf(code))
        return found;
    const fixed_obb f = cover_fixed(sight, other, place);
    const uint32_t node = code & ~COVER_BOTTOM;
    const unsigned taken = aabb_taken(&tree->nodes[node]);
    float square[TREE_WIDTH];
    item_squares(sight, &f, &tree->bounds[node], s, square);
    if (r->used)
        raise_things(r, open_a, &tree->bounds[node],
                     rail_end(open_a ? r->row_b : r->row_a, other, place, open_a ? -1.0f : 1.0f), square);
    found.count = 0;
    for (unsigned k = 0; k < TREE_WIDTH; ++k) {
        if ((taken >> k & 1) == 0 || beyond(square[k], limit))
            continue;
        unsigned j = found.count++;
        for (; j > 0 && found.square[j - 1] > square[k]; --j) {
            found.square[j] = found.square[j - 1];
            found.item[j] = found.item[j - 1];
        }
        found.square[j] = square[k];
        found.item[j] = tree_thing(tree->nodes[node].child[k]);
    }
    return found;
}

typedef struct near_search {
    const covered *a, *b;
    obb_sights sights;
    scales ab, ba; /* with A opened, with B opened */
    rail rail;
    tree_visit_pair_within *visit;
    void *context;
} near_search;

static double visit_within(const near_search *s, const cover_pair *p, double limit)
{
    const near_things of_a =
        items_within(&s->sights.ab, s->ab, &s->rail, true, s->a->tree, p->code_a, s->b->cover, p->b, limit);
    if (of_a.count == 0)
        return limit;
    const near_things of_b =
        items_within(&s->sights.ba, s->ba, &s->rail, false, s->b->tree, p->code_b, s->a->cover, p->a, limit);
    for (unsigned i = 0; i < of_a.count; ++i)
        for (unsigned j = 0; j < of_b.count; ++j) {
            if (beyond(of_a.square[i], limit) || beyond(of_b.square[j], limit))
                continue;
            limit = s->visit(s->context, of_a.item[i], of_b.item[j], limit);
            if (limit < 0.0)
                return limit;
        }
    return limit;
}

typedef struct waiting_pair {
    cover_pair pair;
    float square;
} waiting_pair;

double tact_obb_cover_nearest(const covered *a, double factor_a, const covered *b, double factor_b, double limit,
                              const tact_vec3 *normal, tree_visit_pair_within *visit, void *context)
{
    if (a->cover->group_count == 0 || b->cover->group_count == 0)
        return limit;
    const float square_a = (float)(factor_a * factor_a), square_b = (float)(factor_b * factor_b);
    near_search s = {.a = a, .b = b, .ab = {square_a, square_b}, .ba = {square_b, square_a}};
    s.visit = visit;
    s.context = context;
    s.rail.normal = normal;
    tact_obb_sights(a->at, &a->tree->whole, b->at, &b->tree->whole, &s.sights);
    waiting_pair waiting[AABB_MOST_PAIRS];
    unsigned count = 1;
    waiting[0] = (waiting_pair){cover_pair_first(a->cover, b->cover), 0.0f};
    while (count > 0) {
        const waiting_pair next = waiting[--count];
        const cover_pair p = next.pair;
        if (beyond(next.square, limit))
            continue;
        follow(&s.rail, a, b);
        if (!cover_is_group(p.code_a) && !cover_is_group(p.code_b)) {
            limit = visit_within(&s, &p, limit);
            if (limit < 0.0)
                return limit;
            continue;
        }
        const bool open_a = cover_opens_a(&p);
        const obb_sight *sight = open_a ? &s.sights.ab : &s.sights.ba;
        const scales scale = open_a ? s.ab : s.ba;
        const fixed_obb fixed = cover_fixed(sight, (open_a ? b : a)->cover, open_a ? p.b : p.a);
        const cover_group *opened = &(open_a ? a : b)->cover->groups[open_a ? p.code_a : p.code_b];
        float square[TREE_WIDTH], key[TREE_WIDTH];
        group_squares(sight, &fixed, &opened->boxes, scale, square);
        if (s.rail.used)
            raise_group(&s.rail, open_a, &opened->boxes,
                        open_a ? rail_end(s.rail.row_b, b->cover, p.b, -1.0f)
                               : rail_end(s.rail.row_a, a->cover, p.a, 1.0f),
                        square);
        obb_middle_distances(&opened->boxes, fixed.middle, key);
        unsigned within = cover_taken(opened), turn[TREE_WIDTH];
        for (unsigned k = 0; k < TREE_WIDTH; ++k) {
            within &= ~((unsigned)beyond(square[k], limit) << k);
            key[k] = square[k] + MIDDLE_PART * scale.opened * key[k];
        }
        const unsigned larger = cover_larger(&opened->boxes, &fixed), found = aabb_order(within, key, turn);
        assert(count + found <= AABB_MOST_PAIRS);
        for (unsigned j = 0; j < found; ++j)
            waiting[count++] =
                (waiting_pair){cover_pair_below(&p, open_a, opened->child, turn[j], larger), square[turn[j]]};
    }
    return limit;
}
