/* Storage of persistent contacts: see contact_graph.h. */
#include "advance/contact_graph.h"

void tact_contact_graph_release(contact_graph *g, const tact_allocator *allocator)
{
    contact_array_release(&g->contacts, allocator);
    contact_body_array_release(&g->bodies, allocator);
    contact_index_array_release(&g->members, allocator);
    solver_body_array_release(&g->solver_bodies, allocator);
    solver_body_array_release(&g->start, allocator);
    solver_body_array_release(&g->other, allocator);
    solver_point_array_release(&g->points, allocator);
    solver_origin_array_release(&g->origins, allocator);
    contact_index_array_release(&g->used, allocator);
    contact_index_array_release(&g->group, allocator);
    contact_vec_array_release(&g->centres, allocator);
    solver_body_array_release(&g->moved, allocator);
    contact_vec_array_release(&g->accelerations, allocator);
    energy_change_array_release(&g->changes, allocator);
    contact_index_array_release(&g->pending, allocator);
    contact_report_array_release(&g->reports, allocator);
    tact_newton_release(&g->newton, allocator);
    step_sweep_array_release(&g->sweeps, allocator);
    contact_candidate_array_release(&g->candidates, allocator);
    found_point_array_release(&g->found, allocator);
}

bool tact_contact_graph_reserve(contact_graph *g, const tact_allocator *allocator, size_t count)
{
    /* an impact of two bodies that leave each other needs no memory */
    if (!contact_body_array_reserve(&g->bodies, allocator, count) ||
        !contact_array_reserve(&g->contacts, allocator, g->contacts.count + 1) ||
        !contact_index_array_reserve(&g->pending, allocator, g->contacts.count + 1) ||
        !contact_index_array_reserve(&g->members, allocator, 2) ||
        !contact_index_array_reserve(&g->used, allocator, 1) || !contact_vec_array_reserve(&g->centres, allocator, 2) ||
        !solver_body_array_reserve(&g->solver_bodies, allocator, 2) ||
        !solver_body_array_reserve(&g->start, allocator, 2) || !solver_body_array_reserve(&g->other, allocator, 2) ||
        !solver_body_array_reserve(&g->moved, allocator, 2) ||
        !solver_point_array_reserve(&g->points, allocator, CONTACT_MAX_POINTS) ||
        !solver_origin_array_reserve(&g->origins, allocator, CONTACT_MAX_POINTS) ||
        !contact_candidate_array_reserve(&g->candidates, allocator, TACT_MANIFOLD_POINTS))
        return false;
    while (g->bodies.count < count)
        g->bodies.items[g->bodies.count++] =
            (contact_body){.first = CONTACT_NONE, .still_since = INFINITY, .slot = CONTACT_NONE};
    return true;
}

uint32_t tact_contact_find(const contact_graph *g, uint32_t a, uint32_t b)
{
    if (a >= g->bodies.count || b >= g->bodies.count)
        return CONTACT_NONE;
    const uint32_t from = g->bodies.items[a].degree <= g->bodies.items[b].degree ? a : b;
    for (uint32_t i = g->bodies.items[from].first; i != CONTACT_NONE;) {
        const persistent_contact *c = &g->contacts.items[i];
        if (c->body[0] == (a < b ? a : b) && c->body[1] == (a < b ? b : a))
            return i;
        i = c->next[contact_side(c, from)];
    }
    return CONTACT_NONE;
}

uint32_t tact_contact_add(contact_graph *g, const tact_allocator *allocator, const uint32_t bodies[2],
                          const bool sorted[2])
{
    const uint32_t a = bodies[0], b = bodies[1];
    uint32_t index = g->unused;
    if (index != CONTACT_NONE) {
        g->unused = g->contacts.items[index].next[0];
    } else {
        if (g->contacts.count >= CONTACT_NONE || !contact_array_push(&g->contacts, allocator, (persistent_contact){0}))
            return CONTACT_NONE;
        index = (uint32_t)g->contacts.count - 1;
        if (!contact_index_array_reserve(&g->pending, allocator, g->contacts.count)) {
            --g->contacts.count;
            return CONTACT_NONE;
        }
    }
    persistent_contact *c = &g->contacts.items[index];
    *c = (persistent_contact){.body = {a, b}};
    for (int i = 0; i < 2; ++i) {
        contact_body *body = &g->bodies.items[c->body[i]];
        uint32_t *link = &body->first;
        while (*link != CONTACT_NONE && sorted[i]) {
            persistent_contact *other = &g->contacts.items[*link];
            const int side = contact_side(other, c->body[i]);
            if (other->body[1 - side] > c->body[1 - i])
                break;
            link = &other->next[side];
        }
        c->next[i] = *link;
        *link = index;
        ++body->degree;
    }
    ++g->count;
    return index;
}

void tact_contact_remove(contact_graph *g, uint32_t index)
{
    persistent_contact *c = &g->contacts.items[index];
    for (int i = 0; i < 2; ++i) {
        contact_body *body = &g->bodies.items[c->body[i]];
        uint32_t *link = &body->first;
        while (*link != index) {
            persistent_contact *other = &g->contacts.items[*link];
            link = &other->next[contact_side(other, c->body[i])];
        }
        *link = c->next[i];
        --body->degree;
    }
    for (size_t i = 0; i < g->pending.count && c->pending; ++i)
        if (g->pending.items[i] == index) {
            g->pending.items[i] = g->pending.items[--g->pending.count];
            break;
        }
    c->body[0] = c->body[1] = CONTACT_NONE;
    c->next[0] = g->unused;
    g->unused = index;
    --g->count;
}
