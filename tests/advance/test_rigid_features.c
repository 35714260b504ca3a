/*
 * Rigid meshes among moving vertices, by the public API: one world has rigid bodies, the other one bodies whose
 * vertices all move as those of the rigid ones would. All numbers are multiples of powers of 2 for which no operation
 * rounds, so both have the same events, bit for bit, most of them degenerate. Motions, transforms and vertices change
 * on the way, and so does whether feature events are wanted.
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

enum {
    SIDE = 4,
    SHEET = SIDE * SIDE,
    SHEET_FACES = 2 * (SIDE - 1) * (SIDE - 1),
    BLOCK = 6,
    BLOCK_FACES = 8,
    BLOCKS = 2
};

typedef struct twin {
    tact_world *world;
    tact_body sheet, blocks[BLOCKS];
    bool rigid;
} twin;

typedef struct twin_scene {
    twin twins[2];
    tact_shape *block;
    tact_vec3 corners[BLOCK];
    tact_vec3 at[BLOCKS], velocity[BLOCKS]; /* of the blocks, at time `since` */
    double since[BLOCKS];
    double time;
    bool wanted; /* feature events */
} twin_scene;

/* A multiple of 1/8. */
static double coarse(random_source *r, int most) { return random_between(r, -8 * most, 8 * most) * 0.125; }

static tact_vec3 coarse_vec(random_source *r, int most)
{
    const double x = coarse(r, most), y = coarse(r, most), z = coarse(r, most);
    return (tact_vec3){x, y, z};
}

static tact_vec3 along(tact_vec3 p, double t, tact_vec3 v)
{
    return (tact_vec3){p.x + t * v.x, p.y + t * v.y, p.z + t * v.z};
}

static tact_shape *octahedron(const tact_vec3 corners[BLOCK])
{
    static const uint32_t faces[BLOCK_FACES][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                                   {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    return tact_mesh(corners, BLOCK, faces[0], BLOCK_FACES);
}

static tact_shape *sheet_mesh(const tact_vec3 points[SHEET])
{
    uint32_t indices[SHEET_FACES][3], n = 0;
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t j = 0; j + 1 < SIDE; ++j) {
            const uint32_t a = SIDE * i + j;
            memcpy(indices[n++], (const uint32_t[3]){a, a + 1, a + SIDE}, sizeof indices[0]);
            memcpy(indices[n++], (const uint32_t[3]){a + 1, a + SIDE + 1, a + SIDE}, sizeof indices[0]);
        }
    return tact_mesh(points, SHEET, indices[0], SHEET_FACES);
}

/* Sets the vertices of a block that is not rigid, as its motion says. */
static void move_vertices(const twin_scene *s, const twin *t, int b)
{
    tact_vec3 positions[BLOCK], velocities[BLOCK];
    for (int i = 0; i < BLOCK; ++i) {
        positions[i] = along(s->corners[i], 1.0, s->at[b]);
        velocities[i] = s->velocity[b];
    }
    assert_int_equal(
        tact_body_set_vertex_motion(t->world, t->blocks[b],
                                    &(tact_vertex_motion){.positions = positions, .velocities = velocities}),
        TACT_OK);
}

static void make_twin(twin_scene *s, twin *t, bool rigid, const tact_vec3 sheet[SHEET], tact_deforming_engine engine,
                      const tact_animation *keys)
{
    *t = (twin){.world = tact_world_create(NULL), .rigid = rigid};
    assert_int_equal(tact_world_set_deforming_engine(t->world, engine), TACT_OK);
    tact_shape *mesh = sheet_mesh(sheet);
    t->sheet = tact_body_create(t->world, &(tact_body_def){.shape = mesh, .deformable = true, .self_collision = true});
    tact_shape_release(mesh);
    assert_int_equal(tact_body_set_feature_events(t->world, t->sheet, true), TACT_OK);
    assert_int_equal(tact_body_play(t->world, t->sheet, keys, &(tact_play_def){.loop = true}), TACT_OK);
    for (int b = 0; b < BLOCKS; ++b) {
        tact_vec3 placed[BLOCK];
        for (int i = 0; i < BLOCK; ++i)
            placed[i] = along(s->corners[i], 1.0, s->at[b]);
        tact_shape *there = octahedron(placed);
        tact_body_def def = {.shape = rigid ? s->block : there, .deformable = !rigid};
        if (rigid) {
            def.transform = tact_at(s->at[b].x, s->at[b].y, s->at[b].z);
            def.motion.velocity = s->velocity[b];
        }
        t->blocks[b] = tact_body_create(t->world, &def);
        tact_shape_release(there);
        assert_int_not_equal(t->blocks[b].generation, 0);
        if (!rigid)
            move_vertices(s, t, b);
    }
}

/* What a rigid block can do: another velocity, a jump, or both. */
static void change_block(twin_scene *s, random_source *r, int b)
{
    const int what = random_between(r, 0, 2);
    s->at[b] = along(s->at[b], s->time - s->since[b], s->velocity[b]);
    s->since[b] = s->time;
    if (what != 0)
        s->at[b] = coarse_vec(r, random_chance(r, 0.2) ? 16 : 2);
    if (what != 1)
        s->velocity[b] = random_chance(r, 0.3) ? (tact_vec3){0.0, 0.0, 0.0} : coarse_vec(r, 1);
    for (int i = 0; i < 2; ++i) {
        const twin *t = &s->twins[i];
        if (!t->rigid) {
            move_vertices(s, t, b);
            continue;
        }
        if (what != 0)
            assert_int_equal(
                tact_body_set_transform(t->world, t->blocks[b], tact_at(s->at[b].x, s->at[b].y, s->at[b].z)), TACT_OK);
        if (what != 1)
            assert_int_equal(tact_body_set_motion(t->world, t->blocks[b], (tact_motion){.velocity = s->velocity[b]}),
                             TACT_OK);
    }
}

static void change_sheet(twin_scene *s, random_source *r)
{
    tact_vec3 positions[SHEET], velocities[SHEET];
    const uint32_t first = (uint32_t)random_between(r, 0, SHEET - 1),
                   count = (uint32_t)random_between(r, 1, (int)(SHEET - first));
    const bool jumps = random_chance(r, 0.5), rests = random_chance(r, 0.3);
    const tact_vec3 common = coarse_vec(r, 1);
    for (uint32_t i = 0; i < count; ++i) {
        positions[i] = coarse_vec(r, 2);
        velocities[i] = rests ? (tact_vec3){0.0, 0.0, 0.0} : random_chance(r, 0.5) ? common : coarse_vec(r, 1);
    }
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tact_body_set_vertex_motion(s->twins[i].world, s->twins[i].sheet,
                                                     &(tact_vertex_motion){.first = first,
                                                                           .count = count,
                                                                           .positions = jumps ? positions : NULL,
                                                                           .velocities = velocities}),
                         TACT_OK);
}

static void want_features(twin_scene *s, bool wanted)
{
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tact_body_set_feature_events(s->twins[i].world, s->twins[i].sheet, wanted), TACT_OK);
}

static void renew(twin *t)
{
    tact_bytes bytes = {0};
    assert_int_equal(tact_world_save(t->world, tact_bytes_sink(&bytes), NULL, NULL), TACT_OK);
    tact_world_release(t->world);
    t->world = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
    assert_non_null(t->world);
    tact_bytes_release(&bytes);
}

static size_t features, touches, jumps_met;

/* The events until a time are the same. */
static void compare_until(twin_scene *s, double until, uint64_t seed)
{
    for (;;) {
        tact_event e[2];
        tact_event_kind kind[2];
        for (int i = 0; i < 2; ++i)
            do
                kind[i] = tact_world_next_event(s->twins[i].world, until, &e[i]);
            while (kind[i] == TACT_EVENT_TOUCH && e[i].a.index != s->twins[i].sheet.index); /* of blocks: not exact */
        CHECK(kind[0] == kind[1], "at %g and %g: kinds %d and %d, bodies %u %u and %u %u; %d %u %u and %d %u %u",
              e[0].time, e[1].time, (int)kind[0], (int)kind[1], e[0].a.index, e[0].b.index, e[1].a.index, e[1].b.index,
              (int)e[0].features.kind, e[0].features.a, e[0].features.b, (int)e[1].features.kind, e[1].features.a,
              e[1].features.b);
        if (kind[0] == TACT_EVENT_NONE)
            break;
        CHECK(e[0].time == e[1].time && e[0].a.index == e[1].a.index && e[0].b.index == e[1].b.index,
              "kind %d: at %.17g and %.17g, bodies %u %u and %u %u", (int)kind[0], e[0].time, e[1].time, e[0].a.index,
              e[0].b.index, e[1].a.index, e[1].b.index);
        if (kind[0] == TACT_EVENT_TOUCH) {
            ++touches;
            continue;
        }
        const tact_event_features *f = &e[0].features, *g = &e[1].features;
        CHECK(f->ccd.lower == e[0].time, "at %g: a contact of %g", e[0].time, f->ccd.lower);
        CHECK(f->kind == g->kind && memcmp(f->vertices, g->vertices, sizeof f->vertices) == 0 &&
                  f->ccd.lower == g->ccd.lower && f->ccd.upper == g->ccd.upper,
              "at %g: %d (%u %u), %d (%u %u)", e[0].time, (int)f->kind, f->vertices[0], f->vertices[1], (int)g->kind,
              g->vertices[0], g->vertices[1]);
        ++features;
        jumps_met += e[0].time == s->time;
    }
    double distance[2];
    for (int i = 0; i < 2; ++i) {
        const twin *t = &s->twins[i];
        assert_int_equal(tact_world_sync_transforms(t->world), TACT_OK);
        distance[i] = tact_shapes_distance(tact_body_get_current_shape(t->world, t->sheet), tact_identity(),
                                           tact_body_get_current_shape(t->world, t->blocks[0]),
                                           tact_body_get_transform(t->world, t->blocks[0]))
                          .distance;
    }
    CHECK(fabs(distance[0] - distance[1]) <= 1e-12, "distances %g and %g", distance[0], distance[1]);
    s->time = until;
}

static void rigid_meshes_have_the_events_of_their_vertices(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(30, 600); ++seed) {
        random_source r = random_seed(seed);
        twin_scene s = {.wanted = true};
        tact_vec3 keys[4][SHEET];
        for (int k = 0; k < 4; ++k) {
            const tact_vec3 shift = coarse_vec(&r, 1);
            for (int v = 0; v < SHEET; ++v)
                keys[k][v] = along((tact_vec3){v / SIDE - 1.5, v % SIDE - 1.5, coarse(&r, 1)}, 1.0, shift);
        }
        if (random_chance(&r, 0.5))
            memcpy(keys[3], keys[0], sizeof keys[3]);
        const double times[4] = {0.0, 1.0, 1.5, 2.0};
        tact_animation *animation = tact_animation_create(
            &(tact_animation_def){.vertices = {.data = keys, .count = SHEET}, .frame_count = 4, .times = times}, NULL);
        for (int i = 0; i < BLOCK; ++i) {
            const double x = 0.125 * random_between(&r, 1, 8) * (i % 2 == 0 ? 1.0 : -1.0);
            s.corners[i] = (tact_vec3){i / 2 == 0 ? x : 0.0, i / 2 == 1 ? x : 0.0, i / 2 == 2 ? x : 0.0};
        }
        s.block = octahedron(s.corners);
        for (int b = 0; b < BLOCKS; ++b) {
            s.at[b] = coarse_vec(&r, 2);
            s.velocity[b] = random_chance(&r, 0.2) ? (tact_vec3){0.0, 0.0, 0.0} : coarse_vec(&r, 1);
        }
        const tact_deforming_engine engine = (tact_deforming_engine)random_between(&r, 0, 2);
        make_twin(&s, &s.twins[0], true, keys[0], engine, animation);
        make_twin(&s, &s.twins[1], false, keys[0], engine, animation);
        tact_animation_release(animation);
        for (int step = 0; step < 12; ++step) {
            compare_until(&s, s.time + 0.125 * random_between(&r, 0, 6), seed);
            if (random_chance(&r, 0.3))
                change_sheet(&s, &r);
            if (random_chance(&r, 0.4)) {
                s.wanted = !s.wanted;
                want_features(&s, s.wanted);
            }
            for (int b = 0; b < BLOCKS; ++b)
                if (random_chance(&r, 0.4))
                    change_block(&s, &r, b);
            if (random_chance(&r, 0.2))
                renew(&s.twins[0]);
        }
        compare_until(&s, s.time + 2.0, seed);
        tact_world_release(s.twins[0].world);
        tact_world_release(s.twins[1].world);
        tact_shape_release(s.block);
    }
    print_message("%zu feature events, %zu touches, %zu contacts at the time of a change\n", features, touches,
                  jumps_met);
    assert_true(few_cases() || (features > 1000 && touches > 60 && jumps_met > 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_meshes_have_the_events_of_their_vertices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
