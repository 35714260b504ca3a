/*
 * The scenes of the contact race: bodies under gravity that stand, fall or pile up. Plain data, converted for each
 * engine before the clock starts. The frame of a body has its origin at the centre of mass and its axes along the
 * principal axes of inertia, because Bullet requires it.
 */
#ifndef TACT_BENCH_CONTACT_SCENE_H
#define TACT_BENCH_CONTACT_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/motion.h>
#include <tact/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTACT_GRAVITY 9.81 /* along -y */
#define CONTACT_HERTZ 60

typedef enum contact_shape_kind {
    CONTACT_SPHERE,
    CONTACT_BOX,
    CONTACT_CAPSULE,
    CONTACT_HULL,
    CONTACT_MESH
} contact_shape_kind;

/* The shape of one body. */
typedef struct contact_shape {
    contact_shape_kind kind;
    double radius;       /* sphere, capsule */
    double height;       /* capsule: of the segment, along y */
    tact_vec3 size;      /* box: full extents */
    int vertex_count;    /* hull, mesh */
    tact_vec3 *vertices; /* hull, mesh */
    int face_count;      /* mesh */
    int (*faces)[3];     /* mesh: counter-clockwise seen from above */
    tact_shape *shape;   /* the same shape for Tact */
    double extent;       /* half the longest side of its box in its own frame: the unit of overlaps */
} contact_shape;

typedef struct contact_body {
    contact_shape shape;
    tact_transform transform; /* at the start; rigid */
    tact_vec3 velocity;       /* of the centre of mass at the start */
    tact_vec3 spin;           /* angular velocity at the start */
    double mass;              /* 0: the body is fixed */
    tact_vec3 moments;        /* of inertia, about the axes of the frame */
} contact_body;

/* What a scene must do. */
typedef enum contact_goal {
    CONTACT_STANDS,   /* no body moves far: a structure in equilibrium */
    CONTACT_TOPPLES,  /* every body falls over */
    CONTACT_CONTAINED /* every body stays within the walls and above the floor */
} contact_goal;

typedef enum contact_scene_kind {
    CONTACT_STACK,    /* unit boxes on each other */
    CONTACT_PYRAMID,  /* unit boxes; the size is the length of the lowest row */
    CONTACT_DOMINOES, /* a row of dominoes, the first of them pushed */
    CONTACT_CARDS,    /* a house of cards of two storeys; the size is ignored */
    CONTACT_ARCH,     /* a semicircle of wedges between fixed abutments */
    CONTACT_SILO,     /* spheres that fall into a shaft */
    CONTACT_POUR,     /* spheres, boxes, capsules and hulls that fall into a shaft */
    CONTACT_TERRAIN   /* boxes that fall on a flat mesh of 180,000 triangles */
} contact_scene_kind;

typedef struct contact_scene {
    contact_goal goal;
    double seconds;
    double friction;
    double half_width; /* CONTACT_CONTAINED: centres of mass stay within +-half_width along x and z */
    int body_count;
    int capacity;
    bool failed; /* memory ran out */
    contact_body *bodies;
} contact_scene;

/* Creates a scene of `size` bodies, besides fixed ones and with the exceptions stated above. Returns false if memory
 * runs out. */
bool tact_contact_scene_create(contact_scene *s, contact_scene_kind kind, int size, uint64_t seed);
void tact_contact_scene_release(contact_scene *s);

/* The state of a body at some time. */
typedef struct contact_state {
    tact_transform transform;
    tact_vec3 velocity; /* of the centre of mass */
    tact_vec3 spin;
} contact_state;

/* Kinetic energy, and potential energy above y = 0, of all bodies. */
double tact_contact_energy(const contact_scene *s, const contact_state *states);

/* The deepest overlap of two bodies. */
typedef struct contact_overlap {
    double relative; /* depth over the extent of the smaller body; 0: no overlap */
    int a, b;        /* the bodies */
    bool failed;     /* a depth could not be computed, or memory ran out */
} contact_overlap;

/* Measures all pairs of which a body is not fixed, with tact_shapes_penetration. */
contact_overlap tact_contact_overlap(const contact_scene *s, const contact_state *states);

/* Returns the number of bodies for which the goal is not met. */
int tact_contact_misses(const contact_scene *s, const contact_state *states);

/* An engine that runs a scene. */
typedef struct contact_runner {
    const char *name;
    void *(*create)(const contact_scene *s);           /* NULL if memory runs out */
    bool (*step)(void *engine);                        /* timed: advances by one frame; false: the engine failed */
    void (*read)(void *engine, contact_state *states); /* of all bodies */
    void (*finish)(void *engine);
} contact_runner;

#ifdef TACT_HAVE_BULLET
extern const contact_runner tact_contact_bullet;   /* one step per frame */
extern const contact_runner tact_contact_bullet_4; /* four steps per frame */
#endif

#ifdef __cplusplus
}
#endif

#endif
