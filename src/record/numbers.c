/* Numbers for pointers: see numbers.h. */
#include "record/numbers.h"

#include <string.h>

#include "core/hash.h"
#include "core/memory.h"

#define FIRST_SIZE 64 /* entries, a power of two */

_Static_assert(sizeof(void *) <= 8 && sizeof(tact_contact_callback *) <= 8 && sizeof(tact_support_callback *) <= 8 &&
                   sizeof(tact_motion_callback *) <= 8,
               "a pointer's bits fit into a word");

static const tact_allocator usual = {NULL, NULL};

/* ---- the table ---- */

static size_t place_of(const number_table *table, uint32_t kind, uint64_t pointer)
{
    size_t at = (size_t)hash_add(kind, pointer) & (table->size - 1);
    while (table->entries[at].kind != 0 && (table->entries[at].kind != kind || table->entries[at].pointer != pointer))
        at = (at + 1) & (table->size - 1);
    return at;
}

bool tact_number_find(const number_table *table, uint32_t kind, uint64_t pointer, uint32_t *number)
{
    if (table->count == 0)
        return false;
    const number_entry *entry = &table->entries[place_of(table, kind, pointer)];
    *number = entry->number;
    return entry->kind != 0;
}

static bool widen(number_table *table, const tact_allocator *allocator)
{
    number_table wide = {NULL, table->size == 0 ? FIRST_SIZE : 2 * table->size, table->count};
    wide.entries = wide.size > table->size ? tact_memory_allocate(allocator, wide.size, sizeof *wide.entries) : NULL;
    if (wide.entries == NULL)
        return false;
    memset(wide.entries, 0, wide.size * sizeof *wide.entries);
    for (size_t i = 0; i < table->size; ++i)
        if (table->entries[i].kind != 0)
            wide.entries[place_of(&wide, table->entries[i].kind, table->entries[i].pointer)] = table->entries[i];
    tact_number_table_release(table, allocator);
    *table = wide;
    return true;
}

bool tact_number_add(number_table *table, const tact_allocator *allocator, uint32_t kind, uint64_t pointer,
                     uint32_t number)
{
    if (2 * (table->count + 1) > table->size && !widen(table, allocator))
        return false;
    table->entries[place_of(table, kind, pointer)] = (number_entry){pointer, kind, number};
    ++table->count;
    return true;
}

void tact_number_table_release(number_table *table, const tact_allocator *allocator)
{
    tact_memory_free(allocator, table->entries, table->size, sizeof *table->entries);
    *table = (number_table){0};
}

static void release_all(shape_array *shapes, const tact_allocator *allocator)
{
    for (size_t i = 0; i < shapes->count; ++i)
        tact_shape_release(shapes->items[i]);
    shape_array_release(shapes, allocator);
}

/* ---- writing ---- */

void tact_scribe_begin(scribe *s, tact_sink sink, const tact_record_def *def)
{
    *s = (scribe){.names = def != NULL ? def->pointer_map : NULL};
    tact_writer_begin(&s->out, sink, def != NULL ? &def->allocator : &usual);
}

void tact_scribe_release(scribe *s)
{
    const tact_allocator *allocator = &s->out.allocator;
    release_all(&s->shapes, allocator);
    tact_number_table_release(&s->numbers, allocator);
    tact_writer_release(&s->out);
}

/* The number of a pointer that is not NULL. */
static uint64_t number_of(scribe *s, tact_pointer_kind kind, tact_pointer pointer)
{
    static const char *const nameless[] = {"",
                                           "the user pointer of a body has no number (tact_pointer_map)",
                                           "the function of a response has no number (tact_pointer_map)",
                                           "the context of a response has no number (tact_pointer_map)",
                                           "a support function has no number (tact_pointer_map)",
                                           "the context of a support function has no number (tact_pointer_map)",
                                           "the guide of a course has no number (tact_pointer_map)",
                                           "the context of a guide has no number (tact_pointer_map)"};
    if (s->names != NULL && s->names->id_of != NULL) {
        uint64_t number = s->names->id_of(s->names->context, kind, pointer);
        if (number == 0)
            (void)tact_writer_fail(&s->out, TACT_BAD_ARGUMENT, nameless[kind]);
        return number;
    }
    if (kind == TACT_POINTER_SUPPORT) {
        (void)tact_writer_fail(&s->out, TACT_BAD_ARGUMENT,
                               "a shape of type TACT_CUSTOM cannot be saved without tact_pointer_map");
        return 0;
    }
    uint64_t bits = 0;
    uint32_t number = 0;
    if (kind == TACT_POINTER_CONTACT_CALLBACK)
        memcpy(&bits, &pointer.contact_callback, sizeof pointer.contact_callback);
    else if (kind == TACT_POINTER_MOTION_CALLBACK)
        memcpy(&bits, &pointer.motion_callback, sizeof pointer.motion_callback);
    else
        memcpy(&bits, &pointer.data, sizeof pointer.data);
    if (tact_number_find(&s->numbers, kind, bits, &number))
        return number;
    number = s->pointer_count + 1;
    if (number == 0 || !tact_number_add(&s->numbers, &s->out.allocator, kind, bits, number)) {
        (void)tact_writer_fail(&s->out, TACT_OUT_OF_MEMORY, "no memory for the number of a pointer");
        return 0;
    }
    return s->pointer_count = number;
}

void tact_put_data(scribe *s, tact_pointer_kind kind, void *pointer)
{
    tact_put64(&s->out, pointer != NULL ? number_of(s, kind, (tact_pointer){.data = pointer}) : 0);
}

void tact_put_respond(scribe *s, tact_contact_callback *pointer)
{
    tact_put64(&s->out, pointer != NULL
                            ? number_of(s, TACT_POINTER_CONTACT_CALLBACK, (tact_pointer){.contact_callback = pointer})
                            : 0);
}

void tact_put_support(scribe *s, tact_support_callback *pointer)
{
    tact_put64(&s->out,
               pointer != NULL ? number_of(s, TACT_POINTER_SUPPORT, (tact_pointer){.support_callback = pointer}) : 0);
}

void tact_put_course(scribe *s, const tact_motion_plan *c)
{
    writer *w = &s->out;
    tact_put_double(w, c->until);
    tact_put_double(w, c->max_deviation_speed);
    tact_put_double(w, c->min_interval);
    tact_put64(w, c->callback != NULL
                      ? number_of(s, TACT_POINTER_MOTION_CALLBACK, (tact_pointer){.motion_callback = c->callback})
                      : 0);
    tact_put_data(s, TACT_POINTER_MOTION_CONTEXT, c->context);
}

void tact_put_response(scribe *s, const tact_response *response)
{
    tact_put32(&s->out, (uint32_t)response->want);
    tact_put_double(&s->out, response->max_separation);
    tact_put_respond(s, response->callback);
    tact_put_data(s, TACT_POINTER_CONTACT_CONTEXT, response->context);
}

/* ---- reading ---- */

bool tact_library_begin(library *l, const void *bytes, size_t size, const tact_record_def *def)
{
    *l = (library){.names = def != NULL ? def->pointer_map : NULL, .allocator = def != NULL ? def->allocator : usual};
    return tact_reader_begin(&l->in, bytes, size);
}

void tact_library_release(library *l) { release_all(&l->shapes, &l->allocator); }

/* The pointer of a number that is not 0; false, with nothing noted, if there are no names. */
static bool pointer_of(library *l, tact_pointer_kind kind, uint64_t number, tact_pointer *pointer)
{
    *pointer = (tact_pointer){.data = NULL};
    if (l->names == NULL || l->names->pointer_of == NULL)
        return false;
    if (!l->names->pointer_of(l->names->context, kind, number, pointer))
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT,
                               "nothing is known by the number %llu and kind %d (tact_pointer_map)",
                               (unsigned long long)number, (int)kind);
    return true;
}

void *tact_get_data(library *l, tact_pointer_kind kind)
{
    uint64_t number = tact_get64(&l->in);
    tact_pointer pointer;
    return number != 0 && pointer_of(l, kind, number, &pointer) ? pointer.data : NULL;
}

/* What a response without a name calls. */
static void call_nothing(void *context, const tact_contact *contact)
{
    (void)context;
    (void)contact;
}

tact_response tact_get_response(library *l)
{
    tact_response response = {.want = (tact_want)tact_get32(&l->in)};
    response.max_separation = tact_get_double(&l->in);
    uint64_t number = tact_get64(&l->in);
    tact_pointer pointer;
    if (number != 0) {
        response.callback =
            pointer_of(l, TACT_POINTER_CONTACT_CALLBACK, number, &pointer) ? pointer.contact_callback : call_nothing;
        if (response.callback == NULL)
            (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "the number %llu stands for a response that is NULL",
                                   (unsigned long long)number);
    }
    response.context = tact_get_data(l, TACT_POINTER_CONTACT_CONTEXT);
    return response;
}

void tact_guide_nowhere(void *context, double time, tact_transform *place, tact_motion_plan *course)
{
    (void)context;
    (void)time;
    (void)place;
    (void)course;
}

tact_motion_plan tact_get_course(library *l)
{
    tact_motion_plan c = {.until = tact_get_double(&l->in)};
    c.max_deviation_speed = tact_get_double(&l->in);
    c.min_interval = tact_get_double(&l->in);
    uint64_t number = tact_get64(&l->in);
    tact_pointer pointer;
    if (number != 0) {
        c.callback = pointer_of(l, TACT_POINTER_MOTION_CALLBACK, number, &pointer) ? pointer.motion_callback
                                                                                   : tact_guide_nowhere;
        if (c.callback == NULL)
            (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "the number %llu stands for a guide that is NULL",
                                   (unsigned long long)number);
    }
    c.context = tact_get_data(l, TACT_POINTER_MOTION_CONTEXT);
    return c;
}

bool tact_get_support(library *l, tact_support_callback **support, void **context)
{
    uint64_t number = tact_get64(&l->in);
    tact_pointer pointer = {.data = NULL};
    if (number == 0 || !pointer_of(l, TACT_POINTER_SUPPORT, number, &pointer))
        return tact_reader_fail(&l->in, TACT_BAD_ARGUMENT,
                                "a shape of type TACT_CUSTOM cannot be restored without tact_pointer_map");
    *support = pointer.support_callback;
    *context = tact_get_data(l, TACT_POINTER_SUPPORT_CONTEXT);
    return l->in.trouble.status == TACT_OK;
}

static const tact_shape *shape_of(library *l, uint32_t number)
{
    if (number < l->shapes.count)
        return l->shapes.items[number];
    (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "shape %lu is named, but only %zu came before",
                           (unsigned long)number, l->shapes.count);
    return NULL;
}

const tact_shape *tact_get_shape(library *l) { return shape_of(l, tact_get32(&l->in)); }

const tact_shape *tact_get_twin(library *l)
{
    uint32_t number = tact_get32(&l->in);
    if (number < l->twin_end)
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "shape %lu cannot be one that another body deforms",
                               (unsigned long)number);
    l->twin_end = (size_t)number + 1;
    return shape_of(l, number);
}
