/*
 * Deformable bodies, case by case: bad arguments, memory and out of memory, calls inside callbacks, seams that open,
 * the previous shape, rebuilding the tree, refittable copies by themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "world/world_internal.h"

#define SIDE 30 /* vertices along a sheet */
#define COUNT (SIDE * SIDE)

/* A square sheet in the plane z = 0, from -1 to 1. */
static tact_shape *make_sheet(tact_vec3 v[COUNT])
{
    uint32_t *corners = malloc(6 * COUNT * sizeof *corners), n = 0;
    for (uint32_t i = 0; i < COUNT; ++i)
        v[i] = vec_make(2.0 * (i % SIDE) / (SIDE - 1) - 1.0, 2.0 * (i / SIDE) / (SIDE - 1) - 1.0, 0.0);
    for (uint32_t i = 0; i + 1 < SIDE; ++i)
        for (uint32_t k = 0; k + 1 < SIDE; ++k) {
            const uint32_t at = i * SIDE + k;
            const uint32_t quad[6] = {at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE};
            memcpy(corners + n, quad, sizeof quad);
            n += 6;
        }
    tact_shape *sheet = tact_mesh(v, COUNT, corners, n / 3);
    free(corners);
    assert_non_null(sheet);
    return sheet;
}

static tact_vertices doubles(const tact_vec3 *v, size_t count)
{
    return (tact_vertices){v, count, 0, TACT_SCALAR_DOUBLE};
}

static void count_call(void *context, const tact_contact *c)
{
    (void)c;
    ++*(int *)context;
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    tact_vec3 v[COUNT], bad[COUNT], got[COUNT];
    tact_shape *sheet = make_sheet(v), *sphere = tact_sphere(1.0);
    const tact_shape *parts[1] = {sheet};
    tact_shape *whole = tact_compound(parts, NULL, 1);
    tact_world *w = tact_world_create(NULL);
    tact_report report;
    tact_body body;
    const tact_body_def hard[2] = {{.shape = sheet, .deformable = true}, {.shape = sphere, .deformable = true}};
    tact_body two[2];
    assert_int_equal(tact_body_create_many(w, hard, 2, two, &report), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(report.text, "body 1 cannot be deformable"));
    assert_int_equal(tact_world_body_count(w), 0);
    assert_int_equal(tact_body_create(w, &(tact_body_def){.shape = whole, .deformable = true}).generation, 0);
    tact_body rigid = tact_body_create(w, &(tact_body_def){.shape = sheet});
    tact_body round = tact_body_create(w, &(tact_body_def){.shape = sphere});
    body = tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true});
    assert_true(tact_body_is_deformable(w, body) && !tact_body_is_deformable(w, rigid));
    assert_int_equal(tact_body_deform(w, rigid, doubles(v, COUNT)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform(w, (tact_body){9, 9}, doubles(v, COUNT)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform(NULL, body, doubles(v, COUNT)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform_range(w, body, 0, 1), TACT_BAD_ARGUMENT); /* nothing is lent */
    assert_int_equal(tact_body_deform_range(w, rigid, 0, 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_make_deformable(w, round), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_make_deformable(w, (tact_body){0, 0}), TACT_BAD_ARGUMENT);
    const double heights[4] = {0};
    tact_shape *ground = tact_heightfield(2, 2, 1, 1, heights);
    const tact_body field = tact_body_create(w, &(tact_body_def){.shape = ground});
    assert_int_equal(tact_body_make_deformable(w, field), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_create(w, &(tact_body_def){.shape = ground, .deformable = true}).generation, 0);
    tact_shape_release(ground);
    assert_int_equal(tact_body_set_mass(w, rigid, 2.0), TACT_OK); /* a deformable body has none */
    assert_int_equal(tact_body_make_deformable(w, rigid), TACT_BAD_ARGUMENT);
    assert_true(!tact_body_is_deformable(w, rigid) && tact_body_get_mass(w, rigid) == 2.0);
    assert_int_equal(tact_body_set_mass(w, rigid, 0.0), TACT_OK);
    assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT - 1)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform(w, body, doubles(NULL, COUNT)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform(w, body, (tact_vertices){v, COUNT, 8, TACT_SCALAR_DOUBLE}), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform(w, body, (tact_vertices){v, COUNT, 0, (tact_scalar)7}), TACT_BAD_ARGUMENT);
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e150, -1e300, DBL_MAX};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i)
        for (int k = 0; k < 3; ++k) {
            memcpy(bad, v, sizeof v);
            *(k == 0 ? &bad[COUNT - 1].x : k == 1 ? &bad[0].y : &bad[COUNT / 2].z) = odd[i];
            assert_int_equal(tact_body_deform(w, body, doubles(bad, COUNT)), TACT_BAD_ARGUMENT);
        }
    assert_int_equal(tact_body_get_vertices(w, body, got, COUNT), COUNT);
    assert_memory_equal(got, v, sizeof v);
    memcpy(bad, v, sizeof v);
    assert_int_equal(tact_body_deform(w, body, doubles(bad, COUNT)), TACT_OK);
    assert_int_equal(tact_body_deform_range(w, body, 0, COUNT + 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform_range(w, body, COUNT, 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform_range(w, body, SIZE_MAX, 2), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform_range(w, body, 2, SIZE_MAX), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_deform_range(w, body, COUNT, 0), TACT_OK);
    bad[5].x = NAN;
    bad[6].x = 3.0;
    assert_int_equal(tact_body_deform_range(w, body, 4, 3), TACT_BAD_ARGUMENT);
    (void)tact_body_get_vertices(w, body, got, COUNT);
    assert_memory_equal(got, v, sizeof v);
    assert_int_equal(tact_body_deform_range(w, body, 6, 2), TACT_OK); /* the NaN is outside the range */
    assert_int_equal(tact_body_get_vertices(w, body, got, 7), COUNT);
    assert_true(got[6].x == 3.0 && tact_body_get_bounds(w, body).max.x >= 3.0);
    /* far out, where boxes are infinite, and very small */
    for (uint32_t i = 0; i < COUNT; ++i)
        bad[i] = vec_scale(v[i], 1e148);
    assert_int_equal(tact_body_deform(w, body, doubles(bad, COUNT)), TACT_OK);
    assert_int_equal(tact_world_test(w).status, TACT_OK);
    for (uint32_t i = 0; i < COUNT; ++i)
        bad[i] = vec_scale(v[i], 1e-300);
    assert_int_equal(tact_body_deform(w, body, doubles(bad, COUNT)), TACT_OK);
    assert_int_equal(tact_world_test(w).status, TACT_OK);
    /* another shape: rigid from then on, and the array is given back */
    assert_int_equal(tact_body_set_shape(w, body, sphere), TACT_OK);
    assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_body_get_vertices(w, body, got, COUNT), 0);
    tact_world_release(w);
    tact_shape_release(whole);
    tact_shape_release(sheet);
    tact_shape_release(sphere);
}

/* The previous shape is the one that tact_world_store_previous stored, with any changes in between. */
static void previous_frame_keeps_its_vertices(void **state)
{
    (void)state;
    tact_vec3 v[COUNT];
    tact_shape *sheet = make_sheet(v), *sphere = tact_sphere(0.5);
    tact_world *w = tact_world_create(NULL);
    tact_body body = tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true});
    (void)tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = tact_at(0, 0, 2)});
    double depth = 1.0;
    for (int frame = 0; frame < 12; ++frame) {
        const double was = frame == 0 ? 0.0 : 0.1 * (frame - 1);
        /* twice a frame: up to the sphere, or through its centre; only the centre of the sheet matters */
        for (int turn = 0; turn < 2; ++turn) {
            for (uint32_t i = 0; i < COUNT; ++i)
                v[i].z = turn == 0 ? 2.0 : 1.8;
            if (frame % 3 == 0 || frame == 1)
                assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
            else
                for (uint32_t i = 0; i < COUNT; i += SIDE)
                    assert_int_equal(tact_body_deform_range(w, body, i, SIDE), TACT_OK);
            int calls = 0;
            assert_int_equal(tact_world_set_contact_callback(
                                 w, (tact_response){.want = TACT_PREVIOUS, .callback = count_call, .context = &calls}),
                             TACT_OK);
            assert_int_equal(tact_world_test(w).count, 1);
            const world_body_cold *cold = &w->cold.items[body.index];
            tact_distance d =
                tact_shapes_distance(cold->previous_shape, cold->previous_transform, sphere, tact_at(0, 0, 2));
            depth = d.distance;
            assert_true(fabs(depth - (1.5 - was)) < 1e-9);
        }
        for (uint32_t i = 0; i < COUNT; ++i)
            v[i].z = 0.1 * frame;
        if (frame == 0)
            assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
        else
            assert_int_equal(tact_body_deform_range(w, body, 0, COUNT), TACT_OK);
        assert_int_equal(tact_world_test(w).count, 0);
        assert_int_equal(tact_world_store_previous(w), TACT_OK);
    }
    tact_world_release(w);
    tact_shape_release(sheet);
    tact_shape_release(sphere);
}

/* More ranges in a frame than DEFORM_MAX_RANGES; both shapes must have all their vertices, and tight trees. */
static void scattered_ranges_are_all_kept(void **state)
{
    (void)state;
    tact_vec3 v[COUNT], before[COUNT];
    tact_shape *sheet = make_sheet(v);
    tact_world *w = tact_world_create(NULL);
    tact_body body = tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true});
    random_source r = random_seed(8);
    box *boxes = malloc(sheet->mesh->element_count * sizeof *boxes);
    size_t most = 0, many = 0;
    assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
    memcpy(before, v, sizeof v);
    assert_int_equal(tact_world_store_previous(w), TACT_OK);
    for (int frame = 0; frame < 200; ++frame) {
        const int ranges = random_between(&r, 0, 25);
        for (int i = 0; i < ranges; ++i) {
            const size_t count = 1 + random_below(&r, random_chance(&r, 0.9) ? 4 : 60);
            const size_t first = random_below(&r, COUNT - count + 1);
            for (size_t k = first; k < first + count; ++k)
                v[k].z = random_range(&r, -0.2, 0.2);
            assert_int_equal(tact_body_deform_range(w, body, first, count), TACT_OK);
        }
        const world_body *hot = &w->bodies.items[body.index];
        const world_body_cold *cold = &w->cold.items[body.index];
        const tact_shape *shapes[2] = {hot->shape, cold->previous_shape};
        for (int i = 0; i < 2; ++i) {
            const mesh *m = shapes[i]->mesh;
            assert_memory_equal(m->vertices, i == 0 ? v : before, sizeof v);
            tact_mesh_element_boxes(m, boxes);
            assert_int_equal(tact_aabb_tree_check(&m->tree, boxes, NULL), TACT_OK);
        }
        most = cold->deform->stale_count > most ? cold->deform->stale_count : most;
        many += ranges > DEFORM_MAX_RANGES;
        if (random_chance(&r, 0.6)) {
            assert_int_equal(tact_world_store_previous(w), TACT_OK);
            memcpy(before, v, sizeof v);
        }
    }
    assert_true(most == DEFORM_MAX_RANGES - 1 && many > 50);
    free(boxes);
    tact_world_release(w);
    tact_shape_release(sheet);
}

/* ---- memory ---- */

static tact_shape *make_soup(tact_vec3 v[20])
{
    random_source r = random_seed(3);
    uint32_t corners[20];
    const uint32_t sizes[] = {8, 4, 5, 3};
    for (uint32_t i = 0; i < 20; ++i) {
        v[i] = vec_scale(random_direction(&r), 1.0);
        corners[i] = i;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = doubles(v, 20);
    def.indices = corners;
    def.index_count = 20;
    def.loop_sizes = sizes;
    def.loop_count = 4;
    return tact_soup_create(&def, NULL);
}

static void making_one_without_memory_changes_nothing(void **state)
{
    (void)state;
    tact_vec3 v[COUNT], few[20];
    tact_shape *sheet = make_sheet(v), *soup = make_soup(few);
    const tact_body_def defs[3] = {{.shape = sheet, .deformable = true},
                                   {.shape = soup, .deformable = true},
                                   {.shape = sheet, .deformable = true, .rotation_invariant_bounds = true}};
    int failures = 0;
    for (int variant = 0; variant < 3; ++variant)
        for (long fail = 1;; ++fail) {
            failing_allocator memory = {0};
            tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
            tact_body bodies[3] = {{0, 0}, {0, 0}, {0, 0}};
            if (variant == 2)
                bodies[0] = tact_body_create(w, &(tact_body_def){.shape = soup});
            memory.fail_at = memory.calls + fail;
            tact_status status;
            if (variant == 0)
                status = tact_body_create_many(w, defs, 3, bodies, NULL);
            else if (variant == 1)
                status = (bodies[0] = tact_body_create(w, &defs[1])).generation != 0 ? TACT_OK : TACT_OUT_OF_MEMORY;
            else
                status = tact_body_make_deformable(w, bodies[0]);
            const bool failed = status == TACT_OUT_OF_MEMORY;
            assert_true(failed || status == TACT_OK);
            assert_int_equal(tact_world_body_count(w), variant == 2 ? 1 : failed ? 0 : variant == 0 ? 3 : 1);
            assert_true(tact_body_is_deformable(w, bodies[0]) == !failed);
            const bool over = memory.fail_at > memory.calls;
            memory.fail_at = 0;
            assert_int_equal(tact_world_test(w).status, TACT_OK);
            tact_world_release(w);
            assert_int_equal(memory.held, 0);
            failures += failed;
            if (!failed && over)
                break;
        }
    assert_true(failures > 40);
    tact_shape_release(sheet);
    tact_shape_release(soup);
}

/* The hulls of large pieces need memory: all of the change, or nothing. */
static void deforming_a_soup_without_memory_changes_nothing(void **state)
{
    (void)state;
    tact_vec3 v[20], moved[20], got[20];
    tact_shape *soup = make_soup(v), *probe = tact_point(vec_make(5.0, 0.0, 0.0));
    int failures = 0;
    for (int i = 0; i < 20; ++i)
        moved[i] = vec_add(v[i], vec_make(5.0, 0.0, 0.0));
    for (int variant = 0; variant < 4; ++variant)
        for (long fail = 1;; ++fail) {
            failing_allocator memory = {0};
            tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
            tact_body body = tact_body_create(w, &(tact_body_def){.shape = soup, .deformable = true});
            tact_vec3 lent[20];
            memcpy(lent, v, sizeof v);
            assert_int_equal(tact_body_deform(w, body, doubles(lent, 20)), TACT_OK);
            if (variant % 2 == 0) /* the previous shape is the current one, or another */
                assert_int_equal(tact_world_store_previous(w), TACT_OK);
            memcpy(lent, moved, sizeof moved);
            memory.fail_at = memory.calls + fail;
            tact_status status =
                variant < 2 ? tact_body_deform(w, body, doubles(lent, 20)) : tact_body_deform_range(w, body, 0, 20);
            memory.fail_at = 0;
            assert_int_equal(tact_body_get_vertices(w, body, got, 20), 20);
            if (status == TACT_OUT_OF_MEMORY) {
                ++failures;
                assert_memory_equal(got, v, sizeof v);
                assert_true(tact_world_ray(w, vec_make(0, 0, 9), vec_make(0, 0, -1), 99, NULL).state == TACT_HIT);
                assert_true(tact_world_overlap(w, probe, tact_identity(), NULL).state == TACT_MISS);
                assert_int_equal(tact_body_deform_range(w, body, 0, 20), TACT_OK);
            } else {
                assert_int_equal(status, TACT_OK);
            }
            assert_int_equal(tact_body_get_vertices(w, body, got, 20), 20);
            assert_memory_equal(got, moved, sizeof v);
            assert_true(tact_world_ray(w, vec_make(0, 0, 9), vec_make(0, 0, -1), 99, NULL).state == TACT_MISS);
            assert_true(tact_world_ray(w, vec_make(5, 0, 9), vec_make(0, 0, -1), 99, NULL).state == TACT_HIT);
            tact_world_release(w);
            assert_int_equal(memory.held, 0);
            if (status == TACT_OK)
                break;
        }
    assert_true(failures >= 20);
    tact_shape_release(soup);
    tact_shape_release(probe);
}

static void ripple(tact_vec3 *v, double phase)
{
    for (uint32_t i = 0; i < COUNT; ++i)
        v[i].z = 0.1 * sin(4.0 * v[i].x + phase) * cos(3.0 * v[i].y);
}

static void steady_state_takes_no_memory(void **state)
{
    (void)state;
    tact_vec3 v[COUNT], other[COUNT];
    tact_shape *sheet = make_sheet(v), *sphere = tact_sphere(0.2);
    failing_allocator memory = {0};
    tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
    tact_body body = tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true});
    int calls = 0;
    for (int i = 0; i < 20; ++i)
        (void)tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = tact_at(0.1 * i - 1.0, 0.3, 0.25)});
    assert_int_equal(tact_body_set_contact_callback(
                         w, body, (tact_response){.want = TACT_PREVIOUS, .callback = count_call, .context = &calls}),
                     TACT_OK);
    memcpy(other, v, sizeof v);
    long taken = 0;
    for (int frame = 0; frame < 60; ++frame) {
        tact_vec3 *lent = frame % 3 == 0 ? other : v;
        ripple(lent, 0.1 * frame);
        assert_int_equal(tact_body_deform(w, body, doubles(lent, COUNT)), TACT_OK);
        lent[17].z = 0.2;
        assert_int_equal(tact_body_deform_range(w, body, 17, 1), TACT_OK);
        assert_int_equal(tact_world_test(w).status, TACT_OK);
        if (frame % 2 == 0)
            assert_int_equal(tact_world_store_previous(w), TACT_OK);
        if (frame == 10)
            taken = memory.calls;
    }
    assert_int_equal(memory.calls, taken);
    assert_true(calls > 60);
    tact_world_release(w);
    assert_int_equal(memory.held, 0);
    tact_shape_release(sheet);
    tact_shape_release(sphere);
}

/* A sheet whose vertices are permuted at random has a degraded tree: it is rebuilt, if there is memory. */
static void worn_trees_are_built_anew(void **state)
{
    (void)state;
    tact_vec3 v[COUNT];
    tact_shape *sheet = make_sheet(v);
    for (int variant = 0; variant < 3; ++variant) {
        random_source r = random_seed(5);
        failing_allocator memory = {0};
        tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
        tact_body body = tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true});
        (void)tact_shape_get_points(sheet, v, COUNT);
        assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
        const double first = tact_aabb_tree_cost(&w->bodies.items[body.index].shape->mesh->tree);
        /* rows go where others were, as wholes: elements stay as small as they are, but neighbours part */
        for (uint32_t row = 0; row < SIDE; row += 2) {
            const double far = 3.0 * (double)random_below(&r, 40);
            for (uint32_t i = row * SIDE; i < (row + 2 < SIDE ? row + 2 : SIDE) * SIDE; ++i)
                v[i].z = far;
            if (variant == 1) /* in small ranges */
                for (uint32_t i = row * SIDE; i < (row + 2) * SIDE; i += 10)
                    assert_int_equal(tact_body_deform_range(w, body, i, 10), TACT_OK);
        }
        memory.every = variant == 2 ? 1 : 0;
        if (variant != 1)
            assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
        memory.every = 0;
        const mesh *m = w->bodies.items[body.index].shape->mesh;
        box *boxes = malloc(m->element_count * sizeof *boxes);
        tact_mesh_element_boxes(m, boxes);
        assert_int_equal(tact_aabb_tree_check(&m->tree, boxes, NULL), TACT_OK);
        aabb_tree ideal;
        aabb_tree_def def = aabb_tree_def_default();
        assert_int_equal(tact_aabb_tree_build(&ideal, boxes, m->element_count, &def), TACT_OK);
        const double best = tact_aabb_tree_cost(&ideal), have = tact_aabb_tree_cost(&m->tree);
        tact_aabb_tree_release(&ideal);
        free(boxes);
        if (variant == 0) /* the rebuilt tree is better */
            assert_true(have <= 1.001 * best && m->tree.built_cost != first);
        if (variant == 1)
            assert_true(have <= 2.0 * best);
        if (variant == 2)
            assert_true(have > AABB_REBUILD_COST_RATIO * first && m->tree.built_cost == first);
        assert_true(tact_world_ray(w, vec_make(0, 0, 999), vec_make(0, 0, -1), 9999, NULL).state == TACT_HIT);
        tact_world_release(w);
        assert_int_equal(memory.held, 0);
    }
    tact_shape_release(sheet);
}

/* Where a worn tree stays for lack of memory, a replay would have another one and so another order of contacts: the
 * record says so and ends there. */
static void records_end_where_a_worn_tree_stays(void **state)
{
    (void)state;
    tact_vec3 v[COUNT];
    tact_shape *sheet = make_sheet(v), *sphere = tact_sphere(0.2);
    int worn = 0;
    for (uint64_t seed = 0; seed < 16; ++seed) {
        const bool fails = seed % 2 == 1;
        random_source r = random_seed(seed);
        failing_allocator memory = {0};
        tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
        int calls = 0;
        assert_int_equal(tact_world_set_contact_callback(
                             w, (tact_response){.want = TACT_WITNESS, .callback = count_call, .context = &calls}),
                         TACT_OK);
        tact_body body = tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true});
        (void)tact_body_create(w, &(tact_body_def){.shape = sphere});
        (void)tact_shape_get_points(sheet, v, COUNT);
        assert_int_equal(tact_world_test(w).status, TACT_OK);
        tact_bytes recording = {0};
        tact_report report;
        tact_record *record = tact_record_begin(w, tact_bytes_sink(&recording), NULL, &report);
        assert_non_null(record);
        for (uint32_t i = 0; i < COUNT; ++i)
            v[i] = vec_make(random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0), random_range(&r, -0.1, 0.1));
        memory.every = fails ? 1 : 0;
        const long before = memory.calls;
        assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
        memory.every = 0;
        worn += memory.calls > before;
        assert_int_equal(tact_record_check(record, NULL), fails ? TACT_OUT_OF_MEMORY : TACT_OK);
        assert_true(tact_world_test(w).count == 1);
        assert_int_equal(tact_record_end(record, &report), fails ? TACT_OUT_OF_MEMORY : TACT_OK);
        tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
        assert_non_null(replay);
        assert_int_equal(tact_replay_run(replay, &report), fails ? TACT_REPLAY_TRUNCATED : TACT_REPLAY_END);
        tact_replay_release(replay);
        tact_bytes_release(&recording);
        tact_world_release(w);
        assert_int_equal(memory.held, 0);
    }
    assert_int_equal(worn, 16);
    tact_shape_release(sheet);
    tact_shape_release(sphere);
}

/* A convex part with thousands of vertices that all change is refitted once, and correctly. */
static void large_pieces_follow_their_corners(void **state)
{
    (void)state;
    enum { OTHERS = 60000, LARGE = 10000, ALL = 3 * OTHERS + LARGE };
    tact_vec3 *v = malloc(ALL * sizeof *v);
    uint32_t *corners = malloc(ALL * sizeof *corners), *sizes = malloc((OTHERS + 1) * sizeof *sizes);
    random_source r = random_seed(3);
    for (uint32_t i = 0; i < ALL; ++i) {
        v[i] = vec_make(i / 3 % 250 + (i % 3 == 1), i / 750 + (i % 3 == 2), 0.0);
        if (i >= 3 * OTHERS) /* few are vertices of the hull, so that it is computed fast */
            v[i] = vec_scale(random_direction(&r), i < 3 * OTHERS + 50 ? 1.0 : 0.3);
        corners[i] = i;
    }
    for (uint32_t i = 0; i < OTHERS; ++i)
        sizes[i] = 3;
    sizes[OTHERS] = LARGE;
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = doubles(v, ALL);
    def.indices = corners;
    def.index_count = ALL;
    def.loop_sizes = sizes;
    def.loop_count = OTHERS + 1;
    tact_shape *soup = tact_soup_create(&def, NULL);
    tact_world *w = tact_world_create(NULL);
    tact_body body = tact_body_create(w, &(tact_body_def){.shape = soup, .deformable = true});
    for (int round = 0; round < 3; ++round) {
        for (uint32_t i = 3 * OTHERS; i < ALL; ++i)
            v[i].z += 2.0;
        assert_int_equal(tact_body_deform(w, body, doubles(v, ALL)), TACT_OK);
        for (uint32_t i = 3 * OTHERS; i < ALL; ++i)
            v[i].z += 2.0;
        assert_int_equal(tact_body_deform_range(w, body, 3 * OTHERS, LARGE), TACT_OK);
        const tact_hit hit = tact_world_ray(w, vec_make(0.01, 0.01, 99.0), vec_make(0, 0, -1), 99.0, NULL);
        assert_true(hit.state == TACT_HIT && fabs(99.0 - hit.t - (4.0 * round + 4.0)) <= 1.0);
    }
    tact_world_release(w);
    tact_shape_release(soup);
    free(v);
    free(corners);
    free(sizes);
}

/* Far out, vertices are taken if and only if a body could be made with them; and without memory to try them, not. */
static void what_can_be_made_can_be_deformed_to(void **state)
{
    (void)state;
    tact_vec3 v[COUNT], far[COUNT], got[COUNT];
    const uint32_t corners[3] = {0, SIDE - 1, COUNT - 1};
    tact_shape *sheet = make_sheet(v), *triangle = tact_mesh(v, COUNT, corners, 1);
    int made = 0, refused = 0, tried = 0;
    for (uint64_t seed = 0; seed < 240; ++seed) {
        random_source r = random_seed(seed);
        const bool large = random_chance(&r, 0.5), fixed = random_chance(&r, 0.5);
        /* either the vertices exceed the range of floats, or the transformed ones do */
        const double scale = random_chance(&r, 0.5) ? 1.0 : 1e120, most = 1e150 / scale;
        const tact_vec3 origin = vec_scale(random_direction(&r), random_chance(&r, 0.3) ? 4e149 : 0.0);
        const tact_transform place = tact_transform_make(origin, random_rotation(&r), vec_make(scale, scale, scale));
        const double size = most * random_range(&r, 0.02, 1.2);
        for (uint32_t i = 0; i < COUNT; ++i)
            far[i] = vec_scale(v[i], size);
        tact_shape *shape = large ? sheet : triangle;
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = doubles(far, COUNT);
        def.indices = shape->mesh->indices;
        def.index_count = shape->mesh->index_count;
        tact_shape *huge = tact_mesh_create(&def, NULL);
        failing_allocator memory = {0};
        tact_world *w = tact_world_create(&(tact_world_def){.allocator = failing_allocator_make(&memory)});
        tact_body_def want = {
            .shape = shape, .transform = place, .deformable = true, .rotation_invariant_bounds = fixed};
        tact_body body = tact_body_create(w, &want), same = {0, 0};
        want.shape = huge;
        if (huge != NULL)
            same = tact_body_create(w, &want);
        assert_true(tact_body_exists(w, body));
        const bool can = tact_body_exists(w, same);
        for (int round = 0; round < 3; ++round) {
            memory.every = 1;
            tact_status status = tact_body_deform(w, body, doubles(far, COUNT));
            memory.every = 0;
            if (status == TACT_OUT_OF_MEMORY) {
                assert_int_equal(tact_body_get_vertices(w, body, got, COUNT), COUNT);
                assert_memory_equal(got, v, sizeof v);
                status = tact_body_deform(w, body, doubles(far, COUNT));
                ++tried;
            }
            if (status != (can ? TACT_OK : TACT_BAD_ARGUMENT))
                fail_msg("seed %llu: can be made %d, deformed %d", (unsigned long long)seed, can, (int)status);
            if (can) {
                assert_int_equal(tact_body_deform(w, same, doubles(far, COUNT)), TACT_OK);
                assert_int_equal(tact_body_deform_range(w, same, COUNT / 2, 7), TACT_OK);
                assert_int_equal(tact_body_set_transform(w, same, place), TACT_OK);
                assert_int_equal(tact_body_set_transform(w, body, place), TACT_OK);
            }
            (void)tact_world_store_previous(w);
            assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
            if (round == 1)
                (void)tact_world_store_previous(w);
        }
        made += can;
        refused += !can;
        tact_world_release(w);
        assert_int_equal(memory.held, 0);
        tact_shape_release(huge);
    }
    print_message("%d can be made, %d not, %d tried\n", made, refused, tried);
    assert_true(made > 80 && refused > 60 && tried > 300);
    tact_shape_release(sheet);
    tact_shape_release(triangle);
}

/* One vertex far out, and back: how far the body reaches is found again, beyond the floats too, so that it can be
 * saved. */
static void reaches_shrink(void **state)
{
    (void)state;
    tact_vec3 v[COUNT];
    tact_shape *sheet = make_sheet(v);
    for (int large = 0; large < 2; ++large) {
        const double size = large ? 1e40 : 1.0;
        tact_world *w = tact_world_create(NULL);
        tact_body body = tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true});
        (void)tact_shape_get_points(sheet, v, COUNT);
        for (uint32_t i = 0; i < COUNT; ++i)
            v[i] = vec_scale(v[i], size);
        const tact_vec3 kept = v[3];
        assert_int_equal(tact_body_deform(w, body, doubles(v, COUNT)), TACT_OK);
        v[3].z = 1e10 * size;
        assert_int_equal(tact_body_deform_range(w, body, 3, 1), TACT_OK);
        v[3] = kept;
        assert_int_equal(tact_body_deform_range(w, body, 3, 1), TACT_OK);
        assert_true(w->bodies.items[body.index].shape->bounding_radius < 2.0 * size);
        tact_bytes saved = {0};
        tact_report report;
        assert_int_equal(tact_world_save(w, tact_bytes_sink(&saved), NULL, &report), TACT_OK);
        tact_world *again = tact_world_restore(saved.data, saved.size, NULL, &report);
        assert_non_null(again);
        tact_world_release(again);
        tact_world_release(w);
        tact_bytes_release(&saved);
    }
    tact_shape_release(sheet);
}

/* ---- within responses ---- */

typedef struct scene {
    tact_body sheet;
    tact_vec3 *v;
    int calls;
    double to;
} scene;

static void lift(void *context, const tact_contact *c)
{
    scene *s = context;
    ++s->calls;
    for (uint32_t i = 0; i < COUNT; ++i)
        s->v[i].z = s->to;
    assert_int_equal(tact_body_deform(c->world, s->sheet, doubles(s->v, COUNT)), TACT_OK);
}

static void drop_it(void *context, const tact_contact *c)
{
    scene *s = context;
    ++s->calls;
    assert_int_equal(tact_body_remove(c->world, s->sheet), TACT_OK);
}

/* A pair is decided by the vertices as they are when its turn comes. */
static void responses_may_deform(void **state)
{
    (void)state;
    tact_vec3 v[COUNT];
    tact_shape *sheet = make_sheet(v), *sphere = tact_sphere(0.1);
    for (int variant = 0; variant < 3; ++variant) {
        for (uint32_t i = 0; i < COUNT; ++i)
            v[i].z = 0.0;
        tact_world *w = tact_world_create(NULL);
        scene s = {tact_body_create(w, &(tact_body_def){.shape = sheet, .deformable = true}), v, 0, 0.5};
        for (int i = 0; i < 6; ++i) /* the first ones in the sheet; all have bounds that meet it, when it is bent */
            (void)tact_body_create(w, &(tact_body_def){.shape = sphere, .transform = tact_at(0.3 * i - 0.8, 0, 0)});
        v[0].z = 0.6; /* one vertex is raised, so that the bounds are high */
        assert_int_equal(tact_body_deform(w, s.sheet, doubles(v, COUNT)), TACT_OK);
        s.to = variant == 0 ? 0.5 : 0.05;
        assert_int_equal(
            tact_world_set_contact_callback(
                w, (tact_response){.want = TACT_WITNESS, .callback = variant == 2 ? drop_it : lift, .context = &s}),
            TACT_OK);
        tact_count done = tact_world_test(w);
        assert_int_equal(done.status, TACT_OK);
        assert_int_equal(done.count, variant == 1 ? 6 : 1);
        assert_int_equal(tact_world_test(w).count, variant == 1 ? 6 : 0);
        tact_world_release(w);
    }
    tact_shape_release(sheet);
    tact_shape_release(sphere);
}

/* ---- insides ---- */

static tact_shape *make_tetrahedra(tact_vec3 v[8], bool solid)
{
    const tact_vec3 one[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t faces[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 4, 5, 6, 4, 7, 5, 4, 6, 7, 5, 7, 6};
    for (int i = 0; i < 4; ++i) {
        v[i] = one[i];
        v[4 + i] = vec_scale(one[i], -1.0); /* they meet in the origin */
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = doubles(v, 8);
    def.indices = faces;
    def.index_count = 24;
    def.solid = solid;
    return tact_mesh_create(&def, NULL);
}

/* Two parts that share a place but no vertex number hang together in the shape, but not for ever. */
static void parts_may_come_apart(void **state)
{
    (void)state;
    tact_vec3 v[8], big[8];
    tact_shape *pair = make_tetrahedra(v, false), *room = make_tetrahedra(big, true);
    assert_int_equal(pair->mesh->component_count, 1);
    tact_world *w = tact_world_create(NULL);
    tact_body body =
        tact_body_create(w, &(tact_body_def){.shape = pair, .deformable = true, .transform = tact_at(50, 0, 0)});
    tact_body around = tact_body_create(w, &(tact_body_def){.shape = room, .deformable = true});
    int calls = 0;
    assert_int_equal(tact_world_set_contact_callback(
                         w, (tact_response){.want = TACT_NOTHING, .callback = count_call, .context = &calls}),
                     TACT_OK);
    assert_int_equal(tact_world_test(w).count, 0);
    for (int i = 0; i < 8; ++i)
        big[i] = vec_scale(big[i],
                           100.0); /* now the first is around nothing: the pair's middle is at (50 0 0), on its edge */
    assert_int_equal(tact_body_deform(w, around, doubles(big, 8)), TACT_OK);
    for (int i = 0; i < 4; ++i)
        v[i] = vec_add(v[i], vec_make(0, 300, 0)); /* one goes far away */
    for (int i = 4; i < 8; ++i)
        v[i] = vec_add(v[i], vec_make(-30, 5, 5)); /* the other moves inside */
    assert_int_equal(tact_body_deform(w, body, doubles(v, 8)), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    for (int i = 4; i < 8; ++i)
        v[i] = vec_add(v[i], vec_make(0, 0, 300));
    assert_int_equal(tact_body_deform_range(w, body, 4, 4), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 0);
    /* the mesh moves to it */
    for (int i = 0; i < 4; ++i)
        big[i] = vec_scale(big[i], 20.0);
    assert_int_equal(tact_body_deform_range(w, around, 0, 4), TACT_OK);
    assert_int_equal(tact_world_test(w).count, 1);
    tact_world_release(w);
    tact_shape_release(pair);
    tact_shape_release(room);
}

/* The shape that was given is not changed, and may go before the body. */
static void shapes_stay_what_they_are(void **state)
{
    (void)state;
    tact_vec3 v[COUNT], got[COUNT], cold[COUNT];
    tact_shape *sheet = make_sheet(v), *thick = tact_rounded(sheet, 0.25), *sphere = tact_sphere(0.1);
    memcpy(cold, v, sizeof v);
    tact_world *w = tact_world_create(NULL);
    tact_body one = tact_body_create(w, &(tact_body_def){.shape = thick, .deformable = true});
    tact_body other = tact_body_create(w, &(tact_body_def){.shape = thick, .deformable = true});
    for (uint32_t i = 0; i < COUNT; ++i)
        v[i].z = 7.0;
    assert_int_equal(tact_body_deform(w, one, doubles(v, COUNT)), TACT_OK);
    (void)tact_body_get_vertices(w, other, got, COUNT);
    assert_memory_equal(got, cold, sizeof got);
    (void)tact_shape_get_points(sheet, got, COUNT);
    assert_memory_equal(got, cold, sizeof got);
    assert_ptr_equal(tact_body_get_shape(w, one), thick);
    tact_distance d =
        tact_shapes_distance(tact_body_get_current_shape(w, one), tact_identity(), sphere, tact_at(0.0, 0.0, 8.0));
    assert_true(d.status == TACT_OK && fabs(d.distance - 0.65) < 1e-12); /* as deformed, with its margin */
    assert_ptr_equal(tact_body_get_current_shape(w, (tact_body){0}), NULL);
    tact_shape_release(sheet);
    tact_shape_release(thick); /* the bodies hold on to what they need */
    tact_hit found = tact_world_closest_point(w, vec_make(0, 0, 8), INFINITY, NULL);
    assert_true(found.body.index == one.index && fabs(found.distance - 0.75) < 1e-12); /* the margin is there */
    assert_true(tact_world_overlap(w, sphere, tact_at(0, 0, -0.3), NULL).body.index == other.index);
    assert_int_equal(tact_body_remove(w, other), TACT_OK);
    assert_true(tact_world_overlap(w, sphere, tact_at(0, 0, -0.3), NULL).state == TACT_MISS);
    tact_world_release(w);
    tact_shape_release(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(previous_frame_keeps_its_vertices),
        cmocka_unit_test(scattered_ranges_are_all_kept),
        cmocka_unit_test(making_one_without_memory_changes_nothing),
        cmocka_unit_test(deforming_a_soup_without_memory_changes_nothing),
        cmocka_unit_test(steady_state_takes_no_memory),
        cmocka_unit_test(worn_trees_are_built_anew),
        cmocka_unit_test(records_end_where_a_worn_tree_stays),
        cmocka_unit_test(large_pieces_follow_their_corners),
        cmocka_unit_test(what_can_be_made_can_be_deformed_to),
        cmocka_unit_test(reaches_shrink),
        cmocka_unit_test(responses_may_deform),
        cmocka_unit_test(parts_may_come_apart),
        cmocka_unit_test(shapes_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
