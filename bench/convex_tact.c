/* Tact in the race of convex pairs. */
#include <math.h>
#include <stdlib.h>
#include <tact/query.h>

#include "convex_runner.h"

tact_shape *tact_solid_shape(const solid *s)
{
    switch (s->kind) {
    case SOLID_BOX:
        return tact_box(2.0 * s->half.x, 2.0 * s->half.y, 2.0 * s->half.z);
    case SOLID_SPHERE:
        return tact_sphere(s->radius);
    case SOLID_CAPSULE:
        return tact_capsule(s->radius, s->height);
    default:
        return tact_hull(s->vertices, (size_t)s->vertex_count);
    }
}

typedef struct convex_state {
    const convex_pair *pairs;
    int shape_count;
    tact_shape *shapes[2 * PAIR_SOLIDS];
} convex_state;

static void finish(void *opaque)
{
    convex_state *state = opaque;
    for (int i = 0; i < state->shape_count; i++)
        tact_shape_release(state->shapes[i]);
    free(state);
}

static void *prepare(const convex_pair_set *set, pair_situation situation)
{
    convex_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->pairs = set->pairs[situation];
    for (int i = 0; i < set->solid_count; i++) {
        tact_shape *shape = tact_solid_shape(&set->solids[i]);
        if (!shape) {
            finish(state);
            return NULL;
        }
        state->shapes[state->shape_count++] = shape;
    }
    return state;
}

static void run_distance(void *opaque, int begin, int end, double *answers)
{
    convex_state *state = opaque;
    for (int i = begin; i < end; i++) {
        const convex_pair *p = &state->pairs[i];
        tact_distance d =
            tact_shapes_distance(state->shapes[p->a], p->transform_a, state->shapes[p->b], p->transform_b);
        answers[i] = d.status == TACT_OK ? d.distance : -1.0; /* a failure counts as a wrong answer */
    }
}

static void run_overlap(void *opaque, int begin, int end, double *answers)
{
    convex_state *state = opaque;
    for (int i = begin; i < end; i++) {
        const convex_pair *p = &state->pairs[i];
        tact_overlap v =
            tact_shapes_overlap(state->shapes[p->a], p->transform_a, state->shapes[p->b], p->transform_b, NULL);
        answers[i] = v.status != TACT_OK ? -1.0 : v.state == TACT_HIT ? 1.0 : 0.0;
    }
}

const convex_runner tact_convex_runner_distance = {"Tact", prepare, run_distance, finish};
const convex_runner tact_convex_runner_overlap = {"Tact", prepare, run_overlap, finish};
