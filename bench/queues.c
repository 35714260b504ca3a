/*
 * `tact-bench queues`: four kinds of event queues replay the operations recorded from worlds. All must give the same
 * answers.
 */
#include <math.h>
#include <stdlib.h>
#include <tact/tact.h>

#include "queue_kind.h"
#include "queue_stream.h"
#include "stopwatch.h"
#include "suite.h"
#include "support/random.h"
#include "table.h"

enum { KINDS = 4, ROUNDS = 5 };

static const queue_kind *const kinds[KINDS] = {&tact_queue_quaternary, &tact_queue_pairing, &tact_queue_fibonacci,
                                               &tact_queue_calendar};

/* ---- worlds ---- */

/* Bodies between six walls, filling a share `packing` of the volume. */
static tact_world *create_world(int count, double packing, bool mixed, uint64_t seed)
{
    tact_world *world = tact_world_create(NULL);
    random_source r = random_seed(seed);
    tact_shape *shapes[4] = {tact_sphere(0.5), tact_box(0.8, 0.8, 0.8), tact_capsule(0.3, 0.5),
                             tact_cylinder(0.4, 0.8)};
    const double length = cbrt(count * 0.5236 / packing);
    tact_shape *wall = tact_box(length + 2.0, length + 2.0, 1.0);
    bool done = world && wall && shapes[0] && shapes[1] && shapes[2] && shapes[3];
    const int side = (int)ceil(cbrt(count));
    for (int i = 0; done && i < count; i++) {
        const double x = (i % side + 0.5) / side - 0.5, y = (i / side % side + 0.5) / side - 0.5;
        const double z = (double)(i / side / side) / side + 0.5 / side - 0.5;
        tact_motion m = {
            .velocity = {random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0)}};
        if (mixed)
            m.spin = (tact_vec3){random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0), random_range(&r, -1.0, 1.0)};
        const tact_body_def def = {
            .shape = shapes[mixed ? i % 4 : 0], .transform = tact_at(length * x, length * y, length * z), .motion = m};
        const tact_body body = tact_body_create(world, &def);
        done = body.generation != 0 && tact_body_set_mass(world, body, 1.0) == TACT_OK;
    }
    for (int k = 0; done && k < 6; k++) {
        const double at = (k < 3 ? -0.5 : 0.5) * (length + 1.0), s = sqrt(0.5);
        const tact_quat turn = k % 3 == 0   ? (tact_quat){0.0, s, 0.0, s}
                               : k % 3 == 1 ? (tact_quat){s, 0.0, 0.0, s}
                                            : (tact_quat){0.0, 0.0, 0.0, 1.0};
        const tact_vec3 position = {k % 3 == 0 ? at : 0.0, k % 3 == 1 ? at : 0.0, k % 3 == 2 ? at : 0.0};
        const tact_body_def def = {.shape = wall,
                                   .transform = tact_transform_make(position, turn, (tact_vec3){1.0, 1.0, 1.0})};
        done = tact_body_create(world, &def).generation != 0;
    }
    for (int k = 0; k < 4; k++)
        tact_shape_release(shapes[k]);
    tact_shape_release(wall);
    if (done)
        return world;
    tact_world_release(world);
    return NULL;
}

/* ---- replay ---- */

/* Replays the stream. `ns`: time without the steps that fill the queue. `wrong`: adds the number of different answers.
 */
static bool replay(const queue_stream *s, const queue_kind *kind, double *ns, long *wrong)
{
    void *q = kind->create(s->id_count);
    if (!q)
        return false;
    double began = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        if (i == s->fill_count)
            began = tact_stopwatch_now();
        const queue_step *step = &s->steps[i];
        switch (step->operation) {
        case QUEUE_SET:
            kind->set(q, step->id, step->time, step->key);
            break;
        case QUEUE_CANCEL:
            kind->cancel(q, step->id);
            break;
        case QUEUE_FIRST:
            *wrong += kind->first(q) != step->id;
            break;
        }
    }
    *ns = tact_stopwatch_now() - began;
    kind->release(q);
    return true;
}

typedef struct queue_scene {
    const char *name;
    double packing;
    bool mixed, kinetic_sweep;
    bool is_list; /* the separation list of a cloth; `count` is its number of cells along an edge */
    list_queue list_events;
} queue_scene;

static bool record(const suite *s, const queue_scene *what, int count, long events, queue_stream *stream)
{
    if (what->is_list)
        return tact_queue_stream_record_list(stream, count, what->list_events, events);
    tact_world *world = create_world(count, what->packing, what->mixed, s->seed);
    const bool done = world && tact_queue_stream_record(stream, world, what->kinetic_sweep, events);
    tact_world_release(world);
    return done;
}

/* Adds a row: ns per event for each kind. */
static bool measure(const suite *s, json_t *table, const queue_scene *what, int count, long events)
{
    queue_stream stream = {0};
    laps times;
    bool done = record(s, what, count, events, &stream);
    if (!tact_laps_create(&times, KINDS, 1, ROUNDS))
        done = false;
    long wrong = 0;
    for (int round = 0; done && round < ROUNDS; round++)
        for (int k = 0; done && k < KINDS; k++) {
            double ns = 0.0;
            done = replay(&stream, kinds[k], &ns, &wrong);
            tact_laps_record(&times, k, 0, round, ns);
        }
    if (done) {
        double each[KINDS], pops = 0.0, sets = 0.0;
        for (size_t i = stream.fill_count; i < stream.count; i++) {
            pops += stream.steps[i].operation == QUEUE_FIRST;
            sets += stream.steps[i].operation != QUEUE_FIRST;
        }
        for (int k = 0; k < KINDS; k++)
            each[k] = tact_laps_median(&times, k) / pops;
        tact_table_row(table, "sdfffffffs", what->name, what->is_list ? 2L * count * count : (long)count,
                       stream.mean_size, sets / pops, each[0], each[1], each[2], each[3], each[0] / each[3],
                       wrong == 0 ? "same" : "WRONG");
    }
    *s->wrong += wrong;
    tact_laps_release(&times);
    tact_queue_stream_release(&stream);
    return done;
}

bool tact_bench_queues(const suite *s)
{
    static const queue_scene scenes[] = {{.name = "spheres, 30 %", .packing = 0.3},
                                         {.name = "spheres, 1 %", .packing = 0.01},
                                         {.name = "mixed, tumbling, 10 %", .packing = 0.1, .mixed = true},
                                         {.name = "kinetic sweep, 10 %", .packing = 0.1, .kinetic_sweep = true}};
    static const queue_scene lists[] = {
        {.name = "separation list, next events", .is_list = true, .list_events = LIST_NEXT_EVENTS},
        {.name = "separation list, all events", .is_list = true, .list_events = LIST_ALL_EVENTS}};
    static const int counts[] = {100, 1000, 10000, 100000};
    const char *columns =
        "stream|bodies or triangles|mean size|changes per event|4-ary heap, ns per event|pairing heap|Fibonacci heap|"
        "calendar|heap / calendar|answers";
    json_t *kinds_table = tact_table_begin("Event queues on recorded operations", columns);
    json_t *growth = tact_table_begin("Event queues: growth with the number of bodies", columns);
    const long events = suite_size(s, 50000, 10000, 200);
    bool done = true;
    for (size_t k = 0; done && k < sizeof scenes / sizeof scenes[0]; k++)
        done = measure(s, kinds_table, &scenes[k],
                       scenes[k].kinetic_sweep ? 300
                       : scenes[k].mixed       ? 200
                                               : 1000,
                       events);
    for (size_t k = 0; done && k < sizeof lists / sizeof lists[0]; k++)
        done = measure(s, kinds_table, &lists[k], suite_size(s, 45, 32, 8), suite_size(s, 5000, 2000, 100));
    for (size_t k = 0; done && k < sizeof counts / sizeof counts[0]; k++) {
        const int most = suite_size(s, s->large ? 100000 : 10000, 1000, 100);
        if (counts[k] <= most)
            done = measure(s, growth, &scenes[0], counts[k], counts[k] > 10000 ? events / 5 : events);
    }
    tact_table_note(kinds_table,
                    "Recorded from real runs, event by event: what was set, changed and cancelled, and which event was "
                    "first. Median of %d rounds.",
                    ROUNDS);
    tact_table_plot(growth, "ns per event", 1, 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7, -1);
    const bool ended = tact_table_end(s, "queues", kinds_table);
    return tact_table_end(s, "queues_growth", growth) && ended && done;
}
