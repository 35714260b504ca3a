/*
 * The cloth is that of examples/cloth: Tact makes each step free of contacts. The run has the result, the motion of the
 * torus, and as events the contacts that the step would have had: those that were resolved.
 */
#include <math.h>
#include <stdlib.h>
#include <tact/math.h>

#include "run_file.h"
#include "scenes.h"
#include "show_case.h"

/* Contacts of a step that are written: the first ones. */
#define STEP_CONTACTS 40

/* The number of a body in the run: cloths first. */
static uint32_t number_of(const simulation *sim, tact_body body)
{
    for (int i = 0; i < sim->cloth_count; i++)
        if (sim->cloths[i].body.index == body.index)
            return (uint32_t)i;
    for (int i = 0; i < sim->obstacle_count; i++)
        if (sim->obstacles[i].body.index == body.index)
            return (uint32_t)(sim->cloth_count + i);
    return RUN_NONE;
}

static void bodies_write(run_file *run, const simulation *sim)
{
    for (int i = 0; i < sim->cloth_count; i++) {
        const cloth *c = &sim->cloths[i];
        char name[24];
        (void)snprintf(name, sizeof name, "\"sheet %d\"", i + 1);
        const uint32_t shape = tact_run_file_mesh(run, c->position, c->count,
                                                  (const uint32_t(*)[3])(const void *)c->indices, c->triangle_count);
        tact_run_file_body(run, &(run_body){.name = name, .shape = shape, .mass = 1.0, .transform = tact_identity()});
    }
    for (int i = 0; i < sim->obstacle_count; i++) {
        const obstacle *o = &sim->obstacles[i];
        const tact_transform at = tact_body_get_transform(sim->world, o->body);
        const tact_motion motion = tact_body_get_motion(sim->world, o->body);
        const uint32_t shape = tact_run_file_mesh(run, o->points, o->count,
                                                  (const uint32_t(*)[3])(const void *)o->indices, o->triangle_count);
        tact_run_file_body(run,
                           &(run_body){.name = i == 0 ? "\"floor\"" : "\"torus\"", .shape = shape, .transform = at});
        tact_run_file_motion(run, (uint32_t)(sim->cloth_count + i),
                             &(observed_motion){.origin = at.origin,
                                                .velocity = motion.velocity,
                                                .acceleration = motion.acceleration,
                                                .spin = motion.spin,
                                                .transform = at});
    }
}

static void frame_write(run_file *run, const simulation *sim)
{
    for (int i = 0; i < sim->cloth_count; i++)
        tact_run_file_key(run, (uint32_t)i, sim->time, sim->cloths[i].position, sim->cloths[i].count);
}

/* Writes the contacts that the step would have. */
static bool contacts_write(run_file *run, const simulation *sim)
{
    const tact_feature_contacts found = tact_step_find_contacts(sim->world, &sim->step);
    for (size_t i = 0; i < found.count && i < STEP_CONTACTS; i++) {
        const tact_feature_contact *c = &found.items[i];
        const uint32_t a = number_of(sim, c->a), b = number_of(sim, c->b);
        if (a >= (uint32_t)sim->cloth_count || c->vertices[0] == TACT_NO_VERTEX)
            continue;
        const bool is_vertex = c->kind == TACT_VERTEX_FACE;
        const cloth *body = &sim->cloths[a];
        run_event event = {.kind = is_vertex ? RUN_EVENT_VERTEX_FACE : RUN_EVENT_EDGE_EDGE,
                           .time = sim->time + c->ccd.lower * sim->step.duration,
                           .a = a,
                           .b = b,
                           .has_point = true,
                           .normal = c->ccd.normal,
                           .speed = NAN,
                           .features = {c->vertices[0], is_vertex ? c->face : c->vertices[1],
                                        is_vertex ? RUN_NONE : c->vertices[2], is_vertex ? RUN_NONE : c->vertices[3]}};
        for (int k = 0; k < (is_vertex ? 1 : 2); k++) {
            const uint32_t v = c->vertices[k];
            event.point = tact_vec_mul_add(event.point, is_vertex ? 1.0 : c->ccd.weights[k],
                                           tact_vec_lerp(body->position[v], body->target[v], c->ccd.lower));
        }
        tact_run_file_event(run, &event);
    }
    return found.status == TACT_OK;
}

bool show_case_cloth(const char *folder, int steps, int scale)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/cloth.run", folder);
    simulation *sim = scene_shower(2, 36 / scale + 1, 48 / scale, 20 / scale > 8 ? 20 / scale : 8, NULL);
    if (!sim) {
        (void)fprintf(stderr, "tact_show_case: out of memory\n");
        return false;
    }
    run_file run;
    const run_paths paths = {.save = path};
    const double duration = sim->step.duration;
    if (!tact_run_file_open(&run, &paths, "cloth", "cloth on a spinning torus", 0.0, steps * duration)) {
        simulation_release(sim);
        return false;
    }
    bodies_write(&run, sim);
    frame_write(&run, sim);
    bool good = true;
    for (int i = 0; i < steps && good; i++) {
        good = simulation_predict(sim) == TACT_OK && contacts_write(&run, sim);
        tact_step_result result = {.status = TACT_OK};
        if (good)
            result = simulation_resolve(sim);
        good = good && result.status == TACT_OK;
        if (good) {
            simulation_finish_step(sim, result);
            frame_write(&run, sim);
        }
    }
    if (!good)
        (void)fprintf(stderr, "tact_show_case: a step of the cloth failed\n");
    good = tact_run_file_close(&run, good) && good;
    simulation_release(sim);
    return good;
}
