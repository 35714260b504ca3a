/* The triangles of a mesh near points: see contact_cells.h. */
#include "complex/contact_cells.h"

#include <string.h>

#include "core/number.h"
#include "core/work.h"
#include "math/vec.h"

static bool is_same_instance(const instance *p, const instance *q)
{
    return p->shape == q->shape && memcmp(&p->at, &q->at, sizeof p->at) == 0;
}

static uint32_t triangle_count_of(const mesh *m) { return m->index_count / 3; }

/* Whether a triangle may meet a cell that is enlarged by the slack. */
static bool triangle_meets(const contact_cells *s, const contact_cell *cell, uint32_t triangle)
{
    tact_vec3 vertex[3];
    mesh_triangle(s->of.shape->mesh, &s->of.at, triangle, vertex);
    const double half = 1.0, unit = 1.0 / (cell->half + s->slack); /* products neither overflow nor vanish */
    for (int i = 0; i < 3; i++)
        vertex[i] = vec_scale(vec_sub(vertex[i], cell->centre), unit);
    for (int axis = 0; axis < 3; axis++) {
        const double a = vec_component(vertex[0], axis), b = vec_component(vertex[1], axis),
                     c = vec_component(vertex[2], axis);
        if (number_min(a, number_min(b, c)) > half || number_max(a, number_max(b, c)) < -half)
            return false;
    }
    const tact_vec3 e = vec_sub(vertex[1], vertex[0]), g = vec_sub(vertex[2], vertex[0]), n = vec_cross(e, g);
    const double rounding =
        COMPLEX_CONTACT_PLANE_ROUNDING * vec_max_abs(e) * vec_max_abs(g) * (vec_max_abs(vertex[0]) + half);
    return !(fabs(vec_dot(n, vertex[0])) > half * (fabs(n.x) + fabs(n.y) + fabs(n.z)) + rounding);
}

/* Adds a cell that lists those of `count` triangles that meet it: all, or those listed from `from` on. TREE_NONE: out
 * of memory. */
static uint32_t add_cell(contact_cells *s, contact_cell cell, size_t from, uint32_t count, bool all)
{
    if (s->cells.count >= TREE_NONE || !contact_cell_list_reserve(&s->lists, s->allocator, s->lists.count + count) ||
        !contact_cell_array_push(&s->cells, s->allocator, cell))
        return TREE_NONE;
    const uint32_t added = (uint32_t)s->cells.count - 1;
    contact_cell *new_cell = &s->cells.items[added];
    new_cell->from = s->lists.count;
    s->visited += count;
    (void)work_add(tact_work_current(), count); /* the next visit stops */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t triangle = all ? i : s->lists.items[from + i];
        if (triangle_meets(s, new_cell, triangle))
            s->lists.items[s->lists.count++] = triangle;
    }
    new_cell->count = (uint32_t)(s->lists.count - new_cell->from);
    return added;
}

static contact_cell cell_at(tact_vec3 centre, double half)
{
    contact_cell cell = {.centre = centre, .half = half};
    for (int i = 0; i < 8; i++)
        cell.children[i] = TREE_NONE;
    return cell;
}

/* Begins with one cell around all triangles. */
static void begin_cells(contact_cells *s)
{
    const mesh *m = s->of.shape->mesh;
    tact_vec3 vertex[3];
    mesh_triangle(m, &s->of.at, 0, vertex);
    tact_vec3 min = vertex[0], max = vertex[0];
    for (uint32_t t = 0; t < triangle_count_of(m); t++) {
        mesh_triangle(m, &s->of.at, t, vertex);
        for (int i = 0; i < 3; i++) {
            min = vec_min(min, vertex[i]);
            max = vec_max(max, vertex[i]);
        }
    }
    const double side = vec_max_abs(vec_sub(max, min)), extent = number_max(vec_max_abs(min), vec_max_abs(max));
    s->near = COMPLEX_CONTACT_ON_TRIANGLE * (4.0 * side + extent);
    s->slack = s->near + COMPLEX_CONTACT_PLANE_ROUNDING * extent;
    const tact_vec3 centre = vec_mul_add(min, 0.5, vec_sub(max, min));
    const double half = 0.5 * side + s->slack;
    s->failed = !(half > 0.0 && half < INFINITY) ||
                add_cell(s, cell_at(centre, half), 0, triangle_count_of(m), true) == TREE_NONE;
}

/* The smallest cell around a point: divides the one there if it has been visited often enough. */
static contact_cell *cell_of(contact_cells *s, tact_vec3 point)
{
    uint32_t at = 0;
    for (int level = 0;; level++) {
        contact_cell *cell = &s->cells.items[at];
        const tact_vec3 to = vec_sub(point, cell->centre);
        const int octant = (to.x >= 0.0 ? 1 : 0) + (to.y >= 0.0 ? 2 : 0) + (to.z >= 0.0 ? 4 : 0);
        if (cell->children[octant] == TREE_NONE) {
            if (cell->count <= COMPLEX_CELL_TRIANGLES || level >= COMPLEX_CELL_LEVELS ||
                cell->visits++ < COMPLEX_CELL_VISITS)
                return cell;
            const double half = 0.5 * cell->half;
            const tact_vec3 centre =
                vec_add(cell->centre,
                        vec_make(to.x >= 0.0 ? half : -half, to.y >= 0.0 ? half : -half, to.z >= 0.0 ? half : -half));
            const uint32_t child = add_cell(s, cell_at(centre, half), cell->from, cell->count, false);
            cell = &s->cells.items[at];
            if (child == TREE_NONE)
                return cell;
            cell->visits = 0;
            cell->children[octant] = child;
        }
        at = cell->children[octant];
    }
}

static bool is_in_root(const contact_cells *s, tact_vec3 point)
{
    const contact_cell *root = s->cells.items;
    return s->cells.count > 0 && vec_max_abs(vec_sub(point, root->centre)) <= root->half;
}

/* A visitor that counts. */
typedef struct counting_visit {
    contact_cells *of;
    tree_visit_bounded *visit;
    void *context;
} counting_visit;

static double visit_counted(void *context, uint32_t triangle, double limit)
{
    const counting_visit *v = context;
    v->of->visited++;
    return v->visit(v->context, triangle, limit);
}

void tact_contact_cells_visit(contact_cells *s, const instance *of, tact_vec3 point, double near,
                              tree_visit_bounded *visit, void *context)
{
    const mesh *m = of->shape->mesh;
    if (!is_same_instance(&s->of, of)) {
        const contact_cells before = *s;
        tact_contact_cells_release(s);
        *s = (contact_cells){.allocator = before.allocator, .of = *of};
    }
    s->searches++;
    if (s->cells.count == 0 && !s->failed && s->visited / COMPLEX_CELL_PAYS > triangle_count_of(m) &&
        s->visited / COMPLEX_CELL_TRIANGLES > s->searches)
        begin_cells(s);
    if (is_in_root(s, point) && near <= s->near) {
        const contact_cell *cell = cell_of(s, point);
        if (!work_add(tact_work_current(), cell->count))
            return;
        for (uint32_t i = 0; i < cell->count; i++) {
            s->visited++;
            if (visit(context, s->lists.items[cell->from + i], near) < 0.0)
                return;
        }
        return;
    }
    const tact_transform frame = tact_identity();
    const box query = box_of_point(point);
    counting_visit v = {s, visit, context};
    (void)tact_aabb_tree_nearest(&m->tree, &of->at, &query, &frame, 2.0 * near, visit_counted, &v);
}

void tact_contact_cells_release(contact_cells *s)
{
    contact_cell_array_release(&s->cells, s->allocator);
    contact_cell_list_release(&s->lists, s->allocator);
}
