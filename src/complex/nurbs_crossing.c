/* Directions between common points: see nurbs_crossing.h. */
#include "complex/nurbs_crossing.h"

#include "core/number.h"

/* ---- parts without a common point -------------------------------------------------------------------------------- */

/*
 * A linear function L of the coordinates is reproduced by control points at the Greville abscissae g, so for a
 * polynomial |S - L| <= max |P_i - L(g_i)|. For a rational one with the basis functions R_i = N_i w_i / w the sum of
 * R_i g_i differs from s by sum N_i (w_i - c) (g_i - s) / w for every c, at most max |w_i - c| / (2 min w), since the
 * mean of |g_i - s| is at most 1/2.
 */
static void bound_linearly(const search_side *side, const search_node *n, const tact_vec3 *points, node_bound *b)
{
    const nurbs_surface *surface = search_surface(side, n);
    const int p = surface->degree[0], q = surface->degree[1], k = q + 1;
    const tact_vec3 c00 = points[0], c01 = points[q], c10 = points[p * k], c11 = points[p * k + q];
    b->centre = vec_scale(vec_add(vec_add(c00, c11), vec_add(c01, c10)), 0.25);
    b->along[0] = vec_scale(vec_sub(vec_add(c10, c11), vec_add(c00, c01)), 0.5);
    b->along[1] = vec_scale(vec_sub(vec_add(c01, c11), vec_add(c00, c10)), 0.5);
    b->face = vec_normalize(vec_cross(b->along[0], b->along[1]));
    b->range[0] = INFINITY;
    b->range[1] = -INFINITY;
    double largest = 0.0;
    const double step[2] = {1.0 / p, 1.0 / q};
    for (int i = 0; i <= p; i++) {
        const tact_vec3 row = vec_mul_add(b->centre, i * step[0] - 0.5, b->along[0]);
        for (int j = 0; j <= q; j++, points++) {
            const tact_vec3 at = vec_mul_add(row, j * step[1] - 0.5, b->along[1]);
            largest = max_double(largest, vec_length_squared(vec_sub(*points, at)));
            const double height = vec_dot(b->face, *points);
            b->range[0] = -max_double(-b->range[0], -height);
            b->range[1] = max_double(b->range[1], height);
        }
    }
    b->radius = sqrt(largest);
    for (int d = 0; d < 2; d++)
        b->length[d] = vec_length(b->along[d]);
    if (surface->weights != NULL) {
        const nurbs_vec4 *net = side->points.items + n->data;
        double least = INFINITY, most = 0.0;
        for (int i = 0; i < (p + 1) * k; i++) {
            least = -max_double(-least, -net[i].w);
            most = max_double(most, net[i].w);
        }
        b->radius += 0.25 * (most - least) / least * (b->length[0] + b->length[1]);
    }
    b->radius *= 1.0 + NURBS_CROSSING_SLACK;
}

/* The least and the largest n.P of the control points of a node. */
static void range_along(const search_side *side, const search_node *node, tact_vec3 n, double range[2])
{
    const nurbs_surface *surface = search_surface(side, node);
    const int size = (surface->degree[0] + 1) * (surface->degree[1] + 1);
    const nurbs_vec4 *net = side->points.items + node->data;
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = 0; i < size; i++) {
        double x = n.x * net[i].x + n.y * net[i].y + n.z * net[i].z;
        if (surface->weights != NULL)
            x /= net[i].w;
        range[0] = -max_double(-range[0], -x);
        range[1] = max_double(range[1], x);
    }
}

static bool boxes_apart(const search_node *a, const search_node *b, double slack)
{
    return a->low.x > b->high.x + slack || b->low.x > a->high.x + slack || a->low.y > b->high.y + slack ||
           b->low.y > a->high.y + slack || a->low.z > b->high.z + slack || b->low.z > a->high.z + slack;
}

bool tact_nurbs_nodes_apart(const nurbs_search *s, const uint32_t node[2], const node_bound *a, const node_bound *b)
{
    const search_node *n[2] = {&s->side[0].nodes.items[node[0]], &s->side[1].nodes.items[node[1]]};
    if (boxes_apart(n[0], n[1], s->slack))
        return true;
    const tact_vec3 apart = vec_sub(b->centre, a->centre);
    const tact_vec3 segments[4] = {a->along[0], a->along[1], b->along[0], b->along[1]};
    const double radius = a->radius + b->radius + s->slack;
    /* along x = s_i x s_j two segments have no extent, and that of s_k is the volume of s_i, s_j and s_k */
    static const int axes[6][4] = {{0, 1, 2, 3}, {2, 3, 0, 1}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}};
    tact_vec3 x[6];
    double volume[4]; /* without segment k */
    for (int i = 0; i < 6; i++)
        x[i] = vec_cross(segments[axes[i][0]], segments[axes[i][1]]);
    volume[3] = fabs(vec_dot(x[0], segments[2]));
    volume[2] = fabs(vec_dot(x[0], segments[3]));
    volume[1] = fabs(vec_dot(x[1], segments[0]));
    volume[0] = fabs(vec_dot(x[1], segments[1]));
    const double length = a->length[0] + a->length[1] + b->length[0] + b->length[1],
                 rounding = NURBS_CROSSING_SLACK * length * length * length;
    for (int i = 0; i < 6; i++) {
        const double reach = volume[axes[i][2]] + volume[axes[i][3]];
        const double gap = fabs(vec_dot(x[i], apart)) - 0.5 * reach - rounding;
        if (gap > 0.0 && gap * gap > radius * radius * vec_length_squared(x[i]) * (1.0 + NURBS_CROSSING_SLACK))
            return true;
    }
    const node_bound *bound[2] = {a, b};
    for (int i = 0; i < 2; i++) { /* along the normal of each */
        const double *own = bound[i]->range;
        double other[2];
        range_along(&s->side[1 - i], n[1 - i], bound[i]->face, other);
        if (own[0] > other[1] + s->slack || other[0] > own[1] + s->slack)
            return true;
    }
    return false;
}

/* ---- parts that cross -------------------------------------------------------------------------------------------- */

/* The differences of control points along direction d, and how far they are from their mean at most. For a rational
 * part with A = w (S - c), w S_s = A_s - w_s (S - c), and S - c is bounded by the control points: by `reach`. */
typedef struct derivative_bound {
    tact_vec3 differences[BEZIER_MAX_NET];
    int count;
    tact_vec3 mean;
    double weight; /* largest difference of weights */
    double radius;
} derivative_bound;

static void bound_derivative(const nurbs_vec4 *net, const int degree[2], int d, bool rational, tact_vec3 c,
                             double reach, derivative_bound *b)
{
    const int k = degree[1] + 1, step = d == 0 ? k : 1;
    b->count = 0;
    b->weight = 0.0;
    tact_vec3 sum = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < degree[0] + (d == 1); i++)
        for (int j = 0; j < degree[1] + (d == 0); j++) {
            const nurbs_vec4 *p = net + i * k + j, *q = p + step;
            tact_vec3 e = vec_make(q->x - p->x, q->y - p->y, q->z - p->z);
            if (rational) {
                e = vec_mul_add(e, p->w - q->w, c);
                b->weight = max_double(b->weight, fabs(q->w - p->w));
            }
            b->differences[b->count++] = e;
            sum = vec_add(sum, e);
        }
    b->mean = vec_scale(sum, 1.0 / b->count);
    double square = 0.0;
    for (int i = 0; i < b->count; i++)
        square = max_double(square, vec_length_squared(vec_sub(b->differences[i], b->mean)));
    b->radius = sqrt(square) + b->weight * reach;
}

static double tilt_of_derivative(const derivative_bound *b, tact_vec3 n)
{
    double tilt = 0.0;
    for (int i = 0; i < b->count; i++)
        tilt = max_double(tilt, fabs(vec_dot(n, b->differences[i])));
    return tilt;
}

static void bound_chords(const search_side *side, const search_node *n, const tact_vec3 *points, node_bound *out)
{
    const nurbs_surface *surface = search_surface(side, n);
    const nurbs_vec4 *net = side->points.items + n->data;
    const bool rational = surface->weights != NULL;
    const double reach = rational ? vec_length(vec_sub(n->high, n->low)) : 0.0;
    derivative_bound b[2];
    double length[2], radius[2], tilt[2];
    out->slope = -1.0;
    for (int d = 0; d < 2; d++) {
        bound_derivative(net, surface->degree, d, rational, n->centre, reach, &b[d]);
        length[d] = vec_length(b[d].mean);
        if (!(length[d] > b[d].radius))
            return;
        out->unit[d] = vec_scale(b[d].mean, 1.0 / length[d]);
        radius[d] = b[d].radius / length[d] * (1.0 + NURBS_CROSSING_SLACK) + NURBS_CROSSING_SLACK;
    }
    const double r = sqrt(radius[0] * radius[0] + radius[1] * radius[1]);
    const double room = sqrt(max_double(1.0 - fabs(vec_dot(out->unit[0], out->unit[1])), 0.0)) - r;
    if (!(room > r))
        return;
    out->normal = vec_normalize(vec_cross(out->unit[0], out->unit[1]));
    double height = 0.0;
    for (int i = 0; rational && i < (surface->degree[0] + 1) * (surface->degree[1] + 1); i++)
        height = max_double(height, fabs(vec_dot(out->normal, vec_sub(points[i], n->centre))));
    for (int d = 0; d < 2; d++)
        tilt[d] =
            (tilt_of_derivative(&b[d], out->normal) + b[d].weight * height) / length[d] * (1.0 + NURBS_CROSSING_SLACK) +
            NURBS_CROSSING_SLACK;
    out->spread = r / room;
    out->slope = number_min(sqrt(tilt[0] * tilt[0] + tilt[1] * tilt[1]) / room, out->spread);
}

/* The direction in which a node bends more, and how much it bends. Long flat nodes are divided, too. */
static void weigh(const search_side *side, const search_node *n, const tact_vec3 *points, node_bound *out)
{
    const nurbs_surface *surface = search_surface(side, n);
    const int p = surface->degree[0], q = surface->degree[1], k = q + 1;
    double bend[2] = {0.0, 0.0};
    for (int i = 0; i <= p; i++)
        for (int j = 0; j <= q; j++) {
            const tact_vec3 *c = points + i * k + j;
            if (i > 0 && i < p)
                bend[0] = max_double(bend[0], vec_max_abs(vec_sub(vec_add(c[-k], c[k]), vec_scale(*c, 2.0))));
            if (j > 0 && j < q)
                bend[1] = max_double(bend[1], vec_max_abs(vec_sub(vec_add(c[-1], c[1]), vec_scale(*c, 2.0))));
        }
    bend[0] = p * (p - 1) * bend[0] + NURBS_CROSSING_FLAT * out->length[0];
    bend[1] = q * (q - 1) * bend[1] + NURBS_CROSSING_FLAT * out->length[1];
    out->direction = bend[1] > bend[0] || (bend[1] == bend[0] && n->level[1] < n->level[0]);
    if (n->level[0] >= NURBS_SEARCH_LEVELS || n->level[1] >= NURBS_SEARCH_LEVELS)
        out->direction = n->level[0] >= NURBS_SEARCH_LEVELS;
    out->weight = bend[0] + bend[1] + NURBS_CROSSING_FLAT * vec_length(vec_sub(n->high, n->low));
}

void tact_nurbs_bound_node(const search_side *side, uint32_t node, node_bound *out)
{
    const search_node *n = &side->nodes.items[node];
    const nurbs_surface *surface = search_surface(side, n);
    const int size = (surface->degree[0] + 1) * (surface->degree[1] + 1);
    tact_vec3 points[BEZIER_MAX_NET];
    for (int i = 0; i < size; i++) {
        const nurbs_vec4 *p = &side->points.items[n->data + (size_t)i];
        points[i] = vec_make(p->x, p->y, p->z);
        if (surface->weights != NULL)
            points[i] = vec_scale(points[i], 1.0 / p->w);
    }
    bound_linearly(side, n, points, out);
    bound_chords(side, n, points, out);
    weigh(side, n, points, out);
}

/* The sense of coordinate i along vectors within an angle of d, whose sine and cosine are given: with the unit vector x
 * of the plane across the other derivative, c . x = a sin g + an error of at most k. */
static int sense_of(const node_bound *b, int i, tact_vec3 d, double sine, double cosine)
{
    tact_vec3 x = vec_cross(b->unit[1 - i], b->normal);
    const double toward = vec_dot(x, b->unit[i]) < 0.0 ? -vec_dot(x, d) : vec_dot(x, d),
                 along = number_min(fabs(toward), 1.0);
    /* the cosine of the largest angle between such a vector and x */
    const double least = along * cosine - sqrt(1.0 - along * along) * sine;
    if (!(least > NURBS_CROSSING_LEAST) || !(least > b->spread))
        return 0;
    return toward > 0.0 ? 1 : -1;
}

bool tact_nurbs_nodes_cross(const node_bound *a, const node_bound *b, nurbs_crossing *out)
{
    if (a->slope < 0.0 || b->slope < 0.0)
        return false;
    const tact_vec3 d = vec_cross(a->normal, b->normal);
    const double sine = vec_length(d), across = a->slope + b->slope;
    if (!(across < NURBS_CROSSING_MAX * sine))
        return false;
    out->along = vec_scale(d, 1.0 / sine);
    const double turn = across / sine, cosine = sqrt(1.0 - turn * turn);
    for (int k = 0; k < 4; k++)
        out->sense[k] = sense_of(k < 2 ? a : b, k % 2, out->along, turn, cosine);
    return true;
}
