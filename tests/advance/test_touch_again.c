/*
 * Bodies with moving vertices that separate and touch again, by the public API: every touch is reported, however short
 * the time between two of them. A blade falls along a row of vertical plates with random heights and gaps, and rests on
 * their edges; the times are those of closed forms. Worlds that are saved and restored on the way go on with the same
 * events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"

#define MOST_PLATES 12
#define MOST_FRAMES 6

typedef struct plate_scene {
    int plates, frames;
    double top[MOST_PLATES], bottom[MOST_PLATES];    /* heights, downward */
    double times[MOST_FRAMES], heights[MOST_FRAMES]; /* of the blade, a horizontal triangle */
    bool deforms;                                    /* the plates are deformable, too */
    bool wants_features;
    int steps; /* in which time advances; 0: at once */
    int saved; /* the step after which the world is saved and restored */
} plate_scene;

static plate_scene random_scene(random_source *r)
{
    plate_scene s = {.plates = random_between(r, 1, MOST_PLATES), .frames = random_between(r, 2, MOST_FRAMES)};
    double y = -0.5;
    for (int i = 0; i < s.plates; ++i) {
        s.top[i] = y;
        y -= random_range(r, 0.05, 2.0);
        s.bottom[i] = y;
        y -= random_chance(r, 0.3) ? random_range(r, 1e-5, 1e-3) : random_range(r, 0.05, 1.0);
    }
    s.times[0] = s.heights[0] = 0.0;
    for (int k = 1; k < s.frames; ++k) { /* down, and sometimes up again */
        s.times[k] = s.times[k - 1] + random_range(r, 0.2, 2.0);
        s.heights[k] =
            random_chance(r, 0.7) ? y * k / (s.frames - 1) * random_range(r, 0.7, 1.1) - 0.01 : random_range(r, y, 0.0);
        const int plate = random_between(r, 0, s.plates - 1);
        if (random_chance(r, 0.3))
            s.heights[k] = random_chance(r, 0.7) ? s.top[plate] : s.bottom[plate];
        if (random_chance(r, 0.2))
            s.heights[k] = s.heights[k - 1];
    }
    s.deforms = random_chance(r, 0.3);
    s.wants_features = random_chance(r, 0.5);
    s.steps = random_chance(r, 0.5) ? 0 : random_between(r, 1, 40);
    s.saved = random_between(r, 1, 40);
    return s;
}

/* The times at which the blade comes to a plate, from above or from below. Returns their number. */
static int expected_touches(const plate_scene *s, double *times)
{
    int count = 0;
    for (int k = 0; k + 1 < s->frames; ++k) {
        const double y0 = s->heights[k], y1 = s->heights[k + 1];
        const bool down = y1 < y0;
        for (int n = 0; n < s->plates; ++n) {
            const int i = down ? n : s->plates - 1 - n;
            const double at = down ? s->top[i] : s->bottom[i]; /* passed at this height */
            if (down ? y0 > at && y1 <= at : y0 < at && y1 >= at)
                times[count++] = s->times[k] + (s->times[k + 1] - s->times[k]) * ((y0 - at) / (y0 - y1));
        }
    }
    return count;
}

static tact_shape *plates_mesh(const plate_scene *s)
{
    tact_vec3 vertices[4 * MOST_PLATES];
    uint32_t indices[2 * MOST_PLATES][3];
    for (int i = 0; i < s->plates; ++i) {
        const uint32_t a = 4 * (uint32_t)i;
        vertices[a] = (tact_vec3){-1.0, s->top[i], 0.1};
        vertices[a + 1] = (tact_vec3){1.0, s->top[i], 0.1};
        vertices[a + 2] = (tact_vec3){1.0, s->bottom[i], 0.1};
        vertices[a + 3] = (tact_vec3){-1.0, s->bottom[i], 0.1};
        memcpy(indices[2 * i], (const uint32_t[3]){a, a + 1, a + 2}, sizeof indices[0]);
        memcpy(indices[2 * i + 1], (const uint32_t[3]){a, a + 2, a + 3}, sizeof indices[0]);
    }
    return tact_mesh(vertices, 4 * (size_t)s->plates, indices[0], 2 * (size_t)s->plates);
}

static tact_world *make_world(const plate_scene *s)
{
    tact_vec3 frames[3 * MOST_FRAMES];
    for (int k = 0; k < s->frames; ++k) {
        frames[3 * k] = (tact_vec3){-0.3, s->heights[k], -0.5};
        frames[3 * k + 1] = (tact_vec3){0.4, s->heights[k], -0.4};
        frames[3 * k + 2] = (tact_vec3){0.1, s->heights[k], 0.6};
    }
    tact_world *world = tact_world_create(NULL);
    tact_shape *triangle = tact_mesh(frames, 3, (const uint32_t[3]){0, 1, 2}, 1), *plates = plates_mesh(s);
    const tact_body blade = tact_body_create(world, &(tact_body_def){.shape = triangle, .deformable = true});
    tact_body_create(world, &(tact_body_def){.shape = plates, .deformable = s->deforms});
    tact_shape_release(triangle);
    tact_shape_release(plates);
    tact_animation *fall = tact_animation_create(&(tact_animation_def){.vertices = {.data = frames, .count = 3},
                                                                       .frame_count = (size_t)s->frames,
                                                                       .times = s->times},
                                                 NULL);
    assert_int_equal(tact_body_play(world, blade, fall, &(tact_play_def){.speed = 1.0}), TACT_OK);
    assert_int_equal(tact_body_set_feature_events(world, blade, s->wants_features), TACT_OK);
    tact_animation_release(fall);
    return world;
}

/* Replaces a world by itself, saved and restored. */
static tact_world *renew(tact_world *world)
{
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world *restored = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(restored);
    tact_bytes_release(&bytes);
    tact_world_release(world);
    return restored;
}

static void every_touch_is_reported(void **state)
{
    (void)state;
    size_t touches = 0, short_gaps = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(300, 30000); ++seed) {
        random_source r = random_seed(seed);
        const plate_scene s = random_scene(&r);
        double expected[MOST_PLATES * MOST_FRAMES];
        const int count = expected_touches(&s, expected);
        tact_world *world = make_world(&s), *twin = make_world(&s); /* the latter is not saved */
        const double end = s.times[s.frames - 1] + 1.0;
        int found = 0;
        tact_event e;
        for (int step = 1; step <= (s.steps > 0 ? s.steps : 1); ++step) {
            const double until = s.steps > 0 ? end * step / s.steps : end;
            for (tact_event other; tact_world_next_event(world, until, &e) != TACT_EVENT_NONE;) {
                CHECK(tact_world_next_event(twin, until, &other) == e.kind && other.time == e.time &&
                          memcmp(&other.point, &e.point, sizeof e.point) == 0,
                      "event at %a, not saved at %a", e.time, other.time);
                if (e.kind != TACT_EVENT_TOUCH)
                    continue;
                CHECK(found < count && fabs(e.time - expected[found]) < 1e-9, "touch %d of %d at %g", found, count,
                      e.time);
                short_gaps += found > 0 && expected[found] - expected[found - 1] < 0.1;
                ++found;
            }
            CHECK(e.status == TACT_OK && tact_world_next_event(twin, until, &e) == TACT_EVENT_NONE, "end");
            if (step == s.saved)
                world = renew(world);
        }
        CHECK(found == count, "%d touches of %d", found, count);
        touches += (size_t)found;
        tact_world_release(world);
        tact_world_release(twin);
    }
    print_message("%zu touches, %zu shortly after another\n", touches, short_gaps);
    assert_true(few_cases() || (touches > 600 && short_gaps > 60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_touch_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
