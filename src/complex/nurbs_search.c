/* Bounds of distances, and branch and bound: see nurbs_search.h. */
#include "complex/nurbs_search.h"

#include <float.h>
#include <string.h>

#include "convex/convex_query.h"
#include "core/heap.h"
#include "core/number.h"
#include "core/work.h"

/* The point of a convex core closest to p. */
static tact_vec3 project(const convex *c, tact_vec3 p)
{
    if (c->kind == CONVEX_POINTS && c->point_count == 1)
        return vec_add(c->transform.origin, c->points[0]);
    const tact_distance_def def = {.accuracy = 0.0, .upper_bound = INFINITY};
    const convex point = convex_point(c->shape, p);
    const tact_distance d = tact_convex_distance(&point, c, &def);
    return d.distance > 0.0 ? d.on_b : p;
}

/* ---- lower bounds ------------------------------------------------------------------------------------------------ */

/* The largest n.P of the control points of a node, or of its primitive. */
static double extent_along(const search_side *side, const search_node *node, tact_vec3 n)
{
    if (node->patch == SEARCH_CONVEX) {
        const convex *c = &side->primitives.items[node->data];
        return vec_dot(n, tact_convex_support(c, n, NULL)) + vec_dot(n, c->transform.origin);
    }
    const nurbs_surface *surface = search_surface(side, node);
    const int size = (surface->degree[0] + 1) * (surface->degree[1] + 1);
    const nurbs_vec4 *net = side->points.items + node->data;
    double most = -INFINITY;
    if (surface->weights == NULL)
        for (int i = 0; i < size; i++)
            most = max_double(most, n.x * net[i].x + n.y * net[i].y + n.z * net[i].z);
    else
        for (int i = 0; i < size; i++)
            most = max_double(most, (n.x * net[i].x + n.y * net[i].y + n.z * net[i].z) / net[i].w);
    return most;
}

/* The largest eigenvalue of the second derivatives of a polynomial with these Bernstein coefficients, at most. */
static double bound_curvature(const double *q, const int degree[2])
{
    const int n = degree[0] + 1, k = degree[1] + 1;
    double ss = degree[0] > 1 ? -INFINITY : 0.0, tt = degree[1] > 1 ? -INFINITY : 0.0, st = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const double *c = q + i * k + j;
            if (i + 2 < n)
                ss = max_double(ss, c[2 * k] - 2.0 * c[k] + c[0]);
            if (j + 2 < k)
                tt = max_double(tt, c[2] - 2.0 * c[1] + c[0]);
            if (i + 1 < n && j + 1 < k)
                st = max_double(st, fabs(c[k + 1] - c[k] - c[1] + c[0]));
        }
    ss *= degree[0] * (degree[0] - 1);
    tt *= degree[1] * (degree[1] - 1);
    st *= degree[0] * degree[1];
    const double half = 0.5 * (ss - tt);
    return 0.5 * (ss + tt) + sqrt(half * half + st * st);
}

static double clamp_unit(double t) { return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0; }

/*
 * A sharper bound than the control points give, where the surface curves away: by Taylor's formula at a point x0 of the
 * node, q(x) <= q(x0) + grad q(x0) (x - x0) + max(curvature, 0) |x - x0|^2 / 2, and c = n.S(x0) makes q(x0) zero. x0 is
 * the best point, moved into the node, or else the highest corner. Near a minimum the gradient vanishes, and the bound
 * is exact for nodes of any size if q is concave.
 */
static double extent_by_taylor(const nurbs_search *s, int side, const search_node *node, tact_vec3 n)
{
    const search_side *of = &s->side[side];
    if (node->patch == SEARCH_CONVEX)
        return extent_along(of, node, n);
    const nurbs_surface *surface = search_surface(of, node);
    const int p = surface->degree[0], k = surface->degree[1] + 1, size = (p + 1) * k;
    const nurbs_vec4 *net = of->points.items + node->data;
    double q[BEZIER_MAX_NET], x[2], along[2][3][NURBS_MAX_ORDER], least = INFINITY, height = 0.0, weight = 0.0;
    for (int i = 0; i < size; i++) {
        q[i] = n.x * net[i].x + n.y * net[i].y + n.z * net[i].z;
        least = -max_double(-least, -net[i].w);
    }
    if (node->root == s->best[side].node && s->upper < INFINITY) {
        const double at[2] = {s->best[side].s, s->best[side].t};
        for (int d = 0; d < 2; d++)
            x[d] = clamp_unit(ldexp(at[d], node->level[d]) - (double)node->index[d]);
    } else {
        const int corner[4] = {0, k - 1, size - k, size - 1};
        int best = 0;
        for (int i = 1; i < 4; i++)
            if (q[corner[i]] / net[corner[i]].w > q[corner[best]] / net[corner[best]].w)
                best = i;
        x[0] = best / 2;
        x[1] = best % 2;
    }
    tact_search_bernstein(p, x[0], along[0]);
    tact_search_bernstein(k - 1, x[1], along[1]);
    for (int i = 0; i < size; i++) {
        const double c = along[0][0][i / k] * along[1][0][i % k];
        height += c * q[i];
        weight += c * net[i].w;
    }
    const double c = height / weight;
    double slope[2] = {0.0, 0.0};
    for (int i = 0; i < size; i++) {
        q[i] -= c * net[i].w;
        slope[0] += along[0][1][i / k] * along[1][0][i % k] * q[i];
        slope[1] += along[0][0][i / k] * along[1][1][i % k] * q[i];
    }
    double rise = 0.0, square = 0.0;
    for (int d = 0; d < 2; d++) {
        const double far = max_double(x[d], 1.0 - x[d]);
        rise += max_double(slope[d] * (1.0 - x[d]), -slope[d] * x[d]);
        square += far * far;
    }
    rise += 0.5 * max_double(bound_curvature(q, surface->degree), 0.0) * square;
    return c + rise / least;
}

static double gap_along(const nurbs_search *s, const search_node *a, const search_node *b, tact_vec3 n)
{
    return -extent_along(&s->side[1], b, vec_negate(n)) - extent_along(&s->side[0], a, n);
}

/* The direction between two nodes: from the centre of one to that of the other, or to the closest point of a primitive.
 */
static tact_vec3 direction_between(const nurbs_search *s, const search_node *a, const search_node *b)
{
    if (b->patch == SEARCH_CONVEX)
        return vec_sub(project(&s->side[1].primitives.items[b->data], a->centre), a->centre);
    if (a->patch == SEARCH_CONVEX)
        return vec_sub(b->centre, project(&s->side[0].primitives.items[a->data], b->centre));
    return vec_sub(b->centre, a->centre);
}

static double axis_gap(double low_a, double high_a, double low_b, double high_b)
{
    return max_double(0.0, max_double(low_b - high_a, low_a - high_b));
}

static double box_distance(tact_vec3 low_a, tact_vec3 high_a, tact_vec3 low_b, tact_vec3 high_b)
{
    return vec_length(vec_make(axis_gap(low_a.x, high_a.x, low_b.x, high_b.x),
                               axis_gap(low_a.y, high_a.y, low_b.y, high_b.y),
                               axis_gap(low_a.z, high_a.z, low_b.z, high_b.z)));
}

/* The Taylor polynomial of a node, or NULL: it is a primitive that is not a point. */
static const nurbs_quadratic *middle_of(search_side *side, uint32_t node)
{
    search_node *n = &side->nodes.items[node];
    if (!n->fitted && n->patch != SEARCH_CONVEX) {
        const nurbs_surface *surface = search_surface(side, n);
        tact_nurbs_quadratic_make(&side->middles.items[node], side->points.items + n->data, surface->degree,
                                  surface->weights != NULL);
        n->fitted = true;
    }
    return n->fitted ? &side->middles.items[node] : NULL;
}

/* Whether a node has the best point of its side, on its border too. */
static bool has_best(const nurbs_search *s, int side, const search_node *n)
{
    if (n->root != s->best[side].node || !(s->upper < INFINITY))
        return false;
    const double at[2] = {s->best[side].s, s->best[side].t};
    bool inside = true;
    for (int d = 0; d < 2 && n->patch != SEARCH_CONVEX; d++) {
        const double x = ldexp(at[d], n->level[d]) - (double)n->index[d];
        inside = inside && x >= 0.0 && x <= 1.0;
    }
    return inside;
}

/* The Taylor polynomial of a node at the best point of its side. */
static nurbs_quadratic quadratic_at_best(const nurbs_search *s, int side, uint32_t node)
{
    const search_side *of = &s->side[side];
    const search_node *n = &of->nodes.items[node];
    nurbs_quadratic q = of->middles.items[node];
    if (n->patch == SEARCH_CONVEX)
        return q;
    const nurbs_surface *surface = search_surface(of, n);
    const double x = ldexp(s->best[side].s, n->level[0]) - (double)n->index[0],
                 y = ldexp(s->best[side].t, n->level[1]) - (double)n->index[1];
    tact_nurbs_quadratic_move(&q, of->points.items + n->data, surface->degree, surface->weights != NULL, x, y);
    return q;
}

static double bound_near_best(const nurbs_search *s, const uint32_t node[2])
{
    const nurbs_quadratic a = quadratic_at_best(s, 0, node[0]), b = quadratic_at_best(s, 1, node[1]);
    return tact_nurbs_quadratic_bound_near(&a, &b, 0.0);
}

/* A lower bound of the distance of two nodes, margins included. */
static double lower_bound(nurbs_search *s, const uint32_t node[2])
{
    const search_node *a = &s->side[0].nodes.items[node[0]], *b = &s->side[1].nodes.items[node[1]];
    const double margins = a->margin + b->margin + s->slack;
    const double enough = s->upper - s->accuracy + margins; /* a greater bound is of no use */
    double bound = box_distance(a->low, a->high, b->low, b->high);
    if (bound < enough && vec_max_abs(s->normal) > 0.0)
        bound = max_double(bound, gap_along(s, a, b, s->normal));
    if (bound < enough) {
        const tact_vec3 between = direction_between(s, a, b);
        if (vec_max_abs(between) > s->slack)
            bound = max_double(bound, gap_along(s, a, b, vec_normalize(between)));
    }
    const bool near_best = a->root == s->best[0].node || b->root == s->best[1].node;
    if (bound < enough && near_best && vec_max_abs(s->normal) > 0.0)
        bound = max_double(bound, -extent_by_taylor(s, 1, b, vec_negate(s->normal)) -
                                      extent_by_taylor(s, 0, a, s->normal) - s->slack);
    if (bound < enough) {
        const nurbs_quadratic *p = middle_of(&s->side[0], node[0]), *q = middle_of(&s->side[1], node[1]);
        if (p != NULL && q != NULL) {
            bound = max_double(bound, tact_nurbs_quadratic_bound(p, q, bound));
            if (bound < enough && has_best(s, 0, a) && has_best(s, 1, b))
                bound = max_double(bound, bound_near_best(s, node));
        }
    }
    return max_double(bound - margins, 0.0);
}

/* ---- upper bounds ------------------------------------------------------------------------------------------------ */

/* F = |P - Q|^2 / 2 of the points P and Q of both sides, as a function of the coordinates of those that are patches. */
typedef struct distance_model {
    double value, gradient[4], hessian[4][4], diagonal[4];
    tact_vec3 point[2];
} distance_model;

/* Fills in the model at `x`; `root` are the nodes, and x[2 i], x[2 i + 1] the coordinates of side i. `second` false:
 * the value only. */
static void model_at(const nurbs_search *s, const uint32_t root[2], const double x[4], bool second, distance_model *m)
{
    tact_vec3 d[2][6];
    int moving = -1;
    bool patch[2];
    for (int i = 0; i < 2; i++) {
        patch[i] = s->side[i].nodes.items[root[i]].patch != SEARCH_CONVEX;
        if (patch[i])
            tact_nurbs_search_evaluate(&s->side[i], root[i], x[2 * i], x[2 * i + 1], d[i]);
        else
            moving = i;
    }
    const convex *c =
        moving >= 0 ? &s->side[moving].primitives.items[s->side[moving].nodes.items[root[moving]].data] : NULL;
    if (c != NULL)
        d[moving][0] = project(c, d[1 - moving][0]);
    const tact_vec3 r = vec_sub(d[0][0], d[1][0]);
    m->point[0] = d[0][0];
    m->point[1] = d[1][0];
    m->value = 0.5 * vec_length_squared(r);
    if (!second)
        return;
    memset(m->gradient, 0, sizeof m->gradient);
    memset(m->hessian, 0, sizeof m->hessian);
    for (int i = 0; i < 4; i++)
        m->diagonal[i] = m->hessian[i][i] = 1.0;
    for (int i = 0; i < 2; i++) {
        if (!patch[i])
            continue;
        const double sign = i == 0 ? 1.0 : -1.0;
        const int k = 2 * i;
        m->gradient[k] = sign * vec_dot(r, d[i][1]);
        m->gradient[k + 1] = sign * vec_dot(r, d[i][2]);
        m->diagonal[k] = vec_length_squared(d[i][1]);
        m->diagonal[k + 1] = vec_length_squared(d[i][2]);
        m->hessian[k][k] = m->diagonal[k] + sign * vec_dot(r, d[i][3]);
        m->hessian[k + 1][k + 1] = m->diagonal[k + 1] + sign * vec_dot(r, d[i][5]);
        m->hessian[k][k + 1] = m->hessian[k + 1][k] = vec_dot(d[i][1], d[i][2]) + sign * vec_dot(r, d[i][4]);
    }
    if (c == NULL) {
        for (int k = 0; k < 2; k++)
            for (int l = 0; l < 2; l++)
                m->hessian[k][2 + l] = m->hessian[2 + l][k] = -vec_dot(d[0][1 + k], d[1][1 + l]);
    } else if (c->kind != CONVEX_POINTS || c->point_count > 1) {
        /* the derivative of the closest point Q, from differences: P_k . dQ/dP P_l */
        const tact_vec3 *p = d[1 - moving];
        const double step = number_min(NURBS_NEWTON_STEP, NURBS_NEWTON_STEP_FRACTION * vec_length(r)) + s->slack;
        tact_vec3 change[2];
        for (int l = 0; l < 2; l++) {
            const double length = vec_length(p[1 + l]);
            const double f = length > 0.0 ? step / length : 0.0;
            change[l] = vec_make(0.0, 0.0, 0.0);
            if (f > 0.0)
                change[l] = vec_scale(vec_sub(project(c, vec_mul_add(p[0], f, p[1 + l])), d[moving][0]), 1.0 / f);
        }
        const int k = 2 * (1 - moving);
        m->hessian[k][k] -= vec_dot(p[1], change[0]);
        m->hessian[k + 1][k + 1] -= vec_dot(p[2], change[1]);
        const double mixed = 0.5 * (vec_dot(p[1], change[1]) + vec_dot(p[2], change[0]));
        m->hessian[k][k + 1] -= mixed;
        m->hessian[k + 1][k] -= mixed;
    }
}

/* Solves (H + lambda D) step = -g for the free variables by Cholesky's method; the others get 0. False: not positive.
 */
static bool solve_step(const distance_model *m, double lambda, const bool is_free[4], double step[4])
{
    double l[4][4], y[4];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = is_free[i] && is_free[j] ? m->hessian[i][j] : 0.0;
            if (i == j)
                sum = is_free[i] ? sum + lambda * m->diagonal[i] : 1.0;
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i != j) {
                l[i][j] = sum / l[j][j];
                continue;
            }
            if (!(sum > NURBS_NEWTON_PIVOT * m->diagonal[i]))
                return false;
            l[i][i] = sqrt(sum);
        }
    }
    for (int i = 0; i < 4; i++) {
        y[i] = is_free[i] ? -m->gradient[i] : 0.0;
        for (int k = 0; k < i; k++)
            y[i] -= l[i][k] * y[k];
        y[i] /= l[i][i];
    }
    for (int i = 3; i >= 0; i--) {
        for (int k = i + 1; k < 4; k++)
            y[i] -= l[k][i] * y[k];
        y[i] /= l[i][i];
        step[i] = is_free[i] ? y[i] : 0.0;
    }
    return true;
}

/* Newton's method with the damping of Levenberg and Marquardt in the patches of both sides. */
static void newton(const nurbs_search *s, const uint32_t root[2], double x[4], distance_model *m)
{
    double lambda = 0.0;
    bool is_patch[2];
    for (int i = 0; i < 2; i++)
        is_patch[i] = s->side[i].nodes.items[root[i]].patch != SEARCH_CONVEX;
    model_at(s, root, x, true, m);
    for (int i = 0; i < NURBS_NEWTON_STEPS && m->value > 0.0; i++) {
        double step[4], y[4];
        bool is_free[4];
        for (int k = 0; k < 4; k++)
            is_free[k] = is_patch[k / 2] && m->diagonal[k] > 0.0 && !(x[k] <= 0.0 && m->gradient[k] > 0.0) &&
                         !(x[k] >= 1.0 && m->gradient[k] < 0.0);
        if (!solve_step(m, lambda, is_free, step)) {
            lambda = number_max(4.0 * lambda, NURBS_NEWTON_DAMPING);
            continue;
        }
        double decrease = 0.0;
        for (int k = 0; k < 4; k++) {
            y[k] = clamp_unit(x[k] + step[k]);
            decrease -= m->gradient[k] * (y[k] - x[k]);
        }
        if (decrease < 0.0) { /* a step that the sides of the patches cut off leads up: a damped one does not */
            lambda = number_max(8.0 * lambda, NURBS_NEWTON_DAMPING);
            continue;
        }
        distance_model next;
        model_at(s, root, y, true, &next);
        const bool done = !(decrease > 4.0 * DBL_EPSILON * m->value);
        if (next.value < m->value || (done && next.value <= m->value * (1.0 + 8.0 * DBL_EPSILON))) {
            *m = next;
            memcpy(x, y, sizeof y);
            lambda = lambda > NURBS_NEWTON_DAMPING ? 0.125 * lambda : 0.0;
        } else {
            lambda = number_max(8.0 * lambda, NURBS_NEWTON_DAMPING);
        }
        if (done)
            break;
    }
}

void tact_nurbs_search_improve_from(nurbs_search *s, const uint32_t root[2], double x[4])
{
    const double margins = s->side[0].nodes.items[root[0]].margin + s->side[1].nodes.items[root[1]].margin;
    distance_model m;
    newton(s, root, x, &m);
    const double distance = sqrt(2.0 * m.value) - margins;
    if (!(distance < s->upper))
        return;
    s->upper = distance > s->slack ? distance : 0.0;
    for (int i = 0; i < 2; i++)
        s->best[i] = (search_place){root[i], x[2 * i], x[2 * i + 1], m.point[i]};
    s->normal = m.value > 0.0 ? vec_normalize(vec_sub(m.point[1], m.point[0])) : vec_make(0.0, 0.0, 0.0);
}

/* The roots of two nodes and the coordinates of their middles. */
static void middle_of_pair(const nurbs_search *s, const uint32_t node[2], uint32_t root[2], double x[4])
{
    for (int i = 0; i < 2; i++) {
        const search_node *n = &s->side[i].nodes.items[node[i]];
        root[i] = n->root;
        x[2 * i] = x[2 * i + 1] = 0.0;
        if (n->patch != SEARCH_CONVEX)
            search_node_middle(n, &x[2 * i], &x[2 * i + 1]);
    }
}

void tact_nurbs_search_improve(nurbs_search *s, const uint32_t node[2])
{
    uint32_t root[2];
    double x[4];
    middle_of_pair(s, node, root, x);
    tact_nurbs_search_improve_from(s, root, x);
}

/* ---- branch and bound -------------------------------------------------------------------------------------------- */

static inline bool lower_first(const void *unused, const search_pair *a, const search_pair *b)
{
    (void)unused;
    if (a->lower != b->lower)
        return a->lower < b->lower;
    return a->node[0] != b->node[0] ? a->node[0] < b->node[0] : a->node[1] < b->node[1];
}
HEAP_OF(pair_heap, search_pair, const void *, lower_first)

/* Adds a pair, unless it is known not to be closer than `least`, nor closer than the best by more than the accuracy. */
static bool add_pair(nurbs_search *s, const uint32_t node[2], double least)
{
    const search_pair p = {max_double(least, lower_bound(s, node)), {node[0], node[1]}};
    if (p.lower >= s->upper - s->accuracy) {
        s->floor = number_min(s->floor, p.lower);
        return true;
    }
    if (!search_pair_array_reserve(&s->pairs, &s->allocator, s->pairs.count + 1))
        return false;
    pair_heap_push(NULL, s->pairs.items, s->pairs.count++, p);
    return true;
}

static double node_size(const search_node *n)
{
    return n->patch == SEARCH_CONVEX || (n->level[0] >= NURBS_SEARCH_LEVELS && n->level[1] >= NURBS_SEARCH_LEVELS)
               ? -1.0
               : vec_max_abs(vec_sub(n->high, n->low));
}

static void node_corners(const search_side *side, const search_node *n, tact_vec3 out[4])
{
    const nurbs_surface *surface = search_surface(side, n);
    const int k = surface->degree[1] + 1, size = (surface->degree[0] + 1) * k;
    const nurbs_vec4 *net = side->points.items + n->data;
    out[0] = search_cartesian(&net[0]);
    out[1] = search_cartesian(&net[k - 1]);
    out[2] = search_cartesian(&net[size - k]);
    out[3] = search_cartesian(&net[size - 1]);
}

/* The least distance of corners, which are points of the surfaces. */
static double corners_distance(const nurbs_search *s, const search_node *a, const search_node *b)
{
    tact_vec3 p[4], q[4];
    double least = INFINITY;
    node_corners(&s->side[0], a, p);
    node_corners(&s->side[1], b, q);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            least = -max_double(-least, -vec_length_squared(vec_sub(p[i], q[j])));
    return sqrt(least);
}

/* Whether points of both nodes, in the middle or at corners, are closer than the best ones. */
static bool is_closer(const nurbs_search *s, const uint32_t node[2])
{
    const search_node *a = &s->side[0].nodes.items[node[0]], *b = &s->side[1].nodes.items[node[1]];
    const double enough = s->upper + a->margin + b->margin;
    uint32_t root[2];
    double x[4];
    distance_model m;
    if (a->patch != SEARCH_CONVEX && b->patch != SEARCH_CONVEX)
        return corners_distance(s, a, b) < enough;
    middle_of_pair(s, node, root, x);
    model_at(s, root, x, false, &m);
    return sqrt(2.0 * m.value) < enough;
}

/* The variable (0 to 3: s and t of the first node, s and t of the second) across which a division improves the bound by
 * Taylor polynomials most; -1: none, or it has been divided enough. */
static int best_division(nurbs_search *s, const search_pair *p)
{
    const nurbs_quadratic *a = middle_of(&s->side[0], p->node[0]), *b = middle_of(&s->side[1], p->node[1]);
    const int k =
        a != NULL && b != NULL ? tact_nurbs_quadratic_divide(a, b, NURBS_QUADRATIC_GAP * (s->upper - p->lower)) : -1;
    if (k < 0)
        return k;
    const search_node *n = &s->side[k / 2].nodes.items[p->node[k / 2]];
    return n->patch != SEARCH_CONVEX && n->level[k % 2] < NURBS_SEARCH_LEVELS ? k : -1;
}

/* Divides a node of a pair: where the bound by Taylor polynomials gains most, or the larger one. False: out of memory.
 */
static bool divide_pair(nurbs_search *s, const search_pair *p)
{
    const double size[2] = {node_size(&s->side[0].nodes.items[p->node[0]]),
                            node_size(&s->side[1].nodes.items[p->node[1]])};
    if (size[0] < 0.0 && size[1] < 0.0) {
        s->floor = number_min(s->floor, p->lower);
        return true;
    }
    const int variable = best_division(s, p);
    const int side = variable >= 0 ? variable / 2 : size[0] < size[1];
    const uint32_t first = variable >= 0 ? tact_nurbs_search_divide_along(s, side, p->node[side], variable % 2)
                                         : tact_nurbs_search_divide(s, side, p->node[side]);
    if (first == UINT32_MAX)
        return false;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t node[2] = {p->node[0], p->node[1]};
        node[side] = first + half;
        if (!add_pair(s, node, p->lower))
            return false;
    }
    return true;
}

static inline bool candidate_before(const void *unused, const search_candidate *a, const search_candidate *b)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        if (a->leaf[i] != b->leaf[i])
            return a->leaf[i] < b->leaf[i];
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i];
    }
    return a->lower < b->lower;
}
HEAP_SORT_OF(sort_candidates, search_candidate, const void *, candidate_before)

static uint32_t candidate_node(nurbs_search *s, const search_candidate *c, int side)
{
    const search_leaf *leaf = &s->side[side].leaves.items[c->leaf[side]];
    if (leaf->of.shape->nurbs != NULL)
        return tact_nurbs_search_cell(s, side, c->leaf[side], c->key[side]);
    const primitive p = {&leaf->of, c->key[side]};
    convex shape;
    if (tact_primitive_convex(&p, &shape) != TACT_OK)
        return UINT32_MAX; /* it was usable before */
    return tact_nurbs_search_primitive(s, side, c->leaf[side], &shape, c->key[side]);
}

static bool same_key(const search_candidate *a, const search_candidate *b, int side)
{
    return a->leaf[side] == b->leaf[side] && a->key[side] == b->key[side];
}

/* Makes pairs of the candidates, each once. False: out of memory. */
static bool add_candidates(nurbs_search *s)
{
    search_candidate *c = s->candidates.items;
    uint32_t node[2] = {UINT32_MAX, UINT32_MAX};
    if (s->candidates.count > 0)
        sort_candidates(NULL, c, s->candidates.count);
    for (size_t i = 0; i < s->candidates.count; i++) {
        if (i > 0 && same_key(&c[i], &c[i - 1], 0) && same_key(&c[i], &c[i - 1], 1))
            continue; /* its lower bound is greater, and both parts are in it */
        if (c[i].lower >= s->upper - s->accuracy) {
            s->floor = number_min(s->floor, c[i].lower);
            continue;
        }
        for (int k = 0; k < 2; k++) {
            node[k] = candidate_node(s, &c[i], k);
            if (node[k] == UINT32_MAX)
                return false;
        }
        if (!add_pair(s, node, c[i].lower))
            return false;
    }
    return true;
}

/* ---- all patches ------------------------------------------------------------------------------------------------- */

static inline bool extends_farther(const void *unused, const search_root *a, const search_root *b)
{
    (void)unused;
    return a->extent != b->extent ? a->extent > b->extent : a->number < b->number;
}
HEAP_SORT_OF(sort_roots, search_root, const void *, extends_farther)

static bool add_root(nurbs_search *s, search_root_array *to, const search_root *root, double *most)
{
    *most = max_double(*most, root->extent);
    return search_root_array_push(to, &s->allocator, *root);
}

/* The patches of a side, not yet as nodes: boxes of their control points, and extents along n. The largest extent is
 * returned in `most`. False: out of memory. */
static bool find_roots(nurbs_search *s, int side, tact_vec3 n, double *most)
{
    search_side *of = &s->side[side];
    bool fine = true;
    *most = -INFINITY;
    for (size_t i = 0; i < of->roots.count && fine; i++) {
        const search_node *node = &of->nodes.items[of->roots.items[i]];
        const search_root root = {node->low, node->high, extent_along(of, node, n), 0, of->roots.items[i]};
        fine = add_root(s, &of->found, &root, most);
    }
    if (of->roots.count > 0)
        return fine;
    const instance *leaf = &of->leaves.items[0].of;
    const nurbs_tessellation *t = &leaf->shape->nurbs->tessellation;
    const nurbs_model *m = t->model;
    const uint32_t count = nurbs_point_count(m);
    const tact_vec3 offset = vec_sub(leaf->at.origin, s->origin);
    search_point_array points = {0}; /* all control points; w is the extent */
    fine = search_point_array_reserve(&points, &s->allocator, count);
    for (uint32_t i = 0; i < count && fine; i++) {
        const tact_vec3 p = vec_scale(vec_add(vec_transform(&leaf->at, t->points[i]), offset), s->scale);
        points.items[i] = (nurbs_vec4){p.x, p.y, p.z, vec_dot(n, p)};
    }
    for (uint32_t i = 0; i < m->patch_count && fine; i++) {
        const nurbs_patch *p = &m->patches[i];
        const nurbs_surface *f = &m->surfaces[p->surface];
        const nurbs_vec4 *first = points.items + m->first_point[p->surface] +
                                  (f->spans[0][p->span[0]] - (size_t)f->degree[0]) * f->counts[1] +
                                  f->spans[1][p->span[1]] - (size_t)f->degree[1];
        search_root root = {.low = {INFINITY, INFINITY, INFINITY},
                            .high = {-INFINITY, -INFINITY, -INFINITY},
                            .extent = -INFINITY,
                            .number = i,
                            .node = UINT32_MAX};
        for (int k = 0; k <= f->degree[0]; k++)
            for (int l = 0; l <= f->degree[1]; l++) {
                const nurbs_vec4 *c = first + (size_t)k * f->counts[1] + l;
                root.low = vec_make(-max_double(-root.low.x, -c->x), -max_double(-root.low.y, -c->y),
                                    -max_double(-root.low.z, -c->z));
                root.high = vec_make(max_double(root.high.x, c->x), max_double(root.high.y, c->y),
                                     max_double(root.high.z, c->z));
                root.extent = max_double(root.extent, c->w);
            }
        fine = add_root(s, &of->found, &root, most);
    }
    search_point_array_release(&points, &s->allocator);
    return fine;
}

static double largest_margin(const nurbs_search *s, int side)
{
    const search_side *of = &s->side[side];
    return of->roots.count > 0 ? of->nodes.items[of->roots.items[0]].margin : of->leaves.items[0].margin;
}

/* Keeps the roots of a side that may be close enough; `other` is the largest extent of the other side. */
static void keep_roots(nurbs_search *s, search_root_array *roots, double other, double margins)
{
    size_t kept = 0;
    for (size_t i = 0; i < roots->count; i++) {
        const double gap = max_double(-other - roots->items[i].extent - margins, 0.0);
        if (gap >= s->upper - s->accuracy)
            s->floor = number_min(s->floor, gap);
        else
            roots->items[kept++] = roots->items[i];
    }
    roots->count = kept;
}

static bool make_root(nurbs_search *s, int side, search_root *root)
{
    if (root->node == UINT32_MAX)
        root->node = tact_nurbs_search_patch(s, side, 0, root->number);
    return root->node != UINT32_MAX;
}

/* Makes the pairs of one root with those of side 1, in the order of their extents. False: out of memory. */
static bool pair_root(nurbs_search *s, search_root *p, double margins)
{
    search_root_array *others = &s->side[1].found;
    for (size_t i = 0; i < others->count; i++) {
        search_root *q = &others->items[i];
        const double gap = max_double(-q->extent - p->extent - margins, 0.0);
        if (gap >= s->upper - s->accuracy) {
            s->floor = number_min(s->floor, gap);
            return true; /* the rest is farther */
        }
        const double apart = box_distance(p->low, p->high, q->low, q->high) - margins;
        if (apart >= s->upper - s->accuracy) {
            s->floor = number_min(s->floor, apart);
            continue;
        }
        if (!make_root(s, 0, p) || !make_root(s, 1, q))
            return false;
        const uint32_t node[2] = {p->node, q->node};
        if (!add_pair(s, node, gap))
            return false;
    }
    return true;
}

bool tact_nurbs_search_all_patches(nurbs_search *s)
{
    const double margins = largest_margin(s, 0) + largest_margin(s, 1) + s->slack;
    search_root_array *a = &s->side[0].found, *b = &s->side[1].found;
    double extent[2];
    bool fine = find_roots(s, 0, s->normal, &extent[0]) && find_roots(s, 1, vec_negate(s->normal), &extent[1]);
    if (fine) {
        keep_roots(s, a, extent[1], margins);
        keep_roots(s, b, extent[0], margins);
        if (a->count > 1 && b->count > NURBS_SEARCH_ROOT_PAIRS / a->count) {
            s->floor = 0.0;
            return false;
        }
        if (b->count > 1)
            sort_roots(NULL, b->items, b->count);
    }
    for (size_t i = 0; fine && i < a->count; i++)
        fine = pair_root(s, &a->items[i], margins);
    if (!fine) {
        s->floor = 0.0;
        s->status = TACT_OUT_OF_MEMORY;
    }
    return fine;
}

void tact_nurbs_search_run(nurbs_search *s)
{
    bool fine = add_candidates(s);
    if (!fine)
        s->floor = 0.0;
    while (fine && s->pairs.count > 0 && s->upper > 0.0) {
        const search_pair top = s->pairs.items[0];
        if (top.lower >= s->upper - s->accuracy)
            break;
        if (s->work >= s->max_work || !work_add(tact_work_current(), NURBS_SEARCH_UNITS)) {
            s->status = TACT_NOT_CONVERGED;
            break;
        }
        s->work++;
        pair_heap_pop(NULL, s->pairs.items, s->pairs.count--);
        if (is_closer(s, top.node))
            tact_nurbs_search_improve(s, top.node);
        fine = divide_pair(s, &top);
        if (!fine)
            s->floor = number_min(s->floor, top.lower);
    }
    if (!fine)
        s->status = TACT_OUT_OF_MEMORY;
}

double tact_nurbs_search_floor(const nurbs_search *s)
{
    double lower = number_min(s->floor, s->upper);
    if (s->pairs.count > 0)
        lower = number_min(lower, s->pairs.items[0].lower);
    return number_max(lower, 0.0);
}
