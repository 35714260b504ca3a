/*
 * Persistent contacts: the contact graph of a world, in which the contact solver works.
 *
 * A pair that tact_world_bounce has resolved, and that separates slowly or overlaps, becomes a *persistent
 * contact* (contact_impact.c). Its bodies that have a mass are then *contact bodies*. They move in *contact steps*: at
 * the multiples of the contact step h the solver gives each a constant velocity and spin for the next h
 * (contact_step.c). Bodies connected by persistent contacts, but not through kinematic ones, form an *island*.
 *
 * Rest gap. The solver keeps a distance of REST_GAP of the size between bodies at rest. Because the motions of a step
 * are curved where bodies rotate, and because the solver iterates, the event engine still predicts the touch of each
 * persistent pair. If it touches within a step, the step is cut: the velocities of the bodies that this reaches are
 * solved again (contact_cut.c). After MAX_CUTS in one step, the two bodies are locked: they move as one until the step
 * ends. So bodies do not overlap, whatever the solver returns.
 *
 * Two velocities. The *motion* of a body in a step is the mean of the step plus a push that corrects the gaps. Its
 * *velocity* in contact_body is that of the end of the step, without the push: what the next step starts with. So gaps
 * are corrected without adding kinetic energy.
 *
 * Invariants
 *    C1  A contact is in the lists of both bodies; there is at most one per pair; body[0] < body[1].
 *    C2  A body is CONTACT_FREE if it has no contact or no mass. All contact bodies of an island are asleep, or none.
 *    C3  Steps begin at multiples of the contact step, and in between where a body spins so fast that it would turn by
 *        more than MAX_STEP_ANGLE in one. They do not depend on how the caller divides the time.
 */
#ifndef TACT_ADVANCE_CONTACT_GRAPH_H
#define TACT_ADVANCE_CONTACT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <tact/rigid.h>

#include "advance/step_separation.h"
#include "core/array.h"
#include "dynamics/contact_newton.h"
#include "dynamics/contact_solver.h"

#define CONTACT_NONE UINT32_MAX

/* Points of one contact: as many as a manifold has; those of meshes are reduced to this number. */
#define CONTACT_MAX_POINTS 8

/* A point, in world coordinates at the time of the contact. */
typedef struct contact_point {
    tact_vec3 position; /* midway between the surfaces */
    tact_vec3 normal;   /* from body[0] to body[1] */
    double gap;         /* signed distance */
    tact_vec3 local;    /* in coordinates of body[0]: identifies the point in the next step */
    double impulse;     /* of the last step, along the normal */
    tact_vec3 friction; /* impulse of the last step, in the tangent plane */
    tact_vec3 roll;     /* angular impulse of the last step */
} contact_point;

/* One of the points from which those of a contact are chosen. */
typedef struct contact_candidate {
    contact_point point;
    double distance, away; /* squared: from those chosen, from a point of the last step */
} contact_candidate;

ARRAY_OF(contact_candidate_array, contact_candidate);
ARRAY_OF(found_point_array, tact_contact_point);

typedef struct persistent_contact {
    uint32_t body[2];       /* indices, the lower first; CONTACT_NONE: unused */
    uint32_t next[2];       /* next contact in the list of each body; next[0] of an unused one */
    tact_material material; /* of the pair */
    double time;            /* of the points */
    double gap;             /* the least of its points; INFINITY: farther apart than they reach */
    double size;            /* length: that of the pair (tact/advance.h) */
    uint32_t steps_apart;   /* consecutive steps at whose start the bodies were apart */
    uint32_t cuts;          /* in this step */
    bool pending; /* it has begun at the time of the world, and its bodies still have their motion of before */
    double impulse_duration; /* of the step that the impulses of its points are of */
    double allowed_depth;    /* length: by which the bodies may overlap. That of the start, or what is left of it */
    uint32_t visit;          /* scratch: the solve that its points are in */
    uint32_t point_count;
    contact_point points[CONTACT_MAX_POINTS];
} persistent_contact;

typedef enum contact_body_state { CONTACT_FREE, CONTACT_AWAKE, CONTACT_ASLEEP } contact_body_state;

/* Of each body of the world. */
typedef struct contact_body {
    uint32_t first;  /* contact in its list; CONTACT_NONE: none */
    uint32_t degree; /* contacts in its list */
    contact_body_state state;
    tact_vec3 velocity, momentum;  /* contact bodies: with which the next step starts; velocity of the centre of mass,
                                      angular momentum about it */
    tact_vec3 gain, gain_momentum; /* what of these it gains from gain_time until the next step: before, it is slower */
    double gain_time, gain_end;
    tact_vec3 from;          /* centre of mass at gain_time */
    double credit;           /* work of the accelerations from gain_time to gain_end that the velocity contains, and the
                                debt of before (contact_energy.h) */
    double turning;          /* kinetic energy of the rotation when the momentum was set last */
    double impacts_since;    /* time of the first of `impacts` */
    uint32_t impacts;        /* within one contact step */
    double still_since;      /* time since which it has hardly moved; INFINITY: to be found */
    tact_transform still_at; /* its transform at that time */
    uint32_t lock;           /* bodies with the same number move as one until the step ends; 0: none */
    uint32_t slot;           /* scratch: index of its solver body; CONTACT_NONE outside of a solve */
    uint32_t newton_pause;   /* steps in which Newton's method is not tried from afar */
    bool entering;           /* it has become a contact body at the time of the world: see contact.pending */
    double reach;            /* scratch: how far its points may move in a step */
    uint32_t reached;        /* scratch: the solve in which its contacts were added */
    int64_t solved_step;     /* number of the last step in which it was solved */
    tact_transform cached;   /* a cache: the transform of its motion at cached_time, in this version */
    double cached_time;
    uint64_t cached_version; /* 0: none */
} contact_body;

ARRAY_OF(contact_array, persistent_contact);
ARRAY_OF(contact_body_array, contact_body);
ARRAY_OF(solver_body_array, solver_body);
ARRAY_OF(solver_point_array, solver_point);
ARRAY_OF(contact_index_array, uint32_t);

/* Where a solver point comes from. */
typedef struct solver_origin {
    uint32_t contact, point;
} solver_origin;

ARRAY_OF(solver_origin_array, solver_origin);

/* An event to be reported at the time of the world. */
typedef struct contact_report {
    tact_event_kind kind;
    uint32_t a, b;                       /* bodies; b is CONTACT_NONE if there is one */
    uint32_t generation_a, generation_b; /* of their handles: they may be removed before the report; b: 0 if none */
    tact_vec3 point, normal;             /* touch: that of the event; else zero */
} contact_report;

/* The change of a kinetic energy when a part s of a change of motions is added to the velocities: s now + s^2 square
 * of that of now, s end + s^2 square of that of the end of the step (contact_energy.c). */
typedef struct energy_change {
    double now, end, square;
} energy_change;

ARRAY_OF(energy_change_array, energy_change);
ARRAY_OF(contact_report_array, contact_report);
ARRAY_OF(contact_vec_array, tact_vec3);

typedef struct contact_graph {
    contact_array contacts;
    uint32_t unused;           /* first of a list of unused contacts */
    uint32_t count;            /* contacts in use */
    contact_body_array bodies; /* by index of body */
    uint32_t awake;            /* contact bodies that are awake */
    double next;               /* time of the next step */
    double duration;           /* of the step before that, as planned: `next` may have come earlier since */
    int64_t step;              /* number of the next step, from 1 */
    bool solving;              /* motions are set by the solver, not by the caller */
    double pushed;             /* energy: the sum of what pushes have added. Only tests read it */
    bool hold_locked;          /* scratch: locked bodies keep their motion in this solve */
    uint32_t last_lock;
    uint32_t last_visit;
    /* scratch of a solve */
    contact_index_array members; /* body indices, by slot */
    contact_vec_array centres;   /* of mass, by slot */
    solver_body_array solver_bodies, start, other, moved;
    contact_vec_array accelerations; /* by slot */
    energy_change_array changes;     /* by slot */
    solver_point_array points;
    solver_origin_array origins; /* of the points */
    newton_workspace newton;
    contact_candidate_array candidates;
    found_point_array found;      /* by a query, before they are candidates */
    step_sweep_array sweeps;      /* a cache, by index of body modulo its size: a power of two */
    contact_report_array reports; /* in order; those before next_report have been reported */
    size_t next_report;
    contact_index_array pending; /* contacts with that flag; capacity for all contacts */
    contact_index_array used;    /* contacts whose points are in the solve */
    contact_index_array group;   /* contacts of an impact alone: impact_group.h */
} contact_graph;

static inline contact_graph contact_graph_empty(void) { return (contact_graph){.unused = CONTACT_NONE, .step = 1}; }

void tact_contact_graph_release(contact_graph *g, const tact_allocator *allocator);

/* Whether a body moves freely. Without contacts nothing of the body is read. */
static inline bool contact_body_is_free(const contact_graph *g, uint32_t index)
{
    return (g->count == 0 && g->awake == 0) || g->bodies.items[index].state == CONTACT_FREE;
}

/* Whether a body moves in contact steps now. */
static inline bool contact_body_is_awake(const contact_graph *g, uint32_t index)
{
    return g->awake > 0 && g->bodies.items[index].state == CONTACT_AWAKE;
}

/* Whether there is no memory for this number of bodies, or for another contact. */
static inline bool contact_graph_is_full(const contact_graph *g, size_t count)
{
    return g->bodies.count < count || g->contacts.count == g->contacts.capacity;
}

/* Reserves memory for this number of bodies, and for another contact. False: out of memory. */
bool tact_contact_graph_reserve(contact_graph *g, const tact_allocator *allocator, size_t count);

/* The contact of two bodies; CONTACT_NONE: none. Cost: the shorter of their lists. */
uint32_t tact_contact_find(const contact_graph *g, uint32_t a, uint32_t b);

/* Adds a contact of two bodies that have none, the lower index first; CONTACT_NONE: out of memory. `sorted[i]`: the
 * list of the body is ordered by the other body, so that an island is visited in an order that does not depend on
 * history. Needed for bodies with a mass; a floor may have thousands of contacts. */
uint32_t tact_contact_add(contact_graph *g, const tact_allocator *allocator, const uint32_t bodies[2],
                          const bool sorted[2]);

void tact_contact_remove(contact_graph *g, uint32_t index);

/* Adds an event, if the world reports such events. */
void tact_contact_report_add(tact_world *world, tact_event_kind kind, uint32_t a, uint32_t b);

/* Adds the touch of a pair through which an impact passes. The normal is from a to b. */
void tact_contact_report_touch(tact_world *world, uint32_t a, uint32_t b, tact_vec3 point, tact_vec3 normal);

/* Which of the two bodies of a contact a body is: 0 or 1. */
static inline int contact_side(const persistent_contact *c, uint32_t body) { return c->body[0] == body ? 0 : 1; }

#endif
