/* Intersection curves: what remains of them between trimming loops, and the nodes that the caller receives. */
#include "complex/nurbs_intersect.h"

/* ---- trims ------------------------------------------------------------------------------------------------------- */

static tact_nurbs_location place_of(const intersector *s, int side, const march_point *p)
{
    tact_nurbs_location place;
    tact_part part;
    const search_place at = {p->root[side], p->z[2 * side], p->z[2 * side + 1], p->point};
    tact_nurbs_describe(&s->search, side, &at, &place, &part);
    return place;
}

static const nurbs_trim *trim_of(const intersector *s, int side, uint32_t surface)
{
    return s->search.side[side].leaves.items[0].of.shape->nurbs->model->trims[surface];
}

/* Whether a point is in the trimmed surfaces. */
static bool is_kept(const intersector *s, const march_point *p)
{
    for (int i = 0; i < 2; i++) {
        const tact_nurbs_location place = place_of(s, i, p);
        const nurbs_trim *trim = trim_of(s, i, place.surface);
        if (trim != NULL && !tact_nurbs_trim_contains(trim, place.u, place.v))
            return false;
    }
    return true;
}

static bool has_trims(const intersector *s)
{
    for (int i = 0; i < 2; i++) {
        const nurbs_model *m = s->search.side[i].leaves.items[0].of.shape->nurbs->model;
        for (uint32_t k = 0; k < m->surface_count; k++)
            if (m->trims[k] != NULL)
                return true;
    }
    return false;
}

static bool keep_point(intersector *s, kept_curves *k, const march_point *p, tact_nurbs_curve_end begin)
{
    const tact_allocator *allocator = &s->search.allocator;
    if (!k->open) {
        const march_curve curve = {(uint32_t)k->points.count, 0, {begin, TACT_NURBS_END_BORDER}};
        if (!march_curve_array_push(&k->curves, allocator, curve))
            return false;
        k->open = true;
    }
    k->curves.items[k->curves.count - 1].count++;
    return march_point_array_push(&k->points, allocator, *p);
}

/* The point at which a segment crosses a loop between the fractions f and g, inside at f if `inside`. */
static bool find_crossing(const intersector *s, const march_point *p, const march_point *q, double f, double g,
                          bool inside, march_point *out)
{
    for (int i = 0; i < 50 && g - f > 1e-12; i++) {
        const double middle = 0.5 * (f + g);
        march_point at;
        if (!tact_nurbs_march_between(&s->march, p, q, middle, &at))
            return false;
        if (is_kept(s, &at) == inside)
            f = middle;
        else
            g = middle;
    }
    return tact_nurbs_march_between(&s->march, p, q, inside ? f : g, out);
}

static bool keep_segment(intersector *s, kept_curves *k, const march_point *p, const march_point *q, bool *inside)
{
    double f = 0.0;
    if (march_same_patches(p, q) && vec_length(vec_sub(q->point, p->point)) > 0.0)
        for (int i = 1; i <= NURBS_INTERSECT_TRIM_SAMPLES; i++) {
            const double g = (double)i / NURBS_INTERSECT_TRIM_SAMPLES;
            march_point at = *q, cut;
            if (i < NURBS_INTERSECT_TRIM_SAMPLES && !tact_nurbs_march_between(&s->march, p, q, g, &at))
                continue;
            const bool now = is_kept(s, &at);
            if (now != *inside) {
                if (find_crossing(s, p, q, f, g, *inside, &cut) && !keep_point(s, k, &cut, TACT_NURBS_END_BORDER))
                    return false;
                if (*inside)
                    k->open = false;
                *inside = now;
            }
            f = g;
        }
    return !*inside || keep_point(s, k, q, TACT_NURBS_END_BORDER);
}

bool tact_nurbs_keep_curves(intersector *s, kept_curves *k)
{
    const bool trimmed = has_trims(s);
    for (size_t c = 0; c < s->march.curves.count; c++) {
        const march_curve curve = s->march.curves.items[c];
        if (s->again.items[c])
            continue;
        const march_point *p = s->march.points.items + curve.first;
        bool inside = !trimmed || is_kept(s, p);
        const size_t first = k->curves.count;
        if (inside && !keep_point(s, k, p, curve.ends[0]))
            return false;
        for (uint32_t i = 0; i + 1 < curve.count; i++)
            if (!(trimmed ? keep_segment(s, k, p + i, p + i + 1, &inside) : keep_point(s, k, p + i + 1, curve.ends[0])))
                return false;
        if (inside && k->curves.count > first) {
            k->curves.items[k->curves.count - 1].ends[1] = curve.ends[1];
            /* a closed curve that was cut begins and ends in one point that is no border: two parts of one curve */
            if (k->curves.count > first + 1 || k->curves.items[first].ends[0] != curve.ends[0])
                for (size_t i = first; i < k->curves.count; i++)
                    for (int e = 0; e < 2; e++)
                        if (k->curves.items[i].ends[e] == TACT_NURBS_END_CLOSED)
                            k->curves.items[i].ends[e] = TACT_NURBS_END_BORDER;
        } else if (!inside && k->curves.count > first && k->curves.items[first].ends[0] == TACT_NURBS_END_CLOSED) {
            k->curves.items[first].ends[0] = TACT_NURBS_END_BORDER;
        }
        k->open = false;
    }
    return true;
}

/* ---- result ------------------------------------------------------------------------------------------------------ */

static tact_nurbs_node node_of(const intersector *s, const march_point *p, double length)
{
    tact_nurbs_node n = {.point = search_to_world(&s->search, p->point),
                         .tangent = p->tangent,
                         .location_a = place_of(s, 0, p),
                         .location_b = place_of(s, 1, p),
                         .length = length / s->search.scale};
    for (int k = 0; k < 4; k++) {
        const search_side *side = &s->search.side[k / 2];
        const nurbs_model *m = side->leaves.items[0].of.shape->nurbs->model;
        double low, high;
        nurbs_patch_range(m, &m->patches[side->nodes.items[p->root[k / 2]].patch], k % 2, &low, &high);
        *(k < 2 ? &n.rate_a[k] : &n.rate_b[k - 2]) = p->rate[k] * (high - low) * s->search.scale;
    }
    return n;
}

/* Whether two nodes at one point of the curve are the same: nothing jumps. */
static bool same_node(const tact_nurbs_node *a, const tact_nurbs_node *b)
{
    const tact_nurbs_location *x[2] = {&a->location_a, &a->location_b}, *y[2] = {&b->location_a, &b->location_b};
    const double *rx[2] = {a->rate_a, a->rate_b}, *ry[2] = {b->rate_a, b->rate_b};
    for (int i = 0; i < 2; i++) {
        if (x[i]->surface != y[i]->surface || x[i]->u != y[i]->u || x[i]->v != y[i]->v)
            return false;
        const double size = fabs(rx[i][0]) + fabs(rx[i][1]);
        if (fabs(rx[i][0] - ry[i][0]) + fabs(rx[i][1] - ry[i][1]) > NURBS_INTERSECT_SAME_RATE * size)
            return false;
    }
    return vec_dot(a->tangent, b->tangent) > 1.0 - NURBS_INTERSECT_SAME_RATE;
}

void tact_nurbs_write_curves(const intersector *s, const kept_curves *k, tact_nurbs_intersect_result *r,
                             tact_nurbs_intersection *curves, size_t curve_capacity, tact_nurbs_node *nodes,
                             size_t node_capacity)
{
    for (size_t c = 0; c < k->curves.count; c++) {
        const march_curve *curve = &k->curves.items[c];
        const march_point *p = k->points.items + curve->first;
        const size_t first = r->node_count;
        tact_nurbs_node last = {0};
        double length = 0.0;
        for (uint32_t i = 0; i < curve->count; i++) {
            const bool repeated = i > 0 && !march_same_patches(p + i - 1, p + i);
            if (i > 0 && !repeated)
                length += tact_nurbs_march_length(p + i - 1, p + i);
            const tact_nurbs_node n = node_of(s, p + i, length);
            if (repeated && same_node(&last, &n))
                continue;
            if (r->node_count < node_capacity)
                nodes[r->node_count] = n;
            r->node_count++;
            last = n;
        }
        const tact_nurbs_intersection out = {first, r->node_count - first, curve->ends[0], curve->ends[1]};
        if (r->curve_count < curve_capacity)
            curves[r->curve_count] = out;
        r->curve_count++;
    }
    if (r->curve_count > curve_capacity || r->node_count > node_capacity)
        r->status = TACT_OUT_OF_MEMORY;
}
