/*
 * A sequence of calls on a world from bytes: bodies come, go, move, deform and change shape; tests, queries and
 * continuous time in between. With a first byte from 128 on there are also contacts that last, pivots, reaches and
 * phases. No crash, no hang, no undefined behaviour; both broad phases find the same number of contacts. A world that
 * was saved and restored has the same bytes, and goes on as before, event by event.
 */
#include <stdlib.h>

#include "moderate.h"
#include "values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SHAPES = 4, BODIES = 12, CALLS = 64, EVENTS = 20 };

#define MARGINAL_DEPTH 1e-12 /* of the coordinates: more than the rounding of an overlap test */

typedef struct fuzzed_world {
    tact_world *world;
    bool lasting; /* contacts that last, and so on */
    tact_shape *shapes[SHAPES];
    tact_body bodies[BODIES];
    tact_response response;
} fuzzed_world;

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void count_contact(void *context, const tact_contact *contact)
{
    (void)contact;
    ++*(size_t *)context;
}

static void body_add(fuzzed_world *w, values *v)
{
    tact_body *slot = &w->bodies[take_below(v, BODIES)];
    tact_body_def def = {.shape = w->shapes[take_below(v, SHAPES)]};
    def.transform = take_transform(v);
    def.motion = take_motion(v);
    def.class_id = take_below(v, 3);
    def.rotation_invariant_bounds = take_below(v, 2) == 1;
    def.deformable = take_below(v, 4) == 1;
    if (w->lasting) {
        const unsigned kind = take_below(v, 8);
        def.density = !def.deformable && kind % 2 == 1 ? 1.0 : 0.0;
        def.material.friction = 0.25 * take_below(v, 5);
        def.material.restitution = 0.25 * take_below(v, 5);
        def.reach = kind < 2 ? 0.25 * take_below(v, 5) : 0.0;
        def.motion.pivot = kind == 4 ? take_vec(v) : tact_vec(0.0, 0.0, 0.0);
    }
    if (tact_body_exists(w->world, *slot))
        require(tact_body_remove(w->world, *slot) == TACT_OK);
    *slot = tact_body_create(w->world, &def);
}

static void body_deform(fuzzed_world *w, tact_body body, values *v)
{
    tact_vec3 vertices[FUZZ_POINTS];
    const size_t count = tact_body_get_vertices(w->world, body, vertices, FUZZ_POINTS);
    if (count == 0 || count > FUZZ_POINTS)
        return;
    vertices[take_below(v, (unsigned)count)] = take_vec(v);
    (void)tact_body_deform(w->world, body, (tact_vertices){vertices, count, 0, TACT_SCALAR_DOUBLE});
    (void)tact_body_set_self_collision(w->world, body, true); /* fails for a soup or a rigid body */
}

static void advance(fuzzed_world *w, values *v)
{
    const double until = tact_world_get_time(w->world) + fmin(fabs(take_number(v)), MODERATE_TIME);
    const unsigned response = take_below(v, 3);
    for (int i = 0; i < EVENTS && is_moderate(w->world); i++) {
        tact_event event;
        const double before = tact_world_get_time(w->world);
        if (tact_world_next_event(w->world, until, &event) == TACT_EVENT_NONE)
            break;
        require(event.time >= before);
        if (event.kind == TACT_EVENT_TOUCH && response > 0)
            (void)tact_world_bounce(w->world, &event, response == 1 ? 1.0 : 0.0);
    }
}

static void query(const fuzzed_world *w, values *v)
{
    tact_query q = {.type = (tact_query_type)take_below(v, 5), .shape = w->shapes[take_below(v, SHAPES)]};
    q.transform = take_transform(v);
    q.from = take_vec(v);
    q.direction = take_vec(v);
    q.max = take_number(v);
    q.any = take_below(v, 2) == 1;
    (void)tact_world_query(w->world, &q);
    tact_hit hits[4];
    (void)tact_world_query_all(w->world, &q, hits, 4);
}

static tact_event next_event(tact_world *world, double until)
{
    tact_event event = {0};
    (void)tact_world_next_event(world, until, &event);
    return event;
}

/* Two worlds in the same state have the same events. */
static void go_on(tact_world *one, tact_world *other)
{
    const double until = tact_world_get_time(one) + 0.5 * MODERATE_TIME;
    for (int i = 0; i < EVENTS && is_moderate(one); i++) {
        const tact_event a = next_event(one, until), b = next_event(other, until);
        require(a.status == b.status && a.kind == b.kind && a.time == b.time && a.a.index == b.a.index &&
                a.b.index == b.b.index && memcmp(&a.point, &b.point, sizeof a.point) == 0 &&
                memcmp(&a.normal, &b.normal, sizeof a.normal) == 0);
        if (a.kind == TACT_EVENT_NONE)
            break;
        if (a.kind == TACT_EVENT_TOUCH)
            require(tact_world_bounce(one, &a, 0.25) == tact_world_bounce(other, &b, 0.25));
    }
    require(tact_world_get_time(one) == tact_world_get_time(other));
    for (tact_body b = tact_world_next_body(one, (tact_body){0}); tact_body_exists(one, b);
         b = tact_world_next_body(one, b)) {
        const tact_transform at[2] = {tact_body_get_transform(one, b), tact_body_get_transform(other, b)};
        require(memcmp(&at[0], &at[1], sizeof at[0]) == 0);
    }
}

/* A world that is restored with its predictions goes on bit for bit: without deformable bodies. */
static bool is_rigid(const tact_world *world)
{
    for (tact_body b = tact_world_next_body(world, (tact_body){0}); tact_body_exists(world, b);
         b = tact_world_next_body(world, b))
        if (tact_body_is_deformable(world, b))
            return false;
    return true;
}

/* Pairs that touch or miss by rounding: the cached axis of a test decides whether they are found. */
static size_t marginal_pairs(const tact_world *world)
{
    size_t count = 0;
    for (tact_body a = tact_world_next_body(world, (tact_body){0}); tact_body_exists(world, a);
         a = tact_world_next_body(world, a))
        for (tact_body b = tact_world_next_body(world, a); tact_body_exists(world, b);
             b = tact_world_next_body(world, b)) {
            const tact_shape *shapes[2] = {tact_body_get_shape(world, a), tact_body_get_shape(world, b)};
            const tact_transform at[2] = {tact_body_get_transform(world, a), tact_body_get_transform(world, b)};
            double size = 0.0;
            for (int i = 0; i < 2; i++) {
                tact_bounds box = {0};
                (void)tact_shape_bounds(shapes[i], at[i], &box);
                size += vec_max(box.min) + vec_max(box.max);
            }
            const tact_penetration p = tact_shapes_penetration(shapes[0], at[0], shapes[1], at[1]);
            count += p.status != TACT_OK || !(fabs(p.depth) > MARGINAL_DEPTH * size);
        }
    return count;
}

static bool counts_agree(const tact_world *world, tact_count a, tact_count b)
{
    if (b.status != TACT_OK || a.count == b.count)
        return true;
    return (a.count > b.count ? a.count - b.count : b.count - a.count) <= marginal_pairs(world);
}

/* The same world from its bytes has the same contacts, as has either broad phase. */
static void compare(fuzzed_world *w)
{
    const tact_response none = {0};
    const tact_count now = tact_world_test(w->world);
    if (now.status != TACT_OK)
        return;
    (void)tact_world_set_broad_phase(w->world, TACT_BROAD_SWEEP_AND_PRUNE);
    const tact_count sweep = tact_world_test(w->world);
    (void)tact_world_set_broad_phase(w->world, TACT_BROAD_TREE);
    const tact_count tree = tact_world_test(w->world);
    (void)tact_world_set_broad_phase(w->world, TACT_BROAD_AUTO);
    require(counts_agree(w->world, now, sweep) && counts_agree(w->world, now, tree));
    tact_bytes bytes = {0};
    (void)tact_world_set_contact_callback(w->world, none); /* a pointer cannot be saved without a map */
    if (tact_world_save(w->world, tact_bytes_sink(&bytes), NULL, NULL) == TACT_OK) {
        tact_world *again = tact_world_restore(bytes.data, bytes.size, NULL, NULL);
        require(again != NULL && tact_world_body_count(again) == tact_world_body_count(w->world));
        tact_bytes same = {0};
        const tact_status status = tact_world_save(again, tact_bytes_sink(&same), NULL, NULL);
        require(status == TACT_OK && same.size == bytes.size && memcmp(same.data, bytes.data, same.size) == 0);
        tact_bytes_release(&same);
        if (w->lasting && is_rigid(w->world))
            go_on(w->world, again);
        tact_world_release(again);
    }
    tact_bytes_release(&bytes);
    (void)tact_world_set_contact_callback(w->world, w->response);
}

/* What there is in continuous time, besides motions. */
static void call_lasting(fuzzed_world *w, tact_body body, values *v)
{
    tact_persistent_contact contacts[2];
    switch (take_below(v, 12)) {
    case 0:
        (void)tact_world_set_gravity(w->world, take_vec(v));
        break;
    case 1:
        (void)tact_world_set_contact_step(w->world, 1.0 / (1.0 + take_byte(v)));
        break;
    case 2:
        (void)tact_body_set_reach(w->world, body, take_number(v));
        break;
    case 3: {
        const double friction = take_number(v), restitution = take_number(v);
        (void)tact_body_set_material(w->world, body, (tact_material){friction, restitution, take_number(v)});
        break;
    }
    case 4: {
        const tact_vec3 impulse = take_vec(v);
        (void)tact_body_apply_impulse(w->world, body, impulse, take_vec(v));
        break;
    }
    case 5: {
        tact_motion motion = take_motion(v);
        motion.pivot = take_vec(v);
        (void)tact_body_set_motion(w->world, body, motion);
        break;
    }
    case 6:
        (void)tact_world_set_sleeping(w->world, take_below(v, 2) == 1);
        break;
    case 7:
        (void)tact_world_set_contact_events(w->world, take_below(v, 2) == 1);
        break;
    case 8:
        (void)tact_world_set_kinetic(w->world, (tact_kinetic)take_below(v, 3));
        break;
    case 9:
        (void)tact_body_make_deformable(w->world, body);
        break;
    case 10:
        (void)tact_body_wake(w->world, body);
        require(tact_body_get_contacts(w->world, body, contacts, 2) <= BODIES);
        break;
    default:
        if (is_moderate(w->world)) /* it passes over events, and so cannot be limited by their number */
            (void)tact_world_step(w->world, take_below(v, 16) / 60.0);
    }
}

static void call(fuzzed_world *w, values *v)
{
    const unsigned which = take_below(v, w->lasting ? 24 : 16);
    const tact_body body = w->bodies[take_below(v, BODIES)];
    switch (which) {
    case 0:
    case 1:
    case 2:
        body_add(w, v);
        break;
    case 3:
        (void)tact_body_remove(w->world, body);
        break;
    case 4:
        (void)tact_body_set_transform(w->world, body, take_transform(v));
        break;
    case 5:
        (void)tact_body_set_motion(w->world, body, take_motion(v));
        break;
    case 6:
        (void)tact_body_set_shape(w->world, body, w->shapes[take_below(v, SHAPES)]);
        break;
    case 7:
        (void)tact_body_set_mass(w->world, body, take_number(v));
        break;
    case 8:
        body_deform(w, body, v);
        break;
    case 9: {
        const unsigned category = take_byte(v);
        (void)tact_body_set_filter(w->world, body, category, take_byte(v));
        break;
    }
    case 10:
        (void)tact_body_set_poll_interval(w->world, body, take_number(v));
        break;
    case 11:
    case 12:
        advance(w, v);
        break;
    case 13:
        query(w, v);
        break;
    case 14:
        (void)tact_world_sync_transforms(w->world);
        (void)tact_world_store_previous(w->world);
        break;
    case 15:
        compare(w);
        break;
    default:
        call_lasting(w, body, v);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    values v = {.at = data, .end = data + size, .plain = true};
    fuzzed_world w = {.world = tact_world_create(NULL)};
    size_t contacts = 0;
    const unsigned first = take_byte(&v);
    w.lasting = first >= 128;
    w.response = (tact_response){.want = (tact_want)(first % (w.lasting ? 6 : 5)),
                                 .callback = count_contact,
                                 .context = &contacts,
                                 .max_separation = first >= 192 ? 0.5 : 0.0};
    (void)tact_world_set_contact_callback(w.world, w.response);
    for (int i = 0; i < SHAPES; i++)
        w.shapes[i] = take_shape(&v, 1);
    for (int i = 0; i < CALLS && values_left(&v); i++)
        call(&w, &v);
    compare(&w);
    tact_world_release(w.world);
    for (int i = 0; i < SHAPES; i++)
        tact_shape_release(w.shapes[i]);
    return 0;
}
