/*
 * Contacts and proximities of a step: see the header. The work is done by the mesh sweep over moving trees
 * (sweep/sweep.h), in which all obstacles are one part without self-contacts. Pairs that collision filters exclude are
 * removed from its result. Obstacles that are tested as shapes: shape_contacts.h.
 */
#include "step/step_find.h"

#include "ccd/feature_distance.h"
#include "math/vec.h"
#include "step/step_constants.h"
#include "sweep/sweep.h"

static void drop_sweep(step_contact_finder *finder)
{
    tact_mesh_sweep_release(finder->sweep);
    finder->sweep = NULL;
    finder->tree_extent = finder->min_tree_extent = 0.0;
}

void tact_step_contact_finder_release(step_contact_finder *finder, const tact_allocator *allocator)
{
    drop_sweep(finder);
    tact_shape_contact_finder_release(&finder->shapes, allocator);
}

/* Applies changed faces of remeshed bodies to the sweep. */
static tact_status apply_changed_faces(step_contact_finder *finder, step_scene *scene, const tact_allocator *allocator)
{
    const size_t count = scene->changed_faces.count;
    if (count == 0)
        return TACT_OK;
    feature_triangle *faces = tact_memory_allocate(allocator, count, sizeof *faces);
    if (faces == NULL)
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i)
        faces[i] = scene->faces.items[scene->changed_faces.items[i]];
    const tact_status status =
        tact_mesh_sweep_set_triangles(finder->sweep, scene->changed_faces.items, (const uint32_t(*)[3])faces, count);
    tact_memory_free(allocator, faces, count, sizeof *faces);
    if (status == TACT_OK)
        scene->changed_faces.count = 0;
    return status;
}

tact_status tact_step_contact_finder_begin(step_contact_finder *finder, step_scene *scene,
                                           const tact_allocator *allocator)
{
    finder->has_step = false;
    if (finder->sweep != NULL && finder->version == scene->version &&
        !(finder->tree_extent > STEP_TREE_GROWTH * finder->min_tree_extent))
        return apply_changed_faces(finder, scene, allocator);
    drop_sweep(finder);
    const size_t obstacles = scene->obstacle_count, count = scene->parts.count;
    const size_t part_count = count - obstacles + (obstacles > 0);
    if (part_count == 0)
        return TACT_OK;
    sweep_part *parts = tact_memory_allocate(allocator, part_count, sizeof *parts);
    if (parts == NULL)
        return TACT_OUT_OF_MEMORY;
    size_t n = 0;
    if (obstacles > 0)
        parts[n++] = (sweep_part){scene->parts.items[obstacles - 1].end_vertex, true};
    for (size_t i = obstacles; i < count; ++i)
        parts[n++] = (sweep_part){scene->parts.items[i].end_vertex, false};
    sweep_def def = sweep_def_default();
    for (size_t i = 0; i < count; ++i) /* a tenth slower, so only where it is needed */
        def.remeshable = def.remeshable || scene->parts.items[i].remeshed;
    def.vertices = scene->from.items;
    def.vertex_count = scene->from.count;
    def.triangles = (const uint32_t(*)[3])scene->faces.items;
    def.triangle_count = scene->faces.count;
    def.parts = parts;
    def.part_count = part_count;
    def.allocator = *allocator;
    const tact_status status = tact_mesh_sweep_create(&finder->sweep, &def);
    tact_memory_free(allocator, parts, part_count, sizeof *parts);
    finder->version = scene->version;
    if (status == TACT_OK)
        scene->changed_faces.count = 0;
    return status;
}

static step_hit hit_of(const step_scene *scene, const sweep_contact *c)
{
    step_hit hit = {.ccd = c->ccd, .kind = c->kind, .vertices = {c->index[0], c->index[1], c->index[2], c->index[3]}};
    if (c->kind == TACT_VERTEX_FACE) {
        hit.face = c->index[1];
        for (int k = 0; k < 3; ++k)
            hit.vertices[1 + k] = scene->faces.items[hit.face].vertices[k];
    }
    return hit;
}

static bool allowed(const step_scene *scene, const step_hit *hit)
{
    const uint32_t other = hit->vertices[hit->kind == TACT_VERTEX_FACE ? 1 : 2];
    return step_parts_collide(scene, scene->part_of.items[hit->vertices[0]], scene->part_of.items[other]);
}

tact_status tact_step_find_hits(step_contact_finder *finder, const step_scene *scene, const uint8_t *marked, bool first,
                                step_hit_array *hits, size_t *tests, const tact_allocator *allocator,
                                const tact_parallel *parallel)
{
    if (finder->sweep == NULL)
        return TACT_OK;
    sweep_step step = sweep_step_default();
    step.start = scene->from.items;
    step.end = scene->to.items;
    step.mode = first && !scene->filtered ? SWEEP_EARLIEST : SWEEP_ALL;
    step.changed = finder->has_step ? marked : NULL;
    step.parallel = parallel;
    const tact_status status = tact_mesh_sweep_run(finder->sweep, &step);
    finder->has_step = status == TACT_OK;
    if (status != TACT_OK)
        return status;
    if (step.changed == NULL) {
        finder->tree_extent = tact_mesh_sweep_tree_extent(finder->sweep);
        if (finder->min_tree_extent == 0.0 || finder->tree_extent < finder->min_tree_extent)
            finder->min_tree_extent = finder->tree_extent;
    }
    const size_t count = tact_mesh_sweep_count(finder->sweep);
    *tests += (size_t)tact_mesh_sweep_counts(finder->sweep).candidates;
    if (!step_hit_array_reserve(hits, allocator, hits->count + count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        const step_hit hit = hit_of(scene, tact_mesh_sweep_contact(finder->sweep, i));
        if (allowed(scene, &hit))
            hits->items[hits->count++] = hit;
    }
    return tact_shape_contacts_find(&finder->shapes, scene, step.changed, hits, tests, allocator, parallel);
}

tact_status tact_step_find_near_hits(step_contact_finder *finder, const step_scene *scene, double distance,
                                     step_hit_array *hits, const tact_allocator *allocator,
                                     const tact_parallel *parallel)
{
    if (finder->sweep == NULL || !(distance > 0.0))
        return TACT_OK;
    sweep_step step = sweep_step_default();
    step.start = step.end = scene->from.items;
    step.separation = distance;
    step.parallel = parallel;
    finder->has_step = false;
    const tact_status status = tact_mesh_sweep_run(finder->sweep, &step);
    if (status != TACT_OK)
        return status;
    const size_t count = tact_mesh_sweep_count(finder->sweep);
    if (!step_hit_array_reserve(hits, allocator, hits->count + count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        step_hit hit = hit_of(scene, tact_mesh_sweep_contact(finder->sweep, i));
        if (!allowed(scene, &hit))
            continue;
        tact_vec3 points[4];
        for (int k = 0; k < 4; ++k)
            points[k] = scene->from.items[hit.vertices[k]];
        hit.ccd = (tact_ccd){.status = TACT_OK, .state = TACT_HIT};
        const tact_vec3 difference = tact_feature_closest_points(hit.kind, points, hit.ccd.weights);
        hit.distance = vec_length_safe(difference);
        hit.ccd.normal = vec_negate(vec_normalize(difference));
        hit.ccd.degenerate = hit.distance == 0.0;
        if (hit.distance < distance)
            hits->items[hits->count++] = hit;
    }
    return tact_shape_proximities_find(&finder->shapes, scene, distance, hits, allocator, parallel);
}
