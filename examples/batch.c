/* A batch: arrays in, arrays out, all cores, bit-identical for any number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

#define PAIRS 10000

int main(void)
{
    tact_shape *drum = tact_cylinder(1.0, 2.0);
    tact_shape *crate = tact_box(2.0, 1.0, 3.0);
    tact_pair *pairs = calloc(PAIRS, sizeof *pairs);
    tact_penetration *all = calloc(PAIRS, sizeof *all), *one = calloc(PAIRS, sizeof *one);
    int status = 1;
    if (drum && crate && pairs && all && one) {
        for (int i = 0; i < PAIRS; i++) {
            double turn = 0.01 * i;
            tact_vec3 where = tact_vec(2.5 * cos(turn), 1.5 * sin(3.0 * turn), 0.5);
            tact_quat tilt = tact_quat_from_axis_angle(tact_vec(1, 2, 3), turn);
            pairs[i] = (tact_pair){drum, crate, tact_at(0, 0, 0), tact_transform_make(where, tilt, tact_vec(1, 1, 1))};
        }
        tact_parallel alone = {.threads = 1};
        if (tact_penetration_batch(pairs, PAIRS, all, NULL) == TACT_OK &&
            tact_penetration_batch(pairs, PAIRS, one, &alone) == TACT_OK) {
            int overlapping = 0, same = 0;
            for (int i = 0; i < PAIRS; i++) {
                overlapping += all[i].depth > 0.0;
                same += all[i].status == TACT_OK && all[i].depth == one[i].depth;
            }
            printf("%d of %d pairs overlap; %d results are identical on all cores and on one\n", overlapping, PAIRS,
                   same);
            status = same == PAIRS ? 0 : 1;
        }
    }
    free(one);
    free(all);
    free(pairs);
    tact_shape_release(crate);
    tact_shape_release(drum);
    return status;
}
