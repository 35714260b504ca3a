/*
 * A world through continuous time against the oracle, without responses: random worlds of all shapes and motions. On
 * how bodies are moved, transformed, filtered, removed and added, and get motion plans that expire. Single pairs
 * with known answers are in internal_advance_cases.c.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tact/tact.h>

#include "advance/advance.h"
#include "oracle/advance.h"
#include "oracle/advance_check.h"
#include "oracle/scene.h"
#include "support/failing_allocator.h"
#include "support/seeded_cases.h"

enum { BODIES = 14, CHANGES = 10, EVENTS = 4096 };

/* ---- a world on paper ---- */

typedef enum change_kind {
    CHANGE_MOVE,
    CHANGE_PLACE,
    CHANGE_FILTER,
    CHANGE_REMOVE,
    CHANGE_ADD,
    CHANGE_COURSE,
    CHANGE_KINDS,
    CHANGE_EXPIRED = CHANGE_KINDS /* not a change of ours: the plan expires */
} change_kind;

typedef struct change {
    double time;
    change_kind kind;
    int who;
    tact_motion motion;
    tact_transform place;
    uint64_t category, mask;
    double until;               /* of a plan */
    tact_motion next;           /* then */
    bool answers, has_callback; /* who answers then */
} change;

typedef struct script {
    int count; /* of bodies, the last ones of which come later */
    int first; /* how many are there from the beginning */
    figure figures[BODIES];
    tact_transform places[BODIES];
    tact_motion motions[BODIES];
    uint64_t categories[BODIES], masks[BODIES];
    int change_count;
    change changes[2 * CHANGES]; /* in order */
    double end;
} script;

typedef enum motion_kind { STILL, LINEAR, BALLISTIC, SPINNING, WILD, MOTION_KINDS } motion_kind;

static motion_kind motion_kind_of(const tact_motion *m)
{
    const bool falls = m->acceleration.x != 0.0 || m->acceleration.y != 0.0 || m->acceleration.z != 0.0;
    const bool turns = m->spin.x != 0.0 || m->spin.y != 0.0 || m->spin.z != 0.0;
    const bool goes = m->velocity.x != 0.0 || m->velocity.y != 0.0 || m->velocity.z != 0.0;
    return falls && turns ? WILD : turns ? SPINNING : falls ? BALLISTIC : goes ? LINEAR : STILL;
}

static tact_vec3 roll_vector(dice *d, double size)
{
    return (tact_vec3){size * dice_normal(d), size * dice_normal(d), size * dice_normal(d)};
}

/* Passes the centre of the world at some time between now and the end. */
static tact_motion roll_motion(dice *d, tact_vec3 at, tact_vec3 middle, double left)
{
    tact_motion m = {.velocity = {0.0, 0.0, 0.0}};
    const motion_kind kind = (motion_kind)dice_pick(d, MOTION_KINDS);
    if (kind == STILL)
        return m;
    const tact_vec3 by = roll_vector(d, 0.4);
    const double when = left * dice_between(d, 0.2, 0.8);
    if (kind != SPINNING || dice_pick(d, 3) > 0)
        m.velocity = (tact_vec3){(middle.x + by.x - at.x) / when, (middle.y + by.y - at.y) / when,
                                 (middle.z + by.z - at.z) / when};
    if (kind == BALLISTIC || kind == WILD)
        m.acceleration = roll_vector(d, 2.0 / (left * left));
    if (kind == SPINNING || kind == WILD)
        m.spin = roll_vector(d, dice_power(d, 0.0, 1.4) / left);
    return m;
}

static tact_transform roll_place(dice *d, tact_vec3 middle, bool near)
{
    double r[3][3], scale[3], size = dice_pick(d, 6) == 0 ? dice_power(d, -1.7, 0.6) : dice_power(d, -0.2, 0.3);
    const bool plain = dice_pick(d, 3) == 0;
    scene_roll_rotation(d, r);
    for (int i = 0; i < 3; ++i)
        scale[i] = plain ? size : size * dice_power(d, -0.3, 0.0) * (dice_pick(d, 8) == 0 ? -1.0 : 1.0);
    tact_transform p = {{scale[0] * r[0][0], scale[0] * r[0][1], scale[0] * r[0][2]},
                        {scale[1] * r[1][0], scale[1] * r[1][1], scale[1] * r[1][2]},
                        {scale[2] * r[2][0], scale[2] * r[2][1], scale[2] * r[2][2]},
                        {0.0, 0.0, 0.0}};
    if (plain && dice_pick(d, 2) == 0)
        p = tact_identity();
    const tact_vec3 off = roll_vector(d, near ? 0.8 : 1.7);
    p.origin = (tact_vec3){middle.x + off.x, middle.y + off.y, middle.z + off.z};
    return p;
}

static void roll_filter(dice *d, uint64_t *category, uint64_t *mask)
{
    *category = *mask = ~(uint64_t)0;
    if (dice_pick(d, 6) > 0)
        return;
    *category = (uint64_t)1 << dice_pick(d, 2);
    *mask = (uint64_t)1 + (uint64_t)dice_pick(d, 3);
}

static void insert_change(script *s, const change *c)
{
    int at = s->change_count++;
    for (; at > 0 && s->changes[at - 1].time > c->time; --at)
        s->changes[at] = s->changes[at - 1];
    s->changes[at] = *c;
}

static void script_roll(script *s, uint64_t seed, bool changes)
{
    dice d = dice_for(seed, 11, 0);
    *s = (script){.first = 3 + dice_pick(&d, 8)};
    s->end = dice_pick(&d, 3) > 0 ? 1.0 : dice_power(&d, -2.0, 2.0);
    const double far = dice_pick(&d, 4) == 0 ? 100.0 : 0.0;
    const tact_vec3 middle = roll_vector(&d, far);
    const bool balls = dice_pick(&d, 8) == 0;
    s->count = s->first + (changes ? 2 : 0);
    for (int i = 0; i < s->count; ++i) {
        const int kind = balls ? 0 : dice_pick(&d, FIGURE_KINDS);
        figure_make(&s->figures[i], kind, dice_pick(&d, 6) == 0 ? dice_power(&d, -2.0, -0.5) : 0.0, &d);
        s->places[i] = roll_place(&d, middle, dice_pick(&d, 4) == 0);
        if (balls) {
            const tact_vec3 at = s->places[i].origin;
            s->places[i] = tact_at(at.x, at.y, at.z);
        }
        s->motions[i] = roll_motion(&d, s->places[i].origin, middle, s->end);
        if (balls && dice_pick(&d, 4) > 0)
            s->motions[i].acceleration = s->motions[i].spin = (tact_vec3){0.0, 0.0, 0.0};
        roll_filter(&d, &s->categories[i], &s->masks[i]);
    }
    double time = 0.0;
    for (int i = 0; changes && i < CHANGES; ++i) {
        change *c = &s->changes[s->change_count++];
        time += s->end / CHANGES * dice_between(&d, 0.0, 1.0);
        *c = (change){.time = time, .kind = (change_kind)dice_pick(&d, CHANGE_KINDS), .who = dice_pick(&d, s->count)};
        if (i < 2)
            *c = (change){.time = time, .kind = CHANGE_ADD, .who = s->first + i};
        c->place = roll_place(&d, middle, dice_pick(&d, 2) == 0);
        c->motion = roll_motion(&d, c->place.origin, middle, s->end - time);
        roll_filter(&d, &c->category, &c->mask);
        c->until = time + (s->end - time) * dice_between(&d, 0.01, 1.1);
        c->next = roll_motion(&d, c->place.origin, middle, s->end);
        c->answers = dice_pick(&d, 4) > 0;
        c->has_callback = dice_pick(&d, 2) == 0;
    }
    for (int i = 0; i < s->change_count; ++i)
        if (s->changes[i].kind == CHANGE_COURSE && s->changes[i].until < s->end)
            insert_change(s, &(change){.time = s->changes[i].until,
                                       .kind = CHANGE_EXPIRED,
                                       .who = s->changes[i].who,
                                       .next = s->changes[i].answers ? s->changes[i].next : tact_motion_still()});
}

static void script_free(script *s)
{
    for (int i = 0; i < s->count; ++i)
        figure_free(&s->figures[i]);
}

/* ---- the same world, by the library ---- */

/* How pairs are found: in one of the two engines, or in turns. */
typedef enum engine_use { BY_FAT_BOUNDS, BY_KINETIC_SWEEP, IN_TURNS, ENGINES } engine_use;

static const char *const engine_names[ENGINES] = {"fat bounds", "sweep", "alternating"};

enum { TURNS = 3 }; /* of the engines between two changes */

typedef struct stream {
    int count;
    long due;
    struct reported_touch {
        double time;
        int a, b;
        tact_vec3 point, normal;
    } reported[EVENTS];
    tact_status status;
    advance_effort effort; /* what AUTO goes by */
    uint64_t swaps;
} stream;

typedef struct actors {
    tact_world *world;
    tact_body names[BODIES];
    const change *plans[BODIES]; /* NULL: none */
    const script *s;
    stream *out;
    engine_use how;
    int turn;
    uint64_t seed;
} actors;

static tact_body_def def_of(const script *s, int i, tact_transform place, tact_motion motion)
{
    static const int numbers[BODIES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    return (tact_body_def){.shape = s->figures[i].shape,
                           .transform = place,
                           .motion = motion,
                           .user = (void *)(uintptr_t)&numbers[i],
                           .category = s->categories[i],
                           .mask = s->masks[i]};
}

/* A plan has expired: the answer of the program, or of the callback. */
static void answer(actors *a, const tact_event *e)
{
    const uint64_t seed = a->seed;
    const int who = *(const int *)e->user_a;
    const change *c = a->plans[who];
    CHECK(c != NULL && e->time == c->until && !c->has_callback, "the plan of %d expires at %.17g", who, e->time);
    CHECK(e->b.generation == 0 && e->user_b == NULL, "of two");
    ++a->out->due;
    a->plans[who] = NULL;
    if (c->answers)
        assert_int_equal(tact_body_set_motion(a->world, e->a, c->next), TACT_OK);
}

static void motion_callback(void *context, double time, tact_transform *place, tact_motion_plan *next)
{
    const change *c = context;
    (void)place;
    assert_true(time == c->until && next->until == time);
    if (!c->answers)
        return;
    next->motion = c->next;
    next->until = 0.0;
}

/* Up to a time, in calls as the dice say; a failure for lack of memory is asked again. */
static void go(actors *a, double until, dice *d)
{
    const uint64_t seed = a->seed;
    for (;;) {
        const double now = tact_world_get_time(a->world), predicted = tact_world_get_next_time(a->world);
        double to = until;
        if (d != NULL && dice_pick(d, 2) == 0)
            to = fmin(until, now + (until - now) * dice_unit(d));
        tact_event e;
        const tact_event_kind kind = tact_world_next_event(a->world, to, &e);
        if (kind == TACT_EVENT_TOUCH) {
            CHECK(e.status == TACT_OK && e.time >= now && e.time <= to, "time %g", e.time);
            CHECK(e.time >= predicted, "%.17g predicted, %.17g it was", predicted, e.time);
            CHECK(e.time == tact_world_get_time(a->world), "time %g", e.time);
            CHECK(a->out->count < EVENTS, "no end");
            a->out->reported[a->out->count++] =
                (struct reported_touch){e.time, *(const int *)e.user_a, *(const int *)e.user_b, e.point, e.normal};
            continue;
        }
        if (kind == TACT_EVENT_MOTION_EXPIRED) {
            answer(a, &e);
            continue;
        }
        if (e.status == TACT_OUT_OF_MEMORY) {
            CHECK(tact_world_get_time(a->world) >= now, "back");
            a->out->status = e.status;
            continue;
        }
        CHECK(e.status == TACT_OK, "status %d at %.17g", (int)e.status, e.time);
        CHECK(e.time == to && tact_world_get_time(a->world) == to, "time %g", e.time);
        if (to == until)
            return;
    }
}

/* The same, and in between the engines change. */
static void go_in_turns(actors *a, double until, dice *d)
{
    const double from = tact_world_get_time(a->world);
    for (int i = 1; i <= TURNS; ++i) {
        static const tact_kinetic turns[] = {TACT_KINETIC_SWEEP_AND_PRUNE, TACT_KINETIC_FAT_BOUNDS,
                                             TACT_KINETIC_SWEEP_AND_PRUNE, TACT_KINETIC_AUTO, TACT_KINETIC_FAT_BOUNDS};
        if (a->how == IN_TURNS)
            assert_int_equal(tact_world_set_kinetic(a->world, turns[a->turn++ % 5]), TACT_OK);
        if (a->how == IN_TURNS || i == TURNS)
            go(a, i < TURNS ? from + (until - from) * i / TURNS : until, d);
    }
}

static void apply(actors *a, const change *c)
{
    tact_body *name = &a->names[c->who];
    const bool there = tact_body_exists(a->world, *name);
    if (c->kind == CHANGE_MOVE || c->kind == CHANGE_REMOVE || c->kind == CHANGE_ADD)
        a->plans[c->who] = there && c->kind == CHANGE_ADD ? a->plans[c->who] : NULL;
    if (c->kind == CHANGE_ADD && !there) {
        const tact_body_def def = def_of(a->s, c->who, c->place, c->motion);
        do /* memory may be short */
            *name = tact_body_create(a->world, &def);
        while (name->generation == 0);
    } else if (there && c->kind == CHANGE_MOVE) {
        assert_int_equal(tact_body_set_motion(a->world, *name, c->motion), TACT_OK);
    } else if (there && c->kind == CHANGE_COURSE) {
        const tact_motion_plan to = {.motion = c->motion,
                                     .until = c->until,
                                     .callback = c->has_callback ? motion_callback : NULL,
                                     .context = (void *)(uintptr_t)c};
        while (tact_body_set_motion_plan(a->world, *name, &to) == TACT_OUT_OF_MEMORY)
            continue;
        a->plans[c->who] = c;
    } else if (there && c->kind == CHANGE_PLACE) {
        assert_int_equal(tact_body_set_transform(a->world, *name, c->place), TACT_OK);
    } else if (there && c->kind == CHANGE_FILTER) {
        assert_int_equal(tact_body_set_filter(a->world, *name, c->category, c->mask), TACT_OK);
    } else if (there && c->kind == CHANGE_REMOVE) {
        assert_int_equal(tact_body_remove(a->world, *name), TACT_OK);
    }
}

/* `dice` NULL: in as few calls as can be. `every`: every n-th allocation fails. */
static void play(const script *s, engine_use how, dice *d, long every, bool check, stream *out, uint64_t seed)
{
    failing_allocator r = {0};
    const tact_allocator allocator = failing_allocator_make(&r);
    const tact_world_def def = {.allocator = allocator,
                                .kinetic =
                                    how == BY_KINETIC_SWEEP ? TACT_KINETIC_SWEEP_AND_PRUNE : TACT_KINETIC_FAT_BOUNDS};
    actors a = {.world = tact_world_create(&def), .s = s, .out = out, .how = how, .seed = seed};
    out->count = 0;
    out->status = TACT_OK;
    for (int i = 0; i < s->first; ++i) {
        const tact_body_def body = def_of(s, i, s->places[i], s->motions[i]);
        a.names[i] = tact_body_create(a.world, &body);
        CHECK(a.names[i].generation != 0, "body %d, a %s", i, figure_names[s->figures[i].kind]);
    }
    r.every = every;
    for (int i = 0; i <= s->change_count; ++i) {
        go_in_turns(&a, i < s->change_count ? s->changes[i].time : s->end, d);
        if (check)
            CHECK(tact_advance_check(a.world), "the validator at %.17g, by %s", tact_world_get_time(a.world),
                  engine_names[how]);
        if (i < s->change_count)
            apply(&a, &s->changes[i]);
    }
    out->effort = a.world->advance->effort;
    out->swaps = a.world->advance->sweep.sweep.swaps;
    tact_world_release(a.world);
    CHECK(r.held == 0, "%zu bytes are left", r.held);
}

/* ---- and by the oracle ---- */

typedef struct pair_truth {
    int count;
    double times[EVENTS / BODIES], slack[EVENTS / BODIES];
    bool in, near;
} pair_truth;

typedef struct truth {
    pair_truth pairs[BODIES][BODIES];
} truth;

typedef struct actor {
    moving_figure m; /* as from `since` on */
    double since;
    uint64_t category, mask;
    bool there;
    double until; /* of its plan; 0: it has none */
} actor;

static bool moves(const tact_motion *m) { return motion_kind_of(m) != STILL; }

/* The moving_figure as of another time. */
static moving_figure moving_figure_at(const actor *a, double time)
{
    moving_figure m = a->m;
    const double t = time - a->since;
    m.place = tact_motion_at(a->m.motion, a->m.place, t);
    m.motion.velocity.x += t * a->m.motion.acceleration.x;
    m.motion.velocity.y += t * a->m.motion.acceleration.y;
    m.motion.velocity.z += t * a->m.motion.acceleration.z;
    return m;
}

static void judge_pair(const actor *a, const actor *b, double from, double to, pair_truth *p)
{
    if (!a->there || !b->there || !(a->category & b->mask) || !(b->category & a->mask)) {
        p->in = false;
        return;
    }
    if (p->near || (!moves(&a->m.motion) && !moves(&b->m.motion) && a->until == 0.0 && b->until == 0.0))
        return;
    touches t;
    const moving_figure ma = moving_figure_at(a, from), mb = moving_figure_at(b, from);
    moving_figures_touch(&ma, &mb, to - from, p->in, &t);
    p->near = t.near || p->count + t.count > EVENTS / BODIES;
    p->in = t.in;
    for (int i = 0; i < t.count && !p->near; ++i) {
        p->times[p->count] = from + t.times[i];
        p->slack[p->count++] = t.slack[i];
    }
}

static void judge(const script *s, truth *out)
{
    actor all[BODIES] = {{.there = false}};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < s->count; ++i)
        all[i] = (actor){
            {&s->figures[i], s->places[i], s->motions[i]}, 0.0, s->categories[i], s->masks[i], i < s->first, 0.0};
    double from = 0.0;
    for (int i = 0; i <= s->change_count; ++i) {
        const double to = i < s->change_count ? s->changes[i].time : s->end;
        for (int a = 0; a < s->count; ++a)
            for (int b = a + 1; b < s->count; ++b)
                judge_pair(&all[a], &all[b], from, to, &out->pairs[a][b]);
        from = to;
        if (i == s->change_count)
            break;
        const change *c = &s->changes[i];
        actor *who = &all[c->who];
        if (who->there) {
            who->m = moving_figure_at(who, to);
            who->since = to;
        }
        if (c->kind == CHANGE_ADD && !who->there) {
            *who = (actor){
                {&s->figures[c->who], c->place, c->motion}, to, s->categories[c->who], s->masks[c->who], true, 0.0};
        } else if (c->kind == CHANGE_MOVE || c->kind == CHANGE_COURSE) {
            who->m.motion = c->motion;
            who->until = c->kind == CHANGE_COURSE ? c->until : 0.0;
        } else if (c->kind == CHANGE_EXPIRED && who->until == c->time) {
            who->m.motion = c->next;
            who->until = 0.0;
        } else if (c->kind == CHANGE_PLACE) {
            who->m.place = c->place;
        } else if (c->kind == CHANGE_FILTER && who->there) {
            who->category = c->category;
            who->mask = c->mask;
        } else if (c->kind == CHANGE_REMOVE) {
            who->there = false;
            who->until = 0.0;
        }
    }
}

/* ---- comparing ---- */

typedef struct tally {
    long touches, again, at_start, near, pairs, worlds, due;
    long kinds[FIGURE_KINDS], motions[MOTION_KINDS];
    double worst; /* of the times, in units of what is allowed */
} tally;

/* Relative to how long the world is looked at. */
#define TIME_SAME 1e-9

static bool in_order(const struct reported_touch *a, const struct reported_touch *b, const int *rank)
{
    if (a->time != b->time)
        return a->time < b->time;
    return rank[a->a] != rank[b->a] ? rank[a->a] < rank[b->a] : rank[a->b] <= rank[b->b];
}

static void compare(const script *s, const stream *got, const truth *want, tally *sum, uint64_t seed)
{
    for (int a = 0; a < s->count; ++a)
        for (int b = a + 1; b < s->count; ++b) {
            const pair_truth *p = &want->pairs[a][b];
            const char *one = figure_names[s->figures[a].kind], *other = figure_names[s->figures[b].kind];
            ++sum->pairs;
            if (p->near) {
                ++sum->near;
                continue;
            }
            int n = 0;
            for (int i = 0; i < got->count; ++i) {
                const struct reported_touch *e = &got->reported[i];
                if ((e->a != a || e->b != b) && (e->a != b || e->b != a))
                    continue;
                CHECK(n<p->count, "%d %d (%s, %s) touch at %.17g: invented, the truth is %d touches, the last at %.17g",
                          a, b, one, other, e->time, p->count, p->count> 0
                          ? p->times[p->count - 1]
                          : -1.0);
                const double allowed = TIME_SAME * s->end + p->slack[n], off = fabs(e->time - p->times[n]);
                CHECK(off <= allowed, "%d %d (%s, %s) touch at %.17g, in truth at %.17g, off by %g of %g", a, b, one,
                      other, e->time, p->times[n], off, allowed);
                sum->worst = fmax(sum->worst, off / allowed);
                sum->again += n > 0;
                sum->at_start += e->time == 0.0;
                ++sum->kinds[s->figures[a].kind];
                ++sum->kinds[s->figures[b].kind];
                ++sum->motions[motion_kind_of(&s->motions[a])];
                ++sum->motions[motion_kind_of(&s->motions[b])];
                ++n;
            }
            CHECK(n == p->count, "%d %d (%s, %s): %d touches are missed, the first at %.17g", a, b, one, other,
                  p->count - n, p->times[n]);
            sum->touches += n;
        }
    ++sum->worlds;
}

static void check_order(const script *s, const stream *got, uint64_t seed)
{
    int rank[BODIES];
    for (int i = 0; i < BODIES; ++i)
        rank[i] = i;
    for (int i = 0; i < s->change_count; ++i) /* one that is removed and comes again is made later */
        if (s->changes[i].kind == CHANGE_ADD)
            return;
    for (int i = 0; i < got->count; ++i) {
        CHECK(rank[got->reported[i].a] < rank[got->reported[i].b], "%d before %d", got->reported[i].a,
              got->reported[i].b);
        if (i > 0)
            CHECK(in_order(&got->reported[i - 1], &got->reported[i], rank), "event %d", i);
    }
}

static bool same_streams(const stream *a, const stream *b)
{
    return a->count == b->count && memcmp(a->reported, b->reported, (size_t)a->count * sizeof a->reported[0]) == 0;
}

static bool same_efforts(const stream *a, const stream *b)
{
    return a->effort.events == b->effort.events && a->effort.motions == b->effort.motions &&
           a->effort.refits == b->effort.refits && a->effort.changes == b->effort.changes && a->swaps == b->swaps;
}

static void random_worlds(bool changes, uint64_t worlds, tally *sum)
{
    static stream once, often;
    static truth want;
    static script s;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(worlds, 1020); ++seed) {
        script_roll(&s, seed, changes);
        judge(&s, &want);
        for (engine_use how = BY_FAT_BOUNDS; how < ENGINES; ++how) {
            memset(&once, 0, sizeof once);
            memset(&often, 0, sizeof often);
            play(&s, how, NULL, 0, true, &once, seed);
            check_order(&s, &once, seed);
            compare(&s, &once, &want, sum, seed);
            sum->due += once.due;
            if (getenv("TACT_TEST_LONG") == NULL && seed % ENGINES != (uint64_t)how)
                continue;
            dice d = dice_for(seed, 12, 0);
            play(&s, how, &d, 0, false, &often, seed);
            CHECK(same_streams(&once, &often), "another stream when asked in other portions, by %s: %d, %d",
                  engine_names[how], once.count, often.count);
            CHECK(same_efforts(&once, &often), "another effort when asked in other portions, by %s", engine_names[how]);
            const long every = 5 + dice_pick(&d, 4); /* less than that and no structure of several arrays gets any */
            memset(&often, 0, sizeof often);
            play(&s, how, NULL, every, false, &often, seed);
            CHECK(same_streams(&once, &often), "another stream when every allocation %ld fails, by %s: %d, %d", every,
                  engine_names[how], once.count, often.count);
            CHECK(same_efforts(&once, &often), "another effort when every allocation %ld fails, by %s", every,
                  engine_names[how]);
        }
        script_free(&s);
    }
    print_message("%ld worlds, %ld pairs, %ld near; %ld touches, %ld of them again, %ld at the start; off by %.3g of "
                  "what is allowed; %ld asked\n",
                  sum->worlds, sum->pairs, sum->near, sum->touches, sum->again, sum->at_start, sum->worst, sum->due);
    for (int i = 0; i < FIGURE_KINDS; ++i)
        print_message("%s %ld, ", figure_names[i], sum->kinds[i]);
    for (int i = 0; i < MOTION_KINDS; ++i)
        print_message("motion %d %ld%s", i, sum->motions[i], i + 1 < MOTION_KINDS ? ", " : "\n");
}

static void all_touches_of_random_worlds_in_order(void **state)
{
    (void)state;
    tally sum = {0};
    random_worlds(false, 34, &sum);
    if (few_cases())
        return;
    assert_true(sum.touches > 450 && sum.again > 30 && sum.at_start > 9 && 20 * sum.near < sum.pairs);
    for (int i = 0; i < FIGURE_KINDS; ++i)
        assert_true(sum.kinds[i] > 0);
    for (int i = 0; i < MOTION_KINDS; ++i)
        assert_true(sum.motions[i] > 20);
}

static void all_touches_when_bodies_change_between_events(void **state)
{
    (void)state;
    tally sum = {0};
    random_worlds(true, 20, &sum);
    if (!few_cases())
        assert_true(sum.touches > 300 && sum.again > 35 && sum.due > 17 && 20 * sum.near < sum.pairs);
}

/* ---- bouncing: the oracle begins anew from the library's state after each event ---- */

typedef struct bounced {
    long events, intervals, in_touch, near, again;
} bounced;

/* Goes on until two that begin in touch are clearly apart or in each other. False: not before the end. */
static bool leave_touch(const moving_figure *a, const moving_figure *b, double end, double *from)
{
    const double band = 1e-7 * moving_figures_size(a, b);
    double step = 1e-9 * end;
    for (*from = 0.0; *from <= end; *from += step, step *= 1.25)
        if (fabs(moving_figures_distance(a, b, *from)) > band)
            return true;
    return false;
}

/* Whether the pair touches in the time up to `end`, and when at first; `reported`: it is reported at the end. */
static void judge_interval(const actor *a, const actor *b, double since, double end, bool reported, bool *in,
                           double scale, bounced *sum, uint64_t seed)
{
    moving_figure ma = moving_figure_at(a, since), mb = moving_figure_at(b, since);
    double from;
    touches t;
    ++sum->intervals;
    if (!leave_touch(&ma, &mb, end, &from)) {
        ++sum->in_touch;
        *in = true;
        return;
    }
    if (from > 0.0) {
        ++sum->in_touch;
        ma = moving_figure_at(a, since + from);
        mb = moving_figure_at(b, since + from);
        *in = moving_figures_distance(&ma, &mb, 0.0) < 0.0;
    }
    moving_figures_touch(&ma, &mb, end - from, *in, &t);
    const double allowed = TIME_SAME * scale + (t.count > 0 ? t.slack[0] : 0.0);
    if (t.count > 0)
        CHECK(from + t.times[0] >= end - allowed, "%s and %s touch at %.17g, before the event at %.17g",
              figure_names[a->m.figure->kind], figure_names[b->m.figure->kind], since + from + t.times[0], since + end);
    /* a reported touch ends near: the oracle finds it a little later */
    *in = !t.near ? t.in : *in;
    if (!reported)
        return;
    touches later;
    moving_figures_touch(&ma, &mb, end - from + 1e-6 * scale, false, &later);
    if (later.near || *in) {
        ++sum->near;
        return;
    }
    CHECK(later.count > 0 && fabs(from + later.times[0] - end) <= TIME_SAME * scale + later.slack[0],
          "%s and %s are reported at %.17g, but touch at %.17g", figure_names[a->m.figure->kind],
          figure_names[b->m.figure->kind], since + end, later.count > 0 ? since + from + later.times[0] : -1.0);
    ++sum->events;
}

static double along(tact_vec3 n, tact_vec3 v) { return n.x * v.x + n.y * v.y + n.z * v.z; }

/* Equal masses; walls stay. */
static void respond(tact_world *world, const tact_event *e, bool wall_a, bool wall_b)
{
    tact_motion a = tact_body_get_motion(world, e->a), b = tact_body_get_motion(world, e->b);
    const double closing = along(e->normal, a.velocity) - along(e->normal, b.velocity);
    const double to_a = wall_a   ? 0.0
                        : wall_b ? 2.0 * closing
                                 : closing,
                 to_b = wall_b   ? 0.0
                        : wall_a ? 2.0 * closing
                                 : closing;
    const tact_vec3 n = e->normal;
    if (!(closing > 0.0))
        return;
    a.velocity = (tact_vec3){a.velocity.x - to_a * n.x, a.velocity.y - to_a * n.y, a.velocity.z - to_a * n.z};
    b.velocity = (tact_vec3){b.velocity.x + to_b * n.x, b.velocity.y + to_b * n.y, b.velocity.z + to_b * n.z};
    assert_int_equal(tact_body_set_motion(world, e->a, a), TACT_OK);
    assert_int_equal(tact_body_set_motion(world, e->b, b), TACT_OK);
}

enum { BOUNCES = 40 };

static void bounce_world(const script *s, engine_use how, bounced *sum, uint64_t seed)
{
    actor all[BODIES];
    bool in[BODIES][BODIES] = {{false}}, wall[BODIES];
    const tact_world_def usual = {.kinetic =
                                      how == BY_KINETIC_SWEEP ? TACT_KINETIC_SWEEP_AND_PRUNE : TACT_KINETIC_FAT_BOUNDS};
    tact_world *world = tact_world_create(&usual);
    tact_body names[BODIES];
    for (int i = 0; i < s->count; ++i) {
        tact_motion m = s->motions[i];
        m.spin = (tact_vec3){0.0, 0.0, 0.0};
        wall[i] = !moves(&m);
        const tact_body_def def = def_of(s, i, s->places[i], m);
        names[i] = tact_body_create(world, &def);
        all[i] = (actor){{&s->figures[i], s->places[i], m}, 0.0, s->categories[i], s->masks[i], true, 0.0};
    }
    double since = 0.0;
    for (int k = 0; k < BOUNCES && since < s->end; ++k) {
        tact_event e;
        if (how == IN_TURNS && k % 3 == 2)
            assert_int_equal(
                tact_world_set_kinetic(world, k % 2 ? TACT_KINETIC_FAT_BOUNDS : TACT_KINETIC_SWEEP_AND_PRUNE), TACT_OK);
        const bool touch = tact_world_next_event(world, s->end, &e) == TACT_EVENT_TOUCH;
        CHECK(e.status == TACT_OK, "status %d", (int)e.status);
        const int one = touch ? *(const int *)e.user_a : -1, other = touch ? *(const int *)e.user_b : -1;
        for (int a = 0; a < s->count && e.time > since; ++a)
            for (int b = a + 1; b < s->count; ++b)
                if ((all[a].category & all[b].mask) && (all[b].category & all[a].mask) && !(wall[a] && wall[b]))
                    judge_interval(&all[a], &all[b], since, e.time - since, a == one && b == other, &in[a][b], s->end,
                                   sum, seed);
        if (touch && e.time == since) { /* overlapping from the beginning, or reported again */
            const moving_figure a = moving_figure_at(&all[one], since), b = moving_figure_at(&all[other], since);
            in[one][other] = moving_figures_distance(&a, &b, 0.0) < 0.0;
            ++sum->again;
        }
        CHECK(tact_advance_check(world), "the validator at %.17g", e.time);
        since = e.time;
        if (!touch)
            break;
        respond(world, &e, wall[one], wall[other]);
        for (int a = 0; a < s->count; ++a) {
            all[a].m.place = tact_body_get_transform(world, names[a]);
            all[a].m.motion = tact_body_get_motion(world, names[a]);
            all[a].since = since;
        }
    }
    tact_world_release(world);
}

static void every_touch_of_bouncing_bodies_is_the_next_one(void **state)
{
    (void)state;
    bounced sum = {0};
    static script s;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(18, 1350); ++seed) {
        script_roll(&s, seed, false);
        bounce_world(&s, (engine_use)(seed % ENGINES), &sum, seed);
        script_free(&s);
    }
    print_message("%ld bounces, %ld at the same time; %ld intervals of pairs, %ld begun in touch, %ld near\n",
                  sum.events, sum.again, sum.intervals, sum.in_touch, sum.near);
    if (!few_cases())
        assert_true(sum.events > 24 && sum.in_touch > 24 && 20 * sum.near < sum.intervals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_touches_of_random_worlds_in_order),
        cmocka_unit_test(all_touches_when_bodies_change_between_events),
        cmocka_unit_test(every_touch_of_bouncing_bodies_is_the_next_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
