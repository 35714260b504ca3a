/*
 * Oracle for the overlap of two transformed models. It shares no tree with the library, and no predicate where long
 * double suffices. Both models are transformed with tact_transform_point (the only part of the library it uses). Their
 * triangles get boxes in doubles, those outside the other model's box are dropped, and the rest are sorted by minimum x
 * and swept. Remaining pairs go to triangle_oracle.h. About a millisecond for two models of 5,000 triangles.
 */
#include <math.h>
#include <stdlib.h>

#include "exact/triangle.h"
#include "math/vec.h"
#include "model.h"
#include "triangle_oracle.h"

typedef struct oracle_triangle {
    double min[3], max[3];
    tact_vec3 vertices[3];
} oracle_triangle;

bool tact_model_oracle_create(model_oracle *oracle, const model *m)
{
    *oracle = (model_oracle){.m = m};
    for (int k = 0; k < 2; k++)
        oracle->items[k] = malloc(m->triangle_count * sizeof *oracle->items[k]);
    if (oracle->items[0] && oracle->items[1])
        return true;
    tact_model_oracle_release(oracle);
    return false;
}

void tact_model_oracle_release(model_oracle *oracle)
{
    free(oracle->items[0]);
    free(oracle->items[1]);
    *oracle = (model_oracle){0};
}

static void compute_bounds(oracle_triangle *t)
{
    const tact_vec3 *c = t->vertices;
    const double x[3] = {c[0].x, c[1].x, c[2].x}, y[3] = {c[0].y, c[1].y, c[2].y}, z[3] = {c[0].z, c[1].z, c[2].z};
    const double *all[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        t->min[k] = fmin(all[k][0], fmin(all[k][1], all[k][2]));
        t->max[k] = fmax(all[k][0], fmax(all[k][1], all[k][2]));
    }
}

static bool overlap(const double *min_a, const double *max_a, const double *min_b, const double *max_b)
{
    bool apart = false;
    for (int k = 0; k < 3; k++)
        apart = apart || min_a[k] > max_b[k] || min_b[k] > max_a[k];
    return !apart;
}

static int by_least_x(const void *triangle, const void *other)
{
    double x = ((const oracle_triangle *)triangle)->min[0], y = ((const oracle_triangle *)other)->min[0];
    return x < y ? -1 : x > y;
}

/* Result of the library's exact test on the pairs that the triangle oracle cannot decide. */
typedef struct undecided_pairs {
    bool any, overlap;
} undecided_pairs;

/* Does a triangle certainly overlap one of the sorted list, from `first` on? */
static bool overlaps_any(const oracle_triangle *triangle, const oracle_triangle *list, size_t first, size_t count,
                         undecided_pairs *d)
{
    for (size_t i = first; i < count && list[i].min[0] <= triangle->max[0]; i++) {
        if (!overlap(triangle->min, triangle->max, list[i].min, list[i].max))
            continue;
        triangle_overlap v = tact_triangle_oracle(triangle->vertices, list[i].vertices);
        if (v == TRIANGLES_OVERLAP)
            return true;
        if (v == TRIANGLES_UNDECIDED) {
            d->any = true;
            d->overlap = d->overlap || tact_triangles_intersect(triangle->vertices, list[i].vertices);
        }
    }
    return false;
}

bool tact_model_oracle_overlap(model_oracle *oracle, const model_pair *at)
{
    double min[2][3], max[2][3];
    for (int side = 0; side < 2; side++) {
        const tact_transform *transform = side == 0 ? &at->a : &at->b;
        for (int k = 0; k < 3; k++) {
            min[side][k] = INFINITY;
            max[side][k] = -INFINITY;
        }
        for (size_t i = 0; i < oracle->m->triangle_count; i++) {
            oracle_triangle *t = &oracle->items[side][i];
            for (int c = 0; c < 3; c++)
                t->vertices[c] = tact_transform_point(*transform, oracle->m->vertices[oracle->m->triangles[i][c]]);
            compute_bounds(t);
            for (int k = 0; k < 3; k++) {
                min[side][k] = fmin(min[side][k], t->min[k]);
                max[side][k] = fmax(max[side][k], t->max[k]);
            }
        }
    }
    size_t counts[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < oracle->m->triangle_count; i++) {
            if (overlap(oracle->items[side][i].min, oracle->items[side][i].max, min[1 - side], max[1 - side]))
                oracle->items[side][counts[side]++] = oracle->items[side][i];
        }
        qsort(oracle->items[side], counts[side], sizeof *oracle->items[side], by_least_x);
    }
    const oracle_triangle *a = oracle->items[0], *b = oracle->items[1];
    size_t i = 0, k = 0;
    undecided_pairs d = {false, false};
    while (i < counts[0] && k < counts[1]) {
        if (a[i].min[0] <= b[k].min[0]) {
            if (overlaps_any(&a[i], b, k, counts[1], &d))
                return true;
            i++;
        } else {
            if (overlaps_any(&b[k], a, i, counts[0], &d))
                return true;
            k++;
        }
    }
    oracle->undecided += d.any;
    return d.overlap;
}
