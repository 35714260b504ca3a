/*
 * Overlap tests of all pairs, and contact callbacks: see tact_world_test.
 *
 * First all pairs are tested on several threads. The test of a pair writes only its own result and its own data in the
 * broad phase, so results do not depend on threads. Then the callbacks are called in the order of pairs. A pair is
 * tested again only if one of its bodies has changed since the test began, by the world's count of changes. If no
 * callback changes anything, the second pass reads one byte for a pair that does not touch.
 *
 * The last separating axis of a pair is cached in its 64 bits of data in the broad phase: three coordinates of
 * CACHED_AXIS_BITS bits. It is a starting point of the next test: its rounding costs iterations, and changes an
 * answer only within 1e-12 L of just touching (tact_cache).
 *
 * Bodies that are tested against themselves follow after the pairs, in the same two passes (self_collision.c), then the
 * pairs that have ended (contact_phase.h).
 */
#include <tact/advance.h>

#include "core/work.h"
#include "shape/shape_data.h"
#include "world/self_collision.h"
#include "world/work.h"
#include "world/world_constants.h"
#include "world/world_internal.h"

/* The result of a pair; RESULT_FAILED + status if it could not be decided. */
enum { RESULT_UNDECIDED, RESULT_APART, RESULT_TOUCHING, RESULT_FAILED };

#define CACHED_AXIS_MAX 1048575.0           /* 2^20 - 1, the largest coordinate of CACHED_AXIS_BITS bits */
#define CACHED_AXIS_SET (UINT64_C(1) << 63) /* there is an axis */

static uint64_t pack_axis(tact_vec3 axis)
{
    double largest = vec_max_abs(axis);
    if (!(largest > 1e-300 && largest < 1e300)) /* no axis, or one that cannot be scaled */
        return 0;
    double scale = CACHED_AXIS_MAX / largest;
    const double c[3] = {axis.x * scale, axis.y * scale, axis.z * scale};
    uint64_t packed = CACHED_AXIS_SET;
    for (int i = 0; i < 3; ++i) {
        int64_t rounded = (int64_t)(c[i] < 0.0 ? c[i] - 0.5 : c[i] + 0.5);
        packed |= (uint64_t)(rounded + (1 << (CACHED_AXIS_BITS - 1))) << (CACHED_AXIS_BITS * i);
    }
    return packed;
}

static tact_vec3 unpack_axis(uint64_t packed)
{
    if (!(packed & CACHED_AXIS_SET))
        return vec_make(0.0, 0.0, 0.0);
    double c[3];
    for (int i = 0; i < 3; ++i)
        c[i] = (double)((int64_t)(packed >> (CACHED_AXIS_BITS * i) & ((1 << CACHED_AXIS_BITS) - 1)) -
                        (1 << (CACHED_AXIS_BITS - 1)));
    return vec_make(c[0], c[1], c[2]);
}

/* The distance at which a pair is reported: only contact data with a depth can say that bodies are apart. */
static double reach_of(const tact_world *world, const broad_pair *pair, tact_want want)
{
    if (!((world->bodies.items[pair->a].flags | world->bodies.items[pair->b].flags) & BODY_HAS_REACH) ||
        (want != TACT_CONTACTS && want != TACT_CONTACT_POINTS))
        return 0.0;
    return world->cold.items[pair->a].reach + world->cold.items[pair->b].reach;
}

static tact_overlap test_shapes(const world_body *a, const world_body *b, double reach, tact_cache *cache)
{
    return reach > 0.0 ? tact_shapes_within(a->shape, a->transform, b->shape, b->transform, reach, cache)
                       : tact_shapes_overlap(a->shape, a->transform, b->shape, b->transform, cache);
}

/* Tests a pair. */
static uint8_t test_pair(const tact_world *world, broad_pair *pair, tact_want want)
{
    const world_body *a = &world->bodies.items[pair->a], *b = &world->bodies.items[pair->b];
    const double reach = reach_of(world, pair, want);
    tact_overlap result;
    /* no single axis separates meshes or compounds: nothing is cached for them */
    if (world->caching && shape_is_convex(a->shape) && shape_is_convex(b->shape)) {
        tact_vec3 axis = unpack_axis(pair->data);
        tact_cache cache = {axis};
        result = test_shapes(a, b, reach, &cache);
        if (!vec_equal(cache.axis, axis))
            pair->data = pack_axis(cache.axis);
    } else {
        result = test_shapes(a, b, reach, NULL);
    }
    if (result.status != TACT_OK)
        return (uint8_t)(RESULT_FAILED + (int)result.status);
    return result.state == TACT_HIT ? RESULT_TOUCHING : RESULT_APART;
}

typedef struct test_task {
    tact_world *world;
    const uint32_t *slots;
} test_task;

static void test_range(void *data, size_t begin, size_t end)
{
    const test_task *task = data;
    tact_world *world = task->world;
    for (size_t i = begin; i < end; ++i) {
        broad_pair *pair = tact_broad_pair(world->broad, task->slots[i]);
        const tact_response response = tact_response_of(world, pair->a, pair->b);
        world->pair_results.items[i] =
            response.callback != NULL ? test_pair(world, pair, response.want) : RESULT_UNDECIDED;
    }
}

void tact_world_invoke_contact_callback(tact_world *world, const tact_response *response, const tact_contact *contact)
{
    work_meter *const work = tact_work_enter(NULL); /* queries of the callback are its own */
    if (world->observer != NULL)
        world->observer->invoke_contact_callback(world->observer, response, contact);
    else
        response->callback(response->context, contact);
    (void)tact_work_enter(work);
}

/* Calls the callback of a pair, if it touches. Uses the current bodies and response, which callbacks may have changed.
 */
static void respond(tact_world *world, broad_pair *pair, uint8_t result, uint64_t start, tact_count *total)
{
    const world_body *a = &world->bodies.items[pair->a], *b = &world->bodies.items[pair->b];
    if (!(a->flags & b->flags & BODY_ALIVE))
        return;
    tact_response response = tact_response_of(world, pair->a, pair->b);
    if (response.callback == NULL)
        return;
    bool changed = a->change > start || b->change > start;
    if (changed) {
        broad_filter fa = tact_broad_get_filter(world->broad, pair->a),
                     fb = tact_broad_get_filter(world->broad, pair->b);
        if (!(fa.category & fb.mask) || !(fb.category & fa.mask))
            return;
    }
    if (changed || result == RESULT_UNDECIDED)
        result = test_pair(world, pair, response.want);
    const reported_pair bodies = pair_in_order(world, pair->a, pair->b);
    tact_contact contact;
    contact_storage storage;
    if (result == RESULT_TOUCHING)
        tact_world_fill_contact(world, pair->a, pair->b, &response, reach_of(world, pair, response.want), &contact,
                                &storage);
    if (work_is_cancelled())
        result = RESULT_FAILED + TACT_CANCELLED;
    if (result >= RESULT_FAILED) {
        tact_phases_keep(&world->phases, &bodies);
        if (total->status == TACT_OK)
            total->status = (tact_status)(result - RESULT_FAILED);
    }
    if (result != RESULT_TOUCHING)
        return;
    contact.phase = tact_phases_report(&world->phases, &bodies);
    ++total->count;
    tact_world_invoke_contact_callback(world, &response, &contact);
}

/* Calls the callback of a pair that has ended, if its response wants that. */
static void respond_to_end(tact_world *world, const reported_pair *pair, tact_count *total)
{
    const tact_response response = tact_response_of_ended(world, pair);
    if (response.callback == NULL || !response.report_end)
        return;
    const bool a_exists = body_find(world, pair->a) != NULL, b_exists = body_find(world, pair->b) != NULL;
    const tact_contact contact = {.world = world,
                                  .a = pair->a,
                                  .b = pair->b,
                                  .user_a = a_exists ? world->cold.items[pair->a.index].user : NULL,
                                  .user_b = b_exists ? world->cold.items[pair->b.index].user : NULL,
                                  .want = response.want,
                                  .phase = TACT_PHASE_END};
    ++total->count;
    tact_world_invoke_contact_callback(world, &response, &contact);
}

void tact_world_restore_axes(tact_world *world)
{
    for (size_t i = 0; i < world->axes.count; ++i) {
        uint32_t slot = tact_broad_find_pair(world->broad, world->axes.items[i].a, world->axes.items[i].b);
        if (slot != BROAD_NONE)
            tact_broad_pair(world->broad, slot)->data = world->axes.items[i].data;
    }
    cached_axis_array_release(&world->axes, &world->allocator);
}

tact_count tact_world_test(tact_world *world)
{
    tact_count total = {TACT_BAD_ARGUMENT, 0};
    if (world == NULL || world->testing)
        return total;
    const uint32_t *slots;
    size_t count;
    total.status = tact_world_sync_transforms(world);
    if (total.status != TACT_OK)
        return total;
    total.status = tact_broad_update(world->broad, NULL);
    bool updated = total.status == TACT_OK;
    if (updated && world->axes.count > 0)
        tact_world_restore_axes(world);
    if (updated)
        total.status = tact_broad_list_pairs(world->broad, &slots, &count);
    if (total.status == TACT_OK &&
        (!pair_result_array_resize(&world->pair_results, &world->allocator, count) || !tact_self_tests_begin(world) ||
         !tact_phases_begin(&world->phases, &world->allocator, count + world->self_tests.count)))
        total.status = TACT_OUT_OF_MEMORY;
    if (total.status != TACT_OK) {
        WORLD_NOTIFY(world, .type = CALL_TEST_FAILED, .setting = updated);
        return total;
    }
    WORLD_NOTIFY(world, .type = CALL_TEST);
    world_meter work;
    world_meter_begin(&work, world);
    test_task task = {world, slots};
    tact_work_parallel_for(&world->parallel, count, WORLD_TEST_GRAIN, test_range, &task);
    tact_self_tests_run(world);
    if (work_is_cancelled()) { /* as if there had been no test */
        world_meter_end(&work);
        total.status = TACT_CANCELLED;
        WORLD_NOTIFY(world, .type = CALL_TEST_END, .status = total.status);
        return total;
    }
    /* pairs, slots and their list change only in an update, which no callback can cause */
    uint64_t start = world->changes;
    world->testing = true;
    for (size_t i = 0; i < count && !world->release_pending; ++i) {
        uint8_t result = world->pair_results.items[i];
        if (result != RESULT_APART || world->changes != start)
            respond(world, tact_broad_pair(world->broad, slots[i]), result, start, &total);
    }
    for (size_t i = 0; i < world->self_tests.count && !world->release_pending; ++i)
        tact_self_test_respond(world, i, start, &total);
    world_meter_end(&work);
    const size_t ended = tact_phases_finish(&world->phases);
    for (size_t i = 0; i < ended && !world->release_pending; ++i) {
        const reported_pair pair = tact_phases_ended(&world->phases, i);
        respond_to_end(world, &pair, &total);
    }
    tact_phases_end(&world->phases);
    world->testing = false;
    WORLD_NOTIFY(world, .type = CALL_TEST_END, .status = total.status, .contact_count = total.count);
    if (world->release_pending)
        tact_world_release(world);
    return total;
}

tact_status tact_world_store_previous(tact_world *world)
{
    const tact_status status = tact_world_sync_transforms(world);
    if (status != TACT_OK)
        return status;
    for (size_t i = 0; i < world->moved.count; ++i) {
        world_body *hot = &world->bodies.items[world->moved.items[i]];
        world_body_cold *cold = &world->cold.items[world->moved.items[i]];
        hot->flags &= ~(uint32_t)BODY_MOVED;
        if (!(hot->flags & BODY_ALIVE))
            continue;
        cold->previous_transform = hot->transform;
        if (cold->previous_shape != hot->shape) {
            tact_shape_release(cold->previous_shape);
            cold->previous_shape = tact_shape_retain(hot->shape);
        }
    }
    world->moved.count = 0;
    WORLD_NOTIFY(world, .type = CALL_STORE_PREVIOUS);
    return TACT_OK;
}
