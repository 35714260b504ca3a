/* A recorded run of the I-COLLIDE simulation: the transform of every body and the overlapping pairs in every frame. */
#ifndef TACT_BENCH_ICOLLIDE_RUN_H
#define TACT_BENCH_ICOLLIDE_RUN_H

#include "solid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ICOLLIDE_BODIES 20
#define ICOLLIDE_POINTS 20 /* vertices of each body */
#define ICOLLIDE_PAIRS (ICOLLIDE_BODIES * (ICOLLIDE_BODIES - 1) / 2)

typedef struct icollide_setting {
    double density;     /* percent of space filled by bodies */
    double translation; /* percent of the radius per frame */
    double rotation;    /* degrees per frame */
} icollide_setting;

enum { ICOLLIDE_APART, ICOLLIDE_HIT, ICOLLIDE_UNDECIDED }; /* undecided: touching to within rounding error */

typedef struct icollide_run {
    int frames;
    solid bodies[ICOLLIDE_BODIES];
    tact_transform (*at)[ICOLLIDE_BODIES];     /* [frame][body] */
    unsigned char (*expected)[ICOLLIDE_PAIRS]; /* [frame][pair], pairs in the order (0 1) (0 2) ... (1 2) ... */
    long hits;                                 /* overlapping pairs, over all frames */
    long checked;                              /* decisions compared with brute force over all axes */
    long disputed;                             /* of those, decisions that differ; must be 0 */
} icollide_run;

bool tact_icollide_record(icollide_run *run, icollide_setting setting, int frames, uint64_t seed);
void tact_icollide_release(icollide_run *run);

#ifdef __cplusplus
}
#endif

#endif
