/*
 * Which of two engines does the same work at less cost: the rule of both broad phases with a choice, that of tests
 * (broad_choice.c: sweep and prune or dynamic tree) and that of continuous time (advance/kinetic_choice.c: kinetic
 * sweep and prune or fat bounds).
 *
 * Cost model. The engine at work counts its operations; those of the other engine are estimated from the scene. Each
 * operation has a unit cost, fitted to measurements; only the ratios of unit costs matter. No clock is read, so the
 * choice is a function of the calls.
 *
 * Hysteresis. At the end of a period the engine changes if the other one is cheaper by ENGINE_CHOICE_GAIN, and if the
 * saving of ENGINE_CHOICE_PAYBACK periods exceeds the cost of the change. After a change no other one is made for 1, 3,
 * 7 ... ENGINE_CHOICE_MAX_BACKOFF periods, because a new engine has extra work at first, and because an estimate that
 * was wrong once would be wrong again.
 */
#ifndef TACT_BROAD_ENGINE_CHOICE_H
#define TACT_BROAD_ENGINE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct engine_choice {
    uint32_t blocked; /* periods before the engine may change again */
    uint32_t backoff; /* what that was after the last change; 0: there was none */
} engine_choice;

/* The sum of counts[i] * unit_costs[i]. */
static inline double engine_cost(const double *unit_costs, const double *counts, int operations)
{
    double sum = 0.0;
    for (int i = 0; i < operations; ++i)
        sum += counts[i] * unit_costs[i];
    return sum;
}

/* At the end of a period: should the other engine take over? The costs are those of the period and of the change, in
 * one unit; an infinite `change` forbids it. */
bool tact_engine_choice_decide(engine_choice *c, double working, double other, double change);

#endif
