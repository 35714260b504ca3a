/* Steps of deformable bodies: the caller's input, and the queries. Resolution of a step: step_resolve.c. */
#include "step/step.h"

#include <string.h>
#include <tact/advance.h>

#include "core/heap.h"
#include "world/world_internal.h"

/* ---- state ---- */

static void drop_vertices(step_body_input *b, const tact_allocator *allocator)
{
    tact_memory_free(allocator, b->from, b->vertex_count, sizeof *b->from);
    tact_memory_free(allocator, b->to, b->vertex_count, sizeof *b->to);
    b->from = b->to = b->output = NULL;
    tact_step_surface_release(b->surface);
    b->surface = NULL;
}

static void drop_masses(step_body_input *b, const tact_allocator *allocator)
{
    tact_memory_free(allocator, b->inverse_mass, b->vertex_count, sizeof *b->inverse_mass);
    b->inverse_mass = NULL;
}

static void release(tact_world *world)
{
    step_context *s = world->step;
    const tact_allocator *allocator = &world->allocator;
    for (size_t i = 0; i < s->bodies.count; ++i) {
        drop_vertices(&s->bodies.items[i], allocator);
        drop_masses(&s->bodies.items[i], allocator);
    }
    step_body_input_array_release(&s->bodies, allocator);
    tact_step_scene_release(&s->scene, allocator);
    tact_step_contact_finder_release(&s->finder, allocator);
    step_hit_array_release(&s->hits, allocator);
    step_hit_array_release(&s->past_hits, allocator);
    step_hit_array_release(&s->proximities, allocator);
    feature_contact_array_release(&s->contacts, allocator);
    step_byte_array_release(&s->marks, allocator);
    step_byte_array_release(&s->responses, allocator);
    step_stamp_array_release(&s->stamps, allocator);
    tact_impact_zones_release(&s->zones, allocator);
    tact_memory_free(allocator, s, 1, sizeof *s);
}

/* Drops the input of bodies that no longer exist or have other vertices. */
static void drop_stale_inputs(tact_world *world, step_context *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->bodies.count; ++i) {
        step_body_input b = s->bodies.items[i];
        const world_body *body = body_find(world, b.body);
        const deform *d = body != NULL ? world->cold.items[b.body.index].deform : NULL;
        const bool exists =
            d != NULL && (d->nurbs != NULL ? deform_point_count(d) : d->vertex_count) == b.vertex_count &&
            (b.surface == NULL || (d->nurbs != NULL && b.surface->tessellation.model == d->nurbs->model));
        if (!exists || (b.from == NULL && b.inverse_mass == NULL && b.surface == NULL)) {
            drop_vertices(&b, &world->allocator);
            drop_masses(&b, &world->allocator);
            continue;
        }
        s->bodies.items[count++] = b;
    }
    s->bodies.count = count;
}

/* A body gets more vertices: its positions are dropped, and the new vertices have inverse mass 1. */
static bool before_vertices_added(tact_world *world, tact_body body, uint32_t count)
{
    for (size_t i = 0; i < world->step->bodies.count; ++i) {
        step_body_input *b = &world->step->bodies.items[i];
        if (b->body.index != body.index || b->body.generation != body.generation || b->vertex_count >= count)
            continue;
        double *inverse_mass = NULL;
        if (b->inverse_mass != NULL) {
            inverse_mass = tact_memory_allocate(&world->allocator, count, sizeof *inverse_mass);
            if (inverse_mass == NULL)
                return false;
            memcpy(inverse_mass, b->inverse_mass, b->vertex_count * sizeof *inverse_mass);
            for (uint32_t k = b->vertex_count; k < count; ++k)
                inverse_mass[k] = 1.0;
        }
        drop_vertices(b, &world->allocator);
        drop_masses(b, &world->allocator);
        b->inverse_mass = inverse_mass;
        b->vertex_count = count;
    }
    return true;
}

static bool allows_remeshing(const tact_world *world) { return !world->step->resolving; }

static const world_extension step_extension = {
    .release = release, .allows_remeshing = allows_remeshing, .before_vertices_added = before_vertices_added};

/* The state of a world, created if there is none; NULL if memory is out. */
static step_context *get_context(tact_world *world)
{
    if (world->step == NULL) {
        world->step = tact_memory_allocate(&world->allocator, 1, sizeof *world->step);
        if (world->step != NULL) {
            *world->step = (step_context){0};
            tact_world_extend(world, WORLD_EXTENSION_STEP, &step_extension);
        }
    }
    return world->step;
}

/* ---- input ---- */

/* The input entry of a deformable mesh, or of a NURBS body if that is allowed, created if there is none; NULL with a
 * status. */
static step_body_input *input_of(tact_world *world, tact_body body, bool surfaces, tact_status *status)
{
    *status = TACT_BAD_ARGUMENT;
    if (body_find(world, body) == NULL)
        return NULL;
    const deform *d = world->cold.items[body.index].deform;
    if (d == NULL || d->original->type != TACT_MESH || (d->nurbs != NULL && !surfaces) ||
        (world->step != NULL && world->step->resolving))
        return NULL;
    *status = TACT_OUT_OF_MEMORY;
    step_context *s = get_context(world);
    if (s == NULL)
        return NULL;
    drop_stale_inputs(world, s);
    for (size_t i = 0; i < s->bodies.count; ++i) {
        step_body_input *b = &s->bodies.items[i];
        if (b->body.index == body.index && b->body.generation == body.generation) {
            *status = TACT_OK;
            return b;
        }
    }
    const step_body_input fresh = {.body = body,
                                   .vertex_count = d->nurbs != NULL ? deform_point_count(d) : d->vertex_count};
    if (!step_body_input_array_push(&s->bodies, &world->allocator, fresh))
        return NULL;
    *status = TACT_OK;
    return &s->bodies.items[s->bodies.count - 1];
}

static bool positions_valid(const tact_vec3 *positions, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(vec_finite(positions[i]) && vec_max_abs(positions[i]) <= STEP_MAX_COORDINATE))
            return false;
    return true;
}

/* Sets the step of a NURBS body. */
static tact_status set_surface(tact_world *world, step_body_input *b, const tact_vec3 *from, tact_vec3 *to)
{
    const deform *d = world->cold.items[b->body.index].deform;
    step_surface *made;
    const tact_status status = tact_step_surface_make(&made, b->surface, d->original, d->nurbs->model, from, to,
                                                      ++world->step->surface_editions);
    if (status != TACT_OK)
        return status;
    tact_step_surface_release(b->surface);
    b->surface = made;
    b->output = to;
    return TACT_OK;
}

tact_status tact_body_set_step_positions(tact_world *world, tact_body body, const tact_vec3 *from, tact_vec3 *to)
{
    tact_status status;
    const bool clear = from == NULL && to == NULL;
    step_body_input *b = input_of(world, body, true, &status);
    if (b == NULL)
        return clear && status == TACT_OUT_OF_MEMORY ? TACT_OK : status; /* there is none to drop */
    if (clear) {
        drop_vertices(b, &world->allocator);
        return TACT_OK;
    }
    if (from == NULL || to == NULL || !step_transform_is_identity(&world->bodies.items[body.index].transform) ||
        !positions_valid(from, b->vertex_count) || !positions_valid(to, b->vertex_count))
        return TACT_BAD_ARGUMENT;
    if (world->cold.items[body.index].deform->nurbs != NULL)
        return set_surface(world, b, from, to);
    if (b->from == NULL && b->vertex_count > 0) {
        b->from = tact_memory_allocate(&world->allocator, b->vertex_count, sizeof *b->from);
        b->to = b->from != NULL ? tact_memory_allocate(&world->allocator, b->vertex_count, sizeof *b->to) : NULL;
        if (b->to == NULL) {
            drop_vertices(b, &world->allocator);
            return TACT_OUT_OF_MEMORY;
        }
    }
    if (b->vertex_count > 0) {
        memcpy(b->from, from, b->vertex_count * sizeof *from);
        memcpy(b->to, to, b->vertex_count * sizeof *to);
    }
    b->output = to;
    return TACT_OK;
}

tact_status tact_body_set_inverse_vertex_masses(tact_world *world, tact_body body, const double *inverse_masses)
{
    tact_status status;
    step_body_input *b = input_of(world, body, false, &status);
    if (b == NULL)
        return inverse_masses == NULL && status == TACT_OUT_OF_MEMORY ? TACT_OK : status;
    if (inverse_masses == NULL) {
        drop_masses(b, &world->allocator);
        return TACT_OK;
    }
    for (uint32_t i = 0; i < b->vertex_count; ++i)
        if (!(inverse_masses[i] == 0.0 ||
              (inverse_masses[i] >= STEP_MIN_INVERSE_MASS && inverse_masses[i] <= 1.0 / STEP_MIN_INVERSE_MASS)))
            return TACT_BAD_ARGUMENT;
    if (b->inverse_mass == NULL && b->vertex_count > 0) {
        b->inverse_mass = tact_memory_allocate(&world->allocator, b->vertex_count, sizeof *b->inverse_mass);
        if (b->inverse_mass == NULL)
            return TACT_OUT_OF_MEMORY;
    }
    if (b->vertex_count > 0)
        memcpy(b->inverse_mass, inverse_masses, b->vertex_count * sizeof *inverse_masses);
    return TACT_OK;
}

tact_step_def tact_step_def_default(void)
{
    return (tact_step_def){.duration = 1.0, .thickness = 0.0, .friction = 0.0, .max_iterations = 100};
}

static bool def_valid(const tact_step_def *def)
{
    return def->duration >= 0.0 && def->duration <= STEP_MAX_COORDINATE && def->thickness >= 0.0 &&
           def->thickness <= STEP_MAX_COORDINATE && def->friction >= 0.0 && def->friction <= STEP_MAX_COORDINATE &&
           def->max_iterations >= 0 &&
           (def->max_iterations > 0 || def->duration != 0.0); /* neither: the def was not initialised */
}

/* ---- queries ---- */

tact_feature_contact tact_step_report_contact(const step_scene *scene, const step_hit *hit)
{
    const int first = hit->kind == TACT_VERTEX_FACE ? 1 : 2;
    const step_part *a = &scene->parts.items[scene->part_of.items[hit->vertices[0]]],
                    *b = &scene->parts.items[scene->part_of.items[hit->vertices[first]]];
    tact_feature_contact m = {
        .kind = hit->kind, .a = a->body, .b = b->body, .distance = hit->distance, .ccd = hit->ccd};
    for (int k = 0; k < 4; ++k)
        m.vertices[k] = hit->vertices[k] - (k < first ? a : b)->first_vertex;
    if (hit->kind == TACT_VERTEX_FACE)
        m.face = scene->face_ids.items[hit->face];
    if (hit->element != 0) {
        m.vertices[0] = TACT_NO_VERTEX;
        m.part = tact_obstacle_element_part(scene, hit->element - 1);
    }
    return m;
}

/* The order of a sweep. */
static int compare_hits(const step_hit *h, const step_hit *i)
{
    if (h->ccd.lower != i->ccd.lower)
        return h->ccd.lower < i->ccd.lower ? -1 : 1;
    if (h->kind != i->kind)
        return h->kind < i->kind ? -1 : 1;
    if (h->vertices[0] != i->vertices[0])
        return h->vertices[0] < i->vertices[0] ? -1 : 1;
    if (h->kind == TACT_VERTEX_FACE && h->face == i->face)
        return h->element < i->element ? -1 : h->element > i->element;
    if (h->kind == TACT_VERTEX_FACE)
        return h->face < i->face ? -1 : 1;
    for (int k = 1; k < 4; ++k)
        if (h->vertices[k] != i->vertices[k])
            return h->vertices[k] < i->vertices[k] ? -1 : 1;
    return 0;
}

static inline bool hit_before(const void *context, const step_hit *h, const step_hit *i)
{
    (void)context;
    return compare_hits(h, i) < 0;
}

HEAP_SORT_OF(sort_hits, step_hit, const void *, hit_before)

void tact_step_sort_hits(step_hit_array *hits)
{
    size_t sorted = 1; /* often all are, as they come from one sweep */
    while (sorted < hits->count && compare_hits(&hits->items[sorted - 1], &hits->items[sorted]) <= 0)
        ++sorted;
    if (sorted < hits->count)
        sort_hits(NULL, hits->items, hits->count);
}

step_context *tact_step_prepare(tact_world *world, const tact_step_def *def, tact_status *status)
{
    const tact_step_def default_def = tact_step_def_default();
    def = def != NULL ? def : &default_def;
    *status = TACT_BAD_ARGUMENT;
    if (world == NULL || !def_valid(def) || (world->step != NULL && world->step->resolving))
        return NULL;
    *status = tact_world_sync_transforms(world);
    if (*status != TACT_OK)
        return NULL;
    *status = TACT_OUT_OF_MEMORY;
    step_context *s = get_context(world);
    if (s == NULL)
        return NULL;
    drop_stale_inputs(world, s);
    s->hits.count = 0;
    *status = tact_step_scene_gather(&s->scene, world, &s->bodies, def->duration);
    if (*status == TACT_OK)
        *status = tact_step_contact_finder_begin(&s->finder, &s->scene, &world->allocator);
    return *status == TACT_OK ? s : NULL;
}

static tact_feature_contacts report_all(tact_world *world, step_context *s)
{
    tact_step_sort_hits(&s->hits);
    s->contacts.count = 0;
    if (!feature_contact_array_reserve(&s->contacts, &world->allocator, s->hits.count))
        return (tact_feature_contacts){TACT_OUT_OF_MEMORY, 0, NULL};
    for (size_t i = 0; i < s->hits.count; ++i)
        s->contacts.items[s->contacts.count++] = tact_step_report_contact(&s->scene, &s->hits.items[i]);
    return (tact_feature_contacts){TACT_OK, s->contacts.count, s->contacts.count > 0 ? s->contacts.items : NULL};
}

tact_feature_contacts tact_step_find_contacts(tact_world *world, const tact_step_def *def)
{
    size_t tests = 0;
    tact_feature_contacts answer = {TACT_OK, 0, NULL};
    step_context *s = tact_step_prepare(world, def, &answer.status);
    if (s != NULL)
        answer.status = tact_step_find_hits(&s->finder, &s->scene, NULL, false, &s->hits, &tests, &world->allocator,
                                            &world->parallel);
    return answer.status == TACT_OK ? report_all(world, s) : answer;
}

tact_feature_contacts tact_step_find_proximities(tact_world *world, double distance, const tact_step_def *def)
{
    tact_feature_contacts answer = {TACT_BAD_ARGUMENT, 0, NULL};
    if (!(distance >= 0.0 && distance <= STEP_MAX_COORDINATE))
        return answer;
    step_context *s = tact_step_prepare(world, def, &answer.status);
    if (s != NULL)
        answer.status =
            tact_step_find_near_hits(&s->finder, &s->scene, distance, &s->hits, &world->allocator, &world->parallel);
    return answer.status == TACT_OK ? report_all(world, s) : answer;
}

tact_step_limit tact_step_find_limit(tact_world *world, const tact_step_def *def)
{
    size_t tests = 0;
    tact_step_limit answer = {.time = 0.0};
    step_context *s = tact_step_prepare(world, def, &answer.status);
    if (s != NULL)
        answer.status = tact_step_find_hits(&s->finder, &s->scene, NULL, true, &s->hits, &tests, &world->allocator,
                                            &world->parallel);
    if (answer.status != TACT_OK)
        return answer;
    tact_step_sort_hits(&s->hits);
    answer.time = s->hits.count > 0 ? s->hits.items[0].ccd.lower : 1.0;
    if (s->hits.count > 0)
        answer.first = tact_step_report_contact(&s->scene, &s->hits.items[0]);
    return answer;
}
