#include "nurbs/nurbs_trim_rows.h"

#include <string.h>

#include "core/sort.h"

static inline uint64_t trim_end_key(const trim_end *e) { return e->key; }
RADIX_SORT_OF(sort_trim_ends, trim_end, trim_end_key)

static uint32_t row_of(uint32_t rows, int32_t y)
{
    const uint32_t row = (uint32_t)((uint64_t)(uint32_t)y * rows >> NURBS_GRID_LEVEL);
    return row < rows ? row : rows - 1;
}

/* The segments of a chain; each is counted (`segments` NULL) or stored at its nodes. */
static void add_chain(nurbs_trim_rows *r, const nurbs_trim *t, const trim_chain *c, trim_segment *segments)
{
    const trim_point *p = t->points.items + c->first_point;
    const uint32_t rows = r->row_count[c->patch];
    uint32_t *first = r->first + r->first_node[c->patch];
    for (uint32_t k = 0; k + (c->closed ? 0 : 1) < c->point_count; k++) {
        const trim_segment s = {p[k], p[(k + 1) % c->point_count]};
        const uint32_t a = row_of(rows, s.from.y), b = row_of(rows, s.to.y);
        for (uint32_t low = (a < b ? a : b) + rows, high = (a < b ? b : a) + rows + 1; low < high;
             low /= 2, high /= 2) {
            if (low % 2 != 0) {
                if (segments != NULL)
                    segments[first[low]] = s;
                first[low++]++;
            }
            if (high % 2 != 0) {
                high--;
                if (segments != NULL)
                    segments[first[high]] = s;
                first[high]++;
            }
        }
    }
}

/* An end on the side x = 0 or y = 0, by patch, side and place. */
static uint64_t end_key(uint32_t patch, bool low, int32_t at)
{
    return ((uint64_t)patch << 1 | (low ? 1 : 0)) << (NURBS_GRID_LEVEL + 1) | (uint32_t)at;
}

static size_t add_ends(const nurbs_trim *t, trim_end *ends)
{
    size_t count = 0;
    for (size_t i = 0; i < t->chains.count; i++) {
        const trim_chain *c = &t->chains.items[i];
        for (uint32_t end = 0; end < 2 && !c->closed; end++) {
            const trim_point p = t->points.items[c->first_point + (end == 0 ? 0 : c->point_count - 1)];
            if (p.x == 0)
                ends[count++].key = end_key(c->patch, false, p.y);
            if (p.y == 0)
                ends[count++].key = end_key(c->patch, true, p.x);
        }
    }
    return count;
}

static bool sort_ends(nurbs_trim_rows *r, const nurbs_trim *t, const tact_allocator *allocator)
{
    const size_t most = 4 * t->chains.count + 1; /* an end at a corner is on both sides */
    trim_end *ends = tact_memory_allocate(allocator, 2 * most, sizeof *ends);
    if (ends == NULL)
        return false;
    r->end_count = add_ends(t, ends);
    const trim_end *sorted = sort_trim_ends(ends, ends + most, r->end_count);
    r->ends = tact_memory_allocate(allocator, r->end_count + 1, sizeof *r->ends);
    if (r->ends != NULL)
        memcpy(r->ends, sorted, r->end_count * sizeof *sorted);
    tact_memory_free(allocator, ends, 2 * most, sizeof *ends);
    return r->ends != NULL;
}

/* The number of rows of each patch: a power of two, at least a quarter of the number of its segments. */
static void count_rows(nurbs_trim_rows *r, const nurbs_trim *t)
{
    memset(r->row_count, 0, r->patch_count * sizeof *r->row_count);
    for (size_t i = 0; i < t->chains.count; i++)
        r->row_count[t->chains.items[i].patch] += t->chains.items[i].point_count;
    r->node_count = 0;
    for (size_t i = 0; i < r->patch_count; i++) {
        uint32_t rows = 1;
        while (rows < r->row_count[i] / 4)
            rows *= 2;
        r->row_count[i] = r->row_count[i] > 0 ? rows : 0;
        r->first_node[i] = (uint32_t)r->node_count;
        r->node_count += 2 * (size_t)r->row_count[i];
    }
}

bool tact_nurbs_trim_rows_init(nurbs_trim_rows *r, const nurbs_trim *t, const tact_allocator *allocator)
{
    r->patch_count = t->patch_count;
    r->row_count = tact_memory_allocate(allocator, r->patch_count, sizeof *r->row_count);
    r->first_node = tact_memory_allocate(allocator, r->patch_count, sizeof *r->first_node);
    if (r->row_count == NULL || r->first_node == NULL || !sort_ends(r, t, allocator))
        return false;
    count_rows(r, t);
    r->first = tact_memory_allocate(allocator, r->node_count + 1, sizeof *r->first);
    if (r->first == NULL)
        return false;
    memset(r->first, 0, (r->node_count + 1) * sizeof *r->first);
    for (size_t i = 0; i < t->chains.count; i++)
        add_chain(r, t, &t->chains.items[i], NULL);
    uint32_t sum = 0;
    for (size_t i = 0; i <= r->node_count; i++) { /* counting sort by node */
        const uint32_t count = r->first[i];
        r->first[i] = sum;
        sum += count;
    }
    r->segment_count = sum;
    r->segments = tact_memory_allocate(allocator, (size_t)sum + 1, sizeof *r->segments);
    if (r->segments == NULL)
        return false;
    for (size_t i = 0; i < t->chains.count; i++)
        add_chain(r, t, &t->chains.items[i], r->segments);
    for (size_t i = r->node_count; i > 0; i--) /* each is now where the next one begins */
        r->first[i] = r->first[i - 1];
    r->first[0] = 0;
    return true;
}

void tact_nurbs_trim_rows_release(nurbs_trim_rows *r, const tact_allocator *allocator)
{
    tact_memory_free(allocator, r->row_count, r->patch_count, sizeof *r->row_count);
    tact_memory_free(allocator, r->first_node, r->patch_count, sizeof *r->first_node);
    tact_memory_free(allocator, r->ends, r->end_count + 1, sizeof *r->ends);
    tact_memory_free(allocator, r->first, r->node_count + 1, sizeof *r->first);
    tact_memory_free(allocator, r->segments, (size_t)r->segment_count + 1, sizeof *r->segments);
    *r = (nurbs_trim_rows){0};
}

/* The number of ends before a key. */
static size_t ends_before(const nurbs_trim_rows *r, uint64_t key)
{
    size_t low = 0, high = r->end_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (r->ends[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tact_nurbs_trim_rows_parity(const nurbs_trim_rows *r, uint32_t patch, trim_point corner)
{
    const uint32_t rows = r->row_count[patch];
    if (rows == 0)
        return false;
    bool odd = false;
    const uint32_t *first = r->first + r->first_node[patch];
    for (uint32_t node = row_of(rows, corner.y) + rows; node > 0; node /= 2)
        for (uint32_t i = first[node]; i < first[node + 1]; i++) {
            const trim_point a = r->segments[i].from, b = r->segments[i].to;
            if ((a.y < corner.y) != (b.y < corner.y))
                odd ^= trim_is_left(a, b, corner) != (b.y > a.y);
        }
    const bool low = corner.y == 0;
    const size_t ends =
        ends_before(r, end_key(patch, low, low ? corner.x : corner.y)) - ends_before(r, end_key(patch, low, 0));
    return odd != (ends % 2 != 0);
}
