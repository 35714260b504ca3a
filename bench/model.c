/*
 * Models from formulas. All but the torus consist of tubes: closed rings of points along a path, each ring joined to
 * the next by two triangles per point. Tubes are open at their ends and intersect each other, as the parts of the
 * models in the thesis do.
 */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "math/vec.h"
#include "support/random.h"

#define TURN 6.283185307179586

/* Points of a ring: centre + cos(angle) u + sin(angle) v. */
typedef struct ring {
    tact_vec3 centre, u, v;
} ring;

typedef ring ring_at(double t, double side,
                     double vertical); /* t: 0 to 1 along the tube; side, vertical: signs of a wing */

static bool allocate(model *m, const char *name, size_t vertices, size_t triangles)
{
    *m = (model){.name = name, .vertex_count = vertices, .triangle_count = triangles};
    m->vertices = malloc(vertices * sizeof *m->vertices);
    m->triangles = malloc(triangles * sizeof *m->triangles);
    if (m->vertices && m->triangles)
        return true;
    tact_model_release(m);
    return false;
}

void tact_model_release(model *m)
{
    free(m->vertices);
    free(m->triangles);
    *m = (model){0};
}

/* Adds the two triangles between points k and k + 1 of the rings that start at vertices `low` and `high`. */
static void add_quad(model *m, size_t *made, uint32_t low, uint32_t high, uint32_t k, uint32_t around)
{
    uint32_t next = (k + 1) % around;
    uint32_t first[3] = {low + k, low + next, high + k}, second[3] = {high + k, low + next, high + next};
    for (int c = 0; c < 3; c++) {
        m->triangles[*made][c] = first[c];
        m->triangles[*made + 1][c] = second[c];
    }
    *made += 2;
}

typedef struct progress {
    size_t vertices, triangles;
} progress;

static void add_tube(model *m, progress *p, uint32_t steps, uint32_t around, ring_at *at, double side, double vertical)
{
    uint32_t first = (uint32_t)p->vertices;
    for (uint32_t i = 0; i <= steps; i++) {
        ring r = at((double)i / steps, side, vertical);
        for (uint32_t k = 0; k < around; k++) {
            double angle = TURN * k / around;
            m->vertices[p->vertices++] = vec_mul_add(vec_mul_add(r.centre, cos(angle), r.u), sin(angle), r.v);
        }
    }
    for (uint32_t i = 0; i < steps; i++) {
        for (uint32_t k = 0; k < around; k++)
            add_quad(m, &p->triangles, first + i * around, first + (i + 1) * around, k, around);
    }
}

bool tact_model_torus(model *m, int around, int across)
{
    size_t count = (size_t)around * (size_t)across;
    if (!allocate(m, "torus", count, 2 * count))
        return false;
    size_t made = 0;
    for (int i = 0; i < around; i++) {
        double a = TURN * i / around;
        for (int k = 0; k < across; k++) {
            double b = TURN * k / across, r = 10.0 + 2.0 * cos(b);
            m->vertices[(size_t)i * (size_t)across + (size_t)k] = vec_make(r * cos(a), r * sin(a), 2.0 * sin(b));
            add_quad(m, &made, (uint32_t)(i * across), (uint32_t)((i + 1) % around * across), (uint32_t)k,
                     (uint32_t)across);
        }
    }
    return true;
}

/* ---- the pot ---- */

/* A surface of revolution: belly, lid and knob. */
static ring pot_body(double t, double side, double vertical)
{
    (void)side;
    (void)vertical;
    double z = 3.2 * t;
    double belly = 2.0 * sqrt(fmax(0.0, 1.0 - pow((z - 1.0) / 1.75, 2.0)));
    double knob = 0.32 * exp(-pow((z - 2.95) / 0.16, 2.0));
    double r = fmax(belly, 0.04) + knob;
    return (ring){vec_make(0.0, 0.0, z), vec_make(r, 0.0, 0.0), vec_make(0.0, r, 0.0)};
}

static ring pot_spout(double t, double side, double vertical)
{
    (void)side;
    (void)vertical;
    /* an S-shaped path in the xz plane, narrowing; rings perpendicular to it */
    double x = 1.4 + 1.9 * t, z = 0.7 + 1.7 * t * t * (3.0 - 2.0 * t), slope = 1.7 * 6.0 * t * (1.0 - t);
    double r = 0.5 - 0.27 * t, length = sqrt(1.9 * 1.9 + slope * slope);
    return (ring){vec_make(x, 0.0, z), vec_make(-r * slope / length, 0.0, r * 1.9 / length), vec_make(0.0, r, 0.0)};
}

static ring pot_handle(double t, double side, double vertical)
{
    (void)side;
    (void)vertical;
    double angle = 0.25 * TURN + 0.5 * TURN * t, c = cos(angle), s = sin(angle), r = 0.18;
    return (ring){vec_make(-1.6 + 1.3 * c, 0.0, 1.25 + 0.8 * s), vec_make(r * c, 0.0, r * s), vec_make(0.0, r, 0.0)};
}

bool tact_model_pot(model *m)
{
    if (!allocate(m, "pot", 34 * 40 + 21 * 14 + 24 * 12, 3752))
        return false;
    progress p = {0};
    add_tube(m, &p, 33, 40, pot_body, 0.0, 0.0);
    add_tube(m, &p, 20, 14, pot_spout, 0.0, 0.0);
    add_tube(m, &p, 23, 12, pot_handle, 0.0, 0.0);
    return true;
}

/* ---- the slender model ---- */

static ring slender_hull(double t, double side, double vertical)
{
    (void)side;
    (void)vertical;
    double r = 0.15 + 0.55 * pow(sin(0.5 * TURN * fmin(t + 0.02, 1.0)), 0.7) * (1.0 - 0.5 * t);
    return (ring){vec_make(12.0 * t - 4.0, 0.0, 0.0), vec_make(0.0, r, 0.0), vec_make(0.0, 0.0, r)};
}

static ring slender_wing(double t, double side, double vertical)
{
    /* a plate 0.1 thick, from the hull outward and up or down, narrowing */
    double chord = 1.5 - 0.8 * t;
    return (ring){vec_make(-2.0 - 0.3 * t, side * (0.3 + 5.0 * t), vertical * (0.2 + 1.3 * t)),
                  vec_make(chord, 0.0, 0.0), vec_make(0.0, 0.0, 0.05)};
}

static ring slender_gun(double t, double side, double vertical)
{
    double r = 0.12 - 0.07 * t;
    return (ring){vec_make(-3.0 + 4.5 * t, side * 5.3, vertical * 1.5), vec_make(0.0, r, 0.0), vec_make(0.0, 0.0, r)};
}

bool tact_model_slender(model *m)
{
    if (!allocate(m, "slender", 19 * 89 + 4 * (9 * 30 + 5 * 30), 6084))
        return false;
    progress p = {0};
    add_tube(m, &p, 18, 89, slender_hull, 0.0, 0.0);
    for (int i = 0; i < 4; i++) {
        double side = i & 1 ? 1.0 : -1.0, vertical = i & 2 ? 1.0 : -1.0;
        add_tube(m, &p, 8, 30, slender_wing, side, vertical);
        add_tube(m, &p, 4, 30, slender_gun, side, vertical);
    }
    return true;
}

/* ---- configurations ---- */

tact_shape *tact_model_shape(const model *m)
{
    return tact_mesh(m->vertices, m->vertex_count, m->triangles[0], m->triangle_count);
}

double tact_model_radius(const model *m)
{
    double most = 0.0;
    for (size_t i = 0; i < m->vertex_count; i++)
        most = fmax(most, vec_length(m->vertices[i]));
    return most;
}

static tact_transform random_transform(double side, random_source *random)
{
    double x = random_range(random, -0.5, 0.5), y = random_range(random, -0.5, 0.5),
           z = random_range(random, -0.5, 0.5);
    return tact_transform_make(vec_make(side * x, side * y, side * z), random_rotation(random),
                               vec_make(1.0, 1.0, 1.0));
}

model_pair *tact_model_pairs_in(double side, int count, uint64_t seed)
{
    model_pair *pairs = malloc((size_t)count * sizeof *pairs);
    random_source random = random_seed(seed);
    for (int i = 0; pairs && i < count; i++) {
        pairs[i].a = random_transform(side, &random);
        pairs[i].b = random_transform(side, &random);
    }
    return pairs;
}

model_pair *tact_model_pairs(const tact_shape *shape, double radius, double share, int count, uint64_t seed,
                             double *side)
{
    enum { STEPS = 9 };
    int sample = count < 25 ? 100 : count < 500 ? 4 * count : 2000;
    double low = 0.2 * radius, high = 8.0 * radius;
    for (int step = 0; step < STEPS; step++) {
        double centre = 0.5 * (low + high);
        model_pair *pairs = tact_model_pairs_in(centre, sample, seed ^ 0x5a5a);
        if (!pairs)
            return NULL;
        int hits = 0;
        for (int i = 0; i < sample; i++)
            hits += tact_shapes_overlap(shape, pairs[i].a, shape, pairs[i].b, NULL).state == TACT_HIT;
        free(pairs);
        if (hits > share * sample)
            low = centre;
        else
            high = centre;
    }
    *side = 0.5 * (low + high);
    return tact_model_pairs_in(*side, count, seed);
}
