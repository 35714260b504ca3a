/*
 * `tact-bench weller-zachmann-2006`: the experiment of Weller and Zachmann 2006, section 7. Three key-framed scenes
 * (keyframe_scene.h) at several resolutions, with several numbers of frames per interval between two key frames, by the
 * methods of keyframe_methods.h, which must find the same contacts. One thread.
 *
 * The paper measures total time and update time (figures 10 to 12) and counts events of its kinetic separation list
 * against checks of swept boxes. Its diagrams are lost in the scan. Its text says: the list is 50 times faster than
 * swept boxes for the tablecloth, 20 times for the figure, twice for the swirling cloth; its cost does not depend on
 * the number of frames. The number of frames behind these ratios is not given.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keyframe_methods.h"
#include "suite.h"
#include "table.h"

enum { MAX_SIZES = 4, FRAME_COUNTS = 7, MAX_ROUNDS = 3 };

/* Frames per key interval. The last one is ten times the one marked below: slow motion. */
static const int frame_counts[FRAME_COUNTS] = {1, 2, 5, 10, 20, 50, 100};
enum { ONE = 0, TEN = 3, FIFTY = 5, HUNDRED = 6 };

typedef struct scene_kind {
    const char *name;
    int sizes[MAX_SIZES]; /* cells per side of a cloth, or triangles */
    int tiny;
    int intervals;      /* of a full run; the first one is not measured */
    double paper_ratio; /* swept boxes over the kinetic separation list, in the paper */
} scene_kind;

static const scene_kind kinds[] = {{"tablecloth", {32, 45, 64, 90}, 8, 9, 50},
                                   {"swirling cloth", {45, 64, 90, 128}, 8, 9, 2},
                                   {"figure with shirt", {35000, 49000, 70000, 90000}, 600, 4, 20}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Per key interval. */
typedef struct scene_result {
    keyframe_cost costs[FRAME_COUNTS][KEYFRAMES_METHODS];
    bool measured[FRAME_COUNTS];
    double intervals, contacts;
    size_t triangles;
} scene_result;

typedef struct tables {
    json_t *total, *update, *checks, *slow, *growth;
} tables;

/* ---- measurement ---- */

static bool make_scene(keyframe_scene *scene, int kind, int size, int intervals, bool tiny)
{
    if (kind == 0)
        return tact_keyframe_tablecloth(scene, size, intervals + 1);
    if (kind == 1)
        return tact_keyframe_swirl(scene, size, intervals + 1);
    const char *shared = getenv("TACT_SHARED_DATA");
    char folder[512];
    (void)snprintf(folder, sizeof folder, "%s/animations/kick", shared != NULL ? shared : "../shared/data");
    return tact_keyframe_figure(scene, (size_t)size, intervals + 1, tiny ? NULL : folder);
}

static int by_time(const void *p, const void *q)
{
    const keyframe_cost *a = p, *b = q;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Runs all methods with a number of frames, compares their contacts with `expected`, and keeps the median times. Few
 * rounds: a run over many frames is long. */
static bool measure_frames(const suite *s, const keyframe_scene *scene, int at, const keyframe_log *expected,
                           scene_result *result)
{
    bool done = true;
    for (int method = 0; done && method < KEYFRAMES_METHODS; method++) {
        keyframe_cost costs[MAX_ROUNDS] = {0};
        keyframe_log log = {0};
        const bool by_frame = method == KEYFRAMES_SWEPT_BOXES || method == KEYFRAMES_SWEPT_TREE;
        const int rounds = s->tiny || (by_frame && at > ONE) ? 1 : 3;
        for (int round = 0; done && round < rounds; round++)
            done = tact_keyframes_run(scene, (keyframe_method)method, frame_counts[at], round == 0 ? &log : NULL,
                                      &costs[round]);
        if (done)
            *s->wrong += (long)tact_keyframe_log_compare(expected, &log);
        tact_keyframe_log_release(&log);
        keyframe_cost *kept = &result->costs[at][method];
        *kept = costs[0]; /* with the counts */
        qsort(costs, (size_t)rounds, sizeof *costs, by_time);
        kept->ns = costs[rounds / 2].ns;
        kept->update_ns = costs[rounds / 2].update_ns;
    }
    result->measured[at] = done;
    return done;
}

/* Measures a scene. `every`: with all numbers of frames; otherwise only with those of the other tables. */
static bool measure_scene(const suite *s, int kind, int size, bool every, scene_result *result)
{
    keyframe_scene scene;
    keyframe_log expected = {0};
    keyframe_cost ignored;
    const int intervals = suite_size(s, kinds[kind].intervals, 3, 2);
    memset(result, 0, sizeof *result);
    if (!make_scene(&scene, kind, size, intervals, s->tiny))
        return false;
    bool done = tact_keyframes_run(&scene, KEYFRAMES_WINDOWS, 1, &expected, &ignored);
    for (int at = 0; done && at < FRAME_COUNTS; at++)
        if (s->tiny ? at == ONE || at == TEN || at == HUNDRED
            : every ? at != HUNDRED || s->large
                    : at == ONE || at == TEN || at == FIFTY)
            done = measure_frames(s, &scene, at, &expected, result);
    result->intervals = (double)keyframe_intervals(&scene);
    for (size_t i = 0; i < expected.count; i++)
        result->contacts += expected.items[i].interval > 0;
    result->triangles = scene.triangle_count;
    tact_keyframe_log_release(&expected);
    tact_keyframe_scene_release(&scene);
    return done;
}

/* ---- tables ---- */

/* The least ratio of swept boxes to windows; none for the smallest scenes. */
static double goal_of(int at, bool tiny)
{
    return tiny ? NAN : at == ONE ? 1.0 : at == TEN ? 20.0 : at == FIFTY ? 80.0 : NAN;
}

static void add_rows(const tables *t, const char *name, const scene_result *r, bool tiny)
{
    const long triangles = (long)r->triangles;
    const double per_ms = 1e6 * r->intervals, n = r->intervals;
    for (int at = 0; at < FRAME_COUNTS; at++) {
        if (!r->measured[at])
            continue;
        const keyframe_cost *boxes = &r->costs[at][KEYFRAMES_SWEPT_BOXES], *tree = &r->costs[at][KEYFRAMES_SWEPT_TREE],
                            *windows = &r->costs[at][KEYFRAMES_WINDOWS], *list = &r->costs[at][KEYFRAMES_LIST];
        const long frames = frame_counts[at];
        const double ratio = boxes->ns / windows->ns;
        if (at != HUNDRED) {
            tact_table_row(t->total, "sddfffffffsff", name, triangles, frames, r->contacts / n, boxes->ns / per_ms,
                           tree->ns / per_ms, windows->ns / per_ms, list->ns / per_ms, ratio, goal_of(at, tiny),
                           tact_table_met(ratio, goal_of(at, tiny)), tree->ns / windows->ns, boxes->ns / list->ns);
            tact_table_row(t->update, "sddfffff", name, triangles, frames, boxes->update_ns / per_ms,
                           tree->update_ns / per_ms, windows->update_ns / per_ms, list->update_ns / per_ms,
                           list->update_ns / per_ms / (double)frames);
            tact_table_row(t->checks, "sddffffffff", name, triangles, frames, (double)list->events / n,
                           (double)boxes->bound_checks / n, (double)boxes->item_pairs / n, (double)tree->item_pairs / n,
                           (double)windows->item_pairs / n, (double)boxes->candidates / n, (double)tree->candidates / n,
                           (double)windows->candidates / n);
        }
        if (at == TEN)
            tact_table_row(t->growth, "sdffffffff", name, triangles, boxes->ns / per_ms, tree->ns / per_ms,
                           windows->ns / per_ms, list->ns / per_ms, boxes->ns / 1e3 / n / (double)triangles,
                           tree->ns / 1e3 / n / (double)triangles, windows->ns / 1e3 / n / (double)triangles,
                           list->ns / 1e3 / n / (double)triangles);
    }
    if (r->measured[TEN] && r->measured[HUNDRED])
        for (int method = 0; method < KEYFRAMES_METHODS; method++) {
            static const char *const names[KEYFRAMES_METHODS] = {"swept boxes", "swept tree", "windows",
                                                                 "separation list"};
            const double normal = r->costs[TEN][method].ns, slow = r->costs[HUNDRED][method].ns;
            tact_table_row(t->slow, "sdsfff", name, triangles, names[method], normal / per_ms, slow / per_ms,
                           slow / normal);
        }
}

static tables begin_tables(void)
{
    const tables t = {
        .total = tact_table_begin("Weller and Zachmann 2006, Figures 10 to 12: key-framed scenes, ms per key interval",
                                  "scene|triangles|frames|contacts|swept boxes|swept tree|windows|list|boxes / "
                                  "windows|goal|met|tree / windows|boxes / list"),
        .update = tact_table_begin("Weller and Zachmann 2006, Figure 10: updating the hierarchy, ms per key interval",
                                   "scene|triangles|frames|swept boxes|swept tree|windows|list|list, per frame"),
        .checks =
            tact_table_begin("Weller and Zachmann 2006, Figures 11 and 12: checks per key interval",
                             "scene|triangles|frames|events|box checks|triangle pairs: boxes|tree|windows|feature "
                             "pairs: boxes|tree|windows"),
        .slow = tact_table_begin("Weller and Zachmann 2006: ten times slower motion, ms per key interval",
                                 "scene|triangles|method|10 frames|100 frames|slow / normal"),
        .growth = tact_table_begin("Weller and Zachmann 2006: growth with the number of triangles, 10 frames per "
                                   "interval",
                                   "scene|triangles|swept boxes, ms|swept tree, ms|windows, ms|list, ms|boxes, us per "
                                   "triangle|tree|windows|list")};
    tact_table_note(t.total,
                    "Frames: per key interval, so frame by frame methods run so many steps. Contacts: pairs of "
                    "features that collide in a key interval, the same for all methods.");
    tact_table_note(
        t.total,
        "Swept boxes: the classical way, a tree of swept boxes searched from the root in every "
        "frame. Swept tree: the library's mesh sweep in every frame, with swept 14-DOPs, from its "
        "skeleton. Windows: one mesh sweep with moving bounds per interval. List: the kinetic separation list.");
    for (int kind = 0; kind < KINDS; kind++)
        tact_table_note(t.total, "%s: in the paper the kinetic separation list is %g times faster than swept boxes.",
                        kinds[kind].name, kinds[kind].paper_ratio);
    tact_table_note(t.checks, "Events: of the separation list and of its tree. Box checks: pairs of boxes in the tree "
                              "of swept boxes. Triangle pairs: those that the "
                              "hierarchy leaves. Feature pairs: those that reach the tests of feature pairs.");
    tact_table_plot(t.total, "ms per key interval", 2, 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7, 0);
    tact_table_plot(t.growth, "ms per key interval, 10 frames", 1, 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5, 0);
    return t;
}

bool tact_bench_weller_zachmann_2006(const suite *s)
{
    const tables t = begin_tables();
    bool done = true;
    for (int kind = 0; done && kind < KINDS; kind++) {
        const int sizes = s->large && !s->quick ? MAX_SIZES : kind == 2 || s->quick ? 1 : 2;
        for (int i = 0; done && i < sizes; i++) {
            scene_result result;
            const int size = s->tiny ? kinds[kind].tiny : kinds[kind].sizes[i];
            done = measure_scene(s, kind, size, i == 0, &result);
            if (done)
                add_rows(&t, kinds[kind].name, &result, s->tiny);
        }
    }
    const bool total = tact_table_end(s, "weller_zachmann_2006", t.total),
               update = tact_table_end(s, "weller_zachmann_2006_update", t.update),
               checks = tact_table_end(s, "weller_zachmann_2006_checks", t.checks),
               slow = tact_table_end(s, "weller_zachmann_2006_slow_motion", t.slow),
               growth = tact_table_end(s, "weller_zachmann_2006_growth", t.growth);
    return done && total && update && checks && slow && growth;
}
