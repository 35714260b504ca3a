/*
 * Parts and intersections in worlds: responses that want intersections get those of tact_shapes_intersections, without
 * allocation once the capacity suffices; contacts and queries name the same parts as the queries of query.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "oracle/zoo.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"
#include "support/same_intersection.h"
#include "support/vec.h"

enum { ROOM = 20000, KINDS = 6, BODIES = 24 };

static zoo_mesh mesh;
static tact_intersection room[ROOM];

/* The bodies of a world, known by their user pointers. */
typedef struct actor {
    const tact_shape *shape;
    tact_transform place;
    tact_transform before;
} actor;

typedef struct watch {
    int calls, crossed, inside, curved, starved;
    size_t segments;
} watch;

static void check_crossings(void *context, const tact_contact *c)
{
    watch *w = context;
    const actor *a = c->user_a, *b = c->user_b;
    tact_intersections right = tact_shapes_intersections(a->shape, a->place, b->shape, b->place, room, ROOM);
    ++w->calls;
    assert_int_equal(c->want, TACT_INTERSECTIONS);
    assert_null(c->manifold);
    if (c->status == TACT_OUT_OF_MEMORY) {
        assert_true(c->intersections == NULL && c->intersection_count == 0);
        ++w->starved;
        return;
    }
    assert_int_equal(c->status, right.status);
    assert_int_equal(c->intersection_count, right.count);
    assert_true((c->intersections == NULL) == (right.count == 0));
    for (size_t i = 0; i < right.count; i++)
        assert_true(same_intersection(&c->intersections[i], &room[i]));
    w->segments += right.count;
    w->crossed += right.count > 0;
    w->inside += right.count == 0 && right.status == TACT_OK;
    w->curved += right.status == TACT_BAD_ARGUMENT;
}

static void make_shapes(const tact_shape *shapes[KINDS])
{
    zoo_torus(&mesh, 8, 16, 1.0, 0.4);
    tact_shape *torus = zoo_shape(&mesh, true, 0.0);
    zoo_cube(&mesh, 1.5);
    tact_shape *cube = zoo_shape(&mesh, true, 0.0), *box = tact_box(0.4, 0.5, 0.6), *sphere = tact_sphere(0.5);
    const tact_shape *const two[2] = {box, torus};
    const tact_transform places[2] = {tact_at(1, 0, 0), tact_at(-0.5, 0, 0)};
    tact_shape *both = tact_compound(two, places, 2);
    zoo_ball(&mesh, 2, 0.8);
    tact_shape *round = tact_hull(mesh.vertices, mesh.vertex_count);
    const tact_shape *const all[KINDS] = {torus, cube, box, sphere, both, round};
    memcpy(shapes, all, sizeof all);
    for (int i = 0; i < KINDS; i++)
        assert_non_null(shapes[i]);
}

static void release_shapes(const tact_shape *shapes[KINDS])
{
    for (int i = 0; i < KINDS; i++)
        tact_shape_release((tact_shape *)(uintptr_t)shapes[i]);
}

static tact_transform rolled(dice *d)
{
    tact_quat q = {dice_normal(d), dice_normal(d), dice_normal(d), dice_normal(d)};
    tact_vec3 at = {dice_between(d, -2.5, 2.5), dice_between(d, -2.5, 2.5), dice_between(d, -2.5, 2.5)};
    return tact_transform_make(at, q, vec_make(dice_pick(d, 2) ? -1.0 : 1.0, 1.0, 1.0));
}

/* Bodies of all kinds, with new transforms in each frame. */
typedef struct crowd {
    tact_world *world;
    tact_body bodies[BODIES];
    actor actors[BODIES];
} crowd;

static void crowd_make(crowd *c, const tact_shape *shapes[KINDS], dice *d, const tact_world_def *def)
{
    c->world = tact_world_create(def);
    assert_non_null(c->world);
    for (int i = 0; i < BODIES; i++) {
        tact_transform at = rolled(d);
        c->actors[i] = (actor){shapes[i % KINDS], at, at};
        c->bodies[i] = tact_body_create(
            c->world, &(tact_body_def){.shape = shapes[i % KINDS], .transform = at, .user = &c->actors[i]});
    }
}

static void crowd_move(crowd *c, dice *d)
{
    for (int i = 0; i < BODIES; i++) {
        c->actors[i].place = rolled(d);
        assert_int_equal(tact_body_set_transform(c->world, c->bodies[i], c->actors[i].place), TACT_OK);
    }
}

static void crossings_are_those_of_the_shapes(void **state)
{
    (void)state;
    const tact_shape *shapes[KINDS];
    dice d = dice_for(41, 1, 0);
    failing_allocator r = {0};
    watch w = {0};
    crowd c;
    make_shapes(shapes);
    crowd_make(&c, shapes, &d, &(tact_world_def){.allocator = failing_allocator_make(&r)});
    assert_int_equal(
        tact_world_set_contact_callback(
            c.world, (tact_response){.want = TACT_INTERSECTIONS, .callback = check_crossings, .context = &w}),
        TACT_OK);
    for (int frame = 0; frame < 10; frame++) {
        crowd_move(&c, &d);
        tact_count done = tact_world_test(c.world);
        assert_int_equal(done.status, TACT_OK);
    }
    print_message("%d calls: %d with crossings (%zu segments), %d inside, %d curved\n", w.calls, w.crossed, w.segments,
                  w.inside, w.curved);
    assert_true(w.crossed > 200 && w.inside > 5 && w.curved > 50 && w.starved == 0);
    /* the same again needs no memory */
    long calls = r.calls;
    for (int frame = 0; frame < 3; frame++)
        assert_int_equal(tact_world_test(c.world).status, TACT_OK);
    assert_int_equal(r.calls, calls);
    tact_world_release(c.world);
    assert_int_equal(r.held, 0);
    release_shapes(shapes);
}

/* Every n-th allocation fails: a contact says so, the next ones are right again. */
static void memory_runs_out(void **state)
{
    (void)state;
    const tact_shape *shapes[KINDS];
    int starved = 0, crossed = 0;
    make_shapes(shapes);
    for (long fail = 1; fail <= 24; fail += quick_form() ? 3 : 1) {
        dice d = dice_for(42, 1, (uint64_t)fail);
        failing_allocator r = {0};
        watch w = {0};
        crowd c;
        crowd_make(&c, shapes, &d, &(tact_world_def){.allocator = failing_allocator_make(&r)});
        /* half of them: the broad phase has its memory, and only the intersections allocate */
        if (fail % 2 == 0)
            (void)tact_world_test(c.world);
        (void)tact_world_set_contact_callback(
            c.world, (tact_response){.want = TACT_INTERSECTIONS, .callback = check_crossings, .context = &w});
        if (fail % 3 == 0)
            r.every = 1 + fail / 6;
        else
            r.fail_at = r.calls + 1 + fail / 4;
        for (int frame = 0; frame < 3; frame++)
            (void)tact_world_test(c.world);
        starved += w.starved;
        crossed += w.crossed;
        r.every = r.fail_at = 0;
        w = (watch){0};
        assert_int_equal(tact_world_test(c.world).status, TACT_OK);
        assert_true(w.crossed > 0 && w.starved == 0);
        tact_world_release(c.world);
        assert_int_equal(r.held, 0);
    }
    print_message("%d contacts without memory, %d with\n", starved, crossed);
    assert_true(starved > (quick_form() ? 1 : 5) && crossed > (quick_form() ? 30 : 100));
    release_shapes(shapes);
}

/* ---- parts ---- */

typedef struct part_watch {
    int calls, leaves, faces;
} part_watch;

static void check_parts(void *context, const tact_contact *c)
{
    part_watch *w = context;
    const actor *a = c->user_a, *b = c->user_b;
    tact_part part_a, part_b;
    if (c->want == TACT_WITNESS) {
        tact_common_point right = tact_shapes_common_point(a->shape, a->place, b->shape, b->place, NULL);
        part_a = right.part_a;
        part_b = right.part_b;
    } else if (c->want == TACT_PREVIOUS) {
        tact_distance right = tact_shapes_distance(a->shape, a->before, b->shape, b->before);
        part_a = right.part_a;
        part_b = right.part_b;
    } else {
        tact_manifold right = tact_shapes_manifold(a->shape, a->place, b->shape, b->place, 0.0);
        part_a = right.points[0].part_a;
        part_b = right.points[0].part_b;
    }
    assert_true(same_part(c->part_a, part_a) && same_part(c->part_b, part_b));
    assert_true(c->intersections == NULL && c->intersection_count == 0);
    ++w->calls;
    w->leaves += part_a.leaf > 0 || part_b.leaf > 0;
    w->faces += part_a.face > 0 || part_b.face > 0;
}

static void contacts_name_their_parts(void **state)
{
    (void)state;
    const tact_want wants[3] = {TACT_WITNESS, TACT_PREVIOUS, TACT_CONTACTS};
    const tact_shape *shapes[KINDS];
    make_shapes(shapes);
    for (int k = 0; k < 3; k++) {
        dice d = dice_for(43, 1, (uint64_t)k);
        part_watch w = {0};
        crowd c;
        crowd_make(&c, shapes, &d, NULL);
        (void)tact_world_set_contact_callback(
            c.world, (tact_response){.want = wants[k], .callback = check_parts, .context = &w});
        for (int frame = 0; frame < (wants[k] == TACT_CONTACTS ? 1 : 4); frame++) {
            for (int i = 0; i < BODIES; i++)
                c.actors[i].before = c.actors[i].place;
            (void)tact_world_store_previous(c.world);
            crowd_move(&c, &d);
            assert_int_equal(tact_world_test(c.world).status, TACT_OK);
        }
        print_message("want %d: %d calls, %d with leaves, %d with faces\n", (int)wants[k], w.calls, w.leaves, w.faces);
        assert_true(w.calls > 30 && w.leaves > 3 && w.faces > 20);
        tact_world_release(c.world);
    }
    release_shapes(shapes);
}

static void searches_name_their_parts(void **state)
{
    (void)state;
    const tact_shape *shapes[KINDS];
    dice d = dice_for(44, 1, 0);
    crowd c;
    int hits[4] = {0}, faces = 0, leaves = 0, of_shape = 0;
    make_shapes(shapes);
    crowd_make(&c, shapes, &d, NULL);
    const tact_shape *probe = shapes[4];
    for (int i = 0; i < 300; i++) {
        tact_transform at = rolled(&d);
        tact_query s = {.type = (tact_query_type)(TACT_QUERY_RAY + i % 4), .shape = probe, .transform = at};
        s.from = vec_make(4, 4, 4);
        s.direction = vec_sub(at.origin, s.from);
        if (s.type == TACT_QUERY_CAST) {
            s.transform.origin = vec_scale(at.origin, 4.0);
            s.direction = vec_scale(at.origin, -4.0);
        }
        bool point = s.type == TACT_QUERY_CLOSEST && i % 8 == 3;
        if (point)
            s.shape = NULL;
        s.any = s.type == TACT_QUERY_OVERLAP;
        tact_hit f = tact_world_query(c.world, &s);
        assert_int_equal(f.status, TACT_OK);
        if (f.state != TACT_HIT)
            continue;
        const actor *b = f.user;
        tact_part right = {0, 0}, right_of_shape = {0, 0};
        if (s.type == TACT_QUERY_RAY) {
            right = tact_shape_ray(b->shape, b->place, s.from, s.direction, INFINITY).part;
        } else if (s.type == TACT_QUERY_CAST) {
            tact_toi hit = tact_shapes_cast(probe, s.transform, s.direction, b->shape, b->place);
            right = hit.part_b;
            right_of_shape = hit.part_a;
        } else if (s.type == TACT_QUERY_OVERLAP) {
            tact_common_point common = tact_shapes_common_point(probe, at, b->shape, b->place, NULL);
            right = common.part_b;
            right_of_shape = common.part_a;
        } else if (point) {
            right = tact_shape_closest(b->shape, b->place, s.from).part;
        } else {
            tact_distance near = tact_shapes_distance(probe, at, b->shape, b->place);
            right = near.part_b;
            right_of_shape = near.part_a;
        }
        assert_true(same_part(f.part, right) && same_part(f.part_of_shape, right_of_shape));
        ++hits[i % 4];
        faces += right.face > 0;
        leaves += right.leaf > 0;
        of_shape += right_of_shape.leaf > 0 || right_of_shape.face > 0;
    }
    /* the deepest: parts of the depth */
    tact_hit f = tact_world_overlap(c.world, probe, c.actors[0].place, NULL);
    const actor *b = f.user;
    tact_penetration in = tact_shapes_penetration(probe, c.actors[0].place, b->shape, b->place);
    assert_true(same_part(f.part, in.part_b) && same_part(f.part_of_shape, in.part_a));
    print_message("hits %d %d %d %d; %d faces, %d leaves, %d of the shape\n", hits[0], hits[1], hits[2], hits[3], faces,
                  leaves, of_shape);
    assert_true(hits[0] > 20 && hits[1] > 20 && hits[2] > 20 && hits[3] > 20 && faces > 30 && leaves > 5 &&
                of_shape > 30);
    tact_world_release(c.world);
    release_shapes(shapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crossings_are_those_of_the_shapes),
                                       cmocka_unit_test(memory_runs_out), cmocka_unit_test(contacts_name_their_parts),
                                       cmocka_unit_test(searches_name_their_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
