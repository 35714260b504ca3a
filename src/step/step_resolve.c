/*
 * Resolving a step: see tact_step_resolve.
 *
 * Guarantee: where it returns TACT_OK nothing touches on the way from `from` to `to`, as decided exactly for these
 * very doubles (ccd/feature_ccd.h). That is so because nothing is assumed of the responses: a round ends the loop only
 * if no pair meets, and every pair has been looked at since one of its four points last changed. (A pair that meets and
 * has not been changed is carried over to the next round.) The rest only decides how soon that is reached.
 *
 * After Hutter and Fuhrmann ("Optimized continuous collision detection for deformable triangle meshes", 2007): in each
 * round the meetings are taken in order of time; one is responded to if it is the first of each of its points, later
 * ones of these points are left for the next round, which looks at pairs with a changed point alone. Points that no
 * response can move (obstacles, points that are held) do not count: a floor would otherwise answer one meeting a round.
 * So it is with a response of the caller's own. The default response departs: it takes the first FEW meetings of a
 * point, and goes over all that has met in this step again, and all that was near at its beginning, PASSES times a
 * round, so that what was parted is not pushed together by what comes next. That takes a tenth of the rounds, and what
 * was near does half of it: a push goes on through a heap within a round, instead of by a layer a round.
 *
 * Fail-safe, beyond the paper: when the rounds are used up, what still meets becomes zones that move as one
 * (impact_zones.h), and the responses go on with these as if they had infinite mass, for RETRY rounds; then all that
 * still meets is added to the zones, and so on. It ends as zones only grow, or are stopped. What stays where it is
 * cannot meet what stays where it is. But obstacles that move may run into zones that cannot get out of their way, as
 * they are held or lie between two obstacles. Then the whole step is shortened until nothing meets any more; in the
 * worst case to nothing, when all stay.
 */
#include <string.h>

#include "ccd/feature_ccd.h"
#include "step/default_response.h"
#include "step/step.h"
#include "world/world_internal.h"

/* Rounds of responses each time that zones have grown: what is next to them mostly finds a way within a few. */
#define RETRY 4

/* When zones have grown so often there are no more responses in between, so that the end is near; and when so often,
 * no more growth. */
#define PATIENCE 16
#define MOST_ZONINGS 256

/* Passes over all that is near at the beginning: each carries a push on by one layer. */
#define NEAR_PASSES 8

/* How often a step is shortened, to less than 9/10 each time and mostly to what is free, before it is given up. */
#define SHORTEST 48

/* Passes over all that has met so far or is near, in a round of the default response. With 4 the tumbling torus
 * (examples/cloth) takes a fifth more rounds, with 16 a tenth less, for passes that cost about what that saves. */
#define PASSES 8

/* Meetings of a vertex that the default response takes in a round, the first ones: later ones are mostly void when
 * these have been answered, as those of a sheet with all layers of the pile that it falls on. With 1, as in the paper,
 * there are up to 1.7 times as many rounds; with all, many times as many meetings to answer. */
#define FEW 4

/* Of the thickness: the least gap that a response aims at. What is pushed less apart meets again with the next push of
 * a neighbour. With none some steps of the tumbling torus do not end within 100 rounds. */
#define SLACK 0.25

typedef struct resolver {
    tact_world *world;
    step_context *s;
    const tact_step_def *def;
    step_response_params push;
    tact_step_result *out;
    uint64_t now; /* answers so far */
    bool zoned;   /* there are zones, whose vertices no response moves */
} resolver;

static tact_status look(resolver *r, const uint8_t *marked)
{
    return tact_step_find_hits(&r->s->finder, &r->s->scene, marked, false, &r->s->hits, &r->out->tests,
                               &r->world->allocator, &r->world->parallel);
}

/* ---- responses ---- */

static double inverse_of(const resolver *r, uint32_t vertex)
{
    return r->zoned && r->s->zones.in_zone.items[vertex] ? 0.0 : r->s->scene.inverse_mass.items[vertex];
}

static bool usable(const tact_vec3 to[4])
{
    for (int k = 0; k < 4; ++k)
        if (!vec_finite(to[k]) || vec_max_abs(to[k]) > STEP_MAX_COORDINATE)
            return false;
    return true;
}

/* Puts the points of a hit where a response wants them; marks those that change. */
static void put(resolver *r, const step_hit *hit, const tact_vec3 to[4])
{
    step_context *s = r->s;
    if (!usable(to)) /* what is no place is not taken; if there is no other way the fail-safe finds one */
        return;
    for (int k = 0; k < 4; ++k) {
        const uint32_t v = hit->vertices[k];
        const bool fixed =
            !s->scene.parts.items[s->scene.part_of.items[v]].deformable || (r->zoned && s->zones.in_zone.items[v]);
        if (!fixed && !vec_equal(s->scene.to.items[v], to[k])) {
            s->scene.to.items[v] = to[k];
            s->marks.items[v] = 1;
            s->stamps.items[v] = r->now;
        }
    }
}

/* Has a point of the hit changed since it was last answered? */
static bool is_stale(const resolver *r, const step_hit *hit)
{
    const uint64_t *stamps = r->s->stamps.items, last = hit->answered_at;
    const uint32_t *v = hit->vertices;
    return stamps[v[0]] >= last || stamps[v[1]] >= last || stamps[v[2]] >= last || stamps[v[3]] >= last;
}

typedef struct four {
    tact_vec3 from[4], to[4];
    double inverse[4];
} four;

static four points_of(const resolver *r, const step_hit *hit)
{
    four f;
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

static void respond(resolver *r, const step_hit *hit)
{
    four f = points_of(r, hit);
    if (r->def->callback != NULL) {
        const tact_feature_contact meeting = tact_step_report_contact(&r->s->scene, hit);
        r->def->callback(r->def->context, &meeting, f.from, f.to);
        put(r, hit, f.to);
    } else if (tact_step_respond_contact(&r->push, hit, f.from, f.inverse, f.to)) {
        put(r, hit, f.to);
    }
    ++r->out->contacts;
}

/* Responds to those that are the first of all their points, in order of time. */
static void respond_to_first(resolver *r)
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

typedef bool push_function(const step_response_params *push, const step_hit *hit, const tact_vec3 from[4],
                           const double inverse[4], tact_vec3 to[4]);

/* Goes over hits that are to be pushed apart, one after another. One that is, is left until a point of it changes.
 * False if all were. */
static bool answer_again(resolver *r, step_hit_array *hits, push_function *push)
{
    bool changed = false;
    for (size_t i = 0; i < hits->count; ++i) {
        step_hit *hit = &hits->items[i];
        if (!is_stale(r, hit))
            continue;
        four f = points_of(r, hit);
        if (push(&r->push, hit, f.from, f.inverse, f.to)) {
            put(r, hit, f.to);
            changed = true;
        }
        hit->answered_at = ++r->now;
    }
    return changed;
}

/* Responds to all that has met so far, in order of time, and to what is near and would meet next, again and again. */
static tact_status respond_to_all(resolver *r)
{
    step_context *s = r->s;
    if (!step_hit_array_reserve(&s->past_hits, &r->world->allocator, s->past_hits.count + s->hits.count))
        return TACT_OUT_OF_MEMORY;
    memset(s->responses.items, 0, s->responses.count);
    tact_step_sort_hits(&s->hits);
    for (size_t i = 0; i < s->hits.count; ++i) {
        step_hit *hit = &s->hits.items[i];
        bool early = true;
        for (int k = 0; k < 4; ++k)
            early = early && s->responses.items[hit->vertices[k]] < FEW;
        if (!early)
            continue;
        for (int k = 0; k < 4; ++k)
            if (inverse_of(r, hit->vertices[k]) > 0.0)
                ++s->responses.items[hit->vertices[k]];
        if (hit->answered_at != 0)
            continue; /* carried over: it is known already */
        s->past_hits.items[s->past_hits.count++] = *hit;
        hit->answered_at = 1;
        ++r->out->contacts;
    }
    tact_step_sort_hits(&s->past_hits);
    bool changed = true;
    for (int pass = 0; changed && pass < PASSES; ++pass) {
        changed = answer_again(r, &s->past_hits, tact_step_respond_contact);
        changed = answer_again(r, &s->proximities, tact_step_keep_distance) || changed;
    }
    return TACT_OK;
}

/* Of the hits keeps those that nothing has been changed about. */
static void carry_over(step_context *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->hits.count; ++i) {
        const uint32_t *v = s->hits.items[i].vertices;
        if (!(s->marks.items[v[0]] | s->marks.items[v[1]] | s->marks.items[v[2]] | s->marks.items[v[3]]))
            s->hits.items[kept++] = s->hits.items[i];
    }
    s->hits.count = kept;
}

/* Rounds of responses and looks, until nothing meets or they are used up. What is met is known to begin with. */
static tact_status iterate(resolver *r, int rounds)
{
    tact_status status = TACT_OK;
    for (int i = 0; status == TACT_OK && i < rounds && r->s->hits.count > 0; ++i) {
        memset(r->s->marks.items, 0, r->s->marks.count);
        if (r->def->callback != NULL)
            respond_to_first(r);
        else
            status = respond_to_all(r);
        const bool stuck = r->def->callback == NULL && memchr(r->s->marks.items, 1, r->s->marks.count) == NULL;
        carry_over(r->s);
        if (status == TACT_OK)
            status = look(r, r->s->marks.items);
        ++r->out->iterations;
        if (stuck)
            break; /* nothing could be moved: all further rounds would be the same */
    }
    return status;
}

/* ---- what is near at the beginning ---- */

static tact_status keep_apart(resolver *r)
{
    step_context *s = r->s;
    const tact_status status = tact_step_find_near_hits(&s->finder, &s->scene, r->def->thickness, &s->proximities,
                                                        &r->world->allocator, &r->world->parallel);
    bool changed = status == TACT_OK;
    for (int pass = 0; changed && pass < NEAR_PASSES; ++pass)
        changed = answer_again(r, &s->proximities, tact_step_respond_proximity);
    return status;
}

/* ---- the fail-safe ---- */

/* Ends with nothing that meets, or what obstacles do to zones that cannot get out of their way. */
static tact_status let_zones_move(resolver *r)
{
    step_context *s = r->s;
    tact_status status = TACT_OK;
    if (!tact_impact_zones_begin(&s->zones, &s->scene, &r->world->allocator))
        return TACT_OUT_OF_MEMORY;
    r->zoned = true;
    for (int i = 0; status == TACT_OK && s->hits.count > 0 && i < MOST_ZONINGS; ++i) {
        if (!tact_impact_zones_join(&s->zones, &s->scene, &s->hits) &&
            !tact_impact_zones_stop(&s->zones, &s->scene, &s->hits))
            return TACT_OK;
        memset(s->marks.items, 0, s->marks.count);
        tact_impact_zones_move(&s->zones, &s->scene, r->world, s->marks.items);
        carry_over(s);
        status = look(r, s->marks.items);
        if (status == TACT_OK && i < PATIENCE)
            status = iterate(r, RETRY);
    }
    return status;
}

/* All that has been taken of the step is `part` of it. */
static tact_status take_part(resolver *r, const tact_vec3 *whole, double part)
{
    step_scene *scene = &r->s->scene;
    for (size_t i = 0; i < scene->parts.count; ++i)
        for (uint32_t v = scene->parts.items[i].first_vertex; v < scene->parts.items[i].end_vertex; ++v)
            if (scene->parts.items[i].deformable)
                scene->to.items[v] = vec_mul_add(scene->from.items[v], part, vec_sub(whole[v], scene->from.items[v]));
    return tact_step_scene_move_obstacles(scene, r->world, part * r->def->duration);
}

/* Takes less and less of the step until nothing meets: all go part of their way, obstacles along their motions. */
static tact_status shorten(resolver *r)
{
    step_context *s = r->s;
    const size_t count = s->scene.to.count;
    tact_vec3 *whole = tact_memory_allocate(&r->world->allocator, count, sizeof *whole);
    if (whole == NULL)
        return TACT_OUT_OF_MEMORY;
    memcpy(whole, s->scene.to.items, count * sizeof *whole);
    tact_status status = TACT_OK;
    double part = 1.0;
    for (int i = 0; status == TACT_OK && s->hits.count > 0; ++i) {
        double first = 1.0;
        for (size_t k = 0; k < s->hits.count; ++k)
            first = s->hits.items[k].ccd.lower < first ? s->hits.items[k].ccd.lower : first;
        part = i >= SHORTEST ? 0.0 : part * (first > 0.1 ? 0.9 * first : 0.1);
        status = take_part(r, whole, part);
        s->hits.count = 0;
        if (status == TACT_OK && part > 0.0)
            status = look(r, NULL);
    }
    r->out->time = part;
    tact_memory_free(&r->world->allocator, whole, count, sizeof *whole);
    return status;
}

/* Ends with nothing that meets, whatever it takes. */
static tact_status make_free(resolver *r)
{
    tact_status status = TACT_OK;
    if (r->s->hits.count > 0)
        status = let_zones_move(r);
    if (status == TACT_OK && r->s->hits.count > 0)
        status = shorten(r);
    return status;
}

/* ---- the step ---- */

/* Do some of what meets touch at the very beginning? */
static bool touching(const step_context *s)
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

static tact_status resolve(resolver *r)
{
    step_context *s = r->s;
    s->past_hits.count = s->proximities.count = 0;
    tact_status status = r->def->thickness > 0.0 ? keep_apart(r) : TACT_OK;
    if (status == TACT_OK)
        status = look(r, NULL);
    if (status == TACT_OK && touching(s))
        status = TACT_BAD_ARGUMENT;
    const bool met = s->hits.count > 0;
    if (status == TACT_OK)
        status = iterate(r, r->def->max_iterations);
    if (status == TACT_OK)
        status = make_free(r);
    if (status == TACT_OK && met && r->out->time == 1.0) { /* a shorter step has been looked at as a whole */
        status = look(r, NULL);                            /* the proof: all that the rounds did is forgotten */
        if (status == TACT_OK)
            status = make_free(r); /* there is nothing to do */
    }
    return status;
}

/* The new places become those of the bodies, and of the caller. Nothing fails any more: all is within bounds. */
static tact_status settle(resolver *r)
{
    step_scene *scene = &r->s->scene;
    tact_status status = TACT_OK;
    for (size_t i = 0; i < scene->parts.count; ++i) {
        const step_part *part = &scene->parts.items[i];
        const tact_vec3 *to = scene->to.items + part->first_vertex;
        const size_t count = part->vertex_count;
        tact_status one = TACT_OK;
        if (!tact_step_part_exists(part, r->world)) /* a response has removed it */
            continue;
        if (part->deformable) {
            step_body_input *given = &r->s->bodies.items[part->input];
            memcpy(given->to, to, count * sizeof *to);
            memcpy(given->output, to, count * sizeof *to);
            const tact_vertices vertices = {.data = to, .count = count};
            one = tact_body_deform_from(r->world, part->body, &vertices, 0, count);
        } else if (part->moving) {
            tact_motion motion = r->world->rests.items[part->body.index].motion;
            one = tact_body_set_transform(r->world, part->body, part->end_transform);
            motion.velocity = vec_mul_add(motion.velocity, r->out->time * r->def->duration, motion.acceleration);
            if (one == TACT_OK && vec_max_abs(motion.acceleration) > 0.0)
                one = tact_body_set_motion(r->world, part->body, motion);
        }
        status = status == TACT_OK ? one : status;
    }
    return status;
}

tact_step_result tact_step_resolve(tact_world *world, const tact_step_def *def)
{
    const tact_step_def usual = tact_step_def_default();
    tact_step_result out = {.status = TACT_BAD_ARGUMENT, .time = 1.0};
    def = def != NULL ? def : &usual;
    step_context *s = tact_step_prepare(world, def, &out.status);
    const size_t count = s != NULL ? s->scene.from.count : 0;
    if (s != NULL && !(step_byte_array_resize(&s->marks, &world->allocator, count) &&
                       step_byte_array_resize(&s->responses, &world->allocator, count) &&
                       step_stamp_array_resize(&s->stamps, &world->allocator, count)))
        out.status = TACT_OUT_OF_MEMORY;
    for (size_t i = 0; out.status == TACT_OK && i < s->scene.parts.count; ++i) /* so that what comes of it can settle */
        if (s->scene.parts.items[i].deformable)
            out.status = tact_deform_make_room(world, s->scene.parts.items[i].body.index);
    if (out.status == TACT_OK && count > 0) {
        const double least =
            max_double(STEP_MIN_GAP * s->scene.max_coordinate, 1e-300); /* everything may be at the origin */
        resolver r = {.world = world, .s = s, .def = def, .out = &out};
        r.push = (step_response_params){
            max_double(def->thickness, least), max_double(least, SLACK * def->thickness), def->friction,
            max_double(STEP_SHAPE_MIN_GAP * s->scene.max_coordinate, max_double(1e-300, SLACK * def->thickness))};
        memset(s->stamps.items, 0, count * sizeof *s->stamps.items);
        s->resolving = true;
        out.status = resolve(&r);
        s->resolving = false;
        for (size_t i = 0; r.zoned && i < count; ++i)
            out.fail_safe_vertices += s->zones.in_zone.items[i];
        if (out.status == TACT_OK)
            out.status = settle(&r);
    }
    if (out.status != TACT_OK)
        return (tact_step_result){.status = out.status};
    return out;
}
