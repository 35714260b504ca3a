/* Tact in the race of frames: through continuous time, asked once a frame; and frame by frame, as the others are. */
#include <stdlib.h>
#include <tact/advance.h>
#include <tact/world.h>

#include "frames_ours.h"

typedef struct stage {
    const frames_scene *s;
    double hz;
    tact_world *world;
    tact_body *bodies;
    frames_pairs *pairs;
    long failed;
} stage;

static void finish(void *opaque)
{
    stage *g = opaque;
    tact_world_release(g->world);
    free(g->bodies);
    free(g);
}

static void note(void *context, const tact_contact *contact)
{
    stage *g = context;
    tact_frames_tell(g->pairs, (int)(uintptr_t)contact->user_a, (int)(uintptr_t)contact->user_b);
}

static stage *make(const frames_scene *s, double hz, bool moves)
{
    const tact_world_def def = {.parallel = {.threads = 1}};
    stage *g = calloc(1, sizeof *g);
    if (g == NULL)
        return NULL;
    *g = (stage){.s = s, .hz = hz, .world = tact_world_create(&def)};
    g->bodies = malloc((size_t)s->count * sizeof *g->bodies);
    bool done = g->world != NULL && g->bodies != NULL &&
                tact_world_set_contact_callback(g->world, (tact_response){.callback = note, .context = g}) == TACT_OK;
    for (int i = 0; done && i < s->count; i++) {
        tact_body_def body = {
            .shape = frames_shape_of(s, i)->shape, .transform = s->places[i], .user = (void *)(uintptr_t)i};
        if (moves)
            body.motion = s->motions[i];
        g->bodies[i] = tact_body_create(g->world, &body);
        done = g->bodies[i].generation != 0;
    }
    if (done)
        return g;
    finish(g);
    return NULL;
}

static void *create_frames(const frames_scene *s, double hz) { return make(s, hz, false); }
static void *create_through(const frames_scene *s, double hz) { return make(s, hz, true); }

static void play_frames(void *opaque, long frame, const tact_transform *places, frames_pairs *pairs)
{
    stage *g = opaque;
    (void)frame;
    g->pairs = pairs;
    for (int i = 0; i < g->s->count; i++)
        pairs->failed |= tact_body_set_transform(g->world, g->bodies[i], places[i]) != TACT_OK;
    pairs->failed |= tact_world_test(g->world).status != TACT_OK;
}

static void play_through(void *opaque, long frame, const tact_transform *places, frames_pairs *pairs)
{
    stage *g = opaque;
    tact_event e;
    (void)places;
    while (tact_world_next_event(g->world, (double)frame / g->hz, &e) == TACT_EVENT_TOUCH)
        tact_frames_tell(pairs, (int)(uintptr_t)e.user_a, (int)(uintptr_t)e.user_b);
    pairs->failed |= e.status != TACT_OK;
}

const frames_runner tact_frames_through = {"Tact, through time", false, create_through, play_through, finish};
const frames_runner tact_frames_tested = {"Tact, frame by frame", false, create_frames, play_frames, finish};

static int by_pair(const void *one, const void *other)
{
    const frames_touch *p = one, *q = other;
    return p->pair != q->pair ? (p->pair > q->pair) - (p->pair < q->pair) : (p->time > q->time) - (p->time < q->time);
}

bool tact_frames_touches(const frames_scene *s, frames_touch **touches, size_t *count)
{
    stage *g = make(s, 1.0, true);
    frames_pairs pairs = {0};
    double *times = NULL;
    size_t room = 0;
    bool done = g != NULL;
    tact_event e = {0};
    while (done && tact_world_next_event(g->world, s->end, &e) == TACT_EVENT_TOUCH) {
        tact_frames_tell(&pairs, (int)(uintptr_t)e.user_a, (int)(uintptr_t)e.user_b);
        if (room < pairs.room) {
            double *more = realloc(times, pairs.room * sizeof *times);
            done = more != NULL;
            times = more != NULL ? more : times;
            room = more != NULL ? pairs.room : room;
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
    if (g != NULL)
        finish(g);
    return *touches != NULL;
}
