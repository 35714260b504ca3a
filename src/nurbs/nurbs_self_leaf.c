/* Self-collision of leaves: see nurbs_self.h. */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "math/vec.h"
#include "nurbs/bezier_net.h"
#include "nurbs/nurbs_self.h"
#include "nurbs/nurbs_wedge.h"

/* ---- triangles ---- */

/* The squared distance of a point from the inside of a triangle (Ericson 2005, 5.1.5). */
static double point_triangle(tact_vec3 p, const tact_vec3 t[3])
{
    const tact_vec3 ab = vec_sub(t[1], t[0]), ac = vec_sub(t[2], t[0]), ap = vec_sub(p, t[0]);
    const double d1 = vec_dot(ab, ap), d2 = vec_dot(ac, ap);
    const tact_vec3 bp = vec_sub(p, t[1]), cp = vec_sub(p, t[2]);
    const double d3 = vec_dot(ab, bp), d4 = vec_dot(ac, bp), d5 = vec_dot(ab, cp), d6 = vec_dot(ac, cp);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (!(va > 0.0 && vb > 0.0 && vc > 0.0))
        return INFINITY; /* the closest point is on an edge */
    const double f = 1.0 / (va + vb + vc);
    return vec_length_squared(vec_sub(ap, vec_add(vec_scale(ab, vb * f), vec_scale(ac, vc * f))));
}

static double clamp01(double x) { return x > 0.0 ? x < 1.0 ? x : 1.0 : 0.0; }

/* Ericson 2005, 5.1.9. */
double tact_nurbs_segments_square(tact_vec3 p, tact_vec3 d, tact_vec3 q, tact_vec3 e)
{
    const tact_vec3 r = vec_sub(p, q);
    const double a = vec_dot(d, d), c = vec_dot(e, e), f = vec_dot(e, r), g = vec_dot(d, r), b = vec_dot(d, e);
    double s = 0.0, t = 0.0;
    if (a > 0.0 && c > 0.0) {
        const double det = a * c - b * b;
        s = det > 0.0 ? clamp01((b * f - g * c) / det) : 0.0;
        t = (b * s + f) / c;
        if (!(t >= 0.0 && t <= 1.0)) {
            t = clamp01(t);
            s = clamp01((b * t - g) / a);
        }
    } else if (a > 0.0) {
        s = clamp01(-g / a);
    } else if (c > 0.0) {
        t = clamp01(f / c);
    }
    return vec_length_squared(vec_sub(vec_add(r, vec_scale(d, s)), vec_scale(e, t)));
}

/* Does the segment from p to q cross the triangle? Exact unless it passes within rounding errors of an edge. */
static bool segment_crosses(tact_vec3 p, tact_vec3 q, const tact_vec3 t[3], tact_vec3 normal)
{
    const double hp = vec_dot(normal, vec_sub(p, t[0])), hq = vec_dot(normal, vec_sub(q, t[0]));
    if ((hp > 0.0 && hq > 0.0) || (hp < 0.0 && hq < 0.0) || hp == hq)
        return false;
    const tact_vec3 x = vec_add(p, vec_scale(vec_sub(q, p), hp / (hp - hq)));
    for (int i = 0; i < 3; i++) {
        const tact_vec3 edge = vec_sub(t[(i + 1) % 3], t[i]);
        if (vec_dot(vec_cross(edge, vec_sub(x, t[i])), normal) < 0.0)
            return false;
    }
    return true;
}

/* Are the projections of both triangles on the normal of a farther apart than `reach`? Those of a are computed too, as
 * the normal of a sliver is inaccurate. */
static bool plane_separates(const tact_vec3 a[3], tact_vec3 normal, const tact_vec3 b[3], double reach)
{
    const double limit = reach * vec_length(normal);
    const double a1 = vec_dot(normal, vec_sub(a[1], a[0])), a2 = vec_dot(normal, vec_sub(a[2], a[0]));
    const double b0 = vec_dot(normal, vec_sub(b[0], a[0])), b1 = vec_dot(normal, vec_sub(b[1], a[0])),
                 b2 = vec_dot(normal, vec_sub(b[2], a[0]));
    const double low = number_min(b0, number_min(b1, b2)) - max_double(0.0, max_double(a1, a2)),
                 high = number_min(0.0, number_min(a1, a2)) - max_double(b0, max_double(b1, b2));
    return low > limit || high > limit;
}

bool tact_nurbs_triangles_touch(const tact_vec3 a[3], const tact_vec3 b[3], double reach)
{
    const tact_vec3 na = vec_cross(vec_sub(a[1], a[0]), vec_sub(a[2], a[0])),
                    nb = vec_cross(vec_sub(b[1], b[0]), vec_sub(b[2], b[0]));
    if (plane_separates(a, na, b, reach) || plane_separates(b, nb, a, reach))
        return false;
    double square = INFINITY;
    for (int i = 0; i < 3; i++)
        square = number_min(square, number_min(point_triangle(a[i], b), point_triangle(b[i], a)));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            square = number_min(square, tact_nurbs_segments_square(a[i], vec_sub(a[(i + 1) % 3], a[i]), b[k],
                                                                   vec_sub(b[(k + 1) % 3], b[k])));
    if (!(square > reach * reach))
        return true;
    for (int i = 0; i < 3; i++)
        if (segment_crosses(a[i], a[(i + 1) % 3], b, nb) || segment_crosses(b[i], b[(i + 1) % 3], a, na))
            return true;
    return false;
}

bool tact_nurbs_leaves_touch(const nurbs_bounds *b, uint32_t first, uint32_t second)
{
    const nurbs_tessellation *t = b->t;
    const nurbs_cell *p = &t->cells.items[first], *q = &t->cells.items[second];
    double slack_p, slack_q, largest;
    tact_nurbs_patch_slack(b, p->patch, &slack_p, &largest);
    tact_nurbs_patch_slack(b, q->patch, &slack_q, &largest);
    const double reach = p->error + q->error + 2.0 * (slack_p + slack_q + b->gap[p->patch] + b->gap[q->patch]);
    for (uint32_t i = p->first_triangle; i < p->first_triangle + p->triangle_count; i++) {
        tact_vec3 x[3], y[3];
        for (int k = 0; k < 3; k++)
            x[k] = t->positions[t->triangles.items[i].vertex[k]];
        for (uint32_t j = q->first_triangle; j < q->first_triangle + q->triangle_count; j++) {
            for (int k = 0; k < 3; k++)
                y[k] = t->positions[t->triangles.items[j].vertex[k]];
            if (tact_nurbs_triangles_touch(x, y, reach))
                return true;
        }
    }
    /* a cell that is a line or a point has no triangles, and nothing is proved */
    return p->triangle_count == 0 || q->triangle_count == 0;
}

/* ---- division of leaves ---- */

/* A part of a leaf. */
typedef struct leaf_piece {
    const nurbs_vec4 *net;
    nurbs_place place;
    nurbs_node node;
    double size; /* at least its diameter */
    int leaf;    /* 0 or 1 */
} leaf_piece;

typedef struct leaf_divider {
    nurbs_self *self;
    uint32_t cell[2];
    nurbs_place place[2];
    double speed[2][2], slack[2], largest[2];
    double tolerance;
    long comparisons;
} leaf_divider;

static const nurbs_surface *surface_of(const leaf_divider *d, int leaf)
{
    return &d->self->bounds->t->model->surfaces[d->place[leaf].surface];
}

static tact_vec3 project(nurbs_vec4 p) { return vec_make(p.x / p.w, p.y / p.w, p.z / p.w); }

static void piece_vectors(const leaf_divider *d, const leaf_piece *piece, int along, control_vectors *out)
{
    const nurbs_surface *s = surface_of(d, piece->leaf);
    tact_nurbs_control_vectors(piece->net, s->degree, s->weights != NULL, along,
                               tact_nurbs_touched_poles(d->self->bounds->t->model, &piece->place),
                               d->slack[piece->leaf], out);
}

/* Sets the bounds of a piece from its net. Returns its error. */
static double bound_piece(const leaf_divider *d, leaf_piece *piece, tact_vec3 corners[4])
{
    const nurbs_surface *s = surface_of(d, piece->leaf);
    const int p = s->degree[0], q = s->degree[1];
    const double error = tact_bezier_chord_error(piece->net, s->degree, s->weights != NULL);
    corners[0] = project(piece->net[0]);
    corners[1] = project(piece->net[p * (q + 1)]);
    corners[2] = project(piece->net[p * (q + 1) + q]);
    corners[3] = project(piece->net[q]);
    tact_nurbs_node_of_corners(corners, error, d->slack[piece->leaf], d->largest[piece->leaf], &piece->node);
    for (int along = 0; along < 2; along++) {
        control_vectors vectors;
        piece_vectors(d, piece, along, &vectors);
        piece->node.tangents[along] |= tact_nurbs_vector_field(&vectors);
    }
    const box *b = &piece->node.box;
    piece->size = vec_length(vec_make((double)b->max[0] - (double)b->min[0], (double)b->max[1] - (double)b->min[1],
                                      (double)b->max[2] - (double)b->min[2]));
    return error;
}

static void split_piece(const leaf_divider *d, const leaf_piece *piece, int depth, leaf_piece child[4])
{
    const nurbs_surface *s = surface_of(d, piece->leaf);
    const size_t size = (size_t)(s->degree[0] + 1) * (size_t)(s->degree[1] + 1);
    nurbs_vec4 *nets = d->self->nets + (2 + 4 * (size_t)depth) * d->self->net_size;
    tact_bezier_split(piece->net, s->degree, nets);
    for (unsigned k = 0; k < 4; k++) {
        child[k] = (leaf_piece){.net = nets + k * size, .place = piece->place, .leaf = piece->leaf};
        for (unsigned i = 0; i < 2; i++) {
            const uint64_t middle = piece->place.low[i] + (piece->place.high[i] - piece->place.low[i]) / 2;
            if ((i == 0 ? k % 2 : k / 2) == 0)
                child[k].place.high[i] = middle;
            else
                child[k].place.low[i] = middle;
        }
        tact_vec3 corners[4];
        (void)bound_piece(d, &child[k], corners);
    }
}

/* Is there a direction that increases along all paths of a link? */
static bool path_increases(const leaf_divider *d, const leaf_piece *a, const leaf_piece *b, const nurbs_link *link)
{
    const leaf_piece *const piece[2] = {a, b};
    const uint8_t *const sense[2] = {link->a, link->b};
    control_vectors vectors[4];
    const control_vectors *sets[4] = {NULL, NULL, NULL, NULL};
    double signs[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 4; i++) { /* first coordinate of a and b, second of a and b */
        const uint8_t s = sense[i % 2][i / 2];
        if (s == NURBS_NO_SENSE || (a == b && i % 2 == 1))
            continue;
        piece_vectors(d, piece[i % 2], s / 2, &vectors[i]);
        sets[i] = &vectors[i];
        signs[i] = s % 2 == 0 ? 1.0 : -1.0;
    }
    if (!tact_nurbs_common_direction(sets, signs))
        return false;
    signs[2] = -signs[2], signs[3] = -signs[3];
    return !link->free || tact_nurbs_common_direction(sets, signs);
}

static bool piece_is_injective(const leaf_divider *d, const leaf_piece *a)
{
    static const nurbs_link all = {{NURBS_PLUS_S, NURBS_PLUS_T}, {NURBS_PLUS_S, NURBS_PLUS_T}, true};
    return nurbs_node_is_injective(&a->node) || path_increases(d, a, a, &all);
}

static bool pieces_separated(const leaf_divider *d, const leaf_piece *a, const leaf_piece *b, bool *adjacent)
{
    nurbs_link links[NURBS_MAX_LINKS];
    const unsigned count =
        tact_nurbs_find_links(d->self->bounds->t->model, &a->place, &b->place, links, NURBS_MAX_LINKS);
    *adjacent = count != 0;
    if (!box_overlap(&a->node.box, &b->node.box))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (nurbs_link_separates(&links[i], &a->node, &b->node) || path_increases(d, a, b, &links[i]))
            return true;
    const int *p = surface_of(d, a->leaf)->degree, *q = surface_of(d, b->leaf)->degree;
    return count == 0 && tact_nurbs_nets_apart(a->net, (p[0] + 1) * (p[1] + 1), b->net, (q[0] + 1) * (q[1] + 1),
                                               2.0 * (d->slack[a->leaf] + d->slack[b->leaf]));
}

static bool are_neighbours(const leaf_divider *d, const leaf_piece *a, const leaf_piece *b)
{
    return tact_nurbs_path_length(d->self->bounds->t->model, &d->place[a->leaf], &a->place, d->speed[a->leaf],
                                  &d->place[b->leaf], &b->place,
                                  d->speed[b->leaf]) <= NURBS_SELF_NEIGHBOUR * d->tolerance;
}

static bool pieces_touch(leaf_divider *d, const leaf_piece *a, const leaf_piece *b, int depth)
{
    bool adjacent;
    d->comparisons++;
    if (pieces_separated(d, a, b, &adjacent))
        return false;
    if (a->size <= d->tolerance && b->size <= d->tolerance)
        return !adjacent && !are_neighbours(d, a, b);
    if (depth >= NURBS_SELF_DEPTH || d->comparisons > NURBS_SELF_BUDGET)
        return true;
    leaf_piece child[4];
    const bool first = a->size >= b->size;
    split_piece(d, first ? a : b, depth, child);
    for (unsigned k = 0; k < 4; k++)
        if (pieces_touch(d, &child[k], first ? b : a, depth + 1))
            return true;
    return false;
}

static bool piece_touches_itself(leaf_divider *d, const leaf_piece *a, int depth)
{
    d->comparisons++;
    if (piece_is_injective(d, a) || a->size <= d->tolerance)
        return false;
    if (depth >= NURBS_SELF_DEPTH || d->comparisons > NURBS_SELF_BUDGET)
        return true;
    leaf_piece child[4];
    split_piece(d, a, depth, child);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = i; k < 4; k++)
            if (i == k ? piece_touches_itself(d, &child[i], depth + 1)
                       : pieces_touch(d, &child[i], &child[k], depth + 1))
                return true;
    return false;
}

nurbs_node tact_nurbs_sharp_node(nurbs_self *self, uint32_t leaf)
{
    const nurbs_bounds *b = self->bounds;
    nurbs_sharp_field *sharp = &self->sharp.items[leaf];
    nurbs_node node = b->cells[leaf];
    if (sharp->version == 0 || sharp->version < nurbs_node_version(b, leaf)) {
        const nurbs_place place = tact_nurbs_locate(b, leaf);
        const nurbs_surface *s = &b->t->model->surfaces[place.surface];
        const unsigned poles = tact_nurbs_touched_poles(b->t->model, &place);
        double slack, largest;
        tact_nurbs_patch_slack(b, place.patch, &slack, &largest);
        tact_nurbs_cell_net(b->t, &b->t->cells.items[leaf], self->nets);
        for (int d = 0; d < 2; d++) {
            control_vectors vectors;
            tact_nurbs_control_vectors(self->nets, s->degree, s->weights != NULL, d, poles, slack, &vectors);
            sharp->tangents[d] = node.tangents[d] | tact_nurbs_vector_field(&vectors);
        }
        sharp->version = b->version;
    }
    memcpy(node.tangents, sharp->tangents, sizeof node.tangents);
    return node;
}

bool tact_nurbs_divided_leaves_touch(nurbs_self *self, uint32_t a, uint32_t b)
{
    const nurbs_bounds *bounds = self->bounds;
    const nurbs_tessellation *t = bounds->t;
    leaf_divider d = {.self = self, .cell = {a, b}, .tolerance = INFINITY};
    leaf_piece piece[2];
    for (int i = 0; i < 2; i++) {
        const nurbs_cell *cell = &t->cells.items[d.cell[i]];
        nurbs_vec4 *net = self->nets + (size_t)i * self->net_size;
        d.place[i] = tact_nurbs_locate(bounds, d.cell[i]);
        tact_nurbs_patch_slack(bounds, cell->patch, &d.slack[i], &d.largest[i]);
        d.tolerance = number_min(d.tolerance, t->model->tolerances[d.place[i].surface].cells);
        tact_nurbs_cell_net(t, cell, net);
        piece[i] = (leaf_piece){.net = net, .place = d.place[i], .leaf = i};
        tact_vec3 c[4];
        const double error = bound_piece(&d, &piece[i], c);
        const tact_vec3 along[2] = {vec_add(vec_sub(c[1], c[0]), vec_sub(c[2], c[3])),
                                    vec_add(vec_sub(c[3], c[0]), vec_sub(c[2], c[1]))};
        for (int k = 0; k < 2; k++) /* the bound of derivatives of nurbs_bounds.h */
            d.speed[i][k] = (0.5 * vec_length(along[k]) + 4.0 * error + 4.0 * d.slack[i]) /
                            (double)(d.place[i].high[k] - d.place[i].low[k]);
    }
    const bool touches = a == b ? piece_touches_itself(&d, &piece[0], 0) : pieces_touch(&d, &piece[0], &piece[1], 0);
    self->counts.pieces += (uint64_t)d.comparisons;
    return touches;
}
