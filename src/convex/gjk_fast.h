/*
 * The quick search for the distance of two polytopes, and what it shares with the long one (convex/gjk.c).
 */
#ifndef TACT_CONVEX_GJK_FAST_H
#define TACT_CONVEX_GJK_FAST_H

#include <simde/x86/sse2.h>

#include "convex/convex_constants.h"
#include "convex/gjk.h"
#include "core/avx2.h"
#include "core/inline.h"

typedef struct goal {
    double accuracy; /* relative; of the distance */
    double enough;   /* a distance: beyond it only the fact matters */
    bool decide;     /* only whether the distance is beyond `enough` */
    bool simplex;    /* on GJK_TOUCH the simplex is wanted, of support points only */
    bool robust;     /* the fast search is left out */
} goal;

/* How the bounds stand to each other. */
typedef enum standing {
    BOUNDS_OPEN, /* there is still something to gain */
    BOUNDS_MET,  /* as near as is wanted, or as rounding allows */
    BOUNDS_CROSS /* the upper one is below the lower one: the simplex was solved with too few digits */
} standing;

/* From the gap between upper and lower bound and what it may be. */
static inline standing stand(double gap, double allowed)
{
    return gap > allowed ? BOUNDS_OPEN : gap >= -allowed ? BOUNDS_MET : BOUNDS_CROSS;
}

static inline bool is_zero(tact_vec3 a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }

/* A vector of A's and one of B's side by side. */
typedef struct vec_pair {
    simde__m128d x, y, z;
} vec_pair;

TACT_FORCE_INLINE vec_pair pair_of(tact_vec3 a, tact_vec3 b)
{
    return (vec_pair){simde_mm_set_pd(b.x, a.x), simde_mm_set_pd(b.y, a.y), simde_mm_set_pd(b.z, a.z)};
}

TACT_FORCE_INLINE simde__m128d pair_dot(vec_pair a, vec_pair b)
{
    return simde_mm_add_pd(simde_mm_add_pd(simde_mm_mul_pd(a.x, b.x), simde_mm_mul_pd(a.y, b.y)),
                           simde_mm_mul_pd(a.z, b.z));
}

/* The linear parts of two placements. */
typedef struct frame_pair {
    vec_pair x, y, z;
} frame_pair;

TACT_FORCE_INLINE frame_pair frames_of(const tact_transform *a, const tact_transform *b)
{
    return (frame_pair){pair_of(a->x_axis, b->x_axis), pair_of(a->y_axis, b->y_axis), pair_of(a->z_axis, b->z_axis)};
}

/* Two polytopes as the quick search sees them. */
typedef struct quick_pair {
    const hull *hull_a, *hull_b; /* of two hulls, else NULL */
    const convex *a, *b;         /* of others */
    frame_pair frames;           /* of two hulls */
    tact_vec3 offset;            /* from the origin of A to that of B */
    tact_vec3 axis;              /* where to begin; zero: between the middles */
    double floor;                /* a length that rounding cannot tell from zero */
    double margins;              /* the sum of both */
    simde__m128d cell_unit; /* of two hulls: of the bytes in plane_cells as they are placed, about; zero: no planes */
} quick_pair;

/* The search as long as all goes well; false: the long one is to begin anew. `enough` is want's, but at least the
 * floor; `axis` may be zero. The points are relative to the shapes' own origins. */
bool tact_quick(const convex *a, const convex *b, tact_vec3 offset, double floor, const goal *want, double enough,
                tact_vec3 axis, gjk *result);

/* The same for two hulls. */
bool tact_quick_hulls(const quick_pair *p, const goal *want, double enough, gjk *result);

/* `cell_unit`, given how far the hulls reach: their own reach times the root of the sum of the squares of the axes they
 * are placed with. */
TACT_FORCE_INLINE simde__m128d quick_cell_unit(const hull *a, const hull *b, simde__m128d reach)
{
    if (a->polar_vertices == NULL || b->polar_vertices == NULL)
        return simde_mm_setzero_pd();
    return simde_mm_mul_pd(simde_mm_mul_pd(reach, simde_mm_set1_pd(GJK_FAST_ROTATION)),
                           simde_mm_set_pd(b->radial_cell_unit, a->radial_cell_unit));
}

/* The same for processors with AVX2. */
#if TACT_HAVE_AVX2
__typeof__(tact_quick) tact_quick_avx2;
__typeof__(tact_quick_hulls) tact_quick_hulls_avx2;
#endif

#endif
