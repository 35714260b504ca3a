/* The separation list for windows: see the header. */
#include "kinetic/window_list.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/number.h"
#include "kinetic/kinetic_constants.h"
#include "math/vec.h"

struct window_list {
    list_sweep *list;
    uint32_t vertex_count;
    double *times;                  /* of a new table */
    tact_vec3 *positions;           /* of a new table: sample k of vertex v is positions[k vertex_count + v] */
    uint32_t *changed;              /* vertices whose rows have been replaced */
    size_t sample_count, last_true; /* of the new table; samples up to the latter are forecasts of the motion */
    bool rest;
    size_t known_last; /* last_true of the table in use */
    window_list_counts counts;
    separation_work before; /* of the list at work, when its work was last added to the counts */
    tact_allocator allocator;
};

/* ---- memory ---- */

void tact_window_list_release(window_list *l)
{
    if (l == NULL)
        return;
    const tact_allocator allocator = l->allocator;
    tact_list_sweep_release(l->list);
    tact_memory_free(&allocator, l->times, WINDOW_LIST_SAMPLES, sizeof *l->times);
    tact_memory_free(&allocator, l->positions, (size_t)l->vertex_count + 1, WINDOW_LIST_SAMPLES * sizeof *l->positions);
    tact_memory_free(&allocator, l->changed, (size_t)l->vertex_count + 1, sizeof *l->changed);
    tact_memory_free(&allocator, l, 1, sizeof *l);
}

tact_status tact_window_list_create(window_list **made, mesh_sweep *sweep, uint32_t vertex_count,
                                    const tact_allocator *allocator)
{
    *made = NULL;
    window_list *l = tact_memory_allocate(allocator, 1, sizeof *l);
    if (l == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(l, 0, sizeof *l);
    l->allocator = *allocator;
    l->vertex_count = vertex_count;
    l->times = tact_memory_allocate(allocator, WINDOW_LIST_SAMPLES, sizeof *l->times);
    l->positions =
        tact_memory_allocate(allocator, (size_t)vertex_count + 1, WINDOW_LIST_SAMPLES * sizeof *l->positions);
    l->changed = tact_memory_allocate(allocator, (size_t)vertex_count + 1, sizeof *l->changed);
    const list_sweep_def def = {.sweep = sweep,
                                .vertex_count = vertex_count,
                                .sample_capacity = WINDOW_LIST_SAMPLES,
                                .certificate = SEPARATION_WITNESS_AXIS,
                                .allocator = *allocator};
    const tact_status status = l->times != NULL && l->positions != NULL && l->changed != NULL
                                   ? tact_list_sweep_create(&l->list, &def)
                                   : TACT_OUT_OF_MEMORY;
    if (status != TACT_OK) {
        tact_window_list_release(l);
        return status;
    }
    *made = l;
    return TACT_OK;
}

/* ---- new tables ---- */

static tact_vec3 *new_sample(const window_list *l, size_t k) { return l->positions + k * l->vertex_count; }

/* Adds a sample in which all vertices go on as between the last two. Until it is replaced, nothing relies on it. */
static void add_continued_sample(window_list *l)
{
    const size_t k = l->sample_count++;
    const double duration = l->times[k - 1] - l->times[k - 2];
    l->times[k] = number_max(l->times[k - 1] + duration, nextafter(l->times[k - 1], INFINITY));
    for (uint32_t v = 0; v < l->vertex_count; ++v) {
        const tact_vec3 a = new_sample(l, k - 2)[v], b = new_sample(l, k - 1)[v];
        new_sample(l, k)[v] = vec_add(b, vec_sub(b, a));
    }
}

/* Whether the vertices are at the same positions in the last two samples. */
static bool last_samples_equal(const window_list *l)
{
    const tact_vec3 *a = new_sample(l, l->sample_count - 2), *b = new_sample(l, l->sample_count - 1);
    for (uint32_t v = 0; v < l->vertex_count; ++v)
        if (!vec_equal(a[v], b[v]))
            return false;
    return true;
}

/* Makes a table from the start of a window on: its ends, and as many boundaries as are planned after it. It ends where
 * vertices may jump: the sample after that is no forecast. Where no boundary follows, the vertices rest or have
 * constant velocities: one more sample, WINDOW_LIST_AHEAD windows later, shows which. */
static void make_table(window_list *l, const window_motion *window, const motion_forecast *forecast,
                       const sweep_step *step)
{
    const size_t bytes = l->vertex_count * sizeof *l->positions;
    l->times[0] = window->begin;
    l->times[1] = window->end;
    if (bytes > 0) {
        memcpy(new_sample(l, 0), step->start, bytes);
        memcpy(new_sample(l, 1), step->end, bytes);
    }
    l->sample_count = 2;
    l->rest = false;
    bool jumps = forecast == NULL, open = false;
    double next = forecast != NULL ? forecast->at(forecast->context, window->end, new_sample(l, 2), &jumps) : INFINITY;
    while (!jumps && !open && l->sample_count < WINDOW_LIST_SAMPLES) {
        const size_t k = l->sample_count;
        const double last = l->times[k - 1];
        open = next == INFINITY;
        l->times[k] =
            open ? number_max(last + WINDOW_LIST_AHEAD * (window->end - window->begin), nextafter(last, INFINITY))
                 : next;
        next = forecast->at(forecast->context, l->times[k], new_sample(l, k), &jumps);
        ++l->sample_count;
        l->rest = open && last_samples_equal(l);
    }
    l->last_true = l->sample_count - 1;
    if (jumps && l->sample_count < WINDOW_LIST_SAMPLES)
        add_continued_sample(l);
}

/* Whether coordinates and times are such that the list can work with them: sums and products do not overflow, and the
 * tie of its certificates is small. */
static bool table_valid(const window_list *l)
{
    double most = 0.0, shortest = INFINITY, latest = 0.0;
    for (size_t k = 0; k < l->sample_count; ++k) {
        latest = number_max(latest, fabs(l->times[k]));
        shortest = k > 0 ? number_min(shortest, l->times[k] - l->times[k - 1]) : shortest;
        for (uint32_t v = 0; v < l->vertex_count; ++v)
            most = max_double(most, vec_max_abs(new_sample(l, k)[v]));
    }
    return most <= WINDOW_LIST_MAX_VALUE && latest <= WINDOW_LIST_MAX_VALUE && shortest > 0.0 &&
           latest / shortest <= WINDOW_LIST_MAX_PIECES;
}

static void use_table(window_list *l)
{
    for (size_t k = 0; k < l->sample_count; ++k)
        tact_list_sweep_set_sample(l->list, k, l->times[k], new_sample(l, k));
    tact_list_sweep_use_samples(l->list, l->sample_count, l->rest);
    l->known_last = l->last_true;
    ++l->counts.tables;
}

/* ---- the table in use against the true motion ---- */

/* The piece of the table at a time; the last sample: at or after its time. */
static size_t piece_at(const vertex_samples *s, double time)
{
    size_t k = 0;
    while (k + 1 < s->count && s->times[k + 1] <= time)
        ++k;
    return k;
}

/* Where the table says that a vertex is, at a time of piece k. */
static tact_vec3 table_position(const window_list *l, size_t k, uint32_t vertex, double time)
{
    const vertex_samples *s = tact_list_sweep_samples(l->list);
    const tact_vec3 a = tact_list_sweep_get(l->list, k, vertex);
    if (time == s->times[k] || k + 1 == s->count)
        return a;
    const tact_vec3 b = tact_list_sweep_get(l->list, k + 1, vertex);
    const double f = (time - s->times[k]) / (s->times[k + 1] - s->times[k]);
    return vec_mul_add(vec_scale(a, 1.0 - f), f, b);
}

static bool is_near(tact_vec3 a, tact_vec3 b, double tolerance)
{
    return vec_equal(a, b) || vec_max_abs(vec_sub(a, b)) <= tolerance;
}

/* Whether the window is within one piece of the table that is a forecast, and the table goes on; or at rest. */
static bool window_in_table(const window_list *l, const window_motion *window, size_t *piece)
{
    const vertex_samples *s = tact_list_sweep_samples(l->list);
    if (s->count == 0 || !(window->begin >= s->times[0]))
        return false;
    const size_t k = *piece = piece_at(s, window->begin);
    if (k + 1 == s->count)
        return s->rest;
    return k + 1 <= l->known_last && window->end <= s->times[k + 1] &&
           (s->rest || window->end < s->times[s->count - 1]);
}

/* Replaces the rows of vertices that the table has wrong in the window, within piece k. Returns their number. */
static size_t correct_rows(window_list *l, const window_motion *window, const sweep_step *step, size_t k)
{
    const vertex_samples *s = tact_list_sweep_samples(l->list);
    const double tolerance = tact_separation_list_allowed_error(tact_list_sweep_list(l->list)) - window->error;
    size_t count = 0;
    for (uint32_t v = 0; v < l->vertex_count; ++v) {
        if (is_near(table_position(l, k, v, window->begin), step->start[v], tolerance) &&
            is_near(table_position(l, k, v, window->end), step->end[v], tolerance))
            continue;
        const linear_path *p = &window->paths[v];
        const tact_vec3 begin = window->begin == s->times[k] ? step->start[v] : linear_path_at(p, s->times[k]);
        const tact_vec3 end = window->end == s->times[k + 1] ? step->end[v] : linear_path_at(p, s->times[k + 1]);
        tact_list_sweep_set_piece(l->list, k, v, begin, end);
        l->changed[count++] = v;
    }
    return count;
}

/* Whether the new table has all times of the one in use at which that one turns, as far as both are known. Then both
 * are the same motion if they agree at the times of the new one. Finds the piece of the one in use for each sample of
 * the new one; SIZE_MAX: not known. */
static bool times_comparable(const window_list *l, size_t pieces[WINDOW_LIST_SAMPLES])
{
    const vertex_samples *s = tact_list_sweep_samples(l->list);
    const double last = s->rest ? INFINITY : s->times[l->known_last];
    size_t known = 0;
    if (!(l->times[0] >= s->times[0]) || !(l->times[0] < last))
        return false;
    for (size_t k = 0; k <= l->last_true; ++k) {
        pieces[k] = l->times[k] <= last ? piece_at(s, l->times[k]) : SIZE_MAX;
        known += pieces[k] != SIZE_MAX;
    }
    for (size_t k = 1; k < known; ++k) /* no turn between two samples of the new table */
        if (pieces[k] > pieces[k - 1] + 1 || (pieces[k] == pieces[k - 1] + 1 && s->times[pieces[k]] != l->times[k]))
            return false;
    if (known <= l->last_true && known > 0) { /* nor between the last one that both know and the next */
        const size_t next = pieces[known - 1] + 1;
        if (next < s->count && s->times[next] <= last)
            return false;
    }
    return true;
}

/* Lists the vertices for which the new table differs from the one in use, at times that both know. Returns their
 * number. */
static size_t compare_tables(window_list *l)
{
    const double tolerance = tact_separation_list_allowed_error(tact_list_sweep_list(l->list));
    const vertex_samples *s = tact_list_sweep_samples(l->list);
    size_t pieces[WINDOW_LIST_SAMPLES];
    const bool comparable = times_comparable(l, pieces);
    size_t count = 0;
    for (uint32_t v = 0; v < l->vertex_count; ++v) {
        bool same = comparable;
        for (size_t k = 0; k <= l->last_true && same && pieces[k] != SIZE_MAX; ++k) {
            const tact_vec3 old = table_position(l, pieces[k], v, l->times[k]), now = new_sample(l, k)[v];
            const bool sampled = s->times[pieces[k]] == l->times[k];
            same = sampled && k > 0 ? vec_equal(old, now) : is_near(old, now, tolerance);
        }
        if (!same)
            l->changed[count++] = v;
    }
    return count;
}

/* ---- windows ---- */

static void add_work(window_list *l)
{
    const separation_list *list = tact_list_sweep_list(l->list);
    if (list == NULL)
        return;
    const separation_work work = tact_separation_list_work(list);
    l->counts.work.certificates += work.certificates - l->before.certificates;
    l->counts.work.pieces += work.pieces - l->before.pieces;
    l->before = work;
}

/* Builds the list anew at the start of a window. */
static tact_status build(window_list *l, const window_motion *window, const motion_forecast *forecast,
                         const sweep_step *step)
{
    tact_list_sweep_stop(l->list);
    make_table(l, window, forecast, step);
    if (!table_valid(l))
        return TACT_BAD_ARGUMENT;
    use_table(l);
    ++l->counts.built;
    l->before = (separation_work){0, 0};
    return tact_list_sweep_start(l->list, window->begin, window->error);
}

/* Brings the table of a list that is at the start of the window up to date. */
static tact_status update_table(window_list *l, const window_motion *window, const motion_forecast *forecast,
                                const sweep_step *step)
{
    separation_list *list = tact_list_sweep_list(l->list);
    size_t k, count;
    tact_separation_list_note_error(list, 2.0 * window->error);
    bool in_table = window_in_table(l, window, &k);
    if (in_table && k + 1 == tact_list_sweep_samples(l->list)->count) { /* at rest: does everything stay so? */
        for (uint32_t v = 0; v < l->vertex_count && in_table; ++v)
            in_table = vec_equal(step->start[v], step->end[v]) &&
                       vec_equal(step->start[v], tact_list_sweep_get(l->list, k, v));
        if (in_table)
            return TACT_OK;
    }
    if (in_table) {
        count = correct_rows(l, window, step, k);
    } else {
        make_table(l, window, forecast, step);
        if (!table_valid(l))
            return TACT_BAD_ARGUMENT;
        count = compare_tables(l);
        use_table(l);
        tact_separation_list_samples_changed(list);
    }
    l->counts.changed += count;
    return count > 0 ? tact_separation_list_vertices_changed(list, l->changed, count, NULL, NULL, NULL) : TACT_OK;
}

tact_status tact_window_list_run(window_list *l, const window_motion *window, const motion_forecast *forecast,
                                 const sweep_step *step)
{
    const separation_list *list = tact_list_sweep_list(l->list);
    tact_status status = list != NULL && tact_separation_list_time(list) == window->begin
                             ? update_table(l, window, forecast, step)
                             : build(l, window, forecast, step);
    if (status == TACT_OK)
        status = tact_list_sweep_run(l->list, window->end, step);
    add_work(l);
    if (status != TACT_OK)
        tact_list_sweep_stop(l->list);
    return status;
}

window_list_counts tact_window_list_counts(const window_list *l) { return l->counts; }

const separation_list *tact_window_list_separation(const window_list *l) { return tact_list_sweep_list(l->list); }
