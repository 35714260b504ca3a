/*
 * The features of two things: their vertices against each other's face, their edges against each other, each pair where it is
 * represented (sweep.c), by the bounds of the features themselves (made on demand from those of their vertices), narrowed to the window
 * that the things have left. What may touch goes to the blocks.
 *
 * Guarantee: a pair that touches gets there (bounds/moving.h). After Hutter and Fuhrmann (Optimized continuous collision detection for
 * deformable triangle meshes, 2007), whose bounds of features we make anew where two things meet instead of keeping them.
 */
#include "core/avx2.h"
#include "narrow/sweep_parts.h"

static inline bool has(const uint32_t corners[4], uint32_t v) { return corners[0] == v || corners[1] == v || corners[2] == v; }

/* Takes the next lane of a block. */
TACT_HOT void put(sweep_worker *w, tact_ccd_kind kind, uint32_t p0, uint32_t p1, uint32_t p2, uint32_t p3, uint32_t face,
                  float enter, float exit)
{
    sweep_block *block = &w->blocks[kind];
    const sweep_step *step = w->search->step;
    const unsigned lane = block->count++;
    const uint32_t index[4] = {p0, p1, p2, p3};
    for (int k = 0; k < 4; ++k) {
        const tact_vec3 *x0 = &step->start[index[k]], *x1 = &step->end[index[k]];
        block->index[lane][k] = index[k];
        block->points.start[k][0][lane] = x0->x;
        block->points.start[k][1][lane] = x0->y;
        block->points.start[k][2][lane] = x0->z;
        block->points.end[k][0][lane] = x1->x;
        block->points.end[k][1][lane] = x1->y;
        block->points.end[k][2][lane] = x1->z;
    }
    block->face[lane] = face;
    block->points.enter[lane] = (double)enter;
    block->points.exit[lane] = (double)exit;
    if (block->count == CCD_BLOCK)
        tact_sweep_flush(w, kind);
}

/* The vertices of one against the face of the other. */
TACT_HOT void vertices_against(sweep_worker *w, const uint32_t *one, const uint32_t *other, uint32_t face, float enter,
                               float exit)
{
    const sweep *s = w->search->sweep;
    const moving_frame *frame = &s->frame;
    const moving_bound around =
        moving_of_three(frame, &s->points[other[0]], &s->points[other[1]], &s->points[other[2]]);
    for (unsigned k = 0; k < 3; ++k) {
        if ((one[3] & THING_VERTEX(k)) == 0 || has(other, one[k]))
            continue;
        const moving_bound vertex = moving_of_one(frame, &s->points[one[k]]);
        float first = enter, last = exit;
        ++w->counts.bound_tests;
        if (moving_meet(&vertex, &around, &first, &last))
            put(w, TACT_VERTEX_FACE, one[k], other[0], other[1], other[2], face, first, last);
    }
}

void tact_sweep_features(void *worker, uint32_t a, uint32_t b, float enter, float exit)
{
    sweep_worker *w = worker;
    const sweep *s = w->search->sweep;
    const moving_frame *frame = &s->frame;
    const uint32_t *one = s->things[a], *other = s->things[b];
    ++w->counts.thing_pairs;
    if (enter > w->pairs.limit)
        return;
    if ((one[3] & THING_VERTICES) != 0 && (other[3] & THING_FACE) != 0)
        vertices_against(w, one, other, b, enter, exit);
    if ((other[3] & THING_VERTICES) != 0 && (one[3] & THING_FACE) != 0)
        vertices_against(w, other, one, a, enter, exit);
    if ((one[3] & THING_EDGES) == 0 || (other[3] & THING_EDGES) == 0)
        return;
    moving_bound edges[3];
    for (unsigned j = 0; j < 3; ++j)
        if ((other[3] & THING_EDGE(j)) != 0)
            edges[j] = moving_of_two(frame, &s->points[other[j]], &s->points[other[(j + 1) % 3]]);
    for (unsigned i = 0; i < 3; ++i) {
        if ((one[3] & THING_EDGE(i)) == 0)
            continue;
        const uint32_t p = one[i], q = one[(i + 1) % 3];
        const moving_bound edge = moving_of_two(frame, &s->points[p], &s->points[q]);
        for (unsigned j = 0; j < 3; ++j) {
            const uint32_t u = other[j], v = other[(j + 1) % 3];
            if ((other[3] & THING_EDGE(j)) == 0 || p == u || p == v || q == u || q == v)
                continue;
            float first = enter, last = exit;
            ++w->counts.bound_tests;
            if (!moving_meet(&edge, &edges[j], &first, &last))
                continue;
            /* each edge with its lower vertex first, the lower edge first: so whoever finds a pair asks the same */
            const uint32_t p0 = p < q ? p : q, p1 = p < q ? q : p, u0 = u < v ? u : v, u1 = u < v ? v : u;
            if (p0 < u0 || (p0 == u0 && p1 < u1))
                put(w, TACT_EDGE_EDGE, p0, p1, u0, u1, 0, first, last);
            else
                put(w, TACT_EDGE_EDGE, u0, u1, p0, p1, 0, first, last);
        }
    }
}
