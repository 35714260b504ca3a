/* Shared by the tests of the broad phase: random boxes, filters and proxies. */
#ifndef TACT_TEST_BROAD_PROXIES_H
#define TACT_TEST_BROAD_PROXIES_H

#include "broad/broad.h"
#include "support/random.h"

#define TEST_PROXIES 160 /* proxies */

static inline box random_box(random_source *r, double spread)
{
    tact_vec3 at = {random_range(r, -spread, spread), random_range(r, -spread, spread),
                    random_range(r, -spread, spread)};
    double size = random_chance(r, 0.05) ? random_range(r, 0, spread) : random_range(r, 0.3, 1.5);
    tact_vec3 s = {size * random_range(r, 0.5, 1.0), size * random_range(r, 0.5, 1.0),
                   size * random_range(r, 0.5, 1.0)};
    if (random_chance(r, 0.02))
        s = (tact_vec3){0, 0, 0};
    if (random_chance(r, 0.2)) { /* on a lattice: many touch exactly */
        at = (tact_vec3){floor(at.x), floor(at.y), floor(at.z)};
        s = (tact_vec3){1, 1, 1};
    }
    return box_from_bounds(at, (tact_vec3){at.x + s.x, at.y + s.y, at.z + s.z});
}

static inline box nudged(random_source *r, box b, double step)
{
    float d[3] = {(float)random_range(r, -step, step), (float)random_range(r, -step, step),
                  (float)random_range(r, -step, step)};
    for (int i = 0; i < 3; ++i) {
        b.min[i] += d[i];
        b.max[i] += d[i];
    }
    return b;
}

static inline broad_filter random_filter(random_source *r)
{
    if (random_chance(r, 0.5))
        return BROAD_FILTER_ALL;
    return (broad_filter){UINT64_C(1) << random_below(r, 4), random_bits(r) & 15};
}

static inline uint32_t random_alive(random_source *r, const bool alive[TEST_PROXIES])
{
    for (;;) {
        uint32_t at = (uint32_t)random_below(r, TEST_PROXIES);
        if (alive[at])
            return at;
    }
}

#endif
