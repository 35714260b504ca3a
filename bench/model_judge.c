/*
 * The judge of placed models: no tree has a say in it, and no predicate of the library where long double will do. Both
 * are placed as mesh.h tells (tact_transform_point: that much is the library's), their triangles boxed in doubles,
 * those outside the other's box left out, the rest sorted by their least x and swept. What is left goes to the judge of
 * two triangles. About a millisecond for two models of 5,000 triangles.
 */
#include <math.h>
#include <stdlib.h>

#include "exact/triangle.h"
#include "math/vec.h"
#include "model.h"
#include "triangle_judge.h"

typedef struct judged {
    double min[3], max[3];
    tact_vec3 corner[3];
} judged;

bool tact_model_judge_create(model_judge *j, const model *m)
{
    *j = (model_judge){.m = m};
    for (int k = 0; k < 2; k++)
        j->items[k] = malloc(m->triangle_count * sizeof *j->items[k]);
    if (j->items[0] && j->items[1])
        return true;
    tact_model_judge_release(j);
    return false;
}

void tact_model_judge_release(model_judge *j)
{
    free(j->items[0]);
    free(j->items[1]);
    *j = (model_judge){0};
}

static void box_up(judged *t)
{
    const tact_vec3 *c = t->corner;
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

static int by_least_x(const void *one, const void *other)
{
    double x = ((const judged *)one)->min[0], y = ((const judged *)other)->min[0];
    return x < y ? -1 : x > y;
}

/* What the pairs that the judge was not sure of come to. */
typedef struct doubt {
    bool any, meet;
} doubt;

/* Does one surely meet any of the list, sorted, from `first` on? */
static bool meets_any(const judged *one, const judged *list, size_t first, size_t count, doubt *d)
{
    for (size_t i = first; i < count && list[i].min[0] <= one->max[0]; i++) {
        if (!overlap(one->min, one->max, list[i].min, list[i].max))
            continue;
        triangle_verdict v = tact_triangles_judge(one->corner, list[i].corner);
        if (v == TRIANGLES_MEET)
            return true;
        if (v == TRIANGLES_UNSURE) {
            d->any = true;
            d->meet = d->meet || tact_triangles_meet(one->corner, list[i].corner);
        }
    }
    return false;
}

bool tact_model_judge_meet(model_judge *j, const model_pair *at)
{
    double low[2][3], high[2][3];
    for (int side = 0; side < 2; side++) {
        const tact_transform *place = side == 0 ? &at->a : &at->b;
        for (int k = 0; k < 3; k++) {
            low[side][k] = INFINITY;
            high[side][k] = -INFINITY;
        }
        for (size_t i = 0; i < j->m->triangle_count; i++) {
            judged *t = &j->items[side][i];
            for (int c = 0; c < 3; c++)
                t->corner[c] = tact_transform_point(*place, j->m->vertices[j->m->triangles[i][c]]);
            box_up(t);
            for (int k = 0; k < 3; k++) {
                low[side][k] = fmin(low[side][k], t->min[k]);
                high[side][k] = fmax(high[side][k], t->max[k]);
            }
        }
    }
    size_t kept[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < j->m->triangle_count; i++) {
            if (overlap(j->items[side][i].min, j->items[side][i].max, low[1 - side], high[1 - side]))
                j->items[side][kept[side]++] = j->items[side][i];
        }
        qsort(j->items[side], kept[side], sizeof *j->items[side], by_least_x);
    }
    const judged *a = j->items[0], *b = j->items[1];
    size_t i = 0, k = 0;
    doubt d = {false, false};
    while (i < kept[0] && k < kept[1]) {
        if (a[i].min[0] <= b[k].min[0]) {
            if (meets_any(&a[i], b, k, kept[1], &d))
                return true;
            i++;
        } else {
            if (meets_any(&b[k], a, i, kept[0], &d))
                return true;
            k++;
        }
    }
    j->unsure += d.any;
    return d.meet;
}
