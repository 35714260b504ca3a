/* For how long two shapes that overlap surely go on doing so. */
#ifndef TACT_TOI_OVERLAP_CERTIFICATE_H
#define TACT_TOI_OVERLAP_CERTIFICATE_H

#include <tact/query.h>

/* The signed distance of two placed shapes: apart, their distance. Else minus a way that they surely do not part on: as
 * long as no point of one has moved by more than that past those of the other, in whatever direction and however they
 * turn, they overlap. It is not looked for a longer one than `enough`. */
tact_status tact_shapes_hold(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                             tact_transform transform_b, double enough, double *apart);

/* Two elements of two meshes or convex shapes that hold each other. */
typedef struct hold_witness {
    bool there;
    uint32_t a, b; /* triangles; 0 of a convex shape */
} hold_witness;

/* How the points of the second go past those of the first. */
typedef struct hold_course {
    tact_vec3 velocity; /* all of them; and besides */
    double rest;        /* a speed: each as it likes */
} hold_course;

/* The same, of pairs of elements the one that holds for longest if they go like this, and which that is. It is not
 * looked for one that does so for longer than `enough`, a time. */
tact_status tact_shapes_hold_by(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                tact_transform transform_b, const hold_course *course, double enough, double *apart,
                                hold_witness *witness);

/* For how long these two surely hold each other from where the shapes are now: a time, or 0. */
double tact_witness_time(const hold_witness *witness, const tact_shape *a, const tact_transform *transform_a,
                         const tact_shape *b, const tact_transform *transform_b, const hold_course *course);

#endif
