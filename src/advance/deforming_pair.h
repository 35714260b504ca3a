/*
 * Pairs with a body whose vertices move, and such bodies with themselves: their feature events and touches.
 *
 * A deforming pair belongs to a pair prediction. Its window is a time interval in which the motions of both bodies
 * hold. There are three ways to find contacts in it:
 * - By features, if both bodies have vertices on linear paths: deformable meshes, and rigid meshes, soups and polytopes
 *   (points and segments included) without margin at rest or in uniform motion. Compounds of these, if feature events
 * are wanted. Exact (kinetic/feature_windows.h).
 * - By shape otherwise: the rigid body in its true motion against the triangles. Never late (toi/arc_mesh_toi.h).
 * - By separation, if one body is a NURBS surface: triangles that come as near as the surfaces are from them
 *   (advance/surface_motion.h). Against a rigid body this is by shape, with a larger margin; against moving vertices it
 *   is a sweep (deforming_surfaces.c). Never late. Feature events are then those of the triangles, by features, and
 *   follow the touch. So are those of a compound that has curved leaves, or leaves with a margin, besides others.
 *
 * A touch of the pair is reported when the first contact begins. The pair then counts as overlapping until an
 * examination finds it separated (deforming_overlap.h).
 */
#ifndef TACT_ADVANCE_DEFORMING_PAIR_H
#define TACT_ADVANCE_DEFORMING_PAIR_H

#include <tact/animation.h>

#include "advance/advance_state.h"
#include "advance/pair_prediction.h"
#include "kinetic/feature_windows.h"
#include "shape/feature_mesh.h"
#include "toi/arc_mesh_toi.h"

/* Triangles of both bodies that were found to intersect: one of each, or those of a face, or all of a body. They do
 * until a contact of their features begins. Then others around them are likely to. */
typedef struct overlap_witness {
    bool valid;                /* no such contact has begun */
    uint32_t first[2], end[2]; /* triangles of the windows; 0: none have been found */
} overlap_witness;

typedef struct deforming_pair {
    feature_windows *windows;           /* NULL: by shape, or not made yet */
    tact_shape *shapes[2];              /* references: the shapes that the windows were made from */
    uint64_t editions[2];               /* versions of their faces */
    struct surface_window *surfaces[2]; /* references: whose triangles the windows have; NULL: of other bodies */
    uint32_t second_vertex; /* the first vertex of the second body in the windows; 0 for a body with itself */
    uint32_t second_triangle;
    feature_triangle_array triangles; /* of both bodies */
    feature_id_array faces;           /* of each triangle: its face, as the body numbers them */
    uint64_t versions[2];             /* of the motions that the window was begun with; 0: none */
    double end;                       /* of the window */
    double search_end;                /* of the last search by shape or separation */
    double interval; /* between the last two examinations of a pair that overlaps; 0: none yet. A duration; against a
                        rigid body by shape a length: that of the next step without a certificate */
    double next_examination; /* time: of a pair that overlaps; of a persistent contact, its touch */
    double touches_until;    /* time: by features: a pair that overlaps is not to be examined before */
    double jump_time;        /* the time and the batch of changes (advance.h) in whose jumps no other touch is found */
    uint64_t jump_batch;
    overlap_witness witness;
    bool overlaps_at_start;       /* the bodies overlapped when the pair was made: a touch to be reported */
    bool unwanted;                /* by features: no feature events were wanted at the last update */
    bool examined;                /* it has been tested whether they do */
    bool restored;                /* of a restored world: continues the window of the saved one, up to `end` */
    struct shape_search *search;  /* by shape: memory of the search; NULL: none yet */
    tact_event_features features; /* of the event to be reported */
    uint32_t bodies[2];           /* of its features: A and B */
    tact_vec3 point;
    /* By shape or separation, beside windows: the touch that is predicted, or INFINITY; until when that holds; and the
     * versions of the motions that it was predicted with. */
    double touch_time, touch_valid_until;
    uint64_t touch_versions[2];
    tact_part overlapping[2]; /* if overlaps_at_start: the parts that do */
} deforming_pair;

/* Creates or removes the prediction of a body with itself, as its flags say. */
tact_status tact_deforming_self_update(tact_world *world, uint32_t index);

/* Predicts the next event of a pair. `a` and `b` are the bodies, the smaller index first; equal: with itself. */
tact_status tact_deforming_pair_update(tact_world *world, uint32_t a, uint32_t b, pair_prediction *r);

/* Predicts the touch of a pair in persistent contact, until the next contact step. Its window ends: feature events are
 * not reported while the contact lasts. */
tact_status tact_deforming_pair_update_contact(tact_world *world, const struct persistent_contact *c,
                                               pair_prediction *r);

/* The time of the prediction of a pair has come: what is to be reported. */
tact_event_kind tact_deforming_pair_event(tact_world *world, uint32_t a, uint32_t b, pair_prediction *r);

/* Makes a pair from a saved state. TACT_BAD_ARGUMENT: the state is invalid. */
tact_status tact_deforming_pair_restore(tact_world *world, const deforming_state *state, deforming_pair **made);

/* The state of a pair in `ad`, and of the prediction that it belongs to; NULL: of a restored pair. `windows` is set
 * instead of arrays. */
deforming_state tact_deforming_pair_describe(const tact_world *world, const struct advance *ad, uint32_t a, uint32_t b,
                                             const deforming_pair *pair, const pair_prediction *r);

/* Triangles to be left out of a search. `begin`: initially the end of the search; reduced to the time before which none
 * of the others is met. */
typedef struct triangle_filter {
    bool (*leaves_out)(void *context, const arc_triangle *triangle, double *begin);
    void *context;
    double begin;
} triangle_filter;

/* The first contact of a rigid body in its true motion with the triangles of a deforming one, from now until `end`:
 * sets the time of the prediction, until when it holds, point and normal. `wider`: a length, by how much farther apart
 * they may be. `filter`: NULL: no triangle is left out. (deforming_shape.c) */
tact_status tact_deforming_shape_search(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                        double end, double wider, triangle_filter *filter, pair_prediction *r);

/* The same on the way of a jump of both that takes place now: the time of the prediction is now, if they meet. The
 * rigid body keeps its orientation after the jump. */
tact_status tact_deforming_shape_jump(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                      pair_prediction *r);

/* How long a rigid body and a deforming one are certain to be within a distance of each other. */
typedef struct shape_overlap {
    double until; /* time; now: nothing is certain */
    double speed; /* bound of the speed at which points of both move past each other; 0: no triangle is near */
} shape_overlap;

/* From now on, not after `end`. `enough`: a length: a certificate that lasts while points move so far is taken. */
tact_status tact_deforming_shape_overlap(tact_world *world, deforming_pair *pair, uint32_t rigid, uint32_t deforming,
                                         double end, double distance, double enough, shape_overlap *found);
void tact_deforming_shape_release(struct shape_search *search, const tact_allocator *allocator);

/* Likewise of two deforming bodies, at least one of which is a NURBS surface or has a margin. `jump`: on the way of a
 * jump. (deforming_surfaces.c) */
tact_status tact_deforming_surfaces_search(tact_world *world, const uint32_t bodies[2], double end, double wider,
                                           bool jump, pair_prediction *r);

/* Fills in the features of an event, the bodies that have them, and their places on surfaces. (deforming_features.c) */
void tact_deforming_features_set(const tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                 const feature_event *event);

/* Fills in the places on surfaces of a touch without features, from its parts and its point. (deforming_features.c) */
void tact_deforming_places_set(const tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                               const pair_prediction *r);

/* NULL is allowed. */
void tact_deforming_pair_release(deforming_pair *pair, const tact_allocator *allocator);

#endif
