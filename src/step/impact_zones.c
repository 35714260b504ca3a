/*
 * Zones that move as one: see step_zones.h. After the impact zones of Provot ("Collision and self-collision handling
 * in cloth model dedicated to design garments", 1997) and of Bridson, Fedkiw and Anderson (2002), which turn rigidly;
 * ours only go straight, or along with an obstacle, where the argument in the header holds for straight paths too.
 * Sets that are joined are kept as trees with paths halved: as good as linear.
 */
#include "step/impact_zones.h"

#include "math/vec.h"
#include "world/world_internal.h"

bool tact_step_zones_begin(step_zones *z, const step_scene *scene, const tact_allocator *allocator)
{
    const size_t count = scene->from.count;
    if (!step_number_array_resize(&z->parents, allocator, count) ||
        !step_zone_array_resize(&z->zones, allocator, count) || !step_byte_array_resize(&z->inside, allocator, count))
        return false;
    for (size_t i = 0; i < count; ++i) {
        z->parents.items[i] = (uint32_t)i;
        z->inside.items[i] = 0;
    }
    return true;
}

void tact_step_zones_release(step_zones *z, const tact_allocator *allocator)
{
    step_number_array_release(&z->parents, allocator);
    step_zone_array_release(&z->zones, allocator);
    step_byte_array_release(&z->inside, allocator);
}

static uint32_t find(step_zones *z, uint32_t i)
{
    uint32_t *parents = z->parents.items;
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

/* An obstacle does not join what meets it: two sheets on one floor are two zones. Each zone notes its obstacle
 * instead. */
static bool is_soft(const step_scene *s, uint32_t vertex) { return s->parts.items[s->part_of.items[vertex]].soft; }

/* The zone meets a part that is an obstacle. */
static bool meet_obstacle(step_zone *zone, const step_scene *s, uint32_t part)
{
    if (zone->stays || zone->rider == part + 1)
        return false;
    if (!s->parts.items[part].moves || zone->rider != 0)
        zone->stays = true;
    else
        zone->rider = part + 1;
    return true;
}

static bool join(step_zones *z, uint32_t one, uint32_t other)
{
    one = find(z, one);
    other = find(z, other);
    if (one == other)
        return false;
    step_zone *a = &z->zones.items[one], *b = &z->zones.items[other];
    const bool differ = a->rider != 0 && b->rider != 0 && a->rider != b->rider;
    a->stays = a->stays || b->stays || differ;
    a->rider = a->rider != 0 ? a->rider : b->rider;
    z->parents.items[other] = one;
    return true;
}

bool tact_step_zones_join(step_zones *z, const step_scene *s, const step_hit_array *hits)
{
    bool any = false;
    for (size_t i = 0; i < hits->count; ++i) {
        const uint32_t *v = hits->items[i].vertices;
        uint32_t first = UINT32_MAX;
        for (int k = 0; k < 4; ++k) {
            if (!is_soft(s, v[k]))
                continue;
            if (!z->inside.items[v[k]]) {
                z->inside.items[v[k]] = 1;
                z->zones.items[v[k]] = (step_zone){.stays = s->inverse.items[v[k]] == 0.0};
                any = true;
            }
            if (first == UINT32_MAX)
                first = v[k];
            else
                any = join(z, first, v[k]) || any;
        }
        for (int k = 0; k < 4; ++k)
            if (!is_soft(s, v[k]) && first != UINT32_MAX)
                any = meet_obstacle(&z->zones.items[find(z, first)], s, s->part_of.items[v[k]]) || any;
    }
    return any;
}

bool tact_step_zones_stop(step_zones *z, const step_scene *s, const step_hit_array *hits)
{
    bool any = false;
    for (size_t i = 0; i < hits->count; ++i)
        for (int k = 0; k < 4; ++k) {
            const uint32_t v = hits->items[i].vertices[k];
            if (!is_soft(s, v))
                continue;
            step_zone *zone = &z->zones.items[find(z, v)];
            any = any || !zone->stays;
            zone->stays = true;
        }
    return any;
}

/* Where an obstacle takes a point that sticks to it; false if it is gone. */
static bool ride(const step_scene *s, const tact_world *world, uint32_t part, tact_transform *way)
{
    const step_part *p = &s->parts.items[part];
    tact_transform back;
    if (!tact_step_part_exists(p, world) ||
        tact_transform_invert(world->lines.items[p->name.index].place, &back) != TACT_OK)
        return false;
    *way = tact_transform_compose(p->place, back);
    if (p->slides) { /* all but its surface turns, and what sticks to that would be turned into it */
        *way = tact_identity();
        way->origin = vec_sub(p->place.origin, world->lines.items[p->name.index].place.origin);
    }
    return true;
}

void tact_step_zones_move(step_zones *z, step_scene *s, const tact_world *world, uint8_t *marks)
{
    for (uint32_t v = 0; v < s->from.count; ++v)
        if (z->inside.items[v]) {
            step_zone *zone = &z->zones.items[find(z, v)];
            zone->path = vec_make(0.0, 0.0, 0.0);
            zone->mass = 0.0;
        }
    for (uint32_t v = 0; v < s->from.count; ++v)
        if (z->inside.items[v] && s->inverse.items[v] > 0.0) {
            step_zone *zone = &z->zones.items[find(z, v)];
            const double mass = 1.0 / s->inverse.items[v];
            zone->path = vec_mul_add(zone->path, mass, vec_sub(s->to.items[v], s->from.items[v]));
            zone->mass += mass;
        }
    uint32_t rider = 0; /* the last one asked for */
    tact_transform way = tact_identity();
    for (uint32_t v = 0; v < s->from.count; ++v) {
        if (!z->inside.items[v])
            continue;
        const step_zone *zone = &z->zones.items[find(z, v)];
        tact_vec3 to = s->from.items[v];
        if (!zone->stays && zone->rider != 0) {
            if (rider != zone->rider && !ride(s, world, zone->rider - 1, &way))
                way = tact_identity();
            rider = zone->rider;
            to = tact_transform_point(way, to);
        } else if (!zone->stays && zone->mass > 0.0) {
            to = vec_mul_add(to, 1.0 / zone->mass, zone->path);
        }
        if (!vec_finite(to) || vec_max_abs(to) > STEP_LARGEST)
            to = s->from.items[v];
        if (!vec_equal(to, s->to.items[v])) {
            s->to.items[v] = to;
            marks[v] = 1;
        }
    }
}
