/* The work of a call of a world: counted, reported, limited (tact/progress.h). */
#ifndef TACT_WORLD_WORK_H
#define TACT_WORLD_WORK_H

#include "world/world_constants.h"
#include "world/world_internal.h"

/* A call begins. */
static inline void world_work_begin(tact_world *world)
{
    world->work = 0;
    world->next_report = WORLD_PROGRESS_INTERVAL;
}

/* Adds to the work of the call. False: it is to be cancelled, before it does this work. */
static inline bool world_work_add(tact_world *world, uint64_t more)
{
    const tact_progress *p = &world->progress;
    if (p->work_limit != 0 && more > p->work_limit - world->work && world->work > 0)
        return false;
    world->work = p->work_limit != 0 && more > p->work_limit - world->work ? p->work_limit : world->work + more;
    if (p->callback == NULL || world->work < world->next_report)
        return true;
    world->next_report = world->work + WORLD_PROGRESS_INTERVAL;
    return p->callback(p->context, world->work);
}

#endif
