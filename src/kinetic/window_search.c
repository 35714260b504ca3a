/* Searches of windows by two engines: see the header. */
#include "kinetic/window_search.h"

#include <string.h>

#include "core/memory.h"
#include "kinetic/kinetic_constants.h"

struct window_search {
    sweep_def elements;
    mesh_sweep *sweep;      /* NULL: not built yet */
    double min_tree_extent; /* of the tree since it was built; 0: not known yet */
    unsigned tree_uses;     /* windows since then */
    window_list *list;      /* NULL: none. It refers to the sweep, which stays as long */
    motion_forecast forecast;
    engine_trials trials;
    tact_deforming_engine searched_by; /* see tact_window_search_engine */
};

static uint32_t item_count(const window_search *s)
{
    return (uint32_t)(s->elements.triangle_count + s->elements.edge_count + s->elements.point_count);
}

tact_status tact_window_search_create(window_search **made, const sweep_def *elements)
{
    *made = NULL;
    window_search *s = tact_memory_allocate(&elements->allocator, 1, sizeof *s);
    if (s == NULL)
        return TACT_OUT_OF_MEMORY;
    memset(s, 0, sizeof *s);
    s->elements = *elements;
    tact_engine_trials_start(&s->trials, TACT_DEFORMING_AUTO, item_count(s));
    *made = s;
    return TACT_OK;
}

void tact_window_search_release(window_search *s)
{
    if (s == NULL)
        return;
    const tact_allocator allocator = s->elements.allocator;
    tact_window_list_release(s->list);
    tact_mesh_sweep_release(s->sweep);
    tact_memory_free(&allocator, s, 1, sizeof *s);
}

void tact_window_search_set_engine(window_search *s, tact_deforming_engine engine)
{
    if (engine != s->trials.setting)
        tact_engine_trials_start(&s->trials, engine, item_count(s));
}

void tact_window_search_set_forecast(window_search *s, const motion_forecast *forecast)
{
    s->forecast = forecast != NULL ? *forecast : (motion_forecast){NULL, NULL};
}

mesh_sweep *tact_window_search_found(const window_search *s) { return s->sweep; }

tact_deforming_engine tact_window_search_engine(const window_search *s) { return s->searched_by; }

/* ---- the sweep ---- */

static tact_status build_sweep(window_search *s, const tact_vec3 *vertices)
{
    sweep_def def = s->elements;
    def.vertices = vertices;
    mesh_sweep *sweep;
    const tact_status status = tact_mesh_sweep_create(&sweep, &def);
    if (status != TACT_OK)
        return status;
    tact_mesh_sweep_release(s->sweep);
    s->sweep = sweep;
    s->min_tree_extent = 0.0;
    s->tree_uses = 0;
    return TACT_OK;
}

/* Builds the tree at the start of a step if there is none or it has degraded. */
static tact_status prepare_sweep(window_search *s, const tact_vec3 *vertices)
{
    if (s->sweep == NULL)
        return build_sweep(s, vertices);
    if (++s->tree_uses % TREE_CHECK_WINDOWS != 1)
        return TACT_OK;
    const double extent = tact_mesh_sweep_tree_extent(s->sweep);
    if (s->min_tree_extent == 0.0 || extent < s->min_tree_extent)
        s->min_tree_extent = extent;
    if (extent > KEYFRAME_TREE_GROWTH * s->min_tree_extent && s->list == NULL)
        (void)build_sweep(s, vertices); /* without memory the old tree stays */
    return TACT_OK;
}

tact_status tact_window_search_sweep(window_search *s, const sweep_step *step)
{
    const tact_status status = prepare_sweep(s, step->start);
    return status == TACT_OK ? tact_mesh_sweep_run(s->sweep, step) : status;
}

/* ---- the list ---- */

static void drop_list(window_search *s)
{
    tact_window_list_release(s->list);
    s->list = NULL;
}

/* Searches a window by the list. `*work` is negative if it fails. */
static tact_status run_list(window_search *s, const window_motion *window, const sweep_step *step, double *work)
{
    *work = -1.0;
    tact_status status = s->sweep != NULL ? TACT_OK : build_sweep(s, step->start);
    if (status == TACT_OK && s->list == NULL)
        status =
            tact_window_list_create(&s->list, s->sweep, (uint32_t)s->elements.vertex_count, &s->elements.allocator);
    if (status != TACT_OK)
        return status;
    const separation_work before = tact_window_list_counts(s->list).work;
    status = tact_window_list_run(s->list, window, s->forecast.at != NULL ? &s->forecast : NULL, step);
    if (status != TACT_OK) {
        drop_list(s);
        return status;
    }
    separation_work done = tact_window_list_counts(s->list).work;
    done.certificates -= before.certificates;
    done.pieces -= before.pieces;
    const sweep_counts counts = tact_mesh_sweep_counts(s->sweep);
    *work = tact_engine_work_of_list(item_count(s), &counts, &done);
    return TACT_OK;
}

/* ---- windows ---- */

tact_status tact_window_search_run(window_search *s, const window_motion *window, const sweep_step *step,
                                   bool *by_sweep)
{
    const bool lasts = window->end > window->begin;
    bool sweeps = true, lists = false;
    double sweep_work = -1.0, list_work = -1.0;
    *by_sweep = false;
    if (lasts)
        tact_engine_trials_begin(&s->trials, &sweeps, &lists);
    if (lasts && !lists)
        drop_list(s);
    if (lists) {
        const tact_status status = run_list(s, window, step, &list_work);
        if (status == TACT_OUT_OF_MEMORY && s->trials.setting == TACT_DEFORMING_LIST)
            return status;
    }
    if (sweeps || list_work < 0.0) {
        const tact_status status = tact_window_search_sweep(s, step);
        if (status != TACT_OK)
            return status;
        const sweep_counts counts = tact_mesh_sweep_counts(s->sweep);
        sweep_work = tact_engine_work_of_sweep(item_count(s), &counts);
        *by_sweep = true;
    }
    if (!lasts)
        return TACT_OK;
    tact_engine_trials_end(&s->trials, sweep_work, list_work);
    s->searched_by = sweep_work < 0.0  ? TACT_DEFORMING_LIST
                     : list_work < 0.0 ? TACT_DEFORMING_WINDOWS
                                       : TACT_DEFORMING_AUTO;
    return TACT_OK;
}
