/* What the files of this library share: the state of a thread. */
#ifndef TACT_SOLID2_STATE_H
#define TACT_SOLID2_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/tact.h>

#include <tact/solid2.h>

/* A vertex of a piece: in the client's array, or one of the shape's own. */
typedef struct corner {
    uint32_t index;
    bool own;
} corner;

/* A shape. Of a complex one also what it was built from, to build it again with other vertices. */
struct DtShape {
    tact_shape *shape; /* NULL while it is under construction, or if that failed */
    bool outdated;     /* its vertices have changed since: see tact_solid_shape */
    const double *base;
    double *vertices,
        *spare; /* as they were last read, the shape's own behind those of the base; and room for the next */
    size_t vertex_count;
    double *own; /* vertices given by value: x, y, z of each */
    size_t own_count, own_room;
    corner *corners; /* piece after piece */
    size_t corner_count, corner_room;
    uint32_t *sizes; /* of the pieces */
    size_t size_count, size_room;
    bool complex;
    bool broken; /* memory ran out while it was built */
};

/* An object. */
typedef struct object_entry {
    DtObjectRef object; /* meaningful if `used` */
    tact_body body;
    struct DtShape *shape; /* which may be deleted: compared, never followed */
    bool used;
} object_entry;

/* A response as the client gave it; kept for as long as the state is, since the world holds its address. */
typedef struct reaction {
    DtResponse response;
    void *client_data;
    struct reaction *next;
} reaction;

typedef struct solid_state {
    tact_world *world;
    struct DtShape *open; /* the complex shape under construction */
    bool in_piece;
    object_entry *objects; /* a hash table, at most half full */
    size_t object_room, object_count;
    DtObjectRef current;
    bool has_current;
    reaction *reactions[64]; /* by hash */
} solid_state;

/* The state of this thread; its world is made when it is first needed, and NULL if there is no memory for it. */
solid_state *tact_solid_state(void);

/* The entry of an object, or NULL. */
object_entry *tact_solid_find(DtObjectRef object);

/* The shape as its vertices are now; NULL if it has none. */
tact_shape *tact_solid_shape(struct DtShape *shape);

/* Makes room for one more item in an array; false when there is no memory. */
bool tact_solid_room(void **items, size_t *room, size_t count, size_t size);

#endif
