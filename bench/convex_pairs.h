/* The pairs of the race of convex pairs: two solids, their transforms, and their true distance. */
#ifndef TACT_BENCH_CONVEX_PAIRS_H
#define TACT_BENCH_CONVEX_PAIRS_H

#include "solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pair_class { PAIRS_BOX_BOX, PAIRS_SPHERE_CAPSULE, PAIRS_HULL20, PAIRS_HULL200, PAIR_CLASSES } pair_class;
typedef enum pair_situation { PAIRS_APART, PAIRS_NEAR, PAIRS_OVERLAP, PAIR_SITUATIONS } pair_situation;

extern const char *const tact_pair_class_names[PAIR_CLASSES];
extern const char *const tact_pair_situation_names[PAIR_SITUATIONS];

/* Largest number of distinct solids per side, used by the races: many shapes, each shared by many pairs, as in real
 * use. */
#define PAIR_SOLIDS 64

typedef struct convex_pair {
    int a, b;   /* indices into the solids of the set */
    double gap; /* positive: the distance, to about 1e-15; negative: overlap, and moving B by -gap along its normal
                   makes them touch */
    tact_transform transform_a; /* rigid */
    tact_transform transform_b;
} convex_pair;

typedef struct convex_pair_set {
    pair_class class_of;
    int points;      /* of a hull */
    int side;        /* distinct solids per side: A's are 0 to side - 1, B's the rest */
    int solid_count; /* created so far; 2 side when complete */
    solid solids[2 * PAIR_SOLIDS];
    int count;                           /* pairs in each situation */
    convex_pair *pairs[PAIR_SITUATIONS]; /* the same pairs, moved along their normals */
} convex_pair_set;

/* Creates `count` pairs. Returns false if memory runs out. */
bool tact_pairs_create(convex_pair_set *set, pair_class class_of, int count, uint64_t seed);
/* The same with hulls of `points` vertices, `side` <= PAIR_SOLIDS distinct ones per side. */
bool tact_pairs_create_hulls(convex_pair_set *set, int points, int side, int count, uint64_t seed);
void tact_pairs_release(convex_pair_set *set);

#ifdef __cplusplus
}
#endif

#endif
