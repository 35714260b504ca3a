/* Overlapping pairs with moving vertices: see the header. */
#include "advance/deforming_overlap.h"

#include <float.h>
#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "advance/surface_motion.h"
#include "advance/vertex_motion.h"
#include "core/number.h"
#include "exact/triangle.h"

/* Brings the shapes of both bodies up to now. */
static tact_status sync_shapes(tact_world *world, const uint32_t bodies[2], tact_transform transforms[2])
{
    for (int i = 0; i < 2; ++i) {
        const tact_status status = tact_vertex_motion_sync(world, bodies[i]);
        if (status != TACT_OK)
            return status;
        transforms[i] = tact_advance_transform(world, bodies[i]);
    }
    return TACT_OK;
}

tact_status tact_deforming_test_overlap(tact_world *world, const uint32_t bodies[2], deforming_pair *pair)
{
    tact_transform transforms[2];
    const tact_status status = sync_shapes(world, bodies, transforms);
    if (status != TACT_OK)
        return status;
    const tact_common_point found = tact_shapes_common_point(world->bodies.items[bodies[0]].shape, transforms[0],
                                                             world->bodies.items[bodies[1]].shape, transforms[1], NULL);
    pair->overlaps_at_start = found.state == TACT_HIT;
    pair->point = found.point;
    pair->overlapping[0] = found.part_a;
    pair->overlapping[1] = found.part_b;
    return found.status == TACT_NOT_CONVERGED ? TACT_OK : found.status;
}

/* The sum of the distances of surfaces from the triangles that move, margins included. */
static double surface_reach(const advance *ad, const uint32_t bodies[2])
{
    return surface_motion_reach(&ad->cold.items[bodies[0]]) + surface_motion_reach(&ad->cold.items[bodies[1]]);
}

tact_status tact_deforming_search_contact(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], double end,
                                          double wider, pair_prediction *r)
{
    const advance *ad = world->advance;
    const int first = body_motion_deforms(&ad->cold.items[bodies[0]]) ? 0 : 1;
    if (first == 0 && body_motion_deforms(&ad->cold.items[bodies[1]]))
        return tact_deforming_surfaces_search(world, bodies, end, wider, false, r);
    return tact_deforming_shape_search(world, pair, bodies[1 - first], bodies[first], end, wider, NULL, r);
}

/* Whether the bodies are farther apart than the separation distance now. With a surface or a margin, also by the
 * triangles of the window: else they would be found in contact again at once. */
static tact_status test_separation(tact_world *world, deforming_pair *pair, const uint32_t bodies[2], bool *separated)
{
    const advance *ad = world->advance;
    tact_transform transforms[2];
    const tact_status status = sync_shapes(world, bodies, transforms);
    if (status != TACT_OK)
        return status;
    const double size =
        max_double(MIN_SIZE, body_motions_smaller_size(&ad->cold.items[bodies[0]], &ad->cold.items[bodies[1]]));
    const tact_overlap near =
        tact_shapes_within(world->bodies.items[bodies[0]].shape, transforms[0], world->bodies.items[bodies[1]].shape,
                           transforms[1], SEPARATION_DISTANCE * size, NULL);
    *separated = near.state == TACT_MISS;
    if (near.status != TACT_OK && near.status != TACT_NOT_CONVERGED)
        return near.status;
    const double reach = surface_reach(ad, bodies);
    if (!*separated || !(reach > 0.0))
        return TACT_OK;
    pair_prediction contact = {.time = INFINITY};
    const double wider = SEPARATION_DISTANCE * size + SURFACE_SEPARATION * reach;
    const tact_status found = tact_deforming_search_contact(world, pair, bodies, ad->time, wider, &contact);
    *separated = contact.time == INFINITY;
    return found;
}

/* When to examine a rigid and a deforming body again that are not separated now. */
static tact_status plan_examination_by_shape(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                             bool just_reported, double end)
{
    const advance *ad = world->advance;
    const int first = body_motion_deforms(&ad->cold.items[bodies[0]]) ? 0 : 1;
    const double size =
        max_double(MIN_SIZE, body_motions_smaller_size(&ad->cold.items[bodies[0]], &ad->cold.items[bodies[1]]));
    const double distance = SEPARATION_DISTANCE * size + SURFACE_SEPARATION * surface_reach(ad, bodies);
    const double longest = MAX_UNCERTAIN_STEP * size;
    shape_overlap overlap = {.speed = 0.0};
    const tact_status status = end == INFINITY
                                   ? TACT_OK
                                   : tact_deforming_shape_overlap(world, pair, bodies[1 - first], bodies[first], end,
                                                                  distance, longest, &overlap);
    if (status != TACT_OK)
        return status;
    if ((overlap.until - ad->time) * overlap.speed >= longest)
        pair->interval = 0.0;
    pair->interval = pair->interval > 0.0 ? number_min(2.0 * pair->interval, longest) : MIN_OVERLAP_STEP * size;
    /* without speed: at rest */
    pair->next_examination = overlap.speed > 0.0 ? max_double(overlap.until, ad->time + pair->interval / overlap.speed)
                             : just_reported     ? ad->time
                                                 : end;
    return TACT_OK;
}

tact_status tact_deforming_examine_overlap(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                           double end, pair_prediction *r)
{
    const advance *ad = world->advance;
    const double now = ad->time;
    const double span = end < INFINITY ? end - now : 1.0;
    const bool by_shape =
        !body_motion_deforms(&ad->cold.items[bodies[0]]) || !body_motion_deforms(&ad->cold.items[bodies[1]]);
    const bool just_reported = r->state == PAIR_TOUCHING || pair->interval == 0.0;
    bool separated = false;
    tact_status status = just_reported ? TACT_OK : test_separation(world, pair, bodies, &separated);
    if (status != TACT_OK)
        return status;
    if (separated) {
        (void)pair_observe(r, PAIR_SEES_SEPARATION);
        return TACT_OK;
    }
    if (just_reported)
        pair->interval = 0.0;
    if (by_shape) {
        status = plan_examination_by_shape(world, pair, bodies, just_reported, end);
    } else {
        pair->interval = just_reported ? SEPARATION_DISTANCE * span : number_min(2.0 * pair->interval, DBL_MAX);
        pair->next_examination = now + pair->interval;
    }
    pair->next_examination = max_double(pair->next_examination, nextafter(now, INFINITY));
    return status;
}

/* ---- by features ---- */

static bool witness_has_vertex(const deforming_pair *pair, int body, uint32_t vertex)
{
    const uint32_t first = pair->witness.first[body], end = pair->witness.end[body];
    if (end - first == (body == 0 ? pair->second_triangle : pair->triangles.count - pair->second_triangle))
        return true; /* all of the body */
    for (uint32_t i = first; i < end; ++i)
        for (int k = 0; k < 3; ++k)
            if (pair->triangles.items[i].vertices[k] == vertex)
                return true;
    return false;
}

/* Whether a contact may be one of the faces of the witness: they have vertices of both features. */
static bool concerns_witness(const deforming_pair *pair, const feature_pair *features)
{
    uint32_t vertices[4];
    bool found[2] = {false, false};
    tact_feature_windows_vertices(pair->windows, features, vertices);
    for (int i = 0; i < 4; ++i) {
        const int body = vertices[i] >= pair->second_vertex ? 1 : 0;
        found[body] = found[body] || witness_has_vertex(pair, body, vertices[i]);
    }
    return found[0] && found[1];
}

void tact_deforming_note_contact(deforming_pair *pair, const feature_event *event)
{
    pair->touches_until = max_double(pair->touches_until, event->ccd.lower);
    pair->interval = 0.0;
    pair->witness.valid = pair->witness.valid && !concerns_witness(pair, &event->pair);
}

void tact_deforming_forget_contacts(deforming_pair *pair, double now)
{
    pair->touches_until = number_min(pair->touches_until, now);
    pair->interval = 0.0;
    pair->witness.valid = false;
}

static double window_span(const deforming_pair *pair, double from)
{
    return pair->end < INFINITY ? max_double(pair->end - from, 0.0) : 1.0;
}

void tact_deforming_plan_examination(deforming_pair *pair, double now)
{
    double last = pair->touches_until;
    bool witness = pair->witness.valid;
    const feature_event *event;
    for (size_t i = 0; (event = tact_feature_windows_later(pair->windows, i)) != NULL; ++i) {
        const double next = event->ccd.lower;
        if (!witness) {
            const double middle = max_double(now, last + 0.5 * (next - last));
            if (middle > last && middle < next) {
                pair->next_examination = middle;
                return;
            }
        }
        last = max_double(last, next);
        witness = witness && !concerns_witness(pair, &event->pair);
    }
    last = max_double(last, now);
    const double interval = pair->interval > 0.0 ? pair->interval : SEPARATION_DISTANCE * window_span(pair, last);
    pair->next_examination = witness ? INFINITY : max_double(last + interval, nextafter(last, INFINITY));
}

static tact_vec3 position_now(const deforming_pair *pair, uint32_t vertex, double now)
{
    const linear_path path = tact_feature_windows_path(pair->windows, vertex);
    return linear_path_at(&path, now);
}

static void triangle_now(const deforming_pair *pair, uint32_t triangle, double now, tact_vec3 points[3])
{
    for (int k = 0; k < 3; ++k)
        points[k] = position_now(pair, pair->triangles.items[triangle].vertices[k], now);
}

/* Some triangles of a body. */
typedef struct triangle_choice {
    uint32_t items[WITNESS_MAX_TRIANGLES], count;
} triangle_choice;

/* Those from `first` to `end` - 1. If they are too many: none. */
static void choose_range(triangle_choice *c, uint32_t first, uint32_t end)
{
    c->count = 0;
    for (uint32_t i = first; i < end && end - first <= WITNESS_MAX_TRIANGLES; ++i)
        c->items[c->count++] = i;
}

/* Those that have a vertex of a witness, in the order of the body. */
static void choose_neighbours(const deforming_pair *pair, int body, triangle_choice *c)
{
    const uint32_t first = body == 0 ? 0 : pair->second_triangle;
    const uint32_t end = body == 0 ? pair->second_triangle : (uint32_t)pair->triangles.count;
    c->count = 0;
    for (uint32_t i = first; i < end && c->count < WITNESS_MAX_TRIANGLES; ++i) {
        const uint32_t *v = pair->triangles.items[i].vertices;
        if (witness_has_vertex(pair, body, v[0]) || witness_has_vertex(pair, body, v[1]) ||
            witness_has_vertex(pair, body, v[2]))
            c->items[c->count++] = i;
    }
}

/* Makes two triangles that intersect now the witness. False: none do. */
static bool choose_witness(deforming_pair *pair, const triangle_choice choices[2], double now)
{
    tact_vec3 others[WITNESS_MAX_TRIANGLES][3];
    for (uint32_t k = 0; k < choices[1].count; ++k)
        triangle_now(pair, choices[1].items[k], now, others[k]);
    for (uint32_t i = 0; i < choices[0].count; ++i) {
        tact_vec3 one[3];
        triangle_now(pair, choices[0].items[i], now, one);
        for (uint32_t k = 0; k < choices[1].count; ++k)
            if (tact_triangles_intersect(one, others[k])) {
                pair->witness = (overlap_witness){.valid = true};
                for (int body = 0; body < 2; ++body) {
                    const uint32_t at = choices[body].items[body == 0 ? i : k];
                    pair->witness.first[body] = at;
                    pair->witness.end[body] = at + 1;
                }
                return true;
            }
    }
    return false;
}

/* Replaces a witness by triangles around it that intersect now. */
static bool renew_witness(deforming_pair *pair, double now)
{
    triangle_choice choices[2];
    for (int body = 0; body < 2; ++body) {
        if (pair->witness.end[body] - pair->witness.first[body] != 1) /* none yet, or a large one */
            return false;
        choose_neighbours(pair, body, &choices[body]);
    }
    return choose_witness(pair, choices, now);
}

/* The triangles of the face where a body overlaps; of a leaf without numbered faces all. */
static void choose_face(const tact_world *world, deforming_pair *pair, const uint32_t bodies[2], int body,
                        const tact_part *part)
{
    const tact_shape *shape = world->bodies.items[bodies[body]].shape;
    const uint32_t first = body == 0 ? 0 : pair->second_triangle, first_vertex = body == 0 ? 0 : pair->second_vertex;
    const uint32_t end = body == 0 ? pair->second_triangle : (uint32_t)pair->triangles.count;
    feature_leaf leaf = {shape, 0, 0, shape->compound == NULL ? UINT32_MAX : 0};
    uint32_t low = end, high = first;
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t vertex = pair->triangles.items[i].vertices[0] - first_vertex;
        if (vertex < leaf.first_vertex || vertex >= leaf.end)
            leaf = tact_feature_mesh_leaf(shape, vertex);
        if (leaf.leaf != part->leaf || (leaf.shape->mesh != NULL && pair->faces.items[i] != part->face))
            continue;
        low = i < low ? i : low;
        high = i + 1;
    }
    pair->witness.first[body] = low < high ? low : first;
    pair->witness.end[body] = low < high ? high : end;
}

/* The parts of both bodies that overlap now become the witness: two triangles, if they can be found. */
static void set_witness(const tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                        const tact_common_point *common)
{
    triangle_choice choices[2];
    choose_face(world, pair, bodies, 0, &common->part_a);
    choose_face(world, pair, bodies, 1, &common->part_b);
    pair->witness.valid = true;
    for (int body = 0; body < 2; ++body)
        choose_range(&choices[body], pair->witness.first[body], pair->witness.end[body]);
    (void)choose_witness(pair, choices, world->advance->time);
}

/* A pair that is not separated, by contacts of the window: the witness is not valid if it has one now, which may end
 * without an event. Without a witness, sets `touches_until` if a contact lasts until then: the next event, or the end
 * of the window. */
static void examine_contacts(deforming_pair *pair, double now, double until)
{
    const feature_windows *w = pair->windows;
    const bool witness = pair->witness.valid;
    const feature_pair *features;
    for (size_t i = 0; (features = tact_feature_windows_touching(w, i)) != NULL; ++i) {
        if (witness && (!concerns_witness(pair, features) || !tact_feature_windows_touches(w, features, now, now)))
            continue;
        pair->witness.valid = false;
        if (until < INFINITY && tact_feature_windows_touches(w, features, now, until)) {
            pair->touches_until = max_double(pair->touches_until, until);
            return;
        }
    }
}

/* Whether the bodies overlap now, with a witness, or are separated, or neither. */
static tact_status test_overlap_or_separation(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                              bool *separated)
{
    tact_transform transforms[2];
    const tact_status status = sync_shapes(world, bodies, transforms);
    if (status != TACT_OK)
        return status;
    const tact_common_point common = tact_shapes_common_point(
        world->bodies.items[bodies[0]].shape, transforms[0], world->bodies.items[bodies[1]].shape, transforms[1], NULL);
    if (common.status != TACT_OK && common.status != TACT_NOT_CONVERGED)
        return common.status;
    pair->witness = (overlap_witness){.valid = false};
    if (common.status != TACT_OK || common.state != TACT_HIT)
        return test_separation(world, pair, bodies, separated);
    set_witness(world, pair, bodies, &common);
    return TACT_OK;
}

tact_status tact_deforming_examine_contact(tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                           pair_prediction *r)
{
    const double now = world->advance->time;
    bool separated = false;
    const tact_status status =
        renew_witness(pair, now) ? TACT_OK : test_overlap_or_separation(world, pair, bodies, &separated);
    if (status != TACT_OK)
        return status;
    const feature_event *event = tact_feature_windows_next(pair->windows);
    const double next = event != NULL ? event->ccd.lower : pair->end,
                 shortest = SEPARATION_DISTANCE * window_span(pair, now);
    if (event == NULL) /* after the last contact */
        pair->interval = pair->interval > 0.0 ? number_min(2.0 * pair->interval, DBL_MAX) : shortest;
    if (!separated) {
        examine_contacts(pair, now, next);
        if (!pair->witness.valid) /* a contact that ends before the next one begins: the next examination is later */
            pair->touches_until = max_double(pair->touches_until, now);
        if (event != NULL && next - now <= shortest) /* as near as in a contact that goes on */
            pair->touches_until = max_double(pair->touches_until, next);
        tact_deforming_plan_examination(pair, now);
        if (event == NULL && pair->end == INFINITY) /* both rest until another window begins */
            pair->next_examination = INFINITY;
        return TACT_OK;
    }
    (void)pair_observe(r, PAIR_SEES_SEPARATION);
    pair->next_examination = INFINITY;
    return TACT_OK;
}
