#include "cell_boxes.h"

#include <string.h>

#include "core/sse2.h"

/* A corner as floats; the fourth is 0. */
static __m128 load_corner(const tact_vec3 *p)
{
    return _mm_movelh_ps(_mm_cvtpd_ps(_mm_loadu_pd(&p->x)), _mm_cvtpd_ps(_mm_load_sd(&p->z)));
}

/* The box of a leaf: of its corners, which its vertices are, expanded by its error and by rounding. */
static void set_leaf_box(nurbs_bounds *b, uint32_t cell, double slack, double largest)
{
    const nurbs_cell *c = &b->t->cells.items[cell];
    const uint32_t *corners = b->corners[cell];
    tact_vec3 own[4]; /* at a pole they are no vertices */
    const tact_vec3 *p[4];
    for (unsigned k = 0; k < 4; k++) {
        const unsigned shift = NURBS_GRID_LEVEL - c->level;
        const nurbs_vertex v = {c->patch, (uint32_t)(c->x + (k == 1 || k == 2)) << shift,
                                (uint32_t)(c->y + k / 2) << shift};
        p[k] = corners[0] != UINT32_MAX ? b->t->positions + corners[k] : &own[k];
        if (corners[0] == UINT32_MAX)
            own[k] = tact_nurbs_vertex_position(b->t, &v);
    }
    const __m128 f[4] = {load_corner(p[0]), load_corner(p[1]), load_corner(p[2]), load_corner(p[3])};
    const __m128 outward =
        _mm_set1_ps((float)((c->error + 2.0 * slack) * (1.0 + NURBS_BOX_ROUNDOFF) + NURBS_BOX_ROUNDOFF * largest));
    float store[8];
    _mm_storeu_ps(store, _mm_sub_ps(_mm_min_ps(_mm_min_ps(f[0], f[1]), _mm_min_ps(f[2], f[3])), outward));
    _mm_storeu_ps(store + 4, _mm_add_ps(_mm_max_ps(_mm_max_ps(f[0], f[1]), _mm_max_ps(f[2], f[3])), outward));
    memcpy(b->cells[cell].box.min, store, sizeof b->cells[cell].box.min);
    memcpy(b->cells[cell].box.max, store + 4, sizeof b->cells[cell].box.max);
}

/* A box is six floats: min x, y, z, max x and min z, max x, y, z are loaded. */
static void unite_children(const nurbs_node *child, box *out)
{
    const float *p = (const float *)(const void *)&child[0].box;
    __m128 low = _mm_loadu_ps(p), high = _mm_loadu_ps(p + 2);
    for (int k = 1; k < 4; k++) {
        p = (const float *)(const void *)&child[k].box;
        low = _mm_min_ps(low, _mm_loadu_ps(p));
        high = _mm_max_ps(high, _mm_loadu_ps(p + 2));
    }
    float store[8];
    _mm_storeu_ps(store, low);
    _mm_storeu_ps(store + 4, high);
    memcpy(out->min, store, sizeof out->min);
    memcpy(out->max, store + 5, sizeof out->max);
}

/* Marks the patches that changed and those that share a vertex of a seam with them. Returns how far seams move a vertex
 * at most. */
static double mark_dirty(nurbs_bounds *b)
{
    const nurbs_model *m = b->t->model;
    const uint8_t *changed = b->t->changed;
    double gap = 0.0;
    memcpy(b->dirty, changed, m->patch_count);
    memset(b->moved, 0, m->corner_class_count);
    for (uint32_t i = 0; i < m->patch_count; i++)
        for (int k = 0; k < 4 && changed[i]; k++)
            b->moved[m->patches[i].corner[k]] = 1;
    for (uint32_t i = 0; i < m->seam_count; i++) {
        const uint32_t sides[2] = {m->seams[i][0] / 4, (m->seams[i][1] & ~NURBS_SEAM_POLE) / 4};
        for (int k = 0; k < 2; k++) {
            const uint32_t *corner = m->patches[sides[k]].corner;
            b->dirty[sides[k]] |= changed[sides[1 - k]] | b->moved[corner[0]] | b->moved[corner[1]] |
                                  b->moved[corner[2]] | b->moved[corner[3]];
        }
        gap += b->t->seam_gap[i];
    }
    return gap;
}

bool cell_boxes_update(nurbs_bounds *b, nurbs_move move)
{
    const nurbs_tessellation *t = b->t;
    if (move == NURBS_MOVE_CELLS)
        return tact_nurbs_bounds_update(b, move);
    b->version++;
    const double gap = mark_dirty(b);
    for (uint32_t i = 0; i < t->model->patch_count; i++) {
        if (!b->dirty[i])
            continue;
        double slack, largest;
        tact_nurbs_patch_slack(b, i, &slack, &largest);
        slack += gap;
        for (uint32_t c = t->first_cell[i + 1]; c-- > t->first_cell[i];) { /* children are after parents */
            const nurbs_node *child = &b->cells[t->cells.items[c].first_child];
            if (child == b->cells) {
                set_leaf_box(b, c, slack, largest);
                continue;
            }
            unite_children(child, &b->cells[c].box);
        }
        for (uint32_t g = b->patch_parent[i]; g != NURBS_NO_NODE && b->group_version[g] != b->version;
             g = b->groups[g].parent)
            b->group_version[g] = b->version;
    }
    for (uint32_t g = t->model->patch_count - 1; g-- > 0;)
        if (b->group_version[g] == b->version)
            b->group_nodes[g].box = box_union(&nurbs_node_at(b, nurbs_group_child(b, g, 0))->box,
                                              &nurbs_node_at(b, nurbs_group_child(b, g, 1))->box);
    return true;
}
