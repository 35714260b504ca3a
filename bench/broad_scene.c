/* The scene of the broad-phase benchmarks, its reference pairs, and the run of one broad phase. */
#include "broad_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stopwatch.h"
#include "support/random.h"

#define DENSITY 0.05
#define STEP 0.05 /* per frame, in edge lengths of a cube */

static void set_bounds(broad_scene *s, size_t i)
{
    for (int k = 0; k < 3; k++) {
        s->bounds[6 * i + (size_t)k] = (float)(s->centres[3 * i + (size_t)k] - 0.5);
        s->bounds[6 * i + 3 + (size_t)k] = (float)(s->centres[3 * i + (size_t)k] + 0.5);
    }
}

bool tact_broad_scene_create(broad_scene *s, int count, int moving, uint64_t seed)
{
    *s = (broad_scene){.count = count, .moving = moving, .side = cbrt(count / DENSITY)};
    size_t n = (size_t)count, m = (size_t)moving;
    s->centres = malloc(3 * n * sizeof *s->centres);
    s->steps = malloc(3 * m * sizeof *s->steps);
    s->moved = malloc(n * sizeof *s->moved);
    s->bounds = malloc(6 * n * sizeof *s->bounds);
    if (!s->centres || !s->steps || !s->moved || !s->bounds) {
        tact_broad_scene_release(s);
        return false;
    }
    random_source random = random_seed(seed);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++)
            s->centres[3 * i + k] = random_range(&random, 0.5, s->side - 0.5);
        s->moved[i] = (uint32_t)i;
        set_bounds(s, i);
    }
    for (size_t i = 0; i < m; i++) { /* a partial shuffle selects the moving bodies */
        size_t second = i + (size_t)random_below(&random, n - i);
        uint32_t which = s->moved[second];
        s->moved[second] = s->moved[i];
        s->moved[i] = moving == count ? (uint32_t)i : which;
        tact_vec3 direction = random_direction(&random);
        s->steps[3 * i] = STEP * direction.x;
        s->steps[3 * i + 1] = STEP * direction.y;
        s->steps[3 * i + 2] = STEP * direction.z;
    }
    return true;
}

void tact_broad_scene_step(broad_scene *s)
{
    for (int j = 0; j < s->moving; j++) {
        size_t i = s->moved[j];
        double *at = &s->centres[3 * i], *step = &s->steps[3 * (size_t)j];
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
    free(s->centres);
    free(s->steps);
    free(s->moved);
    free(s->bounds);
    *s = (broad_scene){0};
}

typedef struct interval_start {
    float x;
    uint32_t body;
} interval_start;

static int by_x(const void *first, const void *second)
{
    float x = ((const interval_start *)first)->x, y = ((const interval_start *)second)->x;
    return x < y ? -1 : x > y;
}

static int by_value(const void *first, const void *second)
{
    uint64_t x = *(const uint64_t *)first, y = *(const uint64_t *)second;
    return x < y ? -1 : x > y;
}

uint64_t *tact_broad_scene_pairs(const broad_scene *s, long *count)
{
    size_t n = (size_t)s->count, capacity = 4 * n + 16;
    interval_start *interval_starts = malloc(n * sizeof *interval_starts);
    uint64_t *pairs = malloc(capacity * sizeof *pairs);
    *count = 0;
    if (!interval_starts || !pairs) {
        free(interval_starts);
        free(pairs);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        interval_starts[i] = (interval_start){s->bounds[6 * i], (uint32_t)i};
    qsort(interval_starts, n, sizeof *interval_starts, by_x);
    for (size_t i = 0; i < n; i++) {
        const float *a = &s->bounds[6 * (size_t)interval_starts[i].body];
        for (size_t k = i + 1; k < n && interval_starts[k].x <= a[3]; k++) {
            if (!broad_scene_overlap(a, &s->bounds[6 * (size_t)interval_starts[k].body]))
                continue;
            if ((size_t)*count == capacity) {
                uint64_t *more = realloc(pairs, 2 * capacity * sizeof *pairs);
                if (!more) {
                    free(pairs);
                    free(interval_starts);
                    return NULL;
                }
                pairs = more;
                capacity *= 2;
            }
            uint64_t first = interval_starts[i].body, second = interval_starts[k].body;
            pairs[(*count)++] = first < second ? first << 32 | second : second << 32 | first;
        }
    }
    free(interval_starts);
    qsort(pairs, (size_t)*count, sizeof *pairs, by_value);
    return pairs;
}

/* Counts the pairs that are in one list only; -1 if a list is NULL. Sorts `found`; frees both. */
static long differences(uint64_t *found, long found_count, uint64_t *expected, long expected_count)
{
    if (!found || !expected) {
        free(found);
        free(expected);
        return -1;
    }
    qsort(found, (size_t)found_count, sizeof *found, by_value);
    long i = 0, k = 0, wrong = 0;
    while (i < found_count && k < expected_count) {
        if (found[i] == expected[k]) {
            i++;
            k++;
        } else {
            wrong++;
            if (found[i] < expected[k])
                i++;
            else
                k++;
        }
    }
    free(found);
    free(expected);
    return wrong + (found_count - i) + (expected_count - k);
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
        for (int frame = -frames / 4; frame < frames; frame++) { /* the frames before 0 let adaptive engines settle */
            tact_broad_scene_step(&s);
            double before = tact_stopwatch_now();
            r->update(state, &s);
            sum += frame >= 0 ? tact_stopwatch_now() - before : 0.0;
        }
        mean = sum / frames;
        long found_count = 0;
        uint64_t *found = r->pairs(state, &s, &found_count), *expected = tact_broad_scene_pairs(&s, pairs);
        *wrong = differences(found, found_count, expected, *pairs);
        if (*wrong < 0)
            mean = -1.0;
        r->finish(state);
    }
    tact_broad_scene_release(&s);
    return mean;
}
