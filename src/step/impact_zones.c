/*
 * Impact zones: see the header. After Provot 1997 ("Collision and self-collision handling in cloth model dedicated to
 * design garments") and Bridson, Fedkiw and Anderson 2002, whose zones rotate rigidly. Ours only translate, or move
 * with an obstacle, where the argument in the header holds for straight paths too.
 */
#include "step/impact_zones.h"

#include "core/union_find.h"
#include "math/vec.h"
#include "step/step_constants.h"
#include "world/world_internal.h"

bool tact_impact_zones_begin(impact_zones *z, const step_scene *scene, const tact_allocator *allocator)
{
    const size_t count = scene->from.count;
    if (!step_index_array_resize(&z->parent, allocator, count) ||
        !impact_zone_array_resize(&z->zones, allocator, count) ||
        !step_byte_array_resize(&z->in_zone, allocator, count))
        return false;
    union_find_init(z->parent.items, count);
    for (size_t i = 0; i < count; ++i)
        z->in_zone.items[i] = 0;
    return true;
}

void tact_impact_zones_release(impact_zones *z, const tact_allocator *allocator)
{
    step_index_array_release(&z->parent, allocator);
    impact_zone_array_release(&z->zones, allocator);
    step_byte_array_release(&z->in_zone, allocator);
}

static uint32_t find(impact_zones *z, uint32_t i) { return union_find_root(z->parent.items, i); }

/* Obstacles do not merge zones: two sheets on one floor are two zones. Each zone stores its obstacle instead. */
static bool is_deformable(const step_scene *s, uint32_t vertex)
{
    return s->parts.items[s->part_of.items[vertex]].deformable;
}

/* Adds an obstacle to a zone. */
static bool add_obstacle(impact_zone *zone, const step_scene *s, uint32_t part)
{
    if (zone->fixed || zone->carrier == part + 1)
        return false;
    if (!s->parts.items[part].moving || zone->carrier != 0)
        zone->fixed = true;
    else
        zone->carrier = part + 1;
    return true;
}

static bool join(impact_zones *z, uint32_t one, uint32_t other)
{
    one = find(z, one);
    other = find(z, other);
    if (one == other)
        return false;
    impact_zone *a = &z->zones.items[one], *b = &z->zones.items[other];
    const bool differ = a->carrier != 0 && b->carrier != 0 && a->carrier != b->carrier;
    a->fixed = a->fixed || b->fixed || differ;
    a->carrier = a->carrier != 0 ? a->carrier : b->carrier;
    z->parent.items[other] = one;
    return true;
}

bool tact_impact_zones_join(impact_zones *z, const step_scene *s, const step_hit_array *hits)
{
    bool any = false;
    for (size_t i = 0; i < hits->count; ++i) {
        const uint32_t *v = hits->items[i].vertices;
        uint32_t first = UINT32_MAX;
        for (int k = 0; k < 4; ++k) {
            if (!is_deformable(s, v[k]))
                continue;
            if (!z->in_zone.items[v[k]]) {
                z->in_zone.items[v[k]] = 1;
                z->zones.items[v[k]] = (impact_zone){.fixed = s->inverse_mass.items[v[k]] == 0.0};
                any = true;
            }
            if (first == UINT32_MAX)
                first = v[k];
            else
                any = join(z, first, v[k]) || any;
        }
        for (int k = 0; k < 4; ++k)
            if (!is_deformable(s, v[k]) && first != UINT32_MAX)
                any = add_obstacle(&z->zones.items[find(z, first)], s, s->part_of.items[v[k]]) || any;
    }
    return any;
}

bool tact_impact_zones_stop(impact_zones *z, const step_scene *s, const step_hit_array *hits)
{
    bool any = false;
    for (size_t i = 0; i < hits->count; ++i)
        for (int k = 0; k < 4; ++k) {
            const uint32_t v = hits->items[i].vertices[k];
            if (!is_deformable(s, v))
                continue;
            impact_zone *zone = &z->zones.items[find(z, v)];
            any = any || !zone->fixed;
            zone->fixed = true;
        }
    return any;
}

/* The map that carries a point with an obstacle; false if the obstacle no longer exists. */
static bool carrier_map(const step_scene *s, const tact_world *world, uint32_t part, tact_transform *map)
{
    const step_part *p = &s->parts.items[part];
    tact_transform inverse;
    if (!tact_step_part_exists(p, world) ||
        tact_transform_invert(world->bodies.items[p->body.index].transform, &inverse) != TACT_OK)
        return false;
    *map = tact_transform_compose(p->end_transform, inverse);
    if (p->translates) { /* it is tested without its rotation, which would move a carried point into it */
        *map = tact_identity();
        map->origin = vec_sub(p->end_transform.origin, world->bodies.items[p->body.index].transform.origin);
    }
    return true;
}

void tact_impact_zones_move(impact_zones *z, step_scene *s, const tact_world *world, uint8_t *marks)
{
    for (uint32_t v = 0; v < s->from.count; ++v)
        if (z->in_zone.items[v]) {
            impact_zone *zone = &z->zones.items[find(z, v)];
            zone->weighted_displacement = vec_make(0.0, 0.0, 0.0);
            zone->mass = 0.0;
        }
    for (uint32_t v = 0; v < s->from.count; ++v)
        if (z->in_zone.items[v] && s->inverse_mass.items[v] > 0.0) {
            impact_zone *zone = &z->zones.items[find(z, v)];
            const double mass = 1.0 / s->inverse_mass.items[v];
            zone->weighted_displacement =
                vec_mul_add(zone->weighted_displacement, mass, vec_sub(s->to.items[v], s->from.items[v]));
            zone->mass += mass;
        }
    uint32_t carrier = 0; /* the last one computed */
    tact_transform map = tact_identity();
    for (uint32_t v = 0; v < s->from.count; ++v) {
        if (!z->in_zone.items[v])
            continue;
        const impact_zone *zone = &z->zones.items[find(z, v)];
        tact_vec3 to = s->from.items[v];
        if (!zone->fixed && zone->carrier != 0) {
            if (carrier != zone->carrier && !carrier_map(s, world, zone->carrier - 1, &map))
                map = tact_identity();
            carrier = zone->carrier;
            to = tact_transform_point(map, to);
        } else if (!zone->fixed && zone->mass > 0.0) {
            to = vec_mul_add(to, 1.0 / zone->mass, zone->weighted_displacement);
        }
        if (!vec_finite(to) || vec_max_abs(to) > STEP_MAX_COORDINATE)
            to = s->from.items[v];
        if (!vec_equal(to, s->to.items[v])) {
            s->to.items[v] = to;
            marks[v] = 1;
        }
    }
}
