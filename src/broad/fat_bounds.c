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
    return (fat_bounds){.lists = lists, .tree = dynamic_tree_empty()};
}

void tact_fat_bounds_release(fat_bounds *s, const tact_allocator *allocator)
{
    tact_dynamic_tree_release(&s->tree, allocator);
    tact_grid_release(&s->grid, allocator);
    fat_bound_array_release(&s->forms, allocator);
    fat_bound_filter_array_release(&s->filters, allocator);
    fat_bound_number_array_release(&s->found, allocator);
    *s = tact_fat_bounds_empty(s->lists);
}

static const fat_bound absent = {{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
                                 {{0.0f, 0.0f, 0.0f}, SHELL_BOX}};

bool tact_fat_bounds_reserve(fat_bounds *s, const tact_allocator *allocator, uint32_t numbers)
{
    if (numbers <= s->forms.count)
        return true;
    if (!tact_neighbours_reserve(s->lists, allocator, numbers) ||
        !tact_dynamic_tree_reserve(&s->tree, allocator, numbers) || !tact_grid_reserve(&s->grid, allocator, numbers) ||
        !fat_bound_array_reserve(&s->forms, allocator, numbers) ||
        !fat_bound_filter_array_reserve(&s->filters, allocator, numbers) ||
        !fat_bound_number_array_reserve(&s->found, allocator, (size_t)numbers + 1)) /* one that is looked at */
        return false;
    for (uint32_t i = (uint32_t)s->forms.count; i < numbers; ++i)
        s->forms.items[i] = absent;
    s->forms.count = s->filters.count = numbers;
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
    return a->ball.reach >= 0.0f && b->ball.reach >= 0.0f ? balls_meet(&a->ball, &b->ball)
                                                          : box_overlap(&a->bounds, &b->bounds);
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
    if (other != q->who && forms_meet(q->form, &q->s->forms.items[other]) &&
        allows(q->filter, &q->s->filters.items[other]))
        q->s->found.items[q->s->found.count++] = other;
    return true;
}

static void search_grid(const search *q)
{
    fat_bounds *s = q->s;
    const bool round = q->form->ball.reach >= 0.0f, plain = is_plain(q->filter);
    const size_t found = round ? tact_grid_meet(&s->grid, &q->form->ball, s->found.items)
                               : tact_grid_meet_box(&s->grid, &q->form->bounds, s->found.items);
    for (size_t i = 0; i < found; ++i) { /* in place: there are never more than were read */
        const uint32_t entry = s->found.items[i], other = entry & ~GRID_MARK;
        if (other != q->who && (round || box_overlap(&q->form->bounds, &s->forms.items[other].bounds)) &&
            ((plain && entry & GRID_MARK) || allows(q->filter, &s->filters.items[other])))
            s->found.items[s->found.count++] = other;
    }
}

/* ---- the tree and the grid ---- */

static void put_in_tree(fat_bounds *s, uint32_t number)
{
    const dynamic_tree_boxes boxes = {(const unsigned char *)s->forms.items, sizeof(fat_bound)};
    tact_dynamic_tree_set(&s->tree, boxes, number);
}

static bool put_in_grid(fat_bounds *s, uint32_t number)
{
    const grid_ball *ball = &s->forms.items[number].ball;
    return s->grid.size[0] > 0 && ball->reach >= 0.0f &&
           tact_grid_add(&s->grid, number, ball, is_plain(&s->filters.items[number]));
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
        for (uint32_t i = 0; i < s->forms.count; ++i) {
            const grid_ball *ball = &s->forms.items[i].ball;
            const double at[3] = {(double)ball->centre[0], (double)ball->centre[1], (double)ball->centre[2]};
            if (!(ball->reach >= 0.0f && (double)ball->reach <= limit && at[0] >= low[0] && at[0] <= high[0] &&
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
    if (count < GRID_BALLS || tact_grid_cells(low, high, (double)limit) > CELLS_A_BALL * (double)count)
        return true;
    fat_bound_number_array *in = &s->found; /* those that were in the grid: nobody searches now */
    in->count = 0;
    for (uint32_t i = 0; i < s->forms.count; ++i)
        if (grid_has(&s->grid, i))
            in->items[in->count++] = i;
    if (!tact_grid_lay(&s->grid, allocator, low, high, limit))
        return false;
    for (size_t i = 0; i < in->count; ++i)
        if (!put_in_grid(s, in->items[i]))
            put_in_tree(s, in->items[i]);
    for (uint32_t i = 0; i < s->forms.count; ++i)
        if (!grid_has(&s->grid, i) && fat_bounds_has(s, i) && put_in_grid(s, i))
            tact_dynamic_tree_remove(&s->tree, i);
    return true;
}

/* What the limit should be: 0 if all is well. */
static double limit_for(const fat_bounds *s)
{
    const bool laid = s->grid.count > 0;
    const double limit = (double)s->grid.limit, met = (double)s->met / (double)s->put;
    double sum = 0.0;
    size_t strays = 0;
    for (uint32_t i = 0; i < s->forms.count; ++i) {
        const float reach = s->forms.items[i].ball.reach;
        const bool in = grid_has(&s->grid, i);
        sum += reach >= 0.0f && in == laid ? (double)reach : 0.0;
        strays += reach >= 0.0f && reach <= s->grid.limit && !in;
    }
    const double mean = sum / (double)(laid ? s->grid.count : s->balls);
    if (!laid || mean < FULL * limit / LIMIT_FIRST)
        return LIMIT_FIRST * mean;
    if (met < SHELL_BALL_FEW && mean > FULL * limit)
        return LIMIT_GROWS * limit;
    if (met > SHELL_BALL_MANY)
        return limit / LIMIT_GROWS;
    return (double)strays > STRAYS * (double)s->balls ? limit : 0.0;
}

bool tact_fat_bounds_maintain(fat_bounds *s, const tact_allocator *allocator)
{
    if (s->put < s->balls + GRID_BALLS || s->balls < GRID_BALLS)
        return true;
    const double limit = limit_for(s);
    if (limit > 0.0 && !lay(s, allocator, (float)limit))
        return false;
    s->put = s->met = 0;
    return true;
}

void tact_fat_bounds_place(fat_bounds *s, uint32_t number, const fat_bound *form, broad_filter filter)
{
    fat_bound *mine = &s->forms.items[number];
    const bool there = fat_bounds_has(s, number), here = grid_has(&s->grid, number);
    s->balls += (size_t)(form->ball.reach >= 0.0f) - (size_t)(mine->ball.reach >= 0.0f);
    *mine = *form;
    s->filters.items[number] = filter;
    if (here)
        tact_grid_remove(&s->grid, number);
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
    (void)tact_dynamic_tree_overlap(&s->tree, &form->bounds, find, (void *)&q);
    return tact_neighbours_set(s->lists, allocator, number, s->found.items, s->found.count) ? TACT_OK
                                                                                            : TACT_OUT_OF_MEMORY;
}

tact_status tact_fat_bounds_put(fat_bounds *s, const tact_allocator *allocator, uint32_t number, const fat_bound *form,
                                broad_filter filter)
{
    if (!tact_fat_bounds_maintain(s, allocator))
        return TACT_OUT_OF_MEMORY;
    const tact_status status = set_neighbours(s, allocator, number, form, &filter);
    if (status != TACT_OK)
        return status;
    if (form->ball.reach >= 0.0f) {
        ++s->put;
        s->met += s->found.count;
    }
    tact_fat_bounds_place(s, number, form, filter);
    return TACT_OK;
}

tact_status tact_fat_bounds_tell(fat_bounds *s, const tact_allocator *allocator, uint32_t number)
{
    return set_neighbours(s, allocator, number, &s->forms.items[number], &s->filters.items[number]);
}

void tact_fat_bounds_take_out(fat_bounds *s, uint32_t number)
{
    if (grid_has(&s->grid, number))
        tact_grid_remove(&s->grid, number);
    else
        tact_dynamic_tree_remove(&s->tree, number);
    s->balls -= s->forms.items[number].ball.reach >= 0.0f;
    s->forms.items[number] = absent;
}

void tact_fat_bounds_remove(fat_bounds *s, uint32_t number)
{
    tact_neighbours_separate_all(s->lists, number);
    tact_fat_bounds_take_out(s, number);
}
