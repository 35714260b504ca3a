/*
 * The events of a whole animation by brute force: every vertex-face and edge-edge pair, window by window, with the
 * exact oracle of oracle/path_contacts.h. For animations of some dozen triangles.
 *
 * Each vertex follows consecutive pieces. Where its position at the end of a piece differs from that at the start of
 * the next, it jumps: it moves straight from one to the other in no time. All vertices that jump at a time do so
 * together. An event is the beginning of a maximal interval of contact of a pair under the whole motion, jumps
 * included. Contact at the very start is an event.
 *
 * Triangles may exist for a part of the time only. Vertices and edges exist while a triangle has them. Features are
 * identified by their vertices: triangles with the same vertices are one, which exists while one of them does. A
 * contact ends with its features, and begins when they begin to exist. Where that coincides with jumps, it comes before
 * them.
 */
#ifndef TACT_ORACLE_ANIMATION_EVENTS_H
#define TACT_ORACLE_ANIMATION_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tact/ccd.h>

#include "motion/linear_path.h"

typedef struct brute_piece {
    linear_path path;
    double begin, end; /* begin < end */
} brute_piece;

/* The vertices up to vertex_end - 1, from where the part before ended. */
typedef struct brute_part {
    uint32_t vertex_end;
    bool no_self_collision; /* pairs inside this part do not count */
} brute_part;

/* When a triangle exists. */
typedef struct brute_life {
    double begin, end;
} brute_life;

typedef struct brute_animation {
    /* Those of vertex v are first_piece[v] to first_piece[v + 1] - 1, in the order of time, without gaps. All vertices
     * begin and end at the same times. */
    const brute_piece *pieces;
    const size_t *first_piece;
    size_t vertex_count;
    const uint32_t (*triangles)[3]; /* of three different vertices each */
    size_t triangle_count;
    const brute_life *lives;    /* of each triangle; NULL: always */
    const uint32_t (*edges)[2]; /* edges without faces, of two different vertices; others do no harm */
    size_t edge_count;
    const uint32_t *points; /* points in no triangle or edge; others do no harm */
    size_t point_count;
    const brute_part *parts; /* the last one ends at vertex_count; NULL: one part with contacts inside */
    size_t part_count;
    bool no_culling; /* test every pair exactly, to test the culling */
} brute_animation;

/* The indices are those of sweep_contact (sweep/sweep.h). Vertex-face: index[0] is the vertex, index[1] the triangle.
 * Edge-edge: index[0] < index[1] are the ends of the one, index[2] < index[3] those of the other, and (index[0]
 * index[1]) is less than (index[2] index[3]). Of triangles with the same vertices, the first one is named. */
typedef struct brute_event {
    double lower, upper; /* the beginning, rounded down and up to doubles */
    tact_ccd_kind kind;
    uint32_t index[4];
    bool in_jump;      /* it begins inside a jump, not at its start */
    bool lasting;      /* the contact lasts for some time or through a part of a jump */
    uint32_t sequence; /* among the events of the pair */
} brute_event;

typedef struct brute_counts {
    size_t windows;   /* windows of pairs, and jumps of pairs */
    size_t exact;     /* those that were tested exactly */
    size_t continued; /* contacts at the start of a window that continue from the window or jump before */
    size_t in_jumps;  /* events that begin in jumps */
    size_t torn;      /* contacts that end because a feature ceases to exist */
    size_t kept;      /* contacts at a time at which a piece ends or a feature changes, that go on */
} brute_counts;

/* The events in the order of `lower`, vertex-face first, then by index, then by sequence. To be freed. `counts` may be
 * NULL. */
brute_event *brute_animation_events(const brute_animation *animation, size_t *count, brute_counts *counts);

#endif
