/*
 * The contact graph as plain values: see contact_state.h.
 *
 * All of it is stored, with the order of its lists, because the order of the events of one contact step depends on it.
 * What is read is checked against the invariants of contact_graph.h: each contact is in the lists of both of its
 * bodies, those of a body with a mass are ordered, so that there is one contact per pair, and islands are awake or
 * asleep as a whole. Numbers of locks and visits are only compared with each other. Cost: linear.
 */
#include "advance/contact_state.h"

#include <math.h>

#include "advance/advance.h"
#include "core/report.h"

/* ---- saving ---- */

bool tact_contact_describe_body(const contact_graph *g, uint32_t index, contact_body *body)
{
    *body = (contact_body){.first = CONTACT_NONE, .still_since = INFINITY, .slot = CONTACT_NONE};
    if (index >= g->bodies.count)
        return false;
    const contact_body *b = &g->bodies.items[index];
    if (b->first == CONTACT_NONE && b->state == CONTACT_FREE && b->lock == 0 && b->impacts == 0)
        return false;
    body->first = b->first;
    body->lock = b->lock;
    body->impacts = b->impacts;
    body->impacts_since = b->impacts_since;
    if (b->state == CONTACT_FREE)
        return true;
    body->state = b->state;
    body->velocity = b->velocity;
    body->momentum = b->momentum;
    body->newton_pause = b->newton_pause;
    body->gain = b->gain;
    body->gain_momentum = b->gain_momentum;
    body->gain_time = b->gain_time;
    body->gain_end = b->gain_end;
    body->from = b->from;
    body->credit = b->credit;
    body->turning = b->turning;
    body->still_since = b->still_since;
    body->still_at = b->still_at;
    body->entering = b->entering;
    return true;
}

bool tact_world_describe_contacts(const tact_world *world, contact_graph_state *state)
{
    *state = (contact_graph_state){.unused = CONTACT_NONE};
    if (world->advance == NULL)
        return false;
    const contact_graph *g = &world->advance->contacts;
    *state = (contact_graph_state){.next = g->awake > 0 ? g->next : 0.0,
                                   .duration = g->duration,
                                   .unused = g->unused,
                                   .contacts = g->contacts.items,
                                   .pending = g->pending.items,
                                   .reports = g->reports.count > 0 ? g->reports.items + g->next_report : NULL,
                                   .contact_count = g->contacts.count,
                                   .pending_count = g->pending.count,
                                   .report_count = g->reports.count - g->next_report};
    return g->contacts.count > 0 || state->report_count > 0;
}

persistent_contact tact_contact_describe(const persistent_contact *contact)
{
    if (contact->body[0] == CONTACT_NONE)
        return (persistent_contact){.body = {CONTACT_NONE, CONTACT_NONE}, .next = {contact->next[0], CONTACT_NONE}};
    persistent_contact c = *contact;
    c.visit = 0;
    return c;
}

/* ---- restoring ---- */

static bool refuse(tact_report *report, const char *what, size_t number)
{
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, what, number);
    return false;
}

static bool is_alive(const tact_world *world, uint32_t index)
{
    return index < world->bodies.count && world->bodies.items[index].flags & BODY_ALIVE;
}

static bool has_mass(const tact_world *world, uint32_t index) { return world->cold.items[index].rigid != NULL; }

static bool is_valid_body(const tact_world *world, uint32_t index, const contact_body *b, double now)
{
    if (b->state != CONTACT_FREE && b->state != CONTACT_AWAKE && b->state != CONTACT_ASLEEP)
        return false;
    if (isnan(b->impacts_since) || b->impacts_since == INFINITY)
        return false;
    if (b->state == CONTACT_FREE)
        return !has_mass(world, index) || b->first == CONTACT_NONE;
    return has_mass(world, index) && vec_finite(b->velocity) && vec_finite(b->momentum) && vec_finite(b->gain) &&
           vec_finite(b->gain_momentum) && vec_finite(b->from) && isfinite(b->credit) && b->turning >= 0.0 &&
           b->turning < INFINITY && b->gain_time <= now && b->gain_end < INFINITY && vec_finite(b->still_at.origin) &&
           vec_finite(b->still_at.x_axis) && vec_finite(b->still_at.y_axis) && vec_finite(b->still_at.z_axis) &&
           (b->still_since <= now || b->still_since == INFINITY) && !(b->entering && b->state == CONTACT_ASLEEP);
}

static bool is_valid_point(const contact_point *p)
{
    return vec_finite(p->position) && vec_finite(p->normal) && isfinite(p->gap) && vec_finite(p->local) &&
           isfinite(p->impulse) && vec_finite(p->friction) && vec_finite(p->roll);
}

/* Whether the numbers of a contact in use are valid. Its lists are checked later. */
static bool is_valid_contact(const tact_world *world, const persistent_contact *c, double now)
{
    const uint32_t a = c->body[0], b = c->body[1];
    if (a >= b || !is_alive(world, a) || !is_alive(world, b) || (!has_mass(world, a) && !has_mass(world, b)) ||
        !tact_material_is_valid(&c->material) || !(c->time >= 0.0) || !(c->time <= now) || !(c->gap > -INFINITY) ||
        !(c->size > 0.0) || !(c->size < INFINITY) || !(c->allowed_depth >= 0.0) || !(c->allowed_depth < INFINITY) ||
        !(c->impulse_duration >= 0.0) || !(c->impulse_duration < INFINITY) || c->point_count > CONTACT_MAX_POINTS)
        return false;
    for (uint32_t i = 0; i < c->point_count; ++i)
        if (!is_valid_point(&c->points[i]))
            return false;
    const contact_body *bodies = world->advance->contacts.bodies.items;
    return !has_mass(world, a) || !has_mass(world, b) || bodies[a].state == bodies[b].state;
}

/* Walks the list of a body, and counts its contacts. `visit` of a contact counts how often it was met. */
static bool walk_list(const tact_world *world, contact_graph *g, uint32_t index)
{
    contact_body *body = &g->bodies.items[index];
    uint32_t last = CONTACT_NONE;
    for (uint32_t i = body->first; i != CONTACT_NONE; ++body->degree) {
        if (i >= g->contacts.count)
            return false;
        persistent_contact *c = &g->contacts.items[i];
        if ((c->body[0] != index && c->body[1] != index) || body->degree >= g->contacts.count)
            return false;
        const int side = contact_side(c, index);
        const uint32_t other = c->body[1 - side];
        if (c->visit & 1u << side || (last != CONTACT_NONE && has_mass(world, index) && other <= last))
            return false;
        c->visit |= 1u << side;
        last = other;
        i = c->next[side];
    }
    return true;
}

/* Whether all contacts are where they belong: in the lists of their bodies, or in that of the unused ones. */
static bool lists_are_valid(const tact_world *world, contact_graph *g)
{
    for (uint32_t i = 0; i < g->bodies.count; ++i)
        if (!walk_list(world, g, i))
            return false;
    uint32_t met = 0, unused = 0;
    for (uint32_t i = g->unused; i != CONTACT_NONE; i = g->contacts.items[i].next[0], ++met)
        if (i >= g->contacts.count || g->contacts.items[i].body[0] != CONTACT_NONE || met >= g->contacts.count)
            return false;
    for (size_t i = 0; i < g->contacts.count; ++i) {
        persistent_contact *c = &g->contacts.items[i];
        unused += c->body[0] == CONTACT_NONE;
        if (c->body[0] != CONTACT_NONE && c->visit != 3)
            return false;
        c->visit = 0;
    }
    g->count = (uint32_t)g->contacts.count - unused;
    return met == unused;
}

/* The contacts that have just begun: in order, and each once. */
static bool restore_pending(contact_graph *g, const contact_graph_state *s)
{
    uint32_t flagged = 0;
    for (size_t i = 0; i < g->contacts.count; ++i)
        flagged += g->contacts.items[i].pending;
    for (size_t i = 0; i < s->pending_count; ++i) {
        if (s->pending[i] >= g->contacts.count || !g->contacts.items[s->pending[i]].pending)
            return false;
        for (size_t k = 0; k < i; ++k)
            if (s->pending[k] == s->pending[i])
                return false;
        g->pending.items[g->pending.count++] = s->pending[i];
    }
    return flagged == s->pending_count;
}

static bool is_valid_report(const tact_world *world, const contact_report *r)
{
    const size_t count = world->bodies.count;
    if (r->generation_a == 0 || (r->generation_b == 0) != (r->b == CONTACT_NONE) || !vec_finite(r->point) ||
        !vec_finite(r->normal))
        return false;
    switch (r->kind) {
    case TACT_EVENT_TOUCH:
    case TACT_EVENT_CONTACT_BEGIN:
    case TACT_EVENT_CONTACT_END:
        return r->a < count && r->b < count && r->a != r->b;
    case TACT_EVENT_SLEEP:
    case TACT_EVENT_WAKE:
        return r->a < count && r->b == CONTACT_NONE;
    default:
        return r->kind == TACT_EVENT_CRUSHED && r->a < count && (r->b < count || r->b == CONTACT_NONE) && r->a != r->b;
    }
}

static bool restore_bodies(tact_world *world, const time_state *s, tact_report *report)
{
    contact_graph *g = &world->advance->contacts;
    for (size_t i = 0; i < s->body_count; ++i) {
        if (!(s->bodies[i].flags & BODY_TIME_CONTACT))
            continue;
        const contact_body *from = &s->bodies[i].contact;
        const uint32_t index = s->bodies[i].index;
        if (!is_valid_body(world, index, from, s->time))
            return refuse(report, "the contact state of body %zu is invalid", index);
        contact_body *to = &g->bodies.items[index];
        *to = *from;
        to->slot = CONTACT_NONE;
        to->degree = 0;
        g->awake += from->state == CONTACT_AWAKE;
        g->last_lock = from->lock > g->last_lock ? from->lock : g->last_lock;
    }
    return true;
}

/* Whether the next step comes within one contact step, up to rounding; without awake bodies there is none. */
static bool is_valid_step(const tact_world *world, const contact_graph_state *s)
{
    const double now = world->advance->time;
    if (!(s->duration >= 0.0) || !(s->duration < INFINITY))
        return false;
    return world->advance->contacts.awake == 0
               ? s->next == 0.0
               : s->next >= now && s->next - 2.0 * world->contact_step <= nextafter(now, INFINITY);
}

bool tact_contact_graph_restore(tact_world *world, const time_state *state, tact_report *report)
{
    contact_graph *g = &world->advance->contacts;
    const contact_graph_state *s = &state->contacts;
    const tact_allocator *allocator = &world->allocator;
    if (!contact_array_reserve(&g->contacts, allocator, s->contact_count) ||
        !contact_index_array_reserve(&g->pending, allocator, s->contact_count) ||
        !contact_report_array_reserve(&g->reports, allocator, s->report_count)) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory for the contacts of a world");
        return false;
    }
    if (s->contact_count >= CONTACT_NONE || s->pending_count > s->contact_count)
        return refuse(report, "more contacts have begun than there are", 0);
    if (!restore_bodies(world, state, report))
        return false;
    for (size_t i = 0; i < s->contact_count; ++i) {
        const persistent_contact *c = &s->contacts[i];
        const bool unused = c->body[0] == CONTACT_NONE && c->body[1] == CONTACT_NONE;
        if (unused ? c->pending || c->point_count > 0 : !is_valid_contact(world, c, state->time))
            return refuse(report, "contact %zu is invalid", i);
        g->contacts.items[g->contacts.count++] = *c;
    }
    g->unused = s->unused;
    g->next = s->next;
    g->duration = s->duration;
    if (!lists_are_valid(world, g))
        return refuse(report, "the lists of contacts are inconsistent", 0);
    if (!restore_pending(g, s))
        return refuse(report, "the list of contacts that have begun is inconsistent", 0);
    if (!is_valid_step(world, s))
        return refuse(report, "the time of the next contact step is invalid", 0);
    for (size_t i = 0; i < s->report_count; ++i) {
        if (!is_valid_report(world, &s->reports[i]))
            return refuse(report, "event %zu of a contact is invalid", i);
        g->reports.items[g->reports.count++] = s->reports[i];
    }
    return true;
}
