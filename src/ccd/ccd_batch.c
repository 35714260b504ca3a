/*
 * Continuous collision of many pairs of one kind, number by number.
 *
 * Eight pairs at a time go through the first stages of the filter in vectors (ccd_block.c); those that are left are
 * decided one by one, as in the single call. The first stages only leave out what the single call finds apart, so the
 * answers are the same bits, on any number of threads.
 *
 * The earliest of all: once a contact is known, what comes after it is not looked for. The rule is: the least `from`
 * counts, of equal ones the lowest number. The times with the same `from` are a cell of the grid (ccd_bracket.h); so a
 * pair with a lower number than that of the best so far is looked at until the end of the best one's cell, one with a
 * higher number until the cell begins. A pair that may touch within that time is then asked for its bracket in the
 * whole window. So no pair that counts is passed over, whatever the order in which they are looked at, and the answer
 * does not depend on it, nor on what the threads know of each other: they share no more than the end of the best cell.
 */
#include <math.h>
#include <stdatomic.h>

#include "ccd/ccd_block.h"
#include "ccd/ccd_bracket.h"
#include "ccd/ccd_filter.h"
#include "core/parallel.h"
#include "math/fp_environment.h"

/* Fewer pairs than this are not worth a thread: a pair takes some 30 ns, waking a thread several microseconds. */
#define GRAIN 1024

/* The pairs among which the earliest is looked for are cut into at most so many slices, more than there are threads:
 * each has a best of its own. */
#define SLICES 256

typedef struct batch {
    tact_ccd_kind kind;
    const tact_ccd_points *points;
    size_t count;
    const tact_ccd_def *def;
    tact_ccd *answers;
} batch;

static bool usable(tact_ccd_kind kind, const tact_ccd_points *points)
{
    bool all = points != NULL && (kind == TACT_VERTEX_FACE || kind == TACT_EDGE_EDGE);
    for (int k = 0; k < 4 && all; k++)
        for (int c = 0; c < 3; c++)
            all = all && points->start[k][c] != NULL && points->end[k][c] != NULL;
    return all;
}

/* What is wrong must not depend on the host's settings: with subnormals read as zero, enter = -2^-1074 would pass. */
static bool def_valid(const tact_ccd_def *def)
{
    fp_environment before = fp_environment_enter();
    bool valid = tact_ccd_def_valid(def);
    fp_environment_leave(before);
    return valid;
}

/* Pair i by itself. */
static void pick(const tact_ccd_points *points, size_t i, tact_vec3 start[4], tact_vec3 end[4])
{
    for (int k = 0; k < 4; k++) {
        start[k] = (tact_vec3){points->start[k][0][i], points->start[k][1][i], points->start[k][2][i]};
        end[k] = (tact_vec3){points->end[k][0][i], points->end[k][1][i], points->end[k][2][i]};
    }
}

/* The arrays of a block. */
static tact_ccd_points within(const ccd_block *block)
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

unsigned tact_ccd_block_maybe(tact_ccd_kind kind, const ccd_block *block)
{
    tact_ccd_points points = within(block);
    const double *enter = block_is_whole(block) ? NULL : block->enter;
    return TACT_DISPATCH_AVX2(tact_ccd_maybe, kind, &points, 0, enter, block->exit, false, false);
}

unsigned tact_ccd_block_near(tact_ccd_kind kind, const ccd_block *block, double separation)
{
    tact_ccd_points points = within(block);
    const double *enter = block_is_whole(block) ? NULL : block->enter;
    return TACT_DISPATCH_AVX2(tact_ccd_near, kind, &points, 0, enter, block->exit, separation);
}

/* Which of the pairs from `first` on, `count` of them and at most CCD_BLOCK, may touch until `exit`, or come near; also
 * all that are not finite. The last few are copied, as there may be nothing behind them. */
static unsigned maybe(const batch *b, size_t first, size_t count, const double *exit)
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
        copied = within(&copy);
        points = &copied;
        first = 0;
    }
    const double *from = exit != NULL ? enter : NULL;
    unsigned bits = def->separation > 0.0
                        ? TACT_DISPATCH_AVX2(tact_ccd_near, b->kind, points, first, from, exit, def->separation)
                        : TACT_DISPATCH_AVX2(tact_ccd_maybe, b->kind, points, first, from, exit, def->velocities, true);
    return bits & ((1u << count) - 1u);
}

/* Whether the window is all the time between two places. */
static bool is_whole(const tact_ccd_def *def) { return !def->velocities && def->enter == 0.0 && def->exit == 1.0; }

/* ---- all ---- */

static TACT_NOINLINE void answer_range(const batch *b, size_t begin, size_t end)
{
    const tact_ccd_def *def = b->def;
    double exit[CCD_BLOCK];
    for (int i = 0; i < CCD_BLOCK; i++)
        exit[i] = def->exit;
    bool whole = is_whole(def);
    for (size_t i = begin; i < end; i += CCD_BLOCK) {
        size_t count = end - i < CCD_BLOCK ? end - i : CCD_BLOCK;
        unsigned bits = maybe(b, i, count, whole ? NULL : exit);
        for (size_t j = 0; j < count; j++)
            b->answers[i + j] = (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
        for (size_t j = i; bits != 0; bits >>= 1, j++) {
            if ((bits & 1) == 0)
                continue;
            tact_vec3 from[4], to[4];
            pick(b->points, j, from, to);
            b->answers[j] = tact_ccd_decide(b->kind, from, to, def);
        }
    }
}

static void answer_task(void *data, size_t begin, size_t end)
{
    fp_environment before = fp_environment_enter();
    answer_range(data, begin, end);
    fp_environment_leave(before);
}

tact_status tact_ccd_batch(tact_ccd_kind kind, const tact_ccd_points *points, size_t count, const tact_ccd_def *def,
                           tact_ccd *answers, const tact_parallel *parallel)
{
    tact_ccd_def usual = tact_ccd_def_default();
    batch b = {kind, points, count, def != NULL ? def : &usual, answers};
    if (!def_valid(b.def) || (count > 0 && (answers == NULL || !usable(kind, points))))
        return TACT_BAD_ARGUMENT;
    tact_parallel_for(parallel, count, GRAIN, answer_task, &b);
    return TACT_OK;
}

/* ---- the earliest ---- */

/* The best of a slice. */
typedef struct best {
    bool any, bad; /* is there one? is there a pair that is none? */
    double from;
    size_t which;
} best;

typedef struct race {
    batch all;
    size_t length; /* of a slice */
    /* The bits of the end of the best cell so far: those of doubles that are not negative are in their order. */
    _Atomic uint64_t latest;
    best slices[SLICES];
} race;

static double load_latest(race *r)
{
    return ccd_double_of_bits(atomic_load_explicit(&r->latest, memory_order_relaxed));
}

static void lower_latest(race *r, double time)
{
    uint64_t bits = wide_bits_of_double(time), before = atomic_load_explicit(&r->latest, memory_order_relaxed);
    while (bits < before && !atomic_compare_exchange_weak_explicit(&r->latest, &before, bits, memory_order_relaxed,
                                                                   memory_order_relaxed))
        ;
}

/* Until when must pair i be looked at? Before the window begins: not at all. */
static double look_until(const best *so_far, const tact_ccd_def *def, double latest, size_t i)
{
    double until = latest < def->exit ? latest : def->exit;
    if (so_far->any && i > so_far->which) {
        if (!(so_far->from > def->enter))
            return -1.0; /* none is earlier */
        until = so_far->from < until ? so_far->from : until;
    }
    return until;
}

static void try_pair(race *r, best *so_far, size_t i, double until)
{
    const tact_ccd_def *def = r->all.def;
    tact_vec3 start[4], end[4];
    pick(r->all.points, i, start, end);
    if (def->separation == 0.0 && tact_ccd_finite(start, end)) {
        tact_ccd_def shorter = *def;
        shorter.exit = until;
        double bracket[2];
        if (until < def->exit &&
            (until < def->enter || tact_ccd_filter(r->all.kind, start, end, &shorter, bracket) == CCD_APART))
            return;
    }
    tact_ccd answer = tact_ccd_decide(r->all.kind, start, end, def);
    so_far->bad = so_far->bad || answer.status == TACT_BAD_ARGUMENT;
    if (answer.state != TACT_HIT ||
        (so_far->any && (answer.lower > so_far->from || (answer.lower == so_far->from && i > so_far->which))))
        return;
    so_far->any = true;
    so_far->from = answer.lower;
    so_far->which = i;
    int grid = ccd_grid(def);
    lower_latest(r, ccd_cell_end(ccd_cell_begin(answer.lower, grid), grid));
}

static TACT_NOINLINE void run_slices(race *r, size_t begin, size_t end)
{
    const tact_ccd_def *def = r->all.def;
    bool apart = def->separation > 0.0;
    for (size_t slice = begin; slice < end; slice++) {
        best so_far = {0};
        size_t first = slice * r->length;
        size_t last = first < r->all.count && r->length < r->all.count - first ? first + r->length : r->all.count;
        for (size_t i = first; i < last; i += CCD_BLOCK) {
            size_t count = last - i < CCD_BLOCK ? last - i : CCD_BLOCK;
            double exit[CCD_BLOCK], latest = apart ? def->exit : load_latest(r);
            bool whole = is_whole(def);
            for (size_t j = 0; j < CCD_BLOCK; j++) {
                double until = apart ? def->exit : look_until(&so_far, def, latest, i + j);
                exit[j] = until > def->enter ? until : def->enter;
                whole = whole && exit[j] == 1.0;
            }
            unsigned bits = maybe(&r->all, i, count, whole ? NULL : exit);
            for (size_t j = i; bits != 0; bits >>= 1, j++)
                if ((bits & 1) != 0)
                    try_pair(r, &so_far, j, apart ? def->exit : look_until(&so_far, def, latest, j));
        }
        r->slices[slice] = so_far;
    }
}

static void race_task(void *data, size_t begin, size_t end)
{
    fp_environment before = fp_environment_enter();
    run_slices(data, begin, end);
    fp_environment_leave(before);
}

/* The best of all slices, which are in the order of the pairs. */
static TACT_NOINLINE best best_of(const best *slices, size_t count)
{
    best first = {0};
    for (size_t i = 0; i < count; i++) {
        const best *b = &slices[i];
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
    tact_ccd_def usual = tact_ccd_def_default();
    race r = {.all = {kind, points, count, def != NULL ? def : &usual, NULL}, .length = 1};
    if (which != NULL)
        *which = count;
    if (!def_valid(r.all.def) || (count > 0 && !usable(kind, points)))
        return (tact_ccd){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    size_t slices = count == 0 ? 0 : count / GRAIN < SLICES ? count / GRAIN + 1 : SLICES;
    if (slices > 0)
        r.length = count / slices + (count % slices != 0); /* the last ones may be shorter, or empty */
    atomic_init(&r.latest, wide_bits_of_double(INFINITY));
    tact_parallel_for(parallel, slices, 1, race_task, &r);
    fp_environment before = fp_environment_enter();
    best first = best_of(r.slices, slices);
    fp_environment_leave(before);
    if (first.bad)
        return (tact_ccd){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    if (!first.any)
        return (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
    tact_vec3 start[4], end[4];
    pick(points, first.which, start, end);
    if (which != NULL)
        *which = first.which;
    return kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, def) : tact_ccd_edge_edge(start, end, def);
}
