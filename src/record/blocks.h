/*
 * Blocks: the framing of saved worlds and records (docs/record.md). record_writer writes blocks to a sink,
 * record_reader reads them from memory.
 *
 * A file header is followed by blocks. A block is a type (u32), the length of its contents (u64), the contents, and a
 * hash (u64) of all that. The hash is seeded with the hash of the block before, so a block cannot be changed, removed,
 * repeated or moved without notice. Numbers are little endian; doubles are their IEEE 754 bits.
 *
 * The writer collects a block in memory and passes it to the sink with one call. The reader checks the hash before it
 * reads the contents, and never reads past the end of a block: values past the end are 0, and closing the block then
 * fails. Writer and reader store the first error; after an error the writer writes nothing.
 */
#ifndef TACT_RECORD_BLOCKS_H
#define TACT_RECORD_BLOCKS_H

#include <tact/animation.h>
#include <tact/record.h>

#include "core/array.h"
#include "core/report.h"
#include "record/pointer_ids.h"
#include "record/record_constants.h"

/* Types of blocks. The numbers are part of the format and never reused. */
enum {
    BLOCK_SHAPE = 1,            /* a shape; its id is the number of shapes before it */
    BLOCK_WORLD = 2,            /* settings of the world */
    BLOCK_BODY = 3,             /* a body */
    BLOCK_UNUSED = 4,           /* free body indices */
    BLOCK_REMOVED = 5,          /* body indices that are free after the next test */
    BLOCK_CLASS = 6,            /* the response of a class or of two classes */
    BLOCK_PAIR = 7,             /* the response of a pair of bodies */
    BLOCK_AXES = 8,             /* cached separating axes of pairs */
    BLOCK_STATE = 9,            /* the world is complete */
    BLOCK_CONTACT = 10,         /* a contact callback was called */
    BLOCK_END = 11,             /* the end of the file */
    BLOCK_TIME = 12,            /* continuous time: the world */
    BLOCK_BODY_TIME = 13,       /* continuous time: the body before */
    BLOCK_TOUCHES = 14,         /* continuous time: pairs that have touched */
    BLOCK_ANIMATION = 15,       /* an animation; its id is the number of animations before it */
    BLOCK_VERTEX_PLAN = 16,     /* continuous time: the motion of the vertices of the body before */
    BLOCK_DEFORMING_PAIR = 17,  /* continuous time: the contacts of a pair with moving vertices */
    BLOCK_SURFACE = 18,         /* continuous time: the triangles of the body before, whose control points move */
    BLOCK_CONTACT_GRAPH = 19,   /* continuous time: persistent contacts as a whole */
    BLOCK_CONTACTS = 20,        /* continuous time: each persistent contact */
    BLOCK_PREDICTIONS = 21,     /* continuous time: predictions as a whole */
    BLOCK_PREDICTED_BODY = 22,  /* continuous time: the bound, event and neighbours of a body */
    BLOCK_PREDICTED_PAIRS = 23, /* continuous time: predictions of pairs */
    BLOCK_REPORTED = 24,        /* pairs that the last test reported */
    BLOCK_CALL = 32             /* + world_call_type: a call */
};

/* Since this version of the format there are persistent contacts, densities and materials. */
enum { CONTACT_VERSION = 3 };

ARRAY_OF(byte_array, unsigned char);
ARRAY_OF(shape_array, tact_shape *);
ARRAY_OF(animation_array, tact_animation *);

/* ---- writing ---- */

typedef struct record_writer {
    tact_sink sink;
    tact_allocator allocator;
    byte_array block; /* the current block */
    uint64_t hash;    /* of the last block */
    tact_report error;
    const tact_pointer_map *pointer_map; /* NULL: none */
    pointer_ids ids;                     /* of shapes, animations and, without a map, of the caller's pointers */
    uint32_t pointer_count;              /* the caller's pointers in `ids` */
    /* Shapes by id, with a reference each, so that no other shape gets the address of one. NULL for a refittable mesh.
     */
    shape_array shapes;
    animation_array animations; /* likewise */
    /* The two refittable meshes of the body that is being written. They are not in `ids`, because they change. */
    const tact_shape *refittable[2];
    uint32_t refittable_ids[2];
} record_writer;

/* Writes the file header. `def` may be NULL. To be released also after a failure. */
void tact_writer_begin(record_writer *w, tact_sink sink, const tact_record_def *def);
void tact_writer_release(record_writer *w);

static inline bool writer_ok(const record_writer *w) { return w->error.status == TACT_OK; }

/* Stores an error unless there is one. Returns false. */
bool tact_writer_fail(record_writer *w, tact_status status, const char *format, ...) TACT_PRINTF(3, 4);

/* Begins a block; ends it and passes it to the sink. */
void tact_writer_open(record_writer *w, uint32_t type);
void tact_writer_close(record_writer *w);

/* Appends `count` times `size` uninitialised bytes to the block. NULL after an error. */
unsigned char *tact_writer_reserve(record_writer *w, size_t count, size_t size);

/* ---- reading ---- */

typedef struct record_reader {
    const unsigned char *bytes;
    size_t size;
    uint32_t version;     /* of the format */
    uint64_t hash;        /* of the last block */
    uint32_t type;        /* of the current block */
    bool open;            /* there is a current block */
    size_t begin;         /* of the current block */
    size_t position, end; /* of the contents that have not been read */
    size_t next;          /* begin of the next block */
    bool overrun;         /* something past the end of the block was read */
    bool truncated;       /* the error is that the bytes end too early */
    tact_report error;
    tact_allocator allocator;
    const tact_pointer_map *pointer_map; /* NULL: none */
    shape_array shapes;                  /* by id, with a reference each */
    animation_array animations;          /* likewise */
    size_t refittable_end;               /* lower ids are not those of refittable meshes of the next body */
    struct {
        void *items;
        size_t size;
    } arrays[READER_MAX_ARRAYS];
    int array_count;
} record_reader;

/* Reads the file header. False if it is invalid. `def` may be NULL. To be released in either case. */
bool tact_reader_begin(record_reader *r, const void *bytes, size_t size, const tact_record_def *def);
void tact_reader_release(record_reader *r);

static inline bool reader_ok(const record_reader *r) { return r->error.status == TACT_OK; }

/* Stores an error with the position of the block, unless there is one. Returns false. */
bool tact_reader_fail(record_reader *r, tact_status status, const char *format, ...) TACT_PRINTF(3, 4);

/* Opens the next block, unless one is open, and checks its hash. */
bool tact_reader_peek(record_reader *r);

/* Closes the block. False unless exactly its contents were read. */
bool tact_reader_close(record_reader *r);

/* Closes the last block. False if bytes follow. */
bool tact_reader_finish(record_reader *r);

/* Fails unless `count` items of `size` bytes are left in the block. Called before memory is allocated for them. */
bool tact_reader_has(record_reader *r, uint64_t count, size_t size);

/* The next `size` bytes of the block; NULL if there are fewer. */
const unsigned char *tact_reader_skip(record_reader *r, size_t size);

/* Allocates a temporary array, also for no items. NULL if memory is out. */
void *tact_reader_allocate(record_reader *r, size_t count, size_t size);

/* Frees all temporary arrays. */
void tact_reader_free_arrays(record_reader *r);

#endif
