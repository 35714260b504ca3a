/*
 * Contacts of key frames by a separation list: see keyframe_contacts.h and list_sweep.h.
 *
 * The key frames from `base` on are in the table of the list. The table moves on before its last key frame is reached.
 * The times of the list are numbers of key frames.
 */
#include "kinetic/keyframe_engine.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "kinetic/kinetic_constants.h"
#include "kinetic/list_sweep.h"

typedef struct keyframe_list {
    keyframe_contacts_def def; /* the arrays of its elements are not used after the creation */
    mesh_sweep *sweep;
    list_sweep *list;
    size_t base;        /* key frame of the first sample */
    tact_vec3 *storage; /* memory for reading a key frame */
    tact_vec3 *ends[2]; /* the key frames of an interval */
    size_t gathered[2]; /* their numbers; SIZE_MAX: none */
    size_t next;        /* interval that the list runs next */
} keyframe_list;

/* ---- key frames ---- */

static bool frame_valid(const tact_vec3 *frame, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(frame[i].x) <= ANIMATION_MAX_VALUE && fabs(frame[i].y) <= ANIMATION_MAX_VALUE &&
              fabs(frame[i].z) <= ANIMATION_MAX_VALUE))
            return false;
    return true;
}

/* Reads a key frame. NULL: it cannot be read. */
static const tact_vec3 *read_frame(keyframe_list *k, size_t index)
{
    const tact_vec3 *frame = k->def.frame(k->def.context, index, k->storage);
    return frame != NULL && frame_valid(frame, k->def.elements.vertex_count) ? frame : NULL;
}

/* Moves the table so that it begins with a key frame. If it fails, the table is empty. */
static bool move_table(keyframe_list *k, size_t base)
{
    const vertex_samples *s = tact_list_sweep_samples(k->list);
    const size_t left = k->def.frame_count - base, count = left < s->stride ? left : s->stride;
    size_t kept = 0;
    if (base >= k->base && base - k->base < s->count) {
        tact_list_sweep_drop_samples(k->list, base - k->base);
        kept = s->count;
    }
    k->base = base;
    for (size_t i = kept; i < count; ++i) {
        const tact_vec3 *frame = read_frame(k, base + i);
        if (frame == NULL) {
            tact_list_sweep_use_samples(k->list, 0, false);
            return false;
        }
        tact_list_sweep_set_sample(k->list, i, (double)(base + i), frame);
    }
    tact_list_sweep_use_samples(k->list, count, count == left);
    return true;
}

/* The positions at a key frame of the table. */
static void gather_frame(keyframe_list *k, size_t frame, int end)
{
    if (k->gathered[end] == frame)
        return;
    for (uint32_t v = 0; v < k->def.elements.vertex_count; ++v)
        k->ends[end][v] = tact_list_sweep_get(k->list, frame - k->base, v);
    k->gathered[end] = frame;
}

/* The key frames of an interval. The first one often is the last one of the interval before. */
static void gather_interval(keyframe_list *k, size_t interval)
{
    if (k->gathered[1] == interval) {
        tact_vec3 *other = k->ends[0];
        k->ends[0] = k->ends[1];
        k->ends[1] = other;
        k->gathered[0] = interval;
        k->gathered[1] = SIZE_MAX;
    }
    gather_frame(k, interval, 0);
    gather_frame(k, interval + 1, 1);
}

/* ---- intervals ---- */

/* Prepares the table and the list for an interval. */
static tact_status prepare(keyframe_list *k, size_t interval)
{
    const vertex_samples *s = tact_list_sweep_samples(k->list);
    if (s->count == 0 || tact_list_sweep_list(k->list) == NULL || k->next != interval) {
        tact_list_sweep_stop(k->list);
        k->next = interval;
        return move_table(k, interval) ? tact_list_sweep_start(k->list, (double)interval, 0.0) : TACT_BAD_ARGUMENT;
    }
    if (!s->rest && interval + 2 >= k->base + s->count) {
        if (!move_table(k, interval))
            return TACT_BAD_ARGUMENT;
        tact_separation_list_samples_changed(tact_list_sweep_list(k->list));
    }
    return TACT_OK;
}

static tact_status run(void *engine, size_t interval)
{
    keyframe_list *k = engine;
    tact_status status = prepare(k, interval);
    if (status != TACT_OK)
        return status;
    gather_interval(k, interval);
    sweep_step step = sweep_step_default();
    step.start = k->ends[0];
    step.end = k->ends[1];
    step.parallel = &k->def.parallel;
    status = tact_list_sweep_run(k->list, (double)(interval + 1), &step);
    if (status == TACT_OK)
        k->next = interval + 1;
    return status;
}

static size_t count_contacts(const void *engine)
{
    return tact_mesh_sweep_count(((const keyframe_list *)engine)->sweep);
}

static const sweep_contact *get_contact(const void *engine, size_t i)
{
    return tact_mesh_sweep_contact(((const keyframe_list *)engine)->sweep, i);
}

static sweep_counts get_counts(const void *engine)
{
    return tact_mesh_sweep_counts(((const keyframe_list *)engine)->sweep);
}

static separation_counts get_list_counts(const void *engine)
{
    const separation_list *list = tact_list_sweep_list(((const keyframe_list *)engine)->list);
    return list != NULL ? tact_separation_list_counts(list) : (separation_counts){.bytes = 0};
}

/* ---- construction ---- */

static void release(void *engine)
{
    keyframe_list *k = engine;
    if (k == NULL)
        return;
    const tact_allocator allocator = k->def.allocator;
    const size_t vertices = k->def.elements.vertex_count;
    tact_list_sweep_release(k->list);
    tact_mesh_sweep_release(k->sweep);
    tact_memory_free(&allocator, k->storage, vertices + 1, sizeof *k->storage);
    for (int i = 0; i < 2; ++i)
        tact_memory_free(&allocator, k->ends[i], vertices + 1, sizeof *k->ends[i]);
    tact_memory_free(&allocator, k, 1, sizeof *k);
}

static tact_status build(keyframe_list *k)
{
    const tact_allocator *allocator = &k->def.allocator;
    const size_t vertices = k->def.elements.vertex_count;
    k->storage = tact_memory_allocate(allocator, vertices + 1, sizeof *k->storage);
    k->ends[0] = tact_memory_allocate(allocator, vertices + 1, sizeof *k->ends[0]);
    k->ends[1] = tact_memory_allocate(allocator, vertices + 1, sizeof *k->ends[1]);
    if (k->storage == NULL || k->ends[0] == NULL || k->ends[1] == NULL)
        return TACT_OUT_OF_MEMORY;
    sweep_def elements = k->def.elements;
    elements.vertices = read_frame(k, 0);
    elements.allocator = *allocator;
    if (elements.vertices == NULL)
        return TACT_BAD_ARGUMENT;
    tact_status status = tact_mesh_sweep_create(&k->sweep, &elements);
    if (status != TACT_OK)
        return status;
    const list_sweep_def def = {.sweep = k->sweep,
                                .vertex_count = (uint32_t)vertices,
                                .sample_capacity = k->def.frame_count < LIST_FRAMES_AHEAD + 1 ? k->def.frame_count
                                                                                              : LIST_FRAMES_AHEAD + 1,
                                .certificate = k->def.certificate,
                                .allocator = *allocator};
    status = tact_list_sweep_create(&k->list, &def);
    if (status != TACT_OK)
        return status;
    return move_table(k, 0) ? TACT_OK : TACT_BAD_ARGUMENT;
}

static tact_status create(void **made, const keyframe_contacts_def *def)
{
    *made = NULL;
    if (def->elements.vertex_count > KINETIC_MAX_ITEMS)
        return TACT_BAD_ARGUMENT;
    keyframe_list *k = tact_memory_allocate(&def->allocator, 1, sizeof *k);
    if (k == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(k, 0, sizeof *k);
    k->def = *def;
    k->next = k->gathered[0] = k->gathered[1] = SIZE_MAX;
    const tact_status status = build(k);
    if (status != TACT_OK) {
        release(k);
        return status;
    }
    *made = k;
    return TACT_OK;
}

const keyframe_engine_type tact_keyframe_list_engine = {create,     release,        run, count_contacts, get_contact,
                                                        get_counts, get_list_counts};
