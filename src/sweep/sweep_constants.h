/*
 * The limits, tolerances and tuned numbers of this room. Each says what it limits, its unit and why it has this
 * value, and names the test that fails without it where one does. "Performance only": any value gives the same
 * contacts.
 */
#ifndef TACT_SWEEP_SWEEP_CONSTANTS_H
#define TACT_SWEEP_SWEEP_CONSTANTS_H

/* Pairs of subtrees that the top of the tree defers to all threads; some hundred subtrees have fewer. Performance only.
 */
#define SWEEP_MAX_DEFERRED_PAIRS 8192

/* Bytes: two cache lines, as they are fetched together. Performance only. */
#define SWEEP_CACHE_PADDING 128

/* Contacts that are allocated at once: 28 kB. Performance only. */
#define SWEEP_PAGE_CONTACTS 256

/* Roots of the skeleton, and vertex slots, that a thread takes at once: some 100 us of work. Performance only. */
#define SWEEP_ROOTS_PER_TASK 64
#define SWEEP_FANS_PER_TASK 256

/* Pairs of items that a thread takes at once: some 100 us of work. Performance only. */
#define SWEEP_ITEM_PAIRS_PER_TASK ((size_t)512)

/* Changed vertices, and their items: with more all nodes are examined. Likewise if they are more than one in
 * SWEEP_FEW_RATIO items: searching for one takes as long as passing over so many. Performance only. */
#define SWEEP_FEW_VERTICES 64
#define SWEEP_FEW_ITEMS 512
#define SWEEP_FEW_RATIO 128

/* Items, and points: fewer are not worth a thread, 100 us of work. Performance only. */
#define SWEEP_ITEMS_PER_WORKER 512
#define SWEEP_POINTS_PER_TASK 4096

/* Workers if the caller's parallel loop does not say how many threads it has. Performance only. */
#define SWEEP_DEFAULT_WORKERS 64

/* Factor of the separation by which bounds are inflated: pairs within 1 + 1e-6 times the separation may be reported
 * (tact/ccd.h), and this is more. Needed by internal_sweep. */
#define SWEEP_SEPARATION_FACTOR (1.0 + 0x1p-18)

/* Triangles of a fan that is tested as a whole; larger ones are tested pair by pair. Most have six. Performance only.
 */
#define FAN_MAX_TRIANGLES 24

/* Fans that are tested at once: a vector of doubles, or two. Performance only. */
#define FAN_LANES 4u

/* Relative to the product of the extents: 128 2^-53, nearly twice the error of a coefficient (fan_test.c). Proved
 * there; no test comes so close that it fails without it. */
#define FAN_ERROR 0x1p-46

/* Extents: below, what underflows is no longer far below the error of their product; above, it could overflow. Proved:
 * products are between 2^-900 and 2^1000. */
#define FAN_MIN_EXTENT 0x1p-450
#define FAN_MAX_EXTENT 0x1p500

/* One in so many items: if more are touched by a change, features are assigned anew for all. Performance only. */
#define REMESH_LOCAL_RATIO 16u

/* Contacts: fewer are sorted by merging alone, as a radix sort would take longer. Performance only. */
#define CONTACT_RADIX_MIN 256

/* Feature pairs of one kind that are tested together. Performance only: with fewer, more branches are predicted wrong;
 * more would not stay in the first cache. */
#define SWEEP_FEATURE_QUEUE 64

#endif
