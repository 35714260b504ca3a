/*
 * Self-collision of deformable bodies: the flag, the tests of a world test, and the contacts.
 *
 * A body touches itself if two of its triangles intersect beyond the vertices and edges they share
 * (exact/self_intersection.h), in local coordinates: its transform does not matter. Nothing is cached: each test
 * traverses the tree of the body, until the first intersection. A NURBS body touches itself if its surfaces may, within
 * their errors (nurbs/nurbs_self.h); the list of the last test is kept.
 *
 * The bodies with the flag are in a list, so that a world without them pays nothing. Setting the flag appends to the
 * list, for which there is always capacity. Clearing the flag or removing the body leaves the entry: the next test
 * drops it. That test also sorts the list by index, so the order of contacts does not depend on the history.
 */
#include "world/self_collision.h"

#include "complex/complex_contact.h"
#include "core/heap.h"
#include "core/work.h"
#include "exact/self_intersection.h"
#include "nurbs/nurbs_shape.h"
#include "world/world_constants.h"
#include "world/world_internal.h"

/* ---- the flag ---- */

bool tact_shape_can_self_collide(const tact_shape *shape) { return shape->type == TACT_MESH; }

void tact_body_flag_self_collision(tact_world *world, uint32_t index, bool on)
{
    world_body *hot = &world->bodies.items[index];
    if (!on) {
        hot->flags &= ~(uint32_t)BODY_SELF_COLLISION;
        return;
    }
    hot->flags |= BODY_SELF_COLLISION;
    if (!(hot->flags & BODY_SELF_LISTED)) {
        hot->flags |= BODY_SELF_LISTED;
        world->self_colliding.items[world->self_colliding.count++] = index;
    }
}

tact_status tact_body_set_self_collision(tact_world *world, tact_body body, bool on)
{
    const world_body *hot = body_find(world, body);
    if (hot == NULL)
        return TACT_BAD_ARGUMENT;
    if (on && (world->cold.items[body.index].deform == NULL || !tact_shape_can_self_collide(hot->shape)))
        return TACT_BAD_ARGUMENT;
    if (world->cold.items[body.index].vertex_plan != NULL)
        tact_extensions_before_body_change(world, body.index);
    tact_body_flag_self_collision(world, body.index, on);
    if (world->cold.items[body.index].vertex_plan != NULL)
        tact_extensions_body_changed(world, body.index, BODY_CHANGE_OTHER);
    WORLD_NOTIFY(world, .type = CALL_SET_SELF_COLLISION, .body = body, .setting = on);
    return TACT_OK;
}

bool tact_body_get_self_collision(const tact_world *world, tact_body body)
{
    const world_body *hot = body_find(world, body);
    return hot != NULL && (hot->flags & BODY_SELF_COLLISION) != 0;
}

/* ---- tests ---- */

static inline bool index_before(const void *context, const uint32_t *a, const uint32_t *b)
{
    (void)context;
    return *a < *b;
}

HEAP_SORT_OF(sort_indices, uint32_t, const void *, index_before)

/* Drops the bodies without the flag from the list, and sorts it by index. */
static void clean_list(tact_world *world)
{
    body_index_array *list = &world->self_colliding;
    size_t count = 0;
    bool sorted = true;
    for (size_t i = 0; i < list->count; ++i) {
        world_body *hot = &world->bodies.items[list->items[i]];
        if (!(hot->flags & BODY_SELF_COLLISION)) {
            hot->flags &= ~(uint32_t)BODY_SELF_LISTED;
            continue;
        }
        sorted = sorted && (count == 0 || list->items[count - 1] < list->items[i]);
        list->items[count++] = list->items[i];
    }
    list->count = count;
    if (!sorted)
        sort_indices(NULL, list->items, count);
}

bool tact_self_tests_begin(tact_world *world)
{
    clean_list(world);
    if (!self_test_array_resize(&world->self_tests, &world->allocator, world->self_colliding.count))
        return false;
    for (size_t i = 0; i < world->self_colliding.count; ++i)
        world->self_tests.items[i] = (self_test){.index = world->self_colliding.items[i]};
    return true;
}

/* A NURBS body: it touches itself if its surfaces may, within their errors. Uses memory, so not on several threads. */
static tact_status test_surface(const tact_world *world, self_test *test)
{
    const world_body *hot = &world->bodies.items[test->index];
    bool touches;
    const tact_status status =
        tact_nurbs_geometry_find_self_contact(hot->shape->nurbs, &touches, &test->point, test->triangles);
    if (status == TACT_OK)
        test->state = touches ? SELF_TEST_TOUCHING : SELF_TEST_APART;
    return status;
}

static void test_body(const tact_world *world, self_test *test)
{
    const bool touches =
        tact_mesh_find_self_intersection(world->bodies.items[test->index].shape->mesh, test->triangles);
    test->state = touches ? SELF_TEST_TOUCHING : SELF_TEST_APART;
}

static void test_range(void *data, size_t begin, size_t end)
{
    tact_world *world = data;
    for (size_t i = begin; i < end; ++i) {
        self_test *test = &world->self_tests.items[i];
        if (world->bodies.items[test->index].shape->nurbs == NULL &&
            tact_response_of(world, test->index, test->index).callback != NULL)
            test_body(world, test);
    }
}

void tact_self_tests_run(tact_world *world)
{
    tact_work_parallel_for(&world->parallel, world->self_tests.count, WORLD_SELF_TEST_GRAIN, test_range, world);
}

/* ---- contacts ---- */

static void fill_point(const world_body *body, const self_test *test, tact_contact *contact)
{
    tact_common_point common;
    if (body->shape->nurbs != NULL)
        common =
            (tact_common_point){.point = vec_add(vec_transform(&body->transform, test->point), body->transform.origin),
                                .part_a = {0, test->triangles[0]},
                                .part_b = {0, test->triangles[1]}};
    else
        common = tact_complex_self_common_point(body->shape, &body->transform, test->triangles);
    contact->point = contact->on_a = contact->on_b = common.point;
    contact->part_a = common.part_a;
    contact->part_b = common.part_b;
}

static void fill_self_intersections(tact_world *world, const world_body *body, tact_contact *contact)
{
    intersection_array *s = &world->intersections;
    tact_intersections c = tact_complex_self_intersections(body->shape, &body->transform, s->items, s->capacity);
    if (c.status == TACT_OUT_OF_MEMORY && intersection_array_reserve(s, &world->allocator, c.count))
        c = tact_complex_self_intersections(body->shape, &body->transform, s->items, s->capacity);
    contact->status = c.status;
    if (c.status == TACT_OUT_OF_MEMORY)
        return;
    contact->intersections = s->items;
    contact->intersection_count = c.count;
}

static void fill_self_contact(tact_world *world, const self_test *test, const tact_response *response,
                              tact_contact *contact, contact_storage *storage)
{
    const world_body *body = &world->bodies.items[test->index];
    const tact_body handle = body_handle(world, test->index);
    void *user = world->cold.items[test->index].user;
    *contact = (tact_contact){
        .world = world, .a = handle, .b = handle, .user_a = user, .user_b = user, .want = response->want};
    if (response->want == TACT_INTERSECTIONS) {
        fill_self_intersections(world, body, contact);
        return;
    }
    if (response->want == TACT_NOTHING)
        return;
    fill_point(body, test, contact);
    if (response->want == TACT_CONTACTS) {
        storage->manifold = (tact_manifold){.status = TACT_OK, .state = TACT_HIT, .count = 1};
        storage->manifold.points[0] = (tact_manifold_point){
            .on_a = contact->on_a, .on_b = contact->on_b, .part_a = contact->part_a, .part_b = contact->part_b};
        contact->manifold = &storage->manifold;
    } else if (response->want == TACT_CONTACT_POINTS) {
        storage->points[0] = (tact_contact_point){
            .on_a = contact->on_a, .on_b = contact->on_b, .part_a = contact->part_a, .part_b = contact->part_b};
        contact->points = storage->points;
        contact->point_count = 1;
    }
}

void tact_self_test_respond(tact_world *world, size_t number, uint64_t start, tact_count *total)
{
    self_test *test = &world->self_tests.items[number];
    const world_body *body = &world->bodies.items[test->index];
    if (!(body->flags & BODY_SELF_COLLISION)) /* not set if the body has been removed */
        return;
    const tact_response response = tact_response_of(world, test->index, test->index);
    if (response.callback == NULL)
        return;
    if (body->shape->nurbs != NULL) {
        const tact_status status = work_status(test_surface(world, test));
        if (status != TACT_OK) {
            const reported_pair pair = pair_in_order(world, test->index, test->index);
            tact_phases_keep(&world->phases, &pair);
            total->status = status;
            return;
        }
    } else if (body->change > start || test->state == SELF_TEST_UNDECIDED) {
        test_body(world, test);
    }
    if (test->state != SELF_TEST_TOUCHING)
        return;
    tact_contact contact;
    contact_storage storage;
    fill_self_contact(world, test, &response, &contact, &storage);
    const reported_pair pair = {contact.a, contact.b};
    if (work_is_cancelled()) {
        tact_phases_keep(&world->phases, &pair);
        total->status = TACT_CANCELLED;
        return;
    }
    contact.phase = tact_phases_report(&world->phases, &pair);
    ++total->count;
    tact_world_invoke_contact_callback(world, &response, &contact);
}
