/*
 * The kinetic separation list against brute force. At random times the list is valid (Weller and Zachmann 2006,
 * definition 1), every certificate is examined in time, and the pairs visited in between are those whose boxes overlap.
 * The contacts of key frames are those of a sweep, bit for bit.
 */
#define _POSIX_C_SOURCE 200809L

#include "kinetic/separation_list.h"

#include "kinetic/kinetic_constants.h"
#include "kinetic/separation_internal.h"
#include "support/failing_allocator.h"
#include "support/moving_scene.h"
#include "tree/tree_constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/seeded_cases.h"

static struct {
    uint64_t overlap, fathers, leaves, changes, axes, visits, again, open, apart, jumps, validated;
} met;

/* ---- brute force: structure ---- */

static bool shares_vertex(const moving_scene *s, uint32_t a, uint32_t b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (s->items[a][i] != s->items[b][j])
                continue;
            unsigned valence = 0;
            for (uint32_t k = 0; k < s->item_count; k++)
                valence += s->items[k][0] == s->items[a][i] || s->items[k][1] == s->items[a][i] ||
                           s->items[k][2] == s->items[a][i];
            if (valence <= SKELETON_MAX_VALENCE)
                return true;
        }
    return false;
}

static bool same_group(const moving_scene *s, uint32_t a, uint32_t b)
{
    return s->groups[a] != 0 && s->groups[a] == s->groups[b];
}

static bool below(const kinetic_tree *t, uint32_t item, uint32_t bound)
{
    uint32_t at = t->node_count + item;
    while (at != KINETIC_NONE && at != bound)
        at = t->bounds[at].parent;
    return at == bound;
}

/* The boxes of all bounds at a time. */
typedef struct scene_boxes {
    long double low[3 * SCENE_MAX_ITEMS][3], high[3 * SCENE_MAX_ITEMS][3];
} scene_boxes;

static void find_boxes(scene_boxes *boxes, const kinetic_tree *t, const moving_scene *s, double time)
{
    for (uint32_t b = 0; b < t->node_count + t->item_count; b++)
        for (int axis = 0; axis < 3; axis++) {
            boxes->low[b][axis] = INFINITY;
            boxes->high[b][axis] = -INFINITY;
        }
    for (uint32_t i = 0; i < s->item_count; i++)
        for (int k = 0; k < 9; k++) {
            const int axis = k % 3;
            const long double x = scene_coordinate(s, s->items[i][k / 3], axis, time);
            for (uint32_t b = t->node_count + i; b != KINETIC_NONE; b = t->bounds[b].parent) {
                boxes->low[b][axis] = fminl(boxes->low[b][axis], x);
                boxes->high[b][axis] = fmaxl(boxes->high[b][axis], x);
            }
        }
}

/* The gap of two boxes: along the axis where it is largest. Negative: they overlap. */
static long double gap_of(const scene_boxes *boxes, uint32_t a, uint32_t b)
{
    long double largest = -INFINITY;
    for (int axis = 0; axis < 3; axis++)
        largest = fmaxl(largest,
                        fmaxl(boxes->low[b][axis] - boxes->high[a][axis], boxes->low[a][axis] - boxes->high[b][axis]));
    return largest;
}

/* ---- brute force: certificates ---- */

/* The first time, from now on, at which x_q - x_p is less than a limit; INFINITY: never. */
static double falls_below(const moving_scene *s, uint32_t p, uint32_t q, int axis, long double limit, double start)
{
    for (;;) {
        double end_p, end_q;
        const linear_path a = scene_motion_piece((void *)(uintptr_t)s, p, start, &end_p);
        const linear_path b = scene_motion_piece((void *)(uintptr_t)s, q, start, &end_q);
        const double end = end_p < end_q ? end_p : end_q, last = end < INFINITY ? end : start + 1e9;
        const long double d0 =
            scene_path_coordinate(&b, axis, (long double)start) - scene_path_coordinate(&a, axis, (long double)start);
        const long double d1 =
            scene_path_coordinate(&b, axis, (long double)last) - scene_path_coordinate(&a, axis, (long double)last);
        if (d0 < limit)
            return start;
        if (d1 < limit)
            return (double)((long double)start + ((long double)last - (long double)start) * (d0 - limit) / (d0 - d1));
        if (end == INFINITY)
            return INFINITY;
        start = end;
    }
}

static void check_certificate(const separation_list *list, const moving_scene *s, uint32_t pair, uint64_t seed)
{
    const kinetic_tree *t = &list->tree;
    const bound_pair *p = &list->pairs[pair];
    const double due = list->due[pair], time = t->motion.time;
    const long double margin = (long double)t->motion.margin, slack = 4.0L * (long double)t->motion.tie;
    CHECK(due > time, "pair %u was due at %a", pair, due);
    CHECK(event_queue_has(&list->queue, pair) == (due <= list->horizon), "pair %u: queue", pair);
    if (due <= list->horizon)
        CHECK(list->queue.entries[list->queue.heap_index[pair]].time == due, "pair %u: time in the queue", pair);
    if (p->state != SEPARATION_APART || list->certificate != SEPARATION_WITNESS_AXIS)
        return;
    /* the witness axis separates until then */
    const uint32_t of_a = t->bounds[p->a].extreme[p->axis], of_b = t->bounds[p->b].extreme[p->axis ^ 1];
    const bool first = (p->axis & 1) != 0;
    const double failure = falls_below(s, first ? of_a : of_b, first ? of_b : of_a, p->axis / 2, margin - slack, time);
    CHECK(failure > time, "pair %u: the axis does not separate", pair);
    CHECK(due <= failure, "pair %u: certificate fails at %a, examined at %a", pair, failure, due);
}

/* At some times until its event, a pair has the state that it has now, as far as its bounds have not changed: boxes of
 * the present extremes. */
static void check_state_until_event(const separation_list *list, const moving_scene *s, uint32_t pair, uint64_t seed)
{
    const kinetic_tree *t = &list->tree;
    const bound_pair *p = &list->pairs[pair];
    const double due = list->due[pair] < s->end + 2.0 ? list->due[pair] : s->end + 2.0, time = t->motion.time;
    const long double margin = (long double)t->motion.margin, slack = 4.0L * (long double)t->motion.tie;
    if (!(due > time) || p->state == SEPARATION_OPEN || p->state == SEPARATION_OVERLAPPING)
        return; /* overlapping pairs may rely on vertices that were extremes */
    for (int i = 0; i < 4; i++) {
        const double at = time + (due - time) * (i + 0.5) / 4.0;
        long double largest = -INFINITY;
        for (unsigned side = 0; side < KINETIC_SIDES; side++) {
            const long double a = scene_coordinate(s, t->bounds[p->a].extreme[side], (int)side / 2, at);
            const long double b = scene_coordinate(s, t->bounds[p->b].extreme[side ^ 1], (int)side / 2, at);
            largest = fmaxl(largest, (side & 1) != 0 ? b - a : a - b);
        }
        CHECK(at >= due || largest > margin - slack, "pair %u is not apart at %a, due at %a", pair, at, due);
    }
}

/* ---- brute force: the list ---- */

static void check_structure(const separation_list *list, const moving_scene *s, uint64_t seed)
{
    const kinetic_tree *t = &list->tree;
    static uint8_t covered[SCENE_MAX_ITEMS][SCENE_MAX_ITEMS];
    memset(covered, 0, sizeof covered);
    uint32_t linked = 0, used = 0, overlapping = 0;
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const bound_pair *p = &list->pairs[i];
        if (p->state == SEPARATION_UNUSED)
            continue;
        used++;
        CHECK(p->state != SEPARATION_NEW && !p->dirty, "pair %u is not examined", i);
        CHECK(p->parent == KINETIC_NONE || list->pairs[p->parent].state == SEPARATION_OPEN, "pair %u: father", i);
        if (p->state == SEPARATION_OPEN) {
            unsigned children = 0;
            for (uint32_t k = p->link; k < p->link + SEPARATION_BLOCK; k++) {
                children += list->pairs[k].state != SEPARATION_UNUSED;
                CHECK(list->pairs[k].state == SEPARATION_UNUSED || list->pairs[k].parent == i, "pair %u: child", i);
            }
            CHECK(children > 0, "pair %u has no children", i);
            continue;
        }
        if (p->state == SEPARATION_OVERLAPPING) {
            overlapping++;
            CHECK(list->overlaps.items[p->link].pair == i, "pair %u: overlapping", i);
        }
        for (uint32_t a = 0; a < s->item_count; a++)
            for (uint32_t b = 0; b < s->item_count && below(t, a, p->a); b++)
                if (below(t, b, p->b)) {
                    covered[a][b]++;
                    covered[b][a]++;
                }
    }
    CHECK(overlapping == list->overlaps.count && list->dirty_count == 0, "counts");
    /* no pair is stored twice, and none is missing */
    for (uint32_t a = 0; a < s->item_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            const unsigned expected = shares_vertex(s, a, b) ? 0 : 1;
            CHECK(covered[a][b] == expected || (covered[a][b] == 0 && same_group(s, a, b)),
                  "items %u and %u are covered %u times", a, b, covered[a][b]);
        }
    for (uint32_t b = 0; b < t->node_count + t->item_count; b++)
        for (unsigned k = 0; k < SEPARATION_LISTS; k++)
            for (uint32_t at = list->links[b].first[k], previous = KINETIC_NONE; at != KINETIC_NONE;
                 previous = at, at = list->pairs[at / 2].next[at % 2]) {
                const bound_pair *p = &list->pairs[at / 2];
                linked++;
                CHECK((at % 2 == 0 ? p->a : p->b) == b && p->previous[at % 2] == previous, "link of pair %u", at / 2);
                CHECK(p->state != SEPARATION_UNUSED, "link to an unused pair");
                if (list->certificate == SEPARATION_WITNESS_AXIS && p->state == SEPARATION_APART)
                    CHECK(k == (p->axis ^ (at % 2)), "pair %u is in the wrong list", at / 2);
            }
    CHECK(linked == 2 * used, "%u links of %u pairs", linked, used);
}

static void check_list(const separation_list *list, const moving_scene *s, uint64_t seed)
{
    const kinetic_tree *t = &list->tree;
    const long double margin = (long double)t->motion.margin;
    static scene_boxes boxes;
    find_boxes(&boxes, t, s, t->motion.time);
    check_structure(list, s, seed);
    for (uint32_t i = 0; i < list->pair_count; i++) {
        const bound_pair *p = &list->pairs[i];
        if (p->state == SEPARATION_UNUSED)
            continue;
        /* apart means apart; overlapping means overlapping, up to the margin */
        const long double gap = gap_of(&boxes, p->a, p->b);
        if (p->state == SEPARATION_APART)
            CHECK(gap > 0.0L, "pair %u is not apart at %a: %Lg", i, t->motion.time, gap);
        else
            CHECK(gap <= 1.5L * margin, "pair %u does not overlap at %a: %Lg", i, t->motion.time, gap);
        met.apart += p->state == SEPARATION_APART;
        met.open += p->state == SEPARATION_OPEN;
        check_certificate(list, s, i, seed);
        check_state_until_event(list, s, i, seed);
    }
}

/* ---- brute force: visits ---- */

typedef struct time_interval {
    double begin, end;
} time_interval;

/* Is [start, end] covered by open intervals? */
static bool is_covered(const long double (*intervals)[2], int count, long double start, long double end)
{
    long double at = start;
    bool closed = false; /* is `at` itself covered? */
    for (;;) {
        long double next = at;
        for (int i = 0; i < count; i++)
            if (intervals[i][0] < at && intervals[i][1] > next)
                next = intervals[i][1];
        if (next > end)
            return true;
        if (next == at)
            return closed;
        at = next; /* the end of an open interval: another one must contain it */
    }
}

/* The times of a linear piece at which all vertices of item b are above those of item a by more than a gap: an open
 * interval. */
static void times_apart(const linear_path *pa, const linear_path *pb, int axis, long double gap, long double start,
                        long double end, long double times[2])
{
    times[0] = -INFINITY;
    times[1] = INFINITY;
    for (int i = 0; i < 9; i++) {
        const linear_path *a = &pa[i / 3], *b = &pb[i % 3];
        const long double d0 = scene_path_coordinate(b, axis, start) - scene_path_coordinate(a, axis, start) - gap;
        const long double d1 = scene_path_coordinate(b, axis, end) - scene_path_coordinate(a, axis, end) - gap;
        if (d0 <= 0.0L && d1 <= 0.0L) {
            times[0] = INFINITY;
            times[1] = -INFINITY;
            return;
        }
        if (d0 > 0.0L && d1 > 0.0L)
            continue;
        const long double root = start + (end - start) * (d0 / (d0 - d1));
        if (d0 <= 0.0L)
            times[0] = fmaxl(times[0], root);
        else
            times[1] = fminl(times[1], root);
    }
}

/* Do the boxes of two items, enlarged by half a gap, overlap at some time of [begin, end]? */
static bool items_overlap(const moving_scene *s, uint32_t a, uint32_t b, long double gap, double begin, double end)
{
    double start = begin;
    for (;;) {
        linear_path pa[3], pb[3];
        double last = end;
        for (int k = 0; k < 3; k++) {
            double piece_end;
            pa[k] = scene_motion_piece((void *)(uintptr_t)s, s->items[a][k], start, &piece_end);
            last = piece_end < last ? piece_end : last;
            pb[k] = scene_motion_piece((void *)(uintptr_t)s, s->items[b][k], start, &piece_end);
            last = piece_end < last ? piece_end : last;
        }
        long double apart[6][2];
        for (int axis = 0; axis < 3; axis++) {
            /* an interval of some length even at a single time */
            const long double to = last > start ? (long double)last : (long double)start + 1.0L;
            times_apart(pa, pb, axis, gap, (long double)start, to, apart[2 * axis]);
            times_apart(pb, pa, axis, gap, (long double)start, to, apart[2 * axis + 1]);
        }
        if (!is_covered((const long double(*)[2])apart, 6, (long double)start, (long double)last))
            return true;
        if (last >= end)
            return false;
        start = last;
    }
}

typedef struct visit_log {
    const separation_list *list;
    double begin;
    double end;
    unsigned count[SCENE_MAX_ITEMS][SCENE_MAX_ITEMS];
    time_interval last[SCENE_MAX_ITEMS][SCENE_MAX_ITEMS];
    bool jumps; /* pairs may be visited for a jump besides */
    bool wrong;
    long fails_in; /* visits until one fails; 0: none */
} visit_log;

static bool log_visit(void *context, uint32_t a, uint32_t b, double begin, double end)
{
    visit_log *log = context;
    if (log->fails_in > 0 && --log->fails_in == 0)
        return false;
    const uint32_t i = a > b ? a : b, j = a > b ? b : a;
    met.visits++;
    met.again += log->count[i][j] > 0;
    log->wrong = log->wrong || begin > end || begin < log->begin || end > log->end ||
                 (log->count[i][j] > 0 && begin < log->last[i][j].end && !log->jumps);
    log->count[i][j]++;
    log->last[i][j] = (time_interval){begin, end};
    return true;
}

/* The pairs that were visited are those that overlapped. */
static void check_visits(const visit_log *log, const moving_scene *s, uint64_t seed)
{
    const long double margin = (long double)log->list->tree.motion.margin;
    CHECK(!log->wrong, "a visit has wrong times");
    for (uint32_t a = 0; a < s->item_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            if (shares_vertex(s, a, b) || same_group(s, a, b)) {
                CHECK(log->count[a][b] == 0, "items %u and %u were visited", a, b);
                continue;
            }
            if (log->count[a][b] == 0)
                CHECK(!items_overlap(s, a, b, 0.0L, log->begin, log->end),
                      "items %u and %u overlap between %a and %a and were not visited", a, b, log->begin, log->end);
            else if (!log->jumps)
                CHECK(items_overlap(s, a, b, 1.5L * margin, log->begin, log->end),
                      "items %u and %u do not overlap between %a and %a and were visited", a, b, log->begin, log->end);
        }
}

/* Vertices that jump at a time. */
typedef struct jump_of_vertices {
    double time;
    bool jumps[SCENE_MAX_VERTICES];
    tact_vec3 previous[SCENE_MAX_VERTICES]; /* where they jump from */
} jump_of_vertices;

/* Adds a coordinate of an item, before and after a jump, to its box. */
static void add_to_box(const moving_scene *s, const jump_of_vertices *j, uint32_t vertex, int axis, long double box[2])
{
    const tact_vec3 p = j->previous[vertex];
    const long double after = scene_coordinate(s, vertex, axis, j->time);
    const long double before = j->jumps[vertex] ? (long double)(axis == 0 ? p.x : axis == 1 ? p.y : p.z) : after;
    box[0] = fminl(box[0], fminl(before, after));
    box[1] = fmaxl(box[1], fmaxl(before, after));
}

/* Where the boxes around old and new positions overlap, the pair was visited. Returns the number of such pairs. */
static uint64_t check_jump(const visit_log *log, const moving_scene *s, const jump_of_vertices *j, uint64_t seed)
{
    uint64_t count = 0;
    for (uint32_t a = 0; a < s->item_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            bool overlap = !shares_vertex(s, a, b) && !same_group(s, a, b), touched = false;
            for (int axis = 0; axis < 3; axis++) {
                long double box[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
                for (int k = 0; k < 6; k++) {
                    const uint32_t v = s->items[k < 3 ? a : b][k % 3];
                    touched = touched || j->jumps[v];
                    add_to_box(s, j, v, axis, box[k / 3]);
                }
                overlap = overlap && box[0][0] <= box[1][1] && box[1][0] <= box[0][1];
            }
            if (overlap && touched) {
                CHECK(log->count[a][b] > 0, "items %u and %u may meet in a jump at %a", a, b, j->time);
                count++;
            }
        }
    return count;
}

/* The same for all jumps between two pieces, after the begin of the log up to its end. */
static uint64_t check_jumps(const visit_log *log, const moving_scene *s, uint64_t seed)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < s->vertex_count && !s->continuous; v++)
        for (unsigned k = 1; k < s->piece_count[v]; k++) {
            jump_of_vertices j = {.time = s->pieces[v][k].begin};
            if (j.time <= log->begin || j.time > log->end)
                continue;
            for (uint32_t u = 0; u < s->vertex_count; u++) {
                const unsigned at = scene_piece_at(s, u, j.time);
                if (at == 0 || s->pieces[u][at].begin < j.time)
                    continue;
                j.previous[u] = linear_path_at(&s->pieces[u][at - 1].path, j.time);
                const tact_vec3 p = scene_position(s, u, j.time);
                j.jumps[u] = fabs(p.x - j.previous[u].x) > 1e-9;
            }
            count += check_jump(log, s, &j, seed);
        }
    return count;
}

/* ---- cases ---- */

static separation_list_def def_of(moving_scene *s, separation_certificate certificate)
{
    return (separation_list_def){.items = (const uint32_t(*)[4])s->items,
                                 .item_count = s->item_count,
                                 .vertex_count = s->vertex_count,
                                 .groups = s->groups,
                                 .motion = scene_motion(s),
                                 .certificate = certificate};
}

static double next_time(const separation_list *list, const moving_scene *s, int times, random_source *r)
{
    const double now = tact_separation_list_time(list);
    if (random_chance(r, 2.4 / times))
        return floor(now) + 1.0; /* a key frame */
    if (random_chance(r, 0.1))
        return now;
    if (random_chance(r, 0.2) && list->queue.count > 0)
        return list->queue.entries[0].time;
    return now + s->end / (0.5 * times) * random_unit(r);
}

static void add_counts(const separation_list *list)
{
    const separation_counts c = tact_separation_list_counts(list);
    met.overlap += c.bounds_overlap;
    met.fathers += c.fathers_apart;
    met.leaves += c.leaves_apart;
    met.changes += c.bound_changes;
    met.axes += c.new_axes;
}

static void the_list_is_valid_at_all_times(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(42, 1400); seed++) {
        static moving_scene s;
        static visit_log log;
        moving_scene_make(&s, seed, (scene_style)(seed % SCENE_STYLES), seed % 5 == 0 ? 30 : 8);
        random_source r = random_seed(seed ^ 0x55);
        const separation_list_def def =
            def_of(&s, seed / SCENE_STYLES % 2 == 0 ? SEPARATION_WITNESS_AXIS : SEPARATION_ALL_AXES);
        separation_list *list;
        CHECK(tact_separation_list_create(&list, &def) == TACT_OK, "create");
        check_list(list, &s, seed);
        const int times = scene_validated_times(seed, 12);
        for (int i = 0; i < times; i++) {
            memset(&log, 0, sizeof log);
            log.list = list;
            log.jumps = !s.continuous;
            log.begin = tact_separation_list_time(list);
            log.end = next_time(list, &s, times, &r);
            CHECK(tact_separation_list_advance(list, log.end, log_visit, &log) == TACT_OK, "advance");
            CHECK(tact_separation_list_time(list) == log.end, "time");
            check_list(list, &s, seed);
            check_visits(&log, &s, seed);
            met.jumps += check_jumps(&log, &s, seed);
            met.validated++;
        }
        add_counts(list);
        tact_separation_list_release(list);
    }
    if (!few_cases()) {
        print_message("%llu bounds overlap, %llu fathers apart, %llu leaves apart, %llu bound changes, %llu new axes, "
                      "%llu visits, %llu of a pair that was visited; valid at %llu times\n",
                      (unsigned long long)met.overlap, (unsigned long long)met.fathers, (unsigned long long)met.leaves,
                      (unsigned long long)met.changes, (unsigned long long)met.axes, (unsigned long long)met.visits,
                      (unsigned long long)met.again, (unsigned long long)met.validated);
        assert_true(met.validated > 700);
        assert_true(met.overlap > 10000 && met.fathers > 200 && met.leaves > 5000 && met.changes > 20000);
        assert_true(met.axes > 300 && met.visits > 20000 && met.again > 100 && met.open > 1000 && met.apart > 10000);
        assert_true(met.jumps > 500);
    }
}

/* Moves vertices elsewhere, or only changes their motion. */
static void changed_plans_are_followed(void **state)
{
    (void)state;
    uint64_t changed = 0, jumped = 0, validated = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(28, 1400); seed++) {
        static moving_scene s;
        static visit_log log;
        moving_scene_make(&s, seed, (scene_style)(seed % SCENE_STYLES), 4);
        random_source r = random_seed(seed ^ 0x56);
        const separation_list_def def =
            def_of(&s, seed / SCENE_STYLES % 2 == 0 ? SEPARATION_WITNESS_AXIS : SEPARATION_ALL_AXES);
        separation_list *list;
        CHECK(tact_separation_list_create(&list, &def) == TACT_OK, "create");
        const int times = scene_validated_times(seed, 8);
        for (int i = 0; i < times; i++) {
            const double now = tact_separation_list_time(list);
            const bool all = random_chance(&r, 0.2), jump = random_chance(&r, 0.3);
            const uint32_t one = (uint32_t)random_below(&r, s.vertex_count);
            uint32_t vertices[SCENE_MAX_VERTICES], count = 0;
            tact_vec3 previous[SCENE_MAX_VERTICES];
            for (uint32_t v = 0; v < s.vertex_count; v++)
                if (all || v == one) {
                    previous[count] = scene_position(&s, v, now);
                    vertices[count++] = v;
                    scene_change_path(&s, &r, v, now, jump);
                }
            memset(&log, 0, sizeof log);
            log.list = list;
            log.begin = log.end = now;
            CHECK(tact_separation_list_vertices_changed(list, vertices, count, jump ? previous : NULL, log_visit,
                                                        &log) == TACT_OK,
                  "change");
            changed += !jump;
            if (jump) {
                jump_of_vertices j = {.time = now};
                for (uint32_t v = 0; v < count; v++) {
                    j.jumps[vertices[v]] = true;
                    j.previous[vertices[v]] = previous[v];
                }
                jumped += check_jump(&log, &s, &j, seed);
            }
            memset(&log, 0, sizeof log);
            log.list = list;
            log.jumps = jump || !s.continuous;
            log.begin = now;
            log.end = next_time(list, &s, times == 8 ? 12 : times, &r);
            CHECK(tact_separation_list_advance(list, log.end, log_visit, &log) == TACT_OK, "advance");
            check_list(list, &s, seed);
            check_visits(&log, &s, seed);
            validated++;
        }
        tact_separation_list_release(list);
    }
    if (!few_cases()) {
        print_message("%llu changes without jumps, %llu pairs in jumps; valid at %llu times\n",
                      (unsigned long long)changed, (unsigned long long)jumped, (unsigned long long)validated);
        assert_true(changed > 100 && jumped > 500 && validated > 400);
    }
}

/* Asking more often gives the same overlaps and the same events. */
static void portions_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(20, 400); seed++) {
        static moving_scene s;
        moving_scene_make(&s, seed, (scene_style)(seed % SCENE_STYLES), 8);
        const separation_list_def def = def_of(&s, SEPARATION_WITNESS_AXIS);
        separation_list *once, *often;
        CHECK(tact_separation_list_create(&once, &def) == TACT_OK, "create");
        CHECK(tact_separation_list_create(&often, &def) == TACT_OK, "create");
        CHECK(tact_separation_list_advance(once, s.end, NULL, NULL) == TACT_OK, "advance");
        for (int i = 1; i <= 50; i++)
            CHECK(tact_separation_list_advance(often, s.end * i / 50.0, NULL, NULL) == TACT_OK, "advance");
        const separation_counts a = tact_separation_list_counts(once), b = tact_separation_list_counts(often);
        CHECK(a.bounds_overlap == b.bounds_overlap && a.fathers_apart == b.fathers_apart &&
                  a.leaves_apart == b.leaves_apart && a.events == b.events &&
                  a.tree.external_events == b.tree.external_events && a.pairs_overlapping == b.pairs_overlapping,
              "%llu and %llu events", (unsigned long long)a.events, (unsigned long long)b.events);
        tact_separation_list_release(once);
        tact_separation_list_release(often);
    }
}

static void failures_leave_the_list_usable(void **state)
{
    (void)state;
    long created = 0, advanced = 0, visits_failed = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) { /* witness axes, jumps, all axes */
        static moving_scene s;
        static visit_log log;
        for (long at = 1;; at = next_failure(at)) {
            moving_scene_make(&s, seed * SCENE_STYLES + (seed == 1 ? SCENE_RANDOM : SCENE_JUMPS),
                              seed == 1 ? SCENE_RANDOM : SCENE_JUMPS, long_form() ? 6 : 4);
            failing_allocator memory = {.fail_at = at};
            separation_list_def def = def_of(&s, seed == 3 ? SEPARATION_ALL_AXES : SEPARATION_WITNESS_AXIS);
            def.allocator = failing_allocator_make(&memory);
            separation_list *list;
            tact_status status = tact_separation_list_create(&list, &def);
            CHECK(status == TACT_OK || (status == TACT_OUT_OF_MEMORY && list == NULL), "status %d", (int)status);
            created += status != TACT_OK;
            for (int i = 0; i < 4 && list != NULL; i++) {
                memset(&log, 0, sizeof log);
                log.list = list;
                log.jumps = !s.continuous;
                log.begin = tact_separation_list_time(list);
                log.end = s.end * (i + 1) / 4.0;
                log.fails_in = at % 13 == 0 ? at / 13 : 0;
                const long before = advanced;
                for (int tries = 0; tries < 3; tries++) {
                    status = tact_separation_list_advance(list, log.end, log_visit, &log);
                    if (status == TACT_OK)
                        break;
                    CHECK(status == TACT_OUT_OF_MEMORY, "status %d", (int)status);
                    advanced++;
                    visits_failed += at % 13 == 0;
                }
                CHECK(status == TACT_OK, "it goes on");
                log.wrong = false; /* pairs may be visited twice */
                if (advanced > before)
                    check_visits(&log, &s, seed);
                if (advanced > before || i == 3)
                    check_list(list, &s, seed);
            }
            tact_separation_list_release(list);
            assert_int_equal(memory.held, 0);
            if (memory.calls < at && at > 60)
                break;
        }
    }
    print_message("%ld failed to create, %ld to advance, %ld by visits\n", created, advanced, visits_failed);
    assert_true(few_cases() || (created > 60 && advanced > 20 && visits_failed > 5));
}

static void bad_input_is_rejected(void **state)
{
    (void)state;
    static moving_scene s;
    moving_scene_make(&s, 3, SCENE_RANDOM, 3);
    separation_list *list = NULL;
    separation_list_def def = def_of(&s, SEPARATION_WITNESS_AXIS);
    assert_int_equal(tact_separation_list_create(NULL, &def), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_separation_list_create(&list, NULL), TACT_BAD_ARGUMENT);
    def.time = NAN;
    assert_int_equal(tact_separation_list_create(&list, &def), TACT_BAD_ARGUMENT);
    def = def_of(&s, SEPARATION_WITNESS_AXIS);
    def.vertex_count = 1;
    assert_int_equal(tact_separation_list_create(&list, &def), TACT_BAD_ARGUMENT);
    def = def_of(&s, SEPARATION_WITNESS_AXIS);
    def.item_count = 0; /* an empty list */
    assert_int_equal(tact_separation_list_create(&list, &def), TACT_OK);
    assert_int_equal(tact_separation_list_advance(list, 2.0, NULL, NULL), TACT_OK);
    assert_int_equal(tact_separation_list_advance(list, 1.0, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_separation_list_advance(list, INFINITY, NULL, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_separation_list_vertices_changed(list, &(uint32_t){9999}, 1, NULL, NULL, NULL),
                     TACT_BAD_ARGUMENT);
    tact_separation_list_release(list);
    tact_separation_list_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_valid_at_all_times), cmocka_unit_test(changed_plans_are_followed),
        cmocka_unit_test(portions_do_not_matter),         cmocka_unit_test(failures_leave_the_list_usable),
        cmocka_unit_test(bad_input_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
