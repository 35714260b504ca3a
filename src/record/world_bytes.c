/*
 * A world as blocks, and back: docs/record.md tells the layout.
 *
 * What a hash table or the broad phase holds in an order of its own is written sorted, so that equal worlds give equal
 * bytes: a world that is saved, restored and saved again gives the same ones, if its pointers have names (or are all
 * NULL).
 */
#include "record/world_bytes.h"

#include <string.h>

#include "advance/advance_state.h"
#include "core/heap.h"
#include "core/memory.h"
#include "world/world_state.h"

#define MOST_AT_ONCE 4096 /* entries of a block: some 64 kB, so that neither side needs much room */

ARRAY_OF(body_array, body_state);
ARRAY_OF(body_time_array, body_time_state);
ARRAY_OF(index_list, index_state);
ARRAY_OF(response_array, response_state);
ARRAY_OF(axis_list, axis_state);
ARRAY_OF(touch_list, touch_state);

/* ---- sorting ---- */

/* Something to be put in order. */
typedef struct card {
    uint64_t key;
    uint64_t word; /* whatever belongs to it */
} card;

ARRAY_OF(card_array, card);

static inline bool card_before(const void *context, const card *a, const card *b)
{
    (void)context;
    return a->key < b->key;
}

HEAP_SORT_OF(sort_cards, card, const void *, card_before)

static uint64_t key_of(uint32_t one, uint32_t two) { return (uint64_t)one << 32 | two; }

/* ---- writing ---- */

static void put_body_state(scribe *s, const body_state *b)
{
    writer *w = &s->out;
    const deform_state *d = b->flags & STATE_DEFORMS ? &b->deform : NULL;
    uint32_t shape = 0, shape_before = 0, twins[2] = {0, 0};
    if (!tact_scribe_shape(s, b->shape, &shape))
        return;
    for (int i = 0; i < 2 && d != NULL; ++i)
        if (!tact_scribe_twin(s, d->twins[i], &twins[i]))
            return;
    if (d != NULL && d->before != DEFORM_OTHER)
        shape_before = twins[d->before];
    else if (!tact_scribe_shape(s, b->shape_before, &shape_before))
        return;
    tact_writer_open(w, BLOCK_BODY);
    tact_put_body(w, b->name);
    tact_put64(w, b->serial);
    tact_put32(w, b->flags);
    tact_put32(w, b->class_id);
    tact_put64(w, b->category);
    tact_put64(w, b->mask);
    tact_put_data(s, TACT_POINTER_USER, b->user);
    tact_put32(w, shape);
    tact_put32(w, shape_before);
    tact_put_place(w, &b->place);
    tact_put_place(w, &b->before);
    tact_put_motion(w, &b->motion);
    if (b->flags & STATE_RESPONDS)
        tact_put_response(s, &b->response);
    if (d != NULL) {
        tact_put32(w, d->now);
        tact_put32(w, d->before);
        for (int i = 0; i < 2; ++i) {
            tact_put32(w, twins[i]);
            tact_put64(w, d->refitted[i]);
        }
        tact_put32(w, d->stale_count);
        for (uint32_t i = 0; i < d->stale_count; ++i) {
            tact_put32(w, d->stale[i].first);
            tact_put32(w, d->stale[i].end);
        }
    }
    tact_writer_close(w);
}

/* What a body has besides: flags of BLOCK_TIMED. */
enum {
    TIMED_STILL = BODY_TIME_STILL,
    TIMED_PLAN = BODY_TIME_MOVING,
    TIMED_MASS = 4,
    TIMED_COURSE = 8, /* a motion plan */
    TIMED_POLL = 16,  /* it is polled */
    TIMED_TOLD = BODY_TIME_REPORTED
};

static void put_timed(scribe *s, const body_state *b, const body_time_state *t)
{
    writer *w = &s->out;
    const uint32_t flags = t->flags | (b->has_mass ? (uint32_t)TIMED_MASS : 0u) |
                           (b->has_motion_plan ? (uint32_t)TIMED_COURSE : 0u) |
                           (b->poll_interval > 0.0 ? (uint32_t)TIMED_POLL : 0u);
    if (flags == 0)
        return;
    tact_writer_open(w, BLOCK_TIMED);
    tact_put32(w, b->name.index);
    tact_put32(w, flags);
    if (flags & TIMED_PLAN) {
        tact_put_double(w, t->motion.start_time);
        tact_put_place(w, &t->motion.transform);
        tact_put_motion(w, &t->motion.motion);
        tact_put_vec(w, t->motion.momentum);
        tact_put_double(w, t->motion.rotation_expiry);
    }
    if (flags & TIMED_MASS) {
        const mass_properties *r = &b->mass.properties;
        tact_put_double(w, r->mass);
        tact_put_vec(w, r->centre);
        tact_put_vec(w, (tact_vec3){r->covariance.xx, r->covariance.yy, r->covariance.zz});
        tact_put_vec(w, (tact_vec3){r->covariance.xy, r->covariance.xz, r->covariance.yz});
        tact_put32(w, r->rotates);
        tact_put_double(w, b->mass.bounced);
        tact_put32(w, b->mass.bounces);
    }
    if (flags & TIMED_COURSE) {
        tact_put_course(s, &b->motion_plan.plan);
        tact_put_double(w, b->motion_plan.located_at);
    }
    if (flags & TIMED_POLL)
        tact_put_double(w, b->poll_interval);
    if (flags & TIMED_TOLD)
        tact_put32(w, t->reported_count);
    tact_writer_close(w);
}

static void put_time(writer *w, const time_state *state)
{
    if (!state->timed)
        return;
    tact_writer_open(w, BLOCK_TIME);
    tact_put_double(w, state->time);
    tact_put_double(w, state->rest_time);
    tact_put32(w, (uint32_t)state->kinetic);
    tact_put32(w, (uint32_t)state->engine);
    tact_put32(w, state->reported[0]);
    tact_put32(w, state->reported[1]);
    tact_writer_close(w);
}

static void put_touches(writer *w, const tact_world *world)
{
    uint64_t place = 0;
    touch_state t;
    bool more = tact_world_next_touch(world, &place, &t);
    while (more && writer_well(w)) {
        tact_writer_open(w, BLOCK_TOUCHES);
        for (int i = 0; more && i < MOST_AT_ONCE; ++i) {
            tact_put32(w, t.a);
            tact_put32(w, t.b);
            tact_put32(w, t.flags);
            tact_put32(w, t.reported_count);
            tact_put32(w, t.uncertain_count);
            tact_put_double(w, t.reported_at);
            tact_put_double(w, t.next_poll);
            more = tact_world_next_touch(world, &place, &t);
        }
        tact_writer_close(w);
    }
}

typedef bool next_index(const tact_world *world, uint64_t *place, index_state *index);

static void put_indices(writer *w, const tact_world *world, uint32_t type, next_index *next)
{
    uint64_t place = 0;
    index_state index;
    bool more = next(world, &place, &index);
    while (more && writer_well(w)) {
        tact_writer_open(w, type);
        for (int i = 0; more && i < MOST_AT_ONCE; ++i) {
            tact_put32(w, index.index);
            tact_put32(w, index.generation);
            tact_put32(w, index.flags);
            more = next(world, &place, &index);
        }
        tact_writer_close(w);
    }
}

static void put_axes(writer *w, const tact_world *world)
{
    card_array axes = {0};
    axis_state axis;
    uint64_t place = 0;
    while (writer_well(w) && tact_world_next_axis(world, &place, &axis))
        if (!card_array_push(&axes, &w->allocator, (card){key_of(axis.one, axis.two), axis.word}))
            (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "no memory for the axes of pairs");
    sort_cards(NULL, axes.items, axes.count);
    for (size_t done = 0; done < axes.count && writer_well(w);) {
        tact_writer_open(w, BLOCK_AXES);
        for (int i = 0; i < MOST_AT_ONCE && done < axes.count; ++i, ++done) {
            tact_put32(w, (uint32_t)(axes.items[done].key >> 32));
            tact_put32(w, (uint32_t)axes.items[done].key);
            tact_put64(w, axes.items[done].word);
        }
        tact_writer_close(w);
    }
    card_array_release(&axes, &w->allocator);
}

typedef bool next_response(const tact_world *world, uint64_t *place, response_state *response);

static void put_responses(scribe *s, const tact_world *world, uint32_t type, next_response *next)
{
    writer *w = &s->out;
    card_array places = {0}; /* of responses in the table */
    response_state response;
    uint64_t place = 0;
    while (writer_well(w) && next(world, &place, &response))
        if (!card_array_push(&places, &w->allocator, (card){key_of(response.one, response.two), place - 1}))
            (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "no memory for the responses");
    sort_cards(NULL, places.items, places.count);
    for (size_t i = 0; i < places.count && writer_well(w); ++i) {
        place = places.items[i].word;
        (void)next(world, &place, &response);
        tact_writer_open(w, type);
        tact_put32(w, response.one);
        tact_put32(w, response.two);
        tact_put_response(s, &response.response);
        tact_writer_close(w);
    }
    card_array_release(&places, &w->allocator);
}

void tact_scribe_world(scribe *s, const tact_world *world)
{
    writer *w = &s->out;
    world_state state = tact_world_describe(world);
    uint32_t count = tact_world_index_count(world);
    tact_writer_open(w, BLOCK_WORLD);
    tact_put32(w, (uint32_t)state.broad);
    tact_put32(w, (uint32_t)state.working);
    tact_put32(w, state.caching);
    tact_put32(w, count);
    tact_put64(w, state.serial);
    tact_put_response(s, &state.response);
    tact_writer_close(w);
    body_state body;
    for (uint32_t i = 0; i < count && writer_well(w); ++i)
        if (tact_world_body_at(world, i, &body)) {
            put_body_state(s, &body);
            const body_time_state time = tact_world_body_time_at(world, i);
            put_timed(s, &body, &time);
        }
    put_indices(w, world, BLOCK_UNUSED, tact_world_next_unused);
    put_indices(w, world, BLOCK_REMOVED, tact_world_next_removed);
    put_responses(s, world, BLOCK_CLASS, tact_world_next_class_response);
    put_responses(s, world, BLOCK_PAIR, tact_world_next_pair_response);
    put_axes(w, world);
    const time_state time = tact_world_describe_time(world);
    put_time(w, &time);
    put_touches(w, world);
    tact_writer_open(w, BLOCK_STATE);
    tact_writer_close(w);
}

/* ---- reading ---- */

/* What has been read so far. */
typedef struct draft {
    world_state state;
    time_state time;
    uint32_t count; /* of indices, as announced */
    bool begun;     /* the settings have been read */
    bool timed;     /* what the last body has besides has been read */
    body_array bodies;
    body_time_array body_times; /* as many */
    index_list unused, removed;
    response_array classes, pairs;
    axis_list axes;
    touch_list touches;
} draft;

static bool no_memory(library *l) { return tact_reader_fail(&l->in, TACT_OUT_OF_MEMORY, "no memory for the world"); }

static bool read_settings(library *l, draft *d)
{
    reader *in = &l->in;
    if (d->begun)
        return tact_reader_fail(in, TACT_BAD_ARGUMENT, "a second world");
    d->begun = true;
    d->state.broad = (tact_broad_phase)tact_get32(in);
    d->state.working = (tact_broad_phase)tact_get32(in);
    uint32_t caching = tact_get32(in);
    d->state.caching = caching != 0;
    d->count = tact_get32(in);
    d->state.serial = tact_get64(in);
    d->state.response = tact_get_response(l);
    return caching <= 1 || tact_reader_fail(in, TACT_BAD_ARGUMENT, "caching is neither on nor off");
}

static bool read_deform(library *l, body_state *b)
{
    reader *in = &l->in;
    deform_state *d = &b->deform;
    d->original = b->shape;
    d->apart = b->flags & STATE_APART;
    d->now = tact_get32(in);
    d->before = tact_get32(in);
    for (int i = 0; i < 2; ++i) {
        d->twins[i] = tact_get_twin(l);
        d->refitted[i] = tact_get64(in);
    }
    d->stale_count = tact_get32(in);
    if (d->stale_count >= DEFORM_RANGES)
        return tact_reader_fail(in, TACT_BAD_ARGUMENT, "too many ranges of a deformable body");
    for (uint32_t i = 0; i < d->stale_count; ++i) {
        d->stale[i].first = tact_get32(in);
        d->stale[i].end = tact_get32(in);
    }
    return in->trouble.status == TACT_OK;
}

static bool read_body(library *l, draft *d)
{
    reader *in = &l->in;
    body_state b = {.name = tact_get_body(in)};
    b.serial = tact_get64(in);
    b.flags = tact_get32(in);
    b.class_id = tact_get32(in);
    b.category = tact_get64(in);
    b.mask = tact_get64(in);
    b.user = tact_get_data(l, TACT_POINTER_USER);
    b.shape = tact_get_shape(l);
    b.shape_before = tact_get_shape(l);
    b.place = tact_get_place(in);
    b.before = tact_get_place(in);
    b.motion = tact_get_motion(in);
    if ((b.flags & ~(uint32_t)(STATE_MOVED | STATE_FIXED | STATE_RESPONDS | STATE_DEFORMS | STATE_APART)) ||
        ((b.flags & STATE_APART) && !(b.flags & STATE_DEFORMS)))
        return tact_reader_fail(in, TACT_BAD_ARGUMENT, "unknown flags of a body");
    if (b.flags & STATE_RESPONDS)
        b.response = tact_get_response(l);
    if ((b.flags & STATE_DEFORMS) && !read_deform(l, &b))
        return false;
    const body_time_state t = {.index = b.name.index};
    d->timed = false;
    return (body_array_push(&d->bodies, &l->allocator, b) && body_time_array_push(&d->body_times, &l->allocator, t)) ||
           no_memory(l);
}

static bool read_indices(library *l, index_list *list)
{
    reader *in = &l->in;
    while (in->at < in->end) {
        index_state index = {.index = tact_get32(in)};
        index.generation = tact_get32(in);
        index.flags = tact_get32(in);
        if (index.flags & ~(uint32_t)STATE_MOVED)
            return tact_reader_fail(in, TACT_BAD_ARGUMENT, "unknown flags of an index");
        if (!index_list_push(list, &l->allocator, index))
            return no_memory(l);
    }
    return true;
}

static bool read_response(library *l, response_array *list)
{
    response_state r = {.one = tact_get32(&l->in)};
    r.two = tact_get32(&l->in);
    r.response = tact_get_response(l);
    return response_array_push(list, &l->allocator, r) || no_memory(l);
}

static bool read_axes(library *l, axis_list *list)
{
    while (l->in.at < l->in.end) {
        axis_state axis = {.one = tact_get32(&l->in)};
        axis.two = tact_get32(&l->in);
        axis.word = tact_get64(&l->in);
        if (!axis_list_push(list, &l->allocator, axis))
            return no_memory(l);
    }
    return true;
}

/* What the last body has besides. */
static bool read_timed(library *l, draft *d)
{
    reader *in = &l->in;
    body_state *b = d->bodies.count > 0 ? &d->bodies.items[d->bodies.count - 1] : NULL;
    body_time_state *t = b != NULL ? &d->body_times.items[d->body_times.count - 1] : NULL;
    const uint32_t index = tact_get32(in), flags = tact_get32(in);
    if (b == NULL || b->name.index != index || d->timed || flags == 0 ||
        flags > (TIMED_STILL | TIMED_PLAN | TIMED_MASS | TIMED_COURSE | TIMED_POLL | TIMED_TOLD))
        return tact_reader_fail(in, TACT_BAD_ARGUMENT, "what belongs to a body does not come after it");
    d->timed = true;
    t->flags = flags & (TIMED_STILL | TIMED_PLAN | TIMED_TOLD);
    if (flags & TIMED_PLAN) {
        t->motion.start_time = tact_get_double(in);
        t->motion.transform = tact_get_place(in);
        t->motion.motion = tact_get_motion(in);
        t->motion.momentum = tact_get_vec(in);
        t->motion.rotation_expiry = tact_get_double(in);
    }
    b->has_mass = flags & TIMED_MASS;
    if (b->has_mass) {
        b->mass.properties.mass = tact_get_double(in);
        b->mass.properties.centre = tact_get_vec(in);
        const tact_vec3 on = tact_get_vec(in), off = tact_get_vec(in);
        b->mass.properties.covariance = (sym3){on.x, on.y, on.z, off.x, off.y, off.z};
        const uint32_t turns = tact_get32(in);
        b->mass.properties.rotates = turns != 0;
        b->mass.bounced = tact_get_double(in);
        b->mass.bounces = tact_get32(in);
        if (turns > 1)
            return tact_reader_fail(in, TACT_BAD_ARGUMENT, "a body that neither turns nor does not");
    }
    b->has_motion_plan = flags & TIMED_COURSE;
    if (b->has_motion_plan) {
        b->motion_plan.plan = tact_get_course(l);
        b->motion_plan.located_at = tact_get_double(in);
    }
    if (flags & TIMED_POLL) {
        b->poll_interval = tact_get_double(in);
        if (!(b->poll_interval > 0.0))
            return tact_reader_fail(in, TACT_BAD_ARGUMENT, "a body that is polled at no interval");
    }
    if (flags & TIMED_TOLD)
        t->reported_count = tact_get32(in);
    return true;
}

static bool read_time(library *l, time_state *s)
{
    reader *in = &l->in;
    if (s->timed)
        return tact_reader_fail(in, TACT_BAD_ARGUMENT, "a second time");
    s->timed = true;
    s->time = tact_get_double(in);
    s->rest_time = tact_get_double(in);
    s->kinetic = (tact_kinetic)tact_get32(in);
    s->engine = (tact_kinetic)tact_get32(in);
    s->reported[0] = tact_get32(in);
    s->reported[1] = tact_get32(in);
    return true;
}

static bool read_touches(library *l, touch_list *list)
{
    while (l->in.at < l->in.end) {
        touch_state t = {.a = tact_get32(&l->in)};
        t.b = tact_get32(&l->in);
        t.flags = tact_get32(&l->in);
        t.reported_count = tact_get32(&l->in);
        t.uncertain_count = tact_get32(&l->in);
        t.reported_at = tact_get_double(&l->in);
        t.next_poll = tact_get_double(&l->in);
        if (!touch_list_push(list, &l->allocator, t))
            return no_memory(l);
    }
    return true;
}

static bool read_block(library *l, draft *d)
{
    uint32_t type = l->in.type;
    if (type == BLOCK_SHAPE)
        return tact_library_shape(l);
    if (type != BLOCK_WORLD && !d->begun)
        return tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "a block of type %lu before the world", (unsigned long)type);
    switch (type) {
    case BLOCK_WORLD:
        return read_settings(l, d) && tact_reader_close(&l->in);
    case BLOCK_BODY:
        return read_body(l, d) && tact_reader_close(&l->in);
    case BLOCK_UNUSED:
        return read_indices(l, &d->unused) && tact_reader_close(&l->in);
    case BLOCK_REMOVED:
        return read_indices(l, &d->removed) && tact_reader_close(&l->in);
    case BLOCK_CLASS:
        return read_response(l, &d->classes) && tact_reader_close(&l->in);
    case BLOCK_PAIR:
        return read_response(l, &d->pairs) && tact_reader_close(&l->in);
    case BLOCK_AXES:
        return read_axes(l, &d->axes) && tact_reader_close(&l->in);
    case BLOCK_TIME:
        return read_time(l, &d->time) && tact_reader_close(&l->in);
    case BLOCK_TIMED:
        return read_timed(l, d) && tact_reader_close(&l->in);
    case BLOCK_TOUCHES:
        return read_touches(l, &d->touches) && tact_reader_close(&l->in);
    default:
        return tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "a block of type %lu, which a world does not have",
                                (unsigned long)type);
    }
}

/* Was each body made at a time of its own? */
static bool check_serials(library *l, const body_array *bodies)
{
    card_array cards = {0};
    for (size_t i = 0; i < bodies->count && l->in.trouble.status == TACT_OK; ++i)
        if (!card_array_push(&cards, &l->allocator, (card){bodies->items[i].serial, bodies->items[i].name.index}))
            (void)no_memory(l);
    sort_cards(NULL, cards.items, cards.count);
    for (size_t i = 1; i < cards.count; ++i)
        if (cards.items[i].key == cards.items[i - 1].key)
            (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "bodies %lu and %lu were made at the same time",
                                   (unsigned long)cards.items[i - 1].word, (unsigned long)cards.items[i].word);
    card_array_release(&cards, &l->allocator);
    return l->in.trouble.status == TACT_OK;
}

static tact_world *assemble(library *l, draft *d)
{
    tact_report why = {TACT_OK, ""};
    world_state *s = &d->state;
    s->bodies = d->bodies.items;
    s->body_count = d->bodies.count;
    s->unused = d->unused.items;
    s->unused_count = d->unused.count;
    s->removed = d->removed.items;
    s->removed_count = d->removed.count;
    s->classes = d->classes.items;
    s->class_count = d->classes.count;
    s->pairs = d->pairs.items;
    s->pair_count = d->pairs.count;
    s->axes = d->axes.items;
    s->axis_count = d->axes.count;
    time_state *t = &d->time;
    t->bodies = d->body_times.items;
    t->body_count = d->body_times.count;
    t->touches = d->touches.items;
    t->touch_count = d->touches.count;
    if (t->touch_count > 0 && !t->timed) {
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "touches in a world without time");
        return NULL;
    }
    if (d->count != s->body_count + s->unused_count + s->removed_count) {
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "%lu indices are announced, but %zu are there",
                               (unsigned long)d->count, s->body_count + s->unused_count + s->removed_count);
        return NULL;
    }
    if (!check_serials(l, &d->bodies))
        return NULL;
    tact_world *world = tact_world_assemble(s, &why);
    if (world != NULL && !tact_world_restore_time(world, t, &why)) {
        tact_world_release(world);
        world = NULL;
    }
    if (world == NULL)
        (void)tact_reader_fail(&l->in, why.status, "%.140s", why.text);
    return world;
}

tact_world *tact_library_world(library *l, const tact_parallel *parallel)
{
    draft d = {.state = {.allocator = l->allocator}, .time = {.reported = {STATE_NO_BODY, STATE_NO_BODY}}};
    tact_world *world = NULL;
    if (parallel != NULL)
        d.state.parallel = *parallel;
    bool well = true;
    while ((well = well && tact_reader_peek(&l->in) == READ_BLOCK) && (l->in.type != BLOCK_STATE || !d.begun))
        well = read_block(l, &d);
    if (well && tact_reader_close(&l->in))
        world = assemble(l, &d);
    body_array_release(&d.bodies, &l->allocator);
    body_time_array_release(&d.body_times, &l->allocator);
    index_list_release(&d.unused, &l->allocator);
    index_list_release(&d.removed, &l->allocator);
    response_array_release(&d.classes, &l->allocator);
    response_array_release(&d.pairs, &l->allocator);
    axis_list_release(&d.axes, &l->allocator);
    touch_list_release(&d.touches, &l->allocator);
    return world;
}
