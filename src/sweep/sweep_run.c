/*
 * Running a step: points, tree, search, contacts in order.
 *
 * Guarantee: the contacts are those of tact_ccd_vertex_face and tact_ccd_edge_edge over [0, 1] of all pairs that share
 * no vertex, to the bit, whatever the number of threads. The tree and the block filter only reject what cannot collide
 * (the windows that they find are used for that alone), each pair is solved with its points in the same order, and
 * contacts are sorted by what they are.
 *
 * Threads take roots of the skeleton, some at a time, until none is left, so the caller's parallel loop may distribute
 * the workers as it likes. Contacts go to pages, which are kept for the next step; a thread allocates new ones under a
 * lock.
 */
#include <math.h>
#include <string.h>

#include "core/avx2.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/fp_environment.h"
#include "sweep/sweep_internal.h"

static void set_points(const mesh_sweep *s, const sweep_step *step, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        const uint32_t v = s->slot_vertex[i];
        if (step->changed == NULL || step->changed[v] != 0)
            tact_moving_point_set(&s->points[i], &s->frame, step->start[v], step->end[v]);
        if (step->bounds != SWEEP_MOVING)
            tact_moving_point_set_swept(&s->points[i]);
    }
}

typedef struct points_job {
    const mesh_sweep *sweep;
    const sweep_step *step;
} points_job;

static void points_task(void *data, size_t begin, size_t end)
{
    const points_job *job = data;
    const fp_environment before = fp_environment_enter();
    set_points(job->sweep, job->step, begin, end);
    fp_environment_leave(before);
}

static void lock(sweep_query *search)
{
    while (atomic_flag_test_and_set_explicit(&search->lock, memory_order_acquire))
        ;
}

static void unlock(sweep_query *search) { atomic_flag_clear_explicit(&search->lock, memory_order_release); }

/* Allocates one more page. */
static bool add_page(mesh_sweep *s)
{
    if (s->page_count == s->page_capacity) {
        const uint32_t capacity = s->page_capacity < 8 ? 16 : 2 * s->page_capacity;
        void *pages = tact_memory_allocate(&s->allocator, capacity, sizeof *s->pages);
        void *counts = tact_memory_allocate(&s->allocator, capacity, sizeof *s->page_counts);
        if (pages == NULL || counts == NULL) {
            tact_memory_free(&s->allocator, pages, capacity, sizeof *s->pages);
            tact_memory_free(&s->allocator, counts, capacity, sizeof *s->page_counts);
            return false;
        }
        if (s->page_count > 0) {
            memcpy(pages, s->pages, s->page_count * sizeof *s->pages);
            memcpy(counts, s->page_counts, s->page_count * sizeof *s->page_counts);
        }
        tact_memory_free(&s->allocator, s->pages, s->page_capacity, sizeof *s->pages);
        tact_memory_free(&s->allocator, s->page_counts, s->page_capacity, sizeof *s->page_counts);
        s->pages = pages;
        s->page_counts = counts;
        s->page_capacity = capacity;
    }
    s->pages[s->page_count] = tact_memory_allocate(&s->allocator, 1, sizeof **s->pages);
    if (s->pages[s->page_count] == NULL)
        return false;
    ++s->page_count;
    return true;
}

/* The next free contact of this worker; NULL if memory is out. */
static sweep_contact *next_contact(sweep_worker *w)
{
    sweep_query *search = w->search;
    mesh_sweep *s = search->sweep;
    if (w->page == NULL || w->page_used == SWEEP_PAGE_CONTACTS) {
        lock(search);
        if (w->page != NULL)
            s->page_counts[w->page_number] = w->page_used;
        w->page = NULL;
        if (search->used_pages < s->page_count || add_page(s)) {
            w->page_number = search->used_pages++;
            w->page = s->pages[w->page_number];
            w->page_used = 0;
        }
        unlock(search);
        if (w->page == NULL) {
            atomic_store(&search->status, TACT_OUT_OF_MEMORY);
            return NULL;
        }
    }
    return &w->page->contact[w->page_used++];
}

static float limit_of(const sweep_query *search)
{
    const uint32_t bits = (uint32_t)atomic_load_explicit(&search->time_limit, memory_order_relaxed);
    float limit;
    memcpy(&limit, &bits, sizeof limit);
    return limit;
}

/* Lowers the limit to a float not before `lower`: a pair that first collides after it has a bracket that begins later.
 * The bits of nonnegative floats have their order. */
static void lower_limit(sweep_query *search, double from)
{
    const double latest = from + 2.0 * search->def.bracket_width;
    float limit = (float)latest;
    if ((double)limit < latest)
        limit = nextafterf(limit, INFINITY);
    uint32_t bits;
    memcpy(&bits, &limit, sizeof bits);
    unsigned now = atomic_load_explicit(&search->time_limit, memory_order_relaxed);
    while (bits < now && !atomic_compare_exchange_weak(&search->time_limit, &now, bits))
        ;
}

static void add_contact(sweep_worker *w, const sweep_contact *contact)
{
    sweep_query *search = w->search;
    ++w->counts.contacts;
    if (search->step->mode == SWEEP_EARLIEST) {
        if (!w->found || tact_sweep_contact_before(contact, &w->first)) {
            w->first = *contact;
            w->found = true;
            lower_limit(search, contact->ccd.lower);
        }
        return;
    }
    sweep_contact *capacity = next_contact(w);
    if (capacity != NULL)
        *capacity = *contact;
}

static tact_ccd solve(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    return kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, def) : tact_ccd_edge_edge(start, end, def);
}

static void add_answer(sweep_worker *w, tact_ccd_kind kind, const sweep_block *block, unsigned lane,
                       const tact_ccd *answer)
{
    if (answer->state != TACT_HIT)
        return;
    sweep_contact contact = {.kind = kind, .ccd = *answer};
    memcpy(contact.index, block->index[lane], sizeof contact.index);
    if (kind == TACT_VERTEX_FACE) {
        contact.index[1] = block->face[lane];
        contact.index[2] = contact.index[3] = 0;
    }
    add_contact(w, &contact);
}

/* Decides a candidate by itself: in other searches than for all contacts on the lines from start to end. */
static void solve_candidate(sweep_worker *w, tact_ccd_kind kind, const sweep_block *block, unsigned lane)
{
    sweep_query *search = w->search;
    const sweep_step *step = search->step;
    tact_vec3 start[4], end[4];
    for (int k = 0; k < 4; ++k) {
        start[k] = step->start[block->index[lane][k]];
        end[k] = step->end[block->index[lane][k]];
    }
    /* A pair that does not collide before the limit need not be solved further. (With a separation, what is a hit may
     * depend on the window.) */
    if (step->mode == SWEEP_EARLIEST && step->separation == 0.0 && w->pairs.limit < 1.0f) {
        tact_ccd_def limited = search->def;
        limited.exit = (double)w->pairs.limit;
        if (solve(kind, start, end, &limited).state != TACT_HIT)
            return;
    }
    const tact_ccd answer = step->decide != NULL ? step->decide(step->decide_context, kind, block->index[lane])
                                                 : solve(kind, start, end, &search->def);
    add_answer(w, kind, block, lane, &answer);
}

void tact_mesh_sweep_flush(sweep_worker *w, tact_ccd_kind kind)
{
    const sweep_step *step = w->search->step;
    sweep_block *block = &w->blocks[kind];
    const double separation = step->decide != NULL ? step->decide_separation : step->separation;
    w->counts.candidates += block->count;
    if (separation == 0.0 && step->mode == SWEEP_ALL) {
        tact_ccd answers[CCD_BLOCK];
        tact_ccd_block_solve(kind, &block->points, block->count, answers);
        for (unsigned lane = 0; lane < block->count; ++lane)
            add_answer(w, kind, block, lane, &answers[lane]);
    } else {
        const unsigned candidates = separation == 0.0
                                        ? tact_ccd_block_filter(kind, &block->points)
                                        : tact_ccd_block_filter_separation(kind, &block->points, separation);
        for (unsigned lane = 0; lane < block->count; ++lane)
            if ((candidates >> lane & 1) != 0)
                solve_candidate(w, kind, block, lane);
    }
    block->count = 0;
    if (step->mode == SWEEP_EARLIEST)
        w->pairs.limit = limit_of(w->search);
}

static bool is_ok(const sweep_query *search)
{
    return atomic_load_explicit(&search->status, memory_order_relaxed) == TACT_OK;
}

/* Tests the feature pairs of the given item pairs. */
static void search_item_pairs(sweep_worker *w)
{
    sweep_query *search = w->search;
    while (is_ok(search)) {
        const size_t first =
            atomic_fetch_add_explicit(&search->next_item_pair, SWEEP_ITEM_PAIRS_PER_TASK, memory_order_relaxed);
        if (first >= search->item_pair_count)
            return;
        const size_t last = search->item_pair_count - first < SWEEP_ITEM_PAIRS_PER_TASK
                                ? search->item_pair_count
                                : first + SWEEP_ITEM_PAIRS_PER_TASK;
        TACT_DISPATCH_AVX2(tact_mesh_sweep_test_items, w, search->item_pairs + first, last - first);
    }
}

/* Traverses the top of the tree, on one thread; pairs of subtrees that may hold most of the work are deferred to all
 * threads. */
TACT_NOINLINE static void search_top(sweep_worker *w)
{
    mesh_sweep *s = w->search->sweep;
    w->search->deferred_count =
        tact_moving_tree_split_top(&s->tree, &w->pairs, s->deferred_pairs, SWEEP_MAX_DEFERRED_PAIRS);
}

/* Tests what is left in the queues and in the blocks. */
static void finish_worker(sweep_worker *w)
{
    sweep_query *search = w->search;
    TACT_DISPATCH_AVX2(tact_mesh_sweep_test_features, w, TACT_VERTEX_FACE);
    TACT_DISPATCH_AVX2(tact_mesh_sweep_test_features, w, TACT_EDGE_EDGE);
    tact_mesh_sweep_flush(w, TACT_VERTEX_FACE);
    tact_mesh_sweep_flush(w, TACT_EDGE_EDGE);
    if (w->page != NULL) {
        lock(search);
        search->sweep->page_counts[w->page_number] = w->page_used;
        unlock(search);
    }
}

TACT_NOINLINE static void search_roots(sweep_worker *w)
{
    sweep_query *search = w->search;
    const moving_tree *tree = &search->sweep->tree;
    search_item_pairs(w);
    while (is_ok(search)) {
        const uint32_t i = (uint32_t)atomic_fetch_add_explicit(&search->next_pair, 1, memory_order_relaxed);
        if (i >= search->deferred_count)
            break;
        TACT_DISPATCH_AVX2(tact_moving_tree_pairs_below, tree, &search->sweep->deferred_pairs[i], 1, &w->pairs);
    }
    while (is_ok(search)) {
        const uint32_t first =
            (uint32_t)atomic_fetch_add_explicit(&search->next_root, SWEEP_ROOTS_PER_TASK, memory_order_relaxed);
        if (first >= tree->skeleton_used)
            break;
        const uint32_t last =
            tree->skeleton_used - first < SWEEP_ROOTS_PER_TASK ? tree->skeleton_used : first + SWEEP_ROOTS_PER_TASK;
        TACT_DISPATCH_AVX2(tact_moving_tree_pairs, tree, first, last, &w->pairs);
    }
    const uint32_t slots = search->sweep->neighbour_pair_count > 0 ? search->sweep->slot_count : 0;
    while (is_ok(search)) {
        const uint32_t first =
            (uint32_t)atomic_fetch_add_explicit(&search->next_fan, SWEEP_FANS_PER_TASK, memory_order_relaxed);
        if (first >= slots)
            break;
        tact_vertex_fans_test(w, first, slots - first < SWEEP_FANS_PER_TASK ? slots : first + SWEEP_FANS_PER_TASK);
    }
    finish_worker(w);
}

/* A worker runs once, whatever the range that it is given: the other workers find the roots taken. */
static void search_task(void *data, size_t begin, size_t end)
{
    sweep_worker *workers = data;
    (void)end;
    const fp_environment before = fp_environment_enter();
    search_roots(&workers[begin]);
    fp_environment_leave(before);
}

/* Reserves capacity for so many keys, and a quarter more, so that slowly growing steps rarely allocate. Existing keys
 * are lost. */
static bool reserve_keys(mesh_sweep *s, size_t count)
{
    if (count <= s->key_capacity)
        return true;
    const size_t capacity = count + count / 4;
    sweep_key *keys = tact_memory_allocate(&s->allocator, capacity, sizeof *keys);
    sweep_key *scratch = tact_memory_allocate(&s->allocator, capacity, sizeof *scratch);
    if (keys == NULL || scratch == NULL) {
        tact_memory_free(&s->allocator, keys, capacity, sizeof *keys);
        tact_memory_free(&s->allocator, scratch, capacity, sizeof *scratch);
        return false;
    }
    tact_memory_free(&s->allocator, s->keys, s->key_capacity, sizeof *s->keys);
    tact_memory_free(&s->allocator, s->scratch, s->key_capacity, sizeof *s->scratch);
    s->keys = keys;
    s->scratch = scratch;
    s->key_capacity = capacity;
    return true;
}

/* Lists the contacts of all pages, in order. */
static tact_status sort_contacts(mesh_sweep *s, uint32_t pages)
{
    size_t count = 0;
    for (uint32_t i = 0; i < pages; ++i)
        count += s->page_counts[i];
    if (!reserve_keys(s, count))
        return TACT_OUT_OF_MEMORY;
    size_t n = 0;
    for (uint32_t i = 0; i < pages; ++i)
        for (uint32_t k = 0; k < s->page_counts[i]; ++k, ++n)
            s->keys[n] = (sweep_key){s->pages[i]->contact[k].ccd.lower, (uint64_t)i * SWEEP_PAGE_CONTACTS + k};
    tact_mesh_sweep_sort(s, s->keys, s->scratch, count);
    s->key_count = count;
    return TACT_OK;
}

/* The first of the workers' contacts. */
static tact_status select_first(mesh_sweep *s, const sweep_worker *workers, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; ++i)
        if (workers[i].found && (!found || tact_sweep_contact_before(&workers[i].first, &s->first))) {
            s->first = workers[i].first;
            found = true;
        }
    if (!found)
        return TACT_OK;
    if (!reserve_keys(s, 1))
        return TACT_OUT_OF_MEMORY;
    s->keys[0] = (sweep_key){s->first.ccd.lower, 0};
    s->key_count = 1;
    s->single = true;
    return TACT_OK;
}

/* Searches the tree, or only that of few items, or tests `item_pairs` unless that is NULL. */
static tact_status search_all(mesh_sweep *s, const sweep_step *step, bool few, const uint32_t (*item_pairs)[2],
                              size_t pair_count)
{
    const int threads = tact_parallel_threads(step->parallel);
    const size_t most = threads == 0 ? SWEEP_DEFAULT_WORKERS : (size_t)threads,
                 worthwhile = s->item_count / SWEEP_ITEMS_PER_WORKER;
    const size_t count = few || worthwhile < 1 ? 1 : worthwhile < most ? worthwhile : most;
    if (count > s->worker_count) {
        sweep_worker *more = tact_memory_allocate(&s->allocator, count, sizeof *more);
        if (more == NULL)
            return TACT_OUT_OF_MEMORY;
        tact_memory_free(&s->allocator, s->workers, s->worker_count, sizeof *s->workers);
        s->workers = more;
        s->worker_count = count;
        memset(more, 0, count * sizeof *more); /* above all the blocks: unused lanes must be finite */
    }
    sweep_worker *workers = s->workers;
    sweep_query search = {.sweep = s, .step = step, .def = tact_ccd_def_default(), .lock = ATOMIC_FLAG_INIT};
    search.def.separation = step->separation;
    search.item_pairs = item_pairs;
    search.item_pair_count = pair_count;
    const float all = 2.0f;
    uint32_t bits;
    memcpy(&bits, &all, sizeof bits);
    atomic_init(&search.next_pair, 0);
    atomic_init(&search.next_item_pair, 0);
    atomic_init(&search.next_root, item_pairs != NULL ? s->tree.skeleton_used : s->tree.skeleton_top);
    atomic_init(&search.next_fan, 0);
    atomic_init(&search.time_limit, bits);
    atomic_init(&search.status, TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        sweep_worker *w = &workers[i];
        w->search = &search;
        w->pairs = (moving_pair_query){tact_mesh_sweep_add_features, w, step->changed != NULL ? s->marks : NULL, all};
        w->queues[0].count = w->queues[1].count = 0;
        w->blocks[0].count = w->blocks[1].count = 0;
        w->page = NULL;
        w->found = false;
        w->no_feature_bounds = step->bounds == SWEEP_SWEPT_ITEMS;
        w->counts = (sweep_counts){0};
    }
    const fp_environment before = fp_environment_enter();
    if (few) {
        tact_mesh_sweep_search_few(&workers[0]);
        finish_worker(&workers[0]);
    } else if (item_pairs == NULL) {
        search_top(&workers[0]);
    }
    fp_environment_leave(before);
    if (!few)
        tact_parallel_for(step->parallel, count, 1, search_task, workers);
    for (size_t i = 0; i < count; ++i) {
        s->counts.item_pairs += workers[i].counts.item_pairs;
        s->counts.bound_tests += workers[i].counts.bound_tests;
        s->counts.candidates += workers[i].counts.candidates;
        s->counts.contacts += workers[i].counts.contacts;
    }
    tact_status status = (tact_status)atomic_load(&search.status);
    if (status == TACT_OK)
        status = step->mode == SWEEP_ALL ? sort_contacts(s, search.used_pages) : select_first(s, workers, count);
    return status;
}

static bool all_finite(const tact_vec3 *points, size_t count)
{
    double sum = 0.0; /* NaN if anything is not finite */
    for (size_t i = 0; i < count; ++i)
        sum += (points[i].x - points[i].x) + (points[i].y - points[i].y) + (points[i].z - points[i].z);
    return sum == 0.0;
}

static bool few_finite(const mesh_sweep *s, const sweep_step *step)
{
    for (uint32_t i = 0; i < s->few_vertex_count; ++i)
        if (!all_finite(&step->start[s->few_vertices[i]], 1) || !all_finite(&step->end[s->few_vertices[i]], 1))
            return false;
    return true;
}

/* The same of few vertices. */
static bool few_within(const mesh_sweep *s, const sweep_step *step)
{
    for (uint32_t i = 0; i < s->few_vertex_count; ++i)
        if (!tact_moving_frame_contains(&s->frame, step->start[s->few_vertices[i]]) ||
            !tact_moving_frame_contains(&s->frame, step->end[s->few_vertices[i]]))
            return false;
    return true;
}

/* Are the changed points within the frame? */
static bool still_within(const mesh_sweep *s, const sweep_step *step)
{
    for (uint32_t i = 0; i < s->vertex_count; ++i)
        if (step->changed[i] != 0 && !(tact_moving_frame_contains(&s->frame, step->start[i]) &&
                                       tact_moving_frame_contains(&s->frame, step->end[i])))
            return false;
    return true;
}

TACT_NOINLINE static void refit(mesh_sweep *s, const sweep_step *step)
{
    sweep_step whole = *step;
    const bool partial = step->changed != NULL && s->has_step && still_within(s, step);
    if (step->changed != NULL) {
        for (uint32_t i = 0; i < s->slot_count; ++i)
            s->changed[i] = step->changed[s->slot_vertex[i]];
        s->changed_clear = false;
        (void)tact_moving_tree_mark(&s->tree, s->changed, s->marks);
    }
    if (!partial) {
        whole.changed = NULL;
        s->frame = tact_moving_frame_make(step->start, step->end, s->vertex_count,
                                          step->separation * SWEEP_SEPARATION_FACTOR + step->bound_slack);
    }
    points_job job = {s, &whole};
    tact_parallel_for(step->parallel, s->slot_count, SWEEP_POINTS_PER_TASK, points_task, &job);
    tact_moving_tree_refit(&s->tree, s->points, partial ? s->marks : NULL, step->parallel);
    s->has_step = true;
}

/* Sets the points of a step without refitting the tree. */
TACT_NOINLINE static void set_all_points(mesh_sweep *s, const sweep_step *step)
{
    s->has_step = false;
    s->frame = tact_moving_frame_make(step->start, step->end, s->vertex_count,
                                      step->separation * SWEEP_SEPARATION_FACTOR + step->bound_slack);
    points_job job = {s, step};
    tact_parallel_for(step->parallel, s->slot_count, SWEEP_POINTS_PER_TASK, points_task, &job);
}

/* Removes the contacts of the last step, and checks the next one. `*few`: few vertices change, and they are listed. */
static bool begin_step(mesh_sweep *s, const sweep_step *step, bool *few)
{
    s->key_count = 0;
    s->single = false;
    s->counts = (sweep_counts){0};
    *few = false;
    if (step == NULL || (s->vertex_count > 0 && (step->start == NULL || step->end == NULL)) ||
        (step->mode != SWEEP_ALL && (step->mode != SWEEP_EARLIEST || step->decide != NULL)) ||
        !(step->separation >= 0.0 && step->separation < INFINITY) ||
        !(step->bound_slack >= 0.0 && step->bound_slack < INFINITY) ||
        (step->decide != NULL && !(step->decide_separation > 0.0 && step->decide_separation < INFINITY)))
        return false;
    const fp_environment before = fp_environment_enter();
    *few =
        step->changed != NULL && s->has_step && step->mode == SWEEP_ALL && tact_mesh_sweep_find_few(s, step->changed);
    const bool finite =
        *few ? few_finite(s, step) : all_finite(step->start, s->vertex_count) && all_finite(step->end, s->vertex_count);
    if (*few && (!finite || !few_within(s, step))) { /* a step of all begins */
        tact_mesh_sweep_forget_few(s);
        *few = false;
    }
    fp_environment_leave(before);
    return finite;
}

static tact_status find_contacts(mesh_sweep *s, const sweep_step *step, bool few, const uint32_t (*item_pairs)[2],
                                 size_t count)
{
    if (s->item_count == 0)
        return TACT_OK;
    const fp_environment before = fp_environment_enter();
    if (few)
        tact_mesh_sweep_refit_few(s, step);
    else if (item_pairs != NULL)
        set_all_points(s, step);
    else
        refit(s, step);
    fp_environment_leave(before);
    const tact_status status = search_all(s, step, few, item_pairs, count);
    if (few)
        tact_mesh_sweep_forget_few(s);
    if (status != TACT_OK)
        s->key_count = 0;
    return status;
}

tact_status tact_mesh_sweep_run(mesh_sweep *s, const sweep_step *step)
{
    bool few;
    return s != NULL && begin_step(s, step, &few) ? find_contacts(s, step, few, NULL, 0) : TACT_BAD_ARGUMENT;
}

tact_status tact_mesh_sweep_run_pairs(mesh_sweep *s, const sweep_step *step, const uint32_t (*item_pairs)[2],
                                      size_t count)
{
    bool few = false;
    const bool valid = s != NULL && begin_step(s, step, &few);
    if (few)
        tact_mesh_sweep_forget_few(s);
    if (!valid || s->remeshable || step->changed != NULL || (count > 0 && item_pairs == NULL))
        return TACT_BAD_ARGUMENT;
    static const uint32_t none[1][2];
    return find_contacts(s, step, false, count > 0 ? item_pairs : none, count);
}

uint32_t tact_mesh_sweep_items(const mesh_sweep *s, uint32_t (*items)[4], uint32_t *groups)
{
    for (uint32_t i = 0; i < s->item_count && items != NULL; ++i) {
        for (unsigned k = 0; k < 3; ++k)
            items[i][k] = s->slot_vertex[s->items[i][k]];
        items[i][3] = 0;
        groups[i] = s->groups != NULL ? s->groups[i] : 0;
    }
    return s->item_count;
}
