/* Two random shapes, placed at random so that they are apart, touching or overlapping in all configurations that tend
 * to fail. */
#ifndef TACT_ORACLE_SCENE_H
#define TACT_ORACLE_SCENE_H

#include <stdint.h>

#include "oracle.h"
#include "recipe.h"

/* What a case is; it may be several at once. */
typedef enum scene_kind {
    SCENE_SEPARATED,  /* apart by more than the band */
    SCENE_TOUCHING,   /* within 1e-9 L of just touching */
    SCENE_DEEP,       /* overlapping by more than that */
    SCENE_FLAT,       /* one was squashed along an axis to 1e-2 or less, down to 1e-6 */
    SCENE_NEEDLE,     /* one was squashed along two */
    SCENE_HUGE_RATIO, /* one is at least 1000 times larger than the other */
    SCENE_MIRRORED,   /* a transform mirrors */
    SCENE_ALIGNED,    /* the same rotation for both, or none: parallel faces and edges */
    SCENE_CENTRED,    /* the same origin */
    SCENE_FAR,        /* L is at least 100 times the size of both */
    SCENE_MARGIN,     /* one has a margin */
    SCENE_KINDS
} scene_kind;

extern const char *const scene_kind_names[SCENE_KINDS];

typedef struct scene {
    recipe a, b;
    tact_transform transform_a, transform_b;
    oracle_body body_a, body_b;
    oracle_gap gap;     /* of the bodies without margins */
    real margins;       /* sum of both */
    real largest;       /* L: the largest absolute transformed coordinate of either */
    uint32_t kinds;     /* bit k for scene_kind k */
    bool overlap_known; /* the depth below is exact (polytopes, or cores that are apart) */
    real depth;         /* positive: overlap, margins included; negative: minus the distance */
    real depth_slack;   /* how far the oracle's depth may be from the truth */
} scene;

/* The case with that number for the ordered pair of types. */
void scene_make(scene *s, tact_shape_type a, tact_shape_type b, uint64_t seed, uint64_t index);

/* Finds the truth about the bodies of the scene: gap, depth, largest, and the kinds that depend on them. */
void scene_solve(scene *s);

/* A random rotation as three axes. */
void scene_roll_rotation(dice *d, double axes[3][3]);

#endif
