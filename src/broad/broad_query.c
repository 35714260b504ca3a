/*
 * Queries: see broad.h. With the tree engine: a descent, near children first, through widened boxes to the boxes as
 * last told, and a look at each proxy that has left its widened box since the last update. With the sweep engine: a
 * look at every proxy.
 *
 * Nothing is missed: parameters and distances are computed in doubles from floats, with at most three roundings each,
 * and are widened by SLACK, more than these; what overflows or is not a number rules nothing out.
 */
#include "broad/broad_internal.h"

#define SLACK 1e-15  /* part of the value: more than three roundings of 2^-52 in any mode */
#define LEAST 1e-300 /* added to it: more than what is lost when subnormal results are flushed */

static inline bool reaches(const broad *b, uint32_t at, broad_filter filter)
{
    return b->proxies.items[at].flags & PROXY_ALIVE && broad_filters_allow(filter, b->filters.items[at]);
}

/* ---- boxes ---- */

typedef struct area_search {
    const broad *b;
    const box *area;
    broad_filter filter;
    broad_visit *visit;
    void *context;
    uint32_t skipped; /* a flag of proxies that are not to be looked at */
} area_search;

static bool found_in_area(void *context, uint32_t at)
{
    const area_search *s = context;
    const broad_proxy *p = &s->b->proxies.items[at];
    if (p->flags & s->skipped || !box_overlap(&p->box, s->area) || !reaches(s->b, at, s->filter))
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
    area_search s = {b, area, filter, visit, context, PROXY_ESCAPED};
    if (b->engine == BROAD_TREE && !tact_dynamic_tree_overlap(&b->tree, area, found_in_area, &s))
        return TACT_OK;
    s.skipped = 0;
    size_t count = b->engine == BROAD_TREE ? b->dirty.count : b->proxies.count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = b->engine == BROAD_TREE ? b->dirty.items[i] : i;
        if ((b->engine == BROAD_SWEEP || b->proxies.items[at].flags & PROXY_ESCAPED) && !found_in_area(&s, at))
            break;
    }
    return TACT_OK;
}

/* ---- rays, moving boxes, distances ---- */

/* What is asked: from where on something lies, when seen from a box [low, high] that moves by t direction, or stands.
 */
typedef struct probe {
    double low[3], high[3];
    double direction[3];
    double inverse[3]; /* 1 / direction; 0 where that says nothing */
    bool distance;     /* not when it is met, but how far it is */
} probe;

/* A bound from below of the distance from the probe to a box. */
static double distance_from(const probe *p, const box *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double above = (double)b->min[i] - p->high[i], below = p->low[i] - (double)b->max[i], gap = 0.0;
        gap = above > gap ? above : gap;
        gap = below > gap ? below : gap;
        sum += gap * gap;
    }
    return sum > 0.0 ? sqrt(sum) * (1.0 - SLACK) : 0.0;
}

/* Is the box within the limit, and from where on? */
static bool within(const probe *p, const box *b, double limit, double *from)
{
    if (p->distance) {
        *from = distance_from(p, b);
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
        enter -= fabs(enter) * SLACK + LEAST;
        leave += fabs(leave) * SLACK + LEAST;
        first = enter > first ? enter : first; /* not if it is not a number */
        last = leave < last ? leave : last;
    }
    *from = first;
    return first <= last;
}

typedef struct probe_search {
    const broad *b;
    const probe *probe;
    double limit;
    broad_filter filter;
    broad_visit_bounded *reach;
    void *context;
} probe_search;

/* Looks at one proxy; false when the search is over. */
static bool look(probe_search *s, uint32_t at)
{
    double from;
    if (!reaches(s->b, at, s->filter) || !within(s->probe, &s->b->proxies.items[at].box, s->limit, &from))
        return true;
    double answer = s->reach(s->context, at, from, s->limit);
    if (answer < s->limit)
        s->limit = answer;
    return !(answer < 0.0);
}

typedef struct probe_step {
    double from;
    uint32_t child;
} probe_step;

static bool descend(probe_search *s)
{
    const dynamic_tree *tree = &s->b->tree;
    if (tree->root == DYNAMIC_TREE_NONE)
        return true;
    probe_step stack[DYNAMIC_TREE_MAX_HEIGHT + 2];
    size_t depth = 0;
    stack[depth++] = (probe_step){0.0, tree->root};
    while (depth > 0) {
        probe_step step = stack[--depth];
        if (step.from > s->limit)
            continue;
        if (step.child & DYNAMIC_TREE_LEAF) {
            uint32_t at = step.child & ~DYNAMIC_TREE_LEAF;
            if (!(s->b->proxies.items[at].flags & PROXY_ESCAPED) && !look(s, at))
                return false;
            continue;
        }
        const dynamic_tree_node *node = &tree->nodes.items[step.child];
        double from[2] = {0.0, 0.0};
        bool met[2];
        for (uint32_t side = 0; side < 2; ++side) {
            box around = dynamic_tree_child_box(node, side);
            met[side] = within(s->probe, &around, s->limit, &from[side]);
        }
        uint32_t near = from[1] < from[0];
        if (met[1 - near])
            stack[depth++] = (probe_step){from[1 - near], node->child[1 - near]};
        if (met[near])
            stack[depth++] = (probe_step){from[near], node->child[near]};
    }
    return true;
}

static tact_status search(const broad *b, const probe *p, double limit, broad_filter filter, broad_visit_bounded *reach,
                          void *context)
{
    probe_search s = {b, p, limit, filter, reach, context};
    if (b->engine == BROAD_TREE && !descend(&s))
        return TACT_OK;
    size_t count = b->engine == BROAD_TREE ? b->dirty.count : b->proxies.count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = b->engine == BROAD_TREE ? b->dirty.items[i] : i;
        if ((b->engine == BROAD_SWEEP || b->proxies.items[at].flags & PROXY_ESCAPED) && !look(&s, at))
            break;
    }
    return TACT_OK;
}

/* Sets the way that a probe goes; false if it is not finite. */
static bool set_direction(probe *p, tact_vec3 direction)
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

static bool set_box(probe *p, const box *b)
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
                                 broad_filter filter, broad_visit_bounded *reach, void *context)
{
    probe p = {.low = {start.x, start.y, start.z}, .high = {start.x, start.y, start.z}};
    if (b == NULL || reach == NULL || !(limit >= 0.0) || !set_direction(&p, direction))
        return TACT_BAD_ARGUMENT;
    for (int i = 0; i < 3; ++i)
        if (!(fabs(p.low[i]) < INFINITY))
            return TACT_BAD_ARGUMENT;
    return search(b, &p, limit, filter, reach, context);
}

tact_status tact_broad_query_cast(const broad *b, const box *moving, tact_vec3 direction, double limit,
                                  broad_filter filter, broad_visit_bounded *reach, void *context)
{
    probe p = {0};
    if (b == NULL || moving == NULL || reach == NULL || !(limit >= 0.0) || !set_direction(&p, direction) ||
        !set_box(&p, moving))
        return TACT_BAD_ARGUMENT;
    return search(b, &p, limit, filter, reach, context);
}

tact_status tact_broad_query_closest(const broad *b, const box *area, double limit, broad_filter filter,
                                     broad_visit_bounded *reach, void *context)
{
    probe p = {.distance = true};
    if (b == NULL || area == NULL || reach == NULL || !(limit >= 0.0) || !set_box(&p, area))
        return TACT_BAD_ARGUMENT;
    return search(b, &p, limit, filter, reach, context);
}
