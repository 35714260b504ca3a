/*
 * Numbers for pointers. When writing: a table from shapes, and from the caller's pointers if they have no names, to
 * numbers in the order of first meeting. When reading: from numbers to shapes, and to pointers through the names.
 */
#ifndef TACT_RECORD_NUMBERS_H
#define TACT_RECORD_NUMBERS_H

#include <tact/record.h>

#include "record/bytes.h"

ARRAY_OF(shape_array, tact_shape *);

/* ---- writing ---- */

typedef struct number_entry {
    uint64_t pointer; /* its bits */
    uint32_t kind;    /* 0: empty */
    uint32_t number;
} number_entry;

/* Open addressing, at most half full. */
typedef struct number_table {
    number_entry *entries;
    size_t size; /* a power of two, or 0 */
    size_t count;
} number_table;

#define KIND_SHAPE 100u /* beside the tact_pointer_kinds */

/* The number of a pointer of a kind, false if it has none yet. */
bool tact_number_find(const number_table *table, uint32_t kind, uint64_t pointer, uint32_t *number);

/* Gives it one. False when memory has run out. */
bool tact_number_add(number_table *table, const tact_allocator *allocator, uint32_t kind, uint64_t pointer,
                     uint32_t number);

void tact_number_table_release(number_table *table, const tact_allocator *allocator);

/* What a writer knows of pointers. */
typedef struct scribe {
    writer out;
    const tact_pointer_map *names; /* NULL: none */
    number_table numbers;
    uint32_t pointer_count; /* numbers given to pointers */
    shape_array shapes;     /* written, a reference each: no other shape can come to be at their places */
} scribe;

void tact_scribe_begin(scribe *s, tact_sink sink, const tact_record_def *def);
void tact_scribe_release(scribe *s);

void tact_put_data(scribe *s, tact_pointer_kind kind, void *pointer);
void tact_put_respond(scribe *s, tact_contact_callback *pointer);
void tact_put_support(scribe *s, tact_support_callback *pointer);
void tact_put_response(scribe *s, const tact_response *response);
void tact_put_course(scribe *s, const tact_motion_plan *course); /* but for the motion */

/* Writes a shape and what it is made of, a block each, unless they have been written; gives its number. */
bool tact_scribe_shape(scribe *s, const tact_shape *shape, uint32_t *number);

/* Writes a mesh or soup that is a deformable body's own, and so may be another one the next time. */
bool tact_scribe_twin(scribe *s, const tact_shape *twin, uint32_t *number);

/* ---- reading ---- */

typedef struct library {
    reader in;
    const tact_pointer_map *names; /* NULL: none */
    tact_allocator allocator;
    shape_array shapes; /* by number, a reference each */
    size_t twin_end;    /* no shape before this one can be a twin any more */
} library;

/* Begins to read; false if the head is none. To be released in either case. */
bool tact_library_begin(library *l, const void *bytes, size_t size, const tact_record_def *def);
void tact_library_release(library *l);

void *tact_get_data(library *l, tact_pointer_kind kind);
tact_response tact_get_response(library *l);
tact_motion_plan tact_get_course(library *l);

/* A guide without a name, while a record is replayed, which answers in its stead. */
void tact_guide_nowhere(void *context, double time, tact_transform *place, tact_motion_plan *course);

/* Reads a number of a shape, and gives the shape (borrowed); NULL if there is none, which is noted. */
const tact_shape *tact_get_shape(library *l);

/* Likewise of a twin, which is of a higher number than those before: each is made for one body, and takes memory there.
 */
const tact_shape *tact_get_twin(library *l);

/* Reads a block that is a shape, and keeps it. */
bool tact_library_shape(library *l);

/* Reads a support function of a shape of the caller's own. */
bool tact_get_support(library *l, tact_support_callback **support, void **context);

#endif
