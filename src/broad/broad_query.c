/*
 * Queries: see broad.h. The tree engine traverses the tree of fat boxes, near children first, and tests the exact boxes
 * at its leaves; proxies that have escaped from their fat box since the last update are tested one by one. The sweep
 * engine tests every proxy.
 *
 * Guarantee: no proxy is missed. Parameters and distances are computed in doubles from floats with at most three
 * rounding errors each, and widened by BROAD_QUERY_ROUNDING, which exceeds these. An overflow or a NaN excludes
 * nothing.
 */
#include "broad/broad_internal.h"

static inline bool matches(const broad *b, uint32_t at, broad_filter filter)
{
    return b->proxies.items[at].flags & PROXY_ALIVE && broad_filters_allow(filter, b->filters.items[at]);
}

/* ---- boxes ---- */

typedef struct broad_area_query {
    const broad *b;
    const box *area;
    broad_filter filter;
    broad_visit *visit;
    void *context;
    uint32_t skip_flags; /* proxies with one of these flags are skipped */
} broad_area_query;

static bool visit_area(void *context, uint32_t at)
{
    const broad_area_query *s = context;
    const broad_proxy *p = &s->b->proxies.items[at];
    if (p->flags & s->skip_flags || !box_overlap(&p->box, s->area) || !matches(s->b, at, s->filter))
        return true;
    return s->visit(s->context, at);
}

tact_status tact_broad_query_box(const broad *b, const box *area, broad_filter filter, broad_visit *visit,
                                 void *context)
{
    if (b == NULL || area == NULL || visit == NULL)
        return TACT_BAD_ARGUMENT;
    for (int i = 0; i < 3; ++i)
        if (!(area->min[i] <= area->max[i]))
            return TACT_BAD_ARGUMENT;
    broad_area_query s = {b, area, filter, visit, context, PROXY_ESCAPED};
    if (b->engine == BROAD_TREE && !tact_dynamic_tree_overlap(&b->tree, area, visit_area, &s))
        return TACT_OK;
    s.skip_flags = 0;
    size_t count = b->engine == BROAD_TREE ? b->dirty.count : b->proxies.count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = b->engine == BROAD_TREE ? b->dirty.items[i] : i;
        if ((b->engine == BROAD_SWEEP || b->proxies.items[at].flags & PROXY_ESCAPED) && !visit_area(&s, at))
            break;
    }
    return TACT_OK;
}

/* ---- rays, moving boxes, distances ---- */

/* A query box [low, high], which either moves by t direction, or stands still while distances from it are computed. */
typedef struct broad_probe {
    double low[3], high[3];
    double direction[3];
    double inverse[3]; /* 1 / direction; 0 where the direction is 0 or its inverse overflows */
    bool distance;     /* compute distances, not parameters */
} broad_probe;

/* A lower bound of the distance from the probe to a box. */
static double probe_distance(const broad_probe *p, const box *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double above = (double)b->min[i] - p->high[i], below = p->low[i] - (double)b->max[i], gap = 0.0;
        gap = above > gap ? above : gap;
        gap = below > gap ? below : gap;
        sum += gap * gap;
    }
    return sum > 0.0 ? sqrt(sum) * (1.0 - BROAD_QUERY_ROUNDING) : 0.0;
}

/* Whether the probe meets the box within the limit; `from` is a lower bound of the parameter or distance. */
static bool probe_meets(const broad_probe *p, const box *b, double limit, double *from)
{
    if (p->distance) {
        *from = probe_distance(p, b);
        return *from <= limit;
    }
    double first = 0.0, last = limit;
    for (int i = 0; i < 3; ++i) {
        double ahead = (double)b->min[i] - p->high[i], behind = (double)b->max[i] - p->low[i];
        if (p->inverse[i] == 0.0) {
            if (p->direction[i] == 0.0 && (ahead > 0.0 || behind < 0.0))
                return false;
            continue;
        }
        double enter = (p->inverse[i] > 0.0 ? ahead : behind) * p->inverse[i];
        double leave = (p->inverse[i] > 0.0 ? behind : ahead) * p->inverse[i];
        enter -= fabs(enter) * BROAD_QUERY_ROUNDING + BROAD_QUERY_UNDERFLOW;
        leave += fabs(leave) * BROAD_QUERY_ROUNDING + BROAD_QUERY_UNDERFLOW;
        first = enter > first ? enter : first; /* unchanged for a NaN */
        last = leave < last ? leave : last;
    }
    *from = first;
    return first <= last;
}

typedef struct broad_probe_query {
    const broad *b;
    const broad_probe *probe;
    double limit;
    broad_filter filter;
    broad_visit_bounded *visit;
    void *context;
} broad_probe_query;

/* Tests one proxy; false ends the query. */
static bool visit_probe(broad_probe_query *s, uint32_t at)
{
    double from;
    if (!matches(s->b, at, s->filter) || !probe_meets(s->probe, &s->b->proxies.items[at].box, s->limit, &from))
        return true;
    double new_limit = s->visit(s->context, at, from, s->limit);
    if (new_limit < s->limit)
        s->limit = new_limit;
    return !(new_limit < 0.0);
}

typedef struct broad_probe_step {
    double from;
    uint32_t child;
} broad_probe_step;

static bool traverse_tree(broad_probe_query *s)
{
    const dynamic_tree *tree = &s->b->tree;
    if (tree->root == DYNAMIC_TREE_NONE)
        return true;
    broad_probe_step stack[DYNAMIC_TREE_MAX_HEIGHT + 2];
    size_t depth = 0;
    stack[depth++] = (broad_probe_step){0.0, tree->root};
    while (depth > 0) {
        broad_probe_step step = stack[--depth];
        if (step.from > s->limit)
            continue;
        if (step.child & DYNAMIC_TREE_LEAF) {
            uint32_t at = step.child & ~DYNAMIC_TREE_LEAF;
            if (!(s->b->proxies.items[at].flags & PROXY_ESCAPED) && !visit_probe(s, at))
                return false;
            continue;
        }
        const dynamic_tree_node *node = &tree->nodes.items[step.child];
        double from[2] = {0.0, 0.0};
        bool met[2];
        for (uint32_t side = 0; side < 2; ++side) {
            box around = dynamic_tree_child_box(node, side);
            met[side] = probe_meets(s->probe, &around, s->limit, &from[side]);
        }
        uint32_t near = from[1] < from[0];
        if (met[1 - near])
            stack[depth++] = (broad_probe_step){from[1 - near], node->child[1 - near]};
        if (met[near])
            stack[depth++] = (broad_probe_step){from[near], node->child[near]};
    }
    return true;
}

static tact_status run_query(const broad *b, const broad_probe *p, double limit, broad_filter filter,
                             broad_visit_bounded *visit, void *context)
{
    broad_probe_query s = {b, p, limit, filter, visit, context};
    if (b->engine == BROAD_TREE && !traverse_tree(&s))
        return TACT_OK;
    size_t count = b->engine == BROAD_TREE ? b->dirty.count : b->proxies.count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = b->engine == BROAD_TREE ? b->dirty.items[i] : i;
        if ((b->engine == BROAD_SWEEP || b->proxies.items[at].flags & PROXY_ESCAPED) && !visit_probe(&s, at))
            break;
    }
    return TACT_OK;
}

/* Sets the direction of a probe; false if it is not finite. */
static bool set_direction(broad_probe *p, tact_vec3 direction)
{
    double d[3] = {direction.x, direction.y, direction.z};
    for (int i = 0; i < 3; ++i) {
        if (!(fabs(d[i]) < INFINITY))
            return false;
        double inverse = d[i] != 0.0 ? 1.0 / d[i] : 0.0;
        p->direction[i] = d[i];
        p->inverse[i] = fabs(inverse) < INFINITY ? inverse : 0.0;
    }
    return true;
}

static bool set_box(broad_probe *p, const box *b)
{
    for (int i = 0; i < 3; ++i) {
        if (!(b->min[i] <= b->max[i]))
            return false;
        p->low[i] = (double)b->min[i];
        p->high[i] = (double)b->max[i];
    }
    return true;
}

tact_status tact_broad_query_ray(const broad *b, tact_vec3 start, tact_vec3 direction, double limit,
                                 broad_filter filter, broad_visit_bounded *visit, void *context)
{
    broad_probe p = {.low = {start.x, start.y, start.z}, .high = {start.x, start.y, start.z}};
    if (b == NULL || visit == NULL || !(limit >= 0.0) || !set_direction(&p, direction))
        return TACT_BAD_ARGUMENT;
    for (int i = 0; i < 3; ++i)
        if (!(fabs(p.low[i]) < INFINITY))
            return TACT_BAD_ARGUMENT;
    return run_query(b, &p, limit, filter, visit, context);
}

tact_status tact_broad_query_cast(const broad *b, const box *moving, tact_vec3 direction, double limit,
                                  broad_filter filter, broad_visit_bounded *visit, void *context)
{
    broad_probe p = {0};
    if (b == NULL || moving == NULL || visit == NULL || !(limit >= 0.0) || !set_direction(&p, direction) ||
        !set_box(&p, moving))
        return TACT_BAD_ARGUMENT;
    return run_query(b, &p, limit, filter, visit, context);
}

tact_status tact_broad_query_closest(const broad *b, const box *area, double limit, broad_filter filter,
                                     broad_visit_bounded *visit, void *context)
{
    broad_probe p = {.distance = true};
    if (b == NULL || area == NULL || visit == NULL || !(limit >= 0.0) || !set_box(&p, area))
        return TACT_BAD_ARGUMENT;
    return run_query(b, &p, limit, filter, visit, context);
}
