/* Shells: see shells.h. */
#include "broad/fat_bounds.h"

/* Balls: fewer are not worth a grid. */
#define GRID_BALLS 64

/* Cells a ball, at most: else they are too far apart for a grid. */
#define CELLS_A_BALL 2.5

/* Of the mean reach: what a grid takes at first; and by how much that grows or shrinks at a time. */
#define LIMIT_FIRST 1.3
#define LIMIT_GROWS 1.2

/* Of the limit: with a larger mean, balls have all the reach that they may have. */
#define FULL 0.85

/* Of the balls that could be in the grid: if more than this part are not, it is laid anew. */
#define STRAYS 0.125

/* Standard deviations: the region of a grid is so far to each side of the mean, or as far as there are balls. (Of balls
 * evenly spread over a box all are within 1.74.) Found in a few rounds, each of the balls that were within the last
 * one: so some that are far away do not count. */
#define REGION 3.0
#define ROUNDS 4

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
    fat_bound_number_array_release(&s->found, allocator);
    *s = tact_fat_bounds_empty(s->neighbours);
}

static const fat_bound absent = {{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
                                 {{0.0f, 0.0f, 0.0f}, FAT_BOUND_IS_BOX}};

bool tact_fat_bounds_reserve(fat_bounds *s, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= s->bounds.count)
        return true;
    if (!tact_neighbours_reserve(s->neighbours, allocator, numbers) ||
        !tact_dynamic_tree_reserve(&s->tree, allocator, numbers) ||
        !tact_sphere_grid_reserve(&s->grid, allocator, numbers) ||
        !fat_bound_array_reserve(&s->bounds, allocator, numbers) ||
        !fat_bound_filter_array_reserve(&s->filters, allocator, numbers) ||
        !fat_bound_number_array_reserve(&s->found, allocator, (size_t)numbers + 1)) /* one that is looked at */
        return false;
    for (uint32_t i = (uint32_t)s->bounds.count; i < numbers; ++i)
        s->bounds.items[i] = absent;
    s->bounds.count = s->filters.count = numbers;
    return true;
}

static bool allows(const broad_filter *a, const broad_filter *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* Then it allows everything that allows it, and two such need not be asked. */
static bool is_plain(const broad_filter *f) { return (f->category & f->mask) == ~(uint64_t)0; }

static bool forms_meet(const fat_bound *a, const fat_bound *b)
{
    return a->sphere.radius >= 0.0f && b->sphere.radius >= 0.0f ? grid_spheres_overlap(&a->sphere, &b->sphere)
                                                                : box_overlap(&a->box, &b->box);
}

/* ---- searching ---- */

typedef struct search {
    fat_bounds *s;
    const fat_bound *form;
    const broad_filter *filter;
    uint32_t who;
} search;

/* There is room in `found` for every number, and a number is found once. */
static bool find(void *context, uint32_t other)
{
    const search *q = context;
    if (other != q->who && forms_meet(q->form, &q->s->bounds.items[other]) &&
        allows(q->filter, &q->s->filters.items[other]))
        q->s->found.items[q->s->found.count++] = other;
    return true;
}

static void search_grid(const search *q)
{
    fat_bounds *s = q->s;
    const bool round = q->form->sphere.radius >= 0.0f, plain = is_plain(q->filter);
    const size_t found = round ? tact_sphere_grid_overlap(&s->grid, &q->form->sphere, s->found.items)
                               : tact_sphere_grid_overlap_box(&s->grid, &q->form->box, s->found.items);
    for (size_t i = 0; i < found; ++i) { /* in place: there are never more than were read */
        const uint32_t entry = s->found.items[i], other = entry & ~GRID_MARK;
        if (other != q->who && (round || box_overlap(&q->form->box, &s->bounds.items[other].box)) &&
            ((plain && entry & GRID_MARK) || allows(q->filter, &s->filters.items[other])))
            s->found.items[s->found.count++] = other;
    }
}

/* ---- the tree and the grid ---- */

static void put_in_tree(fat_bounds *s, uint32_t number)
{
    const dynamic_tree_boxes boxes = {(const unsigned char *)s->bounds.items, sizeof(fat_bound)};
    tact_dynamic_tree_set(&s->tree, boxes, number);
}

static bool put_in_grid(fat_bounds *s, uint32_t number)
{
    const grid_sphere *ball = &s->bounds.items[number].sphere;
    return s->grid.size[0] > 0 && ball->radius >= 0.0f &&
           tact_sphere_grid_insert(&s->grid, number, ball, is_plain(&s->filters.items[number]));
}

/* Where the balls are that a grid of this limit could take: see REGION. How many there are. */
static size_t find_region(const fat_bounds *s, double limit, double low[3], double high[3])
{
    size_t count = 0;
    for (int k = 0; k < 3; ++k) {
        low[k] = -INFINITY;
        high[k] = INFINITY;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        double sum[3] = {0.0}, squares[3] = {0.0}, least[3], most[3];
        count = 0;
        for (int k = 0; k < 3; ++k) {
            least[k] = INFINITY;
            most[k] = -INFINITY;
        }
        for (uint32_t i = 0; i < s->bounds.count; ++i) {
            const grid_sphere *ball = &s->bounds.items[i].sphere;
            const double at[3] = {(double)ball->centre[0], (double)ball->centre[1], (double)ball->centre[2]};
            if (!(ball->radius >= 0.0f && (double)ball->radius <= limit && at[0] >= low[0] && at[0] <= high[0] &&
                  at[1] >= low[1] && at[1] <= high[1] && at[2] >= low[2] && at[2] <= high[2]))
                continue;
            ++count;
            for (int k = 0; k < 3; ++k) {
                sum[k] += at[k];
                squares[k] += at[k] * at[k];
                least[k] = fmin(least[k], at[k]);
                most[k] = fmax(most[k], at[k]);
            }
        }
        if (count == 0)
            return 0;
        for (int k = 0; k < 3; ++k) {
            const double mean = sum[k] / (double)count;
            const double spread = REGION * sqrt(fmax(squares[k] / (double)count - mean * mean, 0.0)) + limit;
            low[k] = fmax(least[k], mean - spread);
            high[k] = fmin(most[k], mean + spread);
        }
    }
    return count;
}

/* Lays the grid, if the balls are such that it can be of use, and moves those that it takes into it. False: there is no
 * memory, and nothing has changed. */
static bool lay(fat_bounds *s, const tact_allocator *allocator, float limit)
{
    double low[3], high[3];
    const size_t count = find_region(s, (double)limit, low, high);
    for (int k = 0; k < 3 && count > 0; ++k) { /* a rim for those on the border */
        low[k] -= (double)limit;
        high[k] += (double)limit;
    }
    if (count < GRID_BALLS || tact_sphere_grid_cell_count(low, high, (double)limit) > CELLS_A_BALL * (double)count)
        return true;
    fat_bound_number_array *in = &s->found; /* those that were in the grid: nobody searches now */
    in->count = 0;
    for (uint32_t i = 0; i < s->bounds.count; ++i)
        if (sphere_grid_has(&s->grid, i))
            in->items[in->count++] = i;
    if (!tact_sphere_grid_reset(&s->grid, allocator, low, high, limit))
        return false;
    for (size_t i = 0; i < in->count; ++i)
        if (!put_in_grid(s, in->items[i]))
            put_in_tree(s, in->items[i]);
    for (uint32_t i = 0; i < s->bounds.count; ++i)
        if (!sphere_grid_has(&s->grid, i) && fat_bounds_has(s, i) && put_in_grid(s, i))
            tact_dynamic_tree_remove(&s->tree, i);
    return true;
}

/* What the limit should be: 0 if all is well. */
static double limit_for(const fat_bounds *s)
{
    const bool laid = s->grid.count > 0;
    const double limit = (double)s->grid.max_radius, met = (double)s->neighbours_found / (double)s->spheres_set;
    double sum = 0.0;
    size_t strays = 0;
    for (uint32_t i = 0; i < s->bounds.count; ++i) {
        const float reach = s->bounds.items[i].sphere.radius;
        const bool in = sphere_grid_has(&s->grid, i);
        sum += reach >= 0.0f && in == laid ? (double)reach : 0.0;
        strays += reach >= 0.0f && reach <= s->grid.max_radius && !in;
    }
    const double mean = sum / (double)(laid ? s->grid.count : s->sphere_count);
    if (!laid || mean < FULL * limit / LIMIT_FIRST)
        return LIMIT_FIRST * mean;
    if (met < FAT_SPHERE_MIN_NEIGHBOURS && mean > FULL * limit)
        return LIMIT_GROWS * limit;
    if (met > FAT_SPHERE_MAX_NEIGHBOURS)
        return limit / LIMIT_GROWS;
    return (double)strays > STRAYS * (double)s->sphere_count ? limit : 0.0;
}

bool tact_fat_bounds_maintain(fat_bounds *s, const tact_allocator *allocator)
{
    if (s->spheres_set < s->sphere_count + GRID_BALLS || s->sphere_count < GRID_BALLS)
        return true;
    const double limit = limit_for(s);
    if (limit > 0.0 && !lay(s, allocator, (float)limit))
        return false;
    s->spheres_set = s->neighbours_found = 0;
    return true;
}

void tact_fat_bounds_set_unlisted(fat_bounds *s, uint32_t number, const fat_bound *form, broad_filter filter)
{
    fat_bound *mine = &s->bounds.items[number];
    const bool there = fat_bounds_has(s, number), here = sphere_grid_has(&s->grid, number);
    s->sphere_count += (size_t)(form->sphere.radius >= 0.0f) - (size_t)(mine->sphere.radius >= 0.0f);
    *mine = *form;
    s->filters.items[number] = filter;
    if (here)
        tact_sphere_grid_remove(&s->grid, number);
    const bool in = put_in_grid(s, number);
    if (!in)
        put_in_tree(s, number);
    else if (there && !here)
        tact_dynamic_tree_remove(&s->tree, number);
}

/* Its neighbours are those that a shell meets. */
static tact_status set_neighbours(fat_bounds *s, const tact_allocator *allocator, uint32_t number,
                                  const fat_bound *form, const broad_filter *filter)
{
    const search q = {s, form, filter, number};
    s->found.count = 0;
    if (s->grid.count > 0)
        search_grid(&q);
    (void)tact_dynamic_tree_overlap(&s->tree, &form->box, find, (void *)&q);
    return tact_neighbours_set(s->neighbours, allocator, number, s->found.items, s->found.count) ? TACT_OK
                                                                                                 : TACT_OUT_OF_MEMORY;
}

tact_status tact_fat_bounds_set(fat_bounds *s, const tact_allocator *allocator, uint32_t number, const fat_bound *form,
                                broad_filter filter)
{
    if (!tact_fat_bounds_maintain(s, allocator))
        return TACT_OUT_OF_MEMORY;
    const tact_status status = set_neighbours(s, allocator, number, form, &filter);
    if (status != TACT_OK)
        return status;
    if (form->sphere.radius >= 0.0f) {
        ++s->spheres_set;
        s->neighbours_found += s->found.count;
    }
    tact_fat_bounds_set_unlisted(s, number, form, filter);
    return TACT_OK;
}

tact_status tact_fat_bounds_list(fat_bounds *s, const tact_allocator *allocator, uint32_t number)
{
    return set_neighbours(s, allocator, number, &s->bounds.items[number], &s->filters.items[number]);
}

void tact_fat_bounds_remove_unlisted(fat_bounds *s, uint32_t number)
{
    if (sphere_grid_has(&s->grid, number))
        tact_sphere_grid_remove(&s->grid, number);
    else
        tact_dynamic_tree_remove(&s->tree, number);
    s->sphere_count -= s->bounds.items[number].sphere.radius >= 0.0f;
    s->bounds.items[number] = absent;
}

void tact_fat_bounds_remove(fat_bounds *s, uint32_t number)
{
    tact_neighbours_remove_all(s->neighbours, number);
    tact_fat_bounds_remove_unlisted(s, number);
}
