/* Feature windows of saved worlds: their contacts are listed, and continued elsewhere. See the header. */
#include <math.h>

#include "kinetic/feature_windows_internal.h"
#include "math/vec.h"

bool tact_feature_windows_next_contact(const feature_windows *w, double time, size_t *cursor, feature_pair *pair)
{
    while (w->has_window && *cursor < w->now.pairs.count) {
        const touching_pair *touching = &w->now.pairs.items[(*cursor)++];
        if (!feature_pair_touches_at(w, touching, time))
            continue;
        *pair = touching->pair;
        return true;
    }
    return false;
}

/* The taken events of the window follow the pairs reported before. */
bool tact_feature_windows_next_reported(const feature_windows *w, double time, size_t *cursor, feature_pair *pair)
{
    const size_t before = w->reported_at == time ? w->reported.count : 0;
    for (; *cursor < before + w->taken; ++*cursor) {
        const bool earlier = *cursor < before;
        if (!earlier && !feature_event_begins_just_after(&w->now.events.items[*cursor - before], time))
            continue;
        *pair = earlier ? w->reported.items[*cursor].pair : w->now.events.items[*cursor - before].pair;
        ++*cursor;
        return true;
    }
    return false;
}

bool tact_feature_windows_next_pending(const feature_windows *w, double time, size_t *cursor, feature_event *event)
{
    for (; w->taken + *cursor < w->now.events.count; ++*cursor)
        if (w->now.events.items[w->taken + *cursor].ccd.upper <= time) {
            *event = w->now.events.items[w->taken + (*cursor)++];
            return true;
        }
    return false;
}

/* Whether the features of a pair exist. */
static bool pair_valid(const feature_windows *w, const feature_pair *pair)
{
    if (pair->kind != TACT_VERTEX_FACE && pair->kind != TACT_EDGE_EDGE)
        return false;
    const int vertices = pair->kind == TACT_VERTEX_FACE ? 1 : 4;
    for (int i = 0; i < vertices; ++i)
        if (pair->index[i] >= w->vertex_count)
            return false;
    return pair->kind == TACT_EDGE_EDGE || pair->index[1] < w->triangle_count;
}

static bool event_valid(const feature_windows *w, const feature_event *event, double time)
{
    const tact_ccd *ccd = &event->ccd;
    for (int i = 0; i < 4; ++i)
        if (!(ccd->weights[i] >= 0.0) || !(ccd->weights[i] < INFINITY))
            return false;
    return pair_valid(w, &event->pair) && ccd->status == TACT_OK && ccd->state == TACT_HIT && vec_finite(ccd->normal) &&
           ccd->lower > -INFINITY && ccd->lower <= ccd->upper && ccd->upper <= time;
}

/* Copies pairs. TACT_BAD_ARGUMENT: a feature does not exist. */
static tact_status restore_pairs(const feature_windows *w, const feature_pair *from, size_t count, bool lasts,
                                 touching_pair_array *to)
{
    to->count = 0;
    if (!touching_pair_array_reserve(to, &w->allocator, count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        if (!pair_valid(w, &from[i]))
            return TACT_BAD_ARGUMENT;
        to->items[to->count++] = (touching_pair){from[i], lasts};
    }
    return TACT_OK;
}

tact_status tact_feature_windows_restore(feature_windows *w, double time, const feature_windows_state *state)
{
    tact_status status = restore_pairs(w, state->contacts, state->contact_count, true, &w->now.pairs);
    if (status == TACT_OK)
        status = restore_pairs(w, state->reported, state->reported_count, false, &w->reported);
    if (status != TACT_OK)
        return status;
    for (size_t i = 1; i < state->contact_count; ++i)
        if (tact_feature_pair_compare(&state->contacts[i - 1], &state->contacts[i]) >= 0)
            return TACT_BAD_ARGUMENT;
    w->now.events.count = 0;
    if (!feature_event_array_reserve(&w->now.events, &w->allocator, state->pending_count))
        return TACT_OUT_OF_MEMORY;
    for (size_t i = 0; i < state->pending_count; ++i) {
        if (!event_valid(w, &state->pending[i], time) ||
            (i > 0 && feature_event_before(NULL, &state->pending[i], &state->pending[i - 1])))
            return TACT_BAD_ARGUMENT;
        w->now.events.items[w->now.events.count++] = state->pending[i];
    }
    feature_windows_swap_paths(w);
    w->taken = 0;
    w->begin_time = w->end_time = w->reported_at = time;
    w->has_window = w->is_restored = true;
    return TACT_OK;
}
