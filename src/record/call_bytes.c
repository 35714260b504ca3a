/*
 * Calls and contacts as blocks, and making calls from blocks: docs/record.md tells the layout.
 *
 * Only calls that succeeded are recorded, and they go through the public functions again when they are made from bytes:
 * so whatever bytes say, nothing happens to a world that its caller could not do.
 */
#include "record/call_bytes.h"

#include <string.h>

#include "core/hash.h"
#include "core/little_endian.h"
#include "core/memory.h"
#include "shape/mesh.h"

#define DEF_FIXED 1u /* flags of a def: fixed_bounds */
#define DEF_DEFORMABLE 2u
#define CREATE_BYTES 216u /* of each body in a block of CALL_CREATE */

/* ---- writing ---- */

static void put_create(scribe *s, const world_call *c)
{
    writer *w = &s->out;
    uint32_t number = 0;
    for (size_t i = 0; i < c->count; ++i)
        if (!tact_scribe_shape(s, c->defs[i].shape, &number))
            return;
    tact_writer_open(w, BLOCK_CALL + CALL_CREATE);
    for (size_t i = 0; i < c->count; ++i) {
        const tact_body_def *def = &c->defs[i];
        (void)tact_scribe_shape(s, def->shape, &number); /* it has been written */
        tact_put_body(w, c->bodies[i]);
        tact_put32(w, number);
        tact_put32(w, (def->rotation_invariant_bounds ? DEF_FIXED : 0) | (def->deformable ? DEF_DEFORMABLE : 0));
        tact_put32(w, def->class_id);
        tact_put32(w, 0);
        tact_put64(w, def->category);
        tact_put64(w, def->mask);
        tact_put_data(s, TACT_POINTER_USER, def->user);
        tact_put_place(w, &def->transform);
        tact_put_motion(w, &def->motion);
    }
    tact_writer_close(w);
}

/* A response that is set, or that it is reset. */
static void put_setting(scribe *s, const tact_response *response)
{
    tact_put32(&s->out, response != NULL);
    if (response != NULL)
        tact_put_response(s, response);
}

/* What is told of an event: EVENT_BYTES of them, for comparing too. */
static void put_event(writer *w, const tact_event *e)
{
    unsigned char *at = tact_writer_room(w, EVENT_BYTES);
    if (at != NULL)
        tact_event_store(e, at);
}

static void put_mass(writer *w, const tact_mass *m)
{
    const tact_inertia *i = &m->inertia;
    tact_put_double(w, m->mass);
    tact_put_vec(w, m->centre);
    tact_put_vec(w, (tact_vec3){i->xx, i->yy, i->zz});
    tact_put_vec(w, (tact_vec3){i->xy, i->xz, i->yz});
}

static void put_contents(scribe *s, const world_call *c)
{
    writer *w = &s->out;
    uint32_t number = 0;
    switch (c->type) {
    case CALL_CREATE:
        break; /* see above */
    case CALL_REMOVE:
        for (size_t i = 0; i < c->count; ++i)
            tact_put_body(w, c->bodies[i]);
        break;
    case CALL_SET_TRANSFORM:
        tact_put_body(w, c->body);
        tact_put_place(w, c->transform);
        break;
    case CALL_SET_MOTION:
        tact_put_body(w, c->body);
        tact_put_motion(w, c->motion);
        break;
    case CALL_SET_SHAPE:
        tact_put_body(w, c->body);
        (void)tact_scribe_shape(s, c->shape, &number); /* it has been written */
        tact_put32(w, number);
        break;
    case CALL_SET_FILTER:
        tact_put_body(w, c->body);
        tact_put64(w, c->category);
        tact_put64(w, c->mask);
        break;
    case CALL_SET_CLASS:
        tact_put_body(w, c->body);
        tact_put32(w, c->class_a);
        break;
    case CALL_SET_USER:
        tact_put_body(w, c->body);
        tact_put_data(s, TACT_POINTER_USER, c->user);
        break;
    case CALL_SET_WORLD_CALLBACK:
        put_setting(s, c->response);
        break;
    case CALL_SET_CLASS_CALLBACK:
        tact_put32(w, c->class_a);
        put_setting(s, c->response);
        break;
    case CALL_SET_CLASSES_CALLBACK:
        tact_put32(w, c->class_a);
        tact_put32(w, c->class_b);
        put_setting(s, c->response);
        break;
    case CALL_SET_BODY_CALLBACK:
        tact_put_body(w, c->body);
        put_setting(s, c->response);
        break;
    case CALL_SET_PAIR_CALLBACK:
        tact_put_body(w, c->body);
        tact_put_body(w, c->other);
        put_setting(s, c->response);
        break;
    case CALL_SET_BROAD_PHASE:
    case CALL_SET_CACHING:
    case CALL_TEST_FAILED:
        tact_put32(w, c->setting);
        break;
    case CALL_STORE_PREVIOUS:
    case CALL_RELEASE:
    case CALL_TEST:
        break;
    case CALL_TEST_END:
        tact_put32(w, (uint32_t)c->status);
        tact_put64(w, c->count);
        break;
    case CALL_DEFORM:
        tact_put_body(w, c->body);
        tact_put32(w, (uint32_t)c->first);
        for (size_t i = c->first; i < c->first + c->count; ++i)
            tact_put_vec(w, tact_vertices_get(c->vertices, i));
        break;
    case CALL_MAKE_DEFORMABLE:
        tact_put_body(w, c->body);
        break;
    case CALL_CHANGE_FACES:
        tact_put_body(w, c->body);
        for (size_t i = 0; i < c->count; ++i) {
            tact_put32(w, c->faces[i]);
            for (int k = 0; k < 3; ++k)
                tact_put32(w, c->corners[i][k]);
        }
        break;
    case CALL_ADD_VERTICES:
        tact_put_body(w, c->body);
        for (size_t i = 0; i < c->count; ++i)
            tact_put_vec(w, c->positions[i]);
        break;
    case CALL_NEXT_EVENT:
    case CALL_SET_REST_TIME:
        tact_put_double(w, c->time);
        break;
    case CALL_NEXT_EVENT_END:
        put_event(w, c->event);
        break;
    case CALL_MOTION_CALLBACK:
        tact_put_place(w, c->transform);
        tact_put_motion(w, &c->motion_plan->motion);
        tact_put_course(s, c->motion_plan);
        break;
    case CALL_SYNC_TRANSFORMS:
        break;
    case CALL_BOUNCE:
        put_event(w, c->event);
        tact_put_double(w, c->bounce->restitution);
        tact_put_double(w, c->bounce->friction);
        break;
    case CALL_SET_MASS:
        tact_put_body(w, c->body);
        tact_put32(w, c->mass != NULL);
        if (c->mass != NULL)
            put_mass(w, c->mass);
        break;
    case CALL_SET_MOTION_PLAN:
        tact_put_body(w, c->body);
        tact_put_motion(w, &c->motion_plan->motion);
        tact_put_course(s, c->motion_plan);
        break;
    case CALL_SET_POLL_INTERVAL:
        tact_put_body(w, c->body);
        tact_put_double(w, c->time);
        break;
    case CALL_SET_KINETIC:
        tact_put32(w, c->setting);
        break;
    }
}

void tact_scribe_call(scribe *s, const world_call *c)
{
    uint32_t number;
    if (c->type == CALL_CREATE) {
        put_create(s, c);
        return;
    }
    if (c->type == CALL_SET_SHAPE && !tact_scribe_shape(s, c->shape, &number))
        return;
    tact_writer_open(&s->out, BLOCK_CALL + (uint32_t)c->type);
    put_contents(s, c);
    tact_writer_close(&s->out);
}

static uint64_t bits_of(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static unsigned char *store_vec(unsigned char *at, tact_vec3 v)
{
    return store_le_double(store_le_double(store_le_double(at, v.x), v.y), v.z);
}

void tact_event_store(const tact_event *e, unsigned char bytes[EVENT_BYTES])
{
    unsigned char *at = store_le64(bytes, (uint64_t)e->status << 32 | (uint64_t)e->kind);
    at = store_le_double(at, e->time);
    at = store_le64(at, (uint64_t)e->a.generation << 32 | e->a.index);
    at = store_le64(at, (uint64_t)e->b.generation << 32 | e->b.index);
    (void)store_vec(store_vec(at, e->point), e->normal);
}

static tact_event get_event(reader *in)
{
    tact_event e = {.kind = (tact_event_kind)tact_get32(in)};
    e.status = (tact_status)tact_get32(in);
    e.time = tact_get_double(in);
    e.a = tact_get_body(in);
    e.b = tact_get_body(in);
    e.point = tact_get_vec(in);
    e.normal = tact_get_vec(in);
    return e;
}

static uint64_t hash_vec(uint64_t hash, tact_vec3 v)
{
    return hash_add(hash_add(hash_add(hash, bits_of(v.x)), bits_of(v.y)), bits_of(v.z));
}

static uint64_t hash_part(uint64_t hash, tact_part part)
{
    return hash_add(hash, (uint64_t)part.leaf << 32 | part.face);
}

static uint64_t hash_manifold(const tact_manifold *m)
{
    uint64_t hash = hash_add(hash_add(0, (uint64_t)m->count), (uint64_t)m->status << 32 | (uint64_t)m->state);
    hash = hash_add(hash_vec(hash, m->normal), bits_of(m->depth));
    for (int i = 0; i < m->count; ++i) {
        const tact_manifold_point *p = &m->points[i];
        hash = hash_add(hash_vec(hash_vec(hash, p->on_a), p->on_b), bits_of(p->depth));
        hash = hash_part(hash_part(hash, p->part_a), p->part_b);
    }
    return hash;
}

static uint64_t hash_crossings(const tact_intersection *crossings, size_t count)
{
    uint64_t hash = hash_add(0, count);
    for (size_t i = 0; i < count; ++i) {
        const tact_intersection *c = &crossings[i];
        hash = hash_part(hash_part(hash_vec(hash_vec(hash, c->from), c->to), c->part_a), c->part_b);
        hash =
            hash_add(hash_add(hash, (uint64_t)c->facet_a << 32 | c->facet_b), (uint64_t)c->edge[0] << 32 | c->edge[1]);
        hash = hash_add(hash, (uint64_t)c->type << 32 | (uint64_t)c->edge_of_b);
    }
    return hash;
}

void tact_contact_store(const tact_contact *c, unsigned char bytes[CONTACT_BYTES])
{
    unsigned char *at = store_le64(bytes, (uint64_t)c->status << 32 | (uint64_t)c->want);
    at = store_le64(at, (uint64_t)c->a.generation << 32 | c->a.index);
    at = store_le64(at, (uint64_t)c->b.generation << 32 | c->b.index);
    at = store_vec(store_vec(store_vec(store_vec(at, c->point), c->on_a), c->on_b), c->normal);
    at = store_le_double(at, c->depth);
    at = store_le64(at, (uint64_t)c->part_a.face << 32 | c->part_a.leaf);
    at = store_le64(at, (uint64_t)c->part_b.face << 32 | c->part_b.leaf);
    (void)store_le64(at, c->manifold != NULL             ? hash_manifold(c->manifold)
                         : c->want == TACT_INTERSECTIONS ? hash_crossings(c->intersections, c->intersection_count)
                                                         : 0);
}

/* ---- reading ---- */

static const char *const names[CALL_LAST + 1] = {
    "",
    "tact_body_create",
    "tact_body_remove",
    "tact_body_set_transform",
    "tact_body_set_motion",
    "tact_body_set_shape",
    "tact_body_set_filter",
    "tact_body_set_class",
    "tact_body_set_user",
    "tact_world_set_contact_callback",
    "tact_class_set_contact_callback",
    "tact_classes_set_contact_callback",
    "tact_body_set_contact_callback",
    "tact_pair_set_contact_callback",
    "tact_world_set_broad_phase",
    "tact_world_set_caching",
    "tact_world_store_previous",
    "tact_world_release",
    "tact_world_test",
    "tact_world_test", /* its end */
    "tact_world_test", /* that failed */
    "tact_body_deform",
    "tact_body_make_deformable",
    "tact_body_change_faces",
    "tact_body_add_vertices",
    "tact_world_next_event",
    "tact_world_next_event", /* its end */
    "tact_world_next_event", /* a guide's answer */
    "tact_world_sync_transforms",
    "tact_world_bounce_with",
    "tact_world_set_rest_time",
    "tact_body_set_mass_with",
    "tact_body_set_motion_plan",
    "tact_body_set_poll_interval",
    "tact_world_set_kinetic",
};

const char *tact_call_name(uint32_t block_type)
{
    return block_type > BLOCK_CALL && block_type <= BLOCK_CALL + CALL_LAST ? names[block_type - BLOCK_CALL] : NULL;
}

/* What a call returned, where it was recorded as done. */
static call_result judge(library *l, tact_status status, tact_report *report)
{
    if (status == TACT_OK)
        return CALL_MADE;
    if (status == TACT_OUT_OF_MEMORY) {
        (void)tact_reader_fail(&l->in, status, "no memory for a call");
        return CALL_FAILED;
    }
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "it failed (%s)", tact_status_text(status));
    return CALL_DIFFERS;
}

static void *take(library *l, size_t count, size_t size)
{
    void *block = tact_memory_allocate(&l->allocator, count > 0 ? count : 1, size);
    if (block == NULL)
        (void)tact_reader_fail(&l->in, TACT_OUT_OF_MEMORY, "no memory for a call");
    return block;
}

static void give(library *l, void *block, size_t count, size_t size)
{
    tact_memory_free(&l->allocator, block, count > 0 ? count : 1, size);
}

static bool get_def(library *l, tact_body_def *def, tact_body *name)
{
    reader *in = &l->in;
    *def = (tact_body_def){0};
    *name = tact_get_body(in);
    def->shape = tact_get_shape(l);
    uint32_t flags = tact_get32(in);
    def->rotation_invariant_bounds = flags & DEF_FIXED;
    def->deformable = flags & DEF_DEFORMABLE;
    def->class_id = tact_get32(in);
    uint32_t nothing = tact_get32(in);
    def->category = tact_get64(in);
    def->mask = tact_get64(in);
    def->user = tact_get_data(l, TACT_POINTER_USER);
    def->transform = tact_get_place(in);
    def->motion = tact_get_motion(in);
    if (flags > (DEF_FIXED | DEF_DEFORMABLE) || nothing != 0)
        (void)tact_reader_fail(in, TACT_BAD_ARGUMENT, "unknown flags of a body");
    return in->trouble.status == TACT_OK;
}

static call_result make_bodies(library *l, tact_world *world, tact_report *report)
{
    size_t count = (l->in.end - l->in.at) / CREATE_BYTES;
    tact_body_def *defs = take(l, count, sizeof *defs);
    tact_body *wanted = take(l, count, sizeof *wanted), *got = take(l, count, sizeof *got);
    bool well = defs != NULL && wanted != NULL && got != NULL;
    for (size_t i = 0; well && i < count; ++i)
        well = get_def(l, &defs[i], &wanted[i]);
    call_result result = CALL_FAILED;
    if (well && tact_reader_close(&l->in)) {
        result = judge(l, tact_body_create_many(world, defs, count, got, NULL), report);
        for (size_t i = 0; result == CALL_MADE && i < count; ++i)
            if (got[i].index != wanted[i].index || got[i].generation != wanted[i].generation) {
                (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the body is (%lu %lu), but was (%lu %lu)",
                                       (unsigned long)got[i].index, (unsigned long)got[i].generation,
                                       (unsigned long)wanted[i].index, (unsigned long)wanted[i].generation);
                result = CALL_DIFFERS;
            }
    }
    give(l, got, count, sizeof *got);
    give(l, wanted, count, sizeof *wanted);
    give(l, defs, count, sizeof *defs);
    return result;
}

static call_result remove_bodies(library *l, tact_world *world, tact_report *report)
{
    size_t count = (l->in.end - l->in.at) / 8;
    tact_body *bodies = take(l, count, sizeof *bodies);
    if (bodies == NULL)
        return CALL_FAILED;
    for (size_t i = 0; i < count; ++i)
        bodies[i] = tact_get_body(&l->in);
    call_result result = CALL_FAILED;
    if (tact_reader_close(&l->in))
        result = judge(l, tact_body_remove_many(world, bodies, count), report);
    give(l, bodies, count, sizeof *bodies);
    return result;
}

/* The vertices that were read then, from an array of which the others are not read. */
static call_result deform_body(library *l, tact_world *world, tact_report *report)
{
    reader *in = &l->in;
    tact_body body = tact_get_body(in);
    size_t first = tact_get32(in), count = (in->end - in->at) / 24;
    size_t room = tact_body_get_vertices(world, body, NULL, 0);
    if (first > room || count > room - first)
        return judge(l, TACT_BAD_ARGUMENT, report);
    tact_vec3 *vertices = take(l, first + count, sizeof *vertices);
    if (vertices == NULL)
        return CALL_FAILED;
    for (size_t i = first; i < first + count; ++i)
        vertices[i] = tact_get_vec(in);
    call_result result = CALL_FAILED;
    if (tact_reader_close(in)) {
        tact_vertices array = {vertices, first + count, 0, TACT_SCALAR_DOUBLE};
        result = judge(l, tact_body_deform_from(world, body, &array, first, count), report);
    }
    give(l, vertices, first + count, sizeof *vertices);
    return result;
}

static call_result change_faces(library *l, tact_world *world, tact_report *report)
{
    reader *in = &l->in;
    tact_body body = tact_get_body(in);
    const size_t count = (in->end - in->at) / 16;
    uint32_t *faces = take(l, count, sizeof *faces), (*corners)[3] = take(l, count, sizeof *corners);
    call_result result = CALL_FAILED;
    for (size_t i = 0; faces != NULL && corners != NULL && i < count; ++i) {
        faces[i] = tact_get32(in);
        for (int k = 0; k < 3; ++k)
            corners[i][k] = tact_get32(in);
    }
    if (faces != NULL && corners != NULL && tact_reader_close(in))
        result = judge(l, tact_body_change_faces(world, body, faces, (const uint32_t(*)[3])corners, count), report);
    give(l, corners, count, sizeof *corners);
    give(l, faces, count, sizeof *faces);
    return result;
}

static call_result add_vertices(library *l, tact_world *world, tact_report *report)
{
    reader *in = &l->in;
    tact_body body = tact_get_body(in);
    const size_t count = (in->end - in->at) / 24;
    tact_vec3 *places = take(l, count, sizeof *places);
    if (places == NULL)
        return CALL_FAILED;
    for (size_t i = 0; i < count; ++i)
        places[i] = tact_get_vec(in);
    call_result result = CALL_FAILED;
    if (tact_reader_close(in))
        result = judge(l, tact_body_add_vertices(world, body, places, count), report);
    give(l, places, count, sizeof *places);
    return result;
}

/* Reads a response that is set (true), or that it is reset. */
static bool get_setting(library *l, tact_response *response)
{
    uint32_t set = tact_get32(&l->in);
    if (set > 1)
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "a response that is neither set nor reset");
    *response = set == 1 ? tact_get_response(l) : (tact_response){0};
    return set == 1;
}

/* The calls for a body that have no memory of their own. */
static call_result change_body(library *l, tact_world *world, uint32_t type, tact_report *report)
{
    reader *in = &l->in;
    tact_body body = tact_get_body(in);
    tact_status status = TACT_BAD_ARGUMENT;
    switch (type) {
    case CALL_SET_TRANSFORM: {
        tact_transform place = tact_get_place(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_transform(world, body, place);
        break;
    }
    case CALL_SET_MOTION: {
        tact_motion motion = tact_get_motion(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_motion(world, body, motion);
        break;
    }
    case CALL_SET_SHAPE: {
        const tact_shape *shape = tact_get_shape(l);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_shape(world, body, shape);
        break;
    }
    case CALL_SET_FILTER: {
        uint64_t category = tact_get64(in), mask = tact_get64(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_filter(world, body, category, mask);
        break;
    }
    case CALL_SET_CLASS: {
        uint32_t class_id = tact_get32(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_class(world, body, class_id);
        break;
    }
    case CALL_MAKE_DEFORMABLE:
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_make_deformable(world, body);
        break;
    default: { /* CALL_SET_USER */
        void *user = tact_get_data(l, TACT_POINTER_USER);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_user(world, body, user);
        break;
    }
    }
    return judge(l, status, report);
}

static call_result set_response(library *l, tact_world *world, uint32_t type, tact_report *report)
{
    reader *in = &l->in;
    tact_response response;
    tact_body one = {0, 0}, two = {0, 0};
    uint32_t first = 0, second = 0;
    if (type == CALL_SET_CLASS_CALLBACK || type == CALL_SET_CLASSES_CALLBACK)
        first = tact_get32(in);
    if (type == CALL_SET_CLASSES_CALLBACK)
        second = tact_get32(in);
    if (type == CALL_SET_BODY_CALLBACK || type == CALL_SET_PAIR_CALLBACK)
        one = tact_get_body(in);
    if (type == CALL_SET_PAIR_CALLBACK)
        two = tact_get_body(in);
    bool set = get_setting(l, &response);
    if (!tact_reader_close(in))
        return CALL_FAILED;
    tact_status status = TACT_BAD_ARGUMENT;
    switch (type) {
    case CALL_SET_WORLD_CALLBACK:
        status = set ? tact_world_set_contact_callback(world, response) : TACT_BAD_ARGUMENT;
        break;
    case CALL_SET_CLASS_CALLBACK:
        status = set ? tact_class_set_contact_callback(world, first, response)
                     : tact_class_reset_contact_callback(world, first);
        break;
    case CALL_SET_CLASSES_CALLBACK:
        status = set ? tact_classes_set_contact_callback(world, first, second, response)
                     : tact_classes_reset_contact_callback(world, first, second);
        break;
    case CALL_SET_BODY_CALLBACK:
        status =
            set ? tact_body_set_contact_callback(world, one, response) : tact_body_reset_contact_callback(world, one);
        break;
    default: /* CALL_SET_PAIR_CALLBACK */
        status = set ? tact_pair_set_contact_callback(world, one, two, response)
                     : tact_pair_reset_contact_callback(world, one, two);
        break;
    }
    return judge(l, status, report);
}

/* Calls for continuous time. */
static call_result change_in_time(library *l, tact_world *world, uint32_t type, tact_report *report)
{
    reader *in = &l->in;
    tact_status status = TACT_BAD_ARGUMENT;
    if (type == CALL_SYNC_TRANSFORMS) {
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_world_sync_transforms(world);
    } else if (type == CALL_BOUNCE) {
        const tact_event event = get_event(in);
        tact_bounce_def def = {.restitution = tact_get_double(in)};
        def.friction = tact_get_double(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_world_bounce_with(world, &event, &def);
    } else if (type == CALL_SET_REST_TIME) {
        const double time = tact_get_double(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_world_set_rest_time(world, time);
    } else if (type == CALL_SET_KINETIC) {
        const uint32_t kinetic = tact_get32(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_world_set_kinetic(world, (tact_kinetic)kinetic);
    } else if (type == CALL_SET_POLL_INTERVAL) {
        const tact_body body = tact_get_body(in);
        const double interval = tact_get_double(in);
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_poll_interval(world, body, interval);
    } else if (type == CALL_SET_MOTION_PLAN) {
        const tact_body body = tact_get_body(in);
        const tact_motion motion = tact_get_motion(in);
        tact_motion_plan course = tact_get_course(l);
        course.motion = motion;
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_motion_plan(world, body, &course);
    } else { /* CALL_SET_MASS */
        const tact_body body = tact_get_body(in);
        const uint32_t some = tact_get32(in);
        tact_mass mass = {.status = TACT_OK};
        if (some == 1) {
            mass.mass = tact_get_double(in);
            mass.centre = tact_get_vec(in);
            const tact_vec3 on = tact_get_vec(in), off = tact_get_vec(in);
            mass.inertia = (tact_inertia){on.x, on.y, on.z, off.x, off.y, off.z};
        } else if (some > 1) {
            (void)tact_reader_fail(in, TACT_BAD_ARGUMENT, "a mass that is neither there nor not");
        }
        if (!tact_reader_close(in))
            return CALL_FAILED;
        status = tact_body_set_mass_with(world, body, some == 1 ? &mass : NULL);
    }
    return judge(l, status, report);
}

/* The calls for the world. */
static call_result change_world(library *l, tact_world *world, uint32_t type, tact_report *report)
{
    uint32_t value = type == CALL_SET_BROAD_PHASE || type == CALL_SET_CACHING ? tact_get32(&l->in) : 0;
    if (type == CALL_SET_CACHING && value > 1)
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "caching is neither on nor off");
    if (!tact_reader_close(&l->in))
        return CALL_FAILED;
    switch (type) {
    case CALL_SET_BROAD_PHASE:
        return judge(l, tact_world_set_broad_phase(world, (tact_broad_phase)value), report);
    case CALL_SET_CACHING:
        return judge(l, tact_world_set_caching(world, value != 0), report);
    case CALL_STORE_PREVIOUS:
        return judge(l, tact_world_store_previous(world), report);
    default: /* CALL_RELEASE */
        tact_world_release(world);
        return CALL_MADE;
    }
}

call_result tact_library_call(library *l, tact_world *world, tact_report *report)
{
    uint32_t type = l->in.type - BLOCK_CALL;
    switch (type) {
    case CALL_CREATE:
        return make_bodies(l, world, report);
    case CALL_REMOVE:
        return remove_bodies(l, world, report);
    case CALL_DEFORM:
        return deform_body(l, world, report);
    case CALL_CHANGE_FACES:
        return change_faces(l, world, report);
    case CALL_ADD_VERTICES:
        return add_vertices(l, world, report);
    case CALL_SET_TRANSFORM:
    case CALL_SET_MOTION:
    case CALL_SET_SHAPE:
    case CALL_SET_FILTER:
    case CALL_SET_CLASS:
    case CALL_SET_USER:
    case CALL_MAKE_DEFORMABLE:
        return change_body(l, world, type, report);
    case CALL_SET_WORLD_CALLBACK:
    case CALL_SET_CLASS_CALLBACK:
    case CALL_SET_CLASSES_CALLBACK:
    case CALL_SET_BODY_CALLBACK:
    case CALL_SET_PAIR_CALLBACK:
        return set_response(l, world, type, report);
    case CALL_SYNC_TRANSFORMS:
    case CALL_BOUNCE:
    case CALL_SET_REST_TIME:
    case CALL_SET_MASS:
    case CALL_SET_MOTION_PLAN:
    case CALL_SET_POLL_INTERVAL:
    case CALL_SET_KINETIC:
        return change_in_time(l, world, type, report);
    case CALL_SET_BROAD_PHASE:
    case CALL_SET_CACHING:
    case CALL_STORE_PREVIOUS:
    case CALL_RELEASE:
        return change_world(l, world, type, report);
    default:
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "a block of type %lu where a call should be",
                               (unsigned long)l->in.type);
        return CALL_FAILED;
    }
}
