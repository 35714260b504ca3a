/*
 * A mesh sweep with candidates from a separation list: see the header.
 *
 * In the table (vertex_motion.h) a coordinate of a vertex is contiguous in time: examining a certificate reads two
 * rows.
 */
#include "kinetic/list_sweep.h"

#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/sort.h"

typedef struct item_pair {
    uint32_t item[2];
} item_pair;

ARRAY_OF(item_pair_keys, uint64_t);
ARRAY_OF(item_pair_array, item_pair);

struct list_sweep {
    list_sweep_def def;
    separation_list *list; /* NULL: none */
    uint32_t (*items)[4];  /* of the sweep, in its order */
    uint32_t *groups;
    uint32_t item_count;
    vertex_samples samples;
    double *times, *values;
    double (*ranges)[2];
    item_pair_keys keys;    /* pairs that overlap in the step: the smaller item above */
    item_pair_keys scratch; /* for sorting them */
    item_pair_array pairs;
};

/* ---- the table ---- */

const vertex_samples *tact_list_sweep_samples(const list_sweep *l) { return &l->samples; }

void tact_list_sweep_set_sample(list_sweep *l, size_t at, double time, const tact_vec3 *positions)
{
    double *x = l->values + at;
    l->times[at] = time;
    for (size_t v = 0; v < l->def.vertex_count; ++v, x += 3 * l->samples.stride) {
        x[0] = positions[v].x;
        x[l->samples.stride] = positions[v].y;
        x[2 * l->samples.stride] = positions[v].z;
    }
}

tact_vec3 tact_list_sweep_get(const list_sweep *l, size_t at, uint32_t vertex)
{
    const size_t stride = l->samples.stride;
    const double *x = l->values + 3 * (size_t)vertex * stride + at;
    return (tact_vec3){x[0], x[stride], x[2 * stride]};
}

void tact_list_sweep_drop_samples(list_sweep *l, size_t first)
{
    vertex_samples *s = &l->samples;
    const size_t kept = s->count - first;
    for (size_t row = 0; row < 3 * (size_t)l->def.vertex_count; ++row)
        memmove(l->values + row * s->stride, l->values + row * s->stride + first, kept * sizeof *l->values);
    memmove(l->times, l->times + first, kept * sizeof *l->times);
    s->count = kept;
}

static void set_row_ranges(list_sweep *l, size_t row)
{
    const vertex_samples *s = &l->samples;
    for (size_t j = 0; (j + 1) * KINETIC_RANGE_SAMPLES < s->count; ++j) {
        const double *x = l->values + row * s->stride + j * KINETIC_RANGE_SAMPLES;
        double low = x[0], high = x[0];
        for (size_t i = 1; i <= KINETIC_RANGE_SAMPLES; ++i) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        l->ranges[row * s->range_stride + j][0] = low;
        l->ranges[row * s->range_stride + j][1] = high;
    }
}

void tact_list_sweep_use_samples(list_sweep *l, size_t count, bool rest)
{
    l->samples.count = count;
    l->samples.rest = rest;
    for (size_t row = 0; row < 3 * (size_t)l->def.vertex_count; ++row)
        set_row_ranges(l, row);
}

void tact_list_sweep_set_piece(list_sweep *l, size_t at, uint32_t vertex, tact_vec3 begin, tact_vec3 end)
{
    const double from[3] = {begin.x, begin.y, begin.z}, to[3] = {end.x, end.y, end.z};
    for (size_t axis = 0; axis < 3; ++axis) {
        const size_t row = 3 * (size_t)vertex + axis;
        double *x = l->values + row * l->samples.stride + at;
        x[0] = from[axis];
        x[1] = to[axis];
        set_row_ranges(l, row);
    }
}

/* ---- the list ---- */

separation_list *tact_list_sweep_list(const list_sweep *l) { return l->list; }

void tact_list_sweep_stop(list_sweep *l)
{
    tact_separation_list_release(l->list);
    l->list = NULL;
    l->keys.count = 0;
}

tact_status tact_list_sweep_start(list_sweep *l, double time, double error)
{
    const separation_list_def def = {.items = (const uint32_t(*)[4])l->items,
                                     .item_count = l->item_count,
                                     .vertex_count = l->def.vertex_count,
                                     .groups = l->groups,
                                     .motion = {.continuous = true, .samples = &l->samples},
                                     .time = time,
                                     .error = error,
                                     .certificate = l->def.certificate,
                                     .allocator = l->def.allocator};
    tact_list_sweep_stop(l);
    return tact_separation_list_create(&l->list, &def);
}

static bool add_pair(void *context, uint32_t a, uint32_t b, double begin, double end)
{
    list_sweep *l = context;
    (void)begin;
    (void)end;
    return item_pair_keys_push(&l->keys, &l->def.allocator, a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
}

static inline uint64_t key_value(const uint64_t *key) { return *key; }
RADIX_SORT_OF(sort_pair_keys, uint64_t, key_value)

/* Lists each pair once: some overlap several times in a step. */
static bool list_pairs(list_sweep *l)
{
    const size_t count = l->keys.count;
    if (!item_pair_keys_reserve(&l->scratch, &l->def.allocator, count) ||
        !item_pair_array_reserve(&l->pairs, &l->def.allocator, count))
        return false;
    const uint64_t *keys = count > 0 ? sort_pair_keys(l->keys.items, l->scratch.items, count) : NULL;
    l->pairs.count = 0;
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || keys[i] != keys[i - 1])
            l->pairs.items[l->pairs.count++] = (item_pair){{(uint32_t)(keys[i] >> 32), (uint32_t)keys[i]}};
    return true;
}

/* Until this succeeds, the pairs found so far are kept. */
tact_status tact_list_sweep_run(list_sweep *l, double until, const sweep_step *step)
{
    if (l->list == NULL)
        return TACT_BAD_ARGUMENT;
    tact_status status = tact_separation_list_advance(l->list, until, add_pair, l);
    if (status != TACT_OK)
        return status;
    if (!list_pairs(l))
        return TACT_OUT_OF_MEMORY;
    l->keys.count = 0;
    status = tact_mesh_sweep_run_pairs(
        l->def.sweep, step, l->pairs.count > 0 ? (const uint32_t(*)[2])l->pairs.items : NULL, l->pairs.count);
    if (status != TACT_OK)
        tact_list_sweep_stop(l); /* the pairs are gone: the list must be built anew */
    return status;
}

/* ---- construction ---- */

void tact_list_sweep_release(list_sweep *l)
{
    if (l == NULL)
        return;
    const tact_allocator allocator = l->def.allocator;
    const size_t rows = 3 * (size_t)l->def.vertex_count + 1, items = (size_t)l->item_count + 1;
    tact_list_sweep_stop(l);
    tact_memory_free(&allocator, l->items, items, sizeof *l->items);
    tact_memory_free(&allocator, l->groups, items, sizeof *l->groups);
    tact_memory_free(&allocator, l->times, l->samples.stride, sizeof *l->times);
    tact_memory_free(&allocator, l->values, rows, l->samples.stride * sizeof *l->values);
    tact_memory_free(&allocator, l->ranges, rows, (l->samples.range_stride + 1) * sizeof *l->ranges);
    item_pair_keys_release(&l->keys, &allocator);
    item_pair_keys_release(&l->scratch, &allocator);
    item_pair_array_release(&l->pairs, &allocator);
    tact_memory_free(&allocator, l, 1, sizeof *l);
}

static bool allocate(list_sweep *l)
{
    const tact_allocator *allocator = &l->def.allocator;
    const size_t rows = 3 * (size_t)l->def.vertex_count + 1, items = (size_t)l->item_count + 1;
    l->times = tact_memory_allocate(allocator, l->samples.stride, sizeof *l->times);
    l->values = tact_memory_allocate(allocator, rows, l->samples.stride * sizeof *l->values);
    l->ranges = tact_memory_allocate(allocator, rows, (l->samples.range_stride + 1) * sizeof *l->ranges);
    l->items = tact_memory_allocate(allocator, items, sizeof *l->items);
    l->groups = tact_memory_allocate(allocator, items, sizeof *l->groups);
    return l->times != NULL && l->values != NULL && l->ranges != NULL && l->items != NULL && l->groups != NULL;
}

tact_status tact_list_sweep_create(list_sweep **made, const list_sweep_def *def)
{
    *made = NULL;
    list_sweep *l = tact_memory_allocate(&def->allocator, 1, sizeof *l);
    if (l == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(l, 0, sizeof *l);
    l->def = *def;
    l->item_count = tact_mesh_sweep_items(def->sweep, NULL, NULL);
    l->samples.stride = def->sample_capacity;
    l->samples.range_stride = (def->sample_capacity - 1) / KINETIC_RANGE_SAMPLES;
    if (!allocate(l)) {
        tact_list_sweep_release(l);
        return TACT_OUT_OF_MEMORY;
    }
    l->samples.times = l->times;
    l->samples.values = l->values;
    l->samples.ranges = (const double(*)[2])l->ranges;
    (void)tact_mesh_sweep_items(def->sweep, l->items, l->groups);
    *made = l;
    return TACT_OK;
}
