/*
 * Intersection curves of two NURBS shapes.
 *
 * Guarantee: see tact_nurbs_intersect. Pairs of parts of patches are examined level by level. A pair is done when it is
 * separated, or when it crosses and a curve covers it: nurbs_crossing.h shows that its common points are ordered along
 * a line d. Let p be one of them, on a traced curve that leaves both parts behind p through a side at which a
 * coordinate is largest. If this coordinate increases along d between any two common points of the pair, no further
 * common point follows. The same holds before p. A pair that crosses without a known point is the start of a new curve
 * if Newton's method finds a common point in it. Where surfaces are tangent no pair crosses, and pairs are divided
 * until they are smaller than the resolution.
 *
 * Departure from Sinha, Klassen and Wang 1985 and Sederberg and Meyers 1988, who exclude loops by bounds of normals and
 * then intersect the borders of the parts: no intersections of curves and surfaces are needed.
 *
 * Limit: the curve is followed through a pair by samples of its cubic polynomials, an eighth of a segment apart.
 *
 * Cost: some 0.4 us for each pair of parts. Memory: the pairs that are not examined yet, their parts, and the curves.
 */
#include <string.h>

#include "complex/nurbs_intersect.h"
#include "core/heap.h"
#include "core/number.h"
#include "core/work.h"
#include "math/fp_environment.h"

/* ---- curves that are known --------------------------------------------------------------------------------------- */

/* A place on a curve: the segment after point `index` of the march. */
typedef struct curve_position {
    uint32_t curve, index;
    double fraction;
} curve_position;

/* The fraction of a segment closest to x, and the distance. */
static double closest_on_segment(const march_point *p, const march_point *q, tact_vec3 x, double *distance)
{
    const double h = p->length;
    const tact_vec3 chord = vec_sub(q->point, p->point);
    const double square = vec_length_squared(chord);
    double f = square > 0.0 ? vec_dot(vec_sub(x, p->point), chord) / square : 0.0;
    tact_vec3 at = p->point;
    for (int i = 0; i < 4; i++) {
        f = number_min(number_max(f, 0.0), 1.0);
        at = tact_nurbs_march_cubic(p, q, h, f);
        if (i < 3 && square > 0.0)
            f += vec_dot(vec_sub(x, at), chord) / square;
    }
    *distance = vec_length(vec_sub(x, at));
    return f;
}

static uint32_t list_of(const uint32_t root[2])
{
    return (root[0] * UINT32_C(0x9e3779b1) ^ root[1] * UINT32_C(0x85ebca6b)) >> (32 - NURBS_INTERSECT_LIST_BITS);
}

/* Enters the segments of the last curve. */
static bool enter_segments(intersector *s)
{
    const nurbs_march *m = &s->march;
    const uint32_t number = (uint32_t)m->curves.count - 1;
    const march_curve *curve = &m->curves.items[number];
    for (uint32_t i = curve->first; i + 1 < curve->first + curve->count; i++) {
        const march_point *p = &m->points.items[i], *q = p + 1;
        if (!march_same_patches(p, q))
            continue;
        uint32_t *list = &s->lists[list_of(p->root)];
        curve_segment segment = {.curve = number, .index = i, .next = *list};
        for (int k = 0; k < 4; k++) { /* the control points of the cubic polynomial */
            const double a = p->z[k] + p->length * p->rate[k] / 3.0, b = q->z[k] - p->length * q->rate[k] / 3.0;
            segment.low[k] = number_min(number_min(p->z[k], q->z[k]), number_min(a, b));
            segment.high[k] = number_max(number_max(p->z[k], q->z[k]), number_max(a, b));
        }
        if (!curve_segment_array_push(&s->segments, &s->search.allocator, segment))
            return false;
        *list = (uint32_t)s->segments.count;
    }
    return true;
}

/* Whether a common point is on the curve of a segment, near the fraction f, and not on another beside it. */
static bool is_on_segment(const intersector *s, const march_point *p, const march_point *q, const march_point *at,
                          double f)
{
    for (int i = 0; i < NURBS_INTERSECT_PROJECTIONS; i++) {
        march_point on;
        if (!tact_nurbs_march_between(&s->march, p, q, f, &on))
            return false;
        const tact_vec3 way = vec_sub(at->point, on.point);
        if (vec_length(way) <= NURBS_MARCH_SAME)
            return true;
        f = number_min(1.0, number_max(0.0, f + vec_dot(way, on.tangent) / p->length));
    }
    return false;
}

/* Whether a common point is on a known curve in the patches of the point, at most `limit` away. */
static bool find_in_patches(const intersector *s, const march_point *at, double limit, curve_position *out)
{
    for (uint32_t i = s->lists[list_of(at->root)]; i != 0; i = s->segments.items[i - 1].next) {
        const curve_segment *segment = &s->segments.items[i - 1];
        const march_point *p = &s->march.points.items[segment->index], *q = p + 1;
        bool near = march_same_patches(p, at);
        for (int k = 0; k < 4 && near; k++)
            near = at->z[k] > segment->low[k] - NURBS_INTERSECT_SAME_PLACE &&
                   at->z[k] < segment->high[k] + NURBS_INTERSECT_SAME_PLACE;
        if (!near)
            continue;
        double distance, z[4], off = 0.0;
        const double f = closest_on_segment(p, q, at->point, &distance);
        if (distance > limit)
            continue;
        tact_nurbs_march_coordinates(p, q, p->length, f, z);
        for (int k = 0; k < 4; k++) /* the same place of both surfaces */
            off = max_double(off, fabs(z[k] - at->z[k]));
        if (off > NURBS_INTERSECT_SAME_PLACE || !is_on_segment(s, p, q, at, f))
            continue;
        *out = (curve_position){segment->curve, segment->index, f};
        return true;
    }
    return false;
}

/* Whether a common point is on a known curve in any patches. */
static bool is_known(const intersector *s, const march_point *at, double limit)
{
    const nurbs_march *m = &s->march;
    for (size_t i = 0; i < s->segments.count; i++) {
        const march_point *p = &m->points.items[s->segments.items[i].index], *q = p + 1;
        const tact_vec3 middle = vec_scale(vec_add(p->point, q->point), 0.5);
        const double away = p->length + limit;
        double distance;
        if (vec_length_squared(vec_sub(middle, at->point)) > away * away ||
            fabs(vec_dot(p->tangent, at->tangent)) < NURBS_MARCH_TURN)
            continue;
        const double f = closest_on_segment(p, q, at->point, &distance);
        if (distance <= limit && is_on_segment(s, p, q, at, f))
            return true;
    }
    return false;
}

/* Whether a curve is within `limit` of x. */
static bool curve_near(const intersector *s, tact_vec3 x, double limit)
{
    const nurbs_march *m = &s->march;
    for (size_t c = 0; c < m->curves.count; c++) {
        const march_curve *curve = &m->curves.items[c];
        for (uint32_t i = curve->first; i < curve->first + curve->count; i++) {
            const march_point *p = &m->points.items[i], *q = p + (i + 1 < curve->first + curve->count);
            const double reach = vec_length(vec_sub(q->point, p->point)) + limit;
            double distance;
            if (vec_length_squared(vec_sub(p->point, x)) > 2.0 * reach * reach)
                continue;
            (void)closest_on_segment(p, q, x, &distance);
            if (distance <= limit)
                return true;
        }
    }
    return false;
}

/* Whether the last curve, whose segments are not entered, lies on known ones. */
static bool last_is_known(const intersector *s, double limit)
{
    const march_curve *curve = &s->march.curves.items[s->march.curves.count - 1];
    for (uint32_t i = 1; i < 4; i++)
        if (!is_known(s, &s->march.points.items[curve->first + (uint64_t)curve->count * i / 4], limit))
            return false;
    return true;
}

/* ---- pairs that a curve covers ----------------------------------------------------------------------------------- */

typedef struct pair_range {
    double low[4], high[4];
} pair_range;

static pair_range range_of(const intersector *s, const uint32_t node[2])
{
    pair_range r;
    for (int k = 0; k < 4; k++) {
        const search_node *n = &s->search.side[k / 2].nodes.items[node[k / 2]];
        const double size = 1.0 / (double)(UINT64_C(1) << n->level[k % 2]);
        r.low[k] = (double)n->index[k % 2] * size;
        r.high[k] = (double)(n->index[k % 2] + 1) * size;
    }
    return r;
}

static bool is_outside(const pair_range *r, const double z[4], double slack)
{
    for (int k = 0; k < 4; k++)
        if (z[k] > r->high[k] + slack || z[k] < r->low[k] - slack)
            return true;
    return false;
}

/* A known curve in a pair. */
static bool find_inside(const intersector *s, const uint32_t root[2], const pair_range *r, curve_position *out)
{
    for (uint32_t i = s->lists[list_of(root)]; i != 0; i = s->segments.items[i - 1].next) {
        const curve_segment *segment = &s->segments.items[i - 1];
        bool apart = false;
        for (int k = 0; k < 4; k++)
            apart = apart || segment->low[k] > r->high[k] || segment->high[k] < r->low[k];
        if (apart)
            continue;
        const march_point *p = &s->march.points.items[segment->index], *q = p + 1;
        if (p->root[0] != root[0] || p->root[1] != root[1])
            continue;
        /* the fractions at which each coordinate is inside, if they were linear */
        double from = 0.0, to = 1.0;
        for (int k = 0; k < 4 && from <= to; k++)
            if (q->z[k] != p->z[k]) {
                const double a = (r->low[k] - p->z[k]) / (q->z[k] - p->z[k]),
                             b = (r->high[k] - p->z[k]) / (q->z[k] - p->z[k]);
                from = max_double(from, number_min(a, b));
                to = number_min(to, max_double(a, b));
            }
        double z[4];
        if (!(from <= to))
            continue;
        tact_nurbs_march_coordinates(p, q, p->length, 0.5 * (from + to), z);
        if (is_outside(r, z, 0.0))
            continue;
        *out = (curve_position){segment->curve, segment->index, 0.5 * (from + to)};
        return true;
    }
    return false;
}

/* How many coordinates are outside, and in `good` how many of them went there for good. `sense` is that of the
 * coordinates along d, `direction` that of the walk. */
static int count_outside(const pair_range *r, const double z[4], double slack, const int sense[4], int direction,
                         int *good)
{
    int outside = 0;
    *good = 0;
    for (int k = 0; k < 4; k++) {
        const int side = z[k] > r->high[k] + slack ? 1 : z[k] < r->low[k] - slack ? -1 : 0;
        outside += side != 0;
        *good += side != 0 && sense[k] * direction == side;
    }
    return outside;
}

/* At the end of a patch or a curve: whether a coordinate is at a side of the pair through which the curve leaves. */
static bool leaves_at(const pair_range *r, const double z[4], double slack, const int sense[4], int direction)
{
    for (int k = 0; k < 4; k++)
        if ((sense[k] * direction > 0 && z[k] > r->high[k] - slack && z[k] > 1.0 - slack) ||
            (sense[k] * direction < 0 && z[k] < r->low[k] + slack && z[k] < slack))
            return true;
    return false;
}

/* Whether the control points of the cubic polynomials of a segment are in a range. */
static bool is_segment_inside(const pair_range *r, const march_point *p, const march_point *q)
{
    const double third = p->length / 3.0;
    for (int k = 0; k < 4; k++) {
        const double a = p->z[k] + third * p->rate[k], b = q->z[k] - third * q->rate[k];
        if (!(p->z[k] >= r->low[k] && p->z[k] <= r->high[k] && q->z[k] >= r->low[k] && q->z[k] <= r->high[k] &&
              a >= r->low[k] && a <= r->high[k] && b >= r->low[k] && b <= r->high[k]))
            return false;
    }
    return true;
}

/* Follows a curve from a place in a pair until it leaves the pair, forward or backward along the curve. `direction` is
 * that of the walk along d. */
static bool walk_out(const intersector *s, const pair_range *r, curve_position at, const int sense[4], int step,
                     int direction)
{
    const nurbs_march *m = &s->march;
    const march_curve *curve = &m->curves.items[at.curve];
    const uint32_t last = curve->first + curve->count - 2; /* segments first to last */
    const double size = s->march.accuracy;
    double f = at.fraction;
    uint32_t index = at.index;
    for (uint32_t count = 0; count <= curve->count; count++) {
        const march_point *p = &m->points.items[index], *q = p + 1;
        const double h = p->length, end = step > 0 ? 1.0 : 0.0;
        double z[4] = {0.0}, rate = 0.0;
        for (int k = 0; k < 4; k++)
            rate = max_double(rate, max_double(fabs(p->rate[k]), fabs(q->rate[k])));
        const double slack = NURBS_MARCH_SIDE + size * rate;
        if (is_segment_inside(r, p, q)) {
            memcpy(z, step > 0 ? q->z : p->z, sizeof z);
            f = end;
        }
        while (f != end) {
            const double before = f;
            f = number_min(number_max(f + step * NURBS_INTERSECT_WALK_STEP, 0.0), 1.0);
            tact_nurbs_march_coordinates(p, q, h, f, z);
            int good, left = count_outside(r, z, slack, sense, direction, &good);
            if (left > 0) {
                double inside = before, outside = f;
                if (good == 0 || good == left)
                    return good > 0;
                /* the first coordinate that left */
                for (int i = 0; i < NURBS_INTERSECT_BISECTIONS; i++) {
                    const double middle = 0.5 * (inside + outside);
                    double between[4];
                    tact_nurbs_march_coordinates(p, q, h, middle, between);
                    if (is_outside(r, between, slack)) {
                        outside = middle;
                        memcpy(z, between, sizeof z);
                    } else {
                        inside = middle;
                    }
                }
                left = count_outside(r, z, slack, sense, direction, &good);
                return good == left;
            }
        }
        const bool ends = index == (step > 0 ? last : curve->first);
        if (ends && curve->ends[0] != TACT_NURBS_END_CLOSED)
            return leaves_at(r, z, NURBS_INTERSECT_AT_END, sense, direction);
        index = ends ? (step > 0 ? curve->first : last) : step > 0 ? index + 1 : index - 1;
        const march_point *next = &m->points.items[index];
        if (!march_same_patches(next, next + 1) || !march_same_patches(next, p))
            return leaves_at(r, z, NURBS_INTERSECT_AT_END, sense, direction);
        f = step > 0 ? 0.0 : 1.0;
    }
    return false;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static double node_diameter(const search_node *n) { return vec_length(vec_sub(n->high, n->low)); }

/* Whether a node cannot be divided. */
static bool is_exhausted(const search_node *n)
{
    return n->level[0] >= NURBS_SEARCH_LEVELS && n->level[1] >= NURBS_SEARCH_LEVELS;
}

static void fail(intersector *s, tact_status status)
{
    if (s->status == TACT_OK || status == TACT_OUT_OF_MEMORY)
        s->status = status;
}

/* Bounds the nodes of a side that are new. */
static bool bound_nodes(intersector *s, int side)
{
    const search_side *of = &s->search.side[side];
    node_bound_array *to = &s->bounds[side];
    if (!node_bound_array_reserve(to, &s->search.allocator, of->nodes.count)) {
        fail(s, TACT_OUT_OF_MEMORY);
        return false;
    }
    for (; to->count < of->nodes.count; to->count++)
        tact_nurbs_bound_node(of, (uint32_t)to->count, &to->items[to->count]);
    return true;
}

static bool add_pair(intersector *s, uint32_t a, uint32_t b)
{
    const node_pair pair = {{a, b}};
    if (tact_nurbs_nodes_apart(&s->search, pair.node, &s->bounds[0].items[a], &s->bounds[1].items[b]))
        return true;
    if (!node_pair_array_push(&s->pairs, &s->search.allocator, pair)) {
        fail(s, TACT_OUT_OF_MEMORY);
        return false;
    }
    s->search.side[0].nodes.items[a].users++;
    s->search.side[1].nodes.items[b].users++;
    return true;
}

/* Divides the node that bends more. */
static bool divide_pair(intersector *s, const node_pair *p)
{
    const node_bound *bound[2] = {&s->bounds[0].items[p->node[0]], &s->bounds[1].items[p->node[1]]};
    const int side = bound[1]->weight > bound[0]->weight;
    const bool known = s->search.side[side].nodes.items[p->node[side]].first_child != 0;
    const uint32_t first = tact_nurbs_search_divide_along(&s->search, side, p->node[side], bound[side]->direction);
    if (first == UINT32_MAX) {
        fail(s, TACT_OUT_OF_MEMORY);
        return false;
    }
    for (uint32_t k = 0; k < 2 && !known && first + k < s->bounds[side].count; k++) /* in the place of others */
        tact_nurbs_bound_node(&s->search.side[side], first + k, &s->bounds[side].items[first + k]);
    if (!bound_nodes(s, side))
        return false;
    for (uint32_t k = 0; k < 2; k++)
        if (!(side == 0 ? add_pair(s, first + k, p->node[1]) : add_pair(s, p->node[0], first + k)))
            return false;
    return true;
}

/* Puts a common point into the range if it is outside by rounding only. */
static bool is_inside(const pair_range *r, march_point *p)
{
    for (int k = 0; k < 4; k++)
        if (p->z[k] < r->low[k] - NURBS_MARCH_SIDE || p->z[k] > r->high[k] + NURBS_MARCH_SIDE)
            return false;
    for (int k = 0; k < 4; k++)
        p->z[k] = number_min(number_max(p->z[k], r->low[k]), r->high[k]);
    return true;
}

/* A common point in a pair: from its middle, and then where the tangent of the curve passes through the pair. */
static bool find_seed(const intersector *s, const node_pair *p, const pair_range *r, march_point *seed)
{
    const uint32_t root[2] = {s->search.side[0].nodes.items[p->node[0]].root,
                              s->search.side[1].nodes.items[p->node[1]].root};
    double lengths[2];
    march_point next;
    if (!tact_nurbs_march_seed(&s->march, root, r->low, r->high, seed))
        return false;
    if (is_inside(r, seed))
        return true;
    if (!tact_nurbs_march_passes(seed, r->low, r->high, lengths) ||
        !tact_nurbs_march_along(&s->march, seed, 0.5 * (lengths[0] + lengths[1]), &next))
        return false;
    *seed = next;
    return is_inside(r, seed);
}

/* Whether all common points of a pair that crosses are on known curves, after tracing one through it if needed. */
static bool is_covered(intersector *s, const node_pair *p, const nurbs_crossing *crossing)
{
    const pair_range r = range_of(s, p->node);
    const search_node *n[2] = {&s->search.side[0].nodes.items[p->node[0]], &s->search.side[1].nodes.items[p->node[1]]};
    const uint32_t root[2] = {n[0]->root, n[1]->root};
    curve_position at;
    if (!find_inside(s, root, &r, &at)) {
        /* every other level: most of these pairs have no common point */
        march_point seed;
        if ((n[0]->level[0] + n[0]->level[1] + n[1]->level[0] + n[1]->level[1]) % 2 != 0 || !find_seed(s, p, &r, &seed))
            return false;
        const double limit = 2.0 * s->march.accuracy;
        if (!find_in_patches(s, &seed, limit, &at)) {
            bool again = is_known(s, &seed, limit);
            if (!tact_nurbs_march_trace(&s->march, &seed)) {
                fail(s, s->march.status);
                return false;
            }
            if (s->march.curves.items[s->march.curves.count - 1].count == 1) { /* a point: see resolve_small */
                s->march.points.count = s->march.curves.items[--s->march.curves.count].first;
                return false;
            }
            again = again || last_is_known(s, limit);
            if (!curve_flag_array_push(&s->again, &s->search.allocator, again) || !enter_segments(s)) {
                fail(s, TACT_OUT_OF_MEMORY);
                return false;
            }
            if (!find_in_patches(s, &seed, limit, &at))
                return false;
        }
    }
    const int direction = vec_dot(s->march.points.items[at.index].tangent, crossing->along) > 0.0 ? 1 : -1;
    return walk_out(s, &r, at, crossing->sense, 1, direction) && walk_out(s, &r, at, crossing->sense, -1, -direction);
}

/* Returns whether the nodes of the pair are needed no more. */
static bool examine(intersector *s, const node_pair *p)
{
    const search_node *a = &s->search.side[0].nodes.items[p->node[0]], *b = &s->search.side[1].nodes.items[p->node[1]];
    nurbs_crossing crossing;
    const node_bound *bounds[2] = {&s->bounds[0].items[p->node[0]], &s->bounds[1].items[p->node[1]]};
    if (tact_nurbs_nodes_cross(bounds[0], bounds[1], &crossing) && is_covered(s, p, &crossing))
        return true;
    if (s->status != TACT_OK)
        return false;
    if ((node_diameter(a) < s->resolution && node_diameter(b) < s->resolution) || is_exhausted(a) || is_exhausted(b)) {
        if (!node_pair_array_push(&s->small, &s->search.allocator, *p))
            fail(s, TACT_OUT_OF_MEMORY);
        return false;
    }
    return divide_pair(s, p);
}

/* ---- pairs of patches -------------------------------------------------------------------------------------------- */

typedef struct sweep_item {
    double low;
    uint32_t node, side;
} sweep_item;

ARRAY_OF(sweep_item_array, sweep_item);
ARRAY_OF(sweep_open_array, uint32_t);

static inline bool sweeps_before(const void *context, const sweep_item *x, const sweep_item *y)
{
    (void)context;
    if (x->low != y->low)
        return x->low < y->low;
    return x->side != y->side ? x->side < y->side : x->node < y->node;
}

HEAP_SORT_OF(sort_sweep_items, sweep_item, const void *, sweeps_before)

/* Sweeps along x: each patch meets the open ones of the other side. */
static bool sweep_patches(intersector *s, sweep_item_array *items, sweep_open_array open[2])
{
    const tact_allocator *allocator = &s->search.allocator;
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t count = s->search.side[side].leaves.items[0].patches;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t node = tact_nurbs_search_patch(&s->search, (int)side, 0, i);
            if (node == UINT32_MAX)
                return false;
            const sweep_item item = {s->search.side[side].nodes.items[node].low.x, node, side};
            if (!sweep_item_array_push(items, allocator, item))
                return false;
        }
    }
    if (!bound_nodes(s, 0) || !bound_nodes(s, 1))
        return false;
    sort_sweep_items(NULL, items->items, items->count);
    for (size_t i = 0; i < items->count; i++) {
        const sweep_item *item = &items->items[i];
        sweep_open_array *others = &open[1 - item->side];
        size_t kept = 0;
        for (size_t k = 0; k < others->count; k++) {
            const uint32_t other = others->items[k];
            if (s->search.side[1 - item->side].nodes.items[other].high.x + s->search.slack < item->low)
                continue;
            others->items[kept++] = other;
            if (!(item->side == 0 ? add_pair(s, item->node, other) : add_pair(s, other, item->node)))
                return false;
        }
        others->count = kept;
        if (!sweep_open_array_push(&open[item->side], allocator, item->node))
            return false;
    }
    return true;
}

static bool add_patches(intersector *s)
{
    sweep_item_array items = {0};
    sweep_open_array open[2] = {{0}, {0}};
    const bool done = sweep_patches(s, &items, open);
    sweep_item_array_release(&items, &s->search.allocator);
    for (int i = 0; i < 2; i++)
        sweep_open_array_release(&open[i], &s->search.allocator);
    if (!done)
        fail(s, TACT_OUT_OF_MEMORY);
    return done;
}

/* ---- points where surfaces touch --------------------------------------------------------------------------------- */

static bool add_touch(intersector *s, const march_point *p)
{
    const tact_allocator *allocator = &s->search.allocator;
    const march_curve curve = {(uint32_t)s->march.points.count, 1, {TACT_NURBS_END_SINGULAR, TACT_NURBS_END_SINGULAR}};
    if (!march_point_array_reserve(&s->march.points, allocator, s->march.points.count + 1) ||
        !curve_flag_array_reserve(&s->again, allocator, s->again.count + 1) ||
        !march_curve_array_push(&s->march.curves, allocator, curve)) {
        fail(s, TACT_OUT_OF_MEMORY);
        return false;
    }
    s->march.points.items[s->march.points.count++] = *p;
    s->again.items[s->again.count++] = false;
    return true;
}

/* A small pair without a curve: the closest points near it, which may be common. */
static bool resolve_small(intersector *s, const node_pair *p)
{
    const search_node *a = &s->search.side[0].nodes.items[p->node[0]];
    const double near = NURBS_INTERSECT_NEAR * s->resolution;
    if (curve_near(s, a->centre, near))
        return true;
    s->search.upper = INFINITY;
    tact_nurbs_search_improve(&s->search, p->node);
    const search_place *best = s->search.best;
    if (!(s->search.upper < NURBS_INTERSECT_TOUCH) || vec_length(vec_sub(best[0].point, a->centre)) > near) {
        s->unresolved++;
        return true;
    }
    march_point touch = {.root = {best[0].node, best[1].node},
                         .z = {best[0].s, best[0].t, best[1].s, best[1].t},
                         .point = best[0].point};
    return curve_near(s, touch.point, near) || add_touch(s, &touch);
}

static void find_curves(intersector *s)
{
    if (!add_patches(s))
        return;
    size_t next = 0;
    while (next < s->pairs.count && s->status == TACT_OK) {
        if (s->search.work++ >= s->max_work || !work_add(tact_work_current(), NURBS_SEARCH_UNITS)) {
            fail(s, TACT_NOT_CONVERGED);
            s->unresolved += s->pairs.count - next;
            return;
        }
        const node_pair p = s->pairs.items[next++];
        const bool done = examine(s, &p);
        for (int side = 0; side < 2 && done; side++)
            tact_nurbs_search_unuse(&s->search, side, p.node[side]);
        if (next >= 4096 && 2 * next > s->pairs.count) { /* gives back the part of the queue that is done */
            memmove(s->pairs.items, s->pairs.items + next, (s->pairs.count - next) * sizeof(node_pair));
            s->pairs.count -= next;
            next = 0;
        }
    }
    for (size_t i = 0; i < s->small.count && s->status == TACT_OK; i++)
        if (!resolve_small(s, &s->small.items[i]))
            return;
    if (s->unresolved > 0)
        fail(s, TACT_NOT_CONVERGED);
}

/* ---- result ------------------------------------------------------------------------------------------------------ */

static bool begin(intersector *s, const instance both[2], const tact_nurbs_intersect_def *def)
{
    double error, reach = 0.0;
    const int degrees[2] = {tact_nurbs_degrees(&both[0], &error), tact_nurbs_degrees(&both[1], &error)};
    for (int i = 0; i < 2; i++) {
        const double radius = both[i].shape->bounding_radius * transform_norm_bound(&both[i].at);
        reach = number_max(reach, radius + vec_length_safe(vec_sub(both[i].at.origin, both[0].at.origin)));
    }
    const double size = number_max(tact_nurbs_size_of(&both[0]), tact_nurbs_size_of(&both[1]));
    const double accuracy = def->accuracy > 0.0 ? def->accuracy : NURBS_INTERSECT_ACCURACY * size;
    const double resolution = def->resolution > 0.0 ? def->resolution : NURBS_INTERSECT_ACCURACY * size;
    *s = (intersector){.status = TACT_OK, .max_work = def->max_work > 0 ? def->max_work : NURBS_INTERSECT_WORK};
    tact_nurbs_search_begin(&s->search, both[0].at.origin, reach, degrees[0] > degrees[1] ? degrees[0] : degrees[1],
                            0.0, s->max_work, &both[0].shape->allocator);
    s->search.first_order = true;
    s->resolution = resolution * s->search.scale;
    for (int i = 0; i < 2; i++)
        if (tact_nurbs_search_leaf(&s->search, i, &both[i]) == UINT32_MAX)
            return false;
    for (int i = 0; i < 2; i++)
        tact_nurbs_search_recycle(&s->search, i);
    return tact_nurbs_march_begin(&s->march, &s->search, accuracy * s->search.scale,
                                  def->max_nodes > 0 ? def->max_nodes : NURBS_INTERSECT_NODES);
}

static TACT_NOINLINE tact_nurbs_intersect_result intersect(const instance both[2], const tact_nurbs_intersect_def *def,
                                                           tact_nurbs_intersection *curves, size_t curve_capacity,
                                                           tact_nurbs_node *nodes, size_t node_capacity)
{
    intersector s;
    kept_curves kept = {0};
    tact_nurbs_intersect_result r = {.status = TACT_OUT_OF_MEMORY};
    if (begin(&s, both, def)) {
        find_curves(&s);
        r = (tact_nurbs_intersect_result){.status = s.status, .unresolved = s.unresolved, .work = s.search.work};
        if (s.status != TACT_OUT_OF_MEMORY) {
            if (tact_nurbs_keep_curves(&s, &kept))
                tact_nurbs_write_curves(&s, &kept, &r, curves, curve_capacity, nodes, node_capacity);
            else
                r.status = TACT_OUT_OF_MEMORY;
        }
    }
    const tact_allocator allocator = s.search.allocator;
    march_point_array_release(&kept.points, &allocator);
    march_curve_array_release(&kept.curves, &allocator);
    node_pair_array_release(&s.pairs, &allocator);
    node_pair_array_release(&s.small, &allocator);
    node_bound_array_release(&s.bounds[0], &allocator);
    node_bound_array_release(&s.bounds[1], &allocator);
    curve_flag_array_release(&s.again, &allocator);
    curve_segment_array_release(&s.segments, &allocator);
    if (s.march.search != NULL)
        tact_nurbs_march_end(&s.march);
    tact_nurbs_search_end(&s.search);
    return r;
}

tact_nurbs_intersect_result tact_nurbs_pair_intersect(const tact_shape *a, const tact_transform *transform_a,
                                                      const tact_shape *b, const tact_transform *transform_b,
                                                      const tact_nurbs_intersect_def *def,
                                                      tact_nurbs_intersection *curves, size_t curve_capacity,
                                                      tact_nurbs_node *nodes, size_t node_capacity)
{
    instance both[2];
    if (a->nurbs == NULL || b->nurbs == NULL || tact_instance_make(&both[0], a, transform_a) != TACT_OK ||
        tact_instance_make(&both[1], b, transform_b) != TACT_OK)
        return (tact_nurbs_intersect_result){.status = TACT_BAD_ARGUMENT};
    const fp_environment found = fp_environment_enter();
    tact_nurbs_intersect_result r = intersect(both, def, curves, curve_capacity, nodes, node_capacity);
    fp_environment_leave(found);
    r.status = work_status(r.status);
    return r;
}
