/*
 * Bodies with motion plans: random worlds in which some bodies move by motions of which the world knows only a bound of
 * the deviation speed, and locates them by callbacks; others are polled. Compared with the oracle, which knows the
 * motions.
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

enum { BODIES = 8, EVENTS = 1024 };

/* ---- a world on paper ---- */

typedef enum role { PLAIN, DRIFTS, POLLED, BOTH, ROLES } role;

typedef struct script {
    int count;
    figure figures[BODIES];
    moving_figure moving[BODIES];
    role roles[BODIES];
    bool known[BODIES]; /* of one that drifts: its velocity is, and only the rest of its motion is secret */
    double drift[BODIES], interval[BODIES], poll[BODIES];
    double end;
    tact_kinetic engine;
} script;

static tact_vec3 roll_vector(dice *d, double size)
{
    return (tact_vec3){size * dice_normal(d), size * dice_normal(d), size * dice_normal(d)};
}

static double length(tact_vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

/* A bound of how fast points of it stray: all of its speed, or what comes of acceleration and spin. */
static double drift_of(const moving_figure *m, bool known, double end)
{
    tact_transform centred = m->place;
    tact_bounds b;
    centred.origin = (tact_vec3){0.0, 0.0, 0.0};
    assert_int_equal(tact_shape_bounds(m->figure->shape, centred, &b), TACT_OK);
    const tact_vec3 far = {fmax(-b.min.x, b.max.x), fmax(-b.min.y, b.max.y), fmax(-b.min.z, b.max.z)};
    /* the known velocity is that of the beginning */
    return (known ? 0.0 : length(m->motion.velocity)) + end * length(m->motion.acceleration) +
           length(m->motion.spin) * length(far) + 1e-3;
}

static tact_transform roll_place(dice *d)
{
    double r[3][3];
    const double size = dice_power(d, -0.3, 0.2);
    scene_roll_rotation(d, r);
    tact_transform p = {{size * r[0][0], size * r[0][1], size * r[0][2]},
                        {size * r[1][0], size * r[1][1], size * r[1][2]},
                        {size * r[2][0], size * r[2][1], size * r[2][2]},
                        roll_vector(d, 1.7)};
    return p;
}

static void script_roll(script *s, uint64_t seed)
{
    dice d = dice_for(seed, 17, 0);
    *s = (script){.count = 3 + dice_pick(&d, BODIES - 2),
                  .end = dice_pick(&d, 2) == 0 ? 1.0 : dice_power(&d, -1.0, 1.0)};
    for (int i = 0; i < s->count; ++i) {
        moving_figure *m = &s->moving[i];
        figure_make(&s->figures[i], dice_pick(&d, FIGURE_KINDS), 0.0, &d);
        *m = (moving_figure){&s->figures[i], roll_place(&d), tact_motion_still()};
        const tact_vec3 to = roll_vector(&d, 0.4), at = m->place.origin;
        const double when = s->end * dice_between(&d, 0.2, 0.8);
        if (dice_pick(&d, 5) > 0)
            m->motion.velocity = (tact_vec3){(to.x - at.x) / when, (to.y - at.y) / when, (to.z - at.z) / when};
        if (dice_pick(&d, 2) == 0)
            m->motion.acceleration = roll_vector(&d, 2.0 / (s->end * s->end));
        if (dice_pick(&d, 2) == 0)
            m->motion.spin = roll_vector(&d, dice_power(&d, 0.0, 1.0) / s->end);
        s->roles[i] = (role)dice_pick(&d, ROLES);
        s->known[i] = dice_pick(&d, 2) == 0;
        if (s->roles[i] == DRIFTS || s->roles[i] == BOTH)
            s->drift[i] = drift_of(m, s->known[i], s->end);
        s->interval[i] = s->end * dice_power(&d, -3.5, -1.5);
        s->poll[i] = s->roles[i] == POLLED || s->roles[i] == BOTH ? s->end * dice_power(&d, -2.5, -1.0) : 0.0;
    }
}

static void script_free(script *s)
{
    for (int i = 0; i < s->count; ++i)
        figure_free(&s->figures[i]);
}

/* ---- the same world, by the library ---- */

typedef struct stream {
    int count;
    struct reported_touch {
        double time;
        int a, b;
        tact_vec3 point, normal;
    } reported[EVENTS];
} stream;

typedef struct secret {
    const moving_figure *m;
    long asked;
    int number;
} secret;

static void answer(void *context, double time, tact_transform *place, tact_motion_plan *next)
{
    secret *s = context;
    *place = tact_motion_at(s->m->motion, s->m->place, time);
    next->motion.velocity = next->max_deviation_speed > 0.0 ? next->motion.velocity : s->m->motion.velocity;
    ++s->asked;
}

typedef enum manner { GUIDED, ASKED, CUT, STARVED } manner;

static long play(const script *s, manner how, dice *d, stream *out, uint64_t seed)
{
    failing_allocator r = {0};
    const tact_allocator allocator = failing_allocator_make(&r);
    const tact_world_def def = {.allocator = allocator};
    tact_world *world = tact_world_create(&def);
    static secret secrets[BODIES];
    assert_int_equal(tact_world_set_kinetic(world, s->engine), TACT_OK);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < s->count; ++i) {
        secrets[i] = (secret){.m = &s->moving[i], .number = i};
        const tact_body_def body = {.shape = s->figures[i].shape,
                                    .transform = s->moving[i].place,
                                    .motion = s->drift[i] > 0.0 ? tact_motion_still() : s->moving[i].motion,
                                    .user = &secrets[i]};
        const tact_body name = tact_body_create(world, &body);
        CHECK(name.generation != 0, "body %d", i);
        tact_motion_plan to = {.max_deviation_speed = s->drift[i],
                               .min_interval = s->interval[i],
                               .callback = how == ASKED ? NULL : answer,
                               .context = &secrets[i]};
        if (s->known[i])
            to.motion.velocity = s->moving[i].motion.velocity;
        if (s->drift[i] > 0.0)
            assert_int_equal(tact_body_set_motion_plan(world, name, &to), TACT_OK);
        assert_int_equal(tact_body_set_poll_interval(world, name, s->poll[i]), TACT_OK);
    }
    r.every = how == STARVED ? 5 + dice_pick(d, 4) : 0;
    for (;;) {
        const double now = tact_world_get_time(world);
        double to = s->end;
        if (how == CUT && dice_pick(d, 2) == 0)
            to = fmin(to, now + (to - now) * dice_unit(d));
        tact_event e;
        const tact_event_kind kind = tact_world_next_event(world, to, &e);
        CHECK(e.time >= now && e.time <= to && e.time == tact_world_get_time(world), "time %g", e.time);
        if (kind == TACT_EVENT_MOTION_EXPIRED) {
            CHECK(how == ASKED, "a body with a callback has expired");
            secret *one = e.user_a;
            tact_transform place;
            tact_motion_plan next = tact_body_get_motion_plan(world, e.a);
            answer(one, e.time, &place, &next);
            assert_int_equal(tact_body_set_transform(world, e.a, place), TACT_OK);
        } else if (kind == TACT_EVENT_TOUCH) {
            CHECK(out->count < EVENTS, "no end");
            out->reported[out->count++] = (struct reported_touch){
                e.time, ((const secret *)e.user_a)->number, ((const secret *)e.user_b)->number, e.point, e.normal};
        } else {
            CHECK(e.status == TACT_OK || (how == STARVED && e.status == TACT_OUT_OF_MEMORY), "status %d",
                  (int)e.status);
            if (how == GUIDED || how == CUT)
                CHECK(tact_advance_check(world), "the validator at %.17g", e.time);
            if (e.status == TACT_OK && to == s->end)
                break;
        }
    }
    tact_world_release(world);
    CHECK(r.held == 0, "%zu bytes are left", r.held);
    long asked = 0;
    for (int i = 0; i < s->count; ++i) {
        asked += secrets[i].asked;
        double most = 0.0; /* for each neighbour, and exits */
        for (int k = 0; k < s->count; ++k) {
            const double poll =
                fmin(s->poll[i] > 0.0 ? s->poll[i] : INFINITY, s->poll[k] > 0.0 ? s->poll[k] : INFINITY);
            most += 2.0 * (s->end / fmin(s->interval[i], poll) + 8.0);
        }
        CHECK((double)secrets[i].asked <= most, "%d is asked %ld times", i, secrets[i].asked);
    }
    return asked;
}

/* ---- and by the oracle ---- */

typedef struct tally {
    long drifts, polls, missed, near, pairs, asked, most;
} tally;

/* Of the size: nearer to a touch than this nothing is decided. */
#define BAND 1e-7

static bool is_of(const struct reported_touch *e, int a, int b)
{
    return (e->a == a && e->b == b) || (e->a == b && e->b == a);
}

/* Bodies with deviation: in contact whenever reported, soon after the contact begins; each lasting overlap is reported.
 */
static void judge_drift(const script *s, int a, int b, const stream *got, tally *sum, uint64_t seed)
{
    const moving_figure *ma = &s->moving[a], *mb = &s->moving[b];
    const double band = BAND * moving_figures_size(ma, mb);
    const double late = fmax(s->drift[a] > 0.0 ? s->interval[a] : 0.0, s->drift[b] > 0.0 ? s->interval[b] : 0.0);
    touches t;
    moving_figures_touch(ma, mb, s->end, false, &t);
    if (t.near) {
        ++sum->near;
        return;
    }
    int next = 0;
    for (int i = 0; i < got->count; ++i) {
        if (!is_of(&got->reported[i], a, b))
            continue;
        const double time = got->reported[i].time;
        CHECK(moving_figures_distance(ma, mb, time) <= band, "%d %d are reported at %.17g, but are %g apart", a, b,
              time, moving_figures_distance(ma, mb, time));
        while (next < t.count && !(t.times[next] + late * (1.0 + 1e-9) + t.slack[next] + 1e-9 * s->end >= time))
            ++next;
        CHECK(next < t.count && t.times[next] <= time + t.slack[next] + 1e-9 * s->end,
              "%d %d are reported at %.17g, late or twice: began at %.17g", a, b, time,
              next < t.count ? t.times[next] : -1.0);
        t.slack[next++] = -1.0; /* reported */
        ++sum->drifts;
    }
    for (int i = 0; i < t.count; ++i) {
        bool lasts = t.slack[i] >= 0.0 && t.times[i] + late < s->end;
        for (int k = 0; k <= 64 && lasts; ++k)
            lasts = moving_figures_distance(ma, mb, t.times[i] + 1e-9 * s->end + late * k / 64.0) <= -band;
        CHECK(!lasts, "%d (%s) and %d (%s) meet at %.17g, and are not reported within %g", a,
              figure_names[ma->figure->kind], b, figure_names[mb->figure->kind], t.times[i], late);
        sum->missed += t.slack[i] >= 0.0 && t.times[i] + late < s->end;
    }
}

/* Who is polled: exactly what a test at each multiple shows. */
static void judge_poll(const script *s, int a, int b, const stream *got, tally *sum, uint64_t seed)
{
    const moving_figure *ma = &s->moving[a], *mb = &s->moving[b];
    const double band = BAND * moving_figures_size(ma, mb);
    const double poll =
        s->poll[a] > 0.0 && s->poll[b] > 0.0 ? fmin(s->poll[a], s->poll[b]) : fmax(s->poll[a], s->poll[b]);
    bool in = false;
    int at = 0;
    for (long k = 0; (double)k * poll <= s->end; ++k) {
        const double time = (double)k * poll, apart = moving_figures_distance(ma, mb, time);
        if (fabs(apart) < band) {
            ++sum->near;
            return;
        }
        for (; at < got->count && (!is_of(&got->reported[at], a, b) || got->reported[at].time < time); ++at)
            CHECK(!is_of(&got->reported[at], a, b),
                  "%d %d are reported at %.17g, which is no multiple of %.17g or too late", a, b,
                  got->reported[at].time, poll);
        const bool reported = at < got->count && got->reported[at].time == time;
        CHECK(reported == (apart < 0.0 && !in), "%d (%s) and %d (%s): reported %d, apart %g at %.17g", a,
              figure_names[ma->figure->kind], b, figure_names[mb->figure->kind], reported, apart, time);
        sum->polls += reported;
        at += reported;
        in = apart < 0.0;
    }
}

static bool moves(const tact_motion *m)
{
    return length(m->velocity) > 0.0 || length(m->acceleration) > 0.0 || length(m->spin) > 0.0;
}

static void judge_script(const script *s, tally *sum, uint64_t seed)
{
    static stream once, other;
    dice d = dice_for(seed, 18, 0);
    sum->asked += play(s, GUIDED, NULL, &once, seed);
    for (manner how = ASKED; how <= STARVED; ++how) {
        (void)play(s, how, &d, &other, seed);
        CHECK(once.count == other.count && memcmp(&once, &other, sizeof once) == 0,
              "another stream in manner %d: %d, %d", (int)how, once.count, other.count);
    }
    for (int a = 0; a < s->count; ++a)
        sum->most += s->drift[a] > 0.0 ? (long)(s->end / s->interval[a]) : 0;
    for (int a = 0; a < s->count; ++a)
        for (int b = a + 1; b < s->count; ++b) {
            const bool drift = s->drift[a] > 0.0 || s->drift[b] > 0.0, poll = s->poll[a] > 0.0 || s->poll[b] > 0.0;
            if (!moves(&s->moving[a].motion) && !moves(&s->moving[b].motion))
                continue;
            ++sum->pairs;
            if (poll)
                judge_poll(s, a, b, &once, sum, seed);
            else if (drift)
                judge_drift(s, a, b, &once, sum, seed);
        }
}

static void deviating_bodies_are_located(void **state)
{
    (void)state;
    static script s;
    tally sum = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(8, 900); ++seed) {
        script_roll(&s, seed);
        for (int i = 0; i < 2; ++i) {
            s.engine = i == 0 ? TACT_KINETIC_FAT_BOUNDS : TACT_KINETIC_SWEEP_AND_PRUNE;
            judge_script(&s, &sum, seed);
        }
        script_free(&s);
    }
    print_message("%ld pairs, %ld near; %ld touches with who drifts, %ld shorter ones missed; %ld with who is polled; "
                  "%ld questions, "
                  "%ld at that rate\n",
                  sum.pairs, sum.near, sum.drifts, sum.missed, sum.polls, sum.asked, sum.most);
    if (!few_cases())
        assert_true(sum.drifts > 5 && sum.polls > 24 && 10 * sum.near < sum.pairs && 3 * sum.asked < sum.most);
}

/* ---- cases ---- */

typedef struct stage {
    tact_world *world;
    tact_shape *ball, *wall;
    tact_body a, b;
} stage;

/* A ball of radius 1 at the origin, and a wall whose side is at x = 10. */
static stage set_stage(void)
{
    stage s = {tact_world_create(NULL), tact_sphere(1.0), tact_box(2.0, 20.0, 20.0), {0, 0}, {0, 0}};
    s.a = tact_body_create(s.world, &(tact_body_def){.shape = s.ball});
    s.b = tact_body_create(s.world, &(tact_body_def){.shape = s.wall, .transform = tact_at(11.0, 0.0, 0.0)});
    return s;
}

static void clear_stage(stage *s)
{
    tact_world_release(s->world);
    tact_shape_release(s->ball);
    tact_shape_release(s->wall);
}

static tact_motion going(double x) { return (tact_motion){.velocity = {x, 0.0, 0.0}}; }

static double x_of(const stage *s) { return tact_body_get_transform(s->world, s->a).origin.x; }

static void after_its_time_a_body_stands_still_or_goes_on(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(2.0), .until = 3.0}),
                     TACT_OK);
    assert_true(tact_body_get_motion_plan(s.world, s.a).until == 3.0 &&
                tact_body_get_motion_plan(s.world, s.a).motion.velocity.x == 2.0);
    assert_int_equal(tact_world_next_event(s.world, 2.0, &e), TACT_EVENT_NONE);
    assert_true(tact_world_get_next_time(s.world) <= 3.0);
    assert_int_equal(tact_world_next_event(s.world, 20.0, &e), TACT_EVENT_MOTION_EXPIRED);
    assert_true(e.time == 3.0 && e.a.index == s.a.index && e.b.generation == 0 && x_of(&s) == 6.0);
    assert_true(tact_body_get_motion(s.world, s.a).velocity.x == 0.0); /* it is not said how it goes on */
    assert_int_equal(tact_world_next_event(s.world, 20.0, &e), TACT_EVENT_NONE);
    assert_true(x_of(&s) == 6.0 && tact_body_get_motion_plan(s.world, s.a).until == 0.0);
    /* again, and it goes on: there are 3 to the wall */
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(1.0), .until = 21.0}),
                     TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 30.0, &e), TACT_EVENT_MOTION_EXPIRED);
    assert_int_equal(tact_body_set_motion(s.world, s.a, going(2.0)), TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 30.0, &e), TACT_EVENT_TOUCH);
    assert_true(fabs(e.time - 22.0) < 1e-9);
    /* another motion before its time: then there is none */
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(-1.0), .until = 23.0}),
                     TACT_OK);
    assert_int_equal(tact_body_set_motion(s.world, s.a, going(-1.0)), TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 30.0, &e), TACT_EVENT_NONE);
    /* at the very time of a touch: the touch comes first */
    assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(0.0, 0.0, 0.0)), TACT_OK);
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(9.0), .until = 31.0}),
                     TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 40.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time <= 31.0);
    assert_int_equal(tact_world_next_event(s.world, 40.0, &e), TACT_EVENT_MOTION_EXPIRED);
    assert_true(e.time == 31.0);
    clear_stage(&s);
}

static void a_motion_plan_is_removed_with_its_body(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(1.0), .until = 1.0}),
                     TACT_OK);
    assert_int_equal(tact_world_advance(s.world, 0.5).status, TACT_OK);
    assert_int_equal(tact_body_remove(s.world, s.a), TACT_OK);
    assert_int_equal(tact_world_test(s.world).status, TACT_OK); /* gives the index again */
    s.a = tact_body_create(s.world, &(tact_body_def){.shape = s.ball, .motion = going(1.0)});
    assert_int_equal(tact_world_next_event(s.world, 5.0, &e), TACT_EVENT_NONE);
    /* one that is asked, removed while it is */
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(1.0), .until = 6.0}),
                     TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 20.0, &e), TACT_EVENT_MOTION_EXPIRED);
    assert_int_equal(tact_body_remove(s.world, e.a), TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 20.0, &e), TACT_EVENT_NONE);
    clear_stage(&s);
}

static void a_bounce_keeps_the_motion_plan(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    assert_int_equal(tact_body_set_mass(s.world, s.a, 1.0), TACT_OK);
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(9.0), .until = 2.0}),
                     TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 5.0, &e), TACT_EVENT_TOUCH);
    assert_int_equal(tact_world_bounce(s.world, &e, 1.0), TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 5.0, &e), TACT_EVENT_MOTION_EXPIRED);
    assert_true(e.time == 2.0 && fabs(x_of(&s)) < 1e-9);
    clear_stage(&s);
}

static void tact_world_advance_lets_bodies_stop(void **state)
{
    (void)state;
    stage s = set_stage();
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.motion = going(2.0), .until = 3.0}),
                     TACT_OK);
    assert_int_equal(tact_world_advance(s.world, 10.0).status, TACT_OK);
    assert_true(x_of(&s) == 6.0 && tact_world_get_time(s.world) == 10.0);
    clear_stage(&s);
}

static void close_to_others_the_transform_is_requested_at_intervals(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    long asked = 0;
    /* it stays 1e-13 off the wall, for ever */
    assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(9.0 - 1e-10, 0.0, 0.0)), TACT_OK);
    assert_int_equal(
        tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.max_deviation_speed = 1.0, .min_interval = 0.01}),
        TACT_OK);
    while (tact_world_next_event(s.world, 1.0, &e) == TACT_EVENT_MOTION_EXPIRED)
        ++asked;
    assert_true(e.status == TACT_OK && e.time == 1.0 && asked > 50 && asked < 150);
    /* and into it: reported once, located again and again, reported again after a separation */
    assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(9.5, 0.0, 0.0)), TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 2.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time == 1.0 && e.normal.x > 0.99);
    while (tact_world_next_event(s.world, 2.0, &e) == TACT_EVENT_MOTION_EXPIRED)
        assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(e.time < 1.5 ? 9.5 : 8.0, 0.0, 0.0)), TACT_OK);
    assert_int_equal(e.kind, TACT_EVENT_NONE);
    while (tact_world_next_event(s.world, 3.0, &e) == TACT_EVENT_MOTION_EXPIRED)
        assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(9.5, 0.0, 0.0)), TACT_OK);
    assert_int_equal(e.kind, TACT_EVENT_TOUCH);
    clear_stage(&s);
}

static void a_lone_body_is_rarely_located(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    long asked = 0;
    assert_int_equal(tact_body_remove(s.world, s.b), TACT_OK);
    assert_int_equal(
        tact_body_set_motion_plan(s.world, s.a, &(tact_motion_plan){.max_deviation_speed = 1.0, .min_interval = 1e-6}),
        TACT_OK);
    while (tact_world_next_event(s.world, 1000.0, &e) == TACT_EVENT_MOTION_EXPIRED)
        ++asked;
    print_message("asked %ld times\n", asked);
    assert_true(e.status == TACT_OK && asked < 60);
    clear_stage(&s);
}

static void bad_callback(void *context, double time, tact_transform *place, tact_motion_plan *next)
{
    const int *how = context;
    if (*how == 0)
        place->origin.x = NAN;
    if (*how == 1)
        next->max_deviation_speed = -1.0;
    if (*how == 2)
        next->motion.velocity.x = INFINITY;
    if (*how == 3)
        next->until = NAN;
    if (*how == 5)
        next->until = time - 0.5;
}

static void invalid_input_is_refused(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    const tact_motion_plan bad[] = {{.until = NAN},
                                    {.until = -1.0},
                                    {.max_deviation_speed = -1.0, .min_interval = 1.0},
                                    {.max_deviation_speed = NAN},
                                    {.max_deviation_speed = INFINITY, .min_interval = 1.0},
                                    {.max_deviation_speed = 1.0},
                                    {.max_deviation_speed = 1.0, .min_interval = INFINITY},
                                    {.min_interval = NAN},
                                    {.motion = {.spin = {NAN, 0.0, 0.0}}}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &bad[i]), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion_plan(NULL, s.a, &(tact_motion_plan){.until = 1.0}), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_motion_plan(s.world, (tact_body){7, 1}, &(tact_motion_plan){.until = 1.0}),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_poll_interval(s.world, s.a, -1.0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_poll_interval(s.world, s.a, NAN), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_set_poll_interval(s.world, (tact_body){7, 1}, 1.0), TACT_BAD_ARGUMENT);
    assert_true(tact_body_get_poll_interval(s.world, (tact_body){7, 1}) == 0.0);
    assert_true(tact_body_get_motion_plan(NULL, s.a).until == 0.0);
    for (int how = 0; how < 6; ++how) {
        if (how == 4)
            continue; /* the good one */
        const double now = tact_world_get_time(s.world);
        int does = how;
        const tact_motion_plan c = {
            .motion = going(-1.0), .until = now + 1.0, .callback = bad_callback, .context = &does};
        assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &c), TACT_OK);
        assert_int_equal(tact_world_next_event(s.world, now + 5.0, &e), TACT_EVENT_NONE);
        assert_true(e.status == TACT_BAD_ARGUMENT && e.time == now + 1.0);
        assert_int_equal(tact_world_next_event(s.world, now + 5.0, &e), TACT_EVENT_NONE);
        assert_true(e.status == TACT_BAD_ARGUMENT && e.time == now + 1.0);
        does = 4;
        assert_int_equal(tact_world_next_event(s.world, now + 5.0, &e), TACT_EVENT_NONE);
        assert_int_equal(e.status, TACT_OK);
    }
    clear_stage(&s);
}

static void polls_are_at_multiples(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    assert_int_equal(tact_body_set_poll_interval(s.world, s.b, 0.25), TACT_OK);
    assert_true(tact_body_get_poll_interval(s.world, s.b) == 0.25);
    assert_int_equal(tact_body_set_motion(s.world, s.a, going(8.5)), TACT_OK); /* touches at 18/17 */
    assert_int_equal(tact_world_next_event(s.world, 9.0, &e), TACT_EVENT_TOUCH);
    assert_true(e.time == 1.25 && e.normal.x > 0.99);
    /* too fast to be seen */
    assert_int_equal(tact_world_next_event(s.world, 9.1, &e), TACT_EVENT_NONE);
    assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(0.0, 0.0, 0.0)), TACT_OK);
    assert_int_equal(tact_body_set_motion(s.world, s.a, going(1000.0)), TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 20.0, &e), TACT_EVENT_NONE);
    /* an interval shorter than one unit of time: time advances all the same */
    assert_int_equal(tact_body_set_poll_interval(s.world, s.b, 1e-300), TACT_OK);
    assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(8.5, 0.0, 0.0)), TACT_OK);
    assert_int_equal(tact_body_set_motion(s.world, s.a, going(-1e15)), TACT_OK);
    assert_int_equal(tact_world_next_event(s.world, 20.000000000000014, &e), TACT_EVENT_TOUCH);
    assert_true(e.time == 20.0);
    assert_int_equal(tact_world_next_event(s.world, 20.000000000000014, &e), TACT_EVENT_NONE);
    assert_int_equal(e.status, TACT_OK);
    clear_stage(&s);
}

/* However short the interval: two that come near, meet and rest on each other are looked at a bounded number of times.
 */
static void short_intervals_do_not_hold_the_time(void **state)
{
    (void)state;
    stage s = set_stage();
    tact_event e;
    assert_int_equal(tact_body_set_poll_interval(s.world, s.b, 1e-300), TACT_OK);
    assert_int_equal(tact_body_set_motion(s.world, s.a, going(1.0)), TACT_OK); /* touches at 9 */
    assert_int_equal(tact_world_next_event(s.world, 20.0, &e), TACT_EVENT_TOUCH);
    assert_true(fabs(e.time - 9.0) < 2e-7);
    assert_int_equal(tact_world_next_event(s.world, 20.0, &e), TACT_EVENT_NONE);
    assert_true(e.status == TACT_OK && e.time == 20.0);
    assert_int_equal(tact_body_set_poll_interval(s.world, s.b, 0.0), TACT_OK);
    assert_int_equal(tact_body_set_transform(s.world, s.a, tact_at(9.5, 0.0, 0.0)), TACT_OK);
    assert_int_equal(tact_body_set_motion_plan(s.world, s.a,
                                               &(tact_motion_plan){.max_deviation_speed = 1.0, .min_interval = 1e-300}),
                     TACT_OK);
    double last = 20.0;
    for (int i = 0; i < 1000 && tact_world_next_event(s.world, 21.0, &e) != TACT_EVENT_NONE; ++i)
        last = e.time;
    assert_true(last > 20.0 + 1e-5);
    clear_stage(&s);
}

typedef struct meddler {
    stage *s;
    int how;
} meddler;

static void meddle(void *context, double time, tact_transform *place, tact_motion_plan *next)
{
    const meddler *m = context;
    (void)place;
    next->until = time + 1.0;
    if (m->how == 0)
        (void)tact_body_set_motion(m->s->world, m->s->a, going(-2.0));
    if (m->how == 1)
        (void)tact_body_remove(m->s->world, m->s->a);
    if (m->how == 2) { /* a new body with its index is another body */
        (void)tact_body_remove(m->s->world, m->s->a);
        m->s->a = tact_body_create(m->s->world, &(tact_body_def){.shape = m->s->ball, .motion = going(1.0)});
    }
    if (m->how == 3)
        tact_world_release(m->s->world);
    if (m->how == 4)
        (void)tact_body_set_motion_plan(m->s->world, m->s->a,
                                        &(tact_motion_plan){.motion = going(3.0), .until = time + 9.0});
    if (m->how == 5)
        (void)tact_body_remove(m->s->world, m->s->b);
}

static void a_motion_callback_that_changes_the_world_does_no_harm(void **state)
{
    (void)state;
    for (int how = 0; how < 6; ++how) {
        stage s = set_stage();
        meddler m = {&s, how};
        tact_event e;
        const tact_motion_plan c = {.motion = going(0.5), .until = 1.0, .callback = meddle, .context = &m};
        assert_int_equal(tact_body_set_motion_plan(s.world, s.a, &c), TACT_OK);
        assert_int_equal(tact_world_next_event(s.world, 1.5, &e), TACT_EVENT_NONE);
        assert_int_equal(e.status, how < 4 ? TACT_BAD_ARGUMENT : TACT_OK);
        m.how = 6;
        assert_int_equal(tact_world_next_event(s.world, 1.6, &e), TACT_EVENT_NONE);
        assert_true(e.status == TACT_OK && e.time == 1.6);
        assert_int_equal(tact_world_body_count(s.world), how == 1 || how == 5 ? 1 : 2);
        clear_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_intervals_do_not_hold_the_time),
        cmocka_unit_test(a_motion_callback_that_changes_the_world_does_no_harm),
        cmocka_unit_test(deviating_bodies_are_located),
        cmocka_unit_test(after_its_time_a_body_stands_still_or_goes_on),
        cmocka_unit_test(a_motion_plan_is_removed_with_its_body),
        cmocka_unit_test(a_bounce_keeps_the_motion_plan),
        cmocka_unit_test(tact_world_advance_lets_bodies_stop),
        cmocka_unit_test(close_to_others_the_transform_is_requested_at_intervals),
        cmocka_unit_test(a_lone_body_is_rarely_located),
        cmocka_unit_test(invalid_input_is_refused),
        cmocka_unit_test(polls_are_at_multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
