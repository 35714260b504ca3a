/*
 * `tact-bench frames`: what engines with discrete detection miss, and what avoiding that costs. The bodies have size 1
 * and move 20 to 60 per second, so that at 60 Hz two bodies move up to 2 sizes relative to each other per frame. All
 * libraries get the same transforms. Collisions are detected only; there is no response.
 *
 * The reference is tact_world_next_event. It is checked: for spheres by the roots of all pairs in long double, in the
 * same run; for such scenes by the oracle of the unit tests (tests/bench/internal_bench_frames.c); and no pair that
 * Tact finds overlapping in a frame may be without an earlier touch. A touch is missed if the pair is not reported in
 * any frame between that touch and the next touch of the pair (or the end). A false positive is a pair reported in a
 * frame in which the exact test of the library finds it separated.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/query.h>

#include "frames_tact.h"
#include "math/vec.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"

#define MAX_ROUNDS 9

static const frames_runner *const runners[] = {
    &tact_frames_continuous,  &tact_frames_discrete,
#ifdef TACT_HAVE_BULLET
    &tact_frames_bullet_tree, &tact_frames_bullet_sweep, &tact_frames_bullet_casts,
#endif
#ifdef TACT_HAVE_ODE
    &tact_frames_ode_hash,    &tact_frames_ode_sweep,
#endif
};

enum { RUNNERS = sizeof runners / sizeof runners[0], CONTINUOUS = 0, DISCRETE = 1, TACT_RUNNERS = 2 };

typedef struct frames_result {
    double ns; /* all frames, median of the rounds */
    long missed, wrong;
} frames_result;

typedef struct true_touches {
    frames_touch *touches;
    size_t count;
} true_touches;

/* The last touch of the pair at or before a time, or NULL. */
static frames_touch *last_touch(const true_touches *t, uint64_t pair, double time)
{
    size_t low = 0,
           high = t->count; /* touches before `low` are of smaller pairs, or of this pair and not after the time */
    while (low < high) {
        const size_t centre = low + (high - low) / 2;
        const frames_touch *m = &t->touches[centre];
        if (m->pair < pair || (m->pair == pair && m->time <= time))
            low = centre + 1;
        else
            high = centre;
    }
    return low > 0 && t->touches[low - 1].pair == pair ? &t->touches[low - 1] : NULL;
}

/* Does the pair overlap in the frame? */
static bool is_overlap(const frames_scene *s, const tact_transform *transforms, uint64_t pair)
{
    const int a = (int)(pair >> 32), b = (int)(pair & UINT32_MAX);
    return tact_shapes_overlap(frames_shape_of(s, a)->shape, transforms[a], frames_shape_of(s, b)->shape, transforms[b],
                               NULL)
               .state == TACT_HIT;
}

static void transform_all(const frames_scene *s, double time, tact_transform *transforms)
{
    for (int i = 0; i < s->count; i++)
        transforms[i] = tact_motion_at(s->motions[i], s->transforms[i], time);
}

/* Marks the touches that a frame reports and counts its false positives. */
static void check_frame(const frames_scene *s, true_touches *t, int runner, double time,
                        const tact_transform *transforms, const frames_pairs *pairs, frames_result *o)
{
    for (size_t i = 0; i < pairs->count; i++) {
        frames_touch *touch = last_touch(t, pairs->items[i], time);
        while (runner == CONTINUOUS && touch != NULL && touch > t->touches && touch[-1].pair == touch->pair &&
               !touch[-1].found)
            --touch; /* each touch is reported once, several possibly in one frame */
        if (touch != NULL)
            touch->found = true;
        if (runner != CONTINUOUS)
            o->wrong += !is_overlap(s, transforms, pairs->items[i]);
        else
            o->wrong += touch == NULL;
    }
}

/* Runs all frames; checks the reported pairs if `checked`. Returns ns, negative on failure. */
static double play(const frames_scene *s, true_touches *t, int runner, double hz, bool checked, frames_result *o)
{
    const frames_runner *r = runners[runner];
    tact_transform *transforms = malloc((size_t)s->count * sizeof *transforms);
    void *state = transforms != NULL ? r->create(s, hz) : NULL;
    frames_pairs pairs = {0};
    double ns = 0.0;
    for (long frame = 0; state != NULL && (double)frame <= s->end * hz + 1e-9; frame++) {
        const double time = (double)frame / hz;
        transform_all(s, time, transforms);
        pairs.count = 0;
        const double before = tact_stopwatch_now();
        r->play(state, frame, transforms, &pairs);
        ns += tact_stopwatch_now() - before;
        if (checked)
            check_frame(s, t, runner, time, transforms, &pairs, o);
    }
    if (state != NULL)
        r->finish(state);
    const bool done = state != NULL && !pairs.failed;
    free(pairs.items);
    free(transforms);
    return done ? ns : -1.0;
}

static int by_size(const void *one, const void *other)
{
    const double x = *(const double *)one, y = *(const double *)other;
    return (x > y) - (x < y);
}

static bool race(const frames_scene *s, true_touches *t, double hz, int rounds, frames_result results[RUNNERS])
{
    double times[RUNNERS][MAX_ROUNDS];
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < RUNNERS; k++) {
            if (runners[k]->convex_only && frames_has(s, FRAMES_RING))
                continue;
            if (round == 0) {
                results[k] = (frames_result){0};
                for (size_t i = 0; i < t->count; i++)
                    t->touches[i].found = false;
            }
            times[k][round] = play(s, t, k, hz, round == 0, &results[k]);
            if (times[k][round] < 0.0)
                return false;
            for (size_t i = 0; round == 0 && i < t->count; i++)
                results[k].missed += !t->touches[i].found;
        }
    }
    for (int k = 0; k < RUNNERS; k++) {
        if (runners[k]->convex_only && frames_has(s, FRAMES_RING))
            continue;
        qsort(times[k], (size_t)rounds, sizeof times[k][0], by_size);
        results[k].ns = times[k][rounds / 2];
    }
    return true;
}

/* ---- all pairs of spheres ---- */

/* Time of impact of two spheres separated at time 0; INFINITY: none. */
static long double sphere_toi(const frames_scene *s, int a, int b)
{
    const tact_vec3 p = s->transforms[a].origin, q = s->transforms[b].origin;
    const tact_vec3 u = s->motions[a].velocity, v = s->motions[b].velocity;
    const long double d[3] = {(long double)q.x - p.x, (long double)q.y - p.y, (long double)q.z - p.z};
    const long double w[3] = {(long double)v.x - u.x, (long double)v.y - u.y, (long double)v.z - u.z};
    const long double radii = (long double)frames_shape_of(s, a)->radius + frames_shape_of(s, b)->radius;
    long double dd = 0.0L, dw = 0.0L, ww = 0.0L;
    for (int i = 0; i < 3; i++) {
        dd += d[i] * d[i];
        dw += d[i] * w[i];
        ww += w[i] * w[i];
    }
    const long double square = dw * dw - ww * (dd - radii * radii);
    return dw < 0.0L && square >= 0.0L ? (dd - radii * radii) / (sqrtl(square) - dw) : (long double)INFINITY;
}

/* Number of touches without a root and roots without a touch, grazing contacts included. */
static long check_spheres(const frames_scene *s, const true_touches *t)
{
    long wrong = 0;
    size_t expected = 0;
    for (int a = 0; a < s->count; a++) {
        for (int b = a + 1; b < s->count; b++) {
            const long double time = sphere_toi(s, a, b);
            if (!(time <= (long double)s->end))
                continue;
            ++expected;
            const frames_touch *touch = last_touch(t, (uint64_t)a << 32 | (uint64_t)b, INFINITY);
            wrong += touch == NULL || fabsl((long double)touch->time - time) > 1e-9L;
        }
    }
    return wrong + labs((long)expected - (long)t->count);
}

bool tact_bench_frames(const suite *s)
{
    static const struct {
        const char *name;
        unsigned kinds;
    } scenes[] = {{"spheres", 1u << FRAMES_SPHERE},
                  {"boxes", 1u << FRAMES_BOX},
                  {"hulls", 1u << FRAMES_HULL},
                  {"rings", 1u << FRAMES_RING},
                  {"mixed", (1u << FRAMES_KINDS) - 1}};
    static const double hertz[] = {60.0, 1000.0};
    const int count = suite_size(s, 1000, 300, 40), rounds = suite_size(s, 5, 3, 1);
    json_t *table = tact_table_begin(
        "Frames: small fast bodies, collision detection only",
        "scene|Hz|library|ms per simulated second|times Tact|touches|missed|missed, %|false positives");
    bool done = true;
    for (size_t k = 0; done && k < sizeof scenes / sizeof scenes[0]; k++) {
        frames_scene scene;
        true_touches t = {0};
        done = tact_frames_create(&scene, count, scenes[k].kinds, s->seed);
        const bool made = done;
        done = done && tact_frames_touches(&scene, &t.touches, &t.count);
        *s->wrong += done && scenes[k].kinds == 1u << FRAMES_SPHERE ? check_spheres(&scene, &t) : 0;
        for (size_t h = 0; done && h < sizeof hertz / sizeof hertz[0]; h++) {
            frames_result o[RUNNERS];
            memset(o, 0, sizeof o);
            done = race(&scene, &t, hertz[h], rounds, o);
            *s->wrong += done ? o[CONTINUOUS].missed + o[CONTINUOUS].wrong + o[DISCRETE].wrong : 0;
            for (int r = 0; done && r < RUNNERS; r++) {
                if (runners[r]->convex_only && frames_has(&scene, FRAMES_RING))
                    continue;
                tact_table_row(table, "sdsffddfd", scenes[k].name, (long)hertz[h], runners[r]->name,
                               o[r].ns / 1e6 / scene.end, o[r].ns / o[CONTINUOUS].ns, (long)t.count, o[r].missed,
                               t.count > 0 ? 100.0 * (double)o[r].missed / (double)t.count : 0.0, o[r].wrong);
            }
        }
        free(t.touches);
        if (made)
            tact_frames_release(&scene);
    }
    tact_table_note(
        table,
        "%d bodies of size 1, speed 20 to 60 per second, %.1f s; one thread; median of %d interleaved rounds. Missed: "
        "touches not reported in any frame. False positives: reported pairs that are separated in that frame.",
        count, 0.5, rounds);
#ifdef TACT_HAVE_BULLET
    tact_table_note(
        table, "Bullet, single precision: btCollisionWorld with its dynamic tree, with its sweep and prune, or with "
               "the tree and convexSweepTest from frame to frame, which assumes that the other bodies do not move.");
#else
    tact_table_note(table, "Bullet was not found when tact-bench was built.");
#endif
#ifdef TACT_HAVE_ODE
    tact_table_note(table,
                    "ODE, double precision: its hash space or its sweep and prune space, and dCollide for each pair.");
#else
    tact_table_note(table, "ODE was not found when tact-bench was built.");
#endif
    return tact_table_end(s, "frames", table) && done;
}
