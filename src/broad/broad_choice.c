/*
 * AUTO: which of the two engines to work with, by what updates cost by a model fitted to measurements.
 *
 *     tree    MOVE_TREE a move + ESCAPE an escape, or BATCH for each proxy there is, whichever is less; all the more,
 *             the more near pairs a proxy has
 *     sweep   MOVE_SWEEP a move + SWAP for each end point passed + MERGE for each proxy there is, if any came or went
 *
 * The engine at work counts its own; of the other one it is guessed what it would have had: end points passed from how
 * far the proxies went and how many ends there are on the way, if those are spread evenly; escapes from how long the
 * way is that the widened boxes allow. Every SAMPLE-th update is looked at, and after PERIOD of them the engine
 * changes if the other one costs much less, and if what it saves in some periods pays for the change.
 *
 * As measured, the tree is ahead (by 2 to 10 times where all move a little) unless a small part of the bodies
 * moves by more than half its size at once, so that it escapes with every move, and yet passes few others: then the
 * sweep is up to twice as fast (20 of 1000 small bodies far apart: 181 to 262 ns a move; 30 of 300: 119 to 235; 10 of
 * 100 cubes at 5 % density, by a whole side: 400 to 526). Queries are not counted: they are linear in the sweep, so
 * AUTO does not take it above SWEEP_MOST.
 */
#include "broad/broad_internal.h"

/* nanoseconds; a 2 to 3 GHz core of 2020. Only their ratios matter. */
#define MOVE_TREE 15.0
#define MOVE_NEAR 3.0 /* for each near pair of it */
#define ESCAPE 250.0
#define ESCAPE_NEAR 70.0 /* likewise */
#define BATCH 60.0
#define BATCH_NEAR 40.0 /* likewise */
#define MOVE_SWEEP 55.0
#define SWAP 6.5
#define MERGE 40.0
#define CHANGE 400.0 /* for each proxy: what taking over costs */

#define SAMPLE 4             /* updates */
#define PERIOD 16            /* samples */
#define BETTER 1.3           /* times: by less it is not worth the trouble */
#define PAY_BACK 8.0         /* periods in which a change must have paid for itself */
#define PATIENCE_MOST 63     /* periods until the next change; twice as long after each one, to begin with one */
#define SWEEP_MOST 4096      /* proxies */
#define NEAR_TO_TOUCHING 3.0 /* times as many */
#define PLANNED 24.0f        /* moves: what a long plan allows on average */

/* What the proxies that moved would cost the other engine. */
typedef struct guess {
    double escapes;
    double way[3]; /* along each axis, of all that moved together */
} guess;

static guess guess_from(const broad *b, const uint32_t *moved, size_t count)
{
    guess g = {0};
    for (size_t i = 0; i < count; ++i) {
        const proxy_line *p = &b->proxies.items[moved[i]];
        float longest = 0.0f, step = rough_value(p->step);
        for (int k = 0; k < 3; ++k) {
            float side = p->now.max[k] - p->now.min[k], way = fabsf(rough_value(p->drift[k]));
            longest = side > longest ? side : longest;
            if (way <= FLT_MAX)
                g.way[k] += (double)way;
        }
        float often = longest > 0.0f ? step / longest : step > 0.0f ? 1.0f : 0.0f;
        g.escapes += often > 0.5f ? 1.0 : often > 1.0f / PLANNED ? (double)often : 1.0 / (double)PLANNED;
    }
    return g;
}

/* The lengths of the world, from what moved and a few others: the ends are spread over these. */
static void measure_world(const broad *b, double *lengths)
{
    box all = box_empty();
    size_t step = b->proxies.count / 64 + 1; /* a sample will do */
    for (size_t i = 0; i < b->proxies.count; i += step)
        if (b->proxies.items[i].flags & PROXY_ALIVE)
            all = box_union(&all, &b->proxies.items[i].now);
    for (int k = 0; k < 3; ++k) {
        double length = (double)all.max[k] - (double)all.min[k];
        lengths[k] = length > 0.0 && length < INFINITY ? length : 0.0;
    }
}

void tact_choice_note(broad *b, size_t came_and_went)
{
    choice *c = &b->choice;
    ++c->age;
    c->turnover += came_and_went;
    if (c->age % SAMPLE != 0 || (b->count > SWEEP_MOST && b->engine == BROAD_TREE))
        return;
    size_t moved = b->noted.count, escaped = (size_t)(b->effort.escaped - c->escaped);
    guess g = guess_from(b, b->noted.items, moved);
    double swaps = 0.0, escapes = g.escapes, n = (double)b->count;
    if (b->engine == BROAD_SWEEP) {
        swaps = (double)(b->effort.swaps - c->swaps) / SAMPLE;
    } else {
        double lengths[3];
        measure_world(b, lengths);
        for (int k = 0; k < 3; ++k) /* both ends of a box pass 2 n ends on the length of the world */
            swaps += lengths[k] > 0.0 ? 2.0 * g.way[k] * 2.0 * n / lengths[k] : 0.0;
        escapes = (double)escaped / SAMPLE;
    }
    c->escaped = b->effort.escaped;
    c->swaps = b->effort.swaps;
    double near = n > 0.0 ? 2.0 * (double)b->pairs.used / n : 0.0; /* pairs of a proxy */
    if (b->engine == BROAD_SWEEP)
        near *= NEAR_TO_TOUCHING; /* the sweep has only those that touch */
    double one_by_one = escapes * (ESCAPE + ESCAPE_NEAR * near), batch = n * (BATCH + BATCH_NEAR * near);
    c->tree_cost += (double)moved * (MOVE_TREE + MOVE_NEAR * near) + (one_by_one < batch ? one_by_one : batch);
    c->sweep_cost += (double)moved * MOVE_SWEEP + swaps * SWAP + (c->turnover > 0 ? n * MERGE : 0.0);
    c->turnover = 0;
}

bool tact_choice_decide(broad *b)
{
    choice *c = &b->choice;
    if (c->age < SAMPLE * PERIOD)
        return false;
    double here = b->engine == BROAD_TREE ? c->tree_cost : c->sweep_cost;
    double there = b->engine == BROAD_TREE ? c->sweep_cost : c->tree_cost;
    uint32_t wait = c->wait, patience = c->patience;
    *c = (choice){.escaped = b->effort.escaped, .swaps = b->effort.swaps, .wait = wait, .patience = patience};
    if (b->count > SWEEP_MOST)
        return b->engine == BROAD_SWEEP;
    if (wait > 0) {
        --c->wait;
        return false;
    }
    if (here <= BETTER * there || (here - there) * SAMPLE * PAY_BACK <= (double)b->count * CHANGE)
        return false;
    /* an engine that begins has more to do than later on; and guesses that were wrong are not to be repeated often */
    c->patience = patience < PATIENCE_MOST ? 2 * patience + 1 : PATIENCE_MOST;
    c->wait = c->patience;
    return true;
}
