/*
 * Contacts of key frames by a separation list: see the header.
 *
 * The key frames from `base` on are in a table (vertex_motion.h) in which a coordinate of a vertex is contiguous in
 * time: examining a certificate reads two rows. The table moves on before its last key frame is reached. The times of
 * the list are numbers of key frames.
 */
#include "kinetic/list_contacts.h"

#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/sort.h"
#include "kinetic/kinetic_constants.h"

typedef struct item_pair {
    uint32_t item[2];
} item_pair;

ARRAY_OF(item_pair_keys, uint64_t);
ARRAY_OF(item_pair_array, item_pair);

struct list_contacts {
    list_contacts_def def; /* the arrays of its elements are not used after the creation */
    mesh_sweep *sweep;
    separation_list *list; /* NULL: to be built */
    uint32_t (*items)[4];  /* of the sweep, in its order */
    uint32_t *groups;
    uint32_t item_count;
    vertex_samples samples;
    double *times, *values;
    double (*ranges)[2];
    size_t base;            /* key frame of the first sample */
    tact_vec3 *storage;     /* memory for reading a key frame */
    tact_vec3 *ends[2];     /* the key frames of an interval */
    size_t gathered[2];     /* their numbers; SIZE_MAX: none */
    size_t next;            /* interval that the list runs next */
    item_pair_keys keys;    /* pairs that overlap in the interval: the smaller item above */
    item_pair_keys scratch; /* for sorting them */
    item_pair_array pairs;
    bool found; /* are there contacts? */
};

/* ---- key frames ---- */

static bool frame_valid(const tact_vec3 *frame, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(frame[i].x) <= ANIMATION_MAX_VALUE && fabs(frame[i].y) <= ANIMATION_MAX_VALUE &&
              fabs(frame[i].z) <= ANIMATION_MAX_VALUE))
            return false;
    return true;
}

/* Reads a key frame into sample `at` of the table. */
static bool read_sample(list_contacts *c, size_t at)
{
    const size_t count = c->def.elements.vertex_count;
    const tact_vec3 *frame = c->def.frame(c->def.context, c->base + at, c->storage);
    if (frame == NULL || !frame_valid(frame, count))
        return false;
    double *x = c->values + at;
    for (size_t v = 0; v < count; ++v, x += 3 * c->samples.stride) {
        x[0] = frame[v].x;
        x[c->samples.stride] = frame[v].y;
        x[2 * c->samples.stride] = frame[v].z;
    }
    return true;
}

static void set_ranges(list_contacts *c)
{
    const vertex_samples *s = &c->samples;
    for (size_t row = 0; row < 3 * c->def.elements.vertex_count; ++row)
        for (size_t j = 0; (j + 1) * KINETIC_RANGE_SAMPLES < s->count; ++j) {
            const double *x = c->values + row * s->stride + j * KINETIC_RANGE_SAMPLES;
            double low = x[0], high = x[0];
            for (size_t i = 1; i <= KINETIC_RANGE_SAMPLES; ++i) {
                low = x[i] < low ? x[i] : low;
                high = x[i] > high ? x[i] : high;
            }
            c->ranges[row * s->range_stride + j][0] = low;
            c->ranges[row * s->range_stride + j][1] = high;
        }
}

/* Moves the table so that it begins with a key frame. If it fails, the table is empty. */
static bool move_table(list_contacts *c, size_t base)
{
    vertex_samples *s = &c->samples;
    const size_t old_base = c->base, old_count = s->count;
    const size_t left = c->def.frame_count - base, count = left < s->stride ? left : s->stride;
    size_t kept = 0;
    if (base >= old_base && base - old_base < old_count) {
        kept = old_count - (base - old_base);
        for (size_t row = 0; row < 3 * c->def.elements.vertex_count; ++row)
            memmove(c->values + row * s->stride, c->values + row * s->stride + (base - old_base),
                    kept * sizeof *c->values);
    }
    c->base = base;
    s->count = 0;
    for (size_t i = 0; i < count; ++i) {
        c->times[i] = (double)(base + i);
        if (i >= kept && !read_sample(c, i))
            return false;
    }
    s->count = count;
    s->rest = count == left;
    set_ranges(c);
    return true;
}

/* The positions at a key frame of the table. */
static void gather_frame(list_contacts *c, size_t frame, int end)
{
    if (c->gathered[end] == frame)
        return;
    const double *x = c->values + (frame - c->base);
    const size_t stride = c->samples.stride;
    for (size_t v = 0; v < c->def.elements.vertex_count; ++v, x += 3 * stride)
        c->ends[end][v] = (tact_vec3){x[0], x[stride], x[2 * stride]};
    c->gathered[end] = frame;
}

/* The key frames of an interval. The first one often is the last one of the interval before. */
static void gather_interval(list_contacts *c, size_t interval)
{
    if (c->gathered[1] == interval) {
        tact_vec3 *other = c->ends[0];
        c->ends[0] = c->ends[1];
        c->ends[1] = other;
        c->gathered[0] = interval;
        c->gathered[1] = SIZE_MAX;
    }
    gather_frame(c, interval, 0);
    gather_frame(c, interval + 1, 1);
}

/* ---- the list ---- */

static tact_status build_list(list_contacts *c, size_t interval)
{
    const separation_list_def def = {.items = (const uint32_t(*)[4])c->items,
                                     .item_count = c->item_count,
                                     .vertex_count = (uint32_t)c->def.elements.vertex_count,
                                     .groups = c->groups,
                                     .motion = {.continuous = true, .samples = &c->samples},
                                     .time = (double)interval,
                                     .certificate = c->def.certificate,
                                     .allocator = c->def.allocator};
    tact_separation_list_release(c->list);
    c->list = NULL;
    c->keys.count = 0;
    c->next = interval;
    return tact_separation_list_create(&c->list, &def);
}

static bool add_pair(void *context, uint32_t a, uint32_t b, double begin, double end)
{
    list_contacts *c = context;
    (void)begin;
    (void)end;
    return item_pair_keys_push(&c->keys, &c->def.allocator, a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
}

static inline uint64_t key_value(const uint64_t *key) { return *key; }
RADIX_SORT_OF(sort_pair_keys, uint64_t, key_value)

/* Lists each pair once: some overlap several times in an interval. */
static bool list_pairs(list_contacts *c)
{
    const size_t count = c->keys.count;
    if (!item_pair_keys_reserve(&c->scratch, &c->def.allocator, count) ||
        !item_pair_array_reserve(&c->pairs, &c->def.allocator, count))
        return false;
    const uint64_t *keys = count > 0 ? sort_pair_keys(c->keys.items, c->scratch.items, count) : NULL;
    c->pairs.count = 0;
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || keys[i] != keys[i - 1])
            c->pairs.items[c->pairs.count++] = (item_pair){{(uint32_t)(keys[i] >> 32), (uint32_t)keys[i]}};
    return true;
}

/* Advances the list through an interval. Until this succeeds, the pairs found so far are kept. */
static tact_status advance_list(list_contacts *c, size_t interval)
{
    if (c->samples.count == 0 || c->list == NULL || c->next != interval) {
        c->next = SIZE_MAX;
        if (!move_table(c, interval))
            return TACT_BAD_ARGUMENT;
        const tact_status status = build_list(c, interval);
        if (status != TACT_OK)
            return status;
    } else if (!c->samples.rest && interval + 2 >= c->base + c->samples.count) {
        if (!move_table(c, interval))
            return TACT_BAD_ARGUMENT;
        tact_separation_list_samples_changed(c->list);
    }
    const tact_status status = tact_separation_list_advance(c->list, (double)(interval + 1), add_pair, c);
    if (status != TACT_OK)
        return status;
    if (!list_pairs(c))
        return TACT_OUT_OF_MEMORY;
    c->keys.count = 0;
    c->next = interval + 1;
    return TACT_OK;
}

tact_status tact_list_contacts_run(list_contacts *c, size_t interval)
{
    if (c == NULL)
        return TACT_BAD_ARGUMENT;
    c->found = false;
    if (interval >= c->def.frame_count - 1)
        return TACT_BAD_ARGUMENT;
    tact_status status = advance_list(c, interval);
    if (status != TACT_OK)
        return status;
    gather_interval(c, interval);
    sweep_step step = sweep_step_default();
    step.start = c->ends[0];
    step.end = c->ends[1];
    step.parallel = &c->def.parallel;
    status = tact_mesh_sweep_run_pairs(
        c->sweep, &step, c->pairs.count > 0 ? (const uint32_t(*)[2])c->pairs.items : NULL, c->pairs.count);
    c->found = status == TACT_OK;
    if (!c->found)
        c->next = SIZE_MAX; /* the pairs are gone: the list is built anew */
    return status;
}

size_t tact_list_contacts_count(const list_contacts *c) { return c->found ? tact_mesh_sweep_count(c->sweep) : 0; }

const sweep_contact *tact_list_contacts_get(const list_contacts *c, size_t i)
{
    return tact_mesh_sweep_contact(c->sweep, i);
}

sweep_counts tact_list_contacts_sweep_counts(const list_contacts *c) { return tact_mesh_sweep_counts(c->sweep); }

separation_counts tact_list_contacts_list_counts(const list_contacts *c)
{
    return c->list != NULL ? tact_separation_list_counts(c->list) : (separation_counts){.bytes = 0};
}

/* ---- construction ---- */

void tact_list_contacts_release(list_contacts *c)
{
    if (c == NULL)
        return;
    const tact_allocator allocator = c->def.allocator;
    const size_t vertices = c->def.elements.vertex_count, items = c->item_count;
    tact_separation_list_release(c->list);
    tact_mesh_sweep_release(c->sweep);
    tact_memory_free(&allocator, c->items, items + 1, sizeof *c->items);
    tact_memory_free(&allocator, c->groups, items + 1, sizeof *c->groups);
    tact_memory_free(&allocator, c->times, c->samples.stride, sizeof *c->times);
    tact_memory_free(&allocator, c->values, 3 * vertices + 1, c->samples.stride * sizeof *c->values);
    tact_memory_free(&allocator, c->ranges, 3 * vertices + 1, (c->samples.range_stride + 1) * sizeof *c->ranges);
    tact_memory_free(&allocator, c->storage, vertices + 1, sizeof *c->storage);
    for (int i = 0; i < 2; ++i)
        tact_memory_free(&allocator, c->ends[i], vertices + 1, sizeof *c->ends[i]);
    item_pair_keys_release(&c->keys, &allocator);
    item_pair_keys_release(&c->scratch, &allocator);
    item_pair_array_release(&c->pairs, &allocator);
    tact_memory_free(&allocator, c, 1, sizeof *c);
}

static tact_status build(list_contacts *c)
{
    const tact_allocator *allocator = &c->def.allocator;
    const size_t vertices = c->def.elements.vertex_count;
    c->samples.stride = c->def.frame_count < LIST_FRAMES_AHEAD + 1 ? c->def.frame_count : LIST_FRAMES_AHEAD + 1;
    c->times = tact_memory_allocate(allocator, c->samples.stride, sizeof *c->times);
    c->values = tact_memory_allocate(allocator, 3 * vertices + 1, c->samples.stride * sizeof *c->values);
    c->samples.range_stride = (c->samples.stride - 1) / KINETIC_RANGE_SAMPLES;
    c->ranges = tact_memory_allocate(allocator, 3 * vertices + 1, (c->samples.range_stride + 1) * sizeof *c->ranges);
    c->storage = tact_memory_allocate(allocator, vertices + 1, sizeof *c->storage);
    c->ends[0] = tact_memory_allocate(allocator, vertices + 1, sizeof *c->ends[0]);
    c->ends[1] = tact_memory_allocate(allocator, vertices + 1, sizeof *c->ends[1]);
    if (c->times == NULL || c->values == NULL || c->ranges == NULL || c->storage == NULL || c->ends[0] == NULL ||
        c->ends[1] == NULL)
        return TACT_OUT_OF_MEMORY;
    c->samples.times = c->times;
    c->samples.values = c->values;
    c->samples.ranges = (const double(*)[2])c->ranges;
    if (!move_table(c, 0))
        return TACT_BAD_ARGUMENT;
    gather_frame(c, 0, 0);
    sweep_def elements = c->def.elements;
    elements.vertices = c->ends[0];
    elements.allocator = *allocator;
    const tact_status status = tact_mesh_sweep_create(&c->sweep, &elements);
    if (status != TACT_OK)
        return status;
    c->item_count = tact_mesh_sweep_items(c->sweep, NULL, NULL);
    c->items = tact_memory_allocate(allocator, (size_t)c->item_count + 1, sizeof *c->items);
    c->groups = tact_memory_allocate(allocator, (size_t)c->item_count + 1, sizeof *c->groups);
    if (c->items == NULL || c->groups == NULL)
        return TACT_OUT_OF_MEMORY;
    (void)tact_mesh_sweep_items(c->sweep, c->items, c->groups);
    return TACT_OK;
}

tact_status tact_list_contacts_create(list_contacts **made, const list_contacts_def *def)
{
    if (made == NULL)
        return TACT_BAD_ARGUMENT;
    *made = NULL;
    if (def == NULL || def->frame == NULL || def->frame_count == 0 || def->elements.remeshable ||
        def->elements.vertex_count > KINETIC_MAX_ITEMS)
        return TACT_BAD_ARGUMENT;
    list_contacts *c = tact_memory_allocate(&def->allocator, 1, sizeof *c);
    if (c == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(c, 0, sizeof *c);
    c->def = *def;
    c->next = c->gathered[0] = c->gathered[1] = SIZE_MAX;
    const tact_status status = build(c);
    if (status != TACT_OK) {
        tact_list_contacts_release(c);
        return status;
    }
    *made = c;
    return TACT_OK;
}
