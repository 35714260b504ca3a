/*
 * `tact-bench plans`: a waving cloth of 10,000 vertices in a world, whose plans are all replaced every millisecond, as
 * a simulation does: by targets, and by velocities. The time of tact_body_set_vertex_motion and tact_world_next_event
 * is compared with that of finding the contacts of the same steps with tact_step_find_contacts. Then the plan of one
 * vertex at a time is changed. One thread; self-collisions and feature events are on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "stopwatch.h"
#include "suite.h"
#include "table.h"

#define STEP 0.001 /* seconds */
enum { WARM_UP = 5, CHANGES = 400 };

typedef struct plan_scene {
    int side;
    tact_vec3 *from, *to, *velocities;
    tact_shape *shape;
    tact_world *steps, *plans; /* the same cloth: in steps, and with plans */
    tact_body stepped, planned;
} plan_scene;

static size_t vertex_count(const plan_scene *p) { return (size_t)p->side * (size_t)p->side; }

/* Where the cloth is at a time. */
static void place(const plan_scene *p, double time, tact_vec3 *points)
{
    for (int i = 0; i < p->side; i++)
        for (int k = 0; k < p->side; k++)
            points[i * p->side + k] =
                tact_vec(0.1 * i, 0.05 * sin(0.3 * i + 15.0 * time) + 0.05 * sin(0.25 * k - 10.0 * time), 0.1 * k);
}

static void release(plan_scene *p)
{
    tact_world_release(p->steps);
    tact_world_release(p->plans);
    tact_shape_release(p->shape);
    free(p->from);
    free(p->to);
    free(p->velocities);
}

static bool make(plan_scene *p, int side)
{
    *p = (plan_scene){.side = side};
    const size_t n = vertex_count(p), triangles = 2 * (size_t)(side - 1) * (size_t)(side - 1);
    p->from = malloc(n * sizeof *p->from);
    p->to = malloc(n * sizeof *p->to);
    p->velocities = malloc(n * sizeof *p->velocities);
    uint32_t *indices = malloc(3 * triangles * sizeof *indices);
    if (p->from == NULL || p->to == NULL || p->velocities == NULL || indices == NULL) {
        free(indices);
        return false;
    }
    size_t filled = 0;
    for (int i = 0; i + 1 < side; i++)
        for (int k = 0; k + 1 < side; k++) {
            const uint32_t a = (uint32_t)(i * side + k), row = (uint32_t)side;
            const uint32_t two[6] = {a, a + 1, a + row, a + 1, a + row + 1, a + row};
            memcpy(indices + filled, two, sizeof two);
            filled += 6;
        }
    place(p, 0.0, p->from);
    p->shape = tact_mesh(p->from, n, indices, triangles);
    free(indices);
    const tact_world_def def = {.parallel = {.threads = 1}};
    p->steps = tact_world_create(&def);
    p->plans = tact_world_create(&def);
    if (p->shape == NULL || p->steps == NULL || p->plans == NULL)
        return false;
    const tact_body_def body = {.shape = p->shape, .deformable = true, .self_collision = true};
    p->stepped = tact_body_create(p->steps, &body);
    p->planned = tact_body_create(p->plans, &body);
    return tact_body_set_feature_events(p->plans, p->planned, true) == TACT_OK;
}

/* Takes all events up to a time. */
static bool run_until(const plan_scene *p, double time, size_t *events)
{
    tact_event event;
    while (tact_world_next_event(p->plans, time, &event) != TACT_EVENT_NONE)
        ++*events;
    return event.status == TACT_OK;
}

typedef struct plan_cost {
    double step, plan, change; /* ns each */
    size_t contacts, events;
} plan_cost;

/* Replaces all plans in each step, and finds the contacts of the same step. */
static bool replace_plans(plan_scene *p, bool velocities, int steps, plan_cost *cost)
{
    const size_t n = vertex_count(p);
    bool done = true;
    for (int i = 0; done && i < steps; i++) {
        const double end = STEP * (i + 1);
        place(p, end, p->to);
        for (size_t v = 0; v < n; v++)
            p->velocities[v] = tact_vec((p->to[v].x - p->from[v].x) / STEP, (p->to[v].y - p->from[v].y) / STEP,
                                        (p->to[v].z - p->from[v].z) / STEP);
        const double before = tact_stopwatch_now();
        done = tact_body_set_step_positions(p->steps, p->stepped, p->from, p->to) == TACT_OK;
        cost->contacts += tact_step_find_contacts(p->steps, NULL).count;
        const double between = tact_stopwatch_now();
        const tact_vertex_motion targets = {.positions = p->from, .targets = p->to, .end_time = end},
                                 moving = {.positions = p->from, .velocities = p->velocities};
        done = done && tact_body_set_vertex_motion(p->plans, p->planned, velocities ? &moving : &targets) == TACT_OK &&
               run_until(p, end, &cost->events);
        const double after = tact_stopwatch_now();
        if (i >= WARM_UP) {
            cost->step += (between - before) / (steps - WARM_UP);
            cost->plan += (after - between) / (steps - WARM_UP);
        }
        memcpy(p->from, p->to, n * sizeof *p->from);
    }
    return done;
}

/* Changes the plan of one vertex at a time, all of which move with velocities. */
static bool change_plans(plan_scene *p, int steps, plan_cost *cost)
{
    const size_t n = vertex_count(p);
    double time = STEP * steps + 1e-5;
    bool done = tact_body_set_vertex_motion(p->plans, p->planned, &(tact_vertex_motion){.velocities = p->velocities}) ==
                    TACT_OK &&
                run_until(p, time, &cost->events);
    const double before = tact_stopwatch_now();
    for (uint32_t i = 0; done && i < CHANGES; i++) {
        const tact_vec3 velocity = tact_vec(0.0, 0.01 * (double)(i % 3), 0.0);
        const tact_vertex_motion one = {.first = (uint32_t)(37u * (size_t)i % n), .count = 1, .velocities = &velocity};
        time += 1e-7;
        done = tact_body_set_vertex_motion(p->plans, p->planned, &one) == TACT_OK && run_until(p, time, &cost->events);
    }
    cost->change = (tact_stopwatch_now() - before) / CHANGES;
    return done;
}

bool tact_bench_plans(const suite *s)
{
    json_t *table = tact_table_begin("Vertex plans that are replaced every millisecond, ms each",
                                     "vertices|plans|step|world|world / step|goal|met|one vertex|% of a step|goal|met");
    const int side = suite_size(s, 100, 50, 8), steps = suite_size(s, 60, 30, 8);
    bool done = table != NULL;
    for (int velocities = 0; done && velocities < 2; velocities++) {
        plan_scene scene;
        plan_cost cost = {0};
        done = make(&scene, side) && replace_plans(&scene, velocities != 0, steps, &cost) &&
               change_plans(&scene, steps, &cost);
        release(&scene);
        const double ratio = cost.plan / cost.step, part = 100.0 * cost.change / cost.step;
        const double goal = s->tiny ? NAN : 1.1, part_goal = s->tiny || s->quick ? NAN : 1.0;
        if (done)
            tact_table_row(table, "dsffffsfffs", (long)(side * side), velocities != 0 ? "velocities" : "targets",
                           cost.step / 1e6, cost.plan / 1e6, ratio, goal, tact_table_met(goal, ratio),
                           cost.change / 1e6, part, part_goal, tact_table_met(part_goal, part));
    }
    tact_table_note(table, "Step: tact_body_set_step_positions and tact_step_find_contacts. World: "
                           "tact_body_set_vertex_motion and tact_world_next_event for the same motion. One vertex: a "
                           "change of its plan, and the events of 0.1 us.");
    const bool ended = tact_table_end(s, "plans", table);
    return done && ended;
}
