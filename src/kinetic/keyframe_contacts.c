/* Contacts of key frames: the choice of the engine. See the header. */
#include "kinetic/keyframe_contacts.h"

#include "core/memory.h"
#include "kinetic/keyframe_engine.h"

struct keyframe_contacts {
    const keyframe_engine_type *type;
    void *engine;
    size_t interval_count;
    bool found; /* are there contacts? */
    tact_allocator allocator;
};

static bool def_valid(const keyframe_contacts_def *def)
{
    const sweep_def *e = &def->elements;
    return def->frame != NULL && def->frame_count > 0 && !e->remeshable && e->vertex_count <= SIZE_MAX / 64 &&
           e->triangle_count <= SIZE_MAX / 64 && e->edge_count <= SIZE_MAX / 64 && e->point_count <= SIZE_MAX / 64 &&
           e->part_count <= SIZE_MAX / 64 && (e->triangle_count == 0 || e->triangles != NULL) &&
           (e->edge_count == 0 || e->edges != NULL) && (e->point_count == 0 || e->points != NULL) &&
           (e->part_count == 0 || e->parts != NULL) &&
           (def->engine == KEYFRAME_WINDOWS || def->engine == KEYFRAME_SWEPT || def->engine == KEYFRAME_LIST);
}

tact_status tact_keyframe_contacts_create(keyframe_contacts **made, const keyframe_contacts_def *def)
{
    if (made == NULL)
        return TACT_BAD_ARGUMENT;
    *made = NULL;
    if (def == NULL || !def_valid(def))
        return TACT_BAD_ARGUMENT;
    keyframe_contacts *k = tact_memory_allocate(&def->allocator, 1, sizeof *k);
    if (k == NULL)
        return TACT_OUT_OF_MEMORY;
    *k = (keyframe_contacts){.type = def->engine == KEYFRAME_LIST ? &tact_keyframe_list_engine
                                                                  : &tact_keyframe_sweep_engine,
                             .interval_count = def->frame_count - 1,
                             .allocator = def->allocator};
    const tact_status status = k->type->create(&k->engine, def);
    if (status != TACT_OK) {
        tact_memory_free(&def->allocator, k, 1, sizeof *k);
        return status;
    }
    *made = k;
    return TACT_OK;
}

void tact_keyframe_contacts_release(keyframe_contacts *k)
{
    if (k == NULL)
        return;
    const tact_allocator allocator = k->allocator;
    k->type->release(k->engine);
    tact_memory_free(&allocator, k, 1, sizeof *k);
}

tact_status tact_keyframe_contacts_run(keyframe_contacts *k, size_t interval)
{
    if (k == NULL)
        return TACT_BAD_ARGUMENT;
    const tact_status status = interval < k->interval_count ? k->type->run(k->engine, interval) : TACT_BAD_ARGUMENT;
    k->found = status == TACT_OK;
    return status;
}

size_t tact_keyframe_contacts_count(const keyframe_contacts *k) { return k->found ? k->type->count(k->engine) : 0; }

const sweep_contact *tact_keyframe_contacts_get(const keyframe_contacts *k, size_t i)
{
    return k->type->get(k->engine, i);
}

sweep_counts tact_keyframe_contacts_counts(const keyframe_contacts *k) { return k->type->counts(k->engine); }

separation_counts tact_keyframe_contacts_list_counts(const keyframe_contacts *k)
{
    return k->type->list_counts != NULL ? k->type->list_counts(k->engine) : (separation_counts){.bytes = 0};
}
