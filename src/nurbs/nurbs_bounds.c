#include "nurbs/nurbs_bounds.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "nurbs/nurbs_nodes.h"
#include "nurbs/nurbs_wedge.h"

/* ---- one cell ---- */

void tact_nurbs_node_of_corners(const tact_vec3 corners[4], double error, double slack, double largest,
                                nurbs_node *node)
{
    const nurbs_leaf_frame frame = tact_nurbs_leaf_frame(slack, largest);
    const tact_vec3 *const p[4] = {&corners[0], &corners[1], &corners[2], &corners[3]};
    TACT_DISPATCH_AVX2(tact_nurbs_set_leaf_node, p, error, &frame, node);
}

nurbs_leaf_frame tact_nurbs_leaf_frame(double slack, double largest)
{
    return (nurbs_leaf_frame){slack, largest >= NURBS_MIN_FLOAT_EXTENT && largest <= 1.0 / NURBS_MIN_FLOAT_EXTENT,
                              (float)(NURBS_BOX_ROUNDOFF * largest)};
}

/* ---- cells ---- */

void tact_nurbs_patch_slack(const nurbs_bounds *b, uint32_t patch, double *slack, double *largest)
{
    const nurbs_model *m = b->t->model;
    const nurbs_surface *s = &m->surfaces[m->patches[patch].surface];
    *largest = b->t->patch_largest[patch];
    *slack = NURBS_POINT_ROUNDOFF * (s->degree[0] + s->degree[1] + 2) * *largest;
}

/* Does the cell touch a side of its patch that is a pole? */
static bool touches_pole(const nurbs_patch *p, const nurbs_cell *c)
{
    const uint32_t last = (1u << c->level) - 1;
    return (c->y == 0 && p->side[0] == NURBS_POLE) || (c->x == last && p->side[1] == NURBS_POLE) ||
           (c->y == last && p->side[2] == NURBS_POLE) || (c->x == 0 && p->side[3] == NURBS_POLE);
}

/* Position k of nurbs_bounds.corners of a cell. */
static nurbs_vertex corner_vertex(const nurbs_cell *c, unsigned k)
{
    const unsigned shift = NURBS_GRID_LEVEL - c->level;
    return (nurbs_vertex){c->patch, (uint32_t)(c->x + (k == 1 || k == 2)) << shift, (uint32_t)(c->y + k / 2) << shift};
}

/* Finds the vertices at the corners of a leaf among those of its triangles. A cell that is trimmed may lack some.
 * Corners at a pole are evaluated: they are one vertex, which belongs to one of the patches. */
static void find_corners(const nurbs_tessellation *t, const nurbs_cell *c, uint32_t corners[4])
{
    uint32_t found[4];
    corners[0] = UINT32_MAX;
    if (c->triangle_count == 0 || touches_pole(&t->model->patches[c->patch], c))
        return;
    const nurbs_triangle *triangles = t->triangles.items + c->first_triangle;
    for (unsigned k = 0; k < 4; k++) {
        const nurbs_vertex wanted = corner_vertex(c, k);
        const uint64_t key = tact_nurbs_vertex_key(t->model, wanted.patch, wanted.x, wanted.y);
        found[k] = UINT32_MAX;
        for (uint32_t i = 0; i < 3 * c->triangle_count && found[k] == UINT32_MAX; i++) {
            const uint32_t number = triangles[i / 3].vertex[i % 3];
            const nurbs_vertex *v = &t->vertices.items[number];
            if (tact_nurbs_vertex_key(t->model, v->patch, v->x, v->y) == key)
                found[k] = number;
        }
        if (found[k] == UINT32_MAX)
            return;
    }
    memcpy(corners, found, sizeof found);
}

void tact_nurbs_set_evaluated_leaf(nurbs_bounds *b, uint32_t cell, const nurbs_leaf_frame *frame, double rounding)
{
    const nurbs_cell *c = &b->t->cells.items[cell];
    tact_vec3 points[4];
    for (unsigned k = 0; k < 4; k++) {
        const nurbs_vertex v = corner_vertex(c, k);
        points[k] = tact_nurbs_vertex_position(b->t, &v);
    }
    const tact_vec3 *const p[4] = {&points[0], &points[1], &points[2], &points[3]};
    TACT_DISPATCH_AVX2(tact_nurbs_set_leaf_node, p, c->error, frame, &b->cells[cell]);
    const nurbs_place place = tact_nurbs_locate(b, cell);
    const unsigned poles = tact_nurbs_touched_poles(b->t->model, &place);
    if (poles == 0)
        return;
    const nurbs_surface *s = &b->t->model->surfaces[place.surface];
    nurbs_vec4 net[BEZIER_MAX_NET];
    tact_nurbs_cell_net(b->t, c, net);
    for (int d = 0; d < 2; d++) {
        control_vectors vectors;
        tact_nurbs_control_vectors(net, s->degree, s->weights != NULL, d, poles, rounding, &vectors);
        b->cells[cell].tangents[d] |= tact_nurbs_vector_field(&vectors);
    }
}

static void update_patch(nurbs_bounds *b, uint32_t patch)
{
    double slack, largest;
    tact_nurbs_patch_slack(b, patch, &slack, &largest);
    const nurbs_leaf_frame frame = tact_nurbs_leaf_frame(slack + b->gap[patch], largest);
    TACT_DISPATCH_AVX2(tact_nurbs_set_patch_nodes, b, patch, &frame, slack);
    b->patch_version[patch] = b->version;
}

/* ---- groups ---- */

/* A range of surfaces, or if there is one, a rectangle of its patches. */
typedef struct patch_range {
    uint32_t surface, surface_end, low[2], high[2];
} patch_range;

static patch_range range_of(const nurbs_model *m, uint32_t first, uint32_t end)
{
    patch_range r = {first, end, {0, 0}, {0, 0}};
    if (end - first == 1)
        memcpy(r.high, m->surfaces[first].span_count, sizeof r.high);
    return r;
}

static void halve(const nurbs_model *m, const patch_range *r, patch_range half[2])
{
    if (r->surface_end - r->surface > 1) {
        const uint32_t middle = r->surface + (r->surface_end - r->surface) / 2;
        half[0] = range_of(m, r->surface, middle);
        half[1] = range_of(m, middle, r->surface_end);
        return;
    }
    const int d = r->high[0] - r->low[0] >= r->high[1] - r->low[1] ? 0 : 1;
    half[0] = half[1] = *r;
    half[0].high[d] = half[1].low[d] = r->low[d] + (r->high[d] - r->low[d]) / 2;
}

/* Appends the groups of a range and returns its node, or the patch if it is one. */
static uint32_t add_groups(nurbs_bounds *b, const patch_range *r, uint32_t parent, uint32_t *count)
{
    const nurbs_model *m = b->t->model;
    const bool single = r->surface_end - r->surface == 1;
    if (single && r->high[0] - r->low[0] == 1 && r->high[1] - r->low[1] == 1) {
        const uint32_t patch =
            m->first_patch[r->surface] + r->low[0] * m->surfaces[r->surface].span_count[1] + r->low[1];
        b->patch_parent[patch] = parent;
        return patch;
    }
    const uint32_t group = (*count)++;
    patch_range half[2];
    halve(m, r, half);
    b->groups[group] = (nurbs_group){.parent = parent,
                                     .surface = single ? r->surface : NURBS_NO_NODE,
                                     .low = {r->low[0], r->low[1]},
                                     .high = {r->high[0], r->high[1]}};
    for (int k = 0; k < 2; k++)
        b->groups[group].child[k] = add_groups(b, &half[k], group, count);
    return group | NURBS_GROUP;
}

/* Updates the groups above dirty patches. */
static void update_groups(nurbs_bounds *b)
{
    const uint32_t patches = b->t->model->patch_count;
    uint32_t last = 0; /* one more than the last group to update */
    for (uint32_t i = 0; i < patches; i++) {
        if (!b->dirty[i])
            continue;
        for (uint32_t g = b->patch_parent[i]; g != NURBS_NO_NODE && b->group_version[g] != b->version;
             g = b->groups[g].parent) {
            b->group_version[g] = b->version;
            last = g + 1 > last ? g + 1 : last;
        }
    }
    for (uint32_t g = last; g-- > 0;) {
        if (b->group_version[g] != b->version)
            continue;
        const nurbs_node *first = nurbs_node_at(b, nurbs_group_child(b, g, 0)),
                         *second = nurbs_node_at(b, nurbs_group_child(b, g, 1));
        /* surfaces have no common parameters */
        const uint32_t fields = b->groups[g].surface != NURBS_NO_NODE ? UINT32_MAX : 0;
        nurbs_node_set(&b->group_nodes[g], nurbs_ends_unite(nurbs_ends_of(first), nurbs_ends_of(second)),
                       first->tangents[0] & second->tangents[0] & fields,
                       first->tangents[1] & second->tangents[1] & fields);
    }
}

/* ---- creation and update ---- */

/* Both corner classes of a side. */
static void side_ends(const nurbs_model *m, uint32_t side, uint32_t ends[2])
{
    static const uint8_t corners[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
    for (int end = 0; end < 2; end++)
        ends[end] = m->patches[side / 4].corner[corners[side % 4][end]];
}

/* Marks the patches that a vertex of a seam joins to changed ones. A vertex belongs to one of the patches around it. */
static void mark_across_seams(nurbs_bounds *b)
{
    const nurbs_model *m = b->t->model;
    const uint8_t *changed = b->t->changed;
    memset(b->moved, 0, m->corner_class_count);
    for (uint32_t i = 0; i < m->patch_count; i++)
        for (int k = 0; k < 4 && changed[i]; k++)
            b->moved[m->patches[i].corner[k]] = 1;
    for (uint32_t i = 0; i < m->seam_count; i++) {
        const uint32_t first = m->seams[i][0] / 4, second = (m->seams[i][1] & ~NURBS_SEAM_POLE) / 4;
        const uint8_t either = changed[first] | changed[second];
        b->dirty[first] |= either;
        b->dirty[second] |= either;
    }
    for (uint32_t i = 0; i < m->patch_count; i++)
        for (int k = 0; k < 4; k++)
            b->dirty[i] |= b->class_gap[m->patches[i].corner[k]] >= 0.0 ? b->moved[m->patches[i].corner[k]] : 0;
}

/* Bounds how far seams move vertices: along a side by its gap, at a corner by the gaps of all seams that end there.
 * Edges add their gap. */
static void set_gaps(nurbs_bounds *b)
{
    const nurbs_model *m = b->t->model;
    memset(b->gap, 0, m->patch_count * sizeof *b->gap);
    for (uint32_t i = 0; i < m->corner_class_count; i++)
        b->class_gap[i] = -1.0;
    for (uint32_t i = 0; i < m->seam_count; i++) {
        uint32_t ends[2];
        side_ends(m, m->seams[i][0], ends);
        for (int end = 0; end < (ends[0] == ends[1] ? 1 : 2); end++)
            b->class_gap[ends[end]] = max_double(b->class_gap[ends[end]], 0.0) + b->t->seam_gap[i];
        for (int k = 0; k < 2; k++) {
            const uint32_t patch = (m->seams[i][k] & ~NURBS_SEAM_POLE) / 4;
            b->gap[patch] = max_double(b->gap[patch], b->t->seam_gap[i]);
        }
    }
    for (uint32_t i = 0; i < m->patch_count && m->seam_count > 0; i++)
        for (int k = 0; k < 4; k++)
            b->gap[i] = max_double(b->gap[i], b->class_gap[m->patches[i].corner[k]]);
    for (uint32_t i = 0; i < m->patch_count; i++)
        b->gap[i] += b->t->edge_gap;
}

static void update_dirty(nurbs_bounds *b)
{
    const nurbs_model *m = b->t->model;
    if (m->seam_count > 0 || b->version == 1 || b->edge_gap != b->t->edge_gap)
        set_gaps(b);
    b->edge_gap = b->t->edge_gap;
    for (uint32_t i = 0; i < m->patch_count; i++)
        if (b->dirty[i])
            update_patch(b, i);
    update_groups(b);
}

/* Makes room for the cells and finds parents and corners. */
static bool take_cells(nurbs_bounds *b)
{
    const nurbs_tessellation *t = b->t;
    const size_t count = t->cells.count;
    if (count > b->cell_capacity) {
        const size_t capacity = count + count / 4;
        nurbs_node *cells = tact_memory_allocate(&t->allocator, capacity, sizeof *cells);
        uint32_t *parents = tact_memory_allocate(&t->allocator, capacity, sizeof *parents);
        uint32_t(*corners)[4] = tact_memory_allocate(&t->allocator, capacity, sizeof *corners);
        if (cells == NULL || parents == NULL || corners == NULL) {
            tact_memory_free(&t->allocator, cells, capacity, sizeof *cells);
            tact_memory_free(&t->allocator, parents, capacity, sizeof *parents);
            tact_memory_free(&t->allocator, corners, capacity, sizeof *corners);
            return false;
        }
        tact_memory_free(&t->allocator, b->cells, b->cell_capacity, sizeof *cells);
        tact_memory_free(&t->allocator, b->parents, b->cell_capacity, sizeof *parents);
        tact_memory_free(&t->allocator, b->corners, b->cell_capacity, sizeof *corners);
        b->cells = cells, b->parents = parents, b->corners = corners, b->cell_capacity = capacity;
    }
    b->cell_count = count;
    for (uint32_t i = 0; i < t->model->patch_count; i++)
        b->parents[t->first_cell[i]] = NURBS_NO_NODE;
    for (uint32_t c = 0; c < count; c++) {
        const nurbs_cell *cell = &t->cells.items[c];
        for (uint32_t k = 0; k < 4 && cell->first_child != 0; k++)
            b->parents[cell->first_child + k] = c;
        if (cell->first_child == 0)
            find_corners(t, cell, b->corners[c]);
    }
    return true;
}

bool tact_nurbs_bounds_init(nurbs_bounds *b, const nurbs_tessellation *t)
{
    *b = (nurbs_bounds){.t = t, .stale = true};
    const size_t patches = t->model->patch_count;
    b->groups = tact_memory_allocate(&t->allocator, patches, sizeof *b->groups);
    b->group_nodes = tact_memory_allocate(&t->allocator, patches, sizeof *b->group_nodes);
    b->patch_parent = tact_memory_allocate(&t->allocator, patches, sizeof *b->patch_parent);
    b->patch_version = tact_memory_allocate(&t->allocator, patches, sizeof *b->patch_version);
    b->group_version = tact_memory_allocate(&t->allocator, patches, sizeof *b->group_version);
    b->gap = tact_memory_allocate(&t->allocator, patches, sizeof *b->gap);
    b->class_gap = tact_memory_allocate(&t->allocator, t->model->corner_class_count, sizeof *b->class_gap);
    b->moved = tact_memory_allocate(&t->allocator, t->model->corner_class_count, sizeof *b->moved);
    b->dirty = tact_memory_allocate(&t->allocator, patches, sizeof *b->dirty);
    if (b->groups != NULL && b->group_nodes != NULL && b->patch_parent != NULL && b->patch_version != NULL &&
        b->group_version != NULL && b->gap != NULL && b->class_gap != NULL && b->moved != NULL && b->dirty != NULL) {
        const patch_range all = range_of(t->model, 0, t->model->surface_count);
        uint32_t count = 0;
        memset(b->group_version, 0, patches * sizeof *b->group_version);
        add_groups(b, &all, NURBS_NO_NODE, &count);
        if (tact_nurbs_bounds_update(b, NURBS_MOVE_CELLS))
            return true;
    }
    tact_nurbs_bounds_release(b);
    return false;
}

void tact_nurbs_bounds_release(nurbs_bounds *b)
{
    if (b->t == NULL)
        return;
    const tact_allocator *allocator = &b->t->allocator;
    const size_t patches = b->t->model->patch_count;
    tact_memory_free(allocator, b->cells, b->cell_capacity, sizeof *b->cells);
    tact_memory_free(allocator, b->parents, b->cell_capacity, sizeof *b->parents);
    tact_memory_free(allocator, b->corners, b->cell_capacity, sizeof *b->corners);
    tact_memory_free(allocator, b->groups, patches, sizeof *b->groups);
    tact_memory_free(allocator, b->group_nodes, patches, sizeof *b->group_nodes);
    tact_memory_free(allocator, b->patch_parent, patches, sizeof *b->patch_parent);
    tact_memory_free(allocator, b->patch_version, patches, sizeof *b->patch_version);
    tact_memory_free(allocator, b->group_version, patches, sizeof *b->group_version);
    tact_memory_free(allocator, b->gap, patches, sizeof *b->gap);
    tact_memory_free(allocator, b->class_gap, b->t->model->corner_class_count, sizeof *b->class_gap);
    tact_memory_free(allocator, b->moved, b->t->model->corner_class_count, sizeof *b->moved);
    tact_memory_free(allocator, b->dirty, patches, sizeof *b->dirty);
    *b = (nurbs_bounds){0};
}

bool tact_nurbs_bounds_update(nurbs_bounds *b, nurbs_move move)
{
    const nurbs_model *m = b->t->model;
    if (move == NURBS_MOVE_FAILED && !b->stale)
        return true;
    const bool all = move == NURBS_MOVE_CELLS || b->stale;
    b->version++;
    if (all) {
        b->stale = true;
        if (!take_cells(b))
            return false;
        b->stale = false;
        b->cells_version = b->version;
        memset(b->dirty, 1, m->patch_count);
    } else {
        if (b->edge_gap != b->t->edge_gap) /* that of the largest edge counts for all */
            memset(b->dirty, 1, m->patch_count);
        else
            memcpy(b->dirty, b->t->changed, m->patch_count);
        if (m->seam_count > 0)
            mark_across_seams(b);
    }
    update_dirty(b);
    return true;
}
