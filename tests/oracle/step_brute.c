/* See step_brute.h. */
#include "oracle/step_brute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ccd/feature_ccd.h"

/* A feature: 1 to 3 vertices, and the box that it stays in. */
typedef struct item {
    double low[3], high[3];
    uint32_t count, v[3];
} item;

typedef struct search {
    const step_scene *scene;
    double distance;
    brute_hit *hits;
    size_t count, capacity;
} search;

static double coordinate(tact_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static item item_of(const search *s, uint32_t count, const uint32_t *v)
{
    item it = {.count = count};
    const double around = s->distance > 0.0 ? s->distance : 0.0;
    for (int a = 0; a < 3; a++) {
        it.low[a] = HUGE_VAL;
        it.high[a] = -HUGE_VAL;
        for (uint32_t k = 0; k < count; k++) {
            const double p = coordinate(s->scene->from.items[v[k]], a);
            const double q = s->distance >= 0.0 ? p : coordinate(s->scene->to.items[v[k]], a);
            it.low[a] = fmin(it.low[a], fmin(p, q) - around);
            it.high[a] = fmax(it.high[a], fmax(p, q) + around);
        }
    }
    memcpy(it.v, v, count * sizeof *v);
    return it;
}

static int compare_items(const void *a, const void *b)
{
    const item *i = a, *j = b;
    return i->low[0] < j->low[0] ? -1 : i->low[0] > j->low[0];
}

/* The distance of two features in long double: the least over a fine choice of candidates, as nearest points lie
 * inside, or on borders. */
typedef struct point {
    long double c[3];
} point;

static point mix(const point *p, const long double *w, int count)
{
    point m = {{0, 0, 0}};
    for (int k = 0; k < count; k++)
        for (int a = 0; a < 3; a++)
            m.c[a] += w[k] * p[k].c[a];
    return m;
}

static long double dot(point a, point b) { return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2]; }

static point less(point a, point b) { return (point){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}}; }

static long double clamp(long double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* Squared, of two segments: the least of a convex function on a square, by turns in each direction from several
 * places. */
static long double segments(point a, point b, point c, point d)
{
    const point u = less(b, a), v = less(d, c), r = less(a, c);
    const long double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
    long double least = HUGE_VALL;
    const long double free_s = uu * vv - uv * uv > 0 ? clamp((uv * vr - vv * ur) / (uu * vv - uv * uv)) : 0;
    const long double starts[3] = {0, 1, free_s};
    for (int k = 0; k < 3; k++) {
        const long double t = vv > 0 ? clamp((uv * starts[k] + vr) / vv) : 0;
        const long double s = uu > 0 ? clamp((uv * t - ur) / uu) : 0;
        for (int i = 0; i < 2; i++) {
            const long double x = i == 0 ? starts[k] : s;
            const point p[4] = {a, b, c, d};
            const long double wa[2] = {1 - x, x}, wb[2] = {1 - t, t};
            const point gap = less(mix(p, wa, 2), mix(p + 2, wb, 2));
            least = fminl(least, dot(gap, gap));
        }
    }
    return least;
}

static long double distance_of(tact_ccd_kind kind, const tact_vec3 at[4])
{
    point p[4];
    for (int k = 0; k < 4; k++)
        p[k] = (point){{at[k].x, at[k].y, at[k].z}};
    if (kind == TACT_EDGE_EDGE)
        return sqrtl(segments(p[0], p[1], p[2], p[3]));
    long double least = HUGE_VALL;
    for (int k = 0; k < 3; k++)
        least = fminl(least, segments(p[0], p[0], p[1 + k], p[1 + (k + 1) % 3]));
    const point u = less(p[2], p[1]), v = less(p[3], p[1]), r = less(p[0], p[1]);
    const long double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), ru = dot(r, u), rv = dot(r, v);
    const long double area = uu * vv - uv * uv;
    if (area > 0) {
        const long double b = (vv * ru - uv * rv) / area, c = (uu * rv - uv * ru) / area;
        if (b >= 0 && c >= 0 && b + c <= 1) {
            const long double w[3] = {1 - b - c, b, c};
            const point gap = less(p[0], mix(p + 1, w, 3));
            least = fminl(least, dot(gap, gap));
        }
    }
    return sqrtl(least);
}

static void look(search *s, const item *a, const item *b)
{
    const tact_ccd_kind kind = a->count == 1 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
    uint32_t v[4];
    memcpy(v, a->v, a->count * sizeof *v);
    memcpy(v + a->count, b->v, b->count * sizeof *v);
    if (kind == TACT_EDGE_EDGE && (v[0] > v[2] || (v[0] == v[2] && v[1] > v[3]))) {
        look(s, b, a);
        return;
    }
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = a->count; k < 4; k++)
            if (v[i] == v[k])
                return;
    if (!step_parts_collide(s->scene, s->scene->part_of.items[v[0]], s->scene->part_of.items[v[a->count]]))
        return;
    brute_hit hit = {.kind = kind};
    tact_vec3 from[4], to[4];
    for (int k = 0; k < 4; k++) {
        hit.vertices[k] = v[k];
        from[k] = s->scene->from.items[v[k]];
        to[k] = s->scene->to.items[v[k]];
    }
    if (s->distance >= 0.0) {
        hit.distance = (double)distance_of(kind, from);
        if (!(hit.distance < s->distance))
            return;
    } else {
        const tact_ccd_def def = tact_ccd_def_default();
        hit.when = tact_ccd_exact(kind, from, to, &def);
        if (hit.when.state != TACT_HIT)
            return;
    }
    if (s->count == s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        s->hits = realloc(s->hits, s->capacity * sizeof *s->hits);
        if (s->hits == NULL)
            abort();
    }
    s->hits[s->count++] = hit;
}

static void meet(search *s, const item *a, const item *b)
{
    for (int k = 1; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k])
            return;
    if (a->count == 2 && b->count == 2)
        look(s, a, b);
    else if (a->count == 1 && b->count == 3)
        look(s, a, b);
    else if (a->count == 3 && b->count == 1)
        look(s, b, a);
}

int step_brute_compare(const void *a, const void *b)
{
    const brute_hit *h = a, *i = b;
    if (h->kind != i->kind)
        return h->kind < i->kind ? -1 : 1;
    for (int k = 0; k < 4; k++)
        if (h->vertices[k] != i->vertices[k])
            return h->vertices[k] < i->vertices[k] ? -1 : 1;
    return 0;
}

static int compare_edges(const void *a, const void *b) { return memcmp(a, b, 2 * sizeof(uint32_t)); }

brute_hit *step_brute(const step_scene *scene, double distance, size_t *count)
{
    search s = {.scene = scene, .distance = distance};
    const size_t faces = scene->faces.count, vertices = scene->from.count;
    uint32_t(*edges)[2] = malloc((3 * faces + 1) * sizeof *edges);
    item *items = malloc((faces + vertices + 3 * faces + 1) * sizeof *items);
    if (edges == NULL || items == NULL)
        abort();
    for (size_t i = 0; i < 3 * faces; i++) {
        const uint32_t *c = scene->faces.items[i / 3].vertices, a = c[i % 3], b = c[(i + 1) % 3];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
    }
    qsort(edges, 3 * faces, sizeof *edges, compare_edges);
    for (int pass = 0; pass < 2; pass++) {
        size_t n = 0;
        for (size_t i = 0; pass == 0 && i < faces; i++)
            items[n++] = item_of(&s, 3, scene->faces.items[i].vertices);
        for (uint32_t i = 0; pass == 0 && i < vertices; i++)
            if (scene->used.items[i])
                items[n++] = item_of(&s, 1, &i);
        for (size_t i = 0; pass == 1 && i < 3 * faces; i++)
            if (edges[i][0] != edges[i][1] && (i == 0 || compare_edges(edges[i], edges[i - 1]) != 0))
                items[n++] = item_of(&s, 2, edges[i]);
        qsort(items, n, sizeof *items, compare_items);
        for (size_t i = 0; i < n; i++)
            for (size_t k = i + 1; k < n && items[k].low[0] <= items[i].high[0]; k++)
                meet(&s, &items[i], &items[k]);
    }
    free(edges);
    free(items);
    if (s.count > 0)
        qsort(s.hits, s.count, sizeof *s.hits, step_brute_compare);
    *count = s.count;
    return s.hits;
}
