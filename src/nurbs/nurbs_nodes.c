#include "nurbs/nurbs_nodes.h"

#include <math.h>

#include "core/inline.h"
#include "core/number.h"
#include "math/float8.h"
#include "math/vec.h"

/* ---- vectors ---- */

/* A point as doubles. */
#if defined(__AVX2__)
typedef __m256d double3;

TACT_FORCE_INLINE double3 load_point(const tact_vec3 *p)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&p->x)), _mm_load_sd(&p->z), 1);
}
TACT_FORCE_INLINE double3 add3(double3 a, double3 b) { return _mm256_add_pd(a, b); }
TACT_FORCE_INLINE double3 sub3(double3 a, double3 b) { return _mm256_sub_pd(a, b); }
TACT_FORCE_INLINE __m128 to_floats(double3 a) { return _mm256_cvtpd_ps(a); }
#else
typedef struct double3 {
    __m128d xy, z;
} double3;

TACT_FORCE_INLINE double3 load_point(const tact_vec3 *p) { return (double3){_mm_loadu_pd(&p->x), _mm_load_sd(&p->z)}; }
TACT_FORCE_INLINE double3 add3(double3 a, double3 b) { return (double3){_mm_add_pd(a.xy, b.xy), _mm_add_sd(a.z, b.z)}; }
TACT_FORCE_INLINE double3 sub3(double3 a, double3 b) { return (double3){_mm_sub_pd(a.xy, b.xy), _mm_sub_sd(a.z, b.z)}; }
TACT_FORCE_INLINE __m128 to_floats(double3 a) { return _mm_movelh_ps(_mm_cvtpd_ps(a.xy), _mm_cvtpd_ps(a.z)); }
#endif

/* ---- fields ---- */

/* Lengths of directions, rounded up. */
#define EDGE_LENGTH 1.4142137f
#define CORNER_LENGTH 1.7320510f

/* The fields of two vectors, in the low and the high half; `reach`: how far they may be off.
 * Rounding: a vector is off by 2^-24 of itself, sums of three by three such. */
TACT_FORCE_INLINE void find_fields(float8 v, float reach, uint32_t fields[2])
{
    const float8 size = float8_abs(v), sum = float8_add(float8_add(size, FLOAT8_PERMUTE(size, _MM_SHUFFLE(3, 0, 2, 1))),
                                                        FLOAT8_PERMUTE(size, _MM_SHUFFLE(3, 1, 0, 2)));
    const float8 limit = float8_add(float8_mul(sum, float8_broadcast(NURBS_FIELD_ROUNDOFF)), float8_broadcast(reach));
    const float8 face = FLOAT8_PERMUTE(limit, _MM_SHUFFLE(0, 0, 0, 0)),
                 corner = float8_mul(face, float8_broadcast(CORNER_LENGTH)),
                 edge = float8_mul(face, float8_broadcast(EDGE_LENGTH));
    const float8 yzx = FLOAT8_PERMUTE(v, _MM_SHUFFLE(3, 0, 2, 1)), zxy = FLOAT8_PERMUTE(v, _MM_SHUFFLE(3, 1, 0, 2)),
                 e = float8_add(yzx, zxy), f = float8_sub(yzx, zxy);
    const float8 x = FLOAT8_PERMUTE(v, _MM_SHUFFLE(0, 0, 0, 0)), y = FLOAT8_PERMUTE(v, _MM_SHUFFLE(1, 1, 1, 1)),
                 z = FLOAT8_PERMUTE(v, _MM_SHUFFLE(2, 2, 2, 2));
    const float8 c = float8_add(float8_add(float8_flip(x, _mm_setr_ps(0.0f, -0.0f, 0.0f, 0.0f)),
                                           float8_flip(y, _mm_setr_ps(0.0f, 0.0f, -0.0f, 0.0f))),
                                float8_flip(z, _mm_setr_ps(0.0f, 0.0f, 0.0f, -0.0f)));
    const uint32_t large =
                       float8_bits_less(face, size, corner, float8_abs(c), edge, float8_abs(e), edge, float8_abs(f)),
                   negative = float8_sign_bits(v, c, e, f), above = large & ~negative, below = large & negative;
    fields[0] = (above & 0xffff) | below << NURBS_DIRECTIONS;
    fields[1] = above >> NURBS_DIRECTIONS | (below & 0xffff0000);
}

/* ---- leaves ---- */

static box exact_box(const tact_vec3 *const p[4], double margin)
{
    tact_vec3 low = *p[0], high = *p[0];
    for (int i = 1; i < 4; i++) {
        low = vec_make(number_min(low.x, p[i]->x), number_min(low.y, p[i]->y), number_min(low.z, p[i]->z));
        high = vec_make(number_max(high.x, p[i]->x), number_max(high.y, p[i]->y), number_max(high.z, p[i]->z));
    }
    const box b = box_from_bounds(low, high);
    return tact_box_expand(b, margin);
}

TACT_FORCE_INLINE void set_leaf(const tact_vec3 *const p[4], double error, const nurbs_leaf_frame *frame,
                                nurbs_node *node)
{
    const double3 p0 = load_point(p[0]), p1 = load_point(p[1]), p2 = load_point(p[2]), p3 = load_point(p[3]);
    /* Twice a and twice b. Their distances from 2 S_s and 2 S_t add up to at most 8 E and 8 times the error of a
     * corner. */
    const float8 tangents =
        float8_combine(to_floats(add3(sub3(p1, p0), sub3(p2, p3))), to_floats(add3(sub3(p3, p0), sub3(p2, p1))));
    const float reach = (float)((8.0 * error + 8.0 * frame->slack) * (1.0 + NURBS_BOX_ROUNDOFF)) + NURBS_MIN_FIELD;
    uint32_t fields[2];
    find_fields(tangents, reach, fields);
    const double margin = error + 2.0 * frame->slack;
    if (frame->in_range && margin <= 1.0 / NURBS_MIN_FLOAT_EXTENT) {
        const __m128 f0 = to_floats(p0), f1 = to_floats(p1), f2 = to_floats(p2), f3 = to_floats(p3);
        const __m128 outward = _mm_set1_ps((float)(margin * (1.0 + NURBS_BOX_ROUNDOFF)) + frame->roundoff);
        const nurbs_node_ends ends = {_mm_sub_ps(_mm_min_ps(_mm_min_ps(f0, f1), _mm_min_ps(f2, f3)), outward),
                                      _mm_add_ps(_mm_max_ps(_mm_max_ps(f0, f1), _mm_max_ps(f2, f3)), outward)};
        nurbs_node_set(node, ends, fields[0], fields[1]);
    } else {
        *node = (nurbs_node){exact_box(p, margin), {fields[0], fields[1]}};
    }
}

void tact_nurbs_set_leaf_node(const tact_vec3 *const corners[4], double error, const nurbs_leaf_frame *frame,
                              nurbs_node *node)
{
    set_leaf(corners, error, frame, node);
}

/* ---- patches ---- */

/* The union of the boxes and the AND of the fields of four nodes in a row. */
TACT_FORCE_INLINE void combine_children(const nurbs_node *child, nurbs_node *out)
{
    const nurbs_node_ends ends = nurbs_ends_unite(nurbs_ends_unite(nurbs_ends_of(child), nurbs_ends_of(child + 1)),
                                                  nurbs_ends_unite(nurbs_ends_of(child + 2), nurbs_ends_of(child + 3)));
    nurbs_node_set(out, ends, child[0].tangents[0] & child[1].tangents[0] & child[2].tangents[0] & child[3].tangents[0],
                   child[0].tangents[1] & child[1].tangents[1] & child[2].tangents[1] & child[3].tangents[1]);
}

void tact_nurbs_set_patch_nodes(nurbs_bounds *b, uint32_t patch, const nurbs_leaf_frame *frame, double rounding)
{
    const nurbs_cell *cells = b->t->cells.items;
    const tact_vec3 *at = b->t->positions;
    const nurbs_leaf_frame own = *frame;
    const uint32_t first = b->t->first_cell[patch];
    for (uint32_t c = b->t->first_cell[patch + 1]; c-- > first;) { /* children are after parents */
        const uint32_t child = cells[c].first_child, *corners = b->corners[c];
        if (child != 0) {
            combine_children(&b->cells[child], &b->cells[c]);
        } else if (corners[0] != UINT32_MAX) {
            const tact_vec3 *const p[4] = {at + corners[0], at + corners[1], at + corners[2], at + corners[3]};
            set_leaf(p, cells[c].error, &own, &b->cells[c]);
        } else {
            tact_nurbs_set_evaluated_leaf(b, c, frame, rounding);
        }
    }
}
