/* The scene of Coming and Staadt 2006, and the log of its touches. */
#include "rings.h"

#include <math.h>
#include <stdlib.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "math/vec.h"
#include "support/random.h"

/* A tube of radius RING_THICKNESS around a circle of radius 1: 8 by 4 quadrilaterals, as examples/scenes/ring.obj. */
enum { RING_SEGMENTS = 8, RING_SECTION = 4 };
#define RING_THICKNESS 0.2
#define TURN 6.28318530717958647692

#define MIN_SIZE 0.5
#define MAX_SIZE 1.5
#define MIN_SPEED 0.5 /* mean radii per second */
#define MAX_SPEED 1.5

/* Largest difference, in seconds, of the times of one touch found by two methods. */
#define TIME_TOLERANCE 1e-9

static tact_shape *make_ring(double *volume)
{
    tact_vec3 vertices[RING_SEGMENTS * RING_SECTION];
    uint32_t indices[2 * RING_SEGMENTS * RING_SECTION][3];
    for (uint32_t i = 0; i < RING_SEGMENTS; i++) {
        for (uint32_t k = 0; k < RING_SECTION; k++) {
            const double a = TURN * i / RING_SEGMENTS, b = TURN * k / RING_SECTION, far = 1.0 + RING_THICKNESS * cos(b);
            vertices[i * RING_SECTION + k] = (tact_vec3){far * cos(a), far * sin(a), RING_THICKNESS * sin(b)};
            const uint32_t here = i * RING_SECTION, next = (i + 1) % RING_SEGMENTS * RING_SECTION,
                           after = (k + 1) % RING_SECTION;
            uint32_t(*c)[3] = &indices[2 * (here + k)];
            c[0][0] = c[1][0] = here + k;
            c[0][1] = next + k;
            c[0][2] = c[1][1] = next + after;
            c[1][2] = here + after;
        }
    }
    tact_shape *shape =
        tact_mesh(vertices, RING_SEGMENTS * RING_SECTION, &indices[0][0], 2 * RING_SEGMENTS * RING_SECTION);
    *volume = shape != NULL ? fabs(tact_mesh_check(shape).volume) : 0.0;
    return shape;
}

/* A grid of cells, not smaller than the largest ring: rings that may touch are in neighbouring cells. */
typedef struct grid {
    int cells; /* on each side */
    double width;
    int *first, *next; /* first ring of each cell; next ring in the cell. -1: none */
} grid;

static int cell_of(const grid *g, double x)
{
    const int i = (int)(x / g->width);
    return i < 0 ? 0 : i >= g->cells ? g->cells - 1 : i;
}

static bool is_free(const rings *r, const grid *g, int i)
{
    const tact_vec3 at = r->transforms[i].origin;
    const int x = cell_of(g, at.x), y = cell_of(g, at.y), z = cell_of(g, at.z);
    for (int k = 0; k < 27; k++) {
        const int cx = x + k % 3 - 1, cy = y + k / 3 % 3 - 1, cz = z + k / 9 - 1;
        if (cx < 0 || cy < 0 || cz < 0 || cx >= g->cells || cy >= g->cells || cz >= g->cells)
            continue;
        for (int j = g->first[(cz * g->cells + cy) * g->cells + cx]; j >= 0; j = g->next[j]) {
            const double bounding_radii = r->bounding_radii[i] + r->bounding_radii[j];
            if (vec_length_squared(vec_sub(at, r->transforms[j].origin)) <= bounding_radii * bounding_radii &&
                tact_shapes_overlap(r->shape, r->transforms[i], r->shape, r->transforms[j], NULL).state != TACT_MISS)
                return false;
        }
    }
    return true;
}

static bool transform_all(rings *r, random_source *random)
{
    grid g = {.width = 2.0 * MAX_SIZE * (1.0 + RING_THICKNESS)};
    g.cells = (int)fmax(1.0, floor(r->side / g.width));
    g.width = r->side / g.cells;
    const size_t cells = (size_t)g.cells * (size_t)g.cells * (size_t)g.cells;
    g.first = malloc(cells * sizeof *g.first);
    g.next = malloc((size_t)r->count * sizeof *g.next);
    const bool done = g.first != NULL && g.next != NULL;
    for (size_t k = 0; done && k < cells; k++)
        g.first[k] = -1;
    for (int i = 0; done && i < r->count; i++) {
        const double size = r->bounding_radii[i] / (1.0 + RING_THICKNESS);
        do {
            const tact_vec3 axis = random_direction(random);
            const double half = random_range(random, 0.0, 0.5 * TURN), s = sin(half);
            const tact_vec3 at = {random_range(random, 0.0, r->side), random_range(random, 0.0, r->side),
                                  random_range(random, 0.0, r->side)};
            r->transforms[i] = tact_transform_make(at, (tact_quat){s * axis.x, s * axis.y, s * axis.z, cos(half)},
                                                   (tact_vec3){size, size, size});
        } while (!is_free(r, &g, i));
        const tact_vec3 at = r->transforms[i].origin;
        int *cell = &g.first[(cell_of(&g, at.z) * g.cells + cell_of(&g, at.y)) * g.cells + cell_of(&g, at.x)];
        g.next[i] = *cell;
        *cell = i;
    }
    free(g.first);
    free(g.next);
    return done;
}

bool tact_rings_create(rings *r, int count, double density, uint64_t seed)
{
    random_source random = random_seed(seed);
    const size_t n = (size_t)count;
    double volume = 0.0, all = 0.0, radii = 0.0;
    *r = (rings){.count = count, .shape = make_ring(&volume)};
    r->transforms = malloc(n * sizeof *r->transforms);
    r->velocities = malloc(n * sizeof *r->velocities);
    r->bounding_radii = malloc(n * sizeof *r->bounding_radii);
    r->low = malloc(n * sizeof *r->low);
    r->high = malloc(n * sizeof *r->high);
    if (r->shape == NULL || r->transforms == NULL || r->velocities == NULL || r->bounding_radii == NULL ||
        r->low == NULL || r->high == NULL) {
        tact_rings_release(r);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const double size = random_range(&random, MIN_SIZE, MAX_SIZE);
        r->bounding_radii[i] = size * (1.0 + RING_THICKNESS);
        all += size * size * size * volume;
        radii += r->bounding_radii[i];
    }
    r->radius = radii / (double)count;
    r->side = cbrt(all / density);
    if (!transform_all(r, &random)) {
        tact_rings_release(r);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        r->velocities[i] =
            vec_scale(random_direction(&random), r->radius * random_range(&random, MIN_SPEED, MAX_SPEED));
        tact_transform about = r->transforms[i];
        about.origin = vec_make(0.0, 0.0, 0.0);
        tact_bounds bounds;
        (void)tact_shape_bounds(r->shape, about, &bounds); /* cannot fail: a ring has vertices */
        r->low[i] = bounds.min;
        r->high[i] = bounds.max;
    }
    return true;
}

void tact_rings_release(rings *r)
{
    tact_shape_release(r->shape);
    free(r->transforms);
    free(r->velocities);
    free(r->bounding_radii);
    free(r->low);
    free(r->high);
    *r = (rings){0};
}

bool tact_rings_bounce(tact_vec3 *velocity_a, tact_vec3 *velocity_b, tact_vec3 normal)
{
    const double closing = vec_dot(normal, vec_sub(*velocity_a, *velocity_b));
    if (!(closing > 0.0))
        return false;
    *velocity_a = vec_mul_add(*velocity_a, -closing, normal);
    *velocity_b = vec_mul_add(*velocity_b, closing, normal);
    return true;
}

/* ---- log of touches ---- */

void tact_ring_log_add(ring_log *log, ring_touch touch)
{
    if (log->count == log->capacity) {
        const size_t capacity = 2 * log->capacity + 64;
        ring_touch *items = realloc(log->items, capacity * sizeof *items);
        if (items == NULL) {
            log->failed = true;
            return;
        }
        log->items = items;
        log->capacity = capacity;
    }
    log->items[log->count++] = touch;
}

void tact_ring_log_release(ring_log *log)
{
    free(log->items);
    *log = (ring_log){0};
}

static int by_pair(const void *one, const void *other)
{
    const ring_touch *p = one, *q = other;
    return p->a != q->a   ? (p->a > q->a) - (p->a < q->a)
           : p->b != q->b ? (p->b > q->b) - (p->b < q->b)
                          : (p->time > q->time) - (p->time < q->time);
}

static int compare(const ring_touch *p, const ring_touch *q)
{
    return p->a == q->a && p->b == q->b && fabs(p->time - q->time) <= TIME_TOLERANCE ? 0 : by_pair(p, q);
}

long tact_ring_log_compare(ring_log *one, ring_log *other)
{
    long differ = 0;
    size_t i = 0, k = 0;
    if (one->count > 0)
        qsort(one->items, one->count, sizeof *one->items, by_pair);
    if (other->count > 0)
        qsort(other->items, other->count, sizeof *other->items, by_pair);
    while (i < one->count || k < other->count) {
        const int c = i == one->count ? 1 : k == other->count ? -1 : compare(&one->items[i], &other->items[k]);
        differ += c != 0;
        i += c <= 0;
        k += c >= 0;
    }
    return differ;
}
