/* The nodes of a search (nurbs_search.h): leaves, parts of patches, primitives and points of them. */
#include "complex/nurbs_search.h"
#include "core/number.h"
#include "core/sse2.h"

#include <float.h>
#include <string.h>

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

void tact_nurbs_search_begin(nurbs_search *s, tact_vec3 origin, double reach, int degrees, double accuracy,
                             size_t max_work, const tact_allocator *allocator)
{
    memset(s, 0, sizeof *s);
    s->allocator = *allocator;
    s->origin = origin;
    (void)frexp(reach, &s->exponent);
    s->exponent = -s->exponent;
    s->scale = ldexp(1.0, s->exponent);
    s->slack = NURBS_SEARCH_ROUNDOFF * (degrees + 4);
    s->accuracy = number_max(accuracy * s->scale, 4.0 * s->slack);
    s->upper = s->floor = INFINITY;
    s->max_work = max_work;
    s->status = TACT_OK;
}

void tact_nurbs_search_end(nurbs_search *s)
{
    for (int i = 0; i < 2; i++) {
        search_side *side = &s->side[i];
        for (size_t k = 0; k < side->leaves.count; k++)
            tact_memory_free(&s->allocator, side->leaves.items[k].roots, side->leaves.items[k].patches,
                             sizeof(uint32_t));
        search_leaf_array_release(&side->leaves, &s->allocator);
        search_node_array_release(&side->nodes, &s->allocator);
        search_quadratic_array_release(&side->middles, &s->allocator);
        search_point_array_release(&side->points, &s->allocator);
        search_convex_array_release(&side->primitives, &s->allocator);
        search_index_array_release(&side->roots, &s->allocator);
        search_root_array_release(&side->found, &s->allocator);
    }
    search_pair_array_release(&s->pairs, &s->allocator);
    search_candidate_array_release(&s->candidates, &s->allocator);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

uint32_t tact_nurbs_search_leaf(nurbs_search *s, int side, const instance *of)
{
    search_leaf_array *leaves = &s->side[side].leaves;
    for (size_t i = leaves->count; i-- > 0;)
        if (leaves->items[i].of.leaf == of->leaf && leaves->items[i].of.shape == of->shape)
            return (uint32_t)i;
    search_leaf leaf = {.of = *of};
    const tact_shape *shape = of->shape;
    if (shape->nurbs != NULL) {
        const double error = shape->surface_error * (1.0 + SURFACE_ERROR_SLACK) * transform_stretch_bound(&of->at);
        leaf.error = error * s->scale;
        leaf.margin = number_max(of->margin - error, 0.0) * s->scale;
        leaf.patches = shape->nurbs->model->patch_count;
        const nurbs_tessellation *t = &shape->nurbs->tessellation;
        double most = 0.0;
        for (uint32_t i = 0; i < leaf.patches; i++)
            most = number_max(most, t->patch_error[i]);
        leaf.stretch = (1.0 + SURFACE_ERROR_SLACK) * transform_stretch_bound(&of->at) * s->scale;
        leaf.gap = number_max(t->error - most, 0.0) * leaf.stretch + s->slack;
        leaf.roots = tact_memory_allocate(&s->allocator, leaf.patches, sizeof(uint32_t));
        if (leaf.roots == NULL)
            return UINT32_MAX;
        memset(leaf.roots, 0, leaf.patches * sizeof(uint32_t));
        s->surfaces[side] = true;
    }
    if (search_leaf_array_push(leaves, &s->allocator, leaf))
        return (uint32_t)leaves->count - 1;
    tact_memory_free(&s->allocator, leaf.roots, leaf.patches, sizeof(uint32_t));
    return UINT32_MAX;
}

/* Capacity for `count` more nodes. False: out of memory. */
static bool reserve_nodes(nurbs_search *s, search_side *to, size_t count)
{
    return search_node_array_reserve(&to->nodes, &s->allocator, to->nodes.count + count) &&
           (s->first_order || search_quadratic_array_reserve(&to->middles, &s->allocator, to->nodes.count + count));
}

uint32_t tact_nurbs_search_primitive(nurbs_search *s, int side, uint32_t leaf, const convex *c, uint32_t element)
{
    search_side *to = &s->side[side];
    convex local = *c;
    local.transform.origin = vec_sub(local.transform.origin, s->origin);
    tact_convex_scale(&local, s->exponent);
    search_node n = {.leaf = leaf,
                     .patch = SEARCH_CONVEX,
                     .root = (uint32_t)to->nodes.count,
                     .data = (uint32_t)to->primitives.count,
                     .element = element,
                     .margin = local.margin};
    local.margin = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const tact_vec3 up = vec_make(axis == 0, axis == 1, axis == 2);
        const tact_vec3 high = vec_add(tact_convex_support(&local, up, NULL), local.transform.origin),
                        low = vec_add(tact_convex_support(&local, vec_negate(up), NULL), local.transform.origin);
        *(axis == 0 ? &n.high.x : axis == 1 ? &n.high.y : &n.high.z) = vec_component(high, axis);
        *(axis == 0 ? &n.low.x : axis == 1 ? &n.low.y : &n.low.z) = vec_component(low, axis);
    }
    n.centre = vec_scale(vec_add(n.low, n.high), 0.5);
    if (!reserve_nodes(s, to, 1) || !search_convex_array_push(&to->primitives, &s->allocator, local))
        return UINT32_MAX;
    if (!s->first_order && local.kind == CONVEX_POINTS && local.point_count == 1) {
        tact_nurbs_quadratic_point(&to->middles.items[n.root], n.centre);
        n.fitted = true;
    }
    to->nodes.items[to->nodes.count++] = n;
    return n.root;
}

/* Sets box and centre of a node from its control points. */
static void bound_node(search_node *n, const nurbs_vec4 *net, const int degree[2])
{
    const int k = degree[1] + 1, size = (degree[0] + 1) * k;
    n->low = n->high = search_cartesian(&net[0]);
    for (int i = 1; i < size; i++) {
        const tact_vec3 p = search_cartesian(&net[i]);
        n->low = vec_make(-max_double(-n->low.x, -p.x), -max_double(-n->low.y, -p.y), -max_double(-n->low.z, -p.z));
        n->high = vec_make(max_double(n->high.x, p.x), max_double(n->high.y, p.y), max_double(n->high.z, p.z));
    }
    const tact_vec3 a = vec_add(search_cartesian(&net[0]), search_cartesian(&net[size - 1])),
                    b = vec_add(search_cartesian(&net[k - 1]), search_cartesian(&net[size - k]));
    n->centre = vec_scale(vec_add(a, b), 0.25);
}

uint32_t tact_nurbs_search_patch(nurbs_search *s, int side, uint32_t leaf, uint32_t patch)
{
    search_side *to = &s->side[side];
    search_leaf *l = &to->leaves.items[leaf];
    if (l->roots[patch] != 0)
        return l->roots[patch] - 1;
    const nurbs_geometry *g = l->of.shape->nurbs;
    const nurbs_patch *p = &g->model->patches[patch];
    const nurbs_surface *surface = &g->model->surfaces[p->surface];
    const int size = (surface->degree[0] + 1) * (surface->degree[1] + 1);
    const size_t first = to->points.count;
    if (!search_point_array_reserve(&to->points, &s->allocator, first + (size_t)size) || !reserve_nodes(s, to, 1))
        return UINT32_MAX;
    nurbs_vec4 *net = to->points.items + first;
    tact_nurbs_extract_patch(surface, g->tessellation.points + g->model->first_point[p->surface], p->span, net);
    const tact_transform *at = &l->of.at;
    const tact_vec3 offset = vec_sub(at->origin, s->origin);
    for (int i = 0; i < size; i++) {
        const double w = net[i].w;
        const tact_vec3 v =
            vec_scale(vec_mul_add(vec_transform(at, vec_make(net[i].x, net[i].y, net[i].z)), w, offset), s->scale);
        net[i] = (nurbs_vec4){v.x, v.y, v.z, w};
    }
    search_node n = {.leaf = leaf,
                     .patch = patch,
                     .root = (uint32_t)to->nodes.count,
                     .data = (uint32_t)first,
                     .siblings = UINT32_MAX,
                     .margin = l->margin};
    bound_node(&n, net, surface->degree);
    to->points.count += (size_t)size;
    to->nodes.items[to->nodes.count++] = n;
    l->roots[patch] = n.root + 1;
    return n.root;
}

/* Places of two nodes, and of their nets of `size` control points: `data` of the first one. UINT32_MAX: out of memory.
 */
static uint32_t new_parts(nurbs_search *s, search_side *to, size_t size)
{
    uint32_t first = to->recycled;
    if (first != 0) {
        search_node *n = &to->nodes.items[first];
        to->recycled = n->first_child;
        return first;
    }
    const size_t data = to->points.count;
    if (!search_point_array_reserve(&to->points, &s->allocator, data + 2 * size) || !reserve_nodes(s, to, 2))
        return UINT32_MAX;
    to->points.count += 2 * size;
    first = (uint32_t)to->nodes.count;
    to->nodes.count += 2;
    to->nodes.items[first].data = (uint32_t)data;
    return first;
}

uint32_t tact_nurbs_search_divide_along(nurbs_search *s, int side, uint32_t node, int d)
{
    search_side *to = &s->side[side];
    const search_node above = to->nodes.items[node];
    if (above.first_child != 0)
        return above.first_child;
    const nurbs_surface *surface = search_surface(to, &above);
    const size_t size = (size_t)(surface->degree[0] + 1) * (size_t)(surface->degree[1] + 1);
    const uint32_t first = new_parts(s, to, to->recycles ? to->net_size : size);
    if (first == UINT32_MAX)
        return UINT32_MAX;
    const uint32_t data = to->nodes.items[first].data;
    tact_bezier_halve(to->points.items + above.data, surface->degree, d, to->points.items + data);
    to->nodes.items[node].first_child = first;
    to->nodes.items[node].direction = (uint8_t)d;
    for (unsigned k = 0; k < 2; k++) {
        search_node *n = &to->nodes.items[first + k];
        *n = above;
        n->index[d] = 2 * above.index[d] + k;
        n->level[d]++;
        n->fitted = false;
        n->data = (uint32_t)(data + k * size);
        n->siblings = first;
        n->users = 1;
        bound_node(n, to->points.items + n->data, surface->degree);
    }
    return first;
}

void tact_nurbs_search_recycle(nurbs_search *s, int side)
{
    search_side *to = &s->side[side];
    const nurbs_model *m = to->leaves.items[0].of.shape->nurbs->model;
    to->recycles = true;
    for (uint32_t i = 0; i < m->surface_count; i++) {
        const uint32_t size = (uint32_t)((m->surfaces[i].degree[0] + 1) * (m->surfaces[i].degree[1] + 1));
        to->net_size = size > to->net_size ? size : to->net_size;
    }
}

void tact_nurbs_search_unuse(nurbs_search *s, int side, uint32_t node)
{
    search_side *of = &s->side[side];
    search_node *n = &of->nodes.items[node];
    if (--n->users > 0)
        return;
    const uint32_t parts = n->first_child;
    n->first_child = 0;
    for (uint32_t k = 0; parts != 0 && k < 2; k++)
        tact_nurbs_search_unuse(s, side, parts + k); /* as deep as the levels of a node */
    if (n->siblings == UINT32_MAX)                   /* roots stay */
        return;
    search_node *first = &of->nodes.items[n->siblings];
    if (first[0].users == 0 && first[1].users == 0) {
        first->first_child = of->recycled;
        of->recycled = n->siblings;
    }
}

static double polygon_length(const nurbs_vec4 *net, int count, int stride)
{
    double sum = 0.0;
    tact_vec3 last = search_cartesian(net);
    for (int i = 1; i < count; i++) {
        const tact_vec3 next = search_cartesian(net + i * stride);
        sum += vec_length(vec_sub(next, last));
        last = next;
    }
    return sum;
}

/* The direction in which a node is longer. */
static int longer_direction(const search_side *side, const search_node *n)
{
    const nurbs_surface *surface = search_surface(side, n);
    const int p = surface->degree[0], q = surface->degree[1], k = q + 1;
    const nurbs_vec4 *net = side->points.items + n->data;
    double length[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) { /* the boundary */
        length[0] = max_double(length[0], polygon_length(net + i * q, p + 1, k));
        length[1] = max_double(length[1], polygon_length(net + i * p * k, q + 1, 1));
    }
    if (n->level[0] >= NURBS_SEARCH_LEVELS || n->level[1] >= NURBS_SEARCH_LEVELS)
        return n->level[0] >= NURBS_SEARCH_LEVELS;
    return length[1] > length[0];
}

uint32_t tact_nurbs_search_divide(nurbs_search *s, int side, uint32_t node)
{
    const search_node *n = &s->side[side].nodes.items[node];
    return n->first_child != 0 ? n->first_child
                               : tact_nurbs_search_divide_along(s, side, node, longer_direction(&s->side[side], n));
}

uint32_t tact_nurbs_search_cell(nurbs_search *s, int side, uint32_t leaf, uint32_t cell)
{
    const nurbs_tessellation *t = &s->side[side].leaves.items[leaf].of.shape->nurbs->tessellation;
    const nurbs_cell *c = &t->cells.items[cell];
    uint32_t node = tact_nurbs_search_patch(s, side, leaf, c->patch);
    /* alternately: nodes above a cell are never divided otherwise */
    for (int step = 0; step < 2 * c->level && node != UINT32_MAX; step++) {
        const int d = step % 2, level = c->level - 1 - step / 2;
        const uint32_t first = tact_nurbs_search_divide_along(s, side, node, d);
        node = first != UINT32_MAX ? first + ((uint32_t)(d == 0 ? c->x : c->y) >> level & 1u) : UINT32_MAX;
    }
    return node;
}

double tact_nurbs_search_cell_error(const nurbs_search *s, int side, uint32_t leaf, uint32_t cell)
{
    const search_leaf *l = &s->side[side].leaves.items[leaf];
    const nurbs_model *m = l->of.shape->nurbs->model;
    const uint32_t patch = l->of.shape->nurbs->tessellation.cells.items[cell].patch;
    if (m->trims[m->patches[patch].surface] != NULL || m->edge_count > 0)
        return l->error; /* its edges are approximated, too */
    return number_min(l->error, l->of.shape->nurbs->tessellation.cells.items[cell].error * l->stretch + l->gap);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

void tact_search_bernstein(int p, double t, double out[3][NURBS_MAX_ORDER])
{
    double *b = out[0];
    const double back = 1.0 - t;
    for (int i = 0; i <= p; i++)
        b[i] = out[1][i] = out[2][i] = 0.0;
    b[0] = 1.0;
    for (int degree = 0; degree < p; degree++) {
        if (degree == p - 2)
            for (int i = 0; i <= degree; i++) {
                const double c = p * (p - 1) * b[i];
                out[2][i] += c, out[2][i + 1] -= 2.0 * c, out[2][i + 2] += c;
            }
        if (degree == p - 1)
            for (int i = 0; i <= degree; i++)
                out[1][i] -= p * b[i], out[1][i + 1] += p * b[i];
        for (int i = degree + 1; i > 0; i--)
            b[i] = back * b[i] + t * b[i - 1];
        b[0] *= back;
    }
}

static void add_scaled(nurbs_vec4 *to, double f, const nurbs_vec4 *a)
{
    to->x += f * a->x, to->y += f * a->y, to->z += f * a->z, to->w += f * a->w;
}

static tact_vec3 xyz(const nurbs_vec4 *a) { return vec_make(a->x, a->y, a->z); }

void tact_nurbs_search_evaluate(const search_side *side, uint32_t root, double s, double t, tact_vec3 out[6])
{
    static const int derivative[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    const search_node *n = &side->nodes.items[root];
    const nurbs_surface *surface = search_surface(side, n);
    const int p = surface->degree[0], q = surface->degree[1];
    const nurbs_vec4 *net = side->points.items + n->data;
    double along_s[3][NURBS_MAX_ORDER], along_t[3][NURBS_MAX_ORDER];
    nurbs_vec4 sum[6] = {{0}};
    tact_search_bernstein(p, s, along_s);
    tact_search_bernstein(q, t, along_t);
    for (int i = 0; i <= p; i++) {
        nurbs_vec4 row[3] = {{0}};
        for (int j = 0; j <= q; j++)
            for (int k = 0; k < 3; k++)
                add_scaled(&row[k], along_t[k][j], &net[i * (q + 1) + j]);
        for (int k = 0; k < 6; k++)
            add_scaled(&sum[k], along_s[derivative[k][0]][i], &row[derivative[k][1]]);
    }
    for (int k = 0; k < 6; k++)
        out[k] = xyz(&sum[k]);
    if (surface->weights != NULL)
        search_divide_by_weight(sum, out);
}

typedef struct packed_vec4 {
    __m128d xy, zw;
} packed_vec4;

static inline void add_packed(packed_vec4 *to, double f, const packed_vec4 *a)
{
    const __m128d factor = _mm_set1_pd(f);
    to->xy = _mm_add_pd(to->xy, _mm_mul_pd(factor, a->xy));
    to->zw = _mm_add_pd(to->zw, _mm_mul_pd(factor, a->zw));
}

void tact_nurbs_search_evaluate_first(const search_side *side, uint32_t root, double s, double t, tact_vec3 out[3])
{
    const search_node *n = &side->nodes.items[root];
    const nurbs_surface *surface = search_surface(side, n);
    const int p = surface->degree[0], q = surface->degree[1];
    const nurbs_vec4 *net = side->points.items + n->data;
    double along[2][2][NURBS_MAX_ORDER];
    const double at[2] = {s, t};
    for (int d = 0; d < 2; d++) {
        const int degree = d == 0 ? p : q;
        double *b = along[d][0], *first = along[d][1];
        b[0] = 1.0;
        for (int k = 1; k <= degree; k++) {
            if (k == degree) {
                first[0] = -degree * b[0];
                for (int i = 1; i < degree; i++)
                    first[i] = degree * (b[i - 1] - b[i]);
                first[degree] = degree * b[degree - 1];
            }
            b[k] = at[d] * b[k - 1];
            for (int i = k - 1; i > 0; i--)
                b[i] = (1.0 - at[d]) * b[i] + at[d] * b[i - 1];
            b[0] *= 1.0 - at[d];
        }
    }
    const packed_vec4 none = {_mm_setzero_pd(), _mm_setzero_pd()};
    packed_vec4 packed[3] = {none, none, none};
    for (int i = 0; i <= p; i++) {
        packed_vec4 row[2] = {none, none};
        for (int j = 0; j <= q; j++, net++) {
            const packed_vec4 c = {_mm_loadu_pd(&net->x), _mm_loadu_pd(&net->z)};
            add_packed(&row[0], along[1][0][j], &c);
            add_packed(&row[1], along[1][1][j], &c);
        }
        add_packed(&packed[0], along[0][0][i], &row[0]);
        add_packed(&packed[1], along[0][1][i], &row[0]);
        add_packed(&packed[2], along[0][0][i], &row[1]);
    }
    nurbs_vec4 sum[3];
    for (int k = 0; k < 3; k++) {
        _mm_storeu_pd(&sum[k].x, packed[k].xy);
        _mm_storeu_pd(&sum[k].z, packed[k].zw);
        out[k] = xyz(&sum[k]);
    }
    if (surface->weights == NULL)
        return;
    const double over = 1.0 / sum[0].w;
    out[0] = vec_scale(out[0], over);
    out[1] = vec_scale(vec_mul_add(out[1], -sum[1].w, out[0]), over);
    out[2] = vec_scale(vec_mul_add(out[2], -sum[2].w, out[0]), over);
}

/* ---- shapes with surfaces ---------------------------------------------------------------------------------------- */

typedef struct degree_search {
    int degrees;
    double error;
} degree_search;

static bool visit_degrees(void *context, const instance *leaf)
{
    degree_search *s = context;
    const nurbs_geometry *g = leaf->shape->nurbs;
    if (g == NULL)
        return true;
    s->error = number_max(s->error, leaf->shape->surface_error * (1.0 + SURFACE_ERROR_SLACK) *
                                        transform_stretch_bound(&leaf->at));
    for (uint32_t i = 0; i < g->model->surface_count; i++)
        if (g->model->surfaces[i].degree[0] + g->model->surfaces[i].degree[1] > s->degrees)
            s->degrees = g->model->surfaces[i].degree[0] + g->model->surfaces[i].degree[1];
    return true;
}

int tact_nurbs_degrees(const instance *p, double *error)
{
    degree_search s = {-1, 0.0};
    (void)tact_traverse_leaves(p, visit_degrees, &s);
    *error = s.error;
    return s.degrees;
}
