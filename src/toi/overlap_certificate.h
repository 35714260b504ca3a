/*
 * Overlap certificates: for how long two shapes that overlap are certain to keep overlapping.
 *
 * A certificate holds for every motion within a bound, so it needs no knowledge of the motion itself. Cost: the
 * penetration depth of a few pairs of primitives. Transforms are not yet checked.
 */
#ifndef TACT_TOI_OVERLAP_CERTIFICATE_H
#define TACT_TOI_OVERLAP_CERTIFICATE_H

#include <tact/query.h>

/* Two overlapping primitives of two meshes or convex shapes. */
typedef struct overlap_certificate {
    bool valid;    /* false: no pair of primitives, or one inside a compound */
    uint32_t a, b; /* triangle numbers; 0 for a convex shape */
} overlap_certificate;

/* A bound on how points of the second shape move relative to those of the first. */
typedef struct relative_motion {
    tact_vec3 velocity;     /* common to all points */
    double deviation_speed; /* each point may deviate from it by this speed */
} relative_motion;

/* The certified separation of two shapes. Positive: their distance. Negative: the shapes overlap as long as no point of
 * one has moved by more than minus the separation relative to the points of the other, however they turn. 0: nothing is
 * certain. The search ends once it has certified `enough`, a length. */
tact_status tact_certified_separation(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                      tact_transform transform_b, double enough, double *separation);

/* The same, with the pair of primitives that overlaps for the longest time under `motion`. Here `enough` is a time. */
tact_status tact_certified_separation_of(const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                                         tact_transform transform_b, const relative_motion *motion, double enough,
                                         double *separation, overlap_certificate *certificate);

/* The time for which the primitives of a certificate are certain to overlap from these transforms on; 0: none. */
double tact_overlap_certificate_time(const overlap_certificate *certificate, const tact_shape *a,
                                     const tact_transform *transform_a, const tact_shape *b,
                                     const tact_transform *transform_b, const relative_motion *motion);

#endif
