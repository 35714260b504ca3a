/*
 * A sequence of calls on a world from bytes: bodies come, go, move, deform and change shape; tests, queries and
 * continuous time in between. No crash, no hang, no undefined behaviour; both broad phases and a world that was saved
 * and restored find the same number of contacts.
 */
#include <stdlib.h>

#include "moderate.h"
#include "values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SHAPES = 4, BODIES = 12, CALLS = 64, EVENTS = 20 };

#define MARGINAL_DEPTH 1e-12 /* of the coordinates: more than the rounding of an overlap test */

typedef struct fuzzed_world {
    tact_world *world;
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
        tact_world_release(again);
    }
    tact_bytes_release(&bytes);
    (void)tact_world_set_contact_callback(w->world, w->response);
}

static void call(fuzzed_world *w, values *v)
{
    const unsigned which = take_below(v, 16);
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
    default:
        compare(w);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    values v = {data, data + size, true};
    fuzzed_world w = {.world = tact_world_create(NULL)};
    size_t contacts = 0;
    w.response = (tact_response){.want = (tact_want)take_below(&v, 5), .callback = count_contact, .context = &contacts};
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
