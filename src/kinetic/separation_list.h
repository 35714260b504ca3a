/*
 * The kinetic separation list (Weller and Zachmann 2006, "Kinetic separation lists for continuous collision detection
 * of deformable objects"): the pairs of items of a moving scene whose boxes overlap, in continuous time, from event to
 * event.
 *
 * It maintains the front of a traversal that tests the kinetic AABB tree (kinetic_tree.h) of the scene against itself.
 * The list is the set of pairs of boxes at which this traversal ends (definition 1): pairs that are apart and children
 * of an overlapping pair, and overlapping pairs of items. Pairs of boxes change at five kinds of events:
 *   bounds overlap    two boxes begin to overlap: the pair is replaced by its children, down to the deepest ones that
 *                     are apart; a pair of items becomes an overlapping pair of items
 *   fathers apart     the boxes of an overlapping pair separate: it replaces all pairs below it. The highest such pair
 *                     is taken at once (6.1)
 *   leaves apart      the boxes of two items separate
 *   bound changes     a box has another extreme: the pairs whose certificates depend on it are examined again
 *   polygons collide  what happens inside an overlapping pair of items: list_sweep.h
 * Items that share a vertex, and all boxes above them, overlap at all times. They are found once, and never tested
 * (5.3): these *adjacent* pairs of items are not reported. Items of one part without self-contacts are no pairs.
 *
 *     status = tact_separation_list_create(&list, &def);
 *     status = tact_separation_list_advance(list, time, visit, context);
 *
 * Guarantee: a pair of items that is not adjacent and touches at some time between the last two calls, both times
 * included, is visited. The decisions are made with a margin for rounding (kinetic_motion.h).
 *
 * Certificates for boxes that are apart:
 *   SEPARATION_WITNESS_AXIS  One axis along which they are apart is remembered. The certificate fails when it no longer
 *                            separates; then another axis is searched. Depends on two extremes.
 *   SEPARATION_ALL_AXES      The time at which the boxes overlap along all axes (6.2). Depends on all twelve extremes.
 * Certificates for boxes that overlap: for each axis, the vertices that are the extremes now overlap. They need not be
 * examined when an extreme changes, as the box only grows then.
 *
 * Where we depart from the paper: an overlapping pair has one certificate of its own, instead of one in each of its
 * children; one of the two boxes of a pair is opened, the one that is less deep, instead of both: in a tree with four
 * children per node this makes a third fewer pairs. The queue is a 4-ary heap, which measured 2.7 to 2.9 times faster
 * than a Fibonacci heap on the events of a list (bench/queues.c), and holds the next events only.
 *
 * Polygons-collide events are not in this queue. The pairs of items that overlap within an interval are tested together
 * when it begins (list_sweep.h), and the contacts are sorted. So each feature is tested once, for one of its items: 3
 * feature pairs per pair of items on the figure below, instead of the 15 that a prediction for each pair of items
 * needs; and in blocks of eight. Predictions across key frames would have to test each piece, too.
 *
 * The tree is not built anew. On a swirling cloth over 150 intervals that would cost a third more certificates.
 *
 * On a figure of 25,472 triangles with 120 intervals of key frames: 12 pairs and 1.6 kB per triangle; 9,000 bounds
 * overlap, 2,700 fathers apart, 3,800 leaves apart and 28,000 bound changes per interval. Certificates for all axes
 * are examined five times as often, and all takes twice as long as with witness axes.
 *
 * Jumps. If a vertex jumps from one position to another at some time (vertex_motion.h), all its certificates are
 * examined anew at that time, and all pairs with an item of this vertex are visited whose boxes around the old and the
 * new positions of their vertices overlap. This takes O(n log n) for each time at which vertices jump.
 */
#ifndef TACT_KINETIC_SEPARATION_LIST_H
#define TACT_KINETIC_SEPARATION_LIST_H

#include "kinetic/kinetic_tree.h"

typedef enum separation_certificate { SEPARATION_WITNESS_AXIS, SEPARATION_ALL_AXES } separation_certificate;

typedef struct separation_list_def {
    const uint32_t (*items)[4]; /* three vertices each, repeated for edges and points; the fourth number is ignored */
    uint32_t item_count;        /* at most KINETIC_MAX_ITEMS */
    uint32_t vertex_count;
    const uint32_t *groups; /* per item: items of the same nonzero group are no pair; or NULL */
    vertex_motion motion;
    double time;  /* the first */
    double error; /* length: how far vertices may be from where `motion` says, besides rounding */
    separation_certificate certificate;
    tact_allocator allocator;
} separation_list_def;

typedef struct separation_list separation_list;

/* Builds the tree and the list. On failure *made is NULL: TACT_OUT_OF_MEMORY; TACT_BAD_ARGUMENT: NULL, too many items,
 * a vertex out of range, a time that is not finite. Some 10 us per item of a closed mesh. */
tact_status tact_separation_list_create(separation_list **made, const separation_list_def *def);

/* NULL is allowed. */
void tact_separation_list_release(separation_list *list);

/* Called for two items whose boxes overlap from `begin` to `end`. Returns false if it fails. */
typedef bool separation_visit(void *context, uint32_t item_a, uint32_t item_b, double begin, double end);

/* Advances to a time, and visits each pair of items whose boxes overlap on the way: once for each maximal interval of
 * overlap, clipped to the time since the last call. An interval that ends on the way is visited then; those that go on
 * are visited at the end. `visit` may be NULL.
 *
 * Returns TACT_BAD_ARGUMENT if the time is not finite, before the current one, or not known by the table of samples.
 * Returns TACT_OUT_OF_MEMORY if memory is out or a visit failed: then it has advanced to an earlier time. The call may
 * be repeated, and goes on from there; some pairs may be visited twice. */
tact_status tact_separation_list_advance(separation_list *list, double time, separation_visit *visit, void *context);

double tact_separation_list_time(const separation_list *list);

/* Vertices may be this far from where the motion says: as separation_list_def.error, from now on. */
void tact_separation_list_note_error(separation_list *list, double error);

/* The error that is allowed for now. */
double tact_separation_list_allowed_error(const separation_list *list);

/* The motion of some vertices is different from the current time on; in a table, their rows have changed. If their
 * positions are different, too, `previous` has the old ones; otherwise it is NULL. Visits pairs that a jump may have
 * brought into contact, from now to now. Costs what depends on these vertices (and see above for jumps). */
tact_status tact_separation_list_vertices_changed(separation_list *list, const uint32_t *vertices, size_t count,
                                                  const tact_vec3 *previous, separation_visit *visit, void *context);

/* The table of samples has new contents: the same motion, known further. */
void tact_separation_list_samples_changed(separation_list *list);

typedef struct separation_counts {
    kinetic_tree_counts tree;
    uint64_t bounds_overlap; /* events of each kind */
    uint64_t leaves_overlap; /* of these: of two items */
    uint64_t fathers_apart;
    uint64_t leaves_apart;
    uint64_t bound_changes;
    uint64_t events;                /* of pairs that were due: failed certificates, and those not examined further */
    uint64_t new_axes;              /* another witness axis was found */
    uint64_t certificates_examined; /* how often a certificate was examined, and on how many pieces */
    uint64_t pieces_examined;
    uint64_t tree_certificates; /* now */
    uint64_t pairs_apart;       /* in the list now */
    uint64_t pairs_open;        /* overlapping pairs above them */
    uint64_t pairs_overlapping; /* of items */
    size_t bytes;
} separation_counts;

separation_counts tact_separation_list_counts(const separation_list *list);

/* The two counters that tell how much work was done, without a search through the list. */
typedef struct separation_work {
    uint64_t certificates, pieces; /* certificates_examined and pieces_examined */
} separation_work;

separation_work tact_separation_list_work(const separation_list *list);

#endif
