/*
 * Continuous collision detection of many pairs of one kind, in structure-of-arrays layout.
 *
 * Eight pairs at a time go through the first stages of the filter in SIMD (ccd_block.c). The remaining ones are decided
 * one by one, as in the single call. The first stages only reject what the single call finds separated, so the answers
 * are the same bits, on any number of threads.
 *
 * The earliest contact of all: once a contact is known, later ones need not be found. The rule: the smallest `lower`
 * wins, among equal ones the lowest index. All times with the same `lower` are in one grid cell (ccd_bracket.h). So a
 * pair with a lower index than the best so far is searched until the end of the best one's cell, one with a higher
 * index until the cell begins. A pair that may collide within that time is then solved in the whole window. No pair
 * that counts is skipped, whatever the order of the search, and the answer depends neither on it nor on what the
 * threads know of each other: they share only the end of the best cell.
 */
#include <math.h>
#include <stdatomic.h>

#include "ccd/ccd_block.h"
#include "ccd/ccd_bracket.h"
#include "ccd/ccd_constants.h"
#include "ccd/ccd_filter.h"
#include "core/parallel.h"
#include "math/fp_environment.h"

typedef struct ccd_batch_job {
    tact_ccd_kind kind;
    const tact_ccd_points *points;
    size_t count;
    const tact_ccd_def *def;
    tact_ccd *answers;
} ccd_batch_job;

static bool points_valid(tact_ccd_kind kind, const tact_ccd_points *points)
{
    bool all = points != NULL && (kind == TACT_VERTEX_FACE || kind == TACT_EDGE_EDGE);
    for (int k = 0; k < 4 && all; k++)
        for (int c = 0; c < 3; c++)
            all = all && points->start[k][c] != NULL && points->end[k][c] != NULL;
    return all;
}

/* Validity must not depend on the host's settings: with subnormals read as zero, enter = -2^-1074 would pass. */
static bool def_valid(const tact_ccd_def *def)
{
    fp_environment before = fp_environment_enter();
    bool valid = tact_ccd_def_valid(def);
    fp_environment_leave(before);
    return valid;
}

/* Copies pair i. */
static void copy_pair(const tact_ccd_points *points, size_t i, tact_vec3 start[4], tact_vec3 end[4])
{
    for (int k = 0; k < 4; k++) {
        start[k] = (tact_vec3){points->start[k][0][i], points->start[k][1][i], points->start[k][2][i]};
        end[k] = (tact_vec3){points->end[k][0][i], points->end[k][1][i], points->end[k][2][i]};
    }
}

/* The arrays of a block. */
static tact_ccd_points block_arrays(const ccd_block *block)
{
    tact_ccd_points points;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            points.start[k][c] = block->start[k][c];
            points.end[k][c] = block->end[k][c];
        }
    return points;
}

static bool block_is_whole(const ccd_block *block)
{
    bool whole = true;
    for (int i = 0; i < CCD_BLOCK; i++)
        whole = whole && block->enter[i] == 0.0 && block->exit[i] == 1.0;
    return whole;
}

unsigned tact_ccd_block_filter(tact_ccd_kind kind, const ccd_block *block)
{
    tact_ccd_points points = block_arrays(block);
    const double *enter = block_is_whole(block) ? NULL : block->enter;
    return TACT_DISPATCH_AVX2(tact_ccd_filter8, kind, &points, 0, enter, block->exit, false, false);
}

unsigned tact_ccd_block_filter_separation(tact_ccd_kind kind, const ccd_block *block, double separation)
{
    tact_ccd_points points = block_arrays(block);
    const double *enter = block_is_whole(block) ? NULL : block->enter;
    return TACT_DISPATCH_AVX2(tact_ccd_filter8_separation, kind, &points, 0, enter, block->exit, separation);
}

/* The points of a pair of a block. */
static void copy_lane(const ccd_block *block, unsigned lane, tact_vec3 start[4], tact_vec3 end[4])
{
    for (int k = 0; k < 4; k++) {
        start[k] = (tact_vec3){block->start[k][0][lane], block->start[k][1][lane], block->start[k][2][lane]};
        end[k] = (tact_vec3){block->end[k][0][lane], block->end[k][1][lane], block->end[k][2][lane]};
    }
}

void tact_ccd_block_solve(tact_ccd_kind kind, const ccd_block *block, unsigned count, tact_ccd answers[CCD_BLOCK])
{
    ccd_block_answer found;
    const tact_ccd_def def = tact_ccd_def_default();
    TACT_DISPATCH_AVX2(tact_ccd_solve8, kind, block, count, &found);
    for (unsigned lane = 0; lane < count; lane++) {
        tact_ccd *answer = &answers[lane];
        const unsigned bit = 1u << lane;
        *answer = (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
        if ((found.misses & bit) != 0)
            continue;
        if ((found.hits & bit) != 0) {
            answer->state = TACT_HIT;
            answer->lower = found.lower[lane];
            answer->upper = found.upper[lane];
        }
        if ((found.filled & bit) != 0) {
            for (int k = 0; k < 4; k++)
                answer->weights[k] = found.weights[k][lane];
            answer->normal = (tact_vec3){found.normal[0][lane], found.normal[1][lane], found.normal[2][lane]};
            continue;
        }
        tact_vec3 start[4], end[4];
        copy_lane(block, lane, start, end);
        if ((found.hits & bit) != 0)
            tact_ccd_fill_contact(kind, start, end, &def, answer);
        else
            *answer = tact_ccd_solve(kind, start, end, &def);
    }
}

/* Which of the pairs from `first` on, `count` of them and at most CCD_BLOCK, may collide until `exit`, or come near;
 * also all that are not finite. The last few are copied, as there may be nothing behind them in memory. */
static unsigned filter_pairs(const ccd_batch_job *b, size_t first, size_t count, const double *exit)
{
    const tact_ccd_def *def = b->def;
    if (def->separation > 0.0 && def->velocities)
        return (1u << count) - 1u;
    double enter[CCD_BLOCK];
    for (int i = 0; i < CCD_BLOCK; i++)
        enter[i] = def->enter;
    const tact_ccd_points *points = b->points;
    ccd_block copy;
    tact_ccd_points copied;
    if (count < CCD_BLOCK) {
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                for (size_t i = 0; i < CCD_BLOCK; i++) {
                    size_t from = first + (i < count ? i : count - 1);
                    copy.start[k][c][i] = points->start[k][c][from];
                    copy.end[k][c][i] = points->end[k][c][from];
                }
        copied = block_arrays(&copy);
        points = &copied;
        first = 0;
    }
    const double *from = exit != NULL ? enter : NULL;
    unsigned bits =
        def->separation > 0.0
            ? TACT_DISPATCH_AVX2(tact_ccd_filter8_separation, b->kind, points, first, from, exit, def->separation)
            : TACT_DISPATCH_AVX2(tact_ccd_filter8, b->kind, points, first, from, exit, def->velocities, true);
    return bits & ((1u << count) - 1u);
}

/* Is the window the whole step between two positions? */
static bool is_whole(const tact_ccd_def *def) { return !def->velocities && def->enter == 0.0 && def->exit == 1.0; }

/* ---- all contacts ---- */

static TACT_NOINLINE void solve_range(const ccd_batch_job *b, size_t begin, size_t end)
{
    const tact_ccd_def *def = b->def;
    double exit[CCD_BLOCK];
    for (int i = 0; i < CCD_BLOCK; i++)
        exit[i] = def->exit;
    bool whole = is_whole(def);
    for (size_t i = begin; i < end; i += CCD_BLOCK) {
        size_t count = end - i < CCD_BLOCK ? end - i : CCD_BLOCK;
        unsigned bits = filter_pairs(b, i, count, whole ? NULL : exit);
        for (size_t j = 0; j < count; j++)
            b->answers[i + j] = (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
        for (size_t j = i; bits != 0; bits >>= 1, j++) {
            if ((bits & 1) == 0)
                continue;
            tact_vec3 from[4], to[4];
            copy_pair(b->points, j, from, to);
            b->answers[j] = tact_ccd_solve(b->kind, from, to, def);
        }
    }
}

static void solve_task(void *data, size_t begin, size_t end)
{
    fp_environment before = fp_environment_enter();
    solve_range(data, begin, end);
    fp_environment_leave(before);
}

tact_status tact_ccd_batch(tact_ccd_kind kind, const tact_ccd_points *points, size_t count, const tact_ccd_def *def,
                           tact_ccd *answers, const tact_parallel *parallel)
{
    tact_ccd_def default_def = tact_ccd_def_default();
    ccd_batch_job b = {kind, points, count, def != NULL ? def : &default_def, answers};
    if (!def_valid(b.def) || (count > 0 && (answers == NULL || !points_valid(kind, points))))
        return TACT_BAD_ARGUMENT;
    tact_parallel_for(parallel, count, CCD_BATCH_GRAIN, solve_task, &b);
    return TACT_OK;
}

/* ---- the earliest contact ---- */

/* The earliest contact of a slice. */
typedef struct earliest_contact {
    bool any, bad; /* is there one? is there a pair that is not finite? */
    double from;
    size_t which;
} earliest_contact;

typedef struct earliest_search {
    ccd_batch_job all;
    size_t length; /* of a slice */
    /* The bits of the end of the best cell so far. Bits of nonnegative doubles have their order. */
    _Atomic uint64_t best_end;
    earliest_contact slices[CCD_BATCH_MAX_SLICES];
} earliest_search;

static double load_end(earliest_search *r)
{
    return ccd_double_of_bits(atomic_load_explicit(&r->best_end, memory_order_relaxed));
}

static void lower_end(earliest_search *r, double time)
{
    uint64_t bits = wide_bits_of_double(time), before = atomic_load_explicit(&r->best_end, memory_order_relaxed);
    while (bits < before && !atomic_compare_exchange_weak_explicit(&r->best_end, &before, bits, memory_order_relaxed,
                                                                   memory_order_relaxed))
        ;
}

/* Until when must pair i be searched? Before the window begins: not at all. */
static double search_end(const earliest_contact *best, const tact_ccd_def *def, double best_end, size_t i)
{
    double until = best_end < def->exit ? best_end : def->exit;
    if (best->any && i > best->which) {
        if (!(best->from > def->enter))
            return -1.0; /* none is earlier */
        until = best->from < until ? best->from : until;
    }
    return until;
}

static void search_pair(earliest_search *r, earliest_contact *best, size_t i, double until)
{
    const tact_ccd_def *def = r->all.def;
    tact_vec3 start[4], end[4];
    copy_pair(r->all.points, i, start, end);
    if (def->separation == 0.0 && tact_ccd_points_finite(start, end)) {
        tact_ccd_def shorter = *def;
        shorter.exit = until;
        double bracket[2];
        if (until < def->exit &&
            (until < def->enter || tact_ccd_filter(r->all.kind, start, end, &shorter, bracket) == CCD_FILTER_MISS))
            return;
    }
    tact_ccd answer = tact_ccd_solve(r->all.kind, start, end, def);
    best->bad = best->bad || answer.status == TACT_BAD_ARGUMENT;
    if (answer.state != TACT_HIT ||
        (best->any && (answer.lower > best->from || (answer.lower == best->from && i > best->which))))
        return;
    best->any = true;
    best->from = answer.lower;
    best->which = i;
    int grid = ccd_grid_exponent(def);
    lower_end(r, ccd_cell_end(ccd_cell_begin(answer.lower, grid), grid));
}

static TACT_NOINLINE void search_slices(earliest_search *r, size_t begin, size_t end)
{
    const tact_ccd_def *def = r->all.def;
    bool separated = def->separation > 0.0;
    for (size_t slice = begin; slice < end; slice++) {
        earliest_contact best = {0};
        size_t first = slice * r->length;
        size_t last = first < r->all.count && r->length < r->all.count - first ? first + r->length : r->all.count;
        for (size_t i = first; i < last; i += CCD_BLOCK) {
            size_t count = last - i < CCD_BLOCK ? last - i : CCD_BLOCK;
            double exit[CCD_BLOCK], best_end = separated ? def->exit : load_end(r);
            bool whole = is_whole(def);
            for (size_t j = 0; j < CCD_BLOCK; j++) {
                double until = separated ? def->exit : search_end(&best, def, best_end, i + j);
                exit[j] = until > def->enter ? until : def->enter;
                whole = whole && exit[j] == 1.0;
            }
            unsigned bits = filter_pairs(&r->all, i, count, whole ? NULL : exit);
            for (size_t j = i; bits != 0; bits >>= 1, j++)
                if ((bits & 1) != 0)
                    search_pair(r, &best, j, separated ? def->exit : search_end(&best, def, best_end, j));
        }
        r->slices[slice] = best;
    }
}

static void search_task(void *data, size_t begin, size_t end)
{
    fp_environment before = fp_environment_enter();
    search_slices(data, begin, end);
    fp_environment_leave(before);
}

/* The earliest of all slices, which are in the order of the pairs. */
static TACT_NOINLINE earliest_contact earliest_of(const earliest_contact *slices, size_t count)
{
    earliest_contact first = {0};
    for (size_t i = 0; i < count; i++) {
        const earliest_contact *b = &slices[i];
        first.bad = first.bad || b->bad;
        if (b->any && (!first.any || b->from < first.from)) {
            first.any = true;
            first.from = b->from;
            first.which = b->which;
        }
    }
    return first;
}

tact_ccd tact_ccd_earliest(tact_ccd_kind kind, const tact_ccd_points *points, size_t count, const tact_ccd_def *def,
                           size_t *which, const tact_parallel *parallel)
{
    tact_ccd_def default_def = tact_ccd_def_default();
    earliest_search r = {.all = {kind, points, count, def != NULL ? def : &default_def, NULL}, .length = 1};
    if (which != NULL)
        *which = count;
    if (!def_valid(r.all.def) || (count > 0 && !points_valid(kind, points)))
        return (tact_ccd){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    size_t slices = count == 0                                       ? 0
                    : count / CCD_BATCH_GRAIN < CCD_BATCH_MAX_SLICES ? count / CCD_BATCH_GRAIN + 1
                                                                     : CCD_BATCH_MAX_SLICES;
    if (slices > 0)
        r.length = count / slices + (count % slices != 0); /* the last ones may be shorter, or empty */
    atomic_init(&r.best_end, wide_bits_of_double(INFINITY));
    tact_parallel_for(parallel, slices, 1, search_task, &r);
    fp_environment before = fp_environment_enter();
    earliest_contact first = earliest_of(r.slices, slices);
    fp_environment_leave(before);
    if (first.bad)
        return (tact_ccd){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    if (!first.any)
        return (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
    tact_vec3 start[4], end[4];
    copy_pair(points, first.which, start, end);
    if (which != NULL)
        *which = first.which;
    return kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, def) : tact_ccd_edge_edge(start, end, def);
}
