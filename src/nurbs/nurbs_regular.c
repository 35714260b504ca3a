/* Regular tessellations: see the header. */
#include "nurbs/nurbs_regular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/report.h"
#include "math/elementary.h"

/* ---- vertices by their keys ---- */

/* Finds the number of a vertex by its key. */
typedef struct vertex_finder {
    uint64_t *keys; /* 0: empty */
    uint32_t *numbers;
    size_t capacity; /* a power of two, at least 4/3 of the number of keys */
} vertex_finder;

static void finder_release(vertex_finder *f, const tact_allocator *allocator)
{
    tact_memory_free(allocator, f->keys, f->capacity, sizeof *f->keys);
    tact_memory_free(allocator, f->numbers, f->capacity, sizeof *f->numbers);
}

/* Room for `count` keys. False: out of memory. */
static bool finder_init(vertex_finder *f, size_t count, const tact_allocator *allocator)
{
    for (f->capacity = 16; f->capacity < count + count / 3 + 1;)
        f->capacity *= 2;
    f->keys = tact_memory_allocate(allocator, f->capacity, sizeof *f->keys);
    f->numbers = tact_memory_allocate(allocator, f->capacity, sizeof *f->numbers);
    if (f->keys == NULL || f->numbers == NULL) {
        finder_release(f, allocator);
        return false;
    }
    memset(f->keys, 0, f->capacity * sizeof *f->keys);
    return true;
}

static size_t finder_entry(const vertex_finder *f, uint64_t key)
{
    size_t i = (size_t)hash_mix(key) & (f->capacity - 1);
    while (f->keys[i] != 0 && f->keys[i] != key)
        i = (i + 1) & (f->capacity - 1);
    return i;
}

static void finder_add(vertex_finder *f, uint64_t key, uint32_t number)
{
    const size_t i = finder_entry(f, key);
    if (f->keys[i] == 0) {
        f->keys[i] = key;
        f->numbers[i] = number;
    }
}

static bool finder_has(const vertex_finder *f, uint64_t key) { return f->keys[finder_entry(f, key)] != 0; }

/* UINT32_MAX: there is none. */
static uint32_t finder_number(const vertex_finder *f, uint64_t key)
{
    const size_t i = finder_entry(f, key);
    return f->keys[i] != 0 ? f->numbers[i] : UINT32_MAX;
}

/* ---- divisions ---- */

/* Appends the cell and those below it, depth first. `also`: cells that are to be divided, too, or NULL. */
static void write_division(const nurbs_tessellation *t, uint32_t cell, const uint8_t *also, uint8_t *divided,
                           size_t *at)
{
    const uint32_t child = t->cells.items[cell].first_child;
    const bool divide = also != NULL && also[cell] != 0;
    divided[(*at)++] = child != 0 || divide;
    for (uint32_t k = 0; k < 4 && child != 0; k++)
        write_division(t, child + k, also, divided, at);
    for (uint32_t k = 0; k < 4 && child == 0 && divide; k++)
        divided[(*at)++] = 0;
}

/* As tact_nurbs_division_make, with `extra` leaves divided. */
static bool make_division(nurbs_division *d, const nurbs_tessellation *t, const uint8_t *also, size_t extra)
{
    d->count = t->cells.count + 4 * extra;
    d->divided = tact_memory_allocate(&t->allocator, d->count, 1);
    if (d->divided == NULL) {
        d->count = 0;
        return false;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < t->model->patch_count; i++)
        write_division(t, t->first_cell[i], also, d->divided, &at);
    return true;
}

bool tact_nurbs_division_make(nurbs_division *d, const nurbs_tessellation *t) { return make_division(d, t, NULL, 0); }

void tact_nurbs_division_release(nurbs_division *d, const tact_allocator *allocator)
{
    tact_memory_free(allocator, d->divided, d->count, 1);
    *d = (nurbs_division){0};
}

bool tact_nurbs_same_cells(const nurbs_tessellation *a, const nurbs_tessellation *b)
{
    bool same = a->cells.count == b->cells.count && a->triangles.count == b->triangles.count;
    for (size_t i = 0; same && i < a->cells.count; i++)
        same = a->cells.items[i].first_child == b->cells.items[i].first_child &&
               a->cells.items[i].patch == b->cells.items[i].patch;
    return same;
}

/* ---- balance ---- */

/* Whether a leaf has a vertex at a quarter of one of its sides: then cells beside it are more than a level finer. */
static bool is_unbalanced(const nurbs_tessellation *t, const vertex_finder *corners, const nurbs_cell *c)
{
    const nurbs_patch *p = &t->model->patches[c->patch];
    const uint32_t side = 1u << (NURBS_GRID_LEVEL - c->level), x0 = c->x * side, y0 = c->y * side;
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t fixed = (k == 0 ? y0 : k == 1 ? x0 + side : k == 2 ? y0 + side : x0);
        const bool border = fixed == (k == 1 || k == 2 ? NURBS_GRID : 0);
        if (border && p->side[k] == NURBS_POLE)
            continue;
        for (uint32_t quarter = 1; quarter < 4; quarter += 2) {
            const uint32_t along = (k % 2 == 0 ? x0 : y0) + quarter * (side / 4);
            const uint64_t key = k % 2 == 0 ? tact_nurbs_vertex_key(t->model, c->patch, along, fixed)
                                            : tact_nurbs_vertex_key(t->model, c->patch, fixed, along);
            if (finder_has(corners, key))
                return true;
        }
    }
    return false;
}

/* Marks the leaves that are too large beside others. False: out of memory. */
static bool mark_unbalanced(const nurbs_tessellation *t, uint8_t *marks, size_t *count)
{
    vertex_finder corners;
    if (!finder_init(&corners, 4 * t->cells.count, &t->allocator))
        return false;
    for (size_t i = 0; i < t->cells.count; i++) {
        const nurbs_cell *c = &t->cells.items[i];
        const unsigned shift = NURBS_GRID_LEVEL - c->level;
        for (uint32_t k = 0; k < 4 && c->first_child == 0; k++)
            finder_add(&corners,
                       tact_nurbs_vertex_key(t->model, c->patch, (c->x + k % 2) << shift, (c->y + k / 2) << shift), 0);
    }
    *count = 0;
    for (size_t i = 0; i < t->cells.count; i++) {
        const nurbs_cell *c = &t->cells.items[i];
        marks[i] = c->first_child == 0 && is_unbalanced(t, &corners, c);
        *count += marks[i];
    }
    finder_release(&corners, &t->allocator);
    return true;
}

bool tact_nurbs_divide_regularly(nurbs_tessellation *t, const nurbs_division *required, tact_report *report)
{
    nurbs_division division = {0};
    bool fine = tact_nurbs_divide_patches(t, required, report);
    while (fine) {
        const size_t cells = t->cells.count;
        uint8_t *marks = tact_memory_allocate(&t->allocator, cells, 1);
        size_t count = 0;
        tact_nurbs_division_release(&division, &t->allocator);
        fine = marks != NULL && mark_unbalanced(t, marks, &count) &&
               (count == 0 || make_division(&division, t, marks, count));
        if (!fine)
            (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
        tact_memory_free(&t->allocator, marks, cells, 1);
        if (!fine || count == 0)
            break;
        fine = tact_nurbs_divide_patches(t, &division, report);
    }
    tact_nurbs_division_release(&division, &t->allocator);
    return fine;
}

/* ---- origins ---- */

/* The leaf that has a point of its patch. */
static const nurbs_cell *find_leaf(const nurbs_tessellation *t, uint32_t patch, uint32_t x, uint32_t y)
{
    const nurbs_cell *c = &t->cells.items[t->first_cell[patch]];
    while (c->first_child != 0) {
        const unsigned shift = NURBS_GRID_LEVEL - c->level - 1u;
        const bool right = x >= (2u * c->x + 1u) << shift, up = y >= (2u * c->y + 1u) << shift;
        c = &t->cells.items[c->first_child + (right ? 1u : 0u) + (up ? 2u : 0u)];
    }
    return c;
}

/* Adds a vertex at a point. False: there is none. */
static bool add_origin(const nurbs_tessellation *t, const vertex_finder *f, uint32_t patch, const uint32_t at[2],
                       double weight, nurbs_origin *o)
{
    if (weight == 0.0)
        return true;
    o->vertex[o->count] = finder_number(f, tact_nurbs_vertex_key(t->model, patch, at[0], at[1]));
    o->weight[o->count] = weight;
    return o->vertex[o->count++] != UINT32_MAX;
}

/* The corners of a triangle of a leaf in the coordinates of its patch. False: they are not known. */
static bool corners_on_patch(const nurbs_tessellation *t, const nurbs_cell *c, const uint32_t vertex[3],
                             double corners[3][2])
{
    for (int k = 0; k < 3; k++) {
        nurbs_cell_point point;
        if (!tact_nurbs_find_in_cell(t, c, &t->vertices.items[vertex[k]], &point) || point.free[0] || point.free[1])
            return false;
        memcpy(corners[k], point.at, sizeof point.at);
    }
    return true;
}

/* The weights of the point of a triangle that is closest to p, and its distance. Inside, differences and products of
 * grid coordinates are exact, and weights are rounded once. */
static double closest_weights(double corners[3][2], const double p[2], double weights[3])
{
    double doubled[3], total = 0.0, least = INFINITY;
    bool inside = true;
    for (int k = 0; k < 3; k++) { /* the area opposite to corner k */
        const double *a = corners[(k + 1) % 3], *b = corners[(k + 2) % 3];
        doubled[k] = (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0]);
        total += doubled[k];
    }
    for (int k = 0; k < 3; k++)
        inside = inside && total != 0.0 && doubled[k] / total >= 0.0;
    for (int k = 0; k < 3 && inside; k++)
        weights[k] = doubled[k] / total;
    if (inside)
        return 0.0;
    for (int k = 0; k < 3; k++) {
        const double *a = corners[k], *b = corners[(k + 1) % 3], along[2] = {b[0] - a[0], b[1] - a[1]},
                     square = along[0] * along[0] + along[1] * along[1];
        const double s = square > 0.0 ? ((p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1]) / square : 0.0,
                     at = number_min(1.0, number_max(0.0, s));
        const double distance = tact_hypot(a[0] + at * along[0] - p[0], a[1] + at * along[1] - p[1]);
        if (distance < least) {
            least = distance;
            weights[k] = 1.0 - at;
            weights[(k + 1) % 3] = at;
            weights[(k + 2) % 3] = 0.0;
        }
    }
    return least;
}

/* Finds the origin of a point in a leaf that trimming curves cut, if its triangles are closer than `least`. */
static void find_origin_in_leaf(const nurbs_tessellation *t, const nurbs_cell *c, const double point[2], double *least,
                                nurbs_origin *o)
{
    for (uint32_t i = c->first_triangle; i < c->first_triangle + c->triangle_count; i++) {
        const uint32_t *vertex = t->triangles.items[i].vertex;
        double corners[3][2], weights[3];
        if (!corners_on_patch(t, c, vertex, corners))
            continue;
        const double distance = closest_weights(corners, point, weights);
        if (!(distance < *least))
            continue;
        *least = distance;
        o->count = 3; /* also where a weight is 0: it is a new vertex */
        memcpy(o->vertex, vertex, sizeof o->vertex);
        memcpy(o->weight, weights, sizeof o->weight);
    }
}

/* The origin of a point on a leaf that trimming curves cut, or beside one: leaves that end there are searched, too. */
static nurbs_origin find_cut_origin(const nurbs_tessellation *t, uint32_t patch, const uint32_t p[2])
{
    const double point[2] = {p[0], p[1]};
    double least = NURBS_ORIGIN_REACH;
    nurbs_origin o = {0};
    const nurbs_cell *last = NULL;
    for (uint32_t k = 0; k < 4; k++) {
        if ((k % 2 == 1 && p[0] == 0) || (k / 2 == 1 && p[1] == 0))
            continue;
        const nurbs_cell *c = find_leaf(t, patch, p[0] - k % 2, p[1] - k / 2);
        if (c != last)
            find_origin_in_leaf(t, c, point, &least, &o);
        last = c;
    }
    return o;
}

/* The origin of a point: on the triangle of the fan between the centre of a cell, the middle of a side (or its other
 * corner), and a corner. */
static nurbs_origin find_origin(const nurbs_tessellation *t, const vertex_finder *f, uint32_t patch,
                                const uint32_t p[2])
{
    const nurbs_origin none = {0};
    nurbs_origin o = {.count = 1, .weight = {1.0}};
    o.vertex[0] = finder_number(f, tact_nurbs_vertex_key(t->model, patch, p[0], p[1]));
    if (o.vertex[0] != UINT32_MAX)
        return o;
    const nurbs_cell *c = find_leaf(t, patch, p[0], p[1]);
    const int32_t side = (int32_t)(1u << (NURBS_GRID_LEVEL - c->level));
    const uint32_t low[2] = {c->x * (uint32_t)side, c->y * (uint32_t)side};
    if (!finder_has(f,
                    tact_nurbs_vertex_key(t->model, patch, low[0] + (uint32_t)side / 2u, low[1] + (uint32_t)side / 2u)))
        return find_cut_origin(t, patch, p);
    int32_t from_centre[2]; /* in units in which the half side is `side` */
    for (int d = 0; d < 2; d++)
        from_centre[d] = 2 * (int32_t)(p[d] - low[d]) - side;
    const int d = abs(from_centre[0]) >= abs(from_centre[1]) ? 0 : 1; /* towards the side at `low`, or the other one */
    const int32_t out = abs(from_centre[d]), across = abs(from_centre[1 - d]);
    const double scale = 1.0 / side; /* a power of two */
    const uint32_t half = (uint32_t)side / 2u;
    uint32_t centre[2] = {low[0] + half, low[1] + half}, middle[2], corner[2], other[2];
    middle[d] = corner[d] = other[d] = from_centre[d] > 0 ? low[d] + (uint32_t)side : low[d];
    middle[1 - d] = centre[1 - d];
    corner[1 - d] = from_centre[1 - d] > 0 ? low[1 - d] + (uint32_t)side : low[1 - d];
    other[1 - d] = from_centre[1 - d] > 0 ? low[1 - d] : low[1 - d] + (uint32_t)side;
    o.count = 0;
    if (!add_origin(t, f, patch, centre, (side - out) * scale, &o))
        return none;
    const bool divided = finder_has(f, tact_nurbs_vertex_key(t->model, patch, middle[0], middle[1]));
    if (divided)
        return add_origin(t, f, patch, middle, (out - across) * scale, &o) &&
                       add_origin(t, f, patch, corner, across * scale, &o)
                   ? o
                   : none;
    return add_origin(t, f, patch, corner, 0.5 * (out + across) * scale, &o) &&
                   add_origin(t, f, patch, other, 0.5 * (out - across) * scale, &o)
               ? o
               : none;
}

bool tact_nurbs_find_origins(const nurbs_tessellation *t, const nurbs_tessellation *before, nurbs_origin *origins)
{
    vertex_finder f;
    if (!finder_init(&f, before->vertices.count, &before->allocator))
        return false;
    for (uint32_t i = 0; i < before->vertices.count; i++) {
        const nurbs_vertex *v = &before->vertices.items[i];
        finder_add(&f, tact_nurbs_vertex_key(before->model, v->patch, v->x, v->y), i);
    }
    for (size_t i = 0; i < t->vertices.count; i++) {
        const nurbs_vertex *v = &t->vertices.items[i];
        origins[i] = find_origin(before, &f, v->patch, (const uint32_t[2]){v->x, v->y});
    }
    finder_release(&f, &before->allocator);
    return true;
}

/* ---- places ---- */

static tact_nurbs_location place_at(const nurbs_model *m, uint32_t patch, double x, double y)
{
    const nurbs_patch *p = &m->patches[patch];
    tact_nurbs_location place = {.on_surface = true, .surface = p->surface};
    double *to[2] = {&place.u, &place.v};
    const double at[2] = {x / NURBS_GRID, y / NURBS_GRID};
    for (int d = 0; d < 2; d++) {
        double low, high;
        nurbs_patch_range(m, p, d, &low, &high);
        *to[d] = (1.0 - at[d]) * low + at[d] * high;
    }
    return place;
}

tact_nurbs_location tact_nurbs_location_of_vertex(const nurbs_tessellation *t, uint32_t vertex)
{
    const nurbs_vertex *v = &t->vertices.items[vertex];
    return place_at(t->model, v->patch, v->x, v->y);
}

/* Finds a vertex among the corners, the middles of sides and the centre of a cell. */
static bool find_at_corner(const nurbs_tessellation *t, const nurbs_cell *c, const nurbs_vertex *v,
                           nurbs_cell_point *point)
{
    const uint32_t half = 1u << (NURBS_GRID_LEVEL - c->level - 1), low[2] = {2u * c->x * half, 2u * c->y * half};
    const uint64_t key = tact_nurbs_vertex_key(t->model, v->patch, v->x, v->y);
    bool found = false;
    *point = (nurbs_cell_point){.at = {0.0, 0.0}};
    for (uint32_t k = 0; k < 9; k++) {
        const uint32_t p[2] = {low[0] + k % 3 * half, low[1] + k / 3 * half};
        if (tact_nurbs_vertex_key(t->model, c->patch, p[0], p[1]) != key)
            continue;
        for (int d = 0; d < 2; d++) {
            point->free[d] = point->free[d] || (found && point->at[d] != p[d]);
            point->at[d] = p[d];
        }
        found = true;
    }
    return found;
}

static bool cell_has(const nurbs_cell *c, const uint32_t at[2])
{
    const unsigned shift = NURBS_GRID_LEVEL - c->level;
    return at[0] >= (uint32_t)c->x << shift && at[0] <= (c->x + 1u) << shift && at[1] >= (uint32_t)c->y << shift &&
           at[1] <= (c->y + 1u) << shift;
}

bool tact_nurbs_find_in_cell(const nurbs_tessellation *t, const nurbs_cell *c, const nurbs_vertex *v,
                             nurbs_cell_point *point)
{
    if (find_at_corner(t, c, v, point))
        return true;
    uint32_t at[2] = {v->x, v->y};
    bool found = v->patch == c->patch && cell_has(c, at);
    const uint64_t key = tact_nurbs_vertex_key(t->model, v->patch, v->x, v->y);
    const uint32_t along = v->x == 0 || v->x == NURBS_GRID ? v->y : v->x, ends[2] = {0, NURBS_GRID};
    for (unsigned k = 0; k < 8 && !found; k++) { /* the same place on each side of the patch, in both directions */
        const uint32_t place = k < 4 ? along : NURBS_GRID - along, far = ends[k % 4 == 1 || k % 4 == 2];
        at[0] = k % 2 == 0 ? place : far;
        at[1] = k % 2 == 0 ? far : place;
        found = cell_has(c, at) && tact_nurbs_vertex_key(t->model, c->patch, at[0], at[1]) == key;
    }
    *point = (nurbs_cell_point){.at = {at[0], at[1]}};
    return found;
}

/* The point of a patch at weights of vertices in its coordinates. */
static tact_nurbs_location place_between(const nurbs_tessellation *t, uint32_t patch, const nurbs_cell_point *points,
                                         const double *weights, int count)
{
    double sum[2], total = 0.0;
    for (int k = 0; k < count; k++)
        total += weights[k];
    for (int d = 0; d < 2; d++) {
        double known = 0.0, all = 0.0;
        sum[d] = 0.0;
        for (int k = 0; k < count; k++) {
            known += points[k].free[d] ? 0.0 : weights[k];
            sum[d] += points[k].free[d] ? 0.0 : weights[k] * points[k].at[d];
            all += weights[k] * points[k].at[d];
        }
        sum[d] = known > 0.0 ? sum[d] / known : total > 0.0 ? all / total : points[0].at[d];
    }
    return place_at(t->model, patch, sum[0], sum[1]);
}

/* The entry of a triangle in `joined`, or NULL. */
static const nurbs_joined_triangle *find_joined(const nurbs_tessellation *t, uint32_t triangle)
{
    size_t low = 0, high = t->joined.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (t->joined.items[middle].triangle < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->joined.count && t->joined.items[low].triangle == triangle ? &t->joined.items[low] : NULL;
}

tact_nurbs_location tact_nurbs_location_on_triangle(const nurbs_tessellation *t, uint32_t triangle,
                                                    const double weights[3])
{
    const nurbs_triangle *f = &t->triangles.items[triangle];
    const nurbs_cell *c = &t->cells.items[f->cell];
    const unsigned shift = NURBS_GRID_LEVEL - c->level - 1u;
    const nurbs_joined_triangle *joined = find_joined(t, triangle);
    if (joined != NULL)
        return place_between(t, c->patch, joined->corners, weights, 3);
    nurbs_cell_point points[3];
    for (int k = 0; k < 3; k++)
        if (!tact_nurbs_find_in_cell(t, c, &t->vertices.items[f->vertex[k]], &points[k]))
            points[k] = (nurbs_cell_point){.at = {(2u * c->x + 1u) << shift, (2u * c->y + 1u) << shift}};
    return place_between(t, c->patch, points, weights, 3);
}

/* Finds a triangle at a joined edge that has both vertices. */
static bool place_at_joined(const nurbs_tessellation *t, const uint32_t vertices[2], const double weights[2],
                            tact_nurbs_location *place)
{
    for (size_t i = 0; i < t->joined.count; i++) {
        const nurbs_joined_triangle *joined = &t->joined.items[i];
        const nurbs_triangle *f = &t->triangles.items[joined->triangle];
        int k[2] = {0, 0};
        for (int e = 0; e < 2; e++)
            while (k[e] < 3 && f->vertex[k[e]] != vertices[e])
                k[e]++;
        if (k[0] == 3 || k[1] == 3)
            continue;
        const nurbs_cell_point points[2] = {joined->corners[k[0]], joined->corners[k[1]]};
        *place = place_between(t, t->cells.items[f->cell].patch, points, weights, 2);
        return true;
    }
    return false;
}

/* Finds a cell of the patch of vertices[first] that has both. */
static bool place_around(const nurbs_tessellation *t, const uint32_t vertices[2], const double weights[2], int first,
                         tact_nurbs_location *place)
{
    const nurbs_vertex *v = &t->vertices.items[vertices[first]];
    for (uint32_t k = 0; k < 4; k++) {
        if ((k % 2 == 0 && v->x == 0) || (k / 2 == 0 && v->y == 0))
            continue;
        const nurbs_cell *c = find_leaf(t, v->patch, k % 2 == 0 ? v->x - 1 : v->x, k / 2 == 0 ? v->y - 1 : v->y);
        nurbs_cell_point points[2];
        if (!tact_nurbs_find_in_cell(t, c, &t->vertices.items[vertices[0]], &points[0]) ||
            !tact_nurbs_find_in_cell(t, c, &t->vertices.items[vertices[1]], &points[1]))
            continue;
        *place = place_between(t, c->patch, points, weights, 2);
        return true;
    }
    return false;
}

tact_nurbs_location tact_nurbs_location_on_edge(const nurbs_tessellation *t, const uint32_t vertices[2],
                                                const double weights[2])
{
    tact_nurbs_location place;
    return place_around(t, vertices, weights, 0, &place) || place_around(t, vertices, weights, 1, &place) ||
                   place_at_joined(t, vertices, weights, &place)
               ? place
               : tact_nurbs_location_of_vertex(t, vertices[0]);
}
