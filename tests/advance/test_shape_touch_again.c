/*
 * Rigid bodies in true motion (curved, rounded, spinning or accelerated) and sheets that deform, by the public API:
 * every touch is reported, also shortly after a separation. Compared with static queries at many times, with positions
 * that the test computes itself (but those of bodies with a mass, which tumble); and with closed forms, for separations
 * from ten times the stated limit on.
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

#define MOST_FRAMES 6
#define SIDE 4
#define VERTICES (SIDE * SIDE)
#define TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))
#define SAMPLES 400
#define APART 1e-6 /* a length: farther apart they are certainly separated */

typedef struct shape_scene {
    int frames;
    tact_vec3 positions[MOST_FRAMES][VERTICES];
    double margin; /* of the sheet */
    tact_shape *shape;
    tact_transform at;
    tact_motion motion;
    bool massive; /* it turns as a free rigid body */
} shape_scene;

static void sheet_indices(uint32_t indices[TRIANGLES][3])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t j = 0; j + 1 < SIDE; ++j) {
            const uint32_t a = SIDE * i + j;
            memcpy(indices[n++], (const uint32_t[3]){a, a + 1, a + SIDE}, sizeof indices[0]);
            memcpy(indices[n++], (const uint32_t[3]){a + 1, a + SIDE + 1, a + SIDE}, sizeof indices[0]);
        }
}

static tact_shape *sheet_mesh(const tact_vec3 *positions, double margin)
{
    uint32_t indices[TRIANGLES][3];
    sheet_indices(indices);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = positions, .count = VERTICES};
    def.indices = indices[0];
    def.index_count = 3 * (size_t)TRIANGLES;
    def.margin = margin;
    return tact_mesh_create(&def, NULL);
}

static tact_vec3 random_vec(random_source *r, double size)
{
    return (tact_vec3){random_range(r, -size, size), random_range(r, -size, size), random_range(r, -size, size)};
}

static tact_shape *rounded(tact_shape *shape, double margin)
{
    tact_shape *made = tact_rounded(shape, margin);
    tact_shape_release(shape);
    return made;
}

static tact_shape *random_shape(random_source *r)
{
    tact_vec3 points[8];
    for (int i = 0; i < 8; ++i)
        points[i] = random_vec(r, 0.5);
    switch (random_between(r, 0, 6)) {
    case 0:
        return tact_sphere(random_range(r, 0.05, 0.8));
    case 1:
        return tact_box(random_range(r, 0.1, 1.0), random_range(r, 0.1, 1.0), random_range(r, 0.1, 1.0));
    case 2:
        return tact_capsule(random_range(r, 0.05, 0.4), random_range(r, 0.1, 1.0));
    case 3:
        return tact_hull(points, 8);
    case 4:
        return rounded(tact_box(random_range(r, 0.1, 0.8), random_range(r, 0.1, 0.8), random_range(r, 0.1, 0.8)),
                       random_range(r, 0.01, 0.2));
    case 5:
        return tact_cone(random_range(r, 0.1, 0.5), random_range(r, 0.2, 0.9));
    default: {
        tact_shape *faces = tact_mesh(points, 8, (const uint32_t[]){0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 0}, 4);
        return faces;
    }
    }
}

/* A sheet that deforms heavily and moves up and down past the body. */
static shape_scene random_scene(random_source *r)
{
    shape_scene s = {.frames = random_between(r, 2, MOST_FRAMES)};
    const double bend = random_range(r, 0.0, 0.6);
    for (int k = 0; k < s.frames; ++k) {
        const double height = (k % 2 == 0 ? 1.0 : -1.0) * random_range(r, 0.1, 1.5);
        const tact_vec3 slide = random_vec(r, random_chance(r, 0.5) ? 0.0 : 1.0);
        for (int v = 0; v < VERTICES; ++v)
            s.positions[k][v] = (tact_vec3){v / SIDE - 1.5 + slide.x + random_range(r, -bend, bend),
                                            height + random_range(r, -bend, bend),
                                            v % SIDE - 1.5 + slide.z + random_range(r, -bend, bend)};
        if (k > 0 && random_chance(r, 0.1))
            memcpy(s.positions[k], s.positions[k - 1], sizeof s.positions[k]);
    }
    s.margin = random_chance(r, 0.25) ? random_range(r, 0.01, 0.1) : 0.0;
    s.shape = random_shape(r);
    s.at = tact_at(random_range(r, -0.5, 0.5), random_range(r, -0.5, 0.5), random_range(r, -0.5, 0.5));
    if (random_chance(r, 0.7))
        s.motion.velocity = random_vec(r, 0.5);
    if (random_chance(r, 0.5))
        s.motion.acceleration = random_vec(r, 0.5);
    if (random_chance(r, 0.5))
        s.motion.spin = random_vec(r, random_chance(r, 0.5) ? 2.0 : 20.0);
    s.massive = random_chance(r, 0.4) && tact_shape_get_type(s.shape) != TACT_MESH;
    if (s.massive)
        s.motion.acceleration = (tact_vec3){0.0, 0.0, 0.0};
    return s;
}

/* Whether both are apart at a time by static tests: 1, -1 if they overlap, 0 if they are too near to tell. */
static int sampled_state(const shape_scene *s, const tact_world *world, tact_body body, double time)
{
    tact_vec3 at[VERTICES];
    const int k = time < s->frames - 1 ? (int)time : s->frames - 2;
    for (int v = 0; v < VERTICES; ++v) {
        const tact_vec3 p = s->positions[k][v], q = s->positions[k + 1][v];
        const double f = time - k;
        at[v] = (tact_vec3){p.x + f * (q.x - p.x), p.y + f * (q.y - p.y), p.z + f * (q.z - p.z)};
    }
    tact_shape *sheet = sheet_mesh(at, s->margin);
    const tact_transform transform =
        s->massive ? tact_body_get_transform(world, body) : tact_motion_at(s->motion, s->at, time);
    const tact_overlap near = tact_shapes_within(sheet, tact_identity(), s->shape, transform, APART, NULL);
    const tact_overlap overlap = tact_shapes_overlap(sheet, tact_identity(), s->shape, transform, NULL);
    tact_shape_release(sheet);
    return near.state == TACT_MISS ? 1 : overlap.state == TACT_HIT ? -1 : 0;
}

static tact_world *make_world(const shape_scene *s, tact_body *rigid)
{
    tact_world *world = tact_world_create(NULL);
    tact_shape *mesh = sheet_mesh(s->positions[0], s->margin);
    const tact_body sheet = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true});
    const tact_body body = tact_body_create(world, &(tact_body_def){.shape = s->shape, .transform = s->at});
    tact_shape_release(mesh);
    if (s->massive)
        assert_int_equal(tact_body_set_mass(world, body, 1.0), TACT_OK);
    assert_int_equal(tact_body_set_motion(world, body, s->motion), TACT_OK);
    *rigid = body;
    tact_animation *animation = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = s->positions, .count = VERTICES}, .frame_count = (size_t)s->frames},
        NULL);
    assert_int_equal(tact_body_play(world, sheet, animation, &(tact_play_def){.speed = 1.0}), TACT_OK);
    tact_animation_release(animation);
    return world;
}

static void no_touch_is_missing_or_invented(void **state)
{
    (void)state;
    size_t begun = 0, touches = 0, again = 0, of_massive = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(160, 6000); ++seed) {
        random_source r = random_seed(seed ^ 0x5a17);
        shape_scene s = random_scene(&r);
        tact_body body;
        tact_world *world = make_world(&s, &body);
        int before = 1; /* as if apart before the start: an overlap then is a touch */
        double last = -1.0;
        for (int i = 0; i <= SAMPLES; ++i) {
            const double time = (s.frames - 1.0) * i / SAMPLES;
            size_t found = 0;
            for (tact_event e; tact_world_next_event(world, time, &e) != TACT_EVENT_NONE;) {
                if (e.kind != TACT_EVENT_TOUCH)
                    continue;
                ++found;
                again += last >= 0.0;
                last = e.time;
            }
            assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
            const int now = sampled_state(&s, world, body, time);
            CHECK(!(before == 1 && now == -1) || found > 0, "no touch up to %g", time);
            begun += before == 1 && now == -1;
            touches += found;
            of_massive += s.massive ? found : 0;
            before = now != 0 ? now : before;
        }
        tact_world_release(world);
        tact_shape_release(s.shape);
    }
    print_message("%zu touches, %zu seen by samples, %zu again, %zu of massive bodies\n", touches, begun, again,
                  of_massive);
    assert_true(few_cases() || (touches > 110 && begun > 110 && again > 60 && of_massive > 40));
}

/* ---- against closed forms ---- */

#define MOST_PLATES 12

/* A segment that accelerates upward, through vertical plates with narrow gaps that fall. Each plate is a touch. */
static void short_separations_count(void **state)
{
    (void)state;
    size_t touches = 0, narrow = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 2000); ++seed) {
        random_source r = random_seed(seed ^ 0x91a7e);
        const int plates = random_between(&r, 2, MOST_PLATES);
        const double speed = random_range(&r, 0.5, 2.0), acceleration = random_range(&r, 0.1, 1.0), duration = 40.0;
        tact_vec3 frames[2 * 4 * MOST_PLATES];
        uint32_t indices[6 * MOST_PLATES];
        double expected[MOST_PLATES], gaps[MOST_PLATES], y = random_range(&r, 0.1, 1.0);
        for (int i = 0; i < plates; ++i) {
            const double bottom = y, top = bottom + random_range(&r, 0.01, 1.0);
            gaps[i] = exp(random_range(&r, log(1e-6), log(0.1)));
            y = top + gaps[i];
            expected[i] = (sqrt(speed * speed + 2.0 * acceleration * bottom) - speed) / acceleration;
            for (int k = 0; k < 2; ++k)
                for (int v = 0; v < 4; ++v)
                    frames[(k * plates + i) * 4 + v] =
                        (tact_vec3){v % 2 == 0 ? -1.0 : 1.0, (v < 2 ? bottom : top) - k * speed * duration, 0.1};
            const uint32_t a = 4 * (uint32_t)i;
            memcpy(indices + 6 * i, (const uint32_t[6]){a, a + 1, a + 2, a + 1, a + 3, a + 2}, 6 * sizeof *indices);
        }
        tact_world *world = tact_world_create(NULL);
        tact_shape *mesh = tact_mesh(frames, 4 * (size_t)plates, indices, 2 * (size_t)plates);
        tact_shape *segment = tact_segment((tact_vec3){0.1, 0.0, -0.4}, (tact_vec3){0.0, 0.0, 0.7});
        const tact_body sheet = tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true});
        const tact_body body = tact_body_create(world, &(tact_body_def){.shape = segment});
        tact_animation *fall =
            tact_animation_create(&(tact_animation_def){.vertices = {.data = frames, .count = 4 * (size_t)plates},
                                                        .frame_count = 2,
                                                        .times = (double[]){0.0, duration}},
                                  NULL);
        tact_shape_release(mesh);
        tact_shape_release(segment);
        assert_int_equal(tact_body_set_motion(world, body, (tact_motion){.acceleration = {0.0, acceleration, 0.0}}),
                         TACT_OK);
        assert_int_equal(tact_body_play(world, sheet, fall, &(tact_play_def){.speed = 1.0}), TACT_OK);
        tact_animation_release(fall);
        int found = 0;
        for (tact_event e; tact_world_next_event(world, duration, &e) != TACT_EVENT_NONE;) {
            if (e.kind != TACT_EVENT_TOUCH)
                continue;
            CHECK(found < plates && fabs(e.time - expected[found]) < 1e-8, "touch %d of %d at %.17g", found, plates,
                  e.time);
            narrow += found > 0 && gaps[found - 1] < 1e-4;
            ++found;
        }
        CHECK(found == plates, "%d touches of %d", found, plates);
        touches += (size_t)found;
        tact_world_release(world);
    }
    print_message("%zu touches, %zu shortly after another\n", touches, narrow);
    assert_true(few_cases() || (touches > 200 && narrow > 80));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_touch_is_missing_or_invented),
                                       cmocka_unit_test(short_separations_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
