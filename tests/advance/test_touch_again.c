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

/* ---- against sampling ---- */

#define SIDE 4
#define SHEET_VERTICES (SIDE * SIDE)
#define SHEET_TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))
#define SAMPLES 600

typedef struct sheet_pair {
    int frames;
    bool second_plays; /* else it is rigid and rests */
    tact_vec3 positions[2][MOST_FRAMES][SHEET_VERTICES];
} sheet_pair;

static void sheet_indices(uint32_t indices[SHEET_TRIANGLES][3])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t j = 0; j + 1 < SIDE; ++j) {
            const uint32_t a = SIDE * i + j;
            memcpy(indices[n++], (const uint32_t[3]){a, a + 1, a + SIDE}, sizeof indices[0]);
            memcpy(indices[n++], (const uint32_t[3]){a + 1, a + SIDE + 1, a + SIDE}, sizeof indices[0]);
        }
}

/* Sheets that deform heavily and move up and down through each other. */
static sheet_pair random_sheets(random_source *r)
{
    sheet_pair s = {.frames = random_between(r, 2, MOST_FRAMES), .second_plays = random_chance(r, 0.5)};
    const double bend = random_range(r, 0.0, 0.6);
    for (int b = 0; b < 2; ++b)
        for (int k = 0; k < s.frames; ++k) {
            const double height = b == 0 ? (k % 2 == 0 ? 1.0 : -1.0) * random_range(r, 0.1, 1.5) : 0.0;
            for (int v = 0; v < SHEET_VERTICES; ++v)
                s.positions[b][k][v] =
                    (tact_vec3){v / SIDE + random_range(r, -bend, bend), height + random_range(r, -bend, bend),
                                v % SIDE + 0.3 * b + random_range(r, -bend, bend)};
            if (k > 0 && ((b == 1 && !s.second_plays) || random_chance(r, 0.1)))
                memcpy(s.positions[b][k], s.positions[b][k - 1], sizeof s.positions[b][k]);
        }
    return s;
}

/* Whether the sheets are apart at a time by static tests: 1, -1 if they overlap, 0 if they are too near to tell. */
static int sampled_state(const sheet_pair *s, double time)
{
    uint32_t indices[SHEET_TRIANGLES][3];
    tact_shape *shapes[2];
    sheet_indices(indices);
    const int k = time < s->frames - 1 ? (int)time : s->frames - 2;
    for (int b = 0; b < 2; ++b) {
        tact_vec3 at[SHEET_VERTICES];
        for (int v = 0; v < SHEET_VERTICES; ++v) {
            const tact_vec3 p = s->positions[b][k][v], q = s->positions[b][k + 1][v];
            const double f = time - k;
            at[v] = (tact_vec3){p.x + f * (q.x - p.x), p.y + f * (q.y - p.y), p.z + f * (q.z - p.z)};
        }
        shapes[b] = tact_mesh(at, SHEET_VERTICES, indices[0], SHEET_TRIANGLES);
    }
    const tact_overlap near = tact_shapes_within(shapes[0], tact_identity(), shapes[1], tact_identity(), 1e-7, NULL);
    const tact_overlap overlap = tact_shapes_overlap(shapes[0], tact_identity(), shapes[1], tact_identity(), NULL);
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
    return near.state == TACT_MISS ? 1 : overlap.state == TACT_HIT ? -1 : 0;
}

static tact_world *sheet_world(const sheet_pair *s, bool wants_features)
{
    uint32_t indices[SHEET_TRIANGLES][3];
    sheet_indices(indices);
    tact_world *world = tact_world_create(NULL);
    for (int b = 0; b < 2; ++b) {
        const bool plays = b == 0 || s->second_plays;
        tact_shape *mesh = tact_mesh(s->positions[b][0], SHEET_VERTICES, indices[0], SHEET_TRIANGLES);
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = plays});
        tact_shape_release(mesh);
        if (!plays)
            continue;
        const tact_animation_def def = {.vertices = {.data = s->positions[b], .count = SHEET_VERTICES},
                                        .frame_count = (size_t)s->frames};
        tact_animation *animation = tact_animation_create(&def, NULL);
        assert_int_equal(tact_body_play(world, body, animation, &(tact_play_def){.speed = 1.0}), TACT_OK);
        assert_int_equal(tact_body_set_feature_events(world, body, wants_features), TACT_OK);
        tact_animation_release(animation);
    }
    return world;
}

static void no_touch_is_missing_or_invented(void **state)
{
    (void)state;
    size_t begun = 0, touches = 0, examined = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(100, 10000); ++seed) {
        random_source r = random_seed(seed ^ 0x77);
        const sheet_pair s = random_sheets(&r);
        tact_world *world = sheet_world(&s, random_chance(&r, 0.5));
        int before = 1; /* as if apart before the start: an overlap then is a touch */
        double last = -1.0;
        for (int i = 0; i <= SAMPLES; ++i) {
            const double time = (s.frames - 1.0) * i / SAMPLES;
            size_t found = 0;
            for (tact_event e; tact_world_next_event(world, time, &e) != TACT_EVENT_NONE;) {
                if (e.kind != TACT_EVENT_TOUCH)
                    continue;
                ++found;
                /* apart at some time since the touch before: the middle is one in nearly all cases, but need not be */
                if (last >= 0.0 && e.time - last > 1e-6) {
                    bool apart = false;
                    for (int n = 1; n < 64 && !apart; ++n)
                        apart = sampled_state(&s, e.time - (e.time - last) * ldexp(1.0, -n)) >= 0;
                    CHECK(apart, "a touch at %a, and no separation since %a", e.time, last);
                    ++examined;
                }
                last = e.time;
            }
            const int now = sampled_state(&s, time);
            CHECK(!(before == 1 && now == -1) || found > 0, "no touch up to %g", time);
            begun += before == 1 && now == -1;
            touches += found;
            before = now != 0 ? now : before;
        }
        tact_world_release(world);
    }
    print_message("%zu touches, %zu seen by samples, %zu again\n", touches, begun, examined);
    assert_true(few_cases() || (touches > 110 && begun > 110 && examined > 60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_touch_is_reported),
                                       cmocka_unit_test(no_touch_is_missing_or_invented)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
