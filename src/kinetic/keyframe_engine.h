/* What an engine of keyframe_contacts.h consists of: one table of functions for each. */
#ifndef TACT_KINETIC_KEYFRAME_ENGINE_H
#define TACT_KINETIC_KEYFRAME_ENGINE_H

#include "kinetic/keyframe_contacts.h"

typedef struct keyframe_engine_type {
    /* The numbers of `def` have been checked. On failure *made is NULL. */
    tact_status (*create)(void **made, const keyframe_contacts_def *def);
    void (*release)(void *engine);
    /* The interval exists. On failure there are no contacts. */
    tact_status (*run)(void *engine, size_t interval);
    size_t (*count)(const void *engine);
    const sweep_contact *(*get)(const void *engine, size_t i);
    sweep_counts (*counts)(const void *engine);
    separation_counts (*list_counts)(const void *engine); /* NULL: there is no list */
} keyframe_engine_type;

extern const keyframe_engine_type tact_keyframe_sweep_engine; /* KEYFRAME_WINDOWS, KEYFRAME_SWEPT */
extern const keyframe_engine_type tact_keyframe_list_engine;  /* KEYFRAME_LIST */

#endif
