/*
 * Each surface becomes a shape of its own, with the error of the shape that it belongs to, since gaps between faces
 * are part of it. Shapes are made when they are first needed: if the bounds of the control points of two surfaces
 * overlap. O(n m) comparisons of bounds for n and m surfaces.
 */
#include "surface_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/nurbs.h>
#include <tact/query.h>

#include "shape/shape_data.h"

typedef struct single_surface {
    tact_nurbs_def def;
    tact_vec3 low, high; /* of the control points, and the error around them */
    tact_shape *shape;   /* NULL: not yet needed */
} single_surface;

typedef struct surface_list {
    single_surface *items;
    size_t count;
    double error;
} surface_list;

static void list_release(surface_list *list)
{
    for (size_t i = 0; list->items && i < list->count; i++)
        tact_shape_release(list->items[i].shape);
    free(list->items);
}

static bool list_make(surface_list *list, const tact_shape *shape)
{
    *list = (surface_list){NULL, tact_nurbs_get_surface_count(shape), tact_nurbs_get_error(shape)};
    list->items = calloc(list->count ? list->count : 1, sizeof *list->items);
    for (size_t i = 0; list->items && i < list->count; i++) {
        single_surface *s = &list->items[i];
        (void)tact_nurbs_get_surface(shape, i, &s->def);
        s->low = tact_vec(INFINITY, INFINITY, INFINITY);
        s->high = tact_vec(-INFINITY, -INFINITY, -INFINITY);
        for (size_t k = 0; k < s->def.counts[0] * s->def.counts[1]; k++) {
            const tact_vec3 p = s->def.points[k];
            s->low = tact_vec(fmin(s->low.x, p.x), fmin(s->low.y, p.y), fmin(s->low.z, p.z));
            s->high = tact_vec(fmax(s->high.x, p.x), fmax(s->high.y, p.y), fmax(s->high.z, p.z));
        }
    }
    return list->items != NULL;
}

static bool are_near(const single_surface *a, const single_surface *b, double reach)
{
    return a->low.x <= b->high.x + reach && b->low.x <= a->high.x + reach && a->low.y <= b->high.y + reach &&
           b->low.y <= a->high.y + reach && a->low.z <= b->high.z + reach && b->low.z <= a->high.z + reach;
}

static tact_status shape_make(single_surface *s, double error)
{
    if (s->shape)
        return TACT_OK;
    tact_report report;
    s->def.solid = false; /* a single surface bounds nothing */
    s->shape = tact_nurbs_create(&s->def, 1, &report);
    if (!s->shape)
        return report.status;
    if (s->shape->surface_error < error)
        s->shape->surface_error = error;
    return TACT_OK;
}

static tact_status pair_add(face_pairs *found, size_t a, size_t b)
{
    if (found->count == found->capacity) {
        const size_t capacity = found->capacity ? 2 * found->capacity : 16;
        face_pair *items = realloc(found->items, capacity * sizeof *items);
        if (!items)
            return TACT_OUT_OF_MEMORY;
        found->items = items;
        found->capacity = capacity;
    }
    found->items[found->count++] = (face_pair){(uint32_t)a, (uint32_t)b};
    return TACT_OK;
}

tact_status tact_surface_pairs_between(const tact_shape *a, const tact_shape *b, face_pairs *found)
{
    const tact_transform at = tact_identity();
    surface_list lists[2];
    const bool made[2] = {list_make(&lists[0], a), list_make(&lists[1], b)};
    tact_status status = made[0] && made[1] ? TACT_OK : TACT_OUT_OF_MEMORY;
    const double reach = 2.0 * (lists[0].error + lists[1].error);
    for (size_t i = 0; status == TACT_OK && i < lists[0].count; i++)
        for (size_t j = 0; status == TACT_OK && j < lists[1].count; j++) {
            single_surface *p = &lists[0].items[i], *q = &lists[1].items[j];
            if (!are_near(p, q, reach))
                continue;
            status = shape_make(p, lists[0].error);
            if (status == TACT_OK)
                status = shape_make(q, lists[1].error);
            if (status != TACT_OK)
                break;
            const tact_overlap overlap = tact_shapes_overlap(p->shape, at, q->shape, at, NULL);
            status = overlap.status;
            if (status == TACT_OK && overlap.state == TACT_HIT)
                status = pair_add(found, i, j);
        }
    list_release(&lists[0]);
    list_release(&lists[1]);
    return status;
}
