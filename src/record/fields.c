/* Field tables: see fields.h. */
#include "record/fields.h"

#include <assert.h>
#include <string.h>

#include "core/little_endian.h"
#include "record/animation_blocks.h"
#include "record/shape_blocks.h"

/* Members that one field describes as several numbers have no padding. Enums are u32. */
_Static_assert(sizeof(tact_vec3) == 24 && sizeof(tact_transform) == 96 && sizeof(tact_motion) == 96 &&
                   sizeof(tact_body) == 8 && sizeof(tact_part) == 8,
               "structs of equal numbers");
_Static_assert(sizeof(tact_want) == 4, "enums are u32");

/* tact_pointer holds every kind at the same address. */
_Static_assert(sizeof(void *) <= 8 && sizeof(tact_contact_callback *) == sizeof(void *) &&
                   sizeof(tact_support_callback *) == sizeof(void *) &&
                   sizeof(tact_motion_callback *) == sizeof(void *) && sizeof(tact_pointer) == sizeof(void *),
               "pointers of all kinds have one size");

const record_field tact_response_fields[] = {
    {.name = "want", .encoding = ENCODING_WANT},
    FIELD_F64(tact_response, max_separation),
    FIELD_POINTER(tact_response, callback, TACT_POINTER_CONTACT_CALLBACK),
    FIELD_POINTER(tact_response, context, TACT_POINTER_CONTACT_CONTEXT),
    {0},
};

const record_field tact_motion_plan_fields[] = {
    FIELD_F64(tact_motion_plan, until),
    FIELD_F64(tact_motion_plan, max_deviation_speed),
    FIELD_F64(tact_motion_plan, min_interval),
    FIELD_POINTER(tact_motion_plan, callback, TACT_POINTER_MOTION_CALLBACK),
    FIELD_POINTER(tact_motion_plan, context, TACT_POINTER_MOTION_CONTEXT),
    {0},
};

const record_field tact_ccd_fields[] = {
    FIELD_U32(tact_ccd, status),      FIELD_U32(tact_ccd, state),
    FIELD_F64(tact_ccd, lower),       FIELD_F64(tact_ccd, upper),
    FIELD_F64(tact_ccd, normal),      FIELD_F64(tact_ccd, weights),
    FIELD_BOOL(tact_ccd, degenerate), {0},
};

/* Added to the want of a response with report_end, and of one that is a sensor. */
#define WANT_END 256u
#define WANT_SENSOR 512u

/* Bytes of the fields; optional structs count as present. */
static size_t fields_size(const record_field *fields)
{
    size_t size = 0;
    for (const record_field *f = fields; f->encoding != ENCODING_END; ++f)
        switch (f->encoding) {
        case ENCODING_U32:
            size += 4 * f->count;
            break;
        case ENCODING_U64:
            size += 8 * f->count;
            break;
        case ENCODING_POINTER:
            size += 8;
            break;
        case ENCODING_STRUCT:
        case ENCODING_POINTED:
            size += fields_size(f->fields);
            break;
        case ENCODING_OPTIONAL:
            size += 4 + fields_size(f->fields);
            break;
        default:
            size += 4;
        }
    return size;
}

size_t tact_columns_size(const record_column *columns)
{
    size_t size = 0;
    for (; columns->fields != NULL; ++columns)
        size += fields_size(columns->fields);
    return size;
}

/* Makes one field of all items if they are numbers only: the loops over an array of vertices are the inner ones. */
static bool merge_items(const record_column *columns, size_t count, record_field all[2])
{
    if (columns[1].fields != NULL || columns->fields[1].encoding != ENCODING_END ||
        (columns->fields->encoding != ENCODING_U32 && columns->fields->encoding != ENCODING_U64))
        return false;
    /* the numbers of all items follow each other without gaps */
    assert(columns->fields->offset == 0 && columns->item_size == fields_size(columns->fields));
    all[0] = columns->fields[0];
    all[0].count *= count;
    all[1] = columns->fields[1];
    return true;
}

/* ---- pointers ---- */

static void ignore_contact(void *context, const tact_contact *contact)
{
    (void)context;
    (void)contact;
}

void tact_unmapped_motion_callback(void *context, double time, tact_transform *transform, tact_motion_plan *plan)
{
    (void)context;
    (void)time;
    (void)transform;
    (void)plan;
}

static const struct {
    const char *name;
    tact_pointer unmapped; /* what is read without a pointer map */
    bool required;         /* the pointer map must not give NULL */
} pointer_kinds[] = {
    [TACT_POINTER_USER] = {"the user pointer of a body", {NULL}, false},
    [TACT_POINTER_CONTACT_CALLBACK] = {"a contact callback", {.contact_callback = ignore_contact}, true},
    [TACT_POINTER_CONTACT_CONTEXT] = {"the context of a contact callback", {NULL}, false},
    [TACT_POINTER_SUPPORT] = {"a support function", {NULL}, true},
    [TACT_POINTER_SUPPORT_CONTEXT] = {"the context of a support function", {NULL}, false},
    [TACT_POINTER_MOTION_CALLBACK] = {"a motion callback", {.motion_callback = tact_unmapped_motion_callback}, true},
    [TACT_POINTER_MOTION_CONTEXT] = {"the context of a motion callback", {NULL}, false},
};

static uint64_t id_of_pointer(record_writer *w, tact_pointer_kind kind, tact_pointer pointer)
{
    const tact_pointer_map *map = w->pointer_map;
    uint64_t bits = 0, id = 0;
    uint32_t found = 0;
    memcpy(&bits, &pointer, sizeof pointer);
    if (bits == 0)
        return 0;
    if (map != NULL && map->id_of != NULL) {
        id = map->id_of(map->context, kind, pointer);
        if (id == 0)
            (void)tact_writer_fail(w, TACT_BAD_ARGUMENT, "%s has no id in tact_pointer_map", pointer_kinds[kind].name);
    } else if (kind == TACT_POINTER_SUPPORT) {
        (void)tact_writer_fail(w, TACT_BAD_ARGUMENT, "a TACT_CUSTOM shape can only be saved with a tact_pointer_map");
    } else if (tact_pointer_ids_find(&w->ids, kind, bits, &found)) {
        id = found;
    } else if (w->pointer_count < UINT32_MAX &&
               tact_pointer_ids_add(&w->ids, &w->allocator, kind, bits, w->pointer_count + 1)) {
        id = ++w->pointer_count;
    } else {
        (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory for the id of a pointer");
    }
    return id;
}

static tact_pointer pointer_of_id(record_reader *r, tact_pointer_kind kind, uint64_t id)
{
    const tact_pointer_map *map = r->pointer_map;
    tact_pointer pointer = {NULL};
    if (id == 0)
        return pointer;
    if (map == NULL || map->pointer_of == NULL) {
        if (kind == TACT_POINTER_SUPPORT)
            (void)tact_reader_fail(r, TACT_BAD_ARGUMENT,
                                   "a TACT_CUSTOM shape can only be restored with a tact_pointer_map");
        return pointer_kinds[kind].unmapped;
    }
    if (!map->pointer_of(map->context, kind, id, &pointer))
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "tact_pointer_map has no pointer for id %llu, %s",
                               (unsigned long long)id, pointer_kinds[kind].name);
    else if (pointer_kinds[kind].required && pointer.data == NULL)
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "tact_pointer_map gives NULL for id %llu, %s",
                               (unsigned long long)id, pointer_kinds[kind].name);
    return pointer;
}

/* ---- writing ---- */

/* `w` may be NULL if the table has numbers only. */
static unsigned char *store(record_writer *w, unsigned char *to, const void *object, const record_field *fields)
{
    for (const record_field *f = fields; f->encoding != ENCODING_END; ++f) {
        const unsigned char *from = (const unsigned char *)object + f->offset;
        const void *pointed = NULL;
        tact_pointer pointer;
        uint32_t word = 0;
        uint64_t wide;
        switch (f->encoding) {
        case ENCODING_END:
            break;
        case ENCODING_U32:
            for (size_t i = 0; i < f->count; ++i) {
                memcpy(&word, from + 4 * i, 4);
                to = store_le32(to, word);
            }
            break;
        case ENCODING_U64:
            for (size_t i = 0; i < f->count; ++i) {
                memcpy(&wide, from + 8 * i, 8);
                to = store_le64(to, wide);
            }
            break;
        case ENCODING_FLAGS:
            for (size_t i = 0; i < f->count; ++i)
                word |= (uint32_t)((const bool *)from)[i] << i;
            to = store_le32(to, word);
            break;
        case ENCODING_SHAPE:
        case ENCODING_REFITTABLE:
            memcpy(&pointed, from, sizeof pointed);
            to = store_le32(to, tact_writer_shape_id(w, pointed));
            break;
        case ENCODING_ANIMATION:
            memcpy(&pointed, from, sizeof pointed);
            to = store_le32(to, tact_writer_animation_id(w, pointed));
            break;
        case ENCODING_POINTER:
            memcpy(&pointer, from, sizeof pointer);
            to = store_le64(to, id_of_pointer(w, f->kind, pointer));
            break;
        case ENCODING_STRUCT:
            to = store(w, to, from, f->fields);
            break;
        case ENCODING_POINTED:
        case ENCODING_OPTIONAL:
            memcpy(&pointed, from, sizeof pointed);
            assert(f->encoding == ENCODING_OPTIONAL || pointed != NULL); /* the reader expects the fields */
            if (f->encoding == ENCODING_OPTIONAL)
                to = store_le32(to, pointed != NULL);
            if (pointed != NULL)
                to = store(w, to, pointed, f->fields);
            break;
        case ENCODING_WANT: {
            const tact_response *response = (const void *)from;
            to = store_le32(to, (uint32_t)response->want | (response->report_end ? WANT_END : 0u) |
                                    (response->sensor ? WANT_SENSOR : 0u));
            break;
        }
        }
    }
    return to;
}

unsigned char *tact_fields_store(unsigned char *to, const void *object, const record_field *fields)
{
    return store(NULL, to, object, fields);
}

bool tact_writer_put_references(record_writer *w, const void *object, const record_field *fields)
{
    const void *pointed;
    for (const record_field *f = fields; f->encoding != ENCODING_END; ++f) {
        if (f->encoding != ENCODING_SHAPE && f->encoding != ENCODING_ANIMATION)
            continue;
        memcpy(&pointed, (const unsigned char *)object + f->offset, sizeof pointed);
        if (f->encoding == ENCODING_SHAPE ? !tact_writer_put_shape(w, pointed) : !tact_writer_put_animation(w, pointed))
            return false;
    }
    return true;
}

void tact_writer_put(record_writer *w, const void *object, const record_field *fields)
{
    unsigned char *to = tact_writer_reserve(w, 1, fields_size(fields));
    if (to != NULL)
        w->block.count = (size_t)(store(w, to, object, fields) - w->block.items); /* optional structs may be missing */
}

void tact_writer_put_items(record_writer *w, const void *object, const record_column *columns, size_t count)
{
    record_field all[2];
    const bool merged = merge_items(columns, count, all);
    unsigned char *to = tact_writer_reserve(w, count, tact_columns_size(columns));
    for (size_t i = 0; to != NULL && i < (merged && count > 0 ? 1 : count); ++i)
        for (const record_column *c = columns; c->fields != NULL; ++c) {
            const unsigned char *items;
            memcpy(&items, (const unsigned char *)object + c->offset, sizeof items);
            to = store(w, to, items + i * c->item_size, merged ? all : c->fields);
        }
}

/* ---- reading ---- */

static uint32_t get_u32(record_reader *r)
{
    const unsigned char *from = tact_reader_skip(r, 4);
    return from != NULL ? load_le32(from) : 0;
}

static uint64_t get_u64(record_reader *r)
{
    const unsigned char *from = tact_reader_skip(r, 8);
    return from != NULL ? load_le64(from) : 0;
}

/* Rejects a u32 with other bits than those allowed. */
static void check_bits(record_reader *r, const record_field *f, uint32_t word, uint32_t allowed)
{
    if (word & ~allowed)
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "%s has the invalid value %lu", f->name, (unsigned long)word);
}

static const tact_shape *get_shape(record_reader *r, bool refittable)
{
    const uint32_t id = get_u32(r);
    if (refittable) {
        if (id < r->refittable_end)
            (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "shape %lu cannot be the mesh of another body",
                                   (unsigned long)id);
        r->refittable_end = (size_t)id + 1;
    }
    if (id < r->shapes.count)
        return r->shapes.items[id];
    (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "shape %lu is used, but only %zu shapes came before",
                           (unsigned long)id, r->shapes.count);
    return NULL;
}

static const tact_animation *get_animation(record_reader *r)
{
    const uint32_t id = get_u32(r);
    if (id < r->animations.count)
        return r->animations.items[id];
    (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "animation %lu is used, but only %zu animations came before",
                           (unsigned long)id, r->animations.count);
    return NULL;
}

static void load(record_reader *r, void *object, const record_field *fields)
{
    for (const record_field *f = fields; f->encoding != ENCODING_END; ++f) {
        unsigned char *to = (unsigned char *)object + f->offset;
        const unsigned char *from;
        const void *pointed = NULL;
        tact_pointer pointer;
        uint32_t word;
        uint64_t wide;
        switch (f->encoding) {
        case ENCODING_END:
            break;
        case ENCODING_U32:
            from = tact_reader_skip(r, 4 * f->count);
            for (size_t i = 0; i < f->count; ++i) {
                word = from != NULL ? load_le32(from + 4 * i) : 0;
                check_bits(r, f, word, f->allowed);
                memcpy(to + 4 * i, &word, 4);
            }
            break;
        case ENCODING_U64:
            from = tact_reader_skip(r, 8 * f->count);
            for (size_t i = 0; i < f->count; ++i) {
                wide = from != NULL ? load_le64(from + 8 * i) : 0;
                memcpy(to + 8 * i, &wide, 8);
            }
            break;
        case ENCODING_FLAGS:
            word = get_u32(r);
            check_bits(r, f, word, (1u << f->count) - 1u);
            for (size_t i = 0; i < f->count; ++i)
                ((bool *)to)[i] = word >> i & 1u;
            break;
        case ENCODING_SHAPE:
        case ENCODING_REFITTABLE:
            pointed = get_shape(r, f->encoding == ENCODING_REFITTABLE);
            memcpy(to, &pointed, sizeof pointed);
            break;
        case ENCODING_ANIMATION:
            pointed = get_animation(r);
            memcpy(to, &pointed, sizeof pointed);
            break;
        case ENCODING_POINTER:
            pointer = pointer_of_id(r, f->kind, get_u64(r));
            memcpy(to, &pointer, sizeof pointer);
            break;
        case ENCODING_STRUCT:
            load(r, to, f->fields);
            break;
        case ENCODING_POINTED:
        case ENCODING_OPTIONAL:
            word = f->encoding == ENCODING_OPTIONAL ? get_u32(r) : 1u;
            check_bits(r, f, word, 1u);
            if (word == 1u) {
                pointed = (unsigned char *)object + f->storage;
                load(r, (unsigned char *)object + f->storage, f->fields);
            }
            memcpy(to, &pointed, sizeof pointed);
            break;
        case ENCODING_WANT: {
            tact_response *response = (void *)to;
            word = get_u32(r);
            response->want = (tact_want)(word & ~(WANT_END | WANT_SENSOR));
            response->report_end = word & WANT_END;
            response->sensor = word & WANT_SENSOR;
            break;
        }
        }
    }
}

bool tact_reader_get(record_reader *r, void *object, const record_field *fields)
{
    load(r, object, fields);
    return reader_ok(r);
}

bool tact_reader_get_items(record_reader *r, void *object, const record_column *columns, uint64_t count)
{
    record_field all[2];
    if (!tact_reader_has(r, count, tact_columns_size(columns)))
        return false;
    for (const record_column *c = columns; c->fields != NULL; ++c) {
        void *items = tact_reader_allocate(r, (size_t)count, c->item_size);
        if (items == NULL)
            return false;
        memset(items, 0, (size_t)count * c->item_size);
        memcpy((unsigned char *)object + c->offset, &items, sizeof items);
    }
    const bool merged = merge_items(columns, (size_t)count, all);
    for (size_t i = 0; reader_ok(r) && i < (merged && count > 0 ? 1 : count); ++i)
        for (const record_column *c = columns; c->fields != NULL; ++c) {
            unsigned char *items;
            memcpy(&items, (unsigned char *)object + c->offset, sizeof items);
            load(r, items + i * c->item_size, merged ? all : c->fields);
        }
    return reader_ok(r);
}
