/*
 * Time of impact of two rigid shapes in motion: the entry points of this room.
 *
 * They answer one geometric question: when do two moving shapes first come into contact, or, if they start in
 * contact, when do they penetrate deeper than allowed? Every length that decides is an input. What a caller makes of
 * the start (resting, overlapping, separated) is the caller's policy.
 */
#ifndef TACT_TOI_TOI_H
#define TACT_TOI_TOI_H

#include <tact/query.h>

typedef struct toi_input {
    const tact_shape *shape[2];
    tact_transform transform[2]; /* at time 0 */
    tact_motion motion[2];
    double end;       /* time: search [0, end]; finite, not negative */
    double tolerance; /* length; 0: the default of tact_toi_def */

    /* A unit vector from A to B along which the shapes may be separated, or leave contact, at time 0; zero: unknown. If
     * they are, no other direction is searched at the start. */
    tact_vec3 normal_hint;

    /* Length: the shapes are in contact while they are no farther apart than this, and no deeper. Below the tolerance:
     * the tolerance. */
    double contact_band;

    /* A depth >= 0 at which shapes still count as in contact, besides the band. The search uses the smallest of this,
     * the depth at the start, and max_depth. */
    double allowed_depth;

    /* Length: greater depths at the start need not be measured. Positive: the depth of meshes is that of the deepest
     * pair of primitives, since bodies that enclose each other are deep as a whole. */
    double max_depth;

    /* A start in contact is no hit, even if the shapes are closing; a hit is then the time at which they are first
     * found deeper than the band, by at most half a band. False: a start in contact is a hit if the shapes are closing;
     * deeper contact later is a hit at the last time at which they were within the band. */
    bool ignore_initial_contact;

    /* Steps while in contact before the search ends with TACT_NOT_CONVERGED; 0: the default. */
    int max_contact_steps;
} toi_input;

/* The relation of the shapes at time 0. */
typedef enum toi_start {
    TOI_START_UNKNOWN,   /* not determined: the search failed, or took a path that does not need it */
    TOI_START_SEPARATED, /* farther apart than the band */
    TOI_START_LEAVING,   /* in contact; they separate along the normal hint, and `separation` is measured along it */
    TOI_START_CONTACT    /* within the band, or deeper; `separation` is the signed distance */
} toi_start;

typedef struct toi_output {
    tact_toi toi;
    toi_start start;
    double separation; /* at time 0, of TOI_START_LEAVING and TOI_START_CONTACT; negative: penetration */
    double band;       /* the contact band at time 0: that of the input, or what rounding permits */
} toi_output;

/* The depth that the search allows, besides the band, to shapes with this signed distance at the start. */
double tact_toi_allowed_depth(const toi_input *input, double separation);

/* The first time of impact of two convex shapes (contact_following.c), and of a pair with a mesh, soup or compound
 * (mesh_toi.c), with the guarantees of tact_shapes_time_of_impact. No shape is NULL; other arguments are not yet
 * checked. Other rooms call tact_toi_find (query/query.h), which chooses. */
void tact_convex_toi(const toi_input *input, toi_output *output);
void tact_mesh_toi(const toi_input *input, toi_output *output);

/* The same of a pair with a half-space (halfspace_toi.c). */
void tact_halfspace_toi(const toi_input *input, toi_output *output);

#endif
