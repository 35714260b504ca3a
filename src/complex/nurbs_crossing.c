/* Directions between common points: see nurbs_crossing.h. */
#include "complex/nurbs_crossing.h"

/* ---- parts without a common point -------------------------------------------------------------------------------- */

/*
 * A linear function L of the coordinates is reproduced by control points at the Greville abscissae g, so for a
 * polynomial |S - L| <= max |P_i - L(g_i)|. For a rational one with the basis functions R_i = N_i w_i / w the sum of
 * R_i g_i differs from s by sum N_i (w_i - c) (g_i - s) / w for every c, at most max |w_i - c| / (2 min w), since the
 * mean of |g_i - s| is at most 1/2.
 */
static void bound_linearly(const search_side *side, const search_node *n, node_bound *b)
{
    const nurbs_surface *surface = search_surface(side, n);
    const int p = surface->degree[0], q = surface->degree[1], k = q + 1;
    const nurbs_vec4 *net = side->points.items + n->data;
    const tact_vec3 c00 = search_cartesian(&net[0]), c01 = search_cartesian(&net[q]),
                    c10 = search_cartesian(&net[p * k]), c11 = search_cartesian(&net[p * k + q]);
    b->centre = vec_scale(vec_add(vec_add(c00, c11), vec_add(c01, c10)), 0.25);
    b->along[0] = vec_scale(vec_sub(vec_add(c10, c11), vec_add(c00, c01)), 0.5);
    b->along[1] = vec_scale(vec_sub(vec_add(c01, c11), vec_add(c00, c10)), 0.5);
    double largest = 0.0, least_weight = INFINITY, most_weight = 0.0;
    for (int i = 0; i <= p; i++) {
        const tact_vec3 row = vec_mul_add(b->centre, (double)i / p - 0.5, b->along[0]);
        for (int j = 0; j <= q; j++, net++) {
            const tact_vec3 at = vec_mul_add(row, (double)j / q - 0.5, b->along[1]);
            largest = max_double(largest, vec_length_squared(vec_sub(search_cartesian(net), at)));
            least_weight = -max_double(-least_weight, -net->w);
            most_weight = max_double(most_weight, net->w);
        }
    }
    b->radius = sqrt(largest);
    if (surface->weights != NULL)
        b->radius +=
            0.25 * (most_weight - least_weight) / least_weight * (vec_length(b->along[0]) + vec_length(b->along[1]));
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
    static const int axes[6][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
    const double radius = a->radius + b->radius + s->slack;
    for (int i = 0; i < 6; i++) {
        const tact_vec3 x = vec_cross(segments[axes[i][0]], segments[axes[i][1]]);
        double reach = 0.0;
        for (int k = 0; k < 4; k++)
            reach += fabs(vec_dot(x, segments[k]));
        if (fabs(vec_dot(x, apart)) > 0.5 * reach * (1.0 + NURBS_CROSSING_SLACK) + radius * vec_length(x))
            return true;
    }
    for (int i = 0; i < 2; i++) {
        const tact_vec3 x = vec_normalize(vec_cross(segments[2 * i], segments[2 * i + 1]));
        double range[2][2];
        for (int k = 0; k < 2; k++)
            range_along(&s->side[k], n[k], x, range[k]);
        if (range[0][0] > range[1][1] + s->slack || range[1][0] > range[0][1] + s->slack)
            return true;
    }
    return false;
}

/* ---- parts that cross -------------------------------------------------------------------------------------------- */

/* The mean of the differences of control points along direction d, and how far they are from it at most: in all, and
 * along `normal`. For a rational part with A = w (S - c), w S_s = A_s - w_s (S - c), and S - c is bounded by the
 * control points: by `reach`, and along the normal by `height`. */
typedef struct derivative_bound {
    tact_vec3 mean;
    double weight; /* largest difference of weights */
    double radius;
} derivative_bound;

typedef struct difference_range {
    int rows, columns, stride, step;
} difference_range;

static difference_range differences_along(const int degree[2], int d)
{
    const int k = degree[1] + 1;
    return (difference_range){degree[0] + (d == 1), degree[1] + (d == 0), k, d == 0 ? k : 1};
}

static tact_vec3 difference(const nurbs_vec4 *p, const nurbs_vec4 *q, tact_vec3 c)
{
    return vec_mul_add(vec_make(q->x - p->x, q->y - p->y, q->z - p->z), p->w - q->w, c);
}

static derivative_bound mean_derivative(const nurbs_vec4 *net, const int degree[2], int d, tact_vec3 c, double reach)
{
    const difference_range r = differences_along(degree, d);
    derivative_bound b = {{0.0, 0.0, 0.0}, 0.0, 0.0};
    for (int i = 0; i < r.rows; i++)
        for (int j = 0; j < r.columns; j++) {
            const nurbs_vec4 *p = net + i * r.stride + j, *q = p + r.step;
            b.mean = vec_add(b.mean, difference(p, q, c));
            b.weight = max_double(b.weight, fabs(q->w - p->w));
        }
    b.mean = vec_scale(b.mean, 1.0 / (r.rows * r.columns));
    for (int i = 0; i < r.rows; i++)
        for (int j = 0; j < r.columns; j++) {
            const nurbs_vec4 *p = net + i * r.stride + j, *q = p + r.step;
            b.radius = max_double(b.radius, vec_length_squared(vec_sub(difference(p, q, c), b.mean)));
        }
    b.radius = sqrt(b.radius) + b.weight * reach;
    return b;
}

static double tilt_of_derivative(const nurbs_vec4 *net, const int degree[2], int d, tact_vec3 c, tact_vec3 n)
{
    const difference_range r = differences_along(degree, d);
    double tilt = 0.0;
    for (int i = 0; i < r.rows; i++)
        for (int j = 0; j < r.columns; j++) {
            const nurbs_vec4 *p = net + i * r.stride + j, *q = p + r.step;
            tilt = max_double(tilt, fabs(vec_dot(n, difference(p, q, c))));
        }
    return tilt;
}

static void bound_chords(const search_side *side, const search_node *n, node_bound *out)
{
    const nurbs_surface *surface = search_surface(side, n);
    const nurbs_vec4 *net = side->points.items + n->data;
    const double reach = surface->weights != NULL ? vec_length(vec_sub(n->high, n->low)) : 0.0;
    derivative_bound b[2];
    double length[2], radius[2], tilt[2];
    out->slope = -1.0;
    for (int d = 0; d < 2; d++) {
        b[d] = mean_derivative(net, surface->degree, d, n->centre, reach);
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
    if (surface->weights != NULL) {
        double range[2];
        range_along(side, n, out->normal, range);
        const double at = vec_dot(out->normal, n->centre);
        height = max_double(fabs(range[0] - at), fabs(range[1] - at));
    }
    for (int d = 0; d < 2; d++)
        tilt[d] = (tilt_of_derivative(net, surface->degree, d, n->centre, out->normal) + b[d].weight * height) /
                      length[d] * (1.0 + NURBS_CROSSING_SLACK) +
                  NURBS_CROSSING_SLACK;
    out->spread = r / room;
    out->slope = fmin(sqrt(tilt[0] * tilt[0] + tilt[1] * tilt[1]) / room, out->spread);
}

/* The direction in which a node bends more, and how much it bends. Long flat nodes are divided, too. */
static void weigh(const search_side *side, const search_node *n, node_bound *out)
{
    const nurbs_surface *surface = search_surface(side, n);
    const int p = surface->degree[0], q = surface->degree[1], k = q + 1;
    const nurbs_vec4 *net = side->points.items + n->data;
    double bend[2] = {0.0, 0.0};
    for (int i = 0; i <= p; i++)
        for (int j = 0; j <= q; j++) {
            const nurbs_vec4 *c = net + i * k + j;
            const tact_vec3 at = search_cartesian(c);
            if (i > 0 && i < p)
                bend[0] =
                    max_double(bend[0], vec_max_abs(vec_sub(vec_add(search_cartesian(c - k), search_cartesian(c + k)),
                                                            vec_scale(at, 2.0))));
            if (j > 0 && j < q)
                bend[1] =
                    max_double(bend[1], vec_max_abs(vec_sub(vec_add(search_cartesian(c - 1), search_cartesian(c + 1)),
                                                            vec_scale(at, 2.0))));
        }
    const double length[2] = {vec_length(out->along[0]), vec_length(out->along[1])};
    bend[0] = p * (p - 1) * bend[0] + NURBS_CROSSING_FLAT * length[0];
    bend[1] = q * (q - 1) * bend[1] + NURBS_CROSSING_FLAT * length[1];
    out->direction = bend[1] > bend[0] || (bend[1] == bend[0] && n->level[1] < n->level[0]);
    if (n->level[0] >= NURBS_SEARCH_LEVELS || n->level[1] >= NURBS_SEARCH_LEVELS)
        out->direction = n->level[0] >= NURBS_SEARCH_LEVELS;
    out->weight = bend[0] + bend[1] + NURBS_CROSSING_FLAT * vec_length(vec_sub(n->high, n->low));
}

node_bound tact_nurbs_bound_node(const search_side *side, uint32_t node)
{
    const search_node *n = &side->nodes.items[node];
    node_bound b = {0};
    bound_linearly(side, n, &b);
    bound_chords(side, n, &b);
    weigh(side, n, &b);
    return b;
}

/* The sense of coordinate i along vectors within the angle `turn` of d: with the unit vector x of the plane across the
 * other derivative, c . x = a sin g + an error of at most k. */
static int sense_of(const node_bound *b, int i, tact_vec3 d, double turn)
{
    tact_vec3 x = vec_cross(b->unit[1 - i], b->normal);
    x = vec_dot(x, b->unit[i]) < 0.0 ? vec_negate(x) : x;
    const double angle = acos(fmin(fabs(vec_dot(x, d)), 1.0)) + turn;
    if (!(angle < 1.5) || !(cos(angle) > b->spread))
        return 0;
    return vec_dot(x, d) > 0.0 ? 1 : -1;
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
    const double turn = asin(across / sine);
    for (int k = 0; k < 4; k++)
        out->sense[k] = sense_of(k < 2 ? a : b, k % 2, out->along, turn);
    return true;
}
