/*
 * Random small animations, most of them degenerate, for tests of whole animations: 4 to 30 triangles, 2 to 6 key-frame
 * intervals. A type and a number always give the same case. Bodies follow key frames, then changes replace the motion
 * of some vertices. The pieces that result are in `animation`, for oracle/animation_events.h.
 */
#ifndef TACT_ORACLE_ANIMATION_CASES_H
#define TACT_ORACLE_ANIMATION_CASES_H

#include "oracle/animation_events.h"

typedef enum animation_case_type {
    ANIMATION_DEFORMING,      /* heavy deformation, coordinates and times with all digits */
    ANIMATION_GRID,           /* whole coordinates from -3 to 3, often mirrored: symmetric and degenerate */
    ANIMATION_STILL,          /* bodies that move among bodies that do not */
    ANIMATION_SIMULTANEOUS,   /* copies of one scene side by side: equal times of events */
    ANIMATION_KEY_AT_CONTACT, /* contacts begin exactly at key frames, where the motion turns back or goes on */
    ANIMATION_RESTING,        /* bodies come to rest on others and stay for several intervals */
    ANIMATION_SLIDING,        /* bodies slide on others, across several intervals */
    ANIMATION_DUPLICATED,     /* some key frames are equal to those before */
    ANIMATION_LOOP,           /* key frames are repeated; the last equals the first */
    ANIMATION_LOOP_JUMP,      /* key frames are repeated; the last does not equal the first: a jump */
    ANIMATION_KEY_TIMES,      /* other key times for each body */
    ANIMATION_CHANGE_VERTEX,  /* the motion of one vertex changes in the middle of an interval */
    ANIMATION_CHANGE_RANGE,   /* of a range of vertices */
    ANIMATION_CHANGE_ALL,     /* of all vertices */
    ANIMATION_CASE_TYPES,
    /* faces are removed, added, changed and torn apart on the way: besides the others */
    ANIMATION_TEARING = ANIMATION_CASE_TYPES,
    ANIMATION_TEARING_AT_KEYS, /* at key frames, where other contacts begin */
    ANIMATION_ALL_CASE_TYPES
} animation_case_type;

extern const char *const animation_case_names[ANIMATION_ALL_CASE_TYPES];

enum {
    ANIMATION_MAX_KEYS = 8,
    ANIMATION_MAX_BODIES = 8,
    ANIMATION_MAX_CHANGES = 4,
    ANIMATION_MAX_VERTICES = 128,
    ANIMATION_MAX_TRIANGLES = 72,
    ANIMATION_MAX_EDGES = 8,
    ANIMATION_MAX_TEARS = 4,
    ANIMATION_MAX_TORN_FACES = 6
};

/* After its last key frame a body is still, or starts again with the first one at the time of the last one, as often as
 * the animation lasts. */
typedef struct animation_body {
    uint32_t first_vertex, vertex_count;
    int key_count;
    double key_times[ANIMATION_MAX_KEYS]; /* ascending; the first is 0 */
    tact_vec3 keys[ANIMATION_MAX_KEYS][ANIMATION_MAX_VERTICES];
    bool loops;
    uint32_t spare_count; /* the last vertices do not exist until a tear adds them */
} animation_body;

/* At `time`, some vertices leave their motion where they are (linear_path_at: rounded, so they may jump by a rounding).
 * Either they move with given velocities until the end or the next change, or straight to targets, where they stay. */
typedef struct animation_change {
    double time;
    uint32_t first_vertex, vertex_count;
    bool has_velocity;
    double target_time;                         /* if not has_velocity: after `time` */
    tact_vec3 value[ANIMATION_MAX_VERTICES];    /* velocity or target, of first_vertex and on */
    tact_vec3 position[ANIMATION_MAX_VERTICES]; /* where they leave */
} animation_change;

/* At `time`, faces of a body change. First a vertex may be added: at rest until then, then with a velocity. */
typedef struct animation_tear {
    double time;
    int body;
    bool adds_vertex;
    uint32_t added, copied;       /* vertices; the added one begins where the copied one is then, rounded */
    tact_vec3 position, velocity; /* of the added vertex */
    int face_count;
    uint32_t faces[ANIMATION_MAX_TORN_FACES];      /* by number in the body */
    uint32_t indices[ANIMATION_MAX_TORN_FACES][3]; /* vertices; UINT32_MAX as the first: the face is removed */
} animation_tear;

typedef struct animation_case {
    double end; /* begins at 0 */
    int body_count;
    animation_body bodies[ANIMATION_MAX_BODIES];
    int change_count; /* in the order of time */
    animation_change changes[ANIMATION_MAX_CHANGES];
    int tear_count; /* in the order of time; before changes at the same time */
    animation_tear tears[ANIMATION_MAX_TEARS];
    uint32_t triangles[ANIMATION_MAX_TRIANGLES][3]; /* those that exist at first, then those of tears */
    brute_life lives[ANIMATION_MAX_TRIANGLES];
    size_t first_triangle_count; /* that exist at first */
    uint32_t edges[ANIMATION_MAX_EDGES][2];
    uint32_t points[ANIMATION_MAX_EDGES];
    brute_part parts[ANIMATION_MAX_BODIES]; /* one for each body */
    brute_animation animation;              /* points to the arrays above and to pieces of its own */
} animation_case;

/* To be freed with animation_case_free. */
animation_case *animation_case_make(animation_case_type type, uint64_t number);
void animation_case_free(animation_case *made);

#endif
