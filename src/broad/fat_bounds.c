/*
 * Fat bounds: see fat_bounds.h. All are in the dynamic tree, except spheres that the grid accepts. The grid is laid out
 * over the region of the spheres, for their mean radius (tact_fat_bounds_maintain), and again when too many spheres are
 * outside, or when the mean number of neighbours asks for other radii. The neighbours do not depend on it.
 */
#include "broad/fat_bounds.h"

#include "core/heap.h"
#include "core/number.h"

fat_bounds tact_fat_bounds_empty(neighbours *lists)
{
    return (fat_bounds){.neighbours = lists, .tree = dynamic_tree_empty()};
}

void tact_fat_bounds_release(fat_bounds *s, const tact_allocator *allocator)
{
    tact_dynamic_tree_release(&s->tree, allocator);
    tact_sphere_grid_release(&s->grid, allocator);
    fat_bound_array_release(&s->bounds, allocator);
    fat_bound_filter_array_release(&s->filters, allocator);
    fat_bound_item_array_release(&s->found, allocator);
    *s = tact_fat_bounds_empty(s->neighbours);
}

static const fat_bound absent = {{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
                                 {{0.0f, 0.0f, 0.0f}, FAT_BOUND_IS_BOX}};

bool tact_fat_bounds_reserve(fat_bounds *s, const tact_allocator *allocator, uint32_t items)
{
    if (items <= s->bounds.count)
        return true;
    if (!tact_neighbours_reserve(s->neighbours, allocator, items) ||
        !tact_dynamic_tree_reserve(&s->tree, allocator, items) ||
        !tact_sphere_grid_reserve(&s->grid, allocator, items) ||
        !fat_bound_array_reserve(&s->bounds, allocator, items) ||
        !fat_bound_filter_array_reserve(&s->filters, allocator, items) ||
        !fat_bound_item_array_reserve(&s->found, allocator, (size_t)items + 1)) /* one more for the item itself */
        return false;
    for (uint32_t i = (uint32_t)s->bounds.count; i < items; ++i)
        s->bounds.items[i] = absent;
    s->bounds.count = s->filters.count = items;
    return true;
}

static bool allows(const broad_filter *a, const broad_filter *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* Such a filter allows every filter that allows it; two such need no test. */
static bool allows_all(const broad_filter *f) { return (f->category & f->mask) == ~(uint64_t)0; }

static bool fat_bounds_overlap(const fat_bound *a, const fat_bound *b)
{
    return a->sphere.radius >= 0.0f && b->sphere.radius >= 0.0f ? grid_spheres_overlap(&a->sphere, &b->sphere)
                                                                : box_overlap(&a->box, &b->box);
}

/* ---- queries ---- */

typedef struct fat_bound_query {
    fat_bounds *s;
    const fat_bound *bound;
    const broad_filter *filter;
    uint32_t item;
} fat_bound_query;

/* `found` has capacity for every item, and an item is found once. */
static bool visit_tree(void *context, uint32_t other)
{
    const fat_bound_query *q = context;
    if (other != q->item && fat_bounds_overlap(q->bound, &q->s->bounds.items[other]) &&
        allows(q->filter, &q->s->filters.items[other]))
        q->s->found.items[q->s->found.count++] = other;
    return true;
}

static void query_grid(const fat_bound_query *q)
{
    fat_bounds *s = q->s;
    const bool is_sphere = q->bound->sphere.radius >= 0.0f, any = allows_all(q->filter);
    const size_t found = is_sphere ? tact_sphere_grid_overlap(&s->grid, &q->bound->sphere, s->found.items)
                                   : tact_sphere_grid_overlap_box(&s->grid, &q->bound->box, s->found.items);
    for (size_t i = 0; i < found; ++i) { /* in place: never more are written than were read */
        const uint32_t entry = s->found.items[i], other = entry & ~GRID_MARK;
        if (other != q->item && (is_sphere || box_overlap(&q->bound->box, &s->bounds.items[other].box)) &&
            ((any && entry & GRID_MARK) || allows(q->filter, &s->filters.items[other])))
            s->found.items[s->found.count++] = other;
    }
}

/* ---- the tree and the grid ---- */

static void insert_into_tree(fat_bounds *s, uint32_t item)
{
    const dynamic_tree_boxes boxes = {(const unsigned char *)s->bounds.items, sizeof(fat_bound)};
    tact_dynamic_tree_set(&s->tree, boxes, item);
}

static bool insert_into_grid(fat_bounds *s, uint32_t item)
{
    const grid_sphere *sphere = &s->bounds.items[item].sphere;
    return s->grid.size[0] > 0 && sphere->radius >= 0.0f &&
           tact_sphere_grid_insert(&s->grid, item, sphere, allows_all(&s->filters.items[item]));
}

/* The region of the spheres up to a radius, without outliers: see GRID_REGION_DEVIATIONS. Returns how many there are.
 */
static size_t find_region(const fat_bounds *s, double max_radius, double low[3], double high[3])
{
    size_t count = 0;
    for (int k = 0; k < 3; ++k) {
        low[k] = -INFINITY;
        high[k] = INFINITY;
    }
    for (int iteration = 0; iteration < GRID_REGION_ITERATIONS; ++iteration) {
        double sum[3] = {0.0}, squares[3] = {0.0}, least[3], most[3];
        count = 0;
        for (int k = 0; k < 3; ++k) {
            least[k] = INFINITY;
            most[k] = -INFINITY;
        }
        for (uint32_t i = 0; i < s->bounds.count; ++i) {
            const grid_sphere *sphere = &s->bounds.items[i].sphere;
            const double at[3] = {(double)sphere->centre[0], (double)sphere->centre[1], (double)sphere->centre[2]};
            if (!(sphere->radius >= 0.0f && (double)sphere->radius <= max_radius && at[0] >= low[0] &&
                  at[0] <= high[0] && at[1] >= low[1] && at[1] <= high[1] && at[2] >= low[2] && at[2] <= high[2]))
                continue;
            ++count;
            for (int k = 0; k < 3; ++k) {
                sum[k] += at[k];
                squares[k] += at[k] * at[k];
                least[k] = number_min(least[k], at[k]);
                most[k] = number_max(most[k], at[k]);
            }
        }
        if (count == 0)
            return 0;
        for (int k = 0; k < 3; ++k) {
            const double mean = sum[k] / (double)count;
            const double spread =
                GRID_REGION_DEVIATIONS * sqrt(number_max(squares[k] / (double)count - mean * mean, 0.0)) + max_radius;
            low[k] = number_max(least[k], mean - spread);
            high[k] = number_min(most[k], mean + spread);
        }
    }
    return count;
}

/* Lays out the grid for spheres up to a radius, if they are dense enough, and moves those that it accepts from the tree
 * into it. False: out of memory, nothing has changed. */
static bool layout_grid(fat_bounds *s, const tact_allocator *allocator, float max_radius)
{
    double low[3], high[3];
    const size_t count = find_region(s, (double)max_radius, low, high);
    for (int k = 0; k < 3 && count > 0; ++k) { /* a margin for spheres at the border */
        low[k] -= (double)max_radius;
        high[k] += (double)max_radius;
    }
    if (count < GRID_MIN_SPHERES ||
        tact_sphere_grid_cell_count(low, high, (double)max_radius) > GRID_MAX_CELLS_PER_SPHERE * (double)count)
        return true;
    fat_bound_item_array *in = &s->found; /* the items in the grid: no query is running */
    in->count = 0;
    for (uint32_t i = 0; i < s->bounds.count; ++i)
        if (sphere_grid_has(&s->grid, i))
            in->items[in->count++] = i;
    if (!tact_sphere_grid_reset(&s->grid, allocator, low, high, max_radius))
        return false;
    for (size_t i = 0; i < in->count; ++i)
        if (!insert_into_grid(s, in->items[i]))
            insert_into_tree(s, in->items[i]);
    for (uint32_t i = 0; i < s->bounds.count; ++i)
        if (!sphere_grid_has(&s->grid, i) && fat_bounds_has(s, i) && insert_into_grid(s, i))
            tact_dynamic_tree_remove(&s->tree, i);
    return true;
}

/* The largest radius that the grid should accept; 0: no change. */
static double wanted_radius(const fat_bounds *s)
{
    const bool has_grid = s->grid.count > 0;
    const double max_radius = (double)s->grid.max_radius,
                 mean_neighbours = (double)s->neighbours_found / (double)s->spheres_set;
    double sum = 0.0;
    size_t strays = 0;
    for (uint32_t i = 0; i < s->bounds.count; ++i) {
        const float radius = s->bounds.items[i].sphere.radius;
        const bool in = sphere_grid_has(&s->grid, i);
        sum += radius >= 0.0f && in == has_grid ? (double)radius : 0.0;
        strays += radius >= 0.0f && radius <= s->grid.max_radius && !in;
    }
    const double mean = sum / (double)(has_grid ? s->grid.count : s->sphere_count);
    if (!has_grid || mean < GRID_SATURATION * max_radius / GRID_FIRST_RADIUS)
        return GRID_FIRST_RADIUS * mean;
    if (mean_neighbours < FAT_SPHERE_MIN_NEIGHBOURS && mean > GRID_SATURATION * max_radius)
        return GRID_RADIUS_STEP * max_radius;
    if (mean_neighbours > FAT_SPHERE_MAX_NEIGHBOURS)
        return max_radius / GRID_RADIUS_STEP;
    return (double)strays > GRID_MAX_STRAYS * (double)s->sphere_count ? max_radius : 0.0;
}

bool tact_fat_bounds_maintain(fat_bounds *s, const tact_allocator *allocator)
{
    if (s->spheres_set < s->sphere_count + GRID_MIN_SPHERES || s->sphere_count < GRID_MIN_SPHERES)
        return true;
    const double max_radius = wanted_radius(s);
    if (max_radius > 0.0 && !layout_grid(s, allocator, (float)max_radius))
        return false;
    s->spheres_set = s->neighbours_found = 0;
    return true;
}

void tact_fat_bounds_set_unlisted(fat_bounds *s, uint32_t item, const fat_bound *bound, broad_filter filter)
{
    fat_bound *mine = &s->bounds.items[item];
    const bool there = fat_bounds_has(s, item), here = sphere_grid_has(&s->grid, item);
    s->sphere_count += (size_t)(bound->sphere.radius >= 0.0f) - (size_t)(mine->sphere.radius >= 0.0f);
    *mine = *bound;
    s->filters.items[item] = filter;
    if (here)
        tact_sphere_grid_remove(&s->grid, item);
    const bool in = insert_into_grid(s, item);
    if (!in)
        insert_into_tree(s, item);
    else if (there && !here)
        tact_dynamic_tree_remove(&s->tree, item);
}

/* For restoring: an item that is not there, and that the grid had rejected. */
void tact_fat_bounds_set_in_tree(fat_bounds *s, uint32_t item, const fat_bound *bound, broad_filter filter)
{
    s->sphere_count += bound->sphere.radius >= 0.0f;
    s->bounds.items[item] = *bound;
    s->filters.items[item] = filter;
    insert_into_tree(s, item);
}

static inline bool item_before(const void *context, const uint32_t *a, const uint32_t *b)
{
    (void)context;
    return *a < *b;
}

HEAP_SORT_OF(sort_items, uint32_t, const void *, item_before)

/* Sets the neighbours of an item to the items whose fat bounds overlap `bound`. */
static tact_status set_neighbours(fat_bounds *s, const tact_allocator *allocator, uint32_t item, const fat_bound *bound,
                                  const broad_filter *filter)
{
    const fat_bound_query q = {s, bound, filter, item};
    s->found.count = 0;
    if (s->grid.count > 0)
        query_grid(&q);
    (void)tact_dynamic_tree_overlap(&s->tree, &bound->box, visit_tree, (void *)&q);
    sort_items(NULL, s->found.items, s->found.count); /* else the order would depend on how the tree was built */
    return tact_neighbours_set(s->neighbours, allocator, item, s->found.items, s->found.count) ? TACT_OK
                                                                                               : TACT_OUT_OF_MEMORY;
}

tact_status tact_fat_bounds_set(fat_bounds *s, const tact_allocator *allocator, uint32_t item, const fat_bound *bound,
                                broad_filter filter)
{
    if (!tact_fat_bounds_maintain(s, allocator))
        return TACT_OUT_OF_MEMORY;
    const tact_status status = set_neighbours(s, allocator, item, bound, &filter);
    if (status != TACT_OK)
        return status;
    if (bound->sphere.radius >= 0.0f) {
        ++s->spheres_set;
        s->neighbours_found += s->found.count;
    }
    tact_fat_bounds_set_unlisted(s, item, bound, filter);
    return TACT_OK;
}

tact_status tact_fat_bounds_list(fat_bounds *s, const tact_allocator *allocator, uint32_t item)
{
    return set_neighbours(s, allocator, item, &s->bounds.items[item], &s->filters.items[item]);
}

void tact_fat_bounds_remove_unlisted(fat_bounds *s, uint32_t item)
{
    if (sphere_grid_has(&s->grid, item))
        tact_sphere_grid_remove(&s->grid, item);
    else
        tact_dynamic_tree_remove(&s->tree, item);
    s->sphere_count -= s->bounds.items[item].sphere.radius >= 0.0f;
    s->bounds.items[item] = absent;
}

void tact_fat_bounds_remove(fat_bounds *s, uint32_t item)
{
    tact_neighbours_remove_all(s->neighbours, item);
    tact_fat_bounds_remove_unlisted(s, item);
}
