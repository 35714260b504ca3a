/* Tact in the frames race: in continuous time, polled once per frame; and with discrete detection, as the others. */
#include <stdlib.h>
#include <tact/advance.h>
#include <tact/world.h>

#include "frames_tact.h"

typedef struct frames_state {
    const frames_scene *s;
    double hz;
    tact_world *world;
    tact_body *bodies;
    frames_pairs *pairs;
    long failed;
} frames_state;

static void finish(void *opaque)
{
    frames_state *state = opaque;
    tact_world_release(state->world);
    free(state->bodies);
    free(state);
}

static void record_contact(void *context, const tact_contact *contact)
{
    frames_state *state = context;
    tact_frames_pairs_add(state->pairs, (int)(uintptr_t)contact->user_a, (int)(uintptr_t)contact->user_b);
}

static frames_state *make(const frames_scene *s, double hz, bool continuous)
{
    const tact_world_def def = {.parallel = {.threads = 1}};
    frames_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    *state = (frames_state){.s = s, .hz = hz, .world = tact_world_create(&def)};
    state->bodies = malloc((size_t)s->count * sizeof *state->bodies);
    bool done = state->world != NULL && state->bodies != NULL &&
                tact_world_set_contact_callback(
                    state->world, (tact_response){.callback = record_contact, .context = state}) == TACT_OK;
    for (int i = 0; done && i < s->count; i++) {
        tact_body_def body = {
            .shape = frames_shape_of(s, i)->shape, .transform = s->transforms[i], .user = (void *)(uintptr_t)i};
        if (continuous)
            body.motion = s->motions[i];
        state->bodies[i] = tact_body_create(state->world, &body);
        done = state->bodies[i].generation != 0;
    }
    if (done)
        return state;
    finish(state);
    return NULL;
}

static void *create_discrete(const frames_scene *s, double hz) { return make(s, hz, false); }
static void *create_continuous(const frames_scene *s, double hz) { return make(s, hz, true); }

static void play_discrete(void *opaque, long frame, const tact_transform *transforms, frames_pairs *pairs)
{
    frames_state *state = opaque;
    (void)frame;
    state->pairs = pairs;
    for (int i = 0; i < state->s->count; i++)
        pairs->failed |= tact_body_set_transform(state->world, state->bodies[i], transforms[i]) != TACT_OK;
    pairs->failed |= tact_world_test(state->world).status != TACT_OK;
}

static void play_continuous(void *opaque, long frame, const tact_transform *transforms, frames_pairs *pairs)
{
    frames_state *state = opaque;
    tact_event e;
    (void)transforms;
    while (tact_world_next_event(state->world, (double)frame / state->hz, &e) == TACT_EVENT_TOUCH)
        tact_frames_pairs_add(pairs, (int)(uintptr_t)e.user_a, (int)(uintptr_t)e.user_b);
    pairs->failed |= e.status != TACT_OK;
}

const frames_runner tact_frames_continuous = {"Tact, continuous", false, create_continuous, play_continuous, finish};
const frames_runner tact_frames_discrete = {"Tact, discrete", false, create_discrete, play_discrete, finish};

static int by_pair(const void *one, const void *other)
{
    const frames_touch *p = one, *q = other;
    return p->pair != q->pair ? (p->pair > q->pair) - (p->pair < q->pair) : (p->time > q->time) - (p->time < q->time);
}

bool tact_frames_touches(const frames_scene *s, frames_touch **touches, size_t *count)
{
    frames_state *state = make(s, 1.0, true);
    frames_pairs pairs = {0};
    double *times = NULL;
    size_t capacity = 0;
    bool done = state != NULL;
    tact_event e = {0};
    while (done && tact_world_next_event(state->world, s->end, &e) == TACT_EVENT_TOUCH) {
        tact_frames_pairs_add(&pairs, (int)(uintptr_t)e.user_a, (int)(uintptr_t)e.user_b);
        if (capacity < pairs.capacity) {
            double *more = realloc(times, pairs.capacity * sizeof *times);
            done = more != NULL;
            times = more != NULL ? more : times;
            capacity = more != NULL ? pairs.capacity : capacity;
        }
        done = done && !pairs.failed;
        if (done)
            times[pairs.count - 1] = e.time;
    }
    done = done && e.status == TACT_OK;
    *count = done ? pairs.count : 0;
    *touches = done ? malloc((*count + 1) * sizeof **touches) : NULL;
    for (size_t i = 0; *touches != NULL && i < *count; i++)
        (*touches)[i] = (frames_touch){pairs.items[i], times[i], false};
    if (*touches != NULL)
        qsort(*touches, *count, sizeof **touches, by_pair);
    free(pairs.items);
    free(times);
    if (state != NULL)
        finish(state);
    return *touches != NULL;
}
