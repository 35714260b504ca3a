/*
 * BROAD_AUTO: the cost model for sweep and prune against the dynamic tree (see engine_choice.h for the rule).
 *
 *     tree    a move + the cheaper of an escape from the fat box and a rebuild over all proxies;
 *             all of these grow with the number of near pairs
 *     sweep   a move + a swap for each endpoint passed + a merge over all proxies, if any was inserted or removed
 *
 * The engine at work counts its own swaps or escapes. For the other engine they are estimated: swaps from the
 * displacements of proxies and the density of endpoints, taken as uniform; escapes from the number of moves that a fat
 * box allows. Every BROAD_CHOICE_SAMPLE-th update is counted; a period has BROAD_CHOICE_PERIOD of these.
 *
 * As measured, the tree is faster (2 to 10 times where all bodies move a little), unless few bodies move, each by more
 * than half the longest side of its box, so that they escape with every move and yet pass few others. Then the sweep is
 * up to twice as fast: 20 of 1000 small bodies far apart take 181 ns per move against 262; 30 of 300: 119 against 235;
 * 10 of 100 cubes at 5 % density, by a whole side: 400 against 526. Queries are not counted. They are linear in the
 * sweep, so AUTO does not take it above BROAD_CHOICE_MAX_SWEEP proxies.
 */
#include "broad/broad_constants.h"
#include "broad/broad_internal.h"

/* Nanoseconds on a 2 to 3 GHz core of 2020. */
static const double tree_move_costs[] = {15.0, 3.0};     /* a move; for each near pair of the proxy */
static const double tree_escape_costs[] = {250.0, 70.0}; /* an escape, inserted by itself; likewise */
static const double tree_batch_costs[] = {60.0, 40.0};   /* a proxy in a rebuild; likewise */
static const double sweep_costs[] = {55.0, 6.5, 40.0};   /* a move; a swap; a merge, for each proxy there is */
static const double change_cost = 400.0;                 /* taking over, for each proxy */

/* What the other engine would have to do for the proxies that moved. */
typedef struct broad_estimate {
    double escapes;
    double displacement[3]; /* along each axis, the sum over all that moved */
} broad_estimate;

static broad_estimate estimate(const broad *b, const uint32_t *moved, size_t count)
{
    broad_estimate g = {0};
    for (size_t i = 0; i < count; ++i) {
        const broad_proxy *p = &b->proxies.items[moved[i]];
        float longest = 0.0f, step = bfloat16_value(p->max_displacement);
        for (int k = 0; k < 3; ++k) {
            float side = p->box.max[k] - p->box.min[k], moved_by = fabsf(bfloat16_value(p->displacement[k]));
            longest = side > longest ? side : longest;
            if (moved_by <= FLT_MAX)
                g.displacement[k] += (double)moved_by;
        }
        float rate = longest > 0.0f ? step / longest : step > 0.0f ? 1.0f : 0.0f;
        g.escapes += rate > 0.5f                        ? 1.0
                     : rate > 1.0f / BROAD_CHOICE_MOVES ? (double)rate
                                                        : 1.0 / (double)BROAD_CHOICE_MOVES;
    }
    return g;
}

/* The extents of the world, from a sample of proxies: the endpoints are spread over these. */
static void measure_world(const broad *b, double *lengths)
{
    box all = box_empty();
    size_t step = b->proxies.count / 64 + 1; /* a sample will do */
    for (size_t i = 0; i < b->proxies.count; i += step)
        if (b->proxies.items[i].flags & PROXY_ALIVE)
            all = box_union(&all, &b->proxies.items[i].box);
    for (int k = 0; k < 3; ++k) {
        double length = (double)all.max[k] - (double)all.min[k];
        lengths[k] = length > 0.0 && length < INFINITY ? length : 0.0;
    }
}

void tact_broad_choice_count(broad *b, size_t turnover)
{
    broad_choice *c = &b->choice;
    ++c->age;
    c->turnover += turnover;
    if (c->age % BROAD_CHOICE_SAMPLE != 0 || (b->count > BROAD_CHOICE_MAX_SWEEP && b->engine == BROAD_TREE))
        return;
    const double moved = (double)b->dirty.count, escaped = (double)(size_t)(b->counters.escaped - c->escaped);
    const broad_estimate g = estimate(b, b->dirty.items, b->dirty.count);
    double swaps = 0.0, escapes = g.escapes, n = (double)b->count;
    if (b->engine == BROAD_SWEEP) {
        swaps = (double)(b->counters.swaps - c->swaps) / BROAD_CHOICE_SAMPLE;
    } else {
        double lengths[3];
        measure_world(b, lengths);
        for (int k = 0; k < 3; ++k) /* both endpoints of a box pass 2 n endpoints on the length of the world */
            swaps += lengths[k] > 0.0 ? 2.0 * g.displacement[k] * 2.0 * n / lengths[k] : 0.0;
        escapes = escaped / BROAD_CHOICE_SAMPLE;
    }
    c->escaped = b->counters.escaped;
    c->swaps = b->counters.swaps;
    double near = n > 0.0 ? 2.0 * (double)b->pairs.cached_count / n : 0.0; /* pairs of a proxy */
    if (b->engine == BROAD_SWEEP)
        near *= BROAD_CHOICE_NEAR; /* the sweep has only those that overlap */
    const double moves[] = {moved, moved * near}, one_by_one[] = {escapes, escapes * near}, batch[] = {n, n * near};
    const double insertion = engine_cost(tree_escape_costs, one_by_one, 2);
    const double rebuild = engine_cost(tree_batch_costs, batch, 2);
    const double sorting[] = {moved, swaps, c->turnover > 0 ? n : 0.0};
    c->tree_cost += engine_cost(tree_move_costs, moves, 2) + (insertion < rebuild ? insertion : rebuild);
    c->sweep_cost += engine_cost(sweep_costs, sorting, 3);
    c->turnover = 0;
}

bool tact_broad_choice_decide(broad *b)
{
    broad_choice *c = &b->choice;
    if (c->age < BROAD_CHOICE_SAMPLE * BROAD_CHOICE_PERIOD)
        return false;
    const bool tree = b->engine == BROAD_TREE;
    const double working = tree ? c->tree_cost : c->sweep_cost, other = tree ? c->sweep_cost : c->tree_cost;
    *c = (broad_choice){.rule = c->rule, .escaped = b->counters.escaped, .swaps = b->counters.swaps};
    if (b->count > BROAD_CHOICE_MAX_SWEEP)
        return !tree;
    return tact_engine_choice_decide(&c->rule, BROAD_CHOICE_SAMPLE * working, BROAD_CHOICE_SAMPLE * other,
                                     (double)b->count * change_cost);
}
