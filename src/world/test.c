/*
 * What touches now, and calling the responses: see tact_world_test.
 *
 * First all pairs are decided, on as many threads as there are: a pair writes nothing but its own verdict and its own
 * word in the broad phase, so threads cannot change an answer. Then the responses are called in order; a pair is
 * decided anew only if one of its bodies has changed since the test began, which the world's count of changes tells.
 * Where no response changes anything, the second pass reads one byte for a pair that does not touch.
 *
 * The axis that separated a pair is kept in the 64 bits that the broad phase keeps for it: three coordinates of 21
 * bits, 5e-7 of the largest, which costs no memory of its own. It is a place to begin and nothing more (see
 * tact_cache), so what is rounded off can cost a step, never an answer.
 */
#include <tact/advance.h>

#include "core/parallel.h"
#include "shape/shape_data.h"
#include "world/world_internal.h"

#define TEST_GRAIN 2048 /* pairs: some 100 us; waking a thread takes several, and more on a machine with other work */

/* The overlap result of a pair. RESULT_FAILED + status: the pair could not be decided. */
enum { RESULT_UNDECIDED, RESULT_APART, RESULT_TOUCHING, RESULT_FAILED };

#define AXIS_LARGEST 1048575.0 /* 2^20 - 1: what a coordinate of 21 bits holds */
#define AXIS_BITS 21
#define AXIS_KNOWN (UINT64_C(1) << 63)

static uint64_t pack_axis(tact_vec3 axis)
{
    double largest = vec_max_abs(axis);
    if (!(largest > 1e-300 && largest < 1e300)) /* nothing known; or not to be scaled, which does not happen */
        return 0;
    double scale = AXIS_LARGEST / largest;
    const double c[3] = {axis.x * scale, axis.y * scale, axis.z * scale};
    uint64_t word = AXIS_KNOWN;
    for (int i = 0; i < 3; ++i) {
        int64_t rounded = (int64_t)(c[i] < 0.0 ? c[i] - 0.5 : c[i] + 0.5);
        word |= (uint64_t)(rounded + (1 << (AXIS_BITS - 1))) << (AXIS_BITS * i);
    }
    return word;
}

static tact_vec3 unpack_axis(uint64_t word)
{
    if (!(word & AXIS_KNOWN))
        return vec_make(0.0, 0.0, 0.0);
    double c[3];
    for (int i = 0; i < 3; ++i)
        c[i] = (double)((int64_t)(word >> (AXIS_BITS * i) & ((1 << AXIS_BITS) - 1)) - (1 << (AXIS_BITS - 1)));
    return vec_make(c[0], c[1], c[2]);
}

/* Does the pair touch? */
static uint8_t decide(const tact_world *world, broad_pair *pair)
{
    const world_body *a = &world->bodies.items[pair->a], *b = &world->bodies.items[pair->b];
    tact_overlap verdict;
    /* Meshes and compounds are told apart by their trees: no one axis is worth caching for them. */
    if (world->caching && shape_is_convex(a->shape) && shape_is_convex(b->shape)) {
        tact_vec3 axis = unpack_axis(pair->data);
        tact_cache cache = {axis};
        verdict = tact_shapes_overlap(a->shape, a->transform, b->shape, b->transform, &cache);
        if (!vec_equal(cache.axis, axis))
            pair->data = pack_axis(cache.axis);
    } else {
        verdict = tact_shapes_overlap(a->shape, a->transform, b->shape, b->transform, NULL);
    }
    if (verdict.status != TACT_OK)
        return (uint8_t)(RESULT_FAILED + (int)verdict.status);
    return verdict.state == TACT_HIT ? RESULT_TOUCHING : RESULT_APART;
}

typedef struct decide_task {
    tact_world *world;
    const uint32_t *slots;
} decide_task;

static void decide_range(void *data, size_t begin, size_t end)
{
    const decide_task *task = data;
    tact_world *world = task->world;
    for (size_t i = begin; i < end; ++i) {
        broad_pair *pair = tact_broad_pair(world->broad, task->slots[i]);
        bool wanted = tact_response_of(world, pair->a, pair->b).callback != NULL;
        world->pair_results.items[i] = wanted ? decide(world, pair) : RESULT_UNDECIDED;
    }
}

/* Calls the response of a pair, if it touches; its bodies and its response are taken as they are by now. */
static void respond(tact_world *world, broad_pair *pair, uint8_t verdict, uint64_t start, tact_count *answer)
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
    if (changed || verdict == RESULT_UNDECIDED)
        verdict = decide(world, pair);
    if (verdict >= RESULT_FAILED && answer->status == TACT_OK)
        answer->status = (tact_status)(verdict - RESULT_FAILED);
    if (verdict != RESULT_TOUCHING)
        return;
    tact_contact contact;
    tact_manifold manifold;
    tact_world_fill_contact(world, pair->a, pair->b, &response, &contact, &manifold);
    ++answer->count;
    if (world->observer != NULL)
        world->observer->invoke_contact_callback(world->observer, &response, &contact);
    else
        response.callback(response.context, &contact);
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
    tact_count answer = {TACT_BAD_ARGUMENT, 0};
    if (world == NULL || world->testing)
        return answer;
    const uint32_t *slots;
    size_t count;
    answer.status = tact_world_sync_transforms(world);
    if (answer.status != TACT_OK)
        return answer;
    answer.status = tact_broad_update(world->broad, NULL);
    bool updated = answer.status == TACT_OK;
    if (updated && world->axes.count > 0)
        tact_world_restore_axes(world);
    if (updated)
        answer.status = tact_broad_list_pairs(world->broad, &slots, &count);
    if (answer.status == TACT_OK && !pair_result_array_resize(&world->pair_results, &world->allocator, count))
        answer.status = TACT_OUT_OF_MEMORY;
    if (answer.status != TACT_OK) {
        WORLD_NOTIFY(world, .type = CALL_TEST_FAILED, .setting = updated);
        return answer;
    }
    WORLD_NOTIFY(world, .type = CALL_TEST);
    decide_task task = {world, slots};
    tact_parallel_for(&world->parallel, count, TEST_GRAIN, decide_range, &task);
    /* the pairs, their slots and their list change in update alone, which no response can call */
    uint64_t start = world->changes;
    world->testing = true;
    for (size_t i = 0; i < count && !world->release_pending; ++i) {
        uint8_t verdict = world->pair_results.items[i];
        if (verdict != RESULT_APART || world->changes != start)
            respond(world, tact_broad_pair(world->broad, slots[i]), verdict, start, &answer);
    }
    world->testing = false;
    WORLD_NOTIFY(world, .type = CALL_TEST_END, .status = answer.status, .contact_count = answer.count);
    if (world->release_pending)
        tact_world_release(world);
    return answer;
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
