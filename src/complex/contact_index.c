/* The index of contact points: see contact_index.h. */
#include "complex/contact_index.h"

#include <math.h>

#include "complex/complex_constants.h"
#include "core/memory.h"
#include "math/vec.h"

#define NO_POINT UINT32_MAX

bool tact_contact_points_same(const tact_contact_point *p, const tact_contact_point *q, double distance)
{
    return vec_max_abs(vec_sub(p->on_a, q->on_a)) <= distance && vec_max_abs(vec_sub(p->on_b, q->on_b)) <= distance &&
           vec_dot(p->normal, q->normal) >= 1.0 - COMPLEX_SAME_NORMAL;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------
 */

enum { DIMENSIONS = 9 };

/* Off the coordinate planes, which many points are on. */
#define CELL_OFFSET 0.3819660112501051

static uint64_t mix(uint64_t v)
{
    v = (v ^ (v >> 31)) * 0x9E3779B97F4A7C15u;
    v = (v ^ (v >> 29)) * 0xBF58476D1CE4E5B9u;
    return v ^ (v >> 32);
}

static uint64_t cell_hash(double coordinate, double width, int dimension)
{
    const double cell = floor(coordinate / width + CELL_OFFSET), most = 0x1p60;
    const double clamped = cell > most ? most : cell >= -most ? cell : -most; /* NaN too: monotone otherwise */
    return mix((uint64_t)(int64_t)clamped + ((uint64_t)dimension + 1) * 0xD1B54A32D192ED03u);
}

static void coordinates_of(const tact_contact_point *p, double c[DIMENSIONS])
{
    const tact_vec3 all[3] = {p->on_a, p->on_b, p->normal};
    for (int i = 0; i < DIMENSIONS; ++i)
        c[i] = vec_component(all[i / 3], i % 3);
}

static double cell_width(const contact_index *x, int dimension)
{
    return dimension < 6 ? x->cell : COMPLEX_NORMAL_CELL;
}

/* The sum over the dimensions: so one of them can be replaced. */
static uint64_t hash_of(const contact_index *x, const tact_contact_point *p)
{
    double c[DIMENSIONS];
    uint64_t hash = 0;
    coordinates_of(p, c);
    for (int i = 0; i < DIMENSIONS; ++i)
        hash += cell_hash(c[i], cell_width(x, i), i);
    return hash;
}

static uint32_t *bucket_of(const contact_index *x, uint64_t hash)
{
    return &x->buckets[mix(hash) & (x->bucket_count - 1)];
}

/* ---- storing -------------------------------------------------------------------------------------------------------
 */

static void link_entry(contact_index *x, uint32_t slot, uint64_t hash)
{
    uint32_t *bucket = bucket_of(x, hash);
    x->entries[slot].hash = hash;
    x->entries[slot].next = *bucket;
    *bucket = slot;
}

static void unlink_entry(contact_index *x, uint32_t slot)
{
    uint32_t *link = bucket_of(x, x->entries[slot].hash);
    while (*link != slot)
        link = &x->entries[*link].next;
    *link = x->entries[slot].next;
}

/* Room for one more point. */
static bool grow(contact_index *x)
{
    if (x->stored < x->entry_capacity)
        return true;
    const size_t more = 2 * (x->stored > COMPLEX_INDEX_MIN ? x->stored : COMPLEX_INDEX_MIN);
    size_t buckets = 16;
    while (buckets < more)
        buckets *= 2;
    if (more >= NO_POINT)
        return false;
    uint32_t *heads = tact_memory_allocate(x->allocator, buckets, sizeof *heads);
    if (heads == NULL)
        return false;
    contact_index_entry *entries =
        tact_memory_resize(x->allocator, x->entries, x->entry_capacity, more, sizeof *entries);
    if (entries == NULL) {
        tact_memory_free(x->allocator, heads, buckets, sizeof *heads);
        return false;
    }
    tact_memory_free(x->allocator, x->buckets, x->bucket_count, sizeof *x->buckets);
    x->entries = entries;
    x->entry_capacity = more;
    x->buckets = heads;
    x->bucket_count = buckets;
    for (size_t i = 0; i < buckets; ++i)
        heads[i] = NO_POINT;
    for (size_t i = 0; i < x->stored; ++i)
        link_entry(x, (uint32_t)i, entries[i].hash);
    return true;
}

static void store(contact_index *x, uint32_t slot, const tact_contact_point *p)
{
    x->points[slot] = *p;
    x->entries[slot].number = x->numbers++;
    link_entry(x, slot, hash_of(x, p));
}

/* ---- order ---------------------------------------------------------------------------------------------------------
 */

static bool comes_before(const contact_index *x, uint32_t a, uint32_t b)
{
    const double depth_a = x->points[a].depth, depth_b = x->points[b].depth;
    return depth_a != depth_b ? depth_a > depth_b : x->entries[a].number < x->entries[b].number;
}

/* The heap and the order are the members `order` of the entries; the other members stay with their points. */
static uint32_t order_at(const contact_index *x, size_t i) { return x->entries[i].order; }

static void sift_down(contact_index *x, size_t count, size_t slot, uint32_t item)
{
    for (size_t child; (child = 2 * slot + 1) < count; slot = child) {
        uint32_t first = order_at(x, child);
        if (child + 1 < count) {
            const uint32_t second = order_at(x, child + 1);
            if (comes_before(x, first, second)) {
                first = second;
                ++child;
            }
        }
        if (!comes_before(x, item, first))
            break;
        x->entries[slot].order = first;
    }
    x->entries[slot].order = item;
}

static void make_heap(contact_index *x)
{
    for (size_t i = 0; i < x->stored; ++i)
        x->entries[i].order = (uint32_t)i;
    for (size_t i = x->stored / 2; i-- > 0;)
        sift_down(x, x->stored, i, order_at(x, i));
    x->heaped = true;
}

/* ---- entry points --------------------------------------------------------------------------------------------------
 */

bool tact_contact_index_begin(contact_index *x, const tact_allocator *allocator, tact_contact_point *points,
                              size_t count, size_t capacity, double distance, double extent)
{
    const uint64_t compared = x->compared;
    *x = (contact_index){.allocator = allocator,
                         .points = points,
                         .capacity = capacity,
                         .distance = distance,
                         .reach = distance * (1.0 + COMPLEX_INDEX_ROUNDING) + COMPLEX_INDEX_ROUNDING * extent,
                         .compared = compared};
    x->cell = COMPLEX_INDEX_CELL * x->reach;
    if (!(x->cell > 0.0 && x->cell < INFINITY))
        x->cell = x->reach = 0x1p-1000;
    for (size_t i = 0; i < count; ++i) {
        if (!grow(x)) {
            tact_contact_index_release(x);
            return false;
        }
        const tact_contact_point p = points[i];
        store(x, (uint32_t)x->stored++, &p);
    }
    return count > 0;
}

bool tact_contact_index_has(contact_index *x, const tact_contact_point *p)
{
    double c[DIMENSIONS];
    uint64_t hash = 0, other[DIMENSIONS]; /* what the hash grows by in the neighbouring cell */
    int split = 0;
    coordinates_of(p, c);
    for (int i = 0; i < DIMENSIONS; ++i) {
        const double reach = i < 6 ? x->reach : COMPLEX_NORMAL_REACH, width = cell_width(x, i);
        const uint64_t low = cell_hash(c[i] - reach, width, i), high = cell_hash(c[i] + reach, width, i);
        hash += low;
        if (high != low)
            other[split++] = high - low;
    }
    for (uint32_t cells = 0; cells < 1u << split; ++cells) {
        uint64_t h = hash;
        for (int i = 0; i < split; ++i)
            h += cells >> i & 1 ? other[i] : 0;
        for (uint32_t slot = *bucket_of(x, h); slot != NO_POINT; slot = x->entries[slot].next) {
            if (x->entries[slot].hash != h)
                continue;
            ++x->compared;
            if (tact_contact_points_same(p, &x->points[slot], x->distance))
                return true;
        }
    }
    return false;
}

bool tact_contact_index_add(contact_index *x, const tact_contact_point *p)
{
    if (x->stored < x->capacity) {
        if (!grow(x))
            return false;
        store(x, (uint32_t)x->stored++, p);
        return true;
    }
    if (!x->heaped)
        make_heap(x);
    const uint32_t last = order_at(x, 0);
    if (!(p->depth > x->points[last].depth))
        return true;
    unlink_entry(x, last);
    store(x, last, p);
    sift_down(x, x->stored, 0, last);
    return true;
}

void tact_contact_index_finish(contact_index *x)
{
    if (!contact_index_is_used(x))
        return;
    if (!x->heaped)
        make_heap(x);
    for (size_t count = x->stored; count > 1;) {
        const uint32_t item = order_at(x, --count);
        x->entries[count].order = order_at(x, 0);
        sift_down(x, count, 0, item);
    }
    for (size_t i = 0; i < x->stored; ++i) { /* cycles of the permutation */
        if (order_at(x, i) == i)
            continue;
        const tact_contact_point first = x->points[i];
        size_t at = i;
        for (;;) {
            const uint32_t from = order_at(x, at);
            x->entries[at].order = (uint32_t)at;
            if (from == i)
                break;
            x->points[at] = x->points[from];
            at = from;
        }
        x->points[at] = first;
    }
    tact_contact_index_release(x);
}

void tact_contact_index_release(contact_index *x)
{
    const uint64_t compared = x->compared;
    tact_memory_free(x->allocator, x->entries, x->entry_capacity, sizeof *x->entries);
    tact_memory_free(x->allocator, x->buckets, x->bucket_count, sizeof *x->buckets);
    *x = (contact_index){.compared = compared};
}
