/* The work of a call of a world: counted, reported, limited (tact/progress.h). */
#ifndef TACT_WORLD_WORK_H
#define TACT_WORLD_WORK_H

#include "core/work.h"
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

/* The meter of the shape queries in a call of a world, in units of which a unit of the world has WORLD_STEPS_PER_UNIT.
 */
typedef struct world_meter {
    work_meter meter, *before;
} world_meter;

static inline bool world_meter_report(void *context, uint64_t steps)
{
    const tact_progress *p = context;
    return p->callback(p->context, 1 + (steps - 1) / WORLD_STEPS_PER_UNIT);
}

static inline void world_meter_begin(world_meter *m, const tact_world *world)
{
    const tact_progress *p = &world->progress;
    const uint64_t most = UINT64_MAX / WORLD_STEPS_PER_UNIT;
    const tact_progress of_steps = {p->callback != NULL ? world_meter_report : NULL, (void *)(uintptr_t)p,
                                    (p->work_limit < most ? p->work_limit : most) * WORLD_STEPS_PER_UNIT};
    m->meter = tact_work_meter(&of_steps, 0);
    m->before = tact_work_enter(p->callback != NULL || p->work_limit != 0 ? &m->meter : NULL);
}

static inline void world_meter_end(const world_meter *m) { (void)tact_work_enter(m->before); }

#endif
