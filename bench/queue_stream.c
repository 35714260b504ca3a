/*
 * Recording: the world advances event by event, and after each event its queue is compared with the previous state. Two
 * changes of one id within an event are thus recorded as one. The library needs no hook for it.
 */
#include "queue_stream.h"

#include <math.h>
#include <stdlib.h>
#include <tact/tact.h>

#include "advance/advance.h"
#include "keyframe_list.h"
#include "kinetic/separation_internal.h"
#include "queue_kind.h"

void tact_queue_stream_release(queue_stream *s)
{
    free(s->steps);
    *s = (queue_stream){0};
}

static bool push(queue_stream *s, queue_step step)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 1024;
        queue_step *steps = realloc(s->steps, capacity * sizeof *steps);
        if (!steps)
            return false;
        s->steps = steps;
        s->capacity = capacity;
    }
    s->steps[s->count++] = step;
    return true;
}

/* Records the changes since the last call and the first event. */
static bool compare(queue_stream *s, const event_queue *q, queue_time *previous)
{
    bool done = true;
    for (uint32_t i = 0; done && i < s->id_count; i++) {
        const bool present = event_queue_has(q, i), was_present = previous[i].time < INFINITY;
        if (!present && was_present)
            done = push(s, (queue_step){.id = i, .operation = QUEUE_CANCEL});
        const queue_time now =
            present ? (queue_time){q->entries[q->heap_index[i]].time, q->keys[i]} : (queue_time){INFINITY, 0};
        if (present && (now.time != previous[i].time || now.key != previous[i].key))
            done = push(s, (queue_step){now.time, now.key, i, QUEUE_SET});
        previous[i] = now;
    }
    return done && push(s, (queue_step){.id = q->count > 0 ? q->entries[0].id : QUEUE_NONE, .operation = QUEUE_FIRST});
}

bool tact_queue_stream_record(queue_stream *s, tact_world *world, bool of_sweep, long events)
{
    tact_event e;
    *s = (queue_stream){0};
    bool done =
        tact_world_set_kinetic(world, of_sweep ? TACT_KINETIC_SWEEP_AND_PRUNE : TACT_KINETIC_FAT_BOUNDS) == TACT_OK;
    (void)tact_world_next_event(world, tact_world_get_time(world), &e);
    const advance *ad = world->advance;
    done = done && e.status == TACT_OK && ad;
    if (!done)
        return false;
    const event_queue *q = of_sweep ? &ad->sweep.sweep.queue : &ad->queue;
    s->id_count = (uint32_t)(of_sweep ? 6 * ad->motions.count : ad->motions.count);
    queue_time *previous = malloc(s->id_count * sizeof *previous);
    for (uint32_t i = 0; previous && i < s->id_count; i++)
        previous[i] = (queue_time){INFINITY, 0};
    done = previous && compare(s, q, previous);
    s->fill_count = s->count;
    for (long i = 0; done && i < events; i++) {
        const double next = tact_world_get_next_time(world);
        if (!(next < INFINITY))
            break;
        if (tact_world_next_event(world, next, &e) == TACT_EVENT_TOUCH)
            done = tact_world_bounce(world, &e, 1.0) == TACT_OK;
        done = done && e.status == TACT_OK && compare(s, q, previous);
        s->mean_size += (double)q->count / (double)events;
    }
    free(previous);
    return done;
}

/* ---- a separation list ---- */

/* The event of a pair in the queue; INFINITY: none. */
static queue_time list_event(const separation_list *list, list_queue which, uint32_t pair)
{
    const event_queue *q = &list->queue;
    const queue_time none = {INFINITY, 0};
    if (pair >= list->pair_count || list->pairs[pair].state == SEPARATION_UNUSED)
        return none;
    if (which == LIST_ALL_EVENTS)
        return (queue_time){list->due[pair], pair};
    return event_queue_has(q, pair) ? (queue_time){q->entries[q->heap_index[pair]].time, q->keys[pair]} : none;
}

static bool compare_list(queue_stream *s, const separation_list *list, list_queue which, queue_time *previous,
                         size_t *size)
{
    uint32_t first = QUEUE_NONE;
    queue_time least = {INFINITY, 0};
    bool done = true;
    *size = 0;
    for (uint32_t i = 0; done && i < s->id_count; i++) {
        const queue_time now = list_event(list, which, i);
        const bool present = now.time < INFINITY;
        if (!present && previous[i].time < INFINITY)
            done = push(s, (queue_step){.id = i, .operation = QUEUE_CANCEL});
        if (present && (now.time != previous[i].time || now.key != previous[i].key))
            done = push(s, (queue_step){now.time, now.key, i, QUEUE_SET});
        previous[i] = now;
        *size += present;
        if (present && (now.time < least.time || (now.time == least.time && now.key < least.key))) {
            least = now;
            first = i;
        }
    }
    return done && push(s, (queue_step){.id = first, .operation = QUEUE_FIRST});
}

/* Advances to the next event of a pair. False: at the end. */
static bool advance_list(separation_list *list, double end, bool *done)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < list->pair_count; i++)
        if (list->pairs[i].state != SEPARATION_UNUSED && list->due[i] < next)
            next = list->due[i];
    if (!(next < end))
        return false;
    *done = tact_separation_list_advance(list, next, NULL, NULL) == TACT_OK;
    return *done;
}

bool tact_queue_stream_record_list(queue_stream *s, int cells, list_queue which, long events)
{
    keyframe_scene scene;
    keyframe_list_run run = {.list = NULL};
    *s = (queue_stream){0};
    bool done = tact_keyframe_swirl(&scene, cells, 12);
    const double end = done ? (double)(scene.frame_count - 1) : 0.0;
    done = done && tact_keyframe_list_begin(&run, &scene);
    for (long i = 0; done && i < events && advance_list(run.list, end, &done); i++)
        ;
    if (done) { /* so many pairs are used; now from the beginning */
        s->id_count = run.list->pair_count;
        done = tact_keyframe_list_rebuild(&run, &scene, 0);
    }
    queue_time *previous = malloc((s->id_count + 1) * sizeof *previous);
    for (uint32_t i = 0; previous && i < s->id_count; i++)
        previous[i] = (queue_time){INFINITY, 0};
    size_t size, total = 0;
    long count = 0;
    done = done && previous && compare_list(s, run.list, which, previous, &size);
    s->fill_count = s->count;
    while (done && count < events && advance_list(run.list, end, &done)) {
        done = compare_list(s, run.list, which, previous, &size);
        total += size;
        count++;
    }
    s->mean_size = (double)total / (double)(count > 0 ? count : 1);
    free(previous);
    tact_keyframe_list_end(&run);
    tact_keyframe_scene_release(&scene);
    return done;
}
