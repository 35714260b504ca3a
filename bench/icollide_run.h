/* One run of I-COLLIDE's simulation, recorded: where every body is in every frame, and which pairs truly touch. */
#ifndef TACT_BENCH_ICOLLIDE_RUN_H
#define TACT_BENCH_ICOLLIDE_RUN_H

#include "solid.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ICOLLIDE_BODIES 20
#define ICOLLIDE_POINTS 20 /* corners of each body */
#define ICOLLIDE_PAIRS (ICOLLIDE_BODIES * (ICOLLIDE_BODIES - 1) / 2)

typedef struct icollide_setting {
    double density;     /* percent of the space that the bodies fill */
    double translation; /* percent of the radius a frame */
    double rotation;    /* degrees a frame */
} icollide_setting;

enum { ICOLLIDE_APART, ICOLLIDE_HIT, ICOLLIDE_UNDECIDED }; /* the last: within rounding of just touching */

typedef struct icollide_run {
    int frames;
    solid bodies[ICOLLIDE_BODIES];
    tact_transform (*at)[ICOLLIDE_BODIES];     /* [frame][body] */
    unsigned char (*expected)[ICOLLIDE_PAIRS]; /* [frame][pair], pairs in the order (0 1) (0 2) ... (1 2) ... */
    long hits;                                 /* pairs that touch, over all frames */
    long checked;                              /* verdicts that were compared with brute force over all axes */
    long disputed;                             /* of those, how many differed: 0 or the judge is wrong */
} icollide_run;

bool tact_icollide_record(icollide_run *run, icollide_setting setting, int frames, uint64_t seed);
void tact_icollide_release(icollide_run *run);

#ifdef __cplusplus
}
#endif

#endif
