/* Pairs that a fixed plane separates until the next contact step: see step_separation.h. */
#include "advance/step_separation.h"

#include <math.h>

#include "advance/advance.h"
#include "advance/advance_constants.h"
#include "shape/support.h"

void tact_step_sweeps_reserve(step_sweep_array *cache, const tact_allocator *allocator, size_t bodies)
{
    size_t count = STEP_SWEEPS_MIN;
    while (count < 2 * bodies && count < STEP_SWEEPS_MAX)
        count *= 2;
    if (count <= cache->count || !step_sweep_array_reserve(cache, allocator, count))
        return;
    for (size_t i = 0; i < count; ++i)
        cache->items[i] = (step_sweep){.body = UINT32_MAX};
    cache->count = count;
}

void tact_step_sweeps_clear(step_sweep_array *cache)
{
    for (size_t i = 0; i < cache->count; ++i)
        cache->items[i] = (step_sweep){.body = UINT32_MAX};
}

/* Sets the entry of a body for [begin, end]. */
static void set_sweep(const tact_world *world, uint32_t index, double begin, double end, step_sweep *s)
{
    const advance *ad = world->advance;
    const body_motion *hot = &ad->motions.items[index];
    const body_motion_cold *cold = &ad->cold.items[index];
    *s = (step_sweep){.body = index, .version = cold->version, .begin = begin, .end = end};
    if (cold->plan != NULL || body_motion_deforms(cold) || !shape_is_convex(cold->shape))
        return;
    const tact_transform first = body_motion_transform(hot, cold, begin), last = body_motion_transform(hot, cold, end);
    if (tact_convex_make(&s->at[0], cold->shape, &first) != TACT_OK ||
        tact_convex_make(&s->at[1], cold->shape, &last) != TACT_OK)
        return;
    if (cold->moves) {
        const double spin = vec_length_safe(cold->motion.spin);
        s->bulge =
            0.125 * (end - begin) * (end - begin) *
            (spin * spin * (s->at[0].bounding_radius + s->at[0].margin) + vec_length_safe(cold->motion.acceleration));
    }
    s->valid = true;
}

/* The entry of a body until `end`, from the cache or made in `*own`. */
static const step_sweep *find_sweep(tact_world *world, uint32_t index, double end, step_sweep *own)
{
    advance *ad = world->advance;
    step_sweep_array *cache = &ad->contacts.sweeps;
    const body_motion_cold *cold = &ad->cold.items[index];
    step_sweep *s = cache->count > 0 ? &cache->items[index & (cache->count - 1)] : own;
    const double start = ad->motions.items[index].start_time;
    /* a motion that has lasted for long, as that of a free body, would bulge too much */
    const double begin = !cold->moves || end - start <= 2.0 * world->contact_step ? start : ad->time;
    if (s == own) {
        set_sweep(world, index, begin, end, s);
        return s;
    }
    const bool same_end = s->end == end || !cold->moves;
    if (s->body != index || s->version != cold->version || s->begin != begin || !same_end)
        set_sweep(world, index, begin, end, s);
    return s;
}

/* The extent of a body along n: `*now` at the time of the world, `*end` at the end of the entry. */
static void set_extents(const step_sweep *s, tact_vec3 n, double time, double *now, double *end)
{
    double extent[2];
    for (int i = 0; i < 2; ++i) {
        uint64_t ignored;
        extent[i] =
            vec_dot(n, vec_add(s->at[i].transform.origin, convex_support(&s->at[i], n, &ignored))) + s->at[i].margin;
    }
    const double part = s->end > s->begin ? (time - s->begin) / (s->end - s->begin) : 0.0;
    *now = extent[0] + part * (extent[1] - extent[0]);
    *end = extent[1];
}

bool tact_step_is_separated(tact_world *world, uint32_t a, uint32_t b, tact_vec3 normal, double end)
{
    const advance *ad = world->advance;
    const double length = vec_length_squared(normal);
    if (!(fabs(length - 1.0) < UNIT_NORMAL_ERROR) || !(end >= ad->time))
        return false;
    step_sweep own[2];
    const step_sweep *one = find_sweep(world, a, end, &own[0]);
    if (one != &own[0]) { /* the other may have the same place in the cache */
        const step_sweep *other = &ad->contacts.sweeps.items[b & (ad->contacts.sweeps.count - 1)];
        if (other == one) {
            own[0] = *one;
            one = &own[0];
        }
    }
    const step_sweep *other = find_sweep(world, b, end, &own[1]);
    if (!one->valid || !other->valid)
        return false;
    double now_a, end_a, now_b, end_b;
    set_extents(one, normal, ad->time, &now_a, &end_a);
    set_extents(other, vec_negate(normal), ad->time, &now_b, &end_b);
    const double far =
        vec_max_abs(one->at[0].transform.origin) + vec_max_abs(one->at[1].transform.origin) +
        vec_max_abs(other->at[0].transform.origin) + vec_max_abs(other->at[1].transform.origin) +
        2.0 * (one->at[0].bounding_radius + one->at[0].margin + other->at[0].bounding_radius + other->at[0].margin);
    return max_double(now_a + now_b, end_a + end_b) + one->bulge + other->bulge + WINDOW_PAD * far < 0.0;
}
