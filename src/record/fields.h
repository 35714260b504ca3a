/*
 * Field tables: the encoding of structs as bytes. A table lists the fields of a struct in the order of the format. One
 * function writes all of them, another one reads them. A table ends with a zero entry:
 *
 *     static const record_field filter_fields[] = {FIELD_U64(body_state, category), FIELD_U64(body_state, mask), {0}};
 *     tact_writer_put(writer, &body, filter_fields);
 *     tact_reader_get(reader, &body, filter_fields);
 *
 * A member that consists of several equal numbers (tact_vec3, tact_transform, tact_body, arrays) is one field.
 */
#ifndef TACT_RECORD_FIELDS_H
#define TACT_RECORD_FIELDS_H

#include "record/blocks.h"

typedef enum field_encoding {
    ENCODING_END,        /* the end of the table */
    ENCODING_U32,        /* uint32_t, enum: u32 */
    ENCODING_U64,        /* uint64_t: u64; double: its IEEE 754 bits */
    ENCODING_FLAGS,      /* consecutive bools: the lowest bits of a u32 */
    ENCODING_SHAPE,      /* const tact_shape *: u32, its id */
    ENCODING_REFITTABLE, /* the same, of a refittable mesh: each belongs to one body, and ids ascend */
    ENCODING_ANIMATION,  /* const tact_animation *: u32, its id */
    ENCODING_POINTER,    /* a pointer of the caller: u64, its id; 0 for NULL */
    ENCODING_STRUCT,     /* a struct: its fields */
    ENCODING_POINTED,    /* a pointer to a struct: its fields */
    ENCODING_OPTIONAL,   /* a pointer to a struct: u32 1 and its fields; NULL: u32 0 */
    ENCODING_WANT        /* `want` and `report_end` of a tact_response: u32 */
} field_encoding;

typedef struct record_field {
    field_encoding encoding;
    size_t count;                      /* of numbers or bools */
    size_t offset;                     /* of the member in the struct */
    const char *name;                  /* for error messages */
    uint32_t allowed;                  /* u32: the bits that may be set */
    tact_pointer_kind kind;            /* pointer */
    const struct record_field *fields; /* struct, pointed, optional */
    size_t storage; /* pointed, optional: offset of the memory that the pointer gets when it is read */
} record_field;

/* clang-format off */
#define FIELD_AT(type, member) .offset = offsetof(type, member), .name = #member
#define FIELD_COUNT(type, member, size) .count = sizeof(((type *)0)->member) / (size)

#define FIELD_BITS(type, member, bits) \
    {FIELD_AT(type, member), FIELD_COUNT(type, member, 4), .encoding = ENCODING_U32, .allowed = (bits)}
#define FIELD_U32(type, member) FIELD_BITS(type, member, UINT32_MAX)
#define FIELD_U64(type, member) {FIELD_AT(type, member), FIELD_COUNT(type, member, 8), .encoding = ENCODING_U64}
#define FIELD_F64(type, member) FIELD_U64(type, member)
/* a tact_motion without its pivot */
#define FIELD_MOTION(type, member) {FIELD_AT(type, member), .count = 9, .encoding = ENCODING_U64}
/* for a pointer to numbers instead of a struct */
#define FIELD_U32S(number) {.count = (number), .encoding = ENCODING_U32, .allowed = UINT32_MAX}
#define FIELD_F64S(number) {.count = (number), .encoding = ENCODING_U64}
/* `member` and the bools that follow it, `bools` in all */
#define FIELD_FLAGS(type, member, bools) {FIELD_AT(type, member), .count = (bools), .encoding = ENCODING_FLAGS}
#define FIELD_BOOL(type, member) FIELD_FLAGS(type, member, 1)
#define FIELD_ZERO {.name = "a reserved word", .encoding = ENCODING_FLAGS}
#define FIELD_SHAPE(type, member) {FIELD_AT(type, member), .encoding = ENCODING_SHAPE}
#define FIELD_ANIMATION(type, member) {FIELD_AT(type, member), .encoding = ENCODING_ANIMATION}
#define FIELD_REFITTABLE(type, member) {FIELD_AT(type, member), .encoding = ENCODING_REFITTABLE}
#define FIELD_POINTER(type, member, of_kind) {FIELD_AT(type, member), .encoding = ENCODING_POINTER, .kind = (of_kind)}
#define FIELD_STRUCT(type, member, table) {FIELD_AT(type, member), .encoding = ENCODING_STRUCT, .fields = (table)}
/* clang-format on */

/* Arrays of equal length, encoded item by item: an item is the fields of the first array, then those of the second. A
 * table ends with a zero entry. */
typedef struct record_column {
    size_t offset; /* of the pointer to the items in the struct */
    size_t item_size;
    const record_field *fields; /* of an item; NULL: the end */
} record_column;

extern const record_field tact_response_fields[];    /* tact_response */
extern const record_field tact_motion_plan_fields[]; /* tact_motion_plan, without the motion */
extern const record_field tact_linear_path_fields[]; /* linear_path */
extern const record_field tact_ccd_fields[];         /* tact_ccd */

/* Bytes of an item; optional structs count as present. */
size_t tact_columns_size(const record_column *columns);

/* ---- writing ---- */

/* Stores the fields at `to`, as tact_writer_put does. The table has numbers only. Returns the end. */
unsigned char *tact_fields_store(unsigned char *to, const void *object, const record_field *fields);

/* Writes the blocks of the shapes and animations that the fields refer to, unless they have been written. Before the
 * block is opened. */
bool tact_writer_put_references(record_writer *w, const void *object, const record_field *fields);

/* Appends fields, or `count` items, to the block. */
void tact_writer_put(record_writer *w, const void *object, const record_field *fields);
void tact_writer_put_items(record_writer *w, const void *object, const record_column *columns, size_t count);

/* ---- reading ---- */

/* Reads fields. False if one is invalid. Past the end of the block values are 0 and the result is true: closing the
 * block fails then. */
bool tact_reader_get(record_reader *r, void *object, const record_field *fields);

/* Reads `count` items into temporary arrays. False if there are fewer in the block, one is invalid, or memory is out.
 */
bool tact_reader_get_items(record_reader *r, void *object, const record_column *columns, uint64_t count);

/* Stands for a motion callback that the pointer map does not restore. Does nothing: a replay gets the results from the
 * record. */
void tact_unmapped_motion_callback(void *context, double time, tact_transform *transform, tact_motion_plan *plan);

#endif
