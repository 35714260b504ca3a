/*
 * `tact-bench coming-staadt-2006`: the experiment of Coming and Staadt 2006, figures 7 and 8: all collisions of rings
 * that fly and bounce (rings.h), found by the methods of rings_run.c, which must report the same touches. The figures
 * of the paper have logarithmic scales and are lost in the scan. Its text says: sweep and prune is an order of
 * magnitude faster than all pairs, kinetic sweep and prune 1.5 to 2 times faster again, and its cost is independent of
 * the frame rate.
 *
 * The cost of a method is the time from its start (structures, first predictions) to the end of the scene, per
 * simulated second. Figure 8 also gives the kinetic cost without the start, which must be independent of the frame
 * rate.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rings.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"

#define DENSITY 0.01
#define HERTZ 1000.0

/* Largest numbers of rings for storing all pairs, and for predicting impacts again in every frame. */
#define MAX_ALL_PAIRS 2000
#define MAX_UNCACHED 1000

/* Largest number of rings for sorting along axes, which swaps some n^(5/3) endpoints per second. */
#define MAX_SORTED 10000

#define FLAT_GOAL 1.1  /* largest ratio of the kinetic cost at 2,000 Hz to that at 30 Hz */
#define RATIO_GOAL 5.0 /* smallest ratio of swept boxes to kinetic, at 1,000 Hz and 1,000 rings */
#define MAX_ROUNDS 9

typedef struct ring_result {
    ring_cost cost; /* of the median round */
    bool measured;
} ring_result;

static double total(const ring_result *o) { return o->measured ? o->cost.begin + o->cost.run : NAN; }

static bool is_cached(ring_method method) { return method == RINGS_SWEEP_CACHED || method == RINGS_TREE_CACHED; }
static bool is_swept(ring_method method) { return method > RINGS_ALL_PAIRS && method < RINGS_KINETIC_SWEEP; }

/* Largest number of rings that the method handles in reasonable time. */
static int max_rings(ring_method method)
{
    switch (method) {
    case RINGS_ALL_PAIRS:
        return MAX_ALL_PAIRS;
    case RINGS_SWEEP:
    case RINGS_TREE:
        return MAX_UNCACHED;
    case RINGS_SWEEP_CACHED:
    case RINGS_KINETIC_SWEEP:
        return MAX_SORTED;
    default:
        return INT_MAX;
    }
}

static int by_total(const void *one, const void *other)
{
    const ring_cost *p = one, *q = other;
    const double x = p->begin + p->run, y = q->begin + q->run;
    return (x > y) - (x < y);
}

/* Runs all methods, interleaved, `rounds` times. Returns the number of touches, or a negative number on failure. */
static long measure(const suite *s, const rings *r, double hz, double end, int rounds,
                    ring_result results[RINGS_METHODS])
{
    ring_cost costs[RINGS_METHODS][MAX_ROUNDS];
    ring_log expected = {0};
    bool done = true;
    memset(results, 0, RINGS_METHODS * sizeof *results);
    for (int round = 0; round < rounds && done; round++) {
        for (int method = RINGS_METHODS - 1; method >= 0 && done;
             method--) { /* the kinetic method first: the reference */
            if (r->count > max_rings((ring_method)method))
                continue;
            ring_log log = {0};
            ring_log *log_of_run = round == 0 && method == RINGS_KINETIC_AUTO ? &expected : &log;
            done = tact_rings_run(r, (ring_method)method, hz, end, false, log_of_run, &costs[method][round]);
            results[method].measured = true;
            if (log_of_run == &log && done)
                *s->wrong += tact_ring_log_compare(&expected, &log);
            tact_ring_log_release(&log);
        }
    }
    for (int method = 0; method < RINGS_METHODS && done; method++) {
        if (results[method].measured) {
            qsort(costs[method], (size_t)rounds, sizeof costs[method][0], by_total);
            results[method].cost = costs[method][rounds / 2];
        }
    }
    const long touches = (long)expected.count;
    tact_ring_log_release(&expected);
    return done ? touches : -1;
}

/* The faster of the methods with swept boxes. */
static double best_swept(const ring_result results[RINGS_METHODS], bool cached)
{
    double best = INFINITY;
    for (int method = 0; method < RINGS_METHODS; method++)
        if (is_swept((ring_method)method) && results[method].measured && is_cached((ring_method)method) == cached)
            best = fmin(best, total(&results[method]));
    return best;
}

/* Adds the row of a number of rings at 1,000 Hz. */
static bool add_count(const suite *s, json_t *table, int count, double end, int rounds)
{
    rings r;
    ring_result o[RINGS_METHODS];
    if (!tact_rings_create(&r, count, DENSITY, s->seed))
        return false;
    const long touches = measure(s, &r, HERTZ, end, rounds, o),
               events = tact_rings_count_events(&r, RINGS_KINETIC_AUTO, end);
    const double unit = 1e6 * end, uncached = best_swept(o, false), cached = best_swept(o, true);
    if (touches >= 0)
        tact_table_row(table, "dddfffffffffff", (long)count, touches, events, total(&o[RINGS_ALL_PAIRS]) / unit,
                       total(&o[RINGS_SWEEP]) / unit, total(&o[RINGS_TREE]) / unit,
                       total(&o[RINGS_SWEEP_CACHED]) / unit, total(&o[RINGS_TREE_CACHED]) / unit,
                       total(&o[RINGS_KINETIC_SWEEP]) / unit, total(&o[RINGS_KINETIC_FAT_BOUNDS]) / unit,
                       total(&o[RINGS_KINETIC_AUTO]) / unit, uncached / total(&o[RINGS_KINETIC_AUTO]),
                       cached / total(&o[RINGS_KINETIC_AUTO]),
                       events > 0 ? total(&o[RINGS_KINETIC_AUTO]) / 1e3 / (double)events : NAN);
    tact_rings_release(&r);
    return touches >= 0;
}

static bool figure_7(const suite *s)
{
    static const int counts[] = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 2000, 5000, 10000, 30000, 100000};
    const int most = s->large && !s->quick ? 100000 : suite_size(s, 10000, 1000, 100);
    json_t *table =
        tact_table_begin("Coming and Staadt 2006, Figure 7: rings at 1,000 Hz, density 1 %, ms per simulated second",
                         "rings|collisions|events|all pairs|swept, sweep|swept, tree|sweep, cached|"
                         "tree, cached|kinetic sweep|fat bounds|kinetic|swept / kinetic|cached / kinetic|us per event");
    bool done = true;
    for (size_t i = 0; done && i < sizeof counts / sizeof counts[0] && counts[i] <= most; i++) {
        if (s->quick && i % 3 != 0)
            continue;
        const int n = counts[i];
        done = add_count(s, table, n, s->tiny ? 0.1 : 1.0, n > 10000 ? 1 : suite_size(s, n > 1000 ? 3 : 5, 1, 1));
    }
    tact_table_note(table, "Total time from the start. Events: all events of the kinetic method, collisions included. "
                           "Kinetic sweep (and prune) and fat bounds: the world with that engine; kinetic: with the "
                           "engine it chooses. The ratios use the faster of sweep and tree.");
    tact_table_note(
        table,
        "All methods report the same collisions, with times equal to 1e-9. All pairs up to %d rings, impacts computed "
        "anew in every frame up to %d, sorting along axes up to %d: beyond these they take too long.",
        MAX_ALL_PAIRS, MAX_UNCACHED, MAX_SORTED);
    tact_table_plot(table, "ms per simulated second", 0,
                    1u << 3 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 10, -1);
    return tact_table_end(s, "coming_staadt_2006_figure_7", table) && done;
}

/* Frame rates, and the parts of the swept methods. */
static bool figure_8(const suite *s)
{
    static const double hertz[] = {30, 60, 125, 250, 500, 1000, 2000};
    const int count = suite_size(s, 1000, 1000, 100), rounds = suite_size(s, 5, 3, 1);
    const double end = s->tiny ? 0.1 : 1.0, unit = 1e6 * end;
    double slow = NAN, fast = NAN, uncached = NAN, cached = NAN;
    rings r;
    char title[128];
    (void)snprintf(title, sizeof title,
                   "Coming and Staadt 2006, Figure 8: %d rings by frame rate, ms per simulated second", count);
    json_t *table = tact_table_begin(
        title, "Hz|all pairs|swept, sweep|swept, tree|sweep, cached|tree, cached|"
               "its boxes|its pairs|its impacts|kinetic sweep|fat bounds|kinetic|of it after the start|"
               "swept / kinetic|cached / kinetic");
    bool done = tact_rings_create(&r, count, DENSITY, s->seed);
    const bool made = done;
    for (size_t i = 0; done && i < sizeof hertz / sizeof hertz[0]; i++) {
        ring_result o[RINGS_METHODS];
        ring_cost parts;
        ring_log log = {0};
        if (s->quick && i % 2 != 0 && hertz[i] != HERTZ)
            continue;
        done = measure(s, &r, hertz[i], end, rounds, o) >= 0 &&
               tact_rings_run(&r, RINGS_TREE_CACHED, hertz[i], end, true, &log, &parts);
        tact_ring_log_release(&log);
        if (!done)
            break;
        const ring_result *k = &o[RINGS_KINETIC_AUTO];
        slow = i == 0 ? k->cost.run : slow;
        fast = k->cost.run;
        const double ratios[2] = {best_swept(o, false) / total(k), best_swept(o, true) / total(k)};
        uncached = hertz[i] == HERTZ ? ratios[0] : uncached;
        cached = hertz[i] == HERTZ ? ratios[1] : cached;
        tact_table_row(
            table, "dffffffffffffff", (long)hertz[i], total(&o[RINGS_ALL_PAIRS]) / unit, total(&o[RINGS_SWEEP]) / unit,
            total(&o[RINGS_TREE]) / unit, total(&o[RINGS_SWEEP_CACHED]) / unit, total(&o[RINGS_TREE_CACHED]) / unit,
            parts.boxes / unit, parts.sorting / unit, parts.impact / unit, total(&o[RINGS_KINETIC_SWEEP]) / unit,
            total(&o[RINGS_KINETIC_FAT_BOUNDS]) / unit, total(k) / unit, k->cost.run / unit, ratios[0], ratios[1]);
    }
    tact_table_plot(table, "ms per simulated second", 0,
                    1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 9 | 1u << 10 | 1u << 11, -1);
    tact_table_note(table,
                    "Kinetic after the start, 2,000 Hz over 30 Hz: %.3f (goal: at most %.1f, met: %s). Swept boxes "
                    "over kinetic at 1,000 Hz: %.2f, with cached impacts %.2f (goal: %.0f, met: %s, %s).",
                    fast / slow, FLAT_GOAL, tact_table_met(FLAT_GOAL, fast / slow), uncached, cached, RATIO_GOAL,
                    tact_table_met(uncached, RATIO_GOAL), tact_table_met(cached, RATIO_GOAL));
    tact_table_note(table,
                    "Median of %d interleaved rounds. Boxes, pairs and impacts: parts of the tree with cached impacts, "
                    "from a separate run.",
                    rounds);
    if (made)
        tact_rings_release(&r);
    return tact_table_end(s, "coming_staadt_2006_figure_8", table) && done;
}

/* The same number of rings at different densities. */
static bool densities(const suite *s)
{
    static const double percent[] = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0};
    const int count = suite_size(s, 1000, 1000, 100), rounds = suite_size(s, 5, 3, 1);
    const double end = s->tiny ? 0.1 : 1.0;
    char title[128];
    (void)snprintf(title, sizeof title,
                   "Coming and Staadt 2006: %d rings at 1,000 Hz, by density: kinetic cost is proportional to events",
                   count);
    json_t *table =
        tact_table_begin(title, "density, %|collisions|events|kinetic, ms per simulated second|us per event|"
                                "us per collision|tree, cached, ms");
    bool done = true;
    for (size_t i = 0; done && i < sizeof percent / sizeof percent[0]; i++) {
        rings r;
        if (s->quick && i % 3 != 0)
            continue;
        if (!tact_rings_create(&r, count, 0.01 * percent[i], s->seed)) {
            done = false;
            break;
        }
        ring_cost costs[2][MAX_ROUNDS];
        long touches = 0;
        for (int round = 0; done && round < rounds; round++) {
            ring_log logs[2] = {{0}};
            done = tact_rings_run(&r, RINGS_KINETIC_AUTO, HERTZ, end, false, &logs[0], &costs[0][round]) &&
                   tact_rings_run(&r, RINGS_TREE_CACHED, HERTZ, end, false, &logs[1], &costs[1][round]);
            touches = (long)logs[0].count;
            *s->wrong += done ? tact_ring_log_compare(&logs[0], &logs[1]) : 0;
            tact_ring_log_release(&logs[0]);
            tact_ring_log_release(&logs[1]);
        }
        if (done) {
            const long events = tact_rings_count_events(&r, RINGS_KINETIC_AUTO, end);
            for (int k = 0; k < 2; k++)
                qsort(costs[k], (size_t)rounds, sizeof costs[k][0], by_total);
            const ring_cost *k = &costs[0][rounds / 2], *t = &costs[1][rounds / 2];
            const double us = (k->begin + k->run) / 1e3;
            tact_table_row(table, "fddffff", percent[i], touches, events, us / 1e3 / end, us / (double)events,
                           touches > 0 ? us / (double)touches : NAN, (t->begin + t->run) / 1e6 / end);
        }
        tact_rings_release(&r);
    }
    tact_table_plot(table, "ms per simulated second", 2, 1u << 3 | 1u << 6, -1);
    return tact_table_end(s, "coming_staadt_2006_density", table) && done;
}

bool tact_bench_coming_staadt_2006(const suite *s)
{
    const bool first = figure_7(s), second = first && figure_8(s);
    return second && densities(s);
}
