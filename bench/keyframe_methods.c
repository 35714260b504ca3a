/* The methods of `tact-bench weller-zachmann-2006`. See keyframe_methods.h. */
#include "keyframe_methods.h"

#include <stdlib.h>
#include <string.h>

#include "byte_counter.h"
#include "keyframe_list.h"
#include "kinetic/keyframe_contacts.h"
#include "kinetic/kinetic_constants.h"
#include "stopwatch.h"
#include "sweep/sweep.h"
#include "swept_boxes.h"

/* Times of one contact, from an interval and from one of its frames: the ends of brackets are rounded. */
#define TIME_TOLERANCE 1e-12

/* Changes of a plan over which certificates are averaged. */
enum { PLAN_CHANGES = 64 };

static const tact_parallel one_thread = {.threads = 1};

/* ---- contacts ---- */

void tact_keyframe_log_release(keyframe_log *log)
{
    free(log->items);
    *log = (keyframe_log){.items = NULL};
}

/* Adds a contact in frame `step` of `steps`. */
static void add_contact(keyframe_log *log, size_t interval, int step, int steps, const sweep_contact *c)
{
    if (log->count == log->capacity) {
        const size_t capacity = log->capacity < 8 ? 1024 : 2 * log->capacity;
        keyframe_contact *items = realloc(log->items, capacity * sizeof *items);
        log->failed = log->failed || items == NULL;
        if (items == NULL)
            return;
        log->items = items;
        log->capacity = capacity;
    }
    keyframe_contact *k = &log->items[log->count++];
    *k = (keyframe_contact){.interval = (uint32_t)interval,
                            .kind = (uint32_t)c->kind,
                            .lower = (step + c->ccd.lower) / steps,
                            .upper = (step + c->ccd.upper) / steps};
    memcpy(k->index, c->index, sizeof k->index);
}

/* By interval and pair. */
static int compare_pairs(const keyframe_contact *a, const keyframe_contact *b)
{
    if (a->interval != b->interval)
        return a->interval < b->interval ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int k = 0; k < 4; k++)
        if (a->index[k] != b->index[k])
            return a->index[k] < b->index[k] ? -1 : 1;
    return 0;
}

static int compare_contacts(const void *p, const void *q)
{
    const keyframe_contact *a = p, *b = q;
    const int pairs = compare_pairs(a, b);
    return pairs != 0 ? pairs : (a->lower > b->lower) - (a->lower < b->lower);
}

/* Sorts, and keeps the first contact of each pair in an interval. */
static void sort_log(keyframe_log *log)
{
    size_t kept = 0;
    if (log->count > 0)
        qsort(log->items, log->count, sizeof *log->items, compare_contacts);
    for (size_t i = 0; i < log->count; i++)
        if (kept == 0 || compare_pairs(&log->items[kept - 1], &log->items[i]) != 0)
            log->items[kept++] = log->items[i];
    log->count = kept;
}

size_t tact_keyframe_log_compare(const keyframe_log *one, const keyframe_log *other)
{
    size_t i = 0, k = 0, different = 0;
    while (i < one->count && k < other->count) {
        const keyframe_contact *a = &one->items[i], *b = &other->items[k];
        const int order = compare_pairs(a, b);
        i += order <= 0;
        k += order >= 0;
        different += order != 0 || a->lower > b->upper + TIME_TOLERANCE || b->lower > a->upper + TIME_TOLERANCE;
    }
    return different + (one->count - i) + (other->count - k);
}

/* ---- frame by frame ---- */

/* Frame k of an interval: a key frame where it is, or an in-between frame in one of two buffers. */
static const tact_vec3 *frame_at(const keyframe_scene *scene, size_t interval, int k, int steps, tact_vec3 *buffers[2])
{
    if (k == 0 || k == steps)
        return keyframe_positions(scene, interval + (k > 0));
    tact_keyframe_between(scene, interval, k, steps, buffers[k % 2]);
    return buffers[k % 2];
}

typedef struct receiver {
    keyframe_log *log;
    size_t interval;
    int step, steps;
} receiver;

static void receive(void *context, const sweep_contact *contact)
{
    receiver *r = context;
    if (r->log != NULL)
        add_contact(r->log, r->interval, r->step, r->steps, contact);
}

static bool run_swept_boxes(const keyframe_scene *scene, int steps, tact_vec3 *buffers[2], keyframe_log *log,
                            keyframe_cost *cost)
{
    const double begin = tact_stopwatch_now();
    swept_boxes *s = tact_swept_boxes_create((const uint32_t(*)[3])scene->triangles, scene->triangle_count,
                                             keyframe_positions(scene, 0), scene->vertex_count);
    swept_boxes_cost sum = {0};
    bool done = s != NULL;
    for (size_t i = 0; done && i + 1 < scene->frame_count; i++) {
        done = tact_swept_boxes_renew(s, keyframe_positions(scene, i), &sum);
        const tact_vec3 *start = keyframe_positions(scene, i);
        for (int k = 0; done && k < steps; k++) {
            receiver r = {log, i, k, steps};
            const tact_vec3 *end = frame_at(scene, i, k + 1, steps, buffers);
            tact_swept_boxes_run(s, start, end, log != NULL, receive, &r, &sum);
            start = end;
        }
        if (i == 0) {
            cost->start_ns = tact_stopwatch_now() - begin;
            sum = (swept_boxes_cost){0};
        }
    }
    tact_swept_boxes_release(s);
    cost->ns = sum.ns;
    cost->update_ns = sum.update_ns;
    cost->bound_checks = sum.bound_checks;
    cost->item_pairs = sum.item_pairs;
    cost->candidates = sum.candidates;
    return done;
}

/* A mesh sweep of the scene. With `is_mute`, pairs are not tested: running it costs the update of its tree. NULL if
 * memory runs out. */
static mesh_sweep *make_sweep(const keyframe_scene *scene, size_t frame, bool is_mute)
{
    const sweep_part mute = {.vertex_end = (uint32_t)scene->vertex_count, .no_self_collision = true};
    sweep_def def = sweep_def_default();
    def.vertices = keyframe_positions(scene, frame);
    def.vertex_count = scene->vertex_count;
    def.triangles = (const uint32_t(*)[3])scene->triangles;
    def.triangle_count = scene->triangle_count;
    def.parts = is_mute ? &mute : NULL;
    def.part_count = is_mute ? 1 : 0;
    mesh_sweep *s;
    return tact_mesh_sweep_create(&s, &def) == TACT_OK ? s : NULL;
}

/* Runs a mesh sweep over all frames; its time is cost->ns. The tree is built anew when it has degraded, as in
 * kinetic/keyframe_contacts.c. */
static bool run_sweep(const keyframe_scene *scene, bool is_mute, sweep_bounds bounds, int steps, tact_vec3 *buffers[2],
                      keyframe_log *log, keyframe_cost *cost)
{
    const double begin = tact_stopwatch_now();
    mesh_sweep *s = make_sweep(scene, 0, is_mute);
    double least = 0.0;
    bool done = s != NULL;
    for (size_t i = 0; done && i + 1 < scene->frame_count; i++) {
        double before = tact_stopwatch_now();
        const double extent = tact_mesh_sweep_tree_extent(s);
        least = least == 0.0 || extent < least ? extent : least;
        if (extent > KEYFRAME_TREE_GROWTH * least) {
            tact_mesh_sweep_release(s);
            s = make_sweep(scene, i, is_mute);
            done = s != NULL;
            least = 0.0;
        }
        cost->ns += tact_stopwatch_now() - before;
        sweep_step step = sweep_step_default();
        step.bounds = bounds;
        step.parallel = &one_thread;
        step.start = keyframe_positions(scene, i);
        for (int k = 0; done && k < steps; k++) {
            step.end = frame_at(scene, i, k + 1, steps, buffers);
            before = tact_stopwatch_now();
            done = tact_mesh_sweep_run(s, &step) == TACT_OK;
            cost->ns += tact_stopwatch_now() - before;
            const sweep_counts counts = tact_mesh_sweep_counts(s);
            cost->item_pairs += counts.item_pairs;
            cost->candidates += counts.candidates;
            for (size_t c = 0; done && log != NULL && c < tact_mesh_sweep_count(s); c++)
                add_contact(log, i, k, steps, tact_mesh_sweep_contact(s, c));
            step.start = step.end;
        }
        if (i == 0)
            *cost = (keyframe_cost){.start_ns = tact_stopwatch_now() - begin};
    }
    tact_mesh_sweep_release(s);
    return done;
}

static bool run_swept_tree(const keyframe_scene *scene, int steps, tact_vec3 *buffers[2], keyframe_log *log,
                           keyframe_cost *cost)
{
    keyframe_cost update = {0};
    const bool done = run_sweep(scene, false, SWEEP_SWEPT, steps, buffers, log, cost) &&
                      run_sweep(scene, true, SWEEP_SWEPT, steps, buffers, NULL, &update);
    cost->update_ns = update.ns;
    return done;
}

/* ---- whole intervals ---- */

static const tact_vec3 *key_frame(void *context, size_t index, tact_vec3 *storage)
{
    (void)storage;
    return keyframe_positions(context, index);
}

static keyframe_contacts_def whole_interval_def(keyframe_scene *scene, keyframe_engine engine)
{
    keyframe_contacts_def def = {.elements = sweep_def_default(),
                                 .frame_count = scene->frame_count,
                                 .frame = key_frame,
                                 .context = scene,
                                 .engine = engine,
                                 .certificate = SEPARATION_WITNESS_AXIS,
                                 .parallel = one_thread};
    def.elements.triangles = (const uint32_t(*)[3])scene->triangles;
    def.elements.triangle_count = scene->triangle_count;
    def.elements.vertex_count = scene->vertex_count;
    return def;
}

static bool run_windows(const keyframe_scene *scene, keyframe_log *log, keyframe_cost *cost)
{
    keyframe_scene copy = *scene; /* the context is not const */
    byte_counter memory = {0};
    keyframe_contacts_def def = whole_interval_def(&copy, KEYFRAME_WINDOWS);
    def.allocator = byte_counter_allocator(&memory);
    keyframe_contacts *k;
    const double begin = tact_stopwatch_now();
    bool done = tact_keyframe_contacts_create(&k, &def) == TACT_OK;
    for (size_t i = 0; done && i + 1 < scene->frame_count; i++) {
        const double before = tact_stopwatch_now();
        done = tact_keyframe_contacts_run(k, i) == TACT_OK;
        cost->ns += tact_stopwatch_now() - before;
        const sweep_counts counts = tact_keyframe_contacts_counts(k);
        cost->item_pairs += counts.item_pairs;
        cost->candidates += counts.candidates;
        cost->contacts += counts.contacts;
        cost->bytes = memory.current;
        for (size_t c = 0; done && log != NULL && c < tact_keyframe_contacts_count(k); c++)
            add_contact(log, i, 0, 1, tact_keyframe_contacts_get(k, c));
        if (i == 0)
            *cost = (keyframe_cost){.start_ns = tact_stopwatch_now() - begin};
    }
    tact_keyframe_contacts_release(k);
    keyframe_cost update = {0};
    done = done && run_sweep(scene, true, SWEEP_MOVING, 1, NULL, NULL, &update);
    cost->update_ns = update.ns;
    return done;
}

static uint64_t event_count(const separation_counts *c)
{
    return c->tree.internal_events + c->tree.external_events + c->bounds_overlap + c->fathers_apart + c->leaves_apart +
           c->bound_changes;
}

/* Advances a separation list without testing pairs. Its time is cost->ns. */
static bool update_list(const keyframe_scene *scene, keyframe_cost *cost)
{
    keyframe_list_run run;
    bool done = tact_keyframe_list_begin(&run, scene);
    for (size_t k = 1; done && k < scene->frame_count; k++) {
        const double before = tact_stopwatch_now();
        done = tact_separation_list_advance(run.list, (double)k, NULL, NULL) == TACT_OK;
        cost->ns += k > 1 ? tact_stopwatch_now() - before : 0.0;
    }
    const separation_counts before = done ? tact_separation_list_counts(run.list) : (separation_counts){.events = 0};
    uint32_t changes = 0;
    for (; done && changes < PLAN_CHANGES; changes++) { /* of one vertex each, as if it moved otherwise from now on */
        const uint32_t vertex = (uint32_t)((uint64_t)changes * 2654435761u % scene->vertex_count);
        done = tact_separation_list_vertices_changed(run.list, &vertex, 1, NULL, NULL, NULL) == TACT_OK;
    }
    if (done) {
        cost->changed_certificates =
            (double)(tact_separation_list_counts(run.list).certificates_examined - before.certificates_examined) /
            (double)changes;
    }
    tact_keyframe_list_end(&run);
    return done;
}

static bool run_list(const keyframe_scene *scene, keyframe_log *log, keyframe_cost *cost)
{
    keyframe_scene copy = *scene; /* the context is not const */
    byte_counter memory = {0};
    keyframe_contacts_def def = whole_interval_def(&copy, KEYFRAME_LIST);
    def.allocator = byte_counter_allocator(&memory);
    keyframe_contacts *k;
    const double begin = tact_stopwatch_now();
    separation_counts first = {.events = 0};
    bool done = tact_keyframe_contacts_create(&k, &def) == TACT_OK;
    for (size_t i = 0; done && i + 1 < scene->frame_count; i++) {
        const double before = tact_stopwatch_now();
        done = tact_keyframe_contacts_run(k, i) == TACT_OK;
        cost->ns += tact_stopwatch_now() - before;
        const sweep_counts counts = tact_keyframe_contacts_counts(k);
        const separation_counts list = tact_keyframe_contacts_list_counts(k);
        cost->item_pairs += counts.item_pairs;
        cost->candidates += counts.candidates;
        cost->contacts += counts.contacts;
        cost->events = event_count(&list) - event_count(&first);
        cost->outer_events = list.leaves_overlap + list.leaves_apart - first.leaves_overlap - first.leaves_apart;
        cost->bytes = memory.current;
        for (size_t c = 0; done && log != NULL && c < tact_keyframe_contacts_count(k); c++)
            add_contact(log, i, 0, 1, tact_keyframe_contacts_get(k, c));
        if (i == 0) {
            *cost = (keyframe_cost){.start_ns = tact_stopwatch_now() - begin};
            first = list;
        }
    }
    tact_keyframe_contacts_release(k);
    keyframe_cost update = {0};
    done = done && update_list(scene, &update);
    cost->update_ns = update.ns;
    cost->changed_certificates = update.changed_certificates;
    return done;
}

bool tact_keyframes_run(const keyframe_scene *scene, keyframe_method method, int steps, keyframe_log *log,
                        keyframe_cost *cost)
{
    tact_vec3 *buffers[2] = {NULL, NULL};
    bool done = true;
    *cost = (keyframe_cost){0};
    for (int i = 0; i < 2; i++) {
        buffers[i] = malloc((scene->vertex_count + 1) * sizeof *buffers[i]);
        done = done && buffers[i] != NULL;
    }
    switch (method) {
    case KEYFRAMES_SWEPT_BOXES:
        done = done && run_swept_boxes(scene, steps, buffers, log, cost);
        break;
    case KEYFRAMES_SWEPT_TREE:
        done = done && run_swept_tree(scene, steps, buffers, log, cost);
        break;
    case KEYFRAMES_WINDOWS:
        done = done && run_windows(scene, log, cost);
        break;
    default:
        done = done && run_list(scene, log, cost);
    }
    free(buffers[0]);
    free(buffers[1]);
    if (log != NULL)
        sort_log(log);
    return done && (log == NULL || !log->failed);
}
