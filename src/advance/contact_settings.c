/* Settings of the contact solver, and what programs ask of it: see tact/rigid.h. */
#include <math.h>

#include "advance/advance_constants.h"
#include "advance/contact_step.h"
#include "dynamics/rigid_body.h"
#include "motion/motion.h"

/* Wakes all islands; `changed`: the acceleration of all bodies with a mass, or the time of steps, has changed. */
static void wake_all(tact_world *world, bool changed)
{
    if (world->advance == NULL)
        return;
    const contact_graph *g = &world->advance->contacts;
    for (uint32_t i = 0; i < g->bodies.count; ++i) {
        tact_contact_wake(world, i);
        if (changed && world->bodies.items[i].flags & BODY_ALIVE && world->cold.items[i].rigid != NULL) {
            tact_advance_sync_body(world, i);
            tact_advance_mark_motion_changed(world, i);
        }
    }
}

tact_status tact_world_set_contact_step(tact_world *world, double duration)
{
    if (world == NULL || !(duration >= MIN_CONTACT_STEP) || !(duration < INFINITY))
        return TACT_BAD_ARGUMENT;
    world->contact_step = duration;
    wake_all(world, true); /* motions of contact bodies hold until the next step */
    tact_contact_reset_steps(world);
    WORLD_NOTIFY(world, .type = CALL_SET_CONTACT_STEP, .time = duration);
    return TACT_OK;
}

double tact_world_get_contact_step(const tact_world *world) { return world != NULL ? world->contact_step : 0.0; }

tact_status tact_world_set_gravity(tact_world *world, tact_vec3 gravity)
{
    if (world == NULL || !vec_finite(gravity) || !(vec_max_abs(gravity) <= MOTION_MAX_VALUE))
        return TACT_BAD_ARGUMENT;
    world->gravity = gravity;
    wake_all(world, true);
    WORLD_NOTIFY(world, .type = CALL_SET_GRAVITY, .positions = &gravity, .count = 1);
    return TACT_OK;
}

tact_vec3 tact_world_get_gravity(const tact_world *world)
{
    return world != NULL ? world->gravity : (tact_vec3){0.0, 0.0, 0.0};
}

tact_status tact_world_set_sleeping(tact_world *world, bool on)
{
    if (world == NULL)
        return TACT_BAD_ARGUMENT;
    world->never_sleeps = !on;
    if (!on)
        wake_all(world, false);
    WORLD_NOTIFY(world, .type = CALL_SET_SLEEPING, .setting = on);
    return TACT_OK;
}

bool tact_world_get_sleeping(const tact_world *world) { return world != NULL && !world->never_sleeps; }

bool tact_body_is_asleep(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL && world->advance != NULL &&
           body.index < world->advance->contacts.bodies.count &&
           world->advance->contacts.bodies.items[body.index].state == CONTACT_ASLEEP;
}

/* Adds an event. Without memory it is not reported: the motion does not depend on it. */
static void add_report(tact_world *world, contact_report r)
{
    contact_graph *g = &world->advance->contacts;
    if (g->next_report == g->reports.count)
        g->next_report = g->reports.count = 0;
    if (r.b != CONTACT_NONE && world->bodies.items[r.b].serial < world->bodies.items[r.a].serial) {
        const uint32_t first = r.b;
        r.b = r.a;
        r.a = first;
        r.normal = vec_negate(r.normal);
    }
    r.generation_a = world->bodies.items[r.a].generation;
    r.generation_b = r.b != CONTACT_NONE ? world->bodies.items[r.b].generation : 0;
    (void)contact_report_array_push(&g->reports, &world->allocator, r);
}

void tact_contact_report_add(tact_world *world, tact_event_kind kind, uint32_t a, uint32_t b)
{
    if (world->contact_events)
        add_report(world, (contact_report){.kind = kind, .a = a, .b = b});
}

void tact_contact_report_touch(tact_world *world, uint32_t a, uint32_t b, tact_vec3 point, tact_vec3 normal)
{
    add_report(world, (contact_report){TACT_EVENT_TOUCH, .a = a, .b = b, .point = point, .normal = normal});
}

tact_status tact_world_set_contact_events(tact_world *world, bool on)
{
    if (world == NULL)
        return TACT_BAD_ARGUMENT;
    world->contact_events = on;
    if (!on && world->advance != NULL)
        world->advance->contacts.reports.count = world->advance->contacts.next_report = 0;
    WORLD_NOTIFY(world, .type = CALL_SET_CONTACT_EVENTS, .setting = on);
    return TACT_OK;
}

bool tact_world_get_contact_events(const tact_world *world) { return world != NULL && world->contact_events; }

/* A contact as the caller sees it. */
static tact_persistent_contact describe(const tact_world *world, const persistent_contact *c)
{
    const bool swapped = world->bodies.items[c->body[1]].serial < world->bodies.items[c->body[0]].serial;
    const double sign = swapped ? -1.0 : 1.0;
    tact_persistent_contact out = {.a = body_handle(world, c->body[swapped ? 1 : 0]),
                                   .b = body_handle(world, c->body[swapped ? 0 : 1]),
                                   .material = c->material,
                                   .duration = c->impulse_duration,
                                   .count = (int)c->point_count};
    for (uint32_t i = 0; i < c->point_count; ++i) {
        const contact_point *p = &c->points[i];
        out.points[i] =
            (tact_contact_impulse_point){.point = p->position,
                                         .normal = vec_scale(p->normal, sign),
                                         .gap = p->gap,
                                         .impulse = vec_scale(vec_mul_add(p->friction, p->impulse, p->normal), sign)};
    }
    return out;
}

size_t tact_body_get_contacts(const tact_world *world, tact_body body, tact_persistent_contact *contacts,
                              size_t capacity)
{
    if (body_find(world, body) == NULL || world->advance == NULL ||
        body.index >= world->advance->contacts.bodies.count || (contacts == NULL && capacity > 0))
        return 0;
    const contact_graph *g = &world->advance->contacts;
    size_t count = 0;
    for (uint32_t i = g->bodies.items[body.index].first; i != CONTACT_NONE; ++count) {
        const persistent_contact *c = &g->contacts.items[i];
        if (count < capacity)
            contacts[count] = describe(world, c);
        i = c->next[contact_side(c, body.index)];
    }
    return count;
}

tact_status tact_body_wake(tact_world *world, tact_body body)
{
    if (body_find(world, body) == NULL)
        return TACT_BAD_ARGUMENT;
    if (world->advance != NULL)
        tact_contact_wake(world, body.index);
    WORLD_NOTIFY(world, .type = CALL_WAKE, .body = body);
    return TACT_OK;
}

tact_status tact_body_set_material(tact_world *world, tact_body body, tact_material material)
{
    if (body_find(world, body) == NULL || !tact_material_is_valid(&material))
        return TACT_BAD_ARGUMENT;
    world->cold.items[body.index].material = material;
    WORLD_NOTIFY(world, .type = CALL_SET_MATERIAL, .body = body, .material = &material);
    return TACT_OK;
}

tact_material tact_body_get_material(const tact_world *world, tact_body body)
{
    return body_find(world, body) != NULL ? world->cold.items[body.index].material : (tact_material){0};
}

tact_status tact_body_apply_impulse(tact_world *world, tact_body body, tact_vec3 impulse, tact_vec3 point)
{
    if (body_find(world, body) == NULL || !vec_finite(impulse) || !vec_finite(point))
        return TACT_BAD_ARGUMENT;
    const rigid_body *r = world->cold.items[body.index].rigid;
    if (r == NULL)
        return TACT_BAD_ARGUMENT;
    const tact_transform at = tact_body_transform_now(world, body.index);
    const tact_vec3 centre = tact_transform_point(at, r->properties.centre);
    const sym3 inverse = tact_mass_properties_inverse_inertia(&r->properties, &at);
    const tact_vec3 spin = sym3_mul(&inverse, vec_cross(vec_sub(point, centre), impulse));
    tact_motion motion = tact_body_reported_motion(world, body.index);
    motion.spin = vec_add(motion.spin, spin);
    motion.velocity = vec_add(vec_mul_add(motion.velocity, 1.0 / r->properties.mass, impulse),
                              vec_cross(spin, vec_sub(at.origin, centre)));
    if (!motion_is_valid(&motion))
        return TACT_BAD_ARGUMENT;
    return tact_body_set_motion(world, body, motion);
}
