#include "broad_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stopwatch.h"
#include "support/random.h"

#define DENSITY 0.05
#define STEP 0.05 /* a frame, in sides of a cube */

static void set_bounds(broad_scene *s, size_t i)
{
    for (int k = 0; k < 3; k++) {
        s->bounds[6 * i + (size_t)k] = (float)(s->middles[3 * i + (size_t)k] - 0.5);
        s->bounds[6 * i + 3 + (size_t)k] = (float)(s->middles[3 * i + (size_t)k] + 0.5);
    }
}

bool tact_broad_scene_create(broad_scene *s, int count, int moving, uint64_t seed)
{
    *s = (broad_scene){.count = count, .moving = moving, .side = cbrt(count / DENSITY)};
    size_t n = (size_t)count, m = (size_t)moving;
    s->middles = malloc(3 * n * sizeof *s->middles);
    s->steps = malloc(3 * m * sizeof *s->steps);
    s->moved = malloc(n * sizeof *s->moved);
    s->bounds = malloc(6 * n * sizeof *s->bounds);
    if (!s->middles || !s->steps || !s->moved || !s->bounds) {
        tact_broad_scene_release(s);
        return false;
    }
    random_source random = random_seed(seed);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++)
            s->middles[3 * i + k] = random_range(&random, 0.5, s->side - 0.5);
        s->moved[i] = (uint32_t)i;
        set_bounds(s, i);
    }
    for (size_t i = 0; i < m; i++) { /* the first of a random order */
        size_t other = i + (size_t)random_below(&random, n - i);
        uint32_t which = s->moved[other];
        s->moved[other] = s->moved[i];
        s->moved[i] = moving == count ? (uint32_t)i : which;
        tact_vec3 way = random_direction(&random);
        s->steps[3 * i] = STEP * way.x;
        s->steps[3 * i + 1] = STEP * way.y;
        s->steps[3 * i + 2] = STEP * way.z;
    }
    return true;
}

void tact_broad_scene_step(broad_scene *s)
{
    for (int j = 0; j < s->moving; j++) {
        size_t i = s->moved[j];
        double *at = &s->middles[3 * i], *step = &s->steps[3 * (size_t)j];
        for (int k = 0; k < 3; k++) {
            at[k] += step[k];
            if ((at[k] < 0.5 && step[k] < 0.0) || (at[k] > s->side - 0.5 && step[k] > 0.0))
                step[k] = -step[k];
        }
        set_bounds(s, i);
    }
}

void tact_broad_scene_release(broad_scene *s)
{
    free(s->middles);
    free(s->steps);
    free(s->moved);
    free(s->bounds);
    *s = (broad_scene){0};
}

typedef struct start {
    float x;
    uint32_t body;
} start;

static int by_x(const void *one, const void *other)
{
    float x = ((const start *)one)->x, y = ((const start *)other)->x;
    return x < y ? -1 : x > y;
}

static int by_value(const void *one, const void *other)
{
    uint64_t x = *(const uint64_t *)one, y = *(const uint64_t *)other;
    return x < y ? -1 : x > y;
}

uint64_t *tact_broad_scene_pairs(const broad_scene *s, long *count)
{
    size_t n = (size_t)s->count, room = 4 * n + 16;
    start *starts = malloc(n * sizeof *starts);
    uint64_t *pairs = malloc(room * sizeof *pairs);
    *count = 0;
    if (!starts || !pairs) {
        free(starts);
        free(pairs);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        starts[i] = (start){s->bounds[6 * i], (uint32_t)i};
    qsort(starts, n, sizeof *starts, by_x);
    for (size_t i = 0; i < n; i++) {
        const float *a = &s->bounds[6 * (size_t)starts[i].body];
        for (size_t k = i + 1; k < n && starts[k].x <= a[3]; k++) {
            if (!broad_scene_overlap(a, &s->bounds[6 * (size_t)starts[k].body]))
                continue;
            if ((size_t)*count == room) {
                uint64_t *more = realloc(pairs, 2 * room * sizeof *pairs);
                if (!more) {
                    free(pairs);
                    free(starts);
                    return NULL;
                }
                pairs = more;
                room *= 2;
            }
            uint64_t one = starts[i].body, other = starts[k].body;
            pairs[(*count)++] = one < other ? one << 32 | other : other << 32 | one;
        }
    }
    free(starts);
    qsort(pairs, (size_t)*count, sizeof *pairs, by_value);
    return pairs;
}

/* How many are in one list and not in the other; -1 when memory has run out. Sorts `mine`; frees both. */
static long differences(uint64_t *mine, long mine_count, uint64_t *truth, long truth_count)
{
    if (!mine || !truth) {
        free(mine);
        free(truth);
        return -1;
    }
    qsort(mine, (size_t)mine_count, sizeof *mine, by_value);
    long i = 0, k = 0, wrong = 0;
    while (i < mine_count && k < truth_count) {
        if (mine[i] == truth[k]) {
            i++;
            k++;
        } else {
            wrong++;
            if (mine[i] < truth[k])
                i++;
            else
                k++;
        }
    }
    free(mine);
    free(truth);
    return wrong + (mine_count - i) + (truth_count - k);
}

double tact_broad_run(const broad_runner *r, int count, int moving, int frames, uint64_t seed, long *wrong, long *pairs)
{
    broad_scene s;
    if (!tact_broad_scene_create(&s, count, moving, seed))
        return -1.0;
    double mean = -1.0;
    void *state = r->create(&s);
    if (state) {
        double sum = 0.0;
        for (int frame = -frames / 4; frame < frames; frame++) { /* whoever adapts has done so at frame 0 */
            tact_broad_scene_step(&s);
            double before = tact_stopwatch_now();
            r->update(state, &s);
            sum += frame >= 0 ? tact_stopwatch_now() - before : 0.0;
        }
        mean = sum / frames;
        long mine_count = 0;
        uint64_t *mine = r->pairs(state, &s, &mine_count), *truth = tact_broad_scene_pairs(&s, pairs);
        *wrong = differences(mine, mine_count, truth, *pairs);
        if (*wrong < 0)
            mean = -1.0;
        r->finish(state);
    }
    tact_broad_scene_release(&s);
    return mean;
}
