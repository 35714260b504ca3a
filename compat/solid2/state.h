/* The state of a thread, shared by the files of this library. */
#ifndef TACT_SOLID2_STATE_H
#define TACT_SOLID2_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/tact.h>

#include <tact/solid2.h>

/* A vertex of a convex part: in the client's array, or given by value. */
typedef struct part_vertex {
    uint32_t index;
    bool own;
} part_vertex;

/* A shape. A complex shape stores its definition, to be built again with other vertices. */
struct DtShape {
    tact_shape *shape; /* NULL during construction, or if that failed */
    bool outdated;     /* its vertices have changed: see tact_solid_shape */
    const double *base;
    double *vertices,
        *spare; /* as last read, those given by value after those of the base; and a second array for the next read */
    size_t vertex_count;
    double *own; /* vertices given by value: x, y, z each */
    size_t own_count, own_capacity;
    part_vertex *part_vertices; /* part by part */
    size_t part_vertex_count, part_vertex_capacity;
    uint32_t *sizes; /* of the convex parts */
    size_t size_count, size_capacity;
    bool complex;
    bool failed; /* out of memory during construction */
};

/* An object. */
typedef struct object_entry {
    DtObjectRef object; /* valid if `used` */
    tact_body body;
    struct DtShape *shape; /* may be deleted: only compared, never dereferenced */
    bool used;
} object_entry;

/* A response of the client; lives as long as the state, since the world stores its address. */
typedef struct stored_response {
    DtResponse response;
    void *client_data;
    struct stored_response *next;
} stored_response;

typedef struct solid_state {
    tact_world *world;
    struct DtShape *open; /* the complex shape under construction */
    bool in_part;
    object_entry *objects; /* hash table, load factor at most 1/2 */
    size_t object_capacity, object_count;
    DtObjectRef current;
    bool has_current;
    stored_response *stored_responses[64]; /* by hash */
} solid_state;

/* The state of this thread. The first call creates its world, which is NULL if memory runs out. */
solid_state *tact_solid_state(void);

/* The entry of an object, or NULL. */
object_entry *tact_solid_find(DtObjectRef object);

/* The shape with its current vertices; NULL if there is none. */
tact_shape *tact_solid_shape(struct DtShape *shape);

/* Grows an array for one more item. Returns false if memory runs out. */
bool tact_solid_reserve(void **items, size_t *capacity, size_t count, size_t size);

#endif
