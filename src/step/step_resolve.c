/*
 * Resolution of a step: see tact_step_resolve.
 *
 * Guarantee: if it returns TACT_OK nothing touches on the path from `from` to `to`, as decided exactly for these very
 * doubles (ccd/feature_ccd.h). Nothing is assumed of the responses: the iteration ends only if no pair collides, and
 * every pair has been tested since one of its four points last changed. (A colliding pair that has not been changed is
 * carried over to the next iteration.) The rest only decides how soon that is reached.
 *
 * After Hutter and Fuhrmann 2007 ("Optimized continuous collision detection for deformable triangle meshes"): in each
 * iteration the contacts are processed in order of time. One gets a response if it is the first of each of its points;
 * later ones of these points are left for the next iteration, which tests only pairs with a changed point. Points that
 * no response can move (obstacles, pinned points) do not count: otherwise a floor would get one response an iteration.
 * This is so with a callback of the caller. The default response departs: it takes the first STEP_CONTACTS_PER_VERTEX
 * contacts of a point, and processes all contacts of this step and all proximities at its start again, STEP_PASSES
 * times an iteration, so that what was separated is not pushed together by what comes next. That takes a tenth of the
 * iterations. The proximities account for half of it: a push propagates through a pile within an iteration, instead of
 * by one layer an iteration.
 *
 * Fail-safe, beyond the paper: when the iterations are used up, the remaining contacts become impact zones that move as
 * one (impact_zones.h). The responses continue, with zones of infinite mass, for STEP_ZONE_ITERATIONS iterations; then
 * all remaining contacts are added to the zones, and so on. It ends because zones only grow, or are fixed. What is
 * fixed cannot collide with what is fixed. But moving obstacles may run into zones that cannot get out of their way,
 * because they are pinned or between two obstacles. Then the whole step is shortened until nothing collides any more;
 * in the worst case to nothing, when all stay.
 */
#include <string.h>

#include "ccd/feature_ccd.h"
#include "step/default_response.h"
#include "step/step.h"
#include "world/work.h"

typedef struct step_resolver {
    tact_world *world;
    step_context *s;
    const tact_step_def *def;
    step_response_params params;
    tact_step_result *out;
    size_t tests;            /* that have been counted as work */
    uint64_t response_count; /* responses so far */
    bool has_zones;          /* there are zones, whose vertices no response moves */
} step_resolver;

static tact_status find_hits(step_resolver *r, const uint8_t *marked)
{
    const size_t tests = r->out->tests - r->tests;
    r->tests = r->out->tests;
    if (!world_work_add(r->world, 1 + tests / STEP_TESTS_PER_UNIT))
        return TACT_CANCELLED;
    return tact_step_find_hits(&r->s->finder, &r->s->scene, marked, false, &r->s->hits, &r->out->tests,
                               &r->world->allocator, &r->world->parallel);
}

/* ---- responses ---- */

static double inverse_of(const step_resolver *r, uint32_t vertex)
{
    return r->has_zones && r->s->zones.in_zone.items[vertex] ? 0.0 : r->s->scene.inverse_mass.items[vertex];
}

static bool positions_valid(const tact_vec3 to[4])
{
    for (int k = 0; k < 4; ++k)
        if (!vec_finite(to[k]) || vec_max_abs(to[k]) > STEP_MAX_COORDINATE)
            return false;
    return true;
}

/* Sets the end positions of a hit to those of a response; marks the vertices that change. */
static void set_end_positions(step_resolver *r, const step_hit *hit, const tact_vec3 to[4])
{
    step_context *s = r->s;
    if (!positions_valid(to)) /* invalid positions are ignored; in the end the fail-safe resolves the contact */
        return;
    for (int k = 0; k < 4; ++k) {
        const uint32_t v = hit->vertices[k];
        const bool fixed =
            !s->scene.parts.items[s->scene.part_of.items[v]].deformable || (r->has_zones && s->zones.in_zone.items[v]);
        if (!fixed && !vec_equal(s->scene.to.items[v], to[k])) {
            s->scene.to.items[v] = to[k];
            s->marks.items[v] = 1;
            s->stamps.items[v] = r->response_count;
        }
    }
}

/* Has a point of the hit changed since the last response to it? */
static bool is_stale(const step_resolver *r, const step_hit *hit)
{
    const uint64_t *stamps = r->s->stamps.items, last = hit->answered_at;
    const uint32_t *v = hit->vertices;
    return stamps[v[0]] >= last || stamps[v[1]] >= last || stamps[v[2]] >= last || stamps[v[3]] >= last;
}

typedef struct hit_points {
    tact_vec3 from[4], to[4];
    double inverse[4];
} hit_points;

static hit_points points_of(const step_resolver *r, const step_hit *hit)
{
    hit_points f;
    for (int k = 0; k < 4; ++k) {
        f.from[k] = r->s->scene.from.items[hit->vertices[k]];
        f.to[k] = r->s->scene.to.items[hit->vertices[k]];
        f.inverse[k] = inverse_of(r, hit->vertices[k]);
    }
    if (hit->element != 0) {
        f.from[0] = hit->start;
        f.to[0] = hit->end;
    }
    return f;
}

static void respond(step_resolver *r, const step_hit *hit)
{
    hit_points f = points_of(r, hit);
    if (r->def->callback != NULL) {
        const tact_feature_contact contact = tact_step_report_contact(&r->s->scene, hit);
        r->def->callback(r->def->context, &contact, f.from, f.to);
        set_end_positions(r, hit, f.to);
    } else if (tact_step_respond_contact(&r->params, hit, f.from, f.inverse, f.to)) {
        set_end_positions(r, hit, f.to);
    }
    ++r->out->contacts;
}

/* Responds to the contacts that are the first of all their points, in order of time. */
static void respond_to_first(step_resolver *r)
{
    step_context *s = r->s;
    memset(s->responses.items, 0, s->responses.count);
    tact_step_sort_hits(&s->hits);
    for (size_t i = 0; i < s->hits.count; ++i) {
        const step_hit *hit = &s->hits.items[i];
        bool first = true;
        for (int k = 0; k < 4; ++k)
            first = first && !s->responses.items[hit->vertices[k]];
        if (!first)
            continue;
        for (int k = 0; k < 4; ++k)
            if (inverse_of(r, hit->vertices[k]) > 0.0)
                s->responses.items[hit->vertices[k]] = 1;
        respond(r, hit);
    }
}

typedef bool response_function(const step_response_params *params, const step_hit *hit, const tact_vec3 from[4],
                               const double inverse[4], tact_vec3 to[4]);

/* Responds to hits whose points have changed, one after another. False if nothing was changed. */
static bool respond_again(step_resolver *r, step_hit_array *hits, response_function *respond_to)
{
    bool changed = false;
    for (size_t i = 0; i < hits->count; ++i) {
        step_hit *hit = &hits->items[i];
        if (!is_stale(r, hit))
            continue;
        hit_points f = points_of(r, hit);
        if (respond_to(&r->params, hit, f.from, f.inverse, f.to)) {
            set_end_positions(r, hit, f.to);
            changed = true;
        }
        hit->answered_at = ++r->response_count;
    }
    return changed;
}

/* Responds to all contacts of this step so far, in order of time, and to the proximities, again and again. */
static tact_status respond_to_all(step_resolver *r)
{
    step_context *s = r->s;
    if (!step_hit_array_reserve(&s->past_hits, &r->world->allocator, s->past_hits.count + s->hits.count))
        return TACT_OUT_OF_MEMORY;
    memset(s->responses.items, 0, s->responses.count);
    tact_step_sort_hits(&s->hits);
    for (size_t i = 0; i < s->hits.count; ++i) {
        step_hit *hit = &s->hits.items[i];
        bool within_limit = true;
        for (int k = 0; k < 4; ++k)
            within_limit = within_limit && s->responses.items[hit->vertices[k]] < STEP_CONTACTS_PER_VERTEX;
        if (!within_limit)
            continue;
        for (int k = 0; k < 4; ++k)
            if (inverse_of(r, hit->vertices[k]) > 0.0)
                ++s->responses.items[hit->vertices[k]];
        if (hit->answered_at != 0)
            continue; /* carried over: it is in past_hits already */
        s->past_hits.items[s->past_hits.count++] = *hit;
        hit->answered_at = 1;
        ++r->out->contacts;
    }
    tact_step_sort_hits(&s->past_hits);
    bool changed = true;
    for (int pass = 0; changed && pass < STEP_PASSES; ++pass) {
        changed = respond_again(r, &s->past_hits, tact_step_respond_contact);
        changed = respond_again(r, &s->proximities, tact_step_keep_distance) || changed;
    }
    return TACT_OK;
}

/* Keeps the hits none of whose points have changed. */
static void carry_over(step_context *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->hits.count; ++i) {
        const uint32_t *v = s->hits.items[i].vertices;
        if (!(s->marks.items[v[0]] | s->marks.items[v[1]] | s->marks.items[v[2]] | s->marks.items[v[3]]))
            s->hits.items[count++] = s->hits.items[i];
    }
    s->hits.count = count;
}

/* Iterations of responses and searches, until nothing collides or they are used up. The first hits are known. */
static tact_status iterate(step_resolver *r, int iterations)
{
    tact_status status = TACT_OK;
    for (int i = 0; status == TACT_OK && i < iterations && r->s->hits.count > 0; ++i) {
        memset(r->s->marks.items, 0, r->s->marks.count);
        if (r->def->callback != NULL)
            respond_to_first(r);
        else
            status = respond_to_all(r);
        const bool stuck = r->def->callback == NULL && memchr(r->s->marks.items, 1, r->s->marks.count) == NULL;
        carry_over(r->s);
        if (status == TACT_OK)
            status = find_hits(r, r->s->marks.items);
        ++r->out->iterations;
        if (stuck)
            break; /* nothing could be moved: all further iterations would be the same */
    }
    return status;
}

/* ---- proximities ---- */

static tact_status respond_to_proximities(step_resolver *r)
{
    step_context *s = r->s;
    const tact_status status = tact_step_find_near_hits(&s->finder, &s->scene, r->def->thickness, &s->proximities,
                                                        &r->world->allocator, &r->world->parallel);
    bool changed = status == TACT_OK;
    for (int pass = 0; changed && pass < STEP_PROXIMITY_PASSES; ++pass)
        changed = respond_again(r, &s->proximities, tact_step_respond_proximity);
    return status;
}

/* ---- the fail-safe ---- */

/* Ends without contacts, or with those of obstacles and zones that cannot get out of their way. */
static tact_status move_zones(step_resolver *r)
{
    step_context *s = r->s;
    tact_status status = TACT_OK;
    if (!tact_impact_zones_begin(&s->zones, &s->scene, &r->world->allocator))
        return TACT_OUT_OF_MEMORY;
    r->has_zones = true;
    for (int i = 0; status == TACT_OK && s->hits.count > 0 && i < STEP_MAX_ZONE_GROWTHS; ++i) {
        if (!tact_impact_zones_join(&s->zones, &s->scene, &s->hits) &&
            !tact_impact_zones_stop(&s->zones, &s->scene, &s->hits))
            return TACT_OK;
        memset(s->marks.items, 0, s->marks.count);
        tact_impact_zones_move(&s->zones, &s->scene, r->world, s->marks.items);
        carry_over(s);
        status = find_hits(r, s->marks.items);
        if (status == TACT_OK && i < STEP_ZONE_GROWTHS_WITH_RESPONSE)
            status = iterate(r, STEP_ZONE_ITERATIONS);
    }
    return status;
}

/* Shortens the step to `fraction` of it. */
static tact_status shorten_to(step_resolver *r, const tact_vec3 *full, double fraction)
{
    step_scene *scene = &r->s->scene;
    for (size_t i = 0; i < scene->parts.count; ++i)
        for (uint32_t v = scene->parts.items[i].first_vertex; v < scene->parts.items[i].end_vertex; ++v)
            if (scene->parts.items[i].deformable || scene->parts.items[i].surface != NULL)
                scene->to.items[v] =
                    vec_mul_add(scene->from.items[v], fraction, vec_sub(full[v], scene->from.items[v]));
    return tact_step_scene_move_obstacles(scene, r->world, fraction * r->def->duration);
}

/* Shortens the step until nothing collides: all vertices move part of their path, obstacles along their motions. */
static tact_status shorten(step_resolver *r)
{
    step_context *s = r->s;
    const size_t count = s->scene.to.count;
    tact_vec3 *full = tact_memory_allocate(&r->world->allocator, count, sizeof *full);
    if (full == NULL)
        return TACT_OUT_OF_MEMORY;
    memcpy(full, s->scene.to.items, count * sizeof *full);
    tact_status status = TACT_OK;
    double fraction = 1.0;
    for (int i = 0; status == TACT_OK && s->hits.count > 0; ++i) {
        double first = 1.0;
        for (size_t k = 0; k < s->hits.count; ++k)
            first = s->hits.items[k].ccd.lower < first ? s->hits.items[k].ccd.lower : first;
        fraction = i >= STEP_MAX_SHORTENINGS
                       ? 0.0
                       : fraction * (first > STEP_MIN_SHORTENING ? STEP_SHORTENING * first : STEP_MIN_SHORTENING);
        status = shorten_to(r, full, fraction);
        s->hits.count = 0;
        if (status == TACT_OK && fraction > 0.0)
            status = find_hits(r, NULL);
    }
    r->out->time = fraction;
    tact_memory_free(&r->world->allocator, full, count, sizeof *full);
    return status;
}

/* Ends without contacts, whatever it takes. */
static tact_status resolve_fully(step_resolver *r)
{
    tact_status status = TACT_OK;
    if (r->s->hits.count > 0)
        status = move_zones(r);
    if (status == TACT_OK && r->s->hits.count > 0)
        status = shorten(r);
    return status;
}

/* ---- the step ---- */

/* Do some of the contacts touch at the start of the step? */
static bool touches_at_start(const step_context *s)
{
    const tact_ccd_def start = {.enter = 0.0, .exit = 0.0};
    for (size_t i = 0; i < s->hits.count; ++i) {
        const step_hit *hit = &s->hits.items[i];
        if (hit->touches_at_start)
            return true;
        if (hit->ccd.lower > 0.0 || hit->element != 0)
            continue;
        tact_vec3 from[4], to[4];
        for (int k = 0; k < 4; ++k) {
            from[k] = s->scene.from.items[hit->vertices[k]];
            to[k] = s->scene.to.items[hit->vertices[k]];
        }
        if (tact_ccd_exact(hit->kind, from, to, &start).state == TACT_HIT)
            return true;
    }
    return false;
}

static tact_status resolve(step_resolver *r)
{
    step_context *s = r->s;
    s->past_hits.count = s->proximities.count = 0;
    tact_status status = r->def->thickness > 0.0 ? respond_to_proximities(r) : TACT_OK;
    if (status == TACT_OK)
        status = find_hits(r, NULL);
    if (status == TACT_OK && touches_at_start(s))
        status = TACT_BAD_ARGUMENT;
    const bool met = s->hits.count > 0;
    if (status == TACT_OK)
        status = iterate(r, r->def->max_iterations);
    if (status == TACT_OK)
        status = resolve_fully(r);
    if (status == TACT_OK && met && r->out->time == 1.0) { /* a shortened step has been searched as a whole */
        status = find_hits(r, NULL); /* the proof: a search that does not rely on the iterations */
        if (status == TACT_OK)
            status = resolve_fully(r); /* there is nothing to do */
    }
    return status;
}

/* Moves the control points of NURBS bodies, of all or none. */
static tact_status move_surfaces(step_resolver *r)
{
    const step_scene *scene = &r->s->scene;
    tact_status status = TACT_OK;
    size_t end = 0;
    for (int back = 0; back < 2; ++back)
        for (size_t i = 0; i < (back != 0 ? end : scene->obstacle_count); ++i) {
            const step_part *part = &scene->parts.items[i];
            const step_body_input *given = part->surface != NULL ? &r->s->bodies.items[part->input] : NULL;
            if (given == NULL || !tact_step_part_exists(part, r->world) || (back == 0 && status != TACT_OK))
                continue;
            tact_vec3 *points = given->output; /* the caller's, which the result is written to in any case */
            tact_step_surface_points_at(part->surface, back != 0 ? 0.0 : r->out->time, points);
            const tact_status moved =
                tact_body_move_control_points(r->world, part->body, 0, given->vertex_count, points);
            status = back == 0 ? moved : status;
            end = back == 0 && moved != TACT_OK ? i : end;
            if (status != TACT_OK)
                tact_step_surface_points_at(part->surface, 1.0, points); /* as it was */
        }
    return status;
}

/* Writes the end positions to the bodies and to the caller. Nothing can fail any more, except moves of NURBS bodies,
 * which come first: all is within bounds. */
static tact_status write_results(step_resolver *r)
{
    step_scene *scene = &r->s->scene;
    tact_status status = move_surfaces(r);
    if (status != TACT_OK)
        return status;
    for (size_t i = 0; i < scene->parts.count; ++i) {
        const step_part *part = &scene->parts.items[i];
        const tact_vec3 *to = scene->to.items + part->first_vertex;
        const size_t count = part->vertex_count;
        tact_status one_status = TACT_OK;
        if (!tact_step_part_exists(part, r->world)) /* a callback has removed it */
            continue;
        if (part->deformable) {
            step_body_input *given = &r->s->bodies.items[part->input];
            memcpy(given->to, to, count * sizeof *to);
            memcpy(given->output, to, count * sizeof *to);
            const tact_vertices vertices = {.data = to, .count = count};
            one_status = tact_body_deform_from(r->world, part->body, &vertices, 0, count);
        } else if (part->surface != NULL) {
            r->s->bodies.items[part->input].surface->taken = r->out->time;
        } else if (part->moving) {
            const tact_motion before = r->world->cold.items[part->body.index].motion;
            const tact_motion motion = tact_motion_after(before, r->world->bodies.items[part->body.index].transform,
                                                         r->out->time * r->def->duration);
            one_status = tact_body_set_transform(r->world, part->body, part->end_transform);
            if (one_status == TACT_OK && !vec_equal(motion.velocity, before.velocity))
                one_status = tact_body_set_motion(r->world, part->body, motion);
        }
        status = status == TACT_OK ? one_status : status;
    }
    return status;
}

tact_step_result tact_step_resolve(tact_world *world, const tact_step_def *def)
{
    const tact_step_def default_def = tact_step_def_default();
    tact_step_result out = {.status = TACT_BAD_ARGUMENT, .time = 1.0};
    def = def != NULL ? def : &default_def;
    if (world != NULL)
        world_work_begin(world);
    step_context *s = tact_step_prepare(world, def, &out.status);
    const size_t count = s != NULL ? s->scene.from.count : 0;
    if (s != NULL && !(step_byte_array_resize(&s->marks, &world->allocator, count) &&
                       step_byte_array_resize(&s->responses, &world->allocator, count) &&
                       step_stamp_array_resize(&s->stamps, &world->allocator, count)))
        out.status = TACT_OUT_OF_MEMORY;
    for (size_t i = 0; out.status == TACT_OK && i < s->scene.parts.count;
         ++i) /* so that the result can be written without allocation */
        if (s->scene.parts.items[i].deformable)
            out.status = tact_deform_reserve(world, s->scene.parts.items[i].body.index);
    if (out.status == TACT_OK && count > 0) {
        const double min_gap = max_double(STEP_MIN_GAP * s->scene.max_coordinate, DBL_MIN); /* not 0 */
        step_resolver r = {.world = world, .s = s, .def = def, .out = &out};
        r.params = (step_response_params){max_double(def->thickness, min_gap),
                                          max_double(min_gap, STEP_MIN_THICKNESS_GAP * def->thickness), def->friction,
                                          max_double(STEP_SHAPE_MIN_GAP * s->scene.max_coordinate,
                                                     max_double(DBL_MIN, STEP_MIN_THICKNESS_GAP * def->thickness))};
        memset(s->stamps.items, 0, count * sizeof *s->stamps.items);
        s->resolving = true;
        out.status = resolve(&r);
        s->resolving = false;
        for (size_t i = 0; r.has_zones && i < count; ++i)
            out.fail_safe_vertices += s->zones.in_zone.items[i];
        if (out.status == TACT_OK)
            out.status = write_results(&r);
    }
    if (out.status != TACT_OK)
        return (tact_step_result){.status = out.status};
    return out;
}
