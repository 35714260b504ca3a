/* Division of patches into cells: see nurbs_tessellation.h. */
#include <float.h>
#include <string.h>

#include "core/report.h"
#include "nurbs/bezier_net.h"
#include "nurbs/nurbs_tessellation.h"

static bool fail(tact_report *report, tact_status status, const char *text)
{
    return tact_report_fill(report, status, "%s", text), false;
}

static bool out_of_memory(tact_report *report) { return fail(report, TACT_OUT_OF_MEMORY, "out of memory"); }

/* Divides patches into cells. */
typedef struct cell_divider {
    const nurbs_surface *surface;
    nurbs_cell_array *cells;
    const tact_allocator *allocator;
    tact_report *report;
    double tolerance;
    uint32_t base;                  /* added to indices in `cells` */
    const nurbs_division *required; /* NULL: none */
    size_t next;                    /* of `required` */
    /* Of a motion to one key frame: control points of the four cells of each level that have been divided last, at both
     * ends. NULL: computed for each cell anew. */
    nurbs_vec4 *nets;
} cell_divider;

/* Appends four children of cell `parent`. */
static bool add_children(cell_divider *d, size_t parent)
{
    nurbs_cell_array *cells = d->cells;
    if (cells->count + 4 > NURBS_MAX_CELLS)
        return fail(d->report, TACT_BAD_ARGUMENT,
                    "the tolerance is too small: the tessellation would have too many cells");
    if (!nurbs_cell_array_reserve(cells, d->allocator, cells->count + 4))
        return out_of_memory(d->report);
    nurbs_cell *above = &cells->items[parent];
    above->first_child = d->base + (uint32_t)cells->count;
    for (unsigned k = 0; k < 4; k++)
        cells->items[cells->count++] = (nurbs_cell){.patch = above->patch,
                                                    .x = (uint16_t)(2 * above->x + k % 2),
                                                    .y = (uint16_t)(2 * above->y + k / 2),
                                                    .level = (uint8_t)(above->level + 1)};
    return true;
}

/* Divides a cell and its descendants `levels` times; the leaves have the error `error`. */
static bool divide_uniformly(cell_divider *d, size_t cell, int levels, double error)
{
    d->cells->items[cell].error = error;
    if (levels == 0)
        return true;
    if (!add_children(d, cell))
        return false;
    const size_t first = d->cells->items[cell].first_child - d->base;
    for (unsigned k = 0; k < 4; k++)
        if (!divide_uniformly(d, first + k, levels - 1, error))
            return false;
    return true;
}

/* Levels that a cell needs; `error` becomes that of the leaves. */
static int levels_needed(double *error, double tolerance)
{
    int levels = 0;
    while (*error > tolerance && levels <= NURBS_MAX_LEVEL) {
        *error *= 0.25;
        levels++;
    }
    return levels;
}

static bool divide_cell(cell_divider *d, size_t cell, const nurbs_vec4 *net)
{
    const nurbs_surface *s = d->surface;
    double error = tact_bezier_chord_error(net, s->degree, s->weights != NULL);
    const int levels = levels_needed(&error, d->tolerance), level = d->cells->items[cell].level;
    if (levels <= NURBS_UNIFORM_LEVELS && level + levels <= NURBS_MAX_LEVEL)
        return divide_uniformly(d, cell, levels, error);
    if (level >= NURBS_MAX_LEVEL || !(error <= DBL_MAX))
        return fail(d->report, TACT_BAD_ARGUMENT, "the tolerance is too small for the size of a surface");
    nurbs_vec4 children[4 * BEZIER_MAX_NET];
    tact_bezier_split(net, s->degree, children);
    if (!add_children(d, cell))
        return false;
    const size_t first = d->cells->items[cell].first_child - d->base,
                 size = (size_t)(s->degree[0] + 1) * (size_t)(s->degree[1] + 1);
    for (unsigned k = 0; k < 4; k++)
        if (!divide_cell(d, first + k, children + k * size))
            return false;
    return true;
}

/* The homogeneous control points of a cell at some control points of the model. */
static void cell_net_at(const nurbs_tessellation *t, const nurbs_cell *cell, const tact_vec3 *points, nurbs_vec4 *net)
{
    const nurbs_patch *p = &t->model->patches[cell->patch];
    const nurbs_surface *s = &t->model->surfaces[p->surface];
    const size_t size = (size_t)(s->degree[0] + 1) * (size_t)(s->degree[1] + 1);
    tact_nurbs_extract_patch(s, points + t->model->first_point[p->surface], p->span, net);
    for (int level = cell->level - 1; level >= 0; level--) {
        nurbs_vec4 children[4 * BEZIER_MAX_NET];
        tact_bezier_split(net, s->degree, children);
        memcpy(net, children + size * ((cell->x >> level & 1u) + 2 * (cell->y >> level & 1u)), size * sizeof *net);
    }
}

/* Where the control points of a cell at key frame `i` are, in `nets`. */
static nurbs_vec4 *stored_net(const cell_divider *d, const nurbs_cell *cell, size_t i)
{
    const size_t size = (size_t)(d->surface->degree[0] + 1) * (size_t)(d->surface->degree[1] + 1);
    return d->nets + size * (8 * (size_t)cell->level + 4 * i + (cell->x & 1u) + 2 * (cell->y & 1u));
}

static bool divide_moving_cell(cell_divider *d, const nurbs_tessellation *t, size_t cell, bool below);

/* Divides a cell once, and its children so that the tolerance holds. */
static bool divide_moving_children(cell_divider *d, const nurbs_tessellation *t, size_t cell, bool below)
{
    if (!add_children(d, cell))
        return false;
    const size_t first = d->cells->items[cell].first_child - d->base;
    for (size_t i = 0; i < 2 && d->nets != NULL; i++)
        tact_bezier_split(stored_net(d, &d->cells->items[cell], i), d->surface->degree,
                          stored_net(d, &d->cells->items[first], i));
    for (unsigned k = 0; k < 4; k++)
        if (!divide_moving_cell(d, t, first + k, below))
            return false;
    return true;
}

/* Divides a cell so that the tolerance holds at all key frames, and between any two of them; and where it is required.
 * `below`: the required division has this cell. */
static bool divide_moving_cell(cell_divider *d, const nurbs_tessellation *t, size_t cell, bool below)
{
    const nurbs_surface *s = d->surface;
    const nurbs_cell at = d->cells->items[cell];
    if (below && d->next < d->required->count && d->required->divided[d->next++] != 0 && at.level < NURBS_MAX_LEVEL)
        return divide_moving_children(d, t, cell, true);
    const size_t count = nurbs_point_count(t->model);
    bezier_chord_bounds bounds = BEZIER_NO_CHORD_BOUNDS;
    double error = 0.0;
    for (size_t i = 0; i <= t->frame_count; i++) {
        nurbs_vec4 own[BEZIER_MAX_NET], *net = own;
        if (d->nets != NULL)
            net = stored_net(d, &at, i);
        else
            cell_net_at(t, &at, i == 0 ? t->points : t->frames + (i - 1) * count, own);
        error = tact_bezier_raise_chord_error(&bounds, net, s->degree, s->weights != NULL);
    }
    const int levels = levels_needed(&error, d->tolerance);
    if (levels <= NURBS_UNIFORM_LEVELS && at.level + levels <= NURBS_MAX_LEVEL)
        return divide_uniformly(d, cell, levels, error);
    if (at.level >= NURBS_MAX_LEVEL || !(error <= DBL_MAX))
        return fail(d->report, TACT_BAD_ARGUMENT, "the tolerance is too small for the size of a surface");
    return divide_moving_children(d, t, cell, false);
}

/* As tact_nurbs_divide_patch. The divider has what does not depend on the patch. */
static bool divide_root(cell_divider *d, const nurbs_tessellation *t, uint32_t patch)
{
    const nurbs_model *m = t->model;
    const nurbs_patch *p = &m->patches[patch];
    d->surface = &m->surfaces[p->surface];
    d->tolerance = m->tolerances[p->surface].cells;
    const size_t root = d->cells->count;
    if (root >= NURBS_MAX_CELLS)
        return fail(d->report, TACT_BAD_ARGUMENT, "the surfaces have too many patches");
    if (!nurbs_cell_array_push(d->cells, &t->allocator, (nurbs_cell){.patch = patch}))
        return out_of_memory(d->report);
    for (size_t i = 0; i < 2 && d->nets != NULL; i++)
        cell_net_at(t, &d->cells->items[root], i == 0 ? t->points : t->frames,
                    stored_net(d, &d->cells->items[root], i));
    if (t->frame_count > 0)
        return divide_moving_cell(d, t, root, d->required != NULL);
    nurbs_vec4 net[BEZIER_MAX_NET];
    tact_nurbs_extract_patch(d->surface, t->points + m->first_point[p->surface], p->span, net);
    return divide_cell(d, root, net);
}

bool tact_nurbs_divide_patch(const nurbs_tessellation *t, uint32_t patch, nurbs_cell_array *cells, uint32_t base,
                             tact_report *report)
{
    cell_divider d = {.cells = cells, .allocator = &t->allocator, .report = report, .base = base};
    return divide_root(&d, t, patch);
}

bool tact_nurbs_divide_patches(nurbs_tessellation *t, const nurbs_division *required, tact_report *report)
{
    cell_divider d = {.cells = &t->cells, .allocator = &t->allocator, .report = report, .required = required};
    size_t largest = 0;
    for (uint32_t i = 0; i < t->model->surface_count && t->frame_count == 1; i++) {
        const nurbs_surface *s = &t->model->surfaces[i];
        const size_t size = (size_t)(s->degree[0] + 1) * (size_t)(s->degree[1] + 1);
        largest = size > largest ? size : largest;
    }
    const size_t net_count = 8 * (NURBS_MAX_LEVEL + 1) * largest;
    if (largest > 0 && (d.nets = tact_memory_allocate(&t->allocator, net_count, sizeof *d.nets)) == NULL)
        return out_of_memory(report);
    t->cells.count = 0;
    bool fine = true;
    for (uint32_t i = 0; i < t->model->patch_count && fine; i++) {
        t->first_cell[i] = (uint32_t)t->cells.count;
        fine = divide_root(&d, t, i);
    }
    t->first_cell[t->model->patch_count] = (uint32_t)t->cells.count;
    tact_memory_free(&t->allocator, d.nets, net_count, sizeof *d.nets);
    return fine;
}

void tact_nurbs_cell_net(const nurbs_tessellation *t, const nurbs_cell *cell, nurbs_vec4 *net)
{
    cell_net_at(t, cell, t->points, net);
}
